//! Products of powers: positive reals `prod b_i^(e_i)` with integer bases and rational exponents.
//!
//! [`Factors`] remembers the atoms a number was built from; [`PowerProduct`] is its canonical form: primes below 2^16 split off, the
//! rest refined by gcd to the unique natural coprime base. Pairwise coprime bases are multiplicatively independent, so two power
//! products are equal exactly if their quotient is the empty product.

use std::collections::BTreeMap;
use std::fmt;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};
use thiserror::Error;

use super::interval::{Enclosure, floor_log2_scaled};
use super::{prime, ratio};

/// Why a power product was not written out as a rational.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExpandError {
    /// The number has more bits than the limit.
    #[error("needs about {bits} bits")]
    TooLarge {
        /// Bit length of the numerator or the denominator, whichever is over the limit.
        bits: BigInt,
    },
    /// An exponent is not an integer.
    #[error("is irrational")]
    Irrational,
}

/// A positive number as the product of its atoms, in the form in which it was built.
///
/// # Domain
/// Atoms are integers of at least 2, exponents are not zero. Atoms need not be coprime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Factors {
    atoms: BTreeMap<BigUint, BigRational>,
}

impl Factors {
    /// The empty product, 1.
    #[must_use]
    pub fn one() -> Self {
        Self::default()
    }

    /// `base^exponent` with one atom.
    ///
    /// # Domain
    /// `None` for base 0.
    #[must_use]
    pub fn power(base: &BigUint, exponent: &BigRational) -> Option<Self> {
        if base.is_zero() {
            return None;
        }
        let mut result = Self::one();
        result.multiply(base, exponent);
        Some(result)
    }

    /// A positive rational: its numerator and its denominator are one atom each.
    ///
    /// # Domain
    /// `None` for `x <= 0`.
    #[must_use]
    pub fn of_ratio(x: &BigRational) -> Option<Self> {
        if !x.is_positive() {
            return None;
        }
        let mut result = Self::one();
        result.multiply(x.numer().magnitude(), &BigRational::one());
        result.multiply(x.denom().magnitude(), &-BigRational::one());
        Some(result)
    }

    /// A machine integer as one atom.
    ///
    /// # Domain
    /// 0 and 1 give the empty product.
    #[must_use]
    pub fn word(x: u64) -> Self {
        let mut result = Self::one();
        result.multiply(&BigUint::from(x.max(1)), &BigRational::one());
        result
    }

    fn multiply(&mut self, atom: &BigUint, exponent: &BigRational) {
        if !atom.is_one() {
            accumulate(&mut self.atoms, atom, exponent);
        }
    }

    /// The product, in which an atom whose exponent becomes zero is forgotten.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Self {
        let mut result = self.clone();
        for (atom, exponent) in &other.atoms {
            result.multiply(atom, exponent);
        }
        result
    }

    /// The quotient.
    #[must_use]
    pub fn div(&self, other: &Self) -> Self {
        self.mul(&other.pow(&-BigRational::one()))
    }

    /// The power with a rational exponent.
    #[must_use]
    pub fn pow(&self, exponent: &BigRational) -> Self {
        if exponent.is_zero() {
            return Self::one();
        }
        let scaled = |(atom, e): (&BigUint, &BigRational)| (atom.clone(), ratio::mul(e, exponent));
        Self {
            atoms: self.atoms.iter().map(scaled).collect(),
        }
    }

    /// The power with an integer exponent.
    #[must_use]
    pub fn powi(&self, exponent: impl Into<BigInt>) -> Self {
        self.pow(&ratio::integer(exponent))
    }

    /// The product of several numbers.
    #[must_use]
    pub fn product<'a>(factors: impl IntoIterator<Item = &'a Self>) -> Self {
        factors
            .into_iter()
            .fold(Self::one(), |product, factor| product.mul(factor))
    }

    /// The atoms with their exponents, by increasing atom.
    pub fn atoms(&self) -> impl Iterator<Item = (&BigUint, &BigRational)> {
        self.atoms.iter()
    }

    /// The canonical form.
    ///
    /// # Cost
    /// See [`PowerProduct::from_atoms`].
    #[must_use]
    pub fn canonical(&self) -> PowerProduct {
        PowerProduct::from_atoms(self.atoms())
    }

    /// Whether the exponents alone show a positive integer of more than `bits` bits.
    ///
    /// # Domain
    /// False says nothing: atoms may cancel.
    #[must_use]
    pub fn clearly_longer_than(&self, bits: u64) -> bool {
        let mut least = BigRational::zero();
        for (atom, exponent) in &self.atoms {
            if exponent.is_negative() || !exponent.is_integer() {
                return false;
            }
            least = ratio::add(
                &least,
                &ratio::mul(exponent, &ratio::integer(atom.bits() - 1)),
            );
        }
        least >= ratio::integer(bits)
    }
}

