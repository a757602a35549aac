//! The committed evidence: accepted by both checkers, what `audit --write` produces now, and indexed.
//!
//! `FOOLPROOF_BLESS=1 cargo test --test witnesses` writes `INDEX.md` and `SHA256SUMS` anew.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail"
)]

use foolproof::evidence::digest;
use foolproof::evidence::verify::{Options, Outcome, evidence_files, verify_path};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Kinds of claims about which the second checker has its own words.
const OWN_WORDS: [&str; 6] = [
    "matrix",
    "decomposition",
    "recursion",
    "reduction",
    "rank",
    "cycles",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("witnesses")
}

/// All files below a folder, by path from it; not those of a folder `skip`.
fn tree(root: &Path, skip: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            if !path.is_dir() {
                files.insert(name, fs::read(path).unwrap());
            } else if name != skip && !name.contains("__pycache__") {
                open.push(path);
            }
        }
    }
    files
}

#[test]
fn the_verifier_accepts_all_committed_evidence() {
    let files = evidence_files(&folder()).unwrap();
    assert!(files.len() > 100, "only {} files", files.len());
    for path in files {
        let outcome = verify_path(&path, &Options::default()).unwrap();
        assert!(
            matches!(outcome, Outcome::Accepted(_)),
            "{}: {outcome:?}",
            path.display()
        );
    }
}

#[test]
fn the_second_checker_says_the_same() {
    let output = Command::new("python3")
        .arg(folder().join("check.py"))
        .arg(".")
        .current_dir(folder())
        .output();
    let output = output.expect("python3 runs the second checker: install it, the tests need it");
    let text = String::from_utf8(output.stdout).unwrap();
    let ours: Vec<(String, Option<String>, String)> = evidence_files(&folder())
        .unwrap()
        .iter()
        .map(|path| {
            let Outcome::Accepted(checked) = verify_path(path, &Options::default()).unwrap() else {
                panic!("{}", path.display())
            };
            let name = path.file_name().unwrap().to_str().unwrap();
            let file: Json = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            let trust: Vec<&str> = file["trust"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Json::as_str)
                .collect();
            let trust = if trust.is_empty() {
                "nothing".to_owned()
            } else {
                trust.join(", ")
            };
            let head = format!("accepted     ./{name}  {}  ", checked.verdict());
            let own = file["statement"]
                .as_object()
                .unwrap()
                .keys()
                .all(|kind| OWN_WORDS.contains(&kind.as_str()));
            (
                head,
                (!own).then(|| checked.summary().to_owned()),
                format!("  trust: {trust}"),
            )
        })
        .collect();
    // The same verdicts and trust for every file, and, but for a few kinds, the same words.
    assert!(text.lines().count() > ours.len());
    for (line, (head, summary, tail)) in text.lines().zip(&ours) {
        let words = line
            .strip_prefix(head.as_str())
            .and_then(|line| line.strip_suffix(tail.as_str()));
        let words = words.unwrap_or_else(|| panic!("{line}: expected {head}..{tail}"));
        assert!(!words.is_empty(), "{line}");
        assert!(
            summary.as_deref().is_none_or(|ours| ours == words),
            "{line}: {summary:?}"
        );
    }
    assert!(output.status.success(), "{text}");
}

#[test]
#[cfg(feature = "search")]
fn committed_evidence_is_what_the_audit_writes() {
    let written = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_foolproof"))
        .arg("audit")
        .arg("--write")
        .arg(written.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    let mut committed = tree(&folder(), "mutants");
    committed.retain(|name, _| {
        let ours = ["check.py", "INDEX.md", "SHA256SUMS"].contains(&name.as_str());
        !ours && !name.starts_with("checker/")
    });
    let fresh = tree(written.path(), "");
    assert_eq!(
        committed.keys().collect::<Vec<_>>(),
        fresh.keys().collect::<Vec<_>>()
    );
    for (name, bytes) in &fresh {
        assert!(
            committed[name] == *bytes,
            "{name} differs; run foolproof audit --write witnesses"
        );
    }
}

fn index() -> String {
    let mut text = String::from(
        "# Committed evidence\n\nBoth checkers accept every file: `foolproof verify witnesses`, `python3 witnesses/check.py witnesses`.\nWritten by `FOOLPROOF_BLESS=1 cargo test --test witnesses`.\n\n| claim | verdict | scope | evidence |\n|---|---|---|---|\n",
    );
    for path in evidence_files(&folder()).unwrap() {
        if let Outcome::Accepted(checked) = verify_path(&path, &Options::default()).unwrap() {
            let (claim, verdict, scope) = (checked.claim(), checked.verdict(), checked.scope());
            let _ = writeln!(
                text,
                "| [`{claim}`]({claim}.json) | {verdict} | {scope} | {} |",
                checked.summary()
            );
        }
    }
    text
}

/// `sha256sum -c SHA256SUMS` in the folder checks it.
fn sums() -> String {
    tree(&folder(), "")
        .iter()
        .filter(|(name, _)| *name != "SHA256SUMS")
        .map(|(name, bytes)| {
            format!(
                "{}  {name}\n",
                digest::of_bytes(bytes).trim_start_matches("sha256:")
            )
        })
        .collect()
}

#[test]
fn index_and_sums_are_fresh() {
    for (name, content) in [("INDEX.md", index as fn() -> String), ("SHA256SUMS", sums)] {
        let path = folder().join(name);
        let content = content();
        if std::env::var_os("FOOLPROOF_BLESS").is_some() {
            fs::write(&path, &content).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == content,
            "{name} is stale; run FOOLPROOF_BLESS=1 cargo test --test mutants --test witnesses"
        );
    }
}
