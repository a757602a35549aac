//! The checkpoint of a frontier: the parameters, then the evidence of each settled point.

use super::frontier::{Axis, Grid, Point};
use super::solve::Settled;
use super::{Decision, digest};
use crate::evidence::Outcome;
use crate::evidence::verify::{Options, verify_bytes};
use crate::file::Setting;
use crate::search::checkpoint::{CheckpointError, Contents, Journal};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Name of the search in a checkpoint.
pub const SEARCH: &str = "frontier-v1";

/// The settled points of an earlier run, and where those of this one are kept.
#[derive(Debug)]
pub struct Log {
    journal: Journal,
    known: Mutex<BTreeMap<Point, Box<Settled>>>,
}

/// What a checkpoint of a frontier begins with.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// Claim id of the evidence.
    pub claim: String,
    /// The game file, as it stands in evidence.
    pub game: Json,
    /// The axes.
    pub axes: Vec<Axis>,
}

impl Parameters {
    /// The header.
    pub fn to_json(&self) -> Json {
        let axes: Vec<[String; 2]> = (self.axes.iter())
            .map(|axis| [axis.name.clone(), axis.max.to_string()])
            .collect();
        json!({
            "axes": axes,
            "claim": self.claim,
            "format": 1,
            "search": SEARCH,
            "spec": {"game": self.game},
        })
    }

    fn read(header: &Json) -> Option<Self> {
        if header["format"] != 1 || header["search"] != SEARCH {
            return None;
        }
        let axis = |pair: &Json| {
            Some(Axis {
                name: pair[0].as_str()?.to_owned(),
                max: pair[1].as_str()?.parse().ok()?,
            })
        };
        Some(Self {
            claim: header["claim"].as_str()?.to_owned(),
            game: header["spec"].get("game")?.clone(),
            axes: header["axes"]
                .as_array()?
                .iter()
                .map(axis)
                .collect::<Option<_>>()?,
        })
    }
}

impl Log {
    /// A new checkpoint.
    ///
    /// # Errors
    /// As [`Journal::create`].
    pub fn create(path: &Path, parameters: &Parameters) -> Result<Self, CheckpointError> {
        Ok(Self {
            journal: Journal::create(path, parameters.to_json())?,
            known: Mutex::default(),
        })
    }

    /// An old one, to go on with, and its parameters.
    ///
    /// # Errors
    /// As [`Journal::resume`]; [`CheckpointError::Line`] when it is the checkpoint of something else.
    pub fn resume(path: &Path) -> Result<(Self, Parameters, Contents), CheckpointError> {
        let (journal, contents) = Journal::resume(path)?;
        let parameters = Parameters::read(&contents.header).ok_or_else(|| {
            let found = format!("search {}", contents.header["search"]);
            wrong(path, 1, found, "the header of frontier-v1, format 1")
        })?;
        let log = Self {
            journal,
            known: Mutex::default(),
        };
        Ok((log, parameters, contents))
    }

    /// Takes over the points of a checkpoint; the evidence of each is verified again.
    ///
    /// # Errors
    /// [`CheckpointError::Line`] for a line that is no point of the grid, or whose evidence is not accepted.
    pub fn learn(
        &self,
        grid: &Grid,
        contents: &Contents,
        options: &Options,
    ) -> Result<(), CheckpointError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (line, json) in &contents.lines {
            let entry = read_point(grid, json, options);
            let (point, settled) =
                entry.map_err(|found| wrong(self.journal.path(), *line, found, "a point"))?;
            known.insert(point, settled);
        }
        Ok(())
    }

    /// What is known of a point.
    pub(super) fn take(&self, point: &Point) -> Option<Box<Settled>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(point)
    }

    /// Keeps a settled point.
    pub(super) fn put(&self, point: &Point, settled: &Settled) -> Result<(), String> {
        let Decision { bytes, files, .. } = &settled.decision;
        let files: serde_json::Map<String, Json> = files
            .iter()
            .map(|(name, bytes)| (name.clone(), json!(hex(bytes))))
            .collect();
        let point: Vec<String> = point.iter().map(ToString::to_string).collect();
        let line = json!({
            "evidence": String::from_utf8_lossy(bytes),
            "files": files,
            "how": settled.how,
            "minimal": settled.minimal,
            "point": point,
        });
        self.journal.append(line).map_err(|error| error.to_string())
    }
}

fn wrong(path: &Path, line: usize, found: String, expected: &str) -> CheckpointError {
    CheckpointError::Line {
        path: path.display().to_string(),
        line,
        found,
        expected: expected.to_owned(),
    }
}

/// One line of a checkpoint; what is wrong with it otherwise.
fn read_point(
    grid: &Grid,
    json: &Json,
    options: &Options,
) -> Result<(Point, Box<Settled>), String> {
    let number = |json: &Json| json.as_str()?.parse::<u64>().ok();
    let list = json["point"].as_array().map_or(&[][..], Vec::as_slice);
    let point: Option<Point> = list.iter().map(number).collect();
    let point = point.ok_or("no `point`")?;
    let index = grid
        .points()
        .binary_search(&point)
        .map_err(|_| format!("{point:?}, which is not in the box"))?;
    let bytes = json["evidence"].as_str().ok_or("no `evidence`")?;
    let files = json["files"].as_object().ok_or("no `files`")?;
    let files: Option<BTreeMap<String, Vec<u8>>> = files
        .iter()
        .map(|(name, text)| Some((name.clone(), unhex(text.as_str()?)?)))
        .collect();
    let files = files.ok_or("files that are not hexadecimal")?;
    let evidence: Json = serde_json::from_str(bytes).map_err(|error| error.to_string())?;
    let setting: &Setting = grid.setting(index);
    if evidence["digest"] != json!(digest::of_json(&setting.resolved(&Json::Null))) {
        return Err("evidence about another game".to_owned());
    }
    let name = format!("{}.json", evidence["claim"].as_str().unwrap_or(""));
    match verify_bytes(&name, bytes.as_bytes(), &files, options) {
        Outcome::Accepted(checked) => Ok((
            point,
            Box::new(Settled {
                exists: checked.statement() == "solvable",
                how: "checkpoint",
                tables: None,
                core: None,
                minimal: json["minimal"] == true,
                decision: Decision {
                    checked,
                    bytes: bytes.as_bytes().to_vec(),
                    files,
                },
            }),
        )),
        Outcome::Rejected(rejection) => Err(format!("evidence that is rejected: {rejection}")),
        Outcome::NotChecked(reason) => Err(format!("evidence that is not checked: {reason}")),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(16)).collect();
    let digits = digits?;
    if digits.len() % 2 == 1 {
        return None;
    }
    let byte = |pair: &[u32]| u8::try_from(pair[0] * 16 + pair[1]).ok();
    digits.chunks(2).map(byte).collect()
}
