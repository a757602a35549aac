//! `[strategy.X]`: protocols in files.

use crate::file::constants::{Constants, Overrides, overridden};
use crate::file::expr::{self, Limits, Mode, Names};
use crate::file::keys;
use crate::file::own_protocol::{AnswerExpression, ExpressionProtocol, WithAnswer};
use crate::file::reader::{Fields, in_text, integer, list, mismatch, text, truth};
use crate::file::setting::Setting;
use crate::file::slots::{Bindings, Pattern};
use crate::file::source::{FileError, Source};
use crate::file::tasks::{canonical, fields_json};
use crate::file::tree::{Entry, Tree, Value};
use crate::game::flow::{Flow, Relay};
use crate::game::strategy::affine::Form;
use crate::game::strategy::composition::Chain;
use crate::game::strategy::{
    Affine, FollowScheme, Lookup, PseudoRandom, Table, TableError, Threshold,
};
use crate::game::{Game, Protocol, Rule, SlotId};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// A protocol as commands and evidence use it.
pub type SharedProtocol = Arc<dyn Protocol + Send + Sync>;

/// A strategy of a file, resolved for one game.
#[derive(Clone)]
pub struct Strategy {
    /// The protocol.
    pub protocol: SharedProtocol,
    /// The resolved strategy, for digests.
    pub resolved: Json,
    /// The tables `let` and `strategy`, for evidence.
    pub spec: Json,
    /// For each slot that a pattern decides, which one took effect.
    pub effective: Vec<(SlotId, String)>,
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strategy")
            .field("resolved", &self.resolved)
            .finish_non_exhaustive()
    }
}

/// Builds the strategy of a file for a game.
///
/// # Errors
/// Everything that can be wrong in it, with its position.
pub fn resolve(
    source: &Source,
    file: &Tree,
    setting: &Setting,
    overrides: &Overrides,
    limits: Limits,
) -> Result<Strategy, FileError> {
    let Some(entry) = file.get("strategy") else {
        return Err(source.error_at(0, "found no strategy, expected [strategy.X]"));
    };
    let tag = Fields::of(source, "[strategy]", &entry.tree)?
        .tag("strategy", &keys::tags(&keys::STRATEGIES))?;
    let name = format!("[strategy.{}]", tag.key);
    let constants = StrategyNames {
        own: Constants::read(source, file, overrides)?,
        game: &setting.constants,
    };
    let reader = Reader {
        source,
        fields: Fields::of(source, &name, &tag.tree)?,
        setting,
        game: &setting.game,
        names: &constants,
        limits,
    };
    let mut built = reader.build(tag)?;
    if let (true, Some(Json::Object(fields))) =
        (built.has_expression, built.resolved.get_mut(&tag.key))
    {
        fields.insert("fields".to_owned(), fields_json(&setting.game));
        fields.insert("let".to_owned(), constants.own.to_json());
    }
    let mut spec = Map::new();
    if let Some(table) = overridden(file, overrides) {
        spec.insert("let".to_owned(), table);
    }
    spec.insert("strategy".to_owned(), entry.tree.to_json());
    Ok(Strategy {
        protocol: built.protocol,
        resolved: built.resolved,
        spec: Json::Object(spec),
        effective: built.effective,
    })
}

/// The constants of the strategy file, then those of the game file.
#[derive(Debug)]
struct StrategyNames<'a> {
    own: Constants,
    game: &'a Constants,
}

impl Names for StrategyNames<'_> {
    fn constant(&self, name: &str) -> Option<expr::Constant> {
        self.own.constant(name).or_else(|| self.game.constant(name))
    }

    fn known(&self) -> Vec<String> {
        let mut known = self.own.known();
        known.extend(self.game.known());
        known
    }
}

struct Built {
    protocol: SharedProtocol,
    resolved: Json,
    has_expression: bool,
    effective: Vec<(SlotId, String)>,
}

struct Reader<'a> {
    source: &'a Source,
    fields: Fields<'a>,
    setting: &'a Setting,
    game: &'a Arc<Game>,
    names: &'a StrategyNames<'a>,
    limits: Limits,
}

/// A pattern of `say` with its place in the file.
struct Say<'a> {
    pattern: Pattern,
    entry: &'a Entry,
}

