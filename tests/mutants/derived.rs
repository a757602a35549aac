//! Operators on evidence about derived bounds. *Unique*: every number of such a file but Theta follows from the statement, and Theta
//! enters others.

use crate::Random;
use crate::draft::Open;
use crate::operators::{Codes, Operator, leaves, nudge};
use foolproof::game::structure::Code::{Arithmetic, Bound, Coverage, Domain, Malformed};
use num_bigint::BigUint;
use serde_json::{Value as Json, json};

pub(crate) fn special(kind: &str) -> &'static [Operator] {
    match kind {
        "derive_bound" => &[
            ("number-off-by-one", |open, random| {
                number_off(open, random, "derive_bound")
            }),
            ("row-renamed", |open, random| {
                row_renamed(open, random, "derive_bound")
            }),
            ("flag-flipped", flag_flipped),
            ("method-exchanged", method_exchanged),
            ("option-changed", |open, random| {
                option_changed(open, random, "derive_bound")
            }),
            ("theta-raised-throughout", theta_raised),
            ("cost-changed-in-both", cost_changed),
            ("recurrent-layer-added-in-both", layer_added),
            ("senders-exchanged-in-both", |open, _| {
                word_exchanged(open, "senders", "separate", "merged")
            }),
            ("mode-exchanged-in-both", |open, _| {
                word_exchanged(open, "mode", "refined", "coarse")
            }),
            ("used-above-all", used_above),
            ("product-start-toggled", product_toggled),
            ("step-dropped", step_dropped),
        ],
        "derive_exhausted" => &[
            ("number-off-by-one", |open, random| {
                number_off(open, random, "derive_exhausted")
            }),
            ("number-changed", number_changed),
            ("box-raised", box_raised),
            ("tokens-changed", tokens_changed),
        ],
        "derive_exponent" => &[
            ("size-changed", size_changed),
            ("dual-raised", dual_raised),
            ("dual-negated", dual_negated),
            ("dual-dropped", dual_dropped),
            ("name-unknown", name_unknown),
            ("exponent-changed", exponent_changed),
            ("option-too-large", option_too_large),
        ],
        "derive_uniform" => &[
            ("number-off-by-one", |open, random| {
                number_off(open, random, "derive_uniform")
            }),
            ("coefficient-dropped", coefficient_dropped),
            ("coefficients-swapped", coefficients_swapped),
            ("power-lowered", power_lowered),
        ],
        _ => &[
            ("number-off-by-one", |open, random| {
                number_off(open, random, "derive_game")
            }),
            ("row-renamed", |open, random| {
                row_renamed(open, random, "derive_game")
            }),
            ("option-changed", |open, random| {
                option_changed(open, random, "derive_game")
            }),
            ("game-flag-flipped", game_flag),
            ("number-set", number_set),
        ],
    }
}

const ANY: Codes = &[Arithmetic, Bound, Domain];

fn texts(open: &mut Open, kind: &str) -> Option<Vec<String>> {
    let mut paths = Vec::new();
    let body = open.body(kind)?;
    leaves(body, "", &mut paths);
    paths.retain(|path| {
        let leaf = body.pointer(path).and_then(Json::as_str);
        leaf.is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
    });
    Some(paths)
}

fn number_off(open: &mut Open, random: &mut Random, kind: &str) -> Option<Codes> {
    let paths = texts(open, kind)?;
    let path = random.one(&paths)?;
    nudge(open.body(kind)?.pointer_mut(path)?, random)?;
    Some(ANY)
}

/// A number replaced by another one of random size.
fn number_set(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let paths = texts(open, "derive_game")?;
    let path = random.one(&paths)?;
    let leaf = open.body("derive_game")?.pointer_mut(path)?;
    let bits = random.below(70);
    let number = random.next() >> (63 - bits.min(63));
    let text = if bits > 63 {
        format!("{number}{number}")
    } else {
        number.to_string()
    };
    (*leaf != json!(text)).then(|| {
        *leaf = json!(text);
        ANY
    })
}

fn number_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let key = *random.one(&["below", "points"])?;
    let value = random.next() % 100_000;
    let place = &mut open.body("derive_exhausted")?[key];
    (*place != json!(value.to_string())).then(|| {
        *place = json!(value.to_string());
        &[Arithmetic] as Codes
    })
}

fn row_renamed(open: &mut Open, random: &mut Random, kind: &str) -> Option<Codes> {
    let step = random.one(open.body(kind)?["steps"].as_array()?)?.clone();
    let rows = step["rows"].as_array()?;
    let row = random.below(rows.len());
    let (name, end) = (rows[row]["name"].as_str()?, random.next() % 1000);
    let (at, name) = (
        step["l"].as_str()?.parse::<usize>().ok()? - 1,
        format!("{name} {end}"),
    );
    open.body(kind)?["steps"][at]["rows"][row]["name"] = json!(name);
    Some(&[Arithmetic])
}

