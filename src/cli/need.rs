//! `need`: how many states must any one-way reader keep?

use crate::bounds::need::{self, Need, NeedError};
use crate::cli::args::{NeedArgs, NeedTask};
use crate::cli::{Context, Failure, Output, state};
use crate::exact::{Factors, Number};
use crate::models::account::{Account, Precision};
use crate::report::table::Table;
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use serde_json::{Value as Json, json};

/// Counts of more bits are given as a product of powers only.
const DECIMAL_BITS: u64 = 1 << 20;

impl From<NeedError> for Failure {
    fn from(error: NeedError) -> Self {
        match error {
            NeedError::Field { .. } => Self::Usage(error.to_string()),
            NeedError::TooLong(_) | NeedError::Compare(_) => Self::TooLarge(error.to_string()),
        }
    }
}

/// A number of values: fixed, or growing with the length.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Domain {
    Fixed(BigUint),
    Length,
    Square,
}

impl Domain {
    fn read(text: &str) -> Result<Self, Failure> {
        match text {
            "n" => Ok(Self::Length),
            "n^2" | "n2" => Ok(Self::Square),
            number => number.parse().map(Self::Fixed).map_err(|_| {
                Failure::Usage(format!(
                    "domain: found `{text}`, expected a number, n or n^2"
                ))
            }),
        }
    }

    fn at(&self, n: &BigUint) -> BigUint {
        match self {
            Self::Fixed(values) => values.clone(),
            Self::Length => n.clone(),
            Self::Square => n * n,
        }
    }
}

