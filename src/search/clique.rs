//! Looks for a clique of conflicts, the evidence that one message function has too few symbols.

use crate::game::structure::{Clique, Conflicts, Failure, within};
use crate::game::{Game, Task};
use itertools::Itertools;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

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
    let adjacent = adjacency(elements.len(), |a, b| {
        conflicts.conflict(&elements[a], &elements[b])
    })?;
    let members = greedy_clique(&adjacent)
        .into_iter()
        .map(|vertex| elements[vertex].clone())
        .collect();
    let symbols = game.alphabet(conflicts.slot()).size().clone();
    Ok(Some(Clique { members, symbols }))
}

/// The symmetric matrix of a graph, from its edges a < b.
///
/// # Errors
/// Those of `edge`.
/// # Cost
/// One question per pair.
pub(super) fn adjacency<E>(
    count: usize,
    edge: impl Fn(usize, usize) -> Result<bool, E>,
) -> Result<Vec<Vec<bool>>, E> {
    let mut adjacent = vec![vec![false; count]; count];
    for (a, b) in (0..count).tuple_combinations() {
        let apart = edge(a, b)?;
        (adjacent[a][b], adjacent[b][a]) = (apart, apart);
    }
    Ok(adjacent)
}

/// Vertices from which a clique is grown, those with most neighbours first.
const STARTS: usize = 64;

/// The largest of the cliques that grow from the first vertices by the candidate with most neighbours among the candidates
/// (the least on a
/// tie); the first such clique, in increasing order.
///
/// # Cost
/// For each start and member one pass over the pairs of candidates.
pub(super) fn greedy_clique(adjacent: &[Vec<bool>]) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::new();
    let mut starts: Vec<usize> = (0..adjacent.len()).collect();
    let all_neighbours = |vertex: &usize| adjacent[*vertex].iter().filter(|apart| **apart).count();
    starts.sort_by_cached_key(|vertex| (std::cmp::Reverse(all_neighbours(vertex)), *vertex));
    for start in starts.into_iter().take(STARTS) {
        let neighbours = |vertex: usize, among: &[usize]| -> Vec<usize> {
            let apart = |other: &usize| adjacent[vertex][*other];
            among.iter().copied().filter(apart).collect()
        };
        let everyone: Vec<usize> = (0..adjacent.len()).collect();
        let (mut clique, mut candidates) = (vec![start], neighbours(start, &everyone));
        while clique.len() + candidates.len() > best.len() {
            let degree = |vertex: &usize| neighbours(*vertex, &candidates).len();
            let Some(next) = candidates
                .iter()
                .copied()
                .min_by_key(|vertex| (std::cmp::Reverse(degree(vertex)), *vertex))
            else {
                break;
            };
            clique.push(next);
            candidates = neighbours(next, &candidates);
        }
        if candidates.is_empty() && clique.len() > best.len() {
            best = clique;
        }
    }
    best.sort_unstable();
    best
}
