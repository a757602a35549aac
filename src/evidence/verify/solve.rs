//! `solvable` and `unsolvable`: `protocol`, `family`, `colouring`, `no_protocol`.

use super::lrat;
use super::{Stop, Subject, at};
use crate::evidence::gzip;
use crate::evidence::item::{Derived, Evidence, NoProtocol, Raw};
use crate::evidence::scope::Verdict;
use crate::evidence::shape::Rejection;
use crate::evidence::statement::Statement;
use crate::game::encode::{EncodeError, Formula, SYMBOL_ORDER_V1, TABLE_V1, table_v1};
use crate::game::structure::Code;
use std::io::{self, Write};

/// The schemata that are known.
const SCHEMATA: [&str; 1] = [SYMBOL_ORDER_V1];

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
        "one `family`, `colouring`, `derive_game` or `no_protocol`"
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
            | Raw::NoProtocol { .. }
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
    if !matches!(raw, Raw::NoProtocol { .. }) {
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
        Evidence::Derived(Derived::Game, stored) => {
            super::derive::game(subject, &stored, &at(0, raw))
        }
        Evidence::NoProtocol(found) => no_protocol(subject, &found, &at(0, raw), trust),
        Evidence::Cut
        | Evidence::Relay { .. }
        | Evidence::Cuts(_)
        | Evidence::Classes(_)
        | Evidence::Counterexample(_)
        | Evidence::Pair(_)
        | Evidence::Conflict(_)
        | Evidence::Enumeration(_)
        | Evidence::Comparison(_)
        | Evidence::Decomposition(_)
        | Evidence::Derived(..)
        | Evidence::Ledger(_)
        | Evidence::Kernelled(..)
        | Evidence::Matrix(..)
        | Evidence::Reduction(..) => Err(subject.mismatch(0, raw.kind(), expected)),
    }
}

/// Encodes the core again, compares bytes, and checks the proof.
fn no_protocol(
    subject: &Subject<'_>,
    found: &NoProtocol,
    at: &str,
    trust: &mut Vec<String>,
) -> Result<String, Stop> {
    let (stored, proof) = attached(subject)?;
    check_names(found, at)?;
    let formula = encode(subject, found, at)?;
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

fn check_names(found: &NoProtocol, at: &str) -> Result<(), Rejection> {
    if found.encoding != TABLE_V1 {
        let at = format!("{at}/encoding");
        return Err(Rejection::new(
            at,
            Code::Encoding,
            found.encoding.clone(),
            TABLE_V1,
        ));
    }
    let unknown = |(place, name): (usize, &String)| {
        let repeated = found.symmetry[..place].contains(name);
        (repeated || !SCHEMATA.contains(&name.as_str())).then_some(place)
    };
    match found.symmetry.iter().enumerate().find_map(unknown) {
        None => Ok(()),
        Some(place) => Err(Rejection::new(
            format!("{at}/symmetry/{place}"),
            Code::Symmetry,
            found.symmetry[place].clone(),
            format!("each once of {}", SCHEMATA.join(", ")),
        )),
    }
}

fn encode(subject: &Subject<'_>, found: &NoProtocol, at: &str) -> Result<Formula, Stop> {
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
    table_v1(game, &*setting.task, &found.inputs, symmetry).map_err(|error| {
        let (place, code) = match &error {
            EncodeError::NotChosen(_) | EncodeError::Shared(_) => {
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
