//! Models given by a file, so that everything is exact and portable: additive and gated linear attention, the delta rule, a small
//! recurrent network with a clamp, a table; over the rationals, or in declared f32 or bf16 steps.

use super::ieee::Format;
use super::wire::{Ask, Broken, Hello, Oracle, Reply};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use std::fmt::Write as _;

/// Longest numerator or denominator of a state: exact states may grow.
const BITS: u64 = 1 << 16;

/// What happens to the state at a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `S = g S + k v^T`; g = 1 is plain linear attention. Keys go by position or by token, values by token.
    Linear {
        /// g, by token; one entry: the same for all.
        gates: Vec<BigRational>,
        /// Keys, by position if `by_position`.
        keys: Vec<Vec<BigRational>>,
        /// Values, by token.
        values: Vec<Vec<BigRational>>,
        /// Keys go by position.
        by_position: bool,
        /// f32 or bf16 steps instead of rationals: multiply, multiply, add.
        format: Option<Format>,
    },
    /// `S = S + b k (v - S^T k)^T`.
    Delta {
        /// b.
        rate: BigRational,
        /// Keys, by token.
        keys: Vec<Vec<BigRational>>,
        /// Values, by token.
        values: Vec<Vec<BigRational>>,
    },
    /// `h = clamp(W h + U[token], low, high)`, entry by entry.
    Rnn {
        /// W.
        matrix: Vec<Vec<BigRational>>,
        /// U, a row for each token.
        inputs: Vec<Vec<BigRational>>,
        /// Bounds of the clamp.
        clamp: (BigRational, BigRational),
    },
    /// `s = next[s][token]`, from 0.
    Table {
        /// A row for each state.
        next: Vec<Vec<u64>>,
    },
}

/// How the last token of an input is answered from the state before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readout {
    /// `round(q^T S e_1)` with a query for each token, between 0 and the largest answer; for `Rnn` q^T h.
    Linear {
        /// q, by token.
        queries: Vec<Vec<BigRational>>,
        /// Largest answer.
        largest: u64,
    },
    /// `out[state][token]`, for tables.
    Table(Vec<Vec<u64>>),
}

/// A model given by a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecModel {
    /// Update.
    pub rule: Rule,
    /// Answers.
    pub readout: Option<Readout>,
    /// Tokens are below this.
    pub vocab: u64,
    hello: Hello,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Rationals, row by row.
    Exact(Vec<BigRational>),
    /// Bit patterns, row by row.
    Bits(Vec<u32>),
    /// Number of a table state.
    Number(u64),
}

impl State {
    /// Bytes that tell states apart, as hex; patterns as they stand in memory.
    #[must_use]
    pub fn hex(&self) -> String {
        let mut out = String::new();
        match self {
            Self::Exact(numbers) => {
                let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                for byte in texts.join(" ").bytes() {
                    let _ = write!(out, "{byte:02x}");
                }
            }
            Self::Bits(patterns) => {
                for byte in patterns.iter().flat_map(|pattern| pattern.to_le_bytes()) {
                    let _ = write!(out, "{byte:02x}");
                }
            }
            Self::Number(number) => {
                for byte in number.to_le_bytes() {
                    let _ = write!(out, "{byte:02x}");
                }
            }
        }
        out
    }

    /// For people.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Exact(numbers) => {
                let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                format!("({})", texts.join(", "))
            }
            Self::Bits(patterns) => {
                let texts: Vec<String> = patterns.iter().map(|p| format!("{p:08x}")).collect();
                texts.join(" ")
            }
            Self::Number(number) => number.to_string(),
        }
    }
}

/// Shapes that do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unfit(pub String);

fn rectangle<T>(name: &str, rows: &[Vec<T>], width: Option<usize>) -> Result<usize, Unfit> {
    let first = rows
        .first()
        .map(Vec::len)
        .ok_or_else(|| Unfit(format!("{name}: empty")))?;
    let width = width.unwrap_or(first);
    match rows.iter().position(|row| row.len() != width) {
        _ if width == 0 => Err(Unfit(format!("{name}: empty rows"))),
        Some(row) => Err(Unfit(format!(
            "{name}: row {row} has {} numbers, expected {width}",
            rows[row].len()
        ))),
        None => Ok(width),
    }
}

