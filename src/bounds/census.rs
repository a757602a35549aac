//! How many inputs reach each state of a reader with a fixed update rule.
//!
//! Counting goes over (position, state) with integers of a fixed number of words; enumeration visits every input and is the
//! cross-check. Both are exact.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Pow, ToPrimitive, Zero};
use thiserror::Error;

/// Most words that the counts of all states may take.
pub const WORD_LIMIT: u64 = 1 << 27;

/// Most steps of a count: positions times states times words.
pub const STEP_LIMIT: u64 = 1 << 36;

/// Why there is no census.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CensusError {
    /// A parameter is outside its domain.
    #[error("{field}: {reason}")]
    Field {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// More work than allowed; says how much.
    #[error("{what}: {size}, at most {limit} are allowed")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much.
        size: BigUint,
        /// The limit.
        limit: BigUint,
    },
}

fn refuse<T>(field: &'static str, reason: impl Into<String>) -> Result<T, CensusError> {
    Err(CensusError::Field {
        field,
        reason: reason.into(),
    })
}

/// The update rule `s' = (A s + B v + C k + D) mod S` on entries `v = 0 .. values-1` at positions `k = 0 .. entries-1`, from `s = 0`.
///
/// # Source
/// Derived: the fixed-update reader of the program `census`; the paper's readers of tables are of this kind with S the number of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    entries: u64,
    values: u64,
    states: u64,
    /// A, B, C, D reduced modulo S.
    update: [u64; 4],
}

/// The number of inputs in each state at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Census {
    sizes: Vec<BigUint>,
}

impl Census {
    /// Number of inputs per state.
    #[must_use]
    pub fn sizes(&self) -> &[BigUint] {
        &self.sizes
    }

    /// Number of states that occur.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.occurring().count()
    }

    fn occurring(&self) -> impl Iterator<Item = &BigUint> {
        self.sizes.iter().filter(|size| !size.is_zero())
    }

    /// Inputs of the largest class.
    #[must_use]
    pub fn largest(&self) -> BigUint {
        self.occurring().max().cloned().unwrap_or_default()
    }

    /// Inputs of the smallest class that occurs.
    #[must_use]
    pub fn smallest(&self) -> BigUint {
        self.occurring().min().cloned().unwrap_or_default()
    }

    /// All inputs.
    #[must_use]
    pub fn total(&self) -> BigUint {
        self.sizes.iter().sum()
    }

    /// Unordered pairs of inputs in one class.
    #[must_use]
    pub fn colliding_pairs(&self) -> BigUint {
        self.occurring()
            .map(|size| (size * (size - 1_u32)) >> 1)
            .sum()
    }
}

impl Rule {
    /// A rule over all tables of `entries` entries from `values` values.
    ///
    /// # Domain
    /// All at least 1; the update numbers may be negative.
    /// # Errors
    /// [`CensusError::Field`].
    pub fn new(
        entries: u64,
        values: u64,
        states: u64,
        update: &[BigInt; 4],
    ) -> Result<Self, CensusError> {
        for (field, value) in [("n", entries), ("values", values), ("states", states)] {
            if value == 0 {
                return refuse(field, "0 is below 1");
            }
        }
        let modulus = BigInt::from(states);
        let reduced = |x: &BigInt| x.mod_floor(&modulus).to_u64().unwrap_or_default();
        Ok(Self {
            entries,
            values,
            states,
            update: [
                reduced(&update[0]),
                reduced(&update[1]),
                reduced(&update[2]),
                reduced(&update[3]),
            ],
        })
    }

    /// The number of inputs, `values^entries`.
    #[must_use]
    pub fn inputs(&self) -> BigUint {
        Pow::pow(BigUint::from(self.values), self.entries)
    }

    fn reduced(&self, x: u128) -> u64 {
        u64::try_from(x % u128::from(self.states)).unwrap_or_default()
    }

    fn product(&self, a: u64, b: u64) -> u64 {
        self.reduced(u128::from(a) * u128::from(b % self.states))
    }

