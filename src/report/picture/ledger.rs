//! Bars: what a step costs against what it may cost.

use crate::report::svg::{self, Picture};
use maud::html;
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use serde_json::{Value as Json, json};

/// Pixels of the longest bar.
const LENGTH: u64 = 360;
/// Pixels from one bar to the next.
const ROW: usize = 46;

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it is about.
    pub name: String,
    /// Its parts, with their names.
    pub parts: Vec<(String, BigUint)>,
    /// What it may be at most, or must stay below, in words and as a length.
    pub allowed: Option<(String, BigUint)>,
}

impl Bar {
    fn total(&self) -> BigUint {
        self.parts.iter().map(|part| &part.1).sum()
    }

    /// The same as JSON.
    pub fn json(&self) -> Json {
        let parts: Vec<Json> = self
            .parts
            .iter()
            .map(|(name, bits)| json!({"name": name, "bits": bits.to_string()}))
            .collect();
        json!({
            "name": self.name,
            "parts": parts,
            "total": self.total().to_string(),
            "allowed": self.allowed.as_ref().map(|(words, bits)| json!({"words": words, "bits": bits.to_string()})),
        })
    }
}

/// The picture: lengths in proportion, numbers exact.
pub fn picture(title: &str, bars: &[Bar]) -> Picture {
    let ends = bars.iter().flat_map(|bar| {
        [
            Some(bar.total()),
            bar.allowed.as_ref().map(|allowed| allowed.1.clone()),
        ]
    });
    let most = ends
        .flatten()
        .max()
        .filter(|most| !most.is_zero())
        .unwrap_or_else(|| BigUint::from(1u8));
    let scaled = |bits: &BigUint| (bits * LENGTH / &most).to_usize().unwrap_or(0);
    let left = svg::room(
        bars.iter()
            .map(|bar| bar.name.chars().count())
            .max()
            .unwrap_or(0),
    ) + 16;
    let notes: Vec<String> = bars.iter().map(note).collect();
    let width = left
        + usize::try_from(LENGTH).unwrap_or(0)
        + 16
        + svg::room(
            notes
                .iter()
                .map(|note| note.chars().count())
                .max()
                .unwrap_or(0),
        );
    let widest = bars
        .iter()
        .map(|bar| parts(bar).chars().count())
        .max()
        .unwrap_or(0);
    let width = width.max(left + svg::room(widest) + 10);
    let body = html! {
        @for (row, (bar, note)) in bars.iter().zip(&notes).enumerate() {
            @let y = 8 + row * ROW;
            (svg::text(left - 8, y + 16, "e", &bar.name))
            @let mut sum = BigUint::zero();
            @for (place, (name, bits)) in bar.parts.iter().enumerate() {
                @let start = scaled(&sum);
                @let end = { sum += bits; scaled(&sum) };
                @if end > start {
                    rect class={"k" (place % 8)} x=(left + start) y=(y + 2) width=(end - start) height="20" { title { (name) ": " (bits) " bits" } }
                }
            }
            @if let Some((_, bits)) = &bar.allowed {
                @let x = left + scaled(bits);
                (svg::line((x, y - 2), (x, y + 26), "hot"))
            }
            (svg::text(left, y + 36, "dim", &parts(bar)))
            (svg::text(left + usize::try_from(LENGTH).unwrap_or(0) + 10, y + 16, "", note))
        }
    };
    Picture::new(title, width, 14 + bars.len() * ROW, body)
}

/// The parts that are not empty, when there are several.
fn parts(bar: &Bar) -> String {
    let parts: Vec<String> = bar
        .parts
        .iter()
        .filter(|(_, bits)| !bits.is_zero())
        .map(|(name, bits)| format!("{name}: {bits}"))
        .collect();
    if bar.parts.len() > 1 {
        parts.join("; ")
    } else {
        String::new()
    }
}

fn note(bar: &Bar) -> String {
    let total = bar.total();
    bar.allowed.as_ref().map_or_else(
        || format!("{total} bits"),
        |(words, _)| format!("{total} bits, {words}"),
    )
}
