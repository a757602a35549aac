//! The chain: base, rectangles, classes, final count, pair. Who finds the classes is for a [`Splitter`].

use super::base::Base;
use super::rectangle::{self, Column};
use super::{Bits, Count, Decomposition, Found, Frame, Level, Question, Rectangle, Set, Split};
use crate::exact::Digits;
use crate::game::structure::{Failure, Pair, TooLarge, accepted};
use crate::game::{Inputs, SlotId};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};
use std::collections::{BTreeMap, BTreeSet};

/// Finds the largest classes: the part of the chain that looks at many runs.
pub trait Splitter {
    /// Steps 1 and 2.
    ///
    /// # Errors
    /// As the splitter's own.
    fn base(&self, frame: &Frame<'_>, question: &Question) -> Result<Base, Failure>;

    /// Step 3: refines `start`, a subset of `A_L x .. x A_level`, by the crossing slots of a level; `lower` lists Z in order.
    ///
    /// # Errors
    /// As the splitter's own.
    fn split(
        &self,
        frame: &Frame<'_>,
        question: &Question,
        level: usize,
        start: Bits,
        lower: &[Vec<Digits>],
    ) -> Result<Split<Bits>, Failure>;
}

/// Builds the chain.
///
/// # Source
/// `hybrid-v1`, Section 4 and Appendix B (base step, induction step, final count), made exact and deterministic here.
/// # Errors
/// As the splitter.
/// # Cost
/// That of the splitter; one pass over each R for its rectangle.
pub fn build(
    frame: &Frame<'_>,
    question: &Question,
    splitter: &dyn Splitter,
) -> Result<Decomposition, Failure> {
    let base = splitter.base(frame, question)?;
    let mut z = vec![base.zero.clone(), base.one.clone()];
    let mut chosen = vec![(0, base.zero), (1, base.one)];
    let mut start = Bits::all(indexed(frame, 2)?);
    let mut rectangle = None;
    let mut levels = Vec::new();
    let mut leak = Vec::new();
    for level in 2..=frame.steps() {
        let lower = frame.lower(&z);
        let split = splitter.split(frame, question, level, start, &lower)?;
        if level == 2 {
            leak = leaks(frame, &frame.tuple(2, first(&split.kept)), &z)?;
        }
        let next = (level < frame.steps())
            .then(|| step_up(frame, question, level, &split.kept, &z))
            .flatten();
        levels.push(finish(frame, level, chosen, rectangle, split, &z));
        let Some((found, members, rows)) = next else {
            start = Bits::none(0);
            chosen = Vec::new();
            rectangle = None;
            continue;
        };
        z.push(members.clone());
        chosen = vec![(level, members)];
        (rectangle, start) = (Some(found), rows);
    }
    let count = count(frame, &levels);
    let found = match levels.last().map(|level| &level.split.kept) {
        Some(Set::Bits(kept)) => {
            let tables = differing(frame, kept, &reached_addresses(frame, &z));
            match tables {
                None => None,
                Some((a, b)) => {
                    let tables = [frame.tuple(frame.steps(), a), frame.tuple(frame.steps(), b)];
                    pair(frame, &tables, &frame.lower(&z))?
                }
            }
        }
        Some(Set::Product(_) | Set::Affine { .. }) | None => None,
    };
    Ok(Decomposition {
        pattern: base.pattern,
        levels,
        leak,
        count,
        found,
    })
}

/// The number of upper tuples of a level, when they have indices.
fn indexed(frame: &Frame<'_>, level: usize) -> Result<u64, TooLarge> {
    let size = frame.upper_size(level);
    let small = size.as_ref().ok().and_then(ToPrimitive::to_u64);
    small
        .filter(|size| *size <= 1 << 40)
        .ok_or_else(|| TooLarge {
            what: format!("tuples of tables above level {level}"),
            size,
            limit: BigUint::one() << 40,
        })
}

fn first(set: &Bits) -> u64 {
    set.iter().next().unwrap_or(0)
}

/// Step 4: Z_level and the start of the next level.
fn step_up(
    frame: &Frame<'_>,
    question: &Question,
    level: usize,
    kept: &Bits,
    z: &[Vec<Digits>],
) -> Option<(Rectangle, Vec<Digits>, Bits)> {
    let domain = &frame.game.player(frame.player(level)).domain;
    let size = domain.index_size()?;
    let rows = kept.size() / size;
    let mut columns: BTreeMap<u64, Bits> = BTreeMap::new();
    for index in kept.iter() {
        columns
            .entry(index % size)
            .or_insert_with(|| Bits::none(rows))
            .insert(index / size);
    }
    let columns: Vec<Column> = columns
        .into_iter()
        .map(|(element, rows)| {
            let table = domain.element(element).unwrap_or_default();
            let mut image = Bits::none(frame.range(level));
            let reached = frame.reach(&[z, &[vec![table]]].concat());
            for value in reached {
                image.insert(value);
            }
            Column {
                element,
                rows,
                image,
            }
        })
        .collect();
    let x = question.x.get(level).copied().unwrap_or(1);
    let (rectangle, elements, rows) = rectangle::best(&columns, x)?;
    let members = elements
        .into_iter()
        .filter_map(|element| domain.element(element))
        .collect();
    Some((rectangle, members, rows))
}

/// Adds the numbers of a level to its classes.
fn finish(
    frame: &Frame<'_>,
    level: usize,
    chosen: Vec<(usize, Vec<Digits>)>,
    rectangle: Option<Rectangle>,
    split: Split<Bits>,
    z: &[Vec<Digits>],
) -> Level {
    let split = Split {
        kept: Set::Bits(split.kept),
        pinned: split.pinned,
        sizes: split.sizes,
        classes: split.classes,
        joint: split.joint,
    };
    complete(frame, level, chosen, rectangle, split, z)
}

/// A level with its reach, and with what the paper allows and asks for.
///
/// # Source
/// `hybrid-v1`: log2 Delta_l = 4 sqrt(K) (x_0 .. x_(l-2)) (n_1 .. n_(L-1)) and Theta_(l-1) = 8^(-L(l-1)) (x_0 .. x_(l-1))
/// (n_1 .. n_(l-2)). A toy has no c, so sqrt(K) = (cL)^4 8^(L^2) is taken at c = 1, and x_j is the size of the chosen Z_j.
pub(super) fn complete(
    frame: &Frame<'_>,
    level: usize,
    chosen: Vec<(usize, Vec<Digits>)>,
    rectangle: Option<Rectangle>,
    split: Split<Set>,
    z: &[Vec<Digits>],
) -> Level {
    let steps = frame.steps();
    let sizes = |sets: &[Vec<Digits>]| -> BigUint {
        sets.iter().map(|set| BigUint::from(set.len())).product()
    };
    let product = |list: &[u64]| -> BigUint { list.iter().map(|n| BigUint::from(*n)).product() };
    let exponent = u32::try_from(steps * steps).unwrap_or(u32::MAX);
    let sqrt_k = BigUint::from(steps).pow(4) * BigUint::from(8u8).pow(exponent);
    let allowed = sqrt_k * 4u8 * sizes(&z[..level - 1]) * product(frame.queries());
    let scale = u32::try_from(steps * (level - 1)).unwrap_or(u32::MAX);
    let wanted = (
        sizes(&z[..level]) * product(&frame.queries()[..level - 2]),
        BigUint::from(8u8).pow(scale),
    );
    Level {
        level,
        chosen,
        rectangle,
        total: frame.upper_size(level).unwrap_or_default(),
        split,
        reach: frame.reach(z).len() as u64,
        allowed: BigInt::from(allowed),
        wanted,
    }
}

/// The final count: t reached addresses, N entries, r values; fires when |R| > r^(N - t).
pub(super) fn count(frame: &Frame<'_>, levels: &[Level]) -> Count {
    let steps = frame.steps();
    let (size, reach) = levels
        .last()
        .map_or((BigUint::default(), 0), |level| (level.size(), level.reach));
    let values = frame.range(steps);
    let addresses = BigUint::from(frame.queries()[steps - 2]) * reach;
    let entries = BigUint::from(frame.queries()[steps - 2]) * frame.range(steps - 1);
    let free = (&entries - addresses.clone().min(entries.clone()))
        .to_u32()
        .unwrap_or(u32::MAX);
    // A set of tables larger than r^free; r^free is written out only when it has no more bits than |R|.
    let fires = values == 1 && size > BigUint::one()
        || u64::from(free) * (u64::from(64 - values.leading_zeros()) - 1) <= size.bits()
            && size > BigUint::from(values).pow(free);
    Count {
        addresses,
        entries,
        values,
        fires,
    }
}

/// The addresses of z_L that Z reaches, increasing.
pub(super) fn reached_addresses(frame: &Frame<'_>, z: &[Vec<Digits>]) -> Vec<usize> {
    let steps = frame.steps();
    let m = frame.range(steps - 1);
    let reached: BTreeSet<u64> = frame.reach(z);
    (0..frame.queries()[steps - 2])
        .flat_map(|row| {
            let addresses = reached.iter().map(move |value| row * m + value);
            addresses.filter_map(|address| usize::try_from(address).ok())
        })
        .collect()
}

/// The first pair of tables in R, in order, that differ at one of these addresses. If any two differ there, then some table
/// differs from the first.
fn differing(frame: &Frame<'_>, kept: &Bits, addresses: &[usize]) -> Option<(u64, u64)> {
    let domain = &frame.game.player(frame.player(frame.steps())).domain;
    let mut elements = kept.iter();
    let a = elements.next()?;
    let left = domain.element(a)?;
    elements
        .find(|b| {
            domain
                .element(*b)
                .is_some_and(|right| addresses.iter().any(|at| left[*at] != right[*at]))
        })
        .map(|b| (a, b))
}

/// The first lower tuple on which two upper tuples need different answers, both run to the end; `None` when the answers agree
/// everywhere on Z.
///
/// # Errors
/// `replay` when a run is not legal or the task is undefined.
pub(super) fn pair(
    frame: &Frame<'_>,
    tables: &[Vec<Digits>; 2],
    lower: &[Vec<Digits>],
) -> Result<Option<Found>, Failure> {
    let inputs =
        |side: usize, tail: &[Digits]| Inputs(tables[side].iter().chain(tail).cloned().collect());
    for tail in lower {
        let (left, right) = (inputs(0, tail), inputs(1, tail));
        let common = accepted(frame.task, &left, "")?.and(&accepted(frame.task, &right, "")?);
        if !common.is_empty() {
            continue;
        }
        let last = frame.game.rounds();
        let view = |side: usize, rounds| {
            frame
                .run(&tables[side], tail, rounds)
                .map(|run| run.views[frame.game.output().0].clone())
        };
        let final_views = view(0, last)? == view(1, last)?;
        let pair = Pair { left, right };
        return Ok(Some(Found { pair, final_views }));
    }
    Ok(None)
}

/// The slots to -1 in epochs 0 and 1 whose symbols vary with z_1 on Z, everything else fixed; z_2, .., z_L do not matter on R.
pub(super) fn leaks(
    frame: &Frame<'_>,
    upper: &[Digits],
    z: &[Vec<Digits>],
) -> Result<Vec<SlotId>, Failure> {
    let slots = frame.first_epoch_to_output();
    let rounds = frame.rounds(1);
    let mut said: BTreeMap<Vec<Digits>, Vec<BTreeSet<u64>>> = BTreeMap::new();
    for lower in frame.lower(z) {
        let run = frame.run(upper, &lower, rounds)?;
        let symbols = said
            .entry(lower[1..].to_vec())
            .or_insert_with(|| vec![BTreeSet::new(); slots.len()]);
        for (slot, symbols) in slots.iter().zip(symbols) {
            symbols.insert(run.transcript[slot.0].1.0);
        }
    }
    let varies = |place: usize| said.values().any(|symbols| symbols[place].len() > 1);
    Ok((0..slots.len())
        .filter(|place| varies(*place))
        .map(|place| slots[place])
        .collect())
}
