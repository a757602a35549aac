//! Protocols: one function per chosen slot, and an answer function.

use crate::game::{Sight, SlotId, Symbol, View};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
use std::ops::Range;

/// One element of the task's answer set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Answer(pub u64);

/// A message or answer function that gives nothing legal on this sight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SpeakError {
    /// What went wrong, without the input (the evaluator adds it).
    pub message: String,
    /// Where in the strategy file, as a byte range, when the function came from a file.
    pub at: Option<Range<usize>>,
}

/// A deterministic protocol.
pub trait Protocol {
    /// The symbol said on a chosen slot, given everything it may depend on.
    ///
    /// # Errors
    /// [`SpeakError`] when the function is undefined on this sight (an index out of range in a user's expression).
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError>;

    /// The answer on a final view of the output player; `None` when the answer function is left free.
    ///
    /// # Errors
    /// As [`Protocol::message`].
    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError>;

    /// The same symbol as a rule on the sender's own digits, the rest of the sight being given; `None` when there is no such
    /// rule. The sender's input in `sight` is not looked at. Symbols in sight that depend on the sender's own input may move
    /// the constant of a [`Read::Modulo`] rule, and nothing else.
    fn own_rule(&self, slot: SlotId, sight: &Sight<'_>) -> Option<OwnRule> {
        let _ = (slot, sight);
        None
    }
}

/// A symbol as a function of the sender's digits: a sum, and how it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnRule {
    /// The constant.
    pub constant: BigInt,
    /// Places with coefficients, each place once, increasing.
    pub terms: Vec<(usize, BigInt)>,
    /// From sum to symbol.
    pub read: Read,
}

/// How a sum becomes a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// The remainder.
    Modulo(BigUint),
    /// The number of these thresholds, increasing, that are at most the sum.
    Thresholds(Vec<BigInt>),
}

impl OwnRule {
    /// The terms that can change the symbol.
    pub fn terms_mod(&self) -> Vec<(usize, BigInt)> {
        let vanishes = |c: &BigInt| match &self.read {
            Read::Modulo(modulus) => c.is_multiple_of(&BigInt::from(modulus.clone())),
            Read::Thresholds(_) => c.is_zero(),
        };
        let kept = self.terms.iter().filter(|(_, c)| !vanishes(c));
        kept.cloned().collect()
    }

    /// The symbol when the terms sum to this, if it fits 64 bits.
    pub fn symbol_of(&self, terms: &BigInt) -> Option<u64> {
        let sum = &self.constant + terms;
        match &self.read {
            Read::Modulo(modulus) => sum.mod_floor(&BigInt::from(modulus.clone())).to_u64(),
            Read::Thresholds(at) => Some(at.partition_point(|threshold| *threshold <= sum) as u64),
        }
    }

    /// The symbol of a rule on one place, when the entry there is `value`.
    pub fn symbol_at(&self, place: usize, value: u64) -> Option<u64> {
        let term = self.terms.iter().find(|(at, _)| *at == place);
        let term = term.map_or_else(BigInt::zero, |(_, c)| c * value);
        self.symbol_of(&term)
    }
}
