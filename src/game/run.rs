//! The naive evaluator: one run of a protocol on one full input. It is the oracle of everything faster.

use crate::exact::{Digits, choose};
use crate::game::{
    Answer, Game, Inputs, InputsError, OwnRule, PlayerId, Protocol, Rule, Sight, SlotId,
    SpeakError, Symbol, View,
};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// What happened in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Every (slot, symbol) in schedule order, silent slots included.
    pub transcript: Vec<(SlotId, Symbol)>,
    /// The views of all players after the last round that was run.
    pub views: Vec<View>,
    /// The answer, unless the answer function is free or the run stopped early.
    pub answer: Option<Answer>,
}

/// Why a run broke off.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalRun {
    /// The input is not one of this game.
    #[error(transparent)]
    Inputs(#[from] InputsError),
    /// A symbol outside its alphabet.
    #[error("`{name}` says {symbol}, expected 0..<{alphabet}")]
    Symbol {
        /// Which slot.
        slot: SlotId,
        /// Its name.
        name: String,
        /// What was said.
        symbol: u64,
        /// Its alphabet, decimal.
        alphabet: String,
    },
    /// A message or answer function failed.
    #[error("{error}")]
    Speak {
        /// The slot; `None` for the answer function.
        slot: Option<SlotId>,
        /// What it said.
        error: SpeakError,
    },
    /// Two slots that share one function say different things about the same sight.
    #[error(
        "`{name}` says {symbol}, expected {other} as `{first}` says for the same input: all summaries share one map"
    )]
    Shared {
        /// Which slot.
        slot: SlotId,
        /// Its name.
        name: String,
        /// What was said.
        symbol: u64,
        /// The slot that spoke first.
        first: String,
        /// What it said.
        other: u64,
    },
    /// A copied symbol whose derived alphabet does not fit 64 bits, whatever the input.
    #[error("`{name}` copies one of {alphabet} values, 2^64 or more have no index")]
    NoIndex {
        /// Name of the slot.
        name: String,
        /// Its alphabet, decimal.
        alphabet: String,
    },
}

/// Runs the whole schedule and asks for the answer.
///
/// # Errors
/// [`IllegalRun`], naming slot, symbol and alphabet. Whether the answer is in the task's answer set is for the caller, who
/// holds the task.
/// # Cost
/// One call per slot of at least two symbols.
pub fn run(game: &Game, protocol: &dyn Protocol, inputs: &Inputs) -> Result<Run, IllegalRun> {
    let mut run = run_until(game, protocol, inputs, game.rounds())?;
    let answer = protocol.answer(&run.views[game.output().0]);
    run.answer = answer.map_err(|error| IllegalRun::Speak { slot: None, error })?;
    Ok(run)
}

/// Runs the first `rounds` rounds only; no answer is asked for.
///
/// # Errors
/// As [`run`].
pub fn run_until(
    game: &Game,
    protocol: &dyn Protocol,
    inputs: &Inputs,
    rounds: usize,
) -> Result<Run, IllegalRun> {
    inputs.check(game)?;
    let mut views: Vec<View> = (0..game.players().len())
        .map(PlayerId)
        .map(|player| View {
            player,
            input: inputs.of(player).clone(),
            stored: Vec::new(),
        })
        .collect();
    let mut transcript = Vec::with_capacity(game.slots().len());
    for round in 0..rounds.min(game.rounds()) {
        // All slots of a round are computed before any of them is stored.
        let said: Vec<(SlotId, Symbol)> = game
            .round(round)
            .map(|id| Ok((id, symbol(game, protocol, &views, id)?)))
            .collect::<Result<_, IllegalRun>>()?;
        for &(id, symbol) in &said {
            views[game.slot(id).to.0].stored.push((id, symbol));
        }
        transcript.extend(said);
    }
    SharedMap::default().add(game, inputs, &transcript)?;
    Ok(Run {
        transcript,
        views,
        answer: None,
    })
}

