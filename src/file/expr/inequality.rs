//! Comparisons over an abstract kind of exact number.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::ast::{Node, ProductSign, Relation, SumSign, Tree};
use super::check::Checker;
use super::code::{Fold, Integer, Reduction};
use super::compile::{Mode, Program, kind};
use super::error::{ExprError, Span};
use super::eval::{Evaluated, Machine, empty, fault, multiplied};
use super::int::Int;
use super::names::Names;
use super::number::{Number, NumberFunction, Raise, Term};
use super::value::{Kind, Limits, Value};

/// Exact numbers that may be too large to be written out.
///
/// Errors are messages; the position is added here.
pub trait Arithmetic {
    /// A number: rational, or a rational combination of logarithms.
    type Number: Clone;

    /// An integer as a plain number.
    ///
    /// # Errors
    /// When there is no such number.
    fn literal(&mut self, value: BigInt) -> Result<Self::Number, String>;
    /// The number that [`Names::quantity`] gave this index.
    ///
    /// # Errors
    /// When there is no such number.
    fn quantity(&mut self, index: usize) -> Result<Self::Number, String>;
    /// `left + right`.
    ///
    /// # Errors
    /// When there is no such number, or it is too large to be expanded.
    fn add(&mut self, left: Self::Number, right: Self::Number) -> Result<Self::Number, String>;
    /// `left - right`.
    ///
    /// # Errors
    /// As for sums.
    fn subtract(&mut self, left: Self::Number, right: Self::Number)
    -> Result<Self::Number, String>;
    /// `left * right`.
    ///
    /// # Errors
    /// When there is no such number, as for the product of two logarithms.
    fn multiply(&mut self, left: Self::Number, right: Self::Number)
    -> Result<Self::Number, String>;
    /// `left / right`, exact.
    ///
    /// # Errors
    /// When there is no such number, as for `right = 0`.
    fn divide(&mut self, left: Self::Number, right: Self::Number) -> Result<Self::Number, String>;
    /// `base ^ exponent`, whatever the sign of the exponent.
    ///
    /// # Errors
    /// When there is no such number.
    fn power(&mut self, base: Self::Number, exponent: Self::Number)
    -> Result<Self::Number, String>;
    /// `-number`.
    ///
    /// # Errors
    /// When there is no such number.
    fn negate(&mut self, number: Self::Number) -> Result<Self::Number, String>;
    /// Binary logarithm of an integer of at least 1.
    ///
    /// # Errors
    /// Any other number.
    fn log2(&mut self, number: Self::Number) -> Result<Self::Number, String>;
    /// Absolute value, minimum or maximum.
    ///
    /// # Errors
    /// When it cannot be decided.
    fn function(
        &mut self,
        function: NumberFunction,
        arguments: Vec<Self::Number>,
    ) -> Result<Self::Number, String>;
    /// The number written out as an integer, where only that makes sense (`div`, `bits`, ranges).
    ///
    /// # Errors
    /// A number that is no integer, or too large.
    fn integer(&mut self, number: &Self::Number) -> Result<BigInt, String>;
}

/// One entry of `holds`, checked and compiled.
#[derive(Debug, Clone)]
pub enum Holds {
    /// Two numbers and a relation.
    Comparison(Comparison),
    /// Any other truth value.
    Truth(Program),
}

/// A comparison of two numbers.
#[derive(Debug, Clone)]
pub struct Comparison {
    left: Number,
    relation: Relation,
    right: Number,
    at: Span,
    /// Quantities that must be written out, with the place of the first use.
    expanded: Vec<(usize, Span)>,
    limits: Limits,
}

