//! Small games of the specification, for tests.

use crate::exact::{Alphabet, Domain, Form};
use crate::game::family::hybrid::{Edges, Hybrid};
use crate::game::family::layout::Word;
use crate::game::family::{one_way, sparse::Sparse};
use crate::game::task::composition::Composition;
use crate::game::task::evaluation::Evaluation;
use crate::game::task::permutation::PermutationComposition;
use crate::game::task::two_sum::TwoSum;
use crate::game::{
    Accepted, Answer, Channel, Game, Inputs, Label, Player, PlayerId, Protocol, Rule, Sight, Slot,
    SlotId, SpeakError, Symbol, Task, TaskError, View,
};

/// A task given by a function.
pub(crate) struct ByRule(pub(crate) u64, pub(crate) fn(&Inputs) -> Accepted);

impl Task for ByRule {
    fn answers(&self) -> u64 {
        self.0
    }

    fn accepted(&self, inputs: &Inputs) -> Result<Accepted, TaskError> {
        Ok((self.1)(inputs))
    }
}

/// A protocol given by functions.
pub(crate) struct Says(
    pub(crate) fn(SlotId, &Sight<'_>) -> u64,
    pub(crate) fn(&View) -> Option<u64>,
);

impl Protocol for Says {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        Ok(Symbol((self.0)(slot, sight)))
    }

    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok((self.1)(view).map(Answer))
    }
}

pub(crate) fn alphabet(size: u64) -> Alphabet {
    Alphabet::new(size.into()).unwrap()
}

pub(crate) fn player(label: &str, form: Form) -> Player {
    Player {
        label: Label(label.to_owned()),
        domain: Domain::single("x", form).unwrap(),
    }
}

pub(crate) fn slot(
    from: usize,
    to: usize,
    consults: &[usize],
    channel: Channel,
    size: u64,
) -> Slot {
    Slot {
        from: PlayerId(from),
        to: PlayerId(to),
        consults: consults.iter().copied().map(PlayerId).collect(),
        channel,
        rule: Rule::Chosen(alphabet(size)),
        at: vec![1],
    }
}

/// The chain game of the tutorial: A holds f, B holds g, C holds x and must say f[g[x]].
pub(crate) fn chain(s: u64, pass: bool) -> (Game, ByRule) {
    let table = Form::Table { len: 2, values: 2 };
    let players = vec![
        player("A", table.clone()),
        player("B", table),
        player("C", Form::Number(2)),
    ];
    let soft = |from, to| slot(from, to, &[to], Channel::Soft, s);
    let mut rounds = vec![vec![soft(0, 1), soft(0, 2), soft(1, 2)]];
    if pass {
        rounds.push(vec![slot(0, 1, &[], Channel::Linear, 2)]);
        rounds.push(vec![slot(1, 2, &[], Channel::Linear, 2)]);
    }
    (
        Game::new(players, rounds, PlayerId(2)).unwrap(),
        ByRule(2, |x| Accepted::One(f_of_g(&x.0))),
    )
}

fn f_of_g(x: &[Vec<u64>]) -> u64 {
    let at = |table: &[u64], place: u64| table[usize::try_from(place).unwrap()];
    at(&x[0], at(&x[1], x[2][0]))
}

/// The hybrid game of a layout word; edges as (from, to, size).
pub(crate) fn hybrid(
    start: u64,
    ranges: &[u64],
    queries: &[u64],
    word: &str,
    soft: &[(i64, i64, u64)],
    linear: &[(i64, i64, u64)],
) -> (Game, Composition) {
    let edges = |list: &[(i64, i64, u64)]| -> Edges {
        list.iter()
            .map(|(from, to, size)| ((*from, *to), alphabet(*size)))
            .collect()
    };
    let steps = ranges.len() as u64;
    let word = Word::parse(word).unwrap();
    let hybrid = Hybrid {
        steps,
        start,
        ranges: ranges.to_vec(),
        queries: queries.to_vec(),
        epochs: Hybrid::epochs_of(&word, &edges(soft), &edges(linear)).unwrap(),
    };
    let task = Composition {
        steps,
        start,
        ranges: ranges.to_vec(),
        queries: queries.to_vec(),
    };
    (hybrid.game().unwrap(), task)
}

