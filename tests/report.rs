//! The page against the JSON: every verdict, every number; its size and time; what it says when evidence is missing or wrong.
#![cfg(feature = "search")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn foolproof(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_foolproof"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap()
}

fn json(output: &Output) -> Json {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The text between tags, without styles and scripts; tags become blanks.
fn text(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        out += before;
        out.push(' ');
        let (name, after) = tag.split_once('>').unwrap();
        rest = after;
        for skipped in ["style", "script"] {
            if name == skipped {
                rest = after.split_once(&format!("</{skipped}>")).unwrap().1;
            }
        }
    }
    out += rest;
    out.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

/// All runs of digits.
fn numbers(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Numbers of a section that are not in the data of its claim; rounds are counted from 1.
fn strangers(section: &str, claim: &Json) -> Vec<String> {
    let mut known = numbers(&claim.to_string());
    for figure in claim["figures"].as_array().unwrap() {
        let rounds = figure["data"]["rounds"]
            .as_str()
            .and_then(|text| text.parse().ok());
        let after = figure["data"]["after"].as_u64();
        known.extend((1..=rounds.or(after).unwrap_or(0)).map(|round| round.to_string()));
    }
    numbers(section).difference(&known).cloned().collect()
}

/// The sections by id, each without its last part, which repeats the evidence file.
fn sections(html: &str) -> BTreeMap<String, (String, String)> {
    html.split("<article id=\"")
        .skip(1)
        .map(|part| {
            let (id, body) = part.split_once("\">").unwrap();
            let body = body.split("</article>").next().unwrap();
            let (shown, again) = body.split_once("<details>").unwrap_or((body, ""));
            (id.to_owned(), (text(shown), again.to_owned()))
        })
        .collect()
}

#[test]
fn every_number_on_the_page_equals_the_json() {
    let folder = TempDir::new().unwrap();
    let output = foolproof(
        folder.path(),
        &["report", "--out", "page.html", "--format", "json"],
    );
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let data = json(&output);
    let html = fs::read_to_string(folder.path().join("page.html")).unwrap();
    let audit = json(&foolproof(folder.path(), &["audit", "--format", "json"]));
    same_verdicts(&data, &audit);
    let sections = sections(&html);
    let claims = data["claims"].as_array().unwrap();
    assert_eq!(sections.len(), claims.len());
    let mut unknown = Vec::new();
    for claim in claims {
        let id = claim["id"].as_str().unwrap();
        let (shown, again) = &sections[id];
        let odd = strangers(shown, claim);
        if !odd.is_empty() {
            unknown.push(format!("{id}: {odd:?}"));
        }
        assert!(
            shown.contains(claim["verdict"].as_str().unwrap())
                && shown.contains(claim["detail"].as_str().unwrap()),
            "{id}"
        );
        if claim["verdict"] != "undecided" {
            same_evidence(id, again);
        }
        // A number that was changed would be seen.
        assert_eq!(
            strangers(&format!("{shown} 987654321"), claim),
            ["987654321"]
        );
    }
    assert!(
        unknown.is_empty(),
        "on the page, not in the JSON: {unknown:#?}"
    );
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    let overview = text(
        html.split_once("<section id=\"overview\">")
            .unwrap()
            .1
            .split_once("</section>")
            .unwrap()
            .0,
    );
    assert!(
        !data["overview"].as_array().unwrap().is_empty() && overview.contains("Shortest prompts")
    );
    let known = numbers(&data["overview"].to_string());
    assert!(numbers(&overview).is_subset(&known), "{overview}");
    let said = String::from_utf8(output.stderr).unwrap();
    let built: u64 = said
        .trim()
        .strip_suffix(" ms")
        .unwrap()
        .rsplit(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(built < 2_000, "{said}");
}

/// The page's data and the audit agree on every claim.
fn same_verdicts(data: &Json, audit: &Json) {
    let by_id = |list: &Json| -> BTreeMap<String, Json> {
        let list = list.as_array().unwrap().iter();
        list.map(|claim| (claim["id"].as_str().unwrap().to_owned(), claim.clone()))
            .collect()
    };
    let shown = by_id(&data["claims"]);
    let mut audited = by_id(&audit["claims"]);
    audited.extend(by_id(&audit["controls"]));
    assert_eq!(
        shown.keys().collect::<Vec<_>>(),
        audited.keys().collect::<Vec<_>>()
    );
    for (id, claim) in &audited {
        // What a search says about an undecided claim is not in any evidence.
        let decided = claim["verdict"] != "undecided";
        for key in [
            "source",
            "statement",
            "scope",
            "verdict",
            "expected",
            "agrees",
            "detail",
        ] {
            if decided || key != "detail" {
                assert_eq!(shown[id][key], claim[key], "{id}: {key}");
            }
        }
    }
    for key in ["claims", "agree", "disagree", "controls", "caught"] {
        assert_eq!(data["summary"][key], audit["summary"][key], "{key}");
    }
}

/// The evidence that is repeated on the page is that of the file.
fn same_evidence(id: &str, again: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("witnesses")
        .join(format!("{id}.json"));
    let witness: Json = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert!(
        again.contains(&format!("foolproof verify witnesses/{id}.json")),
        "{id}"
    );
    match again.split_once("<pre class=\"data\">") {
        Some((_, shown)) => {
            let shown: Json =
                serde_json::from_str(text(shown.split("</pre>").next().unwrap()).trim()).unwrap();
            assert_eq!(shown, witness["evidence"], "{id}");
        }
        None => assert!(
            again.contains(&format!(
                "{} characters",
                witness["evidence"].to_string().len()
            )),
            "{id}"
        ),
    }
}

#[test]
fn the_page_needs_nothing_but_itself() {
    let folder = TempDir::new().unwrap();
    let output = foolproof(
        folder.path(),
        &["report", "BASE-A1", "FF-LOOKUP", "--out", "page.html"],
    );
    assert!(output.status.success());
    let html = fs::read_to_string(folder.path().join("page.html")).unwrap();
    for word in [
        "http:", "https:", "src=", "@import", "url(", "/tmp", "/root", "/home",
    ] {
        assert!(!html.contains(word), "{word}");
    }
    assert_eq!(html.matches("<article ").count(), 2);
    // The same bytes again.
    foolproof(
        folder.path(),
        &[
            "report",
            "BASE-A1",
            "FF-LOOKUP",
            "--out",
            "again.html",
            "--threads",
            "3",
        ],
    );
    assert_eq!(
        html,
        fs::read_to_string(folder.path().join("again.html")).unwrap()
    );
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        2,
        "nothing else was left behind"
    );
}

#[test]
fn claims_of_ones_own() {
    let folder = TempDir::new().unwrap();
    let run = |arguments: &[&str]| foolproof(folder.path(), arguments);
    assert!(run(&["new", "claim", "mine"]).status.success());
    // Without evidence the claim is undecided, which is not an answer.
    let before = run(&[
        "report",
        "mine.toml",
        "--out",
        "page.html",
        "--format",
        "json",
    ]);
    assert_eq!(
        (before.status.code(), &json(&before)["claims"][0]["verdict"]),
        (Some(3), &Json::from("undecided"))
    );
    assert!(run(&["audit", "mine.toml"]).status.success());
    let after = run(&[
        "report",
        "mine.toml",
        "--out",
        "page.html",
        "--format",
        "json",
    ]);
    assert_eq!(
        (after.status.code(), &json(&after)["claims"][0]["verdict"]),
        (Some(0), &Json::from("established"))
    );
    let html = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(
        html.contains("foolproof verify mine.json") && html.contains("foolproof audit mine.toml")
    );
    // Evidence about an earlier form of the claim is not shown.
    let claim = fs::read_to_string(folder.path().join("mine.toml")).unwrap();
    let changed = claim.replacen("= 3", "= 2", 1);
    assert_ne!(claim, changed, "{claim}");
    fs::write(folder.path().join("mine.toml"), changed).unwrap();
    let stale = json(&run(&[
        "report",
        "mine.toml",
        "--out",
        "page.html",
        "--format",
        "json",
    ]));
    assert!(
        stale["claims"][0]["detail"]
            .as_str()
            .unwrap()
            .contains("earlier form"),
        "{stale}"
    );
    fs::write(folder.path().join("mine.toml"), claim).unwrap();
    // Nor is evidence that is wrong.
    let witness = fs::read_to_string(folder.path().join("mine.json")).unwrap();
    fs::write(
        folder.path().join("mine.json"),
        witness.replacen("\"established\"", "\"refuted\"", 1),
    )
    .unwrap();
    let wrong = json(&run(&[
        "report",
        "mine.toml",
        "--out",
        "page.html",
        "--format",
        "json",
    ]));
    assert!(
        wrong["claims"][0]["detail"]
            .as_str()
            .unwrap()
            .starts_with("rejected: "),
        "{wrong}"
    );
    assert_eq!(wrong["claims"][0]["figures"], Json::Array(Vec::new()));
}

/// Commands with a picture write one that is well formed, and nothing when there is none.
#[test]
fn pictures_of_commands() {
    let folder = TempDir::new().unwrap();
    let input = r#"{"2":{"z2":[0,1]},"1":{"z1":[1]}}"#;
    let commands: [&[&str]; 8] = [
        &["run", "toy-frf", "--protocol", "relay", "--input", input],
        &["check", "toy-frf", "--protocol", "relay"],
        &["check", "hybrid-ff", "--protocol", "lookup"],
        &[
            "flow",
            "toy-frf",
            "--of",
            "1",
            "--view=-1",
            "--epoch",
            "1",
            "--pin",
            "soft 1->-1",
            "--cuts",
        ],
        &["solve", "toy-frf"],
        &[
            "frontier",
            "toy-frf",
            "--over",
            "soft,linear",
            "--max",
            "2,2",
        ],
        &[
            "derive",
            "--steps",
            "2",
            "--soft-bits",
            "4",
            "--carry-bits",
            "4",
            "--linear",
            "1",
        ],
        &[
            "sparse",
            "--n",
            "16,64,256",
            "--block",
            "1,2,4,8",
            "--read",
            "2",
        ],
    ];
    for command in commands {
        let mut arguments = command.to_vec();
        arguments.extend(["--svg", "picture.svg"]);
        let output = foolproof(folder.path(), &arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            // An axis that this game does not have: no picture either.
            assert!(
                command[0] == "frontier" && !folder.path().join("picture.svg").exists(),
                "{command:?}: {said}"
            );
            continue;
        }
        let svg = fs::read_to_string(folder.path().join("picture.svg")).unwrap();
        well_formed(&svg);
        assert!(!svg.contains("var("), "{command:?}");
        fs::remove_file(folder.path().join("picture.svg")).unwrap();
    }
    let one = foolproof(
        folder.path(),
        &[
            "sparse",
            "--n",
            "16",
            "--block",
            "2",
            "--read",
            "2",
            "--svg",
            "picture.svg",
        ],
    );
    assert_eq!(one.status.code(), Some(2));
    assert!(!folder.path().join("picture.svg").exists());
}

/// Every tag that opens closes, in order.
fn well_formed(svg: &str) {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let inside = tag.split('>').next().unwrap();
        let name = inside
            .trim_start_matches('/')
            .split_whitespace()
            .next()
            .unwrap();
        if inside.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{svg}");
        } else if !inside.ends_with('/') {
            open.push(name);
        }
    }
    assert!(
        open.is_empty() && svg.starts_with("<svg xmlns="),
        "{open:?}"
    );
}