impl SpecModel {
    /// A model with these parts.
    ///
    /// # Errors
    /// [`Unfit`]: lists that do not fit together, states and answers outside their ranges.
    pub fn new(rule: Rule, readout: Option<Readout>) -> Result<Self, Unfit> {
        let tokens = match &rule {
            Rule::Linear {
                gates,
                keys,
                values,
                by_position,
                format,
            } => {
                rectangle("keys", keys, None)?;
                rectangle("values", values, None)?;
                if !by_position && keys.len() != values.len() {
                    return Err(Unfit(format!(
                        "keys: {} rows, expected one for each of the {} tokens",
                        keys.len(),
                        values.len()
                    )));
                }
                if gates.len() != 1 && gates.len() != values.len() {
                    return Err(Unfit(format!(
                        "gates: {} numbers, expected 1 or {}",
                        gates.len(),
                        values.len()
                    )));
                }
                let fits = |x: &BigRational| pattern(Format::F32, x).is_some();
                let all = gates
                    .iter()
                    .chain(keys.iter().flatten())
                    .chain(values.iter().flatten());
                if format.is_some() && !all.into_iter().all(fits) {
                    return Err(Unfit(
                        "format: numerators and denominators must be below 2^24".to_owned(),
                    ));
                }
                values.len()
            }
            Rule::Delta { keys, values, .. } => {
                rectangle("keys", keys, None)?;
                rectangle("values", values, None)?;
                if keys.len() != values.len() {
                    return Err(Unfit(format!(
                        "keys: {} rows, values: {} rows, expected one for each token",
                        keys.len(),
                        values.len()
                    )));
                }
                values.len()
            }
            Rule::Rnn {
                matrix,
                inputs,
                clamp: (low, high),
            } => {
                rectangle("matrix", matrix, Some(matrix.len()))?;
                rectangle("inputs", inputs, Some(matrix.len()))?;
                if low > high {
                    return Err(Unfit(
                        "clamp: the lower bound is above the upper one".to_owned(),
                    ));
                }
                inputs.len()
            }
            Rule::Table { next } => {
                let width = rectangle("next", next, None)?;
                if let Some(odd) = next.iter().flatten().find(|s| **s >= next.len() as u64) {
                    return Err(Unfit(format!(
                        "next: state {odd}, expected 0 to {}",
                        next.len() - 1
                    )));
                }
                width
            }
        };
        let size = match &rule {
            Rule::Linear { keys, .. } | Rule::Delta { keys, .. } => keys[0].len(),
            Rule::Rnn { matrix, .. } => matrix.len(),
            Rule::Table { next } => next.len(),
        };
        let vocab = match (&readout, &rule) {
            (None, _) => tokens as u64,
            (Some(Readout::Linear { .. }), Rule::Table { .. }) => {
                return Err(Unfit("queries: a table model has `out`".to_owned()));
            }
            (Some(Readout::Linear { queries, .. }), _) => {
                rectangle("queries", queries, Some(size))?;
                tokens.max(queries.len()) as u64
            }
            (Some(Readout::Table(out)), Rule::Table { .. }) => {
                let width = rectangle("out", out, None)?;
                if out.len() != size {
                    return Err(Unfit(format!("out: {} rows, expected {size}", out.len())));
                }
                tokens.max(width) as u64
            }
            (Some(Readout::Table(_)), _) => {
                return Err(Unfit("out: only a table model has it".to_owned()));
            }
        };
        let hello = Hello {
            vocab,
            state: true,
            deterministic: true,
            max_tokens: None,
            batch: 1,
            name: None,
        };
        Ok(Self {
            rule,
            readout,
            vocab,
            hello,
        })
    }

    /// Products of numbers at one token, or a little more.
    #[must_use]
    pub fn step_cost(&self) -> usize {
        match &self.rule {
            Rule::Linear { keys, values, .. } | Rule::Delta { keys, values, .. } => {
                2 * keys[0].len() * values[0].len()
            }
            Rule::Rnn { matrix, .. } => matrix.len() * matrix.len(),
            Rule::Table { .. } => 1,
        }
    }

    /// The state before any token.
    #[must_use]
    pub fn start(&self) -> State {
        match &self.rule {
            Rule::Linear {
                keys,
                values,
                format,
                ..
            } => {
                let size = keys[0].len() * values[0].len();
                match format {
                    None => State::Exact(vec![BigRational::zero(); size]),
                    Some(_) => State::Bits(vec![0; size]),
                }
            }
            Rule::Delta { keys, values, .. } => {
                State::Exact(vec![BigRational::zero(); keys[0].len() * values[0].len()])
            }
            Rule::Rnn { matrix, .. } => State::Exact(vec![BigRational::zero(); matrix.len()]),
            Rule::Table { .. } => State::Number(0),
        }
    }

