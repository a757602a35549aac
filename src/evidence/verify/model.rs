//! `model`: the ledger computed again from the configuration.

use super::{Stop, Subject, at};
use crate::evidence::canonical::pointer;
use crate::evidence::item::Raw;
use crate::evidence::model::model_of;
use crate::evidence::scope::Verdict;
use crate::evidence::shape::Rejection;
use crate::evidence::statement::Statement;
use crate::game::structure::Code;
use serde_json::Value as Json;

pub(super) fn check(subject: &Subject<'_>, spec: &Json, evidence: &[Raw]) -> Result<String, Stop> {
    subject.no_files()?;
    let Statement::Model(claim) = &subject.statement else {
        return Err(subject.mismatch(0, "another statement", "model"));
    };
    let [raw @ Raw::Ledger(stored)] = evidence else {
        let found: Vec<&str> = evidence.iter().map(Raw::kind).collect();
        return Err(subject.mismatch(0, &found.join(", "), "`ledger`"));
    };
    let model = model_of(spec).map_err(|refusal| {
        Rejection::new(
            "/spec/config",
            Code::Malformed,
            refusal.to_string(),
            "a configuration that can be read",
        )
    })?;
    let (ledger, holds) = claim.ledger(&model).map_err(|reason| {
        Rejection::new(
            "/statement/model/of",
            Code::Malformed,
            reason,
            "a number of this model",
        )
    })?;
    equal(stored, &ledger, &at(0, raw))?;
    if holds != (subject.verdict == Verdict::Established) {
        let found = ledger["found"].as_str().unwrap_or_default().to_owned();
        return Err(Rejection::new(
            "/statement/model",
            Code::Bound,
            found,
            format!("what makes the statement {}", subject.verdict),
        )
        .into());
    }
    let found = ledger["found"].as_str().unwrap_or_default();
    Ok(format!(
        "ledger of {} rows: {found}",
        ledger["rows"].as_array().map_or(0, Vec::len)
    ))
}

/// The first place where two values differ: `size` for a list of another length, else `arithmetic`.
fn equal(found: &Json, right: &Json, at: &str) -> Result<(), Rejection> {
    match (found, right) {
        (Json::Object(found), Json::Object(right)) => {
            for (key, value) in right {
                equal(
                    found.get(key).unwrap_or(&Json::Null),
                    value,
                    &pointer(at, key),
                )?;
            }
            Ok(())
        }
        (Json::Array(found), Json::Array(right)) => {
            if found.len() != right.len() {
                return Err(Rejection::new(
                    at,
                    Code::Size,
                    format!("{} rows", found.len()),
                    format!("{} rows", right.len()),
                ));
            }
            for (i, (found, right)) in found.iter().zip(right).enumerate() {
                equal(found, right, &format!("{at}/{i}"))?;
            }
            Ok(())
        }
        _ if found == right => Ok(()),
        _ => Err(Rejection::new(
            at,
            Code::Arithmetic,
            found.to_string(),
            right.to_string(),
        )),
    }
}
