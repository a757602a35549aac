//! Cube and conquer: the formula is cut into cubes, each is refuted on its own, and the proofs are joined.
//!
//! The tree of cubes does not depend on threads, machines or interruptions: which variable splits a cube follows from the formula
//! and the cube, and a cube is split again when it takes more than a fixed number of conflicts.

use super::lift::Lifted;
use super::solver::{Decided, ProofError, decide_file_within};
use super::trim::trim;
use crate::game::encode::Cnf;
use rayon::prelude::*;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cubes that are solved side by side; a constant, so that the result does not depend on the threads.
const WAVE: usize = 8;

/// Literals that are decided, in order.
type Literals = Vec<i32>;

/// A cube of the tree: its branches, `0` for the positive literal and `1` for the negative one, and its literals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cube {
    /// Its place in the tree.
    pub path: String,
    /// Its literals.
    pub literals: Literals,
}

/// What became of a cube.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// Refuted; the proof, over the formula and the cube's literals as unit clauses, may be kept elsewhere.
    Refuted,
    /// Too hard: split into two.
    Split,
    /// Satisfied; the variables that are true, by number.
    Satisfied(Vec<bool>),
}

/// Where finished cubes are kept.
pub trait Store: Sync {
    /// What is known of a cube.
    fn find(&self, path: &str) -> Option<Done>;
    /// Keeps what became of a cube; `proof` is the LRAT text of a refuted one, `conflicts` what it took.
    ///
    /// # Errors
    /// Those of the medium.
    fn put(&self, cube: &Cube, done: &Done, proof: &[u8], conflicts: u64) -> io::Result<()>;
    /// The proof of a refuted cube.
    ///
    /// # Errors
    /// Those of the medium; a proof that is not the one that was kept.
    fn proof(&self, path: &str) -> io::Result<Vec<u8>>;
}

/// How a formula is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Cubes at the start, at least.
    pub cubes: usize,
    /// A cube that takes more conflicts is split.
    pub conflicts: u32,
    /// Only the cubes at the start whose number is `.0` modulo `.1`.
    pub shard: Option<(usize, usize)>,
}

/// How a long run talks to its caller.
pub struct Control<'a> {
    /// Most bytes of one proof.
    pub max_proof: u64,
    /// Ends the run when set.
    pub stop: &'a Arc<AtomicBool>,
    /// Called with (finished, known) cubes.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// False: only what is kept is joined, nothing is solved.
    pub solve: bool,
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("solve", &self.solve)
            .finish_non_exhaustive()
    }
}

/// What came out.
#[derive(Debug)]
pub enum Conquered {
    /// One proof of the formula, as LRAT text.
    Proof(Vec<u8>),
    /// A model.
    Model(Vec<bool>),
    /// All cubes of the shard are refuted.
    ShardDone {
        /// How many.
        refuted: u64,
    },
    /// Stopped, or cubes are missing.
    Open {
        /// Cubes that are refuted.
        refuted: u64,
        /// Cubes that are not.
        open: u64,
    },
}

