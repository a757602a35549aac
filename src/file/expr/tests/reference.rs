//! A second evaluator, as simple as possible: big integers, values of any type, direct recursion on
//! the syntax tree, no constants folded.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};

use super::super::ast::{
    Bind, Call, Fold, FoldKind, Function, Node, ProductSign, Relation, SumSign, Tree,
};
use super::super::{ExprError, Int, Span, Value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plain {
    Integer(BigInt),
    Truth(bool),
    Table(Vec<BigInt>),
}

type Found<T = Plain> = Result<T, ExprError>;

pub(super) fn plain(value: &Value) -> Plain {
    match value {
        Value::Integer(value) => Plain::Integer(value.to_big()),
        Value::Truth(value) => Plain::Truth(*value),
        Value::Table(entries) => Plain::Table(entries.iter().map(Int::to_big).collect()),
    }
}

/// Variables of `Sample`, bound names, and the limit on bits.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) variables: Vec<Plain>,
    pub(super) bound: BTreeMap<String, Plain>,
    pub(super) bits: u64,
}

impl Reference {
    pub(super) fn value(&mut self, tree: &Tree) -> Found {
        Ok(match &tree.node {
            Node::Integer(value) => Plain::Integer(value.clone()),
            Node::Truth(value) => Plain::Truth(*value),
            Node::Name(name) => self.name(name.plain().unwrap()),
            Node::Member(_) => self.variables[0].clone(),
            Node::Slot(slot) if slot.plain() == Some("lin A->B @2") => {
                Plain::Integer(BigInt::zero())
            }
            Node::Slot(_) => self.variables[2].clone(),
            Node::If(parts) => {
                return if self.truth(&parts.condition)? {
                    self.value(&parts.then)
                } else {
                    self.value(&parts.otherwise)
                };
            }
            Node::Let(parts) => {
                let value = self.value(&parts.value)?;
                self.bound.insert(parts.name.name.clone(), value);
                let body = self.value(&parts.body);
                self.bound.remove(&parts.name.name);
                return body;
            }
            Node::Or(parts) => {
                for part in parts {
                    if self.truth(part)? {
                        return Ok(Plain::Truth(true));
                    }
                }
                Plain::Truth(false)
            }
            Node::And(parts) => {
                for part in parts {
                    if !self.truth(part)? {
                        return Ok(Plain::Truth(false));
                    }
                }
                Plain::Truth(true)
            }
            Node::Not(inner) => Plain::Truth(!self.truth(inner)?),
            Node::Compare(parts) => {
                let left = self.value(&parts.left)?;
                let right = self.value(&parts.right)?;
                Plain::Truth(compare(parts.relation, &left, &right))
            }
            Node::Sum(first, rest) => {
                let mut total = self.integer(first)?;
                for operand in rest {
                    let value = self.integer(&operand.tree)?;
                    total = match operand.sign {
                        SumSign::Plus => total + value,
                        SumSign::Minus => total - value,
                    };
                    total = self.within(total, operand.sign_at)?;
                }
                Plain::Integer(total)
            }
            Node::Product(first, rest) => {
                let mut total = self.integer(first)?;
                for operand in rest {
                    let value = self.integer(&operand.tree)?;
                    total = self.product(total, operand.sign, &value, operand.sign_at)?;
                }
                Plain::Integer(total)
            }
            Node::Negate(inner) => Plain::Integer(-self.integer(inner)?),
            Node::Power(parts) => {
                let base = self.integer(&parts.base)?;
                let exponent = self.integer(&parts.exponent)?;
                Plain::Integer(self.power(&base, &exponent, parts.sign_at)?)
            }
            Node::Index(table, places) => {
                let table = self.table(table)?;
                let place = self.integer(&places[0].tree)?;
                match place.to_usize().and_then(|place| table.get(place)) {
                    Some(value) => Plain::Integer(value.clone()),
                    None if place.bits() > 256 => {
                        return fail(
                            places[0].bracket_at,
                            format!(
                                "index of {} bits, expected 0..<{}",
                                place.bits(),
                                table.len()
                            ),
                        );
                    }
                    None => {
                        return fail(
                            places[0].bracket_at,
                            format!("index {place}, expected 0..<{}", table.len()),
                        );
                    }
                }
            }
            Node::List(entries) => {
                let mut table = Vec::new();
                for entry in entries {
                    table.push(self.integer(entry)?);
                    self.room(&table, tree.at)?;
                }
                Plain::Table(table)
            }
            Node::Call(call) => self.call(call)?,
            Node::Fold(fold) => self.fold(fold)?,
        })
    }

    fn name(&self, name: &str) -> Plain {
        match name {
            "c" | "m1" => Plain::Integer(3.into()),
            "m" => Plain::Table(vec![4.into(), 2.into()]),
            "yes" => Plain::Truth(true),
            "x" => self.variables[0].clone(),
            "f" => self.variables[1].clone(),
            other => self.bound[other].clone(),
        }
    }

