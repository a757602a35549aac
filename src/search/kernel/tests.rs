use super::*;

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

#[test]
fn rows_of_the_constant_kernel() {
    let tokens = Tokens::cube(3).unwrap();
    let alpha = Kernel::uniform(8).alpha(&tokens).unwrap();
    let standard = Accuracy::standard();
    for (query, error) in [(0, q(0, 1)), (1, q(1, 3))] {
        let row = row_optimum(&tokens, 3, query, &alpha[query]).unwrap();
        assert!(row.error <= error, "{query}: {}", row.error);
    }
    let square = Tokens::cube(2).unwrap();
    let alpha = Kernel::uniform(4).alpha(&square).unwrap();
    let row = row_optimum(&square, 3, 3, &alpha[3]).unwrap();
    assert_eq!(row.error, q(1, 2));
    let Some(Answer::Refuted(weights)) = readout(&square, &alpha, &[3], &standard) else {
        panic!("the constant kernel has no readout at weight 2");
    };
    assert_eq!(weights.len(), 3);
}

#[test]
fn rank_one_up_to_three_bits_and_not_at_four() {
    let standard = Accuracy::standard();
    for bits in 1..=3 {
        let tokens = Tokens::cube(bits).unwrap();
        let kernel = rank_one(&tokens, &standard).unwrap().unwrap();
        assert!(
            complete(&tokens, kernel, &standard).is_some(),
            "{bits} bits"
        );
    }
    let four = Tokens::listed(vec![3, 12]).unwrap();
    let weights = rank_one(&four, &standard).unwrap().unwrap_err();
    assert_eq!(refute_rank_one(&four, &weights, &standard), Ok(()));
}

#[test]
fn four_bits_need_rank_two_and_five_bits_three() {
    let standard = Accuracy::standard();
    for (bits, rank) in [(4, 2), (5, 3)] {
        let tokens = Tokens::cube(bits).unwrap();
        assert_eq!(best_bound(&tokens, &standard).unwrap().rank, rank);
    }
}

#[test]
fn the_search_finds_rank_two_at_four_bits() {
    let standard = Accuracy::standard();
    let tokens = Tokens::cube(4).unwrap();
    let found = search(&tokens, 2, &standard, Effort::default(), &|| false).unwrap();
    assert_eq!(found.kernel.features(), 2);
    let alpha = found.kernel.alpha(&tokens).unwrap();
    let rounded = rounded(&tokens, &found, &standard);
    let error = error_of(&tokens, &alpha, &rounded, 3).unwrap();
    assert!(error < standard.error && error <= found.error);
    // A search that is stopped finds nothing, and says no more than that.
    assert_eq!(
        search(&tokens, 2, &standard, Effort::default(), &|| true),
        None
    );
}

#[test]
fn the_linear_kernel_works_up_to_five_bits() {
    let standard = Accuracy::standard();
    for bits in 1..=5 {
        let tokens = Tokens::cube(bits).unwrap();
        let kernel = linear(&tokens).unwrap();
        assert_eq!(kernel.features(), bits as usize + 1);
        assert!(
            complete(&tokens, kernel, &standard).is_some(),
            "{bits} bits"
        );
    }
}
