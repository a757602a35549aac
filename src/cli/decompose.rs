//! `decompose`: the indistinguishable decomposition of a protocol, step by step.

use crate::audit::decomposition::{Settled, frame, settle};
use crate::cli::args::{DecomposeArgs, DecomposeMethod, TieArg};
use crate::cli::audit::write_evidence;
use crate::cli::check::stop_flag;
use crate::cli::{Context, Exit, Failure, Output, coq, shipped, write_svg};
use crate::evidence::decomposition::{decomposition_json, loss, quotient, wanted};
use crate::file::Setting;
use crate::game::structure::Failure as Broken;
use crate::game::structure::decomposition::{
    Decomposition, Frame, Level, Mode, Question, Set, Tie,
};
use crate::game::{Game, Inputs};
use crate::report::figure::{chain, one_picture};
use crate::report::words;
use crate::search::decompose::{Control, Method, STOPPED, Work};
use num_bigint::BigUint;
use serde_json::{Value as Json, json};
use std::io::{IsTerminal, Write as _};
use std::sync::Mutex;

/// Sets larger than this are announced before anything is done.
const ANNOUNCED: u32 = 1 << 24;

pub(super) fn run(args: &DecomposeArgs, context: &Context) -> Result<Output, Failure> {
    let setting = shipped::game(&args.game, true, context)?;
    let (_, strategy) = shipped::strategy(&args.protocol, &setting, context)?;
    let frame = frame(&setting, &strategy).ok_or_else(|| {
        Failure::Usage(format!(
            "{}: decompose is for hybrid games of composition with at least 2 steps",
            args.game
        ))
    })?;
    let question = question(args, &frame)?;
    let method = match args.method {
        DecomposeMethod::Auto => Method::Auto,
        DecomposeMethod::Enumerate => Method::Enumerate,
        DecomposeMethod::Symbolic => Method::Symbolic,
    };
    let limit = context.max_inputs();
    let size = announce(&frame, method, &limit)?;
    let (stop, work) = (stop_flag(context.limit_seconds), Work::default());
    let steps: Mutex<Vec<(String, u64)>> = Mutex::default();
    let progress = |name: &str, before: u64| {
        if let Ok(mut steps) = steps.lock() {
            steps.push((name.to_owned(), before));
        }
        if std::io::stderr().is_terminal() && size > BigUint::from(ANNOUNCED) {
            let _ = writeln!(std::io::stderr(), "{name}: {before} tuples");
        }
    };
    let control = Control {
        progress: &progress,
        stop: &stop,
        work: &work,
    };
    let claim = claim_id(&args.game);
    let options = context.options();
    let settled = settle(
        &setting,
        &strategy,
        &frame,
        &question,
        &claim,
        (method, &limit, &options),
        &control,
    );
    match settled {
        Ok(Ok(settled)) => {
            let file = match (&args.proof, &settled.decision) {
                (Some(folder), Ok(decision)) => {
                    write_evidence(folder, &claim, decision)?;
                    Some(format!("{claim}.json"))
                }
                (_, _) => None,
            };
            write_svg(args.svg.as_deref(), || {
                let game = &*setting.game;
                let body = decomposition_json(game, &question, &settled.found, settled.mode);
                let figure = chain(game, &body);
                one_picture("", figure.as_slice())
                    .ok_or_else(|| Failure::TooLarge("--svg: this chain has no picture".to_owned()))
            })?;
            let mut output = output(&setting, &frame, &question, &settled, file.as_deref());
            if let Some(path) = &args.coq {
                let found = settled.found.found.as_ref();
                let pair = found.filter(|found| found.final_views);
                let line = coq::write(path, &setting, &strategy, pair.map(|found| &found.pair))?;
                output.text.extend(["\n", &line]);
            }
            Ok(output)
        }
        Ok(Err(reason)) => Err(Failure::Contradiction(reason)),
        Err(Broken::Violated(violation)) if violation.at == STOPPED => {
            let steps = steps.into_inner().unwrap_or_default();
            Ok(stopped(&steps, &violation.found))
        }
        Err(Broken::Violated(violation)) => Err(Failure::Usage(format!(
            "{}: found {}, expected {}",
            args.protocol, violation.found, violation.expected
        ))),
        Err(Broken::TooLarge(size)) => Err(Failure::TooLarge(format!(
            "{size}; nothing was decomposed. Raise --max-inputs, or use --method symbolic where the strategy has rules"
        ))),
    }
}

