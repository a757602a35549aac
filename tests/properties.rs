//! Laws that hold for every game, protocol and domain.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod support;

use foolproof::exact::{Digits, Domain, Field, Form, choose};
use foolproof::game::family::{chain_of_thought, one_way};
use foolproof::game::key::KeySpace;
use foolproof::game::run::{combination, forwarded_part};
use foolproof::game::strategy::Table;
use foolproof::game::task::listed::Listed;
use foolproof::game::{
    Accepted, Answer, Game, Inputs, PlayerId, Protocol, Rule, Sight, SlotId, SpeakError, Symbol,
    Task, View, run, run_until,
};
use itertools::Itertools;
use num_traits::ToPrimitive;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use support::{
    Kinds, Scrambled, alphabet, number, proptest_config, random_game, solvable, table_shapes,
};

// --- one-way games and chains of thought ---

/// A one-way question: sizes of Alice's and Bob's inputs, size of the answer set, and what is accepted on each input.
#[derive(Clone, Debug)]
struct Question {
    alice: u64,
    bob: u64,
    answers: u64,
    accepted: Vec<Accepted>,
}

impl Question {
    fn one_way(&self, symbols: u64) -> Arc<Game> {
        Arc::new(one_way::game(alphabet(symbols), number(self.alice), number(self.bob)).unwrap())
    }

    fn thoughts(&self, symbols: u64, steps: u64) -> Arc<Game> {
        let (alice, bob) = (number(self.alice), number(self.bob));
        Arc::new(chain_of_thought::game(alphabet(symbols), alice, bob, steps).unwrap())
    }

    /// Charles has one input, so the list is the same.
    fn task(&self, game: &Game) -> Listed {
        Listed::new(game, self.answers, self.accepted.clone())
    }

    fn distinct_rows(&self) -> usize {
        let bob = usize::try_from(self.bob).unwrap();
        let rows = self
            .accepted
            .chunks(bob)
            .map(|row| row.iter().map(Accepted::least).collect_vec());
        rows.collect::<BTreeSet<_>>().len()
    }
}

fn question(accepted: impl Strategy<Value = Accepted> + Clone) -> impl Strategy<Value = Question> {
    (1u64..=4, 1u64..=3).prop_flat_map(move |(alice, bob)| {
        let cells = usize::try_from(alice * bob).unwrap();
        prop::collection::vec(accepted.clone(), cells).prop_map(move |accepted| Question {
            alice,
            bob,
            answers: 3,
            accepted,
        })
    })
}

fn function() -> impl Strategy<Value = Accepted> + Clone {
    (0u64..3).prop_map(Accepted::One)
}

fn relation() -> impl Strategy<Value = Accepted> + Clone {
    prop_oneof![
        1 => Just(Accepted::All),
        2 => (0u64..3).prop_map(Accepted::One),
        4 => prop::sample::subsequence(vec![0u64, 1, 2], 1..=3).prop_map(Accepted::Only),
    ]
}

fn answers_of(game: &Game, protocol: &dyn Protocol) -> Vec<Answer> {
    let answer = |inputs| run(game, protocol, &inputs).unwrap().answer.unwrap();
    Inputs::all(game).map(answer).collect()
}

