//! `show`: what did this file resolve to?

use crate::cli::args::ShowArgs;
use crate::cli::{Context, Failure, Output, shipped};
use crate::file::domains::spelled_record;
use crate::file::strategies::Strategy;
use crate::file::{Setting, strategies};
use crate::game::{Ledger, Rule};
use crate::report::words;
use serde_json::{Value as Json, json};

/// Slots that the text lists; the JSON has them all.
const SHOWN: usize = 200;

pub(super) fn run(args: &ShowArgs, context: &Context) -> Result<Output, Failure> {
    let (source, tree) = shipped::game_file(&args.file)?;
    let setting = shipped::resolve(&source, &tree, false, context)?;
    let strategy = match &args.protocol {
        Some(name) => Some(shipped::strategy(name, &setting, context)?.1),
        None if tree.get("strategy").is_some() => Some(strategies::resolve(
            &source,
            &tree,
            &setting,
            &context.overrides,
            context.limits,
        )?),
        None => None,
    };
    Ok(answer(&setting, strategy.as_ref()))
}

fn answer(setting: &Setting, strategy: Option<&Strategy>) -> Output {
    let game = &*setting.game;
    let resolved =
        setting.resolved(&strategy.map_or(Json::Null, |strategy| strategy.resolved.clone()));
    let inputs = game
        .inputs_size()
        .map_or_else(|error| error.to_string(), |size| size.to_string());
    let mut lines = vec![format!(
        "{}: {inputs} inputs, {} answers",
        setting.source.name,
        setting.task.answers()
    )];
    lines.push("players".to_owned());
    for (player, size) in game
        .players()
        .iter()
        .zip(resolved["players"].as_array().into_iter().flatten())
    {
        let output = if game.player(game.output()) == player {
            "  answers"
        } else {
            ""
        };
        lines.push(format!(
            "  {:<8} {:>10}  {}{output}",
            player.label.0,
            size[1].as_str().unwrap_or(""),
            spelled_record(&player.domain)
        ));
    }
    lines.push(format!(
        "slots ({} in {} rounds)",
        game.slots().len(),
        game.rounds()
    ));
    for id in game.ids().take(SHOWN) {
        let slot = game.slot(id);
        let rule = match &slot.rule {
            Rule::Chosen(_) => String::new(),
            Rule::Forward => "  copy of the sender's view".to_owned(),
            Rule::Read { by, rank } => {
                format!("  input selected by {} at place {rank}", game.name(*by))
            }
        };
        let pattern = strategy
            .and_then(|strategy| strategy.effective.iter().find(|(slot, _)| *slot == id))
            .map_or(String::new(), |(_, pattern)| format!("  <- {pattern}"));
        lines.push(format!(
            "  {:>4}  round {:>3}  {:<20} {} symbols{rule}{pattern}",
            id.0,
            game.round_of(id) + 1,
            game.name(id),
            game.alphabet(id).size()
        ));
    }
    if game.slots().len() > SHOWN {
        lines.push(format!(
            "  .. and {} more (--format json lists all)",
            game.slots().len() - SHOWN
        ));
    }
    lines.push(format!("task {}", setting.task_json));
    lines.push(format!("ledger: {}", words::ledger(&Ledger::of(game))));
    let names: Vec<&str> = game.ids().map(|id| game.name(id)).collect();
    let patterns: Vec<Json> = strategy
        .map(|strategy| {
            strategy
                .effective
                .iter()
                .map(|(slot, pattern)| json!([game.name(*slot), pattern]))
                .collect()
        })
        .unwrap_or_default();
    Output::new(
        lines.join("\n"),
        json!({
            "players": resolved["players"],
            "output": resolved["output"],
            "rounds": resolved["rounds"],
            "slots": names,
            "task": resolved["task"],
            "strategy": resolved["strategy"],
            "patterns": patterns,
            "inputs": inputs,
            "ledger": words::ledger_json(&Ledger::of(game)),
        }),
    )
}
