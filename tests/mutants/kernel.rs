//! Mutants of evidence about kernels and recursions. Each says in a word why it is wrong, as in `operators`.

use crate::Random;
use crate::draft::Open;
use crate::operators::{Codes, Operator};
use foolproof::game::structure::Code::{
    Accepted, Arithmetic, Bound, Coverage, Domain, KindMismatch, Replay, Size,
};
use serde_json::{Value as Json, json};

pub(crate) fn special(kind: &str) -> Option<&'static [Operator]> {
    Some(match kind {
        "kernel" => &[
            ("error-changed", error_changed),
            ("readout-changed", readout_changed),
            ("readout-row-dropped", readout_row_dropped),
            ("readout-entry-dropped", readout_entry_dropped),
            ("query-blinded", query_blinded),
            ("feature-added", feature_added),
            ("key-dropped", key_dropped),
            ("stated-error-lowered", stated_error_lowered),
        ],
        "farkas" => &[
            ("weight-negated", weight_negated),
            ("weight-raised", weight_raised),
            ("input-dropped", input_dropped),
            ("inputs-swapped", inputs_swapped),
            ("token-out-of-range", token_out_of_range),
            ("token-added", token_added),
            ("weights-zero", weights_zero),
        ],
        "code" => &[
            ("rank-changed", |open, random| {
                code_number(open, random, "rank")
            }),
            ("value-changed", |open, random| {
                code_number(open, random, "value")
            }),
            ("inputs-changed", |open, random| {
                code_number(open, random, "inputs")
            }),
            ("ratio-changed", ratio_changed),
            ("preference-dropped", preference_dropped),
            ("preferences-swapped", preferences_swapped),
            ("word-dropped", word_dropped),
            ("word-out-of-range", word_out_of_range),
            ("chain-cut", chain_cut),
            ("method-renamed", method_renamed),
            ("stated-rank-raised", stated_rank_raised),
        ],
        "dual" => &[
            ("weight-negated", |open, random| {
                vector_entry(open, random, "weights")
            }),
            ("value-negated", |open, random| {
                vector_entry(open, random, "primal")
            }),
            ("objective-raised", objective_raised),
            ("name-unknown", name_unknown),
            ("gap-changed", gap_changed),
            ("stated-ratio-changed", stated_ratio_changed),
            ("dual-dropped", dual_dropped),
        ],
        "softmax" => &[
            ("degree-lowered", degree_lowered),
            ("degree-too-large", degree_too_large),
            ("excess-changed", excess_changed),
            ("beta-exchanged", beta_exchanged),
        ],
        "recursion" => &[
            ("answer-changed", answer_changed),
            ("position-out-of-range", position_out_of_range),
            ("symbol-out-of-range", symbol_out_of_range),
            ("input-emptied", input_emptied),
            ("point-out-of-range", point_out_of_range),
            ("hops-right", hops_right),
        ],
        _ => return None,
    })
}

fn array<'a>(json: &'a mut Json, key: &str) -> Option<&'a mut Vec<Json>> {
    json.get_mut(key)?.as_array_mut()
}

fn set_stated(open: &mut Open, key: &str, value: Json) -> Option<()> {
    open.statement()[key] = value;
    open.redigest()
}

/// *Unique*: the largest error is one number.
fn error_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let other = format!(
        "{}/{}",
        2 * random.below(500) + 1,
        2 * random.below(500) + 1002
    );
    let body = open.body("kernel")?;
    let reduced: num_rational::BigRational = other.parse().ok()?;
    let changed = reduced.to_string() != body["error"];
    body["error"] = json!(reduced.to_string());
    changed.then_some(&[Arithmetic])
}

/// *Unique*: an output that far off is an error of its own.
fn readout_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let queries = open
        .statement()
        .get("queries")
        .and_then(Json::as_array)
        .map(Vec::len);
    let rows = array(open.body("kernel")?, "readout")?;
    if queries.is_some_and(|count| count != rows.len()) || rows.is_empty() {
        return None;
    }
    let row = random.below(rows.len());
    // The entry of the query itself, whose kernel value is positive; with listed queries the last token is one.
    let columns = rows[row].as_array()?.len();
    let column = if columns == rows.len() {
        row
    } else {
        columns - 1
    };
    rows[row][column] = json!((1000 + random.below(1000)).to_string());
    Some(&[Arithmetic])
}

