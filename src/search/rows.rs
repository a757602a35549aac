//! Counting the states of a one-way reader by brute force: distinct rows, and for promises a colouring and a clique of conflicts.
//!
//! The functions here know nothing of the closed forms; they are the cross-check of those.

use super::clique::Graph;
use crate::game::task::hop::Hop;
use num_bigint::BigUint;
use num_traits::{Pow, ToPrimitive};
use std::convert::Infallible;

/// A task for a reader that has seen a prefix and answers after a suffix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reader {
    /// `t` of `n` table entries, then the rest and a query x: f(x).
    Eva {
        /// Points.
        n: u64,
        /// Entries read.
        cut: u64,
    },
    /// `t` entries of a permutation, then its other entries and a second permutation: the composition, or its last entry.
    PerCom {
        /// Points.
        n: u64,
        /// Entries read.
        cut: u64,
        /// Ask for the last entry only.
        last: bool,
    },
    /// `t` of `n` residues, then the rest: the bits of all later positions.
    TwoSum {
        /// Tokens.
        n: u64,
        /// Residues.
        modulus: u64,
        /// Tokens read.
        cut: u64,
        /// Whether a token may be its own partner.
        reflexive: bool,
        /// Whether the bits of the positions read are asked for too.
        earlier: bool,
    },
    /// `t` tokens, then a value: has it occurred?
    Membership {
        /// Tokens.
        tokens: u64,
        /// Values.
        values: u64,
    },
    /// `n` symbols, then a place: the symbol there.
    Copy {
        /// Symbols.
        n: u64,
        /// Alphabet.
        alphabet: u64,
    },
    /// `k` values without repetition, then a key: its value.
    Recall {
        /// Pairs.
        pairs: u64,
        /// Values.
        values: u64,
    },
    /// Up to `depth + 1` brackets, then up to `depth` more: are they balanced and nested at most `depth` deep?
    Brackets {
        /// Kinds.
        kinds: u64,
        /// Depth.
        depth: u64,
    },
    /// A prefix and a suffix of tokens: the k-hop value at the last position.
    Hops {
        /// Hops.
        k: u64,
        /// Alphabet.
        symbols: u64,
        /// Length of the prefix.
        prefix: u64,
        /// Length of the suffix.
        suffix: u64,
    },
}

/// What brute force has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Prefixes that can occur.
    pub prefixes: usize,
    /// Prefixes with different rows.
    pub rows: usize,
    /// Pairwise conflicting prefixes: a lower bound.
    pub lower: usize,
    /// Classes without a conflict inside: an upper bound.
    pub upper: usize,
}

/// More pairs of prefix and suffix than allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{size} pairs of prefix and suffix, at most {limit} are allowed")]
pub struct TooMany {
    /// How many.
    pub size: BigUint,
    /// The limit.
    pub limit: BigUint,
}

/// A list of digits, each below a base.
#[derive(Clone, Copy, Debug)]
struct Words {
    base: u64,
    length: u64,
}

impl Words {
    fn count(self) -> BigUint {
        Pow::pow(BigUint::from(self.base), self.length)
    }

    fn each(self, mut visit: impl FnMut(&[u64])) {
        let mut word = vec![0; usize::try_from(self.length).unwrap_or(0)];
        if self.base == 0 && self.length > 0 {
            return;
        }
        loop {
            visit(&word);
            let Some(place) = word.iter().rposition(|digit| digit + 1 < self.base) else {
                return;
            };
            word[place] += 1;
            word[place + 1..].fill(0);
        }
    }
}

fn distinct(word: &[u64]) -> bool {
    word.iter()
        .enumerate()
        .all(|(place, digit)| !word[..place].contains(digit))
}

fn code(digits: impl Iterator<Item = u64>, base: u64) -> u64 {
    digits.fold(0, |code, digit| code.wrapping_mul(base).wrapping_add(digit))
}

fn at(word: &[u64], place: u64) -> u64 {
    usize::try_from(place)
        .ok()
        .and_then(|place| word.get(place).copied())
        .unwrap_or_default()
}

impl Reader {
    /// The digits of a prefix, and of a suffix: lists of words, read one after the other.
    fn shape(&self) -> (Words, Vec<Words>) {
        let words = |base: u64, length: u64| Words { base, length };
        match *self {
            Self::Eva { n, cut } => (words(n, cut), vec![words(n, n - cut), words(n, 1)]),
            Self::PerCom { n, cut, .. } => (words(n, cut), vec![words(n, n - cut), words(n, n)]),
            Self::TwoSum {
                n, modulus, cut, ..
            } => (words(modulus, cut), vec![words(modulus, n - cut)]),
            Self::Membership { tokens, values } => (words(values, tokens), vec![words(values, 1)]),
            Self::Copy { n, alphabet } => (words(alphabet, n), vec![words(n, 1)]),
            Self::Recall { pairs, values } => (words(values, pairs), vec![words(pairs, 1)]),
            Self::Brackets { kinds, depth } => (
                words(2 * kinds + 1, depth + 1),
                vec![words(2 * kinds + 1, depth)],
            ),
            Self::Hops {
                symbols,
                prefix,
                suffix,
                ..
            } => (words(symbols, prefix), vec![words(symbols, suffix)]),
        }
    }

