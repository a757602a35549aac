//! Steps 1 and 2: the pattern of player 1, and the choice of Z_0 and Z_1.

use super::{Frame, Pattern, Question};
use crate::exact::Digits;
use crate::game::structure::{Failure, Violation, within};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// Z_0 and Z_1, and how they were found.
#[derive(Clone, Debug)]
pub struct Base {
    /// Classes of A_1 by the pattern.
    pub pattern: Pattern,
    /// Z_0.
    pub zero: Vec<Digits>,
    /// Z_1, in order of choice.
    pub one: Vec<Digits>,
}

/// The first `x_0` elements of the domain of z_0; all of it when it has fewer.
pub fn zero(frame: &Frame<'_>, question: &Question) -> Vec<Digits> {
    let size = question.x.first().copied().unwrap_or(1);
    (0..size.min(frame.start()))
        .map(|element| vec![element])
        .collect()
}

/// Steps 1 and 2 by looking at all of A_1.
///
/// In layouts with passes before the first soft round the symbol of `soft 1->-1 @1` may depend on more than (z_1, w); the rest is
/// then held at its first element. That is a choice of Z_1 only: Inv holds by construction whatever Z_1 is.
///
/// # Errors
/// `TooLarge` over the limit; `replay`.
/// # Cost
/// |A_1| times the number of w naive runs up to the first soft round, when the slot is open.
pub fn listed(frame: &Frame<'_>, question: &Question, limit: &BigUint) -> Result<Base, Failure> {
    let domain = &frame.game.player(frame.player(1)).domain;
    let queries: BigUint = frame.queries().iter().product();
    let runs = domain.size().map(|size| size * queries);
    within("runs for the pattern of player 1", runs, limit)?;
    let zero = zero(frame, question);
    let mut classes: BTreeMap<Vec<u64>, Vec<Digits>> = BTreeMap::new();
    let mut table = domain.first();
    loop {
        classes
            .entry(pattern(frame, &table)?)
            .or_default()
            .push(table.clone());
        if !domain.advance(&mut table) {
            break;
        }
    }
    let number = BigUint::from(classes.len());
    let sized = classes
        .values()
        .map(|members| (members, members.len() as u64));
    let members = question.tie.largest(sized).map(|(members, _)| members);
    let members = members.map_or(&[] as &[Digits], Vec::as_slice);
    let size = question.x.get(1).copied().unwrap_or(1);
    Ok(Base {
        pattern: Pattern {
            classes: number,
            size: members.len().into(),
        },
        one: greedy(members, &zero, size),
        zero,
    })
}

/// The symbols of `soft 1->-1 @1` on one table, for every w in order; nothing when the slot is closed.
fn pattern(frame: &Frame<'_>, table: &Digits) -> Result<Vec<u64>, Violation> {
    let Some(slot) = frame.pattern_slot() else {
        return Ok(Vec::new());
    };
    let upper: Vec<Digits> = frame
        .upper(2)
        .map(|id| frame.game.player(id).domain.first())
        .collect();
    let rounds = frame.game.round_of(slot) + 1;
    frame
        .lower(&[vec![vec![0]], vec![table.clone()]])
        .iter()
        .map(|lower| {
            let run = frame.run(&upper, lower, rounds)?;
            Ok(run.transcript[slot.0].1.0)
        })
        .collect()
}

/// `count` times the member not yet taken that maximises the union of the images of Z_0, the first such in order.
///
/// # Cost
/// `count` times the members, times |Z_0|.
fn greedy(members: &[Digits], zero: &[Digits], count: u64) -> Vec<Digits> {
    let addresses: Vec<usize> = zero
        .iter()
        .filter_map(|digits| usize::try_from(digits[0]).ok())
        .collect();
    let mut covered: BTreeSet<u64> = BTreeSet::new();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut chosen = Vec::new();
    for _ in 0..count.min(members.len() as u64) {
        let gain = |table: &Digits| {
            let image: BTreeSet<u64> = addresses.iter().map(|address| table[*address]).collect();
            image.difference(&covered).count()
        };
        let mut best: Option<(usize, usize)> = None;
        for (place, table) in members.iter().enumerate() {
            let gained = gain(table);
            if !taken.contains(&place) && best.is_none_or(|(_, least)| gained > least) {
                best = Some((place, gained));
            }
        }
        let Some((place, _)) = best else { break };
        taken.insert(place);
        covered.extend(addresses.iter().map(|address| members[place][*address]));
        chosen.push(members[place].clone());
    }
    chosen
}
