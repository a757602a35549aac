//! The linear program behind the exponents: logarithms to base c of everything in the ledger.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::scheme::LastEpoch;
use super::setting::{Class, Layout, Mode, Refused, Start, refuse};
use crate::exact::linear::{AtLeast, Program, Unfit};

/// The modes of the exponent program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Inside the tables, used addresses last.
    Refined,
    /// Between the tables.
    Coarse,
    /// Between the tables, all values of w used.
    CoarseFullW,
    /// Inside the tables, whole columns of addresses used.
    RefinedIMajor,
}

impl Cut {
    /// All, with their words.
    pub const ALL: [(&'static str, Self); 4] = [
        ("refined", Self::Refined),
        ("coarse", Self::Coarse),
        ("coarse-full-w", Self::CoarseFullW),
        ("refined-i-major", Self::RefinedIMajor),
    ];

    /// The word in files.
    pub fn word(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, cut)| *cut == self)
            .map_or("", |(word, _)| word)
    }

    /// From the word in files.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, cut)| *cut)
    }

    /// The program that belongs to a mode of the ledger.
    pub fn of_mode(mode: Mode) -> Self {
        match mode {
            Mode::Refined => Self::Refined,
            Mode::Coarse => Self::Coarse,
        }
    }
}

/// Which start the ledger has, as far as exponents see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// r = L, a_0 = a_1 = 0.
    Long,
    /// r at most L-1, a_0 = 0.
    Short,
    /// r at most L-1, a_0 >= 1.
    ShortWithCarry,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Long, Self::Short, Self::ShortWithCarry];

    /// The family of a layout.
    ///
    /// # Errors
    /// [`Refused`] for layouts that are possible: they have no exponent.
    pub fn of(layout: &Layout) -> Result<Self, Refused> {
        match layout.class() {
            Class::Impossible(Start::Long) => Ok(Self::Long),
            Class::Impossible(_) if layout.pass(0).is_zero() => Ok(Self::Short),
            Class::Impossible(_) => Ok(Self::ShortWithCarry),
            Class::Possible(_) => refuse("linear", "this layout is possible; it has no exponent"),
        }
    }
}

/// The question: what is the least exponent of n in c.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exponent {
    /// L.
    pub steps: usize,
    /// The start.
    pub family: Family,
    /// The cuts.
    pub cut: Cut,
    /// C = c^kappa.
    pub kappa: BigRational,
    /// `a_0 = c^(A_0)`.
    pub first: BigRational,
    /// `sum a_e = c^A`.
    pub passes: BigRational,
}

/// Places of the variables.
struct Variables {
    steps: usize,
}

impl Variables {
    #[expect(clippy::unused_self, reason = "reads like the other places")]
    fn x(&self, l: usize) -> usize {
        l
    }
    fn m(&self) -> usize {
        self.steps
    }
    fn block(&self, number: usize, l: usize) -> usize {
        self.steps + 1 + number * (self.steps - 1) + l - 1
    }
    fn nu(&self, l: usize) -> usize {
        self.block(0, l)
    }
    fn np(&self, l: usize) -> usize {
        self.block(1, l)
    }
    fn th(&self, l: usize) -> usize {
        self.block(2, l)
    }
    fn v(&self, l: usize) -> usize {
        self.block(3, l)
    }
    fn tau(&self, l: usize) -> usize {
        self.block(4, l)
    }
    fn d(&self, l: usize) -> usize {
        self.block(5, 1) + l - 1
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = (0..self.steps).map(|l| format!("X_{l}")).collect();
        names.push("M".to_owned());
        for family in ["nu", "np", "th", "V", "tau"] {
            names.extend((1..self.steps).map(|l| format!("{family}_{l}")));
        }
        names.extend((1..=self.steps).map(|l| format!("D_{l}")));
        names
    }

    /// `sign * N_l`.
    fn range(&self, l: usize, sign: i64) -> Vec<(usize, i64)> {
        std::iter::once((self.m(), sign))
            .chain((1..=l).map(|i| (self.nu(i), sign)))
            .collect()
    }

    /// `sign * W`.
    fn queries(&self, sign: i64) -> Vec<(usize, i64)> {
        (1..self.steps).map(|l| (self.np(l), sign)).collect()
    }

    /// `sign * t_l`.
    fn t(&self, l: usize, sign: i64) -> Vec<(usize, i64)> {
        if l == 1 {
            vec![(self.x(0), sign)]
        } else {
            vec![(self.np(l - 1), sign), (self.th(l - 1), sign)]
        }
    }

    /// `sign * X_from..to`.
    fn lists(&self, from: usize, to: usize, sign: i64) -> Vec<(usize, i64)> {
        (from..=to).map(|l| (self.x(l), sign)).collect()
    }
}

/// Collects rows `sum >= bound`.
struct Rows {
    rows: Vec<AtLeast>,
}

