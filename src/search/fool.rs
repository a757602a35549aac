//! Looks for two inputs that a running model cannot tell apart, or for one that it answers wrong.
//!
//! Nothing found here is believed: what becomes evidence is asked again, in another process, and the evidence is about outputs, never
//! about states.

use crate::evidence::digest;
use crate::models::task::{Encoding, Task};
use crate::models::wire::{Ask, Broken, Oracle, Reply};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Most suffixes that are compared for two prefixes.
const SUFFIXES: u64 = 4096;
/// Pairs of equal states on which completeness of the state is sampled.
const SAMPLED: usize = 4;
/// Outputs that are kept for comparison.
const FIRSTS: usize = 1 << 12;
/// Requests sent together.
const GROUP: usize = 256;

/// Limits of a search.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Most requests.
    pub budget: u64,
    /// Of every random choice.
    pub seed: u64,
    /// When to stop.
    pub deadline: Option<Instant>,
}

/// One input with what the model said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Symbols of the prefix.
    pub prefix: Vec<u64>,
    /// Answer tokens the model gave.
    pub out: Vec<u64>,
    /// State after the prefix, if the model tells it.
    pub state: Option<String>,
}

/// Inputs that show that the model is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The suffix of all inputs.
    pub suffix: Vec<u64>,
    /// One input with a wrong answer, or two with one answer that cannot be right for both.
    pub sides: Vec<Side>,
    /// Which search found it.
    pub stage: &'static str,
}

/// What a search says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Candidates for evidence.
    Found(Found),
    /// Every input was asked, and every answer was right.
    Correct,
    /// The budget or the time was used up.
    Nothing,
}

/// Counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Requests.
    pub asked: u64,
    /// Requests that the model refused.
    pub refused: u64,
    /// Different states seen at one length, at most.
    pub states: u64,
    /// Answers compared with the required ones.
    pub answers: u64,
    /// Searches that were run, in order.
    pub stages: Vec<&'static str>,
    /// Why the states were not used, if they were not.
    pub states_off: Option<String>,
}

/// A pseudo-random sequence (splitmix64), the same everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    ///
    /// # Domain
    /// `end >= 1`.
    pub fn below(&mut self, end: u64) -> u64 {
        let product = u128::from(self.word()) * u128::from(end);
        u64::try_from(product >> 64).unwrap_or(0)
    }

    /// A random prefix of a task.
    pub fn prefix(&mut self, task: &Task) -> Vec<u64> {
        let mut prefix = Vec::new();
        if task.distinct() {
            let mut left: Vec<u64> = (0..task.width()).collect();
            for _ in 0..task.prefix_len() {
                let place = usize::try_from(self.below(left.len() as u64)).unwrap_or(0);
                prefix.push(left.swap_remove(place));
            }
        } else {
            for _ in 0..task.prefix_len() {
                prefix.push(self.below(task.width()));
            }
        }
        prefix
    }
}

/// Why a search ended early.
enum Stop {
    Broken(Broken),
    Spent,
    Found(Found),
}

impl From<Broken> for Stop {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

struct Search<'a> {
    oracle: &'a mut dyn Oracle,
    task: &'a Task,
    encoding: &'a Encoding,
    limits: &'a Limits,
    stats: &'a mut Stats,
    random: Random,
    checked_pairs: usize,
    /// The first prefix of each (suffix, output).
    firsts: BTreeMap<(Vec<u64>, Vec<u64>), Vec<u64>>,
}

/// Looks for evidence: reachable states breadth first, prefixes that differ early, states of random prefixes, all inputs if they are
/// few, random inputs.
///
/// # Errors
/// [`Broken`]: the model ended.
/// # Cost
/// At most `budget` requests; 32 bytes and a prefix per state.
pub fn fool(
    oracle: &mut dyn Oracle,
    task: &Task,
    encoding: &Encoding,
    limits: &Limits,
    stats: &mut Stats,
) -> Result<Outcome, Broken> {
    let with_states = oracle.hello().state;
    let mut search = Search {
        oracle,
        task,
        encoding,
        limits,
        stats,
        random: Random::new(limits.seed),
        checked_pairs: 0,
        firsts: BTreeMap::new(),
    };
    match search.all(with_states) {
        Ok(outcome) => Ok(outcome),
        Err(Stop::Found(found)) => Ok(Outcome::Found(found)),
        Err(Stop::Spent) => Ok(Outcome::Nothing),
        Err(Stop::Broken(broken)) => Err(broken),
    }
}

