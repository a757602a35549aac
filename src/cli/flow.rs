//! `flow`: can that input reach that view, for any protocol?

use crate::cli::args::FlowArgs;
use crate::cli::{Context, Failure, Output, shipped, write_svg};
use crate::evidence::claim::end_of_epoch;
use crate::file::slots::Pattern;
use crate::file::strategies::{matching_slots, unknown_player};
use crate::file::{FileError, setting};
use crate::game::flow::Flow;
use crate::game::game::MAX_SLOTS;
use crate::game::{Game, PlayerId, SlotId};
use crate::report::picture::schedule;
use crate::report::words;
use num_bigint::BigUint;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Most slots for which all minimal cuts are listed.
const MAX_CUT_SLOTS: usize = 1 << 12;
/// Most minimal cuts that are listed.
const MAX_CUTS: usize = 1 << 12;

pub(super) fn run(args: &FlowArgs, context: &Context) -> Result<Output, Failure> {
    let (game, slots) = game(args, context)?;
    let player = |label: &str| {
        game.find_player(label)
            .ok_or_else(|| Failure::Usage(unknown_player(&game, label)))
    };
    let (of, view) = (player(&args.of)?, player(&args.view)?);
    let after = match args.epoch {
        None => game.rounds(),
        Some(epoch) => end_of_epoch(&game, epoch).ok_or_else(|| {
            Failure::Usage(format!("--epoch {epoch}: this game has no such epoch"))
        })?,
    };
    let patterns: Vec<&str> = args.pin.iter().map(String::as_str).collect();
    let none = BTreeMap::new();
    let pinned = matching_slots(&game, &none, &patterns, |number, column, message| {
        FileError::unplaced(format!(
            "--pin {}: column {}: {message}",
            patterns[number],
            column + 1
        ))
    })?;
    let flow = Flow {
        game: &game,
        of,
        view,
        after,
    };
    let set: BTreeSet<SlotId> = pinned.iter().copied().collect();
    let leak = flow.leak(&set);
    let cuts = if args.cuts {
        Some(minimal_cuts(&flow, &slots)?)
    } else {
        None
    };
    write_svg(args.svg.as_deref(), || {
        let marks = schedule::Marks {
            flow: &flow,
            pinned: &pinned,
            leak: leak.as_deref(),
            cuts: cuts.as_deref().unwrap_or_default(),
        };
        Ok(schedule::picture(&title(&flow, leak.as_deref()), &marks))
    })?;
    Ok(answer(args, &flow, &pinned, leak.as_deref(), cuts, &slots))
}

/// What the picture says.
fn title(flow: &Flow<'_>, leak: Option<&[SlotId]>) -> String {
    let label = |id: PlayerId| &flow.game.player(id).label;
    let (of, view) = (label(flow.of), label(flow.view));
    match leak {
        None => format!("The input of {of} cannot reach the view of {view}"),
        Some(_) => format!("The input of {of} reaches the view of {view}"),
    }
}

/// The game, long runs of passes reduced to those that matter; and the exact number of slots of the whole.
fn game(args: &FlowArgs, context: &Context) -> Result<(Arc<Game>, BigUint), Failure> {
    let (source, file) = shipped::game_file(&args.game)?;
    let hybrid = setting::hybrid(&source, &file, &context.overrides)?;
    if let Some(hybrid) = hybrid.filter(|hybrid| hybrid.slots() > BigUint::from(MAX_SLOTS)) {
        let slots = hybrid.slots();
        if args.cuts {
            return Err(Failure::TooLarge(format!(
                "{slots} slots: --cuts lists cuts for at most {MAX_CUT_SLOTS} slots; without --cuts the question is answered"
            )));
        }
        let mut named = Vec::new();
        for written in &args.pin {
            let pattern = Pattern::parse(written)
                .map_err(|error| Failure::Usage(format!("--pin {written}: {error}")))?;
            let numbers = pattern.plain_numbers().ok_or_else(|| {
                Failure::Usage(format!(
                    "--pin {written}: a layout of {slots} slots takes numbers and `*` after `@`"
                ))
            })?;
            named.extend(numbers);
        }
        let game = hybrid
            .reduced_game(&named)
            .map_err(|error| Failure::TooLarge(error.to_string()))?;
        return Ok((Arc::new(game), slots));
    }
    let setting = setting_without_task(&source, &file, context)?;
    let slots = BigUint::from(setting.slots().len());
    Ok((setting, slots))
}

