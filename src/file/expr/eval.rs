//! Evaluation of compiled expressions.
//!
//! One recursive function per type; the depth is limited by the parser. Tables are borrowed from
//! the variables or the code, or shared, never copied on access.

use std::rc::Rc;

use super::ast::{ProductSign, SumSign};
use super::code::{
    Call, Choice, Code, Fold, Integer, IntegerFunction, Let, Lookup, Operand, Operation, Range,
    Reduction, Table, Truth,
};
use super::error::{ExprError, Span};
use super::function;
use super::int::{Int, shown};
use super::value::{Limits, Value};

pub(super) type Evaluated<T> = Result<T, Fault>;

/// An error of an evaluation, boxed so that results stay small.
#[derive(Debug)]
pub(super) struct Fault(Box<ExprError>);

impl From<Fault> for ExprError {
    fn from(fault: Fault) -> Self {
        *fault.0
    }
}

/// State of one evaluation.
#[derive(Debug)]
pub(super) struct Machine<'v> {
    variables: &'v [Value],
    locals: Vec<Local>,
    limits: Limits,
    steps: u64,
    whole: Span,
    /// Arguments and value of the last binomial.
    last_binomial: Option<(Vec<Int>, Int)>,
}

/// Value of a bound variable.
#[derive(Debug, Clone)]
enum Local {
    Unset,
    Integer(Int),
    Truth(bool),
    Table(Rc<Vec<Int>>),
}

/// The entries of a table.
#[derive(Debug, Clone)]
pub(super) enum Entries<'v> {
    Borrowed(&'v [Int]),
    Shared(Rc<Vec<Int>>),
}

impl std::ops::Deref for Entries<'_> {
    type Target = [Int];

    fn deref(&self) -> &[Int] {
        match self {
            Self::Borrowed(entries) => entries,
            Self::Shared(entries) => entries,
        }
    }
}

impl<'v> Machine<'v> {
    /// A machine for the expression at `whole`.
    pub(super) fn new(variables: &'v [Value], limits: Limits, whole: Span) -> Self {
        Self::resumed(variables, limits, whole, 0)
    }

