//! One-way communication followed by forwarded views: extra tokens made from (state, query).

use super::{label, one_way};
use crate::exact::{Alphabet, Domain};
use crate::game::game::MAX_SLOTS;
use crate::game::{Channel, Game, GameError, Player, PlayerId, Rule, Slot};
use num_bigint::BigUint;

/// Alice speaks to Bob, Bob forwards his whole view to Charles, Charles to Charles2, and so on for `steps` fresh players.
///
/// Charles's view is a function of Bob's, so feasibility equals the one-way game with the same alphabet.
///
/// # Errors
/// As [`Game::new`]; [`GameError::TooManySlots`] above 2^20.
pub fn game(symbols: Alphabet, alice: Domain, bob: Domain, steps: u64) -> Result<Game, GameError> {
    let slots = BigUint::from(steps) + 1u8;
    if slots > BigUint::from(MAX_SLOTS) {
        return Err(GameError::TooManySlots(slots));
    }
    let mut players = vec![
        Player {
            label: label("Alice"),
            domain: alice,
        },
        Player {
            label: label("Bob"),
            domain: bob,
        },
    ];
    let mut rounds = vec![vec![one_way::message(symbols)]];
    for step in 1..=steps {
        let name = if step == 1 {
            "Charles".to_owned()
        } else {
            format!("Charles{step}")
        };
        players.push(Player {
            label: label(&name),
            domain: Domain::unit(),
        });
        let to = players.len() - 1;
        rounds.push(vec![Slot {
            from: PlayerId(to - 1),
            to: PlayerId(to),
            consults: Vec::new(),
            channel: Channel::Free,
            rule: Rule::Forward,
            at: vec![step + 1],
        }]);
    }
    let output = PlayerId(players.len() - 1);
    Game::new(players, rounds, output)
}
