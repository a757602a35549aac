//! `derive`: a ledger recomputed row by row, a box exhausted, or primal and dual vectors of the exponent program.

use super::{Stop, Subject, at};
use crate::bounds::derive::edges;
use crate::bounds::derive::exhaust::{Region, Unfeasible, least};
use crate::bounds::derive::exponent::Exponent;
use crate::bounds::derive::{
    Answer, Cost, Layout, Ledger, Opening, Params, Refused, check_choice, check_opened,
};
use crate::evidence::canonical::pointer;
use crate::evidence::derive::{
    Derivation, Question, StoredBound, StoredExponent, bound_json, cost_json, inverse, layout_json,
    params_json, ratio_text, uniform_json,
};
use crate::evidence::item::{Derived, Raw};
use crate::evidence::ledger::{StoredGame, edges_of, game_json};
use crate::evidence::scope::Verdict;
use crate::evidence::shape::{Place, Rejection};
use crate::evidence::statement::Statement;
use crate::exact::linear::{Program, Unfit};
use crate::game::structure::Code;
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use serde_json::Value as Json;

/// Most evaluations of an exhaustion that is repeated.
pub const BUDGET: u64 = 1 << 32;

pub(super) fn check(subject: &Subject<'_>, evidence: &[Raw]) -> Result<String, Stop> {
    subject.no_files()?;
    let Statement::Derive(derivation) = &subject.statement else {
        return Err(subject.mismatch(0, "another statement", "derive"));
    };
    let [raw] = evidence else {
        return Err(subject.mismatch(0, &format!("{} objects", evidence.len()), "one object"));
    };
    let established = subject.verdict == Verdict::Established;
    let place = at(0, raw);
    match (&derivation.question, raw) {
        (Question::Proved { cost, params }, Raw::Derived(Derived::Bound, stored)) => {
            let stated = bound(stored, &place, derivation, cost)?;
            equal(
                &params_json(&stated.0),
                &params_json(params),
                &format!("{place}/params"),
            )?;
            if established {
                proved(&stated.1)
            } else {
                not_proved(derivation, cost, params, &stated.1, &place)
            }
        }
        (Question::TokensAtMost { cost, tokens }, Raw::Derived(Derived::Bound, stored))
            if established =>
        {
            let (_, ledger) = bound(stored, &place, derivation, cost)?;
            if ledger.length > *tokens {
                let found = format!("{} tokens", ledger.length);
                return Err(Rejection::new(
                    format!("{place}/n"),
                    Code::Bound,
                    found,
                    format!("at most {tokens}"),
                )
                .into());
            }
            proved(&ledger)
        }
        (Question::TokensAtMost { cost, tokens }, Raw::Derived(Derived::Exhausted, stored))
            if !established =>
        {
            exhausted(stored, &place, derivation, cost, tokens)
        }
        (
            Question::Exponent {
                cut,
                kappa,
                exponent,
            },
            Raw::Derived(Derived::Exponent, stored),
        ) => {
            let program = Derivation::program(&derivation.layout, *cut, kappa)
                .map_err(|refused| refusal("/statement/derive", &refused))?;
            let value = value_of(&program, stored, &place)?;
            let found = inverse(&value);
            if (found.as_ref() == Some(exponent)) != established {
                let found = found.map_or("no exponent".to_owned(), |found| ratio_text(&found));
                let expected = format!("what makes {} {}", ratio_text(exponent), subject.verdict);
                return Err(Rejection::new(
                    "/statement/derive/exponent",
                    Code::Bound,
                    found,
                    expected,
                )
                .into());
            }
            Ok(format!(
                "primal and dual: n = c^{} is the best exponent of the scheme",
                ratio_text(&value)
            ))
        }
        (Question::ForEveryC { power }, Raw::Derived(Derived::Uniform, stored)) if established => {
            uniform(stored, &place, &derivation.layout, *power)
        }
        (question, _) => {
            let expected = match question {
                Question::Proved { .. } => "`derive_bound`",
                Question::TokensAtMost { .. } if established => "`derive_bound`",
                Question::TokensAtMost { .. } => "`derive_exhausted`",
                Question::Exponent { .. } => "`derive_exponent`",
                Question::ForEveryC { .. } => "`derive_uniform`, established",
            };
            Err(subject.mismatch(0, raw.kind(), expected))
        }
    }
}

/// A field without meaning; Theta that coverage does not give is `bound`.
fn refusal(place: &str, refused: &Refused) -> Rejection {
    let code = if refused.field.starts_with("theta") {
        Code::Bound
    } else {
        Code::Domain
    };
    let field = if refused.field.starts_with("theta") || refused.field == "q" {
        format!("/{}", refused.field)
    } else {
        String::new()
    };
    Rejection::new(
        format!("{place}{field}"),
        code,
        refused.message.clone(),
        "a ledger that can be recomputed",
    )
}

