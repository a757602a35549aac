//! The inputs that the bounds of a code rest on, as a list for testing other programs.

use crate::rank::token::overlap;
use num_bigint::BigUint;
use std::collections::BTreeSet;

/// One ordered input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordered {
    /// Masks, in order.
    pub tokens: Vec<u64>,
    /// Position of the query, from 1.
    pub query: usize,
    /// The right answer there.
    pub target: u32,
}

/// For every word c with better key y, all orderings of the inputs (c,y,y), (c,c,y), (c,c,c) and, for every other key z,
/// (c,y,z) and (c,z,z); the query is the first c, or with `last` the last token, which then has to be c. No input is listed twice.
#[must_use]
pub fn suite(words: &[Vec<u64>], last: bool) -> Vec<Ordered> {
    let mut found = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let (c, y) = (word[0], word[1]);
        let mut multisets = vec![[c, y, y], [c, c, y], [c, c, c]];
        for (j, other) in words.iter().enumerate() {
            if j != i {
                multisets.push([c, y, other[1]]);
                multisets.push([c, other[1], other[1]]);
            }
        }
        for tokens in multisets {
            let target = tokens
                .iter()
                .map(|token| overlap(c, *token))
                .min()
                .unwrap_or(0);
            for tokens in orderings(tokens) {
                let query = if last {
                    (tokens[2] == c).then_some(3)
                } else {
                    tokens
                        .iter()
                        .position(|token| *token == c)
                        .map(|place| place + 1)
                };
                found.extend(query.map(|query| Ordered {
                    tokens: tokens.to_vec(),
                    query,
                    target,
                }));
            }
        }
    }
    // Where a key is a word, two multisets may be one.
    let mut seen = BTreeSet::new();
    found.retain(|input| seen.insert((input.tokens.clone(), input.tokens[input.query - 1])));
    found
}

/// The different orderings of three tokens, sorted.
fn orderings([a, b, c]: [u64; 3]) -> Vec<[u64; 3]> {
    let mut all = vec![
        [a, b, c],
        [a, c, b],
        [b, a, c],
        [b, c, a],
        [c, a, b],
        [c, b, a],
    ];
    all.sort_unstable();
    all.dedup();
    all
}

/// Ordered and unordered inputs of the suite of n words: `9n^2 - 2n` and `2n^2 + n`, words and keys all different.
#[must_use]
pub fn sizes(words: usize) -> (BigUint, BigUint) {
    let n = BigUint::from(words);
    (&n * &n * 9u8 - &n * 2u8, &n * &n * 2u8 + n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::code::{gaps, with_complements};

    /// Quadratic residues modulo 23 with their shifts, padded by a zero bit.
    pub(crate) const TWELVE: [u64; 12] = [
        0x0a_66bc, 0x14_cd78, 0x29_9af0, 0x53_35e0, 0xa6_6bc0, 0x4c_d782, 0x99_af04, 0x33_5e0a,
        0x66_bc14, 0xcd_7828, 0x9a_f052, 0x35_e0a6,
    ];

    #[test]
    fn counts_of_the_suite() {
        for (words, ordered, unordered) in [(2usize, 32u32, 10u32), (3, 75, 21), (12, 1272, 300)] {
            assert_eq!(sizes(words), (ordered.into(), unordered.into()));
        }
        let two = with_complements(4, &[3, 12]);
        // Words that are each other's complements: z is c, so only the first three multisets are left.
        assert_eq!(suite(&two, false).len(), 14);
        assert_eq!(suite(&with_complements(5, &[3, 12]), false).len(), 32);
        let twelve = with_complements(24, &TWELVE);
        assert!(gaps(&twelve).iter().enumerate().all(|(i, row)| {
            row.iter()
                .enumerate()
                .all(|(j, gap)| *gap == if i == j { 0 } else { 6 })
        }));
        assert_eq!(suite(&twelve, false).len(), 1272);
        // At the last position: 1 of (c,y,y), 2 of (c,c,y), 1 of (c,c,c), and per other word 2 + 1.
        assert_eq!(suite(&twelve, true).len(), 12 * (4 + 11 * 3));
        assert!(
            suite(&twelve, false)
                .iter()
                .all(|input| input.tokens[input.query - 1].count_ones() == 11)
        );
    }
}
