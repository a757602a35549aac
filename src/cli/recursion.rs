//! `recursion`: does this pointer machine compute k-hop, and if not, what?

use crate::cli::args::RecursionArgs;
use crate::cli::{Context, Exit, Failure, Output, shipped};
use crate::evidence::claim::Library as _;
use crate::evidence::recursion::{Departure, Recursion};
use crate::evidence::{Claim, Statement};
use crate::file::Source;
use serde_json::{Value as Json, json};
use std::path::Path;

/// One point.
struct Row {
    point: String,
    hops: u64,
    layers: usize,
    departure: Option<Departure>,
    instead: Option<u64>,
}

pub(super) fn run(args: &RecursionArgs, context: &Context) -> Result<Output, Failure> {
    let source = open(&args.file)?;
    let claim = Claim::read(&source)?;
    let case = claim
        .cases(&shipped::Files, &context.overrides, context.limits)?
        .into_iter()
        .next();
    let Some(Statement::Recursion(found)) = case.map(|case| case.statement) else {
        return Err(Failure::Usage(format!(
            "{}: a claim of another kind, expected [claim.recursion]",
            args.file
        )));
    };
    let mut claim = *found;
    if let Some(length) = args.length {
        claim.length = length;
    }
    let failed = |error: crate::evidence::recursion::MachineError| {
        Failure::Usage(format!("{}: {}", error.key, error.message))
    };
    let points = claim.points().map_err(failed)?;
    let work = claim.inputs() * points.len();
    if work > context.max_inputs() {
        return Err(Failure::TooLarge(format!(
            "{work} runs, more than --max-inputs {}",
            context.max_inputs()
        )));
    }
    let rows = points
        .into_iter()
        .map(|point| {
            let machine = claim.machine(&point, context.limits)?;
            let names: Vec<String> = point
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            let departure = claim.departure(&point, context.limits, &mut |_| ())?;
            let instead = if departure.is_some() {
                claim.instead(&machine)?
            } else {
                Some(machine.hops())
            };
            Ok(Row {
                point: names.join(", "),
                hops: machine.hops(),
                layers: machine.layers() + 2,
                departure,
                instead,
            })
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    Ok(answer(&claim, &rows))
}

fn open(name: &str) -> Result<Source, Failure> {
    if Path::new(name).is_file() {
        return Ok(shipped::read(Path::new(name))?);
    }
    let known = shipped::files("claims").into_iter().find(|source| {
        let short = shipped::short_name(source);
        short == name
            || short.rsplit('/').next() == Some(name.strip_suffix(".toml").unwrap_or(name))
    });
    match known {
        Some(source) => Ok(source),
        // The same message as for other files.
        None => Ok(shipped::Files.open(&Source::new("", "\n"), name)?),
    }
}

fn answer(claim: &Recursion, rows: &[Row]) -> Output {
    let right = rows.iter().all(|row| row.departure.is_none());
    let mut lines = vec![format!(
        "{}: {} inputs of up to {} positions over {} symbols, every position",
        if right {
            "computes hop_k"
        } else {
            "departs from hop_k"
        },
        claim.inputs(),
        claim.length,
        claim.symbols
    )];
    for row in rows {
        let layers = format!("{} layers", row.layers);
        lines.push(match (&row.departure, row.instead) {
            (None, _) => format!("  {}: {layers}, hop_{}", row.point, row.hops),
            (Some(found), Some(j)) => format!(
                "  {}; {layers}, hop_{j} instead on every input",
                found.shown(claim.symbols)
            ),
            (Some(found), None) => format!(
                "  {}; {layers}, no hop_j instead",
                found.shown(claim.symbols)
            ),
        });
    }
    let json: Vec<Json> = rows
        .iter()
        .map(|row| {
            json!({
                "point": row.point,
                "hops": row.hops,
                "layers": row.layers,
                "right": row.departure.is_none(),
                "input": row.departure.as_ref().map(|found| &found.input),
                "position": row.departure.as_ref().map(|found| found.position),
                "machine": row.departure.as_ref().map(|found| found.machine),
                "expected": row.departure.as_ref().map(|found| found.right),
                "computes": row.instead,
            })
        })
        .collect();
    Output::new(
        lines.join("\n"),
        json!({
            "verdict": if right { "correct" } else { "wrong" },
            "inputs": claim.inputs().to_string(),
            "points": json,
        }),
    )
    .exit(Exit::Answered)
}
