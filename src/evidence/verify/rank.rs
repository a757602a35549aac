//! `rank`: a kernel with its readout, weights that refute, a code that bounds the rank, a program's two vectors, a Taylor sum.

use super::{Stop, Subject, at};
use crate::evidence::canonical::pointer;
use crate::evidence::derive::ratio_text;
use crate::evidence::item::{Kernelled, Raw};
use crate::evidence::rank::{
    Ranking, Set, StoredCode, StoredDual, StoredKernel, StoredSoftmax, code_json, farkas,
    kernel_json,
};
use crate::evidence::scope::Verdict;
use crate::evidence::shape::{Place, Rejection};
use crate::evidence::statement::Statement;
use crate::exact::linear::{Program, Unfit};
use crate::game::structure::Code;
use crate::rank::code::{conclude, needed};
use crate::rank::cone::{Unproved, Weighted, refute_rank_one, refute_row};
use crate::rank::gap::Accuracy;
use crate::rank::kernel::{Kernel, KernelError, Matrix, worst};
use crate::rank::softmax::{Decision, MAX_DEGREE, decide};
use crate::rank::token::{Tokens, unordered};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::Zero;
use serde_json::Value as Json;

pub(super) fn check(subject: &Subject<'_>, evidence: &[Raw]) -> Result<String, Stop> {
    subject.no_files()?;
    let Statement::Rank(ranking) = &subject.statement else {
        return Err(subject.mismatch(0, "another statement", "rank"));
    };
    let kinds: Vec<Option<Kernelled>> = evidence
        .iter()
        .map(|raw| {
            if let Raw::Kernelled(kind, _) = raw {
                Some(*kind)
            } else {
                None
            }
        })
        .collect();
    let established = subject.verdict == Verdict::Established;
    match &**ranking {
        Ranking::Exists {
            tokens,
            accuracy,
            rank,
            exists,
        } => {
            let positive = established == *exists;
            match (kinds.as_slice(), positive) {
                ([Some(Kernelled::Kernel)], true) => {
                    let all: Vec<usize> = (0..tokens.tokens.len()).collect();
                    let stored = stored_kernel(evidence, 0)?;
                    if stored.kernel.features() > *rank {
                        return Err(bound(
                            &place(evidence, 0, "phi_k"),
                            &format!("{} features", stored.kernel.features()),
                            &format!("at most {rank}"),
                        ));
                    }
                    let error =
                        checked_error(subject, &stored, evidence, tokens, accuracy.length, &all)?;
                    within(&error, accuracy, &place(evidence, 0, "error"))?;
                    Ok(format!(
                        "kernel: {} {} of {rank}, error {} on {} inputs",
                        stored.kernel.features(),
                        plural("feature", stored.kernel.features()),
                        ratio_text(&error),
                        counted(&tokens.tokens, accuracy.length)
                    ))
                }
                ([Some(Kernelled::Code)], false) => code(evidence, tokens, accuracy, *rank),
                ([Some(Kernelled::Farkas)], false) if *rank == 1 => {
                    let weights = weights(evidence, 0, tokens, accuracy.length)?;
                    refute_rank_one(&tokens.tokens, &weights, accuracy)
                        .map_err(|error| unproved(evidence, 0, &error))?;
                    Ok(format!(
                        "farkas: {} inputs refute every kernel of rank 1",
                        weights.len()
                    ))
                }
                (_, true) => Err(subject.mismatch(0, &found(evidence), "one `kernel`")),
                (_, false) => Err(subject.mismatch(
                    0,
                    &found(evidence),
                    "one `code`, or at rank 1 one `farkas`",
                )),
            }
        }
        Ranking::Readout {
            tokens,
            kernel,
            queries,
            accuracy,
            exists,
        } => {
            let fixed = Fixed {
                tokens,
                kernel,
                queries,
                length: accuracy.length,
            };
            match (kinds.as_slice(), established == *exists) {
                ([Some(Kernelled::Kernel)], true) => {
                    let error = fixed.error(subject, evidence, 0)?;
                    within(&error, accuracy, &place(evidence, 0, "error"))?;
                    Ok(format!(
                        "readout: error {} at {} {}",
                        ratio_text(&error),
                        queries.len(),
                        if queries.len() == 1 {
                            "query"
                        } else {
                            "queries"
                        }
                    ))
                }
                ([Some(Kernelled::Farkas)], false) => {
                    let inputs = fixed.refuted(evidence, 0, accuracy)?;
                    Ok(format!(
                        "farkas: {inputs} inputs refute every readout of this kernel"
                    ))
                }
                (_, true) => Err(subject.mismatch(0, &found(evidence), "one `kernel`")),
                (_, false) => Err(subject.mismatch(0, &found(evidence), "one `farkas`")),
            }
        }
        Ranking::Optimum {
            tokens,
            kernel,
            queries,
            length,
            optimum,
        } => {
            let fixed = Fixed {
                tokens,
                kernel,
                queries,
                length: *length,
            };
            let below = Accuracy {
                length: *length,
                error: optimum.clone(),
                strict: true,
            };
            match (kinds.as_slice(), established) {
                ([Some(Kernelled::Kernel), Some(Kernelled::Farkas)], true) => {
                    let error = fixed.error(subject, evidence, 0)?;
                    if error > *optimum {
                        return Err(bound(
                            &place(evidence, 0, "error"),
                            &ratio_text(&error),
                            &format!("at most {}", ratio_text(optimum)),
                        ));
                    }
                    let inputs = fixed.refuted(evidence, 1, &below)?;
                    Ok(format!(
                        "error {} is reached, and {inputs} inputs refute less",
                        ratio_text(optimum)
                    ))
                }
                ([Some(Kernelled::Kernel)], false) => {
                    let error = fixed.error(subject, evidence, 0)?;
                    within(&error, &below, &place(evidence, 0, "error"))?;
                    Ok(format!("readout: error {}", ratio_text(&error)))
                }
                ([Some(Kernelled::Farkas)], false) => {
                    let reached = Accuracy {
                        strict: false,
                        ..below
                    };
                    let inputs = fixed.refuted(evidence, 0, &reached)?;
                    Ok(format!(
                        "farkas: {inputs} inputs refute an error of {}",
                        ratio_text(optimum)
                    ))
                }
                (_, true) => Err(subject.mismatch(0, &found(evidence), "`kernel`, then `farkas`")),
                (_, false) => {
                    Err(subject.mismatch(0, &found(evidence), "one `kernel` or one `farkas`"))
                }
            }
        }
        Ranking::Ratio { gaps, ratios, .. } => {
            if !kinds.iter().all(|kind| *kind == Some(Kernelled::Dual)) {
                return Err(subject.mismatch(0, &found(evidence), "`dual` only"));
            }
            ratio_claim(ranking, gaps, ratios, established, evidence)
        }
        Ranking::Softmax { beta, length, bits } => {
            let ([Some(Kernelled::Softmax)], [raw]) = (kinds.as_slice(), evidence) else {
                return Err(subject.mismatch(0, &found(evidence), "one `softmax`"));
            };
            softmax(raw, beta, *length, *bits, established)
        }
    }
}

