//! LRAT, checked line by line: reverse unit propagation along the given hints, nothing else.
//!
//! State: the live clauses by id, an assignment with its trail, the last id. An added clause is set false, then each hint must
//! be a live clause that is unit under the assignment (its literal is set true), until the last hint is false altogether.
//!
//! # Soundness
//! Every live clause is implied by the formula. If an assignment satisfies all live clauses and falsifies the new one, each
//! unit hint is forced and the last hint is violated; so the new clause is implied. Deletion keeps this. The empty clause
//! cannot be satisfied. A negative hint (RAT) is rejected, never skipped.

use crate::evidence::shape::Rejection;
use crate::game::structure::Code;
use std::io::{BufRead, Read};

/// Name of a proof in messages.
pub const NAME: &str = "proof.lrat";

/// Most bytes of one line.
const MAX_LINE: u64 = 1 << 30;

/// The arena is compacted only above this many numbers.
const MIN_ARENA: usize = 1 << 16;

/// What a checked proof consisted of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Added clauses.
    pub steps: u64,
}

/// Checks that a proof derives the empty clause from `clauses` over the variables `1..=variables`.
///
/// # Source
/// Derived, `docs/design/006-refuted-formulas.md`.
/// # Errors
/// `proof-step` at `proof.lrat:LINE` for a step that does not follow, `proof-end` when the proof does not end right after the
/// empty clause.
/// # Cost
/// The literals of all hinted clauses; memory for the live clauses and eight bytes per step.
pub fn check<'a>(
    variables: i32,
    clauses: impl Iterator<Item = &'a [i32]>,
    proof: &mut dyn BufRead,
) -> Result<Proof, Rejection> {
    let mut checker = Checker::new(variables);
    for clause in clauses {
        checker.clause.clear();
        checker.clause.extend_from_slice(clause);
        checker.store();
    }
    let formula = checker.offsets.len() as u64 - 1;
    let mut line = Vec::new();
    let mut number = 0;
    while read_line(proof, &mut line, &mut number)? {
        if checker.line(&line, number)? {
            let steps = checker.offsets.len() as u64 - 1 - formula;
            if read_line(proof, &mut line, &mut number)? {
                let found = "a line after the empty clause";
                return Err(end(number, found, "the end of the file"));
            }
            return Ok(Proof { steps });
        }
    }
    Err(end(number + 1, "the end of the file", "the empty clause"))
}

/// Reads a line without its end; false at the end of the file.
fn read_line(
    proof: &mut dyn BufRead,
    line: &mut Vec<u8>,
    number: &mut u64,
) -> Result<bool, Rejection> {
    line.clear();
    *number += 1;
    let read = proof.take(MAX_LINE).read_until(b'\n', line);
    match (read, line.pop()) {
        (Err(error), _) => Err(end(*number, error.to_string(), "a readable file")),
        (Ok(_), None) => {
            *number -= 1;
            Ok(false)
        }
        (Ok(_), Some(b'\n')) => Ok(true),
        (Ok(_), Some(_)) => Err(end(*number, "a torn line", "a line that ends")),
    }
}

fn end(number: u64, found: impl Into<String>, expected: &str) -> Rejection {
    Rejection::new(format!("{NAME}:{number}"), Code::ProofEnd, found, expected)
}

