//! All summary maps of a small block-sparse game, one after the other: the proof by exhaustion that the count is tight.
//!
//! A map is a partition of the block space, written as a restricted growth string, so no two of them differ by a renaming only.
//! Each is judged by the definition, not by the lemma that it confirms: for every combination of summaries and every query there
//! must be a choice of blocks to read after which the answer is known.
//!
//! How far it goes: every single map of a space of 14 blocks (M = 4, B = 3 as sets, 190,899,322 maps) takes about 9 seconds of one
//! processor; 15 blocks (1,382,958,545 maps) are the most within a minute or so on two. With the failing beginnings left out, spaces
//! whose blocks have pairwise different values end at once (63 blocks, M = B = 6); tuples end while the solving maps can be counted
//! one by one (16 blocks, M = 4, B = 2, in milliseconds).

use num_bigint::BigUint;
use num_traits::One;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// B values in order, repeats allowed.
    Tuples,
    /// B values without order, repeats allowed.
    Multisets,
    /// Non-empty sets of at most B values.
    Sets,
}

/// A block-sparse game: q blocks of B values from M, of which k are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparseMaps {
    /// M, at most 64.
    pub values: u32,
    /// B.
    pub block: u32,
    /// q, at least 1 and at most 16.
    pub blocks: u32,
    /// k.
    pub read: u32,
    /// What a block is.
    pub space: Space,
}

/// What the search over all maps has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// Blocks there are.
    pub space: usize,
    /// All maps: the Bell number of the space (to the power q if every position has its own).
    pub maps: BigUint,
    /// Maps, or beginnings of maps, that were looked at.
    pub visited: u64,
    /// Solving maps by number of summaries (of the largest alphabet if every position has its own).
    pub solving: BTreeMap<usize, BigUint>,
}

impl Exhausted {
    /// The least number of summaries that solves.
    #[must_use]
    pub fn minimum(&self) -> Option<usize> {
        self.solving.keys().next().copied()
    }
}

/// Why a search was not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A parameter is outside its domain.
    #[error("{field}: {reason}")]
    Field {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Too many maps.
    #[error("{size} summary maps, at most {limit} are allowed")]
    TooMany {
        /// How many.
        size: BigUint,
        /// The limit.
        limit: BigUint,
    },
}

/// Number of partitions of a set of `n` elements.
///
/// # Source
/// Derived, by the triangle of Aitken: each row begins with the last number of the row before.
/// # Cost
/// `n^2` additions.
#[must_use]
pub fn bell(n: usize) -> BigUint {
    let mut row = vec![BigUint::one()];
    for _ in 0..n {
        let mut next = vec![row.last().cloned().unwrap_or_default()];
        for above in &row {
            let sum = next.last().cloned().unwrap_or_default() + above;
            next.push(sum);
        }
        row = next;
    }
    row.first().cloned().unwrap_or_default()
}

/// Which values some block of a class has, and which some block lacks, as bit sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    has: u64,
    lacks: u64,
}

impl Class {
    fn with(self, set: u64, all: u64) -> Self {
        Self {
            has: self.has | set,
            lacks: self.lacks | (all & !set),
        }
    }
}

