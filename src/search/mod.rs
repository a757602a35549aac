//! Searches: they propose structures, and nothing they say counts before the structure's own `holds` has agreed.
//!
//! Everything here may use threads; no result depends on how many.

pub mod answers;
pub mod brute;
mod by_input;
pub mod check;
pub mod checkpoint;
pub mod classes;
pub mod clique;
pub mod colouring;
pub mod decompose;
pub mod derive;
pub mod evaluator;
pub mod exhaustive;
pub mod exponent;
pub mod family;
pub mod fool;
pub mod horizon;
pub mod kernel;
pub mod ledger;
pub mod matrix;
pub mod reach;
pub mod rectangles;
pub mod rows;
#[cfg(feature = "cadical")]
pub mod sat;
pub mod simplex;
pub mod solve;
pub mod solvers;
pub mod sparse_maps;
#[cfg(test)]
mod tests;

pub use check::{Checked, Control, check};
pub use classes::Colouring;
pub use solvers::{Proposal, propose, tabulate};
