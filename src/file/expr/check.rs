//! The type checker: from syntax trees to code.
//!
//! A node is *closed* if it depends on no input, no symbol and no variable bound outside it.
//! Closed nodes are computed here, once; one that fails stays as it is, since it may never be
//! reached. The condition of an `if` is the exception: if it is closed it must be decided now, and
//! the other branch is not looked at.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ast::{
    Binding, Bound, Compared, Conditional, Node, Operand as Part, Place, ProductSign, Raised,
    Relation, SumSign, Tree,
};
use super::code::{Choice, Code, Integer, Let, Lookup, Operand, Operation, Table, Truth};
use super::compile::{Mode, kind, mismatch};
use super::error::{ExprError, Span};
use super::eval::Machine;
use super::int::Int;
use super::names::{FieldLookup, Names};
use super::value::{Kind, Limits, Value};

pub(super) type Result<T> = std::result::Result<T, ExprError>;

/// State of checking one expression.
#[derive(Debug)]
pub(super) struct Checker<'n> {
    pub(super) names: &'n dyn Names,
    pub(super) mode: Mode,
    pub(super) limits: Limits,
    /// Names bound inside the expression.
    pub(super) bound: BTreeMap<String, Meaning>,
    /// Bound variables in force; the index of the next one.
    pub(super) depth: usize,
    /// Quantities that must be written out, with the place of their first use; their index
    /// here is their variable.
    pub(super) expanded: Vec<(usize, Span)>,
    /// Steps used for folding constants.
    pub(super) steps: u64,
    /// Bits that folded constants of more than 64 bits may still take, all together.
    room: u64,
}

/// What a bound name stands for.
#[derive(Debug, Clone)]
pub(super) enum Meaning {
    /// A constant computed already.
    Constant(Code),
    /// A variable of the evaluation.
    Local(usize, Kind),
    /// An abstract number, and its value as a plain integer if it has one.
    Number(usize, Option<Int>),
}

/// Code with what it depends on.
#[derive(Debug, Clone)]
pub(super) struct Checked<C = Code> {
    pub(super) code: C,
    pub(super) needs: Needs,
}

/// What the value of a node depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    /// Some input or symbol.
    pub(super) input: bool,
    /// The outermost bound variable, `usize::MAX` for none.
    pub(super) outermost: usize,
    /// Computing it was tried in vain.
    pub(super) fails: bool,
}

impl Needs {
    pub(super) const NOTHING: Self = Self {
        input: false,
        outermost: usize::MAX,
        fails: false,
    };
    pub(super) const INPUT: Self = Self {
        input: true,
        ..Self::NOTHING
    };

    pub(super) fn local(index: usize) -> Self {
        Self {
            outermost: index,
            ..Self::NOTHING
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            input: self.input || other.input,
            outermost: self.outermost.min(other.outermost),
            fails: self.fails || other.fails,
        }
    }

    /// The same outside the scope of the variables from `depth` on.
    pub(super) fn outside(self, depth: usize) -> Self {
        let outermost = if self.outermost >= depth {
            usize::MAX
        } else {
            self.outermost
        };
        Self { outermost, ..self }
    }

    pub(super) fn is_closed(self) -> bool {
        !self.input && self.outermost == usize::MAX
    }
}

impl<'n> Checker<'n> {
    pub(super) fn new(names: &'n dyn Names, mode: Mode, limits: Limits) -> Self {
        let room = limits.bits.saturating_mul(8);
        Self {
            names,
            mode,
            limits,
            bound: BTreeMap::new(),
            depth: 0,
            expanded: Vec::new(),
            steps: 0,
            room,
        }
    }

