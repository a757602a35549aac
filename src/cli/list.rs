//! `list`: what is shipped?

use crate::cli::args::{ListArgs, ListKind};
use crate::cli::{Failure, Output, shipped};
use crate::evidence::Claim;
use crate::file::keys::{self, STRATEGIES, TASKS};
use crate::file::tree::{Tree, Value};
use crate::file::{Source, setting};
use crate::report::table::Table;
use serde_json::{Map, Value as Json, json};

pub(super) fn run(args: &ListArgs) -> Result<Output, Failure> {
    let kinds: &[(ListKind, &str)] = &[
        (ListKind::Games, "games"),
        (ListKind::Tasks, "tasks"),
        (ListKind::Claims, "claims"),
        (ListKind::Protocols, "protocols"),
    ];
    let mut lines = Vec::new();
    let mut table = Table::new("What is shipped", &["kind", "name", "about"]);
    let mut json = Map::new();
    for (kind, name) in kinds
        .iter()
        .filter(|(kind, _)| args.kind.is_none_or(|wanted| wanted == *kind))
    {
        let rows =
            match kind {
                ListKind::Games => noted("games")?,
                ListKind::Claims => claims()?,
                ListKind::Tasks => TASKS
                    .iter()
                    .map(|task| row(&format!("[task.{}]", task.tag), &about(task)))
                    .collect(),
                ListKind::Protocols => {
                    let mut rows = noted("strategies")?;
                    rows.extend(STRATEGIES.iter().map(|strategy| {
                        row(&format!("[strategy.{}]", strategy.tag), strategy.about)
                    }));
                    rows
                }
            };
        if args.kind.is_none() {
            lines.push(format!("{name}:"));
        }
        let width = rows
            .iter()
            .map(|(name, _)| name.chars().count())
            .max()
            .unwrap_or(0);
        lines.extend(
            rows.iter()
                .map(|(name, line)| format!("  {name:<width$}  {line}").trim_end().to_owned()),
        );
        for (entry, line) in &rows {
            table.row([(*name).to_owned(), entry.clone(), line.clone()]);
        }
        let list: Vec<Json> = rows
            .iter()
            .map(|(name, line)| json!({"name": name, "about": line}))
            .collect();
        json.insert((*name).to_owned(), list.into());
    }
    Ok(Output::new(lines.join("\n"), Json::Object(json)).table(table))
}

type Row = (String, String);

fn row(name: &str, line: &str) -> Row {
    (name.to_owned(), line.to_owned())
}

/// `about (keys)`.
fn about(table: &keys::Table) -> String {
    let keys = keys::names(table.keys).join(", ");
    if keys.is_empty() {
        table.about.to_owned()
    } else {
        format!("{} ({keys})", table.about)
    }
}

/// Shipped files of a folder with their `note`.
fn noted(folder: &str) -> Result<Vec<Row>, Failure> {
    shipped::files(folder)
        .iter()
        .map(|source| {
            let tree = setting::parse_file(source)?;
            Ok((shipped::short_name(source), note(source, &tree)))
        })
        .collect()
}

fn note(source: &Source, tree: &Tree) -> String {
    match tree.get("note").map(|entry| &entry.tree.value) {
        Some(Value::Text(note)) => note.clone(),
        Some(_) | None => format!("({})", source.name),
    }
}

fn claims() -> Result<Vec<Row>, Failure> {
    shipped::files("claims")
        .iter()
        .map(|source| {
            let claim = Claim::read(source)?;
            let control = claim
                .control_of
                .map_or(String::new(), |of| format!("control of {of}: "));
            Ok((
                claim.id,
                format!("{control}{} [{}]", claim.statement, claim.source),
            ))
        })
        .collect()
}
