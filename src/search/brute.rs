//! All protocols, one by one, for tiny games: the oracle of the solver.
//!
//! Nothing is shared with the encodings: no pruning, no supports, no symmetry. Round by round every function of a realised
//! key is tried; at the end each final view must have an answer that is accepted on all its inputs.

use crate::game::key::KeySpace;
use crate::game::run::combination;
use crate::game::structure::{Failure, ProtocolTables, within};
use crate::game::{Accepted, Game, PlayerId, Rule, SlotId, Task};
use crate::search::answers::Answers;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Most protocols that a command tries.
pub const MAX_PROTOCOLS: u64 = 1 << 26;

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A protocol.
    Protocol(ProtocolTables),
    /// There is none.
    Nothing {
        /// How many were tried, functions counted on realised keys.
        protocols: u64,
    },
    /// More than the limit.
    TooMany {
        /// The limit.
        limit: u64,
    },
    /// The game cannot be searched.
    Refused(String),
}

/// By slot, by input.
type Symbols = Vec<Vec<u64>>;

/// Why the search ends early.
enum Stop {
    TooMany,
    Refused(String),
}

/// Tries all protocols.
///
/// # Errors
/// `TooLarge` over the limit, with the exact number of full inputs; `replay` when the task is undefined somewhere.
/// # Cost
/// One pass over the inputs per protocol. The protocols of the first round are shared out over the threads, each with its
/// part of the limit; so the result does not depend on the threads.
pub fn search(
    game: &Game,
    task: &dyn Task,
    limit: &BigUint,
    protocols: u64,
) -> Result<Found, Failure> {
    let answers = Answers::of(game, task, limit)?;
    let brute = match Brute::new(game, &answers) {
        Ok(brute) => brute,
        Err(reason) => return Ok(Found::Refused(reason)),
    };
    let found = match brute.parallel(protocols) {
        Ok((Some(symbols), _)) => Found::Protocol(brute.tables(&symbols, limit)?),
        Ok((None, protocols)) => Found::Nothing { protocols },
        Err(Stop::TooMany) => Found::TooMany { limit: protocols },
        Err(Stop::Refused(reason)) => Found::Refused(reason),
    };
    Ok(found)
}

/// The arguments of a function, with their sizes.
struct Space {
    keys: KeySpace,
    own: Vec<u64>,
    stored: Vec<(SlotId, u64)>,
}

struct Brute<'a> {
    game: &'a Game,
    /// By player, by input: the index of its element.
    elements: Vec<Vec<u64>>,
    accepted: Vec<Accepted>,
    spaces: Vec<Option<Space>>,
    answer: Space,
}

/// One function to be chosen in a round.
struct Choice {
    /// Its slots: several if they share it.
    slots: Vec<SlotId>,
    alphabet: u64,
    /// Realised keys.
    keys: Vec<u64>,
}

