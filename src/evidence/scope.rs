//! Verdicts, and the quantifier scope each of them has.

use serde_json::{Value as Json, json};
use std::fmt;

/// What was found about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The statement holds, in its scope.
    Established,
    /// It does not.
    Refuted,
    /// Not decided; an answer, never a guess.
    Undecided,
}

impl Verdict {
    /// The word in files and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Established => "established",
            Self::Refuted => "refuted",
            Self::Undecided => "undecided",
        }
    }

    /// The verdict with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Established, Self::Refuted, Self::Undecided]
            .into_iter()
            .find(|verdict| verdict.word() == word)
    }

    /// Established and refuted exchanged.
    #[must_use]
    pub fn inverted(self) -> Self {
        match self {
            Self::Established => Self::Refuted,
            Self::Refuted => Self::Established,
            Self::Undecided => Self::Undecided,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// For which quantifier a verdict speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One given protocol.
    ThisProtocol,
    /// All protocols of one given game.
    EveryProtocolOfThisGame,
    /// One point of a parameter space.
    ThisParameterPoint,
    /// All points of a finite range, given by the text of `for`.
    ThisRange(String),
}

impl Scope {
    /// The word in claim files.
    pub fn word(&self) -> &'static str {
        match self {
            Self::ThisProtocol => "this-protocol",
            Self::EveryProtocolOfThisGame => "every-protocol-of-this-game",
            Self::ThisParameterPoint => "this-parameter-point",
            Self::ThisRange(_) => "this-range",
        }
    }

    /// The form in JSON: a word, or `{"this-range": {"for": ..}}`.
    pub fn to_json(&self) -> Json {
        match self {
            Self::ThisRange(text) => json!({"this-range": {"for": text}}),
            Self::ThisProtocol | Self::EveryProtocolOfThisGame | Self::ThisParameterPoint => {
                json!(self.word())
            }
        }
    }
}

/// The words of a text report: `every protocol of this game`.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThisRange(range) => write!(f, "this range: {range}"),
            Self::ThisProtocol | Self::EveryProtocolOfThisGame | Self::ThisParameterPoint => {
                f.pad(&self.word().replace('-', " "))
            }
        }
    }
}
