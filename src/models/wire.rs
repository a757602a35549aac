//! The line protocol of external models, version 1: what is asked, what a reply must look like; and anything that answers like that.

use super::config::json::{Node, Value};
use num_traits::ToPrimitive;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// Longest line either side may send.
pub const LINE_LIMIT: usize = 64 << 20;

/// What a model says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Tokens are below this.
    pub vocab: u64,
    /// It tells its state.
    pub state: bool,
    /// It says it is deterministic.
    pub deterministic: bool,
    /// Longest input.
    pub max_tokens: Option<u64>,
    /// Requests that may be outstanding.
    pub batch: u64,
    /// Its name.
    pub name: Option<String>,
}

impl Hello {
    /// The form in evidence.
    #[must_use]
    pub fn to_json(&self) -> Json {
        json!({
            "v": 1,
            "vocab": self.vocab.to_string(),
            "state": if self.state { json!("hex") } else { Json::Null },
            "deterministic": self.deterministic,
            "max_tokens": self.max_tokens.map(|n| n.to_string()),
            "name": self.name,
        })
    }

    /// Reads the first reply.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn read(line: &str) -> Result<Self, String> {
        let node = object(line)?;
        if count(&node, "v")? != Some(1) {
            return Err("`v` is not 1, the version of the protocol".to_owned());
        }
        let vocab = count(&node, "vocab")?.ok_or("no `vocab`")?;
        if vocab == 0 {
            return Err("`vocab` is 0".to_owned());
        }
        let state = match node.get("state").map(|node| &node.value) {
            Some(Value::Null) => false,
            Some(Value::Text(text)) if text == "hex" => true,
            Some(_) => return Err("`state` is neither \"hex\" nor null".to_owned()),
            None => return Err("no `state`".to_owned()),
        };
        let deterministic = match node.get("deterministic").map(|node| &node.value) {
            None | Some(Value::Truth(true)) => true,
            Some(Value::Truth(false)) => false,
            Some(_) => return Err("`deterministic` is neither true nor false".to_owned()),
        };
        let name = match node.get("name").map(|node| &node.value) {
            Some(Value::Text(text)) => Some(text.chars().take(200).collect()),
            _ => None,
        };
        Ok(Self {
            vocab,
            state,
            deterministic,
            max_tokens: count(&node, "max_tokens")?,
            batch: count(&node, "batch")?.unwrap_or(1).clamp(1, 1 << 12),
            name,
        })
    }
}

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// All carried state after these tokens.
    Prefix(Vec<u64>),
    /// The answer tokens to this complete input.
    Run(Vec<u64>),
}

impl Ask {
    /// The line of this request, without its newline.
    #[must_use]
    pub fn line(&self, id: u64) -> String {
        let (op, tokens) = match self {
            Self::Prefix(tokens) => ("prefix", tokens),
            Self::Run(tokens) => ("run", tokens),
        };
        let mut line = format!("{{\"op\":\"{op}\",\"id\":{id},\"tokens\":[");
        for (i, token) in tokens.iter().enumerate() {
            if i > 0 {
                line.push(',');
            }
            let _ = write!(line, "{token}");
        }
        line.push_str("]}");
        line
    }
}

/// One reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// State bytes, as lower-case hex.
    State(String),
    /// Answer tokens.
    Out(Vec<u64>),
    /// The model refuses this input.
    Refused(String),
}

/// Reads a reply: the id, and what it says.
///
/// # Errors
/// What is missing or wrong.
pub fn reply(line: &str) -> Result<(u64, Reply), String> {
    let node = object(line)?;
    let id = count(&node, "id")?.ok_or("no `id`")?;
    if let Some(error) = node.get("error") {
        let Value::Text(text) = &error.value else {
            return Err("`error` is not a string".to_owned());
        };
        return Ok((id, Reply::Refused(text.chars().take(500).collect())));
    }
    if let Some(state) = node.get("state") {
        let Value::Text(text) = &state.value else {
            return Err("`state` is not a string".to_owned());
        };
        let hex = text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !hex || text.len() % 2 == 1 {
            return Err("`state` is not lower-case hex of even length".to_owned());
        }
        return Ok((id, Reply::State(text.clone())));
    }
    let out = node.get("out").ok_or("no `out`, `state` or `error`")?;
    let tokens = tokens(out).ok_or("`out` is not a list of integers of at least 0")?;
    Ok((id, Reply::Out(tokens)))
}

