//! `[task.X]`: named tasks, tables, expressions.

use crate::exact::{Domain, DomainError, Field, Form};
use crate::file::expr::{
    self, Constant, FieldLookup, Kind, Limits, Mode, Names, Program, Shape, Value as Number,
};
use crate::file::families::table_domain;
use crate::file::keys;
use crate::file::reader::{
    Fields, in_text, integer, list, mismatch, size, small_size, text, truth,
};
use crate::file::setting::inputs_json;
use crate::file::source::{FileError, Source};
use crate::file::tree::{Entry, Tree, Value};
use crate::game::task::composition::Composition;
use crate::game::task::evaluation::Evaluation;
use crate::game::task::hop::Hop;
use crate::game::task::listed::Listed;
use crate::game::task::membership::Membership;
use crate::game::task::permutation::PermutationComposition;
use crate::game::task::pointer::Pointer;
use crate::game::task::two_sum::TwoSum;
use crate::game::{Accepted, Game, Inputs, Task, TaskError};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};
use serde_json::{Value as Json, json};
use std::ops::Range;
use std::sync::Arc;

/// A task that files name, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedTask {
    /// Of the hybrid family.
    Composition {
        /// L.
        steps: u64,
        /// D0.
        start: u64,
        /// `m_1..m_L`.
        ranges: Vec<u64>,
        /// `n_1..n_(L-1)`.
        queries: Vec<u64>,
    },
    /// Of the sparse family.
    BlockMembership {
        /// Tokens.
        n: u64,
        /// Tokens per block.
        block: u64,
        /// Values.
        values: u64,
    },
    /// Of pointer chasing.
    Pointer {
        /// Players.
        players: u64,
        /// Points.
        points: u64,
    },
    /// Does the last token occur earlier?
    Membership {
        /// Earlier tokens.
        tokens: u64,
        /// Values.
        values: u64,
    },
    /// Evaluate f at x.
    Eva {
        /// Points and values.
        n: u64,
    },
    /// Compose permutations.
    PerCom {
        /// Points.
        n: u64,
        /// Only the last output.
        last: bool,
    },
    /// 2-Sum.
    TwoSum {
        /// Tokens.
        n: u64,
        /// Residues.
        modulus: u64,
        /// Tokens of the first player.
        cut: u64,
        /// Count j = i.
        reflexive: bool,
    },
    /// k-hop at the last position.
    Hop {
        /// Hops.
        k: u64,
        /// Alphabet.
        symbols: u64,
        /// Tokens of the first player.
        prefix: u64,
        /// Tokens of the second.
        suffix: u64,
    },
}

/// What a task given by an expression costs on all inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Full inputs.
    pub inputs: BigUint,
    /// Node evaluations on all of them, at most.
    pub steps: BigUint,
    /// Whether they are evaluated while the file is read; otherwise a command that enumerates does it.
    pub now: bool,
}

/// Largest task that is evaluated once on every input when its file is read.
const TABULATED: u64 = 1 << 20;

/// Most bits of answers of a task that lists bits.
const ANSWER_BITS: u64 = 62;

type Domains<T> = Option<Result<T, DomainError>>;

