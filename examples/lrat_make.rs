//! Writes the pigeonhole formula and its LRAT proof: `cargo run --release --example lrat_make HOLES FOLDER`.

use std::error::Error;

#[cfg(feature = "cadical")]
fn main() -> Result<(), Box<dyn Error>> {
    use foolproof::game::encode::Cnf;
    use foolproof::search::sat::solver::{Decided, decide_file};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    let mut words = std::env::args().skip(1);
    let (Some(holes), Some(folder)) = (words.next(), words.next()) else {
        return Err("expected HOLES FOLDER".into());
    };
    let holes: i32 = holes.parse()?;
    let mut cnf = Cnf::default();
    cnf.allocate(usize::try_from(holes * (holes + 1))?);
    let variable = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
    for pigeon in 0..=holes {
        cnf.clause((0..holes).map(|hole| variable(pigeon, hole)));
    }
    for hole in 0..holes {
        for a in 0..=holes {
            for b in a + 1..=holes {
                cnf.clause([-variable(a, hole), -variable(b, hole)]);
            }
        }
    }
    let stop = Arc::new(AtomicBool::new(false));
    let Decided::Proof(proof) = decide_file(&cnf, 1 << 32, &stop, &mut 0)? else {
        return Err("a model of the pigeonhole formula".into());
    };
    std::fs::create_dir_all(&folder)?;
    let folder = std::path::Path::new(&folder);
    std::fs::write(folder.join("formula.cnf"), cnf.to_bytes())?;
    std::fs::write(folder.join("proof.lrat"), proof)?;
    Ok(())
}

#[cfg(not(feature = "cadical"))]
fn main() -> Result<(), Box<dyn Error>> {
    Err("built without the SAT solver".into())
}
