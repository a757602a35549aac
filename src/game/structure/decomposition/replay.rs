//! The classes by naive runs on all of R x Z: slow, and the oracle of everything faster.

use super::base::{self, Base};
use super::chain::Splitter;
use super::{Bits, Frame, Joint, Pinned, Question, Split};
use crate::exact::Digits;
use crate::game::structure::{Failure, within};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// Looks at every run.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    /// Most runs of one step.
    pub limit: &'a BigUint,
}

/// An upper tuple, with the symbols of the crossing slots: slot by slot, and for each the lower tuples in order.
type Row = (u64, Vec<u64>);

impl Splitter for Replay<'_> {
    fn base(&self, frame: &Frame<'_>, question: &Question) -> Result<Base, Failure> {
        base::listed(frame, question, self.limit)
    }

    /// # Cost
    /// One naive run, up to the end of epoch `level`, per element of `start` and of Z.
    fn split(
        &self,
        frame: &Frame<'_>,
        question: &Question,
        level: usize,
        start: Bits,
        lower: &[Vec<Digits>],
    ) -> Result<Split<Bits>, Failure> {
        let runs = BigUint::from(start.count()) * lower.len();
        within("runs on R x Z", Ok(runs), self.limit)?;
        let slots = frame.crossing(level);
        let rounds = frame.rounds(level);
        let mut rows: Vec<Row> = Vec::new();
        for index in start.iter() {
            let upper = frame.tuple(level, index);
            let mut symbols = vec![0; slots.len() * lower.len()];
            for (column, tail) in lower.iter().enumerate() {
                let run = frame.run(&upper, tail, rounds)?;
                for (place, slot) in slots.iter().enumerate() {
                    symbols[place * lower.len() + column] = run.transcript[slot.0].1.0;
                }
            }
            rows.push((index, symbols));
        }
        let (classes, kept) = largest(&rows, question, 0..slots.len() * lower.len());
        let joint = Joint {
            classes: classes.into(),
            largest: kept.len().into(),
        };
        let mut sizes = vec![BigUint::from(rows.len())];
        let mut numbers = Vec::new();
        if question.one_shot {
            numbers.push(classes.into());
            sizes.push(kept.len().into());
            rows = kept;
        } else {
            for place in 0..slots.len() {
                let (classes, kept) = largest(
                    &rows,
                    question,
                    place * lower.len()..(place + 1) * lower.len(),
                );
                numbers.push(classes.into());
                sizes.push(kept.len().into());
                rows = kept;
            }
        }
        let said = rows
            .first()
            .map_or(&[] as &[u64], |(_, symbols)| symbols.as_slice());
        let pinned = slots
            .iter()
            .zip(said.chunks(lower.len().max(1)))
            .map(|(slot, key)| Pinned {
                slot: *slot,
                key: key.to_vec(),
            })
            .collect();
        let mut kept = Bits::none(start.size());
        for (index, _) in &rows {
            kept.insert(*index);
        }
        Ok(Split {
            pinned,
            sizes,
            classes: numbers,
            joint,
            kept,
        })
    }
}

/// The number of classes of the rows by a part of their symbols, and the largest class.
fn largest(rows: &[Row], question: &Question, part: std::ops::Range<usize>) -> (usize, Vec<Row>) {
    let mut classes: BTreeMap<&[u64], Vec<&Row>> = BTreeMap::new();
    for row in rows {
        classes.entry(&row.1[part.clone()]).or_default().push(row);
    }
    let sized = classes
        .values()
        .map(|members| (members, members.len() as u64));
    let kept = question.tie.largest(sized).map(|(members, _)| members);
    let kept = kept.map_or_else(Vec::new, |members| {
        members.iter().map(|row| (*row).clone()).collect()
    });
    (classes.len(), kept)
}
