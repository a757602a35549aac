//! Runs a claim: picks a search, builds evidence, calls the verifier, states the verdict.
//!
//! A candidate of a search is only a proposal. What is reported is what the verifier has accepted; a candidate that does not
//! verify is a contradiction inside this program, never a verdict.

use crate::bounds::derive::closed::exponent_for_all_c;
use crate::bounds::derive::exhaust::{Region, least};
use crate::bounds::derive::{Answer, check_opened};
use crate::evidence::claim::Case;
use crate::evidence::derive::{
    Derivation, Question, bound_json, dual_json, inverse, primal_json, uniform_json,
};
use crate::evidence::item::{Enumeration, Evidence};
use crate::evidence::model::{ModelClaim, model_of};
use crate::evidence::statement::one_way_with;
use crate::evidence::verify::derive::BUDGET;
use crate::evidence::verify::numbers::{Decided, decide};
use crate::evidence::verify::one_protocol::enumerate;
use crate::evidence::verify::{Options, digest_of, verify_bytes};
use crate::evidence::witness::Attached;
use crate::evidence::{
    Checked, Outcome, Scope, Statement, Verdict, Witness, digest, gzip, inequality, ranges,
};
use crate::file::Setting;
use crate::file::strategies::Strategy;
use crate::game::flow::Flow;
use crate::game::structure::correct::{Outcome as Replay, Wrong};
use crate::game::structure::{Failure, ProtocolTables};
use crate::game::{Game, SlotId};
use crate::search;
use crate::search::solve::Method;
use num_bigint::BigUint;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

#[cfg(feature = "cadical")]
pub mod cubes;
pub mod decomposition;
pub mod frontier;
pub mod frontier_log;
pub mod matrix;
pub mod rank;
mod recursion;
mod reduction;
pub mod solve;

/// Most minimal cuts that are listed.
pub const MAX_CUTS: usize = 1 << 12;

/// What became of a claim.
#[derive(Debug)]
pub enum Finding {
    /// Decided, with evidence that was verified.
    Decided(Box<Decision>),
    /// Not decided; what was covered, or why.
    Undecided(String),
    /// A candidate that the verifier rejected: a bug of this program.
    Contradiction(String),
}

/// A verified verdict with its evidence.
#[derive(Debug)]
pub struct Decision {
    /// The verifier's token.
    pub checked: Checked,
    /// The evidence file.
    pub bytes: Vec<u8>,
    /// Attached files by name.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// A candidate: a verdict and the evidence proposed for it.
struct Candidate {
    verdict: Verdict,
    evidence: Vec<Json>,
    files: BTreeMap<String, Vec<u8>>,
    trust: Vec<String>,
}

impl Candidate {
    fn of(verdict: Verdict, game: &Game, evidence: &[Evidence]) -> Self {
        let evidence = evidence.iter().map(|item| item.to_json(game)).collect();
        Self {
            verdict,
            evidence,
            files: BTreeMap::new(),
            trust: Vec::new(),
        }
    }

    fn with_ranges(
        verdict: Verdict,
        game: Option<&Game>,
        found: (Enumeration, Vec<u8>),
    ) -> Option<Self> {
        let (enumeration, file) = found;
        let item = match game {
            Some(game) => Evidence::Enumeration(enumeration).to_json(game),
            None => enumeration_json(&enumeration)?,
        };
        let files = [(ranges::FILE.to_owned(), file)].into_iter().collect();
        Some(Self {
            verdict,
            evidence: vec![item],
            files,
            trust: Vec::new(),
        })
    }
}

/// The evidence object of an enumeration that is about no game.
fn enumeration_json(enumeration: &Enumeration) -> Option<Json> {
    let unit = crate::game::family::one_way::game(
        crate::exact::Alphabet::silent(),
        crate::exact::Domain::unit(),
        crate::exact::Domain::unit(),
    );
    unit.ok()
        .map(|game| Evidence::Enumeration(enumeration.clone()).to_json(&game))
}

/// Why no candidate was found.
enum Stop {
    Undecided(String),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Undecided(failure.to_string())
    }
}

type Found = Result<Candidate, Stop>;

/// Decides a case and verifies the evidence.
///
/// # Cost
/// That of the search for its kind; then the verification of what was found.
pub fn audit(case: &Case, options: &Options) -> Finding {
    let game = case.setting.as_ref().map(|setting| &*setting.game);
    let statement = case.statement.to_json(game);
    let about_game = case.statement.is_about_game();
    let object = digest_of(
        case.setting.as_ref(),
        case.strategy.as_ref(),
        about_game,
        &case.spec,
        &statement,
    );
    let candidate = match candidate(case, &object, options) {
        Ok(candidate) => candidate,
        Err(Stop::Undecided(reason)) => return Finding::Undecided(reason),
    };
    let head = Head {
        claim: &case.id,
        statement,
        scope: &case.scope,
        spec: &case.spec,
        digest: object,
    };
    head.verify(candidate, options)
}

