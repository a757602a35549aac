//! Constant expressions in braces, inside names, labels, slots and any other text.

use num_bigint::BigInt;

use super::ast::{Braced, Piece};
use super::compile::constant_of_tree;
use super::error::{ExprError, Span};
use super::names::{Constant, FieldLookup, Names};
use super::parse::parse_at;

/// Splits text into literal pieces and the expressions of its braces.
///
/// # Errors
/// Unbalanced or nested braces, or a brace that holds no expression.
pub fn parse_braced(text: &str) -> Result<Braced, ExprError> {
    parse(text, 0)
}

/// Replaces every brace by the decimal digits of its value.
///
/// # Errors
/// As [`parse_braced`]; also a brace that is not a constant integer.
pub fn substitute(text: &str, names: &dyn Names) -> Result<String, ExprError> {
    parse_braced(text)?.fill(names)
}

pub(super) fn parse(text: &str, base: usize) -> Result<Braced, ExprError> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while let Some(found) = text[start..].find(['{', '}']) {
        let open = start + found;
        if text[open..].starts_with('}') {
            let at = Span::new(base + open, base + open + 1);
            return Err(ExprError::new(at, "found `}` without an opening `{`"));
        }
        push_text(&mut pieces, &text[start..open]);
        let close = closing(text, open, base)?;
        pieces.push(Piece::Brace(parse_at(
            &text[open + 1..close],
            base + open + 1,
        )?));
        start = close + 1;
    }
    push_text(&mut pieces, &text[start..]);
    Ok(Braced {
        at: Span::new(base, base + text.len()),
        pieces,
    })
}

fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    if !text.is_empty() {
        pieces.push(Piece::Text(text.to_owned()));
    }
}

fn closing(text: &str, open: usize, base: usize) -> Result<usize, ExprError> {
    let found = text[open + 1..]
        .find(['{', '}'])
        .map(|offset| open + 1 + offset);
    match found {
        Some(close) if text[close..].starts_with('}') => Ok(close),
        Some(nested) => Err(ExprError::new(
            Span::new(base + nested, base + nested + 1),
            "braces do not nest",
        )),
        None => Err(ExprError::new(
            Span::new(base + open, base + open + 1),
            "found no closing `}` of this brace",
        )),
    }
}

impl Braced {
    /// The text with every brace replaced by the decimal digits of its value.
    ///
    /// # Errors
    /// A brace that is not a constant integer under `names`.
    pub fn fill(&self, names: &dyn Names) -> Result<String, ExprError> {
        let mut filled = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Brace(tree) => {
                    let value: BigInt = constant_of_tree(tree, &ConstantsOnly(names))?;
                    filled.push_str(&value.to_string());
                }
            }
        }
        Ok(filled)
    }
}

/// Hides everything but constants, so that a brace is the same on all inputs.
#[derive(Debug)]
struct ConstantsOnly<'n>(&'n dyn Names);

impl Names for ConstantsOnly<'_> {
    fn constant(&self, name: &str) -> Option<Constant> {
        self.0.constant(name)
    }

    fn field(&self, player: Option<&str>, name: &str) -> FieldLookup {
        match self.0.field(player, name) {
            FieldLookup::Found { .. }
            | FieldLookup::Ambiguous { .. }
            | FieldLookup::NotInSight { .. } => FieldLookup::Refused(format!(
                "`{name}` is an input; braces take constants, loop and pattern variables"
            )),
            kept @ (FieldLookup::Unknown
            | FieldLookup::UnknownPlayer { .. }
            | FieldLookup::Refused(_)) => kept,
        }
    }

    fn known(&self) -> Vec<String> {
        self.0.known()
    }
}
