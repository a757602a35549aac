//! Symbols of a crossing slot by question: what the receiver's side shows, against what the sender's side knows.

use super::Control;
use super::{counted, filtered, tallied};
use crate::exact::Digits;
use crate::game::run::say;
use crate::game::structure::decomposition::{Bits, Frame};
use crate::game::structure::{Code, Failure, Violation};
use crate::game::{Game, Inputs, PlayerId, SlotId, View, run_until};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

/// Most entries of a table of symbols that is kept.
const KEPT: u64 = 1 << 22;
/// A symbol that was not asked for yet.
const UNKNOWN: u64 = u64::MAX;

/// The distinct views of the consulted lower players over Z, on a set on which they depend on Z only.
#[derive(Debug)]
pub(super) struct Questions {
    /// For each question the views of all players; only those of the consulted lower players count.
    pub(super) views: Vec<Vec<View>>,
    /// For each element of Z its question; questions are numbered by first use.
    pub(super) asked: Vec<usize>,
}

impl Questions {
    /// Looks at the runs of one upper tuple.
    pub(super) fn on(
        frame: &Frame<'_>,
        level: usize,
        slot: SlotId,
        index: u64,
        lower: &[Vec<Digits>],
    ) -> Result<Self, Violation> {
        let game = frame.game;
        let upper = frame.tuple(level, index);
        let rounds = game.round_of(slot);
        let consulted: Vec<PlayerId> = game
            .slot(slot)
            .seen()
            .filter(|player| !frame.is_upper(*player, level))
            .collect();
        let mut known: BTreeMap<Vec<View>, usize> = BTreeMap::new();
        let (mut views, mut asked) = (Vec::new(), Vec::new());
        for tail in lower {
            let run = frame.run(&upper, tail, rounds)?;
            let seen: Vec<View> = consulted.iter().map(|id| run.views[id.0].clone()).collect();
            let next = known.len();
            let number = *known.entry(seen).or_insert(next);
            if number == next {
                views.push(run.views);
            }
            asked.push(number);
        }
        Ok(Self { views, asked })
    }
}

/// The upper tables that a slot's symbol depends on, and the symbols found so far, by question.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) slot: SlotId,
    /// Upper players in the support, in order.
    support: Vec<PlayerId>,
    /// For each of them: divide an upper index by the first, reduce by the second.
    strides: Vec<(u64, u64)>,
    /// Number of combinations of the support.
    size: u64,
    /// By the consulted views: the symbol of each combination.
    known: BTreeMap<Vec<View>, Vec<u64>>,
}

impl Table {
    pub(super) fn new(frame: &Frame<'_>, level: usize, slot: SlotId) -> Self {
        let game = frame.game;
        let support = support(frame, level, slot);
        let mut strides = Vec::new();
        for player in &support {
            let below: u64 = frame
                .upper(level)
                .filter(|other| other > player)
                .map(|other| domain_size(game, other))
                .product();
            strides.push((below, domain_size(game, *player)));
        }
        let size = strides.iter().map(|(_, size)| size).product();
        Self {
            slot,
            support,
            strides,
            size,
            known: BTreeMap::new(),
        }
    }

    /// Index of the combination that an upper tuple shows.
    fn combination(&self, index: u64) -> u64 {
        self.strides.iter().fold(0, |combination, (stride, size)| {
            combination * size + index / stride % size
        })
    }

