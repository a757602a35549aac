//! One suite for every family with its task, and every strategy on it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod support;

use foolproof::game::family::layout::Scheme;
use foolproof::game::family::pointer_chasing::PointerChasing;
use foolproof::game::family::sparse::Sparse;
use foolproof::game::family::{chain_of_thought, one_way, streaming};
use foolproof::game::flow::{Flow, Relay};
use foolproof::game::key::KeySpace;
use foolproof::game::strategy::affine::Form;
use foolproof::game::strategy::composition::Chain;
use foolproof::game::strategy::{Affine, FollowScheme, Lookup, PseudoRandom, Table, Threshold};
use foolproof::game::task::composition::Composition;
use foolproof::game::task::evaluation::Evaluation;
use foolproof::game::task::hop::Hop;
use foolproof::game::task::listed::Listed;
use foolproof::game::task::membership::Membership;
use foolproof::game::task::permutation::PermutationComposition;
use foolproof::game::task::pointer::Pointer;
use foolproof::game::task::two_sum::TwoSum;
use foolproof::game::{
    Accepted, Answer, Game, Inputs, PlayerId, Protocol, Sight, SlotId, SpeakError, Symbol, Task,
    View, run, run_until,
};
use itertools::Itertools;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use support::{
    all_linear, all_soft, alphabet, answers, forwards, hybrid, names, number, numbers, permutation,
    player, says, slot, table, table_shapes,
};

type Case = (Arc<Game>, Box<dyn Task>);

// --- what every family and task keeps ---

fn inputs_are_counted_in_order(game: &Game) {
    let all: Vec<Inputs> = Inputs::all(game).collect();
    assert_eq!(game.inputs_size().unwrap(), all.len().into());
    assert!(all.iter().tuple_windows().all(|(one, next)| one < next));
    assert!(all.iter().all(|inputs| inputs.check(game).is_ok()));
    let mut last = all.last().unwrap().clone();
    assert!(!last.advance(game));
    assert_eq!(last, Inputs::first(game));
}

fn slots_have_names_of_their_own_and_rounds_in_order(game: &Game) {
    assert!(names(game).iter().all_unique());
    assert!(
        game.ids()
            .all(|id| game.find_slot(game.name(id)) == Some(id))
    );
    let by_round = (0..game.rounds()).flat_map(|round| game.round(round));
    assert!(by_round.eq(game.ids()));
    for id in game.ids() {
        assert!(game.round(game.round_of(id)).contains(&id));
        assert!(game.round_start(game.round_of(id)) <= id.0);
    }
    assert_eq!(game.round_start(game.rounds()), game.slots().len());
}

fn accepted_answers_are_in_range(game: &Game, task: &dyn Task) {
    for inputs in Inputs::all(game) {
        match task.accepted(&inputs).unwrap() {
            Accepted::All => {}
            Accepted::One(answer) => assert!(answer < task.answers()),
            Accepted::Only(list) => {
                assert!(list.iter().tuple_windows().all(|(one, next)| one < next));
                assert!(list.iter().all(|answer| *answer < task.answers()));
            }
        }
    }
}

// --- what every strategy keeps ---

fn every_run_is_legal(game: &Game, task: &dyn Task, protocol: &dyn Protocol) {
    for inputs in Inputs::all(game) {
        let run = run(game, protocol, &inputs).unwrap();
        assert!(run.transcript.iter().map(|(id, _)| *id).eq(game.ids()));
        for (id, symbol) in &run.transcript {
            assert!(game.alphabet(*id).contains(symbol.0), "{}", game.name(*id));
        }
        for view in &run.views {
            let told = run
                .transcript
                .iter()
                .filter(|(id, _)| game.slot(*id).to == view.player);
            assert!(view.stored.iter().eq(told));
            assert_eq!(&view.input, inputs.of(view.player));
            assert!(
                view.stored
                    .iter()
                    .all(|(id, symbol)| view.symbol(*id) == Some(*symbol))
            );
        }
        assert!(run.answer.is_none_or(|answer| answer.0 < task.answers()));
        let begun = run_until(game, protocol, &inputs, 1).unwrap();
        assert!(run.transcript.starts_with(&begun.transcript));
        assert_eq!(begun.answer, None);
    }
}

