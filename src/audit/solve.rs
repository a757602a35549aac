//! Does any protocol exist, with evidence that the verifier has accepted.

use super::{Candidate, Decision, Finding, Head};
use crate::evidence::item::{Derived, Evidence, NoProtocol};
use crate::evidence::ledger::{edges_of, game_json};
use crate::evidence::ranges::Recorder;
use crate::evidence::verify::Options;
use crate::evidence::verify::solve::{enumeration, record};
use crate::evidence::{Scope, Statement, Verdict};
use crate::evidence::{digest, ranges};
use crate::file::Setting;
use crate::game::Inputs;
use crate::game::structure::{AllProtocols, Failure, ProtocolTables};
use crate::search::ledger;
use crate::search::solve::{Answer, Method, Question, Stats, solve};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rayon::prelude::*;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Most bytes of a proof, unless the user says otherwise.
pub const MAX_PROOF: u64 = 1 << 30;

/// How a question is to be searched.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Which search.
    pub method: Method,
    /// Most bytes of a proof.
    pub max_proof: u64,
    /// Ends the search when set.
    pub stop: Arc<AtomicBool>,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            method: Method::Auto,
            max_proof: MAX_PROOF,
            stop: Arc::default(),
        }
    }
}

/// A verified answer.
#[derive(Debug)]
pub struct Settled {
    /// Whether a protocol exists.
    pub exists: bool,
    /// How it was found: `relay`, `solver`, `family`, ..
    pub how: &'static str,
    /// The protocol.
    pub tables: Option<ProtocolTables>,
    /// The inputs on which no protocol is right.
    pub core: Option<Vec<Inputs>>,
    /// True when no input of the core can be left out.
    pub minimal: bool,
    /// The evidence.
    pub decision: Decision,
}

/// What became of a question.
#[derive(Debug)]
pub enum Outcome {
    /// Answered.
    Settled(Box<Settled>),
    /// Not answered, and why.
    Undecided(String),
    /// The verifier rejected what was found: a bug of this program.
    Contradiction(String),
}

/// Evidence as the search proposes it.
pub(super) struct Found {
    pub(super) exists: bool,
    pub(super) how: &'static str,
    pub(super) evidence: Evidence,
    pub(super) files: BTreeMap<String, Vec<u8>>,
    pub(super) minimal: bool,
}

impl Found {
    fn new(exists: bool, how: &'static str, evidence: Evidence) -> Self {
        Self {
            exists,
            how,
            evidence,
            files: BTreeMap::new(),
            minimal: false,
        }
    }

    /// What no checker re-proves.
    pub(super) fn trust(&self) -> Vec<String> {
        if let Evidence::NoProtocol(found) = &self.evidence {
            found.trust()
        } else {
            Vec::new()
        }
    }
}

/// A candidate, or none.
pub(super) enum Proposed {
    Candidate(Box<Found>),
    Undecided(String),
}

/// The ledger of the proof scheme, edge by edge: quick, whatever the size of the game, but silent on most games.
fn by_ledger(setting: &Setting) -> Option<Proposed> {
    let (point, ledger) = ledger::find(&edges_of(setting)?).point?;
    let evidence = Evidence::Derived(Derived::Game, game_json(&point, &ledger));
    let found = Found::new(false, "ledger", evidence);
    Some(Proposed::Candidate(Box::new(found)))
}

/// Searches; nothing is verified yet.
///
/// # Errors
/// As [`solve`]; but with [`Method::Auto`] a game that is too large or stays undecided is answered if the ledger closes.
pub(super) fn proposal(
    setting: &Setting,
    ask: &Ask,
    options: &Options,
    stats: &mut Stats,
) -> Result<Proposed, Failure> {
    let question = Question {
        game: &setting.game,
        task: &*setting.task,
        limit: &options.max_inputs,
        method: ask.method,
        max_proof: ask.max_proof,
        stop: ask.stop.clone(),
    };
    if ask.method == Method::Ledger
        && let Some(proposal) = by_ledger(setting)
    {
        return Ok(proposal);
    }
    let answer = solve(&question, stats);
    if ask.method == Method::Auto
        && matches!(answer, Err(Failure::TooLarge(_)) | Ok(Answer::Undecided(_)))
        && let Some(proposal) = by_ledger(setting)
    {
        return Ok(proposal);
    }
    Proposed::of(setting, answer?, options)
}