proptest! {
    #![proptest_config(proptest_config("tests/proptest-regressions/one-way.txt", 128))]

    #[test]
    fn a_table_transfers_from_one_way_to_chain_of_thought(
        question in question(relation()), symbols in 1u64..=3, steps in 1u64..=3, seed in any::<u64>(),
    ) {
        let (single, thinking) = (question.one_way(symbols), question.thoughts(symbols, steps));
        let draw = |place: u64, size: u64| (seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15)) % 1009 % size;
        let said: Vec<u64> = (0..question.alice).map(|x| draw(x, symbols)).collect();
        let answers: Vec<u64> = (0..question.bob * symbols).map(|key| draw(key + 100, 3)).collect();
        // A closed slot is no part of the key; and a view forwarded in full is the key itself.
        let table = |game: &Arc<Game>| {
            let tables = vec![(SlotId(0), said.clone())];
            Table::new(Arc::clone(game), tables, Some(answers.clone()), 3).unwrap()
        };
        let (one, other) = (answers_of(&single, &table(&single)), answers_of(&thinking, &table(&thinking)));
        prop_assert_eq!(&one, &other);
        let (task, same) = (question.task(&single), question.task(&thinking));
        for (x, y) in Inputs::all(&single).zip(Inputs::all(&thinking)) {
            prop_assert_eq!(task.accepted(&x).unwrap(), same.accepted(&y).unwrap());
        }
    }

    #[test]
    fn chain_of_thought_solves_what_one_way_solves(
        question in question(relation()), symbols in 1u64..=3, steps in 1u64..=2,
    ) {
        let (single, thinking) = (question.one_way(symbols), question.thoughts(symbols, steps));
        prop_assert_eq!(
            solvable(&single, &question.task(&single)),
            solvable(&thinking, &question.task(&thinking))
        );
    }

    #[test]
    fn one_more_symbol_never_loses_a_solution(question in question(relation()), symbols in 1u64..=3) {
        let solved = |symbols| {
            let game = question.one_way(symbols);
            solvable(&game, &question.task(&game))
        };
        prop_assert!(!solved(symbols) || solved(symbols + 1));
        prop_assert!(solved(question.alice), "saying everything solves every relation with answers");
    }

    #[test]
    fn a_function_needs_as_many_symbols_as_it_has_distinct_rows(question in question(function()), symbols in 1u64..=4) {
        let game = question.one_way(symbols);
        let enough = question.distinct_rows() <= usize::try_from(symbols).unwrap();
        prop_assert_eq!(solvable(&game, &question.task(&game)), enough);
    }
}

// --- runs ---

/// For a slot and a key, the views in sight and the symbol.
type Sayings = BTreeMap<(SlotId, u64), (Vec<View>, Symbol)>;

/// What a slot said on every sight, by key.
#[derive(Debug)]
struct Recorder<'a> {
    game: &'a Game,
    inner: Scrambled,
    said: RefCell<Sayings>,
}

impl Protocol for Recorder<'_> {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let symbol = self.inner.message(slot, sight)?;
        let space = KeySpace::of_slot(self.game, slot);
        let index = space.index(self.game, sight).unwrap();
        assert!(num_bigint::BigUint::from(index) < space.size(self.game).unwrap());
        let shown = (sight.views().cloned().collect::<Vec<View>>(), symbol);
        let mut said = self.said.borrow_mut();
        // One key is one sight.
        assert_eq!(
            *said.entry((slot, index)).or_insert_with(|| shown.clone()),
            shown
        );
        Ok(symbol)
    }

    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError> {
        self.inner.answer(view)
    }
}

fn scrambled(game: &Arc<Game>, seed: u64) -> Scrambled {
    Scrambled {
        game: Arc::clone(game),
        seed,
        silenced: BTreeSet::new(),
    }
}

/// The protocol as tables, 0 on sights that no input shows.
fn tabulated(game: &Arc<Game>, protocol: Scrambled) -> Table {
    let recorder = Recorder {
        game,
        inner: protocol,
        said: RefCell::default(),
    };
    for inputs in Inputs::all(game) {
        run(game, &recorder, &inputs).unwrap();
    }
    let said = recorder.said.into_inner();
    let tables = table_shapes(game, &BTreeSet::new())
        .into_iter()
        .map(|(id, keys, _)| {
            let entry = |key| said.get(&(id, key)).map_or(0, |(_, symbol)| symbol.0);
            (id, (0..keys as u64).map(entry).collect())
        });
    Table::new(Arc::clone(game), tables.collect(), None, 1).unwrap()
}

fn few_keys(game: &Arc<Game>) -> bool {
    table_shapes(game, &BTreeSet::new())
        .iter()
        .all(|(_, keys, _)| *keys <= 1 << 14)
}

/// Every slot says one fixed symbol.
#[derive(Debug)]
struct Constant(Vec<u64>);

impl Protocol for Constant {
    fn message(&self, slot: SlotId, _: &Sight<'_>) -> Result<Symbol, SpeakError> {
        Ok(Symbol(self.0[slot.0]))
    }

    fn answer(&self, _: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(None)
    }
}

/// Counts the distinct keys that each slot, and the answer, meets.
#[derive(Debug)]
struct KeyCount<'a> {
    game: &'a Game,
    constant: Constant,
    met: &'a RefCell<BTreeMap<Option<SlotId>, BTreeSet<u64>>>,
}

