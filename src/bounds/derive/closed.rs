//! Closed forms: integers that satisfy the ledger for every L, s, C and a, and what they give for all c at once.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Pow, Zero};

use super::setting::{Layout, Params, Refused, Start, refuse};

/// `ceil(a / b)`.
fn quotient(a: &BigUint, b: &BigUint) -> BigUint {
    a.div_ceil(b)
}

/// Integers that Theorem 2 proves to close the refined ledger, separate or merged.
///
/// # Source
/// Derived: Theorem 2 of `docs/derive.md`.
/// # Errors
/// [`Refused`] for s = 0 and for layouts without a polynomial bound.
/// # Cost
/// A few powers of about `L^2 log2 (L s)` bits.
pub fn theorem_two(layout: &Layout, soft: &BigUint, carry: &BigUint) -> Result<Params, Refused> {
    if soft.is_zero() {
        return refuse("soft_bits", "found 0, expected at least 1");
    }
    let steps = layout.steps();
    let start = match layout.start() {
        Some(Start::Long) => Start::Long,
        Some(Start::Short) => Start::Short,
        Some(Start::Window) | None => {
            return refuse(
                "linear",
                "this layout is possible; it has no polynomial bound",
            );
        }
    };
    let digests = soft * (steps - 1);
    let b = &digests * steps * 50_u32;
    let y = |l: usize| &digests * (BigUint::from(2_u32) << (2 * l)) * Pow::pow(&b, steps - 1 - l);
    let carries = carry * layout.passes_up_to(layout.epochs());
    let over = |divisor: &BigUint| quotient(&(&carries * 4_u32), divisor);
    let four = |l: usize| y(l) * 4_u32;
    let head = over(&(&b * y(1)));
    // B has x_1 = m and begins with one value of z_0
    let short_plain = start == Start::Short && layout.pass(0).is_zero();
    let (x_0, x_1, m) = if short_plain {
        let m = y(1).max(over(&b));
        (BigUint::one(), m.clone(), m)
    } else {
        let least = if start == Start::Long {
            y(0)
        } else {
            carry * layout.pass(0) + 1_u32
        };
        let x_0 = least.max(head);
        let m = four(1) * &x_0;
        (x_0, four(1), m)
    };
    let mut x = vec![x_0, x_1];
    x.extend((2..steps).map(four));
    let n = (1..steps)
        .map(|l| match l {
            _ if l == steps - 1 => b.clone(),
            1 if short_plain => &b * four(2),
            _ => &b * y(l + 1),
        })
        .collect();
    Ok(Params {
        m,
        n,
        np: vec![b; steps - 1],
        x,
    })
}

/// A polynomial in c, lowest power first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polynomial(pub Vec<BigUint>);

impl Polynomial {
    fn constant(a: impl Into<BigUint>) -> Self {
        Self(vec![a.into()])
    }

    fn mul(&self, other: &Self) -> Self {
        let mut product = vec![BigUint::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self(product)
    }

    fn add(&self, other: &Self) -> Self {
        let length = self.0.len().max(other.0.len());
        let at = |list: &[BigUint], i: usize| list.get(i).cloned().unwrap_or_default();
        Self(
            (0..length)
                .map(|i| at(&self.0, i) + at(&other.0, i))
                .collect(),
        )
    }

    fn power(&self, exponent: usize) -> Self {
        (0..exponent).fold(Self::constant(1_u32), |power, _| power.mul(self))
    }

    /// The value at c.
    pub fn at(&self, c: &BigUint) -> BigUint {
        self.0
            .iter()
            .rev()
            .fold(BigUint::zero(), |sum, coefficient| sum * c + coefficient)
    }
}

/// A bound on n that is a polynomial in c, for a network with `s = 2c` and `C = c(c+1)`: it bounds the n of [`theorem_two`] for every c >= 1.
///
/// # Source
/// Derived: Theorem 2, with max replaced by a sum and ceil(u) by u + 1. Here the quotients in `ceil(4S/(b y_1))` and `ceil(4S/b)` are
/// bounded by `ceil(4 A (c+1) / K)` with a constant K: `b y_1 >= K c`, so the quotient is at most a polynomial with whole coefficients.
/// # Errors
/// As [`theorem_two`].
/// # Cost
/// Products of polynomials of degree about `L^2 / 2`.
pub fn length_for_all_c(layout: &Layout) -> Result<Polynomial, Refused> {
    let steps = layout.steps();
    // the layout decides the case; s and C are symbols here
    theorem_two(layout, &BigUint::one(), &BigUint::one())?;
    let c = Polynomial(vec![BigUint::zero(), BigUint::one()]);
    let carry = Polynomial(vec![BigUint::zero(), BigUint::one(), BigUint::one()]);
    let scale = |p: &Polynomial, a: BigUint| p.mul(&Polynomial::constant(a));
    let digests = scale(&c, BigUint::from(2 * (steps - 1)));
    let b = scale(&digests, BigUint::from(50 * steps));
    let y = |l: usize| {
        scale(
            &digests.mul(&b.power(steps - 1 - l)),
            BigUint::from(2_u32) << (2 * l),
        )
    };
    // 4 S = 4 A c (c + 1), divided by something of at least `by * c`
    let total = layout.passes_up_to(layout.epochs()) * 4_u32;
    let over = |by: &BigUint| {
        let whole = quotient(&total, by);
        Polynomial(vec![whole.clone(), whole]).add(&Polynomial::constant(1_u32))
    };
    let slope = |p: &Polynomial| p.at(&BigUint::one());
    let short_plain = layout.start() == Some(Start::Short) && layout.pass(0).is_zero();
    let m = if short_plain {
        y(1).add(&over(&slope(&b)))
    } else {
        let least = if layout.start() == Some(Start::Long) {
            y(0)
        } else {
            scale(&carry, layout.pass(0)).add(&Polynomial::constant(1_u32))
        };
        let x_0 = least.add(&over(&slope(&b.mul(&y(1)))));
        scale(&y(1), BigUint::from(4_u32)).mul(&x_0)
    };
    let mut range = m;
    let mut length = Polynomial::constant(2_u32).add(&range);
    for l in 1..steps {
        let factor = match l {
            _ if l == steps - 1 => b.clone(),
            1 if short_plain => scale(&b.mul(&y(2)), BigUint::from(4_u32)),
            _ => b.mul(&y(l + 1)),
        };
        range = range.mul(&factor);
        length = length.add(&range);
    }
    Ok(length)
}

/// An E with `n <= c^E` for **every** c >= 2, n being the length that Theorem 2 excludes at `s = 2c`, `C = c(c+1)`.
///
/// # Source
/// Derived: every coefficient of [`length_for_all_c`] is a whole number, so `log_c` of it falls with c and the value at c = 2 decides.
/// # Errors
/// As [`theorem_two`].
/// # Cost
/// That of [`length_for_all_c`].
pub fn exponent_for_all_c(layout: &Layout) -> Result<u64, Refused> {
    let bound = length_for_all_c(layout)?.at(&BigUint::from(2_u32));
    Ok((bound - 1_u32).bits())
}
