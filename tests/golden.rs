//! Exact numbers, names and messages, worked by hand from the definitions.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod support;

use foolproof::exact::{Alphabet, Domain, choose};
use foolproof::game::family::hybrid::{Epoch, Hybrid, Passes};
use foolproof::game::family::layout::Word;
use foolproof::game::family::pointer_chasing::PointerChasing;
use foolproof::game::family::sparse::Sparse;
use foolproof::game::family::{chain_of_thought, one_way, streaming};
use foolproof::game::ledger::count_and_bits;
use foolproof::game::strategy::{Table, TableError};
use foolproof::game::task::composition::Composition;
use foolproof::game::task::evaluation::Evaluation;
use foolproof::game::task::hop::Hop;
use foolproof::game::task::listed::Listed;
use foolproof::game::task::membership::Membership;
use foolproof::game::task::permutation::PermutationComposition;
use foolproof::game::task::pointer::Pointer;
use foolproof::game::task::two_sum::TwoSum;
use foolproof::game::{
    Accepted, Answer, Channel, Game, GameError, IllegalRun, Inputs, InputsError, Ledger, PlayerId,
    Protocol, Rule, Sight, Slot, SlotId, SpeakError, Symbol, Task, View, run,
};
use num_bigint::BigUint;
use num_traits::One;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use support::{
    all_linear, all_soft, alphabet, answers, edges, forwards, hybrid, names, number, numbers,
    permutation, player, reads, says, slot, table,
};

/// Edges with their alphabets.
type EdgeList = [(i64, i64, u64)];

/// Epochs with soft and linear edges of their own, one pass each where `linear` is not empty.
fn epochs(list: &[(&EdgeList, &EdgeList)]) -> Vec<Epoch> {
    let passes = |linear: &EdgeList| {
        let one = Passes {
            count: BigUint::one(),
            edges: edges(linear),
        };
        if linear.is_empty() { vec![] } else { vec![one] }
    };
    (1..)
        .zip(list)
        .map(|(number, (soft, linear))| Epoch {
            number,
            soft: Some(edges(soft)),
            passes: passes(linear),
        })
        .collect()
}

fn sizes(game: &Game) -> Vec<String> {
    game.ids()
        .map(|id| game.alphabet(id).size().to_string())
        .collect()
}

fn rounds(game: &Game) -> Vec<Vec<usize>> {
    (0..game.rounds())
        .map(|round| game.round(round).map(|id| id.0).collect())
        .collect()
}

/// The smallest separation: two values of `z_1[z_0]`, told to 0, passed on, looked up by 2.
fn smallest_separation() -> Game {
    let layers: [(&[_], &[_]); 2] = [(&[(1, 0, 2)], &[(0, -1, 2)]), (&[(2, -1, 2)], &[])];
    Hybrid {
        steps: 2,
        start: 1,
        ranges: vec![2, 2],
        queries: vec![1],
        epochs: epochs(&layers),
    }
    .game()
    .unwrap()
}

#[test]
fn the_smallest_separation_has_fifteen_slots() {
    let game = smallest_separation();
    assert_eq!(
        names(&game),
        [
            "soft 2->1 @1",
            "soft 2->0 @1",
            "soft 2->-1 @1",
            "soft 1->0 @1",
            "soft 1->-1 @1",
            "soft 0->-1 @1",
            "lin 2->1 @1.1",
            "lin 1->0 @1.1",
            "lin 0->-1 @1.1",
            "soft 2->1 @2",
            "soft 2->0 @2",
            "soft 2->-1 @2",
            "soft 1->0 @2",
            "soft 1->-1 @2",
            "soft 0->-1 @2",
        ]
    );
    assert_eq!(slot(&game, "soft 1->0 @1"), SlotId(3));
    assert_eq!(slot(&game, "soft 1->-1 @1"), SlotId(4));
    assert_eq!(slot(&game, "lin 0->-1 @1.1"), SlotId(8));
    let open: Vec<usize> = game.open_slots().map(|id| id.0).collect();
    assert_eq!(open, [3, 8, 11]);
    assert_eq!(
        rounds(&game),
        [
            vec![0, 1, 2, 3, 4, 5],
            vec![6],
            vec![7],
            vec![8],
            vec![9, 10, 11, 12, 13, 14]
        ]
    );
    assert_eq!(game.inputs_size().unwrap(), 8u8.into());
    assert_eq!(game.output(), game.find_player("-1").unwrap());
}

#[test]
fn soft_slots_consult_their_receiver_and_linear_slots_nobody() {
    let game = smallest_separation();
    for slot in game.slots() {
        let soft = slot.channel == Channel::Soft;
        let expected = if soft { vec![slot.to] } else { vec![] };
        assert_eq!(slot.consults, expected);
    }
}

