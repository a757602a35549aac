//! Flow: cuts and relays against the committed truth, against all protocols, and against the unrolled game.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

mod support;

use foolproof::game::family::hybrid::{Edges, Epoch, Hybrid, Passes};
use foolproof::game::flow::{Flow, Relay, TooManyCuts};
use foolproof::game::{Game, Inputs, PlayerId, Protocol, SlotId, Symbol, View, run_until};
use itertools::Itertools;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use support::{
    Kinds, Scrambled, all_linear, all_protocols, all_soft, alphabet, forwards, hybrid, numbers,
    proptest_config, random_game, reads, says, slot,
};

type Pins = BTreeSet<SlotId>;

fn final_flow(game: &Game, of: usize, view: usize) -> Flow<'_> {
    Flow {
        game,
        of: PlayerId(of),
        view: PlayerId(view),
        after: game.rounds(),
    }
}

/// The view of the player in question under `protocol`, and the symbols of the pinned chosen slots, on one input.
fn seen(
    flow: &Flow<'_>,
    pins: &Pins,
    protocol: &dyn Protocol,
    inputs: &Inputs,
) -> (View, Vec<Symbol>) {
    let mut run = run_until(flow.game, protocol, inputs, flow.after).unwrap();
    let chosen: Pins = flow.game.chosen_slots().collect();
    let pinned = run
        .transcript
        .iter()
        .filter(|(id, _)| pins.contains(id) && chosen.contains(id));
    let pinned = pinned.map(|(_, symbol)| *symbol).collect();
    (run.views.swap_remove(flow.view.0), pinned)
}

/// True when, for fixed other inputs, the view in question takes two values.
fn depends(flow: &Flow<'_>, protocol: &dyn Protocol) -> bool {
    let mut views: BTreeMap<Inputs, View> = BTreeMap::new();
    Inputs::all(flow.game).any(|inputs| {
        let (view, _) = seen(flow, &Pins::new(), protocol, &inputs);
        let mut others = inputs;
        others.0[flow.of.0].clear();
        *views.entry(others).or_insert_with(|| view.clone()) != view
    })
}

/// The leak path is legal, its relay tells the two inputs apart, and it never says anything but one symbol on a pinned slot.
fn assert_relayed(game: &Arc<Game>, flow: &Flow<'_>, pins: &Pins) {
    let path = flow.leak(pins).expect("a path");
    assert!(flow.carries(&path, pins), "{path:?}");
    let relay = Relay::new(Arc::clone(game), flow.of, path);
    let (left, right) = flow.relay_inputs().unwrap();
    let (left, right) = (
        seen(flow, pins, &relay, &left),
        seen(flow, pins, &relay, &right),
    );
    assert_ne!(left.0, right.0, "the relay tells nothing apart");
    for inputs in Inputs::all(game).take(200) {
        assert_eq!(
            seen(flow, pins, &relay, &inputs).1,
            left.1,
            "a pinned symbol varies"
        );
    }
}

/// Each cut cuts, each of its members is needed, and the list is complete exactly with all of them.
fn assert_minimal_cuts(game: &Arc<Game>, flow: &Flow<'_>, cuts: &[Vec<SlotId>]) {
    for cut in cuts {
        let pins: Pins = cut.iter().copied().collect();
        assert_eq!(flow.leak(&pins), None, "{cut:?} is no cut");
        for member in cut {
            let mut fewer = pins.clone();
            fewer.remove(member);
            assert_relayed(game, flow, &fewer);
        }
    }
    let choices = cuts.iter().map(|cut| cut.len() as u64).product::<u64>();
    if choices > 1 << 10 {
        assert_eq!(flow.all_cuts_listed(cuts, 1 << 10), None);
        return;
    }
    assert_eq!(flow.all_cuts_listed(cuts, 1 << 10), Some(true));
    for dropped in 0..cuts.len() {
        let mut fewer = cuts.to_vec();
        fewer.remove(dropped);
        assert_eq!(flow.all_cuts_listed(&fewer, 1 << 10), Some(false));
    }
}

/// Shorter sets first, then slot order; no set may contain a cut found before.
fn cuts_by_brute_force(flow: &Flow<'_>) -> Vec<Vec<SlotId>> {
    let leaks = |set: &[SlotId]| flow.leak(&set.iter().copied().collect()).is_some();
    let mut cuts: Vec<Vec<SlotId>> = Vec::new();
    if leaks(&[]) {
        for set in flow.game.chosen_slots().powerset() {
            let smaller = |cut: &Vec<SlotId>| cut.iter().all(|id| set.contains(id));
            if !cuts.iter().any(smaller) && !leaks(&set) {
                cuts.push(set);
            }
        }
    }
    cuts
}

