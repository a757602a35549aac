//! Deterministic two-party communication of a finite matrix: definitions, bounds, and what a checker must repeat.
//!
//! Alice holds a row, Bob a column. D(M) is the least depth of a protocol tree in which every inner node belongs to one party,
//! who announces one bit, and every leaf is a monochromatic rectangle: both parties know the answer. D = 0 iff M is constant.
//! Nothing here searches; what a search proposes (a [`Tree`], [`Minors`], a [`FoolingSet`], an [`Exhausted`] table) is checked
//! here from its definition.

pub mod bound;
pub mod cover;
pub mod exhausted;
#[expect(
    clippy::module_inception,
    reason = "the type is what the module is about"
)]
pub mod matrix;
pub mod named;
pub mod small;
pub mod tree;
pub mod variant;

pub use bound::{FoolingSet, Minor, Minors};
pub use cover::Cover;
pub use exhausted::{Exhausted, Rectangle};
pub use matrix::{Matrix, Misread};
pub use named::Named;
pub use tree::{Measured, Node, Party, Tree};

/// Why a structure about a matrix is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A leaf or entry is not of the value it should have.
    NotConstant,
    /// Not everything is covered, or covered twice, or not in the order demanded.
    Coverage,
    /// It proves less than is said.
    Bound,
    /// A list has the wrong length.
    Size,
    /// More work than the caller allows; nothing was decided.
    TooLarge,
}

/// The first thing that is wrong with a structure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: found {found}, expected {expected}")]
pub struct Flaw {
    /// JSON pointer relative to the structure.
    pub at: String,
    /// The reason.
    pub reason: Reason,
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
}

impl Flaw {
    fn new(
        at: impl Into<String>,
        reason: Reason,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self {
            at: at.into(),
            reason,
            found: found.into(),
            expected: expected.into(),
        }
    }
}

/// The least b with 2^b >= `count`; 0 for 0 and 1.
#[must_use]
pub fn bits(count: usize) -> u32 {
    count.max(1).next_power_of_two().trailing_zeros()
}

/// Checks a list of indices: increasing, below `limit`.
fn check_indices(list: &[usize], limit: usize, at: &str) -> Result<(), Flaw> {
    if let Some(place) = list.windows(2).position(|pair| pair[0] >= pair[1]) {
        let found = format!("{} before {}", list[place], list[place + 1]);
        let at = format!("{at}/{}", place + 1);
        return Err(Flaw::new(at, Reason::Coverage, found, "increasing indices"));
    }
    match list.last().filter(|last| **last >= limit) {
        None => Ok(()),
        Some(last) => {
            let at = format!("{at}/{}", list.len() - 1);
            let expected = format!("an index below {limit}");
            Err(Flaw::new(at, Reason::Coverage, last.to_string(), expected))
        }
    }
}

#[cfg(test)]
mod tests;