#[test]
fn a_leading_r_is_epoch_zero_and_every_f_opens_the_next_epoch() {
    let (soft, linear) = (all_soft(1, 2), all_linear(1, 3));
    let family = hybrid(2, &[2], &[], "R^2FRFF", &soft, &linear);
    let game = family.game().unwrap();
    assert_eq!(
        names(&game),
        [
            "lin 1->0 @0.1",
            "lin 0->-1 @0.1",
            "lin 1->0 @0.2",
            "lin 0->-1 @0.2",
            "soft 1->0 @1",
            "soft 1->-1 @1",
            "soft 0->-1 @1",
            "lin 1->0 @1.1",
            "lin 0->-1 @1.1",
            "soft 1->0 @2",
            "soft 1->-1 @2",
            "soft 0->-1 @2",
            "soft 1->0 @3",
            "soft 1->-1 @3",
            "soft 0->-1 @3",
        ]
    );
    assert_eq!(family.slots(), 15u8.into());
    assert_eq!(family.word(), Word::parse("RRFRFF").unwrap());
}

#[test]
fn the_ledger_multiplies_alphabets_by_channel() {
    let soft: &[_] = &[(2, -1, 2), (1, 0, 3), (1, -1, 2), (0, -1, 2)];
    let family = Hybrid {
        steps: 2,
        start: 2,
        ranges: vec![3, 2],
        queries: vec![1],
        epochs: epochs(&[(soft, &[(0, -1, 3)]), (soft, &[])]),
    };
    let ledger = Ledger::of(&family.game().unwrap());
    assert_eq!(ledger.0.len(), 2);
    assert_eq!(ledger.0[&Channel::Soft], 576u16.into());
    assert_eq!(ledger.0[&Channel::Linear], 3u8.into());
    let silent = hybrid(2, &[2], &[], "FR", &all_soft(1, 2), &edges(&[]));
    let ledger = Ledger::of(&silent.game().unwrap()).0;
    assert_eq!(
        ledger.into_iter().collect::<Vec<_>>(),
        [(Channel::Soft, 8u8.into())]
    );
    assert_eq!(count_and_bits(&576u16.into()), "576 (log2 576 bits)");
    assert_eq!(count_and_bits(&8u8.into()), "8 (3 bits)");
    assert_eq!(count_and_bits(&2u8.into()), "2 (1 bit)");
    assert_eq!(count_and_bits(&1u8.into()), "1 (0 bits)");
}

#[test]
fn the_toys_have_these_many_inputs() {
    let inputs = |start, ranges: &[u64], queries: &[u64]| {
        let none = edges(&[]);
        let game = hybrid(start, ranges, queries, "F", &none, &none).game();
        game.unwrap().inputs_size().unwrap().to_string()
    };
    assert_eq!(inputs(1, &[2, 2], &[1]), "8");
    assert_eq!(inputs(1, &[3, 2], &[1]), "24");
    assert_eq!(inputs(1, &[2, 2, 2], &[1, 1]), "32");
    assert_eq!(inputs(2, &[2, 2], &[1]), "32");
    assert_eq!(inputs(2, &[2, 2], &[2]), "256");
    assert_eq!(inputs(2, &[3, 2], &[1]), "144");
    assert_eq!(inputs(2, &[3, 3], &[1]), "486");
    assert_eq!(inputs(2, &[3, 2], &[2]), "2304");
    assert_eq!(inputs(2, &[4, 2], &[2]), "16384");
    assert_eq!(inputs(2, &[4, 3, 2], &[1, 2]), "331776");
    // z_3, z_2, z_1 have 72, 18, 3 entries of 12, 6, 3 values; z_0 and w have 3 and 2 * 2.
    let worked = BigUint::from(12u8).pow(12) * BigUint::from(6u8).pow(6) * 27u8 * 3u8 * 4u8;
    assert_eq!(inputs(3, &[3, 6, 12], &[2, 2]), worked.to_string());
}

#[test]
fn players_of_the_hybrid_game_hold_tables_in_this_order() {
    let none = edges(&[]);
    let game = hybrid(3, &[3, 6, 12], &[2, 2], "F", &none, &none)
        .game()
        .unwrap();
    let held: Vec<String> = game
        .players()
        .iter()
        .map(|player| {
            let fields = player.domain.fields().iter().map(|field| &*field.name);
            let fields = fields.collect::<Vec<_>>().join(",");
            format!("{}:{fields}:{}", player.label, player.domain.width())
        })
        .collect();
    assert_eq!(
        held,
        ["3:z3:12", "2:z2:6", "1:z1:3", "0:z0:1", "-1:w1,w2:2"]
    );
}

#[test]
fn per_token_alphabets_count_the_tokens_of_the_receiver() {
    let none = edges(&[]);
    let family = hybrid(5, &[3, 6, 12], &[2, 4], "F", &none, &none);
    let tokens: Vec<String> = (-1..=3).map(|to| family.tokens(to).to_string()).collect();
    assert_eq!(tokens, ["1", "1", "5", "6", "24"]);
}

