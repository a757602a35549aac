//! Affine and threshold maps of digits and symbols.

use super::{received, symbol};
use crate::game::protocol::Read;
use crate::game::{Answer, Game, OwnRule, Protocol, Sight, SlotId, SpeakError, Symbol, View};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::Zero;
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

    /// The form on the digits of the sender, the rest of the sight being given.
    fn own(&self, game: &Game, sight: &Sight<'_>, read: Read) -> OwnRule {
        let width = sight.sender().input.len();
        let own = self.inputs.iter().take(width);
        let terms: Vec<(usize, BigInt)> = own.cloned().enumerate().collect();
        let mut others = self.clone();
        others
            .inputs
            .iter_mut()
            .take(width)
            .for_each(|c| *c = BigInt::ZERO);
        OwnRule {
            constant: others.value(game, sight),
            terms,
            read,
        }
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

    fn own_rule(&self, slot: SlotId, sight: &Sight<'_>) -> Option<OwnRule> {
        let read = Read::Modulo(self.game.alphabet(slot).size().clone());
        let form = self.say[slot.0].clone().unwrap_or_default();
        Some(form.own(&self.game, sight, read))
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

    /// Only for forms without received symbols: a symbol that came from the sender would move the thresholds.
    fn own_rule(&self, slot: SlotId, sight: &Sight<'_>) -> Option<OwnRule> {
        let (form, at) = self.say[slot.0].clone().unwrap_or_default();
        let alone = form.received.iter().all(Zero::is_zero);
        alone.then(|| form.own(&self.game, sight, Read::Thresholds(at)))
    }
}
