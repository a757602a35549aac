//! Evidence about models given by a file: two inputs with one output that cannot be right for both, or one input with a wrong output;
//! and two pasts that leave one state.
//!
//! `docs/design/004-models.md` is its page. The model is part of the file, so anyone can run it; the arithmetic is exact or declared.

use crate::evidence::external::{
    External, Side, encoding_of, numbers, proves, sides_of, task_of, tokens_of,
};
use crate::evidence::shape::{Place, Rejection};
use crate::evidence::statement::plain_digest;
use crate::evidence::witness::Witness;
use crate::evidence::{Scope, Verdict};
use crate::game::structure::Code;
use crate::models::ieee::Format;
use crate::models::spec::{Readout, Rule, SpecModel};
use crate::models::task::{Encoding, Task};
use num_rational::BigRational;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// The key of `spec` that marks this evidence.
pub const MARK: &str = "exact_model";

/// Longest text of one number: both parts of up to 256 bits, with room for a sign and a bar.
const DIGITS: usize = 200;

/// What the file says about its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// It answers wrong.
    Pair {
        /// The task.
        task: Task,
        /// Symbols to tokens.
        encoding: Encoding,
        /// Symbols of the suffix.
        suffix: Vec<u64>,
        /// One side with a wrong output, or two.
        sides: Vec<Side>,
    },
    /// It forgets.
    Horizon(Forgotten),
}

/// Two inputs with one state, which the last tokens have made equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// So many tokens after the prefixes, and no fewer.
    pub tokens: usize,
    /// The two inputs.
    pub inputs: [Vec<u64>; 2],
    /// The last place at which they differ: the broken query.
    pub place: usize,
    /// Their common state, as hex.
    pub state: String,
    /// Their states one token earlier; none if the prefixes have one state already.
    pub before: Option<[String; 2]>,
}

/// The whole of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exact {
    /// The model.
    pub model: SpecModel,
    /// What is said about it.
    pub subject: Subject,
}

impl Exact {
    /// The file, unsealed.
    #[must_use]
    pub fn witness(&self, claim: &str) -> Witness {
        let model = model_json(&self.model);
        let (inside, statement, item) = match &self.subject {
            Subject::Pair {
                task,
                encoding,
                suffix,
                sides,
            } => {
                let sides: Vec<Json> = sides.iter().map(Side::to_json).collect();
                (
                    json!({"task": task.to_json(), "encoding": encoding.to_json(), "model": model}),
                    json!({"wrong": {}}),
                    json!({"model_pair": {"suffix": suffix, "sides": sides}}),
                )
            }
            Subject::Horizon(found) => (
                json!({"model": model}),
                json!({"forgotten": {
                    "prefix": (found.inputs[0].len() - found.tokens).to_string(),
                    "tokens": found.tokens.to_string(),
                }}),
                json!({"horizon": {
                    "left": found.inputs[0],
                    "right": found.inputs[1],
                    "place": found.place,
                    "state": found.state,
                    "before": found.before,
                }}),
            ),
        };
        let spec = json!({ MARK: inside });
        Witness {
            claim: claim.to_owned(),
            digest: plain_digest(&spec, &statement),
            statement,
            scope: Scope::ThisProtocol,
            verdict: Verdict::Established,
            spec,
            evidence: vec![item],
            files: BTreeMap::new(),
            trust: Vec::new(),
        }
    }

    /// Reads the file; nothing is run yet.
    ///
    /// # Errors
    /// The codes of the evidence page.
    pub fn read(witness: &Witness) -> Result<Self, Rejection> {
        let at = |at: &str, json| Place {
            at: at.to_owned(),
            json,
        };
        let spec = at("/spec", &witness.spec);
        spec.object(&[MARK], &[])?;
        let inside = spec.get(MARK)?;
        let (tag, statement) =
            at("/statement", &witness.statement).tagged(&["forgotten", "wrong"])?;
        if tag == "wrong" {
            inside.object(&["encoding", "model", "task"], &[])?;
        } else {
            inside.object(&["model"], &[])?;
        }
        let model = read_model(&inside.get("model")?)?;
        let kind = if tag == "wrong" {
            "model_pair"
        } else {
            "horizon"
        };
        let [item] = witness.evidence.as_slice() else {
            let found = format!("{} objects", witness.evidence.len());
            return Err(Rejection::new(
                "/evidence/1",
                Code::KindMismatch,
                found,
                format!("one {kind}"),
            ));
        };
        let (_, body) = at("/evidence/0", item).tagged(&[kind])?;
        let subject = if tag == "wrong" {
            statement.object(&[], &[])?;
            read_pair(&inside, &body)?
        } else {
            statement.object(&["prefix", "tokens"], &[])?;
            let prefix = statement.get("prefix")?.small_count()?;
            let tokens = statement.get("tokens")?.small_count()?;
            Subject::Horizon(read_horizon(&body, [prefix, tokens], model.vocab)?)
        };
        Ok(Self { model, subject })
    }