fn truth() -> serde_json::Value {
    serde_json::from_str(include_str!("data/flow-minimal-cuts.json")).unwrap()
}

/// `state j->i (chain q)` of the committed file is `lin j->i @1.q` here.
fn our_name(theirs: &str) -> String {
    match theirs.strip_prefix("state ") {
        None => format!("{theirs} @1"),
        Some(rest) => {
            let (edge, pass) = rest.split_once(" (chain ").unwrap();
            format!("lin {edge} @1.{}", pass.trim_end_matches(')'))
        }
    }
}

#[test]
fn the_first_epoch_has_the_committed_minimal_cuts() {
    let truth = truth();
    let cases = truth["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for case in cases {
        assert_eq!(case["L"], 2);
        let word = format!("FR^{}", case["a1"]);
        let family = hybrid(2, &[2, 2], &[2], &word, &all_soft(2, 2), &all_linear(2, 2));
        let game = Arc::new(family.game().unwrap());
        let ours = |list: &serde_json::Value| -> Vec<SlotId> {
            let names = list.as_array().unwrap().iter();
            let ids = names.map(|name| slot(&game, &our_name(name.as_str().unwrap())));
            ids.sorted().collect()
        };
        assert_eq!(ours(&case["slots"]), game.ids().collect::<Vec<_>>());
        let expected: Vec<Vec<SlotId>> = case["minimal_cuts"]
            .as_array()
            .unwrap()
            .iter()
            .map(ours)
            .sorted_by_key(|cut| (cut.len(), cut.clone()))
            .collect();
        let one = game.find_player("1").unwrap();
        let flow = final_flow(&game, one.0, game.output().0);
        assert_eq!(flow.minimal_cuts(10).unwrap(), expected);
        assert_minimal_cuts(&game, &flow, &expected);
        assert_eq!(flow.minimal_cuts(expected.len()).unwrap(), expected);
        assert_eq!(
            flow.minimal_cuts(expected.len() - 1),
            Err(TooManyCuts(expected.len() - 1))
        );
    }
}

#[test]
fn with_a_pass_fixing_the_direct_answer_leaves_the_relay() {
    let family = hybrid(2, &[2, 2], &[2], "FRF", &all_soft(2, 2), &all_linear(2, 2));
    let game = Arc::new(family.game().unwrap());
    let named = |path: Option<Vec<SlotId>>| {
        path.map(|path| {
            path.iter()
                .map(|id| game.name(*id).to_owned())
                .collect_vec()
        })
    };
    let pins = |names: &[&str]| names.iter().map(|name| slot(&game, name)).collect::<Pins>();
    let mut flow = final_flow(&game, 1, 3);
    flow.after = 4;
    let leak = |names: &[&str]| named(flow.leak(&pins(names)));
    assert_eq!(leak(&[]).unwrap(), ["soft 1->-1 @1"]);
    assert_eq!(
        leak(&["soft 1->-1 @1"]).unwrap(),
        ["soft 1->0 @1", "lin 0->-1 @1.1"]
    );
    assert_eq!(
        leak(&["soft 1->-1 @1", "soft 1->0 @1"]).unwrap(),
        ["lin 1->0 @1.1", "lin 0->-1 @1.1"]
    );
    assert_eq!(leak(&["soft 1->-1 @1", "lin 0->-1 @1.1"]), None);
    // Player L hears nothing; a player's own input needs no slot.
    assert_eq!(final_flow(&game, 1, 0).leak(&Pins::new()), None);
    assert_eq!(final_flow(&game, 1, 1).leak(&Pins::new()), Some(vec![]));
    assert_eq!(final_flow(&game, 1, 1).minimal_cuts(9), Ok(vec![]));
    // The query of -1 travels upwards by being consulted.
    assert_eq!(
        named(final_flow(&game, 3, 2).leak(&Pins::new())),
        None,
        "-1 is consulted only by senders to itself"
    );
}

