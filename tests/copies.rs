//! Games with copied views, read inputs and shared functions: `solve`, and what both checkers say about its evidence.
#![cfg(feature = "cadical")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail, and prints what it counted"
)]

use foolproof::audit::solve::{Ask, Outcome, Settled, settle};
use foolproof::evidence::verify::Options;
use foolproof::file::constants::Overrides;
use foolproof::file::expr::Limits;
use foolproof::file::{Setting, Source, Tree, setting};
use foolproof::search::solve::{Method, Stats};
use serde_json::{Value as Json, json};
use std::fs;
use std::path::Path;
use std::process::Command;

struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

fn build(file: &Json) -> Setting {
    let tree = Tree::from_json(file);
    let source = Source::new("game", "");
    setting::resolve(&source, &tree, &Overrides::new(), Limits::default()).unwrap()
}

fn settled(setting: &Setting, claim: &str, method: Method) -> Result<Box<Settled>, String> {
    let ask = Ask {
        method,
        ..Ask::default()
    };
    match settle(
        setting,
        claim,
        &ask,
        &Options::default(),
        &mut Stats::default(),
    ) {
        Ok(Outcome::Settled(settled)) => Ok(settled),
        Ok(Outcome::Undecided(reason)) => Err(reason),
        Ok(Outcome::Contradiction(reason)) => panic!("{claim}: {reason}"),
        Err(failure) => Err(failure.to_string()),
    }
}

/// Three players; a message, a forwarded view, a selection, a read, a last message; the answer depends on all inputs.
fn random_game(dice: &mut Dice) -> Json {
    let labels = ["A", "B", "C"];
    let mut pair = || {
        let from = dice.below(3);
        let to = (from + 1 + dice.below(2)) % 3;
        (
            labels[usize::try_from(from).unwrap()],
            labels[usize::try_from(to).unwrap()],
        )
    };
    let (first, second, third, fourth) = (pair(), pair(), pair(), pair());
    let size = |n: u64| n.to_string();
    let mut rounds = vec![
        json!({format!("soft {}->{}", first.0, first.1): {"symbols": size(2), "consults": [first.1]}}),
    ];
    if dice.below(3) > 0 {
        rounds.push(json!({format!("free {}->{}", second.0, second.1): {"forward": true}}));
    }
    if dice.below(3) > 0 {
        let reader = third.1;
        rounds.push(json!({format!("selection {}->{reader}", third.0): size(2)}));
        rounds.push(json!({format!("read {reader}->{reader}"): {"by": format!("selection {}->{reader} @{}", third.0, rounds.len()), "rank": 0}}));
    }
    rounds
        .push(json!({format!("lin {}->{}", fourth.0, fourth.1): size(if dice.below(2) == 0 { 2 } else { 3 })}));
    let sizes: Vec<u64> = (0..3).map(|_| 1 + dice.below(3)).collect();
    let players: Vec<Json> = labels
        .iter()
        .zip(&sizes)
        .map(|(label, n)| json!({*label: {label.to_lowercase(): n.to_string()}}))
        .collect();
    let (p, q) = (1 + dice.below(3), 1 + dice.below(3));
    json!({
        "game": {"output": labels[usize::try_from(dice.below(3)).unwrap()], "players": players, "rounds": rounds},
        "task": {"expression": {"answers": "3", "value": format!("(a + {p}*b + {q}*c*c + a*b*c) mod 3")}},
    })
}

fn sparse(
    n: u64,
    block: u64,
    read: u64,
    values: u64,
    symbols: u64,
    heads: u64,
    shared: bool,
) -> Json {
    json!({"family": {"sparse": {
        "n": n.to_string(), "block": block.to_string(), "read": read.to_string(), "values": values.to_string(),
        "symbols": symbols.to_string(), "heads": heads.to_string(), "shared_map": shared,
    }}})
}

fn chain_of_thought(steps: u64, symbols: u64) -> Json {
    json!({"family": {"cot": {"steps": steps.to_string(), "symbols": symbols.to_string()}}, "task": {"eva": {"n": "2"}}})
}

fn write(folder: &Path, claim: &str, settled: &Settled) {
    fs::write(
        folder.join(format!("{claim}.json")),
        &settled.decision.bytes,
    )
    .unwrap();
    fs::create_dir_all(folder.join(claim)).unwrap();
    for (name, bytes) in &settled.decision.files {
        fs::write(folder.join(claim).join(name), bytes).unwrap();
    }
}

