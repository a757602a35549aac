//! A formula in conjunctive normal form, and its one file format.

use std::fmt::Write as _;
use std::io::{self, Write};

/// Clauses over the variables `1..=variables`, in order.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Cnf {
    variables: i32,
    clauses: usize,
    /// All clauses, each ended by 0.
    literals: Vec<i32>,
}

/// A buffer of this many bytes goes out at once.
const BUFFER: usize = 1 << 16;

impl Cnf {
    /// Adds `count` variables and returns the first of them.
    pub fn allocate(&mut self, count: usize) -> i32 {
        let first = self.variables + 1;
        self.variables = self
            .variables
            .saturating_add(i32::try_from(count).unwrap_or(i32::MAX));
        first
    }

    /// Adds a clause.
    pub fn clause(&mut self, literals: impl IntoIterator<Item = i32>) {
        self.literals.extend(literals);
        self.literals.push(0);
        self.clauses += 1;
    }

    /// Number of variables.
    pub fn variables(&self) -> i32 {
        self.variables
    }

    /// Number of clauses.
    pub fn len(&self) -> usize {
        self.clauses
    }

    /// True without clauses.
    pub fn is_empty(&self) -> bool {
        self.clauses == 0
    }

    /// The clauses, in order.
    pub fn clauses(&self) -> impl Iterator<Item = &[i32]> {
        let whole = self
            .literals
            .strip_suffix(&[0])
            .filter(|_| self.clauses > 0);
        whole
            .into_iter()
            .flat_map(|all| all.split(|literal| *literal == 0))
    }

    /// Writes `formula.cnf`: `p cnf V C`, then one clause per line, literals separated by one space, ` 0` at the end. No
    /// comments.
    ///
    /// # Source
    /// Derived, `docs/design/006-refuted-formulas.md`.
    /// # Errors
    /// Those of the writer.
    /// # Cost
    /// The size of the file; a small buffer.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut text = format!("p cnf {} {}\n", self.variables, self.clauses);
        for literal in &self.literals {
            let end = if *literal == 0 { '\n' } else { ' ' };
            // Writing to a string cannot fail.
            let _ = write!(text, "{literal}{end}");
            if text.len() >= BUFFER {
                out.write_all(text.as_bytes())?;
                text.clear();
            }
        }
        out.write_all(text.as_bytes())
    }

    /// The bytes of `formula.cnf`.
    ///
    /// # Cost
    /// The size of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing to memory cannot fail.
        let _ = self.write(&mut bytes);
        bytes
    }
}

/// A variable that stands for one of several symbols: one Boolean for two of them, one-hot for more, nothing for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    first: i32,
    size: usize,
}

impl Group {
    /// Number of variables of a group of this size.
    pub fn width(size: usize) -> usize {
        match size {
            0 | 1 => 0,
            2 => 1,
            _ => size,
        }
    }

    /// Allocates a group.
    pub fn new(cnf: &mut Cnf, size: usize) -> Self {
        let first = cnf.allocate(Self::width(size));
        Self { first, size }
    }

    /// Number of symbols.
    pub fn size(self) -> usize {
        self.size
    }

    /// The literal "this is `symbol`"; `None` when there is only one symbol.
    pub fn says(self, symbol: usize) -> Option<i32> {
        match (self.size, symbol) {
            (0 | 1, _) => None,
            (2, 0) => Some(-self.first),
            (2, _) => Some(self.first),
            // A group is never wider than the formula has variables.
            (_, place) => i32::try_from(place).ok().map(|place| self.first + place),
        }
    }

    /// Adds the clauses that exactly one variable of a one-hot group is true: the long one, then the pairs.
    pub fn exactly_one(self, cnf: &mut Cnf) {
        if self.size < 3 {
            return;
        }
        let literal = |place| self.says(place);
        cnf.clause((0..self.size).filter_map(literal));
        for a in 0..self.size {
            for b in a + 1..self.size {
                cnf.clause(
                    [a, b]
                        .into_iter()
                        .filter_map(literal)
                        .map(|literal| -literal),
                );
            }
        }
    }

    /// The symbol in a model.
    pub fn decode(self, holds: &mut dyn FnMut(i32) -> bool) -> usize {
        (1..self.size)
            .find(|symbol| self.says(*symbol).is_some_and(&mut *holds))
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_one_clause_per_line_and_no_comments() {
        let mut cnf = Cnf::default();
        let pair = Group::new(&mut cnf, 2);
        let triple = Group::new(&mut cnf, 3);
        triple.exactly_one(&mut cnf);
        cnf.clause([-1, 2]);
        assert_eq!(
            String::from_utf8(cnf.to_bytes()).unwrap(),
            "p cnf 4 5\n2 3 4 0\n-2 -3 0\n-2 -4 0\n-3 -4 0\n-1 2 0\n"
        );
        assert_eq!((pair.says(0), pair.says(1)), (Some(-1), Some(1)));
        assert_eq!(cnf.clauses().count(), 5);
        assert_eq!(cnf.clauses().last(), Some(&[-1, 2][..]));
        assert_eq!(Cnf::default().clauses().count(), 0);
        assert_eq!(Group::new(&mut cnf, 1).says(0), None);
    }
}
