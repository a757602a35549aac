//! Finds readouts, refutations, kernels and codes. All of it is re-checked by [`crate::rank`].
//!
//! A row of a given kernel is one linear program. Rank 1 is one linear program over all rows. For a larger rank there is none: queries and
//! keys are improved in turn, each by linear programs, rounded to small integers, and the result is looked at row by row.

use crate::exact::linear::{AtLeast, Program};
use crate::rank::cone::{Weighted, refute_rank_one, refute_row};
use crate::rank::gap::Accuracy;
use crate::rank::kernel::{Kernel, Matrix, Readout, cleared, worst};
use crate::rank::token::Tokens;
use crate::rank::{Bound, Method};
use crate::search::simplex;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rayon::prelude::*;

/// The best readout of one row, and weights that prove it best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowOptimum {
    /// The least largest error.
    pub error: BigRational,
    /// A readout that has it.
    pub readout: Vec<BigRational>,
    /// Positive weights on the inputs that prevent a smaller error.
    pub weights: Vec<Weighted>,
}

fn whole(n: impl Into<BigInt>) -> BigRational {
    BigRational::from_integer(n.into())
}

/// Solves one row of a kernel: minimise the largest error.
///
/// # Domain
/// `alpha[query] > 0`. `None` if a number of the program has more than 63 bits.
/// # Cost
/// One program of `tokens + 1` variables; inputs are added while they are violated.
#[must_use]
pub fn row_optimum(
    tokens: &Tokens,
    length: usize,
    query: usize,
    alpha: &[BigRational],
) -> Option<RowOptimum> {
    let all: Vec<Vec<usize>> = tokens.others(length).collect();
    row_optimum_of(tokens, query, alpha, &all)
}

/// As [`row_optimum`], over some inputs only.
fn row_optimum_of(
    tokens: &Tokens,
    query: usize,
    alpha: &[BigRational],
    inputs: &[Vec<usize>],
) -> Option<RowOptimum> {
    let row = Row::new(tokens, query, alpha)?;
    let mut active: Vec<usize> = (0..inputs.len())
        .filter(|i| row.is_basic(&inputs[*i]))
        .collect();
    if active.is_empty() {
        active.extend(0..inputs.len().min(8));
    }
    loop {
        let chosen: Vec<&Vec<usize>> = active.iter().map(|i| &inputs[*i]).collect();
        let solution = simplex::solve_degenerate(&row.program(&chosen))?;
        let error = solution.x.last()?.clone();
        let violated = row.violated(&solution.x, &error, inputs, &active);
        if violated.is_empty() {
            return Some(RowOptimum {
                readout: row.readout(&solution.x),
                weights: row.weights(&solution.y, &chosen),
                error,
            });
        }
        active.extend(violated);
    }
}

/// Most inputs that one round adds to a program.
const ROUND: usize = 24;

/// One row in integers. Every W is shifted by more than its least value at any optimum, so that variables are positive.
struct Row<'a> {
    tokens: &'a Tokens,
    query: usize,
    weights: Vec<i64>,
    shifts: Vec<i64>,
}

impl<'a> Row<'a> {
    fn new(tokens: &'a Tokens, query: usize, alpha: &[BigRational]) -> Option<Self> {
        let (integers, _) = cleared(alpha);
        let common = integers
            .iter()
            .fold(BigInt::zero(), |gcd, entry| gcd.gcd(entry));
        let weights: Vec<i64> = integers
            .iter()
            .map(|entry| (entry / &common).to_i64())
            .collect::<Option<_>>()?;
        let ones = i64::from(tokens.at(query).count_ones());
        let shifts = weights
            .iter()
            .map(|weight| {
                ones.checked_mul(weights[query].checked_mul(2)?.checked_add(*weight)?)?
                    .checked_add(1)
            })
            .collect::<Option<_>>()?;
        Some(Self {
            tokens,
            query,
            weights,
            shifts,
        })
    }

