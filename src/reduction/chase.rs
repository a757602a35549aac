//! Pointer chasing as k-hop.
//!
//! Layers V_1..V_(k+1) of q vertices with a perfect matching between neighbours, a start in V_1, and a half of V_(k+1) to be told.
//! V_j is {1..q} for odd j and {q+1..2q} for even j. The string is X^k ... X^1, then the symbol 1; X^j lists the vertices of V_j,
//! each followed by its partner, and in X^k the partner is replaced by 2q+1 or 2q+2, the name of its half.

use super::gadget::hop;
use itertools::Itertools;

/// An instance: matchings as permutations of 0..q, and the half of each last vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chase {
    /// Matchings between V_j and V_(j+1), j = 1..=k.
    pub matchings: Vec<Vec<usize>>,
    /// Half (0 or 1) of each vertex of V_(k+1).
    pub halves: Vec<usize>,
}

impl Chase {
    /// The half that vertex 0 of V_1 leads to.
    pub fn answer(&self) -> usize {
        let end = self.matchings.iter().fold(0, |at, matching| matching[at]);
        self.halves[end]
    }

    /// The string.
    pub fn string(&self) -> Vec<u8> {
        let q = self.halves.len();
        let k = self.matchings.len();
        let name = |layer: usize, vertex: usize| if layer % 2 == 1 { vertex } else { q + vertex };
        let mut text = Vec::with_capacity(2 * k * q + 1);
        for (layer, matching) in self.matchings.iter().enumerate().rev() {
            for (vertex, partner) in matching.iter().enumerate() {
                text.push(name(layer + 1, vertex) + 1);
                text.push(if layer + 1 == k {
                    2 * q + self.halves[*partner] + 1
                } else {
                    name(layer + 2, *partner) + 1
                });
            }
        }
        text.push(1);
        text.into_iter()
            .map(|symbol| u8::try_from(symbol).unwrap_or(u8::MAX))
            .collect()
    }

    /// Whether hop_k at the end of the string names the half.
    pub fn holds(&self) -> bool {
        let q = self.halves.len();
        let right = u8::try_from(2 * q + self.answer() + 1).ok();
        right.is_some() && hop(&self.string(), self.matchings.len()) == right
    }
}

/// Number of instances: matchings times ways to halve the last layer; `None` when q is odd or 0, k is 0, or it is above 2^32.
pub fn instances(k: u32, q: u32) -> Option<u64> {
    if q == 0 || q % 2 == 1 || k == 0 || q > 20 {
        return None;
    }
    let matchings: u64 = (1..=u64::from(q)).product();
    let halves = crate::exact::choose(q.into(), (q / 2).into());
    let all = num_bigint::BigUint::from(matchings).pow(k) * halves;
    u64::try_from(all).ok().filter(|all| *all <= 1 << 32)
}

/// Looks at every instance; gives the first on which the reduction fails.
///
/// # Cost
/// [`instances`] strings of 2 k q + 1 symbols.
pub fn every_instance(k: usize, q: usize) -> Option<Chase> {
    let matchings: Vec<Vec<usize>> = (0..q).permutations(q).collect();
    let halves: Vec<Vec<usize>> = (0..q)
        .combinations(q / 2)
        .map(|ones| (0..q).map(|i| usize::from(ones.contains(&i))).collect())
        .collect();
    std::iter::repeat_n(&matchings, k)
        .multi_cartesian_product()
        .cartesian_product(&halves)
        .map(|(matchings, halves)| Chase {
            matchings: matchings.into_iter().cloned().collect(),
            halves: halves.clone(),
        })
        .find(|chase| !chase.holds())
}
