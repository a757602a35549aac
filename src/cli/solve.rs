//! `solve`: does any protocol solve the task?

use crate::audit::solve::{Ask, MAX_PROOF, Outcome, Settled, settle};
use crate::cli::args::{Expected, MethodArg, SolveArgs, count};
use crate::cli::audit::write_evidence;
use crate::cli::check::{progress_bar, stop_flag};
#[cfg(feature = "cadical")]
use crate::cli::warn;
use crate::cli::{Context, Exit, Failure, Output, shipped, write_svg};
use crate::file::constants::Overrides;
use crate::file::{Setting, Source, Tree, setting};
use crate::game::structure::ProtocolTables;
use crate::game::{Accepted, Inputs};
use crate::report::figure::{figures, one_picture};
use crate::report::words;
use crate::search::solve::{Method, Stats};
use num_bigint::BigUint;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Most inputs of a core that the text lists.
const SHOWN: usize = 16;

pub(super) fn run(args: &SolveArgs, context: &Context) -> Result<Output, Failure> {
    if args.resume.is_some() || args.cubes.is_some() {
        return in_cubes(args, context);
    }
    let name = args.game.as_deref().unwrap_or_default();
    let setting = shipped::game(name, true, context)?;
    let claim = claim_id(name);
    let ask = Ask {
        method: method(args.method),
        max_proof: max_proof(args.max_proof.as_ref())?,
        stop: stop_flag(context.limit_seconds),
    };
    let mut stats = Stats::default();
    let found = settle(&setting, &claim, &ask, &context.options(), &mut stats)
        .map_err(|failure| Failure::TooLarge(failure.to_string()))?;
    outcome(&setting, found, &wanted(args, name, &claim), &stats)
}

/// What the user wants done with a result.
pub(super) struct Wanted<'a> {
    pub(super) claim: &'a str,
    /// The game, for people.
    pub(super) name: &'a str,
    pub(super) proof: Option<&'a Path>,
    pub(super) save: Option<&'a Path>,
    /// A picture.
    pub(super) svg: Option<&'a Path>,
    pub(super) expect: Option<Expected>,
}

fn wanted<'a>(args: &'a SolveArgs, name: &'a str, claim: &'a str) -> Wanted<'a> {
    Wanted {
        claim,
        name,
        proof: args.proof.as_deref(),
        save: args.save.as_deref(),
        svg: args.svg.as_deref(),
        expect: args.expect,
    }
}

/// Writes what is wanted, and says what came out.
pub(super) fn outcome(
    setting: &Setting,
    found: Outcome,
    wanted: &Wanted<'_>,
    stats: &Stats,
) -> Result<Output, Failure> {
    let inputs = setting
        .game
        .inputs_size()
        .map_err(|error| Failure::TooLarge(error.to_string()))?;
    match found {
        Outcome::Contradiction(reason) => Err(Failure::Contradiction(reason)),
        Outcome::Undecided(reason) => Ok(undecided(&inputs, &reason, stats)),
        Outcome::Settled(settled) => {
            if let Some(folder) = wanted.proof {
                write_evidence(folder, wanted.claim, &settled.decision)?;
            }
            write_svg(wanted.svg, || {
                let all = figures(&settled.decision.checked);
                one_picture("Evidence", &all).ok_or_else(|| {
                    Failure::TooLarge("--svg: this evidence has no picture".to_owned())
                })
            })?;
            if let (Some(path), Some(tables)) = (wanted.save, &settled.tables) {
                save(path, setting, wanted.name, tables)?;
            }
            let certificate = wanted.proof.map(|_| format!("{}.json", wanted.claim));
            let output = answer(setting, &inputs, &settled, certificate.as_deref(), stats);
            Ok(output.exit(exit(wanted.expect, settled.exists)))
        }
    }
}

#[cfg(not(feature = "cadical"))]
fn in_cubes(_: &SolveArgs, _: &Context) -> Result<Output, Failure> {
    let message = "built without the SAT solver: there is no formula to cut";
    Err(Failure::TooLarge(message.to_owned()))
}

