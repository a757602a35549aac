//! `table-v1`: variables for the functions and for the symbols on each input.
//!
//! # Lemma
//! The formula for a list X of inputs is satisfiable iff some protocol is accepted on every x in X.
//!
//! *From a protocol.* F and O are its functions, M its symbols on X (a symbol is a function of x restricted to its support).
//! *From an assignment.* Read off F and O, 0 elsewhere. By induction over the rounds the symbol of each kept slot on x is
//! M\[slot, x restricted to its support\]: its arguments are, by induction, the M of A, so the implications for that
//! combination force M = F. The acceptance clause of the actual combination then says that the answer is accepted. Dead slots
//! do not reach the output view.
//!
//! Hence an unsatisfiable formula for any X proves "no protocol" for all inputs.

use super::cnf::{Cnf, Group};
use super::symmetry::order_symbols;
use super::{EncodeError, MAX_LITERALS};
use crate::exact::Digits;
use crate::game::structure::Support;
use crate::game::{Accepted, Game, Inputs, PlayerId, Rule, SlotId, Task};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::ops::Range;

/// A tuple of elements, each by its place among the player's elements in use.
type Places = Vec<u32>;

/// Takes one entry of a function: own inputs, symbols of the arguments, what is said.
pub type Entry<'a> = dyn FnMut(&[&Digits], &[usize], usize) + 'a;

/// A formula with what its variables mean.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The clauses.
    pub cnf: Cnf,
    /// The functions of the kept slots, in schedule order.
    pub functions: Vec<Function>,
    /// The answer function.
    pub answers: Function,
    /// For each input the numbers of the clauses that demand an accepted answer.
    pub acceptance: Vec<Range<usize>>,
    /// Number of clauses before those that break symmetry.
    pub plain: usize,
    used: Used,
}

/// One function of a protocol: from own inputs and stored symbols to a symbol or answer.
#[derive(Clone, Debug)]
pub struct Function {
    /// The slot; `None` for the answers.
    pub slot: Option<SlotId>,
    /// The players whose views count, sender first.
    pub players: Vec<PlayerId>,
    /// The kept slots stored in these views, player by player, each in schedule order.
    pub arguments: Vec<SlotId>,
    /// For each argument its number of symbols.
    radices: Vec<usize>,
    /// Own inputs that occur, sorted.
    owns: Vec<Places>,
    /// The symbols, own inputs first, then combinations of the arguments.
    pub(super) keys: Vec<Group>,
}

/// The inputs in use.
#[derive(Clone, Debug)]
struct Used {
    /// For each player its elements in use, sorted.
    elements: Vec<Vec<Digits>>,
    /// For each input the place of each player's element.
    places: Vec<Places>,
}

impl Used {
    fn new(game: &Game, inputs: &[Inputs]) -> Result<Self, EncodeError> {
        if let Some(number) = (1..inputs.len()).find(|i| inputs[i - 1] >= inputs[*i]) {
            return Err(EncodeError::Unsorted(number));
        }
        let elements: Vec<Vec<Digits>> = (0..game.players().len())
            .map(|player| {
                let mut list: Vec<Digits> =
                    inputs.iter().map(|input| input.0[player].clone()).collect();
                list.sort();
                list.dedup();
                list
            })
            .collect();
        let place = |(player, digits): (usize, &Digits)| {
            let found = elements[player]
                .binary_search(digits)
                .unwrap_or_else(|at| at);
            u32::try_from(found).unwrap_or(u32::MAX)
        };
        let places = inputs
            .iter()
            .map(|input| input.0.iter().enumerate().map(place).collect())
            .collect();
        Ok(Self { elements, places })
    }

    /// The distinct tuples of the elements of some players, sorted.
    fn tuples(&self, players: &[PlayerId]) -> Vec<Places> {
        let mut tuples: Vec<Places> = self
            .places
            .iter()
            .map(|input| players.iter().map(|player| input[player.0]).collect())
            .collect();
        tuples.sort_unstable();
        tuples.dedup();
        tuples
    }
}

/// The symbols of one kept slot on the inputs: one group per restriction to the support.
struct Values {
    support: Vec<PlayerId>,
    restrictions: Vec<Places>,
    groups: Vec<Group>,
}

