//! Small phrases that several commands print.

use crate::evidence::Checked;
use crate::file::setting::inputs_json;
use crate::game::ledger::count_and_bits;
use crate::game::{Accepted, Game, Inputs, Ledger, View};
use num_traits::ToPrimitive;
use serde_json::{Map, Value as Json};

/// `soft 8 (3 bits), linear 4 (2 bits)`.
pub fn ledger(ledger: &Ledger) -> String {
    if ledger.0.is_empty() {
        return "nothing is said".to_owned();
    }
    let lines: Vec<String> = ledger
        .0
        .iter()
        .map(|(channel, count)| format!("{} {}", channel.word(), count_and_bits(count)))
        .collect();
    lines.join(", ")
}

/// The ledger as JSON: channel to exact product.
pub fn ledger_json(ledger: &Ledger) -> Json {
    Json::Object(
        ledger
            .0
            .iter()
            .map(|(channel, count)| (channel.word().to_owned(), count.to_string().into()))
            .collect(),
    )
}

/// A full input in one line: `A f=01  B g=00  C x=0`.
pub fn inputs(game: &Game, inputs: &Inputs) -> String {
    let players = game
        .players()
        .iter()
        .zip(&inputs.0)
        .filter(|(player, _)| !player.domain.fields().is_empty());
    let parts: Vec<String> = players
        .map(|(player, digits)| {
            format!(
                "{} {}",
                player.label,
                fields(&player.domain, digits).join(" ")
            )
        })
        .collect();
    parts.join("  ")
}

/// `f=01`, `x=0`: one entry per field.
pub fn fields(domain: &crate::exact::Domain, digits: &[u64]) -> Vec<String> {
    let mut start = 0;
    domain
        .fields()
        .iter()
        .map(|field| {
            let end = start + field.form.width().to_usize().unwrap_or(0);
            let part = &digits[start..end];
            start = end;
            let separator = if part.iter().any(|digit| *digit > 9) {
                ","
            } else {
                ""
            };
            let digits: Vec<String> = part.iter().map(ToString::to_string).collect();
            format!("{}={}", field.name, digits.join(separator))
        })
        .collect()
}

/// `x=0, soft A->C @1 = 1`: the output player's view without silent slots.
pub fn view(game: &Game, view: &View) -> String {
    let domain = &game.player(view.player).domain;
    let stored = view.stored.iter().filter(|(slot, _)| game.is_open(*slot));
    let heard = stored.map(|(slot, symbol)| format!("{} = {}", game.name(*slot), symbol.0));
    let parts: Vec<String> = fields(domain, &view.input)
        .into_iter()
        .chain(heard)
        .collect();
    if parts.is_empty() {
        "nothing".to_owned()
    } else {
        parts.join(", ")
    }
}

/// `accepted 0`, `accepted 0, 2`, `any answer accepted`, `no answer accepted`.
pub fn accepted(accepted: &Accepted) -> String {
    match accepted {
        Accepted::All => "any answer accepted".to_owned(),
        Accepted::One(answer) => format!("accepted {answer}"),
        Accepted::Only(list) if list.is_empty() => "no answer accepted".to_owned(),
        Accepted::Only(list) => {
            let list: Vec<String> = list.iter().map(ToString::to_string).collect();
            format!("accepted {}", list.join(", "))
        }
    }
}

/// A full input as JSON, in the form `--input` takes.
pub fn inputs_value(game: &Game, inputs: &Inputs) -> Json {
    serde_json::from_str(&inputs_json(game, inputs)).unwrap_or_else(|_| Json::Object(Map::new()))
}

/// `1 claim`, `3 claims`.
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("{count} {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

/// What was found, in a line: subject, then summary.
pub fn detail(checked: &Checked) -> String {
    let subject = checked.subject();
    let separator = if subject.is_empty() { "" } else { "  " };
    format!("{subject}{separator}{}", checked.summary())
}
