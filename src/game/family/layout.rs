//! Layout words over F (full attention) and R (recurrent), as runs, and which of them are solvable.

use num_bigint::BigUint;
use num_traits::{One, Zero};
use std::fmt;

/// A layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Letter {
    /// Full attention: a soft round, which begins the next epoch.
    F,
    /// Recurrent: a linear pass of the current epoch.
    R,
}

/// A layout word, as runs of equal letters with exact counts; `R^281474976710656` is one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    runs: Vec<(Letter, BigUint)>,
}

/// Why a text is no layout word.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found {found}, expected {expected}")]
pub struct WordError {
    /// Byte offset in the text.
    pub at: usize,
    /// What stands there.
    pub found: String,
    /// What may stand there.
    pub expected: &'static str,
}

impl Word {
    /// Reads `F R^4 F`: letters F and R, each with an optional count, blanks ignored.
    ///
    /// # Errors
    /// [`WordError`] with the offset.
    pub fn parse(text: &str) -> Result<Self, WordError> {
        let mut runs: Vec<(Letter, BigUint)> = Vec::new();
        let mut rest = text
            .char_indices()
            .filter(|(_, c)| !c.is_whitespace())
            .peekable();
        while let Some((at, c)) = rest.next() {
            let letter = match c {
                'F' => Letter::F,
                'R' => Letter::R,
                other => return Err(unexpected(at, other, "F or R")),
            };
            let mut count = BigUint::one();
            if rest.next_if(|(_, c)| *c == '^').is_some() {
                let mut digits = String::new();
                while let Some((_, digit)) = rest.next_if(|(_, c)| c.is_ascii_digit()) {
                    digits.push(digit);
                }
                count = digits.parse().map_err(|_| match rest.peek() {
                    Some((at, other)) => unexpected(*at, *other, "a count after `^`"),
                    None => WordError {
                        at: text.len(),
                        found: "end of word".into(),
                        expected: "a count after `^`",
                    },
                })?;
            }
            if count.is_zero() {
                continue;
            }
            match runs.last_mut() {
                Some((last, total)) if *last == letter => *total += count,
                Some(_) | None => runs.push((letter, count)),
            }
        }
        Ok(Self { runs })
    }

    /// The word with these runs; equal neighbours are joined, empty runs dropped.
    pub fn from_runs(runs: impl IntoIterator<Item = (Letter, BigUint)>) -> Self {
        let mut joined: Vec<(Letter, BigUint)> = Vec::new();
        for (letter, count) in runs.into_iter().filter(|(_, count)| !count.is_zero()) {
            match joined.last_mut() {
                Some((last, total)) if *last == letter => *total += count,
                Some(_) | None => joined.push((letter, count)),
            }
        }
        Self { runs: joined }
    }

    /// The runs, in order; neighbours differ.
    pub fn runs(&self) -> &[(Letter, BigUint)] {
        &self.runs
    }

    /// Exact number of full-attention layers.
    pub fn full_layers(&self) -> BigUint {
        self.runs
            .iter()
            .filter(|(letter, _)| *letter == Letter::F)
            .map(|(_, count)| count)
            .sum()
    }

    /// Exact number of passes of each epoch, epoch 0 (before the first F) first.
    pub fn passes(&self) -> Vec<(BigUint, BigUint)> {
        let mut epochs = vec![(BigUint::zero(), BigUint::zero())];
        for (letter, count) in &self.runs {
            match (letter, epochs.last_mut()) {
                (Letter::R, Some((_, passes))) => passes.clone_from(count),
                (Letter::F, _) => epochs.push((count.clone(), BigUint::zero())),
                (Letter::R, None) => {}
            }
        }
        epochs
    }

    fn first(&self) -> Option<Letter> {
        self.runs.first().map(|(letter, _)| *letter)
    }

    /// True when some R stands before the second F.
    fn pass_before_second_full_layer(&self) -> bool {
        match self.runs.as_slice() {
            [(Letter::R, _), ..] => true,
            [(Letter::F, count), (Letter::R, _), ..] => count.is_one(),
            _ => false,
        }
    }

