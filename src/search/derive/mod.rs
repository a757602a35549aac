//! Looks for small points of the scheme. Untrusted: every point that leaves here has passed the exact check.
//!
//! Deterministic and without floats: numbers have 64 significant bits and any size (`wide`), logarithms are fixed point with 32
//! fractional bits, the generator is SplitMix64 with fixed seeds, restarts run in parallel and are merged by (n, then integers), so
//! threads do not matter. A ledger is computed forwards for the deficits, which no Theta enters, and backwards for the coverages: from
//! the final inequality to the least x_0 that can do, with one division per step instead of a bisection.

mod fast;
mod pairs;
mod walk;
mod wide;

use crate::bounds::derive::closed::theorem_two;
use crate::bounds::derive::{Answer, Cost, Layout, Ledger, Mode, Opening, Params, check_opened};
use crate::search::exponent;
use fast::{Fast, Small};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Pow, ToPrimitive, Zero};
use pairs::Pairs;
use rayon::prelude::*;
use walk::Walk;
use wide::Wide;

/// At L = 2, prompts up to this length are scanned over all (n'_1, x_0, x_1).
const LONGEST_SCAN: u64 = 1 << 19;
/// Steps of one restart.
const STEPS: u64 = 60_000;
/// Independent restarts.
const RESTARTS: u64 = 8;

/// What is asked: a layout, message sizes, and whether Lemma 7 is used.
#[derive(Clone, Copy, Debug)]
struct Task<'a> {
    layout: &'a Layout,
    cost: &'a Cost,
    opening: Opening,
}

/// A point that has passed the exact check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its integers.
    pub params: Params,
    /// Its ledger.
    pub ledger: Ledger,
}

impl Task<'_> {
    fn proved(&self, params: Params) -> Option<Point> {
        let ledger = check_opened(self.layout, self.cost, &params, self.opening).ok()?;
        (ledger.answer() == Answer::Proved).then_some(Point { params, ledger })
    }
}

impl Point {
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

/// The shortest prompts found, and what it cost.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Found {
    /// The least n.
    pub least: Option<Point>,
    /// The least n with `2^s >= N_{L-1}`.
    pub nontrivial: Option<Point>,
    /// Ledgers in fixed point; the same for any number of threads.
    pub ledgers: u64,
}

impl Found {
    fn add(&mut self, point: Point) {
        if !point.ledger.trivial {
            self.nontrivial = Some(point.clone().better(self.nontrivial.take()));
        }
        self.least = Some(point.better(self.least.take()));
    }
}

