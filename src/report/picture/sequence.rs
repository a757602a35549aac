//! A run as a message sequence: one lane per player, one arrow per symbol, bits on the arrows.

use crate::game::{Game, PlayerId, Run, SlotId, Symbol};
use crate::report::svg::{self, Picture};
use crate::report::words;
use maud::{Markup, html};
use serde_json::{Value as Json, json};

/// Pixels from one lane to the next.
pub(super) const LANE: usize = 84;
/// Pixels from one arrow to the next.
pub(super) const ROW: usize = 26;
/// Room on the left, for the rounds.
pub(super) const LEFT: usize = 70;
/// Room at the top, for the labels.
pub(super) const TOP: usize = 34;

/// The middle of a player's lane.
pub(super) fn lane(player: PlayerId) -> usize {
    LEFT + LANE / 2 + player.0 * LANE
}

/// Labels of the players and their lanes, down to `bottom`.
pub(super) fn lanes(game: &Game, bottom: usize) -> Markup {
    html! {
        @for (place, player) in game.players().iter().enumerate() {
            @let x = lane(PlayerId(place));
            (svg::text(x, 18, "m b", &player.label.0))
            (svg::line((x, TOP - 8), (x, bottom), "rule"))
        }
    }
}

/// The longest name of a slot, in characters.
pub(super) fn name_width(game: &Game, slots: &[SlotId]) -> usize {
    slots
        .iter()
        .map(|slot| game.name(*slot).chars().count())
        .max()
        .unwrap_or(0)
}

/// A symbol in bits where the alphabet is a power of two of at most 16 bits.
pub fn bits(game: &Game, slot: SlotId, symbol: Symbol) -> Option<String> {
    let size = game.alphabet(slot).size();
    let width = usize::try_from(size.bits().checked_sub(1)?).ok()?;
    (size.count_ones() == 1 && (1..=16).contains(&width)).then(|| format!("{:0width$b}", symbol.0))
}

/// Bits, or the number.
fn said(game: &Game, slot: SlotId, symbol: Symbol) -> String {
    bits(game, slot, symbol).unwrap_or_else(|| symbol.0.to_string())
}

/// The symbols that are drawn: those of open slots, in order.
pub fn steps<'a>(game: &'a Game, run: &'a Run) -> impl Iterator<Item = (SlotId, Symbol)> + 'a {
    run.transcript
        .iter()
        .copied()
        .filter(|(slot, _)| game.is_open(*slot))
}

/// The transcript as JSON, the same for commands and page.
pub fn transcript(game: &Game, run: &Run) -> Json {
    steps(game, run)
        .map(|(slot, symbol)| {
            json!({
                "slot": game.name(slot),
                "symbol": symbol.0.to_string(),
                "alphabet": game.alphabet(slot).size().to_string(),
                "bits": bits(game, slot, symbol),
            })
        })
        .collect()
}

/// The picture of a run.
pub fn picture(title: &str, game: &Game, run: &Run) -> Picture {
    let list: Vec<(SlotId, Symbol)> = steps(game, run).collect();
    let slots: Vec<SlotId> = list.iter().map(|(slot, _)| *slot).collect();
    let bottom = TOP + list.len() * ROW + 6;
    let names = LEFT + game.players().len() * LANE + 6;
    let width = names + svg::room(name_width(game, &slots)) + 8;
    let body = html! {
        (lanes(game, bottom))
        @for (place, (slot, symbol)) in list.iter().enumerate() {
            @let y = TOP + place * ROW + ROW / 2 + 4;
            g.step data-step=(place + 1) {
                @if place == 0 || game.round_of(slots[place - 1]) != game.round_of(*slot) {
                    (svg::text(4, y + 4, "dim", &format!("round {}", game.round_of(*slot) + 1)))
                }
                (symbol_arrow(game, *slot, &said(game, *slot, *symbol), y))
                (svg::text(names, y + 4, "dim", game.name(*slot)))
            }
        }
    };
    Picture::new(title, width, bottom + 4, body)
}

fn symbol_arrow(game: &Game, slot: SlotId, said: &str, y: usize) -> Markup {
    let data = game.slot(slot);
    let (from, to) = (lane(data.from), lane(data.to));
    html! {
        @if data.from == data.to { circle class="inkfill" cx=(from) cy=(y) r="4" {} }
        @else { (svg::arrow(from, to, y, "line", "inkfill")) }
        (svg::text(usize::midpoint(from, to), y - 4, "m b h", said))
        @for seen in &data.consults { @if *seen != data.to { circle class="thin" cx=(lane(*seen)) cy=(y) r="4" {} } }
    }
}

/// The views of all players, as they grow: what was stored at step k carries its number.
pub fn views(game: &Game, run: &Run) -> Markup {
    let numbers: Vec<SlotId> = steps(game, run).map(|(slot, _)| slot).collect();
    html! {
        dl.views {
            @for view in &run.views {
                @let player = game.player(view.player);
                dt { (player.label.0) @if view.player == game.output() { " (answers)" } }
                dd {
                    @for field in words::fields(&player.domain, &view.input) { code { (field) } " " }
                    @for (slot, symbol) in view.stored.iter().filter(|(slot, _)| game.is_open(*slot)) {
                        @let step = numbers.iter().position(|other| other == slot).map_or(0, |place| place + 1);
                        code.step data-step=(step) { (game.name(*slot)) " = " (said(game, *slot, *symbol)) } " "
                    }
                }
            }
        }
    }
}
