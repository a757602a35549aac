//! JSON Schemas of the file formats, from the registry that the readers use.
//!
//! A schema says what an editor can check while a file is written: keys, types, choices. Whether players exist, expressions
//! have a type and sizes are legal is for the readers.

use crate::evidence::statement::{KINDS, Kind};
use crate::file::keys::{self, Key, Shape, Table};
use serde_json::{Map, Value as Json, json};

/// A format that has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A game with its task.
    Game,
    /// A protocol.
    Strategy,
    /// A claim, perhaps with its game and its protocol.
    Claim,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Game, Self::Strategy, Self::Claim];

    /// Its name, and that of the file under `docs/schema/`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Game => "game",
            Self::Strategy => "strategy",
            Self::Claim => "claim",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Game => {
                "A game file of foolproof: [family.X] or [game], and its [task.X]; it may also hold a strategy and a claim."
            }
            Self::Strategy => {
                "A strategy file of foolproof: [strategy.X]; it may also hold the game."
            }
            Self::Claim => {
                "A claim file of foolproof: five head keys and [claim.X]; it may also hold the game and the strategy."
            }
        }
    }
}

/// The schema of a format, draft 2020-12.
pub fn schema(format: Format) -> Json {
    let mut properties = Map::new();
    for key in keys::COMMON.iter().chain(&keys::HEAD) {
        properties.insert(key.name.to_owned(), of_shape(key.shape));
    }
    for name in ["family", "game", "task", "strategy", "claim"] {
        properties.insert(name.to_owned(), reference(name));
    }
    for name in keys::OTHER {
        properties.insert(name.to_owned(), json!({"type": "object"}));
    }
    properties.insert(
        "expected".to_owned(),
        json!({"enum": ["established", "refuted", "undecided"]}),
    );
    properties.insert("scope".to_owned(), json!({"enum": scopes()}));
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("foolproof {} file", format.name()),
        "description": format.about(),
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "$defs": definitions(),
    });
    match format {
        Format::Game => schema["oneOf"] = json!([{"required": ["family"]}, {"required": ["game"]}]),
        Format::Strategy => schema["required"] = json!(["strategy"]),
        Format::Claim => {
            let mut required: Vec<&str> = keys::HEAD
                .iter()
                .filter(|key| key.required)
                .map(|key| key.name)
                .collect();
            required.push("claim");
            schema["required"] = json!(required);
        }
    }
    schema
}

fn scopes() -> Vec<&'static str> {
    let mut all: Vec<&str> = KINDS
        .iter()
        .flat_map(|kind| kind.scopes.iter().copied())
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn reference(name: &str) -> Json {
    json!({"$ref": format!("#/$defs/{name}")})
}

fn definitions() -> Json {
    let whole = json!({"type": "integer"});
    let text = json!({"type": "string", "minLength": 1});
    json!({
        "size": {"anyOf": [{"type": "integer", "minimum": 1}, text], "description": "an integer of at least 1, or a constant expression in quotes"},
        "count": {"anyOf": [{"type": "integer", "minimum": 0}, text], "description": "an integer of at least 0, or a constant expression in quotes"},
        "integer": {"anyOf": [whole, text], "description": "an integer, or a constant expression in quotes"},
        "expression": {"anyOf": [whole, text], "description": "an expression in quotes"},
        "constants": {
            "type": "object",
            "additionalProperties": {"anyOf": [reference("integer"), {"type": "array", "items": reference("integer")}]},
        },
        "form": {"anyOf": [
            reference("size"),
            only("table", &json!({"type": "array", "items": reference("count"), "minItems": 2, "maxItems": 2})),
            only("permutation", &reference("size")),
            only("subset", &json!({"anyOf": [reference("size"), {"type": "array", "items": reference("count"), "minItems": 2, "maxItems": 2}]})),
        ]},
        "domain": {"anyOf": [reference("size"), {"type": "object", "additionalProperties": reference("form")}]},
        "edges": {"type": "object", "additionalProperties": reference("size")},
        "epoch": record(&keys::EPOCH, &[]),
        "player": {"type": "object", "properties": {"for": {"type": "string"}}, "additionalProperties": reference("domain"), "minProperties": 1, "maxProperties": 2},
        "slot": {"anyOf": [reference("size"), record(&keys::SLOT, &keys::SLOT_RULES)]},
        "slots": {"type": "object", "properties": {"for": {"type": "string"}}, "additionalProperties": reference("slot")},
        "block": record(&keys::BLOCK, &[]),
        "item": {"anyOf": [reference("block"), {"type": "array", "items": reference("slots")}, reference("slots")]},
        "family": tagged(&keys::FAMILIES),
        "game": record(&keys::GAME, &[]),
        "task": tagged(&keys::TASKS),
        "strategy": tagged(&keys::STRATEGIES),
        "claim": claims(),
    })
}

