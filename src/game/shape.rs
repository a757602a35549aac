//! The players and sizes of a hybrid game, read off a game as data.

use crate::exact::Form;
use crate::game::{Game, PlayerId};

/// Where a hybrid game keeps its players and ranges, read off labels and domains, so that a hand-written `[game]` serves as well.
#[derive(Clone, Debug)]
pub struct Shape {
    /// L.
    pub steps: usize,
    /// D0.
    pub start: u64,
    /// `m_1..m_L`.
    pub ranges: Vec<u64>,
}

impl Shape {
    /// The shape, when the players are L, .., 1, 0, -1 with inputs `z_L`, .., `z_0`, w.
    pub fn of(game: &Game) -> Option<Self> {
        let players = game.players();
        let steps = players.len().checked_sub(2).filter(|steps| *steps >= 1)?;
        let expected = (-1..=i64::try_from(steps).ok()?)
            .rev()
            .map(|label| label.to_string());
        if !players
            .iter()
            .map(|player| player.label.0.clone())
            .eq(expected)
        {
            return None;
        }
        let ranges = (1..=steps)
            .map(|l| match players[steps - l].domain.fields() {
                [only] => match only.form {
                    Form::Table { values, .. } => Some(values),
                    Form::Number(_)
                    | Form::Permutation(_)
                    | Form::Subset(_)
                    | Form::SubsetOf { .. } => None,
                },
                _ => None,
            })
            .collect::<Option<Vec<u64>>>()?;
        let start = match players[steps].domain.fields() {
            [only] => match only.form {
                Form::Number(start) => start,
                Form::Table { .. }
                | Form::Permutation(_)
                | Form::Subset(_)
                | Form::SubsetOf { .. } => return None,
            },
            _ => return None,
        };
        let holds_queries = players[steps + 1].domain.width() == steps - 1;
        holds_queries.then_some(Self {
            steps,
            start,
            ranges,
        })
    }

    /// The player with this label.
    pub fn player(&self, label: usize) -> PlayerId {
        PlayerId(self.steps - label)
    }

    /// Player -1.
    pub fn output(&self) -> PlayerId {
        PlayerId(self.steps + 1)
    }

    /// `n_1..n_(L-1)`, when every table has the entries that composition addresses: D0 for `z_1`, `n_l m_l` for `z_(l+1)`.
    pub fn queries(&self, game: &Game) -> Option<Vec<u64>> {
        let queries = game.player(self.output()).domain.fields().iter();
        let queries = queries
            .map(|field| match field.form {
                Form::Number(size) => Some(size),
                Form::Table { .. }
                | Form::Permutation(_)
                | Form::Subset(_)
                | Form::SubsetOf { .. } => None,
            })
            .collect::<Option<Vec<u64>>>()?;
        let entries = |l: usize| match l {
            1 => Some(self.start),
            _ => queries[l - 2].checked_mul(self.ranges[l - 2]),
        };
        let fits = (1..=self.steps).all(|l| {
            let width = game.player(self.player(l)).domain.width();
            entries(l) == u64::try_from(width).ok()
        });
        fits.then_some(queries)
    }
}
