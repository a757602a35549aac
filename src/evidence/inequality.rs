//! Claims about numbers: their points, and the two sides of each comparison as exact numbers.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "only two statements are about numbers"
)]

use crate::bounds::params::hybrid_v1::{self, Check, Parameters as Scale};
use crate::evidence::statement::{Assertion, Parameters, Statement};
use crate::exact::{CompareError, Comparison, Number, NumberError, Written, compare};
use crate::file::constants::{Constants, Overrides};
use crate::file::expr::{
    self, Arithmetic, Constant, ExprError, Holds, Limits, Loop, Names, NumberFunction, Relation,
    WithVariables,
};
use crate::file::{Source, Tree};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive};
use serde_json::{Map, Value as Json, json};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Most points of one claim.
pub const MAX_POINTS: u64 = 1 << 20;

/// Most composition steps of the paper's parameters: their exponents grow like 8^steps.
pub const MAX_STEPS: u32 = 1 << 10;

/// Where in a claim a problem lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// In `for`.
    Range,
    /// In the constant of this name.
    Let(String),
    /// In this entry of `holds`.
    Holds(usize),
    /// In the value of this key.
    Value(&'static str),
}

/// What is wrong with a claim about numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProblemError {
    /// The part.
    pub place: Where,
    /// Byte offset in its text.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

/// A claim about numbers, ready to be evaluated point by point.
#[derive(Debug)]
pub struct Problem<'a> {
    statement: &'a Statement,
    constants: Constants,
    range: Option<Loop>,
    limits: Limits,
}

/// One comparison at one point: both sides, and the relation that is claimed.
#[derive(Clone, Debug)]
pub struct Row {
    /// Values of the variables of `for`.
    pub point: Vec<(String, BigInt)>,
    /// Text of the comparison, or the id of a check.
    pub text: String,
    /// The comparison as evidence has it.
    pub comparison: Comparison,
    /// Whether the claimed relation holds.
    pub holds: bool,
}

impl<'a> Problem<'a> {
    /// Reads ranges and constants, and compiles every comparison at the first point.
    ///
    /// # Errors
    /// [`ProblemError`] with the place. A comparison that fails only at a later point is found when that point is reached.
    pub fn new(statement: &'a Statement, limits: Limits) -> Result<Self, ProblemError> {
        let (range, lets) = match statement {
            Statement::Inequality { range, lets, .. } => (range.as_str(), lets.clone()),
            Statement::Parameters(parameters) => {
                (parameters.range.as_str(), Json::Object(Map::new()))
            }
            _ => ("", Json::Object(Map::new())),
        };
        let source = Source::new("let", "");
        let file = Tree::from_json(&json!({"let": lets}));
        let constants =
            Constants::read(&source, &file, &Overrides::new()).map_err(|error| ProblemError {
                place: first_bad_let(&lets),
                offset: 0,
                message: error.message,
            })?;
        let at_range = |error: ExprError| ProblemError {
            place: Where::Range,
            offset: error.at.start,
            message: error.message,
        };
        let range = if range.is_empty() {
            None
        } else {
            Some(Loop::parse(range).map_err(at_range)?)
        };
        if let Some(range) = &range {
            range.check_fresh(&constants).map_err(at_range)?;
        }
        let problem = Self {
            statement,
            constants,
            range,
            limits,
        };
        if let Some(first) = problem.points()?.first() {
            for number in 0..problem.entries() {
                problem.compiled(first, number)?;
            }
        }
        Ok(problem)
    }

    /// Number of comparisons per point.
    pub fn entries(&self) -> usize {
        match self.statement {
            Statement::Inequality { holds, .. }
            | Statement::Parameters(Parameters {
                assertion: Assertion::Holds(holds),
                ..
            }) => holds.len(),
            _ => 1,
        }
    }

    /// The points, in loop order; one empty point without `for`.
    ///
    /// # Errors
    /// A range that is not constant, or more than [`MAX_POINTS`].
    pub fn points(&self) -> Result<Vec<Vec<(String, BigInt)>>, ProblemError> {
        let Some(range) = &self.range else {
            return Ok(vec![Vec::new()]);
        };
        let points = range
            .points(&self.constants, MAX_POINTS)
            .map_err(|error| ProblemError {
                place: Where::Range,
                offset: error.at.start,
                message: error.message,
            })?;
        Ok(points.collect())
    }

