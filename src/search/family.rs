//! Looks for a distinguishing family: over splits of the players, more members than patterns.
//!
//! Only what the crossing slots can see makes the bound grow. So tests come in bundles: one value of what is seen (a *focus*), with
//! all values of the rest. Bundles are added greedily by the exact ratio of members to bound.

use super::answers::{Answers, Cells};
use crate::game::structure::family::{Crossing, bound, crossing, others, power_product};
use crate::game::structure::{Failure, Family, Separator};
use crate::game::{Accepted, Game, PlayerId, SlotId, Task};
use num_bigint::BigUint;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Most players for which every split is tried.
const ALL_SPLITS: usize = 8;
/// Foci from which the greedy choice starts.
const STARTS: usize = 16;
/// Most comparisons of two members for a relation, per choice of tests.
const RELATION_WORK: usize = 1 << 24;

/// The first family, in the order of splits, that proves unsolvability; `None` says nothing about the game.
///
/// # Errors
/// `TooLarge` over the limit, with the exact number of full inputs; `replay` when the task is undefined somewhere.
/// # Cost
/// One task look-up per full input; per split and step of the greedy choice one sort of the inputs.
pub fn find(game: &Game, task: &dyn Task, limit: &BigUint) -> Result<Option<Family>, Failure> {
    let answers = Answers::of(game, task, limit)?;
    let found = splits(game)
        .into_par_iter()
        .find_map_first(|side| Split::new(game, &answers, side)?.family());
    Ok(found)
}

/// Sets of players without the output player: fewer players first, then in order. All of them for few players, else
/// singletons and prefixes.
pub fn splits(game: &Game) -> Vec<Vec<PlayerId>> {
    let count = game.players().len();
    let able: Vec<PlayerId> = (0..count)
        .map(PlayerId)
        .filter(|id| *id != game.output())
        .collect();
    let mut sides: Vec<Vec<PlayerId>> = if count <= ALL_SPLITS {
        (1..1usize << able.len())
            .map(|set| {
                let member =
                    |(place, id): (usize, &PlayerId)| (set >> place & 1 == 1).then_some(*id);
                able.iter().enumerate().filter_map(member).collect()
            })
            .collect()
    } else {
        let singletons = able.iter().map(|id| vec![*id]);
        let prefixes = (2..=able.len()).map(|end| able[..end].to_vec());
        singletons.chain(prefixes).collect()
    };
    sides.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    sides
}

/// One split of the players.
struct Split<'a> {
    game: &'a Game,
    answers: &'a Answers,
    side: Vec<PlayerId>,
    others: Vec<PlayerId>,
    crossing: Vec<Crossing>,
    /// Offsets of the inputs of A.
    members: Vec<usize>,
    /// Offsets of what some crossing slot sees outside A.
    foci: Vec<usize>,
    /// Offsets of the rest.
    rest: Vec<usize>,
}

/// Which foci are in, and what the crossing slots see of them.
#[derive(Clone)]
struct Chosen {
    foci: Vec<usize>,
    seen: Vec<BTreeSet<Vec<usize>>>,
    /// Class of each member under the tests so far, and the number of classes.
    classes: Vec<usize>,
    count: usize,
}

impl<'a> Split<'a> {
    /// Prepares a split; `None` when even one pattern per slot is too many for the inputs of A.
    fn new(game: &'a Game, answers: &'a Answers, side: Vec<PlayerId>) -> Option<Self> {
        let others = others(game, &side);
        let crossing = crossing(game, &side);
        let focus: BTreeSet<PlayerId> = crossing
            .iter()
            .flat_map(|slot| slot.sees.iter().copied())
            .collect();
        let (focus, rest): (Vec<PlayerId>, Vec<PlayerId>) =
            others.iter().partition(|id| focus.contains(id));
        let split = Self {
            members: answers.offsets(&side),
            foci: answers.offsets(&focus),
            rest: answers.offsets(&rest),
            game,
            answers,
            side,
            others,
            crossing,
        };
        let least = split.bound_of(&vec![1; split.crossing.len()])?;
        (BigUint::from(split.members.len()) > least).then_some(split)
    }

