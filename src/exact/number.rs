//! Numbers of inequality claims: plain rationals, products of powers, towers, sums and logarithms, with exact arithmetic.
//!
//! The rules which number is written how are those of the design note on evidence: sums and the like are plain; `*`, `/` and `^` give a plain
//! number as long as numerator and denominator have at most 64 bits, and otherwise a product of their operands' atoms.

use std::fmt;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use thiserror::Error;

use super::count::{self, TooLong};
use super::interval::Enclosure;
use super::power::{ExpandError, Factors, approx_power_of_two};
use super::ratio;

/// Largest bit length of a number that is written out.
pub const BIT_LIMIT: u64 = 1 << 24;

/// Numerators and denominators of up to this many bits are written plainly.
pub const PLAIN_BITS: u64 = 64;

/// Why an operation has no exact result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NumberError {
    /// The result would have more than [`BIT_LIMIT`] bits.
    #[error("needs about {bits} bits")]
    TooLarge {
        /// About how many bits.
        bits: BigInt,
    },
    /// A divisor is zero, or below 1 where an integer divisor is meant.
    #[error("division by {divisor}")]
    Division {
        /// The divisor.
        divisor: BigRational,
    },
    /// An integer is needed.
    #[error("{value} is not an integer")]
    NotAnInteger {
        /// The value found.
        value: BigRational,
    },
    /// An argument is outside the domain of the function.
    #[error("{function} is not defined at {value}")]
    Domain {
        /// The function.
        function: &'static str,
        /// The argument.
        value: BigRational,
    },
    /// An irrational power was used where a rational is needed.
    #[error("an irrational power cannot be expanded")]
    Irrational,
    /// A logarithm was used in another way than as rational multiple, sum or side of a comparison.
    #[error("logarithms can only be added, subtracted, multiplied by numbers, and compared")]
    Logarithm,
}

impl From<ExpandError> for NumberError {
    fn from(error: ExpandError) -> Self {
        match error {
            ExpandError::TooLarge { bits } => Self::TooLarge { bits },
            ExpandError::Irrational => Self::Irrational,
        }
    }
}

impl From<TooLong> for NumberError {
    fn from(error: TooLong) -> Self {
        Self::TooLarge {
            bits: error.bits.into(),
        }
    }
}

/// `base^exponent` with an exponent that is itself a product of powers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tower {
    /// The base.
    pub base: Factors,
    /// The exponent, a positive number.
    pub exponent: Factors,
}

impl Tower {
    /// The same number with the exponent written out.
    ///
    /// # Errors
    /// [`NumberError::TooLarge`] if the exponent has more than [`BIT_LIMIT`] bits.
    pub fn flatten(&self) -> Result<Factors, NumberError> {
        let exponent = self.exponent.canonical().to_rational(BIT_LIMIT)?;
        Ok(self.base.pow(&exponent))
    }

    fn scaled(&self, by: &Factors) -> Self {
        Self {
            base: self.base.clone(),
            exponent: self.exponent.mul(by),
        }
    }

    /// The same tower with the base inverted.
    fn inverse(&self) -> Self {
        Self {
            base: self.base.powi(-1),
            exponent: self.exponent.clone(),
        }
    }
}

/// An exact real number.
///
/// # Domain
/// `Factored`, `Sum` and `Tower` are positive. A `Sum` has at least one term and stays unexpanded until an operation needs
/// it; it arises from [`Number::sum_of`] only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    /// A rational, written out.
    Plain(BigRational),
    /// A product of powers.
    Factored(Factors),
    /// A sum of products of powers.
    Sum(Vec<Factors>),
    /// A power with a factored exponent.
    Tower(Tower),
    /// The logarithm to base 2 of a product of powers.
    Log(Factors),
    /// The logarithm to base 2 of a power with a factored exponent.
    LogTower(Tower),
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self::Plain(ratio::integer(value))
    }
}

impl From<BigUint> for Number {
    fn from(value: BigUint) -> Self {
        Self::Plain(ratio::integer(value))
    }
}

