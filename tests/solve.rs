//! `solve` against the committed truth: verdicts, evidence, cores.
//!
//! `cargo test` runs the instances that are quick in a debug build. All of them, with the time it took:
//! `SOLVE_ALL=1 cargo test --release --test solve -- --nocapture`.
#![cfg(feature = "cadical")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail, and prints what it measured"
)]

use foolproof::audit::solve::{Ask, Outcome, Settled, settle};
use foolproof::evidence::verify::{self, Options, verify_bytes};
use foolproof::file::constants::Overrides;
use foolproof::file::expr::Limits;
use foolproof::file::{Setting, Source, Tree, setting};
use foolproof::search::solve::{Method, Stats};
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use std::fs;
use std::time::Instant;

fn strings(map: &Json) -> Json {
    let entries = map.as_object().unwrap().iter();
    Json::Object(
        entries
            .map(|(edge, size)| (edge.clone(), json!(size.to_string())))
            .collect(),
    )
}

fn build(instance: &Json) -> Setting {
    let epochs: Vec<Json> = instance["epochs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|epoch| {
            let linear: Vec<Json> = epoch["linear"]
                .as_array()
                .unwrap()
                .iter()
                .map(strings)
                .collect();
            json!({"soft": strings(&epoch["soft"]), "linear": linear})
        })
        .collect();
    let texts = |key: &str| -> Vec<String> {
        let list = instance[key].as_array().unwrap();
        list.iter().map(ToString::to_string).collect()
    };
    let file = json!({"family": {"hybrid": {
        "steps": instance["steps"].to_string(),
        "start": instance["start"].to_string(),
        "ranges": texts("ranges"),
        "queries": texts("queries"),
        "epoch": epochs,
    }}});
    let tree = Tree::from_json(&file);
    setting::resolve(
        &Source::new("truth", ""),
        &tree,
        &Overrides::new(),
        Limits::default(),
    )
    .unwrap()
}

fn truth() -> Vec<Json> {
    let text = fs::read_to_string("tests/data/hybrid-instances.json").unwrap();
    serde_json::from_str(&text).unwrap()
}

fn settled(setting: &Setting, method: Method) -> Result<Box<Settled>, String> {
    let ask = Ask {
        method,
        ..Ask::default()
    };
    let mut stats = Stats::default();
    match settle(setting, "TRUTH", &ask, &Options::default(), &mut stats) {
        Ok(Outcome::Settled(settled)) => Ok(settled),
        Ok(Outcome::Undecided(reason)) => Err(reason),
        Ok(Outcome::Contradiction(reason)) => panic!("{reason}"),
        Err(failure) => Err(failure.to_string()),
    }
}

/// What one instance came to.
struct Row {
    id: String,
    agrees: bool,
    how: &'static str,
    millis: u128,
    core: usize,
    minimal: bool,
}

fn run(instance: &Json, method: Method) -> Row {
    let setting = build(instance);
    let start = Instant::now();
    let settled =
        settled(&setting, method).unwrap_or_else(|reason| panic!("{}: {reason}", instance["id"]));
    let millis = start.elapsed().as_millis();
    // Once more from the bytes alone.
    let decision = &settled.decision;
    let again = verify_bytes(
        "TRUTH.json",
        &decision.bytes,
        &decision.files,
        &Options::default(),
    );
    assert!(matches!(again, verify::Outcome::Accepted(_)), "{again:?}");
    if std::env::var_os("SOLVE_ALL").is_some() {
        eprintln!(
            "{} {} {millis} ms {} core {}",
            instance["id"],
            instance["inputs"],
            settled.how,
            settled.core.as_ref().map_or(0, Vec::len)
        );
    }
    Row {
        id: instance["id"].as_str().unwrap().to_owned(),
        agrees: settled.exists == (instance["verdict"] == "SAT"),
        how: settled.how,
        millis,
        core: settled.core.as_ref().map_or(0, Vec::len),
        minimal: settled.minimal,
    }
}

