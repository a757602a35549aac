//! Eva: evaluate a function read earlier.

use super::{Accepted, Task, TaskError, tokens};
use crate::game::Inputs;

/// Prompt f(0), .., f(n-1), x; answer f(x).
///
/// # Source
/// `hybrid-v1`, Definition A.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// Points, and values.
    pub n: u64,
}

impl Task for Evaluation {
    fn answers(&self) -> u64 {
        self.n
    }

    fn accepted(&self, inputs: &Inputs) -> Result<Accepted, TaskError> {
        let prompt: Vec<u64> = tokens(inputs).collect();
        let place = prompt.last().and_then(|x| usize::try_from(*x).ok());
        Ok(Accepted::One(
            place.and_then(|x| prompt.get(x)).copied().unwrap_or(0),
        ))
    }
}
