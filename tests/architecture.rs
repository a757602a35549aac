//! The import table of ARCHITECTURE.md, and the invariants by absence, checked on the source text.

use std::fs;
use std::path::{Path, PathBuf};

/// All modules, each before those that may import it.
const ORDER: &[&str] = &[
    "exact",
    "game",
    "task",
    "family",
    "strategy",
    "structure",
    "encode",
    "matrix",
    "reduction",
    "params",
    "need",
    "derive",
    "models",
    "rank",
    "spec",
    "claim",
    "witness",
    "verify",
    "search",
    "audit",
    "process",
    "report",
];

/// The first modules of the order.
const fn first(count: usize) -> &'static [&'static str] {
    ORDER.split_at(count).0
}

const MATHEMATICS: &[&str] = first(14);
const STATEMENT: &[&str] = first(17);

/// What each module may import of ours, besides itself. Everything absent is forbidden.
const TABLE: &[(&str, &[&str])] = &[
    ("exact", &[]),
    ("game", &["exact"]),
    ("task", &["exact", "game"]),
    ("family", &["exact", "game"]),
    ("strategy", &["exact", "game"]),
    ("structure", &["exact", "game", "task"]),
    ("encode", &["exact", "game", "task", "structure"]),
    ("matrix", &["exact"]),
    ("reduction", &["exact"]),
    ("params", &["exact"]),
    ("need", &["exact", "params"]),
    ("derive", &["exact", "params", "need"]),
    ("models", &["exact", "family", "need", "derive"]),
    ("rank", &["exact"]),
    ("spec", MATHEMATICS),
    ("claim", first(15)),
    ("witness", first(16)),
    ("verify", STATEMENT),
    ("search", STATEMENT),
    ("audit", first(19)),
    ("process", &["models"]),
    (
        "report",
        &[
            "exact",
            "game",
            "task",
            "structure",
            "matrix",
            "spec",
            "claim",
            "witness",
            "derive",
            "verify",
        ],
    ),
    ("cli", ORDER),
];

/// The statement half: trusted, so no threads, no hash maps, no search.
const TRUSTED: &[&str] = STATEMENT;

/// The module, at the grain of the table, of a path such as `game::task::two_sum` or `evidence::Claim`.
fn module(path: &str) -> Option<&'static str> {
    let parts: Vec<&str> = path.split("::").collect();
    let inner = parts.get(1).copied().unwrap_or("");
    Some(match parts[0] {
        "exact" => "exact",
        "game" => match inner {
            "task" | "Task" | "TaskError" | "Accepted" => "task",
            "family" => "family",
            "strategy" => "strategy",
            "structure" => "structure",
            "encode" => "encode",
            _ => "game",
        },
        "bounds" => match inner {
            "params" => "params",
            "derive" => "derive",
            _ => "need",
        },
        // A child process needs threads and a clock: not of the statement half.
        "models" => match inner {
            "process" => "process",
            _ => "models",
        },
        "rank" => "rank",
        "matrix" => "matrix",
        "reduction" => "reduction",
        "file" => "spec",
        "evidence" => match inner {
            "verify" | "Checked" | "Outcome" => "verify",
            "witness" | "item" | "ranges" | "exact" | "external" | "Witness" | "Evidence" => {
                "witness"
            }
            _ => "claim",
        },
        "search" => "search",
        "audit" => "audit",
        "report" => "report",
        "cli" => "cli",
        _ => return None,
    })
}

fn module_of_file(file: &Path) -> Option<&'static str> {
    let inside = file.strip_prefix("src").unwrap_or(file).with_extension("");
    let path = inside.to_string_lossy().replace(['/', '\\'], "::");
    module(path.trim_end_matches("::mod"))
}

/// The text without comments and string literals, line numbers kept.
fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '"' => {
                while let Some(inside) = chars.next() {
                    match inside {
                        '\\' => {
                            chars.next();
                        }
                        '"' => break,
                        '\n' => out.push('\n'),
                        _ => {}
                    }
                }
                out.push_str("\"\"");
            }
            _ => out.push(c),
        }
    }
    out
}

/// Every path `crate::a::b` in the code, groups `crate::{a, b::c}` taken apart, with its line.
fn imports(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        for path in expand(&code[at + "crate::".len()..]) {
            found.push((line, path));
        }
    }
    found
}

