//! Certified minimality at L = 2: every point of the scheme below a length is looked at, or excluded by an exact bound.

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use thiserror::Error;

use super::point::{Answer, check};
use super::setting::{Cost, Layout, Mode, Params, Senders, Start};
use crate::exact::interval::floor_log2_scaled;

/// Longest prompt for which a box is exhausted.
pub const MAX_LENGTH: u64 = 1 << 20;

/// Why a box is not exhausted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unfeasible {
    /// Only L = 2 is exhausted, with a layout that has a ledger.
    #[error("exhaustion is for two steps, a layout with a ledger, and numbers below 2^40")]
    Shape,
    /// More work than allowed.
    #[error("the box below {below} tokens needs more than {budget} evaluations")]
    Budget {
        /// The length.
        below: u64,
        /// The limit.
        budget: u64,
    },
    /// A comparison met the precision cap.
    #[error("a comparison met the precision cap")]
    Undecided,
}

/// All points with fewer than `below` tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Length that is not reached.
    pub below: u64,
    /// Only points with `2^s >= N_{L-1}`.
    pub nontrivial: bool,
}

impl Region {
    /// The number of (m, n_1, n'_1, x_0) in the box; x_1 is bounded by what it costs.
    ///
    /// # Cost
    /// One term per m.
    pub fn points(self) -> BigUint {
        let room = self.below.saturating_sub(3);
        let each = |m: u64| {
            let most = room / m - 1;
            BigUint::from(m) * (BigUint::from(most) * (most + 1) / 2_u32)
        };
        (1..=room / 2).map(each).sum()
    }
}

/// The ledger at L = 2 in machine integers.
#[derive(Clone, Copy, Debug)]
struct Small {
    start: Start,
    merged: bool,
    coarse: bool,
    soft: u128,
    carry: u128,
    passes: [u128; 3],
}

impl Small {
    fn new(layout: &Layout, cost: &Cost) -> Option<Self> {
        let small = |x: &BigUint| x.to_u128().filter(|x| *x < 1 << 40);
        let start = layout.start()?;
        if layout.steps() != 2 {
            return None;
        }
        Some(Self {
            start,
            merged: cost.senders == Senders::Merged,
            coarse: cost.mode == Mode::Coarse,
            soft: small(&cost.soft).filter(|s| *s > 0)?,
            carry: small(&cost.carry)?,
            passes: [
                small(&layout.pass(0))?,
                small(&layout.pass(1))?,
                small(&layout.pass(2))?,
            ],
        })
    }

    /// `D_1`.
    fn first(&self, used: u128, x_0: u128) -> u128 {
        match self.start {
            Start::Long => self.soft * used,
            Start::Short => self.carry * self.passes[0],
            Start::Window => {
                let digest = if self.merged {
                    self.soft
                } else {
                    2 * self.soft
                };
                let carries = self.carry * self.passes[1];
                digest * used + (carries * x_0).min(digest * x_0 + carries)
            }
        }
    }

    /// b in (cov), and whether it is asked strictly.
    fn coverage(&self, first: u128, x_1: u128) -> (u128, bool) {
        if self.start == Start::Long {
            (x_1 * first, true)
        } else {
            (x_1 * first + 1, false)
        }
    }

    /// `D_2`; it does not fall when x_1 grows.
    fn second(&self, used: u128, m: u128, x_0: u128, x_1: u128) -> u128 {
        let tokens = if self.coarse { m } else { x_0 };
        let (first, s) = (self.first(used, x_0), self.soft);
        let to_own = s * tokens * x_1;
        let (carried, early, to_w, to_0, last) = match self.start {
            Start::Short => {
                let carried = if first == 0 { 0 } else { x_1 * first + 1 };
                let times = if self.passes[0] == 0 { 1 } else { x_0 };
                (
                    carried,
                    self.carry * self.passes[0],
                    s * used * times,
                    s * x_0,
                    self.passes[1],
                )
            }
            Start::Long | Start::Window => {
                let carried = if self.start == Start::Long {
                    s * used
                } else {
                    x_1 * first + 1
                };
                let early = to_own + s * x_0 + self.carry * (self.passes[0] + self.passes[1]);
                (
                    carried,
                    early,
                    s * used * x_0,
                    s * x_0 * x_1,
                    self.passes[2],
                )
            }
        };
        let carry = self.carry * last;
        let end = if last == 0 {
            to_w
        } else {
            to_w + (to_0 + to_own + carry)
                .min(to_0 + carry * x_1)
                .min(carry * x_0 * x_1)
        };
        carried + early + end
    }
}

