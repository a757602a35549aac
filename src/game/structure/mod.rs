//! Definitions of mathematical structures on games, each with its check.
//!
//! A structure is plain data that somebody proposes. Its `holds` recomputes everything with the naive evaluator and the task,
//! believes no number that is stored in it, and says in one [`Violation`] what is wrong first. Nothing here searches.

pub mod all_protocols;
pub mod classes;
pub mod clique;
pub mod conflict;
pub mod correct;
pub mod counterexample;
pub mod cut;
pub mod cuts;
pub mod decomposition;
pub mod family;
#[cfg(test)]
#[cfg_attr(
    not(feature = "search"),
    allow(dead_code, reason = "the tests of the searches use the rest")
)]
pub(crate) mod fixtures;
pub mod no_answer;
pub mod pair;
pub mod protocol_tables;
pub mod relay;
pub mod separation;
pub mod support;
#[cfg(test)]
mod tests;

pub use all_protocols::AllProtocols;
pub use classes::Classes;
pub use clique::{Clique, Conflicts};
pub use conflict::Conflict;
pub use correct::{CorrectOnAll, Item, Outcome, Wrong};
pub use counterexample::Counterexample;
pub use cut::Cut;
pub use cuts::Cuts;
pub use decomposition::Decomposition;
pub use family::Family;
pub use no_answer::NoAnswer;
pub use pair::Pair;
pub use protocol_tables::ProtocolTables;
pub use relay::RelayWitness;
pub use separation::Separator;
pub use support::Support;

use crate::exact::DomainError;
use crate::game::{
    Accepted, Answer, Game, Inputs, PlayerId, Protocol, Run, SharedMap, SlotId, Task, View, run,
};
use itertools::Itertools;
use num_bigint::BigUint;
use num_traits::One;
use std::fmt;

/// Why evidence is rejected, one word per reason. Both checkers use the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// Not JSON, or not of the expected shape.
    Malformed,
    /// JSON, but not in canonical form.
    NotCanonical,
    /// A key that is not allowed.
    UnknownKey,
    /// A statement, evidence kind, verdict or scope that is not known.
    UnknownKind,
    /// A format number that is not known.
    Format,
    /// The claim id is not the file's name.
    Claim,
    /// An attached file is missing, superfluous, or not as declared.
    File,
    /// A digest differs.
    Digest,
    /// The list of trusted steps differs.
    Trust,
    /// The seal differs.
    Seal,
    /// This kind of statement cannot have this scope.
    ScopeMismatch,
    /// This kind of evidence cannot carry this verdict.
    KindMismatch,
    /// An input outside its domain.
    Domain,
    /// A symbol or answer outside its alphabet.
    Alphabet,
    /// Views that should be equal differ, or the other way round.
    ViewDiffers,
    /// Some answer is accepted on all the inputs.
    CommonAnswer,
    /// An answer that should be rejected is accepted, or the other way round.
    Accepted,
    /// Two members are not told apart.
    NotSeparated,
    /// A number does not reach the bound it has to, or a stored bound is wrong.
    Bound,
    /// Something that should be constant can vary.
    NotConstant,
    /// A list has the wrong length.
    Size,
    /// A reach differs.
    Reach,
    /// A formula is not the encoding of the game.
    Encoding,
    /// A clause that breaks symmetry has no schema.
    Symmetry,
    /// A step of a proof does not follow.
    ProofStep,
    /// A proof does not end as it has to.
    ProofEnd,
    /// Not everything is covered, or not in the order demanded.
    Coverage,
    /// A stored number differs from the recomputed one.
    Arithmetic,
    /// The protocol or the task does not do what is said here.
    Replay,
}