impl NamedTask {
    /// Reads `[task.X]` when X is a task with a name and parameters; `None` for `table`, `expression` and the tasks that a family fixes.
    ///
    /// # Errors
    /// Unknown or missing keys, wrong sizes.
    pub fn read(
        source: &Source,
        entry: &Entry,
        names: &dyn Names,
    ) -> Result<Option<Self>, FileError> {
        let name = format!("[task.{}]", entry.key);
        let fields = Fields::of(source, &name, &entry.tree)?;
        fields.allow_keys(keys::of(&keys::TASKS, &entry.key))?;
        let need = |key: &str| small_size(source, fields.need(key)?, names, &format!("`{key}`"));
        let optional = |key: &str, default: u64| match fields.get(key) {
            None => Ok(default),
            Some(tree) => {
                crate::file::reader::small_count(source, tree, names, &format!("`{key}`"))
            }
        };
        let flag = |key: &str| {
            fields
                .get(key)
                .map(|tree| truth(source, tree))
                .transpose()
                .map(Option::unwrap_or_default)
        };
        let too_many = |key: &str, message: String| {
            Ok(source.error_in(&fields.need(key)?.at, message).about_size())
        };
        Ok(Some(match entry.key.as_str() {
            "membership" => Self::Membership {
                tokens: need("tokens")?,
                values: need("values")?,
            },
            "eva" => Self::Eva { n: need("n")? },
            "percom" => {
                let task = PermutationComposition {
                    n: need("n")?,
                    last: flag("last")?,
                };
                if task.answer_count().is_none() {
                    return Err(too_many(
                        "n",
                        format!(
                            "{0}^{0} answers, at most 2^64 - 1 are supported; ask for the last only",
                            task.n
                        ),
                    )?);
                }
                Self::PerCom {
                    n: task.n,
                    last: task.last,
                }
            }
            "two_sum" => {
                let n = need("n")?;
                let cut = optional("cut", n - 1)?;
                if cut >= n {
                    return Err(source.error_in(
                        &fields.need("cut")?.at,
                        format!("`cut` {cut}, expected 0..<{n}"),
                    ));
                }
                if n - cut > ANSWER_BITS {
                    let key = if fields.get("cut").is_some() {
                        "cut"
                    } else {
                        "n"
                    };
                    return Err(too_many(
                        key,
                        format!(
                            "{} bits of answers, at most {ANSWER_BITS} are supported",
                            n - cut
                        ),
                    )?);
                }
                Self::TwoSum {
                    n,
                    modulus: need("modulus")?,
                    cut,
                    reflexive: flag("reflexive")?,
                }
            }
            "k_hop" => Self::Hop {
                k: optional_count(&fields, names, "k")?,
                symbols: need("symbols")?,
                prefix: optional_count(&fields, names, "prefix")?,
                suffix: need("suffix")?,
            },
            _ => return Ok(None),
        }))
    }

    /// Domains it gives to the two players of `one_way` and `cot`.
    pub fn parties(&self) -> Domains<[Domain; 2]> {
        let single = |name: &str, form: Form| {
            Domain::new(vec![Field {
                name: name.to_owned(),
                form,
            }])
        };
        let both = |alice: Result<Domain, DomainError>, bob: Result<Domain, DomainError>| {
            Some(Ok([alice.ok()?, bob.ok()?]))
        };
        match *self {
            Self::Membership { tokens, values } => both(
                table_domain("a", tokens, values),
                single("v", Form::Number(values)),
            ),
            Self::Eva { n } => both(table_domain("f", n, n), single("x", Form::Number(n))),
            Self::PerCom { n, .. } => both(
                single("sigma", Form::Permutation(n)),
                single("tau", Form::Permutation(n)),
            ),
            Self::TwoSum {
                n, modulus, cut, ..
            } => both(
                table_domain("a", cut, modulus),
                table_domain("b", n - cut, modulus),
            ),
            Self::Hop {
                symbols,
                prefix,
                suffix,
                ..
            } => both(
                table_domain("a", prefix, symbols),
                table_domain("b", suffix, symbols),
            ),
            Self::Composition { .. } | Self::BlockMembership { .. } | Self::Pointer { .. } => None,
        }
    }

    /// Domains it gives to the players of `streaming`, one token each.
    pub fn prompt(&self) -> Domains<Vec<Domain>> {
        let (tokens, values, query) = match *self {
            Self::Membership { tokens, values } => (tokens, values, Some(("v", values))),
            Self::Eva { n } => (n, n, Some(("x", n))),
            Self::TwoSum { n, modulus, .. } => (n, modulus, None),
            Self::Hop {
                symbols,
                prefix,
                suffix,
                ..
            } => (prefix.saturating_add(suffix), symbols, None),
            Self::PerCom { .. }
            | Self::Composition { .. }
            | Self::BlockMembership { .. }
            | Self::Pointer { .. } => {
                return None;
            }
        };
        if tokens > 1 << 20 {
            return Some(Err(DomainError::TooWide(tokens.into())));
        }
        let token = |name: &str, size: u64| Domain::single(name, Form::Number(size));
        let list = (0..tokens)
            .map(|_| token("v", values))
            .chain(query.map(|(name, size)| token(name, size)));
        Some(list.collect())
    }

