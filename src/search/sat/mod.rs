//! Does any protocol exist? A loop over inputs around a SAT solver.
//!
//! Clauses are made for a few inputs only. A refutation for these is one for all. A model is a protocol, which is completed
//! and run on all inputs; some of those where it is wrong are added, until none is left.

mod core;
mod dense;
pub mod solver;
pub mod trim;

pub use solver::{ProofError, Scratch};

use crate::game::encode::{EncodeError, Formula, table_v1};
use crate::game::structure::{Failure, ProtocolTables};
use crate::game::{Game, Inputs, PlayerId, Task};
use crate::search::answers::Answers;
use dense::Dense;
use solver::{Said, Solver};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Inputs at the start.
const FIRST_INPUTS: usize = 12;

/// What the loop found.
#[derive(Debug)]
pub enum Found {
    /// A protocol that is right on all inputs.
    Protocol(ProtocolTables),
    /// Inputs on which no protocol is right.
    Core(Core),
    /// Stopped.
    Stopped,
}

/// Inputs that no protocol serves.
#[derive(Clone, Debug)]
pub struct Core {
    /// In input order.
    pub inputs: Vec<Inputs>,
    /// True when no input can be left out; otherwise a limit of conflicts was met on the way.
    pub minimal: bool,
}

/// What it cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Formulas solved in the loop.
    pub rounds: u64,
    /// Inputs in the last of them.
    pub inputs: u64,
    /// Conflicts of all runs.
    pub conflicts: u64,
}

/// Why the loop does not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum SatError {
    /// The game has no formula.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A table is too large, or the task undefined.
    #[error(transparent)]
    Failure(#[from] Failure),
}

/// The loop over inputs.
///
/// # Errors
/// [`SatError`].
/// # Cost
/// Runs of the solver on formulas for growing sets of inputs, one simulation on all inputs after each.
pub fn decide(
    game: &Game,
    task: &dyn Task,
    answers: &Answers,
    stop: &Arc<AtomicBool>,
    stats: &mut Stats,
) -> Result<Found, SatError> {
    let total = answers.inputs();
    let mut chosen: BTreeSet<usize> = spread(total, FIRST_INPUTS).collect();
    loop {
        let inputs = all_inputs(game, answers, &chosen);
        let formula = table_v1(game, task, &inputs, true)?;
        let mut solver = Solver::new(stop);
        solver.formula(&formula.cnf);
        stats.rounds += 1;
        stats.inputs = chosen.len() as u64;
        let said = solver.solve(&[], None);
        stats.conflicts += solver.conflicts();
        match said {
            Said::Unknown => return Ok(Found::Stopped),
            Said::Unsatisfiable => {
                let core = core::minimise(game, task, inputs, stop, stats)?;
                return Ok(core.map_or(Found::Stopped, Found::Core));
            }
            Said::Satisfiable => {}
        }
        let mut protocol = protocol(game, &formula, &mut solver)?;
        let wrong = protocol.violations(answers);
        if wrong.is_empty() {
            return Ok(Found::Protocol(protocol.tables(game)?));
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(Found::Stopped);
        }
        // Twice as many, so that there are few rounds.
        let more = chosen.len().max(FIRST_INPUTS);
        chosen.extend(spread(wrong.len(), more).map(|place| wrong[place]));
    }
}

fn protocol(game: &Game, formula: &Formula, solver: &mut Solver) -> Result<Dense, Failure> {
    Dense::decode(game, formula, &mut |literal| solver.holds(literal))
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
