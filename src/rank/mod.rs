//! Min-IP with a nonnegative kernel: which kernels can do it, which ranks cannot.
//!
//! The question, the proofs and the options are in `docs/rank.md`. [`token`] has tokens and inputs, [`kernel`] kernels, readouts and
//! their exact errors, [`cone`] the row systems and what refutes them, [`gap`] the inequality that every row obeys, [`code`] rank
//! bounds from it, [`suite`] lists of inputs, [`softmax`] and [`transcript`] two closed answers. Nothing here searches.

pub mod code;
pub mod cone;
pub mod gap;
pub mod kernel;
pub mod softmax;
pub mod suite;
pub mod token;
pub mod transcript;

pub use code::{Bound, Method, Preference};
pub use cone::{Weighted, ratio_program};
pub use gap::Accuracy;
pub use kernel::{Kernel, KernelError, Readout};
pub use token::{Tokens, overlap};

/// What every answer about kernels covers, and what it does not.
pub const SCOPE: &str = "Single head, one layer, nonnegative kernel, affine query-dependent readout. Signed kernels, several heads and deeper models are not covered.";
