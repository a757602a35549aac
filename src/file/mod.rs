//! Files: how a user states an own game, task, protocol and claim.
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a value of any other type is the same mistake in a file"
)]

pub mod constants;
pub mod domains;
pub mod expr;
pub mod families;
pub mod kernels;
pub mod keys;
pub mod matrix;
pub mod models;
mod own_game;
mod own_protocol;
pub mod reader;
pub mod setting;
pub mod slots;
pub mod source;
pub mod strategies;
pub mod tasks;
pub mod tree;

pub use setting::Setting;
pub use source::{Fault, FileError, Source};
pub use tree::Tree;
