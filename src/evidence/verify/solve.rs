//! `solvable` and `unsolvable`: `protocol`, `family`, `colouring`.

use super::{Stop, Subject, at};
use crate::evidence::item::{Evidence, Raw};
use crate::evidence::scope::Verdict;
use crate::evidence::statement::Statement;

pub(super) fn check(subject: &Subject<'_>, evidence: &[Raw]) -> Result<String, Stop> {
    subject.no_files()?;
    let exists =
        (subject.statement == Statement::Solvable) == (subject.verdict == Verdict::Established);
    let expected = if exists {
        "one `protocol`"
    } else {
        "one `family` or `colouring`"
    };
    let [raw] = evidence else {
        return Err(subject.mismatch(0, &format!("{} objects", evidence.len()), expected));
    };
    let setting = subject.setting()?;
    let (game, task, limit) = (&setting.game, &*setting.task, &subject.options.max_inputs);
    let fits = matches!(
        (exists, raw),
        (true, Raw::Protocol { .. }) | (false, Raw::Family { .. } | Raw::Colouring { .. })
    );
    if !fits {
        return Err(subject.mismatch(0, raw.kind(), expected));
    }
    let failed = |failure| Stop::of_failure(&at(0, raw), failure);
    match subject.resolve(0, raw)? {
        Evidence::Protocol(protocol) => {
            let inputs = protocol.holds(game, task, limit).map_err(failed)?;
            Ok(format!("protocol, replayed on all {inputs} inputs"))
        }
        Evidence::Family(family) => {
            family.holds(game, task, limit).map_err(failed)?;
            Ok(format!(
                "family: {} members > bound {}",
                family.members.len(),
                family.bound
            ))
        }
        Evidence::Colouring(clique) => {
            clique.holds(game, task, limit).map_err(failed)?;
            Ok(format!(
                "colouring: {} inputs in pairwise conflict > {} symbols",
                clique.members.len(),
                clique.symbols
            ))
        }
        // `fits` has left no other kind.
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "every other kind is the same mistake"
        )]
        _ => Err(subject.mismatch(0, raw.kind(), expected)),
    }
}
