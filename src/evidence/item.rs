//! Evidence objects: the externally tagged items of the list `evidence`.
#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the methods are not general enough over lifetimes"
)]

use crate::evidence::decomposition::Stored;
use crate::evidence::derive::{StoredBound, StoredExponent, uniform_shape};
use crate::evidence::ledger::StoredGame;
use crate::evidence::matrix::AboutMatrix;
use crate::evidence::rank::{self, StoredCode, StoredDual, StoredKernel, StoredSoftmax};
use crate::evidence::reduction::AboutReduction;
use crate::evidence::shape::{Place, Rejection};
use crate::exact::Digits;
use crate::game::structure::separation::Separator;
use crate::game::structure::{
    Classes, Clique, Code, Conflict, Counterexample, Family, NoAnswer, Pair, ProtocolTables,
};
use crate::game::{Answer, Game, Inputs, PlayerId, SlotId};
use num_bigint::BigUint;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// An object from player label to digits, before the game is known.
type RawInputs = BTreeMap<String, Digits>;

/// One item of evidence in JSON form, checked for shape only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Raw {
    /// The pinned slots are a cut.
    Cut,
    /// A leak.
    Relay {
        /// Slots of the path.
        path: Vec<usize>,
        /// First input.
        left: RawInputs,
        /// Second input.
        right: RawInputs,
    },
    /// All minimal cuts.
    Cuts(Vec<Vec<usize>>),
    /// A protocol.
    Protocol {
        /// Per chosen slot.
        tables: Vec<Option<Vec<u64>>>,
        /// In key order.
        answers: Vec<u64>,
    },
    /// A distinguishing family.
    Family {
        /// Labels of A.
        side: Vec<String>,
        /// Inputs of A.
        members: Vec<RawInputs>,
        /// Inputs of B.
        tests: Vec<RawInputs>,
        /// Most patterns.
        bound: BigUint,
        /// For relations.
        separators: Option<Vec<Separator>>,
    },
    /// Pairwise separated inputs of a one-way speaker.
    Classes {
        /// Digits of the speaker.
        members: Vec<Digits>,
        /// Digits of the listener.
        tests: Vec<Digits>,
        /// For relations.
        separators: Option<Vec<Separator>>,
    },
    /// Pairwise conflicting inputs.
    Colouring {
        /// Digits.
        clique: Vec<Digits>,
        /// Alphabet.
        symbols: BigUint,
    },
    /// A wrong answer.
    Counterexample {
        /// On this input.
        input: RawInputs,
        /// This answer.
        answer: BigUint,
    },
    /// Two inputs.
    Pair {
        /// First.
        left: RawInputs,
        /// Second.
        right: RawInputs,
    },
    /// Three or more inputs.
    Conflict(Vec<RawInputs>),
    /// A full enumeration, with the file `ranges.jsonl`.
    Enumeration(Enumeration),
    /// A comparison of two numbers; checked against the recomputed object as a whole.
    Comparison(Json),
    /// An input on which nothing is accepted.
    NoAnswer(RawInputs),
    /// An input core, with the files `formula.cnf` and `proof.lrat.gz`.
    NoProtocol {
        /// Name of the encoding.
        encoding: String,
        /// The core.
        inputs: Vec<RawInputs>,
        /// Names of the symmetry schemata.
        symmetry: Vec<String>,
        /// Variables of the formula.
        vars: BigUint,
        /// Clauses of the formula.
        clauses: BigUint,
    },
    /// Evidence about a derived bound; checked against the recomputed object as a whole.
    Derived(Derived, Json),
    /// The rows of a model's state.
    Ledger(Json),
    /// Evidence about kernels; read again by its checker.
    Kernelled(Kernelled, Json),
    /// Evidence about a matrix; read again where the matrix is known.
    Matrix(AboutMatrix, Json),
    /// Evidence about a reduction or about cycles.
    Reduction(AboutReduction, Json),
    /// A decomposition; its numbers are checked against recomputed ones.
    Decomposition(Box<Stored>),
}

/// Evidence about kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernelled {
    /// Factors and a readout.
    Kernel,
    /// Weights that refute.
    Farkas,
    /// Words that bound the rank.
    Code,
    /// Primal and dual vectors of a ratio.
    Dual,
    /// The degree of Taylor sums.
    Softmax,
}

