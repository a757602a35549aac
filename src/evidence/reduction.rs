//! Statements about reductions to k-hop and about the cycle problem, and the shape of their evidence.
#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the methods are not general enough over lifetimes"
)]

use crate::evidence::shape::{Place, Rejection};
use crate::game::structure::Code;
use crate::reduction::chase;
use crate::reduction::cycle::{Kind, fits};
use num_bigint::BigUint;
use serde_json::{Value as Json, json};

/// What is stated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReductionClaim {
    /// The cycle gadget answers 1 iff the graph is of this kind.
    Gadget {
        /// Vertices.
        vertices: usize,
        /// The kind.
        ones: Kind,
    },
    /// Pointer chasing with k layers of q points reduces to `hop_k`.
    Chase {
        /// Hops.
        k: usize,
        /// Points.
        q: usize,
    },
    /// One directed cycle is an odd permutation, two are an even one.
    Sign {
        /// Vertices.
        vertices: usize,
    },
    /// So many words must be read beforehand.
    Reads {
        /// Vertices.
        vertices: usize,
        /// Whether words are successors; else edges.
        directed: bool,
        /// Words.
        equals: BigUint,
    },
    /// So many messages from a party that holds some edges.
    Split {
        /// Vertices.
        vertices: usize,
        /// Edges of Alice.
        held: usize,
        /// Messages.
        equals: BigUint,
    },
}

/// The words of [`Kind`] in files.
pub const KIND_WORDS: [(&str, Kind); 2] = [("one-cycle", Kind::One), ("two-cycles", Kind::Two)];

fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::One => KIND_WORDS[0].0,
        Kind::Two => KIND_WORDS[1].0,
    }
}

impl ReductionClaim {
    /// The tag of the statement.
    pub fn tag(&self) -> &'static str {
        match self {
            Self::Gadget { .. } | Self::Chase { .. } => "reduction",
            Self::Sign { .. } | Self::Reads { .. } | Self::Split { .. } => "cycles",
        }
    }

    /// Reads the body of `{"reduction": {..}}` or `{"cycles": {..}}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`, `unknown-kind`; `domain` for sizes without instances.
    pub fn read(tag: &str, body: &Place<'_>) -> Result<Self, Rejection> {
        if tag == "reduction" {
            Self::read_reduction(body)
        } else {
            Self::read_cycles(body)
        }
    }

    fn read_reduction(body: &Place<'_>) -> Result<Self, Rejection> {
        body.object(&["from", "k"], &["one_iff", "q"])?;
        let from = body.get("from")?;
        match from.text()? {
            "cycles" => {
                body.object(&["from", "k", "one_iff"], &[])?;
                let word = body.get("one_iff")?;
                let text = word.text()?;
                let known = KIND_WORDS.iter().find(|(name, _)| *name == text);
                let (_, ones) = known.ok_or_else(|| unknown(&word, "one-cycle or two-cycles"))?;
                Ok(Self::Gadget {
                    vertices: vertices(&body.get("k")?, false)?,
                    ones: *ones,
                })
            }
            "pointer-chasing" => {
                body.object(&["from", "k", "q"], &[])?;
                let (k, q) = (small(&body.get("k")?)?, small(&body.get("q")?)?);
                let sizes = u32::try_from(k).ok().zip(u32::try_from(q).ok());
                match sizes.and_then(|(k, q)| chase::instances(k, q)) {
                    Some(_) => Ok(Self::Chase { k, q }),
                    None => Err(domain(body, "k >= 1, q even, at most 2^32 instances")),
                }
            }
            _ => Err(unknown(&from, "cycles or pointer-chasing")),
        }
    }

    fn read_cycles(body: &Place<'_>) -> Result<Self, Rejection> {
        body.object(&["question", "vertices"], &["directed", "equals", "held"])?;
        let question = body.get("question")?;
        let at = body.get("vertices")?;
        match question.text()? {
            "sign" => {
                body.object(&["question", "vertices"], &[])?;
                Ok(Self::Sign {
                    vertices: vertices(&at, true)?,
                })
            }
            "reads" => {
                body.object(&["directed", "equals", "question", "vertices"], &[])?;
                let directed = body.get("directed")?.truth()?;
                Ok(Self::Reads {
                    vertices: vertices(&at, directed)?,
                    directed,
                    equals: body.get("equals")?.count()?,
                })
            }
            "split" => {
                body.object(&["equals", "held", "question", "vertices"], &[])?;
                let vertices = vertices(&at, false)?;
                let held = small(&body.get("held")?)?;
                if held > vertices {
                    return Err(domain(&body.get("held")?, "at most the vertices"));
                }
                Ok(Self::Split {
                    vertices,
                    held,
                    equals: body.get("equals")?.count()?,
                })
            }
            _ => Err(unknown(&question, "sign, reads or split")),
        }
    }

    /// The body of the statement.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Gadget { vertices, ones } => {
                json!({"from": "cycles", "k": vertices.to_string(), "one_iff": kind_word(*ones)})
            }
            Self::Chase { k, q } => {
                json!({"from": "pointer-chasing", "k": k.to_string(), "q": q.to_string()})
            }
            Self::Sign { vertices } => {
                json!({"question": "sign", "vertices": vertices.to_string()})
            }
            Self::Reads {
                vertices,
                directed,
                equals,
            } => json!({
                "question": "reads", "vertices": vertices.to_string(), "directed": directed,
                "equals": equals.to_string(),
            }),
            Self::Split {
                vertices,
                held,
                equals,
            } => json!({
                "question": "split", "vertices": vertices.to_string(), "held": held.to_string(),
                "equals": equals.to_string(),
            }),
        }
    }
}