/// A table with one key.
fn only(key: &str, value: &Json) -> Json {
    json!({"type": "object", "properties": {key: value}, "required": [key], "additionalProperties": false})
}

/// A table with these keys and no others.
fn record(keys: &[Key], one_of: &[&str]) -> Json {
    let properties: Map<String, Json> = keys
        .iter()
        .map(|key| (key.name.to_owned(), of_shape(key.shape)))
        .collect();
    let required: Vec<&str> = keys
        .iter()
        .filter(|key| key.required)
        .map(|key| key.name)
        .collect();
    let mut schema = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    if !one_of.is_empty() {
        schema["oneOf"] = one_of
            .iter()
            .map(|key| json!({"required": [key]}))
            .collect();
    }
    schema
}

/// A table with exactly one of these tags.
fn tagged(tables: &[Table]) -> Json {
    let entry = |table: &Table| {
        let mut body = record(table.keys, table.one_of);
        body["description"] = json!(table.about);
        (table.tag.to_owned(), body)
    };
    one_tag(&tables.iter().map(entry).collect())
}

fn one_tag(properties: &Map<String, Json>) -> Json {
    json!({"type": "object", "properties": properties, "additionalProperties": false, "minProperties": 1, "maxProperties": 1})
}

fn claims() -> Json {
    let entry = |kind: &Kind| {
        let shape = |key: &&str| keys::claim_shape(kind.name, key).map_or(json!(true), of_shape);
        let properties: Map<String, Json> = kind
            .keys
            .iter()
            .map(|key| ((*key).to_owned(), shape(key)))
            .collect();
        let body = json!({
            "type": "object",
            "description": kind.meaning,
            "properties": properties,
            "required": kind.required,
            "additionalProperties": false,
        });
        (kind.name.to_owned(), body)
    };
    one_tag(&KINDS.iter().map(entry).collect())
}

fn list_of(name: &str) -> Json {
    json!({"type": "array", "items": reference(name)})
}

fn of_shape(shape: Shape) -> Json {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    match shape {
        Shape::Size => reference("size"),
        Shape::Count => reference("count"),
        Shape::Integer => reference("integer"),
        Shape::Text => json!({"type": "string"}),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Expression => reference("expression"),
        Shape::Sizes => list_of("size"),
        Shape::Integers => list_of("integer"),
        Shape::Texts | Shape::Labels | Shape::Slots => texts,
        Shape::SlotLists => json!({"type": "array", "items": texts}),
        Shape::Answers => json!({"anyOf": [reference("size"), list_of("size")]}),
        Shape::Values => json!({"anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"anyOf": [reference("count"), list_of("count")]}},
        ]}),
        Shape::Symbols => json!({"anyOf": [{"type": "string"}, list_of("count")]}),
        Shape::Domain => reference("domain"),
        Shape::Domains => list_of("domain"),
        Shape::Edges => reference("edges"),
        Shape::SizeOrEdges => json!({"anyOf": [reference("size"), reference("edges")]}),
        Shape::Passes => list_of("edges"),
        Shape::Epochs => list_of("epoch"),
        Shape::Players => list_of("player"),
        Shape::Rounds | Shape::Items => list_of("item"),
        Shape::Say => json!({"type": "object", "additionalProperties": of_shape(Shape::Symbols)}),
        Shape::Patterns => {
            json!({"type": "object", "additionalProperties": reference("expression")})
        }
        Shape::Maps(keys) => json!({"type": "object", "additionalProperties": record(keys, &[])}),
        Shape::Lets => reference("constants"),
        Shape::Holds => json!({"anyOf": [{"type": "string"}, texts]}),
        Shape::AnyTable => json!({"type": "object"}),
        Shape::TextOrTable => json!({"anyOf": [{"type": "string"}, {"type": "object"}]}),
    }
}
