//! Files by path, or by the name of a shipped one.

use crate::cli::{Context, Failure};
use crate::evidence::claim::Library;
use crate::file::setting::{self, Setting};
use crate::file::strategies::{self, Strategy};
use crate::file::{FileError, Source, Tree};
use include_dir::{Dir, File, include_dir};
use std::fs;
use std::path::{Path, PathBuf};

/// The shipped inputs, inside the binary so that an installed tool has them.
static PROTOCOLS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/protocols");

/// The committed evidence, to tell whether a result is the shipped one.
#[cfg(feature = "search")]
static WITNESSES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/witnesses");

/// The committed evidence file of this name.
#[cfg(feature = "search")]
pub(super) fn witness(name: &str) -> Option<&'static [u8]> {
    WITNESSES.get_file(name).map(File::contents)
}

/// Name under which shipped files appear in messages.
const PREFIX: &str = "protocols/";

/// All shipped TOML files below a folder, sorted by path.
pub(super) fn files(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    if let Some(folder) = PROTOCOLS.get_dir(folder) {
        collect(folder, &mut found);
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn collect(folder: &Dir<'_>, found: &mut Vec<Source>) {
    found.extend(folder.files().filter_map(source_of));
    for inner in folder.dirs() {
        collect(inner, found);
    }
}

fn source_of(file: &File<'_>) -> Option<Source> {
    let path = file.path().to_str()?.replace('\\', "/");
    let toml = Path::new(&path)
        .extension()
        .is_some_and(|extension| extension == "toml");
    toml.then(|| {
        file.contents_utf8()
            .map(|text| Source::new(format!("{PREFIX}{path}"), text))
    })?
}

/// The name by which a shipped file is called: its path below the first folder, without `.toml`.
pub(super) fn short_name(source: &Source) -> String {
    let below = source.name.strip_prefix(PREFIX).unwrap_or(&source.name);
    let below = below.split_once('/').map_or(below, |(_, rest)| rest);
    below.strip_suffix(".toml").unwrap_or(below).to_owned()
}

fn shipped(folders: &[&str], name: &str) -> Option<Source> {
    let wanted = name.strip_suffix(".toml").unwrap_or(name);
    folders
        .iter()
        .flat_map(|folder| files(folder))
        .find(|source| {
            let short = short_name(source);
            short == wanted || short.rsplit('/').next() == Some(wanted)
        })
}

/// Reads a file from disk.
pub(super) fn read(path: &Path) -> Result<Source, FileError> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| FileError::unplaced(format!("{name}: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        FileError::unplaced(format!(
            "{name}: found a byte at offset {valid} that is not UTF-8"
        ))
    })?;
    Ok(Source::new(name, text))
}

/// Opens a path, or a shipped file of one of these folders.
pub(super) fn open(name: &str, folders: &[&str]) -> Result<Source, FileError> {
    let path = Path::new(name);
    if path.is_file() {
        return read(path);
    }
    shipped(folders, name).ok_or_else(|| {
        let known: Vec<String> = folders
            .iter()
            .flat_map(|folder| files(folder))
            .map(|file| short_name(&file))
            .collect();
        let near = crate::file::expr::did_you_mean(name, known.iter().map(String::as_str));
        let what = folders.first().copied().unwrap_or("files");
        FileError::unplaced(format!(
            "{name}: no such file, and no shipped one in {what}{near} (see `foolproof list`)"
        ))
    })
}

/// Relative to the file that names it, else shipped.
#[derive(Debug)]
pub(super) struct Files;

impl Library for Files {
    fn open(&self, from: &Source, name: &str) -> Result<Source, FileError> {
        let folder = Path::new(&from.name).parent().unwrap_or(Path::new(""));
        let path = folder.join(name);
        if path.is_file() {
            return read(&path);
        }
        // A shipped claim names shipped files relative to itself.
        let inside = normal(&path)
            .strip_prefix(PREFIX)
            .ok()
            .and_then(|path| PROTOCOLS.get_file(path))
            .and_then(source_of);
        inside
            .or_else(|| shipped(&["games", "strategies"], name))
            .ok_or_else(|| {
                let searched = if folder.as_os_str().is_empty() {
                    ".".to_owned()
                } else {
                    folder.display().to_string()
                };
                FileError::unplaced(format!(
                    "no file `{name}` in {searched}, and no shipped one of that name"
                ))
            })
    }
}

/// The path without `x/..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        if part.as_os_str() == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts
}

/// The game of a file or shipped name.
pub(super) fn game(name: &str, context: &Context) -> Result<Setting, Failure> {
    let (source, tree) = game_file(name)?;
    Ok(setting::resolve(
        &source,
        &tree,
        &context.overrides,
        context.limits,
    )?)
}

/// A game file, parsed.
pub(super) fn game_file(name: &str) -> Result<(Source, Tree), Failure> {
    let source = open(name, &["games"])?;
    let tree = setting::parse_file(&source)?;
    Ok((source, tree))
}

/// The strategy of a file or shipped name, for a game.
pub(super) fn strategy(
    name: &str,
    setting: &Setting,
    context: &Context,
) -> Result<(Source, Strategy), Failure> {
    let source = open(name, &["strategies"])?;
    let tree = setting::parse_file(&source)?;
    // `--let` is about the game; it reaches the strategy only where both are one file.
    let none = crate::file::constants::Overrides::new();
    let own = if source == setting.source {
        &context.overrides
    } else {
        &none
    };
    let strategy = strategies::resolve(&source, &tree, setting, own, context.limits)?;
    Ok((source, strategy))
}
