//! Kernels given by rational factors, readouts, and the exact error of a readout.

use crate::rank::token::Tokens;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use thiserror::Error;

/// A matrix of rationals, row by row.
pub type Matrix = Vec<Vec<BigRational>>;

/// `alpha(x, z) = sum_r phi_q[x][r] phi_k[r][z]`, with as many features as `phi_k` has rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Features of a token as a query: one row per token.
    pub phi_q: Matrix,
    /// Features of the tokens as keys: one row per feature.
    pub phi_k: Matrix,
}

/// The readout times value: `U(x, z)`, one row per query.
pub type Readout = Matrix;

/// Why factors are no kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KernelError {
    /// A table of the wrong shape.
    #[error("{table} has {found} entries, expected {expected}")]
    Shape {
        /// Which table: `phi_q/3`.
        table: String,
        /// Entries there.
        found: usize,
        /// Entries needed.
        expected: usize,
    },
    /// A negative value.
    #[error("alpha({query}, {key}) = {value} is negative")]
    Negative {
        /// Mask of the query.
        query: u64,
        /// Mask of the key.
        key: u64,
        /// The value.
        value: BigRational,
    },
    /// A denominator that can be 0.
    #[error("alpha({0}, {0}) = 0: the input of this token alone has no output")]
    Blind(u64),
}

fn sized(table: &str, found: usize, expected: usize) -> Result<(), KernelError> {
    if found == expected {
        return Ok(());
    }
    Err(KernelError::Shape {
        table: table.to_owned(),
        found,
        expected,
    })
}

impl Kernel {
    /// The constant kernel on so many tokens.
    #[must_use]
    pub fn uniform(tokens: usize) -> Self {
        let one = || BigRational::from_integer(1.into());
        Self {
            phi_q: vec![vec![one()]; tokens],
            phi_k: vec![vec![one(); tokens]],
        }
    }

    /// Number of features.
    #[must_use]
    pub fn features(&self) -> usize {
        self.phi_k.len()
    }

    /// The matrix alpha, if the factors have the right shape, no value is negative and no diagonal value is 0.
    ///
    /// # Errors
    /// [`KernelError`].
    pub fn alpha(&self, tokens: &Tokens) -> Result<Matrix, KernelError> {
        sized("phi_q", self.phi_q.len(), tokens.len())?;
        for (place, row) in self.phi_q.iter().enumerate() {
            sized(&format!("phi_q/{place}"), row.len(), self.features())?;
        }
        for (place, row) in self.phi_k.iter().enumerate() {
            sized(&format!("phi_k/{place}"), row.len(), tokens.len())?;
        }
        let product = |query: &[BigRational], key: usize| -> BigRational {
            query
                .iter()
                .zip(&self.phi_k)
                .map(|(q, k)| q * &k[key])
                .sum()
        };
        let alpha: Matrix = self
            .phi_q
            .iter()
            .map(|query| (0..tokens.len()).map(|key| product(query, key)).collect())
            .collect();
        for (query, row) in alpha.iter().enumerate() {
            if let Some(key) = row.iter().position(Signed::is_negative) {
                return Err(KernelError::Negative {
                    query: tokens.at(query),
                    key: tokens.at(key),
                    value: row[key].clone(),
                });
            }
            if row[query].is_zero() {
                return Err(KernelError::Blind(tokens.at(query)));
            }
        }
        Ok(alpha)
    }
}

/// The largest error of a readout and the first unordered input that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worst {
    /// `max |output - target|`.
    pub error: BigRational,
    /// Place of the query.
    pub query: usize,
    /// Places of the other tokens.
    pub others: Vec<usize>,
}

/// The largest error at one query over all inputs of this length.
///
/// # Domain
/// Rows as long as the list of tokens, `alpha[query] > 0`.
/// # Cost
/// One input per multiset of `length - 1` tokens.
#[must_use]
pub fn worst_of_row(
    tokens: &Tokens,
    length: usize,
    query: usize,
    alpha: &[BigRational],
    readout: &[BigRational],
) -> Worst {
    let (weights, _) = cleared(alpha);
    let scaled: Vec<BigRational> = weights
        .iter()
        .zip(readout)
        .map(|(weight, u)| u * weight)
        .collect();
    // output = sum / (scale * total)
    let (sums, scale) = cleared(&scaled);
    let mut worst: Option<(BigInt, BigInt, Vec<usize>)> = None;
    for others in tokens.others(length) {
        let places = || others.iter().copied().chain(std::iter::once(query));
        let total: BigInt = places().map(|place| &weights[place]).sum();
        let sum: BigInt = places().map(|place| &sums[place]).sum();
        let total = total * &scale;
        let distance = (sum - BigInt::from(tokens.target(query, &others)) * &total).abs();
        let larger = worst
            .as_ref()
            .is_none_or(|(most, under, _)| &distance * under > most * &total);
        if larger {
            worst = Some((distance, total, others));
        }
    }
    let (distance, total, others) = worst.unwrap_or((0.into(), 1.into(), Vec::new()));
    Worst {
        error: BigRational::new(distance, total),
        query,
        others,
    }
}

