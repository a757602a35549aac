//! The ledger of the scheme in [`Wide`] numbers. It answers backwards: from the final inequality to the least x_0 that can do.

use super::wide::{Fixed, Wide};
use crate::bounds::derive::{Cost, Layout, Mode, Opening, Params, Senders, Start};
use num_bigint::BigUint;

/// The integers of a point.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Small {
    pub(super) m: Wide,
    pub(super) n: Vec<Wide>,
    pub(super) np: Vec<Wide>,
    pub(super) x: Vec<Wide>,
}

impl Small {
    pub(super) fn of(params: &Params) -> Option<Self> {
        let all = |list: &[BigUint]| list.iter().map(Wide::of).collect::<Option<Vec<_>>>();
        let mut point = Self {
            m: Wide::of(&params.m)?,
            n: all(&params.n)?,
            np: all(&params.np)?,
            x: all(&params.x)?,
        };
        // rounding must not leave n' above n, or x_0 above m
        for (n, np) in point.n.iter_mut().zip(&point.np) {
            *n = (*n).max(*np);
        }
        point.m = point.m.max(point.x[0]);
        Some(point)
    }

    pub(super) fn params(&self) -> Params {
        let all = |list: &[Wide]| list.iter().map(|x| x.to_big()).collect();
        Params {
            m: self.m.to_big(),
            n: all(&self.n),
            np: all(&self.np),
            x: all(&self.x),
        }
    }

    pub(super) fn length(&self) -> Wide {
        let (mut range, mut sum) = (self.m, self.m.plus(Wide::new(2)));
        for n in &self.n {
            range = range.times(*n);
            sum = sum.plus(range);
        }
        sum
    }

    /// The largest m that keeps the length at most `n`.
    pub(super) fn largest_m(&self, n: Wide) -> Option<Wide> {
        let (mut product, mut sum) = (Wide::ONE, Wide::ONE);
        for n in &self.n {
            product = product.times(*n);
            sum = sum.plus(product);
        }
        let m = n.minus(Wide::new(2)).over(sum);
        (!m.is_zero()).then_some(m)
    }
}

fn product(list: &[Wide]) -> Wide {
    list.iter().fold(Wide::ONE, |a, b| a.times(*b))
}

/// `a / b`, rounded up.
fn quotient_up(a: Wide, b: Wide) -> Wide {
    let down = a.over(b);
    if down.times(b) < a {
        down.plus(Wide::ONE)
    } else {
        down
    }
}

/// The ledger of a layout and a cost.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    pub(super) steps: usize,
    pub(super) start: Start,
    pub(super) soft: Wide,
    pub(super) coarse: bool,
    carry: Wide,
    /// `a_0 .. a_epochs`.
    passes: Vec<Wide>,
    merged: bool,
    opening: Opening,
    /// `N_{L-1}` may not be larger.
    pub(super) cap: Option<Wide>,
}

/// `log2(2 pi)` times 2^32.
const LOG2_TWO_PI: i64 = 11_388_000_000;
/// `log2 e` times 2^32.
const LOG2_E: u128 = 6_196_328_018;

impl Fast {
    pub(super) fn new(
        layout: &Layout,
        cost: &Cost,
        opening: Opening,
        nontrivial: bool,
    ) -> Option<Self> {
        let soft = Wide::of(&cost.soft)?;
        let cap = soft.small().filter(|s| nontrivial && *s < 1 << 24);
        Some(Self {
            steps: layout.steps(),
            start: layout.start()?,
            soft,
            carry: Wide::of(&cost.carry)?,
            passes: (0..=layout.epochs())
                .map(|e| Wide::of(&layout.pass(e)))
                .collect::<Option<_>>()?,
            merged: cost.senders == Senders::Merged,
            coarse: cost.mode == Mode::Coarse,
            opening,
            cap: cap.map(|s| Wide::ONE.doubled(u32::try_from(s).unwrap_or(0))),
        })
    }

    /// `g_{l+1} s`.
    fn digest(&self, l: usize) -> Wide {
        if self.merged {
            self.soft
        } else {
            self.soft.times(Wide::new((self.steps - l) as u64))
        }
    }

