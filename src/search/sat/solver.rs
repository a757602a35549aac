//! The SAT solver: formulas through its interface for searches, through a DIMACS file where a proof is wanted.
//!
//! With clauses added through the interface and unit clauses among them, the proof may refer to ids that the file does not
//! have. So where a proof is written the solver reads the very file that is stored.

use crate::game::encode::Cnf;
use cadical_sys::{CaDiCal, Status, Terminator};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a solver says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// There is a model.
    Satisfiable,
    /// There is none.
    Unsatisfiable,
    /// Stopped.
    Unknown,
}

impl Said {
    fn of(status: Status) -> Self {
        match status {
            Status::SATISFIABLE => Self::Satisfiable,
            Status::UNSATISFIABLE => Self::Unsatisfiable,
            Status::UNKNOWN => Self::Unknown,
        }
    }
}

/// Calls of the terminator between two looks at the size of the proof.
const CALLS_PER_LOOK: u64 = 256;

/// Ends a run on request, or when its proof grows too long.
struct Watch {
    stop: Arc<AtomicBool>,
    proof: Option<(PathBuf, u64, Arc<AtomicBool>)>,
    calls: u64,
}

impl Terminator for Watch {
    fn terminated(&mut self) -> bool {
        self.calls += 1;
        if let Some((path, limit, over)) = &self.proof
            && self.calls.is_multiple_of(CALLS_PER_LOOK)
            && fs::metadata(path).is_ok_and(|file| file.len() > *limit)
        {
            over.store(true, Ordering::Relaxed);
            return true;
        }
        self.stop.load(Ordering::Relaxed)
    }
}

/// A solver with clauses, to be asked several times.
pub struct Solver {
    inner: CaDiCal,
}

impl std::fmt::Debug for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solver").finish_non_exhaustive()
    }
}

impl Solver {
    /// A solver without clauses.
    pub fn new(stop: &Arc<AtomicBool>) -> Self {
        let mut inner = CaDiCal::new();
        // No new variables behind our back.
        inner.set("factor", 0);
        inner.connect_terminator(Watch {
            stop: stop.clone(),
            proof: None,
            calls: 0,
        });
        Self { inner }
    }

    /// Adds a clause.
    pub fn clause(&mut self, literals: impl IntoIterator<Item = i32>) {
        for literal in literals {
            self.inner.add(literal);
        }
        self.inner.add(0);
    }

    /// Adds all clauses of a formula.
    pub fn formula(&mut self, cnf: &Cnf) {
        for clause in cnf.clauses() {
            self.clause(clause.iter().copied());
        }
    }

    /// Solves under assumptions, with at most so many conflicts.
    pub fn solve(&mut self, assumptions: &[i32], conflicts: Option<u32>) -> Said {
        for literal in assumptions {
            self.inner.assume(*literal);
        }
        if let Some(conflicts) = conflicts.and_then(|most| i32::try_from(most).ok()) {
            self.inner.limit("conflicts", conflicts);
        }
        Said::of(self.inner.solve())
    }

    /// Whether a literal is true in the model.
    pub fn holds(&mut self, literal: i32) -> bool {
        self.inner.val(literal) > 0
    }

    /// Whether an assumption was used in the refutation.
    pub fn failed(&mut self, assumption: i32) -> bool {
        self.inner.failed(assumption)
    }

    /// Conflicts so far.
    pub fn conflicts(&self) -> u64 {
        u64::try_from(self.inner.get_statistic_value("conflicts")).unwrap_or(0)
    }
}

/// A folder for the files of one run, removed at the end.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new folder among the temporary files.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("foolproof-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Why there is no proof.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// Stopped on request.
    #[error("stopped while the proof was written")]
    Stopped,
    /// The proof grew over the limit.
    #[error("proof limit: more than {0} bytes")]
    TooLong(u64),
    /// The solver refused an option or a file.
    #[error("the solver refused {0}")]
    Refused(String),
    /// A file could not be written or read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A formula decided, with the evidence for it.
#[derive(Debug)]
pub enum Decided {
    /// The variables that are true in a model, by number; entry 0 is unused.
    Model(Vec<bool>),
    /// An LRAT proof as text.
    Proof(Vec<u8>),
}

/// Writes the formula to a file and lets the solver decide that file, with an LRAT proof.
///
/// # Errors
/// [`ProofError`].
/// # Cost
/// One run of the solver; the conflicts are added to `conflicts`.
pub fn decide_file(
    cnf: &Cnf,
    max_proof: u64,
    stop: &Arc<AtomicBool>,
    conflicts: &mut u64,
) -> Result<Decided, ProofError> {
    // Without a limit a run that is not stopped decides.
    decide_file_within(cnf, max_proof, stop, conflicts, None)?.ok_or(ProofError::Stopped)
}

