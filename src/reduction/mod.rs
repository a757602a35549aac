//! Reductions to k-hop, and the cycle problem behind conditional depth bounds: finite parts that can be enumerated.
//!
//! Machines of the MPC model forget: what they hold after a round is what they received in it. The views of a
//! [`crate::game::Game`] only grow, and its alphabets are per slot and not per round, so the model is not stated as a game here;
//! see `docs/design/010-mpc.md`.

pub mod chase;
pub mod cycle;
pub mod gadget;
pub mod routing;
pub mod split;

#[cfg(test)]
mod tests;
