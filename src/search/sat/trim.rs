//! Shorter proofs: only the lemmas and hints that are needed, renumbered, each lemma deleted after its last use.

use crate::game::encode::Cnf;
use std::fmt::Write as _;

/// One added clause of a proof.
pub(super) struct Step {
    pub(super) id: u64,
    pub(super) literals: Vec<i32>,
    pub(super) hints: Vec<u64>,
}

/// A shorter proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trimmed {
    /// The proof as text.
    pub proof: Vec<u8>,
    /// For each clause of the formula whether a hint names it.
    pub used: Vec<bool>,
}

/// The proof without what it does not need; `None` for what is no proof that this program understands.
///
/// # Source
/// Derived; nothing here is trusted: the result is verified.
/// # Cost
/// One propagation along the hints of each needed lemma; memory for the whole proof.
pub fn trim(cnf: &Cnf, proof: &[u8]) -> Option<Trimmed> {
    let steps = parse(proof)?;
    let formula: Vec<&[i32]> = cnf.clauses().collect();
    let first = formula.len() as u64 + 1;
    let mut place =
        vec![usize::MAX; usize::try_from(steps.last()?.id.checked_sub(first)?).ok()? + 1];
    for (number, step) in steps.iter().enumerate() {
        *place.get_mut(usize::try_from(step.id.checked_sub(first)?).ok()?)? = number;
    }
    let lemma = |id: u64| -> Option<usize> {
        let index = usize::try_from(id.checked_sub(first)?).ok()?;
        place
            .get(index)
            .copied()
            .filter(|number| *number != usize::MAX)
    };
    let clause = |id: u64| -> Option<&[i32]> {
        match lemma(id) {
            Some(number) => Some(&steps[number].literals),
            None => formula
                .get(usize::try_from(id).ok()?.checked_sub(1)?)
                .copied(),
        }
    };
    let variables = usize::try_from(cnf.variables()).ok()?;
    let mut walker = Walker::new(variables);
    let mut needed: Vec<Option<Vec<u64>>> = vec![None; steps.len()];
    let last = steps.iter().position(|step| step.literals.is_empty())?;
    let mut wanted = vec![false; steps.len()];
    wanted[last] = true;
    for number in (0..=last).rev() {
        if !wanted[number] {
            continue;
        }
        let hints = walker.hints(&steps[number], &clause)?;
        for hint in &hints {
            if let Some(earlier) = lemma(*hint) {
                wanted[earlier] = true;
            }
        }
        needed[number] = Some(hints);
    }
    let mut used = vec![false; formula.len()];
    for hint in needed.iter().flatten().flatten() {
        let clause = usize::try_from(*hint).ok().and_then(|id| id.checked_sub(1));
        if let Some(cell) = clause.and_then(|clause| used.get_mut(clause)) {
            *cell = true;
        }
    }
    let proof = write(&steps, &needed, first, &lemma);
    Some(Trimmed { proof, used })
}

/// The added clauses of a proof; deletions are left out.
pub(super) fn parse(proof: &[u8]) -> Option<Vec<Step>> {
    let text = std::str::from_utf8(proof).ok()?;
    let mut steps = Vec::new();
    for line in text.lines() {
        let mut parts = line.split_ascii_whitespace();
        let id = parts.next()?.parse().ok()?;
        let mut parts = parts.peekable();
        if parts.peek() == Some(&"d") {
            continue;
        }
        let mut literals = Vec::new();
        for part in parts.by_ref().take_while(|part| *part != "0") {
            literals.push(part.parse().ok()?);
        }
        let mut hints = Vec::new();
        for part in parts.take_while(|part| *part != "0") {
            hints.push(part.parse().ok()?);
        }
        steps.push(Step {
            id,
            literals,
            hints,
        });
    }
    Some(steps)
}

/// An assignment, for one step at a time.
pub(super) struct Walker {
    /// By variable: 1, -1, or 0.
    values: Vec<i8>,
    /// By variable: whether its value is used later.
    marked: Vec<bool>,
    touched: Vec<usize>,
}

impl Walker {
    pub(super) fn new(variables: usize) -> Self {
        Self {
            values: vec![0; variables + 1],
            marked: vec![false; variables + 1],
            touched: Vec::new(),
        }
    }

