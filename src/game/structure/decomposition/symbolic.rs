//! Classes by the written rules of a strategy: subcubes for look-ups, affine spaces for sums, at any number of addresses.
//!
//! For L = 2. Player 2 receives nothing, so each symbol it says is its rule applied to z_2, and the rule is fixed by the view of
//! the player that asks. On R all earlier crossing symbols are constant, so one representative of R shows those views.

use super::base::{self, Base};
use super::region::Region;
use super::{
    Count, Decomposition, Found, Frame, Joint, Pattern, Pinned, Question, Set, Split, Tie, chain,
};
use crate::exact::Digits;
use crate::game::protocol::OwnRule;
use crate::game::run::own_rule;
use crate::game::structure::{Code, Failure, Violation, within};
use crate::game::{SlotId, View};
use num_bigint::BigUint;

/// Builds the chain at L = 2 from rules.
///
/// # Errors
/// `replay` when the protocol has no such rules, or runs that are not legal; `TooLarge` when Z is too large to list.
/// # Cost
/// One naive run per crossing slot and element of Z, each as long as z_2; elimination for affine spaces.
pub fn build(
    frame: &Frame<'_>,
    question: &Question,
    limit: &BigUint,
) -> Result<Decomposition, Failure> {
    if frame.steps() != 2 {
        return Err(unavailable("more than 2 steps").into());
    }
    let base = base(frame, question, limit)?;
    let z = [base.zero.clone(), base.one.clone()];
    within("elements of Z", Ok(frame.lower_size(&z)), limit)?;
    let lower = frame.lower(&z);
    let domain = &frame.game.player(frame.player(2)).domain;
    let (places, values) = (domain.width(), frame.range(2));
    let whole = [
        Some(Region::product(places, values)),
        Region::affine(places, values),
    ];
    let mut split = None;
    for region in whole.into_iter().flatten() {
        split = refine(frame, question, &lower, &region)?;
        if split.is_some() {
            break;
        }
    }
    let (split, region) = split.ok_or_else(|| {
        unavailable("symbols that are not rules on one entry, or sums mod a prime")
    })?;
    let leak = chain::leaks(frame, &[region.least()], &z)?;
    let chosen = vec![(0, base.zero), (1, base.one)];
    let levels = vec![chain::complete(frame, 2, chosen, None, split, &z)];
    let count: Count = chain::count(frame, &levels);
    let addresses = chain::reached_addresses(frame, &z);
    let found: Option<Found> = match region.differing(&addresses) {
        None => None,
        Some((a, b)) => chain::pair(frame, &[vec![a], vec![b]], &lower)?,
    };
    Ok(Decomposition {
        pattern: base.pattern,
        levels,
        leak,
        count,
        found,
    })
}

fn unavailable(found: &str) -> Violation {
    Violation::new("", Code::Replay, found, "a protocol with symbolic classes")
}

/// The rule of a slot when the game stands at the start of its round with these views.
fn rule(frame: &Frame<'_>, slot: SlotId, views: &[View]) -> Option<OwnRule> {
    own_rule(frame.game, frame.protocol, slot, views)
}

/// Steps 1 and 2.
fn base(frame: &Frame<'_>, question: &Question, limit: &BigUint) -> Result<Base, Failure> {
    match base_by_rules(frame, question, limit)? {
        Some(base) => Ok(base),
        None => base::listed(frame, question, limit),
    }
}

/// Steps 1 and 2 without looking at all of A_1; `None` when the pattern is no product.
///
/// # Errors
/// `replay`; `TooLarge` when there are too many w.
/// # Cost
/// One naive run per w; a matching per choice.
pub fn base_by_rules(
    frame: &Frame<'_>,
    question: &Question,
    limit: &BigUint,
) -> Result<Option<Base>, Failure> {
    let domain = &frame.game.player(frame.player(1)).domain;
    let region = Region::product(domain.width(), frame.range(1));
    let zero = base::zero(frame, question);
    let (classes, region) = match frame.pattern_slot() {
        None => (1u8.into(), region),
        Some(slot) => {
            within("values of w", Ok(frame.lower_size(&[])), limit)?;
            let upper: Vec<Digits> = frame
                .upper(2)
                .map(|id| frame.game.player(id).domain.first())
                .collect();
            let rounds = frame.game.round_of(slot);
            let mut rules = Vec::new();
            for lower in frame.lower(&[vec![vec![0]], vec![domain.first()]]) {
                let run = frame.run(&upper, &lower, rounds)?;
                match rule(frame, slot, &run.views) {
                    Some(rule) => rules.push(rule),
                    None => return Ok(None),
                }
            }
            match region.split(&rules, question.tie) {
                None => return Ok(None),
                Some(part) => (part.classes, part.region),
            }
        }
    };
    let number = question.x.get(1).copied().unwrap_or(1);
    let Some(one) = region.covering(zero.len(), number) else {
        return Ok(None);
    };
    Ok(Some(Base {
        pattern: Pattern {
            classes,
            size: region.size(),
        },
        zero,
        one,
    }))
}

