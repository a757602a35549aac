//! Least numbers of monochromatic rectangles: partitions (whose logarithm bounds depth from below) and covers.
//!
//! Entries of one value are handled alone. A partition takes the first entry that is left and tries every rectangle through it;
//! a cover takes the entry with the fewest maximal rectangles. Both deepen one rectangle at a time from a lower bound (rank of
//! what is left, and a greedy fooling set), so the first success is the least.

use crate::matrix::bound::rank;
use crate::matrix::{Cover, Matrix, Rectangle};
use std::sync::atomic::{AtomicBool, Ordering};

/// Most entries of the reduced matrix: one word of bits.
pub const MAX_ENTRIES: usize = 128;

/// Steps of one question, after which it is left open.
const STEPS: u64 = 2_000_000;

/// A least number of rectangles, or a bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Least {
    /// No fewer rectangles do.
    pub lower: usize,
    /// These do.
    pub rectangles: Cover,
}

impl Least {
    /// Whether the number is known.
    pub fn exact(&self) -> bool {
        self.lower == self.rectangles.0.len()
    }
}

/// Which rectangles are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Disjoint ones.
    Partition,
    /// Any.
    Cover,
}

/// The least partition or cover of the entries of each value; `None` for a matrix of more than [`MAX_ENTRIES`] different
/// entries.
///
/// # Cost
/// Exponential in the number of rectangles; at most 2,000,000 nodes a value, after which a bracket is given.
pub fn least(matrix: &Matrix, kind: Kind, stop: &AtomicBool) -> Option<Vec<Least>> {
    let inputs = matrix.reduced();
    if inputs.rows.len() * inputs.columns.len() > MAX_ENTRIES {
        return None;
    }
    let found = (0..matrix.values().len()).map(|colour| {
        let grid = Grid::new(matrix, &inputs, colour);
        let (lower, chosen) = match kind {
            Kind::Partition => grid.partition(stop),
            Kind::Cover => grid.cover(stop),
        };
        let rectangles = chosen
            .iter()
            .map(|cells| grid.rectangle(matrix, &inputs, *cells))
            .collect();
        Least {
            lower,
            rectangles: Cover(rectangles),
        }
    });
    Some(found.collect())
}

/// The entries of one value, as bits: entry (i, j) of the reduced matrix is bit i * width + j.
struct Grid {
    rows: usize,
    width: usize,
    cells: u128,
}

/// What a search may still do.
struct Budget<'a> {
    steps: u64,
    stop: &'a AtomicBool,
}

impl Budget<'_> {
    /// Takes a step; false when there is none left.
    fn step(&mut self) -> bool {
        if self.steps.is_multiple_of(1024) && self.stop.load(Ordering::Relaxed) {
            self.steps = 0;
        }
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0
    }
}

impl Grid {
    fn new(matrix: &Matrix, inputs: &Rectangle, colour: usize) -> Self {
        let width = inputs.columns.len();
        let mut cells = 0;
        for (i, row) in inputs.rows.iter().enumerate() {
            for (j, column) in inputs.columns.iter().enumerate() {
                if matrix.colour(*row, *column) == colour {
                    cells |= 1 << (i * width + j);
                }
            }
        }
        Self {
            rows: inputs.rows.len(),
            width,
            cells,
        }
    }

    fn line(&self, cells: u128, row: usize) -> u128 {
        cells >> (row * self.width) & ((1 << self.width) - 1)
    }

    /// The rectangle of some rows and columns.
    fn spread(&self, rows: &[usize], columns: u128) -> u128 {
        rows.iter()
            .fold(0, |cells, row| cells | columns << (row * self.width))
    }

    /// All rows and columns of the whole matrix that are equal to those of a rectangle of the reduced one.
    fn rectangle(&self, matrix: &Matrix, inputs: &Rectangle, cells: u128) -> Rectangle {
        let rows: Vec<usize> = (0..self.rows)
            .filter(|row| self.line(cells, *row) != 0)
            .collect();
        let columns = rows.first().map_or(0, |row| self.line(cells, *row));
        let rows: Vec<usize> = rows.iter().map(|row| inputs.rows[*row]).collect();
        let columns: Vec<usize> = bits(columns).map(|column| inputs.columns[column]).collect();
        let all = |classes: &[usize], kept: &[usize]| {
            (0..classes.len())
                .filter(|index| kept.contains(&classes[*index]))
                .collect()
        };
        Rectangle {
            rows: all(&matrix.row_classes(), &rows),
            columns: all(&matrix.transposed().row_classes(), &columns),
        }
    }

    /// Rank of the indicator matrix of some cells, modulo a prime.
    fn rank(&self, cells: u128) -> usize {
        let lines: Vec<u128> = (0..self.rows).map(|row| self.line(cells, row)).collect();
        let rows: Vec<Vec<u64>> = lines
            .iter()
            .map(|line| {
                (0..self.width)
                    .map(|j| u64::from(line >> j & 1 == 1))
                    .collect()
            })
            .collect();
        rank(rows)
    }

    /// One rectangle for each kind of row that has cells.
    fn by_rows(&self) -> Vec<u128> {
        let mut kinds: Vec<(u128, Vec<usize>)> = Vec::new();
        for row in 0..self.rows {
            let line = self.line(self.cells, row);
            match kinds.iter_mut().find(|(other, _)| *other == line) {
                Some((_, rows)) => rows.push(row),
                None if line != 0 => kinds.push((line, vec![row])),
                None => {}
            }
        }
        kinds
            .iter()
            .map(|(line, rows)| self.spread(rows, *line))
            .collect()
    }

