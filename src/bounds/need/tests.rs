use std::collections::{BTreeMap, BTreeSet};

use super::*;
use proptest::prelude::*;
use serde_json::Value;

fn big(x: u64) -> BigUint {
    BigUint::from(x)
}

fn data(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn params() -> Value {
    data(include_str!("../../../tests/data/params.json"))
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn int(row: &Value, key: &str) -> u64 {
    row[key].as_u64().unwrap()
}

/// All words of a length over an alphabet.
fn words(letters: usize, length: usize) -> Vec<Vec<usize>> {
    let mut list = vec![vec![]];
    for _ in 0..length {
        list = list
            .iter()
            .flat_map(|w| (0..letters).map(move |x| [w.as_slice(), &[x]].concat()))
            .collect();
    }
    list
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    words(n, n)
        .into_iter()
        .filter(|w| w.iter().collect::<BTreeSet<_>>().len() == n)
        .collect()
}

/// The number of distinct rows of answers.
fn distinct<T: Ord>(answers: impl Iterator<Item = T>) -> BigUint {
    BigUint::from(answers.collect::<BTreeSet<_>>().len())
}

#[test]
fn eva_by_rows() {
    for n in 1..5 {
        for t in 0..=n {
            // suffix: the other entries and the query
            let suffixes = words(n, n - t);
            let row = |prefix: &Vec<usize>| -> Vec<usize> {
                suffixes
                    .iter()
                    .flat_map(|s| [prefix.as_slice(), s].concat())
                    .collect()
            };
            let states = eva_states(&n.into(), &t.into())
                .unwrap()
                .to_integer()
                .unwrap();
            assert_eq!(BigInt::from(distinct(words(n, t).iter().map(row))), states);
        }
    }
    assert_eq!(
        bits_of(&eva_states(&big(64), &big(64)).unwrap()),
        Ok(384.into())
    );
    assert_eq!(
        bits_of(&eva_states(&big(3), &big(2)).unwrap()),
        Ok(4.into())
    );
    assert!(eva_states(&big(3), &big(4)).is_err() && eva_states(&big(0), &big(0)).is_err());
}

/// The least number of states for a relation "these two prefixes may not share a state" that is an equivalence on its classes:
/// here the largest set of prefixes in pairwise conflict.
fn largest_class<K: Ord>(classes: impl Iterator<Item = K>) -> usize {
    let mut sizes = BTreeMap::new();
    for class in classes {
        *sizes.entry(class).or_insert(0) += 1;
    }
    sizes.into_values().max().unwrap_or(0)
}

#[test]
fn percom_by_rows() {
    for n in 1..5_usize {
        let whole = permutations(n);
        for t in 0..=n {
            let prefixes: BTreeSet<Vec<usize>> = whole.iter().map(|p| p[..t].to_vec()).collect();
            assert_eq!(
                percom_prefixes(&n.into(), &t.into()),
                Ok(BigUint::from(prefixes.len()))
            );
            // Two prefixes have a common legal suffix iff they use the same values, and then tau separates them.
            let class = |p: &Vec<usize>| p.iter().copied().collect::<BTreeSet<_>>();
            let states = BigUint::from(largest_class(prefixes.iter().map(class)));
            assert_eq!(percom_states(&n.into(), &t.into()), Ok(states));
        }
        // only the last output, cut after sigma
        let last = |sigma: &Vec<usize>| {
            whole
                .iter()
                .map(|tau| sigma[tau[n - 1]])
                .collect::<Vec<_>>()
        };
        assert_eq!(
            percom_states(&n.into(), &n.into()),
            Ok(distinct(whole.iter().map(last)))
        );
    }
    for row in rows(&params()["eva_percom"]["table"]) {
        let n = big(int(row, "n"));
        let eva = eva_states(&n, &n).unwrap();
        assert_eq!(
            eva.to_integer().unwrap().to_string(),
            row["eva_count"].as_str().unwrap()
        );
        assert_eq!(bits_of(&eva), Ok(int(row, "eva_bits").into()));
        let percom = percom_states(&n, &n).unwrap();
        assert_eq!(percom.to_string(), row["percom_count"].as_str().unwrap());
        assert_eq!(count::bits(&percom), int(row, "percom_bits"));
    }
    assert_eq!(
        count::bits(&percom_states(&big(64), &big(64)).unwrap()),
        296
    );
}

/// Distinct prefix behaviours of 2-Sum, by enumeration: Bob appends a suffix and answers his positions.
fn two_sum_rows(m: usize, n: usize, t: usize, reflexive: bool) -> BigUint {
    let suffixes = words(m, n - t);
    let answers = |prefix: &Vec<usize>| -> Vec<bool> {
        let whole = |suffix: &Vec<usize>| [prefix.as_slice(), suffix].concat();
        let hit = |w: &[usize], i: usize| {
            w[..i + usize::from(reflexive)]
                .iter()
                .any(|x| (x + w[i]).is_multiple_of(m))
        };
        suffixes
            .iter()
            .map(whole)
            .flat_map(|w| (t..n).map(|i| hit(&w, i)).collect::<Vec<_>>())
            .collect()
    };
    distinct(words(m, t).iter().map(answers))
}

#[test]
fn two_sum_by_rows() {
    for m in 1..5 {
        for n in 2..5 {
            for t in 1..n {
                assert_eq!(
                    two_sum_states(&t.into(), &m.into()),
                    Ok(two_sum_rows(m, n, t, false))
                );
                assert_eq!(
                    two_sum_reflexive_states(&t.into(), &m.into()),
                    Ok(two_sum_rows(m, n, t, true))
                );
            }
        }
    }
    for row in rows(&params()["two_sum"]["bruteforce"]) {
        let (t, m) = (big(int(row, "cut_t")), big(int(row, "M")));
        assert_eq!(two_sum_states(&t, &m), Ok(big(int(row, "rows_strict"))));
        assert_eq!(
            two_sum_reflexive_states(&t, &m),
            Ok(big(int(row, "rows_reflexive")))
        );
    }
    assert_eq!(two_sum_states(&big(0), &big(7)), Ok(big(1)));
}

#[test]
fn two_sum_table() {
    let bits = |n: u64, m: u64| count::bits(&two_sum_states(&big(n - 1), &big(m)).unwrap());
    assert_eq!([bits(8, 8), bits(8, 16), bits(8, 64)], [8, 15, 30]);
    assert_eq!(
        [bits(64, 64), bits(64, 128), bits(64, 4096)],
        [64, 127, 466]
    );
    assert_eq!(two_sum_states(&big(3), &big(4)), Ok(big(14)));
    assert_eq!(two_sum_reflexive_states(&big(3), &big(4)), Ok(big(4)));
    assert_eq!(least_domain(&big(8)), Ok(big(39)));
    for (t, m) in [(7, 64), (63, 4096), (1, 2), (5, 10), (200, 400)] {
        let [(a, b), (c, d)] = scale(&big(t), &big(m)).unwrap();
        assert_ne!(relation(&a, &b), Ok(Relation::Greater));
        assert_eq!(relation(&c, &d), Ok(Relation::Less));
    }
    assert!(scale(&big(3), &big(5)).is_err());
}

fn sparse(m: u64, b: u64, q: u64, k: u64) -> Sparse {
    Sparse {
        block: big(b),
        domain: big(m),
        blocks: big(q),
        read: big(k),
    }
}

#[test]
fn sparse_table() {
    let expected: [(u64, u64, Option<u64>, u64); 11] = [
        (1, 10, Some(10), 10),
        (2, 20, Some(19), 19),
        (4, 36, Some(36), 36),
        (8, 65, Some(65), 65),
        (16, 116, Some(116), 116),
        (32, 202, Some(201), 202),
        (64, 342, Some(336), 342),
        (128, 553, Some(526), 552),
        (256, 827, Some(702), 826),
        (512, 1024, Some(512), 1019),
        (1024, 1024, None, 0),
    ];
    for (b, shared, position, plain) in expected {
        let q = 1024 / b;
        let game = sparse(1024, b, q, u64::from(q > 1));
        let bits = |count: Result<BigUint, NeedError>| count::bits(&count.unwrap());
        assert_eq!(bits(game.shared_map()), shared, "B = {b}");
        assert_eq!(
            (q > 1).then(|| bits(game.position_dependent())),
            position,
            "B = {b}"
        );
        assert_eq!(bits(game.no_repeats()), plain, "B = {b}");
    }
    for row in rows(&params()["sparse"]["exhaustive_shared_map"]) {
        let game = sparse(int(row, "M"), int(row, "B"), int(row, "q"), int(row, "k"));
        assert_eq!(game.shared_map(), Ok(big(int(row, "min_summaries"))));
    }
    assert_eq!(sparse(3, 2, 2, 1).shared_map(), Ok(big(6)));
    assert_eq!(sparse(3, 2, 2, 1).position_dependent(), Ok(big(4)));
    assert_eq!(sparse(4, 2, 2, 1).shared_map(), Ok(big(10)));
    assert_eq!(sparse(3, 2, 2, 2).shared_map(), Ok(big(1)));
    assert!(sparse(3, 4, 2, 1).no_repeats().is_err());
}

/// Whether summary maps (one per position, as lists over the blocks) solve the sparse game with full inputs as sets of values.
fn maps_solve(blocks: &[BTreeSet<usize>], maps: [&[usize]; 2], m: usize) -> bool {
    // Two positions, one read: given the summaries and v, some choice of the block to read must decide.
    let pairs: Vec<(usize, usize)> = (0..blocks.len())
        .flat_map(|a| (0..blocks.len()).map(move |b| (a, b)))
        .collect();
    let mut groups: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for (a, b) in pairs {
        groups
            .entry((maps[0][a], maps[1][b]))
            .or_default()
            .push((a, b));
    }
    let answer =
        |v: usize, (a, b): (usize, usize)| blocks[a].contains(&v) || blocks[b].contains(&v);
    let decides = |v: usize, group: &[(usize, usize)], read: usize| {
        let mut seen = BTreeMap::new();
        group.iter().all(|pair| {
            let key = if read == 0 { pair.0 } else { pair.1 };
            *seen.entry(key).or_insert_with(|| answer(v, *pair)) == answer(v, *pair)
        })
    };
    groups
        .values()
        .all(|group| (0..m).all(|v| decides(v, group, 0) || decides(v, group, 1)))
}

/// All maps of `items` things to classes, as restricted growth strings, with their number of classes.
fn partitions(items: usize) -> Vec<(Vec<usize>, usize)> {
    let mut list = vec![(vec![], 0)];
    for _ in 0..items {
        list = list
            .into_iter()
            .flat_map(|(w, top)| {
                (0..=top).map(move |x| ([w.as_slice(), &[x]].concat(), top.max(x + 1)))
            })
            .collect();
    }
    list
}

#[test]
fn sparse_by_all_maps() {
    // M = 3, B = 2, q = 2, k = 1: six sets of one or two values, 203 maps, 203^2 pairs of maps
    let sets: Vec<BTreeSet<usize>> = (1_usize..8)
        .map(|mask| {
            (0..3)
                .filter(|v| mask >> v & 1 == 1)
                .collect::<BTreeSet<_>>()
        })
        .filter(|set| set.len() <= 2)
        .collect();
    let maps = partitions(sets.len());
    assert_eq!(maps.len(), 203);
    let shared = maps
        .iter()
        .filter(|(map, _)| maps_solve(&sets, [map, map], 3))
        .map(|(_, size)| *size)
        .min();
    assert_eq!(shared, Some(6));
    // Larger alphabets than 4 are not needed for the minimum of the maximum.
    let small: Vec<_> = maps.iter().filter(|(_, size)| *size <= 4).collect();
    let pair = small
        .iter()
        .flat_map(|(f, s)| small.iter().map(move |(g, t)| (f, g, (*s).max(*t))));
    let best = pair
        .filter(|(f, g, _)| maps_solve(&sets, [f, g], 3))
        .map(|(_, _, size)| size)
        .min();
    assert_eq!(best, Some(4));
}

/// The recurrence of the specification, levels as sets of tokens.
fn levels(first: u64, last: u64) -> Vec<BTreeSet<u64>> {
    let mut levels: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); 12];
    for i in first..=last {
        if i > 0 {
            let b = usize::try_from(i.trailing_zeros()).unwrap();
            let merged = levels[..=b].iter().flatten().copied().collect();
            levels[b + 1] = merged;
            for level in &mut levels[..=b] {
                level.clear();
            }
        }
        levels[0] = BTreeSet::from([i]);
    }
    levels
}

