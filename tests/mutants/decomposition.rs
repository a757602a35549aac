//! Resealed mutants of decompositions. The chain is determined down to ties, so every stored value is *unique*.

use crate::Random;
use crate::draft::Open;
use foolproof::game::structure::Code;
use foolproof::game::structure::Code::{
    Arithmetic, Bound, CommonAnswer, Coverage, Domain, NotConstant, Reach, Replay, Size,
    ViewDiffers,
};
use serde_json::{Value as Json, json};

type Codes = &'static [Code];
type Operator = (&'static str, fn(&mut Open, &mut Random) -> Option<Codes>);

pub(crate) const OPERATORS: &[Operator] = &[
    ("element-added", element_added),
    ("element-dropped", element_dropped),
    ("element-out-of-range", element_out),
    ("rule-changed", rule_changed),
    ("z-changed", z_changed),
    ("z-out-of-range", z_out),
    ("z-twice", z_twice),
    ("size-off-by-one", size_off),
    ("loss-changed", loss_changed),
    ("reach-off-by-one", reach_off),
    ("allowed-changed", allowed_changed),
    ("symbol-changed", symbol_changed),
    ("slot-dropped", slot_dropped),
    ("slot-exchanged", slot_exchanged),
    ("level-dropped", level_dropped),
    ("count-off-by-one", count_off),
    ("fires-flipped", fires_flipped),
    ("leak-changed", leak_changed),
    ("pair-dropped", pair_dropped),
    ("pair-digit", pair_digit),
    ("pair-equal", pair_equal),
    ("pair-not-final", pair_not_final),
    ("mode-exchanged", mode_exchanged),
    ("tie-exchanged", tie_exchanged),
    ("x-changed", x_changed),
    ("threshold-moved", threshold_moved),
    ("rectangle-changed", rectangle_changed),
];

fn body(open: &mut Open) -> Option<&mut Json> {
    open.body("decomposition")
}

/// Some level.
fn level<'a>(open: &'a mut Open, random: &mut Random) -> Option<&'a mut Json> {
    let levels = body(open)?["levels"].as_array_mut()?;
    let at = random.below(levels.len());
    levels.get_mut(at)
}

/// Another number in a decimal string.
fn moved(value: &mut Json, random: &mut Random) -> Option<()> {
    let old: u64 = value.as_str()?.parse().ok()?;
    let new = if random.below(2) == 0 {
        old + 1
    } else {
        old.checked_sub(1)?
    };
    *value = json!(new.to_string());
    Some(())
}

fn one_of<'a>(list: &'a mut Json, random: &mut Random) -> Option<&'a mut Json> {
    let list = list.as_array_mut()?;
    if list.is_empty() {
        return None;
    }
    let at = random.below(list.len());
    list.get_mut(at)
}

fn element_added(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let level = level(open, random)?;
    let total = level["sizes"][0].as_str()?.parse::<u64>().ok()?;
    let list = level["r"]["list"].as_array_mut()?;
    let new = random.next() % total;
    let mut numbers: Vec<u64> = list
        .iter()
        .filter_map(|item| item.as_str()?.parse().ok())
        .collect();
    if numbers.contains(&new) {
        return None;
    }
    numbers.push(new);
    numbers.sort_unstable();
    *list = numbers
        .iter()
        .map(|number| json!(number.to_string()))
        .collect();
    Some(&[NotConstant, Coverage])
}

fn element_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = level(open, random)?["r"]["list"].as_array_mut()?;
    let at = random.below(list.len());
    list.remove(at);
    Some(&[Coverage])
}

fn element_out(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = level(open, random)?["r"]["list"].as_array_mut()?;
    list.push(json!(
        (1_000_000_000 + random.next() % 1_000_000).to_string()
    ));
    Some(&[Domain])
}

