//! Annealing and local descent over points, m always as small as it goes.

use super::fast::{Fast, Small};
use super::wide::Wide;

/// The generator SplitMix64.
#[derive(Clone, Debug)]
pub(super) struct SplitMix64(pub(super) u64);

impl SplitMix64 {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    pub(super) fn index(&mut self, n: usize) -> usize {
        usize::try_from(self.below(n as u64)).unwrap_or(0)
    }
}

/// What may be changed: everything but m, which follows, and `n_{L-1}`, which stays equal to `n'_{L-1}`.
fn variable(p: &mut Small, which: usize) -> &mut Wide {
    let steps = p.x.len();
    if which < steps {
        &mut p.x[which]
    } else if which < 2 * steps - 1 {
        &mut p.np[which - steps]
    } else {
        &mut p.n[which - (2 * steps - 1)]
    }
}

fn variables(p: &Small) -> usize {
    3 * p.x.len() - 3
}

fn settle(p: &mut Small) {
    let last = p.n.len() - 1;
    for l in 0..=last {
        p.n[l] = if l == last {
            p.np[l]
        } else {
            p.n[l].max(p.np[l])
        };
    }
}

fn perturb(p: &Small, random: &mut SplitMix64) -> Small {
    let mut next = p.clone();
    for _ in 0..=random.index(3) {
        let which = random.index(variables(p));
        let scale = u32::try_from(random.below(7)).unwrap_or(0);
        let (up, noise) = (random.below(2) == 0, random.next());
        let value = variable(&mut next, which);
        *value = nudge(*value, scale, up, noise);
    }
    settle(&mut next);
    next
}

/// A factor near 1, finer with `scale`, or one step.
fn nudge(value: Wide, scale: u32, up: bool, noise: u64) -> Wide {
    let step = if scale == 0 {
        Wide::ONE
    } else {
        let part = value.halved(2 * scale);
        part.times(Wide::new(noise % 257)).halved(8).plus(Wide::ONE)
    };
    if up {
        value.plus(step)
    } else {
        value.minus(step).max(Wide::ONE)
    }
}

/// One search from one seed; counts the ledgers it computes.
pub(super) struct Walk<'a> {
    pub(super) fast: &'a Fast,
    pub(super) random: SplitMix64,
    pub(super) ledgers: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(fast: &'a Fast, seed: u64) -> Self {
        Self {
            fast,
            random: SplitMix64(seed),
            ledgers: 0,
        }
    }

    /// Whether the point with this m is proved, as far as fixed point can tell.
    fn holds(&mut self, p: &mut Small, m: Wide) -> bool {
        p.m = m;
        self.ledgers += 1;
        self.fast.margin(p).is_some_and(|margin| margin >= 0)
    }

    /// Lowers m from a value that holds until `m / 2^digits` is not gained any more.
    pub(super) fn lower(&mut self, p: &mut Small, digits: u32) {
        let mut high = p.m;
        let mut step = high.halved(6).max(Wide::ONE);
        while high > step && self.holds(p, high.minus(step)) {
            high = high.minus(step);
            step = step.plus(step);
        }
        let mut low = high.minus(step);
        while low.plus(Wide::ONE) < high && high.minus(low) > high.halved(digits) {
            let middle = low.plus(high).halved(1);
            if middle <= low || middle >= high {
                break;
            }
            if self.holds(p, middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        p.m = high;
    }

    /// Threshold accepting: a change is kept if it holds at nearly the present length; then m is lowered.
    pub(super) fn anneal(&mut self, start: Small, steps: u64) -> Small {
        let mut now = start;
        self.lower(&mut now, 20);
        let (mut best, mut best_length) = (now.clone(), now.length());
        let mut length = best_length;
        for step in 0..steps {
            let mut next = perturb(&now, &mut self.random);
            // the threshold falls from 1/64 to nothing
            let slack = length.halved(6).times(Wide::new(steps - step));
            let slack = slack.over(Wide::new(steps));
            let slack = if step % 4 == 0 {
                slack
            } else {
                slack.halved(4)
            };
            let Some(m) = next.largest_m(length.plus(slack)) else {
                continue;
            };
            if !self.holds(&mut next, m) {
                continue;
            }
            self.lower(&mut next, 20);
            (length, now) = (next.length(), next);
            if length < best_length {
                (best, best_length) = (now.clone(), length);
            }
        }
        best
    }

    /// Steps in one variable or, against each other, in two, from coarse to fine, until none helps.
    pub(super) fn descend(&mut self, start: Small) -> Small {
        let mut best = start;
        self.lower(&mut best, 62);
        let count = variables(&best);
        for scale in [4, 7, 10, 13, 16, 20, 62] {
            // a bound on the rounds; each must gain something
            for _ in 0..200 {
                let mut gained = false;
                for first in 0..count {
                    for second in 0..count {
                        gained |= self.trade(&mut best, first, second, scale);
                    }
                }
                if !gained {
                    break;
                }
            }
        }
        best
    }

    /// Raises one variable and lowers another by a `2^-scale` part (at least 1); the same variable twice: each alone.
    fn trade(&mut self, best: &mut Small, first: usize, second: usize, scale: u32) -> bool {
        let moves: &[(Option<usize>, Option<usize>)] = if first == second {
            &[(Some(first), None), (None, Some(first))]
        } else {
            &[(Some(first), Some(second))]
        };
        let mut gained = false;
        for (up, down) in moves {
            let mut next = best.clone();
            for (which, rises) in [(up, true), (down, false)] {
                if let Some(which) = which {
                    let value = variable(&mut next, *which);
                    let step = value.halved(scale).max(Wide::ONE);
                    *value = if rises {
                        value.plus(step)
                    } else {
                        value.minus(step).max(Wide::ONE)
                    };
                }
            }
            settle(&mut next);
            let Some(m) = next.largest_m(best.length().minus(Wide::ONE)) else {
                continue;
            };
            if next == *best || !self.holds(&mut next, m) {
                continue;
            }
            self.lower(&mut next, 62);
            if next.length() < best.length() {
                *best = next;
                gained = true;
            }
        }
        gained
    }
}