fn flip(place: &mut Json) -> Option<()> {
    *place = json!(!place.as_bool()?);
    Some(())
}

fn flag_flipped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("derive_bound")?;
    if random.below(2) == 0 {
        flip(&mut body["trivial"])?;
    } else {
        let count = body["steps"].as_array()?.len();
        flip(&mut body["steps"][random.below(count)]["base"])?;
    }
    Some(&[Arithmetic])
}

fn game_flag(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("derive_game")?;
    let count = body["steps"].as_array()?.len();
    let key = *random.one(&["base", "strict"])?;
    flip(&mut body["steps"][random.below(count)][key])?;
    Some(&[Arithmetic])
}

fn method_exchanged(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let word = *random.one(&["free", "exact-integer", "certified-log", "guessed"])?;
    let body = open.body("derive_bound")?;
    let count = body["steps"].as_array()?.len();
    let place = &mut body["steps"][random.below(count)]["coverage"]["method"];
    (*place != json!(word)).then(|| {
        *place = json!(word);
        &[Arithmetic, Malformed] as Codes
    })
}

fn option_changed(open: &mut Open, random: &mut Random, kind: &str) -> Option<Codes> {
    let q = i64::try_from(random.below(9)).ok()? - 2;
    let place = &mut open.body(kind)?["q"];
    (*place != json!(q)).then(|| {
        *place = json!(q);
        &[Arithmetic, Domain, Malformed] as Codes
    })
}

fn big(json: &Json) -> Option<BigUint> {
    json.as_str()?.parse().ok()
}

/// Theta of the last step raised, and everything that follows from it: only coverage (or the best choice) is violated.
fn theta_raised(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let more = BigUint::from(1 + random.next() % 1000);
    let body = open.body("derive_bound")?;
    let last = body["steps"].as_array()?.len() - 1;
    let used = big(&body["params"]["np"][last])?;
    let shift = |place: &mut Json, by: BigUint| {
        *place = json!((big(place)? + by).to_string());
        Some(())
    };
    shift(&mut body["theta"][last], more.clone())?;
    shift(&mut body["steps"][last]["coverage"]["k"], more.clone())?;
    shift(&mut body["steps"][last]["t_next"], &used * &more)?;
    shift(&mut body["final"]["t"], used * more)?;
    // Theta is the largest in every committed file
    Some(&[Bound])
}

fn cost_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let key = "soft_bits";
    let up = (big(&open.statement()[key])? + 1_u32 + random.next() % 5).to_string();
    open.statement()[key] = json!(up);
    open.body("derive_bound")?["cost"][key] = json!(up);
    Some(ANY)
}

fn layer_added(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let count = open.statement()["linear"].as_array()?.len();
    let e = random.below(count);
    let more = (big(&open.statement()["linear"][e])? + 1_u32 + random.next() % 3).to_string();
    let carries = big(&open.statement()["carry_bits"])? != BigUint::default();
    open.statement()["linear"][e] = json!(more);
    open.body("derive_bound")?["layout"]["passes"][e + 1] = json!(more);
    carries.then_some(ANY)
}

fn word_exchanged(open: &mut Open, key: &str, one: &str, other: &str) -> Option<Codes> {
    let word = if open.statement()[key] == json!(one) {
        other
    } else {
        one
    };
    open.statement()[key] = json!(word);
    open.body("derive_bound")?["cost"][key] = json!(word);
    // with one sender or one table the words mean the same
    let rows = open.body("derive_bound")?["steps"].as_array()?.len();
    (rows > 1).then_some(ANY)
}

fn used_above(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("derive_bound")?;
    let l = random.below(body["params"]["n"].as_array()?.len());
    let above = big(&body["params"]["n"][l])? + 1_u32 + random.next() % 9;
    body["params"]["np"][l] = json!(above.to_string());
    let statement = open.statement();
    if let Some(proved) = statement.get_mut("proved") {
        proved["np"][l] = json!(above.to_string());
    }
    Some(&[Domain])
}

fn product_toggled(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let both = random.below(2) == 0;
    let change = |json: &mut Json| {
        let map = json.as_object_mut()?;
        if map.remove("product_start").is_none() {
            map.insert("product_start".to_owned(), json!(true));
        }
        Some(())
    };
    change(open.body("derive_bound")?)?;
    if both {
        change(open.statement())?;
    }
    Some(ANY)
}

fn step_dropped(open: &mut Open, _: &mut Random) -> Option<Codes> {
    open.body("derive_bound")?["steps"].as_array_mut()?.pop()?;
    Some(&[Arithmetic])
}