impl From<BigInt> for Number {
    fn from(value: BigInt) -> Self {
        Self::Plain(ratio::integer(value))
    }
}

impl From<BigRational> for Number {
    fn from(value: BigRational) -> Self {
        Self::Plain(value)
    }
}

impl From<Factors> for Number {
    /// Plain if that is how it is written: at most 64 bits in numerator and denominator.
    fn from(factors: Factors) -> Self {
        match short(&factors) {
            Some(value) => Self::Plain(value),
            None => Self::Factored(factors),
        }
    }
}

/// The value, if numerator and denominator have at most [`PLAIN_BITS`] bits.
fn short(factors: &Factors) -> Option<BigRational> {
    if factors.clearly_longer_than(PLAIN_BITS) {
        return None;
    }
    factors.canonical().to_rational(PLAIN_BITS).ok()
}

fn refuse_over_limit(bits: impl Into<BigInt>) -> Result<(), NumberError> {
    let bits = bits.into();
    if bits > BigInt::from(BIT_LIMIT) {
        Err(NumberError::TooLarge { bits })
    } else {
        Ok(())
    }
}

fn two() -> Factors {
    Factors::word(2)
}

impl Number {
    /// A sum of positive products, kept unexpanded unless it is empty.
    #[must_use]
    pub fn sum_of(terms: Vec<Factors>) -> Self {
        match terms.as_slice() {
            [] => Self::from(0),
            [only] => Self::from(only.clone()),
            [..] => Self::Sum(terms),
        }
    }

    /// Whether this is a logarithm.
    #[must_use]
    pub fn is_log(&self) -> bool {
        matches!(self, Self::Log(_) | Self::LogTower(_))
    }

    fn is_zero(&self) -> bool {
        matches!(self, Self::Plain(value) if value.is_zero())
    }

    /// The rational this is, written out.
    ///
    /// # Errors
    /// [`NumberError::TooLarge`], decided before allocating; [`NumberError::Irrational`]; [`NumberError::Logarithm`].
    pub fn to_rational(&self) -> Result<BigRational, NumberError> {
        match self {
            Self::Plain(value) => Ok(value.clone()),
            Self::Factored(factors) => Ok(factors.canonical().to_rational(BIT_LIMIT)?),
            Self::Sum(terms) => {
                let mut sum = BigRational::zero();
                for term in terms {
                    sum = ratio::add(&sum, &term.canonical().to_rational(BIT_LIMIT)?);
                }
                refuse_over_limit(ratio::bit_length(&sum))?;
                Ok(sum)
            }
            Self::Tower(tower) => Ok(tower.flatten()?.canonical().to_rational(BIT_LIMIT)?),
            Self::Log(_) | Self::LogTower(_) => Err(NumberError::Logarithm),
        }
    }

    /// The integer this is, written out.
    ///
    /// # Errors
    /// As [`Number::to_rational`], and [`NumberError::NotAnInteger`].
    pub fn to_integer(&self) -> Result<BigInt, NumberError> {
        let value = self.to_rational()?;
        if value.is_integer() {
            Ok(value.numer().clone())
        } else {
            Err(NumberError::NotAnInteger { value })
        }
    }

    /// The non-negative integer this is, for a function that needs one.
    fn argument(&self, function: &'static str, least: u32) -> Result<BigUint, NumberError> {
        let value = self.to_integer()?;
        match value.to_biguint() {
            Some(natural) if natural >= BigUint::from(least) => Ok(natural),
            Some(_) | None => Err(NumberError::Domain {
                function,
                value: ratio::integer(value),
            }),
        }
    }

    /// This number as a product of atoms; `None` unless it is positive.
    fn factors(&self) -> Result<Option<Factors>, NumberError> {
        match self {
            Self::Plain(value) => Ok(Factors::of_ratio(value)),
            Self::Factored(factors) => Ok(Some(factors.clone())),
            Self::Sum(_) => Ok(Factors::of_ratio(&self.to_rational()?)),
            Self::Tower(tower) => Ok(Some(tower.flatten()?)),
            Self::Log(_) | Self::LogTower(_) => Err(NumberError::Logarithm),
        }
    }

