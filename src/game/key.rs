//! Keys: what a chosen symbol, or the answer, is a function of, as one mixed-radix index.
//!
//! The order is that of tables in strategy files and evidence: own inputs of the sender, then of the consulted players; then
//! the stored symbols of at least two symbols, player by player in the same order, each in schedule order.

use crate::exact::{DomainError, product};
use crate::game::{Game, PlayerId, Sight, SlotId, Symbol, View};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// The arguments of one message function or of the answer function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySpace {
    /// The players whose views count, sender first.
    pub players: Vec<PlayerId>,
    /// For each of them the stored slots of at least two symbols, in schedule order.
    pub stored: Vec<Vec<SlotId>>,
}

impl KeySpace {
    /// The arguments of a slot.
    pub fn of_slot(game: &Game, id: SlotId) -> Self {
        let start = game.round_start(game.round_of(id));
        Self::of_views(game, game.slot(id).seen().collect(), start)
    }

    /// The arguments of the answer function.
    pub fn of_answer(game: &Game) -> Self {
        Self::of_views(game, vec![game.output()], game.slots().len())
    }

    fn of_views(game: &Game, players: Vec<PlayerId>, end: usize) -> Self {
        let open = |player: &PlayerId| {
            game.stored(*player, end)
                .filter(|id| game.is_open(*id))
                .collect()
        };
        let stored = players.iter().map(open).collect();
        Self { players, stored }
    }

    /// Exact number of keys.
    ///
    /// # Errors
    /// [`DomainError::TooLarge`] with the bits of a number too large to be written down.
    pub fn size(&self, game: &Game) -> Result<BigUint, DomainError> {
        let own: Vec<BigUint> = self
            .players
            .iter()
            .map(|id| game.player(*id).domain.size())
            .collect::<Result<_, _>>()?;
        let stored = self.stored.iter().flatten();
        let sizes: Vec<&BigUint> = own
            .iter()
            .chain(stored.map(|id| game.alphabet(*id).size()))
            .collect();
        product(&sizes)
    }

    /// Index of what `sight` shows, when every radix fits 64 bits.
    pub fn index(&self, game: &Game, sight: &Sight<'_>) -> Option<u64> {
        self.index_of(game, sight.views())
    }

    /// Index of a final view.
    pub fn index_of_view(&self, game: &Game, view: &View) -> Option<u64> {
        self.index_of(game, std::iter::once(view))
    }

    fn index_of<'a>(&self, game: &Game, views: impl Iterator<Item = &'a View>) -> Option<u64> {
        let views: Vec<&View> = views.collect();
        let mut index = 0u64;
        for view in &views {
            let domain = &game.player(view.player).domain;
            index = index
                .checked_mul(domain.index_size()?)?
                .checked_add(domain.index(&view.input)?)?;
        }
        for (view, stored) in views.iter().zip(&self.stored) {
            for id in stored {
                let size = game.alphabet(*id).size().to_u64()?;
                let symbol = view.symbol(*id).unwrap_or(Symbol(0)).0;
                index = index.checked_mul(size)?.checked_add(symbol)?;
            }
        }
        Some(index)
    }
}
