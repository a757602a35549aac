//! `correct` and `wrong`: `enumeration`, `counterexample`, `pair`, `conflict`.

use super::{Stop, Subject, at};
use crate::evidence::item::{Enumeration, Evidence, Raw};
use crate::evidence::ranges::Recorder;
use crate::evidence::scope::Verdict;
use crate::evidence::shape::Rejection;
use crate::evidence::statement::Statement;
use crate::file::setting::Setting;
use crate::game::structure::correct::{Item, Outcome, replay_all};
use crate::game::structure::{Code, Failure};
use crate::game::{Game, Protocol, Task};
use num_bigint::BigUint;
use serde_json::{Map, Value as Json, json};

/// Name of the enumeration of all inputs of one protocol.
pub const SEARCH: &str = "correct-v1";

pub(super) fn check(subject: &Subject<'_>, evidence: &[Raw]) -> Result<String, Stop> {
    let right =
        (subject.statement == Statement::Correct) == (subject.verdict == Verdict::Established);
    let expected = if right {
        "one `enumeration`"
    } else {
        "one `counterexample`, `pair` or `conflict`"
    };
    let [raw] = evidence else {
        return Err(subject.mismatch(0, &format!("{} objects", evidence.len()), expected));
    };
    let setting = subject.setting()?;
    let Some(strategy) = &subject.strategy else {
        return Err(subject.mismatch(0, "no strategy", "a strategy"));
    };
    let (game, task, protocol) = (&*setting.game, &*setting.task, &*strategy.protocol);
    let fits = matches!(
        (right, raw),
        (true, Raw::Enumeration(_))
            | (
                false,
                Raw::Counterexample { .. } | Raw::Pair { .. } | Raw::Conflict(_)
            )
    );
    if !fits {
        return Err(subject.mismatch(0, raw.kind(), expected));
    }
    if !right {
        subject.no_files()?;
    }
    let failed = |violation| Rejection::of_violation(&at(0, raw), violation);
    match subject.resolve(0, raw)? {
        Evidence::Enumeration(stored) => {
            enumeration(subject, setting, protocol, &stored, &at(0, raw))
        }
        Evidence::Counterexample(wrong) => {
            wrong.holds(game, task, protocol).map_err(failed)?;
            Ok(format!(
                "counterexample: answer {} is not accepted",
                wrong.answer.0
            ))
        }
        Evidence::Pair(pair) => {
            pair.holds(game, task, protocol).map_err(failed)?;
            Ok("indistinguishable pair: one view, no common answer".to_owned())
        }
        Evidence::Conflict(conflict) => {
            conflict.holds(game, task, protocol).map_err(failed)?;
            Ok(format!(
                "conflict: one view on {} inputs, no common answer",
                conflict.inputs.len()
            ))
        }
        // `fits` has left no other kind.
        Evidence::Cut
        | Evidence::Relay { .. }
        | Evidence::Cuts(_)
        | Evidence::Protocol(_)
        | Evidence::Family(_)
        | Evidence::Classes(_)
        | Evidence::Colouring(_)
        | Evidence::Comparison(_)
        | Evidence::Decomposition(_)
        | Evidence::Derived(..)
        | Evidence::NoAnswer(_)
        | Evidence::Ledger(_)
        | Evidence::Kernelled(..)
        | Evidence::Matrix(..)
        | Evidence::Reduction(..)
        | Evidence::NoProtocol(_) => Err(subject.mismatch(0, raw.kind(), expected)),
    }
}

/// The record of one full input.
fn record(item: &Item) -> Json {
    let symbols: Vec<String> = item.symbols.iter().map(ToString::to_string).collect();
    let answer = item
        .answer
        .map_or(Json::Null, |answer| json!(answer.0.to_string()));
    json!({"answer": answer, "symbols": symbols})
}

/// Replays a protocol on all inputs: the evidence object and its file, or how it is wrong.
///
/// # Errors
/// As [`replay_all`].
pub fn enumerate(
    game: &Game,
    task: &dyn Task,
    protocol: &dyn Protocol,
    object: &str,
    limit: &BigUint,
) -> Result<Result<(Enumeration, Vec<u8>), Outcome>, Failure> {
    let mut recorder = Recorder::default();
    let outcome = replay_all(game, task, protocol, limit, &mut |item| {
        recorder.item(&record(item));
    })?;
    let Outcome::Correct(correct) = outcome else {
        return Ok(Err(outcome));
    };
    let mut summary = Map::new();
    summary.insert("views".to_owned(), json!(correct.views.to_string()));
    let domain = game
        .players()
        .iter()
        .map(|player| player.domain.size().unwrap_or_default())
        .collect();
    Ok(Ok(recorder.finish(SEARCH, domain, object, summary)))
}

fn enumeration(
    subject: &Subject<'_>,
    setting: &Setting,
    protocol: &dyn Protocol,
    stored: &Enumeration,
    at: &str,
) -> Result<String, Stop> {
    let limit = &subject.options.max_inputs;
    let found = enumerate(
        &setting.game,
        &*setting.task,
        protocol,
        &subject.digest,
        limit,
    )
    .map_err(|failure| Stop::of_failure(at, failure))?;
    let (right, file) = match found {
        Ok(found) => found,
        Err(Outcome::Wrong(wrong)) => {
            return Err(Rejection::of_violation(at, wrong.violation()).into());
        }
        Err(Outcome::Correct(_)) => return Err(subject.mismatch(0, "correct", "an outcome")),
    };
    compare_enumeration(stored, &right, at)?;
    subject.only_record(&file)?;
    let views = right
        .summary
        .get("views")
        .and_then(Json::as_str)
        .unwrap_or("");
    Ok(format!(
        "enumeration: right on all {} inputs, {views} final views",
        right.total
    ))
}

/// Compares the stored summary with the recomputed one, field by field.
pub(super) fn compare_enumeration(
    stored: &Enumeration,
    right: &Enumeration,
    at: &str,
) -> Result<(), Rejection> {
    let list = |numbers: &[BigUint]| {
        numbers
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let fields = [
        (
            "search",
            Code::Coverage,
            stored.search.clone(),
            right.search.clone(),
        ),
        (
            "domain",
            Code::Coverage,
            list(&stored.domain),
            list(&right.domain),
        ),
        (
            "range",
            Code::Coverage,
            stored.range.to_string(),
            right.range.to_string(),
        ),
        (
            "total",
            Code::Arithmetic,
            stored.total.to_string(),
            right.total.to_string(),
        ),
        (
            "summary",
            Code::Arithmetic,
            Json::Object(stored.summary.clone()).to_string(),
            Json::Object(right.summary.clone()).to_string(),
        ),
        (
            "digest",
            Code::Digest,
            stored.digest.clone(),
            right.digest.clone(),
        ),
    ];
    match fields
        .into_iter()
        .find(|(_, _, stored, right)| stored != right)
    {
        None => Ok(()),
        Some((key, code, stored, right)) => {
            Err(Rejection::new(format!("{at}/{key}"), code, stored, right))
        }
    }
}
