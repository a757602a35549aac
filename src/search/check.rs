//! Is this protocol right? All inputs, in parallel, with the fast evaluator; the naive one is its oracle.

use crate::game::structure::correct::minimal_conflict;
use crate::game::structure::{
    Code, Conflict, Counterexample, Failure, Pair, Violation, inputs_of, within,
};
use crate::game::{
    Accepted, Answer, Game, IllegalRun, Inputs, PlayerId, Protocol, SharedMap, Task, run,
};
use crate::search::evaluator::{Evaluator, Program};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Inputs per unit of work of the naive evaluator.
const RANGE: usize = 1 << 10;
/// Inputs per unit of work of the fast one.
const FAST_RANGE: usize = 1 << 15;
/// Ranges between two looks at progress and results; a constant, so that nothing depends on the number of threads.
const RANGES_PER_WAVE: usize = 32;

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Right on every full input.
    Correct {
        /// Number of full inputs.
        inputs: u64,
        /// Number of distinct final views of the output player.
        views: u64,
    },
    /// The first input, in order, with a wrong answer.
    Counterexample(Counterexample),
    /// The answer function is free: of all indistinguishable pairs (left not after right) the one with the least right input,
    /// then the least left one.
    /// Left and right are the same input only if the task accepts nothing there.
    Pair(Pair),
    /// The answer function is free, no pair exists, but these inputs leave no common answer.
    Conflict(Conflict),
    /// Stopped on request; nothing wrong was found in the first inputs.
    Stopped {
        /// Inputs that were covered, from the first on.
        covered: u64,
        /// Number of full inputs.
        total: u64,
    },
}

/// How a long check talks to its caller.
pub struct Control<'a> {
    /// Called now and then with (covered, total).
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Ends the check when set.
    pub stop: &'a AtomicBool,
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

/// A final view: the input index of the output player's digits is not needed, the digits and symbols themselves are the key.
type Key = Box<[u64]>;
/// The distinct accepted sets met with one final view, each with the first input that has it.
type Group = Vec<(Accepted, u64)>;

/// What one range of inputs yields.
#[derive(Default)]
struct Found {
    groups: BTreeMap<Key, Group>,
    counterexample: Option<Counterexample>,
    free: bool,
    shared: SharedMap,
    error: Option<(u64, Violation)>,
}

/// Checks a protocol on all inputs.
///
/// # Errors
/// `TooLarge` over the limit, with the exact number; `replay` at the first input, in order, that is no legal run.
/// # Cost
/// One message per distinct sight and thread; one task look-up, and a few table look-ups for the slots that depend on the
/// last player, per full input; memory for every distinct final view.
pub fn check(
    game: &Game,
    task: &(dyn Task + Sync),
    protocol: &(dyn Protocol + Sync),
    limit: &BigUint,
    control: &Control<'_>,
) -> Result<Checked, Failure> {
    let Some(program) = Program::new(game) else {
        return check_naive(game, task, protocol, limit, control);
    };
    let threads = rayon::current_num_threads().max(1);
    let evaluators: Vec<Mutex<Worker<'_>>> = (0..threads)
        .map(|_| Mutex::new(Worker::new(Evaluator::new(&program, protocol))))
        .collect();
    let walk = |at: u64, first: Inputs| {
        let thread = rayon::current_thread_index().unwrap_or(0) % threads;
        let mut worker = evaluators[thread]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        worker.range(task, at, first)
    };
    waves(game, limit, control, FAST_RANGE, &walk)
}

/// As [`check`], with one naive run per full input.
///
/// # Errors
/// As [`check`].
/// # Cost
/// One run and one task look-up per full input; memory for every distinct final view.
pub fn check_naive(
    game: &Game,
    task: &(dyn Task + Sync),
    protocol: &(dyn Protocol + Sync),
    limit: &BigUint,
    control: &Control<'_>,
) -> Result<Checked, Failure> {
    let walk = |at: u64, first: Inputs| range(game, task, protocol, at, first);
    waves(game, limit, control, RANGE, &walk)
}

