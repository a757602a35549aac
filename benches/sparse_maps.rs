//! All summary maps of small block-sparse games. Each bench checks its answer first.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a benchmark may fail, and its entry point is generated"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use foolproof::search::sparse_maps::{Space, SparseMaps};
use num_bigint::BigUint;
use std::hint::black_box;

fn sparse_maps(criterion: &mut Criterion) {
    let limit = BigUint::from(1_u64 << 32);
    let game = SparseMaps {
        values: 4,
        block: 2,
        blocks: 2,
        read: 1,
        space: Space::Sets,
    };
    let found = game.shared(false, &limit).unwrap();
    assert_eq!((found.visited, found.minimum()), (115_975, Some(10)));
    let mut group = criterion.benchmark_group("sparse maps");
    group.sample_size(20);
    group.bench_function("all 115,975", |b| {
        b.iter(|| black_box(&game).shared(false, &limit));
    });
    group.bench_function("all 115,975, pruned", |b| {
        b.iter(|| black_box(&game).shared(true, &limit));
    });
    group.finish();
}

criterion_group!(benches, sparse_maps);
criterion_main!(benches);
