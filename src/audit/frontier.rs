//! Where is the boundary between solvable and unsolvable, in a box of alphabet sizes?
//!
//! Feasibility is monotone: more symbols never lose a protocol. So each answer settles all points above or below it, and no
//! settled point is ever searched again.

use super::frontier_log::Log;
use super::solve::{Ask, Outcome, Settled, settle};
use crate::evidence::verify::Options;
use crate::file::constants::Overrides;
use crate::file::{FileError, Setting, Source, Tree, setting};
use crate::game::Game;
use crate::search::solve::Stats;
use num_bigint::BigUint;
use rayon::prelude::*;
use serde_json::{Map, Value as Json, json};
use std::sync::atomic::Ordering;

/// Most points of a box.
pub const MAX_POINTS: usize = 4096;

/// One coordinate: a key of the family, or a constant of `let`, that sets alphabets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The key or constant.
    pub name: String,
    /// Values 1 to this.
    pub max: u64,
}

/// A point of the box: one value per axis.
pub type Point = Vec<u64>;

/// The games of a box.
#[derive(Debug)]
pub struct Grid {
    axes: Vec<Axis>,
    points: Vec<Point>,
    settings: Vec<Setting>,
}

/// Why a box cannot be searched.
#[derive(Debug, thiserror::Error)]
pub enum GridError {
    /// The axes do not fit the file.
    #[error("{0}")]
    Axes(String),
    /// A point has no game.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What is known of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A protocol exists.
    Solvable,
    /// None does.
    Unsolvable,
    /// Searched in vain.
    Undecided,
    /// Not searched yet.
    Open,
}

/// The frontier.
#[derive(Debug)]
pub struct Frontier {
    /// The state of each point, in the order of [`Grid::points`].
    pub states: Vec<State>,
    /// For each point that was searched and settled, its evidence.
    pub settled: Vec<Option<Box<Settled>>>,
    /// Number of points that were searched.
    pub solves: u64,
    /// Why points are undecided.
    pub reasons: Vec<(Point, String)>,
}

impl Grid {
    /// The games of all points, checked to differ in alphabets only, and to grow along each axis.
    ///
    /// # Errors
    /// [`GridError`].
    /// # Cost
    /// One game per point.
    pub fn new(
        base: &Setting,
        axes: Vec<Axis>,
        limits: crate::file::expr::Limits,
    ) -> Result<Self, GridError> {
        let size = axes
            .iter()
            .map(|axis| BigUint::from(axis.max))
            .product::<BigUint>();
        if size > BigUint::from(MAX_POINTS) {
            return Err(GridError::Axes(format!(
                "{size} points, at most {MAX_POINTS} are searched"
            )));
        }
        let points = points(&axes);
        let settings = points
            .iter()
            .map(|point| at(base, &axes, point, limits))
            .collect::<Result<Vec<_>, _>>()?;
        let grid = Self {
            axes,
            points,
            settings,
        };
        grid.check_monotone()?;
        Ok(grid)
    }

    /// The axes.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The points in lexicographic order.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The game of a point.
    pub(super) fn setting(&self, index: usize) -> &Setting {
        &self.settings[index]
    }

    fn check_monotone(&self) -> Result<(), GridError> {
        for (index, point) in self.points.iter().enumerate() {
            let mut stride = 1;
            for (number, axis) in self.axes.iter().enumerate().rev() {
                if point[number] < axis.max {
                    let (low, high) = (&self.settings[index], &self.settings[index + stride]);
                    let same =
                        without(&low.task_json, &axis.name) == without(&high.task_json, &axis.name);
                    if !same || !below(&low.game, &high.game) {
                        return Err(GridError::Axes(format!(
                            "`{}` changes more than alphabets, or shrinks one: the boundary would not be monotone",
                            axis.name
                        )));
                    }
                }
                stride *= usize::try_from(axis.max).unwrap_or(usize::MAX);
            }
        }
        Ok(())
    }
}

/// All points of the box, in lexicographic order.
fn points(axes: &[Axis]) -> Vec<Point> {
    axes.iter().fold(vec![Vec::new()], |points, axis| {
        points
            .iter()
            .flat_map(|point| {
                (1..=axis.max).map(move |value| point.iter().copied().chain([value]).collect())
            })
            .collect()
    })
}

