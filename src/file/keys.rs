//! Every table of a file with its keys: the one registry of the readers and of the JSON Schemas.

use Shape::{
    Answers, AnyTable, Count, Domain, Domains, Edges, Epochs, Expression, Flag, Holds, Integer,
    Integers, Items, Labels, Lets, Passes, Patterns, Players, Rounds, Say, Size, SizeOrEdges,
    Sizes, SlotLists, Slots, Symbols, Text, TextOrTable, Texts, Values,
};

/// What stands under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An integer of at least 1, or a constant expression in quotes.
    Size,
    /// An integer of at least 0, or a constant expression in quotes.
    Count,
    /// Any integer, or a constant expression in quotes.
    Integer,
    /// A string.
    Text,
    /// true or false.
    Flag,
    /// An expression in quotes, or an integer.
    Expression,
    /// A list of sizes.
    Sizes,
    /// A list of integers.
    Integers,
    /// A list of strings.
    Texts,
    /// A size or a list of sizes.
    Answers,
    /// A string of digits and `*`, or a list of answers and lists of answers.
    Values,
    /// A string of digits, or a list of integers.
    Symbols,
    /// A record of fields, or a size.
    Domain,
    /// A list of domains.
    Domains,
    /// A table from edges `j>i` to sizes.
    Edges,
    /// A size, or a table from edges to sizes.
    SizeOrEdges,
    /// A list of edge tables.
    Passes,
    /// A list of `{ soft, linear }`.
    Epochs,
    /// A list of `{ label = domain }`.
    Players,
    /// A list of rounds, lists of tables, and blocks.
    Rounds,
    /// The rounds inside a block.
    Items,
    /// A list of player labels.
    Labels,
    /// A list of slot names or patterns.
    Slots,
    /// A list of lists of slots.
    SlotLists,
    /// A table from slots to symbols.
    Say,
    /// A table from patterns to expressions.
    Patterns,
    /// A table from patterns to `{ constant, inputs, received }`.
    Maps(&'static [Key]),
    /// Constants: a table from names to integers, expressions, or lists of them.
    Lets,
    /// A comparison, or a list of comparisons.
    Holds,
    /// A table whose keys a later reader checks.
    AnyTable,
    /// The name of a file, or such a table.
    TextOrTable,
}

/// One key of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// As written.
    pub name: &'static str,
    /// What stands under it.
    pub shape: Shape,
    /// Whether the table is wrong without it.
    pub required: bool,
}

/// A tagged table: the tag, its keys, one line about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// `X` in `[task.X]`.
    pub tag: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    /// Keys of which exactly one is given; empty without such a choice.
    pub one_of: &'static [&'static str],
    /// One line for `list` and the schemas.
    pub about: &'static str,
}

const fn need(name: &'static str, shape: Shape) -> Key {
    Key {
        name,
        shape,
        required: true,
    }
}

const fn may(name: &'static str, shape: Shape) -> Key {
    Key {
        name,
        shape,
        required: false,
    }
}

const fn table(tag: &'static str, keys: &'static [Key], about: &'static str) -> Table {
    Table {
        tag,
        keys,
        one_of: &[],
        about,
    }
}

/// `[family.X]`.
pub const FAMILIES: [Table; 6] = [
    Table {
        tag: "hybrid",
        keys: &[
            need("steps", Size),
            need("start", Size),
            need("ranges", Sizes),
            need("queries", Sizes),
            may("layout", Text),
            may("soft", SizeOrEdges),
            may("linear", SizeOrEdges),
            may("soft_per_token", Flag),
            may("epoch", Epochs),
        ],
        one_of: &["layout", "epoch"],
        about: "full and recurrent layers: players L, .., 1, 0, -1; the output player composes L steps",
    },
    table(
        "one_way",
        &[
            need("symbols", Size),
            may("alice", Domain),
            may("bob", Domain),
        ],
        "Alice sends one message to Bob, who answers",
    ),
    table(
        "cot",
        &[
            need("symbols", Size),
            may("alice", Domain),
            may("bob", Domain),
            may("steps", Size),
        ],
        "one message, then views forwarded to fresh players: chain of thought",
    ),
    table(
        "streaming",
        &[
            need("symbols", Size),
            may("layers", Size),
            may("inputs", Domains),
        ],
        "one reader per token, each passes a state on; one pass per layer",
    ),
    table(
        "sparse",
        &[
            need("n", Size),
            need("block", Size),
            need("read", Count),
            need("symbols", Size),
            may("values", Size),
            may("heads", Size),
            may("shared_map", Flag),
        ],
        "block summaries, a selection, and the blocks it reads",
    ),
    table(
        "pointer_chasing",
        &[
            need("players", Size),
            need("points", Size),
            need("rounds", Size),
            need("bits", Count),
        ],
        "permutations and a start, simultaneous messages to a board",
    ),
];

