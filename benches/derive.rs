//! The searches behind `derive`. Each bench checks its answer first; the exact ledger is the peer of the one in fixed point.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a benchmark may fail, and its entry point is generated"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use foolproof::bounds::derive::exhaust::{Region, least};
use foolproof::bounds::derive::exponent::{Cut, Exponent, Family};
use foolproof::bounds::derive::{Answer, Cost, Layout, Mode, Opening, Senders, check};
use foolproof::search::derive::search;
use foolproof::search::exponent::all_options;
use num_bigint::BigUint;
use num_rational::BigRational;
use std::hint::black_box;

fn layout(steps: usize, passes: &[u64]) -> Layout {
    Layout::new(steps, passes.iter().map(|a| BigUint::from(*a)).collect()).unwrap()
}

fn cost(s: u64) -> Cost {
    Cost {
        soft: s.into(),
        carry: s.into(),
        senders: Senders::Separate,
        mode: Mode::Refined,
    }
}

fn exponents() {
    for steps in 2..=8 {
        for (_, cut) in Cut::ALL {
            for family in Family::ALL {
                let question = Exponent {
                    steps,
                    family,
                    cut,
                    kappa: BigRational::from_integer(2.into()),
                    first: BigRational::from_integer(0.into()),
                    passes: BigRational::from_integer(0.into()),
                };
                let found = all_options(&question).unwrap();
                if let Some(closed) = question.closed_form() {
                    assert_eq!(found.generic(), Some(&closed));
                }
            }
        }
    }
}

fn derive(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("derive");
    group.sample_size(10);

    let (two, short) = (layout(2, &[0, 0, 1]), cost(32));
    let found = search(&two, &short, Opening::Plain).nontrivial.unwrap();
    assert!(found.ledger.length <= BigUint::from(211_652_u32));
    group.bench_function("search L = 2, s = 32", |b| {
        b.iter(|| search(black_box(&two), &short, Opening::Plain));
    });

    let (three, long) = (layout(3, &[0, 0, 0, 0]), cost(54));
    let found = search(&three, &long, Opening::Plain).nontrivial.unwrap();
    assert!(found.ledger.length <= BigUint::from(8_051_326_047_195_756_u64));
    group.bench_function("search L = 3, s = 54, three full layers", |b| {
        b.iter(|| search(black_box(&three), &long, Opening::Plain));
    });
    group.bench_function("exact ledger of that point", |b| {
        b.iter(|| {
            let ledger = check(&three, &long, black_box(&found.params)).unwrap();
            assert_eq!(ledger.answer(), Answer::Proved);
        });
    });

    let (ff, twelve) = (layout(2, &[0, 0, 0]), cost(12));
    let region = |below| Region {
        below,
        nontrivial: true,
    };
    assert!(
        least(&ff, &twelve, region(4642), 1 << 34)
            .unwrap()
            .best
            .is_none()
    );
    assert!(
        least(&ff, &twelve, region(4643), 1 << 34)
            .unwrap()
            .best
            .is_some()
    );
    group.bench_function("exhaust L = 2, s = 12, below 4642 tokens", |b| {
        b.iter(|| least(black_box(&ff), &twelve, region(4642), 1 << 34));
    });

    exponents();
    group.bench_function("all exponents, L = 2..8, every option", |b| {
        b.iter(exponents)
    });
    group.finish();
}

criterion_group!(benches, derive);
criterion_main!(benches);
