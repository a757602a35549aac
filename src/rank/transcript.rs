//! Everything that can cross from one token to q queries, counted.
//!
//! q queries share a block of s coordinates and each has an own block of s; a candidate is zero on the common block and has a_i ones in
//! block i. Then the answer at query i is a_i, so all `(s+1)^q` candidates need different transcripts.

use crate::rank::token::overlap;
use num_bigint::BigUint;

/// Most candidates that are gone through.
pub const MAX_CANDIDATES: u64 = 1 << 20;

/// The count for q queries and blocks of s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// Queries.
    pub queries: u32,
    /// Coordinates of a block.
    pub block: u32,
    /// Bits of a token: s(q+1).
    pub bits: u32,
    /// `(s+1)^q`.
    pub answers: BigUint,
    /// `ceil(log2 (s+1)^q)`.
    pub least_bits: u64,
}

impl Transcript {
    /// The count; `None` beyond 64 bits of a token.
    #[must_use]
    pub fn new(queries: u32, block: u32) -> Option<Self> {
        let bits = block.checked_mul(queries.checked_add(1)?)?;
        if queries == 0 || block == 0 || bits > 64 {
            return None;
        }
        let answers = BigUint::from(block + 1).pow(queries);
        let least_bits = crate::exact::count::bits(&answers);
        Some(Self {
            queries,
            block,
            bits,
            answers,
            least_bits,
        })
    }

    /// The mask of `ones` ones from a coordinate on.
    fn run(from: u32, ones: u32) -> u64 {
        (0..ones).fold(0, |mask, i| mask | 1 << (from + i))
    }

    /// The queries.
    #[must_use]
    pub fn query_tokens(&self) -> Vec<u64> {
        let s = self.block;
        (1..=self.queries)
            .map(|i| Self::run(0, s) | Self::run(i * s, s))
            .collect()
    }

    /// The candidate with these many ones in the blocks.
    #[must_use]
    pub fn candidate(&self, ones: &[u32]) -> u64 {
        ones.iter()
            .zip(1u32..)
            .fold(0, |mask, (ones, i)| mask | Self::run(i * self.block, *ones))
    }

    /// The answers at all queries beside a candidate, from the definition of the target.
    #[must_use]
    pub fn answers_beside(&self, candidate: u64) -> Vec<u32> {
        let queries = self.query_tokens();
        let least = |x: &u64| {
            queries
                .iter()
                .chain(std::iter::once(&candidate))
                .map(|z| overlap(*x, *z))
                .min()
                .unwrap_or(0)
        };
        queries.iter().map(least).collect()
    }

    /// Goes through all candidates and counts the different answer vectors; `None` beyond [`MAX_CANDIDATES`].
    #[must_use]
    pub fn enumerate(&self) -> Option<u64> {
        let total = u64::try_from(&self.answers)
            .ok()
            .filter(|total| *total <= MAX_CANDIDATES)?;
        let mut seen = std::collections::BTreeSet::new();
        for index in 0..total {
            let mut rest = index;
            let ones: Vec<u32> = (0..self.queries)
                .map(|_| {
                    let digit = rest % u64::from(self.block + 1);
                    rest /= u64::from(self.block + 1);
                    u32::try_from(digit).unwrap_or(0)
                })
                .collect();
            let answers = self.answers_beside(self.candidate(&ones));
            if answers != ones {
                return None;
            }
            seen.insert(answers);
        }
        u64::try_from(seen.len()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_vectors() {
        for (q, s, count) in [(2, 1, 4), (3, 1, 8), (2, 2, 9), (3, 2, 27), (4, 1, 16)] {
            let found = Transcript::new(q, s).unwrap();
            assert_eq!(found.enumerate(), Some(count));
            assert_eq!(found.answers, count.into());
        }
        assert_eq!(Transcript::new(3, 2).unwrap().least_bits, 5);
        assert_eq!(Transcript::new(0, 2), None);
        assert_eq!(Transcript::new(40, 2), None);
    }
}
