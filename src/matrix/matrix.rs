//! A finite matrix: reading, duplicates, rectangles.

use std::collections::BTreeMap;
use std::ops::Range;

/// Most entries of a matrix.
pub const MAX_CELLS: usize = 1 << 22;

/// A matrix over finitely many values, with at least one row and one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    columns: usize,
    /// Row by row, places in `values`.
    cells: Vec<usize>,
    /// The values that occur, increasing.
    values: Vec<u64>,
}

/// Why a text is no matrix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Misread {
    /// Bytes of the text that are at fault.
    pub at: Range<usize>,
    /// What was found and what was expected.
    pub message: String,
    /// Whether only a size is at fault.
    pub size: bool,
}

impl Misread {
    fn new(at: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
            size: false,
        }
    }
}

impl Matrix {
    /// The matrix with these entries; `None` when there are none, or rows of different lengths.
    pub fn new(rows: &[Vec<u64>]) -> Option<Self> {
        let columns = rows.first()?.len();
        if columns == 0 || rows.iter().any(|row| row.len() != columns) {
            return None;
        }
        let mut values: Vec<u64> = rows.iter().flatten().copied().collect();
        values.sort_unstable();
        values.dedup();
        let place = |value: &u64| values.binary_search(value).unwrap_or(0);
        let cells = rows.iter().flatten().map(place).collect();
        Some(Self {
            columns,
            cells,
            values,
        })
    }

    /// The matrix with these entries: f(row, column).
    pub fn of(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> u64) -> Option<Self> {
        let list: Vec<Vec<u64>> = (0..rows)
            .map(|row| (0..columns).map(|column| entry(row, column)).collect())
            .collect();
        Self::new(&list)
    }

