//! Claims about kernels, and their evidence, in JSON.
#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the methods are not general enough over lifetimes"
)]

use crate::evidence::derive::{parse_ratio, ratio_text};
use crate::evidence::shape::{Place, Rejection};
use crate::exact::linear::Program;
use crate::game::structure::Code;
use crate::rank::code::Method;
use crate::rank::cone::Weighted;
use crate::rank::gap::{Accuracy, Chain};
use crate::rank::kernel::{Kernel, Matrix};
use crate::rank::token::Tokens;
use crate::rank::{Bound, Preference, ratio_program};
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use serde_json::{Map, Value as Json, json};

/// Most inputs around one query that a claim may have.
const MAX_INPUTS: u32 = 1 << 22;

/// Largest gap of a ratio program.
const MAX_GAP: u32 = 64;

/// A claim about kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// A kernel of this rank exists (or not).
    Exists {
        /// On these tokens.
        tokens: Set,
        /// With this accuracy.
        accuracy: Accuracy,
        /// With at most so many features.
        rank: usize,
        /// False: it is stated that there is none.
        exists: bool,
    },
    /// This kernel has a readout (or not).
    Readout {
        /// The tokens.
        tokens: Set,
        /// The kernel.
        kernel: Kernel,
        /// Masks of the queries that count.
        queries: Vec<u64>,
        /// With this accuracy.
        accuracy: Accuracy,
        /// False: it is stated that there is none.
        exists: bool,
    },
    /// The least error of this kernel is exactly this.
    Optimum {
        /// The tokens.
        tokens: Set,
        /// The kernel.
        kernel: Kernel,
        /// Masks of the queries that count.
        queries: Vec<u64>,
        /// Tokens of an input.
        length: usize,
        /// The error.
        optimum: BigRational,
    },
    /// The best ratios that one row forces, for these gaps.
    Ratio {
        /// Gaps, increasing.
        gaps: Vec<u32>,
        /// One ratio per gap.
        ratios: Vec<BigRational>,
        /// Ones of the query; by default the gap.
        weight: Option<u32>,
        /// The error that is allowed.
        error: BigRational,
    },
    /// Softmax with this beta and the plain readout is right.
    Softmax {
        /// The factor of the score.
        beta: BigRational,
        /// Tokens of an input.
        length: u32,
        /// Bits of a token.
        bits: u32,
    },
}

/// Tokens as a claim gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// All tokens of so many bits, if that is how they are given.
    pub bits: Option<u32>,
    /// The tokens.
    pub tokens: Tokens,
}

fn wrong(place: &Place<'_>, expected: &str) -> Rejection {
    Rejection::new(
        place.at.clone(),
        Code::Malformed,
        place.json.to_string(),
        expected,
    )
}

fn domain(place: &Place<'_>, expected: &str) -> Rejection {
    Rejection::new(
        place.at.clone(),
        Code::Domain,
        place.json.to_string(),
        expected,
    )
}

fn small<T: TryFrom<u64>>(place: &Place<'_>) -> Result<T, Rejection> {
    T::try_from(place.small_count()?).map_err(|_| domain(place, "a smaller number"))
}

/// A rational.
///
/// # Errors
/// `malformed`.
pub fn ratio(place: &Place<'_>) -> Result<BigRational, Rejection> {
    parse_ratio(place.text()?).ok_or_else(|| wrong(place, "a rational p/q in lowest terms"))
}

