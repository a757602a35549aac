//! Gap domination: what the inputs of one query force upon one row of the kernel.
//!
//! For a query x and tokens y, z with `<x,z> - <x,y> = g >= 1`, `D(x,y^(N-1)) >= lambda D(x,z^(N-1))` with
//! `lambda = (N-2)(g/(2 eps) - 1)`, strictly if the error is strictly below eps. Averaging the inputs (x,y^(N-1)), (x,z^(N-1)) against
//! (x,y,z^(N-2)) proves it; `docs/rank.md` has the proof.

use crate::rank::token::{Tokens, overlap};
use num_rational::BigRational;
use num_traits::{One, Zero};

/// How long inputs are and how well they must be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accuracy {
    /// Tokens of an input.
    pub length: usize,
    /// eps.
    pub error: BigRational,
    /// Error < eps, not only <= eps.
    pub strict: bool,
}

/// A chain of tokens from a better key to a worse one, and by how much it proves the first to be heavier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Masks, overlaps increasing.
    pub tokens: Vec<u64>,
    /// `alpha(x, first) >= ratio * alpha(x, last)`.
    pub ratio: BigRational,
}

fn integer(n: i64) -> BigRational {
    BigRational::from_integer(n.into())
}

impl Accuracy {
    /// Three tokens, error < 1/2.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            length: 3,
            error: BigRational::new(1.into(), 2.into()),
            strict: true,
        }
    }

    /// `lambda` of a gap: what (G) says about whole denominators.
    ///
    /// # Source
    /// Derived.
    #[must_use]
    pub fn lambda(&self, gap: u32) -> BigRational {
        let worse = i64::try_from(self.length)
            .unwrap_or(i64::MAX)
            .saturating_sub(2);
        if self.error.is_zero() {
            // Every ratio is forced, so no finite one is the right one to name.
            return BigRational::zero();
        }
        let half = integer(i64::from(gap)) / (integer(2) * &self.error);
        (half - BigRational::one()) * integer(worse)
    }

    /// The factor of a step between two keys: lambda, where it is at least 1, so that the weight of the query itself may be dropped.
    #[must_use]
    pub fn step(&self, gap: u32) -> Option<BigRational> {
        Some(self.lambda(gap)).filter(|lambda| *lambda >= BigRational::one())
    }

    /// The factor of a step from a key to the query itself, where it is positive: `(lambda N - 1) / (N - 1)`.
    #[must_use]
    pub fn step_to_self(&self, gap: u32) -> Option<BigRational> {
        if self.length < 3 {
            return None;
        }
        let length = i64::try_from(self.length).ok()?;
        let factor =
            (self.lambda(gap) * integer(length) - BigRational::one()) / integer(length - 1);
        Some(factor).filter(|factor| *factor > BigRational::zero())
    }

    /// The best product of factors over all ways to cut a gap into parts, with the parts; `None` where no part has a factor.
    ///
    /// # Source
    /// Derived. On a full cube tokens of every overlap are there, so every cut is a chain.
    /// # Cost
    /// Quadratic in the gap.
    #[must_use]
    pub fn amplification(&self, gap: u32) -> Option<(BigRational, Vec<u32>)> {
        let mut best: Vec<Option<(BigRational, Vec<u32>)>> =
            vec![Some((BigRational::one(), Vec::new()))];
        for total in 1..=gap {
            let mut here: Option<(BigRational, Vec<u32>)> = None;
            for part in 1..=total {
                let before = usize::try_from(total - part)
                    .ok()
                    .and_then(|rest| best.get(rest)?.as_ref());
                let (Some((value, parts)), Some(factor)) = (before, self.step(part)) else {
                    continue;
                };
                let value = value * factor;
                if here.as_ref().is_none_or(|(most, _)| value > *most) {
                    let parts = parts.iter().copied().chain(std::iter::once(part)).collect();
                    here = Some((value, parts));
                }
            }
            best.push(here);
        }
        best.pop().flatten().filter(|(_, parts)| !parts.is_empty())
    }

    /// The factor that one step of a chain proves at query x.
    #[must_use]
    pub fn factor(&self, query: u64, from: u64, to: u64) -> Option<BigRational> {
        let gap = overlap(query, to)
            .checked_sub(overlap(query, from))
            .filter(|gap| *gap > 0)?;
        if to == query {
            self.step_to_self(gap)
        } else {
            self.step(gap)
        }
    }

    /// The best chain from `better` to `worse` at a query, through tokens that are present.
    ///
    /// # Cost
    /// Quadratic in the number of tokens between.
    #[must_use]
    pub fn chain(&self, tokens: &Tokens, query: u64, better: u64, worse: u64) -> Option<Chain> {
        let reach = |mask: &u64| {
            let shared = overlap(query, *mask);
            shared > overlap(query, better) && shared < overlap(query, worse)
        };
        let mut between: Vec<u64> = tokens.masks().iter().copied().filter(reach).collect();
        between.sort_by_key(|mask| (overlap(query, *mask), *mask));
        // One token per overlap is enough.
        between.dedup_by_key(|mask| overlap(query, *mask));
        between.push(worse);
        let mut best: Vec<Chain> = vec![Chain {
            tokens: vec![better],
            ratio: BigRational::one(),
        }];
        let mut last = None;
        for mask in between {
            let longer = best.iter().filter_map(|chain| {
                let from = chain.tokens.last()?;
                let ratio = &chain.ratio * self.factor(query, *from, mask)?;
                Some((chain, ratio))
            });
            let found =
                longer
                    .reduce(|a, b| if b.1 > a.1 { b } else { a })
                    .map(|(chain, ratio)| Chain {
                        tokens: chain
                            .tokens
                            .iter()
                            .copied()
                            .chain(std::iter::once(mask))
                            .collect(),
                        ratio,
                    });
            last = found.clone().filter(|_| mask == worse);
            best.extend(found);
        }
        last
    }

    /// The ratio that a chain proves; `None` if a step has no factor or does not go up.
    #[must_use]
    pub fn ratio_of(&self, query: u64, chain: &[u64]) -> Option<BigRational> {
        if chain.len() < 2 {
            return None;
        }
        chain
            .windows(2)
            .try_fold(BigRational::one(), |ratio, step| {
                Some(ratio * self.factor(query, step[0], step[1])?)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eps(n: i64, d: i64) -> Accuracy {
        Accuracy {
            error: BigRational::new(n.into(), d.into()),
            strict: false,
            ..Accuracy::standard()
        }
    }

    #[test]
    fn amplification_by_composition() {
        let found: Vec<Option<BigRational>> = (1..=8)
            .map(|g| Accuracy::standard().amplification(g).map(|found| found.0))
            .collect();
        let expected = [0, 1, 2, 3, 4, 5, 6, 9].map(|n| Some(integer(n)).filter(|n| !n.is_zero()));
        assert_eq!(found, expected);
        assert_eq!(Accuracy::standard().amplification(8).unwrap().1, [4, 4]);
        assert_eq!(
            Accuracy::standard().amplification(12).unwrap().0,
            integer(27)
        );
    }

    #[test]
    fn larger_errors_prove_less() {
        let q = |n, d| Some(BigRational::new(i64::into(n), i64::into(d)));
        let row = |accuracy: Accuracy| {
            (2..=4)
                .map(|g| accuracy.amplification(g).map(|found| found.0))
                .collect::<Vec<_>>()
        };
        assert_eq!(row(eps(1, 4)), [q(3, 1), q(5, 1), q(9, 1)]);
        assert_eq!(row(eps(1, 3)), [q(2, 1), q(7, 2), q(5, 1)]);
        assert_eq!(row(eps(2, 5)), [q(3, 2), q(11, 4), q(4, 1)]);
        assert_eq!(eps(1, 4).amplification(1).unwrap().0, integer(1));
        assert_eq!(eps(1, 3).amplification(1), None);
    }

    #[test]
    fn chains_use_tokens_that_are_there() {
        let all = Tokens::cube(8).unwrap();
        let chain = Accuracy::standard().chain(&all, 0xff, 0, 0xfe).unwrap();
        assert_eq!(chain.ratio, integer(6));
        let ends = Tokens::listed(vec![0, 0x1ff]).unwrap();
        let (x, z) = (0xff, 0x1ff);
        assert_eq!(
            Accuracy::standard().chain(&ends, x, 0, z).unwrap().ratio,
            integer(7)
        );
        let middle = Tokens::listed(vec![0, 0x0f, 0x1ff]).unwrap();
        let chain = Accuracy::standard().chain(&middle, x, 0, z).unwrap();
        assert_eq!(
            (chain.tokens, chain.ratio),
            (vec![0, 0x0f, 0x1ff], integer(9))
        );
        // To the query itself a gap of 3 is worth (3 * 3 - 4) / 2.
        let own = Accuracy::standard()
            .chain(&Tokens::listed(vec![0, 7]).unwrap(), 7, 0, 7)
            .unwrap();
        assert_eq!(own.ratio, BigRational::new(5.into(), 2.into()));
    }

    #[test]
    fn longer_inputs_prove_more() {
        let long = Accuracy {
            length: 5,
            ..Accuracy::standard()
        };
        assert_eq!(long.step(2), Some(integer(3)));
        assert_eq!(long.step(1), None);
        assert_eq!(
            Accuracy {
                length: 2,
                ..Accuracy::standard()
            }
            .step(5),
            None
        );
    }
}