/// A long run: a new one, unless something quicker decides, or an old one from its checkpoint.
#[cfg(feature = "cadical")]
fn in_cubes(args: &SolveArgs, context: &Context) -> Result<Output, Failure> {
    use crate::audit::cubes::{self, Parameters};
    use crate::search::sat::cubes::Cut;
    use crate::search::sat::kept::Kept;

    let stop = stop_flag(context.limit_seconds);
    let mut stats = Stats::default();
    let named = match &args.game {
        Some(name) => Some(shipped::game(name, true, context)?),
        None => None,
    };
    let (setting, parameters, kept) = if let Some(path) = &args.resume {
        let (kept, contents) = Kept::resume(path).map_err(|error| checkpoint_failure(&error))?;
        let parameters =
            Parameters::read(path, &contents).map_err(|error| checkpoint_failure(&error))?;
        if contents.torn {
            warn(&format!(
                "{}: the last line was torn and is dropped",
                path.display()
            ));
        }
        let setting = from_spec(&parameters.claim, &parameters.game, context)?;
        if let Some(named) = named {
            let digest = Parameters::new(&named, "", parameters.cut, 0).digest;
            if digest != parameters.digest {
                return Err(Failure::Usage(format!(
                    "{} is about another game: {} there, {digest} here",
                    path.display(),
                    parameters.digest
                )));
            }
        }
        (setting, parameters, kept)
    } else {
        let (Some(setting), Some(name)) = (named, args.game.as_deref()) else {
            return Err(Failure::Usage("no game".to_owned()));
        };
        let claim = claim_id(name);
        if args.method == MethodArg::Auto {
            // A known protocol or a counting bound needs no cubes.
            for method in [Method::Closed, Method::Count] {
                let ask = Ask {
                    method,
                    ..Ask::default()
                };
                let found = settle(&setting, &claim, &ask, &context.options(), &mut stats)
                    .map_err(|failure| Failure::TooLarge(failure.to_string()))?;
                if !matches!(found, Outcome::Undecided(_)) {
                    return outcome(&setting, found, &wanted(args, name, &claim), &stats);
                }
            }
        }
        let cut = Cut {
            cubes: usize::try_from(args.cubes.unwrap_or(1)).unwrap_or(1),
            conflicts: args.split_after,
            shard: args.shard.as_deref().map(shard).transpose()?,
        };
        let parameters =
            Parameters::new(&setting, &claim, cut, max_proof(args.max_proof.as_ref())?);
        let default = PathBuf::from(format!("{claim}.cubes.jsonl"));
        let path = args.checkpoint.as_ref().unwrap_or(&default);
        let kept =
            Kept::create(path, parameters.to_json()).map_err(|error| checkpoint_failure(&error))?;
        (setting, parameters, kept)
    };
    let bar = progress_bar("cubes");
    let report = |done: u64, known: u64| {
        bar.set_length(known);
        bar.set_position(done);
    };
    let talk = cubes::Talk {
        stop: &stop,
        progress: &report,
        solve: true,
    };
    let found = cubes::settle(
        &setting,
        &parameters,
        &kept,
        &talk,
        &context.options(),
        &mut stats,
    )
    .map_err(|failure| Failure::TooLarge(failure.to_string()))?;
    bar.finish_and_clear();
    let name = args.game.as_deref().unwrap_or(&parameters.claim);
    outcome(
        &setting,
        found,
        &wanted(args, name, &parameters.claim),
        &stats,
    )
}

/// The game of a checkpoint.
pub(super) fn from_spec(claim: &str, game: &Json, context: &Context) -> Result<Setting, Failure> {
    let source = Source::new(claim, "");
    let tree = Tree::from_json(game);
    Ok(setting::resolve(
        &source,
        &tree,
        &Overrides::new(),
        context.limits,
    )?)
}

/// How a bad checkpoint ends the command.
pub(super) fn checkpoint_failure(error: &crate::search::checkpoint::CheckpointError) -> Failure {
    use crate::search::checkpoint::CheckpointError;
    match error {
        CheckpointError::Twice(..) => Failure::Contradiction(error.to_string()),
        CheckpointError::Io { .. } | CheckpointError::Exists(_) | CheckpointError::Line { .. } => {
            Failure::Usage(error.to_string())
        }
    }
}

#[cfg(feature = "cadical")]
fn shard(text: &str) -> Result<(usize, usize), Failure> {
    let pair = text.split_once('/').and_then(|(i, n)| {
        let pair: (usize, usize) = (i.parse().ok()?, n.parse().ok()?);
        (pair.0 < pair.1).then_some(pair)
    });
    pair.ok_or_else(|| {
        Failure::Usage(format!(
            "--shard {text}: expected i/N with 0 <= i < N, like 0/3"
        ))
    })
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
    let id: String = shipped::stem(game)
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
