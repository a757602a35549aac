//! The undirected cycle problem between two parties: Alice holds some edges, Bob the others, and Alice speaks once.
//!
//! Two sets of edges of Alice *conflict* when some set of Bob completes one to a single cycle and the other to two. Sets that
//! conflict need different messages, and a proper colouring is a protocol: for each set of Bob the sets of one colour that the
//! promise allows have one answer. So the least number of messages is the chromatic number of the conflicts.

use super::cycle::{Kind, undirected};
use itertools::Itertools;
use std::collections::{BTreeMap, BTreeSet};

/// The conflicts of all sets of `held` edges.
#[derive(Clone, Debug)]
pub struct Conflicts {
    /// Number of edges of the complete graph.
    edges: usize,
    held: usize,
    /// Pairs of sets (bits of edges in lexicographic order), smaller first, increasing.
    pub pairs: BTreeSet<(u32, u32)>,
}

impl Conflicts {
    /// All conflicts; `None` for numbers without instances.
    ///
    /// # Cost
    /// For every set of Bob the sets of Alice of one kind times those of the other.
    pub fn new(vertices: usize, held: usize) -> Option<Self> {
        if held > vertices || !super::cycle::fits(vertices, false) {
            return None;
        }
        let all: Vec<(usize, usize)> = (0..vertices).tuple_combinations().collect();
        let mut by_bob: BTreeMap<u32, [Vec<u32>; 2]> = BTreeMap::new();
        for (number, kind) in Kind::BOTH.into_iter().enumerate() {
            for graph in undirected(vertices, kind) {
                let bits: Vec<u32> = graph
                    .iter()
                    .filter_map(|edge| all.iter().position(|other| other == edge))
                    .map(|place| 1 << place)
                    .collect();
                let whole: u32 = bits.iter().sum();
                for part in bits.iter().copied().combinations(held) {
                    let alice: u32 = part.iter().sum();
                    by_bob.entry(whole & !alice).or_default()[number].push(alice);
                }
            }
        }
        let pairs = by_bob
            .values()
            .flat_map(|[one, two]| one.iter().cartesian_product(two))
            .map(|(a, b)| (*a.min(b), *a.max(b)))
            .collect();
        Some(Self {
            edges: all.len(),
            held,
            pairs,
        })
    }

    /// All sets that Alice may hold, in lexicographic order of their edges.
    pub fn sets(&self) -> Vec<u32> {
        (0..self.edges)
            .combinations(self.held)
            .map(|edges| edges.iter().map(|edge| 1_u32 << edge).sum())
            .collect()
    }

    /// Whether two sets conflict.
    pub fn conflict(&self, a: u32, b: u32) -> bool {
        self.pairs.contains(&(a.min(b), a.max(b)))
    }

    /// The first conflict inside a colour class, as places in [`Conflicts::sets`].
    pub fn improper(&self, colours: &[usize]) -> Option<(usize, usize)> {
        let sets = self.sets();
        let place: BTreeMap<u32, usize> = sets.iter().enumerate().map(|(i, s)| (*s, i)).collect();
        let places = self.pairs.iter().map(|(a, b)| (place[a], place[b]));
        places
            .filter(|(a, b)| colours.get(*a) == colours.get(*b))
            .map(|(a, b)| (a.min(b), a.max(b)))
            .min()
    }
}
