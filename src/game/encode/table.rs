//! Tables: variables for the functions and for the symbols on each input.
//!
//! # Lemma
//! The formula for a list X of inputs is satisfiable iff some protocol is accepted on every x in X.
//!
//! *From a protocol.* F and O are its functions, M its symbols on X (a symbol is a function of x restricted to its support). A
//! function is applied to views, and what a view says comes down to inputs of players, symbols of chosen slots and read inputs
//! ([`Seen`]): a forwarded symbol is the index of an earlier view, and a read input is the one that the selection names, so
//! two views are equal iff these are. Slots that share a function have one F.
//! *From an assignment.* Read off F and O, 0 elsewhere. By induction over the rounds the symbol of each kept chosen slot on x is
//! M\[slot, x restricted to its support\]: its arguments are, by induction, the M of A and what x and they determine, so the
//! implications for that combination force M = F. The acceptance clause of the actual combination then says that the answer is
//! accepted. Dead slots do not reach the output view; if one shares a function it says what the function says, which nobody
//! hears.
//!
//! Hence an unsatisfiable formula for any X proves "no protocol" for all inputs.

use super::EncodeError;
use super::cnf::{Cnf, Group};
use super::seen::{Seen, Speaker, speakers};
use super::symmetry::order_symbols;
use crate::exact::Digits;
use crate::game::structure::Support;
use crate::game::{Accepted, Game, Inputs, PlayerId, SlotId, Task};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::ops::Range;

/// A tuple of elements, each by its place among the elements in use.
type Places = Vec<u32>;

/// One entry of a function.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Known inputs.
    pub own: Vec<&'a Digits>,
    /// Symbols of the arguments.
    pub symbols: &'a [usize],
    /// Read inputs.
    pub reads: Vec<&'a Digits>,
    /// What is said.
    pub said: usize,
}

/// A formula with what its variables mean.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The clauses.
    pub cnf: Cnf,
    /// The functions of the kept chosen slots, by their first slots.
    pub functions: Vec<Function>,
    /// The answer function.
    pub answers: Function,
    /// For each input the numbers of the clauses that demand an accepted answer.
    pub acceptance: Vec<Range<usize>>,
    /// Number of clauses before those that break symmetry.
    pub plain: usize,
    used: Used,
}

/// One function of a protocol: from what views say to a symbol or answer.
#[derive(Clone, Debug)]
pub struct Function {
    /// The slots that use it, with their arguments; for the answers none, and the arguments alone.
    pub(super) speakers: Vec<Speaker>,
    /// The arguments: of the first slot, or of the answers.
    pub seen: Seen,
    /// For each argument its number of symbols.
    radices: Vec<usize>,
    /// Inputs that occur, sorted.
    owns: Vec<Places>,
    /// With read inputs the keys that occur, sorted; else empty, and every combination is a key.
    listed: Vec<Key>,
    /// What is said, key by key.
    pub(super) keys: Vec<Group>,
}

/// Place of the known inputs, number of the combination, read inputs.
type Key = (usize, usize, Places);

/// The inputs in use.
#[derive(Clone, Debug)]
struct Used {
    /// For each player its elements in use, sorted; one list for players that feed one shared function.
    elements: Vec<Vec<Digits>>,
    /// For each input the place of each player's element.
    places: Vec<Places>,
}

