//! Tries to break the derived bounds: games that are solvable must never be excluded, the fixing lemmas are run on random protocols, and
//! damaged certificates must be rejected.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::type_complexity,
    reason = "a test may fail"
)]

use foolproof::bounds::derive::exhaust::{Region, least};
use foolproof::bounds::derive::{Answer, Cost, Layout, Mode, Params, Senders, check};
use foolproof::evidence::verify::{Options, verify_bytes};
use foolproof::evidence::{Outcome, canonical, digest};
use num_bigint::BigUint;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

fn big(x: u64) -> BigUint {
    BigUint::from(x)
}

fn layout(steps: usize, passes: &[u64]) -> Layout {
    Layout::new(steps, passes.iter().map(|a| big(*a)).collect()).unwrap()
}

fn ceil_log2(x: u64) -> u64 {
    u64::from(64 - (x - 1).leading_zeros())
}

/// All points with these tables and small lists.
fn points(m: u64, n: &[u64]) -> Vec<Params> {
    let mut used: Vec<Vec<u64>> = vec![Vec::new()];
    for most in n {
        used = used
            .iter()
            .flat_map(|list| (1..=*most).map(|np| [list.clone(), vec![np]].concat()))
            .collect();
    }
    let mut lists: Vec<Vec<u64>> = (1..=m).map(|x| vec![x]).collect();
    for _ in n {
        lists = lists
            .iter()
            .flat_map(|list| (1..=4).map(|x| [list.clone(), vec![x]].concat()))
            .collect();
    }
    let all = |list: &[u64]| list.iter().map(|x| big(*x)).collect::<Vec<_>>();
    used.iter()
        .flat_map(|np| {
            lists.iter().map(|x| Params {
                m: big(m),
                n: all(n),
                np: all(np),
                x: all(x),
            })
        })
        .collect()
}

/// Soft and linear alphabets of one epoch, by receiver.
fn edges(epoch: &Json) -> Vec<(i64, u64)> {
    let soft = epoch["soft"].as_object().unwrap();
    soft.iter()
        .map(|(edge, size)| {
            (
                edge.split_once('>').unwrap().1.parse().unwrap(),
                size.as_u64().unwrap(),
            )
        })
        .collect()
}

#[test]
fn nothing_that_a_solver_solves_is_excluded() {
    let truth: Json = serde_json::from_str(include_str!("data/hybrid-game.json")).unwrap();
    let (mut tried, mut excluded) = (0, 0);
    for row in truth["instances"].as_array().unwrap() {
        let family = &row["family"];
        let steps = usize::try_from(family["L"].as_u64().unwrap()).unwrap();
        let numbers = |key: &str| {
            family[key]
                .as_array()
                .unwrap()
                .iter()
                .map(|x| x.as_u64().unwrap())
                .collect::<Vec<_>>()
        };
        let (ranges, queries) = (numbers("m"), numbers("n"));
        let solvable = match row["verdict"].as_str().unwrap() {
            "SAT" => true,
            "UNSAT" => false,
            _ => continue,
        };
        if steps < 2 {
            continue;
        }
        let mut epochs: Vec<&Json> = row["epochs"].as_array().unwrap().iter().collect();
        let mut passes = Vec::new();
        if epochs.first().is_some_and(|epoch| {
            epoch["soft"].as_object().unwrap().is_empty()
                && !epoch["linear"].as_array().unwrap().is_empty()
        }) {
            passes.push(epochs.remove(0)["linear"].as_array().unwrap().len() as u64);
        } else {
            passes.push(0);
        }
        passes.extend(
            epochs
                .iter()
                .map(|epoch| epoch["linear"].as_array().unwrap().len() as u64),
        );
        let carry = row["epochs"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|epoch| epoch["linear"].as_array().unwrap())
            .flat_map(|pass| {
                pass.as_object()
                    .unwrap()
                    .values()
                    .map(|size| ceil_log2(size.as_u64().unwrap()))
                    .collect::<Vec<_>>()
            });
        let carry = carry.max().unwrap_or(0);
        let layout = layout(steps, &passes);
        // every sub-instance of the shape that the ledger is about
        for m in 1..=family["D0"].as_u64().unwrap().min(ranges[0]) {
            let (mut sizes, mut tables) = (vec![m], Vec::new());
            for (l, most) in queries.iter().enumerate() {
                let n = (*most).min(ranges[l + 1] / sizes[l]);
                tables.push(n);
                sizes.push(n * sizes[l]);
            }
            if tables.contains(&0) {
                continue;
            }
            let tokens = |receiver: i64| {
                usize::try_from(receiver)
                    .ok()
                    .filter(|i| *i > 0)
                    .map_or(1, |i| sizes[i - 1])
            };
            let soft = epochs
                .iter()
                .flat_map(|epoch| edges(epoch))
                .map(|(to, size)| ceil_log2(size).div_ceil(tokens(to)));
            let cost = Cost {
                soft: big(soft.max().unwrap_or(0).max(1)),
                carry: big(carry),
                senders: Senders::Separate,
                mode: Mode::Coarse,
            };
            for params in points(m, &tables) {
                let Ok(ledger) = check(&layout, &cost, &params) else {
                    continue;
                };
                tried += 1;
                if ledger.answer() == Answer::Proved {
                    excluded += 1;
                    assert!(
                        !solvable,
                        "{} is solvable but excluded by {params:?}",
                        row["id"]
                    );
                }
            }
        }
    }
    assert!(
        tried > 1000,
        "only {tried} ledgers were tried ({excluded} closed)"
    );
}

