//! Symbols by written rules: an upper index is cut into a high and a low part, and each rule is two small tables.

use super::questions::Questions;
use super::{Control, filtered};
use crate::game::PlayerId;
use crate::game::protocol::{OwnRule, Read};
use crate::game::run::own_rule;
use crate::game::structure::decomposition::{Bits, Frame};
use crate::game::{SlotId, View};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
use std::collections::BTreeMap;

/// Largest low part.
const LOW: u64 = 1 << 12;
/// Largest high part.
const HIGH: u64 = 1 << 22;
/// Largest number of keys that are counted in a flat array.
const FLAT: u64 = 1 << 16;

/// Rules of one sender, one per question, on its own table.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// Divide an upper index by the first and reduce by the second to get the sender's table.
    stride: (u64, u64),
    low: u64,
    asks: Vec<Ask>,
    /// Where each question looks at one part only: the key is the sum of what the parts give.
    sums: Option<(Vec<u64>, Vec<u64>)>,
}

/// `(high + low) mod modulus` is the symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ask {
    modulus: u64,
    high: Vec<u64>,
    low: Vec<u64>,
}

impl Rules {
    /// The rules of a slot, when its sender has heard nothing and has a rule for every question.
    pub(super) fn compile(
        frame: &Frame<'_>,
        level: usize,
        slot: SlotId,
        questions: &Questions,
    ) -> Option<Self> {
        let game = frame.game;
        let sender = game.slot(slot).from;
        let alone = |player: PlayerId| {
            let start = game.round_start(game.round_of(slot));
            !game.stored(player, start).any(|id| game.is_open(id))
        };
        let seen: Vec<PlayerId> = game.slot(slot).seen().collect();
        let others_lower = seen[1..].iter().all(|id| !frame.is_upper(*id, level));
        if !alone(sender) || !others_lower {
            return None;
        }
        let size = game.player(sender).domain.index_size()?;
        let values = frame.range(frame.steps() - sender.0);
        let places = game.player(sender).domain.width();
        let mut low_places = 0;
        let mut low = 1;
        while low_places < places && low * values <= LOW && values > 1 {
            low *= values;
            low_places += 1;
        }
        if size / low > HIGH {
            return None;
        }
        let below: u64 = frame
            .upper(level)
            .filter(|other| *other > sender)
            .map(|other| game.player(other).domain.index_size().unwrap_or(1))
            .product();
        let cut = places - low_places;
        let asks = questions
            .views
            .iter()
            .map(|views| {
                let rule = rule_of(frame, slot, views)?;
                Ask::compile(&rule, values, cut, places)
            })
            .collect::<Option<Vec<_>>>()?;
        let rules = Self {
            stride: (below, size),
            low,
            asks,
            sums: None,
        };
        rules.keys().map(|_| rules.summed())
    }

    /// The same rules, with one table per part where that is enough.
    fn summed(mut self) -> Self {
        self.sums = self.asks.iter().all(Ask::is_one_sided).then(|| {
            let part = |of: &dyn Fn(&Ask) -> &Vec<u64>, size: usize| -> Vec<u64> {
                let key = |at: usize| {
                    let said = self.asks.iter();
                    said.fold(0, |key, ask| key * ask.modulus + of(ask)[at])
                };
                (0..size).map(key).collect()
            };
            let sizes = (place(self.stride.1 / self.low), place(self.low));
            (
                part(&|ask| &ask.high, sizes.0),
                part(&|ask| &ask.low, sizes.1),
            )
        });
        self
    }

    /// Adds the rules of another slot of the same sender; rules that are there already add nothing.
    pub(super) fn join(mut self, other: Self) -> Self {
        for ask in other.asks {
            if !self.asks.contains(&ask) {
                self.asks.push(ask);
            }
        }
        if self.countable() {
            self.summed()
        } else {
            self
        }
    }

    /// Whether a key fits a word.
    pub(super) fn countable(&self) -> bool {
        self.keys().is_some()
    }

    fn keys(&self) -> Option<u64> {
        self.asks
            .iter()
            .try_fold(1u64, |product, ask| product.checked_mul(ask.modulus))
    }