/// What an evidence file says before its evidence.
struct Head<'a> {
    claim: &'a str,
    statement: Json,
    scope: &'a Scope,
    spec: &'a Json,
    digest: String,
}

impl Head<'_> {
    /// Writes the file and lets the verifier read it.
    fn verify(self, candidate: Candidate, options: &Options) -> Finding {
        let attached = candidate
            .files
            .iter()
            .map(|(name, bytes)| Some((name.clone(), attached(name, bytes)?)))
            .collect::<Option<_>>();
        let Some(files) = attached else {
            return Finding::Contradiction("an attached file that cannot be read".to_owned());
        };
        let name = format!("{}.json", self.claim);
        let witness = Witness {
            claim: self.claim.to_owned(),
            statement: self.statement,
            scope: self.scope.clone(),
            verdict: candidate.verdict,
            spec: self.spec.clone(),
            digest: self.digest,
            evidence: candidate.evidence,
            files,
            trust: candidate.trust,
        };
        let bytes = witness.to_bytes();
        match verify_bytes(&name, &bytes, &candidate.files, options) {
            Outcome::Accepted(checked) => Finding::Decided(Box::new(Decision {
                checked,
                bytes,
                files: candidate.files,
            })),
            Outcome::NotChecked(reason) => Finding::Undecided(reason),
            Outcome::Rejected(rejection) => Finding::Contradiction(rejection.to_string()),
        }
    }
}

/// Size and digests of an attached file; `None` when it does not decompress.
fn attached(name: &str, bytes: &[u8]) -> Option<Attached> {
    let sha256 = digest::of_bytes(bytes);
    let content = if gzip::is_compressed(name) {
        gzip::content_digest(bytes).ok()?
    } else {
        sha256.clone()
    };
    Some(Attached {
        bytes: bytes.len() as u64,
        sha256,
        content,
    })
}

fn candidate(case: &Case, object: &str, options: &Options) -> Found {
    match (&case.statement, &case.setting) {
        (Statement::Inequality { .. } | Statement::Parameters(_), _) => {
            numbers(&case.statement, object, options)
        }
        (Statement::Derive(derivation), _) => derive(derivation),
        (Statement::Model(claim), _) => model(claim, &case.spec),
        (Statement::Rank(ranking), _) => rank::candidate(ranking),
        (Statement::Recursion(claim), _) => recursion::candidate(claim, object, options),
        (Statement::Reduction(claim), _) => reduction::candidate(claim, options),
        (Statement::Matrix(claim), setting) => matrix::candidate(claim, setting.as_ref(), options),
        (_, None) => Err(Stop::Undecided("the claim names no game".to_owned())),
        (statement, Some(setting)) => match statement {
            Statement::Independent {
                of,
                view,
                after,
                pinned,
            } => {
                let flow = Flow {
                    game: &setting.game,
                    of: *of,
                    view: *view,
                    after: *after,
                };
                independent(&flow, pinned)
            }
            Statement::Cuts {
                of,
                view,
                after,
                equals,
            } => {
                let flow = Flow {
                    game: &setting.game,
                    of: *of,
                    view: *view,
                    after: *after,
                };
                cuts(&flow, equals)
            }
            Statement::Solvable | Statement::Unsolvable => {
                let established = *statement == Statement::Solvable;
                solvable(setting, established, options)
            }
            Statement::Correct | Statement::Wrong => match &case.strategy {
                None => Err(Stop::Undecided("the claim names no strategy".to_owned())),
                Some(strategy) => one_protocol(
                    setting,
                    strategy,
                    object,
                    *statement == Statement::Correct,
                    options,
                ),
            },
            Statement::Decomposition(stated) => match &case.strategy {
                None => Err(Stop::Undecided("the claim names no strategy".to_owned())),
                Some(strategy) => decomposition::candidate(setting, strategy, stated, options),
            },
            Statement::Count {
                bits,
                bound,
                number,
                ..
            } => {
                let (states, evidence) = count(setting, options)?;
                let found = if *bits {
                    BigUint::from(crate::exact::count::bits(&states))
                } else {
                    states
                };
                let verdict = if bound.holds(&found, number) {
                    Verdict::Established
                } else {
                    Verdict::Refuted
                };
                Ok(Candidate::of(verdict, &setting.game, &evidence))
            }
            Statement::Derive(derivation) => derive(derivation),
            Statement::Model(claim) => model(claim, &case.spec),
            Statement::Rank(ranking) => rank::candidate(ranking),
            Statement::Recursion(claim) => recursion::candidate(claim, object, options),
            Statement::Inequality { .. }
            | Statement::Parameters(_)
            | Statement::Matrix(_)
            | Statement::Reduction(_) => numbers(statement, object, options),
        },
    }
}

