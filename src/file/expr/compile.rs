//! Compiled expressions as the rest of the program sees them.

use num_bigint::BigInt;

use super::ast::Tree;
use super::check::Checker;
use super::code::{Code, Integer, Table, Truth};
use super::cost;
use super::error::{ExprError, Span};
use super::eval::Machine;
use super::int::Int;
use super::names::Names;
use super::parse::parse;
use super::value::{Kind, Limits, Value};

/// Where an expression stands; decides which functions it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Sizes, constants, ranges.
    Constant,
    /// Values, accepted answers and promises of tasks.
    Task,
    /// Symbols and answers of strategies: also `get`, `has`, `received`.
    Strategy,
    /// Sides of inequalities: also `/` and `log2`.
    Inequality,
}

/// A type-checked expression, ready to be evaluated on many inputs.
#[derive(Debug, Clone)]
pub struct Program {
    code: Code,
    at: Span,
}

/// Checks an expression and compiles it.
///
/// # Errors
/// Unknown or doubly used names, wrong types, a constant condition that fails.
/// # Cost
/// Linear in the size of the tree, and for folding constants at most `limits.steps` node
/// evaluations in total.
pub fn compile(
    tree: &Tree,
    names: &dyn Names,
    mode: Mode,
    limits: Limits,
) -> Result<Program, ExprError> {
    let mut checker = Checker::new(names, mode, limits);
    let code = checker.any(tree)?.code;
    if let Some((_, at)) = checker.expanded.first() {
        let message = "an abstract number stands only in a comparison of its own";
        return Err(ExprError::new(*at, message));
    }
    Ok(Program { code, at: tree.at })
}

/// Reads, checks and evaluates a constant integer: a size, a constant, an end of a range.
///
/// # Errors
/// As [`parse`] and [`compile`]; also what evaluation reports.
pub fn constant_integer(text: &str, names: &dyn Names) -> Result<BigInt, ExprError> {
    constant_of_tree(&parse(text)?, names)
}

/// As [`constant_integer`], for a tree.
///
/// # Errors
/// As [`compile`]; also what evaluation reports.
pub fn constant_of_tree(tree: &Tree, names: &dyn Names) -> Result<BigInt, ExprError> {
    constant_within(tree, names, Limits::default())
}

pub(super) fn constant_within(
    tree: &Tree,
    names: &dyn Names,
    limits: Limits,
) -> Result<BigInt, ExprError> {
    let program =
        compile(tree, names, Mode::Constant, limits)?.require(Kind::Integer, "constant")?;
    program.integer(&[], limits).map(BigInt::from)
}

impl Program {
    /// The type of the value.
    #[must_use]
    pub fn kind(&self) -> Kind {
        kind(&self.code)
    }

    /// All bytes of the expression; errors about its value belong to the first.
    #[must_use]
    pub fn at(&self) -> Span {
        self.at
    }

    /// The same program, if its type is `wanted`; `role` says in the message what it is for, for
    /// instance `` `value` ``.
    ///
    /// # Errors
    /// ``found a truth value, expected an integer (`value`)``.
    pub fn require(self, wanted: Kind, role: &str) -> Result<Self, ExprError> {
        if self.kind() == wanted {
            return Ok(self);
        }
        Err(ExprError::new(self.at, mismatch(self.kind(), wanted, role)))
    }

    /// The value, if the expression is constant and was computed when it was compiled.
    #[must_use]
    pub fn constant(&self) -> Option<Value> {
        match &self.code {
            Code::Integer(Integer::Literal(value)) => Some(Value::Integer(value.clone())),
            Code::Truth(Truth::Literal(value)) => Some(Value::Truth(*value)),
            Code::Table(Table::Literal(entries), _) => Some(Value::Table(entries.to_vec())),
            Code::Integer(_) | Code::Truth(_) | Code::Table(..) => None,
        }
    }

    /// The index of the variable, if the expression is nothing but one.
    #[must_use]
    pub fn variable(&self) -> Option<usize> {
        match &self.code {
            Code::Integer(Integer::Input(place)) => Some(*place),
            Code::Integer(_) | Code::Truth(_) | Code::Table(..) => None,
        }
    }

    /// An upper bound on the node evaluations of one evaluation, if the ranges of all folds are
    /// bounded by constants and bound variables.
    #[must_use]
    pub fn cost(&self) -> Option<BigInt> {
        cost::of(&self.code)
    }

    /// The value for these variables.
    ///
    /// # Errors
    /// An index, divisor, exponent or argument out of range, a number beyond the limit on bits,
    /// too many steps.
    /// # Cost
    /// At most `limits.steps` node evaluations.
    pub fn evaluate(&self, variables: &[Value], limits: Limits) -> Result<Value, ExprError> {
        Machine::new(variables, limits, self.at)
            .value(&self.code)
            .map_err(ExprError::from)
    }

    /// The value of a program whose type is integer.
    ///
    /// # Errors
    /// As [`Program::evaluate`]; also another type.
    pub fn integer(&self, variables: &[Value], limits: Limits) -> Result<Int, ExprError> {
        match &self.code {
            Code::Integer(node) => Machine::new(variables, limits, self.at)
                .integer(node)
                .map_err(ExprError::from),
            Code::Truth(_) | Code::Table(..) => Err(self.wrong(Kind::Integer)),
        }
    }

    /// The value of a program whose type is truth value.
    ///
    /// # Errors
    /// As [`Program::evaluate`]; also another type.
    pub fn truth(&self, variables: &[Value], limits: Limits) -> Result<bool, ExprError> {
        match &self.code {
            Code::Truth(node) => Machine::new(variables, limits, self.at)
                .truth(node)
                .map_err(ExprError::from),
            Code::Integer(_) | Code::Table(..) => Err(self.wrong(Kind::Truth)),
        }
    }

    fn wrong(&self, wanted: Kind) -> ExprError {
        ExprError::new(self.at, format!("found {}, expected {wanted}", self.kind()))
    }
}

pub(super) fn kind(code: &Code) -> Kind {
    match code {
        Code::Integer(_) => Kind::Integer,
        Code::Truth(_) => Kind::Truth,
        Code::Table(_, length) => Kind::Table(*length),
    }
}

pub(super) fn mismatch(found: Kind, wanted: Kind, role: &str) -> String {
    format!("found {found}, expected {wanted} ({role})")
}
