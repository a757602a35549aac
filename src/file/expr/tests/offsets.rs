//! Positions in files.

use proptest::prelude::*;

use super::super::raw_offset;

fn decode(raw: &str) -> Option<String> {
    let document: toml::Table = toml::from_str(&format!("a = {raw}")).ok()?;
    document
        .get("a")
        .and_then(toml::Value::as_str)
        .map(str::to_owned)
}

#[test]
fn simple_strings() {
    assert_eq!(raw_offset("\"f[x]\"", 0), 1);
    assert_eq!(raw_offset("\"f[x]\"", 4), 5);
    assert_eq!(raw_offset("'f'", 1), 2);
    assert_eq!(raw_offset(r#""\u0041b""#, 1), 7);
    assert_eq!(raw_offset("\"\"\"\nab\"\"\"", 0), 4);
    assert_eq!(raw_offset("\"\"\"a\\\n   b\"\"\"", 1), 9);
    assert_eq!(raw_offset("'''\r\nab'''", 1), 6);
    assert_eq!(raw_offset("bare", 2), 2);
    assert_eq!(raw_offset("\"\"", 0), 1);
    assert_eq!(raw_offset("\"\"\"\"\"\"", 5), 3);
}

/// A piece of a basic string and what it decodes to.
fn piece() -> impl Strategy<Value = (String, String)> {
    let same = |text: &str| (text.to_owned(), text.to_owned());
    prop_oneof![
        "[a-z+* \\[\\]é€😀]".prop_map(move |text| same(&text)),
        prop_oneof![
            Just((r"\n", "\n")),
            Just((r"\t", "\t")),
            Just((r#"\""#, "\"")),
            Just((r"\\", "\\")),
            Just((r"\b", "\u{8}")),
            Just((r"\f", "\u{c}")),
            Just((r"\r", "\r")),
            Just((r"\u00e9", "é")),
            Just((r"\U0001F600", "😀")),
            Just((r"\u0041", "A")),
        ]
        .prop_map(|(raw, decoded)| (raw.to_owned(), decoded.to_owned())),
    ]
}

fn multi_line_piece() -> impl Strategy<Value = (String, String)> {
    let line = |raw: &str, decoded: &str| (raw.to_owned(), decoded.to_owned());
    prop_oneof![
        4 => piece(),
        1 => Just(line("\n", "\n")),
        1 => Just(line("\r\n", "\r\n")),
        1 => Just(line("\\\n  \n\t", "")),
        1 => Just(line("\\  \r\n", "")),
        1 => Just(line("\"", "\"")),
    ]
}

proptest! {
    #[test]
    fn basic(pieces in prop::collection::vec(piece(), 0..12)) {
        check("\"", &pieces)?;
    }

    #[test]
    fn multi_line_basic(pieces in prop::collection::vec(multi_line_piece(), 0..12)) {
        check("\"\"\"", &pieces)?;
    }

    #[test]
    fn literal(text in "[a-z \"\\\\é😀]{0,12}") {
        let pieces: Vec<_> = text.chars().map(|letter| (letter.to_string(), letter.to_string())).collect();
        check("'", &pieces)?;
    }

    #[test]
    fn multi_line_literal(text in "[a-z \"\\\\é😀\n]{0,12}") {
        let pieces: Vec<_> = text.chars().map(|letter| (letter.to_string(), letter.to_string())).collect();
        check("'''", &pieces)?;
    }

    #[test]
    fn any_text_keeps_within(raw in "[\"'\\\\ux0-9a \n\r]{0,14}", offset in 0_usize..20) {
        prop_assert!(raw_offset(&raw, offset) <= raw.len());
    }
}

/// Decoding a prefix of the token gives a prefix of the text: so every offset can be compared with
/// the reader of the `toml` crate.
fn check(quotes: &str, pieces: &[(String, String)]) -> Result<(), TestCaseError> {
    let body: String = pieces.iter().map(|(raw, _)| raw.as_str()).collect();
    let raw = format!("{quotes}{body}{quotes}");
    let Some(decoded) = decode(&raw) else {
        return Ok(());
    };
    for offset in 0..=decoded.len() {
        let place = raw_offset(&raw, offset);
        prop_assert!(raw.is_char_boundary(place), "{raw:?} {offset}");
        if !decoded.is_char_boundary(offset) {
            continue;
        }
        if let Some(before) = decode(&format!("{}{quotes}", &raw[..place])) {
            prop_assert!(
                before == decoded[..offset] || trimmed(&before, &decoded[..offset]),
                "{raw:?} {offset} {before:?}"
            );
        }
        let after = decode(&format!("{quotes}{}", &raw[place..]));
        if let Some(after) = after.filter(|_| !raw[place..].starts_with(['\n', '\r'])) {
            prop_assert_eq!(&after, &decoded[offset..], "{:?} {}", raw, offset);
        }
    }
    Ok(())
}

/// Cutting right before a line end leaves nothing to compare.
fn trimmed(before: &str, wanted: &str) -> bool {
    before.trim_end_matches(['\r', '\n']) == wanted.trim_end_matches(['\r', '\n'])
}
