//! JSON texts of other people: exact numbers, and where everything stands.
//!
//! Files written by Python hold `Infinity` and `NaN`; they are read as numbers that no field may use.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Pow, Zero};
use serde_json::{Map, Value as Json};

/// Deepest nesting that is read.
const DEPTH: usize = 64;
/// Longest number that is read, and largest decimal exponent: enough for every field, and no expansion bomb.
const DIGITS: usize = 64;
const EXPONENT: u32 = 400;

/// A value and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Byte offset in the text; 0 for values that came as evidence.
    pub at: usize,
    /// The value.
    pub value: Value,
}

/// A JSON value with exact numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true`, `false`
    Truth(bool),
    /// A finite number.
    Number(BigRational),
    /// `Infinity`, `-Infinity`, `NaN`.
    NotFinite,
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Node>),
    /// An object, in file order.
    Object(Vec<(String, Node)>),
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found {found}, expected {expected}")]
pub struct SyntaxError {
    /// Byte offset.
    pub at: usize,
    /// What stands there.
    pub found: String,
    /// What may stand there.
    pub expected: &'static str,
}

impl Node {
    /// Reads a text.
    ///
    /// # Errors
    /// [`SyntaxError`] at the first byte that does not belong; a key twice; nesting over 64; numbers over 64 characters.
    /// # Cost
    /// Linear in the text, quadratic in the keys of one object (at most 4096).
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut parser = Parser { text, at: 0 };
        let node = parser.value(0)?;
        parser.blank();
        match parser.peek() {
            None => Ok(node),
            Some(_) => Err(parser.wrong("the end of the file")),
        }
    }

    /// The member of an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Object(members) => members
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, node)| node),
            Value::Null
            | Value::Truth(_)
            | Value::Number(_)
            | Value::NotFinite
            | Value::Text(_)
            | Value::List(_) => None,
        }
    }

    /// What stands here, for messages.
    #[must_use]
    pub fn shown(&self) -> String {
        let text = match &self.value {
            Value::Null => "null".to_owned(),
            Value::Truth(truth) => truth.to_string(),
            Value::Number(number) => number.to_string(),
            Value::NotFinite => "a number that is not finite".to_owned(),
            Value::Text(text) => format!("`{text}`"),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Object(_) => "an object".to_owned(),
        };
        if text.chars().count() <= 80 {
            text
        } else {
            text.chars().take(80).chain("..".chars()).collect()
        }
    }

    /// Equal values, wherever they stand.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.to_spec() == other.to_spec()
    }

    /// The form inside evidence: numbers as decimal strings or `p/q`, everything else as it stands.
    #[must_use]
    pub fn to_spec(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Truth(truth) => Json::Bool(*truth),
            Value::Number(number) => Json::String(number.to_string()),
            Value::NotFinite => Json::String("Infinity".to_owned()),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Self::to_spec).collect()),
            Value::Object(members) => {
                let members: Map<String, Json> = members
                    .iter()
                    .map(|(key, node)| (key.clone(), node.to_spec()))
                    .collect();
                Json::Object(members)
            }
        }
    }

    /// Reads that form back: a string that is a number in lowest terms is that number.
    #[must_use]
    pub fn from_spec(json: &Json) -> Self {
        let value = match json {
            Json::Null => Value::Null,
            Json::Bool(truth) => Value::Truth(*truth),
            Json::Number(number) => number
                .to_string()
                .parse::<BigInt>()
                .map_or(Value::NotFinite, |n| Value::Number(n.into())),
            Json::String(text) if text == "Infinity" => Value::NotFinite,
            Json::String(text) => match ratio(text) {
                Some(number) => Value::Number(number),
                None => Value::Text(text.clone()),
            },
            Json::Array(items) => Value::List(items.iter().map(Self::from_spec).collect()),
            Json::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(key, json)| (key.clone(), Self::from_spec(json)))
                    .collect(),
            ),
        };
        Self { at: 0, value }
    }
}