fn accumulate(map: &mut BTreeMap<BigUint, BigRational>, base: &BigUint, exponent: &BigRational) {
    if exponent.is_zero() {
        return;
    }
    let sum = match map.get(base) {
        Some(old) => ratio::add(old, exponent),
        None => exponent.clone(),
    };
    if sum.is_zero() {
        map.remove(base);
    } else {
        map.insert(base.clone(), sum);
    }
}

/// The unique natural coprime base of some integers: pairwise coprime, each input a product of powers of members.
///
/// # Domain
/// Zeros and ones are ignored. The result is sorted and does not depend on the order of the inputs.
/// # Cost
/// Quadratic in the number of members, one gcd per pair.
#[must_use]
pub fn coprime_base(integers: impl IntoIterator<Item = BigUint>) -> Vec<BigUint> {
    let mut queue: Vec<BigUint> = integers.into_iter().filter(|x| !x.is_zero()).collect();
    let mut base: Vec<BigUint> = Vec::new();
    // Each split divides the product of everything by the gcd found, so this ends.
    while let Some(x) = queue.pop() {
        if x.is_one() {
            continue;
        }
        let hit = base.iter().enumerate().find_map(|(i, b)| {
            let common = ratio::gcd(b, &x);
            (!common.is_one()).then_some((i, common))
        });
        let Some((i, common)) = hit else {
            base.push(x);
            continue;
        };
        let b = base.swap_remove(i);
        queue.extend([b / &common, x / &common, common]);
    }
    base.sort();
    base
}

/// A positive real in canonical form: pairwise coprime bases above 1 with non-zero rational exponents.
///
/// # Domain
/// Bases below 2^16 are primes; the others have no prime factor below 2^16. The empty product is 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PowerProduct {
    exponents: BTreeMap<BigUint, BigRational>,
}

impl PowerProduct {
    /// The empty product, 1.
    #[must_use]
    pub fn one() -> Self {
        Self::default()
    }

