//! `ranges.jsonl`: the record of an enumeration, range by range.
//!
//! The items 0..N-1 are cut into ranges of a fixed size. The digest of a range is taken over its item records (canonical JSON
//! and a newline each) in index order; the result digest over the raw range digests in index order. So neither threads nor
//! interruptions can be seen in it.

use crate::evidence::item::Enumeration;
use crate::evidence::shape::Rejection;
use crate::evidence::{canonical, digest};
use crate::game::structure::Code;
use num_bigint::BigUint;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

/// Name of the attached file.
pub const FILE: &str = "ranges.jsonl";

/// Items per range.
pub const RANGE: u64 = 1 << 16;

/// Collects item records in index order.
pub struct Recorder {
    lines: Vec<Json>,
    digests: Vec<u8>,
    hasher: Sha256,
    /// Items in the open range.
    open: u64,
    /// Index after the last item.
    next: u64,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder")
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self {
            lines: Vec::new(),
            digests: Vec::new(),
            hasher: Sha256::new(),
            open: 0,
            next: 0,
        }
    }
}

impl Recorder {
    /// Adds the record of the next item.
    pub fn item(&mut self, record: &Json) {
        self.hasher.update(canonical::text(record).as_bytes());
        self.hasher.update(b"\n");
        self.open += 1;
        self.next += 1;
        if self.open == RANGE {
            self.close();
        }
    }

    fn close(&mut self) {
        let raw: [u8; 32] = std::mem::take(&mut self.hasher).finalize().into();
        self.digests.extend(raw);
        self.lines.push(json!({
            "lo": (self.next - self.open).to_string(),
            "hi": self.next.to_string(),
            "count": self.open.to_string(),
            "digest": digest::spell(&raw),
            "first": null,
        }));
        self.open = 0;
    }

    /// The evidence object and the bytes of the attached file. `object` is the digest of the resolved object.
    pub fn finish(
        mut self,
        search: &str,
        domain: Vec<BigUint>,
        object: &str,
        summary: Map<String, Json>,
    ) -> (Enumeration, Vec<u8>) {
        if self.open > 0 {
            self.close();
        }
        let total = self.next.to_string();
        let header = json!({
            "digest": object,
            "domain": domain.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "format": 1,
            "range": RANGE.to_string(),
            "search": search,
            "total": total,
        });
        let text: String = std::iter::once(header)
            .chain(self.lines)
            .map(|line| canonical::text(&checked(line)) + "\n")
            .collect();
        let enumeration = Enumeration {
            digest: digest::of_bytes(&self.digests),
            domain,
            range: RANGE.into(),
            search: search.to_owned(),
            summary,
            total: self.next.into(),
        };
        (enumeration, text.into_bytes())
    }
}

/// The line with its key `check`: 8 hex digits of the digest of the line without it.
pub fn checked(mut line: Json) -> Json {
    let digits = digest::of_json(&line);
    if let Some(map) = line.as_object_mut() {
        map.insert(
            "check".to_owned(),
            json!(
                digits["sha256:".len()..]
                    .chars()
                    .take(8)
                    .collect::<String>()
            ),
        );
    }
    line
}

/// The line without its key `check`; `None` when it has none, or a wrong one.
pub fn unchecked(line: &Json) -> Option<Json> {
    let mut bare = line.clone();
    bare.as_object_mut()?.remove("check")?;
    (checked(bare.clone()) == *line).then_some(bare)
}

/// Compares a stored file with the recomputed one, line by line.
///
/// # Errors
/// `coverage` for ranges and headers, `digest` and `arithmetic` for their content, at `ranges.jsonl:LINE`.
pub fn compare(stored: &[u8], right: &[u8]) -> Result<(), Rejection> {
    if stored == right {
        return Ok(());
    }
    let (stored, right) = (
        String::from_utf8_lossy(stored),
        String::from_utf8_lossy(right),
    );
    let (mut stored, mut right) = (stored.split('\n'), right.split('\n'));
    let mut number = 0;
    loop {
        number += 1;
        let at = format!("{FILE}:{number}");
        match (stored.next(), right.next()) {
            (Some(found), Some(expected)) if found == expected => {}
            (Some(found), Some(expected)) => {
                let code = if number == 1 {
                    Code::Coverage
                } else {
                    differing_code(found, expected)
                };
                return Err(Rejection::new(at, code, found, expected));
            }
            (found, expected) => {
                let text = |line: Option<&str>| line.unwrap_or("end of file").to_owned();
                return Err(Rejection::new(
                    at,
                    Code::Coverage,
                    text(found),
                    text(expected),
                ));
            }
        }
    }
}

fn differing_code(found: &str, expected: &str) -> Code {
    let (Ok(found), Ok(expected)) = (
        serde_json::from_str::<Json>(found),
        serde_json::from_str::<Json>(expected),
    ) else {
        return Code::Coverage;
    };
    let differs = |key: &str| found.get(key) != expected.get(key);
    if differs("lo") || differs("hi") {
        Code::Coverage
    } else if differs("count") || differs("first") {
        Code::Arithmetic
    } else {
        Code::Digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of three ranges.
    fn record() -> Vec<String> {
        let mut recorder = Recorder::default();
        (0..2 * RANGE + 5).for_each(|item| recorder.item(&json!(item % 3)));
        let (enumeration, bytes) = recorder.finish(
            "census-v1",
            vec![(2 * RANGE + 5).into()],
            "sha256:x",
            Map::new(),
        );
        assert_eq!(enumeration.total, (2 * RANGE + 5).into());
        String::from_utf8(bytes)
            .unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    fn code(lines: &[String], right: &[String]) -> Option<(Code, String)> {
        let bytes = |lines: &[String]| (lines.join("\n") + "\n").into_bytes();
        compare(&bytes(lines), &bytes(right))
            .err()
            .map(|rejection| (rejection.code, rejection.at))
    }

    #[test]
    fn ranges_are_compared_in_order() {
        let right = record();
        assert_eq!(right.len(), 4);
        assert_eq!(code(&right, &right), None);
        let coverage = |line: usize| Some((Code::Coverage, format!("ranges.jsonl:{line}")));
        let mut swapped = right.clone();
        swapped.swap(1, 2);
        assert_eq!(code(&swapped, &right), coverage(2));
        let mut twice = right.clone();
        twice.insert(2, right[1].clone());
        assert_eq!(code(&twice, &right), coverage(3));
        assert_eq!(code(&right[..3], &right), coverage(4));
        let mut changed = right.clone();
        changed[3] = changed[3].replace("\"count\":\"5\"", "\"count\":\"6\"");
        assert_eq!(
            code(&changed, &right),
            Some((Code::Arithmetic, "ranges.jsonl:4".to_owned()))
        );
        // The first two ranges hold other items, as 65536 is no multiple of 3.
        let digest = |line: &str| {
            line.split("\"digest\":\"")
                .nth(1)
                .map(|rest| rest[..71].to_owned())
                .unwrap_or_default()
        };
        let mut exchanged = right.clone();
        exchanged[2] = right[2].replace(&digest(&right[2]), &digest(&right[1]));
        assert_eq!(
            code(&exchanged, &right),
            Some((Code::Digest, "ranges.jsonl:3".to_owned()))
        );
    }
}