    /// `2^self` where self is a side of a comparison; for a logarithm its argument.
    ///
    /// # Errors
    /// [`NumberError::TooLarge`] for towers and long sums.
    pub(crate) fn exp2(&self) -> Result<Self, NumberError> {
        match self {
            Self::Log(factors) => Ok(Self::Factored(factors.clone())),
            Self::LogTower(tower) => Ok(Self::Tower(tower.clone())),
            Self::Factored(exponent) => Ok(Self::Tower(Tower {
                base: two(),
                exponent: exponent.clone(),
            })),
            Self::Plain(_) | Self::Sum(_) | Self::Tower(_) => {
                Ok(Self::Factored(two().pow(&self.to_rational()?)))
            }
        }
    }

    /// The logarithm's argument as one product; a plain summand p counts as the logarithm of 2^p.
    fn log_argument(&self) -> Result<Factors, NumberError> {
        match self.exp2()? {
            Self::Factored(factors) => Ok(factors),
            Self::Tower(tower) => tower.flatten(),
            Self::Plain(_) | Self::Sum(_) | Self::Log(_) | Self::LogTower(_) => {
                Err(NumberError::Logarithm)
            }
        }
    }

    /// `self + other`.
    ///
    /// # Errors
    /// [`NumberError::TooLarge`] if an operand or the result is too long to be written out.
    pub fn add(&self, other: &Self) -> Result<Self, NumberError> {
        if self.is_log() || other.is_log() {
            return Ok(Self::Log(self.log_argument()?.mul(&other.log_argument()?)));
        }
        let (a, b) = (self.to_rational()?, other.to_rational()?);
        refuse_over_limit(sum_bits(&a, &b))?;
        Ok(Self::Plain(ratio::add(&a, &b)))
    }

    /// `self - other`.
    ///
    /// # Errors
    /// As [`Number::add`].
    pub fn sub(&self, other: &Self) -> Result<Self, NumberError> {
        if self.is_log() || other.is_log() {
            return Ok(Self::Log(self.log_argument()?.div(&other.log_argument()?)));
        }
        let (a, b) = (self.to_rational()?, other.to_rational()?);
        refuse_over_limit(sum_bits(&a, &b))?;
        Ok(Self::Plain(ratio::sub(&a, &b)))
    }

    /// `-self`.
    ///
    /// # Errors
    /// As [`Number::to_rational`].
    pub fn neg(&self) -> Result<Self, NumberError> {
        match self {
            Self::Log(factors) => Ok(Self::Log(factors.powi(-1))),
            Self::LogTower(tower) => Ok(Self::LogTower(tower.inverse())),
            Self::Plain(_) | Self::Factored(_) | Self::Sum(_) | Self::Tower(_) => {
                Ok(Self::Plain(-self.to_rational()?))
            }
        }
    }

    /// `|self|`.
    ///
    /// # Errors
    /// As [`Number::to_rational`].
    pub fn abs(&self) -> Result<Self, NumberError> {
        Ok(Self::Plain(self.to_rational()?.abs()))
    }

    /// `self * other`.
    ///
    /// # Errors
    /// [`NumberError::TooLarge`] if a negative product or a scaled logarithm is too long to be written out;
    /// [`NumberError::Logarithm`] for the product of two logarithms.
    pub fn mul(&self, other: &Self) -> Result<Self, NumberError> {
        match (self.is_log(), other.is_log()) {
            (true, true) => return Err(NumberError::Logarithm),
            (true, false) => return self.scale_log(other),
            (false, true) => return other.scale_log(self),
            (false, false) => {}
        }
        if let (Some(a), Some(b)) = (self.factors()?, other.factors()?) {
            return Ok(Self::from(a.mul(&b)));
        }
        // Only positive numbers are written as products.
        if self.is_zero() || other.is_zero() {
            return Ok(Self::from(0));
        }
        let (a, b) = (self.to_rational()?, other.to_rational()?);
        refuse_over_limit(product_bits(&a, &b))?;
        Ok(Self::Plain(ratio::mul(&a, &b)))
    }

