//! Correctness by enumeration: the replay of one protocol on all inputs, with its records.

use super::conflict::common;
use super::{
    Code, Conflict, Counterexample, Failure, Pair, Violation, accepted, final_view, full_inputs,
    replay,
};
use crate::game::{Accepted, Answer, Game, Inputs, Protocol, Run, SharedMap, Task, View};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// A protocol that is right on every full input: with an answer function, each answer is accepted; with a free one, all inputs
/// with one
/// final view of the output player have an accepted answer in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorrectOnAll {
    /// Number of full inputs.
    pub total: BigUint,
    /// Number of distinct final views of the output player.
    pub views: BigUint,
}

/// What is recorded of one full input (search name `correct-v1`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The symbols of all slots of at least two symbols, in schedule order.
    pub symbols: Vec<u64>,
    /// The answer; `None` when the answer function is free.
    pub answer: Option<Answer>,
}

/// What the replay found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Right everywhere, with the recomputed numbers.
    Correct(CorrectOnAll),
    /// Wrong, at the first input that shows it.
    Wrong(Wrong),
}

/// Evidence that a protocol is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A wrong answer.
    Counterexample(Counterexample),
    /// Two inputs that no answer function serves.
    Pair(Pair),
    /// More than two such inputs.
    Conflict(Conflict),
}

impl CorrectOnAll {
    /// Replays the protocol and compares the stored numbers; `visit` gets the record of every input, in input order.
    ///
    /// # Errors
    /// [`Violation`]: `replay` (illegal run, task undefined), `accepted` (a wrong answer), `common-answer` (free answer
    /// function), then `arithmetic`.
    /// [`super::TooLarge`] when the full inputs exceed the limit.
    /// # Cost
    /// As [`replay_all`].
    pub fn holds(
        &self,
        game: &Game,
        task: &dyn Task,
        protocol: &dyn Protocol,
        limit: &BigUint,
        visit: &mut dyn FnMut(&Item),
    ) -> Result<(), Failure> {
        let found = match replay_all(game, task, protocol, limit, visit)? {
            Outcome::Correct(found) => found,
            Outcome::Wrong(wrong) => return Err(wrong.violation().into()),
        };
        let numbers = [
            ("/total", &self.total, &found.total),
            ("/summary/views", &self.views, &found.views),
        ];
        match numbers
            .into_iter()
            .find(|(_, stored, right)| stored != right)
        {
            None => Ok(()),
            Some((at, stored, right)) => {
                let (found, expected) = (stored.to_string(), right.to_string());
                Err(Violation::new(at, Code::Arithmetic, found, expected).into())
            }
        }
    }
}

impl Wrong {
    /// The violation that a claim of correctness meets.
    pub fn violation(&self) -> Violation {
        let inputs =
            |list: &[&Inputs]| format!("{:?}", list.iter().map(|x| &x.0).collect::<Vec<_>>());
        match self {
            Self::Counterexample(Counterexample { input, answer }) => Violation::new(
                "",
                Code::Accepted,
                format!("answer {} on {:?}", answer.0, input.0),
                "an accepted answer",
            ),
            Self::Pair(Pair { left, right }) => Violation::new(
                "",
                Code::CommonAnswer,
                format!("one view on {}", inputs(&[left, right])),
                "a common accepted answer",
            ),
            Self::Conflict(conflict) => Violation::new(
                "",
                Code::CommonAnswer,
                format!(
                    "one view on {}",
                    inputs(&conflict.inputs.iter().collect::<Vec<_>>())
                ),
                "a common accepted answer",
            ),
        }
    }
}

/// Runs the protocol on all inputs in order; stops at the first wrong answer, or at the first input that leaves no common
/// answer for its
/// final view.
///
/// # Errors
/// [`Violation`] `replay` when a run is illegal or the task undefined; [`super::TooLarge`] when the full inputs exceed the limit.
/// # Cost
/// One run and one task look-up per full input, twice if the second way of being wrong occurs; memory for every distinct final
/// view.
pub fn replay_all(
    game: &Game,
    task: &dyn Task,
    protocol: &dyn Protocol,
    limit: &BigUint,
    visit: &mut dyn FnMut(&Item),
) -> Result<Outcome, Failure> {
    let total = full_inputs(game, limit)?;
    let mut common_answers: BTreeMap<View, Accepted> = BTreeMap::new();
    let mut shared = SharedMap::default();
    for inputs in Inputs::all(game) {
        let run = replay(game, task, protocol, &inputs, &mut shared, "")?;
        let right = accepted(task, &inputs, "")?;
        visit(&item(game, &run));
        if let Some(answer) = run.answer.filter(|answer| !right.contains(*answer)) {
            let input = inputs;
            return Ok(Outcome::Wrong(Wrong::Counterexample(Counterexample {
                input,
                answer,
            })));
        }
        let view = final_view(game, &run);
        let left = match common_answers.get_mut(view) {
            Some(left) => left,
            None => common_answers.entry(view.clone()).or_insert(Accepted::All),
        };
        *left = left.and(&right);
        if run.answer.is_none() && left.is_empty() {
            let found = explain(game, task, protocol, view, &inputs)?;
            return Ok(Outcome::Wrong(found));
        }
    }
    let views = common_answers.len().into();
    Ok(Outcome::Correct(CorrectOnAll { total, views }))
}

fn item(game: &Game, run: &Run) -> Item {
    let open = run.transcript.iter().filter(|(id, _)| game.is_open(*id));
    Item {
        symbols: open.map(|(_, symbol)| symbol.0).collect(),
        answer: run.answer,
    }
}

/// The inputs up to `last` with this view have no common answer: a pair with `last` if there is one (the least partner), else
/// a minimal
/// conflict.
fn explain(
    game: &Game,
    task: &dyn Task,
    protocol: &dyn Protocol,
    view: &View,
    last: &Inputs,
) -> Result<Wrong, Violation> {
    let (mut inputs, mut sets) = (Vec::new(), Vec::new());
    let mut shared = SharedMap::default();
    for candidate in Inputs::all(game).take_while(|candidate| candidate <= last) {
        let run = replay(game, task, protocol, &candidate, &mut shared, "")?;
        if final_view(game, &run) == view {
            let right = accepted(task, &candidate, "")?;
            // The first input with an accepted set speaks for the later ones.
            if !sets.contains(&right) {
                sets.push(right);
                inputs.push(candidate);
            }
        }
    }
    let against_last = sets.last().cloned().unwrap_or(Accepted::All);
    if let Some(partner) = sets
        .iter()
        .position(|set| set.and(&against_last).is_empty())
    {
        return Ok(Wrong::Pair(Pair {
            left: inputs.swap_remove(partner),
            right: last.clone(),
        }));
    }
    let kept = minimal_conflict(&sets);
    let inputs = kept
        .into_iter()
        .map(|place| inputs[place].clone())
        .collect();
    Ok(Wrong::Conflict(Conflict { inputs }))
}

/// Places of an inclusion-minimal part of accepted sets that have no common member: each place in turn is dropped if the rest still
/// has none.
///
/// # Cost
/// The square of the number of sets.
pub fn minimal_conflict(sets: &[Accepted]) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..sets.len()).collect();
    for place in 0..sets.len() {
        let rest: Vec<usize> = kept
            .iter()
            .copied()
            .filter(|other| *other != place)
            .collect();
        let left: Vec<Accepted> = rest.iter().map(|other| sets[*other].clone()).collect();
        if common(&left, None).is_empty() {
            kept = rest;
        }
    }
    kept
}
