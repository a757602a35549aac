//! LFM2: short convolutions, which keep no recurrent tensor, between full-attention layers.

use super::pattern;
use super::reader::{Reader, Refusal};
use super::{Layers, attention_if, simple};
use crate::models::layer::{Layer, conv};

pub(super) const DEFAULTS: &[(&str, &str)] = &[
    ("num_hidden_layers", "32"),
    ("hidden_size", "2560"),
    ("num_attention_heads", "32"),
    ("conv_L_cache", "3"),
];

pub(super) fn read(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let list = pattern::list(reader, &[])?;
    let by_index = match reader.get("full_attn_idxs")? {
        None => None,
        Some(found) => Some(pattern::indices(&found, reader.layers()?)?),
    };
    if let (Some(list), Some(other)) = (&list, &by_index) {
        pattern::overridden(reader, "layer_types", "full_attn_idxs", list == other);
    }
    // With neither, the class makes every layer full attention: no default for a layout.
    let slots = list
        .or(by_index)
        .ok_or_else(|| reader.missing(&["layer_types", "full_attn_idxs"]))?;
    let layer = Layer::ShortConv(conv(
        &reader.size("conv_L_cache")?,
        reader.size("hidden_size")?,
    ));
    let positions = simple(reader, &slots, &layer)?;
    let attention = attention_if(reader, &positions)?;
    Ok(Layers {
        positions,
        attention,
    })
}