impl Kernelled {
    /// The tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Farkas => "farkas",
            Self::Code => "code",
            Self::Dual => "dual",
            Self::Softmax => "softmax",
        }
    }
}

/// Evidence about derived bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// The ledger of a point.
    Bound,
    /// A box without a point that closes.
    Exhausted,
    /// Primal and dual vectors of the exponent program.
    Exponent,
    /// The polynomial of the closed form.
    Uniform,
    /// The ledger of a game, edge by edge.
    Game,
}

impl Derived {
    /// The tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Bound => "derive_bound",
            Self::Exhausted => "derive_exhausted",
            Self::Exponent => "derive_exponent",
            Self::Uniform => "derive_uniform",
            Self::Game => "derive_game",
        }
    }
}

/// The summary of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// Result digest.
    pub digest: String,
    /// Sizes of the digits of the domain.
    pub domain: Vec<BigUint>,
    /// Items per range.
    pub range: BigUint,
    /// What the items are: `correct-v1`.
    pub search: String,
    /// Totals of the search.
    pub summary: Map<String, Json>,
    /// Number of items.
    pub total: BigUint,
}

/// The kinds that are known.
pub const KINDS: &[&str] = &[
    "cut",
    "relay",
    "cuts",
    "protocol",
    "family",
    "classes",
    "colouring",
    "counterexample",
    "pair",
    "conflict",
    "enumeration",
    "comparison",
    "decomposition",
    "derive_bound",
    "derive_exhausted",
    "derive_exponent",
    "no_answer",
    "derive_uniform",
    "derive_game",
    "no_protocol",
    "ledger",
    "kernel",
    "farkas",
    "code",
    "dual",
    "softmax",
    "tree",
    "fooling_set",
    "minor",
    "exhausted",
    "round_exhausted",
    "depth_histogram",
    "all_instances",
    "failing_instance",
    "signs",
    "shared_words",
    "split_colouring",
];

/// Evidence for one game, its labels and slots resolved.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The pinned slots are a cut.
    Cut,
    /// A leak: path and two inputs.
    Relay {
        /// Slots of the path.
        path: Vec<SlotId>,
        /// First input.
        left: Inputs,
        /// Second input.
        right: Inputs,
    },
    /// All minimal cuts.
    Cuts(Vec<Vec<SlotId>>),
    /// A protocol.
    Protocol(ProtocolTables),
    /// A distinguishing family.
    Family(Family),
    /// Separated inputs.
    Classes(Classes),
    /// A clique of conflicts.
    Colouring(Clique),
    /// A wrong answer.
    Counterexample(Counterexample),
    /// An indistinguishable pair.
    Pair(Pair),
    /// More than two inputs without a common answer.
    Conflict(Conflict),
    /// A full enumeration.
    Enumeration(Enumeration),
    /// A comparison.
    Comparison(Json),
    /// About a derived bound.
    Derived(Derived, Json),
    /// An input on which nothing is accepted.
    NoAnswer(NoAnswer),
    /// The rows of a model's state.
    Ledger(Json),
    /// About kernels.
    Kernelled(Kernelled, Json),
    /// About a matrix.
    Matrix(AboutMatrix, Json),
    /// About a reduction or about cycles.
    Reduction(AboutReduction, Json),
    /// A decomposition.
    Decomposition(Json),
    /// A refuted formula.
    NoProtocol(NoProtocol),
}

/// A formula that says "some protocol is accepted on these inputs", refuted in an attached file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoProtocol {
    /// Name of the encoding.
    pub encoding: String,
    /// The input core, in input order.
    pub inputs: Vec<Inputs>,
    /// Names of the symmetry schemata.
    pub symmetry: Vec<String>,
    /// Variables of the formula.
    pub vars: BigUint,
    /// Clauses of the formula.
    pub clauses: BigUint,
}

impl NoProtocol {
    /// Name of the attached formula.
    pub const FORMULA: &str = "formula.cnf";
    /// Name of the attached proof.
    pub const PROOF: &str = "proof.lrat.gz";

