//! What a claim says, resolved: the part of a claim file, and of evidence, that a checker decides.
#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the methods are not general enough over lifetimes"
)]

use crate::evidence::canonical;
use crate::evidence::decomposition::Decomposed;
use crate::evidence::derive::Derivation;
use crate::evidence::matrix::MatrixClaim;
use crate::evidence::model::ModelClaim;
use crate::evidence::rank::Ranking;
use crate::evidence::recursion::Recursion;
use crate::evidence::reduction::ReductionClaim;
use crate::evidence::scope::Scope;
use crate::evidence::shape::{Place, Rejection};
use crate::exact::Alphabet;
use crate::file::constants::Overrides;
use crate::file::expr::Limits;
use crate::file::setting::{self, Setting};
use crate::file::{FileError, Source, Tree};
use crate::game::structure::Code;
use crate::game::structure::classes::OneWay;
use crate::game::{Game, PlayerId, SlotId};
use num_bigint::BigUint;
use serde_json::{Map, Value as Json, json};

/// Scope words that claims about games have.
const EVERY: &[&str] = &["every-protocol-of-this-game"];
/// Claims about one protocol.
const THIS: &[&str] = &["this-protocol"];
/// Claims about one point.
const POINT: &[&str] = &["this-parameter-point"];
/// Claims about numbers.
const NUMBERS: &[&str] = &["this-parameter-point", "this-range"];
/// Claims about a range.
const RANGE: &[&str] = &["this-range"];

/// A kind of claim: the one registry that the reader, `list`, the schema and the verifier use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The tag `[claim.X]`.
    pub name: &'static str,
    /// Scopes it may have.
    pub scopes: &'static [&'static str],
    /// Keys its table may have.
    pub keys: &'static [&'static str],
    /// Keys it must have.
    pub required: &'static [&'static str],
    /// What it states.
    pub meaning: &'static str,
    /// False for kinds whose engine has not landed: they parse, and answer undecided.
    pub available: bool,
}

