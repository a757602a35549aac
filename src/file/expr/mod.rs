//! The expression language of files: typed, total, exact.
//!
//! A text becomes tokens (`token`), then a tree with byte ranges ([`parse`]), then code: names are
//! resolved through [`Names`], types checked, constants folded ([`compile`]). A [`Program`] is
//! evaluated on one slice of variables after the other. Inequalities have a second kind of code
//! ([`compile_holds`]) whose products and powers are left to an [`Arithmetic`] of the caller.
//! Around it: ranges of loops ([`Loop`]), braces in any text ([`substitute`]), positions in the
//! file ([`raw_offset`]) and near misses ([`suggest()`]).

pub mod ast;
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
pub mod names;
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
pub use loops::{Loop, Point, Points};
pub use names::{Constant, FieldLookup, Names, Shape, SlotLookup, WithVariables};
pub use number::NumberFunction;
pub use parse::{MAX_LEVELS, canonical, is_label, is_name, parse};
pub use raw_offset::raw_offset;
pub use suggest::{did_you_mean, suggest};
pub use value::{Kind, Limits, Value};

#[cfg(test)]
mod tests;