/// An entry of the list `epoch`.
pub const EPOCH: [Key; 2] = [need("soft", Edges), may("linear", Passes)];

/// `[game]`.
pub const GAME: [Key; 3] = [
    need("players", Players),
    need("rounds", Rounds),
    need("output", Text),
];

/// A block of rounds.
pub const BLOCK: [Key; 2] = [may("for", Text), need("do", Items)];

/// A slot written as a table.
pub const SLOT: [Key; 5] = [
    may("symbols", Size),
    may("consults", Labels),
    may("forward", Flag),
    may("by", Text),
    may("rank", Count),
];

/// Of which a slot has exactly one.
pub const SLOT_RULES: [&str; 3] = ["symbols", "forward", "by"];

/// Forms of a field that are written as a table.
pub const FORMS: [&str; 3] = ["table", "permutation", "subset"];

/// `[task.X]`.
pub const TASKS: [Table; 9] = [
    table(
        "composition",
        &[],
        "of the hybrid game: follow z_1, .., z_L from z_0 and w",
    ),
    table(
        "pointer",
        &[],
        "of pointer chasing: in which half does the walk end?",
    ),
    table(
        "membership",
        &[need("tokens", Size), need("values", Size)],
        "does the last token occur earlier?",
    ),
    table(
        "eva",
        &[need("n", Size)],
        "evaluate a function on n points at one point",
    ),
    table(
        "percom",
        &[need("n", Size), may("last", Flag)],
        "compose two permutations of n points",
    ),
    table(
        "two_sum",
        &[
            need("n", Size),
            need("modulus", Size),
            may("cut", Count),
            may("reflexive", Flag),
        ],
        "does an earlier token sum with this one to 0 modulo M?",
    ),
    table(
        "k_hop",
        &[
            need("k", Count),
            need("symbols", Size),
            need("prefix", Count),
            need("suffix", Size),
        ],
        "the token after the last earlier copy of this token, k times",
    ),
    table(
        "table",
        &[need("answers", Size), need("values", Values)],
        "accepted answers written out, one entry per full input",
    ),
    Table {
        tag: "expression",
        keys: &[
            need("answers", Answers),
            may("value", Expression),
            may("accept", Expression),
            may("promise", Expression),
        ],
        one_of: &["value", "accept"],
        about: "accepted answers by an expression over all inputs",
    },
];

const ANSWER: Key = may("answer", Expression);

/// An entry of `say` in `[strategy.affine]`.
pub const AFFINE: [Key; 3] = [
    may("constant", Integer),
    may("inputs", Integers),
    may("received", Integers),
];

/// An entry of `say` in `[strategy.threshold]`.
pub const THRESHOLD: [Key; 4] = [
    may("constant", Integer),
    may("inputs", Integers),
    may("received", Integers),
    need("at", Integers),
];