    /// What is said to all questions, the first most significant.
    fn key(&self, index: u64) -> u64 {
        // Divisions cost more than all the rest: a top player alone needs only one.
        let own = match self.stride {
            (1, size) if index < size => index,
            (below, size) => index / below % size,
        };
        let high = own / self.low;
        let (high, low) = (place(high), place(own - high * self.low));
        if let Some((highs, lows)) = &self.sums {
            return highs[high] + lows[low];
        }
        self.asks.iter().fold(0, |key, ask| {
            let sum = ask.high[high] + ask.low[low];
            let symbol = if sum >= ask.modulus {
                sum - ask.modulus
            } else {
                sum
            };
            key * ask.modulus + symbol
        })
    }

    /// Class sizes by key.
    pub(super) fn count(&self, set: &Bits, control: &Control<'_>) -> BTreeMap<u64, u64> {
        match self.keys() {
            Some(keys) if keys <= FLAT => {
                let counts =
                    super::tallied(set, control, place(keys), |index| place(self.key(index)));
                (0u64..)
                    .zip(counts)
                    .filter(|(_, count)| *count > 0)
                    .collect()
            }
            Some(_) | None => super::counted(set, control, |index| self.key(index)),
        }
    }

    /// Keeps one class.
    pub(super) fn keep(&self, set: &mut Bits, key: u64, control: &Control<'_>) {
        filtered(set, control, |index| self.key(index) == key);
    }
}

fn place(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn rule_of(frame: &Frame<'_>, slot: SlotId, views: &[View]) -> Option<OwnRule> {
    own_rule(frame.game, frame.protocol, slot, views)
}

impl Ask {
    fn compile(rule: &OwnRule, values: u64, cut: usize, places: usize) -> Option<Self> {
        let terms = rule.terms_mod();
        let part = |from: usize, to: usize, of: &dyn Fn(&BigInt) -> Option<u64>| {
            let own: Vec<(usize, &BigInt)> = terms
                .iter()
                .filter(|(place, _)| (from..to).contains(place))
                .map(|(place, c)| (place - from, c))
                .collect();
            let size = values.checked_pow(u32::try_from(to - from).ok()?)?;
            let mut digits = vec![0u64; to - from];
            let mut table = Vec::with_capacity(place(size));
            for _ in 0..size {
                let sum: BigInt = own.iter().map(|(place, c)| *c * digits[*place]).sum();
                table.push(of(&sum)?);
                for digit in digits.iter_mut().rev() {
                    *digit += 1;
                    if *digit < values {
                        break;
                    }
                    *digit = 0;
                }
            }
            Some(table)
        };
        let high_only = terms.iter().all(|(place, _)| *place < cut);
        let low_only = terms.iter().all(|(place, _)| *place >= cut);
        let zero = |_: &BigInt| Some(0);
        let symbol = |sum: &BigInt| rule.symbol_of(sum);
        match &rule.read {
            Read::Modulo(modulus) => {
                let modulus = modulus.to_u64().filter(|modulus| *modulus < 1 << 62)?;
                let rest = |sum: &BigInt| sum.mod_floor(&BigInt::from(modulus)).to_u64();
                Some(Self {
                    modulus,
                    high: part(0, cut, &symbol)?,
                    low: part(cut, places, &rest)?,
                })
            }
            Read::Thresholds(at) if high_only || low_only => Some(Self {
                modulus: at.len() as u64 + 1,
                high: part(0, cut, if high_only { &symbol } else { &zero })?,
                low: part(cut, places, if high_only { &zero } else { &symbol })?,
            }),
            Read::Thresholds(_) => None,
        }
        .filter(|_| !terms.iter().any(|(_, c)| c.is_zero()))
        .map(Self::tidied)
    }

    /// A high part that is always the same is moved to the low part.
    fn tidied(mut self) -> Self {
        let first = self.high.first().copied().unwrap_or(0);
        if self.high.iter().all(|symbol| *symbol == first) {
            for symbol in &mut self.low {
                *symbol = (*symbol + first) % self.modulus;
            }
            self.high.fill(0);
        }
        self
    }

    fn is_one_sided(&self) -> bool {
        let zero = |part: &[u64]| part.iter().all(|symbol| *symbol == 0);
        zero(&self.high) || zero(&self.low)
    }
}
