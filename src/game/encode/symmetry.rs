//! `symbol-order-v1` and `symbol-order-v2`: the symbols of a function are used in order.
//!
//! For the function of a kept slot with a receiver other than its sender, the *context* of a key is what the view of the
//! receiver says if the receiver is consulted, else empty. Within one context number the keys 0, 1, 2, .. in key order: key
//! number i may not say a symbol greater than i.
//!
//! # Soundness
//! Let a protocol be accepted on X, and take functions in order. For each context k of a function choose a permutation of the
//! symbols that renames them in order of first use over the keys of k, and let the slot say the renamed symbol. Whoever later
//! reads it, on the receiver's view or a copy (a forwarded view is a copy of all of it), also reads the context: the receiver's
//! view at the time of sending, if it was consulted, is part of its every later view; otherwise there is one permutation for
//! all. So the reader can undo it, and all later symbols and answers are as before, but for forwarded symbols, which nobody
//! chooses. The sender can compute the permutation, as it sees k. Slots before, and those in the same round, are untouched;
//! later slots are treated afterwards. In the end every slot meets its clauses, and the protocol is still accepted on X.
//!
//! A function that several slots share has one permutation: this is sound if it sees nothing but inputs and consults nobody, so
//! that no slot of its own is among its arguments. What a shared function hears cannot be renamed for one of its slots alone.
//!
//! Left alone: slots that a read names, notes to oneself, shared functions that hear symbols or consult, and what they hear.

use super::cnf::Group;
use super::seen::Seen;
use super::table::{Formula, Function};
use crate::game::{Game, SlotId};
use std::collections::{BTreeMap, BTreeSet};

/// Adds the unit clauses: functions in order, contexts by their first keys, then keys, then symbols.
pub(super) fn order_symbols(game: &Game, formula: &mut Formula) {
    let heard: BTreeSet<SlotId> = formula
        .functions
        .iter()
        .flat_map(Function::slots)
        .filter(|(id, _)| game.shared().contains(id))
        .flat_map(|(_, seen)| seen.arguments.clone())
        .collect();
    for function in &formula.functions {
        let fixed = |(id, seen): (SlotId, &Seen)| {
            let slot = game.slot(id);
            let shared = game.shared().contains(&id);
            slot.from == slot.to
                || game.reads_of(id).next().is_some()
                || heard.contains(&id)
                || (shared && !(seen.only_inputs() && slot.consults.is_empty()))
        };
        if function.slots().any(fixed) {
            continue;
        }
        for keys in contexts(function) {
            for (number, key) in keys.into_iter().enumerate() {
                for symbol in number + 1..key.size() {
                    formula.cnf.clause(key.says(symbol).map(|literal| -literal));
                }
            }
        }
    }
}

/// The keys by context.
fn contexts(function: &Function) -> Vec<Vec<Group>> {
    let receiver = function
        .speakers
        .first()
        .and_then(|speaker| speaker.receiver.clone())
        .unwrap_or_default();
    // All that the receiver's view says the function hears, too.
    let places = |count: usize, is_context: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..count).filter(|place| is_context(*place)).collect()
    };
    let seen = &function.seen;
    let owns = places(seen.players.len(), &|place| {
        receiver.players.contains(&seen.players[place])
    });
    let arguments = places(seen.arguments.len(), &|place| {
        receiver.arguments.contains(&seen.arguments[place])
    });
    let reads = places(seen.reads.len(), &|place| {
        let slot = seen.reads[place].slot;
        receiver.reads.iter().any(|reading| reading.slot == slot)
    });
    let mut number: BTreeMap<_, usize> = BTreeMap::new();
    let mut contexts: Vec<Vec<Group>> = Vec::new();
    function.each_key(|own, symbols, read, key| {
        let context: (Vec<u32>, Vec<usize>, Vec<u32>) = (
            owns.iter().map(|place| own[*place]).collect(),
            arguments.iter().map(|place| symbols[*place]).collect(),
            reads.iter().map(|place| read[*place]).collect(),
        );
        let context = *number.entry(context).or_insert(contexts.len());
        if context == contexts.len() {
            contexts.push(Vec::new());
        }
        contexts[context].push(function.keys[key]);
    });
    contexts
}
