//! Controls: a checker with one test removed lets a mutant through, so the generator has no hole there.

use crate::base::{Base, bases};
use crate::draft::{Draft, Open};
use crate::python::Checker;
use crate::{Mutant, mutants, python, rust_answer};
use serde_json::Value as Json;

/// Mutants of a kind made by one operator.
fn made_by(kind: &str, operator: &str) -> Vec<Mutant> {
    let bases: Vec<Base> = bases(kind);
    let found: Vec<Mutant> = mutants(kind, &bases)
        .into_iter()
        .filter(|mutant| mutant.operator == operator)
        .collect();
    assert!(!found.is_empty(), "{kind}: no mutant by {operator}");
    found
}

/// The second checker with one line changed.
fn patched(old: &str, new: &str) -> Checker {
    let mut source = python::source();
    let found: usize = source.values().map(|text| text.matches(old).count()).sum();
    assert_eq!(found, 1, "the control does not find `{old}` once");
    for text in source.values_mut() {
        *text = text.replace(old, new);
    }
    source
}

/// How many of the mutants a patched second checker accepts; the right one accepts none.
fn let_through(kind: &str, operator: &str, old: &str, new: &str) -> usize {
    let list = made_by(kind, operator);
    let drafts: Vec<&Draft> = list.iter().map(|mutant| &mutant.draft).collect();
    let accepted = |source: &Checker| {
        python::answers(source, &drafts)
            .iter()
            .filter(|answer| answer.word == "accepted")
            .count()
    };
    assert_eq!(accepted(&python::source()), 0);
    accepted(&patched(old, new))
}

#[test]
fn a_checker_that_ignores_the_seal_lets_another_tool_through() {
    for Mutant { draft, .. } in made_by("cut", "tool-changed") {
        assert_eq!(rust_answer(&draft).code, "seal");
        let json: Json = serde_json::from_slice(&draft.bytes).unwrap();
        let sealed = Open {
            name: draft.name,
            json,
            files: draft.files,
        }
        .reseal();
        assert_eq!(
            rust_answer(&sealed).word,
            "accepted",
            "nothing but the seal covers `tool`"
        );
    }
}

#[test]
fn a_checker_that_takes_equality_for_more_lets_a_family_through() {
    let old = "    if len(members) <= bound:\n";
    assert!(
        let_through(
            "family",
            "member-dropped",
            old,
            "    if len(members) < bound:\n"
        ) > 0
    );
}

#[test]
fn a_checker_that_skips_the_last_range_line_lets_a_record_through() {
    let old = "zip_longest(found, expected), 1):\n        if stored != right:";
    let new = "zip_longest(found, expected), 1):\n        if stored != right and number == 1:";
    assert!(let_through("enumeration", "line-changed", old, new) > 0);
}

#[test]
fn a_checker_that_does_not_compare_views_lets_a_pair_through() {
    let old = "    if views[0] != views[1]:\n        raise";
    let new = "    if False:\n        raise";
    assert!(let_through("pair", "digit-changed", old, new) > 0);
}

#[test]
fn a_checker_that_does_not_look_at_leaves_lets_a_tree_through() {
    let old = "            if any(matrix[i][j] != value for i in rows for j in columns):\n";
    assert!(let_through("tree", "leaf-changed", old, "            if False:\n") > 0);
}

#[test]
fn a_checker_that_does_not_look_at_crossings_lets_a_fooling_set_through() {
    let old = "                if matrix[p][c] == value and matrix[r][q] == value:\n";
    let new = "                if False:\n";
    assert!(let_through("fooling_set", "entry-moved", old, new) > 0);
}

#[test]
fn a_checker_that_tries_no_split_lets_a_table_through() {
    let old = "        for mask in range(2, everything + 1, 2):\n";
    let new = "        for mask in range(2, 2, 2):\n";
    assert!(let_through("exhausted", "level-added", old, new) > 0);
}

#[test]
fn a_checker_that_does_not_look_at_conflicts_lets_a_colouring_through() {
    let old = "        if len({colours[i] for i in pair}) == 1:\n";
    let new = "        if False:\n";
    assert!(let_through("split_colouring", "colour-changed", old, new) > 0);
}
