//! The hybrid game: full-attention layers as soft rounds, recurrent layers as linear passes.
//!
//! Players L, .., 1, 0, -1. Epoch e >= 1 begins with one soft round in which every j speaks to every i < j and may look at the
//! view of i; then come linear passes, each of which goes L -> L-1 -> .. -> -1 in rounds of their own. Epoch 0, if any, is passes
//! without a soft round.

use super::label;
use super::layout::{Letter, Word};
use crate::exact::{Alphabet, Domain, DomainError, Field, Form};
use crate::game::game::MAX_SLOTS;
use crate::game::{Channel, Game, GameError, Player, PlayerId, Round, Rule, Slot};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// Alphabets by edge (from label, to label); an absent edge is closed (one symbol).
pub type Edges = BTreeMap<(i64, i64), Alphabet>;

/// Passes with the same alphabets, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passes {
    /// How many.
    pub count: BigUint,
    /// Alphabets of the edges j -> j-1.
    pub edges: Edges,
}

/// One soft round (none in epoch 0) and the passes after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// Number in slot names; 0 only for passes before the first soft round.
    pub number: u64,
    /// Alphabets of the edges j -> i; `None` in epoch 0.
    pub soft: Option<Edges>,
    /// The passes.
    pub passes: Vec<Passes>,
}

/// Parameters of the hybrid game.
///
/// # Source
/// `hybrid-v1`, Section 4 and Appendix B. Deviation: addresses are 0-based `w*m + i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hybrid {
    /// Composition steps L.
    pub steps: u64,
    /// Size D0 of the domain of `z_0`.
    pub start: u64,
    /// `m_1..m_L`.
    pub ranges: Vec<u64>,
    /// `n_1..n_(L-1)`.
    pub queries: Vec<u64>,
    /// The layers.
    pub epochs: Vec<Epoch>,
}

impl Hybrid {
    /// The epochs of a layout word with the same alphabets everywhere.
    pub fn epochs_of(word: &Word, soft: &Edges, linear: &Edges) -> Result<Vec<Epoch>, GameError> {
        let passes = |count: &BigUint| {
            if count.is_zero() {
                Vec::new()
            } else {
                vec![Passes {
                    count: count.clone(),
                    edges: linear.clone(),
                }]
            }
        };
        let mut epochs = Vec::new();
        let mut number = 0;
        for (letter, count) in word.runs() {
            match letter {
                Letter::R if epochs.is_empty() => {
                    epochs.push(Epoch {
                        number: 0,
                        soft: None,
                        passes: passes(count),
                    });
                }
                Letter::R => {
                    if let Some(last) = epochs.last_mut() {
                        last.passes = passes(count);
                    }
                }
                Letter::F => {
                    let layers = count.to_u64().filter(|layers| *layers <= MAX_SLOTS as u64);
                    for _ in 0..layers.ok_or_else(|| GameError::TooManySlots(count.clone()))? {
                        number += 1;
                        epochs.push(Epoch {
                            number,
                            soft: Some(soft.clone()),
                            passes: Vec::new(),
                        });
                    }
                }
            }
        }
        Ok(epochs)
    }

    /// The layout word.
    pub fn word(&self) -> Word {
        Word::from_runs(self.epochs.iter().flat_map(|epoch| {
            let soft = epoch.soft.iter().map(|_| (Letter::F, BigUint::one()));
            let passes = epoch
                .passes
                .iter()
                .map(|passes| (Letter::R, passes.count.clone()));
            soft.chain(passes).collect::<Vec<_>>()
        }))
    }

    /// Exact number of slots of the unrolled game.
    pub fn slots(&self) -> BigUint {
        let (per_soft, per_pass) = (
            BigUint::from(self.steps + 1) * (self.steps + 2) / 2u8,
            self.steps + 1,
        );
        let soft = self
            .epochs
            .iter()
            .filter(|epoch| epoch.soft.is_some())
            .count();
        let passes: BigUint = self
            .epochs
            .iter()
            .flat_map(|epoch| &epoch.passes)
            .map(|passes| &passes.count)
            .sum();
        per_soft * soft + passes * per_pass
    }

    /// The game, every pass unrolled.
    ///
    /// # Errors
    /// [`GameError::TooManySlots`] with the exact number above 2^20, and sizes too large to be written down.
    /// # Cost
    /// The number of slots.
    pub fn game(&self) -> Result<Game, GameError> {
        let slots = self.slots();
        if slots > BigUint::from(MAX_SLOTS) {
            return Err(GameError::TooManySlots(slots));
        }
        self.with_passes(|_, count| (1..=count.to_u64().unwrap_or(0)).collect())
    }

