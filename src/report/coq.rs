//! An indistinguishable pair as a Coq file: the protocol as tables, both runs, and that every answer function is wrong.
//!
//! The file says nothing about the task but the accepted answers on the two inputs, which it states as lists.

use crate::game::key::KeySpace;
use crate::game::structure::{Pair, ProtocolTables};
use crate::game::{Game, Inputs, PlayerId, Rule, SlotId};
use num_traits::ToPrimitive;
use std::fmt::Write as _;

/// Most table entries of an exported protocol.
pub const MAX_ENTRIES: usize = 1 << 14;

/// Definitions and lemmas that every file begins with.
const HEAD: &str = "\
Require Import List NArith Bool. Import ListNotations. Open Scope N_scope.
(* What one digit of a key is: the index of a player's input, or the symbol of an earlier slot. *)
Inductive part := Own (player : nat) | Heard (slot : nat).
(* The digits of the key with their radices, first most significant, and one symbol per key. *)
Record slot := { parts : list (part * N); table : list N }.
Definition value (x said : list N) (p : part) : N :=
  match p with Own i => nth i x 0 | Heard s => nth s said 0 end.
Definition key (x said : list N) (ps : list (part * N)) : N :=
  fold_left (fun k q => k * snd q + value x said (fst q)) ps 0.
Definition say (x said : list N) (s : slot) : N := nth (N.to_nat (key x said (parts s))) (table s) 0.
Fixpoint run (x : list N) (slots : list slot) (said : list N) : list N :=
  match slots with [] => said | s :: r => run x r (said ++ [say x said s]) end.
Lemma apart (a b : list N) : forallb (fun x => negb (existsb (N.eqb x) b)) a = true ->
  forall x, In x a -> In x b -> False.
Proof. intros H x A B. rewrite forallb_forall in H. specialize (H x A). apply negb_true_iff in H.
 assert (T : existsb (N.eqb x) b = true). { apply existsb_exists. exists x. split; auto. apply N.eqb_refl. }
 rewrite T in H. discriminate. Qed.
";

/// Lemma and theorem, after the data.
const TAIL: &str = "\
Definition view (x : list N) : N * list N :=
  (nth output x 0, map (fun s => nth s (run x slots []) 0) stored).
Lemma same_view : view left = view right.
Proof. vm_compute. reflexivity. Qed.
(* Whatever the answer function, it is wrong on one of the two inputs. *)
Theorem fooled : view left = view right /\\
  forall answer : N * list N -> N, ~ (In (answer (view left)) accepted_left /\\ In (answer (view right)) accepted_right).
Proof. split. apply same_view. intros answer [A B]. rewrite same_view in A. revert A B. apply apart.
 vm_compute. reflexivity. Qed.
Print Assumptions fooled.
";

/// The file; `None` when the game copies or reads, when its inputs have no index, or with more than [`MAX_ENTRIES`] entries.
pub fn pair(
    game: &Game,
    tables: &ProtocolTables,
    pair: &Pair,
    accepted: [&[u64]; 2],
) -> Option<String> {
    let open: Vec<SlotId> = game.open_slots().collect();
    if open
        .iter()
        .any(|id| !matches!(game.slot(*id).rule, Rule::Chosen(_)))
    {
        return None;
    }
    let said: Vec<(SlotId, &Option<Vec<u64>>)> = game.chosen_slots().zip(&tables.tables).collect();
    let entries: usize = said
        .iter()
        .map(|(_, table)| table.as_ref().map_or(0, Vec::len))
        .sum();
    if entries > MAX_ENTRIES {
        return None;
    }
    let number = |id: &SlotId| open.iter().position(|known| known == id);
    let mut text = HEAD.to_owned();
    text.push_str("Definition slots : list slot := [\n");
    for (place, id) in open.iter().enumerate() {
        let table = said.iter().find(|(known, _)| known == id)?.1;
        let comma = if place + 1 < open.len() { ";" } else { "" };
        let symbols = table.as_ref().map_or(String::new(), |table| list(table));
        let _ = writeln!(
            text,
            " (* {} *) {{| parts := {}; table := [{symbols}] |}}{comma}",
            game.name(*id),
            parts(game, *id, &number)?,
        );
    }
    text.push_str("].\n");
    let stored: Vec<u64> = game
        .stored(game.output(), game.slots().len())
        .filter_map(|id| number(&id).map(|place| place as u64))
        .collect();
    let _ = writeln!(
        text,
        "Definition output : nat := {}%nat.\nDefinition stored : list nat := map N.to_nat [{}].",
        game.output().0,
        list(&stored)
    );
    for (name, inputs, accepted) in [
        ("left", &pair.left, accepted[0]),
        ("right", &pair.right, accepted[1]),
    ] {
        let _ = writeln!(
            text,
            "Definition {name} : list N := [{}].\nDefinition accepted_{name} : list N := [{}].",
            list(&indices(game, inputs)?),
            list(accepted)
        );
    }
    text.push_str(TAIL);
    Some(text)
}

fn list(numbers: &[u64]) -> String {
    let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

fn indices(game: &Game, inputs: &Inputs) -> Option<Vec<u64>> {
    game.players()
        .iter()
        .zip(&inputs.0)
        .map(|(player, digits)| player.domain.index(digits))
        .collect()
}

/// The digits of a slot's key with their radices, in key order.
fn parts(game: &Game, id: SlotId, number: &dyn Fn(&SlotId) -> Option<usize>) -> Option<String> {
    let space = KeySpace::of_slot(game, id);
    let own = |player: &PlayerId| {
        let size = game.player(*player).domain.index_size()?;
        Some(format!("(Own {}%nat, {size})", player.0))
    };
    let heard = |slot: &SlotId| {
        let size = game.alphabet(*slot).size().to_u64()?;
        Some(format!("(Heard {}%nat, {size})", number(slot)?))
    };
    let parts: Vec<String> = space
        .players
        .iter()
        .map(own)
        .chain(space.stored.iter().flatten().map(heard))
        .collect::<Option<_>>()?;
    Some(format!("[{}]", parts.join("; ")))
}
