//! Each structure accepts what it should, and names what is wrong with everything else.

use super::fixtures::{ByRule, Says, alphabet, chain, cycle, eva, hybrid, slot, sparse, toy};
use super::*;
use crate::exact::Form;
use crate::game::family::one_way;
use crate::game::task::membership::Membership;
use crate::game::{Channel, Symbol};
use std::collections::BTreeSet;
use std::sync::Arc;

fn big(number: u64) -> BigUint {
    number.into()
}

fn inputs(list: &[&[u64]]) -> Inputs {
    Inputs(list.iter().map(|digits| digits.to_vec()).collect())
}

#[track_caller]
fn code<T: fmt::Debug>(result: Result<T, impl Into<Failure>>) -> Code {
    result.unwrap_err().into().violation().unwrap().code
}

#[track_caller]
fn at<T: fmt::Debug>(result: Result<T, impl Into<Failure>>) -> String {
    result.unwrap_err().into().violation().unwrap().at.clone()
}

/// A says how many ones f has, B says g[x]; the answer function is free.
fn says_sum() -> Says {
    Says(
        |slot, sight| match slot.0 {
            1 => sight.sender().input.iter().sum(),
            2 => sight.sender().input[usize::try_from(sight.consulted()[0].input[0]).unwrap()],
            _ => 0,
        },
        |_| None,
    )
}

#[test]
fn words_are_those_of_the_format_page() {
    let words = "malformed not-canonical unknown-key unknown-kind format claim file digest trust seal scope-mismatch \
        kind-mismatch domain alphabet view-differs common-answer accepted not-separated bound not-constant size reach encoding \
        symmetry proof-step proof-end coverage arithmetic replay";
    let all = [
        Code::Malformed,
        Code::NotCanonical,
        Code::UnknownKey,
        Code::UnknownKind,
        Code::Format,
        Code::Claim,
        Code::File,
        Code::Digest,
        Code::Trust,
        Code::Seal,
        Code::ScopeMismatch,
        Code::KindMismatch,
        Code::Domain,
        Code::Alphabet,
        Code::ViewDiffers,
        Code::CommonAnswer,
        Code::Accepted,
        Code::NotSeparated,
        Code::Bound,
        Code::NotConstant,
        Code::Size,
        Code::Reach,
        Code::Encoding,
        Code::Symmetry,
        Code::ProofStep,
        Code::ProofEnd,
        Code::Coverage,
        Code::Arithmetic,
        Code::Replay,
    ];
    assert!(
        all.iter()
            .map(|code| code.word())
            .eq(words.split_whitespace())
    );
}

#[test]
fn pair_of_the_tutorial() {
    let (game, task) = chain(3, false);
    let protocol = says_sum();
    let pair = Pair {
        left: inputs(&[&[0, 1], &[0, 0], &[0]]),
        right: inputs(&[&[1, 0], &[0, 0], &[0]]),
    };
    let view = pair.holds(&game, &task, &protocol).unwrap();
    assert_eq!(
        view.stored,
        [(SlotId(1), Symbol(1)), (SlotId(2), Symbol(0))]
    );

    let mut wrong = pair.clone();
    wrong.right.0[2] = vec![2];
    let violation = wrong.holds(&game, &task, &protocol).unwrap_err();
    assert_eq!(
        (violation.at.as_str(), violation.code),
        ("/right/C", Code::Domain)
    );
    wrong.right.0.pop();
    assert_eq!(code(wrong.holds(&game, &task, &protocol)), Code::Domain);
    let mut wrong = pair.clone();
    wrong.right.0[0] = vec![1, 1];
    assert_eq!(
        code(wrong.holds(&game, &task, &protocol)),
        Code::ViewDiffers
    );
    let mut wrong = pair.clone();
    wrong.left = wrong.right.clone();
    assert_eq!(
        code(wrong.holds(&game, &task, &protocol)),
        Code::CommonAnswer
    );
    let loud = Says(|_, _| 7, |_| None);
    assert_eq!(code(pair.holds(&game, &task, &loud)), Code::Replay);
}

