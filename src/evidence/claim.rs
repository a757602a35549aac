//! Claim files: what an author states, and how it becomes one statement per point.
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a value of any other type is the same mistake in a file"
)]

use crate::evidence::decomposition::{Decomposed, Results};
use crate::evidence::derive::Derivation;
use crate::evidence::matrix::{DepthClaim, MatrixClaim};
use crate::evidence::rank::Ranking;
use crate::evidence::recursion::Recursion;
use crate::evidence::reduction::ReductionClaim;
use crate::evidence::scope::{Scope, Verdict};
use crate::evidence::shape::Place;
use crate::evidence::statement::{
    Assertion, Bound, KINDS, Kind, Parameters, Statement, one_way_setting,
};
use crate::file::constants::{Constants, Overrides};
use crate::file::expr::{self, Limits, Loop};
use crate::file::reader::{
    Fields, count, in_text, integer, list, mismatch, small_count, text, truth, unknown,
};
use crate::file::setting::{self, Setting};
use crate::file::strategies::{self, Strategy, matching_slots, unknown_player};
use crate::file::tasks::NamedTask;
use crate::file::tree::{Entry, Tree};
use crate::file::{FileError, Source, kernels, keys, matrix};
use crate::game::shape::Shape;
use crate::game::structure::decomposition::{Question, Tie};
use crate::game::{Game, PlayerId, SlotId};
use crate::matrix::Matrix;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use serde_json::{Map, Value as Json, json};

/// Most points of a claim about games: each is a claim of its own.
const MAX_POINTS: u64 = 10_000;

/// A claim file, read but not yet resolved.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Unique name; the name of the evidence file.
    pub id: String,
    /// Key of `docs/sources.toml`, then the place.
    pub source: String,
    /// The statement in words.
    pub statement: String,
    /// The scope word of the file.
    pub scope: String,
    /// What the author expects.
    pub expected: Verdict,
    /// The claim this one is an inverted copy of.
    pub control_of: Option<String>,
    /// The kind.
    pub kind: &'static Kind,
    /// The file.
    pub file: Source,
    tree: Tree,
}

/// Opens the files that a claim names.
pub trait Library {
    /// The file `name`, relative to the file `from`, or shipped.
    ///
    /// # Errors
    /// When there is none, with the folder searched.
    fn open(&self, from: &Source, name: &str) -> Result<Source, FileError>;
}

/// One statement with everything it is about.
#[derive(Clone, Debug)]
pub struct Case {
    /// Claim id, with the point for claims with `for`.
    pub id: String,
    /// The scope.
    pub scope: Scope,
    /// What is stated.
    pub statement: Statement,
    /// The game, for claims about games and counts.
    pub setting: Option<Setting>,
    /// The protocol, for claims about one.
    pub strategy: Option<Strategy>,
    /// What evidence embeds.
    pub spec: Json,
}

impl Claim {
    /// Reads a claim file.
    ///
    /// # Errors
    /// Missing head keys, unknown kinds and keys, scopes the kind does not allow, each with its position.
    pub fn read(file: &Source) -> Result<Self, FileError> {
        let tree = setting::parse_file(file)?;
        let head = Fields::of(file, "the claim", &tree)?;
        let word = |key: &str| text(file, head.need(key)?).map(str::to_owned);
        let id_tree = head.need("id")?;
        let id = text(file, id_tree)?.to_owned();
        if id.is_empty()
            || !id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        {
            return Err(file.error_in(
                &id_tree.at,
                format!("found `{id}`, expected letters, digits and `-`"),
            ));
        }
        let claim_tree = head.need("claim")?;
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        let fields = Fields::of(file, "[claim]", claim_tree)?;
        let tag = fields.tag("claim kind", &names)?;
        let kind = Kind::named(&tag.key).unwrap_or(&KINDS[0]);
        let scope_tree = head.need("scope")?;
        let scope = text(file, scope_tree)?.to_owned();
        if !kind.scopes.contains(&scope.as_str()) {
            let message = format!(
                "found `{scope}`, expected `{}` (kind {})",
                kind.scopes.join("` or `"),
                kind.name
            );
            return Err(file.error_in(&scope_tree.at, message));
        }
        let expected_tree = head.need("expected")?;
        let expected_word = text(file, expected_tree)?;
        let expected = Verdict::from_word(expected_word).ok_or_else(|| {
            let words = ["established", "refuted", "undecided"];
            file.error_in(&expected_tree.at, unknown("verdict", expected_word, &words))
        })?;
        let name = format!("[claim.{}]", kind.name);
        let body = Fields::of(file, &name, &tag.tree)?;
        body.allow(kind.keys)?;
        for key in kind.required {
            body.need(key)?;
        }
        let control_of = head
            .get("control_of")
            .map(|tree| text(file, tree).map(str::to_owned))
            .transpose()?;
        let (source, statement) = (word("source")?, word("statement")?);
        Ok(Self {
            id,
            source,
            statement,
            scope,
            expected,
            control_of,
            kind,
            file: file.clone(),
            tree,
        })
    }

    /// An error at the id.
    pub fn error_at_id(&self, message: impl Into<String>) -> FileError {
        let at = self
            .tree
            .get("id")
            .map_or(0..0, |entry| entry.tree.at.clone());
        self.file.error_in(&at, message)
    }

