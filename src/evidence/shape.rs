//! Rejections, and typed access to JSON that rejects with a pointer.

use crate::evidence::canonical::pointer;
use crate::game::structure::{Code, Violation};
use num_bigint::BigUint;
use serde_json::{Map, Value as Json};

/// Why a file of evidence is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code} at {}: found {found}, expected {expected}", if .at.is_empty() { "the file" } else { .at })]
pub struct Rejection {
    /// JSON pointer, or `file:line` for attached files.
    pub at: String,
    /// The reason.
    pub code: Code,
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
}

impl Rejection {
    /// A rejection.
    pub fn new(
        at: impl Into<String>,
        code: Code,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self {
            at: at.into(),
            code,
            found: shorten(found.into()),
            expected: shorten(expected.into()),
        }
    }

    /// The violation of a structure that stands at `at`.
    pub fn of_violation(at: &str, violation: Violation) -> Self {
        Self::new(
            format!("{at}{}", violation.at),
            violation.code,
            violation.found,
            violation.expected,
        )
    }
}

/// Long values are cut in messages, never in checks.
fn shorten(text: String) -> String {
    if text.chars().count() <= 200 {
        text
    } else {
        text.chars().take(200).chain("..".chars()).collect()
    }
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// JSON pointer.
    pub at: String,
    /// The value.
    pub json: &'a Json,
}

impl<'a> Place<'a> {
    /// The value at the top.
    pub fn top(json: &'a Json) -> Self {
        Self {
            at: String::new(),
            json,
        }
    }

    fn wrong(&self, expected: &str) -> Rejection {
        Rejection::new(
            self.at.clone(),
            Code::Malformed,
            self.json.to_string(),
            expected,
        )
    }

    /// The object, with exactly these keys.
    ///
    /// # Errors
    /// `malformed` for another type or a missing key, `unknown-key` for one too many.
    pub fn object(
        &self,
        required: &[&str],
        optional: &[&str],
    ) -> Result<&'a Map<String, Json>, Rejection> {
        let map = self.map()?;
        for key in required {
            if !map.contains_key(*key) {
                return Err(Rejection::new(
                    self.at.clone(),
                    Code::Malformed,
                    format!("no key `{key}`"),
                    required.join(", "),
                ));
            }
        }
        match map
            .keys()
            .find(|key| !required.contains(&key.as_str()) && !optional.contains(&key.as_str()))
        {
            None => Ok(map),
            Some(odd) => Err(Rejection::new(
                pointer(&self.at, odd),
                Code::UnknownKey,
                format!("key `{odd}`"),
                required.join(", "),
            )),
        }
    }

    /// The object, whatever its keys.
    ///
    /// # Errors
    /// `malformed` for another type.
    pub fn map(&self) -> Result<&'a Map<String, Json>, Rejection> {
        self.json.as_object().ok_or_else(|| self.wrong("an object"))
    }

    /// The value of a key that [`Place::object`] has found.
    ///
    /// # Errors
    /// `malformed` without it.
    pub fn get(&self, key: &str) -> Result<Self, Rejection> {
        let json = self
            .json
            .get(key)
            .ok_or_else(|| self.wrong(&format!("a key `{key}`")))?;
        Ok(Self {
            at: pointer(&self.at, key),
            json,
        })
    }

    /// The value of an optional key.
    pub fn maybe(&self, key: &str) -> Option<Self> {
        self.json.get(key).map(|json| Self {
            at: pointer(&self.at, key),
            json,
        })
    }

    /// The only entry of an externally tagged object.
    ///
    /// # Errors
    /// `malformed` unless there is exactly one; `unknown-kind` unless the tag is one of `tags`.
    pub fn tagged(&self, tags: &[&str]) -> Result<(&'a str, Self), Rejection> {
        let map = self.map()?;
        let mut entries = map.iter();
        match (entries.next(), entries.next()) {
            (Some((tag, json)), None) => {
                let at = pointer(&self.at, tag);
                if tags.contains(&tag.as_str()) {
                    Ok((tag, Self { at, json }))
                } else {
                    Err(Rejection::new(
                        at,
                        Code::UnknownKind,
                        format!("`{tag}`"),
                        format!("one of {}", tags.join(", ")),
                    ))
                }
            }
            _ => Err(self.wrong("an object with one key")),
        }
    }

    /// The items of a list.
    ///
    /// # Errors
    /// `malformed` for another type.
    pub fn list(&self) -> Result<Vec<Self>, Rejection> {
        let items = self.json.as_array().ok_or_else(|| self.wrong("a list"))?;
        Ok(items
            .iter()
            .enumerate()
            .map(|(i, json)| Self {
                at: format!("{}/{i}", self.at),
                json,
            })
            .collect())
    }

    /// A string.
    ///
    /// # Errors
    /// `malformed` for another type.
    pub fn text(&self) -> Result<&'a str, Rejection> {
        self.json.as_str().ok_or_else(|| self.wrong("a string"))
    }

    /// A truth value.
    ///
    /// # Errors
    /// `malformed` for another type.
    pub fn truth(&self) -> Result<bool, Rejection> {
        self.json
            .as_bool()
            .ok_or_else(|| self.wrong("true or false"))
    }

    /// A number of at least 0.
    ///
    /// # Errors
    /// `malformed` for anything else.
    pub fn number(&self) -> Result<u64, Rejection> {
        self.json
            .as_u64()
            .ok_or_else(|| self.wrong("a number of at least 0"))
    }

    /// A place in a list: a number of at least 0.
    ///
    /// # Errors
    /// `malformed` for anything else.
    pub fn index(&self) -> Result<usize, Rejection> {
        usize::try_from(self.number()?).map_err(|_| self.wrong("a smaller number"))
    }

    /// A decimal string of at least 0, without leading zeros.
    ///
    /// # Errors
    /// `malformed` for anything else.
    pub fn count(&self) -> Result<BigUint, Rejection> {
        let text = self.text()?;
        let plain = text == "0"
            || (!text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()));
        let parsed = if plain { text.parse().ok() } else { None };
        parsed.ok_or_else(|| self.wrong("a decimal string"))
    }

    /// A decimal string that fits 64 bits.
    ///
    /// # Errors
    /// `malformed` for anything else.
    pub fn small_count(&self) -> Result<u64, Rejection> {
        u64::try_from(self.count()?).map_err(|_| self.wrong("a decimal string below 2^64"))
    }
}