#[test]
fn log_linear_by_simulation() {
    let nonzero = |levels: &[BTreeSet<u64>]| levels.iter().filter(|l| !l.is_empty()).count();
    for i in 0..200 {
        assert_eq!(
            u64::from(log_linear_levels(i, 0)),
            nonzero(&levels(0, i)) as u64
        );
        if i > 0 {
            assert_eq!(
                u64::from(log_linear_levels(i, 1)),
                nonzero(&levels(1, i)) as u64
            );
        }
    }
    let text = params();
    for (i, expected) in (0..).zip(rows(&text["log_linear"]["nonzero_counts_i_0_63"])) {
        assert_eq!(
            u64::from(log_linear_levels(i, 0)),
            expected.as_u64().unwrap()
        );
    }
    assert_eq!(
        (0..1024).filter(|i| log_linear_levels(*i, 0) <= 3).count(),
        56
    );
    assert_eq!((0..1024).find(|i| log_linear_levels(*i, 0) > 3), Some(7));
    assert_eq!(log_linear_levels(1023, 0), 11);
    for (t, expected) in (1..).zip(rows(&text["log_linear"]["alice_buckets_at_cut"])) {
        assert_eq!(
            u64::from(log_linear_matrices(t)),
            expected.as_u64().unwrap()
        );
        // Alice's tokens 0..t-1 lie in that many levels after step t and ever after.
        let mixed = levels(0, t + 5);
        let hers = mixed
            .iter()
            .filter(|l| l.iter().any(|token| *token < t))
            .count();
        assert!(hers as u64 <= u64::from(log_linear_matrices(t)));
        let at_once = levels(0, t)
            .iter()
            .filter(|l| l.iter().any(|token| *token < t))
            .count();
        assert_eq!(at_once as u64, u64::from(log_linear_matrices(t)));
    }
    for row in rows(&text["log_linear"]["eva_loglinear_bounds"]) {
        let got = log_linear(int(row, "n")).unwrap();
        assert_eq!(got.cut, int(row, "cut_2k"));
        assert_eq!(got.eva, BigInt::from(int(row, "bits_cut_2k")));
    }
    assert_eq!(
        log_linear(64).unwrap(),
        LogLinear {
            cut: 64,
            eva: 384.into(),
            percom: 296
        }
    );
    assert!(log_linear(0).is_err());
}