    /// The symbols of these questions, filled in for all of a bit set.
    pub(super) fn view<'t>(
        &'t mut self,
        frame: &'t Frame<'_>,
        questions: &'t Questions,
        set: &Bits,
        control: &Control<'_>,
    ) -> Result<Answers<'t>, Failure> {
        let wanted = if self.size <= KEPT {
            let mut wanted = Bits::none(self.size);
            for index in set.iter() {
                wanted.insert(self.combination(index));
            }
            wanted.iter().collect()
        } else {
            Vec::new()
        };
        self.fill(frame, questions, &wanted, control)
    }

    /// The symbols of these questions, filled in for these upper tuples.
    pub(super) fn view_of<'t>(
        &'t mut self,
        frame: &'t Frame<'_>,
        questions: &'t Questions,
        members: &[u64],
        control: &Control<'_>,
    ) -> Result<Answers<'t>, Failure> {
        let wanted: Vec<u64> = if self.size <= KEPT {
            let wanted: BTreeSet<u64> = members
                .iter()
                .map(|index| self.combination(*index))
                .collect();
            wanted.into_iter().collect()
        } else {
            Vec::new()
        };
        self.fill(frame, questions, &wanted, control)
    }

    fn fill<'t>(
        &'t mut self,
        frame: &'t Frame<'_>,
        questions: &'t Questions,
        wanted: &[u64],
        control: &Control<'_>,
    ) -> Result<Answers<'t>, Failure> {
        let keys: Vec<Vec<View>> = questions
            .views
            .iter()
            .map(|views| self.consulted(frame.game, views))
            .collect();
        if self.size <= KEPT {
            for (key, views) in keys.iter().zip(&questions.views) {
                let size = usize::try_from(self.size).unwrap_or(usize::MAX);
                let mut symbols = self
                    .known
                    .remove(key)
                    .unwrap_or_else(|| vec![UNKNOWN; size]);
                let missing: Vec<u64> = wanted
                    .iter()
                    .copied()
                    .filter(|combination| at(&symbols, *combination) == UNKNOWN)
                    .collect();
                control
                    .work
                    .messages
                    .fetch_add(missing.len() as u64, Ordering::Relaxed);
                let said: Vec<u64> = missing
                    .par_iter()
                    .with_min_len(256)
                    .map(|combination| self.symbol(frame, views, *combination))
                    .collect::<Result<_, _>>()?;
                for (combination, symbol) in missing.into_iter().zip(said) {
                    if let Some(entry) = usize::try_from(combination)
                        .ok()
                        .and_then(|place| symbols.get_mut(place))
                    {
                        *entry = symbol;
                    }
                }
                self.known.insert(key.clone(), symbols);
            }
        }
        let classes = (self.size <= KEPT).then(|| self.classes(&keys, wanted));
        Ok(Answers {
            table: self,
            frame,
            questions,
            classes,
        })
    }

    /// The keys of these combinations, sorted, and for each combination the number of its key.
    fn classes(&self, keys: &[Vec<View>], wanted: &[u64]) -> Classes {
        let symbols: Vec<&Vec<u64>> = keys.iter().filter_map(|key| self.known.get(key)).collect();
        let key = |combination: u64| -> Vec<u64> {
            symbols
                .iter()
                .map(|symbols| at(symbols, combination))
                .collect()
        };
        let sorted: BTreeSet<Vec<u64>> =
            wanted.iter().map(|combination| key(*combination)).collect();
        let keys: Vec<Vec<u64>> = sorted.into_iter().collect();
        let mut of = vec![u32::MAX; usize::try_from(self.size).unwrap_or(usize::MAX)];
        for combination in wanted {
            let place = usize::try_from(*combination).ok();
            let number = keys.binary_search(&key(*combination)).ok();
            let number = number.and_then(|number| u32::try_from(number).ok());
            if let (Some(entry), Some(number)) = (place.and_then(|place| of.get_mut(place)), number)
            {
                *entry = number;
            }
        }
        Classes { keys, of }
    }

    fn consulted(&self, game: &Game, views: &[View]) -> Vec<View> {
        let upper = |player: &PlayerId| self.support.contains(player);
        let seen = game.slot(self.slot).seen().filter(|player| !upper(player));
        seen.map(|player| views[player.0].clone()).collect()
    }

    /// One symbol: the support plays among itself up to the round of the slot, the lower views are given.
    fn symbol(
        &self,
        frame: &Frame<'_>,
        views: &[View],
        mut combination: u64,
    ) -> Result<u64, Violation> {
        let game = frame.game;
        let mut views = views.to_vec();
        for (player, (_, size)) in self.support.iter().zip(&self.strides).rev() {
            let digits = game.player(*player).domain.element(combination % size);
            views[player.0] = View {
                player: *player,
                input: digits.unwrap_or_default(),
                stored: Vec::new(),
            };
            combination /= size;
        }
        if self.hears(game) {
            let inputs = Inputs(views.iter().map(|view| view.input.clone()).collect());
            let run = run_until(game, frame.protocol, &inputs, game.round_of(self.slot));
            let run = run.map_err(|error| illegal(&error.to_string()))?;
            for player in &self.support {
                views[player.0] = run.views[player.0].clone();
            }
        } else {
            for player in &self.support {
                let start = game.round_start(game.round_of(self.slot));
                views[player.0].stored = game
                    .stored(*player, start)
                    .map(|id| (id, crate::game::Symbol(0)))
                    .collect();
            }
        }
        let said = say(game, frame.protocol, &views, self.slot);
        said.map(|symbol| symbol.0)
            .map_err(|error| illegal(&error.to_string()))
    }

    /// Whether some player of the support has heard anything by then.
    fn hears(&self, game: &Game) -> bool {
        let start = game.round_start(game.round_of(self.slot));
        self.support
            .iter()
            .any(|player| game.stored(*player, start).any(|id| game.is_open(id)))
    }
}

