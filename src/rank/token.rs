//! Tokens as bit masks, and the inputs of Min-IP.

use thiserror::Error;

/// Most bits of a full cube that is written out.
pub const MAX_CUBE_BITS: u32 = 12;

/// Number of ones that two masks share.
#[must_use]
pub fn overlap(x: u64, z: u64) -> u32 {
    (x & z).count_ones()
}

/// A non-empty list of different tokens, in increasing order of their masks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens(Vec<u64>);

/// Why a list is no set of tokens.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TokensError {
    /// There is none.
    #[error("no tokens")]
    Empty,
    /// Twice, or out of order.
    #[error("token {0} is twice in the list, or out of order")]
    Order(u64),
    /// A cube that would not be written out.
    #[error("{0} bits, expected at most {MAX_CUBE_BITS}")]
    Cube(u32),
}

impl Tokens {
    /// All tokens of `bits` bits.
    ///
    /// # Errors
    /// More than [`MAX_CUBE_BITS`] bits.
    pub fn cube(bits: u32) -> Result<Self, TokensError> {
        if bits > MAX_CUBE_BITS {
            return Err(TokensError::Cube(bits));
        }
        Ok(Self((0..1 << bits).collect()))
    }

    /// A list in increasing order.
    ///
    /// # Errors
    /// An empty list, a token twice or out of order.
    pub fn listed(masks: Vec<u64>) -> Result<Self, TokensError> {
        if masks.is_empty() {
            return Err(TokensError::Empty);
        }
        match masks.windows(2).find(|pair| pair[0] >= pair[1]) {
            None => Ok(Self(masks)),
            Some(pair) => Err(TokensError::Order(pair[1])),
        }
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Never: a list of tokens has at least one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The masks, increasing.
    #[must_use]
    pub fn masks(&self) -> &[u64] {
        &self.0
    }

    /// The mask at a place.
    ///
    /// # Domain
    /// Places below [`Tokens::len`].
    #[must_use]
    pub fn at(&self, place: usize) -> u64 {
        self.0[place]
    }

    /// The place of a mask.
    #[must_use]
    pub fn find(&self, mask: u64) -> Option<usize> {
        self.0.binary_search(&mask).ok()
    }

    /// The target at the token at place `query` beside the others: the least inner product with a token of the input, the query
    /// itself included.
    #[must_use]
    pub fn target(&self, query: usize, others: &[usize]) -> u32 {
        let own = self.at(query);
        others
            .iter()
            .map(|other| overlap(own, self.at(*other)))
            .fold(own.count_ones(), u32::min)
    }

    /// What may stand beside a query in an input of this length, in lexicographic order: order does not matter to a head.
    #[must_use]
    pub fn others(&self, length: usize) -> Multisets {
        Multisets {
            most: self.len(),
            next: Some(vec![0; length.saturating_sub(1)]),
        }
    }
}

/// Non-decreasing lists of places.
#[derive(Clone, Debug)]
pub struct Multisets {
    most: usize,
    next: Option<Vec<usize>>,
}

impl Iterator for Multisets {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let now = self.next.take()?;
        // The last place that can grow; everything after it restarts there.
        if let Some(place) = (0..now.len())
            .rev()
            .find(|place| now[*place] + 1 < self.most)
        {
            let mut after = now.clone();
            let value = now[place] + 1;
            after[place..].fill(value);
            self.next = Some(after);
        }
        Some(now)
    }
}

/// Number of unordered inputs around one query: multisets of `length - 1` of `tokens` tokens.
#[must_use]
pub fn unordered(tokens: usize, length: usize) -> num_bigint::BigUint {
    let chosen = length.saturating_sub(1);
    (0..chosen).fold(num_bigint::BigUint::from(1u8), |count, i| {
        count * (tokens + i) / (i + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_of_the_square() {
        let tokens = Tokens::cube(2).unwrap();
        let others: Vec<Vec<usize>> = tokens.others(3).collect();
        assert_eq!(others.len(), 10);
        assert_eq!(unordered(4, 3), 10u8.into());
        assert_eq!(others[0], [0, 0]);
        assert_eq!(others[9], [3, 3]);
        assert_eq!(tokens.target(3, &[1, 3]), 1);
        // The query itself counts: a token of few ones has a small target beside anything.
        assert_eq!(tokens.target(1, &[3, 3]), 1);
        assert_eq!(tokens.others(1).collect::<Vec<_>>(), [Vec::<usize>::new()]);
        assert_eq!(tokens.others(2).count(), 4);
    }

    #[test]
    fn lists_are_ordered() {
        assert_eq!(Tokens::listed(vec![]), Err(TokensError::Empty));
        assert_eq!(Tokens::listed(vec![3, 3]), Err(TokensError::Order(3)));
        assert_eq!(Tokens::listed(vec![3, 12]).unwrap().find(12), Some(1));
    }
}
