//! Mutants: changed evidence, which both checkers must reject.
//!
//! For every kind of evidence a seeded generator makes at least 1,000 mutants from the committed files, in two layers: *raw*
//! mutants change bytes, *resealed* ones change the meaning and then repair digests and seal. A resealed mutant is kept only
//! if something else than the checkers says that it is wrong: an operator whose effect is proved, or the naive definition.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and reports what it counted"
)]

mod base;
mod committed;
mod controls;
mod decomposition;
mod derived;
mod draft;
mod formulas;
mod kernel;
mod matrix;
mod naive;
mod operators;
mod python;
mod raw;
mod reduction;
mod running;

use base::{Base, KINDS, bases};
use draft::Draft;
use foolproof::evidence::verify::{Options, Outcome, verify_bytes};
use foolproof::game::structure::Code;
use python::Answer;
use std::collections::BTreeSet;

/// Mutants per kind, at least.
const PER_KIND: usize = 1_000;
/// Of these, made from bytes alone.
const RAW: usize = 350;
/// Attempts after which a kind is given up: a hole in the generator, not in a checker.
const ATTEMPTS: u64 = 40_000;

/// A mutant, sealed and ready.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    /// Claim id of the file it was made from.
    pub claim: String,
    /// Operator; names the committed files.
    pub operator: &'static str,
    /// What the checkers see.
    pub draft: Draft,
    /// Codes that are right; `None` for raw mutants, where two parsers may stumble at different places.
    pub codes: Option<&'static [Code]>,
}

/// A generator that any language reproduces (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `n`, which is at least 1.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }

    /// One of a list; `None` of an empty one.
    pub(crate) fn one<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        (!list.is_empty()).then(|| &list[self.below(list.len())])
    }
}

/// The mutant with this index, if the operator that the index draws applies and is known to be wrong.
fn mutant(kind: &str, bases: &[Base], index: u64, raw: bool) -> Option<Mutant> {
    let seed = kind.bytes().fold(index, |seed, byte| {
        seed.wrapping_mul(257).wrapping_add(byte.into())
    });
    let mut random = Random::new(seed);
    if raw {
        raw::mutant(random.one(bases)?, &mut random)
    } else {
        operators::mutant(kind, bases, &mut random)
    }
}

/// The mutants of a kind: no two with the same content.
pub(crate) fn mutants(kind: &str, bases: &[Base]) -> Vec<Mutant> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for index in 0..ATTEMPTS {
        let raw = found
            .iter()
            .filter(|mutant: &&Mutant| mutant.codes.is_none())
            .count();
        let enough = found.len() - raw >= PER_KIND - RAW || index > ATTEMPTS / 4;
        if found.len() >= PER_KIND {
            break;
        }
        let candidate = mutant(kind, bases, index, raw < RAW || enough);
        found.extend(candidate.filter(|candidate| seen.insert(candidate.draft.clone())));
    }
    found
}

/// What the verifier says: the word, and the code of a rejection.
pub(crate) fn rust_answer(draft: &Draft) -> Answer {
    match verify_bytes(&draft.name, &draft.bytes, &draft.files, &Options::default()) {
        Outcome::Accepted(_) => Answer::new("accepted", ""),
        Outcome::Rejected(rejection) => Answer::new("rejected", rejection.code.word()),
        Outcome::NotChecked(_) => Answer::new("not-checked", ""),
    }
}

#[derive(Default)]
struct Count {
    mutants: usize,
    accepted: [usize; 2],
    undecided: usize,
    codes: usize,
    complaints: Vec<String>,
}

impl Count {
    fn add(&mut self, mutant: &Mutant, rust: &Answer, python: &Answer) {
        self.mutants += 1;
        self.accepted[0] += usize::from(rust.word == "accepted");
        self.accepted[1] += usize::from(python.word == "accepted");
        let rejected = rust.word == "rejected" && python.word == "rejected";
        self.undecided += usize::from(!rejected);
        let expected = |answer: &Answer| {
            mutant
                .codes
                .is_none_or(|codes| codes.iter().any(|code| code.word() == answer.code))
        };
        let same = mutant.codes.is_none() || rust.code == python.code;
        let fine = same && expected(rust) && expected(python);
        self.codes += usize::from(!fine);
        if !rejected || !fine || python.code.starts_with("unforeseen") {
            let expected: Option<Vec<&str>> = mutant
                .codes
                .map(|codes| codes.iter().map(|code| code.word()).collect());
            self.complaints.push(format!(
                "{} {}: rust {rust}, python {python}, expected {expected:?}\n{}",
                mutant.claim,
                mutant.operator,
                String::from_utf8_lossy(&mutant.draft.bytes)
                    .chars()
                    .take(3_000)
                    .collect::<String>()
            ));
        }
    }
}

/// Every operator makes some mutant of each of its kinds: else the committed evidence has no place for it.
fn assert_no_operator_idles(kind: &str, list: &[Mutant]) {
    for operator in operators::names(kind) {
        let made = list
            .iter()
            .filter(|mutant| mutant.operator == operator)
            .count();
        assert!(made > 0, "{kind}: no mutant by {operator}");
    }
}

#[test]
fn every_mutant_is_rejected_by_both_checkers() {
    // `MUTANTS=tree,derive cargo test --test mutants every_mutant` looks only at the kinds that begin so.
    let only = std::env::var("MUTANTS").unwrap_or_default();
    let asked = |kind: &&&str| only.split(',').any(|begin| kind.starts_with(begin));
    let all: Vec<(&str, Vec<Mutant>)> = KINDS
        .iter()
        .filter(asked)
        .map(|kind| (*kind, mutants(kind, &bases(kind))))
        .collect();
    all.iter()
        .for_each(|(kind, list)| assert_no_operator_idles(kind, list));
    let drafts: Vec<&Draft> = all
        .iter()
        .flat_map(|(_, list)| list)
        .map(|mutant| &mutant.draft)
        .collect();
    let (rust, python) = std::thread::scope(|scope| {
        let python = scope.spawn(|| python::answers(&python::source(), &drafts));
        let rust: Vec<Answer> = drafts.iter().map(|draft| rust_answer(draft)).collect();
        (rust, python.join().unwrap())
    });
    let mut answers = rust.iter().zip(&python);
    let mut complaints = Vec::new();
    for (kind, list) in &all {
        let mut count = Count::default();
        for mutant in list {
            let (rust, python) = answers.next().unwrap();
            count.add(mutant, rust, python);
        }
        println!(
            "{kind}: {} mutants, false accepts rust {} python {}, code differences {}",
            count.mutants, count.accepted[0], count.accepted[1], count.codes
        );
        assert!(
            count.mutants >= PER_KIND,
            "{kind}: only {} mutants",
            count.mutants
        );
        complaints.extend(count.complaints);
    }
    for complaint in complaints.iter().take(12) {
        println!("{complaint}");
    }
    assert!(
        complaints.is_empty(),
        "{} mutants are not rejected as they should be",
        complaints.len()
    );
}
