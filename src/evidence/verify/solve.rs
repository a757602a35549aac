//! `solvable` and `unsolvable`: `protocol`, `family`, `colouring`, `no_answer`, `no_protocol`, `enumeration`.

use super::lrat;
use super::one_protocol::compare_enumeration;
use super::{Stop, Subject, at};
use crate::evidence::gzip;
use crate::evidence::item::{Derived, Enumeration, Evidence, NoProtocol, Raw};
use crate::evidence::ranges::Recorder;
use crate::evidence::scope::Verdict;
use crate::evidence::shape::Rejection;
use crate::evidence::statement::Statement;
use crate::game::encode::{EncodeError, Encoding, Formula};
use crate::game::structure::{AllProtocols, Code};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use serde_json::{Map, Value as Json, json};
use std::io::{self, Write};

pub(super) fn check(
    subject: &Subject<'_>,
    evidence: &[Raw],
    trust: &mut Vec<String>,
) -> Result<String, Stop> {
    let exists =
        (subject.statement == Statement::Solvable) == (subject.verdict == Verdict::Established);
    let expected = if exists {
        "one `protocol`"
    } else {
        "one `family`, `colouring`, `derive_game`, `no_answer`, `no_protocol` or `enumeration`"
    };
    let [raw] = evidence else {
        return Err(subject.mismatch(0, &format!("{} objects", evidence.len()), expected));
    };
    let setting = subject.setting()?;
    let (game, task, limit) = (&setting.game, &*setting.task, &subject.options.max_inputs);
    let denies = matches!(
        raw,
        Raw::Family { .. }
            | Raw::Colouring { .. }
            | Raw::NoAnswer(_)
            | Raw::NoProtocol { .. }
            | Raw::Enumeration(_)
            | Raw::Derived(Derived::Game, _)
    );
    let fits = if exists {
        matches!(raw, Raw::Protocol { .. })
    } else {
        denies
    };
    if !fits {
        return Err(subject.mismatch(0, raw.kind(), expected));
    }
    if !matches!(raw, Raw::NoProtocol { .. } | Raw::Enumeration(_)) {
        subject.no_files()?;
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
        Evidence::NoAnswer(found) => {
            found
                .holds(game, task)
                .map_err(|violation| failed(violation.into()))?;
            Ok("no answer is accepted on one input".to_owned())
        }
        Evidence::Derived(Derived::Game, stored) => {
            super::derive::game(subject, &stored, &at(0, raw))
        }
        Evidence::NoProtocol(found) => no_protocol(subject, &found, &at(0, raw), trust),
        Evidence::Enumeration(stored) => all_protocols(subject, &stored, &at(0, raw)),
        Evidence::Cut
        | Evidence::Relay { .. }
        | Evidence::Cuts(_)
        | Evidence::Classes(_)
        | Evidence::Counterexample(_)
        | Evidence::Pair(_)
        | Evidence::Conflict(_)
        | Evidence::Comparison(_)
        | Evidence::Decomposition(_)
        | Evidence::Derived(..)
        | Evidence::Ledger(_)
        | Evidence::Kernelled(..)
        | Evidence::Matrix(..)
        | Evidence::Reduction(..) => Err(subject.mismatch(0, raw.kind(), expected)),
    }
}

/// Name of the enumeration of all protocols.
pub const SEARCH: &str = "protocols-v1";

/// The record of one protocol: the number of the input that shows it wrong, or null.
pub fn record(first_wrong: Option<u64>) -> Json {
    first_wrong.map_or(Json::Null, |input| json!(input.to_string()))
}

/// The evidence object and its file, out of the records of all protocols and the number of right ones.
pub fn enumeration(
    all: &AllProtocols<'_>,
    recorder: Recorder,
    object: &str,
    right: u64,
) -> (Enumeration, Vec<u8>) {
    let mut summary = Map::new();
    summary.insert("right".to_owned(), json!(right.to_string()));
    recorder.finish(SEARCH, all.domain(), object, summary)
}

/// Tries all protocols again.
fn all_protocols(subject: &Subject<'_>, stored: &Enumeration, at: &str) -> Result<String, Stop> {
    let setting = subject.setting()?;
    let limit = &subject.options.max_inputs;
    let failed = |failure| Stop::of_failure(at, failure);
    let all = AllProtocols::new(&setting.game, &*setting.task, limit).map_err(failed)?;
    let total: BigUint = all.domain().iter().product();
    let (mut recorder, mut right) = (Recorder::default(), 0);
    for number in 0..total.to_u64().unwrap_or(u64::MAX) {
        let wrong = all
            .first_wrong(number)
            .map_err(|violation| failed(violation.into()))?;
        right += u64::from(wrong.is_none());
        recorder.item(&record(wrong));
    }
    let (recomputed, file) = enumeration(&all, recorder, &subject.digest, right);
    compare_enumeration(stored, &recomputed, at)?;
    subject.only_record(&file)?;
    if right > 0 {
        let found = format!("{right} protocols that are right");
        return Err(Rejection::new(at, Code::Accepted, found, "none").into());
    }
    Ok(format!("enumeration: none of {total} protocols is right"))
}

