//! Distinguishing families: a counting proof that no protocol exists.

use super::separation::Rows;
use super::support::read_candidates;
use super::{
    Code, Failure, Separator, Support, TooLarge, Violation, accepted, check_elements, everyone,
    within,
};
use crate::exact::{Digits, DomainError};
use crate::game::{Game, Inputs, PlayerId, SlotId, Task};
use num_bigint::BigUint;
use num_traits::One;
use std::collections::BTreeSet;

/// Bits of the largest bound that is written out.
const MAX_BOUND_BITS: u64 = 1 << 24;

/// Inputs of some players A, pairwise told apart by tests on the others, that are more than the symbols from A can tell apart.
///
/// # Source
/// Derived, `docs/proofs.md` 4, with the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The players of A, in player order; the output player is not among them.
    pub side: Vec<PlayerId>,
    /// Inputs of A: one element per player of `side`.
    pub members: Vec<Vec<Digits>>,
    /// Inputs of the others, in player order.
    pub tests: Vec<Vec<Digits>>,
    /// Product over the crossing slots of alphabet to the number of distinct tests they can see.
    pub bound: BigUint,
    /// For tasks with more than one accepted answer: a test per pair of members, pairs in lexicographic order.
    pub separators: Option<Vec<Separator>>,
}

/// A slot that carries something from A to the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// The slot.
    pub slot: SlotId,
    /// The players outside A that its symbol can depend on, in player order.
    pub sees: Vec<PlayerId>,
}

impl Family {
    /// The players outside A, in player order.
    pub fn others(&self, game: &Game) -> Vec<PlayerId> {
        others(game, &self.side)
    }

    /// Checks the definition; then no protocol solves the task on this game.
    ///
    /// # Errors
    /// [`Violation`], in this order: `coverage` (`side` not increasing, or with the output player), `domain`, `coverage`
    /// (separators),
    /// `not-separated`, `bound` (stored bound wrong, or not exceeded). [`TooLarge`] when members times tests exceed the limit.
    /// # Cost
    /// Members times tests task look-ups, sorted; a look-up per pair with separators.
    pub fn holds(&self, game: &Game, task: &dyn Task, limit: &BigUint) -> Result<(), Failure> {
        self.check_side(game)?;
        let others = self.others(game);
        for (place, member) in self.members.iter().enumerate() {
            check_elements(game, &self.side, member, &format!("/members/{place}"))?;
        }
        for (place, test) in self.tests.iter().enumerate() {
            check_elements(game, &others, test, &format!("/tests/{place}"))?;
        }
        let work = BigUint::from(self.members.len()) * self.tests.len();
        within("members times tests", Ok(work), limit)?;
        self.rows(game, task, &others)?
            .check(self.separators.as_deref())?;
        self.check_bound(game)
    }

    fn check_side(&self, game: &Game) -> Result<(), Violation> {
        let increasing = self.side.windows(2).all(|two| two[0] < two[1]);
        let known = self.side.iter().all(|id| id.0 < game.players().len());
        if increasing && known && !self.side.contains(&game.output()) {
            return Ok(());
        }
        Err(Violation::new(
            "/side",
            Code::Coverage,
            "players out of order, unknown, or with the output player",
            "players in player order, without the output player",
        ))
    }

    fn rows(&self, game: &Game, task: &dyn Task, others: &[PlayerId]) -> Result<Rows, Violation> {
        let mut inputs = Inputs::first(game);
        let mut rows = Vec::with_capacity(self.members.len());
        for (place, member) in self.members.iter().enumerate() {
            put(&mut inputs, &self.side, member);
            let mut row = Vec::with_capacity(self.tests.len());
            for test in &self.tests {
                put(&mut inputs, others, test);
                row.push(accepted(task, &inputs, &format!("/members/{place}"))?);
            }
            rows.push(row);
        }
        Ok(Rows {
            answers: task.answers(),
            rows,
        })
    }

    fn check_bound(&self, game: &Game) -> Result<(), Failure> {
        let bound = bound(game, &self.side, &self.tests)?;
        if bound != self.bound {
            let (found, expected) = (self.bound.to_string(), bound.to_string());
            return Err(Violation::new("/bound", Code::Bound, found, expected).into());
        }
        if BigUint::from(self.members.len()) <= bound {
            return Err(Violation::new(
                "/members",
                Code::Bound,
                format!("{} members", self.members.len()),
                format!("more than {bound}"),
            )
            .into());
        }
        Ok(())
    }
}

/// The players outside `side`, in player order.
pub fn others(game: &Game, side: &[PlayerId]) -> Vec<PlayerId> {
    everyone(game).filter(|id| !side.contains(id)).collect()
}

/// The slots that carry something from `side` to the others: kept, received outside `side`, and sent or consulted (or
/// readable, for a read slot) inside.
///
/// # Cost
/// Three passes over the schedule.
pub fn crossing(game: &Game, side: &[PlayerId]) -> Vec<Crossing> {
    let inside = |id: &PlayerId| side.contains(id);
    Support::of(game)
        .kept()
        .filter(|(id, _)| {
            let slot = game.slot(*id);
            !inside(&slot.to)
                && (slot.seen().any(|player| inside(&player))
                    || read_candidates(game, *id).iter().any(inside))
        })
        .map(|(slot, support)| Crossing {
            slot,
            sees: support.iter().filter(|id| !inside(id)).copied().collect(),
        })
        .collect()
}

/// The number of patterns: product over the crossing slots of alphabet to the number of distinct restrictions of the tests to
/// what the
/// slot can see outside `side`.
///
/// # Errors
/// [`TooLarge`] above 2^24 bits.
/// # Cost
/// One sorted set of restrictions per crossing slot, one power.
pub fn bound(game: &Game, side: &[PlayerId], tests: &[Vec<Digits>]) -> Result<BigUint, TooLarge> {
    let others = others(game, side);
    let mut factors = Vec::new();
    for Crossing { slot, sees } in crossing(game, side) {
        let places: Vec<usize> = sees
            .iter()
            .filter_map(|id| others.iter().position(|other| other == id))
            .collect();
        let restrictions: BTreeSet<Vec<&Digits>> = tests
            .iter()
            .map(|test| places.iter().filter_map(|place| test.get(*place)).collect())
            .collect();
        factors.push((slot, restrictions.len()));
    }
    power_product(game, &factors)
}

/// The product of alphabet to exponent over some slots.
///
/// # Errors
/// [`TooLarge`] above 2^24 bits.
/// # Cost
/// One power per slot.
pub fn power_product(game: &Game, factors: &[(SlotId, usize)]) -> Result<BigUint, TooLarge> {
    let bits: BigUint = factors
        .iter()
        .map(|(slot, exponent)| BigUint::from(game.alphabet(*slot).size().bits()) * *exponent)
        .sum();
    if bits > BigUint::from(MAX_BOUND_BITS) {
        return Err(TooLarge {
            what: "bits of the bound".to_owned(),
            size: Err(DomainError::TooLarge(bits)),
            limit: MAX_BOUND_BITS.into(),
        });
    }
    let product = factors.iter().fold(BigUint::one(), |product, (slot, r)| {
        // The exponent fits, as the product of it and at least one bit is below 2^24.
        product
            * game
                .alphabet(*slot)
                .size()
                .pow(u32::try_from(*r).unwrap_or(u32::MAX))
    });
    Ok(product)
}

/// Writes elements of some players into a full input.
pub(super) fn put(inputs: &mut Inputs, players: &[PlayerId], elements: &[Digits]) {
    for (player, digits) in players.iter().zip(elements) {
        inputs.0[player.0].clone_from(digits);
    }
}
