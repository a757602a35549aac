//! Solves a linear program exactly. What it returns is re-checked by [`crate::exact::linear`].
//!
//! The dual `max y b, y A <= c, y >= 0` starts feasible at y = 0 because c >= 0. The tableau is kept in integers over one common
//! denominator (every division is exact), in machine words as long as they do not overflow, else in big integers. The entering column is
//! the one of the largest reduced cost, by Bland's rule after a run of steps without progress, so it ends.

use crate::exact::linear::Program;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{CheckedMul, CheckedSub, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// An optimal pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The optimum.
    pub value: BigRational,
    /// The primal point.
    pub x: Vec<BigRational>,
    /// The dual vector.
    pub y: Vec<BigRational>,
}

/// Steps without progress after which Bland's rule is used.
const PATIENCE: usize = 60;

/// A positive number per row, without much structure.
fn perturbation(row: usize) -> i64 {
    i64::try_from((row * 7919 + 13) % 1009).unwrap_or(0) + 1
}

trait Entry: Integer + Signed + Clone + CheckedMul + CheckedSub + From<i64> + Into<BigInt> {}
impl Entry for i128 {}
impl Entry for BigInt {}

/// Solves a program whose objective has no negative coefficient.
///
/// # Domain
/// `None` if the program is infeasible, or the objective has a negative coefficient.
/// # Cost
/// A few times `rows + columns` pivots in practice, each of `rows * columns` multiplications.
pub fn solve(program: &Program) -> Option<Solution> {
    solve_with(program, false)
}

/// As [`solve`], for objectives that are almost all 0: ties of the ratio test are broken by a symbolic perturbation of the objective,
/// so that steps without progress are rare. Another optimal pair may be found than by [`solve`].
pub fn solve_degenerate(program: &Program) -> Option<Solution> {
    solve_with(program, true)
}

fn solve_with(program: &Program, perturbed: bool) -> Option<Solution> {
    if program.objective.iter().any(|(_, a)| *a < 0) {
        return None;
    }
    let scale = program
        .rows
        .iter()
        .fold(BigInt::from(1), |lcm, row| lcm.lcm(row.bound.denom()));
    let bounds: Option<Vec<i64>> = program
        .rows
        .iter()
        .map(|row| (&row.bound * &scale).to_integer().to_i64())
        .collect();
    let tableau = Outline {
        program,
        bounds: bounds?,
        perturbed,
    };
    let (x, y) = match tableau.run::<i128>() {
        Outcome::Optimal(x, y) => (x, y),
        Outcome::Overflow => match tableau.run::<BigInt>() {
            Outcome::Optimal(x, y) => (x, y),
            Outcome::Overflow | Outcome::Unbounded => return None,
        },
        Outcome::Unbounded => return None,
    };
    let x: Vec<BigRational> = x.into_iter().map(|x| x / &scale).collect();
    let value = program.primal(&x).ok()?;
    (program.dual(&y).ok()? == value).then_some(Solution { value, x, y })
}

struct Outline<'a> {
    program: &'a Program,
    bounds: Vec<i64>,
    perturbed: bool,
}

enum Outcome {
    Optimal(Vec<BigRational>, Vec<BigRational>),
    Unbounded,
    Overflow,
}

/// One row per column of A; columns are the duals y, then the slacks, then the perturbation of the right side (0 without one), then
/// the right side. The last row is `-b`.
struct Tableau<T> {
    cells: Vec<Vec<T>>,
    basis: Vec<usize>,
    denominator: T,
}

impl Outline<'_> {
    fn start<T: Entry>(&self) -> Tableau<T> {
        let (rows, columns) = (self.program.variables.len(), self.program.rows.len());
        let width = columns + rows + 2;
        let mut cells = vec![vec![T::zero(); width]; rows + 1];
        for (j, row) in self.program.rows.iter().enumerate() {
            for (i, a) in &row.terms {
                cells[*i][j] = cells[*i][j].clone() + T::from(*a);
            }
            cells[rows][j] = T::from(-self.bounds[j]);
        }
        for (i, row) in cells.iter_mut().enumerate().take(rows) {
            row[columns + i] = T::one();
            if self.perturbed {
                row[width - 2] = T::from(perturbation(i));
            }
        }
        for (i, a) in &self.program.objective {
            cells[*i][width - 1] = cells[*i][width - 1].clone() + T::from(*a);
        }
        Tableau {
            cells,
            basis: (columns..columns + rows).collect(),
            denominator: T::one(),
        }
    }

    fn run<T: Entry>(&self) -> Outcome {
        let mut tableau = self.start::<T>();
        let mut idle = 0;
        while let Some(column) = tableau.entering(idle >= PATIENCE) {
            let Some(row) = tableau.leaving(column) else {
                return Outcome::Unbounded;
            };
            let progress = !tableau.right(row).is_zero() || !tableau.perturbation(row).is_zero();
            if tableau.pivot(row, column).is_none() {
                return Outcome::Overflow;
            }
            idle = if progress { 0 } else { idle + 1 };
        }
        let (x, y) = tableau.read(self.program.rows.len());
        Outcome::Optimal(x, y)
    }
}

