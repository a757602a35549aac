//! Kernels, gaps, codes, softmax, transcripts and recursions against `tests/data/kernel.json`.

use foolproof::evidence::recursion::{Recursion, find, hops};
use foolproof::file::expr::Limits;
use foolproof::rank::code::with_complements;
use foolproof::rank::gap::Accuracy;
use foolproof::rank::kernel::{Kernel, Matrix, pivots, worst};
use foolproof::rank::suite::suite;
use foolproof::rank::token::{Tokens, unordered};
use foolproof::rank::transcript::Transcript;
use foolproof::rank::{Bound, Method, ratio_program};
use foolproof::search::kernel::{best_bound, complete, rank_one, row_optimum};
use foolproof::search::simplex;
use num_rational::BigRational;
use num_traits::Zero;
use serde_json::Value as Json;
use std::collections::BTreeMap;

fn truth() -> Json {
    serde_json::from_str(include_str!("data/kernel.json")).unwrap()
}

fn q(text: &Json) -> BigRational {
    text.as_str().unwrap().parse().unwrap()
}

fn matrix(json: &Json) -> Matrix {
    json.as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_array().unwrap().iter().map(q).collect())
        .collect()
}

#[test]
fn errors_of_the_listed_kernels() {
    let truth = truth();
    for (name, entry) in truth["minip"]["kernels"].as_object().unwrap() {
        let tokens = Tokens::cube(u32::try_from(entry["m"].as_u64().unwrap()).unwrap()).unwrap();
        let kernel = Kernel {
            phi_q: matrix(&entry["phi_q"]),
            phi_k: matrix(&entry["phi_k"]),
        };
        assert_eq!(kernel.features() as u64, entry["rank"].as_u64().unwrap());
        let alpha = kernel.alpha(&tokens).unwrap();
        assert_eq!(pivots(&alpha).len(), kernel.features(), "{name}");
        let all: Vec<usize> = (0..tokens.len()).collect();
        let found = worst(&tokens, 3, &alpha, &all, &matrix(&entry["U"])).unwrap();
        let recheck = &truth["minip"]["kernel_recheck"][name];
        assert_eq!(found.error, q(&entry["max_error"]), "{name}");
        assert_eq!(found.error, q(&recheck["max_error"]), "{name}");
        assert_eq!(
            (tokens.len() as u64).pow(3),
            recheck["ordered_inputs"].as_u64().unwrap()
        );
        assert_eq!(
            unordered(tokens.len(), 3),
            (tokens.len() * (tokens.len() + 1) / 2).into()
        );
        // The program of every row does at least as well.
        for query in all {
            let row = row_optimum(&tokens, 3, query, &alpha[query]).unwrap();
            assert!(row.error <= found.error, "{name}, row {query}");
        }
    }
}

#[test]
fn amplification_by_composition_and_by_program() {
    let truth = truth();
    let standard = Accuracy::standard();
    for (gap, value) in truth["minip"]["amplification_R"].as_object().unwrap() {
        let (gap, value) = (
            gap.parse().unwrap(),
            BigRational::from_integer(value.as_u64().unwrap().into()),
        );
        let composed = standard
            .amplification(gap)
            .map_or_else(BigRational::zero, |found| found.0);
        assert_eq!(composed, value);
        let program = ratio_program(gap, gap, &standard.error).unwrap();
        assert_eq!(simplex::solve(&program).unwrap().value, value, "gap {gap}");
    }
    for (error, row) in truth["minip"]["amplification_R_eps"].as_object().unwrap() {
        let error: BigRational = error.parse().unwrap();
        for (gap, value) in (1..).zip(row.as_array().unwrap()) {
            let program = ratio_program(gap, gap, &error).unwrap();
            assert_eq!(
                simplex::solve(&program).unwrap().value,
                q(value),
                "error {error}, gap {gap}"
            );
        }
    }
}

#[test]
fn least_ranks_and_bounds() {
    let truth = truth();
    let standard = Accuracy::standard();
    for (m, rank) in truth["minip"]["min_rank"].as_object().unwrap() {
        let tokens = Tokens::cube(m[1..].parse().unwrap()).unwrap();
        let rank = usize::try_from(rank.as_u64().unwrap()).unwrap();
        assert!(best_bound(&tokens, &standard).map_or(1, |bound| bound.rank) <= rank);
        if rank == 1 {
            let kernel = rank_one(&tokens, &standard).unwrap().unwrap();
            assert!(complete(&tokens, kernel, &standard).is_some());
        } else {
            assert_eq!(best_bound(&tokens, &standard).unwrap().rank, rank);
        }
    }
    for (m, entry) in truth["minip"]["rank_lower_bounds"].as_object().unwrap() {
        let words: Vec<u64> = entry["code"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_u64().unwrap())
            .collect();
        let pairs = with_complements(m.parse().unwrap(), &words);
        let mut masks: Vec<u64> = pairs.iter().flatten().copied().collect();
        masks.sort_unstable();
        masks.dedup();
        let tokens = Tokens::listed(masks).unwrap();
        let trace = Bound::of(Method::Trace, pairs.clone(), &tokens, &standard).unwrap();
        assert_eq!(trace.value, q(&entry["trace_bound"]));
        let dominance = Bound::of(Method::Dominance, pairs, &tokens, &standard);
        assert_eq!(
            dominance.is_ok(),
            entry["diagonally_dominant"].as_bool().unwrap()
        );
        let best = dominance.map_or(trace.rank, |bound| bound.rank.max(trace.rank));
        assert_eq!(best as u64, entry["r"].as_u64().unwrap());
    }
    let guess = &truth["minip"]["witness_suite_guess"];
    let words: Vec<u64> = guess["words_hex"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| u64::from_str_radix(word.as_str().unwrap(), 16).unwrap())
        .collect();
    let pairs = with_complements(24, &words);
    assert_eq!(
        suite(&pairs, false).len() as u64,
        guess["ordered_inputs"].as_u64().unwrap()
    );
    for row in truth["minip"]["transcript_bound"].as_array().unwrap() {
        let number = |key: &str| u32::try_from(row[key].as_u64().unwrap()).unwrap();
        let found = Transcript::new(number("q"), number("s")).unwrap();
        assert_eq!(
            (found.bits, found.enumerate()),
            (number("m"), Some(u64::from(number("answer_vectors"))))
        );
    }
}

