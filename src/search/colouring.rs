//! Messages for the split cycle problem: a colouring and a clique.

use crate::reduction::split::Conflicts;
use crate::search::clique::Graph;
use std::cmp::Reverse;
use std::convert::Infallible;

/// Colours of all sets of a party, those with most different colours around them first, and a large clique (as places). They
/// prove something together when the clique has as many members as there are colours.
///
/// # Cost
/// The square of the number of sets.
pub fn split(conflicts: &Conflicts) -> (Vec<usize>, Vec<usize>) {
    let sets = conflicts.sets();
    let place = |set: u32| sets.binary_search_by(|other| order(*other).cmp(&order(set)));
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); sets.len()];
    for (a, b) in &conflicts.pairs {
        if let (Ok(a), Ok(b)) = (place(*a), place(*b)) {
            around[a].push(b);
            around[b].push(a);
        }
    }
    let touched: Vec<usize> = (0..sets.len()).filter(|i| !around[*i].is_empty()).collect();
    let mut colours = vec![0; sets.len()];
    let mut done = vec![false; sets.len()];
    let near = |vertex: usize, colours: &[usize], done: &[bool]| {
        let mut near: Vec<usize> = around[vertex]
            .iter()
            .filter(|other| done[**other])
            .map(|other| colours[*other])
            .collect();
        near.sort_unstable();
        near.dedup();
        near
    };
    for _ in &touched {
        let next = touched
            .iter()
            .filter(|vertex| !done[**vertex])
            .max_by_key(|vertex| {
                (
                    near(**vertex, &colours, &done).len(),
                    around[**vertex].len(),
                    Reverse(**vertex),
                )
            });
        let Some(next) = next else { break };
        let taken = near(*next, &colours, &done);
        colours[*next] = (0..taken.len())
            .find(|colour| !taken.contains(colour))
            .unwrap_or(taken.len());
        done[*next] = true;
    }
    let edge = |a: usize, b: usize| Ok::<_, Infallible>(around[touched[a]].contains(&touched[b]));
    let clique = match Graph::new(touched.len(), edge) {
        Ok(graph) if !touched.is_empty() => graph.greedy_clique(),
        Ok(_) | Err(_) => Vec::new(),
    };
    let mut clique: Vec<usize> = clique.into_iter().map(|place| touched[place]).collect();
    if clique.is_empty() {
        clique.push(0);
    }
    (colours, clique)
}

/// Sets by the lexicographic order of their elements: of two of one size, that with the lowest bit where they differ first.
fn order(set: u32) -> Reverse<u32> {
    Reverse(set.reverse_bits())
}
