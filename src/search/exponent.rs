//! The best exponent of a family: one linear program per option of the last epoch.

use crate::bounds::derive::exponent::Exponent;
use crate::search::simplex::{Solution, solve};
use num_rational::BigRational;

/// Optimal pairs for all options of the last epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// q and its pair, q = L (generic) first.
    pub options: Vec<(usize, Solution)>,
}

impl Found {
    /// The option with the least value; among equals the first.
    pub fn best(&self) -> Option<&(usize, Solution)> {
        self.options.iter().min_by(|a, b| a.1.value.cmp(&b.1.value))
    }

    /// The value with the generic last epoch.
    pub fn generic(&self) -> Option<&BigRational> {
        self.options.first().map(|(_, solution)| &solution.value)
    }
}

/// Solves the programs of all options.
///
/// # Domain
/// `None` if one of them is not solved, which the theory excludes.
/// # Cost
/// L + 1 programs of about `L^2 / 2 + 12 L` rows and `7 L` columns.
pub fn all_options(question: &Exponent) -> Option<Found> {
    let options = (0..=question.steps)
        .rev()
        .map(|q| Some((q, solve(&question.program(q))?)))
        .collect::<Option<_>>()?;
    Some(Found { options })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::derive::exponent::{Cut, Family};

    fn q(n: i64, d: i64) -> BigRational {
        BigRational::new(n.into(), d.into())
    }

    fn question(steps: usize, family: Family, cut: Cut, kappa: BigRational) -> Exponent {
        Exponent {
            steps,
            family,
            cut,
            kappa,
            first: q(0, 1),
            passes: q(0, 1),
        }
    }

    #[test]
    fn closed_forms_are_the_generic_optima() {
        for steps in 2..=8 {
            for (_, cut) in Cut::ALL {
                for family in Family::ALL {
                    for kappa in [q(1, 1), q(3, 2), q(2, 1)] {
                        if kappa != q(2, 1) && steps > 4 {
                            continue;
                        }
                        let question = question(steps, family, cut, kappa.clone());
                        let found = all_options(&question).unwrap();
                        let shown = format!(
                            "L={steps} {family:?} {cut:?} kappa={kappa}: {}",
                            found.generic().unwrap()
                        );
                        if let Some(closed) = question.closed_form() {
                            // kappa below 2 can only matter where carries are tight
                            assert_eq!(found.generic(), Some(&closed), "{shown}");
                        }
                        let best = &found.best().unwrap().1.value;
                        match (steps, family) {
                            (2, Family::Short) => {
                                assert_eq!(*best, (&kappa + q(2, 1)) / q(2, 1), "{shown}")
                            }
                            (2, Family::ShortWithCarry) => {
                                assert_eq!(*best, &kappa + q(1, 1), "{shown}")
                            }
                            _ => assert_eq!(Some(best), found.generic(), "{shown}"),
                        }
                    }
                }
            }
        }
    }
}
