//! Protocols written out: one symbol per key.

use crate::game::key::KeySpace;
use crate::game::{Answer, Game, Protocol, Rule, Sight, SlotId, SpeakError, Symbol, View};
use num_traits::ToPrimitive;
use std::sync::Arc;

/// A protocol as tables in key order; a slot without a table says 0.
#[derive(Clone, Debug)]
pub struct Table {
    game: Arc<Game>,
    keys: Vec<Option<(KeySpace, Vec<u64>)>>,
    answers: Option<(KeySpace, Vec<u64>)>,
}

/// Why tables do not describe a protocol of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// A table for a slot whose symbol is not chosen.
    #[error("`{0}` is copied by the schedule and takes no table")]
    NotChosen(String),
    /// Not one entry per key.
    #[error("{what} has {found} entries, expected {expected}")]
    Length {
        /// The slot's name, or `answers`.
        what: String,
        /// Entries given.
        found: usize,
        /// Exact number of keys.
        expected: String,
    },
    /// An entry outside the alphabet.
    #[error("{what} says {symbol} at entry {entry}, expected 0..<{alphabet}")]
    Symbol {
        /// The slot's name, or `answers`.
        what: String,
        /// 0-based place.
        entry: usize,
        /// The symbol.
        symbol: u64,
        /// Size of the alphabet, or of the answer set.
        alphabet: String,
    },
    /// Slots that share one function have different tables.
    #[error("`{0}` differs from the other summary slots, which share one function")]
    Shared(String),
}

impl Table {
    /// Checks lengths, alphabets and shared functions.
    ///
    /// # Errors
    /// [`TableError`], naming slot and entry.
    /// # Cost
    /// The total number of entries.
    pub fn new(
        game: Arc<Game>,
        tables: Vec<(SlotId, Vec<u64>)>,
        answers: Option<Vec<u64>>,
        answer_count: u64,
    ) -> Result<Self, TableError> {
        let mut keys: Vec<Option<(KeySpace, Vec<u64>)>> = vec![None; game.slots().len()];
        for (id, table) in tables {
            let name = game.name(id);
            if !matches!(game.slot(id).rule, Rule::Chosen(_)) {
                return Err(TableError::NotChosen(name.to_owned()));
            }
            let space = KeySpace::of_slot(&game, id);
            check_length(&game, name, &space, &table)?;
            check_symbols(
                name,
                &table,
                |symbol| game.alphabet(id).contains(symbol),
                || game.alphabet(id).size().to_string(),
            )?;
            keys[id.0] = Some((space, table));
        }
        let shared = game.shared();
        let said = |id: SlotId| keys[id.0].as_ref().map(|(_, table)| table);
        let silent =
            |id: SlotId| said(id).is_none_or(|table| table.iter().all(|symbol| *symbol == 0));
        if let Some(first) = shared.first() {
            let same = |id: SlotId| said(id) == said(*first) || (silent(id) && silent(*first));
            if let Some(odd) = shared.iter().find(|id| !same(**id)) {
                return Err(TableError::Shared(game.name(*odd).to_owned()));
            }
        }
        let answers = match answers {
            None => None,
            Some(table) => {
                let space = KeySpace::of_answer(&game);
                check_length(&game, "answers", &space, &table)?;
                check_symbols(
                    "answers",
                    &table,
                    |answer| answer < answer_count,
                    || answer_count.to_string(),
                )?;
                Some((space, table))
            }
        };
        Ok(Self {
            game,
            keys,
            answers,
        })
    }
}

fn check_length(
    game: &Game,
    what: &str,
    space: &KeySpace,
    table: &[u64],
) -> Result<(), TableError> {
    let expected = space.size(game).map_err(|error| error.to_string());
    if expected.as_ref().ok().and_then(ToPrimitive::to_usize) == Some(table.len()) {
        return Ok(());
    }
    let expected = expected.map_or_else(|error| error, |size| size.to_string());
    Err(TableError::Length {
        what: what.to_owned(),
        found: table.len(),
        expected,
    })
}

fn check_symbols(
    what: &str,
    table: &[u64],
    legal: impl Fn(u64) -> bool,
    alphabet: impl Fn() -> String,
) -> Result<(), TableError> {
    match table.iter().position(|symbol| !legal(*symbol)) {
        None => Ok(()),
        Some(entry) => Err(TableError::Symbol {
            what: what.to_owned(),
            entry,
            symbol: table[entry],
            alphabet: alphabet(),
        }),
    }
}

fn look_up(index: Option<u64>, table: &[u64]) -> Result<u64, SpeakError> {
    index
        .and_then(|index| table.get(usize::try_from(index).ok()?))
        .copied()
        .ok_or_else(|| SpeakError {
            message: "the table has no entry for this view".to_owned(),
            at: None,
        })
}

impl Protocol for Table {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        match &self.keys[slot.0] {
            None => Ok(Symbol(0)),
            Some((space, table)) => look_up(space.index(&self.game, sight), table).map(Symbol),
        }
    }

    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError> {
        match &self.answers {
            None => Ok(None),
            Some((space, table)) => look_up(space.index_of_view(&self.game, view), table)
                .map(|answer| Some(Answer(answer))),
        }
    }
}
