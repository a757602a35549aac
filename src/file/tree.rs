//! Files as trees of tables, lists and scalars, with byte ranges; from TOML, or from the JSON inside evidence.

use crate::file::source::{FileError, Source};
use num_bigint::BigInt;
use serde_json::{Map, Value as Json};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Byte range in the file; empty for data that came as JSON.
    pub at: Range<usize>,
    /// The value.
    pub value: Value,
}

/// What a file may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A string.
    Text(String),
    /// An integer.
    Integer(BigInt),
    /// `true` or `false`.
    Truth(bool),
    /// A float: nowhere allowed, kept for the message.
    Float,
    /// A date or time: nowhere allowed.
    Date,
    /// An array.
    List(Vec<Tree>),
    /// A table, entries in file order.
    Table(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_at: Range<usize>,
    /// The value.
    pub tree: Tree,
}

impl Value {
    /// What it is, for messages: `a float`, `a table`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Integer(_) => "an integer",
            Self::Truth(_) => "a truth value",
            Self::Float => "a float",
            Self::Date => "a date",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

impl Tree {
    /// Reads TOML.
    ///
    /// # Errors
    /// The first syntax error; integers above 2^63 - 1 (they are written as strings).
    pub fn parse(source: &Source) -> Result<Self, FileError> {
        let table = DeTable::parse(&source.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            source.error_at(
                at,
                error
                    .message()
                    .lines()
                    .next()
                    .unwrap_or("not TOML")
                    .to_owned(),
            )
        })?;
        let at = table.span();
        Ok(Self {
            at,
            value: from_table(source, table.get_ref())?,
        })
    }

    /// The tree of a JSON value, in which integers are decimal strings.
    pub fn from_json(json: &Json) -> Self {
        let value = match json {
            Json::Null => Value::Float,
            Json::Bool(truth) => Value::Truth(*truth),
            Json::Number(number) => number
                .to_string()
                .parse()
                .map_or(Value::Float, Value::Integer),
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(items) => Value::List(items.iter().map(Self::from_json).collect()),
            Json::Object(entries) => Value::Table(
                entries
                    .iter()
                    .map(|(key, json)| Entry {
                        key: key.clone(),
                        key_at: 0..0,
                        tree: Self::from_json(json),
                    })
                    .collect(),
            ),
        };
        Self { at: 0..0, value }
    }

    /// The JSON of evidence files: integers as decimal strings, everything else as it stands.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Text(text) => Json::String(text.clone()),
            Value::Integer(number) => Json::String(number.to_string()),
            Value::Truth(truth) => Json::Bool(*truth),
            Value::Float | Value::Date => Json::Null,
            Value::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Table(entries) => {
                let entries: Map<String, Json> = entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.tree.to_json()))
                    .collect();
                Json::Object(entries)
            }
        }
    }

    /// The entry of a table with this key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|entry| entry.key == key),
            Value::Text(_)
            | Value::Integer(_)
            | Value::Truth(_)
            | Value::Float
            | Value::Date
            | Value::List(_) => None,
        }
    }
}

fn from_value(source: &Source, value: &Spanned<DeValue<'_>>) -> Result<Tree, FileError> {
    let at = value.span();
    let inner = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            let parsed = parsed.map_err(|_| {
                source.error_at(
                    at.start,
                    "found an integer above 2^63 - 1, expected it in quotes",
                )
            })?;
            Value::Integer(parsed.into())
        }
        DeValue::Boolean(truth) => Value::Truth(*truth),
        DeValue::Float(_) => Value::Float,
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(items) => Value::List(
            items
                .iter()
                .map(|item| from_value(source, item))
                .collect::<Result<_, _>>()?,
        ),
        DeValue::Table(table) => from_table(source, table)?,
    };
    Ok(Tree { at, value: inner })
}

fn from_table(source: &Source, table: &DeTable<'_>) -> Result<Value, FileError> {
    let mut entries = table
        .iter()
        .map(|(key, value)| {
            let key_at = key.span();
            Ok(Entry {
                key: key.get_ref().to_string(),
                key_at,
                tree: from_value(source, value)?,
            })
        })
        .collect::<Result<Vec<_>, FileError>>()?;
    // The parser sorts keys; errors are reported in file order.
    entries.sort_by_key(|entry| entry.key_at.start);
    Ok(Value::Table(entries))
}