    fn body(&self) -> Result<(&Entry, Fields<'_>), FileError> {
        let missing = || self.file.error_at(0, "the file has no [claim.X]");
        let claim = self.tree.get("claim").ok_or_else(missing)?;
        let entry = claim.tree.get(self.kind.name).ok_or_else(missing)?;
        Ok((entry, Fields::of(&self.file, self.kind.name, &entry.tree)?))
    }

    /// The claim's statements: one per point of `for` for claims about games, else one.
    ///
    /// # Errors
    /// Everything that can be wrong in the files it names, with positions.
    pub fn cases(
        &self,
        library: &dyn Library,
        overrides: &Overrides,
        limits: Limits,
    ) -> Result<Vec<Case>, FileError> {
        let (_, fields) = self.body()?;
        match self.kind.name {
            "inequality" => self.inequality(&fields, limits).map(|case| vec![case]),
            "parameters" => self.parameters(&fields).map(|case| vec![case]),
            "derive" => self.derive(&fields).map(|case| vec![case]),
            "model" => self.model(&fields, library).map(|case| vec![case]),
            "rank" => self.rank(&fields, library).map(|case| vec![case]),
            "recursion" => self.recursion(&fields, limits).map(|case| vec![case]),
            "reduction" | "cycles" => self.reduction(&fields).map(|case| vec![case]),
            "matrix" if fields.get("game").is_none() => {
                self.matrix(&fields, library).map(|case| vec![case])
            }
            _ => {
                let points = self.points(&fields)?;
                points
                    .into_iter()
                    .map(|(suffix, point)| {
                        let mut all = overrides.clone();
                        all.extend(self.lets(&fields, &point)?);
                        all.extend(point);
                        self.game_case(&fields, library, &all, &suffix, limits)
                    })
                    .collect()
            }
        }
    }

    /// Suffix of the id and overrides of every point.
    fn points(&self, fields: &Fields<'_>) -> Result<Vec<(String, Overrides)>, FileError> {
        let Some(tree) = fields.get("for") else {
            return Ok(vec![(String::new(), Overrides::new())]);
        };
        let failed = |error| in_text(&self.file, &tree.at, &error);
        let parsed = Loop::parse(text(&self.file, tree)?).map_err(failed)?;
        let none = Overrides::new();
        let constants = Constants::read(&self.file, &self.tree, &none)?;
        let points = parsed.points(&constants, MAX_POINTS).map_err(failed)?;
        let variables: Vec<String> = parsed
            .variables()
            .iter()
            .map(|variable| variable.name.clone())
            .collect();
        Ok(points
            .map(|point| {
                let point: Overrides = point.into_iter().collect();
                let part = |name: &String| {
                    point
                        .get(name)
                        .map_or(String::new(), |value| format!("-{name}{value}"))
                };
                (variables.iter().map(part).collect(), point)
            })
            .collect())
    }

    /// The overrides of `let = { .. }` in a claim about a game.
    fn lets(&self, fields: &Fields<'_>, point: &Overrides) -> Result<Overrides, FileError> {
        let Some(tree) = fields.get("let") else {
            return Ok(Overrides::new());
        };
        let scope = point_names(point);
        Fields::of(&self.file, "`let`", tree)?
            .entries
            .iter()
            .map(|entry| Ok((entry.key.clone(), integer(&self.file, &entry.tree, &scope)?)))
            .collect()
    }

    /// The file a key names, or this file when the key is absent.
    fn named(
        &self,
        fields: &Fields<'_>,
        key: &str,
        library: &dyn Library,
    ) -> Result<(Source, Tree), FileError> {
        match fields.get(key) {
            None => Ok((self.file.clone(), self.tree.clone())),
            Some(tree) => {
                let name = text(&self.file, tree)?;
                let source = library.open(&self.file, name).map_err(|mut error| {
                    if error.place.is_none() {
                        error.place = self.file.error_in(&tree.at, "").place;
                    }
                    error
                })?;
                let tree = setting::parse_file(&source)?;
                Ok((source, tree))
            }
        }
    }

    fn game_case(
        &self,
        fields: &Fields<'_>,
        library: &dyn Library,
        overrides: &Overrides,
        suffix: &str,
        limits: Limits,
    ) -> Result<Case, FileError> {
        let id = format!("{}{suffix}", self.id);
        let scope = self.plain_scope();
        if self.kind.name == "count" && fields.get("task").is_some() {
            return self.task_count(fields, overrides, id, scope, limits);
        }
        let (source, tree) = self.named(fields, "game", library)?;
        let setting = setting::resolve(&source, &tree, overrides, limits)?;
        let mut spec = json!({"game": setting.spec});
        let statement = self.game_statement(fields, &setting, overrides, limits)?;
        let strategy = if statement.needs_strategy() {
            let (source, tree) = self.named(fields, "strategy", library)?;
            // The game's overrides apply to the strategy file only where it is the same file.
            let none = Overrides::new();
            let own = if fields.get("strategy").is_some() {
                &none
            } else {
                overrides
            };
            let strategy = strategies::resolve(&source, &tree, &setting, own, limits)?;
            spec["strategy"] = strategy.spec.clone();
            Some(strategy)
        } else {
            None
        };
        Ok(Case {
            id,
            scope,
            statement,
            setting: Some(setting),
            strategy,
            spec,
        })
    }