#[test]
fn slots_of_one_round_do_not_chain() {
    let game = |rounds| Game::new(numbers(&[2, 2, 2]), rounds, PlayerId(2)).unwrap();
    let together = game(vec![vec![says(0, 1, 2, 1), says(1, 2, 2, 1)]]);
    let apart = game(vec![vec![says(0, 1, 2, 1)], vec![says(1, 2, 2, 2)]]);
    let none = Pins::new();
    assert_eq!(final_flow(&together, 0, 2).leak(&none), None);
    let path = [SlotId(0), SlotId(1)];
    assert_eq!(
        final_flow(&apart, 0, 2).leak(&none).as_deref(),
        Some(&path[..])
    );
    let early = Flow {
        after: 1,
        ..final_flow(&apart, 0, 2)
    };
    assert_eq!(early.leak(&none), None);
    assert!(!early.carries(&path, &none) && final_flow(&apart, 0, 2).carries(&path, &none));
    assert!(!final_flow(&together, 0, 2).carries(&path, &none));
    assert!(!final_flow(&apart, 0, 2).carries(&path, &Pins::from([SlotId(1)])));
    assert!(!final_flow(&apart, 0, 2).carries(&[SlotId(1), SlotId(0)], &none));
}

#[test]
fn a_closed_domain_influences_nothing() {
    let game = Game::new(numbers(&[1, 2]), vec![vec![says(0, 1, 2, 1)]], PlayerId(1)).unwrap();
    assert_eq!(final_flow(&game, 0, 1).leak(&Pins::new()), None);
    assert_eq!(final_flow(&game, 0, 1).relay_inputs(), None);
}

#[test]
fn a_rank_reads_only_candidates_with_room_on_both_sides() {
    // Four candidates A, B, D, E for the reader C; two of them are read.
    let rounds = vec![
        vec![says(2, 2, 6, 1)],
        vec![reads(2, 0, 0, 2), reads(2, 0, 1, 2)],
    ];
    let game = Arc::new(Game::new(numbers(&[2; 5]), rounds, PlayerId(2)).unwrap());
    let by = |of, pinned: usize| {
        let pins = Pins::from([SlotId(pinned)]);
        let flow = final_flow(&game, of, 2);
        let path = flow.leak(&pins);
        if path.is_some() {
            assert_relayed(&game, &flow, &pins);
        }
        path.map(|path| path[0].0)
    };
    // Rank 0 cannot be the last candidate, rank 1 not the first.
    assert_eq!(
        [0, 1, 3, 4].map(|of| by(of, 2)),
        [Some(1), Some(1), Some(1), None]
    );
    assert_eq!(
        [0, 1, 3, 4].map(|of| by(of, 1)),
        [None, Some(2), Some(2), Some(2)]
    );
    // Pinning the selection holds it constant, it does not forbid the read.
    assert_eq!(by(0, 0), Some(1));
}

/// A random question about a random game: whose input, whose view, when, and which chosen slots are pinned.
fn question(kinds: Kinds) -> impl Strategy<Value = (Arc<Game>, usize, usize, usize, Pins)> {
    random_game(kinds).prop_flat_map(|game| {
        let (players, rounds) = (game.players().len(), game.rounds());
        let chosen: Vec<SlotId> = game.chosen_slots().collect();
        let pins =
            prop::collection::vec(prop::bool::weighted(0.3), chosen.len()).prop_map(move |pick| {
                chosen
                    .iter()
                    .zip(pick)
                    .filter(|pair| pair.1)
                    .map(|pair| *pair.0)
                    .collect()
            });
        (Just(game), 0..players, 0..players, 0..=rounds, pins)
    })
}

proptest! {
    #![proptest_config(proptest_config("tests/proptest-regressions/flow.txt", 768))]

    #[test]
    fn a_view_depends_on_an_input_under_some_protocol_exactly_with_a_path(
        (game, of, view, after, pins) in question(Kinds::ChosenAndCopied),
        seed in any::<u64>(),
    ) {
        let flow = Flow { game: &game, of: PlayerId(of), view: PlayerId(view), after };
        if flow.leak(&pins).is_some() {
            assert_relayed(&game, &flow, &pins);
        } else if let Some(mut protocols) = all_protocols(&game, &pins, 256) {
            prop_assert!(protocols.all(|protocol| !depends(&flow, &protocol)));
        } else {
            for draw in 0..6 {
                let silenced = pins.clone();
                let protocol = Scrambled { game: Arc::clone(&game), seed: seed ^ draw, silenced };
                prop_assert!(!depends(&flow, &protocol));
            }
        }
    }

    #[test]
    fn minimal_cuts_are_what_trying_all_subsets_finds(
        (game, of, view, after, _) in question(Kinds::ChosenAndCopied),
    ) {
        let flow = Flow { game: &game, of: PlayerId(of), view: PlayerId(view), after };
        let expected = cuts_by_brute_force(&flow);
        prop_assert_eq!(&flow.minimal_cuts(1 << 10).unwrap(), &expected);
        assert_minimal_cuts(&game, &flow, &expected);
    }

    #[test]
    fn pinning_more_never_opens_a_path(
        (game, of, view, after, pins) in question(Kinds::ChosenAndCopied),
    ) {
        let flow = Flow { game: &game, of: PlayerId(of), view: PlayerId(view), after };
        let later = Flow { after: after + 1, ..flow.clone() };
        if flow.leak(&pins).is_some() {
            prop_assert!(flow.leak(&Pins::new()).is_some());
            prop_assert_eq!(later.leak(&pins), flow.leak(&pins));
        }
    }
}

