//! Mutants of evidence about models: a command (its static part), and models given by a file.
//!
//! The bases are made here, with the library: this evidence is not committed. An *unsaid* change of the file of a command, such as
//! another state, is no mutant: without the command nobody can know.

use crate::draft::Draft;
use crate::{Answer, Random, python, rust_answer};
use foolproof::evidence::exact::{Exact, Forgotten, Subject};
use foolproof::evidence::external::{Command, External};
use foolproof::evidence::{canonical, digest};
use foolproof::models::spec::{Readout, Rule, SpecModel};
use foolproof::models::task::{Encoding, Task};
use foolproof::models::wire::Hello;
use num_bigint::BigInt;
use num_rational::BigRational;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// Mutants per kind.
const EACH: u64 = 1_000;

/// A generator that changes one thing, and the codes that are right for it; `None` if it has no place.
type Change = fn(&mut Json, &mut Random) -> Option<&'static [&'static str]>;

fn body(json: &mut Json) -> &mut Json {
    let item = json["evidence"][0].as_object_mut().unwrap();
    item.values_mut().next().unwrap()
}

fn inside(json: &mut Json) -> &mut Json {
    let spec = json["spec"].as_object_mut().unwrap();
    spec.values_mut().next().unwrap()
}

/// Some side; only evidence with sides has one.
fn side<'a>(json: &'a mut Json, random: &mut Random) -> Option<&'a mut Json> {
    let sides = body(json).get_mut("sides")?.as_array_mut()?;
    let number = random.below(sides.len());
    Some(&mut sides[number])
}

fn bump(list: &mut Json, random: &mut Random) -> Option<()> {
    let list = list.as_array_mut().filter(|list| !list.is_empty())?;
    let place = random.below(list.len());
    let number = list[place].as_u64()?;
    list[place] = json!(number + 1 + random.next() % 40);
    Some(())
}

fn drop_key(map: &mut Json, random: &mut Random) -> Option<()> {
    let map = map.as_object_mut().filter(|map| !map.is_empty())?;
    let key = map.keys().nth(random.below(map.len()))?.clone();
    map.remove(&key);
    Some(())
}

