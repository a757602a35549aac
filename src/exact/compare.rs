//! Exact comparison, in the form in which evidence records it.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use thiserror::Error;

use super::interval::{Enclosure, floor_log2_scaled};
use super::number::{BIT_LIMIT, Number, NumberError, Tower};
use super::power::{ExpandError, Factors, PowerProduct, coprime_base, log2_sums};
use super::ratio;

/// Largest precision tried for logarithms.
pub const MAX_K: u32 = 1 << 14;

/// Largest mantissa tried for sums.
pub const MAX_WIDTH: u64 = 1 << 12;

/// How two exact numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// The left side is smaller.
    Less,
    /// The sides are equal.
    Equal,
    /// The left side is larger.
    Greater,
}

impl Relation {
    /// `<`, `=` or `>`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::Equal => "=",
            Self::Greater => ">",
        }
    }
}

impl From<Ordering> for Relation {
    fn from(ordering: Ordering) -> Self {
        match ordering {
            Ordering::Less => Self::Less,
            Ordering::Equal => Self::Equal,
            Ordering::Greater => Self::Greater,
        }
    }
}

/// A side of a comparison as it is written in evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// A rational.
    Plain(BigRational),
    /// A power product: increasing pairwise coprime bases with non-zero exponents.
    Pow(Vec<(BigUint, BigRational)>),
    /// A power whose exponent is too long to be written out.
    Tower {
        /// The base.
        base: Box<Written>,
        /// The exponent.
        exponent: Box<Written>,
    },
    /// A sum of power products that is too long to be written out. The evidence format has no form for it.
    Sum(Vec<Written>),
}

/// The outcome of a comparison, with what a checker needs to repeat it.
///
/// # Domain
/// The fields are those of the evidence kind `comparison`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The left side.
    pub left: Written,
    /// The true relation.
    pub relation: Relation,
    /// The right side.
    pub right: Written,
    /// If a side is factored: the bases of left/right with coprime integer exponents; empty if the sides are equal or one is not positive.
    pub cancelled: Option<Vec<(BigUint, BigInt)>>,
    /// If a side is not plain: the least deciding precision.
    pub k: Option<u32>,
}

/// Why two numbers were not compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CompareError {
    /// A side has no exact form.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The comparison is out of reach.
    #[error("undecided: needs about {bits} bits")]
    Undecided {
        /// About how many bits it would take.
        bits: BigInt,
    },
}

/// Compares two numbers and says how a checker can repeat it.
///
/// # Errors
/// [`CompareError::Undecided`] naming a size; [`CompareError::Number`] for a side without an exact form.
/// # Cost
/// Sums are written out if they fit [`BIT_LIMIT`], and so are exponents of towers. Power products: one enclosure of the
/// logarithm of every base with 16 bits, doubled until the sign is decided. [`relation`] is faster for sums and towers.
pub fn compare(left: &Number, right: &Number) -> Result<Comparison, CompareError> {
    let (left, right) = sides(left, right)?;
    let (left, right) = (written_out(left)?, written_out(right)?);
    let decision = decide(&left, &right)?;
    Ok(Comparison {
        left: write(&left),
        relation: decision.ordering.into(),
        right: write(&right),
        cancelled: decision.cancelled,
        k: decision.k,
    })
}

/// The relation alone, without writing out sums or exponents unless that is the only way.
///
/// # Errors
/// As [`compare`].
/// # Cost
/// Sums by enclosures of 64 bits, doubled until decided; towers by enclosures of the logarithms of their bases.
pub fn relation(left: &Number, right: &Number) -> Result<Relation, CompareError> {
    let (left, right) = sides(left, right)?;
    Ok(decide(&left, &right)?.ordering.into())
}

/// The order with what decided it.
struct Decision {
    ordering: Ordering,
    cancelled: Option<Vec<(BigUint, BigInt)>>,
    k: Option<u32>,
}

