//! Ways to describe a protocol in a file. A strategy is a protocol given by data, never by a closure.

pub mod affine;
pub mod composition;
pub mod lookup;
pub mod pseudo_random;
pub mod table;

pub use affine::{Affine, Threshold};
pub use composition::{FollowScheme, NoRoom};
pub use lookup::Lookup;
pub use pseudo_random::PseudoRandom;
pub use table::{Table, TableError};

use crate::game::{Game, SpeakError, Symbol, View};
use num_traits::ToPrimitive;

/// The stored symbols of a view that carry information, in schedule order.
fn received<'a>(game: &'a Game, view: &'a View) -> impl Iterator<Item = Symbol> + 'a {
    view.stored
        .iter()
        .filter(|(slot, _)| game.is_open(*slot))
        .map(|(_, symbol)| *symbol)
}

/// A symbol, when it fits 64 bits; nothing is cut off silently.
fn symbol(value: &impl ToPrimitive) -> Result<Symbol, SpeakError> {
    value.to_u64().map(Symbol).ok_or_else(|| SpeakError {
        message: "the symbol has more than 64 bits".to_owned(),
        at: None,
    })
}