/// *Form*.
fn readout_row_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let rows = array(open.body("kernel")?, "readout")?;
    let row = random.below(rows.len().max(1));
    (!rows.is_empty()).then(|| rows.remove(row));
    Some(&[Size])
}

/// *Form*.
fn readout_entry_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let rows = array(open.body("kernel")?, "readout")?;
    let row = random.below(rows.len().max(1));
    rows.get_mut(row)?.as_array_mut()?.pop()?;
    Some(&[Size])
}

/// *Form*: a diagonal value of 0; a kernel that the statement fixes is another one.
fn query_blinded(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let rows = array(open.body("kernel")?, "phi_q")?;
    let row = random.below(rows.len().max(1));
    for entry in rows.get_mut(row)?.as_array_mut()? {
        *entry = json!("0");
    }
    Some(&[Bound, Arithmetic])
}

/// *Form*: one feature more than is allowed, or another kernel.
fn feature_added(open: &mut Open, _: &mut Random) -> Option<Codes> {
    let most: Option<usize> = open
        .statement()
        .get("rank")
        .and_then(|rank| rank.as_str()?.parse().ok());
    let body = open.body("kernel")?;
    let tokens = array(body, "phi_q")?.len();
    let features = array(body, "phi_k")?.len();
    if most.is_some_and(|most| most > features) {
        return None;
    }
    array(body, "phi_k")?.push(json!(vec!["0"; tokens]));
    for row in array(body, "phi_q")? {
        row.as_array_mut()?.push(json!("0"));
    }
    Some(&[Bound, Arithmetic])
}

/// *Form*.
fn key_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let rows = array(open.body("kernel")?, "phi_k")?;
    let row = random.below(rows.len().max(1));
    rows.get_mut(row)?.as_array_mut()?.pop()?;
    Some(&[Size, Arithmetic])
}

/// *Unique*: the stored error is no longer small enough.
fn stated_error_lowered(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let stored: num_rational::BigRational = open.body("kernel")?["error"].as_str()?.parse().ok()?;
    let lower = num_rational::BigRational::new(1.into(), (1000 + random.below(1000)).into());
    let established = json!(open.json["verdict"] == "established");
    let statement = open.statement();
    let applies = statement.get("error").is_some() && statement.get("exists") == Some(&established);
    if stored <= lower || !applies {
        return None;
    }
    set_stated(open, "error", json!(lower.to_string()))?;
    Some(&[Bound])
}

fn weighted<'a>(open: &'a mut Open, random: &mut Random) -> Option<&'a mut Json> {
    let inputs = array(open.body("farkas")?, "inputs")?;
    let at = random.below(inputs.len().max(1));
    let input = inputs.get_mut(at)?;
    let key = if input["upper"] == "0" {
        "lower"
    } else {
        "upper"
    };
    input.get_mut(key)
}

/// *Form*.
fn weight_negated(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let weight = weighted(open, random)?;
    *weight = json!(format!("-{}", weight.as_str()?));
    Some(&[Bound])
}

/// *Unique*: the weights of a smallest refutation are unique up to a common factor.
fn weight_raised(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let more = 1 + random.below(1000);
    let weight = weighted(open, random)?;
    let number: usize = weight.as_str()?.parse().ok()?;
    *weight = json!((number + more).to_string());
    Some(&[Arithmetic])
}

/// *Unique*, as the list is a smallest one.
fn input_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let inputs = array(open.body("farkas")?, "inputs")?;
    let at = random.below(inputs.len().max(1));
    (at < inputs.len()).then(|| inputs.remove(at))?;
    Some(&[Arithmetic])
}

/// *Form*.
fn inputs_swapped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let inputs = array(open.body("farkas")?, "inputs")?;
    let at = random.below(inputs.len().checked_sub(1).filter(|most| *most > 0)?);
    inputs.swap(at, at + 1);
    Some(&[Coverage])
}