/// Whether one of the known protocols solves these tables.
fn easy(layout: &Layout, cost: &Cost, params: &Params) -> bool {
    let mut ranges = vec![params.m.clone()];
    for n in &params.n {
        ranges.push(n * &ranges[ranges.len() - 1]);
    }
    let bits = |x: &BigUint| BigUint::from((x - 1_u32).bits());
    let (steps, s) = (layout.steps(), &cost.soft);
    let names_all = *s >= bits(&ranges[steps - 1]);
    let (first, second) = (layout.pass(0), layout.pass(1));
    if layout.full_layers() == steps {
        let fetch = (1..steps).any(|l| *s >= &params.n[l - 1] * bits(&ranges[l]))
            || *s >= &params.m * bits(&ranges[1]);
        let relay = (first > big(0) || second > big(0)) && cost.carry >= bits(&params.m);
        return names_all && (fetch || relay);
    }
    // one full layer, L = 2: the recurrent layers carry all of z_2
    steps == 2
        && layout.full_layers() == 1
        && names_all
        && &cost.carry * layout.pass(1) >= &ranges[1] * bits(&ranges[1])
}

#[test]
fn no_point_with_a_known_protocol_is_excluded() {
    let mut closed = 0;
    for passes in [
        &[0, 0, 0][..],
        &[0, 0, 1],
        &[0, 0, 3],
        &[0, 0],
        &[0, 1],
        &[0, 5],
        &[1, 1],
        &[0, 1, 0],
        &[0, 2, 1],
    ] {
        let layout = layout(2, passes);
        for (s, c) in [(1, 1), (2, 1), (4, 4), (6, 2)] {
            for (senders, mode) in [
                (Senders::Separate, Mode::Refined),
                (Senders::Merged, Mode::Refined),
                (Senders::Separate, Mode::Coarse),
            ] {
                let cost = Cost {
                    soft: big(s),
                    carry: big(c),
                    senders,
                    mode,
                };
                for m in [1, 2, 3, 6] {
                    for n in [1, 2, 4] {
                        for params in points(m, &[n]) {
                            if check(&layout, &cost, &params).unwrap().answer() == Answer::Proved {
                                closed += 1;
                                assert!(
                                    !easy(&layout, &cost, &params),
                                    "{layout:?} {cost:?} {params:?}"
                                );
                            }
                        }
                    }
                }
                for nontrivial in [false, true] {
                    if let Ok(found) = least(
                        &layout,
                        &cost,
                        Region {
                            below: 60,
                            nontrivial,
                        },
                        1 << 22,
                    ) && let Some((_, params)) = found.best
                    {
                        assert!(
                            !easy(&layout, &cost, &params),
                            "{layout:?} {cost:?} {params:?}"
                        );
                    }
                }
            }
        }
    }
    assert!(closed > 100, "only {closed} points closed");
}