impl Rows {
    fn add(
        &mut self,
        name: impl Into<String>,
        parts: impl IntoIterator<Item = Vec<(usize, i64)>>,
        bound: BigRational,
    ) {
        let terms = parts.into_iter().flatten().collect();
        self.rows.push(AtLeast {
            name: name.into(),
            terms,
            bound,
        });
    }
}

fn zero() -> BigRational {
    BigRational::zero()
}

fn one() -> BigRational {
    BigRational::one()
}

impl Exponent {
    /// # Errors
    /// [`Refused`] for L below 2 or above 64, kappa outside [1, 2].
    pub fn validate(&self) -> Result<(), Refused> {
        if !(2..=super::setting::MAX_STEPS).contains(&self.steps) {
            return refuse(
                "steps",
                format!(
                    "found {}, expected 2..{}",
                    self.steps,
                    super::setting::MAX_STEPS
                ),
            );
        }
        let two = BigRational::from_integer(2.into());
        if self.kappa < one() || self.kappa > two {
            return refuse(
                "kappa",
                format!("found {}, expected a rational in [1, 2]", self.kappa),
            );
        }
        Ok(())
    }

    /// The options of the last epoch: q from L (generic) down to 0.
    pub fn options(&self) -> Vec<LastEpoch> {
        (0..=self.steps).rev().map(LastEpoch::CarriesAt).collect()
    }

    /// The program under a rule for the last epoch.
    ///
    /// # Source
    /// Derived: the table of rows in `docs/derive.md`, exponents.
    /// # Cost
    /// About `L^2 / 2 + 12 L` rows.
    pub fn program(&self, option: usize) -> Program {
        let v = Variables { steps: self.steps };
        let mut rows = Rows { rows: Vec::new() };
        self.sizes(&v, &mut rows);
        self.first_deficit(&v, &mut rows);
        for l in 1..self.steps {
            self.coverage(&v, &mut rows, l);
            self.step(&v, &mut rows, l, option);
        }
        rows.add(
            "final",
            [v.t(self.steps, 1), vec![(v.d(self.steps), -1)]],
            zero(),
        );
        Program {
            variables: v.names(),
            objective: v.range(self.steps - 1, 1),
            rows: rows.rows,
        }
    }

    fn sizes(&self, v: &Variables, rows: &mut Rows) {
        rows.add("start", [vec![(v.m(), 1), (v.x(0), -1)]], zero());
        for l in 1..self.steps {
            rows.add(
                format!("queries {l}"),
                [vec![(v.nu(l), 1), (v.np(l), -1)]],
                zero(),
            );
            if self.cut == Cut::CoarseFullW {
                rows.add(
                    format!("full W {l}"),
                    [vec![(v.np(l), 1), (v.nu(l), -1)]],
                    zero(),
                );
            }
            rows.add(
                format!("image {l}"),
                [vec![(v.th(l), -1), (v.x(l), 1)], v.t(l, 1)],
                zero(),
            );
            rows.add(
                format!("room {l}"),
                [vec![(v.v(l), 1), (v.th(l), -1)]],
                zero(),
            );
            rows.add(
                format!("range {l}"),
                [v.range(l - 1, 1), vec![(v.v(l), -1)]],
                zero(),
            );
            if self.cut != Cut::RefinedIMajor {
                rows.add(
                    format!("all values {l}"),
                    [v.range(l - 1, -1), vec![(v.v(l), 1)]],
                    zero(),
                );
            }
            self.tokens(v, rows, l);
        }
    }

    fn tokens(&self, v: &Variables, rows: &mut Rows, l: usize) {
        let tau = || vec![(v.tau(l), 1)];
        let name = format!("tokens {l}");
        match self.cut {
            Cut::Coarse | Cut::CoarseFullW => rows.add(name, [tau(), v.range(l - 1, -1)], zero()),
            Cut::Refined | Cut::RefinedIMajor if l == 1 => {
                rows.add(name, [tau(), vec![(v.x(0), -1)]], zero());
            }
            Cut::Refined => rows.add(
                name,
                [tau(), vec![(v.np(l - 1), -1)], v.range(l - 2, -1)],
                zero(),
            ),
            Cut::RefinedIMajor => {
                rows.add(
                    name,
                    [tau(), vec![(v.nu(l - 1), -1), (v.v(l - 1), -1)]],
                    zero(),
                );
                rows.add(
                    format!("tokens {l}, constants"),
                    [tau(), v.range(l - 2, -1)],
                    zero(),
                );
            }
        }
    }

    fn first_deficit(&self, v: &Variables, rows: &mut Rows) {
        let deficit = vec![(v.d(1), 1)];
        match self.family {
            Family::Long => rows.add("D_1", [deficit, v.queries(-1)], one()),
            Family::Short => {}
            Family::ShortWithCarry => rows.add("D_1", [deficit], &self.kappa + &self.first),
        }
    }

