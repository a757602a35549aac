//! The searches find what the specification says they find, and nothing they find is wrong.

use super::check::{Checked, Control, check};
use super::exhaustive::{Searched, search};
use super::solvers::propose;
use super::{classes, clique, family};
use crate::exact::{Alphabet, Form};
use crate::game::family::{chain_of_thought, one_way};
use crate::game::structure::fixtures::{
    ByRule, Says, alphabet, chain, cycle, domain, eva, hybrid, percom, player, ptr, slot, sparse,
    toy, two_sum,
};
use crate::game::structure::{Clique, Failure, Family, Pair, Violation, correct};
use crate::game::task::listed::Listed;
use crate::game::task::membership::Membership;
use crate::game::{
    Accepted, Answer, Channel, Game, Inputs, PlayerId, Protocol, Sight, Slot, SlotId, SpeakError,
    Symbol, Task, View, run,
};
use itertools::Itertools;
use num_bigint::BigUint;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn big(number: u64) -> BigUint {
    number.into()
}

fn limit() -> BigUint {
    big(1 << 20)
}

fn checked(
    game: &Game,
    task: &(dyn Task + Sync),
    protocol: &(dyn Protocol + Sync),
) -> Result<Checked, Failure> {
    let control = Control {
        progress: &|_, _| (),
        stop: &AtomicBool::new(false),
    };
    check(game, task, protocol, &limit(), &control)
}

/// The family that is found, checked; members and bound.
fn found(game: &Game, task: &dyn Task) -> Option<(usize, u64)> {
    let family = family::find(game, task, &limit()).unwrap()?;
    assert_eq!(family.holds(game, task, &limit()), Ok(()));
    Some((family.members.len(), u64::try_from(&family.bound).unwrap()))
}

#[test]
fn check_finds_the_pair_of_the_tutorial() {
    let (game, task) = chain(3, false);
    let says_sum = Says(
        |slot, sight| match slot.0 {
            1 => sight.sender().input.iter().sum(),
            2 => sight.sender().input[usize::try_from(sight.consulted()[0].input[0]).unwrap()],
            _ => 0,
        },
        |_| None,
    );
    let Checked::Pair(pair) = checked(&game, &task, &says_sum).unwrap() else {
        panic!("expected a pair");
    };
    assert!(pair.holds(&game, &task, &says_sum).is_ok());
    let expected = |f: [u64; 2]| Inputs(vec![f.to_vec(), vec![0, 0], vec![0]]);
    assert_eq!(
        pair,
        Pair {
            left: expected([0, 1]),
            right: expected([1, 0])
        }
    );
    let zero = Says(|_, _| 0, |_| Some(0));
    let Checked::Counterexample(wrong) = checked(&game, &task, &zero).unwrap() else {
        panic!("expected a counterexample");
    };
    assert_eq!(wrong.input, Inputs(vec![vec![0, 1], vec![0, 1], vec![1]]));
    assert!(wrong.holds(&game, &task, &zero).is_ok());
    let loud = Says(|_, _| 9, |_| None);
    assert!(matches!(
        checked(&game, &task, &loud),
        Err(Failure::Violated(Violation { .. }))
    ));
}

#[test]
fn check_counts_stops_and_refuses() {
    // 81 * 81 inputs: several ranges.
    let table = || domain(Form::Table { len: 4, values: 3 });
    let game = one_way::game(alphabet(81), table(), table()).unwrap();
    let task = ByRule(3, |x| Accepted::One(x.0[0][0]));
    let says = Says(
        |_, sight| sight.sender().input.iter().fold(0, |n, d| 3 * n + d),
        |_| None,
    );
    let calls = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let progress = |covered: u64, total: u64| {
        assert!(covered <= total && total == 6561);
        calls.fetch_add(1, Ordering::Relaxed);
    };
    let control = Control {
        progress: &progress,
        stop: &stop,
    };
    let correct = Checked::Correct {
        inputs: 6561,
        views: 6561,
    };
    assert_eq!(
        check(&game, &task, &says, &big(6561), &control),
        Ok(correct)
    );
    assert!(calls.load(Ordering::Relaxed) >= 2);
    let Err(Failure::TooLarge(refused)) = check(&game, &task, &says, &big(6560), &control) else {
        panic!("expected a refusal");
    };
    assert_eq!(refused.size, Ok(big(6561)));
    stop.store(true, Ordering::Relaxed);
    let stopped = Checked::Stopped {
        covered: 0,
        total: 6561,
    };
    assert_eq!(
        check(&game, &task, &says, &big(6561), &control),
        Ok(stopped)
    );
}