/// Logarithms with 32 fractional bits, rounded down, and their sums.
#[derive(Debug)]
struct Logs {
    one: Vec<i128>,
    sum: Vec<i128>,
}

impl Logs {
    fn up_to(most: u64) -> Self {
        let mut logs = Self {
            one: vec![0],
            sum: vec![0],
        };
        let mut sum = 0;
        for i in 1..=most {
            let log = log2(i);
            sum += log;
            logs.one.push(log);
            logs.sum.push(sum);
        }
        logs
    }

    /// A value below `2^32 log2 C(m, k)`.
    fn binomial(&self, m: usize, k: usize) -> i128 {
        self.sum[m] - self.sum[k] - self.sum[m - k] - i128::try_from(m).unwrap_or(0)
    }

    /// Whether (cov) fails for certain.
    fn fails(&self, m: usize, k: usize, q: i128, b: i128) -> bool {
        k > 0 && self.binomial(m, k) + q * (self.one[k] - self.one[m] - 1) + (b << 32) > 0
    }
}

/// `floor(2^32 log2 x)`.
fn log2(x: u64) -> i128 {
    i128::try_from(floor_log2_scaled(&BigUint::from(x), 32)).unwrap_or(0)
}

fn wide(x: u128) -> i128 {
    i128::try_from(x).unwrap_or(i128::MAX >> 40)
}

/// What an exhaustion found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Least {
    /// The least length with a point that is proved, and the point; `None` if there is none in the box.
    pub best: Option<(u64, Params)>,
    /// Evaluations of the ledger.
    pub evaluations: u64,
}

/// The shortest prompt in a box for which the scheme proves something.
///
/// # Source
/// Derived: `docs/derive.md`, minimality. For fixed (m, n'_1, x_0, x_1) only the largest n_1 has to be tried: neither D nor Theta depends on
/// it, and the right side grows with it. D_2 does not fall with x_1 and t_2 is at most `n'_1 m`, which ends the range of x_1; with D_1 = 0,
/// `x_1 = ceil(m / x_0)` covers everything. A point is dropped only when enclosures of logarithms exclude it; the others are checked exactly.
/// # Errors
/// [`Unfeasible`].
/// # Cost
/// `budget` evaluations at most, some 20 machine operations each.
pub fn least(
    layout: &Layout,
    cost: &Cost,
    region: Region,
    budget: u64,
) -> Result<Least, Unfeasible> {
    let small = Small::new(layout, cost)
        .filter(|_| region.below <= MAX_LENGTH)
        .ok_or(Unfeasible::Shape)?;
    let mut scan = Scan {
        small,
        layout,
        cost,
        region,
        budget,
        logs: Logs::up_to(region.below / 2),
        best: None,
        evaluations: 0,
    };
    let mut used = 1;
    while 3 + 1 + used <= scan.region.below {
        scan.all_sizes(used)?;
        used += 1;
    }
    Ok(Least {
        best: scan.best,
        evaluations: scan.evaluations,
    })
}

struct Scan<'a> {
    small: Small,
    layout: &'a Layout,
    cost: &'a Cost,
    /// Shrinks with every point found.
    region: Region,
    budget: u64,
    logs: Logs,
    best: Option<(u64, Params)>,
    evaluations: u64,
}

/// What stays fixed while x_0 and x_1 vary.
#[derive(Clone, Copy)]
struct Frame {
    used: u64,
    m: u64,
    /// The largest n_1.
    n: u64,
    /// At least `2^32 n'_1 log2 N_1`.
    unit: u128,
}

