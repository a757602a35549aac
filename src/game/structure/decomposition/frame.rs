//! Where things stand in a hybrid game: who is above a level, what crosses it, which values are reached.

use crate::exact::{Digits, DomainError, product};
use crate::game::shape::Shape;
use crate::game::structure::Code;
use crate::game::structure::Violation;
use crate::game::{Game, Inputs, PlayerId, Protocol, Run, SlotId, Task, run_until};
use num_bigint::BigUint;
use std::collections::BTreeSet;

/// A hybrid game with the protocol that is decomposed.
pub struct Frame<'a> {
    /// The game.
    pub game: &'a Game,
    /// Composition; its answers decide whether a pair fools.
    pub task: &'a (dyn Task + Sync),
    /// The protocol.
    pub protocol: &'a (dyn Protocol + Sync),
    shape: Shape,
    queries: Vec<u64>,
}

impl std::fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame")
            .field("shape", &self.shape)
            .field("queries", &self.queries)
            .finish_non_exhaustive()
    }
}

impl<'a> Frame<'a> {
    /// The frame; `None` unless the game has the players and tables of composition with at least two steps.
    pub fn new(
        game: &'a Game,
        task: &'a (dyn Task + Sync),
        protocol: &'a (dyn Protocol + Sync),
    ) -> Option<Self> {
        let shape = Shape::of(game).filter(|shape| shape.steps >= 2)?;
        let queries = shape.queries(game)?;
        Some(Self {
            game,
            task,
            protocol,
            shape,
            queries,
        })
    }

    /// L.
    pub fn steps(&self) -> usize {
        self.shape.steps
    }

    /// D0.
    pub fn start(&self) -> u64 {
        self.shape.start
    }

    /// `m_l`.
    pub fn range(&self, l: usize) -> u64 {
        self.shape.ranges[l - 1]
    }

    /// `n_1..n_(L-1)`.
    pub fn queries(&self) -> &[u64] {
        &self.queries
    }

    /// The player with this label.
    pub fn player(&self, label: usize) -> PlayerId {
        self.shape.player(label)
    }

    /// The players L, .., level.
    pub fn upper(&self, level: usize) -> impl Iterator<Item = PlayerId> + use<> {
        (0..=self.shape.steps - level).map(PlayerId)
    }

    /// True for the players L, .., level.
    pub fn is_upper(&self, player: PlayerId, level: usize) -> bool {
        player.0 <= self.shape.steps - level
    }

    /// The epoch of a slot.
    fn epoch(&self, id: SlotId) -> u64 {
        self.game.slot(id).at.first().copied().unwrap_or(0)
    }

    /// The crossing slots of a level with at least two symbols, in schedule order: from a player >= level to one below, in
    /// epochs 0..level.
    pub fn crossing(&self, level: usize) -> Vec<SlotId> {
        let crosses = |id: &SlotId| {
            let slot = self.game.slot(*id);
            self.epoch(*id) <= level as u64
                && self.is_upper(slot.from, level)
                && !self.is_upper(slot.to, level)
        };
        self.game.open_slots().filter(crosses).collect()
    }

    /// Number of rounds up to the end of an epoch.
    pub fn rounds(&self, epoch: usize) -> usize {
        let last = self
            .game
            .ids()
            .rev()
            .find(|id| self.epoch(*id) <= epoch as u64);
        last.map_or(0, |id| self.game.round_of(id) + 1)
    }

    /// The open slots to player -1 in epochs 0 and 1.
    pub fn first_epoch_to_output(&self) -> Vec<SlotId> {
        let output = self.game.output();
        self.game
            .open_slots()
            .filter(|id| self.game.slot(*id).to == output && self.epoch(*id) <= 1)
            .collect()
    }

    /// The slot `soft 1->-1 @1`, when it has at least two symbols.
    pub fn pattern_slot(&self) -> Option<SlotId> {
        self.game
            .find_slot("soft 1->-1 @1")
            .filter(|id| self.game.is_open(*id))
    }

    /// |A_L| .. |A_level|, exact.
    ///
    /// # Errors
    /// [`DomainError`] when it cannot be written down.
    pub fn upper_size(&self, level: usize) -> Result<BigUint, DomainError> {
        let sizes: Vec<BigUint> = self
            .upper(level)
            .map(|id| self.game.player(id).domain.size())
            .collect::<Result<_, _>>()?;
        product(&sizes.iter().collect::<Vec<_>>())
    }

    /// The tuple of `A_L x .. x A_level` with this index, first component most significant.
    pub fn tuple(&self, level: usize, index: u64) -> Vec<Digits> {
        let mut rest = index;
        let mut tuple: Vec<Digits> = self
            .upper(level)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .map(|id| {
                let domain = &self.game.player(id).domain;
                let size = domain.index_size().unwrap_or(u64::MAX);
                let digits = domain.element(rest % size).unwrap_or_default();
                rest /= size;
                digits
            })
            .collect();
        tuple.reverse();
        tuple
    }

    /// All tuples `(z_(l-1), .., z_0, w)` of a product, in order: each Z_j in the order in which its members were put in.
    ///
    /// # Cost
    /// The number of tuples; the caller has looked at it.
    pub fn lower(&self, z: &[Vec<Digits>]) -> Vec<Vec<Digits>> {
        let domain = &self.game.player(self.game.output()).domain;
        let mut w = domain.first();
        let mut last = Vec::new();
        loop {
            last.push(vec![w.clone()]);
            if !domain.advance(&mut w) {
                break;
            }
        }
        z.iter().fold(last, |tails, members| {
            members
                .iter()
                .flat_map(|member| {
                    tails.iter().map(move |tail| {
                        std::iter::once(member.clone())
                            .chain(tail.iter().cloned())
                            .collect()
                    })
                })
                .collect()
        })
    }

    /// Exact number of tuples of [`Frame::lower`].
    pub fn lower_size(&self, z: &[Vec<Digits>]) -> BigUint {
        let queries: BigUint = self.queries.iter().product();
        z.iter()
            .map(|members| BigUint::from(members.len()))
            .product::<BigUint>()
            * queries
    }

    /// The values `i_k` that a product Z_0 x .. x Z_k reaches, k = number of sets less one.
    ///
    /// For one w, `V_(j+1)` is an image of `V_j`, and images respect unions; so the union over all w may be taken step by step.
    pub fn reach(&self, z: &[Vec<Digits>]) -> BTreeSet<u64> {
        let mut reached: BTreeSet<u64> = z[0].iter().map(|digits| digits[0]).collect();
        for (j, tables) in z.iter().enumerate().skip(1) {
            let rows = if j == 1 { 1 } else { self.queries[j - 2] };
            let m = if j == 1 { 0 } else { self.shape.ranges[j - 2] };
            reached = tables
                .iter()
                .flat_map(|table| {
                    let reached = &reached;
                    (0..rows).flat_map(move |row| {
                        reached.iter().filter_map(move |value| {
                            let address = usize::try_from(row * m + value).ok()?;
                            table.get(address).copied()
                        })
                    })
                })
                .collect();
        }
        reached
    }

    /// One naive run of the first rounds on an upper and a lower tuple.
    ///
    /// # Errors
    /// `replay` when the run is not legal.
    pub fn run(&self, upper: &[Digits], lower: &[Digits], rounds: usize) -> Result<Run, Violation> {
        let inputs = Inputs(upper.iter().chain(lower).cloned().collect());
        run_until(self.game, self.protocol, &inputs, rounds).map_err(|error| {
            Violation::new(
                "",
                Code::Replay,
                format!("{error} on {:?}", inputs.0),
                "a legal run",
            )
        })
    }
}
