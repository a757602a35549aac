//! Members that are told apart by tests: the part that families and classes have in common.

use super::{Code, Violation};
use crate::game::{Accepted, Answer};

/// Test number `.2` separates the members number `.0` and `.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Separator(pub usize, pub usize, pub usize);

/// The accepted answers of every member on every test.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// Size of the answer set.
    pub(super) answers: u64,
    /// One row per member.
    pub(super) rows: Vec<Vec<Accepted>>,
}

/// The only accepted answer, if there is exactly one.
pub fn only(accepted: &Accepted, answers: u64) -> Option<Answer> {
    match accepted {
        Accepted::One(only) => Some(Answer(*only)),
        Accepted::Only(list) => match list.as_slice() {
            [only] => Some(Answer(*only)),
            _ => None,
        },
        Accepted::All => (answers == 1).then_some(Answer(0)),
    }
}

impl Rows {
    /// Checks that the members are pairwise separated: by the listed separators if there are any, else by their answer
    /// vectors, which needs exactly one accepted answer everywhere.
    ///
    /// # Errors
    /// `coverage` when the separators are not one per pair in order, or name no test; `not-separated`.
    pub(super) fn check(&self, separators: Option<&[Separator]>) -> Result<(), Violation> {
        match separators {
            Some(list) => self.check_separators(list),
            None => self.check_vectors(),
        }
    }

    fn check_vectors(&self) -> Result<(), Violation> {
        let vectors: Option<Vec<Vec<Answer>>> = self
            .rows
            .iter()
            .map(|row| row.iter().map(|cell| only(cell, self.answers)).collect())
            .collect();
        let Some(vectors) = vectors else {
            return Err(Violation::new(
                "",
                Code::NotSeparated,
                "no separators, though some test has not exactly one accepted answer",
                "`separators`",
            ));
        };
        let mut order: Vec<usize> = (0..vectors.len()).collect();
        order.sort_by_key(|member| &vectors[*member]);
        match order
            .windows(2)
            .find(|two| vectors[two[0]] == vectors[two[1]])
        {
            None => Ok(()),
            Some(two) => Err(alike(two[0], two[1])),
        }
    }

    fn check_separators(&self, list: &[Separator]) -> Result<(), Violation> {
        let members = self.rows.len();
        let mut given = list.iter().enumerate();
        for i in 0..members {
            for j in i + 1..members {
                let entry = given.next();
                let Some((place, Separator(_, _, test))) =
                    entry.filter(|(_, separator)| (separator.0, separator.1) == (i, j))
                else {
                    return Err(Violation::new(
                        "/separators",
                        Code::Coverage,
                        "a pair out of order or missing",
                        format!("the pair {i}, {j} next"),
                    ));
                };
                self.check_separator(i, j, *test, place)?;
            }
        }
        match given.next() {
            None => Ok(()),
            Some((place, _)) => Err(Violation::new(
                format!("/separators/{place}"),
                Code::Coverage,
                "one separator too many",
                "one per pair",
            )),
        }
    }

    fn check_separator(
        &self,
        i: usize,
        j: usize,
        test: usize,
        place: usize,
    ) -> Result<(), Violation> {
        let at = format!("/separators/{place}");
        let (Some(left), Some(right)) = (self.rows[i].get(test), self.rows[j].get(test)) else {
            return Err(Violation::new(
                at,
                Code::Coverage,
                format!("test {test}"),
                "the index of a test",
            ));
        };
        if left.and(right).is_empty() {
            return Ok(());
        }
        Err(Violation::new(
            at,
            Code::NotSeparated,
            format!("a common answer of members {i} and {j} on test {test}"),
            "no common answer",
        ))
    }
}

fn alike(one: usize, other: usize) -> Violation {
    Violation::new(
        format!("/members/{}", one.max(other)),
        Code::NotSeparated,
        format!("the same answers as member {}", one.min(other)),
        "different answers on some test",
    )
}