/// What the slots of a shared map said so far, over any number of runs: one function must explain it all.
#[derive(Clone, Debug, Default)]
pub struct SharedMap {
    /// By what the slot sees: the speaker and its symbol.
    said: BTreeMap<SightKey, (SlotId, Symbol)>,
}

/// Inputs and stored symbols of the views that a slot sees.
type SightKey = Vec<(Digits, Vec<u64>)>;

impl SharedMap {
    /// Adds what was said in one run.
    ///
    /// # Errors
    /// [`IllegalRun::Shared`] at the first slot that contradicts what was said before.
    /// # Cost
    /// One look-up per slot of the shared map; none in games without one.
    pub fn add(
        &mut self,
        game: &Game,
        inputs: &Inputs,
        transcript: &[(SlotId, Symbol)],
    ) -> Result<(), IllegalRun> {
        for id in game.shared() {
            if let Some((_, symbol)) = transcript.get(id.0) {
                self.insert(game, seen(game, inputs, transcript, *id), (*id, *symbol))?;
            }
        }
        Ok(())
    }

    /// Adds what was said in other runs.
    ///
    /// # Errors
    /// As [`SharedMap::add`].
    pub fn join(&mut self, game: &Game, later: Self) -> Result<(), IllegalRun> {
        later
            .said
            .into_iter()
            .try_for_each(|(sight, said)| self.insert(game, sight, said))
    }

    fn insert(
        &mut self,
        game: &Game,
        sight: SightKey,
        said: (SlotId, Symbol),
    ) -> Result<(), IllegalRun> {
        let (first, other) = *self.said.entry(sight).or_insert(said);
        let (slot, symbol) = said;
        if other == symbol {
            return Ok(());
        }
        Err(IllegalRun::Shared {
            slot,
            name: game.name(slot).to_owned(),
            symbol: symbol.0,
            first: game.name(first).to_owned(),
            other: other.0,
        })
    }
}

/// What the function of a chosen slot depends on: inputs and stored symbols of the views it sees.
fn seen(game: &Game, inputs: &Inputs, transcript: &[(SlotId, Symbol)], id: SlotId) -> SightKey {
    let start = game.round_start(game.round_of(id));
    game.slot(id)
        .seen()
        .map(|player| {
            let stored = game
                .stored(player, start)
                .filter(|stored| game.is_open(*stored));
            (
                inputs.of(player).clone(),
                stored.map(|stored| transcript[stored.0].1.0).collect(),
            )
        })
        .collect()
}

/// The symbol of one slot when the game stands at the start of its round with these views, one per player in order.
///
/// # Errors
/// As [`run`].
/// # Cost
/// One call of the message function.
pub fn say(
    game: &Game,
    protocol: &dyn Protocol,
    views: &[View],
    id: SlotId,
) -> Result<Symbol, IllegalRun> {
    symbol(game, protocol, views, id)
}

/// The rule of one chosen slot on its sender's own digits, the views being given as in [`say`].
pub fn own_rule(
    game: &Game,
    protocol: &dyn Protocol,
    id: SlotId,
    views: &[View],
) -> Option<OwnRule> {
    let slot = game.slot(id);
    let consulted = slot
        .consults
        .iter()
        .map(|player| &views[player.0])
        .collect();
    let chosen = matches!(slot.rule, Rule::Chosen(_));
    let sight = Sight::new(&views[slot.from.0], consulted);
    chosen.then(|| protocol.own_rule(id, &sight)).flatten()
}

