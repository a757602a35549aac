//! Resealed mutants: the meaning is changed, digests and seal are right again.
//!
//! An operator gives the codes with which its mutant may be rejected, or nothing when it does not apply or when the mutant
//! might be right. Each says in a word why its mutants are wrong: *unique* (there is one right value, and it was there),
//! *form*, or *naive* (decided by [`crate::naive`]).

use crate::base::Base;
use crate::derived;
use crate::draft::Open;
use crate::naive::{self, Rebuilt, digits, list};
use crate::{Mutant, Random};
use foolproof::evidence::digest;
use foolproof::game::SlotId;
use foolproof::game::structure::Code;
use foolproof::game::structure::Code::{
    Accepted, Alphabet, Arithmetic, Bound, Claim, CommonAnswer, Coverage, Digest, Domain, File,
    Format, KindMismatch, Malformed, NotConstant, NotSeparated, Replay, ScopeMismatch, Seal, Size,
    Trust, UnknownKey, UnknownKind, ViewDiffers,
};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

pub(crate) type Codes = &'static [Code];
pub(crate) type Operator = (&'static str, fn(&mut Open, &mut Random) -> Option<Codes>);

/// Operators for every kind.
const GENERAL: [Operator; 19] = [
    ("verdict-flipped", verdict_flipped),
    ("scope-exchanged", scope_exchanged),
    ("claim-of-another", claim_of_another),
    ("format-zero", format_zero),
    ("trust-added", trust_added),
    ("key-added", key_added),
    ("key-dropped", key_dropped),
    ("evidence-twice", evidence_twice),
    ("evidence-none", evidence_none),
    ("evidence-of-another-kind", evidence_of_another_kind),
    ("evidence-key-added", evidence_key_added),
    ("evidence-key-dropped", evidence_key_dropped),
    ("evidence-unknown", evidence_unknown),
    ("statement-unknown", statement_unknown),
    ("digest-changed", digest_changed),
    ("file-added", file_added),
    ("number-for-text", number_for_text),
    ("spec-changed", spec_changed),
    ("spec-key-added", spec_key_added),
];

fn special(kind: &str) -> &'static [Operator] {
    let of_a_module = crate::kernel::special(kind)
        .or_else(|| crate::matrix::special(kind))
        .or_else(|| crate::reduction::special(kind));
    if let Some(operators) = of_a_module {
        return operators;
    }
    match kind {
        "cut" => &[
            ("pinned-changed", pinned_changed),
            ("pinned-out-of-range", pinned_out_of_range),
            ("pinned-unsorted", pinned_unsorted),
            ("players-changed", players_changed),
            ("after-changed", after_changed),
            ("spec-resealed", cut_spec),
        ],
        "relay" => &[
            ("path-changed", path_changed),
            ("path-pinned", path_pinned),
            ("sides-equal", sides_equal),
            ("digit-out-of-range", relay_digit_out),
            ("digit-changed", relay_digit),
            ("player-dropped", relay_player),
            ("pinned-out-of-range", pinned_out_of_range),
            ("players-changed", relay_players),
            ("after-changed", relay_after),
        ],
        "cuts" => &[
            ("cut-dropped", cut_dropped),
            ("cut-twice", cut_twice),
            ("cuts-swapped", cuts_swapped),
            ("cut-changed", cut_changed),
            ("cut-added", cut_added),
            ("equals-changed", equals_changed),
            ("both-changed", both_changed),
        ],
        "protocol" => &[
            ("symbol-changed", symbol_changed),
            ("symbol-too-large", symbol_too_large),
            ("answer-changed", answer_changed),
            ("answer-too-large", answer_too_large),
            ("table-length", table_length),
            ("answers-length", answers_length),
            ("table-nulled", table_nulled),
            ("tables-number", tables_number),
            ("shared-table-changed", shared_table_changed),
            ("silent-slot-speaks", silent_slot_speaks),
            ("spec-resealed", protocol_spec),
        ],
        "family" => &[
            ("member-twice", |open, random| {
                member_twice(open, random, "family")
            }),
            ("test-dropped", |open, random| {
                test_dropped(open, random, "family")
            }),
            ("member-dropped", family_member_dropped),
            ("bound-off-by-one", bound_off),
            ("digit-changed", |open, random| {
                member_digit(open, random, "family")
            }),
            ("digit-out-of-range", family_digit_out),
            ("side-changed", side_changed),
            ("separators-changed", |open, random| {
                separators_changed(open, random, "family")
            }),
            ("separators-dropped", |open, _| {
                separators_dropped(open, "family")
            }),
            ("symbols-raised", symbols_raised),
            ("player-dropped", family_player),
        ],
        "classes" => &[
            ("member-twice", |open, random| {
                member_twice(open, random, "classes")
            }),
            ("test-dropped", |open, random| {
                test_dropped(open, random, "classes")
            }),
            ("member-dropped", classes_member_dropped),
            ("digit-changed", |open, random| {
                member_digit(open, random, "classes")
            }),
            ("digit-out-of-range", classes_digit_out),
            ("separators-changed", |open, random| {
                separators_changed(open, random, "classes")
            }),
            ("separators-dropped", |open, _| {
                separators_dropped(open, "classes")
            }),
            ("number-changed", number_changed),
            ("symbol-changed", symbol_changed),
            ("answer-changed", answer_changed),
            ("answers-length", answers_length),
        ],
        "colouring" => &[
            ("member-twice", |open, random| {
                member_twice(open, random, "colouring")
            }),
            ("member-dropped", clique_member_dropped),
            ("symbols-off-by-one", clique_symbols),
            ("digit-changed", clique_digit),
            ("digit-out-of-range", clique_digit_out),
            ("symbols-raised", symbols_raised),
        ],
        "counterexample" => &[
            ("answer-changed", stored_answer),
            ("digit-changed", counterexample_digit),
            ("digit-out-of-range", counterexample_digit_out),
            ("player-dropped", counterexample_player),
            ("spec-resealed", counterexample_spec),
        ],
        "pair" => &[
            ("sides-equal", pair_equal),
            ("digit-changed", pair_digit),
            ("digit-out-of-range", pair_digit_out),
            ("player-dropped", pair_player),
            ("spec-resealed", pair_spec),
            ("map-not-shared", pair_map_not_shared),
        ],
        "conflict" => &[
            ("input-dropped", input_dropped),
            ("input-twice", input_twice),
            ("inputs-swapped", inputs_swapped),
            ("digit-changed", conflict_digit),
            ("digit-out-of-range", conflict_digit_out),
            ("spec-resealed", conflict_spec),
        ],
        "decomposition" => crate::decomposition::OPERATORS,
        "enumeration" => &[
            ("total-off", |open, random| {
                enumeration_number(open, random, "total")
            }),
            ("range-off", |open, random| {
                enumeration_number(open, random, "range")
            }),
            ("views-off", views_off),
            ("domain-changed", domain_changed),
            ("search-renamed", search_renamed),
            ("digest-of-result", digest_of_result),
            ("header-changed", header_changed),
            ("line-changed", line_changed),
            ("line-dropped", line_dropped),
            ("line-respaced", line_respaced),
            ("line-twice", line_twice),
            ("lines-swapped", lines_swapped),
            ("file-dropped", file_dropped),
            ("strategy-changed", strategy_changed),
            ("map-not-shared", map_not_shared),
        ],
        "no_protocol" => crate::formulas::NO_PROTOCOL,
        "no_answer" => crate::formulas::NO_ANSWER,
        "ledger" => &[
            ("number-off", ledger_number),
            ("row-dropped", ledger_row_dropped),
            ("row-twice", ledger_row_twice),
            ("letter-changed", ledger_letter),
            ("layout-changed", ledger_layout),
            ("bound-off", ledger_bound),
            ("bits-changed", ledger_bits),
        ],
        "derive_bound" | "derive_exhausted" | "derive_exponent" | "derive_uniform"
        | "derive_game" => derived::special(kind),
        _ => &[
            ("k-off-by-one", k_off),
            ("relation-reversed", relation_reversed),
            ("sides-swapped", sides_swapped),
            ("side-changed", side_number),
            ("cancelled-changed", cancelled_changed),
            ("comparison-dropped", comparison_dropped),
            ("comparisons-swapped", comparisons_swapped),
            ("statement-relation", statement_relation),
            ("holds-empty", holds_empty),
            ("factored-key-dropped", factored_key_dropped),
        ],
    }
}