/// A claim id made of the name of a game.
fn claim_id(game: &str) -> String {
    let stem = shipped::stem(game);
    let legal = stem
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-');
    format!("decompose-{}", legal.collect::<String>())
}

fn question(args: &DecomposeArgs, frame: &Frame<'_>) -> Result<Question, Failure> {
    let steps = frame.steps();
    let x = match args.sizes.as_slice() {
        [] => vec![2; steps],
        given => given.to_vec(),
    };
    if x.len() != steps || x.contains(&0) {
        let given: Vec<String> = x.iter().map(ToString::to_string).collect();
        return Err(Failure::Usage(format!(
            "--sizes {}: expected {steps} sizes x_0,..,x_{} of at least 1",
            given.join(","),
            steps - 1
        )));
    }
    Ok(Question {
        x,
        tie: match args.tie {
            TieArg::Least => Tie::Least,
            TieArg::Greatest => Tie::Greatest,
        },
        one_shot: args.one_shot,
    })
}

/// The size check, and the size of what is listed.
fn announce(frame: &Frame<'_>, method: Method, limit: &BigUint) -> Result<BigUint, Failure> {
    let size = frame
        .upper_size(2)
        .map_err(|error| Failure::TooLarge(error.to_string()))?;
    if method == Method::Enumerate && size > *limit {
        return Err(Failure::TooLarge(format!(
            "{} tuples of upper tables, more than --max-inputs {limit}; nothing was decomposed. Raise --max-inputs, or use --method symbolic",
            short(&size)
        )));
    }
    if size > BigUint::from(ANNOUNCED) && method != Method::Symbolic && size <= *limit {
        let _ = writeln!(
            std::io::stderr(),
            "{size} tuples of upper tables: {} bytes for a set of them, two passes per crossing slot",
            &size / 8u8
        );
    }
    Ok(size)
}

/// A number, or its length when it is long.
fn short(number: &BigUint) -> String {
    if number.bits() <= 128 {
        number.to_string()
    } else {
        format!("a number of {} bits", number.bits())
    }
}

fn stopped(steps: &[(String, u64)], at: &str) -> Output {
    let done: Vec<Json> = steps
        .iter()
        .map(|(name, before)| json!({"name": name, "before": before.to_string()}))
        .collect();
    let mut lines = vec![format!("undecided: stopped at {at}")];
    for (name, before) in steps {
        lines.push(format!("  {name}: {before} tuples before it"));
    }
    let json = json!({"verdict": "undecided", "covered": done, "stopped_at": at});
    Output::new(lines.join("\n"), json).exit(Exit::NotAnswered)
}

/// One line of the ledger.
struct Step {
    name: String,
    before: BigUint,
    after: BigUint,
    classes: Option<BigUint>,
    allowed: Option<String>,
}

impl Step {
    fn loss(&self) -> String {
        quotient(&self.before, self.after.clone())
    }
}

/// The steps of a level: its rectangle, its slots, and the whole of it beside what the paper allows.
fn steps(game: &Game, level: &Level, before: Option<&Level>) -> Vec<Step> {
    let mut steps = Vec::new();
    if let (Some(rectangle), Some(before)) = (&level.rectangle, before) {
        steps.push(Step {
            name: format!("rectangle {}", level.level - 1),
            before: before.size(),
            after: BigUint::from(rectangle.left) * rectangle.right,
            classes: None,
            allowed: None,
        });
    }
    let split = &level.split;
    let mut names: Vec<String> = split
        .pinned
        .iter()
        .map(|pinned| game.name(pinned.slot).to_owned())
        .collect();
    if names.len() + 1 != split.sizes.len() {
        names = vec!["joint transcript".to_owned()];
    }
    for (place, name) in names.into_iter().enumerate() {
        steps.push(Step {
            name,
            before: split.sizes[place].clone(),
            after: split.sizes[place + 1].clone(),
            classes: split.classes.get(place).cloned(),
            allowed: None,
        });
    }
    steps.push(Step {
        name: format!("level {}", level.level),
        before: level.total.clone(),
        after: level.size(),
        classes: None,
        allowed: Some(format!("2^{}", level.allowed)),
    });
    steps
}

