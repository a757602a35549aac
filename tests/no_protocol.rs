//! Damaged `no_protocol` evidence: both checkers reject it, for the same reason.
#![cfg(feature = "cadical")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use foolproof::audit::solve::{Ask, Outcome, settle};
use foolproof::evidence::verify::{self, Options, verify_bytes};
use foolproof::evidence::{canonical, digest, gzip};
use foolproof::file::constants::Overrides;
use foolproof::file::expr::Limits;
use foolproof::file::{Setting, Source, Tree, setting};
use foolproof::search::solve::{Method, Stats};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Command;

const NAME: &str = "TOY";
const FORMULA: &str = "formula.cnf";
const PROOF: &str = "proof.lrat.gz";

/// An evidence file with its folder, taken apart.
#[derive(Clone)]
struct Evidence {
    json: Json,
    formula: String,
    proof: String,
}

impl Evidence {
    /// Digests and seal made anew.
    fn sealed(&self) -> (Vec<u8>, BTreeMap<String, Vec<u8>>) {
        let mut packed = gzip::writer(Vec::new());
        packed.write_all(self.proof.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        let formula = self.formula.clone().into_bytes();
        let mut json = self.json.clone();
        let entry = |bytes: &[u8], content: &[u8]| json!({"bytes": bytes.len().to_string(), "sha256": digest::of_bytes(bytes), "content": digest::of_bytes(content)});
        json["files"] = json!({
            FORMULA: entry(&formula, &formula),
            PROOF: entry(&packed, self.proof.as_bytes()),
        });
        json.as_object_mut().unwrap().remove("seal");
        let seal = digest::of_json(&json);
        json["seal"] = json!(seal);
        let bytes = (canonical::text(&json) + "\n").into_bytes();
        let files = [(FORMULA.to_owned(), formula), (PROOF.to_owned(), packed)];
        (bytes, files.into_iter().collect())
    }

    fn body(&mut self) -> &mut Json {
        &mut self.json["evidence"][0]["no_protocol"]
    }

    /// Formula lines changed.
    fn lines(&mut self, change: impl FnOnce(&mut Vec<String>)) {
        let mut lines: Vec<String> = self.formula.lines().map(str::to_owned).collect();
        change(&mut lines);
        self.formula = lines.join("\n") + "\n";
    }

    fn steps(&mut self, change: impl FnOnce(&mut Vec<String>)) {
        let mut lines: Vec<String> = self.proof.lines().map(str::to_owned).collect();
        change(&mut lines);
        self.proof = lines.join("\n") + "\n";
    }
}

fn toy() -> Setting {
    let open = json!([{"0>-1": "2"}]);
    let file = json!({"family": {"hybrid": {
        "steps": "2", "start": "1", "ranges": ["2", "2"], "queries": ["1"],
        "epoch": [{"soft": {"1>0": "2"}}, {"soft": {"2>-1": "2"}, "linear": open}],
    }}});
    let source = Source::new("toy", "");
    setting::resolve(
        &source,
        &Tree::from_json(&file),
        &Overrides::new(),
        Limits::default(),
    )
    .unwrap()
}

/// Three blocks with summary maps of their own: selections and reads.
fn reading() -> Setting {
    let file = json!({"family": {"sparse": {
        "n": "3", "block": "1", "read": "1", "values": "3", "symbols": "2", "shared_map": false,
    }}});
    let (source, tree) = (Source::new("reading", ""), Tree::from_json(&file));
    setting::resolve(&source, &tree, &Overrides::new(), Limits::default()).unwrap()
}

fn first_label(evidence: &mut Evidence) -> String {
    let input = evidence.body()["inputs"][0].as_object().unwrap();
    input.keys().next().unwrap().clone()
}

fn evidence(setting: &Setting) -> Evidence {
    let ask = Ask {
        method: Method::Sat,
        ..Ask::default()
    };
    let outcome = settle(
        setting,
        NAME,
        &ask,
        &Options::default(),
        &mut Stats::default(),
    )
    .unwrap();
    let Outcome::Settled(settled) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(!settled.exists && settled.minimal);
    let files = &settled.decision.files;
    let mut proof = String::new();
    gzip::content(&files[PROOF])
        .read_to_string(&mut proof)
        .unwrap();
    Evidence {
        json: serde_json::from_slice(&settled.decision.bytes).unwrap(),
        formula: String::from_utf8(files[FORMULA].clone()).unwrap(),
        proof,
    }
}

fn code(bytes: &[u8], files: &BTreeMap<String, Vec<u8>>) -> String {
    match verify_bytes("TOY.json", bytes, files, &Options::default()) {
        verify::Outcome::Accepted(_) => "accepted".to_owned(),
        verify::Outcome::Rejected(rejection) => rejection.code.word().to_owned(),
        verify::Outcome::NotChecked(reason) => reason,
    }
}

/// What the second checker says; `None` without Python.
fn second(folder: &Path) -> Option<String> {
    let output = Command::new("python3")
        .args(["witnesses/check.py", "--format", "json"])
        .arg(folder)
        .output()
        .ok()?;
    let json: Json = serde_json::from_slice(&output.stdout).ok()?;
    let row = &json["checked"][0];
    let code = row["code"].as_str().or(row["verdict"].as_str());
    code.map(str::to_owned)
}

fn write(folder: &Path, bytes: &[u8], files: &BTreeMap<String, Vec<u8>>) {
    fs::create_dir_all(folder.join(NAME)).unwrap();
    fs::write(folder.join("TOY.json"), bytes).unwrap();
    for (name, bytes) in files {
        fs::write(folder.join(NAME).join(name), bytes).unwrap();
    }
}

type Change = (&'static str, &'static str, fn(&mut Evidence));

const CHANGES: &[Change] = &[
    ("nothing", "accepted", |_| {}),
    ("a clause dropped", "encoding", |e| {
        e.lines(|lines| drop(lines.remove(3)));
    }),
    ("a clause repeated", "encoding", |e| {
        e.lines(|lines| lines.insert(2, lines[1].clone()));
    }),
    ("a literal flipped", "encoding", |e| {
        e.lines(|lines| {
            lines[1] = match lines[1].strip_prefix('-') {
                Some(rest) => rest.to_owned(),
                None => format!("-{}", lines[1]),
            }
        });
    }),
    ("the order changed", "encoding", |e| {
        e.lines(|lines| {
            let other = (2..lines.len())
                .find(|line| lines[*line] != lines[1])
                .unwrap();
            lines.swap(1, other);
        });
    }),
    ("another header", "encoding", |e| {
        e.lines(|lines| lines[0] += " ");
    }),
    ("no last newline", "symmetry", |e| {
        e.formula.pop();
    }),
    ("a symmetry clause dropped", "symmetry", |e| {
        e.lines(|lines| drop(lines.pop()));
    }),
    ("a symmetry clause added", "symmetry", |e| {
        e.lines(|lines| lines.push("1 0".to_owned()));
    }),
    ("a schema renamed", "symmetry", |e| {
        e.body()["symmetry"] = json!(["symbol-order-v9"]);
    }),
    ("a schema twice", "symmetry", |e| {
        let name = e.body()["symmetry"][0].clone();
        e.body()["symmetry"] = json!([name, name]);
    }),
    ("the schema of the other encoding", "symmetry", |e| {
        let first = e.body()["symmetry"] == json!(["symbol-order-v1"]);
        let other = if first {
            "symbol-order-v2"
        } else {
            "symbol-order-v1"
        };
        e.body()["symmetry"] = json!([other]);
    }),
    ("a schema forgotten", "arithmetic", |e| {
        e.body()["symmetry"] = json!([]);
    }),
    ("an encoding renamed", "encoding", |e| {
        e.body()["encoding"] = json!("table-v9");
    }),
    ("an input dropped", "arithmetic", |e| {
        drop(e.body()["inputs"].as_array_mut().unwrap().pop());
    }),
    ("inputs out of order", "coverage", |e| {
        e.body()["inputs"].as_array_mut().unwrap().reverse();
    }),
    ("an input twice", "coverage", |e| {
        let inputs = e.body()["inputs"].as_array_mut().unwrap();
        inputs.insert(0, inputs[0].clone());
    }),
    ("an input out of range", "domain", |e| {
        let label = first_label(e);
        e.body()["inputs"][0][label] = json!([7]);
    }),
    ("a player missing", "domain", |e| {
        let label = first_label(e);
        drop(
            e.body()["inputs"][0]
                .as_object_mut()
                .unwrap()
                .remove(&label),
        );
    }),
    ("one variable more", "arithmetic", |e| {
        e.body()["vars"] = json!("999");
    }),
    ("one clause more", "arithmetic", |e| {
        e.body()["clauses"] = json!("999");
    }),
    ("an unknown key", "unknown-key", |e| {
        e.body()["cubes"] = json!("1");
    }),
    ("a number for a count", "malformed", |e| {
        e.body()["vars"] = json!(6);
    }),
    ("no trust", "trust", |e| e.json["trust"] = json!([])),
    ("less trust", "trust", |e| {
        drop(e.json["trust"].as_array_mut().unwrap().pop());
    }),
    ("trust in another order", "trust", |e| {
        e.json["trust"].as_array_mut().unwrap().reverse();
    }),
    ("the other verdict", "kind-mismatch", |e| {
        e.json["verdict"] = json!("refuted");
    }),
    ("another game", "digest", |e| {
        let family = &mut e.json["spec"]["game"]["family"];
        if family["sparse"].is_null() {
            family["hybrid"]["epoch"][0]["soft"]["1>0"] = json!("3");
        } else {
            family["sparse"]["symbols"] = json!("3");
        }
    }),
    ("the empty clause dropped", "proof-end", |e| {
        e.steps(|steps| drop(steps.pop()));
    }),
    ("a line after the end", "proof-end", |e| {
        e.proof += "1 d 1 0\n";
    }),
    ("a torn line", "proof-end", |e| {
        e.proof.pop();
    }),
    ("nothing proved", "proof-end", |e| e.proof.clear()),
    ("a hint dropped", "proof-step", |e| {
        e.steps(|steps| {
            let last = steps.last_mut().unwrap();
            let mut words: Vec<&str> = last.split(' ').collect();
            words.remove(2);
            *last = words.join(" ");
        });
    }),
    ("a hint negated", "proof-step", |e| {
        e.steps(|steps| {
            let last = steps.last_mut().unwrap();
            let mut words: Vec<String> = last.split(' ').map(str::to_owned).collect();
            words[2] = format!("-{}", words[2]);
            *last = words.join(" ");
        });
    }),
    ("a hint appended", "proof-step", |e| {
        e.steps(|steps| {
            let last = steps.last_mut().unwrap();
            *last = format!("{} 1 0", last.strip_suffix(" 0").unwrap());
        });
    }),
    ("an id changed", "proof-step", |e| {
        e.steps(|steps| steps[0] = format!("9{}", steps[0]));
    }),
    ("an unknown id deleted", "proof-step", |e| {
        e.steps(|steps| steps.insert(0, "1 d 999999 0".to_owned()));
    }),
    ("two blanks", "proof-step", |e| {
        e.steps(|steps| steps[0] = steps[0].replacen(' ', "  ", 1));
    }),
];

#[test]
fn both_checkers_reject_for_the_same_reason() {
    for setting in [toy(), reading()] {
        compare(&evidence(&setting));
    }
}

fn compare(right: &Evidence) {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for (what, expected, change) in CHANGES {
        let mut damaged = right.clone();
        change(&mut damaged);
        let (bytes, files) = damaged.sealed();
        assert_eq!(code(&bytes, &files), *expected, "{what}");
        write(folder.path(), &bytes, &files);
        if let Some(second) = second(folder.path()) {
            assert_eq!(second, *expected, "check.py: {what}");
            compared += 1;
        }
    }
    println!(
        "{} changes, {compared} seen by both checkers",
        CHANGES.len()
    );
}

#[test]
fn attached_files_are_listed_complete_and_plain_gzip() {
    let right = evidence(&toy());
    let (bytes, files) = right.sealed();
    for name in [FORMULA, PROOF] {
        let mut fewer = files.clone();
        fewer.remove(name);
        assert_eq!(code(&bytes, &fewer), "file");
        let mut longer = files.clone();
        longer.get_mut(name).unwrap().push(0);
        assert_eq!(code(&bytes, &longer), "file");
    }
    let mut more = files;
    more.insert("notes.txt".to_owned(), Vec::new());
    assert_eq!(code(&bytes, &more), "file");
}
