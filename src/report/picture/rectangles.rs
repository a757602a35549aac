//! The leaves of a protocol tree as rectangles of its matrix.

use crate::matrix::{Matrix, Node, Party, Tree};
use crate::report::svg::{self, Picture};
use maud::html;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Pixels of a cell.
const SIDE: usize = 22;
/// Room for the numbers of rows and columns.
const MARGIN: usize = 40;
/// Most rows and columns that are drawn.
pub const MAX_SIDE: usize = 40;

/// A matrix whose cells are in numbered groups, with rows and columns in an order that keeps groups together.
#[derive(Clone, Debug)]
pub struct Groups<'a> {
    matrix: &'a Matrix,
    /// By row, then column.
    of: Vec<Vec<Option<usize>>>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    count: usize,
}

impl<'a> Groups<'a> {
    /// The leaves of a tree; `None` when it does not fit the matrix, or the matrix is too large to draw.
    pub fn leaves(matrix: &'a Matrix, tree: &Tree) -> Option<Self> {
        let whole = (
            (0..matrix.rows()).collect::<Vec<_>>(),
            (0..matrix.columns()).collect::<Vec<_>>(),
        );
        let mut groups = Self::empty(matrix)?;
        let mut open = vec![(0, whole)];
        while let Some((node, (rows, columns))) = open.pop() {
            match tree.nodes.get(node)? {
                Node::Leaf(_) => groups.add(&rows, &columns),
                Node::Bit {
                    speaker,
                    ones,
                    next,
                } => {
                    let split = |own: &[usize]| -> (Vec<usize>, Vec<usize>) {
                        own.iter().partition(|index| !ones.contains(index))
                    };
                    let (zero, one) = match speaker {
                        Party::Alice => {
                            let (zero, one) = split(&rows);
                            ((zero, columns.clone()), (one, columns))
                        }
                        Party::Bob => {
                            let (zero, one) = split(&columns);
                            ((rows.clone(), zero), (rows, one))
                        }
                    };
                    open.push((next[1], one));
                    open.push((next[0], zero));
                }
            }
        }
        groups.order();
        Some(groups)
    }

    /// Some cells, each one a group of its own.
    pub fn cells(matrix: &'a Matrix, cells: &[(usize, usize)]) -> Option<Self> {
        let mut groups = Self::empty(matrix)?;
        for (row, column) in cells {
            groups.add(&[*row], &[*column]);
        }
        Some(groups)
    }

    /// Rectangles, given by their rows and columns.
    pub fn rectangles(matrix: &'a Matrix, list: &[(Vec<usize>, Vec<usize>)]) -> Option<Self> {
        let mut groups = Self::empty(matrix)?;
        for (rows, columns) in list {
            groups.add(rows, columns);
        }
        Some(groups)
    }

    fn empty(matrix: &'a Matrix) -> Option<Self> {
        let (rows, columns) = (matrix.rows(), matrix.columns());
        (rows <= MAX_SIDE && columns <= MAX_SIDE).then(|| Self {
            matrix,
            of: vec![vec![None; columns]; rows],
            rows: (0..rows).collect(),
            columns: (0..columns).collect(),
            count: 0,
        })
    }

    fn add(&mut self, rows: &[usize], columns: &[usize]) {
        for row in rows {
            for column in columns {
                if let Some(cell) = self
                    .of
                    .get_mut(*row)
                    .and_then(|cells| cells.get_mut(*column))
                {
                    *cell = Some(self.count);
                }
            }
        }
        self.count += 1;
    }

    /// Rows and columns that lie in the same leaves stand together.
    fn order(&mut self) {
        let of = self.of.clone();
        self.rows.sort_by(|a, b| of[*a].cmp(&of[*b]));
        let column = |place: usize| of.iter().map(move |row| row[place]).collect::<Vec<_>>();
        self.columns.sort_by_key(|place| column(*place));
    }

    /// The values as they are drawn, row by row.
    fn lines(&self) -> Vec<String> {
        let value = |row: usize, column: &usize| self.matrix.at(row, *column).to_string();
        let line = |row: &usize| {
            self.columns
                .iter()
                .map(|column| value(*row, column))
                .collect()
        };
        self.rows.iter().map(line).collect()
    }

    /// The same as JSON.
    pub fn json(&self) -> Json {
        json!({
            "matrix": self.matrix.texts(),
            "groups": self.of,
            "rows": self.rows,
            "columns": self.columns,
            "count": self.count.to_string(),
            "lines": self.lines(),
        })
    }
}

/// The picture.
pub fn picture(title: &str, groups: &Groups<'_>) -> Picture {
    let (wide, high) = (groups.columns.len(), groups.rows.len());
    let place = |column: usize, row: usize| (MARGIN + column * SIDE, MARGIN + row * SIDE);
    let group = |column: usize, row: usize| groups.of[groups.rows[row]][groups.columns[column]];
    let mut edges = String::new();
    for row in 0..high {
        for column in 0..wide {
            let (x, y) = place(column, row);
            // Writing to a string cannot fail.
            if column + 1 < wide && group(column, row) != group(column + 1, row) {
                let _ = write!(edges, "M{} {y}v{SIDE}", x + SIDE);
            }
            if row + 1 < high && group(column, row) != group(column, row + 1) {
                let _ = write!(edges, "M{x} {}h{SIDE}", y + SIDE);
            }
        }
    }
    let middles: Vec<usize> = (0..wide)
        .map(|column| place(column, 0).0 + SIDE / 2)
        .collect();
    let body = html! {
        @for (colour, path) in fills(groups) { path class={"k" (colour)} d=(path) {} }
        (svg::text(4, 14, "dim", "Alice: rows, Bob: columns"))
        @for (column, number) in groups.columns.iter().enumerate() { (svg::text(place(column, 0).0 + SIDE / 2, MARGIN - 6, "m dim", &number.to_string())) }
        @for (row, number) in groups.rows.iter().enumerate() {
            @let y = place(0, row).1 + SIDE / 2 + 4;
            (svg::text(MARGIN - 6, y, "e dim", &number.to_string()))
            @let values: Vec<String> = groups.columns.iter().map(|column| groups.matrix.at(*number, *column).to_string()).collect();
            @let letters: Vec<&str> = values.iter().map(String::as_str).collect();
            (svg::letters(&middles, y, &letters))
        }
        path class="line" d=(edges) {}
        (svg::rect((MARGIN, MARGIN), (wide * SIDE, high * SIDE), "line"))
    };
    let width = (MARGIN + wide * SIDE + 8).max(180);
    Picture::new(title, width, MARGIN + high * SIDE + 8, body)
}

/// One path per colour.
fn fills(groups: &Groups<'_>) -> BTreeMap<usize, String> {
    let mut paths: BTreeMap<usize, String> = BTreeMap::new();
    for (y, row) in groups.rows.iter().enumerate() {
        for (x, column) in groups.columns.iter().enumerate() {
            if let Some(group) = groups.of[*row][*column] {
                let path = paths.entry(group % 8).or_default();
                // Writing to a string cannot fail.
                let _ = write!(
                    path,
                    "M{} {}h{SIDE}v{SIDE}h-{SIDE}z",
                    MARGIN + x * SIDE,
                    MARGIN + y * SIDE
                );
            }
        }
    }
    paths
}
