//! The ledger, the coverage test and the exponents against the truth file (`data/derive.json`).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail"
)]

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

#[cfg(feature = "search")]
mod exponents {
    use super::*;
    use foolproof::bounds::derive::exponent::{Cut, Exponent, Family};
    use foolproof::search::exponent::all_options;
    use num_rational::BigRational;

    fn question(steps: usize, family: Family, cut: Cut, kappa: i64) -> Exponent {
        let whole = |x: i64| BigRational::from_integer(x.into());
        Exponent {
            steps,
            family,
            cut,
            kappa: whole(kappa),
            first: whole(0),
            passes: whole(0),
        }
    }

    #[test]
    fn every_program_agrees() {
        for row in truth()["lp"].as_array().unwrap() {
            let cut = match row["row"].as_str().unwrap() {
                "coarse full W" => Cut::CoarseFullW,
                "coarse" => Cut::Coarse,
                "refined w-major" => Cut::Refined,
                "refined i-major" => Cut::RefinedIMajor,
                other => panic!("row {other}"),
            };
            let family = match row["layout"].as_str().unwrap() {
                "r=L, a_0=a_1=0" => Family::Long,
                "r=L-1, a_0=0" => Family::Short,
                "r=L-1, a_0>=1" => Family::ShortWithCarry,
                other => panic!("layout {other}"),
            };
            let kappa = row["kappa"].as_i64().unwrap();
            for (steps, value) in row["values"].as_object().unwrap() {
                let found =
                    all_options(&question(steps.parse().unwrap(), family, cut, kappa)).unwrap();
                assert_eq!(
                    value.as_str().unwrap(),
                    found.generic().unwrap().to_string(),
                    "{row}"
                );
            }
        }
    }

    #[test]
    fn adding_to_a_moves_the_value_continuously() {
        let mut question = question(3, Family::Long, Cut::Refined, 2);
        let plain = all_options(&question)
            .unwrap()
            .best()
            .unwrap()
            .1
            .value
            .clone();
        question.passes = BigRational::new(1.into(), 10.into());
        let more = all_options(&question)
            .unwrap()
            .best()
            .unwrap()
            .1
            .value
            .clone();
        assert!(more >= plain && more - plain <= BigRational::from_integer(1.into()));
    }
}

#[test]
fn the_papers_own_parameters_close() {
    use foolproof::bounds::params::hybrid_v1::Parameters;
    use foolproof::exact::Number;
    let small = |number: Number| number.to_integer().unwrap().to_biguint().unwrap();
    let paper = Parameters::new(
        2,
        BigUint::from(2u8),
        BigUint::from(2u8),
        BigUint::default(),
    )
    .unwrap();
    let quantity = |name: &str| small(paper.quantity(name).unwrap());
    let n = vec![quantity("n1")];
    let params = Params {
        m: quantity("m"),
        np: n.clone(),
        n,
        x: vec![quantity("x0"), quantity("x1")],
    };
    let cost = Cost::of_network(
        &BigUint::from(2u8),
        &BigUint::from(2u8),
        Senders::Separate,
        Mode::Coarse,
    )
    .unwrap();
    let layout = Layout::new(
        2,
        vec![
            BigUint::default(),
            BigUint::default(),
            BigUint::from(4096u32),
        ],
    )
    .unwrap();
    assert_eq!(
        check(&layout, &cost, &params).unwrap().answer(),
        Answer::Proved
    );
}

/// `X_l`, `nu_l`, `np_l`, `M` of the recursions, u = 11 tenths.
struct Recursion {
    x: Vec<u32>,
    nu: Vec<u32>,
    np: Vec<u32>,
    m: u32,
}

