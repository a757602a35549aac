//! Input domains: records of fields, each with a digit form, and their one odometer.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// One element of a domain, as its digits in field order.
pub type Digits = Vec<u64>;

/// Largest exact bit length of a domain size that is computed at all.
const MAX_SIZE_BITS: u64 = 1 << 24;

/// How the values of one field are spelled in digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// `0..size`, one digit.
    Number(u64),
    /// A table of `len` entries, each in `0..values`; `len` digits.
    Table {
        /// Number of entries.
        len: u64,
        /// Number of values of an entry.
        values: u64,
    },
    /// A permutation of `0..n`; `n` digits.
    Permutation(u64),
    /// Any subset of `0..n`; `n` digits 0 or 1.
    Subset(u64),
    /// A subset of `0..n` with exactly `k` members; `n` digits 0 or 1.
    SubsetOf {
        /// Size of the ground set.
        n: u64,
        /// Number of members.
        k: u64,
    },
}

/// A named part of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The field's name; expressions and `--input` use it.
    pub name: String,
    /// The digits it stands for.
    pub form: Form,
}

/// The finite set one player's input is drawn from: a product of fields, ordered lexicographically by digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    fields: Vec<Field>,
    width: usize,
    /// Size of each field, and of the whole, where 64 bits hold it; asked for on every table look-up.
    field_sizes: Vec<Option<u64>>,
    index_size: Option<u64>,
}

/// Why a domain cannot be built or counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DomainError {
    /// A field has no value at all.
    #[error("domain 0, expected at least 1")]
    Empty,
    /// More digits than memory could hold.
    #[error("{0} digits in one input, at most 2^24 are supported")]
    TooWide(BigUint),
    /// The exact size has more bits than are ever computed.
    #[error("the size needs about {0} bits, at most 2^24 are supported")]
    TooLarge(BigUint),
}

impl Form {
    /// Number of digits.
    pub fn width(&self) -> u64 {
        match *self {
            Form::Number(_) => 1,
            Form::Table { len: n, .. }
            | Form::Permutation(n)
            | Form::Subset(n)
            | Form::SubsetOf { n, .. } => n,
        }
    }

    /// Exact number of values.
    ///
    /// # Errors
    /// [`DomainError::TooLarge`] when it has more than 2^24 bits.
    pub fn size(&self) -> Result<BigUint, DomainError> {
        let guard = |bits: BigUint| {
            if bits > BigUint::from(MAX_SIZE_BITS) {
                Err(DomainError::TooLarge(bits))
            } else {
                Ok(())
            }
        };
        match *self {
            Form::Number(n) => Ok(n.into()),
            Form::Table { len, values } => {
                let per_entry = u64::from(64 - values.leading_zeros());
                guard(BigUint::from(len) * per_entry)?;
                Ok(BigUint::from(values)
                    .pow(u32::try_from(len).map_err(|_| DomainError::TooLarge(len.into()))?))
            }
            Form::Permutation(n) => {
                guard(BigUint::from(n) * u64::from(64 - n.leading_zeros()))?;
                Ok((1..=n).fold(BigUint::one(), |product, i| product * i))
            }
            Form::Subset(n) => {
                guard(n.into())?;
                Ok(BigUint::one() << n)
            }
            Form::SubsetOf { n, k } => {
                guard(n.into())?;
                Ok(choose(n, k))
            }
        }
    }

    /// The size when it fits 64 bits, without big integers.
    fn small_size(&self) -> Option<u64> {
        match *self {
            Form::Number(n) => Some(n),
            Form::Table { values: 1, .. } => Some(1),
            Form::Table { len, values } => values.checked_pow(u32::try_from(len).ok()?),
            Form::Permutation(n) => (1..=n).try_fold(1u64, u64::checked_mul),
            Form::Subset(n) => 1u64.checked_shl(u32::try_from(n).ok()?),
            Form::SubsetOf { n, k } => (0..k.min(n - k))
                .try_fold(1u128, |product, i| {
                    let next = product * u128::from(n - i) / u128::from(i + 1);
                    u64::try_from(next).is_ok().then_some(next)
                })?
                .to_u64(),
        }
    }

    fn is_empty(&self) -> bool {
        match *self {
            Form::Number(n) => n == 0,
            Form::Table { len, values } => len > 0 && values == 0,
            Form::Permutation(_) | Form::Subset(_) => false,
            Form::SubsetOf { n, k } => k > n,
        }
    }

