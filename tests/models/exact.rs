//! Evidence about exact models: written, replayed by both checkers, and rejected when its meaning is changed.

use crate::{foolproof, json};
use foolproof::evidence::digest;
use serde_json::{Value as Json, json as value};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Eva from a state of two numbers, with the answers that the shipped file gives.
const FOOL: [&str; 7] = [
    "fool",
    "--spec",
    "eva-additive",
    "--task",
    "eva",
    "--n",
    "6",
];

/// What both checkers say: word and code.
fn both(file: &Path) -> [String; 2] {
    let path = file.to_str().unwrap();
    let (_, stdout, stderr) = foolproof(&["verify", path, "--format", "json"]);
    let rust: Json = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
    let output = Command::new("python3")
        .args(["witnesses/check.py", "--format", "json", path])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let python: Json = serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    [rust, python].map(|found| {
        let one = &found["checked"][0];
        let code = one["code"].as_str().unwrap_or("");
        format!("{} {code}", one["verdict"].as_str().unwrap())
    })
}

/// Writes evidence with another meaning, its digests and its seal right again.
fn reseal(file: &Path, mut json: Json) {
    json["digest"] = value!(digest::of_json(
        &value!({"spec": json["spec"], "statement": json["statement"]})
    ));
    json.as_object_mut().unwrap().remove("seal");
    json["seal"] = value!(digest::of_json(&json));
    let text = foolproof::evidence::canonical::text(&json) + "\n";
    std::fs::write(file, text).unwrap();
}

/// Every change is rejected by both with this code.
fn rejected(file: &Path, changes: &[(&str, &str, Json, &str)]) {
    let first = std::fs::read(file).unwrap();
    let right: Json = serde_json::from_slice(&first).unwrap();
    for (name, pointer, new, code) in changes {
        let mut json = right.clone();
        *json.pointer_mut(pointer).expect(name) = new.clone();
        reseal(file, json);
        let wanted = format!("rejected {code}");
        assert_eq!(both(file), [wanted.clone(), wanted], "{name}");
    }
    for at in (0..first.len()).step_by(first.len() / 12) {
        let mut changed = first.clone();
        changed[at] ^= 1;
        std::fs::write(file, changed).unwrap();
        for answer in both(file) {
            assert!(answer.starts_with("rejected"), "byte {at}: {answer}");
        }
    }
    std::fs::write(file, first).unwrap();
}

#[test]
fn a_fooled_exact_model_is_replayed_by_both() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().to_str().unwrap();
    let found = json(&[&FOOL[..], &["--proof", proof]].concat());
    assert_eq!(found["witness"], "FOOL-EVA.json");
    let file = folder.path().join("FOOL-EVA.json");
    assert_eq!(both(&file), ["accepted ", "accepted "]);
    let side = |rest: &str| format!("/evidence/0/model_pair/sides/{rest}");
    let json: Json = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let right = &json["evidence"][0]["model_pair"];
    assert_eq!(right["sides"].as_array().unwrap().len(), 2, "{right}");
    let model = "/spec/exact_model/model/rule/linear";
    rejected(
        &file,
        &[
            ("another state", &side("0/state"), value!("00"), "replay"),
            ("no state", &side("1/state"), Json::Null, "malformed"),
            (
                "another output",
                &side("0/out"),
                value!([9]),
                "view-differs",
            ),
            (
                "another key",
                &format!("{model}/keys/0/0"),
                value!("7/3"),
                "replay",
            ),
            (
                "not in lowest terms",
                &format!("{model}/keys/0/0"),
                value!("2/2"),
                "malformed",
            ),
            (
                "a ragged row",
                &format!("{model}/keys/0"),
                value!(["1"]),
                "malformed",
            ),
            (
                "another format",
                &format!("{model}/format"),
                value!("f64"),
                "unknown-kind",
            ),
            (
                "another largest answer",
                "/spec/exact_model/model/readout/linear/largest",
                value!("0"),
                "replay",
            ),
            (
                "another suffix",
                "/evidence/0/model_pair/suffix",
                value!([6]),
                "domain",
            ),
            (
                "another task",
                "/spec/exact_model/task/eva/n",
                value!("7"),
                "malformed",
            ),
            (
                "a trusted process",
                "/trust",
                value!(["process:0"]),
                "trust",
            ),
            (
                "another scope",
                "/scope",
                value!("this-parameter-point"),
                "scope-mismatch",
            ),
            ("refuted", "/verdict", value!("refuted"), "kind-mismatch"),
        ],
    );
}

/// Every task that an exact model of the repository answers wrong.
#[test]
fn tables_and_rational_models_are_replayed_too() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().to_str().unwrap();
    for (spec, rest) in [
        ("parity-table", &["--task", "index", "--n", "2"][..]),
        ("delta-rule", &["--task", "eva", "--n", "3"]),
        (
            "clamped-rnn",
            &["--task", "membership", "--n", "2", "--domain", "1"],
        ),
    ] {
        let arguments = [&["fool", "--spec", spec, "--proof", proof], rest].concat();
        let (code, stdout, stderr) = foolproof(&arguments);
        assert_eq!(code, 0, "{spec}: {stdout}{stderr}");
        let name = format!("FOOL-{}.json", rest[1].to_uppercase());
        assert_eq!(
            both(&folder.path().join(name)),
            ["accepted ", "accepted "],
            "{spec}"
        );
    }
}

