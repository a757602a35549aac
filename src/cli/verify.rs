//! `verify`: re-check evidence from disk.

use crate::cli::args::VerifyArgs;
use crate::cli::{Context, Exit, Failure, Output};
use crate::evidence::Outcome;
use crate::evidence::verify::{evidence_files, verify_path};
use crate::report::table::Table;
use serde_json::json;

pub(super) fn run(args: &VerifyArgs, context: &Context) -> Result<Output, Failure> {
    let options = context.options();
    let mut paths = Vec::new();
    for path in &args.paths {
        let found = evidence_files(path)
            .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
        paths.extend(found);
    }
    let (mut lines, mut checked) = (Vec::new(), Vec::new());
    let (mut accepted, mut rejected, mut unchecked) = (0u64, 0u64, 0u64);
    #[cfg(feature = "search")]
    let mut external = External::start(args, &paths)?;
    for path in &paths {
        let shown = path.display().to_string();
        #[cfg(feature = "search")]
        let outcome = match &mut external {
            Some(external) => external.verify(path, &options),
            None => verify_path(path, &options),
        };
        #[cfg(not(feature = "search"))]
        let outcome = verify_path(path, &options);
        let outcome = outcome.map_err(|error| Failure::Usage(format!("{shown}: {error}")))?;
        match outcome {
            Outcome::Accepted(token) => {
                accepted += 1;
                let trust = if token.trust().is_empty() {
                    "nothing".to_owned()
                } else {
                    token.trust().join(", ")
                };
                lines.push(format!(
                    "accepted     {shown}  {}  {}  trust: {trust}",
                    token.verdict(),
                    token.summary()
                ));
                checked.push(json!({"path": shown, "verdict": "accepted", "at": null, "code": null, "reason": null}));
            }
            Outcome::Rejected(rejection) => {
                rejected += 1;
                lines.push(format!("rejected     {shown}  {rejection}"));
                let reason = format!("found {}, expected {}", rejection.found, rejection.expected);
                checked.push(json!({
                    "path": shown, "verdict": "rejected", "at": rejection.at, "code": rejection.code.word(), "reason": reason,
                }));
            }
            Outcome::NotChecked(reason) => {
                unchecked += 1;
                lines.push(format!("not-checked  {shown}  {reason}"));
                checked.push(json!({"path": shown, "verdict": "not-checked", "at": null, "code": null, "reason": reason}));
            }
        }
    }
    let mut table = Table::new("Evidence", &["file", "verdict", "reason"]);
    for entry in &checked {
        let text = |key: &str| entry[key].as_str().unwrap_or("-").to_owned();
        table.row([text("path"), text("verdict"), text("reason")]);
    }
    lines.push(format!(
        "{accepted} accepted, {rejected} rejected, {unchecked} not checked"
    ));
    let exit = match (rejected, unchecked) {
        (0, 0) => Exit::Answered,
        (0, _) => Exit::NotAnswered,
        (_, _) => Exit::Unexpected,
    };
    Ok(Output::new(
        lines.join("\n"),
        json!({"checked": checked, "rejected": rejected.to_string()}),
    )
    .exit(exit)
    .table(table))
}

/// The command of `--exec`, running.
#[cfg(feature = "search")]
struct External {
    command: crate::evidence::external::Command,
    process: crate::models::process::Process,
}

#[cfg(feature = "search")]
impl External {
    fn start(args: &VerifyArgs, paths: &[std::path::PathBuf]) -> Result<Option<Self>, Failure> {
        use crate::cli::fool::{command, patience, words};
        use crate::models::process::Process;
        let Some(exec) = &args.exec.exec else {
            return Ok(None);
        };
        // Files that the evidence names are read where they are now.
        let mut depends = args.exec.depends.clone();
        for path in paths {
            depends.extend(depended(path));
        }
        depends.retain(|path| path.is_file());
        let command = command(words(exec)?, &depends)?;
        let process = Process::start(&command.words, patience(&args.exec))?;
        Ok(Some(Self { command, process }))
    }

    fn verify(
        &mut self,
        path: &std::path::Path,
        options: &crate::evidence::verify::Options,
    ) -> std::io::Result<Outcome> {
        let mut repeated = crate::evidence::verify::external::Repeated {
            command: self.command.clone(),
            oracle: &mut self.process,
        };
        crate::evidence::verify::verify_path_repeated(path, options, Some(&mut repeated))
    }
}

/// The files that evidence at this path depends on; the verifier reads the list again.
#[cfg(feature = "search")]
fn depended(path: &std::path::Path) -> Vec<std::path::PathBuf> {
    let read = || -> Option<Vec<std::path::PathBuf>> {
        let json: serde_json::Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        let names = json
            .pointer("/evidence/0/external_pair/depends")?
            .as_object()?;
        Some(names.keys().map(std::path::PathBuf::from).collect())
    };
    read().unwrap_or_default()
}