/// A number of a model: its ledger.
fn model(claim: &ModelClaim, spec: &Json) -> Found {
    let model = model_of(spec).map_err(|refusal| Stop::Undecided(refusal.to_string()))?;
    let (ledger, holds) = claim.ledger(&model).map_err(Stop::Undecided)?;
    let verdict = if holds {
        Verdict::Established
    } else {
        Verdict::Refuted
    };
    Ok(Candidate {
        verdict,
        evidence: vec![serde_json::json!({"ledger": ledger})],
        files: BTreeMap::new(),
        trust: Vec::new(),
    })
}

/// A bound of the proof scheme: the check of a point, a search for one, or the exponent program.
fn derive(derivation: &Derivation) -> Found {
    let undecided = |reason: String| Stop::Undecided(reason);
    let layout = &derivation.layout;
    let item = |verdict, tag: &str, body: Json| Candidate {
        verdict,
        evidence: vec![serde_json::json!({ tag: body })],
        files: BTreeMap::new(),
        trust: Vec::new(),
    };
    match &derivation.question {
        Question::Proved { cost, params } => {
            let ledger = check_opened(layout, cost, params, derivation.opening)
                .map_err(|refused| undecided(refused.to_string()))?;
            let verdict = match ledger.answer() {
                Answer::Proved => Verdict::Established,
                Answer::NotProved => Verdict::Refuted,
                Answer::Undecided => {
                    return Err(undecided("a comparison met the precision cap".to_owned()));
                }
            };
            Ok(item(
                verdict,
                "derive_bound",
                bound_json(layout, cost, params, &ledger),
            ))
        }
        Question::TokensAtMost { cost, tokens } => {
            let found = search::derive::search(layout, cost, derivation.opening).least;
            if let Some(point) = found.filter(|point| point.ledger.length <= *tokens) {
                return Ok(item(
                    Verdict::Established,
                    "derive_bound",
                    bound_json(layout, cost, &point.params, &point.ledger),
                ));
            }
            let below = u64::try_from(tokens + 1_u32)
                .map_err(|_| undecided(format!("no box of {tokens} tokens is exhausted")))?;
            let region = Region {
                below,
                nontrivial: false,
            };
            match least(layout, cost, region, BUDGET)
                .map_err(|stop| undecided(stop.to_string()))?
                .best
            {
                None => {
                    let body = serde_json::json!({"below": below.to_string(), "points": region.points().to_string()});
                    Ok(item(Verdict::Refuted, "derive_exhausted", body))
                }
                Some((_, params)) => {
                    let ledger = check_opened(layout, cost, &params, derivation.opening)
                        .map_err(|refused| undecided(refused.to_string()))?;
                    Ok(item(
                        Verdict::Established,
                        "derive_bound",
                        bound_json(layout, cost, &params, &ledger),
                    ))
                }
            }
        }
        Question::Exponent {
            cut,
            kappa,
            exponent,
        } => {
            let question = Derivation::program(layout, *cut, kappa)
                .map_err(|refused| undecided(refused.to_string()))?;
            let found = search::exponent::all_options(&question)
                .ok_or_else(|| undecided("the program was not solved".to_owned()))?;
            let (q, best) = found
                .best()
                .ok_or_else(|| undecided("no option".to_owned()))?;
            let duals: Vec<Json> = found
                .options
                .iter()
                .map(|(q, pair)| dual_json(*q, &question.program(*q), &pair.y))
                .collect();
            let body = serde_json::json!({"primal": primal_json(*q, &question.program(*q), &best.x), "duals": duals});
            let verdict = if inverse(&best.value).as_ref() == Some(exponent) {
                Verdict::Established
            } else {
                Verdict::Refuted
            };
            Ok(item(verdict, "derive_exponent", body))
        }
        Question::ForEveryC { power } => {
            let found =
                exponent_for_all_c(layout).map_err(|refused| undecided(refused.to_string()))?;
            if found > *power {
                return Err(undecided(format!(
                    "the closed form gives n at most c^{found} for every c >= 2, not c^{power}"
                )));
            }
            let body = uniform_json(layout).map_err(|refused| undecided(refused.to_string()))?;
            Ok(item(Verdict::Established, "derive_uniform", body))
        }
    }
}

fn independent(flow: &Flow<'_>, pinned: &[SlotId]) -> Found {
    let set: BTreeSet<SlotId> = pinned.iter().copied().collect();
    let Some(path) = flow.leak(&set) else {
        return Ok(Candidate::of(
            Verdict::Established,
            flow.game,
            &[Evidence::Cut],
        ));
    };
    let inputs = flow.relay_inputs();
    let (left, right) =
        inputs.ok_or_else(|| Stop::Undecided("the input has one element only".to_owned()))?;
    Ok(Candidate::of(
        Verdict::Refuted,
        flow.game,
        &[Evidence::Relay { path, left, right }],
    ))
}