    /// Reads one row a line: one digit an entry, or, when some line has blanks between entries, entries separated by blanks.
    /// Empty lines, and lines that begin with `#`, are skipped.
    ///
    /// # Errors
    /// An entry that is no number below 2^63, rows of different lengths, no rows, more than [`MAX_CELLS`] entries.
    pub fn parse(text: &str) -> Result<Self, Misread> {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let body = line.trim();
            if !body.is_empty() && !body.starts_with('#') {
                let first = start + line.find(body).unwrap_or(0);
                lines.push((first, body));
            }
            start += line.len();
        }
        if lines.is_empty() {
            return Err(Misread::new(
                0..0,
                "no rows, expected one row a line: one digit an entry, or entries separated by blanks",
            ));
        }
        let spaced = is_spaced(lines.iter().map(|(_, line)| *line));
        let mut rows: Vec<Vec<u64>> = Vec::new();
        for (first, line) in lines {
            let row = read_row(line, spaced).map_err(|error| Misread {
                at: first + error.at.start..first + error.at.end,
                ..error
            })?;
            if let Some(expected) = rows.first().map(Vec::len).filter(|len| *len != row.len()) {
                let message = format!(
                    "found a row of {} entries, expected {expected} as in the first row",
                    row.len()
                );
                return Err(Misread::new(first..first + line.len(), message));
            }
            rows.push(row);
            if rows.len() * rows[0].len() > MAX_CELLS {
                let message = format!("more than {MAX_CELLS} entries");
                return Err(Misread {
                    at: first..first + line.len(),
                    message,
                    size: true,
                });
            }
        }
        Self::new(&rows).ok_or_else(|| Misread::new(0..0, "no entries"))
    }

    /// Reads rows that are texts already; the error names the row, and the place in it.
    ///
    /// # Errors
    /// As [`Matrix::parse`].
    pub fn of_texts<'a>(
        texts: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Self, (usize, Misread)> {
        let spaced = is_spaced(texts.clone());
        let mut rows: Vec<Vec<u64>> = Vec::new();
        for (number, text) in texts.enumerate() {
            let row = read_row(text, spaced).map_err(|error| (number, error))?;
            if rows.first().is_some_and(|first| first.len() != row.len()) {
                let message = format!(
                    "found a row of {} entries, expected {} as in the first row",
                    row.len(),
                    rows[0].len()
                );
                return Err((number, Misread::new(0..text.len(), message)));
            }
            rows.push(row);
        }
        Self::new(&rows).ok_or_else(|| (0, Misread::new(0..0, "no entries")))
    }

    /// The rows as texts: digits when every value is one digit, else separated by single blanks.
    pub fn texts(&self) -> Vec<String> {
        let digits = self.values.iter().all(|value| *value < 10);
        let blank = if digits { "" } else { " " };
        // A blank after the only number says that it is one.
        let end = if self.columns == 1 { blank } else { "" };
        self.cells
            .chunks(self.columns)
            .map(|row| {
                let entries: Vec<String> = row
                    .iter()
                    .map(|cell| self.values[*cell].to_string())
                    .collect();
                entries.join(blank) + end
            })
            .collect()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The values that occur, increasing.
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// The place in [`Matrix::values`] of an entry.
    pub fn colour(&self, row: usize, column: usize) -> usize {
        self.cells[row * self.columns + column]
    }

    /// An entry.
    pub fn at(&self, row: usize, column: usize) -> u64 {
        self.values[self.colour(row, column)]
    }

    /// Rows and columns exchanged.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let cells = (0..self.columns)
            .flat_map(|column| (0..self.rows()).map(move |row| self.colour(row, column)))
            .collect();
        Self {
            columns: self.rows(),
            cells,
            values: self.values.clone(),
        }
    }

    /// For every row the first row that is equal to it.
    pub fn row_classes(&self) -> Vec<usize> {
        let mut first = BTreeMap::new();
        self.cells
            .chunks(self.columns)
            .enumerate()
            .map(|(number, row)| *first.entry(row).or_insert(number))
            .collect()
    }

    /// The first of each class of equal rows.
    pub fn distinct_rows(&self) -> Vec<usize> {
        let classes = self.row_classes();
        (0..self.rows())
            .filter(|row| classes[*row] == *row)
            .collect()
    }

    /// The first of each class of equal columns.
    pub fn distinct_columns(&self) -> Vec<usize> {
        self.transposed().distinct_rows()
    }

    /// Rows and columns without repetitions: D is the same.
    pub fn reduced(&self) -> Rectangle {
        Rectangle {
            rows: self.distinct_rows(),
            columns: self.distinct_columns(),
        }
    }

    /// Number of values in a rectangle.
    pub fn values_in(&self, rectangle: &Rectangle) -> usize {
        let mut seen = vec![false; self.values.len()];
        for row in &rectangle.rows {
            for column in &rectangle.columns {
                seen[self.colour(*row, *column)] = true;
            }
        }
        seen.into_iter().filter(|seen| *seen).count()
    }
}

/// A rectangle: some rows and some columns, each increasing and not empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rectangle {
    /// Rows.
    pub rows: Vec<usize>,
    /// Columns.
    pub columns: Vec<usize>,
}

/// Whether entries are separated by blanks.
fn is_spaced<'a>(mut lines: impl Iterator<Item = &'a str>) -> bool {
    lines.any(|line| line.contains([' ', '\t']))
}

fn read_row(line: &str, spaced: bool) -> Result<Vec<u64>, Misread> {
    let entry = |at: Range<usize>| {
        let text = &line[at.clone()];
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let value = text.parse().ok().filter(|value| *value < 1 << 63 && digits);
        value.ok_or_else(|| {
            let expected = if spaced {
                "a number below 2^63"
            } else {
                "a digit"
            };
            Misread::new(at, format!("found `{text}`, expected {expected}"))
        })
    };
    if spaced {
        let start = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
        line.split_whitespace()
            .map(|word| entry(start(word)..start(word) + word.len()))
            .collect()
    } else {
        line.char_indices()
            .map(|(at, c)| entry(at..at + c.len_utf8()))
            .collect()
    }
}
