//! Claims about pointer recursions: every input, up to the first departure.

use super::{Candidate, Found, Stop};
use crate::evidence::Verdict;
use crate::evidence::recursion::Recursion;
use crate::evidence::verify::Options;
use crate::evidence::verify::recursion::{Decided, decide};
use std::collections::BTreeMap;

/// Decides a claim about a recursion.
pub(super) fn candidate(claim: &Recursion, object: &str, options: &Options) -> Found {
    let undecided = |error: String| Stop::Undecided(error);
    let points = claim.points().map_err(|error| undecided(error.message))?;
    let work = claim.inputs() * points.len();
    if work > options.max_inputs {
        return Err(undecided(format!(
            "{work} runs, more than --max-inputs {}",
            options.max_inputs
        )));
    }
    match decide(claim, options.limits, object).map_err(|error| undecided(error.message))? {
        Decided::Holds(enumeration, file) => {
            Candidate::with_ranges(Verdict::Established, None, (enumeration, file))
                .ok_or_else(|| undecided("no record of the enumeration".to_owned()))
        }
        Decided::Departs(found) => Ok(Candidate {
            verdict: Verdict::Refuted,
            evidence: vec![found.to_json()],
            files: BTreeMap::new(),
            trust: Vec::new(),
        }),
    }
}