/// The verdicts of the second checker on a folder; `None` without Python.
fn second(folder: &Path) -> Option<Vec<Json>> {
    let output = Command::new("python3")
        .args(["witnesses/check.py", "--format", "json"])
        .arg(folder)
        .output()
        .ok()?;
    let json: Json = serde_json::from_slice(&output.stdout).ok()?;
    json["checked"].as_array().cloned()
}

#[test]
fn both_checkers_encode_random_games_alike() {
    let folder = tempfile::tempdir().unwrap();
    let (mut refuted, mut second_encoding) = (0, 0);
    let wanted: u64 = if std::env::var_os("SOLVE_ALL").is_some() {
        2_000
    } else {
        600
    };
    for seed in 1..=wanted {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            dice.below(2);
        }
        let claim = format!("G{seed}");
        let setting = build(&random_game(&mut dice));
        let Ok(found) = settled(&setting, &claim, Method::Sat) else {
            continue;
        };
        if found.decision.files.is_empty() {
            continue;
        }
        refuted += 1;
        second_encoding += usize::from(found.decision.checked.trust()[0] == "encoding:table-v2");
        write(folder.path(), &claim, &found);
    }
    println!("{refuted} refuted, {second_encoding} of them with table-v2");
    assert!(second_encoding * 20 > usize::try_from(wanted).unwrap());
    let Some(checked) = second(folder.path()) else {
        return;
    };
    assert_eq!(checked.len(), refuted);
    for row in checked {
        assert_eq!(row["verdict"], "accepted", "{row}");
    }
}

#[test]
fn sparse_games_and_chains_of_thought_are_decided_with_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [
        ("S1", sparse(2, 1, 1, 2, 1, 1, true), false),
        ("S2", sparse(2, 1, 1, 2, 2, 1, true), true),
        ("S3", sparse(4, 2, 1, 2, 2, 1, true), false),
        ("S4", sparse(4, 2, 1, 2, 3, 1, true), true),
        ("S5", sparse(4, 2, 1, 2, 2, 1, false), true),
        ("S6", sparse(3, 1, 1, 2, 1, 2, true), false),
        ("C1", chain_of_thought(1, 3), false),
        ("C2", chain_of_thought(1, 4), true),
        ("C3", chain_of_thought(3, 3), false),
    ];
    for (claim, file, exists) in rows {
        let setting = build(&file);
        let found = settled(&setting, claim, Method::Sat).unwrap();
        assert_eq!(found.exists, exists, "{claim}");
        let trust = found.decision.checked.trust();
        assert_eq!(
            trust.first().map(String::as_str),
            (!exists).then_some("encoding:table-v2"),
            "{claim}"
        );
        write(folder.path(), claim, &found);
    }
    if let Some(checked) = second(folder.path()) {
        for row in checked {
            assert_eq!(row["verdict"], "accepted", "{row}");
        }
    }
}

#[test]
fn other_denials_need_no_formula() {
    let folder = tempfile::tempdir().unwrap();
    let game = json!({"output": "B", "players": [{"A": {"a": "2"}}, {"B": {"b": "2"}}], "rounds": [{"lin A->B": "1"}]});
    let empty =
        json!({"game": game, "task": {"expression": {"answers": "2", "accept": "a + b < 2"}}});
    let silent = json!({"game": game, "task": {"expression": {"answers": "2", "value": "a"}}});
    let rows = [
        ("EMPTY", empty, Method::Auto, "an input without answers"),
        ("SILENT", silent, Method::Exhaustive, "all protocols"),
        (
            "SPARSE",
            sparse(2, 1, 1, 2, 1, 1, true),
            Method::Exhaustive,
            "all protocols",
        ),
        (
            "CHAIN",
            chain_of_thought(1, 3),
            Method::Exhaustive,
            "all protocols",
        ),
    ];
    for (claim, file, method, how) in rows {
        let found = settled(&build(&file), claim, method).unwrap();
        assert_eq!((found.exists, found.how), (false, how), "{claim}");
        assert!(found.decision.checked.trust().is_empty(), "{claim}");
        write(folder.path(), claim, &found);
    }
    if let Some(checked) = second(folder.path()) {
        assert_eq!(checked.len(), 4);
        for row in checked {
            assert_eq!(row["verdict"], "accepted", "{row}");
        }
    }
}