    /// Whether a prefix can occur.
    fn legal(&self, prefix: &[u64]) -> bool {
        match self {
            Self::PerCom { .. } | Self::Recall { .. } => distinct(prefix),
            Self::Eva { .. }
            | Self::TwoSum { .. }
            | Self::Membership { .. }
            | Self::Copy { .. }
            | Self::Brackets { .. }
            | Self::Hops { .. } => true,
        }
    }

    /// The answer as a number; `None` where nothing is promised. The suffix is one list of digits.
    fn answer(&self, prefix: &[u64], suffix: &[u64]) -> Option<u64> {
        match *self {
            Self::Eva { n, cut } => {
                let x = *suffix.last()?;
                Some(if x < cut {
                    at(prefix, x)
                } else {
                    at(suffix, x - cut)
                })
                .filter(|_| n > 0)
            }
            Self::PerCom { n, cut, last } => {
                let (rest, second) =
                    suffix.split_at(suffix.len().checked_sub(usize::try_from(n).ok()?)?);
                let first: Vec<u64> = prefix.iter().chain(rest).copied().collect();
                let _ = cut;
                if !distinct(&first) || !distinct(second) {
                    return None;
                }
                let mut outputs = second.iter().map(|place| at(&first, *place));
                if last {
                    outputs.next_back()
                } else {
                    Some(code(outputs, n))
                }
            }
            Self::TwoSum {
                modulus,
                reflexive,
                earlier,
                ..
            } => {
                let tokens: Vec<u64> = prefix.iter().chain(suffix).copied().collect();
                let asked = if earlier { 0 } else { prefix.len() };
                let hit = |i: usize| {
                    let partners = if reflexive {
                        &tokens[..=i]
                    } else {
                        &tokens[..i]
                    };
                    u64::from(
                        partners
                            .iter()
                            .any(|other| (other + tokens[i]).is_multiple_of(modulus)),
                    )
                };
                Some(code((asked..tokens.len()).map(hit), 2))
            }
            Self::Membership { .. } => Some(u64::from(prefix.contains(suffix.first()?))),
            Self::Copy { .. } | Self::Recall { .. } => Some(at(prefix, *suffix.first()?)),
            Self::Brackets { kinds, depth } => Some(u64::from(balanced(
                prefix.iter().chain(suffix).copied(),
                kinds,
                depth,
            ))),
            Self::Hops { k, symbols, .. } => {
                let tokens: Vec<u64> = prefix.iter().chain(suffix).copied().collect();
                Some(Hop { k, symbols }.value(&tokens))
            }
        }
    }

    /// Pairs of prefix and suffix that are looked at.
    #[must_use]
    pub fn size(&self) -> BigUint {
        let (prefix, suffix) = self.shape();
        suffix
            .iter()
            .fold(prefix.count(), |size, words| size * words.count())
    }

    /// Counts states by brute force.
    ///
    /// # Errors
    /// [`TooMany`] over the limit.
    /// # Cost
    /// One answer per pair; for promises also the square of the number of different rows, times the suffixes.
    pub fn count(&self, limit: &BigUint) -> Result<Found, TooMany> {
        let size = self.size();
        if size > *limit {
            return Err(TooMany {
                size,
                limit: limit.clone(),
            });
        }
        let (prefix, parts) = self.shape();
        let mut suffixes: Vec<Vec<u64>> = vec![Vec::new()];
        for words in parts {
            let mut longer = Vec::new();
            for suffix in &suffixes {
                words.each(|word| longer.push([suffix.as_slice(), word].concat()));
            }
            suffixes = longer;
        }
        let mut rows: Vec<Vec<Option<u64>>> = Vec::new();
        prefix.each(|word| {
            if self.legal(word) {
                rows.push(
                    suffixes
                        .iter()
                        .map(|suffix| self.answer(word, suffix))
                        .collect(),
                );
            }
        });
        let prefixes = rows.len();
        rows.sort();
        rows.dedup();
        let (lower, upper) = if rows.iter().flatten().all(Option::is_some) {
            (rows.len(), rows.len())
        } else {
            bounds(&rows)
        };
        Ok(Found {
            prefixes,
            rows: rows.len(),
            lower,
            upper,
        })
    }
}

