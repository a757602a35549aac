//! Does any protocol exist? Known protocols first, then counting, then the solver.

use crate::evidence::item::NoProtocol;
use crate::game::structure::{
    AllProtocols, Clique, Code, Failure, Family, NoAnswer, ProtocolTables, Violation, inputs_of,
    within,
};
use crate::game::{Game, Inputs, PlayerId, Task};
use crate::search::{brute, clique, family, solvers};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
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
    /// An input on which nothing is accepted.
    NoAnswer(NoAnswer),
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
    if method != Method::Closed
        && let Some(found) = no_answer(game, task, limit)?
    {
        return Ok(Answer::NoAnswer(found));
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
    if method == Method::Auto
        && let Some(protocols) = tiny(game, task)?
    {
        return Ok(Answer::Exhausted { protocols });
    }
    match method {
        Method::Closed => Ok(undecided("no known protocol fits")),
        Method::Count => Ok(undecided("no counting bound fires")),
        Method::Exhaustive => exhaustive(question),
        Method::Ledger => Ok(undecided("the ledger of the proof scheme does not close")),
        Method::Auto | Method::Sat => sat(question, stats),
    }
}

/// Most runs of all protocols of a game that is tiny.
const TINY: u32 = 1 << 12;

/// The number of protocols of a tiny game, if none of them is right. That can be repeated, and leaves nothing to be believed.
fn tiny(game: &Game, task: &dyn Task) -> Result<Option<u64>, Failure> {
    let all = match AllProtocols::new(game, task, &TINY.into()) {
        Ok(all) => all,
        Err(Failure::TooLarge(_)) => return Ok(None),
        Err(failure @ Failure::Violated(_)) => return Err(failure),
    };
    let total: BigUint = all.domain().iter().product();
    let total = total.to_u64().unwrap_or(u64::MAX);
    for number in 0..total {
        if all.first_wrong(number)?.is_none() {
            return Ok(None);
        }
    }
    Ok(Some(total))
}

/// The first input on which no answer is accepted.
fn no_answer(game: &Game, task: &dyn Task, limit: &BigUint) -> Result<Option<NoAnswer>, Failure> {
    let everyone = (0..game.players().len()).map(PlayerId);
    within("full inputs", inputs_of(game, everyone), limit)?;
    for input in Inputs::all(game) {
        let right = task.accepted(&input).map_err(|error| {
            Violation::new("", Code::Replay, error.to_string(), "a defined task")
        })?;
        if right.is_empty() {
            return Ok(Some(NoAnswer { input }));
        }
    }
    Ok(None)
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
        Err(error @ (SatError::Encode(_) | SatError::Proof(_) | SatError::Refused(_))) => {
            return Ok(Answer::Undecided(error.to_string()));
        }
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
        sat::Found::Core(core) => match certify(game, *core, stats) {
            Ok(refuted) => Answer::Refuted(Box::new(refuted)),
            Err(reason) => Answer::Undecided(reason),
        },
    })
}

/// The formula of a question for all inputs, to be cut into cubes.
#[cfg(feature = "cadical")]
#[derive(Debug)]
pub struct Whole {
    answers: crate::search::answers::Answers,
    inputs: Vec<Inputs>,
    formula: crate::game::encode::Formula,
}

#[cfg(feature = "cadical")]
impl Whole {
    /// Encodes the game; the reason when it has no formula.
    ///
    /// # Errors
    /// `TooLarge` over the limit, with the exact number of full inputs; `replay` when the task is undefined somewhere.
    /// # Cost
    /// One task look-up per input, and the literals of the formula.
    pub fn new(
        game: &Game,
        task: &dyn Task,
        limit: &BigUint,
    ) -> Result<Result<Self, String>, Failure> {
        use crate::search::sat::{SatError, whole_formula};
        let answers = crate::search::answers::Answers::of(game, task, limit)?;
        match whole_formula(game, task, &answers) {
            Ok((inputs, formula)) => Ok(Ok(Self {
                answers,
                inputs,
                formula,
            })),
            Err(SatError::Failure(failure)) => Err(failure),
            Err(error) => Ok(Err(error.to_string())),
        }
    }

    /// The clauses.
    pub fn cnf(&self) -> &crate::game::encode::Cnf {
        &self.formula.cnf
    }

    /// The answer when all cubes are refuted and their proofs joined.
    pub fn refuted(self, game: &Game, proof: Vec<u8>, stats: &mut Stats) -> Answer {
        let core = crate::search::sat::Core {
            inputs: self.inputs,
            formula: self.formula,
            proof,
            minimal: false,
        };
        match certify(game, core, stats) {
            Ok(refuted) => Answer::Refuted(Box::new(refuted)),
            Err(reason) => Answer::Undecided(reason),
        }
    }

    /// The answer when a cube has a model.
    pub fn solvable(&self, game: &Game, model: &[bool]) -> Answer {
        let tables = crate::search::sat::protocol(game, &self.answers, &self.formula, model);
        match tables {
            Ok(tables) => Answer::Solvable(tables, "solver"),
            Err(error) => Answer::Undecided(error.to_string()),
        }
    }
}

/// The evidence for a core: the formula as a file, the proof compressed.
#[cfg(feature = "cadical")]
fn certify(
    game: &Game,
    core: crate::search::sat::Core,
    stats: &mut Stats,
) -> Result<Refuted, String> {
    use crate::evidence::gzip;
    use crate::game::encode::Encoding;
    use std::io::Write as _;
    stats.proof = core.proof.len() as u64;
    let mut packed = gzip::writer(Vec::new());
    let packed = packed
        .write_all(&core.proof)
        .and_then(|()| packed.finish())
        .map_err(|error| error.to_string())?;
    let cnf = &core.formula.cnf;
    let encoding = Encoding::of(game);
    let broken = core.formula.plain < cnf.len();
    let symmetry = broken.then(|| encoding.symmetry().to_owned());
    Ok(Refuted {
        object: NoProtocol {
            encoding: encoding.name().to_owned(),
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
