//! The proof-scale parameters of `hybrid-v1` and the inequalities of its proof.
//!
//! All quantities are products of powers of c, the number of steps L, and 8, so they cost the same at every size. What the paper
//! states, what its argument needs but does not state, and what is ours is told apart by [`Mark`].

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Pow, Zero};
use thiserror::Error;

use crate::exact::{BIT_LIMIT, Factors, Number, NumberError, Relation, relation};

mod checks;
mod threshold;

pub use checks::{Check, Mark, Wanted};
pub use threshold::{
    ThresholdError, least_c_not_trivial, least_c_relay_fits, least_c_theorem_not_trivial,
};

/// Why parameters were refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {reason}")]
pub struct ParameterError {
    /// The field.
    pub field: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

fn refuse<T>(field: &'static str, reason: impl Into<String>) -> Result<T, ParameterError> {
    Err(ParameterError {
        field,
        reason: reason.into(),
    })
}

/// The proof-scale parameters at one point (L, c, d, `a_1`).
///
/// # Source
/// `hybrid-v1`, appendix B, eqs. (5)-(12). Layout `a = (a_1, A, .., A)`; the paper's proof has `a_1 = 0`.
/// # Domain
/// `L >= 2`, `c >= 1`, `d >= 1` a divisor of c, `a_1 >= 0`.
#[derive(Clone, Debug)]
pub struct Parameters {
    steps: u32,
    c: BigUint,
    d: BigUint,
    a1: BigUint,
    /// `x_0 .. x_{l-1}` at index l.
    x_products: Vec<Factors>,
    /// `n_1 .. n_l` at index l.
    n_products: Vec<Factors>,
    k: Factors,
    m: Factors,
}

fn eight_to(exponent: u32) -> BigUint {
    Pow::pow(BigUint::from(8_u32), exponent)
}

fn natural(x: &BigUint) -> Factors {
    Factors::power(x, &BigRational::one()).unwrap_or_default()
}

fn products(of: impl Iterator<Item = Factors>) -> Vec<Factors> {
    let mut list = vec![Factors::one()];
    let mut product = Factors::one();
    for factor in of {
        product = product.mul(&factor);
        list.push(product.clone());
    }
    list
}

/// `T = 4 * 16^L`: Lemma B.1 bounds the length by `c^T`, and Theorem 1.1 asks for `c^T <= n`.
///
/// # Source
/// `hybrid-v1`, Lemma B.1 and Theorem 1.1.
#[must_use]
pub fn theorem_exponent(steps: u32) -> BigUint {
    BigUint::from(4_u32) << (4 * u64::from(steps))
}

/// The least length at which Theorem 1.1 admits c = 2: `2^T` with `T = 2^(4L+2)`.
///
/// # Source
/// `hybrid-v1`, Theorem 1.1.
#[must_use]
pub fn first_length(steps: u32) -> Number {
    Number::from(Factors::word(2).powi(theorem_exponent(steps)))
}

impl Parameters {
    /// The parameters at a point.
    ///
    /// # Errors
    /// [`ParameterError`] naming the field: `steps` below 2, `c` or `d` below 1, `d` not a divisor of `c`.
    /// # Cost
    /// About `L` products of at most four atoms.
    pub fn new(steps: u32, c: BigUint, d: BigUint, a1: BigUint) -> Result<Self, ParameterError> {
        if steps < 2 {
            return refuse("steps", format!("{steps} is below 2"));
        }
        if c.is_zero() {
            return refuse("c", "0 is below 1");
        }
        if d.is_zero() {
            return refuse("d", "0 is below 1");
        }
        if !c.is_multiple_of(&d) {
            return refuse("d", format!("{d} does not divide c = {c}"));
        }
        let squares = 2 * u64::from(steps) * u64::from(steps);
        let base = natural(&c).mul(&Factors::word(steps.into()));
        let k = base.powi(8).mul(&Factors::word(8).powi(squares));
        // x_l = K^(8^(L-l-1)), n_l = x_l^4
        let height = |l: u32| eight_to(steps - 1 - l);
        let x_products = products((0..steps).map(|l| k.powi(height(l))));
        let n_products = products((1..steps).map(|l| k.powi(height(l) * 4_u32)));
        let exponent: BigUint = (0..steps).map(eight_to).sum::<BigUint>() + 1_u32;
        let m = k.powi(exponent);
        Ok(Self {
            steps,
            c,
            d,
            a1,
            x_products,
            n_products,
            k,
            m,
        })
    }

