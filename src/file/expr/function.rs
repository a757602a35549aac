//! Powers and the numeric functions, refused before they become too large.
//!
//! A result is too large exactly if it has more bits than the limit. If a lower estimate already
//! says so, nothing is computed and the message states the estimate; otherwise the result has at
//! most a few times as many bits as the limit and is measured.

use num_bigint::BigInt;
use num_traits::One as _;

use super::int::{Int, shown};

type Computed = Result<Int, String>;

/// The message of a result that is too large.
pub(super) fn too_large(bits: &BigInt, limit: u64) -> String {
    format!("needs about {bits} bits, more than the limit of {limit}")
}

/// `value`, unless it has too many bits.
#[inline]
pub(super) fn within(value: Int, limit: u64) -> Computed {
    if value.is_big() && value.bit_length() > limit {
        return Err(too_large(&value.bit_length().into(), limit));
    }
    Ok(value)
}

fn estimated(bits: &BigInt, limit: u64) -> Result<(), String> {
    if *bits > BigInt::from(limit) {
        Err(too_large(bits, limit))
    } else {
        Ok(())
    }
}

/// Product.
#[inline]
pub(super) fn times(left: &Int, right: &Int, limit: u64) -> Computed {
    let small = left
        .to_i64()
        .zip(right.to_i64())
        .and_then(|(left, right)| left.checked_mul(right));
    if let Some(value) = small {
        return Ok(Int::small(value));
    }
    // A factor 0 with a large one needs no bits.
    if *left != Int::ZERO && *right != Int::ZERO {
        estimated(
            &BigInt::from(left.bit_length() + right.bit_length() - 1),
            limit,
        )?;
    }
    within(left.times(right), limit)
}

/// `dividend div divisor`.
#[inline]
pub(super) fn quotient(dividend: &Int, divisor: &Int) -> Computed {
    checked_divisor(divisor)?;
    Ok(dividend.div_floor(divisor))
}

/// `dividend mod divisor`.
#[inline]
pub(super) fn remainder(dividend: &Int, divisor: &Int) -> Computed {
    checked_divisor(divisor)?;
    Ok(dividend.mod_floor(divisor))
}

fn checked_divisor(divisor: &Int) -> Result<(), String> {
    if *divisor < Int::ONE {
        Err(format!("divisor {}, expected at least 1", shown(divisor)))
    } else {
        Ok(())
    }
}

/// `base ^ exponent`.
pub(super) fn power(base: &Int, exponent: &Int, limit: u64) -> Computed {
    if exponent.is_negative() {
        return Err(format!("exponent {}, expected at least 0", shown(exponent)));
    }
    if *exponent == Int::ZERO {
        return Ok(Int::ONE);
    }
    let length = base.bit_length();
    if length <= 1 {
        let is_odd = exponent.mod_floor(&Int::small(2)) == Int::ONE;
        return Ok(if is_odd {
            base.clone()
        } else {
            base.absolute()
        });
    }
    estimated(&(exponent.to_big() * (length - 1) + 1), limit)?;
    let Some(exponent) = exponent
        .to_u64()
        .and_then(|value| u32::try_from(value).ok())
    else {
        return Err(format!("exponent {exponent} is too large"));
    };
    if let Some(value) = base.to_i64().and_then(|base| base.checked_pow(exponent)) {
        return Ok(Int::small(value));
    }
    within(Int::from(base.to_big().pow(exponent)), limit)
}

/// The least t with `value <= 2^t`.
pub(super) fn bits(value: &Int) -> Computed {
    if *value < Int::ONE {
        return Err(format!("`bits` of {}, expected at least 1", shown(value)));
    }
    Ok(Int::from(value.minus(&Int::ONE).bit_length()))
}

/// `value!`.
pub(super) fn factorial(value: &Int, limit: u64) -> Computed {
    if value.is_negative() {
        return Err(format!(
            "`factorial` of {}, expected at least 0",
            shown(value)
        ));
    }
    // The upper half of the factors are at least value/2.
    let half = value.div_floor(&Int::small(2));
    estimated(
        &(half.to_big() * half.bit_length().saturating_sub(1)),
        limit,
    )?;
    let Some(last) = value.to_u64() else {
        return Err(format!("`factorial` of {value} is too large"));
    };
    within(Int::from(product(1, last)), limit)
}