    /// A machine that has done some steps already.
    pub(super) fn resumed(variables: &'v [Value], limits: Limits, whole: Span, steps: u64) -> Self {
        Self {
            variables,
            locals: Vec::new(),
            limits,
            steps,
            whole,
            last_binomial: None,
        }
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    pub(super) fn whole(&self) -> Span {
        self.whole
    }

    /// Counts one node evaluation.
    #[inline]
    pub(super) fn step(&mut self) -> Evaluated<()> {
        if self.steps >= self.limits.steps {
            return Err(self.out_of_steps());
        }
        self.steps += 1;
        Ok(())
    }

    #[cold]
    fn out_of_steps(&self) -> Fault {
        fault(
            self.whole,
            format!(
                "more than {} steps for one evaluation (`--max-steps`)",
                self.limits.steps
            ),
        )
    }

    pub(super) fn value(&mut self, code: &'v Code) -> Evaluated<Value> {
        Ok(match code {
            Code::Integer(node) => Value::Integer(self.integer(node)?),
            Code::Truth(node) => Value::Truth(self.truth(node)?),
            Code::Table(node, _) => Value::Table(self.table(node)?.to_vec()),
        })
    }

    pub(super) fn integer(&mut self, node: &'v Integer) -> Evaluated<Int> {
        self.step()?;
        match node {
            Integer::Literal(value) => Ok(value.clone()),
            Integer::Input(variable) => self.integer_input(*variable),
            Integer::Local(local) => self.integer_local(*local),
            Integer::Sum(first, rest) => self.sum(first, rest),
            Integer::Product(first, rest) => self.product(first, rest),
            Integer::Negate(inner) => Ok(self.integer(inner)?.negated()),
            Integer::Power(parts) => self.power(parts),
            Integer::Index(parts) => self.index(parts),
            Integer::If(parts) => {
                let branch = self.branch(parts)?;
                self.integer(branch)
            }
            Integer::Let(parts) => {
                let body = self.bind(parts)?;
                self.integer(body)
            }
            Integer::Call(call) => self.call(call),
            Integer::Reduce(reduction, at, table) => {
                let entries = self.table(table)?;
                self.reduce(*reduction, *at, &entries)
            }
            Integer::Length(table) => Ok(Int::from(self.table(table)?.len())),
            Integer::Fold(reduction, fold) => self.fold(*reduction, fold),
            Integer::Count(fold) => self.count(fold),
        }
    }

    pub(super) fn truth(&mut self, node: &'v Truth) -> Evaluated<bool> {
        self.step()?;
        match node {
            Truth::Literal(value) => Ok(*value),
            Truth::Local(local) => self.truth_local(*local),
            Truth::Or(parts) => self.first_that_is(true, parts),
            Truth::And(parts) => self.first_that_is(false, parts),
            Truth::Not(inner) => Ok(!self.truth(inner)?),
            Truth::Compare(left, relation, right) => {
                let left = self.integer(left)?;
                let right = self.integer(right)?;
                Ok(relation.holds(left.cmp(&right)))
            }
            Truth::Agree(left, wanted, right) => {
                let left = self.truth(left)?;
                Ok((left == self.truth(right)?) == *wanted)
            }
            Truth::Match(left, wanted, right) => {
                let left = self.table(left)?;
                let right = self.table(right)?;
                Ok((*left == *right) == *wanted)
            }
            Truth::If(parts) => {
                let branch = self.branch(parts)?;
                self.truth(branch)
            }
            Truth::Let(parts) => {
                let body = self.bind(parts)?;
                self.truth(body)
            }
            Truth::Any(fold) => self.search(true, fold),
            Truth::All(fold) => self.search(false, fold),
        }
    }

    pub(super) fn table(&mut self, node: &'v Table) -> Evaluated<Entries<'v>> {
        self.step()?;
        match node {
            Table::Literal(entries) => Ok(Entries::Borrowed(entries)),
            Table::Input(variable) => self.table_input(*variable),
            Table::Local(local) => self.table_local(*local),
            Table::List(nodes, at) => self.list(nodes, *at),
            Table::If(parts) => {
                let branch = self.branch(parts)?;
                self.table(branch)
            }
            Table::Let(parts) => {
                let body = self.bind(parts)?;
                self.table(body)
            }
            Table::Fold(fold) => self.build(fold),
        }
    }

    // Wrong variables are a mistake of the caller, not of the expression; they are reported all
    // the same instead of a panic.
    #[inline]
    fn integer_input(&self, variable: usize) -> Evaluated<Int> {
        match self.variables.get(variable) {
            Some(Value::Integer(value)) => Ok(value.clone()),
            Some(Value::Truth(_) | Value::Table(_)) | None => Err(self.mistyped(variable)),
        }
    }

    #[inline]
    fn table_input(&self, variable: usize) -> Evaluated<Entries<'v>> {
        match self.variables.get(variable) {
            Some(Value::Table(entries)) => Ok(Entries::Borrowed(entries)),
            Some(Value::Truth(_) | Value::Integer(_)) | None => Err(self.mistyped(variable)),
        }
    }

    #[cold]
    fn mistyped(&self, variable: usize) -> Fault {
        fault(
            self.whole,
            format!("variable {variable} does not have the type it was declared with"),
        )
    }

    fn local(&self, local: usize) -> &Local {
        self.locals.get(local).unwrap_or(&Local::Unset)
    }

    #[cold]
    fn mistyped_local(&self) -> Fault {
        fault(self.whole, "a bound variable does not have its type")
    }

    #[inline]
    fn integer_local(&self, local: usize) -> Evaluated<Int> {
        match self.local(local) {
            Local::Integer(value) => Ok(value.clone()),
            Local::Unset | Local::Truth(_) | Local::Table(_) => Err(self.mistyped_local()),
        }
    }

    fn truth_local(&self, local: usize) -> Evaluated<bool> {
        match self.local(local) {
            Local::Truth(value) => Ok(*value),
            Local::Unset | Local::Integer(_) | Local::Table(_) => Err(self.mistyped_local()),
        }
    }

    fn table_local(&self, local: usize) -> Evaluated<Entries<'v>> {
        match self.local(local) {
            Local::Table(entries) => Ok(Entries::Shared(Rc::clone(entries))),
            Local::Unset | Local::Integer(_) | Local::Truth(_) => Err(self.mistyped_local()),
        }
    }

