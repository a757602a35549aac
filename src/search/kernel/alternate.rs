//! Improves the features of queries and of keys in turn, by linear programs in integers.
//!
//! With the keys fixed, every query has a program of its own: features, W and a margin. Its dual is an inequality that every row of every
//! kernel obeys; with the queries fixed, the keys are chosen to satisfy those inequalities by as much as possible.

use super::{Effort, Found, ROUND, complete, whole};
use crate::exact::linear::{AtLeast, Program};
use crate::rank::gap::Accuracy;
use crate::rank::kernel::Kernel;
use crate::rank::token::Tokens;
use crate::search::simplex;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use rayon::prelude::*;

/// Features of queries lie above minus this, the first near 1.
const BOX: i64 = 32;

/// Entries of a cut are rounded to integers up to this.
const CUT: i64 = 1 << 8;

/// The margin aimed at is this part of the sum of a row.
const MARGIN: i64 = 16;

/// A kernel value is at least the margin over this.
const FLOOR: i64 = 50;

/// How many rounds a cut is kept.
const MEMORY: usize = 40;

/// The state of one start.
pub(super) struct Alternation<'a> {
    tokens: &'a Tokens,
    accuracy: &'a Accuracy,
    effort: Effort,
    features: usize,
    /// Per token: its features as a key.
    keys: Vec<Vec<i64>>,
    /// Inequalities `sum_w cut(w) alpha(x, w) > 0` with their query.
    cuts: Vec<(usize, Vec<i64>)>,
}

/// What the program of one query gives.
struct Improved {
    features: Vec<i64>,
    cut: Vec<i64>,
    good: bool,
}

/// A deterministic generator; the start is all that a search depends on.
fn scramble(state: &mut u64) -> i64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    i64::try_from((*state >> 33) % 2001).unwrap_or(0) - 1000
}

impl<'a> Alternation<'a> {
    /// Starts from `1 - sum of random directions of the bits`.
    pub(super) fn new(
        tokens: &'a Tokens,
        features: usize,
        accuracy: &'a Accuracy,
        effort: Effort,
        start: u64,
    ) -> Self {
        let mut state = start;
        let bits = 64
            - tokens
                .masks()
                .last()
                .map_or(64, |mask| mask.leading_zeros());
        let directions: Vec<Vec<i64>> = (0..bits)
            .map(|_| (1..features).map(|_| scramble(&mut state)).collect())
            .collect();
        let keys = tokens
            .masks()
            .iter()
            .map(|mask| {
                let rest = (0..features - 1).map(|f| {
                    let ones = directions.iter().enumerate();
                    let sum: i64 = ones
                        .filter(|(i, _)| mask >> i & 1 == 1)
                        .map(|(_, direction)| direction[f])
                        .sum();
                    -sum * effort.scale / 2500
                });
                std::iter::once(effort.scale).chain(rest).collect()
            })
            .collect();
        Self {
            tokens,
            accuracy,
            effort,
            features,
            keys,
            cuts: Vec::new(),
        }
    }

    /// Rounds until a kernel is found, the effort is spent, or nothing moves.
    pub(super) fn run(mut self, stop: &(dyn Fn() -> bool + Sync)) -> Option<Found> {
        let mut step = self.effort.scale * 3 / 10;
        for _ in 0..self.effort.rounds {
            if stop() {
                return None;
            }
            let improved: Vec<Option<Improved>> = (0..self.tokens.len())
                .into_par_iter()
                .map(|query| self.query(query, stop))
                .collect();
            let improved = improved.into_iter().collect::<Option<Vec<_>>>()?;
            let good = improved.iter().all(|row| row.good);
            let queries: Vec<Vec<i64>> = improved.iter().map(|row| row.features.clone()).collect();
            if good && let Some(found) = complete(self.tokens, self.kernel(&queries), self.accuracy)
            {
                return Some(found);
            }
            self.cuts.extend(
                improved
                    .into_iter()
                    .enumerate()
                    .map(|(query, row)| (query, row.cut)),
            );
            self.cuts
                .retain(|(_, cut)| cut.iter().any(|entry| *entry != 0));
            let old = self.cuts.len().saturating_sub(MEMORY * self.tokens.len());
            self.cuts.drain(..old);
            self.keys = self.better_keys(&queries, step, stop)?;
            step = (step * 31 / 32).max(1);
        }
        None
    }

    fn kernel(&self, queries: &[Vec<i64>]) -> Kernel {
        let over = |n: &i64| BigRational::new(BigInt::from(*n), self.effort.scale.into());
        Kernel {
            phi_q: queries
                .iter()
                .map(|row| row.iter().map(over).collect())
                .collect(),
            phi_k: (0..self.features)
                .map(|f| self.keys.iter().map(|key| over(&key[f])).collect())
                .collect(),
        }
    }

