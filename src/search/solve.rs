//! Does any protocol exist? Known protocols first, then counting, then the solver.

use crate::evidence::item::NoProtocol;
use crate::game::structure::{Clique, Failure, Family, ProtocolTables};
use crate::game::{Game, Inputs, Task};
use crate::search::{brute, clique, family, solvers};
use num_bigint::BigUint;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Which search is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Closed forms, counting, then the solver.
    Auto,
    /// Protocols that are known to work only.
    Closed,
    /// Counting bounds only.
    Count,
    /// The solver only.
    Sat,
    /// All protocols, one by one.
    Exhaustive,
    /// The ledger of the proof scheme only, for hybrid games.
    Ledger,
}

impl Method {
    fn allows(self, other: Self) -> bool {
        self == Self::Auto || self == other
    }
}

/// A question to the searches.
pub struct Question<'a> {
    /// The game.
    pub game: &'a Game,
    /// The task.
    pub task: &'a dyn Task,
    /// Most full inputs.
    pub limit: &'a BigUint,
    /// Which search.
    pub method: Method,
    /// Most bytes of a proof.
    pub max_proof: u64,
    /// Ends the search when set.
    pub stop: Arc<AtomicBool>,
}

impl std::fmt::Debug for Question<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question")
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

/// An answer, its evidence still to be verified.
#[derive(Debug)]
pub enum Answer {
    /// A protocol, and how it was found.
    Solvable(ProtocolTables, &'static str),
    /// A counting bound.
    Family(Family),
    /// A clique of conflicts.
    Clique(Clique),
    /// A refuted formula.
    Refuted(Box<Refuted>),
    /// All protocols were tried; no certificate.
    Exhausted {
        /// How many.
        protocols: u64,
    },
    /// Not decided, and why.
    Undecided(String),
}

/// A refuted formula.
#[derive(Clone, Debug)]
pub struct Refuted {
    /// The evidence object.
    pub object: NoProtocol,
    /// `formula.cnf`.
    pub formula: Vec<u8>,
    /// `proof.lrat.gz`.
    pub proof: Vec<u8>,
    /// True when no input of the core can be left out.
    pub minimal: bool,
}

impl Refuted {
    /// The input core.
    pub fn core(&self) -> &[Inputs] {
        &self.object.inputs
    }
}

/// What the search cost; the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Formulas solved.
    pub rounds: u64,
    /// Inputs in the last of them.
    pub inputs: u64,
    /// Conflicts of all runs of the solver.
    pub conflicts: u64,
    /// Bytes of the proof as text.
    pub proof: u64,
}

/// Answers a question.
///
/// # Errors
/// `TooLarge` over the limit, with the exact number of full inputs; `replay` when the task is undefined somewhere.
/// # Cost
/// That of the searches that the method allows, in the order closed forms, counting, solver.
pub fn solve(question: &Question<'_>, stats: &mut Stats) -> Result<Answer, Failure> {
    let Question {
        game,
        task,
        limit,
        method,
        ..
    } = *question;
    if method.allows(Method::Closed)
        && let Some(proposal) = solvers::propose(game, task, limit)?
    {
        return Ok(Answer::Solvable(proposal.tables, proposal.name));
    }
    if method.allows(Method::Count) {
        if let Some(family) = family::find(game, task, limit)? {
            return Ok(Answer::Family(family));
        }
        // A clique proves something only if it has more members than there are symbols.
        let clique = clique::find(game, task, limit)?;
        let larger = |clique: &Clique| BigUint::from(clique.members.len()) > clique.symbols;
        if let Some(clique) = clique.filter(larger) {
            return Ok(Answer::Clique(clique));
        }
    }
    match method {
        Method::Closed => Ok(undecided("no known protocol fits")),
        Method::Count => Ok(undecided("no counting bound fires")),
        Method::Exhaustive => exhaustive(question),
        Method::Ledger => Ok(undecided("the ledger of the proof scheme does not close")),
        Method::Auto | Method::Sat => sat(question, stats),
    }
}

fn undecided(reason: &str) -> Answer {
    Answer::Undecided(reason.to_owned())
}

