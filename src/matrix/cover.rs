//! Rectangles of one value that cover a matrix.

use super::matrix::Rectangle;
use super::{Flaw, Matrix, Reason, check_indices};

/// Rectangles of one value each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover(pub Vec<Rectangle>);

impl Cover {
    /// Checks that every entry is in some rectangle (in exactly one, when they are to be `disjoint`), and that every rectangle has
    /// one value.
    ///
    /// # Errors
    /// `Coverage` for indices, an entry that is missed, or one that is covered twice; `NotConstant` for a rectangle.
    /// # Cost
    /// The entries of all rectangles.
    pub fn check(&self, matrix: &Matrix, disjoint: bool) -> Result<(), Flaw> {
        let mut covered = vec![0_usize; matrix.rows() * matrix.columns()];
        for (number, Rectangle { rows, columns }) in self.0.iter().enumerate() {
            let at = format!("/{number}");
            check_indices(rows, matrix.rows(), &format!("{at}/0"))?;
            check_indices(columns, matrix.columns(), &format!("{at}/1"))?;
            for row in rows {
                for column in columns {
                    covered[row * matrix.columns() + column] += 1;
                    if matrix.colour(*row, *column) != matrix.colour(rows[0], columns[0]) {
                        let found = format!("another value in row {row}, column {column}");
                        return Err(Flaw::new(at, Reason::NotConstant, found, "one value"));
                    }
                }
            }
        }
        let wrong = |times: &usize| *times == 0 || disjoint && *times > 1;
        match covered.iter().position(wrong) {
            None => Ok(()),
            Some(place) => {
                let (row, column) = (place / matrix.columns(), place % matrix.columns());
                let found = format!("row {row}, column {column} {} times", covered[place]);
                Err(Flaw::new("", Reason::Coverage, found, "every entry once"))
            }
        }
    }
}
