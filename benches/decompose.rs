//! Decompositions and the fast evaluator. Each bench checks its answer first; the last ones run the numpy peer when there is one.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark may fail, reports, and its entry point is generated"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use foolproof::audit::decomposition::{frame, settle};
use foolproof::evidence::verify::Options;
use foolproof::file::Source;
use foolproof::file::constants::Overrides;
use foolproof::file::expr::Limits;
use foolproof::file::setting::{self, Setting};
use foolproof::file::strategies::{self, Strategy};
use foolproof::game::structure::decomposition::{Question, Tie};
use foolproof::search::check::{Checked, Control as Steering, check};
use foolproof::search::decompose::{Control, Method, Work, decompose};
use num_bigint::BigUint;
use std::hint::black_box;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

fn load(game: &str) -> (Setting, Strategy) {
    let none = Overrides::new();
    let source = Source::new("game", game);
    let tree = setting::parse_file(&source).unwrap();
    let setting = setting::resolve(&source, &tree, &none, Limits::default()).unwrap();
    let source = Source::new("strategy", "[strategy.lookup]\n");
    let tree = setting::parse_file(&source).unwrap();
    let strategy = strategies::resolve(&source, &tree, &setting, &none, Limits::default()).unwrap();
    (setting, strategy)
}

fn question(x: &[u64]) -> Question {
    Question {
        x: x.to_vec(),
        tie: Tie::Least,
        one_shot: false,
    }
}

fn chain(setting: &Setting, strategy: &Strategy, x: &[u64], method: Method) -> BigUint {
    let frame = frame(setting, strategy).unwrap();
    let (stop, work) = (AtomicBool::new(false), Work::default());
    let control = Control {
        progress: &|_, _| (),
        stop: &stop,
        work: &work,
    };
    let limit = BigUint::from(1u64 << 32);
    let (found, _) = decompose(&frame, &question(x), method, &limit, &control).unwrap();
    found.levels[0].size()
}

/// The chain with evidence that the verifier has accepted.
fn verified(setting: &Setting, strategy: &Strategy) -> String {
    let frame = frame(setting, strategy).unwrap();
    let (stop, work) = (AtomicBool::new(false), Work::default());
    let control = Control {
        progress: &|_, _| (),
        stop: &stop,
        work: &work,
    };
    let limit = BigUint::from(1u64 << 32);
    let settled = settle(
        setting,
        strategy,
        &frame,
        &question(&[2, 2, 2]),
        "bench",
        (Method::Auto, &limit, &Options::default()),
        &control,
    );
    let settled = settled.unwrap().unwrap();
    settled.decision.unwrap().checked.summary().to_owned()
}

fn benches(criterion: &mut Criterion) {
    let three = load(include_str!("../protocols/games/decompose-3.toml"));
    let wide = load(include_str!("../protocols/games/decompose-2-26.toml"));
    let large = load(include_str!("../protocols/games/decompose-3-large.toml"));
    let long = load(include_str!("../protocols/games/decompose-2-long.toml"));
    let summary = verified(&three.0, &three.1);
    assert!(
        summary.contains("R2 = 144 of 5184, R3 = 16 of 64"),
        "{summary}"
    );
    let seven = BigUint::from(1u32 << 19);
    assert_eq!(chain(&wide.0, &wide.1, &[7, 2], Method::Enumerate), seven);
    assert_eq!(chain(&wide.0, &wide.1, &[7, 2], Method::Symbolic), seven);
    let subcube = BigUint::from(3u8).pow(4080);
    assert_eq!(chain(&long.0, &long.1, &[4, 3], Method::Symbolic), subcube);

    let mut group = criterion.benchmark_group("decompose");
    group.sample_size(10);
    group.bench_function("L = 3, 331,776 inputs, verified", |b| {
        b.iter(|| verified(black_box(&three.0), &three.1));
    });
    group.bench_function("L = 2, 2^26 tables, seven questions", |b| {
        b.iter(|| chain(black_box(&wide.0), &wide.1, &[7, 2], Method::Enumerate));
    });
    group.bench_function("L = 2, 4,096 addresses, by rules", |b| {
        b.iter(|| chain(black_box(&long.0), &long.1, &[4, 3], Method::Symbolic));
    });
    group.bench_function("check, 331,776 inputs", |b| {
        b.iter(|| {
            let stop = AtomicBool::new(false);
            let control = Steering {
                progress: &|_, _| (),
                stop: &stop,
            };
            let (setting, strategy) = (&three.0, &three.1);
            let limit = BigUint::from(1u64 << 32);
            let found = check(
                &setting.game,
                &*setting.task,
                &*strategy.protocol,
                &limit,
                &control,
            );
            assert!(matches!(found, Ok(Checked::Pair(_))));
        });
    });
    group.finish();
    // Once is enough for what takes seconds.
    let start = Instant::now();
    let size = chain(&large.0, &large.1, &[2, 2, 2], Method::Enumerate);
    println!(
        "decompose/L = 3, 6,879,707,136 inputs: R2 = {size}, {:?}",
        start.elapsed()
    );
    peer();
}

/// The same classes in numpy; prints nothing without it.
fn peer() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/decompose_numpy.py");
    match Command::new("python3").arg(script).output() {
        Ok(output) if output.status.success() => {
            println!("{}", String::from_utf8_lossy(&output.stdout).trim_end());
        }
        Ok(_) | Err(_) => println!("numpy peer: python3 with numpy is not there, skipped"),
    }
}

criterion_group!(group, benches);
criterion_main!(group);