    /// The task; `streaming` asks 2-Sum for the bit of the last position only.
    pub fn task(&self, streaming: bool) -> Arc<dyn Task + Send + Sync> {
        match self.clone() {
            Self::Composition {
                steps,
                start,
                ranges,
                queries,
            } => Arc::new(Composition {
                steps,
                start,
                ranges,
                queries,
            }),
            Self::BlockMembership { .. } | Self::Membership { .. } => Arc::new(Membership),
            Self::Pointer { .. } => Arc::new(Pointer),
            Self::Eva { n } => Arc::new(Evaluation { n }),
            Self::PerCom { n, last } => Arc::new(PermutationComposition { n, last }),
            Self::TwoSum {
                n,
                modulus,
                cut,
                reflexive,
            } => Arc::new(TwoSum {
                n,
                modulus,
                first_asked: if streaming { n - 1 } else { cut },
                reflexive,
            }),
            Self::Hop { k, symbols, .. } => Arc::new(Hop { k, symbols }),
        }
    }

    /// `{tag: {fields}}` with every field, as digests have it.
    pub fn to_json(&self) -> Json {
        let texts = |list: &[u64]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        match self {
            Self::Composition {
                steps,
                start,
                ranges,
                queries,
            } => json!({"composition": {
                "steps": steps.to_string(), "start": start.to_string(), "ranges": texts(ranges), "queries": texts(queries)}}),
            Self::BlockMembership { n, block, values } => json!({"membership": {
                "n": n.to_string(), "block": block.to_string(), "values": values.to_string()}}),
            Self::Pointer { players, points } => {
                json!({"pointer": {"players": players.to_string(), "points": points.to_string()}})
            }
            Self::Membership { tokens, values } => {
                json!({"membership": {"tokens": tokens.to_string(), "values": values.to_string()}})
            }
            Self::Eva { n } => json!({"eva": {"n": n.to_string()}}),
            Self::PerCom { n, last } => json!({"percom": {"n": n.to_string(), "last": last}}),
            Self::TwoSum {
                n,
                modulus,
                cut,
                reflexive,
            } => json!({"two_sum": {
                "n": n.to_string(), "modulus": modulus.to_string(), "cut": cut.to_string(), "reflexive": reflexive}}),
            Self::Hop {
                k,
                symbols,
                prefix,
                suffix,
            } => json!({"k_hop": {
                "k": k.to_string(), "symbols": symbols.to_string(), "prefix": prefix.to_string(), "suffix": suffix.to_string()}}),
        }
    }
}

fn optional_count(fields: &Fields<'_>, names: &dyn Names, key: &str) -> Result<u64, FileError> {
    crate::file::reader::small_count(fields.source, fields.need(key)?, names, &format!("`{key}`"))
}

/// A task as commands and evidence use it.
pub type SharedTask = Arc<dyn Task + Send + Sync>;

/// Reads `[task.table]` or `[task.expression]` for a game, and gives its resolved JSON (`let_json` and `fields_json` complete it).
///
/// # Errors
/// Everything that can be wrong in it, with its position; for expressions on up to 2^20 inputs also the first input on which it fails.
pub fn own_task(
    source: &Source,
    entry: &Entry,
    game: &Arc<Game>,
    names: &dyn Names,
    limits: Limits,
    say: &dyn Fn(&Estimate),
) -> Result<(SharedTask, Json), FileError> {
    let name = format!("[task.{}]", entry.key);
    let fields = Fields::of(source, &name, &entry.tree)?;
    fields.allow_keys(keys::of(&keys::TASKS, &entry.key))?;
    if entry.key == "table" {
        listed(&fields, game, names)
    } else {
        expression(&fields, game, names, limits, say)
    }
}

fn inputs_count(
    source: &Source,
    at: &Range<usize>,
    game: &Game,
    limit: u64,
) -> Result<u64, FileError> {
    let too_large = |message: String| source.error_at(at.start, message).about_size();
    let count = game
        .inputs_size()
        .map_err(|error| too_large(error.to_string()))?;
    count
        .to_u64()
        .filter(|count| *count <= limit)
        .ok_or_else(|| {
            too_large(format!(
                "a table for {count} full inputs, at most {limit} are supported"
            ))
        })
}

