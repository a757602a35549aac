//! Lower bounds on the rank from a few queries and keys.
//!
//! Pairs (query q_i, better key y_i): at q_i the key y_i is heavier than every y_j by a proved ratio. Three arguments turn that into a
//! bound on the rank: diagonal dominance, the trace, and, for triples around an odd cycle, the order of queries on a line. Proofs: `docs/rank.md`.

use crate::rank::gap::{Accuracy, Chain};
use crate::rank::token::{Tokens, overlap};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use thiserror::Error;

/// "At this query the first key of the chain is heavier than the last one, by this ratio."
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preference {
    /// Mask of the query.
    pub query: u64,
    /// The chain that proves it.
    pub chain: Chain,
}

/// The argument of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A strictly diagonally dominant matrix is regular.
    Dominance,
    /// `rank >= tr^2 / ||.||^2`.
    Trace,
    /// In rank 2 the queries lie on a line, and no odd cycle alternates.
    Cycle,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 3] = [Self::Dominance, Self::Trace, Self::Cycle];

    /// The word in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Dominance => "dominance",
            Self::Trace => "trace",
            Self::Cycle => "cycle",
        }
    }

    /// The method with this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.word() == word)
    }
}

/// A proved bound: every kernel of this accuracy has at least this rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The argument.
    pub method: Method,
    /// Queries and keys: (query, better key), for a cycle (query, its better key, its worse key).
    pub words: Vec<Vec<u64>>,
    /// Everything that is used, in the order of [`needed`].
    pub preferences: Vec<Preference>,
    /// The rank.
    pub rank: usize,
    /// The number that it was rounded from: B of the trace.
    pub value: BigRational,
}

/// Why a bound does not follow.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Weak {
    /// Too few words, an even cycle, entries missing, or a cycle without strictness.
    #[error("{0}")]
    Shape(String),
    /// No chain of tokens proves a preference.
    #[error("at query {query} nothing proves key {better} heavier than key {worse}")]
    Unproved {
        /// Mask of the query.
        query: u64,
        /// Mask of the better key.
        better: u64,
        /// Mask of the worse key.
        worse: u64,
    },
    /// The ratios are too small for dominance.
    #[error("row {row}: the off-diagonal entries may add up to {sum}")]
    NotDominant {
        /// Place of the row.
        row: usize,
        /// Their sum.
        sum: BigRational,
    },
}

/// The preferences that an argument needs: (query, better, worse).
///
/// # Errors
/// [`Weak::Shape`].
pub fn needed(
    method: Method,
    words: &[Vec<u64>],
    accuracy: &Accuracy,
) -> Result<Vec<[u64; 3]>, Weak> {
    let shape = |message: &str| Weak::Shape(message.to_owned());
    let entries = if method == Method::Cycle { 3 } else { 2 };
    if words.iter().any(|word| word.len() != entries) {
        return Err(Weak::Shape(format!("a word of other than {entries} masks")));
    }
    let count = words.len();
    if method != Method::Cycle {
        if count < 2 {
            return Err(shape("fewer than two words"));
        }
        let pairs =
            (0..count).flat_map(|i| (0..count).filter(move |j| *j != i).map(move |j| (i, j)));
        return Ok(pairs
            .map(|(i, j)| [words[i][0], words[i][1], words[j][1]])
            .collect());
    }
    if count < 3 || count.is_multiple_of(2) {
        return Err(shape(
            "a cycle of fewer than three words, or of an even number",
        ));
    }
    if !accuracy.strict {
        return Err(shape("a cycle needs strict preferences"));
    }
    Ok((0..count)
        .flat_map(|i| {
            let (own, before, after) = (
                &words[i],
                &words[(i + count - 1) % count],
                &words[(i + 1) % count],
            );
            [
                [own[0], own[1], own[2]],
                [before[0], own[2], own[1]],
                [after[0], own[2], own[1]],
            ]
        })
        .collect())
}

