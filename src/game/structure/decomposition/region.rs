//! Sets of tables that are known by a rule: products of sets of entries, and affine spaces over a prime field.

use super::{Equation, Set, Tie};
use crate::exact::Digits;
use crate::game::protocol::{OwnRule, Read};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// A set of tables with `places` entries in `0..values`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    places: usize,
    values: u64,
    form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// The values allowed at some places.
    Product(BTreeMap<usize, Vec<u64>>),
    /// Equations over the field with `values` elements, by the last place of each, where its coefficient is 1; no equation has
    /// the last place of another.
    Affine(BTreeMap<usize, Row>),
}

/// `sum coefficient * entry = value`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    terms: BTreeMap<usize, u64>,
    value: u64,
}

/// The largest class of a region.
#[derive(Clone, Debug)]
pub struct Part {
    /// Number of classes.
    pub classes: BigUint,
    /// What is said in the class taken.
    pub key: Vec<u64>,
    /// The class taken.
    pub region: Region,
    /// All classes have the same size.
    pub uniform: bool,
}

impl Region {
    /// All tables, to be divided entry by entry.
    pub fn product(places: usize, values: u64) -> Self {
        Self {
            places,
            values,
            form: Form::Product(BTreeMap::new()),
        }
    }

    /// All tables, to be divided by sums; `None` unless the number of values is a prime below 2^31.
    pub fn affine(places: usize, values: u64) -> Option<Self> {
        let prime = (2..1 << 31).contains(&values)
            && (2..=values.isqrt()).all(|divisor| !values.is_multiple_of(divisor));
        prime.then(|| Self {
            places,
            values,
            form: Form::Affine(BTreeMap::new()),
        })
    }

    /// Exact number of tables.
    pub fn size(&self) -> BigUint {
        let power = |places: usize| {
            BigUint::from(self.values).pow(u32::try_from(places).unwrap_or(u32::MAX))
        };
        match &self.form {
            Form::Product(allowed) => {
                let bound: BigUint = allowed
                    .values()
                    .map(|values| BigUint::from(values.len()))
                    .product();
                power(self.places - allowed.len()) * bound
            }
            Form::Affine(rows) => power(self.places - rows.len()),
        }
    }

    /// The description in evidence.
    pub fn to_set(&self) -> Set {
        match &self.form {
            Form::Product(allowed) => Set::Product(
                allowed
                    .iter()
                    .map(|(place, values)| (*place, values.clone()))
                    .collect(),
            ),
            Form::Affine(rows) => Set::Affine {
                modulus: self.values,
                equations: rows
                    .values()
                    .map(|row| Equation {
                        terms: row.terms.iter().map(|(place, c)| (*place, *c)).collect(),
                        value: row.value,
                    })
                    .collect(),
            },
        }
    }

    /// The largest class by the symbols of these rules, in this order; `None` when a rule does not fit the form.
    pub fn split(&self, rules: &[OwnRule], tie: Tie) -> Option<Part> {
        match &self.form {
            Form::Product(allowed) => self.split_product(allowed, rules, tie),
            Form::Affine(rows) => self.split_affine(rows, rules, tie),
        }
    }

    /// Rules on one entry each. Places are independent, so the largest class takes the largest group at every place, and the
    /// least key the least one among these.
    fn split_product(
        &self,
        allowed: &BTreeMap<usize, Vec<u64>>,
        rules: &[OwnRule],
        tie: Tie,
    ) -> Option<Part> {
        let mut by_place: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut key = vec![0; rules.len()];
        for (number, rule) in rules.iter().enumerate() {
            match rule.terms_mod().as_slice() {
                [] => key[number] = rule.symbol_of(&BigInt::zero())?,
                [(place, _)] => by_place.entry(*place).or_default().push(number),
                _ => return None,
            }
        }
        let (mut classes, mut uniform, mut left) = (BigUint::one(), true, allowed.clone());
        for (place, numbers) in by_place {
            let everything = || (0..self.values).collect();
            let values: Vec<u64> = left.remove(&place).unwrap_or_else(everything);
            let mut groups: BTreeMap<Vec<u64>, Vec<u64>> = BTreeMap::new();
            for value in values {
                let said = numbers
                    .iter()
                    .map(|number| rules[*number].symbol_at(place, value))
                    .collect::<Option<Vec<u64>>>()?;
                groups.entry(said).or_default().push(value);
            }
            classes *= groups.len();
            let first = groups.values().next().map(Vec::len);
            uniform &= groups.values().all(|group| Some(group.len()) == first);
            let sized = groups.iter().map(|group| (group, group.1.len() as u64));
            let ((said, group), _) = tie.largest(sized)?;
            for (number, symbol) in numbers.iter().zip(said) {
                key[*number] = *symbol;
            }
            left.insert(place, group.clone());
        }
        Some(Part {
            classes,
            key,
            region: Self {
                form: Form::Product(left),
                ..self.clone()
            },
            uniform,
        })
    }

