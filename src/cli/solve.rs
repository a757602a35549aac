//! `solve`: does any protocol solve the task?

use crate::audit::solve::{Ask, MAX_PROOF, Outcome, Settled, settle};
use crate::cli::args::{Expected, MethodArg, SolveArgs, count};
use crate::cli::audit::write_evidence;
use crate::cli::check::stop_flag;
use crate::cli::{Context, Exit, Failure, Output, shipped, write_svg};
use crate::file::Setting;
use crate::game::structure::ProtocolTables;
use crate::game::{Accepted, Inputs};
use crate::report::figure::{figures, one_picture};
use crate::report::words;
use crate::search::solve::{Method, Stats};
use num_bigint::BigUint;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Most inputs of a core that the text lists.
const SHOWN: usize = 16;

pub(super) fn run(args: &SolveArgs, context: &Context) -> Result<Output, Failure> {
    let setting = shipped::game(&args.game, true, context)?;
    let inputs = setting
        .game
        .inputs_size()
        .map_err(|error| Failure::TooLarge(error.to_string()))?;
    let options = context.options();
    let ask = Ask {
        method: method(args.method),
        max_proof: max_proof(args.max_proof.as_ref())?,
        stop: stop_flag(context.limit_seconds),
    };
    let mut stats = Stats::default();
    let claim = claim_id(&args.game);
    let outcome = settle(&setting, &claim, &ask, &options, &mut stats)
        .map_err(|failure| Failure::TooLarge(failure.to_string()))?;
    match outcome {
        Outcome::Contradiction(reason) => Err(Failure::Contradiction(reason)),
        Outcome::Undecided(reason) => Ok(undecided(&inputs, &reason, &stats)),
        Outcome::Settled(settled) => {
            if let Some(folder) = &args.proof {
                write_evidence(folder, &claim, &settled.decision)?;
            }
            write_svg(args.svg.as_deref(), || {
                let all = figures(&settled.decision.checked);
                one_picture("Evidence", &all).ok_or_else(|| {
                    Failure::TooLarge("--svg: this evidence has no picture".to_owned())
                })
            })?;
            if let (Some(path), Some(tables)) = (&args.save, &settled.tables) {
                save(path, &setting, &args.game, tables)?;
            }
            let certificate = args.proof.as_ref().map(|_| format!("{claim}.json"));
            let output = answer(&setting, &inputs, &settled, certificate.as_deref(), &stats);
            Ok(output.exit(exit(args.expect, settled.exists)))
        }
    }
}

fn method(arg: MethodArg) -> Method {
    match arg {
        MethodArg::Auto => Method::Auto,
        MethodArg::Closed => Method::Closed,
        MethodArg::Count => Method::Count,
        MethodArg::Sat => Method::Sat,
        MethodArg::Exhaustive => Method::Exhaustive,
        MethodArg::Ledger => Method::Ledger,
    }
}

pub(super) fn max_proof(option: Option<&String>) -> Result<u64, Failure> {
    let Some(text) = option else {
        return Ok(MAX_PROOF);
    };
    count(text)
        .and_then(|count| u64::try_from(count).ok())
        .ok_or_else(|| {
            Failure::Usage(format!(
                "--max-proof {text}: expected a number like 1000000 or 2^30"
            ))
        })
}

fn exit(expected: Option<Expected>, exists: bool) -> Exit {
    match expected {
        Some(Expected::Solvable) if !exists => Exit::Unexpected,
        Some(Expected::Unsolvable) if exists => Exit::Unexpected,
        Some(_) | None => Exit::Answered,
    }
}

/// The claim id of the evidence: the name of the file, letters, digits and `-` only.
pub(super) fn claim_id(game: &str) -> String {
    let stem = Path::new(game).file_stem();
    let stem = stem.map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let id: String = stem
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '-'
            }
        })
        .collect();
    if id.is_empty() { "GAME".to_owned() } else { id }
}

fn stats_json(stats: &Stats) -> Json {
    json!({
        "formulas": stats.rounds.to_string(),
        "last_inputs": stats.inputs.to_string(),
        "conflicts": stats.conflicts.to_string(),
        "proof_bytes": stats.proof.to_string(),
    })
}