/// A place, a value or an equation of a symbolic R.
fn rule_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let set = &mut level(open, random)?["r"];
    if set.get("product").is_some() {
        let row = one_of(&mut set["product"], random)?;
        if random.below(2) == 0 {
            moved(&mut row[0], random)?;
        } else {
            moved(one_of(&mut row[1], random)?, random)?;
        }
    } else if set.get("affine").is_some() {
        let affine = &mut set["affine"];
        if random.below(4) == 0 {
            moved(&mut affine["modulus"], random)?;
        } else {
            let equation = one_of(&mut affine["equations"], random)?;
            if random.below(2) == 0 {
                moved(&mut equation["value"], random)?;
            } else {
                let term = one_of(&mut equation["terms"], random)?;
                moved(one_of(term, random)?, random)?;
            }
        }
    } else {
        return None;
    }
    Some(&[Coverage])
}

/// A digit of some element of some Z_j.
fn z_digit<'a>(open: &'a mut Open, random: &mut Random) -> Option<&'a mut Json> {
    let sets = level(open, random)?["z"].as_object_mut()?;
    let labels: Vec<String> = sets.keys().cloned().collect();
    let label = random.one(&labels)?;
    let element = one_of(sets.get_mut(label)?, random)?;
    one_of(element, random)
}

fn z_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let digit = z_digit(open, random)?;
    let old = digit.as_u64()?;
    let new = random.next() % 4;
    *digit = json!(new);
    (new != old).then_some(&[Domain, NotConstant, Coverage])
}

fn z_out(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let digit = z_digit(open, random)?;
    *digit = json!(1_000 + random.below(1_000_000));
    Some(&[Domain])
}

fn z_twice(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let sets = level(open, random)?["z"].as_object_mut()?;
    let labels: Vec<String> = sets.keys().cloned().collect();
    let list = sets.get_mut(random.one(&labels)?)?.as_array_mut()?;
    let again = random.one(list)?.clone();
    list.push(again);
    Some(&[Coverage])
}

fn size_off(open: &mut Open, random: &mut Random) -> Option<Codes> {
    if random.below(4) == 0 {
        let key = *random.one(&["classes", "size"])?;
        moved(&mut body(open)?["pattern"][key], random)?;
        return Some(&[Size]);
    }
    let which = random.below(3);
    let level = level(open, random)?;
    match which {
        0 => moved(one_of(&mut level["sizes"], random)?, random)?,
        1 => moved(one_of(&mut level["classes"], random)?, random)?,
        _ => {
            let key = *random.one(&["classes", "largest"])?;
            moved(&mut level["joint"][key], random)?;
        }
    }
    Some(&[Size])
}

fn loss_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let loss = &mut level(open, random)?["loss"];
    let old = loss.as_str()?.to_owned();
    let new = format!("{}", 1 + random.below(5_000));
    *loss = json!(new);
    (new != old).then_some(&[Size])
}

fn reach_off(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let level = level(open, random)?;
    if random.below(2) == 0 {
        moved(&mut level["reach"], random)?;
    } else {
        level["wanted"] = json!(format!("1/{}", 5 + 2 * random.below(500)));
    }
    Some(&[Reach])
}

fn allowed_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let exponent = &mut level(open, random)?["allowed"]["pow"][0][1];
    moved(exponent, random)?;
    Some(&[Arithmetic])
}

fn symbol_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let entry = one_of(&mut level(open, random)?["fixed"], random)?;
    moved(one_of(&mut entry["key"], random)?, random)?;
    Some(&[NotConstant])
}

fn slot_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = level(open, random)?["fixed"].as_array_mut()?;
    if list.is_empty() {
        return None;
    }
    let at = random.below(list.len());
    list.remove(at);
    Some(&[Coverage, NotConstant])
}

fn slot_exchanged(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let entry = one_of(&mut level(open, random)?["fixed"], random)?;
    let old = entry["slot"].as_u64()?;
    let new = random.next() % 30;
    entry["slot"] = json!(new);
    (new != old).then_some(&[Coverage, NotConstant])
}

fn level_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let list = body(open)?["levels"].as_array_mut()?;
    let at = random.below(list.len());
    list.remove(at);
    Some(&[Coverage])
}

fn count_off(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let key = *random.one(&["addresses", "entries", "values"])?;
    moved(&mut body(open)?["count"][key], random)?;
    Some(&[Bound])
}

