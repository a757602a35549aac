//! `--coq FILE` of `check` and `decompose`: a pair as a Coq file.

use crate::cli::{Failure, replace_file};
use crate::file::Setting;
use crate::file::strategies::Strategy;
use crate::game::Accepted;
use crate::game::structure::Pair;
use crate::report::coq::{self, MAX_ENTRIES};
use crate::search::tabulate;
use num_bigint::BigUint;
use std::path::Path;

/// Most full inputs of a game whose protocol is written out.
const MAX_INPUTS: u32 = 1 << 20;

/// Writes the pair, or says in one line why nothing is written.
pub(super) fn write(
    file: &Path,
    setting: &Setting,
    strategy: &Strategy,
    pair: Option<&Pair>,
) -> Result<String, Failure> {
    let nothing = |why: &str| Ok(format!("coq: nothing is written, {why}"));
    let Some(pair) = pair else {
        return nothing("there is no pair");
    };
    let (game, task) = (&*setting.game, &*setting.task);
    let accepted = |inputs| match task.accepted(inputs) {
        Ok(Accepted::One(only)) => Some(vec![only]),
        Ok(Accepted::Only(list)) => Some(list),
        Ok(Accepted::All) | Err(_) => None,
    };
    let (Some(left), Some(right)) = (accepted(&pair.left), accepted(&pair.right)) else {
        return nothing("every answer is accepted on one side");
    };
    let limit = BigUint::from(MAX_INPUTS);
    let Ok(tables) = tabulate(game, task, &*strategy.protocol, &limit) else {
        return nothing("the protocol is too large to be written out as tables");
    };
    match coq::pair(game, &tables, pair, [&left, &right]) {
        None => nothing(&format!(
            "for games that copy or read, or more than {MAX_ENTRIES} table entries"
        )),
        Some(text) => {
            replace_file(file, text.as_bytes())?;
            Ok(format!("coq: {}", file.display()))
        }
    }
}