/// Whether brackets close in order, never more than `depth` open; symbol 0 is a blank, `2i + 1` opens kind i, `2i + 2` closes it.
fn balanced(symbols: impl Iterator<Item = u64>, kinds: u64, depth: u64) -> bool {
    let mut open: Vec<u64> = Vec::new();
    for symbol in symbols {
        if symbol == 0 || symbol > 2 * kinds {
            continue;
        }
        let kind = (symbol - 1) / 2;
        if symbol % 2 == 1 {
            open.push(kind);
            if open.len().to_u64() > Some(depth) {
                return false;
            }
        } else if open.pop() != Some(kind) {
            return false;
        }
    }
    open.is_empty()
}

/// A greedy clique of conflicts and a greedy colouring; both are bounds.
fn bounds(rows: &[Vec<Option<u64>>]) -> (usize, usize) {
    let conflict = |a: usize, b: usize| {
        rows[a]
            .iter()
            .zip(&rows[b])
            .any(|pair| matches!(pair, (Some(x), Some(y)) if x != y))
    };
    let lower = Graph::new(rows.len(), |a, b| Ok::<_, Infallible>(conflict(a, b)))
        .map_or(0, |graph| graph.greedy_clique().len());
    // Merged rows: a row joins the first class all of whose promised answers it shares.
    let mut classes: Vec<Vec<Option<u64>>> = Vec::new();
    for row in rows {
        let fits = |class: &Vec<Option<u64>>| {
            class
                .iter()
                .zip(row)
                .all(|pair| !matches!(pair, (Some(x), Some(y)) if x != y))
        };
        match classes.iter_mut().find(|class| fits(class)) {
            Some(class) => class
                .iter_mut()
                .zip(row)
                .for_each(|(known, answer)| *known = known.or(*answer)),
            None => classes.push(row.clone()),
        }
    }
    (lower, classes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(reader: &Reader) -> (usize, usize) {
        let found = reader.count(&BigUint::from(1_u32 << 22)).unwrap();
        (found.lower, found.upper)
    }

    #[test]
    fn promises_are_respected() {
        // Twelve and twenty-four prefixes, two and six states.
        let inside = |cut| Reader::PerCom {
            n: 4,
            cut,
            last: false,
        };
        assert_eq!(
            (0..=4).map(|cut| states(&inside(cut))).collect::<Vec<_>>(),
            [(1, 1), (1, 1), (2, 2), (6, 6), (24, 24)]
        );
        assert_eq!(
            inside(3)
                .count(&BigUint::from(1_u32 << 22))
                .unwrap()
                .prefixes,
            24
        );
        assert_eq!(
            states(&Reader::PerCom {
                n: 4,
                cut: 4,
                last: true
            }),
            (24, 24)
        );
    }

    #[test]
    fn sums_strict_reflexive_and_with_earlier_answers() {
        let sum = |cut, reflexive, earlier| Reader::TwoSum {
            n: 4,
            modulus: 4,
            cut,
            reflexive,
            earlier,
        };
        assert_eq!(states(&sum(3, false, false)), (14, 14));
        assert_eq!(states(&sum(3, false, true)), (26, 26));
        assert_eq!(states(&sum(3, true, false)), (4, 4));
        let three = Reader::TwoSum {
            n: 4,
            modulus: 3,
            cut: 3,
            reflexive: false,
            earlier: true,
        };
        assert_eq!(states(&three), (13, 13));
    }

    #[test]
    fn others() {
        assert_eq!(states(&Reader::Eva { n: 3, cut: 2 }), (9, 9));
        assert_eq!(
            states(&Reader::Recall {
                pairs: 2,
                values: 6
            }),
            (30, 30)
        );
        assert_eq!(
            states(&Reader::Membership {
                tokens: 2,
                values: 3
            }),
            (6, 6)
        );
        assert_eq!(states(&Reader::Copy { n: 3, alphabet: 2 }), (8, 8));
        assert_eq!(states(&Reader::Brackets { kinds: 2, depth: 2 }), (8, 8));
        let hops = |k| {
            states(&Reader::Hops {
                k,
                symbols: 2,
                prefix: 8,
                suffix: 1,
            })
            .0
        };
        assert_eq!([hops(1), hops(2), hops(3), hops(4)], [4, 3, 4, 3]);
    }

    #[test]
    fn sizes_are_told() {
        let error = Reader::Eva { n: 9, cut: 9 }
            .count(&BigUint::from(1_u32 << 22))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "3486784401 pairs of prefix and suffix, at most 4194304 are allowed"
        );
    }
}
