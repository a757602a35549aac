//! What a message function, or the answer function, is applied to.
//!
//! A view is an input and symbols. A forwarded symbol is a whole earlier view, and says nothing but what that view says; a read
//! symbol is an input that the selection names. So the views that a function sees come down to inputs of players, symbols of
//! chosen slots, and read inputs.

use crate::game::run::combination;
use crate::game::structure::Support;
use crate::game::{Game, PlayerId, Rule, SlotId};

/// One thing that a view says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Input(PlayerId),
    Said(SlotId),
    Read(SlotId),
}

/// The arguments of a function, each kind in the order in which the views say them, each thing once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The players whose inputs are known.
    pub players: Vec<PlayerId>,
    /// The kept chosen slots whose symbols are known.
    pub arguments: Vec<SlotId>,
    /// The kept read slots whose symbols are known.
    pub reads: Vec<Reading>,
}

/// One read input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The read slot.
    pub slot: SlotId,
    /// The place of the selection among the arguments; `None` when it has one symbol.
    selection: Option<usize>,
    candidates: Vec<PlayerId>,
    /// How many candidates are selected.
    count: usize,
    rank: usize,
}

impl Reading {
    fn new(game: &Game, slot: SlotId, arguments: &[SlotId]) -> Option<Self> {
        let Rule::Read { by, rank } = game.slot(slot).rule else {
            return None;
        };
        Some(Self {
            slot,
            // A reader that has the input also has the selection: it is older, and in the same view.
            selection: arguments.iter().position(|id| *id == by),
            candidates: game.candidates(game.slot(slot).to).collect(),
            count: game.reads_of(by).count(),
            rank,
        })
    }

    /// The player whose input is read when the arguments have these symbols.
    pub fn candidate(&self, symbols: &[usize]) -> PlayerId {
        let selected = self.selection.map_or(0, |place| symbols[place]);
        let places = combination(self.candidates.len(), self.count, selected as u64);
        self.candidates[places[self.rank]]
    }
}

impl Seen {
    fn of(game: &Game, items: &[Item]) -> Self {
        let mut seen = Self::default();
        for item in items {
            match item {
                Item::Input(player) => seen.players.push(*player),
                Item::Said(id) => seen.arguments.push(*id),
                Item::Read(_) => {}
            }
        }
        let read = |item: &Item| match item {
            Item::Read(id) => Reading::new(game, *id, &seen.arguments),
            Item::Input(_) | Item::Said(_) => None,
        };
        seen.reads = items.iter().filter_map(read).collect();
        seen
    }

    /// True when nothing but inputs of players is known.
    pub fn only_inputs(&self) -> bool {
        self.arguments.is_empty() && self.reads.is_empty()
    }
}

/// The arguments of one kept chosen slot.
#[derive(Clone, Debug)]
pub(super) struct Speaker {
    pub(super) slot: SlotId,
    pub(super) seen: Seen,
    /// What the view of the receiver says, if the receiver is consulted.
    pub(super) receiver: Option<Seen>,
}

/// The arguments of all kept chosen slots, in schedule order, and of the answer function.
pub(super) fn speakers(game: &Game, support: &Support) -> (Vec<Speaker>, Seen) {
    let mut views: Vec<Vec<Item>> = (0..game.players().len())
        .map(|player| vec![Item::Input(PlayerId(player))])
        .collect();
    let mut found = Vec::new();
    for round in 0..game.rounds() {
        let kept = |id: &SlotId| support.of_slot(*id).is_some();
        let mut news: Vec<(PlayerId, Vec<Item>)> = Vec::new();
        for id in game.round(round).filter(kept) {
            let slot = game.slot(id);
            let items = match slot.rule {
                Rule::Chosen(_) => vec![Item::Said(id)],
                Rule::Read { .. } => vec![Item::Read(id)],
                Rule::Forward => views[slot.from.0].clone(),
            };
            news.push((slot.to, items));
            if matches!(slot.rule, Rule::Chosen(_)) {
                let mut all = Vec::new();
                slot.seen()
                    .for_each(|player| add(&mut all, &views[player.0]));
                let receiver = slot.seen().any(|player| player == slot.to);
                found.push(Speaker {
                    slot: id,
                    seen: Seen::of(game, &all),
                    receiver: receiver.then(|| Seen::of(game, &views[slot.to.0])),
                });
            }
        }
        for (to, items) in news {
            add(&mut views[to.0], &items);
        }
    }
    let answers = Seen::of(game, &views[game.output().0]);
    (found, answers)
}

/// Appends what is not there yet.
fn add(view: &mut Vec<Item>, items: &[Item]) {
    for item in items {
        if !view.contains(item) {
            view.push(*item);
        }
    }
}
