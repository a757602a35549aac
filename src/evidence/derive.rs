//! Statements and certificates about derived bounds, in JSON: `docs/design/002-derive-evidence.md` is their page.

use crate::bounds::derive::closed::length_for_all_c;
use crate::bounds::derive::cover::Method;
use crate::bounds::derive::exponent::{Cut, Exponent, Family};
use crate::bounds::derive::{
    Choice, Cost, LastEpoch, Layout, Ledger, Mode, Opening, Params, Refused, Row, Senders, Step,
};
use crate::evidence::shape::{Place, Rejection};
use crate::exact::linear::Program;
use crate::game::structure::Code;
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use serde_json::{Map, Value as Json, json};

/// What a derive claim says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The layout.
    pub layout: Layout,
    /// Whether the proof uses Lemma 7.
    pub opening: Opening,
    /// What is said about it.
    pub question: Question,
}

/// The four kinds of derive claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// The ledger closes at these integers.
    Proved {
        /// Message sizes.
        cost: Cost,
        /// The integers.
        params: Params,
    },
    /// It closes at some integers with at most so many tokens.
    TokensAtMost {
        /// Message sizes.
        cost: Cost,
        /// The length.
        tokens: BigUint,
    },
    /// The exponent, best over the options of the last epoch.
    Exponent {
        /// The cuts.
        cut: Cut,
        /// C = c^kappa.
        kappa: BigRational,
        /// `1 / value`.
        exponent: BigRational,
    },
    /// For every c >= 2 it closes at some n at most c^E, with `s = 2c`, `C = c(c+1)`.
    ForEveryC {
        /// E.
        power: u64,
    },
}

impl Derivation {
    /// The message sizes, where they matter.
    pub fn cost(&self) -> Option<&Cost> {
        match &self.question {
            Question::Proved { cost, .. } | Question::TokensAtMost { cost, .. } => Some(cost),
            Question::Exponent { .. } | Question::ForEveryC { .. } => None,
        }
    }

    /// The exponent program that this layout asks for; a grows with c nowhere.
    ///
    /// # Errors
    /// [`Refused`] for layouts that are possible, and a kappa outside [1, 2].
    pub fn program(layout: &Layout, cut: Cut, kappa: &BigRational) -> Result<Exponent, Refused> {
        let question = Exponent {
            steps: layout.steps(),
            family: Family::of(layout)?,
            cut,
            kappa: kappa.clone(),
            first: BigRational::zero(),
            passes: BigRational::zero(),
        };
        question.validate()?;
        Ok(question)
    }

    /// The body of `{"derive": ..}`.
    pub fn to_json(&self) -> Json {
        let linear: Vec<String> = self
            .layout
            .passes()
            .iter()
            .skip(1)
            .map(ToString::to_string)
            .collect();
        let mut body = json!({
            "before": self.layout.pass(0).to_string(),
            "linear": linear,
            "steps": self.layout.steps().to_string(),
        });
        let mut set = |key: &str, value: Json| {
            if let Some(map) = body.as_object_mut() {
                map.insert(key.to_owned(), value);
            }
        };
        if let Some(cost) = self.cost() {
            set("soft_bits", json!(cost.soft.to_string()));
            set("carry_bits", json!(cost.carry.to_string()));
            set("senders", json!(cost.senders.word()));
            set("mode", json!(cost.mode.word()));
        }
        match &self.question {
            Question::Proved { params, .. } => set("proved", params_json(params)),
            Question::TokensAtMost { tokens, .. } => {
                set("tokens_at_most", json!(tokens.to_string()));
            }
            Question::Exponent {
                cut,
                kappa,
                exponent,
            } => {
                set("mode", json!(cut.word()));
                set("kappa", json!(ratio_text(kappa)));
                set("exponent", json!(ratio_text(exponent)));
            }
            Question::ForEveryC { power } => set("for_every_c", json!(power.to_string())),
        }
        if self.opening == Opening::Product {
            set("product_start", json!(true));
        }
        body
    }

