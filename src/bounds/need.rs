//! How many states a one-way reader must keep, in closed form, and the largest length that a number of bits does not exclude.
//!
//! Counts are exact integers; counts too long to be written out are compared through enclosures of their logarithms, which say so when
//! they do not decide. The brute-force counters that agree with these forms are in the tests.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Pow, ToPrimitive, Zero};
use thiserror::Error;

use crate::exact::count::{self, TooLong};
use crate::exact::stirling::{Fixed, log2_binomial, log2_factorial};
use crate::exact::{BIT_LIMIT, CompareError, Factors, Number, Relation, ratio, relation};

/// Why a count was not given.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NeedError {
    /// A parameter is outside its domain.
    #[error("{field}: {reason}")]
    Field {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The count is too long to be written out.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// A comparison is out of reach.
    #[error(transparent)]
    Compare(#[from] CompareError),
}

fn refuse<T>(field: &'static str, reason: impl Into<String>) -> Result<T, NeedError> {
    Err(NeedError::Field {
        field,
        reason: reason.into(),
    })
}

fn at_least(field: &'static str, value: &BigUint, least: u32) -> Result<(), NeedError> {
    if *value >= BigUint::from(least) {
        Ok(())
    } else {
        refuse(field, format!("{value} is below {least}"))
    }
}

fn at_most(field: &'static str, value: &BigUint, most: &BigUint) -> Result<(), NeedError> {
    if value <= most {
        Ok(())
    } else {
        refuse(field, format!("{value} is above {most}"))
    }
}

fn natural(x: &BigUint) -> Factors {
    Factors::power(x, &BigRational::one()).unwrap_or_default()
}

// --- Eva and PerCom ---

/// States for Eva after `t` of the `n` table entries: `n^t`.
///
/// # Source
/// `hybrid-v1`, definition and theorems on function evaluation (appendix A): a query separates any two prefixes.
/// # Domain
/// `n >= 1`, `t <= n`. The number is positive and may be a product of powers; [`bits_of`] gives its bits.
/// # Errors
/// [`NeedError::Field`].
pub fn eva_states(n: &BigUint, t: &BigUint) -> Result<Number, NeedError> {
    at_least("n", n, 1)?;
    at_most("cut", t, n)?;
    Ok(Number::from(natural(n).powi(t.clone())))
}

/// States for the composition of permutations after `t` of the `n` entries of the first one: `t!`.
///
/// # Source
/// `hybrid-v1`, theorems on permutation composition (appendix A). Deviation: inside the first permutation only prefixes with the same
/// set of values are in conflict, so `t!` states suffice, not `n!/(n-t)!`; at `t = n` the count is the paper's.
/// # Domain
/// `n >= 1`, `t <= n`. The same count holds at `t = n` if only the last output is asked.
/// # Errors
/// [`NeedError::Field`], or [`NeedError::TooLong`] over 2^24 bits.
pub fn percom_states(n: &BigUint, t: &BigUint) -> Result<BigUint, NeedError> {
    at_least("n", n, 1)?;
    at_most("cut", t, n)?;
    Ok(count::factorial(t, BIT_LIMIT)?)
}

/// Distinct prefixes of `t` entries of a permutation of `n` things: `n!/(n-t)!`.
///
/// # Source
/// Derived; printed beside [`percom_states`], which is smaller.
/// # Domain
/// `n >= 1`, `t <= n`.
/// # Errors
/// [`NeedError::Field`], or [`NeedError::TooLong`] over 2^24 bits.
pub fn percom_prefixes(n: &BigUint, t: &BigUint) -> Result<BigUint, NeedError> {
    at_least("n", n, 1)?;
    at_most("cut", t, n)?;
    Ok(count::falling(n, t, BIT_LIMIT)?)
}

/// `bits(states) = ceil(log2 states)` of a positive integer, also of one too long to be written out.
///
/// # Errors
/// [`NeedError::Field`] for a logarithm, a tower or a number below 1; [`NeedError::Compare`] for a sum that is too long.
pub fn bits_of(states: &Number) -> Result<BigInt, NeedError> {
    if let Number::Factored(factors) = states {
        let canonical = factors.canonical();
        let floor = canonical.floor_log2();
        let two = canonical
            .exponents()
            .all(|(base, _)| *base == BigUint::from(2_u32));
        return Ok(if two { floor } else { floor + 1 });
    }
    match states
        .to_integer()
        .map_err(CompareError::from)?
        .to_biguint()
    {
        Some(value) if !value.is_zero() => Ok(count::bits(&value).into()),
        Some(_) | None => refuse("states", "below 1"),
    }
}

// --- 2-Sum ---

/// States for 2-Sum after `t` tokens from `m` residues: `sum_{j=1..min(t,m)} C(m, j)`.
///
/// # Source
/// `hybrid-v1`, the 2-Sum theorem (appendix A). Deviation: only earlier tokens count (strict j < i).
/// # Domain
/// `m >= 1`; one state at `t = 0`. The hardest cut of n tokens is `t = n - 1`.
/// # Errors
/// [`NeedError::Field`], or [`NeedError::TooLong`] over 2^24 bits.
/// # Cost
/// `min(t, m)` steps of the recurrence of binomials; for `t >= m` none, the sum is `2^m - 1`.
pub fn two_sum_states(t: &BigUint, m: &BigUint) -> Result<BigUint, NeedError> {
    at_least("domain", m, 1)?;
    if t.is_zero() {
        return Ok(BigUint::one());
    }
    value_sets(t, m)
}

/// `sum_{j=1..min(t,m)} C(m, j)`: the non-empty sets of at most t of m values.
fn value_sets(t: &BigUint, m: &BigUint) -> Result<BigUint, NeedError> {
    if t >= m {
        return Ok(all_sets(m)? - 1_u32);
    }
    Ok(count::binomial_sum(m, 1, t, BIT_LIMIT)?)
}

/// `2^m`.
fn all_sets(m: &BigUint) -> Result<BigUint, NeedError> {
    match m.to_u64().filter(|m| *m < BIT_LIMIT) {
        Some(m) => Ok(BigUint::one() << m),
        None => Err(TooLong { bits: m.clone() }.into()),
    }
}

/// States for 2-Sum if a token may be its own partner (j <= i): `sum_{j=0..min(t,m*)} C(m*, j)`.
///
/// # Source
/// Derived: residues 0 and m/2 become invisible, so `m* = m - 1` for odd m and `m - 2` for even m.
/// # Domain
/// `m >= 1`.
/// # Errors
/// [`NeedError::Field`], or [`NeedError::TooLong`] over 2^24 bits.
/// # Cost
/// As [`two_sum_states`].
pub fn two_sum_reflexive_states(t: &BigUint, m: &BigUint) -> Result<BigUint, NeedError> {
    at_least("domain", m, 1)?;
    let visible = m - if m.bit(0) { 1_u32 } else { 2_u32 };
    sets_of_at_most(t, &visible)
}

/// `sum_{j=0..min(t,m)} C(m, j)`.
fn sets_of_at_most(t: &BigUint, m: &BigUint) -> Result<BigUint, NeedError> {
    if t >= m {
        return all_sets(m);
    }
    Ok(count::binomial_sum(m, 0, t, BIT_LIMIT)?)
}

/// The least number of residues m with at least `n^n` states of 2-Sum at the cut `n - 1`.
///
/// # Source
/// Derived, on the 2-Sum theorem of `hybrid-v1`: below it the count does not reach `n log2 n` bits.
/// # Domain
/// `n >= 2`.
/// # Errors
/// [`NeedError::Field`], or [`NeedError::TooLong`] over 2^24 bits.
/// # Cost
/// Twice as many counts as the answer has bits.
pub fn least_domain(n: &BigUint) -> Result<BigUint, NeedError> {
    at_least("n", n, 2)?;
    let target = eva_states(n, n)?;
    let cut = n - 1_u32;
    let below = |m: &BigUint| -> Result<bool, NeedError> {
        let states = Number::from(two_sum_states(&cut, m)?);
        Ok(relation(&states, &target)? == Relation::Less)
    };
    Ok(largest(&BigUint::one(), below)? + 1_u32)
}

/// The two sides of `t log2(m/t) <= log2 states < 2 t log2(m/t)`, without logarithms: `m^t <= states t^t` and
/// `states t^(2t) < m^(2t)`.
///
/// # Source
/// Derived, for the 2-Sum theorem of `hybrid-v1`; proved for `m >= 2t`. Also the scale of block summaries with `t = B`.
/// # Domain
/// `t >= 1`, `m >= 2t`.
/// # Errors
/// [`NeedError::Field`], or [`NeedError::TooLong`] over 2^24 bits.
pub fn scale(t: &BigUint, m: &BigUint) -> Result<[(Number, Number); 2], NeedError> {
    at_least("cut", t, 1)?;
    at_most("cut", &(t * 2_u32), m)?;
    let states = natural(&value_sets(t, m)?);
    let power = |x: &BigUint, exponent: BigUint| natural(x).powi(exponent);
    let lower = (
        Number::from(power(m, t.clone())),
        Number::from(states.mul(&power(t, t.clone()))),
    );
    let upper = (
        Number::from(states.mul(&power(t, t * 2_u32))),
        Number::from(power(m, t * 2_u32)),
    );
    Ok([lower, upper])
}

// --- block-sparse attention ---

/// A block-sparse game: q blocks of `block` tokens from `domain` values, of which a query reads `read`.
///
/// # Source
/// `hybrid-v1`, section 5 and appendix A. The query is separate from the blocks; with H heads of k blocks each, `read` is Hk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sparse {
    /// B, the tokens of a block.
    pub block: BigUint,
    /// M, the number of values.
    pub domain: BigUint,
    /// q, the number of blocks.
    pub blocks: BigUint,
    /// k, the blocks read.
    pub read: BigUint,
}