impl<'a> Brute<'a> {
    fn new(game: &'a Game, answers: &Answers) -> Result<Self, String> {
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

    fn inputs(&self) -> usize {
        self.accepted.len()
    }

    fn key(&self, space: &Space, symbols: &Symbols, input: usize) -> u64 {
        let own = space.keys.players.iter().zip(&space.own);
        let own = own.fold(0, |index, (player, size)| {
            index * size + self.elements[player.0][input]
        });
        space
            .stored
            .iter()
            .fold(own, |index, (id, size)| index * size + symbols[id.0][input])
    }

    /// The first protocol in the order of the search, and how many were tried.
    fn parallel(&self, limit: u64) -> Result<(Option<Symbols>, u64), Stop> {
        let silent = vec![vec![0; self.inputs()]; self.game.slots().len()];
        if self.game.rounds() == 0 {
            return Ok((self.answerable(&silent).then_some(silent), 1));
        }
        let mut start = silent;
        let choices = self.prepare(0, &mut start)?;
        let count = count(&choices)
            .filter(|count| *count <= limit)
            .ok_or(Stop::TooMany)?;
        let share = (limit / count).max(1);
        let branches: Vec<Result<(Option<Symbols>, u64), Stop>> = (0..count)
            .into_par_iter()
            .map(|number| {
                let mut symbols = start.clone();
                self.assign(&choices, number, &mut symbols);
                let mut tried = 0;
                let found = self.rounds_from(1, &mut symbols, share, &mut tried)?;
                Ok((found.then_some(symbols), tried))
            })
            .collect();
        let mut total = 0;
        for branch in branches {
            let (found, tried) = branch?;
            total += tried;
            if found.is_some() {
                return Ok((found, total));
            }
        }
        Ok((None, total))
    }

    /// Fills in what the schedule copies, and lists what is to be chosen.
    fn prepare(&self, round: usize, symbols: &mut Symbols) -> Result<Vec<Choice>, Stop> {
        let mut choices: Vec<Choice> = Vec::new();
        for id in self.game.round(round).filter(|id| self.game.is_open(*id)) {
            match &self.game.slot(id).rule {
                Rule::Read { by, rank } => self.read(id, *by, *rank, symbols),
                Rule::Forward => {
                    if let Some(space) = &self.spaces[id.0] {
                        symbols[id.0] = (0..self.inputs())
                            .map(|x| self.key(space, symbols, x))
                            .collect();
                    }
                }
                Rule::Chosen(_) => self.choose(id, symbols, &mut choices)?,
            }
        }
        for choice in &mut choices {
            choice.keys.sort_unstable();
            choice.keys.dedup();
        }
        Ok(choices)
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

    fn choose(&self, id: SlotId, symbols: &Symbols, choices: &mut Vec<Choice>) -> Result<(), Stop> {
        let (Some(space), Some(alphabet)) =
            (&self.spaces[id.0], self.game.alphabet(id).size().to_u64())
        else {
            return Err(Stop::Refused(format!(
                "`{}` has more than 2^64 symbols",
                self.game.name(id)
            )));
        };
        let keys = (0..self.inputs()).map(|input| self.key(space, symbols, input));
        let shared = self.game.shared();
        if let Some(first) = shared.first().filter(|_| shared.contains(&id)) {
            if self.game.round_of(*first) != self.game.round_of(id) {
                return Err(Stop::Refused("one function in several rounds".to_owned()));
            }
            if let Some(choice) = choices
                .iter_mut()
                .find(|choice| choice.slots.contains(first))
            {
                choice.slots.push(id);
                choice.keys.extend(keys);
                return Ok(());
            }
        }
        choices.push(Choice {
            slots: vec![id],
            alphabet,
            keys: keys.collect(),
        });
        Ok(())
    }

    /// Writes the symbols of the functions with this number.
    fn assign(&self, choices: &[Choice], mut number: u64, symbols: &mut Symbols) {
        let mut said = Vec::with_capacity(choices.len());
        for choice in choices {
            let digits: Vec<u64> = choice
                .keys
                .iter()
                .map(|_| {
                    let digit = number % choice.alphabet;
                    number /= choice.alphabet;
                    digit
                })
                .collect();
            for id in &choice.slots {
                let space = self.spaces[id.0].as_ref();
                let symbol = |input| {
                    let key = space.map_or(0, |space| self.key(space, symbols, input));
                    choice
                        .keys
                        .binary_search(&key)
                        .map_or(0, |place| digits[place])
                };
                said.push((*id, (0..self.inputs()).map(symbol).collect()));
            }
        }
        for (id, row) in said {
            symbols[id.0] = row;
        }
    }

    /// Tries everything from a round on; the symbols are those of the protocol when there is one.
    fn rounds_from(
        &self,
        round: usize,
        symbols: &mut Symbols,
        limit: u64,
        tried: &mut u64,
    ) -> Result<bool, Stop> {
        if round == self.game.rounds() {
            *tried += 1;
            return if *tried > limit {
                Err(Stop::TooMany)
            } else {
                Ok(self.answerable(symbols))
            };
        }
        let choices = self.prepare(round, symbols)?;
        let count = count(&choices).ok_or(Stop::TooMany)?;
        for number in 0..count {
            self.assign(&choices, number, symbols);
            if self.rounds_from(round + 1, symbols, limit, tried)? {
                return Ok(true);
            }
        }
        Ok(false)
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

    fn answerable(&self, symbols: &Symbols) -> bool {
        self.common(symbols).values().all(|cell| !cell.is_empty())
    }

    /// The protocol as tables.
    fn tables(&self, symbols: &Symbols, limit: &BigUint) -> Result<ProtocolTables, Failure> {
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

/// The number of ways to choose, if it fits.
fn count(choices: &[Choice]) -> Option<u64> {
    choices.iter().try_fold(1u64, |count, choice| {
        let power = choice
            .alphabet
            .checked_pow(u32::try_from(choice.keys.len()).ok()?)?;
        count.checked_mul(power)
    })
}