    /// Few inputs to begin with: one other token, beside itself or the query.
    fn is_basic(&self, others: &[usize]) -> bool {
        others.windows(2).all(|pair| pair[0] == pair[1]) || others.contains(&self.query)
    }

    fn places<'b>(&self, others: &'b [usize]) -> impl Iterator<Item = usize> + use<'b> {
        others.iter().copied().chain(std::iter::once(self.query))
    }

    fn program(&self, inputs: &[&Vec<usize>]) -> Program {
        let count = self.weights.len();
        let mut rows = Vec::with_capacity(2 * inputs.len());
        for others in inputs {
            let total: i64 = self.places(others).map(|place| self.weights[place]).sum();
            let shift: i64 = self.places(others).map(|place| self.shifts[place]).sum();
            let middle = i64::from(self.tokens.target(self.query, others)) * total + shift;
            for sign in [-1, 1] {
                let terms = self
                    .places(others)
                    .filter(|place| self.weights[*place] > 0)
                    .map(|place| (place, sign))
                    .chain(std::iter::once((count, total)))
                    .collect();
                rows.push(AtLeast {
                    name: String::new(),
                    terms,
                    bound: whole(sign * middle),
                });
            }
        }
        Program {
            variables: vec![String::new(); count + 1],
            objective: vec![(count, 1)],
            rows,
        }
    }

    /// `W` at a solution: 0 where the kernel is 0.
    fn value(&self, x: &[BigRational], place: usize) -> BigRational {
        if self.weights[place] == 0 {
            BigRational::zero()
        } else {
            &x[place] - whole(self.shifts[place])
        }
    }

    /// The worst inputs that the solution gets wrong by more than its error.
    fn violated(
        &self,
        x: &[BigRational],
        error: &BigRational,
        inputs: &[Vec<usize>],
        active: &[usize],
    ) -> Vec<usize> {
        let values: Vec<BigRational> = (0..self.weights.len())
            .map(|place| self.value(x, place))
            .collect();
        let (sums, scale) = cleared(&values);
        let (numer, denom) = (error.numer(), error.denom());
        let mut known = vec![false; inputs.len()];
        for place in active {
            known[*place] = true;
        }
        let mut found: Vec<(BigInt, usize)> = Vec::new();
        for (place, others) in inputs
            .iter()
            .enumerate()
            .filter(|(place, _)| !known[*place])
        {
            let total = BigInt::from(
                self.places(others)
                    .map(|place| self.weights[place])
                    .sum::<i64>(),
            ) * &scale;
            let sum: BigInt = self.places(others).map(|place| &sums[place]).sum();
            let target = BigInt::from(self.tokens.target(self.query, others));
            let over = (sum - target * &total).abs() * denom - numer * total;
            if over.is_positive() {
                found.push((over, place));
            }
        }
        found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(ROUND);
        found.into_iter().map(|(_, place)| place).collect()
    }

    fn readout(&self, x: &[BigRational]) -> Vec<BigRational> {
        (0..self.weights.len())
            .map(|place| {
                if self.weights[place] == 0 {
                    BigRational::zero()
                } else {
                    self.value(x, place) / whole(self.weights[place])
                }
            })
            .collect()
    }

    fn weights(&self, y: &[BigRational], inputs: &[&Vec<usize>]) -> Vec<Weighted> {
        weighted(
            y,
            inputs.iter().map(|others| (self.query, (*others).clone())),
        )
    }
}

/// Dual values as weights: smallest integers, inputs in order.
fn weighted(y: &[BigRational], inputs: impl Iterator<Item = (usize, Vec<usize>)>) -> Vec<Weighted> {
    let (integers, _) = cleared(y);
    let common = integers
        .iter()
        .fold(BigInt::zero(), |gcd, entry| gcd.gcd(entry));
    let weight = |place: usize| {
        whole(if common.is_zero() {
            BigInt::zero()
        } else {
            &integers[place] / &common
        })
    };
    let mut list: Vec<Weighted> = inputs
        .enumerate()
        .map(|(i, (query, others))| Weighted {
            query,
            others,
            upper: weight(2 * i),
            lower: weight(2 * i + 1),
        })
        .filter(|input| !(input.upper.is_zero() && input.lower.is_zero()))
        .collect();
    list.sort_by(|a, b| (a.query, &a.others).cmp(&(b.query, &b.others)));
    list
}

