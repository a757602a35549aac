//! Enclosures of positive reals with integer mantissas: logarithms to base 2, roots and powers of e.
//!
//! An [`Enclosure`] is `[low, high] * 2^shift` with mantissas of a stated width. Every operation rounds the lower end down and
//! the upper end up, so a decision read off both ends is exact; if they disagree, the caller repeats with more bits.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::power::approx_power_of_two;
use super::ratio;

/// A positive real known to lie in `[low, high] * 2^shift`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosure {
    low: BigUint,
    high: BigUint,
    shift: BigInt,
    width: u64,
}

impl Enclosure {
    /// Encloses an integer by its leading `width` bits.
    ///
    /// # Domain
    /// `x >= 1`. A width below 8 counts as 8.
    #[must_use]
    pub fn of_integer(x: &BigUint, width: u64) -> Self {
        Self::trimmed(x.clone(), x.clone(), BigInt::zero(), width.max(8))
    }

    /// Encloses a positive rational.
    ///
    /// # Domain
    /// `None` for `x <= 0`.
    #[must_use]
    pub fn of_ratio(x: &BigRational, width: u64) -> Option<Self> {
        if !x.is_positive() {
            return None;
        }
        let numer = Self::of_integer(x.numer().magnitude(), width);
        if x.is_integer() {
            return Some(numer);
        }
        numer.div(&Self::of_integer(x.denom().magnitude(), width))
    }

    fn trimmed(low: BigUint, high: BigUint, shift: BigInt, width: u64) -> Self {
        let excess = high.bits().saturating_sub(width);
        if excess == 0 {
            return Self {
                low,
                high,
                shift,
                width,
            };
        }
        let high = ceil_shift(&high, excess);
        Self {
            low: low >> excess,
            high,
            shift: shift + excess,
            width,
        }
    }

