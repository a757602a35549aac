//! Does any protocol exist? Formulas for a SAT solver, and input cores from its proofs.
//!
//! Where the formula for all inputs is short enough it is solved at once, with a proof. Otherwise clauses are made for a few
//! inputs only: a refutation for these is one for all; a model is a protocol, which is completed and run on all inputs, and
//! some of those where it is wrong are added, until none is left. The inputs whose acceptance clauses a proof uses are the core.

mod core;
pub mod cubes;
pub mod kept;
mod lift;
mod played;
pub mod solver;
pub mod trim;

pub use solver::{ProofError, Scratch};

use crate::game::encode::{EncodeError, Encoding, Formula};
use crate::game::structure::{Failure, ProtocolTables};
use crate::game::{Game, Inputs, PlayerId, Task};
use crate::search::answers::Answers;
use played::Played;
use solver::{Decided, Said, Solver, decide_file};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Inputs at the start of the loop.
const FIRST_INPUTS: usize = 12;

/// Most literals of a formula for all inputs; games with more go through the loop.
const WHOLE: u64 = 1 << 25;

/// What the search found.
#[derive(Debug)]
pub enum Found {
    /// A protocol that is right on all inputs.
    Protocol(ProtocolTables),
    /// Inputs on which no protocol is right.
    Core(Box<Core>),
    /// Stopped.
    Stopped,
}

/// Inputs that no protocol serves, with the refutation.
#[derive(Clone, Debug)]
pub struct Core {
    /// In input order.
    pub inputs: Vec<Inputs>,
    /// The formula of these inputs.
    pub formula: Formula,
    /// Its LRAT proof as text, trimmed.
    pub proof: Vec<u8>,
    /// True when no input can be left out; otherwise a limit of conflicts was met on the way.
    pub minimal: bool,
}

/// What it cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Formulas solved.
    pub rounds: u64,
    /// Inputs in the last of them.
    pub inputs: u64,
    /// Conflicts of all runs.
    pub conflicts: u64,
}

/// Why the search does not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum SatError {
    /// The game has no formula.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A table is too large, or the task undefined.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// There is no proof.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// The game cannot be run by index.
    #[error("{0}")]
    Refused(String),
}

/// How long a search may go on.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Most bytes of a proof.
    pub max_proof: u64,
    /// Ends the search when set.
    pub stop: Arc<AtomicBool>,
}

/// One formula for all inputs when it is not too long, else the loop over inputs.
///
/// # Errors
/// [`SatError`].
/// # Cost
/// That of [`whole`] or [`by_rounds`].
pub fn decide(
    game: &Game,
    task: &dyn Task,
    answers: &Answers,
    bounds: &Bounds,
    stats: &mut Stats,
) -> Result<Found, SatError> {
    match whole(game, task, answers, bounds, stats) {
        Err(SatError::Encode(EncodeError::TooLarge { .. })) => {
            by_rounds(game, task, answers, bounds, stats)
        }
        found => found,
    }
}

/// One formula for all inputs. At once, it is easier than the last of many smaller ones.
///
/// # Errors
/// [`SatError`]; `TooLarge` for a formula of more than 2^25 literals.
/// # Cost
/// One run of the solver with a proof; for a refutation further ones on the inputs that the proof uses.
pub fn whole(
    game: &Game,
    task: &dyn Task,
    answers: &Answers,
    bounds: &Bounds,
    stats: &mut Stats,
) -> Result<Found, SatError> {
    let (inputs, formula) = whole_formula(game, task, answers)?;
    match stopped(decide_formula(&formula, inputs.len(), bounds, stats))? {
        None => Ok(Found::Stopped),
        Some(Decided::Proof(proof)) => {
            let core = core::shrink(game, task, inputs, formula, proof, bounds, stats)?;
            Ok(core.map_or(Found::Stopped, |core| Found::Core(Box::new(core))))
        }
        Some(Decided::Model(model)) => {
            // The tables are replayed on all inputs before anybody believes them.
            Ok(Found::Protocol(protocol(game, answers, &formula, &model)?))
        }
    }
}