fn output(
    setting: &Setting,
    frame: &Frame<'_>,
    question: &Question,
    settled: &Settled,
    file: Option<&str>,
) -> Output {
    let game = &*setting.game;
    let found = &settled.found;
    let inputs = game
        .inputs_size()
        .map_or_else(|error| error.to_string(), |size| short(&size));
    let mut lines = vec![format!(
        "{inputs} full inputs, {} tuples of upper tables; {}, ties to the {} key",
        short(&found.levels[0].total),
        if question.one_shot {
            "one-shot"
        } else {
            "slot by slot"
        },
        question.tie.word()
    )];
    lines.push(base_line(game, found));
    let mut rows = Vec::new();
    for (number, level) in found.levels.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| &found.levels[before]);
        let steps = steps(game, level, before);
        lines.extend(level_lines(game, level, &steps, number > 0));
        rows.extend(steps);
    }
    lines.push(leak_line(game, found));
    lines.extend(end_lines(setting, found));
    let (evidence, verified) = match &settled.decision {
        Ok(decision) => (decision.checked.summary().to_owned(), true),
        Err(reason) => (format!("not verified: {reason}"), false),
    };
    lines.push(format!("evidence  {evidence}"));
    lines.push("scope: this protocol".to_owned());
    let mut json = result_json(game, found, &rows);
    json["mode"] = json!(settled.mode.word());
    json["tie"] = json!(question.tie.word());
    json["one_shot"] = json!(question.one_shot);
    json["sizes"] = question.x.iter().map(ToString::to_string).collect();
    json["inputs"] = json!(game.inputs_size().map(|size| size.to_string()).ok());
    json["verified"] = json!(verified);
    json["summary"] = json!(evidence);
    json["certificate"] = json!(file);
    json["scope"] = json!("this-protocol");
    debug_assert!(frame.steps() >= 2);
    let exit = if verified || settled.mode == Mode::Replay && settled.decision.is_err() {
        Exit::Answered
    } else {
        Exit::NotAnswered
    };
    Output::new(lines.join("\n"), json).exit(exit)
}

fn base_line(game: &Game, found: &Decomposition) -> String {
    let sets: Vec<String> = found.levels[0]
        .chosen
        .iter()
        .map(|(label, members)| format!("Z_{label} = {{{}}}", spelled(game, *label, members)))
        .collect();
    format!(
        "base      G has {} of A_1 ({} classes of `soft 1->-1 @1`); {}",
        short(&found.pattern.size),
        found.pattern.classes,
        sets.join(", ")
    )
}

fn spelled(game: &Game, label: usize, members: &[Vec<u64>]) -> String {
    let player = game.find_player(&label.to_string());
    let spell = |digits: &Vec<u64>| {
        if digits.len() > 64 {
            return format!("a table of {} entries", digits.len());
        }
        player.map_or_else(String::new, |id| {
            let fields = words::fields(&game.player(id).domain, digits);
            let values = fields.iter().filter_map(|field| field.split_once('='));
            values.map(|(_, value)| value).collect()
        })
    };
    members.iter().map(spell).collect::<Vec<_>>().join(", ")
}

fn level_lines(game: &Game, level: &Level, steps: &[Step], chosen: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let (true, Some((label, members))) = (chosen, level.chosen.first()) {
        let how = match &level.rectangle {
            Some(rectangle) if !rectangle.exhaustive => "greedy",
            Some(_) | None => "all sets tried",
        };
        lines.push(format!(
            "rectangle S_2 = Z_{label} = {{{}}} ({how})",
            spelled(game, *label, members)
        ));
    }
    for step in steps {
        let classes = step.classes.as_ref().map_or_else(String::new, |classes| {
            format!(", {} classes", short(classes))
        });
        let allowed = step.allowed.as_ref().map_or_else(String::new, |allowed| {
            format!("; the paper allows {allowed} (at c = 1)")
        });
        lines.push(format!(
            "  {:<18} {} -> {}{classes}, loss {}{allowed}",
            step.name,
            short(&step.before),
            short(&step.after),
            shorten(&step.loss())
        ));
    }
    lines.push(format!(
        "  reach of Z         {} values of i_{}; the paper asks for {}",
        level.reach,
        level.level - 1,
        shorten(&wanted(level))
    ));
    lines.push(format!(
        "  one-shot           {} joint classes, the largest {}",
        short(&level.split.joint.classes),
        short(&level.split.joint.largest)
    ));
    lines
}

fn shorten(text: &str) -> String {
    if text.len() <= 48 {
        text.to_owned()
    } else {
        format!("a number of {} digits", text.len())
    }
}