impl<'a> Reader<'a> {
    fn build(&self, tag: &Entry) -> Result<Built, FileError> {
        self.fields
            .allow_keys(keys::of(&keys::STRATEGIES, &tag.key))?;
        match tag.key.as_str() {
            "table" => self.table(),
            "lookup" => {
                let lookup = Lookup::new(self.game.clone()).ok_or_else(|| {
                    self.at_table("the look-up protocol is for games with players L, .., 1, 0, -1 that hold z_L, .., z_0, w")
                })?;
                self.with_answer(Arc::new(lookup), "lookup", Map::new(), Vec::new())
            }
            "full" => self.chain(tag, Chain::Full),
            "pre_pass" => self.chain(tag, Chain::PrePass),
            "relay" if self.fields.entries.is_empty() => self.chain(tag, Chain::Relay),
            "relay" => self.relay(),
            "affine" | "threshold" => self.affine(&tag.key),
            "pseudo_random" => {
                let tree = self.fields.need("seed")?;
                let seed = integer(self.source, tree, self.names)?;
                let seed = seed.to_biguint().ok_or_else(|| {
                    self.source
                        .error_in(&tree.at, format!("`seed` {seed}, expected at least 0"))
                })?;
                let mut resolved = Map::new();
                resolved.insert("seed".to_owned(), Json::String(seed.to_string()));
                let protocol = PseudoRandom {
                    game: self.game.clone(),
                    seed,
                };
                self.with_answer(Arc::new(protocol), "pseudo_random", resolved, Vec::new())
            }
            _ => self.expression(),
        }
    }

    fn at_table(&self, message: impl Into<String>) -> FileError {
        self.source.error_at(self.fields.at.start, message)
    }

    fn with_answer(
        &self,
        inner: SharedProtocol,
        tag: &str,
        mut resolved: Map<String, Json>,
        effective: Vec<(SlotId, String)>,
    ) -> Result<Built, FileError> {
        let answer = self.answer()?;
        let has_expression = answer.is_some();
        let protocol: SharedProtocol = match answer {
            None => inner,
            Some(answer) => {
                let text = canonical(self.source, self.fields.need("answer")?)?;
                resolved.insert("answer".to_owned(), Json::String(text));
                Arc::new(WithAnswer { inner, answer })
            }
        };
        Ok(Built {
            protocol,
            resolved: json!({ tag: resolved }),
            has_expression,
            effective,
        })
    }

    fn answer(&self) -> Result<Option<AnswerExpression>, FileError> {
        self.fields
            .get("answer")
            .map(|tree| {
                AnswerExpression::read(
                    self.source,
                    tree,
                    self.game,
                    self.names,
                    self.setting.task.answers(),
                    self.limits,
                )
            })
            .transpose()
    }

    fn chain(&self, tag: &Entry, chain: Chain) -> Result<Built, FileError> {
        let protocol = FollowScheme::new(self.game, chain)
            .map_err(|error| self.at_table(error.to_string()))?;
        let effective = protocol
            .slots()
            .iter()
            .map(|slot| (*slot, "says one value of the chain".to_owned()))
            .collect();
        Ok(Built {
            protocol: Arc::new(protocol),
            resolved: json!({ tag.key.as_str(): {} }),
            has_expression: false,
            effective,
        })
    }

    fn relay(&self) -> Result<Built, FileError> {
        let from_tree = self.fields.need("from")?;
        let label = text(self.source, from_tree)?;
        let from = self.game.find_player(label).ok_or_else(|| {
            self.source
                .error_in(&from_tree.at, unknown_player(self.game, label))
        })?;
        let path = list(self.source, self.fields.need("path")?)?
            .iter()
            .map(|item| slot_named(self.source, item, self.game))
            .collect::<Result<Vec<SlotId>, _>>()?;
        let view = path.last().map_or(from, |last| self.game.slot(*last).to);
        let flow = Flow {
            game: self.game,
            of: from,
            view,
            after: self.game.rounds(),
        };
        if !flow.carries(&path, &BTreeSet::new()) {
            let at = &self.fields.need("path")?.at;
            return Err(self.source.error_in(
                at,
                format!("these slots do not carry the input of {label} on, one after the other"),
            ));
        }
        let indices: Vec<usize> = path.iter().map(|slot| slot.0).collect();
        Ok(Built {
            protocol: Arc::new(Relay::new(self.game.clone(), from, path)),
            resolved: json!({"relay": {"from": label, "path": indices}}),
            has_expression: false,
            effective: Vec::new(),
        })
    }