impl Sparse {
    fn validate(&self) -> Result<(), NeedError> {
        at_least("block", &self.block, 1)?;
        at_least("domain", &self.domain, 1)?;
        at_least("blocks", &self.blocks, 1)
    }

    /// Summaries needed if all positions use one map: `sum_{j=1..min(B,M)} C(M, j)` for k < q, and 1 otherwise.
    ///
    /// # Source
    /// `hybrid-v1`, section 5 and appendix A, made exact.
    /// # Domain
    /// Repeats in a block are allowed; the count is the same for tuples, multisets and sets of values.
    /// # Errors
    /// [`NeedError::Field`], or [`NeedError::TooLong`] over 2^24 bits.
    pub fn shared_map(&self) -> Result<BigUint, NeedError> {
        self.validate()?;
        if self.read >= self.blocks {
            return Ok(BigUint::one());
        }
        value_sets(&self.block, &self.domain)
    }

    /// The least possible size of the largest summary alphabet if the map may depend on the position:
    /// `sum_{j=0..min(B,M-f)} C(M-f, j)` with `f = floor(kM/q)`, minus 1 if f = 0, and 1 for k >= q.
    ///
    /// # Source
    /// Derived: every value may be forgotten by at most k blocks, and an even split is best.
    /// # Errors
    /// [`NeedError::Field`], or [`NeedError::TooLong`] over 2^24 bits.
    pub fn position_dependent(&self) -> Result<BigUint, NeedError> {
        self.validate()?;
        if self.read >= self.blocks {
            return Ok(BigUint::one());
        }
        let forgotten = &self.read * &self.domain / &self.blocks;
        if forgotten.is_zero() {
            return value_sets(&self.block, &self.domain);
        }
        sets_of_at_most(&self.block, &(&self.domain - forgotten))
    }

