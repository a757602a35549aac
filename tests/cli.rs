//! The contract of the command line: exit codes, JSON keys, refusals, files written, the same bytes on any number of threads.
#![cfg(feature = "search")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use assert_cmd::Command;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Instant;
use tempfile::TempDir;

struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn run_in(folder: &Path, arguments: &[&str]) -> Ended {
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

/// In an empty folder.
fn run(arguments: &[&str]) -> Ended {
    run_in(TempDir::new().unwrap().path(), arguments)
}

fn json(arguments: &[&str]) -> (Option<i32>, Json) {
    let all: Vec<&str> = arguments
        .iter()
        .copied()
        .chain(["--format", "json"])
        .collect();
    let ended = run(&all);
    assert!(
        ended.stdout.ends_with("}\n") && ended.stdout.lines().count() <= 1
            || arguments[0] == "schema",
        "{}",
        ended.stdout
    );
    (ended.code, serde_json::from_str(&ended.stdout).unwrap())
}

fn keys(json: &Json) -> BTreeSet<&str> {
    json.as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// The keys of the contract, and those that every result has.
fn has(arguments: &[&str], expected: &[&str]) -> Json {
    let (code, json) = json(arguments);
    assert_eq!(code, Some(0), "{arguments:?}");
    let found = keys(&json);
    for key in expected.iter().chain(&["foolproof", "command"]) {
        assert!(
            found.contains(key),
            "{arguments:?}: no key `{key}` in {found:?}"
        );
    }
    assert_eq!(json["command"], arguments[0]);
    assert_eq!(json["foolproof"], env!("CARGO_PKG_VERSION"));
    json
}

const INPUT: &str = r#"{"2":{"z2":[0,1]},"1":{"z1":[1]}}"#;

#[test]
fn json_keys_of_every_command() {
    let audit = has(
        &["audit", "BASE-A1", "TOY-SOLVABLE"],
        &["claims", "summary"],
    );
    let claim = keys(&audit["claims"][0]);
    for key in [
        "id",
        "source",
        "statement",
        "scope",
        "verdict",
        "expected",
        "agrees",
        "witness",
        "detail",
    ] {
        assert!(claim.contains(key), "{key}");
    }
    let run = has(
        &["run", "toy-frf", "--protocol", "relay", "--input", INPUT],
        &["transcript", "ledger", "answer", "accepted"],
    );
    assert_eq!(
        keys(&run["transcript"][0]),
        ["alphabet", "bits", "slot", "symbol"].into()
    );
    assert_eq!(run["transcript"][0]["symbol"], "1");
    let check = has(
        &["check", "toy-frf", "--protocol", "relay"],
        &["verdict", "inputs", "counterexample", "pair"],
    );
    assert_eq!(
        (&check["verdict"], &check["inputs"]),
        (&"correct".into(), &"8".into())
    );
    let flow = has(
        &["flow", "toy-frf", "--of", "1", "--view=-1", "--cuts"],
        &["independent", "leak", "minimal_cuts"],
    );
    assert_eq!(flow["independent"], false);
    let same = has(&["flow", "toy-frf", "--of", "1", "--view", "1"], &["leak"]);
    assert_eq!(same["leak"], Json::Array(vec![]));
    let free = has(
        &["flow", "toy-frf", "--of", "1", "--view=-1", "--epoch", "0"],
        &["leak"],
    );
    assert_eq!(
        (&free["independent"], &free["leak"]),
        (&true.into(), &Json::Null)
    );
    let word = has(
        &["word", "FRF", "--steps", "2"],
        &["verdict", "protocol", "source"],
    );
    assert_eq!(
        (&word["verdict"], &word["protocol"]),
        (&"solvable".into(), &"relay".into())
    );
    has(&["list"], &["games", "tasks", "claims", "protocols"]);
    has(
        &["show", "toy-frf"],
        &["players", "rounds", "task", "strategy"],
    );
    has(&["new", "game", "mine"], &["file"]);
    has(&["schema", "claim"], &["$schema", "properties"]);
}

#[test]
fn keys_of_verify() {
    let folder = TempDir::new().unwrap();
    let ended = run_in(folder.path(), &["audit", "TOY-SOLVABLE", "--write", "ev"]);
    assert_eq!(ended.code, Some(0));
    let ended = run_in(folder.path(), &["verify", "ev", "--format", "json"]);
    let json: Json = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(json["rejected"], "0");
    assert_eq!(
        keys(&json["checked"][0]),
        ["at", "code", "path", "reason", "verdict"].into()
    );
}

#[test]
fn exit_codes() {
    let folder = TempDir::new().unwrap();
    let here = |arguments: &[&str]| run_in(folder.path(), arguments);
    assert_eq!(here(&["audit"]).code, Some(0));
    assert_eq!(here(&["audit", "--invert", "BASE-A0"]).code, Some(1));
    for bad in [
        &["audit", "--nonsense"][..],
        &["check", "toy-frf"],
        &["show", "no-such"],
        &["flow", "toy-frf", "--of", "9", "--view=-1"],
    ] {
        let ended = here(bad);
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(2), ""),
            "{bad:?}"
        );
        assert!(!ended.stderr.is_empty(), "{bad:?}");
    }
    assert_eq!(
        here(&[
            "check",
            "toy-frf",
            "--protocol",
            "relay",
            "--max-inputs",
            "7"
        ])
        .code,
        Some(3)
    );
    assert_eq!(here(&["--help"]).code, Some(0));
    assert_eq!(
        here(&["--version"]).stdout,
        format!("foolproof {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(here(&[]).code, Some(2));
}

#[test]
fn without_arguments_the_three_most_useful_commands_are_shown() {
    let ended = run(&[]);
    let shown: Vec<&str> = ended
        .stderr
        .lines()
        .filter(|line| line.starts_with("  foolproof "))
        .collect();
    assert_eq!(shown.len(), 3, "{}", ended.stderr);
    assert_eq!(ended.stdout, "");
}

/// Completions and manual pages know every command, since they come from the registry that parses it.
#[test]
fn completions_and_manual_pages_name_every_command() {
    let help = run(&["--help"]).stdout;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() > 15, "{commands:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell]).stdout;
        for name in &commands {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
    let folder = tempfile::TempDir::new().unwrap();
    let man = folder.path().join("man");
    assert_eq!(run(&["man", man.to_str().unwrap()]).code, Some(0));
    for name in &commands {
        let page = std::fs::read_to_string(man.join(format!("foolproof-{name}.1"))).unwrap();
        assert!(
            page.contains(".TH foolproof") && page.contains("Example"),
            "{name}: {page}"
        );
    }
    assert_eq!(std::fs::read_dir(&man).unwrap().count(), commands.len() + 1);
}

#[test]
fn over_max_inputs_nothing_is_done_and_the_exact_number_is_said() {
    let ended = run(&[
        "check",
        "toy-frf",
        "--protocol",
        "relay",
        "--max-inputs",
        "7",
    ]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(3), ""));
    assert!(
        ended
            .stderr
            .starts_with("8 full inputs, more than --max-inputs 7;"),
        "{}",
        ended.stderr
    );
    assert_eq!(
        run(&[
            "check",
            "toy-frf",
            "--protocol",
            "relay",
            "--max-inputs",
            "2^3"
        ])
        .code,
        Some(0)
    );
    let ended = run(&["audit", "TOY-SOLVABLE", "--max-inputs", "7"]);
    assert_eq!(ended.code, Some(3));
    assert!(
        ended.stdout.contains("undecided") && ended.stdout.contains('8'),
        "{}",
        ended.stdout
    );
}

#[test]
fn constants_are_overridden_from_outside() {
    let alphabet = |value: &str| {
        let (code, json) = json(&["show", "index", "--let", value]);
        assert_eq!(code, Some(0));
        json["rounds"][0][0]["alphabet"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        (
            alphabet("s=5"),
            alphabet("s=123456789012345678901234567890")
        ),
        ("5".to_owned(), "123456789012345678901234567890".to_owned())
    );
    let ended = run(&["show", "index", "--let", "q=1"]);
    assert_eq!(
        (ended.code, ended.stderr.trim_end()),
        (
            Some(2),
            "protocols/games/index.toml: unknown constant `q`; expected one of t, s"
        )
    );
}

#[test]
fn too_many_steps_of_an_expression() {
    assert_eq!(
        run(&["show", "disjointness", "--max-steps", "1000"]).code,
        Some(0)
    );
    let ended = run(&["show", "disjointness", "--max-steps", "5"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("more than 5 steps for one evaluation (`--max-steps`), on input {\"Alice\": {\"a\": [0, 0, 0]}"), "{}", ended.stderr);
}

#[test]
fn every_decided_shipped_claim_disagrees_when_it_is_inverted() {
    let (code, all) = json(&["audit"]);
    assert_eq!(code, Some(0));
    assert_eq!(all["summary"]["disagree"], "0");
    let claims = run(&["list", "claims", "--format", "json"]);
    let listed: Json = serde_json::from_str(&claims.stdout).unwrap();
    let undecided: Vec<&str> = all["claims"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|claim| claim["verdict"] == "undecided")
        .filter_map(|claim| claim["id"].as_str())
        .collect();
    assert_eq!(
        undecided,
        ["MIP-11"],
        "every other shipped claim is decided"
    );
    let mut inverted = 0;
    for claim in listed["claims"].as_array().unwrap() {
        let id = claim["name"].as_str().unwrap();
        let control = claim["about"].as_str().unwrap().starts_with("control of");
        if control || undecided.contains(&id) {
            continue;
        }
        let ended = run(&["audit", "--invert", id]);
        assert_eq!(ended.code, Some(1), "{id}: {}", ended.stdout);
        assert!(
            ended
                .stdout
                .lines()
                .filter(|line| line.starts_with(id))
                .all(|line| line.contains("  EXPECTED ")),
            "{}",
            ended.stdout
        );
        inverted += 1;
    }
    assert!(inverted > 70, "{inverted}");
}

const HEAD: &str =
    "id = \"A\"\nsource = \"x\"\nstatement = \"x\"\nscope = \"every-protocol-of-this-game\"\n";

fn write_claim(folder: &Path, id: &str, rest: &str) {
    let text = format!("{}{rest}\n", HEAD.replace("\"A\"", &format!("\"{id}\"")));
    fs::write(folder.join(format!("{id}.toml")), text).unwrap();
}

#[test]
fn a_control_that_agrees_makes_audit_fail() {
    let folder = TempDir::new().unwrap();
    let claim = |id: &str, expected: &str, control: &str| {
        write_claim(
            folder.path(),
            id,
            &format!("expected = \"{expected}\"\n{control}[claim.solvable]\ngame = \"toy-frf\""),
        );
    };
    claim("A", "established", "");
    claim("A-CONTROL", "refuted", "control_of = \"A\"\n");
    let ended = run_in(folder.path(), &["audit", "."]);
    assert_eq!(ended.code, Some(0), "{}", ended.stdout);
    assert!(
        ended
            .stdout
            .contains("1 claim, 1 agree; 1 of 1 control caught"),
        "{}",
        ended.stdout
    );
    claim("A-CONTROL", "established", "control_of = \"A\"\n");
    let ended = run_in(folder.path(), &["audit", "."]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stdout.contains("CONTROL OF A AGREES"),
        "{}",
        ended.stdout
    );
}

#[test]
fn an_expected_undecided_agrees_without_a_decision_and_not_with_one() {
    let folder = TempDir::new().unwrap();
    // Three is proved to be needed, nothing is known to suffice.
    let open = HEAD
        .replace("\"A\"", "\"OPEN\"")
        .replace("every-protocol-of-this-game", "this-parameter-point")
        + "expected = \"undecided\"\n[claim.rank]\nbits = 6\nlength = 3\nrank = 3\n";
    fs::write(folder.path().join("OPEN.toml"), open).unwrap();
    let ended = run_in(folder.path(), &["audit", "OPEN.toml"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stdout);
    assert!(ended.stdout.contains("undecided"), "{}", ended.stdout);
    write_claim(
        folder.path(),
        "NEWS",
        "expected = \"undecided\"\n[claim.solvable]\ngame = \"greater-than\"",
    );
    assert_eq!(run_in(folder.path(), &["audit", "NEWS.toml"]).code, Some(1));
}

/// A clique of exactly as many members as symbols was offered as evidence, which the verifier rejected: exit 4.
#[test]
fn a_clique_as_large_as_the_alphabet_proves_nothing() {
    let ended = run(&["audit", "POINTER-BACKWARD-UPPER"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert!(ended.stdout.contains("established"), "{}", ended.stdout);
}

#[test]
fn a_folder_and_a_file_in_it_are_one_claim() {
    let folder = TempDir::new().unwrap();
    write_claim(
        folder.path(),
        "A",
        "expected = \"established\"\n[claim.solvable]\ngame = \"toy-frf\"",
    );
    let ended = run_in(folder.path(), &["audit", ".", "./A.toml"]);
    assert!(
        ended.stdout.contains("1 claim, 1 agree"),
        "{}{}",
        ended.stdout,
        ended.stderr
    );
}

#[test]
fn evidence_is_written_whole_beside_the_claim_or_where_one_says() {
    let folder = TempDir::new().unwrap();
    write_claim(
        folder.path(),
        "A",
        "expected = \"established\"\n[claim.solvable]\ngame = \"toy-frf\"",
    );
    fs::create_dir(folder.path().join("claims")).unwrap();
    fs::rename(
        folder.path().join("A.toml"),
        folder.path().join("claims/A.toml"),
    )
    .unwrap();
    let names = |inner: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(folder.path().join(inner)).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    assert_eq!(
        run_in(folder.path(), &["audit", "claims/A.toml"]).code,
        Some(0)
    );
    assert_eq!(
        names("claims"),
        ["A.json", "A.toml"].map(str::to_owned).into()
    );
    let first = fs::read(folder.path().join("claims/A.json")).unwrap();
    assert_eq!(
        run_in(folder.path(), &["audit", "claims", "--write", "deep/ev"]).code,
        Some(0)
    );
    assert_eq!(names("deep/ev"), ["A.json".to_owned()].into());
    assert_eq!(
        fs::read(folder.path().join("deep/ev/A.json")).unwrap(),
        first
    );
    assert_eq!(
        run_in(folder.path(), &["verify", "deep", "claims/A.json"]).code,
        Some(0)
    );
    fs::write(
        folder.path().join("claims/A.json"),
        &first[..first.len() / 2],
    )
    .unwrap();
    assert_eq!(
        run_in(folder.path(), &["verify", "claims/A.json"]).code,
        Some(1)
    );
    assert_eq!(run_in(folder.path(), &["verify", "nowhere"]).code, Some(2));
    // A folder cannot be replaced: an error, and nothing half written.
    fs::remove_file(folder.path().join("claims/A.json")).unwrap();
    fs::create_dir_all(folder.path().join("claims/A.json/x")).unwrap();
    let ended = run_in(folder.path(), &["audit", "claims/A.toml"]);
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(2), ""),
        "{}",
        ended.stderr
    );
    assert_eq!(
        names("claims"),
        ["A.json", "A.toml"].map(str::to_owned).into()
    );
}

#[test]
fn input_that_is_wrong_says_where() {
    let message = |input: &str, expected: &str| {
        let ended = run(&["run", "toy-frf", "--protocol", "relay", "--input", input]);
        assert_eq!(
            (ended.code, ended.stdout.as_str(), ended.stderr.trim_end()),
            (Some(2), "", expected)
        );
    };
    message("{\"2\": [0,1], }", "--input:1:14: trailing comma");
    message("{\"2\":\n [0,1}", "--input:2:6: expected `,` or `]`");
    message(
        "[1]",
        "--input: found [1], expected an object from player labels",
    );
    message("{\"2\":[0,1]}", "--input: no input for player 1");
    message(
        "{\"2\":[0,1],\"1\":[2]}",
        "--input: 1: found [2], expected an element of { z1 = { table = [1, 2] } }",
    );
    message(
        "{\"2\":[0,1],\"1\":{\"z\":1}}",
        "--input: 1: unknown field `z`; expected one of z1",
    );
    message(
        "{\"2\":[0,1],\"1\":[1.5]}",
        "--input: 1: found 1.5, expected a number of at least 0",
    );
    message(
        "{\"2\":[0,1],\"7\":[1]}",
        "--input: unknown player `7`; expected one of 2, 1, 0, -1",
    );
}

#[test]
fn no_colour_and_no_progress_without_a_terminal() {
    for arguments in [
        &["audit"][..],
        &["check", "composition", "--protocol", "lookup"],
        &["list"],
        &["show", "chain"],
        &["--help"],
        &["check", "--help"],
    ] {
        let plain = run(arguments);
        let folder = TempDir::new().unwrap();
        let output = Command::cargo_bin("foolproof")
            .unwrap()
            .current_dir(folder.path())
            .env("NO_COLOR", "1")
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(plain.stdout.as_bytes(), output.stdout);
        assert!(
            !plain.stdout.contains('\u{1b}') && !plain.stderr.contains('\u{1b}'),
            "{arguments:?}"
        );
    }
}

/// The lines of the examples under a help text.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Example"));
    lines
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with("foolproof"))
        .map(str::to_owned)
        .collect()
}

/// Words of a shell line: blanks, single quotes, `&&` and `>` left as words.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn the_examples_of_every_help_text_run() {
    let folder = TempDir::new().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::create_dir(folder.path().join("witnesses")).unwrap();
    fs::copy(
        root.join("witnesses/TOY-SOLVABLE.json"),
        folder.path().join("witnesses/TOY-SOLVABLE.json"),
    )
    .unwrap();
    fs::create_dir(folder.path().join("my-claims")).unwrap();
    write_claim(
        &folder.path().join("my-claims"),
        "A",
        "expected = \"established\"\n[claim.solvable]\ngame = \"toy-frf\"",
    );
    let mut count = 0;
    for command in [
        "", "audit", "run", "check", "flow", "word", "verify", "list", "show", "new", "schema",
    ] {
        let help = run(&[command, "--help"]
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>());
        assert_eq!(help.code, Some(0));
        let examples = examples(&help.stdout);
        assert!(!examples.is_empty(), "{command}");
        for example in examples {
            for part in example.split(" && ") {
                let part = part.split(" > ").next().unwrap();
                // A remark stands behind two blanks.
                let part = part.split("  ").next().unwrap();
                let words = words(part);
                let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
                let expected = i32::from(arguments.contains(&"--invert"));
                let ended = run_in(folder.path(), &arguments);
                assert_eq!(ended.code, Some(expected), "{part}: {}", ended.stderr);
                count += 1;
            }
        }
    }
    assert!(count >= 14, "{count}");
}

#[test]
fn the_layout_of_the_paper_is_answered_without_unrolling_it() {
    let start = Instant::now();
    let ended = run(&[
        "flow",
        "paper-l4",
        "--of",
        "1",
        "--view=-1",
        "--epoch",
        "1",
        "--pin",
        "soft 1->-1",
    ]);
    let spent = start.elapsed();
    assert_eq!(ended.code, Some(0));
    assert!(ended.stdout.starts_with("independent:"), "{}", ended.stdout);
    // Typically 5 ms; the factor is for a loaded machine.
    assert!(spent.as_millis() < 1000, "{spent:?}");
    let ended = run(&["flow", "paper-l4", "--of", "1", "--view=-1", "--cuts"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(3), ""));
    assert!(
        ended
            .stderr
            .starts_with("4222124650659900 slots: --cuts lists cuts for at most"),
        "{}",
        ended.stderr
    );
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    for arguments in [
        // The whole audit is compared with the release binary, in CI.
        &["audit", "--paper", "hybrid-v1"][..],
        &["audit", "--paper", "hybrid-v1", "--format", "json"],
        &["check", "hybrid-frf", "--protocol", "lookup"],
        &[
            "check",
            "composition-pass",
            "--protocol",
            "halves.toml",
            "--format",
            "json",
        ],
    ] {
        let folder = TempDir::new().unwrap();
        fs::copy(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/halves.toml"),
            folder.path().join("halves.toml"),
        )
        .unwrap();
        let output = |threads: &str| {
            let all: Vec<&str> = arguments
                .iter()
                .copied()
                .chain(["--threads", threads])
                .collect();
            let ended = run_in(folder.path(), &all);
            (ended.code, ended.stdout, ended.stderr)
        };
        let one = output("1");
        assert!(
            ["2", "4", "8"].iter().all(|threads| output(threads) == one),
            "{arguments:?}"
        );
    }
}

#[test]
fn from_an_empty_folder_to_a_verdict_on_an_own_game() {
    let folder = TempDir::new().unwrap();
    for kind in ["game", "claim"] {
        let ended = run_in(folder.path(), &["new", kind, kind]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let again = run_in(folder.path(), &["new", kind, kind]);
        assert_eq!(
            (again.code, again.stdout.as_str()),
            (Some(2), ""),
            "an existing file is kept"
        );
    }
    assert_eq!(run_in(folder.path(), &["show", "game.toml"]).code, Some(0));
    let ended = run_in(
        folder.path(),
        &["check", "game.toml", "--protocol", "game.toml"],
    );
    assert!(
        ended.stdout.starts_with("wrong: indistinguishable pair"),
        "{}",
        ended.stdout
    );
    let ended = run_in(folder.path(), &["audit", "claim.toml"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(
        run_in(folder.path(), &["verify", "claim.json"]).code,
        Some(0)
    );
    assert_eq!(
        run_in(folder.path(), &["new", "game", "../x"]).code,
        Some(2)
    );
    // A claim with its own game in twelve lines, and three commands.
    let own = "id = \"OWN\"
source = \"me\"
statement = \"Two symbols do not tell which of three numbers Alice holds.\"
scope = \"every-protocol-of-this-game\"
expected = \"established\"
[claim.unsolvable]
[game]
output = \"Bob\"
players = [{ Alice = { x = 3 } }, { Bob = {} }]
rounds = [{ \"lin Alice->Bob\" = 2 }]
[task.expression]
answers = 3\nvalue = \"x\"\n";
    assert!(own.lines().count() <= 13);
    fs::write(folder.path().join("own.toml"), own).unwrap();
    for arguments in [
        &["show", "own.toml"][..],
        &["audit", "own.toml"],
        &["verify", "OWN.json"],
    ] {
        let ended = run_in(folder.path(), arguments);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
}

#[test]
fn a_long_task_is_announced_before_it_is_evaluated() {
    let folder = TempDir::new().unwrap();
    let game = |range: &str, value: &str| {
        format!(
            "[family.one_way]\nsymbols = 2\nalice = {{ x = {range} }}\nbob = {{ y = 2 }}\n[task.expression]\nanswers = 2\nvalue = \"{value}\"\n"
        )
    };
    fs::write(
        folder.path().join("long.toml"),
        game("3000", "sum(i in 0..<10000: x*i) mod 2"),
    )
    .unwrap();
    fs::write(
        folder.path().join("short.toml"),
        game("3000", "sum(i in 0..<100: x*i) mod 2"),
    )
    .unwrap();
    fs::write(folder.path().join("large.toml"), game("10^9", "x mod 2")).unwrap();
    let ended = run_in(folder.path(), &["show", "short.toml"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    // The step limit ends it at once: the note came first.
    let ended = run_in(
        folder.path(),
        &["show", "long.toml", "--max-steps", "20000"],
    );
    let mut lines = ended.stderr.lines();
    assert_eq!(
        lines.next(),
        Some("long.toml: the task is evaluated on 6000 inputs, at most 120000000 steps in all")
    );
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("long.toml:7:10: more than 20000 steps"),
        "{}",
        ended.stderr
    );
    // Nothing is evaluated by `show` when there are more than 2^20 inputs.
    let large = fs::read_to_string(folder.path().join("large.toml"))
        .unwrap()
        .replace("10^9", "\"10^9\"");
    fs::write(folder.path().join("large.toml"), large).unwrap();
    let ended = run_in(folder.path(), &["show", "large.toml"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert!(
        ended.stdout.starts_with("large.toml: 2000000000 inputs"),
        "{}",
        ended.stdout
    );
    fs::write(
        folder.path().join("p.toml"),
        "[strategy.expression]\ndefault = 0\nanswer = 0\n",
    )
    .unwrap();
    let ended = run_in(
        folder.path(),
        &["check", "large.toml", "--protocol", "p.toml"],
    );
    assert_eq!(
        ended.stderr.trim_end(),
        "large.toml: the task is evaluated on 2000000000 inputs, at most 6000000000 steps in all"
    );
    assert_eq!(ended.code, Some(0));
    assert!(
        ended.stdout.starts_with("wrong: counterexample"),
        "{}",
        ended.stdout
    );
}

/// A million inputs in well under a second when optimised (0.13 s); the factor is for the build of the tests.
#[test]
fn a_million_inputs_are_tabulated_quickly() {
    let folder = TempDir::new().unwrap();
    let game = "[family.one_way]\nsymbols = 2\nalice = { f = { table = [3, 100] } }\nbob = { x = 1 }\n[task.expression]\nanswers = 100\nvalue = \"(f[0]*7 + f[1]*f[2] + x) mod 100\"\n";
    fs::write(folder.path().join("million.toml"), game).unwrap();
    let start = Instant::now();
    let ended = run_in(folder.path(), &["show", "million.toml"]);
    let spent = start.elapsed();
    assert!(
        ended.stdout.starts_with("million.toml: 1000000 inputs"),
        "{}",
        ended.stderr
    );
    assert!(spent.as_secs() < 30, "{spent:?}");
}

#[test]
fn a_stopped_check_says_what_it_covered() {
    let folder = TempDir::new().unwrap();
    let game = "[family.one_way]\nsymbols = 2\nalice = { f = { table = [30, 2] } }\nbob = { x = 1 }\n[task.expression]\nanswers = 1\nvalue = \"0\"\n";
    fs::write(folder.path().join("g.toml"), game).unwrap();
    fs::write(
        folder.path().join("p.toml"),
        "[strategy.expression]\ndefault = 0\nanswer = 0\n",
    )
    .unwrap();
    let ended = run_in(
        folder.path(),
        &[
            "check",
            "g.toml",
            "--protocol",
            "p.toml",
            "--limit-seconds",
            "1",
            "--format",
            "json",
        ],
    );
    assert_eq!(ended.code, Some(3));
    let json: Json = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        (&json["verdict"], &json["inputs"]),
        (&"undecided".into(), &"1073741824".into())
    );
    assert!(json["covered"].is_string());
}