fn plural(word: &str, count: usize) -> String {
    if count == 1 {
        word.to_owned()
    } else {
        format!("{word}s")
    }
}

fn found(evidence: &[Raw]) -> String {
    evidence
        .iter()
        .map(Raw::kind)
        .take(3)
        .collect::<Vec<_>>()
        .join(", ")
}

fn place(evidence: &[Raw], number: usize, key: &str) -> String {
    evidence
        .get(number)
        .map_or_else(String::new, |raw| pointer(&at(number, raw), key))
}

fn bound(place: &str, found: &str, expected: &str) -> Stop {
    Rejection::new(place, Code::Bound, found, expected).into()
}

fn body(evidence: &[Raw], number: usize) -> Result<(String, &Json), Stop> {
    if let Some(raw @ Raw::Kernelled(_, json)) = evidence.get(number) {
        return Ok((at(number, raw), json));
    }
    Err(Rejection::new(
        "/evidence",
        Code::KindMismatch,
        "nothing",
        "evidence about kernels",
    )
    .into())
}

fn stored_kernel(evidence: &[Raw], number: usize) -> Result<StoredKernel, Stop> {
    let (at, json) = body(evidence, number)?;
    Ok(StoredKernel::read(&Place { at, json })?)
}

/// Ordered inputs: what an answer covers.
fn counted(tokens: &Tokens, length: usize) -> BigUint {
    BigUint::from(tokens.len()).pow(u32::try_from(length).unwrap_or(u32::MAX))
}

