//! Every layout word up to length 8: the verdict, and where there is a protocol, its replay on all inputs.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod support;

use foolproof::game::family::layout::{Decision, Scheme, Word};
use foolproof::game::strategy::composition::Chain;
use foolproof::game::strategy::{FollowScheme, NoRoom};
use foolproof::game::task::composition::Composition;
use foolproof::game::{Channel, Game, Inputs, Task, run};
use num_traits::ToPrimitive;
use support::{edges, hybrid};

/// All words over F and R with at most `longest` letters, the empty one first.
fn words(longest: usize) -> Vec<String> {
    let mut words = vec![String::new()];
    for place in 0.. {
        let Some(word) = words.get(place).filter(|word| word.len() < longest) else {
            return words;
        };
        let longer = ["F", "R"].map(|letter| format!("{word}{letter}"));
        words.extend(longer);
    }
    words
}

/// The table of verdicts, read row by row.
fn expected(word: &str, steps: usize) -> Option<Scheme> {
    let full = word.matches('F').count();
    let second_full = word
        .match_indices('F')
        .nth(1)
        .map_or(word.len(), |(place, _)| place);
    let early_pass = word[..second_full].contains('R');
    match full {
        _ if full > steps => Some(Scheme::Full),
        _ if full < steps || !early_pass => None,
        _ if word.starts_with('R') => Some(Scheme::PrePass),
        _ => Some(Scheme::Relay),
    }
}

fn decided(word: &str, steps: usize) -> Option<Scheme> {
    match Word::parse(word).unwrap().decide(steps as u64) {
        Decision::Solvable(scheme) => Some(scheme),
        Decision::Not(_) => None,
    }
}

#[test]
fn verdicts_are_those_of_the_table() {
    let words = words(8);
    assert_eq!(words.len(), 511);
    for steps in 1..=4 {
        for word in &words {
            assert_eq!(
                decided(word, steps),
                expected(word, steps),
                "{word} at L = {steps}"
            );
        }
    }
}

#[test]
fn a_verdict_against_a_word_names_its_row() {
    let reason = |word: &str, steps| match Word::parse(word).unwrap().decide(steps) {
        Decision::Not(reason) => reason,
        Decision::Solvable(scheme) => panic!("{word}: {scheme:?}"),
    };
    for (word, steps, part) in [
        ("", 1, "without F"),
        ("RRR", 3, "without F"),
        ("F", 1, "closed form for one step"),
        ("FF", 2, "Appendix B"),
        ("FFRR", 2, "Appendix B"),
        ("FRRRR", 2, "Theorem 1.1"),
        ("FRFR", 3, "Theorem 1.1"),
        ("RF", 2, "a_0 > 0"),
        ("RFRFR", 3, "a_0 > 0"),
    ] {
        assert!(
            reason(word, steps).contains(part),
            "{word}: {}",
            reason(word, steps)
        );
    }
}

#[test]
fn more_layers_never_lose_a_solution() {
    for steps in 1..=4 {
        for word in words(8) {
            for place in 0..word.len() {
                let mut shorter = word.clone();
                shorter.remove(place);
                if decided(&shorter, steps).is_some() {
                    assert!(decided(&word, steps).is_some(), "{shorter} but not {word}");
                }
            }
        }
    }
}

#[test]
fn one_huge_count_is_as_good_as_many_letters() {
    let huge = "^281474976710656";
    assert_eq!(decided(&format!("FR{huge}F"), 2), Some(Scheme::Relay));
    assert_eq!(decided(&format!("FFR{huge}"), 2), None);
    assert_eq!(decided(&format!("R{huge}FF"), 2), Some(Scheme::PrePass));
    assert_eq!(decided(&format!("F{huge}"), 4), Some(Scheme::Full));
}

/// Kind, edge and number of symbols of each slot that a protocol needs, in order.
type Needs = Vec<(Channel, i64, i64, u64)>;

fn needs(scheme: Scheme, start: u64, ranges: &[u64]) -> Needs {
    let asked = (1..).zip(ranges).map(|(l, m)| (Channel::Soft, l, -1, *m));
    let head: Needs = match scheme {
        Scheme::Full => vec![(Channel::Soft, 0, -1, start)],
        Scheme::PrePass => vec![(Channel::Linear, 0, -1, start)],
        Scheme::Relay => vec![
            (Channel::Soft, 1, 0, ranges[0]),
            (Channel::Linear, 0, -1, ranges[0]),
        ],
    };
    let told = usize::from(scheme == Scheme::Relay);
    head.into_iter().chain(asked.skip(told)).collect()
}

fn chain(scheme: Scheme) -> Chain {
    match scheme {
        Scheme::Full => Chain::Full,
        Scheme::Relay => Chain::Relay,
        Scheme::PrePass => Chain::PrePass,
    }
}

struct Toy {
    start: u64,
    ranges: Vec<u64>,
    queries: Vec<u64>,
}

impl Toy {
    fn new(start: u64, ranges: &[u64], queries: &[u64]) -> Self {
        Self {
            start,
            ranges: ranges.to_vec(),
            queries: queries.to_vec(),
        }
    }

    /// The game in which only the needed edges are open, with these alphabets in every epoch and pass.
    fn game(&self, word: &str, needs: &Needs) -> Game {
        let open = |channel| {
            let on = needs.iter().filter(|need| need.0 == channel);
            edges(&on.map(|need| (need.1, need.2, need.3)).collect::<Vec<_>>())
        };
        let (soft, linear) = (open(Channel::Soft), open(Channel::Linear));
        hybrid(
            self.start,
            &self.ranges,
            &self.queries,
            word,
            &soft,
            &linear,
        )
        .game()
        .unwrap()
    }