impl Values {
    /// The group for an input, given by the places of some players in increasing order that include the support.
    fn on(&self, players: &[PlayerId], places: &[u32]) -> Group {
        let restriction: Places = self
            .support
            .iter()
            .map(|player| places[players.binary_search(player).unwrap_or(0)])
            .collect();
        let found = self.restrictions.binary_search(&restriction);
        self.groups[found.unwrap_or(0)]
    }
}

/// The formula `table-v1` for the inputs X, with the clauses of `symbol-order-v1` at its end on request.
///
/// # Source
/// Derived; the proof is on this module's page.
/// # Errors
/// [`EncodeError`]: slots that are not chosen or share a function, inputs out of order, an input without an accepted answer, a
/// formula of more than 2^28 literals (counted before anything is allocated).
/// # Cost
/// The literals of the formula; one task look-up per input.
pub fn table_v1(
    game: &Game,
    task: &dyn Task,
    inputs: &[Inputs],
    symmetry: bool,
) -> Result<Formula, EncodeError> {
    table_v1_within(game, task, inputs, symmetry, MAX_LITERALS)
}

/// As [`table_v1`], with a smaller limit of literals.
///
/// # Errors
/// As [`table_v1`].
/// # Cost
/// As [`table_v1`]; nothing is allocated for a formula over the limit.
pub fn table_v1_within(
    game: &Game,
    task: &dyn Task,
    inputs: &[Inputs],
    symmetry: bool,
    limit: u64,
) -> Result<Formula, EncodeError> {
    let support = Support::of(game);
    check_game(game, &support)?;
    let used = Used::new(game, inputs)?;
    let accepted = inputs
        .iter()
        .enumerate()
        .map(|(number, input)| answers_on(task, number, input))
        .collect::<Result<Vec<_>, _>>()?;
    let plan = Plan::new(game, task, &support, used);
    plan.check_size(limit)?;
    let mut formula = plan.build(&accepted);
    if symmetry {
        order_symbols(game, &mut formula);
    }
    Ok(formula)
}

fn check_game(game: &Game, support: &Support) -> Result<(), EncodeError> {
    for (id, _) in support.kept() {
        if !matches!(game.slot(id).rule, Rule::Chosen(_)) {
            return Err(EncodeError::NotChosen(game.name(id).to_owned()));
        }
        if game.shared().contains(&id) {
            return Err(EncodeError::Shared(game.name(id).to_owned()));
        }
    }
    Ok(())
}

/// The accepted answers on an input, increasing; `None` when all are.
fn answers_on(
    task: &dyn Task,
    number: usize,
    input: &Inputs,
) -> Result<Option<Vec<u64>>, EncodeError> {
    let accepted = task
        .accepted(input)
        .map_err(|error| EncodeError::Task { number, error })?;
    let list = match accepted {
        Accepted::All => return Ok(None),
        Accepted::One(only) => vec![only],
        Accepted::Only(list) => list,
    };
    if list.is_empty() {
        return Err(EncodeError::NoAnswer(number));
    }
    let all = list.len() as u64 == task.answers();
    Ok((!all).then_some(list))
}

/// What the functions are made of, before anything is allocated.
struct Plan {
    functions: Vec<Function>,
    /// For each kept slot its support and number of symbols.
    values: Vec<(Values, usize)>,
    answers: Function,
    answer_count: usize,
    used: Used,
}

impl Plan {
    fn new(game: &Game, task: &dyn Task, support: &Support, used: Used) -> Self {
        let size = |id: SlotId| game.alphabet(id).size().to_usize().unwrap_or(usize::MAX);
        let function = |slot: Option<SlotId>, players: Vec<PlayerId>, end: usize| {
            let arguments: Vec<SlotId> = players
                .iter()
                .flat_map(|player| game.stored(*player, end))
                .filter(|id| support.of_slot(*id).is_some())
                .collect();
            Function {
                slot,
                radices: arguments.iter().map(|id| size(*id)).collect(),
                owns: used.tuples(&players),
                players,
                arguments,
                keys: Vec::new(),
            }
        };
        let functions = support
            .kept()
            .map(|(id, _)| {
                let start = game.round_start(game.round_of(id));
                function(Some(id), game.slot(id).seen().collect(), start)
            })
            .collect();
        let values = support
            .kept()
            .map(|(id, support)| {
                let support: Vec<PlayerId> = support.iter().copied().collect();
                let values = Values {
                    restrictions: used.tuples(&support),
                    support,
                    groups: Vec::new(),
                };
                (values, size(id))
            })
            .collect();
        Self {
            functions,
            values,
            answers: function(None, vec![game.output()], game.slots().len()),
            answer_count: usize::try_from(task.answers()).unwrap_or(usize::MAX),
            used,
        }
    }