type Built = Box<dyn Protocol>;

fn silent_table(game: &Arc<Game>, _: &dyn Task) -> Built {
    Box::new(Table::new(Arc::clone(game), vec![], None, 1).unwrap())
}

/// A table with scrambled entries and answers; slots that share a function get the same entries.
fn scrambled_table(game: &Arc<Game>, task: &dyn Task) -> Built {
    let entries = |seed: usize, keys: usize, size: u64| -> Vec<u64> {
        let entry = |key| (seed * 31 + key * 17 + key * key / 3) as u64 % size;
        (0..keys).map(entry).collect()
    };
    let tables = table_shapes(game, &BTreeSet::new()).into_iter();
    let tables = tables.map(|(id, keys, size)| {
        let seed = if game.shared().contains(&id) { 0 } else { id.0 };
        (id, entries(seed, keys, size))
    });
    let keys = KeySpace::of_answer(game).size(game).unwrap();
    let answers = entries(5, keys.to_usize().unwrap(), task.answers());
    Box::new(
        Table::new(
            Arc::clone(game),
            tables.collect(),
            Some(answers),
            task.answers(),
        )
        .unwrap(),
    )
}

fn forms(game: &Game) -> impl Iterator<Item = Form> + '_ {
    game.ids().map(|id| {
        let (digits, symbols) = Form::room(game, id);
        let coefficients =
            |n: usize| (0..n).map(|i| BigInt::from(3 - 2 * i64::try_from(i).unwrap()));
        Form {
            constant: BigInt::from(-7),
            inputs: coefficients(digits).collect(),
            received: coefficients(symbols).collect(),
        }
    })
}

fn affine(game: &Arc<Game>, _: &dyn Task) -> Built {
    Box::new(Affine {
        say: forms(game).map(Some).collect(),
        game: Arc::clone(game),
    })
}

fn threshold(game: &Arc<Game>, _: &dyn Task) -> Built {
    let say = forms(game).zip(game.ids()).map(|(form, id)| {
        let steps = game.alphabet(id).size().to_i64()?.checked_sub(1)?;
        Some((
            form,
            (0..steps).map(|step| BigInt::from(step - 8)).collect(),
        ))
    });
    Box::new(Threshold {
        say: say.collect(),
        game: Arc::clone(game),
    })
}

fn pseudo_random(game: &Arc<Game>, _: &dyn Task) -> Built {
    Box::new(PseudoRandom {
        game: Arc::clone(game),
        seed: 7u8.into(),
    })
}

/// The relay from the last player whose input reaches the output by a slot.
fn relay(game: &Arc<Game>, _: &dyn Task) -> Built {
    let flows = (0..game.players().len())
        .rev()
        .map(PlayerId)
        .map(|of| Flow {
            game,
            of,
            view: game.output(),
            after: game.rounds(),
        });
    let mut leaks = flows.filter_map(|flow| Some((flow.of, flow.leak(&BTreeSet::new())?)));
    let (of, path) = leaks.find(|(_, path)| !path.is_empty()).unwrap();
    Box::new(Relay::new(Arc::clone(game), of, path))
}

fn lookup(game: &Arc<Game>, _: &dyn Task) -> Built {
    Box::new(Lookup::new(Arc::clone(game)).unwrap())
}

fn follow(game: &Game, task: &dyn Task, chain: Chain) -> Built {
    let protocol = FollowScheme::new(game, chain).unwrap();
    for inputs in Inputs::all(game) {
        let answer = run(game, &protocol, &inputs).unwrap().answer.unwrap();
        assert!(task.accepted(&inputs).unwrap().contains(answer));
    }
    Box::new(protocol)
}

