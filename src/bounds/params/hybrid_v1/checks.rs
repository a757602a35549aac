//! The inequalities of the proof at one point, and what they compare.

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

use super::{Parameters, ThresholdError, eight_to, natural, theorem_exponent};
use crate::exact::{
    CompareError, Comparison, Factors, Number, NumberError, Relation, compare, relation,
};

/// Where an inequality comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Stated by the paper.
    Paper,
    /// Needed by the paper's argument, supplied here.
    Reconstructed,
    /// Not in the paper.
    Derived,
}

impl Mark {
    /// `paper`, `reconstructed` or `derived`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Reconstructed => "reconstructed",
            Self::Derived => "derived",
        }
    }
}

/// The relation a check asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// left < right
    Less,
    /// left <= right
    AtMost,
    /// left = right
    Equal,
    /// left >= right
    AtLeast,
}

impl Wanted {
    /// Whether a relation is as wanted.
    #[must_use]
    pub fn admits(self, relation: Relation) -> bool {
        match self {
            Self::Less => relation == Relation::Less,
            Self::AtMost => relation != Relation::Greater,
            Self::Equal => relation == Relation::Equal,
            Self::AtLeast => relation != Relation::Less,
        }
    }

    /// `<`, `<=`, `=` or `>=`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Equal => "=",
            Self::AtLeast => ">=",
        }
    }
}

/// One inequality at one point.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its stable id; a row that exists for several l ends in `(l)`.
    pub id: String,
    /// The inequality in the names of [`super::names`] and L, c, d, a1.
    pub statement: String,
    /// Where it comes from.
    pub mark: Mark,
    /// The left side.
    pub left: Number,
    /// The relation asked for.
    pub wanted: Wanted,
    /// The right side.
    pub right: Number,
}

impl Check {
    /// Whether the inequality holds.
    ///
    /// # Errors
    /// [`CompareError`] if the sides cannot be compared.
    pub fn holds(&self) -> Result<bool, CompareError> {
        Ok(self.wanted.admits(relation(&self.left, &self.right)?))
    }

    /// The comparison in the form of evidence; sums and exponents are written out if they fit.
    ///
    /// # Errors
    /// [`CompareError`] if the sides cannot be compared.
    pub fn comparison(&self) -> Result<Comparison, CompareError> {
        compare(&self.left, &self.right)
    }

    /// The factor by which the side that should be larger is larger, if both sides are products.
    #[must_use]
    pub fn quotient(&self) -> Option<Number> {
        let (small, large) = self.small_and_large();
        let product = |side: &Number| match side {
            Number::Plain(value) => Factors::of_ratio(value),
            Number::Factored(factors) => Some(factors.clone()),
            Number::Sum(_) | Number::Tower(_) | Number::Log(_) | Number::LogTower(_) => None,
        };
        Some(Number::from(product(large)?.div(&product(small)?)))
    }

    /// For display only: the factor by which the side that should be larger is larger.
    #[must_use]
    pub fn slack(&self) -> Option<String> {
        if let Some(quotient) = self.quotient() {
            return Some(quotient.approx());
        }
        let (small, large) = self.small_and_large();
        Some(large.enclose(128)?.div(&small.enclose(128)?)?.approx_log2())
    }

    fn small_and_large(&self) -> (&Number, &Number) {
        match self.wanted {
            Wanted::Less | Wanted::AtMost | Wanted::Equal => (&self.left, &self.right),
            Wanted::AtLeast => (&self.right, &self.left),
        }
    }
}

/// Shorthand for a row: id, mark, statement with its relation, sides.
fn row(
    id: impl Into<String>,
    mark: Mark,
    sides: (String, Wanted, String),
    left: Number,
    right: Number,
) -> Check {
    let (left_text, wanted, right_text) = sides;
    let statement = format!("{left_text} {} {right_text}", wanted.as_str());
    Check {
        id: id.into(),
        statement,
        mark,
        left,
        wanted,
        right,
    }
}

/// `x0*x1*..` for the indices below l.
fn x_text(l: u32) -> String {
    x_between(0, l)
}

fn x_between(from: u32, below: u32) -> String {
    (from..below)
        .map(|i| format!("x{i}"))
        .collect::<Vec<_>>()
        .join("*")
}

fn passes_text(r: u32) -> String {
    match r {
        0 | 1 => "a1".to_owned(),
        2 => "(a1 + A)".to_owned(),
        _ => format!("(a1 + {}*A)", r - 1),
    }
}