    fn integer(&mut self, tree: &Tree) -> Found<BigInt> {
        match self.value(tree)? {
            Plain::Integer(value) => Ok(value),
            other => panic!("{other:?}"),
        }
    }

    fn truth(&mut self, tree: &Tree) -> Found<bool> {
        match self.value(tree)? {
            Plain::Truth(value) => Ok(value),
            other => panic!("{other:?}"),
        }
    }

    fn table(&mut self, tree: &Tree) -> Found<Vec<BigInt>> {
        match self.value(tree)? {
            Plain::Table(value) => Ok(value),
            other => panic!("{other:?}"),
        }
    }

    fn within(&self, value: BigInt, at: Span) -> Found<BigInt> {
        let bits = value.bits();
        if bits > self.bits && value.to_i64().is_none() {
            self.too_large(&bits.into(), at)
        } else {
            Ok(value)
        }
    }

    fn too_large<T>(&self, bits: &BigInt, at: Span) -> Found<T> {
        fail(
            at,
            format!(
                "needs about {bits} bits, more than the limit of {}",
                self.bits
            ),
        )
    }

    fn room(&self, table: &[BigInt], at: Span) -> Found<()> {
        let bits: u64 = table
            .iter()
            .filter(|value| value.to_i64().is_none())
            .map(BigInt::bits)
            .sum();
        if bits > self.bits {
            self.too_large(&bits.into(), at)
        } else {
            Ok(())
        }
    }

    fn product(&self, left: BigInt, sign: ProductSign, right: &BigInt, at: Span) -> Found<BigInt> {
        if sign == ProductSign::Times {
            if !left.is_zero() && !right.is_zero() && left.bits() + right.bits() - 1 > self.bits {
                return self.too_large(&(left.bits() + right.bits() - 1).into(), at);
            }
            return self.within(left * right, at);
        }
        if !right.is_positive() {
            return fail(at, format!("divisor {}, expected at least 1", shown(right)));
        }
        Ok(if sign == ProductSign::Div {
            left.div_floor(right)
        } else {
            left.mod_floor(right)
        })
    }

    fn power(&self, base: &BigInt, exponent: &BigInt, at: Span) -> Found<BigInt> {
        if exponent.is_negative() {
            return fail(
                at,
                format!("exponent {}, expected at least 0", shown(exponent)),
            );
        }
        if exponent.is_zero() {
            return Ok(BigInt::one());
        }
        if base.bits() < 2 {
            return Ok(if exponent.is_odd() {
                base.clone()
            } else {
                base.abs()
            });
        }
        let least: BigInt = exponent * (base.bits() - 1) + 1;
        if least > BigInt::from(self.bits) {
            return self.too_large(&least, at);
        }
        self.within(base.pow(exponent.to_u32().unwrap()), at)
    }

    fn call(&mut self, call: &Call) -> Found {
        let at = call.name_at;
        let name = call.function.name();
        match call.function {
            Function::Get => {
                let Node::Slot(slot) = &call.arguments[0].node else {
                    panic!()
                };
                let is_there = slot.plain() == Some("soft A->B @1");
                return if is_there {
                    Ok(self.variables[2].clone())
                } else {
                    self.value(&call.arguments[1])
                };
            }
            Function::Has => {
                let Node::Slot(slot) = &call.arguments[0].node else {
                    panic!()
                };
                return Ok(Plain::Truth(slot.plain() == Some("soft A->B @1")));
            }
            Function::Received if call.arguments.is_empty() => {
                let Plain::Integer(symbol) = self.variables[2].clone() else {
                    panic!()
                };
                return Ok(Plain::Table(vec![symbol]));
            }
            Function::Received => return Ok(Plain::Table(Vec::new())),
            _ => {}
        }
        let mut values = Vec::new();
        for argument in &call.arguments {
            values.push(self.value(argument)?);
        }
        let integers: Vec<BigInt> = values
            .iter()
            .flat_map(|value| match value {
                Plain::Integer(value) => vec![value.clone()],
                Plain::Truth(_) => panic!(),
                Plain::Table(entries) => entries.clone(),
            })
            .collect();
        let value = match call.function {
            Function::Bits if integers[0].is_positive() => {
                let mut bits = 0;
                while BigInt::one() << bits < integers[0] {
                    bits += 1;
                }
                bits.into()
            }
            Function::Factorial if !integers[0].is_negative() => {
                let half = integers[0].div_floor(&2.into());
                let least = &half * half.bits().saturating_sub(1);
                if least > self.bits.into() {
                    return self.too_large(&least, at);
                }
                let mut value = BigInt::one();
                for factor in 2..=integers[0].to_u64().unwrap() {
                    value *= factor;
                }
                self.within(value, at)?
            }
            Function::Binomial if !integers[0].is_negative() => {
                self.binomial(&integers[0], &integers[1], at)?
            }
            Function::Bits => {
                return fail(
                    at,
                    format!("`bits` of {}, expected at least 1", shown(&integers[0])),
                );
            }
            Function::Factorial | Function::Binomial => {
                return fail(
                    at,
                    format!("`{name}` of {}, expected at least 0", shown(&integers[0])),
                );
            }
            Function::Abs => integers[0].abs(),
            Function::Len => integers.len().into(),
            Function::Sum => {
                let mut total = BigInt::zero();
                for value in integers {
                    total = self.within(total + value, at)?;
                }
                total
            }
            Function::Min if integers.is_empty() => return fail(at, "`min` of nothing".to_owned()),
            Function::Max if integers.is_empty() => return fail(at, "`max` of nothing".to_owned()),
            Function::Min => integers.iter().min().unwrap().clone(),
            Function::Max => integers.iter().max().unwrap().clone(),
            Function::Get | Function::Has | Function::Received | Function::Log2 => panic!(),
        };
        Ok(Plain::Integer(value))
    }