fn check(method: Method, quick: bool) {
    let all = std::env::var_os("SOLVE_ALL").is_some();
    let only = std::env::var("SOLVE_ONLY").ok();
    let instances: Vec<Json> = truth()
        .into_iter()
        .filter(|instance| instance["verdict"] != "TIMEOUT")
        .filter(|instance| only.as_ref().is_none_or(|id| instance["id"] == id.as_str()))
        .filter(|instance| all || (quick && instance["inputs"].as_u64().unwrap() <= 32))
        .collect();
    let start = Instant::now();
    let rows: Vec<Row> = instances
        .par_iter()
        .map(|instance| run(instance, method))
        .collect();
    let wrong: Vec<&str> = rows
        .iter()
        .filter(|row| !row.agrees)
        .map(|row| row.id.as_str())
        .collect();
    println!(
        "{} instances, {} agree, {:?}",
        rows.len(),
        rows.len() - wrong.len(),
        start.elapsed()
    );
    if all {
        let mut slow: Vec<&Row> = rows.iter().collect();
        slow.sort_by_key(|row| std::cmp::Reverse(row.millis));
        for row in slow.iter().take(25) {
            println!(
                "{} {} ms, {}, core {} {}",
                row.id, row.millis, row.how, row.core, row.minimal
            );
        }
        for how in ["family", "colouring", "solver"] {
            println!(
                "{how}: {}",
                rows.iter().filter(|row| row.how == how).count()
            );
        }
        let open = rows
            .iter()
            .filter(|row| row.core > 0 && !row.minimal)
            .count();
        println!("cores not shown minimal: {open}");
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn the_committed_verdicts_are_found() {
    check(Method::Auto, true);
}

#[test]
fn the_solver_alone_finds_the_small_ones() {
    if std::env::var_os("SOLVE_ALL").is_none() {
        check(Method::Sat, true);
    }
}

/// f, g: [m] -> [m]; Alice sends one of s symbols, Bob replies one of t, Alice says f(g(f(0))).
fn pointer(m: u64, s: u64, t: u64) -> Setting {
    let text = format!(
        "[game]\noutput = \"Alice\"\nplayers = [{{ Alice = {{ f = {{ table = [{m}, {m}] }} }} }}, {{ Bob = {{ g = {{ table = [{m}, {m}] }} }} }}]\n\
         rounds = [{{ \"lin Alice->Bob\" = {s} }}, {{ \"lin Bob->Alice\" = {t} }}]\n\
         [task.expression]\nanswers = {m}\nvalue = \"f[g[f[0]]]\"\n"
    );
    resolve(&text)
}

/// Alice holds f: [n] -> [m] and sends one of c symbols, Bob holds x and says f(x).
fn index(n: u64, m: u64, c: u64) -> Setting {
    let text = format!(
        "[game]\noutput = \"Bob\"\nplayers = [{{ Alice = {{ f = {{ table = [{n}, {m}] }} }} }}, {{ Bob = {{ x = {n} }} }}]\n\
         rounds = [{{ \"lin Alice->Bob\" = {c} }}]\n[task.expression]\nanswers = {m}\nvalue = \"f[x]\"\n"
    );
    resolve(&text)
}

fn resolve(text: &str) -> Setting {
    let source = Source::new("own", text);
    let tree = Tree::parse(&source).unwrap();
    setting::resolve(&source, &tree, &Overrides::new(), Limits::default()).unwrap()
}

/// The verdicts of the small two-party tables, by the solver alone.
#[test]
fn games_of_ones_own() {
    let cases = [
        (pointer(2, 1, 2), false),
        (pointer(2, 2, 1), false),
        (pointer(3, 2, 3), false),
        (pointer(3, 2, 6), false),
        (pointer(3, 2, 9), true),
        (pointer(3, 1, 8), false),
        (index(3, 2, 7), false),
        (index(2, 3, 9), true),
    ];
    for (number, (setting, exists)) in cases.into_iter().enumerate() {
        let settled = settled(&setting, Method::Sat).unwrap();
        assert_eq!(settled.exists, exists, "case {number}");
    }
}
