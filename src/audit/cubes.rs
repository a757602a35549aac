//! Long runs: the formula cut into cubes, with a checkpoint that has all parameters inside.

use super::solve::{Outcome, Proposed, conclude};
use crate::evidence::digest;
use crate::evidence::verify::Options;
use crate::file::Setting;
use crate::game::structure::Failure;
use crate::search::checkpoint::{CheckpointError, Contents};
use crate::search::sat::cubes::{Conquered, Control, Cut, conquer};
use crate::search::sat::kept::Kept;
use crate::search::solve::{Stats, Whole};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Name of the search in a checkpoint.
pub const SEARCH: &str = "cubes-v1";

/// The parameters of a run; a checkpoint begins with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Claim id of the evidence.
    pub claim: String,
    /// The game file, as it stands in evidence.
    pub game: Json,
    /// Digest of the resolved game.
    pub digest: String,
    /// How the formula is cut.
    pub cut: Cut,
    /// Most bytes of one proof.
    pub max_proof: u64,
}

impl Parameters {
    /// Those of a new run.
    pub fn new(setting: &Setting, claim: &str, cut: Cut, max_proof: u64) -> Self {
        Self {
            claim: claim.to_owned(),
            game: setting.spec.clone(),
            digest: digest::of_json(&setting.resolved(&Json::Null)),
            cut,
            max_proof,
        }
    }

    /// The header of a checkpoint.
    pub fn to_json(&self) -> Json {
        json!({
            "claim": self.claim,
            "conflicts": self.cut.conflicts.to_string(),
            "cubes": self.cut.cubes.to_string(),
            "digest": self.digest,
            "format": 1,
            "max_proof": self.max_proof.to_string(),
            "search": SEARCH,
            "shard": self.cut.shard.map(|(i, n)| [i.to_string(), n.to_string()]),
            "spec": {"game": self.game},
        })
    }

    /// Reads the header of a checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError::Line`] when it is the header of something else.
    pub fn read(path: &Path, contents: &Contents) -> Result<Self, CheckpointError> {
        let header = &contents.header;
        let wrong = |found: String, expected: &str| CheckpointError::Line {
            path: path.display().to_string(),
            line: 1,
            found,
            expected: expected.to_owned(),
        };
        if header["format"] != 1 {
            return Err(wrong(format!("format {}", header["format"]), "format 1"));
        }
        if header["search"] != SEARCH {
            return Err(wrong(format!("search {}", header["search"]), SEARCH));
        }
        let read = || -> Option<Self> {
            let number = |json: &Json| json.as_str()?.parse::<usize>().ok();
            let shard = &header["shard"];
            let shard = if shard.is_null() {
                None
            } else {
                Some((number(&shard[0])?, number(&shard[1])?))
            };
            Some(Self {
                claim: header["claim"].as_str()?.to_owned(),
                game: header["spec"].get("game")?.clone(),
                digest: header["digest"].as_str()?.to_owned(),
                cut: Cut {
                    cubes: number(&header["cubes"])?,
                    conflicts: u32::try_from(number(&header["conflicts"])?).ok()?,
                    shard,
                },
                max_proof: number(&header["max_proof"])? as u64,
            })
        };
        read().ok_or_else(|| wrong("a header without all parameters".to_owned(), "a header"))
    }

    /// The same run without shards, for comparison and joining.
    #[must_use]
    pub fn whole(&self) -> Self {
        let mut whole = self.clone();
        whole.cut.shard = None;
        whole
    }
}

/// How a run talks to its caller.
pub struct Talk<'a> {
    /// Ends the run when set.
    pub stop: &'a Arc<AtomicBool>,
    /// Called with (finished, known) cubes.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// False: only what is kept is joined, nothing is solved.
    pub solve: bool,
}

impl std::fmt::Debug for Talk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Talk")
            .field("solve", &self.solve)
            .finish_non_exhaustive()
    }
}

/// Runs, goes on with, or joins cubes; what comes out is verified.
///
/// # Errors
/// `TooLarge` over the limit of inputs, with the exact number; `replay` when the task is undefined somewhere.
/// # Cost
/// One run of the solver per cube that is not kept yet; then the verification.
pub fn settle(
    setting: &Setting,
    parameters: &Parameters,
    kept: &Kept,
    talk: &Talk<'_>,
    options: &Options,
    stats: &mut Stats,
) -> Result<Outcome, Failure> {
    let (game, task) = (&setting.game, &*setting.task);
    let whole = match Whole::new(game, task, &options.max_inputs)? {
        Ok(whole) => whole,
        Err(reason) => return Ok(Outcome::Undecided(reason)),
    };
    let control = Control {
        max_proof: parameters.max_proof,
        stop: talk.stop,
        progress: talk.progress,
        solve: talk.solve,
    };
    let conquered = conquer(whole.cnf(), parameters.cut, kept, &control);
    stats.rounds = kept.len() as u64;
    stats.conflicts = kept.conflicts();
    let answer = match conquered {
        Err(error) => return Ok(Outcome::Undecided(error.to_string())),
        Ok(Conquered::Open { refuted, open }) => {
            let ended = if talk.solve { "stopped" } else { "incomplete" };
            return Ok(Outcome::Undecided(format!(
                "{ended}: {refuted} of {} cubes refuted",
                refuted + open
            )));
        }
        Ok(Conquered::ShardDone { refuted }) => {
            return Ok(Outcome::Undecided(format!(
                "all {refuted} cubes of this shard are refuted; merge the checkpoints of all shards"
            )));
        }
        Ok(Conquered::Model(model)) => whole.solvable(game, &model),
        Ok(Conquered::Proof(proof)) => whole.refuted(game, proof, stats),
    };
    match Proposed::of(setting, answer, options)? {
        Proposed::Undecided(reason) => Ok(Outcome::Undecided(reason)),
        Proposed::Candidate(found) => Ok(conclude(setting, &parameters.claim, *found, options)),
    }
}
