//! 2-Sum over the residues mod M.

use super::{Accepted, Task, TaskError, tokens};
use crate::game::Inputs;

/// At each position: is there an earlier j < i (or j <= i, if reflexive) with `x_i + x_j = 0 mod M`?
///
/// The answer lists the bits of the positions from `first_asked` on, the first one most significant.
///
/// # Source
/// `hybrid-v1`, Definition 2.6 and Theorem A.9. Deviation: M is explicit, and only earlier tokens count (strict j < i).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoSum {
    /// Tokens.
    pub n: u64,
    /// Residues M.
    pub modulus: u64,
    /// First position, from 0, whose bit is asked for.
    pub first_asked: u64,
    /// Count j = i too.
    pub reflexive: bool,
}

impl Task for TwoSum {
    fn answers(&self) -> u64 {
        1 << (self.n - self.first_asked)
    }

    fn accepted(&self, inputs: &Inputs) -> Result<Accepted, TaskError> {
        let x: Vec<u64> = tokens(inputs).collect();
        let hit = |i: usize| {
            let earlier = if self.reflexive { &x[..=i] } else { &x[..i] };
            earlier.iter().any(|other| {
                (u128::from(*other) + u128::from(x[i])) % u128::from(self.modulus) == 0
            })
        };
        let asked = usize::try_from(self.first_asked).unwrap_or(usize::MAX)..x.len();
        Ok(Accepted::One(
            asked.fold(0, |bits, i| bits << 1 | u64::from(hit(i))),
        ))
    }
}
