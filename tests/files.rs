//! Every example file of the specification, with the verdict quoted there; families against games by hand; the order of keys.
#![cfg(feature = "search")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use assert_cmd::Command;
use foolproof::evidence::Claim;
use foolproof::file::constants::Overrides;
use foolproof::file::expr::Limits;
use foolproof::file::strategies::{self, Strategy};
use foolproof::file::tree::{Tree, Value};
use foolproof::file::{Setting, Source, setting};
use foolproof::game::{Inputs, Run, run};
use num_bigint::BigInt;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

/// A fixture, or a shipped file by its path under `protocols/`.
fn read(name: &str) -> Source {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("protocols")
        .join(name);
    let path = if shipped.is_file() {
        shipped
    } else {
        folder().join(name)
    };
    Source::new(name, fs::read_to_string(path).unwrap())
}

fn game_of(text: &Source, overrides: &Overrides) -> Setting {
    let tree = setting::parse_file(text).unwrap();
    setting::resolve(text, &tree, overrides, Limits::default()).unwrap()
}

fn game(name: &str) -> Setting {
    game_of(&read(name), &Overrides::new())
}

fn strategy(name: &str, game: &Setting) -> Strategy {
    let source = read(name);
    let tree = setting::parse_file(&source).unwrap();
    strategies::resolve(&source, &tree, game, &Overrides::new(), Limits::default()).unwrap()
}

/// Runs the binary in a folder with all fixtures; gives exit code and stdout.
fn foolproof(arguments: &[&str]) -> (Option<i32>, String) {
    let temporary = TempDir::new().unwrap();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, temporary.path().join(path.file_name().unwrap())).unwrap();
    }
    let output = Command::cargo_bin("foolproof")
        .unwrap()
        .current_dir(temporary.path())
        .args(arguments)
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    (output.status.code(), stdout)
}

/// What `audit FILE` says: exit code, and (id, verdict, detail) of every claim.
fn audit(arguments: &[&str]) -> (Option<i32>, Vec<(String, String, String)>) {
    let all: Vec<&str> = ["audit", "--format", "json"]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    let (code, stdout) = foolproof(&all);
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let text = |claim: &serde_json::Value, key: &str| claim[key].as_str().unwrap().to_owned();
    let rows = json["claims"].as_array().unwrap().iter();
    (
        code,
        rows.map(|claim| {
            (
                text(claim, "id"),
                text(claim, "verdict"),
                text(claim, "detail"),
            )
        })
        .collect(),
    )
}

fn verdict(arguments: &[&str], id: &str, verdict: &str, detail: &str) {
    let (code, rows) = audit(arguments);
    assert_eq!(
        rows,
        [(id.to_owned(), verdict.to_owned(), detail.to_owned())],
        "{arguments:?}"
    );
    assert_eq!(code, Some(0), "{arguments:?}");
}

#[test]
fn every_claim_of_the_specification_has_its_verdict() {
    verdict(
        &["claim-head.toml"],
        "MY-1",
        "established",
        "24 inputs  family: 8 members > bound 7",
    );
    verdict(
        &["claim-independent.toml"],
        "MY-INDEPENDENT",
        "refuted",
        "9 slots  relay: soft 1->0 @1, lin 0->-1 @1.1",
    );
    verdict(
        &["claim-count.toml"],
        "MY-COUNT",
        "established",
        "24 inputs  classes and protocol: exactly 8 states, 3 bits",
    );
    verdict(
        &["claim-inequality.toml"],
        "MY-INEQUALITY",
        "established",
        "enumeration: 2048 comparisons hold at all 1024 points",
    );
    verdict(
        &["claim-parameters.toml"],
        "MY-PARAMETERS",
        "established",
        "comparison: holds at all 1 point",
    );
    verdict(
        &["claim-decomposition.toml"],
        "MY-DECOMPOSITION",
        "established",
        "16384 inputs  decomposition (replay): R2 = 8 of 256, count fires at 8 of 8 addresses, pair found",
    );
    verdict(
        &["step7.toml"],
        "STEP-7",
        "established",
        "3 slots  cut: no path avoids soft A->C @1",
    );
    verdict(
        &["remark8.toml"],
        "REMARK-8",
        "refuted",
        "32 inputs  protocol, replayed on all 32 inputs",
    );
    let (code, rows) = audit(&["lemma7.toml"]);
    let expected = [1, 2, 3].map(|s| {
        (
            format!("LEMMA-7-s{s}"),
            "established".to_owned(),
            format!("32 inputs  family: 4 members > bound {s}"),
        )
    });
    assert_eq!((code, rows), (Some(0), expected.to_vec()));
}