/// Kinds of evidence about reductions and cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AboutReduction {
    /// Every instance was looked at.
    AllInstances,
    /// One that breaks the statement.
    FailingInstance,
    /// How many instances of each kind are even and odd.
    Signs,
    /// Two instances that share many words.
    SharedWords,
    /// A proper colouring, and as many sets in pairwise conflict.
    SplitColouring,
}

impl AboutReduction {
    /// Every kind.
    pub const ALL: [Self; 5] = [
        Self::AllInstances,
        Self::FailingInstance,
        Self::Signs,
        Self::SharedWords,
        Self::SplitColouring,
    ];

    /// The tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::AllInstances => "all_instances",
            Self::FailingInstance => "failing_instance",
            Self::Signs => "signs",
            Self::SharedWords => "shared_words",
            Self::SplitColouring => "split_colouring",
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
            Self::AllInstances => {
                body.object(&["instances"], &[])?;
                body.get("instances")?.count().map(|_| ())
            }
            Self::FailingInstance => read_edges(body).map(|_| ()),
            Self::Signs => {
                body.object(&["one", "two"], &[])?;
                for key in ["one", "two"] {
                    let place = body.get(key)?;
                    if each(&place, |item| item.count())?.len() != 2 {
                        return Err(malformed(&place, "[even, odd]"));
                    }
                }
                Ok(())
            }
            Self::SharedWords => read_words(body).map(|_| ()),
            Self::SplitColouring => read_colouring(body).map(|_| ()),
        }
    }
}

/// The edges of a failing instance.
///
/// # Errors
/// `malformed`, `unknown-key`.
pub fn read_edges(body: &Place<'_>) -> Result<Vec<(usize, usize)>, Rejection> {
    body.object(&["edges"], &[])?;
    let edge = |place: &Place<'_>| match each(place, |item| item.index())?[..] {
        [u, v] => Ok((u, v)),
        _ => Err(malformed(place, "[u, v]")),
    };
    each(&body.get("edges")?, edge)
}

/// The words of an instance of each kind.
///
/// # Errors
/// `malformed`, `unknown-key`.
pub fn read_words(body: &Place<'_>) -> Result<[Vec<usize>; 2], Rejection> {
    body.object(&["one", "two"], &[])?;
    let words = |key: &str| each(&body.get(key)?, |item| item.index());
    Ok([words("one")?, words("two")?])
}

/// Colours of all sets, and a clique.
///
/// # Errors
/// `malformed`, `unknown-key`.
pub fn read_colouring(body: &Place<'_>) -> Result<[Vec<usize>; 2], Rejection> {
    body.object(&["clique", "colours"], &[])?;
    let list = |key: &str| each(&body.get(key)?, |item| item.index());
    Ok([list("colours")?, list("clique")?])
}

fn vertices(place: &Place<'_>, directed: bool) -> Result<usize, Rejection> {
    let vertices = small(place)?;
    if fits(vertices, directed) {
        Ok(vertices)
    } else {
        Err(domain(
            place,
            "an even number up to 8, at least 4 directed, 6 undirected",
        ))
    }
}

fn small(place: &Place<'_>) -> Result<usize, Rejection> {
    usize::try_from(place.small_count()?).map_err(|_| malformed(place, "a smaller number"))
}

fn malformed(place: &Place<'_>, expected: &str) -> Rejection {
    let found = place.json.to_string();
    Rejection::new(place.at.clone(), Code::Malformed, found, expected)
}

fn domain(place: &Place<'_>, expected: &str) -> Rejection {
    let found = place.json.to_string();
    Rejection::new(place.at.clone(), Code::Domain, found, expected)
}

fn unknown(place: &Place<'_>, expected: &str) -> Rejection {
    let found = place.json.to_string();
    Rejection::new(place.at.clone(), Code::UnknownKind, found, expected)
}

fn each<T>(
    place: &Place<'_>,
    read: impl Fn(&Place<'_>) -> Result<T, Rejection>,
) -> Result<Vec<T>, Rejection> {
    place.list()?.iter().map(read).collect()
}
