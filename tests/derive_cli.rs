//! `derive` as a command: whole outputs, text and JSON, against `tests/data/derive/`; exit codes; evidence files.
//!
//! `FOOLPROOF_BLESS=1 cargo test --test derive_cli` writes the outputs anew; read the diff.
#![cfg(feature = "search")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use assert_cmd::Command;
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};

const PARAMS: &str = r#"{"m":"937","n":["4"],"np":["4"],"x":["63","9"]}"#;

fn foolproof(folder: &Path, arguments: &str) -> (i32, String) {
    let mut command = Command::cargo_bin("foolproof").unwrap();
    let output = command
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap(), text)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("point.json"), PARAMS).unwrap();
    folder
}

/// (name, arguments, exit code).
const CASES: [(&str, &str, i32); 16] = [
    (
        "params",
        "--steps 2 --soft-bits 12 --carry-bits 12 --linear 0,0 --params point.json",
        0,
    ),
    (
        "params-json",
        "--steps 2 --soft-bits 12 --carry-bits 12 --linear 0,0 --params point.json --format json",
        0,
    ),
    (
        "params-not-proved",
        "--steps 2 --soft-bits 13 --carry-bits 12 --linear 0,0 --params point.json",
        0,
    ),
    (
        "best",
        "--steps 2 --soft-bits 12 --carry-bits 12 --linear 0,0",
        0,
    ),
    (
        "best-json",
        "--steps 2 --soft-bits 12 --carry-bits 12 --linear 0,0 --format json",
        0,
    ),
    ("best-of-a-network", "--steps 2 --c 2 --d 1 --linear 1", 0),
    (
        "minimal",
        "--steps 2 --soft-bits 4 --carry-bits 4 --linear 1 --minimal",
        0,
    ),
    (
        "largest-c",
        "--steps 2 --linear 0,1 --max-n 30000 --largest",
        0,
    ),
    (
        "largest-s-json",
        "--steps 2 --linear 1 --carry-bits 4 --max-n 100 --largest --format json",
        0,
    ),
    (
        "out-of-reach",
        "--steps 2 --soft-bits 12 --carry-bits 12 --linear 0,0 --max-n 100",
        3,
    ),
    ("exponent", "--steps 3 --linear 0,1,1 --exponent", 0),
    (
        "exponent-json",
        "--steps 2 --before 1 --linear 1 --exponent --kappa 3/2 --mode coarse --format json",
        0,
    ),
    ("possible", "--steps 2 --c 8 --linear 1,0", 0),
    (
        "possible-json",
        "--steps 2 --c 8 --linear 0,0,0 --format json",
        0,
    ),
    (
        "window",
        "--steps 2 --soft-bits 4 --carry-bits 1 --linear 1,0 --max-n 3000",
        0,
    ),
    (
        "product",
        "--steps 3 --soft-bits 19 --carry-bits 19 --linear 0,0 --product-start",
        0,
    ),
];

#[test]
fn outputs_are_what_they_were() {
    let folder = folder();
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/derive");
    for (name, arguments, code) in CASES {
        let (exit, text) = foolproof(folder.path(), &format!("derive {arguments}"));
        assert_eq!(exit, code, "{name}: {text}");
        let path = data.join(format!("{name}.txt"));
        let text = format!("$ foolproof derive {arguments}\n{text}");
        if std::env::var_os("FOOLPROOF_BLESS").is_some() {
            fs::create_dir_all(&data).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            found, text,
            "{name}; run FOOLPROOF_BLESS=1 cargo test --test derive_cli"
        );
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let folder = folder();
    let run = |threads: u32| {
        let command = "derive --steps 3 --soft-bits 21 --carry-bits 21 --linear 1,1 --format json";
        foolproof(folder.path(), &format!("{command} --threads {threads}"))
    };
    let one = run(1);
    assert_eq!(one.0, 0);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn evidence_is_written_verified_and_limited() {
    let folder = folder();
    let at = folder.path();
    for (number, arguments) in [
        "--steps 2 --soft-bits 12 --carry-bits 12 --linear 0,0 --params point.json",
        "--steps 3 --soft-bits 19 --carry-bits 19 --linear 0,0 --product-start",
        "--steps 3 --linear 0,1,1 --exponent",
    ]
    .into_iter()
    .enumerate()
    {
        let (exit, text) = foolproof(
            at,
            &format!("derive {arguments} --proof out{number} --format json"),
        );
        let json: Json = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (exit, &json["certificate"]),
            (0, &Json::from("DERIVE.json")),
            "{text}"
        );
        let (exit, text) = foolproof(at, &format!("verify out{number}"));
        assert_eq!(exit, 0, "{text}");
        let (exit, text) = foolproof(
            at,
            &format!("derive {arguments} --proof small --max-proof 100 --format json"),
        );
        let json: Json = serde_json::from_str(&text).unwrap();
        assert_eq!((exit, &json["certificate"]), (0, &Json::Null));
        assert!(!at.join("small").exists());
    }
}

#[test]
fn what_has_no_meaning_is_bad_usage() {
    let folder = folder();
    for arguments in [
        "--steps 2 --linear 0,0",
        "--steps 1 --c 2 --linear 0",
        "--steps 2 --c 4 --d 3 --linear 0,0",
        "--steps 2 --soft-bits 0 --carry-bits 1 --linear 0,0",
        "--steps 2 --c 2 --linear 0,0 --product-start",
        "--steps 2 --c 2 --linear 0,0 --mode sideways",
        "--steps 2 --linear 0,0 --exponent --kappa 3",
        "--steps 2 --c 2 --linear 0,0 --largest --max-n 100",
        "--steps 2 --c 2 --linear 0,0 --proof out --max-proof many",
    ] {
        assert_eq!(
            foolproof(folder.path(), &format!("derive {arguments}")).0,
            2,
            "{arguments}"
        );
    }
}