/// Recomputes a stored ledger and compares every number in it.
fn bound(
    stored: &Json,
    place: &str,
    derivation: &Derivation,
    cost: &Cost,
) -> Result<(Params, Ledger), Stop> {
    let layout = &derivation.layout;
    let read = StoredBound::read(&Place {
        at: place.to_owned(),
        json: stored,
    })?;
    equal(
        &layout_json(&read.layout),
        &layout_json(layout),
        &format!("{place}/layout"),
    )?;
    equal(
        &cost_json(&read.cost),
        &cost_json(cost),
        &format!("{place}/cost"),
    )?;
    if read.choice.opening != derivation.opening {
        let word = |opening| (opening == Opening::Product).to_string();
        let at = format!("{place}/product_start");
        let (found, right) = (word(read.choice.opening), word(derivation.opening));
        return Err(Rejection::new(at, Code::Arithmetic, found, right).into());
    }
    let ledger = check_choice(layout, cost, &read.params, &read.choice)
        .map_err(|refused| refusal(place, &refused))?;
    equal(
        stored,
        &bound_json(layout, cost, &read.params, &ledger),
        place,
    )?;
    Ok((read.params, ledger))
}

/// Names the first place where a stored object differs from the recomputed one.
fn equal(stored: &Json, right: &Json, place: &str) -> Result<(), Rejection> {
    if stored == right {
        return Ok(());
    }
    match (stored, right) {
        (Json::Object(a), Json::Object(b)) if a.keys().eq(b.keys()) => a
            .iter()
            .try_for_each(|(key, stored)| equal(stored, &b[key], &pointer(place, key))),
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .try_for_each(|(i, (stored, right))| equal(stored, right, &format!("{place}/{i}"))),
        (_, _) => Err(Rejection::new(
            place,
            Code::Arithmetic,
            stored.to_string(),
            right.to_string(),
        )),
    }
}

fn shown(ledger: &Ledger) -> String {
    let trivial = if ledger.trivial { ", trivial" } else { "" };
    format!(
        "{} tokens{trivial}: {} bits against {}",
        ledger.length, ledger.deficit, ledger.room.floor
    )
}

fn proved(ledger: &Ledger) -> Result<String, Stop> {
    match ledger.answer() {
        Answer::Proved => Ok(format!("ledger: closes at {}", shown(ledger))),
        Answer::NotProved => Err(Rejection::new(
            "/verdict",
            Code::Bound,
            format!("it does not close at {}", shown(ledger)),
            "a ledger that closes",
        )
        .into()),
        Answer::Undecided => Err(Stop::NotChecked(
            "a comparison met the precision cap".to_owned(),
        )),
    }
}

/// The best ledger at these integers does not close; this says nothing about networks.
fn not_proved(
    derivation: &Derivation,
    cost: &Cost,
    params: &Params,
    stored: &Ledger,
    place: &str,
) -> Result<String, Stop> {
    let best = check_opened(&derivation.layout, cost, params, derivation.opening)
        .map_err(|refused| refusal(place, &refused))?;
    if best != *stored {
        let found = "a ledger that could choose better";
        return Err(Rejection::new(
            place,
            Code::Bound,
            found,
            "the largest theta and the cheapest last epoch",
        )
        .into());
    }
    match best.answer() {
        Answer::NotProved => Ok(format!(
            "ledger: does not close at {} (this says nothing about networks)",
            shown(&best)
        )),
        Answer::Proved => Err(Rejection::new(
            "/verdict",
            Code::Bound,
            format!("it closes at {}", shown(&best)),
            "a ledger that does not close",
        )
        .into()),
        Answer::Undecided => Err(Stop::NotChecked(
            "a comparison met the precision cap".to_owned(),
        )),
    }
}

fn exhausted(
    stored: &Json,
    place: &str,
    derivation: &Derivation,
    cost: &Cost,
    tokens: &BigUint,
) -> Result<String, Stop> {
    let Some(below) = (tokens + 1_u32).to_u64() else {
        return Err(Stop::NotChecked(format!(
            "no box of {tokens} tokens is exhausted"
        )));
    };
    let region = Region {
        below,
        nontrivial: false,
    };
    let points = region.points();
    equal(
        stored,
        &serde_json::json!({"below": below.to_string(), "points": points.to_string()}),
        place,
    )?;
    match least(&derivation.layout, cost, region, BUDGET) {
        Ok(found) => match found.best {
            None => Ok(format!(
                "exhausted: no point of the scheme below {below} tokens closes, {points} combinations and every x_1"
            )),
            Some((length, _)) => Err(Rejection::new(
                place,
                Code::Bound,
                format!("a point of {length} tokens closes"),
                "no point closes",
            )
            .into()),
        },
        Err(stop @ (Unfeasible::Budget { .. } | Unfeasible::Undecided)) => {
            Err(Stop::NotChecked(stop.to_string()))
        }
        Err(stop @ Unfeasible::Shape) => Err(Rejection::new(
            place,
            Code::Domain,
            stop.to_string(),
            "a box that can be exhausted",
        )
        .into()),
    }
}

