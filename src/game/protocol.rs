//! Protocols: one function per chosen slot, and an answer function.

use crate::game::{Sight, SlotId, Symbol, View};
use std::ops::Range;

/// One element of the task's answer set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Answer(pub u64);

/// A message or answer function that gives nothing legal on this sight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SpeakError {
    /// What went wrong, without the input (the evaluator adds it).
    pub message: String,
    /// Where in the strategy file, as a byte range, when the function came from a file.
    pub at: Option<Range<usize>>,
}

/// A deterministic protocol.
pub trait Protocol {
    /// The symbol said on a chosen slot, given everything it may depend on.
    ///
    /// # Errors
    /// [`SpeakError`] when the function is undefined on this sight (an index out of range in a user's expression).
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError>;

    /// The answer on a final view of the output player; `None` when the answer function is left free.
    ///
    /// # Errors
    /// As [`Protocol::message`].
    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError>;
}
