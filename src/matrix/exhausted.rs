//! A table that shows that no tree is shallow enough: an exhausted search, made small.
//!
//! A rectangle is *hard at b* when no tree of depth b decides it. By monotonicity a rectangle that contains a hard one is hard.
//! A rectangle is hard at b if it needs more than 2^b leaves by rank, or if b >= 1 and every split of its rows, and every split
//! of its columns, leaves a part that is hard at b - 1. The table lists rectangles for each b; each is checked with those listed
//! for b - 1 and with ranks of parts, and in the end the whole matrix is. Nothing is believed.

use super::bound::leaves;
pub use super::matrix::Rectangle;
use super::{Flaw, Matrix, Reason, check_indices};

/// Most rows or columns of a rectangle whose splits are tried.
pub const MAX_SIDE: usize = 20;

/// The table: `levels[b]` are rectangles that are hard at b; the whole matrix is hard at their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// Listed rectangles for b = 0, 1, ..
    pub levels: Vec<Vec<Rectangle>>,
}

impl Exhausted {
    /// Depth that is refuted: no tree of so many bits exists.
    pub fn bits(&self) -> usize {
        self.levels.len()
    }

    /// Checks the table.
    ///
    /// # Errors
    /// `Coverage` for indices; `Bound` for a rectangle, or the whole matrix, that is not shown to be hard; `TooLarge` when more
    /// than `limit` parts would have to be looked at.
    /// # Cost
    /// 2^rows + 2^columns parts for each rectangle, each against the rectangles of the level below or by rank.
    pub fn check(&self, matrix: &Matrix, limit: u64) -> Result<(), Flaw> {
        let whole = matrix.reduced();
        let mut left = limit;
        for (level, rectangles) in self.levels.iter().enumerate() {
            for (number, rectangle) in rectangles.iter().enumerate() {
                let at = format!("/levels/{level}/{number}");
                if rectangle.rows.is_empty() || rectangle.columns.is_empty() {
                    return Err(Flaw::new(at, Reason::Size, "no entries", "a rectangle"));
                }
                check_indices(&rectangle.rows, matrix.rows(), &format!("{at}/0"))?;
                check_indices(&rectangle.columns, matrix.columns(), &format!("{at}/1"))?;
                self.hard(matrix, rectangle, level, &mut left, &at)?;
            }
        }
        self.hard(matrix, &whole, self.bits(), &mut left, "/levels")
    }

    /// Checks that a rectangle is hard at `level`.
    fn hard(
        &self,
        matrix: &Matrix,
        rectangle: &Rectangle,
        level: usize,
        left: &mut u64,
        at: &str,
    ) -> Result<(), Flaw> {
        if more_leaves(matrix, rectangle, level) {
            return Ok(());
        }
        let easy = |what: String| {
            let expected = format!("a rectangle that needs more than {level} bits");
            Err(Flaw::new(at, Reason::Bound, what, expected))
        };
        // One entry has no splits, and yet is not hard.
        let below = level.checked_sub(1);
        let Some(below) = below.filter(|_| matrix.values_in(rectangle) > 1) else {
            return easy(format!(
                "at most {} leaves by rank",
                1_usize << level.min(63)
            ));
        };
        let sides = [rectangle.rows.len(), rectangle.columns.len()];
        let parts: u64 = sides
            .iter()
            .map(|side| 1 << (*side).min(MAX_SIDE + 1))
            .sum();
        if sides.iter().any(|side| *side > MAX_SIDE) || parts > *left {
            let found = format!("{} rows and {} columns", sides[0], sides[1]);
            let expected = "fewer splits";
            return Err(Flaw::new(at, Reason::TooLarge, found, expected));
        }
        *left -= parts;
        let inside: Vec<&Rectangle> = self.levels[below]
            .iter()
            .filter(|listed| {
                within(&listed.rows, &rectangle.rows) && within(&listed.columns, &rectangle.columns)
            })
            .collect();
        let with_rows = |rows: Vec<usize>| Rectangle {
            rows,
            columns: rectangle.columns.clone(),
        };
        let with_columns = |columns: Vec<usize>| Rectangle {
            rows: rectangle.rows.clone(),
            columns,
        };
        let row_edges = edges(inside.iter().map(|listed| &listed.rows), &rectangle.rows);
        let column_edges = edges(
            inside.iter().map(|listed| &listed.columns),
            &rectangle.columns,
        );
        let open = open_split(&rectangle.rows, &row_edges, |part| {
            more_leaves(matrix, &with_rows(part), below)
        });
        if let Some(rows) = open {
            return easy(format!("rows {rows:?} apart from the others"));
        }
        let open = open_split(&rectangle.columns, &column_edges, |part| {
            more_leaves(matrix, &with_columns(part), below)
        });
        match open {
            None => Ok(()),
            Some(columns) => easy(format!("columns {columns:?} apart from the others")),
        }
    }
}

/// Whether rank shows that more than 2^level leaves are needed.
fn more_leaves(matrix: &Matrix, rectangle: &Rectangle, level: usize) -> bool {
    let leaves = leaves(matrix, rectangle);
    u32::try_from(level)
        .ok()
        .and_then(|level| 1_usize.checked_shl(level))
        .is_some_and(|most| leaves > most)
}

fn within(part: &[usize], whole: &[usize]) -> bool {
    part.iter().all(|index| whole.binary_search(index).is_ok())
}

/// Listed sides as masks of places in `side`.
fn edges<'a>(listed: impl Iterator<Item = &'a Vec<usize>>, side: &[usize]) -> Vec<u32> {
    listed
        .map(|part| {
            side.iter()
                .enumerate()
                .filter(|(_, index)| part.binary_search(index).is_ok())
                .fold(0, |mask, (place, _)| mask | 1 << place)
        })
        .collect()
}

/// The first split of a side, the part without the first element, of which no part holds an edge or is hard by itself.
fn open_split(
    side: &[usize],
    edges: &[u32],
    hard: impl Fn(Vec<usize>) -> bool,
) -> Option<Vec<usize>> {
    let all = (1_u32 << side.len()) - 1;
    let part = |mask: u32| -> Vec<usize> {
        let places = (0..side.len()).filter(|place| mask >> place & 1 == 1);
        places.map(|place| side[place]).collect()
    };
    // The first element stays in the other part; the empty part is no split.
    (1..=all >> 1)
        .map(|mask| mask << 1)
        .find(|mask| {
            let parts = [*mask, all & !mask];
            let listed = edges
                .iter()
                .any(|edge| parts.iter().any(|part| edge & !part == 0));
            !listed && !parts.iter().any(|mask| hard(part(*mask)))
        })
        .map(part)
}