/// The 8-input toy: first epoch `soft 1->0`, second `soft 2->-1`, passes `lin 0->-1`, two symbols each.
pub(crate) fn toy(word: &str) -> (Game, Composition) {
    let (_, task) = hybrid(1, &[2, 2], &[1], "F", &[], &[]);
    let epochs = Hybrid::epochs_of(
        &Word::parse(word).unwrap(),
        &Edges::new(),
        &[((0, -1), alphabet(2))].into(),
    );
    let mut epochs = epochs.unwrap();
    for epoch in &mut epochs {
        if let Some(soft) = &mut epoch.soft {
            let edge = if epoch.number == 1 { (1, 0) } else { (2, -1) };
            soft.insert(edge, alphabet(2));
        }
    }
    let hybrid = Hybrid {
        steps: 2,
        start: 1,
        ranges: vec![2, 2],
        queries: vec![1],
        epochs,
    };
    (hybrid.game().unwrap(), task)
}

pub(crate) fn domain(form: Form) -> Domain {
    Domain::single("x", form).unwrap()
}

/// Evaluate a function [n] -> [n] in a one-way game.
pub(crate) fn eva(n: u64, symbols: u64) -> (Game, Evaluation) {
    let table = domain(Form::Table { len: n, values: n });
    let game = one_way::game(alphabet(symbols), table, domain(Form::Number(n))).unwrap();
    (game, Evaluation { n })
}

/// Compose two permutations in a one-way game.
pub(crate) fn percom(n: u64, last: bool, symbols: u64) -> (Game, PermutationComposition) {
    let permutation = || domain(Form::Permutation(n));
    let game = one_way::game(alphabet(symbols), permutation(), permutation()).unwrap();
    (game, PermutationComposition { n, last })
}

/// 2-Sum with n tokens cut after t.
pub(crate) fn two_sum(n: u64, modulus: u64, t: u64, symbols: u64) -> (Game, TwoSum) {
    let tokens = |len| {
        domain(Form::Table {
            len,
            values: modulus,
        })
    };
    let game = one_way::game(alphabet(symbols), tokens(t), tokens(n - t)).unwrap();
    let task = TwoSum {
        n,
        modulus,
        first_asked: t,
        reflexive: false,
    };
    (game, task)
}

/// The sparse game (M, B, q, k).
pub(crate) fn sparse(m: u64, b: u64, q: u64, k: u64, symbols: u64, shared_map: bool) -> Game {
    let sparse = Sparse {
        blocks: q,
        block: b,
        values: m,
        read: k,
        heads: 1,
        symbols: alphabet(symbols),
        shared_map,
    };
    sparse.game().unwrap()
}

/// Two parties hold f, g: [m] -> [m]; one symbol of s, a reply of t, then Alice says f(g(f(0))).
pub(crate) fn ptr(m: u64, s: u64, t: u64) -> (Game, ByRule) {
    let table = Form::Table { len: m, values: m };
    let players = vec![player("Alice", table.clone()), player("Bob", table)];
    let rounds = vec![
        vec![slot(0, 1, &[], Channel::Linear, s)],
        vec![slot(1, 0, &[], Channel::Linear, t)],
    ];
    let task = ByRule(m, |x| {
        let at = |table: &[u64], place: u64| table[usize::try_from(place).unwrap()];
        Accepted::One(at(&x.0[0], at(&x.0[1], x.0[0][0])))
    });
    (Game::new(players, rounds, PlayerId(0)).unwrap(), task)
}

/// A promise in a one-way game: Alice holds a, Bob an edge {b, b+1} of the cycle of `n`; if a lies on the edge he must say
/// which end
/// it is. So neighbours on the cycle conflict.
pub(crate) fn cycle(n: u64, symbols: u64) -> (Game, ByRule) {
    let number = || domain(Form::Number(n));
    let task = match n {
        5 => ByRule(2, |x| on_edge(x, 5)),
        _ => ByRule(2, |x| on_edge(x, 4)),
    };
    (
        one_way::game(alphabet(symbols), number(), number()).unwrap(),
        task,
    )
}

fn on_edge(x: &Inputs, n: u64) -> Accepted {
    let (a, b) = (x.0[0][0], x.0[1][0]);
    if a == b {
        Accepted::One(0)
    } else if a == (b + 1) % n {
        Accepted::One(1)
    } else {
        Accepted::All
    }
}
