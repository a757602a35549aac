//! The ledger of one hybrid game, edge by edge: any alphabets, every deficit `2^D` an exact product of them.

use num_bigint::BigUint;
use num_traits::{One, Pow};
use std::collections::BTreeMap;

use super::point::Answer;
use super::scheme::{LastEpoch, Place};
use super::setting::{Layout, Refused, Start, refuse};
use crate::exact::count::binomial;

/// Most bits of a deficit, and of both sides of a comparison: beyond it this ledger is not computed.
pub const MAX_BITS: u64 = 200_000;

/// One epoch: alphabets of the soft edges (from, to), and for every player j = 0..L the product over the passes of the
/// alphabets of j -> j-1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// Absent edges are closed.
    pub soft: BTreeMap<(i64, i64), BigUint>,
    /// `carries[j]`.
    pub carries: Vec<BigUint>,
}

/// A hybrid game, as far as the ledger sees it; `epochs[0]` has passes only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edges {
    /// D0.
    pub start: u64,
    /// `m_1 .. m_L`.
    pub ranges: Vec<u64>,
    /// `n_1 .. n_{L-1}`.
    pub queries: Vec<u64>,
    /// Epochs 0..r.
    pub epochs: Vec<Epoch>,
}

impl Edges {
    /// L.
    pub fn steps(&self) -> usize {
        self.ranges.len()
    }

    /// The layout, an epoch counted as one recurrent layer if any of its carries says something.
    ///
    /// # Errors
    /// [`Refused`] for one step, and for more than 64.
    pub fn layout(&self) -> Result<Layout, Refused> {
        let open = |epoch: &Epoch| epoch.carries.iter().any(|size| !size.is_one());
        let passes = self.epochs.iter().map(|epoch| u8::from(open(epoch)).into());
        Layout::new(self.steps(), passes.collect())
    }

    /// `prod_{j > above} S_{j,to}` of an epoch.
    fn heard(&self, epoch: usize, to: i64, above: usize) -> BigUint {
        let above = i64::try_from(above).unwrap_or(i64::MAX);
        let edges = self.epochs.get(epoch).map(|epoch| epoch.soft.iter());
        edges
            .into_iter()
            .flatten()
            .filter(|((from, receiver), _)| *from > above && *receiver == to)
            .map(|(_, size)| size)
            .product()
    }

    /// `prod_q T_j` of an epoch: what the carries out of player j say.
    fn carried(&self, epoch: usize, j: usize) -> BigUint {
        let size = self
            .epochs
            .get(epoch)
            .and_then(|epoch| epoch.carries.get(j));
        size.cloned().unwrap_or_else(BigUint::one)
    }
}

/// The free choices: used queries, sizes of the lists, coverages, the rule of the last epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// `n'_1 .. n'_{L-1}`.
    pub used: Vec<u64>,
    /// `x_0 .. x_{L-1}`.
    pub lists: Vec<u64>,
}

/// One summand of a deficit: so many strings are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    /// What is fixed.
    pub name: String,
    /// The number of strings.
    pub count: BigUint,
}

/// One step of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// l, E, base, last.
    pub place: Place,
    /// `t_l`.
    pub t: u64,
    /// `m_l`.
    pub v: u64,
    /// `2^(D_l)`.
    pub before: BigUint,
    /// Whether (cov) is asked strictly.
    pub strict: bool,
    /// `Theta_l`.
    pub theta: u64,
    /// The factors of `2^(D_{l+1})`.
    pub rows: Vec<Strings>,
    /// `2^(D_{l+1})`.
    pub after: BigUint,
}

/// The ledger of a point of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// Steps 1 .. L-1.
    pub steps: Vec<Step>,
    /// The rule of the last epoch.
    pub option: LastEpoch,
    /// `m_L`.
    pub range: u64,
    /// `t_L`.
    pub t: u64,
    /// `2^(D_L)`.
    pub strings: BigUint,
    /// Whether `m_L^(t_L) > 2^(D_L)`: then no protocol solves the game.
    pub answer: Answer,
}

impl Ledger {
    /// The values Theta of all steps.
    pub fn theta(&self) -> Vec<u64> {
        self.steps.iter().map(|step| step.theta).collect()
    }
}

