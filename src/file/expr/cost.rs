//! An upper bound on the number of node evaluations, before anything is evaluated.
//!
//! Lengths of ranges are bounded by interval arithmetic over constants and bound variables; a
//! range that depends on an input has no bound here.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One as _, Signed as _, Zero as _};

use super::ast::{ProductSign, SumSign};
use super::code::{
    Choice, Code, Fold, Integer, IntegerFunction, Let, Operand, Range, Table, Truth,
};

/// Least and greatest value.
type Interval = (BigInt, BigInt);

/// The bound for one evaluation, if there is one.
pub(super) fn of(code: &Code) -> Option<BigInt> {
    Estimate::default().code(code)
}

/// Intervals of the bound variables in force.
#[derive(Debug, Default)]
struct Estimate {
    locals: BTreeMap<usize, Interval>,
}

impl Estimate {
    fn code(&mut self, code: &Code) -> Option<BigInt> {
        match code {
            Code::Integer(node) => self.integer(node),
            Code::Truth(node) => self.truth(node),
            Code::Table(node, _) => self.table(node),
        }
    }

    fn integer(&mut self, node: &Integer) -> Option<BigInt> {
        let inside = match node {
            Integer::Literal(_) | Integer::Input(_) | Integer::Local(_) => BigInt::zero(),
            Integer::Sum(first, rest) => self.integer(first)? + self.operands(rest)?,
            Integer::Product(first, rest) => self.integer(first)? + self.operands(rest)?,
            Integer::Negate(inner) => self.integer(inner)?,
            Integer::Power(parts) => self.integer(&parts.left)? + self.integer(&parts.right)?,
            Integer::Index(parts) => self.table(&parts.table)? + self.integer(&parts.place)?,
            Integer::If(parts) => self.choice(parts, Self::integer)?,
            Integer::Let(parts) => self.binding(parts, Self::integer)?,
            Integer::Call(call) => self.all(&call.arguments, Self::integer)?,
            Integer::Reduce(_, _, table) | Integer::Length(table) => self.table(table)?,
            Integer::Fold(_, fold) => self.fold(fold, Self::integer)?,
            Integer::Count(fold) => self.fold(fold, Self::truth)?,
        };
        Some(inside + 1)
    }

    fn truth(&mut self, node: &Truth) -> Option<BigInt> {
        let inside = match node {
            Truth::Literal(_) | Truth::Local(_) => BigInt::zero(),
            Truth::Or(parts) | Truth::And(parts) => self.all(parts, Self::truth)?,
            Truth::Not(inner) => self.truth(inner)?,
            Truth::Compare(left, _, right) => self.integer(left)? + self.integer(right)?,
            Truth::Agree(left, _, right) => self.truth(left)? + self.truth(right)?,
            Truth::Match(left, _, right) => self.table(left)? + self.table(right)?,
            Truth::If(parts) => self.choice(parts, Self::truth)?,
            Truth::Let(parts) => self.binding(parts, Self::truth)?,
            Truth::Any(fold) | Truth::All(fold) => self.fold(fold, Self::truth)?,
        };
        Some(inside + 1)
    }

    fn table(&mut self, node: &Table) -> Option<BigInt> {
        let inside = match node {
            Table::Literal(_) | Table::Input(_) | Table::Local(_) => BigInt::zero(),
            Table::List(entries, _) => self.all(entries, Self::integer)?,
            Table::If(parts) => self.choice(parts, Self::table)?,
            Table::Let(parts) => self.binding(parts, Self::table)?,
            Table::Fold(fold) => self.fold(fold, Self::integer)?,
        };
        Some(inside + 1)
    }

    fn all<T>(&mut self, nodes: &[T], one: fn(&mut Self, &T) -> Option<BigInt>) -> Option<BigInt> {
        nodes.iter().map(|node| one(self, node)).sum()
    }

    fn operands<S>(&mut self, rest: &[Operand<S>]) -> Option<BigInt> {
        rest.iter()
            .map(|operand| self.integer(&operand.value))
            .sum()
    }

    fn choice<T>(
        &mut self,
        parts: &Choice<T>,
        one: fn(&mut Self, &T) -> Option<BigInt>,
    ) -> Option<BigInt> {
        let branches = one(self, &parts.then)?.max(one(self, &parts.otherwise)?);
        Some(self.truth(&parts.condition)? + branches)
    }

    fn binding<T>(
        &mut self,
        parts: &Let<T>,
        one: fn(&mut Self, &T) -> Option<BigInt>,
    ) -> Option<BigInt> {
        let value = self.code(&parts.value)?;
        self.locals.remove(&parts.local);
        if let Code::Integer(node) = &parts.value
            && let Some(interval) = self.interval(node)
        {
            self.locals.insert(parts.local, interval);
        }
        Some(value + one(self, &parts.body)?)
    }