    fn table(&self) -> Result<Built, FileError> {
        let mut tables = Vec::new();
        let mut spelled = Map::new();
        let say = Fields::of(
            self.source,
            "[strategy.table.say]",
            self.fields.need("say")?,
        )?;
        for entry in say.entries {
            let slot = self.game.find_slot(&entry.key).ok_or_else(|| {
                self.source.error_in(
                    &entry.key_at,
                    format!("this game has no slot `{}`", entry.key),
                )
            })?;
            let symbols = self.symbols(&entry.tree)?;
            spelled.insert(
                slot.0.to_string(),
                symbols.iter().map(ToString::to_string).collect(),
            );
            tables.push((slot, symbols));
        }
        let answers = self
            .fields
            .get("answers")
            .map(|tree| self.symbols(tree))
            .transpose()?;
        let answers_json: Json = answers.as_ref().map_or(Json::Null, |list| {
            list.iter().map(ToString::to_string).collect()
        });
        let table = Table::new(
            self.game.clone(),
            tables,
            answers,
            self.setting.task.answers(),
        )
        .map_err(|error| {
            let what = match &error {
                TableError::NotChosen(what)
                | TableError::Shared(what)
                | TableError::Length { what, .. }
                | TableError::Symbol { what, .. } => what,
            };
            let tree = if what == "answers" {
                self.fields.get("answers")
            } else {
                say.get(what)
            };
            self.source.error_at(
                tree.unwrap_or(&Tree {
                    at: self.fields.at.clone(),
                    value: Value::Float,
                })
                .at
                .start,
                error.to_string(),
            )
        })?;
        Ok(Built {
            protocol: Arc::new(table),
            resolved: json!({"table": {"answers": answers_json, "say": spelled}}),
            has_expression: false,
            effective: Vec::new(),
        })
    }

    /// A list of numbers, or a string of digits.
    fn symbols(&self, tree: &Tree) -> Result<Vec<u64>, FileError> {
        let small = |tree: &Tree, number: BigInt| {
            number.to_u64().ok_or_else(|| {
                self.source.error_in(
                    &tree.at,
                    format!("symbol {number}, expected at least 0 and below 2^64"),
                )
            })
        };
        match tree.value.text() {
            Some(digits) => digits
                .char_indices()
                .filter(|(_, c)| !c.is_whitespace())
                .map(|(at, c)| {
                    c.to_digit(10).map(u64::from).ok_or_else(|| {
                        self.source.error_at(
                            self.source.offset(&tree.at, at),
                            format!("found `{c}`, expected a digit"),
                        )
                    })
                })
                .collect(),
            None => list(self.source, tree)?
                .iter()
                .map(|item| small(item, integer(self.source, item, self.names)?))
                .collect(),
        }
    }

    /// The patterns of `say`, in file order, and for each slot the one that takes effect.
    #[expect(clippy::type_complexity, reason = "one pair, used by two callers")]
    fn say(
        &self,
        lenient: bool,
    ) -> Result<(Vec<Say<'a>>, Vec<Option<(usize, Bindings)>>), FileError> {
        let mut says: Vec<Say<'a>> = Vec::new();
        if let Some(tree) = self.fields.get("say") {
            for entry in Fields::of(self.source, "`say`", tree)?.entries {
                let pattern = Pattern::parse(&entry.key)
                    .map_err(|error| in_text(self.source, &entry.key_at, &error))?;
                says.push(Say { pattern, entry });
            }
        }
        let mut used = vec![false; says.len()];
        let mut effective = Vec::with_capacity(self.game.slots().len());
        for slot in self.game.ids() {
            let mut best: Option<(usize, usize, Bindings)> = None;
            let mut tie = None;
            for (place, say) in says.iter().enumerate() {
                let matched = say.pattern.matches(self.game, slot, self.names);
                let Some(bindings) =
                    matched.map_err(|error| in_text(self.source, &say.entry.key_at, &error))?
                else {
                    continue;
                };
                used[place] = true;
                let wildcards = say.pattern.wildcards(self.names);
                match &best {
                    Some((_, least, _)) if *least < wildcards => {}
                    Some((other, least, _)) if *least == wildcards => tie = Some((*other, place)),
                    Some(_) | None => {
                        best = Some((place, wildcards, bindings));
                        tie = None;
                    }
                }
            }
            if let Some((first, second)) = tie {
                let (first, second) = (&says[first], &says[second]);
                let message = format!(
                    "`{}` and `{}` both match `{}`",
                    first.pattern.text(),
                    second.pattern.text(),
                    self.game.name(slot)
                );
                return Err(self.source.error_in(&second.entry.key_at, message));
            }
            effective.push(best.map(|(place, _, bindings)| (place, bindings)));
        }
        if let (false, Some(place)) = (lenient, used.iter().position(|used| !used)) {
            let say = &says[place];
            let message = format!(
                "pattern `{}` matches no slot of this game",
                say.pattern.text()
            );
            return Err(self.source.error_in(&say.entry.key_at, message));
        }
        Ok((says, effective))
    }

