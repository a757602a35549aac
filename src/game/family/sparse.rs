//! Block-sparse attention: summaries of blocks, a selection, and the blocks that are read in full.

use super::label;
use crate::exact::{Alphabet, Domain, DomainError, Form, choose};
use crate::game::game::MAX_SLOTS;
use crate::game::{Channel, Game, GameError, Player, PlayerId, Rule, Slot, SlotId};
use num_bigint::BigUint;

/// Parameters of the sparse family. `blocks` = n/B block players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sparse {
    /// Number of blocks q.
    pub blocks: u64,
    /// Tokens per block B.
    pub block: u64,
    /// Values of a token M.
    pub values: u64,
    /// Blocks read per head k.
    pub read: u64,
    /// Attention heads, each with its own selection.
    pub heads: u64,
    /// Symbols of a summary.
    pub symbols: Alphabet,
    /// Every block uses the same summary map (the paper's assumption).
    pub shared_map: bool,
}

impl Sparse {
    /// Exact number of slots: a summary per block, and per head a selection and its reads.
    pub fn slots(&self) -> BigUint {
        (BigUint::from(self.read) + 1u8) * self.heads + self.blocks
    }

    /// Players B0..B(q-1) and Query; a round of summaries, a round of selections, a round of reads.
    ///
    /// # Source
    /// `hybrid-v1`, Section 5 and Appendix A.6.
    /// # Errors
    /// As [`Game::new`], [`GameError::TooManySlots`] above 2^20; k > q is [`GameError::TooManyReads`].
    pub fn game(&self) -> Result<Game, GameError> {
        let slots = self.slots();
        let count = usize::try_from(self.blocks)
            .ok()
            .filter(|_| slots <= BigUint::from(MAX_SLOTS));
        let Some(q) = count else {
            return Err(GameError::TooManySlots(slots));
        };
        let size = |error: DomainError| GameError::Size {
            what: "a block".to_owned(),
            error,
        };
        let form = Form::Table {
            len: self.block,
            values: self.values,
        };
        let block = Domain::single("block", form).map_err(size)?;
        let query = Domain::single("query", Form::Number(self.values)).map_err(size)?;
        let mut players: Vec<Player> = (0..q)
            .map(|i| Player {
                label: label(&format!("B{i}")),
                domain: block.clone(),
            })
            .collect();
        players.push(Player {
            label: label("Query"),
            domain: query,
        });
        let reader = PlayerId(q);
        let slot = |from, channel, rule, at| Slot {
            from,
            to: reader,
            consults: Vec::new(),
            channel,
            rule,
            at,
        };

        let summaries: Vec<Slot> = (0..q)
            .map(|i| {
                slot(
                    PlayerId(i),
                    Channel::Summary,
                    Rule::Chosen(self.symbols.clone()),
                    vec![1],
                )
            })
            .collect();
        // Alphabet C(q,k); with k > q it would be empty, which the constructor reports as too many reads.
        let selection =
            Alphabet::new(choose(self.blocks, self.read)).unwrap_or_else(|_| Alphabet::silent());
        let selections = (1..=self.heads)
            .map(|h| {
                slot(
                    reader,
                    Channel::Selection,
                    Rule::Chosen(selection.clone()),
                    vec![2, h],
                )
            })
            .collect();
        let reads = (1..=self.heads)
            .flat_map(|h| (0..self.read).map(move |r| (h, r)))
            .map(|(h, r)| {
                let by = SlotId(q + as_index(h - 1));
                slot(
                    reader,
                    Channel::Read,
                    Rule::Read {
                        by,
                        rank: as_index(r),
                    },
                    vec![3, h, r],
                )
            })
            .collect();
        let game = Game::new(players, vec![summaries, selections, reads], reader)?;
        if self.shared_map {
            game.with_shared((0..q).map(SlotId).collect())
        } else {
            Ok(game)
        }
    }
}

fn as_index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