/// Every kind of claim.
pub const KINDS: [Kind; 17] = [
    Kind {
        name: "independent",
        scopes: EVERY,
        keys: &[
            "game", "let", "for", "of", "view", "pinned", "after", "epoch",
        ],
        required: &["of", "view"],
        meaning: "with the pinned slots constant, no protocol lets the input of `of` reach the view of `view`",
        available: true,
    },
    Kind {
        name: "cuts",
        scopes: EVERY,
        keys: &[
            "game", "let", "for", "of", "view", "equals", "after", "epoch",
        ],
        required: &["of", "view", "equals"],
        meaning: "these are all inclusion-minimal cuts",
        available: true,
    },
    Kind {
        name: "solvable",
        scopes: EVERY,
        keys: &["game", "let", "for"],
        required: &[],
        meaning: "some protocol solves the task",
        available: true,
    },
    Kind {
        name: "unsolvable",
        scopes: EVERY,
        keys: &["game", "let", "for"],
        required: &[],
        meaning: "no protocol solves the task",
        available: true,
    },
    Kind {
        name: "correct",
        scopes: THIS,
        keys: &["game", "strategy", "let", "for"],
        required: &[],
        meaning: "this protocol is right on every input",
        available: true,
    },
    Kind {
        name: "wrong",
        scopes: THIS,
        keys: &["game", "strategy", "let", "for"],
        required: &[],
        meaning: "this protocol is wrong on some input",
        available: true,
    },
    Kind {
        name: "decomposition",
        scopes: THIS,
        keys: &[
            "game", "strategy", "tie", "x", "one_shot", "holds", "let", "for",
        ],
        required: &["x", "holds"],
        meaning: "the indistinguishable decomposition has these numbers",
        available: true,
    },
    Kind {
        name: "count",
        scopes: EVERY,
        keys: &[
            "task", "game", "of", "equals", "at_least", "at_most", "let", "for",
        ],
        required: &[],
        meaning: "a one-way reader needs this many states",
        available: true,
    },
    Kind {
        name: "inequality",
        scopes: NUMBERS,
        keys: &["for", "let", "holds"],
        required: &["holds"],
        meaning: "comparisons of exact numbers hold at all points",
        available: true,
    },
    Kind {
        name: "parameters",
        scopes: NUMBERS,
        keys: &["paper", "steps", "c", "d", "a1", "check", "holds", "for"],
        required: &["steps", "c", "d"],
        meaning: "a paper's own inequality holds at these parameters",
        available: true,
    },
    Kind {
        name: "derive",
        scopes: POINT,
        keys: &[
            "steps",
            "linear",
            "before",
            "c",
            "d",
            "soft_bits",
            "carry_bits",
            "senders",
            "mode",
            "proved",
            "tokens_at_most",
            "exponent",
            "kappa",
            "for_every_c",
            "product_start",
        ],
        required: &["steps", "linear"],
        meaning: "the ledger of the proof scheme closes",
        available: true,
    },
    Kind {
        name: "rank",
        scopes: POINT,
        keys: &[
            "bits", "tokens", "length", "rank", "error", "strict", "exists", "kernel", "queries",
            "optimum", "gap", "ratio", "weight", "softmax",
        ],
        required: &[],
        meaning: "a nonnegative kernel of this rank exists; or what a given kernel, a row, or softmax can do",
        available: true,
    },
    Kind {
        name: "matrix",
        scopes: POINT,
        keys: &[
            "rows",
            "file",
            "game",
            "let",
            "for",
            "rounds",
            "equals",
            "at_least",
            "at_most",
            "all",
            "histogram",
        ],
        required: &[],
        meaning: "exact deterministic communication complexity",
        available: true,
    },
    Kind {
        name: "reduction",
        scopes: POINT,
        keys: &["from", "k", "q", "one_iff"],
        required: &["from", "k"],
        meaning: "a reduction to hop_k is right on every instance of these sizes",
        available: true,
    },
    Kind {
        name: "cycles",
        scopes: POINT,
        keys: &["question", "vertices", "directed", "held", "equals"],
        required: &["question", "vertices"],
        meaning: "a number of the problem of one cycle or two",
        available: true,
    },
    Kind {
        name: "recursion",
        scopes: RANGE,
        keys: &[
            "symbols", "length", "k", "for", "hops", "start", "layer", "output",
        ],
        required: &["symbols", "length", "start", "layer", "output"],
        meaning: "a pointer machine computes hop_k",
        available: true,
    },
    Kind {
        name: "model",
        scopes: POINT,
        keys: &[
            "config",
            "recurrent_bits",
            "other_bits",
            "of",
            "equals",
            "at_least",
            "at_most",
            "layout",
        ],
        required: &["config"],
        meaning: "a number of a real model",
        available: true,
    },
];

impl Kind {
    /// The kind with this tag.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }
}

/// How a count is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Exactly this many.
    Equals,
    /// At least this many.
    AtLeast,
    /// At most this many.
    AtMost,
}

impl Bound {
    /// Every bound with its key.
    pub const ALL: [(&'static str, Self); 3] = [
        ("equals", Self::Equals),
        ("at_least", Self::AtLeast),
        ("at_most", Self::AtMost),
    ];

    /// The key in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Equals => "equals",
            Self::AtLeast => "at_least",
            Self::AtMost => "at_most",
        }
    }

    /// Whether `found` meets `stated`.
    pub fn holds(self, found: &BigUint, stated: &BigUint) -> bool {
        match self {
            Self::Equals => found == stated,
            Self::AtLeast => found >= stated,
            Self::AtMost => found <= stated,
        }
    }
}