#[test]
fn tables_as_markdown_and_as_latex() {
    let folder = TempDir::new().unwrap();
    let commands: [&[&str]; 7] = [
        &["audit", "BASE-A1", "B2-A1-L2"],
        &["word", "F R F", "--steps", "2"],
        &["params", "hybrid-v1", "--steps", "2", "--c", "2"],
        &[
            "derive",
            "--steps",
            "2",
            "--soft-bits",
            "4",
            "--carry-bits",
            "4",
            "--linear",
            "1",
        ],
        &["need", "eva", "--n", "4"],
        &["sparse", "--n", "16,64", "--block", "2,4", "--read", "2"],
        &["list", "tasks"],
    ];
    for command in commands {
        let table = |format: &str| {
            let mut arguments = command.to_vec();
            arguments.extend(["--format", format]);
            let output = foolproof(folder.path(), &arguments);
            assert!(output.status.success(), "{command:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        let (markdown, latex) = (table("md"), table("latex"));
        let lines: Vec<&str> = markdown.lines().collect();
        assert!(
            lines[0].starts_with("| ") && lines[1].starts_with("|---|") && lines.len() > 2,
            "{markdown}"
        );
        let columns = lines[1].matches("---|").count();
        let rows: Vec<&str> = latex
            .lines()
            .filter(|line| line.ends_with(" \\\\"))
            .collect();
        // The head, and as many rows as in Markdown, with as many cells.
        assert_eq!(rows.len(), lines.len() - 1, "{latex}");
        for row in rows {
            assert_eq!(row.matches(" & ").count(), columns - 1, "{row}");
            assert!(
                !row.replace("\\_", "").contains('_')
                    && !row.replace("\\textasciicircum{}", "").contains('^'),
                "{row}"
            );
        }
    }
}

/// The picture of the README: the leak past the constant answer. `FOOLPROOF_BLESS=1 cargo test --test report` draws it again.
#[test]
fn the_picture_of_the_readme_is_fresh() {
    let folder = TempDir::new().unwrap();
    let output = foolproof(
        folder.path(),
        &[
            "flow",
            "hybrid-frf",
            "--of",
            "1",
            "--view=-1",
            "--epoch",
            "1",
            "--pin",
            "soft 1->-1",
            "--svg",
            "leak.svg",
            "--format",
            "json",
        ],
    );
    let leak = json(&output)["leak"].clone();
    assert_eq!(leak, serde_json::json!(["soft 1->0 @1", "lin 0->-1 @1.1"]));
    let fresh = fs::read_to_string(folder.path().join("leak.svg")).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/a1-leak.svg");
    if std::env::var_os("FOOLPROOF_BLESS").is_some() {
        fs::write(&path, &fresh).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), fresh);
}
