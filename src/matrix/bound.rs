//! Lower bounds on the number of leaves, hence on depth: minors and fooling sets, one for each value.
//!
//! The leaves of a tree with value v partition the entries of value v into rectangles. Their indicator matrices have rank 1 and
//! sum to the indicator matrix of v, so there are at least rank (over the rationals) of them; two entries of one fooling set are
//! never in one leaf. With b bits there are at most 2^b leaves.

use super::matrix::Rectangle;
use super::{Flaw, Matrix, Reason, check_indices};

/// The prime 2^61 - 1. A matrix that is not singular modulo a prime is not singular over the rationals; for 0/1 matrices of at
/// most 36 rows the converse holds too, since every minor is at most 37^(37/2) / 2^36, which is smaller.
pub const PRIME: u64 = (1 << 61) - 1;

/// Multiplication modulo [`PRIME`], of numbers below it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the product is below 2^122: its low and its high 61 bits"
)]
fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let low = (product & u128::from(PRIME)) as u64;
    let sum = low + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

/// Pivots of the indicator matrix of one colour on a rectangle, modulo [`PRIME`]: rows and columns of a largest minor that is
/// not 0. Rows are used from the first to the last, columns likewise.
///
/// # Cost
/// rows * columns * rank multiplications.
pub fn pivots(matrix: &Matrix, inputs: &Rectangle, colour: usize) -> (Vec<usize>, Vec<usize>) {
    let width = inputs.columns.len();
    let mut reduced: Vec<(usize, Vec<u64>)> = Vec::new();
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    for row in &inputs.rows {
        let mut line: Vec<u64> = inputs
            .columns
            .iter()
            .map(|column| u64::from(matrix.colour(*row, *column) == colour))
            .collect();
        for (place, above) in &reduced {
            let (factor, pivot) = (line[*place], above[*place]);
            if factor != 0 {
                eliminate(&mut line, above, factor, pivot);
            }
        }
        if let Some(place) = line.iter().position(|entry| *entry != 0) {
            rows.push(*row);
            columns.push(inputs.columns[place]);
            reduced.push((place, line));
            if rows.len() == width {
                break;
            }
        }
    }
    columns.sort_unstable();
    (rows, columns)
}

/// Makes an entry 0 without a division: line * pivot - above * factor.
fn eliminate(line: &mut [u64], above: &[u64], factor: u64, pivot: u64) {
    for (entry, above) in line.iter_mut().zip(above) {
        let sum = times(*entry, pivot) + PRIME - times(*above, factor);
        *entry = if sum >= PRIME { sum - PRIME } else { sum };
    }
}

/// Rank modulo [`PRIME`] of rows of numbers below it.
///
/// # Cost
/// rows * columns * rank multiplications.
pub fn rank(mut rows: Vec<Vec<u64>>) -> usize {
    let mut found = 0;
    while let Some(above) = rows.pop() {
        if let Some(place) = above.iter().position(|entry| *entry != 0) {
            found += 1;
            for line in rows.iter_mut().filter(|line| line[place] != 0) {
                let factor = line[place];
                eliminate(line, &above, factor, above[place]);
            }
        }
    }
    found
}

/// A number of leaves that every tree of the rectangle has: the sum over the values of the ranks of their indicator matrices
/// modulo [`PRIME`].
///
/// # Cost
/// That of [`pivots`] for each value.
pub fn leaves(matrix: &Matrix, inputs: &Rectangle) -> usize {
    (0..matrix.values().len())
        .map(|colour| pivots(matrix, inputs, colour).0.len())
        .sum()
}

/// Rows and columns on which the indicator matrix of one value is not singular.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minor {
    /// Rows, increasing.
    pub rows: Vec<usize>,
    /// As many columns, increasing.
    pub columns: Vec<usize>,
}

/// One minor for each value, in the order of the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minors(pub Vec<Minor>);

impl Minors {
    /// The largest minors.
    pub fn of(matrix: &Matrix) -> Self {
        let inputs = matrix.reduced();
        let minor = |colour| {
            let (rows, columns) = pivots(matrix, &inputs, colour);
            Minor { rows, columns }
        };
        Self((0..matrix.values().len()).map(minor).collect())
    }