    /// The product.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Self {
        let shift = &self.shift + &other.shift;
        Self::trimmed(
            &self.low * &other.low,
            &self.high * &other.high,
            shift,
            self.width.min(other.width),
        )
    }

    /// The square.
    #[must_use]
    pub fn square(&self) -> Self {
        self.mul(self)
    }

    /// The power with an integer exponent.
    ///
    /// # Cost
    /// At most twice as many multiplications as `exponent` has bits.
    #[must_use]
    pub fn pow(&self, exponent: &BigUint) -> Self {
        let mut result = Self::of_integer(&BigUint::one(), self.width);
        for i in (0..exponent.bits()).rev() {
            result = result.square();
            if exponent.bit(i) {
                result = result.mul(self);
            }
        }
        result
    }

    /// The quotient.
    ///
    /// # Domain
    /// `None` if the lower end of `other` is 0, i.e. nothing useful is known about it.
    #[must_use]
    pub fn div(&self, other: &Self) -> Option<Self> {
        if other.low.is_zero() {
            return None;
        }
        let width = self.width.min(other.width);
        let extra = width + other.high.bits();
        let low = (&self.low << extra) / &other.high;
        let high = (&self.high << extra).div_ceil(&other.low);
        Some(Self::trimmed(
            low,
            high,
            &self.shift - &other.shift - extra,
            width,
        ))
    }

    /// The positive `degree`-th root.
    ///
    /// # Domain
    /// `degree >= 1`; degree 0 is treated as 1.
    #[must_use]
    pub fn root(&self, degree: u32) -> Self {
        if degree <= 1 {
            return self.clone();
        }
        // Widen the mantissa by `extra` bits so that the root keeps `width` of them and the shift becomes divisible.
        let wanted = BigInt::from(u64::from(degree) * self.width);
        let odd = (&self.shift - &wanted).mod_floor(&BigInt::from(degree));
        let extra = (u64::from(degree) * self.width) + odd.to_u64().unwrap_or(0);
        let shift = (&self.shift - extra) / degree;
        let low = (&self.low << extra).nth_root(degree);
        let scaled = &self.high << extra;
        let mut high = scaled.nth_root(degree);
        if high.pow(degree) != scaled {
            high += 1_u32;
        }
        Self::trimmed(low, high, shift, self.width)
    }

    /// The sum.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let width = self.width.min(other.width);
        let (big, small) = if self.shift >= other.shift {
            (self, other)
        } else {
            (other, self)
        };
        let gap = &big.shift - &small.shift;
        if gap > BigInt::from(2 * width + 64) && gap > BigInt::from(small.high.bits()) {
            // The small one is below one unit of the big one.
            return Self::trimmed(big.low.clone(), &big.high + 1_u32, big.shift.clone(), width);
        }
        let gap = gap.to_u64().unwrap_or(0);
        let low = (&big.low << gap) + &small.low;
        let high = (&big.high << gap) + &small.high;
        Self::trimmed(low, high, small.shift.clone(), width)
    }

    /// Encloses everything between the lower end of `self` and the upper end of `above`.
    #[must_use]
    pub fn hull(&self, above: &Self) -> Self {
        let shift = (&self.shift).min(&above.shift).clone();
        let align =
            |mantissa: &BigUint, from: &BigInt| mantissa << (from - &shift).to_u64().unwrap_or(0);
        let (low, high) = (
            align(&self.low, &self.shift),
            align(&above.high, &above.shift),
        );
        Self::trimmed(low, high, shift, self.width.min(above.width))
    }

    /// Integers below and above `log2 x`.
    ///
    /// # Domain
    /// The lower end must not be 0.
    #[must_use]
    pub fn floor_log2_bounds(&self) -> (BigInt, BigInt) {
        (
            &self.shift + self.low.bits() - 1,
            &self.shift + self.high.bits(),
        )
    }

    /// For display only: `~2^x` with `x` to one decimal.
    #[must_use]
    pub fn approx_log2(&self) -> String {
        // 16 squarings give 16 binary places of the logarithm.
        let (low, high) = (0..16)
            .fold(self.clone(), |power, _| power.square())
            .floor_log2_bounds();
        approx_power_of_two(&low, &high, &(BigUint::one() << 16))
    }

    /// The order of the two reals, if the enclosures decide it.
    ///
    /// # Domain
    /// `Equal` only if both are exact.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if scaled_cmp(&self.high, &self.shift, &other.low, &other.shift) == Ordering::Less {
            return Some(Ordering::Less);
        }
        if scaled_cmp(&self.low, &self.shift, &other.high, &other.shift) == Ordering::Greater {
            return Some(Ordering::Greater);
        }
        let same = scaled_cmp(&self.low, &self.shift, &other.low, &other.shift) == Ordering::Equal;
        (same && self.low == self.high && other.low == other.high).then_some(Ordering::Equal)
    }

    /// `floor(log2 x)`, if both ends agree on it.
    #[must_use]
    pub fn floor_log2(&self) -> Option<BigInt> {
        let bits = self.low.bits();
        (bits > 0 && bits == self.high.bits()).then(|| &self.shift + bits - 1)
    }

    /// Both ends as rationals.
    ///
    /// # Domain
    /// `None` if the shift is too large to be expanded (2^24 bits).
    #[must_use]
    pub fn bounds(&self) -> Option<(BigRational, BigRational)> {
        let size = self
            .shift
            .magnitude()
            .to_u64()
            .filter(|s| *s <= super::BIT_LIMIT)?;
        let end = |mantissa: &BigUint| match self.shift.sign() {
            Sign::Minus => ratio::ratio(BigInt::from(mantissa.clone()), BigUint::one() << size),
            Sign::NoSign | Sign::Plus => Some(ratio::integer(mantissa << size)),
        };
        Some((end(&self.low)?, end(&self.high)?))
    }
}

/// `ceil(x / 2^by)`.
fn ceil_shift(x: &BigUint, by: u64) -> BigUint {
    let floor = x >> by;
    if x.trailing_zeros().is_some_and(|zeros| zeros < by) {
        floor + 1_u32
    } else {
        floor
    }
}

