//! `matrix`: a tree from above, ranks, fooling sets or an exhausted table from below; all matrices of a size.

use super::{Stop, Subject, at};
use crate::evidence::item::Raw;
use crate::evidence::matrix::{
    AboutMatrix, DepthClaim, MatrixClaim, read_exhausted, read_fooling_set, read_minors, read_tree,
    rejection,
};
use crate::evidence::scope::Verdict;
use crate::evidence::shape::{Place, Rejection};
use crate::evidence::statement::Statement;
use crate::file::{Fault, matrix as file};
use crate::game::structure::Code;
use crate::matrix::small::Depths;
use crate::matrix::variant::{NEVER, Rounds};
use crate::matrix::{Flaw, Matrix, bits};
use num_bigint::BigUint;
use serde_json::{Value as Json, json};

/// Most parts, and most steps of an exhaustion, that are looked at.
pub const LIMIT: u64 = 1 << 26;

/// Most entries of the matrices of which all are enumerated.
const MAX_ENTRIES: usize = 16;

pub(super) fn check(subject: &Subject<'_>, evidence: &[Raw]) -> Result<String, Stop> {
    subject.no_files()?;
    let Statement::Matrix(claim) = &subject.statement else {
        return Err(subject.mismatch(0, "another statement", "matrix"));
    };
    match &**claim {
        MatrixClaim::Histogram {
            rows,
            columns,
            counts,
        } => histogram(subject, evidence, [*rows, *columns], counts),
        MatrixClaim::Depth(claim) => {
            let of_game;
            let matrix = if let Some(matrix) = &claim.matrix {
                matrix
            } else {
                of_game = matrix_of_game(subject)?;
                &of_game
            };
            depth(subject, evidence, claim, matrix)
        }
    }
}

fn matrix_of_game(subject: &Subject<'_>) -> Result<Matrix, Stop> {
    file::of_setting(subject.setting()?, &subject.options.max_inputs).map_err(|error| {
        match error.fault {
            Fault::Size => Stop::NotChecked(error.message),
            Fault::Input => Rejection::new(
                "/spec",
                Code::Malformed,
                error.message,
                "a function of two players",
            )
            .into(),
        }
    })
}

/// What the evidence proves: D >= lower, D <= upper.
#[derive(Default)]
struct Proved {
    lower: Option<BigUint>,
    upper: Option<BigUint>,
    words: Vec<String>,
}

fn depth(
    subject: &Subject<'_>,
    evidence: &[Raw],
    claim: &DepthClaim,
    matrix: &Matrix,
) -> Result<String, Stop> {
    let mut proved = Proved::default();
    let expected = "a `tree`, one lower bound, or both in this order, as the statement needs";
    for (number, raw) in evidence.iter().enumerate() {
        let Raw::Matrix(kind, body) = raw else {
            return Err(subject.mismatch(number, raw.kind(), expected));
        };
        let place = at(number, raw);
        let is_tree = *kind == AboutMatrix::Tree;
        let out_of_order = is_tree && number > 0 || !is_tree && proved.lower.is_some();
        let other = *kind == AboutMatrix::DepthHistogram
            || (*kind == AboutMatrix::RoundExhausted) != claim.rounds.is_some()
                && matches!(kind, AboutMatrix::RoundExhausted | AboutMatrix::Exhausted);
        if out_of_order || other {
            return Err(subject.mismatch(number, raw.kind(), expected));
        }
        let read = Place {
            at: place.clone(),
            json: body,
        };
        prove(&mut proved, *kind, &read, claim, matrix)?;
    }
    let lower = proved.lower.clone().unwrap_or_default();
    let given = [proved.lower.is_some(), proved.upper.is_some()];
    let established = subject.verdict == Verdict::Established;
    match claim.decided(&lower, proved.upper.as_ref()) {
        Some((verdict, needed)) if verdict == established => {
            if needed == given {
                Ok(proved.words.join("; "))
            } else {
                let found = format!("{} objects", evidence.len());
                Err(subject.mismatch(0, &found, expected))
            }
        }
        Some(_) | None => {
            let upper = proved
                .upper
                .map_or(String::new(), |upper| format!(" and D <= {upper}"));
            let expected = format!(
                "what makes `{} = {}` {}",
                claim.bound.key(),
                claim.number,
                subject.verdict
            );
            let found = format!("D >= {lower}{upper}");
            Err(Rejection::new("/statement/matrix", Code::Bound, found, expected).into())
        }
    }
}

