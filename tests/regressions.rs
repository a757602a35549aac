//! One function per bug.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use foolproof::exact::{self, Alphabet, Domain, DomainError, Field};
use foolproof::game::family::chain_of_thought;
use foolproof::game::family::hybrid::{Epoch, Hybrid, Passes};
use foolproof::game::family::pointer_chasing::PointerChasing;
use foolproof::game::family::sparse::Sparse;
use foolproof::game::flow::Flow;
use foolproof::game::strategy::affine::Form;
use foolproof::game::strategy::composition::Chain;
use foolproof::game::strategy::{Affine, FollowScheme, Lookup, NoRoom, PseudoRandom, Table};
use foolproof::game::{
    Game, GameError, Inputs, PlayerId, Protocol, Rule, Slot, SlotId, Symbol, run,
};
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use std::collections::BTreeSet;
use std::sync::Arc;
use support::{
    all_linear, alphabet, answers, edges, forwards, number, numbers, player, reads, says, table,
};

/// Forwarding two views to and fro squares an alphabet every other round; it was multiplied out until memory ended.
#[test]
fn r01_a_forwarded_view_of_too_many_bits_is_refused() {
    let rounds = (0..80)
        .map(|round| vec![forwards(round % 2, 1 - round % 2, round as u64)])
        .collect();
    let error = Game::new(numbers(&[2, 2]), rounds, PlayerId(0)).unwrap_err();
    assert!(matches!(error, GameError::Size { .. }) && error.is_size());
    assert!(
        error
            .to_string()
            .starts_with("the alphabet of `free B->A @35`: the size needs about 24157817 bits"),
        "{error}"
    );
}

/// The documented limit of 2^24 bits held for each field, not for their product, nor for the number of full inputs.
#[test]
fn r01_products_of_sizes_stop_at_the_documented_number_of_bits() {
    let field = |name: &str, form| Field {
        name: name.to_owned(),
        form,
    };
    let half = exact::Form::Subset(1 << 23);
    let pair = Domain::new(vec![field("a", half.clone()), field("b", half)]).unwrap();
    assert_eq!(pair.size().unwrap().bits(), (1 << 24) + 1);
    assert_eq!(pair.index_size(), None);
    let many = vec![field("c", exact::Form::Number(1 << 63)); 1 << 19];
    assert_eq!(
        Domain::new(many).unwrap().size(),
        Err(DomainError::TooLarge((63u32 << 19).into()))
    );
    let players = ["A", "B"].map(|label| player(label, pair.clone()));
    let game = Game::new(players.to_vec(), vec![], PlayerId(0)).unwrap();
    assert_eq!(
        game.inputs_size().unwrap_err().to_string(),
        "the number of full inputs: the size needs about 33554432 bits, at most 2^24 are supported"
    );
}

/// A run of zero passes underflowed in the reduced game.
#[test]
fn r02_a_run_of_no_passes_is_no_layer() {
    let nothing = Passes {
        count: 0u8.into(),
        edges: all_linear(1, 2),
    };
    let family = Hybrid {
        steps: 1,
        start: 2,
        ranges: vec![2],
        queries: vec![],
        epochs: vec![Epoch {
            number: 1,
            soft: Some(edges(&[])),
            passes: vec![nothing],
        }],
    };
    assert_eq!(family.game().unwrap().slots().len(), 3);
    assert_eq!(family.reduced_game(&[1]), family.game());
}

/// Sparse games and chains of thought were unrolled, however many slots they had.
#[test]
fn r03_too_many_slots_are_counted_before_any_is_built() {
    let sparse = |blocks, heads| Sparse {
        blocks,
        block: 1,
        values: 2,
        read: 1,
        heads,
        symbols: alphabet(2),
        shared_map: false,
    };
    let refused = |count: u64| Err(GameError::TooManySlots(count.into()));
    assert_eq!(sparse(2, 1 << 40).game(), refused(2 + (2 << 40)));
    assert_eq!(sparse(1 << 40, 1).game(), refused(2 + (1 << 40)));
    let thoughts = chain_of_thought::game(alphabet(2), number(2), number(2), 1 << 40);
    assert_eq!(thoughts, refused(1 + (1 << 40)));
}

/// An alphabet of 2^bits symbols was written down for any number of bits.
#[test]
fn r04_messages_of_too_many_bits_are_refused() {
    let chasing = PointerChasing {
        players: 2,
        points: 4,
        rounds: 1,
        bits: 1 << 60,
    };
    assert_eq!(
        chasing.game().unwrap_err().to_string(),
        "the alphabet of a message: the size needs about 1152921504606846976 bits, at most 2^24 are supported"
    );
}

/// A copy of one of 2^64 values or more was refused on some inputs only.
#[test]
fn r05_a_copy_without_an_index_is_refused_on_every_input() {
    let silent = |game: &Game| Table::new(Arc::new(game.clone()), vec![], None, 1).unwrap();
    let rounds = |size| vec![vec![says(0, 1, size, 1)], vec![forwards(1, 0, 2)]];
    let copy = |domain, size, input| {
        let game = Game::new(numbers(&[2, domain]), rounds(size), PlayerId(0)).unwrap();
        let run = run(&game, &silent(&game), &Inputs(vec![vec![0], vec![input]]));
        run.map(|run| run.transcript[1].1.0)
            .map_err(|error| error.to_string())
    };
    for input in [0, (1 << 32) - 1] {
        assert_eq!(
            copy(1 << 32, 1 << 32, input),
            Err("`free B->A @2` copies one of 18446744073709551616 values, 2^64 or more have no index".to_owned())
        );
        assert_eq!(
            copy(1 << 32, (1 << 32) - 1, input),
            Ok(input * ((1 << 32) - 1))
        );
    }
}