impl Used {
    fn new(inputs: &[Inputs], lists: &[usize]) -> Result<Self, EncodeError> {
        if let Some(number) = (1..inputs.len()).find(|i| inputs[i - 1] >= inputs[*i]) {
            return Err(EncodeError::Unsorted(number));
        }
        let list_of = |list: usize| {
            let players = (0..lists.len()).filter(|player| lists[*player] == list);
            let mut elements: Vec<Digits> = players
                .flat_map(|player| inputs.iter().map(move |input| input.0[player].clone()))
                .collect();
            elements.sort();
            elements.dedup();
            elements
        };
        let elements: Vec<Vec<Digits>> = lists.iter().map(|list| list_of(*list)).collect();
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

/// For each player the number of its list of elements: players in one place of a shared function have one list.
fn lists(game: &Game) -> Vec<usize> {
    let mut lists: Vec<usize> = (0..game.players().len()).collect();
    let Some((first, others)) = game.shared().split_first() else {
        return lists;
    };
    for other in others {
        for (a, b) in game.slot(*first).seen().zip(game.slot(*other).seen()) {
            let (kept, joined) = (lists[a.0], lists[b.0]);
            for list in &mut lists {
                if *list == joined {
                    *list = kept;
                }
            }
        }
    }
    lists
}

/// The symbols of one kept chosen slot on the inputs: one group per restriction to the support.
struct Values {
    support: Vec<PlayerId>,
    restrictions: Vec<Places>,
    groups: Vec<Group>,
}

impl Values {
    /// The group for an input, given by the places of some players in increasing order that include the support.
    fn on(&self, players: &[PlayerId], places: &[u32]) -> Group {
        let restriction = of_players(&self.support, players, places);
        let found = self.restrictions.binary_search(&restriction);
        self.groups[found.unwrap_or(0)]
    }
}

/// The places of some players, out of those of others in increasing order.
fn of_players(wanted: &[PlayerId], players: &[PlayerId], places: &[u32]) -> Places {
    wanted
        .iter()
        .map(|player| places[players.binary_search(player).unwrap_or(0)])
        .collect()
}

/// The formula for the inputs X, with the clauses that order the symbols at its end on request.
pub(super) fn formula(
    game: &Game,
    task: &dyn Task,
    support: &Support,
    inputs: &[Inputs],
    symmetry: bool,
    limit: u64,
) -> Result<Formula, EncodeError> {
    let used = Used::new(inputs, &lists(game))?;
    let accepted = inputs
        .iter()
        .enumerate()
        .map(|(number, input)| answers_on(task, number, input))
        .collect::<Result<Vec<_>, _>>()?;
    let plan = Plan::new(game, task, support, used);
    plan.check_size(limit)?;
    let mut formula = plan.build(&accepted);
    if symmetry {
        order_symbols(game, &mut formula);
    }
    Ok(formula)
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

/// One kept chosen slot, before anything is allocated.
struct Spoken {
    speaker: Speaker,
    /// Its function, by number.
    function: usize,
    size: usize,
    values: Values,
}

/// What the functions are made of, before anything is allocated.
struct Plan {
    functions: Vec<Function>,
    spoken: Vec<Spoken>,
    answers: Function,
    answer_count: usize,
    everyone: Vec<PlayerId>,
    used: Used,
}

impl Plan {
    fn new(game: &Game, task: &dyn Task, support: &Support, used: Used) -> Self {
        let size = |id: SlotId| game.alphabet(id).size().to_usize().unwrap_or(usize::MAX);
        let (speakers, answers) = speakers(game, support);
        let function = |seen: &Seen| Function {
            speakers: Vec::new(),
            radices: seen.arguments.iter().map(|id| size(*id)).collect(),
            owns: used.tuples(&seen.players),
            seen: seen.clone(),
            listed: Vec::new(),
            keys: Vec::new(),
        };
        let mut functions: Vec<Function> = Vec::new();
        let mut shared = None;
        let mut spoken = Vec::new();
        for speaker in speakers {
            let same = game.shared().contains(&speaker.slot);
            let number = shared.filter(|_| same).unwrap_or(functions.len());
            if number == functions.len() {
                functions.push(function(&speaker.seen));
            }
            shared = if same { Some(number) } else { shared };
            functions[number].add(speaker.clone(), &used);
            let support: Vec<PlayerId> = support
                .of_slot(speaker.slot)
                .into_iter()
                .flatten()
                .copied()
                .collect();
            spoken.push(Spoken {
                function: number,
                size: size(speaker.slot),
                values: Values {
                    restrictions: used.tuples(&support),
                    support,
                    groups: Vec::new(),
                },
                speaker,
            });
        }
        Self {
            functions,
            spoken,
            answers: function(&answers),
            answer_count: usize::try_from(task.answers()).unwrap_or(usize::MAX),
            everyone: (0..game.players().len()).map(PlayerId).collect(),
            used,
        }
    }

    /// Refuses a formula of too many literals, from the exact number (an upper bound with read inputs).
    fn check_size(&self, limit: u64) -> Result<(), EncodeError> {
        let big = BigUint::from;
        let exactly_one = |groups: &BigUint, size: usize| match size {
            0..3 => BigUint::ZERO,
            _ => groups * big(size) * big(size + 1),
        };
        let keys = |function: &Function, restrictions: usize| {
            let own = if function.seen.reads.is_empty() {
                function.owns.len()
            } else {
                restrictions
            };
            function.combinations() * own
        };
        let mut literals = BigUint::ZERO;
        for spoken in &self.spoken {
            let function = &self.functions[spoken.function];
            let restrictions = spoken.values.restrictions.len();
            literals += exactly_one(&big(restrictions), spoken.size);
            if !function.seen.only_inputs() {
                let given = function.seen.arguments.len();
                literals += exactly_one(&keys(function, restrictions), spoken.size);
                literals +=
                    function.combinations() * restrictions * big(spoken.size) * big(given + 3);
            }
        }
        let inputs = self.used.places.len();
        literals += exactly_one(&keys(&self.answers, inputs), self.answer_count);
        let most = self.answers.seen.arguments.len() + self.answer_count.saturating_add(1);
        literals += self.answers.combinations() * inputs * big(most);
        if literals > BigUint::from(limit) {
            return Err(EncodeError::TooLarge { literals, limit });
        }
        Ok(())
    }

    fn build(mut self, accepted: &[Option<Vec<u64>>]) -> Formula {
        self.list_keys();
        let mut cnf = Cnf::default();
        let mut done: Vec<(SlotId, Values)> = Vec::new();
        for spoken in self.spoken {
            let (speaker, size, mut values) = (spoken.speaker, spoken.size, spoken.values);
            let function = &mut self.functions[spoken.function];
            let fresh = function.speakers[0].slot == speaker.slot;
            let direct = speaker.seen.only_inputs();
            if direct && function.speakers.len() > 1 {
                if fresh {
                    function.keys = groups(&mut cnf, function.key_count(), size);
                }
                values.groups = function.on_inputs(&speaker.seen, &values);
            } else {
                values.groups = groups(&mut cnf, values.restrictions.len(), size);
                if direct {
                    function.keys = function.direct_keys(&values);
                } else {
                    if fresh {
                        function.keys = groups(&mut cnf, function.key_count(), size);
                    }
                    link(&mut cnf, function, &speaker.seen, &values, &done);
                }
            }
            done.push((speaker.slot, values));
        }
        let mut answers = self.answers;
        answers.keys = groups(&mut cnf, answers.key_count(), self.answer_count);
        let acceptance = accept(
            &mut cnf,
            &answers,
            &self.everyone,
            &self.used,
            &done,
            accepted,
        );
        Formula {
            plain: cnf.len(),
            cnf,
            functions: self.functions,
            answers,
            acceptance,
            used: self.used,
        }
    }

    /// Lists the keys of the functions that know read inputs.
    fn list_keys(&mut self) {
        for spoken in &self.spoken {
            let values = &spoken.values;
            self.functions[spoken.function].list(&values.support, &values.restrictions);
        }
        self.answers.list(&self.everyone, &self.used.places);
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

/// The symbols that the arguments have on an input, given by the places of some players.
fn argument_groups(
    seen: &Seen,
    done: &[(SlotId, Values)],
    players: &[PlayerId],
    places: &[u32],
) -> Vec<Group> {
    let values = |id: &SlotId| done.binary_search_by_key(id, |entry| entry.0).ok();
    let group = |id| values(id).map(|place| done[place].1.on(players, places));
    seen.arguments.iter().filter_map(group).collect()
}

/// "The arguments have these symbols" implies "the symbol is the function's".
fn link(
    cnf: &mut Cnf,
    function: &Function,
    seen: &Seen,
    values: &Values,
    done: &[(SlotId, Values)],
) {
    for (restriction, said) in values.restrictions.iter().zip(&values.groups) {
        let groups = argument_groups(seen, done, &values.support, restriction);
        let own = function.own_place(seen, &values.support, restriction);
        function.each_combination(|number, combination| {
            let unless = unless(&groups, combination);
            let reads = reads(seen, combination, &values.support, restriction);
            let function_says = function.keys[function.key(own, number, reads)];
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

/// The read inputs when the arguments have these symbols.
fn reads(seen: &Seen, combination: &[usize], players: &[PlayerId], places: &[u32]) -> Places {
    let read = seen
        .reads
        .iter()
        .map(|reading| reading.candidate(combination));
    of_players(&read.collect::<Vec<_>>(), players, places)
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
    everyone: &[PlayerId],
    used: &Used,
    done: &[(SlotId, Values)],
    accepted: &[Option<Vec<u64>>],
) -> Vec<Range<usize>> {
    let mut ranges = Vec::with_capacity(accepted.len());
    for (places, accepted) in used.places.iter().zip(accepted) {
        let start = cnf.len();
        if let Some(list) = accepted {
            let groups = argument_groups(&answers.seen, done, everyone, places);
            let own = answers.own_place(&answers.seen, everyone, places);
            answers.each_combination(|number, combination| {
                let reads = reads(&answers.seen, combination, everyone, places);
                let says = answers.keys[answers.key(own, number, reads)];
                let right = list.iter().filter_map(|answer| {
                    let answer = usize::try_from(*answer).ok()?;
                    says.says(answer)
                });
                cnf.clause(unless(&groups, combination).into_iter().chain(right));
            });
        }
        ranges.push(start..cnf.len());
    }
    ranges
}

impl Function {
    /// The slots that use it, in schedule order; none for the answers.
    pub fn slots(&self) -> impl Iterator<Item = (SlotId, &Seen)> {
        self.speakers
            .iter()
            .map(|speaker| (speaker.slot, &speaker.seen))
    }

    fn add(&mut self, speaker: Speaker, used: &Used) {
        if !self.speakers.is_empty() {
            self.owns.extend(used.tuples(&speaker.seen.players));
            self.owns.sort_unstable();
            self.owns.dedup();
        }
        self.speakers.push(speaker);
    }

    fn combinations(&self) -> BigUint {
        self.radices
            .iter()
            .map(|size| BigUint::from(*size))
            .product()
    }

    /// The number of combinations, known to be small unless there are no inputs.
    fn combination_count(&self) -> usize {
        self.radices
            .iter()
            .fold(1, |count: usize, size| count.saturating_mul(*size))
    }

    fn key_count(&self) -> usize {
        if self.seen.reads.is_empty() {
            self.owns.len().saturating_mul(self.combination_count())
        } else {
            self.listed.len()
        }
    }

    /// The number of a key.
    fn key(&self, own: usize, number: usize, reads: Places) -> usize {
        if self.seen.reads.is_empty() {
            own * self.combination_count() + number
        } else {
            let found = self.listed.binary_search(&(own, number, reads));
            found.unwrap_or(0)
        }
    }

    /// With read inputs: lists the keys that occur on some restrictions to some players.
    fn list(&mut self, players: &[PlayerId], restrictions: &[Places]) {
        if self.seen.reads.is_empty() {
            return;
        }
        let mut listed = Vec::new();
        for places in restrictions {
            let own = self.own_place(&self.seen, players, places);
            self.each_combination(|number, combination| {
                listed.push((own, number, reads(&self.seen, combination, players, places)));
            });
        }
        listed.sort_unstable();
        listed.dedup();
        self.listed = listed;
    }

    /// Calls with the number and the symbols of each combination, in lexicographic order.
    fn each_combination(&self, mut call: impl FnMut(usize, &[usize])) {
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

    /// The place of the known inputs of an input, given by the places of some players in increasing order.
    fn own_place(&self, seen: &Seen, players: &[PlayerId], places: &[u32]) -> usize {
        let own = of_players(&seen.players, players, places);
        self.owns.binary_search(&own).unwrap_or(0)
    }

    /// Where nothing but inputs is known the function is the symbol: its groups out of those by restriction.
    fn direct_keys(&self, values: &Values) -> Vec<Group> {
        let mut order: Vec<usize> = (0..self.seen.players.len()).collect();
        order.sort_by_key(|place| self.seen.players[*place]);
        let players: Vec<PlayerId> = order
            .iter()
            .map(|place| self.seen.players[*place])
            .collect();
        let group = |own: &Places| {
            let sorted: Places = order.iter().map(|place| own[*place]).collect();
            values.on(&players, &sorted)
        };
        self.owns.iter().map(group).collect()
    }

    /// The other way round, where several slots share the function.
    fn on_inputs(&self, seen: &Seen, values: &Values) -> Vec<Group> {
        let group =
            |restriction: &Places| self.keys[self.own_place(seen, &values.support, restriction)];
        values.restrictions.iter().map(group).collect()
    }

    /// Calls with each key: known inputs, symbols, read inputs, and the number of the key; keys in order.
    pub(super) fn each_key(&self, mut call: impl FnMut(&[u32], &[usize], &[u32], usize)) {
        if self.seen.reads.is_empty() {
            for (place, own) in self.owns.iter().enumerate() {
                self.each_combination(|number, symbols| {
                    call(own, symbols, &[], self.key(place, number, Vec::new()));
                });
            }
            return;
        }
        let mut combinations = Vec::new();
        self.each_combination(|_, symbols| combinations.push(symbols.to_vec()));
        for (key, (own, number, reads)) in self.listed.iter().enumerate() {
            call(&self.owns[*own], &combinations[*number], reads, key);
        }
    }
}

impl Formula {
    /// What a function says in a model: calls with each entry, in the order of the keys.
    ///
    /// # Cost
    /// One look at the model per variable.
    pub fn decode(
        &self,
        function: &Function,
        holds: &mut dyn FnMut(i32) -> bool,
        call: &mut dyn FnMut(Entry<'_>),
    ) {
        let element = |player: PlayerId, place: u32| &self.used.elements[player.0][place as usize];
        function.each_key(|own, symbols, reads, key| {
            let known = function.seen.players.iter().zip(own);
            let read = function.seen.reads.iter().zip(reads);
            call(Entry {
                own: known
                    .map(|(player, place)| element(*player, *place))
                    .collect(),
                symbols,
                reads: read
                    .map(|(reading, place)| element(reading.candidate(symbols), *place))
                    .collect(),
                said: function.keys[key].decode(holds),
            });
        });
    }
}