/// A logarithm on either side replaces both sides by powers of two.
fn sides(left: &Number, right: &Number) -> Result<(Number, Number), NumberError> {
    if left.is_log() || right.is_log() {
        return Ok((left.exp2()?, right.exp2()?));
    }
    Ok((left.clone(), right.clone()))
}

/// Expands a sum and the exponent of a tower, if they fit.
fn written_out(side: Number) -> Result<Number, NumberError> {
    let expanded = match &side {
        Number::Sum(_) => side.to_rational().map(Number::Plain),
        Number::Tower(tower) => tower.flatten().map(Number::Factored),
        Number::Plain(_) | Number::Factored(_) | Number::Log(_) | Number::LogTower(_) => {
            return Ok(side);
        }
    };
    match expanded {
        Err(NumberError::TooLarge { .. }) => Ok(side),
        Ok(_) | Err(_) => expanded,
    }
}

fn write(side: &Number) -> Written {
    match side {
        Number::Plain(value) => Written::Plain(value.clone()),
        Number::Factored(factors) | Number::Log(factors) => write_factors(factors),
        Number::Tower(tower) | Number::LogTower(tower) => Written::Tower {
            base: Box::new(write(&Number::from(tower.base.clone()))),
            exponent: Box::new(write(&Number::from(tower.exponent.clone()))),
        },
        Number::Sum(terms) => Written::Sum(terms.iter().map(write_factors).collect()),
    }
}

fn write_factors(factors: &Factors) -> Written {
    let canonical = factors.canonical();
    if canonical.is_one() {
        return Written::Plain(BigRational::one());
    }
    Written::Pow(
        canonical
            .exponents()
            .map(|(b, e)| (b.clone(), e.clone()))
            .collect(),
    )
}

fn decide(left: &Number, right: &Number) -> Result<Decision, CompareError> {
    if let (Number::Plain(a), Number::Plain(b)) = (left, right) {
        return Ok(Decision {
            ordering: ratio::cmp(a, b),
            cancelled: None,
            k: None,
        });
    }
    if is_not_positive(left) {
        return Ok(by_sign(Ordering::Less));
    }
    if is_not_positive(right) {
        return Ok(by_sign(Ordering::Greater));
    }
    match (left, right) {
        (Number::Sum(_), Number::Tower(_)) | (Number::Tower(_), Number::Sum(_)) => {
            Err(CompareError::Undecided {
                bits: BIT_LIMIT.into(),
            })
        }
        (Number::Sum(_), _) | (_, Number::Sum(_)) => sums(&terms(left)?, &terms(right)?),
        (Number::Tower(_), _) | (_, Number::Tower(_)) => {
            towers(&as_power(left)?, &as_power(right)?)
        }
        (_, _) => factored(left, right),
    }
}

fn is_not_positive(side: &Number) -> bool {
    matches!(side, Number::Plain(value) if !value.is_positive())
}

/// A side that is not positive against one that is: no logarithm is needed.
fn by_sign(ordering: Ordering) -> Decision {
    Decision {
        ordering,
        cancelled: Some(Vec::new()),
        k: Some(0),
    }
}

/// The atoms of a positive plain or factored side.
fn atoms(side: &Number) -> Result<Factors, NumberError> {
    match side {
        Number::Plain(value) => Factors::of_ratio(value).ok_or_else(|| NumberError::Domain {
            function: "log2",
            value: value.clone(),
        }),
        Number::Factored(factors) => Ok(factors.clone()),
        Number::Sum(_) | Number::Tower(_) | Number::Log(_) | Number::LogTower(_) => {
            Err(NumberError::Logarithm)
        }
    }
}

fn factored(left: &Number, right: &Number) -> Result<Decision, CompareError> {
    let quotient = atoms(left)?.canonical().div(&atoms(right)?.canonical());
    let cancelled = coprime_exponents(&quotient);
    let (ordering, k) = sign_of_logarithm(&cancelled)?;
    Ok(Decision {
        ordering,
        cancelled: Some(cancelled),
        k: Some(k),
    })
}

