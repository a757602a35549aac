//! A file's text, and errors that point into it.

use crate::file::expr;
use std::fmt;
use std::ops::Range;

/// A text with the name it is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Path as the user gave it, or a description such as `evidence`.
    pub name: String,
    /// The whole text; empty when the data did not come as text (then errors carry no position).
    pub text: String,
}

/// What kind of mistake an error is; it decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The input is wrong (exit 2).
    Input,
    /// Only a size is over a limit (exit 3).
    Size,
}

/// One mistake in one file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct FileError {
    /// File, line and column, when known.
    pub place: Option<Place>,
    /// What was found, and what was expected.
    pub message: String,
    /// Whether the input or a size is at fault.
    pub fault: Fault,
}

/// A position, and the line it is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// File name.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The line's text.
    pub text: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(
                f,
                "{}:{}:{}: {}",
                place.file, place.line, place.column, self.message
            ),
            None => f.write_str(&self.message),
        }
    }
}

impl FileError {
    /// An error that concerns no place in a file.
    pub fn unplaced(message: impl Into<String>) -> Self {
        Self {
            place: None,
            message: message.into(),
            fault: Fault::Input,
        }
    }

    /// The same error, about a size.
    #[must_use]
    pub fn about_size(mut self) -> Self {
        self.fault = Fault::Size;
        self
    }

    /// The source line with a caret below, for a terminal.
    pub fn excerpt(&self) -> Option<String> {
        let place = self.place.as_ref()?;
        Some(format!(
            "{}\n{}^",
            place.text,
            " ".repeat(place.column.saturating_sub(1))
        ))
    }
}

impl Source {
    /// A named text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }

    /// An error at a byte offset.
    pub fn error_at(&self, at: usize, message: impl Into<String>) -> FileError {
        let message = message.into();
        if self.text.is_empty() {
            return FileError {
                place: None,
                message,
                fault: Fault::Input,
            };
        }
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let place = Place {
            file: self.name.clone(),
            line: self.text[..at].matches('\n').count() + 1,
            column: self.text[start..at].chars().count() + 1,
            text: self.text[start..].lines().next().unwrap_or("").to_owned(),
        };
        FileError {
            place: Some(place),
            message,
            fault: Fault::Input,
        }
    }

    /// Offset of the first character inside a value: after the opening quotes of a string, else its start.
    pub fn inside(&self, at: &Range<usize>) -> usize {
        let raw = self.text.get(at.clone()).unwrap_or("");
        let quotes = ["\"\"\"", "'''", "\"", "'"]
            .into_iter()
            .find(|quotes| raw.starts_with(quotes));
        at.start + quotes.map_or(0, str::len)
    }

    /// An error inside a value.
    pub fn error_in(&self, at: &Range<usize>, message: impl Into<String>) -> FileError {
        self.error_at(self.inside(at), message)
    }

    /// Offset in the file of a byte offset in the decoded text of the string value at `at`.
    pub fn offset(&self, at: &Range<usize>, decoded: usize) -> usize {
        let raw = self.text.get(at.clone()).unwrap_or("");
        at.start + expr::raw_offset(raw, decoded)
    }
}
