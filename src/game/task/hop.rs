//! k-hop induction heads.

use super::{Accepted, Task, TaskError, tokens};
use crate::game::Inputs;

/// The k-hop value at the last token of the prompt: an earlier token, or `symbols` for "none".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Hops.
    pub k: u64,
    /// Alphabet of the tokens.
    pub symbols: u64,
}

impl Hop {
    /// `find^1` of 1-based position `i`: the greatest j in 2..=i whose predecessor holds the same token, or 0.
    fn find(prompt: &[u64], i: usize) -> usize {
        (2..=i)
            .rev()
            .find(|j| prompt[j - 2] == prompt[i - 1])
            .unwrap_or(0)
    }

    /// The value at the last position.
    pub fn value(&self, prompt: &[u64]) -> u64 {
        let mut at = prompt.len();
        for _ in 0..self.k {
            let next = Self::find(prompt, at);
            if next == at || at == 0 {
                // A fixed point: further hops stay.
                break;
            }
            at = next;
        }
        at.checked_sub(1)
            .map_or(self.symbols, |place| prompt[place])
    }
}

impl Task for Hop {
    fn answers(&self) -> u64 {
        self.symbols + 1
    }

    fn accepted(&self, inputs: &Inputs) -> Result<Accepted, TaskError> {
        Ok(Accepted::One(
            self.value(&tokens(inputs).collect::<Vec<_>>()),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_example() {
        let prompt: Vec<u64> = "baebcabebdea"
            .bytes()
            .map(|c| u64::from(c - b'a'))
            .collect();
        let letter = |k| Hop { k, symbols: 5 }.value(&prompt);
        assert_eq!((letter(0), letter(1), letter(2)), (0, 1, 2));
        assert_eq!(Hop { k: 1, symbols: 2 }.value(&[0]), 2);
        assert_eq!(Hop { k: 1, symbols: 2 }.value(&[0, 0]), 0);
    }
}
