//! `frontier`: where exactly is the boundary?

use crate::audit::frontier::{Axis, Frontier, Grid, GridError, Point, State, walk};
use crate::audit::frontier_log::{Log, Parameters};
use crate::audit::solve::{Ask, MAX_PROOF};
use crate::cli::args::FrontierArgs;
use crate::cli::audit::write_evidence;
use crate::cli::check::stop_flag;
use crate::cli::solve::{checkpoint_failure, claim_id, from_spec};
use crate::cli::{Context, Exit, Failure, Output, shipped, write_svg};
use crate::report::picture::grid::{self, Cell};
use crate::report::svg::Picture;
use crate::report::table::Table;
use crate::search::solve::Method;
use serde_json::{Value as Json, json};

pub(super) fn run(args: &FrontierArgs, context: &Context) -> Result<Output, Failure> {
    let grid_failure = |error| match error {
        GridError::Axes(message) => Failure::Usage(message),
        GridError::File(error) => Failure::File(error),
    };
    let options = context.options();
    let (grid, log, name) = if let Some(path) = &args.resume {
        let (log, parameters, contents) =
            Log::resume(path).map_err(|error| checkpoint_failure(&error))?;
        let setting = from_spec(&parameters.claim, &parameters.game, context)?;
        let grid = Grid::new(&setting, parameters.axes, context.limits).map_err(grid_failure)?;
        log.learn(&grid, &contents, &options)
            .map_err(|error| checkpoint_failure(&error))?;
        (grid, Some(log), parameters.claim)
    } else {
        let name = args.game.clone().unwrap_or_default();
        let setting = shipped::game(&name, true, context)?;
        let axes = axes(args)?;
        let parameters = Parameters {
            claim: claim_id(&name),
            game: setting.spec.clone(),
            axes: axes.clone(),
        };
        let grid = Grid::new(&setting, axes, context.limits).map_err(grid_failure)?;
        let log = match &args.checkpoint {
            Some(path) => {
                Some(Log::create(path, &parameters).map_err(|error| checkpoint_failure(&error))?)
            }
            None => None,
        };
        (grid, log, name)
    };
    let ask = Ask {
        method: Method::Auto,
        max_proof: MAX_PROOF,
        stop: stop_flag(context.limit_seconds),
    };
    let claim = claim_id(&name);
    let frontier = walk(&grid, &claim, &ask, &options, log.as_ref());
    if let Some((point, reason)) = frontier
        .reasons
        .iter()
        .find(|(_, reason)| reason.starts_with("CONTRADICTION"))
    {
        return Err(Failure::Contradiction(format!("{point:?}: {reason}")));
    }
    if let Some(folder) = &args.proof {
        for (point, settled) in grid.points().iter().zip(&frontier.settled) {
            if let Some(settled) = settled {
                let values: Vec<String> = point.iter().map(ToString::to_string).collect();
                let id = format!("{claim}-{}", values.join("-"));
                write_evidence(folder, &id, &settled.decision)?;
            }
        }
    }
    write_svg(args.svg.as_deref(), || {
        picture(&grid, &frontier, &shipped::stem(&name))
            .ok_or_else(|| Failure::Usage("--svg needs two axes".to_owned()))
    })?;
    Ok(answer(&grid, &frontier))
}

fn axes(args: &FrontierArgs) -> Result<Vec<Axis>, Failure> {
    let max = args
        .max
        .iter()
        .map(|text| text.parse::<u64>().ok().filter(|max| *max > 0))
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| Failure::Usage("--max: expected sizes of at least 1".to_owned()))?;
    if max.len() != args.over.len() {
        return Err(Failure::Usage(format!(
            "--over names {} axes, --max {} sizes",
            args.over.len(),
            max.len()
        )));
    }
    if let Some(twice) =
        (1..args.over.len()).find(|place| args.over[..*place].contains(&args.over[*place]))
    {
        return Err(Failure::Usage(format!(
            "--over names `{}` twice",
            args.over[twice]
        )));
    }
    let pairs = args.over.iter().cloned().zip(max);
    Ok(pairs.map(|(name, max)| Axis { name, max }).collect())
}

fn letter(state: State) -> char {
    match state {
        State::Solvable => 'S',
        State::Unsolvable => 'U',
        State::Undecided | State::Open => '?',
    }
}

/// Undecided and open points together, in order.
fn undecided(grid: &Grid, frontier: &Frontier) -> Vec<Point> {
    grid.points()
        .iter()
        .zip(&frontier.states)
        .filter(|(_, state)| letter(**state) == '?')
        .map(|(point, _)| point.clone())
        .collect()
}

