//! Mutants of evidence about matrices, and the definitions that say that they are wrong.

use crate::Random;
use crate::draft::Open;
use crate::naive::list;
use crate::operators::{Codes, Operator};
use foolproof::game::structure::Code::{
    Arithmetic, Bound, Coverage, KindMismatch, NotConstant, Size,
};
use foolproof::matrix::Matrix;
use serde_json::{Value as Json, json};

pub(crate) fn special(kind: &str) -> Option<&'static [Operator]> {
    Some(match kind {
        "tree" => &[
            ("leaf-changed", leaf_changed),
            ("bit-changed", bit_changed),
            ("children-swapped", children_swapped),
            ("child-before", child_before),
            ("node-added", node_added),
            ("index-out-of-range", bit_out_of_range),
            ("number-changed", number_changed),
            ("entry-changed", entry_changed),
        ],
        "fooling_set" => &[
            ("entry-moved", entry_moved),
            ("entry-twice", entry_twice),
            ("set-dropped", |open, random| {
                dropped(open, random, "fooling_set", "sets")
            }),
            ("set-emptied", set_emptied),
            ("number-changed", number_changed),
        ],
        "minor" => &[
            ("row-exchanged", row_exchanged),
            ("row-dropped", row_dropped),
            ("minor-dropped", |open, random| {
                dropped(open, random, "minor", "minors")
            }),
            ("index-out-of-range", minor_out_of_range),
            ("number-changed", number_changed),
        ],
        "exhausted" => &[
            ("level-added", level_added),
            ("rectangle-shrunk", rectangle_shrunk),
            ("rectangle-raised", rectangle_raised),
            ("side-emptied", side_emptied),
            ("index-out-of-range", rectangle_out_of_range),
            ("number-changed", number_changed),
        ],
        "round_exhausted" => &[
            ("depth-changed", depth_changed),
            ("number-changed", number_changed),
        ],
        "depth_histogram" => &[
            ("count-changed", count_changed),
            ("count-dropped", |open, random| {
                dropped(open, random, "depth_histogram", "counts").map(|_| &[Arithmetic] as Codes)
            }),
            ("stated-count-changed", stated_count_changed),
        ],
        _ => return None,
    })
}

fn matrix(open: &mut Open) -> Option<Matrix> {
    let rows = open.statement().get("rows")?.as_array()?.clone();
    Matrix::of_texts(rows.iter().filter_map(Json::as_str)).ok()
}

fn numbers(json: &Json) -> Vec<usize> {
    let items = list(json).iter().filter_map(Json::as_u64);
    items
        .filter_map(|item| usize::try_from(item).ok())
        .collect()
}

/// Whether every input leads to its entry. What else is asked of a tree (that bits vary, that nodes are used) is form.
fn decides(matrix: &Matrix, nodes: &[Json]) -> bool {
    (0..matrix.rows()).all(|row| {
        (0..matrix.columns()).all(|column| {
            let mut at = 0;
            for _ in 0..nodes.len() {
                let Some(node) = nodes.get(at) else {
                    return false;
                };
                if let Some(leaf) = node.get("leaf") {
                    return *leaf == json!(matrix.at(row, column).to_string());
                }
                let (own, ones) = match node.get("alice") {
                    Some(ones) => (row, ones),
                    None => (column, &node["bob"]),
                };
                let bit = usize::from(numbers(ones).contains(&own));
                at = numbers(&node["next"])
                    .get(bit)
                    .copied()
                    .unwrap_or(usize::MAX);
            }
            false
        })
    })
}

fn nodes(open: &mut Open) -> Option<&mut Vec<Json>> {
    open.body("tree")?["nodes"].as_array_mut()
}

fn some_node(open: &mut Open, random: &mut Random, inner: bool) -> Option<usize> {
    let nodes = nodes(open)?;
    let fit: Vec<usize> = (0..nodes.len())
        .filter(|place| nodes[*place].get("leaf").is_none() == inner)
        .collect();
    random.one(&fit).copied()
}

/// *Unique*: the entries of a leaf have one value.
fn leaf_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let place = some_node(open, random, false)?;
    let leaf = &mut nodes(open)?[place]["leaf"];
    let value: u64 = leaf.as_str()?.parse().ok()?;
    *leaf = json!((value + 1 + random.below(3) as u64).to_string());
    Some(&[NotConstant])
}

