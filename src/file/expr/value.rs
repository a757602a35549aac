//! Values and types.

use std::fmt;

use super::int::Int;

/// The value of an expression or of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// An integer.
    Integer(Int),
    /// A truth value.
    Truth(bool),
    /// A table of integers.
    Table(Vec<Int>),
}

/// The type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An integer.
    Integer,
    /// A truth value.
    Truth,
    /// A table of this many integers.
    Table(usize),
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer => out.write_str("an integer"),
            Self::Truth => out.write_str("a truth value"),
            Self::Table(length) => write!(out, "a table of length {length}"),
        }
    }
}

/// Limits of one evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most node evaluations (`--max-steps`).
    pub steps: u64,
    /// Most bits of a result.
    pub bits: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 1_000_000,
            bits: 1 << 24,
        }
    }
}
