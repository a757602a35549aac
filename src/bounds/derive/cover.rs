//! (cov): when a few random functions cover many values, decided exactly.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Pow, Signed, Zero};

use super::scheme::Rectangle;
use crate::exact::count::{binomial, factorial, falling};
use crate::exact::interval::floor_log2_scaled;

/// How a coverage was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Nothing is asked: the set is everything.
    Free,
    /// By integers.
    ExactInteger,
    /// By enclosures of logarithms in a bound that is one-sided: failing it proves nothing.
    CertifiedLog,
}

impl Method {
    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::ExactInteger => "exact-integer",
            Self::CertifiedLog => "certified-log",
        }
    }
}

/// (cov) by integers up to this size of `q bit_length(v)`.
const EXACT_LIMIT: u64 = 200_000;
/// Fractional bits of a first try; enclosures are nested, so it decides nothing that more bits would decide otherwise.
const FIRST_PRECISION: u32 = 64;
/// Fractional bits of logarithms.
const PRECISION: u32 = 200;
/// Fractional bits at which a comparison is given up.
const MAX_PRECISION: u32 = 6400;
/// `log2 e` is below this over 10^16.
const LOG2_E: u64 = 14_426_950_408_889_635;
const LOG2_E_UNIT: u64 = 10_000_000_000_000_000;
/// Bit lengths of v and q farther apart than this take the other bound on the binomial.
const WIDE: u64 = 32;

/// The question: `C(v,k) k^q 2^b <= v^q`, strictly or not.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// Number of values.
    pub v: &'a BigUint,
    /// Number of draws, `x t`.
    pub q: &'a BigUint,
    /// What Lemma 3 asks.
    pub rectangle: &'a Rectangle,
}

/// Integers around `2^precision log2 x`.
#[derive(Clone, Debug)]
struct Log {
    low: BigInt,
    high: BigInt,
}

impl Log {
    fn of(x: &BigUint, precision: u32) -> Self {
        let low = floor_log2_scaled(x, precision);
        let exact = x.trailing_zeros() == x.bits().checked_sub(1);
        let high = if exact { low.clone() } else { &low + 1 };
        Self { low, high }
    }

    fn swapped(self) -> Self {
        Self {
            low: self.high,
            high: self.low,
        }
    }
}

fn signed(x: &BigUint) -> BigInt {
    BigInt::from(x.clone())
}