    /// The number L of composition steps.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The value of an argument by its name in claim files: `L`, `steps`, `c`, `d`, `a1`.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<BigUint> {
        match name {
            "L" | "steps" => Some(self.steps.into()),
            "c" => Some(self.c.clone()),
            "d" => Some(self.d.clone()),
            "a1" => Some(self.a1.clone()),
            _ => None,
        }
    }

    /// `K = (cL)^8 8^(2L^2)`.
    #[must_use]
    pub fn k(&self) -> Factors {
        self.k.clone()
    }

    /// `sqrt K = (cL)^4 8^(L^2)`, an integer.
    #[must_use]
    pub fn sqrt_k(&self) -> Factors {
        self.k.pow(&BigRational::new(1.into(), 2.into()))
    }

    /// `m = K^(1 + sum_{r<L} 8^r)`.
    #[must_use]
    pub fn m(&self) -> Factors {
        self.m.clone()
    }

    /// `x_0 .. x_{l-1}`, clipped to the indices that exist.
    fn x_product(&self, l: u32) -> Factors {
        at(&self.x_products, l)
    }

    /// `n_1 .. n_l`, clipped to the indices that exist.
    fn n_product(&self, l: u32) -> Factors {
        at(&self.n_products, l)
    }

    fn inside(
        &self,
        field: &'static str,
        l: u32,
        least: u32,
        most: u32,
    ) -> Result<(), ParameterError> {
        if (least..=most).contains(&l) {
            return Ok(());
        }
        refuse(
            field,
            format!("index {l} is outside {least}..{most} at L = {}", self.steps),
        )
    }

    /// `x_l = K^(8^(L-l-1))`.
    ///
    /// # Errors
    /// [`ParameterError`] unless `0 <= l <= L-1`.
    pub fn x(&self, l: u32) -> Result<Factors, ParameterError> {
        self.inside("x", l, 0, self.steps - 1)?;
        Ok(self.x_at(l))
    }

    fn x_at(&self, l: u32) -> Factors {
        self.x_product(l + 1).div(&self.x_product(l))
    }

    /// `n_l = K^(4 * 8^(L-l-1))`.
    ///
    /// # Errors
    /// [`ParameterError`] unless `1 <= l <= L-1`.
    pub fn n_factor(&self, l: u32) -> Result<Factors, ParameterError> {
        self.inside("n", l, 1, self.steps - 1)?;
        Ok(self.n_product(l).div(&self.n_product(l - 1)))
    }

    /// `N_l = m n_1 .. n_l`.
    ///
    /// # Errors
    /// [`ParameterError`] unless `0 <= l <= L-1`.
    pub fn range(&self, l: u32) -> Result<Factors, ParameterError> {
        self.inside("N", l, 0, self.steps - 1)?;
        Ok(self.range_at(l))
    }

    fn range_at(&self, l: u32) -> Factors {
        self.m.mul(&self.n_product(l))
    }

    /// `n = 2 + N_0 + .. + N_{L-1}`, the number of tokens, as a sum that is not written out.
    #[must_use]
    pub fn length(&self) -> Number {
        let ranges = (0..self.steps).map(|l| self.range_at(l));
        Number::sum_of(std::iter::once(Factors::word(2)).chain(ranges).collect())
    }

    /// `P = n_1 .. n_{L-1}`, the number of queries w.
    #[must_use]
    pub fn queries(&self) -> Factors {
        self.n_product(self.steps - 1)
    }

    /// `C = c (d + 1)`, the bits of one linear message.
    #[must_use]
    pub fn linear_bits(&self) -> Factors {
        natural(&self.c).mul(&natural(&(&self.d + 1_u32)))
    }