#[test]
fn counterexample() {
    let (game, task) = chain(3, false);
    let zero = Says(|_, _| 0, |_| Some(0));
    let wrong = Counterexample {
        input: inputs(&[&[0, 1], &[1, 0], &[0]]),
        answer: Answer(0),
    };
    assert_eq!(wrong.holds(&game, &task, &zero), Ok(Accepted::One(1)));
    let other = Counterexample {
        answer: Answer(1),
        ..wrong.clone()
    };
    assert_eq!(code(other.holds(&game, &task, &zero)), Code::Replay);
    assert_eq!(code(wrong.holds(&game, &task, &says_sum())), Code::Replay);
    let mut right = wrong.clone();
    right.input.0[2] = vec![1];
    assert_eq!(code(right.holds(&game, &task, &zero)), Code::Accepted);
    right.input.0[0] = vec![0];
    assert_eq!(code(right.holds(&game, &task, &zero)), Code::Domain);
    let outside = Says(|_, _| 0, |_| Some(2));
    let said = Counterexample {
        answer: Answer(2),
        ..wrong
    };
    assert_eq!(code(said.holds(&game, &task, &outside)), Code::Replay);
}

/// Alice's x forbids answer x; with one symbol, three inputs leave no answer, any two leave one.
fn all_but(values: u64) -> (Game, ByRule) {
    let number = |n| super::fixtures::domain(Form::Number(n));
    let game = one_way::game(alphabet(1), number(values), number(1)).unwrap();
    let task = ByRule(3, |x| {
        Accepted::Only((0..3).filter(|answer| *answer != x.0[0][0] % 3).collect())
    });
    (game, task)
}

#[test]
fn conflict_without_a_pair() {
    let (game, task) = all_but(4);
    let silent = Says(|_, _| 0, |_| None);
    let of = |list: &[u64]| Conflict {
        inputs: list.iter().map(|x| inputs(&[&[*x], &[0]])).collect(),
    };
    assert!(of(&[0, 1, 2]).holds(&game, &task, &silent).is_ok());
    assert!(of(&[1, 2, 3]).holds(&game, &task, &silent).is_ok());
    assert_eq!(
        code(of(&[0, 1, 2, 3]).holds(&game, &task, &silent)),
        Code::Bound
    );
    assert_eq!(code(of(&[0, 1]).holds(&game, &task, &silent)), Code::Bound);
    assert_eq!(
        code(of(&[0, 2, 1]).holds(&game, &task, &silent)),
        Code::Coverage
    );
    assert_eq!(
        code(of(&[0, 1, 1]).holds(&game, &task, &silent)),
        Code::Coverage
    );
    assert_eq!(
        code(of(&[0, 1, 3]).holds(&game, &task, &silent)),
        Code::CommonAnswer
    );
    assert_eq!(
        code(of(&[0, 1, 9]).holds(&game, &task, &silent)),
        Code::Domain
    );
    let (game, task) = (
        Game::new(
            game.players().to_vec(),
            vec![vec![slot(0, 1, &[], Channel::Linear, 4)]],
            PlayerId(1),
        )
        .unwrap(),
        task,
    );
    let honest = Says(|_, sight| sight.sender().input[0], |_| None);
    assert_eq!(
        code(of(&[0, 1, 2]).holds(&game, &task, &honest)),
        Code::ViewDiffers
    );
}

/// Alice says her bit, Bob repeats it.
fn echo() -> (Game, ByRule, ProtocolTables) {
    let number = |n| super::fixtures::domain(Form::Number(n));
    let game = one_way::game(alphabet(3), number(2), number(2)).unwrap();
    let task = ByRule(2, |x| Accepted::One(x.0[0][0]));
    let tables = ProtocolTables {
        tables: vec![Some(vec![0, 2])],
        answers: vec![0, 0, 1, 0, 0, 1],
    };
    (game, task, tables)
}