#[test]
fn check_does_not_depend_on_threads() {
    let table = || domain(Form::Table { len: 4, values: 4 });
    let game = one_way::game(alphabet(64), table(), table()).unwrap();
    let task = ByRule(4, |x| Accepted::One((x.0[0][3] * x.0[1][0]) % 4));
    let says = Says(
        |_, sight| {
            sight
                .sender()
                .input
                .iter()
                .take(3)
                .fold(0, |n, d| 4 * n + d)
        },
        |_| None,
    );
    let results: Vec<Checked> = [1, 2, 4, 8]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| checked(&game, &task, &says)).unwrap()
        })
        .collect();
    assert!(results.iter().all_equal());
    assert!(matches!(&results[0], Checked::Pair(pair) if pair.right.0[0] == [0, 0, 0, 1]));
}

#[test]
fn families_of_the_tutorial() {
    for s in 1..=3 {
        let (game, task) = chain(s, false);
        let family = family::find(&game, &task, &limit()).unwrap().unwrap();
        assert_eq!(family.holds(&game, &task, &big(8)), Ok(()));
        assert_eq!((family.members.len(), &family.bound), (4, &big(s)));
        let tests = [[0, 0], [1, 1]].map(|g| vec![g.to_vec(), vec![0]]);
        assert_eq!(family.tests, tests);
    }
    let (game, task) = chain(4, false);
    assert_eq!(found(&game, &task), None);
    // With the pass: unsolvable at s = 1 only.
    let (game, task) = chain(1, true);
    assert_eq!(found(&game, &task), Some((4, 2)));
    let (game, task) = chain(2, true);
    assert_eq!(found(&game, &task), None);
}

#[test]
fn closed_forms_of_one_step() {
    for (m, start) in [(2, 1), (2, 2), (3, 2), (2, 3)] {
        let tables = u64::pow(m, u32::try_from(start).unwrap());
        for (one, zero) in (1..=tables).cartesian_product(1..=start) {
            let soft = [(1, -1, one), (0, -1, zero), (1, 0, 2)];
            let (game, task) = hybrid(start, &[m], &[], "F", &soft, &[]);
            let solvable = one >= tables && zero >= start;
            assert_eq!(
                found(&game, &task).is_none(),
                solvable,
                "{m} {start} {one} {zero}"
            );
        }
    }
    // F R with only `soft 1->0` and `lin 0->-1` open.
    for (one, zero) in (1..=3).cartesian_product(1..=3) {
        let (game, task) = hybrid(2, &[3], &[], "FR", &[(1, 0, one)], &[(0, -1, zero)]);
        let solvable = one >= 3 && zero >= 3;
        // The last edge alone carries the answer; the first is bounded per value of z_0.
        assert_eq!(found(&game, &task).is_none(), solvable, "{one} {zero}");
        assert_eq!(propose(&game, &task, &limit()).unwrap().is_some(), solvable);
    }
    // Only passes.
    for (count, size, fires) in [("R", 3, true), ("R", 4, false), ("RR", 2, false)] {
        let (game, task) = hybrid(2, &[2], &[], count, &[], &[(1, 0, size), (0, -1, 4)]);
        assert_eq!(found(&game, &task).is_some(), fires, "{count} {size}");
    }
}

#[test]
fn one_way_families_are_exact() {
    for symbols in 1..=4 {
        let (game, task) = eva(2, symbols);
        let expected = (symbols < 4).then_some((4, symbols));
        assert_eq!(found(&game, &task), expected);
    }
    let (game, task) = percom(3, false, 5);
    assert_eq!(found(&game, &task), Some((6, 5)));
    let (game, task) = percom(3, true, 6);
    assert_eq!(found(&game, &task), None);
    let (game, task) = two_sum(4, 4, 3, 13);
    assert_eq!(found(&game, &task), Some((14, 13)));
    let (game, task) = two_sum(4, 4, 3, 14);
    assert_eq!(found(&game, &task), None);
}