/// `from * (from + 1) * .. * to`, by halves so that factors have equal sizes.
fn product(from: u64, to: u64) -> BigInt {
    if from > to {
        return BigInt::one();
    }
    if to - from < 8 {
        return (from..=to).map(BigInt::from).product();
    }
    let middle = from.midpoint(to);
    product(from, middle) * product(middle + 1, to)
}

/// The number of subsets of size `part` of a set of size `whole`.
pub(super) fn binomial(whole: &Int, part: &Int, limit: u64) -> Computed {
    if whole.is_negative() {
        return Err(format!(
            "`binomial` of {}, expected at least 0",
            shown(whole)
        ));
    }
    if part.is_negative() || part > whole {
        return Ok(Int::ZERO);
    }
    let part = part.min(&whole.minus(part)).clone();
    if part == Int::ZERO {
        return Ok(Int::ONE);
    }
    // At least (whole / part)^part.
    let ratio = whole.div_floor(&part);
    estimated(&(part.to_big() * (ratio.bit_length() - 1) + 1), limit)?;
    let Some(part) = part.to_u64() else {
        return Err(format!("`binomial` of {whole} is too large"));
    };
    if let Some(value) = small_binomial(whole, part) {
        return Ok(value);
    }
    let numerator = falling(&whole.to_big(), 0, part);
    within(Int::from(numerator / product(1, part)), limit)
}

/// The binomial coefficient while intermediate results fit 128 bits.
fn small_binomial(whole: &Int, part: u64) -> Option<Int> {
    let whole = i128::from(whole.to_i64()?);
    let mut value: i128 = 1;
    for index in 0..i128::from(part) {
        value = value.checked_mul(whole - index)? / (index + 1);
    }
    Some(i64::try_from(value).map_or_else(|_| Int::from(BigInt::from(value)), Int::small))
}

/// Product of `whole - i` for i from `from` to `to - 1`.
fn falling(whole: &BigInt, from: u64, to: u64) -> BigInt {
    if to - from <= 8 {
        return (from..to).map(|index| whole - index).product();
    }
    let middle = from.midpoint(to);
    falling(whole, from, middle) * falling(whole, middle, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: i64) -> Int {
        Int::small(value)
    }

    #[test]
    fn functions_of_small_numbers() {
        assert_eq!(bits(&int(1)), Ok(int(0)));
        assert_eq!(bits(&int(27)), Ok(int(5)));
        assert_eq!(bits(&int(32)), Ok(int(5)));
        assert_eq!(factorial(&int(0), 99), Ok(int(1)));
        assert_eq!(factorial(&int(20), 99), Ok(int(2_432_902_008_176_640_000)));
        assert_eq!(binomial(&int(10), &int(3), 99), Ok(int(120)));
        assert_eq!(binomial(&int(3), &int(4), 99), Ok(int(0)));
        assert_eq!(power(&int(-2), &int(3), 99), Ok(int(-8)));
        assert_eq!(power(&int(0), &int(0), 99), Ok(int(1)));
        assert_eq!(power(&int(-1), &int(7), 99), Ok(int(-1)));
    }

    #[test]
    fn the_limit_is_exact() {
        assert!(power(&int(2), &int(99), 100).is_ok());
        assert_eq!(
            power(&int(2), &int(100), 100),
            Err(too_large(&101.into(), 100))
        );
        assert!(power(&int(3), &int(63), 100).is_ok());
        assert_eq!(
            power(&int(3), &int(64), 100),
            Err(too_large(&102.into(), 100))
        );
        let large = Int::from(BigInt::one() << 200);
        assert!(power(&int(2), &large, 1 << 24).is_err());
        assert!(factorial(&large, 1 << 24).is_err());
        assert!(binomial(&large, &large.div_floor(&int(2)), 1 << 24).is_err());
        assert_eq!(binomial(&large, &int(1), 1 << 24), Ok(large));
    }
}
