//! A decomposition, with evidence that the verifier has accepted.

use super::{Candidate, Decision, Finding, Found, Head, Stop};
use crate::evidence::decomposition::{Decomposed, Results, decomposition_json};
use crate::evidence::item::Evidence;
use crate::evidence::verify::Options;
use crate::evidence::{Scope, Statement, Verdict, digest};
use crate::file::Setting;
use crate::file::strategies::Strategy;
use crate::game::structure::Failure;
use crate::game::structure::decomposition::{Decomposition, Frame, Mode, Question};
use crate::search::decompose::{Control, Method, Work, decompose};
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
    let limit = &options.max_inputs;
    let (found, mode) = decompose(&frame, &stated.question, Method::Auto, limit, &control)?;
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
    (method, search, options): (Method, &num_bigint::BigUint, &Options),
    control: &Control<'_>,
) -> Result<Result<Settled, String>, Failure> {
    let (found, mode) = decompose(frame, question, method, search, control)?;
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
    let candidate = item(setting, question, &found, mode, Verdict::Established);
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