/// The factor `senders * 2c` in front of a sum of messages.
fn senders_text(senders: u32) -> String {
    format!("{}*c", 2 * u64::from(senders))
}

impl Parameters {
    /// Every inequality of the proof at this point, in a fixed order.
    ///
    /// # Source
    /// `hybrid-v1`: Theorem B.2, Lemmas B.1, B.3 and B.5 (paper); the chain base-coverage to final (reconstructed); the rest derived. For
    /// `a_1 > 0` the rows of the chain are arithmetic only: the base step of the argument needs `a_1 = 0`.
    /// # Errors
    /// [`ThresholdError`] if a size needed to state a row cannot be found.
    /// # Cost
    /// About 8 L rows; row l of the chain has about l + 9 terms.
    pub fn checks(&self) -> Result<Vec<Check>, ThresholdError> {
        let mut list = self.budget_checks()?;
        list.extend(self.length_checks()?);
        list.extend(self.linear_checks()?);
        list.extend(self.chain_checks()?);
        list.extend(self.share_checks());
        list.extend(self.theta_checks()?);
        list.extend(self.capacity_checks());
        list.extend(self.identities());
        Ok(list)
    }

    /// The rows with this id, or with this id and an index: `B-BUDGET` gives `B-BUDGET(1)` and so on.
    ///
    /// # Errors
    /// As [`Parameters::checks`].
    pub fn checks_named(&self, id: &str) -> Result<Vec<Check>, ThresholdError> {
        let mut list = self.checks()?;
        list.retain(|check| {
            check
                .id
                .strip_prefix(id)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
        });
        Ok(list)
    }

    /// C times the passes of the first r layers; written as the language would write this product.
    fn linear_cost(&self, r: u32) -> Result<Number, NumberError> {
        Number::from(self.linear_bits()).mul(&Number::from(self.passes_up_to(r)))
    }

    /// The same as a term of a sum; `None` for no passes.
    fn linear_term(&self, r: u32) -> Option<Factors> {
        let passes = self.passes_up_to(r);
        (!passes.is_zero()).then(|| self.linear_bits().mul(&natural(&passes)))
    }

    /// Theorem B.2 and how much larger A could be.
    pub(super) fn budget_checks(&self) -> Result<Vec<Check>, NumberError> {
        let budget = |l: u32| {
            let sides = (
                format!("C*{}", passes_text(l + 1)),
                Wanted::AtMost,
                format!("sqrtK*{}*P", x_text(l)),
            );
            let allowed = Number::from(self.share(l));
            Ok(row(
                format!("B-BUDGET({l})"),
                Mark::Paper,
                sides,
                self.linear_cost(l + 1)?,
                allowed,
            ))
        };
        // Step l admits A up to share(l)/(l C), step 1 up to share(1)/C.
        let tightest = |l: u32| {
            let sides = (format!("{l}*x0"), Wanted::AtMost, x_text(l));
            let left = Number::from(Factors::word(l.into()).mul(&self.x_at(0)));
            row(
                format!("B-BUDGET-SLACK({l})"),
                Mark::Derived,
                sides,
                left,
                Number::from(self.x_product(l)),
            )
        };
        (1..self.steps)
            .map(budget)
            .chain((2..self.steps).map(|l| Ok(tightest(l))))
            .collect()
    }

    /// Lemma B.1, its sharp exponent, and strictness.
    pub(super) fn length_checks(&self) -> Result<Vec<Check>, ThresholdError> {
        let c = natural(&self.c);
        let exponent = theorem_exponent(self.steps);
        let sharp = Self::sharp_exponent(self.steps)?;
        let bound = |id: &str, mark, wanted, exponent: BigInt| {
            let sides = ("n".to_owned(), wanted, format!("c^{exponent}"));
            row(
                id,
                mark,
                sides,
                self.length(),
                Number::from(c.powi(exponent)),
            )
        };
        Ok(vec![
            bound("B1", Mark::Paper, Wanted::AtMost, exponent.clone().into()),
            bound("B1-SHARP", Mark::Derived, Wanted::AtMost, sharp),
            bound("B1-PAD", Mark::Derived, Wanted::Less, exponent.into()),
        ])
    }