/// Why a step fails: what was found, what was expected.
type Wrong = (String, &'static str);

/// The live clauses and the assignment.
struct Checker {
    variables: i32,
    /// By id the place of the clause in the arena, plus one; 0 for what is not live. Id 0 is nothing.
    offsets: Vec<u64>,
    /// Clauses, each ended by 0.
    arena: Vec<i32>,
    /// Numbers in the arena that belong to deleted clauses.
    dead: usize,
    /// Truth of a literal at `variables + literal`: 1, -1, or 0 when unassigned.
    values: Vec<i8>,
    /// The literals set true.
    trail: Vec<i32>,
    /// The clause at hand.
    clause: Vec<i32>,
}

impl Checker {
    fn new(variables: i32) -> Self {
        let count = usize::try_from(variables).unwrap_or(0);
        Self {
            variables,
            offsets: vec![0],
            arena: Vec::new(),
            dead: 0,
            values: vec![0; 2 * count + 1],
            trail: Vec::new(),
            clause: Vec::new(),
        }
    }

    /// Stores the clause at hand under the next id.
    fn store(&mut self) {
        self.offsets.push(self.arena.len() as u64 + 1);
        self.arena.extend_from_slice(&self.clause);
        self.arena.push(0);
    }

    /// Handles a line; true when the empty clause was derived.
    fn line(&mut self, line: &[u8], number: u64) -> Result<bool, Rejection> {
        let mut numbers = Numbers { rest: Some(line) };
        let result = self.step(&mut numbers);
        result.map_err(|(found, expected)| {
            Rejection::new(format!("{NAME}:{number}"), Code::ProofStep, found, expected)
        })
    }

    fn step(&mut self, numbers: &mut Numbers<'_>) -> Result<bool, Wrong> {
        let id = numbers.next()?;
        if numbers.deletion() {
            if id < 1 {
                return Err((format!("id {id}"), "a positive id"));
            }
            self.delete(numbers)?;
            return Ok(false);
        }
        let next = self.offsets.len();
        if usize::try_from(id) != Ok(next) {
            return Err((format!("id {id}"), "the id after the last one"));
        }
        self.clause.clear();
        self.trail.clear();
        let derived = self.derive(numbers);
        self.undo();
        derived?;
        self.store();
        Ok(self.clause.is_empty())
    }

    /// Reads a clause, sets it false, and follows the hints to the conflict.
    fn derive(&mut self, numbers: &mut Numbers<'_>) -> Result<(), Wrong> {
        loop {
            let literal = numbers.next()?;
            if literal == 0 {
                break;
            }
            let known = i32::try_from(literal)
                .ok()
                .filter(|known| known.unsigned_abs() <= self.variables.unsigned_abs());
            let Some(literal) = known else {
                return Err((format!("literal {literal}"), "a variable of the formula"));
            };
            if self.value(literal) != 0 {
                return Err((format!("literal {literal}"), "each variable once"));
            }
            self.clause.push(literal);
            self.set(-literal);
        }
        loop {
            let hint = numbers.next()?;
            if hint == 0 {
                return Err(("no conflict".to_owned(), "hints that end in a false clause"));
            }
            if self.propagate(hint)? {
                return match numbers.next()? {
                    0 => numbers.end(),
                    hint => Err((format!("hint {hint} after the conflict"), "0")),
                };
            }
        }
    }

    /// Follows one hint; true when its clause is false.
    fn propagate(&mut self, hint: i64) -> Result<bool, Wrong> {
        let Some(start) = self.live(hint) else {
            return Err((format!("hint {hint}"), "the id of a live clause"));
        };
        let (mut unit, mut unassigned) = (0, 0u32);
        for &literal in &self.arena[start..] {
            if literal == 0 {
                break;
            }
            match self.value(literal) {
                0 => {
                    unit = literal;
                    unassigned += 1;
                }
                1 => {
                    return Err((
                        format!("hint {hint} is satisfied"),
                        "a unit or false clause",
                    ));
                }
                _ => {}
            }
        }
        match unassigned {
            0 => Ok(true),
            1 => {
                self.set(unit);
                Ok(false)
            }
            more => Err((
                format!("hint {hint} is not unit ({more} literals unassigned)"),
                "a unit or false clause",
            )),
        }
    }

    fn delete(&mut self, numbers: &mut Numbers<'_>) -> Result<(), Wrong> {
        loop {
            let id = numbers.next()?;
            if id == 0 {
                break;
            }
            let Some(start) = self.live(id) else {
                return Err((format!("deletion of {id}"), "the id of a live clause"));
            };
            let length = self.arena[start..]
                .iter()
                .take_while(|literal| **literal != 0)
                .count();
            self.dead += length + 1;
            // `live` has found the id in range.
            if let Some(offset) = usize::try_from(id)
                .ok()
                .and_then(|id| self.offsets.get_mut(id))
            {
                *offset = 0;
            }
        }
        if self.arena.len() > MIN_ARENA && self.dead > self.arena.len() / 2 {
            self.compact();
        }
        numbers.end()
    }

    /// Where the clause with this id begins.
    fn live(&self, id: i64) -> Option<usize> {
        let offset = *self.offsets.get(usize::try_from(id).ok()?)?;
        usize::try_from(offset.checked_sub(1)?).ok()
    }

    /// Moves the live clauses together. Ids grow with places, so clauses only move down.
    fn compact(&mut self) {
        let mut end = 0;
        for offset in self.offsets.iter_mut().filter(|offset| **offset > 0) {
            let mut from = usize::try_from(*offset - 1).unwrap_or(0);
            *offset = end as u64 + 1;
            loop {
                let literal = self.arena[from];
                self.arena[end] = literal;
                (from, end) = (from + 1, end + 1);
                if literal == 0 {
                    break;
                }
            }
        }
        self.arena.truncate(end);
        self.dead = 0;
    }

    fn place(&self, literal: i32) -> usize {
        usize::try_from(self.variables + literal).unwrap_or(0)
    }

    fn value(&self, literal: i32) -> i8 {
        self.values[self.place(literal)]
    }

    fn set(&mut self, literal: i32) {
        let (yes, no) = (self.place(literal), self.place(-literal));
        self.values[yes] = 1;
        self.values[no] = -1;
        self.trail.push(literal);
    }

    fn undo(&mut self) {
        while let Some(literal) = self.trail.pop() {
            let (yes, no) = (self.place(literal), self.place(-literal));
            self.values[yes] = 0;
            self.values[no] = 0;
        }
    }
}

/// The numbers of a line, separated by one space each.
struct Numbers<'a> {
    /// What is left; `None` after the last number.
    rest: Option<&'a [u8]>,
}