    /// Runs the model and compares.
    ///
    /// # Errors
    /// `replay` for another state or output than the model's, `view-differs` for two states, `bound` for a horizon that is not the
    /// least.
    pub fn replay(&self) -> Result<(), Rejection> {
        match &self.subject {
            Subject::Pair { sides, .. } => {
                for (number, side) in sides.iter().enumerate() {
                    let at = format!("/evidence/0/model_pair/sides/{number}");
                    let out = self.model.answer(&side.tokens);
                    same(&format!("{at}/out"), &side.out, &out)?;
                    let state = self.state(&side.prefix_tokens).map(Some);
                    same(&format!("{at}/state"), &side.state, &state)?;
                }
                Ok(())
            }
            Subject::Horizon(found) => self.replay_horizon(found),
        }
    }

    fn replay_horizon(&self, found: &Forgotten) -> Result<(), Rejection> {
        let at = |key: &str| format!("/evidence/0/horizon/{key}");
        let [left, right] = &found.inputs;
        let ends = [self.state(left), self.state(right)];
        same(&at("state"), &found.state, &ends[0])?;
        if ends[0] != ends[1] {
            return Err(Rejection::new(
                at("right"),
                Code::ViewDiffers,
                format!("{:?}", ends[1]),
                format!("{:?}, as the other state", ends[0]),
            ));
        }
        let Some(before) = &found.before else {
            return Ok(());
        };
        for (number, (input, stored)) in found.inputs.iter().zip(before).enumerate() {
            let earlier = input.split_last().map_or(&[] as &[u64], |(_, rest)| rest);
            same(
                &at(&format!("before/{number}")),
                stored,
                &self.state(earlier),
            )?;
        }
        if before[0] == before[1] {
            return Err(Rejection::new(
                "/statement/forgotten/tokens",
                Code::Bound,
                found.tokens.to_string(),
                "the least number: the states are equal one token earlier",
            ));
        }
        Ok(())
    }

    fn state(&self, tokens: &[u64]) -> Result<String, String> {
        self.model.state_of(tokens).map(|state| state.hex())
    }

    /// Numbers that a replay computes.
    #[must_use]
    pub fn work(&self) -> u128 {
        let inputs: Vec<usize> = match &self.subject {
            Subject::Pair { sides, .. } => sides.iter().map(|side| side.tokens.len()).collect(),
            Subject::Horizon(found) => found.inputs.iter().map(Vec::len).collect(),
        };
        let tokens: usize = inputs.iter().sum();
        tokens as u128 * self.model.step_cost() as u128 * 2
    }

    /// In a few words.
    #[must_use]
    pub fn summary(&self) -> String {
        match &self.subject {
            Subject::Pair { sides, .. } => External::summary_of("model_pair", sides),
            Subject::Horizon(found) => format!(
                "horizon: one state {} tokens after two inputs that differ at place {}",
                found.tokens, found.place
            ),
        }
    }

    /// What it is about, in a few words.
    #[must_use]
    pub fn about(&self) -> String {
        match &self.subject {
            Subject::Pair { task, .. } => {
                format!("{} on {} symbols", task.name(), task.prefix_len())
            }
            Subject::Horizon(_) => format!("a model of {} tokens", self.model.vocab),
        }
    }
}

/// What is stored is what the model says.
fn same<T: PartialEq + std::fmt::Debug>(
    at: &str,
    stored: &T,
    right: &Result<T, String>,
) -> Result<(), Rejection> {
    match right {
        Ok(right) if right == stored => Ok(()),
        Ok(right) => Err(Rejection::new(
            at,
            Code::Replay,
            format!("{stored:?}"),
            format!("{right:?}, as the model computes"),
        )),
        Err(why) => Err(Rejection::new(
            at,
            Code::Replay,
            format!("{stored:?}"),
            format!("an input that the model takes: {why}"),
        )),
    }
}

