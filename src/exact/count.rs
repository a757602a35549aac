//! Counting functions with exact integer values: bits, factorials, binomials and their partial sums.
//!
//! A result of more than a stated number of bits is refused. The refusal comes from a lower bound on the length, before
//! anything of that length is computed; the few results that pass this bound and are too long after all are refused when they are there.

use num_bigint::BigUint;
use num_traits::{One, Pow, ToPrimitive, Zero};
use thiserror::Error;

use super::prime;

/// A count has more bits than the limit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("needs about {bits} bits")]
pub struct TooLong {
    /// A lower bound on the bit length, or the bit length itself.
    pub bits: BigUint,
}

/// `bits(s) = ceil(log2 s)`, the least b with `2^b >= s`.
///
/// # Domain
/// `s >= 1`; 0 gives 0.
#[must_use]
pub fn bits(s: &BigUint) -> u64 {
    if s.is_zero() { 0 } else { (s - 1_u32).bits() }
}

/// The product of many integers, by a balanced tree.
#[must_use]
pub fn product_tree(mut factors: Vec<BigUint>) -> BigUint {
    while factors.len() > 1 {
        factors = factors
            .chunks(2)
            .map(|pair| pair.iter().product())
            .collect();
    }
    factors.pop().unwrap_or_else(BigUint::one)
}

fn refuse_if(bits: BigUint, limit: u64) -> Result<(), TooLong> {
    if bits > BigUint::from(limit) {
        Err(TooLong { bits })
    } else {
        Ok(())
    }
}

fn checked(value: BigUint, limit: u64) -> Result<BigUint, TooLong> {
    refuse_if(value.bits().into(), limit)?;
    Ok(value)
}

/// `floor(log2 x)`, 0 for x = 0.
fn floor_log2(x: &BigUint) -> u64 {
    x.bits().saturating_sub(1)
}

/// The exponent of `p` in `n!`: `sum_i floor(n / p^i)`.
fn legendre(n: u64, p: u32) -> u64 {
    let (mut rest, mut sum) = (n, 0);
    while rest > 0 {
        rest /= u64::from(p);
        sum += rest;
    }
    sum
}

fn powers(list: impl Iterator<Item = (u32, u64)>) -> BigUint {
    product_tree(
        list.filter(|(_, e)| *e > 0)
            .map(|(p, e)| Pow::pow(BigUint::from(p), e))
            .collect(),
    )
}

/// The prime factorisation of `n!`, by Legendre's formula.
///
/// # Cost
/// One sieve up to `n`.
#[must_use]
pub fn factorial_powers(n: u32) -> Vec<(u32, u64)> {
    let power = |p: u32| (p, legendre(n.into(), p));
    prime::below(n.saturating_add(1))
        .into_iter()
        .map(power)
        .collect()
}

/// `n!`.
///
/// # Errors
/// [`TooLong`] for more than `limit` bits.
/// # Cost
/// One sieve up to `n` and a product tree of prime powers.
pub fn factorial(n: &BigUint, limit: u64) -> Result<BigUint, TooLong> {
    // n! >= (n/3)^n
    refuse_if(n * floor_log2(&(n / 3_u32)), limit)?;
    let n = n.to_u32().ok_or_else(|| TooLong { bits: n.clone() })?;
    checked(powers(factorial_powers(n).into_iter()), limit)
}

/// `n (n-1) .. (n-k+1)`: the number of injections of k things into n.
///
/// # Domain
/// 0 for `k > n`, 1 for `k = 0`.
/// # Errors
/// [`TooLong`] for more than `limit` bits.
/// # Cost
/// A product tree of `k` factors.
pub fn falling(n: &BigUint, k: &BigUint, limit: u64) -> Result<BigUint, TooLong> {
    if k > n {
        return Ok(BigUint::zero());
    }
    // The product is at least k! and at least (n-k+1)^k.
    refuse_if(k * floor_log2(&(n - k + 1_u32)), limit)?;
    refuse_if(k * floor_log2(&(k / 3_u32)), limit)?;
    let k = k.to_u32().ok_or_else(|| TooLong { bits: k.clone() })?;
    checked(product_tree((0..k).map(|i| n - i).collect()), limit)
}

/// The binomial coefficient `C(n, k)`.
///
/// # Domain
/// 0 for `k > n`.
/// # Errors
/// [`TooLong`] for more than `limit` bits.
/// # Cost
/// With `n` below 2^26 and `k` above 64: one sieve up to `n` and a product tree of prime powers. Otherwise two product trees of
/// `min(k, n-k)` factors and one division.
pub fn binomial(n: &BigUint, k: &BigUint, limit: u64) -> Result<BigUint, TooLong> {
    if k > n {
        return Ok(BigUint::zero());
    }
    let k = k.clone().min(n - k);
    if k.is_zero() {
        return Ok(BigUint::one());
    }
    // C(n, k) >= (n/k)^k, and n/k >= 2.
    refuse_if(&k * floor_log2(&(n / &k)), limit)?;
    let k = k.to_u32().ok_or_else(|| TooLong { bits: k.clone() })?;
    let value = match n.to_u32() {
        Some(n) if n < 1 << 26 && k > 64 => {
            let power = |p| {
                (
                    p,
                    legendre(n.into(), p) - legendre(k.into(), p) - legendre((n - k).into(), p),
                )
            };
            powers(prime::below(n + 1).into_iter().map(power))
        }
        Some(_) | None => {
            let top = product_tree((0..k).map(|i| n - i).collect());
            top / powers(factorial_powers(k).into_iter())
        }
    };
    checked(value, limit)
}

