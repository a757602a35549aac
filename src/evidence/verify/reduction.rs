//! `reduction` and `cycles`: every instance again, one that fails, a pair, a colouring with a clique.

use super::{Stop, Subject, at};
use crate::evidence::item::Raw;
use crate::evidence::reduction::{
    AboutReduction, ReductionClaim, read_colouring, read_edges, read_words,
};
use crate::evidence::scope::Verdict;
use crate::evidence::shape::{Place, Rejection};
use crate::evidence::statement::Statement;
use crate::game::structure::Code;
use crate::reduction::cycle::{Kind, common, directed, is_odd, reads, undirected};
use crate::reduction::split::Conflicts;
use crate::reduction::{chase, gadget};
use num_bigint::BigUint;
use serde_json::json;

pub(super) fn check(subject: &Subject<'_>, evidence: &[Raw]) -> Result<String, Stop> {
    use AboutReduction as About;
    subject.no_files()?;
    let Statement::Reduction(claim) = &subject.statement else {
        return Err(subject.mismatch(0, "another statement", "reduction or cycles"));
    };
    let established = subject.verdict == Verdict::Established;
    let wanted = match (&**claim, established) {
        (ReductionClaim::Gadget { .. } | ReductionClaim::Chase { .. }, true) => About::AllInstances,
        (ReductionClaim::Gadget { .. } | ReductionClaim::Chase { .. }, false) => {
            About::FailingInstance
        }
        (ReductionClaim::Sign { .. }, _) => About::Signs,
        (ReductionClaim::Reads { .. }, _) => About::SharedWords,
        (ReductionClaim::Split { .. }, _) => About::SplitColouring,
    };
    let expected = format!("one `{}`", wanted.tag());
    let [raw] = evidence else {
        return Err(subject.mismatch(0, &format!("{} objects", evidence.len()), &expected));
    };
    let Raw::Reduction(kind, json) = raw else {
        return Err(subject.mismatch(0, raw.kind(), &expected));
    };
    if *kind != wanted {
        return Err(subject.mismatch(0, raw.kind(), &expected));
    }
    let place = at(0, raw);
    let body = Place {
        at: place.clone(),
        json,
    };
    match &**claim {
        ReductionClaim::Gadget { vertices, ones } if established => {
            let strings = gadget::strings(*vertices);
            within(subject, strings)?;
            same_count(&body, strings)?;
            let tally = gadget::every_string(*vertices, *ones);
            match tally.first {
                None => Ok(format!("all {strings} strings of the gadget")),
                Some(edges) => Err(bound(
                    &place,
                    &format!("{edges:?} breaks it"),
                    "no exception",
                )),
            }
        }
        ReductionClaim::Gadget { vertices, ones } => {
            let edges = read_edges(&body)?;
            let kind = kind_of(&edges, *vertices).ok_or_else(|| {
                let found = format!("{edges:?}");
                let expected = "the edges of one cycle or of two halves";
                Rejection::new(format!("{place}/edges"), Code::Domain, found, expected)
            })?;
            let one = gadget::answers_one(&edges);
            if one == (kind == *ones) {
                let found = "an instance on which it holds";
                return Err(
                    Rejection::new(place, Code::Replay, found, "one on which it fails").into(),
                );
            }
            let words = if one { "1" } else { "not 1" };
            Ok(format!(
                "the gadget answers {words} on this instance of {kind:?}"
            ))
        }
        ReductionClaim::Chase { k, q } if established => {
            let sizes = u32::try_from(*k).ok().zip(u32::try_from(*q).ok());
            let instances = sizes.and_then(|(k, q)| chase::instances(k, q)).unwrap_or(0);
            within(subject, instances)?;
            same_count(&body, instances)?;
            match chase::every_instance(*k, *q) {
                None => Ok(format!("all {instances} instances of pointer chasing")),
                Some(chase) => Err(bound(
                    &place,
                    &format!("{chase:?} breaks it"),
                    "no exception",
                )),
            }
        }
        ReductionClaim::Chase { .. } => {
            let found = "an instance of another problem";
            let expected = "an instance of pointer chasing, of which no form is known";
            Err(Rejection::new(place, Code::Domain, found, expected).into())
        }
        ReductionClaim::Sign { vertices } => signs(&body, *vertices, established),
        ReductionClaim::Reads {
            vertices,
            directed,
            equals,
        } => shared(&body, *vertices, *directed, equals, established),
        ReductionClaim::Split {
            vertices,
            held,
            equals,
        } => split(&body, *vertices, *held, equals, established),
    }
}

fn within(subject: &Subject<'_>, size: u64) -> Result<(), Stop> {
    let limit = &subject.options.max_inputs;
    if BigUint::from(size) <= *limit {
        Ok(())
    } else {
        Err(Stop::NotChecked(format!(
            "{size} instances, more than the limit {limit}"
        )))
    }
}

fn same_count(body: &Place<'_>, right: u64) -> Result<(), Rejection> {
    let stored = body.get("instances")?;
    if stored.count()? == BigUint::from(right) {
        Ok(())
    } else {
        let found = stored.json.to_string();
        Err(Rejection::new(
            stored.at,
            Code::Arithmetic,
            found,
            right.to_string(),
        ))
    }
}