impl Question<'_> {
    /// By which method this question is decided.
    pub fn method(&self) -> Method {
        if self.rectangle.free {
            Method::Free
        } else if self.q * self.v.bits() <= BigUint::from(EXACT_LIMIT) {
            Method::ExactInteger
        } else {
            Method::CertifiedLog
        }
    }

    /// `min(v, q)`, the most that can be covered.
    pub fn most(&self) -> BigUint {
        self.v.min(self.q).clone()
    }

    /// No k at least 1 can do, and `2^b` must not be formed.
    fn hopeless(&self) -> bool {
        self.rectangle.cost >= self.q * self.v.bits()
    }

    /// Whether (cov) holds at k.
    ///
    /// # Source
    /// Derived: Lemma 3.
    /// # Domain
    /// `k < min(v, q)`. By [`Method::CertifiedLog`] the answer no means "not proved by this bound".
    /// # Cost
    /// Exact: one binomial and two powers of at most 200,000 bits. Else about `4 * 200` squarings of 264 bits.
    pub fn holds(&self, k: &BigUint) -> bool {
        if self.rectangle.free || k.is_zero() {
            return true;
        }
        if self.hopeless() {
            return false;
        }
        match self.method() {
            Method::Free => true,
            Method::ExactInteger => self.exact(k),
            Method::CertifiedLog => self.by_logarithms(k),
        }
    }

    fn satisfied(&self, sum: &BigInt) -> bool {
        if self.rectangle.strict {
            sum.is_negative()
        } else {
            !sum.is_positive()
        }
    }

    /// An upper bound on `2^P log2(C(v,k) (k/v)^q 2^b)` with `C(v,k) <= v^v / (k^k (v-k)^(v-k))`; the lower one with all ends exchanged.
    fn entropy(&self, k: &BigUint, precision: u32, upper: bool) -> BigInt {
        let end = |x: &BigUint| {
            let log = Log::of(x, precision);
            if upper { log } else { log.swapped() }
        };
        let (v, rest) = (end(self.v), self.v - k);
        let (of_k, of_rest) = (end(k), end(&rest));
        signed(self.v) * &v.high - signed(k) * &of_k.low - signed(&rest) * &of_rest.low
            + signed(self.q) * (&of_k.high - &v.low)
            + (signed(&self.rectangle.cost) << precision)
    }

    /// The same with `C(v,k) <= (e v / k)^k`, times 10^16: for v far above q the entropy cancels.
    fn tail(&self, k: &BigUint, precision: u32, upper: bool) -> BigInt {
        let end = |x: &BigUint| {
            let log = Log::of(x, precision);
            if upper { log } else { log.swapped() }
        };
        let (v, of_k) = (end(self.v), end(k));
        let sum = signed(k) * (&v.high - &of_k.low)
            + signed(self.q) * (&of_k.high - &v.low)
            + (signed(&self.rectangle.cost) << precision);
        sum * LOG2_E_UNIT + (signed(k) << precision) * LOG2_E
    }

    fn wide(&self) -> bool {
        self.v.bits() > self.q.bits() + WIDE
    }

    fn log_sum(&self, k: &BigUint, precision: u32, upper: bool) -> BigInt {
        if self.wide() {
            self.tail(k, precision, upper)
        } else {
            self.entropy(k, precision, upper)
        }
    }

    fn by_logarithms(&self, k: &BigUint) -> bool {
        let mut precision = FIRST_PRECISION;
        loop {
            if self.satisfied(&self.log_sum(k, precision, true)) {
                return true;
            }
            if self.log_sum(k, precision, false).is_positive() || precision >= MAX_PRECISION {
                return false;
            }
            precision = if precision < PRECISION {
                PRECISION
            } else {
                precision * 2
            };
        }
    }

    /// Decided by integers, after two cheap bounds that decide nearly always: `v^v/(k^k (v-k)^(v-k)) / (v+1) <= C(v,k) <= v^v/(..)`.
    fn exact(&self, k: &BigUint) -> bool {
        const QUICK: u32 = 48;
        let above = self.entropy(k, QUICK, true);
        if above.is_negative() {
            return true;
        }
        let below =
            self.entropy(k, QUICK, false) - (BigInt::from((self.v + 1_u32).bits()) << QUICK);
        if below.is_positive() {
            return false;
        }
        self.by_integers(k)
    }

    /// Both sides written out.
    pub(super) fn by_integers(&self, k: &BigUint) -> bool {
        let Some((left, right)) = self.sides(k) else {
            return false;
        };
        let left = left << u64::try_from(self.rectangle.cost.clone()).unwrap_or(u64::MAX);
        if self.rectangle.strict {
            left < right
        } else {
            left <= right
        }
    }

    /// `C(v,k) k^q` and `v^q`.
    fn sides(&self, k: &BigUint) -> Option<(BigUint, BigUint)> {
        let q = u64::try_from(self.q.clone()).ok()?;
        Some((
            choose(self.v, k)? * Pow::pow(k.clone(), q),
            Pow::pow(self.v.clone(), q),
        ))
    }

    /// The largest `Theta = k + 1` that (cov) gives.
    ///
    /// # Source
    /// Derived: `log C(v,k) + q log k` is concave in k, so if the top k fails the good ones form an initial segment.
    /// # Cost
    /// `bits(min(v,q))` tests, at most 65: beyond 64 bits only multiples of a power of two are tried.
    pub fn largest(&self) -> BigUint {
        let most = self.most();
        if self.rectangle.free {
            return most;
        }
        let top = &most - 1_u32;
        if top.is_zero() || self.hopeless() {
            return BigUint::one();
        }
        if self.holds(&top) {
            return most;
        }
        let shift = top.bits().saturating_sub(64);
        let (mut low, mut high) = (BigUint::zero(), (&top >> shift) + 1_u32);
        if (&(&high - 1_u32) << shift) == top {
            high -= 1_u32;
        }
        while &low + 1_u32 < high {
            let middle = (&low + &high) >> 1;
            if self.holds(&(&middle << shift)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        (low << shift) + 1_u32
    }

    /// The largest integer b for which (cov) holds at k, for print; `None` where nothing is asked.
    ///
    /// # Domain
    /// By [`Method::CertifiedLog`] a lower value.
    pub fn allowed(&self, k: &BigUint) -> Option<BigUint> {
        if self.rectangle.free || k.is_zero() {
            return None;
        }
        let strict = self.rectangle.strict;
        if self.method() == Method::ExactInteger {
            let (left, right) = self.sides(k)?;
            let mut bits = right.bits().checked_sub(left.bits())?;
            let fits = |bits: u64| {
                if strict {
                    &left << bits < right
                } else {
                    &left << bits <= right
                }
            };
            while !fits(bits) {
                bits = bits.checked_sub(1)?;
            }
            return Some(BigUint::from(bits));
        }
        let free = Rectangle {
            cost: BigUint::zero(),
            ..self.rectangle.clone()
        };
        let question = Question {
            rectangle: &free,
            ..self.clone()
        };
        let room = -question.log_sum(k, PRECISION, true) - i32::from(strict);
        let unit = if self.wide() {
            BigInt::from(LOG2_E_UNIT)
        } else {
            BigInt::one()
        };
        (room / (unit << PRECISION)).to_biguint()
    }
}

/// `C(v,k)`, the shorter way.
fn choose(v: &BigUint, k: &BigUint) -> Option<BigUint> {
    const LIMIT: u64 = 1 << 20;
    if v / k < BigUint::from(64_u32) {
        return binomial(v, k, LIMIT).ok();
    }
    Some(falling(v, k, LIMIT).ok()? / factorial(k, LIMIT).ok()?)
}

/// `t log2 N`, around it and against a number of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// `floor(t log2 N)`.
    pub floor: BigUint,
    /// Whether `2^bits < N^t`; `None` at the precision cap.
    pub exceeds: Option<bool>,
}

/// Decides `N^t > 2^bits`.
///
/// # Source
/// Derived: Lemma 5.
/// # Domain
/// `N >= 1`.
/// # Cost
/// One logarithm of 200 fractional bits; more only if that leaves it open.
pub fn room(range: &BigUint, t: &BigUint, bits: &BigUint) -> Room {
    let mut precision = PRECISION;
    loop {
        let log = Log::of(range, precision);
        let (low, high) = (signed(t) * log.low, signed(t) * log.high);
        let needed = signed(bits) << precision;
        let exceeds = if low > needed {
            Some(true)
        } else if high <= needed {
            Some(false)
        } else {
            None
        };
        let (floor, above) = (&low >> precision, &high >> precision);
        let settled = exceeds.is_some() && floor == above;
        if settled || precision >= MAX_PRECISION {
            return Room {
                floor: floor.to_biguint().unwrap_or_default(),
                exceeds,
            };
        }
        precision *= 2;
    }
}
