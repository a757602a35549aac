//! Lower bounds by the decomposition method: the ledger of the proof at free integers, checked exactly.
//!
//! The mathematics, with proofs, is `docs/derive.md`. [`setting`] says what a bound is about, [`scheme`] has every row, [`cover`]
//! the coverage inequality, [`point`] the check of a point, [`exponent`] the linear program behind the exponents, [`closed`] the
//! closed forms, [`exhaust`] the certified minimality at L = 2, [`edges`] the ledger of one game with any alphabets.

pub mod closed;
pub mod cover;
pub mod edges;
pub mod exhaust;
pub mod exponent;
pub mod point;
pub mod scheme;
pub mod setting;
#[cfg(test)]
mod tests;

pub use cover::Method;
pub use point::{Answer, Choice, Ledger, Step, check, check_choice, check_opened};
pub use scheme::{LastEpoch, Opening, Row};
pub use setting::{Class, Cost, Layout, Mode, Params, Refused, Senders, Start, Way};
