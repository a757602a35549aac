//! Mutants of evidence about reductions and the cycle problem.

use crate::Random;
use crate::draft::Open;
use crate::naive::list;
use crate::operators::{Codes, Operator};
use foolproof::game::structure::Code::{
    Arithmetic, Bound, Coverage, Domain, KindMismatch, NotSeparated, Replay, Size, UnknownKind,
};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

pub(crate) fn special(kind: &str) -> Option<&'static [Operator]> {
    Some(match kind {
        "all_instances" => &[
            ("count-changed", |open, random| {
                let body = open.body("all_instances")?;
                number(&mut body["instances"], random).then_some(&[Arithmetic])
            }),
            ("size-changed", size_changed),
        ],
        "failing_instance" => &[
            ("edge-changed", edge_changed),
            ("edge-dropped", edge_dropped),
            ("claim-of-the-other", claim_of_the_other),
        ],
        "signs" => &[
            ("count-changed", |open, random| {
                let key = *random.one(&["one", "two"])?;
                let place = random.below(2);
                let body = open.body("signs")?;
                number(&mut body[key][place], random).then_some(&[Arithmetic])
            }),
            ("counts-swapped", |open, random| {
                let key = *random.one(&["one", "two"])?;
                open.body("signs")?[key].as_array_mut()?.swap(0, 1);
                Some(&[Arithmetic])
            }),
        ],
        "shared_words" => &[
            ("word-changed", word_changed),
            ("word-dropped", word_dropped),
            ("sides-swapped", sides_swapped),
            ("number-changed", number_changed),
        ],
        "split_colouring" => &[
            ("colour-changed", colour_changed),
            ("colour-dropped", colour_dropped),
            ("clique-changed", clique_changed),
            ("clique-member-dropped", clique_member_dropped),
            ("number-changed", number_changed),
        ],
        _ => return None,
    })
}

/// Another number in the place of a decimal text.
fn number(place: &mut Json, random: &mut Random) -> bool {
    let Some(old) = place.as_str().and_then(|text| text.parse::<usize>().ok()) else {
        return false;
    };
    let other = random.below(2 * old + 900);
    *place = json!(other.to_string());
    other != old
}

fn numbers(json: &Json) -> Vec<usize> {
    let items = list(json).iter().filter_map(Json::as_u64);
    items
        .filter_map(|item| usize::try_from(item).ok())
        .collect()
}

fn stated(open: &mut Open, key: &str) -> Option<usize> {
    open.statement().get(key)?.as_str()?.parse().ok()
}

/// *Unique*: other sizes have other counts.
fn size_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let key = *random.one(&["k", "q"])?;
    let old = stated(open, key)?;
    let other = random.below(5);
    open.statement()[key] = json!(other.to_string());
    open.redigest()?;
    (other != old).then_some(&[Arithmetic, Domain])
}

fn is_cycle_problem(edges: &[Vec<usize>], n: usize) -> bool {
    let mut around = vec![Vec::new(); n];
    for edge in edges {
        let [u, v] = edge[..] else { return false };
        if u >= n || v >= n || u == v {
            return false;
        }
        around[u].push(v);
        around[v].push(u);
    }
    if around
        .iter()
        .any(|near| near.len() != 2 || near[0] == near[1])
    {
        return false;
    }
    let mut seen = BTreeSet::from([0]);
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        open.extend(around[at].iter().filter(|next| seen.insert(**next)));
    }
    // In a union of cycles on 2 m vertices a part of m leaves a rest of m; of six vertices that rest is one cycle.
    seen.len() == n || 2 * seen.len() == n
}

/// *Naive*: no longer one of the graphs. (On any graph of the right kind it still fails.)
fn edge_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let n = stated(open, "k")?;
    let edges = open.body("failing_instance")?["edges"].as_array_mut()?;
    let place = random.below(edges.len());
    edges[place][random.below(2)] = json!(random.below(n + 40));
    let all: Vec<Vec<usize>> = edges.iter().map(numbers).collect();
    (!is_cycle_problem(&all, n)).then_some(&[Domain])
}

/// *Form.*
fn edge_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let edges = open.body("failing_instance")?["edges"].as_array_mut()?;
    edges.remove(random.below(edges.len()));
    if random.below(2) == 0 {
        let edge = json!([random.below(40), random.below(40)]);
        edges.push(edge.clone());
        edges.push(edge);
    }
    Some(&[Domain])
}

/// *Unique*: the other statement holds on every instance.
fn claim_of_the_other(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let word = *random.one(&["two-cycles", "three-cycles", ""])?;
    open.statement()["one_iff"] = json!(word);
    open.redigest()?;
    Some(&[Replay, UnknownKind])
}

/// *Naive*: another instance, or none; a pair of instances that shares as much is not counted.
fn word_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("shared_words")?;
    let key = *random.one(&["one", "two"])?;
    let words = body[key].as_array_mut()?;
    let place = random.below(words.len());
    let old = words[place].clone();
    words[place] = json!(random.below(60));
    // One word alone never leads from an instance to another: successors stay a permutation, degrees stay 2.
    (old != words[place]).then_some(&[Domain])
}