fn exhaustive(question: &Question<'_>) -> Result<Answer, Failure> {
    let found = brute::search(
        question.game,
        question.task,
        question.limit,
        brute::MAX_PROTOCOLS,
    )?;
    Ok(match found {
        brute::Found::Protocol(tables) => Answer::Solvable(tables, "exhaustive search"),
        brute::Found::Nothing { protocols } => Answer::Exhausted { protocols },
        brute::Found::TooMany { limit } => Answer::Undecided(format!(
            "more than {limit} protocols: too many to try one by one"
        )),
        brute::Found::Refused(reason) => Answer::Undecided(reason),
    })
}

#[cfg(not(feature = "cadical"))]
fn sat(question: &Question<'_>, _stats: &mut Stats) -> Result<Answer, Failure> {
    use crate::search::exhaustive::{Searched, search};
    // Without the solver small games can still be searched; what is missing then is a certificate that there is none.
    Ok(
        match search(question.game, question.task, question.limit)? {
            Searched::Protocol(tables) => Answer::Solvable(tables, "exhaustive search"),
            Searched::Exhausted { steps } => Answer::Undecided(format!(
                "built without the SAT solver; no protocol exists by exhaustive search ({steps} steps), but without a certificate"
            )),
            Searched::Stopped { .. } | Searched::Unsupported => {
                undecided("built without the SAT solver")
            }
        },
    )
}

#[cfg(feature = "cadical")]
fn sat(question: &Question<'_>, stats: &mut Stats) -> Result<Answer, Failure> {
    use crate::search::answers::Answers;
    use crate::search::sat::{self, SatError};
    let (game, task) = (question.game, question.task);
    let answers = Answers::of(game, task, question.limit)?;
    let mut cost = sat::Stats::default();
    let bounds = sat::Bounds {
        max_proof: question.max_proof,
        stop: question.stop.clone(),
    };
    let found = sat::decide(game, task, &answers, &bounds, &mut cost);
    stats.rounds = cost.rounds;
    stats.inputs = cost.inputs;
    stats.conflicts = cost.conflicts;
    let found = match found {
        Err(SatError::Failure(failure)) => return Err(failure),
        Err(SatError::Encode(error)) => return Ok(Answer::Undecided(error.to_string())),
        Err(SatError::Proof(error)) => return Ok(Answer::Undecided(error.to_string())),
        Ok(found) => found,
    };
    Ok(match found {
        sat::Found::Protocol(tables) => Answer::Solvable(tables, "solver"),
        sat::Found::Stopped => Answer::Undecided(format!(
            "stopped: {} formulas solved, the last on {} of {} inputs",
            stats.rounds,
            stats.inputs,
            answers.inputs()
        )),
        sat::Found::Core(core) => match certify(*core, stats) {
            Ok(refuted) => Answer::Refuted(Box::new(refuted)),
            Err(reason) => Answer::Undecided(reason),
        },
    })
}

/// The evidence for a core: the formula as a file, the proof compressed.
#[cfg(feature = "cadical")]
fn certify(core: crate::search::sat::Core, stats: &mut Stats) -> Result<Refuted, String> {
    use crate::evidence::gzip;
    use crate::game::encode::{SYMBOL_ORDER_V1, TABLE_V1};
    use std::io::Write as _;
    stats.proof = core.proof.len() as u64;
    let mut packed = gzip::writer(Vec::new());
    let packed = packed
        .write_all(&core.proof)
        .and_then(|()| packed.finish())
        .map_err(|error| error.to_string())?;
    let cnf = &core.formula.cnf;
    let broken = core.formula.plain < cnf.len();
    let symmetry = broken.then(|| SYMBOL_ORDER_V1.to_owned());
    Ok(Refuted {
        object: NoProtocol {
            encoding: TABLE_V1.to_owned(),
            inputs: core.inputs,
            symmetry: symmetry.into_iter().collect(),
            vars: BigUint::from(cnf.variables().unsigned_abs()),
            clauses: cnf.len().into(),
        },
        formula: cnf.to_bytes(),
        proof: packed,
        minimal: core.minimal,
    })
}