/// `sum_{j=from..to} C(m, j)`, by the recurrence `C(m, j+1) = C(m, j) (m-j) / (j+1)`.
///
/// # Domain
/// Terms with `j > m` are 0; an empty range gives 0.
/// # Errors
/// [`TooLong`] for more than `limit` bits.
/// # Cost
/// `min(to, m)` multiplications and divisions by a number of the size of `m`.
pub fn binomial_sum(m: &BigUint, from: u64, to: &BigUint, limit: u64) -> Result<BigUint, TooLong> {
    let last = to.min(m);
    if !last.is_zero() {
        // The sum is at least (m/j)^j for each j in range.
        refuse_if(last * floor_log2(&(m / last)), limit)?;
    }
    let last = last
        .to_u64()
        .ok_or_else(|| TooLong { bits: last.clone() })?;
    let (mut term, mut sum) = (BigUint::one(), BigUint::zero());
    for j in 0..=last {
        if j >= from {
            sum += &term;
        }
        term = term * (m - j) / (j + 1);
        refuse_if(sum.bits().into(), limit)?;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMIT: u64 = 1 << 24;

    fn big(x: u64) -> BigUint {
        BigUint::from(x)
    }

    #[test]
    fn bits_name_things() {
        let got: Vec<u64> = [1, 2, 3, 4, 5, 27, 256, 257]
            .map(|s| bits(&big(s)))
            .to_vec();
        assert_eq!(got, [0, 1, 2, 2, 3, 5, 8, 9]);
    }

    #[test]
    fn golden_counts() {
        let n = big(64);
        assert_eq!(bits(&factorial(&n, LIMIT).unwrap()), 296);
        assert_eq!(bits(&Pow::pow(n, 64_u32)), 384);
        assert_eq!(factorial(&big(0), LIMIT), Ok(big(1)));
        assert_eq!(falling(&big(4), &big(2), LIMIT), Ok(big(12)));
        assert_eq!(falling(&big(4), &big(5), LIMIT), Ok(big(0)));
        assert_eq!(binomial_sum(&big(4), 1, &big(3), LIMIT), Ok(big(14)));
        assert_eq!(binomial_sum(&big(3), 0, &big(9), LIMIT), Ok(big(8)));
        assert_eq!(
            bits(&binomial(&big(64 * 64), &big(63), LIMIT).unwrap()),
            466
        );
        assert_eq!(bits(&binomial(&big(1024), &big(512), LIMIT).unwrap()), 1019);
        // binomial(10^30, 3)
        let huge = Pow::pow(big(10), 30_u32);
        let by_hand = &huge * (&huge - 1_u32) * (&huge - 2_u32) / 6_u32;
        assert_eq!(binomial(&huge, &big(3), LIMIT), Ok(by_hand));
    }

    #[test]
    fn too_long_is_refused_before_computing() {
        let huge = Pow::pow(big(10), 40_u32);
        assert!(factorial(&huge, LIMIT).is_err());
        assert!(factorial(&big(1_000_000), LIMIT).is_err());
        assert!(binomial(&huge, &(&huge / 2_u32), LIMIT).is_err());
        assert!(falling(&huge, &big(1_000_000), LIMIT).is_err());
        assert!(binomial_sum(&huge, 1, &(&huge / 2_u32), LIMIT).is_err());
        assert_eq!(factorial(&big(30), 100), Err(TooLong { bits: big(108) }));
    }

    #[test]
    fn a_large_factorial_is_quick() {
        assert_eq!(factorial(&big(100_000), LIMIT).unwrap().bits(), 1_516_705);
    }

    proptest! {
        #[test]
        fn agree_with_pascal(n in 0_u64..200, k in 0_u64..210) {
            let mut row = vec![big(1)];
            for _ in 0..n {
                let mut next = vec![big(1)];
                next.extend(row.windows(2).map(|w| &w[0] + &w[1]));
                next.push(big(1));
                row = next;
            }
            let c = binomial(&big(n), &big(k), LIMIT).unwrap();
            prop_assert_eq!(&c, &row.get(usize::try_from(k).unwrap()).cloned().unwrap_or_default());
            if k <= n {
                let f = |x: u64| factorial(&big(x), LIMIT).unwrap();
                prop_assert_eq!(&c * f(k) * f(n - k), f(n));
                prop_assert_eq!(falling(&big(n), &big(k), LIMIT).unwrap() * f(n - k), f(n));
            }
            let sum: BigUint = row.iter().take(usize::try_from(k).unwrap() + 1).skip(1).sum();
            prop_assert_eq!(binomial_sum(&big(n), 1, &big(k), LIMIT).unwrap(), sum);
        }
    }
}