    /// The state after one more token, which stands at `position` (from 0).
    ///
    /// # Errors
    /// A token without a value, a position without a key, numbers that grow too long.
    pub fn after(&self, state: &State, token: u64, position: usize) -> Result<State, String> {
        let place = usize::try_from(token).unwrap_or(usize::MAX);
        let no_token = || format!("token {token} has no value");
        let next = match (&self.rule, state) {
            (
                Rule::Linear {
                    gates,
                    keys,
                    values,
                    by_position,
                    format,
                },
                state,
            ) => {
                let value = values.get(place).ok_or_else(no_token)?;
                let key = keys
                    .get(if *by_position { position } else { place })
                    .ok_or_else(|| format!("position {position} has no key"))?;
                let gate = gates.get(place).unwrap_or(&gates[0]);
                match (format, state) {
                    (Some(format), State::Bits(bits)) => {
                        let next = gated_bits(*format, gate, key, value, bits);
                        // What comes after infinity, and the bits of NaN, differ between machines.
                        if !next.iter().all(|bits| Format::finite(*bits)) {
                            return Err("a number of the state is not finite".to_owned());
                        }
                        State::Bits(next)
                    }
                    (_, State::Exact(numbers)) => State::Exact(
                        key.iter()
                            .flat_map(|k| value.iter().map(move |v| k * v))
                            .zip(numbers)
                            .map(|(product, old)| gate * old + product)
                            .collect(),
                    ),
                    _ => return Err("a state of another kind".to_owned()),
                }
            }
            (Rule::Delta { rate, keys, values }, State::Exact(numbers)) => {
                let (key, value) = (
                    keys.get(place).ok_or_else(no_token)?,
                    values.get(place).ok_or_else(no_token)?,
                );
                let width = value.len();
                let read: Vec<BigRational> = (0..width)
                    .map(|j| {
                        key.iter()
                            .enumerate()
                            .map(|(i, k)| k * &numbers[i * width + j])
                            .sum()
                    })
                    .collect();
                State::Exact(
                    numbers
                        .iter()
                        .enumerate()
                        .map(|(at, old)| {
                            let (i, j) = (at / width, at % width);
                            old + rate * &key[i] * (&value[j] - &read[j])
                        })
                        .collect(),
                )
            }
            (
                Rule::Rnn {
                    matrix,
                    inputs,
                    clamp: (low, high),
                },
                State::Exact(numbers),
            ) => {
                let input = inputs.get(place).ok_or_else(no_token)?;
                State::Exact(
                    matrix
                        .iter()
                        .zip(input)
                        .map(|(row, add)| {
                            let sum: BigRational =
                                row.iter().zip(numbers).map(|(w, h)| w * h).sum();
                            (sum + add).clamp(low.clone(), high.clone())
                        })
                        .collect(),
                )
            }
            (Rule::Table { next }, State::Number(number)) => {
                let row = &next[usize::try_from(*number).unwrap_or(0)];
                State::Number(*row.get(place).ok_or_else(no_token)?)
            }
            _ => return Err("a state of another kind".to_owned()),
        };
        if let State::Exact(numbers) = &next
            && numbers
                .iter()
                .any(|x| x.numer().bits().max(x.denom().bits()) > BITS)
        {
            return Err(format!("a number of the state has more than {BITS} bits"));
        }
        Ok(next)
    }

    /// The state after some tokens.
    ///
    /// # Errors
    /// As [`SpecModel::after`].
    pub fn state_of(&self, tokens: &[u64]) -> Result<State, String> {
        tokens
            .iter()
            .enumerate()
            .try_fold(self.start(), |state, (position, token)| {
                self.after(&state, *token, position)
            })
    }

    /// The answer to an input: its last token is asked of the state after the others.
    ///
    /// # Errors
    /// As [`SpecModel::after`]; a model without a readout, or a token without a query.
    pub fn answer(&self, tokens: &[u64]) -> Result<Vec<u64>, String> {
        let (last, prefix) = tokens.split_last().ok_or("an empty input")?;
        let state = self.state_of(prefix)?;
        let place = usize::try_from(*last).unwrap_or(usize::MAX);
        let none = || format!("token {last} has no query");
        match (&self.readout, &state) {
            (None, _) => Err("this model has no readout".to_owned()),
            (Some(Readout::Table(out)), State::Number(number)) => {
                let row = &out[usize::try_from(*number).unwrap_or(0)];
                Ok(vec![*row.get(place).ok_or_else(none)?])
            }
            (Some(Readout::Linear { queries, largest }), State::Exact(numbers)) => {
                let query = queries.get(place).ok_or_else(none)?;
                let stride = numbers.len() / query.len();
                let sum: BigRational = query
                    .iter()
                    .enumerate()
                    .map(|(i, q)| q * &numbers[i * stride])
                    .sum();
                let half = BigRational::new(BigInt::one(), BigInt::from(2));
                let rounded = (sum + half).floor().to_integer();
                let clamped = rounded
                    .clamp(BigInt::zero(), BigInt::from(*largest))
                    .to_u64()
                    .unwrap_or(0);
                Ok(vec![clamped])
            }
            (Some(_), _) => Err("a readout is exact; this state is not".to_owned()),
        }
    }