    /// The scope of the file, for claims that are not resolved.
    pub fn word_scope(&self) -> Scope {
        if self.scope == "this-range" {
            Scope::ThisRange("..".to_owned())
        } else {
            self.plain_scope()
        }
    }

    fn plain_scope(&self) -> Scope {
        match self.scope.as_str() {
            "this-protocol" => Scope::ThisProtocol,
            "this-parameter-point" => Scope::ThisParameterPoint,
            _ => Scope::EveryProtocolOfThisGame,
        }
    }

    fn game_statement(
        &self,
        fields: &Fields<'_>,
        setting: &Setting,
        overrides: &Overrides,
        limits: Limits,
    ) -> Result<Statement, FileError> {
        Ok(match self.kind.name {
            "independent" => {
                let (of, view, after) = self.flow(fields, &setting.game, overrides)?;
                let pinned = match fields.get("pinned") {
                    None => Vec::new(),
                    Some(tree) => self.slots(tree, setting)?,
                };
                Statement::Independent {
                    of,
                    view,
                    after,
                    pinned,
                }
            }
            "cuts" => {
                let (of, view, after) = self.flow(fields, &setting.game, overrides)?;
                let mut equals = list(&self.file, fields.need("equals")?)?
                    .iter()
                    .map(|cut| self.slots(cut, setting))
                    .collect::<Result<Vec<_>, _>>()?;
                equals.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
                equals.dedup();
                Statement::Cuts {
                    of,
                    view,
                    after,
                    equals,
                }
            }
            "solvable" => Statement::Solvable,
            "unsolvable" => Statement::Unsolvable,
            "correct" => Statement::Correct,
            "count" => self.count(fields, None, overrides)?,
            "matrix" => {
                let (bound, number) = self.bound(fields, overrides)?;
                let claim = self.depth_claim(fields, None, bound, number)?;
                Statement::Matrix(Box::new(MatrixClaim::Depth(claim)))
            }
            "decomposition" => self.decomposition(fields, setting, overrides, limits)?,
            _ => Statement::Wrong,
        })
    }

    fn slots(&self, tree: &Tree, setting: &Setting) -> Result<Vec<SlotId>, FileError> {
        let items = list(&self.file, tree)?;
        let texts = items
            .iter()
            .map(|item| text(&self.file, item))
            .collect::<Result<Vec<_>, _>>()?;
        matching_slots(
            &setting.game,
            &setting.constants,
            &texts,
            |number, offset, message| {
                let at = &items[number].at;
                self.file.error_at(self.file.offset(at, offset), message)
            },
        )
    }

    fn player(&self, fields: &Fields<'_>, key: &str, game: &Game) -> Result<PlayerId, FileError> {
        let tree = fields.need(key)?;
        let label = text(&self.file, tree)?;
        game.find_player(label)
            .ok_or_else(|| self.file.error_in(&tree.at, unknown_player(game, label)))
    }

    fn flow(
        &self,
        fields: &Fields<'_>,
        game: &Game,
        overrides: &Overrides,
    ) -> Result<(PlayerId, PlayerId, usize), FileError> {
        let scope = point_names(overrides);
        let after = match (fields.get("after"), fields.get("epoch")) {
            (Some(_), Some(tree)) => {
                return Err(self.file.error_at(
                    tree.at.start,
                    "both `after` and `epoch`, expected one of them",
                ));
            }
            (None, None) => game.rounds(),
            (Some(tree), None) => {
                let rounds = small_count(&self.file, tree, &scope, "`after`")?;
                rounds
                    .to_usize()
                    .filter(|rounds| *rounds <= game.rounds())
                    .ok_or_else(|| {
                        self.file.error_in(
                            &tree.at,
                            format!(
                                "`after` {rounds}, expected at most the {} rounds",
                                game.rounds()
                            ),
                        )
                    })?
            }
            (None, Some(tree)) => {
                let epoch = small_count(&self.file, tree, &scope, "`epoch`")?;
                end_of_epoch(game, epoch).ok_or_else(|| {
                    self.file
                        .error_in(&tree.at, format!("this game has no epoch {epoch}"))
                })?
            }
        };
        Ok((
            self.player(fields, "of", game)?,
            self.player(fields, "view", game)?,
            after,
        ))
    }

    fn count(
        &self,
        fields: &Fields<'_>,
        task: Option<Json>,
        overrides: &Overrides,
    ) -> Result<Statement, FileError> {
        let bits = match fields.get("of") {
            None => false,
            Some(tree) => match text(&self.file, tree)? {
                "states" => false,
                "bits" => true,
                other => {
                    return Err(self.file.error_in(
                        &tree.at,
                        format!("found `{other}`, expected states or bits"),
                    ));
                }
            },
        };
        let (bound, number) = self.bound(fields, overrides)?;
        Ok(Statement::Count {
            task,
            bits,
            bound,
            number,
        })
    }

    /// The one of `equals`, `at_least`, `at_most` that is given.
    fn bound(
        &self,
        fields: &Fields<'_>,
        overrides: &Overrides,
    ) -> Result<(Bound, BigUint), FileError> {
        let given: Vec<(&str, Bound)> = Bound::ALL
            .into_iter()
            .filter(|(key, _)| fields.get(key).is_some())
            .collect();
        let [(key, bound)] = given.as_slice() else {
            let message = format!(
                "[claim.{}] has {} of equals, at_least, at_most, expected one",
                self.kind.name,
                given.len()
            );
            return Err(self.file.error_at(fields.at.start, message));
        };
        let number = count(
            &self.file,
            fields.need(key)?,
            &point_names(overrides),
            &format!("`{key}`"),
        )?;
        Ok((*bound, number))
    }

