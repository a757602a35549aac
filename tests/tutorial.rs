//! The guide, run: files are written, commands executed, their output compared. One empty folder a page.
#![cfg(feature = "search")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use assert_cmd::Command;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide")
}

/// Every page, by its path below the guide.
fn pages() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![guide()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let name = path
                    .strip_prefix(guide())
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .replace('\\', "/");
                found.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    found
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

/// What the terminal shows: stdout, stderr without times, and the exit code when it is not 0.
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
        .filter(|line| !(line.starts_with("verified in ") && line.ends_with(" ms")))
        .map(|line| line.trim_end().to_owned())
        .collect();
    // 4 is an internal contradiction, and a panic is 101: neither may become an example.
    match output.status.code().unwrap() {
        0 => {}
        code @ 4.. => panic!("{command}: exit {code}\n{text}"),
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

/// `REGENERATE=1 cargo test --test tutorial` writes the real output into the pages.
#[test]
fn every_command_of_the_guide_says_what_the_page_shows() {
    let mut all = 0;
    for (name, text) in pages() {
        let folder = TempDir::new().unwrap();
        let (real, commands) = replayed(&text, folder.path());
        all += commands;
        if std::env::var_os("REGENERATE").is_some() {
            fs::write(guide().join(&name), &real).unwrap();
            continue;
        }
        for (number, (shown, real)) in text.lines().zip(real.lines()).enumerate() {
            assert_eq!(shown, real, "docs/guide/{name}:{}", number + 1);
        }
        assert_eq!(text, real, "{name}");
        assert!(
            commands > 0 || ["SUMMARY.md", "formats.md"].contains(&name.as_str()),
            "{name}: nothing is run"
        );
    }
    assert!(all >= 60, "{all}");
}

/// `FOOLPROOF_BLESS=1 cargo test --test tutorial` writes the reference again.
#[test]
fn the_reference_of_the_formats_is_generated() {
    let right = foolproof::report::formats::page();
    let path = guide().join("formats.md");
    if std::env::var_os("FOOLPROOF_BLESS").is_some() {
        fs::write(&path, &right).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), right);
}

/// Each page is in the table of contents, and each link leads to a page.
#[test]
fn every_page_is_reached_and_every_link_leads_somewhere() {
    let pages = pages();
    let summary = &pages["SUMMARY.md"];
    for name in pages.keys().filter(|name| *name != "SUMMARY.md") {
        assert!(
            summary.contains(&format!("({name})")),
            "{name} is not in SUMMARY.md"
        );
    }
    for (name, text) in &pages {
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let path = guide().join(name).parent().unwrap().join(target);
            assert!(target.contains(' ') || path.exists(), "{name}: {target}");
        }
    }
}

/// The files of the tutorial are the fixtures of the specification.
#[test]
fn the_files_of_the_tutorial_are_those_of_the_specification() {
    let text = &pages()["tutorial.md"];
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