impl Protocol for KeyCount<'_> {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let index = KeySpace::of_slot(self.game, slot)
            .index(self.game, sight)
            .unwrap();
        self.met
            .borrow_mut()
            .entry(Some(slot))
            .or_default()
            .insert(index);
        self.constant.message(slot, sight)
    }

    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError> {
        let index = KeySpace::of_answer(self.game)
            .index_of_view(self.game, view)
            .unwrap();
        self.met.borrow_mut().entry(None).or_default().insert(index);
        Ok(None)
    }
}

proptest! {
    #![proptest_config(proptest_config("tests/proptest-regressions/runs.txt", 128))]

    #[test]
    fn views_never_shrink(game in random_game(Kinds::ChosenAndCopied), seed in any::<u64>()) {
        let protocol = scrambled(&game, seed);
        for inputs in Inputs::all(&game) {
            let after = |rounds| run_until(&game, &protocol, &inputs, rounds).unwrap();
            for (one, next) in (0..=game.rounds()).map(after).tuple_windows() {
                prop_assert!(next.transcript.starts_with(&one.transcript));
                for (before, later) in one.views.iter().zip(&next.views) {
                    prop_assert_eq!((before.player, &before.input), (later.player, &later.input));
                    prop_assert!(later.stored.starts_with(&before.stored));
                }
            }
            let all = after(game.rounds());
            prop_assert_eq!(&after(game.rounds() + 1), &all);
            prop_assert_eq!(all.transcript, run(&game, &protocol, &inputs).unwrap().transcript);
        }
    }

    #[test]
    fn a_symbol_is_a_function_of_its_sight(game in random_game(Kinds::ChosenAndCopied), seed in any::<u64>()) {
        // Inputs that agree on the views in sight get the same symbol: changing any other input changes nothing.
        let protocol = scrambled(&game, seed);
        let runs: Vec<_> = Inputs::all(&game).map(|inputs| run(&game, &protocol, &inputs).unwrap()).collect();
        for id in game.chosen_slots() {
            let start = game.round_start(game.round_of(id));
            let mut said: BTreeMap<Vec<(Digits, Vec<Symbol>)>, Symbol> = BTreeMap::new();
            for run in &runs {
                let sight = game.slot(id).seen().map(|player| {
                    let view = &run.views[player.0];
                    let stored = view.stored.iter().filter(|(slot, _)| slot.0 < start);
                    (view.input.clone(), stored.map(|(_, symbol)| *symbol).collect())
                });
                let symbol = run.transcript[id.0].1;
                prop_assert_eq!(*said.entry(sight.collect()).or_insert(symbol), symbol);
            }
        }
    }

    #[test]
    fn a_forwarded_view_can_be_taken_apart(game in random_game(Kinds::ChosenAndCopied), seed in any::<u64>()) {
        let protocol = scrambled(&game, seed);
        let forwards = game.ids().filter(|id| game.slot(*id).rule == Rule::Forward).collect_vec();
        for inputs in Inputs::all(&game) {
            let run = run(&game, &protocol, &inputs).unwrap();
            for id in &forwards {
                let from = game.slot(*id).from;
                let end = game.round_start(game.round_of(*id));
                let symbol = run.transcript[id.0].1;
                let part = |slot| forwarded_part(&game, from, end, slot, symbol);
                prop_assert_eq!(part(None), game.player(from).domain.index(inputs.of(from)));
                for stored in game.stored(from, end) {
                    prop_assert_eq!(part(Some(stored)), Some(run.transcript[stored.0].1.0));
                }
            }
        }
    }

    #[test]
    fn a_tabulated_protocol_is_that_protocol(
        game in random_game(Kinds::ChosenAndCopied).prop_filter("tables are small", few_keys),
        seed in any::<u64>(),
    ) {
        let table = tabulated(&game, scrambled(&game, seed));
        for inputs in Inputs::all(&game) {
            prop_assert_eq!(
                run(&game, &table, &inputs).unwrap(),
                run(&game, &scrambled(&game, seed), &inputs).unwrap()
            );
        }
    }

    #[test]
    fn relabelling_the_inputs_of_a_player_commutes_with_running(
        game in random_game(Kinds::Chosen).prop_filter("tables are small", few_keys),
        whose in any::<prop::sample::Index>(),
        order in Just(vec![0u64, 1, 2]).prop_shuffle(),
        seed in any::<u64>(),
    ) {
        let whose = PlayerId(whose.index(game.players().len()));
        let size = game.player(whose).domain.index_size().unwrap();
        let relabelled: Vec<u64> = order.into_iter().filter(|label| *label < size).collect();
        let renamed = |x: u64| relabelled[usize::try_from(x).unwrap()];
        // The entry of a key is that of the key in which the player has the new label.
        let entries = |id: SlotId, keys: usize, size: u64, rename: bool| -> Vec<u64> {
            let space = KeySpace::of_slot(&game, id);
            let sizes = space.players.iter().map(|player| game.player(*player).domain.index_size().unwrap());
            let rest = keys as u64 / sizes.clone().product::<u64>();
            let entry = |key: u64| {
                let (mut key, mut weight, mut renamed_key) = (key, 1, 0);
                let radices = sizes.clone().zip(&space.players).map(|(size, player)| (size, *player == whose));
                for (radix, mine) in radices.chain([(rest, false)]).collect_vec().into_iter().rev() {
                    let digit = if mine && rename { renamed(key % radix) } else { key % radix };
                    renamed_key += weight * digit;
                    weight *= radix;
                    key /= radix;
                }
                (seed ^ (renamed_key + 7 * id.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)) % 1009 % size
            };
            (0..keys as u64).map(entry).collect()
        };
        let protocol = |rename| {
            let shapes = table_shapes(&game, &BTreeSet::new()).into_iter();
            let tables = shapes.map(|(id, keys, size)| (id, entries(id, keys, size, rename)));
            Table::new(Arc::clone(&game), tables.collect(), None, 1).unwrap()
        };
        let (plain, relabelling) = (protocol(false), protocol(true));
        for inputs in Inputs::all(&game) {
            let mut others = inputs.clone();
            others.0[whose.0][0] = renamed(inputs.of(whose)[0]);
            let one = run(&game, &relabelling, &inputs).unwrap();
            let other = run(&game, &plain, &others).unwrap();
            prop_assert_eq!(&one.transcript, &other.transcript);
            for (one, other) in one.views.iter().zip(&other.views) {
                prop_assert_eq!(&one.stored, &other.stored);
            }
        }
    }

    #[test]
    fn every_key_is_met_and_none_above(
        game in random_game(Kinds::Chosen).prop_filter("few assignments", |game| game.open_slots().count() <= 6),
    ) {
        let met = RefCell::default();
        let open: Vec<SlotId> = game.open_slots().collect();
        for symbols in open.iter().map(|_| 0..2u64).multi_cartesian_product() {
            let mut all = vec![0; game.slots().len()];
            for (id, symbol) in open.iter().zip(symbols) {
                all[id.0] = symbol;
            }
            let counting = KeyCount { game: &game, constant: Constant(all), met: &met };
            for inputs in Inputs::all(&game) {
                run(&game, &counting, &inputs).unwrap();
            }
        }
        let met = met.into_inner();
        let spaces = open.iter().map(|id| (Some(*id), KeySpace::of_slot(&game, *id)));
        for (id, space) in spaces.chain([(None, KeySpace::of_answer(&game))]) {
            let size = space.size(&game).unwrap().to_u64().unwrap();
            prop_assert!(met[&id].iter().copied().eq(0..size), "{id:?}");
        }
    }
}

