//! Integers of any size with 64 significant bits, and logarithms in fixed point. For the search only: what it proposes is checked exactly.

use crate::exact::interval::floor_log2_scaled;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::sync::OnceLock;

/// A logarithm times 2^32.
pub(super) type Fixed = i64;

/// `mantissa << shift`, the mantissa with its top bit set unless the shift is 0: below 2^64 every integer, above it those with 64 significant bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wide {
    shift: u32,
    mantissa: u64,
}

impl Wide {
    pub(super) const ZERO: Self = Self::new(0);
    pub(super) const ONE: Self = Self::new(1);

    pub(super) const fn new(x: u64) -> Self {
        Self {
            shift: 0,
            mantissa: x,
        }
    }

    fn of_u128(x: u128, shift: u32) -> Self {
        let over = 64_u32.saturating_sub(x.leading_zeros());
        // below 64 bits with a shift: move the top bit up as far as the shift allows
        let back = (x.leading_zeros().saturating_sub(64)).min(shift);
        if over > 0 {
            Self {
                shift: shift + over,
                mantissa: u64::try_from(x >> over).unwrap_or(u64::MAX),
            }
        } else {
            Self {
                shift: shift - back,
                mantissa: u64::try_from(x << back).unwrap_or(u64::MAX),
            }
        }
    }

    /// Rounded down to 64 significant bits.
    pub(super) fn of(x: &BigUint) -> Option<Self> {
        let over = x.bits().saturating_sub(64);
        Some(Self {
            shift: u32::try_from(over).ok().filter(|shift| *shift < 1 << 30)?,
            mantissa: (x >> over).to_u64()?,
        })
    }

    pub(super) fn to_big(self) -> BigUint {
        BigUint::from(self.mantissa) << self.shift
    }

    /// The value, if it is below 2^64.
    pub(super) fn small(self) -> Option<u64> {
        (self.shift == 0).then_some(self.mantissa)
    }

    pub(super) fn bits(self) -> u64 {
        u64::from(self.shift) + u64::from(64 - self.mantissa.leading_zeros())
    }

    pub(super) fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    pub(super) fn times(self, other: Self) -> Self {
        let product = u128::from(self.mantissa) * u128::from(other.mantissa);
        Self::of_u128(product, self.shift + other.shift)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let (low, high) = if self < other {
            (self, other)
        } else {
            (other, self)
        };
        let gap = high.shift - low.shift;
        let small = low.mantissa.checked_shr(gap).unwrap_or(0);
        Self::of_u128(u128::from(high.mantissa) + u128::from(small), high.shift)
    }

    /// The difference, or 0.
    pub(super) fn minus(self, other: Self) -> Self {
        if self <= other {
            return Self::ZERO;
        }
        let gap = self.shift - other.shift;
        let small = other.mantissa.checked_shr(gap).unwrap_or(0);
        Self::of_u128(u128::from(self.mantissa - small), self.shift)
    }

    /// The quotient rounded down, to 64 significant bits.
    pub(super) fn over(self, other: Self) -> Self {
        if let (Some(a), Some(b)) = (self.small(), other.small()) {
            return Self::new(a / b.max(1));
        }
        let quotient = (u128::from(self.mantissa) << 64) / u128::from(other.mantissa.max(1));
        let shift = i64::from(self.shift) - i64::from(other.shift) - 64;
        match u32::try_from(shift) {
            Ok(shift) => Self::of_u128(quotient, shift),
            Err(_) => Self::of_u128(quotient >> (-shift).min(127), 0),
        }
    }

    pub(super) fn halved(self, times: u32) -> Self {
        if times <= self.shift {
            return Self::of_u128(u128::from(self.mantissa), self.shift - times);
        }
        let rest = times - self.shift;
        Self::new(self.mantissa.checked_shr(rest).unwrap_or(0))
    }

    pub(super) fn doubled(self, times: u32) -> Self {
        Self::of_u128(u128::from(self.mantissa) << 32, self.shift + times).halved(32)
    }

    /// `2^32 log2 x`, to about 2^-26; 0 for 0.
    pub(super) fn lg(self) -> Fixed {
        if self.mantissa == 0 {
            return 0;
        }
        let top = self.mantissa.ilog2();
        // the mantissa without its top bit
        let fraction = (self.mantissa << (63 - top)) << 1;
        let (slot, rest) = (
            usize::try_from(fraction >> 52).unwrap_or(0),
            (fraction >> 20) & 0xffff_ffff,
        );
        let list = table();
        let (low, high) = (list[slot], list[slot + 1]);
        let step = u64::try_from(high - low).unwrap_or(0);
        let between = (step * rest) >> 32;
        (i64::from(top + self.shift) << 32) + low + i64::try_from(between).unwrap_or(0)
    }
}

/// `2^32 log2(1 + i / 4096)`.
fn table() -> &'static [i64] {
    static TABLE: OnceLock<Vec<i64>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let log = |i: u32| {
            floor_log2_scaled(&BigUint::from(4096 + i), 32)
                .to_i64()
                .unwrap_or(0)
                - (12_i64 << 32)
        };
        (0..=4096).map(log).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn small_numbers_are_exact(a in 0..u32::MAX, b in 0..u32::MAX, n in 0_u32..40) {
            let (x, y) = (Wide::new(a.into()), Wide::new(b.into()));
            let (a, b) = (u64::from(a), u64::from(b));
            prop_assert_eq!(x.times(y).small(), Some(a * b));
            prop_assert_eq!(x.plus(y).small(), Some(a + b));
            prop_assert_eq!(x.minus(y).small(), Some(a.saturating_sub(b)));
            prop_assert_eq!(x.over(y).small(), Some(a / b.max(1)));
            prop_assert_eq!(x.halved(n).small(), Some(a >> n));
            prop_assert_eq!(x.doubled(n).to_big(), BigUint::from(a) << n);
            prop_assert_eq!(x < y, a < b);
        }

        #[test]
        fn large_numbers_are_close(a in any::<u64>(), b in any::<u64>(), s in 0_u32..90, t in 0_u32..90) {
            let (a, b) = (BigUint::from(a) << s, BigUint::from(b | 1) << t);
            let (x, y) = (Wide::of(&a).unwrap(), Wide::of(&b).unwrap());
            let close = |found: Wide, right: BigUint| {
                let found = found.to_big();
                found <= right && (&right - &found) << 60 <= &right + 1_u32
            };
            prop_assert!(close(x, a.clone()));
            prop_assert!(close(x.times(y), &a * &b));
            prop_assert!(close(x.plus(y), &a + &b));
            prop_assert_eq!(x < y, a < b);
            if a >= b {
                let quotient = x.over(y).to_big();
                prop_assert!(quotient <= &a / &b && (&a / &b - &quotient) << 60 <= (&a / &b) + (BigUint::from(1_u8) << 60));
            }
            let exact = floor_log2_scaled(&b, 32).to_i64().unwrap();
            prop_assert!((y.lg() - exact).abs() < 128, "{} against {}", y.lg(), exact);
        }
    }
}