    /// One comparison at one point, decided.
    ///
    /// # Errors
    /// What is wrong with it there, or that it is out of reach.
    pub fn row(&self, point: &[(String, BigInt)], number: usize) -> Result<Row, ProblemError> {
        let failed = |offset: usize, message: String| ProblemError {
            place: Where::Holds(number),
            offset,
            message,
        };
        let compared = |left: &Number, right: &Number| {
            compare(left, right).map_err(|error: CompareError| failed(0, error.to_string()))
        };
        if let Statement::Parameters(parameters) = self.statement
            && let Assertion::Check(id) = &parameters.assertion
        {
            let scale = self.scale(parameters, point)?;
            let check = named_check(&scale, id)?;
            let comparison = compared(&check.left, &check.right)?;
            let holds = check.wanted.admits(comparison.relation);
            return Ok(Row {
                point: point.to_vec(),
                text: check.statement,
                comparison,
                holds,
            });
        }
        let (text, scale, comparison) = self.compiled(point, number)?;
        let mut numbers = Numbers {
            scale: scale.as_ref(),
            plain: &[],
        };
        let (left, relation, right) = expr::evaluate_comparison(&comparison, &mut numbers)
            .map_err(|error| failed(error.at.start, error.message))?;
        let comparison = compared(&left, &right)?;
        let holds = claimed(relation, comparison.relation);
        Ok(Row {
            point: point.to_vec(),
            text,
            comparison,
            holds,
        })
    }

    fn compiled(
        &self,
        point: &[(String, BigInt)],
        number: usize,
    ) -> Result<(String, Option<Scale>, expr::Comparison), ProblemError> {
        let failed = |error: ExprError| ProblemError {
            place: Where::Holds(number),
            offset: error.at.start,
            message: error.message,
        };
        let (texts, scale) = match self.statement {
            Statement::Inequality { holds, .. } => (holds, None),
            Statement::Parameters(parameters) => {
                let scale = self.scale(parameters, point)?;
                match &parameters.assertion {
                    Assertion::Holds(holds) => (holds, Some(scale)),
                    Assertion::Check(id) => {
                        named_check(&scale, id)?;
                        return self.placeholder();
                    }
                }
            }
            _ => return self.placeholder(),
        };
        let text = texts.get(number).cloned().unwrap_or_default();
        let names = PointNames {
            constants: &self.constants,
            point: variables(point),
            scale: scale.as_ref(),
        };
        let tree = expr::parse(&text).map_err(failed)?;
        match expr::compile_holds(&tree, &names, self.limits).map_err(failed)? {
            Holds::Comparison(comparison) => Ok((text, scale, comparison)),
            Holds::Truth(_) => Err(ProblemError {
                place: Where::Holds(number),
                offset: 0,
                message: "found a truth value, expected a comparison of two numbers".to_owned(),
            }),
        }
    }

    /// A comparison that is never looked at, for assertions without expressions.
    fn placeholder(&self) -> Result<(String, Option<Scale>, expr::Comparison), ProblemError> {
        let failed = |error: ExprError| ProblemError {
            place: Where::Holds(0),
            offset: 0,
            message: error.message,
        };
        let tree = expr::parse("0 = 0").map_err(failed)?;
        match expr::compile_holds(&tree, &self.constants, self.limits).map_err(failed)? {
            Holds::Comparison(comparison) => Ok((String::new(), None, comparison)),
            Holds::Truth(_) => Err(ProblemError {
                place: Where::Holds(0),
                offset: 0,
                message: String::new(),
            }),
        }
    }

