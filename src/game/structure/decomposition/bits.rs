//! Subsets of `0..size`, one bit per element in machine words.

/// A subset of `0..size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    size: u64,
    words: Vec<u64>,
}

impl Bits {
    /// The empty subset.
    pub fn none(size: u64) -> Self {
        let words = usize::try_from(size.div_ceil(64)).unwrap_or(usize::MAX);
        Self {
            size,
            words: vec![0; words],
        }
    }

    /// Everything.
    pub fn all(size: u64) -> Self {
        let mut bits = Self::none(size);
        bits.words.fill(u64::MAX);
        bits.trim();
        bits
    }

    /// The subset with these words, bits beyond the size cleared.
    pub fn from_words(size: u64, words: Vec<u64>) -> Self {
        let mut bits = Self { size, words };
        bits.words
            .resize(usize::try_from(size.div_ceil(64)).unwrap_or(usize::MAX), 0);
        bits.trim();
        bits
    }

    fn trim(&mut self) {
        let rest = self.size % 64;
        if let (true, Some(last)) = (rest > 0, self.words.last_mut()) {
            *last &= (1 << rest) - 1;
        }
    }

    /// Size of the universe.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The words, element 0 in the lowest bit of the first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The words, to be changed; bits beyond the size stay clear.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// Adds an element of the universe.
    pub fn insert(&mut self, element: u64) {
        if let Some(word) = self.words.get_mut(place(element)) {
            *word |= 1 << (element % 64);
        }
    }

    /// Whether an element is in.
    pub fn contains(&self, element: u64) -> bool {
        self.words
            .get(place(element))
            .is_some_and(|word| word >> (element % 64) & 1 == 1)
    }

    /// Number of elements.
    pub fn count(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// True without elements.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The elements, increasing.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        (0u64..).zip(&self.words).flat_map(|(place, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| u64::from(rest.trailing_zeros()))?;
                rest &= rest - 1;
                Some(place * 64 + bit)
            })
        })
    }

    /// The common elements.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a & b);
        Self {
            size: self.size,
            words: words.collect(),
        }
    }

    /// Adds the elements of another subset.
    pub fn join(&mut self, other: &Self) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a |= b;
        }
    }
}

fn place(element: u64) -> usize {
    usize::try_from(element / 64).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn like_a_set_of_numbers(a in prop::collection::btree_set(0u64..200, 0..40), b in prop::collection::btree_set(0u64..200, 0..40)) {
            let bits = |set: &BTreeSet<u64>| {
                let mut bits = Bits::none(200);
                set.iter().for_each(|element| bits.insert(*element));
                bits
            };
            let (x, y) = (bits(&a), bits(&b));
            prop_assert_eq!(x.iter().collect::<BTreeSet<_>>(), a.clone());
            prop_assert_eq!(x.count(), a.len() as u64);
            prop_assert_eq!(x.is_empty(), a.is_empty());
            prop_assert_eq!(x.and(&y), bits(&a.intersection(&b).copied().collect()));
            let mut union = x.clone();
            union.join(&y);
            prop_assert_eq!(union, bits(&a.union(&b).copied().collect()));
            prop_assert!((0..200).all(|element| x.contains(element) == a.contains(&element)));
        }
    }

    #[test]
    fn everything_ends_where_the_universe_ends() {
        assert_eq!(Bits::all(70).count(), 70);
        assert_eq!(Bits::all(64).count(), 64);
        assert_eq!(Bits::from_words(3, vec![u64::MAX]).count(), 3);
    }
}