pub(crate) fn mutant(kind: &str, bases: &[Base], random: &mut Random) -> Option<Mutant> {
    let special = special(kind);
    // Every eighth mutant is unsealed, or of a general operator.
    let (operator, apply) = match random.below(8) {
        0 => *random.one(&GENERAL)?,
        1 => return unsealed(random.one(bases)?, random),
        _ => *random.one(special)?,
    };
    // Some operators apply to few files: the first one from a random place on.
    let start = random.below(bases.len());
    let mut rotated = bases[start..].iter().chain(&bases[..start]);
    rotated.find_map(|base| {
        let mut open = Open::of(base);
        let codes = apply(&mut open, random)?;
        // the statement of a derived bound stands in the digest
        if kind.starts_with("derive_") && open.json["statement"] != base.json["statement"] {
            open.redigest()?;
        }
        Some(Mutant {
            claim: base.claim.clone(),
            operator,
            draft: open.reseal(),
            codes: Some(codes),
        })
    })
}

/// The operators that are special to a kind.
pub(crate) fn names(kind: &str) -> impl Iterator<Item = &'static str> {
    special(kind).iter().map(|(name, _)| *name)
}

/// What only the seal covers. *Unique.*
fn unsealed(base: &Base, random: &mut Random) -> Option<Mutant> {
    let mut open = Open::of(base);
    let key = *random.one(&["seal", "tool"])?;
    let text = open.json[key].as_str()?.to_owned();
    let at = random.below(text.len());
    let other = char::from(b"0123456789abcdef"[random.below(16)]);
    let changed: String = text
        .chars()
        .enumerate()
        .map(|(i, c)| if i == at { other } else { c })
        .collect();
    open.json[key] = json!(changed);
    let operator = if key == "seal" {
        "seal-changed"
    } else {
        "tool-changed"
    };
    (changed != text).then(|| Mutant {
        claim: base.claim.clone(),
        operator,
        draft: open.close(),
        codes: Some(&[Seal]),
    })
}

// ---- general

/// *Form*: the evidence carries the other verdict.
fn verdict_flipped(open: &mut Open, _: &mut Random) -> Option<Codes> {
    let other = if open.json["verdict"] == "established" {
        "refuted"
    } else {
        "established"
    };
    open.json["verdict"] = json!(other);
    Some(&[KindMismatch, Bound])
}

fn scope_exchanged(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let range = json!({"this-range": {"for": *random.one(&["n in 1..2", ""])?}});
    let scopes = [
        json!("this-protocol"),
        json!("every-protocol-of-this-game"),
        json!("this-parameter-point"),
        range,
    ];
    let scope = random.one(&scopes)?.clone();
    (scope != open.json["scope"]).then(|| {
        open.json["scope"] = scope;
        &[ScopeMismatch] as Codes
    })
}

fn claim_of_another(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let own = open.json["claim"].as_str()?;
    let names = [
        "BASE-A0".to_owned(),
        format!("{own}-2"),
        own.to_lowercase(),
        String::new(),
        format!("{own}_"),
    ];
    let name = random.one(&names)?.clone();
    (name != own).then(|| {
        open.json["claim"] = json!(name);
        &[Claim] as Codes
    })
}

fn format_zero(open: &mut Open, random: &mut Random) -> Option<Codes> {
    open.json["format"] = random
        .one(&[
            json!(0),
            json!("1"),
            json!(-1),
            json!(null),
            json!([1]),
            json!(true),
        ])?
        .clone();
    Some(&[Format])
}

fn trust_added(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let entry = *random.one(&[
        "encoding:table-v1",
        "symmetry:symbol-order-v1",
        "paper:hybrid-v1",
        "",
    ])?;
    open.json["trust"] = json!([entry]);
    Some(&[Trust])
}

fn key_added(open: &mut Open, random: &mut Random) -> Option<Codes> {
    open.json[*random.one(&["note", "Claim", "host", ""])?] = json!("1");
    Some(&[UnknownKey])
}

fn key_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let map = open.json.as_object_mut()?;
    let keys: Vec<String> = map.keys().filter(|key| *key != "seal").cloned().collect();
    map.remove(random.one(&keys)?);
    Some(&[Malformed])
}

fn evidence_twice(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let items = open.json["evidence"].as_array_mut()?;
    let item = random.one(items)?.clone();
    items.push(item);
    Some(&[KindMismatch])
}

fn evidence_none(open: &mut Open, random: &mut Random) -> Option<Codes> {
    open.json["evidence"] = random
        .one(&[json!([]), json!({}), json!(null), json!([[]])])?
        .clone();
    Some(&[Malformed])
}

fn evidence_of_another_kind(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let full = json!({"A": [0]});
    let others = [
        json!({"cut": {}}),
        json!({"cuts": {"cuts": [[0]]}}),
        json!({"pair": {"left": full, "right": full}}),
        json!({"counterexample": {"answer": "0", "input": full}}),
        json!({"conflict": {"inputs": []}}),
        json!({"relay": {"left": full, "right": full, "path": []}}),
        json!({"protocol": {"answers": [], "tables": []}}),
        json!({"colouring": {"clique": [], "symbols": "1"}}),
        json!({"classes": {"members": [], "tests": []}}),
        json!({"family": {"bound": "0", "members": [], "side": [], "tests": []}}),
        json!({"comparison": {"left": "1", "relation": "<", "right": "2"}}),
    ];
    let other = random.one(&others)?.clone();
    let open_kind = open.statement_kind();
    let items = open.json["evidence"].as_array_mut()?;
    let at = random.below(items.len());
    let kind = |item: &Json| item.as_object().and_then(|map| map.keys().next().cloned());
    // A claim that is refuted by one of several kinds accepts another of them, and then looks at its content.
    let denies = ["solvable", "unsolvable"].contains(&open_kind.as_str());
    let alike = |name: &str| {
        let denials = ["no_protocol", "no_answer", "enumeration"];
        let several = [
            "pair",
            "counterexample",
            "conflict",
            "family",
            "colouring",
            "derive_game",
        ];
        several.contains(&name) || (denies && denials.contains(&name))
    };
    let (old, new) = (kind(&items[at])?, kind(&other)?);
    if old == new || (alike(&old) && alike(&new)) {
        return None;
    }
    items[at] = other;
    open.files.clear();
    open.relist_files();
    Some(&[KindMismatch])
}

fn evidence_key_added(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let items = open.json["evidence"].as_array_mut()?;
    let at = random.below(items.len());
    let body = items[at].as_object_mut()?.values_mut().next()?;
    body[*random.one(&["note", "seconds", "Left"])?] = json!(1);
    Some(&[UnknownKey])
}

fn evidence_key_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let items = open.json["evidence"].as_array_mut()?;
    let at = random.below(items.len());
    let body = items[at]
        .as_object_mut()?
        .values_mut()
        .next()?
        .as_object_mut()?;
    let keys: Vec<String> = body
        .keys()
        .filter(|key| {
            !["separators", "cancelled", "k", "product_start", "excess"].contains(&key.as_str())
        })
        .cloned()
        .collect();
    body.remove(random.one(&keys)?);
    Some(&[Malformed])
}