#[test]
fn sparse_games_list_summaries_then_selections_then_reads() {
    let sparse = Sparse {
        blocks: 3,
        block: 2,
        values: 2,
        read: 2,
        heads: 2,
        symbols: alphabet(5),
        shared_map: true,
    };
    let game = sparse.game().unwrap();
    assert_eq!(
        names(&game),
        [
            "summary B0->Query @1",
            "summary B1->Query @1",
            "summary B2->Query @1",
            "selection Query->Query @2.1",
            "selection Query->Query @2.2",
            "read Query->Query @3.1.0",
            "read Query->Query @3.1.1",
            "read Query->Query @3.2.0",
            "read Query->Query @3.2.1",
        ]
    );
    assert_eq!(sizes(&game), ["5", "5", "5", "3", "3", "4", "4", "4", "4"]);
    assert_eq!(rounds(&game), [vec![0, 1, 2], vec![3, 4], vec![5, 6, 7, 8]]);
    assert_eq!(game.shared(), [SlotId(0), SlotId(1), SlotId(2)]);
    let second: Vec<_> = game.reads_of(SlotId(4)).collect();
    assert_eq!(second, [(SlotId(7), 0), (SlotId(8), 1)]);
    assert_eq!(game.inputs_size().unwrap(), (4u32 * 4 * 4 * 2).into());
    let ledger: Vec<_> = Ledger::of(&game).0.into_iter().collect();
    assert_eq!(
        ledger,
        [
            (Channel::Summary, 125u8.into()),
            (Channel::Selection, 9u8.into()),
            (Channel::Read, 256u16.into())
        ]
    );
    let free = Sparse {
        shared_map: false,
        ..sparse
    };
    assert!(free.game().unwrap().shared().is_empty());
}

#[test]
fn reads_copy_the_raw_inputs_of_the_selected_blocks() {
    let sparse = Sparse {
        blocks: 3,
        block: 2,
        values: 2,
        read: 2,
        heads: 1,
        symbols: alphabet(1),
        shared_map: true,
    };
    let game = Arc::new(sparse.game().unwrap());
    let inputs = Inputs(vec![vec![0, 1], vec![1, 0], vec![1, 1], vec![0]]);
    let read = |selection: u64| {
        let tables = vec![(SlotId(3), vec![selection; 2])];
        let protocol = Table::new(Arc::clone(&game), tables, None, 1).unwrap();
        let run = run(&game, &protocol, &inputs).unwrap();
        run.transcript[4..]
            .iter()
            .map(|(_, symbol)| symbol.0)
            .collect::<Vec<_>>()
    };
    // {B0,B1}, {B0,B2}, {B1,B2}; a block is the index of its digits.
    assert_eq!([read(0), read(1), read(2)], [[1, 2], [1, 3], [2, 3]]);
}

#[test]
fn a_sparse_game_that_reads_all_or_nothing_has_a_silent_selection() {
    let sparse = |read| Sparse {
        blocks: 2,
        block: 1,
        values: 3,
        read,
        heads: 1,
        symbols: alphabet(2),
        shared_map: true,
    };
    assert_eq!(sizes(&sparse(0).game().unwrap()), ["2", "2", "1"]);
    assert_eq!(sizes(&sparse(2).game().unwrap()), ["2", "2", "1", "3", "3"]);
}

#[test]
fn pointer_chasing_speaks_down_the_players_in_every_round() {
    let family = PointerChasing {
        players: 3,
        points: 4,
        rounds: 2,
        bits: 3,
    };
    let game = family.game().unwrap();
    assert_eq!(
        names(&game),
        [
            "soft P3->Board @1",
            "soft P2->Board @1",
            "soft P1->Board @1",
            "soft P3->Board @2",
            "soft P2->Board @2",
            "free P1->Board @2",
        ]
    );
    assert_eq!(sizes(&game), ["8", "8", "8", "8", "8", "2"]);
    assert_eq!(game.rounds(), 6);
    let board = game.find_player("Board").unwrap();
    assert_eq!(game.output(), board);
    assert!(game.slots().iter().all(|slot| slot.consults == [board]));
    // C(4,2) labellings, 4! permutations, 4 starts.
    assert_eq!(game.inputs_size().unwrap(), (6u32 * 24 * 4).into());
    let ledger = Ledger::of(&game);
    assert_eq!(ledger.0[&Channel::Soft], (1u32 << 15).into());
    assert_eq!(ledger.0[&Channel::Free], 2u8.into());
    let two = PointerChasing {
        players: 2,
        points: 6,
        rounds: 1,
        bits: 5,
    };
    let two = two.game().unwrap();
    assert_eq!(names(&two), ["soft P2->Board @1", "free P1->Board @1"]);
    assert_eq!(two.inputs_size().unwrap(), (20u32 * 6).into());
}

#[test]
fn streams_and_one_way_games_have_a_slot_per_edge_and_layer() {
    let stream = streaming::game(&alphabet(4), vec![number(2), number(3), number(5)], 2).unwrap();
    assert_eq!(
        names(&stream),
        [
            "lin P1->P2 @1",
            "lin P2->P3 @1",
            "lin P1->P2 @2",
            "lin P2->P3 @2"
        ]
    );
    assert_eq!(stream.rounds(), 4);
    assert_eq!(stream.inputs_size().unwrap(), 30u8.into());
    let single = one_way::game(alphabet(7), table(3, 2), number(3)).unwrap();
    assert_eq!(names(&single), ["lin Alice->Bob @1"]);
    assert_eq!(single.inputs_size().unwrap(), 24u8.into());
}

