//! How many symbols a one-way game needs: distinct rows, or a colouring and a clique.

use super::answers::{Answers, Cells};
use super::clique::Graph;
use super::family::{few_tests, first_of_each};
use super::solvers::{OneMessage, tabulate};
use crate::exact::Alphabet;
use crate::game::structure::classes::OneWay;
use crate::game::structure::{Classes, Failure, ProtocolTables, Separator};
use crate::game::{Accepted, Game, GameError, Rule, Task};
use num_bigint::BigUint;

/// Inputs of the speaker that need different symbols, and a way to make do with so many symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colouring {
    /// Pairwise separated inputs: a lower bound.
    pub classes: Classes,
    /// The symbol of each input of the speaker, in order.
    pub symbols: Vec<u64>,
    /// How many symbols are used: an upper bound.
    pub count: usize,
}

impl Colouring {
    /// True when the bounds meet.
    pub fn exact(&self) -> bool {
        self.classes.members.len() == self.count
    }

    /// The protocol that says the class, on a game with at least `count` symbols.
    ///
    /// # Errors
    /// As [`tabulate`].
    /// # Cost
    /// As [`tabulate`].
    pub fn protocol(
        &self,
        game: &Game,
        task: &dyn Task,
        limit: &BigUint,
    ) -> Result<ProtocolTables, Failure> {
        tabulate(game, task, &OneMessage::new(game, &self.symbols), limit)
    }
}

/// Classes and a protocol for a one-way game; `None` for other games. Exact for functional tasks, greedy on both sides otherwise.
///
/// # Errors
/// `TooLarge` over the limit, with the exact number of full inputs; `replay` when the task is undefined somewhere.
/// # Cost
/// One task look-up per full input; for relations the square of the speaker's inputs times the listener's.
pub fn one_way(
    game: &Game,
    task: &dyn Task,
    limit: &BigUint,
) -> Result<Option<Colouring>, Failure> {
    let Some(roles) = OneWay::of(game) else {
        return Ok(None);
    };
    let answers = Answers::of(game, task, limit)?;
    let found = match answers.cells() {
        Cells::Functional(cells) => rows(roles, &answers, cells),
        Cells::Relation(cells) => colours(roles, &answers, cells),
    };
    Ok(Some(found))
}

/// The one-way game with another alphabet.
///
/// # Errors
/// As [`Game::new`].
/// # Cost
/// As [`Game::new`].
pub fn with_symbols(game: &Game, symbols: Alphabet) -> Result<Game, GameError> {
    let mut slots = game.slots().to_vec();
    if let Some(slot) = slots.first_mut() {
        slot.rule = Rule::Chosen(symbols);
    }
    Game::new(game.players().to_vec(), vec![slots], game.output())
}

/// One class per distinct row.
fn rows(roles: OneWay, answers: &Answers, cells: &[u64]) -> Colouring {
    let speaker = answers.offsets(&[roles.speaker]);
    let listener = answers.offsets(&[roles.listener]);
    let row = |member: usize| {
        let base = speaker[member];
        listener.iter().map(move |test| cells[base + test])
    };
    let mut order: Vec<usize> = (0..speaker.len()).collect();
    order.sort_by(|a, b| row(*a).cmp(row(*b)).then(a.cmp(b)));
    let mut sorted = vec![0; speaker.len()];
    for two in order.windows(2) {
        sorted[two[1]] = sorted[two[0]] + usize::from(!row(two[0]).eq(row(two[1])));
    }
    let members = first_of_each(&sorted);
    // Classes are numbered in the order of their first members.
    let mut number = vec![0; members.len()];
    for (class, member) in members.iter().enumerate() {
        number[sorted[*member]] = class as u64;
    }
    let places: Vec<usize> = (0..listener.len()).collect();
    let tests = few_tests(&places, members.len(), |test| {
        let cell = |member: &usize| cells[speaker[*member] + listener[*test]];
        members.iter().map(cell).collect()
    });
    Colouring {
        classes: Classes {
            members: pick(answers, roles, &members, true),
            tests: pick(answers, roles, &tests, false),
            separators: None,
        },
        symbols: sorted.iter().map(|class| number[*class]).collect(),
        count: members.len(),
    }
}

fn pick(answers: &Answers, roles: OneWay, places: &[usize], speaks: bool) -> Vec<Vec<u64>> {
    let player = if speaks {
        roles.speaker
    } else {
        roles.listener
    };
    let elements = answers.elements(player);
    places
        .iter()
        .map(|place| elements[*place].clone())
        .collect()
}

/// A greedy colouring whose colour classes have a common answer for every input of the listener, and a greedy clique.
fn colours(roles: OneWay, answers: &Answers, cells: &[Accepted]) -> Colouring {
    let speaker = answers.offsets(&[roles.speaker]);
    let listener = answers.offsets(&[roles.listener]);
    let cell = |member: usize, test: usize| &cells[speaker[member] + listener[test]];
    let separator = |a: usize, b: usize| {
        (0..listener.len()).find(|test| cell(a, *test).and(cell(b, *test)).is_empty())
    };
    let apart = |a, b| Ok::<_, std::convert::Infallible>(separator(a, b).is_some());
    let Ok(graph) = Graph::new(speaker.len(), apart);
    let degree = |member: &usize| graph.neighbours(*member);
    let mut order: Vec<usize> = (0..speaker.len()).collect();
    order.sort_by_cached_key(|member| (std::cmp::Reverse(degree(member)), *member));
    let mut common: Vec<Vec<Accepted>> = Vec::new();
    let mut symbols = vec![0; speaker.len()];
    for member in order {
        let joined = |class: &Vec<Accepted>| -> Option<Vec<Accepted>> {
            let both = (0..listener.len()).map(|test| class[test].and(cell(member, test)));
            both.map(|set| (!set.is_empty()).then_some(set)).collect()
        };
        let found = common
            .iter()
            .enumerate()
            .find_map(|(place, class)| Some((place, joined(class)?)));
        let place = if let Some((place, joined)) = found {
            common[place] = joined;
            place
        } else {
            common.push(
                (0..listener.len())
                    .map(|test| cell(member, test).clone())
                    .collect(),
            );
            common.len() - 1
        };
        symbols[member] = place as u64;
    }
    let members = graph.greedy_clique();
    let pairs: Vec<(usize, usize, usize)> = (0..members.len())
        .flat_map(|i| (i + 1..members.len()).map(move |j| (i, j)))
        .filter_map(|(i, j)| Some((i, j, separator(members[i], members[j])?)))
        .collect();
    let mut tests: Vec<usize> = pairs.iter().map(|(_, _, test)| *test).collect();
    tests.sort_unstable();
    tests.dedup();
    let separators = pairs
        .iter()
        .map(|(i, j, test)| Separator(*i, *j, tests.partition_point(|known| known < test)))
        .collect();
    Colouring {
        classes: Classes {
            members: pick(answers, roles, &members, true),
            tests: pick(answers, roles, &tests, false),
            separators: Some(separators),
        },
        symbols,
        count: common.len(),
    }
}
