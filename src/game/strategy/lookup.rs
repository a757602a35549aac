//! The look-up protocol of the hybrid game: every slot says what a retrieval head would.

use super::composition::can_look_up;
use super::{received, symbol};
use crate::game::protocol::Read;
use crate::game::shape::Shape;
use crate::game::{
    Answer, Channel, Game, OwnRule, Protocol, Sight, SlotId, SpeakError, Symbol, View,
};
use num_bigint::{BigInt, BigUint};
use std::sync::Arc;

/// The look-up protocol; the answer function is free.
///
/// # Source
/// Derived; made so that decompositions have reproducible numbers.
#[derive(Clone, Debug)]
pub struct Lookup {
    game: Arc<Game>,
    shape: Shape,
}

impl Lookup {
    /// The protocol, when the game has the players of a hybrid game and every soft slot sees the view of its receiver.
    pub fn new(game: Arc<Game>) -> Option<Self> {
        let shape = Shape::of(&game)?;
        let able = game.chosen_slots().all(|id| can_look_up(game.slot(id)));
        able.then_some(Self { game, shape })
    }

    fn label(&self, view: &View) -> Option<usize> {
        self.shape.steps.checked_sub(view.player.0)
    }

    /// The symbol a view has stored from the slot of this kind, edge and `@` numbers, if that slot is open.
    fn heard(&self, view: &View, channel: Channel, from: usize, at: &[u64]) -> Option<u64> {
        view.stored.iter().find_map(|(id, symbol)| {
            let slot = self.game.slot(*id);
            let same =
                slot.channel == channel && slot.from == self.shape.player(from) && slot.at == at;
            (same && self.game.is_open(*id)).then_some(symbol.0)
        })
    }

    /// The entry of `z_j` that -1 asks for, j >= 2.
    fn address(&self, slot: SlotId, j: usize, receiver: &View) -> u128 {
        let before = &[self.game.slot(slot).at[0].saturating_sub(1)];
        let guess = if j == 2 {
            self.heard(receiver, Channel::Linear, 0, &[1, 1])
                .or_else(|| self.heard(receiver, Channel::Soft, 0, before))
        } else {
            self.heard(receiver, Channel::Soft, j - 1, before)
        };
        let m = u128::from(self.shape.ranges[j - 2]);
        let row = u128::from(receiver.input[j - 2]) * m;
        row + u128::from(guess.unwrap_or(0)) % m
    }

    fn soft(&self, slot: SlotId, sight: &Sight<'_>) -> u128 {
        let (sender, receiver) = (sight.sender(), sight.consulted()[0]);
        let input = &sender.input;
        match (self.label(sender), self.label(receiver)) {
            (Some(1), Some(0)) => entry(input, u128::from(receiver.input[0])),
            (Some(0), None) => u128::from(
                self.heard(sender, Channel::Soft, 1, &[1])
                    .unwrap_or(input[0]),
            ),
            (Some(1), None) => u128::from(input[0]),
            (Some(j), None) => entry(input, self.address(slot, j, receiver)),
            (_, _) => sum(input),
        }
    }

    fn linear(&self, sight: &Sight<'_>) -> u128 {
        let sender = sight.sender();
        if self.label(sender) == Some(0) {
            return u128::from(
                self.heard(sender, Channel::Soft, 1, &[1])
                    .unwrap_or(sender.input[0]),
            );
        }
        let mut heard = received(&self.game, sender).peekable();
        if heard.peek().is_none() {
            return sender
                .input
                .iter()
                .zip(1u128..)
                .map(|(entry, weight)| weight * u128::from(*entry))
                .sum();
        }
        heard.map(|symbol| u128::from(symbol.0)).sum::<u128>() + sum(&sender.input)
    }
}

fn entry(table: &[u64], address: u128) -> u128 {
    usize::try_from(address)
        .ok()
        .and_then(|address| table.get(address))
        .copied()
        .map_or(0, u128::from)
}

fn sum(table: &[u64]) -> u128 {
    table.iter().map(|entry| u128::from(*entry)).sum()
}

impl Protocol for Lookup {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let value = if self.game.slot(slot).channel == Channel::Soft {
            self.soft(slot, sight)
        } else {
            self.linear(sight)
        };
        symbol(&(BigUint::from(value) % self.game.alphabet(slot).size()))
    }

    fn answer(&self, _view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(None)
    }

    fn own_rule(&self, slot: SlotId, sight: &Sight<'_>) -> Option<OwnRule> {
        let soft = self.game.slot(slot).channel == Channel::Soft;
        let (constant, terms) = if soft {
            self.soft_rule(slot, sight)?
        } else {
            self.linear_rule(sight)
        };
        Some(OwnRule {
            constant: constant.into(),
            terms,
            read: Read::Modulo(self.game.alphabet(slot).size().clone()),
        })
    }
}

/// A constant, and places with coefficients.
type Sum = (u128, Vec<(usize, BigInt)>);

impl Lookup {
    /// The sum behind a soft symbol: one entry, what was heard, or all entries.
    fn soft_rule(&self, slot: SlotId, sight: &Sight<'_>) -> Option<Sum> {
        let (sender, receiver) = (sight.sender(), *sight.consulted().first()?);
        let one = |address: u128| {
            let place = usize::try_from(address).ok();
            let place = place.filter(|place| *place < sender.input.len());
            (
                0,
                place.map(|place| (place, 1.into())).into_iter().collect(),
            )
        };
        Some(match (self.label(sender), self.label(receiver)) {
            (Some(1), Some(0)) => one(u128::from(receiver.input[0])),
            (Some(0), None) => self.passed_on(sender),
            (Some(1), None) => one(0),
            (Some(j), None) => one(self.address(slot, j, receiver)),
            (_, _) => (0, weighted(sender, |_| 1)),
        })
    }

    fn linear_rule(&self, sight: &Sight<'_>) -> Sum {
        let sender = sight.sender();
        if self.label(sender) == Some(0) {
            return self.passed_on(sender);
        }
        let mut heard = received(&self.game, sender).peekable();
        if heard.peek().is_none() {
            return (0, weighted(sender, |place| place as u64 + 1));
        }
        let constant = heard.map(|symbol| u128::from(symbol.0)).sum();
        (constant, weighted(sender, |_| 1))
    }

    /// What player 0 says: what it heard from player 1, else `z_0`.
    fn passed_on(&self, sender: &View) -> Sum {
        match self.heard(sender, Channel::Soft, 1, &[1]) {
            Some(heard) => (heard.into(), Vec::new()),
            None => (0, vec![(0, 1.into())]),
        }
    }
}

fn weighted(view: &View, weight: impl Fn(usize) -> u64) -> Vec<(usize, BigInt)> {
    (0..view.input.len())
        .map(|place| (place, weight(place).into()))
        .collect()
}