fn answer(grid: &Grid, frontier: &Frontier) -> Output {
    let solvable = frontier.extremal(grid, State::Solvable);
    let unsolvable = frontier.extremal(grid, State::Unsolvable);
    let open = undecided(grid, frontier);
    let names: Vec<&str> = grid.axes().iter().map(|axis| axis.name.as_str()).collect();
    let mut lines = vec![format!("over {}", names.join(", "))];
    if let [_, _] = names.as_slice() {
        lines.extend(table(grid, frontier));
    }
    lines.push(format!("minimal solvable    {}", spell(&solvable)));
    lines.push(format!("maximal unsolvable  {}", spell(&unsolvable)));
    if !open.is_empty() {
        lines.push(format!("undecided           {}", spell(&open)));
    }
    for (point, reason) in &frontier.reasons {
        lines.push(format!(
            "  {}: {reason}",
            spell(std::slice::from_ref(point))
        ));
    }
    lines.push(format!(
        "{} of {} points searched, the others follow by monotonicity; all evidence verified",
        frontier.solves,
        grid.points().len()
    ));
    let reasons: Vec<Json> = frontier
        .reasons
        .iter()
        .map(|(point, reason)| json!({"point": texts(point), "reason": reason}))
        .collect();
    let list = |points: &[Point]| points.iter().map(|point| texts(point)).collect::<Vec<_>>();
    let max: Vec<u64> = grid.axes().iter().map(|axis| axis.max).collect();
    let json = json!({
        "axes": names,
        "max": texts(&max),
        "minimal_solvable": list(&solvable),
        "maximal_unsolvable": list(&unsolvable),
        "undecided": list(&open),
        "reasons": reasons,
        "solves": frontier.solves.to_string(),
    });
    let exit = if frontier.complete() {
        Exit::Answered
    } else {
        Exit::NotAnswered
    };
    let mut head = names.clone();
    head.push("verdict");
    let mut table = Table::new("Every point of the box", &head);
    for (point, state) in grid.points().iter().zip(&frontier.states) {
        let verdict = match state {
            State::Solvable => "solvable",
            State::Unsolvable => "unsolvable",
            State::Undecided | State::Open => "undecided",
        };
        table.row(texts(point).into_iter().chain([verdict.to_owned()]));
    }
    Output::new(lines.join("\n"), json).exit(exit).table(table)
}

/// Sizes are counts: decimal strings.
fn texts(values: &[u64]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

fn spell(points: &[Point]) -> String {
    if points.is_empty() {
        return "none in the box".to_owned();
    }
    let spelled: Vec<String> = points
        .iter()
        .map(|point| format!("({})", texts(point).join(",")))
        .collect();
    spelled.join(" ")
}

/// The letters of a plane: the first axis to the right, the second one up.
fn table(grid: &Grid, frontier: &Frontier) -> Vec<String> {
    let (columns, rows) = (grid.axes()[0].max, grid.axes()[1].max);
    let at = |x: u64, y: u64| {
        let place = grid.points().binary_search(&vec![x, y]);
        place.map_or('?', |place| letter(frontier.states[place]))
    };
    let row = |y: u64| {
        let letters: Vec<String> = (1..=columns).map(|x| format!("{:>3}", at(x, y))).collect();
        format!(
            "{:>8} {y:>3} {}",
            if y == rows {
                grid.axes()[1].name.as_str()
            } else {
                ""
            },
            letters.concat()
        )
    };
    let mut lines: Vec<String> = (1..=rows).rev().map(row).collect();
    let numbers: Vec<String> = (1..=columns).map(|x| format!("{x:>3}")).collect();
    lines.push(format!(
        "{:>12} {}  {}",
        "",
        numbers.concat(),
        grid.axes()[0].name
    ));
    lines
}

fn picture(grid: &Grid, frontier: &Frontier, name: &str) -> Option<Picture> {
    let [x_axis, y_axis] = grid.axes() else {
        return None;
    };
    let corners: Vec<Point> = [State::Solvable, State::Unsolvable]
        .into_iter()
        .flat_map(|state| frontier.extremal(grid, state))
        .collect();
    let cell = |x: u64, y: u64| {
        let point = vec![x, y];
        let place = grid.points().binary_search(&point);
        let state = place.map_or('?', |place| letter(frontier.states[place]));
        Cell::of_letter(state, corners.contains(&point))
    };
    let columns: Vec<Vec<Cell>> = (1..=x_axis.max)
        .map(|x| (1..=y_axis.max).map(|y| cell(x, y)).collect())
        .collect();
    let title = format!("{name}: S solvable, U unsolvable, framed: the boundary");
    let numbers = |most: u64| (1..=most).map(|number| number.to_string()).collect();
    let grid = grid::Grid {
        x_name: &x_axis.name,
        y_name: &y_axis.name,
        x_labels: numbers(x_axis.max),
        y_labels: numbers(y_axis.max),
        columns,
    };
    Some(grid::picture(&title, &grid))
}
