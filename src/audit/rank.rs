//! Claims about kernels: which search answers which question.

use super::{Candidate, Found, Stop};
use crate::evidence::Verdict;
use crate::evidence::rank::{
    Ranking, Set, StoredKernel, StoredSoftmax, code_json, dual_json, farkas_json,
};
use crate::rank::gap::Accuracy;
use crate::rank::kernel::{Kernel, Matrix};
use crate::rank::softmax::{self, Decision};
use crate::rank::token::unordered;
use crate::search::kernel::{self, Answer, Effort};
use crate::search::simplex;
use num_rational::BigRational;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Most inputs of all rows together that a search looks at.
const MAX_INPUTS: u64 = 1 << 22;

fn undecided(reason: impl Into<String>) -> Stop {
    Stop::Undecided(reason.into())
}

fn found(verdict: bool, evidence: Vec<Json>) -> Candidate {
    Candidate {
        verdict: if verdict {
            Verdict::Established
        } else {
            Verdict::Refuted
        },
        evidence,
        files: BTreeMap::new(),
        trust: Vec::new(),
    }
}

/// Decides a claim about kernels.
pub(super) fn candidate(ranking: &Ranking) -> Found {
    candidate_within(ranking, Effort::default(), &|| false)
}

fn candidate_within(ranking: &Ranking, effort: Effort, stop: &(dyn Fn() -> bool + Sync)) -> Found {
    match ranking {
        Ranking::Exists {
            tokens,
            accuracy,
            rank,
            exists,
        } => {
            sized(tokens, accuracy.length)?;
            match existence(tokens, accuracy, *rank, effort, stop)? {
                Existence::Kernel(item) => Ok(found(*exists, vec![item])),
                Existence::None(item) => Ok(found(!*exists, vec![item])),
                Existence::Open(reason) => Err(undecided(reason)),
            }
        }
        Ranking::Readout {
            tokens,
            kernel,
            queries,
            accuracy,
            exists,
        } => {
            let fixed = Fixed::new(tokens, kernel, queries, accuracy.length)?;
            match fixed.answer(accuracy)? {
                Answer::Readout(readout, error) => {
                    Ok(found(*exists, vec![fixed.kernel(readout, error)]))
                }
                Answer::Refuted(weights) => {
                    Ok(found(!*exists, vec![farkas_json(&tokens.tokens, &weights)]))
                }
            }
        }
        Ranking::Optimum {
            tokens,
            kernel,
            queries,
            length,
            optimum,
        } => {
            let fixed = Fixed::new(tokens, kernel, queries, *length)?;
            let at = |strict| Accuracy {
                length: *length,
                error: optimum.clone(),
                strict,
            };
            let reached = match fixed.answer(&at(false))? {
                Answer::Refuted(weights) => {
                    return Ok(found(false, vec![farkas_json(&tokens.tokens, &weights)]));
                }
                Answer::Readout(readout, error) => fixed.kernel(readout, error),
            };
            match fixed.answer(&at(true))? {
                Answer::Readout(..) => Ok(found(false, vec![reached])),
                Answer::Refuted(weights) => Ok(found(
                    true,
                    vec![reached, farkas_json(&tokens.tokens, &weights)],
                )),
            }
        }
        Ranking::Ratio { gaps, ratios, .. } => {
            let mut items = Vec::new();
            for (gap, ratio) in gaps.iter().zip(ratios) {
                let program = ranking
                    .program(*gap)
                    .ok_or_else(|| undecided("a gap without a program"))?;
                let solution = simplex::solve(&program)
                    .ok_or_else(|| undecided("the program was not solved"))?;
                let item = dual_json(*gap, &program, &solution.x, &solution.y);
                if solution.value != *ratio {
                    return Ok(found(false, vec![item]));
                }
                items.push(item);
            }
            Ok(found(true, items))
        }
        Ranking::Softmax { beta, length, bits } => {
            let (decision, degree) = softmax::settle(beta, *length, *bits)
                .ok_or_else(|| undecided("Taylor sums of degree 4096 do not decide it"))?;
            let excess = if let Decision::Fails(excess) = decision {
                Some(excess)
            } else {
                None
            };
            Ok(found(
                excess.is_none(),
                vec![StoredSoftmax { degree, excess }.to_json()],
            ))
        }
    }
}

fn sized(tokens: &Set, length: usize) -> Result<(), Stop> {
    let work = unordered(tokens.tokens.len(), length) * tokens.tokens.len();
    if work > MAX_INPUTS.into() {
        return Err(undecided(format!(
            "{work} inputs, more than the {MAX_INPUTS} that are searched"
        )));
    }
    Ok(())
}

