//! Every protocol of a small game, one table entry at a time.
//!
//! Full inputs are played in order. An entry of a message function gets its symbol when an input first needs it, so only
//! realised keys are ever branched on. When an input joins a final view whose accepted answers have none in common with its
//! own, only the entries that these inputs have read can be at fault: the search jumps back to the last of them, and remembers
//! the others as the reason. Symbols of a slot are interchangeable, so a new symbol is always the least unused one; what is
//! learned from that depends on the earlier entries of the slot, and they join the reason.
//!
//! Slots that cannot reach the final view say 0: a symbol counts only if the output player stores it, or somebody whose view a
//! later slot of that kind looks at.

use super::answers::{Answers, Cells};
use crate::game::key::KeySpace;
use crate::game::structure::{Failure, ProtocolTables, within};
use crate::game::{Accepted, Game, Inputs, PlayerId, Rule, SlotId, Task};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, BTreeSet};

/// Most table entries, of all message functions that count and of the answer function together.
pub const MAX_KEYS: u64 = 1 << 20;
/// Most entries set and conflicts met before the search gives up.
pub const MAX_STEPS: u64 = 1 << 20;

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Searched {
    /// A protocol; [`ProtocolTables::holds`] is for the caller.
    Protocol(ProtocolTables),
    /// There is none. The search leaves no certificate.
    Exhausted {
        /// Entries set and conflicts met.
        steps: u64,
    },
    /// Given up after [`MAX_STEPS`].
    Stopped {
        /// Entries set and conflicts met.
        steps: u64,
    },
    /// Not tried: the game has copied or read views, or slots that share a function.
    Unsupported,
}

/// Looks for a protocol, or for the certainty that there is none.
///
/// # Errors
/// `TooLarge` when the full inputs exceed the limit or the table entries [`MAX_KEYS`], with the exact number; `replay` when
/// the task is undefined somewhere.
/// # Cost
/// At most [`MAX_STEPS`] steps, each one run of the slots that count. Deterministic.
pub fn search(game: &Game, task: &dyn Task, limit: &BigUint) -> Result<Searched, Failure> {
    let copies = game
        .open_slots()
        .any(|id| !matches!(game.slot(id).rule, Rule::Chosen(_)));
    if copies || !game.shared().is_empty() {
        return Ok(Searched::Unsupported);
    }
    let keys = keys(game)?;
    let accepted = match Answers::of(game, task, limit)?.cells() {
        Cells::Functional(list) => list.iter().map(|answer| Accepted::One(*answer)).collect(),
        Cells::Relation(list) => list.clone(),
    };
    if accepted.iter().any(Accepted::is_empty) {
        return Ok(Searched::Exhausted { steps: 0 });
    }
    let Some(plan) = Plan::of(game) else {
        return Ok(Searched::Unsupported);
    };
    let mut search = Search::new(&plan, &accepted);
    Ok(match search.run() {
        Some(true) => Searched::Protocol(search.tables(game, keys)),
        Some(false) => Searched::Exhausted {
            steps: search.steps,
        },
        None => Searched::Stopped {
            steps: search.steps,
        },
    })
}

/// The slots whose symbols can reach the final view.
fn counting(game: &Game) -> BTreeSet<SlotId> {
    let mut found = BTreeSet::<SlotId>::new();
    for id in game.ids().rev().filter(|id| game.is_open(*id)) {
        let to = game.slot(id).to;
        let read_later = |other: &SlotId| {
            game.round_of(*other) > game.round_of(id)
                && game.slot(*other).seen().any(|player| player == to)
        };
        if to == game.output() || found.iter().any(read_later) {
            found.insert(id);
        }
    }
    found
}

/// Number of entries of the answer function, when all functions together are within the limit.
fn keys(game: &Game) -> Result<usize, Failure> {
    let answers = KeySpace::of_answer(game).size(game);
    let spoken = counting(game)
        .into_iter()
        .map(|id| KeySpace::of_slot(game, id).size(game));
    let total = spoken.fold(answers.clone(), |total, keys| Ok(total? + keys?));
    within(
        "table entries of all message functions and the answer function",
        total,
        &BigUint::from(MAX_KEYS),
    )?;
    Ok(answers
        .ok()
        .and_then(|answers| answers.to_usize())
        .unwrap_or(usize::MAX))
}