    /// `C k + D mod S`.
    fn shift(&self, position: u64) -> u64 {
        let [_, _, c, d] = self.update;
        self.reduced(u128::from(self.product(c, position)) + u128::from(d))
    }

    /// The state after one entry.
    #[must_use]
    pub fn after(&self, state: u64, value: u64, position: u64) -> u64 {
        let [a, b, _, _] = self.update;
        let parts = [
            self.product(a, state),
            self.product(b, value),
            self.shift(position),
        ];
        self.reduced(parts.into_iter().map(u128::from).sum())
    }

    /// Words of 64 bits that hold every count.
    fn words(&self) -> u64 {
        // values^entries has at most entries * bits bits; written out only when that is short.
        let bound = u128::from(self.entries) * u128::from(64 - self.values.leading_zeros());
        let bits = if bound <= 1 << 20 {
            u128::from(self.inputs().bits())
        } else {
            bound
        };
        u64::try_from(bits.div_ceil(64).max(1)).unwrap_or(u64::MAX)
    }

    /// The census by transfer over (position, state).
    ///
    /// # Errors
    /// [`CensusError::TooLarge`] over [`WORD_LIMIT`] words or [`STEP_LIMIT`] steps.
    /// # Cost
    /// Entries times states times the words of one count: along a cycle of step B the sum over all values is a window that slides.
    pub fn transfer(&self) -> Result<Census, CensusError> {
        let words = self.words();
        let memory = BigUint::from(self.states) * words;
        let steps = &memory * self.entries;
        for (what, size, limit) in [
            ("words of memory", memory, WORD_LIMIT),
            ("steps", steps, STEP_LIMIT),
        ] {
            if size > BigUint::from(limit) {
                return Err(CensusError::TooLarge {
                    what,
                    size,
                    limit: limit.into(),
                });
            }
        }
        let mut counts = Counts::new(index(self.states), index(words));
        counts.row_mut(0)[0] = 1;
        let mut moved = Counts::new(index(self.states), index(words));
        let mut window = Window::new(self, index(words));
        for position in 0..self.entries {
            self.move_states(&counts, &mut moved);
            window.spread(&moved, &mut counts, index(self.shift(position)));
        }
        Ok(Census {
            sizes: (0..index(self.states)).map(|s| counts.number(s)).collect(),
        })
    }

    /// `to[A s mod S]` collects `from[s]`.
    fn move_states(&self, from: &Counts, to: &mut Counts) {
        to.limbs.fill(0);
        let mut target = 0;
        for state in 0..index(self.states) {
            add(to.row_mut(index(target)), from.row(state));
            target = self.reduced(u128::from(target) + u128::from(self.update[0]));
        }
    }

    /// The census by visiting every input.
    ///
    /// # Errors
    /// [`CensusError::TooLarge`] over `limit` inputs.
    /// # Cost
    /// One step per prefix; one counter per state.
    pub fn enumerate(&self, limit: &BigUint) -> Result<Census, CensusError> {
        let inputs = self.inputs();
        if inputs > *limit || inputs.bits() > 64 || self.states > WORD_LIMIT {
            return Err(CensusError::TooLarge {
                what: "inputs",
                size: inputs,
                limit: limit.clone(),
            });
        }
        let mut sizes = vec![0_u64; index(self.states)];
        self.visit(0, 0, &mut sizes);
        Ok(Census {
            sizes: sizes.into_iter().map(BigUint::from).collect(),
        })
    }

    fn visit(&self, position: u64, state: u64, sizes: &mut [u64]) {
        let step = self.update[1];
        let mut next = self.after(state, 0, position);
        let last = position + 1 == self.entries;
        for _ in 0..self.values {
            if last {
                sizes[index(next)] += 1;
            } else {
                self.visit(position + 1, next, sizes);
            }
            // next + step mod S without overflow
            next = if next >= self.states - step {
                next - (self.states - step)
            } else {
                next + step
            };
        }
    }

