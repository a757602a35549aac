//! Compiled expressions: typed, names replaced by indices, constants folded.

use std::sync::Arc;

use super::ast::{ProductSign, Relation, SumSign};
use super::error::Span;
use super::int::Int;

/// An expression whose value is an integer.
#[derive(Debug, Clone)]
pub(super) enum Integer {
    Literal(Int),
    /// A variable of the caller.
    Input(usize),
    /// A bound variable.
    Local(usize),
    Sum(Box<Integer>, Vec<Operand<SumSign>>),
    Product(Box<Integer>, Vec<Operand<ProductSign>>),
    Negate(Box<Integer>),
    Power(Box<Operation>),
    Index(Box<Lookup>),
    If(Box<Choice<Integer>>),
    Let(Box<Let<Integer>>),
    Call(Box<Call>),
    /// Sum, minimum, maximum of a table.
    Reduce(Reduction, Span, Box<Table>),
    Length(Box<Table>),
    /// Sum, minimum, maximum over ranges.
    Fold(Reduction, Box<Fold<Integer>>),
    Count(Box<Fold<Truth>>),
}

/// An expression whose value is a truth value.
#[derive(Debug, Clone)]
pub(super) enum Truth {
    Literal(bool),
    Local(usize),
    Or(Vec<Truth>),
    And(Vec<Truth>),
    Not(Box<Truth>),
    Compare(Box<Integer>, Relation, Box<Integer>),
    /// Equality (or its negation) of truth values.
    Agree(Box<Truth>, bool, Box<Truth>),
    /// Equality (or its negation) of tables.
    Match(Box<Table>, bool, Box<Table>),
    If(Box<Choice<Truth>>),
    Let(Box<Let<Truth>>),
    Any(Box<Fold<Truth>>),
    All(Box<Fold<Truth>>),
}

/// An expression whose value is a table of integers; the length is known.
#[derive(Debug, Clone)]
pub(super) enum Table {
    Literal(Arc<Vec<Int>>),
    Input(usize),
    Local(usize),
    List(Vec<Integer>, Span),
    If(Box<Choice<Table>>),
    Let(Box<Let<Table>>),
    Fold(Box<Fold<Integer>>),
}

/// An expression of any type.
#[derive(Debug, Clone)]
pub(super) enum Code {
    Integer(Integer),
    Truth(Truth),
    /// A table and its length.
    Table(Table, usize),
}

#[derive(Debug, Clone)]
pub(super) struct Operand<S> {
    pub(super) sign: S,
    pub(super) at: Span,
    pub(super) value: Integer,
}

/// `left ^ right`.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub(super) left: Integer,
    pub(super) at: Span,
    pub(super) right: Integer,
}

#[derive(Debug, Clone)]
pub(super) struct Lookup {
    pub(super) table: Table,
    pub(super) at: Span,
    pub(super) place: Integer,
}

#[derive(Debug, Clone)]
pub(super) struct Choice<T> {
    pub(super) condition: Truth,
    pub(super) then: T,
    pub(super) otherwise: T,
}

#[derive(Debug, Clone)]
pub(super) struct Let<T> {
    pub(super) local: usize,
    pub(super) value: Code,
    pub(super) body: T,
}

/// A function of integers.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) function: IntegerFunction,
    pub(super) at: Span,
    pub(super) arguments: Vec<Integer>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IntegerFunction {
    Bits,
    Binomial,
    Factorial,
    Abs,
    Min,
    Max,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reduction {
    Sum,
    Min,
    Max,
}

#[derive(Debug, Clone)]
pub(super) struct Fold<T> {
    pub(super) at: Span,
    pub(super) loops: Vec<Range>,
    pub(super) filter: Option<Truth>,
    pub(super) body: T,
}

#[derive(Debug, Clone)]
pub(super) struct Range {
    pub(super) local: usize,
    pub(super) from: Integer,
    pub(super) to: Integer,
    pub(super) open: bool,
}

impl Reduction {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}