    /// Lemma B.3 as printed, and its repair in two steps.
    fn linear_checks(&self) -> Result<Vec<Check>, NumberError> {
        let steps = self.steps;
        let cost = self.linear_cost(steps)?;
        let cost_text = format!("C*{}", passes_text(steps));
        let power = format!("2^{}", 3 * u64::from(steps) * u64::from(steps));
        let c = natural(&self.c);
        let printed = Factors::product([
            &Factors::word(2),
            &c,
            &Factors::word(steps.into()),
            &natural(&self.passes()),
        ]);
        let repaired = Number::from(printed.mul(&c));
        let printed_text = format!("2*c*{steps}*{power}");
        let repaired_text = format!("2*c^2*{steps}*{power}");
        let root = Number::from(self.sqrt_k());
        let at_most = |left: &str, right: &str| (left.to_owned(), Wanted::AtMost, right.to_owned());
        Ok(vec![
            row(
                "B3-TYPO",
                Mark::Paper,
                at_most(&cost_text, &printed_text),
                cost.clone(),
                Number::from(printed),
            ),
            row(
                "B3-FIX(1)",
                Mark::Derived,
                at_most(&cost_text, &repaired_text),
                cost,
                repaired.clone(),
            ),
            row(
                "B3-FIX(2)",
                Mark::Derived,
                at_most(&repaired_text, "sqrtK"),
                repaired,
                root,
            ),
        ])
    }

    /// The chain of the proof: base step, the steps l = 2 .. L-1, final count.
    fn chain_checks(&self) -> Result<Vec<Check>, NumberError> {
        let mut list = vec![self.base_coverage(), self.base_total()];
        let loss = Factors::word(8).powi(self.steps);
        for l in 2..self.steps {
            list.push(self.coverage(format!("coverage({l})"), Mark::Reconstructed, l, &loss));
            list.push(self.total(l));
        }
        list.push(self.last_count("final", Mark::Paper, &loss)?);
        Ok(list)
    }

    /// Enough new values: `x_0 floor(log2 floor(m / (4 x_0 x_1))) >= 2 (2cP + 1)`.
    fn base_coverage(&self) -> Check {
        let known = Factors::word(4).mul(&self.x_product(2));
        let left = Number::from(self.x_at(0).mul(&floor_log2_of(&self.m.div(&known))));
        let right = Number::sum_of(vec![
            Factors::product([&Factors::word(4), &natural(&self.c), &self.queries()]),
            Factors::word(2),
        ]);
        let text = (
            "x0*(bits(m div (4*x0*x1) + 1) - 1)".to_owned(),
            Wanted::AtLeast,
            "2*(2*c*P + 1)".to_owned(),
        );
        row("base-coverage", Mark::Reconstructed, text, left, right)
    }

    /// `senders * 2c * product`, a message of that many senders.
    fn soft_term(&self, senders: u32, product: &Factors) -> Factors {
        Factors::product([
            &Factors::word(2 * u64::from(senders)),
            &natural(&self.c),
            product,
        ])
    }

    /// The messages of the L-1 players above 1 in the first two epochs.
    pub(super) fn base_soft(&self) -> Vec<Factors> {
        let (p, x0, x1) = (self.queries(), self.x_at(0), self.x_at(1));
        let shared = self.m.mul(&x1);
        let products = [
            p.clone(),
            x0.clone(),
            shared.clone(),
            p.mul(&x0),
            x0.mul(&x1),
            shared,
        ];
        products
            .iter()
            .map(|product| self.soft_term(self.steps - 1, product))
            .collect()
    }

    fn base_soft_text(&self) -> String {
        format!(
            "{}*(P + x0 + m*x1 + P*x0 + x0*x1 + m*x1)",
            senders_text(self.steps - 1)
        )
    }

    fn base_total(&self) -> Check {
        let mut cost = self.base_soft();
        cost.extend(self.linear_term(2));
        let text = (
            format!("{} + C*(a1 + A)", self.base_soft_text()),
            Wanted::AtMost,
            "log2Delta2".to_owned(),
        );
        row(
            "base-total",
            Mark::Reconstructed,
            text,
            Number::sum_of(cost),
            Number::from(self.log2_delta_at(2)),
        )
    }

    /// Enough new values at step l, with `t_l` for the given loss.
    fn coverage(&self, id: String, mark: Mark, l: u32, loss: &Factors) -> Check {
        let t = self.kept_with(l, loss);
        let known = Factors::product([&Factors::word(4), &self.x_at(l), &t]);
        let half = t.div(&Factors::word(2));
        let left = Number::from(half.mul(&floor_log2_of(&self.range_at(l - 1).div(&known))));
        let right = Number::sum_of(vec![self.log2_delta_at(l), Factors::word(2)]);
        let t_text = self.kept_text(mark, l);
        let left_text = format!(
            "({t_text}/2)*(bits(N{} div (4*x{l}*{t_text}) + 1) - 1)",
            l - 1
        );
        row(
            id,
            mark,
            (left_text, Wanted::AtLeast, format!("log2Delta{l} + 2")),
            left,
            right,
        )
    }

