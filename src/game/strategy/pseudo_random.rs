//! Seeded pseudo-random tables that any order of evaluation and any language reproduce.

use super::{received, symbol};
use crate::game::{Answer, Game, Protocol, Sight, SlotId, SpeakError, Symbol, View};
use itertools::Itertools;
use num_bigint::BigUint;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The symbol of a slot is a number made of SHA-256 digests of (seed, slot name, views), mod the alphabet; the answer
/// function is free.
#[derive(Clone, Debug)]
pub struct PseudoRandom {
    /// The game.
    pub game: Arc<Game>,
    /// The seed.
    pub seed: BigUint,
}

impl PseudoRandom {
    /// The text that determines the symbol: `1;seed;slot;view;view..`.
    pub fn text(&self, slot: SlotId, sight: &Sight<'_>) -> String {
        let spell = |view: &View| {
            format!(
                "{}:{}",
                view.input.iter().join(","),
                received(&self.game, view).map(|symbol| symbol.0).join(",")
            )
        };
        format!(
            "1;{};{};{}",
            self.seed,
            self.game.name(slot),
            sight.views().map(spell).join(";")
        )
    }
}

impl Protocol for PseudoRandom {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let size = self.game.alphabet(slot).size();
        let text = self.text(slot, sight);
        // 64 bits more than the alphabet has, so that the remainder is nearly uniform.
        let blocks = ((size - 1u8).bits() + 64).div_ceil(256);
        let bytes: Vec<u8> = (0..blocks)
            .flat_map(|block| Sha256::digest(format!("{text};{block}").as_bytes()).to_vec())
            .collect();
        symbol(&(BigUint::from_bytes_be(&bytes) % size))
    }

    fn answer(&self, _view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(None)
    }
}
