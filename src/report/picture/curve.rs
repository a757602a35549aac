//! Curves over two axes with ticks. Positions are whole numbers in units of the caller's choice.

use crate::report::svg::{self, Picture};
use maud::html;

/// Size of the area with the curves.
const AREA: (usize, usize) = (420, 300);
/// Room on the left and at the top.
const CORNER: (usize, usize) = (70, 30);

/// A position on an axis with its label.
pub type Tick = (usize, String);

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Ticks, increasing; the first and the last one are the ends.
    pub ticks: Vec<Tick>,
}

impl Axis {
    /// The place of a position, in `0..=length` pixels.
    fn place(&self, position: usize, length: usize) -> usize {
        let low = self.ticks.first().map_or(0, |tick| tick.0);
        let high = self.ticks.last().map_or(1, |tick| tick.0).max(low + 1);
        (position.clamp(low, high) - low) * length / (high - low)
    }
}

/// Named points, drawn as a line with dots.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Positions on both axes, and what a dot says.
    pub points: Vec<(usize, usize, String)>,
}

/// The picture.
pub fn picture(title: &str, x: &Axis, y: &Axis, series: &[Series]) -> Picture {
    let (left, top) = CORNER;
    let (right, bottom) = (left + AREA.0, top + AREA.1);
    let at = |point: &(usize, usize, String)| {
        (
            left + x.place(point.0, AREA.0),
            bottom - y.place(point.1, AREA.1),
        )
    };
    let names = series
        .iter()
        .map(|series| series.name.chars().count())
        .max();
    let body = html! {
        (svg::text(8, 16, "dim", &y.name))
        @for (position, label) in &x.ticks {
            @let place = left + x.place(*position, AREA.0);
            (svg::line((place, top), (place, bottom), "rule"))
            (svg::text(place, bottom + 18, "m", label))
        }
        @for (position, label) in &y.ticks {
            @let place = bottom - y.place(*position, AREA.1);
            (svg::line((left, place), (right, place), "rule"))
            (svg::text(left - 6, place + 4, "e", label))
        }
        (svg::text(usize::midpoint(left, right), bottom + 36, "m dim", &x.name))
        @for (number, series) in series.iter().enumerate() {
            @let list: Vec<String> = series.points.iter().map(|point| { let (x, y) = at(point); format!("{x},{y}") }).collect();
            @let class = format!("s{}", number % 4);
            @let dash = if number < 4 { "" } else { " dash" };
            polyline class={(class) (dash)} points=(list.join(" ")) {}
            @for point in &series.points {
                @let (x, y) = at(point);
                circle class=(class) cx=(x) cy=(y) r="3" { title { (point.2) } }
            }
            @let y = bottom + 62 + number * 20;
            (svg::line((left, y - 4), (left + 24, y - 4), &format!("{class}{dash}")))
            (svg::text(left + 30, y, "", &series.name))
        }
    };
    Picture::new(
        title,
        (right + 20).max(left + 40 + svg::room(names.unwrap_or(0))),
        bottom + 56 + series.len() * 20,
        body,
    )
}
