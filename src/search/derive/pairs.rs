//! L = 2: for every (n'_1, x_0, x_1), whether a shorter prompt than the best is proved.

use super::fast::{Coverage, Fast, Small};
use super::walk::Walk;
use super::wide::Wide;
use crate::bounds::derive::Start;

/// The scan. Its cost is one coverage per triple that the deficit allows.
pub(super) struct Pairs<'a> {
    pub(super) fast: &'a Fast,
    /// Length that is not reached; shrinks with every point.
    pub(super) below: u64,
    pub(super) best: Option<Small>,
    /// Triples looked at.
    pub(super) tried: u64,
}

impl Pairs<'_> {
    pub(super) fn all(&mut self) {
        let mut used = 1;
        while self.below > 3 + used {
            let most = (self.below - 3) / (1 + used);
            let mut x_0 = 1;
            while x_0 <= most {
                self.lists(used, x_0);
                x_0 += 1;
            }
            used += 1;
        }
    }

    fn point(&self, used: u64, x_0: u64, x_1: u64) -> Option<Small> {
        let used = Wide::new(used);
        let mut p = Small {
            m: Wide::ONE,
            n: vec![used],
            np: vec![used],
            x: vec![Wide::new(x_0), Wide::new(x_1)],
        };
        p.m = p.largest_m(Wide::new(self.below - 1))?;
        if let Some(cap) = self.fast.cap {
            p.m = p.m.min(cap.over(used));
        }
        (p.m >= p.x[0]).then_some(p)
    }

    fn lists(&mut self, used: u64, x_0: u64) {
        for x_1 in 1.. {
            let Some(p) = self.point(used, x_0, x_1) else {
                return;
            };
            self.tried += 1;
            let (queries, draws) = (Wide::new(used), p.x[0].times(p.x[1]));
            let tokens = [if self.fast.coarse { p.m } else { p.x[0] }];
            let first = self.fast.first(&p, queries);
            let strict = self.fast.start == Start::Long;
            let free = first.is_zero() && !strict;
            let b = if strict {
                p.x[1].times(first)
            } else {
                p.x[1].times(first).plus(Wide::ONE)
            };
            let carried = match (strict, free) {
                (true, _) => self.fast.soft.times(queries),
                (false, true) => Wide::ZERO,
                (false, false) => b,
            };
            let deficit = carried.plus(self.fast.rows(&p, &tokens, queries, 1));
            let log = u64::try_from(p.m.times(queries).lg()).unwrap_or(1).max(1);
            let unit = queries.times(Wide::new(log));
            let need = deficit.doubled(32).over(unit).plus(Wide::ONE);
            if need > p.m {
                return;
            }
            let k = need.minus(Wide::ONE);
            let covered =
                draws >= need && (free || k.is_zero() || Coverage::new(p.m, k, b).least() <= draws);
            if covered {
                self.keep(p.clone());
            }
            // x_0 log2(m/k) <= D_1: no larger x_1 can cover more than k
            let gain = u64::try_from(p.m.lg() - k.lg()).unwrap_or(0);
            let hopeless =
                !free && !k.is_zero() && p.x[0].times(Wide::new(gain)) <= first.doubled(32);
            if hopeless || (free && draws >= p.m) {
                return;
            }
        }
    }

    fn keep(&mut self, mut p: Small) {
        if self.fast.margin(&p).is_none_or(|margin| margin < 0) {
            return;
        }
        Walk::new(self.fast, 0).lower(&mut p, 62);
        if let Some(length) = p.length().small().filter(|length| *length < self.below) {
            self.below = length;
            self.best = Some(p);
        }
    }
}
