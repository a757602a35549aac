//! `state`, `need --for`, `sparse --config`, `census`, `horizon --spec`, `gen`, `check-task`: the commands.

use crate::{foolproof, json};
use std::time::Instant;

fn temporary(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let shown = path.to_str().unwrap().to_owned();
    (folder, shown)
}

#[test]
fn errors_name_file_line_and_column() {
    let (_folder, path) = temporary(
        "config.json",
        "{\n  \"model_type\": \"lfm2\",\n  \"hidden_size\": 2048.5,\n  \"layer_types\": [\"conv\"], \"conv_L_cache\": 3\n}\n",
    );
    let (code, _, stderr) = foolproof(&["state", &path]);
    assert_eq!(code, 2);
    assert!(
        stderr.contains("config.json:3:18: hidden_size: found 4097/2, expected a whole number"),
        "{stderr}"
    );
    let (_folder, path) = temporary("config.json", "{\"model_type\": \"lfm2\",}");
    let (code, _, stderr) = foolproof(&["state", &path]);
    assert!(
        code == 2 && stderr.contains("config.json:1:23: found `}`, expected a key in quotes"),
        "{stderr}"
    );
    let (code, _, stderr) = foolproof(&["state", "jamba-v0.2"]);
    assert!(
        code == 2 && stderr.contains("did you mean `jamba-v0.1`"),
        "{stderr}"
    );
}

#[test]
fn answers_are_fast_up_to_three_hundred_million() {
    // One layer of about 8 * 10^9 bits: the largest n of Eva is near 3 * 10^8.
    let (_folder, path) = temporary(
        "big.json",
        r#"{"model_type":"rwkv7","num_hidden_layers":4096,"hidden_size":1024,"head_dim":64,"max_position_embeddings":1000}"#,
    );
    let begin = Instant::now();
    let found = json(&["state", &path]);
    let n: u64 = found["largest_n"]["eva"].as_str().unwrap().parse().unwrap();
    assert!((200_000_000..400_000_000).contains(&n), "{n}");
    // 100 ms for a release build on a quiet machine; this is neither.
    assert!(begin.elapsed().as_secs() < 5);
    assert_eq!(found["below_max_context"], serde_json::json!([]));
}

#[test]
fn finite_values_are_a_little_fewer() {
    let all = json(&["state", "rwkv7-0.4b"]);
    let finite = json(&["state", "rwkv7-0.4b", "--finite"]);
    let n = |found: &serde_json::Value, key: &str| -> u64 {
        found["largest_n"][key].as_str().unwrap().parse().unwrap()
    };
    for key in ["eva", "percom", "two_sum_n2", "two_sum_n"] {
        let (a, b) = (n(&all, key), n(&finite, key));
        assert!(b < a && b > a - a / 200, "{key}: {a} {b}");
    }
    // log2 of 2 * 255 * 2^23 is 32 - log2(256/255): 1,572,864 recurrent numbers and 49,152 of bf16.
    assert_eq!(n(&finite, "two_sum_n"), 51_108_921);
}

#[test]
fn needs_against_a_configuration() {
    let found = json(&["need", "eva", "--n", "42614", "--for", "lfm2-1.2b"]);
    assert_eq!(
        (&found["excluded"], &found["bits_short"]),
        (&true.into(), &"3".into())
    );
    assert_eq!(found["applies_to"], "recurrent part only");
    let found = json(&["need", "eva", "--n", "42613", "--for", "lfm2-1.2b"]);
    assert_eq!(
        (&found["excluded"], &found["bits_short"]),
        (&false.into(), &"0".into())
    );
}

#[test]
fn published_block_sparse_settings() {
    let moba = json(&["sparse", "--config", "moba"]);
    assert_eq!(moba["largest_n_counting"], "26214");
    assert_eq!(
        (&moba["applies_from"], &moba["excluded_from"]),
        (&"53248".into(), &"53248".into())
    );
    assert!(
        moba["void_if"]
            .as_str()
            .unwrap()
            .contains("never a claim on a whole model")
    );
    let nsa = json(&["sparse", "--config", "nsa"]);
    assert_eq!(
        (&nsa["largest_n_counting"], &nsa["summary_bits"]),
        (&">=2^64".into(), &"8192".into())
    );
    assert_eq!(nsa["applies_from"], "1088");
    let at = |n: &str| json(&["sparse", "--config", "moba", "--n", n])["verdict"].clone();
    assert_eq!([at("32768"), at("53248")], ["not-applicable", "excluded"]);
    // Two heads that choose different blocks read twice as many.
    let heads = json(&["sparse", "--config", "moba", "--heads", "2"]);
    assert_eq!(heads["applies_from"], "102400");
    let (_folder, path) = temporary(
        "setting.json",
        "{\"summary\": \"mean-key\",\n \"block\": 4}",
    );
    let (code, _, stderr) = foolproof(&["sparse", "--config", &path]);
    assert!(code == 2 && stderr.contains("missing"), "{stderr}");
}