/// As [`decide_file`], with at most so many conflicts; `None` when they do not suffice.
///
/// # Errors
/// [`ProofError`].
/// # Cost
/// As [`decide_file`].
pub fn decide_file_within(
    cnf: &Cnf,
    max_proof: u64,
    stop: &Arc<AtomicBool>,
    conflicts: &mut u64,
    limit: Option<u32>,
) -> Result<Option<Decided>, ProofError> {
    let scratch = Scratch::new()?;
    let formula = scratch.file("formula.cnf");
    let mut file = io::BufWriter::new(fs::File::create(&formula)?);
    cnf.write(&mut file)?;
    file.flush()?;
    let proof = scratch.file("proof.lrat");
    let over = Arc::new(AtomicBool::new(false));
    let watch = Watch {
        stop: stop.clone(),
        proof: Some((proof.clone(), max_proof, over.clone())),
        calls: 0,
    };
    let (said, mut solver) = run_on_files(&formula, &proof, watch, limit)?;
    *conflicts += solver.conflicts();
    match said {
        Said::Unsatisfiable => {}
        Said::Satisfiable => {
            let holds = |variable| variable > 0 && solver.holds(variable);
            let model = (0..=cnf.variables()).map(holds).collect();
            return Ok(Some(Decided::Model(model)));
        }
        Said::Unknown if over.load(Ordering::Relaxed) => {
            return Err(ProofError::TooLong(max_proof));
        }
        Said::Unknown if limit.is_some() && !stop.load(Ordering::Relaxed) => return Ok(None),
        Said::Unknown => return Err(ProofError::Stopped),
    }
    if fs::metadata(&proof)?.len() > max_proof {
        return Err(ProofError::TooLong(max_proof));
    }
    Ok(Some(Decided::Proof(fs::read(&proof)?)))
}

fn run_on_files(
    formula: &Path,
    proof: &Path,
    watch: Watch,
    conflicts: Option<u32>,
) -> Result<(Said, Solver), ProofError> {
    let refused = |what: &str| Err(ProofError::Refused(what.to_owned()));
    let (Some(formula), Some(proof_name)) = (formula.to_str(), proof.to_str()) else {
        return refused("a path that is not UTF-8");
    };
    let mut solver = CaDiCal::new();
    // In this order, and before any clause exists.
    for (option, value) in [("factor", 0), ("lrat", 1), ("binary", 0)] {
        if !solver.set(option, value) {
            return refused(option);
        }
    }
    if !solver.trace_proof2(proof_name) {
        return refused("a proof file");
    }
    let mut variables = 0;
    solver
        .read_dimacs2(formula, &mut variables, 1)
        .map_err(ProofError::Refused)?;
    solver.connect_terminator(watch);
    if let Some(conflicts) = conflicts.and_then(|most| i32::try_from(most).ok()) {
        solver.limit("conflicts", conflicts);
    }
    let said = Said::of(solver.solve());
    solver.close_proof_trace(false);
    Ok((said, Solver { inner: solver }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calm() -> Arc<AtomicBool> {
        Arc::new(AtomicBool::new(false))
    }

    #[test]
    fn a_formula_that_begins_with_unit_clauses_keeps_its_ids() {
        let mut cnf = Cnf::default();
        cnf.allocate(3);
        for clause in [&[1][..], &[-2], &[-1, 2, 3], &[-3, 2], &[1, 3]] {
            cnf.clause(clause.iter().copied());
        }
        let Decided::Proof(proof) = decide_file(&cnf, 1 << 20, &calm(), &mut 0).unwrap() else {
            panic!("a model");
        };
        let checked = crate::evidence::verify::lrat::check(3, cnf.clauses(), &mut proof.as_slice());
        assert!(
            checked.is_ok(),
            "{checked:?}\n{}",
            String::from_utf8_lossy(&proof)
        );
    }

    #[test]
    fn assumptions_and_models() {
        let mut solver = Solver::new(&calm());
        solver.clause([-1, 2]);
        assert_eq!(solver.solve(&[1, -2], None), Said::Unsatisfiable);
        assert!(solver.failed(1) && solver.failed(-2));
        assert_eq!(solver.solve(&[1], None), Said::Satisfiable);
        assert!(solver.holds(2));
    }
}
