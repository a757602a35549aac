//! Typed reading of tables: required and optional keys, sizes, one-of choices, each with its position.

use crate::file::expr::{self, ExprError, Names};
use crate::file::keys::{self, Key};
use crate::file::source::{FileError, Source};
use crate::file::tree::{Entry, Tree, Value};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive};
use std::ops::Range;

/// A table being read.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    /// The file.
    pub source: &'a Source,
    /// Its name in messages: `[task.expression]`.
    pub name: &'a str,
    /// Where the table stands.
    pub at: &'a Range<usize>,
    /// Its entries, in file order.
    pub entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// Reads `tree` as a table.
    ///
    /// # Errors
    /// When it is something else.
    pub fn of(source: &'a Source, name: &'a str, tree: &'a Tree) -> Result<Self, FileError> {
        match &tree.value {
            Value::Table(entries) => Ok(Self {
                source,
                name,
                at: &tree.at,
                entries,
            }),
            other @ (Value::Text(_)
            | Value::Integer(_)
            | Value::Truth(_)
            | Value::Float
            | Value::Date
            | Value::List(_)) => Err(source.error_at(
                tree.at.start,
                format!("found {}, expected a table ({name})", other.kind()),
            )),
        }
    }

    /// Refuses keys that are not `allowed`, the first one in file order.
    ///
    /// # Errors
    /// An unknown key, with the near miss or all allowed ones.
    pub fn allow(&self, allowed: &[&str]) -> Result<(), FileError> {
        match self
            .entries
            .iter()
            .find(|entry| !allowed.contains(&entry.key.as_str()))
        {
            None => Ok(()),
            Some(odd) => Err(self
                .source
                .error_in(&odd.key_at, unknown("key", &odd.key, allowed))),
        }
    }

    /// Refuses keys that are not in the registry.
    ///
    /// # Errors
    /// As [`Fields::allow`].
    pub fn allow_keys(&self, keys: &[Key]) -> Result<(), FileError> {
        self.allow(&keys::names(keys))
    }

    /// The value of a key, if present.
    pub fn get(&self, key: &str) -> Option<&'a Tree> {
        self.entries
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.tree)
    }

    /// The value of a key.
    ///
    /// # Errors
    /// ``[task.expression] has no `answers` ``, at the table.
    pub fn need(&self, key: &str) -> Result<&'a Tree, FileError> {
        self.get(key).ok_or_else(|| {
            self.source
                .error_at(self.at.start, format!("{} has no `{key}`", self.name))
        })
    }

    /// The only entry: the tag of a choice.
    ///
    /// # Errors
    /// No entry, more than one, or a tag that is not one of `tags`; `what` names the choice.
    pub fn tag(&self, what: &str, tags: &[&str]) -> Result<&'a Entry, FileError> {
        let Some(first) = self.entries.first() else {
            return Err(self.source.error_at(
                self.at.start,
                format!(
                    "{} is empty, expected one of {}",
                    self.name,
                    tags.join(", ")
                ),
            ));
        };
        if let Some(odd) = self
            .entries
            .iter()
            .find(|entry| !tags.contains(&entry.key.as_str()))
        {
            return Err(self
                .source
                .error_in(&odd.key_at, unknown(what, &odd.key, tags)));
        }
        match self.entries.get(1) {
            None => Ok(first),
            Some(second) => Err(self.source.error_in(
                &second.key_at,
                format!(
                    "found `{}` beside `{}`, expected exactly one {what}",
                    second.key, first.key
                ),
            )),
        }
    }
}

/// ``unknown key `valeu`; did you mean `value`?``
pub fn unknown(what: &str, found: &str, known: &[&str]) -> String {
    let near = expr::did_you_mean(found, known.iter().copied());
    if near.is_empty() {
        format!(
            "unknown {what} `{found}`; expected one of {}",
            known.join(", ")
        )
    } else {
        format!("unknown {what} `{found}`{near}")
    }
}