/// Changes of evidence with sides.
const PAIR: &[(&str, Change)] = &[
    ("tokens", |json, random| {
        bump(&mut side(json, random)?["tokens"], random)?;
        Some(&["alphabet"])
    }),
    ("required", |json, random| {
        bump(&mut side(json, random)?["required"], random)?;
        Some(&["arithmetic"])
    }),
    ("prefix", |json, random| {
        bump(&mut side(json, random)?["prefix"], random)?;
        Some(&["domain", "alphabet"])
    }),
    ("out", |json, random| {
        // A lone side may have any wrong output; two have the same.
        if body(json)["sides"].as_array()?.len() != 2 {
            return None;
        }
        bump(&mut side(json, random)?["out"], random)?;
        Some(&["view-differs"])
    }),
    ("side-key-dropped", |json, random| {
        drop_key(side(json, random)?, random)?;
        Some(&["malformed"])
    }),
    ("side-key-added", |json, random| {
        side(json, random)?["more"] = json!(random.next() % 1000);
        Some(&["unknown-key"])
    }),
    ("side-twice", |json, random| {
        let sides = body(json).get_mut("sides")?.as_array_mut()?;
        let again = sides[random.below(sides.len())].clone();
        sides.push(again);
        Some(&["malformed", "common-answer"])
    }),
    ("sides-equal", |json, _| {
        let sides = body(json).get_mut("sides")?.as_array_mut()?;
        let [left, right] = sides.as_mut_slice() else {
            return None;
        };
        right.clone_from(left);
        Some(&["common-answer"])
    }),
    ("no-sides", |json, _| {
        *body(json).get_mut("sides")? = json!([]);
        Some(&["malformed"])
    }),
    ("right-answer", |json, random| {
        let sides = body(json).get_mut("sides")?.as_array_mut()?;
        let mut one = sides[random.below(sides.len())].clone();
        one["out"] = one["required"].clone();
        *sides = vec![one];
        Some(&["accepted"])
    }),
    ("suffix", |json, random| {
        bump(body(json).get_mut("suffix")?, random)?;
        Some(&["domain", "alphabet", "arithmetic"])
    }),
    ("task-size", |json, random| {
        let sizes = inside(json)["task"].as_object_mut()?.values_mut().next()?;
        let size = sizes.as_object_mut()?.values_mut().next()?;
        let more = size.as_str()?.parse::<u64>().ok()? + 1 + random.next() % 50;
        *size = json!(more.to_string());
        Some(&["malformed", "domain"])
    }),
    ("task-size-written-otherwise", |json, random| {
        let sizes = inside(json)["task"].as_object_mut()?.values_mut().next()?;
        let size = sizes.as_object_mut()?.values_mut().next()?;
        let text = size.as_str()?.to_owned();
        *size = [
            json!(format!("0{text}")),
            json!(format!("+{text}")),
            json!(text + " "),
        ][random.below(3)]
        .clone();
        Some(&["malformed"])
    }),
    ("task-key-added", |json, random| {
        let sizes = inside(json)["task"].as_object_mut()?.values_mut().next()?;
        sizes[format!("x{}", random.next() % 100)] = json!("1");
        Some(&["unknown-key"])
    }),
    ("task-unknown", |json, random| {
        inside(json)["task"] = json!({format!("task{}", random.next() % 100): {"n": "3"}});
        Some(&["unknown-kind"])
    }),
    // A token that no input uses may be another one.
    ("table-token", |json, random| {
        let table = ["values", "queries"][random.below(2)];
        let before = inside(json)["encoding"][table].as_array()?.clone();
        bump(&mut inside(json)["encoding"][table], random)?;
        let after = inside(json)["encoding"][table].as_array()?.clone();
        let (old, _) = before.iter().zip(&after).find(|(old, new)| old != new)?;
        let used = |side: &Json| {
            side["tokens"]
                .as_array()
                .is_some_and(|list| list.contains(old))
        };
        body(json)["sides"]
            .as_array()?
            .iter()
            .any(used)
            .then_some(())?;
        Some(&["malformed", "alphabet"])
    }),
    ("table-token-as-text", |json, random| {
        let table = inside(json)["encoding"]["values"].as_array_mut()?;
        let place = random.below(table.len());
        table[place] = json!(table[place].to_string());
        Some(&["malformed"])
    }),
    ("table-shorter", |json, random| {
        let table = ["values", "answers"][random.below(2)];
        inside(json)["encoding"][table].as_array_mut()?.pop()?;
        Some(&["malformed"])
    }),
    ("table-dropped", |json, random| {
        drop_key(&mut inside(json)["encoding"], random)?;
        Some(&["malformed"])
    }),
];

/// Changes of every file about a model.
const FRAME: &[(&str, Change)] = &[
    ("trust", |json, random| {
        json["trust"] = json!([format!("process:{}", random.next())]);
        Some(&["trust"])
    }),
    ("verdict", |json, _| {
        json["verdict"] = json!("refuted");
        Some(&["kind-mismatch"])
    }),
    ("scope", |json, _| {
        json["scope"] = json!("every-protocol-of-this-game");
        Some(&["scope-mismatch"])
    }),
    ("evidence-twice", |json, _| {
        let again = json["evidence"][0].clone();
        json["evidence"].as_array_mut()?.push(again);
        Some(&["kind-mismatch"])
    }),
    ("evidence-unknown", |json, random| {
        let body = body(json).clone();
        json["evidence"] = json!([{format!("kind{}", random.next() % 1000): body}]);
        Some(&["unknown-kind"])
    }),
    ("evidence-key-dropped", |json, random| {
        drop_key(body(json), random)?;
        Some(&["malformed"])
    }),
    ("evidence-key-added", |json, random| {
        body(json)[format!("more{}", random.next() % 1000)] = json!(1);
        Some(&["unknown-key"])
    }),
    ("spec-key-dropped", |json, random| {
        drop_key(inside(json), random)?;
        Some(&["malformed"])
    }),
    ("spec-key-added", |json, random| {
        inside(json)[format!("more{}", random.next() % 1000)] = json!(1);
        Some(&["unknown-key"])
    }),
    ("statement-key-added", |json, random| {
        let statement = json["statement"].as_object_mut()?.values_mut().next()?;
        statement[format!("more{}", random.next() % 1000)] = json!("1");
        Some(&["unknown-key"])
    }),
    ("statement-unknown", |json, random| {
        json["statement"] = json!({format!("kind{}", random.next() % 1000): {}});
        Some(&["unknown-kind"])
    }),
];