#[test]
fn protocol_tables_and_their_mutants() {
    let (game, task, tables) = echo();
    assert_eq!(tables.holds(&game, &task, &big(4)), Ok(big(4)));
    let Err(Failure::TooLarge(refused)) = tables.holds(&game, &task, &big(3)) else {
        panic!("expected a refusal");
    };
    assert_eq!(refused.size, Ok(big(4)));
    let mutant = |change: fn(&mut ProtocolTables)| {
        let mut mutant = tables.clone();
        change(&mut mutant);
        mutant.holds(&game, &task, &big(4))
    };
    assert_eq!(code(mutant(|t| t.tables.push(None))), Code::Size);
    assert_eq!(code(mutant(|t| t.tables[0] = Some(vec![0]))), Code::Size);
    assert_eq!(code(mutant(|t| t.answers.truncate(5))), Code::Size);
    assert_eq!(
        code(mutant(|t| t.tables[0] = Some(vec![0, 3]))),
        Code::Alphabet
    );
    assert_eq!(
        at(mutant(|t| t.tables[0] = Some(vec![0, 3]))),
        "/tables/0/1"
    );
    assert_eq!(code(mutant(|t| t.answers[1] = 2)), Code::Alphabet);
    assert_eq!(code(mutant(|t| t.answers[5] = 0)), Code::Accepted);
    assert_eq!(code(mutant(|t| t.tables[0] = None)), Code::Accepted);
    // An answer that no run asks for does not matter.
    assert!(mutant(|t| t.answers[1] = 1).is_ok());
    let one = Game::new(
        game.players().to_vec(),
        vec![vec![slot(0, 1, &[], Channel::Linear, 1)]],
        PlayerId(1),
    )
    .unwrap();
    let silent = ProtocolTables {
        tables: vec![Some(vec![0, 0])],
        answers: vec![0, 0],
    };
    assert_eq!(code(silent.holds(&one, &task, &big(4))), Code::Size);
}

#[test]
fn a_shared_map_is_one_function() {
    // One value per block: the summary says it, so the answer is known without reading.
    let game = sparse(2, 1, 2, 0, 2, true);
    let mut answers = Vec::new();
    for v in 0..2 {
        answers.extend([(0, 0), (0, 1), (1, 0), (1, 1)].map(|(a, b)| u64::from(a == v || b == v)));
    }
    let identity = Some(vec![0, 1]);
    let good = ProtocolTables {
        tables: vec![identity.clone(), identity, None],
        answers,
    };
    assert_eq!(good.holds(&game, &Membership, &big(8)), Ok(big(8)));
    let mut odd = good.clone();
    odd.tables[1] = Some(vec![1, 0]);
    assert_eq!(code(odd.holds(&game, &Membership, &big(8))), Code::Replay);
    // Without the option the two blocks may differ; these answers are then wrong.
    let free = sparse(2, 1, 2, 0, 2, false);
    assert_eq!(code(odd.holds(&free, &Membership, &big(8))), Code::Accepted);
}

#[test]
fn relay_of_the_toy() {
    let (game, _) = toy("FRF");
    let game = Arc::new(game);
    let player = |label: &str| game.find_player(label).unwrap();
    let id = |name: &str| game.find_slot(name).unwrap();
    assert_eq!((id("soft 1->0 @1").0, id("lin 0->-1 @1.1").0), (3, 8));
    let left = Inputs::first(&game);
    let mut right = left.clone();
    right.0[1] = vec![1];
    let witness = RelayWitness {
        of: player("1"),
        view: player("-1"),
        after: 4,
        pinned: vec![SlotId(4)],
        path: vec![SlotId(3), SlotId(8)],
        left,
        right,
    };
    assert_eq!(witness.holds(&game), Ok(()));
    let mutant = |change: fn(&mut RelayWitness)| {
        let mut mutant = witness.clone();
        change(&mut mutant);
        mutant.holds(&game)
    };
    assert_eq!(
        code(mutant(|w| w.pinned.push(SlotId(3)))),
        Code::NotConstant
    );
    assert_eq!(code(mutant(|w| w.path.swap(0, 1))), Code::Coverage);
    assert_eq!(code(mutant(|w| w.path.truncate(1))), Code::Coverage);
    assert_eq!(code(mutant(|w| w.path.clear())), Code::Coverage);
    assert_eq!(code(mutant(|w| w.path[1] = SlotId(99))), Code::Coverage);
    assert_eq!(code(mutant(|w| w.after = 3)), Code::Coverage);
    assert_eq!(code(mutant(|w| w.right.0[0] = vec![0, 1])), Code::Domain);
    assert_eq!(code(mutant(|w| w.right.0[1] = vec![2])), Code::Domain);
    assert_eq!(code(mutant(|w| w.right = w.left.clone())), Code::Domain);
    // The same player needs no path.
    let own = RelayWitness {
        view: player("1"),
        path: Vec::new(),
        ..witness.clone()
    };
    assert_eq!(own.holds(&game), Ok(()));
}

