//! The reference formulas of "some protocol solves this game on these inputs", to the byte.
//!
//! Evidence that rests on one of them stores the formula, and both checkers make it again from the game and compare bytes.
//! What stays to be believed is the lemma on the page of the encoding, which the evidence names under `trust`.

pub mod cnf;
mod symmetry;
pub mod table;
#[cfg(test)]
mod tests;

pub use cnf::{Cnf, Group};
pub use table::{Formula, Function, table_v1, table_v1_within};

use crate::game::TaskError;
use num_bigint::BigUint;

/// The encoding by tables.
pub const TABLE_V1: &str = "table-v1";

/// The clauses that order the symbols.
pub const SYMBOL_ORDER_V1: &str = "symbol-order-v1";

/// Most literals of a formula.
pub const MAX_LITERALS: u64 = 1 << 28;

/// Why there is no formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A kept slot that is copied by the schedule.
    #[error("`{0}` is copied by the schedule; table-v1 is for games whose slots are all chosen")]
    NotChosen(String),
    /// Slots that must share one function.
    #[error("`{0}` shares its function with other slots; table-v1 cannot say that")]
    Shared(String),
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
        /// Exact number, before symmetry clauses.
        literals: BigUint,
        /// The limit.
        limit: u64,
    },
}
