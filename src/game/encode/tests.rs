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
    let refused = Encoding::TableV1
        .formula(&game, &task, &all, false)
        .unwrap_err();
    assert!(matches!(
        refused,
        EncodeError::Shared(_) | EncodeError::NotChosen(_)
    ));
    let (game, task) = eva(2, 3);
    let twice = [Inputs::first(&game), Inputs::first(&game)];
    assert_eq!(
        Encoding::TableV1
            .formula(&game, &task, &twice, false)
            .unwrap_err(),
        EncodeError::Unsorted(1)
    );
    let (game, task) = eva(2, 1 << 30);
    let all: Vec<Inputs> = Inputs::all(&game).collect();
    let refused = Encoding::TableV1
        .formula(&game, &task, &all, false)
        .unwrap_err();
    assert!(matches!(refused, EncodeError::TooLarge { .. }), "{refused}");
}

/// Sparse games: shared maps, maps of their own, two heads. The digests were computed by the second checker.
#[test]
fn golden_copies() {
    use crate::game::family::sparse::Sparse;
    let game = |(values, block, blocks, symbols, heads, shared_map)| {
        let sparse = Sparse {
            blocks,
            block,
            values,
            read: 1,
            heads,
            symbols: crate::game::structure::fixtures::alphabet(symbols),
            shared_map,
        };
        sparse.game().unwrap()
    };
    let golden = [
        (
            (2, 2, 2, 2, 1, true),
            (108, 512, 1),
            "35c3ea7fd482b888154b2595dada4fb931b6847a4a8e368de9f0e10286ad9e3a",
            "0da02d77fdbb074d9aa3b29acc91ac1260d4e80cb8e045f83df8f854c8f93dda",
        ),
        (
            (3, 1, 3, 2, 1, true),
            (534, 4308, 1),
            "40b9f33cd13f4706751f9f848c5c0b825d1f753e5baefb2f899a339259be6a0b",
            "add67d679181a1ddec0881ee9360755ee7ceb7097d51748dbcb30e6c0a412b24",
        ),
        (
            (2, 2, 2, 2, 1, false),
            (112, 512, 2),
            "7fa9d918a57bce8c0ee5dc5d10c29b3241d35e8b0f32749146bc32b195bb1f89",
            "b27d04615d603624488857fe3dfad6f141c105ace1c82a8944f3c1af559bd727",
        ),
        (
            (2, 1, 3, 2, 2, true),
            (674, 2176, 1),
            "20f1877baa777684837071707535c3ce65d7d3cc3a74d0d09f38e9aad7d54775",
            "d4a405eff4f2ba81b21b2f021839351b9c1e39f32c6478e2ff152a17cd3e2e8c",
        ),
    ];
    for (parameters, expected, plain, ordered) in golden {
        let game = game(parameters);
        assert_eq!(sizes(&game, &Membership), expected, "{parameters:?}");
        assert_eq!(sha256(&formula(&game, &Membership, false).cnf), plain);
        assert_eq!(sha256(&formula(&game, &Membership, true).cnf), ordered);
    }
}