    /// A claim about a reduction or about cycles: the keys of the file are brought to the form of evidence, and read from there.
    fn reduction(&self, fields: &Fields<'_>) -> Result<Case, FileError> {
        let none = point_names(&Overrides::new());
        let mut body = json!({});
        for entry in fields.entries {
            let key = entry.key.as_str();
            body[key] = match key {
                "from" | "one_iff" | "question" => json!(text(&self.file, &entry.tree)?),
                "directed" => json!(truth(&self.file, &entry.tree)?),
                _ => {
                    let number = count(&self.file, &entry.tree, &none, &format!("`{key}`"))?;
                    json!(number.to_string())
                }
            };
        }
        let place = Place {
            at: String::new(),
            json: &body,
        };
        let claim = ReductionClaim::read(self.kind.name, &place).map_err(|rejection| {
            let key = rejection.at.split('/').nth(1);
            let tree = key.and_then(|key| fields.get(key));
            let at = tree.map_or(fields.at.start, |tree| tree.at.start);
            let message = format!("found {}, expected {}", rejection.found, rejection.expected);
            self.file.error_at(at, message)
        })?;
        Ok(Case {
            id: self.id.clone(),
            scope: Scope::ThisParameterPoint,
            statement: Statement::Reduction(Box::new(claim)),
            setting: None,
            strategy: None,
            spec: json!({}),
        })
    }

    /// A claim about a matrix that is given by its rows, or about all matrices of a size.
    fn matrix(&self, fields: &Fields<'_>, library: &dyn Library) -> Result<Case, FileError> {
        let none = Overrides::new();
        let subjects: Vec<&str> = ["rows", "file", "all"]
            .into_iter()
            .filter(|key| fields.get(key).is_some())
            .collect();
        let refuse = |keys: &[&str]| match keys.iter().find_map(|key| fields.get(key)) {
            None => Ok(()),
            Some(tree) => Err(self.file.error_at(
                tree.at.start,
                format!("`{}` does not go with this key", subjects[0]),
            )),
        };
        let claim = match subjects.as_slice() {
            ["all"] => {
                refuse(&["let", "for", "rounds", "equals", "at_least", "at_most"])?;
                self.histogram(fields)?
            }
            [key] => {
                refuse(&["let", "for", "histogram"])?;
                let tree = fields.need(key)?;
                let matrix = if *key == "rows" {
                    matrix::of_rows(&self.file, tree)?
                } else {
                    let name = text(&self.file, tree)?;
                    let source = library.open(&self.file, name).map_err(|mut error| {
                        error.place = self.file.error_in(&tree.at, "").place;
                        error
                    })?;
                    matrix::read(&source)?
                };
                let (bound, number) = self.bound(fields, &none)?;
                MatrixClaim::Depth(self.depth_claim(fields, Some(matrix), bound, number)?)
            }
            others => {
                let message = format!(
                    "[claim.matrix] has {} of rows, file, game, all, expected one",
                    others.len()
                );
                return Err(self.file.error_at(fields.at.start, message));
            }
        };
        Ok(Case {
            id: self.id.clone(),
            scope: Scope::ThisParameterPoint,
            statement: Statement::Matrix(Box::new(claim)),
            setting: None,
            strategy: None,
            spec: json!({}),
        })
    }

    fn depth_claim(
        &self,
        fields: &Fields<'_>,
        matrix: Option<Matrix>,
        bound: Bound,
        number: BigUint,
    ) -> Result<DepthClaim, FileError> {
        let none = point_names(&Overrides::new());
        let rounds = fields
            .get("rounds")
            .map(|tree| {
                let rounds = small_count(&self.file, tree, &none, "`rounds`")?;
                let rounds = rounds.to_usize().filter(|rounds| *rounds > 0);
                rounds.ok_or_else(|| self.file.error_in(&tree.at, "found 0, expected at least 1"))
            })
            .transpose()?;
        Ok(DepthClaim {
            matrix,
            rounds,
            bound,
            number,
        })
    }

    fn histogram(&self, fields: &Fields<'_>) -> Result<MatrixClaim, FileError> {
        let none = point_names(&Overrides::new());
        let tree = fields.need("all")?;
        let sides = list(&self.file, tree)?
            .iter()
            .map(|side| small_count(&self.file, side, &none, "`all`"))
            .collect::<Result<Vec<_>, _>>()?;
        let sides: Vec<usize> = sides.iter().filter_map(ToPrimitive::to_usize).collect();
        let [rows, columns] = sides[..] else {
            let message = format!("found {} numbers, expected [rows, columns]", sides.len());
            return Err(self.file.error_at(tree.at.start, message));
        };
        let counts = list(&self.file, fields.need("histogram")?)?
            .iter()
            .map(|item| count(&self.file, item, &none, "`histogram`"))
            .collect::<Result<_, _>>()?;
        Ok(MatrixClaim::Histogram {
            rows,
            columns,
            counts,
        })
    }