/// *Naive*: some input is led to another entry.
fn bit_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let matrix = matrix(open)?;
    let place = some_node(open, random, true)?;
    let node = &mut nodes(open)?[place];
    let speaker = if node.get("alice").is_some() {
        "alice"
    } else {
        "bob"
    };
    let side = if speaker == "alice" {
        matrix.rows()
    } else {
        matrix.columns()
    };
    let mut ones = numbers(&node[speaker]);
    let input = random.below(side);
    match ones.binary_search(&input) {
        Ok(at) => drop(ones.remove(at)),
        Err(at) => ones.insert(at, input),
    }
    node[speaker] = json!(ones);
    let nodes = nodes(open)?.clone();
    (!decides(&matrix, &nodes)).then_some(&[NotConstant, Coverage])
}

/// *Naive.*
fn children_swapped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let matrix = matrix(open)?;
    let place = some_node(open, random, true)?;
    nodes(open)?[place]["next"].as_array_mut()?.swap(0, 1);
    let nodes = nodes(open)?.clone();
    (!decides(&matrix, &nodes)).then_some(&[NotConstant, Coverage])
}

/// *Form.*
fn child_before(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let place = some_node(open, random, true)?;
    let child = random.below(2);
    nodes(open)?[place]["next"][child] = json!(random.below(place + 1));
    Some(&[Coverage])
}

/// *Form*: no input reaches it.
fn node_added(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let node = json!({"leaf": random.below(3).to_string()});
    nodes(open)?.push(node);
    Some(&[Coverage])
}

/// *Form.*
fn bit_out_of_range(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let place = some_node(open, random, true)?;
    let node = &mut nodes(open)?[place];
    let speaker = if node.get("alice").is_some() {
        "alice"
    } else {
        "bob"
    };
    node[speaker]
        .as_array_mut()?
        .push(json!(90 + random.below(1_000)));
    Some(&[Coverage])
}

/// *Unique*: the evidence gives D exactly, or a bound that is not met any more.
fn number_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let statement = open.statement();
    let key = *["equals", "at_least", "at_most"]
        .iter()
        .find(|key| statement.get(**key).is_some())?;
    let number: usize = statement[key].as_str()?.parse().ok()?;
    if key != "equals" || open.json["verdict"] != "established" {
        return None;
    }
    let other = random.below(2 * number + 200);
    open.statement()[key] = json!(other.to_string());
    open.redigest()?;
    (other != number).then_some(&[Bound, KindMismatch])
}

/// *Naive*: another matrix, which the tree does not decide.
fn entry_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let mut rows: Vec<String> = list(&open.statement()["rows"])
        .iter()
        .filter_map(|row| row.as_str().map(str::to_owned))
        .collect();
    let row = random.below(rows.len().max(1));
    // In a row with blanks a digit is not an entry.
    let width = rows.first().filter(|row| !row.contains(' '))?.len();
    let column = random.below(width);
    let digit = random.below(4).to_string();
    let changed = digit != rows[row][column..=column];
    rows[row].replace_range(column..=column, &digit);
    open.statement()["rows"] = json!(rows);
    open.redigest()?;
    changed.then_some(&[NotConstant])
}

/// Removes one item of a list that has one for each value. *Form.*
fn dropped(open: &mut Open, random: &mut Random, kind: &str, key: &str) -> Option<Codes> {
    let items = open.body(kind)?[key].as_array_mut()?;
    items.remove(random.below(items.len()));
    Some(&[Size])
}

fn apart(matrix: &Matrix, value: u64, a: &[usize], b: &[usize]) -> bool {
    matrix.at(a[0], b[1]) != value || matrix.at(b[0], a[1]) != value
}