    /// Checks an expression of any type.
    pub(super) fn any(&mut self, tree: &Tree) -> Result<Checked> {
        let checked = match &tree.node {
            Node::Integer(value) => {
                constant(Code::Integer(Integer::Literal(Int::from(value.clone()))))
            }
            Node::Truth(value) => constant(Code::Truth(Truth::Literal(*value))),
            Node::Name(name) => return self.name(name),
            Node::Member(member) => return self.member(&member.label, &member.field),
            Node::Slot(slot) => return self.slot(slot),
            Node::If(parts) => return self.conditional(parts),
            Node::Let(parts) => return self.binding(parts),
            Node::Or(parts) => self.truths(parts, "`or`", Truth::Or)?,
            Node::And(parts) => self.truths(parts, "`and`", Truth::And)?,
            Node::Not(inner) => {
                let inner = self.truth(inner, "`not`")?;
                Checked {
                    code: Code::Truth(Truth::Not(Box::new(inner.code))),
                    needs: inner.needs,
                }
            }
            Node::Compare(parts) => self.comparison(parts)?,
            Node::Sum(first, rest) => self.chain(first, rest, sum_role, Integer::Sum)?,
            Node::Product(first, rest) => {
                self.refuse_division(rest)?;
                self.chain(first, rest, product_role, Integer::Product)?
            }
            Node::Negate(inner) => {
                let inner = self.integer(inner, "`-`")?;
                Checked {
                    code: Code::Integer(Integer::Negate(Box::new(inner.code))),
                    needs: inner.needs,
                }
            }
            Node::Power(parts) => self.power(parts)?,
            Node::Index(table, places) => self.index(tree.at, table, places)?,
            Node::List(entries) => self.list(tree.at, entries)?,
            Node::Call(call) => self.call(call)?,
            Node::Fold(fold) => self.fold(fold)?,
        };
        Ok(self.computed(checked))
    }

    pub(super) fn integer(&mut self, tree: &Tree, role: &str) -> Result<Checked<Integer>> {
        let Checked { code, needs } = self.any(tree)?;
        match code {
            Code::Integer(code) => Ok(Checked { code, needs }),
            Code::Truth(_) | Code::Table(..) => {
                Err(wrong(tree.at, kind(&code), Kind::Integer, role))
            }
        }
    }

    pub(super) fn truth(&mut self, tree: &Tree, role: &str) -> Result<Checked<Truth>> {
        let Checked { code, needs } = self.any(tree)?;
        match code {
            Code::Truth(code) => Ok(Checked { code, needs }),
            Code::Integer(_) | Code::Table(..) => {
                Err(wrong(tree.at, kind(&code), Kind::Truth, role))
            }
        }
    }

    /// A table and its length.
    pub(super) fn table(&mut self, tree: &Tree, role: &str) -> Result<Checked<(Table, usize)>> {
        let Checked { code, needs } = self.any(tree)?;
        match code {
            Code::Table(code, length) => Ok(Checked {
                code: (code, length),
                needs,
            }),
            Code::Integer(_) | Code::Truth(_) => {
                let message = format!("found {}, expected a table ({role})", kind(&code));
                Err(ExprError::new(tree.at, message))
            }
        }
    }

    /// Replaces a closed node by its value, unless that fails.
    fn computed(&mut self, checked: Checked) -> Checked {
        if !checked.needs.is_closed() || checked.needs.fails || is_literal(&checked.code) {
            return checked;
        }
        match self.evaluate(&checked.code, Span::new(0, 0)) {
            Ok(value) => self.stored(value).unwrap_or(checked),
            Err(_) => Checked {
                needs: Needs {
                    fails: true,
                    ..checked.needs
                },
                ..checked
            },
        }
    }

    /// A value as a constant, while there is room: every occurrence takes memory, and a short
    /// text may have many.
    fn stored(&mut self, value: Value) -> Option<Checked> {
        let bits = match &value {
            Value::Integer(value) => large_bits(value),
            Value::Truth(_) => 0,
            Value::Table(entries) => entries.iter().map(large_bits).sum(),
        };
        self.room = self.room.checked_sub(bits)?;
        Some(constant(literal(value)))
    }

    /// The value of closed code.
    pub(super) fn evaluate(&mut self, code: &Code, at: Span) -> Result<Value> {
        let mut machine = Machine::resumed(&[], self.limits, at, self.steps);
        let value = machine.value(code);
        self.steps = machine.steps();
        value.map_err(ExprError::from)
    }

    fn conditional(&mut self, parts: &Conditional) -> Result<Checked> {
        let condition = self.truth(&parts.condition, "`if`")?;
        if condition.needs.is_closed() {
            let chosen = self.decide(condition.code, parts)?;
            return self.any(chosen);
        }
        let then = self.any(&parts.then)?;
        let otherwise = self.any(&parts.otherwise)?;
        let needs = condition.needs.and(then.needs).and(otherwise.needs);
        let found = kind(&otherwise.code);
        let choice = match (then.code, otherwise.code) {
            (Code::Integer(then), Code::Integer(otherwise)) => Code::Integer(Integer::If(
                Box::new(choice(condition.code, then, otherwise)),
            )),
            (Code::Truth(then), Code::Truth(otherwise)) => {
                Code::Truth(Truth::If(Box::new(choice(condition.code, then, otherwise))))
            }
            (Code::Table(then, length), Code::Table(otherwise, other)) if length == other => {
                Code::Table(
                    Table::If(Box::new(choice(condition.code, then, otherwise))),
                    length,
                )
            }
            (then, _) => return Err(wrong(parts.otherwise.at, found, kind(&then), "`else`")),
        };
        Ok(Checked {
            code: choice,
            needs,
        })
    }

