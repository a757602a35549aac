//! Sequential function composition.

use super::{Accepted, Task, TaskError};
use crate::game::Inputs;

/// `i_1 = z_1[z_0]`, `i_(l+1) = z_(l+1)[w_l m_l + i_l]`, answer `i_L`, on the players L, .., 1, 0, -1.
///
/// # Source
/// `hybrid-v1`, Definition of L-step composition, eq. (7). Deviation: 0-based; the address `w m + i` is our choice of the
/// bijection, which the paper leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    /// L.
    pub steps: u64,
    /// D0.
    pub start: u64,
    /// `m_1..m_L`.
    pub ranges: Vec<u64>,
    /// `n_1..n_(L-1)`.
    pub queries: Vec<u64>,
}

impl Composition {
    /// The values `i_1..i_L` on a full input.
    pub fn chain(&self, inputs: &Inputs) -> Vec<u64> {
        let steps = self.ranges.len();
        let (z, w) = (|l: usize| &inputs.0[steps - l], &inputs.0[steps + 1]);
        let mut value = inputs.0[steps][0];
        (1..=steps)
            .map(|l| {
                let address = if l == 1 {
                    value
                } else {
                    w[l - 2] * self.ranges[l - 2] + value
                };
                value = usize::try_from(address).map_or(0, |address| z(l)[address]);
                value
            })
            .collect()
    }
}

impl Task for Composition {
    fn answers(&self) -> u64 {
        self.ranges.last().copied().unwrap_or(1)
    }

    fn accepted(&self, inputs: &Inputs) -> Result<Accepted, TaskError> {
        Ok(Accepted::One(
            self.chain(inputs).last().copied().unwrap_or(0),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_example_answers_nine() {
        let task = Composition {
            steps: 3,
            start: 3,
            ranges: vec![3, 6, 12],
            queries: vec![2, 2],
        };
        let mut z = [vec![0; 12], vec![0; 6], vec![0; 3]];
        z[2][1] = 2;
        z[1][5] = 4;
        z[0][4] = 8;
        let [z3, z2, z1] = z;
        let inputs = Inputs(vec![z3, z2, z1, vec![1], vec![1, 0]]);
        // Display is 1-based: 3, 5, 9.
        assert_eq!(task.chain(&inputs), [2, 4, 8]);
        assert_eq!(task.accepted(&inputs), Ok(Accepted::One(8)));
    }
}
