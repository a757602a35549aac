//! Words for rank bounds: greedy codes, cliques, cyclic codes, odd cycles.

use super::argued;
use crate::rank::code::{greedy, of_weight, with_complements};
use crate::rank::gap::Accuracy;
use crate::rank::token::{Tokens, overlap};
use crate::rank::{Bound, Method};
use num_traits::One;
use std::collections::VecDeque;

/// Most words of one weight among which a largest code is searched.
const MAX_WORDS: usize = 1 << 9;

/// Most bits for which all words of a weight are gone through.
const MAX_BITS: u32 = 24;

/// Most tokens for which odd cycles are searched.
const MAX_TOKENS: usize = 128;

/// Steps of one clique search; a smaller code is still a code.
const STEPS: u64 = 20_000;

/// All bounds that are found, in the order of the search.
#[must_use]
pub fn codes(tokens: &Tokens, accuracy: &Accuracy) -> Vec<Bound> {
    let mut found = Vec::new();
    let bits = 64
        - tokens
            .masks()
            .last()
            .map_or(64, |mask| mask.leading_zeros());
    let present = |words: &[u64]| -> Vec<Vec<u64>> {
        with_complements(bits, words)
            .into_iter()
            .filter(|pair| pair.iter().all(|mask| tokens.find(*mask).is_some()))
            .collect()
    };
    for weight in 1..=bits {
        let words: Vec<u64> = tokens
            .masks()
            .iter()
            .copied()
            .filter(|mask| mask.count_ones() == weight)
            .collect();
        for gap in (1..=weight).filter(|gap| accuracy.step(*gap).is_some()) {
            for code in [first_fit(&words, gap), largest(&words, gap)] {
                found.extend(argued(&present(&code), tokens, accuracy));
            }
        }
    }
    found.extend(odd_cycle(tokens, accuracy));
    found
}

/// The best code of `bits` bits for a weight and a gap: greedy, cyclic, or a clique where there are few words.
#[must_use]
pub fn code(bits: u32, weight: u32, gap: u32) -> Vec<u64> {
    if bits > MAX_BITS || weight > bits || weight == 0 {
        return Vec::new();
    }
    let words: Vec<u64> = of_weight(bits, weight).take(MAX_WORDS + 1).collect();
    let searched = if words.len() <= MAX_WORDS {
        largest(&words, gap)
    } else {
        Vec::new()
    };
    let cyclic = [bits, bits - 1]
        .into_iter()
        .filter(|length| *length >= weight)
        .map(|length| cyclic(length, weight, gap));
    std::iter::once(greedy(bits, weight, gap))
        .chain(cyclic)
        .chain(std::iter::once(searched))
        .reduce(|best, next| if next.len() > best.len() { next } else { best })
        .unwrap_or_default()
}

fn first_fit(words: &[u64], gap: u32) -> Vec<u64> {
    let mut kept: Vec<u64> = Vec::new();
    for mask in words {
        if kept
            .iter()
            .all(|word| mask.count_ones() - overlap(*word, *mask) >= gap)
        {
            kept.push(*mask);
        }
    }
    kept
}

/// The orbit under rotation of the first word whose rotations have this gap, the all-zero token of the pad never counting.
fn cyclic(length: u32, weight: u32, gap: u32) -> Vec<u64> {
    let all = (1u64 << length) - 1;
    let turned = |mask: u64, by: u32| ((mask << by) | (mask >> (length - by))) & all;
    let fits = |mask: &u64| (1..length).all(|by| weight - overlap(*mask, turned(*mask, by)) >= gap);
    of_weight(length, weight)
        .find(fits)
        .map_or(Vec::new(), |word| {
            (0..length)
                .map(|by| if by == 0 { word } else { turned(word, by) })
                .collect()
        })
}

/// A largest code among few words, by branch and bound with a limit on steps.
fn largest(words: &[u64], gap: u32) -> Vec<u64> {
    if words.len() > MAX_WORDS {
        return Vec::new();
    }
    let mut best = first_fit(words, gap);
    let mut steps = STEPS;
    // Coordinates may be renamed, so some largest code has the first word where all words of a weight are there; elsewhere it is a restriction.
    for start in 0..words.len() {
        if steps == 0 {
            break;
        }
        let rest: Vec<u64> = fitting(words[start], &words[start + 1..], gap);
        extend(&mut vec![words[start]], &rest, gap, &mut best, &mut steps);
    }
    best
}

