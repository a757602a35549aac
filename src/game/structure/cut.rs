//! Cuts: pinned slots that make a view independent of an input.

use super::{Code, Violation, check_slots};
use crate::game::flow::Flow;
use crate::game::{Game, PlayerId, SlotId};
use itertools::Itertools;

/// With these slots held constant, the view of one player after some rounds does not depend on the input of another, for
/// any protocol. (Exactly: on product sets of inputs on which the pinned symbols do not depend on it.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Whose input.
    pub of: PlayerId,
    /// Whose view.
    pub view: PlayerId,
    /// Number of rounds played.
    pub after: usize,
    /// The pinned slots.
    pub pinned: Vec<SlotId>,
}

impl Cut {
    /// Checks that no path is left.
    ///
    /// # Errors
    /// [`Violation`]: `coverage` (no such slot), `not-constant` (the view is reached).
    /// # Cost
    /// One pass over the slots of those rounds.
    pub fn holds(&self, game: &Game) -> Result<(), Violation> {
        check_slots(game, &self.pinned, "/pinned")?;
        let flow = Flow {
            game,
            of: self.of,
            view: self.view,
            after: self.after,
        };
        match flow.leak(&self.pinned.iter().copied().collect()) {
            None => Ok(()),
            Some(path) => Err(Violation::new(
                "",
                Code::NotConstant,
                format!("a path: {}", spell_slots(game, &path)),
                format!(
                    "no path from {} to {}",
                    game.player(self.of).label,
                    game.player(self.view).label
                ),
            )),
        }
    }
}

/// Names of slots as in messages.
pub(super) fn spell_slots(game: &Game, slots: &[SlotId]) -> String {
    if slots.is_empty() {
        return "the player itself".to_owned();
    }
    slots
        .iter()
        .map(|id| format!("`{}`", game.name(*id)))
        .join(", ")
}