/// The exponents, cleared of denominators and divided by their gcd.
fn coprime_exponents(quotient: &PowerProduct) -> Vec<(BigUint, BigInt)> {
    let (_, mut terms) = quotient.cleared();
    let common = terms
        .iter()
        .fold(BigUint::zero(), |g, (_, e)| ratio::gcd(&g, e.magnitude()));
    if common > BigUint::one() {
        let common = BigInt::from(common);
        for (_, exponent) in &mut terms {
            *exponent /= &common;
        }
    }
    terms
}

/// The sign of `sum e_i log2(b_i)` for coprime bases, and the least k at which the enclosures decide it.
///
/// The sum is 0 only if it is empty. What decides at k decides at k + 1, since `2 f_k <= f_(k+1)` and `f_(k+1) + 1 <= 2 (f_k + 1)`: so
/// the least k is found by bisection, from floors that are shifted down from the largest precision.
fn sign_of_logarithm(terms: &[(BigUint, BigInt)]) -> Result<(Ordering, u32), CompareError> {
    if terms.is_empty() {
        return Ok((Ordering::Equal, 0));
    }
    let mut top = 16;
    while top <= MAX_K {
        let floors: Vec<BigInt> = terms
            .iter()
            .map(|(base, _)| floor_log2_scaled(base, top))
            .collect();
        let at = |k: u32| {
            let shifted: Vec<BigInt> = floors.iter().map(|f| f >> (top - k)).collect();
            sign_of_bounds(&log2_sums(terms, &shifted))
        };
        if let Some(ordering) = at(top) {
            return Ok((ordering, least(top, |k| at(k).is_some())));
        }
        top *= 2;
    }
    Err(CompareError::Undecided {
        bits: (2 * MAX_K).into(),
    })
}

fn sign_of_bounds((low, high): &(BigInt, BigInt)) -> Option<Ordering> {
    if !low.is_negative() {
        Some(Ordering::Greater)
    } else if !high.is_positive() {
        Some(Ordering::Less)
    } else {
        None
    }
}

/// The least k in `0..=top` with a monotone property that holds at `top`.
fn least(top: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut below, mut at) = (0, top);
    while below < at {
        let middle = below.midpoint(at);
        if holds(middle) {
            at = middle;
        } else {
            below = middle + 1;
        }
    }
    at
}

/// `base^exponent` with canonical parts, as a side of a tower comparison.
struct CanonicalTower {
    base: PowerProduct,
    exponent: PowerProduct,
}

fn as_power(side: &Number) -> Result<CanonicalTower, NumberError> {
    let canonical = |tower: &Tower| CanonicalTower {
        base: tower.base.canonical(),
        exponent: tower.exponent.canonical(),
    };
    match side {
        Number::Tower(tower) => Ok(canonical(tower)),
        Number::Plain(_)
        | Number::Factored(_)
        | Number::Sum(_)
        | Number::Log(_)
        | Number::LogTower(_) => Ok(CanonicalTower {
            base: atoms(side)?.canonical(),
            exponent: PowerProduct::one(),
        }),
    }
}

/// Compares `E log2(B)` with `F log2(C)` by enclosures of the two logarithms.
///
/// If `B` and `C` are powers of one number, the quotient of the logarithms is a known rational. Otherwise it is irrational, hence
/// transcendental (Gelfond-Schneider) and different from the algebraic `F/E`: the enclosures decide in the end.
fn towers(left: &CanonicalTower, right: &CanonicalTower) -> Result<Decision, CompareError> {
    let undecorated = |(ordering, k)| Decision {
        ordering,
        cancelled: None,
        k: Some(k),
    };
    let sign = |base: &PowerProduct| sign_of_logarithm(&coprime_exponents(base)).map(|(s, _)| s);
    let (s, t) = (sign(&left.base)?, sign(&right.base)?);
    if s != t || s == Ordering::Equal {
        return Ok(undecorated((s.cmp(&t), 0)));
    }
    if s == Ordering::Less {
        let inverse = |x: &CanonicalTower| CanonicalTower {
            base: PowerProduct::one().div(&x.base),
            exponent: x.exponent.clone(),
        };
        return towers(&inverse(right), &inverse(left));
    }
    let exponents = left.exponent.div(&right.exponent);
    if let Some(quotient) = logarithm_quotient(&left.base, &right.base) {
        let Some(factor) = PowerProduct::of_ratio(&quotient) else {
            return Err(CompareError::Undecided {
                bits: BigInt::zero(),
            });
        };
        return Ok(undecorated(sign_of_logarithm(&coprime_exponents(
            &exponents.mul(&factor),
        ))?));
    }
    tower_precision(&exponents, &left.base, &right.base).map(undecorated)
}

