//! The solver against the search of all protocols, on random tiny games.
//!
//! `cargo test` takes a few hundred games; 10,000 with `SOLVE_ALL=1 cargo test --release --test oracle`.
#![cfg(feature = "cadical")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use foolproof::exact::{Alphabet, Domain, Form};
use foolproof::game::encode::Encoding;
use foolproof::game::task::listed::Listed;
use foolproof::game::{
    Accepted, Channel, Game, Inputs, Label, Player, PlayerId, Rule, Slot, SlotId, Task,
};
use foolproof::search::answers::Answers;
use foolproof::search::brute::{self, Found as Tried};
use foolproof::search::sat::solver::{Said, Solver};
use foolproof::search::sat::{Bounds, Found, Stats, by_rounds, whole};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A small generator; the same games on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

fn place(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

fn slot(dice: &mut Dice, players: u64) -> Slot {
    let from = dice.below(players);
    let to = (from + 1 + dice.below(players - 1)) % players;
    let consults = match dice.below(3) {
        0 => vec![PlayerId(place(to))],
        1 => vec![PlayerId(place(
            (from + 1 + dice.below(players - 1)) % players,
        ))],
        _ => Vec::new(),
    };
    Slot {
        from: PlayerId(place(from)),
        to: PlayerId(place(to)),
        consults,
        channel: Channel::Soft,
        rule: Rule::Chosen(Alphabet::new((1 + dice.below(3)).into()).unwrap()),
        at: vec![1],
    }
}

fn game(dice: &mut Dice) -> Game {
    let players = 2 + dice.below(2);
    let list = (0..players)
        .map(|number| Player {
            label: Label(number.to_string()),
            domain: Domain::single("x", Form::Number(1 + dice.below(3))).unwrap(),
        })
        .collect();
    let rounds = (0..=dice.below(3))
        .map(|_| (0..=dice.below(2)).map(|_| slot(dice, players)).collect())
        .collect();
    let output = PlayerId(place(dice.below(players)));
    Game::new(list, rounds, output).unwrap()
}

/// A game with forwarded views, reads, or functions that several slots share.
fn copying_game(dice: &mut Dice) -> Game {
    let players = 2 + dice.below(2);
    let shared = dice.below(3) == 0;
    // Players that share a function have one domain.
    let common = 1 + dice.below(3);
    let list = (0..players)
        .map(|number| {
            let size = if shared { common } else { 1 + dice.below(3) };
            Player {
                label: Label(number.to_string()),
                domain: Domain::single("x", Form::Number(size)).unwrap(),
            }
        })
        .collect();
    let mut rounds: Vec<Vec<Slot>> = (0..=dice.below(2))
        .map(|_| (0..=dice.below(2)).map(|_| slot(dice, players)).collect())
        .collect();
    let mut same = Vec::new();
    if shared {
        // The first slots of the game, or of a later round, from two players to anybody.
        let late = usize::from(dice.below(3) == 0);
        let size = 2 + dice.below(2);
        let before = rounds[..late].iter().map(Vec::len).sum::<usize>();
        let round: Vec<Slot> = (0..2)
            .map(|from| {
                let mut slot = slot(dice, players);
                slot.from = PlayerId(from);
                slot.to = PlayerId(place((from as u64 + 1 + dice.below(players - 1)) % players));
                slot.consults.clear();
                slot.rule = Rule::Chosen(Alphabet::new(size.into()).unwrap());
                slot
            })
            .collect();
        rounds.insert(late, round);
        same = vec![SlotId(before), SlotId(before + 1)];
    }
    for _ in 0..=dice.below(2) {
        let before: usize = rounds.iter().map(Vec::len).sum();
        let to = dice.below(players);
        let mut forward = slot(dice, players);
        forward.consults.clear();
        forward.rule = Rule::Forward;
        if shared || dice.below(2) == 0 {
            rounds.push(vec![forward]);
        } else {
            // A selection and its reads.
            let k = 1 + dice.below(players - 1);
            let symbols = if k == players - 1 { 1 } else { players - 1 };
            let mut selection = slot(dice, players);
            selection.to = PlayerId(place(to));
            if selection.consults.contains(&selection.from) {
                selection.consults.clear();
            }
            selection.rule = Rule::Chosen(Alphabet::new(symbols.into()).unwrap());
            rounds.push(vec![selection]);
            let read = |rank| Slot {
                from: PlayerId(place(to)),
                to: PlayerId(place(to)),
                consults: Vec::new(),
                channel: Channel::Read,
                rule: Rule::Read {
                    by: SlotId(before),
                    rank,
                },
                at: vec![1],
            };
            rounds.push((0..place(k)).map(read).collect());
        }
        if dice.below(3) == 0 {
            rounds.push(vec![slot(dice, players)]);
        }
    }
    let output = PlayerId(place(dice.below(players)));
    let game = Game::new(list, rounds, output).unwrap();
    match game.clone().with_shared(same) {
        Ok(shared) => shared,
        // What the two hear differs: then each has its own function.
        Err(_) => game,
    }
}

fn task(dice: &mut Dice, game: &Game) -> Listed {
    let answers = 2 + dice.below(2);
    let relation = dice.below(3) == 0;
    let values = Inputs::all(game)
        .map(|_| {
            let one = dice.below(answers);
            match dice.below(4) {
                0 if relation => Accepted::All,
                1 if relation => {
                    let mut two = vec![one, (one + 1) % answers];
                    two.sort_unstable();
                    Accepted::Only(two)
                }
                _ => Accepted::One(one),
            }
        })
        .collect();
    Listed::new(game, answers, values)
}

fn by_formula(game: &Game, task: &dyn Task, symmetry: bool, stop: &Arc<AtomicBool>) -> bool {
    let all: Vec<Inputs> = Inputs::all(game).collect();
    let formula = Encoding::of(game)
        .formula(game, task, &all, symmetry)
        .unwrap();
    let mut solver = Solver::new(stop);
    solver.formula(&formula.cnf);
    match solver.solve(&[], None) {
        Said::Satisfiable => true,
        Said::Unsatisfiable => false,
        Said::Unknown => panic!("nobody stopped it"),
    }
}

/// Compares on one game; `None` when it has too many protocols.
fn compare(seed: u64, make: fn(&mut Dice) -> Game) -> Option<bool> {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..8 {
        dice.below(2);
    }
    let game = make(&mut dice);
    let task = task(&mut dice, &game);
    let limit = (1u32 << 22).into();
    // Tables of some games with copies are too large to be written down.
    let Ok(tried) = brute::search(&game, &task, &limit, 1 << 14) else {
        return None;
    };
    let exists = match tried {
        Tried::Protocol(tables) => {
            tables.holds(&game, &task, &limit).unwrap();
            true
        }
        Tried::Nothing { .. } => false,
        Tried::TooMany { .. } | Tried::Refused(_) => return None,
    };
    let stop = Arc::new(AtomicBool::new(false));
    assert_eq!(
        by_formula(&game, &task, false, &stop),
        exists,
        "seed {seed}, plain"
    );
    assert_eq!(
        by_formula(&game, &task, true, &stop),
        exists,
        "seed {seed}, ordered"
    );
    let answers = Answers::of(&game, &task, &limit).unwrap();
    let bounds = Bounds {
        max_proof: 1 << 24,
        stop: stop.clone(),
    };
    let found = whole(&game, &task, &answers, &bounds, &mut Stats::default()).unwrap();
    check(seed, &game, &task, exists, found);
    let found = by_rounds(&game, &task, &answers, &bounds, &mut Stats::default()).unwrap();
    check(seed, &game, &task, exists, found);
    Some(exists)
}

/// A protocol must be right everywhere; a core must be refuted, and none of its inputs superfluous.
fn check(seed: u64, game: &Game, task: &Listed, exists: bool, found: Found) {
    let stop = Arc::new(AtomicBool::new(false));
    let limit = (1u32 << 22).into();
    match found {
        Found::Protocol(tables) => {
            assert!(exists, "seed {seed}");
            tables.holds(game, task, &limit).unwrap();
        }
        Found::Core(core) => {
            assert!(!exists, "seed {seed}");
            assert!(core.minimal, "seed {seed}");
            let formula = Encoding::of(game)
                .formula(game, task, &core.inputs, true)
                .unwrap();
            let mut solver = Solver::new(&stop);
            solver.formula(&formula.cnf);
            assert_eq!(solver.solve(&[], None), Said::Unsatisfiable, "seed {seed}");
            for left_out in 0..core.inputs.len() {
                let mut rest = core.inputs.clone();
                rest.remove(left_out);
                let formula = Encoding::of(game).formula(game, task, &rest, true).unwrap();
                let mut solver = Solver::new(&stop);
                solver.formula(&formula.cnf);
                assert_eq!(solver.solve(&[], None), Said::Satisfiable, "seed {seed}");
            }
        }
        Found::Stopped => panic!("nobody stopped it"),
    }
}

fn compare_many(make: fn(&mut Dice) -> Game, rare: usize) {
    let wanted = if std::env::var_os("SOLVE_ALL").is_some() {
        10_000
    } else {
        300
    };
    let verdicts: Vec<bool> = (1..wanted * 3)
        .into_par_iter()
        .filter_map(|seed| compare(seed, make))
        .collect();
    let solvable = verdicts.iter().filter(|exists| **exists).count();
    println!("{} games, {solvable} solvable", verdicts.len());
    assert!(verdicts.len() >= place(wanted), "{}", verdicts.len());
    assert!(
        solvable * rare > verdicts.len() && solvable * rare < (rare - 1) * verdicts.len(),
        "{solvable}"
    );
}

#[test]
fn the_solver_agrees_with_all_protocols() {
    compare_many(game, 5);
}

#[test]
fn so_it_does_with_copies_reads_and_shared_functions() {
    // Most of these games are solvable, as copies cost nothing.
    compare_many(copying_game, 10);
}

/// On games that the first encoding is for, the second is the same formula.
#[test]
fn the_encodings_agree_where_both_are_defined() {
    for seed in 1..400u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let game = game(&mut dice);
        let task = task(&mut dice, &game);
        let all: Vec<Inputs> = Inputs::all(&game).collect();
        for symmetry in [false, true] {
            let [one, two] = Encoding::ALL
                .map(|encoding| encoding.formula(&game, &task, &all, symmetry).unwrap().cnf);
            assert_eq!(one, two, "seed {seed}");
        }
    }
}
