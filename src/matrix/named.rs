//! Named functions of two strings of bits.

use super::Matrix;

/// A function with a name, of `size` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// x = y.
    Equality,
    /// x > y.
    GreaterThan,
    /// No bit is 1 in both.
    Disjointness,
    /// The parity of the number of common ones.
    InnerProduct,
    /// Bit y of x, with y in 0..size.
    Index,
}

impl Named {
    /// Every function with its name.
    pub const ALL: [(&'static str, Self); 5] = [
        ("EQ", Self::Equality),
        ("GT", Self::GreaterThan),
        ("DISJ", Self::Disjointness),
        ("IP", Self::InnerProduct),
        ("IND", Self::Index),
    ];

    /// Most bits: 2^11 rows and columns fit [`super::matrix::MAX_CELLS`].
    pub const MAX_SIZE: u32 = 11;

    /// The function with this name, in any case of letters.
    pub fn of_name(name: &str) -> Option<Self> {
        let found = Self::ALL
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, function)| *function)
    }

    /// The matrix for strings of `size` bits; `None` for 0 and above [`Named::MAX_SIZE`].
    ///
    /// # Cost
    /// One evaluation an entry: 4^size of them, 2^size * size for [`Named::Index`].
    pub fn matrix(self, size: u32) -> Option<Matrix> {
        if size == 0 || size > Self::MAX_SIZE {
            return None;
        }
        let rows = 1 << size;
        let columns = if self == Self::Index {
            size as usize
        } else {
            rows
        };
        Matrix::of(rows, columns, |x, y| u64::from(self.value(x, y)))
    }

    fn value(self, x: usize, y: usize) -> bool {
        match self {
            Self::Equality => x == y,
            Self::GreaterThan => x > y,
            Self::Disjointness => x & y == 0,
            Self::InnerProduct => (x & y).count_ones() % 2 == 1,
            Self::Index => x >> y & 1 == 1,
        }
    }
}