fn evidence_unknown(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let items = open.json["evidence"].as_array_mut()?;
    let at = random.below(items.len());
    items[at] = json!({*random.one(&["Pair", "no_such_kind", "kernels", ""])?: {}});
    Some(&[UnknownKind])
}

fn statement_unknown(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.statement().clone();
    open.json["statement"] = json!({*random.one(&["decompose", "proved", "", "Solvable"])?: body});
    Some(&[UnknownKind])
}

fn digest_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    open.json["digest"] = json!(digest::of_bytes(&random.next().to_le_bytes()));
    Some(&[Digest])
}

fn file_added(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let name = *random.one(&["proof.lrat.gz", "formula.cnf", "note", "ranges.jsonl.bak"])?;
    if open.files.contains_key(name) {
        return None;
    }
    open.files
        .insert(name.to_owned(), random.next().to_le_bytes().to_vec());
    if random.below(2) == 0 {
        open.relist_files();
    }
    Some(&[File])
}

/// Somewhere in the evidence a number becomes a text, or the other way round. *Form.* A `summary` is compared as a whole.
fn number_for_text(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let mut paths = Vec::new();
    leaves(&open.json["evidence"], "", &mut paths);
    let path = random.one(&paths)?;
    let leaf = open.json["evidence"].pointer_mut(path)?;
    *leaf = match leaf {
        Json::String(text) => text.parse::<i64>().map_or(json!(7), |number| json!(number)),
        Json::Number(number) => json!(number.to_string()),
        _ => json!({}),
    };
    Some(&[Malformed, Arithmetic])
}

/// Pointers of all texts and numbers.
pub(crate) fn leaves(json: &Json, at: &str, found: &mut Vec<String>) {
    match json {
        Json::String(_) | Json::Number(_) => found.push(at.to_owned()),
        Json::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(i, item)| leaves(item, &format!("{at}/{i}"), found)),
        Json::Object(map) => map.iter().for_each(|(key, item)| {
            let key = key.replace('~', "~0").replace('/', "~1");
            leaves(item, &format!("{at}/{key}"), found);
        }),
        Json::Null | Json::Bool(_) => {}
    }
}

/// A decimal text one up or down.
fn nudged(text: &str, random: &mut Random) -> Option<String> {
    let number: i128 = text.parse().ok()?;
    let up = number == 0 || random.below(2) == 0;
    Some((if up { number + 1 } else { number - 1 }).to_string())
}

pub(crate) fn nudge(json: &mut Json, random: &mut Random) -> Option<()> {
    *json = json!(nudged(json.as_str()?, random)?);
    Some(())
}

/// Changes one number of the spec; `None` if it says the same as before, or is out of reach.
pub(crate) fn change_spec(open: &mut Open, random: &mut Random) -> Option<()> {
    let mut paths = Vec::new();
    leaves(&open.json["spec"], "", &mut paths);
    let path = random.one(&paths)?;
    nudge(open.json["spec"].pointer_mut(path)?, random)
}

/// A number of the spec changed, the digest kept: wrong if the resolved object is another one. *Unique.*
fn spec_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    change_spec(open, random)?;
    match Rebuilt::of(&open.json) {
        Some(rebuilt) if open.json["digest"] == json!(rebuilt.digest) => None,
        _ => Some(&[Digest, Malformed, Coverage]),
    }
}

fn spec_key_added(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let key = *random.one(&["model", "note", "strategies"])?;
    open.json["spec"][key] = json!({});
    Some(&[UnknownKey, Malformed])
}

/// Every `true`ly wrong mutant gets these codes.
fn when(wrong: Option<bool>, codes: Codes) -> Option<Codes> {
    wrong.filter(|wrong| *wrong).map(|_| codes)
}

// ---- flow

fn flow(open: &Open) -> Option<(Rebuilt, Json)> {
    let statement = open.json["statement"].as_object()?.values().next()?.clone();
    Some((Rebuilt::of(&open.json)?, statement))
}

fn is_reached(open: &Open, pinned: &BTreeSet<usize>) -> Option<bool> {
    let (rebuilt, statement) = flow(open)?;
    let player = |key: &str| rebuilt.game().find_player(statement[key].as_str()?);
    let after = usize::try_from(statement["after"].as_u64()?).ok()?;
    (after <= rebuilt.game().rounds()).then(|| {
        Some(naive::reached(
            rebuilt.game(),
            player("of")?,
            player("view")?,
            after,
            pinned,
        ))
    })?
}

fn indices(json: &Json) -> BTreeSet<usize> {
    digits(json)
        .into_iter()
        .map(|index| usize::try_from(index).unwrap())
        .collect()
}

fn slots(open: &Open) -> Option<usize> {
    Some(Rebuilt::of(&open.json)?.game().slots().len())
}

/// *Naive.*
fn pinned_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let count = slots(open)?;
    let mut pinned = indices(&open.statement()["pinned"]);
    for _ in 0..=random.below(3) {
        let slot = random.below(count);
        if !pinned.remove(&slot) {
            pinned.insert(slot);
        }
    }
    open.statement()["pinned"] = json!(pinned);
    when(is_reached(open, &pinned), &[NotConstant])
}

fn pinned_out_of_range(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let beyond = slots(open)? + random.below(50);
    let mut pinned = digits(&open.statement()["pinned"]);
    pinned.push(beyond as u64);
    open.statement()["pinned"] = json!(pinned);
    Some(&[Coverage])
}

fn pinned_unsorted(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let count = slots(open)? as u64;
    let mut pinned = digits(&open.statement()["pinned"]);
    let last = *pinned.last()?;
    pinned.push(random.next() % count.min(last + 1));
    open.statement()["pinned"] = json!(pinned);
    Some(&[Malformed])
}

fn exchange_players(open: &mut Open, random: &mut Random) -> Option<bool> {
    let labels: Vec<String> = Rebuilt::of(&open.json)?
        .game()
        .players()
        .iter()
        .map(|player| player.label.0.clone())
        .collect();
    let unknown = random.below(4) == 0;
    let label = if unknown {
        "nobody".to_owned()
    } else {
        random.one(&labels)?.clone()
    };
    let key = *random.one(&["of", "view"])?;
    open.statement()[key] = json!(label);
    Some(unknown)
}

/// *Naive*, or *form* for a player that does not exist.
fn players_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    if exchange_players(open, random)? {
        return Some(&[Malformed]);
    }
    let pinned = indices(&open.statement()["pinned"]);
    when(is_reached(open, &pinned), &[NotConstant])
}

fn change_after(open: &mut Open, random: &mut Random) -> Option<bool> {
    let rounds = Rebuilt::of(&open.json)?.game().rounds();
    let after = random.below(rounds + 6);
    open.statement()["after"] = json!(after);
    Some(after > rounds)
}

fn after_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    if change_after(open, random)? {
        return Some(&[Malformed]);
    }
    let pinned = indices(&open.statement()["pinned"]);
    when(is_reached(open, &pinned), &[NotConstant])
}

fn cut_spec(open: &mut Open, random: &mut Random) -> Option<Codes> {
    change_spec(open, random)?;
    open.redigest()?;
    let pinned = indices(&open.statement()["pinned"]);
    when(is_reached(open, &pinned), &[NotConstant])
}

/// Whether the relay of the file does not do what it should.
fn relay_fails(open: &Open) -> Option<bool> {
    let (rebuilt, statement) = flow(open)?;
    let body = open.json["evidence"][0].get("relay")?;
    naive::leaks(rebuilt.game(), &statement, body).map(|leaks| !leaks)
}

