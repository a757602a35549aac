//! `[game]`: explicit players, rounds and slots, with loops and blocks.

use crate::exact::Alphabet;
use crate::file::constants::Constants;
use crate::file::domains::domain;
use crate::file::expr::{self, ExprError, Loop, WithVariables};
use crate::file::keys;
use crate::file::reader::{
    Fields, in_text, list, mismatch, size, small_count, text, truth, unknown,
};
use crate::file::slots::SlotName;
use crate::file::source::{FileError, Source};
use crate::file::tree::{Entry, Tree, Value};
use crate::game::game::MAX_SLOTS;
use crate::game::{Channel, Game, Label, Player, PlayerId, Round, Rule, Slot, SlotId};
use itertools::Itertools;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;
use std::ops::Range;

/// Most blocks inside blocks.
const MAX_DEPTH: usize = 16;

/// Values of loop variables around an item.
type Scope = BTreeMap<String, BigInt>;

/// Reads `[game]`.
///
/// # Errors
/// Everything that can be wrong in it, with its position.
pub(super) fn game(source: &Source, tree: &Tree, constants: &Constants) -> Result<Game, FileError> {
    let fields = Fields::of(source, "[game]", tree)?;
    fields.allow_keys(&keys::GAME)?;
    let mut reader = Reader {
        source,
        constants,
        players: Vec::new(),
        rounds: Vec::new(),
        slots: 0,
    };
    reader.read_players(fields.need("players")?)?;
    let output_tree = fields.need("output")?;
    let output = reader.player(text(source, output_tree)?, &output_tree.at)?;
    let rounds_tree = fields.need("rounds")?;
    for item in list(source, rounds_tree)? {
        reader.item(item, &Scope::new(), 0)?;
    }
    let rounds = reader.finish()?;
    Game::new(reader.players, rounds, output).map_err(|error| {
        let at = source.error_at(rounds_tree.at.start, error.to_string());
        if error.is_size() { at.about_size() } else { at }
    })
}

struct Reader<'a> {
    source: &'a Source,
    constants: &'a Constants,
    players: Vec<Player>,
    rounds: Vec<Vec<RawSlot>>,
    slots: usize,
}

/// A slot whose `by` is still a name.
struct RawSlot {
    name: String,
    key_at: Range<usize>,
    slot: Slot,
    by: Option<(String, Range<usize>)>,
}