/// The order of `x * 2^s` and `y * 2^t`.
fn scaled_cmp(x: &BigUint, s: &BigInt, y: &BigUint, t: &BigInt) -> Ordering {
    if x.is_zero() || y.is_zero() {
        return x.cmp(y);
    }
    let tops = (s + x.bits()).cmp(&(t + y.bits()));
    if tops != Ordering::Equal {
        return tops;
    }
    // Equal bit lengths: the shifts differ by at most the mantissas' length.
    let gap = s - t;
    let by = gap.magnitude().to_u64().unwrap_or(0);
    if gap.is_negative() {
        x.cmp(&(y << by))
    } else {
        (x << by).cmp(y)
    }
}

/// `floor(2^k log2 b)`, exactly: one less than the bit length of `b^(2^k)`.
///
/// # Domain
/// `b >= 1`; 0 is treated as 1.
/// # Cost
/// `k` squarings of `k + 64` bits, repeated with twice the width as long as the two ends disagree. It ends: unless `b` is a power of
/// two, which is answered at once, `b^(2^k)` is not one.
#[must_use]
pub fn floor_log2_scaled(b: &BigUint, k: u32) -> BigInt {
    let Some(top) = b.bits().checked_sub(1) else {
        return BigInt::zero();
    };
    if b.trailing_zeros() == Some(top) {
        return BigInt::from(top) << k;
    }
    let mut width = u64::from(k) + 64;
    loop {
        let mut power = Enclosure::of_integer(b, width);
        for _ in 0..k {
            power = power.square();
        }
        if let Some(floor) = power.floor_log2() {
            return floor;
        }
        width *= 2;
    }
}

/// Encloses `e^x` with about `width` correct leading bits.
///
/// # Source
/// Derived: the exponential series with its classical remainder term.
/// # Domain
/// Any rational `x` whose integer part fits 64 bits; otherwise `None`. `e^0` is exactly 1.
/// # Cost
/// About `width` terms of the series, in fixed point, and `2 log2 |x|` multiplications.
#[must_use]
pub fn exp(x: &BigRational, width: u64) -> Option<Enclosure> {
    let one = Enclosure::of_integer(&BigUint::one(), width);
    if x.is_zero() {
        return Some(one);
    }
    if x.is_negative() {
        return one.div(&exp(&-x, width)?);
    }
    let whole = x.floor();
    let steps = BigUint::from(whole.to_integer().to_u64()?);
    let inner = width + steps.bits() + 16;
    let power = exp_series(&BigRational::one(), inner).pow(&steps);
    let fraction = ratio::sub(x, &whole);
    let result = if fraction.is_zero() {
        power
    } else {
        power.mul(&exp_series(&fraction, inner))
    };
    Some(Enclosure::trimmed(
        result.low,
        result.high,
        result.shift,
        width.max(8),
    ))
}