/// *Naive.*
fn path_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let count = slots(open)?;
    let path = open.body("relay")?["path"].as_array_mut()?;
    match random.below(4) {
        0 if !path.is_empty() => drop(path.remove(random.below(path.len()))),
        1 => path.insert(random.below(path.len() + 1), json!(random.below(count))),
        2 => path.reverse(),
        _ if !path.is_empty() => {
            let at = random.below(path.len());
            path[at] = json!(random.below(count + 3));
        }
        _ => return None,
    }
    let beyond = indices(&open.body("relay")?["path"])
        .iter()
        .any(|slot| *slot >= count);
    if beyond {
        return Some(&[Coverage]);
    }
    when(relay_fails(open), &[Coverage, NotConstant])
}

fn path_pinned(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let path: Vec<usize> = indices(&open.body("relay")?["path"]).into_iter().collect();
    let mut pinned = indices(&open.statement()["pinned"]);
    pinned.insert(*random.one(&path)?);
    open.statement()["pinned"] = json!(pinned);
    Some(&[NotConstant])
}

fn sides_equal(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("relay")?;
    let (from, to) = *random.one(&[("left", "right"), ("right", "left")])?;
    body[to] = body[from].clone();
    Some(&[Domain])
}

/// Changes one digit of a full input below a pointer; out of range if asked for.
pub(crate) fn change_digit(json: &mut Json, random: &mut Random, out: bool) -> Option<()> {
    let labels: Vec<String> = json.as_object()?.keys().cloned().collect();
    let element = json[random.one(&labels)?.as_str()].as_array_mut()?;
    change_in(element, random, out)
}

fn change_in(element: &mut [Json], random: &mut Random, out: bool) -> Option<()> {
    if element.is_empty() {
        return None;
    }
    let at = random.below(element.len());
    let old = element[at].as_u64()?;
    let new = if out {
        40 + random.next() % 1_000
    } else {
        random.next() % 4
    };
    element[at] = json!(new);
    (new != old).then_some(())
}

/// A player dropped, renamed or added.
pub(crate) fn change_players(json: &mut Json, random: &mut Random) -> Option<()> {
    let map = json.as_object_mut()?;
    let labels: Vec<String> = map.keys().cloned().collect();
    let label = random.one(&labels)?;
    match random.below(3) {
        0 => drop(map.remove(label)),
        1 => {
            let element = map.remove(label)?;
            map.insert(format!("{label}x"), element);
        }
        _ => drop(map.insert("Zoe".to_owned(), json!([0]))),
    }
    Some(())
}

fn relay_digit(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let side = *random.one(&["left", "right"])?;
    change_digit(&mut open.body("relay")?[side], random, false)?;
    let game = Rebuilt::of(&open.json)?;
    if naive::full(game.game(), &open.body("relay")?[side]).is_none() {
        return Some(&[Domain]);
    }
    when(relay_fails(open), &[Domain, ViewDiffers])
}

fn relay_digit_out(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let side = *random.one(&["left", "right"])?;
    change_digit(&mut open.body("relay")?[side], random, true)?;
    Some(&[Domain])
}

fn relay_player(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let side = *random.one(&["left", "right"])?;
    change_players(&mut open.body("relay")?[side], random)?;
    Some(&[Domain])
}

fn relay_players(open: &mut Open, random: &mut Random) -> Option<Codes> {
    if exchange_players(open, random)? {
        return Some(&[Malformed]);
    }
    when(relay_fails(open), &[Coverage, Domain, ViewDiffers])
}

fn relay_after(open: &mut Open, random: &mut Random) -> Option<Codes> {
    if change_after(open, random)? {
        return Some(&[Malformed]);
    }
    when(relay_fails(open), &[Coverage])
}

// The list of all minimal cuts is unique, and so is its order.

const LIST: Codes = &[Coverage, Bound, NotConstant];

fn cut_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let cuts = open.body("cuts")?["cuts"].as_array_mut()?;
    (!cuts.is_empty()).then(|| {
        cuts.remove(random.below(cuts.len()));
        &[Coverage] as Codes
    })
}

fn cut_twice(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let cuts = open.body("cuts")?["cuts"].as_array_mut()?;
    let cut = random.one(cuts)?.clone();
    cuts.insert(random.below(cuts.len() + 1), cut);
    Some(&[Coverage])
}

fn cuts_swapped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let cuts = open.body("cuts")?["cuts"].as_array_mut()?;
    let (one, other) = (
        random.below(cuts.len().max(1)),
        random.below(cuts.len().max(1)),
    );
    (one != other).then(|| {
        cuts.swap(one, other);
        &[Coverage] as Codes
    })
}

fn change_cut(cut: &mut Vec<Json>, count: usize, random: &mut Random) -> Option<()> {
    let before = cut.clone();
    match random.below(4) {
        0 if !cut.is_empty() => drop(cut.remove(random.below(cut.len()))),
        1 => cut.insert(random.below(cut.len() + 1), json!(random.below(count))),
        2 => cut.reverse(),
        _ if !cut.is_empty() => {
            let at = random.below(cut.len());
            cut[at] = json!(random.below(count + 4));
        }
        _ => return None,
    }
    (*cut != before).then_some(())
}

fn cut_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let count = slots(open)?;
    let cuts = open.body("cuts")?["cuts"].as_array_mut()?;
    let at = random.below(cuts.len().max(1));
    change_cut(cuts.get_mut(at)?.as_array_mut()?, count, random)?;
    Some(LIST)
}

fn cut_added(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let count = slots(open)?;
    let cut: Vec<usize> = (0..=random.below(3)).map(|_| random.below(count)).collect();
    let cuts = open.body("cuts")?["cuts"].as_array_mut()?;
    cuts.insert(random.below(cuts.len() + 1), json!(cut));
    Some(LIST)
}

fn equals_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let count = slots(open)?;
    let equals = open.statement()["equals"].as_array_mut()?;
    let before = equals.clone();
    if equals.is_empty() || random.below(3) == 0 {
        equals.push(json!([random.below(count)]));
    } else {
        let at = random.below(equals.len());
        change_cut(equals[at].as_array_mut()?, count, random)?;
    }
    let kept = equals.iter().all(|cut| before.contains(cut));
    (!kept).then_some(&[Bound, Malformed, Coverage])
}

fn both_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    cut_added(open, random).or_else(|| cut_changed(open, random))?;
    let cuts = open.body("cuts")?["cuts"].clone();
    open.statement()["equals"] = cuts;
    Some(&[Coverage, Bound, NotConstant, Malformed])
}

// ---- protocols

/// The protocol of the file, and the game it is for.
fn protocol_fails(open: &mut Open) -> Option<bool> {
    let rebuilt = Rebuilt::of(&open.json)?;
    let mut game = rebuilt.game().clone();
    if open.statement_kind() == "count" {
        let members = list(&open.body("classes")?["members"]).len();
        game = foolproof::evidence::statement::one_way_with(&game, &members.into())?;
    }
    naive::solves(&game, rebuilt.task(), open.body("protocol")?).map(|solves| !solves)
}

/// Alphabet of the chosen slot number `place`.
fn alphabet(open: &mut Open, place: usize) -> Option<u64> {
    if open.statement_kind() == "count" {
        return Some(list(&open.body("classes")?["members"]).len() as u64);
    }
    let rebuilt = Rebuilt::of(&open.json)?;
    let slot = rebuilt.game().chosen_slots().nth(place)?;
    u64::try_from(rebuilt.game().alphabet(slot).size().clone()).ok()
}

/// One of the tables that say something.
fn spoken(open: &mut Open, random: &mut Random) -> Option<usize> {
    let tables = list(&open.body("protocol")?["tables"]);
    let full: Vec<usize> = (0..tables.len())
        .filter(|place| !list(&tables[*place]).is_empty())
        .collect();
    random.one(&full).copied()
}

