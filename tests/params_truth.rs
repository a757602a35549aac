//! `params` against the tables of the paper's quantities, and the contract of its keys.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail"
)]

use assert_cmd::Command;
use foolproof::bounds::params::hybrid_v1::Parameters;
use foolproof::exact::Number;
use num_bigint::BigUint;
use serde_json::Value as Json;

fn run(arguments: &[&str]) -> Json {
    let output = Command::cargo_bin("foolproof")
        .unwrap()
        .args(arguments)
        .args(["--format", "json"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn point(steps: u32, c: u32, d: u32) -> Parameters {
    Parameters::new(steps, c.into(), d.into(), BigUint::default()).unwrap()
}

/// Exponents to base K: m; `n_1` ..; `x_0` ..; `N_{L-1}`.
type Row = (u32, u64, &'static [u64], &'static [u64], u64);

const EXPONENTS: [Row; 5] = [
    (2, 10, &[4], &[8, 1], 14),
    (3, 74, &[32, 4], &[64, 8, 1], 110),
    (4, 586, &[256, 32, 4], &[512, 64, 8, 1], 878),
    (5, 4682, &[2048, 256, 32, 4], &[4096, 512, 64, 8, 1], 7022),
    (
        6,
        37450,
        &[16384, 2048, 256, 32, 4],
        &[32768, 4096, 512, 64, 8, 1],
        56174,
    ),
];

#[test]
fn exponents_to_base_k() {
    for (steps, m, n, x, last) in EXPONENTS {
        for c in [1, 2, 3, 10, 97] {
            let point = point(steps, c, c);
            let power = |exponent: u64| point.k().powi(exponent).canonical();
            assert_eq!(point.m().canonical(), power(m));
            for (l, exponent) in (1..).zip(n) {
                assert_eq!(point.n_factor(l).unwrap().canonical(), power(*exponent));
            }
            for (l, exponent) in (0..).zip(x) {
                assert_eq!(point.x(l).unwrap().canonical(), power(*exponent));
            }
            assert_eq!(point.range(steps - 1).unwrap().canonical(), power(last));
        }
    }
}

#[test]
fn worked_point() {
    let json = run(&["params", "hybrid-v1", "--steps", "2", "--c", "2"]);
    let quantities = [
        ("K", "1099511627776"),
        ("m", "2^400"),
        ("n1", "2^160"),
        ("P", "2^160"),
        ("x0", "2^320"),
        ("N1", "2^560"),
        ("n", "2 + 2^400 + 2^560"),
        ("C", "6"),
        ("A", "4096"),
        ("log2Delta2", "2^502"),
        ("Theta1", "2^354"),
        ("t2", "2^514"),
    ];
    for (name, value) in quantities {
        assert_eq!(json["quantities"][name]["value"], value, "{name}");
    }
    let check = |id: &str| {
        let checks = json["checks"].as_array().unwrap();
        checks.iter().find(|check| check["id"] == id).unwrap()
    };
    assert_eq!(check("B-BUDGET(1)")["left"], "24576");
    assert_eq!(check("B-BUDGET(1)")["right"], "2^500");
    assert_eq!(check("base-coverage")["right"], "2^163 + 2");
    assert_eq!(check("B3-FIX(2)")["slack"], "16");
    assert_eq!(check("base-total")["mark"], "reconstructed");
    assert_eq!(json["claimed_and_trivial"]["final"], true);
    assert_eq!(json["claimed_and_trivial"]["capacity"], false);
    assert_eq!(json["claimed_and_trivial"]["capacity-game"], true);
    for key in ["id", "holds", "left", "right", "statement", "mark"] {
        assert!(check("final").get(key).is_some(), "{key}");
    }
}

#[test]
fn the_chain_over_the_listed_points() {
    for steps in [2, 3] {
        for c in [1, 2, 3, 4, 5, 6, 8, 16, 32, 100] {
            for d in [1, c] {
                for check in point(steps, c, d).checks().unwrap() {
                    let holds = check.holds().unwrap();
                    let expected = match check.id.as_str() {
                        "B3-TYPO" => (d + 1) * (steps - 1) <= 2 * steps,
                        // At c = 1 the power of c stays 1, so it names nothing and is trivially named.
                        "B1" | "B1-SHARP" | "B1-PAD" => c >= 2,
                        "capacity" => false,
                        "capacity-theorem" => c == 1,
                        _ => true,
                    };
                    assert_eq!(holds, expected, "{} at {steps}, {c}, {d}", check.id);
                }
            }
        }
    }
}

#[test]
fn large_points_are_decided() {
    let json = run(&["params", "hybrid-v1", "--steps", "8", "--c", "10^30"]);
    let checks = json["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["holds"].is_boolean()));
    let failing: Vec<&str> = checks
        .iter()
        .filter(|check| check["holds"] == false)
        .map(|check| check["id"].as_str().unwrap())
        .collect();
    assert_eq!(failing, ["B3-TYPO"]);
}

#[test]
fn thirds_of_large_steps_are_the_same() {
    for steps in 4..=8 {
        for (c, d) in [(1, 1), (2, 1), (6, 3), (59, 59)] {
            let point = point(steps, c, d);
            let quotient = point
                .kept(steps)
                .unwrap()
                .div(&point.log2_delta(steps).unwrap());
            let expected =
                BigUint::from(c * steps).pow(4) * BigUint::from(8_u32).pow(steps) / 4_u32;
            assert_eq!(
                Number::from(quotient).to_integer().unwrap(),
                expected.into()
            );
            for check in point.checks().unwrap() {
                assert!(check.holds().is_ok(), "{} at {steps}, {c}, {d}", check.id);
            }
        }
    }
}

#[test]
fn bad_points_name_the_field() {
    let cases: [(&[&str], &str); 5] = [
        (
            &["hybrid-v2", "--steps", "2", "--c", "2"],
            "KEY: unknown paper",
        ),
        (
            &["hybrid-v1", "--steps", "1", "--c", "2"],
            "steps: 1 is below 2",
        ),
        (
            &["hybrid-v1", "--steps", "2", "--c", "0"],
            "c: 0 is below 1",
        ),
        (
            &["hybrid-v1", "--steps", "2", "--c", "6", "--d", "4"],
            "d: 4 does not divide c = 6",
        ),
        (
            &["hybrid-v1", "--steps", "2", "--c", "6", "--a1", "2"],
            "a1: found 2",
        ),
    ];
    for (arguments, message) in cases {
        let output = Command::cargo_bin("foolproof")
            .unwrap()
            .arg("params")
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(message), "{stderr}");
        assert!(output.stdout.is_empty());
    }
}
