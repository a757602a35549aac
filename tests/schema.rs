//! The JSON Schemas under `docs/schema/`: up to date, complete, and met by every shipped file.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use foolproof::evidence::statement::KINDS;
use foolproof::file::{Source, keys, setting};
use foolproof::report::schema::{Format, schema};
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `REGENERATE=1 cargo test --test schema` writes the files.
#[test]
fn the_committed_schemas_are_those_of_the_readers() {
    for format in Format::ALL {
        let path = root()
            .join("docs/schema")
            .join(format!("{}.json", format.name()));
        let text = format!("{:#}\n", schema(format));
        if std::env::var_os("REGENERATE").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &text).unwrap();
        }
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            text,
            "run REGENERATE=1 cargo test --test schema"
        );
    }
}

#[test]
fn every_key_of_every_kind_of_claim_has_a_shape() {
    for kind in &KINDS {
        for key in kind.keys.iter().chain(kind.required) {
            assert!(
                keys::claim_shape(kind.name, key).is_some(),
                "{} {key}",
                kind.name
            );
            assert!(kind.keys.contains(key), "{} {key}", kind.name);
        }
    }
}

/// The words of the schemas, and nothing else: a word that this check does not know fails.
fn check(root: &Json, schema: &Json, value: &Json, at: &str) -> Result<(), String> {
    let Json::Object(words) = schema else {
        return if schema == &Json::Bool(true) {
            Ok(())
        } else {
            Err(format!("{at}: no schema"))
        };
    };
    let wrong = |why: &str| Err(format!("{at}: {why}: {value}"));
    let fitting = |list: &Json| {
        list.as_array()
            .unwrap()
            .iter()
            .filter(|schema| check(root, schema, value, at).is_ok())
            .count()
    };
    for (word, argument) in words {
        match word.as_str() {
            "$ref" => {
                let name = argument.as_str().unwrap().strip_prefix("#").unwrap();
                check(root, root.pointer(name).unwrap(), value, at)?;
            }
            "type" => {
                let right = match argument.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "integer" => value.is_i64(),
                    "boolean" => value.is_boolean(),
                    other => panic!("type {other}"),
                };
                if !right {
                    return wrong(&format!("not of type {argument}"));
                }
            }
            "enum" if !argument.as_array().unwrap().contains(value) => {
                return wrong("not one of the words");
            }
            "minimum" if value.as_i64() < argument.as_i64() => return wrong("too small"),
            "minLength" if value.as_str().is_some_and(str::is_empty) => return wrong("empty"),
            "anyOf" if fitting(argument) == 0 => return wrong("nothing fits"),
            "oneOf" if fitting(argument) != 1 => return wrong("not exactly one fits"),
            "required" => {
                for key in argument.as_array().unwrap() {
                    if value.get(key.as_str().unwrap()).is_none() {
                        return wrong(&format!("no key {key}"));
                    }
                }
            }
            "minItems" | "maxItems" if value.as_array().map(Vec::len) != Some(2) => {
                return wrong("not a pair");
            }
            "minProperties" if value.as_object().unwrap().is_empty() => return wrong("empty"),
            "maxProperties"
                if value.as_object().unwrap().len() as u64 > argument.as_u64().unwrap() =>
            {
                return wrong("too many keys");
            }
            "properties"
            | "additionalProperties"
            | "items"
            | "enum"
            | "minimum"
            | "minLength"
            | "anyOf"
            | "oneOf"
            | "minItems"
            | "maxItems"
            | "minProperties"
            | "maxProperties"
            | "description"
            | "title"
            | "$schema"
            | "$defs" => {}
            other => panic!("unknown word {other}"),
        }
    }
    inside(root, schema, value, at)
}

/// The values under the keys of an object, and the items of a list.
fn inside(root: &Json, schema: &Json, value: &Json, at: &str) -> Result<(), String> {
    if let (Json::Object(entries), Json::Object(_)) = (value, schema) {
        for (key, entry) in entries {
            let at = format!("{at}/{key}");
            match (
                schema["properties"].get(key),
                schema.get("additionalProperties"),
            ) {
                (Some(known), _) => check(root, known, entry, &at)?,
                (None, Some(Json::Bool(false))) => return Err(format!("{at}: unknown key")),
                (None, Some(other)) => check(root, other, entry, &at)?,
                (None, None) => {}
            }
        }
    }
    if let (Json::Array(items), Some(item)) = (value, schema.get("items")) {
        for (place, entry) in items.iter().enumerate() {
            check(root, item, entry, &format!("{at}/{place}"))?;
        }
    }
    Ok(())
}

fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(toml_files(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn json(text: &str) -> Json {
    let table: toml::Table = text.parse().unwrap();
    plain(&toml::Value::Table(table))
}

fn plain(value: &toml::Value) -> Json {
    match value {
        toml::Value::String(text) => json!(text),
        toml::Value::Integer(number) => json!(number),
        toml::Value::Boolean(truth) => json!(truth),
        toml::Value::Float(_) | toml::Value::Datetime(_) => Json::Null,
        toml::Value::Array(items) => items.iter().map(plain).collect(),
        toml::Value::Table(table) => table
            .iter()
            .map(|(key, value)| (key.clone(), plain(value)))
            .collect(),
    }
}

fn formats(value: &Json) -> Vec<Format> {
    let has = |key: &str| value.get(key).is_some();
    let mut formats = Vec::new();
    if has("family") || has("game") {
        formats.push(Format::Game);
    }
    if has("strategy") {
        formats.push(Format::Strategy);
    }
    if has("claim") {
        formats.push(Format::Claim);
    }
    formats
}

#[test]
fn every_shipped_file_meets_its_schema() {
    let mut count = 0;
    for folder in ["protocols", "tests/files", "src/cli"] {
        for path in toml_files(&root().join(folder)) {
            let text = fs::read_to_string(&path).unwrap().replace("NAME", "name");
            let value = json(&text);
            // Kernels and exact models are data with readers of their own.
            if value.get("kernel").is_some()
                || path.parent().is_some_and(|at| at.ends_with("models"))
            {
                continue;
            }
            let formats = formats(&value);
            assert!(!formats.is_empty(), "{}", path.display());
            for format in formats {
                let schema = schema(format);
                check(&schema, &schema, &value, "")
                    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn every_source_of_a_shipped_claim_is_described() {
    let sources: toml::Table = fs::read_to_string(root().join("docs/sources.toml"))
        .unwrap()
        .parse()
        .unwrap();
    for (key, entry) in &sources {
        for field in ["title", "version", "citation"] {
            let text = entry[field].as_str().unwrap();
            assert!(!text.is_empty() && !text.contains("://"), "{key}");
        }
    }
    let mut used = std::collections::BTreeSet::new();
    for path in toml_files(&root().join("protocols/claims")) {
        let value = json(&fs::read_to_string(&path).unwrap());
        let source = value["source"].as_str().unwrap();
        let key = source.split(',').next().unwrap().to_owned();
        assert!(sources.contains_key(&key), "{}: {key}", path.display());
        used.insert(key);
    }
    assert_eq!(
        used.into_iter().collect::<Vec<_>>(),
        sources
            .keys()
            .cloned()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    );
}

/// A file that the schema of its format refuses is refused by the reader too.
#[test]
fn what_the_schema_refuses_the_reader_refuses() {
    let chain = fs::read_to_string(root().join("tests/files/chain.toml")).unwrap();
    for (from, to) in [
        ("value   =", "valeu   ="),
        ("answers = 2", ""),
        ("A = { f = { table", "A = { f = { tabel"),
        ("x = 2", "x = 0"),
        ("\"soft B->C\" = \"s\"", "\"soft B->C\" = 1.5"),
        (
            "\"soft B->C\" = \"s\"",
            "\"soft B->C\" = { symbols = 2, forward = true }",
        ),
        ("output  = \"C\"", "output = 3"),
        ("[task.expression]", "[task.expresion]"),
        ("[let]", "[lets]"),
    ] {
        let text = chain.replace(from, to);
        assert_ne!(text, chain);
        let schema = schema(Format::Game);
        let value = json(&text);
        assert!(check(&schema, &schema, &value, "").is_err(), "{to}");
        let source = Source::new("chain.toml", text);
        let read = setting::parse_file(&source).and_then(|tree| {
            setting::resolve(
                &source,
                &tree,
                &std::collections::BTreeMap::new(),
                foolproof::file::expr::Limits::default(),
            )
        });
        assert!(read.is_err(), "{to}");
    }
}
