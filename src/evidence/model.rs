//! Claims about the state of a model, and their evidence: the rows of `state`, which a checker computes again from the configuration.

use crate::evidence::shape::{Place, Rejection};
use crate::evidence::statement::Bound;
use crate::game::family::layout::Word;
use crate::game::structure::Code;
use crate::models::account::{Account, Precision, Row, is_number, number};
use crate::models::config::json::Node;
use crate::models::config::{self, Model, Refusal};
use crate::models::layer::Role;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use serde_json::{Value as Json, json};

/// What a model claim says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelClaim {
    /// Bits of recurrent numbers.
    pub recurrent_bits: u64,
    /// Bits of the others.
    pub other_bits: u64,
    /// What is said.
    pub says: Says,
}

/// The two kinds of model claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// About a number of `state`.
    Number {
        /// Its key.
        of: String,
        /// How it is compared.
        bound: Bound,
        /// With what.
        number: BigUint,
    },
    /// The layout is this word.
    Layout(Word),
}

/// Most bits of one number.
const WIDEST: u64 = 1024;

impl ModelClaim {
    /// The body of `{"model": ..}`.
    pub fn to_json(&self) -> Json {
        let mut body = json!({
            "recurrent_bits": self.recurrent_bits.to_string(),
            "other_bits": self.other_bits.to_string(),
        });
        match &self.says {
            Says::Number { of, bound, number } => {
                body["of"] = json!(of);
                body[bound.key()] = json!(number.to_string());
            }
            Says::Layout(word) => body["layout"] = json!(word.to_string()),
        }
        body
    }

    /// Reads the body of `{"model": ..}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        let bits = |key: &str| -> Result<u64, Rejection> {
            let place = body.get(key)?;
            let bits = place.count()?;
            bits.to_u64()
                .filter(|bits| (1..=WIDEST).contains(bits))
                .ok_or_else(|| {
                    Rejection::new(
                        place.at,
                        Code::Malformed,
                        bits.to_string(),
                        "1 to 1024 bits",
                    )
                })
        };
        let says = if let Some(layout) = body.maybe("layout") {
            body.object(&["layout", "other_bits", "recurrent_bits"], &[])?;
            let text = layout.text()?;
            let word = Word::parse(text).map_err(|error| {
                Rejection::new(&layout.at, Code::Malformed, text, error.expected)
            })?;
            if word.to_string() != text {
                return Err(Rejection::new(
                    layout.at,
                    Code::Malformed,
                    text,
                    word.to_string(),
                ));
            }
            Says::Layout(word)
        } else {
            let given: Vec<(&str, Bound)> = Bound::ALL
                .into_iter()
                .filter(|(key, _)| body.maybe(key).is_some())
                .collect();
            let [(key, bound)] = given.as_slice() else {
                return Err(Rejection::new(
                    body.at.clone(),
                    Code::Malformed,
                    format!("{} bounds", given.len()),
                    "one of equals, at_least, at_most, or layout",
                ));
            };
            body.object(&["of", "other_bits", "recurrent_bits", key], &[])?;
            let of = body.get("of")?;
            if !is_number(of.text()?) {
                return Err(Rejection::new(
                    of.at.clone(),
                    Code::Malformed,
                    of.text()?,
                    "a numeric key of `state`",
                ));
            }
            Says::Number {
                of: of.text()?.to_owned(),
                bound: *bound,
                number: body.get(key)?.count()?,
            }
        };
        Ok(Self {
            recurrent_bits: bits("recurrent_bits")?,
            other_bits: bits("other_bits")?,
            says,
        })
    }

    /// The precision of the claim.
    fn precision(&self) -> Precision {
        Precision {
            recurrent: self.recurrent_bits,
            other: self.other_bits,
            recurrent_source: String::new(),
            other_source: String::new(),
        }
    }

    /// The ledger of a model, and whether the claim holds of it.
    ///
    /// # Errors
    /// A number that the model does not have, or that is out of reach.
    pub fn ledger(&self, model: &Model) -> Result<(Json, bool), String> {
        let account = Account::of(model);
        let precision = self.precision();
        let (found, holds) = match &self.says {
            Says::Layout(word) => (account.word.to_string(), *word == account.word),
            Says::Number {
                of,
                bound,
                number: stated,
            } => {
                let found = number(model, &account, &precision, of)
                    .map_err(|error| error.to_string())?
                    .ok_or_else(|| format!("this model has no `{of}`"))?;
                let holds = bound.holds(&found, stated);
                (found.to_string(), holds)
            }
        };
        let ledger = json!({
            "rows": rows(&account.rows),
            "recurrent_state_bits": account.recurrent_bits(&precision).to_string(),
            "bounded_state_bits": account.bounded_bits(&precision).to_string(),
            "layout": account.word.to_string(),
            "found": found,
        });
        Ok((ledger, holds))
    }
}

/// Runs of equal rows, in order.
fn rows(rows: &[Row]) -> Vec<Json> {
    let mut runs: Vec<(u64, &Row)> = Vec::new();
    for row in rows {
        match runs.last_mut() {
            Some((count, last)) if last.letter == row.letter && last.parts == row.parts => {
                *count += 1;
            }
            Some(_) | None => runs.push((1, row)),
        }
    }
    runs.into_iter()
        .map(|(count, row)| {
            let mut json = json!({
                "count": count.to_string(),
                "letter": row.letter.word(),
                "stored": row.stored().to_string(),
            });
            for role in Role::ALL {
                let scalars: BigUint = row
                    .parts
                    .iter()
                    .filter(|part| part.role == role)
                    .map(|part| &part.scalars)
                    .sum();
                json[role.word()] = scalars.to_string().into();
            }
            json
        })
        .collect()
}

/// The shape of a ledger.
///
/// # Errors
/// `malformed`, `unknown-key`.
pub fn shape(body: &Place<'_>) -> Result<(), Rejection> {
    body.object(
        &[
            "bounded_state_bits",
            "found",
            "layout",
            "recurrent_state_bits",
            "rows",
        ],
        &[],
    )?;
    for key in ["bounded_state_bits", "recurrent_state_bits"] {
        body.get(key)?.count()?;
    }
    body.get("found")?.text()?;
    body.get("layout")?.text()?;
    for row in body.get("rows")?.list()? {
        row.object(
            &[
                "conv",
                "count",
                "letter",
                "recurrent",
                "stored",
                "token_shift",
                "window",
            ],
            &[],
        )?;
        for key in [
            "conv",
            "count",
            "recurrent",
            "stored",
            "token_shift",
            "window",
        ] {
            row.get(key)?.count()?;
        }
        row.get("letter")?.text()?;
    }
    Ok(())
}

/// The model inside `spec`.
///
/// # Errors
/// What a reader refuses.
pub fn model_of(spec: &Json) -> Result<Model, Refusal> {
    config::read(&Node::from_spec(&spec["config"]), false, None)
}

/// The `spec` of a configuration.
pub fn spec_of(node: &Node) -> Json {
    json!({"config": node.to_spec()})
}
