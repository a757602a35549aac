//! Games as data, protocols as functions of what a player may see, and the naive evaluator.
//!
//! Read [`game`] first: players, rounds, slots, rules. Then [`view`] for what a message may depend on, and [`mod@run`] for what
//! one execution is.

pub mod flow;
#[allow(clippy::module_inception)]
pub mod game;
pub mod inputs;
pub mod key;
pub mod ledger;
pub mod protocol;
pub mod run;
pub mod shape;
pub mod view;

pub mod encode;
pub mod family;
pub mod strategy;
pub mod structure;
pub mod task;

pub use game::{Channel, Game, GameError, Label, Player, PlayerId, Round, Rule, Slot, SlotId};
pub use inputs::{Inputs, InputsError};
pub use ledger::Ledger;
pub use protocol::{Answer, OwnRule, Protocol, SpeakError};
pub use run::{IllegalRun, Run, SharedMap, run, run_until};
pub use task::{Accepted, Task, TaskError};
pub use view::{Sight, Symbol, View};
