//! Relay witnesses: a protocol that leaks one bit past the pinned slots.

use super::cut::spell_slots;
use super::{Code, Violation, check_inputs, check_slots};
use crate::game::flow::{Flow, Relay};
use crate::game::{Game, Inputs, PlayerId, SlotId, run_until};
use std::sync::Arc;

/// Two inputs that differ for one player only, and a path along which the relay protocol carries the difference to a view
/// although all
/// pinned symbols stay constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelayWitness {
    /// Whose input.
    pub of: PlayerId,
    /// Whose view.
    pub view: PlayerId,
    /// Number of rounds played.
    pub after: usize,
    /// The pinned slots.
    pub pinned: Vec<SlotId>,
    /// The path, in schedule order; empty only if both players are the same.
    pub path: Vec<SlotId>,
    /// One input.
    pub left: Inputs,
    /// The other.
    pub right: Inputs,
}

impl RelayWitness {
    /// Checks the path and runs the relay on both inputs.
    ///
    /// # Errors
    /// [`Violation`], in this order: `coverage` (no such slot), `not-constant` (a path slot is pinned), `coverage` (the path
    /// does not carry), `domain`
    /// (an input outside its domain, or a difference elsewhere or nowhere), `view-differs` (the views agree).
    /// # Cost
    /// One pass over the path, two runs.
    pub fn holds(&self, game: &Arc<Game>) -> Result<(), Violation> {
        check_slots(game, &self.pinned, "/pinned")?;
        check_slots(game, &self.path, "/path")?;
        self.check_path(game)?;
        self.check_inputs(game)?;
        self.check_views(game)
    }

    fn check_path(&self, game: &Game) -> Result<(), Violation> {
        if let Some(place) = self.path.iter().position(|id| self.pinned.contains(id)) {
            return Err(Violation::new(
                format!("/path/{place}"),
                Code::NotConstant,
                format!("`{}`, which is pinned", game.name(self.path[place])),
                "a slot that is not pinned",
            ));
        }
        let flow = Flow {
            game,
            of: self.of,
            view: self.view,
            after: self.after,
        };
        let pinned = self.pinned.iter().copied().collect();
        if flow.carries(&self.path, &pinned) {
            return Ok(());
        }
        Err(Violation::new(
            "/path",
            Code::Coverage,
            spell_slots(game, &self.path),
            format!(
                "a path from {} to {} within {} rounds",
                game.player(self.of).label,
                game.player(self.view).label,
                self.after
            ),
        ))
    }

    fn check_inputs(&self, game: &Game) -> Result<(), Violation> {
        check_inputs(game, &self.left, "/left")?;
        check_inputs(game, &self.right, "/right")?;
        let differ = |id: &usize| self.left.0[*id] != self.right.0[*id];
        let found: Vec<usize> = (0..game.players().len()).filter(differ).collect();
        if found == [self.of.0] {
            return Ok(());
        }
        let labels: Vec<&str> = found
            .iter()
            .map(|id| game.players()[*id].label.0.as_str())
            .collect();
        Err(Violation::new(
            "/right",
            Code::Domain,
            format!("a difference at [{}]", labels.join(",")),
            format!("a difference at {} only", game.player(self.of).label),
        ))
    }

    fn check_views(&self, game: &Arc<Game>) -> Result<(), Violation> {
        let relay = Relay::new(game.clone(), self.of, self.path.clone());
        let view = |inputs: &Inputs, at: &str| {
            run_until(game, &relay, inputs, self.after)
                .map(|run| run.views[self.view.0].clone())
                .map_err(|error| Violation::new(at, Code::Replay, error.to_string(), "a legal run"))
        };
        if view(&self.left, "/left")? == view(&self.right, "/right")? {
            return Err(Violation::new(
                "/right",
                Code::ViewDiffers,
                "the same view on both",
                format!("different views of {}", game.player(self.view).label),
            ));
        }
        Ok(())
    }
}
