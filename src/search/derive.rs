//! Looks for small points of the scheme. Untrusted: every point that leaves here has passed the exact check.
//!
//! Deterministic and without floats: logarithms are fixed point with 32 fractional bits, the generator is SplitMix64 with fixed seeds,
//! restarts run in parallel and are merged by (n, then integers), so threads do not matter.

use crate::bounds::derive::closed::theorem_two;
use crate::bounds::derive::{Answer, Cost, Layout, Ledger, Mode, Params, Senders, Start, check};
use crate::exact::interval::floor_log2_scaled;
use crate::search::exponent;
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Pow, ToPrimitive, Zero};
use rayon::prelude::*;
use std::sync::OnceLock;

/// Fixed-point logarithms: value times 2^32.
type Fixed = i64;

/// Numbers above this leave the fixed-point ledger.
const LARGEST: u128 = 1 << 84;
/// At L = 2, prompts up to this length are scanned over all (n'_1, x_0, x_1).
const LONGEST_SCAN: u128 = 1 << 19;
/// Steps of one restart.
const STEPS: usize = 100_000;
/// Independent restarts.
const RESTARTS: u64 = 8;

/// A point that has passed the exact check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its integers.
    pub params: Params,
    /// Its ledger.
    pub ledger: Ledger,
}

impl Point {
    fn proved(layout: &Layout, cost: &Cost, params: Params) -> Option<Self> {
        let ledger = check(layout, cost, &params).ok()?;
        (ledger.answer() == Answer::Proved).then_some(Self { params, ledger })
    }

    fn better(self, other: Option<Self>) -> Self {
        match other {
            Some(other)
                if (&other.ledger.length, &other.params) <= (&self.ledger.length, &self.params) =>
            {
                other
            }
            Some(_) | None => self,
        }
    }
}

/// The shortest prompts found.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Found {
    /// The least n.
    pub least: Option<Point>,
    /// The least n with `2^s >= N_{L-1}`.
    pub nontrivial: Option<Point>,
}

impl Found {
    fn add(&mut self, point: Point) {
        if !point.ledger.trivial {
            self.nontrivial = Some(point.clone().better(self.nontrivial.take()));
        }
        self.least = Some(point.better(self.least.take()));
    }

    fn join(mut self, other: Self) -> Self {
        for point in [other.least, other.nontrivial].into_iter().flatten() {
            self.add(point);
        }
        self
    }
}

/// The generator SplitMix64.
#[derive(Clone, Debug)]
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    fn index(&mut self, n: usize) -> usize {
        usize::try_from(self.below(n as u64)).unwrap_or(0)
    }
}

/// `2^32 log2(1 + i / 4096)`.
fn table() -> &'static [i64] {
    static TABLE: OnceLock<Vec<i64>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let log = |i: u32| {
            floor_log2_scaled(&BigUint::from(4096 + i), 32)
                .to_i64()
                .unwrap_or(0)
                - (12_i64 << 32)
        };
        (0..=4096).map(log).collect()
    })
}

/// `2^32 log2 x`, to about 27 bits.
fn lg(x: u128) -> Fixed {
    if x == 0 {
        return 0;
    }
    let top = x.ilog2();
    let mantissa = u64::try_from((x << (127 - top)) >> 64).unwrap_or(u64::MAX) << 1;
    let (slot, rest) = (
        usize::try_from(mantissa >> 52).unwrap_or(0),
        (mantissa >> 20) & 0xffff_ffff,
    );
    let list = table();
    let (low, high) = (list[slot], list[slot + 1]);
    let between = (i128::from(high - low) * i128::from(rest)) >> 32;
    (i64::from(top) << 32) + low + i64::try_from(between).unwrap_or(0)
}

/// The integers of a point in machine words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Small {
    m: u128,
    n: Vec<u128>,
    np: Vec<u128>,
    x: Vec<u128>,
}