    /// Summaries needed by one map if no value may occur twice in a block: `C(M, B)` for k < q, and 1 otherwise.
    ///
    /// # Source
    /// Derived.
    /// # Domain
    /// `B <= M`.
    /// # Errors
    /// [`NeedError::Field`], or [`NeedError::TooLong`] over 2^24 bits.
    pub fn no_repeats(&self) -> Result<BigUint, NeedError> {
        self.validate()?;
        at_most("block", &self.block, &self.domain)?;
        if self.read >= self.blocks {
            return Ok(BigUint::one());
        }
        Ok(count::binomial(&self.domain, &self.block, BIT_LIMIT)?)
    }
}

/// The largest n for which `summary_bits` are enough for blocks of `block` tokens from n values.
///
/// # Source
/// Derived, on the block-sparse theorem of `hybrid-v1` with M = n. Counting alone: that k < q is a separate condition.
/// # Domain
/// `block >= 1`; `None` if it never ends below 2^64. Below 2^64 the count is below `2^(64 B)`, so `64 B <= summary_bits` is answered at once.
/// # Errors
/// [`NeedError::Field`].
/// # Cost
/// At most 128 partial sums of `block` binomials, each stopped when it exceeds `2^summary_bits`.
pub fn largest_sparse_length(block: u64, summary_bits: u64) -> Result<Option<BigUint>, NeedError> {
    at_least("block", &block.into(), 1)?;
    if block.saturating_mul(64) <= summary_bits {
        return Ok(None);
    }
    let allowed = |n: &BigUint| {
        let limit = summary_bits.saturating_add(1);
        let states = match count::binomial_sum(n, 1, &block.into(), limit) {
            Ok(states) => states,
            // At least 2^(summary_bits + 1) states.
            Err(TooLong { .. }) => return Ok::<bool, NeedError>(false),
        };
        Ok(count::bits(&states) <= summary_bits)
    };
    // n = 1 has one value set.
    let answer = largest(&BigUint::one(), allowed)?;
    Ok((answer.bits() <= 64).then_some(answer))
}