/// Checks an entry of `holds` and compiles it.
///
/// # Errors
/// As [`compile`](super::compile); also an entry that is no truth value.
pub fn compile_holds(tree: &Tree, names: &dyn Names, limits: Limits) -> Result<Holds, ExprError> {
    let Node::Compare(parts) = &tree.node else {
        return plain(tree, names, limits);
    };
    let mut checker = Checker::new(names, Mode::Inequality, limits);
    if checker.is_plain(&parts.left) && kind(&checker.any(&parts.left)?.code) != Kind::Integer {
        return plain(tree, names, limits);
    }
    let role = format!("`{}`", parts.relation);
    let left = checker.number(&parts.left, &role)?;
    let right = checker.number(&parts.right, &role)?;
    let expanded = checker.expanded;
    let comparison = Comparison {
        left,
        relation: parts.relation,
        right,
        at: tree.at,
        expanded,
        limits,
    };
    Ok(Holds::Comparison(comparison))
}

fn plain(tree: &Tree, names: &dyn Names, limits: Limits) -> Result<Holds, ExprError> {
    let program = super::compile::compile(tree, names, Mode::Inequality, limits)?;
    program.require(Kind::Truth, "`holds`").map(Holds::Truth)
}

impl Comparison {
    /// The relation that is claimed.
    #[must_use]
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// All bytes of the comparison.
    #[must_use]
    pub fn at(&self) -> Span {
        self.at
    }
}

/// The two sides of a comparison, computed in the given arithmetic.
///
/// # Errors
/// What the arithmetic reports, with its place; and for plain parts as
/// [`Program::evaluate`].
/// # Cost
/// One call of the arithmetic per operation; at most `limits.steps` node evaluations per side.
pub fn evaluate_comparison<A: Arithmetic>(
    comparison: &Comparison,
    arithmetic: &mut A,
) -> Result<(A::Number, Relation, A::Number), ExprError> {
    let variables = written_out(comparison, arithmetic)?;
    let mut side = |number| {
        let mut machine = Machine::new(&variables, comparison.limits, comparison.at);
        let mut walk = Walk {
            arithmetic,
            locals: BTreeMap::new(),
        };
        walk.number(&mut machine, number).map_err(ExprError::from)
    };
    let left = side(&comparison.left)?;
    let right = side(&comparison.right)?;
    Ok((left, comparison.relation, right))
}

fn written_out<A: Arithmetic>(
    comparison: &Comparison,
    arithmetic: &mut A,
) -> Result<Vec<Value>, ExprError> {
    let expand = |(quantity, at): &(usize, Span)| {
        let number = arithmetic.quantity(*quantity);
        let value = number.and_then(|number| arithmetic.integer(&number));
        value
            .map(|value| Value::Integer(Int::from(value)))
            .map_err(|message| ExprError::new(*at, message))
    };
    comparison.expanded.iter().map(expand).collect()
}

/// Evaluation of numbers; plain parts are left to the machine.
struct Walk<'a, A: Arithmetic> {
    arithmetic: &'a mut A,
    locals: BTreeMap<usize, A::Number>,
}

