//! Alice speaks once to Bob, who answers.

use super::label;
use crate::exact::{Alphabet, Domain};
use crate::game::{Channel, Game, GameError, Player, PlayerId, Rule, Slot};

/// The one-way game: one round, one slot `lin Alice->Bob @1`, output Bob.
///
/// A protocol solves a functional task iff Alice's symbols separate all distinct rows.
///
/// # Errors
/// As [`Game::new`].
pub fn game(symbols: Alphabet, alice: Domain, bob: Domain) -> Result<Game, GameError> {
    let players = vec![
        Player {
            label: label("Alice"),
            domain: alice,
        },
        Player {
            label: label("Bob"),
            domain: bob,
        },
    ];
    Game::new(players, vec![vec![message(symbols)]], PlayerId(1))
}

/// The slot from the first player to the second.
pub(super) fn message(symbols: Alphabet) -> Slot {
    Slot {
        from: PlayerId(0),
        to: PlayerId(1),
        consults: Vec::new(),
        channel: Channel::Linear,
        rule: Rule::Chosen(symbols),
        at: vec![1],
    }
}