/// `S_N(r) <= e^r <= S_N(r) + r^(N+1)/(N+1)! (N+2)/(N+1)` for `0 < r <= 1`, in units of `2^-(width + 16)`.
fn exp_series(r: &BigRational, width: u64) -> Enclosure {
    let places = width + 16;
    let unit = BigUint::one() << places;
    let (numer, denom) = (r.numer().magnitude(), r.denom().magnitude());
    let (mut low, mut high) = (unit.clone(), unit.clone());
    let (mut term_low, mut term_high) = (unit.clone(), unit);
    let mut k = 1_u32;
    loop {
        let divisor = denom * k;
        term_low = (term_low * numer) / &divisor;
        term_high = (term_high * numer).div_ceil(&divisor);
        if term_high <= BigUint::one() {
            // This term is the first one left out: the remainder is at most (N+2)/(N+1) <= 2 of it.
            return Enclosure::trimmed(low, high + 2_u32, -BigInt::from(places), width.max(8));
        }
        low += &term_low;
        high += &term_high;
        k += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Pow;
    use proptest::prelude::*;

    fn big(x: u64) -> BigUint {
        BigUint::from(x)
    }

    #[test]
    fn logarithms_of_two_and_three() {
        assert_eq!(floor_log2_scaled(&big(8), 100), BigInt::from(3) << 100);
        assert_eq!(floor_log2_scaled(&big(1), 9), BigInt::zero());
        // log2 3 = 1.58496250072115618145373894394781...
        let expected = "1584962500721156181453738943947816508759814407692";
        let f = floor_log2_scaled(&big(3), 300);
        let scaled: BigInt = (f * BigInt::from(10).pow(48_u32)) >> 300;
        assert_eq!(scaled.to_string(), expected);
    }

    #[test]
    fn powers_of_e() {
        let digits = |x: &BigRational, places: u32| {
            let (low, high) = exp(x, 200).unwrap().bounds().unwrap();
            let cut = |y: BigRational| {
                (y * BigRational::from_integer(BigInt::from(10).pow(places)))
                    .floor()
                    .to_string()
            };
            assert_eq!(cut(low.clone()), cut(high));
            cut(low)
        };
        let q = |n: i64, d: i64| BigRational::new(n.into(), d.into());
        assert_eq!(digits(&q(1, 1), 30), "2718281828459045235360287471352");
        assert_eq!(digits(&q(-1, 1), 30), "367879441171442321595523770161");
        assert_eq!(digits(&q(1, 2), 30), "1648721270700128146848650787814");
        assert_eq!(digits(&q(14, 1), 12), "1202604284164776777");
        assert_eq!(
            exp(&q(0, 1), 64),
            Some(Enclosure::of_integer(&BigUint::one(), 64))
        );
    }

    #[test]
    fn sums_far_apart_and_roots() {
        let tiny = Enclosure::of_integer(&big(1), 64);
        let huge = Enclosure::of_integer(&big(2), 64).pow(&big(1000));
        let sum = huge.add(&tiny);
        assert_eq!(sum.floor_log2(), Some(BigInt::from(1000)));
        assert_eq!(sum.compare(&huge), None);
        assert_eq!(huge.compare(&tiny), Some(Ordering::Greater));
        assert_eq!(
            huge.root(2)
                .compare(&Enclosure::of_integer(&big(2), 64).pow(&big(500))),
            Some(Ordering::Equal)
        );
        let root = Enclosure::of_integer(&big(2), 64).root(2);
        assert_eq!(
            root.square().floor_log2(),
            None,
            "2 lies inside the enclosure"
        );
    }

    proptest! {
        #[test]
        fn the_floor_is_the_bit_length_of_the_power(b in 1_u64..5000, k in 0_u32..11) {
            let power = Pow::pow(big(b), 1_u64 << k);
            prop_assert_eq!(floor_log2_scaled(&big(b), k), BigInt::from(power.bits() - 1));
        }

        #[test]
        fn operations_contain_the_exact_value(
            (a, b, c) in (1_u64.., 1_u64.., 1_u64..), e in 0_u32..40, degree in 2_u32..5,
        ) {
            let width = 20;
            let inside = |x: &Enclosure, exact: &BigRational| {
                let (low, high) = x.bounds().unwrap();
                low <= *exact && *exact <= high
            };
            let quotient = BigRational::new(a.into(), b.into());
            let x = Enclosure::of_ratio(&quotient, width).unwrap();
            prop_assert!(inside(&x, &quotient));
            let powered = Pow::pow(&quotient, e);
            prop_assert!(inside(&x.pow(&big(e.into())), &powered));
            let sum = &powered + BigRational::from_integer(c.into());
            prop_assert!(inside(&x.pow(&big(e.into())).add(&Enclosure::of_integer(&big(c), width)), &sum));
            let (low, high) = x.root(degree).bounds().unwrap();
            prop_assert!(Pow::pow(low, degree) <= quotient && Pow::pow(high, degree) >= quotient);
        }

        #[test]
        fn exp_is_increasing_and_multiplicative(a in -300_i64..300, b in -300_i64..300, d in 1_i64..40) {
            let q = |n: i64| BigRational::new(n.into(), d.into());
            let (x, y) = (exp(&q(a), 96).unwrap(), exp(&q(b), 96).unwrap());
            if a != b {
                prop_assert_eq!(x.compare(&y), Some(a.cmp(&b)));
            }
            let (low, high) = x.mul(&y).bounds().unwrap();
            let (other_low, other_high) = exp(&q(a + b), 96).unwrap().bounds().unwrap();
            prop_assert!(low <= other_high && other_low <= high);
        }
    }
}
