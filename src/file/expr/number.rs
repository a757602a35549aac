//! Sides of inequalities: arithmetic over abstract numbers with plain integers inside.
//!
//! Products, powers and exact quotients of more than 64 bits are left to the abstract numbers, which
//! may keep them factored. Everything that gives a plain number and
//! contains nothing abstract is ordinary code.

use super::ast::{
    self, Binding, Braced, Call, Conditional, FoldKind, Function, Node, Operand, ProductSign,
    Raised, SumSign, Tree,
};
use super::check::{Checked, Checker, Meaning, Needs, Result, is_literal};
use super::code::{self, Choice, Code, Fold, Integer, Let, Reduction};
use super::error::Span;
use super::eval::Machine;
use super::fold::{reduction, with_body};
use super::value::Limits;

/// An expression whose value is an abstract number.
#[derive(Debug, Clone)]
pub(super) enum Number {
    Plain(Integer),
    Quantity(usize, Span),
    /// A number bound by `let`.
    Local(usize, Span),
    Sum(Box<Number>, Vec<Term<SumSign>>),
    Product(Box<Number>, Vec<Term<ProductSign>>),
    Negate(Box<Number>, Span),
    Power(Box<Raise>),
    Log2(Box<Number>, Span),
    Function(NumberFunction, Vec<Number>, Span),
    If(Box<Choice<Number>>),
    /// A binding of ordinary code.
    Let(Box<Let<Number>>),
    /// A binding of an abstract number.
    Bind(Box<Bound>),
    Fold(Reduction, Box<Fold<Number>>),
}

#[derive(Debug, Clone)]
pub(super) struct Term<S> {
    pub(super) sign: S,
    pub(super) at: Span,
    pub(super) value: Number,
}

/// `base ^ exponent`.
#[derive(Debug, Clone)]
pub(super) struct Raise {
    pub(super) base: Number,
    pub(super) at: Span,
    pub(super) exponent: Number,
}

#[derive(Debug, Clone)]
pub(super) struct Bound {
    pub(super) local: usize,
    pub(super) value: Number,
    pub(super) body: Number,
}

/// A function of abstract numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberFunction {
    /// Absolute value of one number.
    Abs,
    /// Least of at least two numbers.
    Min,
    /// Greatest of at least two numbers.
    Max,
}

/// Bits up to which a product or power is plain.
const PLAIN_BITS: u64 = 64;

