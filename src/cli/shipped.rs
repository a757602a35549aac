//! Files by path, or by the name of a shipped one.

use crate::cli::{Context, Failure};
#[cfg(feature = "search")]
use crate::evidence::claim::Library;
use crate::file::setting::{self, Setting};
use crate::file::strategies::{self, Strategy};
use crate::file::tasks::Estimate;
use crate::file::{FileError, Source, Tree};
use include_dir::{Dir, File, include_dir};
use num_bigint::BigUint;
#[cfg(feature = "search")]
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
#[cfg(feature = "search")]
use std::path::PathBuf;

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

/// The committed files attached to a piece of evidence, by name.
#[cfg(feature = "search")]
pub(super) fn attached(claim: &str) -> BTreeMap<String, Vec<u8>> {
    let files = WITNESSES.get_dir(claim).into_iter().flat_map(Dir::files);
    files
        .filter_map(|file| {
            let name = file.path().file_name()?.to_str()?;
            Some((name.to_owned(), file.contents().to_vec()))
        })
        .collect()
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
    found.extend(
        folder
            .files()
            .filter(|file| is_toml(file))
            .filter_map(source_of),
    );
    for inner in folder.dirs() {
        collect(inner, found);
    }
}

fn source_of(file: &File<'_>) -> Option<Source> {
    let path = file.path().to_str()?.replace('\\', "/");
    file.contents_utf8()
        .map(|text| Source::new(format!("{PREFIX}{path}"), text))
}

/// True for the files that `list` and claims look at by themselves.
fn is_toml(file: &File<'_>) -> bool {
    file.path()
        .extension()
        .is_some_and(|extension| extension == "toml")
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
    match String::from_utf8(bytes) {
        // An empty text stands for data that has no text; a file has at least one line.
        Ok(text) if text.is_empty() => Ok(Source::new(name, "\n")),
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            Err(Source::new(name, text).error_at(valid, "found a byte that is not UTF-8"))
        }
    }
}

/// A file by path, or a shipped model file by name.
#[cfg(feature = "search")]
pub(super) fn read_or_shipped(path: &Path) -> Result<Source, FileError> {
    if path.is_file() {
        return read(path);
    }
    shipped(&["models"], &path.to_string_lossy()).ok_or_else(|| {
        let known: Vec<String> = files("models").iter().map(short_name).collect();
        FileError::unplaced(format!(
            "no file `{}` in {}, and no shipped model file of that name; shipped are {}",
            path.display(),
            folder_of(path),
            known.join(", ")
        ))
    })
}

/// The names of shipped model configurations.
pub(super) fn model_names() -> Vec<String> {
    let mut names: Vec<String> = PROTOCOLS
        .get_dir("models")
        .into_iter()
        .flat_map(Dir::files)
        .filter(|file| {
            file.path()
                .extension()
                .is_some_and(|extension| extension == "json")
        })
        .filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}

/// Opens a model configuration by path, or a shipped one by name.
pub(super) fn model(name: &str) -> Result<Source, FileError> {
    let path = Path::new(name);
    if path.is_file() {
        return read(path);
    }
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let inside = PROTOCOLS
        .get_file(format!("models/{stem}.json"))
        .and_then(File::contents_utf8);
    inside
        .map(|text| Source::new(format!("{PREFIX}models/{stem}.json"), text))
        .ok_or_else(|| {
            let known = model_names();
            let near = crate::file::expr::did_you_mean(name, known.iter().map(String::as_str));
            let place = folder_of(path);
            FileError::unplaced(format!(
                "no file `{name}` in {place}, and no shipped model of that name{near}; shipped are {}",
                known.join(", ")
            ))
        })
}

/// The folder in which a path was looked for, as messages name it.
pub(super) fn folder_of(path: &Path) -> String {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.display().to_string(),
        Some(_) | None => ".".to_owned(),
    }
}

/// Opens a path, or a shipped file of one of these folders.
pub(super) fn open(name: &str, folders: &[&str]) -> Result<Source, FileError> {
    let path = Path::new(name);
    if path.is_file() {
        return read(path);
    }
    shipped(folders, name).ok_or_else(|| {
        let known: Vec<String> = folders.iter().flat_map(|folder| files(folder)).map(|file| short_name(&file)).collect();
        let near = crate::file::expr::did_you_mean(name, known.iter().map(String::as_str));
        let (what, list) = if folders.contains(&"games") { ("game", "games") } else { ("strategy", "protocols") };
        let place = folder_of(path);
        FileError::unplaced(format!("no file `{name}` in {place}, and no shipped {what} of that name{near} (see `foolproof list {list}`)"))
    })
}

/// Relative to the file that names it, else shipped.
#[cfg(feature = "search")]
#[derive(Debug)]
pub(super) struct Files;

/// The name of a file without folder and extension: results do not show where it lies.
pub(super) fn stem(file: &str) -> String {
    let stem = Path::new(file).file_stem();
    stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

#[cfg(feature = "search")]
impl Library for Files {
    fn open(&self, from: &Source, name: &str) -> Result<Source, FileError> {
        let folder = Path::new(&from.name).parent().unwrap_or(Path::new(""));
        let path = folder.join(name);
        // A shipped claim names shipped files relative to itself, whatever lies on the disk.
        let shipped_itself =
            embedded(Path::new(&from.name)).is_some_and(|shipped| shipped.text == from.text);
        if let Some(inside) = embedded(&path).filter(|_| shipped_itself) {
            return Ok(inside);
        }
        if path.is_file() {
            return read(&path);
        }
        if let Some(config) = embedded(Path::new(&format!("{PREFIX}models/{name}"))) {
            return Ok(config);
        }
        shipped(&["games", "strategies", "kernels"], name).ok_or_else(|| {
            let place = folder_of(&path);
            FileError::unplaced(format!(
                "no file `{name}` in {place}, and no shipped one of that name"
            ))
        })
    }
}

/// The shipped file at this path.
#[cfg(feature = "search")]
fn embedded(path: &Path) -> Option<Source> {
    let normal = normal(path);
    let inside = normal.strip_prefix(PREFIX).ok()?;
    PROTOCOLS.get_file(inside).and_then(source_of)
}

/// The path without `x/..`.
#[cfg(feature = "search")]
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

/// Node evaluations from which on a command says beforehand how many there will be: about a second.
const LONG: u64 = 100_000_000;

/// The game of a file or shipped name. `enumerates` tells whether the command will look at every full input.
pub(super) fn game(name: &str, enumerates: bool, context: &Context) -> Result<Setting, Failure> {
    let (source, tree) = game_file(name)?;
    resolve(&source, &tree, enumerates, context)
}

/// As [`game`], from a file that is read.
pub(super) fn resolve(
    source: &Source,
    tree: &Tree,
    enumerates: bool,
    context: &Context,
) -> Result<Setting, Failure> {
    let say = |estimate: &Estimate| {
        if estimate.steps > BigUint::from(LONG)
            && (estimate.now || enumerates && estimate.inputs <= context.max_inputs())
        {
            let (inputs, steps) = (&estimate.inputs, &estimate.steps);
            let note = format!(
                "{}: the task is evaluated on {inputs} inputs, at most {steps} steps in all",
                source.name
            );
            let _ = writeln!(std::io::stderr(), "{note}");
        }
    };
    Ok(setting::resolve_saying(
        source,
        tree,
        &context.overrides,
        context.limits,
        &say,
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