    fn decomposition(
        &self,
        fields: &Fields<'_>,
        setting: &Setting,
        overrides: &Overrides,
        limits: Limits,
    ) -> Result<Statement, FileError> {
        let shape = Shape::of(&setting.game)
            .filter(|shape| shape.steps >= 2 && shape.queries(&setting.game).is_some())
            .filter(|_| setting.task_json.get("composition").is_some())
            .ok_or_else(|| {
                let message =
                    "a decomposition is for hybrid games of composition with at least 2 steps";
                self.file.error_at(fields.at.start, message)
            })?;
        let tree = fields.need("x")?;
        let x = list(&self.file, tree)?
            .iter()
            .map(|item| small_count(&self.file, item, &point_names(overrides), "`x`"))
            .collect::<Result<Vec<u64>, _>>()?;
        if x.len() != shape.steps || x.contains(&0) {
            let message = format!(
                "`x` is {x:?}, expected {} sizes x_0, .. of at least 1",
                shape.steps
            );
            return Err(self.file.error_at(tree.at.start, message));
        }
        let tie = match fields.get("tie") {
            None => Tie::Least,
            Some(tree) => {
                let word = text(&self.file, tree)?;
                let known = Tie::ALL.into_iter().find(|(name, _)| *name == word);
                let words = Tie::ALL.map(|(name, _)| name);
                known
                    .ok_or_else(|| {
                        self.file
                            .error_in(&tree.at, unknown("tie rule", word, &words))
                    })?
                    .1
            }
        };
        let one_shot = fields
            .get("one_shot")
            .map_or(Ok(false), |tree| truth(&self.file, tree))?;
        let tree = fields.need("holds")?;
        let holds = self.holds(tree)?;
        let names = Results::names(shape.steps);
        for (number, text) in holds.iter().enumerate() {
            if let Err(error) = names.check(text, limits) {
                let items = tree.value.items();
                let item = items.and_then(|items| items.get(number)).unwrap_or(tree);
                return Err(in_text(&self.file, &item.at, &error));
            }
        }
        if holds.is_empty() {
            let message = "`holds` is empty, expected a comparison";
            return Err(self.file.error_at(tree.at.start, message));
        }
        Ok(Statement::Decomposition(Decomposed {
            question: Question { x, tie, one_shot },
            holds,
        }))
    }

    fn task_count(
        &self,
        fields: &Fields<'_>,
        overrides: &Overrides,
        id: String,
        scope: Scope,
        limits: Limits,
    ) -> Result<Case, FileError> {
        let tree = fields.need("task")?;
        if let Some(game) = fields.get("game") {
            return Err(self.file.error_at(
                game.at.start,
                "both `task` and `game`, expected one of them",
            ));
        }
        let entry =
            Fields::of(&self.file, "`task`", tree)?.tag("task", &keys::tags(&keys::TASKS))?;
        let named = NamedTask::read(&self.file, entry, &point_names(overrides))?;
        let task = named
            .filter(|named| named.parties().is_some())
            .map(|named| named.to_json())
            .ok_or_else(|| {
                self.file.error_in(
                    &entry.key_at,
                    format!(
                        "task `{}` has no one-way form; count a game instead",
                        entry.key
                    ),
                )
            })?;
        let setting = one_way_setting(&task, limits).map_err(|error| {
            self.file
                .error_in(&tree.at, error.message.clone())
                .about_size()
        })?;
        let statement = self.count(fields, Some(task), overrides)?;
        Ok(Case {
            id,
            scope,
            statement,
            setting: Some(setting),
            strategy: None,
            spec: json!({}),
        })
    }

    fn range(&self, fields: &Fields<'_>) -> Result<String, FileError> {
        let range = match fields.get("for") {
            None => String::new(),
            Some(tree) => {
                let text = text(&self.file, tree)?;
                Loop::parse(text).map_err(|error| in_text(&self.file, &tree.at, &error))?;
                text.to_owned()
            }
        };
        if (self.scope == "this-range") == range.is_empty() {
            let message = if range.is_empty() {
                "scope this-range needs a `for`"
            } else {
                "a claim with `for` has scope this-range"
            };
            let at = self
                .tree
                .get("scope")
                .map_or(0..0, |entry| entry.tree.at.clone());
            return Err(self.file.error_in(&at, message));
        }
        Ok(range)
    }

    fn number_scope(range: &str) -> Scope {
        if range.is_empty() {
            Scope::ThisParameterPoint
        } else {
            Scope::ThisRange(range.to_owned())
        }
    }

    fn holds(&self, tree: &Tree) -> Result<Vec<String>, FileError> {
        match (tree.value.items(), tree.value.text()) {
            (Some(items), _) => items
                .iter()
                .map(|item| text(&self.file, item).map(str::to_owned))
                .collect(),
            (None, Some(only)) => Ok(vec![only.to_owned()]),
            (None, None) => Err(mismatch(
                &self.file,
                tree,
                &tree.value,
                "a comparison in quotes, or a list of them",
            )),
        }
    }

    fn inequality(&self, fields: &Fields<'_>, limits: Limits) -> Result<Case, FileError> {
        let range = self.range(fields)?;
        let lets = fields
            .get("let")
            .map_or_else(|| Json::Object(Map::new()), Tree::to_json);
        let holds_tree = fields.need("holds")?;
        let holds = self.holds(holds_tree)?;
        if holds.is_empty() {
            return Err(self.file.error_at(
                holds_tree.at.start,
                "`holds` is empty, expected a comparison",
            ));
        }
        let statement = Statement::Inequality {
            range: range.clone(),
            lets,
            holds,
        };
        self.check_numbers(fields, &statement, limits)?;
        let scope = Self::number_scope(&range);
        Ok(Case {
            id: self.id.clone(),
            scope,
            statement,
            setting: None,
            strategy: None,
            spec: json!({}),
        })
    }