/// Theorem 3: the recursion of a row (`full W`, coarse, refined) and a start (r = L; r = L-1 with a_0 = 0; with a_0 >= 1, kappa = 2).
fn recursion(cut: usize, start: usize, steps: usize) -> Recursion {
    let u = 11;
    let (mut x, mut nu, mut np) = (vec![0; steps], vec![0; steps], vec![0; steps]);
    for l in (0..steps).rev() {
        let sum = |list: &[u32]| list[(l + 1).min(steps)..].iter().sum::<u32>();
        x[l] = u + if cut == 0 { sum(&nu) } else { sum(&np) };
        if l == 0 {
            break;
        }
        let later = x.get(l + 1).copied().unwrap_or(0);
        np[l] = match cut {
            0 => u + x[l] + sum(&x),
            1 => u + x[l],
            _ => u,
        };
        nu[l] = if cut == 0 { np[l] } else { np[l] + later };
    }
    if start == 1 {
        // X_0 takes the value of X_1, and X_1 is 0
        (x[0], x[1]) = (x[1], 0);
        let later = x.get(2).copied().unwrap_or(0);
        if cut == 1 {
            (np[1], nu[1]) = (u, u + later);
        }
        if cut == 0 {
            nu[1] = u + x[1..].iter().sum::<u32>();
            np[1] = nu[1];
            x[0] = u + nu[2..].iter().sum::<u32>();
        }
    } else if start == 2 {
        x[0] = 2 * 10 + 1;
    }
    let m = match (cut, start) {
        (0, _) => x.iter().sum(),
        (1, 1) => x[0],
        _ => x[0] + x[1],
    };
    Recursion { x, nu, np, m }
}

#[test]
fn points_of_every_recursion_close_far_out() {
    // c = 2^300, s = 2c, C = c(c+1), a_e = 1
    let power = |tenths: u32| BigUint::from(1u8) << (30 * tenths);
    let c = power(10);
    for cut in 0..3 {
        for start in 0..3 {
            for steps in 2..=4_usize {
                let found = recursion(cut, start, steps);
                let all = |list: &[u32]| list.iter().map(|e| power(*e)).collect::<Vec<_>>();
                let params = Params {
                    m: power(found.m),
                    n: all(&found.nu[1..]),
                    np: all(&found.np[1..]),
                    x: all(&found.x),
                };
                let full = if start == 0 { steps } else { steps - 1 };
                let mut passes = vec![BigUint::from(1u8); full + 1];
                if start < 2 {
                    passes[0] = BigUint::default();
                }
                if start == 0 {
                    passes[1] = BigUint::default();
                }
                let cost = Cost {
                    soft: &c * 2u8,
                    carry: &c * (&c + 1u8),
                    senders: Senders::Separate,
                    mode: if cut == 2 {
                        Mode::Refined
                    } else {
                        Mode::Coarse
                    },
                };
                let layout = Layout::new(steps, passes).unwrap();
                let ledger = check(&layout, &cost, &params).unwrap();
                assert_eq!(
                    ledger.answer(),
                    Answer::Proved,
                    "row {cut}, start {start}, L = {steps}"
                );
            }
        }
    }
}

#[test]
fn points_of_the_recursion_close_far_out() {
    // u = 1 + 1/10, c = 2^300, s = 2c, C = c(c+1), a_e = 1: Theorem 3 with the refined recursion, r = L
    let power = |tenths: u32| BigUint::from(1u8) << (30 * tenths);
    let c = power(10);
    for steps in 2..=4_usize {
        let u = 11_u32;
        let tail = |l: usize| u * u32::try_from(steps - l).unwrap();
        // X_l = u + np_{l+1} + .. = u (L - l), np = u, nu_l = np + X_{l+1}, M = X_0 + X_1
        let x = (0..steps).map(|l| power(tail(l))).collect();
        let np = vec![power(u); steps - 1];
        let n = (1..steps)
            .map(|l| power(u + if l == steps - 1 { 0 } else { tail(l + 1) }))
            .collect();
        let params = Params {
            m: power(tail(0) + tail(1)),
            n,
            np,
            x,
        };
        let mut passes = vec![BigUint::from(1u8); steps + 1];
        (passes[0], passes[1]) = (BigUint::default(), BigUint::default());
        let layout = Layout::new(steps, passes).unwrap();
        let cost = Cost {
            soft: &c * 2u8,
            carry: &c * (&c + 1u8),
            senders: Senders::Separate,
            mode: Mode::Refined,
        };
        assert_eq!(
            check(&layout, &cost, &params).unwrap().answer(),
            Answer::Proved,
            "L = {steps}"
        );
    }
}