#[test]
fn cuts_of_the_first_epoch() {
    let soft: Vec<(i64, i64, u64)> = [(2, 1), (2, 0), (1, 0), (2, -1), (1, -1), (0, -1)]
        .map(|(a, b)| (a, b, 2))
        .into();
    let linear = [(2, 1, 2), (1, 0, 2), (0, -1, 2)];
    let (game, _) = hybrid(2, &[2, 2], &[1], "FR", &soft, &linear);
    let of = game.find_player("1").unwrap();
    let view = game.find_player("-1").unwrap();
    let ids = |names: &[&str]| -> Vec<SlotId> {
        let mut ids: Vec<SlotId> = names
            .iter()
            .map(|name| game.find_slot(name).unwrap())
            .collect();
        ids.sort_unstable();
        ids
    };
    let small = ids(&["soft 1->-1 @1", "lin 0->-1 @1.1"]);
    let large = ids(&["soft 1->-1 @1", "soft 1->0 @1", "lin 1->0 @1.1"]);
    let after = game.rounds();
    let cut = |pinned: Vec<SlotId>| {
        Cut {
            of,
            view,
            after,
            pinned,
        }
        .holds(&game)
    };
    assert_eq!(cut(small.clone()), Ok(()));
    assert_eq!(cut(large.clone()), Ok(()));
    assert_eq!(
        code(cut(ids(&["soft 1->-1 @1", "lin 1->0 @1.1"]))),
        Code::NotConstant
    );
    assert_eq!(code(cut(vec![SlotId(1000)])), Code::Coverage);

    let list = |cuts: &[&Vec<SlotId>], equals: &[&Vec<SlotId>]| {
        let own = |list: &[&Vec<SlotId>]| list.iter().map(|cut| (*cut).clone()).collect::<Vec<_>>();
        Cuts {
            of,
            view,
            after,
            cuts: own(cuts),
            equals: own(equals),
        }
    };
    let limit = big(1000);
    assert_eq!(
        list(&[&small, &large], &[&large, &small]).holds(&game, &limit),
        Ok(true)
    );
    assert_eq!(
        list(&[&small, &large], &[&small]).holds(&game, &limit),
        Ok(false)
    );
    let rejected = |cuts: &[&Vec<SlotId>]| code(list(cuts, &[]).holds(&game, &limit));
    assert_eq!(rejected(&[&small]), Code::Coverage);
    assert_eq!(rejected(&[]), Code::Coverage);
    assert_eq!(rejected(&[&large, &small]), Code::Coverage);
    assert_eq!(rejected(&[&small, &small, &large]), Code::Coverage);
    assert_eq!(rejected(&[&small[..1].to_vec(), &large]), Code::NotConstant);
    assert_eq!(
        rejected(&[&small, &[large.clone(), small.clone()].concat()]),
        Code::Bound
    );
    assert_eq!(rejected(&[&Vec::new()]), Code::Coverage);
    let Err(Failure::TooLarge(refused)) = list(&[&small, &large], &[]).holds(&game, &big(5)) else {
        panic!("expected a refusal");
    };
    assert_eq!(refused.size, Ok(big(6)));
    // Player -1 says nothing to player 1: nothing leaks, and the list is empty.
    let none = Cuts {
        of: view,
        view: of,
        after,
        cuts: Vec::new(),
        equals: Vec::new(),
    };
    assert_eq!(none.holds(&game, &limit), Ok(true));
}