    /// What no checker re-proves: the lemmas of the encoding and of the schemata.
    pub fn trust(&self) -> Vec<String> {
        let schemata = self.symmetry.iter();
        std::iter::once(format!("encoding:{}", self.encoding))
            .chain(schemata.map(|schema| format!("symmetry:{schema}")))
            .collect()
    }
}

impl Raw {
    /// Reads one item.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`, `unknown-kind`.
    pub fn read(place: &Place<'_>) -> Result<Self, Rejection> {
        let (tag, body) = place.tagged(KINDS)?;
        Ok(match tag {
            "cut" => {
                body.object(&[], &[])?;
                Self::Cut
            }
            "relay" => {
                body.object(&["left", "path", "right"], &[])?;
                Self::Relay {
                    path: indices(&body.get("path")?)?,
                    left: raw_inputs(&body.get("left")?)?,
                    right: raw_inputs(&body.get("right")?)?,
                }
            }
            "cuts" => {
                body.object(&["cuts"], &[])?;
                Self::Cuts(each(&body.get("cuts")?, indices)?)
            }
            "protocol" => {
                body.object(&["answers", "tables"], &[])?;
                let table = |place: &Place<'_>| {
                    if place.json.is_null() {
                        Ok(None)
                    } else {
                        small_counts(place).map(Some)
                    }
                };
                Self::Protocol {
                    tables: each(&body.get("tables")?, table)?,
                    answers: small_counts(&body.get("answers")?)?,
                }
            }
            "family" => {
                body.object(&["bound", "members", "side", "tests"], &["separators"])?;
                Self::Family {
                    side: each(&body.get("side")?, |place| Ok(place.text()?.to_owned()))?,
                    members: each(&body.get("members")?, raw_inputs)?,
                    tests: each(&body.get("tests")?, raw_inputs)?,
                    bound: body.get("bound")?.count()?,
                    separators: separators(&body)?,
                }
            }
            "classes" => {
                body.object(&["members", "tests"], &["separators"])?;
                Self::Classes {
                    members: each(&body.get("members")?, digits)?,
                    tests: each(&body.get("tests")?, digits)?,
                    separators: separators(&body)?,
                }
            }
            "colouring" => {
                body.object(&["clique", "symbols"], &[])?;
                Self::Colouring {
                    clique: each(&body.get("clique")?, digits)?,
                    symbols: body.get("symbols")?.count()?,
                }
            }
            "counterexample" => {
                body.object(&["answer", "input"], &[])?;
                Self::Counterexample {
                    input: raw_inputs(&body.get("input")?)?,
                    answer: body.get("answer")?.count()?,
                }
            }
            "pair" => {
                body.object(&["left", "right"], &[])?;
                Self::Pair {
                    left: raw_inputs(&body.get("left")?)?,
                    right: raw_inputs(&body.get("right")?)?,
                }
            }
            "conflict" => {
                body.object(&["inputs"], &[])?;
                Self::Conflict(each(&body.get("inputs")?, raw_inputs)?)
            }
            "enumeration" => {
                body.object(
                    &["digest", "domain", "range", "search", "summary", "total"],
                    &[],
                )?;
                Self::Enumeration(Enumeration {
                    digest: body.get("digest")?.text()?.to_owned(),
                    domain: each(&body.get("domain")?, |place| place.count())?,
                    range: body.get("range")?.count()?,
                    search: body.get("search")?.text()?.to_owned(),
                    summary: body.get("summary")?.map()?.clone(),
                    total: body.get("total")?.count()?,
                })
            }
            "decomposition" => Self::Decomposition(Box::new(Stored::read(&body)?)),
            "derive_bound" => {
                StoredBound::read(&body)?;
                Self::Derived(Derived::Bound, body.json.clone())
            }
            "derive_exhausted" => {
                body.object(&["below", "points"], &[])?;
                body.get("below")?.count()?;
                body.get("points")?.count()?;
                Self::Derived(Derived::Exhausted, body.json.clone())
            }
            "derive_exponent" => {
                StoredExponent::read(&body)?;
                Self::Derived(Derived::Exponent, body.json.clone())
            }
            "no_answer" => {
                body.object(&["input"], &[])?;
                Self::NoAnswer(raw_inputs(&body.get("input")?)?)
            }
            "ledger" => {
                crate::evidence::model::shape(&body)?;
                Self::Ledger(body.json.clone())
            }
            "kernel" => {
                StoredKernel::read(&body)?;
                Self::Kernelled(Kernelled::Kernel, body.json.clone())
            }
            "farkas" => {
                rank::farkas(&body)?;
                Self::Kernelled(Kernelled::Farkas, body.json.clone())
            }
            "code" => {
                StoredCode::read(&body)?;
                Self::Kernelled(Kernelled::Code, body.json.clone())
            }
            "dual" => {
                StoredDual::read(&body)?;
                Self::Kernelled(Kernelled::Dual, body.json.clone())
            }
            "softmax" => {
                StoredSoftmax::read(&body)?;
                Self::Kernelled(Kernelled::Softmax, body.json.clone())
            }
            "derive_uniform" => {
                uniform_shape(&body)?;
                Self::Derived(Derived::Uniform, body.json.clone())
            }
            "derive_game" => {
                StoredGame::read(&body)?;
                Self::Derived(Derived::Game, body.json.clone())
            }
            "no_protocol" => {
                body.object(&["clauses", "encoding", "inputs", "symmetry", "vars"], &[])?;
                let text = |place: &Place<'_>| Ok(place.text()?.to_owned());
                Self::NoProtocol {
                    encoding: text(&body.get("encoding")?)?,
                    inputs: each(&body.get("inputs")?, raw_inputs)?,
                    symmetry: each(&body.get("symmetry")?, text)?,
                    vars: body.get("vars")?.count()?,
                    clauses: body.get("clauses")?.count()?,
                }
            }
            _ => {
                if let Some(kind) = AboutMatrix::of_tag(tag) {
                    kind.check_shape(&body)?;
                    return Ok(Self::Matrix(kind, body.json.clone()));
                }
                if let Some(kind) = AboutReduction::of_tag(tag) {
                    kind.check_shape(&body)?;
                    return Ok(Self::Reduction(kind, body.json.clone()));
                }
                comparison(&body)?;
                Self::Comparison(body.json.clone())
            }
        })
    }

    /// The tag.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::Relay { .. } => "relay",
            Self::Cuts(_) => "cuts",
            Self::Protocol { .. } => "protocol",
            Self::Family { .. } => "family",
            Self::Classes { .. } => "classes",
            Self::Colouring { .. } => "colouring",
            Self::Counterexample { .. } => "counterexample",
            Self::Pair { .. } => "pair",
            Self::Conflict(_) => "conflict",
            Self::Enumeration(_) => "enumeration",
            Self::Comparison(_) => "comparison",
            Self::Derived(kind, _) => kind.tag(),
            Self::NoAnswer(_) => "no_answer",
            Self::Ledger(_) => "ledger",
            Self::Kernelled(kind, _) => kind.tag(),
            Self::Matrix(kind, _) => kind.tag(),
            Self::Reduction(kind, _) => kind.tag(),
            Self::Decomposition(_) => "decomposition",
            Self::NoProtocol { .. } => "no_protocol",
        }
    }

    /// Resolves labels and slots against a game; `at` is where the item's body stands.
    ///
    /// # Errors
    /// `domain` for players that are missing or too many, `coverage` for slots that do not exist.
    pub fn resolve(&self, game: &Game, at: &str) -> Result<Evidence, Rejection> {
        let full = |raw: &RawInputs, key: &str| {
            let all: Vec<PlayerId> = (0..game.players().len()).map(PlayerId).collect();
            player_digits(game, &all, raw, &format!("{at}/{key}")).map(Inputs)
        };
        Ok(match self {
            Self::Cut => Evidence::Cut,
            Self::Relay { path, left, right } => Evidence::Relay {
                path: slots(game, path, &format!("{at}/path"))?,
                left: full(left, "left")?,
                right: full(right, "right")?,
            },
            Self::Cuts(cuts) => Evidence::Cuts(
                cuts.iter()
                    .enumerate()
                    .map(|(i, cut)| slots(game, cut, &format!("{at}/cuts/{i}")))
                    .collect::<Result<_, _>>()?,
            ),
            Self::Protocol { tables, answers } => Evidence::Protocol(ProtocolTables {
                tables: tables.clone(),
                answers: answers.clone(),
            }),
            Self::Family {
                side,
                members,
                tests,
                bound,
                separators,
            } => {
                let side = side
                    .iter()
                    .enumerate()
                    .map(|(i, label)| {
                        game.find_player(label).ok_or_else(|| {
                            Rejection::new(
                                format!("{at}/side/{i}"),
                                Code::Domain,
                                label.clone(),
                                "a player of the game",
                            )
                        })
                    })
                    .collect::<Result<Vec<_>, _>>()?;
                let others: Vec<PlayerId> = (0..game.players().len())
                    .map(PlayerId)
                    .filter(|id| !side.contains(id))
                    .collect();
                let all = |players: &[PlayerId], list: &[RawInputs], key: &str| {
                    list.iter()
                        .enumerate()
                        .map(|(i, raw)| {
                            player_digits(game, players, raw, &format!("{at}/{key}/{i}"))
                        })
                        .collect::<Result<Vec<_>, _>>()
                };
                Evidence::Family(Family {
                    members: all(&side, members, "members")?,
                    tests: all(&others, tests, "tests")?,
                    side,
                    bound: bound.clone(),
                    separators: separators.clone(),
                })
            }
            Self::Classes {
                members,
                tests,
                separators,
            } => Evidence::Classes(Classes {
                members: members.clone(),
                tests: tests.clone(),
                separators: separators.clone(),
            }),
            Self::Colouring { clique, symbols } => Evidence::Colouring(Clique {
                members: clique.clone(),
                symbols: symbols.clone(),
            }),
            Self::Counterexample { input, answer } => {
                // An answer above 2^64 cannot be given by any protocol here.
                let answer = u64::try_from(answer.clone()).unwrap_or(u64::MAX);
                Evidence::Counterexample(Counterexample {
                    input: full(input, "input")?,
                    answer: Answer(answer),
                })
            }
            Self::Pair { left, right } => Evidence::Pair(Pair {
                left: full(left, "left")?,
                right: full(right, "right")?,
            }),
            Self::Conflict(inputs) => Evidence::Conflict(Conflict {
                inputs: inputs
                    .iter()
                    .enumerate()
                    .map(|(i, raw)| full(raw, &format!("inputs/{i}")))
                    .collect::<Result<_, _>>()?,
            }),
            Self::Enumeration(enumeration) => Evidence::Enumeration(enumeration.clone()),
            Self::Comparison(json) => Evidence::Comparison(json.clone()),
            Self::Derived(kind, json) => Evidence::Derived(*kind, json.clone()),
            Self::NoAnswer(input) => Evidence::NoAnswer(NoAnswer {
                input: full(input, "input")?,
            }),
            Self::Ledger(json) => Evidence::Ledger(json.clone()),
            Self::Kernelled(kind, json) => Evidence::Kernelled(*kind, json.clone()),
            Self::Matrix(kind, json) => Evidence::Matrix(*kind, json.clone()),
            Self::Reduction(kind, json) => Evidence::Reduction(*kind, json.clone()),
            Self::Decomposition(stored) => Evidence::Decomposition(stored.json.clone()),
            Self::NoProtocol {
                encoding,
                inputs,
                symmetry,
                vars,
                clauses,
            } => Evidence::NoProtocol(NoProtocol {
                encoding: encoding.clone(),
                inputs: inputs
                    .iter()
                    .enumerate()
                    .map(|(i, raw)| full(raw, &format!("inputs/{i}")))
                    .collect::<Result<_, _>>()?,
                symmetry: symmetry.clone(),
                vars: vars.clone(),
                clauses: clauses.clone(),
            }),
        })
    }
}