/// Recomputes the error of a stored readout and compares it with the stored one.
fn checked_error(
    subject: &Subject<'_>,
    stored: &StoredKernel,
    evidence: &[Raw],
    tokens: &Set,
    length: usize,
    queries: &[usize],
) -> Result<BigRational, Stop> {
    let work = unordered(tokens.tokens.len(), length) * queries.len();
    if work > subject.options.max_inputs {
        return Err(Stop::NotChecked(format!("{work} inputs")));
    }
    let alpha = alpha(&stored.kernel, &tokens.tokens, &place(evidence, 0, ""))?;
    let at = place(evidence, 0, "readout");
    if stored.readout.len() != queries.len() {
        return Err(Rejection::new(
            at,
            Code::Size,
            stored.readout.len().to_string(),
            format!("{} rows", queries.len()),
        )
        .into());
    }
    if let Some(row) = stored
        .readout
        .iter()
        .position(|row| row.len() != tokens.tokens.len())
    {
        let found = stored.readout[row].len().to_string();
        return Err(Rejection::new(
            format!("{at}/{row}"),
            Code::Size,
            found,
            format!("{} entries", tokens.tokens.len()),
        )
        .into());
    }
    let error = worst(&tokens.tokens, length, &alpha, queries, &stored.readout)
        .map_or_else(BigRational::zero, |worst| worst.error);
    if error == stored.error {
        Ok(error)
    } else {
        Err(Rejection::new(
            place(evidence, 0, "error"),
            Code::Arithmetic,
            ratio_text(&stored.error),
            ratio_text(&error),
        )
        .into())
    }
}

fn alpha(kernel: &Kernel, tokens: &Tokens, at: &str) -> Result<Matrix, Stop> {
    let at = at.trim_end_matches('/');
    kernel.alpha(tokens).map_err(|error| {
        let (place, code) = match &error {
            KernelError::Shape { table, .. } => (format!("{at}/{table}"), Code::Size),
            KernelError::Negative { .. } | KernelError::Blind(_) => (at.to_owned(), Code::Bound),
        };
        Rejection::new(
            place,
            code,
            error.to_string(),
            "a nonnegative kernel, positive on the diagonal",
        )
        .into()
    })
}

fn within(error: &BigRational, accuracy: &Accuracy, at: &str) -> Result<(), Stop> {
    let good = if accuracy.strict {
        *error < accuracy.error
    } else {
        *error <= accuracy.error
    };
    if good {
        return Ok(());
    }
    let word = if accuracy.strict { "below" } else { "at most" };
    Err(bound(
        at,
        &ratio_text(error),
        &format!("{word} {}", ratio_text(&accuracy.error)),
    ))
}

/// A kernel that the statement fixes.
struct Fixed<'a> {
    tokens: &'a Set,
    kernel: &'a Kernel,
    queries: &'a [u64],
    length: usize,
}

