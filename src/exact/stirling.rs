//! Enclosures of `log2 n!` and `log2 C(m, t)` for arguments too large for the integers themselves.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::interval::{Enclosure, floor_log2_scaled};

/// A real known to lie in `[low, high] / 2^places`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    low: BigInt,
    high: BigInt,
    places: u32,
}

impl Fixed {
    fn between(low: BigInt, high: BigInt, places: u32) -> Self {
        Self { low, high, places }
    }

    fn add(&self, other: &Self) -> Self {
        Self::between(
            &self.low + &other.low,
            &self.high + &other.high,
            self.places,
        )
    }

    fn sub(&self, other: &Self) -> Self {
        Self::between(
            &self.low - &other.high,
            &self.high - &other.low,
            self.places,
        )
    }

    /// Times a non-negative integer.
    fn times(&self, factor: &BigUint) -> Self {
        let factor = BigInt::from(factor.clone());
        Self::between(&self.low * &factor, &self.high * factor, self.places)
    }

    /// Halved, rounded outwards.
    fn half(&self) -> Self {
        Self::between(&self.low >> 1, -(-self.high.clone() >> 1_u32), self.places)
    }

    /// Encloses the sum of this real and another one between 0 and `extra`.
    #[must_use]
    pub fn raised_by_at_most(&self, extra: &BigRational) -> Self {
        let unit = BigRational::from_integer(BigInt::one() << self.places);
        Self::between(
            self.low.clone(),
            &self.high + (extra * unit).ceil().to_integer(),
            self.places,
        )
    }

    /// The order against an integer, if the bounds decide it.
    ///
    /// # Domain
    /// Never `Equal`.
    #[must_use]
    pub fn compare(&self, integer: &BigInt) -> Option<std::cmp::Ordering> {
        let scaled = integer << self.places;
        if self.low > scaled {
            Some(std::cmp::Ordering::Greater)
        } else if self.high < scaled {
            Some(std::cmp::Ordering::Less)
        } else {
            None
        }
    }

    /// The order against a real in `[low, high] / 2^places`, if the bounds decide it.
    ///
    /// # Domain
    /// Never `Equal`.
    #[must_use]
    pub fn compare_scaled(
        &self,
        low: &BigInt,
        high: &BigInt,
        places: u32,
    ) -> Option<std::cmp::Ordering> {
        if &self.low << places > high << self.places {
            Some(std::cmp::Ordering::Greater)
        } else if &self.high << places < low << self.places {
            Some(std::cmp::Ordering::Less)
        } else {
            None
        }
    }

    /// `floor` of the real, if the bounds agree on it.
    #[must_use]
    pub fn floor(&self) -> Option<BigInt> {
        let (low, high) = (&self.low >> self.places, &self.high >> self.places);
        (low == high).then_some(low)
    }
}

/// `sum_k (+-1)^k / ((2k+1) q^(2k+1))`: the inverse tangent of 1/q, or without the signs its hyperbolic relative.
fn series(q: u32, alternating: bool, places: u32) -> Fixed {
    let square = BigInt::from(u64::from(q) * u64::from(q));
    let mut power = (BigInt::one() << places) / q;
    let mut sum = BigInt::zero();
    let mut k = 0_u32;
    while !power.is_zero() {
        let term = &power / (2 * k + 1);
        sum += if alternating && k % 2 == 1 {
            -term
        } else {
            term
        };
        power /= &square;
        k += 1;
    }
    // Each power is at most 2 too small, so each term is at most 3 too small, and the tail counts as one more term.
    let slack = BigInt::from(3 * (u64::from(k) + 1));
    Fixed::between(&sum - &slack, sum + slack, places)
}

/// `log2 e`, from `ln 2 = 2 artanh(1/3)`.
fn log2_e(places: u32) -> Fixed {
    let ln2 = series(3, false, places).times(&BigUint::from(2_u32));
    let unit = BigInt::one() << (2 * places);
    Fixed::between(&unit / &ln2.high, unit / &ln2.low + 1, places)
}

/// `log2 pi`, from `pi = 16 arctan(1/5) - 4 arctan(1/239)`.
fn log2_pi(places: u32) -> Fixed {
    let sixteen = series(5, true, 2 * places).times(&BigUint::from(16_u32));
    let pi = sixteen.sub(&series(239, true, 2 * places).times(&BigUint::from(4_u32)));
    let floor = |end: &BigInt| {
        let squared = (0..places).fold(
            Enclosure::of_integer(end.magnitude(), u64::from(2 * places)),
            |x, _| x.square(),
        );
        squared.floor_log2_bounds()
    };
    // log2(end) = log2(pi) + 2 places, in units of 2^-places
    let offset = BigInt::from(2 * places) << places;
    Fixed::between(
        floor(&pi.low).0 - &offset,
        floor(&pi.high).1 - offset,
        places,
    )
}

