//! Pointer chasing on a blackboard.

use super::label;
use crate::exact::{Alphabet, Domain, DomainError, Form};
use crate::game::game::MAX_SLOTS;
use crate::game::{Channel, Game, GameError, Player, PlayerId, Rule, Slot};
use num_bigint::BigUint;

/// Parameters of pointer chasing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerChasing {
    /// Players k, at least 2.
    pub players: u64,
    /// Points q, even and at least 2.
    pub points: u64,
    /// Rounds R, at least 1.
    pub rounds: u64,
    /// Bits per message.
    pub bits: u64,
}

impl PointerChasing {
    /// Players P(k)..P1 and Board. P(k) holds a balanced labelling, P(j) a permutation, P1 a start point. In each round they speak in
    /// the order P(k)..P1 to the board, which they all see; the last message is one free output bit.
    ///
    /// # Errors
    /// As [`Game::new`].
    pub fn game(&self) -> Result<Game, GameError> {
        let (k, q) = (self.players, self.points);
        let slots = BigUint::from(k) * self.rounds;
        let count = usize::try_from(k)
            .ok()
            .filter(|_| slots <= BigUint::from(MAX_SLOTS));
        let Some(count) = count else {
            return Err(GameError::TooManySlots(slots));
        };
        let size = |error: DomainError| GameError::Size {
            what: "an input".to_owned(),
            error,
        };
        let mut players = Vec::new();
        for j in (1..=k).rev() {
            let (name, form) = match j {
                1 => ("start", Form::Number(q)),
                j if j == k => ("label", Form::SubsetOf { n: q, k: q / 2 }),
                _ => ("pi", Form::Permutation(q)),
            };
            let domain = Domain::single(name, form).map_err(size)?;
            players.push(Player {
                label: label(&format!("P{j}")),
                domain,
            });
        }
        players.push(Player {
            label: label("Board"),
            domain: Domain::unit(),
        });
        let board = PlayerId(count);
        let symbols = Form::Subset(self.bits)
            .size()
            .map_err(|error| GameError::Size {
                what: "the alphabet of a message".to_owned(),
                error,
            })?;
        let message = Alphabet::new(symbols).unwrap_or_else(|_| Alphabet::silent());
        let bit = Alphabet::new(2u8.into()).unwrap_or_else(|_| Alphabet::silent());
        let rounds = (1..=self.rounds)
            .flat_map(|round| (0..count).map(move |speaker| (round, speaker)))
            .map(|(round, speaker)| {
                let last = round == self.rounds && speaker + 1 == count;
                let (channel, alphabet) = if last {
                    (Channel::Free, &bit)
                } else {
                    (Channel::Soft, &message)
                };
                vec![Slot {
                    from: PlayerId(speaker),
                    to: board,
                    consults: vec![board],
                    channel,
                    rule: Rule::Chosen(alphabet.clone()),
                    at: vec![round],
                }]
            })
            .collect();
        Game::new(players, rounds, board)
    }
}