/// Two inputs that one summary map, given as a symbol per tuple in lexicographic order, cannot tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fooled {
    /// The common summary.
    pub summary: u64,
    /// A block with the value.
    pub with: Vec<u64>,
    /// A block without it.
    pub without: Vec<u64>,
    /// The value.
    pub value: u64,
}

/// The first pair of blocks, in lexicographic order, that a shared map confuses: one has a value that the other lacks.
///
/// # Errors
/// [`NeedError::Field`]: a map that is not as long as the block space, which is told.
/// # Cost
/// The square of the block space.
pub fn fooled(values: u64, block: u64, map: &[u64]) -> Result<Option<Fooled>, NeedError> {
    let space: BigUint = Pow::pow(BigUint::from(values), block.min(64));
    if space != BigUint::from(map.len()) {
        let reason = format!(
            "{} symbols, expected {space}, one per block in lexicographic order",
            map.len()
        );
        return refuse("map", reason);
    }
    let width = block.to_usize().unwrap_or(0);
    let digits = |index: usize| {
        let mut rest = index as u64;
        let mut word = vec![0; width];
        for digit in word.iter_mut().rev() {
            *digit = rest % values;
            rest /= values;
        }
        word
    };
    for (i, summary) in map.iter().enumerate() {
        let second = digits(i);
        for (j, other) in map[..i].iter().enumerate() {
            if other != summary {
                continue;
            }
            let first = digits(j);
            for (with, without) in [(&first, &second), (&second, &first)] {
                if let Some(value) = with.iter().find(|value| !without.contains(value)) {
                    return Ok(Some(Fooled {
                        summary: *summary,
                        with: with.clone(),
                        without: without.clone(),
                        value: *value,
                    }));
                }
            }
        }
    }
    Ok(None)
}

// --- log-linear states ---

/// Non-zero levels of the log-linear recurrence after step `i`, if the sequence starts at `first` (0 or 1): popcount(i) + 1.
///
/// # Source
/// `hybrid-v1`, appendix A, for the recurrence of log-linear attention. If the first token has index 1, the count at 1 is 1.
/// # Domain
/// `i >= first`; 0 before the first token.
#[must_use]
pub fn log_linear_levels(i: u64, first: u64) -> u32 {
    match i.cmp(&first) {
        Ordering::Less => 0,
        Ordering::Equal => 1,
        Ordering::Greater => i.count_ones() + 1,
    }
}

/// Matrices per head and layer that cross the cut after `t` tokens: popcount(t).
///
/// # Source
/// Derived: right after token t - 1 there may be more non-zero levels, but the next step merges them, so their sum is what crosses.
/// Assumes that gates act on merged sums.
/// # Domain
/// 0 for `t = 0`.
#[must_use]
pub fn log_linear_matrices(t: u64) -> u32 {
    t.count_ones()
}

/// A lower bound on the bits of one matrix (times heads and layers) from the cut at the largest power of two `2^k <= n`.
///
/// # Source
/// Derived: at that cut one matrix crosses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLinear {
    /// The cut `2^k`.
    pub cut: u64,
    /// `L H d^2 p >= bits(n^(2^k))`, from Eva.
    pub eva: BigInt,
    /// `L H d^2 p >= bits((2^k)!)`, from the composition of permutations.
    pub percom: u64,
}

/// The bounds of [`LogLinear`] at length n.
///
/// # Source
/// Derived; the bound from Eva is above `(n/2) log2 n`.
/// # Domain
/// `n >= 1`.
/// # Errors
/// [`NeedError::Field`], or [`NeedError::TooLong`] if the factorial has more than 2^24 bits.
pub fn log_linear(n: u64) -> Result<LogLinear, NeedError> {
    let Some(k) = n.checked_ilog2() else {
        return refuse("n", "0 is below 1");
    };
    let cut = 1_u64 << k;
    let eva = bits_of(&eva_states(&n.into(), &cut.into())?)?;
    let percom = count::bits(&count::factorial(&cut.into(), BIT_LIMIT)?);
    Ok(LogLinear { cut, eva, percom })
}