    /// The best features of one query for the present keys.
    ///
    /// Variables: features + BOX, then W shifted, then the violation e. Every input says `eps D - |W - t D| + e >= margin`.
    fn query(&self, query: usize, stop: &(dyn Fn() -> bool + Sync)) -> Option<Improved> {
        let (count, r) = (self.tokens.len(), self.features);
        let sum: Vec<i64> = (0..r)
            .map(|f| self.keys.iter().map(|key| key[f]).sum())
            .collect();
        let total = sum[0].abs().max(1);
        let margin = (total / MARGIN).max(1);
        let shift = total * 4 * (i64::from(self.tokens.at(query).count_ones()) + 1);
        let slack = r + count;
        let mut fixed = Vec::new();
        // The row adds up to `total`.
        for sign in [1, -1] {
            let terms = (0..r).map(|f| (f, sign * sum[f])).collect();
            let bound = sign * (total + BOX * sum.iter().sum::<i64>());
            fixed.push(AtLeast {
                name: String::new(),
                terms,
                bound: whole(bound),
            });
        }
        // Kernel values are at least a part of the margin that is reached.
        for key in &self.keys {
            let terms = (0..r)
                .map(|f| (f, FLOOR * key[f]))
                .chain(std::iter::once((slack, 1)))
                .collect();
            fixed.push(AtLeast {
                name: String::new(),
                terms,
                bound: whole(margin + FLOOR * BOX * key.iter().sum::<i64>()),
            });
        }
        let inputs: Vec<Vec<usize>> = self.tokens.others(self.accuracy.length).collect();
        let (p, q) = (
            self.accuracy.error.numer().to_i64()?,
            self.accuracy.error.denom().to_i64()?,
        );
        let row = |others: &[usize], sign: i64| {
            let target = i64::from(self.tokens.target(query, others));
            let factor = p - sign * q * target;
            let mut terms = vec![(slack, 1)];
            let mut bound = margin;
            for place in others.iter().copied().chain(std::iter::once(query)) {
                for f in 0..r {
                    terms.push((f, factor * self.keys[place][f]));
                    bound += factor * self.keys[place][f] * BOX;
                }
                terms.push((r + place, sign * q));
                bound += sign * q * shift;
            }
            AtLeast {
                name: String::new(),
                terms,
                bound: whole(bound),
            }
        };
        let mut active: Vec<usize> = (0..inputs.len())
            .filter(|i| {
                inputs[*i].windows(2).all(|pair| pair[0] == pair[1]) || inputs[*i].contains(&query)
            })
            .collect();
        loop {
            if stop() {
                return None;
            }
            let mut rows = fixed.clone();
            for place in &active {
                rows.extend([row(&inputs[*place], -1), row(&inputs[*place], 1)]);
            }
            let program = Program {
                variables: vec![String::new(); slack + 1],
                objective: vec![(slack, 1)],
                rows,
            };
            let solution = simplex::solve_degenerate(&program)?;
            let violated = self.violated(&inputs, &active, &solution.x, &row);
            if !violated.is_empty() {
                active.extend(violated);
                continue;
            }
            let features: Vec<BigRational> =
                solution.x[..r].iter().map(|x| x - whole(BOX)).collect();
            return Some(Improved {
                good: solution.x[slack] < whole(margin),
                features: small(&features, self.effort.scale),
                cut: self.cut(query, &solution.y, &inputs, &active, fixed.len()),
            });
        }
    }

    fn violated(
        &self,
        inputs: &[Vec<usize>],
        active: &[usize],
        x: &[BigRational],
        row: &dyn Fn(&[usize], i64) -> AtLeast,
    ) -> Vec<usize> {
        let (integers, scale) = super::cleared(x);
        let known: std::collections::BTreeSet<usize> = active.iter().copied().collect();
        let mut found: Vec<(BigInt, usize)> = Vec::new();
        for (place, others) in inputs
            .iter()
            .enumerate()
            .filter(|(place, _)| !known.contains(place))
        {
            for sign in [-1, 1] {
                let row = row(others, sign);
                let value: BigInt = row.terms.iter().map(|(i, a)| &integers[*i] * *a).sum();
                let short = row.bound.numer() * &scale - value;
                if short.is_positive() {
                    found.push((short, place));
                }
            }
        }
        found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(ROUND);
        found.into_iter().map(|(_, place)| place).collect()
    }

