//! Classes of one-way inputs: a lower bound on the number of symbols.

use super::separation::Rows;
use super::{Code, Failure, Separator, Violation, accepted, check_element, within};
use crate::exact::Digits;
use crate::game::{Game, Inputs, PlayerId, Rule, SlotId, Task};
use num_bigint::BigUint;

/// Inputs of the speaker of a one-way game that are pairwise separated by inputs of the listener: at least as many symbols are
/// needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// Inputs of the speaker.
    pub members: Vec<Digits>,
    /// Inputs of the listener.
    pub tests: Vec<Digits>,
    /// For tasks with more than one accepted answer: a test per pair of members, pairs in lexicographic order.
    pub separators: Option<Vec<Separator>>,
}

/// Who speaks and who listens in a one-way game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneWay {
    /// The speaker.
    pub speaker: PlayerId,
    /// The listener, who answers.
    pub listener: PlayerId,
    /// The only slot.
    pub slot: SlotId,
}

impl OneWay {
    /// The roles, when the game has two players and one slot, chosen by one of them without looking at the other, who answers.
    pub fn of(game: &Game) -> Option<Self> {
        let [slot] = game.slots() else {
            return None;
        };
        let one_way = game.players().len() == 2
            && slot.from != slot.to
            && slot.consults.is_empty()
            && slot.to == game.output()
            && matches!(slot.rule, Rule::Chosen(_));
        one_way.then_some(Self {
            speaker: slot.from,
            listener: slot.to,
            slot: SlotId(0),
        })
    }

    /// The full input with these two elements.
    pub fn inputs(&self, speaker: &Digits, listener: &Digits) -> Inputs {
        let mut elements = vec![speaker.clone(); 2];
        elements[self.listener.0].clone_from(listener);
        Inputs(elements)
    }
}

impl Classes {
    /// Checks that the members are pairwise separated, and returns how many there are: every protocol needs as many symbols.
    ///
    /// # Errors
    /// [`Violation`], in this order: `kind-mismatch` (not a one-way game), `domain`, `coverage` (separators), `not-separated`.
    /// [`super::TooLarge`] when members times tests exceed the limit.
    /// # Cost
    /// Members times tests task look-ups, sorted; a look-up per pair with separators.
    pub fn holds(&self, game: &Game, task: &dyn Task, limit: &BigUint) -> Result<BigUint, Failure> {
        let roles = OneWay::of(game).ok_or_else(|| not_one_way(game))?;
        for (place, member) in self.members.iter().enumerate() {
            check_element(game, roles.speaker, member, format!("/members/{place}"))?;
        }
        for (place, test) in self.tests.iter().enumerate() {
            check_element(game, roles.listener, test, format!("/tests/{place}"))?;
        }
        let work = BigUint::from(self.members.len()) * self.tests.len();
        within("members times tests", Ok(work), limit)?;
        let mut rows = Vec::with_capacity(self.members.len());
        for (place, member) in self.members.iter().enumerate() {
            let at = format!("/members/{place}");
            let cell = |test| accepted(task, &roles.inputs(member, test), &at);
            rows.push(self.tests.iter().map(cell).collect::<Result<_, _>>()?);
        }
        let answers = task.answers();
        Rows { answers, rows }.check(self.separators.as_deref())?;
        Ok(self.members.len().into())
    }
}

fn not_one_way(game: &Game) -> Violation {
    Violation::new(
        "",
        Code::KindMismatch,
        format!(
            "a game of {} players and {} slots",
            game.players().len(),
            game.slots().len()
        ),
        "a one-way game: two players, one slot, the listener answers",
    )
}
