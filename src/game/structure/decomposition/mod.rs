//! The indistinguishable decomposition: large sets of upper tables that the lower players cannot tell apart.
//!
//! Fix a protocol of the hybrid game and a level l in 2..L. R is a set of tuples `(z_L, .., z_l)`, and Z = Z_(-1) x Z_0 x .. x
//! Z_(l-1) a product of inputs of the players below. *Inv(l)*: for every `z_(<l)` in Z each symbol that crosses from a player
//! at least l to one below, in epochs 0..l, is the same for all of R. Then the views of the lower players after epoch l depend
//! on `z_(<l)` only; at l = L two tables in R that differ at an address which Z reaches give an indistinguishable pair.
//!
//! [`build`] makes the chain step by step: base, rectangles, classes, final count, pair. All its choices are determined, down
//! to ties, so two programs that follow the text get the same object.

pub mod base;
pub mod bits;
pub mod chain;
pub mod frame;
pub mod rectangle;
pub mod region;
pub mod replay;
pub mod symbolic;
#[cfg(test)]
mod tests;

pub use bits::Bits;
pub use chain::{Splitter, build};
pub use frame::Frame;
pub use replay::Replay;

use crate::exact::Digits;
use crate::game::SlotId;
use crate::game::structure::Pair;
use num_bigint::{BigInt, BigUint};

/// Which of several largest classes is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The one with the lexicographically least key.
    Least,
    /// The one with the greatest.
    Greatest,
}

impl Tie {
    /// Both, with their words.
    pub const ALL: [(&'static str, Self); 2] =
        [("least", Self::Least), ("greatest", Self::Greatest)];

    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Least => "least",
            Self::Greatest => "greatest",
        }
    }

    /// The key, and size, of the class to take: the largest, ties by this rule. Classes come in increasing order of keys.
    pub fn largest<K>(self, classes: impl IntoIterator<Item = (K, u64)>) -> Option<(K, u64)> {
        let better = |new: u64, best: u64| match self {
            Self::Least => new > best,
            Self::Greatest => new >= best,
        };
        classes.into_iter().fold(None, |best, class| match best {
            Some((_, size)) if !better(class.1, size) => best,
            Some(_) | None => Some(class),
        })
    }
}

/// The parameters of a decomposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// `x_0, x_1, .., x_(L-1)`: how many elements each Z_j is to have.
    pub x: Vec<u64>,
    /// Tie rule.
    pub tie: Tie,
    /// Classes of the joint crossing transcript instead of one slot after the other.
    pub one_shot: bool,
}

/// How evidence for a decomposition is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By naive runs on everything.
    Replay,
    /// By the written rules of the strategy.
    Symbolic,
}

impl Mode {
    /// Both, with their words.
    pub const ALL: [(&'static str, Self); 2] =
        [("replay", Self::Replay), ("symbolic", Self::Symbolic)];

    /// The word in evidence.
    pub fn word(self) -> &'static str {
        match self {
            Self::Replay => "replay",
            Self::Symbolic => "symbolic",
        }
    }
}

/// Step 1: how `soft 1->-1 @1` divides A_1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Number of classes.
    pub classes: BigUint,
    /// Size of the class G that is taken.
    pub size: BigUint,
}

/// A crossing slot, and what it says on all of R x Z.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// The slot.
    pub slot: SlotId,
    /// Its symbols, one per tuple of Z in order.
    pub key: Vec<u64>,
}

/// The partition of the start set by the whole crossing transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joint {
    /// Number of classes.
    pub classes: BigUint,
    /// Size of the largest.
    pub largest: BigUint,
}

/// What became of the start set of a level: slot by slot, or at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<S> {
    /// All crossing slots of at least two symbols, with their symbols.
    pub pinned: Vec<Pinned>,
    /// Size before the first step, then after each.
    pub sizes: Vec<BigUint>,
    /// Number of classes in each step.
    pub classes: Vec<BigUint>,
    /// The same start set split at once.
    pub joint: Joint,
    /// What is left.
    pub kept: S,
}

/// Step 4: the rectangle inside R from which the next level starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// |S_1|.
    pub left: u64,
    /// |S_2|.
    pub right: u64,
    /// False when S_2 was grown greedily because there were too many to try.
    pub exhaustive: bool,
}

/// A set of upper tuples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Set {
    /// Element by element.
    Bits(Bits),
    /// Tables whose entries at these places have one of these values, increasing; other entries are free.
    Product(Vec<(usize, Vec<u64>)>),
    /// Tables over a prime field with these independent equations.
    Affine {
        /// The prime.
        modulus: u64,
        /// Each: `sum coefficient * entry = value`.
        equations: Vec<Equation>,
    },
}

/// A linear equation over a prime field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    /// Places, increasing, with coefficients in 1..modulus.
    pub terms: Vec<(usize, u64)>,
    /// The right side.
    pub value: u64,
}

/// One level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// l.
    pub level: usize,
    /// The sets Z_j chosen at this level with their labels j: Z_0 and Z_1 at level 2, Z_(l-1) later; in order of choice.
    pub chosen: Vec<(usize, Vec<Digits>)>,
    /// The rectangle, at levels above 2.
    pub rectangle: Option<Rectangle>,
    /// |A_L| .. |A_l|.
    pub total: BigUint,
    /// The steps, and R.
    pub split: Split<Set>,
    /// |I_(l-1)(Z)|.
    pub reach: u64,
    /// log2 of the loss that the paper allows at its least parameter c = 1.
    pub allowed: BigInt,
    /// The reach that the paper asks for, as numerator and denominator.
    pub wanted: (BigUint, BigUint),
}

impl Level {
    /// |R|.
    pub fn size(&self) -> BigUint {
        self.split.sizes.last().cloned().unwrap_or_default()
    }
}

/// The final count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// t: addresses of z_L that are reached.
    pub addresses: BigUint,
    /// N: entries of z_L.
    pub entries: BigUint,
    /// r: values of an entry.
    pub values: u64,
    /// |R| > r^(N - t).
    pub fires: bool,
}

/// The pair construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The two inputs, answers different, views of -1 equal after epoch L.
    pub pair: Pair,
    /// Whether the complete final views are equal, too.
    pub final_views: bool,
}

/// A complete chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decomposition {
    /// Step 1.
    pub pattern: Pattern,
    /// Levels 2..L.
    pub levels: Vec<Level>,
    /// The slots to -1 in epochs 0 and 1 whose symbols vary with z_1 on Z: the base-step sentence fails through these.
    pub leak: Vec<SlotId>,
    /// The final count.
    pub count: Count,
    /// The pair, if two tables in R differ at a reached address.
    pub found: Option<Found>,
}
