use super::threshold::names_all_answers;
use super::*;
use crate::exact::ratio;

fn big(x: u64) -> BigUint {
    BigUint::from(x)
}

fn point(steps: u32, c: u64, d: u64) -> Parameters {
    Parameters::new(steps, big(c), big(d), BigUint::zero()).unwrap()
}

/// Point W of the specification: L = 2, c = d = 2.
fn w() -> Parameters {
    point(2, 2, 2)
}

/// The exponent of K in a product of powers of K, read off the prime 11 = c.
fn exponent_of_k(factors: &Factors) -> BigRational {
    factors.canonical().exponent_over(&big(11)) / ratio::integer(8)
}

fn power_of_two(x: u64) -> Number {
    Number::from(Factors::word(2).powi(x))
}

fn same(a: &Number, b: &Number) -> bool {
    relation(a, b) == Ok(Relation::Equal)
}

#[test]
fn refusals_name_the_field() {
    let field = |steps, c, d| {
        Parameters::new(steps, big(c), big(d), big(0))
            .unwrap_err()
            .field
    };
    assert_eq!(
        [
            field(1, 1, 1),
            field(2, 0, 1),
            field(2, 1, 0),
            field(2, 3, 2)
        ],
        ["steps", "c", "d", "d"]
    );
    assert_eq!(w().x(2).unwrap_err().field, "x");
    assert_eq!(w().n_factor(0).unwrap_err().field, "n");
    assert_eq!(
        w().quantity("t1").unwrap_err().to_string(),
        "t: index 1 is outside 2..2 at L = 2"
    );
    for unknown in ["", "Q", "x", "x00", "x01", "x-1", "n99999999999", "Delta2"] {
        assert!(w().quantity(unknown).is_err(), "{unknown}");
    }
}

#[test]
fn the_table_of_exponents() {
    type Row = (u32, u64, &'static [u64], &'static [u64], u64, u64);
    let rows: [Row; 5] = [
        (2, 10, &[4], &[8, 1], 14, 24),
        (3, 74, &[32, 4], &[64, 8, 1], 110, 54),
        (4, 586, &[256, 32, 4], &[512, 64, 8, 1], 878, 96),
        (
            5,
            4682,
            &[2048, 256, 32, 4],
            &[4096, 512, 64, 8, 1],
            7022,
            150,
        ),
        (
            6,
            37450,
            &[16384, 2048, 256, 32, 4],
            &[32768, 4096, 512, 64, 8, 1],
            56174,
            216,
        ),
    ];
    for (steps, m, n, x, last, twos) in rows {
        let p = point(steps, 11, 1);
        assert_eq!(exponent_of_k(&p.m()), ratio::integer(m));
        for (l, expected) in (1..).zip(n) {
            assert_eq!(
                exponent_of_k(&p.n_factor(l).unwrap()),
                ratio::integer(*expected)
            );
        }
        for (l, expected) in (0..).zip(x) {
            assert_eq!(exponent_of_k(&p.x(l).unwrap()), ratio::integer(*expected));
        }
        assert_eq!(
            exponent_of_k(&p.range(steps - 1).unwrap()),
            ratio::integer(last)
        );
        // log2 K = 8 log2(cL) + twos
        let rest = p.k().div(&Factors::word(11 * u64::from(steps)).powi(8));
        assert_eq!(rest.canonical(), Factors::word(2).powi(twos).canonical());
    }
}

#[test]
fn further_exponents() {
    // (power of 8, power of K), and the constant 4 of log2 Delta
    let is = |factors: Factors, p: &Parameters, factor: i32, eights: i32, twice: i32| {
        let half = BigRational::new(twice.into(), 2.into());
        let expected = Factors::product([
            &Factors::word(2).powi(2 * factor),
            &Factors::word(8).powi(eights),
            &p.k().pow(&half),
        ]);
        assert_eq!(factors.canonical(), expected.canonical());
    };
    let p = point(2, 11, 1);
    is(p.log2_delta(2).unwrap(), &p, 1, 0, 25);
    is(p.theta(1).unwrap(), &p, 0, -2, 18);
    is(p.kept(2).unwrap(), &p, 0, -2, 26);
    is(p.theta(0).unwrap(), &p, 0, 0, 16);
    let p = point(3, 11, 1);
    is(p.log2_delta(2).unwrap(), &p, 1, 0, 201);
    is(p.log2_delta(3).unwrap(), &p, 1, 0, 217);
    is(p.theta(1).unwrap(), &p, 0, -3, 144);
    is(p.theta(2).unwrap(), &p, 0, -6, 210);
    is(p.kept(3).unwrap(), &p, 0, -6, 218);
}

