//! Depths of protocol trees with both proofs. Each bench checks its answer first; boofun, where Python has it, gives its bounds
//! on the same matrices in the same run.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark may fail, reports, and its entry point is generated"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use foolproof::matrix::{Matrix, Named};
use foolproof::search::matrix::{Small, depth};
use std::hint::black_box;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

/// A tree and a lower bound for each 4x4 matrix; gives the histogram of depths and the nodes of all trees.
fn all_4x4() -> (Vec<usize>, usize) {
    let small = Small::new(4, 4).unwrap();
    let (mut histogram, mut nodes) = (vec![0; 4], 0);
    for word in 0..1_usize << 16 {
        let matrix = small.matrix(word).unwrap();
        histogram[usize::from(small.depth(word))] += 1;
        nodes += small.tree(word).nodes.len();
        black_box(small.lower(&matrix, word));
    }
    (histogram, nodes)
}

/// A generator that any language reproduces (SplitMix64).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut x = *state;
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn random_matrix(side: usize, state: &mut u64) -> Matrix {
    let rows: Vec<u64> = (0..side).map(|_| random(state)).collect();
    Matrix::of(side, side, |i, j| rows[i] >> j & 1).unwrap()
}

fn exact(matrix: &Matrix) -> u32 {
    let found = depth(matrix, &AtomicBool::new(false));
    assert!(found.exact());
    found.upper
}

/// What boofun says about matrices whose depth is known.
fn peer(name: &str, matrices: &[Matrix]) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/boofun_peer.py");
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("{name}: no Python, no peer");
        return;
    };
    let text: String = matrices
        .iter()
        .map(|matrix| format!("{} {}\n", matrix.texts().concat(), exact(matrix)))
        .collect();
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    let output = child.wait_with_output().unwrap();
    println!(
        "{name}, boofun: {}",
        String::from_utf8_lossy(&output.stdout).trim()
    );
}

fn matrices(criterion: &mut Criterion) {
    assert_eq!(all_4x4().0, [2, 28, 2_842, 62_664]);
    let mut group = criterion.benchmark_group("depth");
    group.sample_size(10);
    group.bench_function("all 65,536 4x4, tree and lower bound", |b| b.iter(all_4x4));
    for (name, expected) in [("EQ", 4), ("GT", 4), ("DISJ", 4), ("IP", 4), ("IND", 3)] {
        let matrix = Named::of_name(name).unwrap().matrix(3).unwrap();
        assert_eq!(exact(&matrix), expected);
        group.bench_function(format!("{name}, 3 bits"), |b| {
            b.iter(|| exact(black_box(&matrix)))
        });
    }
    for (side, count) in [(4, 400), (8, 100), (10, 100)] {
        let mut state = 1;
        let list: Vec<Matrix> = (0..count)
            .map(|_| random_matrix(side, &mut state))
            .collect();
        group.bench_function(format!("{count} random {side}x{side}"), |b| {
            b.iter(|| list.iter().map(exact).sum::<u32>());
        });
        if side < 10 {
            peer(&format!("{count} random {side}x{side}"), &list);
        }
    }
    group.finish();
    let named: Vec<Matrix> = ["EQ", "GT", "DISJ", "IP"]
        .iter()
        .map(|name| Named::of_name(name).unwrap().matrix(3).unwrap())
        .collect();
    peer("EQ, GT, DISJ, IP of 3 bits", &named);
}

criterion_group!(benches, matrices);
criterion_main!(benches);
