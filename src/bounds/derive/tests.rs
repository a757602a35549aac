//! Golden numbers that need what is not public; the truth file is compared in `tests/derive_truth.rs`.

use num_bigint::BigUint;
use num_traits::Pow;
use proptest::prelude::*;

use super::cover::{Question, room};
use super::scheme::Rectangle;
use super::*;

fn big(x: u64) -> BigUint {
    BigUint::from(x)
}

fn rectangle(cost: u64, strict: bool) -> Rectangle {
    Rectangle {
        free: false,
        strict,
        cost: big(cost),
        carried: big(0),
    }
}

fn choose(v: u64, k: u64) -> BigUint {
    (0..k).fold(big(1), |c, i| c * (v - i) / (i + 1))
}

#[test]
fn room_at_a_power_of_two_is_exact() {
    let exactly = room(&big(8), &big(5), &big(15));
    assert_eq!((exactly.exceeds, exactly.floor), (Some(false), big(15)));
    assert_eq!(room(&big(8), &big(5), &big(14)).exceeds, Some(true));
    assert_eq!(room(&big(1), &big(5), &big(0)).exceeds, Some(false));
}

proptest! {
    #[test]
    fn coverage_is_its_definition(v in 1_u64..80, q in 1_u64..80, b in 1_u64..200, strict in any::<bool>()) {
        let (range, draws, rectangle) = (big(v), big(q), rectangle(b, strict));
        let question = Question { v: &range, q: &draws, rectangle: &rectangle };
        let holds = |k: u64| {
            let left = (choose(v, k) * Pow::pow(big(k), q)) << b;
            let right: BigUint = Pow::pow(big(v), q);
            if strict { left < right } else { left <= right }
        };
        for k in 0..v.min(q) {
            prop_assert_eq!(question.holds(&big(k)), holds(k), "k = {}", k);
            if k > 0 && b < q * range.bits() {
                prop_assert_eq!(question.by_integers(&big(k)), holds(k));
            }
        }
        let largest = (0..v.min(q)).rev().find(|k| holds(*k)).unwrap_or(0);
        prop_assert_eq!(question.largest(), big(largest + 1));
        for k in 1..v.min(q) {
            if let Some(allowed) = question.allowed(&big(k)) {
                let allowed = u64::try_from(allowed).unwrap();
                let at = |b: u64| {
                    let left = (choose(v, k) * Pow::pow(big(k), q)) << b;
                    let right: BigUint = Pow::pow(big(v), q);
                    if strict { left < right } else { left <= right }
                };
                prop_assert!(at(allowed) && !at(allowed + 1));
            }
        }
    }

    #[test]
    fn raising_a_cost_never_helps(
        (s, c) in (1_u64..8, 0_u64..8),
        a in prop::collection::vec(0_u64..3, 2..4),
        (m, n, np, x0, x1) in (1_u64..80, 1_u64..9, 1_u64..9, 1_u64..80, 1_u64..9),
        what in 0_usize..5,
    ) {
        let params = Params { m: big(m), n: vec![big(n.max(np))], np: vec![big(np)], x: vec![big(x0.min(m)), big(x1)] };
        let answer = |s: u64, c: u64, a: &[u64], senders| {
            let layout = Layout::new(2, a.iter().map(|a| big(*a)).collect()).unwrap();
            let cost = Cost { soft: big(s), carry: big(c), senders, mode: Mode::Refined };
            check(&layout, &cost, &params).ok().map(|ledger| ledger.answer())
        };
        let before = answer(s, c, &a, Senders::Separate);
        if before == Some(Answer::Proved) {
            prop_assert_eq!(answer(s, c, &a, Senders::Merged), Some(Answer::Proved));
        }
        let mut more = a.clone();
        let (mut s2, mut c2) = (s, c);
        match what {
            0 => s2 += 1,
            1 => c2 += 1,
            i => { if let Some(a) = more.get_mut(i - 2) { *a += 1; } }
        }
        if before == Some(Answer::NotProved) {
            prop_assert_ne!(answer(s2, c2, &more, Senders::Separate), Some(Answer::Proved));
        }
    }

    #[test]
    fn a_smaller_theta_is_valid_and_a_larger_is_not(s in 2_u64..12, np in 1_u64..5, m in 20_u64..400, x0 in 5_u64..60, x1 in 1_u64..9) {
        let params = Params { m: big(m), n: vec![big(np)], np: vec![big(np)], x: vec![big(x0.min(m)), big(x1)] };
        let layout = Layout::new(2, vec![big(0), big(0), big(0)]).unwrap();
        let cost = Cost { soft: big(s), carry: big(s), senders: Senders::Separate, mode: Mode::Refined };
        let ledger = check(&layout, &cost, &params).unwrap();
        let theta = ledger.steps[0].theta.clone();
        let with = |theta: BigUint| check_choice(&layout, &cost, &params, &Choice { theta: vec![theta], option: ledger.option, opening: Opening::Plain });
        prop_assert_eq!(with(theta.clone()), Ok(ledger.clone()));
        prop_assert!(with(&theta + 1_u32).is_err());
        prop_assert!(with(big(1)).is_ok());
        let other = Choice { theta: vec![theta], option: LastEpoch::CarriesAt(1), opening: Opening::Plain };
        prop_assert!(check_choice(&layout, &cost, &params, &other).is_err());
    }
}

