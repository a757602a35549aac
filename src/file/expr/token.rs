//! Tokens of the expression language.

use winnow::ascii::{digit1, multispace0};
use winnow::combinator::{alt, delimited, fail, not, repeat};
use winnow::prelude::*;
use winnow::stream::LocatingSlice;
use winnow::token::{any, literal, one_of, take_till, take_while};

use super::error::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Decimal digits.
    Integer,
    /// A name, possibly with braces: `z{j}`.
    Word,
    /// A reserved word.
    Keyword,
    /// A sign such as `..<`.
    Sign,
    /// `'soft 1->0 @1'`, quotes included.
    Slot,
    /// Not a token. It is reported only where the parser stops, so that the first error of the
    /// text comes first.
    Wrong,
    /// End of the text.
    End,
}

/// A piece of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    pub(super) at: Span,
}

impl Token<'_> {
    /// Whether this is the keyword or sign `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Keyword | Kind::Sign) && self.text == text
    }
}

/// The reserved words; function names are reserved too.
pub(super) const KEYWORDS: [&str; 12] = [
    "if", "then", "else", "let", "in", "or", "and", "not", "div", "mod", "true", "false",
];

// Longest first: the first that fits is taken.
const SIGNS: [&str; 20] = [
    "..<", "..", ".", "!=", "<=", ">=", "=", "<", ">", "+", "-", "*", "/", "^", "(", ")", "[", "]",
    ",", ":",
];

/// Signs of other languages, with what to write instead.
const FOREIGN: [(&str, &str); 10] = [
    ("..=", "`..` (it includes its end) or `..<`"),
    ("==", "`=` for equality"),
    ("&&", "`and`"),
    ("||", "`or`"),
    ("**", "`^`"),
    ("//", "`div`"),
    ("<>", "`!=`"),
    ("=<", "`<=`"),
    ("=>", "`>=`"),
    ("%", "`mod`"),
];

type Input<'t> = LocatingSlice<&'t str>;
type Lexed<T> = winnow::ModalResult<T>;

/// All tokens of `text`, the last one [`Kind::End`]; `base` is added to every position.
pub(super) fn tokens(text: &str, base: usize) -> Vec<Token<'_>> {
    let mut input = LocatingSlice::new(text);
    let mut found = Vec::new();
    loop {
        // Neither can fail: white space may be empty and `any` takes any character.
        let _: Lexed<&str> = multispace0.parse_next(&mut input);
        let Ok(((kind, text), range)) = token.with_span().parse_next(&mut input) else {
            break;
        };
        found.push(Token {
            kind,
            text,
            at: Span::new(range.start + base, range.end + base),
        });
    }
    let end = text.trim_end().len();
    found.push(Token {
        kind: Kind::End,
        text: &text[end..end],
        at: Span::new(end + base, end + base),
    });
    found
}

fn token<'t>(input: &mut Input<'t>) -> Lexed<(Kind, &'t str)> {
    alt((
        word,
        digit1.map(|text| (Kind::Integer, text)),
        slot,
        foreign.map(|text| (Kind::Wrong, text)),
        sign.map(|text| (Kind::Sign, text)),
        any.take().map(|text| (Kind::Wrong, text)),
    ))
    .parse_next(input)
}

fn word<'t>(input: &mut Input<'t>) -> Lexed<(Kind, &'t str)> {
    let first = alt((
        one_of(|c: char| c.is_ascii_alphabetic() || c == '_').void(),
        group.void(),
    ));
    let more = alt((
        take_while(1.., |c: char| c.is_ascii_alphanumeric() || c == '_').void(),
        group.void(),
    ));
    let text = (first, repeat::<_, _, (), _, _>(0.., more))
        .take()
        .parse_next(input)?;
    let kind = if KEYWORDS.contains(&text) {
        Kind::Keyword
    } else {
        Kind::Word
    };
    Ok((kind, text))
}

/// `{..}`; what is inside is looked at by the parser.
fn group<'t>(input: &mut Input<'t>) -> Lexed<&'t str> {
    delimited('{', take_till(0.., ['{', '}']), '}')
        .take()
        .parse_next(input)
}

fn slot<'t>(input: &mut Input<'t>) -> Lexed<(Kind, &'t str)> {
    let text = delimited('\'', take_till(0.., ['\'']), '\'')
        .take()
        .parse_next(input)?;
    Ok((Kind::Slot, text))
}

fn sign<'t>(input: &mut Input<'t>) -> Lexed<&'t str> {
    for candidate in SIGNS {
        let found: Lexed<&str> = literal(candidate).parse_next(input);
        if found.is_ok() {
            return found;
        }
    }
    fail.parse_next(input)
}

fn foreign<'t>(input: &mut Input<'t>) -> Lexed<&'t str> {
    for (found, _) in FOREIGN {
        let text: Lexed<&str> = literal(found).parse_next(input);
        if text.is_ok() {
            return text;
        }
    }
    // `!=` is a sign.
    ('!', not('=')).take().parse_next(input)
}

/// What is wrong with a [`Kind::Wrong`] token, given the text from there on.
pub(super) fn complaint(token: &Token<'_>, rest: &str) -> String {
    if let Some((found, instead)) = FOREIGN.iter().find(|(found, _)| *found == token.text) {
        return format!("found `{found}`, expected {instead}");
    }
    let after = rest.get(1..).unwrap_or_default();
    match token.text {
        "'" => "found no closing `'` of this slot".to_owned(),
        "!" => "found `!`, expected `not`".to_owned(),
        "{" if after
            .find(['{', '}'])
            .is_some_and(|place| after[place..].starts_with('{')) =>
        {
            "braces do not nest".to_owned()
        }
        "{" => "found no closing `}` of this brace".to_owned(),
        "}" => "found `}` without an opening `{`".to_owned(),
        "\"" => "found `\"`; slots are written in single quotes".to_owned(),
        other => format!(
            "found `{}`, which has no meaning in an expression",
            other.escape_debug()
        ),
    }
}
