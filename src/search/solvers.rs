//! Proposes protocols for games that are known to be solvable, as full tables.

use super::classes::one_way;
use crate::game::family::one_way as one_way_family;
use crate::game::key::KeySpace;
use crate::game::strategy::FollowScheme;
use crate::game::strategy::composition::Chain;
use crate::game::structure::{Code, Failure, ProtocolTables, Violation, inputs_of, within};
use crate::game::{
    Accepted, Answer, Channel, Game, Inputs, PlayerId, Protocol, Rule, Sight, SlotId, SpeakError,
    Symbol, Task, TaskError, View, run,
};
use itertools::Itertools;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A protocol that may solve the game, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// `full`, `relay`, `pre-pass`, `classes`, `value sets`, `read everything`.
    pub name: &'static str,
    /// The tables; [`ProtocolTables::holds`] has accepted them.
    pub tables: ProtocolTables,
}

/// The first of the known protocols that solves the game; `None` says nothing about the game.
///
/// # Errors
/// `TooLarge` over the limit, with the exact number of full inputs or of table entries; `replay` when the task is undefined
/// somewhere.
/// # Cost
/// Per candidate two runs per full input.
pub fn propose(game: &Game, task: &dyn Task, limit: &BigUint) -> Result<Option<Proposal>, Failure> {
    let everyone = (0..game.players().len()).map(PlayerId);
    within("full inputs", inputs_of(game, everyone), limit)?;
    let mut too_large = None;
    for (name, protocol) in candidates(game, task, limit)? {
        let tables = tabulate(game, task, protocol.as_ref(), limit);
        let checked = tables.and_then(|tables| {
            tables.holds(game, task, limit)?;
            Ok(tables)
        });
        match checked {
            Ok(tables) => return Ok(Some(Proposal { name, tables })),
            // Not a protocol for this game or task.
            Err(Failure::Violated(_)) => {}
            Err(Failure::TooLarge(size)) => too_large = Some(size),
        }
    }
    too_large.map_or(Ok(None), |size| Err(size.into()))
}

type Candidates = Vec<(&'static str, Box<dyn Protocol>)>;

fn candidates(game: &Game, task: &dyn Task, limit: &BigUint) -> Result<Candidates, Failure> {
    let mut found: Candidates = Vec::new();
    for (name, chain) in [
        ("full", Chain::Full),
        ("relay", Chain::Relay),
        ("pre-pass", Chain::PrePass),
    ] {
        if let Ok(protocol) = FollowScheme::new(game, chain) {
            found.push((name, Box::new(protocol)));
        }
    }
    if let Some(protocol) = class_sayer(game, task, limit)? {
        found.push(("classes", Box::new(protocol)));
    }
    if let Some(protocol) = Forgetting::new(game) {
        let name = if protocol.reads_everything() {
            "read everything"
        } else {
            "value sets"
        };
        found.push((name, Box::new(protocol)));
    }
    Ok(found)
}

/// Writes a protocol out over all keys; keys that no input realises say 0. A free answer function becomes the least answer
/// accepted on
/// all inputs with that view (0 if there is none).
///
/// # Errors
/// `TooLarge` when the full inputs or the table entries exceed the limit, with the exact number; `replay` when a run is
/// illegal or the task undefined.
/// # Cost
/// One run per full input, and one task look-up if the answer function is free.
pub fn tabulate(
    game: &Game,
    task: &dyn Task,
    protocol: &dyn Protocol,
    limit: &BigUint,
) -> Result<ProtocolTables, Failure> {
    let everyone = (0..game.players().len()).map(PlayerId);
    within("full inputs", inputs_of(game, everyone), limit)?;
    let recorder = Recorder::new(game, protocol, limit)?;
    let space = KeySpace::of_answer(game);
    let keys = within("answer table entries", space.size(game), limit)?;
    let mut answers = vec![Accepted::All; keys.to_usize().unwrap_or(usize::MAX)];
    let illegal = |found: String| Violation::new("", Code::Replay, found, "a legal run");
    for inputs in Inputs::all(game) {
        let run = run(game, &recorder, &inputs).map_err(|error| illegal(error.to_string()))?;
        let right = match run.answer {
            Some(Answer(answer)) => Accepted::One(answer),
            None => task
                .accepted(&inputs)
                .map_err(|error| illegal(error.to_string()))?,
        };
        let index = space.index_of_view(game, &run.views[game.output().0]);
        if let Some(cell) = place(index).and_then(|index| answers.get_mut(index)) {
            *cell = cell.and(&right);
        }
    }
    let least = |cell: &Accepted| cell.least().map_or(0, |answer| answer.0);
    Ok(ProtocolTables {
        tables: recorder.tables(),
        answers: answers.iter().map(least).collect(),
    })
}

fn place(index: Option<u64>) -> Option<usize> {
    index.and_then(|index| usize::try_from(index).ok())
}

/// Repeats a protocol and notes what it says on which key. (Only the evaluator makes a sight, so the tables are filled by
/// listening to runs.)
struct Recorder<'a> {
    game: &'a Game,
    protocol: &'a dyn Protocol,
    spaces: Vec<Option<KeySpace>>,
    said: RefCell<Vec<Vec<u64>>>,
}