// --- domains and tuples ---

fn form() -> impl Strategy<Value = Form> {
    prop_oneof![
        (1u64..5).prop_map(Form::Number),
        (0u64..4, 1u64..4).prop_map(|(len, values)| Form::Table { len, values }),
        (0u64..5).prop_map(Form::Permutation),
        (0u64..5).prop_map(Form::Subset),
        (0u64..6)
            .prop_flat_map(|n| (Just(n), 0..=n))
            .prop_map(|(n, k)| Form::SubsetOf { n, k }),
    ]
}

fn record(forms: &[Form]) -> Domain {
    let field = |(place, form): (usize, &Form)| Field {
        name: format!("f{place}"),
        form: form.clone(),
    };
    Domain::new(forms.iter().enumerate().map(field).collect()).unwrap()
}

fn elements(domain: &Domain) -> Vec<Digits> {
    let mut all = vec![domain.first()];
    loop {
        let mut next = all.last().unwrap().clone();
        if !domain.advance(&mut next) {
            assert_eq!(next, domain.first());
            return all;
        }
        all.push(next);
    }
}

proptest! {
    #![proptest_config(proptest_config("tests/proptest-regressions/domains.txt", 256))]

    #[test]
    fn a_record_is_the_ordered_product_of_its_fields(
        forms in prop::collection::vec(form(), 0..=3)
            .prop_filter("few elements", |forms| record(forms).index_size().unwrap() <= 5000),
    ) {
        let domain = record(&forms);
        let all = elements(&domain);
        prop_assert!(all.iter().tuple_windows().all(|(one, next)| one < next));
        prop_assert_eq!(domain.size().unwrap(), all.len().into());
        prop_assert_eq!(domain.index_size(), Some(all.len() as u64));
        prop_assert_eq!(domain.is_open(), all.len() > 1);
        prop_assert_eq!(domain.second(), all.get(1).cloned());
        for (index, digits) in (0u64..).zip(&all) {
            prop_assert_eq!(domain.index(digits), Some(index));
            prop_assert!(domain.contains(digits) && digits.len() == domain.width());
        }
        let fields = forms.iter().map(|form| elements(&record(std::slice::from_ref(form))));
        let product = fields.multi_cartesian_product().map(|parts| parts.concat());
        let product: Vec<Digits> = if forms.is_empty() { vec![vec![]] } else { product.collect() };
        prop_assert_eq!(product, all);
    }

    #[test]
    fn only_elements_are_contained(
        forms in prop::collection::vec(form(), 1..=2)
            .prop_filter("few elements", |forms| record(forms).index_size().unwrap() <= 500),
        digits in prop::collection::vec(0u64..5, 0..=6),
    ) {
        let domain = record(&forms);
        prop_assert_eq!(domain.contains(&digits), elements(&domain).contains(&digits));
    }

    #[test]
    fn an_index_exists_exactly_when_the_size_fits_64_bits(
        forms in prop::collection::vec(
            prop_oneof![
                any::<u64>().prop_map(|n| Form::Number(n.max(1))),
                (0u64..70, 1u64..70).prop_map(|(len, values)| Form::Table { len, values }),
                (15u64..25).prop_map(Form::Permutation),
                (55u64..70).prop_map(Form::Subset),
                (60u64..75, 0u64..60).prop_map(|(n, k)| Form::SubsetOf { n, k }),
            ],
            1..=2,
        ),
    ) {
        let domain = record(&forms);
        prop_assert_eq!(domain.index_size(), domain.size().unwrap().to_u64());
        let mut last = domain.first();
        for _ in 0..3 {
            let index = domain.index(&last);
            prop_assert!(domain.contains(&last));
            prop_assert_eq!(index.is_some(), domain.index_size().is_some());
            if !domain.advance(&mut last) {
                break;
            }
        }
    }

    #[test]
    fn tuples_are_numbered_in_lexicographic_order_when_there_are_many(q in 1usize..=40, k in 0usize..=6, place in any::<prop::sample::Index>()) {
        prop_assume!(k <= q);
        let count = choose(q as u64, k as u64).to_usize().unwrap();
        let index = place.index(count);
        let tuple = combination(q, k, index as u64);
        prop_assert!(tuple.len() == k && tuple.iter().all(|one| *one < q));
        prop_assert!(tuple.iter().tuple_windows().all(|(one, next)| one < next));
        if index + 1 < count {
            prop_assert!(tuple < combination(q, k, index as u64 + 1));
        }
    }
}

#[test]
fn tuples_are_those_of_itertools() {
    for q in 0..=9 {
        for k in 0..=q {
            let count = choose(q as u64, k as u64).to_u64().unwrap();
            let ours = (0..count).map(|index| combination(q, k, index));
            assert!(ours.eq((0..q).combinations(k)), "{k} of {q}");
        }
    }
}

#[test]
fn binomials_are_those_of_pascal() {
    for n in 0..20u64 {
        assert_eq!(choose(n, 0), 1u8.into());
        assert_eq!(choose(n, n + 1), 0u8.into());
        for k in 1..=n {
            assert_eq!(choose(n + 1, k), choose(n, k) + choose(n, k - 1));
        }
    }
}