    /// The branch that a closed condition selects.
    pub(super) fn decide<'t>(
        &mut self,
        condition: Truth,
        parts: &'t Conditional,
    ) -> Result<&'t Tree> {
        let value = self.evaluate(&Code::Truth(condition), parts.condition.at)?;
        Ok(if value == Value::Truth(true) {
            &parts.then
        } else {
            &parts.otherwise
        })
    }

    fn binding(&mut self, parts: &Binding) -> Result<Checked> {
        self.check_fresh(&parts.name)?;
        let value = self.any(&parts.value)?;
        let local = self.depth;
        let name = parts.name.name.clone();
        let is_constant = is_literal(&value.code);
        if is_constant {
            self.bound
                .insert(name, Meaning::Constant(value.code.clone()));
        } else {
            self.bound
                .insert(name, Meaning::Local(local, kind(&value.code)));
            self.depth += 1;
        }
        let body = self.any(&parts.body)?;
        self.bound.remove(&parts.name.name);
        self.depth = local;
        if is_constant {
            return Ok(body);
        }
        let needs = value.needs.and(body.needs.outside(local));
        let value = value.code;
        let code = match body.code {
            Code::Integer(body) => {
                Code::Integer(Integer::Let(Box::new(Let { local, value, body })))
            }
            Code::Truth(body) => Code::Truth(Truth::Let(Box::new(Let { local, value, body }))),
            Code::Table(body, length) => {
                Code::Table(Table::Let(Box::new(Let { local, value, body })), length)
            }
        };
        Ok(Checked { code, needs })
    }

    /// Refuses a new name that has a meaning already.
    pub(super) fn check_fresh(&self, bound: &Bound) -> Result<()> {
        if self.bound.contains_key(&bound.name) {
            return Err(taken(bound));
        }
        check_unused(bound, self.names)
    }

    fn truths(
        &mut self,
        parts: &[Tree],
        role: &str,
        join: fn(Vec<Truth>) -> Truth,
    ) -> Result<Checked> {
        let mut needs = Needs::NOTHING;
        let mut codes = Vec::with_capacity(parts.len());
        for part in parts {
            let part = self.truth(part, role)?;
            needs = needs.and(part.needs);
            codes.push(part.code);
        }
        Ok(Checked {
            code: Code::Truth(join(codes)),
            needs,
        })
    }

    fn comparison(&mut self, parts: &Compared) -> Result<Checked> {
        let role = format!("`{}`", parts.relation);
        let wanted = match parts.relation {
            Relation::Equal => Some(true),
            Relation::NotEqual => Some(false),
            Relation::Less | Relation::AtMost | Relation::Greater | Relation::AtLeast => None,
        };
        let left = self.any(&parts.left)?;
        let found = kind(&left.code);
        let (code, needs) = match (left.code, wanted) {
            (Code::Truth(left), Some(wanted)) => {
                let right = self.truth(&parts.right, &role)?;
                (
                    Truth::Agree(Box::new(left), wanted, Box::new(right.code)),
                    right.needs,
                )
            }
            (Code::Table(left, _), Some(wanted)) => {
                let right = self.table(&parts.right, &role)?;
                (
                    Truth::Match(Box::new(left), wanted, Box::new(right.code.0)),
                    right.needs,
                )
            }
            (Code::Integer(left), _) => {
                let right = self.integer(&parts.right, &role)?;
                (
                    Truth::Compare(Box::new(left), parts.relation, Box::new(right.code)),
                    right.needs,
                )
            }
            (Code::Truth(_) | Code::Table(..), None) => {
                return Err(wrong(parts.left.at, found, Kind::Integer, &role));
            }
        };
        Ok(Checked {
            code: Code::Truth(code),
            needs: left.needs.and(needs),
        })
    }

    fn chain<S: Copy>(
        &mut self,
        first: &Tree,
        rest: &[Part<S>],
        role: fn(S) -> &'static str,
        join: fn(Box<Integer>, Vec<Operand<S>>) -> Integer,
    ) -> Result<Checked> {
        let first_role = rest.first().map_or("", |part| role(part.sign));
        let first = self.integer(first, first_role)?;
        let mut needs = first.needs;
        let mut operands = Vec::with_capacity(rest.len());
        for part in rest {
            let operand = self.integer(&part.tree, role(part.sign))?;
            needs = needs.and(operand.needs);
            operands.push(Operand {
                sign: part.sign,
                at: part.sign_at,
                value: operand.code,
            });
        }
        Ok(Checked {
            code: Code::Integer(join(Box::new(first.code), operands)),
            needs,
        })
    }

    fn power(&mut self, parts: &Raised) -> Result<Checked> {
        let base = self.integer(&parts.base, "`^`")?;
        let exponent = self.integer(&parts.exponent, "`^`")?;
        let operation = Operation {
            left: base.code,
            at: parts.sign_at,
            right: exponent.code,
        };
        Ok(Checked {
            code: Code::Integer(Integer::Power(Box::new(operation))),
            needs: base.needs.and(exponent.needs),
        })
    }

    fn index(&mut self, at: Span, table: &Tree, places: &[Place]) -> Result<Checked> {
        let table = self.table(table, "indexed")?;
        let [place] = places else {
            let message =
                "found an integer, expected a table (indexed): entries of tables are integers";
            return Err(ExprError::new(at, message));
        };
        let index = self.integer(&place.tree, "index")?;
        let lookup = Lookup {
            table: table.code.0,
            at: place.bracket_at,
            place: index.code,
        };
        Ok(Checked {
            code: Code::Integer(Integer::Index(Box::new(lookup))),
            needs: table.needs.and(index.needs),
        })
    }

    fn list(&mut self, at: Span, entries: &[Tree]) -> Result<Checked> {
        let mut needs = Needs::NOTHING;
        let mut codes = Vec::with_capacity(entries.len());
        for entry in entries {
            let entry = self.integer(entry, "entry of a table")?;
            needs = needs.and(entry.needs);
            codes.push(entry.code);
        }
        let length = codes.len();
        Ok(Checked {
            code: Code::Table(Table::List(codes, at), length),
            needs,
        })
    }
}