impl Code {
    /// The word in reports: `view-differs`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::NotCanonical => "not-canonical",
            Self::UnknownKey => "unknown-key",
            Self::UnknownKind => "unknown-kind",
            Self::Format => "format",
            Self::Claim => "claim",
            Self::File => "file",
            Self::Digest => "digest",
            Self::Trust => "trust",
            Self::Seal => "seal",
            Self::ScopeMismatch => "scope-mismatch",
            Self::KindMismatch => "kind-mismatch",
            Self::Domain => "domain",
            Self::Alphabet => "alphabet",
            Self::ViewDiffers => "view-differs",
            Self::CommonAnswer => "common-answer",
            Self::Accepted => "accepted",
            Self::NotSeparated => "not-separated",
            Self::Bound => "bound",
            Self::NotConstant => "not-constant",
            Self::Size => "size",
            Self::Reach => "reach",
            Self::Encoding => "encoding",
            Self::Symmetry => "symmetry",
            Self::ProofStep => "proof-step",
            Self::ProofEnd => "proof-end",
            Self::Coverage => "coverage",
            Self::Arithmetic => "arithmetic",
            Self::Replay => "replay",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.word().fmt(f)
    }
}

/// The first thing that is wrong with a structure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code} at `{at}`: found {found}, expected {expected}")]
pub struct Violation {
    /// JSON pointer relative to the structure: `/right/2` is the input of player 2 on the right; empty for the whole.
    pub at: String,
    /// The reason.
    pub code: Code,
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
}

impl Violation {
    /// A violation.
    pub fn new(
        at: impl Into<String>,
        code: Code,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self {
            at: at.into(),
            code,
            found: found.into(),
            expected: expected.into(),
        }
    }
}

/// More work than the caller allows; nothing was checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {}, more than the limit {limit}", self.size_text())]
pub struct TooLarge {
    /// What was counted: `full inputs`.
    pub what: String,
    /// The exact number; an error when even that has more than 2^24 bits.
    pub size: Result<BigUint, DomainError>,
    /// The limit it exceeds.
    pub limit: BigUint,
}

impl TooLarge {
    fn size_text(&self) -> String {
        match &self.size {
            Ok(size) => size.to_string(),
            Err(error) => error.to_string(),
        }
    }
}