/// The game at a point.
fn at(
    base: &Setting,
    axes: &[Axis],
    point: &[u64],
    limits: crate::file::expr::Limits,
) -> Result<Setting, GridError> {
    let mut spec = base.spec.clone();
    for (axis, value) in axes.iter().zip(point) {
        let unknown = || {
            let message = "is neither a constant of `let` nor a number of the family";
            GridError::Axes(format!("axis `{}` {message}", axis.name))
        };
        let place = place(&mut spec, &axis.name).ok_or_else(unknown)?;
        *place = json!(value.to_string());
    }
    let source = Source::new(base.source.name.clone(), "");
    let tree = Tree::from_json(&spec);
    Ok(setting::resolve(&source, &tree, &Overrides::new(), limits)?)
}

/// Where the value of an axis stands: in `let`, or in the table of the family.
fn place<'a>(spec: &'a mut Json, name: &str) -> Option<&'a mut Json> {
    let scalar = |value: &&mut Json| value.is_string() || value.is_number();
    let constant = spec.get("let").and_then(|table| table.get(name)).is_some();
    let table: &mut Map<String, Json> = if constant {
        spec.get_mut("let")?.as_object_mut()?
    } else {
        let family = spec.get_mut("family")?.as_object_mut()?;
        family.values_mut().next()?.as_object_mut()?
    };
    table.get_mut(name).filter(scalar)
}

/// A task given by expressions without a constant that its expressions do not use: it carries the file's constants along.
fn without(task: &Json, constant: &str) -> Json {
    let mut task = task.clone();
    let Some(body) = task.get_mut("expression").and_then(Json::as_object_mut) else {
        return task;
    };
    let used = ["accept", "answers", "promise", "value"].iter().any(|key| {
        let text = body.get(*key).and_then(Json::as_str).unwrap_or("");
        // Canonical text: tokens joined by one space.
        text.split(' ').any(|token| token == constant)
    });
    if let Some(constants) = body
        .get_mut("let")
        .and_then(Json::as_object_mut)
        .filter(|_| !used)
    {
        constants.remove(constant);
    }
    task
}

/// True when two games differ in alphabets only, none of which is smaller in the second.
fn below(low: &Game, high: &Game) -> bool {
    let same_slots = low.slots().len() == high.slots().len()
        && low.ids().all(|id| {
            let (a, b) = (low.slot(id), high.slot(id));
            (a.from, a.to, &a.consults, a.channel, &a.at)
                == (b.from, b.to, &b.consults, b.channel, &b.at)
                && low.round_of(id) == high.round_of(id)
                && std::mem::discriminant(&a.rule) == std::mem::discriminant(&b.rule)
                && low.alphabet(id).size() <= high.alphabet(id).size()
        });
    low.players() == high.players()
        && low.output() == high.output()
        && low.shared() == high.shared()
        && same_slots
}

/// True when no value of `low` exceeds that of `high`.
fn dominated(low: &[u64], high: &[u64]) -> bool {
    low.iter().zip(high).all(|(low, high)| low <= high)
}

/// Walks the boundary: at each step two points that cannot settle one another are searched side by side.
///
/// # Cost
/// In two dimensions at most the sum of both sides less one searches; never a settled point, nor one that `log` knows.
pub fn walk(grid: &Grid, claim: &str, ask: &Ask, options: &Options, log: Option<&Log>) -> Frontier {
    let count = grid.points.len();
    let mut frontier = Frontier {
        states: vec![State::Open; count],
        settled: (0..count).map(|_| None).collect(),
        solves: 0,
        reasons: Vec::new(),
    };
    while !ask.stop.load(Ordering::Relaxed) {
        let wave = next_wave(grid, &frontier.states);
        if wave.is_empty() {
            break;
        }
        let answers: Vec<Result<Box<Settled>, String>> = wave
            .par_iter()
            .map(|index| search(grid, *index, claim, ask, options, log))
            .collect();
        for (index, answer) in wave.into_iter().zip(answers) {
            frontier.solves += 1;
            frontier.note(grid, index, answer);
        }
    }
    frontier
}

fn search(
    grid: &Grid,
    index: usize,
    claim: &str,
    ask: &Ask,
    options: &Options,
    log: Option<&Log>,
) -> Result<Box<Settled>, String> {
    if let Some(settled) = log.and_then(|log| log.take(&grid.points[index])) {
        return Ok(settled);
    }
    let values: Vec<String> = grid.points[index].iter().map(ToString::to_string).collect();
    let claim = format!("{claim}-{}", values.join("-"));
    let mut stats = Stats::default();
    match settle(&grid.settings[index], &claim, ask, options, &mut stats) {
        Ok(Outcome::Settled(settled)) => {
            if let Some(log) = log {
                log.put(&grid.points[index], &settled)?;
            }
            Ok(settled)
        }
        Ok(Outcome::Undecided(reason)) => Err(reason),
        Ok(Outcome::Contradiction(reason)) => Err(format!("CONTRADICTION: {reason}")),
        Err(failure) => Err(failure.to_string()),
    }
}

