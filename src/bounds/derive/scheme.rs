//! The ledger of the scheme at given integers: sizes of tables and groups, and every row of every deficit.
//!
//! Each inequality of the written proof (`docs/derive.md`) is one small function here; numbers are bits, exact.

use num_bigint::BigUint;
use num_traits::Zero;

use super::setting::{Cost, Layout, Mode, Params, Refused, Senders, Start, refuse};

/// One summand of a deficit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What is fixed.
    pub name: String,
    /// What it costs.
    pub bits: BigUint,
}

fn row(name: impl Into<String>, bits: BigUint) -> Row {
    Row {
        name: name.into(),
        bits,
    }
}

/// The rule for the last epoch (Lemma 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LastEpoch {
    /// `a_r = 0`: only the digests to token w.
    DigestsToW,
    /// `a_r > 0`: the carries across the cut right of group q, and the digests to the groups below q.
    CarriesAt(usize),
}

impl LastEpoch {
    /// The number q in files: -1 for [`LastEpoch::DigestsToW`].
    pub fn number(self) -> i64 {
        match self {
            Self::DigestsToW => -1,
            Self::CarriesAt(q) => i64::try_from(q).unwrap_or(i64::MAX),
        }
    }

    /// From the number q in files.
    pub fn from_number(number: i64) -> Option<Self> {
        if number == -1 {
            Some(Self::DigestsToW)
        } else {
            usize::try_from(number).ok().map(Self::CarriesAt)
        }
    }

    /// The rules that Lemma 6 allows for a layout, the generic one first.
    pub fn options(layout: &Layout) -> Vec<Self> {
        if layout.pass(layout.epochs()).is_zero() {
            return vec![Self::DigestsToW];
        }
        (0..=layout.steps()).rev().map(Self::CarriesAt).collect()
    }
}

/// Where step l stands: which epochs it fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// l, from 1 to L - 1.
    pub l: usize,
    /// E: epochs 1..E are fixed before, epoch E + 1 by this step.
    pub epoch: usize,
    /// Whether this is the first step of r = L.
    pub base: bool,
    /// Whether this is the last step.
    pub last: bool,
}

impl Place {
    /// Where step l of L stands, by the start of the ledger.
    pub fn of(start: Start, l: usize, steps: usize) -> Self {
        let long = start != Start::Short;
        Self {
            l,
            epoch: if long { l } else { l - 1 },
            base: long && l == 1,
            last: l + 1 == steps,
        }
    }
}

/// How the second rectangle is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opening {
    /// Lemma 3 as at every other step.
    #[default]
    Plain,
    /// Lemma 7: the set kept by step 1 is a product, so step 2 takes the product case of Lemma 3.
    Product,
}

impl Opening {
    /// Whether Lemma 7 applies: separate senders, one layer of digests before step 2, and no carries in it.
    ///
    /// # Source
    /// Derived: Lemma 7.
    pub fn fits(self, layout: &Layout, cost: &Cost) -> bool {
        let quiet = layout.pass(0).is_zero() && layout.pass(1).is_zero();
        let short = layout.start() == Some(Start::Short) && layout.steps() >= 3;
        self == Self::Plain || (short && quiet && cost.senders == Senders::Separate)
    }
}

/// Layout, cost and integers, with the sizes that follow from them.
#[derive(Clone, Debug)]
pub struct Scheme<'a> {
    opening: Opening,
    layout: &'a Layout,
    cost: &'a Cost,
    params: &'a Params,
    start: Start,
    ranges: Vec<BigUint>,
    queries: BigUint,
    tokens: Vec<BigUint>,
}

impl<'a> Scheme<'a> {
    /// Lays out the ledger.
    ///
    /// # Errors
    /// [`Refused`] for integers out of range, and for a layout that has no ledger.
    /// # Cost
    /// L multiplications.
    pub fn new(layout: &'a Layout, cost: &'a Cost, params: &'a Params) -> Result<Self, Refused> {
        cost.validate()?;
        params.validate(layout.steps())?;
        let Some(start) = layout.start() else {
            return refuse(
                "linear",
                "this layout is possible; there is nothing to prove",
            );
        };
        let ranges = ranges(params);
        let tokens = (1..layout.steps())
            .map(|l| group_tokens(cost.mode, params, &ranges, l))
            .collect();
        Ok(Self {
            layout,
            cost,
            params,
            start,
            queries: params.np.iter().product(),
            tokens,
            ranges,
            opening: Opening::Plain,
        })
    }

    /// The same with another opening.
    ///
    /// # Errors
    /// [`Refused`] if Lemma 7 does not apply.
    pub fn opened(self, opening: Opening) -> Result<Self, Refused> {
        if !opening.fits(self.layout, self.cost) {
            return refuse(
                "product_start",
                "needs separate senders, at least 3 steps, fewer full layers than steps, and a_0 = a_1 = 0",
            );
        }
        Ok(Self { opening, ..self })
    }