/// *Form.*
fn word_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let key = *random.one(&["one", "two"])?;
    let words = open.body("shared_words")?[key].as_array_mut()?;
    words.remove(random.below(words.len()));
    Some(&[Domain])
}

/// *Form*: each is of the other kind.
fn sides_swapped(open: &mut Open, _: &mut Random) -> Option<Codes> {
    let body = open.body("shared_words")?;
    let one = body["one"].clone();
    body["one"] = body["two"].clone();
    body["two"] = one;
    Some(&[Domain])
}

/// *Unique*: there is one right number.
fn number_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    if open.json["verdict"] != "established" {
        return None;
    }
    let changed = number(&mut open.statement()["equals"], random);
    open.redigest()?;
    changed.then_some(&[Bound, KindMismatch])
}

/// The sets of `held` edges of the complete graph on n vertices that conflict, as places among the combinations.
struct Naive {
    sets: Vec<Vec<usize>>,
    graphs: [Vec<BTreeSet<usize>>; 2],
}

impl Naive {
    fn of(open: &mut Open) -> Option<Self> {
        let (n, held) = (stated(open, "vertices")?, stated(open, "held")?);
        let edges: Vec<Vec<usize>> = combinations(n, 2);
        let all: Vec<Vec<usize>> = combinations(edges.len(), n);
        let mut graphs = [Vec::new(), Vec::new()];
        for chosen in all {
            let ends: Vec<Vec<usize>> = chosen.iter().map(|edge| edges[*edge].clone()).collect();
            if is_cycle_problem(&ends, n) {
                let mut seen = BTreeSet::from([0]);
                for _ in 0..n {
                    for edge in &ends {
                        if edge.iter().any(|end| seen.contains(end)) {
                            seen.extend(edge.iter().copied());
                        }
                    }
                }
                graphs[usize::from(seen.len() < n)].push(chosen.into_iter().collect());
            }
        }
        Some(Self {
            sets: combinations(edges.len(), held),
            graphs,
        })
    }

    fn conflict(&self, a: usize, b: usize) -> bool {
        let rests = |set: &[usize], kind: usize| -> BTreeSet<Vec<usize>> {
            let fits = self.graphs[kind]
                .iter()
                .filter(|graph| set.iter().all(|edge| graph.contains(edge)));
            fits.map(|graph| {
                graph
                    .iter()
                    .filter(|edge| !set.contains(edge))
                    .copied()
                    .collect()
            })
            .collect()
        };
        let (Some(a), Some(b)) = (self.sets.get(a), self.sets.get(b)) else {
            return false;
        };
        !rests(a, 0).is_disjoint(&rests(b, 1)) || !rests(a, 1).is_disjoint(&rests(b, 0))
    }
}

fn combinations(n: usize, k: usize) -> Vec<Vec<usize>> {
    if k == 0 {
        return vec![Vec::new()];
    }
    (0..n)
        .flat_map(|first| {
            combinations(n - first - 1, k - 1)
                .into_iter()
                .map(move |rest| {
                    std::iter::once(first)
                        .chain(rest.into_iter().map(|place| first + 1 + place))
                        .collect()
                })
        })
        .collect()
}

/// *Naive*: two sets in conflict of one colour. A colour more is wrong, too: there is no such clique.
fn colour_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let naive = Naive::of(open)?;
    let colours = open.body("split_colouring")?["colours"].as_array_mut()?;
    let place = random.below(colours.len());
    let most = colours.iter().filter_map(Json::as_u64).max()?;
    let old = colours[place].clone();
    let other = random.below(usize::try_from(most).ok()? + 3);
    colours[place] = json!(other);
    let all: Vec<usize> = colours
        .iter()
        .filter_map(Json::as_u64)
        .filter_map(|c| usize::try_from(c).ok())
        .collect();
    let improper =
        (0..all.len()).any(|set| set != place && all[set] == other && naive.conflict(place, set));
    let more = other as u64 > most;
    (old != colours[place] && (improper || more)).then_some(&[NotSeparated, Bound])
}

/// *Form.*
fn colour_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let colours = open.body("split_colouring")?["colours"].as_array_mut()?;
    colours.remove(random.below(colours.len()));
    Some(&[Size])
}

/// *Naive*: some pair is not in conflict, or a set does not exist.
fn clique_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let naive = Naive::of(open)?;
    let clique = open.body("split_colouring")?["clique"].as_array_mut()?;
    let place = random.below(clique.len());
    clique[place] = json!(random.below(naive.sets.len() + 60));
    let all: Vec<usize> = clique
        .iter()
        .filter_map(Json::as_u64)
        .filter_map(|c| usize::try_from(c).ok())
        .collect();
    let outside = all.iter().any(|member| *member >= naive.sets.len());
    let apart = (0..all.len()).all(|i| (0..i).all(|j| naive.conflict(all[i], all[j])));
    (outside || !apart).then_some(&[Coverage, NotSeparated])
}

/// *Unique*: fewer than the colours.
fn clique_member_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let clique = open.body("split_colouring")?["clique"].as_array_mut()?;
    clique.remove(random.below(clique.len()));
    Some(&[Bound])
}
