//! The depth of a matrix, with evidence that the verifier has accepted.

use super::{Candidate, Finding, Found, Head, Stop};
use crate::evidence::matrix::{
    AboutMatrix, DepthClaim, MatrixClaim, exhausted_json, fooling_set_json, minors_json, tree_json,
};
use crate::evidence::statement::{Bound, plain_digest};
use crate::evidence::verify::Options;
use crate::evidence::verify::matrix::LIMIT;
use crate::evidence::{Scope, Statement, Verdict};
use crate::file::{Setting, matrix as file};
use crate::matrix::small::{Depths, MAX_CELLS};
use crate::matrix::variant::{NEVER, Rounds};
use crate::matrix::{Matrix, Party};
use crate::search::matrix::{Found as Searched, Lower, depth, tree_of_rounds};
use num_bigint::BigUint;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Decides a claim about a matrix; nothing is verified yet.
pub(super) fn candidate(
    claim: &MatrixClaim,
    setting: Option<&Setting>,
    options: &Options,
) -> Found {
    match claim {
        MatrixClaim::Histogram {
            rows,
            columns,
            counts,
        } => histogram(*rows, *columns, counts),
        MatrixClaim::Depth(claim) => {
            let undecided = |reason: String| Stop::Undecided(reason);
            let of_game = || match setting {
                None => Err(undecided("the claim names no matrix".to_owned())),
                Some(setting) => file::of_setting(setting, &options.max_inputs)
                    .map_err(|error| undecided(error.to_string())),
            };
            let matrix = claim.matrix.clone().map_or_else(of_game, Ok)?;
            match claim.rounds {
                None => by_depth(claim, &depth(&matrix, &AtomicBool::new(false))),
                Some(rounds) => by_rounds(claim, &matrix, rounds),
            }
        }
    }
}

/// The evidence object of a lower bound.
fn lower_json(lower: &Lower) -> Json {
    let (kind, body) = match lower {
        Lower::Minors(minors) => (AboutMatrix::Minor, minors_json(minors)),
        Lower::FoolingSet(sets) => (AboutMatrix::FoolingSet, fooling_set_json(sets)),
        Lower::Exhausted(table) => (AboutMatrix::Exhausted, exhausted_json(table)),
    };
    json!({kind.tag(): body})
}

fn by_depth(claim: &DepthClaim, found: &Searched) -> Found {
    let tree = json!({AboutMatrix::Tree.tag(): tree_json(&found.tree)});
    let (lower, upper) = (BigUint::from(found.lower), BigUint::from(found.upper));
    choose(
        claim,
        &lower,
        Some(&upper),
        lower_json(&found.proof),
        Some(tree),
    )
}

fn by_rounds(claim: &DepthClaim, matrix: &Matrix, rounds: usize) -> Found {
    let mut exhausted =
        Rounds::new(matrix, rounds, LIMIT).map_err(|flaw| Stop::Undecided(flaw.to_string()))?;
    let least = exhausted.least(rounds);
    let tag = AboutMatrix::RoundExhausted.tag();
    if least == NEVER {
        let proof = json!({tag: {"depth": null}});
        return choose(claim, &(&claim.number + 1_u32), None, proof, None);
    }
    let proof = json!({tag: {"depth": least}});
    let tree = tree_of_rounds(matrix, &mut exhausted, rounds);
    let tree = tree.map(|tree| json!({AboutMatrix::Tree.tag(): tree_json(&tree)}));
    let depth = BigUint::from(least);
    choose(claim, &depth, Some(&depth), proof, tree)
}

/// The objects that the statement needs.
fn choose(
    claim: &DepthClaim,
    lower: &BigUint,
    upper: Option<&BigUint>,
    proof: Json,
    tree: Option<Json>,
) -> Found {
    let Some((holds, [below, above])) = claim.decided(lower, upper) else {
        let upper = upper.map_or("more".to_owned(), ToString::to_string);
        return Err(Stop::Undecided(format!("between {lower} and {upper} bits")));
    };
    let evidence = tree
        .filter(|_| above)
        .into_iter()
        .chain(below.then_some(proof))
        .collect();
    Ok(plain(holds, evidence))
}

fn plain(holds: bool, evidence: Vec<Json>) -> Candidate {
    Candidate {
        verdict: if holds {
            Verdict::Established
        } else {
            Verdict::Refuted
        },
        evidence,
        files: BTreeMap::new(),
        trust: Vec::new(),
    }
}

fn histogram(rows: usize, columns: usize, counts: &[BigUint]) -> Found {
    let depths = Depths::new(rows, columns).ok_or_else(|| {
        Stop::Undecided(format!(
            "more than {MAX_CELLS} entries, or none: {rows}x{columns}"
        ))
    })?;
    let found = depths.histogram(rows, columns);
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    let holds = found
        .into_iter()
        .map(BigUint::from)
        .eq(counts.iter().cloned());
    let body = json!({AboutMatrix::DepthHistogram.tag(): {"counts": texts}});
    Ok(plain(holds, vec![body]))
}

/// Verifies, under the claim id `claim`, that the depth of a matrix is what was found.
pub fn settle(matrix: &Matrix, claim: &str, found: &Searched, options: &Options) -> Finding {
    let stated = DepthClaim {
        matrix: Some(matrix.clone()),
        rounds: None,
        bound: Bound::Equals,
        number: BigUint::from(found.upper),
    };
    let candidate = match by_depth(&stated, found) {
        Ok(candidate) => candidate,
        Err(Stop::Undecided(reason)) => return Finding::Undecided(reason),
    };
    let statement = Statement::Matrix(Box::new(MatrixClaim::Depth(stated))).to_json(None);
    let spec = json!({});
    let digest = plain_digest(&spec, &statement);
    let head = Head {
        claim,
        statement,
        scope: &Scope::ThisParameterPoint,
        spec: &spec,
        digest,
    };
    head.verify(candidate, options)
}

/// The least depth with at most `rounds` rounds for each number of rounds up to the first that reaches `depth`; `None` when the
/// exhaustion would take too long.
pub fn depths_by_rounds(matrix: &Matrix, depth: u32) -> Option<Vec<Option<u8>>> {
    let mut found = Vec::new();
    for rounds in 1..=usize::try_from(depth).ok()?.max(1) {
        let least = Rounds::new(matrix, rounds, LIMIT).ok()?.least(rounds);
        found.push((least != NEVER).then_some(least));
        if u32::from(least) == depth {
            break;
        }
    }
    Some(found)
}

/// Both parties, for reports: who speaks in one message, and the bits.
pub fn one_way(matrix: &Matrix) -> [(Party, u32); 2] {
    Party::BOTH.map(|party| (party, crate::matrix::variant::one_way(matrix, party)))
}