/// A resolved statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// The view of `view` after `after` rounds is independent of the input of `of` when `pinned` is constant.
    Independent {
        /// Whose input.
        of: PlayerId,
        /// Whose view.
        view: PlayerId,
        /// Rounds played.
        after: usize,
        /// Pinned slots, increasing.
        pinned: Vec<SlotId>,
    },
    /// These are all minimal cuts.
    Cuts {
        /// Whose input.
        of: PlayerId,
        /// Whose view.
        view: PlayerId,
        /// Rounds played.
        after: usize,
        /// Shorter first, then lexicographic.
        equals: Vec<Vec<SlotId>>,
    },
    /// Some protocol solves the game.
    Solvable,
    /// None does.
    Unsolvable,
    /// The protocol is right.
    Correct,
    /// The protocol is wrong.
    Wrong,
    /// The decomposition of the protocol has these numbers.
    Decomposition(Decomposed),
    /// A one-way reader needs so many states, or bits.
    Count {
        /// A named task in JSON, when the claim names a task and not a game.
        task: Option<Json>,
        /// Count bits (ceil log2) and not states.
        bits: bool,
        /// How it is compared.
        bound: Bound,
        /// With what.
        number: BigUint,
    },
    /// Comparisons at all points.
    Inequality {
        /// Text of `for`, or empty.
        range: String,
        /// Constants, as in the file.
        lets: Json,
        /// Texts of the comparisons.
        holds: Vec<String>,
    },
    /// A paper's inequalities at given parameters.
    Parameters(Parameters),
    /// A bound of the proof scheme.
    Derive(Box<Derivation>),
    /// A number of a model, or its layout.
    Model(ModelClaim),
    /// About kernels.
    Rank(Box<Ranking>),
    /// A pointer machine computes k-hop.
    Recursion(Box<Recursion>),
    /// The depth of protocol trees of a matrix.
    Matrix(Box<MatrixClaim>),
    /// A reduction to k-hop, or a number of the cycle problem.
    Reduction(Box<ReductionClaim>),
}

/// A statement about a paper's own parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Paper key.
    pub paper: String,
    /// Texts of the four parameters: steps, c, d, a1.
    pub values: [String; 4],
    /// Text of `for`, or empty.
    pub range: String,
    /// What is asserted.
    pub assertion: Assertion,
}

/// What a parameter claim asserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assertion {
    /// The check with this id holds.
    Check(String),
    /// These comparisons hold.
    Holds(Vec<String>),
}

impl Statement {
    /// The tag.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Independent { .. } => "independent",
            Self::Cuts { .. } => "cuts",
            Self::Solvable => "solvable",
            Self::Unsolvable => "unsolvable",
            Self::Correct => "correct",
            Self::Wrong => "wrong",
            Self::Decomposition(_) => "decomposition",
            Self::Count { .. } => "count",
            Self::Inequality { .. } => "inequality",
            Self::Parameters(_) => "parameters",
            Self::Derive(_) => "derive",
            Self::Model(_) => "model",
            Self::Rank(_) => "rank",
            Self::Recursion(_) => "recursion",
            Self::Matrix(_) => "matrix",
            Self::Reduction(claim) => claim.tag(),
        }
    }

    /// True when evidence carries a game in its `spec`.
    pub fn is_about_game(&self) -> bool {
        match self {
            Self::Independent { .. }
            | Self::Cuts { .. }
            | Self::Solvable
            | Self::Unsolvable
            | Self::Correct
            | Self::Wrong
            | Self::Decomposition(_)
            | Self::Count { task: None, .. } => true,
            Self::Count { task: Some(_), .. }
            | Self::Inequality { .. }
            | Self::Parameters(_)
            | Self::Derive(_)
            | Self::Model(_)
            | Self::Rank(_)
            | Self::Recursion(_)
            | Self::Reduction(_) => false,
            Self::Matrix(claim) => claim.is_about_game(),
        }
    }

    /// True when evidence carries a strategy in its `spec`.
    pub fn needs_strategy(&self) -> bool {
        matches!(self, Self::Correct | Self::Wrong | Self::Decomposition(_))
    }

    /// The text of `for` of a claim over a range.
    pub fn range(&self) -> Option<&str> {
        match self {
            Self::Inequality { range, .. } | Self::Parameters(Parameters { range, .. }) => {
                Some(range)
            }
            Self::Recursion(claim) => Some(&claim.range),
            Self::Independent { .. }
            | Self::Cuts { .. }
            | Self::Solvable
            | Self::Unsolvable
            | Self::Correct
            | Self::Wrong
            | Self::Decomposition(_)
            | Self::Count { .. }
            | Self::Derive(_)
            | Self::Model(_)
            | Self::Rank(_)
            | Self::Matrix(_)
            | Self::Reduction(_) => None,
        }
    }

    /// `{kind: {..}}` with defaults written out.
    pub fn to_json(&self, game: Option<&Game>) -> Json {
        let label =
            |id: PlayerId| game.map_or(String::new(), |game| game.player(id).label.0.clone());
        let places = |list: &[SlotId]| list.iter().map(|slot| slot.0).collect::<Vec<_>>();
        let body = match self {
            Self::Independent {
                of,
                view,
                after,
                pinned,
            } => {
                json!({"of": label(*of), "view": label(*view), "after": after, "pinned": places(pinned)})
            }
            Self::Cuts {
                of,
                view,
                after,
                equals,
            } => {
                let equals: Vec<Vec<usize>> = equals.iter().map(|cut| places(cut)).collect();
                json!({"of": label(*of), "view": label(*view), "after": after, "equals": equals})
            }
            Self::Solvable | Self::Unsolvable | Self::Correct | Self::Wrong => json!({}),
            Self::Count {
                task,
                bits,
                bound,
                number,
            } => {
                let mut body = json!({"of": if *bits { "bits" } else { "states" }, bound.key(): number.to_string()});
                if let (Some(task), Some(map)) = (task, body.as_object_mut()) {
                    map.insert("task".to_owned(), task.clone());
                }
                body
            }
            Self::Derive(derivation) => derivation.to_json(),
            Self::Model(claim) => claim.to_json(),
            Self::Rank(ranking) => ranking.to_json(),
            Self::Recursion(claim) => claim.to_json(),
            Self::Matrix(claim) => claim.to_json(),
            Self::Reduction(claim) => claim.to_json(),
            Self::Decomposition(stated) => stated.to_json(),
            Self::Inequality { range, lets, holds } => {
                json!({"for": range, "let": lets, "holds": holds})
            }
            Self::Parameters(parameters) => {
                let [steps, c, d, a1] = &parameters.values;
                let mut body = json!({
                    "paper": parameters.paper, "steps": steps, "c": c, "d": d, "a1": a1, "for": parameters.range,
                });
                if let Some(map) = body.as_object_mut() {
                    match &parameters.assertion {
                        Assertion::Check(id) => map.insert("check".to_owned(), json!(id)),
                        Assertion::Holds(texts) => map.insert("holds".to_owned(), json!(texts)),
                    };
                }
                body
            }
        };
        json!({ self.kind(): body })
    }
}