/// A hybrid game with random edges, runs of up to 6 passes, and names of slots to pin.
fn layout() -> impl Strategy<Value = (Hybrid, Vec<prop::sample::Index>)> {
    let edges = |list: Vec<(i64, i64)>| {
        prop::collection::vec(1u64..=2, list.len()).prop_map(move |sizes| -> Edges {
            list.iter()
                .copied()
                .zip(sizes.into_iter().map(alphabet))
                .collect()
        })
    };
    (1i64..=3).prop_flat_map(move |steps| {
        let soft = edges(
            (0..=steps)
                .flat_map(|from| (-1..from).map(move |to| (from, to)))
                .collect(),
        );
        let linear = edges((0..=steps).map(|from| (from, from - 1)).collect());
        let run = (1u64..=6, linear).prop_map(|(count, edges)| Passes {
            count: count.into(),
            edges,
        });
        let epoch = (soft, prop::collection::vec(run, 0..=2));
        let pins = prop::collection::vec(any::<prop::sample::Index>(), 0..=6);
        (any::<bool>(), prop::collection::vec(epoch, 1..=3), pins).prop_map(
            move |(from_zero, epochs, pins)| {
                let number = |place: usize| place as u64 + u64::from(!from_zero);
                let epochs = epochs
                    .into_iter()
                    .enumerate()
                    .map(|(place, (soft, passes))| Epoch {
                        number: number(place),
                        soft: (number(place) > 0).then_some(soft),
                        passes,
                    });
                let steps = u64::try_from(steps).unwrap();
                let family = Hybrid {
                    steps,
                    start: 2,
                    ranges: vec![2; usize::try_from(steps).unwrap()],
                    queries: vec![2; usize::try_from(steps - 1).unwrap()],
                    epochs: epochs.collect(),
                };
                (family, pins)
            },
        )
    })
}

/// Number of rounds that end with `epoch`.
fn end_of(game: &Game, epoch: u64) -> usize {
    let ids = game.ids().filter(|id| game.slot(*id).at[0] <= epoch);
    ids.map(|id| game.round_of(id) + 1).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(proptest_config("tests/proptest-regressions/flow-layouts.txt", 256))]

    #[test]
    fn the_reduced_game_leaks_by_the_same_slots_as_the_unrolled_one((family, pins) in layout()) {
        let whole = family.game().unwrap();
        prop_assume!(!whole.slots().is_empty());
        let names: BTreeSet<&str> = pins.iter().map(|pin| whole.name(SlotId(pin.index(whole.slots().len())))).collect();
        let passes: Vec<u64> = names
            .iter()
            .filter_map(|name| whole.slot(slot(&whole, name)).at.get(1).copied())
            .collect();
        let reduced = family.reduced_game(&passes).unwrap();
        prop_assert!(reduced.slots().len() <= whole.slots().len());
        let leak = |game: &Game, of, view, after| {
            let pins = names.iter().map(|name| slot(game, name)).collect();
            let flow = Flow { game, of: PlayerId(of), view: PlayerId(view), after };
            flow.leak(&pins).map(|path| path.iter().map(|id| game.name(*id).to_owned()).collect_vec())
        };
        let players = whole.players().len();
        for (of, view) in (0..players).cartesian_product(0..players) {
            for epoch in family.epochs.iter().map(|epoch| epoch.number) {
                prop_assert_eq!(
                    leak(&whole, of, view, end_of(&whole, epoch)),
                    leak(&reduced, of, view, end_of(&reduced, epoch)),
                    "{} to {} after epoch {}", of, view, epoch
                );
            }
        }
    }
}