    /// Writes the first value in lexicographic order.
    fn write_first(&self, digits: &mut [u64]) {
        match *self {
            Form::Permutation(_) => digits.iter_mut().zip(0..).for_each(|(d, i)| *d = i),
            Form::SubsetOf { n, k } => {
                digits
                    .iter_mut()
                    .zip(0..)
                    .for_each(|(d, i)| *d = u64::from(i >= n - k));
            }
            Form::Number(_) | Form::Table { .. } | Form::Subset(_) => digits.fill(0),
        }
    }

    /// Steps to the next value; false, and back at the first, after the last.
    fn advance(&self, digits: &mut [u64]) -> bool {
        let radix = match *self {
            Form::Number(n) => n,
            Form::Table { values, .. } => values,
            Form::Subset(_) => 2,
            Form::Permutation(_) | Form::SubsetOf { .. } => {
                if next_arrangement(digits) {
                    return true;
                }
                self.write_first(digits);
                return false;
            }
        };
        for digit in digits.iter_mut().rev() {
            *digit += 1;
            if *digit < radix {
                return true;
            }
            *digit = 0;
        }
        false
    }

    fn contains(&self, digits: &[u64]) -> bool {
        match *self {
            Form::Number(n) => digits.iter().all(|&d| d < n),
            Form::Table { values, .. } => digits.iter().all(|&d| d < values),
            Form::Subset(_) => digits.iter().all(|&d| d < 2),
            Form::SubsetOf { k, .. } => {
                digits.iter().all(|&d| d < 2)
                    && digits.iter().map(|&d| u128::from(d)).sum::<u128>() == u128::from(k)
            }
            Form::Permutation(_) => {
                let mut seen = vec![false; digits.len()];
                digits.iter().all(|&d| {
                    usize::try_from(d)
                        .ok()
                        .and_then(|d| seen.get_mut(d))
                        .is_some_and(|seen| !std::mem::replace(seen, true))
                })
            }
        }
    }

    /// Appends the value with this lexicographic rank; the caller knows that the domain size fits 64 bits.
    fn unrank(&self, rank: u64, digits: &mut Digits) {
        let (width, radix) = match *self {
            Form::Number(n) => (1, n),
            Form::Table { len, values } => (len, values),
            Form::Subset(n) => (n, 2),
            Form::Permutation(n) => return digits.extend(unrank_permutation(n, rank)),
            Form::SubsetOf { n, mut k } => {
                let mut rest = rank;
                for left in (0..n).rev() {
                    // Arrangements that have 0 here come first.
                    let zeros = choose(left, k).to_u64().unwrap_or(u64::MAX);
                    let one = k > 0 && rest >= zeros;
                    if one {
                        rest -= zeros;
                        k -= 1;
                    }
                    digits.push(u64::from(one));
                }
                return;
            }
        };
        let mut rest = rank;
        let start = digits.len();
        for _ in 0..width {
            digits.push(rest % radix.max(1));
            rest /= radix.max(1);
        }
        digits[start..].reverse();
    }

    /// Lexicographic rank of a value; the caller knows that the domain size fits 64 bits.
    fn rank(&self, digits: &[u64]) -> u64 {
        let radix = match *self {
            Form::Number(n) => n,
            Form::Table { values, .. } => values,
            Form::Subset(_) => 2,
            Form::Permutation(n) => {
                return digits.iter().enumerate().fold(0, |rank, (i, d)| {
                    let smaller = digits[i + 1..].iter().filter(|later| *later < d).count() as u64;
                    rank * (n - i as u64) + smaller
                });
            }
            Form::SubsetOf { n, mut k } => {
                let mut rank = 0;
                for (i, &d) in digits.iter().enumerate() {
                    if d == 1 {
                        rank += choose(n - i as u64 - 1, k).to_u64().unwrap_or(0);
                        k -= 1;
                    }
                }
                return rank;
            }
        };
        digits.iter().fold(0, |rank, d| rank * radix + d)
    }
}

/// The permutation of `0..n` with this lexicographic rank.
fn unrank_permutation(n: u64, rank: u64) -> Digits {
    let mut left: Digits = (0..n).collect();
    // Digits of the rank in the factorial system, least significant (radix 1) last.
    let mut places = Digits::new();
    let mut rest = rank;
    for radix in 1..=n {
        places.push(rest % radix);
        rest /= radix;
    }
    places
        .iter()
        .rev()
        .map(|place| left.remove(usize::try_from(*place).unwrap_or(0)))
        .collect()
}