/// For every c: all coefficients are whole numbers, so `log_c` of the polynomial falls with c, and its value at c = 2 decides.
fn uniform(stored: &Json, place: &str, layout: &Layout, power: u64) -> Result<String, Stop> {
    let right = uniform_json(layout).map_err(|refused| refusal(place, &refused))?;
    equal(stored, &right, place)?;
    let at_two = right["at_two"]
        .as_str()
        .and_then(|text| text.parse::<BigUint>().ok());
    let bits = at_two.map_or(u64::MAX, |at_two| (at_two - 1_u32).bits());
    if bits > power {
        return Err(Rejection::new(
            format!("{place}/at_two"),
            Code::Bound,
            format!("more than 2^{power}"),
            format!("at most 2^{power}"),
        )
        .into());
    }
    Ok(format!("closed form: n at most c^{power} for every c >= 2"))
}

/// The ledger of a game, edge by edge: closes, so no protocol solves the game.
pub(super) fn game(subject: &Subject<'_>, stored: &Json, place: &str) -> Result<String, Stop> {
    let read = StoredGame::read(&Place {
        at: place.to_owned(),
        json: stored,
    })?;
    let Some(edges) = edges_of(subject.setting()?) else {
        return Err(Rejection::new(
            place,
            Code::Domain,
            "another game",
            "a hybrid game with sequential composition",
        )
        .into());
    };
    let ledger = edges::check_choice(&edges, &read.point, &read.theta, read.option)
        .map_err(|refused| refusal(place, &refused))?;
    equal(stored, &game_json(&read.point, &ledger), place)?;
    if ledger.answer != Answer::Proved {
        return Err(Rejection::new(
            format!("{place}/final"),
            Code::Bound,
            "a ledger that does not close",
            "a ledger that closes",
        )
        .into());
    }
    Ok(format!(
        "ledger: closes, {} strings against {}^{}",
        ledger.strings, ledger.range, ledger.t
    ))
}

/// A vector by names, written out.
fn vector(
    named: &[(String, BigRational)],
    names: &[String],
    place: &str,
) -> Result<Vec<BigRational>, Rejection> {
    let mut values = vec![BigRational::zero(); names.len()];
    for (name, value) in named {
        let index = names.iter().position(|known| known == name);
        let entry = index.and_then(|index| values.get_mut(index));
        let missing = || {
            Rejection::new(
                pointer(place, name),
                Code::Domain,
                format!("`{name}`"),
                "a name of the program",
            )
        };
        *entry.ok_or_else(missing)? = value.clone();
    }
    Ok(values)
}

/// The value of the exponent program, best over the options: a primal point for one, a dual vector for each.
fn value_of(question: &Exponent, stored: &Json, place: &str) -> Result<BigRational, Rejection> {
    let read = StoredExponent::read(&Place {
        at: place.to_owned(),
        json: stored,
    })?;
    let unfit = |at: String, error: &Unfit| {
        Rejection::new(at, Code::Bound, error.to_string(), "a feasible vector")
    };
    let rows = |program: &Program| {
        program
            .rows
            .iter()
            .map(|row| row.name.clone())
            .collect::<Vec<_>>()
    };
    let (q, named) = &read.primal;
    let at = format!("{place}/primal");
    if *q > question.steps {
        return Err(Rejection::new(
            format!("{at}/q"),
            Code::Domain,
            q.to_string(),
            format!("at most {}", question.steps),
        ));
    }
    let program = question.program(*q);
    let x = vector(named, &program.variables, &format!("{at}/x"))?;
    let value = program
        .primal(&x)
        .map_err(|error| unfit(format!("{at}/x"), &error))?;
    let options: Vec<usize> = (0..=question.steps).rev().collect();
    if !read.duals.iter().map(|(q, _)| *q).eq(options) {
        return Err(Rejection::new(
            format!("{place}/duals"),
            Code::Coverage,
            "other options",
            format!("q = {}..0", question.steps),
        ));
    }
    for (i, (q, named)) in read.duals.iter().enumerate() {
        let at = format!("{place}/duals/{i}/y");
        let program = question.program(*q);
        let y = vector(named, &rows(&program), &at)?;
        let lower = program
            .dual(&y)
            .map_err(|error| unfit(at.clone(), &error))?;
        if lower < value {
            return Err(Rejection::new(
                at,
                Code::Bound,
                ratio_text(&lower),
                format!("at least {}", ratio_text(&value)),
            ));
        }
    }
    Ok(value)
}
