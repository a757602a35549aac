//! Tabulation is fast enough; `cargo test --release -- --ignored --nocapture speed`.

use std::time::Instant;

use super::super::*;
use super::Sample;

#[test]
#[ignore = "wall time"]
fn tabulate_a_million_inputs() {
    for text in [
        "f[f[x]]",
        "f[f[x]*c mod 3] + x",
        "sum(i in 0..2: f[i]) mod 2",
        "if any(i in 0..<3: f[i] = 1) then f[x] else 0",
    ] {
        let program = compile(
            &parse(text).unwrap(),
            &Sample,
            Mode::Task,
            Limits::default(),
        )
        .unwrap();
        let mut variables = super::sample_variables();
        let start = Instant::now();
        let mut total = 0;
        for index in 0..1_000_000_i64 {
            variables[0] = Value::Integer((index % 3).into());
            total += program
                .integer(&variables, Limits::default())
                .unwrap()
                .to_i64()
                .unwrap();
        }
        println!(
            "{text}: {:?} for 10^6 evaluations (sum {total})",
            start.elapsed()
        );
    }
}
