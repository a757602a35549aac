//! The task as one dense list over all full inputs, and the players' elements by index.

use crate::exact::Digits;
use crate::game::structure::Code;
use crate::game::structure::{Failure, Violation, inputs_of, separation, within};
use crate::game::{Accepted, Game, Inputs, PlayerId, Task};
use num_bigint::BigUint;

/// The accepted answers of every full input, in input order.
#[derive(Clone, Debug)]
pub struct Answers {
    /// For every player its elements, in order.
    elements: Vec<Vec<Digits>>,
    /// For every player the distance in the list between two of its neighbouring elements.
    strides: Vec<usize>,
    cells: Cells,
}

/// The list itself.
#[derive(Clone, Debug)]
pub enum Cells {
    /// Exactly one accepted answer everywhere.
    Functional(Vec<u64>),
    /// Anything else.
    Relation(Vec<Accepted>),
}

impl Answers {
    /// Asks the task on every full input.
    ///
    /// # Errors
    /// `TooLarge` over the limit, with the exact number; `replay` when the task is undefined somewhere.
    /// # Cost
    /// One task look-up per full input, and memory for the list.
    pub fn of(game: &Game, task: &dyn Task, limit: &BigUint) -> Result<Self, Failure> {
        let everyone = (0..game.players().len()).map(PlayerId);
        within("full inputs", inputs_of(game, everyone), limit)?;
        let relation = Inputs::all(game)
            .map(|inputs| undefined(task, &inputs))
            .collect::<Result<Vec<_>, _>>()?;
        let single: Option<Vec<u64>> = relation
            .iter()
            .map(|cell| separation::only(cell, task.answers()).map(|answer| answer.0))
            .collect();
        let elements: Vec<Vec<Digits>> = game
            .players()
            .iter()
            .map(|player| {
                let mut list = vec![player.domain.first()];
                let mut next = player.domain.first();
                while player.domain.advance(&mut next) {
                    list.push(next.clone());
                }
                list
            })
            .collect();
        let mut strides = vec![1; elements.len()];
        for player in (1..elements.len()).rev() {
            strides[player - 1] = strides[player] * elements[player].len();
        }
        Ok(Self {
            elements,
            strides,
            cells: single.map_or(Cells::Relation(relation), Cells::Functional),
        })
    }

    /// The cells.
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// Number of full inputs.
    pub fn inputs(&self) -> usize {
        match &self.cells {
            Cells::Functional(cells) => cells.len(),
            Cells::Relation(cells) => cells.len(),
        }
    }

    /// The accepted answers on a full input, by its index.
    pub fn on(&self, input: usize) -> Accepted {
        match &self.cells {
            Cells::Functional(cells) => Accepted::One(cells[input]),
            Cells::Relation(cells) => cells[input].clone(),
        }
    }

    /// For each player the number of its elements.
    pub fn sizes(&self) -> Vec<usize> {
        self.elements.iter().map(Vec::len).collect()
    }

    /// The elements of a player, in order.
    pub fn elements(&self, player: PlayerId) -> &[Digits] {
        &self.elements[player.0]
    }

    /// What the joint inputs of some players, in lexicographic order, add to the index of a cell.
    pub fn offsets(&self, players: &[PlayerId]) -> Vec<usize> {
        players.iter().fold(vec![0], |offsets, player| {
            let (stride, size) = (self.strides[player.0], self.elements[player.0].len());
            offsets
                .iter()
                .flat_map(|offset| (0..size).map(move |place| offset + place * stride))
                .collect()
        })
    }

    /// The element index of a player inside an offset or index.
    pub fn place(&self, player: PlayerId, offset: usize) -> usize {
        offset / self.strides[player.0] % self.elements[player.0].len()
    }

    /// The digits of some players inside an offset or index.
    pub fn joint(&self, players: &[PlayerId], offset: usize) -> Vec<Digits> {
        players
            .iter()
            .map(|player| self.elements[player.0][self.place(*player, offset)].clone())
            .collect()
    }
}

fn undefined(task: &dyn Task, inputs: &Inputs) -> Result<Accepted, Violation> {
    task.accepted(inputs)
        .map_err(|error| Violation::new("", Code::Replay, error.to_string(), "a defined task"))
}