/// The next arrangement of the same multiset in lexicographic order, if there is one.
fn next_arrangement(digits: &mut [u64]) -> bool {
    let Some(pivot) = (1..digits.len())
        .rev()
        .find(|&i| digits[i - 1] < digits[i])
        .map(|i| i - 1)
    else {
        return false;
    };
    if let Some(swap) = (pivot + 1..digits.len())
        .rev()
        .find(|&i| digits[i] > digits[pivot])
    {
        digits.swap(pivot, swap);
    }
    digits[pivot + 1..].reverse();
    true
}

/// Binomial coefficient by the exact running product; 0 when `k > n`.
///
/// # Cost
/// `min(k, n - k)` multiplications.
pub fn choose(n: u64, k: u64) -> BigUint {
    if k > n {
        return BigUint::ZERO;
    }
    (0..k.min(n - k)).fold(BigUint::one(), |product, i| product * (n - i) / (i + 1))
}

/// Exact product of sizes.
///
/// # Errors
/// [`DomainError::TooLarge`], before anything is multiplied, when it needs more than about 2^24 bits.
/// # Cost
/// One multiplication per factor.
pub fn product(factors: &[&BigUint]) -> Result<BigUint, DomainError> {
    // Rounded up for each factor; exact for powers of two.
    let log = |size: &BigUint| size.bits() - u64::from(size.count_ones() == 1);
    let bits: BigUint = factors.iter().map(|size| BigUint::from(log(size))).sum();
    if bits > BigUint::from(MAX_SIZE_BITS) {
        return Err(DomainError::TooLarge(bits));
    }
    Ok(factors
        .iter()
        .fold(BigUint::one(), |product, size| product * *size))
}

impl Domain {
    /// The product of `fields`, in this order.
    ///
    /// # Errors
    /// [`DomainError::Empty`] when a field has no value, [`DomainError::TooWide`] above 2^24 digits.
    pub fn new(fields: Vec<Field>) -> Result<Self, DomainError> {
        if fields.iter().any(|field| field.form.is_empty()) {
            return Err(DomainError::Empty);
        }
        let width: BigUint = fields
            .iter()
            .map(|field| BigUint::from(field.form.width()))
            .sum();
        match width.to_usize() {
            Some(small) if width <= BigUint::from(MAX_SIZE_BITS) => {
                Ok(Self::counted(fields, small))
            }
            _ => Err(DomainError::TooWide(width)),
        }
    }

    fn counted(fields: Vec<Field>, width: usize) -> Self {
        let field_sizes: Vec<Option<u64>> =
            fields.iter().map(|field| field.form.small_size()).collect();
        let index_size = field_sizes
            .iter()
            .try_fold(1u64, |product, size| product.checked_mul((*size)?));
        Self {
            fields,
            width,
            field_sizes,
            index_size,
        }
    }

    /// The domain of one element, with nothing to know.
    pub fn unit() -> Self {
        Self::counted(Vec::new(), 0)
    }

    /// The domain of one field.
    ///
    /// # Errors
    /// As [`Domain::new`].
    pub fn single(name: &str, form: Form) -> Result<Self, DomainError> {
        Self::new(vec![Field {
            name: name.to_owned(),
            form,
        }])
    }

    /// The fields, in digit order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Number of digits of an element.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Exact number of elements, at least 1.
    ///
    /// # Errors
    /// [`DomainError::TooLarge`] when it has more than 2^24 bits.
    pub fn size(&self) -> Result<BigUint, DomainError> {
        let sizes: Vec<BigUint> = self
            .fields
            .iter()
            .map(|field| field.form.size())
            .collect::<Result<_, _>>()?;
        product(&sizes.iter().collect::<Vec<_>>())
    }

    /// Exact number of elements when it fits 64 bits; only then elements have an index.
    pub fn index_size(&self) -> Option<u64> {
        self.index_size
    }

    /// True when there is more than one element.
    pub fn is_open(&self) -> bool {
        self.index_size != Some(1)
    }

    /// The first element in lexicographic order.
    pub fn first(&self) -> Digits {
        let mut digits = vec![0; self.width];
        self.each_field(&mut digits, |form, part| {
            form.write_first(part);
            true
        });
        digits
    }

    /// Steps to the next element; false, and back at the first, after the last.
    pub fn advance(&self, digits: &mut [u64]) -> bool {
        let mut end = self.width;
        for field in self.fields.iter().rev() {
            let start = end - field.form.width().to_usize().unwrap_or(end);
            if field.form.advance(&mut digits[start..end]) {
                return true;
            }
            end = start;
        }
        false
    }