/// A list read item by item.
///
/// # Errors
/// Those of the items.
pub fn each<T>(
    place: &Place<'_>,
    read: impl Fn(&Place<'_>) -> Result<T, Rejection>,
) -> Result<Vec<T>, Rejection> {
    place.list()?.iter().map(read).collect()
}

/// A matrix of rationals.
///
/// # Errors
/// `malformed`.
pub fn matrix(place: &Place<'_>) -> Result<Matrix, Rejection> {
    each(place, |row| each(row, ratio))
}

/// A matrix in JSON.
pub fn matrix_json(matrix: &[Vec<BigRational>]) -> Json {
    matrix
        .iter()
        .map(|row| row.iter().map(ratio_text).collect::<Vec<_>>())
        .collect::<Vec<_>>()
        .into()
}

fn masks(place: &Place<'_>) -> Result<Vec<u64>, Rejection> {
    each(place, |item| item.small_count())
}

fn texts(list: &[u64]) -> Json {
    list.iter().map(u64::to_string).collect::<Vec<_>>().into()
}

impl Set {
    fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        if let Some(place) = body.maybe("bits") {
            let bits = small(&place)?;
            let tokens = Tokens::cube(bits).map_err(|error| domain(&place, &error.to_string()))?;
            return Ok(Self {
                bits: Some(bits),
                tokens,
            });
        }
        let place = body.get("tokens")?;
        let tokens =
            Tokens::listed(masks(&place)?).map_err(|error| domain(&place, &error.to_string()))?;
        Ok(Self { bits: None, tokens })
    }

    fn write(&self, body: &mut Map<String, Json>) {
        match self.bits {
            Some(bits) => body.insert("bits".to_owned(), json!(bits.to_string())),
            None => body.insert("tokens".to_owned(), texts(self.tokens.masks())),
        };
    }
}

fn accuracy_of(body: &Place<'_>) -> Result<Accuracy, Rejection> {
    let (length, error) = (body.get("length")?, body.get("error")?);
    let accuracy = Accuracy {
        length: small(&length)?,
        error: ratio(&error)?,
        strict: body.get("strict")?.truth()?,
    };
    if accuracy.length == 0 {
        return Err(domain(&length, "at least 1"));
    }
    if accuracy.error.is_negative() || accuracy.strict && accuracy.error.is_zero() {
        return Err(domain(&error, "an error that is possible"));
    }
    Ok(accuracy)
}

/// The number of inputs is bounded before anything is enumerated.
fn feasible(body: &Place<'_>, tokens: &Tokens, length: usize) -> Result<(), Rejection> {
    if crate::rank::token::unordered(tokens.len(), length) > MAX_INPUTS.into() {
        return Err(domain(
            &body.get("length")?,
            "at most 2^22 inputs around a query",
        ));
    }
    Ok(())
}

fn kernel_of(body: &Place<'_>) -> Result<Kernel, Rejection> {
    let place = body.get("kernel")?;
    place.object(&["phi_k", "phi_q"], &[])?;
    Ok(Kernel {
        phi_q: matrix(&place.get("phi_q")?)?,
        phi_k: matrix(&place.get("phi_k")?)?,
    })
}

/// The factors in JSON.
pub fn kernel_json(kernel: &Kernel) -> Json {
    json!({"phi_k": matrix_json(&kernel.phi_k), "phi_q": matrix_json(&kernel.phi_q)})
}

fn queries_of(body: &Place<'_>, tokens: &Tokens) -> Result<Vec<u64>, Rejection> {
    let place = body.get("queries")?;
    let queries = masks(&place)?;
    let known = queries.iter().all(|query| tokens.find(*query).is_some());
    if known && !queries.is_empty() && queries.windows(2).all(|pair| pair[0] < pair[1]) {
        return Ok(queries);
    }
    Err(domain(&place, "different tokens in increasing order"))
}

