//! Exact simulator of the communication games behind lower-bound proofs about attention models.
//!
//! A paper proves that some network cannot do a task by turning it into players who exchange bit-counted messages, and then
//! building two inputs that look the same but need different answers. This crate states such games as data, runs protocols
//! on them, decides what can influence what, searches for protocols or for reasons why there are none, and writes evidence
//! that a verifier re-checks without seeing the search.
//!
//! ```
#![doc = include_str!("../tests/first_example.rs")]
//! ```
//!
//! The crate has two halves. *Statement code* ([`exact`], [`game`], [`bounds`], [`mod@matrix`], [`reduction`], [`mod@file`], [`evidence`]) is what must be read
//! and trusted: no threads, no hash maps, no search, no floats. *Search code* (`search`, `audit`, behind the feature
//! `search`) may be wrong without harm: what it proposes is verified before it is reported.

pub mod bounds;
pub mod evidence;
pub mod exact;
pub mod file;
pub mod game;
pub mod matrix;
pub mod models;
pub mod reduction;

#[cfg(feature = "search")]
pub mod audit;
pub mod cli;
pub mod rank;
pub mod report;
#[cfg(feature = "search")]
pub mod search;