fn read_pair(inside: &Place<'_>, body: &Place<'_>) -> Result<Subject, Rejection> {
    let task = task_of(&inside.get("task")?)?;
    let encoding = encoding_of(&inside.get("encoding")?, &task)?;
    body.object(&["sides", "suffix"], &[])?;
    let (suffix, sides) = sides_of(body, &task, &encoding)?;
    for (number, side) in sides.iter().enumerate() {
        if side.state.is_none() {
            return Err(Rejection::new(
                format!("{}/sides/{number}/state", body.at),
                Code::Malformed,
                "null",
                "a state",
            ));
        }
    }
    proves(&format!("{}/sides", body.at), &sides)?;
    Ok(Subject::Pair {
        task,
        encoding,
        suffix,
        sides,
    })
}

fn read_horizon(
    body: &Place<'_>,
    [prefix, tokens]: [u64; 2],
    vocab: u64,
) -> Result<Forgotten, Rejection> {
    body.object(&["before", "left", "place", "right", "state"], &[])?;
    let left_place = body.get("left")?;
    let right_place = body.get("right")?;
    let (left, right) = (numbers(&left_place)?, numbers(&right_place)?);
    let place = body.get("place")?;
    let stored = place.index()?;
    let state = body.get("state")?.text()?.to_owned();
    let before_place = body.get("before")?;
    let before = if before_place.json.is_null() {
        None
    } else {
        let texts: Vec<String> = before_place
            .list()?
            .iter()
            .map(|item| item.text().map(str::to_owned))
            .collect::<Result<_, _>>()?;
        let found = texts.len();
        Some(<[String; 2]>::try_from(texts).map_err(|_| {
            let found = format!("{found} states");
            Rejection::new(&before_place.at, Code::Malformed, found, "two states")
        })?)
    };
    for (side, at) in [(&left, &left_place.at), (&right, &right_place.at)] {
        if let Some(odd) = side.iter().find(|token| **token >= vocab) {
            let expected = format!("tokens below {vocab}");
            return Err(Rejection::new(
                at,
                Code::Alphabet,
                format!("token {odd}"),
                expected,
            ));
        }
    }
    let whole = u128::from(prefix) + u128::from(tokens);
    if left.len() != right.len() || left.len() as u128 != whole {
        return Err(Rejection::new(
            right_place.at,
            Code::Domain,
            format!("{} and {} tokens", left.len(), right.len()),
            format!("{prefix} and {tokens} tokens in both"),
        ));
    }
    let differs = left.iter().zip(&right).rposition(|(a, b)| a != b);
    let Some(last) = differs.filter(|last| (*last as u64) < prefix) else {
        return Err(Rejection::new(
            right_place.at,
            Code::Domain,
            format!("the last difference at {differs:?}"),
            format!("a difference, and the same last {tokens} tokens"),
        ));
    };
    // No more than the inputs have.
    let tokens = left.len() - usize::try_from(prefix).unwrap_or(left.len());
    if stored != last {
        return Err(Rejection::new(
            place.at,
            Code::Arithmetic,
            stored.to_string(),
            last.to_string(),
        ));
    }
    if before.is_none() != (tokens == 0) {
        return Err(Rejection::new(
            before_place.at,
            Code::Domain,
            before_place.json.to_string(),
            "two states, or null after no token",
        ));
    }
    Ok(Forgotten {
        tokens,
        inputs: [left, right],
        place: last,
        state,
        before,
    })
}

fn rows_json(rows: &[Vec<BigRational>]) -> Json {
    json!(rows.iter().map(|row| row_json(row)).collect::<Vec<_>>())
}

fn row_json(row: &[BigRational]) -> Json {
    json!(row.iter().map(ToString::to_string).collect::<Vec<_>>())
}

