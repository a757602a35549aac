//! Golden counts of the reductions.

use super::chase::{every_instance, instances};
use super::cycle::{Kind, directed, is_odd, reads, undirected};
use super::gadget::{answers_one, hop, string, strings};
use super::routing::Machines;
use super::split::Conflicts;

#[test]
fn instances_of_the_cycle_problem() {
    let count = |vertices, kind| {
        (
            directed(vertices, kind).len(),
            undirected(vertices, kind).len(),
        )
    };
    assert_eq!(count(4, Kind::One).0, 6);
    assert_eq!(count(4, Kind::Two).0, 3);
    assert_eq!(count(6, Kind::One), (120, 60));
    assert_eq!(count(6, Kind::Two), (40, 10));
    assert_eq!(count(8, Kind::One), (5_040, 2_520));
    assert_eq!(count(8, Kind::Two), (1_260, 315));
    for vertices in [4, 6, 8] {
        assert!(
            directed(vertices, Kind::One)
                .iter()
                .all(|next| is_odd(next))
        );
        assert!(
            !directed(vertices, Kind::Two)
                .iter()
                .any(|next| is_odd(next))
        );
    }
    assert!(directed(5, Kind::One).is_empty() && undirected(4, Kind::Two).is_empty());
}

#[test]
fn words_to_be_read() {
    let count = |vertices, directed| reads(vertices, directed).map(|(count, _)| count);
    assert_eq!(count(4, true), Some(3));
    assert_eq!(count(6, true), Some(5));
    assert_eq!(count(6, false), Some(5));
    assert_eq!(count(7, true), None);
}

#[test]
fn rounds_of_machines_that_forget() {
    let machines = Machines {
        words: 2,
        word_bits: 3,
        data_dependent: false,
        placement_counts: false,
    };
    assert_eq!(machines.rounds(5), Some(2));
    assert_eq!(machines.rounds(4), Some(1));
    assert_eq!(machines.rounds(2), Some(0));
    assert_eq!(
        Machines {
            placement_counts: true,
            ..machines.clone()
        }
        .rounds(5),
        Some(3)
    );
    assert_eq!(
        Machines {
            data_dependent: true,
            ..machines.clone()
        }
        .rounds(5),
        None
    );
    assert_eq!(
        Machines {
            words: 1,
            ..machines
        }
        .rounds(5),
        None
    );
}

#[test]
fn worked_gadget() {
    let with = |last: u8| {
        let mut text = string(&[(1, 2), (3, 4), (2, 3)]);
        text.truncate(27);
        text.push(last);
        text
    };
    assert_eq!(hop(&with(2), 2), Some(3));
    assert_eq!(hop(&with(2), 4), Some(4));
    assert_eq!(hop(&with(3), 4), Some(1));
    assert_eq!(string(&[(1, 2); 6]).len(), 163);
    assert_eq!(strings(6), 3_225_600);
    let one = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)];
    let two = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)];
    assert!(!answers_one(&one) && answers_one(&two));
}

/// The walk that writes no string against the string, on a sample of every graph.
#[test]
fn walks_are_those_of_strings() {
    for kind in Kind::BOTH {
        for (number, mut graph) in undirected(6, kind).into_iter().enumerate() {
            graph.rotate_left(number % 6);
            graph.swap(number % 5, 5);
            for flips in (0..64_usize).step_by(1 + number % 7) {
                let edges: Vec<(usize, usize)> = graph
                    .iter()
                    .enumerate()
                    .map(|(place, (u, v))| {
                        if flips >> place & 1 == 1 {
                            (*v, *u)
                        } else {
                            (*u, *v)
                        }
                    })
                    .collect();
                assert_eq!(answers_one(&edges), kind == Kind::Two);
            }
        }
    }
}

#[test]
fn every_pointer_instance() {
    for (k, q, count) in [(2, 2, 8), (3, 2, 16), (4, 2, 32), (2, 4, 3_456)] {
        assert_eq!(instances(k, q), Some(count));
        assert_eq!(every_instance(k as usize, q as usize), None);
    }
    assert_eq!(instances(2, 3), None);
}

#[test]
fn conflicts_of_split_instances() {
    let counts: Vec<(usize, usize)> = (1..=5)
        .map(|held| {
            let conflicts = Conflicts::new(6, held).unwrap();
            (conflicts.sets().len(), conflicts.pairs.len())
        })
        .collect();
    assert_eq!(
        counts,
        [
            (15, 0),
            (105, 45),
            (455, 360),
            (1_365, 1_260),
            (3_003, 1_440)
        ]
    );
}
