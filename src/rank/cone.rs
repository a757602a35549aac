//! The row systems: what an input says about a row of the kernel, and combinations that refute it.
//!
//! Put `W(x,z) = alpha(x,z) U(x,z)`. An input c with query x, tokens with multiplicities `mult_c` and target `t_c` says
//! `|sum_w mult_c(w) W(x,w) - t_c D_c| < eps D_c` with `D_c = sum_w mult_c(w) alpha(x,w)`. Weights `upper`, `lower` >= 0 on the two
//! inequalities refute the system when the W cancel and what is left is contradictory.

use crate::exact::linear::{AtLeast, Program};
use crate::rank::gap::Accuracy;
use crate::rank::token::Tokens;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;
use thiserror::Error;

/// One input with the weights of its two inequalities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighted {
    /// Place of the query.
    pub query: usize,
    /// Places of the other tokens, non-decreasing.
    pub others: Vec<usize>,
    /// Weight of `output <= target + eps`.
    pub upper: BigRational,
    /// Weight of `output >= target - eps`.
    pub lower: BigRational,
}

/// Why weights refute nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unproved {
    /// A negative weight, of the input at this place of the list.
    #[error("a negative weight at input {0}")]
    Negative(usize),
    /// All weights are 0.
    #[error("no positive weight")]
    Empty,
    /// Some W stays in the sum.
    #[error("W({query}, {key}) stays with coefficient {rest}")]
    Left {
        /// Mask of the query.
        query: u64,
        /// Mask of the key.
        key: u64,
        /// The coefficient.
        rest: BigRational,
    },
    /// What is left is no contradiction.
    #[error("the sum is {0}, which contradicts nothing")]
    Consistent(BigRational),
    /// What is left bounds nothing: this key may be as heavy as it likes.
    #[error("key {key} keeps coefficient {rest}")]
    Free {
        /// Mask of the key.
        key: u64,
        /// The coefficient.
        rest: BigRational,
    },
}

/// What is left of the W, and of the kernel values, in a weighted sum.
#[derive(Debug, Default)]
struct Sums {
    /// Per (query, key): coefficient of W.
    left: BTreeMap<(usize, usize), BigRational>,
    /// Per (query, key): coefficient of alpha, so that the system says `sum < 0` (or `<= 0`).
    gains: BTreeMap<(usize, usize), BigRational>,
}

fn sums(tokens: &Tokens, weights: &[Weighted], error: &BigRational) -> Result<Sums, Unproved> {
    let mut sums = Sums::default();
    let mut any = false;
    for (place, input) in weights.iter().enumerate() {
        if input.upper.is_negative() || input.lower.is_negative() {
            return Err(Unproved::Negative(place));
        }
        any |= input.upper.is_positive() || input.lower.is_positive();
        let target = BigInt::from(tokens.target(input.query, &input.others));
        let net = &input.upper - &input.lower;
        let gain = -(&net * target) - (&input.upper + &input.lower) * error;
        for key in input.others.iter().chain(std::iter::once(&input.query)) {
            let at = (input.query, *key);
            *sums.left.entry(at).or_insert_with(BigRational::zero) += &net;
            *sums.gains.entry(at).or_insert_with(BigRational::zero) += &gain;
        }
    }
    if any { Ok(sums) } else { Err(Unproved::Empty) }
}

/// Whether weights show that one given row of a kernel has no readout of this accuracy.
///
/// # Domain
/// All inputs have the query `query`, and as many tokens as the accuracy says.
/// # Errors
/// [`Unproved`].
pub fn refute_row(
    tokens: &Tokens,
    query: usize,
    alpha: &[BigRational],
    weights: &[Weighted],
    accuracy: &Accuracy,
) -> Result<(), Unproved> {
    let sums = sums(tokens, weights, &accuracy.error)?;
    for ((_, key), rest) in &sums.left {
        if alpha[*key].is_positive() && !rest.is_zero() {
            return Err(Unproved::Left {
                query: tokens.at(query),
                key: tokens.at(*key),
                rest: rest.clone(),
            });
        }
    }
    let total: BigRational = sums
        .gains
        .iter()
        .map(|((_, key), gain)| gain * &alpha[*key])
        .sum();
    let contradicts = if accuracy.strict {
        !total.is_negative()
    } else {
        total.is_positive()
    };
    if contradicts {
        Ok(())
    } else {
        Err(Unproved::Consistent(total))
    }
}

/// Whether weights show that no kernel of rank 1 has a readout of this accuracy.
///
/// A nonnegative kernel of rank 1 with a positive diagonal is `f(x) g(z)` with positive f and g, and every row is scale invariant: put f = 1.
///
/// # Domain
/// Inputs as long as the accuracy says.
/// # Errors
/// [`Unproved`].
pub fn refute_rank_one(
    tokens: &Tokens,
    weights: &[Weighted],
    accuracy: &Accuracy,
) -> Result<(), Unproved> {
    let sums = sums(tokens, weights, &accuracy.error)?;
    for ((query, key), rest) in &sums.left {
        if !rest.is_zero() {
            return Err(Unproved::Left {
                query: tokens.at(*query),
                key: tokens.at(*key),
                rest: rest.clone(),
            });
        }
    }
    let mut keys = vec![BigRational::zero(); tokens.len()];
    for ((_, key), gain) in &sums.gains {
        keys[*key] += gain;
    }
    if let Some(key) = keys.iter().position(Signed::is_negative) {
        return Err(Unproved::Free {
            key: tokens.at(key),
            rest: keys[key].clone(),
        });
    }
    if !accuracy.strict && keys.iter().all(Zero::is_zero) {
        return Err(Unproved::Consistent(BigRational::zero()));
    }
    Ok(())
}

