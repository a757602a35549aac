//! Protocol trees.

use super::matrix::Rectangle;
use super::{Flaw, Matrix, Reason, check_indices};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    /// Holds the row.
    Alice,
    /// Holds the column.
    Bob,
}

impl Party {
    /// Both, Alice first.
    pub const BOTH: [Self; 2] = [Self::Alice, Self::Bob];

    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Alice => "alice",
            Self::Bob => "bob",
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Alice => Self::Bob,
            Self::Bob => Self::Alice,
        }
    }
}

/// A node of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Both know the value.
    Leaf(u64),
    /// One party announces one bit.
    Bit {
        /// Who.
        speaker: Party,
        /// Own inputs, of those that come here, on which the bit is 1; increasing.
        ones: Vec<usize>,
        /// The next node for bit 0 and for bit 1.
        next: [usize; 2],
    },
}

/// A protocol tree: node 0 is the root, and every node stands before its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The nodes.
    pub nodes: Vec<Node>,
}

/// What a correct tree costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Bits on the longest path.
    pub depth: usize,
    /// Leaves.
    pub leaves: usize,
    /// Most maximal runs of bits of one party on a path.
    pub rounds: usize,
}

/// An inner node on the way.
struct Visit {
    node: usize,
    inputs: Rectangle,
    depth: usize,
    rounds: usize,
    last: Option<Party>,
}

impl Tree {
    /// Checks the tree on every input: every inner node splits its rectangle into two non-empty parts, every leaf is
    /// monochromatic with the value it names, and every node is used once.
    ///
    /// # Errors
    /// `Coverage` for nodes out of order, unused or used twice, and for bits that are not announced on own inputs or that are
    /// constant; `NotConstant` for a leaf.
    /// # Cost
    /// Every entry once, and every input once a level.
    pub fn check(&self, matrix: &Matrix) -> Result<Measured, Flaw> {
        let mut used = vec![false; self.nodes.len()];
        let mut found = Measured {
            depth: 0,
            leaves: 0,
            rounds: 0,
        };
        let whole = Rectangle {
            rows: (0..matrix.rows()).collect(),
            columns: (0..matrix.columns()).collect(),
        };
        let mut open = vec![Visit {
            node: 0,
            inputs: whole,
            depth: 0,
            rounds: 0,
            last: None,
        }];
        while let Some(visit) = open.pop() {
            let at = format!("/nodes/{}", visit.node);
            let Some(node) = self.nodes.get(visit.node).filter(|_| !used[visit.node]) else {
                let found = "a node that does not exist, or a second time";
                return Err(Flaw::new(at, Reason::Coverage, found, "every node once"));
            };
            used[visit.node] = true;
            match node {
                Node::Leaf(value) => {
                    check_leaf(matrix, &visit.inputs, *value, &at)?;
                    found.leaves += 1;
                    found.depth = found.depth.max(visit.depth);
                    found.rounds = found.rounds.max(visit.rounds);
                }
                Node::Bit {
                    speaker,
                    ones,
                    next,
                } => {
                    if next.iter().any(|next| *next <= visit.node) {
                        let found = format!("{next:?}");
                        let at = format!("{at}/next");
                        return Err(Flaw::new(at, Reason::Coverage, found, "later nodes"));
                    }
                    let parts = split(&visit.inputs, *speaker, ones, &at)?;
                    let rounds = visit.rounds + usize::from(visit.last != Some(*speaker));
                    // Bit 0 is looked at first.
                    for (node, inputs) in next.iter().zip(parts).rev() {
                        open.push(Visit {
                            node: *node,
                            inputs,
                            depth: visit.depth + 1,
                            rounds,
                            last: Some(*speaker),
                        });
                    }
                }
            }
        }
        match used.iter().position(|used| !used) {
            None => Ok(found),
            Some(idle) => {
                let at = format!("/nodes/{idle}");
                let found = "a node that no input reaches";
                Err(Flaw::new(at, Reason::Coverage, found, "every node once"))
            }
        }
    }
}

fn check_leaf(matrix: &Matrix, inputs: &Rectangle, value: u64, at: &str) -> Result<(), Flaw> {
    for row in &inputs.rows {
        for column in &inputs.columns {
            let entry = matrix.at(*row, *column);
            if entry != value {
                let found = format!("entry {entry} in row {row}, column {column}");
                let at = format!("{at}/leaf");
                return Err(Flaw::new(at, Reason::NotConstant, found, value.to_string()));
            }
        }
    }
    Ok(())
}

/// The two parts of a rectangle, bit 0 first.
fn split(
    inputs: &Rectangle,
    speaker: Party,
    ones: &[usize],
    at: &str,
) -> Result<[Rectangle; 2], Flaw> {
    let own = match speaker {
        Party::Alice => &inputs.rows,
        Party::Bob => &inputs.columns,
    };
    let at = format!("{at}/{}", speaker.word());
    check_indices(ones, usize::MAX, &at)?;
    if let Some(place) = ones.iter().position(|one| own.binary_search(one).is_err()) {
        let found = format!("input {}, which does not come here", ones[place]);
        let at = format!("{at}/{place}");
        return Err(Flaw::new(
            at,
            Reason::Coverage,
            found,
            "inputs that come here",
        ));
    }
    if ones.is_empty() || ones.len() == own.len() {
        return Err(Flaw::new(
            at,
            Reason::Coverage,
            "a constant bit",
            "a bit that is 0 on some inputs and 1 on others",
        ));
    }
    let zeros: Vec<usize> = own
        .iter()
        .filter(|input| ones.binary_search(input).is_err())
        .copied()
        .collect();
    Ok([zeros, ones.to_vec()].map(|part| match speaker {
        Party::Alice => Rectangle {
            rows: part,
            columns: inputs.columns.clone(),
        },
        Party::Bob => Rectangle {
            rows: inputs.rows.clone(),
            columns: part,
        },
    }))
}
