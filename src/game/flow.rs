//! Which inputs can influence which view, over *all* protocols: a question about the schedule alone.
//!
//! Influence starts at the input of one player and persists. A slot that is open (at least two symbols) and not pinned
//! carries it to its receiver iff the sender or a consulted player had it at the start of the round. A `Forward` slot carries
//! from its sender, a `Read` slot from the raw input of the candidates it can select.
//!
//! Theorem. Without a path, every protocol's view at the time in question is independent of that input on every product
//! set of inputs on which the pinned symbols are. With a path, and a domain of at least two elements, the [`Relay`] protocol
//! keeps all pinned symbols constant and makes the view depend on it.

use crate::game::run::{combination, forwarded_part};
use crate::game::{
    Answer, Game, Inputs, PlayerId, Protocol, Rule, Sight, SlotId, SpeakError, Symbol, View,
};
use num_traits::ToPrimitive;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A flow question: can the input of `of` reach the view of `view` within the first `after` rounds?
#[derive(Clone, Debug)]
pub struct Flow<'a> {
    /// The game.
    pub game: &'a Game,
    /// Whose input.
    pub of: PlayerId,
    /// Whose view.
    pub view: PlayerId,
    /// Number of rounds that have been played.
    pub after: usize,
}

/// How influence first reached a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrival {
    /// It is the player's own input.
    Origin,
    /// By this slot, from this player (the origin itself for a read).
    Slot(SlotId, PlayerId),
}

/// Why the minimal cuts are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {0} minimal cuts")]
pub struct TooManyCuts(pub usize);

