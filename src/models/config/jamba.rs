//! Jamba: Mamba layers, full attention at a fixed period.

use super::pattern;
use super::reader::{Reader, Refusal};
use super::{Layers, attention_if, simple};
use crate::models::layer::Layer;

pub(super) const DEFAULTS: &[(&str, &str)] = &[
    ("num_hidden_layers", "32"),
    ("hidden_size", "4096"),
    ("num_attention_heads", "32"),
    ("attn_layer_period", "8"),
    ("attn_layer_offset", "4"),
    ("mamba_expand", "2"),
    ("mamba_d_state", "16"),
    ("mamba_d_conv", "4"),
];

pub(super) fn read(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let by_list = pattern::list(reader, &[])?;
    let slots = if by_list.is_some() && reader.get("attn_layer_period")?.is_none() {
        by_list.unwrap_or_default()
    } else {
        let period = reader.need(&["attn_layer_period"])?.count(1)?;
        let offset_field = reader.need(&["attn_layer_offset"])?;
        let offset = offset_field.count(0)?;
        if offset >= period {
            return Err(offset_field.refuse(format!(
                "{offset}, expected less than attn_layer_period {period}"
            )));
        }
        let slots = pattern::full_at(reader.layers()?, |i| i % period == offset);
        if let Some(list) = by_list {
            pattern::overridden(reader, "layer_types", "attn_layer_period", list == slots);
            list
        } else {
            slots
        }
    };
    let inner = reader.times(&["mamba_expand"], &reader.size("hidden_size")?)?;
    let layer = Layer::mamba(
        &inner,
        &reader.size("mamba_d_state")?,
        &reader.size("mamba_d_conv")?,
    );
    let positions = simple(reader, &slots, &layer)?;
    let attention = attention_if(reader, &positions)?;
    Ok(Layers {
        positions,
        attention,
    })
}