/// A readout for some rows of a kernel, or weights that refute one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// One row per query, and the largest error.
    Readout(Readout, BigRational),
    /// On as few inputs as dropping one at a time leaves.
    Refuted(Vec<Weighted>),
}

/// Looks for a readout at these queries, row by row.
#[must_use]
pub fn readout(
    tokens: &Tokens,
    alpha: &[Vec<BigRational>],
    queries: &[usize],
    accuracy: &Accuracy,
) -> Option<Answer> {
    let rows: Vec<Option<RowOptimum>> = queries
        .par_iter()
        .map(|query| row_optimum(tokens, accuracy.length, *query, &alpha[*query]))
        .collect();
    let rows = rows.into_iter().collect::<Option<Vec<_>>>()?;
    for (query, row) in queries.iter().zip(&rows) {
        if !within(&row.error, accuracy) {
            return Some(Answer::Refuted(fewest(
                tokens,
                *query,
                &alpha[*query],
                row.weights.clone(),
                accuracy,
            )));
        }
    }
    let error = rows.iter().map(|row| row.error.clone()).max()?;
    Some(Answer::Readout(
        rows.into_iter().map(|row| row.readout).collect(),
        error,
    ))
}

fn within(error: &BigRational, accuracy: &Accuracy) -> bool {
    if accuracy.strict {
        *error < accuracy.error
    } else {
        *error <= accuracy.error
    }
}

/// Drops inputs of a refutation of one row as long as what is left still refutes.
fn fewest(
    tokens: &Tokens,
    query: usize,
    alpha: &[BigRational],
    weights: Vec<Weighted>,
    accuracy: &Accuracy,
) -> Vec<Weighted> {
    let mut weights = weights;
    let mut place = 0;
    while place < weights.len() {
        let rest: Vec<Vec<usize>> = weights
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != place)
            .map(|(_, input)| input.others.clone())
            .collect();
        let smaller = row_optimum_of(tokens, query, alpha, &rest)
            .filter(|row| refute_row(tokens, query, alpha, &row.weights, accuracy).is_ok());
        match smaller {
            Some(row) => {
                weights = row.weights;
                place = 0;
            }
            None => place += 1,
        }
    }
    weights
}

/// Whether some kernel of rank 1 does it: the kernel, or weights that refute all of them.
///
/// # Domain
/// `None` when a program could not be solved.
/// # Cost
/// Programs of `tokens + 2 tokens^2 + 1` variables, inputs added while they are violated.
#[must_use]
pub fn rank_one(tokens: &Tokens, accuracy: &Accuracy) -> Option<Result<Kernel, Vec<Weighted>>> {
    let system = RankOne {
        tokens,
        accuracy,
        p: accuracy.error.numer().to_i64()?,
        q: accuracy.error.denom().to_i64()?,
    };
    let count = tokens.len();
    let all: Vec<(usize, Vec<usize>)> = (0..count)
        .flat_map(|query| {
            tokens
                .others(accuracy.length)
                .map(move |others| (query, others))
        })
        .collect();
    let mut active: Vec<usize> = (0..all.len())
        .filter(|i| {
            all[*i].1.windows(2).all(|pair| pair[0] == pair[1]) || all[*i].1.contains(&all[*i].0)
        })
        .collect();
    loop {
        let chosen: Vec<&(usize, Vec<usize>)> = active.iter().map(|i| &all[*i]).collect();
        let solution = simplex::solve_degenerate(&system.program(&chosen))?;
        if solution.value.is_positive() {
            let weights = weighted(
                &solution.y,
                chosen
                    .iter()
                    .map(|(query, others)| (*query, others.clone())),
            );
            return refute_rank_one(tokens, &weights, accuracy)
                .is_ok()
                .then_some(Err(weights));
        }
        let known: std::collections::BTreeSet<usize> = active.iter().copied().collect();
        let violated: Vec<usize> = (0..all.len())
            .filter(|i| !known.contains(i) && system.fails(&solution.x, &all[*i]))
            .take(8 * ROUND)
            .collect();
        if violated.is_empty() {
            let one = vec![vec![BigRational::one()]; count];
            return Some(Ok(Kernel {
                phi_q: one,
                phi_k: vec![solution.x[..count].to_vec()],
            }));
        }
        active.extend(violated);
    }
}

