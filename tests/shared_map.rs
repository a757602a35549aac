//! Summaries under a shared map are one function of the block, for every kind of strategy.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fs;
use std::process::{Command, Output};

/// Two blocks of one token; what each player says about its own.
fn game(first: &str, second: &str) -> String {
    format!(
        "[family.sparse]\nn = 2\nblock = 1\nread = 1\nvalues = 2\nsymbols = 2\n\n[strategy.expression]\ndefault = 0\n[strategy.expression.say]\n\"summary B0->Query\" = \"{first}\"\n\"summary B1->Query\" = \"{second}\"\n"
    )
}

fn foolproof(text: &str, command: &str, rest: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.toml");
    fs::write(&path, text).unwrap();
    Command::new(env!("CARGO_BIN_EXE_foolproof"))
        .arg(command)
        .arg(&path)
        .arg("--protocol")
        .arg(&path)
        .args(rest)
        .output()
        .unwrap()
}

fn error(output: &Output) -> String {
    assert_eq!(
        output.status.code(),
        Some(2),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
#[cfg(feature = "search")]
fn check_refuses_two_maps_and_names_slot_and_input() {
    let message = error(&foolproof(&game("block[0]", "1 - block[0]"), "check", &[]));
    assert!(
        message
            .contains("`summary B1->Query @1` says 1, expected 0 as `summary B0->Query @1` says"),
        "{message}"
    );
    assert!(message.contains("on input"), "{message}");
}

#[test]
#[cfg(feature = "search")]
fn one_map_written_twice_is_fine() {
    let output = foolproof(&game("block[0]", "block[0]"), "check", &[]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn run_refuses_two_summaries_of_one_block() {
    let input = |second: u64| {
        format!(r#"{{"B0":{{"block":[0]}},"B1":{{"block":[{second}]}},"Query":{{"query":0}}}}"#)
    };
    let text = game("block[0]", "1 - block[0]");
    let message = error(&foolproof(&text, "run", &["--input", &input(0)]));
    assert!(message.contains("all summaries share one map"), "{message}");
    // On different blocks one run alone contradicts nothing.
    assert_eq!(
        foolproof(&text, "run", &["--input", &input(1)])
            .status
            .code(),
        Some(0)
    );
}