#[test]
fn the_printed_recursion_of_the_specification_is_refuted() {
    let (code, rows) = audit(&["claim-recursion.toml"]);
    let detail = "counterexample: k = 2, X = 0 1 0, position 3: the machine says 1, hop_2 is none";
    let row = ("MY-RECURSION", "refuted", detail);
    let expected = (row.0.to_owned(), row.1.to_owned(), row.2.to_owned());
    assert_eq!((code, rows), (Some(0), vec![expected]));
}

#[test]
fn the_derived_bound_of_the_specification_closes() {
    let (code, rows) = audit(&["claim-derive.toml"]);
    assert_eq!(code, Some(0));
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (rows[0].0.as_str(), rows[0].1.as_str()),
        ("MY-DERIVE", "established")
    );
    assert!(
        rows[0].2.starts_with("ledger: closes at 14 tokens"),
        "{}",
        rows[0].2
    );
}

/// A claim of one kind about a game of the fixtures, on the command line of a folder of its own.
fn decided(kind: &str, body: &str) -> (Option<i32>, Vec<(String, String)>) {
    let temporary = TempDir::new().unwrap();
    for name in [
        "chain.toml",
        "pass.toml",
        "witness-index.toml",
        "index.toml",
    ] {
        fs::copy(folder().join(name), temporary.path().join(name)).unwrap();
    }
    let head = "id = \"X\"\nsource = \"x\"\nstatement = \"x\"\nscope = \"every-protocol-of-this-game\"\nexpected = \"established\"\n";
    fs::write(
        temporary.path().join("x.toml"),
        format!("{head}[claim.{kind}]\n{body}\n"),
    )
    .unwrap();
    let arguments = ["audit", "x.toml", "--format", "json"];
    let output = Command::cargo_bin("foolproof")
        .unwrap()
        .current_dir(temporary.path())
        .args(arguments)
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |claim: &serde_json::Value, key: &str| claim[key].as_str().unwrap().to_owned();
    let rows = json["claims"].as_array().unwrap().iter();
    (
        output.status.code(),
        rows.map(|claim| (text(claim, "id"), text(claim, "verdict")))
            .collect(),
    )
}

#[test]
fn the_games_of_the_specification_are_solvable_exactly_where_it_says() {
    let verdicts = |kind: &str, body: &str| -> Vec<String> {
        decided(kind, body).1.into_iter().map(|row| row.1).collect()
    };
    let word = |established: bool| {
        if established {
            "established"
        } else {
            "refuted"
        }
    };
    let points = |list: &[bool]| list.iter().map(|e| word(*e).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        verdicts("solvable", "game = \"chain.toml\"\nfor = \"s in 1..5\""),
        points(&[false, false, false, true, true])
    );
    assert_eq!(
        verdicts("solvable", "game = \"pass.toml\"\nfor = \"s in 1..3\""),
        points(&[false, true, true])
    );
    assert_eq!(
        verdicts("unsolvable", "game = \"pass.toml\"\nfor = \"s in 1..3\""),
        points(&[true, false, false])
    );
    assert_eq!(
        verdicts("solvable", "game = \"witness-index.toml\""),
        points(&[true])
    );
    assert_eq!(
        verdicts("solvable", "game = \"index.toml\"\nfor = \"s in 7..8\""),
        points(&[false, true])
    );
}

/// Counting needs no certificate for this relation; the exhaustive search has none, and says so.
#[test]
fn an_exhausted_search_without_a_certificate_is_undecided() {
    let mut source = read("witness-index.toml");
    source.text = source.text.replace("symbols = 3", "symbols = 2");
    let two = game_of(&source, &Overrides::new());
    let limit = 1_000_000u32.into();
    let found = foolproof::search::exhaustive::search(&two.game, &*two.task, &limit).unwrap();
    assert!(
        matches!(
            found,
            foolproof::search::exhaustive::Searched::Exhausted { .. }
        ),
        "{found:?}"
    );
}

