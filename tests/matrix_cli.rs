//! `matrix` and `cycles` from outside: the built binary.
#![cfg(feature = "search")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may fail"
)]

use assert_cmd::Command;
use serde_json::{Value as Json, json};
use std::fs;

fn run(args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("foolproof")
        .unwrap()
        .args(args)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn answer(args: &[&str]) -> Json {
    let mut all = args.to_vec();
    all.extend(["--format", "json"]);
    let (code, out, err) = run(&all);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn a_text_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.txt");
    fs::write(&path, "1101\n0101\n1000\n1011\n").unwrap();
    let name = path.to_str().unwrap();
    let found = answer(&[
        "matrix",
        name,
        "--covers",
        "--rounds",
        "--proof",
        folder.path().to_str().unwrap(),
    ]);
    assert_eq!(found["depth"], 3);
    assert_eq!(found["verdict"], "exact");
    assert_eq!(found["certificate"], "ROWS.json");
    let kinds: Vec<&str> = found["lower_bounds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bound| bound["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["lower: rank", "lower: fooling set", "lower: partition"]
    );
    // The least partition has 3 + 4 = 7 rectangles.
    assert_eq!(found["lower_bounds"][2]["leaves"], "7");
    assert_eq!(
        found["rounds"],
        json!([{"rounds": 1, "depth": null}, {"rounds": 2, "depth": 3}])
    );
    assert_eq!(found["one_way"], json!({"alice": 2, "bob": 2}));
    assert_eq!(found["simultaneous"], 4);
    let (code, out, _) = run(&["verify", folder.path().join("ROWS.json").to_str().unwrap()]);
    assert_eq!(code, 0, "{out}");
    let (code, ..) = run(&["matrix", name, "--expect", "2"]);
    assert_eq!(code, 1);
}

#[test]
fn mistakes_have_a_position() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.txt");
    fs::write(&path, "# note\n110\n01x\n").unwrap();
    let name = path.to_str().unwrap();
    let (code, out, err) = run(&["matrix", name]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(
        err.trim(),
        format!("{name}:3:3: found `x`, expected a digit")
    );
    let path = folder.path().join("rows.toml");
    fs::write(&path, "[matrix]\nrows = [\"110\", \"01\"]\n").unwrap();
    let name = path.to_str().unwrap();
    let (code, _, err) = run(&["matrix", name]);
    assert_eq!(code, 2);
    assert_eq!(
        err.trim(),
        format!("{name}:2:17: found a row of 2 entries, expected 3 as in the first row")
    );
    for (args, message) in [
        (&["matrix", "EQ"][..], "EQ: expected --size N"),
        (
            &["matrix", "EQ", "--size", "40"],
            "size: found 40, expected 1 to 11",
        ),
        (
            &["matrix", "--all", "3"],
            "all: found `3`, expected a size like 3x4",
        ),
        (
            &["cycles", "--vertices", "5"],
            "vertices: found 5, expected an even number from 6 to 8",
        ),
    ] {
        let (code, _, err) = run(args);
        assert_eq!((code, err.trim()), (2, message));
    }
    let (code, _, err) = run(&["matrix", "--all", "5x5"]);
    assert_eq!(code, 3, "{err}");
}

#[test]
fn a_game_and_functions() {
    assert_eq!(answer(&["matrix", "disjointness"])["depth"], 4);
    assert_eq!(answer(&["matrix", "ind", "--size", "3"])["depth"], 3);
    let all = answer(&["matrix", "--all", "3x3"]);
    assert_eq!(all["histogram"], json!(["2", "12", "234", "264"]));
    let (code, _, err) = run(&["matrix", "forehead"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("players have more than one input, expected two"),
        "{err}"
    );
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let of = |threads: &str| {
        run(&[
            "matrix",
            "IP",
            "--size",
            "3",
            "--covers",
            "--threads",
            threads,
        ])
        .1
    };
    assert_eq!(of("1"), of("4"));
}

#[test]
fn cycles() {
    let found = answer(&["cycles", "--vertices", "6", "--memory", "2", "--held", "3"]);
    assert_eq!(found["one_cycle"], "60");
    assert_eq!(found["two_cycles"], "10");
    assert_eq!(found["reads"], 5);
    assert_eq!(found["machines"]["rounds_at_least"], 2);
    assert_eq!(found["split"]["messages"], "3");
    assert_eq!(found["split"]["bits"], 2);
    let found = answer(&[
        "cycles",
        "--vertices",
        "4",
        "--directed",
        "--memory",
        "2",
        "--data-dependent",
    ]);
    assert_eq!(found["sign_decides"], true);
    assert_eq!(found["machines"]["rounds_at_least"], json!(null));
    let (_, out, _) = run(&["cycles", "--vertices", "4", "--directed"]);
    assert!(out.contains("warning: the sign is a parity"), "{out}");
}
