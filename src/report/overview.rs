//! Pictures of many claims at once: each point in them is a token of its own.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "every kind but the ones a drawing is for"
)]

use crate::evidence::derive::{Question, StoredBound};
use crate::evidence::inequality::Problem;
use crate::evidence::item::{Derived, Raw};
use crate::evidence::shape::Place;
use crate::evidence::statement::Statement;
use crate::evidence::{Checked, Verdict};
use crate::exact::interval::floor_log2_scaled;
use crate::file::expr::Limits;
use crate::report::figure::Figure;
use crate::report::picture::{curve, grid};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// All pictures that these tokens give.
pub fn figures(tokens: &[&Checked]) -> Vec<Figure> {
    let mut all = frontiers(tokens);
    all.extend(regions(tokens));
    all.extend(lengths(tokens));
    all
}

/// Numbers of a family table that only add symbols: more never lose a protocol.
const AXES: [&str; 2] = ["soft", "linear"];

/// Where a claim about solvability stands: its game without the two axes, and its values on them.
fn position(checked: &Checked) -> Option<(String, [u64; 2], bool)> {
    let content = checked.content();
    let says = match content.statement {
        Statement::Solvable => true,
        Statement::Unsolvable => false,
        _ => return None,
    };
    let mut game = content.witness.spec["game"].clone();
    let constants = game["let"].take();
    let hybrid = game.pointer_mut("/family/hybrid")?.as_object_mut()?;
    let mut values = [0; 2];
    for (value, axis) in values.iter_mut().zip(AXES) {
        let written = hybrid.remove(axis)?;
        let text = written.as_str()?;
        // A number, or the name of a constant.
        *value = constants[text].as_str().unwrap_or(text).parse().ok()?;
    }
    Some((
        game.to_string(),
        values,
        says == (checked.verdict() == Verdict::Established),
    ))
}

/// Frontiers: the same hybrid game at several pairs of alphabet sizes.
fn frontiers(tokens: &[&Checked]) -> Vec<Figure> {
    let mut games: BTreeMap<String, BTreeMap<[u64; 2], (bool, String)>> = BTreeMap::new();
    for checked in tokens {
        if let Some((game, values, solvable)) = position(checked) {
            games
                .entry(game)
                .or_default()
                .insert(values, (solvable, checked.claim().to_owned()));
        }
    }
    games
        .iter()
        .filter_map(|(game, points)| frontier(game, points))
        .collect()
}

fn frontier(game: &str, points: &BTreeMap<[u64; 2], (bool, String)>) -> Option<Figure> {
    let most = |axis: usize| points.keys().map(|point| point[axis]).max();
    let (columns, rows) = (most(0)?, most(1)?);
    let both: BTreeSet<bool> = points.values().map(|(solvable, _)| *solvable).collect();
    if both.len() < 2 || columns > 16 || rows > 16 {
        return None;
    }
    // More symbols never lose a protocol.
    let letter = |x: u64, y: u64| {
        let some = |wanted: bool, inside: &dyn Fn(&[u64; 2]) -> bool| {
            points
                .iter()
                .any(|(point, (solvable, _))| *solvable == wanted && inside(point))
        };
        if some(true, &|point| point[0] <= x && point[1] <= y) {
            'S'
        } else if some(false, &|point| point[0] >= x && point[1] >= y) {
            'U'
        } else {
            '?'
        }
    };
    let numbers = |most: u64| (1..=most).map(|number| number.to_string()).collect();
    let cells = (1..=columns)
        .map(|x| {
            (1..=rows)
                .map(|y| grid::Cell::of_letter(letter(x, y), points.contains_key(&[x, y])))
                .collect()
        })
        .collect();
    let family: Json = serde_json::from_str(game).ok()?;
    let layout = family
        .pointer("/family/hybrid/layout")
        .and_then(Json::as_str)
        .unwrap_or("a layout")
        .to_owned();
    let picture = grid::picture(
        &format!(
            "Frontier of {layout}: S solvable, U unsolvable, framed where there is evidence; the rest follows, as more symbols never lose a protocol"
        ),
        &grid::Grid {
            x_name: AXES[0],
            y_name: AXES[1],
            x_labels: numbers(columns),
            y_labels: numbers(rows),
            columns: cells,
        },
    );
    let listed: Vec<Json> = points
        .iter()
        .map(|(point, (solvable, claim))| json!({"soft": point[0].to_string(), "linear": point[1].to_string(), "solvable": solvable, "claim": claim}))
        .collect();
    let axis: Vec<String> = (1..=columns.max(rows))
        .map(|number| number.to_string())
        .collect();
    Some(Figure::of(
        picture,
        json!({"game": family, "points": listed, "axis": axis}),
    ))
}