fn fires_flipped(open: &mut Open, _: &mut Random) -> Option<Codes> {
    let fires = &mut body(open)?["count"]["fires"];
    *fires = json!(!fires.as_bool()?);
    Some(&[Bound])
}

fn leak_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let leak = body(open)?["leak"].as_array_mut()?;
    if leak.is_empty() || random.below(2) == 0 {
        leak.push(json!(random.below(40)));
    } else {
        leak.clear();
    }
    Some(&[Coverage])
}

fn pair(open: &mut Open) -> Option<&mut Json> {
    Some(&mut body(open)?["pair"]).filter(|pair| !pair.is_null())
}

fn pair_dropped(open: &mut Open, _: &mut Random) -> Option<Codes> {
    *pair(open)? = Json::Null;
    Some(&[Coverage])
}

fn pair_digit(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let side = *random.one(&["left", "right"])?;
    let inputs = pair(open)?[side].as_object_mut()?;
    let labels: Vec<String> = inputs.keys().cloned().collect();
    let digits = inputs.get_mut(random.one(&labels)?)?;
    let digit = one_of(digits, random)?;
    let old = digit.as_u64()?;
    let new = random.next() % 5;
    *digit = json!(new);
    (new != old).then_some(&[Domain, ViewDiffers, CommonAnswer, Coverage])
}

fn pair_equal(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let pair = pair(open)?;
    let (from, to) = *random.one(&[("left", "right"), ("right", "left")])?;
    pair[to] = pair[from].clone();
    Some(&[CommonAnswer, Coverage])
}

fn pair_not_final(open: &mut Open, _: &mut Random) -> Option<Codes> {
    let last = &mut pair(open)?["final"];
    *last = json!(!last.as_bool()?);
    Some(&[Coverage, ViewDiffers])
}

fn mode_exchanged(open: &mut Open, _: &mut Random) -> Option<Codes> {
    let mode = &mut body(open)?["mode"];
    *mode = json!(if *mode == "replay" {
        "symbolic"
    } else {
        "replay"
    });
    Some(&[Coverage, Replay])
}

fn tie_exchanged(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let exchange = |tie: &mut Json| {
        *tie = json!(if *tie == "least" { "greatest" } else { "least" });
    };
    if random.below(2) == 0 {
        exchange(&mut body(open)?["tie"]);
    } else {
        exchange(&mut open.statement()["tie"]);
    }
    Some(&[Coverage])
}

fn x_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let evidence = random.below(2) == 0;
    let x = if evidence {
        &mut body(open)?["x"]
    } else {
        &mut open.statement()["x"]
    };
    let size = one_of(x, random)?;
    let old: u64 = size.as_str()?.parse().ok()?;
    *size = json!((old + 1 + random.next() % 9).to_string());
    Some(&[Coverage])
}

/// A comparison that holds is moved to one that does not, or the other way round.
fn threshold_moved(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let established = open.json["verdict"] == "established";
    let size = body(open)?["levels"][0]["sizes"]
        .as_array()?
        .last()?
        .clone();
    let size: u64 = size.as_str()?.parse().ok()?;
    let more = size + 1 + random.next() % 50;
    if !established {
        open.statement()["holds"] = json!([format!("R2 < {more}")]);
        return Some(&[Bound]);
    }
    let texts = [
        format!("R2 = {more}"),
        format!("R2 > {size}"),
        format!("loss2 * {size} < R2"),
        "fires and not fires".to_owned(),
    ];
    let text = random.one(&texts)?;
    one_of(&mut open.statement()["holds"], random)?.clone_from(&json!(text));
    // `loss2 * size` is |A_L|..|A_2|, never below R2.
    Some(&[Bound])
}

fn rectangle_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let levels = body(open)?["levels"].as_array_mut()?;
    let level = levels
        .iter_mut()
        .find(|level| level.get("rectangle").is_some())?;
    let rectangle = &mut level["rectangle"];
    if random.below(3) == 0 {
        rectangle["exhaustive"] = json!(!rectangle["exhaustive"].as_bool()?);
    } else {
        let key = *random.one(&["left", "right"])?;
        moved(&mut rectangle[key], random)?;
    }
    Some(&[Size])
}