/// Cuts a formula, refutes the cubes that the store does not know, and joins the proofs.
///
/// # Errors
/// [`ProofError`].
/// # Cost
/// One run of the solver per cube, `WAVE` at a time.
pub fn conquer(
    cnf: &Cnf,
    cut: Cut,
    store: &dyn Store,
    control: &Control<'_>,
) -> Result<Conquered, ProofError> {
    let splitter = Splitter::new(cnf);
    let first = splitter.first_cubes(cut.cubes);
    let mine = |number: &usize| cut.shard.is_none_or(|(i, n)| number % n == i);
    let mut queue: VecDeque<Cube> = (0..first.len())
        .filter(mine)
        .map(|number| first[number].clone())
        .collect();
    let (mut refuted, mut missing) = (0, 0);
    while !queue.is_empty() {
        (control.progress)(refuted, refuted + queue.len() as u64);
        let wave: Vec<Cube> = queue.drain(..queue.len().min(WAVE)).collect();
        let solved: Vec<Option<Done>> = wave
            .par_iter()
            .map(|cube| one(cnf, cube, cut, store, control))
            .collect::<Result<_, _>>()?;
        for (cube, done) in wave.iter().zip(solved) {
            match done {
                None => missing += 1,
                Some(Done::Refuted) => refuted += 1,
                Some(Done::Satisfied(model)) => return Ok(Conquered::Model(model)),
                Some(Done::Split) => queue.extend(splitter.halves(cube)),
            }
        }
        if control.stop.load(Ordering::Relaxed) {
            break;
        }
    }
    let open = missing + queue.len() as u64;
    if open > 0 {
        return Ok(Conquered::Open { refuted, open });
    }
    if cut.shard.is_some() {
        return Ok(Conquered::ShardDone { refuted });
    }
    let mut lifted = Lifted::new(cnf);
    let root = Cube {
        path: String::new(),
        literals: Vec::new(),
    };
    join(&splitter, store, &first, root, &mut lifted)?;
    let proof = lifted.into_bytes();
    Ok(Conquered::Proof(
        trim(cnf, &proof).map_or(proof, |short| short.proof),
    ))
}

/// What becomes of one cube; `None` when the run was stopped.
fn one(
    cnf: &Cnf,
    cube: &Cube,
    cut: Cut,
    store: &dyn Store,
    control: &Control<'_>,
) -> Result<Option<Done>, ProofError> {
    if let Some(done) = store.find(&cube.path) {
        return Ok(Some(done));
    }
    if !control.solve || control.stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let mut with_units = cnf.clone();
    for literal in &cube.literals {
        with_units.clause([*literal]);
    }
    let mut cost = 0;
    let limit = Some(cut.conflicts);
    let decided = decide_file_within(
        &with_units,
        control.max_proof,
        control.stop,
        &mut cost,
        limit,
    );
    let (done, proof) = match decided {
        Err(ProofError::Stopped) => return Ok(None),
        Err(error) => return Err(error),
        Ok(None) => (Done::Split, Vec::new()),
        Ok(Some(Decided::Model(model))) => (Done::Satisfied(model), Vec::new()),
        Ok(Some(Decided::Proof(proof))) => {
            let short = trim(&with_units, &proof).map_or(proof, |short| short.proof);
            (Done::Refuted, short)
        }
    };
    store.put(cube, &done, &proof, cost)?;
    Ok(Some(done))
}

/// Joins the proofs below a cube, depth first; returns the id of its negation.
fn join(
    splitter: &Splitter<'_>,
    store: &dyn Store,
    first: &[Cube],
    root: Cube,
    lifted: &mut Lifted<'_>,
) -> Result<u64, ProofError> {
    let broken = |cube: &Cube| ProofError::Refused(format!("the proof of cube {}", cube.path));
    let mut depth_first = vec![(root, false)];
    let mut ids: Vec<u64> = Vec::new();
    while let Some((cube, joined)) = depth_first.pop() {
        if joined {
            let (Some(second), Some(one)) = (ids.pop(), ids.pop()) else {
                return Err(broken(&cube));
            };
            ids.push(lifted.join(&cube.literals, [one, second]));
            continue;
        }
        // Cubes above the first ones were split without being tried.
        let above = first
            .iter()
            .any(|leaf| leaf.path.len() > cube.path.len() && leaf.path.starts_with(&cube.path));
        if above || store.find(&cube.path) == Some(Done::Split) {
            let [one, second] = splitter.halves(&cube);
            depth_first.extend([(cube, true), (second, false), (one, false)]);
        } else {
            let proof = store.proof(&cube.path)?;
            let id = lifted.cube(&cube.literals, &proof);
            ids.push(id.ok_or_else(|| broken(&cube))?);
        }
    }
    Ok(ids.pop().unwrap_or(0))
}

/// Chooses the variables that split cubes.
struct Splitter<'a> {
    clauses: Vec<&'a [i32]>,
    variables: usize,
    /// For each literal the clauses in which it stands.
    occurrences: BTreeMap<i32, Vec<u32>>,
}

