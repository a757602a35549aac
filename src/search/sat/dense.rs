//! A protocol over the kept slots only, as dense tables, run on inputs by index.

use crate::game::encode::{Formula, Function};
use crate::game::key::KeySpace;
use crate::game::structure::{Failure, ProtocolTables, Support, within};
use crate::game::{Answer, Game, PlayerId, SlotId};
use crate::search::answers::Answers;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// Most entries of one table.
const MAX_ENTRIES: u64 = 1 << 26;

/// Stands for an answer that was never asked for.
const OPEN: u32 = u32::MAX;

/// The tables of one function.
#[derive(Clone, Debug)]
struct Table {
    players: Vec<PlayerId>,
    /// Sizes of the own inputs.
    sizes: Vec<usize>,
    /// For each argument the place of its slot among the kept ones, and its number of symbols.
    arguments: Vec<(usize, usize)>,
    said: Vec<u32>,
}

impl Table {
    fn index(&self, places: &[usize], symbols: &[u32]) -> usize {
        let own = self
            .players
            .iter()
            .zip(&self.sizes)
            .fold(0, |index, (player, size)| index * size + places[player.0]);
        self.arguments.iter().fold(own, |index, (kept, size)| {
            index * size + symbols[*kept] as usize
        })
    }
}

/// A protocol, undefined answers open.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    kept: Vec<SlotId>,
    slots: Vec<Table>,
    answers: Table,
}

impl Dense {
    /// The protocol of a model; functions say 0 where the formula has no key.
    ///
    /// # Errors
    /// `TooLarge` for a table of more than 2^26 entries.
    /// # Cost
    /// The entries of all tables.
    pub(super) fn decode(
        game: &Game,
        formula: &Formula,
        holds: &mut dyn FnMut(i32) -> bool,
    ) -> Result<Self, Failure> {
        let kept: Vec<SlotId> = Support::of(game).kept().map(|(id, _)| id).collect();
        let mut table = |function: &Function, empty: u32| -> Result<Table, Failure> {
            let mut table = blank(game, &kept, function, empty)?;
            formula.decode(function, holds, &mut |own, symbols, said| {
                let own = table.players.iter().zip(&table.sizes).zip(own).fold(
                    0,
                    |index, ((player, size), digits)| {
                        let place = game.player(*player).domain.index(digits);
                        index * size + place.and_then(|place| place.to_usize()).unwrap_or(0)
                    },
                );
                let sizes = table.arguments.iter().zip(symbols);
                let index = sizes.fold(own, |index, ((_, size), symbol)| index * size + symbol);
                if let Some(cell) = table.said.get_mut(index) {
                    *cell = u32::try_from(said).unwrap_or(0);
                }
            });
            Ok(table)
        };
        let slots = formula
            .functions
            .iter()
            .map(|function| table(function, 0))
            .collect::<Result<_, _>>()?;
        let answers = table(&formula.answers, OPEN)?;
        Ok(Self {
            kept,
            slots,
            answers,
        })
    }

    /// The inputs, by index, on which the answer is not accepted. Open answers become the least one accepted where they are
    /// first asked for.
    ///
    /// # Cost
    /// One table look-up per input and kept slot.
    pub(super) fn violations(&mut self, answers: &Answers) -> Vec<usize> {
        let mut symbols = vec![0; self.kept.len()];
        let sizes: Vec<usize> = answers.sizes();
        let mut places = vec![0; sizes.len()];
        let mut found = Vec::new();
        for input in 0..answers.inputs() {
            for (kept, table) in self.slots.iter().enumerate() {
                symbols[kept] = table.said[table.index(&places, &symbols)];
            }
            let index = self.answers.index(&places, &symbols);
            let right = answers.on(input);
            let said = &mut self.answers.said[index];
            if *said == OPEN {
                *said = right
                    .least()
                    .map_or(0, |least| u32::try_from(least.0).unwrap_or(0));
            }
            if !right.contains(Answer(u64::from(*said))) {
                found.push(input);
            }
            for (place, size) in places.iter_mut().zip(&sizes).rev() {
                *place += 1;
                if *place < *size {
                    break;
                }
                *place = 0;
            }
        }
        found
    }

    /// The protocol as tables over all keys of the game.
    ///
    /// # Errors
    /// `TooLarge` for a table of more than 2^26 entries.
    /// # Cost
    /// The entries of all tables.
    pub(super) fn tables(&self, game: &Game) -> Result<ProtocolTables, Failure> {
        let mut tables = Vec::new();
        for id in game.chosen_slots() {
            let table = match self.kept.binary_search(&id) {
                Ok(kept) => {
                    Some(self.spread(game, &self.slots[kept], &KeySpace::of_slot(game, id))?)
                }
                Err(_) => None,
            };
            tables.push(table.filter(|table| table.iter().any(|symbol| *symbol != 0)));
        }
        let answers = self.spread(game, &self.answers, &KeySpace::of_answer(game))?;
        Ok(ProtocolTables { tables, answers })
    }

    /// A table over all keys from one over those in which the other slots say 0.
    fn spread(&self, game: &Game, table: &Table, space: &KeySpace) -> Result<Vec<u64>, Failure> {
        let limit = BigUint::from(MAX_ENTRIES);
        let keys = within("table entries", space.size(game), &limit)?;
        let mut all = vec![0; keys.to_usize().unwrap_or(0)];
        let stored: Vec<(usize, bool)> = space
            .stored
            .iter()
            .flatten()
            .map(|id| {
                let size = game.alphabet(*id).size().to_usize().unwrap_or(1);
                (size, self.kept.binary_search(id).is_ok())
            })
            .collect();
        let combinations: usize = table.arguments.iter().map(|(_, size)| size).product();
        for (from, said) in table
            .said
            .iter()
            .enumerate()
            .filter(|(_, said)| **said != OPEN)
        {
            let (own, mut rest) = (from / combinations, from % combinations);
            let (mut index, mut weight) = (0, 1);
            for (size, kept) in stored.iter().rev() {
                if *kept {
                    index += rest % size * weight;
                    rest /= size;
                }
                weight *= size;
            }
            all[own * weight + index] = u64::from(*said);
        }
        Ok(all)
    }
}

fn blank(game: &Game, kept: &[SlotId], function: &Function, empty: u32) -> Result<Table, Failure> {
    let size = |player: &PlayerId| {
        let size = game.player(*player).domain.index_size();
        size.and_then(|size| size.to_usize()).unwrap_or(usize::MAX)
    };
    let sizes: Vec<usize> = function.players.iter().map(size).collect();
    let arguments: Vec<(usize, usize)> = function
        .arguments
        .iter()
        .map(|id| {
            let size = game.alphabet(*id).size().to_usize().unwrap_or(usize::MAX);
            (kept.binary_search(id).unwrap_or(0), size)
        })
        .collect();
    let factors = sizes.iter().chain(arguments.iter().map(|(_, size)| size));
    let entries: BigUint = factors.map(|size| BigUint::from(*size)).product();
    let entries = within("table entries", Ok(entries), &BigUint::from(MAX_ENTRIES))?;
    Ok(Table {
        players: function.players.clone(),
        sizes,
        arguments,
        said: vec![empty; entries.to_usize().unwrap_or(0)],
    })
}