/// The paths that begin a text after `crate::`, two segments deep.
fn expand(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else {
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
            .unwrap_or(rest.len());
        let head = rest[..end].trim_end_matches(':');
        // `crate::game::{Task, ..}` names what is in the group, too.
        return match rest[end..]
            .strip_prefix('{')
            .filter(|_| rest[..end].ends_with("::"))
        {
            Some(inner) => split(inner)
                .into_iter()
                .map(|item| format!("{head}::{item}"))
                .collect(),
            None => vec![head.to_owned()],
        };
    };
    split(group).iter().flat_map(|item| expand(item)).collect()
}

/// The items of a group up to its closing brace.
fn split(group: &str) -> Vec<String> {
    let (mut depth, mut items, mut item) = (0, Vec::new(), String::new());
    for c in group.chars() {
        match c {
            '}' if depth == 0 => break,
            ',' if depth == 0 => items.push(std::mem::take(&mut item)),
            _ => {
                depth += i32::from(c == '{') - i32::from(c == '}');
                item.push(c);
            }
        }
    }
    items.push(item);
    items
        .into_iter()
        .map(|item| item.split_whitespace().collect::<String>())
        .filter(|item| !item.is_empty())
        .collect()
}

/// Forbidden imports of one file, as `file:line: message`.
fn violations(file: &Path, text: &str) -> Vec<String> {
    let Some(own) = module_of_file(file) else {
        return Vec::new();
    };
    let allowed = TABLE
        .iter()
        .find(|(name, _)| *name == own)
        .map_or(&[] as &[&str], |(_, allowed)| *allowed);
    imports(&code(text))
        .into_iter()
        .filter_map(|(line, path)| {
            let used = module(&path)?;
            (used != own && !allowed.contains(&used)).then(|| {
                format!(
                    "{}:{line}: {own} may not import {used} (crate::{path})",
                    file.display()
                )
            })
        })
        .collect()
}

fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        let mut entries: Vec<PathBuf> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(Path::new("src"), &mut found);
    assert!(found.len() > 50, "run from the package root");
    found
}

/// Unit tests may look at anything.
fn is_test(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str() == "tests")
        || file.ends_with("tests.rs")
        || file.ends_with("fixtures.rs")
}

/// The code of a file before its unit tests.
fn without_tests(text: &str) -> &str {
    text.find("#[cfg(test)]").map_or(text, |at| &text[..at])
}

#[test]
fn the_import_table_holds() {
    let all: Vec<String> = sources()
        .iter()
        .filter(|(file, _)| {
            !is_test(file)
                && file
                    .file_name()
                    .is_some_and(|name| name != "lib.rs" && name != "main.rs")
        })
        // `game/mod.rs` gives the core types of its sub-modules their short names.
        .filter(|(file, _)| !file.ends_with("game/mod.rs"))
        .flat_map(|(file, text)| violations(file, without_tests(text)))
        .collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn a_planted_violation_is_reported_with_file_and_line() {
    let planted = "//! Planted.\nuse crate::game::{\n    Game, SlotId,\n};\n// crate::search in a comment is fine\nuse crate::search::check;\n";
    let file = Path::new("src/evidence/verify/planted.rs");
    let found = violations(file, planted);
    assert_eq!(
        found,
        ["src/evidence/verify/planted.rs:6: verify may not import search (crate::search::check)"]
    );
    let found = violations(
        Path::new("src/game/strategy/planted.rs"),
        "use crate::{exact::Form, game::{family::hybrid, Task}};",
    );
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        violations(
            Path::new("src/exact/planted.rs"),
            "fn f(x: crate::game::Game) {}"
        )
        .len()
            == 1
    );
}

#[test]
fn search_and_verify_never_meet() {
    for (name, allowed) in TABLE {
        if *name == "verify" {
            assert!(!allowed.contains(&"search"));
        }
        if *name == "search" {
            assert!(!allowed.contains(&"verify"));
        }
    }
}

