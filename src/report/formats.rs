//! The reference of the file formats in Markdown, from the registries that the readers use.

use crate::evidence::item;
use crate::evidence::statement::KINDS;
use crate::file::keys::{self, Key, Shape, Table as Tagged};
use crate::report::schema::Format;
use crate::report::table::Table;

/// The whole page.
pub fn page() -> String {
    let mut page = "# File formats\n\nGenerated from the registries of the readers. An integer may be written as a constant expression in quotes (`\"2^n - 1\"`); unknown keys \
        are errors with a place. The JSON Schemas for editors are in `docs/schema/`, and `foolproof schema game` prints one.\n"
        .to_owned();
    for format in Format::ALL {
        page += "\n";
        page += &of(format);
    }
    page += &evidence();
    page
}

/// The tables of one format.
pub fn of(format: Format) -> String {
    match format {
        Format::Game => [
            "## A game file\n\nOne of `[family.X]` and `[game]`, and a `[task.X]` unless the family fixes it.\n".to_owned(),
            keys("Keys of any file", &keys::COMMON),
            tagged("family", &keys::FAMILIES),
            keys("[game], for games that are no family", &keys::GAME),
            keys("An entry of `rounds` may be a block", &keys::BLOCK),
            keys("A slot may be a table", &keys::SLOT),
            tagged("task", &keys::TASKS),
        ]
        .join("\n"),
        Format::Strategy => [
            "## A strategy file\n\nOne `[strategy.X]`; the game may stand in the same file.\n".to_owned(),
            tagged("strategy", &keys::STRATEGIES),
        ]
        .join("\n"),
        Format::Claim => [
            "## A claim file\n\nThe head keys and one `[claim.X]`; game and strategy may stand in the same file.\n".to_owned(),
            keys("Head", &keys::HEAD),
            claims(),
        ]
        .join("\n"),
    }
}

fn section(title: &str, table: &Table) -> String {
    format!("### {title}\n\n{}\n", table.markdown())
}

/// Keys with what stands under them.
fn keys(title: &str, keys: &[Key]) -> String {
    let mut table = Table::new(title, &["key", "", "what stands there"]);
    for key in keys {
        let need = if key.required { "needed" } else { "" };
        table.row([
            format!("`{}`", key.name),
            need.to_owned(),
            words(key.shape).to_owned(),
        ]);
    }
    section(title, &table)
}

/// Tagged tables: one line each, keys in brackets when they may be left out.
fn tagged(kind: &str, tables: &[Tagged]) -> String {
    let mut table = Table::new(kind, &["table", "keys", "about"]);
    for entry in tables {
        let list: Vec<String> = entry
            .keys
            .iter()
            .map(|key| written(key.name, key.required))
            .collect();
        table.row([
            format!("`[{kind}.{}]`", entry.tag),
            list.join(" "),
            entry.about.to_owned(),
        ]);
    }
    section(&format!("[{kind}.X]"), &table)
}

fn written(name: &str, required: bool) -> String {
    if required {
        format!("`{name}`")
    } else {
        format!("[`{name}`]")
    }
}

fn claims() -> String {
    let mut table = Table::new("claim", &["table", "keys", "scope", "states that"]);
    for kind in KINDS.iter().filter(|kind| kind.available) {
        let list: Vec<String> = kind
            .keys
            .iter()
            .map(|key| written(key, kind.required.contains(key)))
            .collect();
        table.row([
            format!("`[claim.{}]`", kind.name),
            list.join(" "),
            kind.scopes.join(", "),
            kind.meaning.to_owned(),
        ]);
    }
    section("[claim.X]", &table)
}

fn evidence() -> String {
    let kinds: Vec<String> = item::KINDS.iter().map(|kind| format!("`{kind}`")).collect();
    format!(
        "\n## An evidence file\n\nCanonical JSON with `claim`, `statement`, `scope`, `verdict`, `spec` (the game and the strategy as their files state them), `digest` (of the resolved \
         object), `evidence`, `files` (attached ones with their digests), `trust`, `tool`, `seal`, `format`. The objects of `evidence` are of these kinds: {}. \
         `docs/design/` fixes every byte.\n",
        kinds.join(", ")
    )
}

/// A shape in words.
fn words(shape: Shape) -> &'static str {
    match shape {
        Shape::Size => "an integer of at least 1",
        Shape::Count => "an integer of at least 0",
        Shape::Integer => "an integer",
        Shape::Text => "a string",
        Shape::Flag => "true or false",
        Shape::Expression => "an expression in quotes",
        Shape::Sizes => "a list of integers of at least 1",
        Shape::Integers => "a list of integers",
        Shape::Texts => "a list of strings",
        Shape::Answers => "a number of answers, or a list of them",
        Shape::Values => "the answers of all inputs in order: digits and `*`, or a list",
        Shape::Symbols => "symbols: digits, or a list of integers",
        Shape::Domain => "a size, or fields such as `{ f = { table = [2, 2] } }`",
        Shape::Domains => "a list of domains",
        Shape::Edges => "a table from edges `j>i` to sizes",
        Shape::SizeOrEdges => "a size, or a table from edges `j>i` to sizes",
        Shape::Passes => "a list of edge tables, one a pass",
        Shape::Epochs => "a list of `{ soft, linear }`",
        Shape::Players => "a list of `{ label = domain }`, in order",
        Shape::Rounds => "a list of rounds, each a table from slots to sizes; or blocks",
        Shape::Items => "the rounds inside a block",
        Shape::Labels => "a list of player labels",
        Shape::Slots => "a list of slot names or patterns",
        Shape::SlotLists => "a list of lists of slots",
        Shape::Say => "a table from slots to symbols",
        Shape::Patterns => "a table from slot patterns to expressions",
        Shape::Maps(_) => "a table from slot patterns to linear maps",
        Shape::Lets => "a table from names to integers, expressions, or lists of them",
        Shape::Holds => "a comparison, or a list of comparisons",
        Shape::AnyTable => "a table",
    }
}
