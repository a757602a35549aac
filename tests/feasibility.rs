//! Closed forms and the smallest separation, by trying every protocol.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use foolproof::game::family::hybrid::Hybrid;
use foolproof::game::family::pointer_chasing::PointerChasing;
use foolproof::game::task::composition::Composition;
use foolproof::game::task::pointer::Pointer;
use std::sync::Arc;
use support::{edges, hybrid, solvable};

fn solved(family: &Hybrid) -> bool {
    let task = Composition {
        steps: family.steps,
        start: family.start,
        ranges: family.ranges.clone(),
        queries: family.queries.clone(),
    };
    solvable(&Arc::new(family.game().unwrap()), &task)
}

#[test]
fn a_pass_helps_only_between_the_two_full_layers() {
    let expected = [
        ("FF", false),
        ("FFR", false),
        ("FFRR", false),
        ("RFF", false),
        ("FRF", true),
    ];
    for (word, verdict) in expected {
        let mut family = hybrid(1, &[2, 2], &[1], word, &edges(&[]), &edges(&[(0, -1, 2)]));
        for epoch in &mut family.epochs {
            epoch.soft = match epoch.number {
                0 => None,
                1 => Some(edges(&[(1, 0, 2)])),
                _ => Some(edges(&[(2, -1, 2)])),
            };
        }
        assert_eq!(family.game().unwrap().inputs_size().unwrap(), 8u8.into());
        assert_eq!(solved(&family), verdict, "{word}");
    }
}

#[test]
fn one_full_layer_needs_the_whole_table_and_the_whole_start() {
    for (direct, start) in [(4, 2), (3, 2), (4, 1), (2, 2), (1, 1)] {
        let soft = edges(&[(1, -1, direct), (0, -1, start)]);
        let family = hybrid(2, &[2], &[], "F", &soft, &edges(&[]));
        assert_eq!(
            solved(&family),
            direct >= 4 && start >= 2,
            "{direct} {start}"
        );
    }
}

#[test]
fn one_full_layer_and_a_pass_need_one_value_on_each() {
    for (asked, told) in [(2, 2), (1, 2), (2, 1)] {
        let (soft, linear) = (edges(&[(1, 0, asked)]), edges(&[(0, -1, told)]));
        let family = hybrid(2, &[2], &[], "FR", &soft, &linear);
        assert_eq!(solved(&family), asked >= 2 && told >= 2, "{asked} {told}");
    }
}

#[test]
fn a_pass_alone_must_carry_the_whole_table() {
    // Player 0 looks the value up before it speaks to -1.
    for size in 2..=4 {
        let linear = edges(&[(1, 0, size), (0, -1, 2)]);
        let family = hybrid(2, &[2], &[], "R", &edges(&[]), &linear);
        assert_eq!(solved(&family), size == 4);
    }
}

#[test]
fn two_points_are_chased_with_one_bit() {
    for bits in 0..=1 {
        let family = PointerChasing {
            players: 2,
            points: 2,
            rounds: 1,
            bits,
        };
        let game = Arc::new(family.game().unwrap());
        assert_eq!(solvable(&game, &Pointer), bits == 1);
    }
}
