//! Long runs: shards, interruptions, `kill -9`, and always the same bytes.
#![cfg(feature = "cadical")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail, and prints what it counted"
)]

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// 144 inputs, two full layers, no pass: not settled by counting.
const ASK: &str = r#"[family.hybrid]
steps = 2
start = 2
ranges = [3, 2]
queries = [1]

[[family.hybrid.epoch]]
soft = { "2>-1" = 2, "1>0" = 3, "1>-1" = 2, "0>-1" = 2 }
linear = []

[[family.hybrid.epoch]]
soft = { "2>-1" = 2, "1>0" = 3, "1>-1" = 2, "0>-1" = 2 }
linear = []
"#;

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foolproof"));
    command.current_dir(folder).args(arguments);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command(folder, arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    ["ASK.json", "ASK/formula.cnf", "ASK/proof.lrat.gz"]
        .into_iter()
        .map(|name| (name.to_owned(), fs::read(folder.join(name)).unwrap()))
        .collect()
}

const SOLVE: [&str; 8] = [
    "solve",
    "ask.toml",
    "--cubes",
    "24",
    "--split-after",
    "150",
    "--checkpoint",
    "run.jsonl",
];

#[test]
fn twenty_kills_shards_and_threads_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("ask.toml"), ASK).unwrap();
    let mut whole = SOLVE.to_vec();
    whole[7] = "whole.jsonl";
    whole.extend(["--proof", "whole"]);
    let (exit, text, stderr) = run(at, &whole);
    assert_eq!(exit, 0, "{text}{stderr}");
    assert!(text.starts_with("unsolvable (144 inputs)"), "{text}");
    let right = files(&at.join("whole"));
    let (exit, text, _) = run(at, &["verify", "whole"]);
    assert_eq!(exit, 0, "{text}");
    let journal = fs::read_to_string(at.join("whole.jsonl")).unwrap();
    assert!(
        journal.contains("\"status\":\"split\""),
        "no cube was split again"
    );

    // Killed at twenty moments, a little later each time; then to the end.
    let mut kills = 0;
    let mut finished = 0;
    for attempt in 0..400u64 {
        let arguments: Vec<&str> = if attempt == 0 {
            SOLVE.to_vec()
        } else {
            vec!["solve", "--resume", "run.jsonl"]
        };
        let mut child = command(at, &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(30 + (attempt * 37) % 90));
        let before = child.try_wait().unwrap();
        if before.is_none() {
            child.kill().unwrap();
            kills += 1;
        } else {
            finished += 1;
        }
        child.wait().unwrap();
        if !at.join("run.jsonl").exists() {
            // Killed before the checkpoint had its name: nothing is lost but the start.
            run(at, &[&SOLVE[..], &["--limit-seconds", "0"]].concat());
        }
        if kills >= 20 && (finished > 0 || attempt > 60) {
            break;
        }
        if finished > 0 && kills < 20 {
            // It got through too early: begin again.
            fs::remove_file(at.join("run.jsonl")).unwrap();
            let _ = fs::remove_dir_all(at.join("run.jsonl.proofs"));
            run(at, &[&SOLVE[..], &["--limit-seconds", "0"]].concat());
            finished = 0;
        }
    }
    assert!(kills >= 20, "{kills}");
    let (exit, text, stderr) = run(at, &["solve", "--resume", "run.jsonl", "--proof", "killed"]);
    assert_eq!(exit, 0, "{text}{stderr}");
    assert!(files(&at.join("killed")) == right);
    println!("{kills} kills, the same bytes");

    // Three shards, one thread and two, merged.
    for (shard, threads) in [("0/3", "1"), ("1/3", "2"), ("2/3", "4")] {
        let name = format!("shard-{}.jsonl", &shard[..1]);
        let mut arguments = SOLVE.to_vec();
        arguments[7] = &name;
        arguments.extend(["--shard", shard, "--threads", threads]);
        let (exit, text, _) = run(at, &arguments);
        assert_eq!(exit, 3, "{text}");
        assert!(text.contains("of this shard are refuted"), "{text}");
    }
    let (exit, text, _) = run(at, &["merge", "shard-0.jsonl", "shard-2.jsonl"]);
    assert_eq!(exit, 3);
    assert!(text.contains("incomplete: "), "{text}");
    let merge = [
        "merge",
        "shard-0.jsonl",
        "shard-1.jsonl",
        "shard-2.jsonl",
        "--proof",
        "merged",
    ];
    let (exit, text, stderr) = run(at, &merge);
    assert_eq!(exit, 0, "{text}{stderr}");
    assert!(files(&at.join("merged")) == right);
}