impl Evidence {
    /// The JSON item.
    pub fn to_json(&self, game: &Game) -> Json {
        let full = |inputs: &Inputs| {
            let all: Vec<PlayerId> = (0..game.players().len()).map(PlayerId).collect();
            inputs_json(game, &all, &inputs.0)
        };
        let places = |list: &[SlotId]| list.iter().map(|slot| slot.0).collect::<Vec<_>>();
        let texts = |list: &[u64]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        match self {
            Self::Cut => json!({"cut": {}}),
            Self::Relay { path, left, right } => {
                json!({"relay": {"path": places(path), "left": full(left), "right": full(right)}})
            }
            Self::Cuts(cuts) => {
                json!({"cuts": {"cuts": cuts.iter().map(|cut| places(cut)).collect::<Vec<_>>()}})
            }
            Self::Protocol(protocol) => {
                let tables: Vec<Option<Vec<String>>> = protocol
                    .tables
                    .iter()
                    .map(|table| table.as_deref().map(texts))
                    .collect();
                json!({"protocol": {"answers": texts(&protocol.answers), "tables": tables}})
            }
            Self::Family(family) => {
                let others = family.others(game);
                let mut body = json!({
                    "bound": family.bound.to_string(),
                    "side": family.side.iter().map(|id| game.player(*id).label.0.clone()).collect::<Vec<_>>(),
                    "members": family.members.iter().map(|member| inputs_json(game, &family.side, member)).collect::<Vec<_>>(),
                    "tests": family.tests.iter().map(|test| inputs_json(game, &others, test)).collect::<Vec<_>>(),
                });
                insert_separators(&mut body, family.separators.as_deref());
                json!({"family": body})
            }
            Self::Classes(classes) => {
                let mut body = json!({"members": classes.members, "tests": classes.tests});
                insert_separators(&mut body, classes.separators.as_deref());
                json!({"classes": body})
            }
            Self::Colouring(clique) => {
                json!({"colouring": {"clique": clique.members, "symbols": clique.symbols.to_string()}})
            }
            Self::Counterexample(wrong) => {
                json!({"counterexample": {"answer": wrong.answer.0.to_string(), "input": full(&wrong.input)}})
            }
            Self::Pair(pair) => {
                json!({"pair": {"left": full(&pair.left), "right": full(&pair.right)}})
            }
            Self::Conflict(conflict) => {
                json!({"conflict": {"inputs": conflict.inputs.iter().map(full).collect::<Vec<_>>()}})
            }
            Self::Enumeration(enumeration) => json!({"enumeration": {
                "digest": enumeration.digest,
                "domain": enumeration.domain.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "range": enumeration.range.to_string(),
                "search": enumeration.search,
                "summary": enumeration.summary,
                "total": enumeration.total.to_string(),
            }}),
            Self::Comparison(json) => json!({"comparison": json}),
            Self::Derived(kind, json) => json!({kind.tag(): json}),
            Self::NoAnswer(found) => json!({"no_answer": {"input": full(&found.input)}}),
            Self::Ledger(json) => json!({"ledger": json}),
            Self::Kernelled(kind, json) => json!({kind.tag(): json}),
            Self::Matrix(kind, json) => json!({kind.tag(): json}),
            Self::Reduction(kind, json) => json!({kind.tag(): json}),
            Self::Decomposition(json) => json!({"decomposition": json}),
            Self::NoProtocol(found) => json!({"no_protocol": {
                "clauses": found.clauses.to_string(),
                "encoding": found.encoding,
                "inputs": found.inputs.iter().map(full).collect::<Vec<_>>(),
                "symmetry": found.symmetry,
                "vars": found.vars.to_string(),
            }}),
        }
    }
}

