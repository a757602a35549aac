//! D of all small 0/1 matrices at once, from the definition: sizes from the smallest up, each matrix as one word.

/// Most entries of a matrix in these tables.
pub const MAX_CELLS: usize = 20;

/// D of every 0/1 matrix of every size up to some size.
#[derive(Clone, Debug)]
pub struct Depths {
    columns: usize,
    /// For each size (r, c), row by row of sizes: D of the matrix whose entry (i, j) is bit i * c + j of the index.
    tables: Vec<Vec<u8>>,
}

impl Depths {
    /// All matrices of up to `rows` rows and `columns` columns; `None` for 0 or more than [`MAX_CELLS`] entries.
    ///
    /// # Cost
    /// 2^(rows * columns) matrices of the largest size, each with 2^(rows-1) + 2^(columns-1) - 2 splits.
    pub fn new(rows: usize, columns: usize) -> Option<Self> {
        let cells = rows.checked_mul(columns)?;
        if cells == 0 || cells > MAX_CELLS {
            return None;
        }
        let mut depths = Self {
            columns,
            tables: Vec::new(),
        };
        for r in 1..=rows {
            for c in 1..=columns {
                let table = depths.table(r, c);
                depths.tables.push(table);
            }
        }
        Some(depths)
    }

    /// D of the matrix `word` of a size that is in the table.
    pub fn depth(&self, rows: usize, columns: usize, word: usize) -> u8 {
        self.tables[(rows - 1) * self.columns + columns - 1][word]
    }

    fn table(&self, rows: usize, columns: usize) -> Vec<u8> {
        let cells = rows * columns;
        let last = (1_usize << cells) - 1;
        let depth = |word: usize| {
            if word == 0 || word == last {
                return 0;
            }
            let by_rows = splits(rows).map(|part| {
                let parts = [part, !part & ((1 << rows) - 1)];
                let of = |part: usize| {
                    self.depth(ones(part), columns, keep_rows(word, part, rows, columns))
                };
                of(parts[0]).max(of(parts[1]))
            });
            let by_columns = splits(columns).map(|part| {
                let parts = [part, !part & ((1 << columns) - 1)];
                let of = |part: usize| {
                    self.depth(rows, ones(part), keep_columns(word, part, rows, columns))
                };
                of(parts[0]).max(of(parts[1]))
            });
            by_rows
                .chain(by_columns)
                .min()
                .map_or(0, |deepest| deepest + 1)
        };
        (0..=last).map(depth).collect()
    }

    /// How many matrices of a size that is in the table have D = 0, 1, 2, ..
    pub fn histogram(&self, rows: usize, columns: usize) -> Vec<u64> {
        let mut counts = Vec::new();
        for depth in &self.tables[(rows - 1) * self.columns + columns - 1] {
            let depth = usize::from(*depth);
            if counts.len() <= depth {
                counts.resize(depth + 1, 0);
            }
            counts[depth] += 1;
        }
        counts
    }
}

/// The proper parts of `size` elements that do not hold the last one, which halves the splits; none is empty.
pub fn splits(size: usize) -> impl Iterator<Item = usize> {
    1..1 << (size - 1)
}

fn ones(mask: usize) -> usize {
    mask.count_ones() as usize
}

/// The matrix of the rows in `part`.
pub fn keep_rows(word: usize, part: usize, rows: usize, columns: usize) -> usize {
    let line = (1 << columns) - 1;
    let kept = (0..rows).filter(|row| part >> row & 1 == 1);
    kept.enumerate().fold(0, |kept, (place, row)| {
        kept | (word >> (row * columns) & line) << (place * columns)
    })
}

/// The matrix of the columns in `part`.
pub fn keep_columns(word: usize, part: usize, rows: usize, columns: usize) -> usize {
    let (mut kept, mut place) = (0, 0);
    for row in 0..rows {
        for column in (0..columns).filter(|column| part >> column & 1 == 1) {
            kept |= (word >> (row * columns + column) & 1) << place;
            place += 1;
        }
    }
    kept
}
