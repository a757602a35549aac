//! Cliques of conflicts: inputs that one message function must all tell apart.

use super::classes::OneWay;
use super::{Code, Failure, Violation, accepted, check_element, inputs_of, within};
use crate::exact::{Digits, DomainError};
use crate::game::{Game, Inputs, PlayerId, Rule, Slot, SlotId, Task};
use num_bigint::BigUint;

/// Pairwise conflicting inputs of a message function, more than it has symbols.
///
/// In a one-way game: inputs of the speaker; two conflict if some input of the listener has no answer accepted on both. In a
/// sparse game
/// with a shared map: blocks; a and b conflict if for some query, in one of the two orders, for every set of as many blocks as
/// are read there is a player
/// outside the set such that "every block is a" and "the same, but that player holds b" have no accepted answer in common.
///
/// If one summary served a and b, then on both inputs the reader would get the same summaries, make the same selection and,
/// the changed
/// block being outside it, read the same blocks: same view, no common answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clique {
    /// The inputs.
    pub members: Vec<Digits>,
    /// Alphabet of the slot.
    pub symbols: BigUint,
}

/// The conflict graph of a game that has one.
#[derive(Clone)]
pub struct Conflicts<'a> {
    game: &'a Game,
    task: &'a dyn Task,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    OneWay(OneWay),
    Shared {
        /// The players that summarise, in slot order.
        blocks: Vec<PlayerId>,
        /// Blocks read at most.
        read: usize,
    },
}

impl std::fmt::Debug for Conflicts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conflicts")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl Clique {
    /// Checks that the members conflict pairwise and are more than the symbols; then no protocol solves the task on this game.
    ///
    /// # Errors
    /// [`Violation`], in this order: `kind-mismatch` (neither a one-way game nor a sparse one with a shared map), `domain`,
    /// `not-separated`
    /// (no conflict, or a member twice), `bound` (stored number of symbols wrong, or not exceeded). [`super::TooLarge`] when
    /// the task look-ups exceed the limit.
    /// # Cost
    /// Pairs times inputs of the listener, each two task look-ups (2q + 2 with a shared map on q blocks).
    pub fn holds(&self, game: &Game, task: &dyn Task, limit: &BigUint) -> Result<(), Failure> {
        let conflicts = Conflicts::of(game, task).ok_or_else(no_graph)?;
        for (place, member) in self.members.iter().enumerate() {
            let at = format!("/clique/{place}");
            check_element(game, conflicts.speaker(), member, at)?;
        }
        let work = conflicts.work(self.members.len());
        within("task look-ups", work, limit)?;
        for (j, right) in self.members.iter().enumerate() {
            for (i, left) in self.members[..j].iter().enumerate() {
                if !conflicts.conflict(left, right)? {
                    return Err(Violation::new(
                        format!("/clique/{j}"),
                        Code::NotSeparated,
                        format!("no conflict with member {i}"),
                        "pairwise conflicts",
                    )
                    .into());
                }
            }
        }
        self.check_bound(game.alphabet(conflicts.slot()).size())
    }

    fn check_bound(&self, symbols: &BigUint) -> Result<(), Failure> {
        if *symbols != self.symbols {
            let (found, expected) = (self.symbols.to_string(), symbols.to_string());
            return Err(Violation::new("/symbols", Code::Bound, found, expected).into());
        }
        if BigUint::from(self.members.len()) <= *symbols {
            return Err(Violation::new(
                "/clique",
                Code::Bound,
                format!("{} members", self.members.len()),
                format!("more than {symbols}"),
            )
            .into());
        }
        Ok(())
    }
}

impl<'a> Conflicts<'a> {
    /// The conflict graph, when the game is one-way, or all it has are summaries under one shared map, selections by the
    /// output player and reads.
    ///
    /// # Cost
    /// One pass over the slots.
    pub fn of(game: &'a Game, task: &'a dyn Task) -> Option<Self> {
        let kind = match OneWay::of(game) {
            Some(roles) => Kind::OneWay(roles),
            None => shared_map(game)?,
        };
        Some(Self { game, task, kind })
    }

    /// The player whose inputs are the vertices (one of them, under a shared map).
    pub fn speaker(&self) -> PlayerId {
        match &self.kind {
            Kind::OneWay(roles) => roles.speaker,
            Kind::Shared { blocks, .. } => blocks[0],
        }
    }

