//! Function calls.

use super::ast::{Call, Function, Node, Operand as Part, ProductSign, Tree};
use super::check::{Checked, Checker, Needs, Result, constant};
use super::code::{self, Code, Integer, IntegerFunction, Reduction, Table, Truth};
use super::compile::Mode;
use super::error::{ExprError, Span};
use super::resolve::{quoted, symbol};

impl Checker<'_> {
    pub(super) fn call(&mut self, call: &Call) -> Result<Checked> {
        match call.function {
            Function::Bits => self.numeric(call, IntegerFunction::Bits, 1),
            Function::Binomial => self.numeric(call, IntegerFunction::Binomial, 2),
            Function::Factorial => self.numeric(call, IntegerFunction::Factorial, 1),
            Function::Abs => self.numeric(call, IntegerFunction::Abs, 1),
            Function::Min => self.extreme(call, Reduction::Min, IntegerFunction::Min),
            Function::Max => self.extreme(call, Reduction::Max, IntegerFunction::Max),
            Function::Sum => self.reduce(call, Reduction::Sum),
            Function::Len => self.length(call),
            Function::Get => self.get(call),
            Function::Has => self.has(call),
            Function::Received => self.received(call),
            Function::Log2 => Err(ExprError::new(call.name_at, self.no_log2())),
        }
    }

    /// `/` is exact division and gives no integer.
    pub(super) fn refuse_division(&self, rest: &[Part<ProductSign>]) -> Result<()> {
        let Some(part) = rest.iter().find(|part| part.sign == ProductSign::Over) else {
            return Ok(());
        };
        let message = if self.mode == Mode::Inequality {
            "found `/` where an integer is needed, expected `div`"
        } else {
            "found `/`, expected `div`; exact division is for inequality claims"
        };
        Err(ExprError::new(part.sign_at, message))
    }

    fn no_log2(&self) -> &'static str {
        if self.mode == Mode::Inequality {
            "found `log2` where an integer is needed, expected `bits`"
        } else {
            "found `log2`, expected `bits`; `log2` is for inequality claims"
        }
    }

    fn numeric(&mut self, call: &Call, function: IntegerFunction, count: usize) -> Result<Checked> {
        if call.arguments.len() != count {
            return Err(wrong_count(call, count));
        }
        let role = format!("`{}`", call.function.name());
        let mut needs = Needs::NOTHING;
        let mut arguments = Vec::with_capacity(count);
        for argument in &call.arguments {
            let argument = self.integer(argument, &role)?;
            needs = needs.and(argument.needs);
            arguments.push(argument.code);
        }
        let code = code::Call {
            function,
            at: call.name_at,
            arguments,
        };
        Ok(Checked {
            code: Code::Integer(Integer::Call(Box::new(code))),
            needs,
        })
    }

    /// `min` and `max`: of one table, or of at least two integers.
    fn extreme(
        &mut self,
        call: &Call,
        table: Reduction,
        function: IntegerFunction,
    ) -> Result<Checked> {
        if call.arguments.len() > 1 {
            return self.numeric(call, function, call.arguments.len());
        }
        self.reduce(call, table)
    }

    fn reduce(&mut self, call: &Call, reduction: Reduction) -> Result<Checked> {
        let table = self.only_table(call)?;
        let (code, _) = table.code;
        let code = Code::Integer(Integer::Reduce(reduction, call.name_at, Box::new(code)));
        Ok(Checked {
            code,
            needs: table.needs,
        })
    }

    fn only_table(&mut self, call: &Call) -> Result<Checked<(Table, usize)>> {
        let [argument] = call.arguments.as_slice() else {
            return Err(wrong_count(call, 1));
        };
        self.table(argument, &format!("`{}`", call.function.name()))
    }

    /// The length is known; the table is evaluated only if that could fail.
    fn length(&mut self, call: &Call) -> Result<Checked> {
        let table = self.only_table(call)?;
        let (code, length) = table.code;
        if never_fails(&code) {
            return Ok(constant(Code::Integer(Integer::Literal(length.into()))));
        }
        Ok(Checked {
            code: Code::Integer(Integer::Length(Box::new(code))),
            needs: table.needs,
        })
    }

    fn get(&mut self, call: &Call) -> Result<Checked> {
        self.strategies_only(call)?;
        let [slot, default] = call.arguments.as_slice() else {
            return Err(wrong_count(call, 2));
        };
        let variable = self.slot_in_sight(slot, call)?;
        let Checked { code, needs } = self.integer(default, "`get`")?;
        Ok(variable.map_or(
            Checked {
                code: Code::Integer(code),
                needs,
            },
            symbol,
        ))
    }

    fn has(&self, call: &Call) -> Result<Checked> {
        self.strategies_only(call)?;
        let [slot] = call.arguments.as_slice() else {
            return Err(wrong_count(call, 1));
        };
        let variable = self.slot_in_sight(slot, call)?;
        Ok(constant(Code::Truth(Truth::Literal(variable.is_some()))))
    }

    fn slot_in_sight(&self, slot: &Tree, call: &Call) -> Result<Option<usize>> {
        let Node::Slot(slot) = &slot.node else {
            let message = format!("`{}` expects a slot in single quotes", call.function.name());
            return Err(ExprError::new(slot.at, message));
        };
        let name = self.filled(slot)?;
        self.names
            .has(&name)
            .map_err(|message| ExprError::new(quoted(slot), message))
    }

    fn received(&self, call: &Call) -> Result<Checked> {
        self.strategies_only(call)?;
        let (player, at) = match call.arguments.as_slice() {
            [] => (None, call.name_at),
            [label] => (Some(self.label(label)?), label.at),
            _ => return Err(wrong_count(call, 1)),
        };
        let variables = self
            .names
            .received(player.as_deref())
            .map_err(|message| ExprError::new(at, message))?;
        if variables.is_empty() {
            return Ok(constant(Code::Table(
                Table::Literal(std::sync::Arc::default()),
                0,
            )));
        }
        let length = variables.len();
        let symbols = variables.into_iter().map(Integer::Input).collect();
        Ok(Checked {
            code: Code::Table(Table::List(symbols, call.name_at), length),
            needs: Needs::INPUT,
        })
    }

    /// A label is read as it is written: it is not an expression.
    fn label(&self, tree: &Tree) -> Result<String> {
        if let Node::Name(name) = &tree.node {
            return self.filled(name);
        }
        if let Node::Integer(value) = &tree.node {
            return Ok(value.to_string());
        }
        if let Node::Negate(inner) = &tree.node
            && let Node::Integer(value) = &inner.node
        {
            return Ok(format!("-{value}"));
        }
        Err(ExprError::new(
            tree.at,
            "`received` expects the label of a player",
        ))
    }

    fn strategies_only(&self, call: &Call) -> Result<()> {
        if self.mode == Mode::Strategy {
            return Ok(());
        }
        let message = format!("`{}` is only for strategies", call.function.name());
        Err(ExprError::new(call.name_at, message))
    }
}

/// Whether evaluating the table certainly succeeds.
fn never_fails(table: &Table) -> bool {
    match table {
        Table::Literal(_) | Table::Input(_) | Table::Local(_) => true,
        Table::List(entries, _) => entries.iter().all(|entry| {
            matches!(
                entry,
                Integer::Literal(_) | Integer::Input(_) | Integer::Local(_)
            )
        }),
        Table::If(_) | Table::Let(_) | Table::Fold(_) => false,
    }
}

pub(super) fn wrong_count(call: &Call, count: usize) -> ExprError {
    let plural = if count == 1 { "" } else { "s" };
    let found = call.arguments.len();
    let message = format!(
        "`{}` takes {count} argument{plural}, found {found}",
        call.function.name()
    );
    let at: Span = call.name_at;
    ExprError::new(at, message)
}