/// Checks one object.
fn prove(
    proved: &mut Proved,
    kind: AboutMatrix,
    body: &Place<'_>,
    claim: &DepthClaim,
    matrix: &Matrix,
) -> Result<(), Stop> {
    let failed = |flaw: Flaw| match rejection(&body.at, &flaw) {
        Ok(rejection) => Stop::Rejected(rejection),
        Err(reason) => Stop::NotChecked(reason),
    };
    let by_leaves = |leaves: usize, what: &str| {
        let words = format!("{what}: at least {leaves} leaves, D >= {}", bits(leaves));
        (BigUint::from(bits(leaves)), words)
    };
    let (lower, words) = match kind {
        AboutMatrix::Tree => {
            let found = read_tree(body)?.check(matrix).map_err(failed)?;
            if let Some(most) = claim.rounds.filter(|most| found.rounds > *most) {
                let found = format!("{} rounds", found.rounds);
                let expected = format!("at most {most}");
                return Err(Rejection::new(&body.at, Code::Bound, found, expected).into());
            }
            proved.upper = Some(BigUint::from(found.depth));
            proved.words.push(format!(
                "tree: D <= {}, {} leaves, {} rounds",
                found.depth, found.leaves, found.rounds
            ));
            return Ok(());
        }
        AboutMatrix::Minor => {
            by_leaves(read_minors(body)?.check(matrix).map_err(failed)?, "minors")
        }
        AboutMatrix::FoolingSet => by_leaves(
            read_fooling_set(body)?.check(matrix).map_err(failed)?,
            "fooling sets",
        ),
        AboutMatrix::Exhausted => {
            let table = read_exhausted(body)?;
            table.check(matrix, LIMIT).map_err(failed)?;
            let rectangles: usize = table.levels.iter().map(Vec::len).sum();
            let bits = table.bits();
            let words = format!("exhausted: no tree of {bits} bits, {rectangles} hard rectangles");
            (BigUint::from(bits + 1), words)
        }
        AboutMatrix::RoundExhausted => round_exhausted(body, claim, matrix)?,
        AboutMatrix::DepthHistogram => {
            return Err(Stop::NotChecked(
                "a histogram is about all matrices".to_owned(),
            ));
        }
    };
    proved.lower = Some(lower);
    proved.words.push(words);
    Ok(())
}

/// Repeats the exhaustion of all trees of few rounds.
fn round_exhausted(
    body: &Place<'_>,
    claim: &DepthClaim,
    matrix: &Matrix,
) -> Result<(BigUint, String), Stop> {
    let rounds = claim.rounds.unwrap_or(1);
    let least = Rounds::new(matrix, rounds, LIMIT)
        .map_err(|flaw| Stop::NotChecked(flaw.to_string()))?
        .least(rounds);
    let right = if least == NEVER {
        Json::Null
    } else {
        json!(least)
    };
    let stored = body.get("depth")?;
    if *stored.json != right {
        let (found, right) = (stored.json.to_string(), right.to_string());
        return Err(Rejection::new(stored.at, Code::Arithmetic, found, right).into());
    }
    if least == NEVER {
        // More than any depth that is stated.
        let words = format!("exhausted: no tree of {rounds} rounds at all");
        return Ok((&claim.number + 1_u32, words));
    }
    let words = format!("exhausted: no tree of {rounds} rounds is shallower than {least}");
    Ok((BigUint::from(least), words))
}

fn histogram(
    subject: &Subject<'_>,
    evidence: &[Raw],
    [rows, columns]: [usize; 2],
    counts: &[BigUint],
) -> Result<String, Stop> {
    let expected = "one `depth_histogram`";
    let [raw @ Raw::Matrix(AboutMatrix::DepthHistogram, body)] = evidence else {
        let found = evidence.first().map_or("nothing", Raw::kind);
        return Err(subject.mismatch(0, found, expected));
    };
    let depths = Depths::new(rows, columns).filter(|_| rows * columns <= MAX_ENTRIES);
    let Some(depths) = depths else {
        return Err(Stop::NotChecked(format!(
            "all {rows}x{columns} matrices: more than {MAX_ENTRIES} entries, or none"
        )));
    };
    let right: Vec<String> = depths
        .histogram(rows, columns)
        .iter()
        .map(ToString::to_string)
        .collect();
    if body["counts"] != json!(right) {
        let place = format!("{}/counts", at(0, raw));
        let (found, right) = (body["counts"].to_string(), json!(right).to_string());
        return Err(Rejection::new(place, Code::Arithmetic, found, right).into());
    }
    let equal = counts
        .iter()
        .map(ToString::to_string)
        .eq(right.iter().cloned());
    if equal != (subject.verdict == Verdict::Established) {
        let place = "/statement/matrix/histogram";
        let found = format!("{} counts", counts.len());
        let expected = format!("what makes it {}: {}", subject.verdict, right.join(", "));
        return Err(Rejection::new(place, Code::Bound, found, expected).into());
    }
    let named = right
        .iter()
        .enumerate()
        .map(|(d, count)| format!("D = {d}: {count}"));
    Ok(format!(
        "all {} matrices: {}",
        1_u64 << (rows * columns),
        named.collect::<Vec<_>>().join(", ")
    ))
}