    /// Refuses a formula of too many literals, from the exact number.
    fn check_size(&self, limit: u64) -> Result<(), EncodeError> {
        let big = BigUint::from;
        let exactly_one = |groups: &BigUint, size: usize| match size {
            0..3 => BigUint::ZERO,
            _ => groups * big(size) * big(size + 1),
        };
        let mut literals = BigUint::ZERO;
        for (function, (values, size)) in self.functions.iter().zip(&self.values) {
            let restrictions = big(values.restrictions.len());
            literals += exactly_one(&restrictions, *size);
            if !function.arguments.is_empty() {
                let (combinations, given) = (function.combinations(), function.arguments.len());
                literals += exactly_one(&(&combinations * function.owns.len()), *size);
                literals += restrictions * combinations * big(*size) * big(given + 3);
            }
        }
        let combinations = self.answers.combinations();
        literals += exactly_one(
            &(&combinations * self.answers.owns.len()),
            self.answer_count,
        );
        let most = self.answers.arguments.len() + self.answer_count.saturating_add(1);
        literals += combinations * self.used.places.len() * big(most);
        if literals > BigUint::from(limit) {
            return Err(EncodeError::TooLarge { literals, limit });
        }
        Ok(())
    }

    fn build(self, accepted: &[Option<Vec<u64>>]) -> Formula {
        let mut cnf = Cnf::default();
        let mut done: Vec<(SlotId, Values)> = Vec::new();
        let mut functions = Vec::new();
        for (mut function, (mut values, size)) in self.functions.into_iter().zip(self.values) {
            values.groups = groups(&mut cnf, values.restrictions.len(), size);
            if function.arguments.is_empty() {
                function.keys = direct(&function, &values);
            } else {
                let keys = function.owns.len() * function.combination_count();
                function.keys = groups(&mut cnf, keys, size);
                link(&mut cnf, &function, &values, &done);
            }
            if let Some(slot) = function.slot {
                done.push((slot, values));
            }
            functions.push(function);
        }
        let mut answers = self.answers;
        let keys = answers.owns.len() * answers.combination_count();
        answers.keys = groups(&mut cnf, keys, self.answer_count);
        let acceptance = accept(&mut cnf, &answers, &self.used, &done, accepted);
        Formula {
            plain: cnf.len(),
            cnf,
            functions,
            answers,
            acceptance,
            used: self.used,
        }
    }
}

/// Allocates groups, then says that each is exactly one symbol.
fn groups(cnf: &mut Cnf, count: usize, size: usize) -> Vec<Group> {
    let groups: Vec<Group> = (0..count).map(|_| Group::new(cnf, size)).collect();
    for group in &groups {
        group.exactly_one(cnf);
    }
    groups
}

/// Without arguments the function is the symbol: the groups by own inputs, in the order of the function's players.
fn direct(function: &Function, values: &Values) -> Vec<Group> {
    let mut order: Vec<usize> = (0..function.players.len()).collect();
    order.sort_by_key(|place| function.players[*place]);
    let players: Vec<PlayerId> = order.iter().map(|place| function.players[*place]).collect();
    let group = |own: &Places| {
        let sorted: Places = order.iter().map(|place| own[*place]).collect();
        values.on(&players, &sorted)
    };
    function.owns.iter().map(group).collect()
}

/// The symbols that the arguments have on an input, given by the places of some players.
fn argument_groups(
    function: &Function,
    done: &[(SlotId, Values)],
    players: &[PlayerId],
    places: &[u32],
) -> Vec<Group> {
    let values = |id: &SlotId| done.binary_search_by_key(id, |entry| entry.0).ok();
    let group = |id| values(id).map(|place| done[place].1.on(players, places));
    function.arguments.iter().filter_map(group).collect()
}