    /// Sums modulo the number of values. An independent sum takes every value equally often, so all classes are of one size
    /// and the least key says 0 wherever it may.
    fn split_affine(
        &self,
        rows: &BTreeMap<usize, Row>,
        rules: &[OwnRule],
        tie: Tie,
    ) -> Option<Part> {
        let q = self.values;
        let (mut rows, mut classes, mut key) = (rows.clone(), BigUint::one(), Vec::new());
        for rule in rules {
            let terms = rule.terms_mod();
            if terms.is_empty() {
                key.push(rule.symbol_of(&BigInt::zero())?);
                continue;
            }
            let Read::Modulo(modulus) = &rule.read else {
                return None;
            };
            if *modulus != BigUint::from(q) {
                return None;
            }
            let constant = small_mod(&rule.constant, q)?;
            let mut row = Row {
                terms: terms
                    .iter()
                    .map(|(place, c)| Some((*place, small_mod(c, q)?)))
                    .collect::<Option<_>>()?,
                value: 0,
            };
            reduce(&mut row, &rows, q);
            let Some((last, pivot)) = row.terms.last_key_value().map(|(p, c)| (*p, *c)) else {
                // The sum is known: `value` has been moved to the other side.
                key.push((constant + (q - row.value) % q) % q);
                continue;
            };
            let symbol = match tie {
                Tie::Least => 0,
                Tie::Greatest => q - 1,
            };
            key.push(symbol);
            row.value = (row.value + symbol + q - constant) % q;
            let inverse = power_mod(pivot, q - 2, q);
            scale(&mut row, inverse, q);
            for other in rows.values_mut() {
                eliminate(other, &row, last, q);
            }
            rows.insert(last, row);
            classes *= q;
        }
        Some(Part {
            classes,
            key,
            region: Self {
                form: Form::Affine(rows),
                ..self.clone()
            },
            uniform: true,
        })
    }

    /// The first table in lexicographic order.
    pub fn least(&self) -> Digits {
        match &self.form {
            Form::Product(allowed) => {
                let mut table = vec![0; self.places];
                for (place, values) in allowed {
                    table[*place] = values.first().copied().unwrap_or(0);
                }
                table
            }
            // The last place of each equation follows from those before it.
            Form::Affine(rows) => self.completed(rows, &BTreeMap::new()),
        }
    }

    /// The least table with these values at free places.
    fn completed(&self, rows: &BTreeMap<usize, Row>, free: &BTreeMap<usize, u64>) -> Digits {
        let q = u128::from(self.values);
        let mut table = vec![0; self.places];
        for (place, value) in free {
            table[*place] = *value;
        }
        for (last, row) in rows {
            let sum: u128 = row
                .terms
                .iter()
                .filter(|(place, _)| *place != last)
                .map(|(place, c)| u128::from(*c) * u128::from(table[*place]) % q)
                .sum();
            let value = (u128::from(row.value) + q - sum % q) % q;
            table[*last] = u64::try_from(value).unwrap_or(0);
        }
        table
    }

    /// The first pair of tables, in order, that differ at one of these places.
    pub fn differing(&self, addresses: &[usize]) -> Option<(Digits, Digits)> {
        let first = self.least();
        match &self.form {
            Form::Product(allowed) => {
                let second = |place: &usize| match allowed.get(place) {
                    Some(values) => values.get(1).copied(),
                    None => (self.values > 1).then_some(1),
                };
                let place = addresses.iter().rev().find(|at| second(at).is_some())?;
                let mut other = first.clone();
                other[*place] = second(place)?;
                Some((first, other))
            }
            Form::Affine(rows) => {
                // A second table first differs at a free place. The last free place from which some reached entry
                // moves is best, and there the least step: tables that first differ later agree at all reached entries.
                let reached = |other: &Digits| addresses.iter().any(|at| first[*at] != other[*at]);
                (0..self.places)
                    .rev()
                    .filter(|place| !rows.contains_key(place))
                    .map(|place| self.completed(rows, &[(place, 1)].into()))
                    .find(|other| reached(other))
                    .map(|other| (first.clone(), other))
            }
        }
    }

