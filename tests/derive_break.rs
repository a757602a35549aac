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

// --- random games against the solver ---

#[cfg(feature = "cadical")]
mod against_the_solver {
    use foolproof::audit::solve::{Ask, Outcome, settle};
    use foolproof::evidence::ledger::edges_of;
    use foolproof::evidence::verify::Options;
    use foolproof::file::constants::Overrides;
    use foolproof::file::expr::Limits;
    use foolproof::file::{Setting, Source, Tree, setting};
    use foolproof::search::ledger::find;
    use foolproof::search::solve::{Method, Stats};
    use serde_json::{Value as Json, json};

    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % n
        }

        fn one(&mut self, list: &[u64]) -> u64 {
            list[usize::try_from(self.below(list.len() as u64)).unwrap()]
        }
    }

    /// A small hybrid game with alphabets near the threshold, as a file.
    fn game(random: &mut Random) -> Json {
        let steps = if random.below(5) == 0 { 3 } else { 2 };
        let start = 1 + random.below(2);
        let (ranges, queries) = if steps == 3 {
            (vec![2, 2, 2], vec![1, 1])
        } else {
            (vec![2, 2 + random.below(2)], vec![1 + random.below(2)])
        };
        let words: &[&str] = if steps == 3 {
            &["R", "F", "FF", "FRF", "FFR", "FFF", "FFFR"]
        } else {
            &["F", "FR", "FRR", "RF", "FF", "FFR", "FRF", "FFF"]
        };
        let word = words[usize::try_from(random.below(words.len() as u64)).unwrap()];
        let top = i64::from(steps);
        let sizes: &[u64] = random
            .below(2)
            .checked_sub(1)
            .map_or(&[1, 1, 2], |_| &[1, 2, 2, 3]);
        let mut epochs: Vec<Json> = Vec::new();
        for letter in word.chars() {
            let mut edges = serde_json::Map::new();
            if letter == 'F' {
                for from in 0..=top {
                    for to in -1..from {
                        edges.insert(format!("{from}>{to}"), json!(random.one(sizes).to_string()));
                    }
                }
                epochs.push(json!({"soft": edges, "linear": []}));
            } else {
                for from in 0..=top {
                    edges.insert(
                        format!("{from}>{}", from - 1),
                        json!(random.one(sizes).to_string()),
                    );
                }
                if epochs.is_empty() {
                    epochs.push(json!({"soft": {}, "linear": []}));
                }
                let last = epochs.last_mut().unwrap();
                last["linear"]
                    .as_array_mut()
                    .unwrap()
                    .push(Json::Object(edges));
            }
        }
        let texts = |list: &[u64]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        json!({"family": {"hybrid": {
            "steps": steps.to_string(), "start": start.to_string(), "ranges": texts(&ranges),
            "queries": texts(&queries), "epoch": epochs,
        }}})
    }

    fn build(file: &Json) -> Setting {
        let tree = Tree::from_json(file);
        setting::resolve(
            &Source::new("random", ""),
            &tree,
            &Overrides::new(),
            Limits::default(),
        )
        .unwrap()
    }

    fn exists(setting: &Setting, method: Method) -> Option<bool> {
        let ask = Ask {
            method,
            ..Ask::default()
        };
        match settle(
            setting,
            "RANDOM",
            &ask,
            &Options::default(),
            &mut Stats::default(),
        ) {
            Ok(Outcome::Settled(settled)) => Some(settled.exists),
            Ok(Outcome::Undecided(_)) | Err(_) => None,
            Ok(Outcome::Contradiction(reason)) => panic!("{reason}"),
        }
    }

    #[test]
    fn no_random_game_that_is_solvable_is_excluded() {
        let mut random = Random(5);
        let (mut closed, mut by_solver) = (0, 0);
        // DERIVE_ALL=1: all 10,000
        let games = if std::env::var_os("DERIVE_ALL").is_some() {
            10_000
        } else {
            500
        };
        for number in 0..games {
            let file = game(&mut random);
            let setting = build(&file);
            if find(&edges_of(&setting).unwrap()).point.is_none() {
                continue;
            }
            closed += 1;
            // the evidence of the ledger, through the verifier, for some
            if closed % 16 == 0 {
                assert_eq!(
                    exists(&setting, Method::Ledger),
                    Some(false),
                    "{number}: {file}"
                );
            }
            let answer = exists(&setting, Method::Sat);
            assert_ne!(
                answer,
                Some(true),
                "{number}: solvable, but excluded: {file}"
            );
            by_solver += u32::from(answer.is_some());
        }
        println!("{closed} of {games} closed, {by_solver} of them decided by solve");
        assert!(
            closed > 0 && 2 * by_solver > closed,
            "{closed} closed, {by_solver} decided"
        );
    }

    #[test]
    fn no_shared_toy_that_is_solvable_is_excluded() {
        let truth: Json = serde_json::from_str(include_str!("data/hybrid-instances.json")).unwrap();
        let mut closed = 0;
        for row in truth.as_array().unwrap() {
            let texts = |json: &Json| {
                let list = json.as_array().unwrap().iter();
                list.map(ToString::to_string).collect::<Vec<_>>()
            };
            let strings = |map: &Json| {
                let map = map.as_object().unwrap().iter();
                Json::Object(
                    map.map(|(edge, size)| (edge.clone(), json!(size.to_string())))
                        .collect(),
                )
            };
            let epochs: Vec<Json> = row["epochs"]
                .as_array()
                .unwrap()
                .iter()
                .map(|epoch| {
                    let linear: Vec<Json> = epoch["linear"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(strings)
                        .collect();
                    json!({"soft": strings(&epoch["soft"]), "linear": linear})
                })
                .collect();
            let file = json!({"family": {"hybrid": {
                "steps": row["steps"].to_string(), "start": row["start"].to_string(),
                "ranges": texts(&row["ranges"]), "queries": texts(&row["queries"]), "epoch": epochs,
            }}});
            let found = find(&edges_of(&build(&file)).unwrap()).point.is_some();
            closed += u32::from(found);
            assert!(!(found && row["verdict"] == "SAT"), "{}", row["id"]);
        }
        println!("{closed} toys closed");
        assert!(closed > 0);
    }
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