#[test]
fn chain_of_thought_forwards_views_of_derived_size() {
    let game = chain_of_thought::game(alphabet(7), permutation(3), number(5), 3).unwrap();
    assert_eq!(
        names(&game),
        [
            "lin Alice->Bob @1",
            "free Bob->Charles @2",
            "free Charles->Charles2 @3",
            "free Charles2->Charles3 @4"
        ]
    );
    // Bob's input times Alice's symbol; the fresh players know nothing of their own.
    assert_eq!(sizes(&game), ["7", "35", "35", "35"]);
    assert_eq!(game.output(), game.find_player("Charles3").unwrap());
    assert_eq!(game.inputs_size().unwrap(), 30u8.into());
}

#[test]
fn forward_alphabets_are_products_of_everything_stored() {
    let rounds = vec![
        vec![says(0, 1, 2, 1), says(2, 1, 3, 1)],
        vec![forwards(1, 2, 2), forwards(1, 1, 2)],
        vec![forwards(2, 0, 3), forwards(1, 0, 3)],
    ];
    let game = Game::new(numbers(&[5, 7, 11]), rounds, PlayerId(0)).unwrap();
    let copied = 7 * 2 * 3;
    assert_eq!(
        sizes(&game)[2..],
        [
            copied.to_string(),
            copied.to_string(),
            (11 * copied).to_string(),
            (copied * copied).to_string()
        ]
    );
}

#[test]
fn equal_names_are_told_apart_by_number() {
    let rounds = vec![
        vec![says(0, 1, 2, 1), says(0, 1, 2, 1)],
        vec![says(0, 1, 2, 1)],
    ];
    let game = Game::new(numbers(&[2, 2]), rounds, PlayerId(1)).unwrap();
    assert_eq!(
        names(&game),
        ["lin A->B @1", "lin A->B @1#2", "lin A->B @1#3"]
    );
    assert_eq!(slot(&game, "lin A->B @1#3"), SlotId(2));
    assert_eq!(game.find_slot("lin A->B @1#4"), None);
}

#[test]
fn reduced_games_keep_the_first_pass_of_a_run_and_what_is_named() {
    let passes = |count: u64, size| Passes {
        count: count.into(),
        edges: all_linear(1, size),
    };
    let family = Hybrid {
        steps: 1,
        start: 2,
        ranges: vec![2],
        queries: vec![],
        epochs: vec![Epoch {
            number: 1,
            soft: Some(edges(&[])),
            passes: vec![passes(5, 2), passes(1 << 48, 3)],
        }],
    };
    let kept = |named: &[u64]| {
        let game = family.reduced_game(named).unwrap();
        let passes = game.slots().iter().filter(|slot| slot.at.len() == 2);
        let mut numbers: Vec<u64> = passes.map(|slot| slot.at[1]).collect();
        numbers.dedup();
        numbers
    };
    assert_eq!(kept(&[]), [1, 6]);
    assert_eq!(kept(&[3]), [1, 3, 4, 6]);
    assert_eq!(kept(&[5, 1000]), [1, 5, 6, 1000, 1001]);
    let slots = (BigUint::one() << 48) * 2u8 + 5u8 * 2u8 + 3u8;
    assert_eq!(family.slots(), slots);
    assert_eq!(family.game(), Err(GameError::TooManySlots(slots)));
}

// --- tasks ---

fn answer(task: &dyn Task, inputs: &[&[u64]]) -> u64 {
    let inputs = Inputs(inputs.iter().map(|digits| digits.to_vec()).collect());
    let accepted = task.accepted(&inputs).unwrap();
    let Accepted::One(answer) = accepted else {
        panic!("{accepted:?}")
    };
    answer
}

/// Number of functions of Bob's input that Alice's inputs stand for.
fn distinct_rows(task: &dyn Task, alice: Domain, bob: Domain) -> usize {
    let game = one_way::game(alphabet(1), alice, bob).unwrap();
    let mut rows: BTreeMap<Vec<u64>, Vec<u64>> = BTreeMap::new();
    for inputs in Inputs::all(&game) {
        let row = rows.entry(inputs.0[0].clone()).or_default();
        row.push(answer(task, &[&inputs.0[0], &inputs.0[1]]));
    }
    rows.values().collect::<BTreeSet<_>>().len()
}

#[test]
fn composition_follows_the_worked_example() {
    let task = Composition {
        steps: 3,
        start: 3,
        ranges: vec![3, 6, 12],
        queries: vec![2, 2],
    };
    let (mut z3, mut z2) = ([0; 12], [0; 6]);
    (z3[4], z2[5]) = (8, 4);
    let inputs: [&[u64]; 5] = [&z3, &z2, &[0, 2, 0], &[1], &[1, 0]];
    assert_eq!((answer(&task, &inputs), task.answers()), (8, 12));
    let inputs: [&[u64]; 5] = [&z3, &z2, &[0, 2, 0], &[1], &[0, 0]];
    assert_eq!(answer(&task, &inputs), 0);
}

