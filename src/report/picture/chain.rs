//! The chain of a decomposition: how the set R of upper tables shrinks, slot by slot, against what the paper allows.

use crate::exact::interval::floor_log2_scaled;
use crate::report::svg::{self, Picture};
use maud::html;
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use serde_json::{Value as Json, json};

/// Pixels of the longest bar.
const LENGTH: usize = 320;
/// Pixels from one bar to the next.
const ROW: usize = 24;

/// One level of the chain.
#[derive(Clone, Debug)]
pub struct Level {
    /// What it is called, and the sets Z it stands on.
    pub name: String,
    /// The size of R at the start of the level, then after each slot.
    pub rows: Vec<(String, BigUint)>,
    /// The loss of the level, exact.
    pub loss: String,
    /// The bits that the paper allows to lose.
    pub allowed: BigUint,
    /// What Z reaches of the next table, and what the paper asks for.
    pub reach: [String; 2],
}

impl Level {
    /// The same as JSON.
    pub fn json(&self) -> Json {
        let rows: Vec<Json> = self.rows.iter().map(|(name, size)| json!({"name": name, "size": size.to_string(), "shown": shown(size)})).collect();
        json!({
            "name": self.name,
            "rows": rows,
            "loss": self.loss,
            "allowed_bits": self.allowed.to_string(),
            "reach": self.reach[0],
            "wanted": self.reach[1],
        })
    }
}

/// A number, or the ends of a long one.
fn shown(number: &BigUint) -> String {
    let text = number.to_string();
    if text.len() <= 24 {
        text
    } else {
        format!(
            "{}..{} ({} digits)",
            &text[..8],
            &text[text.len() - 8..],
            text.len()
        )
    }
}

/// `log2 x` in sixteenths, rounded down; an empty set is drawn as one element.
fn sixteenths(x: &BigUint) -> usize {
    if x.is_zero() {
        return 0;
    }
    floor_log2_scaled(x, 4).to_usize().unwrap_or(0)
}

/// The picture: lengths are logarithms, numbers exact.
pub fn picture(title: &str, levels: &[Level]) -> Picture {
    let sizes = || levels.iter().flat_map(|level| &level.rows);
    let most = sizes()
        .map(|row| sixteenths(&row.1))
        .max()
        .unwrap_or(0)
        .max(1);
    let scaled = |value: usize| value * LENGTH / most;
    let characters =
        |lengths: &mut dyn Iterator<Item = usize>| svg::room(lengths.max().unwrap_or(0));
    let left = characters(&mut sizes().map(|row| row.0.chars().count())) + 16;
    let heads: Vec<String> = levels.iter().map(head).collect();
    let right =
        left + LENGTH + 20 + characters(&mut sizes().map(|row| shown(&row.1).chars().count()));
    let width = right.max(20 + characters(&mut heads.iter().map(|head| head.chars().count())));
    let mut top = 0;
    let mut body = Vec::new();
    for (level, head) in levels.iter().zip(&heads) {
        body.push(one(level, head, top, left, &scaled));
        top += (level.rows.len() + 1) * ROW + 14;
    }
    Picture::new(title, width, top, html! { @for part in body { (part) } })
}

fn head(level: &Level) -> String {
    format!(
        "{}: loss {}, allowed 2^{}; reach {}, wanted {}",
        level.name, level.loss, level.allowed, level.reach[0], level.reach[1]
    )
}

fn one(
    level: &Level,
    head: &str,
    top: usize,
    left: usize,
    scaled: &dyn Fn(usize) -> usize,
) -> maud::Markup {
    let start = level.rows.first().map_or(0, |row| sixteenths(&row.1));
    let allowed = (&level.allowed * 16u8)
        .to_usize()
        .filter(|bits| *bits <= start);
    let bottom = top + (level.rows.len() + 1) * ROW;
    html! {
        (svg::text(8, top + 16, "b", head))
        @for (place, (name, size)) in level.rows.iter().enumerate() {
            @let y = top + (place + 1) * ROW;
            (svg::text(left - 8, y + 16, "e", name))
            (svg::rect((left, y + 3), (scaled(sixteenths(size)).max(2), ROW - 6), if place == 0 { "k7" } else { "k0" }))
            (svg::text(left + scaled(sixteenths(size)).max(2) + 8, y + 16, "", &shown(size)))
        }
        @if let Some(allowed) = allowed {
            @let x = left + scaled(start - allowed);
            (svg::line((x, top + ROW), (x, bottom), "hot"))
        }
    }
}
