//! All protocols of a tiny game, one after the other.
//!
//! A protocol is one symbol per function and key; functions are those of the kept chosen slots, one for slots that share it. What
//! dead slots say reaches nobody who answers, so they say 0, and the answer function is free.

use super::{
    Code, Failure, Support, TooLarge, Violation, accepted, everyone, final_view, inputs_of,
};
use crate::exact::DomainError;
use crate::game::key::KeySpace;
use crate::game::{
    Accepted, Answer, Game, Inputs, Protocol, Rule, Sight, SlotId, SpeakError, Symbol, Task, View,
    run,
};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// The protocols of a game, numbered.
#[derive(Debug)]
pub struct AllProtocols<'a> {
    game: &'a Game,
    /// The full inputs, in order, with the answers accepted there.
    inputs: Vec<(Inputs, Accepted)>,
    functions: Vec<Function>,
    /// By slot of the schedule: its keys, and the number of its function.
    spaces: Vec<Option<(KeySpace, usize)>>,
}

/// Protocols are only counted out up to this many bits of their number.
const MAX_BITS: u32 = 1 << 16;

/// One function: what it may say, and on how many keys.
#[derive(Debug)]
struct Function {
    symbols: BigUint,
    keys: u32,
}

impl<'a> AllProtocols<'a> {
    /// The protocols of a game.
    ///
    /// # Errors
    /// `TooLarge` when runs of all protocols on all inputs would exceed the limit, with the number of protocols where it can be
    /// written down; `replay` where the task is undefined.
    /// # Cost
    /// Two passes over the schedule, one task look-up per full input.
    pub fn new(game: &'a Game, task: &dyn Task, limit: &BigUint) -> Result<Self, Failure> {
        let support = Support::of(game);
        let (mut functions, mut spaces) = (Vec::new(), vec![None; game.slots().len()]);
        let (mut shared, mut bits) = (None, BigUint::ZERO);
        for (id, _) in support.kept() {
            if !matches!(game.slot(id).rule, Rule::Chosen(_)) {
                continue;
            }
            let space = KeySpace::of_slot(game, id);
            let same = game.shared().contains(&id);
            let number = shared.filter(|_| same).unwrap_or(functions.len());
            if number == functions.len() {
                let keys = space
                    .size(game)
                    .map_err(|error| too_large(Err(error), limit))?;
                let symbols = game.alphabet(id).size().clone();
                bits += &keys * symbols.bits();
                functions.push(Function {
                    symbols,
                    keys: keys.to_u32().unwrap_or(u32::MAX),
                });
            }
            if same {
                shared = Some(number);
            }
            spaces[id.0] = Some((space, number));
        }
        if bits > BigUint::from(MAX_BITS) {
            return Err(too_large(Err(DomainError::TooLarge(bits)), limit));
        }
        let mut all = Self {
            game,
            inputs: Vec::new(),
            functions,
            spaces,
        };
        let total: BigUint = all.domain().iter().product();
        let inputs =
            inputs_of(game, everyone(game)).map_err(|error| too_large(Err(error), limit))?;
        if &total * inputs > *limit {
            return Err(too_large(Ok(total), limit));
        }
        for inputs in Inputs::all(game) {
            let right = accepted(task, &inputs, "")?;
            all.inputs.push((inputs, right));
        }
        Ok(all)
    }

    /// For each function the number of ways to choose it.
    pub fn domain(&self) -> Vec<BigUint> {
        self.functions
            .iter()
            .map(|function| function.symbols.pow(function.keys))
            .collect()
    }

    /// The protocol with this number: functions first most significant, in each the first key.
    pub fn protocol(&self, number: u64) -> Numbered<'_> {
        let mut rest = BigUint::from(number);
        let mut said: Vec<Vec<u64>> = Vec::new();
        for function in self.functions.iter().rev() {
            let mut symbols = Vec::new();
            for _ in 0..function.keys {
                let (above, symbol) = rest.div_rem(&function.symbols);
                symbols.push(symbol.to_u64().unwrap_or(0));
                rest = above;
            }
            symbols.reverse();
            said.push(symbols);
        }
        said.reverse();
        Numbered { all: self, said }
    }

    /// The number of the first input with which some final view has no answer that is accepted on all its inputs so far;
    /// `None` when the protocol can be given a right answer function.
    ///
    /// # Errors
    /// `replay` for an illegal run.
    /// # Cost
    /// One run per input up to that one.
    pub fn first_wrong(&self, number: u64) -> Result<Option<u64>, Violation> {
        let protocol = self.protocol(number);
        let mut common: BTreeMap<View, Accepted> = BTreeMap::new();
        for (place, (inputs, right)) in (0u64..).zip(&self.inputs) {
            let run = run(self.game, &protocol, inputs).map_err(|error| {
                Violation::new("", Code::Replay, error.to_string(), "a legal run")
            })?;
            let view = final_view(self.game, &run).clone();
            let cell = common.entry(view).or_insert(Accepted::All);
            *cell = cell.and(right);
            if cell.is_empty() {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }
}

fn too_large(size: Result<BigUint, DomainError>, limit: &BigUint) -> Failure {
    TooLarge {
        what: "protocols, each on all inputs".to_owned(),
        size,
        limit: limit.clone(),
    }
    .into()
}

/// One of all protocols; its answer function is free.
#[derive(Debug)]
pub struct Numbered<'a> {
    all: &'a AllProtocols<'a>,
    /// By function, by key.
    said: Vec<Vec<u64>>,
}

impl Protocol for Numbered<'_> {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let Some((space, function)) = &self.all.spaces[slot.0] else {
            return Ok(Symbol(0));
        };
        let key = space.index(self.all.game, sight);
        let said = key.and_then(|key| self.said[*function].get(usize::try_from(key).ok()?));
        Ok(Symbol(said.copied().unwrap_or(0)))
    }

    fn answer(&self, _view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(None)
    }
}
