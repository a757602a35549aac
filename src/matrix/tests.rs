//! Golden counts, and the definition by plain recursion as an oracle.

use super::exhausted::Exhausted;
use super::small::Depths;
use super::variant::{self, Rounds};
use super::*;
use proptest::prelude::*;

/// D from the definition: no masks, no memory, no bounds.
fn oracle(rows: &[Vec<u64>]) -> usize {
    let first = rows[0][0];
    if rows.iter().flatten().all(|entry| *entry == first) {
        return 0;
    }
    let parts = |list: &[Vec<u64>]| -> usize {
        (1..1_usize << (list.len() - 1))
            .map(|mask| {
                let part = |wanted: bool| -> Vec<Vec<u64>> {
                    let chosen = list.iter().enumerate();
                    let chosen = chosen.filter(|(i, _)| (mask >> i & 1 == 1) == wanted);
                    chosen.map(|(_, row)| row.clone()).collect()
                };
                oracle(&part(true)).max(oracle(&part(false)))
            })
            .min()
            .unwrap_or(usize::MAX - 1)
    };
    let columns: Vec<Vec<u64>> = (0..rows[0].len())
        .map(|column| rows.iter().map(|row| row[column]).collect())
        .collect();
    1 + parts(rows).min(parts(&columns))
}

fn entries(matrix: &Matrix) -> Vec<Vec<u64>> {
    (0..matrix.rows())
        .map(|row| {
            (0..matrix.columns())
                .map(|column| matrix.at(row, column))
                .collect()
        })
        .collect()
}

fn read(text: &str) -> Matrix {
    Matrix::parse(text).unwrap()
}

#[test]
fn histograms_of_small_matrices() {
    let depths = Depths::new(4, 4).unwrap();
    assert_eq!(depths.histogram(2, 2), [2, 4, 10]);
    assert_eq!(depths.histogram(3, 3), [2, 12, 234, 264]);
    assert_eq!(depths.histogram(4, 4), FOUR);
    assert_eq!(depths.histogram(2, 3), depths.histogram(3, 2));
}

/// Computed here, and by a second program.
const FOUR: [u64; 4] = [2, 28, 2_842, 62_664];

#[test]
fn tables_agree_with_the_definition() {
    let depths = Depths::new(3, 4).unwrap();
    for word in (0..1_usize << 12).step_by(7) {
        let matrix = Matrix::of(3, 4, |i, j| (word >> (i * 4 + j) & 1) as u64).unwrap();
        assert_eq!(
            usize::from(depths.depth(3, 4, word)),
            oracle(&entries(&matrix))
        );
    }
}

#[test]
fn worked_example() {
    let matrix = read("1101\n0101\n1000\n1011\n");
    assert_eq!(oracle(&entries(&matrix)), 3);
    assert_eq!(Minors::of(&matrix).check(&matrix), Ok(7));
    assert_eq!(
        (
            variant::one_way(&matrix, Party::Alice),
            variant::simultaneous(&matrix)
        ),
        (2, 4)
    );
}

#[test]
fn reading() {
    assert_eq!(read("# note\n\n10\n01\n").texts(), ["10", "01"]);
    assert_eq!(read("1 0\n0 12\r\n").texts(), ["1 0", "0 12"]);
    assert_eq!(read("7\n8").rows(), 2);
    for (text, at, message) in [
        ("10\n0x\n", 4..5, "found `x`, expected a digit"),
        (
            "10\n011\n",
            3..6,
            "found a row of 3 entries, expected 2 as in the first row",
        ),
        (
            "1 0\n0 -1\n",
            6..8,
            "found `-1`, expected a number below 2^63",
        ),
        (
            "1 0\n01\n",
            4..6,
            "found a row of 1 entries, expected 2 as in the first row",
        ),
    ] {
        let error = Matrix::parse(text).unwrap_err();
        assert_eq!((error.at, error.message.as_str()), (at, message), "{text}");
    }
    assert!(Matrix::parse("# nothing\n").is_err());
    let tall = Matrix::new(&[vec![10], vec![11]]).unwrap();
    let texts = tall.texts();
    assert_eq!(Matrix::of_texts(texts.iter().map(String::as_str)), Ok(tall));
}