    /// Reads the body of `{"derive": ..}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`, and `domain` for integers that have no meaning.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        const LAYOUT: [&str; 3] = ["before", "linear", "steps"];
        let passes = std::iter::once(body.get("before")?.count())
            .chain(body.get("linear")?.list()?.iter().map(Place::count))
            .collect::<Result<Vec<_>, _>>()?;
        let layout = read_layout(body, passes)?;
        if body.maybe("exponent").is_some() {
            body.object(&[&LAYOUT[..], &["exponent", "kappa", "mode"]].concat(), &[])?;
            let mode = body.get("mode")?;
            let cut = Cut::from_word(mode.text()?).ok_or_else(|| wrong(&mode, "a mode"))?;
            let (kappa, exponent) = (ratio(&body.get("kappa")?)?, ratio(&body.get("exponent")?)?);
            Self::program(&layout, cut, &kappa).map_err(|refused| rejection(body, &refused))?;
            return Ok(Self {
                layout,
                opening: Opening::Plain,
                question: Question::Exponent {
                    cut,
                    kappa,
                    exponent,
                },
            });
        }
        if let Some(place) = body.maybe("for_every_c") {
            body.object(&[&LAYOUT[..], &["for_every_c"]].concat(), &[])?;
            let power = place.small_count()?;
            length_for_all_c(&layout).map_err(|refused| rejection(body, &refused))?;
            return Ok(Self {
                layout,
                opening: Opening::Plain,
                question: Question::ForEveryC { power },
            });
        }
        let cost = read_cost(body)?;
        let kind = if body.maybe("proved").is_some() {
            "proved"
        } else {
            "tokens_at_most"
        };
        body.object(
            &[
                &LAYOUT[..],
                &["carry_bits", "mode", "senders", "soft_bits", kind],
            ]
            .concat(),
            &["product_start"],
        )?;
        let opening = read_opening(body)?;
        if !opening.fits(&layout, &cost) {
            return Err(Rejection::new(
                format!("{}/product_start", body.at),
                Code::Domain,
                "true",
                "a layout and senders for which Lemma 7 holds",
            ));
        }
        let question = if kind == "proved" {
            let place = body.get("proved")?;
            let params = read_params(&place)?;
            params
                .validate(layout.steps())
                .map_err(|refused| rejection(&place, &refused))?;
            Question::Proved { cost, params }
        } else {
            Question::TokensAtMost {
                cost,
                tokens: body.get("tokens_at_most")?.count()?,
            }
        };
        Ok(Self {
            layout,
            opening,
            question,
        })
    }
}

/// `product_start`, which is written only where it is true.
fn read_opening(place: &Place<'_>) -> Result<Opening, Rejection> {
    match place.maybe("product_start") {
        None => Ok(Opening::Plain),
        Some(place) if place.truth()? => Ok(Opening::Product),
        Some(place) => Err(wrong(&place, "true, or no such key")),
    }
}

fn wrong(place: &Place<'_>, expected: &str) -> Rejection {
    Rejection::new(
        place.at.clone(),
        Code::Malformed,
        place.json.to_string(),
        expected,
    )
}

/// A refused field of the object at `place`.
fn rejection(place: &Place<'_>, refused: &Refused) -> Rejection {
    Rejection::new(
        place.at.clone(),
        Code::Domain,
        refused.to_string(),
        "values that have a meaning",
    )
}

fn read_layout(place: &Place<'_>, passes: Vec<BigUint>) -> Result<Layout, Rejection> {
    let steps = place.get("steps")?.small_count()?;
    let steps = usize::try_from(steps).unwrap_or(usize::MAX);
    Layout::new(steps, passes).map_err(|refused| rejection(place, &refused))
}

fn read_cost(place: &Place<'_>) -> Result<Cost, Rejection> {
    let (senders, mode) = (place.get("senders")?, place.get("mode")?);
    let soft = place.get("soft_bits")?;
    let cost = Cost {
        soft: soft.count()?,
        carry: place.get("carry_bits")?.count()?,
        senders: Senders::from_word(senders.text()?)
            .ok_or_else(|| wrong(&senders, "separate or merged"))?,
        mode: Mode::from_word(mode.text()?).ok_or_else(|| wrong(&mode, "refined or coarse"))?,
    };
    if cost.soft.is_zero() {
        return Err(Rejection::new(soft.at, Code::Domain, "0", "at least 1 bit"));
    }
    Ok(cost)
}

fn counts(place: &Place<'_>) -> Result<Vec<BigUint>, Rejection> {
    place.list()?.iter().map(Place::count).collect()
}

fn read_params(place: &Place<'_>) -> Result<Params, Rejection> {
    place.object(&["m", "n", "np", "x"], &[])?;
    let list = |key: &str| counts(&place.get(key)?);
    Ok(Params {
        m: place.get("m")?.count()?,
        n: list("n")?,
        np: list("np")?,
        x: list("x")?,
    })
}

