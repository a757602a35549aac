//! Softmax attention with score `-beta <x,z>`, value z and readout `<x,o>`: from which beta on is it right?
//!
//! With d_j the excess overlap of token j over the least one, the output exceeds the target by `sum d_j q^d_j / sum q^d_j`,
//! `q = e^(-beta)`. The worst input has one token of least overlap and N-1 of one excess d, so the error stays below 1/2 iff
//! `e^(beta d) > (N-1)(2d-1)` for d = 1..m.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// Most bits: the largest excess.
pub const MAX_BITS: u32 = 64;

/// Largest degree of a Taylor sum; a comparison that needs more is given up.
pub const MAX_DEGREE: u32 = 4096;

/// Rationals below and above `e^t`, t >= 0: the Taylor sum to this degree, and that sum with the geometric bound of the rest.
///
/// # Domain
/// `degree + 2 > t`, else `None`.
/// # Source
/// Derived: the rest is at most `t^(k+1)/(k+1)! * 1/(1 - t/(k+2))`.
#[must_use]
pub fn exponential(t: &BigRational, degree: u32) -> Option<(BigRational, BigRational)> {
    let bound = BigRational::from_integer((u64::from(degree) + 2).into());
    if t.is_negative() || bound <= *t {
        return None;
    }
    let (mut sum, mut term) = (BigRational::one(), BigRational::one());
    for k in 1..=degree {
        term = term * t / BigRational::from_integer(k.into());
        sum += &term;
    }
    let next = term * t / BigRational::from_integer((u64::from(degree) + 1).into());
    let rest = next * &bound / (&bound - t);
    let above = &sum + rest;
    Some((sum, above))
}

/// `(N-1)(2d-1)`: what `e^(beta d)` has to exceed.
#[must_use]
pub fn demand(length: u32, excess: u32) -> BigRational {
    let factor = BigInt::from(2 * i64::from(excess) - 1);
    BigRational::from_integer(factor * (i64::from(length) - 1))
}

/// What is known after Taylor sums of one degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Right on every input.
    Holds,
    /// Wrong: one token of least overlap, all others, the query among them, of this excess.
    Fails(u32),
    /// The enclosures are too wide.
    Open,
}

/// Decides one beta at one degree.
///
/// # Domain
/// `beta > 0`, `length >= 2`.
#[must_use]
pub fn decide(beta: &BigRational, length: u32, bits: u32, degree: u32) -> Decision {
    let mut open = beta.is_zero();
    for excess in 1..=bits.min(MAX_BITS) {
        let t = beta * BigRational::from_integer(excess.into());
        let Some((below, above)) = exponential(&t, degree) else {
            open = true;
            continue;
        };
        let demand = demand(length, excess);
        if above <= demand {
            return Decision::Fails(excess);
        }
        open |= below <= demand;
    }
    if open {
        Decision::Open
    } else {
        Decision::Holds
    }
}

/// The least degree of 2, 4, 8, .. that decides.
#[must_use]
pub fn settle(beta: &BigRational, length: u32, bits: u32) -> Option<(Decision, u32)> {
    std::iter::successors(Some(2), |degree| Some(degree * 2))
        .take_while(|degree| *degree <= MAX_DEGREE)
        .map(|degree| (decide(beta, length, bits, degree), degree))
        .find(|(decision, _)| *decision != Decision::Open)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(n: i64, d: i64) -> BigRational {
        BigRational::new(n.into(), d.into())
    }

    #[test]
    fn thresholds() {
        let at = |n, d, length, bits| settle(&q(n, d), length, bits).unwrap().0;
        assert_eq!(at(1, 1, 3, 4), Decision::Holds);
        assert_eq!(at(9, 10, 3, 4), Decision::Holds);
        assert_eq!(at(89, 100, 3, 4), Decision::Fails(2));
        // One bit: q < 1/2, beta > ln 2 = 0.6931..
        assert_eq!(at(69, 100, 3, 1), Decision::Fails(1));
        assert_eq!(at(7, 10, 3, 1), Decision::Holds);
        // N = 5: q < 1/4, ln 4 = 1.3862..
        assert_eq!(at(138, 100, 5, 6), Decision::Fails(1));
        assert_eq!(at(139, 100, 5, 6), Decision::Holds);
        // N = 4: d = 1 and d = 2 tie at q = 1/3, ln 3 = 1.0986..
        assert_eq!(at(109, 100, 4, 6), Decision::Fails(1));
        assert_eq!(at(110, 100, 4, 6), Decision::Holds);
    }

    #[test]
    fn enclosures_enclose() {
        let e = q(271_828_182_845_904_523, 100_000_000_000_000_000);
        for degree in 1..30 {
            let (below, above) = exponential(&q(1, 1), degree).unwrap();
            assert!(
                below <= e.clone() + q(1, 100_000_000_000_000_000) && above >= e && below < above
            );
        }
        assert_eq!(exponential(&q(5, 1), 2), None);
        assert_eq!(exponential(&q(-1, 1), 2), None);
    }
}