impl Numbers<'_> {
    /// The next number: no sign but `-`, no leading zeros.
    fn next(&mut self) -> Result<i64, Wrong> {
        let Some(rest) = self.rest else {
            return Err(("the end of the line".to_owned(), "0 at its end"));
        };
        let (negative, digits) = match rest {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        let mut value = 0i64;
        let mut length = 0;
        for byte in digits {
            if !byte.is_ascii_digit() {
                break;
            }
            if length == 18 {
                return Err((
                    "a number of 19 digits or more".to_owned(),
                    "an id or literal",
                ));
            }
            value = value * 10 + i64::from(byte - b'0');
            length += 1;
        }
        let plain = length > 0 && (digits[0] != b'0' || (length == 1 && !negative));
        self.rest = match &digits[length..] {
            [] => None,
            [b' ', rest @ ..] => Some(rest),
            _ => return Err(not_a_number(rest)),
        };
        if plain {
            Ok(if negative { -value } else { value })
        } else {
            Err(not_a_number(rest))
        }
    }

    /// True, and past it, when the letter `d` is next.
    fn deletion(&mut self) -> bool {
        match self.rest {
            Some([b'd', b' ', rest @ ..]) => {
                self.rest = Some(rest);
                true
            }
            Some(_) | None => false,
        }
    }

    fn end(&self) -> Result<(), Wrong> {
        match self.rest {
            None => Ok(()),
            Some(_) => Err(("more numbers".to_owned(), "the end of the line")),
        }
    }
}