/// One comparison at all points of two variables.
struct Region {
    /// What is compared.
    sides: [String; 2],
    variables: [String; 2],
    relation: String,
    claim: String,
    points: BTreeSet<[u64; 2]>,
}

const RELATIONS: [&str; 5] = [" >= ", " <= ", " < ", " > ", " = "];

/// A claim that one comparison holds at all points of two variables.
fn region(checked: &Checked) -> Option<Region> {
    let Statement::Inequality { holds, .. } = &checked.content().statement else {
        return None;
    };
    let [comparison] = holds.as_slice() else {
        return None;
    };
    if checked.verdict() != Verdict::Established {
        return None;
    }
    let (relation, (left, right)) = RELATIONS
        .iter()
        .find_map(|relation| Some((relation.trim(), comparison.split_once(relation)?)))?;
    let problem = Problem::new(&checked.content().statement, Limits::default()).ok()?;
    let mut names = None;
    let mut points = BTreeSet::new();
    for point in problem.points().ok()? {
        let [(x, x_value), (y, y_value)] = point.as_slice() else {
            return None;
        };
        names = Some([x.clone(), y.clone()]);
        points.insert([x_value.to_u64()?, y_value.to_u64()?]);
    }
    Some(Region {
        sides: [left.to_owned(), right.to_owned()],
        variables: names?,
        relation: relation.to_owned(),
        claim: checked.claim().to_owned(),
        points,
    })
}

/// Maps of the claims that compare the same two quantities, each with its own relation.
fn regions(tokens: &[&Checked]) -> Vec<Figure> {
    let mut maps: BTreeMap<([String; 2], [String; 2]), Vec<Region>> = BTreeMap::new();
    for region in tokens.iter().filter_map(|checked| region(checked)) {
        let key = (region.sides.clone(), region.variables.clone());
        maps.entry(key).or_default().push(region);
    }
    maps.into_values()
        .filter(|map| map.len() > 1)
        .filter_map(|map| region_map(&map))
        .collect()
}

fn region_map(map: &[Region]) -> Option<Figure> {
    let first = map.first()?;
    let all: BTreeSet<[u64; 2]> = map
        .iter()
        .flat_map(|region| region.points.iter().copied())
        .collect();
    let span = |axis: usize| -> Option<Vec<u64>> {
        let values = || all.iter().map(|point| point[axis]);
        let (low, high) = (values().min()?, values().max()?);
        (high - low < 32).then(|| (low..=high).collect())
    };
    let (xs, ys) = (span(0)?, span(1)?);
    let cell = |x: u64, y: u64| {
        let found = map
            .iter()
            .position(|region| region.points.contains(&[x, y]));
        grid::Cell {
            letter: found.map_or_else(|| "-".to_owned(), |place| map[place].relation.clone()),
            colour: found.map_or("k7", |place| ["k2", "k6", "k4", "k5"][place % 4]),
            corner: false,
        }
    };
    let labels = |values: &[u64]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    let [left, right] = &first.sides;
    let picture = grid::picture(
        &format!("{left} against {right}"),
        &grid::Grid {
            x_name: &first.variables[0],
            y_name: &first.variables[1],
            x_labels: labels(&xs),
            y_labels: labels(&ys),
            columns: xs
                .iter()
                .map(|x| ys.iter().map(|y| cell(*x, *y)).collect())
                .collect(),
        },
    );
    let claims: Vec<Json> = map
        .iter()
        .map(|region| json!({"claim": region.claim, "relation": region.relation, "points": region.points.len().to_string()}))
        .collect();
    Some(Figure::of(
        picture,
        json!({"sides": first.sides, "variables": first.variables, "x": labels(&xs), "y": labels(&ys), "claims": claims}),
    ))
}

