//! Qwen3-Next and later Qwen families, OLMo hybrid: Gated DeltaNet between full-attention layers.

use super::pattern::{self, Slot};
use super::reader::{Reader, Refusal};
use super::{Layers, attention_if, simple};
use crate::models::layer::Layer;
use num_bigint::BigUint;

pub(super) const DEFAULTS_NEXT: &[(&str, &str)] = &[
    ("num_hidden_layers", "48"),
    ("hidden_size", "2048"),
    ("num_attention_heads", "16"),
    ("num_key_value_heads", "2"),
    ("head_dim", "256"),
    ("full_attention_interval", "4"),
    ("linear_num_key_heads", "16"),
    ("linear_num_value_heads", "32"),
    ("linear_key_head_dim", "128"),
    ("linear_value_head_dim", "128"),
    ("linear_conv_kernel_dim", "4"),
];

pub(super) const DEFAULTS_OLMO: &[(&str, &str)] = &[
    ("num_hidden_layers", "32"),
    ("hidden_size", "3840"),
    ("num_attention_heads", "30"),
    ("linear_conv_kernel_dim", "4"),
];

fn finish(reader: &Reader<'_>, slots: &[Slot], layer: &Layer) -> Result<Layers, Refusal> {
    let positions = simple(reader, slots, layer)?;
    let attention = attention_if(reader, &positions)?;
    Ok(Layers {
        positions,
        attention,
    })
}

pub(super) fn qwen(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let interval = |reader: &Reader<'_>| -> Result<Vec<Slot>, Refusal> {
        let interval = reader
            .need(&["full_attention_interval"])
            .map_err(|mut refusal| {
                if refusal.message.starts_with("missing") {
                    "layer_types".clone_into(&mut refusal.path);
                    refusal.message = refusal.message.replacen(
                        "missing",
                        "missing, and so is full_attention_interval",
                        1,
                    );
                }
                refusal
            })?
            .count(1)?;
        Ok(pattern::full_at(reader.layers()?, |i| {
            (i + 1) % interval == 0
        }))
    };
    let slots = match pattern::list(reader, &[])? {
        Some(slots) => {
            if reader.get("full_attention_interval")?.is_some()
                && reader.mentions("num_hidden_layers")
            {
                let same = interval(reader)? == slots;
                pattern::overridden(reader, "layer_types", "full_attention_interval", same);
            }
            slots
        }
        None => interval(reader)?,
    };
    let layer = Layer::gated_delta(
        &reader.size("linear_num_key_heads")?,
        &reader.size("linear_num_value_heads")?,
        &reader.size("linear_key_head_dim")?,
        &reader.size("linear_value_head_dim")?,
        Some(&reader.size("linear_conv_kernel_dim")?),
    );
    finish(reader, &slots, &layer)
}

/// A size of OLMo hybrid that the class computes when it is absent: only with class defaults.
fn computed(
    reader: &Reader<'_>,
    name: &str,
    value: impl FnOnce() -> Result<BigUint, Refusal>,
) -> Result<BigUint, Refusal> {
    match reader.maybe_size(name)? {
        Some(size) => Ok(size),
        None if reader.fills() => {
            let value = value()?;
            reader.filled_with(name, &value.to_string());
            Ok(value)
        }
        None => Err(reader.missing(&[name])),
    }
}

pub(super) fn olmo(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let slots = match pattern::list(reader, &[])? {
        Some(slots) => slots,
        None if reader.fills() => {
            reader.filled_with("layer_types", "full attention where i mod 4 = 3");
            let mut slots = pattern::full_at(reader.layers()?, |i| i % 4 == 3);
            if !slots.contains(&Slot::Full)
                && let Some(last) = slots.last_mut()
            {
                *last = Slot::Full;
            }
            slots
        }
        None => return Err(reader.missing(&["layer_types"])),
    };
    let heads = |reader: &Reader<'_>| reader.size("num_attention_heads");
    let key_heads = computed(reader, "linear_num_key_heads", || heads(reader))?;
    let value_heads = computed(reader, "linear_num_value_heads", || heads(reader))?;
    let key = computed(reader, "linear_key_head_dim", || {
        // floor(0.75 hidden / H_k)
        let size = reader.size("hidden_size")? * 3_u32 / (&key_heads * 4_u32);
        Ok(size.max(BigUint::from(1_u32)))
    })?;
    let value = computed(reader, "linear_value_head_dim", || Ok(&key * 2_u32))?;
    let kernel = reader.size("linear_conv_kernel_dim")?;
    let layer = Layer::gated_delta(&key_heads, &value_heads, &key, &value, Some(&kernel));
    finish(reader, &slots, &layer)
}