fn symbol(
    game: &Game,
    protocol: &dyn Protocol,
    views: &[View],
    id: SlotId,
) -> Result<Symbol, IllegalRun> {
    let slot = game.slot(id);
    if !game.is_open(id) {
        return Ok(Symbol(0));
    }
    let copied = !matches!(slot.rule, Rule::Chosen(_));
    if copied && game.alphabet(id).size().to_u64().is_none() {
        return Err(no_index(game, id));
    }
    match &slot.rule {
        Rule::Chosen(alphabet) => {
            let consulted = slot
                .consults
                .iter()
                .map(|player| &views[player.0])
                .collect();
            let sight = Sight::new(&views[slot.from.0], consulted);
            let said = protocol
                .message(id, &sight)
                .map_err(|error| IllegalRun::Speak {
                    slot: Some(id),
                    error,
                })?;
            if alphabet.contains(said.0) {
                Ok(said)
            } else {
                let (name, alphabet) = (game.name(id).to_owned(), alphabet.size().to_string());
                Err(IllegalRun::Symbol {
                    slot: id,
                    name,
                    symbol: said.0,
                    alphabet,
                })
            }
        }
        Rule::Forward => view_index(game, &views[slot.from.0]).ok_or_else(|| no_index(game, id)),
        Rule::Read { by, rank } => {
            // An unsaid selection cannot occur: the constructor demands an earlier round.
            let selected = views[slot.to.0].symbol(*by).unwrap_or(Symbol(0));
            let candidates: Vec<PlayerId> = game.candidates(slot.to).collect();
            let places = combination(candidates.len(), game.reads_of(*by).count(), selected.0);
            let read = candidates[places[*rank]];
            let index = game.player(read).domain.index(&views[read.0].input);
            index.map(Symbol).ok_or_else(|| no_index(game, id))
        }
    }
}

fn no_index(game: &Game, id: SlotId) -> IllegalRun {
    IllegalRun::NoIndex {
        name: game.name(id).to_owned(),
        alphabet: game.alphabet(id).size().to_string(),
    }
}

/// Index of a view: the player's input, then its stored symbols in schedule order, first most significant.
fn view_index(game: &Game, view: &View) -> Option<Symbol> {
    let own = game.player(view.player).domain.index(&view.input)?;
    let mut index = own;
    for (slot, symbol) in &view.stored {
        let size = game.alphabet(*slot).size().to_u64()?;
        index = index.checked_mul(size)?.checked_add(symbol.0)?;
    }
    Some(Symbol(index))
}

/// Inverse of the copy of a view: the symbol of `slot` inside the forwarded view `symbol` of `player`, which had stored
/// everything below slot index `end`; the index of the input when `slot` is `None`.
pub fn forwarded_part(
    game: &Game,
    player: PlayerId,
    end: usize,
    slot: Option<SlotId>,
    symbol: Symbol,
) -> Option<u64> {
    let stored: Vec<SlotId> = game.stored(player, end).collect();
    let mut rest = symbol.0;
    for id in stored.into_iter().rev() {
        let size = game.alphabet(id).size().to_u64()?;
        if Some(id) == slot {
            return Some(rest % size);
        }
        rest /= size;
    }
    slot.is_none().then_some(rest)
}

/// The `index`-th increasing `k`-tuple of `0..q` in lexicographic order.
pub fn combination(q: usize, k: usize, mut index: u64) -> Vec<usize> {
    let mut chosen = Vec::with_capacity(k);
    let mut next = 0;
    while chosen.len() < k {
        // Tuples that begin with `next`: choose the rest from what lies above it.
        let here = choose((q - next - 1) as u64, (k - chosen.len() - 1) as u64).to_u64();
        match here {
            Some(here) if index >= here => index -= here,
            Some(_) | None => chosen.push(next),
        }
        next += 1;
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_come_in_lexicographic_order() {
        let all: Vec<Vec<usize>> = (0..6).map(|index| combination(4, 2, index)).collect();
        assert_eq!(
            all,
            [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(|pair| pair.to_vec())
        );
        assert_eq!(combination(3, 0, 0), Vec::<usize>::new());
        assert_eq!(combination(3, 3, 0), vec![0, 1, 2]);
    }
}