impl SparseMaps {
    fn validate(&self) -> Result<(), Refused> {
        let check = |field, value: u32, least: u32, most: u32| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                Err(Refused::Field {
                    field,
                    reason: format!("{value} is outside {least}..{most}"),
                })
            }
        };
        check("domain", self.values, 1, 64)?;
        check("block", self.block, 1, 64)?;
        check("blocks", self.blocks, 1, 16)
    }

    fn all(&self) -> u64 {
        u64::MAX >> (64 - self.values)
    }

    /// The value set of every block of the space; more than `most` of them are refused.
    fn sets(&self, most: usize) -> Result<Vec<u64>, Refused> {
        let mut sets = Vec::new();
        let mut word = vec![0_u32; self.block as usize];
        let refused = |size: usize| Refused::TooMany {
            size: bell(size),
            limit: bell(most),
        };
        match self.space {
            Space::Sets => {
                if self.values > 16 {
                    return Err(Refused::Field {
                        field: "domain",
                        reason: format!("{} is above 16", self.values),
                    });
                }
                sets.extend((1..=self.all()).filter(|set| set.count_ones() <= self.block));
            }
            Space::Tuples | Space::Multisets => loop {
                if self.space == Space::Tuples || word.windows(2).all(|two| two[0] <= two[1]) {
                    sets.push(word.iter().fold(0, |set, value| set | 1 << value));
                }
                if sets.len() > most {
                    return Err(refused(sets.len()));
                }
                let Some(place) = word.iter().rposition(|value| value + 1 < self.values) else {
                    break;
                };
                word[place] += 1;
                let low = if self.space == Space::Multisets {
                    word[place]
                } else {
                    0
                };
                word[place + 1..].fill(low);
            },
        }
        if sets.len() > most {
            return Err(refused(sets.len()));
        }
        Ok(sets)
    }

    /// The choices of k of the q blocks, as bit sets.
    fn choices(&self) -> Vec<u32> {
        (0..1_u32 << self.blocks)
            .filter(|choice| choice.count_ones() == self.read.min(self.blocks))
            .collect()
    }

    /// Every map of a shared summary: how many solve, by number of summaries.
    ///
    /// With `prune` the beginnings of maps that no completion can save are left out: a class that grows only gains possibilities, so
    /// a combination of summaries that leaves the answer open stays one. The result is the same.
    ///
    /// # Errors
    /// [`Refused`]: a field outside its domain, or more than `limit` maps without `prune`.
    /// # Cost
    /// One verdict per map; with `prune` one per beginning that could still be completed.
    pub fn shared(&self, prune: bool, limit: &BigUint) -> Result<Exhausted, Refused> {
        self.validate()?;
        let sets = self.sets(if prune { 64 } else { 24 })?;
        let maps = bell(sets.len());
        if !prune && maps > *limit {
            return Err(Refused::TooMany {
                size: maps,
                limit: limit.clone(),
            });
        }
        let choices = self.choices();
        let walk = Walk {
            game: self,
            sets: &sets,
            choices: &choices,
            prune,
        };
        // Beginnings of the partitions, to be completed independently.
        let mut beginnings: Vec<Vec<Class>> = vec![Vec::new()];
        let split = sets.len().min(5);
        let mut visited = 0;
        for set in &sets[..split] {
            beginnings = beginnings
                .iter()
                .flat_map(|classes| walk.extended(classes, *set))
                .collect();
            if prune {
                visited += beginnings.len() as u64;
                beginnings
                    .retain(|classes| walk.solves(&vec![classes.as_slice(); self.blocks as usize]));
            }
        }
        let parts: Vec<(u64, BTreeMap<usize, u64>)> = beginnings
            .into_par_iter()
            .map(|mut classes| {
                let mut tally = (0, BTreeMap::new());
                walk.complete(split, &mut classes, &mut tally);
                tally
            })
            .collect();
        let mut solving = BTreeMap::new();
        for (looked, tally) in parts {
            visited += looked;
            for (classes, count) in tally {
                *solving.entry(classes).or_default() += count;
            }
        }
        Ok(Exhausted {
            space: sets.len(),
            maps,
            visited,
            solving,
        })
    }

    /// Every tuple of maps, one per position: how many solve, by the size of the largest alphabet. Maps whose classes allow the same
    /// are judged together.
    ///
    /// # Errors
    /// [`Refused`]: a field outside its domain, or more than `limit` maps per position.
    /// # Cost
    /// One verdict per tuple of different kinds of maps.
    pub fn per_position(&self, limit: &BigUint) -> Result<Exhausted, Refused> {
        self.validate()?;
        let sets = self.sets(24)?;
        let one = bell(sets.len());
        if one > *limit {
            return Err(Refused::TooMany {
                size: one,
                limit: limit.clone(),
            });
        }
        let choices = self.choices();
        let walk = Walk {
            game: self,
            sets: &sets,
            choices: &choices,
            prune: false,
        };
        // Kind of map: its classes as a set; with the number of maps by number of summaries.
        let mut kinds: BTreeMap<Vec<Class>, BTreeMap<usize, u64>> = BTreeMap::new();
        walk.each(0, &mut Vec::new(), &mut |classes| {
            let mut kind = classes.to_vec();
            kind.sort_unstable();
            kind.dedup();
            *kinds
                .entry(kind)
                .or_default()
                .entry(classes.len())
                .or_default() += 1;
        });
        let kinds: Vec<(Vec<Class>, BTreeMap<usize, u64>)> = kinds.into_iter().collect();
        let positions = self.blocks as usize;
        let tuples = BigUint::from(kinds.len()).pow(self.blocks);
        if tuples > *limit {
            return Err(Refused::TooMany {
                size: tuples,
                limit: limit.clone(),
            });
        }
        let parts: Vec<(u64, BTreeMap<usize, BigUint>)> = (0..kinds.len())
            .into_par_iter()
            .map(|first| {
                let mut tally = (0, BTreeMap::new());
                let mut chosen = vec![0; positions];
                chosen[0] = first;
                loop {
                    let maps: Vec<&[Class]> = chosen
                        .iter()
                        .map(|kind| kinds[*kind].0.as_slice())
                        .collect();
                    tally.0 += 1;
                    if walk.solves(&maps) {
                        let numbers: Vec<&BTreeMap<usize, u64>> =
                            chosen.iter().map(|kind| &kinds[*kind].1).collect();
                        add_products(&numbers, &mut tally.1);
                    }
                    let Some(place) = chosen[1..].iter().rposition(|kind| kind + 1 < kinds.len())
                    else {
                        break;
                    };
                    chosen[place + 1] += 1;
                    chosen[place + 2..].fill(0);
                }
                tally
            })
            .collect();
        let mut solving = BTreeMap::new();
        let mut visited = 0;
        for (looked, tally) in parts {
            visited += looked;
            for (largest, count) in tally {
                *solving.entry(largest).or_default() += count;
            }
        }
        Ok(Exhausted {
            space: sets.len(),
            maps: one.pow(self.blocks),
            visited,
            solving,
        })
    }
}