    /// Step 2 on a product: `count` times the first table not yet taken that adds most values at the first `places` entries.
    pub fn covering(&self, places: usize, count: u64) -> Option<Vec<Digits>> {
        let Form::Product(allowed) = &self.form else {
            return None;
        };
        let number = BigUint::from(count).min(self.size()).to_u64()?;
        let choices = |place: usize| match allowed.get(&place) {
            Some(values) => values.clone(),
            None => (0..self.values).collect(),
        };
        let offers: Vec<Vec<u64>> = (0..places).map(choices).collect();
        let mut covered = vec![false; usize::try_from(self.values).ok()?];
        let mut chosen: Vec<Digits> = Vec::new();
        for _ in 0..number {
            let gain = matching(&offers, &covered);
            let table = if gain == 0 {
                self.untaken(allowed, &chosen)?
            } else {
                let mut table = self.least();
                table[..places].copy_from_slice(&cover(&offers, &covered, gain));
                table
            };
            for value in &table[..places] {
                covered[usize::try_from(*value).ok()?] = true;
            }
            chosen.push(table);
        }
        Some(chosen)
    }

    /// The first table that is not among those taken.
    fn untaken(&self, allowed: &BTreeMap<usize, Vec<u64>>, taken: &[Digits]) -> Option<Digits> {
        let mut table = self.least();
        while taken.contains(&table) {
            let next = |place: usize, value: u64| match allowed.get(&place) {
                Some(values) => values.iter().copied().find(|other| *other > value),
                None => (value + 1 < self.values).then_some(value + 1),
            };
            let least = self.least();
            let place = (0..self.places)
                .rev()
                .find(|place| next(*place, table[*place]).is_some())?;
            table[place] = next(place, table[place])?;
            table[place + 1..].copy_from_slice(&least[place + 1..]);
        }
        Some(table)
    }
}

/// Most uncovered values that these places can take, each place one of its offers: a largest matching.
fn matching(offers: &[Vec<u64>], covered: &[bool]) -> usize {
    let mut owner: BTreeMap<u64, usize> = BTreeMap::new();
    (0..offers.len())
        .filter(|place| augment(offers, covered, *place, &mut Vec::new(), &mut owner))
        .count()
}

fn augment(
    offers: &[Vec<u64>],
    covered: &[bool],
    place: usize,
    seen: &mut Vec<u64>,
    owner: &mut BTreeMap<u64, usize>,
) -> bool {
    for value in &offers[place] {
        if is_covered(covered, *value) || seen.contains(value) {
            continue;
        }
        seen.push(*value);
        let free = match owner.get(value).copied() {
            None => true,
            Some(other) => augment(offers, covered, other, seen, owner),
        };
        if free {
            owner.insert(*value, place);
            return true;
        }
    }
    false
}

fn is_covered(covered: &[bool], value: u64) -> bool {
    usize::try_from(value).is_ok_and(|value| covered.get(value).copied().unwrap_or(true))
}

/// The lexicographically least entries that cover `gain` new values.
fn cover(offers: &[Vec<u64>], covered: &[bool], gain: usize) -> Vec<u64> {
    let mut covered = covered.to_vec();
    let mut left = gain;
    let mut entries = Vec::with_capacity(offers.len());
    for place in 0..offers.len() {
        for value in &offers[place] {
            let new = !is_covered(&covered, *value);
            let mut after = covered.clone();
            if let Some(flag) = usize::try_from(*value)
                .ok()
                .and_then(|value| after.get_mut(value))
            {
                *flag = true;
            }
            let rest = left - usize::from(new && left > 0);
            if matching(&offers[place + 1..], &after) >= rest {
                (covered, left) = (after, rest);
                entries.push(*value);
                break;
            }
        }
    }
    entries
}

fn small_mod(number: &BigInt, q: u64) -> Option<u64> {
    number.mod_floor(&BigInt::from(q)).to_u64()
}

/// `base^exponent` modulo a number below 2^31.
fn power_mod(base: u64, mut exponent: u64, q: u64) -> u64 {
    let (mut result, mut square) = (1 % q, base % q);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * square % q;
        }
        square = square * square % q;
        exponent >>= 1;
    }
    result
}

fn scale(row: &mut Row, factor: u64, q: u64) {
    row.value = row.value * factor % q;
    for c in row.terms.values_mut() {
        *c = *c * factor % q;
    }
}

/// Subtracts the right multiple of `by`, whose coefficient at `last` is 1, so that `row` has none there.
fn eliminate(row: &mut Row, by: &Row, last: usize, q: u64) {
    let Some(factor) = row.terms.get(&last).copied() else {
        return;
    };
    row.value = (row.value + (q - factor) * by.value) % q;
    for (place, c) in &by.terms {
        let entry = row.terms.entry(*place).or_insert(0);
        *entry = (*entry + (q - factor) * c) % q;
        if *entry == 0 {
            row.terms.remove(place);
        }
    }
}

fn reduce(row: &mut Row, rows: &BTreeMap<usize, Row>, q: u64) {
    for (last, by) in rows {
        eliminate(row, by, *last, q);
    }
}