fn insert_separators(body: &mut Json, separators: Option<&[Separator]>) {
    if let (Some(list), Some(map)) = (separators, body.as_object_mut()) {
        let rows: Vec<[usize; 3]> = list
            .iter()
            .map(|Separator(a, b, test)| [*a, *b, *test])
            .collect();
        map.insert("separators".to_owned(), json!(rows));
    }
}

fn inputs_json(game: &Game, players: &[PlayerId], digits: &[Digits]) -> Json {
    let entries: Map<String, Json> = players
        .iter()
        .zip(digits)
        .map(|(id, digits)| (game.player(*id).label.0.clone(), json!(digits)))
        .collect();
    Json::Object(entries)
}

fn player_digits(
    game: &Game,
    players: &[PlayerId],
    raw: &RawInputs,
    at: &str,
) -> Result<Vec<Digits>, Rejection> {
    let labels: Vec<&str> = players
        .iter()
        .map(|id| game.player(*id).label.0.as_str())
        .collect();
    let expected = || format!("exactly the players {}", labels.join(", "));
    if let Some(odd) = raw.keys().find(|label| !labels.contains(&label.as_str())) {
        return Err(Rejection::new(
            at,
            Code::Domain,
            format!("player `{odd}`"),
            expected(),
        ));
    }
    labels
        .iter()
        .map(|label| {
            let missing =
                || Rejection::new(at, Code::Domain, format!("no player `{label}`"), expected());
            raw.get(*label).cloned().ok_or_else(missing)
        })
        .collect()
}

