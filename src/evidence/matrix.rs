//! Statements about matrices, and their evidence as JSON.
#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the methods are not general enough over lifetimes"
)]

use crate::evidence::shape::{Place, Rejection};
use crate::evidence::statement::Bound;
use crate::game::structure::Code;
use crate::matrix::{
    Exhausted, Flaw, FoolingSet, Matrix, Minor, Minors, Node, Party, Reason, Rectangle, Tree,
};
use num_bigint::BigUint;
use serde_json::{Value as Json, json};

/// What is stated about a matrix, or about all of a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatrixClaim {
    /// The depth D.
    Depth(DepthClaim),
    /// How many 0/1 matrices of a size have D = 0, 1, 2, ..
    Histogram {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
        /// The counts.
        counts: Vec<BigUint>,
    },
}

/// A statement about the depth of one matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepthClaim {
    /// The matrix; `None` for that of the game.
    pub matrix: Option<Matrix>,
    /// Only trees of at most so many rounds.
    pub rounds: Option<usize>,
    /// How the depth is compared.
    pub bound: Bound,
    /// With what.
    pub number: BigUint,
}

impl DepthClaim {
    /// Whether the statement follows, or its negation, from D >= `lower` and D <= `upper` (`None`: nothing is known above).
    /// The bools tell which of the two are needed.
    pub fn decided(&self, lower: &BigUint, upper: Option<&BigUint>) -> Option<(bool, [bool; 2])> {
        let n = &self.number;
        let below = upper.is_some_and(|upper| upper <= n);
        let under = upper.is_some_and(|upper| upper < n);
        let (from, over) = (lower >= n, lower > n);
        match self.bound {
            Bound::AtMost if below => Some((true, [false, true])),
            Bound::AtLeast if from => Some((true, [true, false])),
            Bound::Equals if below && from => Some((true, [true, true])),
            Bound::AtLeast | Bound::Equals if under => Some((false, [false, true])),
            Bound::AtMost | Bound::Equals if over => Some((false, [true, false])),
            Bound::AtMost | Bound::AtLeast | Bound::Equals => None,
        }
    }
}

impl MatrixClaim {
    /// What it is about, in a few words.
    pub fn subject(&self) -> String {
        match self {
            Self::Histogram { rows, columns, .. } => format!("all {rows}x{columns} matrices"),
            Self::Depth(claim) => claim.matrix.as_ref().map_or(String::new(), |matrix| {
                format!("a {}x{} matrix", matrix.rows(), matrix.columns())
            }),
        }
    }

    /// True when the matrix is that of a game in `spec`.
    pub fn is_about_game(&self) -> bool {
        matches!(self, Self::Depth(DepthClaim { matrix: None, .. }))
    }

    /// Reads the body of `{"matrix": {..}}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        if let Some(all) = body.maybe("all") {
            body.object(&["all", "histogram"], &[])?;
            let sides = each(&all, small)?;
            let [rows, columns] = sides.as_slice() else {
                return Err(malformed(&all, "[rows, columns]"));
            };
            let counts = each(&body.get("histogram")?, |place| place.count())?;
            return Ok(Self::Histogram {
                rows: *rows,
                columns: *columns,
                counts,
            });
        }
        body.object(&[], &["at_least", "at_most", "equals", "rounds", "rows"])?;
        let given: Vec<(&str, Bound)> = Bound::ALL
            .into_iter()
            .filter(|(key, _)| body.maybe(key).is_some())
            .collect();
        let [(key, bound)] = given.as_slice() else {
            let found = format!("{} bounds", given.len());
            let expected = "one of equals, at_least, at_most";
            return Err(Rejection::new(&body.at, Code::Malformed, found, expected));
        };
        let rounds = body
            .maybe("rounds")
            .map(|place| small(&place))
            .transpose()?;
        if rounds == Some(0) {
            let at = format!("{}/rounds", body.at);
            return Err(Rejection::new(at, Code::Malformed, "0", "at least 1"));
        }
        Ok(Self::Depth(DepthClaim {
            matrix: body.maybe("rows").map(|rows| matrix(&rows)).transpose()?,
            rounds,
            bound: *bound,
            number: body.get(key)?.count()?,
        }))
    }

    /// The body of the statement.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Histogram {
                rows,
                columns,
                counts,
            } => {
                let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
                json!({"all": [rows.to_string(), columns.to_string()], "histogram": counts})
            }
            Self::Depth(claim) => {
                let mut body = json!({claim.bound.key(): claim.number.to_string()});
                if let Some(matrix) = &claim.matrix {
                    body["rows"] = json!(matrix.texts());
                }
                if let Some(rounds) = claim.rounds {
                    body["rounds"] = json!(rounds.to_string());
                }
                body
            }
        }
    }
}