/// For independent maps with these numbers of summaries: how many tuples have which largest number.
fn add_products(numbers: &[&BTreeMap<usize, u64>], tally: &mut BTreeMap<usize, BigUint>) {
    let mut joint: BTreeMap<usize, BigUint> = [(0, BigUint::one())].into();
    for map in numbers {
        let mut next = BTreeMap::new();
        for (largest, count) in &joint {
            for (classes, maps) in *map {
                *next.entry(*largest.max(classes)).or_default() += count * maps;
            }
        }
        joint = next;
    }
    for (largest, count) in joint {
        *tally.entry(largest).or_default() += count;
    }
}

struct Walk<'a> {
    game: &'a SparseMaps,
    sets: &'a [u64],
    choices: &'a [u32],
    prune: bool,
}

impl Walk<'_> {
    /// The beginnings that are one block longer.
    fn extended(&self, classes: &[Class], set: u64) -> Vec<Vec<Class>> {
        (0..=classes.len())
            .map(|class| {
                let mut longer = classes.to_vec();
                if class == longer.len() {
                    longer.push(Class::default());
                }
                longer[class] = longer[class].with(set, self.game.all());
                longer
            })
            .collect()
    }

    fn complete(
        &self,
        from: usize,
        classes: &mut Vec<Class>,
        tally: &mut (u64, BTreeMap<usize, u64>),
    ) {
        let positions = self.game.blocks as usize;
        if from == self.sets.len() {
            tally.0 += u64::from(!self.prune);
            if self.prune || self.solves(&vec![classes.as_slice(); positions]) {
                *tally.1.entry(classes.len()).or_default() += 1;
            }
            return;
        }
        let all = self.game.all();
        for class in 0..=classes.len() {
            let before = classes.get(class).copied();
            if before.is_none() {
                classes.push(Class::default());
            }
            classes[class] = classes[class].with(self.sets[from], all);
            if self.prune {
                tally.0 += 1;
            }
            if !self.prune || self.solves(&vec![classes.as_slice(); positions]) {
                self.complete(from + 1, classes, tally);
            }
            match before {
                Some(class_before) => classes[class] = class_before,
                None => {
                    classes.pop();
                }
            }
        }
    }

    fn each(&self, from: usize, classes: &mut Vec<Class>, visit: &mut impl FnMut(&[Class])) {
        if from == self.sets.len() {
            visit(classes);
            return;
        }
        for class in 0..=classes.len() {
            let before = classes.get(class).copied();
            if before.is_none() {
                classes.push(Class::default());
            }
            classes[class] = classes[class].with(self.sets[from], self.game.all());
            self.each(from + 1, classes, visit);
            match before {
                Some(class_before) => classes[class] = class_before,
                None => {
                    classes.pop();
                }
            }
        }
    }

    /// Whether every combination of summaries and every query has a choice of blocks after which the answer is known.
    fn solves(&self, maps: &[&[Class]]) -> bool {
        let shared = maps.windows(2).all(|two| std::ptr::eq(two[0], two[1]));
        let mut chosen = vec![0_usize; maps.len()];
        loop {
            if self.open(maps, &chosen) != 0 {
                return false;
            }
            let Some(place) =
                (0..maps.len()).rposition(|place| chosen[place] + 1 < maps[place].len())
            else {
                return true;
            };
            chosen[place] += 1;
            // With one map the order of the positions does not matter: the choices of blocks are all tried.
            let low = if shared { chosen[place] } else { 0 };
            chosen[place + 1..].fill(low);
        }
    }

    /// The queries for which no choice of blocks decides.
    fn open(&self, maps: &[&[Class]], chosen: &[usize]) -> u64 {
        self.choices.iter().fold(self.game.all(), |open, choice| {
            // Undecided: all blocks read may lack the value, and the others may all lack it, or not all.
            let (mut lacking, mut having) = (open, 0);
            for (place, class) in chosen.iter().enumerate() {
                let class = maps[place][*class];
                lacking &= class.lacks;
                if choice >> place & 1 == 0 {
                    having |= class.has;
                }
            }
            lacking & having
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(values: u32, block: u32, blocks: u32, read: u32, space: Space) -> SparseMaps {
        SparseMaps {
            values,
            block,
            blocks,
            read,
            space,
        }
    }

    fn limit() -> BigUint {
        BigUint::from(1_u32 << 22)
    }

    #[test]
    fn ten_summaries_of_sets_from_four() {
        let found = game(4, 2, 2, 1, Space::Sets)
            .shared(false, &limit())
            .unwrap();
        assert_eq!(found.maps, 115_975_u32.into());
        assert_eq!(found.visited, 115_975);
        assert_eq!(found.solving, [(10, BigUint::one())].into());
    }

    #[test]
    fn tuples_from_three() {
        let game = game(3, 2, 2, 1, Space::Tuples);
        let found = game.shared(false, &limit()).unwrap();
        assert_eq!(found.maps, 21_147_u32.into());
        let expected: BTreeMap<usize, BigUint> = [(6, 1_u32), (7, 3), (8, 3), (9, 1)]
            .map(|(classes, maps)| (classes, maps.into()))
            .into();
        assert_eq!(found.solving, expected);
        let pruned = game.shared(true, &limit()).unwrap();
        assert_eq!((pruned.maps, pruned.solving), (found.maps, found.solving));
        assert!(pruned.visited < 21_147);
    }

    #[test]
    fn a_map_per_position() {
        let found = game(3, 2, 2, 1, Space::Sets)
            .per_position(&limit())
            .unwrap();
        assert_eq!(found.minimum(), Some(4));
        assert_eq!(found.maps, (203_u32 * 203).into());
    }
}