/// Words that must not occur in some part of the code, and why.
#[test]
fn invariants_by_absence() {
    let mut found = Vec::new();
    for (file, text) in sources() {
        let code = code(without_tests(&text));
        let own = module_of_file(&file);
        let trusted = own.is_some_and(|own| TRUSTED.contains(&own) || own == "verify");
        let mut forbid = |words: &[&str], why: &str| {
            for (number, line) in code.lines().enumerate() {
                for word in words {
                    let hit = line.match_indices(word).any(|(at, _)| {
                        let edge =
                            |c: Option<char>| c.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
                        edge(line[..at].chars().next_back())
                            && edge(line[at + word.len()..].chars().next())
                    });
                    if hit && !is_test(&file) {
                        found.push(format!(
                            "{}:{}: {why}: `{word}`",
                            file.display(),
                            number + 1
                        ));
                    }
                }
            }
        };
        // Declared IEEE steps, compared as bit patterns; nothing else has floats.
        if !file.ends_with("models/ieee.rs") {
            forbid(&["f32", "f64"], "no float decides anything");
        }
        forbid(&["super::super"], "it would dodge the import table");
        forbid(&["SystemTime"], "no clock in a result");
        if trusted {
            forbid(
                &["HashMap", "HashSet", "rayon", "thread", "Instant"],
                "statement code has no hash order, threads or clocks",
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn families_are_told_apart_in_one_file() {
    let variants = [
        "Family::Hybrid",
        "Family::OneWay",
        "Family::ChainOfThought",
        "Family::Streaming",
        "Family::Sparse",
        "Family::PointerChasing",
    ];
    let files: Vec<String> = sources()
        .iter()
        .filter(|(_, text)| variants.iter().any(|variant| code(text).contains(variant)))
        .map(|(file, _)| file.display().to_string())
        .collect();
    assert!(
        files.is_empty(),
        "`match` on the family belongs to src/file/families.rs (as `Self::..`), found in {files:?}"
    );
}

/// Not a rule: printed, so that growth of the trusted half is seen (`cargo test --test architecture -- --nocapture`).
#[test]
fn size_of_the_trusted_half() {
    let (mut trusted, mut other) = (0, 0);
    for (file, text) in sources() {
        let lines = without_tests(&text).lines().count();
        match module_of_file(&file) {
            Some(own) if TRUSTED.contains(&own) || own == "verify" => trusted += lines,
            _ => other += lines,
        }
    }
    println!("statement half {trusted} lines, the rest {other} lines");
    assert!(trusted > 0 && other > 0);
}

/// The paragraphs that follow a line `# Source` in the doc comments of a file, with the line number of the heading.
fn source_paragraphs(text: &str) -> Vec<(usize, String)> {
    let comment = |line: &str| {
        let line = line.trim_start();
        let rest = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))?;
        Some(rest.trim().to_owned())
    };
    let lines: Vec<Option<String>> = text.lines().map(comment).collect();
    (0..lines.len())
        .filter(|at| lines[*at].as_deref() == Some("# Source"))
        .map(|at| {
            let paragraph: Vec<&str> = lines[at + 1..]
                .iter()
                .map_while(Option::as_deref)
                .take_while(|line| !line.is_empty() && !line.starts_with('#'))
                .collect();
            (at + 1, paragraph.join(" "))
        })
        .collect()
}

/// What is wrong with a source paragraph, if something is: it cites a key that `docs/sources.toml` has, or says what is derived.
fn source_fault(paragraph: &str, keys: &[String]) -> Option<String> {
    let looks_like_key = |word: &&str| {
        let (name, version) = word.rsplit_once('-').unwrap_or((word, ""));
        let digits = version.strip_prefix('v').unwrap_or(version);
        !name.is_empty() && !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    };
    let cited: Vec<&str> = paragraph
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(looks_like_key)
        .collect();
    if let Some(unknown) = cited.iter().find(|key| !keys.iter().any(|k| k == *key)) {
        return Some(format!("`{unknown}` is not in docs/sources.toml"));
    }
    let derived = paragraph.to_lowercase().contains("derived");
    (cited.is_empty() && !derived).then(|| format!("neither a source nor `Derived`: {paragraph}"))
}

#[test]
fn sources_in_the_documentation_are_known() {
    let table: toml::Table = fs::read_to_string("docs/sources.toml")
        .unwrap()
        .parse()
        .unwrap();
    let keys: Vec<String> = table.keys().cloned().collect();
    let mut faults = Vec::new();
    for (file, text) in sources() {
        for (line, paragraph) in source_paragraphs(&text) {
            if let Some(fault) = source_fault(&paragraph, &keys) {
                faults.push(format!("{}:{line}: {fault}", file.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // The control: the test sees what it is there for.
    let control = "/// A bound.\n///\n/// # Source\n/// `hybrid-v9`, Theorem 1.\nfn f() {}";
    let found = source_paragraphs(control);
    assert_eq!(found, [(3, "`hybrid-v9`, Theorem 1.".to_owned())]);
    assert!(source_fault(&found[0].1, &keys).is_some());
    assert!(source_fault("The paper.", &keys).is_some());
}