/// `log2(a) / log2(b)` if it is rational: the exponents over a common base are proportional.
fn logarithm_quotient(a: &PowerProduct, b: &PowerProduct) -> Option<BigRational> {
    let bases = coprime_base(
        a.exponents()
            .chain(b.exponents())
            .map(|(base, _)| base.clone()),
    );
    let at = |base: &BigUint| ratio::div(&a.exponent_over(base), &b.exponent_over(base));
    let quotients: Vec<BigRational> = bases.iter().map(at).collect::<Option<_>>()?;
    let first = quotients.first()?.clone();
    quotients.iter().all(|q| *q == first).then_some(first)
}

/// The order of `exponents * log2(a)` and `log2(b)`, both above 0, and the least k that decides it.
fn tower_precision(
    exponents: &PowerProduct,
    a: &PowerProduct,
    b: &PowerProduct,
) -> Result<(Ordering, u32), CompareError> {
    let mut top = 1;
    while top <= MAX_K {
        if let Some(ordering) = tower_at(exponents, a, b, top)? {
            let mut k = top;
            while k > 0 && tower_at(exponents, a, b, k - 1)?.is_some() {
                k -= 1;
            }
            return Ok((ordering, k));
        }
        top *= 2;
    }
    Err(CompareError::Undecided {
        bits: (2 * MAX_K).into(),
    })
}

fn tower_at(
    exponents: &PowerProduct,
    a: &PowerProduct,
    b: &PowerProduct,
    k: u32,
) -> Result<Option<Ordering>, CompareError> {
    let (low_a, high_a, unit_a) = a.log2_bounds(k);
    let (low_b, high_b, unit_b) = b.log2_bounds(k);
    // exponents * (p / unit_a) against q / unit_b, for positive p and q
    let order = |p: &BigInt, q: &BigInt| -> Result<Option<Ordering>, CompareError> {
        let quotient = ratio::ratio(p * BigInt::from(unit_b.clone()), q.magnitude() * &unit_a);
        match quotient.and_then(|quotient| PowerProduct::of_ratio(&quotient)) {
            Some(factor) => Ok(Some(
                sign_of_logarithm(&coprime_exponents(&exponents.mul(&factor)))?.0,
            )),
            None => Ok(None),
        }
    };
    if low_a.is_positive() && order(&low_a, &high_b)?.is_some_and(Ordering::is_ge) {
        return Ok(Some(Ordering::Greater));
    }
    if low_b.is_positive() && order(&high_a, &low_b)?.is_some_and(Ordering::is_le) {
        return Ok(Some(Ordering::Less));
    }
    Ok(None)
}

/// The terms of a positive side that is a sum or one product.
fn terms(side: &Number) -> Result<Vec<PowerProduct>, NumberError> {
    match side {
        Number::Sum(terms) => Ok(terms.iter().map(Factors::canonical).collect()),
        Number::Plain(_)
        | Number::Factored(_)
        | Number::Tower(_)
        | Number::Log(_)
        | Number::LogTower(_) => Ok(vec![atoms(side)?.canonical()]),
    }
}