    /// Whether `steps`-fold composition is solvable with this layout at polylogarithmic alphabets, and by which protocol.
    ///
    /// # Source
    /// `hybrid-v1`, main theorem and Appendix B; the protocols and the rows without F are proved here.
    /// # Domain
    /// `steps >= 1`.
    pub fn decide(&self, steps: u64) -> Decision {
        let full = self.full_layers();
        let steps_ = BigUint::from(steps);
        if full > steps_ {
            return Decision::Solvable(Scheme::Full);
        }
        if full == steps_ && self.first() == Some(Letter::R) {
            return Decision::Solvable(Scheme::PrePass);
        }
        if full == steps_ && self.pass_before_second_full_layer() {
            return Decision::Solvable(Scheme::Relay);
        }
        Decision::Not(if full.is_zero() {
            "proved: without F all tables z_1 need different symbols on the edge 1->0"
        } else if full == steps_ && steps == 1 {
            "proved: closed form for one step, S(1->-1) >= m_1^D0 is necessary"
        } else if full == steps_ {
            "hybrid-v1, Appendix B (layout L, 0, A, .., A); proved with a better exponent by the derived ledger"
        } else if self.first() == Some(Letter::F) {
            "hybrid-v1, Theorem 1.1 (at most L-1 full layers); proved for any passes by the derived ledger"
        } else {
            "derived: the ledger with passes before the first full layer (a_0 > 0)"
        })
    }
}

/// Whether a layout solves composition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Yes, by this protocol.
    Solvable(Scheme),
    /// No; where that is proved.
    Not(&'static str),
}

/// The three protocols that solve composition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// F^(L+1): one look-up per full layer, after one that fetches z_0.
    Full,
    /// F R F^(L-1): player 0 looks up z_1\[z_0\], a pass hands it on.
    Relay,
    /// R F^L: a pass hands z_0 on.
    PrePass,
}

impl Scheme {
    /// The word in output: `full`, `relay`, `pre-pass`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Relay => "relay",
            Self::PrePass => "pre-pass",
        }
    }

    /// Why it works.
    pub fn source(self) -> &'static str {
        match self {
            Self::Full => "proved: full protocol, one look-up per layer after one that fetches z_0",
            Self::Relay => {
                "proved: relay protocol, one pass after the first full layer hands z_1[z_0] on"
            }
            Self::PrePass => {
                "proved: pre-pass protocol, one pass before the first full layer hands z_0 on"
            }
        }
    }
}

fn unexpected(at: usize, found: char, expected: &'static str) -> WordError {
    WordError {
        at,
        found: format!("`{found}`"),
        expected,
    }
}

/// Words of up to 64 letters are written out, longer ones with counts.
impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters: BigUint = self.runs.iter().map(|(_, count)| count).sum();
        let short = letters <= BigUint::from(64u8);
        for (letter, count) in &self.runs {
            let name = match letter {
                Letter::F => "F",
                Letter::R => "R",
            };
            if short {
                let mut left = count.clone();
                while !left.is_zero() {
                    f.write_str(name)?;
                    left -= 1u8;
                }
            } else if count.is_one() {
                f.write_str(name)?;
            } else {
                write!(f, "{name}^{count}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheme(text: &str, steps: u64) -> Option<&'static str> {
        match Word::parse(text).unwrap().decide(steps) {
            Decision::Solvable(scheme) => Some(scheme.word()),
            Decision::Not(_) => None,
        }
    }

    #[test]
    fn reads_counts_and_blanks() {
        let word = Word::parse("F F R^281474976710656").unwrap();
        assert_eq!(word.to_string(), "F^2R^281474976710656");
        assert_eq!(Word::parse(&word.to_string()).unwrap(), word);
        assert_eq!(Word::parse("F^2 RR").unwrap().to_string(), "FFRR");
        assert_eq!(
            Word::parse("FXR").unwrap_err().to_string(),
            "found `X`, expected F or R"
        );
        assert_eq!(Word::parse("F^R").unwrap_err().at, 2);
        assert_eq!(Word::parse("F^").unwrap_err().found, "end of word");
    }

    #[test]
    fn the_dichotomy() {
        assert_eq!(scheme("FFF", 2), Some("full"));
        assert_eq!(scheme("FRF", 2), Some("relay"));
        assert_eq!(scheme("RFF", 2), Some("pre-pass"));
        for word in ["FF", "FFR", "FFRR", "F", "FR", "RF", "RRR", ""] {
            assert_eq!(scheme(word, 2), None, "{word}");
        }
        assert_eq!(scheme("FR", 1), Some("relay"));
        assert_eq!(scheme("F", 1), None);
    }
}