impl<'a> Reader<'a> {
    fn names<'s>(&'s self, scope: &Scope) -> WithVariables<'s> {
        WithVariables {
            outer: self.constants,
            variables: scope.clone(),
        }
    }

    fn substitute(&self, entry: &Entry, scope: &Scope) -> Result<String, FileError> {
        expr::substitute(&entry.key, &self.names(scope))
            .map_err(|error| in_text(self.source, &entry.key_at, &error))
    }

    /// The scopes of a `for`, or the one scope around when there is none.
    fn loop_scopes(&self, fields: &Fields<'a>, scope: &Scope) -> Result<Vec<Scope>, FileError> {
        let Some(tree) = fields.get("for") else {
            return Ok(vec![scope.clone()]);
        };
        let failed = |error: ExprError| in_text(self.source, &tree.at, &error);
        let parsed = Loop::parse(text(self.source, tree)?).map_err(failed)?;
        let names = self.names(scope);
        let points = parsed.points(&names, MAX_SLOTS as u64).map_err(failed)?;
        Ok(points
            .into_iter()
            .map(|point| {
                let mut inner = scope.clone();
                inner.extend(point);
                inner
            })
            .collect())
    }

    fn read_players(&mut self, tree: &'a Tree) -> Result<(), FileError> {
        for item in list(self.source, tree)? {
            let fields = Fields::of(self.source, "a player", item)?;
            let entries: Vec<&Entry> = fields
                .entries
                .iter()
                .filter(|entry| entry.key != "for")
                .collect();
            let [entry] = entries.as_slice() else {
                let message = format!(
                    "found {} labels, expected one `label = domain`",
                    entries.len()
                );
                return Err(self.source.error_at(item.at.start, message));
            };
            for scope in self.loop_scopes(&fields, &Scope::new())? {
                let label = self.substitute(entry, &scope)?;
                let wrong = |message: String| Err(self.source.error_in(&entry.key_at, message));
                if !expr::is_label(&label) {
                    return wrong(format!(
                        "found `{label}`, expected a player label like `A` or `-1`"
                    ));
                }
                if self.players.iter().any(|player| player.label.0 == label) {
                    return wrong(format!("two players are called `{label}`"));
                }
                if self.players.len() == MAX_SLOTS {
                    return wrong("more than 2^20 players".to_owned());
                }
                let domain = domain(self.source, &entry.tree, &self.names(&scope))?;
                self.players.push(Player {
                    label: Label(label),
                    domain,
                });
            }
        }
        if self.players.is_empty() {
            return Err(self
                .source
                .error_at(tree.at.start, "`players` is empty, expected at least one"));
        }
        Ok(())
    }

    fn player(&self, label: &str, at: &Range<usize>) -> Result<PlayerId, FileError> {
        self.players
            .iter()
            .position(|player| player.label.0 == label)
            .map(PlayerId)
            .ok_or_else(|| {
                let labels = self.players.iter().map(|player| &player.label).join(", ");
                self.source.error_in(
                    at,
                    format!("unknown player `{label}`; players are {labels}"),
                )
            })
    }

    fn item(&mut self, tree: &'a Tree, scope: &Scope, depth: usize) -> Result<(), FileError> {
        if depth > MAX_DEPTH {
            return Err(self.source.error_at(
                tree.at.start,
                format!("blocks nest deeper than {MAX_DEPTH}"),
            ));
        }
        match &tree.value {
            Value::List(tables) => {
                let mut round = Vec::new();
                for table in tables {
                    self.slots_of(table, scope, &mut round)?;
                }
                self.push(round, tree)
            }
            Value::Table(entries) if entries.iter().any(|entry| entry.key == "do") => {
                let fields = Fields::of(self.source, "a block", tree)?;
                fields.allow_keys(&keys::BLOCK)?;
                let items = list(self.source, fields.need("do")?)?;
                for inner in self.loop_scopes(&fields, scope)? {
                    for item in items {
                        self.item(item, &inner, depth + 1)?;
                    }
                }
                Ok(())
            }
            Value::Table(_) => {
                let mut round = Vec::new();
                self.slots_of(tree, scope, &mut round)?;
                self.push(round, tree)
            }
            other => Err(mismatch(
                self.source,
                tree,
                other,
                "a round (a table of slots), a list of them, or a block",
            )),
        }
    }

    fn push(&mut self, mut round: Vec<RawSlot>, tree: &Tree) -> Result<(), FileError> {
        self.slots += round.len();
        if self.slots > MAX_SLOTS || self.rounds.len() >= MAX_SLOTS {
            return Err(self
                .source
                .error_at(tree.at.start, "more than 2^20 slots")
                .about_size());
        }
        round.sort_by(|a, b| {
            (a.slot.from, a.slot.to, &a.name).cmp(&(b.slot.from, b.slot.to, &b.name))
        });
        self.rounds.push(round);
        Ok(())
    }

    fn slots_of(
        &self,
        tree: &'a Tree,
        scope: &Scope,
        round: &mut Vec<RawSlot>,
    ) -> Result<(), FileError> {
        let fields = Fields::of(self.source, "a round", tree)?;
        for inner in self.loop_scopes(&fields, scope)? {
            for entry in fields.entries.iter().filter(|entry| entry.key != "for") {
                if round.len() > MAX_SLOTS {
                    return Err(self
                        .source
                        .error_at(tree.at.start, "more than 2^20 slots")
                        .about_size());
                }
                round.push(self.slot(entry, &inner)?);
            }
        }
        Ok(())
    }

    fn slot(&self, entry: &'a Entry, scope: &Scope) -> Result<RawSlot, FileError> {
        let name = self.substitute(entry, scope)?;
        let parsed = SlotName::parse(&name).ok_or_else(|| {
            let label = |place: usize| {
                self.players
                    .get(place)
                    .map_or("A".to_owned(), |player| player.label.to_string())
            };
            let edge = format!("{}->{}", label(0), label(1));
            let message =
                format!("found `{name}`, expected a slot like `soft {edge}` or `lin {edge} @1`");
            self.source.error_in(&entry.key_at, message)
        })?;
        let from = self.player(&parsed.from, &entry.key_at)?;
        let to = self.player(&parsed.to, &entry.key_at)?;
        let at = parsed
            .at
            .unwrap_or_else(|| vec![self.rounds.len() as u64 + 1]);
        let full = format!(
            "{} {}->{} @{}",
            parsed.channel.kind(),
            parsed.from,
            parsed.to,
            at.iter().join(".")
        );
        let default_consults = if parsed.channel == Channel::Soft && from != to {
            vec![to]
        } else {
            Vec::new()
        };
        let (rule, consults, by) = self.rule(&entry.tree, scope, &full, default_consults)?;
        let slot = Slot {
            from,
            to,
            consults,
            channel: parsed.channel,
            rule,
            at,
        };
        Ok(RawSlot {
            name: full,
            key_at: entry.key_at.clone(),
            slot,
            by,
        })
    }

    #[expect(clippy::type_complexity, reason = "one tuple, used once")]
    fn rule(
        &self,
        tree: &'a Tree,
        scope: &Scope,
        name: &str,
        default_consults: Vec<PlayerId>,
    ) -> Result<(Rule, Vec<PlayerId>, Option<(String, Range<usize>)>), FileError> {
        let names = self.names(scope);
        let alphabet = |tree: &Tree| {
            let size = size(
                self.source,
                tree,
                &names,
                &format!("alphabet of `{name}` is"),
            )?;
            Alphabet::new(size).map_err(|error| self.source.error_in(&tree.at, error.to_string()))
        };
        let Value::Table(entries) = &tree.value else {
            return Ok((Rule::Chosen(alphabet(tree)?), default_consults, None));
        };
        let fields = Fields::of(self.source, name, tree)?;
        fields.allow_keys(&keys::SLOT)?;
        let consults = match fields.get("consults") {
            None => None,
            Some(tree) => Some(
                list(self.source, tree)?
                    .iter()
                    .map(|item| {
                        let label = expr::substitute(text(self.source, item)?, &names)
                            .map_err(|error| in_text(self.source, &item.at, &error))?;
                        self.player(&label, &item.at)
                    })
                    .collect::<Result<Vec<_>, FileError>>()?,
            ),
        };
        let has = |key: &str| entries.iter().any(|entry| entry.key == key);
        match (has("symbols"), has("forward"), has("by")) {
            (true, false, false) => {
                let symbols = fields.need("symbols")?;
                Ok((
                    Rule::Chosen(alphabet(symbols)?),
                    consults.unwrap_or(default_consults),
                    None,
                ))
            }
            (false, true, false) => {
                let tree = fields.need("forward")?;
                if !truth(self.source, tree)? {
                    return Err(self
                        .source
                        .error_at(tree.at.start, "found false, expected `forward = true`"));
                }
                Ok((Rule::Forward, consults.unwrap_or_default(), None))
            }
            (false, false, true) => {
                let by = fields.need("by")?;
                let selector = expr::substitute(text(self.source, by)?, &names)
                    .map_err(|error| in_text(self.source, &by.at, &error))?;
                let rank = small_count(self.source, fields.need("rank")?, &names, "`rank`")?;
                let rank = rank.to_usize().unwrap_or(usize::MAX);
                let rule = Rule::Read {
                    by: SlotId(usize::MAX),
                    rank,
                };
                Ok((
                    rule,
                    consults.unwrap_or_default(),
                    Some((selector, by.at.clone())),
                ))
            }
            _ => {
                let found = entries
                    .first()
                    .map_or("nothing".to_owned(), |entry| format!("`{}`", entry.key));
                let message =
                    format!("found {found}, expected a size, or one of symbols, forward, by");
                Err(self.source.error_at(tree.at.start, message))
            }
        }
    }

    /// Gives every `by` its slot index.
    fn finish(&mut self) -> Result<Vec<Round>, FileError> {
        let names: Vec<String> = self
            .rounds
            .iter()
            .flatten()
            .map(|raw| raw.name.clone())
            .collect();
        let mut finished = Vec::new();
        for round in std::mem::take(&mut self.rounds) {
            let mut slots = Vec::new();
            for mut raw in round {
                if let (Some((name, at)), Rule::Read { by, .. }) = (&raw.by, &mut raw.slot.rule) {
                    let wanted = SlotName::parse(name);
                    let found = names.iter().position(|known| {
                        known == name
                            || wanted.as_ref().is_some_and(|wanted| {
                                wanted.at.is_none() && known.starts_with(&format!("{name} @"))
                            })
                    });
                    let missing = || {
                        let known: Vec<&str> = names.iter().map(String::as_str).collect();
                        let message = if known.len() > 12 {
                            format!("unknown slot `{name}`")
                        } else {
                            unknown("slot", name, &known)
                        };
                        self.source.error_in(at, message)
                    };
                    *by = SlotId(found.ok_or_else(missing)?);
                }
                if raw.slot.from != raw.slot.to && matches!(raw.slot.rule, Rule::Read { .. }) {
                    let message = format!(
                        "`{}` reads an input, so its sender is the reader: `read Q->Q`",
                        raw.name
                    );
                    return Err(self.source.error_in(&raw.key_at, message));
                }
                slots.push(raw.slot);
            }
            finished.push(slots);
        }
        Ok(finished)
    }
}
