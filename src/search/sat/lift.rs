//! One proof out of the proofs of cubes.
//!
//! The proof of a cube is over the formula and the cube's literals as unit clauses C+1, C+2, ... Each of its lemmas holds without
//! them when the negated literals of the cube are added to it; so the empty clause becomes the negated cube. Two cubes that
//! differ in the sign of one literal give the negation of what they share, and at the root that is the empty clause.

use super::trim::{Step, Walker, parse};
use crate::game::encode::Cnf;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A proof in the making. Nothing here is trusted: the result is verified.
pub(super) struct Lifted<'a> {
    formula: Vec<&'a [i32]>,
    variables: usize,
    next: u64,
    text: String,
}

impl<'a> Lifted<'a> {
    pub(super) fn new(cnf: &'a Cnf) -> Self {
        Self {
            formula: cnf.clauses().collect(),
            variables: usize::try_from(cnf.variables()).unwrap_or(0),
            next: cnf.len() as u64 + 1,
            text: String::new(),
        }
    }

    /// Adds the proof of a cube, and returns the id of the negated cube; `None` for what is no proof.
    pub(super) fn cube(&mut self, cube: &[i32], proof: &[u8]) -> Option<u64> {
        let clauses = self.formula.len() as u64;
        // The lemmas so far, by their ids in the proof of the cube: number here, and literals.
        let mut lemmas: BTreeMap<u64, (u64, Vec<i32>)> = BTreeMap::new();
        let mut walker = Walker::new(self.variables);
        for step in parse(proof)? {
            let literals = lifted(&step.literals, cube);
            let Some(literals) = literals else { continue };
            let known: Vec<u64> = (step.hints.iter().copied())
                .filter(|hint| *hint <= clauses || lemmas.contains_key(hint))
                .collect();
            let step = Step {
                id: step.id,
                literals,
                hints: known,
            };
            let formula = &self.formula;
            let clause = |id: u64| match lemmas.get(&id) {
                Some((_, literals)) => Some(literals.as_slice()),
                None => formula
                    .get(usize::try_from(id).ok()?.checked_sub(1)?)
                    .copied(),
            };
            let hints: Vec<u64> = walker
                .hints(&step, &clause)?
                .into_iter()
                .map(|hint| lemmas.get(&hint).map_or(hint, |(number, _)| *number))
                .collect();
            let number = self.step(&step.literals, &hints);
            lemmas.insert(step.id, (number, step.literals));
        }
        let (last, literals) = lemmas.values().max_by_key(|(number, _)| *number)?;
        (literals.len() == cube.len()).then_some(())?;
        let last = *last;
        if cube.is_empty() {
            // Nothing may follow the empty clause.
            return Some(last);
        }
        let done: Vec<u64> = lemmas
            .values()
            .map(|(number, _)| *number)
            .filter(|number| *number != last)
            .collect();
        self.delete(&done);
        Some(last)
    }

    /// The negation of a cube, from those of its two halves.
    pub(super) fn join(&mut self, cube: &[i32], halves: [u64; 2]) -> u64 {
        let literals: Vec<i32> = cube.iter().map(|literal| -literal).collect();
        let number = self.step(&literals, &halves);
        if !cube.is_empty() {
            self.delete(&halves);
        }
        number
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    fn step(&mut self, literals: &[i32], hints: &[u64]) -> u64 {
        let number = self.next;
        self.next += 1;
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{number}");
        for literal in literals {
            let _ = write!(self.text, " {literal}");
        }
        self.text.push_str(" 0");
        for hint in hints {
            let _ = write!(self.text, " {hint}");
        }
        self.text.push_str(" 0\n");
        number
    }

    fn delete(&mut self, ids: &[u64]) {
        if ids.is_empty() {
            return;
        }
        let _ = write!(self.text, "{} d", self.next - 1);
        for id in ids {
            let _ = write!(self.text, " {id}");
        }
        self.text.push_str(" 0\n");
    }
}

/// A lemma of a cube without the cube; `None` when it says nothing then.
fn lifted(literals: &[i32], cube: &[i32]) -> Option<Vec<i32>> {
    if literals.iter().any(|literal| cube.contains(literal)) {
        return None;
    }
    let mut all = literals.to_vec();
    for literal in cube {
        if !all.contains(&-literal) {
            all.push(-literal);
        }
    }
    Some(all)
}