    fn bound_of(&self, exponents: &[usize]) -> Option<BigUint> {
        let slots = self.crossing.iter().map(|crossing| crossing.slot);
        let factors: Vec<(SlotId, usize)> = slots.zip(exponents.iter().copied()).collect();
        power_product(self.game, &factors).ok()
    }

    fn family(&self) -> Option<Family> {
        match self.answers.cells() {
            Cells::Functional(cells) => self.functional(cells),
            Cells::Relation(cells) => self.relation(cells),
        }
    }

    fn nothing(&self) -> Chosen {
        Chosen {
            foci: Vec::new(),
            seen: vec![BTreeSet::new(); self.crossing.len()],
            classes: vec![0; self.members.len()],
            count: 1,
        }
    }

    /// What each crossing slot sees of a focus.
    fn sees(&self, focus: usize) -> Vec<Vec<usize>> {
        let part = |crossing: &Crossing| {
            let sees = crossing.sees.iter();
            sees.map(|id| self.answers.place(*id, focus)).collect()
        };
        self.crossing.iter().map(part).collect()
    }

    /// The bound with one more focus.
    fn bound_with(&self, chosen: &Chosen, focus: usize) -> Option<BigUint> {
        let exponents: Vec<usize> = chosen
            .seen
            .iter()
            .zip(self.sees(focus))
            .map(|(seen, new)| seen.len() + usize::from(!seen.contains(&new)))
            .collect();
        self.bound_of(&exponents)
    }

    /// For one focus, a number per member: equal iff the answers over the rest are.
    fn signature(&self, cells: &[u64], focus: usize) -> Vec<usize> {
        let row = |member: usize| {
            let base = self.members[member] + focus;
            self.rest.iter().map(move |rest| cells[base + rest])
        };
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by(|a, b| row(*a).cmp(row(*b)));
        let mut signature = vec![0; order.len()];
        for two in order.windows(2) {
            let new = usize::from(!row(two[0]).eq(row(two[1])));
            signature[two[1]] = signature[two[0]] + new;
        }
        signature
    }

    fn functional(&self, cells: &[u64]) -> Option<Family> {
        let signatures: Vec<Vec<usize>> = self
            .foci
            .iter()
            .map(|focus| self.signature(cells, *focus))
            .collect();
        let everything = signatures.iter().fold(
            (vec![0; self.members.len()], 1),
            |(classes, _), signature| refine(&classes, signature),
        );
        let most = everything.1;
        let mut starts: Vec<usize> = (0..self.foci.len()).collect();
        let alone = |focus: &usize| refine(&self.nothing().classes, &signatures[*focus]).1;
        starts.sort_by_cached_key(|focus| (std::cmp::Reverse(alone(focus)), *focus));
        let chosen = starts
            .into_iter()
            .take(STARTS)
            .find_map(|start| self.grow(start, &signatures, most))?;
        self.write(cells, &chosen)
    }

    /// Adds foci to the first one, each time the one with the best ratio of members to bound, until there are more members.
    fn grow(&self, start: usize, signatures: &[Vec<usize>], most: usize) -> Option<Chosen> {
        let mut chosen = self.nothing();
        let mut bound = self.bound_with(&chosen, self.foci[start])?;
        self.add(&mut chosen, start, signatures);
        loop {
            if BigUint::from(chosen.count) > bound {
                return Some(chosen);
            }
            if BigUint::from(most) <= bound {
                return None;
            }
            let mut best: Option<(usize, usize, BigUint)> = None;
            for focus in (0..self.foci.len()).filter(|focus| !chosen.foci.contains(focus)) {
                let Some(bound) = self.bound_with(&chosen, self.foci[focus]) else {
                    continue;
                };
                let (_, count) = refine(&chosen.classes, &signatures[focus]);
                let better = best
                    .as_ref()
                    .is_none_or(|(_, most, least)| least * count > &bound * *most);
                if better && count > chosen.count {
                    best = Some((focus, count, bound));
                }
            }
            let (focus, _, new) = best?;
            self.add(&mut chosen, focus, signatures);
            bound = new;
        }
    }