#[test]
fn point_w() {
    let p = w();
    for (name, exponent) in [
        ("K", 40),
        ("sqrtK", 20),
        ("m", 400),
        ("n1", 160),
        ("P", 160),
        ("x0", 320),
        ("x1", 40),
        ("N0", 400),
        ("N1", 560),
        ("A", 12),
        ("log2Delta2", 502),
        ("Theta1", 354),
        ("t2", 514),
    ] {
        assert!(
            same(&p.quantity(name).unwrap(), &power_of_two(exponent)),
            "{name}"
        );
    }
    assert_eq!(p.quantity("C").unwrap(), Number::from(6));
    let n = p.quantity("n").unwrap().to_integer().unwrap();
    assert_eq!(n, (BigInt::one() << 400) + (BigInt::one() << 560) + 2);
    assert_eq!(p.quantity("sqrtK").unwrap(), Number::from(1 << 20));
    let largest = p.largest_passes().unwrap();
    assert_eq!(largest.bits(), 498);
    let base = p.checks_named("base-coverage").unwrap().remove(0);
    // 38 * 2^320 >= 2^163 + 2; with 4 x_0 x_1 = 2^362 the quotient is 2^38
    assert_eq!(base.left.to_string(), "2^321 * 19");
    assert!(same(&base.right, &Number::from((BigInt::one() << 163) + 2)));
    let total = p.checks_named("base-total").unwrap().remove(0);
    assert_eq!(total.left.to_integer().unwrap().bits(), 483);
    let budget = p.checks_named("B-BUDGET").unwrap().remove(0);
    assert_eq!(budget.left, Number::from(24576));
    assert!(same(&budget.right, &power_of_two(500)));
    let fix = p.checks_named("B3-FIX").unwrap();
    assert_eq!(fix[1].quotient(), Some(Number::from(16)));
    let quotient = p.kept(2).unwrap().div(&p.log2_delta(2).unwrap());
    assert_eq!(Number::from(quotient), Number::from(4096));
    let quotient = point(3, 2, 2)
        .kept(3)
        .unwrap()
        .div(&point(3, 2, 2).log2_delta(3).unwrap());
    assert_eq!(Number::from(quotient), Number::from(165_888));
}

#[test]
fn the_largest_power_of_two_for_a_at_w_is_499() {
    let p = w();
    let soft = Number::sum_of(p.base_soft()).to_integer().unwrap();
    let allowed = BigInt::one() << 502;
    let fits = |a: u64| &soft + BigInt::from(6) * (BigInt::one() << a) <= allowed;
    assert!(fits(499) && !fits(500));
}

#[test]
fn names_are_in_a_fixed_order() {
    assert_eq!(
        names(3).join(" "),
        "K sqrtK m n n1 n2 x0 x1 x2 N0 N1 N2 P C A log2Delta2 log2Delta3 Theta1 Theta2 t2 t3"
    );
    for steps in 2..6 {
        let p = point(steps, 12, 3);
        assert!(names(steps).iter().all(|name| p.quantity(name).is_ok()));
    }
}

#[test]
fn slack_as_powers_of_k() {
    let p = point(3, 11, 1);
    let x = |l| p.x(l).unwrap();
    let of = |a: Factors, b: Factors| exponent_of_k(&a.div(&b)).to_string();
    assert_eq!(of(x(0), p.queries()), "28");
    assert_eq!(of(x(0).mul(&p.queries()), p.m().mul(&x(1))), "18");
    assert_eq!(of(p.queries(), x(1)), "28");
    assert_eq!(of(x(1), x(2)), "7");
    let front = p.x_product(2).mul(&p.queries());
    assert_eq!(of(front.clone(), p.range(1).unwrap().mul(&x(2))), "1");
    assert_eq!(of(front, p.m().mul(&x(1))), "26");
    assert_eq!(of(p.kept(2).unwrap(), p.log2_delta(2).unwrap()), "7/2");
    assert_eq!(of(p.kept(3).unwrap(), p.log2_delta(3).unwrap()), "1/2");
    let p = point(2, 11, 1);
    assert_eq!(of(p.x(0).unwrap(), p.queries()), "4");
    assert_eq!(
        of(
            p.x(0).unwrap().mul(&p.queries()),
            p.m().mul(&p.x(1).unwrap())
        ),
        "1"
    );
}

