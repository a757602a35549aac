//! `symbol-order-v1`: the symbols of a slot are used in order.
//!
//! For a kept slot with a receiver other than its sender, the *context* of a key is (input of the receiver, symbols stored in
//! its view) if the receiver is consulted, else empty. Within one context number the keys 0, 1, 2, .. in key order: key number
//! i may not say a symbol greater than i.
//!
//! # Soundness
//! Let a protocol be accepted on X, and take slots in schedule order. For each context k of a slot choose a permutation of the
//! symbols that renames them in order of first use over the keys of k, and let the slot say the renamed symbol. Whoever later
//! reads it, on the receiver's view or a copy, also reads the context: the receiver's view at the time of sending, if it was
//! consulted, is part of its every later view; otherwise there is one permutation for all. So the reader can undo it, and all
//! later symbols and answers are as before. The sender can compute the permutation, as it sees k. Slots before, and those in the
//! same round, are untouched; later slots are treated afterwards. In the end every slot meets its clauses, and the protocol
//! is still accepted on X.
//!
//! Left alone: slots that a read names, and notes to oneself.

use super::cnf::Group;
use super::table::{Formula, Function};
use crate::game::{Game, PlayerId, SlotId};
use std::collections::BTreeMap;

/// Adds the unit clauses: slots in schedule order, contexts by their first keys, then keys, then symbols.
pub(super) fn order_symbols(game: &Game, formula: &mut Formula) {
    for function in &formula.functions {
        let Some(id) = function.slot else { continue };
        let slot = game.slot(id);
        if slot.from == slot.to || game.reads_of(id).next().is_some() {
            continue;
        }
        for keys in contexts(game, function, slot.to) {
            for (number, key) in keys.into_iter().enumerate() {
                for symbol in number + 1..key.size() {
                    formula.cnf.clause(key.says(symbol).map(|literal| -literal));
                }
            }
        }
    }
}

/// The keys by context.
fn contexts(game: &Game, function: &Function, to: PlayerId) -> Vec<Vec<Group>> {
    let consulted = function.players.iter().position(|player| *player == to);
    let stored: Vec<usize> = (0..function.arguments.len())
        .filter(|place| is_stored(game, function.arguments[*place], to))
        .collect();
    let mut number: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    let mut contexts: Vec<Vec<Group>> = Vec::new();
    for (place, own) in function.owns().iter().enumerate() {
        let first = place * function.combination_count();
        function.each_combination(|combination, symbols| {
            let context: Vec<usize> = consulted.map_or(Vec::new(), |place| {
                let symbols = stored.iter().map(|place| symbols[*place]);
                std::iter::once(own[place] as usize)
                    .chain(symbols)
                    .collect()
            });
            let context = *number.entry(context).or_insert(contexts.len());
            if context == contexts.len() {
                contexts.push(Vec::new());
            }
            contexts[context].push(function.keys[first + combination]);
        });
    }
    contexts
}

fn is_stored(game: &Game, id: SlotId, player: PlayerId) -> bool {
    game.slot(id).to == player
}