/// *Naive.*
fn symbol_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let place = spoken(open, random)?;
    let size = alphabet(open, place)?;
    let table = open.body("protocol")?["tables"][place].as_array_mut()?;
    let at = random.below(table.len());
    table[at] = json!((random.next() % size).to_string());
    when(protocol_fails(open), &[Accepted, Replay])
}

fn symbol_too_large(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let place = spoken(open, random)?;
    let size = alphabet(open, place)? + random.next() % 3;
    let table = open.body("protocol")?["tables"][place].as_array_mut()?;
    let at = random.below(table.len());
    table[at] = json!(size.to_string());
    Some(&[Alphabet])
}

fn answer_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let answers = Rebuilt::of(&open.json)?.task().answers();
    let list = open.body("protocol")?["answers"].as_array_mut()?;
    let at = random.below(list.len());
    list[at] = json!((random.next() % answers).to_string());
    when(protocol_fails(open), &[Accepted])
}

fn answer_too_large(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let answers = Rebuilt::of(&open.json)?.task().answers();
    let list = open.body("protocol")?["answers"].as_array_mut()?;
    let at = random.below(list.len());
    list[at] = json!((answers + random.next() % 3).to_string());
    Some(&[Alphabet])
}

fn change_length(list: &mut Vec<Json>, random: &mut Random) {
    if random.below(2) == 0 && !list.is_empty() {
        list.remove(random.below(list.len()));
    } else {
        list.insert(random.below(list.len() + 1), json!("0"));
    }
}

fn table_length(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let place = spoken(open, random)?;
    change_length(
        open.body("protocol")?["tables"][place].as_array_mut()?,
        random,
    );
    Some(&[Size])
}

/// In a count another number of answers may be that of another number of symbols.
fn answers_length(open: &mut Open, random: &mut Random) -> Option<Codes> {
    change_length(open.body("protocol")?["answers"].as_array_mut()?, random);
    Some(&[Size, Bound])
}

fn table_nulled(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let place = spoken(open, random)?;
    open.body("protocol")?["tables"][place] = json!(null);
    when(protocol_fails(open), &[Accepted, Replay])
}

fn tables_number(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let tables = open.body("protocol")?["tables"].as_array_mut()?;
    if random.below(2) == 0 && !tables.is_empty() {
        tables.remove(random.below(tables.len()));
    } else {
        tables.insert(random.below(tables.len() + 1), json!(null));
    }
    Some(&[Size])
}

/// Two tables of one shared map differ.
fn shared_table_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let rebuilt = Rebuilt::of(&open.json)?;
    let chosen: Vec<SlotId> = rebuilt.game().chosen_slots().collect();
    let shared = rebuilt.game().shared();
    let place = chosen
        .iter()
        .position(|slot| random.one(shared) == Some(slot))?;
    let size = alphabet(open, place)?;
    let table = open.body("protocol")?["tables"][place].as_array_mut()?;
    let at = random.below(table.len());
    let new = json!((random.next() % size).to_string());
    (shared.len() > 1 && table[at] != new).then(|| {
        table[at] = new;
        &[Replay] as Codes
    })
}

fn silent_slot_speaks(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let rebuilt = Rebuilt::of(&open.json)?;
    let game = rebuilt.game();
    let silent: Vec<usize> = game
        .chosen_slots()
        .enumerate()
        .filter(|(_, slot)| !game.is_open(*slot))
        .map(|(place, _)| place)
        .collect();
    let place = *random.one(&silent)?;
    let count = open.statement_kind() == "count";
    let table = vec!["0"; random.below(9)];
    open.body("protocol")?["tables"][place] = json!(table);
    (!count).then_some(&[Size])
}

/// *Naive.*
fn protocol_spec(open: &mut Open, random: &mut Random) -> Option<Codes> {
    change_spec(open, random)?;
    open.redigest()?;
    when(
        protocol_fails(open),
        &[
            Size,
            Alphabet,
            Accepted,
            Replay,
            Bound,
            Domain,
            NotSeparated,
        ],
    )
}

// ---- counting

/// Members and tests as inputs by label.
fn rows(open: &mut Open, kind: &str) -> Option<(Rebuilt, Vec<Json>, Vec<Json>)> {
    let rebuilt = Rebuilt::of(&open.json)?;
    let body = open.body(kind)?.clone();
    let (mut members, mut tests) = (
        list(&body["members"]).to_vec(),
        list(&body["tests"]).to_vec(),
    );
    if kind == "classes" {
        let labels: Vec<String> = rebuilt
            .game()
            .players()
            .iter()
            .map(|player| player.label.0.clone())
            .collect();
        members = members
            .into_iter()
            .map(|digits| json!({labels[0].as_str(): digits}))
            .collect();
        tests = tests
            .into_iter()
            .map(|digits| json!({labels[1].as_str(): digits}))
            .collect();
    }
    Some((rebuilt, members, tests))
}

fn not_separated(open: &mut Open, kind: &str) -> Option<bool> {
    let (rebuilt, members, tests) = rows(open, kind)?;
    naive::separated(&rebuilt, &members, &tests).map(|separated| !separated)
}

fn members_key(kind: &str) -> &'static str {
    if kind == "colouring" {
        "clique"
    } else {
        "members"
    }
}

/// Members are a set: two equal ones are not separated.
fn member_twice(open: &mut Open, random: &mut Random, kind: &str) -> Option<Codes> {
    let members = open.body(kind)?[members_key(kind)].as_array_mut()?;
    let member = random.one(members)?.clone();
    members.insert(random.below(members.len() + 1), member);
    Some(&[NotSeparated, Coverage])
}

/// *Naive.*
fn test_dropped(open: &mut Open, random: &mut Random, kind: &str) -> Option<Codes> {
    let tests = open.body(kind)?["tests"].as_array_mut()?;
    tests.remove(random.below(tests.len()));
    when(not_separated(open, kind), &[NotSeparated, Coverage])
}

fn family_member_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("family")?;
    let bound: usize = body["bound"].as_str()?.parse().ok()?;
    let members = body["members"].as_array_mut()?;
    while members.len() > bound {
        members.remove(random.below(members.len()));
    }
    Some(&[Bound, Coverage, NotSeparated])
}

fn bound_off(open: &mut Open, random: &mut Random) -> Option<Codes> {
    nudge(&mut open.body("family")?["bound"], random)?;
    Some(&[Bound])
}

/// *Naive.*
fn member_digit(open: &mut Open, random: &mut Random, kind: &str) -> Option<Codes> {
    let key = *random.one(&["members", "tests"])?;
    let entries = open.body(kind)?[key].as_array_mut()?;
    let at = random.below(entries.len());
    if kind == "classes" {
        change_in(entries[at].as_array_mut()?, random, false)?;
    } else {
        change_digit(&mut entries[at], random, false)?;
    }
    when(not_separated(open, kind), &[NotSeparated])
}

fn family_digit_out(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let key = *random.one(&["members", "tests"])?;
    let entries = open.body("family")?[key].as_array_mut()?;
    let at = random.below(entries.len());
    change_digit(&mut entries[at], random, true)?;
    Some(&[Domain])
}

fn family_player(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let key = *random.one(&["members", "tests"])?;
    let entries = open.body("family")?[key].as_array_mut()?;
    let at = random.below(entries.len());
    change_players(&mut entries[at], random)?;
    Some(&[Domain])
}

fn side_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let rebuilt = Rebuilt::of(&open.json)?;
    let output = rebuilt
        .game()
        .player(rebuilt.game().output())
        .label
        .0
        .clone();
    let side = open.body("family")?["side"].as_array_mut()?;
    match random.below(4) {
        0 => side.push(json!("nobody")),
        1 => side.push(json!(output)),
        2 => drop(side.remove(random.below(side.len()))),
        _ => {
            let twice = random.one(side)?.clone();
            side.push(twice);
        }
    }
    Some(&[Domain, Coverage])
}

