//! Folds over ranges.

use super::ast::{Bind, Fold, FoldKind};
use super::check::{Checked, Checker, Meaning, Needs, Result};
use super::code::{self, Code, Integer, Range, Reduction, Table, Truth};
use super::error::ExprError;
use super::int::Int;
use super::value::Kind;

/// Ranges and filter of a fold.
pub(super) struct Head {
    pub(super) loops: Vec<Range>,
    pub(super) filter: Option<Truth>,
    pub(super) needs: Needs,
}

impl Checker<'_> {
    pub(super) fn fold(&mut self, fold: &Fold) -> Result<Checked> {
        let depth = self.depth;
        let head = self.open_fold(fold)?;
        let length = if fold.kind == FoldKind::Table {
            self.table_length(fold, &head.loops)?
        } else {
            0
        };
        let role = format!("`{}`", fold.kind.name());
        let (code, needs) = if is_of_truths(fold.kind) {
            let Checked { code: body, needs } = self.truth(&fold.body, &role)?;
            let parts = Box::new(with_body(fold, &head, body));
            let code = match fold.kind {
                FoldKind::Any => Code::Truth(Truth::Any(parts)),
                FoldKind::All => Code::Truth(Truth::All(parts)),
                FoldKind::Count
                | FoldKind::Sum
                | FoldKind::Min
                | FoldKind::Max
                | FoldKind::Table => Code::Integer(Integer::Count(parts)),
            };
            (code, needs)
        } else {
            let Checked { code: body, needs } = self.integer(&fold.body, &role)?;
            let parts = Box::new(with_body(fold, &head, body));
            let code = match reduction(fold.kind) {
                Some(reduction) => Code::Integer(Integer::Fold(reduction, parts)),
                None => Code::Table(Table::Fold(parts), length),
            };
            (code, needs)
        };
        self.close_fold(fold, depth);
        Ok(Checked {
            code,
            needs: head.needs.and(needs).outside(depth),
        })
    }

    /// Checks ranges and filter; the variables stay bound until [`Checker::close_fold`].
    pub(super) fn open_fold(&mut self, fold: &Fold) -> Result<Head> {
        let mut needs = Needs::NOTHING;
        let mut loops = Vec::with_capacity(fold.binds.len());
        for bind in &fold.binds {
            let range = self.range(bind)?;
            needs = needs.and(range.needs);
            loops.push(range.code);
        }
        let filter = match &fold.filter {
            None => None,
            Some(filter) => {
                if fold.kind == FoldKind::Table {
                    return Err(ExprError::new(
                        filter.at,
                        "`table` takes no `if`: its length must be known",
                    ));
                }
                let filter = self.truth(filter, "`if`")?;
                needs = needs.and(filter.needs);
                Some(filter.code)
            }
        };
        Ok(Head {
            loops,
            filter,
            needs,
        })
    }

    pub(super) fn close_fold(&mut self, fold: &Fold, depth: usize) {
        for bind in &fold.binds {
            self.bound.remove(&bind.name.name);
        }
        self.depth = depth;
    }

    fn range(&mut self, bind: &Bind) -> Result<Checked<Range>> {
        self.check_fresh(&bind.name)?;
        let from = self.integer(&bind.from, "range")?;
        let to = self.integer(&bind.to, "range")?;
        let local = self.depth;
        self.depth += 1;
        self.bound
            .insert(bind.name.name.clone(), Meaning::Local(local, Kind::Integer));
        let range = Range {
            local,
            from: from.code,
            to: to.code,
            open: bind.open,
        };
        Ok(Checked {
            code: range,
            needs: from.needs.and(to.needs),
        })
    }

    /// The number of points of constant ranges.
    fn table_length(&mut self, fold: &Fold, loops: &[Range]) -> Result<usize> {
        let mut length = Int::ONE;
        for (bind, range) in fold.binds.iter().zip(loops) {
            let (Integer::Literal(from), Integer::Literal(to)) = (&range.from, &range.to) else {
                return Err(ExprError::new(
                    bind.from.at.to(bind.to.at),
                    "the range of `table` must be constant",
                ));
            };
            let count = to.minus(from).plus(&Int::from(i64::from(!range.open)));
            length = length.times(&count.max(Int::ZERO));
        }
        let most = self.limits.steps;
        match length.to_usize() {
            Some(length) if u64::try_from(length).is_ok_and(|length| length <= most) => Ok(length),
            _ => {
                let message = format!(
                    "a table of {length} entries takes more than {most} steps (`--max-steps`)"
                );
                Err(ExprError::new(fold.name_at, message))
            }
        }
    }
}

fn is_of_truths(kind: FoldKind) -> bool {
    match kind {
        FoldKind::Any | FoldKind::All | FoldKind::Count => true,
        FoldKind::Sum | FoldKind::Min | FoldKind::Max | FoldKind::Table => false,
    }
}

/// How the values are joined; none for a table.
pub(super) fn reduction(kind: FoldKind) -> Option<Reduction> {
    match kind {
        FoldKind::Sum => Some(Reduction::Sum),
        FoldKind::Min => Some(Reduction::Min),
        FoldKind::Max => Some(Reduction::Max),
        FoldKind::Any | FoldKind::All | FoldKind::Count | FoldKind::Table => None,
    }
}

pub(super) fn with_body<T>(fold: &Fold, head: &Head, body: T) -> code::Fold<T> {
    code::Fold {
        at: fold.name_at,
        loops: head.loops.clone(),
        filter: head.filter.clone(),
        body,
    }
}