fn slots(game: &Game, list: &[usize], at: &str) -> Result<Vec<SlotId>, Rejection> {
    let count = game.slots().len();
    match list.iter().position(|slot| *slot >= count) {
        None => Ok(list.iter().copied().map(SlotId).collect()),
        Some(i) => Err(Rejection::new(
            format!("{at}/{i}"),
            Code::Coverage,
            list[i].to_string(),
            format!("a slot in 0..<{count}"),
        )),
    }
}

/// The shape of a comparison; its numbers are compared with the recomputed ones.
fn comparison(body: &Place<'_>) -> Result<(), Rejection> {
    body.object(&["left", "relation", "right"], &["cancelled", "k"])?;
    side(&body.get("left")?)?;
    side(&body.get("right")?)?;
    let relation = body.get("relation")?;
    if !["<", "=", ">"].contains(&relation.text()?) {
        return Err(Rejection::new(
            relation.at,
            Code::Malformed,
            relation.json.to_string(),
            "one of <, =, >",
        ));
    }
    body.maybe("cancelled")
        .map(|place| each(&place, pair_of_texts))
        .transpose()?;
    body.maybe("k").map(|place| place.number()).transpose()?;
    Ok(())
}

/// A side: a text, a power product, a tower, or a sum.
fn side(place: &Place<'_>) -> Result<(), Rejection> {
    if place.json.is_string() {
        return Ok(());
    }
    let malformed = || {
        Rejection::new(
            place.at.clone(),
            Code::Malformed,
            place.json.to_string(),
            "a number",
        )
    };
    let (tag, body) = place
        .tagged(&["pow", "sum", "tower"])
        .map_err(|_| malformed())?;
    match tag {
        "pow" => each(&body, pair_of_texts).map(|_| ()),
        "sum" => each(&body, side).map(|_| ()),
        _ => {
            body.object(&["base", "exponent"], &[])?;
            side(&body.get("base")?)?;
            side(&body.get("exponent")?)
        }
    }
}

