//! Models whose every layer keeps an unbounded cache and reads blocks of it: no state bound; see `sparse`.

use super::reader::{Reader, Refusal};
use super::{Attention, Layers, Letter, Position};

pub(super) const DEFAULTS_NSA: &[(&str, &str)] = &[
    ("num_hidden_layers", "24"),
    ("hidden_size", "2048"),
    ("num_heads", "64"),
    ("head_dim", "32"),
];
pub(super) const DEFAULTS_MOBA: &[(&str, &str)] = &[
    ("num_hidden_layers", "24"),
    ("hidden_size", "2048"),
    ("num_heads", "32"),
];

pub(super) fn read(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let positions = (0..reader.layers()?)
        .map(|index| Position {
            index,
            letter: Letter::Full,
            layer: None,
        })
        .collect();
    let (hidden, heads) = (reader.size("hidden_size")?, reader.size("num_heads")?);
    let size = match reader.get_or_default("head_dim")? {
        Some(found) => found.size()?,
        None => reader.divide("num_heads", &hidden, &heads)?,
    };
    reader.note("block-sparse layers: whether the block summaries suffice is a question for `sparse --config`");
    Ok(Layers {
        positions,
        attention: Some(Attention {
            heads,
            size,
            stream: hidden,
        }),
    })
}
