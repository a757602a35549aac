//! Model files: an exact model, and the inputs it is asked about.

use crate::file::constants::{Constants, Overrides};
use crate::file::reader::{Fields, list, mismatch, small_count, text, truth};
use crate::file::tree::Value;
use crate::file::{FileError, Source, Tree};
use crate::models::ieee::Format;
use crate::models::spec::{Readout, Rule, SpecModel};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Zero};
use serde_json::json;

/// Most numbers of one table.
const LARGEST: usize = 1 << 20;

/// A model file.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// The model.
    pub model: SpecModel,
    /// `[inputs]`: so many tokens, each one of these.
    pub inputs: Option<(usize, Vec<u64>)>,
}

/// The tags of `[model.X]`.
pub const TAGS: [&str; 4] = ["linear", "delta", "rnn", "table"];

/// Reads a model file.
///
/// # Errors
/// The first mistake, with its position.
pub fn read(source: &Source) -> Result<ModelFile, FileError> {
    let tree = Tree::parse(source)?;
    let top = Fields::of(source, "the file", &tree)?;
    top.allow(&["model", "inputs", "note"])?;
    let model_tree = top.need("model")?;
    let entry = Fields::of(source, "[model]", model_tree)?.tag("model", &TAGS)?;
    let name = format!("[model.{}]", entry.key);
    let fields = Fields::of(source, &name, &entry.tree)?;
    let reader = Numbers {
        source,
        names: Constants::read(source, &Tree::from_json(&json!({})), &Overrides::new())?,
    };
    let rule = match entry.key.as_str() {
        "linear" => {
            fields.allow(&[
                "keys",
                "values",
                "gate",
                "positions",
                "format",
                "queries",
                "largest",
            ])?;
            Rule::Linear {
                gates: match fields.get("gate") {
                    None => vec![BigRational::one()],
                    Some(tree) if tree.value.items().is_some() => reader.row(tree)?,
                    Some(tree) => vec![reader.ratio(tree)?],
                },
                keys: reader.rows(fields.need("keys")?)?,
                values: reader.rows(fields.need("values")?)?,
                by_position: fields
                    .get("positions")
                    .map(|tree| truth(source, tree))
                    .transpose()?
                    .unwrap_or(false),
                format: match fields.get("format") {
                    None => None,
                    Some(tree) => Some(match text(source, tree)? {
                        "f32" => Format::F32,
                        "bf16" => Format::Bf16,
                        other => {
                            return Err(source.error_in(
                                &tree.at,
                                format!("found `{other}`, expected f32 or bf16"),
                            ));
                        }
                    }),
                },
            }
        }
        "delta" => {
            fields.allow(&["keys", "values", "rate", "queries", "largest"])?;
            Rule::Delta {
                rate: reader.ratio(fields.need("rate")?)?,
                keys: reader.rows(fields.need("keys")?)?,
                values: reader.rows(fields.need("values")?)?,
            }
        }
        "rnn" => {
            fields.allow(&["matrix", "inputs", "clamp", "queries", "largest"])?;
            let clamp = reader.row(fields.need("clamp")?)?;
            let [low, high] = clamp.as_slice() else {
                let at = &fields.need("clamp")?.at;
                return Err(
                    source.error_in(at, format!("{} numbers, expected [low, high]", clamp.len()))
                );
            };
            Rule::Rnn {
                matrix: reader.rows(fields.need("matrix")?)?,
                inputs: reader.rows(fields.need("inputs")?)?,
                clamp: (low.clone(), high.clone()),
            }
        }
        _ => {
            fields.allow(&["next", "out"])?;
            Rule::Table {
                next: reader.counts(fields.need("next")?)?,
            }
        }
    };
    let readout = match (fields.get("queries"), fields.get("out")) {
        (Some(queries), _) => Some(Readout::Linear {
            queries: reader.rows(queries)?,
            largest: reader.count(fields.need("largest")?)?,
        }),
        (None, Some(out)) => Some(Readout::Table(reader.counts(out)?)),
        (None, None) => None,
    };
    let model = SpecModel::new(rule, readout)
        .map_err(|unfit| source.error_at(entry.key_at.start, format!("{name}: {unfit}")))?;
    let inputs = match top.get("inputs") {
        None => None,
        Some(tree) => Some(inputs(source, tree, &reader, &model)?),
    };
    Ok(ModelFile { model, inputs })
}