/// A list of integers from 0 to 2^53.
#[must_use]
pub fn tokens(node: &Node) -> Option<Vec<u64>> {
    let Value::List(items) = &node.value else {
        return None;
    };
    items.iter().map(|item| whole(&item.value)).collect()
}

fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) if number.is_integer() => {
            number.to_integer().to_u64().filter(|n| *n <= 1 << 53)
        }
        Value::Null
        | Value::Truth(_)
        | Value::Number(_)
        | Value::NotFinite
        | Value::Text(_)
        | Value::List(_)
        | Value::Object(_) => None,
    }
}

fn count(node: &Node, key: &str) -> Result<Option<u64>, String> {
    match node.get(key) {
        None => Ok(None),
        Some(node) if node.value == Value::Null => Ok(None),
        Some(node) => whole(&node.value)
            .map(Some)
            .ok_or_else(|| format!("`{key}` is not an integer of at least 0")),
    }
}

fn object(line: &str) -> Result<Node, String> {
    if line.trim().is_empty() {
        return Err("a blank line".to_owned());
    }
    let node = Node::parse(line).map_err(|error| format!("column {}: {error}", error.at + 1))?;
    if matches!(node.value, Value::Object(_)) {
        Ok(node)
    } else {
        Err(format!("found {}, expected an object", node.shown()))
    }
}

/// A model that broke the protocol, or its process; one message for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broken(pub String);

/// Anything that answers: a process, or a model given by a file.
pub trait Oracle {
    /// What it said about itself.
    fn hello(&self) -> &Hello;

    /// Answers requests, in their order.
    ///
    /// # Errors
    /// [`Broken`]: the end of this oracle.
    fn ask(&mut self, asks: &[Ask]) -> Result<Vec<Reply>, Broken>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies() {
        assert_eq!(
            reply(r#"{"id":1,"state":"11000d00","more":[]}"#),
            Ok((1, Reply::State("11000d00".into())))
        );
        assert_eq!(reply(r#"{"out":[1],"id":3}"#), Ok((3, Reply::Out(vec![1]))));
        for (line, message) in [
            ("", "a blank line"),
            ("[]", "found a list of 0, expected an object"),
            (r#"{"out":[1]}"#, "no `id`"),
            (r#"{"id":3}"#, "no `out`, `state` or `error`"),
            (
                r#"{"id":3,"out":[1.5]}"#,
                "`out` is not a list of integers of at least 0",
            ),
            (
                r#"{"id":3,"out":[-1]}"#,
                "`out` is not a list of integers of at least 0",
            ),
            (
                r#"{"id":3,"state":"0"}"#,
                "`state` is not lower-case hex of even length",
            ),
            (
                r#"{"id":3,"state":"0A"}"#,
                "`state` is not lower-case hex of even length",
            ),
            (
                r#"{"id":3"#,
                "column 8: found the end of the file, expected `,` or `}`",
            ),
        ] {
            assert_eq!(reply(line).unwrap_err(), message, "{line}");
        }
        assert_eq!(
            Ask::Run(vec![3, 1]).line(7),
            r#"{"op":"run","id":7,"tokens":[3,1]}"#
        );
        assert!(Hello::read(r#"{"v":1,"vocab":12}"#).is_err());
        let hello =
            Hello::read(r#"{"v":1,"vocab":12,"state":"hex","deterministic":true}"#).unwrap();
        assert!(hello.state && hello.batch == 1);
    }
}
