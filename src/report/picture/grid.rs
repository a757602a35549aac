//! A grid of cells with letters and colours: the staircase of a frontier, the map of a region.

use crate::report::svg::{self, Picture};
use maud::html;
use std::fmt::Write as _;

/// Pixels of a cell.
const HEIGHT: usize = 34;

/// One cell of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What is written in it; letters say what the colours say.
    pub letter: String,
    /// A colour class.
    pub colour: &'static str,
    /// Whether it is on the boundary.
    pub corner: bool,
}

impl Cell {
    /// A cell of a frontier: `S` solvable, `U` unsolvable, `?`.
    pub fn of_letter(letter: char, corner: bool) -> Self {
        let colour = match letter {
            'S' => "k2",
            'U' => "k6",
            _ => "k7",
        };
        Self {
            letter: letter.to_string(),
            colour,
            corner,
        }
    }
}

/// A grid: columns left to right, rows bottom to top, each with its labels.
#[derive(Clone, Debug)]
pub struct Grid<'a> {
    /// Name of the axis to the right.
    pub x_name: &'a str,
    /// Name of the axis up.
    pub y_name: &'a str,
    /// Labels of the columns.
    pub x_labels: Vec<String>,
    /// Labels of the rows, from the bottom.
    pub y_labels: Vec<String>,
    /// Cells by column, each from the bottom.
    pub columns: Vec<Vec<Cell>>,
}

/// The picture. A thick line runs between cells of different colours.
pub fn picture(title: &str, grid: &Grid<'_>) -> Picture {
    let letters = grid
        .columns
        .iter()
        .flatten()
        .map(|cell| cell.letter.chars().count())
        .max();
    let side = svg::room(letters.unwrap_or(1)).max(HEIGHT - 8) + 8;
    let labels = grid
        .y_labels
        .iter()
        .chain([&grid.y_name.to_owned()])
        .map(|label| label.chars().count())
        .max();
    let left = svg::room(labels.unwrap_or(0)) + 18;
    let (wide, high) = (grid.columns.len(), grid.y_labels.len());
    let (top, bottom) = (24, 24 + high * HEIGHT);
    let at = |column: usize, row: usize| (left + column * side, bottom - (row + 1) * HEIGHT);
    let body = html! {
        (svg::text(left - 8, 14, "e dim", grid.y_name))
        @for (column, cells) in grid.columns.iter().enumerate() {
            @for (row, cell) in cells.iter().enumerate() {
                @let (x, y) = at(column, row);
                (svg::rect((x, y), (side, HEIGHT), cell.colour))
                @if cell.corner { rect class="line" x=(x + 4) y=(y + 4) width=(side - 8) height=(HEIGHT - 8) {} }
                (svg::text(x + side / 2, y + HEIGHT / 2 + 4, if cell.corner { "m b" } else { "m" }, &cell.letter))
            }
            (svg::text(left + column * side + side / 2, bottom + 18, "m", grid.x_labels.get(column).map_or("", String::as_str)))
        }
        @for (row, label) in grid.y_labels.iter().enumerate() {
            (svg::text(left - 8, bottom - row * HEIGHT - HEIGHT / 2 + 4, "e", label))
        }
        path class="frame" d=(boundary(grid, &at, side)) {}
        (svg::rect((left, top), (wide * side, high * HEIGHT), "rule"))
        (svg::text(left + wide * side / 2, bottom + 36, "m dim", grid.x_name))
    };
    let name = left + wide * side / 2 + svg::room(grid.x_name.chars().count()) / 2;
    Picture::new(title, (left + wide * side).max(name) + 8, bottom + 44, body)
}

/// The edges between cells of different colours.
fn boundary(grid: &Grid<'_>, at: &dyn Fn(usize, usize) -> (usize, usize), side: usize) -> String {
    let colour = |column: usize, row: usize| {
        grid.columns
            .get(column)
            .and_then(|cells| cells.get(row))
            .map(|cell| cell.colour)
    };
    // Writing to a string cannot fail.
    let mut path = String::new();
    for column in 0..grid.columns.len() {
        for row in 0..grid.columns[column].len() {
            let (x, y) = at(column, row);
            let own = colour(column, row);
            let differs = |other: Option<&str>| other.is_some() && other != own;
            if differs(colour(column + 1, row)) {
                let _ = write!(path, "M{} {y}v{HEIGHT}", x + side);
            }
            if differs(colour(column, row + 1)) {
                let _ = write!(path, "M{x} {y}h{side}");
            }
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staircase_of_two_by_two() {
        let cell = Cell::of_letter;
        let grid = Grid {
            x_name: "soft",
            y_name: "linear",
            x_labels: vec!["1".to_owned(), "2".to_owned()],
            y_labels: vec!["1".to_owned(), "2".to_owned()],
            columns: vec![
                vec![cell('U', false), cell('U', true)],
                vec![cell('U', true), cell('S', true)],
            ],
        };
        let file = picture("a", &grid).file();
        assert_eq!(file.matches("class=\"k6\"").count(), 3);
        assert_eq!(file.matches("class=\"k2\"").count(), 1);
        // The solvable corner has an edge to its left and one below it.
        let frame = file.split("class=\"frame\" d=\"").nth(1).unwrap();
        assert_eq!(frame.split('"').next().unwrap().matches('M').count(), 2);
    }
}
