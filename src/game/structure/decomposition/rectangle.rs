//! Step 4: a rectangle S_1 x S_2 inside R, large and of large reach.

use super::{Bits, Rectangle};
use num_integer::binomial;

/// Most sets S_2 that are all tried.
pub const MAX_SETS: u64 = 1 << 22;

/// What one element of A_l offers.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its index in A_l.
    pub element: u64,
    /// The `z_(>l)` that stand with it in R; not empty.
    pub rows: Bits,
    /// The values it reaches.
    pub image: Bits,
}

/// The best S_2 of at most `size` elements, increasing, with S_1: |S_1| times the reach is largest, ties to the least S_2.
///
/// # Cost
/// All sets when they are at most [`MAX_SETS`], one `and` each; else `size` passes over the columns.
pub fn best(columns: &[Column], size: u64) -> Option<(Rectangle, Vec<u64>, Bits)> {
    let number = columns.len() as u64;
    for right in (1..=size.min(number)).rev() {
        let exhaustive = sets(number, right) <= MAX_SETS;
        let found = if exhaustive {
            let mut search = Exhaustive {
                columns,
                best: None,
            };
            search.extend(0, right, &mut Vec::new(), None);
            search.best.map(|best| (best.chosen, best.rows))
        } else {
            greedy(columns, right)
        };
        if let Some((chosen, rows)) = found {
            let rectangle = Rectangle {
                left: rows.count(),
                right,
                exhaustive,
            };
            let mut elements: Vec<u64> =
                chosen.iter().map(|place| columns[*place].element).collect();
            elements.sort_unstable();
            return Some((rectangle, elements, rows));
        }
    }
    None
}

/// Number of sets of this size, or more than the limit.
fn sets(number: u64, size: u64) -> u64 {
    // One factor more than the limit needs never overflows 128 bits.
    let mut product = 1u128;
    for i in 0..size.min(number - size) {
        product = product * u128::from(number - i) / u128::from(i + 1);
        if product > u128::from(MAX_SETS) {
            return MAX_SETS + 1;
        }
    }
    debug_assert!(product == u128::from(binomial(number, size)));
    u64::try_from(product).unwrap_or(u64::MAX)
}

struct Best {
    score: u128,
    chosen: Vec<usize>,
    rows: Bits,
}

struct Exhaustive<'a> {
    columns: &'a [Column],
    best: Option<Best>,
}

impl Exhaustive<'_> {
    fn extend(
        &mut self,
        from: usize,
        left: u64,
        chosen: &mut Vec<usize>,
        so_far: Option<(&Bits, &Bits)>,
    ) {
        if left == 0 {
            if let Some((rows, image)) = so_far {
                let score = u128::from(rows.count()) * u128::from(image.count());
                // Sets come in increasing order, so the first of equals is the least.
                if self.best.as_ref().is_none_or(|best| score > best.score) {
                    self.best = Some(Best {
                        score,
                        chosen: chosen.clone(),
                        rows: rows.clone(),
                    });
                }
            }
            return;
        }
        for place in from..self.columns.len() {
            let column = &self.columns[place];
            let (rows, image) = match so_far {
                None => (column.rows.clone(), column.image.clone()),
                Some((rows, image)) => {
                    let mut image = image.clone();
                    image.join(&column.image);
                    (rows.and(&column.rows), image)
                }
            };
            if rows.is_empty() {
                continue;
            }
            chosen.push(place);
            self.extend(place + 1, left - 1, chosen, Some((&rows, &image)));
            chosen.pop();
        }
    }
}

/// Adds, `size` times, the column with the best product of rows left and reach, the first of equals.
fn greedy(columns: &[Column], size: u64) -> Option<(Vec<usize>, Bits)> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut state: Option<(Bits, Bits)> = None;
    for _ in 0..size {
        let mut best: Option<(u128, usize, Bits, Bits)> = None;
        for (place, column) in columns.iter().enumerate() {
            if chosen.contains(&place) {
                continue;
            }
            let (rows, image) = match &state {
                None => (column.rows.clone(), column.image.clone()),
                Some((rows, image)) => {
                    let mut image = image.clone();
                    image.join(&column.image);
                    (rows.and(&column.rows), image)
                }
            };
            let score = u128::from(rows.count()) * u128::from(image.count());
            if score > 0 && best.as_ref().is_none_or(|(least, ..)| score > *least) {
                best = Some((score, place, rows, image));
            }
        }
        let (_, place, rows, image) = best?;
        chosen.push(place);
        state = Some((rows, image));
    }
    state.map(|(rows, _)| (chosen, rows))
}