fn separators_changed(open: &mut Open, random: &mut Random, kind: &str) -> Option<Codes> {
    let (rebuilt, members, tests) = rows(open, kind)?;
    let list = open.body(kind)?.get_mut("separators")?.as_array_mut()?;
    let at = random.below(list.len());
    match random.below(5) {
        0 => drop(list.remove(at)),
        1 => {
            let again = list[at].clone();
            list.push(again);
        }
        2 => list[at][2] = json!(tests.len() + random.below(3)),
        3 => {
            let entry = list[at].as_array_mut()?;
            entry.swap(0, 1);
        }
        _ => {
            let test = random.below(tests.len());
            list[at][2] = json!(test);
            let pair = [0, 1].map(|side| {
                members[usize::try_from(list[at][side].as_u64().unwrap()).unwrap()].clone()
            });
            let separated = naive::separated(&rebuilt, &pair, &tests[test..=test])?;
            return when(Some(!separated), &[NotSeparated]);
        }
    }
    Some(&[Coverage])
}

/// Without separators every test needs exactly one accepted answer, which the committed relations do not have.
fn separators_dropped(open: &mut Open, kind: &str) -> Option<Codes> {
    open.body(kind)?.as_object_mut()?.remove("separators")?;
    Some(&[NotSeparated])
}

/// The message gets more symbols: the bound of a family grows, that of a clique is another one.
fn symbols_raised(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let family = open.json["spec"]["game"]
        .get_mut("family")?
        .as_object_mut()?
        .values_mut()
        .next()?;
    let symbols: u64 = family["symbols"].as_str()?.parse().ok()?;
    family["symbols"] = json!((symbols + 1 + random.next() % 40).to_string());
    open.redigest()?;
    Some(&[Bound])
}

/// The protocol has one symbol per member.
fn classes_member_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let members = open.body("classes")?["members"].as_array_mut()?;
    members.remove(random.below(members.len()));
    Some(&[Bound, Coverage])
}

fn classes_digit_out(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let key = *random.one(&["members", "tests"])?;
    let entries = open.body("classes")?[key].as_array_mut()?;
    let at = random.below(entries.len());
    change_in(entries[at].as_array_mut()?, random, true)?;
    Some(&[Domain])
}

/// The stated number, or what it counts: wrong if it does not agree with the verdict.
fn number_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let states = list(&open.body("classes")?["members"]).len();
    let established = open.json["verdict"] == "established";
    let statement = open.statement();
    let key = *["equals", "at_least", "at_most"]
        .iter()
        .find(|key| statement.get(**key).is_some())?;
    let number = random.below(2 * states + 3);
    let of = *random.one(&["states", "bits"])?;
    let other = *random.one(&["equals", "at_least", "at_most"])?;
    let map = statement.as_object_mut()?;
    map.remove(key);
    map.insert(other.to_owned(), json!(number.to_string()));
    map.insert("of".to_owned(), json!(of));
    let found = if of == "bits" {
        (0..).find(|bits| 1usize << bits >= states)?
    } else {
        states
    };
    let holds = match other {
        "equals" => found == number,
        "at_least" => found >= number,
        _ => found <= number,
    };
    open.redigest()?;
    when(Some(holds != established), &[Bound])
}

fn clique_member_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("colouring")?;
    let symbols: usize = body["symbols"].as_str()?.parse().ok()?;
    let members = body["clique"].as_array_mut()?;
    let left = random.below(symbols + 1);
    while members.len() > left {
        members.remove(random.below(members.len()));
    }
    Some(&[Bound])
}

fn clique_symbols(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let symbols = &mut open.body("colouring")?["symbols"];
    let old: u64 = symbols.as_str()?.parse().ok()?;
    let new = random.next() % 40;
    *symbols = json!(new.to_string());
    when(Some(new != old), &[Bound])
}

/// *Naive.*
fn clique_digit(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let rebuilt = Rebuilt::of(&open.json)?;
    let members = open.body("colouring")?["clique"].as_array_mut()?;
    let at = random.below(members.len());
    change_in(members[at].as_array_mut()?, random, false)?;
    let elements: Vec<Vec<u64>> = members.iter().map(digits).collect();
    let speaker = rebuilt.game().slot(SlotId(0)).from;
    if !rebuilt
        .game()
        .player(speaker)
        .domain
        .contains(&elements[at])
    {
        return Some(&[Domain]);
    }
    let others = (0..elements.len()).filter(|other| *other != at);
    let clashes: Option<Vec<bool>> = others
        .map(|other| naive::clash(&rebuilt, &elements[at], &elements[other]))
        .collect();
    when(Some(!clashes?.iter().all(|clash| *clash)), &[NotSeparated])
}

fn clique_digit_out(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let members = open.body("colouring")?["clique"].as_array_mut()?;
    let at = random.below(members.len());
    change_in(members[at].as_array_mut()?, random, true)?;
    Some(&[Domain])
}

// ---- one protocol

fn stored_answer(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let answer = &mut open.body("counterexample")?["answer"];
    let old = answer.as_str()?.to_owned();
    let new = (random.next() % 60).to_string();
    *answer = json!(new);
    when(Some(new != old), &[Replay])
}

fn counterexample_fails(open: &mut Open) -> Option<bool> {
    let rebuilt = Rebuilt::of(&open.json)?;
    naive::refutes(&rebuilt, open.body("counterexample")?).map(|refutes| !refutes)
}

/// *Naive*, as in the next ones.
fn counterexample_digit(open: &mut Open, random: &mut Random) -> Option<Codes> {
    change_digit(&mut open.body("counterexample")?["input"], random, false)?;
    when(counterexample_fails(open), &[Replay, Accepted])
}

fn counterexample_digit_out(open: &mut Open, random: &mut Random) -> Option<Codes> {
    change_digit(&mut open.body("counterexample")?["input"], random, true)?;
    Some(&[Domain])
}

fn counterexample_player(open: &mut Open, random: &mut Random) -> Option<Codes> {
    change_players(&mut open.body("counterexample")?["input"], random)?;
    Some(&[Domain])
}

fn counterexample_spec(open: &mut Open, random: &mut Random) -> Option<Codes> {
    change_spec(open, random)?;
    open.redigest()?;
    when(counterexample_fails(open), &[Replay, Accepted])
}

fn pair_fails(open: &mut Open) -> Option<bool> {
    let rebuilt = Rebuilt::of(&open.json)?;
    let body = open.body("pair")?;
    naive::conflicts(&rebuilt, &[&body["left"], &body["right"]]).map(|conflicts| !conflicts)
}

/// The committed tasks accept something on every input.
fn pair_equal(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("pair")?;
    let (from, to) = *random.one(&[("left", "right"), ("right", "left")])?;
    body[to] = body[from].clone();
    when(pair_fails(open), &[CommonAnswer])
}

fn pair_digit(open: &mut Open, random: &mut Random) -> Option<Codes> {
    for _ in 0..=random.below(3) {
        let side = *random.one(&["left", "right"])?;
        change_digit(&mut open.body("pair")?[side], random, false)?;
    }
    when(pair_fails(open), &[ViewDiffers, CommonAnswer])
}

fn pair_digit_out(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let side = *random.one(&["left", "right"])?;
    change_digit(&mut open.body("pair")?[side], random, true)?;
    Some(&[Domain])
}

fn pair_player(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let side = *random.one(&["left", "right"])?;
    change_players(&mut open.body("pair")?[side], random)?;
    Some(&[Domain])
}

