//! Tasks: relations between full inputs and answers.

pub mod composition;
pub mod evaluation;
pub mod hop;
pub mod listed;
pub mod membership;
pub mod permutation;
pub mod pointer;
pub mod two_sum;

use crate::game::{Answer, Inputs};
use std::ops::Range;

/// The answers a task accepts on one full input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// Every answer (off a promise).
    All,
    /// Exactly one.
    One(u64),
    /// Exactly these, increasing; possibly none.
    Only(Vec<u64>),
}

impl Accepted {
    /// True when `answer` is accepted.
    pub fn contains(&self, answer: Answer) -> bool {
        match self {
            Self::All => true,
            Self::One(only) => *only == answer.0,
            Self::Only(list) => list.binary_search(&answer.0).is_ok(),
        }
    }

    /// The answers accepted by both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, rest) | (rest, Self::All) => rest.clone(),
            (Self::One(a), rest) | (rest, Self::One(a)) => {
                if rest.contains(Answer(*a)) {
                    Self::One(*a)
                } else {
                    Self::Only(Vec::new())
                }
            }
            (Self::Only(a), Self::Only(_)) => Self::Only(
                a.iter()
                    .copied()
                    .filter(|answer| other.contains(Answer(*answer)))
                    .collect(),
            ),
        }
    }

    /// True when no answer is accepted.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Only(list) if list.is_empty())
    }

    /// The least accepted answer.
    pub fn least(&self) -> Option<Answer> {
        match self {
            Self::All => Some(Answer(0)),
            Self::One(only) => Some(Answer(*only)),
            Self::Only(list) => list.first().copied().map(Answer),
        }
    }
}

/// A task that is undefined on an input (only a user's expression can be).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TaskError {
    /// What went wrong.
    pub message: String,
    /// Where in the game file, as a byte range.
    pub at: Option<Range<usize>>,
}

/// A relation between full inputs and accepted answers.
pub trait Task {
    /// Size of the answer set `0..answers`.
    fn answers(&self) -> u64;

    /// The answers accepted on a full input.
    ///
    /// # Errors
    /// [`TaskError`] when the task is undefined there.
    fn accepted(&self, inputs: &Inputs) -> Result<Accepted, TaskError>;
}

/// The digits of all players, one after the other: the prompt, for tasks that are about its tokens.
fn tokens(inputs: &Inputs) -> impl Iterator<Item = u64> + '_ {
    inputs.0.iter().flatten().copied()
}