    /// The paper's parameters at a point.
    fn scale(
        &self,
        parameters: &Parameters,
        point: &[(String, BigInt)],
    ) -> Result<Scale, ProblemError> {
        let wrong = |place, offset, message| ProblemError {
            place,
            offset,
            message,
        };
        if parameters.paper != "hybrid-v1" {
            let message = format!("unknown paper `{}`; expected hybrid-v1", parameters.paper);
            return Err(wrong(Where::Value("paper"), 0, message));
        }
        let keys = ["steps", "c", "d", "a1"];
        let names = WithVariables {
            outer: &self.constants,
            variables: variables(point),
        };
        let mut values: Vec<BigUint> = Vec::new();
        for (key, text) in keys.into_iter().zip(&parameters.values) {
            let value = expr::constant_integer(text, &names)
                .map_err(|error| wrong(Where::Value(key), error.at.start, error.message))?;
            let negative = || {
                wrong(
                    Where::Value(key),
                    0,
                    format!("`{key}` {value}, expected at least 0"),
                )
            };
            values.push(value.to_biguint().ok_or_else(negative)?);
        }
        let steps = values[0]
            .to_u32()
            .filter(|steps| *steps <= MAX_STEPS)
            .ok_or_else(|| {
                wrong(
                    Where::Value("steps"),
                    0,
                    format!("{} steps, expected at most {MAX_STEPS}", values[0]),
                )
            })?;
        Scale::new(
            steps,
            values[1].clone(),
            values[2].clone(),
            values[3].clone(),
        )
        .map_err(|error| {
            let key = keys
                .into_iter()
                .find(|key| error.to_string().contains(key))
                .unwrap_or("c");
            wrong(Where::Value(key), 0, error.to_string())
        })
    }
}

/// The row of the paper with this id.
fn named_check(scale: &Scale, id: &str) -> Result<Check, ProblemError> {
    let wrong = |message: String| ProblemError {
        place: Where::Value("check"),
        offset: 0,
        message,
    };
    let checks = scale.checks().map_err(|error| wrong(error.to_string()))?;
    let ids: Vec<String> = checks.iter().map(|check| check.id.clone()).collect();
    checks
        .into_iter()
        .find(|check| check.id == id)
        .ok_or_else(|| {
            wrong(format!(
                "unknown check `{id}`; expected one of {}",
                ids.join(", ")
            ))
        })
}

fn variables(point: &[(String, BigInt)]) -> BTreeMap<String, BigInt> {
    point.iter().cloned().collect()
}

/// The first constant whose text does not parse on its own; the error is shown there.
fn first_bad_let(lets: &Json) -> Where {
    let names = lets
        .as_object()
        .map(|map| map.keys().cloned().collect::<Vec<_>>())
        .unwrap_or_default();
    let bad = |name: &String| {
        lets[name]
            .as_str()
            .is_some_and(|text| expr::parse(text).is_err())
    };
    Where::Let(
        names
            .iter()
            .find(|name| bad(name))
            .or(names.first())
            .cloned()
            .unwrap_or_default(),
    )
}

/// Whether the true relation is what was claimed.
pub(super) fn claimed(relation: Relation, found: crate::exact::Relation) -> bool {
    relation.holds(match found {
        crate::exact::Relation::Less => Ordering::Less,
        crate::exact::Relation::Equal => Ordering::Equal,
        crate::exact::Relation::Greater => Ordering::Greater,
    })
}

/// Whether a number can be an exponent of the language; what is no number at all is refused later.
fn is_natural(exponent: &Number) -> bool {
    match exponent {
        Number::Plain(value) => value.is_integer() && !value.is_negative(),
        Number::Factored(factors) => factors
            .canonical()
            .exponents()
            .all(|(_, exponent)| exponent.is_integer() && !exponent.is_negative()),
        Number::Sum(_) | Number::Tower(_) | Number::Log(_) | Number::LogTower(_) => true,
    }
}

/// Constants, loop variables, and the paper's quantities.
#[derive(Debug)]
struct PointNames<'a> {
    constants: &'a Constants,
    point: BTreeMap<String, BigInt>,
    scale: Option<&'a Scale>,
}

impl Names for PointNames<'_> {
    fn constant(&self, name: &str) -> Option<Constant> {
        if let Some(value) = self.point.get(name) {
            return Some(Constant::Integer(value.clone()));
        }
        let given = self.scale.and_then(|scale| scale.argument(name));
        given
            .map(|value| Constant::Integer(value.into()))
            .or_else(|| self.constants.constant(name))
    }

    fn quantity(&self, name: &str) -> Option<usize> {
        let names = hybrid_v1::names(self.scale?.steps());
        names.iter().position(|known| known == name)
    }

    fn known(&self) -> Vec<String> {
        let mut known = self.constants.known();
        known.extend(self.point.keys().cloned());
        known.extend(
            self.scale
                .map(|scale| hybrid_v1::names(scale.steps()))
                .unwrap_or_default(),
        );
        known
    }
}