/// `eps D - |sum W - t D| + e >= 1`, homogeneous but for the 1: feasible with e = 0 iff strictly feasible.
struct RankOne<'a> {
    tokens: &'a Tokens,
    accuracy: &'a Accuracy,
    p: i64,
    q: i64,
}

impl RankOne<'_> {
    /// Room that an input has to leave: none when errors may equal eps.
    fn room(&self) -> i64 {
        i64::from(self.accuracy.strict)
    }

    fn program(&self, inputs: &[&(usize, Vec<usize>)]) -> Program {
        let count = self.tokens.len();
        let slack = count + 2 * count * count;
        let mut rows = Vec::new();
        for (query, others) in inputs {
            let target = i64::from(self.tokens.target(*query, others));
            for sign in [-1, 1] {
                let mut terms = vec![(slack, 1)];
                for key in others.iter().chain(std::iter::once(query)) {
                    let w = count + 2 * (query * count + key);
                    terms.extend([
                        (*key, self.p - sign * self.q * target),
                        (w, sign * self.q),
                        (w + 1, -sign * self.q),
                    ]);
                }
                rows.push(AtLeast {
                    name: String::new(),
                    terms,
                    bound: whole(self.room()),
                });
            }
        }
        if !self.accuracy.strict {
            // Without room on the inputs the keys have to be kept from 0.
            rows.extend((0..count).map(|key| AtLeast {
                name: String::new(),
                terms: vec![(key, 1), (slack, 1)],
                bound: whole(1),
            }));
        }
        Program {
            variables: vec![String::new(); slack + 1],
            objective: vec![(slack, 1)],
            rows,
        }
    }

    fn fails(&self, x: &[BigRational], (query, others): &(usize, Vec<usize>)) -> bool {
        let count = self.tokens.len();
        let keys = || others.iter().chain(std::iter::once(query));
        let total: BigRational = keys().map(|key| &x[*key]).sum();
        let sum: BigRational = keys()
            .map(|key| {
                let w = count + 2 * (query * count + key);
                &x[w] - &x[w + 1]
            })
            .sum();
        let target = whole(self.tokens.target(*query, others));
        let distance = (sum - target * &total).abs();
        &self.accuracy.error * total * whole(self.q) - distance * whole(self.q) < whole(self.room())
    }
}

/// A kernel with its readout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The kernel.
    pub kernel: Kernel,
    /// One row per token.
    pub readout: Readout,
    /// Its largest error.
    pub error: BigRational,
}

/// Settings of the search for kernels of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Starts from different projections.
    pub starts: u64,
    /// Rounds per start.
    pub rounds: usize,
    /// Entries of the factors are integers of at most this absolute value.
    pub scale: i64,
    /// Most tokens for which it is tried at all.
    pub tokens: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            starts: 4,
            rounds: 30,
            scale: 64,
            tokens: 16,
        }
    }
}

/// Completes a kernel: the best readout of every row, if it is good enough; the factors as they are.
#[must_use]
pub fn complete(tokens: &Tokens, kernel: Kernel, accuracy: &Accuracy) -> Option<Found> {
    let alpha = kernel.alpha(tokens).ok()?;
    let all: Vec<usize> = (0..tokens.len()).collect();
    match readout(tokens, &alpha, &all, accuracy)? {
        Answer::Readout(readout, error) => Some(Found {
            kernel,
            readout,
            error,
        }),
        Answer::Refuted(_) => None,
    }
}