/// Step 3 in one kind of region; `None` when some symbol does not fit it.
fn refine(
    frame: &Frame<'_>,
    question: &Question,
    lower: &[Vec<Digits>],
    whole: &Region,
) -> Result<Option<(Split<Set>, Region)>, Failure> {
    let mut region = whole.clone();
    let mut sizes = vec![region.size()];
    let mut classes = Vec::new();
    let mut pinned = Vec::new();
    let mut all_rules: Vec<OwnRule> = Vec::new();
    let mut uniform = true;
    for slot in frame.crossing(2) {
        let representative = [region.least()];
        let rounds = frame.game.round_of(slot);
        let mut rules = Vec::with_capacity(lower.len());
        for tail in lower {
            let run = frame.run(&representative, tail, rounds)?;
            match rule(frame, slot, &run.views) {
                Some(rule) => rules.push(rule),
                None => return Ok(None),
            }
        }
        let Some(part) = region.split(&rules, question.tie) else {
            return Ok(None);
        };
        uniform &= part.uniform;
        region = part.region;
        sizes.push(region.size());
        classes.push(part.classes);
        pinned.push(Pinned {
            slot,
            key: part.key,
        });
        all_rules.extend(rules);
    }
    // The partition by all symbols at once: rules depend on earlier symbols of player 2 by a constant only, which renames
    // classes but does not change them.
    let Some(joint) = whole.split(&all_rules, Tie::Least) else {
        return Ok(None);
    };
    let joint = Joint {
        classes: joint.classes,
        largest: joint.region.size(),
    };
    if question.one_shot {
        // With classes of one size everywhere, the least key is the least slot by slot.
        if !uniform {
            return Ok(None);
        }
        sizes = vec![whole.size(), region.size()];
        classes = vec![joint.classes.clone()];
    }
    let split = Split {
        pinned,
        sizes,
        classes,
        joint,
        kept: region.to_set(),
    };
    Ok(Some((split, region)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Toy, question};
    use super::super::{Mode, Replay};
    use super::*;

    /// The symbolic chain equals the listed one, the sets element by element.
    fn agree(
        toy: &Toy,
        protocol: &(dyn crate::game::Protocol + Sync),
        question: &Question,
    ) -> bool {
        let frame = Frame::new(&toy.game, &toy.task, protocol).unwrap();
        let limit = BigUint::from(1u32 << 22);
        let Ok(symbolic) = build(&frame, question, &limit) else {
            return false;
        };
        let mut listed = chain::build(&frame, question, &Replay { limit: &limit }).unwrap();
        let Set::Bits(bits) = listed.levels[0].split.kept.clone() else {
            panic!("listed")
        };
        let domain = &toy.game.player(frame.player(2)).domain;
        for index in 0..bits.size() {
            let table = domain.element(index).unwrap();
            assert_eq!(
                bits.contains(index),
                contains(&symbolic.levels[0].split.kept, &table)
            );
        }
        listed.levels[0].split.kept = symbolic.levels[0].split.kept.clone();
        assert_eq!(symbolic, listed);
        assert_eq!(Mode::Symbolic.word(), "symbolic");
        true
    }

    fn contains(set: &Set, table: &[u64]) -> bool {
        match set {
            Set::Bits(_) => panic!("symbolic"),
            Set::Product(places) => places
                .iter()
                .all(|(at, values)| values.contains(&table[*at])),
            Set::Affine { modulus, equations } => equations.iter().all(|equation| {
                let sum: u64 = equation.terms.iter().map(|(at, c)| c * table[*at]).sum();
                sum % modulus == equation.value
            }),
        }
    }

    #[test]
    fn lookup_equals_the_listed_classes() {
        let mut symbolic = 0;
        for (ranges, queries, start) in [
            ([4, 2], [2], 2),
            ([3, 3], [1], 3),
            ([2, 4], [2], 2),
            ([3, 5], [1], 2),
        ] {
            for word in ["FF", "FRF", "RFF", "FFR", "FFF", "F", "FRRF"] {
                for sums in [1, ranges[1]] {
                    let soft = [
                        (1, 0, 4),
                        (0, -1, 3),
                        (2, 1, sums),
                        (2, 0, sums),
                        (2, -1, 2),
                        (1, -1, 2),
                    ];
                    let linear = [(2, 1, sums), (1, 0, 2), (0, -1, 3)];
                    let toy = Toy::new(start, &ranges, &queries, word, &soft, &linear);
                    for tie in [Tie::Least, Tie::Greatest] {
                        for one_shot in [false, true] {
                            let mut question = question(&[2, 2], tie);
                            question.one_shot = one_shot;
                            symbolic += usize::from(agree(&toy, &toy.lookup(), &question));
                        }
                    }
                }
            }
        }
        assert!(symbolic > 100, "{symbolic}");
    }

    #[test]
    fn the_row_of_the_specification_is_affine() {
        let toy = Toy::two();
        assert!(agree(&toy, &toy.lookup(), &question(&[2, 2], Tie::Least)));
    }

    #[test]
    fn thousands_of_addresses() {
        let toy = Toy::new(
            4,
            &[1024, 3],
            &[4],
            "FF",
            &[(1, 0, 1024), (0, -1, 1024), (2, -1, 3)],
            &[],
        );
        let lookup = toy.lookup();
        let frame = Frame::new(&toy.game, &toy.task, &lookup).unwrap();
        let limit = BigUint::from(1u32 << 22);
        let found = build(&frame, &question(&[4, 3], Tie::Least), &limit).unwrap();
        // Epoch 1 asks for (w, 0), epoch 2 for (w, z_0): 16 entries in all.
        let size = found.levels[0].size();
        assert_eq!(size, BigUint::from(3u8).pow(4096 - 16));
        assert_eq!(found.levels[0].reach, 12);
    }
}