impl Checker<'_> {
    /// A side of a comparison, or a part of it.
    pub(super) fn number(&mut self, tree: &Tree, role: &str) -> Result<Number> {
        match &tree.node {
            Node::Name(name) => self.named_number(tree, name, role),
            Node::Sum(first, rest) if !self.is_plain(tree) => {
                let first = self.number(first, "`+`")?;
                Ok(Number::Sum(Box::new(first), self.terms(rest, "`+`")?))
            }
            Node::Product(first, rest) => self.number_product(first, rest),
            Node::Negate(inner) => {
                let inner = self.number(inner, "`-`")?;
                if let Number::Plain(inner) = inner {
                    return Ok(Number::Plain(Integer::Negate(Box::new(inner))));
                }
                Ok(Number::Negate(Box::new(inner), tree.at))
            }
            Node::Power(parts) => self.number_power(parts),
            Node::If(parts) => self.number_choice(parts, role),
            Node::Let(parts) => self.number_let(parts, role),
            Node::Call(call) if call.function == Function::Log2 => self.log2(call),
            Node::Call(call) if !self.is_plain(tree) => self.number_call(tree, call, role),
            Node::Fold(fold) if !self.is_plain(tree) => self.number_fold(tree, fold, role),
            Node::Or(_)
            | Node::And(_)
            | Node::Not(_)
            | Node::Compare(_)
            | Node::Sum(..)
            | Node::Index(..)
            | Node::Integer(_)
            | Node::Truth(_)
            | Node::Member(_)
            | Node::Slot(_)
            | Node::List(_)
            | Node::Call(_)
            | Node::Fold(_) => self
                .integer(tree, role)
                .map(|checked| Number::Plain(checked.code)),
        }
    }

    /// A quantity where a plain integer is needed: it is expanded before the evaluation.
    pub(super) fn quantity(&mut self, quantity: usize, at: Span) -> Checked {
        let known = self
            .expanded
            .iter()
            .position(|(other, _)| *other == quantity);
        let variable = known.unwrap_or_else(|| {
            self.expanded.push((quantity, at));
            self.expanded.len() - 1
        });
        Checked {
            code: Code::Integer(Integer::Input(variable)),
            needs: Needs::INPUT,
        }
    }

    /// Whether the expression contains nothing abstract.
    pub(super) fn is_plain(&self, tree: &Tree) -> bool {
        let is_plain_here = if let Node::Name(name) = &tree.node {
            self.is_plain_name(name)
        } else if let Node::Product(_, rest) = &tree.node {
            rest.iter().all(|operand| operand.sign != ProductSign::Over)
        } else if let Node::Call(call) = &tree.node {
            call.function != Function::Log2
        } else {
            true
        };
        is_plain_here
            && tree
                .children()
                .into_iter()
                .all(|child| self.is_plain(child))
    }

    fn is_plain_name(&self, name: &Braced) -> bool {
        // A name that cannot be read is reported where it is resolved.
        self.filled(name)
            .is_ok_and(|name| match self.bound.get(&name) {
                Some(Meaning::Number(_, value)) => value.is_some(),
                Some(Meaning::Constant(_) | Meaning::Local(..)) => true,
                None => self.names.quantity(&name).is_none(),
            })
    }

    fn named_number(&mut self, tree: &Tree, name: &Braced, role: &str) -> Result<Number> {
        let text = self.filled(name)?;
        if let Some(Meaning::Number(local, _)) = self.bound.get(&text) {
            return Ok(Number::Local(*local, tree.at));
        }
        match self.names.quantity(&text) {
            Some(quantity) if !self.bound.contains_key(&text) => {
                Ok(Number::Quantity(quantity, tree.at))
            }
            _ => self
                .integer(tree, role)
                .map(|checked| Number::Plain(checked.code)),
        }
    }

    fn terms<S: Copy>(&mut self, rest: &[Operand<S>], role: &str) -> Result<Vec<Term<S>>> {
        let mut terms = Vec::with_capacity(rest.len());
        for operand in rest {
            let value = self.number(&operand.tree, role)?;
            terms.push(Term {
                sign: operand.sign,
                at: operand.sign_at,
                value,
            });
        }
        Ok(terms)
    }

    fn number_product(&mut self, first: &Tree, rest: &[Operand<ProductSign>]) -> Result<Number> {
        let first = self.number(first, "`*`")?;
        let rest = self.terms(rest, "`*`")?;
        Ok(plain_product(&first, &rest)
            .and_then(|code| self.short(&code))
            .unwrap_or_else(|| Number::Product(Box::new(first), rest)))
    }

    fn number_power(&mut self, parts: &Raised) -> Result<Number> {
        let base = self.number(&parts.base, "`^`")?;
        let exponent = self.number(&parts.exponent, "`^`")?;
        let at = parts.sign_at;
        if let (Number::Plain(left), Number::Plain(right)) = (&base, &exponent) {
            let operation = code::Operation {
                left: left.clone(),
                at,
                right: right.clone(),
            };
            if let Some(number) = self.short(&Integer::Power(Box::new(operation))) {
                return Ok(number);
            }
        }
        Ok(Number::Power(Box::new(Raise { base, at, exponent })))
    }

    /// The value of operations on constants, if it is short enough to be plain.
    fn short(&mut self, code: &Integer) -> Option<Number> {
        let limits = Limits {
            bits: PLAIN_BITS.min(self.limits.bits),
            ..self.limits
        };
        // Inputs and bound variables have no value here, so only constants succeed.
        let mut machine = Machine::resumed(&[], limits, Span::new(0, 0), self.steps);
        let value = machine.integer(code);
        self.steps = machine.steps();
        value
            .ok()
            .map(|value| Number::Plain(Integer::Literal(value)))
    }

    fn number_choice(&mut self, parts: &Conditional, role: &str) -> Result<Number> {
        let condition = self.truth(&parts.condition, "`if`")?;
        if condition.needs.is_closed() {
            let chosen = self.decide(condition.code, parts)?;
            return self.number(chosen, role);
        }
        let then = self.number(&parts.then, role)?;
        let otherwise = self.number(&parts.otherwise, role)?;
        Ok(Number::If(Box::new(Choice {
            condition: condition.code,
            then,
            otherwise,
        })))
    }

    fn number_let(&mut self, parts: &Binding, role: &str) -> Result<Number> {
        self.check_fresh(&parts.name)?;
        let plain = if self.is_plain(&parts.value) {
            Some(self.any(&parts.value)?)
        } else {
            None
        };
        let constant = plain.as_ref().and_then(constant_integer);
        let local = self.depth;
        let value = match plain {
            Some(Checked { code, .. })
                if !matches!(code, Code::Integer(_)) && is_literal(&code) =>
            {
                return self.with(parts, Meaning::Constant(code), role);
            }
            Some(Checked { code, needs })
                if !matches!(code, Code::Integer(_)) || !needs.is_closed() =>
            {
                let meaning = Meaning::Local(local, super::compile::kind(&code));
                self.depth += 1;
                let body = self.with(parts, meaning, role)?;
                self.depth = local;
                return Ok(Number::Let(Box::new(Let {
                    local,
                    value: code,
                    body,
                })));
            }
            _ => self.number(&parts.value, "`let`")?,
        };
        self.depth += 1;
        let body = self.with(parts, Meaning::Number(local, constant), role)?;
        self.depth = local;
        Ok(Number::Bind(Box::new(Bound { local, value, body })))
    }

    /// The body of a `let` under a meaning of its name.
    fn with(&mut self, parts: &Binding, meaning: Meaning, role: &str) -> Result<Number> {
        self.bound.insert(parts.name.name.clone(), meaning);
        let body = self.number(&parts.body, role);
        self.bound.remove(&parts.name.name);
        body
    }

    fn log2(&mut self, call: &Call) -> Result<Number> {
        let [argument] = call.arguments.as_slice() else {
            return Err(super::call::wrong_count(call, 1));
        };
        let argument = self.number(argument, "`log2`")?;
        Ok(Number::Log2(Box::new(argument), call.name_at))
    }

    fn number_call(&mut self, tree: &Tree, call: &Call, role: &str) -> Result<Number> {
        let function = match (call.function, call.arguments.len()) {
            (Function::Abs, 1) => NumberFunction::Abs,
            (Function::Min, 2..) => NumberFunction::Min,
            (Function::Max, 2..) => NumberFunction::Max,
            _ => {
                return self
                    .integer(tree, role)
                    .map(|checked| Number::Plain(checked.code));
            }
        };
        let name = format!("`{}`", call.function.name());
        let arguments: Result<Vec<Number>> = call
            .arguments
            .iter()
            .map(|argument| self.number(argument, &name))
            .collect();
        Ok(Number::Function(function, arguments?, call.name_at))
    }

    fn number_fold(&mut self, tree: &Tree, fold: &ast::Fold, role: &str) -> Result<Number> {
        let reduction = match fold.kind {
            FoldKind::Sum | FoldKind::Min | FoldKind::Max => reduction(fold.kind),
            FoldKind::Any | FoldKind::All | FoldKind::Count | FoldKind::Table => None,
        };
        let Some(reduction) = reduction else {
            return self
                .integer(tree, role)
                .map(|checked| Number::Plain(checked.code));
        };
        let depth = self.depth;
        let head = self.open_fold(fold)?;
        let body = self.number(&fold.body, &format!("`{}`", fold.kind.name()))?;
        self.close_fold(fold, depth);
        Ok(Number::Fold(
            reduction,
            Box::new(with_body(fold, &head, body)),
        ))
    }
}

fn constant_integer(checked: &Checked) -> Option<super::int::Int> {
    match &checked.code {
        Code::Integer(Integer::Literal(value)) => Some(value.clone()),
        Code::Integer(_) | Code::Truth(_) | Code::Table(..) => None,
    }
}

/// The product as ordinary code, if all its parts are.
fn plain_product(first: &Number, rest: &[Term<ProductSign>]) -> Option<Integer> {
    let Number::Plain(first) = first else {
        return None;
    };
    let operand = |term: &Term<ProductSign>| {
        let Number::Plain(value) = &term.value else {
            return None;
        };
        Some(code::Operand {
            sign: term.sign,
            at: term.at,
            value: value.clone(),
        })
    };
    let rest: Option<Vec<_>> = rest.iter().map(operand).collect();
    Some(Integer::Product(Box::new(first.clone()), rest?))
}
