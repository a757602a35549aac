//! Slot names and slot patterns.

use crate::file::expr::{self, ExprError, Names, Span, WithVariables};
use crate::game::{Channel, Game, SlotId};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// A slot name taken apart; `at` is `None` when the file leaves it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotName {
    /// The channel.
    pub channel: Channel,
    /// Label of the sender.
    pub from: String,
    /// Label of the receiver.
    pub to: String,
    /// The numbers after `@`.
    pub at: Option<Vec<u64>>,
}

impl SlotName {
    /// Reads `lin 0->-1 @1.2` or `soft A->B`.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(' ')?;
        let (edge, at) = match rest.split_once(" @") {
            Some((edge, at)) => (edge, Some(at)),
            None => (rest, None),
        };
        let (from, to) = edge.split_once("->")?;
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| digits.parse().ok())?
        };
        let at = match at {
            Some(at) => Some(at.split('.').map(number).collect::<Option<Vec<u64>>>()?),
            None => None,
        };
        let channel = Channel::from_kind(kind)?;
        let legal = expr::is_label(from) && expr::is_label(to);
        legal.then(|| Self {
            channel,
            from: from.to_owned(),
            to: to.to_owned(),
            at,
        })
    }
}

/// A set of slots: kind, edge and numbers, with wildcards and bindings.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    channel: Option<Channel>,
    /// `None` for an edge written `*`.
    edge: Option<(Part, Part)>,
    /// `None` for no `@`, or `@*`.
    at: Option<Vec<Part>>,
}

/// One label or one number of a pattern.
#[derive(Clone, Debug)]
enum Part {
    Any,
    Exact(String),
    /// A prefix, then an integer: bound to a new name, or equal to an expression over names already bound.
    Brace(String, expr::Tree),
}

/// Values that a match gave to the names of a pattern.
pub type Bindings = BTreeMap<String, BigInt>;

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// Where the text is no pattern.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        let wrong =
            |at: usize, what: &str| ExprError::new(Span::new(at, text.len()), what.to_owned());
        let shape = || {
            wrong(
                0,
                &format!(
                    "found `{text}`, expected a slot pattern like `soft A->B @1` or `lin * @*`"
                ),
            )
        };
        let (kind, rest) = text.split_once(' ').ok_or_else(shape)?;
        let channel = match kind {
            "*" => None,
            kind => Some(Channel::from_kind(kind).ok_or_else(shape)?),
        };
        let (edge, at) = match rest.split_once(" @") {
            Some((edge, at)) => (edge, Some(at)),
            None => (rest, None),
        };
        let edge_start = kind.len() + 1;
        let edge_parts = if edge == "*" {
            None
        } else {
            let arrow = arrow(edge).ok_or_else(shape)?;
            let from = part(&edge[..arrow], edge_start)?;
            Some((from, part(&edge[arrow + 2..], edge_start + arrow + 2)?))
        };
        let mut offset = edge_start + edge.len() + 2;
        let numbers = match at {
            None | Some("*") => None,
            Some(at) => {
                let mut parts = Vec::new();
                for piece in split_outside_braces(at) {
                    let number = part(piece, offset)?;
                    if matches!(&number, Part::Exact(text) if !text.bytes().all(|byte| byte.is_ascii_digit()))
                    {
                        return Err(wrong(
                            offset,
                            &format!("found `{piece}`, expected a number, `*` or braces"),
                        ));
                    }
                    parts.push(number);
                    offset += piece.len() + 1;
                }
                Some(parts)
            }
        };
        Ok(Self {
            text: text.to_owned(),
            channel,
            edge: edge_parts,
            at: numbers,
        })
    }

    /// The pattern as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of wildcards: each `*` and each binding counts 1, an edge written `*` counts 2, and no `@` is `@*`.
    pub fn wildcards(&self, names: &dyn Names) -> usize {
        let mut bound = Vec::new();
        let mut count = usize::from(self.channel.is_none());
        let parts: Vec<&Part> = match &self.edge {
            None => {
                count += 2;
                Vec::new()
            }
            Some((from, to)) => vec![from, to],
        };
        count += usize::from(self.at.is_none());
        for part in parts.into_iter().chain(self.at.iter().flatten()) {
            match part {
                Part::Any => count += 1,
                Part::Exact(_) => {}
                Part::Brace(_, tree) => {
                    if let Some(name) =
                        single_name(tree).filter(|name| names.constant(name).is_none())
                    {
                        if !bound.contains(&name) {
                            bound.push(name);
                            count += 1;
                        }
                    }
                }
            }
        }
        count
    }

    /// The numbers that are written out after `@`; `None` when braces stand there.
    pub fn plain_numbers(&self) -> Option<Vec<u64>> {
        let number = |part: &Part| match part {
            Part::Any => Some(None),
            Part::Exact(text) => Some(text.parse().ok()),
            Part::Brace(..) => None,
        };
        let parts: Option<Vec<Option<u64>>> = self.at.iter().flatten().map(number).collect();
        parts.map(|numbers| numbers.into_iter().flatten().collect())
    }

    /// The values bound when `slot` matches.
    ///
    /// # Errors
    /// An expression in braces that has no value.
    pub fn matches(
        &self,
        game: &Game,
        slot: SlotId,
        names: &dyn Names,
    ) -> Result<Option<Bindings>, ExprError> {
        let data = game.slot(slot);
        if self.channel.is_some_and(|channel| channel != data.channel) {
            return Ok(None);
        }
        let mut bindings = Bindings::new();
        if let Some((from, to)) = &self.edge {
            let labels = [(from, data.from), (to, data.to)];
            for (part, player) in labels {
                if !part.fits(&game.player(player).label.0, names, &mut bindings)? {
                    return Ok(None);
                }
            }
        }
        if let Some(numbers) = &self.at {
            if numbers.len() != data.at.len() {
                return Ok(None);
            }
            for (part, number) in numbers.iter().zip(&data.at) {
                if !part.fits(&number.to_string(), names, &mut bindings)? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(bindings))
    }
}