impl Ranking {
    /// Reads the body of `{"rank": ..}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`, and `domain` for values that have no meaning.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        let has = |key: &str| body.maybe(key).is_some();
        let keys = |keys: &[&str]| -> Result<(), Rejection> {
            let set = if has("bits") { "bits" } else { "tokens" };
            body.object(&[keys, &[set]].concat(), &[]).map(|_| ())
        };
        if has("gap") {
            body.object(&["error", "gap", "ratio"], &["weight"])?;
            return Self::read_ratio(body);
        }
        if has("softmax") {
            body.object(&["bits", "length", "softmax"], &[])?;
            return Self::read_softmax(body);
        }
        if has("optimum") {
            keys(&["kernel", "length", "optimum", "queries"])?;
            let tokens = Set::read(body)?;
            let (length, optimum) = (body.get("length")?, body.get("optimum")?);
            let found = Self::Optimum {
                kernel: kernel_of(body)?,
                queries: queries_of(body, &tokens.tokens)?,
                length: small(&length)?,
                optimum: ratio(&optimum)?,
                tokens,
            };
            if let Self::Optimum {
                tokens,
                length: count,
                optimum: error,
                ..
            } = &found
            {
                if *count == 0 {
                    return Err(domain(&length, "at least 1"));
                }
                if error.is_negative() {
                    return Err(domain(&optimum, "at least 0"));
                }
                feasible(body, &tokens.tokens, *count)?;
            }
            return Ok(found);
        }
        let fixed = has("kernel");
        keys(if fixed {
            &["error", "exists", "kernel", "length", "queries", "strict"]
        } else {
            &["error", "exists", "length", "rank", "strict"]
        })?;
        let tokens = Set::read(body)?;
        let accuracy = accuracy_of(body)?;
        feasible(body, &tokens.tokens, accuracy.length)?;
        let exists = body.get("exists")?.truth()?;
        if fixed {
            let (kernel, queries) = (kernel_of(body)?, queries_of(body, &tokens.tokens)?);
            return Ok(Self::Readout {
                tokens,
                kernel,
                queries,
                accuracy,
                exists,
            });
        }
        let place = body.get("rank")?;
        let rank = small(&place)?;
        if rank == 0 {
            return Err(domain(&place, "at least 1"));
        }
        Ok(Self::Exists {
            tokens,
            accuracy,
            rank,
            exists,
        })
    }

    fn read_ratio(body: &Place<'_>) -> Result<Self, Rejection> {
        let (gap, ratios, error) = (body.get("gap")?, body.get("ratio")?, body.get("error")?);
        let gaps: Vec<u32> = each(&gap, small)?;
        let weight = body
            .maybe("weight")
            .map(|place| small(&place))
            .transpose()?;
        let found = Self::Ratio {
            ratios: each(&ratios, ratio)?,
            error: ratio(&error)?,
            weight,
            gaps,
        };
        let Self::Ratio {
            gaps,
            ratios: values,
            error: allowed,
            ..
        } = &found
        else {
            return Err(domain(&gap, "gaps"));
        };
        if gaps.is_empty()
            || gaps.len() != values.len()
            || !gaps.windows(2).all(|pair| pair[0] < pair[1])
        {
            return Err(domain(&gap, "increasing gaps, as many as ratios"));
        }
        let most = weight.unwrap_or(MAX_GAP).min(MAX_GAP);
        if gaps.iter().any(|gap| *gap == 0 || *gap > most) {
            return Err(domain(&gap, &format!("gaps from 1 to {most}")));
        }
        if found.program(gaps[0]).is_none() || allowed.is_zero() {
            return Err(domain(
                &error,
                "an error with a short numerator and denominator",
            ));
        }
        Ok(found)
    }

    fn read_softmax(body: &Place<'_>) -> Result<Self, Rejection> {
        let (beta, length, bits) = (body.get("softmax")?, body.get("length")?, body.get("bits")?);
        let value = ratio(&beta)?;
        let (tokens, width): (u32, u32) = (small(&length)?, small(&bits)?);
        if !value.is_positive() {
            return Err(domain(&beta, "a positive number"));
        }
        if tokens < 2 {
            return Err(domain(&length, "at least 2"));
        }
        if width == 0 || width > 64 {
            return Err(domain(&bits, "1 to 64"));
        }
        Ok(Self::Softmax {
            beta: value,
            length: tokens,
            bits: width,
        })
    }

    /// The linear program of a gap.
    pub fn program(&self, gap: u32) -> Option<Program> {
        match self {
            Self::Ratio { weight, error, .. } => ratio_program(gap, weight.unwrap_or(gap), error),
            Self::Exists { .. }
            | Self::Readout { .. }
            | Self::Optimum { .. }
            | Self::Softmax { .. } => None,
        }
    }

    /// The body of `{"rank": ..}`.
    pub fn to_json(&self) -> Json {
        let mut body = Map::new();
        let mut set = |key: &str, value: Json| {
            body.insert(key.to_owned(), value);
        };
        match self {
            Self::Exists {
                accuracy, exists, ..
            }
            | Self::Readout {
                accuracy, exists, ..
            } => {
                set("length", json!(accuracy.length.to_string()));
                set("error", json!(ratio_text(&accuracy.error)));
                set("strict", json!(accuracy.strict));
                set("exists", json!(exists));
            }
            Self::Optimum {
                length, optimum, ..
            } => {
                set("length", json!(length.to_string()));
                set("optimum", json!(ratio_text(optimum)));
            }
            Self::Ratio {
                gaps,
                ratios,
                weight,
                error,
            } => {
                set(
                    "gap",
                    gaps.iter().map(u32::to_string).collect::<Vec<_>>().into(),
                );
                set(
                    "ratio",
                    ratios.iter().map(ratio_text).collect::<Vec<_>>().into(),
                );
                set("error", json!(ratio_text(error)));
                if let Some(weight) = weight {
                    set("weight", json!(weight.to_string()));
                }
            }
            Self::Softmax { beta, length, bits } => {
                set("softmax", json!(ratio_text(beta)));
                set("length", json!(length.to_string()));
                set("bits", json!(bits.to_string()));
            }
        }
        if let Self::Readout {
            kernel, queries, ..
        }
        | Self::Optimum {
            kernel, queries, ..
        } = self
        {
            set("kernel", kernel_json(kernel));
            set("queries", texts(queries));
        }
        if let Self::Exists { rank, .. } = self {
            set("rank", json!(rank.to_string()));
        }
        if let Self::Exists { tokens, .. }
        | Self::Readout { tokens, .. }
        | Self::Optimum { tokens, .. } = self
        {
            tokens.write(&mut body);
        }
        Json::Object(body)
    }
}

