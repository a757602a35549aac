//! `decompose`: the largest classes, found without running the game on the product.
//!
//! Players above a level hear only from each other, so what they know depends on the upper tables alone; and on R the views of
//! the lower players depend on Z alone. Hence a crossing symbol is a function of the few upper tables that its sender's view
//! depends on and of a view of the receiver, of which there are at most |Z| and mostly a handful: the *questions*. One table
//! of symbols per question replaces all runs. Where a strategy has a written rule even that table is not needed.

mod questions;
mod rules;

use crate::exact::Digits;
use crate::game::structure::Code;
use crate::game::structure::decomposition::base::{self, Base};
use crate::game::structure::decomposition::{
    Bits, Decomposition, Frame, Joint, Mode, Pinned, Question, Split, Splitter, build, symbolic,
};
use crate::game::structure::{Failure, Violation};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use questions::{Questions, Table};
use rayon::prelude::*;
use rules::Rules;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Words of a set per unit of parallel work; a constant, so that nothing depends on the number of threads.
const WORDS: usize = 1 << 10;

/// How a chain is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By listing when the upper tables have at most so many tuples, else by rules.
    Auto,
    /// Every upper tuple, in a bit set.
    Enumerate,
    /// By the written rules of the strategy.
    Symbolic,
}

/// How much was done, for tests.
#[derive(Debug, Default)]
pub struct Work {
    /// Message functions called.
    pub messages: AtomicU64,
    /// Elements of sets looked at.
    pub elements: AtomicU64,
}

/// How a long search talks to its caller.
pub struct Control<'a> {
    /// Called now and then with what is being done.
    pub progress: &'a (dyn Fn(&str, u64) + Sync),
    /// Ends the search when set.
    pub stop: &'a AtomicBool,
    /// Counters.
    pub work: &'a Work,
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("work", &self.work)
            .finish_non_exhaustive()
    }
}

impl Control<'_> {
    /// An interruption, as a failure that says where.
    fn check(&self, at: &str) -> Result<(), Failure> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Violation::new(STOPPED, Code::Coverage, at, "the whole chain").into());
        }
        Ok(())
    }
}

/// Where a violation stands that only says that the search was stopped.
pub const STOPPED: &str = "stopped";

/// Largest set that `Auto` lists bit by bit when there may be rules.
const LISTED: u64 = 1 << 26;

/// Finds the chain, and says how it was found.
///
/// # Errors
/// Sizes over the limits; protocols without rules where only rules would do; `coverage` at [`STOPPED`] when stopped.
/// # Cost
/// One message per question and upper tables it depends on; two passes over R per crossing slot.
pub fn decompose(
    frame: &Frame<'_>,
    question: &Question,
    method: Method,
    limit: &BigUint,
    control: &Control<'_>,
) -> Result<(Decomposition, Mode), Failure> {
    let size = frame.upper_size(2).ok().and_then(|size| size.to_u64());
    let within = |most: u64| size.is_some_and(|size| size <= most && BigUint::from(size) <= *limit);
    let by_rules = || symbolic::build(frame, question, limit).map(|found| (found, Mode::Symbolic));
    let by_listing = || {
        let fast = Fast { limit, control };
        build(frame, question, &fast).map(|found| (found, Mode::Replay))
    };
    match method {
        Method::Enumerate => by_listing(),
        Method::Symbolic => by_rules(),
        Method::Auto if within(LISTED) => by_listing(),
        // What has no rules can only be listed.
        Method::Auto => match by_rules() {
            Err(failure) if within(u64::MAX) && failure.violation().is_some() => by_listing(),
            found => found,
        },
    }
}

/// The fast splitter.
#[derive(Debug)]
pub struct Fast<'a> {
    /// Most elements of a set, and most runs for the pattern of player 1.
    pub limit: &'a BigUint,
    /// The caller.
    pub control: &'a Control<'a>,
}

