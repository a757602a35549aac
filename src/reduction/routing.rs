//! How far words travel when machines forget and routes are fixed beforehand.

use num_bigint::BigUint;

/// The decisions that a statement about MPC rounds depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machines {
    /// Words that a machine may send, and receive, in a round.
    pub words: u64,
    /// Bits of a word.
    pub word_bits: u64,
    /// Whether destinations may depend on the data; then silence tells something, and no bound is given here.
    pub data_dependent: bool,
    /// Whether laying out the input counts as a round.
    pub placement_counts: bool,
}

impl Machines {
    /// Least rounds after which an output can depend on `reads` words of the input; `None` with routes that depend on the data,
    /// or when one word a round can never be enough.
    ///
    /// A machine starts with at most s words, and holds after each round what it received: at most s words, each a function of
    /// the memory of its sender. So after R rounds it depends on at most s^(R+1) words, and s^(R+1) >= reads is needed.
    ///
    /// # Cost
    /// One multiplication a round.
    pub fn rounds(&self, reads: u64) -> Option<u64> {
        if self.data_dependent || self.words == 0 || (self.words == 1 && reads > 1) {
            return None;
        }
        let (mut reached, mut rounds) = (BigUint::from(self.words), 0);
        while reached < BigUint::from(reads) {
            reached *= self.words;
            rounds += 1;
        }
        Some(rounds + u64::from(self.placement_counts))
    }
}