/// The family of the tutorial: all four f, tests (00, 0) and (11, 0).
fn tutorial_family(bound: u64) -> Family {
    let two = |a, b| vec![vec![a, b]];
    Family {
        side: vec![PlayerId(0)],
        members: vec![two(0, 0), two(0, 1), two(1, 0), two(1, 1)],
        tests: vec![vec![vec![0, 0], vec![0]], vec![vec![1, 1], vec![0]]],
        bound: big(bound),
        separators: None,
    }
}

#[test]
fn family_of_the_tutorial_and_its_mutants() {
    for s in 1..=3 {
        let (game, task) = chain(s, false);
        assert_eq!(tutorial_family(s).holds(&game, &task, &big(8)), Ok(()));
    }
    let (game, task) = chain(4, false);
    assert_eq!(
        code(tutorial_family(4).holds(&game, &task, &big(8))),
        Code::Bound
    );
    let (game, task) = chain(3, false);
    let mutant = |change: fn(&mut Family)| {
        let mut mutant = tutorial_family(3);
        change(&mut mutant);
        mutant.holds(&game, &task, &big(100))
    };
    assert_eq!(code(mutant(|f| f.bound = 2u8.into())), Code::Bound);
    assert_eq!(code(mutant(|f| f.bound = 4u8.into())), Code::Bound);
    assert_eq!(code(mutant(|f| f.members.truncate(3))), Code::Bound);
    assert_eq!(
        code(mutant(|f| f.members[3] = f.members[0].clone())),
        Code::NotSeparated
    );
    assert_eq!(
        at(mutant(|f| f.members[3] = f.members[0].clone())),
        "/members/3"
    );
    assert_eq!(code(mutant(|f| f.tests.truncate(1))), Code::NotSeparated);
    assert_eq!(code(mutant(|f| f.tests.clear())), Code::NotSeparated);
    assert_eq!(code(mutant(|f| f.tests[1][1] = vec![2])), Code::Domain);
    assert_eq!(at(mutant(|f| f.tests[1][1] = vec![2])), "/tests/1/C");
    assert_eq!(code(mutant(|f| f.members[0] = Vec::new())), Code::Domain);
    assert_eq!(code(mutant(|f| f.side = vec![PlayerId(2)])), Code::Coverage);
    assert_eq!(code(mutant(|f| f.side = vec![PlayerId(9)])), Code::Coverage);
    // A test with another x doubles what the crossing slot sees.
    assert_eq!(code(mutant(|f| f.tests[1][1] = vec![1])), Code::Bound);
    assert_eq!(
        code(mutant(|f| {
            f.tests[1][1] = vec![1];
            f.bound = 9u8.into();
        })),
        Code::Bound
    );
    assert!(matches!(
        tutorial_family(3).holds(&game, &task, &big(7)),
        Err(Failure::TooLarge(_))
    ));
    // Separators are checked where they are given.
    let all = |tests: [usize; 6]| {
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        Some(
            pairs
                .into_iter()
                .zip(tests)
                .map(|((i, j), y)| Separator(i, j, y))
                .collect::<Vec<_>>(),
        )
    };
    let with = |separators: Option<Vec<Separator>>| {
        Family {
            separators,
            ..tutorial_family(3)
        }
        .holds(&game, &task, &big(8))
    };
    assert_eq!(with(all([1, 0, 0, 0, 0, 1])), Ok(()));
    assert_eq!(code(with(all([0, 0, 0, 0, 0, 1]))), Code::NotSeparated);
    assert_eq!(code(with(all([1, 0, 0, 0, 0, 2]))), Code::Coverage);
    assert_eq!(
        code(with(all([1, 0, 0, 0, 0, 1]).map(|mut list| {
            list.swap(0, 1);
            list
        }))),
        Code::Coverage
    );
    assert_eq!(
        code(with(all([1, 0, 0, 0, 0, 1]).map(|mut list| {
            list.pop();
            list
        }))),
        Code::Coverage
    );
    assert_eq!(
        code(with(all([1, 0, 0, 0, 0, 1]).map(|mut list| {
            list.push(list[0]);
            list
        }))),
        Code::Coverage
    );
}

