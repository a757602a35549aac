//! Neural networks, not games: what a model carries across a token boundary, and what follows from that.

pub mod account;
pub mod config;
pub mod layer;
