//! A chain of readers in prompt order, as in a stack of recurrent layers.

use super::label;
use crate::exact::{Alphabet, Domain};
use crate::game::game::MAX_SLOTS;
use crate::game::{Channel, Game, GameError, Player, PlayerId, Rule, Slot};
use num_bigint::BigUint;

/// Players P1..Pk in prompt order, output Pk; each of `layers` passes says one symbol on every edge P(i) -> P(i+1), in rounds of
/// their own.
///
/// The symbols that cross a cut are functions of the inputs before it, so at most `symbols^layers` prefixes are told apart.
///
/// # Errors
/// As [`Game::new`].
pub fn game(symbols: &Alphabet, inputs: Vec<Domain>, layers: u64) -> Result<Game, GameError> {
    let count = inputs.len();
    let slots = BigUint::from(layers) * count.saturating_sub(1);
    if slots > BigUint::from(MAX_SLOTS) {
        return Err(GameError::TooManySlots(slots));
    }
    let players = inputs
        .into_iter()
        .enumerate()
        .map(|(i, domain)| Player {
            label: label(&format!("P{}", i + 1)),
            domain,
        })
        .collect();
    let step = |pass: u64, from: usize| Slot {
        from: PlayerId(from),
        to: PlayerId(from + 1),
        consults: Vec::new(),
        channel: Channel::Linear,
        rule: Rule::Chosen(symbols.clone()),
        at: vec![pass],
    };
    let rounds = (1..=layers)
        .flat_map(|pass| (0..count.saturating_sub(1)).map(move |from| (pass, from)))
        .map(|(pass, from)| vec![step(pass, from)])
        .collect();
    Game::new(players, rounds, PlayerId(count.saturating_sub(1)))
}