/// A rational as files write it: `"p/q"` in lowest terms, an integer without `/1`.
pub fn ratio_text(x: &BigRational) -> String {
    if x.is_integer() {
        x.numer().to_string()
    } else {
        format!("{}/{}", x.numer(), x.denom())
    }
}

/// Reads a rational, in this one spelling.
pub fn parse_ratio(text: &str) -> Option<BigRational> {
    let (numer, denom) = text.split_once('/').unwrap_or((text, "1"));
    let (numer, denom): (BigInt, BigInt) = (numer.parse().ok()?, denom.parse().ok()?);
    if !denom.is_positive() {
        return None;
    }
    let value = BigRational::new(numer, denom);
    (ratio_text(&value) == text).then_some(value)
}

fn ratio(place: &Place<'_>) -> Result<BigRational, Rejection> {
    parse_ratio(place.text()?).ok_or_else(|| wrong(place, "a rational p/q in lowest terms"))
}

fn texts(list: &[BigUint]) -> Json {
    list.iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .into()
}

/// The integers of a point.
pub fn params_json(params: &Params) -> Json {
    json!({"m": params.m.to_string(), "n": texts(&params.n), "np": texts(&params.np), "x": texts(&params.x)})
}

/// The layout of a certificate.
pub fn layout_json(layout: &Layout) -> Json {
    json!({"passes": texts(layout.passes()), "steps": layout.steps().to_string()})
}

/// The cost of a certificate.
pub fn cost_json(cost: &Cost) -> Json {
    json!({
        "carry_bits": cost.carry.to_string(), "mode": cost.mode.word(),
        "senders": cost.senders.word(), "soft_bits": cost.soft.to_string(),
    })
}

/// Rows as they are written.
pub fn rows_json(rows: &[Row]) -> Json {
    rows.iter()
        .map(|row| json!({"name": row.name, "bits": row.bits.to_string()}))
        .collect::<Vec<_>>()
        .into()
}

fn step_json(step: &Step) -> Json {
    json!({
        "D": step.deficit.to_string(),
        "D_next": step.next.to_string(),
        "E": step.place.epoch.to_string(),
        "base": step.place.base,
        "coverage": {
            "cost_bits": step.rectangle.cost.to_string(),
            "k": step.k().to_string(),
            "method": step.method.word(),
        },
        "l": step.place.l.to_string(),
        "rows": rows_json(&step.rows),
        "t": step.t.to_string(),
        "t_next": step.t_next.to_string(),
        "v": step.v.to_string(),
    })
}

/// The body of `{"derive_bound": ..}`.
pub fn bound_json(layout: &Layout, cost: &Cost, params: &Params, ledger: &Ledger) -> Json {
    let mut body = json!({
        "cost": cost_json(cost),
        "final": {
            "D": ledger.deficit.to_string(),
            "N": ledger.ranges.last().map_or(String::new(), ToString::to_string),
            "t": ledger.t.to_string(),
        },
        "layout": layout_json(layout),
        "n": ledger.length.to_string(),
        "params": params_json(params),
        "q": ledger.option.number(),
        "steps": ledger.steps.iter().map(step_json).collect::<Vec<_>>(),
        "theta": texts(&ledger.theta()),
        "trivial": ledger.trivial,
    });
    if ledger.opening == Opening::Product {
        body["product_start"] = json!(true);
    }
    body
}

/// The body of `{"derive_uniform": ..}`.
///
/// # Errors
/// [`Refused`] for layouts without a polynomial bound.
pub fn uniform_json(layout: &Layout) -> Result<Json, Refused> {
    let length = length_for_all_c(layout)?;
    Ok(json!({
        "at_two": length.at(&BigUint::from(2_u32)).to_string(),
        "polynomial": texts(&length.0),
    }))
}

/// The shape of the body of `{"derive_uniform": ..}`.
///
/// # Errors
/// `malformed`, `unknown-key`.
pub fn uniform_shape(body: &Place<'_>) -> Result<(), Rejection> {
    body.object(&["at_two", "polynomial"], &[])?;
    body.get("at_two")?.count()?;
    counts(&body.get("polynomial")?).map(|_| ())
}

/// What a stored bound states: everything else in it is recomputed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBound {
    /// Layout.
    pub layout: Layout,
    /// Message sizes.
    pub cost: Cost,
    /// Integers.
    pub params: Params,
    /// Theta and the rule of the last epoch.
    pub choice: Choice,
}

