//! A game file, resolved: game, task, and what a digest is taken of.

use crate::exact::Form;
use crate::file::constants::{Constants, Overrides, overridden};
use crate::file::domains::spelled_record;
use crate::file::expr::Limits;
use crate::file::families::Family;
use crate::file::keys;
use crate::file::own_game;
use crate::file::reader::{Fields, unknown};
use crate::file::source::{FileError, Source};
use crate::file::tasks::{self, Estimate, NamedTask, SharedTask, fields_json};
use crate::file::tree::{Entry, Tree};
use crate::game::family::hybrid::Hybrid;
use crate::game::{Game, Inputs, Rule, SlotId};
use num_traits::ToPrimitive;
use serde_json::{Map, Value as Json, json};
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// A game with its task, as read from a file or from evidence.
#[derive(Clone)]
pub struct Setting {
    /// Where it was read from.
    pub source: Source,
    /// The game.
    pub game: Arc<Game>,
    /// The task.
    pub task: SharedTask,
    /// The resolved task, for digests.
    pub task_json: Json,
    /// The tables `let`, `family`, `game`, `task` with overrides written in, for evidence.
    pub spec: Json,
    /// The constants, for strategies and claims.
    pub constants: Constants,
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setting")
            .field("source", &self.source.name)
            .field("game", &self.game)
            .finish_non_exhaustive()
    }
}

/// Reads TOML and refuses unknown top-level keys.
///
/// # Errors
/// Syntax, or an unknown key.
pub fn parse_file(source: &Source) -> Result<Tree, FileError> {
    let tree = Tree::parse(source)?;
    let fields = Fields::of(source, "the file", &tree)?;
    fields.allow(&keys::top_level())?;
    Ok(tree)
}

/// The family of a file, if it has one; the constants get what the family defines.
fn family(
    source: &Source,
    file: &Tree,
    constants: &mut Constants,
) -> Result<Option<Family>, FileError> {
    let Some(entry) = file.get("family") else {
        return Ok(None);
    };
    if let Some(game) = file.get("game") {
        return Err(source.error_in(
            &game.key_at,
            "both [family] and [game], expected one of them",
        ));
    }
    let fields = Fields::of(source, "[family]", &entry.tree)?;
    let tag = fields.tag("family", &keys::tags(&keys::FAMILIES))?;
    let named = match task_entry(source, file)? {
        Some(entry) => NamedTask::read(source, entry, constants)?,
        None => None,
    };
    let family = Family::read(source, tag, constants, named.as_ref())?;
    constants.give(source, file, family.constants())?;
    Ok(Some(family))
}

fn task_entry<'a>(source: &'a Source, file: &'a Tree) -> Result<Option<&'a Entry>, FileError> {
    let Some(entry) = file.get("task") else {
        return Ok(None);
    };
    Fields::of(source, "[task]", &entry.tree)?
        .tag("task", &keys::tags(&keys::TASKS))
        .map(Some)
}

/// The hybrid game of a file, without unrolling its passes; `None` when the file holds another game.
///
/// # Errors
/// As [`resolve`], but a long layout is fine.
pub fn hybrid(
    source: &Source,
    file: &Tree,
    overrides: &Overrides,
) -> Result<Option<Hybrid>, FileError> {
    let mut constants = Constants::read(source, file, overrides)?;
    let family = family(source, file, &mut constants)?;
    Ok(family.as_ref().and_then(Family::as_hybrid).cloned())
}

/// Builds the game and the task of a file.
///
/// # Errors
/// Everything that can be wrong in it, with its position; size errors when only a size is over a limit.
pub fn resolve(
    source: &Source,
    file: &Tree,
    overrides: &Overrides,
    limits: Limits,
) -> Result<Setting, FileError> {
    resolve_saying(source, file, overrides, limits, &|_| {})
}

