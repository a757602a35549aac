//! Protocols written out in full, and their replay on all inputs.

use super::{Code, Failure, Violation, accepted, full_inputs, replay, spell_accepted};
use crate::game::key::KeySpace;
use crate::game::{
    Answer, Game, Inputs, Protocol, SharedMap, Sight, SlotId, SpeakError, Symbol, Task, View,
};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// A protocol as lists of symbols in key order, over all keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolTables {
    /// One entry per chosen slot of the whole schedule, in order; `None` says 0 always, and stands for every slot of one symbol.
    pub tables: Vec<Option<Vec<u64>>>,
    /// The answers, in key order of the final view of the output player.
    pub answers: Vec<u64>,
}

/// Tables of the right lengths, as a protocol.
#[derive(Debug)]
pub struct Played<'a> {
    game: &'a Game,
    /// By slot of the schedule.
    said: Vec<Option<(KeySpace, &'a [u64])>>,
    answered: (KeySpace, &'a [u64]),
}

impl ProtocolTables {
    /// Checks that the protocol is accepted on every full input, and returns their number.
    ///
    /// # Errors
    /// [`Violation`], in this order, each over all tables: `size` (number of tables, a length, a table for a slot of one
    /// symbol), `alphabet`,
    /// `replay` (summary slots that share one function differ), `replay` (illegal run), `accepted`. [`super::TooLarge`] when
    /// the full inputs exceed the limit.
    /// # Cost
    /// One run and one task look-up per full input.
    pub fn holds(&self, game: &Game, task: &dyn Task, limit: &BigUint) -> Result<BigUint, Failure> {
        let played = self.protocol(game)?;
        self.check_symbols(game, task)?;
        self.check_shared(game)?;
        let total = full_inputs(game, limit)?;
        let mut shared = SharedMap::default();
        for inputs in Inputs::all(game) {
            let run = replay(game, task, &played, &inputs, &mut shared, "")?;
            let right = accepted(task, &inputs, "")?;
            if !run.answer.is_some_and(|answer| right.contains(answer)) {
                return Err(wrong(&inputs, run.answer, &spell_accepted(&right)).into());
            }
        }
        Ok(total)
    }

    /// The tables as a protocol of the game.
    ///
    /// # Errors
    /// [`Violation`] `size` when the number of tables or a length is wrong.
    /// # Cost
    /// One key space per slot.
    pub fn protocol<'a>(&'a self, game: &'a Game) -> Result<Played<'a>, Violation> {
        let chosen: Vec<SlotId> = game.chosen_slots().collect();
        if self.tables.len() != chosen.len() {
            return Err(Violation::new(
                "/tables",
                Code::Size,
                format!("{} tables", self.tables.len()),
                chosen.len().to_string(),
            ));
        }
        let mut said = vec![None; game.slots().len()];
        for (place, (id, table)) in chosen.into_iter().zip(&self.tables).enumerate() {
            let Some(table) = table else {
                continue;
            };
            let at = format!("/tables/{place}");
            if !game.is_open(id) {
                let found = format!("a table for `{}`, which has one symbol", game.name(id));
                return Err(Violation::new(at, Code::Size, found, "null"));
            }
            let space = KeySpace::of_slot(game, id);
            check_length(game, &space, table, at)?;
            said[id.0] = Some((space, table.as_slice()));
        }
        let space = KeySpace::of_answer(game);
        check_length(game, &space, &self.answers, "/answers".to_owned())?;
        Ok(Played {
            game,
            said,
            answered: (space, &self.answers),
        })
    }

    fn check_symbols(&self, game: &Game, task: &dyn Task) -> Result<(), Violation> {
        let too_large = |at: String, symbol: u64, size: String| {
            Violation::new(
                at,
                Code::Alphabet,
                symbol.to_string(),
                format!("0..<{size}"),
            )
        };
        for (place, (id, table)) in game.chosen_slots().zip(&self.tables).enumerate() {
            let alphabet = game.alphabet(id);
            let entries = table.iter().flatten().enumerate();
            if let Some((entry, symbol)) = entries
                .into_iter()
                .find(|(_, symbol)| !alphabet.contains(**symbol))
            {
                let at = format!("/tables/{place}/{entry}");
                return Err(too_large(at, *symbol, alphabet.size().to_string()));
            }
        }
        match self
            .answers
            .iter()
            .position(|answer| *answer >= task.answers())
        {
            None => Ok(()),
            Some(entry) => {
                let at = format!("/answers/{entry}");
                Err(too_large(
                    at,
                    self.answers[entry],
                    task.answers().to_string(),
                ))
            }
        }
    }

    fn check_shared(&self, game: &Game) -> Result<(), Violation> {
        let shared: Vec<usize> = game
            .chosen_slots()
            .enumerate()
            .filter(|(_, id)| game.shared().contains(id))
            .map(|(place, _)| place)
            .collect();
        match shared
            .windows(2)
            .find(|two| self.tables[two[0]] != self.tables[two[1]])
        {
            None => Ok(()),
            Some(two) => Err(Violation::new(
                format!("/tables/{}", two[1]),
                Code::Replay,
                format!("a table that differs from number {}", two[0]),
                "one function for all summary slots",
            )),
        }
    }
}

fn check_length(game: &Game, space: &KeySpace, table: &[u64], at: String) -> Result<(), Violation> {
    let keys = space.size(game);
    if keys.as_ref().ok().and_then(ToPrimitive::to_usize) == Some(table.len()) {
        return Ok(());
    }
    let expected = keys.map_or_else(|error| error.to_string(), |keys| keys.to_string());
    let found = format!("{} entries", table.len());
    Err(Violation::new(at, Code::Size, found, expected))
}

fn wrong(inputs: &Inputs, answer: Option<Answer>, right: &str) -> Violation {
    let said = answer.map_or("no answer".to_owned(), |answer| {
        format!("answer {}", answer.0)
    });
    Violation::new(
        "/answers",
        Code::Accepted,
        format!("{said} on {:?}", inputs.0),
        right,
    )
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

impl Protocol for Played<'_> {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        match &self.said[slot.0] {
            None => Ok(Symbol(0)),
            Some((space, table)) => look_up(space.index(self.game, sight), table).map(Symbol),
        }
    }

    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError> {
        let (space, table) = &self.answered;
        look_up(space.index_of_view(self.game, view), table).map(|answer| Some(Answer(answer)))
    }
}