/// The chain of thought after the one-way game that asks for an entry of a table.
fn thought(symbols: u64) -> (Game, ByRule) {
    let alice = domain(Form::Table { len: 2, values: 2 });
    let game =
        chain_of_thought::game(alphabet(symbols), alice, domain(Form::Number(2)), 2).unwrap();
    let task = ByRule(2, |x| {
        Accepted::One(x.0[0][usize::try_from(x.0[1][0]).unwrap()])
    });
    (game, task)
}

#[test]
fn chain_of_thought_equals_one_way() {
    for symbols in 1..=5 {
        let (game, task) = thought(symbols);
        let expected = (symbols < 4).then_some((4, symbols));
        assert_eq!(found(&game, &task), expected, "{symbols}");
        let proposal = propose(&game, &task, &limit()).unwrap();
        assert_eq!(proposal.is_some(), symbols >= 4);
    }
}

#[test]
fn two_party_games_where_counting_suffices() {
    let fires = |m, s, t| {
        let (game, task) = ptr(m, s, t);
        found(&game, &task)
    };
    assert_eq!(fires(2, 1, 2), Some((4, 2)));
    assert_eq!(fires(2, 2, 1), Some((4, 1)));
    assert_eq!(fires(3, 1, 8), Some((27, 8)));
    // Unsolvable, but not by counting.
    assert_eq!(fires(3, 2, 3), None);
    assert_eq!(fires(3, 2, 6), None);
    assert_eq!(fires(3, 2, 9), None);
    let index = |n, m, symbols| {
        let table = domain(Form::Table { len: n, values: m });
        let game = one_way::game(alphabet(symbols), table, domain(Form::Number(n))).unwrap();
        let task = ByRule(m, |x| {
            Accepted::One(x.0[0][usize::try_from(x.0[1][0]).unwrap()])
        });
        found(&game, &task)
    };
    assert_eq!(index(3, 2, 7), Some((8, 7)));
    assert_eq!(index(2, 3, 9), None);
}

/// Distinct rows, and a protocol with exactly so many symbols, both checked.
fn states(game: &Game, task: &dyn Task) -> u64 {
    let colouring = classes::one_way(game, task, &limit()).unwrap().unwrap();
    assert!(colouring.exact());
    let count = colouring.classes.holds(game, task, &limit()).unwrap();
    let exact = classes::with_symbols(game, Alphabet::new(count.clone()).unwrap()).unwrap();
    let tables = colouring.protocol(&exact, task, &limit()).unwrap();
    assert!(tables.holds(&exact, task, &limit()).is_ok());
    u64::try_from(count).unwrap()
}

#[test]
fn states_of_eva_and_percom() {
    for (n, expected) in [(1, 1), (2, 4), (3, 27), (4, 256)] {
        let (game, task) = eva(n, 1);
        assert_eq!(states(&game, &task), expected);
    }
    for (n, expected) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
        for last in [false, true] {
            let (game, task) = percom(n, last, 1);
            assert_eq!(states(&game, &task), expected);
        }
    }
}

#[test]
fn states_of_two_sum() {
    for (modulus, n) in (1..=4).cartesian_product(2..=4) {
        for t in 1..n {
            let expected: BigUint = (1..=t.min(modulus))
                .map(|j| crate::exact::choose(modulus, j))
                .sum();
            let (game, task) = two_sum(n, modulus, t, 1);
            assert_eq!(big(states(&game, &task)), expected, "{modulus} {n} {t}");
        }
    }
    let (game, mut task) = two_sum(4, 4, 3, 1);
    task.reflexive = true;
    assert_eq!(states(&game, &task), 4);
}