/// What is known about the existence of a kernel.
#[derive(Debug)]
enum Existence {
    /// One exists: the evidence object.
    Kernel(Json),
    /// None exists.
    None(Json),
    /// Neither was shown; says what was tried.
    Open(String),
}

/// Bounds first, then the search.
///
/// # Errors
/// When a program could not be solved.
fn existence(
    tokens: &Set,
    accuracy: &Accuracy,
    rank: usize,
    effort: Effort,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Existence, Stop> {
    let set = &tokens.tokens;
    if rank == 1
        && let Some(found) = kernel::complete(set, Kernel::uniform(set.len()), accuracy)
    {
        return Ok(Existence::Kernel(stored(tokens, found, accuracy)));
    }
    let bound = kernel::best_bound(set, accuracy);
    if let Some(bound) = bound.as_ref().filter(|bound| bound.rank > rank) {
        return Ok(Existence::None(code_json(bound, accuracy)));
    }
    if rank == 1 {
        // One program decides; the constant kernel came first because its file is short.
        return match kernel::rank_one(set, accuracy)
            .ok_or_else(|| undecided("the program of rank 1 was not solved"))?
        {
            Err(weights) => Ok(Existence::None(farkas_json(set, &weights))),
            Ok(kernel) => {
                let found = kernel::complete(set, kernel, accuracy)
                    .ok_or_else(|| undecided("the kernel of the program has no readout"))?;
                Ok(Existence::Kernel(stored(tokens, found, accuracy)))
            }
        };
    }
    let proved = bound.as_ref().map_or(1, |bound| bound.rank);
    if set.len() > effort.tokens {
        return Ok(Existence::Open(format!(
            "rank at least {proved} is proved; no kernel is searched on more than {} tokens (`foolproof rank --search {rank}` does)",
            effort.tokens
        )));
    }
    Ok(match kernel::search(set, rank, accuracy, effort, stop) {
        Some(found) => Existence::Kernel(stored(tokens, found, accuracy)),
        None => Existence::Open(format!(
            "rank at least {} is proved; {} starts of {} rounds found no kernel of rank {rank}",
            proved, effort.starts, effort.rounds
        )),
    })
}

/// The evidence of a kernel, with a readout of few digits.
fn stored(tokens: &Set, found: kernel::Found, accuracy: &Accuracy) -> Json {
    let readout = kernel::rounded(&tokens.tokens, &found, accuracy);
    let error = found
        .kernel
        .alpha(&tokens.tokens)
        .ok()
        .and_then(|alpha| kernel::error_of(&tokens.tokens, &alpha, &readout, accuracy.length))
        .unwrap_or(found.error);
    StoredKernel {
        kernel: found.kernel,
        readout,
        error,
    }
    .to_json()
}

/// A given kernel.
struct Fixed<'a> {
    tokens: &'a Set,
    kernel: &'a Kernel,
    alpha: Matrix,
    places: Vec<usize>,
}

impl<'a> Fixed<'a> {
    fn new(
        tokens: &'a Set,
        kernel: &'a Kernel,
        queries: &[u64],
        length: usize,
    ) -> Result<Self, Stop> {
        sized(tokens, length)?;
        let alpha = kernel
            .alpha(&tokens.tokens)
            .map_err(|error| undecided(error.to_string()))?;
        let places = queries
            .iter()
            .filter_map(|query| tokens.tokens.find(*query))
            .collect();
        Ok(Self {
            tokens,
            kernel,
            alpha,
            places,
        })
    }

    fn answer(&self, accuracy: &Accuracy) -> Result<Answer, Stop> {
        kernel::readout(&self.tokens.tokens, &self.alpha, &self.places, accuracy)
            .ok_or_else(|| undecided("a row was not solved"))
    }

    fn kernel(&self, readout: Matrix, error: BigRational) -> Json {
        StoredKernel {
            kernel: self.kernel.clone(),
            readout,
            error,
        }
        .to_json()
    }
}

/// Decides a question and verifies the evidence, under a name.
pub fn settle(
    name: &str,
    ranking: Ranking,
    effort: Effort,
    stop: &(dyn Fn() -> bool + Sync),
    options: &super::Options,
) -> super::Finding {
    let candidate = match candidate_within(&ranking, effort, stop) {
        Ok(candidate) => candidate,
        Err(Stop::Undecided(reason)) => return super::Finding::Undecided(reason),
    };
    let (statement, spec) = (
        crate::evidence::Statement::Rank(Box::new(ranking)).to_json(None),
        serde_json::json!({}),
    );
    let digest = crate::evidence::statement::plain_digest(&spec, &statement);
    let head = super::Head {
        claim: name,
        statement,
        scope: &crate::evidence::Scope::ThisParameterPoint,
        spec: &spec,
        digest,
    };
    head.verify(candidate, options)
}