impl Small {
    fn of(params: &Params) -> Option<Self> {
        let all = |list: &[BigUint]| {
            list.iter()
                .map(BigUint::to_u128)
                .collect::<Option<Vec<_>>>()
        };
        Some(Self {
            m: params.m.to_u128()?,
            n: all(&params.n)?,
            np: all(&params.np)?,
            x: all(&params.x)?,
        })
    }

    fn params(&self) -> Params {
        let all = |list: &[u128]| list.iter().map(|x| BigUint::from(*x)).collect();
        Params {
            m: self.m.into(),
            n: all(&self.n),
            np: all(&self.np),
            x: all(&self.x),
        }
    }

    fn length(&self) -> Option<u128> {
        let (mut range, mut sum) = (self.m, self.m.checked_add(2)?);
        for n in &self.n {
            range = times(range, *n)?;
            sum += range;
        }
        Some(sum)
    }

    /// The largest m that keeps the length at most `n`.
    fn largest_m(&self, n: u128) -> Option<u128> {
        let (mut product, mut sum) = (1_u128, 1_u128);
        for n in &self.n {
            product = times(product, *n)?;
            sum += product;
        }
        Some(n.checked_sub(2)? / sum).filter(|m| *m >= 1)
    }
}

fn times(a: u128, b: u128) -> Option<u128> {
    a.checked_mul(b).filter(|product| *product < LARGEST)
}

fn product(list: &[u128]) -> Option<u128> {
    list.iter().try_fold(1, |a, b| times(a, *b))
}

/// The ledger in machine words and fixed-point logarithms.
#[derive(Clone, Debug)]
struct Fast {
    steps: usize,
    start: Start,
    soft: u128,
    carry: u128,
    /// `a_0 .. a_epochs`.
    passes: Vec<u128>,
    merged: bool,
    coarse: bool,
    /// `N_{L-1}` may not be larger.
    cap: u128,
}

/// `log2(2 pi)` times 2^32.
const LOG2_TWO_PI: i64 = 11_388_000_000;

impl Fast {
    fn new(layout: &Layout, cost: &Cost, nontrivial: bool) -> Option<Self> {
        let small = |x: &BigUint| x.to_u128().filter(|x| *x < LARGEST);
        let soft = small(&cost.soft)?;
        Some(Self {
            steps: layout.steps(),
            start: layout.start()?,
            soft,
            carry: small(&cost.carry)?,
            passes: (0..=layout.epochs())
                .map(|e| small(&layout.pass(e)))
                .collect::<Option<_>>()?,
            merged: cost.senders == Senders::Merged,
            coarse: cost.mode == Mode::Coarse,
            cap: if nontrivial && soft < 84 {
                1 << soft
            } else {
                LARGEST
            },
        })
    }

    fn digest(&self, l: usize) -> u128 {
        if self.merged {
            self.soft
        } else {
            self.soft * (self.steps - l) as u128
        }
    }

    fn tokens(&self, p: &Small, ranges: &[u128], l: usize) -> Option<u128> {
        let variable = |l: usize| {
            if l == 1 {
                Some(p.x[0])
            } else {
                times(p.np[l - 2], ranges[l - 2])
            }
        };
        if self.coarse {
            return Some(ranges[l - 1]);
        }
        if l == 1 {
            variable(1)
        } else {
            Some(variable(l)? + ranges[l - 2] - variable(l - 1)?)
        }
    }

    fn first(&self, p: &Small, queries: u128) -> Option<u128> {
        match self.start {
            Start::Long => times(self.soft, queries),
            Start::Short => times(self.carry, self.passes[0]),
            Start::Window => {
                let (digest, carries) = (self.digest(0), times(self.carry, self.passes[1])?);
                let least = times(carries, p.x[0])?.min(times(digest, p.x[0])? + carries);
                Some(times(digest, queries)? + least)
            }
        }
    }