/// As [`resolve`]; `say` hears what a task given by an expression will cost, before anything is evaluated.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_saying(
    source: &Source,
    file: &Tree,
    overrides: &Overrides,
    limits: Limits,
    say: &dyn Fn(&Estimate),
) -> Result<Setting, FileError> {
    let mut constants = Constants::read(source, file, overrides)?;
    let family = family(source, file, &mut constants)?;
    let game = match (&family, file.get("game")) {
        (Some(family), _) => {
            let at = file.get("family").map_or(0, |entry| entry.key_at.start);
            family.game().map_err(|error| {
                let error_there = source.error_at(at, error.to_string());
                if error.is_size() {
                    error_there.about_size()
                } else {
                    error_there
                }
            })?
        }
        (None, Some(entry)) => own_game::game(source, &entry.tree, &constants)?,
        (None, None) => {
            return Err(source.error_at(0, "found no game, expected [family.X] or [game]"));
        }
    };
    let game = Arc::new(game);
    let streaming = family.as_ref().is_some_and(Family::is_streaming);
    let (task, task_json) = match task_entry(source, file)? {
        None => match family.as_ref().and_then(Family::task) {
            Some(named) => (named.task(streaming), named.to_json()),
            None => return Err(source.error_at(0, "the file has no [task.X]")),
        },
        Some(entry) => task(
            source,
            entry,
            family.as_ref(),
            &game,
            &constants,
            (limits, say),
        )?,
    };
    let spec = embedded(file, overrides);
    Ok(Setting {
        source: source.clone(),
        game,
        task,
        task_json,
        spec,
        constants,
    })
}

fn task(
    source: &Source,
    entry: &Entry,
    family: Option<&Family>,
    game: &Arc<Game>,
    constants: &Constants,
    (limits, say): (Limits, &dyn Fn(&Estimate)),
) -> Result<(SharedTask, Json), FileError> {
    if matches!(entry.key.as_str(), "table" | "expression") {
        let (task, mut json) = tasks::own_task(source, entry, game, constants, limits, say)?;
        if let Some(Json::Object(fields)) = json.get_mut("expression") {
            fields.insert("fields".to_owned(), fields_json(game));
            fields.insert("let".to_owned(), constants.to_json());
        }
        return Ok((task, json));
    }
    let streaming = family.is_some_and(Family::is_streaming);
    let named = match NamedTask::read(source, entry, constants)? {
        Some(named) => {
            let fits = family.is_some_and(|family| family.takes(&named));
            fits.then_some(named)
        }
        // `composition` and `pointer` stand only where the family fixes them anyway.
        None => family
            .and_then(Family::task)
            .filter(|fixed| fixed.to_json().get(&entry.key).is_some()),
    };
    let named = named.ok_or_else(|| {
        source.error_in(
            &entry.key_at,
            format!(
                "task `{}` does not fit this game; write it as [task.expression]",
                entry.key
            ),
        )
    })?;
    Ok((named.task(streaming), named.to_json()))
}

/// The tables of a game file as evidence embeds them.
fn embedded(file: &Tree, overrides: &Overrides) -> Json {
    let mut spec = Map::new();
    if let Some(constants) = overridden(file, overrides) {
        spec.insert("let".to_owned(), constants);
    }
    for key in ["family", "game", "task"] {
        if let Some(entry) = file.get(key) {
            spec.insert(key.to_owned(), entry.tree.to_json());
        }
    }
    Json::Object(spec)
}

impl Setting {
    /// The resolved object a digest is taken of. `strategy` is its resolved strategy, or null.
    ///
    /// # Cost
    /// One entry per slot.
    pub fn resolved(&self, strategy: &Json) -> Json {
        let game = &self.game;
        let label = |id: crate::game::PlayerId| game.player(id).label.0.clone();
        let slot = |id: SlotId| {
            let data = game.slot(id);
            let rule = match data.rule {
                Rule::Chosen(_) => json!("chosen"),
                Rule::Forward => json!("forward"),
                Rule::Read { by, rank } => json!({"read": {"by": by.0, "rank": rank}}),
            };
            json!({
                "alphabet": game.alphabet(id).size().to_string(),
                "channel": data.channel.word(),
                "consults": data.consults.iter().map(|id| label(*id)).collect::<Vec<_>>(),
                "from": label(data.from),
                "rule": rule,
                "to": label(data.to),
            })
        };
        let players: Vec<Json> = game
            .players()
            .iter()
            .map(|player| {
                let size = player
                    .domain
                    .size()
                    .map_or_else(|error| error.to_string(), |size| size.to_string());
                json!([player.label.0, size])
            })
            .collect();
        let rounds: Vec<Vec<Json>> = (0..game.rounds())
            .map(|round| game.round(round).map(slot).collect())
            .collect();
        json!({
            "output": label(game.output()),
            "players": players,
            "rounds": rounds,
            "strategy": strategy,
            "task": self.task_json,
        })
    }
}