fn listed(
    fields: &Fields<'_>,
    game: &Arc<Game>,
    names: &dyn Names,
) -> Result<(SharedTask, Json), FileError> {
    let source = fields.source;
    let answers = small_size(source, fields.need("answers")?, names, "`answers`")?;
    let tree = fields.need("values")?;
    let count = inputs_count(source, &tree.at, game, 1 << 24)?;
    let check = |tree: &Tree, answer: BigInt| {
        answer
            .to_u64()
            .filter(|answer| *answer < answers)
            .ok_or_else(|| {
                source.error_in(&tree.at, format!("answer {answer}, expected 0..<{answers}"))
            })
    };
    let values: Vec<Accepted> = match &tree.value {
        Value::Text(text) => text
            .char_indices()
            .filter(|(_, c)| !c.is_whitespace())
            .map(|(at, c)| match c.to_digit(10) {
                Some(digit) if u64::from(digit) < answers => Ok(Accepted::One(digit.into())),
                _ if c == '*' => Ok(Accepted::All),
                Some(digit) => Err(source.error_at(
                    source.offset(&tree.at, at),
                    format!("answer {digit}, expected 0..<{answers}"),
                )),
                None => Err(source.error_at(
                    source.offset(&tree.at, at),
                    format!("found `{c}`, expected a digit or `*`"),
                )),
            })
            .collect::<Result<_, _>>()?,
        _ => list(source, tree)?
            .iter()
            .map(|item| match &item.value {
                Value::List(accepted) => {
                    let mut all = accepted
                        .iter()
                        .map(|one| check(one, integer(source, one, names)?))
                        .collect::<Result<Vec<u64>, _>>()?;
                    all.sort_unstable();
                    all.dedup();
                    Ok(Accepted::Only(all))
                }
                _ => Ok(Accepted::One(check(item, integer(source, item, names)?)?)),
            })
            .collect::<Result<_, FileError>>()?,
    };
    if values.len() as u64 != count {
        let message = format!(
            "`values` has {} entries, expected {count}: one per full input",
            values.len()
        );
        return Err(source.error_in(&tree.at, message));
    }
    let spelled: Vec<Vec<String>> = values
        .iter()
        .map(|accepted| match accepted {
            Accepted::All => (0..answers).map(|answer| answer.to_string()).collect(),
            Accepted::One(answer) => vec![answer.to_string()],
            Accepted::Only(list) => list.iter().map(ToString::to_string).collect(),
        })
        .collect();
    let json = json!({"table": {"answers": answers.to_string(), "values": spelled}});
    Ok((Arc::new(Listed::new(game, answers, values)), json))
}

/// Names in a task: all inputs are in sight, and `answer` in `accept`.
#[derive(Debug)]
struct TaskNames<'a> {
    game: &'a Game,
    outer: &'a dyn Names,
    /// Variable of `answer`, in `accept` only.
    answer: Option<usize>,
}

impl TaskNames<'_> {
    fn variables(&self) -> impl Iterator<Item = (usize, &str, &Field)> {
        let fields = self.game.players().iter().flat_map(|player| {
            player
                .domain
                .fields()
                .iter()
                .map(move |field| (player.label.0.as_str(), field))
        });
        fields
            .enumerate()
            .map(|(variable, (label, field))| (variable, label, field))
    }
}

/// The shape a field has in expressions.
pub(super) fn shape(form: &Form) -> Shape {
    match form {
        Form::Number(_) => Shape::Integer,
        other @ (Form::Table { .. }
        | Form::Permutation(_)
        | Form::Subset(_)
        | Form::SubsetOf { .. }) => Shape::Table(other.width().to_usize().unwrap_or(0)),
    }
}