fn pair_spec(open: &mut Open, random: &mut Random) -> Option<Codes> {
    change_spec(open, random)?;
    open.redigest()?;
    when(pair_fails(open), &[ViewDiffers, CommonAnswer])
}

fn inputs(open: &mut Open) -> Option<&mut Vec<Json>> {
    open.body("conflict")?["inputs"].as_array_mut()
}

/// The committed conflicts are minimal: with one input less the rest have a common answer.
fn input_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let inputs = inputs(open)?;
    for _ in 0..=random.below(2) {
        inputs.remove(random.below(inputs.len()));
    }
    Some(&[Bound, CommonAnswer])
}

fn input_twice(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let inputs = inputs(open)?;
    let twice = random.one(inputs)?.clone();
    inputs.insert(random.below(inputs.len() + 1), twice);
    Some(&[Coverage])
}

fn inputs_swapped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let inputs = inputs(open)?;
    let (one, other) = (random.below(inputs.len()), random.below(inputs.len()));
    inputs.swap(one, other);
    when(Some(one != other), &[Coverage])
}

fn conflict_fails(open: &mut Open) -> Option<bool> {
    let rebuilt = Rebuilt::of(&open.json)?;
    let inputs = inputs(open)?.clone();
    let all: Vec<&Json> = inputs.iter().collect();
    naive::conflicts(&rebuilt, &all).map(|conflicts| !conflicts)
}

fn conflict_digit(open: &mut Open, random: &mut Random) -> Option<Codes> {
    for _ in 0..=random.below(3) {
        let inputs = inputs(open)?;
        let at = random.below(inputs.len());
        change_digit(&mut inputs[at], random, false)?;
    }
    when(conflict_fails(open), &[Coverage, ViewDiffers, CommonAnswer])
}

fn conflict_digit_out(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let inputs = inputs(open)?;
    let at = random.below(inputs.len());
    change_digit(&mut inputs[at], random, true)?;
    Some(&[Domain])
}

fn conflict_spec(open: &mut Open, random: &mut Random) -> Option<Codes> {
    change_spec(open, random)?;
    open.redigest()?;
    when(conflict_fails(open), &[Coverage, ViewDiffers, CommonAnswer])
}

// ---- enumerations: every stored value is unique

fn enumeration_number(open: &mut Open, random: &mut Random, key: &str) -> Option<Codes> {
    let body = open.body("enumeration")?;
    let old: u64 = body[key].as_str()?.parse().ok()?;
    let new = random.next() % 100;
    body[key] = json!(new.to_string());
    when(
        Some(new != old),
        if key == "total" {
            &[Arithmetic]
        } else {
            &[Coverage]
        },
    )
}

fn views_off(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let summary = &mut open.body("enumeration")?["summary"];
    let old = summary.clone();
    *summary = match random.below(4) {
        0 => json!({}),
        1 => json!({"views": random.below(40)}),
        2 => json!({"views": random.below(40).to_string(), "symbols": "3"}),
        _ => json!({"views": random.below(40).to_string()}),
    };
    when(Some(*summary != old), &[Arithmetic])
}

fn domain_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let domain = open.body("enumeration")?["domain"].as_array_mut()?;
    let before = domain.clone();
    let at = random.below(domain.len());
    match random.below(4) {
        0 => drop(domain.remove(at)),
        1 => domain.insert(at, json!(random.below(9).to_string())),
        2 => domain.reverse(),
        _ => domain[at] = json!(random.below(30).to_string()),
    }
    when(Some(*domain != before), &[Coverage])
}

fn search_renamed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let names = ["correct-v2", "inequality-v1", "correct", "", "census-v1"];
    open.body("enumeration")?["search"] = json!(*random.one(&names)?);
    Some(&[Coverage])
}

fn digest_of_result(open: &mut Open, random: &mut Random) -> Option<Codes> {
    open.body("enumeration")?["digest"] = json!(digest::of_bytes(&random.next().to_le_bytes()));
    Some(&[Digest])
}

/// The lines of the record, as JSON without `check`.
fn lines(open: &Open) -> Option<Vec<Json>> {
    let text = String::from_utf8(open.files.get("ranges.jsonl")?.clone()).ok()?;
    text.lines()
        .map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Writes the record back: checks, sizes and digests of the file are right again.
fn write_lines(open: &mut Open, lines: Vec<Json>) {
    let text: String = lines
        .into_iter()
        .map(|mut line| {
            let map = line.as_object_mut().unwrap();
            map.remove("check");
            let digits = digest::of_json(&Json::Object(map.clone()));
            map.insert("check".to_owned(), json!(digits[7..15]));
            line.to_string() + "\n"
        })
        .collect();
    open.files
        .insert("ranges.jsonl".to_owned(), text.into_bytes());
    open.relist_files();
}

fn change_line(line: &mut Json, key: &str, random: &mut Random) {
    line[key] = match key {
        "digest" => json!(digest::of_bytes(&random.next().to_le_bytes())),
        "domain" => json!([random.below(50).to_string()]),
        "format" => json!(2 + random.below(9)),
        "search" => json!("correct-v2"),
        "first" => json!(random.below(50).to_string()),
        _ => json!((1_000_000 + random.below(1_000)).to_string()),
    };
}

fn header_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let mut lines = lines(open)?;
    let key = *random.one(&["digest", "domain", "format", "range", "search", "total"])?;
    change_line(&mut lines[0], key, random);
    write_lines(open, lines);
    Some(&[Coverage])
}

fn line_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let mut lines = lines(open)?;
    let key = *random.one(&["digest", "count", "lo", "hi", "first"])?;
    change_line(&mut lines[1], key, random);
    write_lines(open, lines);
    Some(match key {
        "digest" => &[Digest],
        "count" | "first" => &[Arithmetic],
        _ => &[Coverage],
    })
}

/// The same JSON, spelt otherwise.
fn line_respaced(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let text = String::from_utf8(open.files.get("ranges.jsonl")?.clone()).ok()?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = random.below(2);
    let (from, to) = *random.one(&[(",", ", "), (":", ": "), ("{", "{ "), ("}", "}\r")])?;
    lines[at] = lines[at].replacen(from, to, 1 + random.below(3));
    open.files.insert(
        "ranges.jsonl".to_owned(),
        (lines.join("\n") + "\n").into_bytes(),
    );
    open.relist_files();
    Some(if at == 0 { &[Coverage] } else { &[Digest] })
}

fn line_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let mut lines = lines(open)?;
    lines.remove(random.below(lines.len()));
    write_lines(open, lines);
    Some(&[Coverage])
}

fn line_twice(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let mut lines = lines(open)?;
    let line = random.one(&lines)?.clone();
    lines.insert(random.below(lines.len() + 1), line);
    write_lines(open, lines);
    Some(&[Coverage])
}

fn lines_swapped(open: &mut Open, _: &mut Random) -> Option<Codes> {
    let mut lines = lines(open)?;
    lines.reverse();
    write_lines(open, lines);
    Some(&[Coverage])
}

fn file_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    open.files.clear();
    if random.below(2) == 0 {
        open.relist_files();
    }
    Some(&[File])
}

/// The header of the record, and with it the file, is about another protocol.
fn strategy_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let old = open.json["digest"].clone();
    change_spec(open, random)?;
    open.redigest()?;
    when(
        Some(open.json["digest"] != old),
        &[Accepted, CommonAnswer, Replay, Coverage, Arithmetic, Digest],
    )
}