fn not_a_number(rest: &[u8]) -> Wrong {
    let shown = String::from_utf8_lossy(&rest[..rest.len().min(20)]).into_owned();
    (format!("`{shown}`"), "a number")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    const SQUARE: [&[i32]; 4] = [&[1, 2], &[-1, 2], &[1, -2], &[-1, -2]];
    const PROOF: &str = "5 2 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n";

    fn run(proof: &str) -> Result<Proof, Rejection> {
        check(2, SQUARE.into_iter(), &mut proof.as_bytes())
    }

    fn rejected(proof: &str) -> (Code, String) {
        let rejection = run(proof).unwrap_err();
        (
            rejection.code,
            format!("{}: {}", rejection.at, rejection.found),
        )
    }

    #[test]
    fn the_worked_example_passes() {
        assert_eq!(run(PROOF), Ok(Proof { steps: 2 }));
    }

    #[test]
    fn every_rule_rejects() {
        let step = |proof: &str, message: &str| {
            assert_eq!(
                rejected(proof),
                (Code::ProofStep, message.to_owned()),
                "{proof}"
            );
        };
        step("6 2 0 1 2 0\n", "proof.lrat:1: id 6");
        step("5 2 0 1 0\n", "proof.lrat:1: no conflict");
        step("5 2 0 -1 2 0\n", "proof.lrat:1: hint -1");
        step("5 2 0 9 2 0\n", "proof.lrat:1: hint 9");
        step("5 2 0 5 2 0\n", "proof.lrat:1: hint 5");
        step(
            "5 0 1 2 0\n",
            "proof.lrat:1: hint 1 is not unit (2 literals unassigned)",
        );
        step("5 2 0 1 1 2 0\n", "proof.lrat:1: hint 1 is satisfied");
        step("5 2 0 1 2 3 0\n", "proof.lrat:1: hint 3 after the conflict");
        step("5 3 0 1 2 0\n", "proof.lrat:1: literal 3");
        step("5 2 2 0 1 2 0\n", "proof.lrat:1: literal 2");
        step("5 2 -2 0 1 2 0\n", "proof.lrat:1: literal -2");
        step("5 2 0 1 2\n", "proof.lrat:1: the end of the line");
        step("5 2 0 1 2 0 \n", "proof.lrat:1: more numbers");
        step("5 2 0 1 2 0 0\n", "proof.lrat:1: more numbers");
        step("5 2  0 1 2 0\n", "proof.lrat:1: ` 0 1 2 0`");
        step("5 02 0 1 2 0\n", "proof.lrat:1: `02 0 1 2 0`");
        step("5 -0 0 1 2 0\n", "proof.lrat:1: `-0 0 1 2 0`");
        step("5 +2 0 1 2 0\n", "proof.lrat:1: `+2 0 1 2 0`");
        step("\n", "proof.lrat:1: ``");
        step("5 d 7 0\n", "proof.lrat:1: deletion of 7");
        step("5 d 1 1 0\n", "proof.lrat:1: deletion of 1");
        step(
            "5 2 0 1 2 0\n5 d 3 0\n6 0 5 3 4 0\n",
            "proof.lrat:3: hint 3",
        );
        step("5 2 0 1 2 0\n5 2 0 1 2 0\n", "proof.lrat:2: id 5");
        step(
            "99999999999999999999 2 0 1 2 0\n",
            "proof.lrat:1: a number of 19 digits or more",
        );
    }

    #[test]
    fn the_end_is_right_after_the_empty_clause() {
        let end = |proof: &str, message: &str| {
            assert_eq!(
                rejected(proof),
                (Code::ProofEnd, message.to_owned()),
                "{proof}"
            );
        };
        end("", "proof.lrat:1: the end of the file");
        end("5 2 0 1 2 0\n", "proof.lrat:2: the end of the file");
        end("5 2 0 1 2 0", "proof.lrat:1: a torn line");
        end(
            &format!("{PROOF}7 0 6 0\n"),
            "proof.lrat:4: a line after the empty clause",
        );
        end(
            &format!("{PROOF}\n"),
            "proof.lrat:4: a line after the empty clause",
        );
        end(&format!("{PROOF}x"), "proof.lrat:4: a torn line");
    }

    #[test]
    fn compaction_keeps_the_live_clauses() {
        // Many copies of a lemma, deleted again: the arena is compacted several times.
        let mut proof = String::new();
        let mut id = 5u64;
        for _ in 0..100_000 {
            writeln!(proof, "{id} 2 0 1 2 0\n{id} d {id} 0").unwrap();
            id += 1;
        }
        writeln!(proof, "{id} 2 0 1 2 0\n{} 0 {id} 3 4 0", id + 1).unwrap();
        assert_eq!(run(&proof), Ok(Proof { steps: 100_002 }));
    }
}
