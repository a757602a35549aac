//! Models: configurations against the ground truth, every trap, the line protocol against models that break it, and mutated files.

mod config;
mod exact;
mod fool;
mod mutated;
mod state;
mod truth;

use assert_cmd::Command;
use serde_json::Value as Json;

/// The command, from the package root.
pub(crate) fn foolproof(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("foolproof")
        .unwrap()
        .args(arguments)
        .output()
        .unwrap();
    (
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// The JSON of a command.
pub(crate) fn json(arguments: &[&str]) -> Json {
    let (code, stdout, stderr) = foolproof(&[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("exit {code}: {stdout}{stderr}"))
}