/// `[strategy.X]`.
pub const STRATEGIES: [Table; 9] = [
    table(
        "table",
        &[need("say", Say), may("answers", Symbols)],
        "one symbol per key, written out",
    ),
    table(
        "lookup",
        &[ANSWER],
        "the look-up protocol of the hybrid game; the answer function is free",
    ),
    table("full", &[], "composition on F^(L+1)"),
    table(
        "relay",
        &[may("from", Text), may("path", Slots)],
        "composition on F R F^(L-1); with `from` and `path` the flow witness of any game",
    ),
    table("pre_pass", &[], "composition on R F^L"),
    table(
        "affine",
        &[need("say", Shape::Maps(&AFFINE)), ANSWER],
        "affine maps of digits and symbols, mod the alphabet",
    ),
    table(
        "threshold",
        &[need("say", Shape::Maps(&THRESHOLD)), ANSWER],
        "how many thresholds an affine map reaches",
    ),
    table(
        "pseudo_random",
        &[need("seed", Count), ANSWER],
        "seeded tables that any language reproduces",
    ),
    table(
        "expression",
        &[
            may("say", Patterns),
            may("default", Expression),
            ANSWER,
            may("allow_unused", Flag),
        ],
        "one expression per slot pattern",
    ),
];

/// What may stand at the top of every file, whatever it holds.
pub const COMMON: [Key; 5] = [
    may("note", Text),
    may("let", Lets),
    may("family", AnyTable),
    may("game", AnyTable),
    may("task", AnyTable),
];

/// What a claim file has at the top.
pub const HEAD: [Key; 6] = [
    need("id", Text),
    need("source", Text),
    need("statement", Text),
    need("scope", Text),
    need("expected", Text),
    may("control_of", Text),
];

/// The tables of files that other commands read.
pub const OTHER: [&str; 4] = ["scheme", "matrix", "machine", "kernel"];

/// What stands under a key of a claim; the keys of each kind are in [`crate::evidence::statement::KINDS`].
pub fn claim_shape(kind: &str, key: &str) -> Option<Shape> {
    Some(match (kind, key) {
        // Integers, or words and rationals in quotes.
        ("rank", "optimum" | "softmax" | "error") => Integer,
        ("rank", "kernel") => TextOrTable,
        ("recursion", "output")
        | (
            _,
            "exponent" | "error" | "layout" | "game" | "strategy" | "for" | "hops" | "paper"
            | "check" | "tie" | "mode" | "senders" | "config" | "file" | "view" | "of" | "from"
            | "one_iff" | "question",
        ) => Text,
        ("inequality", "let") => Lets,
        ("count", "task") | (_, "layer" | "start" | "proved" | "let") => AnyTable,
        (_, "pinned") => Slots,
        ("cuts", "equals") => SlotLists,
        (_, "holds") => Holds,
        ("cycles", "directed") | (_, "one_shot" | "strict" | "product_start" | "exists") => Flag,
        ("matrix", "all" | "histogram")
        | ("derive", "linear")
        | ("rank", "tokens" | "queries" | "gap" | "ratio") => Integers,
        (_, "x") => Sizes,
        (_, "tokens" | "rows") => Texts,
        (
            _,
            "after" | "epoch" | "equals" | "at_least" | "at_most" | "before" | "a1" | "k" | "bits"
            | "rank" | "length" | "symbols" | "steps" | "c" | "d" | "soft_bits" | "carry_bits"
            | "rounds" | "q" | "vertices" | "held" | "tokens_at_most" | "for_every_c" | "kappa"
            | "recurrent_bits" | "other_bits" | "weight",
        ) => Count,
        _ => return None,
    })
}

/// The names of some keys.
pub fn names(keys: &[Key]) -> Vec<&'static str> {
    keys.iter().map(|key| key.name).collect()
}

/// The tags of some tables.
pub fn tags(tables: &[Table]) -> Vec<&'static str> {
    tables.iter().map(|table| table.tag).collect()
}

/// The keys of the table with this tag; none for an unknown tag.
pub fn of(tables: &'static [Table], tag: &str) -> &'static [Key] {
    tables
        .iter()
        .find(|table| table.tag == tag)
        .map_or(&[], |table| table.keys)
}

/// Everything that may stand at the top of a file.
pub fn top_level() -> Vec<&'static str> {
    let mut all = names(&COMMON);
    all.push("strategy");
    all.extend(names(&HEAD));
    all.push("claim");
    all.extend(OTHER);
    all
}