impl Splitter for Fast<'_> {
    fn base(&self, frame: &Frame<'_>, question: &Question) -> Result<Base, Failure> {
        self.control.check("Z_0 and Z_1")?;
        // The rules give the same choice, and do not look at all of A_1.
        match symbolic::base_by_rules(frame, question, self.limit)? {
            Some(base) => Ok(base),
            None => base::listed(frame, question, self.limit),
        }
    }

    fn split(
        &self,
        frame: &Frame<'_>,
        question: &Question,
        level: usize,
        start: Bits,
        lower: &[Vec<Digits>],
    ) -> Result<Split<Bits>, Failure> {
        let slots = frame.crossing(level);
        let mut splitting = Splitting {
            frame,
            level,
            lower,
            control: self.control,
            tables: slots
                .iter()
                .map(|slot| Table::new(frame, level, *slot))
                .collect(),
        };
        let first = start.count();
        let (joint, best) = splitting.at_once(question, &start)?;
        let mut sizes = vec![BigUint::from(first)];
        let mut classes = Vec::new();
        let kept = if question.one_shot {
            classes.push(joint.classes.clone());
            sizes.push(joint.largest.clone());
            best
        } else {
            let mut kept = start;
            for place in 0..slots.len() {
                let (number, size) = splitting.step(question, place, &mut kept)?;
                classes.push(number.into());
                sizes.push(size.into());
            }
            kept
        };
        let upper = frame.tuple(level, kept.iter().next().unwrap_or(0));
        let mut pinned: Vec<Pinned> = slots
            .iter()
            .map(|slot| Pinned {
                slot: *slot,
                key: Vec::with_capacity(lower.len()),
            })
            .collect();
        for tail in lower {
            let run = frame.run(&upper, tail, frame.rounds(level))?;
            for pinned in &mut pinned {
                pinned.key.push(run.transcript[pinned.slot.0].1.0);
            }
        }
        Ok(Split {
            pinned,
            sizes,
            classes,
            joint,
            kept,
        })
    }
}

/// One level being split.
struct Splitting<'a> {
    frame: &'a Frame<'a>,
    level: usize,
    lower: &'a [Vec<Digits>],
    control: &'a Control<'a>,
    tables: Vec<Table>,
}

impl Splitting<'_> {
    /// Refines by one slot: number of classes, size of the largest, which replaces the set.
    fn step(
        &mut self,
        question: &Question,
        place: usize,
        kept: &mut Bits,
    ) -> Result<(u64, u64), Failure> {
        let slot = self.tables[place].slot;
        self.control.check(self.frame.game.name(slot))?;
        (self.control.progress)(self.frame.game.name(slot), kept.count());
        let first = kept.iter().next().unwrap_or(0);
        let questions = Questions::on(self.frame, self.level, slot, first, self.lower)?;
        if let Some(rules) = Rules::compile(self.frame, self.level, slot, &questions) {
            let counts = rules.count(kept, self.control);
            let number = counts.len() as u64;
            let sized = counts.iter().map(|(key, size)| (*key, *size));
            let (key, size) = question.tie.largest(sized).unwrap_or((0, 0));
            rules.keep(kept, key, self.control);
            return Ok((number, size));
        }
        let view = self.tables[place].view(self.frame, &questions, kept, self.control)?;
        let counts = view.count(kept, self.control);
        let number = counts.len() as u64;
        let (key, size) = question.tie.largest(counts).unwrap_or_default();
        view.keep(kept, &key, self.control);
        Ok((number, size))
    }

    /// The partition by the whole transcript, and its largest class when the question wants that one.
    fn at_once(&mut self, question: &Question, start: &Bits) -> Result<(Joint, Bits), Failure> {
        if let Some(found) = self.at_once_by_rules(question, start)? {
            return Ok(found);
        }
        let mut tree = Tree {
            classes: 0,
            largest: 0,
            best: None,
        };
        let all: Vec<u64> = start.iter().collect();
        self.grow(question, 0, all, &mut Vec::new(), &mut tree)?;
        let mut kept = Bits::none(start.size());
        if let Some((_, members)) = tree.best {
            for index in members {
                kept.insert(index);
            }
        }
        let joint = Joint {
            classes: tree.classes.into(),
            largest: tree.largest.into(),
        };
        Ok((joint, kept))
    }

    /// With rules at L = 2 the earlier symbols of player 2 only rename classes, so all questions may be put at once, along any
    /// path.
    fn at_once_by_rules(
        &mut self,
        question: &Question,
        start: &Bits,
    ) -> Result<Option<(Joint, Bits)>, Failure> {
        if self.frame.steps() != 2 || question.one_shot {
            return Ok(None);
        }
        let mut all: Option<Rules> = None;
        let first = start.iter().next().unwrap_or(0);
        for table in &self.tables {
            let questions = Questions::on(self.frame, self.level, table.slot, first, self.lower)?;
            let Some(rules) = Rules::compile(self.frame, self.level, table.slot, &questions) else {
                return Ok(None);
            };
            all = Some(match all {
                None => rules,
                Some(all) => Rules::join(all, rules),
            });
        }
        let Some(all) = all.filter(Rules::countable) else {
            return Ok(None);
        };
        let counts = all.count(start, self.control);
        let joint = Joint {
            classes: counts.len().into(),
            largest: counts.values().max().copied().unwrap_or(0).into(),
        };
        Ok(Some((joint, Bits::none(start.size()))))
    }

    /// Splits a set by the slots from `place` on, class by class.
    fn grow(
        &mut self,
        question: &Question,
        place: usize,
        members: Vec<u64>,
        key: &mut Vec<u64>,
        tree: &mut Tree,
    ) -> Result<(), Failure> {
        if place == self.tables.len() {
            tree.leaf(question, key, members);
            return Ok(());
        }
        let slot = self.tables[place].slot;
        self.control.check("classes of the joint transcript")?;
        let first = members.first().copied().unwrap_or(0);
        let questions = Questions::on(self.frame, self.level, slot, first, self.lower)?;
        let view = self.tables[place].view_of(self.frame, &questions, &members, self.control)?;
        let classes = view.divide(members);
        for (said, members) in classes {
            let length = key.len();
            key.extend(questions.asked.iter().map(|ask| said[*ask]));
            self.grow(question, place + 1, members, key, tree)?;
            key.truncate(length);
        }
        Ok(())
    }
}