    fn set(&mut self, literal: i32) {
        let variable = literal.unsigned_abs() as usize;
        self.values[variable] = if literal > 0 { 1 } else { -1 };
        self.touched.push(variable);
    }

    fn value(&self, literal: i32) -> i8 {
        let value = self.values[literal.unsigned_abs() as usize];
        if literal > 0 { value } else { -value }
    }

    /// The hints that are needed, in order.
    pub(super) fn hints<'a>(
        &mut self,
        step: &Step,
        clause: &dyn Fn(u64) -> Option<&'a [i32]>,
    ) -> Option<Vec<u64>> {
        for literal in &step.literals {
            self.set(-literal);
        }
        let mut used: Vec<(u64, &[i32], i32)> = Vec::new();
        let mut conflict = None;
        for hint in &step.hints {
            let literals = clause(*hint)?;
            let mut open = literals.iter().filter(|literal| self.value(**literal) >= 0);
            match (open.next(), open.next()) {
                (None, _) => {
                    conflict = Some((*hint, literals));
                    break;
                }
                (Some(unit), None) if self.value(*unit) == 0 => {
                    let unit = *unit;
                    self.set(unit);
                    used.push((*hint, literals, unit));
                }
                _ => {}
            }
        }
        let (last, literals) = conflict?;
        let mut kept = vec![last];
        self.mark(literals);
        for (hint, literals, unit) in used.into_iter().rev() {
            if self.marked[unit.unsigned_abs() as usize] {
                kept.push(hint);
                self.mark(literals);
            }
        }
        for variable in self.touched.drain(..) {
            self.values[variable] = 0;
            self.marked[variable] = false;
        }
        kept.reverse();
        Some(kept)
    }

    fn mark(&mut self, literals: &[i32]) {
        for literal in literals {
            self.marked[literal.unsigned_abs() as usize] = true;
        }
    }
}

fn write(
    steps: &[Step],
    needed: &[Option<Vec<u64>>],
    first: u64,
    lemma: &dyn Fn(u64) -> Option<usize>,
) -> Vec<u8> {
    let mut last_use = vec![usize::MAX; steps.len()];
    for (number, hints) in needed.iter().enumerate() {
        for hint in hints.iter().flatten() {
            if let Some(earlier) = lemma(*hint) {
                last_use[earlier] = number;
            }
        }
    }
    let mut number_of = vec![0; steps.len()];
    let mut next = first;
    let mut text = String::new();
    for (number, hints) in needed.iter().enumerate() {
        let Some(hints) = hints else { continue };
        number_of[number] = next;
        // Writing to a string cannot fail.
        let _ = write!(text, "{next}");
        for literal in &steps[number].literals {
            let _ = write!(text, " {literal}");
        }
        text.push_str(" 0");
        let mut done: Vec<u64> = Vec::new();
        for hint in hints {
            let id = lemma(*hint).map_or(*hint, |earlier| number_of[earlier]);
            let _ = write!(text, " {id}");
            if lemma(*hint).is_some_and(|earlier| last_use[earlier] == number) {
                done.push(id);
            }
        }
        text.push_str(" 0\n");
        done.sort_unstable();
        done.dedup();
        if !done.is_empty() && !steps[number].literals.is_empty() {
            let _ = write!(text, "{next} d");
            for id in done {
                let _ = write!(text, " {id}");
            }
            text.push_str(" 0\n");
        }
        next += 1;
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::verify::lrat;

    #[test]
    fn superfluous_hints_and_lemmas_go() {
        let mut cnf = Cnf::default();
        cnf.allocate(2);
        for clause in [[1, 2], [-1, 2], [1, -2], [-1, -2]] {
            cnf.clause(clause);
        }
        let long = "5 1 0 1 3 0\n6 2 0 1 2 0\n7 d 5 0\n8 0 6 3 4 0\n";
        // The ids of CaDiCaL may skip; ours do not.
        let short = trim(&cnf, long.as_bytes()).unwrap();
        assert_eq!(short.used, [true; 4]);
        let short = short.proof;
        assert_eq!(
            String::from_utf8(short.clone()).unwrap(),
            "5 2 0 1 2 0\n6 0 5 3 4 0\n"
        );
        assert!(lrat::check(2, cnf.clauses(), &mut short.as_slice()).is_ok());
        assert!(trim(&cnf, b"").is_none());
        assert!(trim(&cnf, b"5 2 0 1 0\n").is_none());
    }
}