impl<'a> Splitter<'a> {
    fn new(cnf: &'a Cnf) -> Self {
        let clauses: Vec<&[i32]> = cnf.clauses().collect();
        let mut occurrences: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
        for (number, clause) in (0u32..).zip(&clauses) {
            for literal in *clause {
                occurrences.entry(*literal).or_default().push(number);
            }
        }
        Self {
            clauses,
            variables: usize::try_from(cnf.variables()).unwrap_or(0),
            occurrences,
        }
    }

    /// At least so many cubes, unless the formula has too few variables.
    fn first_cubes(&self, wanted: usize) -> Vec<Cube> {
        let mut cubes = VecDeque::from([Cube {
            path: String::new(),
            literals: Vec::new(),
        }]);
        while cubes.len() < wanted {
            let Some(cube) = cubes.pop_front() else { break };
            cubes.extend(self.halves(&cube));
        }
        cubes.make_contiguous().sort_by(|a, b| a.path.cmp(&b.path));
        cubes.into()
    }

    /// A cube with one more literal, both ways.
    fn halves(&self, cube: &Cube) -> [Cube; 2] {
        let variable = self.variable(&cube.literals);
        [("0", variable), ("1", -variable)].map(|(branch, literal)| Cube {
            path: cube.path.clone() + branch,
            literals: cube.literals.iter().copied().chain([literal]).collect(),
        })
    }

    /// The variable with most weight in the clauses that are open after propagation: short clauses weigh more, and both signs
    /// should. The least one among equals.
    fn variable(&self, cube: &[i32]) -> i32 {
        let values = self.propagate(cube);
        let value = |literal: i32| {
            let value = values[literal.unsigned_abs() as usize];
            if literal > 0 { value } else { -value }
        };
        let mut weights = vec![[0u64; 2]; self.variables + 1];
        for clause in &self.clauses {
            if clause.iter().any(|literal| value(*literal) > 0) {
                continue;
            }
            let open = clause.iter().filter(|literal| value(**literal) == 0);
            let weight = 1u64 << 24usize.saturating_sub(2 * open.clone().count());
            for literal in open {
                weights[literal.unsigned_abs() as usize][usize::from(*literal > 0)] += weight;
            }
        }
        let score = |variable: &usize| {
            let [negative, positive] = weights[*variable];
            let product = u128::from(negative + 1) * u128::from(positive + 1);
            (product, std::cmp::Reverse(*variable))
        };
        let decided =
            |variable: &usize| cube.iter().any(|l| l.unsigned_abs() as usize == *variable);
        let free = (1..=self.variables).filter(|variable| values[*variable] == 0);
        let any = (1..=self.variables).filter(|variable| !decided(variable));
        let best = free.max_by_key(score).or_else(|| any.min());
        best.and_then(|best| i32::try_from(best).ok()).unwrap_or(1)
    }