    /// The canonical form of a product of powers of any integers.
    ///
    /// # Domain
    /// Atoms of 0 and 1 are ignored.
    /// # Cost
    /// [`prime::split_small`] per atom, then [`coprime_base`] of what is left.
    #[must_use]
    pub fn from_atoms<'a>(atoms: impl IntoIterator<Item = (&'a BigUint, &'a BigRational)>) -> Self {
        let mut exponents = BTreeMap::new();
        let mut rough = Vec::new();
        for (atom, exponent) in atoms {
            let (small, rest) = prime::split_small(atom);
            for (p, count) in small {
                accumulate(
                    &mut exponents,
                    &BigUint::from(p),
                    &ratio::mul(exponent, &ratio::integer(count)),
                );
            }
            rough.push((rest, exponent.clone()));
        }
        refine(&mut exponents, &rough);
        Self { exponents }
    }

    /// A positive integer.
    ///
    /// # Domain
    /// `None` for 0.
    #[must_use]
    pub fn of_integer(x: &BigUint) -> Option<Self> {
        Factors::power(x, &BigRational::one()).map(|factors| factors.canonical())
    }

    /// A positive rational.
    ///
    /// # Domain
    /// `None` for `x <= 0`.
    #[must_use]
    pub fn of_ratio(x: &BigRational) -> Option<Self> {
        Factors::of_ratio(x).map(|factors| factors.canonical())
    }

    /// The product: the bases of both are refined together.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Self {
        let mut exponents = BTreeMap::new();
        let mut rough = Vec::new();
        for (base, exponent) in self.exponents.iter().chain(&other.exponents) {
            if *base < BigUint::from(prime::SMALL) {
                accumulate(&mut exponents, base, exponent);
            } else {
                rough.push((base.clone(), exponent.clone()));
            }
        }
        refine(&mut exponents, &rough);
        Self { exponents }
    }

    /// The quotient.
    #[must_use]
    pub fn div(&self, other: &Self) -> Self {
        self.mul(&other.pow(&-BigRational::one()))
    }

    /// The power with a rational exponent.
    #[must_use]
    pub fn pow(&self, exponent: &BigRational) -> Self {
        if exponent.is_zero() {
            return Self::one();
        }
        let scaled = |(base, e): (&BigUint, &BigRational)| (base.clone(), ratio::mul(e, exponent));
        Self {
            exponents: self.exponents.iter().map(scaled).collect(),
        }
    }

    /// Whether the number is 1.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.exponents.is_empty()
    }

    /// The bases with their exponents, by increasing base.
    pub fn exponents(&self) -> impl Iterator<Item = (&BigUint, &BigRational)> {
        self.exponents.iter()
    }

    /// The exponent of `base` when this number is written over a coprime base that `base` is a member of.
    ///
    /// # Domain
    /// That coprime base must refine the bases of this number, for instance [`coprime_base`] of them and others.
    #[must_use]
    pub fn exponent_over(&self, base: &BigUint) -> BigRational {
        let part = |(own, e): (&BigUint, &BigRational)| {
            ratio::mul(e, &ratio::integer(prime::valuation(own, base).0))
        };
        self.exponents
            .iter()
            .map(part)
            .fold(BigRational::zero(), |sum, e| ratio::add(&sum, &e))
    }

    /// Splits the number into the product of its positive powers and the inverse of the product of its negative ones.
    #[must_use]
    pub fn split(&self) -> (Self, Self) {
        let part = |wanted: bool| {
            let kept = self
                .exponents
                .iter()
                .filter(|(_, e)| e.is_positive() == wanted);
            Self {
                exponents: kept.map(|(b, e)| (b.clone(), e.abs())).collect(),
            }
        };
        (part(true), part(false))
    }

    /// The least `d >= 1` for which all exponents times `d` are integers, and the bases with these integers.
    #[must_use]
    pub fn cleared(&self) -> (BigUint, Vec<(BigUint, BigInt)>) {
        let lcm = |d: BigUint, e: &BigRational| {
            let other = e.denom().magnitude();
            &d / ratio::gcd(&d, other) * other
        };
        let common = self.exponents.values().fold(BigUint::one(), lcm);
        let whole = |e: &BigRational| e.numer() * (BigInt::from(common.clone()) / e.denom());
        let terms = self
            .exponents
            .iter()
            .map(|(b, e)| (b.clone(), whole(e)))
            .collect();
        (common, terms)
    }

    /// Integers `(low, high, d)` with `low <= 2^k * d * log2(value) <= high`.
    ///
    /// # Cost
    /// One [`floor_log2_scaled`] per base.
    #[must_use]
    pub fn log2_bounds(&self, k: u32) -> (BigInt, BigInt, BigUint) {
        let (common, terms) = self.cleared();
        let floors: Vec<BigInt> = terms
            .iter()
            .map(|(base, _)| floor_log2_scaled(base, k))
            .collect();
        let (low, high) = log2_sums(&terms, &floors);
        (low, high, common)
    }

    /// `floor(log2 value)`, exactly.
    ///
    /// # Cost
    /// [`PowerProduct::log2_bounds`] with 16 bits, doubled until both ends agree. It ends: unless 2 is the only base, the
    /// logarithm is irrational.
    #[must_use]
    pub fn floor_log2(&self) -> BigInt {
        let mut k = 16;
        loop {
            let (low, high, common) = self.log2_bounds(k);
            let unit = BigInt::from(common) << k;
            let floor = low.div_floor(&unit);
            if floor == high.div_floor(&unit) {
                return floor;
            }
            k *= 2;
        }
    }

    /// The integer this is.
    ///
    /// # Errors
    /// [`ExpandError::TooLarge`] if it has more than `limit` bits, decided before allocating; [`ExpandError::Irrational`] if it is not
    /// rational. A proper fraction gives `Ok(None)`.
    pub fn to_integer(&self, limit: u64) -> Result<Option<BigUint>, ExpandError> {
        let value = self.to_rational(limit)?;
        Ok(value
            .is_integer()
            .then(|| value.numer().magnitude().clone()))
    }

    /// The rational this is.
    ///
    /// # Errors
    /// [`ExpandError::TooLarge`] if numerator or denominator has more than `limit` bits, decided before allocating;
    /// [`ExpandError::Irrational`] if an exponent is not an integer.
    pub fn to_rational(&self, limit: u64) -> Result<BigRational, ExpandError> {
        if self.exponents.values().any(|e| !e.is_integer()) {
            return Err(ExpandError::Irrational);
        }
        let (numer, denom) = self.split();
        let (numer, denom) = (numer.expand(limit)?, denom.expand(limit)?);
        // Coprime bases: the fraction is in lowest terms.
        Ok(BigRational::new_raw(numer.into(), denom.into()))
    }

    /// Expands a product of positive integer powers.
    fn expand(&self, limit: u64) -> Result<BigUint, ExpandError> {
        let bits = self.floor_log2() + 1;
        if bits > BigInt::from(limit) {
            return Err(ExpandError::TooLarge { bits });
        }
        // Every exponent is below the bit length, hence fits.
        let power = |(base, e): (&BigUint, &BigRational)| match e.numer().to_u64() {
            Some(exponent) => Ok(Pow::pow(base, exponent)),
            None => Err(ExpandError::TooLarge {
                bits: e.numer().clone(),
            }),
        };
        let powers: Result<Vec<BigUint>, ExpandError> = self.exponents.iter().map(power).collect();
        Ok(super::count::product_tree(powers?))
    }

    /// Encloses the value by mantissas of `width` bits.
    ///
    /// # Domain
    /// `None` if an exponent has more than 4,096 bits in its numerator or 16 in its denominator.
    #[must_use]
    pub fn enclose(&self, width: u64) -> Option<Enclosure> {
        let mut result = Enclosure::of_integer(&BigUint::one(), width);
        for (base, exponent) in &self.exponents {
            if exponent.numer().bits() > 4096 || exponent.denom().bits() > 16 {
                return None;
            }
            let powered = Enclosure::of_integer(base, width).pow(exponent.numer().magnitude());
            let power = powered.root(exponent.denom().to_u32()?);
            result = match exponent.numer().sign() {
                Sign::Minus => result.div(&power)?,
                Sign::NoSign | Sign::Plus => result.mul(&power),
            };
        }
        Some(result)
    }

    /// Encloses the logarithm to base 2.
    ///
    /// # Domain
    /// `None` unless the value is above 1, or if that is not seen with `width` binary places.
    #[must_use]
    pub fn enclose_log2(&self, width: u64) -> Option<Enclosure> {
        let (low, high, common) = self.log2_bounds(u32::try_from(width).ok()?);
        let unit = common << width;
        let end = |x: BigInt| Enclosure::of_ratio(&ratio::ratio(x, unit.clone())?, width);
        Some(end(low)?.hull(&end(high)?))
    }

    /// For display only: `~2^x` with `x` to one decimal.
    #[must_use]
    pub fn approx_log2(&self) -> String {
        // As many places as the exponents have bits, and some more, so that the decimal shown is right.
        let longest = self
            .exponents
            .values()
            .map(|e| e.numer().bits())
            .max()
            .unwrap_or(0);
        let k = 64 + u32::try_from(longest.min(4096)).unwrap_or(4096);
        let (low, high, common) = self.log2_bounds(k);
        let unit = common << k;
        approx_power_of_two(&low, &high, &unit)
    }
}