/// A stored kernel with a readout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredKernel {
    /// The factors.
    pub kernel: Kernel,
    /// One row per query.
    pub readout: Matrix,
    /// The stored largest error.
    pub error: BigRational,
}

impl StoredKernel {
    /// Reads the body of `{"kernel": ..}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        body.object(&["error", "phi_k", "phi_q", "readout"], &[])?;
        Ok(Self {
            kernel: Kernel {
                phi_q: matrix(&body.get("phi_q")?)?,
                phi_k: matrix(&body.get("phi_k")?)?,
            },
            readout: matrix(&body.get("readout")?)?,
            error: ratio(&body.get("error")?)?,
        })
    }

    /// The evidence object.
    pub fn to_json(&self) -> Json {
        json!({"kernel": {
            "error": ratio_text(&self.error),
            "phi_k": matrix_json(&self.kernel.phi_k),
            "phi_q": matrix_json(&self.kernel.phi_q),
            "readout": matrix_json(&self.readout),
        }})
    }
}

/// One input of a stored refutation: masks, the query first, and its two weights.
pub type StoredWeight = (Vec<u64>, BigRational, BigRational);

/// Reads the body of `{"farkas": ..}`.
///
/// # Errors
/// `malformed`, `unknown-key`.
pub fn farkas(body: &Place<'_>) -> Result<Vec<StoredWeight>, Rejection> {
    body.object(&["inputs"], &[])?;
    each(&body.get("inputs")?, |place| {
        place.object(&["lower", "tokens", "upper"], &[])?;
        Ok((
            masks(&place.get("tokens")?)?,
            ratio(&place.get("upper")?)?,
            ratio(&place.get("lower")?)?,
        ))
    })
}

/// The evidence object of a refutation.
pub fn farkas_json(tokens: &Tokens, weights: &[Weighted]) -> Json {
    let inputs: Vec<Json> = weights
        .iter()
        .map(|input| {
            let places = std::iter::once(&input.query).chain(&input.others);
            let masks: Vec<String> = places.map(|place| tokens.at(*place).to_string()).collect();
            json!({"lower": ratio_text(&input.lower), "tokens": masks, "upper": ratio_text(&input.upper)})
        })
        .collect();
    json!({"farkas": {"inputs": inputs}})
}

/// A stored bound from a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCode {
    /// The bound as stored; nothing in it is believed.
    pub bound: Bound,
    /// Stored number of inputs.
    pub inputs: u64,
}