    fn set(&mut self, local: usize, value: Local) {
        if local >= self.locals.len() {
            self.locals.resize(local + 1, Local::Unset);
        }
        if let Some(place) = self.locals.get_mut(local) {
            *place = value;
        }
    }

    pub(super) fn branch<T>(&mut self, parts: &'v Choice<T>) -> Evaluated<&'v T> {
        Ok(if self.truth(&parts.condition)? {
            &parts.then
        } else {
            &parts.otherwise
        })
    }

    pub(super) fn bind<T>(&mut self, parts: &'v Let<T>) -> Evaluated<&'v T> {
        let value = match &parts.value {
            Code::Integer(node) => Local::Integer(self.integer(node)?),
            Code::Truth(node) => Local::Truth(self.truth(node)?),
            Code::Table(node, _) => Local::Table(match self.table(node)? {
                Entries::Borrowed(entries) => Rc::new(entries.to_vec()),
                Entries::Shared(entries) => entries,
            }),
        };
        self.set(parts.local, value);
        Ok(&parts.body)
    }

    fn within(&self, value: Int, at: Span) -> Evaluated<Int> {
        function::within(value, self.limits.bits).map_err(|message| fault(at, message))
    }

    fn sum(&mut self, first: &'v Integer, rest: &'v [Operand<SumSign>]) -> Evaluated<Int> {
        let mut total = self.integer(first)?;
        for operand in rest {
            let value = self.integer(&operand.value)?;
            total = match operand.sign {
                SumSign::Plus => total.plus(&value),
                SumSign::Minus => total.minus(&value),
            };
            total = self.within(total, operand.at)?;
        }
        Ok(total)
    }

    fn product(&mut self, first: &'v Integer, rest: &'v [Operand<ProductSign>]) -> Evaluated<Int> {
        let mut total = self.integer(first)?;
        for operand in rest {
            let value = self.integer(&operand.value)?;
            total = multiplied(&total, operand.sign, &value, self.limits.bits)
                .map_err(|message| fault(operand.at, message))?;
        }
        Ok(total)
    }

    fn power(&mut self, parts: &'v Operation) -> Evaluated<Int> {
        let base = self.integer(&parts.left)?;
        let exponent = self.integer(&parts.right)?;
        function::power(&base, &exponent, self.limits.bits)
            .map_err(|message| fault(parts.at, message))
    }

    fn index(&mut self, parts: &'v Lookup) -> Evaluated<Int> {
        let table = self.table(&parts.table)?;
        let place = self.integer(&parts.place)?;
        match place.to_usize().and_then(|place| table.get(place)) {
            Some(value) => Ok(value.clone()),
            None => Err(outside(&place, table.len(), parts.at)),
        }
    }

    fn call(&mut self, call: &'v Call) -> Evaluated<Int> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for node in &call.arguments {
            arguments.push(self.integer(node)?);
        }
        let value = match self.next_binomial(call.function, &arguments) {
            Some(value) => Ok(value),
            None => apply(call.function, &arguments, self.limits.bits),
        };
        let value = value.map_err(|message| fault(call.at, message))?;
        if call.function == IntegerFunction::Binomial {
            self.last_binomial = Some((arguments, value.clone()));
        }
        Ok(value)
    }

    /// C(n, k) from C(n, k-1), when that was the last one asked for: a sum over k is linear in its length.
    fn next_binomial(&self, function: IntegerFunction, arguments: &[Int]) -> Option<Int> {
        let (last, value) = self.last_binomial.as_ref()?;
        let ([n, k], [last_n, last_k]) = (arguments, last.as_slice()) else {
            return None;
        };
        let follows =
            function == IntegerFunction::Binomial && n == last_n && *k == last_k.plus(&Int::ONE);
        // Small ones have a faster path, and large ones their own check of the limit.
        let bits = value.bit_length();
        if !follows || last_k.is_negative() || k > n || !(64..1 << 16).contains(&bits) {
            return None;
        }
        Some(Int::from(
            value.to_big() * n.minus(last_k).to_big() / k.to_big(),
        ))
    }

    fn reduce(&self, reduction: Reduction, at: Span, entries: &[Int]) -> Evaluated<Int> {
        match reduction {
            Reduction::Sum => {
                let mut total = Int::ZERO;
                for entry in entries {
                    total = self.within(total.plus(entry), at)?;
                }
                Ok(total)
            }
            Reduction::Min => entries
                .iter()
                .min()
                .cloned()
                .ok_or_else(|| empty(reduction, at)),
            Reduction::Max => entries
                .iter()
                .max()
                .cloned()
                .ok_or_else(|| empty(reduction, at)),
        }
    }

    fn first_that_is(&mut self, wanted: bool, parts: &'v [Truth]) -> Evaluated<bool> {
        for part in parts {
            if self.truth(part)? == wanted {
                return Ok(wanted);
            }
        }
        Ok(!wanted)
    }

    fn list(&mut self, nodes: &'v [Integer], at: Span) -> Evaluated<Entries<'v>> {
        let mut table = Collected::new(self.limits.bits, at);
        for node in nodes {
            table.push(self.integer(node)?)?;
        }
        Ok(table.finish())
    }

    fn build(&mut self, fold: &'v Fold<Integer>) -> Evaluated<Entries<'v>> {
        let mut table = Collected::new(self.limits.bits, fold.at);
        self.for_each(fold, |machine, body| {
            table.push(machine.integer(body)?)?;
            Ok(true)
        })?;
        Ok(table.finish())
    }

    fn fold(&mut self, reduction: Reduction, fold: &'v Fold<Integer>) -> Evaluated<Int> {
        let mut total = (reduction == Reduction::Sum).then_some(Int::ZERO);
        self.for_each(fold, |machine, body| {
            let value = machine.integer(body)?;
            total = Some(match total.take() {
                None => value,
                Some(total) => machine.within(joined(reduction, total, value), fold.at)?,
            });
            Ok(true)
        })?;
        total.ok_or_else(|| empty(reduction, fold.at))
    }

    fn count(&mut self, fold: &'v Fold<Truth>) -> Evaluated<Int> {
        let mut count: u64 = 0;
        self.for_each(fold, |machine, body| {
            count += u64::from(machine.truth(body)?);
            Ok(true)
        })?;
        Ok(Int::from(count))
    }

    /// Whether some value is `wanted`, as the value of `any` or `all`.
    fn search(&mut self, wanted: bool, fold: &'v Fold<Truth>) -> Evaluated<bool> {
        let mut found = false;
        self.for_each(fold, |machine, body| {
            found = machine.truth(body)? == wanted;
            Ok(!found)
        })?;
        Ok(found == wanted)
    }

    /// Visits the body once per point that passes the filter, in lexicographic order, until
    /// `visit` returns false.
    pub(super) fn for_each<T>(
        &mut self,
        fold: &'v Fold<T>,
        mut visit: impl FnMut(&mut Self, &'v T) -> Evaluated<bool>,
    ) -> Evaluated<()> {
        let mut open: Vec<(Int, Int)> = Vec::with_capacity(fold.loops.len());
        loop {
            let is_point = match fold.loops.get(open.len()) {
                Some(range) => self.enter(range, &mut open)?,
                None => true,
            };
            if is_point && open.len() < fold.loops.len() {
                continue;
            }
            if is_point && self.passes(fold)? && !visit(self, &fold.body)? {
                return Ok(());
            }
            if !self.advance(fold, &mut open) {
                return Ok(());
            }
        }
    }

    /// Opens a range at its first value; false if it is empty.
    fn enter(&mut self, range: &'v Range, open: &mut Vec<(Int, Int)>) -> Evaluated<bool> {
        let from = self.integer(&range.from)?;
        let to = self.integer(&range.to)?;
        let last = if range.open { to.minus(&Int::ONE) } else { to };
        if from > last {
            return Ok(false);
        }
        self.set(range.local, Local::Integer(from.clone()));
        open.push((from, last));
        Ok(true)
    }

    /// Moves the innermost open range that is not at its end, closing those that are.
    fn advance<T>(&mut self, fold: &'v Fold<T>, open: &mut Vec<(Int, Int)>) -> bool {
        while let Some((now, last)) = open.last_mut() {
            if *now < *last {
                *now = now.plus(&Int::ONE);
                let value = now.clone();
                if let Some(range) = fold.loops.get(open.len() - 1) {
                    self.set(range.local, Local::Integer(value));
                }
                return true;
            }
            open.pop();
        }
        false
    }

    fn passes<T>(&mut self, fold: &'v Fold<T>) -> Evaluated<bool> {
        fold.filter
            .as_ref()
            .map_or(Ok(true), |filter| self.truth(filter))
    }
}

/// A table under construction. Entries of more than 64 bits count against the limit together,
/// otherwise a short text could ask for all memory.
#[derive(Debug)]
struct Collected {
    entries: Vec<Int>,
    bits: u64,
    limit: u64,
    at: Span,
}

impl Collected {
    fn new(limit: u64, at: Span) -> Self {
        Self {
            entries: Vec::new(),
            bits: 0,
            limit,
            at,
        }
    }

    fn push(&mut self, value: Int) -> Evaluated<()> {
        if value.is_big() {
            self.bits += value.bit_length();
            if self.bits > self.limit {
                return Err(fault(
                    self.at,
                    function::too_large(&self.bits.into(), self.limit),
                ));
            }
        }
        self.entries.push(value);
        Ok(())
    }

    fn finish<'v>(self) -> Entries<'v> {
        Entries::Shared(Rc::new(self.entries))
    }
}

#[cold]
pub(super) fn fault(at: Span, message: impl Into<String>) -> Fault {
    Fault(Box::new(ExprError::new(at, message)))
}

#[cold]
fn outside(place: &Int, length: usize, at: Span) -> Fault {
    fault(at, format!("index {}, expected 0..<{length}", shown(place)))
}

#[cold]
pub(super) fn empty(reduction: Reduction, at: Span) -> Fault {
    fault(at, format!("`{}` of nothing", reduction.name()))
}

/// `left sign right`; `/` never gets here.
pub(super) fn multiplied(
    left: &Int,
    sign: ProductSign,
    right: &Int,
    limit: u64,
) -> Result<Int, String> {
    match sign {
        ProductSign::Times => function::times(left, right, limit),
        ProductSign::Div => function::quotient(left, right),
        ProductSign::Mod => function::remainder(left, right),
        ProductSign::Over => Err("found `/`, expected `div`".to_owned()),
    }
}

fn joined(reduction: Reduction, total: Int, value: Int) -> Int {
    match reduction {
        Reduction::Sum => total.plus(&value),
        Reduction::Min => total.min(value),
        Reduction::Max => total.max(value),
    }
}

/// Applies a function; the number of arguments has been checked.
pub(super) fn apply(
    function: IntegerFunction,
    arguments: &[Int],
    limit: u64,
) -> Result<Int, String> {
    let zero = Int::ZERO;
    let first = arguments.first().unwrap_or(&zero);
    let second = arguments.get(1).unwrap_or(&zero);
    match function {
        IntegerFunction::Bits => function::bits(first),
        IntegerFunction::Binomial => function::binomial(first, second, limit),
        IntegerFunction::Factorial => function::factorial(first, limit),
        IntegerFunction::Abs => Ok(first.absolute()),
        IntegerFunction::Min => Ok(arguments.iter().min().cloned().unwrap_or(zero)),
        IntegerFunction::Max => Ok(arguments.iter().max().cloned().unwrap_or(zero)),
    }
}
