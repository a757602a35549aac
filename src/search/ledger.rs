//! Looks for integers at which the edge-by-edge ledger of a hybrid game closes.

use crate::bounds::derive::Answer;
use crate::bounds::derive::edges::{Edges, Ledger, Point, check};

/// Most points that are looked at.
pub const MAX_POINTS: u64 = 20_000;
/// Every number up to this is tried; beyond it only some are.
const DENSE: u64 = 4;

/// What was found, and at what cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The first point whose ledger closes.
    pub point: Option<(Point, Ledger)>,
    /// Points looked at.
    pub tried: u64,
}

/// 1, 2, 3, 4, 6, 9, 13, .. and `most` itself.
fn sizes(most: u64) -> Vec<u64> {
    let mut list: Vec<u64> = Vec::new();
    let mut next = 1;
    while next < most {
        list.push(next);
        next += (next / 2)
            .max(1)
            .min(if next < DENSE { 1 } else { u64::MAX });
    }
    list.push(most);
    list
}

/// Tries combinations of used queries and list sizes, in lexicographic order, up to [`MAX_POINTS`].
///
/// # Domain
/// Nothing is found for a layout that is possible.
/// # Cost
/// One ledger per point.
pub fn find(game: &Edges) -> Found {
    let steps = game.steps();
    let mut found = Found::default();
    if steps < 2 || game.layout().is_ok_and(|layout| layout.start().is_none()) {
        return found;
    }
    let mut choices: Vec<Vec<u64>> = game.queries.iter().map(|n| sizes(*n)).collect();
    choices.push(sizes(game.start));
    // with x_l = 2 m_l draws nearly everything that can be covered is covered
    choices.extend(
        game.ranges[..steps - 1]
            .iter()
            .map(|m| sizes(m.saturating_mul(2).min(1 << 12))),
    );
    let mut place = vec![0; choices.len()];
    loop {
        let values: Vec<u64> = place
            .iter()
            .zip(&choices)
            .map(|(i, list)| list[*i])
            .collect();
        let (used, lists) = values.split_at(steps - 1);
        let point = Point {
            used: used.to_vec(),
            lists: lists.to_vec(),
        };
        found.tried += 1;
        if let Ok(ledger) = check(game, &point)
            && ledger.answer == Answer::Proved
        {
            found.point = Some((point, ledger));
            return found;
        }
        let Some(digit) = (0..place.len())
            .rev()
            .find(|i| place[*i] + 1 < choices[*i].len())
        else {
            return found;
        };
        if found.tried >= MAX_POINTS {
            return found;
        }
        place[digit] += 1;
        place[digit + 1..].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_dense_first_and_end_with_the_most() {
        assert_eq!(sizes(1), [1]);
        assert_eq!(sizes(5), [1, 2, 3, 4, 5]);
        assert_eq!(sizes(30), [1, 2, 3, 4, 6, 9, 13, 19, 28, 30]);
    }
}
