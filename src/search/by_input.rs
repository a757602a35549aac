//! Protocols as lists of symbols: for every slot what it says on every full input.
//!
//! Copies are filled in from the schedule, and a protocol that is known on all inputs is written out as tables.

use crate::game::key::KeySpace;
use crate::game::run::combination;
use crate::game::structure::{Failure, ProtocolTables, within};
use crate::game::{Accepted, Game, PlayerId, Rule, SlotId};
use crate::search::answers::Answers;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// By slot, by input.
pub(super) type Symbols = Vec<Vec<u64>>;

/// The arguments of a function, with their sizes.
pub(super) struct Space {
    keys: KeySpace,
    own: Vec<u64>,
    stored: Vec<(SlotId, u64)>,
}

/// A game and its task, input by input.
pub(super) struct ByInput<'a> {
    pub(super) game: &'a Game,
    /// By player, by input: the index of its element.
    pub(super) elements: Vec<Vec<u64>>,
    pub(super) accepted: Vec<Accepted>,
    /// For each open slot that is chosen or forwarded the arguments.
    pub(super) spaces: Vec<Option<Space>>,
    answer: Space,
}

impl<'a> ByInput<'a> {
    /// Fails with the reason when a view has more than 2^64 values.
    pub(super) fn new(game: &'a Game, answers: &Answers) -> Result<Self, String> {
        let inputs = answers.inputs();
        let elements = (0..game.players().len())
            .map(|player| {
                let place = |input| answers.place(PlayerId(player), input) as u64;
                (0..inputs).map(place).collect()
            })
            .collect();
        let space = |keys: KeySpace| -> Result<Space, String> {
            let small = |size: Option<u64>| size.ok_or("a view with more than 2^64 values");
            let own = keys
                .players
                .iter()
                .map(|player| small(game.player(*player).domain.index_size()))
                .collect::<Result<_, _>>()?;
            let stored = keys
                .stored
                .iter()
                .flatten()
                .map(|id| Ok((*id, small(game.alphabet(*id).size().to_u64())?)))
                .collect::<Result<_, &str>>()?;
            let size = keys.size(game).ok().and_then(|size| size.to_u64());
            small(size)?;
            Ok(Space { keys, own, stored })
        };
        let spaces = game
            .ids()
            .map(|id| match game.slot(id).rule {
                Rule::Chosen(_) | Rule::Forward if game.is_open(id) => {
                    space(KeySpace::of_slot(game, id)).map(Some)
                }
                Rule::Read { .. } | Rule::Chosen(_) | Rule::Forward => Ok(None),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            game,
            elements,
            accepted: (0..inputs).map(|input| answers.on(input)).collect(),
            spaces,
            answer: space(KeySpace::of_answer(game))?,
        })
    }

    /// Number of full inputs.
    pub(super) fn inputs(&self) -> usize {
        self.accepted.len()
    }

    /// The key of a function on an input.
    pub(super) fn key(&self, space: &Space, symbols: &Symbols, input: usize) -> u64 {
        let own = space.keys.players.iter().zip(&space.own);
        let own = own.fold(0, |index, (player, size)| {
            index * size + self.elements[player.0][input]
        });
        space
            .stored
            .iter()
            .fold(own, |index, (id, size)| index * size + symbols[id.0][input])
    }

    /// The symbols of no slot.
    pub(super) fn silent(&self) -> Symbols {
        vec![vec![0; self.inputs()]; self.game.slots().len()]
    }

    /// Fills in a slot that the schedule copies; leaves a chosen one alone.
    pub(super) fn copy(&self, id: SlotId, symbols: &mut Symbols) {
        match &self.game.slot(id).rule {
            Rule::Read { by, rank } => self.read(id, *by, *rank, symbols),
            Rule::Forward => {
                if let Some(space) = &self.spaces[id.0] {
                    symbols[id.0] = (0..self.inputs())
                        .map(|x| self.key(space, symbols, x))
                        .collect();
                }
            }
            Rule::Chosen(_) => {}
        }
    }

    fn read(&self, id: SlotId, by: SlotId, rank: usize, symbols: &mut Symbols) {
        let candidates: Vec<PlayerId> = self.game.candidates(self.game.slot(id).to).collect();
        let reads = self.game.reads_of(by).count();
        symbols[id.0] = (0..self.inputs())
            .map(|input| {
                let places = combination(candidates.len(), reads, symbols[by.0][input]);
                self.elements[candidates[places[rank]].0][input]
            })
            .collect();
    }

    /// The common answers of each final view.
    fn common(&self, symbols: &Symbols) -> BTreeMap<u64, Accepted> {
        let mut common: BTreeMap<u64, Accepted> = BTreeMap::new();
        for (input, right) in self.accepted.iter().enumerate() {
            let key = self.key(&self.answer, symbols, input);
            let cell = common.entry(key).or_insert(Accepted::All);
            *cell = cell.and(right);
        }
        common
    }

    /// True when each final view has a common answer.
    pub(super) fn answerable(&self, symbols: &Symbols) -> bool {
        self.common(symbols).values().all(|cell| !cell.is_empty())
    }

    /// The protocol as tables.
    pub(super) fn tables(
        &self,
        symbols: &Symbols,
        limit: &BigUint,
    ) -> Result<ProtocolTables, Failure> {
        let blank = |space: &Space| -> Result<Vec<u64>, Failure> {
            let size = within("table entries", space.keys.size(self.game), limit)?;
            Ok(vec![0; size.to_usize().unwrap_or(0)])
        };
        let put = |table: &mut Vec<u64>, key: u64, value: u64| {
            if let Some(cell) = usize::try_from(key).ok().and_then(|key| table.get_mut(key)) {
                *cell = value;
            }
        };
        let said = |id: SlotId| -> Result<Option<Vec<u64>>, Failure> {
            let Some(space) = &self.spaces[id.0] else {
                return Ok(None);
            };
            let mut table = blank(space)?;
            let shared = self.game.shared();
            let alone = [id];
            let same: &[SlotId] = if shared.contains(&id) { shared } else { &alone };
            for other in same {
                if let Some(space) = &self.spaces[other.0] {
                    for input in 0..self.inputs() {
                        let key = self.key(space, symbols, input);
                        put(&mut table, key, symbols[other.0][input]);
                    }
                }
            }
            Ok(table.iter().any(|symbol| *symbol > 0).then_some(table))
        };
        let tables = self
            .game
            .chosen_slots()
            .map(said)
            .collect::<Result<_, _>>()?;
        let mut answers = blank(&self.answer)?;
        for (key, cell) in self.common(symbols) {
            put(&mut answers, key, cell.least().map_or(0, |answer| answer.0));
        }
        Ok(ProtocolTables { tables, answers })
    }
}
