//! Tests of the expression language.
#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::too_many_lines,
    reason = "tables of cases, and a reference evaluator in one match"
)]

mod examples;
mod messages;
mod numbers;
mod offsets;
mod random;
mod reference;
mod speed;
mod texts;

use super::fuzz::{Sample, sample_variables};
use super::{ExprError, Kind, Limits, Mode, Value, compile, parse};

/// The value of `text` among the names of [`Sample`].
fn value(text: &str) -> Result<Value, ExprError> {
    let program = compile(&parse(text)?, &Sample, Mode::Strategy, Limits::default())?;
    program.evaluate(&sample_variables(), Limits::default())
}

fn integer(text: &str) -> i64 {
    match value(text) {
        Ok(Value::Integer(value)) => value.to_i64().unwrap(),
        other => panic!("{text}: {other:?}"),
    }
}

fn truth(text: &str) -> bool {
    match value(text) {
        Ok(Value::Truth(value)) => value,
        other => panic!("{text}: {other:?}"),
    }
}

/// Column (from 1) and message of the error of a task value.
fn error(text: &str) -> (usize, String) {
    error_in(text, Mode::Task)
}

fn error_in(text: &str, mode: Mode) -> (usize, String) {
    let run = || -> Result<Value, ExprError> {
        let program = compile(&parse(text)?, &Sample, mode, Limits::default())?;
        program
            .require(Kind::Integer, "`value`")?
            .evaluate(&sample_variables(), Limits::default())
    };
    match run() {
        Ok(value) => panic!("{text} has the value {value:?}"),
        Err(error) => (error.at.start + 1, error.message),
    }
}
