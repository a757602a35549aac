//! The second checker, in one process for many files.

use crate::base::folder;
use crate::draft::Draft;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::fs;
use std::process::Command;

/// An outcome: `accepted`, `rejected` or `not-checked`, and the code of a rejection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) word: String,
    pub(crate) code: String,
}

impl Answer {
    pub(crate) fn new(word: &str, code: &str) -> Self {
        Self {
            word: word.to_owned(),
            code: code.to_owned(),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.word, self.code)
    }
}

/// The texts of the checker, by path in the folder of the evidence.
pub(crate) type Checker = BTreeMap<String, String>;

/// The checker as it is.
pub(crate) fn source() -> Checker {
    let mut texts = BTreeMap::new();
    let mut read = |name: String| {
        let text = fs::read_to_string(folder().join(&name)).unwrap();
        texts.insert(name, text);
    };
    read("check.py".to_owned());
    for entry in fs::read_dir(folder().join("checker")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".py") {
            read(format!("checker/{name}"));
        }
    }
    texts
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What a checker with this text says about each file.
pub(crate) fn answers(checker: &Checker, drafts: &[&Draft]) -> Vec<Answer> {
    let folder = tempfile::tempdir().unwrap();
    let (program, batch) = (
        folder.path().join("check.py"),
        folder.path().join("batch.jsonl"),
    );
    fs::create_dir(folder.path().join("checker")).unwrap();
    for (name, text) in checker {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let lines: String = drafts
        .iter()
        .map(|draft| {
            let files: serde_json::Map<_, _> = draft
                .files
                .iter()
                .map(|(name, bytes)| (name.clone(), json!(hex(bytes))))
                .collect();
            json!({"name": draft.name, "data": hex(&draft.bytes), "files": files}).to_string()
                + "\n"
        })
        .collect();
    fs::write(&batch, lines).unwrap();
    let output = Command::new("python3")
        .arg(&program)
        .arg("--batch")
        .arg(&batch)
        .output();
    let output = output.expect("python3 runs the second checker: install it, the tests need it");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Answer> = text
        .lines()
        .map(|line| {
            let (word, code) = line.split_once(' ').unwrap_or((line, ""));
            Answer::new(word, if word == "rejected" { code } else { "" })
        })
        .collect();
    assert_eq!(answers.len(), drafts.len(), "one answer per file");
    answers
}
