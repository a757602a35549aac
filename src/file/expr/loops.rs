//! Loops: `for = "j in 0..L, i in -1..<j"`.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::{One as _, ToPrimitive as _};

use super::ast::{Bind, Bound};
use super::check::check_unused;
use super::compile::constant_of_tree;
use super::error::{ExprError, Span};
use super::names::{Names, WithVariables};
use super::parse::parse_binds;

/// Ranges over which a part of a file is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    binds: Vec<Bind>,
    at: Span,
}

/// The values of the variables of a loop, in the order of the text.
pub type Point = Vec<(String, BigInt)>;

impl Loop {
    /// Reads a loop.
    ///
    /// # Errors
    /// A text that is not a list of ranges; a variable that occurs twice.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        let binds = parse_binds(text)?;
        let mut seen = BTreeSet::new();
        for bind in &binds {
            if !seen.insert(&bind.name.name) {
                let message = format!(
                    "`{}` already has a meaning here; choose another name",
                    bind.name.name
                );
                return Err(ExprError::new(bind.name.at, message));
            }
        }
        Ok(Self {
            binds,
            at: Span::new(0, text.trim_end().len()),
        })
    }

    /// The variables, outermost first.
    #[must_use]
    pub fn variables(&self) -> Vec<&Bound> {
        self.binds.iter().map(|bind| &bind.name).collect()
    }

    /// Refuses variables that have a meaning already. Not for the loop of a claim about a game, whose
    /// variables override constants.
    ///
    /// # Errors
    /// `` `x` already has a meaning here; choose another name ``.
    pub fn check_fresh(&self, names: &dyn Names) -> Result<(), ExprError> {
        self.binds
            .iter()
            .try_for_each(|bind| check_unused(&bind.name, names))
    }

    /// The points of the loop, in lexicographic order; their number is known before the first.
    ///
    /// # Errors
    /// A range that is not a constant integer at some point; more than `most` points.
    /// # Cost
    /// Every range is evaluated once per point of the ranges before it, twice in total.
    pub fn points<'n>(&self, names: &'n dyn Names, most: u64) -> Result<Points<'n>, ExprError> {
        let mut counting = Walk::new(self.binds.clone());
        let outer = self.binds.len().saturating_sub(1);
        let mut count = BigInt::ZERO;
        let mut visited: u64 = 0;
        while counting.move_to(names, outer)? {
            visited += 1;
            count += counting.length_of_next(names)?;
            if count > BigInt::from(most) || visited > most {
                return Err(self.too_many(&count.max(visited.into()), most));
            }
        }
        let count = count.to_u64().unwrap_or(most);
        Ok(Points {
            walk: Walk::new(self.binds.clone()),
            names,
            count,
        })
    }

    fn too_many(&self, count: &BigInt, most: u64) -> ExprError {
        ExprError::new(
            self.at,
            format!("at least {count} points, expected at most {most}"),
        )
    }
}

/// The points of a loop, one after the other.
#[derive(Debug)]
pub struct Points<'n> {
    walk: Walk,
    names: &'n dyn Names,
    count: u64,
}

impl Points<'_> {
    /// The number of all points.
    #[must_use]
    pub fn count_all(&self) -> u64 {
        self.count
    }
}

impl Iterator for Points<'_> {
    type Item = Point;

    fn next(&mut self) -> Option<Point> {
        let depth = self.walk.binds.len();
        // Counting has evaluated every range, so there is no error left.
        let is_point = self.walk.move_to(self.names, depth).unwrap_or(false);
        is_point.then(|| self.walk.point())
    }
}

/// An odometer whose digits have ranges that depend on the digits before.
#[derive(Debug)]
struct Walk {
    binds: Vec<Bind>,
    /// Value and last value of each open range.
    open: Vec<(BigInt, BigInt)>,
    variables: BTreeMap<String, BigInt>,
    started: bool,
}

impl Walk {
    fn new(binds: Vec<Bind>) -> Self {
        Self {
            binds,
            open: Vec::new(),
            variables: BTreeMap::new(),
            started: false,
        }
    }

    /// Moves to the next combination of the first `depth` variables; false at the end.
    fn move_to(&mut self, names: &dyn Names, depth: usize) -> Result<bool, ExprError> {
        let mut is_here = !self.started || self.advance();
        self.started = true;
        while is_here && self.open.len() < depth {
            let (from, last) = self.range(names)?;
            if from > last {
                is_here = self.advance();
            } else {
                self.open.push((from, last));
                self.show();
            }
        }
        Ok(is_here)
    }

    /// First and last value of the first range that is not open.
    fn range(&mut self, names: &dyn Names) -> Result<(BigInt, BigInt), ExprError> {
        let Some(bind) = self.binds.get(self.open.len()) else {
            return Ok((BigInt::one(), BigInt::ZERO));
        };
        let variables = std::mem::take(&mut self.variables);
        let scope = WithVariables {
            outer: names,
            variables,
        };
        let ends = constant_of_tree(&bind.from, &scope)
            .and_then(|from| constant_of_tree(&bind.to, &scope).map(|to| (from, to)));
        self.variables = scope.variables;
        let (from, to) = ends?;
        Ok((from, if bind.open { to - 1 } else { to }))
    }

    fn length_of_next(&mut self, names: &dyn Names) -> Result<BigInt, ExprError> {
        let (from, last) = self.range(names)?;
        Ok((last - from + 1_u32).max(BigInt::ZERO))
    }

    fn advance(&mut self) -> bool {
        while let Some((now, last)) = self.open.last_mut() {
            if now < last {
                *now += 1_u32;
                self.show();
                return true;
            }
            self.open.pop();
            if let Some(bind) = self.binds.get(self.open.len()) {
                self.variables.remove(&bind.name.name);
            }
        }
        false
    }

    /// Makes the value of the innermost open range visible to later ranges.
    fn show(&mut self) {
        let Some(index) = self.open.len().checked_sub(1) else {
            return;
        };
        if let (Some(bind), Some((now, _))) = (self.binds.get(index), self.open.get(index)) {
            self.variables.insert(bind.name.name.clone(), now.clone());
        }
    }

    fn point(&self) -> Point {
        let names = self.binds.iter().map(|bind| bind.name.name.clone());
        names
            .zip(self.open.iter().map(|(now, _)| now.clone()))
            .collect()
    }
}