    /// How step 2 is taken.
    pub fn opening(&self) -> Opening {
        self.opening
    }

    /// P, the deficit of every factor of the product that step 1 keeps.
    ///
    /// # Source
    /// Derived: Lemma 7.
    fn factor_deficit(&self) -> BigUint {
        let digests = self.tokens(1) * self.list(1) + self.list(0) + &self.queries;
        &self.cost.soft * digests
    }

    /// How the ledger begins.
    pub fn start(&self) -> Start {
        self.start
    }

    /// L.
    pub fn steps(&self) -> usize {
        self.layout.steps()
    }

    /// `N_0 .. N_{L-1}`.
    pub fn ranges(&self) -> &[BigUint] {
        &self.ranges
    }

    /// `W = n'_1 .. n'_{L-1}`.
    pub fn queries(&self) -> &BigUint {
        &self.queries
    }

    /// `n = 2 + N_0 + .. + N_{L-1}`.
    pub fn length(&self) -> BigUint {
        self.ranges.iter().sum::<BigUint>() + 2_u32
    }

    /// N_{L-1}, the number of answers.
    pub fn answers(&self) -> &BigUint {
        &self.ranges[self.steps() - 1]
    }

    /// Whether one digest cannot name all answers: `2^s < N_{L-1}`.
    pub fn trivial(&self) -> bool {
        self.cost.soft < BigUint::from((self.answers() - 1_u32).bits())
    }

    /// `tau_l`, the tokens of group l.
    pub fn tokens(&self, l: usize) -> &BigUint {
        &self.tokens[l - 1]
    }

    /// `n'_l`.
    pub fn used(&self, l: usize) -> &BigUint {
        &self.params.np[l - 1]
    }

    /// `x_l`.
    pub fn list(&self, l: usize) -> &BigUint {
        &self.params.x[l]
    }

    /// `v_l = N_{l-1}`, the values of z_l.
    pub fn values(&self, l: usize) -> &BigUint {
        &self.ranges[l - 1]
    }

    /// `g_{l+1} s`: bits of the digests across cut l+1 to one token.
    fn digest(&self, l: usize) -> BigUint {
        &self.cost.soft * self.cost.digests(self.steps(), l + 1)
    }

    /// `x_from .. x_{to-1}`.
    fn lists(&self, from: usize, to: usize) -> BigUint {
        self.params.x[from.min(to)..to].iter().product()
    }

    /// Where step l stands.
    pub fn place(&self, l: usize) -> Place {
        Place::of(self.start, l, self.steps())
    }

    /// D_1, the deficit before the first step.
    ///
    /// # Source
    /// Derived: Lemma 4 (`sW`), Lemma 4' (`C a_0`), and the window ledger.
    pub fn first_deficit(&self) -> BigUint {
        match self.start {
            Start::Long => &self.cost.soft * &self.queries,
            Start::Short => &self.cost.carry * self.layout.pass(0),
            Start::Window => {
                let digest = self.digest(0);
                let carries = &self.cost.carry * self.layout.pass(1);
                let each = &carries * self.list(0);
                let cut = &digest * self.list(0) + carries;
                digest * &self.queries + each.min(cut)
            }
        }
    }

    /// The exponent in (cov), and what the rectangle step carries over.
    ///
    /// # Source
    /// Derived: Lemma 3; its product case at the start of r = L, where the digests to w across cut 2 are carried, and at
    /// step 2 under Lemma 7, where the other factors are.
    pub fn rectangle(&self, place: Place, deficit: &BigUint) -> Rectangle {
        if place.base && self.start == Start::Long {
            let cost = self.list(place.l) * deficit;
            return Rectangle {
                free: false,
                strict: true,
                cost,
                carried: self.digest(place.l) * &self.queries,
            };
        }
        if place.l == 2 && self.opening == Opening::Product {
            let each = self.factor_deficit();
            return Rectangle {
                free: false,
                strict: true,
                cost: self.list(2) * &each,
                carried: each * (self.steps() - 2),
            };
        }
        if deficit.is_zero() {
            return Rectangle {
                free: true,
                strict: false,
                cost: BigUint::zero(),
                carried: BigUint::zero(),
            };
        }
        let cost = self.list(place.l) * deficit + 1_u32;
        Rectangle {
            free: false,
            strict: false,
            carried: cost.clone(),
            cost,
        }
    }

    /// The rows of step l that do not depend on the option of Lemma 6.
    ///
    /// # Source
    /// Derived: Lemma 2, epochs up to E; Lemma 4, epoch 1.
    fn early_rows(&self, place: Place, carried: BigUint) -> Vec<Row> {
        let digest = self.digest(place.l);
        let mut rows = vec![row("carried", carried)];
        if place.epoch > 0 {
            let bits = &digest * self.tokens(place.l) * self.list(place.l) * place.epoch;
            rows.push(row(
                format!("soft to {}, epochs 1..{}", place.l, place.epoch),
                bits,
            ));
        }
        if place.base {
            rows.push(row("soft to 0, epoch 1", &digest * self.list(0)));
        }
        let carries = &self.cost.carry * self.layout.passes_up_to(place.epoch);
        rows.push(row(format!("carries, epochs 0..{}", place.epoch), carries));
        rows
    }