impl Fixed<'_> {
    fn places(&self) -> Vec<usize> {
        self.queries
            .iter()
            .filter_map(|query| self.tokens.tokens.find(*query))
            .collect()
    }

    /// The error of the stored readout, for the kernel of the statement.
    fn error(
        &self,
        subject: &Subject<'_>,
        evidence: &[Raw],
        number: usize,
    ) -> Result<BigRational, Stop> {
        let stored = stored_kernel(evidence, number)?;
        if stored.kernel != *self.kernel {
            let found = kernel_json(&stored.kernel).to_string();
            return Err(Rejection::new(
                place(evidence, number, "phi_k"),
                Code::Arithmetic,
                found,
                "the kernel of the statement",
            )
            .into());
        }
        checked_error(
            subject,
            &stored,
            evidence,
            self.tokens,
            self.length,
            &self.places(),
        )
    }

    /// Number of inputs that refute one of the rows.
    fn refuted(&self, evidence: &[Raw], number: usize, accuracy: &Accuracy) -> Result<usize, Stop> {
        let alpha = alpha(self.kernel, &self.tokens.tokens, "/statement/rank/kernel")?;
        let weights = weights(evidence, number, self.tokens, self.length)?;
        let at = place(evidence, number, "inputs");
        let Some(query) = weights.first().map(|input| input.query) else {
            return Err(unproved(evidence, number, &Unproved::Empty));
        };
        if let Some(other) = weights.iter().position(|input| input.query != query) {
            return Err(Rejection::new(
                format!("{at}/{other}"),
                Code::Coverage,
                "another query",
                "inputs of one query",
            )
            .into());
        }
        if !self.places().contains(&query) {
            let found = self.tokens.tokens.at(query).to_string();
            return Err(Rejection::new(
                format!("{at}/0"),
                Code::Domain,
                found,
                "a query of the statement",
            )
            .into());
        }
        refute_row(
            &self.tokens.tokens,
            query,
            &alpha[query],
            &weights,
            accuracy,
        )
        .map_err(|error| unproved(evidence, number, &error))?;
        Ok(weights.len())
    }
}

/// Reads weights: tokens that are there, as many as the length, inputs in increasing order.
fn weights(
    evidence: &[Raw],
    number: usize,
    set: &Set,
    length: usize,
) -> Result<Vec<Weighted>, Stop> {
    let (at, json) = body(evidence, number)?;
    let stored = farkas(&Place {
        at: at.clone(),
        json,
    })?;
    let tokens = &set.tokens;
    let mut list: Vec<Weighted> = Vec::new();
    for (place, (masks, upper, lower)) in stored.into_iter().enumerate() {
        let at = format!("{at}/inputs/{place}");
        if masks.len() != length {
            return Err(Rejection::new(
                format!("{at}/tokens"),
                Code::Size,
                masks.len().to_string(),
                format!("{length} tokens"),
            )
            .into());
        }
        let mut places = Vec::new();
        for mask in &masks {
            let found = tokens.find(*mask);
            places.push(found.ok_or_else(|| {
                Rejection::new(
                    format!("{at}/tokens"),
                    Code::Domain,
                    mask.to_string(),
                    "a token",
                )
            })?);
        }
        let query = places.remove(0);
        let input = Weighted {
            query,
            others: places,
            upper,
            lower,
        };
        let sorted = input.others.windows(2).all(|pair| pair[0] <= pair[1]);
        let after = list
            .last()
            .is_none_or(|last| (last.query, &last.others) < (input.query, &input.others));
        if !sorted || !after {
            return Err(Rejection::new(
                format!("{at}/tokens"),
                Code::Coverage,
                format!("{masks:?}"),
                "inputs in increasing order, each once",
            )
            .into());
        }
        list.push(input);
    }
    Ok(list)
}

fn unproved(evidence: &[Raw], number: usize, error: &Unproved) -> Stop {
    let at = place(evidence, number, "inputs");
    let (at, code) = match error {
        Unproved::Negative(input) => (format!("{at}/{input}"), Code::Bound),
        Unproved::Left { .. } => (at, Code::Arithmetic),
        Unproved::Empty | Unproved::Consistent(_) | Unproved::Free { .. } => (at, Code::Bound),
    };
    Rejection::new(at, code, error.to_string(), "weights that refute").into()
}