fn recursion(
    symbols: u64,
    length: usize,
    k: u64,
    start: &[(&str, &str)],
    layers: &str,
    bit: &str,
) -> Recursion {
    let map = |list: &[(&str, &str)]| -> BTreeMap<String, String> {
        list.iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect()
    };
    let acc = format!("if ({bit}) mod 2 = 1 then there.acc else acc");
    Recursion {
        range: format!("k in {k}..{k}"),
        symbols,
        length,
        hops: "k".to_owned(),
        start: map(start),
        layers: layers.to_owned(),
        look: "dbl".to_owned(),
        set: map(&[("dbl", "there.dbl"), ("acc", &acc)]),
        output: "acc".to_owned(),
    }
}

/// Inputs of exactly this length with a wrong position, and the first of them.
fn wrong(claim: &Recursion) -> (u64, Option<Vec<u64>>) {
    let points = claim.points().unwrap();
    let machine = claim.machine(&points[0], Limits::default()).unwrap();
    let (mut count, mut first) = (0, None);
    claim
        .each_input(&mut |input| {
            if input.len() == claim.length
                && machine.outputs(input, claim.symbols).unwrap()
                    != hops(input, claim.symbols, machine.hops())
            {
                count += 1;
                first.get_or_insert_with(|| input.to_vec());
            }
            Ok(true)
        })
        .unwrap();
    (count, first)
}

#[test]
fn the_printed_recursion_and_its_repairs() {
    let truth = truth();
    for row in truth["khop"]["exhaustive"].as_array().unwrap() {
        let number = |key: &str| row[key].as_u64().unwrap();
        let (symbols, k) = (number("alphabet"), number("k"));
        let length = usize::try_from(number("N")).unwrap();
        let printed = recursion(
            symbols,
            length,
            k,
            &[
                ("dbl", "find1"),
                ("acc", "if k mod 2 = 1 then find1 else self"),
            ],
            "l in 2..bits(k+1)",
            "k div 2^(l-1)",
        );
        let (count, first) = wrong(&printed);
        assert_eq!(count, number("wrong_printed_accumulator"), "{row}");
        if let Some(witness) = row["first_witness"].as_array() {
            let witness: Vec<u64> = witness.iter().filter_map(Json::as_u64).collect();
            assert_eq!(first, Some(witness), "{row}");
        }
        let halved = Recursion {
            hops: "(k+1) div 2".to_owned(),
            ..printed
        };
        assert_eq!(
            wrong(&halved).0 == 0,
            row["printed_equals_hop_ceil_k_half"].as_bool().unwrap()
        );
        let ceil = recursion(
            symbols,
            length,
            k,
            &[("dbl", "find1"), ("acc", "find1")],
            "l in 2..bits(k)+1",
            "(k-1) div 2^(l-2)",
        );
        assert_eq!(wrong(&ceil).0, number("wrong_ceil_construction"));
        let floor = recursion(
            symbols,
            length,
            k,
            &[("dbl", "if last = 0 then 0 else last + 1"), ("acc", "self")],
            "l in 2..bits(k+1)+1",
            "k div 2^(l-2)",
        );
        assert_eq!(
            wrong(&floor).0,
            number("wrong_floor_construction_strict_layer1")
        );
    }
    for row in truth["khop"]["strict_lemma_mismatch"].as_array().unwrap() {
        let (symbols, length) = (
            row["alphabet"].as_u64().unwrap(),
            row["N"].as_u64().unwrap(),
        );
        let mut input = vec![0; usize::try_from(length).unwrap()];
        let mut count = 0;
        loop {
            let said = |strict| {
                find(&input, strict)[1..]
                    .iter()
                    .map(|at| at.checked_sub(1).map(|place| input[place]))
                    .collect::<Vec<_>>()
            };
            count += u64::from(said(true) != said(false));
            if !foolproof::evidence::recursion::advance(&mut input, symbols) {
                break;
            }
        }
        assert_eq!(count, row["wrong"].as_u64().unwrap(), "{row}");
    }
}