/// `a * b`, if small.
fn times(a: u64, b: u64) -> Result<u64, Refused> {
    match a.checked_mul(b).filter(|product| *product <= MAX_BITS) {
        Some(product) => Ok(product),
        None => refuse("lists", format!("more than {MAX_BITS} strings to fix")),
    }
}

/// `size^times`, if it has few bits.
fn power(size: &BigUint, exponent: u64) -> Result<BigUint, Refused> {
    if size.is_one() {
        return Ok(BigUint::one());
    }
    times(size.bits(), exponent)?;
    Ok(Pow::pow(size, exponent))
}

struct Scheme<'a> {
    game: &'a Edges,
    layout: Layout,
    start: Start,
    point: &'a Point,
    queries: u64,
}

impl<'a> Scheme<'a> {
    fn new(game: &'a Edges, point: &'a Point) -> Result<Self, Refused> {
        let layout = game.layout()?;
        let Some(start) = layout.start() else {
            return refuse(
                "layout",
                "this layout is possible; there is nothing to prove",
            );
        };
        let steps = game.steps();
        if point.used.len() + 1 != steps || point.lists.len() != steps {
            return refuse(
                "lists",
                format!("expected {} and {steps} numbers", steps - 1),
            );
        }
        let bounds = std::iter::once((point.lists[0], game.start))
            .chain(point.used.iter().copied().zip(game.queries.iter().copied()))
            .chain(point.lists.iter().map(|x| (*x, MAX_BITS)));
        for (found, most) in bounds {
            if found == 0 || found > most {
                return refuse("lists", format!("found {found}, expected 1..{most}"));
            }
        }
        let queries = point.used.iter().try_fold(1, |w, used| times(w, *used))?;
        Ok(Self {
            game,
            layout,
            start,
            point,
            queries,
        })
    }

    fn steps(&self) -> usize {
        self.game.steps()
    }

    /// `x_from .. x_{to-1}`.
    fn lists(&self, from: usize, to: usize) -> Result<u64, Refused> {
        let lists = &self.point.lists[from.min(to)..to];
        lists.iter().try_fold(1, |product, x| times(product, *x))
    }

    fn place(&self, l: usize) -> Place {
        Place::of(self.start, l, self.steps())
    }

    /// `2^(D_1)`.
    ///
    /// # Source
    /// Derived: Lemmas 4, 4' and the window ledger, edge by edge.
    fn first(&self) -> Result<BigUint, Refused> {
        let (game, x_0) = (self.game, self.point.lists[0]);
        match self.start {
            Start::Short => Ok(game.carried(0, 1)),
            Start::Long => {
                let popular = game
                    .epochs
                    .get(1)
                    .and_then(|epoch| epoch.soft.get(&(1, -1)));
                power(popular.unwrap_or(&BigUint::one()), self.queries)
            }
            Start::Window => {
                let to_w = power(&game.heard(1, -1, 0), self.queries)?;
                let each = power(&game.carried(1, 0), x_0);
                let cut = power(&game.heard(1, 0, 0), x_0).map(|to_0| to_0 * game.carried(1, 1));
                let least = match (each, cut) {
                    (Ok(each), Ok(cut)) => each.min(cut),
                    (each, cut) => each.or(cut)?,
                };
                Ok(to_w * least)
            }
        }
    }

    /// What the rectangle of step l carries over.
    ///
    /// # Source
    /// Derived: Lemma 3, and Lemma 4 for the digests to w across cut 2.
    fn rectangle(&self, place: Place, before: &BigUint) -> Result<BigUint, Refused> {
        if place.base && self.start == Start::Long {
            return power(&self.game.heard(1, -1, 1), self.queries);
        }
        if before.is_one() {
            return Ok(BigUint::one());
        }
        Ok(power(before, self.point.lists[place.l])? << 1_u32)
    }

    /// The factors of `2^(D_{l+1})` that do not depend on the option of Lemma 6.
    ///
    /// # Source
    /// Derived: Lemma 2, epochs up to E; Lemma 4, epoch 1.
    fn early(&self, place: Place, carried: BigUint) -> Result<Vec<Strings>, Refused> {
        let (l, receiver) = (place.l, i64::try_from(place.l).unwrap_or(i64::MAX));
        let mut rows = vec![strings("carried", carried)];
        if place.epoch > 0 {
            let all: BigUint = (1..=place.epoch)
                .map(|epoch| self.game.heard(epoch, receiver, l))
                .product();
            let name = format!("soft to {l}, epochs 1..{}", place.epoch);
            rows.push(strings(name, power(&all, self.point.lists[l])?));
        }
        if place.base {
            let to_0 = power(&self.game.heard(1, 0, l), self.point.lists[0])?;
            rows.push(strings("soft to 0, epoch 1", to_0));
        }
        let carries = (0..=place.epoch)
            .map(|epoch| self.game.carried(epoch, l + 1))
            .product();
        let name = format!("carries, epochs 0..{}", place.epoch);
        rows.push(strings(name, carries));
        Ok(rows)
    }