fn full(game: &Arc<Game>, task: &dyn Task) -> Built {
    follow(game, task, Chain::Full)
}

fn relay_scheme(game: &Arc<Game>, task: &dyn Task) -> Built {
    follow(game, task, Chain::Relay)
}

fn pre_pass(game: &Arc<Game>, task: &dyn Task) -> Built {
    follow(game, task, Chain::PrePass)
}

macro_rules! conforms {
    ($($family:ident: $case:expr, [$($strategy:ident)*];)*) => {$(
        mod $family {
            use super::*;

            #[test]
            fn inputs() {
                inputs_are_counted_in_order(&$case.0);
            }

            #[test]
            fn slots() {
                slots_have_names_of_their_own_and_rounds_in_order(&$case.0);
            }

            #[test]
            fn task() {
                let (game, task): Case = $case;
                accepted_answers_are_in_range(&game, task.as_ref());
            }

            $(#[test]
            fn $strategy() {
                let (game, task): Case = $case;
                let protocol = super::$strategy(&game, task.as_ref());
                every_run_is_legal(&game, task.as_ref(), protocol.as_ref());
            })*
        }
    )*};
}

conforms! {
    hybrid_one_step: composed(&[3], &[], "RFRFR"),
        [silent_table scrambled_table affine threshold pseudo_random relay lookup full relay_scheme pre_pass];
    hybrid_two_steps: composed(&[2, 2], &[2], "FRFF"),
        [silent_table affine threshold pseudo_random relay lookup full relay_scheme];
    hybrid_one_epoch: composed(&[2, 2], &[1], "FR"),
        [silent_table scrambled_table affine threshold pseudo_random relay lookup];
    hybrid_pre_pass: composed(&[2, 2], &[1], "RFF"),
        [silent_table affine threshold pseudo_random relay lookup pre_pass];
    hybrid_three_steps: composed(&[2, 2, 2], &[1, 1], "FRFF"),
        [silent_table affine threshold pseudo_random relay lookup relay_scheme];
    evaluation: one_way_with(Evaluation { n: 3 }, (table(3, 3), number(3))),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    permutations: one_way_with(PermutationComposition { n: 3, last: false }, (permutation(3), permutation(3))),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    last_of_permutations: one_way_with(PermutationComposition { n: 3, last: true }, (permutation(3), permutation(3))),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    two_sum: one_way_with(TwoSum { n: 4, modulus: 3, first_asked: 2, reflexive: false }, (table(2, 3), table(2, 3))),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    reflexive_two_sum: one_way_with(TwoSum { n: 3, modulus: 4, first_asked: 2, reflexive: true }, (table(2, 4), table(1, 4))),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    membership: one_way_with(Membership, (table(3, 3), number(3))),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    hops: one_way_with(Hop { k: 2, symbols: 3 }, (table(2, 3), table(2, 3))),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    stream: streamed(TwoSum { n: 4, modulus: 3, first_asked: 3, reflexive: false }),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    stream_of_hops: streamed(Hop { k: 3, symbols: 3 }),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    thoughts: thinking(Evaluation { n: 2 }),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    // Seeded tables differ from block to block, so they are no protocol under a shared map; see tests/shared_map.rs.
    sparse: sparse_with(1, true),
        [silent_table scrambled_table affine threshold relay];
    sparse_with_own_maps: sparse_with(1, false),
        [pseudo_random];
    sparse_with_two_heads: sparse_with(2, false),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    pointer_chasing: chased(3, 2, 2),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    labels: chased(2, 4, 1),
        [silent_table scrambled_table affine threshold pseudo_random relay];
    by_hand: hand_written(),
        [silent_table scrambled_table affine threshold pseudo_random relay];
}

fn composed(ranges: &[u64], queries: &[u64], word: &str) -> Case {
    let steps = i64::try_from(ranges.len()).unwrap();
    let size = ranges[0];
    let (soft, linear) = (all_soft(steps, size), all_linear(steps, size));
    let game = hybrid(2, ranges, queries, word, &soft, &linear)
        .game()
        .unwrap();
    let task = Composition {
        steps: ranges.len() as u64,
        start: 2,
        ranges: ranges.to_vec(),
        queries: queries.to_vec(),
    };
    (Arc::new(game), Box::new(task))
}