/// One function: for every full input the part of the key that the inputs make, and what each symbol heard adds to it.
#[derive(Debug)]
struct Function {
    slot: Option<SlotId>,
    size: u64,
    bases: Vec<u64>,
    /// Place of the function heard, and the factor of its symbol.
    heard: Vec<(usize, u64)>,
}

/// The message functions that count, in schedule order, then the answer function.
#[derive(Debug)]
struct Plan {
    said: Vec<Function>,
    answer: Function,
}

impl Plan {
    fn of(game: &Game) -> Option<Self> {
        let slots: Vec<SlotId> = counting(game).into_iter().collect();
        let mut said = Vec::new();
        for id in &slots {
            let size = game.alphabet(*id).size().to_u64()?;
            said.push(Function::of(
                game,
                &KeySpace::of_slot(game, *id),
                &slots,
                Some(*id),
                size,
            )?);
        }
        let answer = Function::of(game, &KeySpace::of_answer(game), &slots, None, 0)?;
        Some(Self { said, answer })
    }
}

impl Function {
    fn of(
        game: &Game,
        space: &KeySpace,
        slots: &[SlotId],
        slot: Option<SlotId>,
        size: u64,
    ) -> Option<Self> {
        let mut factor = 1u64;
        let mut heard = Vec::new();
        for id in space.stored.iter().flatten().rev() {
            if let Ok(place) = slots.binary_search(id) {
                heard.push((place, factor));
            }
            factor = factor.checked_mul(game.alphabet(*id).size().to_u64()?)?;
        }
        let mut factors = Vec::<(PlayerId, u64)>::new();
        for player in space.players.iter().rev() {
            factors.push((*player, factor));
            factor = factor.checked_mul(game.player(*player).domain.index_size()?)?;
        }
        let base = |inputs: Inputs| {
            let part = |(player, factor): &(PlayerId, u64)| {
                Some(game.player(*player).domain.index(inputs.of(*player))? * factor)
            };
            factors.iter().map(part).sum::<Option<u64>>()
        };
        let bases = Inputs::all(game).map(base).collect::<Option<_>>()?;
        Some(Self {
            slot,
            size,
            bases,
            heard,
        })
    }

    fn key(&self, input: usize, symbols: &[u64]) -> u64 {
        self.heard
            .iter()
            .fold(self.bases[input], |key, (place, factor)| {
                key + symbols[*place] * factor
            })
    }
}

/// One entry that was given a symbol.
#[derive(Debug)]
struct Decision {
    function: usize,
    key: u64,
    /// Symbols at and above this one need not be tried.
    end: u64,
    /// The input that asked for the entry.
    input: usize,
    /// Earlier decisions that, together with this one, have made all symbols so far fail.
    reason: BTreeSet<usize>,
}

/// An input whose final view is known.
#[derive(Debug)]
struct Played {
    /// Key of the final view.
    view: u64,
    /// The decisions it read.
    read: Vec<usize>,
}

/// How far one input gets with the entries set so far.
enum Step {
    Needs { function: usize, key: u64 },
    Ends(Played),
}

#[derive(Debug)]
struct Search<'a> {
    plan: &'a Plan,
    accepted: &'a [Accepted],
    /// Per function: key to symbol and decision.
    tables: Vec<BTreeMap<u64, (u64, usize)>>,
    trail: Vec<Decision>,
    played: Vec<Played>,
    /// Final view to the inputs that have it, each with the answers left.
    groups: BTreeMap<u64, Vec<(usize, Accepted)>>,
    steps: u64,
}

impl<'a> Search<'a> {
    fn new(plan: &'a Plan, accepted: &'a [Accepted]) -> Self {
        let tables = plan.said.iter().map(|_| BTreeMap::new()).collect();
        Self {
            plan,
            accepted,
            tables,
            trail: Vec::new(),
            played: Vec::new(),
            groups: BTreeMap::new(),
            steps: 0,
        }
    }

    /// Whether a protocol exists; `None` when the steps run out.
    fn run(&mut self) -> Option<bool> {
        while self.played.len() < self.accepted.len() {
            if self.steps >= MAX_STEPS {
                return None;
            }
            match self.play(self.played.len()) {
                Step::Needs { function, key } => self.decide(function, key),
                Step::Ends(played) => {
                    if let Err(reason) = self.join(played) {
                        self.steps += 1;
                        if !self.jump(reason) {
                            return Some(false);
                        }
                    }
                }
            }
        }
        Some(true)
    }