fn bound(at: &str, found: &str, expected: &str) -> Stop {
    Rejection::new(at, Code::Bound, found, expected).into()
}

/// Which of the two kinds some edges are, in any order and orientation.
fn kind_of(edges: &[(usize, usize)], vertices: usize) -> Option<Kind> {
    let mut sorted: Vec<(usize, usize)> =
        edges.iter().map(|(u, v)| (*u.min(v), *u.max(v))).collect();
    sorted.sort_unstable();
    Kind::BOTH
        .into_iter()
        .find(|kind| undirected(vertices, *kind).contains(&sorted))
}

fn signs(body: &Place<'_>, vertices: usize, established: bool) -> Result<String, Stop> {
    let count = |kind| {
        let all = directed(vertices, kind);
        let odd = all.iter().filter(|next| is_odd(next)).count();
        [all.len() - odd, odd]
    };
    let [one, two] = Kind::BOTH.map(count);
    for (key, right) in [("one", one), ("two", two)] {
        let stored = body.get(key)?;
        let right = json!(right.map(|count| count.to_string()));
        if *stored.json != right {
            let (found, right) = (stored.json.to_string(), right.to_string());
            return Err(Rejection::new(stored.at, Code::Arithmetic, found, right).into());
        }
    }
    if (one[0] == 0 && two[1] == 0) != established {
        return Err(bound(
            "/verdict",
            "one cycle odd, two even",
            "the other verdict",
        ));
    }
    Ok(format!(
        "signs: {} permutations of one cycle, all odd; {} of two, all even",
        one[1], two[0]
    ))
}

fn shared(
    body: &Place<'_>,
    vertices: usize,
    is_directed: bool,
    equals: &BigUint,
    established: bool,
) -> Result<String, Stop> {
    let words = read_words(body)?;
    for (key, (kind, words)) in ["one", "two"]
        .into_iter()
        .zip(Kind::BOTH.into_iter().zip(&words))
    {
        let found = if is_directed {
            directed(vertices, kind).contains(words)
        } else {
            let edges = words.iter().map(|word| (word / vertices, word % vertices));
            undirected(vertices, kind).contains(&edges.collect())
        };
        if !found {
            let at = format!("{}/{key}", body.at);
            let expected = "an instance of this kind";
            return Err(Rejection::new(at, Code::Domain, format!("{words:?}"), expected).into());
        }
    }
    let both = common(&words[0], &words[1], is_directed);
    let (right, _) = reads(vertices, is_directed).unwrap_or_default();
    if both + 1 != right {
        let found = format!("{both} words in common");
        return Err(bound(&body.at, &found, &format!("{}", right - 1)));
    }
    if (*equals == BigUint::from(right)) != established {
        return Err(bound(
            "/statement/cycles/equals",
            &equals.to_string(),
            &right.to_string(),
        ));
    }
    Ok(format!(
        "a pair shares {both} words, none shares {right}: {right} must be read"
    ))
}

fn split(
    body: &Place<'_>,
    vertices: usize,
    held: usize,
    equals: &BigUint,
    established: bool,
) -> Result<String, Stop> {
    let [colours, clique] = read_colouring(body)?;
    let conflicts = Conflicts::new(vertices, held)
        .ok_or_else(|| Stop::NotChecked("no instances of this size".to_owned()))?;
    let sets = conflicts.sets();
    let at = format!("{}/colours", body.at);
    if colours.len() != sets.len() {
        let found = format!("{} colours", colours.len());
        let expected = format!("{}, one for each set", sets.len());
        return Err(Rejection::new(at, Code::Size, found, expected).into());
    }
    if let Some((a, b)) = conflicts.improper(&colours) {
        let found = format!("sets {a} and {b} in conflict, of one colour");
        return Err(Rejection::new(at, Code::NotSeparated, found, "different colours").into());
    }
    let at = format!("{}/clique", body.at);
    for (number, member) in clique.iter().enumerate() {
        let at = format!("{at}/{number}");
        let Some(set) = sets.get(*member) else {
            let expected = format!("a set below {}", sets.len());
            return Err(Rejection::new(at, Code::Coverage, member.to_string(), expected).into());
        };
        if let Some(other) = clique[..number]
            .iter()
            .find(|other| !conflicts.conflict(sets[**other], *set))
        {
            let found = format!("no conflict with set {other}");
            return Err(Rejection::new(at, Code::NotSeparated, found, "a conflict").into());
        }
    }
    let used = colours.iter().max().map_or(0, |most| most + 1);
    if used != clique.len() {
        let found = format!("{} sets in pairwise conflict", clique.len());
        return Err(bound(
            &at,
            &found,
            &format!("as many as the {used} colours"),
        ));
    }
    if (*equals == BigUint::from(used)) != established {
        return Err(bound(
            "/statement/cycles/equals",
            &equals.to_string(),
            &used.to_string(),
        ));
    }
    Ok(format!(
        "{} sets, {} conflicts: {used} colours, a clique of {used}, {} bits",
        sets.len(),
        conflicts.pairs.len(),
        crate::exact::count::bits(&BigUint::from(used))
    ))
}