    /// Integers c, not all 0, with `sum c_i k_i = 0` over the keys by position: changing value i by c_i (times any number) leaves an
    /// additive state unchanged, whatever the precision.
    ///
    /// # Source
    /// Derived: more keys than their dimension are linearly dependent.
    /// # Domain
    /// `None` unless the rule is linear attention with gate 1 and keys by position, and they are dependent.
    #[must_use]
    pub fn relation(&self) -> Option<Vec<BigInt>> {
        let Rule::Linear {
            gates,
            keys,
            by_position: true,
            format: None,
            ..
        } = &self.rule
        else {
            return None;
        };
        if !gates.iter().all(One::is_one) {
            return None;
        }
        let solution = null_vector(keys)?;
        let common = solution
            .iter()
            .fold(BigInt::one(), |lcm, x| lcm.lcm(x.denom()));
        let whole: Vec<BigInt> = solution
            .iter()
            .map(|x| (x * BigRational::from_integer(common.clone())).to_integer())
            .collect();
        let gcd = whole.iter().fold(BigInt::zero(), |gcd, x| gcd.gcd(x));
        Some(whole.iter().map(|x| x / &gcd).collect())
    }
}

/// `sum c_i rows_i = 0` with some c_i = 1: the first row that depends on those before it.
fn null_vector(rows: &[Vec<BigRational>]) -> Option<Vec<BigRational>> {
    // Rows in echelon form, each with its combination of the originals.
    let mut basis: Vec<(Vec<BigRational>, Vec<BigRational>)> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let mut rest = row.clone();
        let mut combination = vec![BigRational::zero(); rows.len()];
        combination[i] = BigRational::one();
        for (lead, parts) in &basis {
            let Some(column) = lead.iter().position(|x| !x.is_zero()) else {
                continue;
            };
            let factor = &rest[column] / &lead[column];
            for (x, y) in rest.iter_mut().zip(lead) {
                *x -= &factor * y;
            }
            for (x, y) in combination.iter_mut().zip(parts) {
                *x -= &factor * y;
            }
        }
        if rest.iter().all(Zero::is_zero) {
            return Some(combination);
        }
        basis.push((rest, combination));
    }
    None
}

/// The pattern of a rational, rounded once; `None` when its parts are too long to be exact.
fn pattern(format: Format, x: &BigRational) -> Option<u32> {
    let p = x.numer().to_i32().filter(|p| p.unsigned_abs() < 1 << 24)?;
    let q = x.denom().to_u32().filter(|q| *q < 1 << 24)?;
    Some(format.quotient(p, q))
}

/// `g S`, then `k v`, then the sum, each rounded.
fn gated_bits(
    format: Format,
    gate: &BigRational,
    key: &[BigRational],
    value: &[BigRational],
    state: &[u32],
) -> Vec<u32> {
    let bits = |x: &BigRational| pattern(format, x).unwrap_or(0);
    let (gate, values): (u32, Vec<u32>) = (bits(gate), value.iter().map(bits).collect());
    key.iter()
        .map(bits)
        .flat_map(|k| values.iter().map(move |v| format.mul(k, *v)))
        .zip(state)
        .map(|(product, old)| format.add(format.mul(gate, *old), product))
        .collect()
}

impl Oracle for SpecModel {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn ask(&mut self, asks: &[Ask]) -> Result<Vec<Reply>, Broken> {
        Ok(asks
            .iter()
            .map(|ask| match ask {
                Ask::Prefix(tokens) => match self.state_of(tokens) {
                    Ok(state) => Reply::State(state.hex()),
                    Err(why) => Reply::Refused(why),
                },
                Ask::Run(tokens) => match self.answer(tokens) {
                    Ok(out) => Reply::Out(out),
                    Err(why) => Reply::Refused(why),
                },
            })
            .collect())
    }
}
