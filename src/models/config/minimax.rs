//! MiniMax: Lightning attention (no convolution, no normaliser) between full-attention layers.

use super::pattern::{self, Slot};
use super::reader::{Reader, Refusal};
use super::{Layers, attention_if, simple};
use crate::models::layer::Layer;

// The class's layers (32, alternating, full attention first) are not the checkpoint's: no default for the pattern.
pub(super) const DEFAULTS: &[(&str, &str)] = &[
    ("num_hidden_layers", "32"),
    ("hidden_size", "4096"),
    ("num_attention_heads", "32"),
];

pub(super) fn read(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let by_number = match reader.get("attn_type_list")? {
        None => None,
        Some(found) => {
            let slots = found
                .items()?
                .iter()
                .map(|item| match item.count(0)? {
                    0 => Ok(Slot::Recurrent),
                    1 => Ok(Slot::Full),
                    other => Err(item.refuse(format!(
                        "found {other}, expected 0 (lightning) or 1 (full attention)"
                    ))),
                })
                .collect::<Result<Vec<_>, _>>()?;
            pattern::check_length(reader, &found, slots.len())?;
            Some(slots)
        }
    };
    let by_list = pattern::list(reader, &[])?;
    if let (Some(number), Some(list)) = (&by_number, &by_list) {
        pattern::overridden(reader, "attn_type_list", "layer_types", number == list);
    }
    let slots = by_number
        .or(by_list)
        .ok_or_else(|| reader.missing(&["attn_type_list", "layer_types"]))?;
    // An explicit head_dim: hidden_size need not be heads * head_dim.
    let (heads, size) = (
        reader.size("num_attention_heads")?,
        reader.size("head_dim")?,
    );
    let layer = Layer::matrix(&heads, &size, &size, None);
    let positions = simple(reader, &slots, &layer)?;
    let attention = attention_if(reader, &positions)?;
    Ok(Layers {
        positions,
        attention,
    })
}