/// Looks at ranges of inputs, wave by wave, and joins what they yield in input order.
fn waves(
    game: &Game,
    limit: &BigUint,
    control: &Control<'_>,
    size: usize,
    walk: &(dyn Fn(u64, Inputs) -> Found + Sync),
) -> Result<Checked, Failure> {
    let everyone = (0..game.players().len()).map(PlayerId);
    let total = within("full inputs", inputs_of(game, everyone), limit)?;
    let total = total.to_u64().unwrap_or(u64::MAX);
    let mut groups = BTreeMap::new();
    let mut free = false;
    let mut shared = SharedMap::default();
    let mut next = Some(Inputs::first(game));
    let mut covered = 0;
    while covered < total {
        (control.progress)(covered, total);
        let wave = starts(game, &mut next, covered, size, total);
        let found: Option<Vec<Found>> = wave
            .into_par_iter()
            .map(|(at, first)| (!control.stop.load(Ordering::Relaxed)).then(|| walk(at, first)))
            .collect();
        let Some(found) = found else {
            return Ok(Checked::Stopped { covered, total });
        };
        for part in found {
            free |= part.free;
            shared
                .join(game, part.shared)
                .map_err(|error| illegal(error.to_string()))?;
            // A pair inside the finished part counts before a later error or counterexample.
            let pair = merge(&mut groups, part.groups);
            if let Some((left, right)) = pair.filter(|_| free) {
                let (left, right) = (input_at(game, left), input_at(game, right));
                return Ok(Checked::Pair(Pair { left, right }));
            }
            if let Some(found) = part.counterexample {
                return Ok(Checked::Counterexample(found));
            }
            if let Some((_, error)) = part.error {
                return Err(error.into());
            }
        }
        let wave_size = (size * RANGES_PER_WAVE) as u64;
        covered = covered.saturating_add(wave_size).min(total);
    }
    (control.progress)(total, total);
    if let Some(conflict) = free.then(|| first_conflict(game, &groups)).flatten() {
        return Ok(Checked::Conflict(conflict));
    }
    Ok(Checked::Correct {
        inputs: total,
        views: groups.len() as u64,
    })
}

/// The first inputs of the next ranges, with their indices.
fn starts(
    game: &Game,
    next: &mut Option<Inputs>,
    mut at: u64,
    size: usize,
    total: u64,
) -> Vec<(u64, Inputs)> {
    let mut found = Vec::with_capacity(RANGES_PER_WAVE);
    while found.len() < RANGES_PER_WAVE {
        let Some(inputs) = next.take() else {
            break;
        };
        found.push((at, inputs));
        at += size as u64;
        *next = (at < total).then(|| input_at(game, at));
    }
    found
}

/// An evaluator, and which final views of the range at hand it has met.
struct Worker<'a> {
    evaluator: Evaluator<'a>,
    /// By view number: the range it was last met in, and its place among the groups.
    met: Vec<(u64, usize)>,
    range: u64,
}

/// The groups of a range, with one full view for each.
type Groups = Vec<(Key, Option<Answer>, Group)>;

impl<'a> Worker<'a> {
    fn new(evaluator: Evaluator<'a>) -> Self {
        Self {
            evaluator,
            met: Vec::new(),
            range: 0,
        }
    }

    /// As the naive [`range`], with the same results.
    fn range(&mut self, task: &dyn Task, at: u64, first: Inputs) -> Found {
        self.range += 1;
        let mut found = Found::default();
        let mut groups: Groups = Vec::new();
        let illegal =
            |error: &IllegalRun, inputs: &Inputs| illegal(format!("{error} on {:?}", inputs.0));
        let mut step = self.evaluator.go_to(first).map(|_| true);
        for index in (at..).take(FAST_RANGE) {
            let outcome = match &step {
                Err(error) => Err(illegal(error, self.evaluator.inputs())),
                Ok(_) => self.one(task, index, &mut groups, &mut found),
            };
            match outcome {
                Err(error) => {
                    found.error = Some((index, error));
                    break;
                }
                Ok(true) => {}
                Ok(false) => break,
            }
            step = self.evaluator.advance();
            if matches!(step, Ok(false)) {
                break;
            }
        }
        found.groups = groups
            .into_iter()
            .map(|(key, _, group)| (key, group))
            .collect();
        found
    }

    /// Looks at one full input; false when its answer is wrong.
    fn one(
        &mut self,
        task: &dyn Task,
        index: u64,
        groups: &mut Groups,
        found: &mut Found,
    ) -> Result<bool, Violation> {
        let evaluator = &self.evaluator;
        let fail = |error: String| illegal(format!("{error} on {:?}", evaluator.inputs().0));
        let view = usize::try_from(evaluator.view()).unwrap_or(usize::MAX);
        if self.met.len() <= view {
            self.met.resize(view + 1, (0, 0));
        }
        let known = (self.met[view].0 == self.range).then_some(self.met[view].1);
        // The answer is looked at before the task, as in a naive run.
        let place = if let Some(place) = known {
            place
        } else {
            let answer = evaluator
                .answer()
                .map_err(|error| fail(error.to_string()))?;
            groups.push((evaluator.key(), answer, Group::new()));
            self.met[view] = (self.range, groups.len() - 1);
            groups.len() - 1
        };
        let right = task
            .accepted(evaluator.inputs())
            .map_err(|error| fail(error.to_string()))?;
        let (_, answer, group) = &mut groups[place];
        match *answer {
            Some(answer) if answer.0 >= task.answers() => {
                return Err(fail(format!("answer {} of {}", answer.0, task.answers())));
            }
            Some(answer) => {
                if group.is_empty() {
                    group.push((Accepted::All, index));
                }
                if !right.contains(answer) {
                    found.counterexample = Some(Counterexample {
                        input: evaluator.inputs().clone(),
                        answer,
                    });
                    return Ok(false);
                }
            }
            None => {
                found.free = true;
                if group.iter().all(|(known, _)| *known != right) {
                    group.push((right, index));
                }
            }
        }
        Ok(true)
    }
}