#[test]
fn evaluation_has_n_to_the_n_rows() {
    assert_eq!(answer(&Evaluation { n: 3 }, &[&[2, 0, 1], &[0]]), 2);
    assert_eq!(answer(&Evaluation { n: 3 }, &[&[2, 0, 1], &[2]]), 1);
    for (n, rows) in [(1, 1), (2, 4), (3, 27)] {
        assert_eq!(
            distinct_rows(&Evaluation { n }, table(n, n), number(n)),
            rows
        );
    }
}

#[test]
fn permutation_composition_has_n_factorial_rows() {
    let (whole, last) = [false, true]
        .map(|last| PermutationComposition { n: 3, last })
        .into();
    // sigma(tau) = (1, 2, 0): 1*9 + 2*3 + 0.
    let inputs: [&[u64]; 2] = [&[2, 0, 1], &[2, 0, 1]];
    assert_eq!((answer(&whole, &inputs), answer(&last, &inputs)), (15, 0));
    assert_eq!((whole.answers(), last.answers()), (27, 3));
    assert_eq!(answer(&last, &[&[2, 0, 1], &[2, 1, 0]]), 2);
    for (n, rows) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
        for last in [false, true] {
            let task = PermutationComposition { n, last };
            assert_eq!(distinct_rows(&task, permutation(n), permutation(n)), rows);
        }
    }
}

#[test]
fn two_sum_counts_only_earlier_tokens() {
    let task = |reflexive| TwoSum {
        n: 4,
        modulus: 3,
        first_asked: 0,
        reflexive,
    };
    // 1 has no partner, 2 has 1, a lone 0 has none, the second 0 has one.
    let inputs: [&[u64]; 2] = [&[1, 2], &[0, 0]];
    assert_eq!(answer(&task(false), &inputs), 0b0101);
    assert_eq!(answer(&task(true), &inputs), 0b0111);
    let later = TwoSum {
        first_asked: 2,
        ..task(false)
    };
    assert_eq!((answer(&later, &inputs), later.answers()), (0b01, 4));
}

#[test]
fn two_sum_has_as_many_rows_as_nonempty_sets_of_residues() {
    let rows = |cut: u64, modulus: u64| {
        let task = TwoSum {
            n: cut + 1,
            modulus,
            first_asked: cut,
            reflexive: false,
        };
        distinct_rows(&task, table(cut, modulus), table(1, modulus))
    };
    for (cut, modulus) in [
        (1, 2),
        (2, 2),
        (3, 2),
        (1, 4),
        (2, 4),
        (3, 4),
        (4, 4),
        (5, 3),
    ] {
        let sets = (1..=cut.min(modulus)).map(|size| choose(modulus, size));
        assert_eq!(BigUint::from(rows(cut, modulus)), sets.sum::<BigUint>());
    }
}

#[test]
fn membership_looks_for_the_last_token_among_the_earlier_ones() {
    assert_eq!(answer(&Membership, &[&[1, 2], &[0], &[2]]), 1);
    assert_eq!(answer(&Membership, &[&[1, 2], &[0], &[3]]), 0);
    assert_eq!(answer(&Membership, &[&[1, 1], &[1], &[0]]), 0);
}

#[test]
fn pointers_are_followed_from_the_start_to_the_label() {
    // start 2, pi_2(2) = 0, pi_3(0) = 3, label(3) = 0.
    let (label, pi3, pi2): ([u64; 4], [u64; 4], [u64; 4]) =
        ([1, 1, 0, 0], [3, 2, 0, 1], [1, 2, 0, 3]);
    assert_eq!(answer(&Pointer, &[&label, &pi3, &pi2, &[2], &[]]), 0);
    assert_eq!(answer(&Pointer, &[&label, &pi3, &pi2, &[1], &[]]), 1);
    assert_eq!(answer(&Pointer, &[&label, &[1], &[]]), 1);
}

#[test]
fn hops_go_to_the_token_after_the_last_occurrence() {
    let hop = |k| answer(&Hop { k, symbols: 3 }, &[&[0, 1, 2], &[0, 2, 0]]);
    // Positions 1.. hold 0 1 2 0 2 0. From 6: the last earlier 0 stands at 4, so 5; a 2 stands at 3, so 4; 0 at 1, so 2; none.
    assert_eq!([0, 1, 2, 3, 4, 5].map(hop), [0, 2, 0, 1, 3, 3]);
}

