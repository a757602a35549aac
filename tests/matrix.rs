//! The depth of protocol trees: search against the definition, evidence against the checker, golden values.
#![cfg(feature = "search")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use foolproof::matrix::small::Depths;
use foolproof::matrix::variant::{NEVER, Rounds};
use foolproof::matrix::{Cover, Matrix, Named, Rectangle, bits};
use foolproof::search::matrix::{Found, Lower, Small, depth, tree_of_rounds};
use foolproof::search::rectangles::{Kind, least};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// D by the recursion of the definition over pairs of sets, with a memory and nothing else.
fn plain(matrix: &Matrix) -> u32 {
    fn go(matrix: &Matrix, rows: u32, columns: u32, known: &mut BTreeMap<(u32, u32), u32>) -> u32 {
        if let Some(depth) = known.get(&(rows, columns)) {
            return *depth;
        }
        let members = |mask: u32| (0..32).filter(move |i| mask >> i & 1 == 1);
        let mut values: Vec<u64> = members(rows)
            .flat_map(|i| members(columns).map(move |j| matrix.at(i, j)))
            .collect();
        values.dedup();
        let mut best = u32::MAX;
        if values.len() == 1 {
            best = 0;
        } else {
            let mut part = (rows - 1) & rows;
            while part != 0 {
                let deepest =
                    go(matrix, part, columns, known).max(go(matrix, rows & !part, columns, known));
                best = best.min(1 + deepest);
                part = (part - 1) & rows;
            }
            let mut part = (columns - 1) & columns;
            while part != 0 {
                let deepest =
                    go(matrix, rows, part, known).max(go(matrix, rows, columns & !part, known));
                best = best.min(1 + deepest);
                part = (part - 1) & columns;
            }
        }
        known.insert((rows, columns), best);
        best
    }
    let all = |count: usize| (1 << count) - 1;
    go(
        matrix,
        all(matrix.rows()),
        all(matrix.columns()),
        &mut BTreeMap::new(),
    )
}

fn found(matrix: &Matrix) -> Found {
    depth(matrix, &AtomicBool::new(false))
}

/// Checks both proofs; gives the depth.
fn proved(matrix: &Matrix, found: &Found) -> u32 {
    assert!(found.exact());
    let tree = found.tree.check(matrix).unwrap();
    assert_eq!(tree.depth, found.upper as usize, "{:?}", matrix.texts());
    lower_holds(matrix, &found.proof, found.lower);
    found.upper
}

fn lower_holds(matrix: &Matrix, proof: &Lower, lower: u32) {
    match proof {
        Lower::Minors(minors) => assert_eq!(bits(minors.check(matrix).unwrap()), lower),
        Lower::FoolingSet(sets) => assert_eq!(bits(sets.check(matrix).unwrap()), lower),
        Lower::Exhausted(table) => {
            assert_eq!(table.bits() + 1, lower as usize);
            table.check(matrix, 1 << 26).unwrap();
        }
    }
}

#[test]
fn all_4x4_matrices_with_both_proofs() {
    let small = Small::new(4, 4).unwrap();
    let mut exhausted = 0;
    for word in 0..1_usize << 16 {
        let matrix = small.matrix(word).unwrap();
        let depth = usize::from(small.depth(word));
        let tree = small.tree(word);
        assert_eq!(tree.check(&matrix).unwrap().depth, depth);
        let proof = small.lower(&matrix, word);
        exhausted += usize::from(matches!(proof, Lower::Exhausted(_)));
        lower_holds(&matrix, &proof, small.depth(word).into());
    }
    // Those of depth 3 with only 4 leaves by rank.
    assert_eq!(exhausted, 0);
    assert_eq!(
        Depths::new(4, 4).unwrap().histogram(4, 4),
        [2, 28, 2_842, 62_664]
    );
}

#[test]
fn named_functions_of_3_bits() {
    for (name, expected) in [("EQ", 4), ("GT", 4), ("DISJ", 4), ("IP", 4), ("IND", 3)] {
        let matrix = Named::of_name(name).unwrap().matrix(3).unwrap();
        let found = found(&matrix);
        assert_eq!(proved(&matrix, &found), expected, "{name}");
        // Bounds meet: nothing is searched.
        assert_eq!(found.stats.parts, 0, "{name}");
    }
    for size in 1..=6 {
        let matrix = Named::Equality.matrix(size).unwrap();
        assert_eq!(proved(&matrix, &found(&matrix)), size + 1);
    }
}

/// Matrices whose ranks do not tell their depth: the tool must search. Work is counted, so that it does not grow unseen.
#[test]
fn sums_of_rectangles_are_searched() {
    let (mut parts, mut exhausted, mut listed) = (0, 0, 0);
    for seed in 0..12 {
        let matrix = sum_of_rectangles(6, 7, 3, seed);
        assert_eq!(
            proved(&matrix, &found(&matrix)),
            plain(&matrix),
            "seed {seed}"
        );
        let matrix = sum_of_rectangles(10, 10, 4, seed);
        let found = found(&matrix);
        proved(&matrix, &found);
        parts += found.stats.parts;
        if let Lower::Exhausted(table) = &found.proof {
            exhausted += 1;
            listed += table.levels.iter().map(Vec::len).sum::<usize>();
        }
    }
    assert_eq!((parts, exhausted, listed), (2_085, 2, 57));
}

