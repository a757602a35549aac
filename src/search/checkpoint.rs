//! Checkpoints: a header with all parameters, then one line per finished piece of work.
//!
//! A line is written whole, flushed and synced. A torn last line, from a run that was killed, is dropped; any other bad line is an
//! error. So what is lost is the work in progress, and never more.

use crate::evidence::{canonical, ranges};
use serde_json::Value as Json;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// The error.
        error: io::Error,
    },
    /// The file is there already.
    #[error("{0} is there already; go on with --resume {0}, or remove it")]
    Exists(String),
    /// A line that is not right.
    #[error("{path}:{line}: {found}, expected {expected}")]
    Line {
        /// The file.
        path: String,
        /// Line number, from 1.
        line: usize,
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// Two lines that contradict each other: a bug, or two different runs.
    #[error("{0} has two results for {1}")]
    Twice(String, String),
}

fn failed(path: &Path) -> impl Fn(io::Error) -> CheckpointError + '_ {
    |error| CheckpointError::Io {
        path: path.display().to_string(),
        error,
    }
}

/// A checkpoint that is being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

/// What a checkpoint says.
#[derive(Clone, Debug)]
pub struct Contents {
    /// The parameters.
    pub header: Json,
    /// The finished pieces, each with its line number.
    pub lines: Vec<(usize, Json)>,
    /// True when a torn last line was dropped.
    pub torn: bool,
}

fn spell(line: Json) -> String {
    canonical::text(&ranges::checked(line)) + "\n"
}

impl Journal {
    /// Begins a checkpoint: the header goes to a temporary file, which then gets its name.
    ///
    /// # Errors
    /// [`CheckpointError::Exists`]; [`CheckpointError::Io`].
    pub fn create(path: &Path, header: Json) -> Result<Self, CheckpointError> {
        if path.exists() {
            return Err(CheckpointError::Exists(path.display().to_string()));
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".tmp");
        let temporary = path.with_file_name(name);
        let mut file = File::create(&temporary).map_err(failed(path))?;
        file.write_all(spell(header).as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(failed(path))?;
        fs::rename(&temporary, path).map_err(failed(path))?;
        Ok(Self {
            path: path.to_owned(),
            file: Mutex::new(file),
        })
    }

    /// Goes on with a checkpoint; a torn last line is cut off the file.
    ///
    /// # Errors
    /// [`CheckpointError::Line`] for a bad line that is not the last; [`CheckpointError::Io`].
    pub fn resume(path: &Path) -> Result<(Self, Contents), CheckpointError> {
        let (contents, good) = read(path)?;
        let file = OpenOptions::new()
            .append(true)
            .open(path)
            .map_err(failed(path))?;
        file.set_len(good).map_err(failed(path))?;
        let journal = Self {
            path: path.to_owned(),
            file: Mutex::new(file),
        };
        Ok((journal, contents))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a line, and waits until it is on the disk.
    ///
    /// # Errors
    /// Those of the file; the lines before stay valid.
    pub fn append(&self, line: Json) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(spell(line).as_bytes())?;
        file.sync_data()
    }
}

/// Reads a checkpoint without changing it; also the number of bytes that are good.
///
/// # Errors
/// As [`Journal::resume`].
pub fn read(path: &Path) -> Result<(Contents, u64), CheckpointError> {
    let bytes = fs::read(path).map_err(failed(path))?;
    let (mut lines, mut good, mut torn) = (Vec::new(), 0, false);
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let number = lines.len() + 1;
        let end = rest.iter().position(|byte| *byte == b'\n');
        let (line, after) = end.map_or((rest, &[][..]), |end| (&rest[..end], &rest[end + 1..]));
        let parsed = serde_json::from_slice::<Json>(line).ok();
        let good_line = parsed
            .and_then(|json| ranges::unchecked(&json))
            .filter(|_| end.is_some());
        match good_line {
            Some(json) => lines.push((number, json)),
            None if after.is_empty() && number > 1 => {
                torn = true;
                break;
            }
            None => {
                return Err(CheckpointError::Line {
                    path: path.display().to_string(),
                    line: number,
                    found: "a line that is damaged".to_owned(),
                    expected: "JSON with a right `check`".to_owned(),
                });
            }
        }
        good += line.len() as u64 + 1;
        rest = after;
    }
    if lines.is_empty() {
        return Err(CheckpointError::Line {
            path: path.display().to_string(),
            line: 1,
            found: "nothing".to_owned(),
            expected: "the header of a checkpoint".to_owned(),
        });
    }
    let header = lines.remove(0).1;
    Ok((
        Contents {
            header,
            lines,
            torn,
        },
        good,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_cut_anywhere_in_its_last_lines_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        let journal = Journal::create(&path, json!({"search": "test-v1"})).unwrap();
        for number in 0..4 {
            journal.append(json!({"number": number})).unwrap();
        }
        let whole = fs::read(&path).unwrap();
        let ends: Vec<usize> = (0..whole.len())
            .filter(|at| whole[*at] == b'\n')
            .map(|at| at + 1)
            .collect();
        for cut in ends[2]..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (journal, contents) = Journal::resume(&path).unwrap();
            let complete = ends.iter().filter(|end| **end <= cut).count();
            assert_eq!(contents.lines.len(), complete - 1, "{cut}");
            assert_eq!(contents.torn, !ends.contains(&cut), "{cut}");
            journal.append(json!({"number": "new"})).unwrap();
            let (again, _) = read(&path).unwrap();
            assert_eq!((again.lines.len(), again.torn), (complete, false));
        }
    }

    #[test]
    fn damage_elsewhere_is_an_error_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        let journal = Journal::create(&path, json!({"search": "test-v1"})).unwrap();
        for number in 0..3 {
            journal.append(json!({"number": number})).unwrap();
        }
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, whole.replace("\"number\":1", "\"number\":7")).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("run.jsonl:3: "), "{error}");
        fs::write(&path, whole.replace("test-v1", "test-v2")).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("run.jsonl:1: "), "{error}");
        assert!(matches!(
            Journal::create(&path, json!({})).unwrap_err(),
            CheckpointError::Exists(_)
        ));
    }
}
