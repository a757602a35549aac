//! A file of evidence under change.

use crate::base::Base;
use crate::naive::Rebuilt;
use foolproof::evidence::{canonical, digest, gzip};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// The bytes that a checker sees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// A file whose meaning is being changed.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) name: String,
    pub(crate) json: Json,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Open {
    pub(crate) fn of(base: &Base) -> Self {
        Self {
            name: format!("{}.json", base.claim),
            json: base.json.clone(),
            files: base.files.clone(),
        }
    }

    /// The body of the first evidence object of a kind.
    pub(crate) fn body(&mut self, kind: &str) -> Option<&mut Json> {
        self.json["evidence"]
            .as_array_mut()?
            .iter_mut()
            .find_map(|item| item.get_mut(kind))
    }

    /// The body of the statement.
    pub(crate) fn statement(&mut self) -> &mut Json {
        self.json["statement"]
            .as_object_mut()
            .unwrap()
            .values_mut()
            .next()
            .unwrap()
    }

    /// The kind of the statement.
    pub(crate) fn statement_kind(&self) -> String {
        self.json["statement"]
            .as_object()
            .unwrap()
            .keys()
            .next()
            .unwrap()
            .clone()
    }

    /// Recomputes the digest of the resolved object; `None` when the spec does not build.
    pub(crate) fn redigest(&mut self) -> Option<()> {
        self.json["digest"] = json!(Rebuilt::of(&self.json)?.digest);
        Some(())
    }

    /// Recomputes sizes and digests of attached files.
    pub(crate) fn relist_files(&mut self) {
        self.json["files"] = self
            .files
            .iter()
            .map(|(name, bytes)| {
                let digest = digest::of_bytes(bytes);
                let content = if gzip::is_compressed(name) {
                    gzip::content_digest(bytes).unwrap_or(digest.clone())
                } else {
                    digest.clone()
                };
                (
                    name.clone(),
                    json!({"bytes": bytes.len().to_string(), "sha256": digest, "content": content}),
                )
            })
            .collect();
    }

    /// Recomputes the seal, and closes the file.
    pub(crate) fn reseal(mut self) -> Draft {
        if let Some(map) = self.json.as_object_mut() {
            map.remove("seal");
            let seal = digest::of_json(&Json::Object(map.clone()));
            map.insert("seal".to_owned(), json!(seal));
        }
        self.close()
    }

    /// Closes the file as it is.
    pub(crate) fn close(self) -> Draft {
        let bytes = (canonical::text(&self.json) + "\n").into_bytes();
        Draft {
            name: self.name,
            bytes,
            files: self.files,
        }
    }
}
