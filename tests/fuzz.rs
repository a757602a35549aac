//! Readers survive anything: no bytes, TOML or JSON make them panic or hang.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail"
)]

mod support;

use foolproof::evidence::claim::Library;
use foolproof::evidence::verify::{Options, verify_bytes};
use foolproof::evidence::{Claim, Witness, canonical};
use foolproof::file::constants::Overrides;
use foolproof::file::expr::Limits;
use foolproof::file::{FileError, Source, setting, strategies};
use num_bigint::BigUint;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Longest that one input may take in a debug build; the limits of the readers are far below.
const PATIENCE: Duration = Duration::from_secs(20);

/// Cases per property; `FOOLPROOF_FUZZ=100000` for a long run.
fn cases() -> u32 {
    std::env::var("FOOLPROOF_FUZZ")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(1_500)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder with this extension.
fn texts(folder: &str, extension: &str) -> Vec<(PathBuf, String)> {
    let mut open = vec![root().join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

static SHIPPED: LazyLock<Vec<(PathBuf, String)>> = LazyLock::new(|| texts("protocols", "toml"));
static EVIDENCE: LazyLock<Vec<(PathBuf, String)>> = LazyLock::new(|| {
    let small = |file: &(PathBuf, String)| file.1.len() < 3_000;
    texts("witnesses", "json")
        .into_iter()
        .filter(small)
        .collect()
});

/// Files on disk, relative to the one that names them.
struct OnDisk;

impl Library for OnDisk {
    fn open(&self, from: &Source, name: &str) -> Result<Source, FileError> {
        let path = Path::new(&from.name).parent().unwrap().join(name);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Source::new(path.display().to_string(), text)),
            Err(error) => Err(FileError::unplaced(error.to_string())),
        }
    }
}

fn small_options() -> Options {
    Options {
        max_inputs: BigUint::from(4_096u32),
        ..Options::default()
    }
}

/// Reads a text as game, strategy and claim file, as far as each goes.
fn read_toml(path: &Path, text: &str) {
    let start = Instant::now();
    let source = Source::new(path.display().to_string(), text);
    let (none, limits) = (Overrides::new(), Limits::default());
    if let Ok(tree) = setting::parse_file(&source)
        && let Ok(game) = setting::resolve(&source, &tree, &none, limits)
    {
        let _ = strategies::resolve(&source, &tree, &game, &none, limits);
    }
    if let Ok(claim) = Claim::read(&source) {
        let _ = claim.cases(&OnDisk, &none, limits);
    }
    assert!(
        start.elapsed() < PATIENCE,
        "{:?} for\n{text}",
        start.elapsed()
    );
}

fn read_json(name: &str, bytes: &[u8]) {
    let start = Instant::now();
    let _ = canonical::parse(bytes);
    let _ = Witness::read(bytes);
    let _ = verify_bytes(name, bytes, &BTreeMap::new(), &small_options());
    assert!(
        start.elapsed() < PATIENCE,
        "{:?} for\n{}",
        start.elapsed(),
        String::from_utf8_lossy(bytes)
    );
}

/// One change of a text: a part of it cut out, doubled, or replaced by a token.
#[derive(Clone, Debug)]
struct Edit {
    from: Index,
    length: usize,
    with: String,
}

/// Texts that mean something in some file.
const TOKENS: &[&str] = &[
    "",
    "0",
    "1",
    "2",
    "-1",
    "7",
    "64",
    "1000",
    "18446744073709551615",
    "18446744073709551616",
    "\"",
    "\"\"",
    "[",
    "]",
    "{",
    "}",
    "=",
    ",",
    ".",
    "'",
    "\n",
    "@1",
    "->",
    "for",
    "in",
    "..",
    "..<",
    "*",
    "^",
    "mod",
    "div",
    "1/0",
    "\"2^64\"",
    "\"9^9^9\"",
    "true",
    "[[]]",
    "1979-05-27",
    "1.5",
    "é",
    "\u{1F600}",
    "{a}",
    "{",
    "sum(i in 0..9: i)",
    "factorial(99)",
];

/// Keys of game files.
const KEYS: &[&str] = &[
    "game", "family", "hybrid", "one_way", "let", "task", "steps", "players", "rounds", "A", "0",
    "-1",
];

fn token() -> impl Strategy<Value = String> {
    prop_oneof![3 => select(TOKENS).prop_map(str::to_owned), 1 => "\\PC{0,4}"]
}

fn edit() -> impl Strategy<Value = Edit> {
    (any::<Index>(), 0..6usize, token()).prop_map(|(from, length, with)| Edit {
        from,
        length,
        with,
    })
}

fn edited(text: &str, edits: &[Edit]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for Edit { from, length, with } in edits {
        let at = from.index(chars.len() + 1);
        let end = (at + length).min(chars.len());
        chars.splice(at..end, with.chars());
    }
    chars.into_iter().collect()
}

/// Any JSON of small depth.
fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        (0..9u64).prop_map(|number| json!(number.to_string())),
        token().prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::from),
            vec((select(KEYS), inner), 0..4).prop_map(|entries| Json::Object(
                entries
                    .into_iter()
                    .map(|(key, json)| (key.to_owned(), json))
                    .collect()
            )),
        ]
    })
}

/// Pointers of all values.
fn places(json: &Json, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match json {
        Json::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(i, item)| places(item, &format!("{at}/{i}"), found)),
        Json::Object(map) => map
            .iter()
            .for_each(|(key, item)| places(item, &canonical::pointer(at, key), found)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

proptest! {
    #![proptest_config(support::proptest_config("tests/fuzz.proptest-regressions", cases()))]

    #[test]
    fn bytes_do_not_break_the_readers(bytes in vec(any::<u8>(), 0..200)) {
        read_json("A.json", &bytes);
        read_toml(Path::new("a.toml"), &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn changed_files_do_not_break_the_readers(file in any::<Index>(), edits in vec(edit(), 1..4)) {
        let (path, text) = file.get::<(PathBuf, String)>(&SHIPPED);
        read_toml(path, &edited(text, &edits));
    }

    #[test]
    fn changed_evidence_does_not_break_the_verifier(file in any::<Index>(), edits in vec(edit(), 1..4)) {
        let (path, text) = file.get::<(PathBuf, String)>(&EVIDENCE);
        read_json(path.file_name().unwrap().to_str().unwrap(), edited(text, &edits).as_bytes());
    }

    /// Canonical JSON with some values exchanged gets past the parser.
    #[test]
    fn exchanged_values_do_not_break_the_verifier(
        file in any::<Index>(),
        changes in vec((any::<Index>(), any_json()), 1..3),
    ) {
        let (path, text) = file.get::<(PathBuf, String)>(&EVIDENCE);
        let mut json: Json = serde_json::from_str(text).unwrap();
        for (place, value) in changes {
            let mut found = Vec::new();
            places(&json, "", &mut found);
            *json.pointer_mut(place.get::<String>(&found)).unwrap() = value;
        }
        read_json(path.file_name().unwrap().to_str().unwrap(), (canonical::text(&json) + "\n").as_bytes());
    }

    #[test]
    fn any_json_is_read_or_rejected(json in any_json()) {
        read_json("A.json", (canonical::text(&json) + "\n").as_bytes());
    }
}
