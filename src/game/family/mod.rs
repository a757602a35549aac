//! Families of games: thin functions that build a [`crate::game::Game`]. Nothing downstream asks which family it was.

pub mod chain_of_thought;
pub mod hybrid;
pub mod layout;
pub mod one_way;
pub mod pointer_chasing;
pub mod sparse;
pub mod streaming;

use crate::game::Label;

fn label(name: &str) -> Label {
    Label(name.to_owned())
}