/// Refuses a new name that is a constant, a field in sight or a quantity.
pub(super) fn check_unused(bound: &Bound, names: &dyn Names) -> Result<()> {
    let is_field = match names.field(None, &bound.name) {
        FieldLookup::Found { .. } | FieldLookup::Ambiguous { .. } | FieldLookup::Refused(_) => true,
        FieldLookup::NotInSight { .. }
        | FieldLookup::UnknownPlayer { .. }
        | FieldLookup::Unknown => false,
    };
    if is_field || names.constant(&bound.name).is_some() || names.quantity(&bound.name).is_some() {
        return Err(taken(bound));
    }
    Ok(())
}

fn taken(bound: &Bound) -> ExprError {
    ExprError::new(
        bound.at,
        format!(
            "`{}` already has a meaning here; choose another name",
            bound.name
        ),
    )
}

pub(super) fn constant(code: Code) -> Checked {
    Checked {
        code,
        needs: Needs::NOTHING,
    }
}

fn large_bits(value: &Int) -> u64 {
    if value.is_big() {
        value.bit_length()
    } else {
        0
    }
}

fn choice<T>(condition: Truth, then: T, otherwise: T) -> Choice<T> {
    Choice {
        condition,
        then,
        otherwise,
    }
}

pub(super) fn is_literal(code: &Code) -> bool {
    matches!(
        code,
        Code::Integer(Integer::Literal(_))
            | Code::Truth(Truth::Literal(_))
            | Code::Table(Table::Literal(_), _)
    )
}

pub(super) fn literal(value: Value) -> Code {
    match value {
        Value::Integer(value) => Code::Integer(Integer::Literal(value)),
        Value::Truth(value) => Code::Truth(Truth::Literal(value)),
        Value::Table(entries) => {
            let length = entries.len();
            Code::Table(Table::Literal(Arc::new(entries)), length)
        }
    }
}

pub(super) fn wrong(at: Span, found: Kind, wanted: Kind, role: &str) -> ExprError {
    ExprError::new(at, mismatch(found, wanted, role))
}

fn sum_role(sign: SumSign) -> &'static str {
    match sign {
        SumSign::Plus => "`+`",
        SumSign::Minus => "`-`",
    }
}

fn product_role(sign: ProductSign) -> &'static str {
    match sign {
        ProductSign::Times => "`*`",
        ProductSign::Div => "`div`",
        ProductSign::Mod => "`mod`",
        ProductSign::Over => "`/`",
    }
}