fn one_way_with(
    task: impl Task + 'static,
    (alice, bob): (foolproof::exact::Domain, foolproof::exact::Domain),
) -> Case {
    (
        Arc::new(one_way::game(alphabet(3), alice, bob).unwrap()),
        Box::new(task),
    )
}

fn streamed(task: impl Task + 'static) -> Case {
    let game = streaming::game(&alphabet(2), vec![number(3); 4], 2).unwrap();
    (Arc::new(game), Box::new(task))
}

fn thinking(task: impl Task + 'static) -> Case {
    let game = chain_of_thought::game(alphabet(3), table(2, 2), number(2), 3).unwrap();
    (Arc::new(game), Box::new(task))
}

fn sparse_with(heads: u64, shared_map: bool) -> Case {
    let family = Sparse {
        blocks: 3,
        block: 1,
        values: 2,
        read: 1,
        heads,
        symbols: alphabet(2),
        shared_map,
    };
    (Arc::new(family.game().unwrap()), Box::new(Membership))
}

fn chased(players: u64, points: u64, rounds: u64) -> Case {
    let family = PointerChasing {
        players,
        points,
        rounds,
        bits: 2,
    };
    (Arc::new(family.game().unwrap()), Box::new(Pointer))
}

/// Forwarded views between chosen slots, and a relation given as a list.
fn hand_written() -> Case {
    let rounds = vec![
        vec![says(0, 1, 3, 1), says(2, 0, 2, 1), answers(1, 1, 2, 1)],
        vec![forwards(1, 2, 2), answers(0, 2, 2, 2)],
        vec![],
        vec![says(2, 0, 4, 4), forwards(0, 2, 4)],
    ];
    let game = Game::new(numbers(&[2, 3, 2]), rounds.clone(), PlayerId(2));
    // A player that consults itself is refused.
    assert!(game.is_err());
    let mut rounds = rounds;
    rounds[0][2].consults.clear();
    let game = Game::new(numbers(&[2, 3, 2]), rounds, PlayerId(2)).unwrap();
    let accepted = (0..12).map(|place| match place % 4 {
        0 => Accepted::All,
        1 => Accepted::One(place % 3),
        2 => Accepted::Only(vec![0, 2]),
        _ => Accepted::Only(vec![]),
    });
    let task = Listed::new(&game, 3, accepted.collect());
    (Arc::new(game), Box::new(task))
}

// --- what single strategies say ---

/// The game of the remark in the tutorial: one soft round of `s` symbols, then a pass of two.
fn pass_game(s: u64) -> Arc<Game> {
    let players = vec![
        player("A", table(2, 2)),
        player("B", table(2, 2)),
        player("C", number(2)),
    ];
    let rounds = vec![
        vec![
            answers(0, 1, s, 1),
            answers(0, 2, s, 1),
            answers(1, 2, s, 1),
        ],
        vec![says(0, 1, 2, 2)],
        vec![says(1, 2, 2, 3)],
    ];
    Arc::new(Game::new(players, rounds, PlayerId(2)).unwrap())
}

/// Remembers the text behind every symbol.
#[derive(Debug)]
struct Overheard {
    random: PseudoRandom,
    texts: RefCell<BTreeMap<String, String>>,
}

impl Protocol for Overheard {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let name = self.random.game.name(slot).to_owned();
        self.texts
            .borrow_mut()
            .insert(name, self.random.text(slot, sight));
        self.random.message(slot, sight)
    }

    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError> {
        self.random.answer(view)
    }
}

