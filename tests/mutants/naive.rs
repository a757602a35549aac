//! The definitions, by full enumeration: what decides, apart from the checkers, that a mutant is wrong.

use foolproof::evidence::statement::one_way_setting;
use foolproof::evidence::verify::digest_of;
use foolproof::file::constants::Overrides;
use foolproof::file::expr::Limits;
use foolproof::file::setting::{self, Setting};
use foolproof::file::strategies::{self, Strategy};
use foolproof::file::{Source, Tree};
use foolproof::game::key::KeySpace;
use foolproof::game::{
    Accepted, Answer, Game, Inputs, PlayerId, Protocol, Rule, Sight, SlotId, SpeakError, Symbol,
    Task, View, run,
};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// What the spec of a file stands for.
pub(crate) struct Rebuilt {
    pub(crate) setting: Option<Setting>,
    pub(crate) strategy: Option<Strategy>,
    pub(crate) digest: String,
}

impl Rebuilt {
    /// `None` when the spec does not build.
    pub(crate) fn of(json: &Json) -> Option<Self> {
        let (source, none, limits) = (Source::new("spec", ""), Overrides::new(), Limits::default());
        let spec = &json["spec"];
        let (mut setting, mut strategy) = (None, None);
        let about_game = spec.get("game").is_some();
        if let Some(game) = spec.get("game") {
            setting = Some(setting::resolve(&source, &Tree::from_json(game), &none, limits).ok()?);
        } else if let Some(task) = json["statement"]["count"].get("task") {
            setting = Some(one_way_setting(task, limits).ok()?);
        }
        if let Some(file) = spec.get("strategy") {
            let file = Tree::from_json(file);
            strategy =
                Some(strategies::resolve(&source, &file, setting.as_ref()?, &none, limits).ok()?);
        }
        let digest = digest_of(
            setting.as_ref(),
            strategy.as_ref(),
            about_game,
            spec,
            &json["statement"],
        );
        Some(Self {
            setting,
            strategy,
            digest,
        })
    }

    pub(crate) fn game(&self) -> &Game {
        &self.setting.as_ref().unwrap().game
    }

    pub(crate) fn task(&self) -> &dyn Task {
        &*self.setting.as_ref().unwrap().task
    }

    /// The final view and the answer on one input; `None` when the run is not legal.
    fn play(&self, inputs: &Inputs) -> Option<(View, Option<Answer>)> {
        let run = run(self.game(), &*self.strategy.as_ref()?.protocol, inputs).ok()?;
        Some((run.views[self.game().output().0].clone(), run.answer))
    }
}

pub(crate) fn digits(json: &Json) -> Vec<u64> {
    json.as_array()
        .unwrap()
        .iter()
        .map(|digit| digit.as_u64().unwrap_or(u64::MAX))
        .collect()
}

pub(crate) fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn everyone(game: &Game) -> Vec<PlayerId> {
    (0..game.players().len()).map(PlayerId).collect()
}

/// A full input, if it is one.
pub(crate) fn full(game: &Game, json: &Json) -> Option<Inputs> {
    let elements = game
        .players()
        .iter()
        .map(|player| json.get(&player.label.0).map(digits))
        .collect::<Option<Vec<_>>>()?;
    let inputs = Inputs(elements);
    (json.as_object()?.len() == game.players().len() && inputs.check(game).is_ok())
        .then_some(inputs)
}

/// The answers accepted on all of some inputs.
fn common(task: &dyn Task, inputs: &[Inputs]) -> Option<Accepted> {
    inputs.iter().try_fold(Accepted::All, |both, one| {
        Some(both.and(&task.accepted(one).ok()?))
    })
}

/// Same final view on all, no answer accepted on all.
pub(crate) fn conflicts(rebuilt: &Rebuilt, bodies: &[&Json]) -> Option<bool> {
    let inputs = bodies
        .iter()
        .map(|body| full(rebuilt.game(), body))
        .collect::<Option<Vec<_>>>()?;
    let views = inputs
        .iter()
        .map(|one| Some(rebuilt.play(one)?.0))
        .collect::<Option<BTreeSet<_>>>();
    Some(views?.len() == 1 && common(rebuilt.task(), &inputs)?.is_empty())
}