fn undecided(inputs: &BigUint, reason: &str, stats: &Stats) -> Output {
    let text = format!("undecided ({inputs} inputs): {reason}");
    let json = json!({
        "verdict": "undecided",
        "inputs": inputs.to_string(),
        "core_inputs": [],
        "protocol": null,
        "certificate": null,
        "reason": reason,
        "stats": stats_json(stats),
    });
    Output::new(text, json).exit(Exit::NotAnswered)
}

fn answer(
    setting: &Setting,
    inputs: &BigUint,
    settled: &Settled,
    certificate: Option<&str>,
    stats: &Stats,
) -> Output {
    let checked = &settled.decision.checked;
    let verdict = if settled.exists {
        "solvable"
    } else {
        "unsolvable"
    };
    let mut text = format!("{verdict} ({inputs} inputs), by {}", settled.how);
    if let Some(core) = &settled.core {
        text += &reason(setting, core, settled.minimal);
    }
    let trust = checked.trust();
    let trusted = if trust.is_empty() {
        "nothing".to_owned()
    } else {
        trust.join(", ")
    };
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "\n  evidence: {}; to trust: {trusted}",
        checked.summary()
    );
    if let Some(name) = certificate {
        let _ = write!(text, "\n  written: {name}");
    }
    text += "\n  scope: every protocol of this game";
    let core: Vec<Json> = settled
        .core
        .iter()
        .flatten()
        .map(|input| words::inputs_value(&setting.game, input))
        .collect();
    let json = json!({
        "verdict": verdict,
        "inputs": inputs.to_string(),
        "core_inputs": core,
        "core_minimal": settled.minimal,
        "protocol": settled.tables.as_ref().map(|tables| protocol_json(setting, tables)),
        "certificate": certificate,
        "how": settled.how,
        "scope": checked.scope().to_json(),
        "summary": checked.summary(),
        "trust": trust,
        "stats": stats_json(stats),
    });
    Output::new(text, json)
}

/// The core, readably: it is the reason.
fn reason(setting: &Setting, core: &[Inputs], minimal: bool) -> String {
    let remark = if minimal {
        ", none of which can be left out"
    } else {
        ""
    };
    let mut text = format!(
        "\n  reason: every protocol fails on one of these {} inputs{remark}",
        core.len()
    );
    for input in core.iter().take(SHOWN) {
        let accepted = setting.task.accepted(input).unwrap_or(Accepted::All);
        let line = words::inputs(&setting.game, input);
        let _ = write!(text, "\n    {line}   {}", words::accepted(&accepted));
    }
    if core.len() > SHOWN {
        let _ = write!(text, "\n    .. and {} more", core.len() - SHOWN);
    }
    text
}

fn protocol_json(setting: &Setting, tables: &ProtocolTables) -> Json {
    let texts = |list: &[u64]| -> Vec<String> { list.iter().map(ToString::to_string).collect() };
    let game = &setting.game;
    let say: serde_json::Map<String, Json> = game
        .chosen_slots()
        .zip(&tables.tables)
        .filter_map(|(id, table)| Some((game.name(id).to_owned(), json!(texts(table.as_ref()?)))))
        .collect();
    json!({"say": say, "answers": texts(&tables.answers)})
}

/// Writes the protocol as a strategy file.
fn save(
    path: &Path,
    setting: &Setting,
    name: &str,
    tables: &ProtocolTables,
) -> Result<(), Failure> {
    let game = &setting.game;
    let mut text =
        format!("# A protocol for {name}, found by `foolproof solve`.\n\n[strategy.table]\n");
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "answers = {}\n\n[strategy.table.say]\n",
        symbols(&tables.answers)
    );
    for (id, table) in game.chosen_slots().zip(&tables.tables) {
        if let Some(table) = table {
            let _ = writeln!(text, "{} = {}", Json::from(game.name(id)), symbols(table));
        }
    }
    let failed = |error: std::io::Error| Failure::Usage(format!("{}: {error}", path.display()));
    let temporary = path.with_extension("tmp");
    fs::write(&temporary, text).map_err(failed)?;
    fs::rename(&temporary, path).map_err(failed)
}

/// A string of digits where all symbols are digits, else a list.
fn symbols(list: &[u64]) -> String {
    if list.iter().all(|symbol| *symbol < 10) {
        let digits: String = list.iter().map(ToString::to_string).collect();
        format!("\"{digits}\"")
    } else {
        let texts: Vec<String> = list.iter().map(ToString::to_string).collect();
        format!("[{}]", texts.join(", "))
    }
}
