//! Alphabets: exact sizes of at least one symbol.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

/// The finite set a symbol is drawn from, given by its exact size, at least 1.
///
/// Size 1 means "no message": the only symbol is 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alphabet(BigUint);

/// An alphabet of size 0 was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("alphabet 0, expected at least 1")]
pub struct EmptyAlphabet;

impl Alphabet {
    /// The alphabet of `size` symbols.
    ///
    /// # Errors
    /// [`EmptyAlphabet`] when `size` is 0.
    pub fn new(size: BigUint) -> Result<Self, EmptyAlphabet> {
        if size.is_zero() {
            Err(EmptyAlphabet)
        } else {
            Ok(Self(size))
        }
    }

    /// The alphabet of one symbol: no message.
    pub fn silent() -> Self {
        Self(BigUint::one())
    }

    /// Exact number of symbols.
    pub fn size(&self) -> &BigUint {
        &self.0
    }

    /// True when there are at least two symbols, so that something can be said.
    pub fn is_open(&self) -> bool {
        !self.0.is_one()
    }

    /// True when `symbol` is one of `0..size`.
    pub fn contains(&self, symbol: u64) -> bool {
        self.0.to_u64().is_none_or(|size| symbol < size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_membership() {
        assert_eq!(Alphabet::new(BigUint::zero()), Err(EmptyAlphabet));
        assert!(!Alphabet::silent().is_open());
        let three = Alphabet::new(BigUint::from(3u8)).unwrap();
        assert!(three.contains(2) && !three.contains(3) && three.is_open());
        let huge = Alphabet::new(BigUint::one() << 100).unwrap();
        assert!(huge.contains(u64::MAX));
    }
}
