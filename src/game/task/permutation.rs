//! `PerCom`: compose two permutations.

use super::{Accepted, Task, TaskError, tokens};
use crate::game::Inputs;

/// Permutations sigma, then tau; answer (sigma(tau(0)), .., sigma(tau(n-1))) as one number in base n, or its last entry only.
///
/// # Source
/// `hybrid-v1`, Definition A.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermutationComposition {
    /// Points.
    pub n: u64,
    /// Ask for the last entry only.
    pub last: bool,
}

impl PermutationComposition {
    /// Size n^n, or n, of the answer set when it fits 64 bits.
    pub fn answer_count(&self) -> Option<u64> {
        if self.last {
            Some(self.n)
        } else {
            self.n.checked_pow(u32::try_from(self.n).ok()?)
        }
    }
}

impl Task for PermutationComposition {
    fn answers(&self) -> u64 {
        self.answer_count().unwrap_or(u64::MAX)
    }

    fn accepted(&self, inputs: &Inputs) -> Result<Accepted, TaskError> {
        let prompt: Vec<u64> = tokens(inputs).collect();
        let (sigma, tau) = prompt.split_at(prompt.len() / 2);
        let mut values = tau.iter().map(|t| {
            usize::try_from(*t)
                .ok()
                .and_then(|t| sigma.get(t))
                .copied()
                .unwrap_or(0)
        });
        let answer = if self.last {
            values.next_back().unwrap_or(0)
        } else {
            values.fold(0, |number, value| number * self.n + value)
        };
        Ok(Accepted::One(answer))
    }
}
