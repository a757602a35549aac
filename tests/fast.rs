//! The fast evaluator and the fast decomposition against the naive ones, on random games of every family.
#![cfg(feature = "search")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod support;

use foolproof::game::family::pointer_chasing::PointerChasing;
use foolproof::game::family::sparse::Sparse;
use foolproof::game::family::{chain_of_thought, one_way, streaming};
use foolproof::game::strategy::{Lookup, PseudoRandom};
use foolproof::game::structure::decomposition::{Frame, Question, Replay, Tie, build};
use foolproof::game::task::composition::Composition;
use foolproof::game::task::listed::Listed;
use foolproof::game::{
    Accepted, Answer, Game, PlayerId, Protocol, Sight, SlotId, SpeakError, Symbol, View,
};
use foolproof::search::check::{Control, check, check_naive};
use foolproof::search::decompose::{Control as Steering, Fast, Method, Work, decompose};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use support::{alphabet, answers, edges, forwards, hybrid, number, numbers, reads, says, table};

/// A small generator; the same games on every run.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        dice.below(2);
        dice
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn one<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[usize::try_from(self.below(list.len() as u64)).unwrap()]
    }
}

/// A pseudo-random protocol that may also answer, or sometimes speak out of turn.
struct Drawn {
    inner: Arc<dyn Protocol + Send + Sync>,
    answers: Option<u64>,
    loud: bool,
}

fn scramble(view: &View) -> u64 {
    let said = view
        .stored
        .iter()
        .map(|(slot, symbol)| slot.0 as u64 * 7 + symbol.0);
    view.input
        .iter()
        .copied()
        .chain(said)
        .fold(17, |hash, number| {
            (hash ^ number).wrapping_mul(0x100_0000_01b3)
        })
}

impl Protocol for Drawn {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        if self.loud && scramble(sight.sender()) % 97 == 5 {
            return Ok(Symbol(1_000));
        }
        self.inner.message(slot, sight)
    }

    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(self
            .answers
            .map(|answers| Answer(scramble(view) / 5 % answers)))
    }
}

fn random_hybrid(dice: &mut Dice) -> (Game, Composition) {
    let shapes: [(u64, &[u64], &[u64]); 6] = [
        (1, &[2, 2], &[1]),
        (2, &[2, 2], &[1]),
        (2, &[2, 2], &[2]),
        (2, &[3, 2], &[1]),
        (1, &[2, 2, 2], &[1, 1]),
        (2, &[2, 3], &[1]),
    ];
    let (start, ranges, queries) = shapes[usize::try_from(dice.below(6)).unwrap()];
    let words = [
        "FF", "FRF", "RFF", "FFR", "F", "FRR", "FFF", "RR", "FFRF", "RFRFR",
    ];
    let word = dice.one(&words);
    let steps = i64::try_from(ranges.len()).unwrap();
    let mut soft = Vec::new();
    let mut linear = Vec::new();
    for from in 0..=steps {
        for to in -1..from {
            if dice.below(2) == 0 {
                soft.push((from, to, 1 + dice.below(3)));
            }
        }
        if dice.below(2) == 0 {
            linear.push((from, from - 1, 1 + dice.below(3)));
        }
    }
    let game = hybrid(start, ranges, queries, word, &edges(&soft), &edges(&linear));
    let task = Composition {
        steps: ranges.len() as u64,
        start,
        ranges: ranges.to_vec(),
        queries: queries.to_vec(),
    };
    (game.game().unwrap(), task)
}

/// A game of two to four small players with any slots: chosen with any consults, copies, selections with reads.
fn random_schedule(dice: &mut Dice) -> Game {
    let count = 2 + dice.below(3);
    let n = usize::try_from(count).unwrap();
    let sizes: Vec<u64> = (0..n).map(|_| 1 + dice.below(4)).collect();
    let player = |dice: &mut Dice| usize::try_from(dice.below(count)).unwrap();
    let mut rounds = Vec::new();
    let mut slots = 0;
    for round in 1..=1 + dice.below(4) {
        let mut list = Vec::new();
        for _ in 0..=dice.below(2) {
            let (from, to) = (player(dice), player(dice));
            let slot = match dice.below(5) {
                0 if from != to && round < 3 => forwards(from, to, round),
                1 if from != to => answers(from, to, 1 + dice.below(3), round),
                2 => {
                    let mut slot = says(from, to, 1 + dice.below(3), round);
                    let others = (0..n).filter(|other| *other != from).map(PlayerId);
                    slot.consults = others.filter(|_| dice.below(2) == 0).collect();
                    slot
                }
                _ => says(from, to, 1 + dice.below(4), round),
            };
            list.push(slot);
        }
        slots += list.len();
        rounds.push(list);
    }
    if dice.below(3) == 0 {
        // One read of one player: the selection has n - 1 symbols.
        let reader = player(dice);
        rounds.push(vec![says(reader, reader, count - 1, 8)]);
        rounds.push(vec![reads(reader, slots, 0, 9)]);
    }
    let output = PlayerId(player(dice));
    Game::new(numbers(&sizes), rounds, output).unwrap()
}

