//! The states that an exact model reaches on all inputs of a domain, and how many inputs reach each.

use crate::models::spec::{SpecModel, State};
use num_bigint::BigUint;
use num_traits::{One, Pow};
use std::collections::BTreeMap;

/// Inputs per state at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Every state with the number of inputs that end there.
    pub classes: BTreeMap<State, BigUint>,
}

impl Reach {
    /// Inputs of the largest class.
    #[must_use]
    pub fn largest(&self) -> BigUint {
        self.classes.values().max().cloned().unwrap_or_default()
    }

    /// Inputs of the smallest class.
    #[must_use]
    pub fn smallest(&self) -> BigUint {
        self.classes.values().min().cloned().unwrap_or_default()
    }

    /// Unordered pairs of inputs in one class.
    #[must_use]
    pub fn colliding_pairs(&self) -> BigUint {
        self.classes
            .values()
            .map(|size| (size * (size - 1_u32)) >> 1)
            .sum()
    }
}

/// Counts over (position, state).
///
/// # Errors
/// More states at one position than `limit`, or what the model says of a token.
/// # Cost
/// Positions times states times tokens, each a step of the model.
pub fn reach(
    model: &SpecModel,
    length: usize,
    tokens: &[u64],
    limit: usize,
) -> Result<Reach, String> {
    let mut classes = BTreeMap::from([(model.start(), BigUint::one())]);
    for position in 0..length {
        let mut next: BTreeMap<State, BigUint> = BTreeMap::new();
        for (state, count) in &classes {
            for token in tokens {
                *next
                    .entry(model.after(state, *token, position)?)
                    .or_default() += count;
            }
            if next.len() > limit {
                return Err(format!(
                    "more than {limit} states after {} tokens",
                    position + 1
                ));
            }
        }
        classes = next;
    }
    Ok(Reach { classes })
}

/// The number of inputs.
#[must_use]
pub fn inputs(length: usize, tokens: &[u64]) -> BigUint {
    Pow::pow(BigUint::from(tokens.len()), length)
}

/// Two inputs with one state: the earlier one first.
pub type Collision = (Vec<u64>, Vec<u64>, State);

/// In lexicographic order: the first input whose state has occurred before, and where it occurred.
///
/// # Errors
/// What the model says of a token.
/// # Cost
/// At most one more input than there are states.
pub fn first_pair(
    model: &SpecModel,
    length: usize,
    tokens: &[u64],
) -> Result<Option<Collision>, String> {
    let mut seen: BTreeMap<State, Vec<u64>> = BTreeMap::new();
    let mut digits = vec![0_usize; length];
    loop {
        let input: Vec<u64> = digits.iter().map(|digit| tokens[*digit]).collect();
        let state = model.state_of(&input)?;
        if let Some(earlier) = seen.get(&state) {
            return Ok(Some((earlier.clone(), input, state)));
        }
        seen.insert(state, input);
        let Some(place) = digits.iter().rposition(|digit| digit + 1 < tokens.len()) else {
            return Ok(None);
        };
        digits[place] += 1;
        digits[place + 1..].fill(0);
    }
}
