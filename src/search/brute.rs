//! All protocols, one by one, for tiny games: the oracle of the solver.
//!
//! Nothing is shared with the encodings: no pruning, no supports, no symmetry. Round by round every function of a realised
//! key is tried; at the end each final view must have an answer that is accepted on all its inputs.

use super::by_input::{ByInput, Symbols};
use crate::game::structure::{Failure, ProtocolTables};
use crate::game::{Game, Rule, SlotId, Task};
use crate::search::answers::Answers;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rayon::prelude::*;

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
    let brute = match ByInput::new(game, &answers) {
        Ok(inputs) => Brute(inputs),
        Err(reason) => return Ok(Found::Refused(reason)),
    };
    let found = match brute.parallel(protocols) {
        Ok((Some(symbols), _)) => Found::Protocol(brute.0.tables(&symbols, limit)?),
        Ok((None, protocols)) => Found::Nothing { protocols },
        Err(Stop::TooMany) => Found::TooMany { limit: protocols },
        Err(Stop::Refused(reason)) => Found::Refused(reason),
    };
    Ok(found)
}

struct Brute<'a>(ByInput<'a>);

/// One function to be chosen in a round.
struct Choice {
    /// Its slots: several if they share it.
    slots: Vec<SlotId>,
    alphabet: u64,
    /// Realised keys.
    keys: Vec<u64>,
}

impl Brute<'_> {
    /// The first protocol in the order of the search, and how many were tried.
    fn parallel(&self, limit: u64) -> Result<(Option<Symbols>, u64), Stop> {
        let silent = self.0.silent();
        if self.0.game.rounds() == 0 {
            return Ok((self.0.answerable(&silent).then_some(silent), 1));
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
        for id in self
            .0
            .game
            .round(round)
            .filter(|id| self.0.game.is_open(*id))
        {
            match &self.0.game.slot(id).rule {
                Rule::Read { .. } | Rule::Forward => self.0.copy(id, symbols),
                Rule::Chosen(_) => self.choose(id, symbols, &mut choices)?,
            }
        }
        for choice in &mut choices {
            choice.keys.sort_unstable();
            choice.keys.dedup();
        }
        Ok(choices)
    }

    fn choose(&self, id: SlotId, symbols: &Symbols, choices: &mut Vec<Choice>) -> Result<(), Stop> {
        let (Some(space), Some(alphabet)) = (
            &self.0.spaces[id.0],
            self.0.game.alphabet(id).size().to_u64(),
        ) else {
            return Err(Stop::Refused(format!(
                "`{}` has more than 2^64 symbols",
                self.0.game.name(id)
            )));
        };
        let keys = (0..self.0.inputs()).map(|input| self.0.key(space, symbols, input));
        let shared = self.0.game.shared();
        if let Some(first) = shared.first().filter(|_| shared.contains(&id)) {
            if self.0.game.round_of(*first) != self.0.game.round_of(id) {
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
                let space = self.0.spaces[id.0].as_ref();
                let symbol = |input| {
                    let key = space.map_or(0, |space| self.0.key(space, symbols, input));
                    choice
                        .keys
                        .binary_search(&key)
                        .map_or(0, |place| digits[place])
                };
                said.push((*id, (0..self.0.inputs()).map(symbol).collect()));
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
        if round == self.0.game.rounds() {
            *tried += 1;
            return if *tried > limit {
                Err(Stop::TooMany)
            } else {
                Ok(self.0.answerable(symbols))
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