// --- chain of thought ---

/// States for Eva if the prompt is repeated after the query, at the cut after `t` entries of the second pass.
///
/// # Source
/// Derived: n states at the start of the second pass (the query itself), then `n - t` pending queries and n values.
/// # Domain
/// `n >= 1`, `t <= n`.
/// # Errors
/// [`NeedError::Field`].
pub fn second_pass_states(n: &BigUint, t: &BigUint) -> Result<BigUint, NeedError> {
    at_least("n", n, 1)?;
    at_most("cut", t, n)?;
    Ok(if t.is_zero() {
        n.clone()
    } else {
        n * 2_u32 - t
    })
}

// --- copying, reading back ---

/// States for copying `n` tokens from an alphabet of `alphabet`: `V^n`.
///
/// # Source
/// Derived: every token is asked for. With S states at most `min(1, S / V^n)` of the strings are copied right.
/// # Domain
/// `alphabet >= 1`.
/// # Errors
/// [`NeedError::Field`].
pub fn copy_states(alphabet: &BigUint, n: &BigUint) -> Result<Number, NeedError> {
    at_least("alphabet", alphabet, 1)?;
    Ok(Number::from(natural(alphabet).powi(n.clone())))
}

/// States for multi-query recall of `pairs` pairs from a vocabulary of V symbols, half of them values: `(V/2)(V/2-1)..(V/2-k+1)`.
///
/// # Source
/// Derived, for values without repetition, fixed keys, and the promise that each queried key is present: assignments conflict pairwise.
/// # Domain
/// V even and at least 2, `pairs <= V/2`.
/// # Errors
/// [`NeedError::Field`], or [`NeedError::TooLong`] over 2^24 bits.
pub fn recall_states(vocabulary: &BigUint, pairs: &BigUint) -> Result<BigUint, NeedError> {
    at_least("vocabulary", vocabulary, 2)?;
    if vocabulary.bit(0) {
        return refuse("vocabulary", format!("{vocabulary} is odd"));
    }
    let values = vocabulary >> 1_u32;
    at_most("pairs", pairs, &values)?;
    Ok(count::falling(&values, pairs, BIT_LIMIT)?)
}

/// States for brackets of `kinds` kinds nested at most `depth` deep: `1 + k + .. + k^depth`, and 1 for "already wrong".
///
/// # Source
/// Derived: the stack of open brackets.
/// # Domain
/// `kinds >= 1`; reached by prefixes of at least `depth + 1` brackets.
/// # Errors
/// [`NeedError::Field`], or [`NeedError::TooLong`] over 2^24 bits.
pub fn bracket_states(kinds: &BigUint, depth: &BigUint) -> Result<BigUint, NeedError> {
    at_least("kinds", kinds, 1)?;
    if kinds.is_one() {
        return Ok(depth + 2_u32);
    }
    let power = power(kinds, &(depth + 1_u32))?;
    Ok((power - 1_u32) / (kinds - 1_u32) + 1_u32)
}

/// The largest x from `start` on whose count is at most `2^bits`; `None` if that is so up to `end`.
///
/// # Domain
/// A count that never decreases. At a start that is already above `2^bits` the answer is `start - 1`, or 0.
/// # Errors
/// Those of the count. A count over 2^24 bits is above `2^bits` if `bits` is less than that.
/// # Cost
/// Twice as many counts as the answer has bits.
pub fn largest_within(
    start: &BigUint,
    end: Option<&BigUint>,
    bits: &BigUint,
    states: impl Fn(&BigUint) -> Result<Number, NeedError>,
) -> Result<Option<BigUint>, NeedError> {
    let limit = Number::from(Factors::word(2).powi(bits.clone()));
    let within = |x: &BigUint| {
        if end.is_some_and(|end| x > end) {
            return Ok(false);
        }
        match states(x) {
            Ok(count) => Ok(relation(&count, &limit)? != Relation::Greater),
            Err(NeedError::TooLong(_)) if *bits < BigUint::from(BIT_LIMIT) => Ok(false),
            Err(error) => Err(error),
        }
    };
    if !within(start)? {
        return Ok(Some(if start.is_zero() {
            BigUint::zero()
        } else {
            start - 1_u32
        }));
    }
    let answer = largest(start, within)?;
    Ok((Some(&answer) != end).then_some(answer))
}