#[test]
fn accepted_sets_meet_in_what_both_contain() {
    let only = |list: &[u64]| Accepted::Only(list.to_vec());
    assert_eq!(Accepted::All.and(&only(&[1, 2])), only(&[1, 2]));
    assert_eq!(only(&[0, 2, 3]).and(&only(&[2, 3, 4])), only(&[2, 3]));
    assert_eq!(only(&[0, 2]).and(&Accepted::One(2)), Accepted::One(2));
    assert!(Accepted::One(1).and(&only(&[0, 2])).is_empty());
    assert!(!Accepted::All.is_empty() && !Accepted::One(0).is_empty());
    assert!(only(&[0, 2]).contains(Answer(2)) && !only(&[0, 2]).contains(Answer(1)));
    let least = [Accepted::All, Accepted::One(4), only(&[3, 5]), only(&[])];
    assert_eq!(
        least.map(|accepted| accepted.least().map(|answer| answer.0)),
        [Some(0), Some(4), Some(3), None]
    );
}

#[test]
fn a_listed_task_has_one_entry_per_full_input() {
    let game = Game::new(numbers(&[2, 3]), vec![], PlayerId(0)).unwrap();
    let task = Listed::new(&game, 6, (0..6).map(Accepted::One).collect());
    assert_eq!(answer(&task, &[&[1], &[2]]), 5);
    assert_eq!(answer(&task, &[&[1], &[0]]), 3);
    let short = Listed::new(&game, 6, vec![Accepted::All]);
    let missing = short.accepted(&Inputs(vec![vec![0], vec![1]]));
    assert_eq!(missing.unwrap_err().to_string(), "no value is listed");
}

// --- errors ---

fn error(players: &[u64], rounds: Vec<Vec<Slot>>) -> String {
    Game::new(numbers(players), rounds, PlayerId(0))
        .unwrap_err()
        .to_string()
}

#[test]
fn games_without_players_or_with_wrong_ones_are_refused() {
    let none = Game::new(vec![], vec![], PlayerId(0)).unwrap_err();
    assert_eq!(
        (none.to_string().as_str(), &none),
        (
            "`players` is empty, expected at least one",
            &GameError::NoPlayers
        )
    );
    let twins = vec![player("A", number(2)), player("A", number(3))];
    assert_eq!(
        Game::new(twins, vec![], PlayerId(0))
            .unwrap_err()
            .to_string(),
        "two players are called `A`"
    );
    assert_eq!(
        Game::new(numbers(&[2]), vec![], PlayerId(1)),
        Err(GameError::UnknownOutput(1))
    );
    assert_eq!(
        GameError::UnknownOutput(1).to_string(),
        "output player number 1 does not exist"
    );
}

#[test]
fn slots_of_unknown_players_are_refused_by_index() {
    let consulting = Slot {
        consults: vec![PlayerId(9)],
        ..says(0, 1, 2, 1)
    };
    for odd in [says(9, 0, 2, 1), says(0, 9, 2, 1), consulting] {
        assert_eq!(
            error(&[2, 2], vec![vec![says(0, 1, 2, 1)], vec![odd]]),
            "slot 1: player number 9 does not exist, the game has 2"
        );
    }
}

#[test]
fn a_player_is_consulted_at_most_once_and_not_by_itself() {
    for consults in [
        vec![PlayerId(1), PlayerId(1)],
        vec![PlayerId(0), PlayerId(1)],
    ] {
        let label = if consults[0] == consults[1] { "B" } else { "A" };
        let odd = Slot {
            consults,
            ..says(0, 1, 2, 4)
        };
        assert_eq!(
            error(&[2, 2], vec![vec![odd]]),
            format!("`lin A->B @4` consults {label} twice")
        );
    }
}

#[test]
fn copied_slots_consult_nobody() {
    let forward = Slot {
        consults: vec![PlayerId(1)],
        ..forwards(0, 1, 1)
    };
    assert_eq!(
        error(&[2, 2], vec![vec![forward]]),
        "`free A->B @1` is copied by the schedule, so it consults nobody"
    );
    let read = Slot {
        consults: vec![PlayerId(1)],
        ..reads(0, 0, 0, 2)
    };
    assert_eq!(
        error(&[2, 2], vec![vec![says(0, 0, 1, 1)], vec![read]]),
        "`read A->A @2` is copied by the schedule, so it consults nobody"
    );
}

#[test]
fn a_read_names_an_earlier_chosen_slot_to_the_reader() {
    let message =
        |by| format!("`read A->A @2` reads by slot {by}, expected an earlier chosen slot to A");
    let bad = |rounds| error(&[2, 2, 2], rounds);
    // No such slot; itself; later; the same round; to somebody else; not chosen.
    assert_eq!(bad(vec![vec![reads(0, 7, 0, 2)]]), message(7));
    assert_eq!(bad(vec![vec![reads(0, 0, 0, 2)]]), message(0));
    assert_eq!(
        bad(vec![vec![reads(0, 1, 0, 2)], vec![says(0, 0, 2, 3)]]),
        message(1)
    );
    assert_eq!(
        bad(vec![vec![says(0, 0, 2, 2), reads(0, 0, 0, 2)]]),
        message(0)
    );
    assert_eq!(
        bad(vec![vec![says(0, 1, 2, 1)], vec![reads(0, 0, 0, 2)]]),
        message(0)
    );
    assert_eq!(
        bad(vec![vec![forwards(1, 0, 1)], vec![reads(0, 0, 0, 2)]]),
        message(0)
    );
}