impl Bound {
    /// The bound that these words give, with the best chains through `tokens`.
    ///
    /// # Errors
    /// [`Weak`].
    pub fn of(
        method: Method,
        words: Vec<Vec<u64>>,
        tokens: &Tokens,
        accuracy: &Accuracy,
    ) -> Result<Self, Weak> {
        let preferences = needed(method, &words, accuracy)?
            .into_iter()
            .map(|[query, better, worse]| {
                let chain = accuracy.chain(tokens, query, better, worse);
                chain
                    .map(|chain| Preference { query, chain })
                    .ok_or(Weak::Unproved {
                        query,
                        better,
                        worse,
                    })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let (rank, value) = conclude(method, words.len(), &preferences, accuracy)?;
        Ok(Self {
            method,
            words,
            preferences,
            rank,
            value,
        })
    }

    /// Unordered inputs that are used: three per step of a chain, each once.
    #[must_use]
    pub fn inputs(&self, accuracy: &Accuracy) -> usize {
        let mut found: Vec<(u64, Vec<u64>)> = Vec::new();
        for Preference { query, chain } in &self.preferences {
            for step in chain.tokens.windows(2) {
                let (y, z) = (step[0], step[1]);
                let others = accuracy.length.saturating_sub(1);
                let mut mixed = vec![z; others];
                if let Some(first) = mixed.first_mut() {
                    *first = y;
                }
                mixed.sort_unstable();
                found.extend([
                    (*query, vec![y; others]),
                    (*query, vec![z; others]),
                    (*query, mixed),
                ]);
            }
        }
        found.sort();
        found.dedup();
        found.len()
    }
}

/// The rank that proved preferences give, and the number it is rounded from.
///
/// # Source
/// Derived; `docs/rank.md`, sections 3 and 4.
/// # Errors
/// [`Weak::NotDominant`], or a shape from which nothing follows.
pub fn conclude(
    method: Method,
    words: usize,
    preferences: &[Preference],
    accuracy: &Accuracy,
) -> Result<(usize, BigRational), Weak> {
    let one = BigRational::one();
    let inverse = |preference: &Preference| &one / &preference.chain.ratio;
    let count = BigRational::from_integer(words.into());
    match method {
        Method::Dominance => {
            let rows = preferences.chunks(words.saturating_sub(1).max(1));
            for (row, entries) in rows.enumerate() {
                let sum: BigRational = entries.iter().map(inverse).sum();
                let equal = !accuracy.strict && sum == one;
                if sum > one || equal {
                    return Err(Weak::NotDominant { row, sum });
                }
            }
            Ok((words, count))
        }
        Method::Trace => {
            let squares: BigRational = preferences
                .iter()
                .map(|entry| inverse(entry) * inverse(entry))
                .sum();
            let value = &count * &count / (&count + squares);
            let rank = if accuracy.strict {
                value.floor().to_integer() + 1
            } else {
                value.ceil().to_integer()
            };
            let rank = rank
                .to_usize()
                .ok_or_else(|| Weak::Shape("a rank out of range".to_owned()))?;
            Ok((rank, value))
        }
        Method::Cycle => {
            // Each entry has to be strictly heavier, so ratios below 1 prove nothing.
            match preferences.iter().find(|entry| entry.chain.ratio < one) {
                Some(entry) => Err(Weak::Unproved {
                    query: entry.query,
                    better: entry.chain.tokens.first().copied().unwrap_or(0),
                    worse: entry.chain.tokens.last().copied().unwrap_or(0),
                }),
                None => Ok((3, BigRational::from_integer(3.into()))),
            }
        }
    }
}

/// Words of one weight with their complements as better keys.
#[must_use]
pub fn with_complements(bits: u32, words: &[u64]) -> Vec<Vec<u64>> {
    let all = if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    };
    words.iter().map(|word| vec![*word, all & !word]).collect()
}

/// The gaps `<q_i, y_j> - <q_i, y_i>`.
#[must_use]
pub fn gaps(words: &[Vec<u64>]) -> Vec<Vec<i64>> {
    let shared = |i: usize, j: usize| i64::from(overlap(words[i][0], words[j][1]));
    (0..words.len())
        .map(|i| {
            (0..words.len())
                .map(|j| shared(i, j) - shared(i, i))
                .collect()
        })
        .collect()
}

/// Lexicographic greedy: masks of `weight` ones in increasing order, each kept if it has a gap of at least `gap` to all kept ones.
///
/// # Domain
/// `weight <= bits <= 63`.
/// # Cost
/// One pass over the masks of that weight.
#[must_use]
pub fn greedy(bits: u32, weight: u32, gap: u32) -> Vec<u64> {
    let mut kept: Vec<u64> = Vec::new();
    for mask in of_weight(bits, weight) {
        if kept.iter().all(|word| weight - overlap(*word, mask) >= gap) {
            kept.push(mask);
        }
    }
    kept
}

/// All masks of one weight, increasing.
pub fn of_weight(bits: u32, weight: u32) -> impl Iterator<Item = u64> {
    let first = if weight == 0 {
        0
    } else {
        u64::MAX >> (64 - weight.min(64))
    };
    let end = 1u64 << bits.min(63);
    std::iter::successors((weight <= bits).then_some(first), move |mask| {
        // The next larger number with as many ones.
        let low = mask & mask.wrapping_neg();
        let ripple = mask.checked_add(low).filter(|_| low > 0)?;
        Some((((ripple ^ mask) >> 2) / low) | ripple)
    })
    .take_while(move |mask| *mask < end)
}

/// The least number of bits of n words with all gaps at least `gap`.
///
/// # Source
/// Derived: a coordinate contributes to at most floor(n/2) ceil(n/2) ordered pairs. Gaps are those to complements.
#[must_use]
pub fn capacity(words: u64, gap: u64) -> u64 {
    let split = (words / 2) * words.div_ceil(2);
    if split == 0 {
        0
    } else {
        (words * (words - 1) * gap).div_ceil(split)
    }
}

/// The least ratio, for a summary; zero without preferences.
#[must_use]
pub fn least_ratio(preferences: &[Preference]) -> BigRational {
    preferences
        .iter()
        .map(|entry| entry.chain.ratio.clone())
        .min()
        .unwrap_or_else(BigRational::zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complements(bits: u32, words: &[u64]) -> (Vec<Vec<u64>>, Tokens) {
        let pairs = with_complements(bits, words);
        let mut masks: Vec<u64> = pairs.iter().flatten().copied().collect();
        masks.sort_unstable();
        masks.dedup();
        (pairs, Tokens::listed(masks).unwrap())
    }

    #[test]
    fn bounds_of_the_two_small_codes() {
        let standard = Accuracy::standard();
        let (pairs, tokens) = complements(4, &[3, 12]);
        let found = Bound::of(Method::Dominance, pairs.clone(), &tokens, &standard).unwrap();
        assert_eq!((found.rank, found.inputs(&standard)), (2, 6));
        let trace = Bound::of(Method::Trace, pairs, &tokens, &standard).unwrap();
        assert_eq!((trace.rank, trace.value), (2, BigRational::one()));
        let (pairs, tokens) = complements(9, &[7, 56, 448]);
        assert_eq!(
            Bound::of(Method::Dominance, pairs.clone(), &tokens, &standard)
                .unwrap()
                .rank,
            3
        );
        assert_eq!(
            Bound::of(Method::Trace, pairs, &tokens, &standard)
                .unwrap()
                .rank,
            3
        );
    }

    #[test]
    fn a_cycle_of_five_pairs() {
        let tokens = Tokens::cube(5).unwrap();
        // 12, 34, 51, 23, 45: neighbours are disjoint.
        let words: Vec<Vec<u64>> = [0b00011u64, 0b01100, 0b10001, 0b00110, 0b11000]
            .iter()
            .map(|c| vec![*c, 31 & !c, *c])
            .collect();
        let found =
            Bound::of(Method::Cycle, words.clone(), &tokens, &Accuracy::standard()).unwrap();
        assert_eq!(found.rank, 3);
        let weak = Accuracy {
            strict: false,
            ..Accuracy::standard()
        };
        assert!(Bound::of(Method::Cycle, words.clone(), &tokens, &weak).is_err());
        assert!(
            Bound::of(
                Method::Cycle,
                words[..4].to_vec(),
                &tokens,
                &Accuracy::standard()
            )
            .is_err()
        );
    }

    #[test]
    fn greedy_codes() {
        assert_eq!(greedy(4, 2, 2), [3, 12]);
        assert_eq!(greedy(9, 3, 3), [7, 56, 448]);
        assert_eq!(of_weight(5, 2).count(), 10);
        assert_eq!(of_weight(5, 0).collect::<Vec<_>>(), [0]);
        assert_eq!(of_weight(3, 3).collect::<Vec<_>>(), [7]);
        assert_eq!(of_weight(3, 4).count(), 0);
        assert_eq!((capacity(3, 3), capacity(2, 2)), (9, 4));
    }
}
