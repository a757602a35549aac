//! Kernels and recursions. Every answer is checked before it is timed, and once by a program in another language in the same run:
//! `kernel_peer.py`, plain fractions and dictionaries.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a benchmark may fail, and its entry point is generated"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use foolproof::evidence::recursion::Recursion;
use foolproof::evidence::verify::recursion::{Decided, decide};
use foolproof::file::expr::Limits;
use foolproof::rank::gap::Accuracy;
use foolproof::rank::kernel::{Kernel, worst};
use foolproof::rank::ratio_program;
use foolproof::rank::token::Tokens;
use foolproof::search::kernel::{Effort, row_optimum, search};
use foolproof::search::simplex;
use num_rational::BigRational;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::Command;

/// What the other program prints: `name value seconds`, one line each.
fn peer() -> BTreeMap<String, (String, String)> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/kernel_peer.py");
    let output = Command::new("python3").arg(script).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            Some((
                words.next()?.to_owned(),
                (words.next()?.to_owned(), words.next()?.to_owned()),
            ))
        })
        .collect()
}

fn repair() -> Recursion {
    let map = |list: &[(&str, &str)]| {
        list.iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect()
    };
    Recursion {
        range: "k in 1..8".to_owned(),
        symbols: 3,
        length: 8,
        hops: "k".to_owned(),
        start: map(&[("dbl", "find1"), ("acc", "find1")]),
        layers: "l in 2..bits(k)+1".to_owned(),
        look: "dbl".to_owned(),
        set: map(&[
            ("dbl", "there.dbl"),
            (
                "acc",
                "if ((k-1) div 2^(l-2)) mod 2 = 1 then there.acc else acc",
            ),
        ]),
        output: "acc".to_owned(),
    }
}

fn kernels(criterion: &mut Criterion) {
    let peer = peer();
    let tokens = Tokens::cube(4).unwrap();
    let bits = |mask: u64, i: u32| BigRational::from_integer((mask >> i & 1).into());
    let tenth = BigRational::new(1.into(), 10.into());
    let linear = Kernel {
        phi_q: tokens
            .masks()
            .iter()
            .map(|x| {
                let own = BigRational::from_integer(x.count_ones().into()) + &tenth;
                std::iter::once(own)
                    .chain((0..4).map(|i| bits(*x, i)))
                    .collect()
            })
            .collect(),
        phi_k: std::iter::once(vec![BigRational::from_integer(1.into()); 16])
            .chain((0..4).map(|i| tokens.masks().iter().map(|z| -bits(*z, i)).collect()))
            .collect(),
    };
    let alpha = linear.alpha(&tokens).unwrap();
    let row = row_optimum(&tokens, 3, 15, &alpha[15]).unwrap();
    let error = worst(
        &tokens,
        3,
        &alpha,
        &[15],
        std::slice::from_ref(&row.readout),
    )
    .unwrap()
    .error;
    assert_eq!(error, row.error);
    let half = BigRational::new(1.into(), 2.into());
    let program = ratio_program(8, 8, &half).unwrap();
    let ratio = simplex::solve(&program).unwrap().value;
    let claim = repair();
    let Decided::Holds(record, _) = decide(&claim, Limits::default(), "").unwrap() else {
        unreachable!("the repair is right")
    };
    for (name, ours) in [
        ("row-error", error.to_string()),
        ("ratio-8", ratio.to_string()),
        ("recursion-items", record.total.to_string()),
    ] {
        let (theirs, seconds) = &peer[name];
        assert_eq!(&ours, theirs, "{name}");
        println!("{name} = {ours}, the same as the peer's, which took {seconds} s");
    }
    let standard = Accuracy::standard();
    assert!(search(&tokens, 2, &standard, Effort::default(), &|| false).is_some());

    let mut group = criterion.benchmark_group("kernel");
    group.sample_size(10);
    group.bench_function("one row, 16 tokens", |b| {
        b.iter(|| row_optimum(black_box(&tokens), 3, 15, &alpha[15]))
    });
    group.bench_function("ratio of gap 8", |b| {
        b.iter(|| simplex::solve(black_box(&program)))
    });
    group.bench_function("rank 2 on 16 tokens", |b| {
        b.iter(|| {
            search(black_box(&tokens), 2, &standard, Effort::default(), &|| {
                false
            })
        })
    });
    group.bench_function("recursion, 9840 inputs, k in 1..8", |b| {
        b.iter(|| decide(&claim, Limits::default(), ""))
    });
    group.finish();
}

criterion_group!(benches, kernels);
criterion_main!(benches);
