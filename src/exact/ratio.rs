//! Rational arithmetic that pays for a gcd only when it is needed.
//!
//! The operators of `num-rational` reduce with a binary gcd, which is quadratic even against 1. Our numerators have up to
//! 2^24 bits and our denominators are mostly 1, so the four operations are written out here.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Greatest common divisor, by division with remainder.
///
/// # Domain
/// `gcd(0, b) = b`.
/// # Cost
/// One division per Euclidean step; the last 64 bits are done in machine words.
#[must_use]
pub fn gcd(a: &BigUint, b: &BigUint) -> BigUint {
    let (mut a, mut b) = (a.clone(), b.clone());
    loop {
        if b.is_zero() {
            return a;
        }
        if let (Some(x), Some(y)) = (a.to_u64(), b.to_u64()) {
            return BigUint::from(x.gcd(&y));
        }
        let rest = &a % &b;
        a = b;
        b = rest;
    }
}

/// The integer `n` as a rational.
#[must_use]
pub fn integer(n: impl Into<BigInt>) -> BigRational {
    BigRational::from_integer(n.into())
}

/// `numer / denom` in lowest terms.
///
/// # Domain
/// A zero denominator gives `None`.
#[must_use]
pub fn ratio(numer: BigInt, denom: BigUint) -> Option<BigRational> {
    if denom.is_zero() {
        return None;
    }
    Some(reduced(numer, denom))
}

fn reduced(numer: BigInt, denom: BigUint) -> BigRational {
    if denom.is_one() {
        return BigRational::from_integer(numer);
    }
    let common = gcd(numer.magnitude(), &denom);
    if common.is_one() {
        BigRational::new_raw(numer, denom.into())
    } else {
        let common = BigInt::from(common);
        BigRational::new_raw(numer / &common, BigInt::from(denom) / common)
    }
}

fn product(a: &BigRational, b: &BigRational) -> BigUint {
    a.denom().magnitude() * b.denom().magnitude()
}

/// `a + b`.
#[must_use]
pub fn add(a: &BigRational, b: &BigRational) -> BigRational {
    if a.is_integer() && b.is_integer() {
        return integer(a.numer() + b.numer());
    }
    reduced(a.numer() * b.denom() + b.numer() * a.denom(), product(a, b))
}

/// `a - b`.
#[must_use]
pub fn sub(a: &BigRational, b: &BigRational) -> BigRational {
    if a.is_integer() && b.is_integer() {
        return integer(a.numer() - b.numer());
    }
    reduced(a.numer() * b.denom() - b.numer() * a.denom(), product(a, b))
}

/// `a * b`.
#[must_use]
pub fn mul(a: &BigRational, b: &BigRational) -> BigRational {
    reduced(a.numer() * b.numer(), product(a, b))
}

/// `a / b`, or `None` for `b = 0`.
#[must_use]
pub fn div(a: &BigRational, b: &BigRational) -> Option<BigRational> {
    let sign = BigInt::from(if b.is_negative() { -1 } else { 1 });
    ratio(
        a.numer() * b.denom() * sign,
        a.denom().magnitude() * b.numer().magnitude(),
    )
}

/// `a < b`, `a = b` or `a > b`.
#[must_use]
pub fn cmp(a: &BigRational, b: &BigRational) -> std::cmp::Ordering {
    (a.numer() * b.denom()).cmp(&(b.numer() * a.denom()))
}

/// The larger of the bit lengths of numerator and denominator.
#[must_use]
pub fn bit_length(a: &BigRational) -> u64 {
    a.numer().bits().max(a.denom().bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(n: i64, d: i64) -> BigRational {
        BigRational::new(n.into(), d.into())
    }

    #[test]
    fn agrees_with_the_library() {
        for a in [q(0, 1), q(3, 1), q(-5, 6), q(7, 4)] {
            for b in [q(2, 1), q(-1, 6), q(9, 10), q(-4, 1)] {
                assert_eq!(add(&a, &b), &a + &b);
                assert_eq!(sub(&a, &b), &a - &b);
                assert_eq!(mul(&a, &b), &a * &b);
                assert_eq!(div(&a, &b), Some(&a / &b));
                assert_eq!(cmp(&a, &b), a.cmp(&b));
            }
            assert_eq!(div(&a, &q(0, 1)), None);
        }
    }

    #[test]
    fn gcd_against_one_is_fast_on_huge_numbers() {
        let huge = (BigUint::one() << 4_000_000_u32) - BigUint::one();
        assert_eq!(gcd(&huge, &BigUint::one()), BigUint::one());
        assert_eq!(gcd(&BigUint::zero(), &huge), huge);
    }
}
