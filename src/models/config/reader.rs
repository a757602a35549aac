//! Typed access to the fields of a `config.json`: where each stands, what is missing, what a class default filled.

use super::json::{Node, Value};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cell::RefCell;

/// Largest number that a field may hold.
const LARGEST: u64 = 1 << 32;
/// Most layers: a published model has a few hundred.
const MOST_LAYERS: u64 = 1 << 14;

/// Why a configuration was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct Refusal {
    /// JSON path of the field, `linear_attn_config.num_heads` or `layer_types[3]`.
    pub path: String,
    /// Byte offset of the value, or of the object that lacks it.
    pub at: usize,
    /// What was found and what was expected.
    pub message: String,
}

/// A value of a field.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its path.
    pub path: String,
    /// The value; a class default stands nowhere.
    pub node: Node,
}

impl Found {
    /// A refusal at this value.
    pub fn refuse(&self, message: impl Into<String>) -> Refusal {
        Refusal {
            path: self.path.clone(),
            at: self.node.at,
            message: message.into(),
        }
    }

    fn expected(&self, expected: &str) -> Refusal {
        self.refuse(format!("found {}, expected {expected}", self.node.shown()))
    }

    /// A whole number of at least `least`.
    ///
    /// # Errors
    /// Other values, and numbers over 2^32.
    pub fn count(&self, least: u64) -> Result<u64, Refusal> {
        let expected = format!("a whole number from {least} to 2^32");
        let Value::Number(number) = &self.node.value else {
            return Err(self.expected(&expected));
        };
        number
            .is_integer()
            .then(|| number.to_integer().to_u64())
            .flatten()
            .filter(|n| (least..=LARGEST).contains(n))
            .ok_or_else(|| self.expected(&expected))
    }

    /// A size.
    ///
    /// # Errors
    /// As [`Found::count`] from 1 on.
    pub fn size(&self) -> Result<BigUint, Refusal> {
        self.count(1).map(BigUint::from)
    }

    /// A string.
    ///
    /// # Errors
    /// Other values.
    pub fn text(&self) -> Result<&str, Refusal> {
        match &self.node.value {
            Value::Text(text) => Ok(text),
            Value::Null
            | Value::Truth(_)
            | Value::Number(_)
            | Value::NotFinite
            | Value::List(_)
            | Value::Object(_) => Err(self.expected("a string")),
        }
    }

    /// The items of a list, each with its path.
    ///
    /// # Errors
    /// Other values, and more items than a model has layers.
    pub fn items(&self) -> Result<Vec<Self>, Refusal> {
        let Value::List(items) = &self.node.value else {
            return Err(self.expected("a list"));
        };
        if items.len() as u64 > MOST_LAYERS {
            return Err(self.refuse(format!(
                "{} items, expected at most {MOST_LAYERS}",
                items.len()
            )));
        }
        Ok(items
            .iter()
            .enumerate()
            .map(|(i, node)| Self {
                path: format!("{}[{i}]", self.path),
                node: node.clone(),
            })
            .collect())
    }

    /// A list of positions below `end`, counted from `first`, without repeats; given from 0.
    ///
    /// # Errors
    /// Other values, positions outside, repeats.
    pub fn positions(&self, first: u64, end: u64) -> Result<Vec<u64>, Refusal> {
        let mut found: Vec<u64> = Vec::new();
        for item in self.items()? {
            let position = item.count(0)?;
            let inside = position.checked_sub(first).filter(|i| *i < end);
            let Some(index) = inside else {
                return Err(item.refuse(format!(
                    "position {position}, expected {first} to {}",
                    (end + first).saturating_sub(1)
                )));
            };
            if found.contains(&index) {
                return Err(item.refuse(format!("position {position} occurs twice")));
            }
            found.push(index);
        }
        Ok(found)
    }
}

/// A configuration being read.
#[derive(Debug)]
pub struct Reader<'a> {
    /// The whole file.
    pub root: &'a Node,
    /// The language model inside a larger one.
    text: Option<&'a Node>,
    /// Class defaults of this model type: path, and the value as JSON.
    defaults: &'static [(&'static str, &'static str)],
    fill: bool,
    /// Tokens read before the boundary, for log-linear states.
    pub tokens: Option<u64>,
    filled: RefCell<Vec<(String, String)>>,
    notes: RefCell<Vec<String>>,
}

