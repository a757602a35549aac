//! `inequality` and `parameters`: one `comparison` per point, or an `enumeration` of the range.

use super::one_protocol::compare_enumeration;
use super::{Stop, Subject, at};
use crate::evidence::inequality::{Problem, ProblemError, Row, comparison_json};
use crate::evidence::item::{Enumeration, Raw};
use crate::evidence::ranges::Recorder;
use crate::evidence::scope::Verdict;
use crate::evidence::shape::Rejection;
use crate::evidence::statement::Statement;
use crate::file::expr::Limits;
use crate::game::structure::Code;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use serde_json::{Map, Value as Json, json};

/// Most points whose comparisons are listed one by one.
pub const MAX_LISTED: usize = 1_000;

/// Most characters of a comparison in a report.
const MAX_SHOWN: usize = 160;

/// Name of the enumeration of longer ranges.
pub const SEARCH: &str = "inequality-v1";

/// What all points of a claim say.
#[derive(Debug)]
pub enum Decided {
    /// Everything holds; the comparisons, if they are few enough to be listed.
    Holds {
        /// In loop order.
        listed: Option<Vec<Json>>,
        /// The enumeration otherwise, with its file.
        enumeration: Option<(Enumeration, Vec<u8>)>,
        /// Number of points.
        points: usize,
    },
    /// The first comparison that fails.
    Fails(Box<Row>),
}

/// Evaluates every comparison in loop order, up to the first that fails.
///
/// # Errors
/// A comparison that has no value, or is out of reach.
/// # Cost
/// Points times comparisons.
pub fn decide(
    statement: &Statement,
    limits: Limits,
    object: &str,
) -> Result<Decided, ProblemError> {
    let problem = Problem::new(statement, limits)?;
    let points = problem.points()?;
    let comparisons = points.len() * problem.entries();
    let mut listed = Vec::new();
    let mut recorder = Recorder::default();
    for point in &points {
        for entry in 0..problem.entries() {
            let row = problem.row(point, entry)?;
            if !row.holds {
                return Ok(Decided::Fails(Box::new(row)));
            }
            if points.len() <= MAX_LISTED {
                listed.push(comparison_json(&row.comparison));
            } else {
                recorder.item(&json!(row.comparison.relation.as_str()));
            }
        }
    }
    let enumeration = (points.len() > MAX_LISTED)
        .then(|| recorder.finish(SEARCH, vec![BigUint::from(comparisons)], object, Map::new()));
    let listed = enumeration.is_none().then_some(listed);
    Ok(Decided::Holds {
        listed,
        enumeration,
        points: points.len(),
    })
}

pub(super) fn check(subject: &Subject<'_>, evidence: &[Raw]) -> Result<String, Stop> {
    let decided =
        decide(&subject.statement, subject.options.limits, &subject.digest).map_err(|error| {
            Stop::Rejected(Rejection::new(
                "/statement",
                Code::Malformed,
                error.message,
                "comparisons that have a value",
            ))
        })?;
    let wrong_verdict = |found: String| {
        let expected = format!("what makes it {}", subject.verdict);
        Stop::Rejected(Rejection::new("/verdict", Code::Bound, found, expected))
    };
    match (decided, subject.verdict) {
        (Decided::Fails(row), Verdict::Refuted) => {
            subject.no_files()?;
            let [raw @ Raw::Comparison(stored)] = evidence else {
                let found: Vec<&str> = evidence.iter().map(Raw::kind).take(3).collect();
                return Err(subject.mismatch(0, &found.join(", "), "one `comparison`"));
            };
            compare(stored, &comparison_json(&row.comparison), &at(0, raw))?;
            Ok(failing(&row))
        }
        (Decided::Fails(row), _) => Err(wrong_verdict(failing(&row))),
        (Decided::Holds { points, .. }, Verdict::Refuted) => {
            Err(wrong_verdict(format!("it holds at all {points} points")))
        }
        (
            Decided::Holds {
                listed: Some(right),
                points,
                ..
            },
            _,
        ) => {
            subject.no_files()?;
            let found = evidence
                .iter()
                .filter(|raw| matches!(raw, Raw::Comparison(_)))
                .count();
            if found != right.len() || evidence.len() != right.len() {
                let message = format!("{} objects, {found} of them `comparison`", evidence.len());
                return Err(subject.mismatch(
                    0,
                    &message,
                    &format!("{} `comparison`", right.len()),
                ));
            }
            for (number, (raw, right)) in evidence.iter().zip(&right).enumerate() {
                if let Raw::Comparison(stored) = raw {
                    compare(stored, right, &at(number, raw))?;
                }
            }
            Ok(format!(
                "comparison: holds at all {points} {}",
                if points == 1 { "point" } else { "points" }
            ))
        }
        (
            Decided::Holds {
                enumeration: Some((right, file)),
                points,
                ..
            },
            _,
        ) => {
            let [raw @ Raw::Enumeration(stored)] = evidence else {
                let found: Vec<&str> = evidence.iter().map(Raw::kind).take(3).collect();
                return Err(subject.mismatch(0, &found.join(", "), "one `enumeration`"));
            };
            compare_enumeration(stored, &right, &at(0, raw))?;
            subject.only_record(&file)?;
            let total = right.total.to_u64().unwrap_or(u64::MAX);
            Ok(format!(
                "enumeration: {total} comparisons hold at all {points} points"
            ))
        }
        (Decided::Holds { .. }, _) => Err(subject.mismatch(0, "nothing", "an outcome")),
    }
}

/// The failing row in words: `at n = 17: 49 < 51`.
fn failing(row: &Row) -> String {
    let point: Vec<String> = row
        .point
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let place = if point.is_empty() {
        String::new()
    } else {
        format!("at {}: ", point.join(", "))
    };
    let text = format!(
        "{place}{} {} {}",
        shown(&row.comparison.left),
        row.comparison.relation.as_str(),
        shown(&row.comparison.right)
    );
    // Both sides stand in full in the evidence; a report has room for one line.
    if text.chars().count() <= MAX_SHOWN {
        return text;
    }
    text.chars().take(MAX_SHOWN).chain("...".chars()).collect()
}

/// A side in words, factored as it is written.
pub fn shown(side: &crate::exact::Written) -> String {
    use crate::exact::Written;
    match side {
        Written::Plain(number) => number.to_string(),
        Written::Pow(factors) => factors
            .iter()
            .map(|(base, exponent)| {
                let exponent = exponent.to_string();
                match exponent.as_str() {
                    "1" => base.to_string(),
                    plain if plain.bytes().all(|byte| byte.is_ascii_digit()) => {
                        format!("{base}^{plain}")
                    }
                    other => format!("{base}^({other})"),
                }
            })
            .collect::<Vec<_>>()
            .join(" * "),
        Written::Tower { base, exponent } => format!("({})^({})", shown(base), shown(exponent)),
        Written::Sum(terms) => terms.iter().map(shown).collect::<Vec<_>>().join(" + "),
    }
}

/// Compares a stored comparison with the recomputed one, key by key.
fn compare(stored: &Json, right: &Json, at: &str) -> Result<(), Rejection> {
    for key in ["left", "right", "relation", "cancelled", "k"] {
        if stored.get(key) != right.get(key) {
            let text = |json: &Json| json.get(key).map_or("nothing".to_owned(), Json::to_string);
            return Err(Rejection::new(
                format!("{at}/{key}"),
                Code::Arithmetic,
                text(stored),
                text(right),
            ));
        }
    }
    Ok(())
}