#[test]
fn pseudo_random_symbols_are_those_of_the_specification() {
    let inputs = Inputs(vec![vec![0, 1], vec![1, 0], vec![1]]);
    let said = |s| {
        let game = pass_game(s);
        let seed = 7u8.into();
        let random = PseudoRandom {
            game: Arc::clone(&game),
            seed,
        };
        let overheard = Overheard {
            random,
            texts: RefCell::default(),
        };
        let run = run(&game, &overheard, &inputs).unwrap();
        let symbols = run
            .transcript
            .iter()
            .map(|(id, symbol)| (game.name(*id).to_owned(), symbol.0));
        (
            symbols.collect::<BTreeMap<_, _>>(),
            overheard.texts.into_inner(),
        )
    };
    let (two, texts) = said(2);
    let (three, _) = said(3);
    assert_eq!(texts["soft A->C @1"], "1;7;soft A->C @1;0,1:;1:");
    assert_eq!(texts["lin B->C @3"], "1;7;lin B->C @3;1,0:0,0");
    let digest = |name: &str| {
        let bytes = Sha256::digest(format!("{};0", texts[name]).as_bytes());
        bytes.iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        })
    };
    assert!(
        digest("soft A->C @1").starts_with("1e9db082")
            && digest("soft A->C @1").ends_with("5481f0f5")
    );
    assert!(
        digest("lin B->C @3").starts_with("e48d4e63")
            && digest("lin B->C @3").ends_with("fd22f76e")
    );
    assert_eq!((two["soft A->C @1"], three["soft A->C @1"]), (1, 0));
    assert_eq!(two["lin B->C @3"], 0);
}

#[test]
fn affine_and_threshold_forms_read_digits_then_symbols_in_order() {
    let game = pass_game(4);
    let integers = |list: &[i64]| list.iter().map(|n| BigInt::from(*n)).collect::<Vec<_>>();
    let form = |constant: i64, inputs: &[i64], received: &[i64]| Form {
        constant: constant.into(),
        inputs: integers(inputs),
        received: integers(received),
    };
    assert_eq!(Form::room(&game, slot(&game, "soft A->C @1")), (3, 0));
    assert_eq!(Form::room(&game, slot(&game, "lin B->C @3")), (2, 2));
    let mut say = vec![None; 5];
    say[0] = Some(form(1, &[0, 0, 1], &[])); // A to B: 1 + g[0]
    say[1] = Some(form(-1, &[1, 2, 10], &[])); // A to C: -1 + f[0] + 2 f[1] + 10 x
    say[4] = Some(form(0, &[1], &[1, 5])); // B to C: g[0] + first symbol + 5 * second
    let inputs = Inputs(vec![vec![0, 0], vec![1, 0], vec![0]]);
    let symbols = |protocol: &dyn Protocol| {
        let run = run(&game, protocol, &inputs).unwrap();
        run.transcript
            .iter()
            .map(|(_, symbol)| symbol.0)
            .collect_vec()
    };
    let affine = Affine {
        game: Arc::clone(&game),
        say: say.clone(),
    };
    // -1 mod 4 = 3; 1 + 2 + 5 * 0 = 3, mod 2.
    assert_eq!(symbols(&affine), [2, 3, 0, 0, 1]);
    let at = [
        integers(&[-5, 2, 3]),
        integers(&[-1, 0]),
        vec![],
        vec![],
        integers(&[4]),
    ];
    let say = say
        .into_iter()
        .zip(at.clone())
        .map(|(form, at)| Some((form?, at)));
    let threshold = Threshold {
        game: Arc::clone(&game),
        say: say.collect(),
    };
    // How many thresholds are at most 2, -1, 3.
    assert_eq!(symbols(&threshold), [2, 1, 0, 0, 0]);
    assert_eq!(Threshold::needed(&at[0]), 4u8.into());
}

