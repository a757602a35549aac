//! Reductions and the cycle problem: instances, pairs, colourings.

use super::{Candidate, Found, Stop};
use crate::evidence::Verdict;
use crate::evidence::reduction::{AboutReduction as About, ReductionClaim};
use crate::evidence::verify::Options;
use crate::reduction::cycle::{Kind, directed, is_odd, reads};
use crate::reduction::split::Conflicts;
use crate::reduction::{chase, gadget};
use crate::search::colouring;
use num_bigint::BigUint;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Decides a claim; nothing is verified yet.
pub(super) fn candidate(claim: &ReductionClaim, options: &Options) -> Found {
    let undecided = |reason: &str| Stop::Undecided(reason.to_owned());
    let within = |size: u64| {
        if BigUint::from(size) <= options.max_inputs {
            Ok(())
        } else {
            Err(Stop::Undecided(format!(
                "{size} instances, more than --max-inputs"
            )))
        }
    };
    match claim {
        ReductionClaim::Gadget { vertices, ones } => {
            within(gadget::strings(*vertices))?;
            let tally = gadget::every_string(*vertices, *ones);
            Ok(match tally.first {
                None => {
                    let body = json!({"instances": tally.strings.to_string()});
                    item(true, About::AllInstances, &body)
                }
                Some(edges) => item(false, About::FailingInstance, &json!({"edges": edges})),
            })
        }
        ReductionClaim::Chase { k, q } => {
            let sizes = u32::try_from(*k).ok().zip(u32::try_from(*q).ok());
            let instances = sizes.and_then(|(k, q)| chase::instances(k, q));
            let instances = instances.ok_or_else(|| undecided("no instances of this size"))?;
            within(instances)?;
            match chase::every_instance(*k, *q) {
                None => {
                    let body = json!({"instances": instances.to_string()});
                    Ok(item(true, About::AllInstances, &body))
                }
                Some(chase) => Err(Stop::Undecided(format!("it fails on {chase:?}"))),
            }
        }
        ReductionClaim::Sign { vertices } => {
            let count = |kind| {
                let all = directed(*vertices, kind);
                let odd = all.iter().filter(|next| is_odd(next)).count();
                [all.len() - odd, odd]
            };
            let [one, two] = Kind::BOTH.map(count);
            let texts = |counts: [usize; 2]| counts.map(|count| count.to_string());
            let body = json!({"one": texts(one), "two": texts(two)});
            Ok(item(one[0] == 0 && two[1] == 0, About::Signs, &body))
        }
        ReductionClaim::Reads {
            vertices,
            directed,
            equals,
        } => {
            let (count, pair) = reads(*vertices, *directed)
                .ok_or_else(|| undecided("no instances of this size"))?;
            let body = json!({"one": pair[0], "two": pair[1]});
            Ok(item(
                BigUint::from(count) == *equals,
                About::SharedWords,
                &body,
            ))
        }
        ReductionClaim::Split {
            vertices,
            held,
            equals,
        } => {
            let conflicts = Conflicts::new(*vertices, *held)
                .ok_or_else(|| undecided("no instances of this size"))?;
            let (colours, clique) = colouring::split(&conflicts);
            let used = colours.iter().max().map_or(0, |most| most + 1);
            if used != clique.len() {
                return Err(Stop::Undecided(format!(
                    "between {} and {used} messages",
                    clique.len()
                )));
            }
            let body = json!({"clique": clique, "colours": colours});
            Ok(item(
                BigUint::from(used) == *equals,
                About::SplitColouring,
                &body,
            ))
        }
    }
}

fn item(holds: bool, kind: About, body: &Json) -> Candidate {
    let verdict = if holds {
        Verdict::Established
    } else {
        Verdict::Refuted
    };
    Candidate {
        verdict,
        evidence: vec![json!({kind.tag(): body})],
        files: BTreeMap::new(),
        trust: Vec::new(),
    }
}