/// Why a check that enumerates does not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The structure is wrong.
    #[error(transparent)]
    Violated(#[from] Violation),
    /// The check was refused before any work.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

impl Failure {
    /// The violation, if that is what it is.
    pub fn violation(&self) -> Option<&Violation> {
        match self {
            Self::Violated(violation) => Some(violation),
            Self::TooLarge(_) => None,
        }
    }
}

/// The size, when it is within the limit.
///
/// # Errors
/// [`TooLarge`] with the exact size.
/// # Cost
/// One comparison.
pub fn within(
    what: &str,
    size: Result<BigUint, DomainError>,
    limit: &BigUint,
) -> Result<BigUint, TooLarge> {
    match size {
        Ok(size) if size <= *limit => Ok(size),
        size => Err(TooLarge {
            what: what.to_owned(),
            size,
            limit: limit.clone(),
        }),
    }
}

/// Exact number of joint inputs of some players.
///
/// # Errors
/// The first domain too large to be counted.
/// # Cost
/// One multiplication per player.
pub fn inputs_of(
    game: &Game,
    players: impl IntoIterator<Item = PlayerId>,
) -> Result<BigUint, DomainError> {
    players
        .into_iter()
        .try_fold(BigUint::one(), |product, player| {
            Ok(product * game.player(player).domain.size()?)
        })
}

/// All players of a game, in order.
fn everyone(game: &Game) -> impl Iterator<Item = PlayerId> + use<> {
    (0..game.players().len()).map(PlayerId)
}

/// Exact number of full inputs, when it is within the limit.
fn full_inputs(game: &Game, limit: &BigUint) -> Result<BigUint, TooLarge> {
    within("full inputs", inputs_of(game, everyone(game)), limit)
}

/// A key of a JSON pointer.
fn pointer_key(label: &str) -> String {
    label.replace('~', "~0").replace('/', "~1")
}

/// Digits as in messages: `0,1,1`.
fn spell(digits: &[u64]) -> String {
    format!("[{}]", digits.iter().join(","))
}

/// Checks one element of a player; `at` points to it.
fn check_element(
    game: &Game,
    player: PlayerId,
    digits: &[u64],
    at: impl Into<String>,
) -> Result<(), Violation> {
    let owner = game.player(player);
    if owner.domain.contains(digits) {
        return Ok(());
    }
    let expected = format!(
        "{} digits of an element of {}'s domain",
        owner.domain.width(),
        owner.label
    );
    Err(Violation::new(at, Code::Domain, spell(digits), expected))
}

/// Checks one element for each of `players`; `at` points to the object that holds them by label.
fn check_elements(
    game: &Game,
    players: &[PlayerId],
    elements: &[Vec<u64>],
    at: &str,
) -> Result<(), Violation> {
    if elements.len() != players.len() {
        let (found, expected) = (elements.len(), players.len());
        return Err(Violation::new(
            at,
            Code::Domain,
            format!("{found} inputs"),
            expected.to_string(),
        ));
    }
    players
        .iter()
        .zip(elements)
        .try_for_each(|(player, digits)| {
            let key = pointer_key(&game.player(*player).label.0);
            check_element(game, *player, digits, format!("{at}/{key}"))
        })
}

/// Checks a full input.
fn check_inputs(game: &Game, inputs: &Inputs, at: &str) -> Result<(), Violation> {
    check_elements(game, &everyone(game).collect::<Vec<_>>(), &inputs.0, at)
}

/// Checks slot indices.
fn check_slots(game: &Game, slots: &[SlotId], at: &str) -> Result<(), Violation> {
    let count = game.slots().len();
    match slots.iter().position(|slot| slot.0 >= count) {
        None => Ok(()),
        Some(place) => Err(Violation::new(
            format!("{at}/{place}"),
            Code::Coverage,
            format!("slot {}", slots[place].0),
            format!("0..<{count}"),
        )),
    }
}

/// The accepted answers on an input.
fn accepted(task: &dyn Task, inputs: &Inputs, at: &str) -> Result<Accepted, Violation> {
    task.accepted(inputs)
        .map_err(|error| Violation::new(at, Code::Replay, error.to_string(), "a defined task"))
}

/// A complete run, with an answer of the task's answer set if there is an answer. `shared` has what the slots of a shared map
/// said in the runs before.
fn replay(
    game: &Game,
    task: &dyn Task,
    protocol: &dyn Protocol,
    inputs: &Inputs,
    shared: &mut SharedMap,
    at: &str,
) -> Result<Run, Violation> {
    let run = run(game, protocol, inputs)
        .and_then(|run| shared.add(game, inputs, &run.transcript).map(|()| run))
        .map_err(|error| Violation::new(at, Code::Replay, error.to_string(), "a legal run"))?;
    match run.answer {
        Some(Answer(answer)) if answer >= task.answers() => Err(Violation::new(
            at,
            Code::Replay,
            format!("answer {answer}"),
            format!("0..<{}", task.answers()),
        )),
        Some(_) | None => Ok(run),
    }
}

/// The final view of the output player.
fn final_view<'a>(game: &Game, run: &'a Run) -> &'a View {
    &run.views[game.output().0]
}

/// Accepted answers as in messages.
fn spell_accepted(accepted: &Accepted) -> String {
    match accepted {
        Accepted::All => "every answer".to_owned(),
        Accepted::One(only) => format!("answer {only}"),
        Accepted::Only(list) if list.is_empty() => "no answer".to_owned(),
        Accepted::Only(list) => format!("answers {}", list.iter().join(",")),
    }
}

/// Where two views of one player first differ, as found and expected; `None` when they are equal.
fn first_difference(game: &Game, found: &View, expected: &View) -> Option<(String, String)> {
    if found.input != expected.input {
        let label = &game.player(found.player).label;
        let own = |view: &View| format!("input {} of {label}", spell(&view.input));
        return Some((own(found), own(expected)));
    }
    let said =
        |entry: &(SlotId, crate::game::Symbol)| format!("`{}` = {}", game.name(entry.0), entry.1.0);
    found
        .stored
        .iter()
        .zip(&expected.stored)
        .find(|(a, b)| a != b)
        .map(|(a, b)| (said(a), said(b)))
}