/// The number of rectangles, of few, that hold an entry: deterministic, from a seed.
fn sum_of_rectangles(rows: usize, columns: usize, count: usize, seed: u64) -> Matrix {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let parts: Vec<(u64, u64)> = (0..count + 5).map(|_| (next(), next())).skip(5).collect();
    Matrix::of(rows, columns, |i, j| {
        parts.iter().map(|(a, b)| a >> i & b >> j & 1).sum()
    })
    .unwrap()
}

#[test]
fn larger_random_matrices() {
    let mut state = 12_345_u64;
    for _ in 0..5 {
        let matrix = Matrix::of(10, 10, |i, j| {
            let bit = i * 10 + j;
            (state.rotate_left(7) ^ state.wrapping_mul(bit as u64 * 2 + 1).rotate_left(31)) >> 20
                & 1
        })
        .unwrap();
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        proved(&matrix, &found(&matrix));
    }
}

#[test]
fn a_stopped_search_gives_a_bracket() {
    let matrix = (0..200)
        .map(|seed| sum_of_rectangles(12, 12, 4, seed))
        .find(|matrix| found(matrix).stats.parts > 1_024)
        .unwrap();
    let stopped = depth(&matrix, &AtomicBool::new(true));
    assert!(!stopped.exact());
    assert!(stopped.tree.check(&matrix).unwrap().depth >= stopped.lower as usize);
}

#[test]
fn partitions_and_covers() {
    let stop = AtomicBool::new(false);
    let matrix = Matrix::parse("1101\n0101\n1000\n1011\n").unwrap();
    let partition = least(&matrix, Kind::Partition, &stop).unwrap();
    let counts: Vec<usize> = partition
        .iter()
        .map(|least| least.rectangles.0.len())
        .collect();
    // Seven rectangles, as in the worked example.
    assert_eq!(counts, [4, 3]);
    for name in ["EQ", "GT", "DISJ", "IP", "IND"] {
        let matrix = Named::of_name(name).unwrap().matrix(3).unwrap();
        for (kind, disjoint) in [(Kind::Partition, true), (Kind::Cover, false)] {
            let all = least(&matrix, kind, &stop).unwrap();
            assert!(disjoint <= all.iter().all(|least| least.exact()), "{name}");
            let rectangles: Vec<Rectangle> = all
                .into_iter()
                .flat_map(|least| least.rectangles.0)
                .collect();
            Cover(rectangles).check(&matrix, disjoint).unwrap();
        }
    }
    // Zeros of equality of n strings: the least k with C(k, k/2) >= n rectangles cover them (an antichain); here 5, and the
    // search leaves a bracket.
    let equality = Named::Equality.matrix(3).unwrap();
    let cover = least(&equality, Kind::Cover, &stop).unwrap();
    assert_eq!(cover[1].rectangles.0.len(), 8);
    assert!(cover[0].lower <= 5 && cover[0].rectangles.0.len() >= 5);
    let equality = Matrix::of(4, 4, |i, j| u64::from(i == j)).unwrap();
    let cover = least(&equality, Kind::Cover, &stop).unwrap();
    assert!(cover[0].exact() && cover[0].rectangles.0.len() == 4);
}

fn matrices() -> impl Strategy<Value = Matrix> {
    (1_usize..=5, 1_usize..=5, 2_u64..=4).prop_flat_map(|(rows, columns, values)| {
        let row = proptest::collection::vec(0..values, columns);
        proptest::collection::vec(row, rows).prop_map(|rows| Matrix::new(&rows).unwrap())
    })
}

proptest! {
    #[test]
    fn the_search_agrees_with_the_definition(matrix in matrices()) {
        let found = found(&matrix);
        prop_assert_eq!(proved(&matrix, &found), plain(&matrix));
        let turned = matrix.transposed();
        prop_assert_eq!(self::found(&turned).upper, found.upper);
        let stop = AtomicBool::new(false);
        let partition = least(&matrix, Kind::Partition, &stop).unwrap();
        let leaves: usize = partition.iter().map(|least| least.lower).sum();
        prop_assert!(bits(leaves) <= found.upper);
        prop_assert!(partition.iter().all(|least| least.exact()));
        let cover = least(&matrix, Kind::Cover, &stop).unwrap();
        for (a, b) in cover.iter().zip(&partition) {
            prop_assert!(a.rectangles.0.len() <= b.rectangles.0.len());
        }
    }

    #[test]
    fn trees_of_few_rounds(matrix in matrices(), rounds in 1_usize..4) {
        let mut known = Rounds::new(&matrix, rounds, 1 << 26).unwrap();
        let least = known.least(rounds);
        match tree_of_rounds(&matrix, &mut known, rounds) {
            None => prop_assert_eq!(least, NEVER),
            Some(tree) => {
                let measured = tree.check(&matrix).unwrap();
                prop_assert_eq!(measured.depth, usize::from(least));
                prop_assert!(measured.rounds <= rounds);
            }
        }
    }
}