/// Changes of a horizon.
const HORIZON: &[(&str, Change)] = &[
    ("state", |json, random| {
        body(json)["state"] = json!(format!("{:08x}", random.next()));
        Some(&["replay"])
    }),
    ("before", |json, random| {
        let before = body(json)["before"].as_array_mut()?;
        before[random.below(2)] = json!(format!("{:08x}", random.next()));
        Some(&["replay"])
    }),
    ("place", |json, random| {
        let place = body(json)["place"].as_u64()?;
        body(json)["place"] = json!(place + 1 + random.next() % 300);
        Some(&["arithmetic"])
    }),
    ("tokens", |json, random| {
        json["statement"]["forgotten"]["tokens"] = json!((random.next() % 1_000_000).to_string());
        // One in a million is the right one.
        Some(&["domain"])
    }),
    ("end-of-one-side", |json, random| {
        let right = body(json)["right"].as_array_mut()?;
        let last = right.len() - 1 - random.below(5);
        right[last] = json!((right[last].as_u64()? + 1) % 2);
        Some(&["domain"])
    }),
    ("token-that-is-none", |json, random| {
        let left = body(json)["left"].as_array_mut()?;
        let place = random.below(left.len());
        left[place] = json!(2 + random.next() % 100);
        Some(&["alphabet"])
    }),
    ("gate", |json, random| {
        // Odd over 1024, while the right gates are over 4 and 2.
        let odd = 2 * (random.next() % 200) + 1;
        inside(json)["model"]["rule"]["linear"]["gates"] = json!([format!("{odd}/1024")]);
        Some(&["replay"])
    }),
    ("number-not-in-lowest-terms", |json, random| {
        let odd = 2 + random.next() % 200;
        inside(json)["model"]["rule"]["linear"]["keys"][0][0] = json!(format!("{}/{odd}", odd * 3));
        Some(&["malformed"])
    }),
];