    /// Compiles the comparisons once, so that mistakes get their position in the file.
    fn check_numbers(
        &self,
        fields: &Fields<'_>,
        statement: &Statement,
        limits: Limits,
    ) -> Result<(), FileError> {
        use crate::evidence::inequality::{Problem, Where};
        let result = Problem::new(statement, limits);
        let Err(error) = result else { return Ok(()) };
        let tree = match error.place {
            Where::Range => fields.get("for"),
            Where::Let(ref name) => fields
                .get("let")
                .and_then(|tree| tree.get(name))
                .map(|entry| &entry.tree),
            Where::Holds(number) => fields.get("holds").map(|tree| {
                tree.value
                    .items()
                    .and_then(|items| items.get(number))
                    .unwrap_or(tree)
            }),
            Where::Value(name) => fields.get(name),
        };
        let at = tree.map_or_else(|| fields.at.clone(), |tree| tree.at.clone());
        Err(self
            .file
            .error_at(self.file.offset(&at, error.offset), error.message))
    }

    fn parameters(&self, fields: &Fields<'_>) -> Result<Case, FileError> {
        let range = self.range(fields)?;
        let paper = fields
            .get("paper")
            .map(|tree| text(&self.file, tree))
            .transpose()?
            .unwrap_or("hybrid-v1")
            .to_owned();
        let value = |key: &str, default: &str| match fields.get(key) {
            None => Ok(default.to_owned()),
            Some(tree) => match (tree.value.text(), tree.value.integer()) {
                (Some(text), _) => Ok(text.to_owned()),
                (None, Some(number)) => Ok(number.to_string()),
                (None, None) => Err(mismatch(
                    &self.file,
                    tree,
                    &tree.value,
                    "an integer or an expression in quotes",
                )),
            },
        };
        let values = [
            value("steps", "")?,
            value("c", "")?,
            value("d", "")?,
            value("a1", "0")?,
        ];
        let assertion = match (fields.get("check"), fields.get("holds")) {
            (Some(tree), None) => Assertion::Check(text(&self.file, tree)?.to_owned()),
            (None, Some(tree)) => Assertion::Holds(self.holds(tree)?),
            (Some(_), Some(tree)) => {
                return Err(self.file.error_at(
                    tree.at.start,
                    "both `check` and `holds`, expected one of them",
                ));
            }
            (None, None) => {
                return Err(self.file.error_at(
                    fields.at.start,
                    "[claim.parameters] has no `check` and no `holds`",
                ));
            }
        };
        let statement = Statement::Parameters(Parameters {
            paper,
            values,
            range: range.clone(),
            assertion,
        });
        self.check_numbers(fields, &statement, Limits::default())?;
        let scope = Self::number_scope(&range);
        Ok(Case {
            id: self.id.clone(),
            scope,
            statement,
            setting: None,
            strategy: None,
            spec: json!({}),
        })
    }
}

impl Claim {
    /// A derived bound: the keys of the file are brought to the form of evidence, and read from there.
    fn derive(&self, fields: &Fields<'_>) -> Result<Case, FileError> {
        let none = Overrides::new();
        let names = point_names(&none);
        let number = |key: &str, tree: &Tree| {
            count(&self.file, tree, &names, &format!("`{key}`")).map(|n| n.to_string())
        };
        let numbers = |key: &str, tree: &Tree| {
            list(&self.file, tree)?
                .iter()
                .map(|item| number(key, item))
                .collect::<Result<Vec<_>, _>>()
        };
        let given: Vec<&str> = ["proved", "tokens_at_most", "exponent", "for_every_c"]
            .into_iter()
            .filter(|key| fields.get(key).is_some())
            .collect();
        let [kind] = given.as_slice() else {
            let message = format!(
                "[claim.derive] has {} of proved, tokens_at_most, exponent, for_every_c, expected one",
                given.len()
            );
            return Err(self.file.error_at(fields.at.start, message));
        };
        let before = fields
            .get("before")
            .map_or(Ok("0".to_owned()), |tree| number("before", tree))?;
        let mut body = json!({
            "before": before,
            "linear": numbers("linear", fields.need("linear")?)?,
            "steps": number("steps", fields.need("steps")?)?,
        });
        let word = |key: &str, default: &str| match fields.get(key) {
            None => Ok(default.to_owned()),
            Some(tree) => text(&self.file, tree).map(str::to_owned),
        };
        if let Some(tree) = fields.get("for_every_c") {
            body["for_every_c"] = json!(number("for_every_c", tree)?);
        } else {
            body["mode"] = json!(word("mode", "refined")?);
        }
        if let Some(tree) = fields.get("product_start") {
            body["product_start"] = tree.to_json();
        }
        if *kind == "exponent" {
            body["kappa"] = json!(word("kappa", "2")?);
            body["exponent"] = json!(word("exponent", "")?);
        } else if *kind != "for_every_c" {
            let (soft, carry) = self.derive_cost(fields)?;
            body["soft_bits"] = json!(soft);
            body["carry_bits"] = json!(carry);
            body["senders"] = json!(word("senders", "separate")?);
            let tree = fields.need(kind)?;
            if *kind == "proved" {
                let inner = Fields::of(&self.file, "`proved`", tree)?;
                inner.allow(&["m", "n", "np", "x"])?;
                body["proved"] = json!({"m": number("m", inner.need("m")?)?});
                for key in ["n", "np", "x"] {
                    body["proved"][key] = json!(numbers(key, inner.need(key)?)?);
                }
            } else {
                body["tokens_at_most"] = json!(number("tokens_at_most", tree)?);
            }
        }
        let derivation = Derivation::read(&Place {
            at: String::new(),
            json: &body,
        })
        .map_err(|rejection| {
            let key = rejection
                .at
                .split('/')
                .nth(1)
                .and_then(|key| fields.get(key));
            let at = key.map_or(fields.at.start, |tree| tree.at.start);
            self.file.error_at(
                at,
                format!("found {}, expected {}", rejection.found, rejection.expected),
            )
        })?;
        Ok(Case {
            id: self.id.clone(),
            scope: Scope::ThisParameterPoint,
            statement: Statement::Derive(Box::new(derivation)),
            setting: None,
            strategy: None,
            spec: json!({}),
        })
    }