/// The matrix of a list of texts, in the form that [`Matrix::texts`] writes.
fn matrix(place: &Place<'_>) -> Result<Matrix, Rejection> {
    let texts = each(place, |item| item.text().map(str::to_owned))?;
    let found = Matrix::of_texts(texts.iter().map(String::as_str)).map_err(|(row, error)| {
        let at = format!("{}/{row}", place.at);
        Rejection::new(at, Code::Malformed, error.message, "a row of the matrix")
    })?;
    let again = found.texts();
    match (0..texts.len()).find(|row| texts[*row] != again[*row]) {
        None => Ok(found),
        Some(row) => {
            let at = format!("{}/{row}", place.at);
            Err(Rejection::new(
                at,
                Code::Malformed,
                texts[row].clone(),
                again[row].clone(),
            ))
        }
    }
}

/// Kinds of evidence about matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AboutMatrix {
    /// A protocol tree: D is at most its depth.
    Tree,
    /// Fooling sets: D is at least the bits of their size.
    FoolingSet,
    /// Ranks.
    Minor,
    /// A table that shows that no tree is shallow enough.
    Exhausted,
    /// Trees of few rounds, exhausted.
    RoundExhausted,
    /// All matrices of a size, exhausted.
    DepthHistogram,
}

impl AboutMatrix {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Tree,
        Self::FoolingSet,
        Self::Minor,
        Self::Exhausted,
        Self::RoundExhausted,
        Self::DepthHistogram,
    ];

    /// The tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::FoolingSet => "fooling_set",
            Self::Minor => "minor",
            Self::Exhausted => "exhausted",
            Self::RoundExhausted => "round_exhausted",
            Self::DepthHistogram => "depth_histogram",
        }
    }

    /// The kind with this tag.
    pub fn of_tag(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.tag() == tag)
    }

    /// Checks keys and types of the body.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`.
    pub fn check_shape(self, body: &Place<'_>) -> Result<(), Rejection> {
        match self {
            Self::Tree => read_tree(body).map(|_| ()),
            Self::FoolingSet => read_fooling_set(body).map(|_| ()),
            Self::Minor => read_minors(body).map(|_| ()),
            Self::Exhausted => read_exhausted(body).map(|_| ()),
            Self::RoundExhausted => {
                body.object(&["depth"], &[])?;
                let depth = body.get("depth")?;
                if depth.json.is_null() {
                    Ok(())
                } else {
                    depth.number().map(|_| ())
                }
            }
            Self::DepthHistogram => {
                body.object(&["counts"], &[])?;
                each(&body.get("counts")?, |place| place.count()).map(|_| ())
            }
        }
    }
}

/// A tree.
///
/// # Errors
/// `malformed`, `unknown-key`, `unknown-kind`.
pub fn read_tree(body: &Place<'_>) -> Result<Tree, Rejection> {
    body.object(&["nodes"], &[])?;
    let node = |place: &Place<'_>| {
        if let Some(leaf) = place.maybe("leaf") {
            place.object(&["leaf"], &[])?;
            return Ok(Node::Leaf(leaf.small_count()?));
        }
        let speaker = Party::BOTH
            .into_iter()
            .find(|party| place.json.get(party.word()).is_some())
            .unwrap_or(Party::Alice);
        place.object(&[speaker.word(), "next"], &[])?;
        let next = place.get("next")?;
        let [zero, one] = each(&next, |place| place.index())?[..] else {
            return Err(malformed(&next, "two nodes"));
        };
        Ok(Node::Bit {
            speaker,
            ones: each(&place.get(speaker.word())?, |place| place.index())?,
            next: [zero, one],
        })
    };
    let nodes = each(&body.get("nodes")?, node)?;
    Ok(Tree { nodes })
}

/// The body of `{"tree": {..}}`.
pub fn tree_json(tree: &Tree) -> Json {
    let node = |node: &Node| match node {
        Node::Leaf(value) => json!({"leaf": value.to_string()}),
        Node::Bit {
            speaker,
            ones,
            next,
        } => json!({speaker.word(): ones, "next": next}),
    };
    json!({"nodes": tree.nodes.iter().map(node).collect::<Vec<_>>()})
}