/// The largest error of a readout over all inputs whose query is one of `queries`.
///
/// # Domain
/// As [`worst_of_row`]; `readout` has one row per entry of `queries`.
#[must_use]
pub fn worst(
    tokens: &Tokens,
    length: usize,
    alpha: &[Vec<BigRational>],
    queries: &[usize],
    readout: &[Vec<BigRational>],
) -> Option<Worst> {
    let mut found: Option<Worst> = None;
    for (query, row) in queries.iter().zip(readout) {
        let here = worst_of_row(tokens, length, *query, &alpha[*query], row);
        if found.as_ref().is_none_or(|known| here.error > known.error) {
            found = Some(here);
        }
    }
    found
}

/// A list times the least positive integer that clears its denominators, and that integer.
#[must_use]
pub fn cleared(list: &[BigRational]) -> (Vec<BigInt>, BigInt) {
    let scale = list
        .iter()
        .fold(BigInt::from(1), |scale, entry| scale.lcm(entry.denom()));
    let integers = list
        .iter()
        .map(|entry| entry.numer() * (&scale / entry.denom()))
        .collect();
    (integers, scale)
}

/// The pivots of an exact elimination: as many as the rank; their rows and columns give a non-zero minor.
#[must_use]
pub fn pivots(matrix: &[Vec<BigRational>]) -> Vec<(usize, usize)> {
    let mut rows: Vec<(usize, Vec<BigRational>)> = matrix.iter().cloned().enumerate().collect();
    let width = matrix.first().map_or(0, Vec::len);
    let mut found = Vec::new();
    for column in 0..width {
        let Some(at) = rows.iter().position(|(_, row)| !row[column].is_zero()) else {
            continue;
        };
        let (name, pivot) = rows.remove(at);
        found.push((name, column));
        for (_, row) in &mut rows {
            let factor = &row[column] / &pivot[column];
            if !factor.is_zero() {
                for (entry, own) in row.iter_mut().zip(&pivot) {
                    *entry -= own * &factor;
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::overlap;

    fn q(n: i64, d: i64) -> BigRational {
        BigRational::new(n.into(), d.into())
    }

    /// Length 1 and 2 by one readout: `2 <x, z> - |x|` with the constant kernel has error 0.
    #[test]
    fn short_inputs_have_rank_one() {
        for bits in 1..=5 {
            let tokens = Tokens::cube(bits).unwrap();
            let alpha = Kernel::uniform(tokens.len()).alpha(&tokens).unwrap();
            let readout: Readout = tokens
                .masks()
                .iter()
                .map(|x| {
                    let own = i64::from(x.count_ones());
                    tokens
                        .masks()
                        .iter()
                        .map(|z| q(2 * i64::from(overlap(*x, *z)) - own, 1))
                        .collect()
                })
                .collect();
            let all: Vec<usize> = (0..tokens.len()).collect();
            for length in [1, 2] {
                let found = worst(&tokens, length, &alpha, &all, &readout).unwrap();
                assert!(found.error.is_zero(), "{bits} bits, length {length}");
            }
            // One affine readout for all queries fails: that of the full token is wrong for the empty one.
            let common = vec![readout[tokens.len() - 1].clone(); tokens.len()];
            assert!(
                !worst(&tokens, 2, &alpha, &all, &common)
                    .unwrap()
                    .error
                    .is_zero()
            );
        }
    }

    #[test]
    fn kernels_that_are_none() {
        let tokens = Tokens::cube(1).unwrap();
        let of = |a: [i64; 2], b: [i64; 2]| Kernel {
            phi_q: a.iter().map(|x| vec![q(*x, 1)]).collect(),
            phi_k: vec![b.iter().map(|x| q(*x, 1)).collect()],
        };
        assert!(of([1, 1], [1, 2]).alpha(&tokens).is_ok());
        assert!(matches!(
            of([1, 1], [1, -2]).alpha(&tokens),
            Err(KernelError::Negative {
                query: 0,
                key: 1,
                ..
            })
        ));
        assert_eq!(
            of([1, 1], [1, 0]).alpha(&tokens),
            Err(KernelError::Blind(1))
        );
        let short = Kernel {
            phi_q: vec![vec![q(1, 1)]],
            phi_k: vec![vec![q(1, 1); 2]],
        };
        assert!(matches!(
            short.alpha(&tokens),
            Err(KernelError::Shape { .. })
        ));
    }

    /// `q^<x,z>` is a tensor power of a regular matrix: full rank. One-hot keys too.
    #[test]
    fn ranks_of_known_kernels() {
        for bits in 1..=4u32 {
            let tokens = Tokens::cube(bits).unwrap();
            let power: Matrix = tokens
                .masks()
                .iter()
                .map(|x| {
                    tokens
                        .masks()
                        .iter()
                        .map(|z| q(1, 1 << overlap(*x, *z)))
                        .collect()
                })
                .collect();
            assert_eq!(pivots(&power).len(), tokens.len());
            let hot: Matrix = (0..tokens.len())
                .map(|i| (0..tokens.len()).map(|j| q(i64::from(i == j), 1)).collect())
                .collect();
            assert_eq!(pivots(&hot).len(), tokens.len());
            assert_eq!(pivots(&vec![vec![q(1, 3); tokens.len()]; 3]).len(), 1);
        }
    }
}