/// A full input as `--input` takes it: `{"A": {"f": [0, 1]}, "C": {"x": 1}}`, players without fields left out.
pub fn inputs_json(game: &Game, inputs: &Inputs) -> String {
    let mut text = String::from("{");
    let mut first = true;
    for (player, digits) in game.players().iter().zip(&inputs.0) {
        if player.domain.fields().is_empty() {
            continue;
        }
        let _ = write!(
            text,
            "{}{}: {{",
            if first { "" } else { ", " },
            Json::from(player.label.0.as_str())
        );
        first = false;
        let mut start = 0;
        for (place, field) in player.domain.fields().iter().enumerate() {
            let end = start + field.form.width().to_usize().unwrap_or(0);
            let separator = if place == 0 { "" } else { ", " };
            let value = match field.form {
                Form::Number(_) => digits[start].to_string(),
                Form::Table { .. }
                | Form::Permutation(_)
                | Form::Subset(_)
                | Form::SubsetOf { .. } => {
                    let entries: Vec<String> =
                        digits[start..end].iter().map(ToString::to_string).collect();
                    format!("[{}]", entries.join(", "))
                }
            };
            let _ = write!(
                text,
                "{separator}{}: {value}",
                Json::from(field.name.as_str())
            );
            start = end;
        }
        text.push('}');
    }
    text.push('}');
    text
}

/// Reads a full input from JSON: by player label an object of fields, a list of digits, or one digit. Players with one
/// element may be left out.
///
/// # Errors
/// What does not fit, naming player and field.
pub fn read_inputs(game: &Game, json: &Json) -> Result<Inputs, FileError> {
    let wrong = |message: String| FileError::unplaced(format!("--input: {message}"));
    let Json::Object(object) = json else {
        return Err(wrong(format!(
            "found {json}, expected an object from player labels"
        )));
    };
    let labels: Vec<&str> = game
        .players()
        .iter()
        .map(|player| player.label.0.as_str())
        .collect();
    if let Some(odd) = object.keys().find(|key| !labels.contains(&key.as_str())) {
        return Err(wrong(unknown("player", odd, &labels)));
    }
    let digit = |json: &Json, place: &str| {
        json.as_u64().ok_or_else(|| {
            wrong(format!(
                "{place}: found {json}, expected a number of at least 0"
            ))
        })
    };
    let digits_of = |json: &Json, place: &str| match json {
        Json::Array(items) => items.iter().map(|item| digit(item, place)).collect(),
        other => Ok(vec![digit(other, place)?]),
    };
    let mut inputs = Vec::new();
    for player in game.players() {
        let label = &player.label.0;
        let digits = match object.get(label) {
            None if player.domain.index_size() == Some(1) => player.domain.first(),
            None => return Err(wrong(format!("no input for player {label}"))),
            Some(Json::Object(fields)) => {
                let known: Vec<&str> = player
                    .domain
                    .fields()
                    .iter()
                    .map(|field| field.name.as_str())
                    .collect();
                if let Some(odd) = fields.keys().find(|key| !known.contains(&key.as_str())) {
                    return Err(wrong(format!("{label}: {}", unknown("field", odd, &known))));
                }
                let mut digits = Vec::new();
                for field in player.domain.fields() {
                    let place = format!("{label}.{}", field.name);
                    let value = fields
                        .get(&field.name)
                        .ok_or_else(|| wrong(format!("no value for {place}")))?;
                    let mut part: Vec<u64> = digits_of(value, &place)?;
                    if part.len() as u64 != field.form.width() {
                        let message = format!(
                            "{place}: found {} digits, expected {}",
                            part.len(),
                            field.form.width()
                        );
                        return Err(wrong(message));
                    }
                    digits.append(&mut part);
                }
                digits
            }
            Some(other) => digits_of(other, label)?,
        };
        if !player.domain.contains(&digits) {
            let message = format!(
                "{label}: found {digits:?}, expected an element of {}",
                spelled_record(&player.domain)
            );
            return Err(wrong(message));
        }
        inputs.push(digits);
    }
    Ok(Inputs(inputs))
}