/// Encodes the core again, compares bytes, and checks the proof.
fn no_protocol(
    subject: &Subject<'_>,
    found: &NoProtocol,
    at: &str,
    trust: &mut Vec<String>,
) -> Result<String, Stop> {
    let (stored, proof) = attached(subject)?;
    let encoding = check_names(found, at)?;
    let formula = encode(subject, found, encoding, at)?;
    for (key, stored, right) in [
        ("vars", &found.vars, formula.cnf.variables().to_string()),
        ("clauses", &found.clauses, formula.cnf.len().to_string()),
    ] {
        if stored.to_string() != right {
            let at = format!("{at}/{key}");
            return Err(Rejection::new(at, Code::Arithmetic, stored.to_string(), right).into());
        }
    }
    compare(&formula, stored)?;
    let proof = lrat::check(
        formula.cnf.variables(),
        formula.cnf.clauses(),
        &mut gzip::content(proof),
    )?;
    *trust = found.trust();
    Ok(format!(
        "no protocol on {} inputs: {} clauses refuted in {} steps",
        found.inputs.len(),
        formula.cnf.len(),
        proof.steps
    ))
}

/// The two attached files, and no other.
fn attached<'a>(subject: &Subject<'a>) -> Result<(&'a [u8], &'a [u8]), Rejection> {
    let names = [NoProtocol::FORMULA, NoProtocol::PROOF];
    let missing = |name: &str| {
        Rejection::new(
            format!("/files/{name}"),
            Code::File,
            "no such file",
            names.join(" and "),
        )
    };
    let file = |name: &str| {
        subject
            .files
            .get(name)
            .map(Vec::as_slice)
            .ok_or_else(|| missing(name))
    };
    let both = (file(NoProtocol::FORMULA)?, file(NoProtocol::PROOF)?);
    match subject
        .files
        .keys()
        .find(|name| !names.contains(&name.as_str()))
    {
        None => Ok(both),
        Some(odd) => Err(Rejection::new(
            format!("/files/{odd}"),
            Code::File,
            "an attached file",
            names.join(" and "),
        )),
    }
}

/// The encoding, and whether its clauses that break symmetry are there.
fn check_names(found: &NoProtocol, at: &str) -> Result<Encoding, Rejection> {
    let Some(encoding) = Encoding::named(&found.encoding) else {
        let known: Vec<&str> = Encoding::ALL.iter().map(|known| known.name()).collect();
        return Err(Rejection::new(
            format!("{at}/encoding"),
            Code::Encoding,
            found.encoding.clone(),
            known.join(" or "),
        ));
    };
    let right = encoding.symmetry();
    let odd = |(place, name): (usize, &String)| (place > 0 || name != right).then_some(place);
    match found.symmetry.iter().enumerate().find_map(odd) {
        None => Ok(encoding),
        Some(place) => Err(Rejection::new(
            format!("{at}/symmetry/{place}"),
            Code::Symmetry,
            found.symmetry[place].clone(),
            format!("{right}, once"),
        )),
    }
}

fn encode(
    subject: &Subject<'_>,
    found: &NoProtocol,
    encoding: Encoding,
    at: &str,
) -> Result<Formula, Stop> {
    let setting = subject.setting()?;
    let game = &setting.game;
    for (place, input) in found.inputs.iter().enumerate() {
        if let Err(error) = input.check(game) {
            let at = format!("{at}/inputs/{place}");
            return Err(Rejection::new(
                at,
                Code::Domain,
                error.to_string(),
                "an input of the game",
            )
            .into());
        }
    }
    let symmetry = !found.symmetry.is_empty();
    let formula = encoding.formula(game, &*setting.task, &found.inputs, symmetry);
    formula.map_err(|error| {
        let (place, code) = match &error {
            EncodeError::NotChosen(_) | EncodeError::Shared(_) | EncodeError::SharedCopies(_) => {
                ("encoding".to_owned(), Code::Encoding)
            }
            EncodeError::Unsorted(number) => (format!("inputs/{number}"), Code::Coverage),
            EncodeError::NoAnswer(number) => (format!("inputs/{number}"), Code::Encoding),
            EncodeError::Task { number, .. } => (format!("inputs/{number}"), Code::Replay),
            EncodeError::TooLarge { .. } => return Stop::NotChecked(error.to_string()),
        };
        let at = format!("{at}/{place}");
        Rejection::new(at, code, error.to_string(), "inputs that can be encoded").into()
    })
}

/// Compares what is written with what is expected, without a copy.
struct Expect<'a> {
    rest: &'a [u8],
}

impl Write for Expect<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.rest.strip_prefix(bytes) {
            Some(rest) => self.rest = rest,
            None => return Err(io::Error::other("another formula")),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Compares the stored formula with the right one; the first clause that differs decides between `encoding` and `symmetry`.
fn compare(formula: &Formula, stored: &[u8]) -> Result<(), Rejection> {
    let mut expect = Expect { rest: stored };
    if formula.cnf.write(&mut expect).is_ok() && expect.rest.is_empty() {
        return Ok(());
    }
    let right = formula.cnf.to_bytes();
    let (found, right): (Vec<&[u8]>, Vec<&[u8]>) = (
        stored.split(|byte| *byte == b'\n').collect(),
        right.split(|byte| *byte == b'\n').collect(),
    );
    let length = found.len().max(right.len());
    let differs = |line: &usize| found.get(*line) != right.get(*line);
    let line = (1..length).find(differs).unwrap_or(0);
    let code = if line > formula.plain {
        Code::Symmetry
    } else {
        Code::Encoding
    };
    let text = |lines: &[&[u8]]| {
        lines
            .get(line)
            .map_or("the end of the file".to_owned(), |line| {
                String::from_utf8_lossy(line).into_owned()
            })
    };
    Err(Rejection::new(
        format!("{}:{}", NoProtocol::FORMULA, line + 1),
        code,
        text(&found),
        text(&right),
    ))
}
