//! Bamba, Granite hybrid and Falcon-H1: Mamba-2 with full attention at listed positions, by a list of types, or everywhere in parallel.

use super::pattern::{self, Slot};
use super::reader::{Reader, Refusal};
use super::{Layers, Letter, Position, attention_if, simple};
use crate::models::layer::Layer;
use num_bigint::BigUint;

pub(super) const DEFAULTS_BAMBA: &[(&str, &str)] = &[
    ("num_hidden_layers", "32"),
    ("hidden_size", "4096"),
    ("num_attention_heads", "32"),
    ("mamba_expand", "2"),
    ("mamba_n_groups", "1"),
    ("mamba_d_state", "256"),
    ("mamba_d_conv", "4"),
];

pub(super) const DEFAULTS_GRANITE: &[(&str, &str)] = DEFAULTS_BAMBA;

pub(super) const DEFAULTS_FALCON: &[(&str, &str)] = &[
    ("num_hidden_layers", "32"),
    ("hidden_size", "4096"),
    ("num_attention_heads", "32"),
    ("mamba_d_ssm", "1024"),
    ("mamba_expand", "2"),
    ("mamba_n_groups", "1"),
    ("mamba_d_state", "256"),
    ("mamba_d_conv", "4"),
];

/// `mamba_n_heads * mamba_d_head` must be d_inner; `"auto"` and absent say nothing.
fn check_heads(reader: &Reader<'_>, inner: &BigUint) -> Result<(), Refusal> {
    let Some(heads) = reader.maybe_size("mamba_n_heads")? else {
        return Ok(());
    };
    let size = match reader.get("mamba_d_head")? {
        Some(found) if found.text().is_ok_and(|text| text == "auto") => None,
        Some(found) => Some(found.size()?),
        None => None,
    };
    match size {
        None => reader.divide("mamba_n_heads", inner, &heads).map(|_| ()),
        Some(size) => reader.agree("mamba_d_head", &(heads * size), inner, "the inner width"),
    }
}

fn layer(reader: &Reader<'_>, inner: &BigUint) -> Result<Layer, Refusal> {
    check_heads(reader, inner)?;
    Ok(Layer::mamba2(
        inner,
        &reader.size("mamba_d_state")?,
        &reader.size("mamba_n_groups")?,
        &reader.size("mamba_d_conv")?,
    ))
}

fn finish(reader: &Reader<'_>, slots: &[Slot]) -> Result<Layers, Refusal> {
    let inner = reader.times(&["mamba_expand"], &reader.size("hidden_size")?)?;
    let positions = simple(reader, slots, &layer(reader, &inner)?)?;
    let attention = attention_if(reader, &positions)?;
    Ok(Layers {
        positions,
        attention,
    })
}

pub(super) fn bamba(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let list = pattern::list(reader, &[])?;
    let by_index = match reader.get("attn_layer_indices")? {
        Some(found) => Some(pattern::indices(&found, reader.layers()?)?),
        // null: no full attention.
        None if reader.mentions("attn_layer_indices") => {
            Some(pattern::full_at(reader.layers()?, |_| false))
        }
        None => None,
    };
    if let (Some(list), Some(other)) = (&list, &by_index) {
        pattern::overridden(reader, "layer_types", "attn_layer_indices", list == other);
    }
    let slots = list
        .or(by_index)
        .ok_or_else(|| reader.missing(&["attn_layer_indices", "layer_types"]))?;
    finish(reader, &slots)
}

pub(super) fn granite(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    // Absent, the class makes every layer Mamba: no default for a layout.
    let slots = pattern::list(reader, &[])?
        .ok_or_else(|| reader.missing(&["layer_types", "layers_block_type"]))?;
    finish(reader, &slots)
}

pub(super) fn falcon(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    if let Some(slots) = pattern::list(reader, &[])?
        && slots.iter().any(|slot| *slot != Slot::Hybrid)
    {
        return Err(super::at_list(
            reader,
            "another word than `hybrid`; every layer of this model type is",
        ));
    }
    let inner = match reader.maybe_size("mamba_d_ssm")? {
        Some(inner) => inner,
        None if reader.mentions("mamba_d_ssm") || reader.mentions("mamba_expand") => {
            reader.times(&["mamba_expand"], &reader.size("hidden_size")?)?
        }
        None => reader.size("mamba_d_ssm")?,
    };
    let layer = layer(reader, &inner)?;
    let positions: Vec<Position> = (0..reader.layers()?)
        .map(|index| Position {
            index,
            letter: Letter::Parallel,
            layer: Some(layer.clone()),
        })
        .collect();
    let attention = attention_if(reader, &positions)?;
    Ok(Layers {
        positions,
        attention,
    })
}