#[test]
fn what_is_possible_is_not_checked() {
    let cost = Cost {
        soft: big(4),
        carry: big(4),
        senders: Senders::Separate,
        mode: Mode::Refined,
    };
    let params = Params {
        m: big(2),
        n: vec![big(2)],
        np: vec![big(2)],
        x: vec![big(1), big(1)],
    };
    let class = |a: &[u64]| Layout::new(2, a.iter().map(|a| big(*a)).collect()).unwrap();
    assert_eq!(class(&[0, 0, 0, 0]).class(), Class::Possible(Way::Full));
    assert_eq!(class(&[0, 1, 0]).class(), Class::Possible(Way::Relay));
    assert_eq!(class(&[1, 0, 0]).class(), Class::Possible(Way::PrePass));
    assert_eq!(class(&[0, 0, 5]).class(), Class::Impossible(Start::Long));
    assert_eq!(class(&[7, 3]).class(), Class::Impossible(Start::Short));
    assert!(check(&class(&[1, 0, 0]), &cost, &params).is_err());
    // the window ledger is another one than that of a_1 = 0
    assert_eq!(class(&[0, 1, 0]).start(), Some(Start::Window));
}

#[test]
fn the_window_example() {
    let layout = Layout::new(2, vec![big(0), big(1), big(0)]).unwrap();
    let cost = Cost {
        soft: big(4),
        carry: big(1),
        senders: Senders::Separate,
        mode: Mode::Refined,
    };
    let params = Params {
        m: big(512),
        n: vec![big(3)],
        np: vec![big(3)],
        x: vec![big(30), big(2)],
    };
    let ledger = check(&layout, &cost, &params).unwrap();
    assert_eq!(ledger.steps[0].deficit, big(54));
    assert_eq!(ledger.steps[0].theta, big(27));
    assert_eq!(ledger.deficit, big(830));
    assert_eq!(ledger.room.floor, big(857));
    assert_eq!(
        (ledger.answer(), ledger.length, ledger.trivial),
        (Answer::Proved, big(2050), true)
    );
}

#[test]
fn theorem_two_closes() {
    for steps in 2..=4_usize {
        for (s, c) in [(1_u64, 1_u64), (4, 6), (9, 100)] {
            for passes in [
                std::iter::repeat_n(0, steps + 1).collect::<Vec<u64>>(),
                [0, 0]
                    .into_iter()
                    .chain(std::iter::repeat_n(1 << 20, steps - 1))
                    .collect(),
                std::iter::repeat_n(0, steps).collect(),
                [0].into_iter()
                    .chain(std::iter::repeat_n(777, steps - 1))
                    .collect(),
                std::iter::repeat_n(5, steps).collect(),
            ] {
                let layout = Layout::new(steps, passes.iter().map(|a| big(*a)).collect()).unwrap();
                let params = closed::theorem_two(&layout, &big(s), &big(c)).unwrap();
                for senders in [Senders::Separate, Senders::Merged] {
                    let cost = Cost {
                        soft: big(s),
                        carry: big(c),
                        senders,
                        mode: Mode::Refined,
                    };
                    let ledger = check(&layout, &cost, &params).unwrap();
                    assert_eq!(ledger.answer(), Answer::Proved, "{layout:?} {s} {c}");
                    let free = layout.start() == Some(Start::Short) && layout.pass(0) == big(0);
                    for step in ledger.steps.iter().skip(usize::from(free)) {
                        assert!(
                            step.deficit < step.t,
                            "{layout:?} {s} {c} step {}",
                            step.place.l
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn for_all_c_the_polynomial_bounds_the_length() {
    for passes in [
        vec![0, 0, 4096],
        vec![0, 4096],
        vec![4096, 4096],
        vec![0, 0, 9, 9],
        vec![0, 9, 9],
        vec![9, 9, 9],
    ] {
        for steps in 2..=3 {
            let layout = Layout::new(steps, passes.iter().map(|a| big(*a)).collect()).unwrap();
            if layout.class() != Class::Impossible(layout.start().unwrap_or(Start::Window)) {
                continue;
            }
            let (bound, exponent) = (
                closed::length_for_all_c(&layout).unwrap(),
                closed::exponent_for_all_c(&layout).unwrap(),
            );
            for c in [2_u64, 3, 4, 7, 100, 12345] {
                let params = closed::theorem_two(&layout, &big(2 * c), &big(c * (c + 1))).unwrap();
                let cost = Cost {
                    soft: big(2 * c),
                    carry: big(c * (c + 1)),
                    senders: Senders::Separate,
                    mode: Mode::Refined,
                };
                let ledger = check(&layout, &cost, &params).unwrap();
                assert_eq!(ledger.answer(), Answer::Proved);
                assert!(ledger.length <= bound.at(&big(c)));
                assert!(bound.at(&big(c)) <= Pow::pow(big(c), exponent));
            }
        }
    }
}