    /// A number of a model, or its layout; the configuration goes into the evidence.
    fn model(&self, fields: &Fields<'_>, library: &dyn Library) -> Result<Case, FileError> {
        use crate::evidence::model::{ModelClaim, spec_of};
        use crate::models::config;
        let config_tree = fields.need("config")?;
        let name = text(&self.file, config_tree)?;
        let source = library.open(&self.file, name).map_err(|mut error| {
            if error.place.is_none() {
                error.place = self.file.error_in(&config_tree.at, "").place;
            }
            error
        })?;
        let node = config::Node::parse(&source.text)
            .map_err(|error| source.error_at(error.at, error.to_string()))?;
        let model = config::read(&node, false, None)
            .map_err(|refusal| source.error_at(refusal.at, refusal.to_string()))?;
        let none = Overrides::new();
        let names = point_names(&none);
        let number = |key: &str, tree: &Tree| {
            count(&self.file, tree, &names, &format!("`{key}`")).map(|n| n.to_string())
        };
        let bits = |key: &str, default: u64| match fields.get(key) {
            None => Ok(default.to_string()),
            Some(tree) => number(key, tree),
        };
        // What the file states about its precision wins over the default.
        let stated = model.recurrent_bits.as_ref().map_or(32, |(_, bits)| *bits);
        let mut body = json!({
            "recurrent_bits": bits("recurrent_bits", stated)?,
            "other_bits": bits("other_bits", 16)?,
        });
        if let Some(tree) = fields.get("layout") {
            let word = crate::game::family::layout::Word::parse(text(&self.file, tree)?).map_err(
                |error| {
                    let at = self.file.offset(&tree.at, error.at);
                    self.file.error_at(at, error.to_string())
                },
            )?;
            body["layout"] = json!(word.to_string());
        }
        if let Some(tree) = fields.get("of") {
            body["of"] = json!(text(&self.file, tree)?);
        }
        for (key, _) in Bound::ALL {
            if let Some(tree) = fields.get(key) {
                body[key] = json!(number(key, tree)?);
            }
        }
        let claim = ModelClaim::read(&Place {
            at: String::new(),
            json: &body,
        })
        .map_err(|rejection| {
            let key = rejection
                .at
                .split('/')
                .nth(1)
                .and_then(|key| fields.get(key));
            let at = key.map_or(fields.at.start, |tree| tree.at.start);
            self.file.error_at(
                at,
                format!("found {}, expected {}", rejection.found, rejection.expected),
            )
        })?;
        Ok(Case {
            id: self.id.clone(),
            scope: Scope::ThisParameterPoint,
            statement: Statement::Model(claim),
            setting: None,
            strategy: None,
            spec: spec_of(&node),
        })
    }

    /// s and C, from `soft_bits` and `carry_bits` or from `c` and `d`.
    fn derive_cost(&self, fields: &Fields<'_>) -> Result<(String, String), FileError> {
        use crate::bounds::derive::{Cost, Mode, Senders};
        let none = Overrides::new();
        let names = point_names(&none);
        let number = |key: &str| {
            fields
                .get(key)
                .map(|tree| count(&self.file, tree, &names, &format!("`{key}`")))
                .transpose()
        };
        let at = |key: &str| {
            fields
                .get(key)
                .map_or(fields.at.start, |tree| tree.at.start)
        };
        match (
            number("soft_bits")?,
            number("carry_bits")?,
            number("c")?,
            number("d")?,
        ) {
            (Some(soft), Some(carry), None, None) => Ok((soft.to_string(), carry.to_string())),
            (None, None, Some(c), d) => {
                let d = d.unwrap_or_else(|| c.clone());
                let cost = Cost::of_network(&c, &d, Senders::Separate, Mode::Refined)
                    .map_err(|refused| self.file.error_at(at("d"), refused.to_string()))?;
                Ok((cost.soft.to_string(), cost.carry.to_string()))
            }
            _ => Err(self.file.error_at(
                fields.at.start,
                "[claim.derive] needs `c` (and `d`), or `soft_bits` and `carry_bits`",
            )),
        }
    }
}