#[test]
fn the_selection_alphabet_is_the_number_of_tuples() {
    let reading = |size, ranks: &[usize]| {
        let reads = ranks.iter().map(|rank| reads(0, 0, *rank, 2)).collect();
        error(&[2, 2, 2, 2], vec![vec![says(0, 0, size, 1)], reads])
    };
    assert_eq!(
        reading(4, &[0, 1]),
        "`lin A->A @1` has 4 symbols, expected C(3,2) = 3"
    );
    assert_eq!(
        reading(1, &[0, 1, 2, 3]),
        "`lin A->A @1` is read 4 times but there are only 3 other players"
    );
    assert_eq!(
        reading(3, &[0, 2]),
        "`read A->A @2#2` has rank 2, expected each of 0..2 once"
    );
    assert_eq!(
        reading(3, &[1, 1]),
        "`read A->A @2#2` has rank 1, expected each of 0..2 once"
    );
}

#[test]
fn a_read_is_sent_by_its_reader() {
    let odd = Slot {
        from: PlayerId(1),
        ..reads(0, 0, 0, 2)
    };
    assert_eq!(
        error(&[2, 2], vec![vec![says(0, 0, 1, 1)], vec![odd]]),
        "`read B->A @2` is a read slot, expected the sender to be the reader"
    );
}

#[test]
fn only_slots_of_one_shape_share_a_function() {
    let shared = |players: &[u64], rounds: Vec<Vec<Slot>>, ids: [usize; 2]| {
        Game::new(numbers(players), rounds, PlayerId(2))
            .unwrap()
            .with_shared(ids.map(SlotId).to_vec())
            .map(|game| game.shared().len())
            .map_err(|error| error.to_string())
    };
    let sharing = |one, other| vec![vec![one, other]];
    let refused = |name: &str| {
        Err(format!(
            "`{name}` cannot share one function with the other summary slots"
        ))
    };
    let plain = sharing(says(0, 2, 2, 1), says(1, 2, 2, 1));
    assert_eq!(shared(&[3, 3, 1], plain.clone(), [0, 1]), Ok(2));
    assert_eq!(shared(&[3, 4, 1], plain, [0, 1]), refused("lin B->C @1"));
    let alphabets = sharing(says(0, 2, 2, 1), says(1, 2, 3, 1));
    assert_eq!(
        shared(&[3, 3, 1], alphabets, [0, 1]),
        refused("lin B->C @1")
    );
    let consults = sharing(says(0, 2, 2, 1), answers(1, 2, 2, 1));
    assert_eq!(
        shared(&[3, 3, 1], consults, [0, 1]),
        refused("soft B->C @1")
    );
}

#[test]
fn too_many_slots_are_counted_not_built() {
    let refused = |game: Result<Game, GameError>| {
        let error = game.unwrap_err();
        assert!(error.is_size());
        error.to_string()
    };
    let chasing = PointerChasing {
        players: 3,
        points: 4,
        rounds: 1 << 40,
        bits: 1,
    };
    let expected = |count: u64| format!("{count} slots, at most 2^20 are unrolled");
    assert_eq!(refused(chasing.game()), expected(3 << 40));
    let stream = streaming::game(&alphabet(2), vec![number(2); 4], 1 << 40);
    assert_eq!(refused(stream), expected(3 << 40));
    let many = vec![vec![says(0, 0, 1, 1); (1 << 20) + 1]];
    assert_eq!(
        Game::new(numbers(&[1]), many, PlayerId(0)),
        Err(GameError::TooManySlots(((1u32 << 20) + 1).into()))
    );
}

#[test]
fn sizes_that_cannot_be_written_down_are_refused() {
    let wide = hybrid(1 << 40, &[2], &[], "F", &edges(&[]), &edges(&[]));
    assert_eq!(
        wide.game().unwrap_err().to_string(),
        "the domain of 1: 1099511627776 digits in one input, at most 2^24 are supported"
    );
    let none = hybrid(0, &[2], &[], "F", &edges(&[]), &edges(&[]));
    let error = none.game().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the domain of 0: domain 0, expected at least 1"
    );
    assert!(!error.is_size());
}

#[test]
fn an_alphabet_has_at_least_one_symbol() {
    let error = Alphabet::new(BigUint::ZERO).unwrap_err();
    assert_eq!(error.to_string(), "alphabet 0, expected at least 1");
}

#[derive(Debug)]
struct Fixed(Result<u64, &'static str>, Result<u64, &'static str>);

impl Protocol for Fixed {
    fn message(&self, _: SlotId, _: &Sight<'_>) -> Result<Symbol, SpeakError> {
        self.0.map(Symbol).map_err(speechless)
    }

    fn answer(&self, _: &View) -> Result<Option<Answer>, SpeakError> {
        self.1
            .map(|answer| Some(Answer(answer)))
            .map_err(speechless)
    }
}

