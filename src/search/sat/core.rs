//! Smaller input cores: leave inputs out as long as no protocol serves the rest.
//!
//! A trimmed proof uses the acceptance clauses of some inputs only, and these are a smaller core, whose formula is refuted again.
//! Then each input left is tried: one formula serves for all subsets, in which the acceptance clauses of an input have a switch.
//! A protocol that is accepted on a subset can be continued to the other inputs, and renamed, so the formula with some switches off
//! is satisfiable iff the one of the subset is.

use super::solver::{Decided, Said, Solver};
use super::trim::trim;
use super::{Bounds, Core, SatError, Stats, decide_formula, stopped};
use crate::game::encode::{Encoding, Formula};
use crate::game::{Game, Inputs, Task};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Conflicts that one question may take.
const CONFLICTS: u64 = 500;

/// Conflicts that all questions about one core may take.
const ALL_CONFLICTS: u64 = 20_000;

/// Formulas that are made anew while the core keeps shrinking.
const ROUNDS: usize = 3;

/// A smaller core with its proof; `None` when stopped.
pub(super) fn shrink(
    game: &Game,
    task: &dyn Task,
    inputs: Vec<Inputs>,
    formula: Formula,
    proof: Vec<u8>,
    bounds: &Bounds,
    stats: &mut Stats,
) -> Result<Option<Core>, SatError> {
    let (mut core, mut used) = trimmed(inputs, formula, proof);
    for _ in 0..ROUNDS {
        if used.len() == core.inputs.len() {
            break;
        }
        let fewer = used
            .iter()
            .map(|place| core.inputs[*place].clone())
            .collect();
        let Some(next) = refuted(game, task, fewer, bounds, stats)? else {
            return Ok(None);
        };
        (core, used) = next;
    }
    let Some((kept, minimal)) = leave_out(game, task, &core.inputs, bounds, stats)? else {
        return Ok(None);
    };
    if kept.len() < core.inputs.len() {
        let Some(next) = refuted(game, task, kept, bounds, stats)? else {
            return Ok(None);
        };
        core = next.0;
    }
    core.minimal = minimal;
    Ok(Some(core))
}

/// Refutes the formula of some inputs; `None` when stopped.
fn refuted(
    game: &Game,
    task: &dyn Task,
    inputs: Vec<Inputs>,
    bounds: &Bounds,
    stats: &mut Stats,
) -> Result<Option<(Core, Vec<usize>)>, SatError> {
    let formula = Encoding::of(game).formula(game, task, &inputs, true)?;
    match stopped(decide_formula(&formula, inputs.len(), bounds, stats))? {
        Some(Decided::Proof(proof)) => Ok(Some(trimmed(inputs, formula, proof))),
        // A model here contradicts the proof before; nothing is claimed.
        Some(Decided::Model(_)) | None => Ok(None),
    }
}

/// The core with the shorter proof, and the places of the inputs that it uses.
fn trimmed(inputs: Vec<Inputs>, formula: Formula, proof: Vec<u8>) -> (Core, Vec<usize>) {
    let mut core = Core {
        inputs,
        formula,
        proof,
        minimal: false,
    };
    let Some(short) = trim(&core.formula.cnf, &core.proof) else {
        let all = (0..core.inputs.len()).collect();
        return (core, all);
    };
    let acceptance = core.formula.acceptance.iter().enumerate();
    let used = acceptance
        .filter(|(_, clauses)| short.used[(*clauses).clone()].contains(&true))
        .map(|(place, _)| place)
        .collect();
    if short.proof.len() < core.proof.len() {
        core.proof = short.proof;
    }
    (core, used)
}

/// Tries to leave out each input once; also says whether all that are left are needed.
fn leave_out(
    game: &Game,
    task: &dyn Task,
    inputs: &[Inputs],
    bounds: &Bounds,
    stats: &mut Stats,
) -> Result<Option<(Vec<Inputs>, bool)>, SatError> {
    let mut switched = Switched::new(game, task, inputs, &bounds.stop)?;
    let mut kept: Vec<usize> = (0..inputs.len()).collect();
    // What is known of each input: nothing, needed, or not found out.
    let mut known: Vec<Option<bool>> = vec![None; inputs.len()];
    while let Some(place) = kept.iter().copied().find(|place| known[*place].is_none()) {
        let left = ALL_CONFLICTS.saturating_sub(switched.solver.conflicts());
        if left == 0 {
            break;
        }
        let rest: Vec<usize> = kept
            .iter()
            .copied()
            .filter(|other| *other != place)
            .collect();
        match switched.ask(&rest, left.min(CONFLICTS)) {
            Said::Unsatisfiable => kept = switched.used(&rest),
            Said::Satisfiable => known[place] = Some(true),
            Said::Unknown => known[place] = Some(false),
        }
        if bounds.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    stats.conflicts += switched.solver.conflicts();
    let minimal = kept.iter().all(|place| known[*place] == Some(true));
    let inputs = kept
        .into_iter()
        .map(|place| inputs[place].clone())
        .collect();
    Ok(Some((inputs, minimal)))
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
        let mut formula = Encoding::of(game).formula(game, task, inputs, true)?;
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

    fn ask(&mut self, places: &[usize], conflicts: u64) -> Said {
        let assumptions: Vec<i32> = places.iter().map(|place| self.switches[*place]).collect();
        self.solver
            .solve(&assumptions, u32::try_from(conflicts).ok())
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
}