fn random_game(dice: &mut Dice) -> Game {
    let symbols = alphabet(1 + dice.below(4));
    match dice.below(8) {
        0 => one_way::game(
            symbols,
            table(2, 1 + dice.below(3)),
            number(1 + dice.below(3)),
        )
        .unwrap(),
        1 => chain_of_thought::game(symbols, table(2, 2), number(3), 1 + dice.below(3)).unwrap(),
        2 => {
            let inputs = (0..=1 + dice.below(3)).map(|_| number(1 + dice.below(3)));
            streaming::game(&symbols, inputs.collect(), 1 + dice.below(2)).unwrap()
        }
        3 => {
            let sparse = Sparse {
                blocks: 2,
                block: 1 + dice.below(2),
                values: 2,
                read: dice.below(3),
                heads: 1,
                symbols,
                shared_map: dice.below(2) == 0,
            };
            sparse.game().unwrap()
        }
        4 => {
            let chasing = PointerChasing {
                players: 2 + dice.below(2),
                points: 2,
                rounds: 1 + dice.below(2),
                bits: 1,
            };
            chasing.game().unwrap()
        }
        5 | 6 => random_hybrid(dice).0,
        _ => random_schedule(dice),
    }
}

fn random_task(dice: &mut Dice, game: &Game) -> Listed {
    let inputs = game.inputs_size().unwrap().to_usize().unwrap();
    let kind = dice.below(4);
    let accepted = (0..inputs).map(|_| match (kind, dice.below(12)) {
        (0 | 1, 0) => Accepted::All,
        (0, _) => Accepted::One(0),
        (1, roll) => Accepted::Only((0..3).filter(|answer| (roll + answer) & 5 != 0).collect()),
        (2, roll) => Accepted::One(roll % 2),
        (_, roll) => Accepted::Only((0..3).filter(|answer| roll >> answer & 1 == 1).collect()),
    });
    let accepted = accepted.collect();
    Listed::new(game, 3, accepted)
}

#[test]
fn the_fast_evaluator_agrees_with_the_naive_one_on_ten_thousand_games() {
    let verdicts: Vec<&str> = (0..10_000u64)
        .into_par_iter()
        .map(|seed| {
            let mut dice = Dice::new(seed);
            let game = Arc::new(random_game(&mut dice));
            let task = random_task(&mut dice, &game);
            let random: Arc<dyn Protocol + Send + Sync> = Arc::new(PseudoRandom {
                game: game.clone(),
                seed: seed.into(),
            });
            let lookup = Lookup::new(game.clone()).filter(|_| dice.below(2) == 0);
            let protocol = Drawn {
                inner: lookup.map_or(random, |lookup| Arc::new(lookup)),
                answers: (dice.below(2) == 0).then(|| 1 + dice.below(4)),
                loud: dice.below(8) == 0,
            };
            let control = Control {
                progress: &|_, _| (),
                stop: &AtomicBool::new(false),
            };
            let limit = BigUint::from(1u32 << 16);
            let fast = check(&game, &task, &protocol, &limit, &control);
            let naive = check_naive(&game, &task, &protocol, &limit, &control);
            assert_eq!(fast, naive, "seed {seed}");
            match fast {
                Ok(foolproof::search::Checked::Correct { .. }) => "correct",
                Ok(foolproof::search::Checked::Pair(_)) => "pair",
                Ok(foolproof::search::Checked::Conflict(_)) => "conflict",
                Ok(foolproof::search::Checked::Counterexample(_)) => "counterexample",
                Ok(foolproof::search::Checked::Stopped { .. }) => "stopped",
                Err(_) => "illegal",
            }
        })
        .collect();
    for word in ["correct", "pair", "conflict", "counterexample", "illegal"] {
        let seen = verdicts.iter().filter(|verdict| **verdict == word).count();
        assert!(seen >= 20, "{word}: {seen}");
    }
}