fn inputs(
    source: &Source,
    tree: &Tree,
    reader: &Numbers<'_>,
    model: &SpecModel,
) -> Result<(usize, Vec<u64>), FileError> {
    let fields = Fields::of(source, "[inputs]", tree)?;
    fields.allow(&["length", "tokens"])?;
    let length_tree = fields.need("length")?;
    let length = reader.count(length_tree)?;
    if !(1..=1 << 16).contains(&length) {
        return Err(source.error_in(
            &length_tree.at,
            format!("`length` {length}, expected 1 to 65536"),
        ));
    }
    let list_tree = fields.need("tokens")?;
    let mut tokens = Vec::new();
    for item in list(source, list_tree)? {
        let token = reader.count(item)?;
        if token >= model.vocab || tokens.contains(&token) {
            return Err(source.error_in(
                &item.at,
                format!(
                    "token {token}, expected different ones below {}",
                    model.vocab
                ),
            ));
        }
        tokens.push(token);
    }
    if tokens.is_empty() {
        return Err(source.error_at(list_tree.at.start, "no tokens"));
    }
    Ok((usize::try_from(length).unwrap_or(1), tokens))
}

/// Numbers of a model file: integers, or fractions in quotes.
struct Numbers<'a> {
    source: &'a Source,
    names: Constants,
}

impl Numbers<'_> {
    fn ratio(&self, tree: &Tree) -> Result<BigRational, FileError> {
        let expected = "an integer, or a fraction in quotes such as \"9/10\"";
        match &tree.value {
            Value::Integer(number) => Ok(BigRational::from_integer(number.clone())),
            Value::Text(text) => {
                let (p, q) = text.split_once('/').unwrap_or((text, "1"));
                let parsed: Option<(BigInt, BigUint)> =
                    p.trim().parse().ok().zip(q.trim().parse().ok());
                match parsed {
                    Some((p, q)) if !q.is_zero() && p.bits().max(q.bits()) <= 256 => {
                        Ok(BigRational::new(p, q.into()))
                    }
                    _ => Err(self
                        .source
                        .error_in(&tree.at, format!("found `{text}`, expected {expected}"))),
                }
            }
            other @ (Value::Truth(_)
            | Value::Float
            | Value::Date
            | Value::List(_)
            | Value::Table(_)) => Err(mismatch(self.source, tree, other, expected)),
        }
    }

    fn row(&self, tree: &Tree) -> Result<Vec<BigRational>, FileError> {
        self.items(tree)?
            .iter()
            .map(|item| self.ratio(item))
            .collect()
    }

    fn rows(&self, tree: &Tree) -> Result<Vec<Vec<BigRational>>, FileError> {
        self.items(tree)?.iter().map(|row| self.row(row)).collect()
    }

    fn count(&self, tree: &Tree) -> Result<u64, FileError> {
        small_count(self.source, tree, &self.names, "the number")
    }

    fn counts(&self, tree: &Tree) -> Result<Vec<Vec<u64>>, FileError> {
        self.items(tree)?
            .iter()
            .map(|row| {
                self.items(row)?
                    .iter()
                    .map(|item| self.count(item))
                    .collect()
            })
            .collect()
    }

    fn items<'t>(&self, tree: &'t Tree) -> Result<&'t [Tree], FileError> {
        let items = list(self.source, tree)?;
        if items.len() > LARGEST {
            return Err(self
                .source
                .error_at(tree.at.start, format!("more than {LARGEST} items"))
                .about_size());
        }
        Ok(items)
    }
}