#[test]
fn the_chain_rule_control() {
    // a carry that might look at all groups would solve this game, so the ledger is about chains only
    let cost = Cost {
        soft: big(1),
        carry: big(6),
        senders: Senders::Separate,
        mode: Mode::Refined,
    };
    let params = Params {
        m: big(3),
        n: vec![big(2)],
        np: vec![big(2)],
        x: vec![big(1), big(3)],
    };
    let ledger = check(&layout(2, &[0, 1]), &cost, &params).unwrap();
    assert_eq!(
        (
            ledger.answer(),
            ledger.deficit.clone(),
            ledger.option.number(),
            ledger.length.clone()
        ),
        (Answer::Proved, big(12), 2, big(11))
    );
}

// --- the fixing lemmas on random protocols, L = 2, cuts between the tables ---

const N1: u64 = 2;
const TABLES_2: u64 = 1024;
const TABLES_1: u64 = 4;

/// A protocol: every symbol is a pseudo-random function of what its sender may see.
struct Random {
    seed: u64,
    soft: u64,
    linear: u64,
    passes: Vec<usize>,
    chain: bool,
}

/// States of G_2, G_1, z_0, w: everything seen so far.
type States = [Vec<u64>; 4];

impl Random {
    fn symbol(&self, tag: &[u64], seen: &[&[u64]], size: u64) -> u64 {
        let mut h = self.seed ^ 0x9e37_79b9_7f4a_7c15;
        let parts = tag.iter().copied().chain(
            seen.iter()
                .flat_map(|part| part.iter().copied().chain([u64::MAX])),
        );
        for x in parts {
            h = (h ^ x).wrapping_mul(0xff51_afd7_ed55_8ccd);
            h ^= h >> 32;
            h = h.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
            h ^= h >> 29;
        }
        // half of all slots say nothing, so that classes stay large
        let quiet = tag.iter().fold(self.seed, |h, x| {
            (h ^ x).wrapping_mul(0x2545_f491_4f6c_dd1d) ^ (h >> 7)
        }) >> 60;
        if quiet < 8 { 0 } else { h % size }
    }

    fn pass(&self, states: &mut States, tag: u64) {
        let before = states.clone();
        let mut carry = Vec::new();
        for group in 0..3 {
            let all: Vec<u64> = before[..=group].concat();
            let sight: &[u64] = if self.chain { &before[group] } else { &all };
            let next = self.symbol(&[2, tag, group as u64], &[&carry, sight], self.linear);
            carry = vec![next];
            states[group + 1].push(next);
        }
    }

    /// The states after each epoch, from epoch 0 on.
    fn run(&self, z2: u64, z1: u64, z0: u64, w: u64) -> Vec<States> {
        let mut states: States = [vec![z2], vec![z1], vec![z0], vec![w]];
        let mut record = Vec::new();
        for (epoch, passes) in self.passes.iter().enumerate() {
            if epoch > 0 {
                let before = states.clone();
                for (to, state) in states.iter_mut().enumerate() {
                    // the group of table 1 has M tokens
                    let size = if to == 1 { self.soft.pow(2) } else { self.soft };
                    for from in 0..to {
                        let tag = [1, epoch as u64, from as u64, to as u64];
                        state.push(self.symbol(&tag, &[&before[from], &before[to]], size));
                    }
                }
            }
            for pass in 0..*passes {
                self.pass(&mut states, (epoch * 8 + pass) as u64);
            }
            record.push(states.clone());
        }
        record
    }
}

/// The largest class of `all` by a key.
fn largest_class(all: &[u64], key: impl Fn(u64) -> Vec<u64>) -> Vec<u64> {
    let mut classes: BTreeMap<Vec<u64>, Vec<u64>> = BTreeMap::new();
    for x in all {
        classes.entry(key(*x)).or_default().push(*x);
    }
    classes.into_values().max_by_key(Vec::len).unwrap()
}

fn constant<T: PartialEq>(mut values: impl Iterator<Item = T>) -> bool {
    let first = values.next();
    values.all(|value| Some(value) == first)
}

const Z0: [u64; 2] = [0, 1];

/// What a group has received across the cut right of G_2: all symbols from G_2, and carries out of it.
fn heard(before: &[u64], after: &[u64]) -> Vec<u64> {
    after[before.len()..].to_vec()
}

