//! The look-up protocol of the hybrid game: every slot says what a retrieval head would.

use super::composition::{Shape, can_look_up};
use super::{received, symbol};
use crate::game::{Answer, Channel, Game, Protocol, Sight, SlotId, SpeakError, Symbol, View};
use num_bigint::BigUint;
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

    fn soft(&self, slot: SlotId, sight: &Sight<'_>) -> u128 {
        let (sender, receiver) = (sight.sender(), sight.consulted()[0]);
        let epoch = self.game.slot(slot).at[0];
        let input = &sender.input;
        match (self.label(sender), self.label(receiver)) {
            (Some(1), Some(0)) => entry(input, u128::from(receiver.input[0])),
            (Some(0), None) => u128::from(
                self.heard(sender, Channel::Soft, 1, &[1])
                    .unwrap_or(input[0]),
            ),
            (Some(1), None) => u128::from(input[0]),
            (Some(j), None) => {
                let before = &[epoch.saturating_sub(1)];
                let guess = if j == 2 {
                    self.heard(receiver, Channel::Linear, 0, &[1, 1])
                        .or_else(|| self.heard(receiver, Channel::Soft, 0, before))
                } else {
                    self.heard(receiver, Channel::Soft, j - 1, before)
                };
                let m = u128::from(self.shape.ranges[j - 2]);
                let row = u128::from(receiver.input[j - 2]) * m;
                entry(input, row + u128::from(guess.unwrap_or(0)) % m)
            }
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
}
