//! Other ways to talk: one message, both at once to a referee, few rounds.

use super::matrix::Rectangle;
use super::{Flaw, Matrix, Party, Reason, bits};
use std::collections::BTreeMap;

/// Bits of one message after which the listener knows the answer: the speaker must tell different rows (of the listener's view)
/// apart, and that is enough.
pub fn one_way(matrix: &Matrix, speaker: Party) -> u32 {
    let inputs = matrix.reduced();
    bits(match speaker {
        Party::Alice => inputs.rows.len(),
        Party::Bob => inputs.columns.len(),
    })
}

/// Bits of two messages to a referee, who knows nothing else. Two rows that differ need different messages: the column where
/// they differ sends the same in both cases.
pub fn simultaneous(matrix: &Matrix) -> u32 {
    one_way(matrix, Party::Alice) + one_way(matrix, Party::Bob)
}

/// A depth that no tree has.
pub const NEVER: u8 = u8::MAX;

/// The least depth of trees in which the speaker changes only so often, by exhaustion.
#[derive(Debug)]
pub struct Rounds<'a> {
    matrix: &'a Matrix,
    inputs: Rectangle,
    known: BTreeMap<State, u8>,
}

/// Places of rows and columns in the reduced matrix, who speaks, and how often that may still change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    /// Rows, a mask.
    pub rows: u32,
    /// Columns, a mask.
    pub columns: u32,
    /// Who speaks.
    pub speaker: Party,
    /// Changes of speaker that are left.
    pub changes: usize,
}

impl State {
    /// The mask of the speaker.
    pub fn own(&self) -> u32 {
        match self.speaker {
            Party::Alice => self.rows,
            Party::Bob => self.columns,
        }
    }

    /// The state with a part of the speaker's inputs.
    #[must_use]
    pub fn with(&self, part: u32) -> Self {
        match self.speaker {
            Party::Alice => Self {
                rows: part,
                ..*self
            },
            Party::Bob => Self {
                columns: part,
                ..*self
            },
        }
    }

    /// The other party goes on; `None` when no change is left.
    #[must_use]
    pub fn changed(&self) -> Option<Self> {
        Some(Self {
            speaker: self.speaker.other(),
            changes: self.changes.checked_sub(1)?,
            ..*self
        })
    }

    /// The parts of the speaker's inputs that hold the lowest one, but not all.
    pub fn parts(&self) -> impl Iterator<Item = u32> + use<> {
        let own = self.own();
        let lowest = own & own.wrapping_neg();
        let rest = own & !lowest;
        // All submasks of the rest but the rest itself, from the empty one up.
        std::iter::successors(Some(0_u32), move |part| {
            let next = (part | !rest).wrapping_add(1) & rest;
            (next != 0).then_some(next)
        })
        .map(move |part| part | lowest)
        .filter(move |part| *part != own)
    }
}

impl<'a> Rounds<'a> {
    /// Prepares a matrix.
    ///
    /// # Errors
    /// `TooLarge` when 2^rows 3^columns + 3^rows 2^columns, of the reduced matrix, exceeds `limit` for one speaker and number of
    /// changes.
    pub fn new(matrix: &'a Matrix, rounds: usize, limit: u64) -> Result<Self, Flaw> {
        let inputs = matrix.reduced();
        let side = |list: &Vec<usize>| u32::try_from(list.len()).unwrap_or(u32::MAX);
        let (rows, columns) = (side(&inputs.rows), side(&inputs.columns));
        let steps = |a: u32, b: u32| 3_u64.checked_pow(a)?.checked_mul(2_u64.checked_pow(b)?);
        let all = steps(rows, columns)
            .zip(steps(columns, rows))
            .and_then(|(a, b)| a.checked_add(b)?.checked_mul(2 * rounds as u64));
        if all.is_none_or(|all| all > limit) || rows > 31 || columns > 31 {
            let found = format!("{rows} rows and {columns} columns");
            let expected = "fewer splits";
            return Err(Flaw::new("/rows", Reason::TooLarge, found, expected));
        }
        Ok(Self {
            matrix,
            inputs,
            known: BTreeMap::new(),
        })
    }

    /// The reduced matrix that masks refer to.
    pub fn inputs(&self) -> &Rectangle {
        &self.inputs
    }

    /// All inputs.
    pub fn start(&self, speaker: Party, rounds: usize) -> Option<State> {
        Some(State {
            rows: (1 << self.inputs.rows.len()) - 1,
            columns: (1 << self.inputs.columns.len()) - 1,
            speaker,
            changes: rounds.checked_sub(1)?,
        })
    }

    /// The least depth with at most so many rounds, whoever begins; [`NEVER`] when there is none.
    pub fn least(&mut self, rounds: usize) -> u8 {
        let starts = Party::BOTH.map(|party| self.start(party, rounds));
        let depths = starts.map(|start| start.map_or(NEVER, |start| self.depth(start)));
        depths.into_iter().min().unwrap_or(NEVER)
    }

    /// Whether the rectangle of a state has one value, and which.
    pub fn value(&self, state: &State) -> Option<u64> {
        let members = |mask: u32, list: &[usize]| -> Vec<usize> {
            let places = (0..list.len()).filter(|place| mask >> place & 1 == 1);
            places.map(|place| list[place]).collect()
        };
        let rows = members(state.rows, &self.inputs.rows);
        let columns = members(state.columns, &self.inputs.columns);
        let value = self.matrix.at(rows[0], columns[0]);
        let same = |row: &usize| columns.iter().all(|c| self.matrix.at(*row, *c) == value);
        rows.iter().all(same).then_some(value)
    }

    /// The least depth from a state on.
    ///
    /// # Cost
    /// All splits of all rectangles, once for each speaker and number of changes.
    pub fn depth(&mut self, state: State) -> u8 {
        if let Some(known) = self.known.get(&state) {
            return *known;
        }
        let mut best = NEVER;
        if self.value(&state).is_some() {
            best = 0;
        } else {
            let own = state.own();
            for part in state.parts() {
                let first = self.depth(state.with(part));
                let second = self.depth(state.with(own & !part));
                best = best.min(first.max(second).saturating_add(1));
            }
            if let Some(next) = state.changed() {
                best = best.min(self.depth(next));
            }
        }
        self.known.insert(state, best);
        best
    }
}