// --- the largest length that a number of bits does not exclude ---

/// A count of states as a function of the length n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// `n^n`
    Eva,
    /// `n!`
    PerCom,
    /// `C(n^2, n-1)`, the paper's count for 2-Sum with `n^2` residues.
    TwoSumSquare,
    /// `sum_{j=1..n-1} C(n^2, j)`, the exact count with `n^2` residues.
    TwoSumSquareAll,
    /// `sum_{j=1..n-1} C(n, j) = 2^n - 2`, with n residues.
    TwoSum,
    /// `V^n`: copying n tokens of an alphabet of V.
    Copy(BigUint),
}

/// From this n on logarithms are compared first, by Stirling's series; below, integers.
const SERIES_FROM: u32 = 1000;

impl Need {
    /// The largest n whose count is at most `2^bits`.
    ///
    /// # Source
    /// `hybrid-v1`, appendix A: the next n is excluded, by counting.
    /// # Domain
    /// Any number of bits. Counts are non-decreasing in n from the start, which is 0 for `Copy` and 1 otherwise; the start needs one
    /// state. `Copy` needs an alphabet of at least 2.
    /// # Errors
    /// [`NeedError::Field`] for an alphabet below 2; [`NeedError::TooLong`] if the enclosures do not decide at some n and the integers are too long.
    /// # Cost
    /// Twice as many comparisons as the answer has bits.
    pub fn largest_length(&self, bits: &BigUint) -> Result<BigUint, NeedError> {
        if let Self::Copy(alphabet) = self {
            at_least("alphabet", alphabet, 2)?;
        }
        let start = if matches!(self, Self::Copy(_)) {
            BigUint::zero()
        } else {
            BigUint::one()
        };
        largest(&start, |n| Ok(self.compare(n, bits)? != Ordering::Greater))
    }

    /// The order of the count at length n and `2^bits`.
    ///
    /// # Domain
    /// `n >= 1`, or `n >= 0` for `Copy`.
    /// # Errors
    /// As [`Need::largest_length`].
    pub fn compare(&self, n: &BigUint, bits: &BigUint) -> Result<Ordering, NeedError> {
        match self {
            Self::Eva => against_power(&natural(n).powi(n.clone()), bits),
            Self::Copy(alphabet) => against_power(&natural(alphabet).powi(n.clone()), bits),
            Self::TwoSum => Ok(two_sum_against_power(n, bits)),
            Self::PerCom | Self::TwoSumSquare | Self::TwoSumSquareAll => {
                let decided = self
                    .log2(n)
                    .and_then(|log| log.compare(&BigInt::from(bits.clone())));
                match decided {
                    Some(order) => Ok(order),
                    None => Ok(integer_against_power(&self.integer(n)?, bits)),
                }
            }
        }
    }

    /// An enclosure of the logarithm of the count, for large n.
    fn log2(&self, n: &BigUint) -> Option<Fixed> {
        if *n < BigUint::from(SERIES_FROM) + 1_u32 {
            return None;
        }
        let (values, cut) = (n * n, n - 1_u32);
        match self {
            Self::PerCom => Some(log2_factorial(n, 64)),
            Self::TwoSumSquare => log2_binomial(&values, &cut, 64),
            // Each term is at most r = t/(m-t+1) times the next, so all together are at most 1/(1-r) times the last, and
            // log2(1/(1-r)) <= 2r/(1-r) = 2t/(m-2t+1).
            Self::TwoSumSquareAll => {
                let extra =
                    ratio::ratio(BigInt::from(&cut * 2_u32), &values + 1_u32 - &cut * 2_u32)?;
                Some(log2_binomial(&values, &cut, 64)?.raised_by_at_most(&extra))
            }
            Self::Eva | Self::TwoSum | Self::Copy(_) => None,
        }
    }

    /// The count itself.
    fn integer(&self, n: &BigUint) -> Result<BigUint, NeedError> {
        let (values, cut) = (n * n, n - 1_u32);
        match self {
            Self::PerCom => Ok(count::factorial(n, BIT_LIMIT)?),
            Self::TwoSumSquare => Ok(count::binomial(&values, &cut, BIT_LIMIT)?),
            Self::TwoSumSquareAll => value_sets(&cut, &values),
            Self::Eva => Ok(power(n, n)?),
            Self::Copy(alphabet) => Ok(power(alphabet, n)?),
            Self::TwoSum => value_sets(&cut, n),
        }
    }
}

