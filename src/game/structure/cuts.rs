//! Complete lists of minimal cuts.

use super::cut::spell_slots;
use super::{Code, Failure, TooLarge, Violation, check_slots};
use crate::game::flow::Flow;
use crate::game::{Game, PlayerId, Rule, SlotId};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// All inclusion-minimal sets of chosen slots that cut the view of one player off from the input of another, shorter first, then in
/// slot order. Empty when nothing leaks in the first place, or when copies alone carry the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuts {
    /// Whose input.
    pub of: PlayerId,
    /// Whose view.
    pub view: PlayerId,
    /// Number of rounds played.
    pub after: usize,
    /// The cuts.
    pub cuts: Vec<Vec<SlotId>>,
    /// The cuts that the statement names.
    pub equals: Vec<Vec<SlotId>>,
}

impl Cuts {
    /// Checks that the list is right and complete; true when it is what the statement says, as sets.
    ///
    /// # Errors
    /// [`Violation`], in this order, each over the whole list: `coverage` (no such slot, a copy, or an empty cut), `not-constant`
    /// (not a cut), `bound` (not minimal), `coverage` (not sorted, or a cut twice), `coverage` (a cut is missing).
    /// [`TooLarge`] when the product of the sizes of the cuts exceeds the limit.
    /// # Cost
    /// That product, and one per member of a cut, each one pass over the schedule.
    pub fn holds(&self, game: &Game, limit: &BigUint) -> Result<bool, Failure> {
        let flow = Flow {
            game,
            of: self.of,
            view: self.view,
            after: self.after,
        };
        for (place, cut) in self.cuts.iter().enumerate() {
            let at = format!("/cuts/{place}");
            check_slots(game, cut, &at)?;
            if let Some(copy) = cut
                .iter()
                .position(|id| !matches!(game.slot(*id).rule, Rule::Chosen(_)))
            {
                let found = format!("`{}`, which is a copy", game.name(cut[copy]));
                return Err(Violation::new(
                    format!("{at}/{copy}"),
                    Code::Coverage,
                    found,
                    "a chosen slot",
                )
                .into());
            }
            if cut.is_empty() {
                return Err(Violation::new(at, Code::Coverage, "no slot", "at least one").into());
            }
        }
        for (place, cut) in self.cuts.iter().enumerate() {
            check_cuts(&flow, cut, place)?;
        }
        for (place, cut) in self.cuts.iter().enumerate() {
            check_minimal(&flow, cut, place)?;
        }
        self.check_order()?;
        self.check_complete(&flow, limit)?;
        Ok(as_set(&self.cuts) == as_set(&self.equals))
    }

    fn check_order(&self) -> Result<(), Violation> {
        let increasing = |cut: &Vec<SlotId>| cut.windows(2).all(|two| two[0] < two[1]);
        let unsorted = |place: &usize| {
            let cut = &self.cuts[*place];
            let after_previous = place.checked_sub(1).is_none_or(|before| {
                let previous = &self.cuts[before];
                (previous.len(), previous) < (cut.len(), cut)
            });
            !increasing(cut) || !after_previous
        };
        match (0..self.cuts.len()).find(unsorted) {
            None => Ok(()),
            Some(place) => Err(Violation::new(
                format!("/cuts/{place}"),
                Code::Coverage,
                "a cut out of order",
                "shorter first, then in slot order, each once",
            )),
        }
    }

    fn check_complete(&self, flow: &Flow<'_>, limit: &BigUint) -> Result<(), Failure> {
        let choices: BigUint = self
            .cuts
            .iter()
            .map(|cut| BigUint::from(cut.len()))
            .product();
        let too_large = || TooLarge {
            what: "choices of one slot from each cut".to_owned(),
            size: Ok(choices.clone()),
            limit: limit.clone(),
        };
        if choices > *limit {
            return Err(too_large().into());
        }
        let allowed = limit.to_usize().unwrap_or(usize::MAX);
        match flow.all_cuts_listed(&self.cuts, allowed) {
            Some(true) => Ok(()),
            Some(false) => Err(Violation::new(
                "/cuts",
                Code::Coverage,
                format!("{} cuts", self.cuts.len()),
                "every minimal cut",
            )
            .into()),
            None => Err(too_large().into()),
        }
    }
}

fn check_cuts(flow: &Flow<'_>, cut: &[SlotId], place: usize) -> Result<(), Violation> {
    match flow.leak(&cut.iter().copied().collect()) {
        None => Ok(()),
        Some(path) => Err(Violation::new(
            format!("/cuts/{place}"),
            Code::NotConstant,
            format!("a path: {}", spell_slots(flow.game, &path)),
            "a cut",
        )),
    }
}

fn check_minimal(flow: &Flow<'_>, cut: &[SlotId], place: usize) -> Result<(), Violation> {
    let needless = |member: &SlotId| {
        let others: BTreeSet<SlotId> = cut
            .iter()
            .copied()
            .filter(|other| other != member)
            .collect();
        flow.leak(&others).is_none()
    };
    match cut.iter().position(needless) {
        None => Ok(()),
        Some(member) => Err(Violation::new(
            format!("/cuts/{place}/{member}"),
            Code::Bound,
            format!(
                "`{}`, which the cut does not need",
                flow.game.name(cut[member])
            ),
            "a minimal cut",
        )),
    }
}

fn as_set(cuts: &[Vec<SlotId>]) -> BTreeSet<BTreeSet<SlotId>> {
    cuts.iter()
        .map(|cut| cut.iter().copied().collect())
        .collect()
}