impl StoredBound {
    /// Reads the body of `{"derive_bound": ..}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`, `domain`.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        body.object(
            &[
                "cost", "final", "layout", "n", "params", "q", "steps", "theta", "trivial",
            ],
            &["product_start"],
        )?;
        let opening = read_opening(body)?;
        let (layout, cost) = (body.get("layout")?, body.get("cost")?);
        layout.object(&["passes", "steps"], &[])?;
        cost.object(&["carry_bits", "mode", "senders", "soft_bits"], &[])?;
        let last = body.get("final")?;
        last.object(&["D", "N", "t"], &[])?;
        for key in ["D", "N", "t"] {
            last.get(key)?.count()?;
        }
        body.get("n")?.count()?;
        body.get("trivial")?.truth()?;
        body.get("steps")?.list()?.iter().try_for_each(step_shape)?;
        let q = body.get("q")?;
        let option = q
            .json
            .as_i64()
            .and_then(LastEpoch::from_number)
            .ok_or_else(|| wrong(&q, "-1 or more"))?;
        let params = read_params(&body.get("params")?)?;
        let theta = counts(&body.get("theta")?)?;
        let passes = counts(&layout.get("passes")?)?;
        Ok(Self {
            layout: read_layout(&layout, passes)?,
            cost: read_cost(&cost)?,
            params,
            choice: Choice {
                theta,
                option,
                opening,
            },
        })
    }
}

fn step_shape(step: &Place<'_>) -> Result<(), Rejection> {
    step.object(
        &[
            "D", "D_next", "E", "base", "coverage", "l", "rows", "t", "t_next", "v",
        ],
        &[],
    )?;
    for key in ["D", "D_next", "E", "l", "t", "t_next", "v"] {
        step.get(key)?.count()?;
    }
    step.get("base")?.truth()?;
    let coverage = step.get("coverage")?;
    coverage.object(&["cost_bits", "k", "method"], &[])?;
    coverage.get("cost_bits")?.count()?;
    coverage.get("k")?.count()?;
    let method = coverage.get("method")?;
    let words = [Method::Free, Method::ExactInteger, Method::CertifiedLog].map(Method::word);
    if !words.contains(&method.text()?) {
        return Err(wrong(&method, &words.join(", ")));
    }
    step.get("rows")?.list()?.iter().try_for_each(|row| {
        row.object(&["bits", "name"], &[])?;
        row.get("bits")?.count()?;
        row.get("name")?.text().map(|_| ())
    })
}

/// A primal point for one option and a dual vector for each: `(q, values by index)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredExponent {
    /// The option with the best value, and its point, by name of the variable.
    pub primal: (usize, Vec<(String, BigRational)>),
    /// Options and dual vectors, by name of the row.
    pub duals: Vec<(usize, Vec<(String, BigRational)>)>,
}

impl StoredExponent {
    /// Reads the body of `{"derive_exponent": ..}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        body.object(&["duals", "primal"], &[])?;
        let vector = |place: &Place<'_>| {
            place
                .map()?
                .keys()
                .map(|name| Ok((name.clone(), ratio(&place.get(name)?)?)))
                .collect::<Result<Vec<_>, Rejection>>()
        };
        let primal = body.get("primal")?;
        primal.object(&["q", "x"], &[])?;
        let dual = |place: &Place<'_>| {
            place.object(&["q", "y"], &[])?;
            Ok((place.get("q")?.index()?, vector(&place.get("y")?)?))
        };
        Ok(Self {
            primal: (primal.get("q")?.index()?, vector(&primal.get("x")?)?),
            duals: body
                .get("duals")?
                .list()?
                .iter()
                .map(dual)
                .collect::<Result<_, Rejection>>()?,
        })
    }
}

/// The entries that are not 0, by name.
fn named(names: impl Iterator<Item = String>, values: &[BigRational]) -> Json {
    let entries: Map<String, Json> = names
        .zip(values)
        .filter(|(_, value)| !value.is_zero())
        .map(|(name, value)| (name, json!(ratio_text(value))))
        .collect();
    Json::Object(entries)
}

/// A point by name of the variable.
pub fn primal_json(q: usize, program: &Program, x: &[BigRational]) -> Json {
    json!({"q": q, "x": named(program.variables.iter().cloned(), x)})
}

/// A dual vector by name of the row.
pub fn dual_json(q: usize, program: &Program, y: &[BigRational]) -> Json {
    json!({"q": q, "y": named(program.rows.iter().map(|row| row.name.clone()), y)})
}

/// `1 / value`; a value of 0 has none.
pub fn inverse(value: &BigRational) -> Option<BigRational> {
    (!value.is_zero()).then(|| BigRational::one() / value)
}
