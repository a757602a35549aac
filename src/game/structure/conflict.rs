//! Conflicts: more than two inputs that no single answer serves.

use super::{
    Code, Violation, accepted, check_inputs, final_view, first_difference, replay, spell_accepted,
};
use crate::game::{Accepted, Game, Inputs, Protocol, SharedMap, Task, View};

/// At least three full inputs, in input order, on which the output player ends with the same view, and that have no
/// accepted answer in common, although all but any one of them have.
///
/// Three accepted sets may meet pairwise and have no common member, so a relation can fail without an indistinguishable pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The inputs, increasing.
    pub inputs: Vec<Inputs>,
}

impl Conflict {
    /// Checks the definition and returns the common view.
    ///
    /// # Errors
    /// [`Violation`], in this order: `domain`, `bound` (fewer than three), `coverage` (not increasing), `replay`,
    /// `view-differs`, `common-answer`, `bound` (not minimal).
    /// # Cost
    /// One run and one task look-up per input; intersections of all but one, for each one.
    pub fn holds(
        &self,
        game: &Game,
        task: &dyn Task,
        protocol: &dyn Protocol,
    ) -> Result<View, Violation> {
        self.check_shape(game)?;
        let view = self.common_view(game, task, protocol)?;
        let sets = self
            .inputs
            .iter()
            .enumerate()
            .map(|(place, inputs)| accepted(task, inputs, &format!("/inputs/{place}")))
            .collect::<Result<Vec<_>, _>>()?;
        let all = common(&sets, None);
        if !all.is_empty() {
            return Err(Violation::new(
                "/inputs",
                Code::CommonAnswer,
                spell_accepted(&all),
                "no answer accepted on all",
            ));
        }
        match (0..sets.len()).find(|place| common(&sets, Some(*place)).is_empty()) {
            None => Ok(view),
            Some(place) => Err(Violation::new(
                format!("/inputs/{place}"),
                Code::Bound,
                "an input that the others do not need",
                "a common answer of the others",
            )),
        }
    }

    fn check_shape(&self, game: &Game) -> Result<(), Violation> {
        for (place, inputs) in self.inputs.iter().enumerate() {
            check_inputs(game, inputs, &format!("/inputs/{place}"))?;
        }
        if self.inputs.len() < 3 {
            return Err(Violation::new(
                "/inputs",
                Code::Bound,
                format!("{} inputs", self.inputs.len()),
                "at least 3",
            ));
        }
        match self.inputs.windows(2).position(|two| two[0] >= two[1]) {
            None => Ok(()),
            Some(place) => Err(Violation::new(
                format!("/inputs/{}", place + 1),
                Code::Coverage,
                "an input that is not after the one before",
                "inputs in increasing order",
            )),
        }
    }

    fn common_view(
        &self,
        game: &Game,
        task: &dyn Task,
        protocol: &dyn Protocol,
    ) -> Result<View, Violation> {
        let mut first: Option<View> = None;
        let mut shared = SharedMap::default();
        for (place, inputs) in self.inputs.iter().enumerate() {
            let at = format!("/inputs/{place}");
            let run = replay(game, task, protocol, inputs, &mut shared, &at)?;
            let view = final_view(game, &run);
            let expected = first.get_or_insert_with(|| view.clone());
            if let Some((found, expected)) = first_difference(game, view, expected) {
                return Err(Violation::new(at, Code::ViewDiffers, found, expected));
            }
        }
        first.ok_or_else(|| Violation::new("/inputs", Code::Bound, "no input", "at least 3"))
    }
}

/// Answers accepted everywhere, with one place left out if asked.
pub(super) fn common(sets: &[Accepted], without: Option<usize>) -> Accepted {
    sets.iter()
        .enumerate()
        .filter(|(place, _)| Some(*place) != without)
        .fold(Accepted::All, |both, (_, set)| both.and(set))
}
