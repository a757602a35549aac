//! The committed evidence that mutants are made from.

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The kinds of evidence that are committed.
pub(crate) const KINDS: &[&str] = &[
    "cut",
    "relay",
    "cuts",
    "protocol",
    "family",
    "classes",
    "colouring",
    "counterexample",
    "pair",
    "conflict",
    "enumeration",
    "comparison",
    "no_protocol",
    "no_answer",
    "ledger",
    "tree",
    "fooling_set",
    "minor",
    "exhausted",
    "round_exhausted",
    "depth_histogram",
    "all_instances",
    "failing_instance",
    "signs",
    "shared_words",
    "split_colouring",
    "decomposition",
    "derive_bound",
    "derive_exhausted",
    "derive_exponent",
    "derive_uniform",
    "derive_game",
    "kernel",
    "farkas",
    "code",
    "dual",
    "softmax",
    "recursion",
];

/// Bytes of the largest file that is used, so that thousands of mutants are checked in seconds.
const MAX_BYTES: usize = 3_500;

/// Files that both checkers accept, but not within a millisecond or two.
const SLOW: &[&str] = &[
    "DECOMPOSE-THREE",
    "FR-A16-BELOW",
    "CHECK-MANY-POINTS",
    "SPARSE-LOWER-4",
    "B2-A1-L4",
    "B2-A1-L5",
    "B2-A1-L6",
    "CHECK-ROW",
    "PERCOM-n4",
    "PERCOM-LAST-n4",
    "WORD-L4",
    "APPC-LAMBDA",
    "B-BUDGET",
    "B-CHAIN",
    "B1-SHARP",
    "B3-FIX",
    "CC-4X4",
    "HOP-5",
    "HOP-8-Q4",
    "MPC-2-H3",
    "MPC-2-H4",
    "COT-NOGAIN-BEST",
    "LOGLIN",
    "SPARSE-BLOGN",
    "SPARSE-J0",
    "SPARSE-POSITION-LARGE",
    "SPARSE-SCALE",
];

/// One committed file.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) claim: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) json: Json,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("witnesses")
}

/// The files of one folder, by name.
pub(crate) fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else {
        return BTreeMap::new();
    };
    entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| {
            (
                path.file_name().unwrap().to_str().unwrap().to_owned(),
                fs::read(&path).unwrap(),
            )
        })
        .collect()
}

/// All committed evidence files, by claim id.
pub(crate) fn all() -> Vec<Base> {
    files_in(&folder())
        .into_iter()
        .filter_map(|(name, bytes)| {
            let claim = name.strip_suffix(".json")?.to_owned();
            let json = serde_json::from_slice(&bytes).unwrap();
            let files = files_in(&folder().join(&claim));
            Some(Base {
                claim,
                bytes,
                json,
                files,
            })
        })
        .collect()
}

/// The committed files with evidence of this kind that are small enough.
pub(crate) fn bases(kind: &str) -> Vec<Base> {
    // Refutations of recursions are counterexamples of their own; their enumerations take seconds.
    let recursion = |base: &Base| base.json["statement"].get("recursion").is_some();
    let has = |base: &Base| {
        if recursion(base) {
            return kind == "recursion" && base.json["evidence"][0].get("counterexample").is_some();
        }
        base.json["evidence"]
            .as_array()
            .unwrap()
            .iter()
            .any(|item| item.get(kind).is_some())
    };
    let quick = |base: &Base| {
        let row =
            kind == "comparison" && base.claim.starts_with("CHECK-ROW") && base.bytes.len() < 1_200;
        base.bytes.len() <= MAX_BYTES
            && (row || !SLOW.iter().any(|slow| base.claim.starts_with(slow)))
    };
    // One member needs no test, and leaves nothing to change.
    let trivial = |base: &Base| {
        base.json["evidence"][0]["classes"]["tests"]
            .as_array()
            .is_some_and(Vec::is_empty)
    };
    all()
        .into_iter()
        .filter(|base| has(base) && quick(base) && !trivial(base))
        .collect()
}