    /// A multiple of a logarithm.
    fn scale_log(&self, by: &Self) -> Result<Self, NumberError> {
        match (self, by) {
            (Self::Log(base), Self::Factored(exponent)) => Ok(Self::LogTower(Tower {
                base: base.clone(),
                exponent: exponent.clone(),
            })),
            (Self::LogTower(tower), Self::Factored(exponent)) => {
                Ok(Self::LogTower(tower.scaled(exponent)))
            }
            (_, _) => Ok(Self::Log(self.log_argument()?.pow(&by.to_rational()?))),
        }
    }

    /// `1 / self` for a number that is not a logarithm.
    fn reciprocal(&self) -> Result<Self, NumberError> {
        match self {
            Self::Factored(factors) => Ok(Self::Factored(factors.powi(-1))),
            Self::Tower(tower) => Ok(Self::Tower(tower.inverse())),
            Self::Plain(_) | Self::Sum(_) | Self::Log(_) | Self::LogTower(_) => {
                let value = self.to_rational()?;
                let inverse = ratio::div(&BigRational::one(), &value);
                inverse
                    .map(Self::Plain)
                    .ok_or(NumberError::Division { divisor: value })
            }
        }
    }

    /// `self / other`, an exact rational.
    ///
    /// # Errors
    /// [`NumberError::Division`] by zero; else as [`Number::mul`].
    pub fn div(&self, other: &Self) -> Result<Self, NumberError> {
        self.mul(&other.reciprocal()?)
    }

    /// `self ^ exponent`.
    ///
    /// # Domain
    /// Any rational exponent for a positive base, an integer one for a negative base, a non-negative one for 0; `0^0 = 1`. With a
    /// factored exponent the result is a tower.
    /// # Errors
    /// [`NumberError::TooLarge`] if a negative power is too long to be written out; [`NumberError::Domain`],
    /// [`NumberError::Division`], [`NumberError::Logarithm`].
    pub fn pow(&self, exponent: &Self) -> Result<Self, NumberError> {
        if let Self::Tower(tower) = self
            && let Some(more) = exponent.factors()?
        {
            return Ok(Self::Tower(tower.scaled(&more)));
        }
        let base = self.factors()?;
        if let (Some(base), Self::Factored(exponent)) = (&base, exponent) {
            let tower = Tower {
                base: base.clone(),
                exponent: exponent.clone(),
            };
            return Ok(if base.canonical().is_one() {
                Self::from(1)
            } else {
                Self::Tower(tower)
            });
        }
        let exponent = exponent.to_rational()?;
        match base {
            Some(base) => Ok(Self::from(base.pow(&exponent))),
            None => signed_power(&self.to_rational()?, &exponent).map(Self::Plain),
        }
    }

    /// The smaller of two numbers, written out.
    ///
    /// # Errors
    /// As [`Number::to_rational`].
    pub fn min(&self, other: &Self) -> Result<Self, NumberError> {
        let (a, b) = (self.to_rational()?, other.to_rational()?);
        Ok(Self::Plain(if ratio::cmp(&a, &b).is_le() { a } else { b }))
    }

    /// The larger of two numbers, written out.
    ///
    /// # Errors
    /// As [`Number::to_rational`].
    pub fn max(&self, other: &Self) -> Result<Self, NumberError> {
        let (a, b) = (self.to_rational()?, other.to_rational()?);
        Ok(Self::Plain(if ratio::cmp(&a, &b).is_ge() { a } else { b }))
    }