/// A string value.
///
/// # Errors
/// When it is something else.
pub fn text<'a>(source: &Source, tree: &'a Tree) -> Result<&'a str, FileError> {
    match &tree.value {
        Value::Text(text) => Ok(text),
        other => Err(mismatch(source, tree, other, "a string")),
    }
}

/// A truth value.
///
/// # Errors
/// When it is something else.
pub fn truth(source: &Source, tree: &Tree) -> Result<bool, FileError> {
    match &tree.value {
        Value::Truth(truth) => Ok(*truth),
        other => Err(mismatch(source, tree, other, "true or false")),
    }
}

/// A list.
///
/// # Errors
/// When it is something else.
pub fn list<'a>(source: &Source, tree: &'a Tree) -> Result<&'a [Tree], FileError> {
    match &tree.value {
        Value::List(items) => Ok(items),
        other => Err(mismatch(source, tree, other, "a list")),
    }
}

/// ``found a float, expected an integer``
pub fn mismatch(source: &Source, tree: &Tree, found: &Value, expected: &str) -> FileError {
    source.error_at(
        tree.at.start,
        format!("found {}, expected {expected}", found.kind()),
    )
}

/// An expression error inside the string at `at`.
pub fn in_text(source: &Source, at: &Range<usize>, error: &ExprError) -> FileError {
    source.error_at(source.offset(at, error.at.start), error.message.clone())
}

/// An integer, or a constant expression in quotes.
///
/// # Errors
/// Another type, or what is wrong in the expression.
pub fn integer(source: &Source, tree: &Tree, names: &dyn Names) -> Result<BigInt, FileError> {
    match &tree.value {
        Value::Integer(number) => Ok(number.clone()),
        Value::Text(text) => {
            expr::constant_integer(text, names).map_err(|error| in_text(source, &tree.at, &error))
        }
        other => Err(mismatch(
            source,
            tree,
            other,
            "an integer or an expression in quotes",
        )),
    }
}

/// A size: an integer of at least 1. `what` begins the message when it is smaller (`domain`, ``alphabet of `x` ``).
///
/// # Errors
/// As [`integer`]; values below 1.
pub fn size(
    source: &Source,
    tree: &Tree,
    names: &dyn Names,
    what: &str,
) -> Result<BigUint, FileError> {
    let number = integer(source, tree, names)?;
    match number.to_biguint() {
        Some(size) if number.is_positive() => Ok(size),
        Some(_) | None => {
            Err(source.error_in(&tree.at, format!("{what} {number}, expected at least 1")))
        }
    }
}

/// An integer of at least 0.
///
/// # Errors
/// As [`integer`]; negative values.
pub fn count(
    source: &Source,
    tree: &Tree,
    names: &dyn Names,
    what: &str,
) -> Result<BigUint, FileError> {
    let number = integer(source, tree, names)?;
    number
        .to_biguint()
        .ok_or_else(|| source.error_in(&tree.at, format!("{what} {number}, expected at least 0")))
}

/// Narrows a number to 64 bits.
///
/// # Errors
/// A size error with the exact number.
pub fn narrow(
    source: &Source,
    tree: &Tree,
    number: &BigUint,
    what: &str,
) -> Result<u64, FileError> {
    number.to_u64().ok_or_else(|| {
        source
            .error_in(
                &tree.at,
                format!("{what} {number}, at most 2^64 - 1 is supported here"),
            )
            .about_size()
    })
}

/// A size that fits 64 bits.
///
/// # Errors
/// As [`size`] and [`narrow`].
pub fn small_size(
    source: &Source,
    tree: &Tree,
    names: &dyn Names,
    what: &str,
) -> Result<u64, FileError> {
    narrow(source, tree, &size(source, tree, names, what)?, what)
}

/// A count that fits 64 bits.
///
/// # Errors
/// As [`count`] and [`narrow`].
pub fn small_count(
    source: &Source,
    tree: &Tree,
    names: &dyn Names,
    what: &str,
) -> Result<u64, FileError> {
    narrow(source, tree, &count(source, tree, names, what)?, what)
}
