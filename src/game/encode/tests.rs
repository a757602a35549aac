//! The golden values of the format page.

use super::*;
use crate::game::structure::fixtures::{cycle, eva, hybrid, sparse, toy};
use crate::game::task::membership::Membership;
use crate::game::{Game, Inputs, Task};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

fn formula(game: &Game, task: &dyn Task, symmetry: bool) -> Formula {
    let all: Vec<Inputs> = Inputs::all(game).collect();
    Encoding::of(game)
        .formula(game, task, &all, symmetry)
        .unwrap()
}

/// Variables, clauses, further clauses with symmetry.
fn sizes(game: &Game, task: &dyn Task) -> (i32, usize, usize) {
    let plain = formula(game, task, false).cnf;
    let ordered = formula(game, task, true).cnf;
    assert_eq!(plain.variables(), ordered.variables());
    assert!(ordered.clauses().zip(plain.clauses()).all(|(a, b)| a == b));
    assert!(
        ordered
            .clauses()
            .skip(plain.len())
            .all(|clause| clause.len() == 1)
    );
    (plain.variables(), plain.len(), ordered.len() - plain.len())
}

fn sha256(cnf: &Cnf) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(cnf.to_bytes()) {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

#[test]
fn golden_toys() {
    let golden = [
        ("FF", (6, 16, 1)),
        ("FFR", (14, 40, 3)),
        ("FFRR", (22, 80, 4)),
        ("RFF", (17, 48, 3)),
        ("FRF", (26, 72, 4)),
    ];
    for (word, expected) in golden {
        let (game, task) = toy(word);
        assert_eq!(sizes(&game, &task), expected, "{word}");
    }
}

#[test]
fn golden_bytes() {
    let (game, task) = toy("FF");
    let plain = formula(&game, &task, false).cnf;
    let text = String::from_utf8(plain.to_bytes()).unwrap();
    assert!(
        text.starts_with("p cnf 6 16\n1 -5 0\n-1 -6 0\n1 -5 0\n"),
        "{text}"
    );
    assert_eq!(
        sha256(&plain),
        "79aa2332662dbb1f4f9c9d4a939c689b382ae92da1bcea00ddf8ccb234f6569c"
    );
    let ordered = formula(&game, &task, true).cnf;
    let text = String::from_utf8(ordered.to_bytes()).unwrap();
    assert!(
        text.starts_with("p cnf 6 17\n") && text.ends_with("\n-1 0\n"),
        "{text}"
    );
    assert_eq!(
        sha256(&ordered),
        "456b7da9a7e1f845f9ebc3a6b671537faa2f388751431cc4802748acf686cdf1"
    );
    let (game, task) = toy("FRF");
    assert_eq!(
        sha256(&formula(&game, &task, false).cnf),
        "7fc8a2345c14d177a8ca41f50d7e7fff16b743d375acd76326bee79c774c3aac"
    );
}

/// Two steps, D0 = 2, m = [2, 2]; soft edges `s`, linear edges `t`.
fn uniform(n: u64, word: &str, s: u64, t: u64) -> (Game, impl Task) {
    let soft: Vec<(i64, i64, u64)> = (0..=2)
        .flat_map(|from: i64| (-1..from).map(move |to| (from, to, s)))
        .collect();
    let linear: Vec<(i64, i64, u64)> = (0..=2).map(|from| (from, from - 1, t)).collect();
    hybrid(2, &[2, 2], &[n], word, &soft, &linear)
}

#[test]
fn golden_uniform() {
    let golden = [
        (1, "F", 2, 1, (18, 256, 3)),
        (1, "F", 3, 1, (57, 904, 9)),
        (1, "FR", 2, 2, (142, 1152, 14)),
        (2, "FR", 2, 2, (420, 6656, 17)),
        (2, "FR", 2, 3, (964, 12928, 23)),
    ];
    for (n, word, s, t, expected) in golden {
        let (game, task) = uniform(n, word, s, t);
        assert_eq!(sizes(&game, &task), expected, "{n} {word} {s} {t}");
    }
}

#[test]
fn golden_one_way() {
    let file = crate::exact::Form::Table { len: 3, values: 2 };
    let table = crate::exact::Domain::single("f", file).unwrap();
    let point = crate::exact::Domain::single("x", crate::exact::Form::Number(3)).unwrap();
    let seven = crate::exact::Alphabet::new(7u32.into()).unwrap();
    let game = crate::game::family::one_way::game(seven, table, point).unwrap();
    let index = crate::game::structure::fixtures::ByRule(2, |x| {
        crate::game::Accepted::One(x.0[0][usize::try_from(x.0[1][0]).unwrap()])
    });
    assert_eq!(sizes(&game, &index), (77, 344, 21));
}

#[test]
fn promises_leave_clauses_out() {
    let (game, task) = cycle(5, 3);
    let found = formula(&game, &task, false);
    let lengths: Vec<usize> = found
        .acceptance
        .iter()
        .map(ExactSizeIterator::len)
        .collect();
    // One clause per symbol where the promise holds, none elsewhere.
    assert_eq!(lengths.iter().filter(|len| **len == 3).count(), 10);
    assert_eq!(lengths.iter().filter(|len| **len == 0).count(), 15);
}

#[test]
fn refusals_name_the_reason() {
    let game = sparse(2, 2, 2, 1, 3, true);
    let task = Membership;
    let all: Vec<Inputs> = Inputs::all(&game).collect();
    let refused = Encoding::TableV1.formula(&game, &task, &all, false).unwrap_err();
    assert!(matches!(
        refused,
        EncodeError::Shared(_) | EncodeError::NotChosen(_)
    ));
    let (game, task) = eva(2, 3);
    let twice = [Inputs::first(&game), Inputs::first(&game)];
    assert_eq!(
        Encoding::TableV1.formula(&game, &task, &twice, false).unwrap_err(),
        EncodeError::Unsorted(1)
    );
    let (game, task) = eva(2, 1 << 30);
    let all: Vec<Inputs> = Inputs::all(&game).collect();
    let refused = Encoding::TableV1.formula(&game, &task, &all, false).unwrap_err();
    assert!(matches!(refused, EncodeError::TooLarge { .. }), "{refused}");
}