    /// For how many choices the symbols of epoch E + 1 across cut l+1 to player i are fixed.
    ///
    /// # Source
    /// Derived: Lemma 2 (ii); Lemma 4 for player 0 at the start of r = L.
    fn choices(&self, place: Place, receiver: i64) -> Result<u64, Refused> {
        let l = place.l;
        match usize::try_from(receiver) {
            Err(_) if place.epoch == 0 && self.layout.pass(0) == BigUint::default() => {
                Ok(self.queries)
            }
            Err(_) => times(self.queries, self.lists(0, l)?),
            Ok(0) if place.base => self.lists(0, 2),
            Ok(i) if i < l => self.lists(i, l),
            Ok(i) => Ok(self.point.lists[i]),
        }
    }

    /// The factors of epoch E + 1 under a rule of Lemma 6.
    ///
    /// # Source
    /// Derived: Lemma 6.
    fn late(&self, place: Place, option: LastEpoch) -> Result<Vec<Strings>, Refused> {
        let epoch = place.epoch + 1;
        let own = i64::try_from(place.l).unwrap_or(i64::MAX);
        let below = match option {
            LastEpoch::DigestsToW => 0,
            LastEpoch::CarriesAt(_) => option.number().min(own + 1),
        };
        let mut rows = Vec::new();
        for receiver in -1..below {
            let name = match receiver {
                -1 => format!("soft to w, epoch {epoch}"),
                i => format!("soft to {i}, epoch {epoch}"),
            };
            let size = self.game.heard(epoch, receiver, place.l);
            rows.push(strings(name, power(&size, self.choices(place, receiver)?)?));
        }
        if let LastEpoch::CarriesAt(q) = option {
            let cut = if place.last { q } else { place.l + 1 };
            let size = self.game.carried(epoch, cut);
            let count = power(&size, self.lists(q, self.steps())?)?;
            rows.push(strings(format!("carries, epoch {epoch}"), count));
        }
        Ok(rows)
    }

    fn options(&self) -> Vec<LastEpoch> {
        LastEpoch::options(&self.layout)
    }

    /// The option with the fewest strings in the last step; among equals the largest q.
    fn best_option(&self) -> Result<LastEpoch, Refused> {
        let place = self.place(self.steps() - 1);
        let mut best: Option<(BigUint, LastEpoch)> = None;
        for option in self.options() {
            let Ok(rows) = self.late(place, option) else {
                continue;
            };
            let count = product(&rows);
            if best.as_ref().is_none_or(|(least, _)| count < *least) {
                best = Some((count, option));
            }
        }
        match best {
            Some((_, option)) => Ok(option),
            None => refuse(
                "q",
                format!("more than {MAX_BITS} strings with every option"),
            ),
        }
    }
}

fn strings(name: impl Into<String>, count: BigUint) -> Strings {
    Strings {
        name: name.into(),
        count,
    }
}

fn product(rows: &[Strings]) -> BigUint {
    rows.iter().map(|row| &row.count).product()
}

/// (cov) of one step, `2^D` given as a number of strings.
struct Cover<'a> {
    v: u64,
    q: u64,
    x: u64,
    strings: &'a BigUint,
    strict: bool,
}

