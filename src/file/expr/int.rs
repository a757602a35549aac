//! Integers of any size that are fast while they are small.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use num_traits::ToPrimitive as _;

/// An integer.
///
/// Values of 64 bits are stored in place; others are shared. The form is unique, so equality is
/// structural.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    // Never within the range of `i64`; shared, since constants are copied into code.
    Big(Arc<BigInt>),
}

impl Int {
    /// Zero.
    pub const ZERO: Self = Self::small(0);
    /// One.
    pub const ONE: Self = Self::small(1);

    /// A small integer.
    #[must_use]
    pub const fn small(value: i64) -> Self {
        Self(Repr::Small(value))
    }

    /// The value, if it fits 64 bits.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small(value) => Some(*value),
            Repr::Big(_) => None,
        }
    }

    /// The value, if it fits.
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Small(value) => u64::try_from(*value).ok(),
            Repr::Big(value) => value.to_u64(),
        }
    }

    /// The value, if it fits.
    #[must_use]
    pub fn to_usize(&self) -> Option<usize> {
        self.to_u64().and_then(|value| usize::try_from(value).ok())
    }

    /// The value as a big integer.
    #[must_use]
    pub fn to_big(&self) -> BigInt {
        match &self.0 {
            Repr::Small(value) => BigInt::from(*value),
            Repr::Big(value) => value.as_ref().clone(),
        }
    }

    /// Bits of the absolute value; 0 has none.
    #[must_use]
    pub fn bit_length(&self) -> u64 {
        match &self.0 {
            Repr::Small(value) => u64::from(u64::BITS - value.unsigned_abs().leading_zeros()),
            Repr::Big(value) => value.bits(),
        }
    }

    /// Whether the value needs more than 64 bits.
    pub(super) fn is_big(&self) -> bool {
        matches!(self.0, Repr::Big(_))
    }

    /// Whether the value is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(value) => *value < 0,
            Repr::Big(value) => value.sign() == Sign::Minus,
        }
    }

    /// Sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combined(other, i64::checked_add, |left, right| left + right)
    }

    /// Difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.combined(other, i64::checked_sub, |left, right| left - right)
    }

    /// Product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        self.combined(other, i64::checked_mul, |left, right| left * right)
    }

    /// Quotient rounded down, for a divisor of at least 1.
    pub(super) fn div_floor(&self, divisor: &Self) -> Self {
        self.combined(divisor, i64::checked_div_euclid, BigInt::div_floor)
    }

    /// Remainder of [`Int::div_floor`].
    pub(super) fn mod_floor(&self, divisor: &Self) -> Self {
        self.combined(divisor, i64::checked_rem_euclid, BigInt::mod_floor)
    }

    /// The negative.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self::ZERO.minus(self)
    }

    /// Absolute value.
    #[must_use]
    pub fn absolute(&self) -> Self {
        if self.is_negative() {
            self.negated()
        } else {
            self.clone()
        }
    }

    fn combined(
        &self,
        other: &Self,
        small: fn(i64, i64) -> Option<i64>,
        big: fn(&BigInt, &BigInt) -> BigInt,
    ) -> Self {
        if let (Repr::Small(left), Repr::Small(right)) = (&self.0, &other.0)
            && let Some(value) = small(*left, *right)
        {
            return Self::small(value);
        }
        Self::from(big(&self.to_big(), &other.to_big()))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(left), Repr::Small(right)) => left.cmp(right),
            (Repr::Big(left), Repr::Big(right)) => left.cmp(right),
            // A big value lies beyond every small one, on the side of its sign.
            (Repr::Small(_), Repr::Big(right)) if right.sign() == Sign::Minus => Ordering::Greater,
            (Repr::Small(_), Repr::Big(_)) => Ordering::Less,
            (Repr::Big(left), Repr::Small(_)) if left.sign() == Sign::Minus => Ordering::Less,
            (Repr::Big(_), Repr::Small(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<BigInt> for Int {
    fn from(value: BigInt) -> Self {
        value
            .to_i64()
            .map_or_else(|| Self(Repr::Big(Arc::new(value))), Self::small)
    }
}

impl From<i64> for Int {
    fn from(value: i64) -> Self {
        Self::small(value)
    }
}

impl From<u64> for Int {
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or_else(|_| Self::from(BigInt::from(value)), Self::small)
    }
}

impl From<usize> for Int {
    fn from(value: usize) -> Self {
        i64::try_from(value).map_or_else(|_| Self::from(BigInt::from(value)), Self::small)
    }
}

impl From<Int> for BigInt {
    fn from(value: Int) -> Self {
        match value.0 {
            Repr::Small(value) => Self::from(value),
            Repr::Big(value) => Arc::unwrap_or_clone(value),
        }
    }
}

impl fmt::Display for Int {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(value) => value.fmt(out),
            Repr::Big(value) => value.fmt(out),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// A value for a message: numbers of more than 20 digits are described by their size.
pub(super) fn shown(value: &Int) -> String {
    if value.bit_length() <= 256 {
        value.to_string()
    } else {
        format!("of {} bits", value.bit_length())
    }
}
