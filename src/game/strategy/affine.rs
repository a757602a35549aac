//! Affine and threshold maps of digits and symbols.

use super::{received, symbol};
use crate::game::{Answer, Game, Protocol, Sight, SlotId, SpeakError, Symbol, View};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use std::sync::Arc;

/// `constant + sum inputs[k] digit_k + sum received[k] symbol_k`; missing coefficients are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The constant.
    pub constant: BigInt,
    /// Coefficients of the digits of the sender, then of the consulted players.
    pub inputs: Vec<BigInt>,
    /// Coefficients of the stored symbols of the sender, then of the consulted players, each in schedule order.
    pub received: Vec<BigInt>,
}

impl Form {
    fn value(&self, game: &Game, sight: &Sight<'_>) -> BigInt {
        let digits = sight.views().flat_map(|view| view.input.iter().copied());
        let symbols = sight.views().flat_map(|view| {
            received(game, view)
                .map(|symbol| symbol.0)
                .collect::<Vec<_>>()
        });
        let dot = |coefficients: &[BigInt], values: &mut dyn Iterator<Item = u64>| -> BigInt {
            coefficients
                .iter()
                .zip(values)
                .map(|(coefficient, value)| coefficient * value)
                .sum()
        };
        &self.constant + dot(&self.inputs, &mut { digits }) + dot(&self.received, &mut { symbols })
    }

    /// Number of digits and of symbols in sight of a slot: longer coefficient lists are errors.
    pub fn room(game: &Game, slot: SlotId) -> (usize, usize) {
        let start = game.round_start(game.round_of(slot));
        let seen: Vec<_> = game.slot(slot).seen().collect();
        let digits = seen.iter().map(|id| game.player(*id).domain.width()).sum();
        let symbols = seen
            .iter()
            .map(|id| {
                game.stored(*id, start)
                    .filter(|stored| game.is_open(*stored))
                    .count()
            })
            .sum();
        (digits, symbols)
    }
}

/// Each slot says its affine form mod its alphabet; the answer function is free.
#[derive(Clone, Debug)]
pub struct Affine {
    /// The game.
    pub game: Arc<Game>,
    /// The form of each slot; `None` says 0.
    pub say: Vec<Option<Form>>,
}

impl Protocol for Affine {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let Some(form) = &self.say[slot.0] else {
            return Ok(Symbol(0));
        };
        let size = BigInt::from(self.game.alphabet(slot).size().clone());
        symbol(&form.value(&self.game, sight).mod_floor(&size))
    }

    fn answer(&self, _view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(None)
    }
}

/// Each slot says how many of its thresholds are at most its affine form; the answer function is free.
#[derive(Clone, Debug)]
pub struct Threshold {
    /// The game.
    pub game: Arc<Game>,
    /// The form and the increasing thresholds of each slot; `None` says 0.
    pub say: Vec<Option<(Form, Vec<BigInt>)>>,
}

impl Threshold {
    /// Symbols needed for a list of thresholds.
    pub fn needed(at: &[BigInt]) -> BigUint {
        BigUint::from(at.len()) + 1u8
    }
}

impl Protocol for Threshold {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let Some((form, at)) = &self.say[slot.0] else {
            return Ok(Symbol(0));
        };
        let value = form.value(&self.game, sight);
        Ok(Symbol(
            at.partition_point(|threshold| *threshold <= value) as u64
        ))
    }

    fn answer(&self, _view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(None)
    }
}
