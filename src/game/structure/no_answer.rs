//! An input on which the task accepts nothing.

use super::{Code, Violation, accepted};
use crate::game::{Game, Inputs, Task};

/// A full input without an accepted answer: whatever is said, the answer there is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAnswer {
    /// The input.
    pub input: Inputs,
}

impl NoAnswer {
    /// Checks that no answer is accepted.
    ///
    /// # Errors
    /// [`Violation`]: `domain`, `replay` when the task is undefined there, `accepted`.
    /// # Cost
    /// One task look-up.
    pub fn holds(&self, game: &Game, task: &dyn Task) -> Result<(), Violation> {
        if let Err(error) = self.input.check(game) {
            let expected = "an input of the game";
            return Err(Violation::new(
                "/input",
                Code::Domain,
                error.to_string(),
                expected,
            ));
        }
        let right = accepted(task, &self.input, "/input")?;
        match right.least() {
            None => Ok(()),
            Some(least) => Err(Violation::new(
                "/input",
                Code::Accepted,
                format!("answer {} is accepted", least.0),
                "no accepted answer",
            )),
        }
    }
}