fn speechless(message: &str) -> SpeakError {
    SpeakError {
        message: message.to_owned(),
        at: Some(3..5),
    }
}

#[test]
fn a_run_breaks_off_at_what_is_illegal() {
    let rounds = vec![vec![says(0, 1, 1, 1), says(0, 1, 3, 2)]];
    let game = Game::new(numbers(&[2, 4]), rounds, PlayerId(1)).unwrap();
    let inputs = Inputs(vec![vec![1], vec![3]]);
    let attempt = |fixed: &Fixed, inputs: &Inputs| run(&game, fixed, inputs);
    let fine = Fixed(Ok(2), Ok(9));
    let legal = attempt(&fine, &inputs).unwrap();
    assert_eq!(
        legal.transcript,
        [(SlotId(0), Symbol(0)), (SlotId(1), Symbol(2))]
    );
    assert_eq!(legal.answer, Some(Answer(9)));

    let too_large = attempt(&Fixed(Ok(3), Ok(0)), &inputs).unwrap_err();
    assert_eq!(
        too_large.to_string(),
        "`lin A->B @2` says 3, expected 0..<3"
    );
    assert!(matches!(
        too_large,
        IllegalRun::Symbol {
            slot: SlotId(1),
            symbol: 3,
            ..
        }
    ));

    assert_eq!(
        attempt(&Fixed(Err("no word"), Ok(0)), &inputs),
        Err(IllegalRun::Speak {
            slot: Some(SlotId(1)),
            error: speechless("no word")
        })
    );
    let mute = attempt(&Fixed(Ok(0), Err("no answer")), &inputs).unwrap_err();
    assert_eq!(mute.to_string(), "no answer");
    assert!(matches!(mute, IllegalRun::Speak { slot: None, .. }));

    let short = attempt(&fine, &Inputs(vec![vec![1]])).unwrap_err();
    assert_eq!(short.to_string(), "1 inputs, expected 2");
    let outside = attempt(&fine, &Inputs(vec![vec![1], vec![4]])).unwrap_err();
    assert_eq!(outside.to_string(), "input [4] of B is not in its domain");
    assert!(matches!(
        outside,
        IllegalRun::Inputs(InputsError::Domain { .. })
    ));
}

#[test]
fn tables_are_checked_against_their_slots() {
    let rounds = vec![
        vec![says(0, 1, 3, 1), answers(2, 1, 2, 1)],
        vec![forwards(1, 0, 2)],
    ];
    let game = Arc::new(Game::new(numbers(&[2, 4, 5]), rounds, PlayerId(1)).unwrap());
    let refuse = |tables, answers, count| -> TableError {
        Table::new(Arc::clone(&game), tables, answers, count).unwrap_err()
    };
    assert_eq!(
        refuse(vec![(SlotId(2), vec![])], None, 1).to_string(),
        "`free B->A @2` is copied by the schedule and takes no table"
    );
    assert_eq!(
        refuse(vec![(SlotId(0), vec![0, 2, 1])], None, 1).to_string(),
        "lin A->B @1 has 3 entries, expected 2"
    );
    assert_eq!(
        refuse(vec![(SlotId(0), vec![0, 3])], None, 1).to_string(),
        "lin A->B @1 says 3 at entry 1, expected 0..<3"
    );
    assert_eq!(
        refuse(vec![(SlotId(1), vec![0])], None, 1).to_string(),
        "soft C->B @1 has 1 entries, expected 20"
    );
    // B answers from its own input and two symbols.
    assert_eq!(
        refuse(vec![], Some(vec![0]), 1).to_string(),
        "answers has 1 entries, expected 24"
    );
    assert_eq!(
        refuse(vec![], Some(vec![7; 24]), 7).to_string(),
        "answers says 7 at entry 0, expected 0..<7"
    );
}

#[test]
fn shared_slots_take_one_table() {
    let sparse = Sparse {
        blocks: 2,
        block: 1,
        values: 2,
        read: 1,
        heads: 1,
        symbols: alphabet(2),
        shared_map: true,
    };
    let game = Arc::new(sparse.game().unwrap());
    let with = |tables| Table::new(Arc::clone(&game), tables, None, 1).map(|_| ());
    let says = |id, symbols: [u64; 2]| (SlotId(id), symbols.to_vec());
    assert_eq!(with(vec![says(0, [0, 1]), says(1, [0, 1])]), Ok(()));
    assert_eq!(with(vec![says(0, [0, 0])]), Ok(()));
    for tables in [
        vec![says(0, [0, 1])],
        vec![says(0, [0, 1]), says(1, [1, 0])],
    ] {
        assert_eq!(
            with(tables).unwrap_err().to_string(),
            "`summary B1->Query @1` differs from the other summary slots, which share one function"
        );
    }
}

#[test]
fn a_rule_of_a_family_is_what_the_family_says() {
    let game = smallest_separation();
    assert_eq!(game.slot(SlotId(3)).rule, Rule::Chosen(alphabet(2)));
    assert_eq!(game.slot(SlotId(0)).rule, Rule::Chosen(Alphabet::silent()));
}