/// Lemma 4 as the last step, r = 2: true if the states after epoch 2 depend on what the lemma says.
fn long_start(protocol: &Random, forget_list: bool) -> bool {
    let all: Vec<u64> = (0..TABLES_2).collect();
    let tables: Vec<u64> = (0..TABLES_1).collect();
    // popular digests of table 1 to w, for all w
    let z1s = largest_class(&tables, |z1| {
        (0..N1)
            .map(|w| protocol.run(0, z1, 0, w)[1][3][2])
            .collect()
    });
    let z1s: Vec<u64> = z1s.into_iter().take(2).collect();
    // the symbols of G_2 at epoch e to a receiver stand first in what the epoch adds; carries across cut 2 are in the state of G_1
    let soft = |z2: u64, z1: u64, z0: u64, w: u64, epoch: usize, to: usize| {
        let runs = protocol.run(z2, z1, z0, w);
        heard(&runs[epoch - 1][to], &runs[epoch][to])[0]
    };
    let carries = |z2: u64, epoch: usize| {
        let runs = protocol.run(z2, z1s[0], 0, 0);
        heard(&runs[epoch - 1][1], &runs[epoch][1])[1..].to_vec()
    };
    let first = largest_class(&all, |z2| {
        let mut key: Vec<u64> = (0..N1).map(|w| soft(z2, z1s[0], 0, w, 1, 3)).collect();
        key.extend(Z0.iter().map(|z0| soft(z2, z1s[0], *z0, 0, 1, 2)));
        key.extend(z1s.iter().map(|z1| soft(z2, *z1, 0, 0, 1, 1)));
        key.extend(carries(z2, 1));
        key
    });
    let kept = largest_class(&first, |z2| {
        let mut key: Vec<u64> = (0..N1)
            .flat_map(|w| Z0.map(|z0| soft(z2, z1s[0], z0, w, 2, 3)))
            .collect();
        let lists: &[u64] = if forget_list { &z1s[..1] } else { &z1s };
        key.extend(Z0.iter().flat_map(|z0| {
            lists
                .iter()
                .map(|z1| soft(z2, *z1, *z0, 0, 2, 2))
                .collect::<Vec<_>>()
        }));
        key.extend(z1s.iter().map(|z1| soft(z2, *z1, 0, 0, 2, 1)));
        key.extend(carries(z2, 2));
        key
    });
    invariant(protocol, &kept, &z1s)
}

/// Lemma 4' and Lemma 2 as the last step, r = 1.
fn short_start(protocol: &Random) -> bool {
    let pairs: Vec<u64> = (0..TABLES_2 * TABLES_1).collect();
    let before = protocol.passes[0];
    // the carries of epoch 0 into z_0 are functions of both tables
    let kept = largest_class(&pairs, |pair| {
        protocol.run(pair / TABLES_1, pair % TABLES_1, 0, 0)[0][2][1..].to_vec()
    });
    let kept: std::collections::BTreeSet<u64> = kept.into_iter().collect();
    let in_all = |z1s: &[u64]| {
        (0..TABLES_2)
            .filter(|z2| z1s.iter().all(|z1| kept.contains(&(z2 * TABLES_1 + z1))))
            .collect::<Vec<_>>()
    };
    let z1s = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
        .into_iter()
        .max_by_key(|list| in_all(list).len())
        .unwrap();
    let set = in_all(&z1s);
    let key = |z2: u64| {
        let at = |z1: u64, z0: u64, w: u64, to: usize| {
            let runs = protocol.run(z2, z1, z0, w);
            heard(&runs[0][to], &runs[1][to])[0]
        };
        let mut key: Vec<u64> = z1s.iter().map(|z1| at(*z1, 0, 0, 1)).collect();
        key.extend(Z0.iter().map(|z0| at(z1s[0], *z0, 0, 2)));
        key.extend((0..N1).flat_map(|w| Z0.map(|z0| at(z1s[0], z0, w, 3))));
        let runs = protocol.run(z2, z1s[0], 0, 0);
        key.extend(&runs[0][1][1..=before]);
        key.extend(&heard(&runs[0][1], &runs[1][1])[1..]);
        key
    };
    set.is_empty() || invariant(protocol, &largest_class(&set, key), &z1s)
}

