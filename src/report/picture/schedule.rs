//! What can influence what: a leak, what is held constant, and the cuts, on the schedule.

use super::sequence::{LANE, LEFT, ROW, TOP, lane, lanes, name_width};
use crate::game::flow::Flow;
use crate::game::{Game, PlayerId, SlotId};
use crate::report::svg::{self, Picture};
use maud::{Markup, html};
use serde_json::{Value as Json, json};

/// Most slots that are drawn; of longer schedules, those that matter.
const MAX_ROWS: usize = 48;
/// Most cuts that are drawn.
const MAX_CUTS: usize = 16;
/// Pixels from one cut to the next.
const CUT: usize = 20;

/// What is marked on a schedule.
#[derive(Clone, Copy, Debug)]
pub struct Marks<'a> {
    /// The question.
    pub flow: &'a Flow<'a>,
    /// Slots held constant.
    pub pinned: &'a [SlotId],
    /// The path of a leak.
    pub leak: Option<&'a [SlotId]>,
    /// Minimal cuts.
    pub cuts: &'a [Vec<SlotId>],
}

impl Marks<'_> {
    /// The same as JSON, in the words of `flow`.
    pub fn json(&self) -> Json {
        let game = self.flow.game;
        let names =
            |list: &[SlotId]| -> Json { list.iter().map(|slot| game.name(*slot)).collect() };
        let cuts: Vec<Json> = self.cuts.iter().map(|cut| names(cut)).collect();
        json!({
            "of": game.player(self.flow.of).label.0,
            "view": game.player(self.flow.view).label.0,
            "after": self.flow.after,
            "pinned": names(self.pinned),
            "leak": self.leak.map(names),
            "minimal_cuts": cuts,
            "cuts": self.cuts.len().to_string(),
            "slots": game.slots().len().to_string(),
            "players": game.players().iter().map(|player| player.label.0.as_str()).collect::<Vec<_>>(),
            "shown": names(&self.rows()),
        })
    }

    /// The open slots in time, or those of them that carry a mark.
    fn rows(&self) -> Vec<SlotId> {
        let game = self.flow.game;
        let open: Vec<SlotId> = game
            .open_slots()
            .filter(|slot| game.round_of(*slot) < self.flow.after)
            .collect();
        if open.len() <= MAX_ROWS {
            return open;
        }
        let marked = |slot: &SlotId| {
            self.pinned.contains(slot)
                || self.leak.is_some_and(|path| path.contains(slot))
                || self
                    .cuts
                    .iter()
                    .take(MAX_CUTS)
                    .any(|cut| cut.contains(slot))
        };
        open.into_iter().filter(marked).take(MAX_ROWS).collect()
    }
}

/// The picture.
pub fn picture(title: &str, marks: &Marks<'_>) -> Picture {
    let game = marks.flow.game;
    let rows = marks.rows();
    let y = |row: usize| TOP + row * ROW + ROW / 2;
    let bottom = TOP + rows.len() * ROW + 6;
    let names = LEFT + game.players().len() * LANE + 6;
    let cuts_at = names + svg::room(name_width(game, &rows).max(8)) + 12;
    let shown = marks.cuts.len().min(MAX_CUTS);
    let width = cuts_at + shown * CUT + 12;
    let body = html! {
        (bands(game, &rows, names - 6))
        (lanes(game, bottom))
        (influence(marks, &rows, bottom))
        @for (row, slot) in rows.iter().enumerate() {
            (slot_row(marks, *slot, names, y(row)))
        }
        @if shown > 0 { (svg::text(cuts_at, 18, "dim", if shown == marks.cuts.len() { "cuts" } else { "first cuts" })) }
        @for (column, cut) in marks.cuts.iter().take(shown).enumerate() {
            @let x = cuts_at + column * CUT + CUT / 2;
            (svg::line((x, TOP), (x, bottom), "rule"))
            @for (row, slot) in rows.iter().enumerate() {
                @if cut.contains(slot) { circle class="inkfill" cx=(x) cy=(y(row)) r="5" {} }
            }
        }
    };
    Picture::new(title, width, bottom + 4, body)
}

/// Every second round on a band; the number of each on the left.
fn bands(game: &Game, rows: &[SlotId], right: usize) -> Markup {
    let rounds: Vec<usize> = rows.iter().map(|slot| game.round_of(*slot)).collect();
    html! {
        @for (row, round) in rounds.iter().enumerate() {
            @if row == 0 || rounds[row - 1] != *round {
                @let count = rounds.iter().filter(|other| *other == round).count();
                @if round % 2 == 0 { (svg::rect((2, TOP + row * ROW), (right, count * ROW), "band")) }
                (svg::text(6, TOP + row * ROW + 17, "dim", &format!("round {}", round + 1)))
            }
        }
    }
}

/// Where the input is known along the leak: a thick lane from the moment it arrives.
fn influence(marks: &Marks<'_>, rows: &[SlotId], bottom: usize) -> Markup {
    let Some(path) = marks.leak else {
        return html! {};
    };
    let place = |slot: &SlotId| {
        rows.iter()
            .position(|row| row == slot)
            .map_or(bottom, |row| TOP + row * ROW + ROW / 2)
    };
    let mut pieces: Vec<(PlayerId, usize, usize)> = Vec::new();
    let (mut player, mut since) = (marks.flow.of, TOP - 8);
    for slot in path {
        pieces.push((player, since, place(slot)));
        (player, since) = (marks.flow.game.slot(*slot).to, place(slot));
    }
    pieces.push((player, since, bottom));
    html! {
        @for (player, from, to) in pieces { (svg::line((lane(player), from), (lane(player), to), "hot")) }
    }
}

fn slot_row(marks: &Marks<'_>, slot: SlotId, names: usize, y: usize) -> Markup {
    let data = marks.flow.game.slot(slot);
    let (from, to) = (lane(data.from), lane(data.to));
    let pinned = marks.pinned.contains(&slot);
    let hot = marks.leak.is_some_and(|path| path.contains(&slot));
    let (class, tip, name) = match (hot, pinned) {
        (true, _) => ("hot", "hotfill", "hot"),
        (false, true) => ("thin dash", "dimfill", "dim"),
        (false, false) => ("thin", "dimfill", ""),
    };
    html! {
        @if data.from == data.to { circle class=(tip) cx=(from) cy=(y) r="4" {} }
        @else { (svg::arrow(from, to, y, class, tip)) }
        @if pinned { (svg::text(usize::midpoint(from, to), y - 4, "m dim h", "constant")) }
        (svg::text(names, y + 4, name, marks.flow.game.name(slot)))
    }
}