#[test]
fn promises_are_coloured() {
    // An even cycle: clique and colouring meet. An odd one: they do not, and both sides still hold.
    for (n, clique, colours) in [(4, 2, 2), (5, 2, 3)] {
        let (game, task) = cycle(n, 3);
        let found = classes::one_way(&game, &task, &limit()).unwrap().unwrap();
        assert_eq!(
            (found.classes.members.len(), found.count),
            (clique, colours)
        );
        assert_eq!(found.exact(), clique == colours);
        assert!(found.classes.holds(&game, &task, &limit()).is_ok());
        let tables = found.protocol(&game, &task, &limit()).unwrap();
        assert!(tables.holds(&game, &task, &limit()).is_ok());
    }
    let (game, task) = cycle(4, 1);
    let clique = clique::find(&game, &task, &limit()).unwrap().unwrap();
    assert_eq!(clique.holds(&game, &task, &limit()), Ok(()));
    assert_eq!(found(&game, &task), Some((2, 1)));
}

/// Undirected: Alice holds 2 of 6 edges on 6 vertices, Bob the rest; one six-cycle (1) or two triangles (0)?
fn one_cycle_or_two() -> (Game, ByRule) {
    let edges = |k| domain(Form::SubsetOf { n: 15, k });
    let game = one_way::game(alphabet(3), edges(2), edges(4)).unwrap();
    let task = ByRule(2, |x| {
        let pairs: Vec<(usize, usize)> = (0..6).tuple_combinations().collect();
        let held = |edge: usize| x.0[0][edge] + x.0[1][edge];
        let degree = |vertex: usize| -> u64 {
            let at = |edge: &usize| pairs[*edge].0 == vertex || pairs[*edge].1 == vertex;
            (0..15).filter(at).map(held).sum()
        };
        if (0..15).any(|edge| held(edge) > 1) || (0..6).any(|vertex| degree(vertex) != 2) {
            return Accepted::All;
        }
        // Every vertex has degree 2, so it is one six-cycle unless there is a triangle.
        let triangle = (0..6).tuple_combinations().any(|(a, b, c)| {
            let edge = |pair| pairs.iter().position(|known| *known == pair).unwrap();
            [(a, b), (a, c), (b, c)]
                .into_iter()
                .all(|pair| held(edge(pair)) == 1)
        });
        Accepted::One(u64::from(!triangle))
    });
    (game, task)
}

#[test]
fn one_cycle_or_two_needs_three_symbols() {
    let (game, task) = one_cycle_or_two();
    let found = classes::one_way(&game, &task, &limit()).unwrap().unwrap();
    assert_eq!((found.symbols.len(), found.count), (105, 3));
    assert!(found.exact());
    assert_eq!(found.classes.holds(&game, &task, &limit()), Ok(big(3)));
    let tables = found.protocol(&game, &task, &limit()).unwrap();
    assert_eq!(tables.holds(&game, &task, &limit()), Ok(big(143_325)));
}

#[test]
fn cliques_of_blocks_are_value_sets() {
    for (parameters, expected) in [((3, 2, 2, 1), 6), ((4, 2, 2, 1), 10), ((2, 2, 3, 2), 3)] {
        let (m, b, q, k) = parameters;
        let game = sparse(m, b, q, k, expected - 1, true);
        let clique: Clique = clique::find(&game, &Membership, &limit()).unwrap().unwrap();
        assert_eq!(clique.members.len() as u64, expected);
        assert_eq!(clique.holds(&game, &Membership, &limit()), Ok(()));
        let enough = sparse(m, b, q, k, expected, true);
        assert!(clique.holds(&enough, &Membership, &limit()).is_err());
        let proposal = propose(&enough, &Membership, &limit()).unwrap().unwrap();
        assert_eq!(proposal.name, "value sets");
        assert_eq!(propose(&game, &Membership, &limit()), Ok(None));
    }
}

#[test]
fn sparse_games_with_maps_of_their_own() {
    let solved = |m, b, q, k, symbols, shared| {
        let game = sparse(m, b, q, k, symbols, shared);
        let proposal = propose(&game, &Membership, &limit()).unwrap();
        proposal.map(|proposal| proposal.name)
    };
    // 4 instead of 6.
    assert_eq!(solved(3, 2, 2, 1, 4, false), Some("value sets"));
    assert_eq!(solved(3, 2, 2, 1, 3, false), None);
    assert_eq!(solved(3, 2, 2, 2, 1, true), Some("read everything"));
    assert_eq!(solved(2, 1, 3, 0, 2, true), Some("value sets"));
}