/// The arithmetic of exact numbers, as expressions use it.
pub(super) struct Numbers<'a> {
    scale: Option<&'a Scale>,
    plain: &'a [Number],
}

impl<'a> Numbers<'a> {
    /// Quantities that are known numbers.
    pub(super) fn plain(plain: &'a [Number]) -> Self {
        Self { scale: None, plain }
    }
}

fn text(error: &NumberError) -> String {
    error.to_string()
}

impl Arithmetic for Numbers<'_> {
    type Number = Number;

    fn literal(&mut self, value: BigInt) -> Result<Number, String> {
        Ok(value.into())
    }

    fn quantity(&mut self, index: usize) -> Result<Number, String> {
        let Some(scale) = self.scale else {
            let number = self.plain.get(index).cloned();
            return number.ok_or_else(|| "no quantities here".to_owned());
        };
        let names = hybrid_v1::names(scale.steps());
        let name = names.get(index).ok_or("no such quantity")?;
        scale.quantity(name).map_err(|error| error.to_string())
    }

    fn add(&mut self, left: Number, right: Number) -> Result<Number, String> {
        left.add(&right).map_err(|error| text(&error))
    }

    fn subtract(&mut self, left: Number, right: Number) -> Result<Number, String> {
        left.sub(&right).map_err(|error| text(&error))
    }

    fn multiply(&mut self, left: Number, right: Number) -> Result<Number, String> {
        left.mul(&right).map_err(|error| text(&error))
    }

    fn divide(&mut self, left: Number, right: Number) -> Result<Number, String> {
        left.div(&right).map_err(|error| text(&error))
    }

    fn power(&mut self, base: Number, exponent: Number) -> Result<Number, String> {
        if !is_natural(&exponent) {
            return Err(format!(
                "exponent {exponent}, expected an integer of at least 0"
            ));
        }
        base.pow(&exponent).map_err(|error| text(&error))
    }

    fn negate(&mut self, number: Number) -> Result<Number, String> {
        number.neg().map_err(|error| text(&error))
    }

    fn log2(&mut self, number: Number) -> Result<Number, String> {
        number.log2().map_err(|error| text(&error))
    }

    fn function(
        &mut self,
        function: NumberFunction,
        arguments: Vec<Number>,
    ) -> Result<Number, String> {
        let mut rest = arguments.into_iter();
        let first = rest.next().ok_or("no argument")?;
        rest.try_fold(first, |best, next| match function {
            NumberFunction::Min => best.min(&next),
            NumberFunction::Max => best.max(&next),
            NumberFunction::Abs => Ok(best),
        })
        .and_then(|number| {
            if function == NumberFunction::Abs {
                number.abs()
            } else {
                Ok(number)
            }
        })
        .map_err(|error| text(&error))
    }

    fn integer(&mut self, number: &Number) -> Result<BigInt, String> {
        number.to_integer().map_err(|error| text(&error))
    }
}

/// The evidence object of a comparison.
pub fn comparison_json(comparison: &Comparison) -> Json {
    let mut body = json!({
        "left": written(&comparison.left),
        "relation": comparison.relation.as_str(),
        "right": written(&comparison.right),
    });
    if let (Some(cancelled), Some(k), Some(map)) =
        (&comparison.cancelled, comparison.k, body.as_object_mut())
    {
        let pairs: Vec<[String; 2]> = cancelled
            .iter()
            .map(|(base, exponent)| [base.to_string(), exponent.to_string()])
            .collect();
        map.insert("cancelled".to_owned(), json!(pairs));
        map.insert("k".to_owned(), json!(k));
    }
    body
}

/// A side in evidence.
pub fn written(side: &Written) -> Json {
    match side {
        Written::Plain(number) => json!(number.to_string()),
        Written::Pow(factors) => {
            let pairs: Vec<[String; 2]> = factors
                .iter()
                .map(|(base, exponent)| [base.to_string(), exponent.to_string()])
                .collect();
            json!({"pow": pairs})
        }
        Written::Tower { base, exponent } => {
            json!({"tower": {"base": written(base), "exponent": written(exponent)}})
        }
        Written::Sum(terms) => json!({"sum": terms.iter().map(written).collect::<Vec<_>>()}),
    }
}