impl<T: Entry> Tableau<T> {
    fn right(&self, row: usize) -> &T {
        let cells = &self.cells[row];
        &cells[cells.len() - 1]
    }

    /// The part of the right side that is infinitely small.
    fn perturbation(&self, row: usize) -> &T {
        let cells = &self.cells[row];
        &cells[cells.len() - 2]
    }

    fn costs(&self) -> &[T] {
        let cells = &self.cells[self.basis.len()];
        &cells[..cells.len() - 2]
    }

    fn entering(&self, bland: bool) -> Option<usize> {
        let negative = self
            .costs()
            .iter()
            .enumerate()
            .filter(|(_, cost)| cost.is_negative());
        if bland {
            return negative.map(|(j, _)| j).next();
        }
        negative.min_by(|(_, a), (_, b)| a.cmp(b)).map(|(j, _)| j)
    }

    /// The row with the least ratio; among equals the least basic variable.
    fn leaving(&self, column: usize) -> Option<usize> {
        let mut best: Option<usize> = None;
        for row in 0..self.basis.len() {
            if !self.cells[row][column].is_positive() {
                continue;
            }
            best = match best {
                None => Some(row),
                Some(other) => {
                    let order = self
                        .compare(Self::right, row, other, column)
                        .then_with(|| self.compare(Self::perturbation, row, other, column))
                        .then_with(|| self.basis[row].cmp(&self.basis[other]));
                    Some(if order == Ordering::Less { row } else { other })
                }
            };
        }
        best
    }

    /// `side(a) / cell(a, column)` against the same of b.
    fn compare(&self, side: fn(&Self, usize) -> &T, a: usize, b: usize, column: usize) -> Ordering {
        let product = |x: &T, y: &T| -> BigInt {
            if x.is_zero() {
                return BigInt::zero();
            }
            let (x, y): (BigInt, BigInt) = (x.clone().into(), y.clone().into());
            x * y
        };
        product(side(self, a), &self.cells[b][column])
            .cmp(&product(side(self, b), &self.cells[a][column]))
    }

    /// Integer pivot: all cells stay over the common denominator, which becomes the pivot.
    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        let pivot_row = self.cells[row].clone();
        let pivot = pivot_row[column].clone();
        let (unit, denominator) = (T::one(), self.denominator.clone());
        for (i, cells) in self.cells.iter_mut().enumerate() {
            if i == row {
                continue;
            }
            let factor = cells[column].clone();
            if factor.is_zero() && pivot == denominator {
                continue;
            }
            for (cell, other) in cells.iter_mut().zip(&pivot_row) {
                if cell.is_zero() && (other.is_zero() || factor.is_zero()) {
                    continue;
                }
                let kept = if pivot == unit {
                    cell.clone()
                } else {
                    cell.checked_mul(&pivot)?
                };
                let value = if other.is_zero() || factor.is_zero() {
                    kept
                } else {
                    kept.checked_sub(&other.checked_mul(&factor)?)?
                };
                *cell = if denominator == unit {
                    value
                } else {
                    value / denominator.clone()
                };
            }
        }
        self.denominator = pivot;
        self.basis[row] = column;
        Some(())
    }

    /// The primal point stands under the slacks, the dual vector in the basis.
    fn read(&self, columns: usize) -> (Vec<BigRational>, Vec<BigRational>) {
        let over =
            |cell: &T| BigRational::new(cell.clone().into(), self.denominator.clone().into());
        let x = self.costs()[columns..].iter().map(over).collect();
        let mut y = vec![BigRational::zero(); columns];
        for (row, variable) in self.basis.iter().enumerate() {
            if let Some(entry) = y.get_mut(*variable) {
                *entry = over(self.right(row));
            }
        }
        (x, y)
    }
}