    /// The state at the end of an input.
    #[must_use]
    pub fn state_of(&self, input: &[u64]) -> u64 {
        input
            .iter()
            .zip(0_u64..)
            .fold(0, |state, (value, position)| {
                self.after(state, *value, position)
            })
    }

    /// In lexicographic order: the first input whose state has occurred before, and the input where it occurred; `None` if no two
    /// inputs share a state.
    ///
    /// # Cost
    /// At most `S + 1` inputs.
    #[must_use]
    pub fn first_pair(&self) -> Option<(Vec<u64>, Vec<u64>)> {
        let mut seen: std::collections::BTreeMap<u64, Vec<u64>> = std::collections::BTreeMap::new();
        let mut input = vec![0; usize::try_from(self.entries).ok()?];
        loop {
            if let Some(earlier) = seen.insert(self.state_of(&input), input.clone()) {
                return Some((earlier, input));
            }
            // The next input: the last digit that is not at its end.
            let place = input.iter().rposition(|digit| digit + 1 < self.values)?;
            input[place] += 1;
            input[place + 1..].fill(0);
        }
    }
}

/// Sizes are checked against [`WORD_LIMIT`] before anything is indexed.
fn index(x: u64) -> usize {
    usize::try_from(x).unwrap_or(usize::MAX)
}

/// One integer of a fixed number of words per state, least significant word first.
struct Counts {
    words: usize,
    limbs: Vec<u64>,
}

impl Counts {
    fn new(states: usize, words: usize) -> Self {
        Self {
            words,
            limbs: vec![0; states * words],
        }
    }

    fn row(&self, state: usize) -> &[u64] {
        &self.limbs[state * self.words..(state + 1) * self.words]
    }

    fn row_mut(&mut self, state: usize) -> &mut [u64] {
        &mut self.limbs[state * self.words..(state + 1) * self.words]
    }

    fn number(&self, state: usize) -> BigUint {
        let digits = self.row(state).iter();
        digits.rev().fold(BigUint::zero(), |number, limb| {
            (number << 64_u32) + BigUint::from(*limb)
        })
    }
}

/// `to += from`; the sums fit by the choice of the number of words.
fn add(to: &mut [u64], from: &[u64]) {
    let mut carry = false;
    for (a, b) in to.iter_mut().zip(from) {
        let (sum, first) = a.overflowing_add(*b);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        *a = sum;
        carry = first || second;
    }
}

/// `from -= what`, where `what` is at most `from`.
fn subtract(from: &mut [u64], what: &[u64]) {
    let mut borrow = false;
    for (a, b) in from.iter_mut().zip(what) {
        let (rest, first) = a.overflowing_sub(*b);
        let (rest, second) = rest.overflowing_sub(u64::from(borrow));
        *a = rest;
        borrow = first || second;
    }
}

/// `to += factor * from`.
fn add_multiple(to: &mut [u64], from: &[u64], factor: u64) {
    let mut carry = 0_u128;
    for (a, b) in to.iter_mut().zip(from) {
        let sum = u128::from(*a) + u128::from(*b) * u128::from(factor) + carry;
        #[expect(clippy::cast_possible_truncation, reason = "the low word")]
        {
            *a = sum as u64;
        }
        carry = sum >> 64;
    }
}

/// The sum over all values of an entry: along each cycle of step B, so many full turns and a window.
struct Window {
    states: usize,
    step: usize,
    cycles: usize,
    length: usize,
    turns: u64,
    rest: usize,
    sum: Vec<u64>,
    total: Vec<u64>,
}

impl Window {
    fn new(rule: &Rule, words: usize) -> Self {
        let step = rule.update[1];
        let cycles = step.gcd(&rule.states);
        let length = rule.states / cycles;
        Self {
            states: index(rule.states),
            step: index(step),
            cycles: index(cycles),
            length: index(length),
            turns: rule.values / length,
            rest: index(rule.values % length),
            sum: vec![0; words],
            total: vec![0; words],
        }
    }

    fn forward(&self, state: usize) -> usize {
        (state + self.step) % self.states
    }

