//! The reference formulas of "some protocol solves this game on these inputs", to the byte.
//!
//! Evidence that rests on one of them stores the formula, and both checkers make it again from the game and compare bytes.
//! What stays to be believed is the lemma on the page of the encoding, which the evidence names under `trust`.

pub mod cnf;
pub mod seen;
mod symmetry;
pub mod table;
#[cfg(test)]
mod tests;

pub use cnf::{Cnf, Group};
pub use table::{Formula, Function};

use crate::game::structure::Support;
use crate::game::{Game, Inputs, Rule, SlotId, Task, TaskError};
use num_bigint::BigUint;

/// Most literals of a formula.
pub const MAX_LITERALS: u64 = 1 << 28;

/// A named way to write the formula, with its own lemma and its own clauses that break symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// For games whose kept slots are all chosen and share no function.
    TableV1,
    /// For all games whose shared functions hear no copies; the same formula where both are defined.
    TableV2,
}

impl Encoding {
    /// Every encoding, oldest first.
    pub const ALL: [Self; 2] = [Self::TableV1, Self::TableV2];

    /// The name in evidence.
    pub fn name(self) -> &'static str {
        match self {
            Self::TableV1 => "table-v1",
            Self::TableV2 => "table-v2",
        }
    }

    /// The name of the clauses that order the symbols.
    pub fn symmetry(self) -> &'static str {
        match self {
            Self::TableV1 => "symbol-order-v1",
            Self::TableV2 => "symbol-order-v2",
        }
    }

    /// The encoding with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|encoding| encoding.name() == name)
    }

    /// The oldest encoding that fits a game.
    ///
    /// # Cost
    /// Two passes over the schedule.
    pub fn of(game: &Game) -> Self {
        let support = Support::of(game);
        if Self::TableV1.check(game, &support).is_ok() {
            Self::TableV1
        } else {
            Self::TableV2
        }
    }

    /// The formula for the inputs X, with the clauses that order the symbols at its end on request.
    ///
    /// # Source
    /// Derived; the proof is on the page of [`table`].
    /// # Errors
    /// [`EncodeError`]: slots that the encoding is not for, inputs out of order, an input without an accepted answer, a
    /// formula of more than 2^28 literals (counted before anything is allocated).
    /// # Cost
    /// The literals of the formula; one task look-up per input.
    pub fn formula(
        self,
        game: &Game,
        task: &dyn Task,
        inputs: &[Inputs],
        symmetry: bool,
    ) -> Result<Formula, EncodeError> {
        self.formula_within(game, task, inputs, symmetry, MAX_LITERALS)
    }

    /// As [`Encoding::formula`], with a smaller limit of literals.
    ///
    /// # Errors
    /// As [`Encoding::formula`].
    /// # Cost
    /// As [`Encoding::formula`]; nothing is allocated for a formula over the limit.
    pub fn formula_within(
        self,
        game: &Game,
        task: &dyn Task,
        inputs: &[Inputs],
        symmetry: bool,
        limit: u64,
    ) -> Result<Formula, EncodeError> {
        let support = Support::of(game);
        self.check(game, &support)?;
        table::formula(game, task, &support, inputs, symmetry, limit)
    }

    /// Whether the encoding is for this game.
    fn check(self, game: &Game, support: &Support) -> Result<(), EncodeError> {
        let name = |id: SlotId| game.name(id).to_owned();
        let copied = |id: &SlotId| {
            support.of_slot(*id).is_some() && !matches!(game.slot(*id).rule, Rule::Chosen(_))
        };
        for (id, _) in support.kept() {
            let shared = game.shared().contains(&id);
            match self {
                Self::TableV1 if copied(&id) => return Err(EncodeError::NotChosen(name(id))),
                Self::TableV1 if shared => return Err(EncodeError::Shared(name(id))),
                Self::TableV2 if shared => {
                    // The keys of such a function are compared place by place.
                    let start = game.round_start(game.round_of(id));
                    let mut heard = game
                        .slot(id)
                        .seen()
                        .flat_map(|player| game.stored(player, start));
                    if heard.any(|other| copied(&other)) {
                        return Err(EncodeError::SharedCopies(name(id)));
                    }
                }
                Self::TableV1 | Self::TableV2 => {}
            }
        }
        Ok(())
    }
}

/// Why there is no formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A kept slot that is copied by the schedule.
    #[error("`{0}` is copied by the schedule; table-v1 is for games whose slots are all chosen")]
    NotChosen(String),
    /// Slots that must share one function.
    #[error("`{0}` shares its function with other slots; table-v1 cannot say that")]
    Shared(String),
    /// A shared function that hears copies.
    #[error(
        "`{0}` shares its function with other slots, and hears copies; table-v2 cannot say that"
    )]
    SharedCopies(String),
    /// Inputs that are not in increasing order.
    #[error("input number {0} is not after the one before it")]
    Unsorted(usize),
    /// An input on which no answer is accepted: it shows alone that no protocol exists.
    #[error("no answer is accepted on input number {0}")]
    NoAnswer(usize),
    /// The task is undefined on an input.
    #[error("input number {number}: {error}")]
    Task {
        /// Place in the list.
        number: usize,
        /// What it said.
        error: TaskError,
    },
    /// More literals than are ever written.
    #[error("the formula has {literals} literals, at most {limit} are written")]
    TooLarge {
        /// Number, before symmetry clauses; an upper bound for games with read slots, else exact.
        literals: BigUint,
        /// The limit.
        limit: u64,
    },
}