/// Runs one range; stops at its first counterexample or error.
fn range(
    game: &Game,
    task: &dyn Task,
    protocol: &dyn Protocol,
    at: u64,
    mut inputs: Inputs,
) -> Found {
    let mut found = Found::default();
    for index in (at..).take(RANGE) {
        match one(game, task, protocol, &mut found.shared, &inputs) {
            Err(error) => {
                found.error = Some((index, error));
                return found;
            }
            Ok((_, right, Some(answer))) if !right.contains(answer) => {
                found.counterexample = Some(Counterexample {
                    input: inputs,
                    answer,
                });
                return found;
            }
            Ok((key, right, answer)) => {
                // With an answer function only the number of views matters.
                let right = if answer.is_none() {
                    right
                } else {
                    Accepted::All
                };
                found.free |= answer.is_none();
                let group = found.groups.entry(key).or_default();
                if group.iter().all(|(known, _)| *known != right) {
                    group.push((right, index));
                }
            }
        }
        if !inputs.advance(game) {
            break;
        }
    }
    found
}

fn illegal(found: String) -> Violation {
    Violation::new("", Code::Replay, found, "a legal run")
}

fn one(
    game: &Game,
    task: &dyn Task,
    protocol: &dyn Protocol,
    shared: &mut SharedMap,
    inputs: &Inputs,
) -> Result<(Key, Accepted, Option<Answer>), Violation> {
    let illegal = |found: String| illegal(format!("{found} on {:?}", inputs.0));
    let run = run(game, protocol, inputs)
        .and_then(|run| shared.add(game, inputs, &run.transcript).map(|()| run))
        .map_err(|error| illegal(error.to_string()))?;
    let right = task
        .accepted(inputs)
        .map_err(|error| illegal(error.to_string()))?;
    if let Some(answer) = run.answer.filter(|answer| answer.0 >= task.answers()) {
        return Err(illegal(format!(
            "answer {} of {}",
            answer.0,
            task.answers()
        )));
    }
    let view = &run.views[game.output().0];
    let symbols = view.stored.iter().map(|(_, symbol)| symbol.0);
    let key = view.input.iter().copied().chain(symbols).collect();
    Ok((key, right, run.answer))
}

/// Adds the groups of a later range; the pair with the least right, then the least left input, if the new range completes one.
fn merge(groups: &mut BTreeMap<Key, Group>, later: BTreeMap<Key, Group>) -> Option<(u64, u64)> {
    let mut best: Option<(u64, u64)> = None;
    for (key, found) in later {
        let group = groups.entry(key).or_default();
        for (right, index) in found {
            if group.iter().any(|(known, _)| *known == right) {
                continue;
            }
            group.push((right, index));
            let (right, index) = &group[group.len() - 1];
            // The group is in input order, so the first disjoint set has the least left input.
            let left = group.iter().find(|(known, _)| known.and(right).is_empty());
            let pair = left.map(|(_, left)| (*index, *left));
            best = [best, pair].into_iter().flatten().min();
        }
    }
    best.map(|(right, left)| (left, right))
}

/// A minimal conflict in the group whose common answers run out first.
fn first_conflict(game: &Game, groups: &BTreeMap<Key, Group>) -> Option<Conflict> {
    let runs_out = |group: &Group| {
        let mut left = Accepted::All;
        group.iter().enumerate().find_map(|(place, (set, index))| {
            left = left.and(set);
            left.is_empty().then_some((*index, place))
        })
    };
    let (_, place, group) = groups
        .values()
        .filter_map(|group| runs_out(group).map(|(index, place)| (index, place, group)))
        .min_by_key(|(index, _, _)| *index)?;
    let sets: Vec<Accepted> = group[..=place].iter().map(|(set, _)| set.clone()).collect();
    let kept = minimal_conflict(&sets);
    let inputs = kept
        .into_iter()
        .map(|member| input_at(game, group[member].1));
    Some(Conflict {
        inputs: inputs.collect(),
    })
}

/// The full input with this index.
fn input_at(game: &Game, mut index: u64) -> Inputs {
    let mut inputs = Inputs::first(game);
    for (player, digits) in game.players().iter().zip(&mut inputs.0).rev() {
        let size = player.domain.index_size().unwrap_or(u64::MAX);
        if let Some(element) = player.domain.element(index % size) {
            *digits = element;
        }
        index /= size;
    }
    inputs
}