    fn back(&self, state: usize) -> usize {
        (state + self.states - self.step) % self.states
    }

    /// `to[r + shift] = sum over v of from[r - B v]`.
    fn spread(&mut self, from: &Counts, to: &mut Counts, shift: usize) {
        for start in 0..self.cycles {
            self.total.fill(0);
            let mut state = start;
            for _ in 0..self.length {
                add(&mut self.total, from.row(state));
                state = self.forward(state);
            }
            // The window at `start` ends there and holds `rest` states.
            self.sum.fill(0);
            let mut oldest = start;
            for turn in 0..self.rest {
                oldest = if turn == 0 { start } else { self.back(oldest) };
                add(&mut self.sum, from.row(oldest));
            }
            for _ in 0..self.length {
                let row = to.row_mut((state + shift) % self.states);
                row.copy_from_slice(&self.sum);
                add_multiple(row, &self.total, self.turns);
                state = self.forward(state);
                if self.rest > 0 {
                    add(&mut self.sum, from.row(state));
                    subtract(&mut self.sum, from.row(oldest));
                    oldest = self.forward(oldest);
                }
            }
        }
    }
}

/// A reader whose state is the sum of `v_i k_i`: integer vectors, added up.
///
/// # Source
/// Derived: additive layers without forgetting; the state is not reduced, so two inputs share it whatever the precision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Additive {
    /// One vector per entry, all of one length.
    pub keys: Vec<Vec<i64>>,
    /// Least value of an entry.
    pub least: i64,
    /// Largest value of an entry.
    pub most: i64,
}

/// A state of an [`Additive`] reader.
pub type Sum = Vec<i128>;

impl Additive {
    fn validate(&self) -> Result<(), CensusError> {
        if self.keys.is_empty() {
            return refuse("keys", "empty");
        }
        if self.most < self.least {
            return refuse("values", format!("{} is below {}", self.most, self.least));
        }
        let width = self.keys[0].len();
        match self.keys.iter().position(|key| key.len() != width) {
            Some(place) => refuse(
                "keys",
                format!(
                    "key {place} has {} numbers, key 0 has {width}",
                    self.keys[place].len()
                ),
            ),
            None => Ok(()),
        }
    }

    /// The number of inputs.
    #[must_use]
    pub fn inputs(&self) -> BigUint {
        let values = BigInt::from(self.most) - self.least + 1_u32;
        Pow::pow(
            values.to_biguint().unwrap_or_default(),
            BigUint::from(self.keys.len()),
        )
    }

    fn after(state: &Sum, key: &[i64], value: i64) -> Sum {
        state
            .iter()
            .zip(key)
            .map(|(sum, part)| sum + i128::from(value) * i128::from(*part))
            .collect()
    }

    /// Inputs per reached state, by transfer over (entry, state).
    ///
    /// # Errors
    /// [`CensusError`]: keys of different lengths, or more than `limit` states times values in one step.
    /// # Cost
    /// Entries times reached states times values.
    pub fn transfer(&self, limit: u64) -> Result<Vec<(Sum, BigUint)>, CensusError> {
        self.validate()?;
        let mut counts: std::collections::BTreeMap<Sum, BigUint> =
            [(vec![0; self.keys[0].len()], BigUint::one())].into();
        for key in &self.keys {
            let work = BigUint::from(counts.len())
                * (BigInt::from(self.most) - self.least + 1_u32)
                    .to_biguint()
                    .unwrap_or_default();
            if work > BigUint::from(limit) {
                return Err(CensusError::TooLarge {
                    what: "states times values",
                    size: work,
                    limit: limit.into(),
                });
            }
            let mut next = std::collections::BTreeMap::new();
            for (state, count) in &counts {
                for value in self.least..=self.most {
                    *next
                        .entry(Self::after(state, key, value))
                        .or_insert_with(BigUint::zero) += count;
                }
            }
            counts = next;
        }
        Ok(counts.into_iter().collect())
    }