impl Search<'_> {
    fn all(&mut self, with_states: bool) -> Result<Outcome, Stop> {
        if with_states {
            // A search by states may use half of the budget each; answers come after.
            for (stage, run) in [
                (
                    "reachable-states",
                    Self::breadth_first as fn(&mut Self, u64) -> Result<(), Stop>,
                ),
                ("horizon", Self::early_differences),
                ("birthday", Self::birthday),
            ] {
                if self.stats.states_off.is_some() {
                    break;
                }
                self.stats.stages.push(stage);
                let until = self.stats.asked + (self.limits.budget - self.stats.asked) / 2;
                match run(self, until) {
                    Ok(()) | Err(Stop::Spent) => {}
                    Err(other) => return Err(other),
                }
            }
        }
        if let Some(inputs) = self.inputs().filter(|inputs| *inputs <= self.left()) {
            self.stats.stages.push("all-inputs");
            return self.every_input(inputs);
        }
        self.stats.stages.push("random-inputs");
        self.random_inputs()?;
        Ok(Outcome::Nothing)
    }

    fn left(&self) -> u64 {
        self.limits.budget.saturating_sub(self.stats.asked)
    }

    fn late(&self) -> bool {
        self.limits
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Number of full inputs; `None` over 2^64.
    fn inputs(&self) -> Option<u64> {
        let (width, mut total) = (self.task.width(), self.task.suffixes()?);
        for place in 0..self.task.prefix_len() as u64 {
            let choices = if self.task.distinct() {
                width - place
            } else {
                width
            };
            total = total.checked_mul(choices)?;
        }
        Some(total)
    }

    fn ask(&mut self, asks: &[Ask]) -> Result<Vec<Reply>, Stop> {
        let mut replies = Vec::with_capacity(asks.len());
        for group in asks.chunks(GROUP) {
            if self.late() || self.left() < group.len() as u64 {
                return Err(Stop::Spent);
            }
            self.stats.asked += group.len() as u64;
            replies.extend(self.oracle.ask(group)?);
        }
        self.stats.refused += replies
            .iter()
            .filter(|reply| matches!(reply, Reply::Refused(_)))
            .count() as u64;
        Ok(replies)
    }

    fn prefix_tokens(&self, prefix: &[u64]) -> Vec<u64> {
        self.encoding.tokens(&self.task.spell_prefix(prefix))
    }

    fn input(&self, prefix: &[u64], suffix: &[u64]) -> Vec<u64> {
        let mut tokens = self.prefix_tokens(prefix);
        tokens.extend(self.encoding.tokens(&self.task.spell_suffix(suffix)));
        tokens
    }

    fn required(&self, prefix: &[u64], suffix: &[u64]) -> Vec<u64> {
        self.encoding
            .answer_tokens(&self.task.required(prefix, suffix))
    }

    /// States of prefixes; refused ones are left out.
    fn states(&mut self, prefixes: &[Vec<u64>]) -> Result<Vec<Option<String>>, Stop> {
        let asks: Vec<Ask> = prefixes
            .iter()
            .map(|prefix| Ask::Prefix(self.prefix_tokens(prefix)))
            .collect();
        Ok(self
            .ask(&asks)?
            .into_iter()
            .map(|reply| match reply {
                Reply::State(state) => Some(state),
                Reply::Out(_) | Reply::Refused(_) => None,
            })
            .collect())
    }

    /// Breadth first over prefixes, one of each state.
    fn breadth_first(&mut self, until: u64) -> Result<(), Stop> {
        let mut frontier: Vec<Vec<u64>> = vec![Vec::new()];
        for length in 1..=self.task.prefix_len() {
            let mut seen: BTreeMap<[u8; 32], Vec<u64>> = BTreeMap::new();
            let mut next = Vec::new();
            let mut waiting: Vec<Vec<u64>> = Vec::new();
            for (i, prefix) in frontier.iter().enumerate() {
                for symbol in 0..self.task.width() {
                    if self.task.distinct() && prefix.contains(&symbol) {
                        continue;
                    }
                    let mut longer = prefix.clone();
                    longer.push(symbol);
                    waiting.push(longer);
                    let last = i + 1 == frontier.len() && symbol + 1 == self.task.width();
                    if waiting.len() == GROUP || last {
                        self.level(&mut waiting, &mut seen, &mut next)?;
                        if self.stats.asked >= until {
                            return Ok(());
                        }
                    }
                }
            }
            if !waiting.is_empty() {
                self.level(&mut waiting, &mut seen, &mut next)?;
            }
            self.stats.states = self.stats.states.max(seen.len() as u64);
            frontier = next;
            if frontier.is_empty() || length == self.task.prefix_len() {
                break;
            }
        }
        Ok(())
    }

    /// States of some prefixes of one length: a collision is followed, a new state goes to the next level.
    fn level(
        &mut self,
        waiting: &mut Vec<Vec<u64>>,
        seen: &mut BTreeMap<[u8; 32], Vec<u64>>,
        next: &mut Vec<Vec<u64>>,
    ) -> Result<(), Stop> {
        let prefixes = std::mem::take(waiting);
        for (prefix, state) in prefixes.iter().zip(self.states(&prefixes)?) {
            let Some(state) = state else { continue };
            match seen.get(&digest::raw(state.as_bytes())).cloned() {
                None => {
                    seen.insert(digest::raw(state.as_bytes()), prefix.clone());
                    next.push(prefix.clone());
                }
                Some(other) => self.collision(&other, prefix)?,
            }
        }
        Ok(())
    }

    /// Prefixes that differ in their first symbols only: does the model forget them?
    fn early_differences(&mut self, until: u64) -> Result<(), Stop> {
        while self.stats.asked < until {
            let base = self.random.prefix(self.task);
            let mut variants = vec![base.clone()];
            for symbol in 0..self.task.width().min(64) {
                let mut other = base.clone();
                if let Some(first) = other.first_mut() {
                    *first = symbol;
                }
                if self.task.allows(&other) && other != base {
                    variants.push(other);
                }
            }
            if self.task.distinct() && base.len() >= 2 {
                let mut other = base.clone();
                other.swap(0, 1);
                variants.push(other);
            }
            let before = self.stats.asked;
            self.same_state(&variants, &mut BTreeMap::new())?;
            if self.stats.asked == before {
                break;
            }
        }
        Ok(())
    }

    /// Random full prefixes: two with one state.
    fn birthday(&mut self, until: u64) -> Result<(), Stop> {
        let mut seen = BTreeMap::new();
        while self.stats.asked < until {
            let prefixes: Vec<Vec<u64>> = (0..64).map(|_| self.random.prefix(self.task)).collect();
            self.same_state(&prefixes, &mut seen)?;
        }
        Ok(())
    }

    fn same_state(
        &mut self,
        prefixes: &[Vec<u64>],
        seen: &mut BTreeMap<[u8; 32], Vec<u64>>,
    ) -> Result<(), Stop> {
        for (prefix, state) in prefixes.iter().zip(self.states(prefixes)?) {
            let Some(state) = state else { continue };
            let key = digest::raw(state.as_bytes());
            match seen.get(&key).cloned() {
                Some(other) if other != *prefix => self.collision(&other, prefix)?,
                Some(_) => {}
                None => {
                    seen.insert(key, prefix.clone());
                }
            }
        }
        Ok(())
    }

    /// Two prefixes with one state: is there a question that separates them, and does the model answer both alike?
    fn collision(&mut self, left: &[u64], right: &[u64]) -> Result<(), Stop> {
        if self.stats.states_off.is_some() {
            return Ok(());
        }
        let Some((left, right)) = self.completed(left, right) else {
            return Ok(());
        };
        let separating = self.separating(&left, &right);
        if separating.is_none() {
            // No question tells them apart: outputs must be equal all the same, if the state is complete. Sampled.
            if self.checked_pairs >= SAMPLED {
                return Ok(());
            }
            self.checked_pairs += 1;
        }
        let suffix = separating.clone().unwrap_or_else(|| {
            let count = self.task.suffixes().unwrap_or(u64::MAX);
            self.task.suffix(self.random.below(count))
        });
        let asks = [
            Ask::Run(self.input(&left, &suffix)),
            Ask::Run(self.input(&right, &suffix)),
        ];
        let replies = self.ask(&asks)?;
        let [Reply::Out(first), Reply::Out(second)] = replies.as_slice() else {
            return Ok(());
        };
        self.stats.answers += 2;
        if first == second && separating.is_none() {
            return Ok(());
        }
        if first == second {
            return Err(Stop::Found(Found {
                sides: vec![side(&left, first), side(&right, second)],
                suffix,
                stage: "equal-states",
            }));
        }
        // Equal states and different outputs: something that is carried was not told.
        self.stats.states_off = Some(
            "the exposed state is incomplete: equal states, different outputs on one suffix"
                .to_owned(),
        );
        self.wrong(&left, &suffix, first)?;
        self.wrong(&right, &suffix, second)
    }

    /// Full prefixes that go on alike.
    fn completed(&self, left: &[u64], right: &[u64]) -> Option<(Vec<u64>, Vec<u64>)> {
        let (mut left, mut right) = (left.to_vec(), right.to_vec());
        while left.len() < self.task.prefix_len() {
            let used = |symbol: &u64| {
                self.task.distinct() && (left.contains(symbol) || right.contains(symbol))
            };
            let symbol = (0..self.task.width()).find(|symbol| !used(symbol))?;
            left.push(symbol);
            right.push(symbol);
        }
        Some((left, right))
    }

    /// The first suffix with different required answers.
    fn separating(&self, left: &[u64], right: &[u64]) -> Option<Vec<u64>> {
        let count = self.task.suffixes().unwrap_or(u64::MAX).min(SUFFIXES);
        (0..count)
            .map(|index| self.task.suffix(index))
            .find(|suffix| self.task.required(left, suffix) != self.task.required(right, suffix))
    }

    /// Ends the search when an answer is wrong.
    fn wrong(&mut self, prefix: &[u64], suffix: &[u64], out: &[u64]) -> Result<(), Stop> {
        if out == self.required(prefix, suffix) {
            return Ok(());
        }
        Err(Stop::Found(Found {
            sides: vec![side(prefix, out)],
            suffix: suffix.to_vec(),
            stage: "wrong-answer",
        }))
    }

    fn answers(&mut self, inputs: &[(Vec<u64>, Vec<u64>)]) -> Result<u64, Stop> {
        let asks: Vec<Ask> = inputs
            .iter()
            .map(|(prefix, suffix)| Ask::Run(self.input(prefix, suffix)))
            .collect();
        let (mut right, mut wrong) = (0, None);
        for ((prefix, suffix), reply) in inputs.iter().zip(self.ask(&asks)?) {
            if let Reply::Out(out) = reply {
                self.stats.answers += 1;
                self.same_output(prefix, suffix, &out)?;
                if out == self.required(prefix, suffix) {
                    right += 1;
                } else {
                    wrong.get_or_insert((prefix, suffix, out));
                }
            }
        }
        // A pair needs no faith in how an output is read; one wrong answer comes second.
        if let Some((prefix, suffix, out)) = wrong {
            self.wrong(prefix, suffix, &out)?;
        }
        Ok(right)
    }

    /// Ends the search when an earlier input with this suffix had this output and needs another one.
    fn same_output(&mut self, prefix: &[u64], suffix: &[u64], out: &[u64]) -> Result<(), Stop> {
        let key = (suffix.to_vec(), out.to_vec());
        match self.firsts.get(&key) {
            Some(first)
                if self.task.required(first, suffix) != self.task.required(prefix, suffix) =>
            {
                Err(Stop::Found(Found {
                    sides: vec![side(first, out), side(prefix, out)],
                    suffix: suffix.to_vec(),
                    stage: "equal-outputs",
                }))
            }
            Some(_) => Ok(()),
            None => {
                if self.firsts.len() < FIRSTS {
                    self.firsts.insert(key, prefix.to_vec());
                }
                Ok(())
            }
        }
    }

    fn random_inputs(&mut self) -> Result<(), Stop> {
        let suffixes = self.task.suffixes().unwrap_or(u64::MAX);
        loop {
            let inputs: Vec<(Vec<u64>, Vec<u64>)> = (0..self.left().clamp(1, 64))
                .map(|_| {
                    let prefix = self.random.prefix(self.task);
                    let suffix = self.task.suffix(self.random.below(suffixes));
                    (prefix, suffix)
                })
                .collect();
            self.answers(&inputs)?;
        }
    }

    /// Every input, in lexicographic order.
    fn every_input(&mut self, inputs: u64) -> Result<Outcome, Stop> {
        let suffixes = self.task.suffixes().unwrap_or(0);
        let (width, length) = (self.task.width(), self.task.prefix_len());
        let mut prefix: Vec<u64> = if self.task.distinct() {
            (0..length as u64).collect()
        } else {
            vec![0; length]
        };
        let mut right = 0;
        let mut batch = Vec::new();
        loop {
            for index in 0..suffixes {
                batch.push((prefix.clone(), self.task.suffix(index)));
                if batch.len() == GROUP {
                    right += self.answers(&std::mem::take(&mut batch))?;
                }
            }
            if !advance(&mut prefix, width, self.task.distinct()) {
                break;
            }
        }
        right += self.answers(&batch)?;
        // A refused input was not answered.
        Ok(if right == inputs {
            Outcome::Correct
        } else {
            Outcome::Nothing
        })
    }
}

fn side(prefix: &[u64], out: &[u64]) -> Side {
    Side {
        prefix: prefix.to_vec(),
        out: out.to_vec(),
        state: None,
    }
}

/// The next word in lexicographic order; false after the last.
fn advance(word: &mut [u64], width: u64, distinct: bool) -> bool {
    for place in (0..word.len()).rev() {
        let used: BTreeSet<u64> = if distinct {
            word[..place].iter().copied().collect()
        } else {
            BTreeSet::new()
        };
        let Some(symbol) = (word[place] + 1..width).find(|symbol| !used.contains(symbol)) else {
            continue;
        };
        word[place] = symbol;
        let mut used: BTreeSet<u64> = word[..=place].iter().copied().collect();
        for slot in &mut word[place + 1..] {
            let symbol = if distinct {
                (0..width)
                    .find(|symbol| !used.contains(symbol))
                    .unwrap_or(0)
            } else {
                0
            };
            used.insert(symbol);
            *slot = symbol;
        }
        return true;
    }
    false
}