    /// `t_l` in text; with the loss `2^(-l)` in Theta in place of `8^(-Ll)` it is larger by `2^((l-1)(3L-1))`.
    fn kept_text(&self, mark: Mark, l: u32) -> String {
        match mark {
            Mark::Paper | Mark::Reconstructed => format!("t{l}"),
            Mark::Derived => format!(
                "(2^{}*t{l})",
                u64::from(l - 1) * (3 * u64::from(self.steps) - 1)
            ),
        }
    }

    /// Soft messages of step l: receivers -1, 0, the players 1 .. l-1, and l itself.
    fn step_soft(&self, l: u32) -> Vec<Factors> {
        let senders = self.steps - l;
        let all = self.x_product(l);
        let inner = (1..l).map(|i| self.range_at(i - 1).mul(&all.div(&self.x_product(i))));
        let products = [self.queries().mul(&all), all.clone()]
            .into_iter()
            .chain(inner);
        let mut terms: Vec<Factors> = products
            .map(|product| self.soft_term(senders, &product))
            .collect();
        terms.push(self.soft_term((l + 1) * senders, &self.range_at(l - 1).mul(&self.x_at(l))));
        terms
    }

    fn step_soft_text(&self, l: u32) -> String {
        let senders = self.steps - l;
        let x = x_text(l);
        let mut products = vec![format!("P*{x}"), x];
        products.extend((1..l).map(|i| format!("N{}*{}", i - 1, x_between(i, l))));
        let (each, own) = (senders_text(senders), senders_text((l + 1) * senders));
        format!("{each}*({}) + {own}*N{}*x{l}", products.join(" + "), l - 1)
    }

    /// The rectangle by averaging over tuples of `x_l` functions: `(x_l + 1) log2 Delta_l + 2 x_l + 1`.
    fn step_rectangle(&self, l: u32) -> Vec<Factors> {
        let (x, loss) = (self.x_at(l), self.log2_delta_at(l));
        vec![x.mul(&loss), loss, Factors::word(2).mul(&x), Factors::one()]
    }

    fn rectangle_text(l: u32) -> String {
        format!("(x{l} + 1)*log2Delta{l} + 2*x{l} + 1")
    }

    fn total(&self, l: u32) -> Check {
        let mut cost = self.step_rectangle(l);
        cost.extend(self.step_soft(l));
        cost.extend(self.linear_term(l + 1));
        let left = format!(
            "{} + {} + C*{}",
            Self::rectangle_text(l),
            self.step_soft_text(l),
            passes_text(l + 1)
        );
        let text = (left, Wanted::AtMost, format!("log2Delta{}", l + 1));
        let allowed = Number::from(self.log2_delta_at(l + 1));
        row(
            format!("total({l})"),
            Mark::Reconstructed,
            text,
            Number::sum_of(cost),
            allowed,
        )
    }

    /// `log2 Delta_L < t_L log2 N_{L-1}`, with `t_L` for the given loss.
    fn last_count(&self, id: &str, mark: Mark, loss: &Factors) -> Result<Check, NumberError> {
        let steps = self.steps;
        let t = Number::from(self.kept_with(steps, loss));
        let right = Number::from(self.range_at(steps - 1)).log2()?.mul(&t)?;
        let right_text = format!("{}*log2(N{})", self.kept_text(mark, steps), steps - 1);
        let text = (format!("log2Delta{steps}"), Wanted::Less, right_text);
        Ok(row(
            id,
            mark,
            text,
            Number::from(self.log2_delta_at(steps)),
            right,
        ))
    }

    /// Each part of a step fits in one share of the allowance, so the 4 in Delta is one more than needed.
    fn share_checks(&self) -> Vec<Check> {
        let mut list = Vec::new();
        let mut part = |name: &str, l: u32, text: String, terms: Vec<Factors>| {
            let sides = (text, Wanted::AtMost, format!("sqrtK*{}*P", x_text(l)));
            let right = Number::from(self.share(l));
            list.push(row(
                format!("share-{name}({l})"),
                Mark::Derived,
                sides,
                Number::sum_of(terms),
                right,
            ));
        };
        part("soft", 1, self.base_soft_text(), self.base_soft());
        for l in 2..self.steps {
            part(
                "rectangle",
                l,
                Self::rectangle_text(l),
                self.step_rectangle(l),
            );
            part("soft", l, self.step_soft_text(l), self.step_soft(l));
        }
        list
    }