/// A model as data: numbers as decimal strings, fractions as `p/q` in lowest terms.
#[must_use]
pub fn model_json(model: &SpecModel) -> Json {
    let rule = match &model.rule {
        Rule::Linear {
            gates,
            keys,
            values,
            by_position,
            format,
        } => json!({"linear": {
            "by_position": by_position,
            "format": format.map_or("exact", Format::word),
            "gates": row_json(gates),
            "keys": rows_json(keys),
            "values": rows_json(values),
        }}),
        Rule::Delta { rate, keys, values } => json!({"delta": {
            "rate": rate.to_string(),
            "keys": rows_json(keys),
            "values": rows_json(values),
        }}),
        Rule::Rnn {
            matrix,
            inputs,
            clamp: (low, high),
        } => json!({"rnn": {
            "matrix": rows_json(matrix),
            "inputs": rows_json(inputs),
            "low": low.to_string(),
            "high": high.to_string(),
        }}),
        Rule::Table { next } => json!({"table": {"next": next}}),
    };
    let readout = match &model.readout {
        None => Json::Null,
        Some(Readout::Linear { queries, largest }) => json!({"linear": {
            "queries": rows_json(queries),
            "largest": largest.to_string(),
        }}),
        Some(Readout::Table(out)) => json!({"table": {"out": out}}),
    };
    json!({"rule": rule, "readout": readout})
}

fn read_model(place: &Place<'_>) -> Result<SpecModel, Rejection> {
    place.object(&["readout", "rule"], &[])?;
    let (tag, body) = place
        .get("rule")?
        .tagged(&["delta", "linear", "rnn", "table"])?;
    let rule = match tag {
        "linear" => {
            body.object(&["by_position", "format", "gates", "keys", "values"], &[])?;
            let format = body.get("format")?;
            Rule::Linear {
                by_position: body.get("by_position")?.truth()?,
                format: match format.text()? {
                    "exact" => None,
                    "f32" => Some(Format::F32),
                    "bf16" => Some(Format::Bf16),
                    other => {
                        return Err(Rejection::new(
                            format.at,
                            Code::UnknownKind,
                            other,
                            "exact, f32 or bf16",
                        ));
                    }
                },
                gates: row(&body.get("gates")?)?,
                keys: rows(&body.get("keys")?)?,
                values: rows(&body.get("values")?)?,
            }
        }
        "delta" => {
            body.object(&["keys", "rate", "values"], &[])?;
            Rule::Delta {
                rate: ratio(&body.get("rate")?)?,
                keys: rows(&body.get("keys")?)?,
                values: rows(&body.get("values")?)?,
            }
        }
        "rnn" => {
            body.object(&["high", "inputs", "low", "matrix"], &[])?;
            Rule::Rnn {
                matrix: rows(&body.get("matrix")?)?,
                inputs: rows(&body.get("inputs")?)?,
                clamp: (ratio(&body.get("low")?)?, ratio(&body.get("high")?)?),
            }
        }
        _ => {
            body.object(&["next"], &[])?;
            Rule::Table {
                next: tokens_of(&body.get("next")?)?,
            }
        }
    };
    let readout_place = place.get("readout")?;
    let readout = if readout_place.json.is_null() {
        None
    } else {
        let (tag, body) = readout_place.tagged(&["linear", "table"])?;
        if tag == "linear" {
            body.object(&["largest", "queries"], &[])?;
            Some(Readout::Linear {
                largest: body.get("largest")?.small_count()?,
                queries: rows(&body.get("queries")?)?,
            })
        } else {
            body.object(&["out"], &[])?;
            Some(Readout::Table(tokens_of(&body.get("out")?)?))
        }
    };
    SpecModel::new(rule, readout)
        .map_err(|unfit| Rejection::new(&place.at, Code::Malformed, unfit.to_string(), "a model"))
}

/// An integer, or a fraction in lowest terms.
fn ratio(place: &Place<'_>) -> Result<BigRational, Rejection> {
    let text = place.text()?;
    let parsed = if text.len() <= DIGITS {
        text.parse::<BigRational>().ok()
    } else {
        None
    };
    parsed
        .filter(|number| number.to_string() == text)
        .ok_or_else(|| {
            Rejection::new(
                &place.at,
                Code::Malformed,
                text,
                format!("a fraction in lowest terms, of at most {DIGITS} characters"),
            )
        })
}

fn row(place: &Place<'_>) -> Result<Vec<BigRational>, Rejection> {
    place.list()?.iter().map(ratio).collect()
}

fn rows(place: &Place<'_>) -> Result<Vec<Vec<BigRational>>, Rejection> {
    place.list()?.iter().map(row).collect()
}
