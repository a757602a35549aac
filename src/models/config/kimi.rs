//! Kimi Linear: KDA layers between MLA layers; its lists count from 1.

use super::pattern::{self, Slot};
use super::reader::{Reader, Refusal};
use super::{Attention, Layers, Letter, simple};
use crate::models::layer::Layer;

pub(super) const DEFAULTS: &[(&str, &str)] = &[
    ("num_hidden_layers", "27"),
    ("hidden_size", "2304"),
    ("num_attention_heads", "32"),
    ("qk_nope_head_dim", "128"),
    ("qk_rope_head_dim", "64"),
    ("linear_num_heads", "32"),
    ("linear_head_dim", "128"),
    ("linear_conv_kernel_dim", "4"),
];

/// The two lists of `linear_attn_config`, which together cover every layer once.
fn lists(reader: &Reader<'_>) -> Result<Option<Vec<Slot>>, Refusal> {
    let names = [
        "linear_attn_config.full_attn_layers",
        "linear_attn_config.kda_layers",
    ];
    let (full, linear) = match (reader.get(names[0])?, reader.get(names[1])?) {
        (None, None) => return Ok(None),
        (Some(full), Some(linear)) => (full, linear),
        (Some(_), None) => return Err(reader.missing(&[names[1]])),
        (None, Some(_)) => return Err(reader.missing(&[names[0]])),
    };
    let layers = reader.layers()?;
    let (f, r) = (full.positions(1, layers)?, linear.positions(1, layers)?);
    if let Some(twice) = f.iter().find(|i| r.contains(i)) {
        return Err(linear.refuse(format!("layer {} is in both lists", twice + 1)));
    }
    if let Some(none) = (0..layers).find(|i| !f.contains(i) && !r.contains(i)) {
        return Err(linear.refuse(format!(
            "layer {} of 1 to {layers} is in no list (they count from 1)",
            none + 1
        )));
    }
    Ok(Some(pattern::full_at(layers, |i| f.contains(&i))))
}

pub(super) fn read(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let (types, lists) = (pattern::list(reader, &[])?, lists(reader)?);
    if let (Some(types), Some(lists)) = (&types, &lists) {
        pattern::overridden(reader, "layer_types", "linear_attn_config", types == lists);
    }
    // The class's own pattern is not the checkpoint's: never used.
    let slots = types.or(lists).ok_or_else(|| {
        let mut refusal = reader.missing(&[
            "layer_types",
            "linear_attn_config.full_attn_layers and .kda_layers",
        ]);
        refusal
            .message
            .push_str("; the class's pattern is not the checkpoint's and is not offered");
        refusal
    })?;
    let heads = reader
        .need(&["linear_attn_config.num_heads", "linear_num_heads"])?
        .size()?;
    let size = reader
        .need(&["linear_attn_config.head_dim", "linear_head_dim"])?
        .size()?;
    let kernel = reader
        .need(&[
            "linear_attn_config.short_conv_kernel_size",
            "linear_conv_kernel_dim",
        ])?
        .size()?;
    let layer = Layer::gated_delta(&heads, &heads, &size, &size, Some(&kernel));
    let positions = simple(reader, &slots, &layer)?;
    let full = positions.iter().any(|p| p.letter == Letter::Full);
    let attention = if full {
        Some(Attention {
            heads: reader.size("num_attention_heads")?,
            size: reader.size("qk_nope_head_dim")? + reader.size("qk_rope_head_dim")?,
            stream: reader.size("hidden_size")?,
        })
    } else {
        None
    };
    Ok(Layers {
        positions,
        attention,
    })
}