fn cuts(flow: &Flow<'_>, equals: &[Vec<SlotId>]) -> Found {
    let found = flow
        .minimal_cuts(MAX_CUTS)
        .map_err(|error| Stop::Undecided(error.to_string()))?;
    let verdict = if found == equals {
        Verdict::Established
    } else {
        Verdict::Refuted
    };
    Ok(Candidate::of(verdict, flow.game, &[Evidence::Cuts(found)]))
}

/// Does any protocol exist?
fn solvable(setting: &Setting, claims_solvable: bool, options: &Options) -> Found {
    let ask = solve::Ask {
        method: Method::Auto,
        ..solve::Ask::default()
    };
    let mut stats = search::solve::Stats::default();
    match solve::proposal(setting, &ask, options, &mut stats)? {
        solve::Proposed::Undecided(reason) => Err(Stop::Undecided(reason)),
        solve::Proposed::Candidate(found) => Ok(Candidate {
            verdict: if found.exists == claims_solvable {
                Verdict::Established
            } else {
                Verdict::Refuted
            },
            evidence: vec![found.evidence.to_json(&setting.game)],
            trust: found.trust(),
            files: found.files,
        }),
    }
}

fn one_protocol(
    setting: &Setting,
    strategy: &Strategy,
    object: &str,
    claims_correct: bool,
    options: &Options,
) -> Found {
    let (game, task, protocol) = (&*setting.game, &*setting.task, &*strategy.protocol);
    let verdict = |right: bool| {
        if right == claims_correct {
            Verdict::Established
        } else {
            Verdict::Refuted
        }
    };
    match enumerate(game, task, protocol, object, &options.max_inputs)? {
        Ok(found) => Candidate::with_ranges(verdict(true), Some(game), found)
            .ok_or_else(|| Stop::Undecided("no record of the enumeration".to_owned())),
        Err(Replay::Wrong(wrong)) => {
            let evidence = match wrong {
                Wrong::Counterexample(wrong) => Evidence::Counterexample(wrong),
                Wrong::Pair(pair) => Evidence::Pair(pair),
                Wrong::Conflict(conflict) => Evidence::Conflict(conflict),
            };
            Ok(Candidate::of(verdict(false), game, &[evidence]))
        }
        Err(Replay::Correct(_)) => Err(Stop::Undecided("no outcome".to_owned())),
    }
}

/// The exact number of states of a one-way game: classes below, a protocol above.
fn count(setting: &Setting, options: &Options) -> Result<(BigUint, Vec<Evidence>), Stop> {
    let (task, limit) = (&*setting.task, &options.max_inputs);
    let found = search::classes::one_way(&setting.game, task, limit)?.ok_or_else(|| {
        Stop::Undecided("counting states needs a one-way game of two players".to_owned())
    })?;
    if !found.exact() {
        return Err(Stop::Undecided(format!(
            "between {} and {} states: the bounds do not meet",
            found.classes.members.len(),
            found.count
        )));
    }
    let states = BigUint::from(found.count);
    let game = one_way_with(&setting.game, &states).ok_or_else(|| {
        Stop::Undecided("counting states needs a one-way game of two players".to_owned())
    })?;
    let protocol: ProtocolTables = found.protocol(&game, task, limit)?;
    Ok((
        states,
        vec![
            Evidence::Classes(found.classes),
            Evidence::Protocol(protocol),
        ],
    ))
}

fn numbers(statement: &Statement, object: &str, options: &Options) -> Found {
    let decided = decide(statement, options.limits, object)
        .map_err(|error| Stop::Undecided(error.message))?;
    Ok(match decided {
        Decided::Fails(row) => Candidate {
            verdict: Verdict::Refuted,
            evidence: vec![
                serde_json::json!({"comparison": inequality::comparison_json(&row.comparison)}),
            ],
            files: BTreeMap::new(),
            trust: Vec::new(),
        },
        Decided::Holds {
            listed: Some(listed),
            ..
        } => Candidate {
            verdict: Verdict::Established,
            evidence: listed
                .into_iter()
                .map(|body| serde_json::json!({"comparison": body}))
                .collect(),
            files: BTreeMap::new(),
            trust: Vec::new(),
        },
        Decided::Holds {
            enumeration: Some(found),
            ..
        } => {
            return Candidate::with_ranges(Verdict::Established, None, found)
                .ok_or_else(|| Stop::Undecided("no record of the enumeration".to_owned()));
        }
        Decided::Holds { .. } => return Err(Stop::Undecided("no comparison".to_owned())),
    })
}
