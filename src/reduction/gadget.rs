//! The cycle gadget: a string on which hop_k tells one cycle from two.
//!
//! Vertices are 1..=k, k even; each edge {u, v} is written `* u + v u + v * _`, the k edges in any order and each in either
//! orientation, all of it k/2 times, then the symbol 1. The claim: hop_k at the last position is 1 iff the graph is two cycles.

use super::cycle::{Edges, Kind, undirected};
use itertools::Itertools;

/// Separators, above all vertices.
const PLUS: u8 = 253;
const STAR: u8 = 254;
const GAP: u8 = 255;

/// The string of directed edges (u, v), vertices from 1.
pub fn string(edges: &[(u8, u8)]) -> Vec<u8> {
    let block: Vec<u8> = edges
        .iter()
        .flat_map(|(u, v)| [STAR, *u, PLUS, *v, *u, PLUS, *v, STAR, GAP])
        .collect();
    let mut text = block.repeat(edges.len() / 2);
    text.push(1);
    text
}

/// find^1 of a 1-based position: the greatest j in 2..=i whose predecessor holds the same symbol, or 0.
fn find(text: &[u8], i: usize) -> usize {
    text[..i - 1]
        .iter()
        .rposition(|symbol| *symbol == text[i - 1])
        .map_or(0, |place| place + 2)
}

/// The symbol after k hops from the last position; `None` for no such position.
pub fn hop(text: &[u8], k: usize) -> Option<u8> {
    let mut at = text.len();
    for _ in 0..k {
        at = find(text, at);
        if at == 0 {
            return None;
        }
    }
    Some(text[at - 1])
}

/// Whether the gadget answers 1 on a graph of `k` vertices (0-based edges), in the given order and orientation.
pub fn answers_one(edges: &[(usize, usize)]) -> bool {
    let shifted: Vec<(u8, u8)> = edges
        .iter()
        .map(|(u, v)| (vertex(*u), vertex(*v)))
        .collect();
    hop(&string(&shifted), edges.len()) == Some(1)
}

fn vertex(index: usize) -> u8 {
    u8::try_from(index + 1).unwrap_or(u8::MAX)
}

/// What all strings of k vertices say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Strings.
    pub strings: u64,
    /// The first instance that breaks "1 iff `ones`": edges in order and orientation, 0-based.
    pub first: Option<Edges>,
}

/// Number of strings on `vertices` vertices.
///
/// # Domain
/// As [`undirected`]; 0 outside.
pub fn strings(vertices: usize) -> u64 {
    let graphs: usize = Kind::BOTH
        .map(|kind| undirected(vertices, kind).len())
        .iter()
        .sum();
    let orders: u64 = (1..=vertices as u64).product();
    ((graphs as u64) * orders) << vertices
}

/// Looks at every graph of both kinds, every order of its edges and every orientation: is the answer 1 iff the graph is `ones`?
///
/// # Cost
/// [`strings`] strings of 9 k^2 / 2 + 1 symbols, each read once at most. A string is put together from edges that are written
/// once, and read backwards in place.
pub fn every_string(vertices: usize, ones: Kind) -> Tally {
    let mut tally = Tally {
        strings: 0,
        first: None,
    };
    for kind in Kind::BOTH {
        for graph in undirected(vertices, kind) {
            for order in graph.iter().copied().permutations(vertices) {
                for flips in 0..1_u32 << vertices {
                    tally.strings += 1;
                    let turn = |(place, (u, v)): (usize, &(usize, usize))| {
                        let (u, v) = (vertex(*u), vertex(*v));
                        if flips >> place & 1 == 1 {
                            (v, u)
                        } else {
                            (u, v)
                        }
                    };
                    let mut edges = [(0, 0); super::cycle::MAX_VERTICES];
                    for (to, edge) in edges.iter_mut().zip(order.iter().enumerate().map(turn)) {
                        *to = edge;
                    }
                    let one = walk(&edges[..vertices]) == Some(1);
                    if one != (kind == ones) && tally.first.is_none() {
                        let back = |(u, v): &(u8, u8)| (usize::from(*u) - 1, usize::from(*v) - 1);
                        tally.first = Some(edges[..vertices].iter().map(back).collect());
                    }
                }
            }
        }
    }
    tally
}

/// hop_k at the end of the string of these edges, without writing it: position p of a copy holds symbol p mod 9 of edge p / 9.
fn walk(edges: &[(u8, u8)]) -> Option<u8> {
    let k = edges.len();
    let symbol = |place: usize| {
        let (u, v) = edges[place / 9 % k];
        [STAR, u, PLUS, v, u, PLUS, v, STAR, GAP][place % 9]
    };
    // 0-based place of the current position, and its symbol.
    let (mut place, mut current) = (9 * k * (k / 2), 1);
    for _ in 0..k {
        // Among the copies, edges without the symbol are skipped whole.
        let mut before = place;
        loop {
            before = before.checked_sub(1)?;
            let (u, v) = edges[before / 9 % k];
            if current < PLUS && current != u && current != v {
                before -= before % 9;
                continue;
            }
            if symbol(before) == current {
                break;
            }
        }
        place = before + 1;
        current = if place == 9 * k * (k / 2) {
            1
        } else {
            symbol(place)
        };
    }
    Some(current)
}