/// The protocol says this answer there, and the task does not accept it.
pub(crate) fn refutes(rebuilt: &Rebuilt, body: &Json) -> Option<bool> {
    let inputs = full(rebuilt.game(), &body["input"])?;
    let answer = Answer(body["answer"].as_str()?.parse().ok()?);
    let (_, said) = rebuilt.play(&inputs)?;
    Some(said == Some(answer) && !rebuilt.task().accepted(&inputs).ok()?.contains(answer))
}

/// A protocol as evidence writes it.
struct Written<'a> {
    game: &'a Game,
    tables: Vec<Option<Vec<u64>>>,
    answers: Vec<u64>,
}

fn symbols(json: &Json) -> Option<Vec<u64>> {
    json.as_array()?
        .iter()
        .map(|symbol| symbol.as_str()?.parse().ok())
        .collect()
}

fn entry(index: Option<u64>, table: &[u64]) -> Result<u64, SpeakError> {
    let found = index.and_then(|index| table.get(usize::try_from(index).ok()?));
    found.copied().ok_or(SpeakError {
        message: "no entry".to_owned(),
        at: None,
    })
}

impl Protocol for Written<'_> {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let place = self.game.chosen_slots().position(|id| id == slot).unwrap();
        match &self.tables[place] {
            None => Ok(Symbol(0)),
            Some(table) => entry(
                KeySpace::of_slot(self.game, slot).index(self.game, sight),
                table,
            )
            .map(Symbol),
        }
    }

    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError> {
        entry(
            KeySpace::of_answer(self.game).index_of_view(self.game, view),
            &self.answers,
        )
        .map(|answer| Some(Answer(answer)))
    }
}

/// Tables of some length for every slot, and accepted on all inputs.
pub(crate) fn solves(game: &Game, task: &dyn Task, body: &Json) -> Option<bool> {
    let tables = list(&body["tables"]).iter().map(|table| {
        if table.is_null() {
            Some(None)
        } else {
            symbols(table).map(Some)
        }
    });
    let written = Written {
        game,
        tables: tables.collect::<Option<_>>()?,
        answers: symbols(&body["answers"])?,
    };
    if written.tables.len() != game.chosen_slots().count() {
        return Some(false);
    }
    Some(Inputs::all(game).all(|inputs| {
        let answer = run(game, &written, &inputs).ok().and_then(|run| run.answer);
        answer.is_some_and(|answer| {
            task.accepted(&inputs)
                .is_ok_and(|right| right.contains(answer))
        })
    }))
}

/// Whether the input of one player can reach the view of another past the pinned slots: the definition, round by round.
pub(crate) fn reached(
    game: &Game,
    of: PlayerId,
    view: PlayerId,
    after: usize,
    pinned: &BTreeSet<usize>,
) -> bool {
    let mut holders = BTreeSet::from([of]);
    for round in 0..after {
        let carried: Vec<PlayerId> = game
            .round(round)
            .filter(|id| {
                game.is_open(*id) && !pinned.contains(&id.0) && carries(game, *id, of, &holders)
            })
            .map(|id| game.slot(id).to)
            .collect();
        holders.extend(carried);
    }
    game.player(of).domain.is_open() && holders.contains(&view)
}

fn carries(game: &Game, id: SlotId, of: PlayerId, holders: &BTreeSet<PlayerId>) -> bool {
    let slot = game.slot(id);
    match slot.rule {
        Rule::Read { by, rank } => {
            let reads = game
                .slots()
                .iter()
                .filter(|slot| matches!(slot.rule, Rule::Read { by: other, .. } if other == by))
                .count();
            let candidates: Vec<PlayerId> = everyone(game)
                .into_iter()
                .filter(|player| *player != slot.to)
                .collect();
            candidates
                .iter()
                .position(|player| *player == of)
                .is_some_and(|place| {
                    // `rank` candidates can stand before it, and the rest of the selection after it.
                    place >= rank && candidates.len() - place >= reads - rank
                })
        }
        Rule::Chosen(_) | Rule::Forward => slot.seen().any(|player| holders.contains(&player)),
    }
}

