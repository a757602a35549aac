//! foolproof: exact communication games behind lower-bound proofs about attention models.

pub mod bounds;
pub mod evidence;
pub mod exact;
pub mod file;
pub mod game;

#[cfg(feature = "search")]
pub mod search;
