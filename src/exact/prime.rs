//! Small primes: the sieve, and splitting them off big integers.

use std::sync::OnceLock;

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

/// Primes below this bound are split off every base of a power product.
pub const SMALL: u32 = 1 << 16;

/// Primes per block of [`split_small`]; a block product has about 4,000 bits.
const BLOCK: usize = 256;

/// All primes below `limit`, in increasing order.
///
/// # Cost
/// `limit` bytes and about `limit * log log limit` steps.
#[must_use]
pub fn below(limit: u32) -> Vec<u32> {
    let mut composite = vec![false; limit as usize];
    let mut primes = Vec::new();
    for n in 2..limit {
        if composite[n as usize] {
            continue;
        }
        primes.push(n);
        let mut multiple = u64::from(n) * u64::from(n);
        while let Some(flag) = usize::try_from(multiple)
            .ok()
            .and_then(|i| composite.get_mut(i))
        {
            *flag = true;
            multiple += u64::from(n);
        }
    }
    primes
}

struct Block {
    primes: Vec<u32>,
    product: BigUint,
}

fn blocks() -> &'static [Block] {
    static BLOCKS: OnceLock<Vec<Block>> = OnceLock::new();
    BLOCKS.get_or_init(|| {
        let block = |primes: &[u32]| Block {
            primes: primes.to_vec(),
            product: primes.iter().product(),
        };
        below(SMALL).chunks(BLOCK).map(block).collect()
    })
}

/// The primes below 2^16 that divide `x`, with their multiplicities, and what is left of `x`.
///
/// # Domain
/// `x >= 1`; the remaining factor has no prime below 2^16 (it may be 1).
/// # Cost
/// At most 26 remainders modulo numbers of about 4,000 bits and 6,542 remainders of those modulo a machine word.
#[must_use]
pub fn split_small(x: &BigUint) -> (Vec<(u32, u64)>, BigUint) {
    let mut rest = x.clone();
    let mut found = Vec::new();
    if x.is_zero() {
        return (found, rest);
    }
    for block in blocks() {
        if rest.is_one() {
            break;
        }
        if let Some(word) = rest.to_u64() {
            rest = finish_word(word, block.primes[0], &mut found);
            break;
        }
        // p | rest iff p | rest mod (product of a block that contains p)
        let digits = (&rest % &block.product).to_u32_digits();
        for &p in &block.primes {
            if remainder(&digits, p) == 0 {
                let (count, left) = valuation(&rest, &BigUint::from(p));
                rest = left;
                found.push((p, count));
            }
        }
    }
    (found, rest)
}

/// Splits a 64-bit number by the primes from `first` on; smaller primes are known not to divide it.
fn finish_word(mut word: u64, first: u32, found: &mut Vec<(u32, u64)>) -> BigUint {
    let primes = blocks()
        .iter()
        .flat_map(|block| &block.primes)
        .skip_while(|p| **p < first);
    for &p in primes {
        let wide = u64::from(p);
        if wide * wide > word {
            break;
        }
        let mut count = 0;
        while word.is_multiple_of(wide) {
            word /= wide;
            count += 1;
        }
        if count > 0 {
            found.push((p, count));
        }
    }
    // No prime up to the root is left: below 2^16 the rest is 1 or a prime.
    match u32::try_from(word) {
        Ok(p) if p < SMALL => {
            if p > 1 {
                found.push((p, 1));
            }
            BigUint::one()
        }
        Ok(_) | Err(_) => BigUint::from(word),
    }
}

fn remainder(digits: &[u32], p: u32) -> u64 {
    digits.iter().rev().fold(0, |rest, &digit| {
        ((rest << 32) | u64::from(digit)) % u64::from(p)
    })
}

/// The largest `v` with `base^v | x`, and `x / base^v`.
///
/// # Domain
/// `x >= 1`, `base >= 2`; anything else gives `v = 0`.
/// # Cost
/// `O(log v)` divisions by powers of `base` of doubling size.
#[must_use]
pub fn valuation(x: &BigUint, base: &BigUint) -> (u64, BigUint) {
    if x.is_zero() || base.is_zero() || base.is_one() {
        return (0, x.clone());
    }
    let mut powers = vec![base.clone()];
    let (mut rest, mut count) = (x.clone(), 0);
    // Upwards: divide by base, base^2, base^4, .. while they divide; then downwards through the same powers.
    loop {
        let top = powers.len() - 1;
        let (quotient, remainder) = num_integer::Integer::div_rem(&rest, &powers[top]);
        if !remainder.is_zero() {
            break;
        }
        rest = quotient;
        count += 1 << top;
        let next = &powers[top] * &powers[top];
        powers.push(next);
    }
    for (i, power) in powers.iter().enumerate().rev().skip(1) {
        let (quotient, remainder) = num_integer::Integer::div_rem(&rest, power);
        if remainder.is_zero() {
            rest = quotient;
            count += 1 << i;
        }
    }
    (count, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Pow;
    use proptest::prelude::*;

    #[test]
    fn sieve() {
        assert_eq!(below(30), [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
        assert_eq!(below(SMALL).len(), 6542);
        assert!(below(0).is_empty() && below(2).is_empty());
    }

    #[test]
    fn splits_small_and_large() {
        let rough = BigUint::from(65537_u32) * BigUint::from(4_294_967_311_u64);
        let x = Pow::pow(BigUint::from(2_u32), 77_u32)
            * Pow::pow(BigUint::from(65521_u32), 5_u32)
            * 9_u32
            * &rough;
        assert_eq!(split_small(&x), (vec![(2, 77), (3, 2), (65521, 5)], rough));
        assert_eq!(
            split_small(&BigUint::from(65537_u32)),
            (vec![], BigUint::from(65537_u32))
        );
        assert_eq!(split_small(&BigUint::one()), (vec![], BigUint::one()));
        assert_eq!(
            split_small(&BigUint::from(65521_u32)),
            (vec![(65521, 1)], BigUint::one())
        );
    }

    proptest! {
        #[test]
        fn split_multiplies_back(x in 1_u128.., y in 1_u128..) {
            let x = BigUint::from(x) * BigUint::from(y);
            let (small, rest) = split_small(&x);
            let mut back = rest.clone();
            for (p, e) in &small {
                back *= Pow::pow(BigUint::from(*p), *e);
            }
            prop_assert_eq!(back, x);
            prop_assert!(below(SMALL).iter().all(|p| !(&rest % *p).is_zero()));
        }

        #[test]
        fn valuation_is_exact(base in 2_u32..40, e in 0_u64..70, other in 1_u64..1_000_000) {
            let base = BigUint::from(base);
            let mut expected = e;
            let mut rest = BigUint::from(other);
            while (&rest % &base).is_zero() {
                rest /= &base;
                expected += 1;
            }
            let x = Pow::pow(base.clone(), e) * other;
            prop_assert_eq!(valuation(&x, &base), (expected, rest));
        }
    }
}