#[test]
fn relations_need_separators() {
    let (game, task) = cycle(5, 1);
    let family = |separators| Family {
        side: vec![PlayerId(0)],
        members: vec![vec![vec![0]], vec![vec![1]]],
        tests: vec![vec![vec![0]], vec![vec![2]]],
        bound: big(1),
        separators,
    };
    assert_eq!(
        code(family(None).holds(&game, &task, &big(4))),
        Code::NotSeparated
    );
    assert_eq!(
        family(Some(vec![Separator(0, 1, 0)])).holds(&game, &task, &big(4)),
        Ok(())
    );
    let useless = family(Some(vec![Separator(0, 1, 1)]));
    assert_eq!(
        code(useless.holds(&game, &task, &big(4))),
        Code::NotSeparated
    );
}

#[test]
fn classes_of_a_table() {
    let (game, task) = eva(2, 4);
    let all = Classes {
        members: vec![vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]],
        tests: vec![vec![0], vec![1]],
        separators: None,
    };
    assert_eq!(all.holds(&game, &task, &big(8)), Ok(big(4)));
    let mut twice = all.clone();
    twice.members[0] = vec![1, 1];
    assert_eq!(code(twice.holds(&game, &task, &big(8))), Code::NotSeparated);
    let mut fewer = all.clone();
    fewer.tests.pop();
    assert_eq!(code(fewer.holds(&game, &task, &big(8))), Code::NotSeparated);
    let mut outside = all.clone();
    outside.tests[1] = vec![2];
    assert_eq!(code(outside.holds(&game, &task, &big(8))), Code::Domain);
    let (chain, task) = chain(2, false);
    assert_eq!(code(all.holds(&chain, &task, &big(8))), Code::KindMismatch);
}

