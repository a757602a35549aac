//! A few mutants of each kind, committed: `witnesses/mutants/` and its index.
//!
//! `FOOLPROOF_BLESS=1 cargo test --test mutants` writes the folder anew.

use crate::base::{KINDS, bases, files_in, folder};
use crate::draft::Draft;
use crate::{mutants, python, rust_answer};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Operators per kind that have a committed mutant.
const OPERATORS: usize = 5;

/// A committed mutant: its path below the folder, without `.json`, and what it is.
struct Sample {
    stem: String,
    kind: &'static str,
    code: String,
    draft: Draft,
}

/// The first mutant of each of the first operators of every kind, as the generator makes them.
fn samples() -> Vec<Sample> {
    let mut stems = BTreeSet::new();
    let mut found = Vec::new();
    for kind in KINDS {
        let mut operators = BTreeSet::new();
        for mutant in mutants(kind, &bases(kind)) {
            // The index has one code per file, so files that are not JSON any more stay out.
            if mutant.codes.is_none()
                || operators.len() == OPERATORS
                || operators.contains(mutant.operator)
            {
                continue;
            }
            let stem = format!("{}.{}", mutant.claim, mutant.operator);
            // The claim id is in the file name; a mutant of it has to be read under that name.
            if mutant.operator == "claim-of-another" || !stems.insert(stem.clone()) {
                continue;
            }
            operators.insert(mutant.operator);
            let code = rust_answer(&mutant.draft).code;
            let draft = Draft {
                name: format!("{stem}.json"),
                ..mutant.draft
            };
            found.push(Sample {
                stem,
                kind,
                code,
                draft,
            });
        }
    }
    found
}

fn index(samples: &[Sample]) -> String {
    let mut text = String::from(
        "# Mutants\n\nChanged evidence that both checkers must reject with this code. Written by `FOOLPROOF_BLESS=1 cargo test --test mutants`.\n\n| file | kind | code |\n|---|---|---|\n",
    );
    for Sample {
        stem, kind, code, ..
    } in samples
    {
        let _ = writeln!(text, "| `{stem}.json` | `{kind}` | `{code}` |");
    }
    text
}

/// Every file of the folder with its content.
fn expected(samples: &[Sample]) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::from([(PathBuf::from("INDEX.md"), index(samples).into_bytes())]);
    for Sample { stem, draft, .. } in samples {
        files.insert(PathBuf::from(format!("{stem}.json")), draft.bytes.clone());
        let attached = draft
            .files
            .iter()
            .map(|(name, bytes)| (Path::new(stem).join(name), bytes.clone()));
        files.extend(attached);
    }
    files
}

fn found(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files: BTreeMap<PathBuf, Vec<u8>> = files_in(folder)
        .into_iter()
        .map(|(name, bytes)| (name.into(), bytes))
        .collect();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let inner = PathBuf::from(path.file_name().unwrap());
            files.extend(
                files_in(&path)
                    .into_iter()
                    .map(|(name, bytes)| (inner.join(name), bytes)),
            );
        }
    }
    files
}

fn write(folder: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    let _ = fs::remove_dir_all(folder);
    for (path, bytes) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

#[test]
fn committed_mutants_are_those_of_the_generator_and_are_rejected_as_indexed() {
    let folder = folder().join("mutants");
    let samples = samples();
    let expected = expected(&samples);
    if std::env::var_os("FOOLPROOF_BLESS").is_some() {
        write(&folder, &expected);
    }
    let found = found(&folder);
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    let advice = "witnesses/mutants is stale; run FOOLPROOF_BLESS=1 cargo test --test mutants";
    assert_eq!(names(&found), names(&expected), "{advice}");
    assert!(found == expected, "{advice}");
    let drafts: Vec<&Draft> = samples.iter().map(|sample| &sample.draft).collect();
    for (sample, python) in samples
        .iter()
        .zip(python::answers(&python::source(), &drafts))
    {
        assert_eq!(rust_answer(&sample.draft), python, "{}", sample.stem);
        assert_eq!(
            (python.word.as_str(), &python.code),
            ("rejected", &sample.code),
            "{}",
            sample.stem
        );
    }
}