/// The formula for all inputs.
///
/// # Errors
/// [`SatError`]; `TooLarge` for a formula of more than 2^25 literals.
/// # Cost
/// One task look-up per input, and the literals of the formula.
pub fn whole_formula(
    game: &Game,
    task: &dyn Task,
    answers: &Answers,
) -> Result<(Vec<Inputs>, Formula), SatError> {
    let all: BTreeSet<usize> = (0..answers.inputs()).collect();
    let inputs = all_inputs(game, answers, &all);
    let formula = Encoding::of(game).formula_within(game, task, &inputs, true, WHOLE)?;
    Ok((inputs, formula))
}

/// The protocol of a model of the formula for all inputs.
///
/// # Errors
/// [`SatError`].
/// # Cost
/// The entries of all tables, and one look-up per input and slot.
pub fn protocol(
    game: &Game,
    answers: &Answers,
    formula: &Formula,
    model: &[bool],
) -> Result<ProtocolTables, SatError> {
    let mut holds = |literal: i32| model_holds(model, literal);
    Ok(Played::decode(game, answers, formula, &mut holds)?.tables()?)
}

fn model_holds(model: &[bool], literal: i32) -> bool {
    let value = model.get(literal.unsigned_abs() as usize).copied();
    value.unwrap_or(false) == (literal > 0)
}

/// Decides one formula with a proof.
fn decide_formula(
    formula: &Formula,
    inputs: usize,
    bounds: &Bounds,
    stats: &mut Stats,
) -> Result<Decided, ProofError> {
    stats.rounds += 1;
    stats.inputs = inputs as u64;
    decide_file(
        &formula.cnf,
        bounds.max_proof,
        &bounds.stop,
        &mut stats.conflicts,
    )
}

/// `None` when the run was stopped.
fn stopped<T>(result: Result<T, ProofError>) -> Result<Option<T>, ProofError> {
    match result {
        Err(ProofError::Stopped) => Ok(None),
        other => other.map(Some),
    }
}

/// The loop over inputs.
///
/// # Errors
/// [`SatError`].
/// # Cost
/// Runs of the solver on formulas for growing sets of inputs, one simulation on all inputs after each.
pub fn by_rounds(
    game: &Game,
    task: &dyn Task,
    answers: &Answers,
    bounds: &Bounds,
    stats: &mut Stats,
) -> Result<Found, SatError> {
    let total = answers.inputs();
    let mut chosen: BTreeSet<usize> = spread(total, FIRST_INPUTS).collect();
    loop {
        let inputs = all_inputs(game, answers, &chosen);
        let formula = Encoding::of(game).formula(game, task, &inputs, true)?;
        let mut solver = Solver::new(&bounds.stop);
        solver.formula(&formula.cnf);
        stats.rounds += 1;
        stats.inputs = chosen.len() as u64;
        let said = solver.solve(&[], None);
        stats.conflicts += solver.conflicts();
        match said {
            Said::Unknown => return Ok(Found::Stopped),
            Said::Unsatisfiable => {
                return match stopped(decide_formula(&formula, inputs.len(), bounds, stats))? {
                    Some(Decided::Proof(proof)) => {
                        let core = core::shrink(game, task, inputs, formula, proof, bounds, stats)?;
                        Ok(core.map_or(Found::Stopped, |core| Found::Core(Box::new(core))))
                    }
                    Some(Decided::Model(_)) | None => Ok(Found::Stopped),
                };
            }
            Said::Satisfiable => {}
        }
        let mut holds = |literal| solver.holds(literal);
        let mut protocol = Played::decode(game, answers, &formula, &mut holds)?;
        let wrong = protocol.violations();
        if wrong.is_empty() {
            return Ok(Found::Protocol(protocol.tables()?));
        }
        if bounds.stop.load(Ordering::Relaxed) {
            return Ok(Found::Stopped);
        }
        // Twice as many, so that there are few rounds.
        let more = chosen.len().max(FIRST_INPUTS);
        chosen.extend(spread(wrong.len(), more).map(|place| wrong[place]));
    }
}

/// At most `count` places of `0..total`, evenly spread.
fn spread(total: usize, count: usize) -> impl Iterator<Item = usize> {
    let count = count.min(total);
    (0..count).map(move |place| place * total / count)
}

/// The inputs with these indices.
fn all_inputs(game: &Game, answers: &Answers, chosen: &BTreeSet<usize>) -> Vec<Inputs> {
    let players: Vec<PlayerId> = (0..game.players().len()).map(PlayerId).collect();
    chosen
        .iter()
        .map(|index| Inputs(answers.joint(&players, *index)))
        .collect()
}