/// `p` or `p/q` in lowest terms.
fn ratio(text: &str) -> Option<BigRational> {
    let (numer, denom) = text.split_once('/').unwrap_or((text, "1"));
    let (numer, denom): (BigInt, BigUint) = (numer.parse().ok()?, denom.parse().ok()?);
    if denom.is_zero() {
        return None;
    }
    let number = BigRational::new(numer, denom.into());
    (number.to_string() == text).then_some(number)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn wrong(&self, expected: &'static str) -> SyntaxError {
        let found = match self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next())
        {
            None => "the end of the file".to_owned(),
            Some(c) => format!("`{}`", c.escape_debug()),
        };
        SyntaxError {
            at: self.at,
            found,
            expected,
        }
    }

    fn eat(&mut self, byte: u8, expected: &'static str) -> Result<(), SyntaxError> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.wrong(expected))
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let here = self
            .text
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word));
        if here {
            self.at += word.len();
        }
        here
    }

    fn value(&mut self, depth: usize) -> Result<Node, SyntaxError> {
        self.blank();
        let at = self.at;
        if depth > DEPTH {
            return Err(self.wrong("at most 64 levels of nesting"));
        }
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'0'..=b'9') => self.number()?,
            Some(b'-') if !self.word("-Infinity") => self.number()?,
            Some(b'-') => Value::NotFinite,
            _ if self.word("null") => Value::Null,
            _ if self.word("true") => Value::Truth(true),
            _ if self.word("false") => Value::Truth(false),
            _ if self.word("Infinity") || self.word("NaN") => Value::NotFinite,
            _ => return Err(self.wrong("a value")),
        };
        Ok(Node { at, value })
    }

    fn object(&mut self, depth: usize) -> Result<Value, SyntaxError> {
        self.at += 1;
        let mut members: Vec<(String, Node)> = Vec::new();
        self.blank();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(members));
        }
        loop {
            self.blank();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a key in quotes"));
            }
            let key = self.string()?;
            if members.iter().any(|(name, _)| *name == key) || members.len() == 4096 {
                self.at = start;
                return Err(self.wrong("a key that has not occurred, and at most 4096 keys"));
            }
            self.blank();
            self.eat(b':', "`:`")?;
            members.push((key, self.value(depth + 1)?));
            self.blank();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Object(members));
                }
                _ => return Err(self.wrong("`,` or `}`")),
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, SyntaxError> {
        self.at += 1;
        let mut items = Vec::new();
        self.blank();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blank();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::List(items));
                }
                _ => return Err(self.wrong("`,` or `]`")),
            }
        }
    }

    fn string(&mut self) -> Result<String, SyntaxError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            out.push_str(self.text.get(start..self.at).unwrap_or(""));
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => {
                    return Err(
                        self.wrong("a string without control characters, and its closing quote")
                    );
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, SyntaxError> {
        const EXPECTED: &str = "an escape";
        let start = self.at;
        self.at += 1;
        let kind = self.peek();
        self.at += 1;
        let c = match kind {
            Some(b'"') => Some('"'),
            Some(b'\\') => Some('\\'),
            Some(b'/') => Some('/'),
            Some(b'b') => Some('\u{8}'),
            Some(b'f') => Some('\u{c}'),
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'u') => self.unicode(),
            _ => None,
        };
        c.ok_or_else(|| {
            self.at = start;
            self.wrong(EXPECTED)
        })
    }

    /// Four hex digits, or two times four for a pair of surrogates.
    fn unicode(&mut self) -> Option<char> {
        let first = self.four()?;
        if (0xd800..0xdc00).contains(&first) {
            if !self.word("\\u") {
                return None;
            }
            let second = self.four()?;
            let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
            return char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + low);
        }
        char::from_u32(first)
    }

    fn four(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    fn digits(&mut self) -> Result<&str, SyntaxError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.wrong("a digit"));
        }
        Ok(&self.text[start..self.at])
    }

    fn number(&mut self) -> Result<Value, SyntaxError> {
        let start = self.at;
        let negative = self.word("-");
        let whole = self.digits()?;
        if whole.len() > 1 && whole.starts_with('0') {
            self.at = start;
            return Err(self.wrong("a number without leading zeros"));
        }
        let mut mantissa = whole.to_owned();
        let mut exponent = BigInt::zero();
        if self.word(".") {
            let places = self.digits()?;
            mantissa.push_str(places);
            exponent -= places.len();
        }
        if self.word("e") || self.word("E") {
            let minus = self.word("-");
            let _ = !minus && self.word("+");
            let power: BigInt = self.digits()?.parse().unwrap_or_default();
            exponent += if minus { -power } else { power };
        }
        let size = exponent.magnitude();
        if self.at - start > DIGITS || *size > BigUint::from(EXPONENT) {
            self.at = start;
            return Err(self.wrong("a number of at most 64 characters and exponent at most 400"));
        }
        let mut number = BigRational::from_integer(mantissa.parse().unwrap_or_default());
        let scale = Pow::pow(BigInt::from(10), size);
        if exponent < BigInt::zero() {
            number = BigRational::new(number.numer().clone(), scale);
        } else {
            number *= scale;
        }
        if negative {
            number *= -BigInt::one();
        }
        Ok(Value::Number(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        let node =
            Node::parse(r#"{"a": 0.75, "b": 1e-05, "c": -12, "d": [2.0, Infinity], "e": 1E2}"#)
                .unwrap();
        assert_eq!(
            node.to_spec().to_string(),
            r#"{"a":"3/4","b":"1/100000","c":"-12","d":["2","Infinity"],"e":"100"}"#
        );
        assert_eq!(Node::from_spec(&node.to_spec()).to_spec(), node.to_spec());
    }

    #[test]
    fn errors_have_their_place() {
        let at = |text: &str| {
            let error = Node::parse(text).unwrap_err();
            (error.at, error.to_string())
        };
        assert_eq!(
            at("{\"a\": 1,}"),
            (8, "found `}`, expected a key in quotes".into())
        );
        assert_eq!(at("{\"a\": 01}").0, 6);
        assert_eq!(at("{\"a\": 1, \"a\": 2}").0, 9);
        assert_eq!(at("[1 2]"), (3, "found `2`, expected `,` or `]`".into()));
        assert_eq!(at("\"\\ud800\"").0, 1);
        assert_eq!(at("\"\\u12\u{e9}\"").0, 1);
        assert_eq!(at("").1, "found the end of the file, expected a value");
        assert_eq!(at(&"[".repeat(100)).0, 65);
        assert_eq!(at("1e999999999999").0, 0);
        assert_eq!(at("{} x").0, 3);
        assert_eq!(
            Node::parse("\"\\ud83d\\ude00\"").unwrap().shown(),
            "`\u{1f600}`"
        );
    }
}