    /// The number of leaves they prove.
    pub fn leaves(&self) -> usize {
        self.0.iter().map(|minor| minor.rows.len()).sum()
    }

    /// Checks every minor by elimination; gives the number of leaves.
    ///
    /// # Errors
    /// `Size` for another number of minors, or one that is not square or empty; `Coverage` for indices; `Bound` for one that is
    /// singular.
    /// # Cost
    /// The cube of each size.
    pub fn check(&self, matrix: &Matrix) -> Result<usize, Flaw> {
        one_each(matrix, self.0.len(), "/minors")?;
        for (colour, minor) in self.0.iter().enumerate() {
            let at = format!("/minors/{colour}");
            let (rows, columns) = (minor.rows.len(), minor.columns.len());
            if rows != columns || rows == 0 {
                let found = format!("{rows} rows and {columns} columns");
                return Err(Flaw::new(at, Reason::Size, found, "a square"));
            }
            check_indices(&minor.rows, matrix.rows(), &format!("{at}/rows"))?;
            check_indices(&minor.columns, matrix.columns(), &format!("{at}/columns"))?;
            let inputs = Rectangle {
                rows: minor.rows.clone(),
                columns: minor.columns.clone(),
            };
            let rank = pivots(matrix, &inputs, colour).0.len();
            if rank != rows {
                let found = format!("rank {rank}");
                return Err(Flaw::new(at, Reason::Bound, found, format!("rank {rows}")));
            }
        }
        Ok(self.leaves())
    }
}

/// One fooling set for each value, in the order of the values: entries (row, column).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoolingSet(pub Vec<Vec<(usize, usize)>>);

impl FoolingSet {
    /// The number of leaves it proves.
    pub fn leaves(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// Whether no rectangle of this colour holds both entries.
    pub fn apart(matrix: &Matrix, colour: usize, a: (usize, usize), b: (usize, usize)) -> bool {
        matrix.colour(a.0, b.1) != colour || matrix.colour(b.0, a.1) != colour
    }

    /// Checks all pairs; gives the number of leaves.
    ///
    /// # Errors
    /// `Size` for another number of sets, or an empty one; `Coverage` for entries out of order or outside; `NotConstant` for an
    /// entry of another value; `Bound` for two entries that may share a leaf.
    /// # Cost
    /// The pairs of each set.
    pub fn check(&self, matrix: &Matrix) -> Result<usize, Flaw> {
        one_each(matrix, self.0.len(), "/sets")?;
        for (colour, set) in self.0.iter().enumerate() {
            let at = format!("/sets/{colour}");
            if set.is_empty() {
                return Err(Flaw::new(at, Reason::Size, "no entry", "at least one"));
            }
            for (number, (row, column)) in set.iter().enumerate() {
                let at = format!("{at}/{number}");
                let ordered = number == 0 || set[number - 1] < set[number];
                if !ordered || *row >= matrix.rows() || *column >= matrix.columns() {
                    let found = format!("[{row},{column}]");
                    let expected = "entries of the matrix, increasing";
                    return Err(Flaw::new(at, Reason::Coverage, found, expected));
                }
                if matrix.colour(*row, *column) != colour {
                    let found = format!("an entry {}", matrix.at(*row, *column));
                    let expected = format!("an entry {}", matrix.values()[colour]);
                    return Err(Flaw::new(at, Reason::NotConstant, found, expected));
                }
                let together = set[..number]
                    .iter()
                    .position(|other| !Self::apart(matrix, colour, *other, (*row, *column)));
                if let Some(other) = together {
                    let found = format!("a rectangle with entry {other}");
                    return Err(Flaw::new(at, Reason::Bound, found, "a broken crossing"));
                }
            }
        }
        Ok(self.leaves())
    }
}

fn one_each(matrix: &Matrix, found: usize, at: &str) -> Result<(), Flaw> {
    let expected = matrix.values().len();
    if found == expected {
        Ok(())
    } else {
        let expected = format!("{expected}, one for each value");
        Err(Flaw::new(at, Reason::Size, found.to_string(), expected))
    }
}
