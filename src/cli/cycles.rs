//! `cycles`: one cycle or two, as an MPC problem.

use crate::cli::args::CyclesArgs;
use crate::cli::{Failure, Output};
#[cfg(feature = "search")]
use crate::exact::count::bits;
use crate::reduction::cycle::{Kind, directed, fits, is_odd, reads, undirected};
use crate::reduction::routing::Machines;
use crate::reduction::split::Conflicts;
#[cfg(feature = "search")]
use num_bigint::BigUint;
use serde_json::{Value as Json, json};

pub(super) fn run(args: &CyclesArgs) -> Result<Output, Failure> {
    let (vertices, way) = (args.vertices, args.directed);
    if !fits(vertices, way) {
        let least = if way { 4 } else { 6 };
        return Err(Failure::Usage(format!(
            "vertices: found {vertices}, expected an even number from {least} to 8"
        )));
    }
    let count = |kind| {
        if way {
            directed(vertices, kind).len()
        } else {
            undirected(vertices, kind).len()
        }
    };
    let [one, two] = Kind::BOTH.map(count);
    let (needed, pair) = reads(vertices, way)
        .ok_or_else(|| Failure::Usage(format!("vertices: no instances of {vertices}")))?;
    let words = if way { "successors" } else { "edges" };
    let mut lines = vec![
        format!(
            "{one} instances of one cycle, {two} of two half cycles ({words} of {vertices} vertices)"
        ),
        format!(
            "  {needed} of {vertices} {words} must be read, chosen beforehand: a pair shares {} (exact: all pairs)",
            needed - 1
        ),
    ];
    let mut json = json!({
        "vertices": vertices,
        "directed": way,
        "one_cycle": one.to_string(),
        "two_cycles": two.to_string(),
        "reads": needed,
        "pair": pair,
        "scope": "this-parameter-point",
    });
    if way {
        let odd = |kind| {
            directed(vertices, kind)
                .iter()
                .filter(|next| is_odd(next))
                .count()
        };
        let right = odd(Kind::One) == one && odd(Kind::Two) == 0;
        json["sign_decides"] = json!(right);
        lines.push(format!("  the sign of the permutation decides: {right}"));
        lines.push(
            "  warning: the sign is a parity of inversions, so directed cycles do not model the conjecture; no evidence for it"
                .to_owned(),
        );
    }
    if let Some(words) = args.memory {
        machines(args, words, needed as u64, &mut lines, &mut json);
    }
    if let Some(held) = args.held {
        split(args, held, &mut lines, &mut json)?;
    }
    lines.push(
        "scope: these instances; for the conjecture on large graphs this proves nothing".to_owned(),
    );
    Ok(Output::new(lines.join("\n"), json))
}

/// The bound by static routes, with the three decisions it depends on.
fn machines(args: &CyclesArgs, words: u64, needed: u64, lines: &mut Vec<String>, json: &mut Json) {
    let machines = Machines {
        words,
        word_bits: args.word_bits,
        data_dependent: args.data_dependent,
        placement_counts: args.placement_counts,
    };
    let routes = if args.data_dependent {
        "data-dependent"
    } else {
        "static"
    };
    let placement = if args.placement_counts {
        "counted"
    } else {
        "not counted"
    };
    lines.push(format!(
        "  machines of {words} words of {} bits, {routes} routes, placement {placement}:",
        args.word_bits
    ));
    let rounds = machines.rounds(needed);
    lines.push(match rounds {
        Some(rounds) => format!(
            "    at least {rounds} MPC rounds (lower: static routing, s^(R+1) >= {needed}); in transformer layers: {}",
            rounds + 1 - u64::from(args.placement_counts)
        ),
        None if args.data_dependent => {
            "    no bound: with data-dependent routes silence carries information".to_owned()
        }
        None => "    no number of rounds is enough".to_owned(),
    });
    json["machines"] = json!({
        "words": words.to_string(),
        "word_bits": args.word_bits,
        "data_dependent": args.data_dependent,
        "placement_counts": args.placement_counts,
        "rounds_at_least": rounds,
    });
}

/// The one-way cost between two parties.
fn split(
    args: &CyclesArgs,
    held: usize,
    lines: &mut Vec<String>,
    json: &mut Json,
) -> Result<(), Failure> {
    if args.directed {
        return Err(Failure::Usage(
            "held: the split problem is about undirected cycles, leave --directed out".to_owned(),
        ));
    }
    let conflicts = Conflicts::new(args.vertices, held).ok_or_else(|| {
        Failure::Usage(format!(
            "held: found {held}, expected at most {}",
            args.vertices
        ))
    })?;
    if conflicts.sets().len() > 20_000 {
        return Err(Failure::TooLarge(format!(
            "held: {} sets of edges, more than 20000",
            conflicts.sets().len()
        )));
    }
    let (sets, pairs) = (conflicts.sets().len(), conflicts.pairs.len());
    lines.push(format!(
        "  Alice holds {held} edges: {sets} sets, {pairs} conflicts"
    ));
    json["split"] = json!({"held": held, "sets": sets.to_string(), "conflicts": pairs.to_string()});
    messages(&conflicts, lines, &mut json["split"])
}

#[cfg(feature = "search")]
fn messages(
    conflicts: &Conflicts,
    lines: &mut Vec<String>,
    json: &mut Json,
) -> Result<(), Failure> {
    let (colours, clique) = crate::search::colouring::split(conflicts);
    if let Some((a, b)) = conflicts.improper(&colours) {
        return Err(Failure::Contradiction(format!(
            "sets {a} and {b} have one colour"
        )));
    }
    let used = colours.iter().max().map_or(0, |most| most + 1);
    let exact = used == clique.len();
    let cost = bits(&BigUint::from(used));
    lines.push(if exact {
        format!("    {used} messages, {cost} bits (exact: a colouring, and a clique of {used})")
    } else {
        format!("    between {} and {used} messages", clique.len())
    });
    json["messages"] = json!(exact.then(|| used.to_string()));
    json["at_least"] = json!(clique.len().to_string());
    json["at_most"] = json!(used.to_string());
    json["bits"] = json!(exact.then_some(cost));
    Ok(())
}

#[cfg(not(feature = "search"))]
#[expect(clippy::unnecessary_wraps, reason = "the other build can fail here")]
fn messages(_: &Conflicts, lines: &mut Vec<String>, _: &mut Json) -> Result<(), Failure> {
    lines.push("    messages: built without the feature `search`".to_owned());
    Ok(())
}