    fn add(&self, chosen: &mut Chosen, focus: usize, signatures: &[Vec<usize>]) {
        (chosen.classes, chosen.count) = refine(&chosen.classes, &signatures[focus]);
        chosen.foci.push(focus);
        for (seen, new) in chosen.seen.iter_mut().zip(self.sees(self.foci[focus])) {
            seen.insert(new);
        }
    }

    /// One member per class, and few tests that still separate them.
    fn write(&self, cells: &[u64], chosen: &Chosen) -> Option<Family> {
        let members = first_of_each(&chosen.classes);
        let mut foci = chosen.foci.clone();
        foci.sort_unstable();
        let mut tests: Vec<usize> = foci
            .iter()
            .flat_map(|focus| self.rest.iter().map(move |rest| self.foci[*focus] + rest))
            .collect();
        tests.sort_unstable();
        let column = |test: &usize| -> Vec<u64> {
            let cell = |member: &usize| cells[self.members[*member] + test];
            members.iter().map(cell).collect()
        };
        let tests = few_tests(
            &self.plain(tests, members.len(), column),
            members.len(),
            column,
        );
        self.finish(&members, &tests, None)
    }

    /// The tests with as many players as possible held at what they have in the first test, the last player first, as long as
    /// all members stay apart.
    fn plain(
        &self,
        mut tests: Vec<usize>,
        members: usize,
        column: impl Fn(&usize) -> Vec<u64> + Copy,
    ) -> Vec<usize> {
        let Some(first) = tests.first().copied() else {
            return tests;
        };
        for player in self.others.iter().rev() {
            let held = self.answers.place(*player, first);
            let fewer: Vec<usize> = tests
                .iter()
                .copied()
                .filter(|test| self.answers.place(*player, *test) == held)
                .collect();
            let start = (vec![0; members], usize::from(members > 0));
            let (_, count) = fewer.iter().fold(start, |(classes, _), test| {
                refine(&classes, &numbers(&column(test)))
            });
            if count == members {
                tests = fewer;
            }
        }
        tests
    }

    fn finish(
        &self,
        members: &[usize],
        tests: &[usize],
        separators: Option<Vec<Separator>>,
    ) -> Option<Family> {
        let joint = |players: &[PlayerId], offset: usize| self.answers.joint(players, offset);
        let tests: Vec<_> = tests
            .iter()
            .map(|test| joint(&self.others, *test))
            .collect();
        let bound = bound(self.game, &self.side, &tests).ok()?;
        let members: Vec<_> = members
            .iter()
            .map(|member| joint(&self.side, self.members[*member]))
            .collect();
        (BigUint::from(members.len()) > bound).then(|| Family {
            side: self.side.clone(),
            members,
            tests,
            bound,
            separators,
        })
    }

    /// For relations: greedy cliques over the tests of one focus, then over all tests.
    fn relation(&self, cells: &[Accepted]) -> Option<Family> {
        let bundle =
            |focus: &usize| -> Vec<usize> { self.rest.iter().map(|rest| focus + rest).collect() };
        let single = self.foci.iter().map(bundle);
        let mut all: Vec<usize> = self.foci.iter().flat_map(bundle).collect();
        all.sort_unstable();
        single
            .chain(std::iter::once(all))
            .find_map(|tests| self.separated(cells, &tests))
    }

