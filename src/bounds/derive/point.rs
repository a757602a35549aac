//! The exact check of one point of the scheme.

use num_bigint::BigUint;

use super::cover::{Method, Question, Room, room};
use super::scheme::{LastEpoch, Opening, Place, Rectangle, Row, Scheme, total};
use super::setting::{Cost, Layout, Params, Refused, refuse};

/// One step of the ledger: a coverage, and the rows of the deficit after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// l, E, base, last.
    pub place: Place,
    /// `t_l`.
    pub t: BigUint,
    /// `v_l`.
    pub v: BigUint,
    /// `q = x_l t_l`.
    pub q: BigUint,
    /// `D_l`.
    pub deficit: BigUint,
    /// What Lemma 3 asks.
    pub rectangle: Rectangle,
    /// How it was decided.
    pub method: Method,
    /// `Theta_l`.
    pub theta: BigUint,
    /// The rows of `D_{l+1}`.
    pub rows: Vec<Row>,
    /// `D_{l+1}`.
    pub next: BigUint,
    /// `t_{l+1}`.
    pub t_next: BigUint,
}

impl Step {
    /// The question of (cov) at this step.
    pub fn question(&self) -> Question<'_> {
        Question {
            v: &self.v,
            q: &self.q,
            rectangle: &self.rectangle,
        }
    }

    /// `k = Theta_l - 1`.
    pub fn k(&self) -> BigUint {
        &self.theta - 1_u32
    }
}

/// The ledger of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// `N_0 .. N_{L-1}`.
    pub ranges: Vec<BigUint>,
    /// W.
    pub queries: BigUint,
    /// Steps 1 .. L-1.
    pub steps: Vec<Step>,
    /// How step 2 was taken.
    pub opening: Opening,
    /// The rule of the last epoch.
    pub option: LastEpoch,
    /// `t_L`.
    pub t: BigUint,
    /// `D_L`.
    pub deficit: BigUint,
    /// `t_L log2 N_{L-1}` against `D_L`.
    pub room: Room,
    /// n.
    pub length: BigUint,
    /// `2^s < N_{L-1}`.
    pub trivial: bool,
}

/// What the check of a point says. It says nothing about networks when it is `NotProved`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The ledger closes.
    Proved,
    /// It does not.
    NotProved,
    /// A comparison met the precision cap.
    Undecided,
}

impl Answer {
    /// The word in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::NotProved => "not-proved",
            Self::Undecided => "undecided",
        }
    }
}

impl Ledger {
    /// What it says.
    pub fn answer(&self) -> Answer {
        match self.room.exceeds {
            Some(true) => Answer::Proved,
            Some(false) => Answer::NotProved,
            None => Answer::Undecided,
        }
    }

    /// The values Theta of all steps.
    pub fn theta(&self) -> Vec<BigUint> {
        self.steps.iter().map(|step| step.theta.clone()).collect()
    }
}

/// The free choices of a proof besides the integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// `Theta_1 .. Theta_{L-1}`.
    pub theta: Vec<BigUint>,
    /// The rule of the last epoch.
    pub option: LastEpoch,
    /// Whether Lemma 7 is used.
    pub opening: Opening,
}

/// Checks a point of the scheme, with the largest Theta at every step and the cheapest last epoch.
///
/// # Source
/// Derived: Theorem 1 of `docs/derive.md`.
/// # Errors
/// [`Refused`] with the field that has no meaning.
/// # Cost
/// At most 65 tests of (cov) per step, and one logarithm.
pub fn check(layout: &Layout, cost: &Cost, params: &Params) -> Result<Ledger, Refused> {
    check_opened(layout, cost, params, Opening::Plain)
}

/// The same with another opening.
///
/// # Source
/// Derived: Theorem 1 and Lemma 7 of `docs/derive.md`.
/// # Errors
/// [`Refused`] with the field that has no meaning, and where Lemma 7 does not apply.
/// # Cost
/// That of [`check`].
pub fn check_opened(
    layout: &Layout,
    cost: &Cost,
    params: &Params,
    opening: Opening,
) -> Result<Ledger, Refused> {
    let scheme = Scheme::new(layout, cost, params)?.opened(opening)?;
    let option = scheme.best_option();
    walk(&scheme, option, |_, question| Ok(question.largest()))
}

/// Checks a point with these choices: what a certificate states.
///
/// # Errors
/// [`Refused`] for integers without meaning, an option that Lemma 6 does not allow, a Theta above `min(v, q)`, and one for which (cov)
/// does not hold.
/// # Cost
/// One test of (cov) per step, and one logarithm.
pub fn check_choice(
    layout: &Layout,
    cost: &Cost,
    params: &Params,
    choice: &Choice,
) -> Result<Ledger, Refused> {
    let scheme = Scheme::new(layout, cost, params)?.opened(choice.opening)?;
    if !scheme.options().contains(&choice.option) {
        return refuse(
            "q",
            format!(
                "found {}, not an option of this layout",
                choice.option.number()
            ),
        );
    }
    if choice.theta.len() + 1 != layout.steps() {
        return refuse(
            "theta",
            format!(
                "found {} numbers, expected {}",
                choice.theta.len(),
                layout.steps() - 1
            ),
        );
    }
    walk(&scheme, choice.option, |l, question| {
        let (theta, field) = (&choice.theta[l - 1], format!("theta/{}", l - 1));
        let most = question.most();
        if *theta == BigUint::default() || *theta > most {
            return refuse(field, format!("found {theta}, expected 1..{most}"));
        }
        if !question.holds(&(theta - 1_u32)) {
            return refuse(
                field,
                format!("found {theta}, for which coverage is not proved"),
            );
        }
        Ok(theta.clone())
    })
}

/// Walks the steps 1 .. L-1; `choose` says Theta.
fn walk(
    scheme: &Scheme<'_>,
    option: LastEpoch,
    choose: impl Fn(usize, &Question<'_>) -> Result<BigUint, Refused>,
) -> Result<Ledger, Refused> {
    let mut steps: Vec<Step> = Vec::new();
    let (mut t, mut deficit) = (scheme.list(0).clone(), scheme.first_deficit());
    for l in 1..scheme.steps() {
        let place = scheme.place(l);
        let (v, q) = (scheme.values(l).clone(), scheme.list(l) * &t);
        let rectangle = scheme.rectangle(place, &deficit);
        let question = Question {
            v: &v,
            q: &q,
            rectangle: &rectangle,
        };
        let (method, theta) = (question.method(), choose(l, &question)?);
        let rows = scheme.rows(place, rectangle.carried.clone(), option);
        let (next, t_next) = (total(&rows), scheme.used(l) * &theta);
        steps.push(Step {
            place,
            t,
            v,
            q,
            deficit,
            rectangle,
            method,
            theta,
            rows,
            next: next.clone(),
            t_next: t_next.clone(),
        });
        (t, deficit) = (t_next, next);
    }
    Ok(Ledger {
        ranges: scheme.ranges().to_vec(),
        queries: scheme.queries().clone(),
        steps,
        opening: scheme.opening(),
        option,
        room: room(scheme.answers(), &t, &deficit),
        t,
        deficit,
        length: scheme.length(),
        trivial: scheme.trivial(),
    })
}