/// Every step of every chain, the argument, and the rank.
fn code(evidence: &[Raw], set: &Set, accuracy: &Accuracy, rank: usize) -> Result<String, Stop> {
    let (at, json) = body(evidence, 0)?;
    let stored = StoredCode::read(&Place {
        at: at.clone(),
        json,
    })?;
    let claimed = &stored.bound;
    let all = claimed.words.iter().flatten().chain(
        claimed
            .preferences
            .iter()
            .flat_map(|entry| &entry.chain.tokens),
    );
    if let Some(odd) = all.copied().find(|mask| set.tokens.find(*mask).is_none()) {
        return Err(Rejection::new(
            format!("{at}/words"),
            Code::Domain,
            odd.to_string(),
            "tokens of the statement",
        )
        .into());
    }
    let wanted = needed(claimed.method, &claimed.words, accuracy).map_err(|weak| {
        Rejection::new(
            format!("{at}/words"),
            Code::Size,
            weak.to_string(),
            "words of this method",
        )
    })?;
    let ends = |chain: &[u64]| Some((*chain.first()?, *chain.last()?));
    let fits = claimed.preferences.len() == wanted.len()
        && claimed
            .preferences
            .iter()
            .zip(&wanted)
            .all(|(entry, [query, better, worse])| {
                entry.query == *query && ends(&entry.chain.tokens) == Some((*better, *worse))
            });
    if !fits {
        return Err(Rejection::new(
            format!("{at}/preferences"),
            Code::Coverage,
            "other preferences",
            "those that the words need, in order",
        )
        .into());
    }
    for (i, entry) in claimed.preferences.iter().enumerate() {
        let at = format!("{at}/preferences/{i}");
        match accuracy.ratio_of(entry.query, &entry.chain.tokens) {
            Some(ratio) if ratio == entry.chain.ratio => {}
            Some(ratio) => {
                return Err(Rejection::new(
                    format!("{at}/ratio"),
                    Code::Arithmetic,
                    ratio_text(&entry.chain.ratio),
                    ratio_text(&ratio),
                )
                .into());
            }
            None => {
                return Err(bound(
                    &format!("{at}/chain"),
                    "a step without a factor",
                    "steps that prove something",
                ));
            }
        }
    }
    let (proved, value) = conclude(
        claimed.method,
        claimed.words.len(),
        &claimed.preferences,
        accuracy,
    )
    .map_err(|weak| {
        bound(
            &format!("{at}/preferences"),
            &weak.to_string(),
            "ratios that are large enough",
        )
    })?;
    let right = code_json(
        &crate::rank::Bound {
            rank: proved,
            value,
            ..claimed.clone()
        },
        accuracy,
    );
    for key in ["rank", "value", "inputs"] {
        if json[key] != right["code"][key] {
            return Err(Rejection::new(
                format!("{at}/{key}"),
                Code::Arithmetic,
                json[key].to_string(),
                right["code"][key].to_string(),
            )
            .into());
        }
    }
    if proved <= rank {
        return Err(bound(
            &format!("{at}/rank"),
            &format!("rank at least {proved}"),
            &format!("more than {rank}"),
        ));
    }
    Ok(format!(
        "code: {} words, {}: rank at least {proved}",
        claimed.words.len(),
        claimed.method.word()
    ))
}

/// Named values as a vector.
fn vector(
    named: &[(String, BigRational)],
    names: &[&String],
    at: &str,
) -> Result<Vec<BigRational>, Rejection> {
    let mut values = vec![BigRational::zero(); names.len()];
    for (name, value) in named {
        let place = names.iter().position(|known| *known == name);
        let missing = || {
            Rejection::new(
                pointer(at, name),
                Code::Domain,
                name.clone(),
                "a name of the program",
            )
        };
        values[place.ok_or_else(missing)?] = value.clone();
    }
    Ok(values)
}

fn value_of(program: &Program, stored: &StoredDual, at: &str) -> Result<BigRational, Rejection> {
    let unfit = |key: &str, error: &Unfit| {
        Rejection::new(
            format!("{at}/{key}"),
            Code::Bound,
            error.to_string(),
            "a feasible vector",
        )
    };
    let x = vector(
        &stored.primal,
        &program.variables.iter().collect::<Vec<_>>(),
        &format!("{at}/primal"),
    )?;
    let y = vector(
        &stored.weights,
        &program.rows.iter().map(|row| &row.name).collect::<Vec<_>>(),
        &format!("{at}/weights"),
    )?;
    let above = program
        .primal(&x)
        .map_err(|error| unfit("primal", &error))?;
    let below = program.dual(&y).map_err(|error| unfit("weights", &error))?;
    if above == below {
        return Ok(above);
    }
    Err(Rejection::new(
        format!("{at}/weights"),
        Code::Bound,
        ratio_text(&below),
        ratio_text(&above),
    ))
}

