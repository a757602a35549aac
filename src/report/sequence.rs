//! A run as a message sequence: one lane per player, one arrow per symbol.

use crate::game::{Game, PlayerId, Run, SlotId, Symbol};
use std::fmt::Write as _;

/// Characters from one lane to the next.
const LANE: usize = 10;

/// The message sequence of a run in text. Silent slots are left out.
///
/// ```text
///            2         1         0        -1
/// round 1    |         |----1--->|         |    soft 1->0 @1  1 of 0..<2
/// ```
pub fn text(game: &Game, run: &Run) -> String {
    let mut out = String::from("           ");
    for player in game.players() {
        let label: String = player.label.0.chars().take(LANE - 1).collect();
        let _ = write!(out, "{label:^LANE$}");
    }
    trim_line(&mut out);
    let mut last_round = None;
    for (slot, symbol) in run
        .transcript
        .iter()
        .filter(|(slot, _)| game.is_open(*slot))
    {
        let round = game.round_of(*slot);
        let head = if last_round == Some(round) {
            String::new()
        } else {
            format!("round {}", round + 1)
        };
        last_round = Some(round);
        let _ = write!(out, "{head:<11}{}", lanes(game, *slot, *symbol));
        let consults: Vec<String> = game
            .slot(*slot)
            .consults
            .iter()
            .map(|id| format!("sees {}", game.player(*id).label))
            .collect();
        let note = if consults.is_empty() {
            String::new()
        } else {
            format!("  ({})", consults.join(", "))
        };
        let _ = write!(
            out,
            "  {}: {} of 0..<{}{note}",
            game.name(*slot),
            symbol.0,
            game.alphabet(*slot).size()
        );
        trim_line(&mut out);
    }
    out
}

/// The lanes of one line, with the arrow of one symbol.
fn lanes(game: &Game, slot: SlotId, symbol: Symbol) -> String {
    let count = game.players().len();
    let middle = |player: PlayerId| player.0 * LANE + LANE / 2;
    let mut line: Vec<char> = vec![' '; count * LANE];
    for player in 0..count {
        line[middle(PlayerId(player))] = '|';
    }
    let data = game.slot(slot);
    let (from, to) = (middle(data.from), middle(data.to));
    if from == to {
        line[from] = '*';
    } else {
        let (low, high) = (from.min(to), from.max(to));
        line[low + 1..high].fill('-');
        if from < to {
            line[high - 1] = '>';
        } else {
            line[low + 1] = '<';
        }
        let shown: Vec<char> = symbol.0.to_string().chars().take(high - low - 3).collect();
        let start = low + 1 + (high - low - 1 - shown.len()) / 2;
        line[start..start + shown.len()].copy_from_slice(&shown);
    }
    line.into_iter().collect()
}

fn trim_line(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}