    fn tokens(&self, p: &Small, ranges: &[Wide], l: usize) -> Wide {
        let variable = |l: usize| {
            if l == 1 {
                p.x[0]
            } else {
                p.np[l - 2].times(ranges[l - 2])
            }
        };
        if self.coarse {
            ranges[l - 1]
        } else if l == 1 {
            variable(1)
        } else {
            variable(l).plus(ranges[l - 2]).minus(variable(l - 1))
        }
    }

    /// `D_1`.
    pub(super) fn first(&self, p: &Small, queries: Wide) -> Wide {
        match self.start {
            Start::Long => self.soft.times(queries),
            Start::Short => self.carry.times(self.passes[0]),
            Start::Window => {
                let (digest, carries) = (self.digest(0), self.carry.times(self.passes[1]));
                let cut = digest.times(p.x[0]).plus(carries);
                digest.times(queries).plus(carries.times(p.x[0]).min(cut))
            }
        }
    }

    /// `log2 x_0 - log2` of the least `t_1` that closes the ledger: at least 0 where the point is proved, up to rounding. `None` where
    /// no `t_1` does.
    pub(super) fn margin(&self, p: &Small) -> Option<Fixed> {
        let mut ranges = vec![p.m];
        for n in &p.n {
            ranges.push(ranges[ranges.len() - 1].times(*n));
        }
        let answers = ranges[self.steps - 1];
        if self.cap.is_some_and(|cap| answers > cap) || answers < Wide::new(2) || p.x[0] > p.m {
            return None;
        }
        let queries = product(&p.np);
        let tokens: Vec<Wide> = (1..self.steps)
            .map(|l| self.tokens(p, &ranges, l))
            .collect();
        let (mut deficit, mut costs) = (self.first(p, queries), Vec::new());
        for l in 1..self.steps {
            let (asked, carried) = self.rectangle(p, &tokens, queries, l, deficit);
            costs.push(asked);
            deficit = carried.plus(self.rows(p, &tokens, queries, l));
        }
        let unit = Wide::new(u64::try_from(answers.lg()).ok()?);
        let mut t = deficit.doubled(32).over(unit).plus(Wide::ONE);
        for l in (1..self.steps).rev() {
            let theta = quotient_up(t, p.np[l - 1]);
            let draws = least_draws(ranges[l - 1], theta, costs[l - 1])?;
            t = quotient_up(draws, p.x[l]);
        }
        Some(p.x[0].lg() - t.lg() - i64::from(p.x[0] < t))
    }

    /// b of (cov), `None` where nothing is asked, and what is carried over.
    fn rectangle(
        &self,
        p: &Small,
        tokens: &[Wide],
        queries: Wide,
        l: usize,
        deficit: Wide,
    ) -> (Option<Wide>, Wide) {
        if l == 1 && self.start == Start::Long {
            let carried = self.digest(1).times(queries);
            return (Some(p.x[1].times(deficit)), carried);
        }
        if l == 2 && self.opening == Opening::Product {
            let digests = tokens[0].times(p.x[1]).plus(p.x[0]).plus(queries);
            let each = self.soft.times(digests);
            let others = Wide::new((self.steps - 2) as u64);
            return (Some(p.x[2].times(each)), each.times(others));
        }
        if deficit.is_zero() {
            return (None, Wide::ZERO);
        }
        let cost = p.x[l].times(deficit).plus(Wide::ONE);
        (Some(cost), cost)
    }

