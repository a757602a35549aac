//! Models given by a file: the model is in the evidence, so it is run here.

use super::external::frame;
use super::{Checked, Content, Stop};
use crate::evidence::exact::{Exact, Subject};
use crate::evidence::statement::Statement;
use crate::evidence::witness::{Sealed, Witness};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Numbers that a replay may compute.
const WORK: u128 = 1 << 30;

pub(super) fn check(
    name: &str,
    witness: Witness,
    sealed: &Sealed,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<Checked, Stop> {
    let exact = Exact::read(&witness)?;
    frame(name, &witness, sealed, files, &[])?;
    let work = exact.work();
    if work > WORK {
        return Err(Stop::NotChecked(format!(
            "a replay of about {work} products; the limit is {WORK}"
        )));
    }
    exact.replay()?;
    Ok(Checked {
        claim: witness.claim.clone(),
        verdict: witness.verdict,
        scope: witness.scope.clone(),
        statement: match &exact.subject {
            Subject::Pair { .. } => "wrong",
            Subject::Horizon(_) => "forgotten",
        },
        subject: exact.about(),
        summary: exact.summary(),
        trust: witness.trust.clone(),
        content: Arc::new(Content {
            witness,
            // Of a horizon too: with this state, every answer to the broken query is wrong for one of the two inputs.
            statement: Statement::Wrong,
            setting: None,
            strategy: None,
            evidence: Vec::new(),
        }),
    })
}
