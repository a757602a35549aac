//! The table of mistakes of the specification, row by row: position, what was found, what was expected, exit 2, nothing written.
#![cfg(feature = "search")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use assert_cmd::Command;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const CHAIN: &str = include_str!("files/chain.toml");
const SAYS_SUM: &str = include_str!("files/says-sum.toml");
const LEMMA7: &str = include_str!("files/lemma7.toml");

/// What a command printed.
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn foolproof(folder: &Path, arguments: &[&str]) -> Ended {
    let output = Command::cargo_bin("foolproof")
        .unwrap()
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap();
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A folder with the three files, one of them changed.
fn folder(file: &str, text: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in [
        ("chain.toml", CHAIN),
        ("says-sum.toml", SAYS_SUM),
        ("lemma7.toml", LEMMA7),
        (file, text),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// The command that reads the file.
fn command(file: &str) -> Vec<&str> {
    match file {
        "says-sum.toml" => vec!["check", "chain.toml", "--protocol", file],
        "lemma7.toml" => vec!["audit", file],
        _ => vec!["show", file],
    }
}

fn expect(file: &str, text: &str, message: &str) {
    expect_with(file, text, &command(file), message);
}

fn expect_with(file: &str, text: &str, arguments: &[&str], message: &str) {
    let folder = folder(file, text);
    let before = names(folder.path());
    let ended = foolproof(folder.path(), arguments);
    assert_eq!(ended.stderr.trim_end(), message);
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(2), ""),
        "{message}"
    );
    assert_eq!(
        names(folder.path()),
        before,
        "something was written: {message}"
    );
}

/// The text with the one place changed.
fn changed(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

const VALUE: &str = r#"value   = "f[g[x]]""#;
const LAST: &str = r#""soft B->C" = "s""#;
const SAYS: &str = r#""soft B->C" = "g[x]""#;

#[test]
fn every_row_about_the_task_of_a_game() {
    let rows = [
        (
            r#"valeu = "f[g[x]]""#,
            "chain.toml:9:1: unknown key `valeu`; did you mean `value`?",
        ),
        (
            r#"value   = "f[g[x]""#,
            "chain.toml:9:18: found end of expression, expected `]`",
        ),
        (
            r#"value   = "f[g[y]]""#,
            "chain.toml:9:16: unknown name `y`",
        ),
        (
            r#"value   = "f[g[x]] = 1""#,
            "chain.toml:9:12: found a truth value, expected an integer (`value`)",
        ),
        (
            r#"value   = "f[g[x]] == 1""#,
            "chain.toml:9:20: found `==`, expected `=` for equality",
        ),
        (
            r#"value   = "sum(i in 0..=1: f[i]) mod 2""#,
            "chain.toml:9:22: found `..=`, expected `..` (it includes its end) or `..<`",
        ),
        (
            r#"value   = "sum(x in 0..1: f[x])""#,
            "chain.toml:9:16: `x` already has a meaning here; choose another name",
        ),
        (
            r#"value   = "f[g[x] + 1]""#,
            r#"chain.toml:9:13: index 2, expected 0..<2, on input {"A": {"f": [0, 0]}, "B": {"g": [0, 1]}, "C": {"x": 1}}"#,
        ),
        (
            r#"value   = "f[0] div x""#,
            r#"chain.toml:9:17: divisor 0, expected at least 1, on input {"A": {"f": [0, 0]}, "B": {"g": [0, 0]}, "C": {"x": 0}}"#,
        ),
        (
            r#"value   = "f[g[x]] + 1""#,
            r#"chain.toml:9:12: answer 2, expected 0..<2, on input {"A": {"f": [0, 1]}, "B": {"g": [0, 1]}, "C": {"x": 1}}"#,
        ),
    ];
    for (line, message) in rows {
        expect("chain.toml", &changed(CHAIN, VALUE, line), message);
    }
    expect(
        "chain.toml",
        &changed(CHAIN, "answers = 2\n", ""),
        "chain.toml:7:1: [task.expression] has no `answers`",
    );
}

#[test]
fn every_row_about_players_and_slots() {
    let rows = [
        (
            "A = { f = { table",
            "A = { f = { tabel",
            "chain.toml:5:26: found `tabel`, expected one of table, permutation, subset",
        ),
        (
            "x = 2",
            "x = 0",
            "chain.toml:5:96: domain 0, expected at least 1",
        ),
        (
            "x = 2",
            "f = 2",
            "chain.toml:9:12: `f` is a field of A and C; write A.f or C.f",
        ),
        (
            r#"output  = "C""#,
            r#"output  = "D""#,
            "chain.toml:4:12: unknown player `D`; players are A, B, C",
        ),
        (
            LAST,
            r#""soft B->D" = "s""#,
            "chain.toml:6:53: unknown player `D`; players are A, B, C",
        ),
        (
            LAST,
            r#""weak B->C" = "s""#,
            "chain.toml:6:53: found `weak B->C`, expected a slot like `soft A->B` or `lin A->B @1`",
        ),
        (
            LAST,
            r#""soft B->C" = "s - 3""#,
            "chain.toml:6:67: alphabet of `soft B->C @1` is 0, expected at least 1",
        ),
        (
            LAST,
            r#""soft B->C" = 1.5"#,
            "chain.toml:6:66: found a float, expected an integer or an expression in quotes",
        ),
        ("s = 3", r#"s = "t""#, "chain.toml:2:6: unknown name `t`"),
    ];
    for (from, to, message) in rows {
        expect("chain.toml", &changed(CHAIN, from, to), message);
    }
}

#[test]
fn every_row_about_a_strategy() {
    let rows = [
        (
            SAYS,
            r#""soft B->C" = "g[f[0]]""#,
            "says-sum.toml:5:18: `f` belongs to A; the sight of `soft B->C @1` is B and C",
        ),
        (
            SAYS,
            r#""soft B->C" = "g['soft A->B @1']""#,
            "says-sum.toml:5:18: `soft A->B @1` is not in the sight of `soft B->C @1`: it is computed in the same round or later",
        ),
        (
            SAYS,
            r#""lin B->C" = "g[x]""#,
            "says-sum.toml:5:2: pattern `lin B->C` matches no slot of this game",
        ),
        (
            "default = 0\n",
            "",
            "says-sum.toml:1:1: no pattern matches `soft A->B @1` (3 symbols) and there is no `default`",
        ),
        (
            r#""f[0] + f[1]""#,
            r#""f[0] + 2*f[1]""#,
            r#"says-sum.toml:4:16: `soft A->C @1` says 3, expected 0..<3, on input {"A": {"f": [1, 1]}, "B": {"g": [0, 0]}, "C": {"x": 0}}"#,
        ),
    ];
    for (from, to, message) in rows {
        expect("says-sum.toml", &changed(SAYS_SUM, from, to), message);
    }
    let both = changed(
        &changed(SAYS_SUM, "soft A->C", "soft *->C"),
        "soft B->C",
        "soft A->*",
    );
    expect(
        "says-sum.toml",
        &both,
        "says-sum.toml:5:2: `soft *->C` and `soft A->*` both match `soft A->C @1`",
    );
}

#[test]
fn every_row_about_a_claim() {
    let rows = [
        (
            "[claim.unsolvable]",
            "[claim.unsolveable]",
            "lemma7.toml:6:8: unknown claim kind `unsolveable`; did you mean `unsolvable`?",
        ),
        (
            "every-protocol-of-this-game",
            "this-protocol",
            "lemma7.toml:4:14: found `this-protocol`, expected `every-protocol-of-this-game` (kind unsolvable)",
        ),
    ];
    for (from, to, message) in rows {
        expect("lemma7.toml", &changed(LEMMA7, from, to), message);
    }
}

const HYBRID: &str = "[family.hybrid]\nsteps = 2\nstart = 2\nranges = [2, 2]\nqueries = [2]\nlayout = \"F\"\nsoft = 2\n";

#[test]
fn mistakes_in_families() {
    let epoch = format!("{HYBRID}[[family.hybrid.epoch]]\nsoft = {{}}\n");
    expect(
        "own.toml",
        &epoch,
        "own.toml:8:1: both `layout` and `epoch`, expected one of them",
    );
    let rows = [
        (
            "[2, 2]",
            "[2]",
            "own.toml:4:10: `ranges` has 1 entries, expected 2 (m_1..m_L)",
        ),
        (
            "queries = [2]",
            "queries = [2, 2]",
            "own.toml:5:11: `queries` has 2 entries, expected 1 (n_1..n_(L-1))",
        ),
        (
            "soft = 2",
            r#"soft = { "0>1" = 2 }"#,
            "own.toml:7:11: found edge `0>1`, expected a sender above its receiver (j > i)",
        ),
        (
            "soft = 2",
            r#"soft = { "1>0" = 2, "3>0" = 2 }"#,
            "own.toml:7:22: found edge `3>0`, expected players 2..-1",
        ),
        (
            "layout = \"F\"",
            "layout = \"FX\"",
            "own.toml:6:12: found `X`, expected F or R",
        ),
        (
            "soft = 2\n",
            "",
            "own.toml:1:1: [family.hybrid] has no `soft`",
        ),
        (
            "start = 2",
            "sart = 2",
            "own.toml:3:1: unknown key `sart`; did you mean `start`?",
        ),
    ];
    for (from, to, message) in rows {
        expect("own.toml", &changed(HYBRID, from, to), message);
    }
    let sparse = "[family.sparse]\nn = 4\nblock = 3\nread = 1\nsymbols = 2\n";
    expect(
        "own.toml",
        sparse,
        "own.toml:3:9: `block` 3 does not divide `n` 4",
    );
    let both = format!("{CHAIN}{HYBRID}");
    expect(
        "own.toml",
        &both,
        "own.toml:3:2: both [family] and [game], expected one of them",
    );
    expect(
        "own.toml",
        "",
        "own.toml:1:1: found no game, expected [family.X] or [game]",
    );
    expect(
        "own.toml",
        "[let]\na = 1\n",
        "own.toml:1:1: found no game, expected [family.X] or [game]",
    );
}

#[test]
fn mistakes_in_constants() {
    let cycle = changed(CHAIN, "s = 3", "s = \"t + 1\"\nt = \"s\"");
    expect(
        "own.toml",
        &cycle,
        "own.toml:2:1: constants in a cycle: `s` -> `t` -> `s`",
    );
    let show = |rest: &'static [&'static str], message: &str| {
        let arguments: Vec<&str> = ["show", "chain.toml"]
            .into_iter()
            .chain(rest.iter().copied())
            .collect();
        expect_with("chain.toml", CHAIN, &arguments, message);
    };
    show(
        &["--let", "t=3"],
        "chain.toml: unknown constant `t`; expected one of s",
    );
    show(
        &["--let", "s=x"],
        "--let s=x: expected NAME=VALUE with an integer value",
    );
    show(&["--let", "s=2", "--let", "s=3"], "--let s is given twice");
    show(
        &["--let", "s=0"],
        "chain.toml:6:29: alphabet of `soft A->B @1` is 0, expected at least 1",
    );
}

#[test]
fn a_step_limit_names_the_place_and_the_input() {
    let input = r#"on input {"A": {"f": [0, 0]}, "B": {"g": [0, 0]}, "C": {"x": 0}}"#;
    let long = changed(
        CHAIN,
        "\"f[g[x]]\"",
        "\"sum(i in 0..<2000, j in 0..<2000: i*f[0]) mod 2\"",
    );
    expect(
        "own.toml",
        &long,
        &format!(
            "own.toml:9:12: more than 1000000 steps for one evaluation (`--max-steps`), {input}"
        ),
    );
    let short = changed(CHAIN, "\"f[g[x]]\"", "\"sum(i in 0..<200: i*f[0]) mod 2\"");
    let arguments = ["show", "own.toml", "--max-steps", "100"];
    let message =
        format!("own.toml:9:12: more than 100 steps for one evaluation (`--max-steps`), {input}");
    expect_with("own.toml", &short, &arguments, &message);
}

#[test]
fn a_domain_too_large_to_enumerate_is_refused_with_its_exact_size() {
    let large = changed(
        CHAIN,
        "A = { f = { table = [2, 2] } }",
        "A = { f = { table = [80, 2] } }",
    );
    let folder = folder("chain.toml", &large);
    let ended = foolproof(
        folder.path(),
        &["check", "chain.toml", "--protocol", "says-sum.toml"],
    );
    assert_eq!(ended.code, Some(3));
    assert!(
        ended.stderr.starts_with(
            "9671406556917033397649408 full inputs, more than --max-inputs 4294967296;"
        ),
        "{}",
        ended.stderr
    );
    let ended = foolproof(folder.path(), &["show", "chain.toml"]);
    assert_eq!(ended.code, Some(0));
    assert!(
        ended
            .stdout
            .starts_with("chain.toml: 9671406556917033397649408 inputs, 2 answers"),
        "{}",
        ended.stdout
    );
}

#[test]
fn two_claims_with_one_id() {
    let arguments = ["audit", "lemma7.toml", "two.toml"];
    expect_with(
        "two.toml",
        LEMMA7,
        &arguments,
        "two.toml:1:14: the id `LEMMA-7-s1` is also that of lemma7.toml",
    );
}

#[test]
fn a_missing_file_names_the_folder_that_was_searched() {
    let claim = changed(LEMMA7, "\"chain.toml\"", "\"games/chian.toml\"");
    let message =
        "lemma7.toml:7:9: no file `games/chian.toml` in games, and no shipped one of that name";
    expect("lemma7.toml", &claim, message);
    let show =
        |name: &str, message: &str| expect_with("chain.toml", CHAIN, &["show", name], message);
    let hint = "and no shipped game of that name (see `foolproof list games`)";
    show("none.toml", &format!("no file `none.toml` in ., {hint}"));
    show(
        "sub/none.toml",
        &format!("no file `sub/none.toml` in sub, {hint}"),
    );
    let arguments = ["check", "chain.toml", "--protocol", "p.toml"];
    let message = "no file `p.toml` in ., and no shipped strategy of that name (see `foolproof list protocols`)";
    expect_with("chain.toml", CHAIN, &arguments, message);
    let message =
        "no file `BASE` in ., and no shipped claim of that id (see `foolproof list claims`)";
    expect_with("chain.toml", CHAIN, &["audit", "BASE"], message);
}

#[test]
fn unknown_keys_list_the_allowed_ones() {
    let zebra = changed(
        CHAIN,
        "[task.expression]\n",
        "zebra = 1\n[task.expression]\n",
    );
    expect(
        "chain.toml",
        &zebra,
        "chain.toml:7:1: unknown key `zebra`; expected one of players, rounds, output",
    );
    let top = format!("zebra = 1\n{CHAIN}");
    let known = "note, let, family, game, task, strategy, id, source, statement, scope, expected, control_of, claim, scheme, matrix, machine, kernel";
    expect(
        "chain.toml",
        &top,
        &format!("chain.toml:1:1: unknown key `zebra`; expected one of {known}"),
    );
    let typed = changed(CHAIN, "[task.expression]", "[task.expresion]");
    expect(
        "chain.toml",
        &typed,
        "chain.toml:7:7: unknown task `expresion`; did you mean `expression`?",
    );
    let strategy = changed(SAYS_SUM, "default", "defualt");
    expect(
        "says-sum.toml",
        &strategy,
        "says-sum.toml:2:1: unknown key `defualt`; did you mean `default`?",
    );
    let claim = changed(LEMMA7, "for  =", "four =");
    expect(
        "lemma7.toml",
        &claim,
        "lemma7.toml:8:1: unknown key `four`; did you mean `for`?",
    );
}

#[test]
fn bytes_that_are_no_text_have_a_position() {
    let folder = folder("chain.toml", CHAIN);
    fs::write(
        folder.path().join("own.toml"),
        b"note = \"a\"\n[let]\ns = \xff\n",
    )
    .unwrap();
    let ended = foolproof(folder.path(), &["show", "own.toml"]);
    assert_eq!(
        (ended.code, ended.stderr.trim_end()),
        (Some(2), "own.toml:3:5: found a byte that is not UTF-8")
    );
}

/// A key that no `[task.expression]` has was not refused when a required one was missing as well.
#[test]
fn a_misspelt_key_is_named_before_the_key_it_leaves_missing() {
    let text = changed(CHAIN, "answers = 2", "anwsers = 2");
    expect(
        "chain.toml",
        &text,
        "chain.toml:8:1: unknown key `anwsers`; did you mean `answers`?",
    );
}