    /// True when `digits` spells an element.
    pub fn contains(&self, digits: &[u64]) -> bool {
        let mut copy = digits.to_vec();
        digits.len() == self.width && self.each_field(&mut copy, |form, part| form.contains(part))
    }

    /// Lexicographic index of an element, when the size fits 64 bits.
    pub fn index(&self, digits: &[u64]) -> Option<u64> {
        self.index_size?;
        let (mut start, mut rank) = (0, 0u64);
        for (field, size) in self.fields.iter().zip(&self.field_sizes) {
            let end = start + field.form.width().to_usize()?;
            rank = rank * (*size)? + field.form.rank(&digits[start..end]);
            start = end;
        }
        Some(rank)
    }

    /// The element with this index: inverse of [`Domain::index`].
    pub fn element(&self, index: u64) -> Option<Digits> {
        let size = self.index_size.filter(|size| index < *size)?;
        let (mut rest, mut weight) = (index, size);
        let mut digits = Digits::with_capacity(self.width);
        for (field, size) in self.fields.iter().zip(&self.field_sizes) {
            weight /= (*size)?;
            field.form.unrank(rest / weight, &mut digits);
            rest %= weight;
        }
        Some(digits)
    }

    /// The element after the first, when there is one.
    pub fn second(&self) -> Option<Digits> {
        let mut digits = self.first();
        self.advance(&mut digits).then_some(digits)
    }

    fn each_field(
        &self,
        digits: &mut [u64],
        mut visit: impl FnMut(&Form, &mut [u64]) -> bool,
    ) -> bool {
        let mut start = 0;
        for field in &self.fields {
            let end = start + field.form.width().to_usize().unwrap_or(0);
            if !visit(&field.form, &mut digits[start..end]) {
                return false;
            }
            start = end;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn form() -> impl Strategy<Value = Form> {
        prop_oneof![
            (1u64..5).prop_map(Form::Number),
            (0u64..4, 1u64..4).prop_map(|(len, values)| Form::Table { len, values }),
            (0u64..5).prop_map(Form::Permutation),
            (0u64..5).prop_map(Form::Subset),
            (0u64..5, 0u64..5).prop_map(|(a, b)| Form::SubsetOf {
                n: a.max(b),
                k: a.min(b)
            }),
        ]
    }

    proptest! {
        #[test]
        fn odometer_visits_every_element_once_in_index_order(forms in prop::collection::vec(form(), 0..3)) {
            let fields = forms.into_iter().enumerate().map(|(i, form)| Field { name: format!("f{i}"), form }).collect();
            let domain = Domain::new(fields).unwrap();
            let size = domain.index_size().unwrap();
            let mut digits = domain.first();
            let mut previous: Option<Digits> = None;
            for index in 0..size {
                prop_assert!(domain.contains(&digits));
                prop_assert_eq!(domain.index(&digits), Some(index));
                prop_assert_eq!(domain.element(index), Some(digits.clone()));
                prop_assert!(previous.as_ref().is_none_or(|earlier| *earlier < digits));
                previous = Some(digits.clone());
                prop_assert_eq!(domain.advance(&mut digits), index + 1 < size);
            }
            prop_assert_eq!(domain.element(size), None);
            prop_assert_eq!(digits, domain.first());
        }
    }

    #[test]
    fn golden_sizes() {
        let size = |form: Form| form.size().unwrap().to_string();
        assert_eq!(size(Form::Table { len: 3, values: 3 }), "27");
        assert_eq!(size(Form::Permutation(4)), "24");
        assert_eq!(size(Form::SubsetOf { n: 6, k: 3 }), "20");
        assert_eq!(
            size(Form::Table {
                len: 64,
                values: 64
            }),
            (BigUint::one() << 384u32).to_string()
        );
        assert_eq!(
            Domain::single("x", Form::Number(0)),
            Err(DomainError::Empty)
        );
        assert!(matches!(
            Form::Table {
                len: 1 << 40,
                values: 7
            }
            .size(),
            Err(DomainError::TooLarge(_))
        ));
    }

    #[test]
    fn wrong_digits_are_no_elements() {
        let permutation = Domain::single("p", Form::Permutation(3)).unwrap();
        assert!(permutation.contains(&[2, 0, 1]));
        assert!(
            !permutation.contains(&[2, 0, 2])
                && !permutation.contains(&[0, 1])
                && !permutation.contains(&[0, 1, 9])
        );
    }
}
