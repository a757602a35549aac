//! `audit`: what is the verdict on each claim?

use crate::audit::{Decision, Finding, audit};
use crate::cli::args::AuditArgs;
use crate::cli::shipped::{self, Files};
use crate::cli::{Context, Exit, Failure, Output, replace_file};
use crate::evidence::claim::Case;
use crate::evidence::{Claim, Verdict};
use crate::file::{Source, setting};
use crate::report::table::Table;
use crate::report::words::{self, plural};
use itertools::Itertools as _;
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A claim, and the folder its evidence goes to.
pub(super) struct Selected {
    pub(super) claim: Claim,
    pub(super) folder: Option<PathBuf>,
}

/// One line of the result.
struct Row {
    claim: Claim,
    case: Case,
    finding: Finding,
    expected: Verdict,
    folder: Option<PathBuf>,
}

pub(super) fn run(args: &AuditArgs, context: &Context) -> Result<Output, Failure> {
    let names: Vec<&String> = args.claims.iter().chain(&args.invert).collect();
    let selected = select(&names, args.paper.as_deref(), args.write.as_deref())?;
    let options = context.options();
    let mut cases = Vec::new();
    for Selected { claim, folder } in selected {
        if claim.kind.available {
            for case in claim.cases(&Files, &context.overrides, context.limits)? {
                cases.push((claim.clone(), Some(case), folder.clone()));
            }
        } else {
            cases.push((claim, None, folder));
        }
    }
    let ids = cases
        .iter()
        .map(|(claim, case, _)| (claim, case.as_ref().map_or(&claim.id, |case| &case.id)));
    let mut seen = BTreeMap::<&str, &Claim>::new();
    for (claim, id) in ids {
        if let Some(first) = seen.insert(id, claim) {
            return Err(claim
                .error_at_id(format!("the id `{id}` is also that of {}", first.file.name))
                .into());
        }
    }
    let invert = args.invert.is_some();
    let rows: Vec<Row> = cases
        .into_par_iter()
        .map(|(claim, case, folder)| {
            let expected = if invert {
                claim.expected.inverted()
            } else {
                claim.expected
            };
            let (case, finding) = match case {
                Some(case) => {
                    let finding = audit(&case, &options);
                    (case, finding)
                }
                None => (
                    later(&claim),
                    Finding::Undecided("not available yet".to_owned()),
                ),
            };
            Row {
                claim,
                case,
                finding,
                expected,
                folder,
            }
        })
        .collect();
    if let Some((id, reason)) = rows.iter().find_map(|row| match &row.finding {
        Finding::Contradiction(reason) => Some((&row.case.id, reason)),
        Finding::Decided(_) | Finding::Undecided(_) => None,
    }) {
        return Err(Failure::Contradiction(format!("{id}: {reason}")));
    }
    for row in &rows {
        write(row)?;
    }
    Ok(answer(&rows))
}

/// A stand-in for a claim whose kind has no engine yet.
fn later(claim: &Claim) -> Case {
    Case {
        id: claim.id.clone(),
        scope: claim.word_scope(),
        statement: crate::evidence::Statement::Solvable,
        setting: None,
        strategy: None,
        spec: json!({}),
    }
}

