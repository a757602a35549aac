//! `check`: is this protocol right on every input?

use crate::cli::args::CheckArgs;
use crate::cli::run::{accepted_json, illegal};
use crate::cli::{Context, Exit, Failure, Output, coq, shipped, write_svg};
use crate::file::Source;
use crate::file::setting::Setting;
use crate::file::strategies::Strategy;
use crate::game::structure::{Conflict, Counterexample, Failure as Broken, Pair};
use crate::game::{Accepted, Game, Inputs, Ledger, Protocol, SharedMap, run as play};
use crate::report::svg::Picture;
use crate::report::{figure, words};
use crate::search::check::{Checked, Control, check};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value as Json, json};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(super) fn run(args: &CheckArgs, context: &Context) -> Result<Output, Failure> {
    let setting = shipped::game(&args.game, true, context)?;
    let (source, strategy) = shipped::strategy(&args.protocol, &setting, context)?;
    let found = found(&setting, &strategy, context)?;
    let pair = match &found {
        Ok(Checked::Pair(pair)) => Some(pair.clone()),
        Ok(_) | Err(_) => None,
    };
    write_svg(args.svg.as_deref(), || {
        draw(&setting, &*strategy.protocol, found.as_ref().ok())
    })?;
    let mut output = output(&setting, &source, &strategy, found)?;
    if let Some(path) = &args.coq {
        let line = coq::write(path, &setting, &strategy, pair.as_ref())?;
        output.text.extend(["\n", &line]);
    }
    Ok(output)
}

/// Looks at all inputs, with a size check before and a bar meanwhile.
fn found(
    setting: &Setting,
    strategy: &Strategy,
    context: &Context,
) -> Result<Result<Checked, Broken>, Failure> {
    let game = &*setting.game;
    let limit = context.max_inputs();
    let total = game
        .inputs_size()
        .map_err(|error| Failure::TooLarge(error.to_string()))?;
    if total > limit {
        return Err(Failure::TooLarge(format!(
            "{total} full inputs, more than --max-inputs {limit}; nothing was checked. Raise --max-inputs, or make the domains smaller"
        )));
    }
    let stop = stop_flag(context.limit_seconds);
    let bar = progress(&total.to_string());
    let report = |covered: u64, all: u64| {
        bar.set_length(all);
        bar.set_position(covered);
    };
    let control = Control {
        progress: &report,
        stop: &stop,
    };
    let found = check(game, &*setting.task, &*strategy.protocol, &limit, &control);
    bar.finish_and_clear();
    Ok(found)
}

