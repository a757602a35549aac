//! One cycle through all vertices, or two cycles through half of them each.

use itertools::Itertools;

/// Most vertices whose instances are listed: 8! / 2 + .. directed instances.
pub const MAX_VERTICES: usize = 8;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// One cycle.
    One,
    /// Two cycles of half the length.
    Two,
}

impl Kind {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::One, Self::Two];
}

/// Whether instances on so many vertices exist here: even, at least 4 (6 without directions), at most [`MAX_VERTICES`].
pub fn fits(vertices: usize, directed: bool) -> bool {
    let least = if directed { 4 } else { 6 };
    vertices.is_multiple_of(2) && (least..=MAX_VERTICES).contains(&vertices)
}

/// All successor functions on 0..vertices that are one cycle, or two of half the length, in lexicographic order.
///
/// # Domain
/// `fits(vertices, true)`; else the list is empty.
/// # Cost
/// All permutations of the vertices.
pub fn directed(vertices: usize, kind: Kind) -> Vec<Vec<usize>> {
    if !fits(vertices, true) {
        return Vec::new();
    }
    let wanted = match kind {
        Kind::One => vertices,
        Kind::Two => vertices / 2,
    };
    (0..vertices)
        .permutations(vertices)
        .filter(|next| (0..vertices).all(|start| period(next, start) == wanted))
        .collect()
}

/// Steps from `start` until it comes again.
fn period(next: &[usize], start: usize) -> usize {
    let mut at = next[start];
    let mut steps = 1;
    while at != start && steps <= next.len() {
        at = next[at];
        steps += 1;
    }
    steps
}

/// Whether a permutation has an odd number of inversions.
pub fn is_odd(next: &[usize]) -> bool {
    let inversions = next.iter().tuple_combinations().filter(|(a, b)| a > b);
    inversions.count() % 2 == 1
}

/// An edge list without directions: pairs (u, v) with u < v, increasing.
pub type Edges = Vec<(usize, usize)>;

/// All graphs on 0..vertices that are one cycle, or two of half the length, increasing.
///
/// # Domain
/// `fits(vertices, false)`; else the list is empty.
pub fn undirected(vertices: usize, kind: Kind) -> Vec<Edges> {
    if !fits(vertices, false) {
        return Vec::new();
    }
    let graph = |next: &Vec<usize>| -> Edges {
        let ends = next.iter().enumerate();
        ends.map(|(u, v)| (u.min(*v), u.max(*v))).sorted().collect()
    };
    let all = directed(vertices, kind);
    all.iter().map(graph).sorted().dedup().collect()
}

/// Words that two instances share.
pub fn common<T: PartialEq>(a: &[T], b: &[T], ordered: bool) -> usize {
    if ordered {
        a.iter().zip(b).filter(|(a, b)| a == b).count()
    } else {
        a.iter().filter(|word| b.contains(word)).count()
    }
}

/// Words of the input that must be read, chosen beforehand, to tell one cycle from two: one more than two instances can share.
/// Renaming the vertices (or reordering the list) moves any set of words to any other of that size, so which ones are read does
/// not matter. Also a pair that shares one word less.
///
/// # Cost
/// All pairs of a graph of each kind.
pub fn reads(vertices: usize, is_directed: bool) -> Option<(usize, Vec<Vec<usize>>)> {
    let words = |kind| -> Vec<Vec<usize>> {
        if is_directed {
            directed(vertices, kind)
        } else {
            let flat = |edges: Edges| edges.iter().map(|(u, v)| u * vertices + v).collect();
            undirected(vertices, kind).into_iter().map(flat).collect()
        }
    };
    let [one, two] = Kind::BOTH.map(words);
    let pairs = one.iter().cartesian_product(&two);
    let shared = pairs.map(|(a, b)| (common(a, b, is_directed), a, b));
    // The first of the best pairs.
    let best = shared.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(count, a, b)| (count + 1, vec![a.clone(), b.clone()]))
}