/// The claims that the arguments name: shipped ids, files, folders; all shipped ones without arguments.
pub(super) fn select(
    named: &[&String],
    paper: Option<&str>,
    write: Option<&Path>,
) -> Result<Vec<Selected>, Failure> {
    let mut shipped: Vec<Claim> = shipped::files("claims")
        .iter()
        .map(Claim::read)
        .collect::<Result<_, _>>()?;
    // By paper, then by id: file names sort `X-Y.toml` before `X.toml`.
    let folder = |claim: &Claim| Path::new(&claim.file.name).parent().map(Path::to_owned);
    shipped.sort_by(|a, b| (folder(a), &a.id).cmp(&(folder(b), &b.id)));
    let mut selected = Vec::new();
    let mut add = |claim: Claim, own: Option<PathBuf>| {
        // A folder and a file in it: one claim.
        if selected
            .iter()
            .any(|known: &Selected| known.claim.file == claim.file)
        {
            return;
        }
        let folder = write.map(Path::to_owned).or(own);
        selected.push(Selected { claim, folder });
    };
    if named.is_empty() {
        for claim in shipped.clone() {
            add(claim, None);
        }
    }
    for name in named {
        let path = Path::new(name);
        if path.is_dir() {
            for file in
                toml_files(path).map_err(|error| Failure::Usage(format!("{name}: {error}")))?
            {
                let source = shipped::read(&file)?;
                // A folder may hold games and strategies beside claims.
                if setting::parse_file(&source)?.get("claim").is_some() {
                    add(Claim::read(&source)?, file.parent().map(Path::to_owned));
                }
            }
        } else if path.is_file() {
            let source: Source = shipped::read(path)?;
            add(Claim::read(&source)?, path.parent().map(Path::to_owned));
        } else {
            let claim = shipped.iter().find(|claim| claim.id == **name).cloned();
            let claim = claim.ok_or_else(|| {
                let near = crate::file::expr::did_you_mean(name, shipped.iter().map(|claim| claim.id.as_str()));
                let place = shipped::folder_of(path);
                Failure::Usage(format!("no file `{name}` in {place}, and no shipped claim of that id{near} (see `foolproof list claims`)"))
            })?;
            add(claim, None);
        }
    }
    if let Some(key) = paper {
        let source_key = |claim: &Claim| {
            claim
                .source
                .split(',')
                .next()
                .unwrap_or("")
                .trim()
                .to_owned()
        };
        let known: Vec<String> = selected
            .iter()
            .map(|selected| source_key(&selected.claim))
            .collect();
        selected.retain(|selected| source_key(&selected.claim) == key);
        if selected.is_empty() {
            let mut known = known;
            known.sort();
            known.dedup();
            return Err(Failure::Usage(format!(
                "--paper {key}: no such source; expected one of {}",
                known.join(", ")
            )));
        }
    }
    Ok(selected)
}

fn toml_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    let mut found = Vec::new();
    for entry in entries {
        if entry.is_dir() {
            found.extend(toml_files(&entry)?);
        } else if entry
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            found.push(entry);
        }
    }
    Ok(found)
}

/// Writes the evidence of a decided row, if it has a folder.
fn write(row: &Row) -> Result<(), Failure> {
    let (Some(folder), Finding::Decided(decision)) = (&row.folder, &row.finding) else {
        return Ok(());
    };
    write_evidence(folder, &row.case.id, decision)
}

