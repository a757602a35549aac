//! The matrix of a game: who holds what against who holds the rest, one colour per answer, rectangles of one message.

use crate::report::svg::{self, Picture};
use maud::{Markup, html};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Most rows and columns that are drawn.
pub const MAX_SIDE: usize = 16;
/// Up to so many columns, a cell has its answer written in it.
const LETTERED: usize = 20;

/// A matrix of answers, rows in groups.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// What a row is.
    pub row_name: String,
    /// What a column is.
    pub column_name: String,
    /// Labels of the columns.
    pub columns: Vec<String>,
    /// The rows, those of one group together.
    pub rows: Vec<Row>,
    /// Rows and columns of the whole.
    pub of: (usize, usize),
}

/// One row of a matrix.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its label.
    pub label: String,
    /// The group: its class, or the message it sends.
    pub group: String,
    /// The answers, as words.
    pub cells: Vec<String>,
}

impl Matrix {
    /// The same as JSON.
    pub fn json(&self) -> Json {
        let rows: Vec<Json> = self
            .rows
            .iter()
            .map(|row| json!({"label": row.label, "group": row.group, "answers": row.cells, "line": row.cells.concat()}))
            .collect();
        json!({
            "rows": rows,
            "columns": self.columns,
            "row_name": self.row_name,
            "column_name": self.column_name,
            "row_count": self.of.0.to_string(),
            "column_count": self.of.1.to_string(),
        })
    }

    /// True when rows or columns are left out.
    pub fn cut_off(&self) -> bool {
        (self.rows.len(), self.columns.len()) != self.of
    }

    fn side(&self) -> usize {
        let longest = self
            .rows
            .iter()
            .flat_map(|row| &row.cells)
            .map(String::len)
            .max();
        if self.columns.len() <= LETTERED {
            longest.map_or(20, |longest| svg::room(longest).max(20))
        } else {
            10
        }
    }
}

/// The picture.
pub fn picture(title: &str, matrix: &Matrix) -> Picture {
    let side = matrix.side();
    let height = side.min(20);
    let lettered = matrix.columns.len() <= LETTERED;
    let longest = |labels: &mut dyn Iterator<Item = usize>| svg::room(labels.max().unwrap_or(0));
    let label_room = longest(&mut matrix.rows.iter().map(|row| row.label.chars().count()));
    let group_room = longest(&mut matrix.rows.iter().map(|row| row.group.chars().count()));
    let left = label_room.max(svg::room(matrix.row_name.chars().count())) + 16;
    let head = longest(&mut matrix.columns.iter().map(|label| label.chars().count()));
    // Labels that are wider than a cell stand upright.
    let upright = head > side;
    let top = 26
        + if !lettered {
            0
        } else if upright {
            head
        } else {
            16
        };
    let right = left + matrix.columns.len() * side;
    let bottom = top + matrix.rows.len() * height;
    let width =
        (right + group_room + 20).max(left + svg::room(matrix.column_name.chars().count()) + 10);
    let body = html! {
        (svg::text(left, 14, "dim", &matrix.column_name))
        (svg::text(8, top - 6, "dim", &matrix.row_name))
        @if lettered {
            @for (column, label) in matrix.columns.iter().enumerate() {
                @let x = left + column * side + side / 2;
                @if upright { text transform={"translate(" (x + 4) "," (top - 4) ")rotate(-90)"} { (label) } }
                @else { (svg::text(x, top - 6, "m", label)) }
            }
        }
        (cells(matrix, (left, top), (side, height)))
        @for (row, data) in matrix.rows.iter().enumerate() {
            @let y = top + row * height;
            @let new = row == 0 || matrix.rows[row - 1].group != data.group;
            @if height >= 12 || row % 2 == 0 { (svg::text(left - 6, y + height / 2 + 4, "e", &data.label)) }
            @if new {
                @if row > 0 { (svg::line((left, y), (right, y), "line")) }
                (svg::text(right + 8, y + height / 2 + 4, "dim", &data.group))
            }
        }
        (svg::rect((left, top), (right - left, bottom - top), "line"))
    };
    Picture::new(title, width, bottom + 6, body)
}

/// One path per answer, and the answers as text where there is room.
fn cells(matrix: &Matrix, (left, top): (usize, usize), (side, height): (usize, usize)) -> Markup {
    let mut paths: BTreeMap<&str, String> = BTreeMap::new();
    for (row, data) in matrix.rows.iter().enumerate() {
        for (column, answer) in data.cells.iter().enumerate() {
            let path = paths.entry(answer).or_default();
            let (x, y) = (left + column * side, top + row * height);
            // Writing to a string cannot fail.
            let _ = write!(path, "M{x} {y}h{side}v{height}h-{side}z");
        }
    }
    html! {
        @for (place, path) in paths.values().enumerate() { path class={"k" (place % 8)} d=(path) {} }
        @if matrix.columns.len() <= LETTERED {
            @let places: Vec<usize> = (0..matrix.columns.len()).map(|column| left + column * side + side / 2).collect();
            @for (row, data) in matrix.rows.iter().enumerate() {
                @let answers: Vec<&str> = data.cells.iter().map(String::as_str).collect();
                (svg::letters(&places, top + row * height + height / 2 + 4, &answers))
            }
        }
    }
}