    /// `log2(t_L log2 N) - log2 D_L`: positive where the point is proved, up to rounding.
    fn margin(&self, p: &Small) -> Option<Fixed> {
        let mut ranges = vec![p.m];
        for n in &p.n {
            ranges.push(times(ranges[ranges.len() - 1], *n)?);
        }
        let answers = ranges[self.steps - 1];
        if answers > self.cap || answers < 2 || p.x[0] > p.m {
            return None;
        }
        let queries = product(&p.np)?;
        let tokens: Vec<u128> = (1..self.steps)
            .map(|l| self.tokens(p, &ranges, l))
            .collect::<Option<_>>()?;
        let (mut t, mut deficit) = (p.x[0], self.first(p, queries)?);
        for l in 1..self.steps {
            let base = self.start != Start::Short && l == 1;
            let (v, q) = (ranges[l - 1], times(p.x[l], t)?);
            let free = deficit == 0 && !base;
            let strict = base && self.start == Start::Long;
            let b = times(p.x[l], deficit)? + u128::from(!strict);
            let theta = if free {
                v.min(q)
            } else {
                largest_cover(v, q, b)
            };
            let carried = if strict {
                times(self.digest(l), queries)?
            } else if free {
                0
            } else {
                b
            };
            deficit = carried.checked_add(self.rows(p, &tokens, queries, l)?)?;
            t = times(p.np[l - 1], theta)?;
        }
        Some(lg(t) + lg(u128::try_from(lg(answers)).ok()?) - (32_i64 << 32) - lg(deficit.max(1)))
    }

    fn rows(&self, p: &Small, tokens: &[u128], queries: u128, l: usize) -> Option<u128> {
        let long = self.start != Start::Short;
        let (base, epoch, last) = (
            long && l == 1,
            if long { l } else { l - 1 },
            l + 1 == self.steps,
        );
        let digest = self.digest(l);
        let own = times(tokens[l - 1], p.x[l])?;
        let before: u128 = self.passes.iter().take(epoch + 1).sum();
        let mut sum = times(digest, times(own, epoch as u128)?)? + times(self.carry, before)?;
        if base {
            sum += times(digest, p.x[0])?;
        }
        let lists = |from: usize| product(&p.x[from..l]);
        let to_w = times(
            queries,
            if epoch == 0 && self.passes[0] == 0 {
                1
            } else {
                lists(0)?
            },
        )?;
        let to_0 = if base {
            times(p.x[0], p.x[1])?
        } else {
            lists(0)?
        };
        let carry = times(self.carry, self.passes[epoch + 1])?;
        // digests to w, 0, 1, .., l in this order, as running sums
        let mut running = vec![times(digest, to_w)?];
        running.push(running[0] + times(digest, to_0)?);
        for i in 1..=l {
            let entry = if i == l {
                own
            } else {
                times(tokens[i - 1], lists(i)?)?
            };
            running.push(running[i] + times(digest, entry)?);
        }
        if !last {
            return Some(sum + running[l + 1] + carry);
        }
        if carry == 0 && self.passes[epoch + 1] == 0 {
            return Some(sum + running[0]);
        }
        let option = |q: usize| {
            Some(running[q.min(l + 1)] + times(carry, product(&p.x[q.min(self.steps)..])?)?)
        };
        let best = (0..=self.steps).filter_map(option).min()?;
        Some(sum + best)
    }
}