#[test]
fn a_limit_leaves_a_valid_checkpoint_and_mistakes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("ask.toml"), ASK).unwrap();
    let limited = [&SOLVE[..], &["--limit-seconds", "0", "--format", "json"]].concat();
    let (exit, text, _) = run(at, &limited);
    let json: Json = serde_json::from_str(&text).unwrap();
    assert_eq!((exit, json["verdict"].as_str().unwrap()), (3, "undecided"));
    assert!(
        json["reason"]
            .as_str()
            .unwrap()
            .contains(" of 24 cubes refuted"),
        "{text}"
    );
    // A second start does not overwrite it.
    let (exit, _, stderr) = run(at, &SOLVE);
    assert_eq!(exit, 2);
    assert!(stderr.contains("--resume run.jsonl"), "{stderr}");
    // Another game.
    fs::write(
        at.join("other.toml"),
        ASK.replace("\"1>0\" = 3", "\"1>0\" = 2"),
    )
    .unwrap();
    let (exit, _, stderr) = run(at, &["solve", "other.toml", "--resume", "run.jsonl"]);
    assert_eq!(exit, 2);
    assert_eq!(stderr.matches("sha256:").count(), 2, "{stderr}");
    // A changed header field.
    let whole = fs::read_to_string(at.join("run.jsonl")).unwrap();
    for (old, new) in [
        ("\"cubes\":\"24\"", "\"cubes\":\"25\""),
        ("cubes-v1", "cubes-v2"),
        ("\"format\":1", "\"format\":2"),
        ("\"conflicts\":\"150\"", "\"conflicts\":\"151\""),
    ] {
        assert!(whole.contains(old));
        fs::write(at.join("run.jsonl"), whole.replacen(old, new, 1)).unwrap();
        let (exit, _, stderr) = run(at, &["solve", "--resume", "run.jsonl"]);
        assert_eq!(exit, 2);
        assert!(stderr.contains("run.jsonl:1: "), "{stderr}");
    }
    let (exit, _, stderr) = run(at, &["solve", "ask.toml", "--cubes", "4", "--shard", "4/4"]);
    assert_eq!(exit, 2);
    assert!(stderr.contains("0 <= i < N"), "{stderr}");
    assert_eq!(run(at, &["solve"]).0, 2);
}

#[test]
fn cubes_of_a_solvable_game_end_with_a_protocol() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(
        at.join("row.toml"),
        "[family.hybrid]\nsteps = 2\nstart = 2\nranges = [2, 2]\nqueries = [2]\nlayout = \"FR\"\nsoft = 3\nlinear = 2\n",
    )
    .unwrap();
    let solve = [
        "solve", "row.toml", "--method", "sat", "--cubes", "8", "--save", "p.toml",
    ];
    let (exit, text, stderr) = run(at, &solve);
    assert_eq!(exit, 0, "{text}{stderr}");
    assert!(text.starts_with("solvable (256 inputs)"), "{text}");
    let (exit, text, _) = run(at, &["check", "row.toml", "--protocol", "p.toml"]);
    assert_eq!(exit, 0);
    assert!(text.starts_with("correct on all 256 inputs"), "{text}");
}