    /// The game with only those passes that can change what flows where: of consecutive passes with the same open edges the
    /// first, and those that `named` (pass numbers mentioned by a pin) sets apart. Slots keep their names.
    ///
    /// The slots of a pass go L..0, so one pass carries influence as far down as passes can; an equal pass right after
    /// it changes nothing.
    ///
    /// # Errors
    /// As [`Hybrid::game`], for what is left.
    /// # Cost
    /// Independent of the numbers of passes.
    pub fn reduced_game(&self, named: &[u64]) -> Result<Game, GameError> {
        self.with_passes(|first, count| {
            if count.is_zero() {
                return Vec::new();
            }
            let last = count
                .to_u64()
                .map_or(u64::MAX, |count| first.saturating_add(count - 1));
            let mut kept: Vec<u64> = std::iter::once(first)
                .chain(
                    named
                        .iter()
                        .flat_map(|pass| [*pass, pass.saturating_add(1)]),
                )
                .filter(|pass| (first..=last).contains(pass))
                .map(|pass| pass - first + 1)
                .collect();
            kept.sort_unstable();
            kept.dedup();
            kept
        })
    }

    /// Builds the game; `keep(first, count)` gives the 1-based places to keep of a run of `count` passes that begins at pass `first`.
    fn with_passes(&self, keep: impl Fn(u64, &BigUint) -> Vec<u64>) -> Result<Game, GameError> {
        let players = self.players()?;
        let top = i64::try_from(self.steps).unwrap_or(i64::MAX);
        let id = |name: i64| PlayerId(usize::try_from(top - name).unwrap_or(usize::MAX));
        let slot =
            |edges: &Edges, from: i64, to: i64, consults: Vec<PlayerId>, channel, at: Vec<u64>| {
                Slot {
                    from: id(from),
                    to: id(to),
                    consults,
                    channel,
                    rule: Rule::Chosen(
                        edges
                            .get(&(from, to))
                            .cloned()
                            .unwrap_or_else(Alphabet::silent),
                    ),
                    at,
                }
            };
        let mut rounds: Vec<Round> = Vec::new();
        for epoch in &self.epochs {
            if let Some(edges) = &epoch.soft {
                let pairs = (0..=top)
                    .rev()
                    .flat_map(|from| (-1..from).rev().map(move |to| (from, to)));
                rounds.push(
                    pairs
                        .map(|(from, to)| {
                            slot(
                                edges,
                                from,
                                to,
                                vec![id(to)],
                                Channel::Soft,
                                vec![epoch.number],
                            )
                        })
                        .collect(),
                );
            }
            let mut first = 1u64;
            for passes in &epoch.passes {
                for place in keep(first, &passes.count) {
                    let at = vec![epoch.number, first + (place - 1)];
                    rounds.extend((0..=top).rev().map(|from| {
                        vec![slot(
                            &passes.edges,
                            from,
                            from - 1,
                            Vec::new(),
                            Channel::Linear,
                            at.clone(),
                        )]
                    }));
                }
                first = first.saturating_add(passes.count.to_u64().unwrap_or(u64::MAX));
            }
        }
        let output = PlayerId(players.len() - 1);
        Game::new(players, rounds, output)
    }

    fn players(&self) -> Result<Vec<Player>, GameError> {
        let too_wide = |name: String, digits: BigUint| GameError::Size {
            what: format!("the domain of {name}"),
            error: DomainError::TooWide(digits),
        };
        let player = |name: String, fields: Vec<Field>| {
            let domain = Domain::new(fields).map_err(|error| GameError::Size {
                what: format!("the domain of {name}"),
                error,
            })?;
            Ok(Player {
                label: label(&name),
                domain,
            })
        };
        let mut players = Vec::new();
        for (l, range) in self.ranges.iter().enumerate().rev() {
            let entries = match l.checked_sub(1) {
                None => BigUint::from(self.start),
                Some(below) => BigUint::from(self.queries[below]) * self.ranges[below],
            };
            let len = entries
                .to_u64()
                .ok_or_else(|| too_wide((l + 1).to_string(), entries))?;
            let form = Form::Table {
                len,
                values: *range,
            };
            players.push(player(
                (l + 1).to_string(),
                vec![Field {
                    name: format!("z{}", l + 1),
                    form,
                }],
            )?);
        }
        players.push(player(
            "0".to_owned(),
            vec![Field {
                name: "z0".to_owned(),
                form: Form::Number(self.start),
            }],
        )?);
        let queries = self.queries.iter().zip(1..);
        let fields = queries
            .map(|(n, l)| Field {
                name: format!("w{l}"),
                form: Form::Number(*n),
            })
            .collect();
        players.push(player("-1".to_owned(), fields)?);
        Ok(players)
    }

    /// Number of tokens of player `to`, the exponent of a per-token alphabet: D0 for 1, n(l-1) m(l-1) for l > 1, else 1.
    pub fn tokens(&self, to: i64) -> BigUint {
        match usize::try_from(to) {
            Ok(1) => self.start.into(),
            Ok(l) if l >= 2 => BigUint::from(self.queries[l - 2]) * self.ranges[l - 2],
            Ok(_) | Err(_) => BigUint::one(),
        }
    }
}