/// A gated recurrence as a file: eight tokens, d = 4, numbers of 64ths from a fixed rule.
fn gated(folder: &Path, format: &str, gate: &str) -> String {
    let mut state = 12345u64;
    let mut rows = |name: &str| {
        let mut text = format!("{name} = [");
        for _ in 0..8 {
            let mut row = String::new();
            for _ in 0..4 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let number = i64::try_from((state >> 40) % 255).unwrap() - 127;
                let _ = write!(row, "\"{number}/64\", ");
            }
            let _ = write!(text, "[{row}], ");
        }
        text + "]\n"
    };
    let text = format!(
        "[model.linear]\nformat = \"{format}\"\ngate = {gate}\n{}{}",
        rows("keys"),
        rows("values")
    );
    let path = folder.join("model.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn horizons_are_replayed_by_both_for_many_gates() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().to_str().unwrap();
    let file = folder.path().join("HORIZON.json");
    // 0.9 to 2 times (significant bits) / log2(1/g), g as rounded.
    for (format, gate, least, most) in [
        ("f32", "\"1/2\"", 21, 48),
        ("f32", "\"9/10\"", 142, 316),
        ("f32", "\"99/100\"", 1490, 3311),
        ("f32", "\"-3/4\"", 52, 116),
        // At 1/2 the numbers that remain are few: a sum that nearly cancels keeps a difference a little longer than the guide says.
        ("bf16", "\"1/2\"", 7, 24),
        ("bf16", "\"9/10\"", 47, 106),
        // 0.99 is 253.44/256: 0.98828125.
        ("bf16", "\"99/100\"", 423, 942),
    ] {
        let spec = gated(folder.path(), format, gate);
        for seed in ["0", "1"] {
            let found = json(&["horizon", "--spec", &spec, "--seed", seed, "--proof", proof]);
            let tokens = found["tokens"].as_u64().unwrap();
            assert!(
                (least..=most).contains(&tokens),
                "{format} {gate}, seed {seed}: {tokens}"
            );
            assert_eq!(found["witness"], "HORIZON.json");
            if seed == "0" {
                assert_eq!(both(&file), ["accepted ", "accepted "], "{format} {gate}");
            }
        }
    }
    // 0.999 rounds to 1 in bf16: nothing is forgotten.
    let spec = gated(folder.path(), "bf16", "\"999/1000\"");
    let (code, stdout, _) = foolproof(&["horizon", "--spec", &spec, "--limit", "3000"]);
    assert!(code == 3 && stdout.starts_with("undecided"), "{stdout}");
    // A gate above 1 ends in infinity, which no file may rest on.
    let spec = gated(folder.path(), "f32", "2");
    let (code, _, stderr) = foolproof(&["horizon", "--spec", &spec, "--limit", "3000"]);
    assert!(code == 2 && stderr.contains("not finite"), "{stderr}");
}

/// 16,284 to 20,420 tokens were seen at 0.999 in f32.
#[test]
fn a_long_horizon() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().to_str().unwrap();
    let spec = gated(folder.path(), "f32", "\"999/1000\"");
    let found = json(&[
        "horizon", "--spec", &spec, "--limit", "33000", "--proof", proof,
    ]);
    let tokens = found["tokens"].as_u64().unwrap();
    assert!((14_900..=33_000).contains(&tokens), "{tokens}");
    let file = folder.path().join("HORIZON.json");
    assert_eq!(both(&file), ["accepted ", "accepted "]);
}

#[test]
fn a_changed_horizon_is_rejected_by_both() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().to_str().unwrap();
    let arguments = [
        "horizon",
        "--spec",
        "gated-bf16",
        "--prefix",
        "8",
        "--proof",
        proof,
    ];
    let found = json(&arguments);
    let file = folder.path().join("HORIZON.json");
    assert_eq!(both(&file), ["accepted ", "accepted "]);
    let tokens = found["tokens"].as_u64().unwrap();
    let json: Json = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let body = &json["evidence"][0]["horizon"];
    let at = |key: &str| format!("/evidence/0/horizon/{key}");
    let number = |n: u64| value!(n.to_string());
    let differs = body["place"].as_u64().unwrap();
    let mut vocab = body["left"].clone();
    vocab[0] = value!(8);
    let gates = "/spec/exact_model/model/rule/linear/gates";
    rejected(
        &file,
        &[
            (
                "fewer",
                "/statement/forgotten/tokens",
                number(tokens - 1),
                "domain",
            ),
            (
                "the other state",
                &at("state"),
                body["before"][0].clone(),
                "replay",
            ),
            (
                "equal states before",
                &at("before"),
                value!([body["state"], body["state"]]),
                "replay",
            ),
            ("no states before", &at("before"), Json::Null, "domain"),
            (
                "one state before",
                &at("before"),
                value!(["00"]),
                "malformed",
            ),
            (
                "another place",
                &at("place"),
                value!(differs + 1),
                "arithmetic",
            ),
            (
                "one input twice",
                &at("right"),
                body["left"].clone(),
                "domain",
            ),
            ("a token that is none", &at("left"), vocab, "alphabet"),
            (
                "more",
                "/statement/forgotten/tokens",
                number(tokens + 8),
                "domain",
            ),
            ("another gate", gates, value!(["1/2"]), "replay"),
            ("no gate", gates, value!([]), "malformed"),
            ("long numbers", gates, value!(["16777216/5"]), "malformed"),
            ("a huge gate", gates, value!(["16777215"]), "replay"),
            (
                "another format",
                "/spec/exact_model/model/rule/linear/format",
                value!("f32"),
                "replay",
            ),
        ],
    );
}
