//! What players know: views, symbols, and the `Sight` of a message function.

use crate::exact::Digits;
use crate::game::{PlayerId, SlotId};

/// One message value, below the alphabet of its slot. A copied view is its index in the derived alphabet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Symbol(pub u64);

/// A player's input plus every symbol it has stored, in schedule order. Nothing is forgotten.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct View {
    /// Whose view this is.
    pub player: PlayerId,
    /// The player's element.
    pub input: Digits,
    /// Every (slot, symbol) stored so far.
    pub stored: Vec<(SlotId, Symbol)>,
}

impl View {
    /// The symbol stored from `slot`, if any.
    pub fn symbol(&self, slot: SlotId) -> Option<Symbol> {
        self.stored
            .binary_search_by_key(&slot, |entry| entry.0)
            .ok()
            .map(|place| self.stored[place].1)
    }
}

/// All that one chosen symbol may depend on: the views of the sender and of the consulted players at the start of the round.
///
/// Only the evaluator makes one, so a message function cannot look further than the schedule lets it:
///
/// ```compile_fail
/// use foolproof::game::{Sight, View};
/// fn forge<'a>(view: &'a View) -> Sight<'a> {
///     Sight { sender: view, consulted: Vec::new() }
/// }
/// ```
#[derive(Debug)]
pub struct Sight<'a> {
    sender: &'a View,
    consulted: Vec<&'a View>,
}

impl<'a> Sight<'a> {
    /// Only `game::run` calls this.
    pub(super) fn new(sender: &'a View, consulted: Vec<&'a View>) -> Self {
        Self { sender, consulted }
    }

    /// The view of the sender.
    pub fn sender(&self) -> &'a View {
        self.sender
    }

    /// The views of the consulted players, in the order of the slot.
    pub fn consulted(&self) -> &[&'a View] {
        &self.consulted
    }

    /// Sender first, then the consulted players.
    pub fn views(&self) -> impl Iterator<Item = &'a View> + '_ {
        std::iter::once(self.sender).chain(self.consulted.iter().copied())
    }
}