/// `~2^x`, where x is known to lie between `low / unit` and `high / unit`, rounded to one decimal.
pub(crate) fn approx_power_of_two(low: &BigInt, high: &BigInt, unit: &BigUint) -> String {
    let unit = BigInt::from(unit.clone());
    // Tenths of the middle, rounded to nearest: floor(10 (low + high) / (2 unit) + 1/2).
    let tenths = (BigInt::from(10) * (low + high) + &unit).div_floor(&(BigInt::from(2) * unit));
    let sign = if tenths.is_negative() { "-" } else { "" };
    let (whole, tenth) = tenths.magnitude().div_rem(&BigUint::from(10_u32));
    format!("~2^{sign}{whole}.{tenth}")
}

/// Adds powers of integers without small primes, refined to coprime bases.
fn refine(exponents: &mut BTreeMap<BigUint, BigRational>, rough: &[(BigUint, BigRational)]) {
    let bases = coprime_base(rough.iter().map(|(part, _)| part.clone()));
    for (part, exponent) in rough {
        for base in &bases {
            let (count, _) = prime::valuation(part, base);
            accumulate(
                exponents,
                base,
                &ratio::mul(exponent, &ratio::integer(count)),
            );
        }
    }
}

/// Lower and upper bound of `sum e_i log2(b_i)` in units of `2^-k`, from the floors of `2^k log2(b_i)`.
///
/// # Domain
/// The floor of base 2 is taken as exact, all others as `[f, f + 1]`.
pub(crate) fn log2_sums(terms: &[(BigUint, BigInt)], floors: &[BigInt]) -> (BigInt, BigInt) {
    let two = BigUint::from(2_u32);
    let (mut low, mut high) = (BigInt::zero(), BigInt::zero());
    for ((base, exponent), floor) in terms.iter().zip(floors) {
        let main = exponent * floor;
        let slack = if *base == two {
            BigInt::zero()
        } else {
            exponent.clone()
        };
        let other = &main + slack;
        let (below, above) = if exponent.is_negative() {
            (other, main)
        } else {
            (main, other)
        };
        low += below;
        high += above;
    }
    (low, high)
}