/// A count, and how it is known.
struct Counted {
    states: Option<Number>,
    formula: &'static str,
    source: &'static str,
    /// More keys of the result.
    extra: Vec<(&'static str, Json)>,
    /// The same task for brute force.
    #[cfg(feature = "search")]
    reader: Option<crate::search::rows::Reader>,
}

/// A parameter by one of its names.
fn given(options: [(&'static str, Option<&BigUint>); 2]) -> Result<BigUint, Failure> {
    let names: Vec<String> = options
        .iter()
        .map(|(name, _)| format!("--{name}"))
        .collect();
    let missing = || {
        Failure::Usage(format!(
            "{}: missing, expected {}",
            options[0].0,
            names.join(" or ")
        ))
    };
    options
        .into_iter()
        .find_map(|(_, value)| value.cloned())
        .ok_or_else(missing)
}

struct Question<'a> {
    args: &'a NeedArgs,
    domain: Option<Domain>,
}

impl Question<'_> {
    fn n(&self) -> Result<BigUint, Failure> {
        given([("n", self.args.n.as_ref()), ("n", None)])
    }

    fn cut(&self, default: impl FnOnce() -> BigUint) -> BigUint {
        self.args.cut.clone().unwrap_or_else(default)
    }

    fn fixed(&self) -> Option<BigUint> {
        match &self.domain {
            Some(Domain::Fixed(values)) => Some(values.clone()),
            Some(Domain::Length | Domain::Square) | None => None,
        }
    }

    fn domain(&self) -> Result<Domain, Failure> {
        self.domain.clone().ok_or_else(|| {
            Failure::Usage(
                "domain: missing, the number of values is always explicit (--domain M, n or n^2)"
                    .into(),
            )
        })
    }

    fn alphabet(&self) -> Result<BigUint, Failure> {
        given([
            ("alphabet", self.args.alphabet.as_ref()),
            ("domain", self.fixed().as_ref()),
        ])
    }

    fn vocabulary(&self) -> Result<BigUint, Failure> {
        given([
            ("vocabulary", self.args.vocabulary.as_ref()),
            ("domain", self.fixed().as_ref()),
        ])
    }

    fn kinds(&self) -> Result<BigUint, Failure> {
        given([
            ("kinds", self.args.kinds.as_ref()),
            ("domain", self.fixed().as_ref()),
        ])
    }

    /// The count at the given length.
    fn count(&self) -> Result<Counted, Failure> {
        match self.args.task {
            NeedTask::Eva => self.eva(),
            NeedTask::PerCom => self.percom(),
            NeedTask::TwoSum => self.two_sum(),
            NeedTask::Copy => self.copy(),
            NeedTask::Index => self.index(),
            NeedTask::Mqar => self.recall(),
            NeedTask::Membership => self.membership(),
            NeedTask::Dyck => self.brackets(),
            NeedTask::Khop => self.hops(),
            NeedTask::LogLinear => self.log_linear(),
        }
    }

    fn eva(&self) -> Result<Counted, Failure> {
        let n = self.n()?;
        let cut = self.cut(|| n.clone());
        Ok(Counted {
            states: Some(need::eva_states(&n, &cut)?),
            formula: "n^t",
            source: "paper at t = n (Theorems A.3, A.4); derived inside the table",
            extra: vec![("cut", text(&cut))],
            #[cfg(feature = "search")]
            reader: small([&n, &cut]).map(|[n, cut]| crate::search::rows::Reader::Eva { n, cut }),
        })
    }

    fn percom(&self) -> Result<Counted, Failure> {
        let n = self.n()?;
        let cut = self.cut(|| n.clone());
        if self.args.last && cut != n {
            return Err(Failure::Usage(format!(
                "cut: with --last only t = n = {n} is known"
            )));
        }
        let states = need::percom_states(&n, &cut)?;
        let prefixes = need::percom_prefixes(&n, &cut)?;
        Ok(Counted {
            states: Some(states.into()),
            formula: "t!",
            source: "paper at t = n (Theorems A.6, A.7); inside sigma derived: two prefixes are in conflict only if they have the same set of values",
            extra: vec![
                ("cut", text(&cut)),
                ("distinct_prefixes", decimal(&prefixes)),
            ],
            #[cfg(feature = "search")]
            reader: small([&n, &cut]).map(|[n, cut]| crate::search::rows::Reader::PerCom {
                n,
                cut,
                last: self.args.last,
            }),
        })
    }

    fn two_sum(&self) -> Result<Counted, Failure> {
        let n = self.n()?;
        let values = self.domain()?.at(&n);
        let last = n.clone().max(BigUint::one()) - 1_u32;
        let cut = self.cut(|| last.clone());
        if cut > last {
            return Err(Failure::Usage(format!(
                "cut: {cut} is above n - 1 = {last}: the answer is asked after the cut"
            )));
        }
        let reflexive = self.args.reflexive;
        let states = if reflexive {
            need::two_sum_reflexive_states(&cut, &values)?
        } else {
            need::two_sum_states(&cut, &values)?
        };
        Ok(Counted {
            states: Some(states.into()),
            formula: if reflexive {
                "sum_(j=0..min(t,M*)) C(M*, j), M* = M-1 for odd M, M-2 for even M"
            } else {
                "sum_(j=1..min(t,M)) C(M, j)"
            },
            source: if reflexive {
                "derived, for j <= i"
            } else {
                "paper (Theorem A.9), made exact; strict j < i"
            },
            extra: vec![("cut", text(&cut)), ("domain", text(&values))],
            #[cfg(feature = "search")]
            reader: small([&n, &values, &cut]).map(|[n, modulus, cut]| {
                crate::search::rows::Reader::TwoSum {
                    n,
                    modulus,
                    cut,
                    reflexive,
                    earlier: false,
                }
            }),
        })
    }

    fn copy(&self) -> Result<Counted, Failure> {
        let (n, alphabet) = (self.n()?, self.alphabet()?);
        Ok(Counted {
            states: Some(need::copy_states(&alphabet, &n)?),
            formula: "V^n",
            source: "derived; with S states at most min(1, S / V^n) of the strings are copied right",
            extra: vec![("alphabet", text(&alphabet))],
            #[cfg(feature = "search")]
            reader: small([&n, &alphabet])
                .map(|[n, alphabet]| crate::search::rows::Reader::Copy { n, alphabet }),
        })
    }

    fn index(&self) -> Result<Counted, Failure> {
        let n = self.n()?;
        Ok(Counted {
            states: Some(need::copy_states(&2_u32.into(), &n)?),
            formula: "2^n",
            source: "derived",
            extra: Vec::new(),
            #[cfg(feature = "search")]
            reader: small([&n]).map(|[n]| crate::search::rows::Reader::Copy { n, alphabet: 2 }),
        })
    }

    fn recall(&self) -> Result<Counted, Failure> {
        let vocabulary = self.vocabulary()?;
        let pairs = given([
            ("pairs", self.args.pairs.as_ref()),
            ("n", self.args.n.as_ref()),
        ])?;
        Ok(Counted {
            states: Some(need::recall_states(&vocabulary, &pairs)?.into()),
            formula: "(V/2)(V/2-1)..(V/2-k+1)",
            source: "derived, for distinct values, fixed keys, and the promise that each queried key is present",
            extra: vec![("vocabulary", text(&vocabulary)), ("pairs", text(&pairs))],
            #[cfg(feature = "search")]
            reader: small([&vocabulary, &pairs]).map(|[vocabulary, pairs]| {
                crate::search::rows::Reader::Recall {
                    pairs,
                    values: vocabulary / 2,
                }
            }),
        })
    }

    fn membership(&self) -> Result<Counted, Failure> {
        let tokens = given([("n", self.args.n.as_ref()), ("cut", self.args.cut.as_ref())])?;
        let values = self.domain()?.at(&tokens);
        Ok(Counted {
            states: Some(need::two_sum_states(&tokens, &values)?.into()),
            formula: "sum_(j=1..min(t,M)) C(M, j)",
            source: "derived: the set of values seen",
            extra: vec![("domain", text(&values))],
            #[cfg(feature = "search")]
            reader: small([&tokens, &values])
                .map(|[tokens, values]| crate::search::rows::Reader::Membership { tokens, values }),
        })
    }

    fn brackets(&self) -> Result<Counted, Failure> {
        let kinds = self.kinds()?;
        let depth = given([
            ("depth", self.args.depth.as_ref()),
            ("n", self.args.n.as_ref()),
        ])?;
        Ok(Counted {
            states: Some(need::bracket_states(&kinds, &depth)?.into()),
            formula: "1 + k + .. + k^h, and 1 for already wrong",
            source: "derived: the stack of open brackets",
            extra: vec![("kinds", text(&kinds)), ("depth", text(&depth))],
            #[cfg(feature = "search")]
            reader: small([&kinds, &depth])
                .map(|[kinds, depth]| crate::search::rows::Reader::Brackets { kinds, depth }),
        })
    }

    fn hops(&self) -> Result<Counted, Failure> {
        let k = given([("k", self.args.k.as_ref()), ("k", None)])?;
        let symbols = self.alphabet()?;
        let prefix = given([
            ("prefix", self.args.prefix.as_ref()),
            ("cut", self.args.cut.as_ref()),
        ])?;
        let suffix = given([("suffix", self.args.suffix.as_ref()), ("suffix", None)])?;
        for (field, value) in [
            ("alphabet", &symbols),
            ("prefix", &prefix),
            ("suffix", &suffix),
        ] {
            if value.is_zero() {
                return Err(Failure::Usage(format!("{field}: 0 is below 1")));
            }
        }
        Ok(Counted {
            states: None,
            formula: "no closed form",
            source: "computed: prefixes with different rows",
            extra: vec![
                ("k", text(&k)),
                ("alphabet", text(&symbols)),
                ("prefix", text(&prefix)),
                ("suffix", text(&suffix)),
            ],
            #[cfg(feature = "search")]
            reader: small([&k, &symbols, &prefix, &suffix]).map(|[k, symbols, prefix, suffix]| {
                crate::search::rows::Reader::Hops {
                    k,
                    symbols,
                    prefix,
                    suffix,
                }
            }),
        })
    }

    fn log_linear(&self) -> Result<Counted, Failure> {
        let n = self.n()?;
        let length = n
            .to_u64()
            .ok_or_else(|| Failure::TooLarge(format!("n: {n} is above 2^64")))?;
        let found = need::log_linear(length)?;
        let popcount = need::log_linear_matrices(length);
        Ok(Counted {
            states: Some(need::eva_states(&n, &found.cut.into())?),
            formula: "n^(2^k), 2^k the largest power of two up to n: one matrix per head and layer crosses this cut",
            source: "derived: L H d^2 p >= bits(n^(2^k)), from Eva; assumes that gates act on merged sums",
            extra: vec![
                ("cut", found.cut.to_string().into()),
                ("eva_bits", number(&found.eva)),
                ("percom_bits", json!(found.percom)),
                ("matrices_at_n", json!(popcount)),
                (
                    "levels_after_n_tokens",
                    json!(need::log_linear_levels(length - 1, 0)),
                ),
            ],
            #[cfg(feature = "search")]
            reader: small([&n, &found.cut.into()])
                .map(|[n, cut]| crate::search::rows::Reader::Eva { n, cut }),
        })
    }

    /// The largest length that so many bits do not exclude; `None` if no length is.
    fn largest(&self, bits: &BigUint) -> Result<Option<BigUint>, Failure> {
        let one = BigUint::one();
        let simple = |need: &Need| Ok(Some(need.largest_length(bits)?));
        match self.args.task {
            NeedTask::Eva => simple(&Need::Eva),
            NeedTask::PerCom => simple(&Need::PerCom),
            NeedTask::Copy => simple(&Need::Copy(self.alphabet()?)),
            NeedTask::Index => simple(&Need::Copy(2_u32.into())),
            NeedTask::TwoSum if !self.args.reflexive && self.domain()? == Domain::Length => {
                simple(&Need::TwoSum)
            }
            NeedTask::TwoSum if !self.args.reflexive && self.domain()? == Domain::Square => {
                simple(&Need::TwoSumSquareAll)
            }
            NeedTask::TwoSum => {
                let domain = self.domain()?;
                let states = |n: &BigUint| {
                    let (cut, values) = (n - 1_u32, domain.at(n));
                    Ok(if self.args.reflexive {
                        need::two_sum_reflexive_states(&cut, &values)?
                    } else {
                        need::two_sum_states(&cut, &values)?
                    }
                    .into())
                };
                // From t = M on the count stays.
                let end = self.fixed().map(|values| values + 1_u32);
                Ok(need::largest_within(&one, end.as_ref(), bits, states)?)
            }
            NeedTask::Membership => {
                let domain = self.domain()?;
                let states = |t: &BigUint| Ok(need::two_sum_states(t, &domain.at(t))?.into());
                Ok(need::largest_within(
                    &one,
                    self.fixed().as_ref(),
                    bits,
                    states,
                )?)
            }
            NeedTask::Mqar => {
                let vocabulary = self.vocabulary()?;
                let most = &vocabulary >> 1_u32;
                let states = |pairs: &BigUint| Ok(need::recall_states(&vocabulary, pairs)?.into());
                Ok(need::largest_within(
                    &BigUint::zero(),
                    Some(&most),
                    bits,
                    states,
                )?)
            }
            NeedTask::Dyck => {
                let kinds = self.kinds()?;
                let states = |depth: &BigUint| Ok(need::bracket_states(&kinds, depth)?.into());
                Ok(need::largest_within(&BigUint::zero(), None, bits, states)?)
            }
            NeedTask::LogLinear => {
                let states = |n: &BigUint| need::eva_states(n, &(BigUint::one() << (n.bits() - 1)));
                Ok(need::largest_within(&one, None, bits, states)?)
            }
            NeedTask::Khop => Err(Failure::Usage(
                "bits: khop has no closed form to invert".to_owned(),
            )),
        }
    }
}

#[cfg(feature = "search")]
fn small<const N: usize>(numbers: [&BigUint; N]) -> Option<[u64; N]> {
    let list: Vec<u64> = numbers
        .iter()
        .map(|number| number.to_u64().filter(|x| *x < 1 << 32))
        .collect::<Option<_>>()?;
    list.try_into().ok()
}

fn text(number: &BigUint) -> Json {
    number.to_string().into()
}

/// In decimal, unless it is very long.
fn decimal(number: &BigUint) -> Json {
    if number.bits() <= DECIMAL_BITS {
        text(number)
    } else {
        Json::Null
    }
}

/// A JSON number, as all bits are; a string over 2^64.
fn number(bits: &BigInt) -> Json {
    bits.to_u64()
        .map_or_else(|| bits.to_string().into(), Json::from)
}

/// The count in decimal, if it is not too long for that.
fn in_decimal(states: &Number) -> Option<BigUint> {
    let short = match states {
        Number::Factored(factors) => !factors.clearly_longer_than(DECIMAL_BITS),
        Number::Plain(_)
        | Number::Sum(_)
        | Number::Tower(_)
        | Number::Log(_)
        | Number::LogTower(_) => true,
    };
    let value = if short {
        states.to_integer().ok()?.to_biguint()?
    } else {
        return None;
    };
    (value.bits() <= DECIMAL_BITS).then_some(value)
}

pub(super) fn run(args: &NeedArgs, context: &Context) -> Result<Output, Failure> {
    let domain = args.domain.as_deref().map(Domain::read).transpose()?;
    let question = Question { args, domain };
    let task = clap::ValueEnum::to_possible_value(&args.task)
        .map_or(String::new(), |value| value.get_name().to_owned());
    let mut json =
        json!({"task": task, "n": args.n.as_ref().map(text), "states": null, "bits": null});
    let mut lines = Vec::new();
    if let Some(bits) = &args.bits {
        let largest = question.largest(bits)?;
        lines.push(match &largest {
            Some(n) => format!(
                "{task}: {bits} bits do not exclude lengths up to {n}, and exclude the next"
            ),
            None => format!("{task}: {bits} bits exclude no length"),
        });
        json["available_bits"] = text(bits);
        json["largest_n"] = largest.as_ref().map(text).into();
        if args.task == NeedTask::TwoSum && question.domain == Some(Domain::Square) {
            let paper = Need::TwoSumSquare.largest_length(bits)?;
            lines.push(format!("  with the paper's count C(n^2, n-1): {paper}"));
            json["largest_n_paper_count"] = text(&paper);
        }
    }
    let asked = args.bits.is_none() || args.n.is_some();
    if asked {
        let counted = question.count()?;
        let states = with_brute(args, context, &counted, &mut json, &mut lines)?;
        describe(args, &task, &counted, &states, &mut json, &mut lines)?;
    }
    lines.push(
        "scope: every one-way reader; worst case, exact answers, representational".to_owned(),
    );
    json["scope"] = "every-protocol-of-this-game".into();
    let table = table(&json);
    Ok(Output::new(lines.join("\n"), json).table(table))
}

/// The numbers of the answer, one a row.
fn table(json: &Json) -> Table {
    let mut table = Table::new("States of a one-way reader", &["quantity", "value"]);
    for (name, value) in json.as_object().into_iter().flatten() {
        let value = match value {
            Json::String(text) => text.clone(),
            Json::Number(number) => number.to_string(),
            Json::Bool(_) | Json::Null | Json::Array(_) | Json::Object(_) => continue,
        };
        table.row([name.clone(), value]);
    }
    table
}

/// The count: by closed form, by brute force if that is asked for or the only way, and both must agree.
#[cfg(feature = "search")]
fn with_brute(
    args: &NeedArgs,
    context: &Context,
    counted: &Counted,
    json: &mut Json,
    lines: &mut Vec<String>,
) -> Result<Number, Failure> {
    let closed = counted.states.clone();
    if !args.brute
        && let Some(states) = closed
    {
        return Ok(states);
    }
    let reader = counted
        .reader
        .as_ref()
        .ok_or_else(|| Failure::TooLarge("brute: the numbers are too large".to_owned()))?;
    let limit = context
        .max_inputs
        .clone()
        .unwrap_or_else(|| BigUint::from(1_u32 << 26));
    let found = reader.count(&limit).map_err(|error| {
        Failure::TooLarge(format!(
            "brute: {error}; raise --max-inputs or leave --brute out"
        ))
    })?;
    json["brute"] = json!({
        "prefixes": found.prefixes.to_string(),
        "rows": found.rows.to_string(),
        "at_least": found.lower.to_string(),
        "at_most": found.upper.to_string(),
    });
    let (lower, upper) = (
        Number::from(found.lower as u64),
        Number::from(found.upper as u64),
    );
    lines.push(format!(
        "  brute force: {} prefixes, {} different rows, states between {lower} and {upper}",
        found.prefixes, found.rows
    ));
    match closed {
        None if found.lower == found.upper => Ok(lower),
        None => Err(Failure::TooLarge(format!(
            "brute: the bounds {lower} and {upper} do not meet"
        ))),
        Some(states) => {
            let value = states.to_integer().ok();
            if value < lower.to_integer().ok() || value > upper.to_integer().ok() {
                return Err(Failure::Contradiction(format!(
                    "closed form {states}, brute force {lower} to {upper}"
                )));
            }
            Ok(states)
        }
    }
}

#[cfg(not(feature = "search"))]
fn with_brute(
    args: &NeedArgs,
    _: &Context,
    counted: &Counted,
    _: &mut Json,
    _: &mut [String],
) -> Result<Number, Failure> {
    if args.brute {
        return Err(Failure::Usage(
            "brute: built without the feature `search`".to_owned(),
        ));
    }
    let none = || {
        Failure::Usage(
            "khop: has no closed form, and brute force needs the feature `search`".to_owned(),
        )
    };
    counted.states.clone().ok_or_else(none)
}

fn describe(
    args: &NeedArgs,
    task: &str,
    counted: &Counted,
    states: &Number,
    json: &mut Json,
    lines: &mut Vec<String>,
) -> Result<(), Failure> {
    let bits = need::bits_of(states)?;
    let value = in_decimal(states);
    let shown = match &value {
        Some(value) if value.bits() <= 256 => value.to_string(),
        Some(_) | None => states.approx(),
    };
    let parameters: Vec<String> = counted
        .extra
        .iter()
        .filter_map(|(name, value)| Some(format!("{name} {}", value.as_str()?)))
        .collect();
    let length = args
        .n
        .as_ref()
        .map_or(String::new(), |n| format!(", n {n}"));
    let rest = if parameters.is_empty() {
        String::new()
    } else {
        format!(", {}", parameters.join(", "))
    };
    lines.insert(
        0,
        format!("{task}{length}{rest}: {shown} states, {bits} bits"),
    );
    lines.insert(1, format!("  {} [{}]", counted.formula, counted.source));
    json["states"] = value.as_ref().map(text).into();
    json["states_power"] = states.to_string().into();
    if states.to_string().len() > 4096 {
        json["states_power"] = Json::Null;
    }
    json["bits"] = number(&bits);
    json["formula"] = counted.formula.into();
    json["source"] = counted.source.into();
    for (name, value) in &counted.extra {
        json[*name] = value.clone();
    }
    if let (Some(available), Some(needed)) = (&args.bits, bits.to_biguint()) {
        lines.push(format!("  bits needed / available: {needed} / {available}"));
        json["excluded"] = (needed > *available).into();
    }
    if let Some(config) = &args.config {
        return available(
            args,
            config,
            &bits.to_biguint().unwrap_or_default(),
            json,
            lines,
        );
    }
    if args.layers.is_some() || args.heads.is_some() || args.bits_per_scalar.is_some() {
        let one = BigUint::one();
        let per_size = [&args.layers, &args.heads, &args.bits_per_scalar]
            .into_iter()
            .map(|factor| factor.as_ref().unwrap_or(&one))
            .product::<BigUint>();
        if per_size.is_zero() {
            return Err(Failure::Usage(
                "layers, heads, bits-per-scalar: 0 is below 1".to_owned(),
            ));
        }
        let needed = bits.to_biguint().unwrap_or_default();
        let with = smallest(&needed, &per_size, |d| d * (d + 1_u32));
        let without = smallest(&needed, &per_size, |d| d * d);
        lines.push(format!("  smallest head size: {with} with normaliser (d(d+1) numbers a head), {without} without (d^2)"));
        json["smallest_d"] = json!({"linear_attention": with.to_string(), "linear_attention_no_normaliser": without.to_string()});
    }
    Ok(())
}

/// Bits needed against the bounded state of a configuration, and the least size of its layers that would be enough.
fn available(
    args: &NeedArgs,
    config: &str,
    needed: &BigUint,
    json: &mut Json,
    lines: &mut Vec<String>,
) -> Result<(), Failure> {
    let model = state::model(config, false, None)?;
    let account = Account::of(&model);
    let recurrent = match &args.bits_per_scalar {
        None => None,
        Some(bits) => Some(
            bits.to_u64()
                .filter(|bits| (1..=1024).contains(bits))
                .ok_or_else(|| {
                    Failure::Usage(format!("bits-per-scalar: {bits}, expected 1 to 1024"))
                })?,
        ),
    };
    let precision = Precision::of(&model, recurrent, recurrent);
    let bits = account.bounded_bits(&precision);
    let part = if account.whole_model() {
        "the whole model"
    } else {
        "its recurrent part only; the key/value cache of full attention crosses the boundary, too"
    };
    let short = if *needed > bits {
        format!("{} bits short", needed - &bits)
    } else {
        "enough bits, which proves nothing".to_owned()
    };
    lines.push(format!(
        "  bits needed / available: {needed} / {bits}: {short} ({part})"
    ));
    json["available_bits"] = text(&bits);
    json["bits_short"] = if *needed > bits {
        text(&(needed - &bits))
    } else {
        "0".into()
    };
    json["excluded"] = (*needed > bits).into();
    json["applies_to"] = if account.whole_model() {
        "whole model"
    } else {
        "recurrent part only"
    }
    .into();
    // The layers of the model that have a size to vary, all alike.
    let layers: Vec<_> = model
        .layers
        .positions
        .iter()
        .filter_map(|position| position.layer.as_ref())
        .collect();
    let Some(first) = layers
        .iter()
        .find(|layer| layer.resized(&BigUint::one()).is_some())
    else {
        return Ok(());
    };
    let alike: Vec<_> = layers
        .iter()
        .filter(|layer| {
            layer.resized(&BigUint::one()).map(|(_, what)| what)
                == first.resized(&BigUint::one()).map(|(_, what)| what)
        })
        .collect();
    let total = |d: &BigUint| -> BigUint {
        alike
            .iter()
            .filter_map(|layer| layer.resized(d))
            .flat_map(|(layer, _)| layer.parts())
            .map(|part| part.scalars * precision.bits(part.role))
            .sum()
    };
    let what = first.resized(&BigUint::one()).map_or("", |(_, what)| what);
    let least = smallest(needed, &BigUint::one(), total);
    lines.push(format!(
        "  smallest d of its {} layers: {least} = {what}",
        alike.len()
    ));
    json["smallest_d"] = json!({"d": least.to_string(), "meaning": what, "layers": alike.len()});
    Ok(())
}

/// The least d of at least 1 with `per_size * scalars(d) >= needed`.
fn smallest(
    needed: &BigUint,
    per_size: &BigUint,
    scalars: impl Fn(&BigUint) -> BigUint,
) -> BigUint {
    let enough = |d: &BigUint| per_size * scalars(d) >= *needed;
    let mut high = BigUint::one();
    while !enough(&high) {
        high <<= 1;
    }
    let mut low = BigUint::zero();
    while &low + 1_u32 < high {
        let middle = (&low + &high) >> 1;
        if enough(&middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// `base^exponent` as a number that is not written out.
pub(super) fn power(base: &BigUint, exponent: impl Into<BigInt>) -> Factors {
    Factors::power(base, &BigRational::one())
        .unwrap_or_default()
        .powi(exponent)
}
