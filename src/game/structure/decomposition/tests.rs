//! Golden rows of the specification, and the invariants on random protocols.

use super::*;
use crate::game::strategy::{Lookup, PseudoRandom};
use crate::game::structure::fixtures::hybrid;
use crate::game::task::composition::Composition;
use crate::game::{Game, Protocol};
use std::sync::Arc;

pub(super) struct Toy {
    pub(super) game: Arc<Game>,
    pub(super) task: Composition,
}

impl Toy {
    pub(super) fn new(
        start: u64,
        ranges: &[u64],
        queries: &[u64],
        word: &str,
        soft: &[(i64, i64, u64)],
        linear: &[(i64, i64, u64)],
    ) -> Self {
        let (game, task) = hybrid(start, ranges, queries, word, soft, linear);
        Self {
            game: Arc::new(game),
            task,
        }
    }

    /// The row L = 2 of the specification.
    pub(super) fn two() -> Self {
        let soft = [
            (1, 0, 4),
            (0, -1, 4),
            (2, 1, 2),
            (2, 0, 2),
            (2, -1, 2),
            (1, -1, 2),
        ];
        Self::new(2, &[4, 2], &[2], "FF", &soft, &[])
    }

    /// The row L = 3.
    pub(super) fn three() -> Self {
        let soft = [(3, -1, 2), (2, -1, 3), (1, 0, 4), (0, -1, 4)];
        Self::new(2, &[4, 3, 2], &[1, 2], "FFF", &soft, &[])
    }

    pub(super) fn lookup(&self) -> Lookup {
        Lookup::new(self.game.clone()).unwrap()
    }

    pub(super) fn replay(
        &self,
        protocol: &(dyn Protocol + Sync),
        question: &Question,
    ) -> Decomposition {
        let frame = Frame::new(&self.game, &self.task, protocol).unwrap();
        let limit = BigUint::from(1u32 << 22);
        build(&frame, question, &Replay { limit: &limit }).unwrap()
    }
}

pub(super) fn question(x: &[u64], tie: Tie) -> Question {
    Question {
        x: x.to_vec(),
        tie,
        one_shot: false,
    }
}

/// `(slot, classes, size after)` of each step.
fn steps(toy: &Toy, level: &Level) -> Vec<(String, String, String)> {
    let split = &level.split;
    let rows = split
        .pinned
        .iter()
        .zip(&split.classes)
        .zip(&split.sizes[1..]);
    rows.map(|((pinned, classes), size)| {
        (
            toy.game.name(pinned.slot).to_owned(),
            classes.to_string(),
            size.to_string(),
        )
    })
    .collect()
}

fn row(list: &[(&str, u64, u64)]) -> Vec<(String, String, String)> {
    list.iter()
        .map(|(name, classes, size)| ((*name).to_owned(), classes.to_string(), size.to_string()))
        .collect()
}

fn pattern(decomposition: &Decomposition) -> (String, String) {
    let pattern = &decomposition.pattern;
    (pattern.size.to_string(), pattern.classes.to_string())
}

#[test]
fn two_steps_as_specified() {
    let toy = Toy::two();
    for tie in [Tie::Least, Tie::Greatest] {
        let found = toy.replay(&toy.lookup(), &question(&[2, 2], tie));
        assert_eq!(pattern(&found), ("8".into(), "2".into()));
        let [level] = found.levels.as_slice() else {
            panic!("one level")
        };
        assert_eq!(
            steps(&toy, level),
            row(&[
                ("soft 2->1 @1", 2, 128),
                ("soft 2->0 @1", 1, 128),
                ("soft 2->-1 @1", 4, 32),
                ("soft 2->1 @2", 1, 32),
                ("soft 2->0 @2", 1, 32),
                ("soft 2->-1 @2", 4, 8),
            ])
        );
        assert_eq!(level.total, 256u32.into());
        assert_eq!(level.reach, 4);
        assert_eq!(level.split.joint.classes, 32u32.into());
        assert_eq!(level.split.joint.largest, 8u32.into());
        let count = &found.count;
        assert_eq!(
            (&count.addresses, &count.entries, count.fires),
            (&8u32.into(), &8u32.into(), true)
        );
        assert!(found.leak.is_empty());
        if tie == Tie::Least {
            assert_eq!(level.chosen[1].1, [vec![0, 1], vec![2, 3]]);
            let found = found.found.unwrap();
            assert!(found.final_views);
            assert_eq!(
                found.pair.left.0,
                [vec![0; 8], vec![2, 3], vec![0], vec![1]]
            );
            assert_eq!(found.pair.right.0[0], [0, 0, 0, 0, 0, 0, 1, 1]);
            let view = found
                .pair
                .holds(&toy.game, &toy.task, &toy.lookup())
                .unwrap();
            let open = view.stored.iter().filter(|(id, _)| toy.game.is_open(*id));
            assert_eq!(
                open.map(|(_, s)| s.0).collect::<Vec<_>>(),
                [0, 0, 0, 0, 0, 2]
            );
        }
    }
}

