//! Counterexamples.

use super::{Code, Violation, accepted, check_inputs, replay, spell_accepted};
use crate::game::{Accepted, Answer, Game, Inputs, Protocol, SharedMap, Task};

/// A full input that a given protocol answers wrongly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The input.
    pub input: Inputs,
    /// What the protocol answers there.
    pub answer: Answer,
}

impl Counterexample {
    /// Checks that the protocol gives this answer and the task does not accept it; returns what it accepts.
    ///
    /// # Errors
    /// [`Violation`], in this order: `domain`, `replay` (another answer, none, or an illegal run), `accepted`.
    /// # Cost
    /// One run and one task look-up.
    pub fn holds(
        &self,
        game: &Game,
        task: &dyn Task,
        protocol: &dyn Protocol,
    ) -> Result<Accepted, Violation> {
        check_inputs(game, &self.input, "/input")?;
        let run = replay(
            game,
            task,
            protocol,
            &self.input,
            &mut SharedMap::default(),
            "/input",
        )?;
        if run.answer != Some(self.answer) {
            let said = run
                .answer
                .map_or("a free answer function".to_owned(), |answer| {
                    answer.0.to_string()
                });
            return Err(Violation::new(
                "/answer",
                Code::Replay,
                self.answer.0.to_string(),
                said,
            ));
        }
        let right = accepted(task, &self.input, "/input")?;
        if right.contains(self.answer) {
            return Err(Violation::new(
                "/answer",
                Code::Accepted,
                self.answer.0.to_string(),
                format!("an answer outside {}", spell_accepted(&right)),
            ));
        }
        Ok(right)
    }
}