    /// Unit propagation; where it meets a contradiction it just ends.
    fn propagate(&self, cube: &[i32]) -> Vec<i8> {
        let mut values = vec![0i8; self.variables + 1];
        let mut queue: VecDeque<i32> = cube.iter().copied().collect();
        let units = self.clauses.iter().filter(|clause| clause.len() == 1);
        queue.extend(units.map(|clause| clause[0]));
        let mut falsified = vec![0usize; self.clauses.len()];
        while let Some(literal) = queue.pop_front() {
            let place = literal.unsigned_abs() as usize;
            let sign = if literal > 0 { 1 } else { -1 };
            if values[place] != 0 {
                if values[place] == sign {
                    continue;
                }
                break;
            }
            values[place] = sign;
            for number in self.occurrences.get(&-literal).into_iter().flatten() {
                let number = *number as usize;
                let clause = self.clauses[number];
                falsified[number] += 1;
                if falsified[number] + 1 != clause.len() {
                    continue;
                }
                let open = |literal: &&i32| values[literal.unsigned_abs() as usize] == 0;
                queue.extend(clause.iter().find(open));
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::verify::lrat;
    use std::sync::Mutex;

    /// Keeps everything in memory.
    #[derive(Default)]
    struct Memory(Mutex<BTreeMap<String, (Done, Vec<u8>)>>);

    impl Store for Memory {
        fn find(&self, path: &str) -> Option<Done> {
            let kept = self.0.lock().unwrap();
            kept.get(path).map(|(done, _)| done.clone())
        }

        fn put(&self, cube: &Cube, done: &Done, proof: &[u8], _: u64) -> io::Result<()> {
            let entry = (done.clone(), proof.to_vec());
            self.0.lock().unwrap().insert(cube.path.clone(), entry);
            Ok(())
        }

        fn proof(&self, path: &str) -> io::Result<Vec<u8>> {
            Ok(self.0.lock().unwrap()[path].1.clone())
        }
    }

    /// `holes + 1` pigeons.
    fn pigeons(holes: i32) -> Cnf {
        let mut cnf = Cnf::default();
        cnf.allocate(usize::try_from(holes * (holes + 1)).unwrap());
        let sits = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
        for pigeon in 0..=holes {
            cnf.clause((0..holes).map(|hole| sits(pigeon, hole)));
        }
        for hole in 0..holes {
            for a in 0..=holes {
                for b in a + 1..=holes {
                    cnf.clause([-sits(a, hole), -sits(b, hole)]);
                }
            }
        }
        cnf
    }

    fn run(cnf: &Cnf, cut: Cut, store: &Memory, solve: bool) -> Conquered {
        let control = Control {
            max_proof: 1 << 24,
            stop: &Arc::new(AtomicBool::new(false)),
            progress: &|_, _| {},
            solve,
        };
        conquer(cnf, cut, store, &control).unwrap()
    }

    fn cut(cubes: usize, conflicts: u32, shard: Option<(usize, usize)>) -> Cut {
        Cut {
            cubes,
            conflicts,
            shard,
        }
    }

    #[test]
    fn proofs_of_cubes_are_joined_and_cubes_are_split_again() {
        let cnf = pigeons(6);
        for (cubes, conflicts) in [(1, 1 << 20), (8, 1 << 20), (5, 40), (1, 10)] {
            let store = Memory::default();
            let Conquered::Proof(proof) = run(&cnf, cut(cubes, conflicts, None), &store, true)
            else {
                panic!("no proof");
            };
            let checked = lrat::check(cnf.variables(), cnf.clauses(), &mut proof.as_slice());
            assert!(checked.is_ok(), "{cubes} {conflicts} {checked:?}");
            let split = store
                .0
                .lock()
                .unwrap()
                .values()
                .any(|(done, _)| *done == Done::Split);
            assert_eq!(split, conflicts < 100, "{cubes} {conflicts}");
        }
    }

    #[test]
    fn shards_together_are_the_whole() {
        let cnf = pigeons(6);
        let whole = run(&cnf, cut(8, 60, None), &Memory::default(), true);
        let store = Memory::default();
        for shard in 0..3 {
            let before = run(&cnf, cut(8, 60, None), &store, false);
            assert!(matches!(before, Conquered::Open { .. }), "{before:?}");
            let done = run(&cnf, cut(8, 60, Some((shard, 3))), &store, true);
            assert!(matches!(done, Conquered::ShardDone { .. }), "{done:?}");
        }
        let joined = run(&cnf, cut(8, 60, None), &store, false);
        let (Conquered::Proof(whole), Conquered::Proof(joined)) = (whole, joined) else {
            panic!("no proof");
        };
        assert_eq!(whole, joined);
    }

    #[test]
    fn a_model_ends_the_run() {
        let mut cnf = Cnf::default();
        cnf.allocate(4);
        cnf.clause([1, 2]);
        cnf.clause([-1, 3, 4]);
        let found = run(&cnf, cut(4, 100, None), &Memory::default(), true);
        let Conquered::Model(model) = found else {
            panic!("{found:?}");
        };
        let holds = |literal: &i32| model[literal.unsigned_abs() as usize] == (*literal > 0);
        assert!(cnf.clauses().all(|clause| clause.iter().any(holds)));
    }
}
