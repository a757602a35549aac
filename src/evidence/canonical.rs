//! Canonical JSON: one byte sequence per value.
//!
//! UTF-8, keys sorted by code point, no spaces, no floats, integers up to 2^53 in absolute value (larger ones are decimal
//! strings), nesting at most 64. A file is its canonical text and one newline; a file whose bytes differ from their own
//! re-serialisation is refused, which also finds duplicate keys.

use crate::evidence::shape::Rejection;
use crate::game::structure::Code;
use serde_json::Value as Json;

/// Deepest nesting of arrays and objects.
pub const MAX_DEPTH: usize = 64;

/// Largest absolute value of a JSON number.
const MAX_NUMBER: i64 = 1 << 53;

/// The canonical text of a value, without the final newline.
///
/// The map type of the JSON library is ordered, and its writer uses exactly the escapes of this format.
pub fn text(json: &Json) -> String {
    json.to_string()
}

/// Reads canonical bytes, final newline included.
///
/// # Errors
/// `malformed` for what is no JSON of this format, `not-canonical` for other spellings of it.
pub fn parse(bytes: &[u8]) -> Result<Json, Rejection> {
    let malformed = |found: String| Rejection::new("", Code::Malformed, found, "canonical JSON");
    let written = std::str::from_utf8(bytes).map_err(|error| malformed(error.to_string()))?;
    let json: Json = serde_json::from_str(written).map_err(|error| malformed(error.to_string()))?;
    check_numbers(&json, MAX_DEPTH, "")?;
    let again = text(&json) + "\n";
    if again == written {
        return Ok(json);
    }
    let place = again
        .bytes()
        .zip(bytes)
        .take_while(|(a, b)| a == *b)
        .count();
    Err(Rejection::new(
        "",
        Code::NotCanonical,
        format!("other bytes from offset {place} on"),
        "the canonical text and one newline",
    ))
}

fn check_numbers(json: &Json, depth: usize, at: &str) -> Result<(), Rejection> {
    let deeper = || {
        depth.checked_sub(1).ok_or_else(|| {
            Rejection::new(
                at,
                Code::Malformed,
                "deeper nesting",
                format!("at most {MAX_DEPTH} levels"),
            )
        })
    };
    match json {
        Json::Null | Json::Bool(_) | Json::String(_) => Ok(()),
        Json::Number(number) => match number.as_i64() {
            Some(small) if (-MAX_NUMBER..=MAX_NUMBER).contains(&small) => Ok(()),
            Some(_) | None => Err(Rejection::new(
                at,
                Code::Malformed,
                number.to_string(),
                "an integer of at most 2^53 in absolute value",
            )),
        },
        Json::Array(items) => {
            let depth = deeper()?;
            items
                .iter()
                .enumerate()
                .try_for_each(|(i, item)| check_numbers(item, depth, &format!("{at}/{i}")))
        }
        Json::Object(entries) => {
            let depth = deeper()?;
            entries
                .iter()
                .try_for_each(|(key, item)| check_numbers(item, depth, &pointer(at, key)))
        }
    }
}

/// A JSON pointer one key deeper.
pub fn pointer(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(bytes: &[u8]) -> Option<Code> {
        parse(bytes).err().map(|rejection| rejection.code)
    }

    #[test]
    fn accepts_only_the_canonical_spelling() {
        assert!(parse(b"{\"a\":[1,\"2\"],\"b\":{}}\n").is_ok());
        assert_eq!(code(b"{\"a\":1}"), Some(Code::NotCanonical));
        assert_eq!(code(b"{\"a\": 1}\n"), Some(Code::NotCanonical));
        assert_eq!(code(b"{\"b\":1,\"a\":1}\n"), Some(Code::NotCanonical));
        assert_eq!(code(b"{\"a\":1,\"a\":1}\n"), Some(Code::NotCanonical));
        assert_eq!(code(b"\"\\u0041\"\n"), Some(Code::NotCanonical));
        assert_eq!(code(b"1.0\n"), Some(Code::Malformed));
        assert_eq!(code(b"9007199254740993\n"), Some(Code::Malformed));
        assert_eq!(code(b"{\"a\":\n"), Some(Code::Malformed));
        assert_eq!(code(b"\xff\n"), Some(Code::Malformed));
        let deep = "[".repeat(65) + &"]".repeat(65) + "\n";
        assert_eq!(code(deep.as_bytes()), Some(Code::Malformed));
        assert!(parse(("[".repeat(64) + &"]".repeat(64) + "\n").as_bytes()).is_ok());
    }

    #[test]
    fn escapes_are_those_of_the_format() {
        assert_eq!(
            text(&Json::String("\u{1f}\u{8}\u{c}\n\r\t\"\\/\u{7f}é".into())),
            "\"\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\u{7f}é\""
        );
    }
}
