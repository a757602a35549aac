//! `count`: `classes` with `protocol`, which together give the exact number.

use super::{Stop, Subject, at};
use crate::evidence::item::{Evidence, Raw};
use crate::evidence::scope::Verdict;
use crate::evidence::shape::Rejection;
use crate::evidence::statement::{Statement, one_way_with};
use crate::exact::count::bits;
use crate::game::Game;
use crate::game::structure::Code;
use crate::game::structure::ProtocolTables;
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

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
    let other_game = || {
        Rejection::new(
            at(0, first),
            Code::KindMismatch,
            "another game",
            "a one-way game from the first player to the second",
        )
    };
    if one_way_with(&setting.game, &BigUint::from(1u8)).is_none() {
        return Err(other_game().into());
    }
    let members = classes
        .holds(&setting.game, task, limit)
        .map_err(|failure| Stop::of_failure(&at(0, first), failure))?;
    // The upper side: a protocol with exactly as many symbols.
    let symbols = symbols_of(&setting.game, &protocol, &at(1, second))?;
    if symbols != members {
        let expected = format!("{members}, one per member");
        return Err(Rejection::new(
            format!("{}/answers", at(1, second)),
            Code::Bound,
            symbols.to_string(),
            expected,
        )
        .into());
    }
    let game = one_way_with(&setting.game, &symbols).ok_or_else(other_game)?;
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

/// The number of symbols that a protocol of a one-way game is written for: answers per input of the listener.
fn symbols_of(game: &Game, protocol: &ProtocolTables, at: &str) -> Result<BigUint, Rejection> {
    let inputs = game.player(game.output()).domain.size().unwrap_or_default();
    let answers = BigUint::from(protocol.answers.len());
    if answers.is_zero() || inputs.is_zero() || !answers.is_multiple_of(&inputs) {
        let expected = format!("a multiple of {inputs}");
        return Err(Rejection::new(
            format!("{at}/answers"),
            Code::Size,
            format!("{answers} answers"),
            expected,
        ));
    }
    Ok(answers / inputs)
}
