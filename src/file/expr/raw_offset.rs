//! From positions in a decoded TOML string to positions in the file.

/// The byte of `raw` that produced byte `decoded` of the string.
///
/// `raw` is the whole token, quotes included: a basic or literal string, of one or several lines. A bare
/// key stands for itself. The end of the string (and anything beyond) is the closing quote.
///
/// # Domain
/// `raw` must be valid TOML; for other text some position within it is returned.
/// # Cost
/// Linear in the length of `raw`.
#[must_use]
pub fn raw_offset(raw: &str, decoded: usize) -> usize {
    let Some(form) = Form::of(raw) else {
        return decoded.min(raw.len());
    };
    let end = raw.len().saturating_sub(form.quotes()).max(form.quotes());
    let mut place = form.start(raw);
    let mut produced = 0;
    while place < end {
        let piece = form.piece(raw.get(place..end).unwrap_or_default());
        if piece.raw == 0 || produced + piece.decoded > decoded {
            return place;
        }
        produced += piece.decoded;
        place += piece.raw;
    }
    end
}

/// How a string is quoted.
#[derive(Debug, Clone, Copy)]
struct Form {
    has_escapes: bool,
    is_multi_line: bool,
}

/// A stretch of the token that is decoded as one.
#[derive(Debug, Clone, Copy)]
struct Piece {
    raw: usize,
    decoded: usize,
}

impl Form {
    fn of(raw: &str) -> Option<Self> {
        let quote = raw
            .chars()
            .next()
            .filter(|quote| matches!(quote, '"' | '\''))?;
        let is_multi_line = raw.len() >= 6 && raw.chars().take(3).all(|letter| letter == quote);
        Some(Self {
            has_escapes: quote == '"',
            is_multi_line,
        })
    }

    fn quotes(self) -> usize {
        if self.is_multi_line { 3 } else { 1 }
    }

    /// A line end right after the opening quotes is dropped.
    fn start(self, raw: &str) -> usize {
        let start = self.quotes();
        let rest = raw.get(start..).unwrap_or_default();
        start
            + if self.is_multi_line {
                line_end(rest)
            } else {
                0
            }
    }

    fn piece(self, rest: &str) -> Piece {
        match rest.chars().next() {
            None => Piece { raw: 0, decoded: 0 },
            Some('\\') if self.has_escapes => escape(rest),
            Some('\r') if self.is_multi_line && rest.starts_with("\r\n") => Piece {
                raw: 2,
                decoded: CRLF_BYTES,
            },
            Some(letter) => Piece {
                raw: letter.len_utf8(),
                decoded: letter.len_utf8(),
            },
        }
    }
}

/// The `toml` crate keeps a line end as it is.
const CRLF_BYTES: usize = 2;

/// Length of the line end at the start of the text.
fn line_end(text: &str) -> usize {
    if text.starts_with("\r\n") {
        2
    } else {
        usize::from(text.starts_with('\n'))
    }
}

/// A backslash and what belongs to it.
fn escape(rest: &str) -> Piece {
    let hexadecimal = |digits: usize| {
        let code = rest
            .get(2..2 + digits)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        Piece {
            raw: 2 + digits,
            decoded: code.and_then(char::from_u32).map_or(1, char::len_utf8),
        }
    };
    match rest.chars().nth(1) {
        Some('u') => hexadecimal(4),
        Some('U') => hexadecimal(8),
        Some('x') => hexadecimal(2),
        Some(' ' | '\t' | '\n' | '\r') => Piece {
            raw: continuation(rest),
            decoded: 0,
        },
        Some(letter) => Piece {
            raw: 1 + letter.len_utf8(),
            decoded: 1,
        },
        None => Piece { raw: 1, decoded: 1 },
    }
}

/// A backslash at the end of a line drops all white space up to the next text.
fn continuation(rest: &str) -> usize {
    let after = rest.get(1..).unwrap_or_default();
    rest.len() - after.trim_start_matches([' ', '\t', '\n', '\r']).len()
}