/// The program whose value is the best ratio `alpha(x,y)/alpha(x,z)` that one row forces, over queries of `weight` ones with one key of
/// each of the overlaps 0..=gap beside the query itself, `<x,y> = 0`, `<x,z> = gap`, errors up to `error`.
///
/// Variables: `a v` the weight of the key of overlap v, `self` that of the query, `+ v`, `- v`, `+ self`, `- self` the two parts of W. Rows:
/// `upper u v` and `lower u v` for the input (x, u, v), and `normal`: `a gap >= 1`. Minimised is `a 0`.
///
/// # Domain
/// `gap <= weight`; the error has a small numerator and denominator. `None` otherwise.
#[must_use]
pub fn ratio_program(gap: u32, weight: u32, error: &BigRational) -> Option<Program> {
    if gap > weight || gap == 0 || error.is_negative() {
        return None;
    }
    let (p, q) = (error.numer().to_i64()?, error.denom().to_i64()?);
    if p.max(q) > 1 << 20 {
        return None;
    }
    // The keys by overlap; the query last.
    let names: Vec<String> = (0..=gap)
        .map(|v| v.to_string())
        .chain(std::iter::once("self".to_owned()))
        .collect();
    let overlaps: Vec<u32> = (0..=gap).chain(std::iter::once(weight)).collect();
    let keys = names.len();
    let own = keys - 1;
    let variables = names
        .iter()
        .map(|name| {
            if name == "self" {
                name.clone()
            } else {
                format!("a {name}")
            }
        })
        .chain(names.iter().map(|name| format!("+ {name}")))
        .chain(names.iter().map(|name| format!("- {name}")))
        .collect();
    let mut rows = Vec::new();
    for u in 0..keys {
        for v in u..keys {
            let target = i64::from(overlaps[u].min(overlaps[v]).min(weight));
            for (side, sign) in [("upper", -1), ("lower", 1)] {
                // sign * q * (W - t D) + p D >= 0
                let mut terms = Vec::new();
                for key in [own, u, v] {
                    terms.push((key, p - sign * q * target));
                    terms.push((keys + key, sign * q));
                    terms.push((2 * keys + key, -sign * q));
                }
                rows.push(AtLeast {
                    name: format!("{side} {} {}", names[u], names[v]),
                    terms,
                    bound: BigRational::zero(),
                });
            }
        }
    }
    rows.push(AtLeast {
        name: "normal".to_owned(),
        terms: vec![(own - 1, 1)],
        bound: BigRational::from_integer(1.into()),
    });
    Some(Program {
        variables,
        objective: vec![(0, 1)],
        rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::kernel::Kernel;

    fn q(n: i64, d: i64) -> BigRational {
        BigRational::new(n.into(), d.into())
    }

    /// The worked example: the constant kernel, m = 2, query 11; the least error is exactly 1/2.
    fn example() -> Vec<Weighted> {
        let of = |others: [usize; 2], upper, lower| Weighted {
            query: 3,
            others: others.to_vec(),
            upper,
            lower,
        };
        vec![
            of([0, 0], q(0, 1), q(1, 2)),
            of([0, 3], q(1, 1), q(0, 1)),
            of([3, 3], q(0, 1), q(1, 2)),
        ]
    }

    #[test]
    fn the_constant_kernel_fails_at_weight_two() {
        let tokens = Tokens::cube(2).unwrap();
        let alpha = Kernel::uniform(4).alpha(&tokens).unwrap();
        let standard = Accuracy::standard();
        assert_eq!(
            refute_row(&tokens, 3, &alpha[3], &example(), &standard),
            Ok(())
        );
        // At error <= 1/2 nothing is refuted: strictness matters.
        let weak = Accuracy {
            strict: false,
            ..standard.clone()
        };
        assert_eq!(
            refute_row(&tokens, 3, &alpha[3], &example(), &weak),
            Err(Unproved::Consistent(q(0, 1)))
        );
        let mut wrong = example();
        wrong[1].upper = q(2, 1);
        assert!(matches!(
            refute_row(&tokens, 3, &alpha[3], &wrong, &standard),
            Err(Unproved::Left { .. })
        ));
        wrong = example();
        wrong[0].lower = q(-1, 2);
        assert_eq!(
            refute_row(&tokens, 3, &alpha[3], &wrong, &standard),
            Err(Unproved::Negative(0))
        );
        assert_eq!(
            refute_row(&tokens, 3, &alpha[3], &[], &standard),
            Err(Unproved::Empty)
        );
        // The same weights refute the constant kernel only, not every kernel of rank 1.
        assert!(matches!(
            refute_rank_one(&tokens, &example(), &standard),
            Err(Unproved::Free { .. })
        ));
    }

    /// Six unordered inputs at the queries 1100 and 0011: no kernel of rank 1 at m = 4.
    #[test]
    fn rank_one_fails_at_four_bits() {
        let tokens = Tokens::cube(4).unwrap();
        let mut weights = Vec::new();
        for (x, y) in [(12, 3), (3, 12)] {
            let pair = |a: usize, b: usize| vec![a.min(b), a.max(b)];
            weights.push(Weighted {
                query: x,
                others: vec![y, y],
                upper: q(0, 1),
                lower: q(1, 2),
            });
            weights.push(Weighted {
                query: x,
                others: pair(x, y),
                upper: q(1, 1),
                lower: q(0, 1),
            });
            weights.push(Weighted {
                query: x,
                others: vec![x, x],
                upper: q(0, 1),
                lower: q(1, 2),
            });
        }
        assert_eq!(
            refute_rank_one(&tokens, &weights, &Accuracy::standard()),
            Ok(())
        );
        assert!(refute_rank_one(&tokens, &weights[..3], &Accuracy::standard()).is_err());
    }
}