/// Compares two sums of power products: by enclosures of growing width, then, since equal sums never separate, by expanding
/// both over their common factor.
fn sums(left: &[PowerProduct], right: &[PowerProduct]) -> Result<Decision, CompareError> {
    let mut width = 64;
    while width <= MAX_WIDTH {
        let (Some(a), Some(b)) = (enclose_sum(left, width), enclose_sum(right, width)) else {
            break;
        };
        if let Some(ordering) = a.compare(&b).filter(|order| order.is_ne()) {
            return Ok(Decision {
                ordering,
                cancelled: None,
                k: u32::try_from(width).ok(),
            });
        }
        width *= 2;
    }
    let common = common_factor(&left.iter().chain(right).collect::<Vec<_>>());
    let total = |side: &[PowerProduct]| {
        let expand =
            |term: &PowerProduct| term.div(&common).to_rational(BIT_LIMIT).map_err(undecided);
        let values: Result<Vec<BigRational>, CompareError> = side.iter().map(expand).collect();
        values.map(|values| {
            values
                .iter()
                .fold(BigRational::zero(), |sum, value| ratio::add(&sum, value))
        })
    };
    let ordering = ratio::cmp(&total(left)?, &total(right)?);
    Ok(Decision {
        ordering,
        cancelled: None,
        k: Some(0),
    })
}

fn undecided(error: ExpandError) -> CompareError {
    match error {
        ExpandError::TooLarge { bits } => CompareError::Undecided { bits },
        ExpandError::Irrational => CompareError::Number(NumberError::Irrational),
    }
}

fn enclose_sum(terms: &[PowerProduct], width: u64) -> Option<Enclosure> {
    let enclosures: Option<Vec<Enclosure>> = terms.iter().map(|term| term.enclose(width)).collect();
    enclosures?.into_iter().reduce(|a, b| a.add(&b))
}

