//! Small builders, the random games, and the brute force that the test files share.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail"
)]

use foolproof::exact::{Alphabet, Domain, Form, choose};
use foolproof::game::family::hybrid::{Edges, Hybrid};
use foolproof::game::family::layout::Word;
use foolproof::game::key::KeySpace;
use foolproof::game::strategy::Table;
use foolproof::game::{
    Accepted, Answer, Channel, Game, Inputs, Label, Player, PlayerId, Protocol, Round, Rule, Sight,
    Slot, SlotId, SpeakError, Symbol, Task, View, run_until,
};
use num_traits::ToPrimitive;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// `cases` cases; failures are remembered in the file at `path`, from the package root.
pub(crate) fn proptest_config(path: &'static str, cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(path))),
        ..ProptestConfig::default()
    }
}

pub(crate) fn alphabet(size: u64) -> Alphabet {
    Alphabet::new(size.into()).unwrap()
}

pub(crate) fn number(size: u64) -> Domain {
    Domain::single("x", Form::Number(size)).unwrap()
}

pub(crate) fn table(len: u64, values: u64) -> Domain {
    Domain::single("t", Form::Table { len, values }).unwrap()
}

pub(crate) fn permutation(n: u64) -> Domain {
    Domain::single("p", Form::Permutation(n)).unwrap()
}

pub(crate) fn player(label: &str, domain: Domain) -> Player {
    Player {
        label: Label(label.to_owned()),
        domain,
    }
}

/// Players A, B, C, .. with domains `0..size`.
pub(crate) fn numbers(sizes: &[u64]) -> Vec<Player> {
    let labels = ["A", "B", "C", "D", "E"];
    labels
        .iter()
        .zip(sizes)
        .map(|(label, size)| player(label, number(*size)))
        .collect()
}

/// A linear slot that consults nobody.
pub(crate) fn says(from: usize, to: usize, size: u64, round: u64) -> Slot {
    Slot {
        from: PlayerId(from),
        to: PlayerId(to),
        consults: Vec::new(),
        channel: Channel::Linear,
        rule: Rule::Chosen(alphabet(size)),
        at: vec![round],
    }
}

/// A soft slot that consults its receiver.
pub(crate) fn answers(from: usize, to: usize, size: u64, round: u64) -> Slot {
    Slot {
        consults: vec![PlayerId(to)],
        channel: Channel::Soft,
        ..says(from, to, size, round)
    }
}

pub(crate) fn forwards(from: usize, to: usize, round: u64) -> Slot {
    Slot {
        channel: Channel::Free,
        rule: Rule::Forward,
        ..says(from, to, 1, round)
    }
}

pub(crate) fn reads(reader: usize, by: usize, rank: usize, round: u64) -> Slot {
    Slot {
        channel: Channel::Read,
        rule: Rule::Read {
            by: SlotId(by),
            rank,
        },
        ..says(reader, reader, 1, round)
    }
}

pub(crate) fn edges(list: &[(i64, i64, u64)]) -> Edges {
    list.iter()
        .map(|&(from, to, size)| ((from, to), alphabet(size)))
        .collect()
}

pub(crate) fn all_soft(steps: i64, size: u64) -> Edges {
    let pairs = (0..=steps).flat_map(|from| (-1..from).map(move |to| (from, to, size)));
    edges(&pairs.collect::<Vec<_>>())
}

pub(crate) fn all_linear(steps: i64, size: u64) -> Edges {
    edges(
        &(0..=steps)
            .map(|from| (from, from - 1, size))
            .collect::<Vec<_>>(),
    )
}

/// The hybrid game of a layout word with the same alphabets everywhere.
pub(crate) fn hybrid(
    start: u64,
    ranges: &[u64],
    queries: &[u64],
    word: &str,
    soft: &Edges,
    linear: &Edges,
) -> Hybrid {
    Hybrid {
        steps: ranges.len() as u64,
        start,
        ranges: ranges.to_vec(),
        queries: queries.to_vec(),
        epochs: Hybrid::epochs_of(&Word::parse(word).unwrap(), soft, linear).unwrap(),
    }
}

pub(crate) fn names(game: &Game) -> Vec<&str> {
    game.ids().map(|id| game.name(id)).collect()
}

pub(crate) fn slot(game: &Game, name: &str) -> SlotId {
    game.find_slot(name)
        .unwrap_or_else(|| panic!("no slot `{name}` in {:?}", names(game)))
}

/// A protocol drawn from a seed: every symbol is a scrambled function of the slot and the sight, and 0 on silenced slots.
#[derive(Debug)]
pub(crate) struct Scrambled {
    pub(crate) game: Arc<Game>,
    pub(crate) seed: u64,
    pub(crate) silenced: BTreeSet<SlotId>,
}

impl Protocol for Scrambled {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        if self.silenced.contains(&slot) {
            return Ok(Symbol(0));
        }
        let stir = |state: u64, value: u64| {
            let mixed = (state ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ (mixed >> 29)
        };
        let mut state = stir(stir(self.seed, 1), slot.0 as u64 + 1);
        for view in sight.views() {
            let symbols = view.stored.iter().map(|(_, symbol)| symbol.0);
            for value in view.input.iter().copied().chain(symbols) {
                state = stir(state, value + 1);
            }
            state = stir(state, u64::MAX);
        }
        let size = self.game.alphabet(slot).size().to_u64().unwrap();
        Ok(Symbol((state >> 8) % size))
    }