    fn coverage(&self, v: &Variables, rows: &mut Rows, l: usize) {
        if l > 1 || self.family != Family::Short {
            rows.add(
                format!("coverage {l}"),
                [v.t(l, 1), vec![(v.d(l), -1)]],
                zero(),
            );
        }
    }

    /// The rows of `D_{l+1}`; q = `option` matters at l = L-1 only.
    fn step(&self, v: &Variables, rows: &mut Rows, l: usize, option: usize) {
        let next = || vec![(v.d(l + 1), 1)];
        let base = self.family == Family::Long && l == 1;
        let no_epoch_before = self.family != Family::Long && l == 1;
        let option = if l + 1 == self.steps {
            option
        } else {
            self.steps
        };
        if !base {
            rows.add(
                format!("rectangle {l}"),
                [next(), vec![(v.x(l), -1), (v.d(l), -1)]],
                zero(),
            );
        }
        if !(no_epoch_before && option <= l) {
            rows.add(
                format!("soft {l} to {l}"),
                [next(), vec![(v.tau(l), -1), (v.x(l), -1)]],
                one(),
            );
        }
        for i in (1..l).filter(|i| *i < option) {
            rows.add(
                format!("soft {l} to {i}"),
                [next(), vec![(v.tau(i), -1)], v.lists(i, l - 1, -1)],
                one(),
            );
        }
        if option > 0 {
            let to = if base { 1 } else { l - 1 };
            rows.add(
                format!("soft {l} to 0"),
                [next(), v.lists(0, to, -1)],
                one(),
            );
        } else if base {
            rows.add(format!("soft {l} to 0"), [next(), v.lists(0, 0, -1)], one());
        }
        let lists = if self.family == Family::Short && l == 1 {
            Vec::new()
        } else {
            v.lists(0, l - 1, -1)
        };
        rows.add(
            format!("soft {l} to w"),
            [next(), v.queries(-1), lists],
            one(),
        );
        let carries = if option >= self.steps {
            Vec::new()
        } else {
            v.lists(option, self.steps - 1, -1)
        };
        rows.add(
            format!("carries {l}"),
            [next(), carries],
            &self.kappa + &self.passes,
        );
    }

    /// The value of a primal point under an option.
    ///
    /// # Errors
    /// [`Unfit`] if it is not feasible.
    pub fn upper(&self, option: usize, x: &[BigRational]) -> Result<BigRational, Unfit> {
        self.program(option).primal(x)
    }

    /// The value of a dual vector under an option.
    ///
    /// # Errors
    /// [`Unfit`] if it is not feasible.
    pub fn lower(&self, option: usize, y: &[BigRational]) -> Result<BigRational, Unfit> {
        self.program(option).dual(y)
    }

    /// The value in closed form with the generic last epoch, constant a.
    ///
    /// # Source
    /// Derived: `docs/derive.md`, exponents: attained for every L; optimal for every L in the refined rows, and for L = 2..8 in the coarse ones
    /// (by the duals of the evidence).
    /// # Domain
    /// `None` for the i-major rows, where none is known, and when a grows with c.
    pub fn closed_form(&self) -> Option<BigRational> {
        if !self.first.is_zero() || !self.passes.is_zero() {
            return None;
        }
        let l = i64::try_from(self.steps).ok()?;
        let power = |e: i64| u32::try_from(e).ok().map(|e| BigInt::from(1) << e);
        let without = match (self.cut, self.family) {
            (Cut::RefinedIMajor, _) => return None,
            (Cut::Refined, Family::Long) => BigInt::from((l * l + 3 * l - 2) / 2),
            (Cut::Refined, _) => BigInt::from((l - 1) * (l + 2) / 2),
            (Cut::Coarse, Family::Long) => power(l)? * 3 - l - 4,
            (Cut::Coarse, Family::Short) => power(l - 1)? * 3 - l - 2,
            (Cut::Coarse, Family::ShortWithCarry) => power(l + 1)? - l - 3,
            (Cut::CoarseFullW, Family::Long) => fibonacci(2 * l + 2) - 2,
            (Cut::CoarseFullW, Family::Short) => (fibonacci(2 * l - 1) - 1) * 2,
            (Cut::CoarseFullW, Family::ShortWithCarry) => fibonacci(2 * l + 1) - 2,
        };
        let carry = if self.family == Family::ShortWithCarry {
            self.kappa.clone()
        } else {
            zero()
        };
        Some(BigRational::from_integer(without) + carry)
    }
}

/// `Fib(1) = Fib(2) = 1`.
fn fibonacci(n: i64) -> BigInt {
    let (mut a, mut b) = (BigInt::zero(), BigInt::one());
    for _ in 0..n {
        let next = &a + &b;
        a = std::mem::replace(&mut b, next);
    }
    a
}