#[test]
fn second_pass() {
    for (n, row) in params()["cot"]["two_pass"].as_object().unwrap() {
        let n: u64 = n.parse().unwrap();
        for (t, expected) in (0..).zip(rows(&row["distinct_rows_per_cut"])) {
            assert_eq!(
                second_pass_states(&big(n), &big(t)),
                Ok(big(expected.as_u64().unwrap()))
            );
        }
    }
    assert!(second_pass_states(&big(2), &big(3)).is_err());
}

#[test]
fn largest_lengths_of_models() {
    let text = data(include_str!("../../../tests/data/thresholds.json"));
    for row in rows(&text["thresholds"]) {
        let bits = big(int(row, "bits"));
        let largest = |need: Need| need.largest_length(&bits).unwrap();
        for (key, need) in [
            ("eva_max_n", Need::Eva),
            ("percom_max_n", Need::PerCom),
            ("two_sum_M_n2_paper_max_n", Need::TwoSumSquare),
            ("two_sum_M_n2_allsets_max_n", Need::TwoSumSquareAll),
            ("two_sum_M_eq_n_max_n", Need::TwoSum),
        ] {
            assert_eq!(largest(need), big(int(row, key)), "{key} of {row}");
        }
        for (alphabet, tokens) in row["copy_max_tokens"].as_object().unwrap() {
            let alphabet = alphabet.parse().unwrap();
            assert_eq!(largest(Need::Copy(alphabet)), big(tokens.as_u64().unwrap()));
        }
    }
    for row in rows(&text["sparse"]) {
        let (block, bits) = (
            int(row, "block_size_B"),
            int(row, "summary_bits_per_block_per_layer"),
        );
        let got = largest_sparse_length(block, bits).unwrap();
        let expected = row["largest_n_counting"].as_str().unwrap();
        assert_eq!(got.map_or(">=2^64".to_owned(), |n| n.to_string()), expected);
    }
}