/// Whether a path leaks past the pinned slots, and the two inputs show it: on it every slot passes on whether the input
/// is the first of its domain.
pub(crate) fn leaks(game: &Game, statement: &Json, body: &Json) -> Option<bool> {
    let player = |key: &str| game.find_player(statement[key].as_str()?);
    let (of, view) = (player("of")?, player("view")?);
    let after = usize::try_from(statement["after"].as_u64()?).ok()?;
    let pinned: BTreeSet<u64> = digits(&statement["pinned"]).into_iter().collect();
    let (left, right) = (full(game, &body["left"])?, full(game, &body["right"])?);
    let (mut at, mut earliest, mut copied) = (of, 0, false);
    for index in digits(&body["path"]) {
        let id = SlotId(
            usize::try_from(index)
                .ok()
                .filter(|index| *index < game.slots().len())?,
        );
        let round = game.round_of(id);
        let from_here = carries(game, id, of, &BTreeSet::from([at]));
        let read = matches!(game.slot(id).rule, Rule::Read { .. });
        if pinned.contains(&index)
            || round < earliest
            || round >= after
            || !game.is_open(id)
            || !from_here
            || (read && at != of)
        {
            return Some(false);
        }
        copied |= matches!(game.slot(id).rule, Rule::Read { .. } | Rule::Forward) && at == of;
        at = game.slot(id).to;
        earliest = round + 1;
    }
    let differ: Vec<PlayerId> = everyone(game)
        .into_iter()
        .filter(|id| left.of(*id) != right.of(*id))
        .collect();
    let first = game.player(of).domain.first();
    let shown = copied || of == view || (*left.of(of) == first) != (*right.of(of) == first);
    Some(at == view && differ == [of] && shown)
}

/// Inputs of some players, in JSON, put into a full input.
fn put(game: &Game, inputs: &mut Inputs, json: &Json) -> Option<()> {
    for (label, element) in json.as_object()? {
        let player = game.find_player(label)?;
        inputs.0[player.0] = digits(element);
    }
    inputs.check(game).is_ok().then_some(())
}

/// Every two members are told apart by some test: no answer is accepted with both.
pub(crate) fn separated(rebuilt: &Rebuilt, members: &[Json], tests: &[Json]) -> Option<bool> {
    let (game, task) = (rebuilt.game(), rebuilt.task());
    let mut inputs = Inputs::first(game);
    let mut rows = Vec::new();
    for member in members {
        let mut row = Vec::new();
        for test in tests {
            put(game, &mut inputs, member)?;
            put(game, &mut inputs, test)?;
            row.push(task.accepted(&inputs).ok()?);
        }
        rows.push(row);
    }
    let apart = |one: &Vec<Accepted>, other: &Vec<Accepted>| {
        one.iter().zip(other).any(|(a, b)| a.and(b).is_empty())
    };
    Some((0..rows.len()).all(|i| (0..i).all(|j| apart(&rows[i], &rows[j]))))
}

/// Whether two elements of a speaker conflict: one symbol cannot serve both.
pub(crate) fn clash(rebuilt: &Rebuilt, one: &[u64], other: &[u64]) -> Option<bool> {
    let (game, task) = (rebuilt.game(), rebuilt.task());
    let output = game.output();
    let speakers: Vec<PlayerId> = everyone(game)
        .into_iter()
        .filter(|player| *player != output)
        .collect();
    let reads = game
        .slots()
        .iter()
        .filter(|slot| matches!(slot.rule, Rule::Read { .. }))
        .count();
    let mut inputs = Inputs::first(game);
    loop {
        for (a, b) in [(one, other), (other, one)] {
            for player in &speakers {
                inputs.0[player.0] = a.to_vec();
            }
            let base = task.accepted(&inputs).ok()?;
            let mut breaking = BTreeSet::new();
            for player in &speakers {
                let mut changed = inputs.clone();
                changed.0[player.0] = b.to_vec();
                if base.and(&task.accepted(&changed).ok()?).is_empty() {
                    breaking.insert(*player);
                }
            }
            // For every set of as many players as are read, one outside it breaks the answer.
            if subsets(&speakers, reads)
                .iter()
                .all(|read| breaking.iter().any(|player| !read.contains(player)))
            {
                return Some(true);
            }
        }
        if !inputs.advance_players(game, std::iter::once(output)) {
            return Some(false);
        }
    }
}

fn subsets(players: &[PlayerId], size: usize) -> Vec<Vec<PlayerId>> {
    itertools::Itertools::combinations(players.iter().copied(), size).collect()
}