/// Minors.
///
/// # Errors
/// `malformed`, `unknown-key`.
pub fn read_minors(body: &Place<'_>) -> Result<Minors, Rejection> {
    body.object(&["minors"], &[])?;
    let minor = |place: &Place<'_>| {
        place.object(&["columns", "rows"], &[])?;
        Ok(Minor {
            rows: each(&place.get("rows")?, |place| place.index())?,
            columns: each(&place.get("columns")?, |place| place.index())?,
        })
    };
    each(&body.get("minors")?, minor).map(Minors)
}

/// The body of `{"minor": {..}}`.
pub fn minors_json(minors: &Minors) -> Json {
    let minor = |minor: &Minor| json!({"rows": minor.rows, "columns": minor.columns});
    json!({"minors": minors.0.iter().map(minor).collect::<Vec<_>>()})
}

/// Fooling sets.
///
/// # Errors
/// `malformed`, `unknown-key`.
pub fn read_fooling_set(body: &Place<'_>) -> Result<FoolingSet, Rejection> {
    body.object(&["sets"], &[])?;
    let entry = |place: &Place<'_>| match each(place, |place| place.index())?[..] {
        [row, column] => Ok((row, column)),
        _ => Err(malformed(place, "[row, column]")),
    };
    each(&body.get("sets")?, |set| each(set, entry)).map(FoolingSet)
}

/// The body of `{"fooling_set": {..}}`.
pub fn fooling_set_json(sets: &FoolingSet) -> Json {
    json!({"sets": sets.0})
}

/// A table of hard rectangles.
///
/// # Errors
/// `malformed`, `unknown-key`.
pub fn read_exhausted(body: &Place<'_>) -> Result<Exhausted, Rejection> {
    body.object(&["levels"], &[])?;
    let rectangle = |place: &Place<'_>| {
        let sides = each(place, |side| each(side, |index| index.index()))?;
        match <[Vec<usize>; 2]>::try_from(sides) {
            Ok([rows, columns]) => Ok(Rectangle { rows, columns }),
            Err(_) => Err(malformed(place, "[rows, columns]")),
        }
    };
    let levels = each(&body.get("levels")?, |level| each(level, rectangle))?;
    Ok(Exhausted { levels })
}

/// The body of `{"exhausted": {..}}`.
pub fn exhausted_json(table: &Exhausted) -> Json {
    let rectangle = |rectangle: &Rectangle| json!([rectangle.rows, rectangle.columns]);
    let level = |level: &Vec<Rectangle>| level.iter().map(rectangle).collect::<Vec<_>>();
    json!({"levels": table.levels.iter().map(level).collect::<Vec<_>>()})
}

/// The code of a flaw; `None` when only a limit was met.
pub fn code(reason: Reason) -> Option<Code> {
    match reason {
        Reason::NotConstant => Some(Code::NotConstant),
        Reason::Coverage => Some(Code::Coverage),
        Reason::Bound => Some(Code::Bound),
        Reason::Size => Some(Code::Size),
        Reason::TooLarge => None,
    }
}

/// The rejection of a structure that stands at `at`, or the reason why it was not checked.
///
/// # Errors
/// The text, when only a limit was met.
pub fn rejection(at: &str, flaw: &Flaw) -> Result<Rejection, String> {
    match code(flaw.reason) {
        None => Err(flaw.to_string()),
        Some(code) => Ok(Rejection::new(
            format!("{at}{}", flaw.at),
            code,
            flaw.found.clone(),
            flaw.expected.clone(),
        )),
    }
}

/// A decimal string that fits an index.
fn small(place: &Place<'_>) -> Result<usize, Rejection> {
    usize::try_from(place.small_count()?).map_err(|_| malformed(place, "a smaller number"))
}

fn malformed(place: &Place<'_>, expected: &str) -> Rejection {
    let found = place.json.to_string();
    Rejection::new(place.at.clone(), Code::Malformed, found, expected)
}

fn each<T>(
    place: &Place<'_>,
    read: impl Fn(&Place<'_>) -> Result<T, Rejection>,
) -> Result<Vec<T>, Rejection> {
    place.list()?.iter().map(read).collect()
}