#[test]
fn a_long_run_is_read_in_no_time() {
    let word = "FR^281474976710656F";
    let family = hybrid(2, &[2, 2], &[2], word, &all_soft(2, 2), &all_linear(2, 2));
    assert!(family.game().unwrap_err().is_size());
    let reduced = family.reduced_game(&[]).unwrap();
    assert_eq!(reduced.slots().len(), 15);
    let named = family.reduced_game(&[281_474_976_710_656]).unwrap();
    assert_eq!(named.slots().len(), 18);
    assert!(named.find_slot("lin 0->-1 @1.281474976710656").is_some());
}

#[test]
fn one_run_that_many_pins_cut_into_pieces() {
    // Of three equal passes, the edge into -1 is pinned in the first two: the third one leaks.
    let family = hybrid(2, &[2], &[], "R^3", &all_soft(1, 1), &all_linear(1, 2));
    let pinned = ["lin 0->-1 @0.1", "lin 0->-1 @0.2"];
    let leak = |game: &Game| {
        let pins = pinned.iter().map(|name| slot(game, name)).collect();
        let path = final_flow(game, 0, 2).leak(&pins)?;
        Some(
            path.iter()
                .map(|id| game.name(*id).to_owned())
                .collect_vec(),
        )
    };
    let expected = vec!["lin 1->0 @0.1".to_owned(), "lin 0->-1 @0.3".to_owned()];
    assert_eq!(leak(&family.game().unwrap()), Some(expected.clone()));
    assert_eq!(leak(&family.reduced_game(&[1, 2]).unwrap()), Some(expected));
}

#[test]
fn a_relay_reads_its_bit_out_of_views_forwarded_twice() {
    // B says what it read of C by the selection with index 1, inside two copied views.
    let rounds = vec![
        vec![says(1, 1, 4, 1), says(0, 1, 2, 1)],
        vec![reads(1, 0, 0, 2)],
        vec![forwards(1, 3, 3)],
        vec![forwards(3, 4, 4)],
        vec![says(4, 0, 2, 5)],
    ];
    let game = Arc::new(Game::new(numbers(&[2, 2, 3, 1, 2]), rounds, PlayerId(0)).unwrap());
    let flow = final_flow(&game, 2, 0);
    let path = [2, 3, 4, 5].map(SlotId).to_vec();
    assert_eq!(flow.leak(&Pins::new()), Some(path.clone()));
    assert_relayed(&game, &flow, &Pins::new());
    let relay = Relay::new(Arc::clone(&game), PlayerId(2), path);
    let said = |inputs: &Inputs| {
        let run = run_until(&game, &relay, inputs, game.rounds()).unwrap();
        run.transcript[5].1.0
    };
    // The bit is "not the first element", whatever the others hold.
    for inputs in Inputs::all(&game) {
        assert_eq!(said(&inputs), u64::from(inputs.0[2] != [0]));
    }
}

#[test]
fn two_epochs_have_the_minimal_cuts_that_trying_all_subsets_finds() {
    let family = hybrid(2, &[2, 2], &[2], "FRF", &all_soft(2, 2), &all_linear(2, 2));
    let game = Arc::new(family.game().unwrap());
    let flow = final_flow(&game, 1, 3);
    let expected = cuts_by_brute_force(&flow);
    assert_eq!(flow.minimal_cuts(1 << 10).unwrap(), expected);
    assert_minimal_cuts(&game, &flow, &expected);
    let expected: Vec<Vec<usize>> = vec![vec![3, 4, 7, 13], vec![4, 8, 13, 14]];
    let found = flow.minimal_cuts(1 << 10).unwrap();
    let found = found
        .iter()
        .map(|cut| cut.iter().map(|id| id.0).collect_vec());
    assert_eq!(found.collect_vec(), expected);
}

#[test]
fn a_cut_with_two_slots_of_one_path_is_found_once() {
    // Routes from A to D: slots 0 3, 2 3, and 0 1 4.
    let (a, b, c, d) = (0, 1, 2, 3);
    let steps = [(a, b), (b, c), (a, b), (b, d), (c, d)];
    let rounds = (1..)
        .zip(steps)
        .map(|(round, (from, to))| vec![says(from, to, 2, round)]);
    let game = Game::new(numbers(&[2; 4]), rounds.collect(), PlayerId(d)).unwrap();
    let game = Arc::new(game);
    let flow = final_flow(&game, a, d);
    assert_eq!(flow.leak(&Pins::new()), Some(vec![SlotId(0), SlotId(3)]));
    let expected = [[0, 2], [0, 3], [1, 3], [3, 4]].map(|cut| cut.map(SlotId).to_vec());
    assert_eq!(flow.minimal_cuts(10).unwrap(), expected);
    assert_minimal_cuts(&game, &flow, &expected);
}