    fn affine(&self, tag: &str) -> Result<Built, FileError> {
        self.fields.need("say")?;
        let threshold = tag == "threshold";
        let (says, effective) = self.say(false)?;
        let mut forms: Vec<(Form, Vec<BigInt>)> = Vec::new();
        for say in &says {
            forms.push(self.form(say, threshold)?);
        }
        let mut shown = Vec::new();
        for (slot, chosen) in self.game.ids().zip(&effective) {
            let Some((place, _)) = chosen else { continue };
            shown.push((slot, says[*place].pattern.text().to_owned()));
            let (form, at) = &forms[*place];
            let (digits, symbols) = Form::room(self.game, slot);
            let at_say = &says[*place].entry.tree.at;
            for (what, given, room) in [
                ("inputs", form.inputs.len(), digits),
                ("received", form.received.len(), symbols),
            ] {
                if given > room {
                    let message = format!(
                        "`{what}` has {given} entries, but the sight of `{}` has {room}",
                        self.game.name(slot)
                    );
                    return Err(self.source.error_at(at_say.start, message));
                }
            }
            if threshold
                && self.game.is_open(slot)
                && *self.game.alphabet(slot).size() < Threshold::needed(at)
            {
                let message = format!(
                    "{} thresholds need {} symbols; `{}` has {}",
                    at.len(),
                    at.len() + 1,
                    self.game.name(slot),
                    self.game.alphabet(slot).size()
                );
                return Err(self.source.error_at(at_say.start, message));
            }
        }
        let mut spelled: Vec<Json> = says.iter().zip(&forms).map(|(say, (form, at))| {
            let texts = |list: &[BigInt]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
            let mut json = json!({"constant": form.constant.to_string(), "inputs": texts(&form.inputs), "received": texts(&form.received)});
            if threshold {
                json["at"] = json!(texts(at));
            }
            json!([say.pattern.text(), json])
        }).collect();
        spelled.sort_by_key(|pair| pair[0].as_str().map(str::to_owned));
        let mut resolved = Map::new();
        resolved.insert("say".to_owned(), Json::Array(spelled));
        let chosen = effective
            .iter()
            .map(|chosen| chosen.as_ref().map(|(place, _)| forms[*place].clone()));
        let game = self.game.clone();
        let protocol: SharedProtocol = if threshold {
            Arc::new(Threshold {
                game,
                say: chosen.collect(),
            })
        } else {
            Arc::new(Affine {
                game,
                say: chosen.map(|form| form.map(|(form, _)| form)).collect(),
            })
        };
        self.with_answer(protocol, tag, resolved, shown)
    }

    fn form(&self, say: &Say<'_>, threshold: bool) -> Result<(Form, Vec<BigInt>), FileError> {
        let fields = Fields::of(self.source, say.pattern.text(), &say.entry.tree)?;
        fields.allow_keys(if threshold {
            &keys::THRESHOLD
        } else {
            &keys::AFFINE
        })?;
        let numbers = |key: &str| match fields.get(key) {
            None => Ok(Vec::new()),
            Some(tree) => list(self.source, tree)?
                .iter()
                .map(|item| integer(self.source, item, self.names))
                .collect(),
        };
        let constant = match fields.get("constant") {
            None => BigInt::ZERO,
            Some(tree) => integer(self.source, tree, self.names)?,
        };
        let form = Form {
            constant,
            inputs: numbers("inputs")?,
            received: numbers("received")?,
        };
        let at: Vec<BigInt> = if threshold {
            fields.need("at")?;
            numbers("at")?
        } else {
            Vec::new()
        };
        if let Some(place) =
            (1..at.len()).find(|place| !(&at[*place] - &at[place - 1]).is_positive())
        {
            let tree = fields.need("at")?;
            let message = format!(
                "`at` is not increasing: {} after {}",
                at[place],
                at[place - 1]
            );
            return Err(self.source.error_at(tree.at.start, message));
        }
        Ok((form, at))
    }