/// A statement in JSON form, checked for shape only.
#[derive(Clone, Debug)]
pub enum RawStatement {
    /// A flow statement; labels and slots are resolved later.
    Flow {
        /// Whose input.
        of: String,
        /// Whose view.
        view: String,
        /// Rounds.
        after: usize,
        /// `pinned`, or `None` for a list of cuts.
        pinned: Option<Vec<usize>>,
        /// `equals` of a list of cuts.
        equals: Vec<Vec<usize>>,
    },
    /// A statement that needs no game to be read.
    Ready(Statement),
}

impl RawStatement {
    /// Reads `{kind: {..}}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`, `unknown-kind`.
    pub fn read(place: &Place<'_>) -> Result<Self, Rejection> {
        let tags: Vec<&str> = KINDS
            .iter()
            .filter(|kind| kind.available)
            .map(|kind| kind.name)
            .collect();
        let (tag, body) = place.tagged(&tags)?;
        let indices = |place: &Place<'_>| {
            place
                .list()?
                .iter()
                .map(|item| item.index())
                .collect::<Result<Vec<_>, _>>()
        };
        let text = |key: &str| body.get(key)?.text().map(str::to_owned);
        let texts = |key: &str| {
            let place = body.get(key)?;
            let items = place.list()?;
            if items.is_empty() {
                return Err(Rejection::new(
                    place.at,
                    Code::Malformed,
                    "an empty list",
                    "at least one comparison",
                ));
            }
            items
                .iter()
                .map(|item| item.text().map(str::to_owned))
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(match tag {
            "independent" => {
                body.object(&["after", "of", "pinned", "view"], &[])?;
                Self::Flow {
                    of: text("of")?,
                    view: text("view")?,
                    after: body.get("after")?.index()?,
                    pinned: Some(indices(&body.get("pinned")?)?),
                    equals: Vec::new(),
                }
            }
            "cuts" => {
                body.object(&["after", "equals", "of", "view"], &[])?;
                Self::Flow {
                    of: text("of")?,
                    view: text("view")?,
                    after: body.get("after")?.index()?,
                    pinned: None,
                    equals: body
                        .get("equals")?
                        .list()?
                        .iter()
                        .map(indices)
                        .collect::<Result<_, _>>()?,
                }
            }
            "count" => Self::Ready(count(&body)?),
            "decomposition" => Self::Ready(Statement::Decomposition(Decomposed::read(&body)?)),
            "derive" => Self::Ready(Statement::Derive(Box::new(Derivation::read(&body)?))),
            "model" => Self::Ready(Statement::Model(ModelClaim::read(&body)?)),
            "recursion" => Self::Ready(Statement::Recursion(Box::new(Recursion::read(&body)?))),
            "rank" => Self::Ready(Statement::Rank(Box::new(Ranking::read(&body)?))),
            "reduction" | "cycles" => {
                let claim = ReductionClaim::read(tag, &body)?;
                Self::Ready(Statement::Reduction(Box::new(claim)))
            }
            "matrix" => Self::Ready(Statement::Matrix(Box::new(MatrixClaim::read(&body)?))),
            "inequality" => {
                body.object(&["for", "holds", "let"], &[])?;
                body.get("let")?.map()?;
                Self::Ready(Statement::Inequality {
                    range: text("for")?,
                    lets: body.get("let")?.json.clone(),
                    holds: texts("holds")?,
                })
            }
            "parameters" => {
                body.object(
                    &["a1", "c", "d", "for", "paper", "steps"],
                    &["check", "holds"],
                )?;
                let assertion = match (body.maybe("check"), body.maybe("holds")) {
                    (Some(check), None) => Assertion::Check(check.text()?.to_owned()),
                    (None, Some(_)) => Assertion::Holds(texts("holds")?),
                    _ => {
                        return Err(Rejection::new(
                            body.at,
                            Code::Malformed,
                            "neither or both",
                            "one of check, holds",
                        ));
                    }
                };
                Self::Ready(Statement::Parameters(Parameters {
                    paper: text("paper")?,
                    values: [text("steps")?, text("c")?, text("d")?, text("a1")?],
                    range: text("for")?,
                    assertion,
                }))
            }
            other => {
                body.object(&[], &[])?;
                Self::Ready(match other {
                    "solvable" => Statement::Solvable,
                    "unsolvable" => Statement::Unsolvable,
                    "correct" => Statement::Correct,
                    _ => Statement::Wrong,
                })
            }
        })
    }

