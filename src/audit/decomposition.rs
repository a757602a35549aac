//! A decomposition, with evidence that the verifier has accepted.

use super::{Candidate, Decision, Finding, Found, Head, Stop};
use crate::evidence::decomposition::{Decomposed, Results, decomposition_json};
use crate::evidence::item::Evidence;
use crate::evidence::verify::Options;
use crate::evidence::{Scope, Statement, Verdict, digest};
use crate::exact::Digits;
use crate::file::Setting;
use crate::file::strategies::Strategy;
use crate::game::structure::Failure;
use crate::game::structure::decomposition::{Decomposition, Frame, Mode, Question, Set, symbolic};
use crate::search::decompose::{Control, Method, Work, decompose};
use num_bigint::BigUint;
use std::sync::atomic::AtomicBool;

/// The frame of a setting; `None` unless it is a hybrid game of composition with at least two steps.
pub fn frame<'a>(setting: &'a Setting, strategy: &'a Strategy) -> Option<Frame<'a>> {
    Frame::new(&setting.game, &*setting.task, &*strategy.protocol)
        .filter(|_| setting.task_json.get("composition").is_some())
}

/// The decomposition of a claim.
pub(super) fn candidate(
    setting: &Setting,
    strategy: &Strategy,
    stated: &Decomposed,
    options: &Options,
) -> Found {
    let frame = frame(setting, strategy)
        .ok_or_else(|| Stop::Undecided("not a hybrid game of composition".to_owned()))?;
    let control = Control {
        progress: &|_, _| {},
        stop: &AtomicBool::new(false),
        work: &Work::default(),
    };
    let search = BigUint::from(1u8) << 32u8;
    let (found, mode) = decompose(&frame, &stated.question, Method::Auto, &search, &control)?;
    let (proof, mode) = match provable(&frame, &stated.question, &found, mode, options) {
        Provable::As(proof, mode) => (proof, mode),
        Provable::No(reason) | Provable::Differs(reason) => return Err(Stop::Undecided(reason)),
    };
    let found = proof.unwrap_or(found);
    let failing = Results::of(&found)
        .first_false(&stated.holds, options.limits)
        .map_err(|(_, error)| Stop::Undecided(error.message))?;
    let verdict = if failing.is_none() {
        Verdict::Established
    } else {
        Verdict::Refuted
    };
    Ok(item(setting, &stated.question, &found, mode, verdict))
}

fn item(
    setting: &Setting,
    question: &Question,
    found: &Decomposition,
    mode: Mode,
    verdict: Verdict,
) -> Candidate {
    let json = decomposition_json(&setting.game, question, found, mode);
    Candidate::of(verdict, &setting.game, &[Evidence::Decomposition(json)])
}

/// In which form a chain can be verified.
enum Provable {
    /// This chain, or the one found.
    As(Option<Decomposition>, Mode),
    /// Not within the limit.
    No(String),
    /// The two ways to find the chain differ: a bug.
    Differs(String),
}

/// A listed chain that is too large for replay is proved by rules, if the strategy has them; both must have the same numbers.
fn provable(
    frame: &Frame<'_>,
    question: &Question,
    found: &Decomposition,
    mode: Mode,
    options: &Options,
) -> Provable {
    let limit = &options.max_inputs;
    let first = found.levels.first();
    let z: Vec<Vec<Digits>> = first
        .iter()
        .flat_map(|level| level.chosen.iter().map(|(_, members)| members.clone()))
        .collect();
    let runs = first.map_or_else(BigUint::default, |level| {
        frame.lower_size(&z) * &level.total
    });
    if mode == Mode::Symbolic || runs <= *limit {
        return Provable::As(None, mode);
    }
    match symbolic::build(frame, question, limit) {
        Ok(other) if same(found, &other) => Provable::As(Some(other), Mode::Symbolic),
        Ok(_) => Provable::Differs("listing and rules give different chains".to_owned()),
        Err(_) => Provable::No(format!(
            "{runs} runs on R x Z, more than the limit {limit} of the verifier; raise --max-inputs"
        )),
    }
}

/// The same chain but for the form of R.
fn same(one: &Decomposition, other: &Decomposition) -> bool {
    let bare = |found: &Decomposition| {
        let mut found = found.clone();
        for level in &mut found.levels {
            level.split.kept = Set::Product(Vec::new());
        }
        found
    };
    bare(one) == bare(other)
}

/// What became of a decomposition: what was found, how, and its evidence, or why it was not verified.
#[derive(Debug)]
pub struct Settled {
    /// The chain.
    pub found: Decomposition,
    /// How evidence is checked.
    pub mode: Mode,
    /// The evidence; why there is none when it is more work than allowed.
    pub decision: Result<Decision, String>,
}

/// Finds a decomposition and verifies its evidence, under the claim id `claim`.
///
/// # Errors
/// As the search; `Ok(Err(..))` when the verifier rejects what was found, which is a bug of this program.
pub fn settle(
    setting: &Setting,
    strategy: &Strategy,
    frame: &Frame<'_>,
    question: &Question,
    claim: &str,
    (method, search, options): (Method, &BigUint, &Options),
    control: &Control<'_>,
) -> Result<Result<Settled, String>, Failure> {
    let (found, mode) = decompose(frame, question, method, search, control)?;
    let (proof, mode) = match provable(frame, question, &found, mode, options) {
        Provable::As(proof, mode) => (proof, mode),
        Provable::No(reason) => {
            return Ok(Ok(Settled {
                found,
                mode,
                decision: Err(reason),
            }));
        }
        Provable::Differs(what) => return Ok(Err(what)),
    };
    let sizes = found
        .levels
        .iter()
        .map(|level| format!("R{} = {}", level.level, level.size()));
    let statement = Statement::Decomposition(Decomposed {
        question: question.clone(),
        holds: sizes.collect(),
    });
    let head = Head {
        claim,
        statement: statement.to_json(Some(&setting.game)),
        scope: &Scope::ThisProtocol,
        spec: &serde_json::json!({"game": setting.spec, "strategy": strategy.spec}),
        digest: digest::of_json(&setting.resolved(&strategy.resolved)),
    };
    let proof = proof.as_ref().unwrap_or(&found);
    let candidate = item(setting, question, proof, mode, Verdict::Established);
    let decision = match head.verify(candidate, options) {
        Finding::Decided(decision) => Ok(*decision),
        Finding::Undecided(reason) => Err(reason),
        Finding::Contradiction(reason) => return Ok(Err(reason)),
    };
    Ok(Ok(Settled {
        found,
        mode,
        decision,
    }))
}