    /// The protocol that the verdict names answers right on every input, and needs all its symbols.
    fn replay(&self, word: &str, scheme: Scheme) {
        let needs = needs(scheme, self.start, &self.ranges);
        let game = self.game(word, &needs);
        let protocol = FollowScheme::new(&game, chain(scheme)).unwrap();
        assert_eq!(protocol.slots().len(), needs.len());
        let task = Composition {
            steps: self.ranges.len() as u64,
            start: self.start,
            ranges: self.ranges.clone(),
            queries: self.queries.clone(),
        };
        for inputs in Inputs::all(&game) {
            let answer = run(&game, &protocol, &inputs).unwrap().answer.unwrap();
            let accepted = task.accepted(&inputs).unwrap();
            assert!(
                accepted.contains(answer),
                "{word} answers {answer:?} on {inputs:?}"
            );
        }
    }

    fn refuse_less(&self, word: &str, scheme: Scheme) {
        let needs = needs(scheme, self.start, &self.ranges);
        for place in 0..needs.len() {
            let mut fewer = needs.clone();
            fewer[place].3 -= 1;
            let (channel, from, to, needed) = needs[place];
            let error = FollowScheme::new(&self.game(word, &fewer), chain(scheme)).unwrap_err();
            let NoRoom::TooSmall {
                edge,
                needed: named,
                largest,
                after,
            } = &error
            else {
                panic!("{word}: {error}");
            };
            assert_eq!(*edge, format!("{} {from}->{to}", channel.kind()));
            assert_eq!((*named, largest.to_u64()), (needed, Some(needed - 1)));
            assert_eq!(after.is_empty(), place == 0);
        }
    }
}

fn replay_all(toy: &Toy) {
    let steps = toy.ranges.len();
    for word in words(8) {
        if let Some(scheme) = decided(&word, steps) {
            toy.replay(&word, scheme);
        }
    }
}

#[test]
fn two_steps_are_solved_wherever_the_verdict_says_so() {
    replay_all(&Toy::new(2, &[2, 2], &[2]));
}

#[test]
fn three_steps_are_solved_wherever_the_verdict_says_so() {
    replay_all(&Toy::new(2, &[2, 2, 2], &[1, 1]));
}

#[test]
fn four_steps_are_solved_wherever_the_verdict_says_so() {
    replay_all(&Toy::new(2, &[2, 2, 2, 2], &[1, 1, 1]));
}

#[test]
fn one_step_is_solved_wherever_the_verdict_says_so() {
    replay_all(&Toy::new(3, &[2], &[]));
}

#[test]
fn steps_of_different_sizes_are_solved_too() {
    let two = Toy::new(2, &[3, 2], &[2]);
    let three = Toy::new(2, &[2, 3, 2], &[1, 2]);
    for (scheme, word) in [
        (Scheme::Full, "FFF"),
        (Scheme::Relay, "FRF"),
        (Scheme::PrePass, "RFF"),
    ] {
        two.replay(word, scheme);
        three.replay(
            &word.replacen("FF", "FFF", 1).replace("FRF", "FRFF"),
            scheme,
        );
    }
}

#[test]
fn one_symbol_less_on_any_needed_slot_leaves_no_room() {
    let toys = [
        Toy::new(3, &[2], &[]),
        Toy::new(2, &[3, 2], &[2]),
        Toy::new(2, &[2, 3, 4], &[2, 1]),
        Toy::new(5, &[2, 3, 2, 4], &[1, 1, 1]),
    ];
    for toy in toys {
        for word in words(8) {
            if let Some(scheme) = decided(&word, toy.ranges.len()) {
                toy.refuse_less(&word, scheme);
            }
        }
    }
}

#[test]
fn no_protocol_has_room_in_a_word_without_its_layers() {
    for steps in 1..=4 {
        let toy = Toy::new(2, &vec![2; steps], &vec![1; steps - 1]);
        for word in words(8) {
            for scheme in [Scheme::Full, Scheme::Relay, Scheme::PrePass] {
                let game = toy.game(&word, &needs(scheme, 2, &toy.ranges));
                let full = "F".repeat(steps);
                let inside = match scheme {
                    Scheme::Full => full + "F",
                    Scheme::Relay => full.replacen('F', "FR", 1),
                    Scheme::PrePass => format!("R{full}"),
                };
                let room = FollowScheme::new(&game, chain(scheme)).is_ok();
                assert_eq!(room, is_subsequence(&inside, &word), "{scheme:?} in {word}");
            }
        }
    }
}

fn is_subsequence(short: &str, long: &str) -> bool {
    let mut letters = long.chars();
    short
        .chars()
        .all(|letter| letters.any(|other| other == letter))
}

#[test]
fn hand_written_names_say_which_slot_is_too_small() {
    let toy = Toy::new(2, &[3, 2], &[2]);
    let mut short = needs(Scheme::Relay, 2, &[3, 2]);
    short[2].3 = 1;
    let error = FollowScheme::new(&toy.game("FRF", &short), Chain::Relay).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no `soft 2->-1` after `lin 0->-1 @1.1` has 2 symbols; the largest has 1"
    );
    let error = FollowScheme::new(
        &toy.game("FF", &needs(Scheme::Relay, 2, &[3, 2])),
        Chain::Relay,
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "no `lin 0->-1` after `soft 1->0 @1` has 3 symbols; the largest has 0"
    );
}
