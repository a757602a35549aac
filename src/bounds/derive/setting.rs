//! What a derived bound is about: layout, message sizes, and the free integers of the scheme.

use num_bigint::BigUint;
use num_traits::{One, Zero};
use thiserror::Error;

/// A field that has no meaning, named as in claim files.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {message}")]
pub struct Refused {
    /// The field.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}

/// An error about `field`.
pub(super) fn refuse<T>(
    field: impl Into<String>,
    message: impl Into<String>,
) -> Result<T, Refused> {
    Err(Refused {
        field: field.into(),
        message: message.into(),
    })
}

/// Full and recurrent layers: `r` full ones, `a_0` recurrent layers before the first, `a_e` after the e-th.
///
/// # Domain
/// `steps >= 2`; `passes` lists `a_0 .. a_r`, so it is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    steps: usize,
    passes: Vec<BigUint>,
}

/// Largest number of composition steps for which a ledger is laid out.
pub const MAX_STEPS: usize = 64;

impl Layout {
    /// The layout with these recurrent layers, for L-step composition.
    ///
    /// # Errors
    /// [`Refused`] unless `2 <= steps <= 64` and `a_0` is there.
    pub fn new(steps: usize, passes: Vec<BigUint>) -> Result<Self, Refused> {
        if !(2..=MAX_STEPS).contains(&steps) {
            return refuse("steps", format!("found {steps}, expected 2..{MAX_STEPS}"));
        }
        if passes.is_empty() || passes.len() > 4 * MAX_STEPS {
            return refuse(
                "linear",
                format!(
                    "found {} numbers with a_0, expected 1..{}",
                    passes.len(),
                    4 * MAX_STEPS
                ),
            );
        }
        Ok(Self { steps, passes })
    }

    /// The number L of composition steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The number r of full layers, as given.
    pub fn full_layers(&self) -> usize {
        self.passes.len() - 1
    }

    /// `a_0 .. a_r`, as given.
    pub fn passes(&self) -> &[BigUint] {
        &self.passes
    }

    /// `a_e`; 0 for an epoch that is only padded.
    pub fn pass(&self, epoch: usize) -> BigUint {
        self.passes.get(epoch).cloned().unwrap_or_default()
    }

    /// `a_0 + .. + a_e`.
    pub fn passes_up_to(&self, epoch: usize) -> BigUint {
        self.passes.iter().take(epoch + 1).sum()
    }

    /// What the proof scheme can say about this layout.
    ///
    /// # Source
    /// Derived: `docs/derive.md`, Theorem 1 and the section on possible layouts.
    pub fn class(&self) -> Class {
        let (full, steps) = (self.full_layers(), self.steps);
        match full.cmp(&steps) {
            std::cmp::Ordering::Less => Class::Impossible(Start::Short),
            std::cmp::Ordering::Greater => Class::Possible(Way::Full),
            std::cmp::Ordering::Equal if self.pass(0).is_zero() && self.pass(1).is_zero() => {
                Class::Impossible(Start::Long)
            }
            std::cmp::Ordering::Equal if self.pass(1).is_zero() => Class::Possible(Way::PrePass),
            std::cmp::Ordering::Equal => Class::Possible(Way::Relay),
        }
    }

    /// The start of the ledger that `check` runs: [`Start::Window`] where only a window is left.
    pub fn start(&self) -> Option<Start> {
        match self.class() {
            Class::Impossible(start) => Some(start),
            Class::Possible(Way::Relay) if self.pass(0).is_zero() => Some(Start::Window),
            Class::Possible(_) => None,
        }
    }

    /// The epochs of the ledger: L for r = L, else L - 1 (shorter layouts are padded with idle full layers).
    pub fn epochs(&self) -> usize {
        if self.full_layers() >= self.steps {
            self.steps
        } else {
            self.steps - 1
        }
    }
}

/// Which layouts have a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Composition is impossible for short enough messages, and the ledger begins like this.
    Impossible(Start),
    /// A protocol exists with messages of `log2 n` bits.
    Possible(Way),
}

/// How the ledger begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// r = L, a_0 = a_1 = 0: popular answers to the last token (Lemma 4).
    Long,
    /// r at most L - 1: fixing the first carries (Lemma 4').
    Short,
    /// r = L, a_0 = 0, a_1 >= 1: what survives of Lemma 4.
    Window,
}