#[test]
fn three_steps_as_specified() {
    let toy = Toy::three();
    type Row = (Tie, [(&'static str, u64, u64); 4], u64);
    let rows: [Row; 2] = [
        (
            Tie::Least,
            [
                ("soft 3->-1 @1", 4, 1296),
                ("soft 2->-1 @1", 3, 432),
                ("soft 3->-1 @2", 1, 432),
                ("soft 2->-1 @2", 3, 144),
            ],
            16,
        ),
        (
            Tie::Greatest,
            [
                ("soft 3->-1 @1", 4, 1296),
                ("soft 2->-1 @1", 3, 432),
                ("soft 3->-1 @2", 4, 108),
                ("soft 2->-1 @2", 3, 36),
            ],
            4,
        ),
    ];
    for (tie, expected, left) in rows {
        let found = toy.replay(&toy.lookup(), &question(&[2, 2, 2], tie));
        assert_eq!(pattern(&found), ("16".into(), "1".into()));
        let [two, three] = found.levels.as_slice() else {
            panic!("two levels")
        };
        assert_eq!(two.chosen[1].1, [vec![0, 1], vec![2, 3]]);
        assert_eq!(steps(&toy, two), row(&expected));
        assert_eq!((two.total.clone(), two.reach), (5184u32.into(), 4));
        assert_eq!(two.split.joint.classes, 108u32.into());
        assert_eq!(two.split.joint.largest, 144u32.into());
        let rectangle = three.rectangle.unwrap();
        assert_eq!((rectangle.left, rectangle.right), (left, 2));
        assert_eq!(three.reach, 3);
        assert!(
            steps(&toy, three)
                .iter()
                .all(|(_, classes, size)| classes == "1" && *size == left.to_string())
        );
        assert_eq!(three.size(), left.into());
        let count = &found.count;
        assert_eq!(
            (&count.addresses, &count.entries, count.fires),
            (&6u32.into(), &6u32.into(), true)
        );
        if tie == Tie::Least {
            let pair = found.found.unwrap().pair;
            assert_eq!(
                pair.left.0,
                [
                    vec![0; 6],
                    vec![0, 0, 1, 2],
                    vec![2, 3],
                    vec![1],
                    vec![0, 1]
                ]
            );
            assert_eq!(pair.right.0[0], [0, 0, 0, 0, 0, 1]);
            let view = pair.holds(&toy.game, &toy.task, &toy.lookup()).unwrap();
            let open = view.stored.iter().filter(|(id, _)| toy.game.is_open(*id));
            assert_eq!(
                open.map(|(_, s)| s.0).collect::<Vec<_>>(),
                [0, 0, 1, 0, 0, 3, 0, 2, 3]
            );
        }
    }
}

#[test]
fn the_leak_at_one_pass_is_named() {
    let toy = Toy::new(
        1,
        &[2, 2],
        &[1],
        "FRF",
        &[(1, 0, 2), (2, -1, 2)],
        &[(0, -1, 2)],
    );
    let found = toy.replay(&toy.lookup(), &question(&[1, 2], Tie::Least));
    let names: Vec<&str> = found.leak.iter().map(|id| toy.game.name(*id)).collect();
    assert_eq!(names, ["lin 0->-1 @1.1"]);
}

/// Inv(l), S_1 x S_2 inside R, the sizes and the reach, by the definition alone.
fn check_invariants(toy: &Toy, protocol: &(dyn Protocol + Sync), found: &Decomposition) {
    let frame = Frame::new(&toy.game, &toy.task, protocol).unwrap();
    let mut z: Vec<Vec<Digits>> = Vec::new();
    let mut before: Option<Bits> = None;
    for level in &found.levels {
        let Set::Bits(kept) = &level.split.kept else {
            panic!("listed")
        };
        if let Some(before) = before {
            let domain = &toy.game.player(frame.player(level.level - 1)).domain;
            let size = domain.index_size().unwrap();
            for row in kept.iter() {
                for member in &level.chosen[0].1 {
                    assert!(before.contains(row * size + domain.index(member).unwrap()));
                }
            }
        }
        z.extend(level.chosen.iter().map(|(_, members)| members.clone()));
        assert_eq!(level.size(), kept.count().into());
        assert!(level.size() > BigUint::ZERO);
        assert_eq!(level.reach, frame.reach(&z).len() as u64);
        for (column, lower) in frame.lower(&z).iter().enumerate() {
            for index in kept.iter() {
                let upper = frame.tuple(level.level, index);
                let run = frame.run(&upper, lower, frame.rounds(level.level)).unwrap();
                for pinned in &level.split.pinned {
                    assert_eq!(run.transcript[pinned.slot.0].1.0, pinned.key[column]);
                }
            }
        }
        assert!(level.split.joint.largest >= level.size());
        before = Some(kept.clone());
    }
    assert!(found.count.addresses <= found.count.entries);
    if found.count.fires {
        assert!(found.found.is_some(), "the count promises a pair");
    }
    if let Some(found) = &found.found {
        let holds = found.pair.holds(&toy.game, &toy.task, protocol);
        assert_eq!(holds.is_ok(), found.final_views);
    }
}

#[test]
fn invariants_hold_for_random_protocols_in_all_layouts() {
    let soft = [
        (2, 1, 2),
        (2, 0, 2),
        (2, -1, 2),
        (1, 0, 3),
        (1, -1, 2),
        (0, -1, 2),
    ];
    let linear = [(2, 1, 2), (1, 0, 2), (0, -1, 3)];
    for word in [
        "FF", "FRF", "RFF", "FFR", "F", "FR", "FFF", "RR", "FRFRF", "",
    ] {
        let toy = Toy::new(2, &[2, 2], &[2], word, &soft, &linear);
        for seed in 0..6u32 {
            let protocol = PseudoRandom {
                game: toy.game.clone(),
                seed: seed.into(),
            };
            for (tie, one_shot) in [(Tie::Least, false), (Tie::Greatest, true)] {
                let question = Question {
                    x: vec![2, 2],
                    tie,
                    one_shot,
                };
                let found = toy.replay(&protocol, &question);
                check_invariants(&toy, &protocol, &found);
            }
        }
    }
    let soft = [
        (3, 2, 2),
        (3, -1, 2),
        (2, -1, 2),
        (1, 0, 2),
        (0, -1, 2),
        (2, 0, 2),
    ];
    for word in ["FFF", "FRFF", "RFFR", "FF", "FFFF"] {
        let toy = Toy::new(
            1,
            &[2, 2, 2],
            &[1, 1],
            word,
            &soft,
            &[(3, 2, 2), (2, 1, 2), (0, -1, 2)],
        );
        for seed in 0..6u32 {
            let protocol = PseudoRandom {
                game: toy.game.clone(),
                seed: seed.into(),
            };
            let found = toy.replay(&protocol, &question(&[1, 2, 2], Tie::Least));
            check_invariants(&toy, &protocol, &found);
            check_invariants(
                &toy,
                &toy.lookup(),
                &toy.replay(&toy.lookup(), &question(&[1, 2, 1], Tie::Least)),
            );
        }
    }
}