fn output(
    setting: &Setting,
    source: &Source,
    strategy: &Strategy,
    found: Result<Checked, Broken>,
) -> Result<Output, Failure> {
    let game = &*setting.game;
    let total = game
        .inputs_size()
        .map_err(|error| Failure::TooLarge(error.to_string()))?;
    let ledger = Ledger::of(game);
    let json = |verdict: &str| {
        json!({
            "verdict": verdict,
            "inputs": total.to_string(),
            "counterexample": null,
            "pair": null,
            "conflict": null,
            "ledger": words::ledger_json(&ledger),
            "scope": "this-protocol",
        })
    };
    match found {
        Ok(Checked::Correct { views, .. }) => {
            let text = format!(
                "correct on all {total} inputs; ledger: {}\n  exhausted: {views} distinct final views; scope: this protocol",
                words::ledger(&ledger)
            );
            let mut json = json("correct");
            json["views"] = json!(views.to_string());
            Ok(Output::new(text, json))
        }
        Ok(Checked::Counterexample(wrong)) => {
            let mut json = json("wrong");
            let (text, body) = counterexample(setting, &wrong);
            json["counterexample"] = body;
            Ok(Output::new(text, json))
        }
        Ok(Checked::Pair(Pair { left, right })) => {
            let mut json = json("wrong");
            let head = "wrong: indistinguishable pair (the answer function is free)";
            let names = ["left ", "right"];
            let text = together(setting, &*strategy.protocol, head, &names, &[&left, &right]);
            json["pair"] = json!({
                "left": words::inputs_value(game, &left),
                "right": words::inputs_value(game, &right),
            });
            Ok(Output::new(text, json))
        }
        Ok(Checked::Conflict(Conflict { inputs })) => {
            let mut json = json("wrong");
            let head = format!(
                "wrong: {} inputs with one view and no common answer (the answer function is free)",
                inputs.len()
            );
            let names: Vec<String> = (1..=inputs.len()).map(|i| format!("{i:>5}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let list: Vec<&Inputs> = inputs.iter().collect();
            let text = together(setting, &*strategy.protocol, &head, &names, &list);
            json["conflict"] = inputs
                .iter()
                .map(|input| words::inputs_value(game, input))
                .collect();
            Ok(Output::new(text, json))
        }
        Ok(Checked::Stopped { covered, total }) => {
            let text = format!(
                "undecided: stopped at {covered} of {total} inputs; nothing wrong among them"
            );
            let mut json = json("undecided");
            json["covered"] = json!(covered.to_string());
            Ok(Output::new(text, json).exit(Exit::NotAnswered))
        }
        Err(Broken::TooLarge(size)) => Err(Failure::TooLarge(size.to_string())),
        Err(Broken::Violated(violation)) => Err(first_error(setting, source, &*strategy.protocol)
            .unwrap_or_else(|| Failure::Usage(violation.to_string()))),
    }
}

/// The inputs that show it wrong, or the protocol at work.
fn draw(
    setting: &Setting,
    protocol: &dyn Protocol,
    found: Option<&Checked>,
) -> Result<Picture, Failure> {
    let (title, figures) = match found {
        Some(Checked::Pair(pair)) => {
            let title = "Two inputs, one view, no common answer";
            let inputs = [pair.left.clone(), pair.right.clone()];
            (title, figure::runs(title, setting, protocol, &inputs, None))
        }
        Some(Checked::Counterexample(wrong)) => {
            let inputs = std::slice::from_ref(&wrong.input);
            (
                "A wrong answer",
                figure::runs("A wrong answer", setting, protocol, inputs, None),
            )
        }
        Some(Checked::Conflict(conflict)) => {
            let title = "Inputs with one view and no common answer";
            (
                title,
                figure::runs(title, setting, protocol, &conflict.inputs, None),
            )
        }
        Some(Checked::Correct { .. } | Checked::Stopped { .. }) | None => {
            ("The protocol at work", figure::plays(setting, protocol))
        }
    };
    figure::one_picture(title, &figures)
        .ok_or_else(|| Failure::TooLarge("--svg: too many messages for a picture".to_owned()))
}

/// The first input, in order, on which the task or the protocol is undefined, as an error at its place in the file.
fn first_error(
    setting: &Setting,
    source: &Source,
    protocol: &dyn crate::game::Protocol,
) -> Option<Failure> {
    let game = &*setting.game;
    let mut shared = SharedMap::default();
    Inputs::all(game).find_map(|inputs| {
        let legal = play(game, protocol, &inputs)
            .and_then(|run| shared.add(game, &inputs, &run.transcript));
        if let Err(error) = legal {
            return Some(illegal(source, game, &inputs, &error).into());
        }
        let error = setting.task.accepted(&inputs).err()?;
        Some(crate::file::tasks::located_error(&setting.source, game, &inputs, &error).into())
    })
}

fn counterexample(setting: &Setting, wrong: &Counterexample) -> (String, Json) {
    let game = &*setting.game;
    let accepted = setting.task.accepted(&wrong.input).unwrap_or(Accepted::All);
    let text = format!(
        "wrong: counterexample\n  input  {}\n  answer {}, but {}\n  scope: this protocol",
        words::inputs(game, &wrong.input),
        wrong.answer.0,
        words::accepted(&accepted)
    );
    let body = json!({
        "input": words::inputs_value(game, &wrong.input),
        "answer": wrong.answer.0.to_string(),
        "accepted_answers": accepted_json(&accepted),
    });
    (text, body)
}

/// Inputs that look the same to the output player, one per line, and what it sees on all of them.
fn together(
    setting: &Setting,
    protocol: &dyn crate::game::Protocol,
    head: &str,
    names: &[&str],
    inputs: &[&Inputs],
) -> String {
    let game: &Game = &setting.game;
    let mut lines = vec![head.to_owned()];
    for (name, input) in names.iter().zip(inputs) {
        let accepted = setting
            .task
            .accepted(input)
            .map_or(String::new(), |accepted| words::accepted(&accepted));
        lines.push(format!(
            "  {name}  {}   {accepted}",
            words::inputs(game, input)
        ));
    }
    if let Some(Ok(run)) = inputs.first().map(|first| play(game, protocol, first)) {
        let view = &run.views[game.output().0];
        let all = if inputs.len() == 2 { "both" } else { "all" };
        lines.push(format!(
            "  {} sees on {all}: {}",
            game.player(game.output()).label,
            words::view(game, view)
        ));
    }
    lines.push("  scope: this protocol, every answer function".to_owned());
    lines.join("\n")
}

/// A flag that Ctrl-C and the time limit set.
pub(super) fn stop_flag(limit_seconds: Option<u64>) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // Without a handler Ctrl-C ends the program, which is no worse.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    if let Some(seconds) = limit_seconds {
        let flag = stop.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(seconds));
            flag.store(true, Ordering::Relaxed);
        });
    }
    stop
}

/// A bar on a terminal, nothing elsewhere.
fn progress(total: &str) -> ProgressBar {
    progress_bar(&format!("checking {total} inputs"))
}

/// A bar on stderr; hidden when that is no terminal.
pub(super) fn progress_bar(message: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0).with_message(message.to_owned());
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} eta {eta}") {
        bar.set_style(style);
    }
    bar
}
