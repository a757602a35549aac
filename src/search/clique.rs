//! Looks for a clique of conflicts, the evidence that one message function has too few symbols.

use crate::game::structure::{Clique, Conflicts, Failure, within};
use crate::game::{Game, Task};
use bitvec::prelude::{BitSlice, BitVec, Lsb0};
use itertools::Itertools;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::cmp::Reverse;

/// A greedy clique in the conflict graph, with the alphabet of the slot beside it; `None` when the game has no such graph. It
/// proves
/// something iff it has more members than there are symbols.
///
/// # Errors
/// `TooLarge` when the task look-ups for all pairs exceed the limit; `replay` when the task is undefined somewhere.
/// # Cost
/// The conflicts of all pairs, then vertices times edges.
pub fn find(game: &Game, task: &dyn Task, limit: &BigUint) -> Result<Option<Clique>, Failure> {
    let Some(conflicts) = Conflicts::of(game, task) else {
        return Ok(None);
    };
    let domain = &game.player(conflicts.speaker()).domain;
    let vertices = within("inputs of the speaker", domain.size(), limit)?;
    let count = vertices.to_usize().unwrap_or(usize::MAX);
    within("task look-ups", conflicts.work(count), limit)?;
    let mut elements = vec![domain.first()];
    let mut next = domain.first();
    while domain.advance(&mut next) {
        elements.push(next.clone());
    }
    let graph = Graph::new(elements.len(), |a, b| {
        conflicts.conflict(&elements[a], &elements[b])
    })?;
    let members = graph
        .greedy_clique()
        .into_iter()
        .map(|vertex| elements[vertex].clone())
        .collect();
    let symbols = game.alphabet(conflicts.slot()).size().clone();
    Ok(Some(Clique { members, symbols }))
}

/// A graph by its rows of neighbours, one bit per vertex.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    rows: Vec<BitVec<u64, Lsb0>>,
}

/// Vertices from which a clique is grown, those with most neighbours first.
const STARTS: usize = 64;

impl Graph {
    /// The graph with these edges a < b.
    ///
    /// # Errors
    /// Those of `edge`.
    /// # Cost
    /// One question per pair.
    pub(super) fn new<E>(
        count: usize,
        edge: impl Fn(usize, usize) -> Result<bool, E>,
    ) -> Result<Self, E> {
        let mut rows = vec![BitVec::repeat(false, count); count];
        for (a, b) in (0..count).tuple_combinations() {
            if edge(a, b)? {
                rows[a].set(b, true);
                rows[b].set(a, true);
            }
        }
        Ok(Self { rows })
    }

    /// Number of neighbours of a vertex.
    pub(super) fn neighbours(&self, vertex: usize) -> usize {
        self.rows[vertex].count_ones()
    }

    /// Number of neighbours of `vertex` among the candidates.
    fn degree(&self, vertex: usize, candidates: &BitSlice<u64, Lsb0>) -> u32 {
        let words = |bits: &BitSlice<u64, Lsb0>| bits.domain().collect::<Vec<u64>>();
        let pairs = words(&self.rows[vertex]).into_iter().zip(words(candidates));
        pairs
            .map(|(row, candidate)| (row & candidate).count_ones())
            .sum()
    }

    /// The largest of the cliques that grow from the first vertices by the candidate with most neighbours among the
    /// candidates (the least on a tie); the first such clique, in increasing order.
    ///
    /// # Cost
    /// For each start and member one pass over the pairs of candidates, a word of 64 at a time.
    pub(super) fn greedy_clique(&self) -> Vec<usize> {
        let mut best: Vec<usize> = Vec::new();
        let mut starts: Vec<usize> = (0..self.rows.len()).collect();
        starts.sort_by_cached_key(|vertex| (Reverse(self.neighbours(*vertex)), *vertex));
        for start in starts.into_iter().take(STARTS) {
            let (mut clique, mut candidates) = (vec![start], self.rows[start].clone());
            while clique.len() + candidates.count_ones() > best.len() {
                let by_degree =
                    |vertex: &usize| (Reverse(self.degree(*vertex, &candidates)), *vertex);
                let Some(next) = candidates.iter_ones().min_by_key(by_degree) else {
                    break;
                };
                clique.push(next);
                candidates &= &self.rows[next];
            }
            if candidates.not_any() && clique.len() > best.len() {
                best = clique;
            }
        }
        best.sort_unstable();
        best
    }

    /// A largest clique, unless `steps` branches do not decide that; then the largest found, never smaller than
    /// [`Graph::greedy_clique`]. In increasing order.
    ///
    /// # Cost
    /// The greedy clique, and one pass over the candidates for each branch.
    pub(super) fn largest_clique(&self, steps: usize) -> Vec<usize> {
        let mut best = self.greedy_clique();
        let all = BitVec::repeat(true, self.rows.len());
        self.branch(&mut Vec::new(), all, &mut best, &mut { steps });
        best.sort_unstable();
        best
    }

    fn branch(
        &self,
        clique: &mut Vec<usize>,
        mut candidates: BitVec<u64, Lsb0>,
        best: &mut Vec<usize>,
        steps: &mut usize,
    ) {
        if clique.len() > best.len() {
            best.clone_from(clique);
        }
        let order = self.by_colour(&candidates);
        for (vertex, colour) in order.into_iter().rev() {
            // A clique has at most one vertex of each colour.
            if clique.len() + colour <= best.len() || *steps == 0 {
                return;
            }
            *steps -= 1;
            clique.push(vertex);
            let mut rest = candidates.clone();
            rest &= &self.rows[vertex];
            self.branch(clique, rest, best, steps);
            clique.pop();
            candidates.set(vertex, false);
        }
    }

    /// The candidates with the colours, from 1, of a greedy proper colouring, colour by colour.
    fn by_colour(&self, candidates: &BitSlice<u64, Lsb0>) -> Vec<(usize, usize)> {
        let mut left = candidates.to_bitvec();
        let mut order = Vec::with_capacity(left.count_ones());
        let mut colour = 0;
        while left.any() {
            colour += 1;
            let mut free = left.clone();
            while let Some(vertex) = free.first_one() {
                order.push((vertex, colour));
                left.set(vertex, false);
                free.set(vertex, false);
                free &= !self.rows[vertex].clone();
            }
        }
        order
    }
}
