//! The pictures, one file each: what is drawn is handed in, and nothing is decided here.

pub mod chain;
pub mod curve;
pub mod grid;
pub mod ledger;
pub mod matrix;
pub mod rectangles;
pub mod schedule;
pub mod sequence;
