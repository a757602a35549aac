//! Pictures, written by hand: whole numbers of pixels, no script, no outside resource.

use std::fmt::Write as _;

/// Pixels from one cell to the next.
const CELL: usize = 40;
/// Room for labels on the left and at the bottom.
const MARGIN: usize = 70;

/// One cell of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// `S`, `U` or `?`.
    pub letter: char,
    /// Whether it is on the boundary.
    pub corner: bool,
}

/// A grid of cells: columns left to right, rows bottom to top, both numbered from 1. Letters say what the colours say.
pub fn grid(title: &str, x_name: &str, y_name: &str, columns: &[Vec<Cell>]) -> String {
    let rows = columns.first().map_or(0, Vec::len);
    let (width, height) = (
        MARGIN + columns.len() * CELL + 20,
        MARGIN + rows * CELL + 40,
    );
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\">"
    );
    let _ = writeln!(out, "<title>{}</title>", escape(title));
    let _ = writeln!(out, "<text x=\"10\" y=\"20\">{}</text>", escape(title));
    let bottom = 35 + rows * CELL;
    for (column, cells) in columns.iter().enumerate() {
        let x = MARGIN + column * CELL;
        for (row, cell) in cells.iter().enumerate() {
            square(&mut out, x, bottom - (row + 1) * CELL, *cell);
        }
        label(
            &mut out,
            x + CELL / 2,
            bottom + 18,
            &(column + 1).to_string(),
        );
    }
    for row in 0..rows {
        label(
            &mut out,
            MARGIN - 12,
            bottom - row * CELL - CELL / 2 + 5,
            &(row + 1).to_string(),
        );
    }
    label(
        &mut out,
        MARGIN + columns.len() * CELL / 2,
        bottom + 38,
        &escape(x_name),
    );
    label(&mut out, 28, bottom - rows * CELL / 2, &escape(y_name));
    out.push_str("</svg>\n");
    out
}

fn square(out: &mut String, x: usize, y: usize, cell: Cell) {
    let colour = match cell.letter {
        'S' => "#b7e1cd",
        'U' => "#f4c7c3",
        _ => "#eeeeee",
    };
    let (line, weight) = if cell.corner {
        ("#000000", "bold")
    } else {
        ("#bbbbbb", "normal")
    };
    let side = CELL - 2;
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" fill=\"{colour}\" stroke=\"{line}\"/>"
    );
    let (x, y, letter) = (x + CELL / 2 - 1, y + CELL / 2 + 4, cell.letter);
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" font-weight=\"{weight}\">{letter}</text>"
    );
}

fn label(out: &mut String, x: usize, y: usize, text: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{text}</text>"
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_grid() {
        let cell = |letter, corner| Cell { letter, corner };
        let columns = vec![
            vec![cell('U', false), cell('U', true)],
            vec![cell('U', false), cell('S', true)],
        ];
        let svg = grid("a < b", "soft", "linear", &columns);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<rect ").count(), 4);
        assert!(svg.contains("a &lt; b") && !svg.contains('.'.to_string().repeat(2).as_str()));
    }
}