#[test]
fn the_fast_decomposition_agrees_with_the_naive_one() {
    let sizes: Vec<usize> = (0..1_500u64)
        .into_par_iter()
        .map(|seed| {
            let mut dice = Dice::new(seed + 77);
            let (game, task) = random_hybrid(&mut dice);
            let game = Arc::new(game);
            let lookup = Lookup::new(game.clone()).unwrap();
            let random = PseudoRandom {
                game: game.clone(),
                seed: seed.into(),
            };
            let protocol: &(dyn Protocol + Sync) = if seed % 3 == 0 { &lookup } else { &random };
            let question = Question {
                x: (0..task.steps).map(|_| 1 + dice.below(3)).collect(),
                tie: if dice.below(2) == 0 {
                    Tie::Least
                } else {
                    Tie::Greatest
                },
                one_shot: dice.below(3) == 0,
            };
            let frame = Frame::new(&game, &task, protocol).unwrap();
            let limit = BigUint::from(1u32 << 20);
            let control = Steering {
                progress: &|_, _| (),
                stop: &AtomicBool::new(false),
                work: &Work::default(),
            };
            let fast = Fast {
                limit: &limit,
                control: &control,
            };
            let found = build(&frame, &question, &fast).unwrap();
            let naive = build(&frame, &question, &Replay { limit: &limit }).unwrap();
            assert_eq!(found, naive, "seed {seed}");
            found.levels.len()
        })
        .collect();
    assert!(sizes.contains(&1) && sizes.contains(&2));
}

fn toy(
    start: u64,
    ranges: &[u64],
    queries: &[u64],
    word: &str,
    soft: &[(i64, i64, u64)],
) -> (Arc<Game>, Composition) {
    let game = hybrid(start, ranges, queries, word, &edges(soft), &edges(&[]));
    let task = Composition {
        steps: ranges.len() as u64,
        start,
        ranges: ranges.to_vec(),
        queries: queries.to_vec(),
    };
    (Arc::new(game.game().unwrap()), task)
}

/// Messages and elements of the chain at L = 3 on 331,776 inputs: what is looked at does not grow with the product.
#[test]
fn the_work_is_counted() {
    let soft = [(3, -1, 2), (2, -1, 3), (1, 0, 4), (0, -1, 4)];
    let (game, task) = toy(2, &[4, 3, 2], &[1, 2], "FFF", &soft);
    let lookup = Lookup::new(game.clone()).unwrap();
    let frame = Frame::new(&game, &task, &lookup).unwrap();
    let question = Question {
        x: vec![2, 2, 2],
        tie: Tie::Least,
        one_shot: false,
    };
    let work = Work::default();
    let control = Steering {
        progress: &|_, _| (),
        stop: &AtomicBool::new(false),
        work: &work,
    };
    let limit = BigUint::from(1u32 << 22);
    let (found, _) = decompose(&frame, &question, Method::Auto, &limit, &control).unwrap();
    assert_eq!(found.levels[0].size(), 144u32.into());
    let messages = work.messages.load(Ordering::Relaxed);
    let elements = work.elements.load(Ordering::Relaxed);
    assert!(messages <= 3_000, "{messages} messages");
    // Two passes over R per slot: 2 * (5184 + 1296 + 432 + 432), then 16 or 64 per slot of level 3.
    assert!(
        elements <= 2 * (5_184 + 1_296 + 432 + 432) + 400,
        "{elements} elements"
    );
}

#[test]
fn the_decomposition_does_not_depend_on_threads() {
    let soft = [
        (3, 2, 2),
        (3, -1, 2),
        (2, -1, 3),
        (1, 0, 4),
        (0, -1, 4),
        (2, 0, 2),
    ];
    let (game, task) = toy(2, &[4, 3, 2], &[1, 2], "FRFF", &soft);
    let random = PseudoRandom {
        game: game.clone(),
        seed: 5u8.into(),
    };
    let frame = Frame::new(&game, &task, &random).unwrap();
    let question = Question {
        x: vec![2, 2, 2],
        tie: Tie::Least,
        one_shot: false,
    };
    let limit = BigUint::from(1u32 << 22);
    let found: Vec<_> = [1, 2, 4, 8]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                let control = Steering {
                    progress: &|_, _| (),
                    stop: &AtomicBool::new(false),
                    work: &Work::default(),
                };
                decompose(&frame, &question, Method::Enumerate, &limit, &control).unwrap()
            })
        })
        .collect();
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_stopped_decomposition_says_so() {
    let (game, task) = toy(2, &[4, 2], &[2], "FF", &[(0, -1, 4), (2, -1, 2)]);
    let lookup = Lookup::new(game.clone()).unwrap();
    let frame = Frame::new(&game, &task, &lookup).unwrap();
    let question = Question {
        x: vec![2, 2],
        tie: Tie::Least,
        one_shot: false,
    };
    let control = Steering {
        progress: &|_, _| (),
        stop: &AtomicBool::new(true),
        work: &Work::default(),
    };
    let limit = BigUint::from(1u32 << 22);
    let failure = decompose(&frame, &question, Method::Enumerate, &limit, &control).unwrap_err();
    let at = failure.violation().unwrap().at.clone();
    assert_eq!(at, foolproof::search::decompose::STOPPED);
}
