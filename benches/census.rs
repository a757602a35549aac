//! The census of a fixed-update reader: counting by transfer against visiting every input. Each bench checks its answer first.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a benchmark may fail, and its entry point is generated"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use foolproof::bounds::census::{Census, Rule};
use num_bigint::{BigInt, BigUint};
use std::hint::black_box;

fn rule(n: u64, states: u64) -> Rule {
    Rule::new(n, n, states, &[31, 17, 1, 1].map(BigInt::from)).unwrap()
}

fn limit() -> BigUint {
    BigUint::from(1_u64 << 32)
}

/// The class sizes that were known before: number, largest, smallest, colliding pairs.
fn check(census: &Census, classes: usize, largest: u64, smallest: u64, pairs: u64) {
    assert_eq!(census.classes(), classes);
    assert_eq!(census.largest(), largest.into());
    assert_eq!(census.smallest(), smallest.into());
    assert_eq!(census.colliding_pairs(), pairs.into());
}

fn census(criterion: &mut Criterion) {
    let (seven, eight, large) = (rule(7, 256), rule(8, 256), rule(64, 4096));
    check(&seven.transfer().unwrap(), 256, 7_600, 115, 2_234_214_633);
    let counted = eight.transfer().unwrap();
    assert_eq!(counted, eight.enumerate(&limit()).unwrap());
    assert_eq!(counted.total(), 16_777_216_u32.into());
    let census = large.transfer().unwrap();
    assert_eq!(census.classes(), 4096);
    assert_eq!(census.total(), BigUint::from(1_u32) << 384_u32);

    let mut group = criterion.benchmark_group("census");
    group.bench_function("count n = 7, S = 256", |b| {
        b.iter(|| black_box(&seven).transfer());
    });
    group.bench_function("count n = 8, S = 256", |b| {
        b.iter(|| black_box(&eight).transfer());
    });
    group.bench_function("count n = 64, S = 4096", |b| {
        b.iter(|| black_box(&large).transfer());
    });
    group.sample_size(10);
    group.bench_function("visit n = 8, S = 256", |b| {
        b.iter(|| black_box(&eight).enumerate(&limit()));
    });
    group.finish();
}

criterion_group!(benches, census);
criterion_main!(benches);
