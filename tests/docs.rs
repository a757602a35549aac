//! The README says what the program does.

use std::fs;
use std::process::Command;

/// Ids whose lines the README shows.
const SHOWN: &[&str] = &[
    "2SUM-DOMAIN",
    "B2-A1-L2",
    "B2-A1-L2-BELOW",
    "BASE-A0",
    "BASE-A1",
    "BASE-A1-CONTROL",
    "COT-EVA2-LOWER",
    "CUTS-A1",
    "EVA-SMALL-n3",
    "EQ2-EQ7",
    "FF-LOOKUP",
    "SPARSE-BLOGN",
    "FR-14",
    "B5",
    "B3-TYPO",
    "T11-VACUOUS",
    "WORD-L4-RELAY",
];

fn foolproof(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_foolproof"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The audit's lines for the shown ids, `..` where lines are left out, and the summary.
fn excerpt(audit: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let count = audit.lines().count();
    for (number, line) in audit.lines().enumerate() {
        let shown = line
            .split_whitespace()
            .next()
            .is_some_and(|id| SHOWN.contains(&id))
            || number + 1 == count;
        if shown {
            lines.push(line.to_owned());
        } else if lines.last().is_none_or(|last| last != "..") {
            lines.push("..".to_owned());
        }
    }
    lines.join("\n")
}

#[test]
fn readme_shows_the_real_output_of_the_audit() {
    let readme = fs::read_to_string("README.md").unwrap();
    let (head, rest) = readme
        .split_once("$ cargo run --release -- audit\n")
        .unwrap();
    let (_, tail) = rest.split_once("```").unwrap();
    let expected = format!(
        "{head}$ cargo run --release -- audit\n{}\n```{tail}",
        excerpt(&foolproof(&["audit"]))
    );
    if std::env::var_os("FOOLPROOF_BLESS").is_some() {
        fs::write("README.md", &expected).unwrap();
    }
    let now = fs::read_to_string("README.md").unwrap();
    assert_eq!(
        now, expected,
        "README.md is stale: run FOOLPROOF_BLESS=1 cargo test --test docs"
    );
    for id in SHOWN {
        assert!(
            expected.contains(&format!("\n{id} ")),
            "{id} is not in the audit"
        );
    }
}

#[test]
fn the_examples_of_the_help_run() {
    let help = foolproof(&["--help"]);
    for line in help
        .lines()
        .filter_map(|line| line.trim().strip_prefix("foolproof "))
    {
        if line.starts_with('<') || line.starts_with('[') || line.starts_with("Usage") {
            continue;
        }
        let command = line.split("  ").next().unwrap_or(line);
        foolproof(
            &words(command)
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>(),
        );
    }
}

/// Words of a command line, single quotes honoured.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            _ => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_public_document_is_free_of_machine_paths() {
    for file in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ] {
        let text = fs::read_to_string(file).unwrap();
        for folder in ["root", "tmp", "home", "work"] {
            assert!(
                !text.contains(&format!("/{folder}/")),
                "{file} names {folder}"
            );
        }
    }
}