impl Names for TaskNames<'_> {
    fn constant(&self, name: &str) -> Option<Constant> {
        self.outer.constant(name)
    }

    fn field(&self, player: Option<&str>, name: &str) -> FieldLookup {
        if let Some(player) = player {
            if self.game.find_player(player).is_none() {
                let players = self
                    .game
                    .players()
                    .iter()
                    .map(|player| player.label.0.clone())
                    .collect();
                return FieldLookup::UnknownPlayer { players };
            }
        }
        if let (Some(variable), "answer", None) = (self.answer, name, player) {
            return FieldLookup::Found {
                variable,
                shape: Shape::Integer,
            };
        }
        let found: Vec<(usize, &str, &Field)> = self
            .variables()
            .filter(|(_, label, field)| {
                field.name == name && player.is_none_or(|player| player == *label)
            })
            .collect();
        match found.as_slice() {
            [] => FieldLookup::Unknown,
            [(variable, _, field)] => FieldLookup::Found {
                variable: *variable,
                shape: shape(&field.form),
            },
            several => FieldLookup::Ambiguous {
                players: several
                    .iter()
                    .map(|(_, label, _)| (*label).to_owned())
                    .collect(),
            },
        }
    }

    fn known(&self) -> Vec<String> {
        let mut known = self.outer.known();
        known.extend(self.variables().map(|(_, _, field)| field.name.clone()));
        known
    }
}

/// The digits of one player as expression values, appended field by field.
pub(super) fn push_fields(domain: &Domain, digits: &[u64], values: &mut Vec<Number>) {
    let mut start = 0;
    for field in domain.fields() {
        let end = start + field.form.width().to_usize().unwrap_or(0);
        values.push(match shape(&field.form) {
            Shape::Integer => Number::Integer(digits[start].into()),
            Shape::Table(_) => Number::Table(
                digits[start..end]
                    .iter()
                    .map(|digit| (*digit).into())
                    .collect(),
            ),
        });
        start = end;
    }
}

/// A task given by expressions.
#[derive(Debug)]
struct ExpressionTask {
    game: Arc<Game>,
    answers: u64,
    /// Radices when the answer is a list.
    radices: Option<Vec<u64>>,
    rule: AnswerRule,
    promise: Option<Located>,
    limits: Limits,
}

#[derive(Debug)]
enum AnswerRule {
    Value(Located),
    Accept(Located),
}

/// A compiled expression, and how its positions map to the file.
#[derive(Debug)]
pub(super) struct Located {
    /// The program.
    pub(super) program: Program,
    source: Source,
    at: Range<usize>,
}

impl Located {
    /// Reads the string value `tree` as an expression of this kind.
    pub(super) fn read(
        source: &Source,
        tree: &Tree,
        names: &dyn Names,
        mode: Mode,
        wanted: Option<(Kind, &str)>,
    ) -> Result<Self, FileError> {
        let text = text(source, tree)?;
        let failed = |error| in_text(source, &tree.at, &error);
        let parsed = expr::parse(text).map_err(failed)?;
        let program = expr::compile(&parsed, names, mode, Limits::default()).map_err(failed)?;
        let program = match wanted {
            None => program,
            Some((kind, role)) => program.require(kind, role).map_err(failed)?,
        };
        Ok(Self {
            program,
            source: source.clone(),
            at: tree.at.clone(),
        })
    }

    /// Offset in the file of a place in the expression.
    pub(super) fn offset(&self, decoded: usize) -> usize {
        self.source.offset(&self.at, decoded)
    }

    fn failed(&self, error: &expr::ExprError) -> TaskError {
        let start = self.offset(error.at.start);
        TaskError {
            message: error.message.clone(),
            at: Some(start..start),
        }
    }
}