    /// Resolves labels and slots.
    ///
    /// # Errors
    /// `malformed` for players and rounds that do not exist, or lists that are not in order; `coverage` for slots that do not
    /// exist.
    pub fn resolve(self, game: Option<&Game>) -> Result<Statement, Rejection> {
        let (of, view, after, pinned, equals) = match self {
            Self::Ready(statement) => return Ok(statement),
            Self::Flow {
                of,
                view,
                after,
                pinned,
                equals,
            } => (of, view, after, pinned, equals),
        };
        let tag = if pinned.is_some() {
            "independent"
        } else {
            "cuts"
        };
        let wrong = |key: &str, found: String, expected: &str| {
            Rejection::new(
                format!("/statement/{tag}/{key}"),
                Code::Malformed,
                found,
                expected,
            )
        };
        let Some(game) = game else {
            return Err(wrong("of", "no game".to_owned(), "a game in spec"));
        };
        let player = |key: &str, label: &str| {
            game.find_player(label)
                .ok_or_else(|| wrong(key, label.to_owned(), "a player of the game"))
        };
        let (of, view) = (player("of", &of)?, player("view", &view)?);
        if after > game.rounds() {
            return Err(wrong(
                "after",
                after.to_string(),
                &format!("at most {} rounds", game.rounds()),
            ));
        }
        let slots = |key: &str, list: &[usize]| {
            if !list.windows(2).all(|pair| pair[0] < pair[1]) {
                return Err(wrong(key, format!("{list:?}"), "slots in increasing order"));
            }
            let count = game.slots().len();
            match list.iter().find(|slot| **slot >= count) {
                None => Ok(list.iter().copied().map(SlotId).collect::<Vec<_>>()),
                Some(slot) => {
                    let at = format!("/statement/{tag}/{key}");
                    Err(Rejection::new(
                        at,
                        Code::Coverage,
                        slot.to_string(),
                        format!("a slot in 0..<{count}"),
                    ))
                }
            }
        };
        Ok(if let Some(pinned) = pinned {
            Statement::Independent {
                of,
                view,
                after,
                pinned: slots("pinned", &pinned)?,
            }
        } else {
            let equals: Vec<Vec<SlotId>> = equals
                .iter()
                .map(|cut| slots("equals", cut))
                .collect::<Result<_, _>>()?;
            if !equals
                .windows(2)
                .all(|pair| (pair[0].len(), &pair[0]) < (pair[1].len(), &pair[1]))
            {
                return Err(wrong(
                    "equals",
                    format!("{equals:?}"),
                    "shorter cuts first, then lexicographic",
                ));
            }
            Statement::Cuts {
                of,
                view,
                after,
                equals,
            }
        })
    }
}