    /// As [`Rule::first_pair`], with the common state.
    #[must_use]
    pub fn first_pair(&self) -> Option<(Vec<i64>, Vec<i64>, Sum)> {
        self.validate().ok()?;
        let mut seen: std::collections::BTreeMap<Sum, Vec<i64>> = std::collections::BTreeMap::new();
        let mut input = vec![self.least; self.keys.len()];
        loop {
            let zero = vec![0; self.keys[0].len()];
            let state = input
                .iter()
                .zip(&self.keys)
                .fold(zero, |state, (value, key)| Self::after(&state, key, *value));
            if let Some(earlier) = seen.insert(state.clone(), input.clone()) {
                return Some((earlier, input, state));
            }
            let place = input.iter().rposition(|value| *value < self.most)?;
            input[place] += 1;
            input[place + 1..].fill(self.least);
        }
    }
}

impl From<Vec<(Sum, BigUint)>> for Census {
    fn from(counts: Vec<(Sum, BigUint)>) -> Self {
        Self {
            sizes: counts.into_iter().map(|(_, count)| count).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(entries: u64, states: u64) -> Rule {
        let update = [31, 17, 1, 1].map(BigInt::from);
        Rule::new(entries, entries, states, &update).unwrap()
    }

    #[test]
    fn seven_entries_256_states() {
        let census = rule(7, 256).transfer().unwrap();
        assert_eq!(census.classes(), 256);
        assert_eq!(census.largest(), 7_600_u32.into());
        assert_eq!(census.smallest(), 115_u32.into());
        assert_eq!(census.colliding_pairs(), 2_234_214_633_u64.into());
        assert_eq!(census.total(), 823_543_u32.into());
        assert_eq!(rule(7, 256).enumerate(&823_543_u32.into()).unwrap(), census);
        assert!(rule(7, 256).enumerate(&823_542_u32.into()).is_err());
    }

    #[test]
    fn sixty_four_entries_4096_states() {
        let census = rule(64, 4096).transfer().unwrap();
        assert_eq!(census.classes(), 4096);
        assert_eq!(census.total(), BigUint::one() << 384_u32);
    }

    #[test]
    fn six_keys_in_the_plane() {
        let keys = [[1, 0], [0, 1], [1, 1], [2, 1], [1, 2], [3, 2]].map(|key| key.to_vec());
        let reader = Additive {
            keys: keys.to_vec(),
            least: 1,
            most: 6,
        };
        let census = Census::from(reader.transfer(1 << 20).unwrap());
        assert_eq!(census.classes(), 656);
        assert_eq!(census.total(), 46_656_u32.into());
        let (left, right, state) = reader.first_pair().unwrap();
        assert_eq!(
            (left, right),
            (vec![1, 1, 1, 1, 1, 4], vec![1, 1, 1, 5, 2, 1])
        );
        assert_eq!(state, [17, 13]);
    }

    #[test]
    fn fields_are_named() {
        let zero = [0, 0, 0, 0].map(BigInt::from);
        let error = Rule::new(3, 3, 0, &zero).unwrap_err();
        assert_eq!(error.to_string(), "states: 0 is below 1");
        let large = Rule::new(1 << 20, 2, 1 << 30, &zero).unwrap();
        assert!(matches!(
            large.transfer(),
            Err(CensusError::TooLarge { .. })
        ));
    }

    proptest! {
        #[test]
        fn counting_is_enumerating(
            entries in 1_u64..5, values in 1_u64..9, states in 1_u64..40, update in prop::array::uniform4(-50_i64..50),
        ) {
            let rule = Rule::new(entries, values, states, &update.map(BigInt::from)).unwrap();
            let census = rule.transfer().unwrap();
            prop_assert_eq!(&census, &rule.enumerate(&(1_u32 << 20).into()).unwrap());
            prop_assert_eq!(census.total(), rule.inputs());
            match rule.first_pair() {
                None => prop_assert!(census.colliding_pairs().is_zero()),
                Some((a, b)) => {
                    prop_assert!(a < b);
                    prop_assert_eq!(rule.state_of(&a), rule.state_of(&b));
                }
            }
        }
    }
}