    fn answer(&self, _view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(None)
    }
}

/// Number of entries of the table of each chosen slot that can say something and is not silenced, with its alphabet.
pub(crate) fn table_shapes(game: &Game, silenced: &BTreeSet<SlotId>) -> Vec<(SlotId, usize, u64)> {
    game.chosen_slots()
        .filter(|id| game.is_open(*id) && !silenced.contains(id))
        .map(|id| {
            let keys = KeySpace::of_slot(game, id).size(game).unwrap();
            let size = game.alphabet(id).size().to_u64().unwrap();
            (id, keys.to_usize().unwrap(), size)
        })
        .collect()
}

/// Every protocol of a game, as tables without answers, silenced slots saying 0; `None` above `limit` protocols.
pub(crate) fn all_protocols(
    game: &Arc<Game>,
    silenced: &BTreeSet<SlotId>,
    limit: u64,
) -> Option<impl Iterator<Item = Table>> {
    let shapes = table_shapes(game, silenced);
    let count = shapes.iter().try_fold(1u64, |product, (_, keys, size)| {
        product.checked_mul(size.checked_pow(u32::try_from(*keys).ok()?)?)
    })?;
    if count > limit {
        return None;
    }
    let game = Arc::clone(game);
    Some((0..count).map(move |mut code| {
        let tables = shapes.iter().map(|&(id, keys, size)| {
            let entry = |_| {
                let symbol = code % size;
                code /= size;
                symbol
            };
            (id, (0..keys).map(entry).collect())
        });
        Table::new(Arc::clone(&game), tables.collect(), None, 1).unwrap()
    }))
}

/// True when some answer function is accepted on every input, for this choice of messages.
pub(crate) fn answerable(game: &Game, protocol: &dyn Protocol, task: &dyn Task) -> bool {
    let mut accepted: BTreeMap<View, Accepted> = BTreeMap::new();
    for inputs in Inputs::all(game) {
        let mut run = run_until(game, protocol, &inputs, game.rounds()).unwrap();
        let view = run.views.swap_remove(game.output().0);
        let here = task.accepted(&inputs).unwrap();
        let common = accepted.entry(view).or_insert(Accepted::All);
        *common = common.and(&here);
    }
    accepted.values().all(|common| !common.is_empty())
}

/// True when some protocol solves the task, by trying all of them.
pub(crate) fn solvable(game: &Arc<Game>, task: &dyn Task) -> bool {
    all_protocols(game, &BTreeSet::new(), 100_000)
        .expect("few protocols")
        .any(|protocol| answerable(game, &protocol, task))
}

/// What a random slot may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kinds {
    Chosen,
    ChosenAndCopied,
}

/// Random games: 2 to 4 players with 1 to 3 inputs, at most four rounds of at most three slots, random consults, alphabets 1
/// and 2; and, with copies, forwarded views and a selection with its reads.
pub(crate) fn random_game(kinds: Kinds) -> impl Strategy<Value = Arc<Game>> {
    let copied = kinds == Kinds::ChosenAndCopied;
    prop::collection::vec(prop::sample::select(vec![1u64, 2, 2, 3]), 2..=4)
        .prop_flat_map(move |sizes| {
            let n = sizes.len();
            let draft = (
                0..n,
                0..n,
                prop::collection::vec(any::<bool>(), n),
                1u64..=5,
            );
            let round = prop::collection::vec(draft, 1..=3);
            let reading = prop::option::weighted(0.3, (0..n, 0..n, 1..n, 0usize..3));
            (
                Just(sizes),
                prop::collection::vec(round, 1..=4),
                reading,
                0..n,
            )
        })
        .prop_map(move |(sizes, drafts, reading, output)| {
            let mut rounds: Vec<Round> = Vec::new();
            for (number, drafts) in (1u64..).zip(drafts) {
                let round = drafts
                    .into_iter()
                    .map(|(from, to, looks, kind)| match kind {
                        5 if copied => forwards(from, to, number),
                        _ => Slot {
                            consults: (0..sizes.len())
                                .filter(|id| looks[*id] && *id != from)
                                .map(PlayerId)
                                .collect(),
                            ..says(from, to, 1 + u64::from(kind > 1), number)
                        },
                    });
                rounds.push(round.collect());
            }
            if let (true, Some((reader, selector, k, place))) = (copied, reading) {
                let place = place.min(rounds.len());
                let by = rounds[..place].iter().map(Vec::len).sum();
                let ways = choose(sizes.len() as u64 - 1, k as u64).to_u64().unwrap();
                let selection = Slot {
                    channel: Channel::Selection,
                    ..says(selector, reader, ways, 8)
                };
                rounds.insert(place, vec![selection]);
                let later = (place + 2).min(rounds.len());
                rounds.insert(
                    later,
                    (0..k).map(|rank| reads(reader, by, rank, 9)).collect(),
                );
            }
            Arc::new(Game::new(numbers(&sizes), rounds, PlayerId(output)).unwrap())
        })
}