impl<A: Arithmetic> Walk<'_, A> {
    fn number<'v>(&mut self, machine: &mut Machine<'v>, node: &'v Number) -> Evaluated<A::Number> {
        machine.step()?;
        match node {
            Number::Plain(code) => self.plain(machine, code),
            Number::Quantity(index, at) => placed(self.arithmetic.quantity(*index), *at),
            Number::Local(local, at) => {
                let number = self.locals.get(local).cloned();
                placed(
                    number.ok_or_else(|| "a bound number has no value".to_owned()),
                    *at,
                )
            }
            Number::Sum(first, rest) => self.sum(machine, first, rest),
            Number::Product(first, rest) => self.product(machine, first, rest),
            Number::Negate(inner, at) => {
                let inner = self.number(machine, inner)?;
                placed(self.arithmetic.negate(inner), *at)
            }
            Number::Power(parts) => self.power(machine, parts),
            Number::Log2(inner, at) => {
                let inner = self.number(machine, inner)?;
                placed(self.arithmetic.log2(inner), *at)
            }
            Number::Function(function, arguments, at) => {
                let mut numbers = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    numbers.push(self.number(machine, argument)?);
                }
                placed(self.arithmetic.function(*function, numbers), *at)
            }
            Number::If(parts) => {
                let branch = machine.branch(parts)?;
                self.number(machine, branch)
            }
            Number::Let(parts) => {
                let body = machine.bind(parts)?;
                self.number(machine, body)
            }
            Number::Bind(parts) => {
                let value = self.number(machine, &parts.value)?;
                self.locals.insert(parts.local, value);
                self.number(machine, &parts.body)
            }
            Number::Fold(reduction, fold) => self.fold(machine, *reduction, fold),
        }
    }

    fn plain<'v>(&mut self, machine: &mut Machine<'v>, code: &'v Integer) -> Evaluated<A::Number> {
        let value = machine.integer(code)?;
        placed(self.arithmetic.literal(value.into()), machine.whole())
    }

    fn sum<'v>(
        &mut self,
        machine: &mut Machine<'v>,
        first: &'v Number,
        rest: &'v [Term<SumSign>],
    ) -> Evaluated<A::Number> {
        let mut total = self.number(machine, first)?;
        for term in rest {
            let value = self.number(machine, &term.value)?;
            let result = match term.sign {
                SumSign::Plus => self.arithmetic.add(total, value),
                SumSign::Minus => self.arithmetic.subtract(total, value),
            };
            total = placed(result, term.at)?;
        }
        Ok(total)
    }

    fn product<'v>(
        &mut self,
        machine: &mut Machine<'v>,
        first: &'v Number,
        rest: &'v [Term<ProductSign>],
    ) -> Evaluated<A::Number> {
        let mut total = self.number(machine, first)?;
        for term in rest {
            let value = self.number(machine, &term.value)?;
            let result = match term.sign {
                ProductSign::Times => self.arithmetic.multiply(total, value),
                ProductSign::Over => self.arithmetic.divide(total, value),
                ProductSign::Div | ProductSign::Mod => {
                    self.whole_quotient(&total, term.sign, &value, machine.limits().bits)
                }
            };
            total = placed(result, term.at)?;
        }
        Ok(total)
    }

    /// `div` and `mod`, which give plain integers.
    fn whole_quotient(
        &mut self,
        left: &A::Number,
        sign: ProductSign,
        right: &A::Number,
        limit: u64,
    ) -> Result<A::Number, String> {
        let left = Int::from(self.arithmetic.integer(left)?);
        let right = Int::from(self.arithmetic.integer(right)?);
        let value = multiplied(&left, sign, &right, limit)?;
        self.arithmetic.literal(value.into())
    }

    fn power<'v>(&mut self, machine: &mut Machine<'v>, parts: &'v Raise) -> Evaluated<A::Number> {
        let base = self.number(machine, &parts.base)?;
        let exponent = self.number(machine, &parts.exponent)?;
        placed(self.arithmetic.power(base, exponent), parts.at)
    }

    fn fold<'v>(
        &mut self,
        machine: &mut Machine<'v>,
        reduction: Reduction,
        fold: &'v Fold<Number>,
    ) -> Evaluated<A::Number> {
        let mut total = None;
        machine.for_each(fold, |machine, body| {
            let value = self.number(machine, body)?;
            total = Some(match total.take() {
                None => value,
                Some(total) => placed(self.joined(reduction, total, value), fold.at)?,
            });
            Ok(true)
        })?;
        match total {
            Some(total) => Ok(total),
            None if reduction == Reduction::Sum => {
                placed(self.arithmetic.literal(BigInt::ZERO), fold.at)
            }
            None => Err(empty(reduction, fold.at)),
        }
    }

    fn joined(
        &mut self,
        reduction: Reduction,
        total: A::Number,
        value: A::Number,
    ) -> Result<A::Number, String> {
        match reduction {
            Reduction::Sum => self.arithmetic.add(total, value),
            Reduction::Min => self
                .arithmetic
                .function(NumberFunction::Min, vec![total, value]),
            Reduction::Max => self
                .arithmetic
                .function(NumberFunction::Max, vec![total, value]),
        }
    }
}

fn placed<T>(result: Result<T, String>, at: Span) -> Evaluated<T> {
    result.map_err(|message| fault(at, message))
}