impl StoredCode {
    /// Reads the body of `{"code": ..}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        body.object(
            &["inputs", "method", "preferences", "rank", "value", "words"],
            &[],
        )?;
        let method = body.get("method")?;
        let preference = |place: &Place<'_>| {
            place.object(&["chain", "query", "ratio"], &[])?;
            Ok(Preference {
                query: place.get("query")?.small_count()?,
                chain: Chain {
                    tokens: masks(&place.get("chain")?)?,
                    ratio: ratio(&place.get("ratio")?)?,
                },
            })
        };
        Ok(Self {
            bound: Bound {
                method: Method::from_word(method.text()?)
                    .ok_or_else(|| wrong(&method, "dominance, trace or cycle"))?,
                words: each(&body.get("words")?, masks)?,
                preferences: each(&body.get("preferences")?, preference)?,
                rank: small(&body.get("rank")?)?,
                value: ratio(&body.get("value")?)?,
            },
            inputs: body.get("inputs")?.small_count()?,
        })
    }
}

/// The evidence object of a bound.
pub fn code_json(bound: &Bound, accuracy: &Accuracy) -> Json {
    let preferences: Vec<Json> = bound
        .preferences
        .iter()
        .map(|Preference { query, chain }| {
            json!({"chain": texts(&chain.tokens), "query": query.to_string(), "ratio": ratio_text(&chain.ratio)})
        })
        .collect();
    json!({"code": {
        "inputs": bound.inputs(accuracy).to_string(),
        "method": bound.method.word(),
        "preferences": preferences,
        "rank": bound.rank.to_string(),
        "value": ratio_text(&bound.value),
        "words": bound.words.iter().map(|word| texts(word)).collect::<Vec<_>>(),
    }})
}

/// A stored primal point and dual vector, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDual {
    /// The gap.
    pub gap: u32,
    /// Values of variables.
    pub primal: Vec<(String, BigRational)>,
    /// Weights of rows.
    pub weights: Vec<(String, BigRational)>,
}

impl StoredDual {
    /// Reads the body of `{"dual": ..}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        body.object(&["gap", "primal", "weights"], &[])?;
        let vector = |key: &str| {
            let place = body.get(key)?;
            place
                .map()?
                .keys()
                .map(|name| Ok((name.clone(), ratio(&place.get(name)?)?)))
                .collect::<Result<Vec<_>, Rejection>>()
        };
        Ok(Self {
            gap: small(&body.get("gap")?)?,
            primal: vector("primal")?,
            weights: vector("weights")?,
        })
    }
}

/// The evidence object of the two vectors.
pub fn dual_json(gap: u32, program: &Program, x: &[BigRational], y: &[BigRational]) -> Json {
    let named = |names: Vec<&String>, values: &[BigRational]| -> Map<String, Json> {
        names
            .into_iter()
            .zip(values)
            .filter(|(_, value)| !value.is_zero())
            .map(|(name, value)| (name.clone(), json!(ratio_text(value))))
            .collect()
    };
    json!({"dual": {
        "gap": gap.to_string(),
        "primal": named(program.variables.iter().collect(), x),
        "weights": named(program.rows.iter().map(|row| &row.name).collect(), y),
    }})
}

/// What decides a softmax claim: the degree of the Taylor sums, and the excess at which it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredSoftmax {
    /// Degree.
    pub degree: u32,
    /// Excess, for a refutation.
    pub excess: Option<u32>,
}

impl StoredSoftmax {
    /// Reads the body of `{"softmax": ..}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        body.object(&["degree"], &["excess"])?;
        let excess = body
            .maybe("excess")
            .map(|place| small(&place))
            .transpose()?;
        Ok(Self {
            degree: small(&body.get("degree")?)?,
            excess,
        })
    }

    /// The evidence object.
    pub fn to_json(&self) -> Json {
        let mut body = json!({"degree": self.degree.to_string()});
        if let Some(excess) = self.excess {
            body["excess"] = json!(excess.to_string());
        }
        json!({"softmax": body})
    }
}