/// The box grown past the least point, its numbers right: some point in it closes.
fn box_raised(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let tokens: u64 = open.statement()["tokens_at_most"].as_str()?.parse().ok()?;
    let below = tokens + 2 + random.next() % 6;
    // (m, n_1, n'_1, x_0): n'_1 at most n_1, x_0 at most m
    let points: u64 = (1..below)
        .map(|m| {
            let most = (1..below).filter(|n| 2 + m + m * n < below).count() as u64;
            m * most * (most + 1) / 2
        })
        .sum();
    open.statement()["tokens_at_most"] = json!((below - 1).to_string());
    let body = open.body("derive_exhausted")?;
    body["below"] = json!(below.to_string());
    body["points"] = json!(points.to_string());
    Some(&[Bound])
}

fn tokens_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let tokens = (random.next() % 1_000_000).to_string();
    (open.statement()["tokens_at_most"] != json!(tokens)).then(|| {
        open.statement()["tokens_at_most"] = json!(tokens);
        &[Arithmetic] as Codes
    })
}

/// A numerator or denominator of a rational one up.
fn up(text: &str, random: &mut Random) -> String {
    let (numer, denom) = text.split_once('/').unwrap_or((text, "1"));
    let (numer, denom): (i64, i64) = (numer.parse().unwrap(), denom.parse().unwrap());
    let more = 1 + i64::try_from(random.next() % 5).unwrap();
    let (numer, denom) = (numer + more * denom, denom);
    if denom == 1 {
        numer.to_string()
    } else {
        format!("{numer}/{denom}")
    }
}

/// An entry of the objective raised: the value is above what the duals show.
fn size_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let x = &mut open.body("derive_exponent")?["primal"]["x"];
    let names: Vec<String> = x.as_object()?.keys().cloned().collect();
    let sizes: Vec<&String> = names
        .iter()
        .filter(|name| *name == "M" || name.starts_with("nu_"))
        .collect();
    let name = *random.one(&sizes)?;
    x[name] = json!(up(x[name].as_str()?, random));
    Some(&[Bound])
}

/// A weight of a row with a positive right side raised: above the optimum nothing is feasible.
fn dual_raised(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let duals = &mut open.body("derive_exponent")?["duals"];
    let count = duals.as_array()?.len();
    let y = &mut duals[random.below(count)]["y"];
    let names: Vec<String> = y.as_object()?.keys().cloned().collect();
    let paid: Vec<&String> = names
        .iter()
        .filter(|name| {
            ["soft", "carr", "D_1"]
                .iter()
                .any(|start| name.starts_with(start))
        })
        .collect();
    let name = *random.one(&paid)?;
    y[name] = json!(up(y[name].as_str()?, random));
    Some(&[Bound])
}

fn dual_negated(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let duals = &mut open.body("derive_exponent")?["duals"];
    let count = duals.as_array()?.len();
    let y = &mut duals[random.below(count)]["y"];
    let names: Vec<String> = y.as_object()?.keys().cloned().collect();
    let name = random.one(&names)?;
    y[name] = json!(format!("-{}", y[name].as_str()?));
    Some(&[Bound])
}

fn dual_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let duals = open.body("derive_exponent")?["duals"].as_array_mut()?;
    let (a, b) = (random.below(duals.len()), random.below(duals.len()));
    if a == b {
        duals.remove(a);
    } else {
        let (one, other) = (duals[a]["q"].clone(), duals[b]["q"].clone());
        (duals[a]["q"], duals[b]["q"]) = (other, one);
    }
    Some(&[Coverage])
}

fn name_unknown(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("derive_exponent")?;
    let name = format!(
        "{}_{}",
        random.one(&["X", "Y", "soft", "M"])?,
        70 + random.below(900)
    );
    body["primal"]["x"][name] = json!("1");
    Some(&[Domain])
}

fn exponent_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let exponent = format!("1/{}", 2 + random.next() % 5000);
    (open.statement()["exponent"] != json!(exponent)).then(|| {
        open.statement()["exponent"] = json!(exponent);
        &[Bound] as Codes
    })
}

fn option_too_large(open: &mut Open, random: &mut Random) -> Option<Codes> {
    open.body("derive_exponent")?["primal"]["q"] = json!(65 + random.below(900));
    Some(&[Domain])
}

fn coefficient_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = open.body("derive_uniform")?["polynomial"].as_array_mut()?;
    list.remove(random.below(list.len()));
    Some(&[Arithmetic])
}

fn coefficients_swapped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = open.body("derive_uniform")?["polynomial"].as_array_mut()?;
    let (a, b) = (random.below(list.len()), random.below(list.len()));
    (list[a] != list[b]).then(|| {
        list.swap(a, b);
        &[Arithmetic] as Codes
    })
}

/// The powers of the committed claims are the least that the closed form gives.
fn power_lowered(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let power: u64 = open.statement()["for_every_c"].as_str()?.parse().ok()?;
    let less = 1 + random.next() % power;
    open.statement()["for_every_c"] = json!((power - less).to_string());
    Some(&[Bound])
}
