//! `recursion`: the machine rerun on every input, or on the one where it departs from k-hop.

use super::one_protocol::compare_enumeration;
use super::{Stop, Subject, at};
use crate::evidence::item::{Enumeration, Raw};
use crate::evidence::ranges::Recorder;
use crate::evidence::recursion::{Departure, MachineError, Recursion, hops};
use crate::evidence::scope::Verdict;
use crate::evidence::shape::Rejection;
use crate::evidence::statement::Statement;
use crate::file::expr::Limits;
use crate::game::structure::Code;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use serde_json::{Map, json};
use std::collections::BTreeMap;

/// Name of the enumeration.
const SEARCH: &str = "recursion-v1";

/// What all points say.
#[derive(Debug)]
pub enum Decided {
    /// Right everywhere: the record.
    Holds(Enumeration, Vec<u8>),
    /// The first point that fails, with its shortest and then first input.
    Departs(Box<Departure>),
}

/// Compares machine and definition on every input, point by point, up to the first point that fails.
///
/// # Errors
/// What does not compile or has no value.
/// # Cost
/// Points times inputs times positions times layers.
pub fn decide(claim: &Recursion, limits: Limits, object: &str) -> Result<Decided, MachineError> {
    let mut recorder = Recorder::default();
    let points = claim.points()?;
    for point in &points {
        let found = claim.departure(point, limits, &mut |said| recorder.item(&json!(said)))?;
        if let Some(found) = found {
            return Ok(Decided::Departs(Box::new(found)));
        }
    }
    let items = claim.inputs() * points.len();
    let (enumeration, file) = recorder.finish(SEARCH, vec![items], object, Map::new());
    Ok(Decided::Holds(enumeration, file))
}

fn unbuilt(error: &MachineError) -> Stop {
    Rejection::new(
        format!("/statement/recursion/{}", error.key),
        Code::Malformed,
        error.message.clone(),
        "a machine that can be run",
    )
    .into()
}

pub(super) fn check(subject: &Subject<'_>, evidence: &[Raw]) -> Result<String, Stop> {
    let Statement::Recursion(claim) = &subject.statement else {
        return Err(subject.mismatch(0, "another statement", "recursion"));
    };
    let limits = subject.options.limits;
    let points = claim.points().map_err(|error| unbuilt(&error))?;
    for point in &points {
        claim
            .machine(point, limits)
            .map_err(|error| unbuilt(&error))?;
    }
    match (subject.verdict, evidence) {
        (Verdict::Established, [raw @ Raw::Enumeration(stored)]) => {
            let work = claim.inputs() * points.len();
            if work > subject.options.max_inputs {
                return Err(Stop::NotChecked(format!("{work} runs")));
            }
            match decide(claim, limits, &subject.digest).map_err(|error| unbuilt(&error))? {
                Decided::Departs(found) => Err(Rejection::new(
                    "/verdict",
                    Code::Bound,
                    found.shown(claim.symbols),
                    "no departure",
                )
                .into()),
                Decided::Holds(right, file) => {
                    compare_enumeration(stored, &right, &at(0, raw))?;
                    subject.only_record(&file)?;
                    Ok(format!(
                        "enumeration: right at every position of {} inputs, {} points",
                        claim.inputs(),
                        points.len()
                    ))
                }
            }
        }
        (Verdict::Refuted, [raw @ Raw::Counterexample { input, answer }]) => {
            subject.no_files()?;
            let answer = answer.to_u64().unwrap_or(u64::MAX);
            departs(claim, &points, input, answer, &at(0, raw), subject)
        }
        (Verdict::Established, _) => {
            Err(subject.mismatch(0, &kinds(evidence), "one `enumeration`"))
        }
        (_, _) => Err(subject.mismatch(0, &kinds(evidence), "one `counterexample`")),
    }
}

fn kinds(evidence: &[Raw]) -> String {
    evidence
        .iter()
        .map(Raw::kind)
        .take(3)
        .collect::<Vec<_>>()
        .join(", ")
}

fn departs(
    claim: &Recursion,
    points: &[Vec<(String, BigInt)>],
    given: &BTreeMap<String, Vec<u64>>,
    answer: u64,
    at: &str,
    subject: &Subject<'_>,
) -> Result<String, Stop> {
    let domain = |key: &str, found: String, expected: &str| -> Stop {
        Rejection::new(format!("{at}/input/{key}"), Code::Domain, found, expected).into()
    };
    let word = |key: &str| {
        given
            .get(key)
            .map(Vec::as_slice)
            .ok_or_else(|| domain(key, "nothing".to_owned(), "a list of numbers"))
    };
    let input = word("input")?;
    let legal = !input.is_empty()
        && input.len() <= claim.length
        && input.iter().all(|symbol| *symbol < claim.symbols);
    if !legal {
        return Err(domain(
            "input",
            format!("{input:?}"),
            "an input of the statement",
        ));
    }
    let position = match word("position")? {
        [position] if *position >= 1 && *position <= input.len() as u64 => {
            position.to_usize().unwrap_or(1)
        }
        other => {
            return Err(domain(
                "position",
                format!("{other:?}"),
                "a position of the input",
            ));
        }
    };
    let matches = |point: &&Vec<(String, BigInt)>| {
        given.len() == point.len() + 2
            && point.iter().all(|(name, value)| {
                given.get(name).is_some_and(
                    |digits| matches!(digits.as_slice(), [digit] if BigInt::from(*digit) == *value),
                )
            })
    };
    let point = points
        .iter()
        .find(matches)
        .ok_or_else(|| domain("k", "another point".to_owned(), "a point of `for`"))?;
    let machine = claim
        .machine(point, subject.options.limits)
        .map_err(|error| unbuilt(&error))?;
    let said = machine.outputs(input, claim.symbols).map_err(|message| {
        Rejection::new(
            format!("{at}/input"),
            Code::Replay,
            message,
            "a run of the machine",
        )
    })?[position - 1];
    if said != answer {
        return Err(Rejection::new(
            format!("{at}/answer"),
            Code::Replay,
            answer.to_string(),
            said.to_string(),
        )
        .into());
    }
    let right = hops(input, claim.symbols, machine.hops())[position - 1];
    if said == right {
        return Err(Rejection::new(
            format!("{at}/answer"),
            Code::Accepted,
            said.to_string(),
            "a wrong answer",
        )
        .into());
    }
    let found = Departure {
        point: point.clone(),
        input: input.to_vec(),
        position,
        machine: said,
        right,
        hops: machine.hops(),
    };
    Ok(format!("counterexample: {}", found.shown(claim.symbols)))
}