    /// `A = 2^(3L^2)`, the recurrent layers after each full one.
    #[must_use]
    pub fn passes(&self) -> BigUint {
        BigUint::one() << (3 * u64::from(self.steps) * u64::from(self.steps))
    }

    /// `a_1 + .. + a_r` for the layout `(a_1, A, .., A)`, r at least 1.
    #[must_use]
    pub fn passes_up_to(&self, r: u32) -> BigUint {
        &self.a1 + self.passes() * r.saturating_sub(1)
    }

    /// `log2 Delta_l = 4 sqrtK (x_0 .. x_{l-2}) P`.
    ///
    /// # Errors
    /// [`ParameterError`] unless `2 <= l <= L`.
    pub fn log2_delta(&self, l: u32) -> Result<Factors, ParameterError> {
        self.inside("log2Delta", l, 2, self.steps)?;
        Ok(self.log2_delta_at(l))
    }

    fn log2_delta_at(&self, l: u32) -> Factors {
        Factors::word(4).mul(&self.share(l - 1))
    }

    /// `sqrtK X_l P` with `X_l = x_0 .. x_{l-1}`: the message budget of step l, a quarter of `log2 Delta_{l+1}`.
    fn share(&self, l: u32) -> Factors {
        Factors::product([&self.sqrt_k(), &self.x_product(l), &self.queries()])
    }

    /// `Theta_l = 8^(-L l) (x_0 .. x_l) (n_1 .. n_{l-1})`, `Theta_0 = x_0`.
    ///
    /// # Errors
    /// [`ParameterError`] unless `0 <= l <= L-1`.
    pub fn theta(&self, l: u32) -> Result<Factors, ParameterError> {
        self.inside("Theta", l, 0, self.steps - 1)?;
        Ok(self.theta_with(l, &Factors::word(8).powi(self.steps)))
    }

    /// Theta with the loss `loss^l`.
    fn theta_with(&self, l: u32, loss: &Factors) -> Factors {
        let full = self
            .x_product(l + 1)
            .mul(&self.n_product(l.saturating_sub(1)));
        full.div(&loss.powi(l))
    }

    /// `t_l = n_{l-1} Theta_{l-1}`, the addresses of `z_l` kept in reach.
    ///
    /// # Errors
    /// [`ParameterError`] unless `2 <= l <= L`.
    pub fn kept(&self, l: u32) -> Result<Factors, ParameterError> {
        self.inside("t", l, 2, self.steps)?;
        Ok(self.kept_with(l, &Factors::word(8).powi(self.steps)))
    }

    fn kept_with(&self, l: u32, loss: &Factors) -> Factors {
        let n = self
            .n_product(l - 1)
            .div(&self.n_product(l.saturating_sub(2)));
        n.mul(&self.theta_with(l - 1, loss))
    }

    /// `T* = bits(n(2))`, the least integer with `n <= c^(T*)` for all c at least 2.
    ///
    /// # Source
    /// Derived; `hybrid-v1`, Lemma B.1 has `4 * 16^L` in its place.
    /// # Errors
    /// [`ThresholdError`] for L below 2, or if the length at c = 2 cannot be compared with a power of two.
    pub fn sharp_exponent(steps: u32) -> Result<BigInt, ThresholdError> {
        let at_two = Self::new(steps, BigUint::from(2_u32), BigUint::one(), BigUint::zero())?;
        // N_{L-1} < n < 2 N_{L-1}, and n/2 is odd and above 1, hence n is no power of two.
        let floor = at_two.range_at(steps - 1).canonical().floor_log2();
        let above = Number::from(Factors::word(2).powi(&floor + 1));
        let carries = relation(&at_two.length(), &above)? == Relation::Greater;
        Ok(floor + if carries { 2 } else { 1 })
    }