impl Proposed {
    /// The evidence for an answer of the search.
    pub(super) fn of(
        setting: &Setting,
        answer: Answer,
        options: &Options,
    ) -> Result<Self, Failure> {
        let found = match answer {
            Answer::Solvable(tables, how) => Found::new(true, how, Evidence::Protocol(tables)),
            Answer::Family(family) => Found::new(false, "family", Evidence::Family(family)),
            Answer::Clique(clique) => Found::new(false, "colouring", Evidence::Colouring(clique)),
            Answer::NoAnswer(found) => {
                Found::new(false, "an input without answers", Evidence::NoAnswer(found))
            }
            Answer::Refuted(refuted) => {
                let files = [
                    (NoProtocol::FORMULA.to_owned(), refuted.formula),
                    (NoProtocol::PROOF.to_owned(), refuted.proof),
                ];
                Found {
                    files: files.into_iter().collect(),
                    minimal: refuted.minimal,
                    ..Found::new(false, "solver", Evidence::NoProtocol(refuted.object))
                }
            }
            Answer::Exhausted { protocols } => match enumerated(setting, &options.max_inputs)? {
                Ok(found) => found,
                Err(reason) => {
                    return Ok(Proposed::Undecided(format!(
                        "none of {protocols} protocols on the views that occur works, but an enumeration that can be repeated is too large ({reason}); use another --method"
                    )));
                }
            },
            Answer::Undecided(reason) => return Ok(Proposed::Undecided(reason)),
        };
        Ok(Proposed::Candidate(Box::new(found)))
    }
}

/// Protocols that are tried side by side.
const WAVE: u64 = 1 << 14;

/// The enumeration of all protocols as evidence; `Err` with the size when it is too large to be repeated.
fn enumerated(setting: &Setting, limit: &BigUint) -> Result<Result<Found, String>, Failure> {
    let all = match AllProtocols::new(&setting.game, &*setting.task, limit) {
        Ok(all) => all,
        Err(Failure::TooLarge(size)) => return Ok(Err(size.to_string())),
        Err(failure @ Failure::Violated(_)) => return Err(failure),
    };
    let total: BigUint = all.domain().iter().product();
    let total = total.to_u64().unwrap_or(u64::MAX);
    let (mut recorder, mut right) = (Recorder::default(), 0);
    for start in (0..total).step_by(usize::try_from(WAVE).unwrap_or(1)) {
        let wave: Vec<Option<u64>> = (start..total.min(start + WAVE))
            .into_par_iter()
            .map(|number| all.first_wrong(number))
            .collect::<Result<_, _>>()?;
        for wrong in wave {
            right += u64::from(wrong.is_none());
            recorder.item(&record(wrong));
        }
    }
    let object = digest::of_json(&setting.resolved(&Json::Null));
    let (enumeration, file) = enumeration(&all, recorder, &object, right);
    Ok(Ok(Found {
        files: [(ranges::FILE.to_owned(), file)].into_iter().collect(),
        ..Found::new(false, "all protocols", Evidence::Enumeration(enumeration))
    }))
}

/// Answers the question for a game and verifies the evidence, under the claim id `claim`.
///
/// # Errors
/// As [`solve`].
/// # Cost
/// That of the search; then the verification of what was found.
pub fn settle(
    setting: &Setting,
    claim: &str,
    ask: &Ask,
    options: &Options,
    stats: &mut Stats,
) -> Result<Outcome, Failure> {
    let found = match proposal(setting, ask, options, stats)? {
        Proposed::Undecided(reason) => return Ok(Outcome::Undecided(reason)),
        Proposed::Candidate(found) => *found,
    };
    Ok(conclude(setting, claim, found, options))
}

/// Writes the evidence and lets the verifier read it.
pub(super) fn conclude(setting: &Setting, claim: &str, found: Found, options: &Options) -> Outcome {
    let statement = if found.exists {
        Statement::Solvable
    } else {
        Statement::Unsolvable
    };
    let head = Head {
        claim,
        statement: statement.to_json(Some(&setting.game)),
        scope: &Scope::EveryProtocolOfThisGame,
        spec: &serde_json::json!({ "game": setting.spec }),
        digest: digest::of_json(&setting.resolved(&Json::Null)),
    };
    let candidate = Candidate {
        verdict: Verdict::Established,
        evidence: vec![found.evidence.to_json(&setting.game)],
        trust: found.trust(),
        files: found.files,
    };
    match head.verify(candidate, options) {
        Finding::Undecided(reason) => Outcome::Undecided(reason),
        Finding::Contradiction(reason) => Outcome::Contradiction(reason),
        Finding::Decided(decision) => {
            let (mut tables, mut core) = (None, None);
            if let Evidence::Protocol(protocol) = found.evidence {
                tables = Some(protocol);
            } else if let Evidence::NoProtocol(object) = found.evidence {
                core = Some(object.inputs);
            }
            Outcome::Settled(Box::new(Settled {
                exists: found.exists,
                how: found.how,
                tables,
                core,
                minimal: found.minimal,
                decision: *decision,
            }))
        }
    }
}
