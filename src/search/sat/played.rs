//! The protocol of a model, run on all inputs by index.

use super::SatError;
use crate::exact::Digits;
use crate::game::encode::seen::Seen;
use crate::game::encode::{Formula, Function};
use crate::game::structure::{Failure, ProtocolTables};
use crate::game::{Answer, Game, PlayerId, SlotId};
use crate::search::answers::Answers;
use crate::search::by_input::{ByInput, Symbols};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// Most entries of one table.
const MAX_ENTRIES: u32 = 1 << 26;

/// What one function says, by key.
type Said = BTreeMap<u64, u64>;

/// A protocol; functions say 0 where the formula has no key.
pub(super) struct Played<'a> {
    inputs: ByInput<'a>,
    /// The kept chosen slots, in schedule order: arguments, and place in `said`.
    slots: Vec<(SlotId, Seen, usize)>,
    said: Vec<Said>,
    answers: (Seen, Said),
    symbols: Symbols,
}

impl<'a> Played<'a> {
    /// The protocol of a model, run on all inputs.
    ///
    /// # Errors
    /// When a view has more than 2^64 values.
    /// # Cost
    /// One table look-up per input and kept slot.
    pub(super) fn decode(
        game: &'a Game,
        answers: &Answers,
        formula: &Formula,
        holds: &mut dyn FnMut(i32) -> bool,
    ) -> Result<Self, SatError> {
        let inputs = ByInput::new(game, answers).map_err(SatError::Refused)?;
        let mut said = |function: &Function| {
            let mut said = Said::new();
            formula.decode(function, holds, &mut |entry| {
                let index = |(player, digits): (PlayerId, &Digits)| {
                    let place = game.player(player).domain.index(digits);
                    place.and_then(|place| place.to_u64()).unwrap_or(0)
                };
                let own = function.seen.players.iter().copied().zip(entry.own);
                let own: Vec<u64> = own.map(index).collect();
                let read = function.seen.reads.iter().zip(entry.reads);
                let read: Vec<u64> = read
                    .map(|(reading, digits)| index((reading.candidate(entry.symbols), digits)))
                    .collect();
                let symbols: Vec<u64> = entry.symbols.iter().map(|symbol| *symbol as u64).collect();
                let key = key(game, &function.seen, &own, &symbols, &read);
                said.insert(key, entry.said as u64);
            });
            said
        };
        let mut slots = Vec::new();
        for (place, function) in formula.functions.iter().enumerate() {
            slots.extend(function.slots().map(|(id, seen)| (id, seen.clone(), place)));
        }
        slots.sort_by_key(|(id, _, _)| *id);
        let mut played = Self {
            symbols: inputs.silent(),
            inputs,
            slots,
            said: formula.functions.iter().map(&mut said).collect(),
            answers: (formula.answers.seen.clone(), said(&formula.answers)),
        };
        played.run();
        Ok(played)
    }

    /// The key of a function on an input.
    fn key(&self, seen: &Seen, input: usize) -> u64 {
        let index = |player: PlayerId| self.inputs.elements[player.0][input];
        let own: Vec<u64> = seen.players.iter().map(|player| index(*player)).collect();
        let symbols: Vec<u64> = seen
            .arguments
            .iter()
            .map(|id| self.symbols[id.0][input])
            .collect();
        let places: Vec<usize> = symbols
            .iter()
            .map(|symbol| usize::try_from(*symbol).unwrap_or(0))
            .collect();
        let read = |reading: &crate::game::encode::seen::Reading| index(reading.candidate(&places));
        let reads: Vec<u64> = seen.reads.iter().map(read).collect();
        key(self.inputs.game, seen, &own, &symbols, &reads)
    }

    fn run(&mut self) {
        for place in 0..self.slots.len() {
            let (id, seen, function) = &self.slots[place];
            let look_up = |input| self.said[*function].get(&self.key(seen, input)).copied();
            let row = (0..self.inputs.inputs()).map(|input| look_up(input).unwrap_or(0));
            let (id, row) = (*id, row.collect());
            self.symbols[id.0] = row;
        }
    }

    /// The inputs, by index, on which the answer is not accepted. Where the formula has no answer it is the least one accepted
    /// where it is first asked for.
    ///
    /// # Cost
    /// One table look-up per input.
    pub(super) fn violations(&mut self) -> Vec<usize> {
        let mut found = Vec::new();
        for input in 0..self.inputs.inputs() {
            let key = self.key(&self.answers.0, input);
            let right = &self.inputs.accepted[input];
            let least = || right.least().map_or(0, |least| least.0);
            let said = *self.answers.1.entry(key).or_insert_with(least);
            if !right.contains(Answer(said)) {
                found.push(input);
            }
        }
        found
    }

    /// The protocol as tables over all keys of the game.
    ///
    /// # Errors
    /// `TooLarge` for a table of more than 2^26 entries.
    /// # Cost
    /// The entries of all tables; one look-up per input and open slot.
    pub(super) fn tables(mut self) -> Result<ProtocolTables, Failure> {
        for id in self.inputs.game.open_slots() {
            self.inputs.copy(id, &mut self.symbols);
        }
        self.fill_dead_sharers();
        self.inputs
            .tables(&self.symbols, &BigUint::from(MAX_ENTRIES))
    }
}

impl Played<'_> {
    /// A dead slot that shares a function says what the function says.
    fn fill_dead_sharers(&mut self) {
        let shared = self.inputs.game.shared();
        let is_kept = |id: &SlotId| self.slots.iter().any(|(kept, _, _)| kept == id);
        let (kept, dead): (Vec<SlotId>, Vec<SlotId>) = shared.iter().partition(|id| is_kept(id));
        let keys = |id: SlotId, symbols: &Symbols| -> Vec<u64> {
            let space = self.inputs.spaces[id.0].as_ref();
            let key = |input| space.map_or(0, |space| self.inputs.key(space, symbols, input));
            (0..self.inputs.inputs()).map(key).collect()
        };
        let said: BTreeMap<u64, u64> = kept
            .iter()
            .flat_map(|id| {
                keys(*id, &self.symbols)
                    .into_iter()
                    .zip(self.symbols[id.0].clone())
            })
            .collect();
        let mut symbols = self.symbols.clone();
        for id in dead {
            let row = keys(id, &symbols).into_iter();
            symbols[id.0] = row
                .map(|key| said.get(&key).copied().unwrap_or(0))
                .collect();
        }
        self.symbols = symbols;
    }
}

/// Arguments as one number. It fits, as it is no more than the number of views that say these things.
fn key(game: &Game, seen: &Seen, own: &[u64], symbols: &[u64], reads: &[u64]) -> u64 {
    let size = |id: SlotId| game.alphabet(id).size().to_u64().unwrap_or(1);
    let domain = |player: &PlayerId| game.player(*player).domain.index_size().unwrap_or(1);
    let own = seen.players.iter().map(domain).zip(own);
    let symbols = seen.arguments.iter().map(|id| size(*id)).zip(symbols);
    let reads = seen.reads.iter().map(|read| size(read.slot)).zip(reads);
    own.chain(symbols)
        .chain(reads)
        .fold(0u64, |index, (size, place)| {
            index.wrapping_mul(size).wrapping_add(*place)
        })
}