impl Part {
    fn fits(
        &self,
        label: &str,
        names: &dyn Names,
        bindings: &mut Bindings,
    ) -> Result<bool, ExprError> {
        match self {
            Self::Any => Ok(true),
            Self::Exact(text) => Ok(text == label),
            Self::Brace(prefix, tree) => {
                let Some(number) = label
                    .strip_prefix(prefix.as_str())
                    .and_then(canonical_integer)
                else {
                    return Ok(false);
                };
                if let Some(name) = single_name(tree) {
                    if names.constant(name).is_none() && !bindings.contains_key(name) {
                        bindings.insert(name.to_owned(), number);
                        return Ok(true);
                    }
                }
                let scope = WithVariables {
                    outer: names,
                    variables: bindings.clone(),
                };
                Ok(expr::constant_of_tree(tree, &scope)? == number)
            }
        }
    }
}

/// The name an expression consists of, if it is one name.
fn single_name(tree: &expr::Tree) -> Option<&str> {
    if let expr::ast::Node::Name(name) = &tree.node {
        name.plain()
    } else {
        None
    }
}

/// The integer a text spells in its shortest form.
fn canonical_integer(text: &str) -> Option<BigInt> {
    let number: BigInt = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

fn part(text: &str, offset: usize) -> Result<Part, ExprError> {
    if text == "*" {
        return Ok(Part::Any);
    }
    if let Some(open) = text.find('{') {
        let wrong = || {
            ExprError::new(
                Span::new(offset, offset + text.len()),
                format!("found `{text}`, expected one pair of braces at the end"),
            )
        };
        let inner = text[open + 1..]
            .strip_suffix('}')
            .filter(|inner| !inner.contains(['{', '}']))
            .ok_or_else(wrong)?;
        let shifted = |mut error: ExprError| {
            error.at = Span::new(
                error.at.start + offset + open + 1,
                error.at.end + offset + open + 1,
            );
            error
        };
        return Ok(Part::Brace(
            text[..open].to_owned(),
            expr::parse(inner).map_err(shifted)?,
        ));
    }
    if expr::is_label(text) || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return Ok(Part::Exact(text.to_owned()));
    }
    Err(ExprError::new(
        Span::new(offset, offset + text.len()),
        format!("found `{text}`, expected a label, `*` or braces"),
    ))
}

/// Offset of the arrow between the two labels, outside braces.
fn arrow(edge: &str) -> Option<usize> {
    let mut depth = 0usize;
    edge.char_indices().find_map(|(at, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0 && edge[at..].starts_with("->")).then_some(at)
    })
}

fn split_outside_braces(text: &str) -> Vec<&str> {
    let mut depth = 0usize;
    text.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c == '.'
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_negative_labels() {
        let name = SlotName::parse("lin 0->-1 @1.2").unwrap();
        assert_eq!(
            (name.from.as_str(), name.to.as_str(), name.at),
            ("0", "-1", Some(vec![1, 2]))
        );
        assert_eq!(SlotName::parse("soft A->B").unwrap().at, None);
        for bad in [
            "weak A->B",
            "soft A-B",
            "soft A->",
            "soft A->B @x",
            "soft A->B@1",
            "lin a b->c",
        ] {
            assert_eq!(SlotName::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn wildcards_are_counted_as_written() {
        let none = BTreeMap::new();
        let count = |text: &str| Pattern::parse(text).unwrap().wildcards(&none);
        assert_eq!(count("soft 1->0 @1"), 0);
        assert_eq!(count("soft 1->0"), 1);
        assert_eq!(count("soft *->C"), 2);
        assert_eq!(count("lin * @*"), 3);
        assert_eq!(count("lin {j}->{j-1} @{e}.{q}"), 3);
        assert_eq!(count("* *"), 4);
    }
}