/// The summaries of a shared map become two maps: the blocks of one player are coded as before, those of another
/// one symbol higher.
fn map_not_shared(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let say =
        open.json["spec"]["strategy"]["strategy"].get_mut("affine")?["say"].as_object_mut()?;
    let rule = say.remove("summary *")?;
    let mut other = rule.clone();
    other["constant"] = json!((1 + 2 * (random.next() % 7)).to_string());
    let pair = *random.one(&[
        ["summary B0->Query", "summary B1->Query"],
        ["summary B1->Query", "summary B0->Query"],
    ])?;
    say.insert(pair[0].to_owned(), rule);
    say.insert(pair[1].to_owned(), other);
    open.redigest()?;
    Some(&[Replay])
}

/// One player always says 0 and the other 1: no map, if both hold the same block in some of the two runs.
fn pair_map_not_shared(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let say =
        open.json["spec"]["strategy"]["strategy"].get_mut("affine")?["say"].as_object_mut()?;
    say.remove("summary *")?;
    for (player, constant) in [
        ("B0", 2 * random.below(20)),
        ("B1", 1 + 2 * random.below(20)),
    ] {
        say.insert(
            format!("summary {player}->Query"),
            json!({"constant": constant.to_string()}),
        );
    }
    open.redigest()?;
    let body = open.body("pair")?;
    let held = |player: &str| [body["left"][player].clone(), body["right"][player].clone()];
    let meet = held("B0").iter().any(|block| held("B1").contains(block));
    when(Some(meet), &[Replay])
}

// ---- ledgers: every number is recomputed

/// *Unique.*
fn ledger_number(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("ledger")?;
    let mut paths = Vec::new();
    leaves(body, "", &mut paths);
    let path = random.one(&paths)?.clone();
    nudge(body.pointer_mut(&path)?, random)?;
    Some(&[Arithmetic])
}

fn ledger_rows(open: &mut Open) -> Option<&mut Vec<Json>> {
    open.body("ledger")?["rows"].as_array_mut()
}

fn ledger_row_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let rows = ledger_rows(open)?;
    rows.remove(random.below(rows.len()));
    Some(&[Size])
}

fn ledger_row_twice(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let rows = ledger_rows(open)?;
    let twice = random.one(rows)?.clone();
    rows.insert(random.below(rows.len() + 1), twice);
    Some(&[Size])
}

/// *Unique.*
fn ledger_letter(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let rows = ledger_rows(open)?;
    let at = random.below(rows.len());
    let new = *random.one(&["F", "R", "P", "", "f"])?;
    let old = rows[at]["letter"].clone();
    rows[at]["letter"] = json!(new);
    when(Some(old != json!(new)), &[Arithmetic])
}

fn ledger_layout(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = open.body("ledger")?;
    let more = *random.one(&["R", "F", " ", "^2"])?;
    body["layout"] = json!(format!("{}{more}", body["layout"].as_str()?));
    Some(&[Arithmetic])
}

/// The digest of a claim that is not about a game.
fn redigest_plain(open: &mut Open) {
    let object = json!({"spec": open.json["spec"], "statement": open.json["statement"]});
    open.json["digest"] = json!(digest::of_json(&object));
}

/// Another number is stated: an established equality is wrong then.
fn ledger_bound(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let established = open.json["verdict"] == json!("established");
    nudge(open.statement().get_mut("equals")?, random)?;
    redigest_plain(open);
    when(Some(established), &[Bound])
}

/// More bits a number: the totals are others, if there is a recurrent number.
fn ledger_bits(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let counted = ledger_rows(open)?
        .iter()
        .any(|row| row["recurrent"] != json!("0"));
    nudge(open.statement().get_mut("recurrent_bits")?, random)?;
    redigest_plain(open);
    when(Some(counted), &[Arithmetic])
}

// ---- comparisons: every stored value is unique

/// One of the comparisons.
fn comparison<'a>(open: &'a mut Open, random: &mut Random) -> Option<&'a mut Json> {
    let items = open.json["evidence"].as_array_mut()?;
    let at = random.below(items.len());
    items[at].get_mut("comparison")
}

fn k_off(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = comparison(open, random)?;
    let old = body.get("k").and_then(Json::as_u64);
    let new = random.next() % 24;
    body["k"] = json!(new);
    when(Some(old != Some(new)), &[Arithmetic])
}

fn relation_reversed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = comparison(open, random)?;
    let new = *random.one(&["<", "=", ">"])?;
    let old = body["relation"].clone();
    body["relation"] = json!(new);
    when(Some(old != json!(new)), &[Arithmetic])
}

fn sides_swapped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let body = comparison(open, random)?;
    let (left, right) = (body["left"].clone(), body["right"].clone());
    body["left"] = right.clone();
    body["right"] = left.clone();
    when(Some(left != right), &[Arithmetic])
}

fn side_number(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let side = *random.one(&["left", "right"])?;
    let body = &mut comparison(open, random)?[side];
    let changed = match body {
        Json::String(_) => change_number(body, random),
        _ => change_pairs(body["pow"].as_array_mut()?, random),
    };
    changed.map(|()| &[Arithmetic] as Codes)
}

fn change_number(number: &mut Json, random: &mut Random) -> Option<()> {
    let text = number.as_str()?.to_owned();
    *number = json!(match random.below(3) {
        0 => format!("{text}/7"),
        1 if !text.starts_with('-') => format!("-{text}"),
        _ => format!("{text}{}", random.below(10)),
    });
    Some(())
}

fn change_pairs(pairs: &mut Vec<Json>, random: &mut Random) -> Option<()> {
    if pairs.is_empty() {
        pairs.push(json!(["2", "1"]));
        return Some(());
    }
    let at = random.below(pairs.len());
    match random.below(4) {
        0 => drop(pairs.remove(at)),
        1 if pairs.len() > 1 => pairs.reverse(),
        2 => pairs.push(json!(["1000003", "1"])),
        _ => change_number(&mut pairs[at][random.below(2)], random)?,
    }
    Some(())
}

fn cancelled_changed(open: &mut Open, random: &mut Random) -> Option<Codes> {
    change_pairs(
        comparison(open, random)?
            .get_mut("cancelled")?
            .as_array_mut()?,
        random,
    )?;
    Some(&[Arithmetic])
}

fn factored_key_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let key = *random.one(&["k", "cancelled"])?;
    comparison(open, random)?.as_object_mut()?.remove(key)?;
    Some(&[Arithmetic])
}

fn comparison_dropped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let items = open.json["evidence"].as_array_mut()?;
    items.remove(random.below(items.len()));
    Some(if items.is_empty() {
        &[Malformed]
    } else {
        &[KindMismatch]
    })
}

fn comparisons_swapped(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let items = open.json["evidence"].as_array_mut()?;
    let (one, other) = (random.below(items.len()), random.below(items.len()));
    let differ = items[one] != items[other];
    items.swap(one, other);
    when(Some(differ), &[Arithmetic])
}

/// An established comparison claimed the other way round fails; a refuted one may then hold.
fn statement_relation(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let established = open.json["verdict"] == "established";
    let holds = open.statement().get_mut("holds")?.as_array_mut()?;
    let at = random.below(holds.len());
    let text = holds[at].as_str()?.to_owned();
    let (sign, opposite) = *[
        (" <= ", " > "),
        (" >= ", " < "),
        (" < ", " >= "),
        (" = ", " != "),
    ]
    .iter()
    .find(|(sign, _)| text.matches(sign).count() == 1)?;
    holds[at] = json!(text.replace(sign, opposite));
    open.redigest()?;
    when(Some(established), &[Bound, Malformed])
}

fn holds_empty(open: &mut Open, random: &mut Random) -> Option<Codes> {
    let holds = open.statement().get_mut("holds")?;
    *holds = random
        .one(&[
            json!([]),
            json!("1 < 2"),
            json!(["1 <"]),
            json!(["1"]),
            json!(["nobody < 2"]),
        ])?
        .clone();
    open.redigest()?;
    Some(&[Malformed])
}
