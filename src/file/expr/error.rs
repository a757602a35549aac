//! Where an expression is wrong, and why.

/// A byte range of the decoded text of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest range that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start, other.end)
    }

    /// The same range as a standard one, for slicing.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start..self.end
    }
}

/// One mistake: in the text, in the types, or during evaluation.
///
/// The caller adds file, line and column, and for an evaluation `, on input {..}`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExprError {
    /// The bytes the message is about; the column of the message is that of the first.
    pub at: Span,
    /// One sentence without a full stop.
    pub message: String,
}

impl ExprError {
    /// An error at `at`.
    #[must_use]
    pub fn new(at: Span, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
        }
    }
}
