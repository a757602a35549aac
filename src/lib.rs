//! foolproof: exact communication games behind lower-bound proofs about attention models.

pub mod exact;
pub mod game;

#[cfg(feature = "search")]
pub mod search;