#[test]
fn very_many_bits_are_as_easy() {
    // C(n^2, n-1) has about n log2 n bits: the answer for 2^100 bits lies between 2^92 and 2^94.
    let n = Need::TwoSumSquareAll
        .largest_length(&(BigUint::one() << 100_u32))
        .unwrap();
    assert!((93..=94).contains(&n.bits()));
    let n = Need::PerCom
        .largest_length(&(BigUint::one() << 100_u32))
        .unwrap();
    assert!((94..=95).contains(&n.bits()));
}

#[test]
fn few_bits_by_hand() {
    let at = |need: &Need, bits: u64| need.largest_length(&big(bits)).unwrap();
    for (need, expected) in [
        (Need::Eva, [1, 1, 2, 2, 2, 3]),
        (Need::PerCom, [1, 2, 2, 3, 3, 4]),
        (Need::TwoSumSquare, [1, 1, 2, 2, 2, 2]),
        (Need::TwoSumSquareAll, [1, 1, 2, 2, 2, 2]),
        (Need::TwoSum, [1, 2, 2, 3, 4, 5]),
        (Need::Copy(big(3)), [0, 0, 1, 1, 2, 3]),
    ] {
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|bits| at(&need, bits)),
            expected.map(big),
            "{need:?}"
        );
    }
    assert!(Need::Copy(big(1)).largest_length(&big(3)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_largest_length_is_the_largest(bits in 0_u64..30_000, which in 0_usize..6) {
        let need = [
            Need::Eva, Need::PerCom, Need::TwoSumSquare, Need::TwoSumSquareAll, Need::TwoSum, Need::Copy(big(12)),
        ][which].clone();
        let n = need.largest_length(&big(bits)).unwrap();
        let limit = BigUint::one() << bits;
        let start = u64::from(which != 5);
        prop_assert!(n < big(start + 1) || need.integer(&n).unwrap() <= limit);
        prop_assert!(need.integer(&(n + 1_u32)).unwrap() > limit);
    }
}

#[test]
fn fooled_by_one_symbol() {
    let mut map: Vec<u64> = (0..16).collect();
    map[1] = 0;
    let found = fooled(4, 2, &map).unwrap().unwrap();
    assert_eq!(
        (found.with, found.without, found.value),
        (vec![0, 1], vec![0, 0], 1)
    );
    assert!(
        fooled(4, 2, &(0..16).collect::<Vec<_>>())
            .unwrap()
            .is_none()
    );
    assert!(fooled(4, 2, &[0]).is_err());
}