impl Claim {
    /// A claim about kernels: the keys of the file are brought to the form of evidence, and read from there.
    fn rank(&self, fields: &Fields<'_>, library: &dyn Library) -> Result<Case, FileError> {
        let body = kernels::body(&self.file, fields, &|key| self.named(fields, key, library))?;
        let ranking = Ranking::read(&Place {
            at: String::new(),
            json: &body,
        })
        .map_err(|rejection| {
            let key = rejection.at.split('/').nth(1);
            let at = key
                .and_then(|key| fields.get(key))
                .map_or(fields.at.start, |tree| tree.at.start);
            self.file.error_at(
                at,
                format!("found {}, expected {}", rejection.found, rejection.expected),
            )
        })?;
        Ok(Case {
            id: self.id.clone(),
            scope: Scope::ThisParameterPoint,
            statement: Statement::Rank(Box::new(ranking)),
            setting: None,
            strategy: None,
            spec: json!({}),
        })
    }
}

impl Claim {
    /// A pointer recursion; every expression is compiled once, so that mistakes get their position in the file.
    fn recursion(&self, fields: &Fields<'_>, limits: Limits) -> Result<Case, FileError> {
        let none = Overrides::new();
        let names = point_names(&none);
        let file = &self.file;
        let number = |key: &str| {
            count(file, fields.need(key)?, &names, &format!("`{key}`")).map(|n| n.to_string())
        };
        let range = match (fields.get("for"), fields.get("k")) {
            (Some(tree), None) => text(file, tree)?.to_owned(),
            (None, Some(_)) => number("k").map(|k| format!("k in {k}..{k}"))?,
            (Some(_), Some(tree)) => {
                return Err(
                    file.error_at(tree.at.start, "both `for` and `k`, expected one of them")
                );
            }
            (None, None) => {
                return Err(
                    file.error_at(fields.at.start, "[claim.recursion] has no `for` and no `k`")
                );
            }
        };
        let layer = Fields::of(file, "`layer`", fields.need("layer")?)?;
        layer.allow(&["for", "look", "set"])?;
        let texts = |name: &str, tree: &Tree| -> Result<Json, FileError> {
            Fields::of(file, name, tree)?
                .entries
                .iter()
                .map(|entry| Ok((entry.key.clone(), json!(expression(file, &entry.tree)?))))
                .collect::<Result<Map<_, _>, FileError>>()
                .map(Json::Object)
        };
        let body = json!({
            "for": range,
            "hops": fields.get("hops").map_or(Ok("k".to_owned()), |tree| expression(file, tree))?,
            "layer": {
                "for": text(file, layer.need("for")?)?,
                "look": text(file, layer.need("look")?)?,
                "set": texts("`set`", layer.need("set")?)?,
            },
            "length": number("length")?,
            "output": text(file, fields.need("output")?)?,
            "start": texts("`start`", fields.need("start")?)?,
            "symbols": number("symbols")?,
        });
        let claim = Recursion::read(&Place {
            at: String::new(),
            json: &body,
        })
        .map_err(|rejection| {
            let key = rejection.at.split('/').nth(1);
            let at = key
                .and_then(|key| fields.get(key))
                .map_or(fields.at.start, |tree| tree.at.start);
            file.error_at(
                at,
                format!("found {}, expected {}", rejection.found, rejection.expected),
            )
        })?;
        let compiled = claim.points().and_then(|points| {
            points
                .iter()
                .try_for_each(|point| claim.machine(point, limits).map(|_| ()))
        });
        compiled.map_err(|error| {
            let (first, rest) = error.key.split_once('/').unwrap_or((&error.key, ""));
            let tree = match first {
                "start" => fields
                    .get("start")
                    .and_then(|tree| tree.get(rest))
                    .map(|entry| &entry.tree),
                "set" => layer
                    .get("set")
                    .and_then(|tree| tree.get(rest))
                    .map(|entry| &entry.tree),
                "look" => layer.get("look"),
                "layer" => layer.get(rest),
                other => fields.get(other),
            };
            let at = tree.map_or_else(|| fields.at.clone(), |tree| tree.at.clone());
            file.error_at(file.offset(&at, error.offset), error.message)
        })?;
        Ok(Case {
            id: self.id.clone(),
            scope: Scope::ThisRange(claim.range.clone()),
            statement: Statement::Recursion(Box::new(claim)),
            setting: None,
            strategy: None,
            spec: json!({}),
        })
    }
}

/// An expression in quotes, or an integer.
fn expression(file: &Source, tree: &Tree) -> Result<String, FileError> {
    match tree.value.integer() {
        Some(number) => Ok(number.to_string()),
        None => text(file, tree).map(str::to_owned),
    }
}

/// Loop variables as names.
fn point_names(point: &Overrides) -> std::collections::BTreeMap<String, expr::Constant> {
    point
        .iter()
        .map(|(name, value)| (name.clone(), expr::Constant::Integer(value.clone())))
        .collect()
}

/// Number of rounds up to the last one that has a slot `@epoch..`; 0 for epoch 0 when there is none.
pub fn end_of_epoch(game: &Game, epoch: u64) -> Option<usize> {
    let last = game
        .ids()
        .rev()
        .find(|id| game.slot(*id).at.first() == Some(&epoch));
    last.map(|id| game.round_of(id) + 1)
        .or((epoch == 0).then_some(0))
}
