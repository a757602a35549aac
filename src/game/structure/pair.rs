//! Indistinguishable pairs.

use super::{
    Code, Violation, accepted, check_inputs, final_view, first_difference, replay, spell_accepted,
};
use crate::game::{Game, Inputs, Protocol, SharedMap, Task, View};

/// Two full inputs on which the output player ends with the same view, and that have no accepted answer in common.
///
/// It refutes the protocol at hand whatever its answer function, and says nothing about other protocols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// One input.
    pub left: Inputs,
    /// The other.
    pub right: Inputs,
}

impl Pair {
    /// Checks the definition and returns the common view.
    ///
    /// # Errors
    /// [`Violation`], in this order: `domain`, `replay` (the run is illegal), `view-differs`, `common-answer`.
    /// # Cost
    /// Two runs and two task look-ups.
    pub fn holds(
        &self,
        game: &Game,
        task: &dyn Task,
        protocol: &dyn Protocol,
    ) -> Result<View, Violation> {
        check_inputs(game, &self.left, "/left")?;
        check_inputs(game, &self.right, "/right")?;
        let mut shared = SharedMap::default();
        let left = replay(game, task, protocol, &self.left, &mut shared, "/left")?;
        let right = replay(game, task, protocol, &self.right, &mut shared, "/right")?;
        let view = final_view(game, &left);
        if let Some((found, expected)) = first_difference(game, final_view(game, &right), view) {
            return Err(Violation::new(
                "/right",
                Code::ViewDiffers,
                found,
                format!("{expected} as on the left"),
            ));
        }
        let both =
            accepted(task, &self.left, "/left")?.and(&accepted(task, &self.right, "/right")?);
        if !both.is_empty() {
            return Err(Violation::new(
                "",
                Code::CommonAnswer,
                spell_accepted(&both),
                "no answer accepted on both",
            ));
        }
        Ok(view.clone())
    }
}
