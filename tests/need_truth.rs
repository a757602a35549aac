//! `need`, `sparse` and `census` against the committed truth and the tables of the design pages.
#![cfg(feature = "search")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail"
)]

use assert_cmd::Command;
use foolproof::search::sparse_maps::{Space, SparseMaps};
use num_bigint::BigUint;
use serde_json::Value as Json;
use std::collections::BTreeMap;

fn truth(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

fn params() -> Json {
    truth(include_str!("data/params.json"))
}

fn summaries() -> Json {
    truth(include_str!("data/summaries.json"))
}

fn output(line: &str) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("foolproof")
        .unwrap()
        .args(line.split(' '))
        .args(["--format", "json"])
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn run(line: &str) -> Json {
    let (code, stdout, stderr) = output(line);
    assert_eq!(code, Some(0), "{line}: {stderr}");
    serde_json::from_str(&stdout).unwrap()
}

fn rows(value: &Json) -> &[Json] {
    value.as_array().unwrap()
}

fn need(line: &str) -> (String, u64) {
    let json = run(&format!("need {line}"));
    let states = json["states"].as_str().unwrap().to_owned();
    (states, json["bits"].as_u64().unwrap())
}

#[test]
fn eva_and_percom() {
    for row in rows(&params()["eva_percom"]["table"]) {
        let n = &row["n"];
        for (task, states, bits) in [
            ("eva", "eva_count", "eva_bits"),
            ("percom", "percom_count", "percom_bits"),
        ] {
            let (found, found_bits) = need(&format!("{task} --n {n}"));
            assert_eq!(row[states], found, "{task} {n}");
            assert_eq!(row[bits], found_bits, "{task} {n}");
        }
    }
    assert_eq!(need("eva --n 64").1, 384);
    assert_eq!(need("percom --n 64").1, 296);
}

#[test]
fn two_sum_with_brute_force() {
    for row in rows(&params()["two_sum"]["bruteforce"]) {
        let (modulus, n, cut) = (&row["M"], &row["n"], &row["cut_t"]);
        for (flag, found) in [("", "rows_strict"), (" --reflexive", "rows_reflexive")] {
            let line = format!("need two-sum --n {n} --domain {modulus} --cut {cut} --brute{flag}");
            let json = run(&line);
            assert_eq!(json["states"], row[found].to_string(), "{line}");
            assert_eq!(json["brute"]["rows"], row[found].to_string(), "{line}");
        }
    }
}

#[test]
fn inside_a_permutation_and_other_tasks() {
    for (cut, states) in [(0, "1"), (1, "1"), (2, "2"), (3, "6"), (4, "24")] {
        let json = run(&format!("need percom --n 4 --cut {cut} --brute"));
        assert_eq!(json["states"], states);
        assert_eq!(json["brute"]["at_most"], states);
    }
    let cases = [
        ("eva --n 8", "16777216", 24),
        ("percom --n 8", "40320", 16),
        ("two-sum --n 8 --domain n", "254", 8),
        ("two-sum --n 8 --domain n^2", "704494192", 30),
        ("mqar --vocabulary 12 --pairs 2 --brute", "30", 5),
        ("mqar --vocabulary 256 --pairs 8", "57645610944768000", 56),
        ("mqar --vocabulary 8192 --pairs 4", "281062844375040", 48),
        ("copy --alphabet 3 --n 4 --brute", "81", 7),
        ("index --n 9 --brute", "512", 9),
        ("membership --n 3 --domain 4 --brute", "14", 4),
        ("dyck --kinds 2 --depth 2 --brute", "8", 3),
        ("eva --n 3 --cut 2 --brute", "9", 4),
    ];
    for (line, states, bits) in cases {
        assert_eq!(need(line), (states.to_owned(), bits), "{line}");
    }
    for row in rows(&summaries()["mqar"]) {
        let (vocabulary, pairs) = (&row["vocab_size"], &row["num_kv_pairs"]);
        let json = run(&format!(
            "need mqar --vocabulary {vocabulary} --pairs {pairs}"
        ));
        assert_eq!(json["bits"], row["min_bits_ceil"]);
        if row["min_states"].is_string() {
            assert_eq!(json["states"], row["min_states"]);
        }
    }
    for row in rows(&summaries()["residual_classes"]) {
        let line = format!(
            "need khop --k {} --alphabet {} --prefix {} --suffix {}",
            row["k"], row["alphabet"], row["prefix"], row["suffix"]
        );
        let json = run(&line);
        assert_eq!(json["states"], row["classes"].to_string(), "{line}");
        assert_eq!(json["bits"], row["bits"], "{line}");
    }
}

#[test]
fn log_linear() {
    for row in rows(&params()["log_linear"]["eva_loglinear_bounds"]) {
        let json = run(&format!("need log-linear --n {}", row["n"]));
        assert_eq!(json["bits"], row["bits_cut_2k"], "{row}");
        assert_eq!(json["cut"], row["cut_2k"].to_string(), "{row}");
        assert_eq!(json["matrices_at_n"], row["popcount_n"], "{row}");
    }
}

#[test]
fn largest_lengths() {
    let cases = [
        ("eva", "51118080", "2411087"),
        ("percom", "51118080", "2574786"),
        ("two-sum --domain n^2", "51118080", "2266409"),
        ("two-sum --domain n", "51118080", "51118080"),
        ("copy --alphabet 32000", "51118080", "3415663"),
        ("copy --alphabet 151936", "655360", "38073"),
        ("mqar --vocabulary 8192", "384", "32"),
        ("index", "17", "17"),
        ("dyck --kinds 2", "4", "3"),
    ];
    for (task, bits, largest) in cases {
        let json = run(&format!("need {task} --bits {bits}"));
        assert_eq!(json["largest_n"], largest, "{task}");
    }
    assert!(run("need two-sum --domain 8 --bits 8")["largest_n"].is_null());
    let d = run("need eva --n 64 --layers 1 --heads 1 --bits-per-scalar 16");
    assert_eq!(d["smallest_d"]["linear_attention"], "5");
}

#[test]
fn all_summary_maps() {
    let limit = BigUint::from(1_u32 << 20);
    for row in rows(&params()["sparse"]["exhaustive_shared_map"]) {
        let number = |key: &str| u32::try_from(row[key].as_u64().unwrap()).unwrap();
        let space = match row["kind"].as_str().unwrap() {
            "tuple" => Space::Tuples,
            "multiset" => Space::Multisets,
            _ => Space::Sets,
        };
        let game = SparseMaps {
            values: number("M"),
            block: number("B"),
            blocks: number("q"),
            read: number("k"),
            space,
        };
        let expected: BTreeMap<usize, BigUint> = row["solvable_partitions_by_summaries"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(summaries, maps)| (summaries.parse().unwrap(), maps.as_u64().unwrap().into()))
            .collect();
        for prune in [false, true] {
            let found = game.shared(prune, &limit).unwrap();
            assert_eq!(found.space as u64, row["block_space"].as_u64().unwrap());
            assert_eq!(found.maps, row["partitions"].as_u64().unwrap().into());
            assert_eq!(found.solving, expected, "{row}");
        }
    }
}

#[test]
fn sparse_table_at_1024() {
    // B, shared, over B log2 n, over B log2(n/B), position-dependent for k = 1, without repeats.
    let table = [
        (1, 10, "1", "1", 10, 10),
        (2, 20, "1", "10/9", 19, 19),
        (4, 36, "9/10", "9/8", 36, 36),
        (8, 65, "13/16", "65/56", 65, 65),
        (16, 116, "29/40", "29/24", 116, 116),
        (32, 202, "101/160", "101/80", 201, 202),
        (64, 342, "171/320", "171/128", 336, 342),
        (128, 553, "553/1280", "553/384", 526, 552),
        (256, 827, "827/2560", "827/512", 702, 826),
        (512, 1024, "1/5", "2", 512, 1019),
    ];
    for (block, shared, over_n, over_q, position, single) in table {
        let line = format!("sparse --n 1024 --block {block} --read 1");
        let json = run(&line);
        assert_eq!(json["needed_bits"], shared, "{line}");
        assert_eq!(json["ratios"]["b_log_n"]["exact"], over_n, "{line}");
        assert_eq!(json["ratios"]["b_log_n_over_b"]["exact"], over_q, "{line}");
        let json = run(&format!("{line} --position-dependent"));
        assert_eq!(json["needed_bits"], position, "{line}");
        let json = run(&format!("{line} --no-repeats"));
        assert_eq!(json["needed_bits"], single, "{line}");
    }
    assert_eq!(
        run("sparse --n 1024 --block 1024 --read 0")["needed_bits"],
        1024
    );
}

#[test]
fn published_settings() {
    for row in rows(&summaries()["sparse"]) {
        let (block, read, bits) = (
            &row["block_size_B"],
            &row["selected_k"],
            &row["summary_bits_per_block_per_layer"],
        );
        for (n, excluded) in row["excluded"].as_object().unwrap() {
            let json = run(&format!(
                "sparse --n {n} --block {block} --read {read} --bits {bits}"
            ));
            assert_eq!(json["verdict"] == "excluded", *excluded, "{row} at {n}");
            assert_eq!(json["largest_n_counting"], row["largest_n_counting"]);
        }
    }
}

#[test]
fn a_map_is_fooled() {
    let json =
        run("sparse --n 8 --block 2 --read 1 --domain 4 --map 0,0,1,2,0,3,4,5,1,4,6,7,2,5,7,8");
    // Blocks (0,0) and (0,1) share a summary; value 1, query token 3.
    assert_eq!(json["pair"]["query_token"], 3);
    assert_eq!(json["pair"]["value"], 1);
    assert_eq!(json["pair"]["left"]["blocks"][3], serde_json::json!([0, 0]));
    assert_eq!(
        json["pair"]["right"]["blocks"][3],
        serde_json::json!([0, 1])
    );
    let json = run("sparse --n 4 --block 2 --read 1 --domain 2 --map 0,1,1,2 --exhaustive");
    assert!(json["pair"].is_null());
    assert_eq!(json["exhaustive"]["minimum"], "3");
}

#[test]
fn a_region() {
    let json = run("sparse --n 64,1024 --block 4,16,128 --read 2 --bits 64");
    let verdicts: Vec<&Json> = rows(&json["grid"])
        .iter()
        .map(|cell| &cell["verdict"])
        .collect();
    assert_eq!(
        verdicts,
        [
            &Json::from("not-excluded"),
            &Json::from("not-excluded"),
            &Json::Null,
            &Json::from("not-excluded"),
            &Json::from("excluded"),
            &Json::from("excluded")
        ]
    );
}

#[test]
fn census() {
    let json = run("census --n 7 --states 256 --update 31,17,1,1 --enumerate");
    for (key, value) in [
        ("inputs", "823543"),
        ("classes", "256"),
        ("largest", "7600"),
        ("smallest", "115"),
        ("colliding_pairs", "2234214633"),
    ] {
        assert_eq!(json[key], value, "{key}");
    }
    let json = run("census --n 64 --states 4096 --update 31,17,1,1");
    assert_eq!(json["classes"], "4096");
    assert_eq!(
        json["inputs"],
        (BigUint::from(1_u32) << 384_u32).to_string()
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(
        file.path(),
        "[additive]\nvalues = [1, 6]\nkeys = [[1, 0], [0, 1], [1, 1], [2, 1], [1, 2], [3, 2]]\n",
    )
    .unwrap();
    let json = run(&format!("census --spec {}", file.path().display()));
    assert_eq!(json["classes"], "656");
    assert_eq!(json["pair"]["left"], serde_json::json!([1, 1, 1, 1, 1, 4]));
    assert_eq!(json["pair"]["right"], serde_json::json!([1, 1, 1, 5, 2, 1]));
}

#[test]
fn refusals_name_the_field() {
    for (line, code, message) in [
        ("need eva --n 0", 2, "n: 0 is below 1"),
        ("need eva --n 3 --cut 4", 2, "cut: 4 is above 3"),
        ("need two-sum --n 3", 2, "domain: missing"),
        (
            "need mqar --vocabulary 7 --pairs 1",
            2,
            "vocabulary: 7 is odd",
        ),
        ("need eva --n 64 --brute", 3, "brute: "),
        ("need percom --n 100000000", 3, "bits"),
        ("sparse --n 4 --block 0 --read 1", 2, "block: 0 is below 1"),
        (
            "sparse --n 4 --block 5 --read 1",
            2,
            "block: 5 is above n = 4",
        ),
        (
            "sparse --n 5 --block 2 --read 1 --position-dependent",
            2,
            "block: 2 does not divide",
        ),
        (
            "sparse --n 4 --block 2 --read 1 --map 0",
            2,
            "map: 1 symbols, expected 16",
        ),
        (
            "sparse --n 8 --block 4 --read 1 --exhaustive",
            3,
            "summary maps",
        ),
        (
            "census --n 3 --states 0 --update 1,1,1,1",
            2,
            "states: 0 is below 1",
        ),
        (
            "census --n 3 --states 4 --update 1,1,1",
            2,
            "update: 3 numbers",
        ),
        (
            "census --n 9 --states 4 --update 1,1,1,1 --enumerate --max-inputs 1000",
            3,
            "inputs: 387420489",
        ),
    ] {
        let (found, stdout, stderr) = output(line);
        assert_eq!(found, Some(code), "{line}: {stderr}");
        assert!(
            stdout.is_empty() && stderr.contains(message),
            "{line}: {stderr}"
        );
    }
}