fn pair_of_texts(place: &Place<'_>) -> Result<(), Rejection> {
    match place.list()?.as_slice() {
        [base, exponent] => base.text().and(exponent.text()).map(|_| ()),
        _ => Err(Rejection::new(
            place.at.clone(),
            Code::Malformed,
            place.json.to_string(),
            "[base, exponent]",
        )),
    }
}

fn each<T>(
    place: &Place<'_>,
    read: impl Fn(&Place<'_>) -> Result<T, Rejection>,
) -> Result<Vec<T>, Rejection> {
    place.list()?.iter().map(read).collect()
}

fn indices(place: &Place<'_>) -> Result<Vec<usize>, Rejection> {
    each(place, |place| place.index())
}

fn digits(place: &Place<'_>) -> Result<Digits, Rejection> {
    each(place, |place| place.number())
}

fn small_counts(place: &Place<'_>) -> Result<Vec<u64>, Rejection> {
    each(place, |place| place.small_count())
}

fn raw_inputs(place: &Place<'_>) -> Result<RawInputs, Rejection> {
    place
        .map()?
        .keys()
        .map(|label| Ok((label.clone(), digits(&place.get(label)?)?)))
        .collect()
}

fn separators(body: &Place<'_>) -> Result<Option<Vec<Separator>>, Rejection> {
    let row = |place: &Place<'_>| match indices(place)?.as_slice() {
        [a, b, test] => Ok(Separator(*a, *b, *test)),
        _ => Err(Rejection::new(
            place.at.clone(),
            Code::Malformed,
            place.json.to_string(),
            "[i, j, test]",
        )),
    };
    body.maybe("separators")
        .map(|place| each(&place, row))
        .transpose()
}