#[test]
fn censuses_of_exact_models() {
    let eva = json(&["census", "--spec", "eva-additive"]);
    assert_eq!(
        (&eva["classes"], &eva["inputs"]),
        (&"656".into(), &"46656".into())
    );
    assert_eq!(eva["pair"]["left"], serde_json::json!([1, 1, 1, 1, 1, 4]));
    assert_eq!(eva["pair"]["right"], serde_json::json!([1, 1, 1, 5, 2, 1]));
    assert_eq!(eva["pair"]["state"][0], "(17, 13)");
    let parity = json(&["census", "--spec", "parity-table"]);
    assert_eq!(
        (&parity["classes"], &parity["largest"]),
        (&"2".into(), &"8".into())
    );
}

#[test]
fn horizons_of_declared_recurrences() {
    // 0.9 to 2 times (significant bits) / log2(1/g), g = 9/10: 24 and 8 bits.
    for (spec, least, most) in [("gated-f32", 142, 316), ("gated-bf16", 47, 106)] {
        for seed in ["0", "1", "2", "3", "4"] {
            let found = json(&["horizon", "--spec", spec, "--seed", seed]);
            let tokens = found["tokens"].as_u64().unwrap();
            assert!(
                (least..=most).contains(&tokens),
                "{spec}, seed {seed}: {tokens}"
            );
            let answers = &found["query"]["answers"];
            assert_ne!(answers[0], answers[1]);
        }
    }
    // An additive state forgets nothing.
    let (code, _, _) = foolproof(&[
        "horizon",
        "--spec",
        "delta-rule",
        "--tokens",
        "9",
        "--limit",
        "50",
        "--prefix",
        "5",
        "--format",
        "json",
    ]);
    assert!(code == 0 || code == 3);
}

#[test]
fn instances_and_contradictions() {
    let tasks: [&[&str]; 4] = [
        &["mqar", "--vocabulary", "16", "--pairs", "4"],
        &["khop", "--n", "8", "--k", "2", "--alphabet", "3"],
        &["copy", "--n", "5", "--alphabet", "7"],
        &["eva", "--n", "6", "--seed", "7"],
    ];
    for task in tasks {
        let arguments = [&["gen", "--count", "20", "--task"], task].concat();
        let (code, lines, stderr) = foolproof(&arguments);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(lines.lines().count(), 20);
        let (_, again, _) = foolproof(&arguments);
        assert_eq!(lines, again);
        let (_folder, path) = temporary("instances.jsonl", &lines);
        let (code, text, _) = foolproof(&["check-task", &path]);
        assert_eq!(code, 0, "{text}");
    }
    let (_folder, path) = temporary(
        "bad.jsonl",
        "{\"tokens\":[1,2],\"target\":[1]}\n{\"tokens\":[1,2],\"target\":[2]}\n",
    );
    let (code, text, _) = foolproof(&["check-task", &path]);
    assert!(
        code == 1 && text.contains("lines 1 and 2: the same tokens"),
        "{text}"
    );
    let (_folder, path) = temporary("twice.jsonl", "{\"tokens\":[1,7,1,8,1],\"target\":[7]}\n");
    let (code, text, _) = foolproof(&["check-task", &path, "--mqar"]);
    assert!(
        code == 1 && text.contains("key 1 is bound to 7 and to 8"),
        "{text}"
    );
    let (_folder, path) = temporary(
        "torn.jsonl",
        "{\"tokens\":[1,7],\"target\":[7]}\n{\"tokens\":[1,",
    );
    let (code, _, stderr) = foolproof(&["check-task", &path]);
    assert!(code == 2 && stderr.contains("torn.jsonl:2:14"), "{stderr}");
}