    /// The chain with `2^(-l)` in place of `8^(-Ll)` in Theta: the rows that depend on it.
    fn theta_checks(&self) -> Result<Vec<Check>, NumberError> {
        let loss = Factors::word(2);
        let step = |l: u32| self.coverage(format!("B-THETA({l})"), Mark::Derived, l, &loss);
        let mut list: Vec<Check> = (2..self.steps).map(step).collect();
        list.push(self.last_count(&format!("B-THETA({})", self.steps), Mark::Derived, &loss)?);
        Ok(list)
    }

    /// Whether there are enough symbols to name all answers; if not, the bound is trivial.
    fn capacity_checks(&self) -> Vec<Check> {
        let answers = self.range_at(self.steps - 1);
        let power = |bits: &BigUint| Number::from(Factors::word(2).powi(bits.clone()));
        let soft = BigUint::from(2_u32) * &self.c * self.steps * (self.steps + 1);
        let view = soft + &self.c * (&self.d + 1_u32) * self.passes_up_to(self.steps);
        let exponent = theorem_exponent(self.steps);
        let last = format!("N{}", self.steps - 1);
        let at_least = |left: String, right: String| (left, Wanted::AtLeast, right);
        let view_text = format!(
            "2^(2*c*{}*{} + C*{})",
            self.steps + 1,
            self.steps,
            passes_text(self.steps)
        );
        let own = Number::from(answers);
        vec![
            row(
                "capacity",
                Mark::Derived,
                at_least("2^c".into(), last.clone()),
                power(&self.c),
                own.clone(),
            ),
            row(
                "capacity-game",
                Mark::Derived,
                at_least(view_text, last),
                power(&view),
                own,
            ),
            row(
                "capacity-theorem",
                Mark::Derived,
                at_least("2^c".into(), format!("c^{exponent}")),
                power(&self.c),
                Number::from(natural(&self.c).powi(exponent)),
            ),
        ]
    }

    /// The identities between the quantities.
    fn identities(&self) -> Vec<Check> {
        let top = self.steps - 1;
        let equal = |id: String, left: String, right: String, a: Factors, b: Factors| {
            row(
                id,
                Mark::Paper,
                (left, Wanted::Equal, right),
                Number::from(a),
                Number::from(b),
            )
        };
        let mut list = vec![
            equal(
                "identity-m".into(),
                "m".into(),
                format!("K*{}", x_text(self.steps)),
                self.m(),
                self.k.mul(&self.x_product(self.steps)),
            ),
            equal(
                "identity-K".into(),
                "sqrtK^2".into(),
                "K".into(),
                self.sqrt_k().powi(2),
                self.k(),
            ),
        ];
        for l in 1..self.steps {
            let n = self.n_product(l).div(&self.n_product(l - 1));
            let (x, before) = (self.x_at(l), self.x_at(l - 1));
            list.push(equal(
                format!("identity-n({l})"),
                format!("n{l}"),
                format!("x{l}^4"),
                n,
                x.powi(4),
            ));
            list.push(equal(
                format!("identity-x({l})"),
                format!("x{}", l - 1),
                format!("x{l}^8"),
                before,
                x.powi(8),
            ));
        }
        let exponent: BigUint = (eight_to(top) * 12_u32 - 5_u32) / 7_u32 + 1_u32;
        let power = self.k.powi(exponent.clone());
        list.push(equal(
            "identity-N".into(),
            format!("N{top}"),
            format!("K^{exponent}"),
            self.range_at(top),
            power,
        ));
        let steps = self.steps;
        let quotient = Factors::product([
            &natural(&self.c).mul(&Factors::word(steps.into())).powi(4),
            &Factors::word(8).powi(steps),
            &self.log2_delta_at(steps),
        ]);
        let t = self.kept_with(steps, &Factors::word(8).powi(steps));
        list.push(equal(
            "B5-QUOTIENT".into(),
            format!("4*t{steps}"),
            format!("(c*{steps})^4*8^{steps}*log2Delta{steps}"),
            Factors::word(4).mul(&t),
            quotient,
        ));
        list
    }
}

/// `floor(log2 floor(q))`, which is `floor(log2 q)`, as a factor. Here q is at least K/4, so it is not 0.
fn floor_log2_of(q: &Factors) -> Factors {
    let floor = q.canonical().floor_log2();
    natural(&floor.to_biguint().unwrap_or_default())
}