    /// The rows of `D_{l+1}` but for what the rectangle carries, with the best option in the last step.
    pub(super) fn rows(&self, p: &Small, tokens: &[Wide], queries: Wide, l: usize) -> Wide {
        let long = self.start != Start::Short;
        let (base, epoch, last) = (
            long && l == 1,
            if long { l } else { l - 1 },
            l + 1 == self.steps,
        );
        let digest = self.digest(l);
        let own = tokens[l - 1].times(p.x[l]);
        let before = self.passes.iter().take(epoch + 1);
        let before = before.fold(Wide::ZERO, |a, b| a.plus(*b));
        let mut sum = digest
            .times(own)
            .times(Wide::new(epoch as u64))
            .plus(self.carry.times(before));
        if base {
            sum = sum.plus(digest.times(p.x[0]));
        }
        let lists = |from: usize| product(&p.x[from..l]);
        let to_w = if epoch == 0 && self.passes[0].is_zero() {
            queries
        } else {
            queries.times(lists(0))
        };
        let to_0 = if base { p.x[0].times(p.x[1]) } else { lists(0) };
        let carry = self.carry.times(self.passes[epoch + 1]);
        // digests to w, 0, 1, .., l in this order, as running sums
        let mut running = vec![digest.times(to_w)];
        running.push(running[0].plus(digest.times(to_0)));
        for i in 1..=l {
            let entry = if i == l {
                own
            } else {
                tokens[i - 1].times(lists(i))
            };
            running.push(running[i].plus(digest.times(entry)));
        }
        if !last {
            return sum.plus(running[l + 1]).plus(carry);
        }
        if self.passes[epoch + 1].is_zero() {
            return sum.plus(running[0]);
        }
        let option = |q: usize| {
            let carries = carry.times(product(&p.x[q.min(self.steps)..]));
            running[q.min(l + 1)].plus(carries)
        };
        let best = (0..=self.steps).map(option).min();
        sum.plus(best.unwrap_or_default())
    }
}

/// (cov) at k: `2^32` times the cost `log2 C(v,k) + b`, and `2^32 log2(v/k)`, which every draw pays. The binomial by its entropy and,
/// where the exact check is by integers, Stirling's correction.
pub(super) struct Coverage {
    cost: Wide,
    draw: Wide,
    correction: Wide,
    bits: u64,
}

impl Coverage {
    pub(super) fn new(v: Wide, k: Wide, b: Wide) -> Self {
        let rest = v.minus(k);
        let (of_v, of_k, of_rest) = (v.lg(), k.lg(), rest.lg());
        let fixed = |x: Fixed| Wide::new(u64::try_from(x).unwrap_or(0));
        // a difference of logarithms of numbers that are close has no digits: series in the ratio
        let draw = if rest.doubled(5) < v {
            Wide::new(log_series(ratio(rest, v)))
        } else {
            fixed(of_v - of_k)
        };
        let complement = if k.doubled(5) < v {
            k.times(Wide::new(complement_series(ratio(k, v))))
        } else {
            rest.times(fixed(of_v - of_rest))
        };
        Self {
            cost: k.times(draw).plus(complement).plus(b.doubled(32)),
            draw: draw.max(Wide::ONE),
            correction: fixed((of_k + of_rest + LOG2_TWO_PI - of_v) / 2),
            bits: v.bits(),
        }
    }

    /// The least number of draws that is enough.
    pub(super) fn least(&self) -> Wide {
        let plain = quotient_up(self.cost, self.draw);
        if plain.times(Wide::new(self.bits)) > Wide::new(200_000) {
            return plain;
        }
        quotient_up(self.cost.minus(self.correction), self.draw)
    }
}

/// `2^32 k/v`, for k below v.
fn ratio(k: Wide, v: Wide) -> u128 {
    let ratio = k.doubled(32).over(v).small();
    u128::from(ratio.unwrap_or(0).min(1 << 32))
}

/// `2^32 log2(1/(1-p))` for `p / 2^32` at most 1/32.
fn log_series(p: u128) -> u64 {
    let (square, cube) = ((p * p) >> 32, (p * p * p) >> 64);
    let sum = p + square / 2 + cube / 3 + ((cube * p) >> 34);
    u64::try_from((sum * LOG2_E) >> 32).unwrap_or(0)
}

/// `2^32 (1-p)/p log2(1/(1-p))` for `p / 2^32` at most 1/32.
fn complement_series(p: u128) -> u64 {
    let (square, cube) = ((p * p) >> 32, (p * p * p) >> 64);
    let sum = (1 << 32) - p / 2 - square / 6 - cube / 12;
    u64::try_from((sum * LOG2_E) >> 32).unwrap_or(0)
}

/// The least number of draws with which theta of v values are covered at cost b; `None` for theta above v.
fn least_draws(v: Wide, theta: Wide, b: Option<Wide>) -> Option<Wide> {
    if theta > v {
        return None;
    }
    let k = theta.minus(Wide::ONE);
    match b {
        Some(b) if !k.is_zero() => Some(Coverage::new(v, k, b).least().max(theta)),
        Some(_) | None => Some(theta),
    }
}