    /// The combination of inputs that limits the margin, as an inequality on the row of the kernel.
    fn cut(
        &self,
        query: usize,
        y: &[BigRational],
        inputs: &[Vec<usize>],
        active: &[usize],
        fixed: usize,
    ) -> Vec<i64> {
        let mut cut = vec![BigRational::zero(); self.tokens.len()];
        for (key, weight) in y[2..fixed].iter().enumerate() {
            cut[key] += weight * whole(FLOOR);
        }
        let (p, q) = (self.accuracy.error.numer(), self.accuracy.error.denom());
        for (i, place) in active.iter().enumerate() {
            let (upper, lower) = (&y[fixed + 2 * i], &y[fixed + 2 * i + 1]);
            if upper.is_zero() && lower.is_zero() {
                continue;
            }
            let target = BigInt::from(self.tokens.target(query, &inputs[*place])) * q;
            let gain = (upper + lower) * p + (upper - lower) * target;
            for key in inputs[*place].iter().copied().chain(std::iter::once(query)) {
                cut[key] += &gain;
            }
        }
        small(&cut, CUT)
    }

    /// Keys with the largest margin over all kept cuts, for these queries; no entry moves by more than `step`.
    fn better_keys(
        &self,
        queries: &[Vec<i64>],
        step: i64,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<Vec<i64>>> {
        let (count, r) = (self.tokens.len(), self.features);
        let scale = self.effort.scale;
        let least: Vec<i64> = self
            .keys
            .iter()
            .flatten()
            .map(|entry| (entry - step).max(-scale))
            .collect();
        let slack = count * r;
        let unit = scale * scale;
        let margin = CUT * unit;
        let shifted = |terms: Vec<(usize, i64)>, bound: i64, e: i64| {
            let moved: i64 = terms.iter().map(|(i, a)| a * least[*i]).sum();
            let mut terms = terms;
            if e != 0 {
                terms.push((slack, e));
            }
            AtLeast {
                name: String::new(),
                terms,
                bound: whole(bound - moved),
            }
        };
        let form = |query: usize, weights: &dyn Fn(usize) -> i64| -> Vec<(usize, i64)> {
            (0..count)
                .flat_map(|key| {
                    (0..r).map(move |f| (key * r + f, weights(key) * queries[query][f]))
                })
                .filter(|(_, a)| *a != 0)
                .collect()
        };
        let mut rows: Vec<AtLeast> = self
            .cuts
            .iter()
            .map(|(query, cut)| shifted(form(*query, &|key| cut[key]), margin, 1))
            .collect();
        for (i, entry) in self.keys.iter().flatten().enumerate() {
            rows.push(shifted(vec![(i, -1)], -(entry + step).min(scale), 0));
        }
        let floor = unit / 64;
        let single = |query: usize, key: usize| {
            (0..r)
                .map(|f| (key * r + f, queries[query][f]))
                .collect::<Vec<_>>()
        };
        let mut kept: std::collections::BTreeSet<(usize, usize)> =
            (0..count).map(|query| (query, query)).collect();
        loop {
            if stop() {
                return None;
            }
            let mut all = rows.clone();
            all.extend(
                kept.iter()
                    .map(|(query, key)| shifted(single(*query, *key), floor, 1)),
            );
            let program = Program {
                variables: vec![String::new(); slack + 1],
                objective: vec![(slack, 1)],
                rows: all,
            };
            let solution = simplex::solve_degenerate(&program)?;
            let at: Vec<BigRational> = solution.x[..slack]
                .iter()
                .zip(&least)
                .map(|(x, least)| x + whole(*least))
                .collect();
            let mut low: Vec<(BigRational, (usize, usize))> = Vec::new();
            for query in 0..count {
                for key in (0..count).filter(|key| !kept.contains(&(query, *key))) {
                    let value: BigRational = single(query, key)
                        .iter()
                        .map(|(i, a)| &at[*i] * whole(*a))
                        .sum();
                    if value < whole(floor / 2) {
                        low.push((value, (query, key)));
                    }
                }
            }
            if low.is_empty() {
                let integers = small(&at, scale);
                return Some(integers.chunks(r).map(<[i64]>::to_vec).collect());
            }
            low.sort();
            kept.extend(low.into_iter().take(ROUND).map(|(_, place)| place));
        }
    }
}

/// A vector scaled so that its largest entry is `most`, rounded to integers.
fn small(list: &[BigRational], most: i64) -> Vec<i64> {
    let largest = list
        .iter()
        .map(Signed::abs)
        .max()
        .filter(|largest| !largest.is_zero());
    let Some(largest) = largest else {
        return vec![0; list.len()];
    };
    list.iter()
        .map(|entry| {
            (entry * whole(most) / &largest)
                .round()
                .to_integer()
                .to_i64()
                .unwrap_or(0)
        })
        .collect()
}
