//! The LRAT checker alone, on plain files: `cargo run --release --example lrat_check FORMULA.cnf PROOF.lrat`.
//!
//! The proof is read as a stream; memory is that of the live clauses.
#![allow(clippy::print_stdout, reason = "a command")]

use foolproof::evidence::verify::lrat;
use foolproof::game::encode::Cnf;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};

fn formula(path: &str) -> Result<Cnf, Box<dyn Error>> {
    let mut cnf = Cnf::default();
    for line in BufReader::new(File::open(path)?).lines() {
        let line = line?;
        if let Some(sizes) = line.strip_prefix("p cnf ") {
            let variables = sizes.split(' ').next().unwrap_or("0");
            cnf.allocate(variables.parse()?);
            continue;
        }
        let literals: Vec<i32> = line
            .split_ascii_whitespace()
            .map(str::parse)
            .collect::<Result<_, _>>()?;
        cnf.clause(literals.into_iter().filter(|literal| *literal != 0));
    }
    Ok(cnf)
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [formula_path, proof_path] = paths.as_slice() else {
        return Err("expected FORMULA.cnf PROOF.lrat".into());
    };
    let cnf = formula(formula_path)?;
    let mut proof = BufReader::with_capacity(1 << 16, File::open(proof_path)?);
    let checked = lrat::check(cnf.variables(), cnf.clauses(), &mut proof)?;
    println!("refuted in {} steps", checked.steps);
    Ok(())
}