#[test]
fn named_functions() {
    let size = |name: &str, bits| {
        let matrix = Named::of_name(name).unwrap().matrix(bits).unwrap();
        (
            matrix.rows(),
            matrix.columns(),
            Minors::of(&matrix).leaves(),
        )
    };
    assert_eq!(size("EQ", 3), (8, 8, 16));
    assert_eq!(size("gt", 3), (8, 8, 15));
    assert_eq!(size("DISJ", 3), (8, 8, 15));
    assert_eq!(size("IP", 3), (8, 8, 15));
    assert_eq!(size("IND", 3), (8, 3, 6));
    assert!(Named::Equality.matrix(0).is_none() && Named::of_name("XOR").is_none());
}

#[test]
fn rounds_only_help() {
    // Index: Bob's address first, then Alice's bit; in one round Alice must say all of it.
    let index = Named::Index.matrix(2).unwrap();
    let mut rounds = Rounds::new(&index, 3, 1 << 20).unwrap();
    let depths: Vec<u8> = (1..=3).map(|k| rounds.least(k)).collect();
    assert_eq!(depths, [variant::NEVER, 2, 2]);
    let row = read("0101");
    assert_eq!(Rounds::new(&row, 1, 1 << 20).unwrap().least(1), 1);
}

/// A tree in which Alice names her row, then Bob the value.
fn by_rows(matrix: &Matrix) -> Tree {
    let mut tree = Tree { nodes: Vec::new() };
    grow(matrix, &(0..matrix.rows()).collect::<Vec<_>>(), &mut tree);
    tree
}

fn grow(matrix: &Matrix, rows: &[usize], tree: &mut Tree) -> usize {
    let place = tree.nodes.len();
    tree.nodes.push(Node::Leaf(0));
    tree.nodes[place] = if let [row] = rows {
        let ones: Vec<usize> = (0..matrix.columns())
            .filter(|c| matrix.at(*row, *c) == matrix.values()[0])
            .collect();
        if ones.is_empty() || ones.len() == matrix.columns() {
            Node::Leaf(matrix.at(*row, 0))
        } else {
            let values = matrix.values();
            tree.nodes.push(Node::Leaf(values[1]));
            tree.nodes.push(Node::Leaf(values[0]));
            Node::Bit {
                speaker: Party::Bob,
                ones,
                next: [place + 1, place + 2],
            }
        }
    } else {
        let (left, right) = rows.split_at(rows.len() / 2);
        let next = [grow(matrix, left, tree), grow(matrix, right, tree)];
        Node::Bit {
            speaker: Party::Alice,
            ones: right.to_vec(),
            next,
        }
    };
    place
}

#[test]
fn trees_are_checked() {
    let matrix = read("1101\n0101\n1000\n1011\n");
    let tree = by_rows(&matrix);
    assert_eq!(
        tree.check(&matrix),
        Ok(Measured {
            depth: 3,
            leaves: 8,
            rounds: 2
        })
    );
    let change = |change: &dyn Fn(&mut Vec<Node>)| {
        let mut tree = tree.clone();
        change(&mut tree.nodes);
        tree.check(&matrix).unwrap_err().reason
    };
    let leaf = tree
        .nodes
        .iter()
        .position(|node| matches!(node, Node::Leaf(_)))
        .unwrap();
    assert_eq!(
        change(&|nodes| nodes[leaf] = Node::Leaf(7)),
        Reason::NotConstant
    );
    assert_eq!(change(&|nodes| nodes.push(Node::Leaf(0))), Reason::Coverage);
    assert_eq!(change(&|nodes| nodes.clear()), Reason::Coverage);
    assert_eq!(
        change(&|nodes| {
            if let Node::Bit { ones, .. } = &mut nodes[0] {
                ones.clear();
            }
        }),
        Reason::Coverage
    );
    assert_eq!(
        change(&|nodes| {
            if let Node::Bit { next, .. } = &mut nodes[0] {
                next[0] = 0;
            }
        }),
        Reason::Coverage
    );
}