impl<'a> Recorder<'a> {
    fn new(game: &'a Game, protocol: &'a dyn Protocol, limit: &BigUint) -> Result<Self, Failure> {
        let mut spaces = vec![None; game.slots().len()];
        let mut said = vec![Vec::new(); game.slots().len()];
        for id in game.chosen_slots().filter(|id| game.is_open(*id)) {
            let space = KeySpace::of_slot(game, id);
            let keys = within("table entries of one slot", space.size(game), limit)?;
            said[id.0] = vec![0; keys.to_usize().unwrap_or(usize::MAX)];
            spaces[id.0] = Some(space);
        }
        Ok(Self {
            game,
            protocol,
            spaces,
            said: RefCell::new(said),
        })
    }

    fn tables(self) -> Vec<Option<Vec<u64>>> {
        let mut said = self.said.into_inner();
        let spoken = |table: &Vec<u64>| table.iter().any(|symbol| *symbol != 0);
        self.game
            .chosen_slots()
            .map(|id| Some(std::mem::take(&mut said[id.0])).filter(spoken))
            .collect()
    }
}

impl Protocol for Recorder<'_> {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let symbol = self.protocol.message(slot, sight)?;
        let space = self.spaces[slot.0].as_ref();
        let index = space.and_then(|space| space.index(self.game, sight));
        let mut said = self.said.borrow_mut();
        if let Some(cell) = place(index).and_then(|index| said[slot.0].get_mut(index)) {
            *cell = symbol.0;
        }
        Ok(symbol)
    }

    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError> {
        self.protocol.answer(view)
    }
}

/// Says one function of the speaker's input on the first slot and 0 elsewhere; the answer function is free.
#[derive(Clone, Debug)]
pub struct OneMessage {
    speaker: crate::exact::Domain,
    symbols: Vec<u64>,
}

impl OneMessage {
    /// The protocol from the symbols of the first slot's sender, in input order.
    pub fn new(game: &Game, symbols: &[u64]) -> Self {
        let speaker = game.slots().first().map_or(PlayerId(0), |slot| slot.from);
        Self {
            speaker: game.player(speaker).domain.clone(),
            symbols: symbols.to_vec(),
        }
    }
}

impl Protocol for OneMessage {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        if slot != SlotId(0) {
            return Ok(Symbol(0));
        }
        let index = place(self.speaker.index(&sight.sender().input));
        let symbol = index.and_then(|index| self.symbols.get(index)).copied();
        Ok(Symbol(symbol.unwrap_or(0)))
    }

    fn answer(&self, _view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(None)
    }
}

/// The task of a game whose further players hold nothing, seen by its first two.
struct FirstTwo<'a> {
    game: &'a Game,
    task: &'a dyn Task,
}

impl Task for FirstTwo<'_> {
    fn answers(&self) -> u64 {
        self.task.answers()
    }

    fn accepted(&self, inputs: &Inputs) -> Result<Accepted, TaskError> {
        let mut full = Inputs::first(self.game);
        full.0[..2].clone_from_slice(&inputs.0);
        self.task.accepted(&full)
    }
}

/// For one-way games, with or without a chain of thought behind them: the classes, if there are symbols enough.
fn class_sayer(
    game: &Game,
    task: &dyn Task,
    limit: &BigUint,
) -> Result<Option<OneMessage>, Failure> {
    let Some(core) = one_way_core(game) else {
        return Ok(None);
    };
    let Some(found) = one_way(&core, &FirstTwo { game, task }, limit)? else {
        return Ok(None);
    };
    let enough = *game.alphabet(SlotId(0)).size() >= BigUint::from(found.count);
    Ok(enough.then(|| OneMessage::new(game, &found.symbols)))
}

/// The one-way game inside: the first slot goes from the first player to the second, everything after is forwarded from there
/// to players
/// without an input of their own.
fn one_way_core(game: &Game) -> Option<Game> {
    let [alice, bob, fresh @ ..] = game.players() else {
        return None;
    };
    let (message, copies) = game.slots().split_first()?;
    let Rule::Chosen(symbols) = &message.rule else {
        return None;
    };
    let spoken = (message.from, message.to) == (PlayerId(0), PlayerId(1));
    let chain = copies.iter().enumerate().all(|(step, slot)| {
        slot.rule == Rule::Forward
            && (slot.from, slot.to) == (PlayerId(step + 1), PlayerId(step + 2))
    });
    let closed = fresh.iter().all(|player| !player.domain.is_open());
    let ends = game.output() == PlayerId(copies.len() + 1) && fresh.len() == copies.len();
    if !(spoken && message.consults.is_empty() && chain && closed && ends) {
        return None;
    }
    one_way_family::game(symbols.clone(), alice.domain.clone(), bob.domain.clone()).ok()
}