/// The first point: powers of B with the exponents of the linear program, B doubled from s until the ledger closes.
fn start_from_exponents(fast: &Fast, task: &Task<'_>) -> Option<Small> {
    use crate::bounds::derive::exponent::{Cut, Exponent, Family};
    let question = Exponent {
        steps: fast.steps,
        family: Family::of(task.layout).ok()?,
        cut: Cut::of_mode(task.cost.mode),
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
        let mut names = program.variables.iter();
        solution
            .x
            .get(names.position(|variable| *variable == name)?)
            .cloned()
    };
    let steps = fast.steps;
    let least = u32::try_from(fast.soft.bits()).ok()?.max(1);
    (least..least + 64).find_map(|log| {
        // B = 2^log, exponents rounded up to eighths of a bit
        let power = |name: String| {
            let bits = value(name)? * BigRational::from_integer(log.into());
            let eighths = (bits * BigRational::from_integer(8.into()))
                .ceil()
                .to_integer();
            let eighths = eighths.to_u32()?;
            let root: BigUint = Pow::pow(BigUint::from(2_u32), eighths);
            Wide::of(&(root.nth_root(8) + u32::from(eighths % 8 > 0)))
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
        for l in 0..steps - 2 {
            point.n[l] = point.n[l].max(point.np[l]);
        }
        [1_u64, 8, 64].into_iter().find_map(|factor| {
            let mut point = point.clone();
            point.m = point.m.times(Wide::new(factor)).max(point.x[0]);
            if factor > 8 {
                point.x[1] = point.x[1].times(Wide::new(4));
            }
            let margin = fast.margin(&point);
            margin.is_some_and(|margin| margin >= 0).then_some(point)
        })
    })
}

/// The point with every Theta equal to 1: only the capacity of the digests is used.
fn degenerate(task: &Task<'_>) -> Option<Point> {
    let steps = task.layout.steps();
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
    while task.proved(point(&high)).is_none() {
        high <<= 1;
        if high.bits() > 4096 {
            return None;
        }
    }
    let mut low = &high >> 1;
    while &low + 1_u32 < high {
        let middle = (&low + &high) >> 1;
        if task.proved(point(&middle)).is_some() {
            high = middle;
        } else {
            low = middle;
        }
    }
    task.proved(point(&high))
}

/// The exact check of what fixed point proposes. If it fails, one thing is raised a little, more and more: m (with x_1 where step 1 covers
/// everything, x_1 = m), then n'_{L-1}.
fn exact(task: &Task<'_>, proposal: &Small) -> Option<Point> {
    let params = proposal.params();
    let all = params.x[1] == params.m;
    let first = task.proved(params.clone());
    first.or_else(|| {
        let last = params.np.len() - 1;
        let raised = |which: usize, scale: u32| {
            let mut next = params.clone();
            if which == 0 {
                let more = (&next.m >> scale) + 1_u32;
                next.m += more;
                if all {
                    next.x[1].clone_from(&next.m);
                }
            } else {
                let more = (&next.np[last] >> scale) + 1_u32;
                next.np[last] += more;
                next.n[last].clone_from(&next.np[last]);
            }
            next
        };
        let scales = || (2..=32_u32).rev().step_by(2);
        let tries = scales().map(|scale| raised(0, scale));
        tries
            .chain(scales().map(|scale| raised(1, scale)))
            .find_map(|params| task.proved(params))
    })
}

/// Exact shaving of m: steps that halve, down to 1 or to a `2^-32` part.
fn shave(task: &Task<'_>, point: Point) -> Point {
    let mut best = point;
    let least = &best.params.m >> 32;
    let mut step = (&best.params.m >> 16) + 1_u32;
    while step > least {
        if best.params.m > step {
            let params = Params {
                m: &best.params.m - &step,
                ..best.params.clone()
            };
            if params.x[0] <= params.m
                && let Some(lower) = task.proved(params)
            {
                best = lower;
                continue;
            }
        }
        step >>= 1;
    }
    best
}

/// Exact descent: +-1 in one variable, or +1 and -1 in two, as long as fixed point sees a shorter prompt and the exact check agrees.
fn polish(task: &Task<'_>, fast: &Fast, point: Point) -> (Point, u64) {
    let mut best = point;
    let mut walk = Walk::new(fast, 0);
    for _ in 0..8 {
        let Some(start) = Small::of(&best.params) else {
            break;
        };
        let next = walk.descend(start);
        let Some(found) = exact(task, &next).map(|point| shave(task, point)) else {
            break;
        };
        if found.ledger.length >= best.ledger.length || (fast.cap.is_some() && found.ledger.trivial)
        {
            break;
        }
        best = found;
    }
    (best, walk.ledgers)
}

/// Searches for short prompts that are proved.
///
/// # Domain
/// Nothing is found for a layout that is possible, and where Lemma 7 is asked for and does not apply.
/// # Cost
/// Eight restarts of 60,000 fixed-point ledgers and a descent, twice if what is found first is trivial; at L = 2, below 2^19 tokens, also one coverage test per
/// (n'_1, x_0, x_1) that may be shorter.
pub fn search(layout: &Layout, cost: &Cost, opening: Opening) -> Found {
    let task = Task {
        layout,
        cost,
        opening,
    };
    let mut found = Found::default();
    if layout.start().is_none() || !opening.fits(layout, cost) {
        return found;
    }
    if let Some(point) = degenerate(&task) {
        found.add(point);
    }
    anneal(&task, false, &mut found);
    if found
        .least
        .as_ref()
        .is_none_or(|point| point.ledger.trivial)
    {
        anneal(&task, true, &mut found);
    }
    found
}

/// Where a walk may begin: the exponents, the closed form, the best point so far.
fn starts(task: &Task<'_>, fast: &Fast, known: Option<&Point>) -> Vec<Small> {
    let mut starts: Vec<Small> = start_from_exponents(fast, task).into_iter().collect();
    if task.cost.mode == Mode::Refined {
        let closed = theorem_two(task.layout, &task.cost.soft, &task.cost.carry);
        starts.extend(closed.ok().and_then(|params| Small::of(&params)));
    }
    starts.extend(known.and_then(|point| Small::of(&point.params)));
    starts.retain(|start| fast.margin(start).is_some_and(|margin| margin >= 0));
    starts
}

/// Walks in fixed point from several starts; the best points are made exact.
fn anneal(task: &Task<'_>, nontrivial: bool, found: &mut Found) {
    let Some(fast) = Fast::new(task.layout, task.cost, task.opening, nontrivial) else {
        return;
    };
    let record = if nontrivial {
        &found.nontrivial
    } else {
        &found.least
    };
    let starts = starts(task, &fast, record.as_ref());
    let mut walked: Vec<(Small, u64)> = (0..RESTARTS)
        .into_par_iter()
        .filter_map(|seed| {
            let start = starts.get(usize::try_from(seed).ok()? % starts.len().max(1))?;
            let mut walk = Walk::new(&fast, seed);
            let end = walk.anneal(start.clone(), STEPS);
            let end = walk.descend(end);
            Some((end, walk.ledgers))
        })
        .collect();
    found.ledgers += walked.iter().map(|(_, ledgers)| ledgers).sum::<u64>();
    walked.sort_by_key(|(p, _)| (p.length(), p.clone()));
    let mut proposals: Vec<Small> = walked.into_iter().map(|(p, _)| p).collect();
    proposals.dedup();
    let shortest = proposals
        .first()
        .map(|p| p.length().small().unwrap_or(u64::MAX));
    if task.layout.steps() == 2 && shortest.is_none_or(|length| length < LONGEST_SCAN) {
        let mut pairs = Pairs {
            fast: &fast,
            below: shortest.map_or(1 << 12, |length| length + 1),
            best: None,
            tried: 0,
        };
        pairs.all();
        found.ledgers += pairs.tried;
        proposals.splice(0..0, pairs.best);
    }
    let tries = if task.layout.steps() == 2 { 3 } else { 1 };
    for proposal in proposals.iter().take(tries) {
        if let Some(point) = exact(task, proposal) {
            let (point, ledgers) = polish(task, &fast, shave(task, point));
            found.ledgers += ledgers;
            found.add(point);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::derive::Senders;

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
    fn the_fast_ledger_follows_the_exact_one() {
        let mut random = walk::SplitMix64(7);
        let mut closed = 0;
        for _ in 0..4000 {
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
            let mut number = |least: u64, most: u64| Wide::new(least + random.below(most));
            let np: Vec<Wide> = (1..steps).map(|_| number(1, 9)).collect();
            let n = np.iter().map(|np| np.plus(number(0, 5))).collect();
            let m = number(2, 900);
            let mut x: Vec<Wide> = (0..steps).map(|_| number(1, 12)).collect();
            x[0] = x[0].min(m);
            let point = Small { m, n, np, x };
            let opening = if random.below(3) == 0 && Opening::Product.fits(&layout, &cost) {
                Opening::Product
            } else {
                Opening::Plain
            };
            let ledger = check_opened(&layout, &cost, &point.params(), opening).unwrap();
            let margin = Fast::new(&layout, &cost, opening, false)
                .unwrap()
                .margin(&point);
            let proved = ledger.answer() == Answer::Proved;
            closed += u32::from(proved);
            // rounding may matter where x_0 is only just enough
            if margin.is_none_or(|margin| margin.abs() > 1 << 26) {
                let holds = margin.is_some_and(|margin| margin >= 0);
                assert_eq!(holds, proved, "{layout:?} {cost:?} {point:?} {margin:?}");
            }
        }
        assert!(closed > 200, "only {closed} ledgers closed");
    }

    #[test]
    fn the_work_is_what_it_was() {
        // ledgers in fixed point: a search that needs more has a worse algorithm
        let separate = |s| cost(s, s, Senders::Separate, Mode::Refined);
        let found = search(&layout(3, &[0, 0, 0, 0]), &separate(54), Opening::Plain);
        let point = found.nontrivial.unwrap();
        assert!(point.ledger.length <= BigUint::from(8_051_326_047_195_756_u64));
        assert!(found.ledgers < 4_000_000, "{} ledgers", found.ledgers);
        let found = search(&layout(2, &[0, 0, 0]), &separate(12), Opening::Plain);
        let least = found.nontrivial.unwrap().ledger.length;
        assert_eq!(least, BigUint::from(4642_u32));
        assert!(found.ledgers < 4_000_000, "{} ledgers", found.ledgers);
    }

    #[test]
    fn large_numbers_are_searched_too() {
        // numbers of 127 bits, and carries of 20 bits against digests of 2000
        let point = |steps, passes: &[u64], s, c| {
            let cost = cost(s, c, Senders::Separate, Mode::Refined);
            search(&layout(steps, passes), &cost, Opening::Plain)
                .nontrivial
                .unwrap()
        };
        let four = point(4, &[0, 0, 1, 1, 1], 200, 200);
        assert!(four.ledger.length.bits() <= 127, "{}", four.ledger.length);
        let closed = theorem_two(
            &layout(4, &[0, 0, 1, 1, 1]),
            &200_u32.into(),
            &200_u32.into(),
        )
        .unwrap();
        let closed = closed.n.iter().product::<BigUint>() * closed.m;
        assert!(&four.ledger.length << 20 < closed);
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
            (
                4,
                &[0, 0, 1, 1, 1],
                200,
                200,
                Senders::Separate,
                Mode::Refined,
            ),
            (
                5,
                &[0, 1, 1, 1, 1],
                2000,
                1 << 20,
                Senders::Separate,
                Mode::Refined,
            ),
            (2, &[0, 0, 1], 4, 4, Senders::Separate, Mode::Coarse),
            (3, &[0, 1, 1], 4, 4, Senders::Separate, Mode::Coarse),
        ];
        for (steps, passes, s, c, senders, mode) in cases {
            let begin = std::time::Instant::now();
            let found = search(
                &layout(*steps, passes),
                &cost(*s, *c, *senders, *mode),
                Opening::Plain,
            );
            eprintln!(
                "L={steps} {passes:?} s={s} {senders:?} {mode:?}: {:?}, {} ledgers",
                begin.elapsed(),
                found.ledgers
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
