//! `word`: is this layout solvable, and how?

use crate::cli::args::WordArgs;
use crate::cli::{Failure, Output};
use crate::game::family::layout::{Decision, Word};
use crate::report::table::Table;
use serde_json::json;

pub(super) fn run(args: &WordArgs) -> Result<Output, Failure> {
    let word = Word::parse(&args.word).map_err(|error| {
        Failure::Usage(format!("{}: column {}: {error}", args.word, error.at + 1))
    })?;
    let (verdict, protocol, source) = match word.decide(args.steps) {
        Decision::Solvable(scheme) => ("solvable", Some(scheme.word()), scheme.source()),
        Decision::Not(source) => ("not", None, source),
    };
    let how = protocol.map_or(String::new(), |protocol| {
        format!(" by the {protocol} protocol")
    });
    let text = format!(
        "{verdict}{how}\n  layout {word}, {} composition steps, polylogarithmic alphabets, all large n\n  {source}",
        args.steps
    );
    let scope =
        "every protocol of this layout, for fixed L and polylogarithmic alphabets, for all large n";
    let mut table = Table::new(
        "Layouts",
        &["layout", "steps", "verdict", "protocol", "source"],
    );
    table.row([
        word.to_string(),
        args.steps.to_string(),
        verdict.to_owned(),
        protocol.unwrap_or("-").to_owned(),
        source.to_owned(),
    ]);
    Ok(Output::new(
        text,
        json!({
            "word": word.to_string(),
            "steps": args.steps,
            "verdict": verdict,
            "protocol": protocol,
            "source": source,
            "scope": scope,
        }),
    )
    .table(table))
}
