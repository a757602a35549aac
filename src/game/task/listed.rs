//! Tasks given by an explicit list, one entry per full input.

use super::{Accepted, Task, TaskError};
use crate::game::{Game, Inputs};

/// The accepted answers of every full input, in lexicographic order.
#[derive(Clone, Debug)]
pub struct Listed {
    answers: u64,
    radices: Vec<crate::exact::Domain>,
    values: Vec<Accepted>,
}

impl Listed {
    /// A task from its list; `values` has one entry per full input of `game`.
    pub fn new(game: &Game, answers: u64, values: Vec<Accepted>) -> Self {
        let radices = game
            .players()
            .iter()
            .map(|player| player.domain.clone())
            .collect();
        Self {
            answers,
            radices,
            values,
        }
    }
}

impl Task for Listed {
    fn answers(&self) -> u64 {
        self.answers
    }

    fn accepted(&self, inputs: &Inputs) -> Result<Accepted, TaskError> {
        let index = self
            .radices
            .iter()
            .zip(&inputs.0)
            .try_fold(0u64, |index, (domain, digits)| {
                index
                    .checked_mul(domain.index_size()?)?
                    .checked_add(domain.index(digits)?)
            });
        let found = index
            .and_then(|index| usize::try_from(index).ok())
            .and_then(|index| self.values.get(index));
        found.cloned().ok_or_else(|| TaskError {
            message: "no value is listed".to_owned(),
            at: None,
        })
    }
}