fn fitting(word: u64, among: &[u64], gap: u32) -> Vec<u64> {
    among
        .iter()
        .copied()
        .filter(|mask| mask.count_ones() - overlap(word, *mask) >= gap)
        .collect()
}

fn extend(code: &mut Vec<u64>, rest: &[u64], gap: u32, best: &mut Vec<u64>, steps: &mut u64) {
    if code.len() > best.len() {
        best.clone_from(code);
    }
    for (place, word) in rest.iter().enumerate() {
        if *steps == 0 || code.len() + rest.len() - place <= best.len() {
            return;
        }
        *steps -= 1;
        code.push(*word);
        extend(
            code,
            &fitting(*word, &rest[place + 1..], gap),
            gap,
            best,
            steps,
        );
        code.pop();
    }
}

/// A shortest odd cycle of queries, each with two keys that it orders against both its neighbours.
fn odd_cycle(tokens: &Tokens, accuracy: &Accuracy) -> Option<Bound> {
    if tokens.len() > MAX_TOKENS || !accuracy.strict {
        return None;
    }
    let masks = tokens.masks();
    let prefers = |query: u64, better: u64, worse: u64| {
        accuracy
            .factor(query, better, worse)
            .is_some_and(|factor| factor >= num_rational::BigRational::one())
    };
    // Per query: the keys that most others order the other way round.
    let chosen: Vec<Option<(u64, u64, Vec<usize>)>> = masks
        .iter()
        .map(|query| {
            let mut best: Option<(u64, u64, Vec<usize>)> = None;
            // The worse key is the query itself: no other is worse by more.
            for better in masks
                .iter()
                .filter(|better| prefers(*query, **better, *query))
            {
                let others: Vec<usize> = (0..masks.len())
                    .filter(|other| prefers(masks[*other], *query, *better))
                    .collect();
                if best
                    .as_ref()
                    .is_none_or(|(_, _, most)| others.len() > most.len())
                {
                    best = Some((*better, *query, others));
                }
            }
            best
        })
        .collect();
    let against = |c: usize, a: usize| {
        chosen[c]
            .as_ref()
            .is_some_and(|(_, _, others)| others.contains(&a))
    };
    let joined = |a: usize, c: usize| a != c && against(a, c) && against(c, a);
    let cycle = shortest_odd(masks.len(), &joined)?;
    let words = cycle
        .iter()
        .map(|place| {
            chosen[*place]
                .as_ref()
                .map(|(better, worse, _)| vec![masks[*place], *better, *worse])
        })
        .collect::<Option<Vec<_>>>()?;
    Bound::of(Method::Cycle, words, tokens, accuracy).ok()
}

/// A shortest odd cycle of a graph, by breadth-first search over (vertex, parity).
fn shortest_odd(count: usize, joined: &dyn Fn(usize, usize) -> bool) -> Option<Vec<usize>> {
    let neighbours: Vec<Vec<usize>> = (0..count)
        .map(|a| (0..count).filter(|b| joined(a, *b)).collect())
        .collect();
    let mut best: Option<Vec<usize>> = None;
    for start in 0..count {
        let mut from: Vec<[Option<usize>; 2]> = vec![[None; 2]; count];
        from[start][0] = Some(start);
        let mut queue = VecDeque::from([(start, 0)]);
        while let Some((at, parity)) = queue.pop_front() {
            for next in &neighbours[at] {
                if from[*next][1 - parity].is_none() {
                    from[*next][1 - parity] = Some(at);
                    queue.push_back((*next, 1 - parity));
                }
            }
        }
        if from[start][1].is_none() {
            continue;
        }
        let (mut cycle, mut at, mut parity) = (Vec::new(), start, 1);
        while !(at == start && parity == 0) {
            cycle.push(at);
            at = from[at][parity]?;
            parity = 1 - parity;
        }
        let simple = cycle
            .iter()
            .collect::<std::collections::BTreeSet<_>>()
            .len()
            == cycle.len();
        if simple && best.as_ref().is_none_or(|known| cycle.len() < known.len()) {
            best = Some(cycle);
        }
    }
    best
}