/// A ledger that closes: what it is about, digest bits, length.
fn length(checked: &Checked) -> Option<(String, BigUint, BigUint)> {
    let content = checked.content();
    let Statement::Derive(derivation) = &content.statement else {
        return None;
    };
    let closes = matches!(
        derivation.question,
        Question::Proved { .. } | Question::TokensAtMost { .. }
    );
    let [Raw::Derived(Derived::Bound, body)] = content.evidence.as_slice() else {
        return None;
    };
    if !closes || checked.verdict() != Verdict::Established {
        return None;
    }
    let stored = StoredBound::read(&Place {
        at: String::new(),
        json: body,
    })
    .ok()?;
    let passes: Vec<String> = stored
        .layout
        .passes()
        .iter()
        .map(ToString::to_string)
        .collect();
    let name = format!(
        "L = {}, a = ({}), {}",
        stored.layout.steps(),
        passes.join(", "),
        stored.cost.mode.word()
    );
    let tokens = body["n"].as_str()?.parse().ok()?;
    Some((name, stored.cost.soft, tokens))
}

/// `log2 x` in sixteenths, rounded down.
fn sixteenths(x: &BigUint) -> usize {
    floor_log2_scaled(x, 4).to_usize().unwrap_or(0)
}

/// `log2 log2 x` in sixteenths, from x = 2 on.
fn twice(x: &BigUint) -> usize {
    let once = BigUint::from(sixteenths(x).max(16));
    sixteenths(&once).saturating_sub(64)
}

/// Shortest prompts out of reach against the bits of a digest.
fn lengths(tokens: &[&Checked]) -> Option<Figure> {
    let mut series: BTreeMap<String, BTreeMap<BigUint, (BigUint, String)>> = BTreeMap::new();
    for checked in tokens {
        if let Some((name, bits, tokens)) = length(checked) {
            let claim = checked.claim().to_owned();
            let points = series.entry(name).or_default();
            // The shortest of several at one size.
            if points.get(&bits).is_none_or(|known| tokens < known.0) {
                points.insert(bits, (tokens, claim));
            }
        }
    }
    series.retain(|_, points| points.len() > 1);
    let all = || series.values().flatten();
    let (widest, longest) = (
        all().map(|point| point.0).max()?,
        all().map(|point| &point.1.0).max()?,
    );
    let drawn: Vec<curve::Series> = series
        .iter()
        .map(|(name, points)| curve::Series {
            name: name.clone(),
            points: points
                .iter()
                .map(|(bits, (tokens, claim))| {
                    (
                        sixteenths(bits),
                        twice(tokens),
                        format!("{claim}: n = {tokens}"),
                    )
                })
                .collect(),
        })
        .collect();
    let power = |e: usize| BigUint::one() << e;
    let xs: Vec<curve::Tick> = (0..=sixteenths(widest).div_ceil(16))
        .map(|e| (e * 16, power(e).to_string()))
        .collect();
    let ys: Vec<curve::Tick> = (0..=twice(longest) / 16 + 1)
        .map(|e| (e * 16, format!("2^{}", power(e))))
        .collect();
    let texts = |list: &[curve::Tick]| list.iter().map(|tick| tick.1.clone()).collect::<Vec<_>>();
    let ticks = [texts(&xs), texts(&ys)];
    let picture = curve::picture(
        "Shortest prompts n that the scheme puts out of reach (n doubly logarithmic)",
        &curve::Axis {
            name: "bits of a digest".to_owned(),
            ticks: xs,
        },
        &curve::Axis {
            name: "n".to_owned(),
            ticks: ys,
        },
        &drawn,
    );
    let data: Vec<Json> = series
        .iter()
        .map(|(name, points)| {
            let points: Vec<Json> = points
                .iter()
                .map(|(bits, (tokens, claim))| json!({"bits": bits.to_string(), "n": tokens.to_string(), "claim": claim}))
                .collect();
            json!({"name": name, "points": points})
        })
        .collect();
    Some(Figure::of(picture, json!({"series": data, "ticks": ticks})))
}
