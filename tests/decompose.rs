//! `decompose` and `check --coq` on the command line.
#![cfg(feature = "search")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail, and says what it skips"
)]

use assert_cmd::Command;
use serde_json::Value as Json;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("foolproof")
        .unwrap()
        .args(arguments)
        .output()
        .unwrap();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn json(arguments: &[&str]) -> Json {
    let mut all = arguments.to_vec();
    all.extend(["--format", "json"]);
    let (code, text, error) = run(&all);
    assert_eq!(code, 0, "{error}");
    serde_json::from_str(&text).unwrap()
}

fn steps(json: &Json) -> Vec<(String, String, String)> {
    let text = |value: &Json| value.as_str().unwrap().to_owned();
    let rows = json["steps"].as_array().unwrap().iter();
    rows.map(|row| {
        (
            text(&row["name"]),
            text(&row["before"]),
            text(&row["after"]),
        )
    })
    .collect()
}

#[test]
fn the_row_of_three_steps() {
    let found = json(&["decompose", "decompose-3", "--protocol", "lookup"]);
    let expected = [
        ("soft 3->-1 @1", "5184", "1296"),
        ("soft 2->-1 @1", "1296", "432"),
        ("soft 3->-1 @2", "432", "432"),
        ("soft 2->-1 @2", "432", "144"),
        ("level 2", "5184", "144"),
        ("rectangle 2", "144", "32"),
        ("soft 3->-1 @1", "16", "16"),
        ("soft 3->-1 @2", "16", "16"),
        ("soft 3->-1 @3", "16", "16"),
        ("level 3", "64", "16"),
    ];
    let expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
    assert_eq!(steps(&found), expected);
    assert_eq!(found["count_fires"], true);
    assert_eq!(found["verified"], true);
    assert_eq!(
        found["pair"]["left"]["1"],
        serde_json::json!({"z1": [2, 3]})
    );
    assert_eq!(found["steps"][4]["loss"], "36");
    assert!(
        found["steps"][4]["allowed"]
            .as_str()
            .unwrap()
            .starts_with("2^")
    );
}

#[test]
fn the_leak_and_the_tie_rule() {
    let arguments = [
        "decompose",
        "toy-frf",
        "--protocol",
        "lookup",
        "--sizes",
        "1,2",
    ];
    let found = json(&arguments);
    let through = serde_json::json!(["lin 0->-1 @1.1"]);
    assert_eq!(found["first_view_varies"]["through"], through);
    assert_eq!(found["pair"], Json::Null);
    let greatest = [
        "decompose",
        "decompose-3",
        "--protocol",
        "lookup",
        "--tie",
        "greatest",
    ];
    assert_eq!(json(&greatest)["levels"][0]["size"], "36");
    let mut one_shot = greatest.to_vec();
    one_shot.push("--one-shot");
    assert_eq!(json(&one_shot)["levels"][0]["size"], "144");
}

#[test]
fn rules_and_lists_agree_and_evidence_verifies() {
    let folder = TempDir::new().unwrap();
    let at = folder.path().to_str().unwrap();
    let base = [
        "decompose",
        "decompose-2",
        "--protocol",
        "lookup",
        "--proof",
        at,
    ];
    for method in ["enumerate", "symbolic"] {
        let mut all = base.to_vec();
        all.extend(["--method", method]);
        assert_eq!(json(&all)["levels"][0]["size"], "8");
        assert_eq!(run(&["verify", at]).0, 0);
    }
    let long = [
        "decompose",
        "decompose-2-long",
        "--protocol",
        "lookup",
        "--sizes",
        "4,3",
        "--proof",
        at,
    ];
    let found = json(&long);
    assert_eq!(found["mode"], "symbolic");
    assert_eq!(found["levels"][0]["loss"], "43046721");
    assert_eq!(run(&["verify", at]).0, 0);
}

#[test]
fn errors_say_what_was_expected() {
    let (code, _, error) = run(&["decompose", "index", "--protocol", "lookup"]);
    assert!(code == 2 && !error.is_empty());
    let (code, _, error) = run(&[
        "decompose",
        "toy-frf",
        "--protocol",
        "lookup",
        "--sizes",
        "1",
    ]);
    assert_eq!(code, 2);
    assert!(error.contains("expected 2 sizes"), "{error}");
    let large = [
        "decompose",
        "decompose-2-long",
        "--protocol",
        "lookup",
        "--method",
        "enumerate",
    ];
    let (code, _, error) = run(&large);
    assert_eq!(code, 3);
    assert!(error.contains("nothing was decomposed"), "{error}");
    let random = [
        "decompose",
        "decompose-2-long",
        "--protocol",
        "pseudo-random",
    ];
    assert_ne!(run(&random).0, 0);
}

#[test]
fn shipped_strategies_run_on_a_shipped_game() {
    for (game, strategy) in [
        ("decompose-2", "affine-sums"),
        ("decompose-2", "threshold-first"),
        ("decompose-2", "pseudo-random"),
        ("decompose-2", "lookup-then-relay"),
        ("toy-frf", "toy-table"),
        ("toy-frf", "relay-by-hand"),
    ] {
        let found = json(&["check", game, "--protocol", strategy]);
        let right = game == "toy-frf";
        assert_eq!(
            found["verdict"],
            if right { "correct" } else { "wrong" },
            "{strategy}"
        );
        json(&["decompose", game, "--protocol", strategy]);
    }
}

/// Runs `coqc` on a file; `None` without it.
fn coqc(file: &Path) -> Option<String> {
    let output = std::process::Command::new("coqc")
        .arg(file.file_name()?)
        .current_dir(file.parent()?)
        .output()
        .ok()?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn coq_accepts_exported_pairs() {
    let folder = TempDir::new().unwrap();
    let toy = folder.path().join("toy.toml");
    fs::write(
        &toy,
        "[family.hybrid]\nsteps = 2\nstart = 1\nranges = [2, 2]\nqueries = [1]\nlayout = \"FF\"\nsoft = { \"1>0\" = 2, \"2>-1\" = 2 }\n",
    )
    .unwrap();
    let toy = toy.to_str().unwrap();
    for (command, name) in [("check", "checked.v"), ("decompose", "decomposed.v")] {
        let file = folder.path().join(name);
        let path = file.to_str().unwrap();
        let mut arguments = vec![command, toy, "--protocol", "lookup", "--coq", path];
        if command == "decompose" {
            arguments.extend(["--sizes", "1,2"]);
        }
        let (code, text, error) = run(&arguments);
        assert_eq!(code, 0, "{error}");
        assert!(text.contains("coq: "), "{text}");
        assert!(file.exists(), "{text}");
        match coqc(&file) {
            None => println!("coqc is not there: {name} was written but not checked"),
            Some(said) => assert!(said.contains("Closed under the global context"), "{said}"),
        }
    }
    let none = folder.path().join("none.v");
    let relay = [
        "check",
        "toy-frf",
        "--protocol",
        "relay",
        "--coq",
        none.to_str().unwrap(),
    ];
    let (_, text, _) = run(&relay);
    assert!(
        text.contains("nothing is written") && !none.exists(),
        "{text}"
    );
}
