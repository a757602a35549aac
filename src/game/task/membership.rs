//! Membership: does the last token occur earlier?

use super::{Accepted, Task, TaskError, tokens};
use crate::game::Inputs;

/// Earlier players hold multisets of values, the output player holds v; answer 1 iff v occurs.
///
/// # Source
/// `hybrid-v1`, Section 5: the last position of 2-Sum is membership of -x mod M.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership;

impl Task for Membership {
    fn answers(&self) -> u64 {
        2
    }

    fn accepted(&self, inputs: &Inputs) -> Result<Accepted, TaskError> {
        let prompt: Vec<u64> = tokens(inputs).collect();
        let occurs = prompt
            .split_last()
            .is_some_and(|(v, earlier)| earlier.contains(v));
        Ok(Accepted::One(u64::from(occurs)))
    }
}