    /// `self div other` and `self mod other`: `self = other * quotient + rest` with `0 <= rest < other`.
    ///
    /// # Errors
    /// [`NumberError::Division`] for a divisor below 1, [`NumberError::NotAnInteger`], or as [`Number::to_rational`].
    pub fn div_mod(&self, other: &Self) -> Result<(Self, Self), NumberError> {
        let (a, b) = (self.to_integer()?, other.to_integer()?);
        if !b.is_positive() {
            return Err(NumberError::Division {
                divisor: ratio::integer(b),
            });
        }
        let (quotient, rest) = a.div_mod_floor(&b);
        Ok((Self::from(quotient), Self::from(rest)))
    }

    /// `log2(self)`.
    ///
    /// # Domain
    /// Integers of at least 1.
    /// # Errors
    /// [`NumberError::Domain`]; [`NumberError::Logarithm`] for the logarithm of a logarithm.
    pub fn log2(&self) -> Result<Self, NumberError> {
        if let Self::Tower(tower) = self {
            return Ok(Self::LogTower(tower.clone()));
        }
        match self.factors()? {
            Some(factors) => Ok(Self::Log(factors)),
            None => Err(NumberError::Domain {
                function: "log2",
                value: self.to_rational()?,
            }),
        }
    }

    /// `bits(self) = ceil(log2 self)`, also of integers too long to be written out.
    ///
    /// # Errors
    /// [`NumberError::Domain`] below 1, [`NumberError::NotAnInteger`], or as [`Number::to_rational`].
    pub fn bits(&self) -> Result<Self, NumberError> {
        let s = self.argument("bits", 1)?;
        Ok(Self::from(count::bits(&s)))
    }

    /// The binomial coefficient, 0 for `k < 0` and for `k > n`.
    ///
    /// # Errors
    /// [`NumberError::Domain`] for `n < 0`, [`NumberError::TooLarge`], [`NumberError::NotAnInteger`].
    pub fn binomial(&self, k: &Self) -> Result<Self, NumberError> {
        let n = self.argument("binomial", 0)?;
        match k.to_integer()?.to_biguint() {
            Some(k) => Ok(Self::from(count::binomial(&n, &k, BIT_LIMIT)?)),
            None => Ok(Self::from(0)),
        }
    }

    /// The factorial.
    ///
    /// # Errors
    /// [`NumberError::Domain`] below 0, [`NumberError::TooLarge`], [`NumberError::NotAnInteger`].
    pub fn factorial(&self) -> Result<Self, NumberError> {
        Ok(Self::from(count::factorial(
            &self.argument("factorial", 0)?,
            BIT_LIMIT,
        )?))
    }

    /// Encloses the number by mantissas of about `width` bits.
    ///
    /// # Domain
    /// `None` unless the number is positive; `None` for towers and for exponents that [`PowerProduct::enclose`] refuses.
    ///
    /// [`PowerProduct::enclose`]: super::PowerProduct::enclose
    #[must_use]
    pub fn enclose(&self, width: u64) -> Option<Enclosure> {
        match self {
            Self::Plain(value) => Enclosure::of_ratio(value, width),
            Self::Factored(factors) => factors.canonical().enclose(width),
            Self::Sum(terms) => {
                let terms: Vec<Enclosure> = terms
                    .iter()
                    .map(|t| t.canonical().enclose(width))
                    .collect::<Option<_>>()?;
                terms.into_iter().reduce(|a, b| a.add(&b))
            }
            Self::Tower(_) => None,
            Self::Log(factors) => factors.canonical().enclose_log2(width),
            Self::LogTower(tower) => {
                let base = tower.base.canonical().enclose_log2(width)?;
                Some(tower.exponent.canonical().enclose(width)?.mul(&base))
            }
        }
    }

    /// For display only: `~2^x` with `x` to one decimal.
    ///
    /// # Domain
    /// Plain numbers of at most 64 bits are written out.
    #[must_use]
    pub fn approx(&self) -> String {
        match self {
            Self::Plain(value) if ratio::bit_length(value) <= PLAIN_BITS => value.to_string(),
            Self::Plain(value) => match Factors::of_ratio(&value.abs()) {
                Some(size) if value.is_negative() => format!("-{}", approx_ratio(&size)),
                Some(size) => approx_ratio(&size),
                None => "0".to_owned(),
            },
            Self::Factored(factors) => factors.canonical().approx_log2(),
            Self::Sum(_) => match self.enclose(128) {
                Some(enclosure) => enclosure.approx_log2(),
                None => "(a sum)".to_owned(),
            },
            Self::Tower(tower) => approx_tower(tower),
            Self::Log(factors) => format!("log2({})", factors.canonical().approx_log2()),
            Self::LogTower(tower) => format!("log2({})", approx_tower(tower)),
        }
    }
}

