//! Neural networks, not games: what a model carries across a token boundary, and what follows from that.

pub mod account;
pub mod config;
pub mod ieee;
pub mod layer;
#[cfg(feature = "search")]
pub mod process;
pub mod spec;
pub mod task;
pub mod wire;
