//! Names, members and slots of an expression.

use std::sync::Arc;

use num_bigint::BigInt;

use super::ast::{Braced, function_names};
use super::check::{Checked, Checker, Meaning, Needs, Result, constant};
use super::code::{Code, Integer, Table, Truth};
use super::error::{ExprError, Span};
use super::int::Int;
use super::names::{Constant, FieldLookup, Names, Shape, SlotLookup};
use super::parse::is_name;
use super::suggest::did_you_mean;
use super::value::Kind;

impl Checker<'_> {
    pub(super) fn name(&mut self, name: &Braced) -> Result<Checked> {
        let text = self.filled(name)?;
        if let Some(value) = number(name, &text) {
            return Ok(constant(Code::Integer(Integer::Literal(Int::from(value)))));
        }
        if let Some(meaning) = self.bound.get(&text) {
            return bound_name(meaning, &text, name.at);
        }
        if let Some(value) = self.names.constant(&text) {
            return Ok(constant(constant_code(value)));
        }
        if let Some(quantity) = self.names.quantity(&text) {
            return Ok(self.quantity(quantity, name.at));
        }
        self.field(None, &text, name.at)
    }

    pub(super) fn member(&self, label: &Braced, name: &Braced) -> Result<Checked> {
        let player = self.filled(label)?;
        let field = self.filled(name)?;
        self.field(Some(&player), &field, label.at.to(name.at))
    }

    pub(super) fn slot(&self, slot: &Braced) -> Result<Checked> {
        let name = self.filled(slot)?;
        match self.names.slot(&name) {
            SlotLookup::Symbol { variable } => Ok(symbol(variable)),
            SlotLookup::Always(value) => {
                Ok(constant(Code::Integer(Integer::Literal(Int::from(value)))))
            }
            SlotLookup::Error(message) => Err(ExprError::new(quoted(slot), message)),
        }
    }

    /// The text with its braces replaced; what is bound inside the expression has no value yet.
    pub(super) fn filled(&self, braced: &Braced) -> Result<String> {
        if let Some(text) = braced.plain() {
            return Ok(text.to_owned());
        }
        braced.fill(&WithoutBound {
            outer: self.names,
            checker: self,
        })
    }

    fn field(&self, player: Option<&str>, name: &str, at: Span) -> Result<Checked> {
        let full = player.map_or_else(|| name.to_owned(), |player| format!("{player}.{name}"));
        let message = match self.names.field(player, name) {
            FieldLookup::Found { variable, shape } => return Ok(input(variable, shape)),
            FieldLookup::Ambiguous { players } => ambiguous(name, &players),
            FieldLookup::NotInSight { owner, sight } => {
                format!("`{full}` belongs to {owner}; {sight}")
            }
            FieldLookup::UnknownPlayer { players } => {
                let label = player.unwrap_or_default();
                format!(
                    "unknown player `{label}`; players are {}",
                    players.join(", ")
                )
            }
            FieldLookup::Refused(message) => message,
            FieldLookup::Unknown if player.is_none() && !is_name(name) => {
                format!("`{name}` is not a name")
            }
            FieldLookup::Unknown => format!("unknown name `{full}`{}", self.hint(name)),
        };
        Err(ExprError::new(at, message))
    }

    fn hint(&self, name: &str) -> String {
        let mut known = self.names.known();
        known.extend(self.bound.keys().cloned());
        known.extend(function_names().map(str::to_owned));
        did_you_mean(name, known.iter().map(String::as_str))
    }
}

/// `{j}` alone is replaced by digits, so it is a number.
fn number(name: &Braced, text: &str) -> Option<BigInt> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = name.plain().is_none() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// The code of a symbol.
pub(super) fn symbol(variable: usize) -> Checked {
    input(variable, Shape::Integer)
}

fn input(variable: usize, shape: Shape) -> Checked {
    let code = match shape {
        Shape::Integer => Code::Integer(Integer::Input(variable)),
        Shape::Table(length) => Code::Table(Table::Input(variable), length),
    };
    Checked {
        code,
        needs: Needs::INPUT,
    }
}

fn bound_name(meaning: &Meaning, name: &str, at: Span) -> Result<Checked> {
    match meaning {
        Meaning::Constant(code) => Ok(constant(code.clone())),
        Meaning::Local(local, kind) => Ok(Checked {
            code: local_code(*local, *kind),
            needs: Needs::local(*local),
        }),
        Meaning::Number(_, Some(value)) => {
            Ok(constant(Code::Integer(Integer::Literal(value.clone()))))
        }
        Meaning::Number(_, None) => Err(ExprError::new(
            at,
            format!("`{name}` is no plain integer and cannot be used here"),
        )),
    }
}

fn local_code(local: usize, kind: Kind) -> Code {
    match kind {
        Kind::Integer => Code::Integer(Integer::Local(local)),
        Kind::Truth => Code::Truth(Truth::Local(local)),
        Kind::Table(length) => Code::Table(Table::Local(local), length),
    }
}

fn constant_code(value: Constant) -> Code {
    match value {
        Constant::Integer(value) => Code::Integer(Integer::Literal(Int::from(value))),
        Constant::Truth(value) => Code::Truth(Truth::Literal(value)),
        Constant::Table(entries) => {
            let length = entries.len();
            Code::Table(
                Table::Literal(Arc::new(entries.into_iter().map(Int::from).collect())),
                length,
            )
        }
    }
}

/// The place of a slot with its quotes.
pub(super) fn quoted(slot: &Braced) -> Span {
    Span::new(slot.at.start.saturating_sub(1), slot.at.end + 1)
}

fn ambiguous(name: &str, players: &[String]) -> String {
    let is_integer = |label: &String| label.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    if players.iter().any(is_integer) {
        let players = listed(players.to_vec(), "and");
        return format!("`{name}` is a field of {players}; give their fields distinct names");
    }
    let qualified = players
        .iter()
        .map(|player| format!("{player}.{name}"))
        .collect();
    format!(
        "`{name}` is a field of {}; write {}",
        listed(players.to_vec(), "and"),
        listed(qualified, "or")
    )
}

/// `A`, `A and B`, `A, B and C`.
fn listed(mut words: Vec<String>, last_word: &str) -> String {
    match words.pop() {
        None => String::new(),
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} {last_word} {last}", words.join(", ")),
    }
}

/// The names around an expression; those bound inside it are refused.
#[derive(Debug)]
struct WithoutBound<'c, 'n> {
    outer: &'n dyn Names,
    checker: &'c Checker<'n>,
}

impl Names for WithoutBound<'_, '_> {
    fn constant(&self, name: &str) -> Option<Constant> {
        self.outer.constant(name)
    }

    fn field(&self, player: Option<&str>, name: &str) -> FieldLookup {
        if player.is_none() && self.checker.bound.contains_key(name) {
            return FieldLookup::Refused(format!(
                "`{name}` is bound in this expression; braces take constants, loop and pattern variables"
            ));
        }
        self.outer.field(player, name)
    }

    fn known(&self) -> Vec<String> {
        self.outer.known()
    }
}