/// Inv(2, r): the final states depend on (z_1), (z_0, z_1), (w, z_0, z_1) only.
fn invariant(protocol: &Random, kept: &[u64], z1s: &[u64]) -> bool {
    z1s.iter().all(|z1| {
        Z0.iter().all(|z0| {
            (0..N1).all(|w| {
                let ends: Vec<States> = kept
                    .iter()
                    .map(|z2| protocol.run(*z2, *z1, *z0, w).pop().unwrap())
                    .collect();
                (1..4).all(|group| constant(ends.iter().map(|states| &states[group])))
            })
        })
    })
}

fn protocols(passes: &[usize], chain: bool) -> impl Iterator<Item = Random> {
    let passes = passes.to_vec();
    (0..32).map(move |seed| Random {
        seed,
        soft: 2,
        linear: 2 + seed % 2,
        passes: passes.clone(),
        chain,
    })
}

#[test]
fn the_fixing_lemmas_hold_for_random_protocols() {
    for passes in [[0, 0, 0], [0, 0, 1], [0, 0, 2]] {
        assert!(
            protocols(&passes, true).all(|protocol| long_start(&protocol, false)),
            "{passes:?}"
        );
    }
    for passes in [[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]] {
        assert!(
            protocols(&passes, true).all(|protocol| short_start(&protocol)),
            "{passes:?}"
        );
    }
}

#[test]
fn the_controls_of_the_fixing_lemmas_fail() {
    // the ledger of a_1 = 0 where a_1 = 1
    assert!(protocols(&[0, 1, 0], true).any(|protocol| !long_start(&protocol, false)));
    // without the multiplicity x_1 of token z_0
    assert!(protocols(&[0, 0, 1], true).any(|protocol| !long_start(&protocol, true)));
    // carries that see all groups
    assert!(protocols(&[0, 0, 1], false).any(|protocol| !long_start(&protocol, false)));
}

// --- mutants of certificates ---

/// The committed file, changed and sealed again.
fn mutant(id: &str, change: impl Fn(&mut Json)) -> Outcome {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("witnesses")
        .join(format!("{id}.json"));
    let mut json: Json = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    change(&mut json);
    let plain = json!({"spec": json["spec"], "statement": json["statement"]});
    json["digest"] = json!(digest::of_bytes(canonical::text(&plain).as_bytes()));
    json.as_object_mut().unwrap().remove("seal");
    json["seal"] = json!(digest::of_bytes(canonical::text(&json).as_bytes()));
    verify_bytes(
        &format!("{id}.json"),
        (canonical::text(&json) + "\n").as_bytes(),
        &BTreeMap::new(),
        &Options::default(),
    )
}

fn rejected(id: &str, code: &str, change: impl Fn(&mut Json)) {
    match mutant(id, change) {
        Outcome::Rejected(rejection) => {
            assert_eq!(rejection.code.to_string(), code, "{id}: {rejection}");
        }
        other => panic!("{id}: {other:?}"),
    }
}

fn minus_one(json: &mut Json) {
    let number: u64 = json.as_str().unwrap().parse().unwrap();
    *json = json!((number - 1).to_string());
}

fn plus_one(json: &mut Json) {
    let number: u64 = json.as_str().unwrap().parse().unwrap();
    *json = json!((number + 1).to_string());
}