/// `prod b^(least exponent)` over all bases of the terms.
fn common_factor(terms: &[&PowerProduct]) -> PowerProduct {
    let bases = coprime_base(
        terms
            .iter()
            .flat_map(|term| term.exponents())
            .map(|(base, _)| base.clone()),
    );
    let one = PowerProduct::one();
    bases.iter().fold(one, |common, base| {
        let least = terms
            .iter()
            .map(|term| term.exponent_over(base))
            .min()
            .unwrap_or_default();
        match PowerProduct::of_integer(base) {
            Some(power) => common.mul(&power.pow(&least)),
            None => common,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Pow;
    use proptest::prelude::*;

    fn n(x: u64) -> Number {
        Number::from(x)
    }

    fn power(base: u64, exponent: u64) -> Number {
        n(base).pow(&n(exponent)).unwrap()
    }

    fn pow(list: &[(u64, i64)]) -> Written {
        Written::Pow(
            list.iter()
                .map(|(b, e)| (BigUint::from(*b), ratio::integer(*e)))
                .collect(),
        )
    }

    #[test]
    fn the_example_of_the_evidence_format() {
        // N_1 = K^14, K = (2c)^8 8^8 at L = 2, c = 760
        let k = n(1520).pow(&n(8)).unwrap().mul(&power(8, 8)).unwrap();
        let got = compare(&power(2, 1520), &k.pow(&n(14)).unwrap()).unwrap();
        let cancelled =
            [(2_u32, 46), (5, -7), (19, -7)].map(|(b, e)| (BigUint::from(b), BigInt::from(e)));
        let expected = Comparison {
            left: pow(&[(2, 1520)]),
            relation: Relation::Greater,
            right: pow(&[(2, 784), (5, 112), (19, 112)]),
            cancelled: Some(cancelled.to_vec()),
            k: Some(9),
        };
        assert_eq!(got, expected);
    }

    #[test]
    fn the_forms_of_sides() {
        let plain = compare(&n(3), &n(4)).unwrap();
        assert_eq!(
            (plain.relation, plain.cancelled, plain.k),
            (Relation::Less, None, None)
        );
        let equal = compare(&power(6, 40), &power(2, 40).mul(&power(3, 40)).unwrap()).unwrap();
        assert_eq!(
            (equal.relation, equal.cancelled, equal.k),
            (Relation::Equal, Some(vec![]), Some(0))
        );
        // A factored side against a plain one: the plain one is written plainly and factored for the quotient.
        let mixed = compare(&power(2, 80), &n(12)).unwrap();
        assert_eq!(mixed.right, Written::Plain(ratio::integer(12)));
        assert_eq!(
            mixed.cancelled.unwrap(),
            [
                (BigUint::from(2_u32), 78.into()),
                (BigUint::from(3_u32), (-1).into())
            ]
        );
        assert_eq!(mixed.k, Some(0));
        let zero = compare(&n(0), &power(2, 80)).unwrap();
        assert_eq!(
            (zero.relation, zero.cancelled, zero.k),
            (Relation::Less, Some(vec![]), Some(0))
        );
        assert_eq!(Relation::Less.as_str(), "<");
    }

    #[test]
    fn logarithms_compare_as_power_products() {
        // 5 log2(3) < 8, i.e. 243 < 256, and log2(9) = 2 log2(3)
        let log3 = n(3).log2().unwrap();
        let got = compare(&log3.mul(&n(5)).unwrap(), &n(8)).unwrap();
        assert_eq!(
            (got.left, got.relation, got.right),
            (pow(&[(3, 5)]), Relation::Less, pow(&[(2, 8)]))
        );
        let equal = compare(&n(9).log2().unwrap(), &log3.add(&log3).unwrap()).unwrap();
        assert_eq!(equal.relation, Relation::Equal);
        let half = n(1).div(&n(2)).unwrap();
        let root = compare(
            &log3.mul(&half).unwrap(),
            &n(1).sub(&log3.mul(&half).unwrap()).unwrap(),
        )
        .unwrap();
        assert_eq!(
            root.left,
            Written::Pow(vec![(
                BigUint::from(3_u32),
                BigRational::new(1.into(), 2.into())
            )])
        );
        assert_eq!(
            root.cancelled.unwrap(),
            [
                (BigUint::from(2_u32), (-1).into()),
                (BigUint::from(3_u32), 1.into())
            ]
        );
        let ones = compare(&n(1).log2().unwrap(), &n(0)).unwrap();
        assert_eq!(
            (ones.left, ones.k),
            (Written::Plain(ratio::integer(1)), Some(0))
        );
        assert!(log3.mul(&log3).is_err());
    }

    #[test]
    fn towers_with_huge_exponents() {
        let huge = power(10, 30).pow(&power(10, 30)).unwrap(); // a tower: 10^30 to the 10^30, in a power-of-ten exponent
        let e = power(2, 70).pow(&n(1 << 40)).unwrap(); // 2^(70 * 2^40)
        let bits = e.clone();
        let left = n(2).pow(&bits).unwrap();
        let right = n(3).pow(&bits).unwrap();
        for (a, b, expected) in [
            (&left, &right, Relation::Less),
            (&right, &left, Relation::Greater),
            (&left, &left, Relation::Equal),
            (
                &n(4).pow(&bits).unwrap(),
                &n(2).pow(&bits.mul(&n(2)).unwrap()).unwrap(),
                Relation::Equal,
            ),
            (&n(5), &left, Relation::Less),
            (&left, &e, Relation::Greater),
            (&huge, &left, Relation::Less),
        ] {
            assert_eq!(relation(a, b).unwrap(), expected);
            assert_eq!(compare(a, b).unwrap().relation, expected);
        }
        // 2^(8 E) against 3^(5 E): 8/5 against log2 3 = 1.58..
        let eight = n(2).pow(&bits.mul(&n(8)).unwrap()).unwrap();
        let five = n(3).pow(&bits.mul(&n(5)).unwrap()).unwrap();
        let got = compare(&eight, &five).unwrap();
        assert_eq!((got.relation, got.k), (Relation::Greater, Some(5)));
        let inverse = n(1).div(&n(2)).unwrap().pow(&bits).unwrap();
        assert_eq!(relation(&inverse, &left).unwrap(), Relation::Less);
        let third = n(1).div(&n(3)).unwrap().pow(&bits).unwrap();
        assert_eq!(relation(&inverse, &third).unwrap(), Relation::Greater);
        // an exponent that fits is written out
        let flat = compare(&n(2).pow(&power(2, 100)).unwrap(), &n(3)).unwrap();
        let exponent = ratio::integer(BigInt::one() << 100);
        assert_eq!(
            flat.left,
            Written::Pow(vec![(BigUint::from(2_u32), exponent)])
        );
    }

    #[test]
    fn sums_against_products() {
        let t = |b: u64, e: u64| Factors::word(b).powi(e);
        let huge = 1_u64 << 40;
        let sum = Number::sum_of(vec![t(2, huge), t(2, huge)]);
        assert_eq!(
            relation(&sum, &power(2, huge + 1)).unwrap(),
            Relation::Equal
        );
        assert_eq!(relation(&sum, &power(2, huge)).unwrap(), Relation::Greater);
        let more = Number::sum_of(vec![t(2, huge), t(2, huge), t(3, 1)]);
        let error = relation(&more, &power(2, huge + 1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "undecided: needs about 1099511627777 bits"
        );
        let got = compare(&more, &power(3, huge)).unwrap();
        assert_eq!((got.relation, got.k), (Relation::Less, Some(64)));
        assert!(matches!(got.left, Written::Sum(_)));
        // A sum that fits is written out, whatever it is compared with.
        let small = compare(&Number::sum_of(vec![t(2, 80), t(3, 2)]), &power(2, 80)).unwrap();
        assert_eq!(
            small.left,
            Written::Plain(ratio::integer((BigInt::one() << 80) + 9))
        );
        assert_eq!(small.relation, Relation::Greater);
    }

    fn side() -> impl Strategy<Value = Vec<(u64, i64)>> {
        prop::collection::vec((2_u64..100_000, -40_i64..41), 0..4)
    }

    fn number(list: &[(u64, i64)]) -> Number {
        let factor = |(b, e): &(u64, i64)| Factors::word(*b).powi(*e);
        Number::Factored(
            list.iter()
                .map(factor)
                .fold(Factors::one(), |x, y| x.mul(&y)),
        )
    }

    fn exact(list: &[(u64, i64)]) -> BigRational {
        let power = |(b, e): &(u64, i64)| Pow::pow(ratio::integer(*b), i32::try_from(*e).unwrap());
        list.iter()
            .map(power)
            .fold(BigRational::one(), |x, y| x * y)
    }

    proptest! {
        #[test]
        fn compare_agrees_with_expanding((a, b) in (side(), side())) {
            let (x, y) = (number(&a), number(&b));
            let got = compare(&x, &y).unwrap();
            prop_assert_eq!(got.relation, exact(&a).cmp(&exact(&b)).into());
            let sums = (Number::Sum(vec![Factors::word(7), Factors::word(3)]), &x);
            prop_assert_eq!(relation(&sums.0, sums.1).unwrap(), ratio::integer(10).cmp(&exact(&a)).into());
        }

        #[test]
        fn k_is_the_least_deciding_precision((a, b) in (side(), side())) {
            let got = compare(&number(&a), &number(&b)).unwrap();
            let (terms, k) = (got.cancelled.unwrap(), got.k.unwrap());
            // straight from the definition, by whole powers
            let decides = |k: u32| {
                let floors: Vec<BigInt> = terms.iter().map(|(base, _)| floor_log2_scaled(base, k)).collect();
                sign_of_bounds(&log2_sums(&terms, &floors)).is_some()
            };
            prop_assert!(terms.is_empty() || decides(k));
            prop_assert!(k == 0 || !decides(k - 1));
        }

        #[test]
        fn towers_agree_with_expanding(
            (a, b) in (2_u64..50, 2_u64..50), (e, f) in (1_u64..60, 1_u64..60),
        ) {
            let tower = |base, exponent| Number::Tower(Tower {
                base: Factors::word(base), exponent: Factors::word(exponent),
            });
            let order = Pow::pow(BigUint::from(a), e).cmp(&Pow::pow(BigUint::from(b), f));
            prop_assert_eq!(relation(&tower(a, e), &tower(b, f)).unwrap(), order.into());
        }
    }
}