/// Writes an evidence file `<id>.json` and the folder of its attached files.
pub(super) fn write_evidence(folder: &Path, id: &str, decision: &Decision) -> Result<(), Failure> {
    let Decision { bytes, files, .. } = decision;
    let failed = |error: io::Error| Failure::Usage(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    let inner = folder.join(id);
    if !files.is_empty() {
        fs::create_dir_all(&inner).map_err(failed)?;
    }
    let files: BTreeMap<PathBuf, &Vec<u8>> = files
        .iter()
        .map(|(name, bytes)| (inner.join(name), bytes))
        .collect();
    for (path, bytes) in files
        .into_iter()
        .chain([(folder.join(format!("{id}.json")), bytes)])
    {
        replace_file(&path, bytes)?;
    }
    Ok(())
}

/// A row in the words of the report.
struct Line {
    id: String,
    verdict: Verdict,
    scope: String,
    detail: String,
    file: String,
    source: String,
    expected: Verdict,
    control: Option<String>,
}

impl Line {
    fn of(row: &Row) -> Self {
        let (verdict, detail, file) = match &row.finding {
            Finding::Decided(decision) => {
                let file = row.file_name(&decision.bytes);
                (
                    decision.checked.verdict(),
                    words::detail(&decision.checked),
                    file,
                )
            }
            Finding::Undecided(reason) | Finding::Contradiction(reason) => {
                (Verdict::Undecided, reason.clone(), None)
            }
        };
        Self {
            id: row.case.id.clone(),
            verdict,
            scope: row.case.scope.to_string(),
            detail,
            file: file.unwrap_or_else(|| "-".to_owned()),
            source: row.claim.source.clone(),
            expected: row.expected,
            control: row.claim.control_of.clone(),
        }
    }

    fn agrees(&self) -> bool {
        self.verdict == self.expected
    }

    /// What is said when the verdict is not as expected.
    fn remark(&self) -> String {
        match (&self.control, self.agrees()) {
            (Some(of), false) => format!("  control of {of}: caught"),
            (Some(of), true) => format!("  CONTROL OF {of} AGREES"),
            (None, true) => String::new(),
            (None, false) => format!("  EXPECTED {}", self.expected),
        }
    }
}

impl Row {
    /// The evidence file: written now, or shipped with the same bytes.
    fn file_name(&self, bytes: &[u8]) -> Option<String> {
        let name = format!("{}.json", self.case.id);
        if self.folder.is_some() || shipped::witness(&name).is_some_and(|shipped| shipped == bytes)
        {
            Some(name)
        } else {
            None
        }
    }
}

fn answer(rows: &[Row]) -> Output {
    let lines: Vec<Line> = rows.iter().map(Line::of).collect();
    let width = |of: fn(&Line) -> &str| {
        lines
            .iter()
            .map(|line| of(line).chars().count())
            .max()
            .unwrap_or(0)
    };
    let (ids, scopes) = (width(|line| &line.id), width(|line| &line.scope).min(44));
    let (details, files) = (width(|line| &line.detail).min(70), width(|line| &line.file));
    let mut text: Vec<String> = lines
        .iter()
        .map(|line| {
            format!(
                "{:<ids$}  {:<11}  {:<scopes$}  {:<details$}  {:<files$}  {}{}",
                line.id,
                line.verdict,
                line.scope,
                line.detail,
                line.file,
                line.source,
                line.remark()
            )
        })
        .collect();
    let claims: Vec<&Line> = lines.iter().filter(|line| line.control.is_none()).collect();
    let agree = claims.iter().filter(|line| line.agrees()).count();
    let controls = lines.len() - claims.len();
    let caught = lines
        .iter()
        .filter(|line| line.control.is_some() && !line.agrees())
        .count();
    let trust: Vec<&str> = rows
        .iter()
        .filter_map(|row| match &row.finding {
            Finding::Decided(decision) => Some(decision.checked.trust()),
            Finding::Undecided(_) | Finding::Contradiction(_) => None,
        })
        .flatten()
        .map(String::as_str)
        .unique()
        .collect();
    let trusted = if trust.is_empty() {
        "nothing to trust".to_owned()
    } else {
        format!("to trust: {}", trust.join(", "))
    };
    let controlled = if controls == 0 {
        String::new()
    } else {
        format!("; {caught} of {} caught", plural(controls, "control"))
    };
    text.push(format!(
        "{}, {agree} agree{controlled}; evidence: {trusted}",
        plural(claims.len(), "claim")
    ));
    let exit = if agree == claims.len() && caught == controls {
        Exit::Answered
    } else {
        Exit::Unexpected
    };
    // A claim of a kind without an engine is not answered, unless `undecided` was expected.
    let unanswered = claims
        .iter()
        .any(|line| line.verdict == Verdict::Undecided && !line.agrees());
    let only_unanswered = claims
        .iter()
        .all(|line| line.agrees() || line.verdict == Verdict::Undecided);
    let exit = if unanswered && only_unanswered && caught == controls {
        Exit::NotAnswered
    } else {
        exit
    };
    Output::new(text.join("\n"), json(rows, &lines, agree, caught))
        .exit(exit)
        .table(table(&lines))
}

fn json(rows: &[Row], lines: &[Line], agree: usize, caught: usize) -> Json {
    let entry = |row: &Row, line: &Line| {
        json!({
            "id": line.id,
            "source": line.source,
            "statement": row.claim.statement,
            "scope": row.case.scope.to_json(),
            "verdict": line.verdict.word(),
            "expected": line.expected.word(),
            "agrees": line.agrees(),
            "witness": if line.file == "-" { Json::Null } else { json!(line.file) },
            "detail": line.detail,
        })
    };
    let pairs = || rows.iter().zip(lines);
    let claims: Vec<Json> = pairs()
        .filter(|(_, line)| line.control.is_none())
        .map(|(row, line)| entry(row, line))
        .collect();
    let controls: Vec<Json> = pairs()
        .filter_map(|(row, line)| {
            let mut json = entry(row, line);
            json["control_of"] = json!(line.control.as_ref()?);
            json["caught"] = json!(!line.agrees());
            Some(json)
        })
        .collect();
    json!({
        "summary": {
            "claims": claims.len().to_string(),
            "agree": agree.to_string(),
            "disagree": (claims.len() - agree).to_string(),
            "controls": controls.len().to_string(),
            "caught": caught.to_string(),
        },
        "claims": claims,
        "controls": controls,
    })
}

fn table(lines: &[Line]) -> Table {
    let head = ["claim", "verdict", "scope", "evidence", "file", "source"];
    let mut table = Table::new("Verdicts", &head);
    for line in lines {
        table.row([
            line.id.clone(),
            format!("{}{}", line.verdict, line.remark()),
            line.scope.clone(),
            line.detail.clone(),
            line.file.clone(),
            line.source.clone(),
        ]);
    }
    table
}