/// *Naive*: the pairs are looked at again.
fn entry_moved(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let matrix = matrix(open)?;
    let sets = open.body("fooling_set")?["sets"].as_array_mut()?;
    let colour = random.below(sets.len());
    let entries = sets[colour].as_array_mut()?;
    let place = random.below(entries.len());
    let moved = [
        random.below(matrix.rows() + 1),
        random.below(matrix.columns() + 1),
    ];
    entries[place] = json!(moved);
    let all: Vec<Vec<usize>> = entries.iter().map(numbers).collect();
    let outside = moved[0] >= matrix.rows() || moved[1] >= matrix.columns();
    let value = *matrix.values().get(colour)?;
    let wrong = outside
        || all.windows(2).any(|pair| pair[0] >= pair[1])
        || all
            .iter()
            .any(|entry| matrix.at(entry[0], entry[1]) != value)
        || (0..all.len()).any(|i| (0..i).any(|j| !apart(&matrix, value, &all[i], &all[j])));
    wrong.then_some(&[Coverage, NotConstant, Bound])
}

/// *Form.*
fn entry_twice(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let sets = open.body("fooling_set")?["sets"].as_array_mut()?;
    let colour = random.below(sets.len());
    let entries = sets[colour].as_array_mut()?;
    let entry = random.one(entries)?.clone();
    let place = random.below(entries.len() + 1);
    entries.insert(place, entry);
    Some(&[Coverage, Bound])
}

/// *Form.*
fn set_emptied(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let sets = open.body("fooling_set")?["sets"].as_array_mut()?;
    let colour = random.below(sets.len());
    sets[colour] = json!([]);
    // A set before it is looked at first.
    Some(&[Size])
}

/// The determinant, without divisions that leave a rest.
fn determinant(mut rows: Vec<Vec<i128>>) -> i128 {
    let (size, mut before, mut sign) = (rows.len(), 1, 1);
    for k in 0..size {
        let Some(pivot) = (k..size).find(|i| rows[*i][k] != 0) else {
            return 0;
        };
        if pivot != k {
            rows.swap(pivot, k);
            sign = -sign;
        }
        for i in k + 1..size {
            for j in k + 1..size {
                rows[i][j] = (rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]) / before;
            }
        }
        before = rows[k][k];
    }
    sign * before
}

/// *Naive*: the determinant is 0, or the rows are not in order.
fn row_exchanged(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let matrix = matrix(open)?;
    let minors = open.body("minor")?["minors"].as_array_mut()?;
    let colour = random.below(minors.len());
    let key = *random.one(&["rows", "columns"])?;
    let side = if key == "rows" {
        matrix.rows()
    } else {
        matrix.columns()
    };
    let indices = minors[colour][key].as_array_mut()?;
    let place = random.below(indices.len());
    indices[place] = json!(random.below(side));
    let (rows, columns) = (
        numbers(&minors[colour]["rows"]),
        numbers(&minors[colour]["columns"]),
    );
    let ordered = [&rows, &columns]
        .iter()
        .all(|list| list.windows(2).all(|pair| pair[0] < pair[1]));
    let value = *matrix.values().get(colour)?;
    let entries = rows
        .iter()
        .map(|row| {
            columns
                .iter()
                .map(|c| i128::from(matrix.at(*row, *c) == value))
                .collect()
        })
        .collect();
    (!ordered || determinant(entries) == 0).then_some(&[Coverage, Bound])
}

/// *Form.*
fn row_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let minors = open.body("minor")?["minors"].as_array_mut()?;
    let colour = random.below(minors.len());
    let indices = minors[colour][*random.one(&["rows", "columns"])?].as_array_mut()?;
    indices.remove(random.below(indices.len()));
    Some(&[Size])
}

/// *Form.*
fn minor_out_of_range(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let minors = open.body("minor")?["minors"].as_array_mut()?;
    let colour = random.below(minors.len());
    let indices = minors[colour][*random.one(&["rows", "columns"])?].as_array_mut()?;
    let last = indices.len() - 1;
    indices[last] = json!(90 + random.below(1_000));
    Some(&[Coverage])
}

/// *Unique*: a deeper bound than D is refuted.
fn level_added(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let levels = open.body("exhausted")?["levels"].as_array_mut()?;
    let place = random.below(levels.len() + 1);
    for _ in 0..=random.below(3) {
        levels.insert(place, json!([]));
    }
    Some(&[Bound])
}