    fn fold<T>(
        &mut self,
        fold: &Fold<T>,
        one: fn(&mut Self, &T) -> Option<BigInt>,
    ) -> Option<BigInt> {
        let mut points = BigInt::one();
        let mut total = BigInt::zero();
        for range in &fold.loops {
            total += &points * (self.integer(&range.from)? + self.integer(&range.to)?);
            points *= self.length(range)?;
        }
        let filter = fold
            .filter
            .as_ref()
            .map_or(Some(BigInt::zero()), |filter| self.truth(filter))?;
        Some(total + points * (filter + one(self, &fold.body)?))
    }

    /// The greatest length of a range; its variable gets an interval.
    fn length(&mut self, range: &Range) -> Option<BigInt> {
        let (least, _) = self.interval(&range.from)?;
        let (_, most) = self.interval(&range.to)?;
        let end = if range.open { most - 1 } else { most };
        let length = (&end - &least + 1_u32).max(BigInt::zero());
        self.locals.insert(range.local, (least, end));
        Some(length)
    }

    /// Values that an expression certainly stays between.
    fn interval(&self, node: &Integer) -> Option<Interval> {
        match node {
            Integer::Literal(value) => Some((value.to_big(), value.to_big())),
            Integer::Local(local) => self.locals.get(local).cloned(),
            Integer::Negate(inner) => self.interval(inner).map(|(least, most)| (-most, -least)),
            Integer::Sum(first, rest) => rest
                .iter()
                .try_fold(self.interval(first)?, |total, operand| {
                    self.added(total, operand)
                }),
            Integer::Product(first, rest) => rest
                .iter()
                .try_fold(self.interval(first), |total, operand| {
                    self.multiplied(total, operand)
                })?,
            Integer::Call(call) => self.extreme(call.function, &call.arguments),
            Integer::If(parts) => {
                let (least, most) = self.interval(&parts.then)?;
                let (other_least, other_most) = self.interval(&parts.otherwise)?;
                Some((least.min(other_least), most.max(other_most)))
            }
            Integer::Input(_)
            | Integer::Power(_)
            | Integer::Index(_)
            | Integer::Let(_)
            | Integer::Reduce(..)
            | Integer::Length(_)
            | Integer::Fold(..)
            | Integer::Count(_) => None,
        }
    }

    fn added(&self, (least, most): Interval, operand: &Operand<SumSign>) -> Option<Interval> {
        let (low, high) = self.interval(&operand.value)?;
        Some(match operand.sign {
            SumSign::Plus => (least + low, most + high),
            SumSign::Minus => (least - high, most - low),
        })
    }

    // The outer option is always there: `mod` bounds even what has no bound.
    #[expect(
        clippy::unnecessary_wraps,
        clippy::option_option,
        reason = "the shape of try_fold"
    )]
    fn multiplied(
        &self,
        total: Option<Interval>,
        operand: &Operand<ProductSign>,
    ) -> Option<Option<Interval>> {
        let factor = self.interval(&operand.value);
        Some(match operand.sign {
            ProductSign::Times => total
                .zip(factor)
                .map(|(total, factor)| product(&total, &factor)),
            ProductSign::Div => total
                .zip(factor)
                .and_then(|(total, factor)| quotient(&total, &factor)),
            ProductSign::Mod => factor.map(|(_, most)| (BigInt::zero(), most - 1)),
            ProductSign::Over => None,
        })
    }

    fn extreme(&self, function: IntegerFunction, arguments: &[Integer]) -> Option<Interval> {
        let intervals: Option<Vec<Interval>> =
            arguments.iter().map(|node| self.interval(node)).collect();
        let join = match function {
            IntegerFunction::Min => BigInt::min,
            IntegerFunction::Max => BigInt::max,
            IntegerFunction::Bits
            | IntegerFunction::Binomial
            | IntegerFunction::Factorial
            | IntegerFunction::Abs => return None,
        };
        intervals?
            .into_iter()
            .reduce(|(least, most), (low, high)| (join(least, low), join(most, high)))
    }
}

fn product((least, most): &Interval, (low, high): &Interval) -> Interval {
    let corners = [least * low, least * high, most * low, most * high];
    let smallest = corners.iter().min().cloned().unwrap_or_default();
    (smallest, corners.into_iter().max().unwrap_or_default())
}

/// A divisor below 1 is an error, so only the others count; the quotient is extreme at an end.
fn quotient((least, most): &Interval, (low, high): &Interval) -> Option<Interval> {
    if !high.is_positive() {
        return None;
    }
    let low = low.max(&BigInt::one()).clone();
    let ends = [&low, high];
    let floor = |value: &BigInt, divisor: &BigInt| num_integer::Integer::div_floor(value, divisor);
    let smallest = ends.iter().map(|divisor| floor(least, divisor)).min()?;
    let greatest = ends.iter().map(|divisor| floor(most, divisor)).max()?;
    Some((smallest, greatest))
}