#[test]
fn mutants_are_rejected() {
    assert!(matches!(mutant("FF-4642", |_| ()), Outcome::Accepted(_)));
    let at = |path: &'static str, change: fn(&mut Json)| {
        move |json: &mut Json| {
            change(
                json.pointer_mut(&format!("/evidence/0/derive_bound{path}"))
                    .unwrap(),
            );
        }
    };
    // theta one too large; a row lowered by one; other numbers
    rejected("FF-4642", "bound", at("/theta/0", plus_one));
    rejected(
        "FF-4642",
        "arithmetic",
        at("/steps/0/rows/1/bits", minus_one),
    );
    rejected(
        "FF-4642",
        "arithmetic",
        at("/steps/0/coverage/k", minus_one),
    );
    rejected("FF-4642", "arithmetic", at("/final/D", minus_one));
    rejected("FF-4642", "arithmetic", at("/n", minus_one));
    rejected(
        "FF-4642",
        "arithmetic",
        at("/trivial", |json| *json = json!(true)),
    );
    rejected(
        "FF-4642",
        "arithmetic",
        at("/steps/0/base", |json| *json = json!(false)),
    );
    rejected("FF-4642", "domain", at("/q", |json| *json = json!(0)));
    // a smaller theta is a valid ledger, but it does not close, and its other numbers differ
    rejected("FF-4642", "arithmetic", at("/theta/0", minus_one));
    // the other sender rule, the other mode, in the certificate alone and in the statement too
    rejected(
        "L3-FF",
        "arithmetic",
        at("/cost/senders", |json| *json = json!("merged")),
    );
    rejected("L3-FF-MERGED", "bound", |json| {
        json["statement"]["derive"]["senders"] = json!("separate");
        json["evidence"][0]["derive_bound"]["cost"]["senders"] = json!("separate");
    });
    rejected("FF-4642", "arithmetic", |json| {
        json["statement"]["derive"]["mode"] = json!("coarse");
        json["evidence"][0]["derive_bound"]["cost"]["mode"] = json!("coarse");
    });
    // a_1 from 0 to 1 at r = L
    rejected("FF-4642", "bound", |json| {
        json["statement"]["derive"]["linear"][0] = json!("1");
        json["evidence"][0]["derive_bound"]["layout"]["passes"][1] = json!("1");
    });
    // n' above n
    rejected("FF-4642", "domain", |json| {
        json["statement"]["derive"]["proved"]["np"][0] = json!("5");
        json["evidence"][0]["derive_bound"]["params"]["np"][0] = json!("5");
    });
    rejected("FF-4642", "bound", |json| {
        json["verdict"] = json!("refuted");
    });
    rejected("FF-4641", "bound", |json| {
        json["verdict"] = json!("established");
    });
    rejected("FR-A1-LEAST", "bound", |json| {
        json["statement"]["derive"]["tokens_at_most"] = json!("13");
    });
    rejected("FR-A1-BELOW", "arithmetic", |json| {
        minus_one(&mut json["evidence"][0]["derive_exhausted"]["points"]);
    });
    rejected("FR-A1-BELOW", "kind-mismatch", |json| {
        json["verdict"] = json!("established");
    });
    rejected("FR-A1-BELOW", "arithmetic", |json| {
        json["statement"]["derive"]["tokens_at_most"] = json!("14");
    });
    // a refuted point whose choices could be better
    rejected("EXP-FULL-L2", "bound", |json| {
        json["verdict"] = json!("refuted");
    });
    rejected("EXP-FULL-L2", "bound", |json| {
        json["statement"]["derive"]["exponent"] = json!("1/3");
    });
    rejected("EXP-FULL-L3", "bound", |json| {
        let vector = json["evidence"][0]["derive_exponent"]["duals"][0]["y"]
            .as_object_mut()
            .unwrap();
        let first = vector.values_mut().next().unwrap();
        *first = json!(format!("-{}", first.as_str().unwrap()));
    });
    rejected("EXP-FULL-L3", "coverage", |json| {
        json["evidence"][0]["derive_exponent"]["duals"]
            .as_array_mut()
            .unwrap()
            .pop();
    });
    rejected("EXP-FULL-L3", "domain", |json| {
        json["evidence"][0]["derive_exponent"]["primal"]["x"]["nothing"] = json!("1");
    });
    rejected("EXP-SHORT-L3", "bound", |json| {
        json["statement"]["derive"]["linear"] = json!(["0", "1", "1"]);
    });
}

#[test]
fn strict_coverage_at_equality_is_rejected() {
    // v = 2, t = x_0, k = 1: C(2,1) 1^q 2^b = 2^(b+1) against 2^q; equality at b = q - 1, strict in the product case
    let (cost, params) = (
        Cost {
            soft: big(3),
            carry: big(0),
            senders: Senders::Separate,
            mode: Mode::Refined,
        },
        Params {
            m: big(2),
            n: vec![big(1)],
            np: vec![big(1)],
            x: vec![big(2), big(1)],
        },
    );
    let ledger = check(&layout(2, &[0, 0, 0]), &cost, &params).unwrap();
    assert_eq!(
        (
            ledger.steps[0].rectangle.strict,
            ledger.steps[0].theta.clone()
        ),
        (true, big(1))
    );
}
