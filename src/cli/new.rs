//! `new`: a commented starting file that runs.

use crate::cli::args::{NewArgs, NewKind};
use crate::cli::{Failure, Output};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::Write;

const GAME: &str = include_str!("new_game.toml");
const CLAIM: &str = include_str!("new_claim.toml");

pub(super) fn run(args: &NewArgs) -> Result<Output, Failure> {
    let legal = !args.name.is_empty()
        && args
            .name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !legal {
        return Err(Failure::Usage(format!(
            "{}: expected letters, digits and `-`",
            args.name
        )));
    }
    let path = format!("{}.toml", args.name);
    let (template, next) = match args.kind {
        NewKind::Game => (GAME, format!("foolproof show {path}")),
        NewKind::Claim => (CLAIM, format!("foolproof audit {path}")),
    };
    let text = template.replace("NAME", &args.name);
    // Never over an existing file.
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| Failure::Usage(format!("{path}: {error}")))?;
    Ok(Output::new(
        format!("wrote {path}\nnext: {next}"),
        json!({"file": path, "next": next}),
    ))
}
