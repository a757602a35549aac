//! What the schedule may say: the exact product of alphabet sizes per channel.

use crate::game::{Channel, Game};
use num_bigint::BigUint;
use num_traits::One;
use std::collections::BTreeMap;

/// Exact product of alphabet sizes per channel; channels without a slot of two symbols are absent.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Ledger(pub BTreeMap<Channel, BigUint>);

impl Ledger {
    /// The ledger of a game.
    ///
    /// # Cost
    /// One multiplication per slot.
    pub fn of(game: &Game) -> Self {
        let mut lines = BTreeMap::new();
        for id in game.open_slots() {
            let line = lines
                .entry(game.slot(id).channel)
                .or_insert_with(BigUint::one);
            *line *= game.alphabet(id).size();
        }
        Self(lines)
    }
}

/// A count and its bits: `8 (3 bits)` for a power of two, `576 (log2 576 bits)` otherwise.
pub fn count_and_bits(count: &BigUint) -> String {
    let exact = count.bits().saturating_sub(1);
    if count.count_ones() == 1 {
        format!(
            "{count} ({exact} {})",
            if exact == 1 { "bit" } else { "bits" }
        )
    } else {
        format!("{count} (log2 {count} bits)")
    }
}