    fn binomial(&self, whole: &BigInt, part: &BigInt, at: Span) -> Found<BigInt> {
        if part.is_negative() || part > whole {
            return Ok(BigInt::zero());
        }
        let part = part.clone().min(whole - part);
        if part.is_zero() {
            return Ok(BigInt::one());
        }
        let least = &part * ((whole / &part).bits() - 1) + 1;
        if least > self.bits.into() {
            return self.too_large(&least, at);
        }
        let mut value = BigInt::one();
        for index in 0..part.to_u64().unwrap() {
            value = value * (whole - index) / (index + 1);
        }
        self.within(value, at)
    }

    fn fold(&mut self, fold: &Fold) -> Found {
        let mut values = Vec::new();
        self.points(fold, &fold.binds, &mut values)?;
        let integers = || {
            values.iter().map(|value| match value {
                Plain::Integer(value) => value.clone(),
                other => panic!("{other:?}"),
            })
        };
        let is_true = |value: &Plain| *value == Plain::Truth(true);
        let name = fold.kind.name();
        Ok(match fold.kind {
            FoldKind::Sum => Plain::Integer(integers().sum()),
            FoldKind::Min | FoldKind::Max if values.is_empty() => {
                return fail(fold.name_at, format!("`{name}` of nothing"));
            }
            FoldKind::Min => Plain::Integer(integers().min().unwrap()),
            FoldKind::Max => Plain::Integer(integers().max().unwrap()),
            FoldKind::Any => Plain::Truth(values.iter().any(is_true)),
            FoldKind::All => Plain::Truth(values.iter().all(is_true)),
            FoldKind::Count => {
                Plain::Integer(values.iter().filter(|value| is_true(value)).count().into())
            }
            FoldKind::Table => Plain::Table(integers().collect()),
        })
    }

    /// Collects the values at all points; false if a decided `any` or `all` stops the rest.
    fn points(&mut self, fold: &Fold, binds: &[Bind], values: &mut Vec<Plain>) -> Found<bool> {
        let Some((bind, rest)) = binds.split_first() else {
            return self.point(fold, values);
        };
        let from = self.integer(&bind.from)?;
        let to = self.integer(&bind.to)? - i32::from(bind.open);
        let mut now = from;
        while now <= to {
            self.bound
                .insert(bind.name.name.clone(), Plain::Integer(now.clone()));
            if !self.points(fold, rest, values)? {
                return Ok(false);
            }
            now += 1;
        }
        self.bound.remove(&bind.name.name);
        Ok(true)
    }

    fn point(&mut self, fold: &Fold, values: &mut Vec<Plain>) -> Found<bool> {
        if let Some(filter) = &fold.filter
            && !self.truth(filter)?
        {
            return Ok(true);
        }
        let value = self.value(&fold.body)?;
        values.push(value.clone());
        if let FoldKind::Sum = fold.kind {
            let total: BigInt = values
                .iter()
                .map(|value| match value {
                    Plain::Integer(value) => value.clone(),
                    other => panic!("{other:?}"),
                })
                .sum();
            self.within(total, fold.name_at)?;
        }
        if let FoldKind::Table = fold.kind {
            let table: Vec<BigInt> = values
                .iter()
                .map(|value| match value {
                    Plain::Integer(value) => value.clone(),
                    other => panic!("{other:?}"),
                })
                .collect();
            self.room(&table, fold.name_at)?;
        }
        Ok(match fold.kind {
            FoldKind::Any => value != Plain::Truth(true),
            FoldKind::All => value != Plain::Truth(false),
            _ => true,
        })
    }
}

fn compare(relation: Relation, left: &Plain, right: &Plain) -> bool {
    match (left, right) {
        (Plain::Integer(left), Plain::Integer(right)) => match relation {
            Relation::Equal => left == right,
            Relation::NotEqual => left != right,
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::Greater => left > right,
            Relation::AtLeast => left >= right,
        },
        _ => (left == right) == (relation == Relation::Equal),
    }
}

fn shown(value: &BigInt) -> String {
    if value.bits() <= 256 {
        value.to_string()
    } else {
        format!("of {} bits", value.bits())
    }
}

fn fail<T>(at: Span, message: String) -> Found<T> {
    Err(ExprError { at, message })
}