    fn play(&self, input: usize) -> Step {
        let mut symbols = Vec::with_capacity(self.plan.said.len());
        let mut read = Vec::with_capacity(self.plan.said.len());
        for (function, table) in self.plan.said.iter().zip(&self.tables) {
            let key = function.key(input, &symbols);
            match table.get(&key) {
                None => {
                    return Step::Needs {
                        function: symbols.len(),
                        key,
                    };
                }
                Some((symbol, decision)) => {
                    symbols.push(*symbol);
                    read.push(*decision);
                }
            }
        }
        Step::Ends(Played {
            view: self.plan.answer.key(input, &symbols),
            read,
        })
    }

    fn decide(&mut self, function: usize, key: u64) {
        self.steps += 1;
        let used = self.tables[function]
            .values()
            .map(|(symbol, _)| symbol + 1)
            .max()
            .unwrap_or(0);
        let end = self.plan.said[function].size.min(used + 1);
        self.tables[function].insert(key, (0, self.trail.len()));
        self.trail.push(Decision {
            function,
            key,
            end,
            input: self.played.len(),
            reason: BTreeSet::new(),
        });
    }

    /// Adds the next input to its final view, or says which decisions forbid it.
    fn join(&mut self, played: Played) -> Result<(), BTreeSet<usize>> {
        let input = self.played.len();
        let right = &self.accepted[input];
        let group = self.groups.entry(played.view).or_default();
        let left = group
            .last()
            .map_or_else(|| right.clone(), |(_, left)| left.and(right));
        if !left.is_empty() {
            group.push((input, left));
            self.played.push(played);
            return Ok(());
        }
        let mut reason: BTreeSet<usize> = played.read.into_iter().collect();
        let alone = group
            .iter()
            .find(|(other, _)| self.accepted[*other].and(right).is_empty());
        let guilty: Vec<usize> = alone.map_or_else(
            || group.iter().map(|(other, _)| *other).collect(),
            |(other, _)| vec![*other],
        );
        reason.extend(guilty.iter().flat_map(|other| &self.played[*other].read));
        Err(reason)
    }

    /// Goes back to the last decision of the reason that has another symbol to try; false when there is none.
    fn jump(&mut self, mut reason: BTreeSet<usize>) -> bool {
        while let Some(last) = reason.pop_last() {
            self.undo(last);
            let decision = &mut self.trail[last];
            decision.reason.append(&mut reason);
            let function = decision.function;
            let (end, size) = (decision.end, self.plan.said[function].size);
            if let Some((symbol, _)) = self.tables[function].get_mut(&decision.key) {
                if *symbol + 1 < end {
                    *symbol += 1;
                    return true;
                }
            }
            if let Some(failed) = self.trail.pop() {
                self.tables[function].remove(&failed.key);
                reason = failed.reason;
            }
            if end < size {
                let same = |(place, decision): (usize, &Decision)| {
                    (decision.function == function).then_some(place)
                };
                reason.extend(self.trail.iter().enumerate().filter_map(same));
            }
        }
        false
    }

    /// Forgets the decisions after number `last`, and the inputs played since it was made.
    fn undo(&mut self, last: usize) {
        for decision in self.trail.drain(last + 1..) {
            self.tables[decision.function].remove(&decision.key);
        }
        let kept = self.trail[last].input;
        for played in self.played.drain(kept..) {
            if let Some(group) = self.groups.get_mut(&played.view) {
                group.pop();
            }
        }
    }

    fn tables(&self, game: &Game, answer_keys: usize) -> ProtocolTables {
        let table = |id: SlotId| {
            let place = self
                .plan
                .said
                .iter()
                .position(|function| function.slot == Some(id))?;
            let entries = &self.tables[place];
            if entries.values().all(|(symbol, _)| *symbol == 0) {
                return None;
            }
            let keys = KeySpace::of_slot(game, id).size(game).ok()?.to_u64()?;
            Some(
                (0..keys)
                    .map(|key| entries.get(&key).map_or(0, |(symbol, _)| *symbol))
                    .collect(),
            )
        };
        let answer = |key: u64| {
            let left = self.groups.get(&key).and_then(|group| group.last());
            left.and_then(|(_, left)| left.least())
                .map_or(0, |answer| answer.0)
        };
        ProtocolTables {
            tables: game.chosen_slots().map(table).collect(),
            answers: (0..answer_keys as u64).map(answer).collect(),
        }
    }
}