#[test]
fn the_proof_step_fails_with_a_pass() {
    let leak = |pinned: &str| {
        let body = format!("game = \"pass.toml\"\nof = \"A\"\nview = \"C\"\npinned = [{pinned}]");
        decided("independent", &body).1
    };
    let refuted = [("X".to_owned(), "refuted".to_owned())];
    assert_eq!(leak("\"soft A->C\""), refuted);
    assert_eq!(leak("\"soft A->C\", \"soft A->B\""), refuted);
    let flow = |pins: &[&str]| {
        let mut all = vec![
            "flow",
            "pass.toml",
            "--of",
            "A",
            "--view",
            "C",
            "--format",
            "json",
        ];
        all.extend(pins.iter().flat_map(|pin| ["--pin", pin]));
        let json: serde_json::Value = serde_json::from_str(&foolproof(&all).1).unwrap();
        json["leak"].clone()
    };
    assert_eq!(
        flow(&["soft A->C"]),
        serde_json::json!(["soft A->B @1", "lin B->C @3"])
    );
    assert_eq!(
        flow(&["soft A->C", "soft A->B"]),
        serde_json::json!(["lin A->B @2", "lin B->C @3"])
    );
}

#[test]
fn protocols_of_the_tutorial() {
    let (code, text) = foolproof(&["check", "chain.toml", "--protocol", "says-sum.toml"]);
    let pair = "wrong: indistinguishable pair (the answer function is free)
  left   A f=01  B g=00  C x=0   accepted 0
  right  A f=10  B g=00  C x=0   accepted 1
  C sees on both: x=0, soft A->C @1 = 1, soft B->C @1 = 0
";
    assert!(text.starts_with(pair), "{text}");
    assert_eq!(code, Some(0));
    let (code, text) = foolproof(&["check", "pass.toml", "--protocol", "halves.toml"]);
    assert!(
        text.starts_with("correct on all 32 inputs; ledger: soft 8 (3 bits), linear 4 (2 bits)\n"),
        "{text}"
    );
    assert_eq!(code, Some(0));
    let (code, text) = foolproof(&["check", "toy-frf", "--protocol", "relay.toml"]);
    assert!(text.starts_with("correct on all 8 inputs"), "{text}");
    assert_eq!(code, Some(0));
}

