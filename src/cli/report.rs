//! `report`: one page with the verdicts, the pictures and the ledgers, from evidence that is verified first.

use crate::cli::args::ReportArgs;
use crate::cli::audit::{Selected, select};
use crate::cli::shipped::{self, Files};
use crate::cli::{Context, Exit, Failure, Output, replace_file};
use crate::evidence::claim::Case;
use crate::evidence::verify::{Options, verify_bytes, verify_path};
use crate::evidence::{Checked, Claim, Outcome, Verdict};
use crate::report::page::{Entry, page, place};
use crate::report::words::plural;
use rayon::prelude::*;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

pub(super) fn run(args: &ReportArgs, context: &Context) -> Result<Output, Failure> {
    let names: Vec<&String> = args.claims.iter().collect();
    let selected = select(&names, args.paper.as_deref(), args.evidence.as_deref())?;
    let begin = Instant::now();
    let options = context.options();
    let mut entries: Vec<Entry> = selected
        .into_par_iter()
        .map(|selected| entries(&selected, context, &options))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
    let verified = begin.elapsed();
    let begin = Instant::now();
    entries.sort_by_key(|entry| place(&entry.source));
    let page = page(&entries);
    replace_file(&args.out, page.html.as_bytes())?;
    let built = begin.elapsed();
    // Times are no part of a result.
    let _ = writeln!(
        std::io::stderr(),
        "verified in {} ms, page built in {} ms",
        verified.as_millis(),
        built.as_millis()
    );
    let shown = entries.iter().filter(|entry| entry.checked.is_ok()).count();
    let text = format!(
        "wrote {}: {}, {shown} with evidence, {} bytes",
        args.out.display(),
        plural(entries.len(), "claim"),
        page.html.len()
    );
    let mut json = page.json;
    json["bytes"] = page.html.len().to_string().into();
    // A claim that is expected to be undecided has no evidence.
    let answered = |entry: &Entry| entry.checked.is_ok() || entry.expected == Verdict::Undecided;
    let exit = if entries.iter().all(answered) {
        Exit::Answered
    } else {
        Exit::NotAnswered
    };
    Ok(Output::new(text, json).exit(exit))
}

/// The claim's cases, each with the verifier's token on its evidence.
fn entries(
    selected: &Selected,
    context: &Context,
    options: &Options,
) -> Result<Vec<Entry>, Failure> {
    let claim = &selected.claim;
    if !claim.kind.available {
        return Ok(Vec::new());
    }
    let cases = claim.cases(&Files, &context.overrides, context.limits)?;
    Ok(cases
        .into_iter()
        .map(|case| {
            let name = format!("{}.json", case.id);
            let own = selected.folder.as_ref().map(|folder| folder.join(&name));
            Entry {
                checked: token(&case, &name, own.as_ref(), options),
                evidence: own.map_or_else(
                    || format!("witnesses/{name}"),
                    |path| path.display().to_string(),
                ),
                named: named(claim, selected),
                id: case.id,
                source: claim.source.clone(),
                statement: claim.statement.clone(),
                scope: case.scope,
                kind: claim.kind,
                expected: claim.expected,
                control_of: claim.control_of.clone(),
            }
        })
        .collect())
}

/// A shipped claim is named by its id, another one by its file.
fn named(claim: &Claim, selected: &Selected) -> String {
    if selected.folder.is_some() {
        claim.file.name.clone()
    } else {
        claim.id.clone()
    }
}

/// Verifies the evidence of a case; it must be about what the claim file says today.
fn token(
    case: &Case,
    name: &str,
    own: Option<&PathBuf>,
    options: &Options,
) -> Result<Checked, String> {
    let outcome = if let Some(path) = own {
        verify_path(path, options).map_err(|_| {
            format!(
                "no evidence file {}: run `foolproof audit` first",
                path.display()
            )
        })?
    } else {
        let bytes = shipped::witness(name).ok_or_else(|| "no committed evidence".to_owned())?;
        verify_bytes(name, bytes, &shipped::attached(&case.id), options)
    };
    let checked = match outcome {
        Outcome::Accepted(checked) => checked,
        Outcome::Rejected(rejection) => return Err(format!("rejected: {rejection}")),
        Outcome::NotChecked(reason) => return Err(format!("not checked: {reason}")),
    };
    let witness = &checked.content().witness;
    let statement = case
        .statement
        .to_json(case.setting.as_ref().map(|setting| &*setting.game));
    if witness.statement == statement && witness.spec == case.spec && witness.scope == case.scope {
        Ok(checked)
    } else {
        Err(
            "the evidence is about an earlier form of this claim: run `foolproof audit` again"
                .to_owned(),
        )
    }
}