    /// How often the digests of epoch E + 1 across cut l+1 to group i are needed: tokens times choices of lists.
    ///
    /// # Source
    /// Derived: Lemma 2 (ii); Lemma 4 for token 0 at the start of r = L, where `x_1` counts too.
    fn digests_to(&self, place: Place, receiver: i64) -> BigUint {
        let l = place.l;
        match usize::try_from(receiver) {
            Err(_) if place.epoch == 0 && self.layout.pass(0).is_zero() => self.queries.clone(),
            Err(_) => &self.queries * self.lists(0, l),
            Ok(0) if place.base => self.list(0) * self.list(1),
            Ok(0) => self.lists(0, l),
            Ok(i) if i < l => self.tokens(i) * self.lists(i, l),
            Ok(i) => self.tokens(i) * self.list(i),
        }
    }

    fn receiver_row(&self, place: Place, receiver: i64) -> Row {
        let name = if receiver == -1 {
            "w".to_owned()
        } else {
            receiver.to_string()
        };
        let bits = self.digest(place.l) * self.digests_to(place, receiver);
        row(format!("soft to {name}, epoch {}", place.epoch + 1), bits)
    }

    /// The rows of epoch E + 1 under a rule of Lemma 6; all of them in steps that are not the last.
    ///
    /// # Source
    /// Derived: Lemma 6.
    fn epoch_rows(&self, place: Place, option: LastEpoch) -> Vec<Row> {
        let carry = &self.cost.carry * self.layout.pass(place.epoch + 1);
        let l = i64::try_from(place.l).unwrap_or(i64::MAX);
        let (below, carries) = match option {
            LastEpoch::DigestsToW => (0, None),
            LastEpoch::CarriesAt(q) => {
                let times = self.lists(q, self.steps());
                (option.number().min(l + 1), Some(carry * times))
            }
        };
        let mut rows: Vec<Row> = (-1..below)
            .map(|receiver| self.receiver_row(place, receiver))
            .collect();
        if let Some(bits) = carries {
            rows.push(row(format!("carries, epoch {}", place.epoch + 1), bits));
        }
        rows
    }

    /// The rules that Lemma 6 allows in the last step, the generic one first.
    pub fn options(&self) -> Vec<LastEpoch> {
        LastEpoch::options(self.layout)
    }

    /// All rows of the deficit after step l; `option` matters in the last step only.
    ///
    /// # Source
    /// Derived: Lemmas 2, 4 and 6.
    pub fn rows(&self, place: Place, carried: BigUint, option: LastEpoch) -> Vec<Row> {
        let mut rows = self.early_rows(place, carried);
        let option = if place.last {
            option
        } else {
            LastEpoch::CarriesAt(self.steps())
        };
        rows.extend(self.epoch_rows(place, option));
        rows
    }

    /// The option with the least cost in the last step; among equals the largest q.
    pub fn best_option(&self) -> LastEpoch {
        let place = self.place(self.steps() - 1);
        let cost = |option: &LastEpoch| total(&self.epoch_rows(place, *option));
        self.options()
            .into_iter()
            .min_by_key(cost)
            .unwrap_or(LastEpoch::DigestsToW)
    }
}

/// What Lemma 3 asks at one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// Nothing has to be paid: the set is everything.
    pub free: bool,
    /// Whether (cov) is asked strictly.
    pub strict: bool,
    /// b in (cov).
    pub cost: BigUint,
    /// The part of the next deficit that comes from this step.
    pub carried: BigUint,
}

/// The sum of rows.
pub fn total(rows: &[Row]) -> BigUint {
    rows.iter().map(|row| &row.bits).sum()
}

/// `N_0 = m`, `N_l = n_l N_{l-1}`.
fn ranges(params: &Params) -> Vec<BigUint> {
    let mut ranges = vec![params.m.clone()];
    for n in &params.n {
        let next = &ranges[ranges.len() - 1] * n;
        ranges.push(next);
    }
    ranges
}

/// `tau_l`: tokens of group l.
///
/// # Source
/// Derived: the table of groups. Refined: the used part of table l and the constant part of table l-1, which stands right of it.
fn group_tokens(mode: Mode, params: &Params, ranges: &[BigUint], l: usize) -> BigUint {
    // u_l, the variable entries of table l
    let variable = |l: usize| {
        if l == 1 {
            params.x[0].clone()
        } else {
            &params.np[l - 2] * &ranges[l - 2]
        }
    };
    match mode {
        Mode::Coarse => ranges[l - 1].clone(),
        Mode::Refined if l == 1 => variable(1),
        Mode::Refined => variable(l) + &ranges[l - 2] - variable(l - 1),
    }
}