/// The protocol that makes a layout possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One full layer per step and one more.
    Full,
    /// The recurrent layers after the first full one carry `z_1(z_0)`.
    Relay,
    /// The recurrent layers before the first full one carry `z_0`.
    PrePass,
}

impl Way {
    /// The word in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Relay => "relay",
            Self::PrePass => "pre-pass",
        }
    }
}

/// What crosses a cut on the way to one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Senders {
    /// One digest per group to the left.
    Separate,
    /// One digest for everything to the left.
    Merged,
}

impl Senders {
    /// All, with their words.
    pub const ALL: [(&'static str, Self); 2] =
        [("separate", Self::Separate), ("merged", Self::Merged)];

    /// The word in files.
    pub fn word(self) -> &'static str {
        Self::ALL[usize::from(self == Self::Merged)].0
    }

    /// From the word in files.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, senders)| *senders)
    }
}

/// Where the prompt is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Inside the tables, where their used part begins.
    Refined,
    /// Between the tables.
    Coarse,
}

impl Mode {
    /// All, with their words.
    pub const ALL: [(&'static str, Self); 2] =
        [("refined", Self::Refined), ("coarse", Self::Coarse)];

    /// The word in files.
    pub fn word(self) -> &'static str {
        Self::ALL[usize::from(self == Self::Coarse)].0
    }

    /// From the word in files.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, mode)| *mode)
    }

    /// The assumption that a result in this mode rests on, for print.
    pub fn assumption(self) -> &'static str {
        match self {
            Self::Refined => "digests and carries are short at boundaries inside the tables",
            Self::Coarse => "digests and carries are short at the table boundaries",
        }
    }
}

/// Message sizes, and how they are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// s, bits of one digest.
    pub soft: BigUint,
    /// C, bits of one carry.
    pub carry: BigUint,
    /// How many digests cross a cut.
    pub senders: Senders,
    /// Where the cuts are.
    pub mode: Mode,
}

impl Cost {
    /// The cost of a network with `c = Hdp`: `s = 2c`, `C = c(d+1)`.
    ///
    /// # Errors
    /// [`Refused`] unless d divides c and both are at least 1.
    pub fn of_network(
        c: &BigUint,
        d: &BigUint,
        senders: Senders,
        mode: Mode,
    ) -> Result<Self, Refused> {
        if c.is_zero() || d.is_zero() || !(c % d).is_zero() {
            return refuse("d", format!("{d} does not divide c = {c}"));
        }
        Ok(Self {
            soft: c * 2_u32,
            carry: c * (d + BigUint::one()),
            senders,
            mode,
        })
    }

    /// # Errors
    /// [`Refused`] for s = 0.
    pub(super) fn validate(&self) -> Result<(), Refused> {
        if self.soft.is_zero() {
            refuse("soft_bits", "found 0, expected at least 1")
        } else {
            Ok(())
        }
    }

    /// `g_k`: digests that cross cut k on their way to one token.
    pub(super) fn digests(&self, steps: usize, cut: usize) -> usize {
        match self.senders {
            Senders::Separate => steps + 1 - cut,
            Senders::Merged => 1,
        }
    }
}

/// The free integers of the scheme.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Params {
    /// m = N_0.
    pub m: BigUint,
    /// n_1 .. n_{L-1}.
    pub n: Vec<BigUint>,
    /// n'_1 .. n'_{L-1}: how many values of w are used.
    pub np: Vec<BigUint>,
    /// x_0 .. x_{L-1}: sizes of the lists.
    pub x: Vec<BigUint>,
}

impl Params {
    /// # Errors
    /// [`Refused`] with the field that is out of range for L steps.
    pub fn validate(&self, steps: usize) -> Result<(), Refused> {
        for (field, list, length) in [
            ("n", &self.n, steps - 1),
            ("np", &self.np, steps - 1),
            ("x", &self.x, steps),
        ] {
            if list.len() != length {
                return refuse(
                    field,
                    format!("found {} numbers, expected {length}", list.len()),
                );
            }
        }
        for (l, (np, n)) in self.np.iter().zip(&self.n).enumerate() {
            if np.is_zero() || np > n {
                return refuse(format!("np[{l}]"), format!("found {np}, expected 1..{n}"));
            }
        }
        match self.x.iter().position(Zero::is_zero) {
            Some(l) => refuse(format!("x[{l}]"), "found 0, expected at least 1"),
            None if self.x[0] > self.m => refuse(
                "x[0]",
                format!("found {}, expected at most m = {}", self.x[0], self.m),
            ),
            None => Ok(()),
        }
    }
}
