//! Zamba2: Mamba-2 at every position, and a shared attention block before some, on twice the width.

use super::pattern::{self, Slot};
use super::reader::{Reader, Refusal};
use super::{Attention, Layers, Letter, Position, at_list, place};
use crate::models::layer::Layer;

pub(super) const DEFAULTS: &[(&str, &str)] = &[
    ("num_hidden_layers", "54"),
    ("hidden_size", "2560"),
    ("num_attention_heads", "32"),
    ("mamba_expand", "2"),
    ("mamba_d_state", "64"),
    ("mamba_d_conv", "4"),
    ("mamba_ngroups", "1"),
    (
        "layers_block_type",
        r#"["mamba",
            "mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid",
            "mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid",
            "mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid",
            "mamba","mamba","mamba","mamba","mamba","hybrid",
            "mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","hybrid","mamba","mamba"]"#,
    ),
];

pub(super) fn read(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let older = [("m", Slot::Recurrent), ("g", Slot::Hybrid)];
    let slots = pattern::list(reader, &older)?
        .ok_or_else(|| reader.missing(&["layers_block_type", "layer_types"]))?;
    let hidden = reader.size("hidden_size")?;
    let inner = reader.times(&["mamba_expand"], &hidden)?;
    let layer = Layer::mamba2(
        &inner,
        &reader.size("mamba_d_state")?,
        &reader.size("mamba_ngroups")?,
        &reader.size("mamba_d_conv")?,
    );
    // Attention, then the Mamba-2 state of the same position.
    let both = |index| {
        Some(vec![
            Position {
                index,
                letter: Letter::Full,
                layer: None,
            },
            Position {
                index,
                letter: Letter::Recurrent,
                layer: Some(layer.clone()),
            },
        ])
    };
    let positions =
        place(&slots, &layer, None, both).map_err(|message| at_list(reader, &message))?;
    let attention = if slots.contains(&Slot::Hybrid) || slots.contains(&Slot::Full) {
        let (heads, stream) = (reader.size("num_attention_heads")?, &hidden * 2_u32);
        Some(Attention {
            size: reader.divide("num_attention_heads", &stream, &heads)?,
            heads,
            stream,
        })
    } else {
        None
    };
    Ok(Layers {
        positions,
        attention,
    })
}
