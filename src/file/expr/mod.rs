//! The expression language of files: typed, total, exact.
pub mod ast;
pub mod names;
mod braces;
mod call;
mod check;
mod code;
mod compile;
mod cost;
mod error;
mod eval;
mod fold;
mod function;
mod fuzz;
mod inequality;
mod int;
mod loops;
mod number;
mod parse;
mod raw_offset;
mod resolve;
mod suggest;
mod token;
mod value;

pub use ast::{Relation, Tree};
pub use braces::{parse_braced, substitute};
pub use compile::{Mode, Program, compile, constant_integer, constant_of_tree};
pub use error::{ExprError, Span};
pub use fuzz::fuzz;
pub use inequality::{Arithmetic, Comparison, Holds, compile_holds, evaluate_comparison};
pub use int::Int;
pub use names::{Constant, FieldLookup, Names, Shape, SlotLookup, WithVariables};
pub use number::NumberFunction;
pub use parse::{MAX_LEVELS, canonical, is_label, is_name, parse};
pub use loops::{Loop, Point, Points};
pub use raw_offset::raw_offset;
pub use suggest::{did_you_mean, suggest};
pub use value::{Kind, Limits, Value};

#[cfg(test)]
mod tests;