#[test]
fn cliques_of_blocks_and_of_a_cycle() {
    let blocks = |list: &[[u64; 2]]| list.iter().map(|block| block.to_vec()).collect::<Vec<_>>();
    let sets = blocks(&[[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]);
    let clique = |members: &Vec<Vec<u64>>, symbols: u64| Clique {
        members: members.clone(),
        symbols: big(symbols),
    };
    let limit = big(10_000);
    let game = sparse(3, 2, 2, 1, 5, true);
    assert_eq!(clique(&sets, 5).holds(&game, &Membership, &limit), Ok(()));
    let mutant = |change: fn(&mut Clique)| {
        let mut mutant = clique(&sets, 5);
        change(&mut mutant);
        code(mutant.holds(&game, &Membership, &limit))
    };
    assert_eq!(mutant(|c| c.symbols = 4u8.into()), Code::Bound);
    assert_eq!(
        mutant(|c| {
            c.members.pop();
        }),
        Code::Bound
    );
    assert_eq!(mutant(|c| c.members[0] = vec![1, 0]), Code::NotSeparated);
    assert_eq!(
        mutant(|c| c.members[0] = c.members[1].clone()),
        Code::NotSeparated
    );
    assert_eq!(mutant(|c| c.members[0] = vec![3, 0]), Code::Domain);
    assert!(matches!(
        clique(&sets, 5).holds(&game, &Membership, &big(10)),
        Err(Failure::TooLarge(_))
    ));
    // Six symbols suffice; with every block read nothing conflicts; without a shared map there is no such graph.
    assert_eq!(
        code(clique(&sets, 6).holds(&sparse(3, 2, 2, 1, 6, true), &Membership, &limit)),
        Code::Bound
    );
    assert_eq!(
        code(clique(&sets, 5).holds(&sparse(3, 2, 2, 2, 5, true), &Membership, &limit)),
        Code::NotSeparated
    );
    assert_eq!(
        code(clique(&sets, 5).holds(&sparse(3, 2, 2, 1, 5, false), &Membership, &limit)),
        Code::KindMismatch
    );

    let (game, task) = cycle(5, 1);
    let edge = Clique {
        members: vec![vec![0], vec![1]],
        symbols: big(1),
    };
    assert_eq!(edge.holds(&game, &task, &limit), Ok(()));
    let far = Clique {
        members: vec![vec![0], vec![2]],
        symbols: big(1),
    };
    assert_eq!(code(far.holds(&game, &task, &limit)), Code::NotSeparated);
}

#[test]
fn the_replay_records_and_counts() {
    let (game, task, tables) = echo();
    let protocol = tables.protocol(&game).unwrap();
    let mut items = Vec::new();
    let found = CorrectOnAll {
        total: big(4),
        views: big(4),
    };
    let mut visit = |item: &Item| items.push((item.symbols.clone(), item.answer));
    assert_eq!(
        found.holds(&game, &task, &protocol, &big(4), &mut visit),
        Ok(())
    );
    let said = |symbol: u64, answer: u64| (vec![symbol], Some(Answer(answer)));
    assert_eq!(items, [said(0, 0), said(0, 0), said(2, 1), said(2, 1)]);
    let off = CorrectOnAll {
        total: big(4),
        views: big(3),
    };
    assert_eq!(
        code(off.holds(&game, &task, &protocol, &big(4), &mut |_| ())),
        Code::Arithmetic
    );
    assert!(matches!(
        found.holds(&game, &task, &protocol, &big(3), &mut |_| ()),
        Err(Failure::TooLarge(_))
    ));
}

#[test]
fn the_replay_finds_what_is_wrong() {
    let (game, task) = chain(3, false);
    let nothing = &mut |_: &Item| ();
    let replayed = |protocol: &dyn Protocol, nothing: &mut dyn FnMut(&Item)| {
        let Outcome::Wrong(wrong) = replay_all_of(&game, &task, protocol, nothing) else {
            panic!("expected a wrong protocol");
        };
        wrong
    };
    let Wrong::Pair(pair) = replayed(&says_sum(), nothing) else {
        panic!("expected a pair");
    };
    assert!(pair.holds(&game, &task, &says_sum()).is_ok());
    assert_eq!(pair.right, inputs(&[&[1, 0], &[0, 0], &[0]]));
    assert_eq!(pair.left, inputs(&[&[0, 1], &[0, 0], &[0]]));
    let zero = Says(|_, _| 0, |_| Some(0));
    let Wrong::Counterexample(found) = replayed(&zero, nothing) else {
        panic!("expected a counterexample");
    };
    assert!(found.holds(&game, &task, &zero).is_ok());
    assert_eq!(found.input, inputs(&[&[0, 1], &[0, 1], &[1]]));
    assert_eq!(
        Wrong::Counterexample(found).violation().code,
        Code::Accepted
    );

    let (game, task) = all_but(4);
    let silent = Says(|_, _| 0, |_| None);
    let Outcome::Wrong(Wrong::Conflict(conflict)) = replay_all_of(&game, &task, &silent, nothing)
    else {
        panic!("expected a conflict");
    };
    assert!(conflict.holds(&game, &task, &silent).is_ok());
    assert_eq!(
        Wrong::Conflict(conflict).violation().code,
        Code::CommonAnswer
    );
}

fn replay_all_of(
    game: &Game,
    task: &dyn Task,
    protocol: &dyn Protocol,
    visit: &mut dyn FnMut(&Item),
) -> Outcome {
    correct::replay_all(game, task, protocol, &big(1000), visit).unwrap()
}

#[test]
fn supports_follow_kept_slots_only() {
    let (game, _) = chain(2, true);
    let support = Support::of(&game);
    let players = |list: &[usize]| list.iter().copied().map(PlayerId).collect::<BTreeSet<_>>();
    let found: Vec<(usize, BTreeSet<PlayerId>)> = support
        .kept()
        .map(|(id, set)| (id.0, set.clone()))
        .collect();
    let expected = [
        (0, players(&[0, 1])),
        (1, players(&[0, 2])),
        (2, players(&[1, 2])),
        (3, players(&[0])),
        (4, players(&[0, 1])),
    ];
    assert_eq!(found, expected);
    // Without the pass nobody hears of `soft A->B`.
    let (game, _) = chain(2, false);
    assert_eq!(Support::of(&game).of_slot(SlotId(0)), None);
    // A read slot looks at every block.
    let game = sparse(2, 1, 3, 1, 2, true);
    let read = game.ids().last().unwrap();
    assert_eq!(
        Support::of(&game).of_slot(read),
        Some(&players(&[0, 1, 2, 3]))
    );
    assert_eq!(family::crossing(&game, &[PlayerId(1)]).len(), 2);
}