fn write_exponent(
    f: &mut fmt::Formatter<'_>,
    base: &BigUint,
    exponent: &BigRational,
) -> fmt::Result {
    if exponent.is_one() {
        write!(f, "{base}")
    } else if exponent.is_integer() && exponent.is_positive() {
        write!(f, "{base}^{exponent}")
    } else {
        write!(f, "{base}^({exponent})")
    }
}

impl fmt::Display for PowerProduct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_one() {
            return f.write_str("1");
        }
        for (i, (base, exponent)) in self.exponents.iter().enumerate() {
            if i > 0 {
                f.write_str(" * ")?;
            }
            write_exponent(f, base, exponent)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn big(x: u64) -> BigUint {
        BigUint::from(x)
    }

    fn product(atoms: &[(u64, i64)]) -> PowerProduct {
        let owned: Vec<_> = atoms
            .iter()
            .map(|(b, e)| (big(*b), ratio::integer(*e)))
            .collect();
        PowerProduct::from_atoms(owned.iter().map(|(b, e)| (b, e)))
    }

    #[test]
    fn small_primes_are_split_and_the_rest_is_refined() {
        let (p, q, r) = (65537_u64, 65539_u64, 65543_u64);
        let x = product(&[(12 * p * q, 2), (p * p, -1), (r, 1)]);
        let got: Vec<String> = x.exponents().map(|(b, e)| format!("{b}^{e}")).collect();
        assert_eq!(got, ["2^4", "3^2", "65539^2", "65543^1"]);
        assert!(product(&[(6, 1), (2, -1), (3, -1), (1, 7)]).is_one());
        // A square that meets nothing stays a square: the natural base never takes roots.
        assert_eq!(coprime_base([big(p * p)]), [big(p * p)]);
        assert_eq!(coprime_base([big(p * p), big(p * p * p)]), [big(p)]);
    }

    #[test]
    fn size_is_decided_before_allocating() {
        let huge = product(&[(7, i64::MAX)]);
        assert!(matches!(
            huge.to_rational(1 << 24),
            Err(ExpandError::TooLarge { .. })
        ));
        assert_eq!(
            product(&[(2, 10), (3, -1)]).to_rational(64),
            Ok(BigRational::new(1024.into(), 3.into()))
        );
        assert_eq!(
            product(&[(2, 64)]).to_integer(64),
            Err(ExpandError::TooLarge { bits: 65.into() })
        );
        let root = product(&[(2, 1)]).pow(&BigRational::new(1.into(), 2.into()));
        assert_eq!(root.to_rational(64), Err(ExpandError::Irrational));
        assert_eq!(root.floor_log2(), BigInt::zero());
        assert_eq!(product(&[(2, 560)]).approx_log2(), "~2^560.0");
        assert_eq!(product(&[(3, -1)]).approx_log2(), "~2^-1.6");
        assert_eq!(root.pow(&ratio::integer(-3)).to_string(), "2^(-3/2)");
    }

    fn atoms() -> impl Strategy<Value = Vec<(u64, i64)>> {
        prop::collection::vec((2_u64..3_000_000, -6_i64..7), 0..5)
    }

    fn reference(atoms: &[(u64, i64)]) -> BigRational {
        let one = BigRational::one();
        atoms.iter().fold(one, |x, (b, e)| {
            x * Pow::pow(ratio::integer(*b), i32::try_from(*e).unwrap())
        })
    }

    proptest! {
        #[test]
        fn the_value_is_kept_and_the_bases_are_coprime(list in atoms()) {
            let x = product(&list);
            prop_assert_eq!(x.to_rational(10_000).unwrap(), reference(&list));
            let bases: Vec<_> = x.exponents().map(|(b, _)| b.clone()).collect();
            for (i, a) in bases.iter().enumerate() {
                for b in &bases[i + 1..] {
                    prop_assert!(ratio::gcd(a, b).is_one());
                }
            }
        }

        #[test]
        fn refinement_does_not_depend_on_the_order(
            parts in prop::collection::vec(prop::collection::vec(0_usize..6, 1..4), 1..6), seed in 0_usize..1000,
        ) {
            let primes = [65537_u64, 65539, 65543, 65551, 65557, 65563];
            let list: Vec<BigUint> = parts.iter().map(|p| p.iter().map(|i| big(primes[*i])).product()).collect();
            let mut shuffled = list.clone();
            let by = seed % list.len();
            shuffled.rotate_left(by);
            if seed % 2 == 1 {
                shuffled.reverse();
            }
            prop_assert_eq!(coprime_base(list.clone()), coprime_base(shuffled));
            // Adding a product, a quotient or a gcd of members changes nothing.
            let mut more = list.clone();
            more.push(&list[0] * &list[by]);
            more.push(ratio::gcd(&list[0], &list[by]));
            prop_assert_eq!(coprime_base(more), coprime_base(list));
        }

        #[test]
        fn laws((a, b) in (atoms(), atoms())) {
            let (x, y) = (product(&a), product(&b));
            prop_assert_eq!(x.mul(&y).to_rational(20_000).unwrap(), reference(&a) * reference(&b));
            prop_assert!(x.div(&x).is_one());
            let third = BigRational::new(1.into(), 3.into());
            prop_assert_eq!(x.pow(&third).pow(&ratio::integer(3)), x.clone());
            let exact = x.to_rational(10_000).unwrap();
            let (low, high) = x.enclose(30).unwrap().bounds().unwrap();
            prop_assert!(low <= exact && exact <= high);
            let floor = x.floor_log2().to_i32().unwrap();
            let two = ratio::integer(2);
            prop_assert!(Pow::pow(&two, floor) <= exact && exact < Pow::pow(&two, floor + 1));
        }
    }
}