    /// The largest A for which the message budget of every step holds with `a = (a_1, A, .., A)`.
    ///
    /// # Source
    /// Derived from Theorem B.2 of `hybrid-v1`: step 1 is the tightest, and gives `floor(sqrtK x_0 P / C) - a_1`.
    /// # Errors
    /// [`NumberError::TooLarge`] if that number is too long to be written out.
    pub fn largest_passes(&self) -> Result<BigInt, NumberError> {
        let admitted = self
            .share(1)
            .div(&self.linear_bits())
            .canonical()
            .to_rational(BIT_LIMIT)?;
        Ok(admitted.numer().div_floor(admitted.denom()) - BigInt::from(self.a1.clone()))
    }
}

fn at(list: &[Factors], l: u32) -> Factors {
    let index = usize::try_from(l)
        .unwrap_or(usize::MAX)
        .min(list.len().saturating_sub(1));
    list.get(index).cloned().unwrap_or_default()
}

/// A family of quantities: its name and, if the name carries an index, the first index and L minus the last one.
struct Family {
    name: &'static str,
    indices: Option<(u32, u32)>,
}

const FAMILIES: [Family; 13] = [
    Family {
        name: "K",
        indices: None,
    },
    Family {
        name: "sqrtK",
        indices: None,
    },
    Family {
        name: "m",
        indices: None,
    },
    Family {
        name: "n",
        indices: None,
    },
    Family {
        name: "n",
        indices: Some((1, 1)),
    },
    Family {
        name: "x",
        indices: Some((0, 1)),
    },
    Family {
        name: "N",
        indices: Some((0, 1)),
    },
    Family {
        name: "P",
        indices: None,
    },
    Family {
        name: "C",
        indices: None,
    },
    Family {
        name: "A",
        indices: None,
    },
    Family {
        name: "log2Delta",
        indices: Some((2, 0)),
    },
    Family {
        name: "Theta",
        indices: Some((1, 1)),
    },
    Family {
        name: "t",
        indices: Some((2, 0)),
    },
];

/// All names of quantities at L steps, in the order in which they are printed.
///
/// # Source
/// `hybrid-v1`; the spelling is that of the claim files.
#[must_use]
pub fn names(steps: u32) -> Vec<String> {
    let mut names = Vec::new();
    for family in &FAMILIES {
        match family.indices {
            None => names.push(family.name.to_owned()),
            Some((first, gap)) => {
                names.extend(
                    (first..=steps.saturating_sub(gap)).map(|l| format!("{}{l}", family.name)),
                );
            }
        }
    }
    names
}

impl Parameters {
    /// A quantity by its name in claim files: `K`, `sqrtK`, `m`, `n`, `n1`.., `x0`.., `N0`.., `P`, `C`, `A`, `log2Delta2`..,
    /// `Theta1`.., `t2`...
    ///
    /// # Source
    /// `hybrid-v1`, appendix B. `Theta0` is accepted too.
    /// # Errors
    /// [`ParameterError`] for an unknown name or an index outside its range.
    pub fn quantity(&self, name: &str) -> Result<Number, ParameterError> {
        let fixed = match name {
            "K" => self.k(),
            "sqrtK" => self.sqrt_k(),
            "m" => self.m(),
            "n" => return Ok(self.length()),
            "P" => self.queries(),
            "C" => self.linear_bits(),
            "A" => return Ok(Number::from(natural(&self.passes()))),
            _ => return self.indexed(name).map(Number::from),
        };
        Ok(Number::from(fixed))
    }

    fn indexed(&self, name: &str) -> Result<Factors, ParameterError> {
        // `log2Delta2`: the digits of the index are those at the end.
        let (family, digits) =
            name.split_at(name.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        let canonical = digits == "0" || !digits.starts_with('0');
        let index = digits.parse().ok().filter(|_| canonical);
        match (family, index) {
            ("n", Some(l)) => self.n_factor(l),
            ("x", Some(l)) => self.x(l),
            ("N", Some(l)) => self.range(l),
            ("log2Delta", Some(l)) => self.log2_delta(l),
            ("Theta", Some(l)) => self.theta(l),
            ("t", Some(l)) => self.kept(l),
            (_, _) => refuse("quantity", format!("unknown name {name}")),
        }
    }
}

#[cfg(test)]
mod tests;
