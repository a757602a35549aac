//! Full inputs, one element per player, and the one odometer over them.

use crate::exact::Digits;
use crate::game::{Game, PlayerId};

/// A full input: for every player, in player order, the digits of its element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inputs(pub Vec<Digits>);

/// Why a list of digits is no full input of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputsError {
    /// Not one element per player.
    #[error("{found} inputs, expected {expected}")]
    Players {
        /// How many were given.
        found: usize,
        /// How many players there are.
        expected: usize,
    },
    /// An element outside its domain.
    #[error("input {digits:?} of {label} is not in its domain")]
    Domain {
        /// The player.
        label: String,
        /// What was given.
        digits: Digits,
    },
}

impl Inputs {
    /// The lexicographically first full input.
    pub fn first(game: &Game) -> Self {
        Self(
            game.players()
                .iter()
                .map(|player| player.domain.first())
                .collect(),
        )
    }

    /// Steps to the next full input, the last player's digits fastest; false, and back at the first, after the last.
    pub fn advance(&mut self, game: &Game) -> bool {
        self.advance_players(game, (0..game.players().len()).map(PlayerId))
    }

    /// Steps the elements of some players only, the last of them fastest; false, and back at the first, after the last.
    pub fn advance_players(
        &mut self,
        game: &Game,
        players: impl DoubleEndedIterator<Item = PlayerId>,
    ) -> bool {
        players
            .rev()
            .any(|id| game.player(id).domain.advance(&mut self.0[id.0]))
    }

    /// All full inputs in lexicographic order. The caller has checked the size.
    pub fn all(game: &Game) -> impl Iterator<Item = Self> + '_ {
        let mut next = Some(Self::first(game));
        std::iter::from_fn(move || {
            let current = next.take()?;
            let mut following = current.clone();
            if following.advance(game) {
                next = Some(following);
            }
            Some(current)
        })
    }

    /// The element of a player.
    pub fn of(&self, player: PlayerId) -> &Digits {
        &self.0[player.0]
    }

    /// Checks that this is a full input of `game`.
    ///
    /// # Errors
    /// The first player, in order, whose element is wrong.
    pub fn check(&self, game: &Game) -> Result<(), InputsError> {
        let expected = game.players().len();
        if self.0.len() != expected {
            return Err(InputsError::Players {
                found: self.0.len(),
                expected,
            });
        }
        for (player, digits) in game.players().iter().zip(&self.0) {
            if !player.domain.contains(digits) {
                return Err(InputsError::Domain {
                    label: player.label.0.clone(),
                    digits: digits.clone(),
                });
            }
        }
        Ok(())
    }
}