/// The alphabet of the innocent slot was blamed.
#[test]
fn r06_a_wrong_selector_is_named_even_when_its_alphabet_is_no_binomial() {
    let rounds = vec![vec![says(0, 1, 5, 1)], vec![reads(0, 0, 0, 2)]];
    assert_eq!(
        Game::new(numbers(&[2, 2, 2]), rounds, PlayerId(0))
            .unwrap_err()
            .to_string(),
        "`read A->A @2` reads by slot 0, expected an earlier chosen slot to A"
    );
}

/// What the senders have heard, and whom they consult, was not compared.
#[test]
fn r07_slots_with_different_keys_share_no_function() {
    let share = |rounds, ids: [usize; 2]| {
        Game::new(numbers(&[3, 3, 2, 4]), rounds, PlayerId(2))
            .unwrap()
            .with_shared(ids.map(SlotId).to_vec())
            .map(|game| game.shared().len())
    };
    let refused = |name: &str| Err(GameError::NotShareable(name.to_owned()));
    let heard = |size| {
        let both = vec![says(0, 2, 2, 2), says(1, 2, 2, 2)];
        vec![vec![says(2, 0, 2, 1), says(2, 1, size, 1)], both]
    };
    assert_eq!(share(heard(2), [2, 3]), Ok(2));
    assert_eq!(share(heard(3), [2, 3]), refused("lin B->C @2"));
    assert_eq!(share(heard(1), [2, 3]), refused("lin B->C @2"));
    let consulting = vec![vec![answers(0, 2, 2, 1), answers(1, 3, 2, 1)]];
    assert_eq!(share(consulting, [0, 1]), refused("soft B->D @1"));
}

/// A list with the empty cut was an index out of bounds.
#[test]
fn r08_the_empty_cut_leaves_nothing_to_choose() {
    let closed = Game::new(numbers(&[2, 2]), vec![vec![says(0, 1, 1, 1)]], PlayerId(1)).unwrap();
    let flow = Flow {
        game: &closed,
        of: PlayerId(0),
        view: PlayerId(1),
        after: 1,
    };
    assert_eq!(flow.leak(&BTreeSet::new()), None);
    assert_eq!(flow.all_cuts_listed(&[vec![]], 10), Some(true));
    assert_eq!(
        flow.all_cuts_listed(&[vec![SlotId(0)], vec![]], 10),
        Some(true)
    );
}

/// Slots that do not exist were an index out of bounds, and an input of one element was carried.
#[test]
fn r09_only_an_input_that_varies_is_carried_and_only_by_slots_that_exist() {
    let rounds = vec![vec![says(0, 1, 2, 1)]];
    let game = Game::new(numbers(&[1, 2]), rounds, PlayerId(1)).unwrap();
    let carries = |of, view, path: &[SlotId]| {
        let flow = Flow {
            game: &game,
            of: PlayerId(of),
            view: PlayerId(view),
            after: 1,
        };
        flow.carries(path, &BTreeSet::new())
    };
    assert!(!carries(0, 1, &[SlotId(0)]));
    assert!(!carries(0, 0, &[]));
    assert!(!carries(1, 1, &[SlotId(7)]));
    assert!(carries(1, 1, &[]));
}

/// In a hand-written game a soft slot may consult nobody; look-ups into the view of its receiver panicked.
#[test]
fn r10_look_ups_need_soft_slots_that_consult_their_receiver() {
    let blind = |from, to, round| Slot {
        consults: vec![],
        ..answers(from, to, 2, round)
    };
    let players = vec![
        player("1", table(2, 2)),
        player("0", number(2)),
        player("-1", Domain::unit()),
    ];
    let rounds = vec![
        vec![blind(0, 1, 1), blind(1, 2, 1)],
        vec![says(1, 2, 2, 1)],
        vec![blind(0, 2, 2)],
    ];
    let game = Arc::new(Game::new(players, rounds, PlayerId(2)).unwrap());
    for chain in [Chain::Full, Chain::Relay, Chain::PrePass] {
        let error = FollowScheme::new(&game, chain).unwrap_err();
        assert!(matches!(error, NoRoom::TooSmall { .. }), "{error}");
    }
    assert!(Lookup::new(game).is_none());
}

/// Symbols above 64 bits became 0.
#[test]
fn r11_symbols_that_do_not_fit_64_bits_are_refused() {
    let huge = Slot {
        rule: Rule::Chosen(Alphabet::new(BigUint::one() << 80).unwrap()),
        ..says(0, 1, 1, 1)
    };
    let game = Game::new(numbers(&[2, 2]), vec![vec![huge]], PlayerId(1)).unwrap();
    let game = Arc::new(game);
    let inputs = Inputs(vec![vec![1], vec![0]]);
    let form = Form {
        constant: 5.into(),
        inputs: vec![BigInt::one() << 70],
        received: vec![],
    };
    let affine = Affine {
        game: Arc::clone(&game),
        say: vec![Some(form)],
    };
    let expected = "the symbol has more than 64 bits";
    let refusal = |protocol: &dyn Protocol, inputs: &Inputs| {
        run(&game, protocol, inputs).map_err(|error| error.to_string())
    };
    assert_eq!(refusal(&affine, &inputs).unwrap_err(), expected);
    let small = refusal(&affine, &Inputs(vec![vec![0], vec![0]])).unwrap();
    assert_eq!(small.transcript, [(SlotId(0), Symbol(5))]);
    let random = PseudoRandom {
        game: Arc::clone(&game),
        seed: 7u8.into(),
    };
    assert_eq!(refusal(&random, &inputs).unwrap_err(), expected);
}