fn illegal(error: &str) -> Violation {
    Violation::new("", Code::Replay, error, "a legal run")
}

fn at(symbols: &[u64], combination: u64) -> u64 {
    usize::try_from(combination)
        .ok()
        .and_then(|place| symbols.get(place))
        .copied()
        .unwrap_or(UNKNOWN)
}

fn domain_size(game: &Game, player: PlayerId) -> u64 {
    game.player(player).domain.index_size().unwrap_or(u64::MAX)
}

/// The upper players whose inputs the upper views in sight of a slot depend on.
fn support(frame: &Frame<'_>, level: usize, slot: SlotId) -> Vec<PlayerId> {
    let game = frame.game;
    let upper = |player: &PlayerId| frame.is_upper(*player, level);
    let mut found: BTreeSet<PlayerId> = game.slot(slot).seen().filter(upper).collect();
    let mut ahead: Vec<(PlayerId, usize)> = found
        .iter()
        .map(|player| (*player, game.round_of(slot)))
        .collect();
    // Slots into a player before a round bring in whoever was seen for them.
    let mut done: BTreeSet<(PlayerId, usize)> = BTreeSet::new();
    while let Some((player, round)) = ahead.pop() {
        if !done.insert((player, round)) {
            continue;
        }
        for id in game.stored(player, game.round_start(round)) {
            if game.is_open(id) {
                for seen in game.slot(id).seen() {
                    found.insert(seen);
                    ahead.push((seen, game.round_of(id)));
                }
            }
        }
    }
    found.into_iter().collect()
}

/// What is said to the questions, by combination of the support.
#[derive(Debug)]
struct Classes {
    keys: Vec<Vec<u64>>,
    of: Vec<u32>,
}

/// The symbols of one slot under some questions.
#[derive(Debug)]
pub(super) struct Answers<'t> {
    table: &'t Table,
    frame: &'t Frame<'t>,
    questions: &'t Questions,
    /// `None` for a table too large to keep.
    classes: Option<Classes>,
}

impl Answers<'_> {
    /// The number of what is said on an upper tuple, in the sorted list of keys.
    fn class(&self, classes: &Classes, index: u64) -> usize {
        let combination = usize::try_from(self.table.combination(index)).unwrap_or(usize::MAX);
        let class = classes.of.get(combination).copied().unwrap_or(u32::MAX);
        usize::try_from(class).unwrap_or(usize::MAX)
    }

    /// What is said to the questions, in order; an illegal symbol has shown when a representative was run, or shows in the
    /// verification.
    fn asked(&self, index: u64) -> Vec<u64> {
        let combination = self.table.combination(index);
        let views = self.questions.views.iter();
        views
            .map(|views| {
                let said = self.table.symbol(self.frame, views, combination);
                said.unwrap_or(UNKNOWN)
            })
            .collect()
    }

    /// Class sizes by key, in order of keys.
    pub(super) fn count(&self, set: &Bits, control: &Control<'_>) -> Vec<(Vec<u64>, u64)> {
        let Some(classes) = &self.classes else {
            let counts = counted(set, control, |index| self.asked(index));
            return counts.into_iter().collect();
        };
        let counts = tallied(set, control, classes.keys.len(), |index| {
            self.class(classes, index)
        });
        let sized = classes.keys.iter().cloned().zip(counts);
        sized.filter(|(_, count)| *count > 0).collect()
    }

    /// Keeps one class.
    pub(super) fn keep(&self, set: &mut Bits, key: &[u64], control: &Control<'_>) {
        match &self.classes {
            None => filtered(set, control, |index| self.asked(index) == key),
            Some(classes) => {
                let wanted = classes.keys.iter().position(|known| known == key);
                filtered(set, control, |index| {
                    Some(self.class(classes, index)) == wanted
                });
            }
        }
    }

    /// The members of every class, in order of keys.
    pub(super) fn divide(&self, members: Vec<u64>) -> Vec<(Vec<u64>, Vec<u64>)> {
        let Some(classes) = &self.classes else {
            let mut divided: BTreeMap<Vec<u64>, Vec<u64>> = BTreeMap::new();
            for index in members {
                divided.entry(self.asked(index)).or_default().push(index);
            }
            return divided.into_iter().collect();
        };
        let mut divided: Vec<Vec<u64>> = vec![Vec::new(); classes.keys.len()];
        for index in members {
            if let Some(class) = divided.get_mut(self.class(classes, index)) {
                class.push(index);
            }
        }
        let keyed = classes.keys.iter().cloned().zip(divided);
        keyed.filter(|(_, members)| !members.is_empty()).collect()
    }
}