/// *Form*.
fn token_out_of_range(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let inputs = array(open.body("farkas")?, "inputs")?;
    let at = random.below(inputs.len().max(1));
    let tokens = array(inputs.get_mut(at)?, "tokens")?;
    let place = random.below(tokens.len());
    tokens[place] = json!((4096 + random.below(1000)).to_string());
    Some(&[Domain])
}

/// *Form*.
fn token_added(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let inputs = array(open.body("farkas")?, "inputs")?;
    let at = random.below(inputs.len().max(1));
    let tokens = array(inputs.get_mut(at)?, "tokens")?;
    let last = tokens.last()?.clone();
    tokens.push(last);
    Some(&[Size])
}

/// *Form*.
fn weights_zero(open: &mut Open, _: &mut Random) -> Option<Codes> {
    for input in array(open.body("farkas")?, "inputs")? {
        input["upper"] = json!("0");
        input["lower"] = json!("0");
    }
    Some(&[Bound])
}

/// *Unique*.
fn code_number(open: &mut Open, random: &mut Random, key: &str) -> Option<Codes> {
    let body = open.body("code")?;
    let other = (1 + random.below(5000)).to_string();
    let changed = body[key] != other;
    body[key] = json!(other);
    changed.then_some(&[Arithmetic])
}

/// *Unique*: the ratio of a chain.
fn ratio_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = array(open.body("code")?, "preferences")?;
    let at = random.below(list.len().max(1));
    let other = (1 + random.below(1000)).to_string();
    let changed = list.get(at)?["ratio"] != other;
    list[at]["ratio"] = json!(other);
    changed.then_some(&[Arithmetic])
}

/// *Form*.
fn preference_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = array(open.body("code")?, "preferences")?;
    let at = random.below(list.len().max(1));
    (at < list.len()).then(|| list.remove(at))?;
    Some(&[Coverage])
}

/// *Form*.
fn preferences_swapped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = array(open.body("code")?, "preferences")?;
    let at = random.below(list.len().checked_sub(1).filter(|most| *most > 0)?);
    let differ = list[at] != list[at + 1];
    list.swap(at, at + 1);
    differ.then_some(&[Coverage])
}

/// *Form*.
fn word_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = array(open.body("code")?, "words")?;
    let at = random.below(list.len().max(1));
    (at < list.len()).then(|| list.remove(at))?;
    Some(&[Size, Coverage])
}

/// *Form*.
fn word_out_of_range(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = array(open.body("code")?, "words")?;
    let at = random.below(list.len().max(1));
    list.get_mut(at)?[0] = json!((1u64 << 40 | random.below(1000) as u64).to_string());
    Some(&[Domain])
}

/// *Form*: a chain without a step ends at another key.
fn chain_cut(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = array(open.body("code")?, "preferences")?;
    let at = random.below(list.len().max(1));
    array(list.get_mut(at)?, "chain")?.truncate(1);
    Some(&[Coverage])
}

/// *Form*: other words, or another value.
fn method_renamed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("code")?;
    let other = *random.one(&["dominance", "trace", "cycle"])?;
    let changed = body["method"] != other;
    body["method"] = json!(other);
    changed.then_some(&[Arithmetic, Size, Bound, Coverage])
}

/// *Unique*: a bound of r says nothing against rank r.
fn stated_rank_raised(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let rank: usize = open.body("code")?["rank"].as_str()?.parse().ok()?;
    set_stated(open, "rank", json!((rank + random.below(1000)).to_string()))?;
    Some(&[Bound])
}

/// *Form*: both vectors are nonnegative.
fn vector_entry(open: &mut Open, random: &mut Random, key: &str) -> Option<Codes> {
    let vector = open.body("dual")?.get_mut(key)?.as_object_mut()?;
    let names: Vec<String> = vector.keys().cloned().collect();
    let name = random.one(&names)?.clone();
    let value = vector[&name].as_str()?.to_owned();
    vector.insert(name, json!(format!("-{value}")));
    Some(&[Bound])
}