/// Which rows fail at a point.
fn failing(p: &Parameters) -> Vec<String> {
    let checks = p.checks().unwrap();
    checks
        .into_iter()
        .filter(|check| !check.holds().unwrap())
        .map(|check| check.id)
        .collect()
}

#[test]
fn the_chain_agrees_with_plain_integers() {
    // Both sides modulo 10^9 + 7, computed with plain integers in another language from section 3 of the specification.
    type Row = (&'static str, u64, u64);
    type Point = (u32, u64, u64);
    let points: [(Point, &[Row]); 4] = [
        (
            (2, 6, 3),
            &[
                ("base-coverage", 96_813_523, 660_998_688),
                ("base-total", 39_165_844, 867_261_496),
            ],
        ),
        (
            (3, 2, 2),
            &[
                ("base-coverage", 298_481_536, 265_652_677),
                ("base-total", 554_653_722, 244_677_520),
                ("coverage(2)", 312_372_818, 244_677_522),
                ("total(2)", 858_471_712, 368_306_616),
            ],
        ),
        (
            (3, 5, 1),
            &[
                ("base-coverage", 958_834_533, 708_892_332),
                ("base-total", 910_645_003, 312_391_983),
                ("coverage(2)", 462_290_156, 312_391_985),
                ("total(2)", 989_278_339, 658_192_130),
            ],
        ),
        (
            (4, 1, 1),
            &[
                ("base-coverage", 351_101_257, 362_981_637),
                ("base-total", 841_271_462, 8_524_502),
                ("coverage(2)", 268_150_465, 8_524_504),
                ("total(2)", 683_042_429, 208_987_562),
                ("coverage(3)", 545_705_294, 208_987_564),
                ("total(3)", 505_433_762, 479_404_213),
            ],
        ),
    ];
    let residue = |side: &Number| side.to_integer().unwrap() % 1_000_000_007;
    for ((steps, c, d), rows) in points {
        for (id, left, right) in rows {
            let check = point(steps, c, d).checks_named(id).unwrap().remove(0);
            assert_eq!(
                (residue(&check.left), residue(&check.right)),
                (BigInt::from(*left), BigInt::from(*right)),
                "{id}"
            );
        }
    }
}

#[test]
fn the_condition_of_the_theorem_at_a_million_tokens() {
    // 10^12 * 2^(20/1024) lies between these two integers: compare 256th powers.
    let bound = Number::from(Factors::word(2).powi(5).mul(&Factors::word(10).powi(3072)));
    let power = |x: u64| Number::from(Factors::word(x).powi(256));
    assert_eq!(
        relation(&power(1_013_630_084_951), &bound),
        Ok(Relation::Less)
    );
    assert_eq!(
        relation(&power(1_013_630_084_952), &bound),
        Ok(Relation::Greater)
    );
}

#[test]
fn every_row_of_the_chain_holds_at_the_listed_points() {
    for steps in [2, 3] {
        for c in [1, 2, 3, 4, 5, 6, 8, 16, 32, 100] {
            for d in [1, c] {
                let mut expected = Vec::new();
                if c == 1 {
                    expected.extend(["B1", "B1-SHARP", "B1-PAD"]);
                }
                // (d+1)(L-1) <= 2L
                if (d + 1) * (u64::from(steps) - 1) > 2 * u64::from(steps) {
                    expected.push("B3-TYPO");
                }
                expected.extend(["capacity"]);
                if c > 1 {
                    expected.push("capacity-theorem");
                }
                let got = failing(&point(steps, c, d));
                assert_eq!(got, expected, "L = {steps}, c = {c}, d = {d}");
            }
        }
    }
}

#[test]
fn larger_steps() {
    for steps in 4..9 {
        for c in [2, 3, 7, 60] {
            let mut got = failing(&point(steps, c, 1));
            got.retain(|id| !id.starts_with("capacity"));
            assert!(got.is_empty(), "L = {steps}, c = {c}: {got:?}");
        }
    }
}

#[test]
fn lemma_b1_and_its_sharp_exponent() {
    assert_eq!(theorem_exponent(2), big(1024));
    assert_eq!(theorem_exponent(3), big(16384));
    assert_eq!(Parameters::sharp_exponent(2), Ok(561.into()));
    let n = w().length();
    assert_eq!(relation(&n, &power_of_two(560)), Ok(Relation::Greater));
    assert_eq!(relation(&n, &power_of_two(561)), Ok(Relation::Less));
    for (steps, cs) in [(2, 2..60), (3, 2..8)] {
        for c in cs {
            let rows = point(steps, c, 1).length_checks().unwrap();
            assert!(rows.iter().all(|check| check.holds().unwrap()));
        }
    }
    // c^T <= n at c = 2 first at n = 2^1024
    assert!(same(&first_length(2), &power_of_two(1024)));
}

#[test]
fn budget_for_all_divisors() {
    for steps in [2, 3] {
        for c in (1..=32).chain([48, 64, 100, 128, 1000, 1024]) {
            for d in (1..=c).filter(|d| c % d == 0) {
                for check in point(steps, c, d).budget_checks().unwrap() {
                    assert!(
                        check.holds().unwrap(),
                        "{} at L = {steps}, c = {c}, d = {d}",
                        check.id
                    );
                }
            }
        }
    }
    // also with a_1 = 1
    let p = Parameters::new(3, big(7), big(7), big(1)).unwrap();
    assert!(
        p.checks_named("B-BUDGET")
            .unwrap()
            .iter()
            .all(|check| check.holds().unwrap())
    );
    assert!(
        p.checks_named("B3-FIX")
            .unwrap()
            .iter()
            .all(|check| check.holds().unwrap())
    );
    assert_eq!(
        p.checks_named("B-BUDGET").unwrap()[1].statement,
        "C*(a1 + 2*A) <= sqrtK*x0*x1*P"
    );
}

#[test]
fn the_misprint_has_the_witness_of_the_specification() {
    let typo = point(2, 4, 4).checks_named("B3-TYPO").unwrap().remove(0);
    let got = typo.comparison().unwrap();
    assert_eq!(
        (typo.left, typo.right, got.relation),
        (Number::from(81920), Number::from(65536), Relation::Greater)
    );
}

#[test]
fn expanding_agrees_with_the_quick_comparison() {
    for (steps, c, d) in [
        (2, 1, 1),
        (2, 6, 3),
        (3, 1, 1),
        (3, 2, 2),
        (3, 65537, 1),
        (3, 65539, 65539),
    ] {
        for check in point(steps, c, d).checks().unwrap() {
            let slow = check.comparison().unwrap();
            assert_eq!(
                check.wanted.admits(slow.relation),
                check.holds().unwrap(),
                "{}",
                check.id
            );
        }
    }
}

#[test]
fn thresholds_in_c() {
    assert_eq!(least_c_relay_fits(2), Ok(big(760)));
    assert_eq!(least_c_not_trivial(2), Ok(big(1645)));
    assert_eq!(least_c_theorem_not_trivial(2), Ok(big(14116)));
    for (steps, fits, own, theorem) in [
        (3, 9481, 19902, 297_938),
        (4, 107_886, 223_136, 5_895_958),
        (5, 1_157_638, 2_373_464, 112_159_802),
        (6, 11_929_792, 24_321_404, 2_077_150_795),
    ] {
        let c = least_c_relay_fits(steps).unwrap();
        assert_eq!(c, big(fits));
        assert_eq!(least_c_not_trivial(steps), Ok(big(own)));
        assert_eq!(least_c_theorem_not_trivial(steps), Ok(big(theorem)));
        assert_eq!(names_all_answers(steps, &c, 2), Ok(true));
        assert_eq!(names_all_answers(steps, &(c - 1_u32), 2), Ok(false));
    }
    assert!(least_c_relay_fits(1).is_err());
}

#[test]
fn large_points_need_no_expansion() {
    let c: BigUint = Pow::pow(big(10), 30_u32) + 57_u32;
    let p = Parameters::new(8, c.clone(), c, BigUint::one()).unwrap();
    assert!(
        names(8)
            .iter()
            .all(|name| !p.quantity(name).unwrap().approx().is_empty())
    );
    assert_eq!(failing(&p), ["B3-TYPO"]);
    let last = p.checks_named("final").unwrap().remove(0);
    assert_eq!(last.statement, "log2Delta8 < t8*log2(N7)");
    assert_eq!(last.slack(), Some("~2^464.6".to_owned()));
    // t_8 has about 2^34 bits: the exponent stays a product, in evidence too
    assert!(matches!(
        last.comparison().unwrap().left,
        crate::exact::Written::Tower { .. }
    ));
}