/// The largest n whose count is at most a product of powers that is no power of two, such as finite numbers to the number of scalars.
///
/// # Source
/// Derived, as for [`Need::largest_length`]: the next n is excluded, by counting.
/// # Domain
/// A product of positive whole exponents, at least 1.
/// # Errors
/// As [`Need::largest_length`].
/// # Cost
/// Twice as many comparisons as the answer has bits.
pub fn finite_length(need: &Need, states: &Factors) -> Result<BigUint, NeedError> {
    /// Binary places of log2 of the states: more than enough between two counts.
    const PLACES: u32 = 64;
    let start = if matches!(need, Need::Copy(_)) {
        BigUint::zero()
    } else {
        BigUint::one()
    };
    let limit = Number::from(states.clone());
    let (low, high, denominator) = states.canonical().log2_bounds(PLACES);
    let scale = |bound: &BigInt| bound / BigInt::from(denominator.clone());
    let (low, high) = (scale(&low), scale(&high) + 1);
    let within = |n: &BigUint| -> Result<bool, NeedError> {
        let exact = |count: Number| Ok(relation(&count, &limit)? != Relation::Greater);
        match need {
            Need::Eva => exact(natural(n).powi(n.clone()).into()),
            Need::Copy(alphabet) => exact(natural(alphabet).powi(n.clone()).into()),
            // 2^n - 2 <= S: for n >= 3 both 2^n - 2 and 2^n - 1 have no power of 2 above 2 in them.
            Need::TwoSum if n.bits() > 6 => exact(Factors::word(2).powi(n.clone()).into()),
            Need::PerCom | Need::TwoSumSquare | Need::TwoSumSquareAll | Need::TwoSum => {
                match need
                    .log2(n)
                    .and_then(|log| log.compare_scaled(&low, &high, PLACES))
                {
                    Some(order) => Ok(order == Ordering::Less),
                    None => exact(need.integer(n)?.into()),
                }
            }
        }
    };
    largest(&start, within)
}

fn power(base: &BigUint, exponent: &BigUint) -> Result<BigUint, TooLong> {
    let bits = exponent * base.bits();
    match exponent.to_u64() {
        Some(exponent) if bits <= BigUint::from(BIT_LIMIT) => Ok(Pow::pow(base, exponent)),
        Some(_) | None => Err(TooLong { bits }),
    }
}

fn against_power(count: &Factors, bits: &BigUint) -> Result<Ordering, NeedError> {
    let limit = Number::from(Factors::word(2).powi(bits.clone()));
    Ok(match relation(&Number::from(count.clone()), &limit)? {
        Relation::Less => Ordering::Less,
        Relation::Equal => Ordering::Equal,
        Relation::Greater => Ordering::Greater,
    })
}

/// `2^n - 2` against `2^bits`.
fn two_sum_against_power(n: &BigUint, bits: &BigUint) -> Ordering {
    // Equal only as 2^2 - 2 = 2^1; 2^n - 2 lies strictly between 2^(n-1) and 2^n for n >= 3, and below 1 for n = 1.
    let two = BigUint::from(2_u32);
    match n.cmp(&two) {
        Ordering::Less => Ordering::Less,
        Ordering::Equal => BigUint::one().cmp(bits),
        Ordering::Greater => {
            if n > bits {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
    }
}

fn integer_against_power(value: &BigUint, bits: &BigUint) -> Ordering {
    let length = BigUint::from(value.bits());
    let power_length = bits + 1_u32;
    let is_power = value.bits().checked_sub(1) == value.trailing_zeros();
    length.cmp(&power_length).then(if is_power {
        Ordering::Equal
    } else {
        Ordering::Greater
    })
}

/// The largest n from `start` on with a property that holds at the start, holds up to some point and nowhere beyond.
fn largest<E>(start: &BigUint, holds: impl Fn(&BigUint) -> Result<bool, E>) -> Result<BigUint, E> {
    let mut low = start.clone();
    let mut step = BigUint::one();
    while holds(&(&low + &step))? {
        low += &step;
        step <<= 1;
    }
    // The property holds at low and fails at low + step.
    while !step.is_one() {
        step >>= 1;
        if holds(&(&low + &step))? {
            low += &step;
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests;