/// Rounds the readouts to few digits where the largest error stays below what is allowed: short files, same verdict.
#[must_use]
pub fn rounded(tokens: &Tokens, found: &Found, accuracy: &Accuracy) -> Readout {
    let Ok(alpha) = found.kernel.alpha(tokens) else {
        return found.readout.clone();
    };
    (0..tokens.len())
        .map(|query| {
            let exact = &found.readout[query];
            for digits in 1..24 {
                let scale = whole(1i64 << digits);
                let near: Vec<BigRational> = exact
                    .iter()
                    .map(|u| (u * &scale).round() / &scale)
                    .collect();
                let error = crate::rank::kernel::worst_of_row(
                    tokens,
                    accuracy.length,
                    query,
                    &alpha[query],
                    &near,
                )
                .error;
                if error <= found.error && within(&error, accuracy) {
                    return near;
                }
            }
            exact.clone()
        })
        .collect()
}

/// Searches a kernel with so many features.
///
/// # Domain
/// `None` says that nothing was found, never that there is nothing.
/// # Cost
/// Per round one program per query, and one for all keys.
#[must_use]
pub fn search(
    tokens: &Tokens,
    features: usize,
    accuracy: &Accuracy,
    effort: Effort,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Found> {
    if let Some(found) = complete(tokens, Kernel::uniform(tokens.len()), accuracy) {
        return Some(found);
    }
    if features == 1 {
        return complete(tokens, rank_one(tokens, accuracy)?.ok()?, accuracy);
    }
    if let Some(found) = linear(tokens)
        .filter(|kernel| kernel.features() <= features)
        .and_then(|kernel| complete(tokens, kernel, accuracy))
    {
        return Some(found);
    }
    (0..effort.starts).find_map(|start| {
        alternate::Alternation::new(tokens, features, accuracy, effort, start).run(stop)
    })
}

/// `|x| + 1/10 - <x,z>`: one feature more than there are bits.
fn linear(tokens: &Tokens) -> Option<Kernel> {
    let bits = 64 - tokens.masks().last()?.leading_zeros();
    let bit = |mask: u64, i: u32| whole(mask >> i & 1);
    let phi_q = tokens
        .masks()
        .iter()
        .map(|x| {
            let own = whole(x.count_ones()) + BigRational::new(1.into(), 10.into());
            std::iter::once(own)
                .chain((0..bits).map(|i| bit(*x, i)))
                .collect()
        })
        .collect();
    let ones = vec![BigRational::one(); tokens.len()];
    let phi_k = std::iter::once(ones)
        .chain((0..bits).map(|i| tokens.masks().iter().map(|z| -bit(*z, i)).collect()))
        .collect();
    Some(Kernel { phi_q, phi_k })
}

mod alternate;

/// The best bound that codes of the tokens give, over constant weights, gaps, and odd cycles.
#[must_use]
pub fn best_bound(tokens: &Tokens, accuracy: &Accuracy) -> Option<Bound> {
    codes(tokens, accuracy)
        .into_iter()
        .fold(None, |best: Option<Bound>, bound| match best {
            Some(known) if known.rank >= bound.rank => Some(known),
            _ => Some(bound),
        })
}

mod codes;
pub use codes::{code, codes};

/// The largest error of a found kernel, from the definition.
#[must_use]
pub fn error_of(
    tokens: &Tokens,
    alpha: &Matrix,
    readout: &Readout,
    length: usize,
) -> Option<BigRational> {
    let all: Vec<usize> = (0..tokens.len()).collect();
    worst(tokens, length, alpha, &all, readout).map(|worst| worst.error)
}

/// Every way a bound can be argued from the same words.
pub(crate) fn argued(words: &[Vec<u64>], tokens: &Tokens, accuracy: &Accuracy) -> Vec<Bound> {
    [Method::Dominance, Method::Trace]
        .into_iter()
        .filter_map(|method| Bound::of(method, words.to_vec(), tokens, accuracy).ok())
        .collect()
}

#[cfg(test)]
mod tests;