/// `~2^x` of a fraction whose parts may be long: their leading bits are enough.
fn approx_ratio(factors: &Factors) -> String {
    let (mut low, mut high) = (BigInt::zero(), BigInt::zero());
    for (atom, exponent) in factors.atoms() {
        let floor = super::interval::floor_log2_scaled(atom, 64);
        low += if exponent.is_negative() {
            -&floor - 1
        } else {
            floor.clone()
        };
        high += if exponent.is_negative() {
            -floor
        } else {
            floor + 1
        };
    }
    approx_power_of_two(&low, &high, &(BigUint::one() << 64))
}

fn approx_tower(tower: &Tower) -> String {
    let base = tower.base.canonical();
    format!(
        "({})^({})",
        base.approx_log2(),
        tower.exponent.canonical().approx_log2()
    )
}

fn sum_bits(a: &BigRational, b: &BigRational) -> u64 {
    if a.is_integer() && b.is_integer() {
        return a.numer().bits().max(b.numer().bits());
    }
    let cross = (a.numer().bits() + b.denom().bits()).max(b.numer().bits() + a.denom().bits());
    cross
        .max(a.denom().bits() + b.denom().bits())
        .saturating_sub(1)
}

fn product_bits(a: &BigRational, b: &BigRational) -> u64 {
    (a.numer().bits() + b.numer().bits())
        .max(a.denom().bits() + b.denom().bits())
        .saturating_sub(1)
}

/// Powers of zero and of negative numbers.
fn signed_power(base: &BigRational, exponent: &BigRational) -> Result<BigRational, NumberError> {
    if exponent.is_zero() {
        return Ok(BigRational::one());
    }
    if base.is_zero() {
        let zero = BigRational::zero();
        return if exponent.is_positive() {
            Ok(zero)
        } else {
            Err(NumberError::Division { divisor: zero })
        };
    }
    if !exponent.is_integer() {
        return Err(NumberError::Domain {
            function: "^",
            value: exponent.clone(),
        });
    }
    let size = Factors::of_ratio(&base.abs())
        .unwrap_or_default()
        .pow(exponent);
    let value = size.canonical().to_rational(BIT_LIMIT)?;
    Ok(if exponent.numer().is_odd() {
        -value
    } else {
        value
    })
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(value) => value.fmt(f),
            Self::Factored(factors) => factors.canonical().fmt(f),
            Self::Sum(terms) => {
                for (i, term) in terms.iter().enumerate() {
                    f.write_str(if i > 0 { " + " } else { "" })?;
                    term.canonical().fmt(f)?;
                }
                Ok(())
            }
            Self::Tower(tower) => tower.fmt(f),
            Self::Log(factors) => write!(f, "log2({})", factors.canonical()),
            Self::LogTower(tower) => write!(f, "log2({tower})"),
        }
    }
}