#[test]
fn named_strategies_are_proposed() {
    let name = |game: &Game, task: &dyn Task| {
        let proposal = propose(game, task, &limit()).unwrap();
        proposal.map(|proposal| proposal.name)
    };
    let (game, task) = toy("FRF");
    assert_eq!(name(&game, &task), Some("relay"));
    for word in ["FF", "FFR", "FFRR", "RFF"] {
        let (game, task) = toy(word);
        assert_eq!(name(&game, &task), None, "{word}");
    }
    let soft: Vec<(i64, i64, u64)> = (-1..3)
        .tuple_combinations()
        .map(|(to, from)| (from, to, 2))
        .collect();
    let (game, task) = hybrid(2, &[2, 2], &[1], "FFF", &soft, &[]);
    assert_eq!(name(&game, &task), Some("full"));
    let (game, task) = hybrid(2, &[2, 2], &[2], "RFF", &soft, &[(0, -1, 2)]);
    assert_eq!(name(&game, &task), Some("pre-pass"));
    let (game, task) = eva(2, 5);
    assert_eq!(name(&game, &task), Some("classes"));
    let (game, task) = eva(2, 3);
    assert_eq!(name(&game, &task), None);
    let (game, task) = chain(4, false);
    assert_eq!(name(&game, &task), None);
    assert!(matches!(
        propose(&game, &task, &big(31)),
        Err(Failure::TooLarge(size)) if size.size == Ok(big(32))
    ));
}

/// A random three-player game: small domains, up to three slots in one or two rounds, mostly to the output player, a random task.
#[derive(Clone, Debug)]
struct Random {
    sizes: [u64; 3],
    /// Sender, receiver, players that may be consulted (as a set), symbols.
    slots: Vec<(usize, usize, usize, u64)>,
    split: usize,
    answers: u64,
    /// Bits of the accepted sets, taken in turn.
    accepted: Vec<u8>,
    functional: bool,
}

fn random() -> impl Strategy<Value = Random> {
    let receiver = prop_oneof![1 => Just(0usize), 2 => Just(1), 4 => Just(2)];
    let consults = prop_oneof![1 => Just(0usize), 1 => Just(0b100), 2 => 0..8usize];
    let symbols = prop_oneof![1 => Just(1u64), 6 => Just(2), 1 => Just(3)];
    let slots = prop::collection::vec((0..2usize, receiver, consults, symbols), 1..4);
    let sizes = [2..5u64, 1..3u64, 1..4u64];
    let accepted = prop::collection::vec(any::<u8>(), 24);
    let answers = prop_oneof![3 => Just(2u64), 1 => Just(3)];
    let functional = prop::bool::weighted(0.8);
    (sizes, slots, 0..3usize, answers, accepted, functional).prop_map(
        |(sizes, slots, split, answers, accepted, functional)| Random {
            sizes,
            slots,
            split,
            answers,
            accepted,
            functional,
        },
    )
}

impl Random {
    fn game(&self) -> Game {
        let players = self
            .sizes
            .iter()
            .zip(["A", "B", "C"])
            .map(|(size, label)| player(label, Form::Number(*size)))
            .collect();
        let make = |(from, to, consults, size): &(usize, usize, usize, u64)| -> Slot {
            let consulted = |player: &usize| player != from && consults >> player & 1 == 1;
            let consults: Vec<usize> = (0..3).filter(consulted).collect();
            slot(*from, *to, &consults, Channel::Soft, *size)
        };
        let split = self.split.min(self.slots.len());
        let (first, second) = self.slots.split_at(split);
        let rounds = [first, second].map(|part| part.iter().map(make).collect());
        Game::new(players, rounds.into(), PlayerId(2)).unwrap()
    }