fn command_base(task: Task, sides: &[(&[u64], &[u64])], suffix: &[u64]) -> Json {
    let encoding = Encoding::default_for(&task);
    let sides = sides
        .iter()
        .map(|(prefix, out)| External::side(&task, &encoding, prefix, suffix, out, None))
        .collect();
    let hello = Hello::read(r#"{"v":1,"vocab":40,"state":"hex"}"#).unwrap();
    let external = External {
        task,
        encoding,
        command: Command {
            words: vec!["python3".to_owned(), "model.py".to_owned()],
            executable: digest::of_bytes(b"python"),
            depends: BTreeMap::from([("model.py".to_owned(), digest::of_bytes(b"model"))]),
        },
        hello: hello.to_json(),
        suffix: suffix.to_vec(),
        sides,
    };
    serde_json::from_slice(&external.witness("RUN").to_bytes()).unwrap()
}

fn ratio(p: i32, q: i32) -> BigRational {
    BigRational::new(BigInt::from(p), BigInt::from(q))
}

/// `S = S + v` for two entries: only the sum is left.
fn pair_base() -> Json {
    let task = Task::Eva { n: 2 };
    let encoding = Encoding::default_for(&task);
    let rule = Rule::Linear {
        gates: vec![ratio(1, 1)],
        keys: vec![vec![ratio(1, 1)]; 2],
        values: (0..3).map(|value| vec![ratio(value, 1)]).collect(),
        by_position: true,
        format: None,
    };
    let queries = vec![vec![ratio(1, 1)]; 5];
    let readout = Readout::Linear {
        queries,
        largest: 1,
    };
    let model = SpecModel::new(rule, Some(readout)).unwrap();
    let suffix = vec![0];
    let sides = [[0, 1], [1, 0]].map(|prefix| {
        let mut side = External::side(&task, &encoding, &prefix, &suffix, &[], None);
        side.out = model.answer(&side.tokens).unwrap();
        side.state = Some(model.state_of(&side.prefix_tokens).unwrap().hex());
        side
    });
    let exact = Exact {
        model,
        subject: Subject::Pair {
            task,
            encoding,
            suffix,
            sides: sides.to_vec(),
        },
    };
    serde_json::from_slice(&exact.witness("RUN").to_bytes()).unwrap()
}

/// One number in f32 or bf16, two tokens.
fn horizon_base(format: foolproof::models::ieee::Format, gate: BigRational) -> Json {
    let rule = Rule::Linear {
        gates: vec![gate],
        keys: vec![vec![ratio(1, 1)]; 2],
        values: vec![vec![ratio(1, 3)], vec![ratio(-5, 7)]],
        by_position: false,
        format: Some(format),
    };
    let model = SpecModel::new(rule, None).unwrap();
    let state = |tokens: &[u64]| model.state_of(tokens).unwrap().hex();
    let input = |first: u64, tokens: usize| -> Vec<u64> {
        let rest = (0..tokens as u64).map(|place| place * place / 3 % 2);
        std::iter::once(first).chain(rest).collect()
    };
    let tokens = (1..400)
        .find(|tokens| state(&input(0, *tokens)) == state(&input(1, *tokens)))
        .unwrap();
    let inputs = [input(0, tokens), input(1, tokens)];
    let before = [0, 1].map(|first| state(&input(first, tokens - 1)));
    let found = Forgotten {
        tokens,
        state: state(&inputs[0]),
        inputs,
        place: 0,
        before: Some(before),
    };
    let exact = Exact {
        model: model.clone(),
        subject: Subject::Horizon(found),
    };
    serde_json::from_slice(&exact.witness("RUN").to_bytes()).unwrap()
}

fn draft(json: &Json) -> Draft {
    Draft {
        name: "RUN.json".to_owned(),
        bytes: (canonical::text(json) + "\n").into_bytes(),
        files: BTreeMap::new(),
    }
}

/// Digest and seal are right again.
fn sealed(mut json: Json) -> Draft {
    let about = json!({"spec": json["spec"], "statement": json["statement"]});
    json["digest"] = json!(digest::of_json(&about));
    json.as_object_mut().unwrap().remove("seal");
    json["seal"] = json!(digest::of_json(&json));
    draft(&json)
}

/// Mutants, each with its operator and the codes that are right; none for changed bytes.
fn mutants(
    bases: &[Json],
    changes: &[(&'static str, Change)],
) -> Vec<(Draft, &'static str, &'static [&'static str])> {
    let mut seen: BTreeSet<Draft> = bases.iter().map(draft).collect();
    let mut found = Vec::new();
    let mut idle: BTreeSet<&str> = changes.iter().map(|(name, _)| *name).collect();
    for index in 0.. {
        if found.len() as u64 >= EACH {
            break;
        }
        assert!(index < 40 * EACH, "too few different mutants");
        let mut random = Random::new(index);
        let mut json = random.one(bases).unwrap().clone();
        let (draft, name, codes) = if index % 3 == 0 {
            let mut draft = draft(&json);
            let at = random.below(draft.bytes.len());
            draft.bytes[at] ^= 1 << random.below(7);
            // A newer format is another answer than a wrong file.
            if !String::from_utf8_lossy(&draft.bytes).contains("\"format\":1,") {
                continue;
            }
            (draft, "raw", &[][..])
        } else {
            let (name, change) = changes[random.below(changes.len())];
            let Some(codes) = change(&mut json, &mut random) else {
                continue;
            };
            idle.remove(name);
            (sealed(json), name, codes)
        };
        if seen.insert(draft.clone()) {
            found.push((draft, name, codes));
        }
    }
    assert!(idle.is_empty(), "no mutants by {idle:?}");
    found
}

#[test]
fn every_mutant_about_a_model_is_rejected_by_both() {
    use foolproof::models::ieee::Format;
    let khop = Task::KHop {
        n: 5,
        k: 1,
        alphabet: 3,
    };
    let commands = [
        command_base(
            Task::Eva { n: 3 },
            &[(&[0, 1, 2], &[5]), (&[2, 1, 0], &[5])],
            &[0],
        ),
        command_base(Task::PerCom { n: 3 }, &[(&[0, 1, 2], &[7])], &[2, 1, 0]),
        command_base(
            Task::Mqar {
                vocabulary: 8,
                pairs: 2,
            },
            &[(&[0, 3], &[9]), (&[1, 0], &[9])],
            &[1],
        ),
        command_base(khop, &[(&[0, 1, 2, 1], &[8])], &[0]),
        command_base(
            Task::Membership {
                tokens: 3,
                values: 4,
            },
            &[(&[0, 1, 1], &[3]), (&[0, 2, 2], &[3])],
            &[1],
        ),
    ];
    let horizons = [
        horizon_base(Format::F32, ratio(3, 4)),
        horizon_base(Format::Bf16, ratio(1, 2)),
    ];
    let changes = |own: &[(&'static str, Change)]| [own, FRAME].concat();
    let rows = [
        (
            "external_pair",
            commands.to_vec(),
            changes(PAIR),
            "not-checked",
        ),
        ("model_pair", vec![pair_base()], changes(PAIR), "accepted"),
        ("horizon", horizons.to_vec(), changes(HORIZON), "accepted"),
    ];
    for (kind, bases, changes, right) in rows {
        let originals: Vec<Draft> = bases.iter().map(draft).collect();
        let list = mutants(&bases, &changes);
        let drafts: Vec<&Draft> = originals
            .iter()
            .chain(list.iter().map(|(draft, ..)| draft))
            .collect();
        let python = python::answers(&python::source(), &drafts);
        let rust: Vec<Answer> = drafts.iter().map(|draft| rust_answer(draft)).collect();
        for (rust, python) in rust.iter().zip(&python).take(bases.len()) {
            assert_eq!(
                [&rust.word, &python.word],
                [right, right],
                "{kind}: {rust}, {python}"
            );
        }
        let answers = rust.iter().zip(&python).skip(bases.len());
        let mut complaints = Vec::new();
        for ((rust, python), (draft, name, codes)) in answers.zip(&list) {
            let both = rust.word == "rejected" && python.word == "rejected";
            let expected = codes.is_empty() || codes.contains(&rust.code.as_str());
            let same = codes.is_empty() || rust.code == python.code;
            if !(both && expected && same) {
                let text = String::from_utf8_lossy(&draft.bytes);
                complaints.push(format!(
                    "{name}: rust {rust}, python {python}, {codes:?}\n{text}"
                ));
            }
        }
        println!(
            "{kind}: {} mutants, {} not rejected as they should be",
            list.len(),
            complaints.len()
        );
        assert!(
            complaints.is_empty(),
            "{kind}: {}",
            complaints[..complaints.len().min(6)].join("\n")
        );
    }
}