fn ratio_claim(
    ranking: &Ranking,
    gaps: &[u32],
    ratios: &[BigRational],
    established: bool,
    evidence: &[Raw],
) -> Result<String, Stop> {
    let mut stored = Vec::new();
    for number in 0..evidence.len() {
        let (at, json) = body(evidence, number)?;
        let dual = StoredDual::read(&Place {
            at: at.clone(),
            json,
        })?;
        stored.push((at, dual));
    }
    // Established: every gap; refuted: one gap with another value.
    let wanted = if established { gaps.len() } else { 1 };
    if stored.len() != wanted {
        return Err(Rejection::new(
            "/evidence",
            Code::KindMismatch,
            format!("{} `dual`", stored.len()),
            format!("{wanted} `dual`"),
        )
        .into());
    }
    for (i, (at, dual)) in stored.iter().enumerate() {
        let place = if established {
            gaps.get(i).filter(|gap| **gap == dual.gap).map(|_| i)
        } else {
            gaps.iter().position(|gap| *gap == dual.gap)
        };
        let Some(place) = place else {
            return Err(Rejection::new(
                format!("{at}/gap"),
                Code::Coverage,
                dual.gap.to_string(),
                "the gaps of the statement in order",
            )
            .into());
        };
        let Some(program) = ranking.program(dual.gap) else {
            return Err(Rejection::new(
                format!("{at}/gap"),
                Code::Domain,
                dual.gap.to_string(),
                "a gap with a program",
            )
            .into());
        };
        let value = value_of(&program, dual, at)?;
        if (value == ratios[place]) != established {
            let expected = format!(
                "what makes {} {}",
                ratio_text(&ratios[place]),
                if established {
                    "established"
                } else {
                    "refuted"
                }
            );
            return Err(Rejection::new(
                "/statement/rank/ratio",
                Code::Bound,
                ratio_text(&value),
                expected,
            )
            .into());
        }
        if !established {
            return Ok(format!(
                "primal and dual: at gap {} the best ratio is {}",
                dual.gap,
                ratio_text(&value)
            ));
        }
    }
    Ok(format!(
        "primal and dual: {} best {} of one row",
        gaps.len(),
        plural("ratio", gaps.len())
    ))
}

fn softmax(
    raw: &Raw,
    beta: &BigRational,
    length: u32,
    bits: u32,
    established: bool,
) -> Result<String, Stop> {
    let place = at(0, raw);
    let Raw::Kernelled(_, json) = raw else {
        return Err(bound(&place, raw.kind(), "softmax"));
    };
    let stored = StoredSoftmax::read(&Place {
        at: place.clone(),
        json,
    })?;
    if stored.degree > MAX_DEGREE {
        return Err(Rejection::new(
            format!("{place}/degree"),
            Code::Domain,
            stored.degree.to_string(),
            format!("at most {MAX_DEGREE}"),
        )
        .into());
    }
    let found = decide(beta, length, bits, stored.degree);
    let word = match found {
        Decision::Holds => "it holds".to_owned(),
        Decision::Fails(excess) => format!("it fails at excess {excess}"),
        Decision::Open => "Taylor sums of this degree do not decide it".to_owned(),
    };
    match (found, established, stored.excess) {
        (Decision::Holds, true, None) => Ok(format!(
            "e^(beta d) exceeds {}(2d - 1) for d = 1..{bits}, by Taylor sums of degree {}",
            length - 1,
            stored.degree
        )),
        (Decision::Fails(excess), false, Some(named)) if excess == named => Ok(format!(
            "fails where the others exceed the least overlap by {excess}"
        )),
        (Decision::Fails(_), false, _) => Err(Rejection::new(
            format!("{place}/excess"),
            Code::Arithmetic,
            format!("{:?}", stored.excess),
            word,
        )
        .into()),
        (_, true, Some(_)) => Err(bound(&format!("{place}/excess"), "an excess", "none")),
        (_, _, _) => Err(bound(
            &format!("{place}/degree"),
            &word,
            if established { "it holds" } else { "it fails" },
        )),
    }
}