impl fmt::Display for Tower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "({})^({})",
            self.base.canonical(),
            self.exponent.canonical()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{Relation, compare};
    use num_traits::Pow;
    use proptest::prelude::*;

    fn n(x: u64) -> Number {
        Number::from(x)
    }

    #[test]
    fn plain_up_to_64_bits_and_factored_beyond() {
        let x = n(2).pow(&n(63)).unwrap();
        assert_eq!(x, Number::from(1 << 63));
        let y = x.mul(&n(2)).unwrap();
        assert!(matches!(y, Number::Factored(_)));
        assert_eq!(y.div(&n(6)).unwrap().to_string(), "9223372036854775808/3");
        assert_eq!(y.div(&x).unwrap(), n(2));
        assert_eq!(y.add(&n(1)).unwrap().to_string(), "18446744073709551617");
        assert_eq!(y.sub(&y).unwrap(), n(0));
        let negative = Number::from(BigInt::from(-3)).mul(&y).unwrap();
        assert_eq!(negative.to_string(), "-55340232221128654848");
        assert_eq!(negative.mul(&n(0)).unwrap(), n(0));
        assert!(
            negative
                .pow(&n(3))
                .unwrap()
                .neg()
                .unwrap()
                .log2()
                .unwrap()
                .is_log()
        );
    }

    #[test]
    fn sizes_are_refused_before_computing() {
        let huge = n(3).pow(&n(u64::MAX)).unwrap();
        let error = huge.add(&n(1)).unwrap_err();
        assert!(error.to_string().starts_with("needs about 29"), "{error}");
        assert!(n(1_000_000).factorial().is_err());
        assert!(matches!(n(2).pow(&huge).unwrap(), Number::Tower(_)));
        assert!(n(2).pow(&huge).unwrap().mul(&n(3)).is_err());
        assert_eq!(n(1).pow(&huge).unwrap(), n(1));
        assert_eq!(n(0).mul(&huge).unwrap(), n(0));
        let tower = n(2).pow(&huge).unwrap();
        assert_eq!(
            compare(&tower.pow(&n(2)).unwrap(), &n(4).pow(&huge).unwrap())
                .unwrap()
                .relation,
            Relation::Equal
        );
    }

    #[test]
    fn integers_divide_with_floor() {
        let minus = Number::from(BigInt::from(-7));
        assert_eq!(
            minus.div_mod(&n(2)).unwrap(),
            (Number::from(BigInt::from(-4)), n(1))
        );
        assert!(minus.div_mod(&n(0)).is_err());
        assert!(n(1).div(&n(0)).is_err());
        assert_eq!(n(0).pow(&n(0)).unwrap(), n(1));
        assert!(n(0).pow(&minus).is_err());
        assert_eq!(n(5).binomial(&minus).unwrap(), n(0));
        assert_eq!(n(1024).bits().unwrap(), n(10));
        assert!(n(0).bits().is_err());
        assert_eq!(n(7).min(&n(3)).unwrap().max(&minus).unwrap(), n(3));
        assert_eq!(minus.abs().unwrap(), n(7));
    }

    #[test]
    fn display_only_sizes() {
        assert_eq!(n(2).pow(&n(560)).unwrap().approx(), "~2^560.0");
        assert_eq!(n(1000).approx(), "1000");
        assert_eq!(
            n(80).factorial().unwrap().neg().unwrap().approx(),
            "-~2^394.8"
        );
        let sum = Number::sum_of(vec![Factors::word(2).powi(100), Factors::word(3).powi(64)]);
        assert_eq!(sum.approx(), "~2^101.9");
    }

    proptest! {
        #[test]
        fn arithmetic_agrees_with_rationals(
            (a, b) in ((-40_i64..40, 1_i64..9), (-40_i64..40, 1_i64..9)), e in -9_i32..9,
        ) {
            let q = |(n, d): (i64, i64)| BigRational::new(n.into(), d.into());
            let (x, y) = (q(a), q(b));
            let (u, v) = (Number::from(x.clone()), Number::from(y.clone()));
            prop_assert_eq!(u.add(&v).unwrap().to_rational().unwrap(), &x + &y);
            prop_assert_eq!(u.sub(&v).unwrap().to_rational().unwrap(), &x - &y);
            prop_assert_eq!(u.mul(&v).unwrap().to_rational().unwrap(), &x * &y);
            if !y.is_zero() {
                prop_assert_eq!(u.div(&v).unwrap().to_rational().unwrap(), &x / &y);
                let power = v.pow(&Number::from(BigInt::from(e))).unwrap();
                prop_assert_eq!(power.to_rational().unwrap(), Pow::pow(&y, e));
            }
        }
    }
}