    fn by_columns(&self) -> Vec<u128> {
        let turn = |cells: u128, rows: usize, width: usize| {
            bits(cells).fold(0_u128, |turned, bit| {
                turned | 1 << (bit % width * rows + bit / width)
            })
        };
        let turned = Self {
            rows: self.width,
            width: self.rows,
            cells: turn(self.cells, self.rows, self.width),
        };
        turned
            .by_rows()
            .into_iter()
            .map(|cells| turn(cells, self.width, self.rows))
            .collect()
    }

    fn partition(&self, stop: &AtomicBool) -> (usize, Vec<u128>) {
        let (rows, columns) = (self.by_rows(), self.by_columns());
        let known = if rows.len() <= columns.len() {
            rows
        } else {
            columns
        };
        let first = self.rank(self.cells).max(self.fooling(self.cells));
        let mut budget = Budget { steps: STEPS, stop };
        for count in first..known.len() {
            let mut chosen = Vec::new();
            match self.parts(self.cells, count, &mut chosen, &mut budget) {
                Some(true) => return (count, chosen),
                Some(false) => {}
                None => return (count, known),
            }
        }
        (known.len(), known)
    }

    /// Whether some cells are the union of at most `left` disjoint rectangles; `None` when the budget is spent.
    fn parts(
        &self,
        cells: u128,
        left: usize,
        chosen: &mut Vec<u128>,
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        if cells == 0 {
            return Some(true);
        }
        if !budget.step() {
            return None;
        }
        if left == 0 || self.rank(cells) > left {
            return Some(false);
        }
        let first = cells.trailing_zeros() as usize;
        let (row, column) = (first / self.width, first % self.width);
        // Rows above have no cells left.
        let others: Vec<usize> = (row + 1..self.rows)
            .filter(|other| self.line(cells, *other) >> column & 1 == 1)
            .collect();
        for mask in (0..1_usize << others.len()).rev() {
            let mut rows = vec![row];
            rows.extend(bits(mask as u128).map(|place| others[place]));
            let common = rows
                .iter()
                .fold(u128::MAX, |common, row| common & self.line(cells, *row));
            let free = common & !(1 << column);
            let mut part = free;
            loop {
                let rectangle = self.spread(&rows, part | 1 << column);
                chosen.push(rectangle);
                if self.parts(cells & !rectangle, left - 1, chosen, budget)? {
                    return Some(true);
                }
                chosen.pop();
                if part == 0 {
                    break;
                }
                part = (part - 1) & free;
            }
        }
        Some(false)
    }

    fn cover(&self, stop: &AtomicBool) -> (usize, Vec<u128>) {
        let maximal = self.maximal();
        // Greedily, to have some cover.
        let (mut left, mut known) = (self.cells, Vec::new());
        while left != 0 {
            let most = maximal
                .iter()
                .max_by_key(|cells| (**cells & left).count_ones());
            let Some(most) = most else { break };
            known.push(*most);
            left &= !most;
        }
        let mut budget = Budget { steps: STEPS, stop };
        for count in self.fooling(self.cells)..known.len() {
            let mut chosen = Vec::new();
            match self.covered(self.cells, count, &maximal, &mut chosen, &mut budget) {
                Some(true) => return (count, chosen),
                Some(false) => {}
                None => return (count, known),
            }
        }
        (known.len(), known)
    }

    fn covered(
        &self,
        left: u128,
        count: usize,
        maximal: &[u128],
        chosen: &mut Vec<u128>,
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        if left == 0 {
            return Some(true);
        }
        if !budget.step() {
            return None;
        }
        if count == 0 || self.fooling(left) > count {
            return Some(false);
        }
        let through = |cell: usize| maximal.iter().filter(move |cells| **cells >> cell & 1 == 1);
        let Some(cell) = bits(left).min_by_key(|cell| through(*cell).count()) else {
            return Some(true);
        };
        for cells in through(cell) {
            chosen.push(*cells);
            if self.covered(left & !cells, count - 1, maximal, chosen, budget)? {
                return Some(true);
            }
            chosen.pop();
        }
        Some(false)
    }

    /// All rectangles of cells that are in no larger one.
    fn maximal(&self) -> Vec<u128> {
        let mut columns: Vec<u128> = Vec::new();
        for row in 0..self.rows {
            let line = self.line(self.cells, row);
            let meets: Vec<u128> = columns.iter().map(|other| other & line).collect();
            columns.extend(meets);
            columns.push(line);
            columns.sort_unstable();
            columns.dedup();
        }
        columns
            .into_iter()
            .filter(|columns| *columns != 0)
            .map(|columns| {
                let rows: Vec<usize> = (0..self.rows)
                    .filter(|row| columns & !self.line(self.cells, *row) == 0)
                    .collect();
                self.spread(&rows, columns)
            })
            .collect()
    }

    /// The size of a greedy fooling set among some cells, with respect to all cells.
    fn fooling(&self, cells: u128) -> usize {
        let mut set: Vec<usize> = Vec::new();
        let has = |row: usize, column: usize| self.cells >> (row * self.width + column) & 1 == 1;
        for cell in bits(cells) {
            let (row, column) = (cell / self.width, cell % self.width);
            let apart = |other: &usize| {
                let (r, c) = (other / self.width, other % self.width);
                !has(row, c) || !has(r, column)
            };
            if set.iter().all(apart) {
                set.push(cell);
            }
        }
        set.len()
    }
}

fn bits(mask: u128) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(mask), |rest| Some(rest & rest.wrapping_sub(1)))
        .take_while(|rest| *rest != 0)
        .map(|rest| rest.trailing_zeros() as usize)
}