impl Frontier {
    fn note(&mut self, grid: &Grid, index: usize, answer: Result<Box<Settled>, String>) {
        let point = &grid.points[index];
        match answer {
            Err(reason) => {
                // Another point of the same wave may have settled it meanwhile.
                if self.states[index] == State::Open {
                    self.states[index] = State::Undecided;
                    self.reasons.push((point.clone(), reason));
                }
            }
            Ok(settled) => {
                let (state, exists) = if settled.exists {
                    (State::Solvable, true)
                } else {
                    (State::Unsolvable, false)
                };
                for (other, known) in grid.points.iter().zip(&mut self.states) {
                    let implied = if exists {
                        dominated(point, other)
                    } else {
                        dominated(other, point)
                    };
                    if implied {
                        *known = state;
                    }
                }
                self.reasons.retain(|(point, _)| {
                    let place = grid.points.binary_search(point);
                    place.is_ok_and(|place| self.states[place] == State::Undecided)
                });
                self.settled[index] = Some(settled);
            }
        }
    }

    /// The points in a state that no other such point makes superfluous: the least solvable, the greatest unsolvable, or all.
    pub fn extremal(&self, grid: &Grid, state: State) -> Vec<Point> {
        let with: Vec<&Point> = grid
            .points
            .iter()
            .zip(&self.states)
            .filter(|(_, known)| **known == state)
            .map(|(point, _)| point)
            .collect();
        let superfluous = |point: &Point| {
            with.iter().any(|other| {
                *other != point
                    && match state {
                        State::Solvable => dominated(other, point),
                        State::Unsolvable => dominated(point, other),
                        State::Undecided | State::Open => false,
                    }
            })
        };
        with.iter()
            .filter(|point| !superfluous(point))
            .map(|point| (*point).clone())
            .collect()
    }

    /// True when every point is settled.
    pub fn complete(&self) -> bool {
        let settled = |state: &State| matches!(state, State::Solvable | State::Unsolvable);
        self.states.iter().all(settled)
    }
}

/// At most two open points, neither above the other.
fn next_wave(grid: &Grid, states: &[State]) -> Vec<usize> {
    let open: Vec<usize> = (0..states.len())
        .filter(|index| states[*index] == State::Open)
        .collect();
    if grid.axes.len() == 2
        && let Some(corners) = corners(grid, &open, states)
    {
        return corners;
    }
    let score = |index: &usize| {
        let point = &grid.points[*index];
        let count = |test: &dyn Fn(&Point) -> bool| {
            open.iter()
                .filter(|other| test(&grid.points[**other]))
                .count()
        };
        let above = count(&|other| dominated(point, other));
        let under = count(&|other| dominated(other, point));
        (std::cmp::Reverse(above.min(under)), *index)
    };
    let Some(first) = open.iter().copied().min_by_key(score) else {
        return Vec::new();
    };
    let apart = |index: &usize| {
        let (a, b) = (&grid.points[first], &grid.points[*index]);
        !dominated(a, b) && !dominated(b, a)
    };
    let second = open.iter().copied().filter(apart).min_by_key(score);
    [first].into_iter().chain(second).collect()
}

/// The two opposite corners of the open rectangle of a plane, as long as nothing is undecided.
fn corners(grid: &Grid, open: &[usize], states: &[State]) -> Option<Vec<usize>> {
    if states.contains(&State::Undecided) {
        return None;
    }
    let values = |axis: usize| open.iter().map(move |index| grid.points[*index][axis]);
    let (low, high) = (
        [values(0).min()?, values(1).min()?],
        [values(0).max()?, values(1).max()?],
    );
    let index = |x: u64, y: u64| grid.points.binary_search(&vec![x, y]).ok();
    let (a, b) = (index(low[0], high[1])?, index(high[0], low[1])?);
    let is_open = |index: &usize| states[*index] == State::Open;
    let mut wave: Vec<usize> = [a, b].into_iter().filter(is_open).collect();
    wave.dedup();
    (!wave.is_empty()).then_some(wave)
}