/// `log2 n` for an integer n of at least 1.
fn log2(n: &BigUint, places: u32) -> Fixed {
    let floor = floor_log2_scaled(n, places);
    Fixed::between(floor.clone(), floor + 1, places)
}

/// Encloses `log2 n!` with an error of about `2^-precision`, or of `1/n^5` if that is larger.
///
/// # Source
/// Derived: Stirling's series; for positive n its remainder lies between 0 and the first term left out.
/// # Domain
/// `n = 0` counts as 1. Meant for n of at least 1000: `n = 1000` gives 49 places.
/// # Cost
/// A few hundred multiplications of numbers of `precision + bits(n) + 64` bits, whatever n is.
#[must_use]
pub fn log2_factorial(n: &BigUint, precision: u32) -> Fixed {
    log2_factorial_to(n, places_for(n, precision))
}

/// Places that leave `precision` of them right after `n log2 n` is formed.
fn places_for(n: &BigUint, precision: u32) -> u32 {
    precision
        .saturating_add(u32::try_from(n.bits()).unwrap_or(u32::MAX))
        .saturating_add(64)
}

fn log2_factorial_to(n: &BigUint, places: u32) -> Fixed {
    let n = n.max(&BigUint::one()).clone();
    let log2_e = log2_e(places);
    // (n + 1/2) log2 n - n log2 e + (1 + log2 pi) / 2 + s log2 e, 1/12n - 1/360n^3 <= s <= that + 1/1260n^5
    let main = log2(&n, places)
        .times(&(&n * 2_u32 + 1_u32))
        .half()
        .sub(&log2_e.times(&n));
    let one = Fixed::between(BigInt::one() << places, BigInt::one() << places, places);
    let constant = one.add(&log2_pi(places)).half();
    let cube = BigInt::from(n.pow(3));
    let quotient = |numer: i32, denom: BigInt| BigRational::new(numer.into(), denom);
    let low = quotient(1, BigInt::from(n.clone()) * 12) - quotient(1, &cube * 360);
    let high = &low + quotient(1, cube * BigInt::from(n.pow(2)) * 1260);
    let scaled = |s: &BigRational, unit: &BigInt| {
        (s * BigRational::from_integer(unit.clone()))
            .floor()
            .to_integer()
    };
    let correction = Fixed::between(
        scaled(&low, &log2_e.low),
        scaled(&high, &log2_e.high) + 1,
        places,
    );
    main.add(&constant).add(&correction)
}

/// Encloses `log2 C(m, t)` with an error of about `2^-precision`, or of `1/t^5` if that is larger.
///
/// # Source
/// Derived: Stirling's series, as in [`log2_factorial`].
/// # Domain
/// `1000 <= t <= m - 1000`, as there; `None` for `t > m`.
/// # Cost
/// Three times that of [`log2_factorial`].
#[must_use]
pub fn log2_binomial(m: &BigUint, t: &BigUint, precision: u32) -> Option<Fixed> {
    if t > m {
        return None;
    }
    let places = places_for(m, precision);
    let below = log2_factorial_to(t, places).add(&log2_factorial_to(&(m - t), places));
    Some(log2_factorial_to(m, places).sub(&below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::count;

    fn decimal(x: &Fixed, digits: u32) -> String {
        let cut = |end: &BigInt| ((end * BigInt::from(10).pow(digits)) >> x.places).to_string();
        assert_eq!(cut(&x.low), cut(&x.high));
        cut(&x.low)
    }

    #[test]
    fn constants() {
        assert_eq!(
            decimal(&log2_e(200), 40),
            "14426950408889634073599246810018921374266"
        );
        assert_eq!(
            decimal(&log2_pi(200), 40),
            "16514961294723187980432792951080073350184"
        );
    }

    #[test]
    fn factorials_agree_with_the_integers() {
        for n in [1000_u32, 1001, 4321, 30_000] {
            let exact = count::factorial(&n.into(), 1 << 24).unwrap();
            let bounds = log2_factorial(&n.into(), 64);
            assert_eq!(bounds.floor(), Some(BigInt::from(exact.bits() - 1)));
            // 40 more places: the bit length of (n!)^(2^10) would need too much memory, so square the leading bits
            let places = 40;
            let floor = floor_log2_scaled(&exact, places);
            let shifted =
                Fixed::between(&bounds.low << places, &bounds.high << places, bounds.places);
            assert_eq!(shifted.floor(), Some(floor));
        }
    }

    #[test]
    fn binomials_agree_with_the_integers() {
        for (m, t) in [(3000_u32, 1000_u32), (1_000_000, 1000), (50_000, 25_000)] {
            let exact = count::binomial(&m.into(), &t.into(), 1 << 24).unwrap();
            let bounds = log2_binomial(&m.into(), &t.into(), 64).unwrap();
            assert_eq!(bounds.floor(), Some(BigInt::from(exact.bits() - 1)));
            assert_eq!(
                bounds.compare(&BigInt::from(exact.bits())),
                Some(std::cmp::Ordering::Less)
            );
        }
    }
}