/// *Unique*: the two values no longer meet.
fn objective_raised(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let vector = open.body("dual")?.get_mut("primal")?.as_object_mut()?;
    let other = (1000 + random.below(1000)).to_string();
    vector.insert("a 0".to_owned(), json!(other));
    Some(&[Bound])
}

/// *Form*.
fn name_unknown(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let key = *random.one(&["primal", "weights"])?;
    let vector = open.body("dual")?.get_mut(key)?.as_object_mut()?;
    vector.insert(format!("a {}", 100 + random.below(100)), json!("1"));
    Some(&[Domain])
}

/// *Form*: not the gap of the statement at this place.
fn gap_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    open.body("dual")?["gap"] = json!((20 + random.below(1000)).to_string());
    Some(&[Coverage])
}

/// *Unique*.
fn stated_ratio_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    if open.json["verdict"] != "established" {
        return None;
    }
    let mut ratios = open.statement()["ratio"].clone();
    let at = random.below(ratios.as_array()?.len());
    ratios[at] = json!((1000 + random.below(1000)).to_string());
    set_stated(open, "ratio", ratios)?;
    Some(&[Bound])
}

/// *Form*.
fn dual_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = array(&mut open.json, "evidence")?;
    if list.len() < 2 {
        return None;
    }
    let at = random.below(list.len());
    list.remove(at);
    Some(&[KindMismatch])
}

/// *Unique*: e^(beta) is not enclosed well enough by a constant.
fn degree_lowered(open: &mut Open, _: &mut Random) -> Option<Codes> {
    open.body("softmax")?["degree"] = json!("0");
    Some(&[Bound])
}

/// *Form*.
fn degree_too_large(open: &mut Open, random: &mut Random) -> Option<Codes> {
    open.body("softmax")?["degree"] = json!((4097 + random.below(100_000)).to_string());
    Some(&[Domain])
}

/// *Unique*: the first excess that fails; none where it holds.
fn excess_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let other = (3 + random.below(1000)).to_string();
    let body = open.body("softmax")?;
    let codes: Codes = if body.get("excess").is_some() {
        &[Arithmetic]
    } else {
        &[Bound]
    };
    body["excess"] = json!(other);
    Some(codes)
}

/// *Unique*: far on the other side of every threshold.
fn beta_exchanged(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let small = json!(
        num_rational::BigRational::new(1.into(), (10 + random.below(1000)).into()).to_string()
    );
    if open.json["verdict"] != "established" {
        return None;
    }
    set_stated(open, "softmax", small)?;
    Some(&[Bound])
}

/// *Unique*: what the machine says.
fn answer_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("counterexample")?;
    let other = random.below(1000).to_string();
    let changed = body["answer"] != other;
    body["answer"] = json!(other);
    changed.then_some(&[Replay])
}

fn given(open: &mut Open) -> Option<&mut Json> {
    open.body("counterexample")?.get_mut("input")
}

/// *Form*.
fn position_out_of_range(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let choices = [0, 4 + random.below(1000)];
    let other = *random.one(&choices)?;
    given(open)?["position"] = json!([other]);
    Some(&[Domain])
}

/// *Form*.
fn symbol_out_of_range(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let input = array(given(open)?, "input")?;
    let at = random.below(input.len().max(1));
    *input.get_mut(at)? = json!(3 + random.below(1000));
    Some(&[Domain])
}

/// *Form*.
fn input_emptied(open: &mut Open, _: &mut Random) -> Option<Codes> {
    given(open)?["input"] = json!([]);
    Some(&[Domain])
}

/// *Form*.
fn point_out_of_range(open: &mut Open, random: &mut Random) -> Option<Codes> {
    given(open)?["k"] = json!([9 + random.below(1000)]);
    Some(&[Domain])
}

/// *Proved*: the printed recursion does ceil(k/2) hops.
fn hops_right(open: &mut Open, _: &mut Random) -> Option<Codes> {
    if open.json["claim"] != "HOP-1" {
        return None;
    }
    set_stated(open, "hops", json!("(k+1) div 2"))?;
    Some(&[Accepted])
}