    fn separated(&self, cells: &[Accepted], tests: &[usize]) -> Option<Family> {
        let disjoint = |a: usize, b: usize, test: usize| {
            cells[self.members[a] + test]
                .and(&cells[self.members[b] + test])
                .is_empty()
        };
        let mut work = RELATION_WORK;
        let mut members: Vec<usize> = Vec::new();
        for new in 0..self.members.len() {
            work = work.checked_sub(members.len().saturating_mul(tests.len()))?;
            let apart = |old: &usize| tests.iter().any(|test| disjoint(*old, new, *test));
            if members.iter().all(apart) {
                members.push(new);
            }
        }
        if self.bound_of(&vec![1; self.crossing.len()])? >= BigUint::from(members.len()) {
            return None;
        }
        let separate = |a: usize, b: usize, used: &[usize]| {
            let fits = |test: &&usize| disjoint(a, b, **test);
            used.iter()
                .find(fits)
                .or_else(|| tests.iter().find(fits))
                .copied()
        };
        let mut used: Vec<usize> = Vec::new();
        let mut pairs = Vec::new();
        for (i, a) in members.iter().enumerate() {
            for (j, b) in members.iter().enumerate().skip(i + 1) {
                let test = separate(*a, *b, &used)?;
                if !used.contains(&test) {
                    used.push(test);
                }
                pairs.push((i, j, test));
            }
        }
        used.sort_unstable();
        let separators = pairs
            .into_iter()
            .map(|(i, j, test)| Some(Separator(i, j, used.binary_search(&test).ok()?)))
            .collect::<Option<Vec<_>>>()?;
        self.finish(&members, &used, Some(separators))
    }
}

/// Splits classes by a further number per member; new classes are numbered in sorted order.
pub(super) fn refine(classes: &[usize], by: &[usize]) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..classes.len()).collect();
    order.sort_unstable_by_key(|member| (classes[*member], by[*member], *member));
    let mut refined = vec![0; classes.len()];
    let mut count = usize::from(!classes.is_empty());
    for two in order.windows(2) {
        let same = classes[two[0]] == classes[two[1]] && by[two[0]] == by[two[1]];
        count += usize::from(!same);
        refined[two[1]] = count - 1;
    }
    (refined, count)
}

/// The first member of each class, in order.
pub(super) fn first_of_each(classes: &[usize]) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    (0..classes.len())
        .filter(|member| seen.insert(classes[*member]))
        .collect()
}

/// Few of the tests that still tell all members apart, if all of them do: the first, then from the last one backwards each
/// that tells
/// more apart (so that they spread), then each is dropped if the others suffice. In increasing order.
///
/// # Cost
/// Tests times members, sorted; the square of the number of kept tests.
pub(super) fn few_tests(
    tests: &[usize],
    members: usize,
    column: impl Fn(&usize) -> Vec<u64>,
) -> Vec<usize> {
    let mut classes = (vec![0; members], usize::from(members > 0));
    let mut kept: Vec<(usize, Vec<usize>)> = Vec::new();
    let (first, later) = tests.split_at(tests.len().min(1));
    for test in first.iter().chain(later.iter().rev()) {
        if classes.1 == members {
            break;
        }
        let by = numbers(&column(test));
        let refined = refine(&classes.0, &by);
        if refined.1 > classes.1 {
            classes = refined;
            kept.push((*test, by));
        }
    }
    let reached = classes.1;
    let separates = |kept: &[(usize, Vec<usize>)]| {
        let start = (vec![0; members], usize::from(members > 0));
        let all = kept
            .iter()
            .fold(start, |(classes, _), (_, by)| refine(&classes, by));
        all.1 == reached
    };
    let mut place = 0;
    while place < kept.len() {
        let dropped = kept.remove(place);
        if !separates(&kept) {
            kept.insert(place, dropped);
            place += 1;
        }
    }
    let mut tests: Vec<usize> = kept.into_iter().map(|(test, _)| test).collect();
    tests.sort_unstable();
    tests
}

/// Values as small numbers in order.
fn numbers(values: &[u64]) -> Vec<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    values
        .iter()
        .map(|value| sorted.partition_point(|known| known < value))
        .collect()
}