fn setting_without_task(
    source: &crate::file::Source,
    file: &crate::file::Tree,
    context: &Context,
) -> Result<Arc<Game>, Failure> {
    Ok(shipped::resolve(source, file, false, context)?.game)
}

fn minimal_cuts(flow: &Flow<'_>, slots: &BigUint) -> Result<Vec<Vec<SlotId>>, Failure> {
    if flow.game.slots().len() > MAX_CUT_SLOTS {
        return Err(Failure::TooLarge(format!(
            "{slots} slots: --cuts lists cuts for at most {MAX_CUT_SLOTS} slots"
        )));
    }
    flow.minimal_cuts(MAX_CUTS)
        .map_err(|error| Failure::TooLarge(format!("{error} among {slots} slots")))
}

fn answer(
    args: &FlowArgs,
    flow: &Flow<'_>,
    pinned: &[SlotId],
    leak: Option<&[SlotId]>,
    cuts: Option<Vec<Vec<SlotId>>>,
    slots: &BigUint,
) -> Output {
    let game = flow.game;
    let names = |list: &[SlotId]| {
        list.iter()
            .map(|slot| game.name(*slot).to_owned())
            .collect::<Vec<_>>()
    };
    let label = |id: PlayerId| &game.player(id).label;
    let time = match args.epoch {
        Some(epoch) => format!("after epoch {epoch}"),
        None => "at the end".to_owned(),
    };
    // As the user wrote them: a pattern may stand for hundreds of slots.
    let held = if pinned.is_empty() {
        String::new()
    } else {
        format!(" with {} constant", args.pin.join(", "))
    };
    let mut lines = Vec::new();
    let relay = flow
        .relay_inputs()
        .filter(|_| leak.is_some_and(|path| !path.is_empty()));
    match leak {
        None => lines.push(format!(
            "independent: the input of {} cannot reach the view of {} {time}{held}",
            label(flow.of),
            label(flow.view)
        )),
        Some([]) => {
            lines.push(format!(
                "dependent: the view of {} contains its own input",
                label(flow.view)
            ));
        }
        Some(path) => {
            lines.push(format!(
                "dependent: the input of {} can reach the view of {} {time}{held}",
                label(flow.of),
                label(flow.view)
            ));
            for slot in path {
                lines.push(format!(
                    "  round {:>3}  {}",
                    game.round_of(*slot) + 1,
                    game.name(*slot)
                ));
            }
            if let Some((left, right)) = &relay {
                lines.push(format!(
                    "  relay protocol: these slots repeat one bit; it differs on\n    {}\n    {}",
                    words::inputs(game, left),
                    words::inputs(game, right)
                ));
            }
        }
    }
    if let Some(cuts) = &cuts {
        lines.push(match cuts.len() {
            0 => "no minimal cut".to_owned(),
            1 => "1 minimal cut:".to_owned(),
            number => format!("{number} minimal cuts:"),
        });
        lines.extend(
            cuts.iter()
                .map(|cut| format!("  {{{}}}", names(cut).join(", "))),
        );
    }
    lines.push(format!(
        "  {slots} slots; scope: every protocol of this game"
    ));
    let mut json = json!({
        "independent": leak.is_none(),
        "leak": leak.map(names),
        "of": label(flow.of).0,
        "view": label(flow.view).0,
        "after": flow.after,
        "pinned": names(pinned),
        "slots": slots.to_string(),
        "scope": "every-protocol-of-this-game",
        "relay": relay.map(|(left, right)| json!({
            "left": words::inputs_value(game, &left),
            "right": words::inputs_value(game, &right),
        })),
    });
    if let Some(cuts) = cuts {
        json["minimal_cuts"] = cuts.iter().map(|cut| names(cut)).collect::<Vec<_>>().into();
    }
    // `after` counts rounds of the game looked at; with reduced runs that number means nothing to the reader.
    if *slots != BigUint::from(game.slots().len()) {
        json["after"] = Json::Null;
    }
    Output::new(lines.join("\n"), json)
}
