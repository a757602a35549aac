//! `solve` and `frontier` as commands: exit codes, keys, files.
#![cfg(feature = "cadical")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use assert_cmd::Command;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::Path;

const ROW: &str = "[family.hybrid]
steps = 2
start = 2
ranges = [2, 2]
queries = [2]
layout = \"FR\"
soft = 2
linear = 2
";

fn foolproof(folder: &Path, arguments: &[&str]) -> (i32, String, Json) {
    let mut command = Command::cargo_bin("foolproof").unwrap();
    let output = command
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let json = serde_json::from_str(&text).unwrap_or(Json::Null);
    (output.status.code().unwrap(), text, json)
}

#[test]
fn a_protocol_is_saved_and_passes_check() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for method in ["auto", "sat", "exhaustive"] {
        let solve = [
            "solve",
            "toy-frf",
            "--method",
            method,
            "--save",
            "found.toml",
        ];
        let (exit, text, _) = foolproof(at, &solve);
        assert_eq!(exit, 0, "{text}");
        assert!(text.starts_with("solvable (8 inputs)"), "{text}");
        let (exit, text, _) = foolproof(at, &["check", "toy-frf", "--protocol", "found.toml"]);
        assert_eq!(exit, 0);
        assert!(text.starts_with("correct on all 8 inputs"), "{text}");
    }
}

#[test]
fn expectations_limits_and_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("row.toml"), ROW).unwrap();
    let solve = [
        "solve", "row.toml", "--proof", "out", "--format", "json", "--expect", "solvable",
    ];
    let (exit, _, json) = foolproof(at, &solve);
    assert_eq!(exit, 1);
    assert_eq!(json["verdict"], "unsolvable");
    assert_eq!(json["inputs"], "256");
    assert_eq!(json["certificate"], "ROW.json");
    assert!(json["protocol"].is_null());
    assert!(!json["core_inputs"].as_array().unwrap().is_empty());
    assert_eq!(
        json["trust"],
        json!(["encoding:table-v1", "symmetry:symbol-order-v1"])
    );
    let (exit, text, _) = foolproof(at, &["verify", "out"]);
    assert_eq!(exit, 0, "{text}");
    // The same bytes on every run and with any number of threads.
    let first: Vec<Vec<u8>> = files(&at.join("out"));
    let again = ["solve", "row.toml", "--proof", "out", "--threads", "1"];
    assert_eq!(foolproof(at, &again).0, 0);
    assert_eq!(files(&at.join("out")), first);
    let short = [
        "solve",
        "row.toml",
        "--max-proof",
        "1000",
        "--format",
        "json",
    ];
    let (exit, _, json) = foolproof(at, &short);
    assert_eq!((exit, &json["verdict"]), (3, &json!("undecided")));
    assert!(json["reason"].as_str().unwrap().contains("proof limit"));
    let count = ["solve", "row.toml", "--method", "count"];
    assert_eq!(foolproof(at, &count).0, 3);
    assert_eq!(
        foolproof(at, &["solve", "row.toml", "--max-inputs", "255"]).0,
        3
    );
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    ["ROW.json", "ROW/formula.cnf", "ROW/proof.lrat.gz"]
        .into_iter()
        .map(|name| fs::read(folder.join(name)).unwrap())
        .collect()
}

#[test]
fn the_two_corner_staircase() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("row.toml"), ROW).unwrap();
    let walk = [
        "frontier",
        "row.toml",
        "--over",
        "soft,linear",
        "--max",
        "3,3",
        "--format",
        "json",
        "--svg",
        "row.svg",
    ];
    let (exit, text, json) = foolproof(at, &walk);
    assert_eq!(exit, 0, "{text}");
    assert_eq!(json["minimal_solvable"], json!([["2", "3"], ["3", "2"]]));
    assert_eq!(
        json["maximal_unsolvable"],
        json!([["1", "3"], ["2", "2"], ["3", "1"]])
    );
    assert_eq!(json["undecided"], json!([]));
    let solves: u64 = json["solves"].as_str().unwrap().parse().unwrap();
    assert!(solves <= 5, "{solves}");
    assert_eq!(
        fs::read_to_string(at.join("row.svg"))
            .unwrap()
            .matches("<rect class=\"k")
            .count(),
        9
    );
    let mut alone = walk.to_vec();
    alone.extend(["--threads", "1"]);
    assert_eq!(foolproof(at, &alone).1, text);
    let wrong = [
        "frontier",
        "row.toml",
        "--over",
        "start,linear",
        "--max",
        "3,3",
    ];
    assert_eq!(foolproof(at, &wrong).0, 2);
    let unknown = [
        "frontier",
        "row.toml",
        "--over",
        "soft,lineal",
        "--max",
        "3,3",
    ];
    assert_eq!(foolproof(at, &unknown).0, 2);
}

#[test]
fn a_frontier_goes_on_where_it_was_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("row.toml"), ROW).unwrap();
    let walk = [
        "frontier",
        "row.toml",
        "--over",
        "soft,linear",
        "--max",
        "3,3",
        "--format",
        "json",
        "--checkpoint",
        "walk.jsonl",
    ];
    let (exit, whole, _) = foolproof(at, &walk);
    assert_eq!(exit, 0, "{whole}");
    let journal = fs::read_to_string(at.join("walk.jsonl")).unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    // As if killed after each point, and within a line.
    for kept in 1..=lines.len() {
        let mut text = lines[..kept].join("\n") + "\n";
        text += lines.get(kept).map_or("", |line| &line[..line.len() / 2]);
        fs::write(at.join("cut.jsonl"), &text).unwrap();
        let (exit, again, _) = foolproof(
            at,
            &["frontier", "--resume", "cut.jsonl", "--format", "json"],
        );
        assert_eq!((exit, &again), (0, &whole), "{kept}");
        let (_, _, stopped) = foolproof(at, &walk);
        assert!(stopped.is_null(), "a checkpoint is not overwritten");
    }
    // Evidence is verified again.
    let damaged = lines[1].replace("sha256:", "sha255:");
    fs::write(
        at.join("cut.jsonl"),
        format!("{}\n{damaged}\n{}\n", lines[0], lines[2]),
    )
    .unwrap();
    assert_eq!(foolproof(at, &["frontier", "--resume", "cut.jsonl"]).0, 2);
}

/// A walk along one axis looked for corners of two, and panicked.
#[test]
fn a_frontier_of_one_axis() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("row.toml"), ROW).unwrap();
    let arguments = [
        "frontier", "row.toml", "--over", "soft", "--max", "3", "--format", "json",
    ];
    let (exit, text, json) = foolproof(folder.path(), &arguments);
    assert_eq!(exit, 0, "{text}");
    assert_eq!(json["undecided"], json!([]));
}
