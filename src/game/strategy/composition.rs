//! The three protocols that solve composition: full, relay, pre-pass.

use crate::game::shape::Shape;
use crate::game::{
    Answer, Channel, Game, PlayerId, Protocol, Rule, Sight, Slot, SlotId, SpeakError, Symbol, View,
};
use num_bigint::BigUint;

/// A protocol that fetches `z_0` or `z_1[z_0]` and then follows the chain one look-up at a time. All other slots say 0.
#[derive(Clone, Debug)]
pub struct FollowScheme {
    shape: Shape,
    scheme: Chain,
    /// The slots used, in order, each saying one value of the chain.
    slots: Vec<SlotId>,
}

/// Which value each of the slots says: the l of i_l, where i_0 = z_0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// i_0, i_1, .., i_L, all told to -1.
    Full,
    /// i_1 told to 0, passed on, then i_2, .., i_L.
    Relay,
    /// i_0 passed on, then i_1, .., i_L.
    PrePass,
}

/// The layout has no slots for the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRoom {
    /// Not a hybrid game.
    #[error("this strategy is for games with players L, .., 1, 0, -1 that hold z_L, .., z_0, w")]
    NotHybrid,
    /// No slot of this kind, late enough, has enough symbols.
    #[error("no `{edge}` {after}has {needed} symbols; the largest has {largest}")]
    TooSmall {
        /// Kind and edge: `soft 1->0`.
        edge: String,
        /// `after X `, or empty.
        after: String,
        /// Symbols needed.
        needed: u64,
        /// Largest alphabet found there.
        largest: BigUint,
    },
}

impl FollowScheme {
    /// The protocol in the leftmost subsequence of the layout that has room for it.
    ///
    /// # Source
    /// `hybrid-v1` is refuted by the relay at a_1 = 1; the three protocols and their proofs are this project's.
    /// # Errors
    /// [`NoRoom`], naming the slot that is too small.
    pub fn new(game: &Game, scheme: Chain) -> Result<Self, NoRoom> {
        let shape = Shape::of(game).ok_or(NoRoom::NotHybrid)?;
        let wanted = wanted(&shape, scheme);
        let mut slots: Vec<SlotId> = Vec::new();
        for (channel, from, to, needed) in wanted {
            let earliest = slots.last().map_or(0, |last| game.round_of(*last) + 1);
            let fits = |id: &SlotId| {
                let slot = game.slot(*id);
                (slot.channel, slot.from, slot.to) == (channel, from, to)
                    && can_look_up(slot)
                    && game.round_of(*id) >= earliest
            };
            let roomy = |id: &SlotId| *game.alphabet(*id).size() >= BigUint::from(needed);
            if let Some(id) = game.ids().filter(fits).find(roomy) {
                slots.push(id)
            } else {
                let label = |id: PlayerId| &game.player(id).label;
                let sizes = game
                    .ids()
                    .filter(fits)
                    .map(|id| game.alphabet(id).size().clone());
                return Err(NoRoom::TooSmall {
                    edge: format!("{} {}->{}", channel.kind(), label(from), label(to)),
                    after: slots.last().map_or(String::new(), |last| {
                        format!("after `{}` ", game.name(*last))
                    }),
                    needed,
                    largest: sizes.max().unwrap_or_default(),
                });
            }
        }
        Ok(Self {
            shape,
            scheme,
            slots,
        })
    }

    /// The slots that carry the chain, in order.
    pub fn slots(&self) -> &[SlotId] {
        &self.slots
    }

    /// The value that slot `place` says, as a function of the views in sight.
    fn value(&self, place: usize, sight: &Sight<'_>) -> u64 {
        let sender = sight.sender();
        let told =
            |view: &View, place: usize| view.symbol(self.slots[place]).map_or(0, |symbol| symbol.0);
        match (self.scheme, place) {
            (Chain::Full | Chain::PrePass, 0) => sender.input[0],
            (Chain::Relay, 0) => at(&sender.input, sight.consulted()[0].input[0]),
            (Chain::Relay, 1) => told(sender, 0),
            (Chain::Full | Chain::PrePass | Chain::Relay, _) => {
                // `soft l->-1` answers -1's query (w_(l-1), i_(l-1)).
                let l = self.shape.steps - sender.player.0;
                let view = sight.consulted()[0];
                let previous = told(view, place - 1);
                let row = if l == 1 {
                    0
                } else {
                    view.input[l - 2] * self.shape.ranges[l - 2]
                };
                at(&sender.input, row + previous)
            }
        }
    }
}

/// True for a chosen slot that, when it is soft, sees the view of its receiver first.
pub(super) fn can_look_up(slot: &Slot) -> bool {
    let asked = slot.channel != Channel::Soft || slot.consults.first() == Some(&slot.to);
    asked && matches!(slot.rule, Rule::Chosen(_))
}

fn at(table: &[u64], address: u64) -> u64 {
    usize::try_from(address)
        .ok()
        .and_then(|address| table.get(address))
        .copied()
        .unwrap_or(0)
}

/// Kind, edge and number of symbols of each slot of a scheme, in order.
fn wanted(shape: &Shape, scheme: Chain) -> Vec<(Channel, PlayerId, PlayerId, u64)> {
    let (zero, output) = (shape.player(0), shape.output());
    let ask = |l: usize| (Channel::Soft, shape.player(l), output, shape.ranges[l - 1]);
    let (head, first) = match scheme {
        Chain::Full => (vec![(Channel::Soft, zero, output, shape.start)], 1),
        Chain::PrePass => (vec![(Channel::Linear, zero, output, shape.start)], 1),
        Chain::Relay => {
            let m = shape.ranges[0];
            (
                vec![
                    (Channel::Soft, shape.player(1), zero, m),
                    (Channel::Linear, zero, output, m),
                ],
                2,
            )
        }
    };
    head.into_iter()
        .chain((first..=shape.steps).map(ask))
        .collect()
}

impl Protocol for FollowScheme {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let place = self.slots.iter().position(|used| *used == slot);
        Ok(Symbol(place.map_or(0, |place| self.value(place, sight))))
    }

    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(self
            .slots
            .last()
            .and_then(|last| view.symbol(*last))
            .map(|symbol| Answer(symbol.0)))
    }
}