/// A protocol for sparse games: each block forgets some values and names the set of the others that it holds; the reader reads
/// the blocks
/// that forget the query. The answer function is free.
///
/// With a shared map no value can be forgotten (the summary is the number of the value set) unless every block is read (then
/// all are). With maps of their
/// own the blocks share out each value k ways.
///
/// # Source
/// Derived, `docs/proofs.md` 5.
#[derive(Clone, Debug)]
pub struct Forgetting {
    values: u64,
    read: usize,
    blocks: usize,
    /// For each block the value sets that it names, in order.
    names: Vec<Vec<BTreeSet<u64>>>,
    forgets: Vec<BTreeSet<u64>>,
    heads: usize,
}

impl Forgetting {
    /// The protocol, when the game is a sparse one with symbols enough.
    pub fn new(game: &Game) -> Option<Self> {
        let summaries: Vec<SlotId> = game
            .ids()
            .take_while(|id| game.slot(*id).channel == Channel::Summary)
            .collect();
        let blocks = summaries.len();
        let sends = |(place, id): (usize, &SlotId)| game.slot(*id).from == PlayerId(place);
        let sparse = blocks > 0
            && blocks + 1 == game.players().len()
            && game.output() == PlayerId(blocks)
            && summaries.iter().enumerate().all(sends);
        if !sparse {
            return None;
        }
        let values = game.player(game.output()).domain.index_size()?;
        let read = (game.slots().iter())
            .filter(|slot| matches!(slot.rule, Rule::Read { .. }))
            .count();
        let heads = game.chosen_slots().count() - blocks;
        let forgets = forgotten(blocks, read, values, !game.shared().is_empty());
        let names = (0..blocks)
            .map(|block| value_sets(game, PlayerId(block), &forgets[block]))
            .collect::<Vec<_>>();
        let room = summaries
            .iter()
            .zip(&names)
            .all(|(id, names)| *game.alphabet(*id).size() >= BigUint::from(names.len()));
        room.then_some(Self {
            values,
            read,
            blocks,
            names,
            forgets,
            heads,
        })
    }

    fn reads_everything(&self) -> bool {
        self.read >= self.blocks
    }

    /// The blocks that forget the value first, then the others; as many as are read.
    fn wanted(&self, value: u64) -> Vec<usize> {
        let (mut first, rest): (Vec<usize>, Vec<usize>) =
            (0..self.blocks).partition(|block| self.forgets[*block].contains(&value));
        first.extend(rest);
        first
    }

    /// The selection of head number `head`, which reads `k` blocks.
    fn selection(&self, head: usize, k: usize, value: u64) -> u64 {
        let wanted = self.wanted(value);
        let mut part: Vec<usize> = wanted.iter().copied().skip(head * k).take(k).collect();
        let spare = wanted.iter().copied().filter(|block| !part.contains(block));
        let missing: Vec<usize> = spare.take(k.saturating_sub(part.len())).collect();
        part.extend(missing);
        part.sort_unstable();
        (0..self.blocks)
            .combinations(k)
            .zip(0..)
            .find_map(|(tuple, index)| (tuple == part).then_some(index))
            .unwrap_or(0)
    }
}

/// Which values each block forgets.
fn forgotten(blocks: usize, read: usize, values: u64, shared: bool) -> Vec<BTreeSet<u64>> {
    let mut forgets = vec![BTreeSet::new(); blocks];
    let ways = match (read >= blocks, shared) {
        (true, _) => blocks,
        (false, true) => 0,
        (false, false) => read,
    };
    let mut next = (0..blocks).cycle();
    for value in 0..values {
        for block in next.by_ref().take(ways) {
            forgets[block].insert(value);
        }
    }
    forgets
}

/// The sets of remembered values that occur in a block, in order of first occurrence.
fn value_sets(game: &Game, block: PlayerId, forgets: &BTreeSet<u64>) -> Vec<BTreeSet<u64>> {
    let domain = &game.player(block).domain;
    let mut sets = Vec::new();
    let mut seen = BTreeSet::new();
    let mut digits = domain.first();
    loop {
        let set = remembered(&digits, forgets);
        if seen.insert(set.clone()) {
            sets.push(set);
        }
        if !domain.advance(&mut digits) {
            return sets;
        }
    }
}

fn remembered(digits: &[u64], forgets: &BTreeSet<u64>) -> BTreeSet<u64> {
    let kept = digits.iter().filter(|value| !forgets.contains(value));
    kept.copied().collect()
}

impl Protocol for Forgetting {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let input = &sight.sender().input;
        if let Some(names) = self.names.get(slot.0) {
            let set = remembered(input, &self.forgets[slot.0]);
            let name = names.iter().position(|known| *known == set);
            return Ok(Symbol(name.unwrap_or(0) as u64));
        }
        let value = input.first().copied().unwrap_or(0) % self.values.max(1);
        let (head, k) = (slot.0 - self.blocks, self.read / self.heads.max(1));
        Ok(Symbol(self.selection(head, k, value)))
    }

    fn answer(&self, _view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(None)
    }
}