impl<'a> Reader<'a> {
    /// A reader of this file.
    #[must_use]
    pub fn new(
        root: &'a Node,
        defaults: &'static [(&'static str, &'static str)],
        fill: bool,
        tokens: Option<u64>,
    ) -> Self {
        let text = root
            .get("text_config")
            .filter(|node| matches!(node.value, Value::Object(_)));
        Self {
            root,
            text,
            defaults,
            fill,
            tokens,
            filled: RefCell::new(Vec::new()),
            notes: RefCell::new(Vec::new()),
        }
    }

    /// What class defaults filled, in the order of use.
    #[must_use]
    pub fn filled(&self) -> Vec<(String, String)> {
        self.filled.borrow().clone()
    }

    /// Remarks.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.notes.borrow().clone()
    }

    /// True when class defaults are wanted.
    #[must_use]
    pub fn fills(&self) -> bool {
        self.fill
    }

    /// Lists a class default that is computed, not a constant.
    pub fn filled_with(&self, path: &str, value: &str) {
        self.filled
            .borrow_mut()
            .push((path.to_owned(), value.to_owned()));
    }

    /// Adds a remark.
    pub fn note(&self, text: impl Into<String>) {
        self.notes.borrow_mut().push(text.into());
    }

    /// The field at a dotted path, unless it is absent or null.
    ///
    /// # Errors
    /// A field that stands at the top and in `text_config` with different values.
    pub fn get(&self, path: &str) -> Result<Option<Found>, Refusal> {
        let walk = |from: &'a Node| path.split('.').try_fold(from, |node, key| node.get(key));
        let (top, inner) = (walk(self.root), self.text.and_then(walk));
        if let (Some(top), Some(inner)) = (top, inner)
            && !top.same(inner)
            && path != "model_type"
        {
            return Err(Refusal {
                path: format!("text_config.{path}"),
                at: inner.at,
                message: format!(
                    "found {} here and {} at the top of the file, expected one value",
                    inner.shown(),
                    top.shown()
                ),
            });
        }
        let (prefix, node) = match (inner, top) {
            (Some(node), _) => ("text_config.", node),
            (None, Some(node)) => ("", node),
            (None, None) => return Ok(None),
        };
        Ok((node.value != Value::Null).then(|| Found {
            path: format!("{prefix}{path}"),
            node: node.clone(),
        }))
    }

    /// True when the field is there, be it null.
    #[must_use]
    pub fn mentions(&self, path: &str) -> bool {
        [Some(self.root), self.text]
            .into_iter()
            .flatten()
            .any(|from| path.split('.').try_fold(from, Node::get).is_some())
    }

    /// The field, or its class default when defaults are wanted.
    ///
    /// # Errors
    /// As [`Reader::get`].
    pub fn get_or_default(&self, path: &str) -> Result<Option<Found>, Refusal> {
        if let Some(found) = self.get(path)? {
            return Ok(Some(found));
        }
        let Some((_, text)) = self
            .defaults
            .iter()
            .find(|(name, _)| self.fill && *name == path)
        else {
            return Ok(None);
        };
        let mut filled = self.filled.borrow_mut();
        if !filled.iter().any(|(name, _)| name == path) {
            filled.push((path.to_owned(), (*text).to_owned()));
        }
        Ok(Node::parse(text).ok().map(|mut node| {
            node.at = 0;
            Found {
                path: format!("{path} (class default)"),
                node,
            }
        }))
    }

    /// The first of these fields that is there: a name and its aliases.
    ///
    /// # Errors
    /// As [`Reader::get`]; two of them with different values; a missing field, by name.
    pub fn need(&self, names: &[&str]) -> Result<Found, Refusal> {
        let mut found: Option<Found> = None;
        for name in names {
            let Some(next) = self.get(name)? else {
                continue;
            };
            if let Some(first) = &found {
                if !first.node.same(&next.node) {
                    return Err(next.refuse(format!(
                        "found {}, but {} is {}",
                        next.node.shown(),
                        first.path,
                        first.node.shown()
                    )));
                }
            } else {
                found = Some(next);
            }
        }
        if let Some(found) = found {
            return Ok(found);
        }
        for name in names {
            if let Some(found) = self.get_or_default(name)? {
                return Ok(found);
            }
        }
        Err(self.missing(names))
    }

    /// The refusal for a field that decides and is not there.
    #[must_use]
    pub fn missing(&self, names: &[&str]) -> Refusal {
        let known = self.defaults.iter().any(|(name, _)| names.contains(name));
        let hint = if known && !self.fill {
            "; the class has a default (--class-defaults), which need not be the checkpoint's"
        } else {
            ""
        };
        let also = if names.len() > 1 {
            format!(" (or {})", names[1..].join(", "))
        } else {
            String::new()
        };
        Refusal {
            path: names[0].to_owned(),
            at: self.text.unwrap_or(self.root).at,
            message: format!("missing{also}: it decides the state{hint}"),
        }
    }

    /// A required size.
    ///
    /// # Errors
    /// As [`Reader::need`] and [`Found::size`].
    pub fn size(&self, name: &str) -> Result<BigUint, Refusal> {
        self.need(&[name])?.size()
    }

    /// A size that may be absent or null.
    ///
    /// # Errors
    /// As [`Found::size`].
    pub fn maybe_size(&self, name: &str) -> Result<Option<BigUint>, Refusal> {
        self.get(name)?.map(|found| found.size()).transpose()
    }

    /// A required truth value.
    ///
    /// # Errors
    /// As [`Reader::need`]; other values.
    pub fn truth(&self, names: &[&str]) -> Result<bool, Refusal> {
        let found = self.need(names)?;
        if let Value::Truth(truth) = found.node.value {
            Ok(truth)
        } else {
            Err(found.expected("true or false"))
        }
    }

    /// `factor * base` for a required positive factor, which may be a fraction; the product must be whole.
    ///
    /// # Errors
    /// As [`Reader::need`]; products that are not whole, or zero.
    pub fn times(&self, names: &[&str], base: &BigUint) -> Result<BigUint, Refusal> {
        let found = self.need(names)?;
        let Value::Number(factor) = &found.node.value else {
            return Err(found.expected("a number above 0"));
        };
        if !factor.is_positive() || *factor > BigRational::from_integer(LARGEST.into()) {
            return Err(found.expected("a number above 0, at most 2^32"));
        }
        let product = factor * BigRational::from_integer(base.clone().into());
        match product.to_integer().to_biguint() {
            Some(whole) if product.is_integer() && !whole.is_zero() => Ok(whole),
            _ => Err(found.refuse(format!(
                "{factor} times {base} is {product}, expected a whole number"
            ))),
        }
    }

    /// `whole / parts`, which must divide.
    ///
    /// # Errors
    /// A remainder, told at the field `name`.
    pub fn divide(&self, name: &str, whole: &BigUint, parts: &BigUint) -> Result<BigUint, Refusal> {
        if parts.is_zero() || !(whole % parts).is_zero() {
            let at = self.get(name)?.map_or(self.root.at, |found| found.node.at);
            return Err(Refusal {
                path: name.to_owned(),
                at,
                message: format!("{parts} does not divide {whole}"),
            });
        }
        Ok(whole / parts)
    }

    /// Refuses two numbers that must agree.
    ///
    /// # Errors
    /// When they do not, at the field `name`.
    pub fn agree(
        &self,
        name: &str,
        found: &BigUint,
        other: &BigUint,
        what: &str,
    ) -> Result<(), Refusal> {
        if found == other {
            return Ok(());
        }
        let at = self.get(name)?.map_or(self.root.at, |found| found.node.at);
        Err(Refusal {
            path: name.to_owned(),
            at,
            message: format!("{found}, but {what} is {other}"),
        })
    }

    /// The number of layers.
    ///
    /// # Errors
    /// As [`Reader::need`]; more than 2^14.
    pub fn layers(&self) -> Result<u64, Refusal> {
        let found = self.need(&["num_hidden_layers"])?;
        let layers = found.count(1)?;
        if layers > MOST_LAYERS {
            return Err(found.refuse(format!("{layers} layers, expected at most {MOST_LAYERS}")));
        }
        Ok(layers)
    }
}