    fn task(&self, game: &Game) -> Listed {
        let inputs = Inputs::all(game).count();
        let values = self.accepted.iter().take(inputs).map(|bits| {
            if self.functional {
                return Accepted::One(u64::from(*bits) % self.answers);
            }
            let set: Vec<u64> = (0..self.answers).filter(|a| bits >> a & 1 == 1).collect();
            if set.is_empty() {
                Accepted::All
            } else {
                Accepted::Only(set)
            }
        });
        Listed::new(game, self.answers, values.collect())
    }
}

/// What is said on each sight met so far, in the order in which they were met; new sights say 0.
#[derive(Default)]
struct Walk(RefCell<Vec<Choice>>);

type Choice = (SlotId, Vec<View>, u64);

impl Protocol for Walk {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let views: Vec<View> = sight.views().cloned().collect();
        let mut choices = self.0.borrow_mut();
        let known = choices
            .iter()
            .find(|choice| (choice.0, &choice.1) == (slot, &views));
        if let Some((_, _, symbol)) = known {
            return Ok(Symbol(*symbol));
        }
        choices.push((slot, views, 0));
        Ok(Symbol(0))
    }

    fn answer(&self, _view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(None)
    }
}

impl Walk {
    /// True when every final view leaves a common answer; stops at the first input that does not.
    fn solves(&self, game: &Game, task: &dyn Task) -> bool {
        let mut common: BTreeMap<View, Accepted> = BTreeMap::new();
        Inputs::all(game).all(|inputs| {
            let view = run(game, self, &inputs).unwrap().views[game.output().0].clone();
            let left = common.entry(view).or_insert(Accepted::All);
            *left = left.and(&task.accepted(&inputs).unwrap());
            !left.is_empty()
        })
    }

    /// The next protocol: the last choice that can grow grows, later ones are forgotten. False after the last protocol.
    fn advance(&self, game: &Game) -> bool {
        let mut choices = self.0.borrow_mut();
        while let Some((slot, views, symbol)) = choices.pop() {
            if game.alphabet(slot).contains(symbol + 1) {
                choices.push((slot, views, symbol + 1));
                return true;
            }
        }
        false
    }
}

/// True when some protocol solves the task, over all message functions on the sights that occur; `None` when there are too many.
fn solvable(game: &Game, task: &dyn Task) -> Option<bool> {
    let walk = Walk::default();
    for _ in 0..10_000 {
        if walk.solves(game, task) {
            return Some(true);
        }
        if !walk.advance(game) {
            return Some(false);
        }
    }
    None
}

