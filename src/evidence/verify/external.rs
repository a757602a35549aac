//! Running models: what needs no run is checked always; the runs are repeated when the user repeats the command.

use super::{Checked, Content, Stop, check_claim, check_files, check_trust};
use crate::evidence::external::{Command, External};
use crate::evidence::scope::{Scope, Verdict};
use crate::evidence::shape::Rejection;
use crate::evidence::statement::{Statement, plain_digest};
use crate::evidence::witness::{Sealed, Witness};
use crate::game::structure::Code;
use crate::models::wire::{Ask, Oracle, Reply};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The command that the user repeats, with a model that it runs.
pub struct Repeated<'a> {
    /// Words and digests.
    pub command: Command,
    /// The model.
    pub oracle: &'a mut dyn Oracle,
}

impl std::fmt::Debug for Repeated<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repeated")
            .field("command", &self.command)
            .finish_non_exhaustive()
    }
}

pub(super) fn check(
    name: &str,
    witness: Witness,
    sealed: &Sealed,
    files: &BTreeMap<String, Vec<u8>>,
    repeated: Option<&mut Repeated<'_>>,
) -> Result<Checked, Stop> {
    let external = External::read(&witness)?;
    frame(name, &witness, sealed, files, &external.trust())?;
    let Some(repeated) = repeated else {
        return Err(Stop::NotChecked(
            "an external model: repeat its command with --exec".to_owned(),
        ));
    };
    replay(&external, repeated)?;
    Ok(Checked {
        claim: witness.claim.clone(),
        verdict: witness.verdict,
        scope: witness.scope.clone(),
        statement: "wrong",
        subject: format!(
            "{} on {} symbols",
            external.task.name(),
            external.task.prefix_len()
        ),
        summary: external.summary(),
        trust: witness.trust.clone(),
        content: Arc::new(Content {
            witness,
            statement: Statement::Wrong,
            setting: None,
            strategy: None,
            evidence: Vec::new(),
        }),
    })
}

/// What stands around evidence about a model: name, files, digest, scope, verdict, trust and seal.
pub(super) fn frame(
    name: &str,
    witness: &Witness,
    sealed: &Sealed,
    files: &BTreeMap<String, Vec<u8>>,
    trust: &[String],
) -> Result<(), Rejection> {
    check_claim(name, &witness.claim)?;
    check_files(witness, files)?;
    if let Some(file) = files.keys().next() {
        return Err(Rejection::new(
            format!("/files/{file}"),
            Code::File,
            "an attached file",
            "no attached files",
        ));
    }
    let digest = plain_digest(&witness.spec, &witness.statement);
    if digest != witness.digest {
        return Err(Rejection::new(
            "/digest",
            Code::Digest,
            witness.digest.clone(),
            digest,
        ));
    }
    if witness.scope != Scope::ThisProtocol {
        let found = witness.scope.to_json().to_string();
        return Err(Rejection::new(
            "/scope",
            Code::ScopeMismatch,
            found,
            "this-protocol",
        ));
    }
    if witness.verdict != Verdict::Established {
        return Err(Rejection::new(
            "/evidence",
            Code::KindMismatch,
            "refuted",
            "established: evidence about a model says what it does",
        ));
    }
    check_trust(&witness.trust, trust)?;
    let seal = witness.seal_of(&sealed.tool);
    if sealed.seal != seal {
        return Err(Rejection::new(
            "/seal",
            Code::Seal,
            sealed.seal.clone(),
            seal,
        ));
    }
    Ok(())
}

/// Every run is asked twice, not adjacently.
fn replay(external: &External, repeated: &mut Repeated<'_>) -> Result<(), Stop> {
    let at = |key: &str| format!("/evidence/0/external_pair/{key}");
    if repeated.command.words != external.command.words {
        return Err(Stop::NotChecked(format!(
            "another command: the evidence is about `{}`",
            external.command.words.join(" ")
        )));
    }
    let differs = |key: &str, found: &str, expected: &str| {
        Rejection::new(
            at(key),
            Code::Digest,
            found,
            format!("{expected}, as it is now"),
        )
    };
    if repeated.command.executable != external.command.executable {
        let (found, now) = (&external.command.executable, &repeated.command.executable);
        return Err(differs("executable", found, now).into());
    }
    for (name, digest) in &external.command.depends {
        match repeated.command.depends.get(name) {
            Some(now) if now == digest => {}
            Some(now) => return Err(differs(&format!("depends/{name}"), digest, now).into()),
            None => {
                return Err(Stop::NotChecked(format!(
                    "the evidence depends on `{name}`: it cannot be read"
                )));
            }
        }
    }
    let hello = repeated.oracle.hello().to_json();
    if hello != external.hello {
        let found = external.hello.to_string();
        return Err(Rejection::new(at("hello"), Code::Replay, found, hello.to_string()).into());
    }
    let once: Vec<Ask> = external
        .sides
        .iter()
        .flat_map(|side| {
            let state = side
                .state
                .as_ref()
                .map(|_| Ask::Prefix(side.prefix_tokens.clone()));
            [Ask::Run(side.tokens.clone())].into_iter().chain(state)
        })
        .collect();
    let twice: Vec<Ask> = once.iter().chain(&once).cloned().collect();
    let replies = repeated.oracle.ask(&twice).map_err(|broken| {
        Rejection::new(at("sides"), Code::Replay, broken.to_string(), "replies")
    })?;
    let expected: Vec<Reply> = external
        .sides
        .iter()
        .flat_map(|side| {
            let state = side.state.clone().map(Reply::State);
            [Reply::Out(side.out.clone())].into_iter().chain(state)
        })
        .collect();
    for (place, reply) in replies.iter().enumerate() {
        let right = &expected[place % expected.len()];
        if reply != right {
            return Err(Rejection::new(
                at("sides"),
                Code::Replay,
                format!("{right:?} in the evidence"),
                format!("{reply:?}, as the model says now"),
            )
            .into());
        }
    }
    Ok(())
}