impl Scan<'_> {
    fn all_sizes(&mut self, used: u64) -> Result<(), Unfeasible> {
        let mut m = 1;
        while let Some(frame) = self.frame(used, m) {
            // a point that was found shrinks the box: the same m again, with the smaller n_1
            if !self.any_list(frame)? {
                m += 1;
            }
        }
        Ok(())
    }

    /// Looks at all lists for one m; true as soon as a point is found.
    fn any_list(&mut self, frame: Frame) -> Result<bool, Unfeasible> {
        for x_0 in 1..=frame.m {
            if self.lists(frame, x_0)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The largest n_1 for m, if any is at least n'_1. Both limits on n_1 fall with m.
    fn frame(&self, used: u64, m: u64) -> Option<Frame> {
        let mut n = (self.region.below.checked_sub(3)? / m).checked_sub(1)?;
        if self.region.nontrivial && self.small.soft < 40 {
            n = n.min((1_u64 << self.small.soft) / m);
        }
        if n < used {
            return None;
        }
        let unit = u128::try_from(log2(n * m) + 1).ok()? * u128::from(used);
        Some(Frame { used, m, n, unit })
    }

    fn lists(&mut self, frame: Frame, x_0: u64) -> Result<bool, Unfeasible> {
        let Frame { used, m, unit, .. } = frame;
        let (used, m, x) = (u128::from(used), u128::from(m), u128::from(x_0));
        let first = self.small.first(used, x);
        let (rows, top) = (
            usize::try_from(m).unwrap_or(0),
            self.logs.one[usize::try_from(m).unwrap_or(0)] + 1,
        );
        for x_1 in 1_u64.. {
            let (q, y) = (x * u128::from(x_1), u128::from(x_1));
            let second = self.small.second(used, m, x, y);
            self.evaluations += 1;
            if self.evaluations > self.budget {
                return Err(Unfeasible::Budget {
                    below: self.region.below,
                    budget: self.budget,
                });
            }
            // Theta n'_1 log2 N_1 > D_2
            let need = (second << 32) / unit + 1;
            if need > m {
                return Ok(false);
            }
            let most = m.min(q);
            let free = first == 0 && self.small.start == Start::Short;
            if need <= most {
                let k = usize::try_from(need - 1).unwrap_or(0);
                let (b, _) = self.small.coverage(first, y);
                let draws = wide(q);
                let last = usize::try_from(most - 1).unwrap_or(0);
                let excluded = !free
                    && self.logs.fails(rows, k, draws, wide(b))
                    && self.logs.fails(rows, last, draws, wide(b));
                if !excluded && self.try_point(frame, x_0, x_1)? {
                    return Ok(true);
                }
            }
            // x_0 log2(m/k) <= D_1: no larger x_1 can cover more than k
            if !free && need > 1 {
                let k = usize::try_from(need - 1).unwrap_or(0);
                if wide(x) * (top - self.logs.one[k]) <= (wide(first) << 32) {
                    return Ok(false);
                }
            }
            if free && q >= m {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Checks a point exactly; if it is proved, keeps the least n_1 and shrinks the box.
    fn try_point(&mut self, frame: Frame, x_0: u64, x_1: u64) -> Result<bool, Unfeasible> {
        let params = |n: u64| Params {
            m: frame.m.into(),
            n: vec![n.into()],
            np: vec![frame.used.into()],
            x: vec![x_0.into(), x_1.into()],
        };
        let proved = |n: u64| match check(self.layout, self.cost, &params(n))
            .map(|ledger| ledger.answer())
        {
            Ok(Answer::Proved) => Ok(true),
            Ok(Answer::NotProved) => Ok(false),
            Ok(Answer::Undecided) | Err(_) => Err(Unfeasible::Undecided),
        };
        if !proved(frame.n)? {
            return Ok(false);
        }
        let (mut low, mut high) = (frame.used, frame.n);
        while low < high {
            let middle = low.midpoint(high);
            if proved(middle)? {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let length = 2 + frame.m + frame.m * high;
        self.region.below = length;
        self.best = Some((length, params(high)));
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::scheme::Scheme;
    use super::*;
    use num_traits::Zero;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_small_ledger_is_the_ledger(
            (m, used, x_0, x_1) in (1_u64..60, 1_u64..9, 1_u64..60, 1_u64..9),
            (s, c) in (1_u64..20, 0_u64..20),
            (full, a) in (1_usize..3, prop::collection::vec(0_u64..3, 3)),
            (merged, coarse) in (any::<bool>(), any::<bool>()),
        ) {
            let layout = Layout::new(2, a.iter().take(full + 1).map(|a| BigUint::from(*a)).collect()).unwrap();
            let cost = Cost {
                soft: s.into(), carry: c.into(),
                senders: if merged { Senders::Merged } else { Senders::Separate },
                mode: if coarse { Mode::Coarse } else { Mode::Refined },
            };
            let x_0 = x_0.min(m);
            let params = Params { m: m.into(), n: vec![used.into()], np: vec![used.into()], x: vec![x_0.into(), x_1.into()] };
            let Some(small) = Small::new(&layout, &cost) else { return Ok(()) };
            let scheme = Scheme::new(&layout, &cost, &params).unwrap();
            let ledger = check(&layout, &cost, &params).unwrap();
            let first = small.first(used.into(), x_0.into());
            prop_assert_eq!(BigUint::from(first), scheme.first_deficit());
            prop_assert_eq!(BigUint::from(small.second(used.into(), m.into(), x_0.into(), x_1.into())), ledger.deficit);
            let rectangle = &ledger.steps[0].rectangle;
            if !rectangle.free {
                prop_assert_eq!(small.coverage(first, x_1.into()), (rectangle.cost.to_u128().unwrap(), rectangle.strict));
            }
            prop_assert_eq!(first.is_zero() && small.start == Start::Short, rectangle.free);
        }
    }

    /// The box by brute force, straight from its definition.
    fn naive(layout: &Layout, cost: &Cost, region: Region) -> Option<u64> {
        let mut best = None;
        for m in 1..region.below {
            for n in 1..region.below {
                let length = 2 + m + m * n;
                if length >= region.below || best.is_some_and(|best| best <= length) {
                    continue;
                }
                let any = (1..=n).any(|np| {
                    (1..=m).any(|x_0| {
                        (1..=2 * m + 8).any(|x_1| {
                            let params = Params {
                                m: m.into(),
                                n: vec![n.into()],
                                np: vec![np.into()],
                                x: vec![x_0.into(), x_1.into()],
                            };
                            let ledger = check(layout, cost, &params).unwrap();
                            ledger.answer() == Answer::Proved
                                && !(region.nontrivial && ledger.trivial)
                        })
                    })
                });
                if any {
                    best = Some(length);
                }
            }
        }
        best
    }

    #[test]
    fn agrees_with_brute_force_on_small_boxes() {
        for passes in [
            vec![0_u64, 0],
            vec![0, 1],
            vec![1, 1],
            vec![0, 0, 0],
            vec![0, 0, 1],
            vec![0, 1, 0],
        ] {
            for (s, c) in [(1_u64, 1_u64), (2, 1), (3, 2), (4, 4)] {
                for nontrivial in [false, true] {
                    let layout =
                        Layout::new(2, passes.iter().map(|a| BigUint::from(*a)).collect()).unwrap();
                    let cost = Cost {
                        soft: BigUint::from(s),
                        carry: BigUint::from(c),
                        senders: Senders::Separate,
                        mode: Mode::Refined,
                    };
                    let region = Region {
                        below: 22,
                        nontrivial,
                    };
                    let found = least(&layout, &cost, region, 1 << 30).unwrap();
                    assert_eq!(
                        found.best.map(|(n, _)| n),
                        naive(&layout, &cost, region),
                        "{passes:?} s={s} C={c} {nontrivial}"
                    );
                }
            }
        }
    }

    #[test]
    fn points_are_counted() {
        let region = Region {
            below: 9,
            nontrivial: false,
        };
        // (m, n_1) with 2 + m + m n_1 < 9
        let by_hand: u64 = (1..9)
            .flat_map(|m| (1..9).map(move |n| (m, n)))
            .filter(|(m, n)| 2 + m + m * n < 9)
            .map(|(m, n)| m * n)
            .sum();
        assert_eq!(region.points(), BigUint::from(by_hand));
    }
}