#[test]
fn exhaustive_search_on_the_games_of_the_tutorial() {
    let exists = |s, pass| {
        let (game, task) = chain(s, pass);
        match search(&game, &task, &limit()).unwrap() {
            Searched::Protocol(tables) => {
                tables.holds(&game, &task, &limit()).unwrap();
                true
            }
            Searched::Exhausted { .. } => false,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        [1, 2, 3, 4, 5].map(|s| exists(s, false)),
        [false, false, false, true, true]
    );
    assert_eq!([1, 2, 3].map(|s| exists(s, true)), [false, true, true]);
}

#[test]
fn exhaustive_search_refuses_large_tables_and_copied_views() {
    let (game, task) = eva(2, 1 << 20);
    let error = search(&game, &task, &limit()).unwrap_err().to_string();
    let what = "table entries of all message functions and the answer function";
    assert_eq!(
        error,
        format!("{what}: 2097156, more than the limit 1048576")
    );
    let (game, task) = thought(4);
    assert_eq!(
        search(&game, &task, &limit()).unwrap(),
        Searched::Unsupported
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn exhaustive_search_agrees_with_brute_force(random in random()) {
        let game = random.game();
        let task = random.task(&game);
        if let Some(solvable) = solvable(&game, &task) {
            match search(&game, &task, &limit()).unwrap() {
                Searched::Protocol(tables) => {
                    prop_assert!(solvable);
                    tables.holds(&game, &task, &limit()).unwrap();
                }
                Searched::Exhausted { .. } => prop_assert!(!solvable),
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }

    #[test]
    fn no_family_on_a_solvable_game(random in random()) {
        let game = random.game();
        let task = random.task(&game);
        if let Some(family) = family::find(&game, &task, &limit()).unwrap() {
            prop_assert_eq!(family.holds(&game, &task, &limit()), Ok(()));
            prop_assert_ne!(solvable(&game, &task), Some(true));
        }
    }

    #[test]
    fn no_random_family_holds_on_a_solvable_game(random in random(), side in 1..4usize, take in 1..6usize) {
        let game = random.game();
        let task = random.task(&game);
        let pick = |wanted: usize| (0..3).filter(|id| side >> id & 1 == wanted).map(PlayerId).collect::<Vec<_>>();
        let (side, others) = (pick(1), pick(0));
        let joint = |players: &[PlayerId]| players.iter().map(|id| {
            let size = game.player(*id).domain.index_size().unwrap();
            (0..size).map(|digit| vec![digit]).collect::<Vec<_>>()
        }).multi_cartesian_product().collect::<Vec<_>>();
        let tests: Vec<_> = joint(&others).into_iter().take(take).collect();
        let bound = crate::game::structure::family::bound(&game, &side, &tests).unwrap();
        let family = Family { side: side.clone(), members: joint(&side), tests, bound, separators: None };
        if family.holds(&game, &task, &limit()).is_ok() {
            prop_assert_ne!(solvable(&game, &task), Some(true));
        }
    }

    #[test]
    fn check_agrees_with_the_definition(bits in prop::collection::vec(1..8u8, 12), symbols in 1..3u64, salt in 0..50u64) {
        let game = one_way::game(alphabet(symbols), domain(Form::Number(6)), domain(Form::Number(2))).unwrap();
        let sets = bits.iter().map(|bits| Accepted::Only((0..3).filter(|a| bits >> a & 1 == 1).collect())).collect();
        let task = Listed::new(&game, 3, sets);
        let said: Vec<u64> = (0..6).map(|x| (x * x + salt * x + salt / 7) % symbols).collect();
        let protocol = super::solvers::OneMessage::new(&game, &said);
        let all: Vec<Inputs> = Inputs::all(&game).collect();
        let views: Vec<_> = all.iter().map(|x| run(&game, &protocol, x).unwrap().views[1].clone()).collect();
        let accepted: Vec<Accepted> = all.iter().map(|x| task.accepted(x).unwrap()).collect();
        let pair = (0..all.len()).find_map(|right| (0..=right).find(|left| {
            views[*left] == views[right] && accepted[*left].and(&accepted[right]).is_empty()
        }).map(|left| Pair { left: all[left].clone(), right: all[right].clone() }));
        let outcome = correct::replay_all(&game, &task, &protocol, &limit(), &mut |_| ()).unwrap();
        match checked(&game, &task, &protocol).unwrap() {
            Checked::Pair(found) => {
                prop_assert!(found.holds(&game, &task, &protocol).is_ok());
                prop_assert_eq!(Some(found), pair);
                prop_assert!(matches!(outcome, correct::Outcome::Wrong(_)));
            }
            Checked::Conflict(found) => {
                prop_assert!(found.holds(&game, &task, &protocol).is_ok());
                prop_assert_eq!(pair, None);
                prop_assert_eq!(outcome, correct::Outcome::Wrong(correct::Wrong::Conflict(found)));
            }
            Checked::Correct { views, .. } => {
                prop_assert_eq!(pair, None);
                let correct::Outcome::Correct(again) = outcome else { panic!("the replay disagrees") };
                prop_assert_eq!(big(views), again.views);
            }
            other @ (Checked::Counterexample(_) | Checked::Stopped { .. }) => prop_assert!(false, "{:?}", other),
        }
    }
}

#[test]
fn the_brute_force_itself_is_right() {
    for s in 1..=2 {
        let table = Form::Number(2);
        let players = vec![player("A", table.clone()), player("B", table)];
        let game = Game::new(
            players,
            vec![vec![slot(0, 1, &[], Channel::Soft, s)]],
            PlayerId(1),
        )
        .unwrap();
        let task = ByRule(2, |x| Accepted::One(x.0[0][0]));
        assert_eq!(solvable(&game, &task), Some(s == 2));
    }
}
