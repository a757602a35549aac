//! The matrix of a file: text, TOML with `[matrix]`, or a game of two players.

use crate::file::reader::{Fields, list, text};
use crate::file::setting::{self, Setting};
use crate::file::{FileError, Source, Tree};
use crate::game::{Accepted, Inputs, PlayerId};
use crate::matrix::matrix::MAX_CELLS;
use crate::matrix::{Matrix, Misread};
use num_bigint::BigUint;

/// The matrix of a text, or of a TOML file (by its name) with `[matrix]`.
///
/// # Errors
/// What is no matrix, with its position; a size error for too many entries.
pub fn read(source: &Source) -> Result<Matrix, FileError> {
    if is_toml(source) {
        let tree = setting::parse_file(source)?;
        let top = Fields::of(source, "the file", &tree)?;
        let fields = Fields::of(source, "[matrix]", top.need("matrix")?)?;
        fields.allow(&["rows"])?;
        return of_rows(source, fields.need("rows")?);
    }
    Matrix::parse(&source.text).map_err(|error| at(source, error.at.start, &error))
}

/// Whether a file is to be read as TOML.
pub fn is_toml(source: &Source) -> bool {
    let name = source.name.rsplit('.').next();
    name.is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// The matrix of a list of rows.
///
/// # Errors
/// As [`read`].
pub fn of_rows(source: &Source, tree: &Tree) -> Result<Matrix, FileError> {
    let items = list(source, tree)?;
    let rows = items
        .iter()
        .map(|item| text(source, item))
        .collect::<Result<Vec<_>, _>>()?;
    Matrix::of_texts(rows.iter().copied()).map_err(|(row, error)| match items.get(row) {
        None => source.error_at(tree.at.start, error.message),
        Some(item) => {
            let offset = source.offset(&item.at, error.at.start);
            at(source, offset, &error)
        }
    })
}

fn at(source: &Source, offset: usize, error: &Misread) -> FileError {
    let found = source.error_at(offset, error.message.clone());
    if error.size {
        found.about_size()
    } else {
        found
    }
}

/// The matrix of a game: rows and columns are the inputs, in their order, of the only two players that have more than one;
/// entries are the answers.
///
/// # Errors
/// Another number of such players; a task that accepts several answers, or none, on some input; a size error for more than
/// `limit` inputs or 2^22 entries.
/// # Cost
/// The task once on every full input.
pub fn of_setting(setting: &Setting, limit: &BigUint) -> Result<Matrix, FileError> {
    let game = &setting.game;
    let wrong =
        |message: String| FileError::unplaced(format!("{}: {message}", setting.source.name));
    let open: Vec<PlayerId> = (0..game.players().len())
        .map(PlayerId)
        .filter(|id| game.player(*id).domain.is_open())
        .collect();
    let [_, columns] = open.as_slice() else {
        let message = format!(
            "{} players have more than one input, expected two",
            open.len()
        );
        return Err(wrong(message));
    };
    let size = game
        .inputs_size()
        .map_err(|error| wrong(error.to_string()).about_size())?;
    if size > *limit || size > BigUint::from(MAX_CELLS) {
        let message = format!("{size} entries, more than the limit {limit} or {MAX_CELLS}");
        return Err(wrong(message).about_size());
    }
    let mut entries = Vec::new();
    for inputs in Inputs::all(game) {
        let accepted = setting.task.accepted(&inputs);
        let accepted = accepted.map_err(|error| wrong(error.to_string()))?;
        let Accepted::One(answer) = accepted else {
            let shown = setting::inputs_json(game, &inputs);
            let message = format!("not one answer on input {shown}, expected a function");
            return Err(wrong(message));
        };
        entries.push(answer);
    }
    let width = game.player(*columns).domain.index_size();
    let width = width.and_then(|width| usize::try_from(width).ok());
    let rows: Vec<Vec<u64>> = entries
        .chunks(width.unwrap_or(1).max(1))
        .map(<[u64]>::to_vec)
        .collect();
    Matrix::new(&rows).ok_or_else(|| wrong("no entries".to_owned()))
}
