//! `run`: what is said on one input?

use crate::cli::args::RunArgs;
use crate::cli::{Context, Failure, Output, shipped, write_svg};
use crate::file::setting::{inputs_json, read_inputs};
use crate::file::tasks::located_error;
use crate::file::{FileError, Source};
use crate::game::{Accepted, Game, IllegalRun, Inputs, Ledger, run as play};
use crate::report::{picture, sequence, words};
use serde_json::{Value as Json, json};

pub(super) fn run(args: &RunArgs, context: &Context) -> Result<Output, Failure> {
    let setting = shipped::game(&args.game, false, context)?;
    let (source, strategy) = shipped::strategy(&args.protocol, &setting, context)?;
    let game = &*setting.game;
    let json: Json = serde_json::from_str(&args.input).map_err(|error| {
        // The library repeats the position at the end of its message.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message);
        Failure::Usage(format!(
            "--input:{}:{}: {message}",
            error.line(),
            error.column()
        ))
    })?;
    let inputs = read_inputs(game, &json)?;
    let run = play(game, &*strategy.protocol, &inputs)
        .map_err(|error| illegal(&source, game, &inputs, &error))?;
    let accepted_answers = setting
        .task
        .accepted(&inputs)
        .map_err(|error| located_error(&setting.source, game, &inputs, &error))?;
    if let Some(answer) = run
        .answer
        .filter(|answer| answer.0 >= setting.task.answers())
    {
        let message = format!(
            "answer {}, expected 0..<{}",
            answer.0,
            setting.task.answers()
        );
        return Err(Failure::Usage(format!(
            "{message}, on input {}",
            inputs_json(game, &inputs)
        )));
    }
    let accepted = run.answer.map(|answer| accepted_answers.contains(answer));
    let ledger = Ledger::of(game);
    write_svg(args.svg.as_deref(), || {
        let title = format!(
            "{}: {}",
            shipped::stem(&args.game),
            words::inputs(game, &inputs)
        );
        Ok(picture::sequence::picture(&title, game, &run))
    })?;
    let transcript = picture::sequence::transcript(game, &run);
    let view = &run.views[game.output().0];
    let outcome = match (run.answer, accepted) {
        (Some(answer), Some(true)) => format!("answer {}, accepted", answer.0),
        (Some(answer), _) => format!(
            "answer {}, not accepted ({})",
            answer.0,
            words::accepted(&accepted_answers)
        ),
        (None, _) => format!(
            "the answer function is free ({})",
            words::accepted(&accepted_answers)
        ),
    };
    let text = format!(
        "input  {}\n\n{}\n{} sees {}\n{outcome}\nledger: {}\nscope: this protocol, this input",
        words::inputs(game, &inputs),
        sequence::text(game, &run),
        game.player(game.output()).label,
        words::view(game, view),
        words::ledger(&ledger),
    );
    Ok(Output::new(
        text,
        json!({
            "input": words::inputs_value(game, &inputs),
            "transcript": transcript,
            "ledger": words::ledger_json(&ledger),
            "answer": run.answer.map(|answer| answer.0.to_string()),
            "accepted": accepted,
            "accepted_answers": accepted_json(&accepted_answers),
            "scope": "this-protocol",
        }),
    ))
}

/// The accepted answers as decimal strings; `"all"` off a promise.
pub(super) fn accepted_json(accepted: &Accepted) -> Json {
    match accepted {
        Accepted::All => json!("all"),
        Accepted::One(answer) => json!([answer.to_string()]),
        Accepted::Only(list) => list.iter().map(ToString::to_string).collect(),
    }
}

/// An illegal run as an error at its place in the strategy file.
pub(super) fn illegal(
    source: &Source,
    game: &Game,
    inputs: &Inputs,
    error: &IllegalRun,
) -> FileError {
    let at = match error {
        IllegalRun::Speak { error, .. } => error.at.clone(),
        IllegalRun::Inputs(_)
        | IllegalRun::Symbol { .. }
        | IllegalRun::Shared { .. }
        | IllegalRun::NoIndex { .. } => None,
    };
    let message = format!("{error}, on input {}", inputs_json(game, inputs));
    match at {
        Some(at) => source.error_at(at.start, message),
        None => FileError::unplaced(format!("{}: {message}", source.name)),
    }
}
