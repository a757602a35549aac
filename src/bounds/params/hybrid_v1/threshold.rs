//! Least values of c from which on an inequality holds.

use num_bigint::BigUint;
use num_traits::{One, Zero};
use thiserror::Error;

use super::{ParameterError, Parameters, natural, theorem_exponent};
use crate::exact::{CompareError, Factors, Number, NumberError, Relation, relation};

/// The least c from `start` on with a property that is false below some point and true from there on.
///
/// # Cost
/// Twice as many evaluations as the answer has bits.
fn least_from<E>(start: u32, holds: impl Fn(&BigUint) -> Result<bool, E>) -> Result<BigUint, E> {
    let mut high = BigUint::from(start);
    if holds(&high)? {
        return Ok(high);
    }
    let mut low = high.clone();
    while !holds(&high)? {
        low.clone_from(&high);
        high <<= 1;
    }
    while &low + 1_u32 < high {
        let middle = (&low + &high) >> 1;
        if holds(&middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}

/// Why a threshold or a row was not found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ThresholdError {
    /// The parameters do not exist.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A comparison is out of reach.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A number is too long to be written out.
    #[error(transparent)]
    Number(#[from] NumberError),
}

/// `2^(factor c) >= N_{L-1}(c)`.
pub(super) fn names_all_answers(
    steps: u32,
    c: &BigUint,
    factor: u32,
) -> Result<bool, ThresholdError> {
    let point = Parameters::new(steps, c.clone(), BigUint::one(), BigUint::zero())?;
    let symbols = Number::from(Factors::word(2).powi(c * factor));
    Ok(relation(&symbols, &Number::from(point.range_at(steps - 1)))? != Relation::Less)
}

/// The least c for which the relay fits, `2^(2c) >= N_{L-1}`, so that the message budget with `a_1 = 1` does not exclude L steps.
///
/// # Source
/// Derived, on Theorem B.2 of `hybrid-v1`. `2c ln 2 - ln N_{L-1}` is convex in c and negative at c = 1, so it is non-negative from one
/// point on, and "holds at c, fails at c - 1" certifies the least c.
/// # Errors
/// [`ThresholdError`] for L below 2.
/// # Cost
/// Twice as many comparisons of power products as the answer has bits.
pub fn least_c_relay_fits(steps: u32) -> Result<BigUint, ThresholdError> {
    least_from(1, |c| names_all_answers(steps, c, 2))
}

/// The least c at least 2 with `2^c >= N_{L-1}(c)`: from here on one token can name all answers of the instance.
///
/// # Source
/// Derived. `c ln 2 - ln N_{L-1}(c)` is convex and negative at c = 2.
/// # Errors
/// [`ThresholdError`] for L below 2.
/// # Cost
/// As [`least_c_relay_fits`].
pub fn least_c_not_trivial(steps: u32) -> Result<BigUint, ThresholdError> {
    least_from(2, |c| names_all_answers(steps, c, 1))
}

/// The least c at least 2 with `2^c >= c^T`, `T = 4 * 16^L`: where Theorem 1.1 begins to say something at its own exponent.
///
/// # Source
/// Derived, on Theorem 1.1 of `hybrid-v1`. `c ln 2 - T ln c` is convex and negative at c = 2.
/// # Errors
/// [`ThresholdError::Compare`], if a comparison is out of reach.
/// # Cost
/// As [`least_c_relay_fits`].
pub fn least_c_theorem_not_trivial(steps: u32) -> Result<BigUint, ThresholdError> {
    least_from(2, |c| {
        let left = Number::from(Factors::word(2).powi(c.clone()));
        let right = Number::from(natural(c).powi(theorem_exponent(steps)));
        Ok(relation(&left, &right)? != Relation::Less)
    })
}
