//! Linear programs with exact data, and the checking of their solutions. Solving them is not done here.

use num_rational::BigRational;
use num_traits::{Signed, Zero};
use thiserror::Error;

/// One row: `sum coefficient * variable >= bound`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtLeast {
    /// Name, for reports.
    pub name: String,
    /// Variable and coefficient; a variable may occur more than once.
    pub terms: Vec<(usize, i64)>,
    /// Right side.
    pub bound: BigRational,
}

impl AtLeast {
    /// The left side at a point.
    fn value(&self, x: &[BigRational]) -> BigRational {
        let zero = BigRational::zero();
        self.terms
            .iter()
            .map(|(i, a)| x.get(*i).unwrap_or(&zero) * integer(*a))
            .sum()
    }
}

/// Minimise a sum of variables under rows, all variables at least 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Names of the variables.
    pub variables: Vec<String>,
    /// What is minimised: variable and coefficient.
    pub objective: Vec<(usize, i64)>,
    /// The rows.
    pub rows: Vec<AtLeast>,
}

/// Why a vector is not a solution.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what}: found {found}, expected {expected}")]
pub struct Unfit {
    /// Index into the vector that is at fault, if one entry is.
    pub entry: Option<usize>,
    /// Row, column or length.
    pub what: String,
    /// What is there.
    pub found: String,
    /// What should be.
    pub expected: String,
}

fn unfit(
    entry: Option<usize>,
    what: impl Into<String>,
    found: &impl ToString,
    expected: impl Into<String>,
) -> Unfit {
    Unfit {
        entry,
        what: what.into(),
        found: found.to_string(),
        expected: expected.into(),
    }
}

fn integer(a: i64) -> BigRational {
    BigRational::from_integer(a.into())
}

fn non_negative(x: &[BigRational], length: usize) -> Result<(), Unfit> {
    if x.len() != length {
        return Err(unfit(None, "length", &x.len(), length.to_string()));
    }
    match x.iter().position(Signed::is_negative) {
        Some(i) => Err(unfit(Some(i), "sign", &x[i], "at least 0")),
        None => Ok(()),
    }
}

impl Program {
    /// The value of a feasible point: `x >= 0` and all rows hold. An upper bound on the minimum.
    ///
    /// # Errors
    /// [`Unfit`] with the first row that fails.
    /// # Cost
    /// One product per term.
    pub fn primal(&self, x: &[BigRational]) -> Result<BigRational, Unfit> {
        non_negative(x, self.variables.len())?;
        for row in &self.rows {
            let value = row.value(x);
            if value < row.bound {
                return Err(unfit(
                    None,
                    format!("row `{}`", row.name),
                    &value,
                    format!("at least {}", row.bound),
                ));
            }
        }
        Ok(self
            .objective
            .iter()
            .map(|(i, a)| &x[*i] * integer(*a))
            .sum())
    }

    /// The value of a feasible dual vector: `y >= 0` and `y A <= c`. A lower bound on the minimum.
    ///
    /// # Source
    /// Derived: for every feasible x, `y b <= y A x <= c x`.
    /// # Errors
    /// [`Unfit`] with the first column that fails.
    /// # Cost
    /// One product per term.
    pub fn dual(&self, y: &[BigRational]) -> Result<BigRational, Unfit> {
        non_negative(y, self.rows.len())?;
        let mut columns = vec![BigRational::zero(); self.variables.len()];
        for (i, a) in &self.objective {
            columns[*i] -= integer(*a);
        }
        for (row, weight) in self
            .rows
            .iter()
            .zip(y)
            .filter(|(_, weight)| !weight.is_zero())
        {
            for (i, a) in &row.terms {
                columns[*i] += weight * integer(*a);
            }
        }
        match columns.iter().position(Signed::is_positive) {
            Some(i) => Err(unfit(
                None,
                format!("column `{}`", self.variables[i]),
                &columns[i],
                "at most 0",
            )),
            None => Ok(self
                .rows
                .iter()
                .zip(y)
                .map(|(row, weight)| weight * &row.bound)
                .sum()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_duality_on_two_rows() {
        let q = |n: i64| integer(n);
        let row = |name: &str, terms: Vec<(usize, i64)>, bound| AtLeast {
            name: name.to_owned(),
            terms,
            bound: q(bound),
        };
        let program = Program {
            variables: vec!["a".to_owned(), "b".to_owned()],
            objective: vec![(0, 1), (1, 1)],
            rows: vec![
                row("one", vec![(0, 2), (1, 1)], 4),
                row("two", vec![(1, 1)], 1),
            ],
        };
        let half = BigRational::new(1.into(), 2.into());
        assert_eq!(
            program.primal(&[BigRational::new(3.into(), 2.into()), q(1)]),
            Ok(BigRational::new(5.into(), 2.into()))
        );
        assert_eq!(
            program.dual(&[half.clone(), half.clone()]),
            Ok(BigRational::new(5.into(), 2.into()))
        );
        assert!(program.primal(&[q(1), q(1)]).is_err());
        assert!(program.dual(&[q(1), q(0)]).is_err());
        assert!(program.dual(&[-half.clone(), half]).is_err());
        assert!(program.dual(&[q(0)]).is_err());
    }
}
