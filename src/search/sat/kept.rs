//! The checkpoint of a run over cubes: `cubes.jsonl`, and a folder beside it with the proofs of the refuted cubes.

use super::cubes::{Cube, Done, Store};
use crate::evidence::{digest, gzip};
use crate::search::checkpoint::{CheckpointError, Contents, Journal};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Finished cubes on the disk.
#[derive(Debug)]
pub struct Kept {
    journal: Option<Journal>,
    known: Mutex<BTreeMap<String, Entry>>,
}

/// What is known of a cube.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    done: Done,
    conflicts: u64,
    /// Where its proof is, with the digest.
    proof: Option<(PathBuf, String)>,
}

impl Kept {
    /// A new checkpoint.
    ///
    /// # Errors
    /// As [`Journal::create`].
    pub fn create(path: &Path, header: Json) -> Result<Self, CheckpointError> {
        Ok(Self {
            journal: Some(Journal::create(path, header)?),
            known: Mutex::default(),
        })
    }

    /// An old one, to go on with.
    ///
    /// # Errors
    /// As [`Journal::resume`]; [`CheckpointError::Line`] for a line that is no cube.
    pub fn resume(path: &Path) -> Result<(Self, Contents), CheckpointError> {
        let (journal, contents) = Journal::resume(path)?;
        let kept = Self {
            journal: Some(journal),
            known: Mutex::default(),
        };
        kept.learn(path, &contents)?;
        Ok((kept, contents))
    }

    /// Nothing, to be filled from checkpoints by [`Kept::learn`].
    pub fn empty() -> Self {
        Self {
            journal: None,
            known: Mutex::default(),
        }
    }

    /// Adds what a checkpoint says.
    ///
    /// # Errors
    /// [`CheckpointError::Line`] for a line that is no cube; [`CheckpointError::Twice`].
    pub fn learn(&self, path: &Path, contents: &Contents) -> Result<(), CheckpointError> {
        let name = path.display().to_string();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (line, json) in &contents.lines {
            let (cube, entry) = entry(path, json).ok_or_else(|| CheckpointError::Line {
                path: name.clone(),
                line: *line,
                found: json.to_string().chars().take(120).collect(),
                expected: "a cube".to_owned(),
            })?;
            let digest = |entry: &Entry| entry.proof.as_ref().map(|(_, digest)| digest.clone());
            let same = |old: &Entry| old.done == entry.done && digest(old) == digest(&entry);
            if known.get(&cube).is_some_and(|old| !same(old)) {
                return Err(CheckpointError::Twice(name, format!("cube `{cube}`")));
            }
            known.entry(cube).or_insert(entry);
        }
        Ok(())
    }

    /// Number of finished cubes.
    pub fn len(&self) -> usize {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    /// Conflicts of all finished cubes.
    pub fn conflicts(&self) -> u64 {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.values().map(|entry| entry.conflicts).sum()
    }

    /// True without finished cubes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The folder of the proofs of a checkpoint.
fn folder(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".proofs");
    path.with_file_name(name)
}

fn entry(path: &Path, json: &Json) -> Option<(String, Entry)> {
    let cube = json["cube"].as_str()?.to_owned();
    let plain = cube.bytes().all(|byte| byte == b'0' || byte == b'1');
    let (done, proof) = match json["status"].as_str()? {
        "split" => (Done::Split, None),
        "refuted" => {
            let digest = json["sha256"].as_str()?.to_owned();
            let file = folder(path).join(format!("cube-{cube}.lrat.gz"));
            (Done::Refuted, Some((file, digest)))
        }
        "satisfied" => {
            let model = json["model"].as_str()?.bytes();
            let model = model.map(|byte| byte == b'1').collect();
            (Done::Satisfied(model), None)
        }
        _ => return None,
    };
    let entry = Entry {
        done,
        conflicts: json["conflicts"].as_str()?.parse().ok()?,
        proof,
    };
    plain.then_some((cube, entry))
}

impl Store for Kept {
    fn find(&self, path: &str) -> Option<Done> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(path).map(|entry| entry.done.clone())
    }

    fn put(&self, cube: &Cube, done: &Done, proof: &[u8], conflicts: u64) -> io::Result<()> {
        let Some(journal) = &self.journal else {
            return Err(io::Error::other("nowhere to keep a cube"));
        };
        let mut kept_proof = None;
        let mut line = json!({"conflicts": conflicts.to_string(), "cube": cube.path, "literals": cube.literals});
        match done {
            Done::Split => line["status"] = json!("split"),
            Done::Satisfied(model) => {
                let bits = model.iter().map(|value| if *value { '1' } else { '0' });
                line["status"] = json!("satisfied");
                line["model"] = json!(bits.collect::<String>());
            }
            Done::Refuted => {
                let mut packed = gzip::writer(Vec::new());
                packed.write_all(proof)?;
                let packed = packed.finish()?;
                let folder = folder(journal.path());
                fs::create_dir_all(&folder)?;
                let file = folder.join(format!("cube-{}.lrat.gz", cube.path));
                let temporary = file.with_extension("tmp");
                fs::write(&temporary, &packed)?;
                fs::File::open(&temporary)?.sync_all()?;
                fs::rename(&temporary, &file)?;
                let digest = digest::of_bytes(&packed);
                line["status"] = json!("refuted");
                line["bytes"] = json!(packed.len().to_string());
                line["sha256"] = json!(digest);
                kept_proof = Some((file, digest));
            }
        }
        // The proof is on the disk before the line that names it.
        journal.append(line)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = Entry {
            done: done.clone(),
            conflicts,
            proof: kept_proof,
        };
        known.insert(cube.path.clone(), entry);
        Ok(())
    }

    fn proof(&self, path: &str) -> io::Result<Vec<u8>> {
        let proof = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.get(path).and_then(|entry| entry.proof.clone())
        };
        let (file, expected) =
            proof.ok_or_else(|| io::Error::other(format!("no proof of cube `{path}`")))?;
        let bytes = fs::read(&file)?;
        if digest::of_bytes(&bytes) != expected {
            let message = format!("{}: not the proof that was kept", file.display());
            return Err(io::Error::other(message));
        }
        let mut text = Vec::new();
        gzip::content(&bytes).read_to_end(&mut text)?;
        Ok(text)
    }
}