/// D of a rectangle, by the definition.
fn depth(matrix: &Matrix, rows: &[usize], columns: &[usize]) -> usize {
    let value = matrix.at(rows[0], columns[0]);
    if rows
        .iter()
        .all(|i| columns.iter().all(|j| matrix.at(*i, *j) == value))
    {
        return 0;
    }
    let parts = |side: &[usize], of: &dyn Fn(&[usize]) -> usize| {
        (1..1_usize << (side.len() - 1))
            .map(|mask| {
                let half = |wanted: bool| -> Vec<usize> {
                    let chosen = side.iter().enumerate();
                    let chosen = chosen.filter(|(place, _)| (mask >> place & 1 == 1) == wanted);
                    chosen.map(|(_, index)| *index).collect()
                };
                of(&half(true)).max(of(&half(false)))
            })
            .min()
            .unwrap_or(usize::MAX - 1)
    };
    let by_rows = parts(rows, &|rows| depth(matrix, rows, columns));
    let by_columns = parts(columns, &|columns| depth(matrix, rows, columns));
    1 + by_rows.min(by_columns)
}

fn some_rectangle<'a>(open: &'a mut Open, random: &mut Random) -> Option<(usize, &'a mut Json)> {
    let levels = open.body("exhausted")?["levels"].as_array_mut()?;
    let fit: Vec<(usize, usize)> = (0..levels.len())
        .flat_map(|level| (0..list(&levels[level]).len()).map(move |place| (level, place)))
        .collect();
    let (level, place) = *random.one(&fit)?;
    Some((level, &mut levels[level][place]))
}

/// *Naive*: what is left can be decided in so many bits.
fn rectangle_shrunk(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let matrix = matrix(open)?;
    let (level, rectangle) = some_rectangle(open, random)?;
    for _ in 0..=random.below(3) {
        let side = rectangle[random.below(2)].as_array_mut()?;
        if side.len() > 1 {
            side.remove(random.below(side.len()));
        }
    }
    let (rows, columns) = (numbers(&rectangle[0]), numbers(&rectangle[1]));
    (depth(&matrix, &rows, &columns) <= level).then_some(&[Bound])
}

/// *Naive*: it is not hard at a higher level.
fn rectangle_raised(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let matrix = matrix(open)?;
    let (level, rectangle) = some_rectangle(open, random)?;
    let rectangle = rectangle.clone();
    let (rows, columns) = (numbers(&rectangle[0]), numbers(&rectangle[1]));
    let levels = open.body("exhausted")?["levels"].as_array_mut()?;
    let to = level + 1 + random.below(levels.len());
    let place = random.below(list(levels.get(to)?).len() + 1);
    levels.get_mut(to)?.as_array_mut()?.insert(place, rectangle);
    (depth(&matrix, &rows, &columns) <= to).then_some(&[Bound])
}

/// *Form.*
fn side_emptied(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let (_, rectangle) = some_rectangle(open, random)?;
    rectangle[random.below(2)] = json!([]);
    Some(&[Size])
}

/// *Form.*
fn rectangle_out_of_range(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let (_, rectangle) = some_rectangle(open, random)?;
    let side = rectangle[random.below(2)].as_array_mut()?;
    side.push(json!(90 + random.below(1_000)));
    Some(&[Coverage])
}

/// *Unique.*
fn depth_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let depth = &mut open.body("round_exhausted")?["depth"];
    let other = if random.below(8) == 0 {
        json!(null)
    } else {
        json!(random.below(250))
    };
    let changed = *depth != other;
    *depth = other;
    changed.then_some(&[Arithmetic])
}

/// *Unique.*
fn count_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let counts = open.body("depth_histogram")?["counts"].as_array_mut()?;
    let place = random.below(counts.len());
    let count: usize = counts[place].as_str()?.parse().ok()?;
    let other = random.below(2 * count + 9);
    counts[place] = json!(other.to_string());
    (other != count).then_some(&[Arithmetic])
}

/// *Unique*: the counts that are stated are no longer those.
fn stated_count_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    if open.json["verdict"] != "established" {
        return None;
    }
    let counts = open.statement().get_mut("histogram")?.as_array_mut()?;
    let place = random.below(counts.len());
    let count: usize = counts[place].as_str()?.parse().ok()?;
    let other = random.below(2 * count + 9);
    counts[place] = json!(other.to_string());
    open.redigest()?;
    (other != count).then_some(&[Bound])
}
