//! An entry for fuzzers: any bytes, no panic.

use num_bigint::BigInt;

use super::compile::{Mode, compile, constant_within};
use super::inequality::{Holds, compile_holds};
use super::loops::Loop;
use super::names::{Constant, FieldLookup, Names, Shape, SlotLookup};
use super::parse::{canonical, is_label, is_name, parse};
use super::raw_offset::raw_offset;
use super::value::{Limits, Value};

/// Small enough for thousands of runs per second.
const LIMITS: Limits = Limits {
    steps: 2_000,
    bits: 4_096,
};

/// Feeds arbitrary bytes to every entry of the expression language.
///
/// Nothing is returned: the only possible finding is a panic or a run that does not end.
pub fn fuzz(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for offset in 0..=text.len() {
        let _ = raw_offset(&text, offset);
    }
    let _ = (is_name(&text), is_label(&text), canonical(&text));
    let _ = super::braces::parse_braced(&text).map(|braced| braced.fill(&Sample));
    let _ = Loop::parse(&text).map(|found| {
        found
            .points(&Sample, 100)
            .map(|points| points.take(100).count())
    });
    let Ok(tree) = parse(&text) else { return };
    let _ = (tree.names(), constant_within(&tree, &Sample, LIMITS));
    for mode in [Mode::Constant, Mode::Task, Mode::Strategy, Mode::Inequality] {
        if let Ok(program) = compile(&tree, &Sample, mode, LIMITS) {
            let _ = (
                program.cost(),
                program.constant(),
                program.evaluate(&sample_variables(), LIMITS),
            );
        }
    }
    if let Ok(Holds::Truth(program)) = compile_holds(&tree, &Sample, LIMITS) {
        let _ = program.evaluate(&[], LIMITS);
    }
}

/// Names of every kind: constants `c`, `m`, `yes`; inputs `x`, `f`, of A also `z`; a slot; a
/// quantity.
#[derive(Debug)]
pub(super) struct Sample;

/// Values of the variables of [`Sample`].
pub(super) fn sample_variables() -> Vec<Value> {
    let table = [2_i64, 0, 1].map(super::int::Int::from).to_vec();
    vec![
        Value::Integer(1_i64.into()),
        Value::Table(table),
        Value::Integer(5_i64.into()),
    ]
}

impl Names for Sample {
    fn constant(&self, name: &str) -> Option<Constant> {
        match name {
            "c" | "m1" => Some(Constant::Integer(BigInt::from(3))),
            "m" => Some(Constant::Table(vec![BigInt::from(4), BigInt::from(2)])),
            "yes" => Some(Constant::Truth(true)),
            _ => None,
        }
    }

    fn field(&self, player: Option<&str>, name: &str) -> FieldLookup {
        match (player, name) {
            (None | Some("A"), "x") => FieldLookup::Found {
                variable: 0,
                shape: Shape::Integer,
            },
            (None, "f") => FieldLookup::Found {
                variable: 1,
                shape: Shape::Table(3),
            },
            (None, "z") => FieldLookup::Ambiguous {
                players: vec!["A".to_owned(), "C".to_owned()],
            },
            (None, "hidden") => FieldLookup::NotInSight {
                owner: "A".to_owned(),
                sight: "the sight of `soft B->C @1` is B and C".to_owned(),
            },
            (Some("D"), _) => FieldLookup::UnknownPlayer {
                players: vec!["A".to_owned(), "C".to_owned()],
            },
            _ => FieldLookup::Unknown,
        }
    }

    fn quantity(&self, name: &str) -> Option<usize> {
        (name == "N1").then_some(0)
    }

    fn slot(&self, slot: &str) -> SlotLookup {
        match slot {
            "soft A->B @1" => SlotLookup::Symbol { variable: 2 },
            "lin A->B @2" => SlotLookup::Always(BigInt::ZERO),
            _ => SlotLookup::Error(format!("`{slot}` is not in the sight of `soft B->C @1`")),
        }
    }

    fn has(&self, slot: &str) -> Result<Option<usize>, String> {
        Ok((slot == "soft A->B @1").then_some(2))
    }

    fn received(&self, player: Option<&str>) -> Result<Vec<usize>, String> {
        match player {
            None | Some("-1") => Ok(vec![2]),
            Some("A") => Ok(Vec::new()),
            Some(label) => Err(format!("unknown player `{label}`; players are A, -1")),
        }
    }

    fn known(&self) -> Vec<String> {
        ["c", "m1", "m", "yes", "x", "f", "hidden"]
            .map(str::to_owned)
            .to_vec()
    }
}
