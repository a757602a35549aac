//! Which inputs a symbol can depend on: kept slots and supports.

use crate::game::{Game, PlayerId, Rule, SlotId};
use std::collections::BTreeSet;

/// The kept slots of a game and what the symbol of each is a function of.
///
/// A slot is kept if it has at least two symbols and is reachable backwards from the final view of the output player, through the
/// views of senders and consulted players. The support of a slot is {from} + consults + the supports of all kept slots
/// stored in those views at the start of the round; a read slot also looks at every candidate's input.
///
/// # Source
/// Derived, `docs/proofs.md` 4: the candidates of a read slot count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support {
    /// For each slot of the schedule its support; `None` when it is not kept.
    slots: Vec<Option<BTreeSet<PlayerId>>>,
}

impl Support {
    /// Kept slots and supports of a game.
    ///
    /// # Cost
    /// Two passes over the schedule.
    pub fn of(game: &Game) -> Self {
        let kept = kept(game);
        let mut slots = vec![None; game.slots().len()];
        // What the view of each player is a function of, as far as kept slots go.
        let mut known: Vec<BTreeSet<PlayerId>> = (0..game.players().len())
            .map(|player| BTreeSet::from([PlayerId(player)]))
            .collect();
        for round in 0..game.rounds() {
            for id in game.round(round).filter(|id| kept[id.0]) {
                slots[id.0] = Some(
                    game.slot(id)
                        .seen()
                        .flat_map(|player| &known[player.0])
                        .copied()
                        .chain(read_candidates(game, id))
                        .collect(),
                );
            }
            for id in game.round(round) {
                if let Some(support) = &slots[id.0] {
                    known[game.slot(id).to.0].extend(support);
                }
            }
        }
        Self { slots }
    }

    /// The support of a slot; `None` when the slot is not kept.
    pub fn of_slot(&self, id: SlotId) -> Option<&BTreeSet<PlayerId>> {
        self.slots[id.0].as_ref()
    }

    /// The kept slots with their supports, in schedule order.
    pub fn kept(&self) -> impl Iterator<Item = (SlotId, &BTreeSet<PlayerId>)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(id, support)| Some((SlotId(id), support.as_ref()?)))
    }
}

/// The players whose raw input a slot may copy: none unless it is a read slot.
pub(super) fn read_candidates(game: &Game, id: SlotId) -> Vec<PlayerId> {
    let slot = game.slot(id);
    match slot.rule {
        Rule::Read { .. } => game.candidates(slot.to).collect(),
        Rule::Chosen(_) | Rule::Forward => Vec::new(),
    }
}

fn kept(game: &Game) -> Vec<bool> {
    let mut kept = vec![false; game.slots().len()];
    // Players whose view after the round at hand matters.
    let mut needed = BTreeSet::from([game.output()]);
    for round in (0..game.rounds()).rev() {
        let mut looked_at = BTreeSet::new();
        for id in game.round(round) {
            let slot = game.slot(id);
            if game.is_open(id) && needed.contains(&slot.to) {
                kept[id.0] = true;
                looked_at.extend(slot.seen());
            }
        }
        needed.extend(looked_at);
    }
    kept
}
