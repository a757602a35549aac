//! SHA-256 digests, written `sha256:` and 64 hex digits.

use crate::evidence::canonical;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The digest of bytes.
pub fn of_bytes(bytes: &[u8]) -> String {
    spell(&raw(bytes))
}

/// The digest of a value's canonical text.
pub fn of_json(json: &Json) -> String {
    of_bytes(canonical::text(json).as_bytes())
}

/// The 32 bytes of a digest.
pub fn raw(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The written form of 32 bytes.
pub fn spell(raw: &[u8; 32]) -> String {
    let mut text = String::from("sha256:");
    for byte in raw {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