/// What is known of the classes of the joint transcript.
struct Tree {
    classes: u64,
    largest: u64,
    best: Option<(Vec<u64>, Vec<u64>)>,
}

impl Tree {
    fn leaf(&mut self, question: &Question, key: &[u64], members: Vec<u64>) {
        use crate::game::structure::decomposition::Tie;
        self.classes += 1;
        let size = members.len() as u64;
        // Classes do not come in order of keys: earlier symbols decide which questions follow.
        let better = match &self.best {
            None => true,
            Some(_) if size != self.largest => size > self.largest,
            Some((best, _)) => match question.tie {
                Tie::Least => key < best.as_slice(),
                Tie::Greatest => key > best.as_slice(),
            },
        };
        if better {
            self.largest = size;
            self.best = Some((key.to_vec(), members));
        }
    }
}

/// Counts in parallel over blocks of words: `of` gives what an element counts for.
fn counted<K: Ord + Send>(
    set: &Bits,
    control: &Control<'_>,
    of: impl Fn(u64) -> K + Sync,
) -> BTreeMap<K, u64> {
    set.words()
        .par_chunks(WORDS)
        .enumerate()
        .map(|(block, words)| {
            let mut counts: BTreeMap<K, u64> = BTreeMap::new();
            let mut seen = 0;
            for index in elements(block, words) {
                seen += 1;
                *counts.entry(of(index)).or_insert(0) += 1;
            }
            control.work.elements.fetch_add(seen, Ordering::Relaxed);
            counts
        })
        .reduce(BTreeMap::new, |mut a, b| {
            for (key, count) in b {
                *a.entry(key).or_insert(0) += count;
            }
            a
        })
}

/// Counts in parallel over blocks of words, in a flat array: `of` gives the place that an element counts for.
fn tallied(
    set: &Bits,
    control: &Control<'_>,
    places: usize,
    of: impl Fn(u64) -> usize + Sync,
) -> Vec<u64> {
    set.words()
        .par_chunks(WORDS)
        .enumerate()
        .fold(
            || vec![0u64; places],
            |mut counts, (block, words)| {
                let mut seen = 0;
                for index in elements(block, words) {
                    seen += 1;
                    if let Some(count) = counts.get_mut(of(index)) {
                        *count += 1;
                    }
                }
                control.work.elements.fetch_add(seen, Ordering::Relaxed);
                counts
            },
        )
        .reduce(
            || vec![0u64; places],
            |mut a, b| {
                a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
                a
            },
        )
}

/// Keeps the elements that satisfy `of`, in parallel over blocks of words.
fn filtered(set: &mut Bits, control: &Control<'_>, of: impl Fn(u64) -> bool + Sync) {
    set.words_mut()
        .par_chunks_mut(WORDS)
        .enumerate()
        .for_each(|(block, words)| {
            let mut seen = 0;
            for (place, word) in words.iter_mut().enumerate() {
                let first = (block * WORDS + place) as u64 * 64;
                let mut rest = *word;
                while rest != 0 {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    seen += 1;
                    if !of(first + u64::from(bit)) {
                        *word &= !(1 << bit);
                    }
                }
            }
            control.work.elements.fetch_add(seen, Ordering::Relaxed);
        });
}

fn elements(block: usize, words: &[u64]) -> impl Iterator<Item = u64> + '_ {
    words.iter().enumerate().flat_map(move |(place, word)| {
        let first = (block * WORDS + place) as u64 * 64;
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| u64::from(rest.trailing_zeros()))?;
            rest &= rest - 1;
            Some(first + bit)
        })
    })
}
