//! The tutorial, run: its files are written, its commands executed, their output compared.
#![cfg(feature = "search")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tutorial.md")
}

/// Words of a shell line: blanks separate, single quotes hold together.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What the terminal shows: stdout, stderr, and the exit code when it is not 0.
fn shown(folder: &Path, command: &str) -> Vec<String> {
    let words = words(command);
    assert_eq!(words[0], "foolproof", "{command}");
    let output = Command::cargo_bin("foolproof")
        .unwrap()
        .current_dir(folder)
        .args(&words[1..])
        .output()
        .unwrap();
    let text = format!(
        "{}{}",
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap()
    );
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    match output.status.code().unwrap() {
        0 => {}
        code => lines.push(format!("(exit {code})")),
    }
    lines
}

/// The page with every output replaced by the real one.
fn replayed(text: &str, folder: &Path) -> (String, usize) {
    let mut out: Vec<String> = Vec::new();
    let mut commands = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out.push(line.to_owned());
        if line == "```toml" {
            let mut body = Vec::new();
            for inner in lines.by_ref().take_while(|inner| *inner != "```") {
                body.push(inner);
            }
            let name = body[0].strip_prefix("# file: ").unwrap();
            fs::write(folder.join(name), body[1..].join("\n") + "\n").unwrap();
            out.extend(body.into_iter().map(str::to_owned));
            out.push("```".to_owned());
        } else if line == "```console" {
            for inner in lines.by_ref().take_while(|inner| *inner != "```") {
                if let Some(command) = inner.strip_prefix("$ ") {
                    commands += 1;
                    out.push(inner.to_owned());
                    out.extend(shown(folder, command));
                }
            }
            out.push("```".to_owned());
        }
    }
    (out.join("\n") + "\n", commands)
}

/// `REGENERATE=1 cargo test --test tutorial` writes the real output into the page.
#[test]
fn every_command_of_the_tutorial_says_what_the_page_shows() {
    let text = fs::read_to_string(page()).unwrap();
    let folder = TempDir::new().unwrap();
    let (real, commands) = replayed(&text, folder.path());
    if std::env::var_os("REGENERATE").is_some() {
        fs::write(page(), &real).unwrap();
        return;
    }
    assert!(commands >= 15, "{commands}");
    for (number, (shown, real)) in text.lines().zip(real.lines()).enumerate() {
        assert_eq!(shown, real, "docs/tutorial.md:{}", number + 1);
    }
    assert_eq!(text, real);
}

/// The files of the page are the fixtures of the specification.
#[test]
fn the_files_of_the_tutorial_are_those_of_the_specification() {
    let text = fs::read_to_string(page()).unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut compared = 0;
    for block in text.split("```toml\n# file: ").skip(1) {
        let (name, rest) = block.split_once('\n').unwrap();
        let body = rest.split("```").next().unwrap();
        let plain = |text: &str| -> String {
            text.lines()
                .filter(|line| !line.starts_with('#'))
                .flat_map(|line| [line, "\n"])
                .collect()
        };
        if let Ok(fixture) = fs::read_to_string(fixtures.join(name)) {
            assert_eq!(plain(&fixture), plain(body), "{name}");
            compared += 1;
        }
    }
    assert_eq!(compared, 7);
}
