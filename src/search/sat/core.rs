//! Smaller input cores: leave inputs out as long as no protocol serves the rest.
//!
//! One formula serves for all subsets: the acceptance clauses of an input get a switch. A protocol that is accepted on a subset can
//! be continued to the other inputs, and renamed, so the formula with some switches off is satisfiable iff the one of the subset
//! is.

use super::solver::{Said, Solver};
use super::{Core, SatError, Stats};
use crate::game::encode::table_v1;
use crate::game::{Game, Inputs, Task};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Conflicts that one question may take.
const CONFLICTS: u32 = 500;

/// Formulas that are made anew while the core keeps shrinking.
const ROUNDS: usize = 4;

/// A smaller core; `None` when stopped.
pub(super) fn minimise(
    game: &Game,
    task: &dyn Task,
    mut inputs: Vec<Inputs>,
    stop: &Arc<AtomicBool>,
    stats: &mut Stats,
) -> Result<Option<Core>, SatError> {
    for _ in 0..ROUNDS {
        let mut switched = Switched::new(game, task, &inputs, stop)?;
        let all: Vec<usize> = (0..inputs.len()).collect();
        let used = switched.refute(&all, None);
        stats.conflicts += switched.solver.conflicts();
        let Some(used) = used else {
            return Ok(None);
        };
        let shrunk = used.len() < inputs.len();
        inputs = used
            .into_iter()
            .map(|place| inputs[place].clone())
            .collect();
        if !shrunk {
            break;
        }
    }
    leave_out(game, task, inputs, stop, stats)
}

/// Tries to leave out each input once.
fn leave_out(
    game: &Game,
    task: &dyn Task,
    inputs: Vec<Inputs>,
    stop: &Arc<AtomicBool>,
    stats: &mut Stats,
) -> Result<Option<Core>, SatError> {
    let mut switched = Switched::new(game, task, &inputs, stop)?;
    let mut kept: Vec<usize> = (0..inputs.len()).collect();
    // What is known of each input: nothing, needed, or not found out.
    let mut known: Vec<Option<bool>> = vec![None; inputs.len()];
    while let Some(place) = kept.iter().copied().find(|place| known[*place].is_none()) {
        let rest: Vec<usize> = kept
            .iter()
            .copied()
            .filter(|other| *other != place)
            .collect();
        match switched.ask(&rest, Some(CONFLICTS)) {
            Said::Unsatisfiable => kept = switched.used(&rest),
            Said::Satisfiable => known[place] = Some(true),
            Said::Unknown => known[place] = Some(false),
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    let minimal = kept.iter().all(|place| known[*place] == Some(true));
    stats.conflicts += switched.solver.conflicts();
    let inputs = kept
        .into_iter()
        .map(|place| inputs[place].clone())
        .collect();
    Ok(Some(Core { inputs, minimal }))
}

/// The formula of some inputs, their acceptance clauses with switches.
struct Switched {
    solver: Solver,
    switches: Vec<i32>,
}

impl Switched {
    fn new(
        game: &Game,
        task: &dyn Task,
        inputs: &[Inputs],
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, SatError> {
        let mut formula = table_v1(game, task, inputs, true)?;
        let first = formula.cnf.allocate(inputs.len());
        let switches: Vec<i32> = (first..).take(inputs.len()).collect();
        let mut switch_of = vec![None; formula.cnf.len()];
        for (range, switch) in formula.acceptance.iter().zip(&switches) {
            switch_of[range.clone()].fill(Some(-*switch));
        }
        let mut solver = Solver::new(stop);
        for (clause, switch) in formula.cnf.clauses().zip(switch_of) {
            solver.clause(clause.iter().copied().chain(switch));
        }
        Ok(Self { solver, switches })
    }

    fn ask(&mut self, places: &[usize], conflicts: Option<u32>) -> Said {
        let assumptions: Vec<i32> = places.iter().map(|place| self.switches[*place]).collect();
        self.solver.solve(&assumptions, conflicts)
    }

    /// The inputs that the last refutation used.
    fn used(&mut self, places: &[usize]) -> Vec<usize> {
        let solver = &mut self.solver;
        let switches = &self.switches;
        places
            .iter()
            .copied()
            .filter(|place| solver.failed(switches[*place]))
            .collect()
    }

    /// The inputs that a refutation uses; `None` when stopped.
    fn refute(&mut self, places: &[usize], conflicts: Option<u32>) -> Option<Vec<usize>> {
        match self.ask(places, conflicts) {
            Said::Unsatisfiable => Some(self.used(places)),
            Said::Satisfiable | Said::Unknown => None,
        }
    }
}