#[test]
fn fooling_sets_are_checked() {
    let equality = read("100\n010\n001\n");
    let diagonal: Vec<(usize, usize)> = (0..3).map(|i| (i, i)).collect();
    let zeros = vec![(0, 1), (1, 2), (2, 0)];
    let check = |sets: &[&[(usize, usize)]]| {
        let sets = sets.iter().map(|set| set.to_vec()).collect();
        FoolingSet(sets)
            .check(&equality)
            .map_err(|flaw| flaw.reason)
    };
    assert_eq!(check(&[&zeros, &diagonal]), Ok(6));
    assert_eq!(check(&[&zeros]), Err(Reason::Size));
    assert_eq!(check(&[&zeros, &[]]), Err(Reason::Size));
    assert_eq!(check(&[&diagonal, &diagonal]), Err(Reason::NotConstant));
    assert_eq!(check(&[&[(0, 1), (0, 2)], &diagonal]), Err(Reason::Bound));
    assert_eq!(
        check(&[&[(1, 2), (0, 1)], &diagonal]),
        Err(Reason::Coverage)
    );
}

#[test]
fn empty_tables_show_that_some_4x4_matrices_need_3_bits() {
    let depths = Depths::new(4, 4).unwrap();
    let mut shown = 0;
    for word in (0..1_usize << 16).step_by(11) {
        let matrix = Matrix::of(4, 4, |i, j| (word >> (i * 4 + j) & 1) as u64).unwrap();
        let table = Exhausted {
            levels: vec![Vec::new(); 2],
        };
        let hard = table.check(&matrix, 1 << 20).is_ok();
        assert_eq!(hard, depths.depth(4, 4, word) > 2, "{:?}", matrix.texts());
        shown += usize::from(hard);
    }
    assert!(shown > 1_000);
}

fn matrices() -> impl Strategy<Value = Matrix> {
    (1_usize..=4, 1_usize..=4, 2_u64..=4).prop_flat_map(|(rows, columns, values)| {
        let row = proptest::collection::vec(0..values, columns);
        proptest::collection::vec(row, rows).prop_map(|rows| Matrix::new(&rows).unwrap())
    })
}

proptest! {
    #[test]
    fn laws(matrix in matrices()) {
        let depth = oracle(&entries(&matrix));
        prop_assert_eq!(depth, oracle(&entries(&matrix.transposed())));
        let inputs = matrix.reduced();
        let reduced = Matrix::of(inputs.rows.len(), inputs.columns.len(), |i, j| {
            matrix.at(inputs.rows[i], inputs.columns[j])
        }).unwrap();
        prop_assert_eq!(depth, oracle(&entries(&reduced)));
        let leaves = Minors::of(&matrix).check(&matrix).unwrap();
        prop_assert!(bits(leaves) as usize <= depth);
        // One round costs at least as much as two, and enough rounds cost D.
        let mut rounds = Rounds::new(&matrix, 6, 1 << 24).unwrap();
        let few: Vec<u8> = (1..=6).map(|k| rounds.least(k)).collect();
        prop_assert!(few.windows(2).all(|pair| pair[0] >= pair[1]));
        prop_assert_eq!(usize::from(few[5]), depth);
        if depth > 0 {
            // The table with every rectangle that is not shown by rank needs no search.
            let table = Exhausted { levels: full_table(&matrix, depth - 1) };
            prop_assert!(table.check(&matrix, 1 << 22).is_ok());
        }
        let table = Exhausted { levels: vec![Vec::new(); depth] };
        prop_assert_eq!(table.check(&matrix, 1 << 22).unwrap_err().reason, Reason::Bound);
    }
}

/// All rectangles that are hard at each level below `bits`.
fn full_table(matrix: &Matrix, bits: usize) -> Vec<Vec<Rectangle>> {
    let parts = |count: usize| {
        (1..1_usize << count).map(move |mask| {
            (0..count)
                .filter(|i| mask >> i & 1 == 1)
                .collect::<Vec<_>>()
        })
    };
    (0..bits)
        .map(|level| {
            parts(matrix.rows())
                .flat_map(|rows| {
                    parts(matrix.columns()).map(move |columns| Rectangle {
                        rows: rows.clone(),
                        columns,
                    })
                })
                .filter(|rectangle| {
                    let part = Matrix::of(rectangle.rows.len(), rectangle.columns.len(), |i, j| {
                        matrix.at(rectangle.rows[i], rectangle.columns[j])
                    });
                    oracle(&entries(&part.unwrap())) > level
                })
                .collect()
        })
        .collect()
}
