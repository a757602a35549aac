//! Pointer chasing: follow permutations, read a label.

use super::{Accepted, Task, TaskError};
use crate::game::Inputs;

/// `label(pi_(k-1)(.. pi_2(start)))`; players hold the labelling, the permutations, the start, in this order, then the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer;

impl Task for Pointer {
    fn answers(&self) -> u64 {
        2
    }

    fn accepted(&self, inputs: &Inputs) -> Result<Accepted, TaskError> {
        // Without the board: P(k), .., P2, P1.
        let holders = &inputs.0[..inputs.0.len() - 1];
        let point =
            holders
                .iter()
                .rev()
                .skip(1)
                .fold(holders[holders.len() - 1][0], |point, table| {
                    usize::try_from(point)
                        .ok()
                        .and_then(|point| table.get(point))
                        .copied()
                        .unwrap_or(0)
                });
        Ok(Accepted::One(point))
    }
}