/// The look-up protocol written out again from its description, by slot names.
fn look_up_again(game: &Game, inputs: &Inputs, ranges: &[u64]) -> Vec<u64> {
    let steps = ranges.len();
    let table = |l: usize| &inputs.0[steps - l];
    let (start, w) = (inputs.0[steps][0], &inputs.0[steps + 1]);
    let mut said: BTreeMap<String, u64> = BTreeMap::new();
    let mut symbols = Vec::new();
    for round in 0..game.rounds() {
        let before = said.clone();
        let heard = |name: String| before.get(&name).copied();
        for id in game.round(round) {
            let name = game.name(id);
            let (kind, rest) = name.split_once(' ').unwrap();
            let (edge, at) = rest.split_once(" @").unwrap();
            let (from, to) = edge.split_once("->").unwrap();
            let epoch: i64 = at.split('.').next().unwrap().parse().unwrap();
            let from: usize = from.parse().unwrap();
            let value = match (kind, from, to) {
                ("soft", 1, "0") => table(1)[usize::try_from(start).unwrap()],
                ("soft" | "lin", 0, "-1") => heard("soft 1->0 @1".into()).unwrap_or(start),
                ("soft", 1, "-1") => table(1)[0],
                ("soft", j, "-1") => {
                    let before = |from: usize| heard(format!("soft {from}->-1 @{}", epoch - 1));
                    let guess = if j == 2 {
                        heard("lin 0->-1 @1.1".into()).or_else(|| before(0))
                    } else {
                        before(j - 1)
                    };
                    let m = ranges[j - 2];
                    let address = w[j - 2] * m + guess.unwrap_or(0) % m;
                    table(j)[usize::try_from(address).unwrap()]
                }
                ("soft", j, _) => table(j).iter().sum(),
                ("lin", j, _) => {
                    let mine = format!("->{j} @");
                    let received: Vec<u64> = before
                        .iter()
                        .filter(|(name, _)| name.contains(&mine))
                        .map(|(_, s)| *s)
                        .collect();
                    if received.is_empty() {
                        (1..)
                            .zip(table(j))
                            .map(|(place, entry)| place * entry)
                            .sum()
                    } else {
                        received.iter().sum::<u64>() + table(j).iter().sum::<u64>()
                    }
                }
                other => panic!("{other:?}"),
            };
            let size = game.alphabet(id).size().to_u64().unwrap();
            symbols.push(value % size);
            if size > 1 {
                said.insert(name.to_owned(), value % size);
            }
        }
    }
    symbols
}

#[test]
fn the_look_up_protocol_says_what_its_description_says() {
    let edges = |steps: i64, seed: u64| {
        let vary =
            |(place, ((from, to), _)): (u64, _)| ((from, to), alphabet(1 + (place * 5 + seed) % 4));
        let soft = (0..).zip(all_soft(steps, 2)).map(vary).collect();
        let linear = (0..).zip(all_linear(steps, 2)).map(vary).collect();
        (soft, linear)
    };
    let shapes: [(&[u64], &[u64]); 3] = [(&[3], &[]), (&[3, 2], &[1]), (&[2, 2, 2], &[1, 2])];
    for (ranges, queries) in shapes {
        for (word, seed) in ["F", "RF", "FRF", "FRRF", "RRFFR"]
            .iter()
            .cartesian_product(0..4)
        {
            let (soft, linear) = edges(i64::try_from(ranges.len()).unwrap(), seed);
            let game = hybrid(2, ranges, queries, word, &soft, &linear)
                .game()
                .unwrap();
            let game = Arc::new(game);
            let protocol = Lookup::new(Arc::clone(&game)).unwrap();
            for inputs in Inputs::all(&game).step_by(7) {
                let run = run(&game, &protocol, &inputs).unwrap();
                let symbols = run
                    .transcript
                    .iter()
                    .map(|(_, symbol)| symbol.0)
                    .collect_vec();
                assert_eq!(symbols, look_up_again(&game, &inputs, ranges), "{word}");
            }
        }
    }
}

#[test]
fn schemes_are_called_as_on_the_command_line() {
    let words = [Scheme::Full, Scheme::Relay, Scheme::PrePass].map(Scheme::word);
    assert_eq!(words, ["full", "relay", "pre-pass"]);
}
