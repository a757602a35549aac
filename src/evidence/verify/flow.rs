//! Flow statements: `cut`, `relay`, `cuts`.

use super::{Stop, Subject, at};
use crate::evidence::item::{Evidence, Raw};
use crate::evidence::scope::Verdict;
use crate::evidence::shape::Rejection;
use crate::evidence::statement::Statement;
use crate::game::structure::{Code, Cut, Cuts, RelayWitness};
use crate::game::{Game, SlotId};
use num_bigint::BigUint;

/// Most choices of one slot from each cut that the completeness test tries.
const MAX_CHOICES: u32 = 1 << 20;

pub(super) fn independent(subject: &Subject<'_>, evidence: &[Raw]) -> Result<String, Stop> {
    subject.no_files()?;
    let Statement::Independent {
        of,
        view,
        after,
        pinned,
    } = &subject.statement
    else {
        return Err(subject.mismatch(0, "another statement", "independent"));
    };
    let setting = subject.setting()?;
    let expected = if subject.verdict == Verdict::Established {
        "one `cut`"
    } else {
        "one `relay`"
    };
    let [raw] = evidence else {
        return Err(subject.mismatch(0, &format!("{} objects", evidence.len()), expected));
    };
    match (subject.verdict, raw) {
        (Verdict::Established, Raw::Cut) => {
            let cut = Cut {
                of: *of,
                view: *view,
                after: *after,
                pinned: pinned.clone(),
            };
            cut.holds(&setting.game)
                .map_err(|violation| Rejection::of_violation(&at(0, raw), violation))?;
            Ok(format!(
                "cut: no path avoids {}",
                names(&setting.game, pinned)
            ))
        }
        (Verdict::Refuted, Raw::Relay { .. }) => {
            let Evidence::Relay { path, left, right } = subject.resolve(0, raw)? else {
                return Err(subject.mismatch(0, raw.kind(), expected));
            };
            let shown = names(&setting.game, &path);
            let relay = RelayWitness {
                of: *of,
                view: *view,
                after: *after,
                pinned: pinned.clone(),
                path,
                left,
                right,
            };
            relay
                .holds(&setting.game)
                .map_err(|violation| Rejection::of_violation(&at(0, raw), violation))?;
            Ok(format!("relay: {shown}"))
        }
        _ => Err(subject.mismatch(0, raw.kind(), expected)),
    }
}

pub(super) fn cuts(subject: &Subject<'_>, evidence: &[Raw]) -> Result<String, Stop> {
    subject.no_files()?;
    let Statement::Cuts {
        of,
        view,
        after,
        equals,
    } = &subject.statement
    else {
        return Err(subject.mismatch(0, "another statement", "cuts"));
    };
    let [raw @ Raw::Cuts(_)] = evidence else {
        let found = evidence.first().map_or("nothing", Raw::kind);
        return Err(subject.mismatch(0, found, "one `cuts`"));
    };
    let Evidence::Cuts(listed) = subject.resolve(0, raw)? else {
        return Err(subject.mismatch(0, raw.kind(), "one `cuts`"));
    };
    let setting = subject.setting()?;
    let number = listed.len();
    let sizes: Vec<String> = listed.iter().map(|cut| cut.len().to_string()).collect();
    let cuts = Cuts {
        of: *of,
        view: *view,
        after: *after,
        cuts: listed,
        equals: equals.clone(),
    };
    let equal = cuts
        .holds(&setting.game, &BigUint::from(MAX_CHOICES))
        .map_err(|failure| Stop::of_failure(&at(0, raw), failure))?;
    if equal != (subject.verdict == Verdict::Established) {
        let found = if equal {
            "the cuts of the statement"
        } else {
            "other cuts than the statement"
        };
        return Err(Rejection::new(
            at(0, raw),
            Code::Bound,
            found,
            format!("what makes it {}", subject.verdict),
        )
        .into());
    }
    Ok(format!(
        "cuts: {number} minimal cuts of sizes {}, complete by the choice test",
        sizes.join(", ")
    ))
}

fn names(game: &Game, slots: &[SlotId]) -> String {
    if slots.is_empty() {
        return "no slot".to_owned();
    }
    let shown: Vec<&str> = slots.iter().take(8).map(|slot| game.name(*slot)).collect();
    let more = if slots.len() > 8 {
        format!(" and {} more", slots.len() - 8)
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}