/// The largest Theta by (cov), with the binomial by its entropy and, where the exact check is by integers, Stirling's correction.
fn largest_cover(v: u128, q: u128, b: u128) -> u128 {
    let most = v.min(q);
    let exact = q * u128::from(128 - v.leading_zeros()) <= 200_000;
    let holds = |k: u128| cover_sum(v, k, q, b, exact) <= 0;
    if most <= 1 || holds(most - 1) {
        return most;
    }
    let (mut low, mut high) = (0, most - 1);
    while low + 1 < high {
        let middle = u128::midpoint(low, high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low + 1
}

fn cover_sum(v: u128, k: u128, q: u128, b: u128, exact: bool) -> i128 {
    let (of_v, of_k, of_rest) = (lg(v), lg(k), lg(v - k));
    let part = |x: u128, log: Fixed| i128::try_from(x).unwrap_or(i128::MAX >> 45) * i128::from(log);
    let mut sum = part(v, of_v) - part(k, of_k) - part(v - k, of_rest) + part(q, of_k - of_v);
    sum += i128::try_from(b).unwrap_or(i128::MAX >> 45) << 32;
    if exact {
        sum += i128::from((of_v - of_k - of_rest - LOG2_TWO_PI) / 2);
    }
    sum
}

/// What may be changed: everything but `n_{L-1}`, which stays equal to `n'_{L-1}`.
fn perturb(p: &Small, random: &mut SplitMix64) -> Small {
    let mut next = p.clone();
    let steps = p.x.len();
    let changes = 1 + random.index(3);
    for _ in 0..changes {
        let which = random.index(3 * steps - 3);
        let scale = random.below(7);
        let (up, noise) = (random.below(2) == 0, random.next());
        let change = |value: u128| nudge(value, scale, up, noise);
        match which {
            w if w < steps => next.x[w] = change(next.x[w]),
            w if w < 2 * steps - 1 => next.np[w - steps] = change(next.np[w - steps]),
            w => {
                let l = w - (2 * steps - 1);
                next.n[l] = change(next.n[l]);
            }
        }
    }
    for l in 0..steps - 1 {
        next.n[l] = if l == steps - 2 {
            next.np[l]
        } else {
            next.n[l].max(next.np[l])
        };
    }
    next
}

/// A factor near 1, finer with `scale`, or one step.
fn nudge(value: u128, scale: u64, up: bool, noise: u64) -> u128 {
    let step = if scale == 0 {
        1
    } else {
        (value >> (2 * scale)) * u128::from(noise % 257) / 256 + 1
    };
    if up {
        value + step
    } else {
        value.saturating_sub(step).max(1)
    }
}

struct Walk<'a> {
    fast: &'a Fast,
    random: SplitMix64,
}

impl Walk<'_> {
    /// Whether the point with this m is proved, as far as fixed point can tell.
    fn holds(&self, p: &mut Small, m: u128) -> bool {
        p.m = m;
        self.fast.margin(p).is_some_and(|margin| margin > 0)
    }

    /// Lowers m as far as it goes from a value that holds.
    fn lower(&self, p: &mut Small) {
        let (mut low, mut high) = (0, p.m);
        let mut step = (high >> 6).max(1);
        while step > 0 && high > step && self.holds(p, high - step) {
            high -= step;
            step *= 2;
        }
        low = low.max(high.saturating_sub(step));
        while low + 1 < high {
            let middle = u128::midpoint(low, high);
            if self.holds(p, middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        p.m = high;
    }

    /// Threshold accepting: a change is kept if it holds at nearly the present length; then m is lowered.
    fn run(&mut self, start: Small, steps: usize) -> Option<Small> {
        let mut now = start;
        self.lower(&mut now);
        let (mut best, mut best_length) = (now.clone(), now.length()?);
        let mut length = best_length;
        for step in 0..steps {
            let mut next = perturb(&now, &mut self.random);
            // the threshold falls from 1/64 to nothing
            let slack = (length >> 6) * (steps - step) as u128 / steps as u128;
            let slack = if step % 4 == 0 { slack } else { slack / 16 };
            let Some(m) = next.largest_m(length + slack) else {
                continue;
            };
            if !self.holds(&mut next, m) {
                continue;
            }
            self.lower(&mut next);
            let Some(found) = next.length() else { continue };
            (now, length) = (next, found);
            if length < best_length {
                (best, best_length) = (now.clone(), length);
            }
        }
        Some(best)
    }
}

/// The first point: powers of B with the exponents of the linear program, B doubled until the ledger closes.
fn start_from_exponents(fast: &Fast, layout: &Layout, cost: &Cost) -> Option<Small> {
    use crate::bounds::derive::exponent::{Cut, Exponent, Family};
    let question = Exponent {
        steps: fast.steps,
        family: Family::of(layout).ok()?,
        cut: Cut::of_mode(cost.mode),
        kappa: BigRational::from_integer(2.into()),
        first: BigRational::zero(),
        passes: BigRational::zero(),
    };
    let program = question.program(fast.steps);
    let solution = exponent::all_options(&question)?
        .options
        .into_iter()
        .next()?
        .1;
    let value = |name: String| {
        let place = program
            .variables
            .iter()
            .position(|variable| *variable == name)?;
        solution.x.get(place).cloned()
    };
    let steps = fast.steps;
    let mut base = 2_u32;
    for _ in 0..64 {
        let power = |name: String| {
            // whole exponents up to the next half
            let exponent = value(name)?;
            let halves = (exponent * BigRational::from_integer(2.into()))
                .ceil()
                .to_integer()
                .to_u32()?;
            let root = (BigUint::from(base)).sqrt() + 1_u32;
            let big: BigUint = Pow::pow(BigUint::from(base), halves / 2)
                * if halves % 2 == 1 {
                    root
                } else {
                    BigUint::one()
                };
            big.to_u128().filter(|x| *x < LARGEST)
        };
        let all = |family: &str, from: usize| {
            (from..steps)
                .map(|l| power(format!("{family}_{l}")))
                .collect::<Option<Vec<_>>>()
        };
        let mut point = Small {
            m: power("M".to_owned())?,
            n: all("nu", 1)?,
            np: all("np", 1)?,
            x: all("X", 0)?,
        };
        point.n[steps - 2] = point.np[steps - 2];
        for m in [1, 8, 64] {
            let mut point = Small {
                m: point.m * m,
                ..point.clone()
            };
            point.x[1] *= if m > 8 { 4 } else { 1 };
            if fast.margin(&point).is_some_and(|margin| margin > 0) {
                return Some(point);
            }
        }
        base = base.checked_mul(2)?;
    }
    None
}

/// The point with every Theta equal to 1: only the capacity of the digests is used.
fn degenerate(layout: &Layout, cost: &Cost) -> Option<Point> {
    let steps = layout.steps();
    let one = BigUint::one();
    let point = |last: &BigUint| {
        let mut n = vec![one.clone(); steps - 1];
        n[steps - 2].clone_from(last);
        Params {
            m: one.clone(),
            np: n.clone(),
            n,
            x: vec![one.clone(); steps],
        }
    };
    let mut high = one.clone();
    while Point::proved(layout, cost, point(&high)).is_none() {
        high <<= 1;
        if high.bits() > 4096 {
            return None;
        }
    }
    let mut low = &high >> 1;
    while &low + 1_u32 < high {
        let middle = (&low + &high) >> 1;
        if Point::proved(layout, cost, point(&middle)).is_some() {
            high = middle;
        } else {
            low = middle;
        }
    }
    Point::proved(layout, cost, point(&high))
}

/// The exact check of what fixed point proposes; m is raised a little if it fails.
fn exact(layout: &Layout, cost: &Cost, proposal: &Small) -> Option<Point> {
    let mut params = proposal.params();
    for _ in 0..24 {
        if let Some(point) = Point::proved(layout, cost, params.clone()) {
            return Some(point);
        }
        params.m += (&params.m >> 20) + 1_u32;
    }
    None
}

/// Exact shaving: the least m by bisection between neighbours that fail and hold.
fn shave(layout: &Layout, cost: &Cost, point: Point) -> Point {
    let mut best = point;
    let mut step = (&best.params.m >> 16) + 1_u32;
    while step > BigUint::zero() {
        if best.params.m > step {
            let params = Params {
                m: &best.params.m - &step,
                ..best.params.clone()
            };
            if params.x[0] <= params.m
                && let Some(lower) = Point::proved(layout, cost, params)
            {
                best = lower;
                continue;
            }
        }
        step >>= 1;
    }
    best
}

/// The least m for integers of any size, by bisection on the exact check.
fn lower_exactly(layout: &Layout, cost: &Cost, params: Params) -> Option<Point> {
    let mut best = Point::proved(layout, cost, params)?;
    let mut low = best.params.x[0].clone() - 1_u32;
    while &low + 1_u32 < best.params.m && best.params.m.bits() < 600 {
        let middle: BigUint = (&low + &best.params.m) >> 1;
        match Point::proved(
            layout,
            cost,
            Params {
                m: middle.clone(),
                ..best.params.clone()
            },
        ) {
            Some(point) => best = point,
            None => low = middle,
        }
        if (&best.params.m - &low).bits() + 20 < best.params.m.bits() {
            break;
        }
    }
    Some(best)
}

/// L = 2: for every (n'_1, x_0, x_1), whether a shorter prompt than the best is proved.
///
/// # Cost
/// One coverage test per triple that the deficit allows.
struct Pairs<'a> {
    fast: &'a Fast,
    below: u128,
    best: Option<Small>,
}

impl Pairs<'_> {
    fn all(&mut self) {
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

    fn point(&self, used: u128, x_0: u128, x_1: u128) -> Option<Small> {
        let mut p = Small {
            m: 1,
            n: vec![used],
            np: vec![used],
            x: vec![x_0, x_1],
        };
        p.m = p.largest_m(self.below - 1)?.min(self.fast.cap / used);
        (p.m >= x_0).then_some(p)
    }

    fn lists(&mut self, used: u128, x_0: u128) {
        for x_1 in 1.. {
            let Some(p) = self.point(used, x_0, x_1) else {
                return;
            };
            let tokens = [if self.fast.coarse { p.m } else { x_0 }];
            let (Some(first), Some(rows)) = (
                self.fast.first(&p, used),
                self.fast.rows(&p, &tokens, used, 1),
            ) else {
                return;
            };
            let strict = self.fast.start == Start::Long;
            let free = first == 0 && self.fast.start == Start::Short;
            let b = x_1 * first + u128::from(!strict);
            let carried = if strict {
                self.fast.soft * used
            } else if free {
                0
            } else {
                b
            };
            let unit = used * u128::try_from(lg(p.m * used)).unwrap_or(1).max(1);
            let need = ((carried + rows) << 32) / unit + 1;
            if need > p.m {
                return;
            }
            let most = p.m.min(x_0 * x_1);
            let covered = free || need == 1 || cover_sum(p.m, need - 1, x_0 * x_1, b, true) <= 0;
            if need <= most && covered {
                self.keep(p.clone());
            }
            let hopeless = !free
                && need > 1
                && i128::try_from(x_0).unwrap_or(0) * i128::from(lg(p.m) - lg(need - 1))
                    <= (i128::try_from(first).unwrap_or(0) << 32);
            if hopeless || (free && x_0 * x_1 >= p.m) {
                return;
            }
        }
    }

    fn keep(&mut self, mut p: Small) {
        let walk = Walk {
            fast: self.fast,
            random: SplitMix64(0),
        };
        if self.fast.margin(&p).is_none_or(|margin| margin <= 0) {
            return;
        }
        walk.lower(&mut p);
        if let Some(length) = p.length().filter(|length| *length < self.below) {
            self.below = length;
            self.best = Some(p);
        }
    }
}

/// Searches for short prompts that are proved.
///
/// # Domain
/// Nothing is found for a layout that is possible.
/// # Cost
/// Eight restarts of 100,000 fixed-point ledgers, twice; at L = 2, below 2^19 tokens, also one coverage test per
/// (n'_1, x_0, x_1) that may be shorter.
pub fn search(layout: &Layout, cost: &Cost) -> Found {
    let mut found = Found::default();
    if layout.start().is_none() {
        return found;
    }
    if let Some(point) = degenerate(layout, cost) {
        found.add(point);
    }
    let mut walked = false;
    for nontrivial in [false, true] {
        let more = anneal(layout, cost, nontrivial, &found);
        walked |= more.least.is_some();
        found = found.join(more);
    }
    if !walked && cost.mode == Mode::Refined {
        // large numbers: Theorem 2, lowered exactly
        let point = theorem_two(layout, &cost.soft, &cost.carry)
            .ok()
            .and_then(|params| lower_exactly(layout, cost, params));
        if let Some(point) = point {
            found.add(point);
        }
    }
    found
}

/// Points in fixed point from several starts.
fn anneal(layout: &Layout, cost: &Cost, nontrivial: bool, known: &Found) -> Found {
    let mut found = Found::default();
    let Some(fast) = Fast::new(layout, cost, nontrivial) else {
        return found;
    };
    let record = if nontrivial {
        &known.nontrivial
    } else {
        &known.least
    };
    let mut starts: Vec<Small> = start_from_exponents(&fast, layout, cost)
        .into_iter()
        .collect();
    starts.extend(record.as_ref().and_then(|point| Small::of(&point.params)));
    if starts.is_empty() {
        return found;
    }
    let jobs: Vec<(u64, Small)> = (0..RESTARTS)
        .map(|seed| {
            (
                seed,
                starts[usize::try_from(seed).unwrap_or(0) % starts.len()].clone(),
            )
        })
        .collect();
    let mut walked: Vec<Small> = jobs
        .into_par_iter()
        .filter_map(|(seed, start)| {
            Walk {
                fast: &fast,
                random: SplitMix64(seed),
            }
            .run(start, STEPS)
        })
        .collect();
    walked.sort_by_key(|p| (p.length(), p.clone()));
    walked.dedup();
    if layout.steps() == 2
        && walked
            .first()
            .and_then(Small::length)
            .is_none_or(|length| length < LONGEST_SCAN)
    {
        let below = walked
            .first()
            .and_then(Small::length)
            .map_or(1 << 12, |length| length + 1);
        let mut pairs = Pairs {
            fast: &fast,
            below,
            best: None,
        };
        pairs.all();
        walked.splice(0..0, pairs.best);
    }
    for proposal in walked.iter().take(if layout.steps() == 2 { 3 } else { 1 }) {
        if let Some(point) = exact(layout, cost, proposal) {
            found.add(shave(layout, cost, point));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(steps: usize, passes: &[u64]) -> Layout {
        Layout::new(steps, passes.iter().map(|a| BigUint::from(*a)).collect()).unwrap()
    }

    fn cost(s: u64, c: u64, senders: Senders, mode: Mode) -> Cost {
        Cost {
            soft: s.into(),
            carry: c.into(),
            senders,
            mode,
        }
    }

    #[test]
    fn fixed_point_logarithms_are_close() {
        for x in [
            1_u128,
            2,
            3,
            5,
            1000,
            14125,
            197_750,
            u128::from(u64::MAX),
            1 << 83,
        ] {
            let exact = floor_log2_scaled(&BigUint::from(x), 32).to_i64().unwrap();
            assert!((lg(x) - exact).abs() < 64, "{x}: {} against {exact}", lg(x));
        }
    }

    #[test]
    fn the_fast_ledger_follows_the_exact_one() {
        let mut random = SplitMix64(7);
        for _ in 0..400 {
            let steps = 2 + random.index(3);
            let full = steps - random.index(2);
            let mut passes: Vec<u64> = (0..=full).map(|_| random.below(3)).collect();
            if full == steps {
                (passes[0], passes[1]) = (0, random.below(2));
            }
            let layout = layout(steps, &passes);
            let senders = if random.below(2) == 0 {
                Senders::Separate
            } else {
                Senders::Merged
            };
            let mode = if random.below(2) == 0 {
                Mode::Refined
            } else {
                Mode::Coarse
            };
            let cost = cost(1 + random.below(12), random.below(12), senders, mode);
            let np: Vec<u128> = (1..steps)
                .map(|_| 1 + u128::from(random.below(9)))
                .collect();
            let n = np
                .iter()
                .map(|np| np + u128::from(random.below(5)))
                .collect();
            let m = 2 + u128::from(random.below(900));
            let mut x: Vec<u128> = (0..steps)
                .map(|_| 1 + u128::from(random.below(12)))
                .collect();
            x[0] = x[0].min(m);
            let point = Small { m, n, np, x };
            let ledger = check(&layout, &cost, &point.params()).unwrap();
            let margin = Fast::new(&layout, &cost, false)
                .unwrap()
                .margin(&point)
                .unwrap();
            if margin.abs() > 1 << 26 {
                assert_eq!(
                    margin > 0,
                    ledger.answer() == Answer::Proved,
                    "{layout:?} {cost:?} {point:?} {margin}"
                );
            }
        }
    }

    #[test]
    #[ignore = "prints what the search finds"]
    #[expect(clippy::type_complexity, reason = "one row per case")]
    fn show() {
        let cases: &[(usize, &[u64], u64, u64, Senders, Mode)] = &[
            (2, &[0, 1], 4, 4, Senders::Separate, Mode::Refined),
            (2, &[0, 16], 4, 4, Senders::Separate, Mode::Refined),
            (2, &[0, 0, 0], 12, 12, Senders::Separate, Mode::Refined),
            (2, &[0, 0, 1], 12, 12, Senders::Separate, Mode::Refined),
            (2, &[0, 0, 1], 32, 32, Senders::Separate, Mode::Refined),
            (2, &[0, 0, 0], 4, 4, Senders::Separate, Mode::Refined),
            (3, &[0, 1, 1], 10, 10, Senders::Separate, Mode::Refined),
            (3, &[0, 0, 0], 20, 20, Senders::Separate, Mode::Refined),
            (3, &[0, 0, 0], 24, 24, Senders::Separate, Mode::Refined),
            (3, &[0, 0, 1, 1], 40, 40, Senders::Separate, Mode::Refined),
            (3, &[0, 0, 1, 1], 60, 60, Senders::Separate, Mode::Refined),
            (3, &[0, 0, 1, 1], 4, 4, Senders::Merged, Mode::Refined),
            (4, &[0, 1, 1, 1], 64, 64, Senders::Separate, Mode::Refined),
            (2, &[0, 0, 1], 4, 4, Senders::Separate, Mode::Coarse),
            (3, &[0, 1, 1], 4, 4, Senders::Separate, Mode::Coarse),
        ];
        for (steps, passes, s, c, senders, mode) in cases {
            let begin = std::time::Instant::now();
            let found = search(&layout(*steps, passes), &cost(*s, *c, *senders, *mode));
            eprintln!(
                "L={steps} {passes:?} s={s} {senders:?} {mode:?}: {:?}",
                begin.elapsed()
            );
            for point in [found.least, found.nontrivial].into_iter().flatten() {
                let p = &point.params;
                eprintln!(
                    "   n={} trivial={} {} {:?} {:?} {:?}",
                    point.ledger.length,
                    point.ledger.trivial,
                    p.m,
                    p.n.iter().map(ToString::to_string).collect::<Vec<_>>(),
                    p.np.iter().map(ToString::to_string).collect::<Vec<_>>(),
                    p.x.iter().map(ToString::to_string).collect::<Vec<_>>()
                );
            }
        }
    }
}
