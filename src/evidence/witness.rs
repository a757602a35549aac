//! The evidence file: what is in it, and how it is sealed.

use crate::evidence::scope::{Scope, Verdict};
use crate::evidence::shape::{Place, Rejection};
use crate::evidence::{canonical, digest};
use crate::game::structure::Code;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// The one format there is; a larger number is not checked, never accepted.
pub const FORMAT: u64 = 1;

/// What wrote the file; informative, covered by the seal only.
pub const TOOL: &str = concat!("foolproof ", env!("CARGO_PKG_VERSION"));

/// Digests and size of an attached file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// Bytes on disk.
    pub bytes: u64,
    /// Digest of the bytes on disk.
    pub sha256: String,
    /// Digest after decompression; equal for plain files.
    pub content: String,
}

/// A file of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Claim id; the file is `<claim>.json`.
    pub claim: String,
    /// `{kind: {..}}`.
    pub statement: Json,
    /// For which quantifier.
    pub scope: Scope,
    /// Established or refuted.
    pub verdict: Verdict,
    /// What the statement is about, as in the files.
    pub spec: Json,
    /// Digest of the resolved object.
    pub digest: String,
    /// Tagged objects.
    pub evidence: Vec<Json>,
    /// Attached files by name.
    pub files: BTreeMap<String, Attached>,
    /// Steps that no checker re-proves.
    pub trust: Vec<String>,
}

impl Witness {
    /// The canonical bytes of the file, sealed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut json = self.unsealed(TOOL);
        let seal = digest::of_json(&json);
        if let Some(map) = json.as_object_mut() {
            map.insert("seal".to_owned(), Json::String(seal));
        }
        (canonical::text(&json) + "\n").into_bytes()
    }

    fn unsealed(&self, tool: &str) -> Json {
        let files: serde_json::Map<String, Json> = self
            .files
            .iter()
            .map(|(name, file)| {
                let entry =
                    json!({"bytes": file.bytes.to_string(), "sha256": file.sha256, "content": file.content});
                (name.clone(), entry)
            })
            .collect();
        json!({
            "format": FORMAT,
            "claim": self.claim,
            "statement": self.statement,
            "scope": self.scope.to_json(),
            "verdict": self.verdict.word(),
            "spec": self.spec,
            "digest": self.digest,
            "evidence": self.evidence,
            "files": files,
            "trust": self.trust,
            "tool": tool,
        })
    }

    /// Reads a sealed file; the seal itself is compared last by the verifier, with [`Witness::seal_of`].
    ///
    /// # Errors
    /// [`Unread::NewerFormat`], or a rejection: syntax, format, shape.
    pub fn read(bytes: &[u8]) -> Result<(Self, Sealed), Unread> {
        let json = canonical::parse(bytes)?;
        let top = Place::top(&json);
        top.map()?;
        match json.get("format").map(Json::as_u64) {
            Some(Some(FORMAT)) => {}
            Some(Some(newer)) if newer > FORMAT => return Err(Unread::NewerFormat(newer)),
            Some(Some(_) | None) => {
                return Err(Rejection::new(
                    "/format",
                    Code::Format,
                    json["format"].to_string(),
                    "1",
                )
                .into());
            }
            None => {
                return Err(
                    Rejection::new("", Code::Malformed, "no key `format`", "format 1").into(),
                );
            }
        }
        top.object(
            &[
                "claim",
                "digest",
                "evidence",
                "files",
                "format",
                "scope",
                "seal",
                "spec",
                "statement",
                "tool",
                "trust",
                "verdict",
            ],
            &[],
        )?;
        let text = |key: &str| top.get(key)?.text().map(str::to_owned);
        let verdict_place = top.get("verdict")?;
        let verdict = match verdict_place.text()? {
            "established" => Verdict::Established,
            "refuted" => Verdict::Refuted,
            other => {
                return Err(Rejection::new(
                    "/verdict",
                    Code::UnknownKind,
                    other,
                    "established or refuted",
                )
                .into());
            }
        };
        let mut files = BTreeMap::new();
        let listed = top.get("files")?;
        for name in listed.map()?.keys() {
            let entry = listed.get(name)?;
            entry.object(&["bytes", "content", "sha256"], &[])?;
            let attached = Attached {
                bytes: entry.get("bytes")?.small_count()?,
                sha256: entry.get("sha256")?.text()?.to_owned(),
                content: entry.get("content")?.text()?.to_owned(),
            };
            files.insert(name.clone(), attached);
        }
        let evidence = top.get("evidence")?.list()?;
        if evidence.is_empty() {
            return Err(Rejection::new(
                "/evidence",
                Code::Malformed,
                "an empty list",
                "at least one object",
            )
            .into());
        }
        let spec = top.get("spec")?;
        spec.map()?;
        let statement = top.get("statement")?;
        statement.map()?;
        let witness = Self {
            claim: text("claim")?,
            statement: statement.json.clone(),
            scope: crate::evidence::statement::scope(&top.get("scope")?)?,
            verdict,
            spec: spec.json.clone(),
            digest: text("digest")?,
            evidence: evidence.iter().map(|item| item.json.clone()).collect(),
            files,
            trust: top
                .get("trust")?
                .list()?
                .iter()
                .map(|item| item.text().map(str::to_owned))
                .collect::<Result<_, _>>()?,
        };
        let sealed = Sealed {
            tool: text("tool")?,
            seal: text("seal")?,
        };
        Ok((witness, sealed))
    }

    /// The seal this file should have.
    pub fn seal_of(&self, tool: &str) -> String {
        digest::of_json(&self.unsealed(tool))
    }
}

/// The parts of a file that only the seal covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// What wrote it.
    pub tool: String,
    /// The stored seal.
    pub seal: String,
}

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// A format this program does not know.
    NewerFormat(u64),
    /// The file is wrong.
    Rejected(Rejection),
}

impl From<Rejection> for Unread {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}