fn expression(
    fields: &Fields<'_>,
    game: &Arc<Game>,
    outer: &dyn Names,
    limits: Limits,
    say: &dyn Fn(&Estimate),
) -> Result<(SharedTask, Json), FileError> {
    let source = fields.source;
    let answers_tree = fields.need("answers")?;
    let (answers, radices) = answer_set(source, answers_tree, outer)?;
    let names = TaskNames {
        game,
        outer,
        answer: None,
    };
    if let Some((_, label, field)) = names
        .variables()
        .find(|(_, _, field)| outer.constant(&field.name).is_some())
    {
        let message = format!(
            "field `{}` of {label} is also the name of a constant; choose another name",
            field.name
        );
        return Err(source.error_at(fields.at.start, message));
    }
    let rule = match (fields.get("value"), fields.get("accept")) {
        (Some(tree), None) => {
            let wanted = radices
                .as_ref()
                .map_or(Kind::Integer, |radices| Kind::Table(radices.len()));
            AnswerRule::Value(Located::read(
                source,
                tree,
                &names,
                Mode::Task,
                Some((wanted, "`value`")),
            )?)
        }
        (None, Some(tree)) => {
            let answer = Some(names.variables().count());
            let names = TaskNames {
                game,
                outer,
                answer,
            };
            AnswerRule::Accept(Located::read(
                source,
                tree,
                &names,
                Mode::Task,
                Some((Kind::Truth, "`accept`")),
            )?)
        }
        (Some(_), Some(tree)) => {
            return Err(source.error_at(
                tree.at.start,
                "both `value` and `accept`, expected one of them",
            ));
        }
        (None, None) => {
            return Err(source.error_at(
                fields.at.start,
                format!("{} has no `value` and no `accept`", fields.name),
            ));
        }
    };
    let promise = fields
        .get("promise")
        .map(|tree| {
            Located::read(
                source,
                tree,
                &names,
                Mode::Task,
                Some((Kind::Truth, "`promise`")),
            )
        })
        .transpose()?;
    let json = expression_json(fields, outer)?;
    let task = ExpressionTask {
        game: game.clone(),
        answers,
        radices,
        rule,
        promise,
        limits,
    };
    let Ok(inputs) = game.inputs_size() else {
        return Ok((Arc::new(task), json));
    };
    let now = inputs <= BigUint::from(TABULATED);
    say(&Estimate {
        steps: task.steps() * &inputs,
        inputs,
        now,
    });
    if !now {
        return Ok((Arc::new(task), json));
    }
    let values = tabulate(game, &task)
        .map_err(|(inputs, error)| located_error(source, game, &inputs, &error))?;
    Ok((Arc::new(Listed::new(game, answers, values)), json))
}

/// A task's error on an input, as a file error with the input in it.
pub fn located_error(
    source: &Source,
    game: &Game,
    inputs: &Inputs,
    error: &TaskError,
) -> FileError {
    let message = format!("{}, on input {}", error.message, inputs_json(game, inputs));
    match &error.at {
        Some(at) => source.error_at(at.start, message),
        None => FileError::unplaced(message),
    }
}

fn tabulate(game: &Game, task: &ExpressionTask) -> Result<Vec<Accepted>, (Inputs, TaskError)> {
    let mut inputs = Inputs::first(game);
    let mut values = Vec::new();
    loop {
        match task.accepted(&inputs) {
            Ok(accepted) => values.push(accepted),
            Err(error) => return Err((inputs, error)),
        }
        if !inputs.advance(game) {
            return Ok(values);
        }
    }
}

fn answer_set(
    source: &Source,
    tree: &Tree,
    names: &dyn Names,
) -> Result<(u64, Option<Vec<u64>>), FileError> {
    let Value::List(items) = &tree.value else {
        return Ok((small_size(source, tree, names, "`answers`")?, None));
    };
    let radices: Vec<BigUint> = items
        .iter()
        .map(|item| size(source, item, names, "entry of `answers`"))
        .collect::<Result<_, _>>()?;
    let product = radices
        .iter()
        .fold(BigUint::one(), |product, radix| product * radix);
    let too_many = || {
        let message = format!("{product} answers, at most 2^64 - 1 are supported");
        source.error_at(tree.at.start, message).about_size()
    };
    let radices: Option<Vec<u64>> = radices.iter().map(ToPrimitive::to_u64).collect();
    Ok((
        product.to_u64().ok_or_else(too_many)?,
        Some(radices.ok_or_else(too_many)?),
    ))
}

fn expression_json(fields: &Fields<'_>, names: &dyn Names) -> Result<Json, FileError> {
    let source = fields.source;
    let mut json = serde_json::Map::new();
    let tree = fields.need("answers")?;
    let answers = match &tree.value {
        Value::List(items) => items
            .iter()
            .map(|item| Ok(Json::String(integer(source, item, names)?.to_string())))
            .collect::<Result<Json, FileError>>()?,
        _ => Json::String(integer(source, tree, names)?.to_string()),
    };
    json.insert("answers".to_owned(), answers);
    for key in ["value", "accept", "promise"] {
        if let Some(tree) = fields.get(key) {
            json.insert(key.to_owned(), Json::String(canonical(source, tree)?));
        }
    }
    Ok(json!({"expression": json}))
}