/// "The arguments have these symbols" implies "the symbol is the function's".
fn link(cnf: &mut Cnf, function: &Function, values: &Values, done: &[(SlotId, Values)]) {
    for (restriction, said) in values.restrictions.iter().zip(&values.groups) {
        let groups = argument_groups(function, done, &values.support, restriction);
        let own = function.own_place(&values.support, restriction);
        let first = own * function.combination_count();
        function.each_combination(|number, combination| {
            let unless = unless(&groups, combination);
            let function_says = function.keys[first + number];
            let symbols = if said.size() == 2 {
                vec![1, 0]
            } else {
                (0..said.size()).collect()
            };
            for symbol in symbols {
                // -M F, and for two symbols M -F.
                let pair = [
                    said.says(symbol).map(|literal| -literal),
                    function_says.says(symbol),
                ];
                cnf.clause(unless.iter().copied().chain(pair.into_iter().flatten()));
            }
        });
    }
}

/// Literals, one of which is true unless the groups have these symbols.
fn unless(groups: &[Group], combination: &[usize]) -> Vec<i32> {
    let pairs = groups.iter().zip(combination);
    pairs
        .filter_map(|(group, symbol)| group.says(*symbol).map(|literal| -literal))
        .collect()
}

/// For each input and combination: the answer is accepted. Returns the clause numbers by input.
fn accept(
    cnf: &mut Cnf,
    answers: &Function,
    used: &Used,
    done: &[(SlotId, Values)],
    accepted: &[Option<Vec<u64>>],
) -> Vec<Range<usize>> {
    let everyone: Vec<PlayerId> = (0..used.elements.len()).map(PlayerId).collect();
    let mut ranges = Vec::with_capacity(accepted.len());
    for (places, accepted) in used.places.iter().zip(accepted) {
        let start = cnf.len();
        if let Some(list) = accepted {
            let groups = argument_groups(answers, done, &everyone, places);
            let first = answers.own_place(&everyone, places) * answers.combination_count();
            answers.each_combination(|number, combination| {
                let right = list.iter().filter_map(|answer| {
                    let answer = usize::try_from(*answer).ok()?;
                    answers.keys[first + number].says(answer)
                });
                cnf.clause(unless(&groups, combination).into_iter().chain(right));
            });
        }
        ranges.push(start..cnf.len());
    }
    ranges
}

impl Function {
    fn combinations(&self) -> BigUint {
        self.radices
            .iter()
            .map(|size| BigUint::from(*size))
            .product()
    }

    /// The number of combinations, known to be small.
    pub(super) fn combination_count(&self) -> usize {
        self.radices.iter().product()
    }

    /// Calls with the number and the symbols of each combination, in lexicographic order.
    pub(super) fn each_combination(&self, mut call: impl FnMut(usize, &[usize])) {
        let mut symbols = vec![0; self.radices.len()];
        for number in 0..self.combination_count() {
            call(number, &symbols);
            for (symbol, radix) in symbols.iter_mut().zip(&self.radices).rev() {
                *symbol += 1;
                if *symbol < *radix {
                    break;
                }
                *symbol = 0;
            }
        }
    }

    /// The place of the own inputs of an input, given by the places of some players in increasing order.
    fn own_place(&self, players: &[PlayerId], places: &[u32]) -> usize {
        let own: Places = self
            .players
            .iter()
            .map(|player| places[players.binary_search(player).unwrap_or(0)])
            .collect();
        self.owns.binary_search(&own).unwrap_or(0)
    }

    /// The own inputs that occur, sorted, as places.
    pub(super) fn owns(&self) -> &[Places] {
        &self.owns
    }
}

impl Formula {
    /// What a function says in a model: calls with own inputs (one element per player), symbols of the arguments, and the
    /// symbol or answer.
    ///
    /// # Cost
    /// One look at the model per variable.
    pub fn decode(
        &self,
        function: &Function,
        holds: &mut dyn FnMut(i32) -> bool,
        call: &mut Entry<'_>,
    ) {
        for (place, own) in function.owns.iter().enumerate() {
            let elements: Vec<&Digits> = function
                .players
                .iter()
                .zip(own)
                .map(|(player, place)| &self.used.elements[player.0][*place as usize])
                .collect();
            let first = place * function.combination_count();
            function.each_combination(|number, combination| {
                let said = function.keys[first + number].decode(holds);
                call(&elements, combination, said);
            });
        }
    }
}
