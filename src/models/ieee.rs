//! Declared IEEE arithmetic: single operations, each rounded to nearest even, as bit patterns.
//!
//! The only place with floating-point types. Results are compared as patterns, so zeros of different sign differ. `+ - * /` and `sqrt`
//! are correctly rounded in f32; bf16 widens to f32, does one operation, and rounds: safe, since 24 >= 2 * 8 + 2.
#![expect(
    clippy::disallowed_types,
    clippy::float_arithmetic,
    reason = "declared IEEE steps; results are bit patterns"
)]

/// A number format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 24 significant bits.
    F32,
    /// 8 significant bits.
    Bf16,
}

impl Format {
    /// The word in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
        }
    }

    /// Significant bits.
    #[must_use]
    pub fn significand(self) -> u32 {
        match self {
            Self::F32 => 24,
            Self::Bf16 => 8,
        }
    }

    fn round(self, x: f32) -> f32 {
        match self {
            Self::F32 => x,
            Self::Bf16 => f32::from_bits(bf16(x.to_bits())),
        }
    }

    /// `p / q`, rounded once.
    ///
    /// # Domain
    /// `|p|, q < 2^24`, so that both are exact; q at least 1.
    #[must_use]
    pub fn quotient(self, p: i32, q: u32) -> u32 {
        debug_assert!(p.unsigned_abs() < 1 << 24 && (1..1 << 24).contains(&q));
        #[expect(clippy::cast_precision_loss, reason = "below 2^24 nothing is lost")]
        let exact = p as f32 / q as f32;
        // Two roundings of one division: 24 >= 2 * 8 + 2.
        self.round(exact).to_bits()
    }

    /// Neither infinite nor NaN.
    #[must_use]
    pub fn finite(bits: u32) -> bool {
        bits & 0x7f80_0000 != 0x7f80_0000
    }

    /// `a * b`.
    #[must_use]
    pub fn mul(self, a: u32, b: u32) -> u32 {
        self.round(f32::from_bits(a) * f32::from_bits(b)).to_bits()
    }

    /// `a + b`.
    #[must_use]
    pub fn add(self, a: u32, b: u32) -> u32 {
        self.round(f32::from_bits(a) + f32::from_bits(b)).to_bits()
    }
}

/// The nearest bf16 of an f32 pattern, ties to even, as an f32 pattern; NaN stays NaN.
fn bf16(bits: u32) -> u32 {
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        return (bits | 0x0040_0000) & 0xffff_0000;
    }
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1));
    rounded & 0xffff_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bf16_rounds_to_nearest_even() {
        for (bits, right) in [
            (0x3f80_0000, 0x3f80_0000),
            (0x3f80_8000, 0x3f80_0000),
            (0x3f80_8001, 0x3f81_0000),
            (0x3f81_8000, 0x3f82_0000),
            (0x7f7f_ffff, 0x7f80_0000),
            (0x8000_0000, 0x8000_0000),
            (0x7f80_0001, 0x7fc0_0000),
        ] {
            assert_eq!(bf16(bits), right, "{bits:x}");
        }
    }

    #[test]
    fn gates_as_rounded() {
        // 0.999 is 1 in bf16.
        assert_eq!(Format::Bf16.quotient(999, 1000), 0x3f80_0000);
        assert_eq!(Format::F32.quotient(1, 2), 0x3f00_0000);
        assert_eq!(Format::F32.mul(0x3f00_0000, 0x4000_0000), 0x3f80_0000);
        assert_eq!(Format::F32.add(0x3f80_0000, 0x3f80_0000), 0x4000_0000);
    }
}