    /// The slot whose symbols must tell the vertices apart (one of them, under a shared map).
    pub fn slot(&self) -> SlotId {
        match &self.kind {
            Kind::OneWay(roles) => roles.slot,
            Kind::Shared { .. } => self.game.shared()[0],
        }
    }

    /// Task look-ups for all pairs of so many members.
    ///
    /// # Errors
    /// A listener's domain too large to be counted.
    pub fn work(&self, members: usize) -> Result<BigUint, DomainError> {
        let pairs = BigUint::from(members) * members.saturating_sub(1) / 2u8;
        let per_test = match &self.kind {
            Kind::OneWay(_) => 2,
            Kind::Shared { blocks, .. } => 2 * (blocks.len() + 1),
        };
        Ok(pairs * per_test * inputs_of(self.game, [self.game.output()])?)
    }

    /// True when one symbol cannot serve both inputs of the speaker.
    ///
    /// # Errors
    /// [`Violation`] `replay` when the task is undefined somewhere.
    /// # Cost
    /// The inputs of the output player, each two task look-ups (2q + 2 with a shared map on q blocks).
    pub fn conflict(&self, left: &Digits, right: &Digits) -> Result<bool, Violation> {
        let output = self.game.output();
        let mut inputs = Inputs::first(self.game);
        loop {
            let found = match &self.kind {
                Kind::OneWay(roles) => {
                    let test = inputs.of(output);
                    let one = accepted(self.task, &roles.inputs(left, test), "/clique")?;
                    let other = accepted(self.task, &roles.inputs(right, test), "/clique")?;
                    one.and(&other).is_empty()
                }
                Kind::Shared { blocks, read } => {
                    self.outside_every_selection(&mut inputs, blocks, *read, left, right)?
                        || self.outside_every_selection(&mut inputs, blocks, *read, right, left)?
                }
            };
            if found {
                return Ok(true);
            }
            if !inputs.advance_players(self.game, std::iter::once(output)) {
                return Ok(false);
            }
        }
    }

    /// On "every block is a" against "one block is b", at the query in `inputs`: for every set of `read` blocks a block
    /// outside it breaks the answer, that
    /// is, more than `read` blocks do.
    fn outside_every_selection(
        &self,
        inputs: &mut Inputs,
        blocks: &[PlayerId],
        read: usize,
        a: &Digits,
        b: &Digits,
    ) -> Result<bool, Violation> {
        for block in blocks {
            inputs.0[block.0].clone_from(a);
        }
        let base = accepted(self.task, inputs, "/clique")?;
        let mut breaking = 0;
        for block in blocks {
            inputs.0[block.0].clone_from(b);
            let swapped = accepted(self.task, inputs, "/clique")?;
            inputs.0[block.0].clone_from(a);
            breaking += usize::from(base.and(&swapped).is_empty());
        }
        Ok(breaking > read)
    }
}

/// The shape of a sparse game with a shared map: one summary from every other player to the output player, all shared, all in
/// the first
/// round; everything else is selections and reads by the output player alone.
fn shared_map(game: &Game) -> Option<Kind> {
    let output = game.output();
    let shared = game.shared();
    let mut blocks: Vec<PlayerId> = shared.iter().map(|id| game.slot(*id).from).collect();
    blocks.sort_unstable();
    let everyone_else: Vec<PlayerId> = game.candidates(output).collect();
    let summaries = shared.iter().all(|id| {
        let slot = game.slot(*id);
        slot.to == output && slot.consults.is_empty() && game.round_of(*id) == 0
    });
    let own = game
        .ids()
        .filter(|id| !shared.contains(id))
        .all(|id| selects_or_reads(game, id));
    let reads = |slot: &&Slot| matches!(slot.rule, Rule::Read { .. });
    let read = game.slots().iter().filter(reads).count();
    (!blocks.is_empty() && blocks == everyone_else && summaries && own)
        .then_some(Kind::Shared { blocks, read })
}

fn selects_or_reads(game: &Game, id: SlotId) -> bool {
    let slot = game.slot(id);
    let alone = slot.from == game.output() && slot.to == game.output() && slot.consults.is_empty();
    alone && !matches!(slot.rule, Rule::Forward)
}

fn no_graph() -> Violation {
    Violation::new(
        "",
        Code::KindMismatch,
        "a game without a conflict graph",
        "a one-way game, or a sparse game with a shared map",
    )
}