impl Flow<'_> {
    /// The earliest-arrival path that avoids the pinned slots: `None` when the view is independent of the input for every
    /// protocol, empty when both players are the same.
    ///
    /// # Cost
    /// One pass over the slots of the first `after` rounds.
    pub fn leak(&self, pinned: &BTreeSet<SlotId>) -> Option<Vec<SlotId>> {
        if !self.game.player(self.of).domain.is_open() {
            return None;
        }
        let arrivals = self.arrivals(pinned);
        let mut path = Vec::new();
        let mut at = self.view;
        loop {
            match arrivals[at.0]? {
                Arrival::Origin => break,
                Arrival::Slot(slot, from) => {
                    path.push(slot);
                    at = from;
                }
            }
        }
        path.reverse();
        Some(path)
    }

    fn arrivals(&self, pinned: &BTreeSet<SlotId>) -> Vec<Option<Arrival>> {
        let mut arrivals = vec![None; self.game.players().len()];
        arrivals[self.of.0] = Some(Arrival::Origin);
        for round in 0..self.after.min(self.game.rounds()) {
            let mut new: Vec<(PlayerId, Arrival)> = Vec::new();
            for id in self.game.round(round) {
                let to = self.game.slot(id).to;
                let known = arrivals[to.0].is_some() || new.iter().any(|(player, _)| *player == to);
                if known || pinned.contains(&id) || !self.game.is_open(id) {
                    continue;
                }
                if let Some(from) = self.carrier(id, |player| arrivals[player.0].is_some()) {
                    new.push((to, Arrival::Slot(id, from)));
                }
            }
            for (player, arrival) in new {
                arrivals[player.0] = Some(arrival);
            }
        }
        arrivals
    }

    /// The player from whom `id` takes the influence, given who had it at the start of the round.
    fn carrier(&self, id: SlotId, had: impl Fn(PlayerId) -> bool) -> Option<PlayerId> {
        let slot = self.game.slot(id);
        match slot.rule {
            Rule::Chosen(_) | Rule::Forward => slot.seen().find(|player| had(*player)),
            Rule::Read { by, rank } => {
                let candidates: Vec<PlayerId> = self.game.candidates(slot.to).collect();
                let k = self.game.reads_of(by).count();
                let place = candidates
                    .iter()
                    .position(|candidate| *candidate == self.of)?;
                let selectable = rank <= place && place + k <= candidates.len() + rank;
                selectable.then_some(self.of)
            }
        }
    }

    /// True when `path` carries the input of `of`, which has at least two elements, to `view`: open unpinned slots of the
    /// game in strictly increasing rounds, each from where the last one arrived.
    pub fn carries(&self, path: &[SlotId], pinned: &BTreeSet<SlotId>) -> bool {
        let exists = |id: &SlotId| id.0 < self.game.slots().len();
        if !self.game.player(self.of).domain.is_open() || !path.iter().all(exists) {
            return false;
        }
        let (mut at, mut earliest) = (self.of, 0);
        for id in path {
            let round = self.game.round_of(*id);
            let legal = round >= earliest
                && round < self.after
                && !pinned.contains(id)
                && self.game.is_open(*id)
                && self
                    .carrier(*id, |player| player == at)
                    .is_some_and(|from| from == at);
            if !legal {
                return false;
            }
            at = self.game.slot(*id).to;
            earliest = round + 1;
        }
        at == self.view
    }

    /// All inclusion-minimal sets of chosen slots whose pinning makes the view independent of the input: shorter first, then
    /// in slot order. Empty when nothing leaks, or when copies alone carry the input.
    ///
    /// # Errors
    /// [`TooManyCuts`] when there are more than `limit`.
    /// # Cost
    /// At most the number of slots on a path times one pass over the schedule for every partial cut that can still become minimal.
    pub fn minimal_cuts(&self, limit: usize) -> Result<Vec<Vec<SlotId>>, TooManyCuts> {
        let mut cuts = Vec::new();
        if self.leak(&BTreeSet::new()).is_some() {
            self.extend_cut(&mut BTreeSet::new(), &mut BTreeSet::new(), &mut cuts, limit)?;
        }
        cuts.sort_by(|a: &Vec<SlotId>, b| (a.len(), a).cmp(&(b.len(), b)));
        Ok(cuts)
    }

    /// Every minimal cut that contains `cut` and avoids `excluded` meets the leak path past `cut`: branch on which of
    /// its slots is the first to be taken, and exclude the earlier ones, so that each minimal cut is found once.
    fn extend_cut(
        &self,
        cut: &mut BTreeSet<SlotId>,
        excluded: &mut BTreeSet<SlotId>,
        cuts: &mut Vec<Vec<SlotId>>,
        limit: usize,
    ) -> Result<(), TooManyCuts> {
        // A slot that no path needs, given the others, stays superfluous in every larger cut.
        let needless = cut.iter().any(|member| {
            let mut others = cut.clone();
            others.remove(member);
            self.leak(&others).is_none()
        });
        if needless {
            return Ok(());
        }
        let Some(path) = self.leak(cut) else {
            if cuts.len() == limit {
                return Err(TooManyCuts(limit));
            }
            cuts.push(cut.iter().copied().collect());
            return Ok(());
        };
        let mut passed = Vec::new();
        for id in path {
            let chosen = matches!(self.game.slot(id).rule, Rule::Chosen(_));
            if chosen && !excluded.contains(&id) {
                cut.insert(id);
                self.extend_cut(cut, excluded, cuts, limit)?;
                cut.remove(&id);
                excluded.insert(id);
                passed.push(id);
            }
        }
        for id in passed {
            excluded.remove(&id);
        }
        Ok(())
    }

    /// True when the list of cuts contains every minimal cut: for each choice of one slot from each, pinning all *other*
    /// chosen slots leaves a path. (If such a pinned set is a cut, it contains none of the list; and a cut outside the list misses
    /// a slot of each.)
    ///
    /// # Cost
    /// The product of the sizes of the cuts, each one pass over the schedule; `None` above `limit` choices.
    pub fn all_cuts_listed(&self, cuts: &[Vec<SlotId>], limit: usize) -> Option<bool> {
        let choices = cuts
            .iter()
            .try_fold(1usize, |product, cut| product.checked_mul(cut.len()));
        if choices.is_none_or(|choices| choices > limit) {
            return None;
        }
        if choices == Some(0) {
            // With the empty cut in the list there is no choice to try.
            return Some(true);
        }
        let chosen: BTreeSet<SlotId> = self.game.chosen_slots().collect();
        let mut choice = vec![0; cuts.len()];
        loop {
            let kept: BTreeSet<SlotId> = cuts
                .iter()
                .zip(&choice)
                .map(|(cut, place)| cut[*place])
                .collect();
            let pinned = &chosen - &kept;
            if self.leak(&pinned).is_none() {
                // Nothing leaks at all, or a minimal cut is missing.
                return Some(self.leak(&BTreeSet::new()).is_none());
            }
            let Some(place) = (0..cuts.len())
                .rev()
                .find(|&place| choice[place] + 1 < cuts[place].len())
            else {
                return Some(true);
            };
            choice[place] += 1;
            choice[place + 1..].fill(0);
        }
    }

    /// The two inputs of the relay witness: all first elements, and the same but for the second element of `of`.
    pub fn relay_inputs(&self) -> Option<(Inputs, Inputs)> {
        let left = Inputs::first(self.game);
        let mut right = left.clone();
        right.0[self.of.0] = self.game.player(self.of).domain.second()?;
        Some((left, right))
    }
}

