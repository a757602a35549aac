//! Attached files that are compressed: one gzip member, without a time or a name.

use crate::evidence::digest;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use std::io::{self, BufReader, Read, Write};

/// Bytes that are decompressed at once.
const BUFFER: usize = 1 << 16;

/// True for a name whose content is what it decompresses to.
pub fn is_compressed(name: &str) -> bool {
    std::path::Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "gz")
}

/// The content, read bit by bit.
pub fn content(bytes: &[u8]) -> BufReader<GzDecoder<&[u8]>> {
    BufReader::with_capacity(BUFFER, GzDecoder::new(bytes))
}

/// The digest of the content.
///
/// # Errors
/// When the bytes are not exactly one gzip member.
/// # Cost
/// One decompression; a small buffer.
pub fn content_digest(bytes: &[u8]) -> io::Result<String> {
    let mut decoder = GzDecoder::new(bytes);
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; BUFFER];
    loop {
        match decoder.read(&mut buffer)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    if decoder.get_ref().is_empty() {
        Ok(digest::spell(&hasher.finalize().into()))
    } else {
        Err(io::Error::other("bytes after the end of the gzip member"))
    }
}

/// Compresses into one gzip member with time 0 and no name: the same bytes for the same content.
///
/// # Errors
/// Those of the writer.
pub fn writer<W: Write>(out: W) -> GzEncoder<W> {
    GzBuilder::new().mtime(0).write(out, Compression::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_member_and_nothing_else() {
        let mut out = writer(Vec::new());
        out.write_all(b"5 2 0 1 2 0\n").unwrap();
        let mut bytes = out.finish().unwrap();
        assert_eq!(bytes[4..8], [0; 4], "no time");
        assert_eq!(
            content_digest(&bytes).unwrap(),
            digest::of_bytes(b"5 2 0 1 2 0\n")
        );
        let mut text = String::new();
        content(&bytes).read_to_string(&mut text).unwrap();
        assert_eq!(text, "5 2 0 1 2 0\n");
        bytes.push(0);
        assert!(content_digest(&bytes).is_err());
        bytes.truncate(bytes.len() - 3);
        assert!(content_digest(&bytes).is_err());
        assert!(content_digest(b"").is_err());
        assert!(is_compressed("proof.lrat.gz") && !is_compressed("formula.cnf"));
    }
}