fn count(body: &Place<'_>) -> Result<Statement, Rejection> {
    body.object(&["of"], &["equals", "at_least", "at_most", "task"])?;
    let given: Vec<(&str, Bound)> = Bound::ALL
        .into_iter()
        .filter(|(key, _)| body.maybe(key).is_some())
        .collect();
    let [(key, bound)] = given.as_slice() else {
        return Err(Rejection::new(
            body.at.clone(),
            Code::Malformed,
            format!("{} bounds", given.len()),
            "one of equals, at_least, at_most",
        ));
    };
    let of = body.get("of")?;
    let bits = match of.text()? {
        "states" => false,
        "bits" => true,
        other => {
            return Err(Rejection::new(
                of.at,
                Code::Malformed,
                other,
                "states or bits",
            ));
        }
    };
    let task = body
        .maybe("task")
        .map(|task| task.map().map(|_| task.json.clone()))
        .transpose()?;
    Ok(Statement::Count {
        task,
        bits,
        bound: *bound,
        number: body.get(key)?.count()?,
    })
}

/// The one-way game of a named task, with a silent slot: counting asks how many symbols it would need.
///
/// # Errors
/// As a game file with this task.
pub fn one_way_setting(task: &Json, limits: Limits) -> Result<Setting, FileError> {
    let file = json!({"family": {"one_way": {"symbols": "1"}}, "task": task});
    setting::resolve(
        &Source::new("task", ""),
        &Tree::from_json(&file),
        &Overrides::new(),
        limits,
    )
}

/// The same one-way game from the first player to the second, with `symbols` symbols on the one slot; `None` for another game.
pub fn one_way_with(game: &Game, symbols: &BigUint) -> Option<Game> {
    OneWay::of(game).filter(|roles| roles.speaker == PlayerId(0))?;
    let [alice, bob] = game.players() else {
        return None;
    };
    let symbols = Alphabet::new(symbols.clone()).ok()?;
    crate::game::family::one_way::game(symbols, alice.domain.clone(), bob.domain.clone()).ok()
}

/// Reads the scope of evidence.
///
/// # Errors
/// `malformed`, `unknown-kind` for an unknown word.
pub fn scope(place: &Place<'_>) -> Result<Scope, Rejection> {
    if let Some(word) = place.json.as_str() {
        return match word {
            "this-protocol" => Ok(Scope::ThisProtocol),
            "every-protocol-of-this-game" => Ok(Scope::EveryProtocolOfThisGame),
            "this-parameter-point" => Ok(Scope::ThisParameterPoint),
            other => Err(Rejection::new(
                place.at.clone(),
                Code::UnknownKind,
                other,
                "a scope",
            )),
        };
    }
    let (_, range) = place.tagged(&["this-range"])?;
    range.object(&["for"], &[])?;
    Ok(Scope::ThisRange(range.get("for")?.text()?.to_owned()))
}

/// The digest of a statement that is not about a game.
pub fn plain_digest(spec: &Json, statement: &Json) -> String {
    let mut object = Map::new();
    object.insert("spec".to_owned(), spec.clone());
    object.insert("statement".to_owned(), statement.clone());
    crate::evidence::digest::of_bytes(canonical::text(&Json::Object(object)).as_bytes())
}
