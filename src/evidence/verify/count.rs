//! `count`: `classes` with `protocol`, which together give the exact number.

use super::{Stop, Subject, at};
use crate::evidence::item::{Evidence, Raw};
use crate::evidence::scope::Verdict;
use crate::evidence::shape::Rejection;
use crate::evidence::statement::{Statement, one_way_with};
use crate::exact::count::bits;
use crate::game::structure::Code;
use num_bigint::BigUint;

pub(super) fn check(subject: &Subject<'_>, evidence: &[Raw]) -> Result<String, Stop> {
    subject.no_files()?;
    let expected = "`classes`, then `protocol`";
    let [first @ Raw::Classes { .. }, second @ Raw::Protocol { .. }] = evidence else {
        let found: Vec<&str> = evidence.iter().map(Raw::kind).collect();
        return Err(subject.mismatch(0, &found.join(", "), expected));
    };
    let setting = subject.setting()?;
    let (task, limit) = (&*setting.task, &subject.options.max_inputs);
    let (Evidence::Classes(classes), Evidence::Protocol(protocol)) =
        (subject.resolve(0, first)?, subject.resolve(1, second)?)
    else {
        return Err(subject.mismatch(0, "other evidence", expected));
    };
    let members = classes
        .holds(&setting.game, task, limit)
        .map_err(|failure| Stop::of_failure(&at(0, first), failure))?;
    // The upper side: a protocol with exactly as many symbols.
    let game = one_way_with(&setting.game, &members).ok_or_else(|| {
        Rejection::new(
            "/spec",
            Code::Malformed,
            "another game",
            "a one-way game of two players",
        )
    })?;
    protocol
        .holds(&game, task, limit)
        .map_err(|failure| Stop::of_failure(&at(1, second), failure))?;
    let Statement::Count {
        bits: in_bits,
        bound,
        number,
        ..
    } = &subject.statement
    else {
        return Err(subject.mismatch(0, "another statement", "count"));
    };
    let found = if *in_bits {
        BigUint::from(bits(&members))
    } else {
        members.clone()
    };
    if bound.holds(&found, number) != (subject.verdict == Verdict::Established) {
        let expected = format!(
            "what makes `{} = {number}` {}",
            bound.key(),
            subject.verdict
        );
        return Err(
            Rejection::new("/statement/count", Code::Bound, found.to_string(), expected).into(),
        );
    }
    Ok(format!(
        "classes and protocol: exactly {members} states, {} bits",
        bits(&members)
    ))
}