/// The relay protocol of a path: its first slot says whether the input of `of` is not the first element, every later slot
/// repeats the bit, and all other slots say 0; if the path goes through a slot of a shared map, all slots of that map say
/// whether the input of their sender is not the first. The answer function is free.
#[derive(Clone, Debug)]
pub struct Relay {
    game: Arc<Game>,
    of: PlayerId,
    path: Vec<SlotId>,
    /// Constant selections that put `of` where the path reads it.
    selections: Vec<(SlotId, u64)>,
}

impl Relay {
    /// The protocol. The path should be one that [`Flow::carries`].
    pub fn new(game: Arc<Game>, of: PlayerId, path: Vec<SlotId>) -> Self {
        let selections = path
            .iter()
            .filter_map(|id| match game.slot(*id).rule {
                Rule::Read { by, rank } => Some((by, selection_of(&game, *id, by, rank, of)?)),
                Rule::Chosen(_) | Rule::Forward => None,
            })
            .collect();
        Self {
            game,
            of,
            path,
            selections,
        }
    }

    /// The bit that arrived with the path slot before `place`, read from the views in sight.
    fn bit_before(&self, place: usize, sight: &Sight<'_>) -> bool {
        let Some(previous) = place.checked_sub(1).map(|before| self.path[before]) else {
            return sight.views().any(|view| self.is_second(view));
        };
        sight
            .views()
            .find_map(|view| view.symbol(previous))
            .is_some_and(|symbol| self.bit_in(place - 1, symbol))
    }

    /// The bit inside the symbol of the path slot at `place`.
    fn bit_in(&self, place: usize, symbol: Symbol) -> bool {
        let id = self.path[place];
        let slot = self.game.slot(id);
        match slot.rule {
            Rule::Chosen(_) | Rule::Read { .. } => symbol.0 != 0,
            Rule::Forward => {
                let end = self.game.round_start(self.game.round_of(id));
                let inner = place.checked_sub(1).map(|before| self.path[before]);
                let part = forwarded_part(&self.game, slot.from, end, inner, symbol).unwrap_or(0);
                match place.checked_sub(1) {
                    Some(before) => self.bit_in(before, Symbol(part)),
                    None => part != 0,
                }
            }
        }
    }

    fn is_second(&self, view: &View) -> bool {
        view.player == self.of && view.input != self.game.player(self.of).domain.first()
    }
}

/// A selection that has `of` at place `rank`: the least one.
fn selection_of(game: &Game, read: SlotId, by: SlotId, rank: usize, of: PlayerId) -> Option<u64> {
    let candidates: Vec<PlayerId> = game.candidates(game.slot(read).to).collect();
    let place = candidates.iter().position(|candidate| *candidate == of)?;
    let k = game.reads_of(by).count();
    let total = game.alphabet(by).size().to_u64()?;
    (0..total).find(|index| combination(candidates.len(), k, *index)[rank] == place)
}

impl Protocol for Relay {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        if let Some((_, selection)) = self.selections.iter().find(|(by, _)| *by == slot) {
            return Ok(Symbol(*selection));
        }
        let shared = self.game.shared();
        if shared.contains(&slot) && self.path.iter().any(|id| shared.contains(id)) {
            // One function for all of them: each says whether its own input is not the first.
            let sender = sight.sender();
            let first = self.game.player(sender.player).domain.first();
            return Ok(Symbol(u64::from(sender.input != first)));
        }
        let place = self.path.iter().position(|on_path| *on_path == slot);
        Ok(Symbol(place.map_or(0, |place| {
            u64::from(self.bit_before(place, sight))
        })))
    }

    fn answer(&self, _view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(None)
    }
}