fn leak_line(game: &Game, found: &Decomposition) -> String {
    if found.leak.is_empty() {
        return "base step: what -1 knows after epoch 1 does not vary with z_1 on Z".to_owned();
    }
    let names: Vec<String> = found
        .leak
        .iter()
        .map(|id| format!("`{}`", game.name(*id)))
        .collect();
    format!(
        "base step: what -1 knows after epoch 1 varies with z_1 on Z, through {}; Inv holds by construction, the loss is larger",
        names.join(", ")
    )
}

fn end_lines(setting: &Setting, found: &Decomposition) -> Vec<String> {
    let game = &*setting.game;
    let count = &found.count;
    let fires = if count.fires {
        "fires"
    } else {
        "does not fire"
    };
    let mut lines = vec![format!(
        "count     {fires}: t = {} of N = {} addresses of z_L are reached, |R| against {}^(N-t)",
        count.addresses, count.entries, count.values
    )];
    match &found.found {
        None => lines.push("pair      none: tables in R agree at all reached addresses".to_owned()),
        Some(pair) => {
            lines.push(if pair.final_views {
                "pair      found: the final views of -1 are equal, the answers differ".to_owned()
            } else {
                "pair      none: equal for -1 after epoch L only, the layout goes on".to_owned()
            });
            for (name, side) in [("left ", &pair.pair.left), ("right", &pair.pair.right)] {
                let accepted = setting
                    .task
                    .accepted(side)
                    .map_or_else(|error| error.to_string(), |all| words::accepted(&all));
                let long = side.0.iter().any(|digits| digits.len() > 64);
                let text = if long {
                    "(long tables, see the evidence)".to_owned()
                } else {
                    words::inputs(game, side)
                };
                lines.push(format!("  {name} {text}   {accepted}"));
            }
        }
    }
    lines
}

fn result_json(game: &Game, found: &Decomposition, rows: &[Step]) -> Json {
    let side = |inputs: &Inputs| words::inputs_value(game, inputs);
    let sides = |found: &crate::game::structure::decomposition::Found| json!({"left": side(&found.pair.left), "right": side(&found.pair.right)});
    let steps: Vec<Json> = rows
        .iter()
        .map(|step| {
            json!({
                "name": step.name,
                "before": step.before.to_string(),
                "after": step.after.to_string(),
                "classes": step.classes.as_ref().map(ToString::to_string),
                "loss": step.loss(),
                "allowed": step.allowed,
            })
        })
        .collect();
    let through: Vec<&str> = found.leak.iter().map(|id| game.name(*id)).collect();
    let count = &found.count;
    json!({
        "verdict": if count.fires { "count-fires" } else { "count-does-not-fire" },
        "steps": steps,
        "levels": found.levels.iter().map(|level| level_json(game, level)).collect::<Vec<_>>(),
        "pattern": {"classes": found.pattern.classes.to_string(), "size": found.pattern.size.to_string()},
        "first_view_varies": {"varies": !through.is_empty(), "through": through},
        "count_fires": count.fires,
        "count": {
            "addresses": count.addresses.to_string(),
            "entries": count.entries.to_string(),
            "values": count.values.to_string(),
        },
        "pair": found.found.as_ref().filter(|found| found.final_views).map(sides),
        "pair_until_epoch_l": found.found.as_ref().filter(|found| !found.final_views).map(sides),
    })
}

fn level_json(game: &Game, level: &Level) -> Json {
    let split = &level.split;
    let pinned: Vec<Json> = split
        .pinned
        .iter()
        .map(|pinned| {
            let symbols: Vec<String> = pinned.key.iter().map(ToString::to_string).collect();
            json!({"slot": game.name(pinned.slot), "symbols": symbols})
        })
        .collect();
    let chosen: serde_json::Map<String, Json> = level
        .chosen
        .iter()
        .map(|(label, members)| (label.to_string(), json!(members)))
        .collect();
    json!({
        "level": level.level,
        "z": chosen,
        "rectangle": level.rectangle.map(|rectangle| json!({
            "left": rectangle.left.to_string(),
            "right": rectangle.right.to_string(),
            "exhaustive": rectangle.exhaustive,
        })),
        "size": level.size().to_string(),
        "total": level.total.to_string(),
        "loss": loss(level),
        "allowed": format!("2^{}", level.allowed),
        "reach": level.reach.to_string(),
        "reach_wanted": wanted(level),
        "pinned": pinned,
        "one_shot": {"classes": split.joint.classes.to_string(), "largest": split.joint.largest.to_string()},
        "set": match &split.kept {
            Set::Bits(_) => "bits",
            Set::Product(_) => "product",
            Set::Affine { .. } => "affine",
        },
    })
}