/// `bits(factorial(n)) >= n*(bits(n) - 2)` fails first at n = 17: 49 < 51.
#[test]
fn the_inequality_that_fails_first_at_17() {
    let temporary = TempDir::new().unwrap();
    let claim = "id = \"X\"\nsource = \"x\"\nstatement = \"x\"\nscope = \"this-range\"\nexpected = \"refuted\"\n\
        [claim.inequality]\nfor = \"n in 2..64\"\nholds = \"bits(factorial(n)) >= n*(bits(n) - 2)\"\n";
    fs::write(temporary.path().join("x.toml"), claim).unwrap();
    let output = Command::cargo_bin("foolproof")
        .unwrap()
        .current_dir(temporary.path())
        .args(["audit", "x.toml"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("n = 17") && text.contains("49") && text.contains("51"),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn the_game_by_hand_is_the_family_slot_by_slot() {
    let hand = game("hybrid-by-hand.toml");
    let text = "[family.hybrid]\nsteps = 2\nstart = 2\nranges = [2, 2]\nqueries = [2]\nlayout = \"FR\"\nsoft = 2\nlinear = 3\n";
    let family = game_of(&Source::new("family.toml", text), &Overrides::new());
    let resolved = |setting: &Setting| {
        let mut json = setting.resolved(&serde_json::Value::Null);
        json["task"] = serde_json::Value::Null;
        json
    };
    assert_eq!(resolved(&hand), resolved(&family));
    let (a, b) = (&hand.game, &family.game);
    assert_eq!(a.players(), b.players());
    assert_eq!(a.slots(), b.slots());
    assert!(
        a.ids()
            .all(|id| a.name(id) == b.name(id) && a.round_of(id) == b.round_of(id))
    );
    for inputs in Inputs::all(a) {
        assert_eq!(
            hand.task.accepted(&inputs).unwrap(),
            family.task.accepted(&inputs).unwrap()
        );
    }
}

fn said(setting: &Setting, strategy: &Strategy, inputs: &Inputs) -> Run {
    run(&setting.game, &*strategy.protocol, inputs).unwrap()
}

#[test]
fn lookup_by_hand_says_what_lookup_says() {
    for name in [
        "games/hybrid-ff.toml",
        "games/hybrid-frf.toml",
        "games/toy-frf.toml",
        "hybrid-by-hand.toml",
    ] {
        let setting = game(name);
        let named = strategy("strategies/lookup.toml", &setting);
        let source = read("lookup-by-hand.toml");
        let tree = setting::parse_file(&source).unwrap();
        // A game by hand has no constants m1, m2.
        let Ok(hand) = strategies::resolve(
            &source,
            &tree,
            &setting,
            &Overrides::new(),
            Limits::default(),
        ) else {
            assert_eq!(name, "hybrid-by-hand.toml");
            continue;
        };
        for inputs in Inputs::all(&setting.game) {
            assert_eq!(
                said(&setting, &hand, &inputs),
                said(&setting, &named, &inputs),
                "{name} {inputs:?}"
            );
        }
    }
}

/// Braces in the name of a field were not replaced.
#[test]
fn braces_stand_in_field_names_too() {
    let text = "[game]\noutput = \"P1\"\nplayers = [{ for = \"i in 1..2\", \"P{i}\" = { \"x{i}\" = \"i + 1\" } }]\nrounds = [{ \"lin P2->P1\" = 3 }]\n\
        [task.expression]\nanswers = 6\nvalue = \"x1*3 + x2\"\n";
    let setting = game_of(&Source::new("own.toml", text), &Overrides::new());
    assert_eq!(setting.game.inputs_size().unwrap(), 6u8.into());
}

/// A strategy had to give copied and read slots a pattern, though what they carry is not its to say.
#[test]
fn a_strategy_says_nothing_on_copied_and_read_slots() {
    let forward = "[game]\noutput = \"C\"\nplayers = [{ A = 4 }, { B = 2 }, { C = 2 }]\n\
        rounds = [{ \"lin A->B\" = 2 }, { \"free B->C\" = { forward = true } }]\n\
        [task.expression]\nanswers = 2\nvalue = \"(A.value + B.value) mod 2\"\n\
        [strategy.expression]\nanswer = \"(B.value + 'lin A->B @1') mod 2\"\n\
        [strategy.expression.say]\n\"lin A->B\" = \"value mod 2\"\n";
    let read = "[game]\noutput = \"Q\"\n\
        players = [{ for = \"i in 0..1\", \"B{i}\" = { \"t{i}\" = 3 } }, { Q = { q = 3 } }]\n\
        rounds = [{ for = \"i in 0..1\", \"summary B{i}->Q\" = 3 }, { \"selection Q->Q\" = 2 },\n\
          { \"read Q->Q\" = { by = \"selection Q->Q @2\", rank = 0 } }]\n\
        [task.expression]\nanswers = 2\nvalue = \"if t0 = q or t1 = q then 1 else 0\"\n\
        [strategy.expression]\nanswer = \"if 'summary B0->Q @1' = q or 'read Q->Q @3' = q then 1 else 0\"\n\
        [strategy.expression.say]\n\"summary B{i}->Q\" = \"t{i}\"\n\"selection *\" = 1\n";
    for text in [forward, read] {
        let source = Source::new("own.toml", text);
        let tree = setting::parse_file(&source).unwrap();
        let setting = game_of(&source, &Overrides::new());
        let strategy = strategies::resolve(
            &source,
            &tree,
            &setting,
            &Overrides::new(),
            Limits::default(),
        )
        .unwrap();
        for inputs in Inputs::all(&setting.game) {
            let answer = said(&setting, &strategy, &inputs).answer.unwrap();
            assert!(
                setting.task.accepted(&inputs).unwrap().contains(answer),
                "{inputs:?}"
            );
        }
    }
}

/// The same tree with the entries of every table in another order.
fn shuffled(tree: &Tree, order: &mut impl FnMut(usize) -> usize) -> Tree {
    let value = match &tree.value {
        Value::Table(entries) => {
            let mut left: Vec<_> = entries.clone();
            let mut mixed = Vec::new();
            while !left.is_empty() {
                let mut entry = left.swap_remove(order(left.len()));
                entry.tree = shuffled(&entry.tree, order);
                mixed.push(entry);
            }
            Value::Table(mixed)
        }
        Value::List(items) => Value::List(items.iter().map(|item| shuffled(item, order)).collect()),
        other @ (Value::Text(_)
        | Value::Integer(_)
        | Value::Truth(_)
        | Value::Float
        | Value::Date) => other.clone(),
    };
    Tree {
        at: tree.at.clone(),
        value,
    }
}

fn mixer(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |len| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % len
    }
}

const GAMES: [&str; 12] = [
    "chain.toml",
    "pass.toml",
    "index.toml",
    "witness-index.toml",
    "hybrid-by-hand.toml",
    "games/hybrid-frf.toml",
    "games/toy-frf.toml",
    "games/exchange.toml",
    "games/forehead.toml",
    "games/set-membership.toml",
    "games/worked-example.toml",
    "games/composition-pass.toml",
];

const STRATEGIES: [(&str, &str); 4] = [
    ("chain.toml", "says-sum.toml"),
    ("pass.toml", "halves.toml"),
    ("games/toy-frf.toml", "relay.toml"),
    ("games/hybrid-frf.toml", "lookup-by-hand.toml"),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_keys_changes_nothing(seed: u64) {
        let resolve = |source: &Source, tree: &Tree| {
            setting::resolve(source, tree, &Overrides::new(), Limits::default()).unwrap()
        };
        let null = serde_json::Value::Null;
        for name in GAMES {
            let source = read(name);
            let tree = setting::parse_file(&source).unwrap();
            let mixed = shuffled(&tree, &mut mixer(seed));
            prop_assert_eq!(resolve(&source, &tree).resolved(&null), resolve(&source, &mixed).resolved(&null));
        }
        for (name, said) in STRATEGIES {
            let setting = game(name);
            let source = read(said);
            let tree = setting::parse_file(&source).unwrap();
            let resolved = |tree: &Tree| {
                let strategy = strategies::resolve(&source, tree, &setting, &Overrides::new(), Limits::default()).unwrap();
                (strategy.resolved, strategy.effective)
            };
            prop_assert_eq!(resolved(&tree), resolved(&shuffled(&tree, &mut mixer(seed))));
        }
    }
}

/// Bytes of one file changed, removed, doubled, or taken from another one.
fn mutated(files: &[String], pick: &mut impl FnMut(usize) -> usize) -> String {
    let mut bytes = files[pick(files.len())].clone().into_bytes();
    for _ in 0..=pick(4) {
        let (at, length) = (pick(bytes.len() + 1), pick(12));
        let end = (at + length).min(bytes.len());
        match pick(5) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes
                .splice(
                    at..at,
                    files[pick(files.len())]
                        .bytes()
                        .skip(length * 7)
                        .take(length),
                )
                .for_each(drop),
            2 => {
                let part = bytes[at..end].to_vec();
                bytes
                    .splice(
                        at..at,
                        part.iter()
                            .copied()
                            .cycle()
                            .take(part.len() * (1 + pick(40))),
                    )
                    .for_each(drop);
            }
            3 => bytes
                .splice(
                    at..at,
                    b"[{(^9'\"}])-*"[pick(12)..]
                        .iter()
                        .copied()
                        .take(1 + pick(3)),
                )
                .for_each(drop),
            _ => bytes
                .splice(at..end, pick(1 << 30).to_string().into_bytes())
                .for_each(drop),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads a text in every way there is.
fn read_all(text: &str) {
    let limits = Limits {
        steps: 2_000,
        ..Limits::default()
    };
    let source = Source::new("fuzzed.toml", text);
    let Ok(tree) = setting::parse_file(&source) else {
        return;
    };
    let _ = Claim::read(&source);
    let overrides: Overrides = [("s".to_owned(), BigInt::from(2))].into_iter().collect();
    let _ = setting::hybrid(&source, &tree, &overrides);
    if let Ok(setting) = setting::resolve(&source, &tree, &Overrides::new(), limits)
        && setting.game.slots().len() < 1 << 10
    {
        let _ = strategies::resolve(&source, &tree, &setting, &Overrides::new(), limits);
    }
}

/// `FUZZ=1000000 cargo test --release --test files fuzz` for the long run.
#[test]
fn fuzzed_files_never_panic() {
    let count: u64 = std::env::var("FUZZ")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(3_000);
    let mut files: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    files.extend(GAMES.map(|name| read(name).text));
    files.sort();
    for seed in 0..count {
        let mut pick = mixer(seed);
        pick(2);
        read_all(&mutated(&files, &mut pick));
    }
}

/// The same for the expression reader, from the strings of the fixtures.
#[test]
fn fuzzed_expressions_never_panic() {
    let count: u64 = std::env::var("FUZZ")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(3_000);
    let names: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut texts: Vec<String> = names
        .iter()
        .flat_map(|name| {
            read(name)
                .text
                .split('"')
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    texts.retain(|text| text.len() > 2 && text.len() < 300);
    texts.sort();
    for seed in 0..count {
        let mut pick = mixer(seed);
        pick(2);
        foolproof::file::expr::fuzz(mutated(&texts, &mut pick).as_bytes());
    }
}

/// Deep nesting is an error, not the end of the stack.
#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [("[", "]"), ("{a=", "}"), ("[{a=", "}]")] {
        read_all(&format!(
            "let = {}1{}",
            open.repeat(100_000),
            close.repeat(100_000)
        ));
    }
    read_all(&format!("[{}]\n", vec!["a"; 100_000].join(".")));
    read_all(&format!(
        "let.a = \"{}1{}\"",
        "(".repeat(100_000),
        ")".repeat(100_000)
    ));
}