/// The canonical text of an expression.
pub(super) fn canonical(source: &Source, tree: &Tree) -> Result<String, FileError> {
    match &tree.value {
        Value::Text(text) => {
            expr::canonical(text).map_err(|error| in_text(source, &tree.at, &error))
        }
        Value::Integer(number) => Ok(number.to_string()),
        other => Err(mismatch(source, tree, other, "an expression in quotes")),
    }
}

impl ExpressionTask {
    /// Most node evaluations on one input.
    fn steps(&self) -> BigUint {
        let of = |located: &Located| {
            let cost = located.program.cost().and_then(|cost| cost.to_biguint());
            let most = BigUint::from(self.limits.steps);
            cost.map_or_else(|| most.clone(), |cost| cost.min(most.clone()))
        };
        let rule = match &self.rule {
            AnswerRule::Value(located) => of(located),
            AnswerRule::Accept(located) => of(located) * self.answers,
        };
        rule + self.promise.as_ref().map_or(BigUint::ZERO, of)
    }

    fn variables(&self, inputs: &Inputs) -> Vec<Number> {
        let mut values = Vec::new();
        for (player, digits) in self.game.players().iter().zip(&inputs.0) {
            push_fields(&player.domain, digits, &mut values);
        }
        values
    }

    fn value(&self, located: &Located, variables: &[Number]) -> Result<u64, TaskError> {
        let failed = |error: expr::ExprError| located.failed(&error);
        let value = located
            .program
            .evaluate(variables, self.limits)
            .map_err(failed)?;
        let outside = |found: String, expected: String| {
            let start = located.offset(located.program.at().start);
            TaskError {
                message: format!("answer {found}, expected {expected}"),
                at: Some(start..start),
            }
        };
        let entries: Vec<BigInt> = match value {
            Number::Integer(number) => vec![number.into()],
            Number::Table(numbers) => numbers.into_iter().map(Into::into).collect(),
            Number::Truth(_) => Vec::new(),
        };
        let radices = self.radices.clone().unwrap_or_else(|| vec![self.answers]);
        let mut index = 0u64;
        for (entry, radix) in entries.iter().zip(&radices) {
            let digit = entry.to_u64().filter(|digit| digit < radix);
            let digit = digit.ok_or_else(|| outside(entry.to_string(), format!("0..<{radix}")))?;
            index = index * radix + digit;
        }
        Ok(index)
    }
}

impl Task for ExpressionTask {
    fn answers(&self) -> u64 {
        self.answers
    }

    fn accepted(&self, inputs: &Inputs) -> Result<Accepted, TaskError> {
        let mut variables = self.variables(inputs);
        if let Some(promise) = &self.promise {
            let kept = promise
                .program
                .truth(&variables, self.limits)
                .map_err(|error| promise.failed(&error))?;
            if !kept {
                return Ok(Accepted::All);
            }
        }
        match &self.rule {
            AnswerRule::Value(located) => self.value(located, &variables).map(Accepted::One),
            AnswerRule::Accept(located) => {
                let place = variables.len();
                variables.push(Number::Integer(0u64.into()));
                let mut accepted = Vec::new();
                for answer in 0..self.answers {
                    variables[place] = Number::Integer(answer.into());
                    if located
                        .program
                        .truth(&variables, self.limits)
                        .map_err(|error| located.failed(&error))?
                    {
                        accepted.push(answer);
                    }
                }
                Ok(Accepted::Only(accepted))
            }
        }
    }
}

/// `fields` of the resolved object: for every player label its `[name, form, numbers..]`.
pub fn fields_json(game: &Game) -> Json {
    let field = |field: &Field| {
        let (form, numbers): (&str, Vec<u64>) = match field.form {
            Form::Number(n) => ("number", vec![n]),
            Form::Table { len, values } => ("table", vec![len, values]),
            Form::Permutation(n) => ("permutation", vec![n]),
            Form::Subset(n) => ("subset", vec![n]),
            Form::SubsetOf { n, k } => ("subset", vec![n, k]),
        };
        let mut entry = vec![field.name.clone(), form.to_owned()];
        entry.extend(numbers.iter().map(ToString::to_string));
        entry
    };
    let players = game.players().iter().map(|player| {
        let mut fields: Vec<Vec<String>> = player.domain.fields().iter().map(field).collect();
        fields.sort();
        (player.label.0.clone(), json!(fields))
    });
    Json::Object(players.collect())
}