impl Cover<'_> {
    fn most(&self) -> u64 {
        self.v.min(self.q)
    }

    /// `C(v,k) k^q 2^(xD+1) <= v^q`, strictly and without the 1 in the product case.
    ///
    /// # Source
    /// Derived: Lemma 3. Both sides are written out.
    fn holds(&self, k: u64) -> Result<bool, Refused> {
        if k == 0 || self.strings.is_one() {
            return Ok(true);
        }
        let (v, base) = (BigUint::from(self.v), BigUint::from(k));
        let right = power(&v, self.q)?;
        if self.strings.bits().saturating_sub(1).saturating_mul(self.x) > right.bits() {
            return Ok(false);
        }
        let paid = power(self.strings, self.x)?;
        let Ok(ways) = binomial(&v, &base, MAX_BITS) else {
            return refuse(
                "theta",
                format!("C({v}, {k}) has more than {MAX_BITS} bits"),
            );
        };
        let left = ways * power(&base, self.q)? * paid;
        Ok(if self.strict {
            left < right
        } else {
            left << 1_u32 <= right
        })
    }

    /// The largest Theta: the good k are an initial segment, or the top is good.
    fn largest(&self) -> Result<u64, Refused> {
        let most = self.most();
        if self.holds(most - 1)? {
            return Ok(most);
        }
        let (mut low, mut high) = (0, most - 1);
        while low + 1 < high {
            let middle = low.midpoint(high);
            if self.holds(middle)? {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(low + 1)
    }
}

/// The ledger with the largest Theta at every step and the cheapest last epoch.
///
/// # Source
/// Derived: Theorem 1, edge by edge.
/// # Errors
/// [`Refused`] for numbers out of range, a layout that is possible, and numbers of more than [`MAX_BITS`] bits.
/// # Cost
/// About `log2 m_l` comparisons of numbers of at most 200,000 bits per step.
pub fn check(game: &Edges, point: &Point) -> Result<Ledger, Refused> {
    let scheme = Scheme::new(game, point)?;
    let option = scheme.best_option()?;
    walk(&scheme, option, |_, cover| cover.largest())
}

/// The ledger with these choices: what a certificate states.
///
/// # Errors
/// As [`check`]; also for an option that the layout does not allow, and a Theta that (cov) does not give.
/// # Cost
/// One comparison of numbers of at most 200,000 bits per step, and one more.
pub fn check_choice(
    game: &Edges,
    point: &Point,
    theta: &[u64],
    option: LastEpoch,
) -> Result<Ledger, Refused> {
    let scheme = Scheme::new(game, point)?;
    if !scheme.options().contains(&option) {
        return refuse(
            "q",
            format!("found {}, not an option of this layout", option.number()),
        );
    }
    if theta.len() + 1 != game.steps() {
        return refuse("theta", format!("expected {} numbers", game.steps() - 1));
    }
    walk(&scheme, option, |l, cover| {
        let (theta, field) = (theta[l - 1], format!("theta/{}", l - 1));
        if theta == 0 || theta > cover.most() {
            return refuse(
                field,
                format!("found {theta}, expected 1..{}", cover.most()),
            );
        }
        if !cover.holds(theta - 1)? {
            return refuse(
                field,
                format!("found {theta}, for which coverage is not proved"),
            );
        }
        Ok(theta)
    })
}

/// Walks the steps 1 .. L-1; `choose` says Theta.
fn walk(
    scheme: &Scheme<'_>,
    option: LastEpoch,
    choose: impl Fn(usize, &Cover<'_>) -> Result<u64, Refused>,
) -> Result<Ledger, Refused> {
    let (game, mut steps) = (scheme.game, Vec::new());
    let (mut t, mut before) = (scheme.point.lists[0], scheme.first()?);
    for l in 1..scheme.steps() {
        let place = scheme.place(l);
        let strict = place.base && scheme.start == Start::Long;
        let x = scheme.point.lists[l];
        let cover = Cover {
            v: game.ranges[l - 1],
            q: times(x, t)?,
            x,
            strings: &before,
            strict,
        };
        let (v, theta) = (cover.v, choose(l, &cover)?);
        let mut rows = scheme.early(place, scheme.rectangle(place, &before)?)?;
        let rule = if place.last {
            option
        } else {
            LastEpoch::CarriesAt(scheme.steps())
        };
        rows.extend(scheme.late(place, rule)?);
        let after = product(&rows);
        let next = times(scheme.point.used[l - 1], theta)?;
        steps.push(Step {
            place,
            t,
            v,
            before,
            strict,
            theta,
            rows,
            after: after.clone(),
        });
        (t, before) = (next, after);
    }
    let range = game.ranges[scheme.steps() - 1];
    let proved = power(&range.into(), t)? > before;
    Ok(Ledger {
        steps,
        option,
        range,
        t,
        strings: before,
        answer: if proved {
            Answer::Proved
        } else {
            Answer::NotProved
        },
    })
}
