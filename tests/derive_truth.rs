//! The ledger, the coverage test and the exponents against the truth file (`data/derive.json`).

use foolproof::bounds::derive::cover::Question;
use foolproof::bounds::derive::scheme::Rectangle;
use foolproof::bounds::derive::{Answer, Cost, Layout, Ledger, Mode, Params, Senders, check};
use foolproof::exact::interval::floor_log2_scaled;
use num_bigint::BigUint;
use serde_json::Value as Json;

fn truth() -> Json {
    serde_json::from_str(include_str!("data/derive.json")).expect("the truth file is JSON")
}

fn number(json: &Json) -> BigUint {
    match json {
        Json::String(text) => text.parse().expect("decimal"),
        other => BigUint::from(other.as_u64().expect("a number")),
    }
}

fn numbers(json: &Json) -> Vec<BigUint> {
    json.as_array()
        .expect("a list")
        .iter()
        .map(number)
        .collect()
}

fn instance(row: &Json) -> (Layout, Cost, Params) {
    let layout = Layout::new(
        usize::try_from(row["L"].as_u64().unwrap()).unwrap(),
        numbers(&row["a"]),
    )
    .unwrap();
    let cost = Cost {
        soft: number(&row["s"]),
        carry: number(&row["C"]),
        senders: Senders::from_word(row["senders"].as_str().unwrap()).unwrap(),
        mode: Mode::from_word(row["mode"].as_str().unwrap()).unwrap(),
    };
    let params = Params {
        m: number(&row["m"]),
        n: numbers(&row["n"]),
        np: numbers(&row["np"]),
        x: numbers(&row["x"]),
    };
    (layout, cost, params)
}

fn compare(ledger: &Ledger, expect: &Json, name: &str) {
    let verdict = if ledger.answer() == Answer::Proved {
        "Proved"
    } else {
        "NotProved"
    };
    assert_eq!(expect["verdict"], verdict, "{name}");
    assert_eq!(number(&expect["tokens"]), ledger.length, "{name}");
    assert_eq!(numbers(&expect["N"]), ledger.ranges, "{name}");
    assert_eq!(number(&expect["W"]), ledger.queries, "{name}");
    let mut deficits: Vec<BigUint> = ledger
        .steps
        .iter()
        .map(|step| step.deficit.clone())
        .collect();
    deficits.push(ledger.deficit.clone());
    assert_eq!(numbers(&expect["D"]), deficits, "{name}");
    assert_eq!(numbers(&expect["theta"]), ledger.theta(), "{name}");
    let mut kept: Vec<BigUint> = ledger.steps.iter().map(|step| step.t.clone()).collect();
    kept.push(ledger.t.clone());
    assert_eq!(numbers(&expect["t"]), kept, "{name}");
    assert_eq!(expect["q"].as_i64(), Some(ledger.option.number()), "{name}");
    assert_eq!(
        number(&expect["floor_tL_log2N"]),
        ledger.room.floor,
        "{name}"
    );
    assert_eq!(expect["trivial"], ledger.trivial, "{name}");
    let methods: Vec<&str> = ledger.steps.iter().map(|step| step.method.word()).collect();
    assert_eq!(expect["cover_method"], serde_json::json!(methods), "{name}");
}

#[test]
fn every_instance_agrees() {
    for (i, row) in truth()["instances"].as_array().unwrap().iter().enumerate() {
        let (layout, cost, params) = instance(row);
        compare(
            &check(&layout, &cost, &params).unwrap(),
            &row["expect"],
            &format!("instance {i}"),
        );
    }
}

#[test]
fn every_coverage_test_agrees() {
    for row in truth()["cover"].as_array().unwrap() {
        let (v, q, k) = (number(&row["v"]), number(&row["q"]), number(&row["k"]));
        let rectangle = Rectangle {
            free: false,
            strict: false,
            cost: number(&row["B"]),
            carried: BigUint::default(),
        };
        assert_eq!(
            row["holds"],
            Question {
                v: &v,
                q: &q,
                rectangle: &rectangle
            }
            .holds(&k),
            "{row}"
        );
    }
}

#[test]
fn every_logarithm_agrees() {
    for row in truth()["log2"].as_array().unwrap() {
        let n = number(&row["n"]);
        let low = floor_log2_scaled(&n, u32::try_from(row["P"].as_u64().unwrap()).unwrap());
        assert_eq!(row["lo"].as_str(), Some(low.to_string().as_str()), "{row}");
    }
}