    fn expression(&self) -> Result<Built, FileError> {
        let lenient = self
            .fields
            .get("allow_unused")
            .map(|tree| truth(self.source, tree))
            .transpose()?
            .unwrap_or(false);
        let (says, effective) = self.say(lenient)?;
        let default = self.fields.get("default");
        let mut protocol = ExpressionProtocol::new(self.game.clone(), self.limits);
        let mut shown = Vec::new();
        for (slot, chosen) in self.game.ids().zip(&effective) {
            // What a copied or read slot carries is not for a strategy to say.
            if !matches!(self.game.slot(slot).rule, Rule::Chosen(_)) {
                continue;
            }
            let (tree, bindings) = match (chosen, default) {
                (Some((place, bindings)), _) => {
                    shown.push((slot, says[*place].pattern.text().to_owned()));
                    (&says[*place].entry.tree, bindings.clone())
                }
                (None, Some(tree)) => (tree, Bindings::new()),
                (None, None) if !self.game.is_open(slot) => continue,
                (None, None) => {
                    let size = self.game.alphabet(slot).size();
                    let message = format!(
                        "no pattern matches `{}` ({size} symbols) and there is no `default`",
                        self.game.name(slot)
                    );
                    return Err(self.at_table(message));
                }
            };
            if self.game.is_open(slot) {
                protocol.say(self.source, slot, tree, self.names, &bindings)?;
            }
        }
        let mut spelled = says
            .iter()
            .map(|say| {
                Ok(json!([
                    say.pattern.text(),
                    canonical(self.source, &say.entry.tree)?
                ]))
            })
            .collect::<Result<Vec<Json>, FileError>>()?;
        spelled.sort_by_key(|pair| pair[0].as_str().map(str::to_owned));
        let mut resolved = Map::new();
        resolved.insert("say".to_owned(), Json::Array(spelled));
        resolved.insert("allow_unused".to_owned(), Json::Bool(lenient));
        if let Some(tree) = default {
            resolved.insert(
                "default".to_owned(),
                Json::String(canonical(self.source, tree)?),
            );
        }
        let mut built = self.with_answer(Arc::new(protocol), "expression", resolved, shown)?;
        built.has_expression = true;
        Ok(built)
    }
}

/// ``unknown player `D`; players are A, B, C``
pub fn unknown_player(game: &Game, label: &str) -> String {
    let labels: Vec<&str> = game
        .players()
        .iter()
        .map(|player| player.label.0.as_str())
        .collect();
    format!(
        "unknown player `{label}`; players are {}",
        labels.join(", ")
    )
}

fn slot_named(source: &Source, tree: &Tree, game: &Game) -> Result<SlotId, FileError> {
    let name = text(source, tree)?;
    game.find_slot(name)
        .ok_or_else(|| source.error_in(&tree.at, format!("this game has no slot `{name}`")))
}

/// The slots that a list of patterns matches, increasing; a pattern that matches none is an error.
///
/// # Errors
/// A text that is no pattern, or matches nothing; `place` gives the position of pattern number i.
pub fn matching_slots(
    game: &Game,
    names: &dyn Names,
    patterns: &[&str],
    place: impl Fn(usize, usize, String) -> FileError,
) -> Result<Vec<SlotId>, FileError> {
    let mut found = std::collections::BTreeSet::new();
    for (number, written) in patterns.iter().enumerate() {
        // A full slot name may end in `#k`, which is no pattern.
        if let Some(slot) = game.find_slot(written) {
            found.insert(slot);
            continue;
        }
        let pattern = Pattern::parse(written)
            .map_err(|error| place(number, error.at.start, error.message))?;
        let mut any = false;
        for slot in game.ids() {
            let matched = pattern.matches(game, slot, names);
            if matched
                .map_err(|error| place(number, error.at.start, error.message))?
                .is_some()
            {
                any = true;
                found.insert(slot);
            }
        }
        if !any {
            return Err(place(
                number,
                0,
                format!("pattern `{written}` matches no slot of this game"),
            ));
        }
    }
    Ok(found.into_iter().collect())
}

/// Compiles a string or integer as an expression with this mode.
pub(super) fn compiled(
    source: &Source,
    tree: &Tree,
    names: &dyn Names,
    mode: Mode,
    limits: Limits,
) -> Result<expr::Program, FileError> {
    let text = match (tree.value.text(), tree.value.integer()) {
        (Some(text), _) => text.to_owned(),
        (None, Some(number)) => number.to_string(),
        (None, None) => {
            return Err(mismatch(
                source,
                tree,
                &tree.value,
                "an expression in quotes",
            ));
        }
    };
    let failed = |error| in_text(source, &tree.at, &error);
    let parsed = expr::parse(&text).map_err(failed)?;
    let program = expr::compile(&parsed, names, mode, limits).map_err(failed)?;
    program
        .require(expr::Kind::Integer, "symbol")
        .map_err(failed)
}

/// The number of symbols, for the name `size`.
pub(super) fn alphabet_size(game: &Game, slot: SlotId) -> BigUint {
    game.alphabet(slot).size().clone()
}
