//! Mamba and Mamba-2, in the files of transformers, fla and mamba_ssm, and log-linear Mamba-2.

use super::fla::{fenwick, with_attention};
use super::pattern;
use super::reader::{Reader, Refusal};
use super::{Attention, Layers, simple};
use crate::models::layer::Layer;
use num_bigint::BigUint;

pub(super) const DEFAULTS_1: &[(&str, &str)] = &[
    ("num_hidden_layers", "32"),
    ("hidden_size", "768"),
    ("expand", "2"),
    ("state_size", "16"),
    ("conv_kernel", "4"),
];
pub(super) const DEFAULTS_2: &[(&str, &str)] = &[
    ("num_hidden_layers", "64"),
    ("hidden_size", "4096"),
    ("expand", "2"),
    ("num_heads", "128"),
    ("head_dim", "64"),
    ("state_size", "128"),
    ("n_groups", "8"),
    ("conv_kernel", "4"),
];
pub(super) const DEFAULTS_NATIVE: &[(&str, &str)] = &[
    ("ssm_cfg.layer", "\"Mamba1\""),
    ("ssm_cfg.d_conv", "4"),
    ("ssm_cfg.expand", "2"),
    ("ssm_cfg.ngroups", "1"),
];

/// `expand * hidden_size`, or `intermediate_size`, which must agree.
pub(super) fn one(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let inner = match (
        reader.get("expand")?,
        reader.maybe_size("intermediate_size")?,
    ) {
        (None, Some(inner)) => inner,
        (_, stated) => {
            let inner = reader.times(&["expand"], &reader.size("hidden_size")?)?;
            if let Some(stated) = stated {
                reader.agree("intermediate_size", &stated, &inner, "expand * hidden_size")?;
            }
            inner
        }
    };
    let layer = Layer::mamba(
        &inner,
        &reader.size("state_size")?,
        &reader.size("conv_kernel")?,
    );
    with_attention(reader, |_| Ok(layer.clone()))
}

/// `num_heads * head_dim`, which must be `expand * hidden_size`; the fla class derives the heads.
fn inner_of_two(reader: &Reader<'_>) -> Result<BigUint, Refusal> {
    let size = reader.size("head_dim")?;
    let by_expand = match reader.get_or_default("expand")? {
        None => None,
        Some(_) => Some(reader.times(&["expand"], &reader.size("hidden_size")?)?),
    };
    match (reader.maybe_size("num_heads")?, by_expand) {
        (Some(heads), other) => {
            let inner = heads * &size;
            if let Some(other) = other {
                reader.agree("num_heads", &inner, &other, "expand * hidden_size")?;
            }
            Ok(inner)
        }
        (None, Some(inner)) => {
            reader.divide("head_dim", &inner, &size)?;
            Ok(inner)
        }
        (None, None) => Err(reader.missing(&["num_heads", "expand"])),
    }
}

fn layer_of_two(reader: &Reader<'_>) -> Result<Layer, Refusal> {
    Ok(Layer::mamba2(
        &inner_of_two(reader)?,
        &reader.size("state_size")?,
        &reader.size("n_groups")?,
        &reader.size("conv_kernel")?,
    ))
}

pub(super) fn two(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let layer = layer_of_two(reader)?;
    with_attention(reader, |_| Ok(layer.clone()))
}

pub(super) fn log_linear(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let levels = fenwick(reader)?;
    let mut layer = layer_of_two(reader)?;
    if let Layer::Vector { fenwick, .. } = &mut layer {
        *fenwick = Some(levels);
    }
    with_attention(reader, |_| Ok(layer.clone()))
}

/// `d_model`, `n_layer`, `ssm_cfg`, `attn_layer_idx`.
pub(super) fn native(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let kind = reader.need(&["ssm_cfg.layer"])?;
    let second = match kind.text()? {
        "Mamba1" => false,
        "Mamba2" => true,
        other => {
            return Err(kind.refuse(format!(
                "unknown layer `{other}`, expected Mamba1 or Mamba2"
            )));
        }
    };
    let width = reader.size("d_model")?;
    let inner = reader.times(&["ssm_cfg.expand"], &width)?;
    let kernel = reader.size("ssm_cfg.d_conv")?;
    let state = match reader.maybe_size("ssm_cfg.d_state")? {
        Some(state) => state,
        // The default depends on the layer.
        None if reader.fills() => {
            let state = if second { "128" } else { "16" };
            reader.filled_with("ssm_cfg.d_state", state);
            state.parse().unwrap_or_default()
        }
        None => {
            return Err(reader.missing(&["ssm_cfg.d_state"]));
        }
    };
    let layer = if second {
        Layer::mamba2(&inner, &state, &reader.size("ssm_cfg.ngroups")?, &kernel)
    } else {
        Layer::mamba(&inner, &state, &kernel)
    };
    let depth = reader.need(&["n_layer"])?;
    let layers = depth.count(1)?;
    if layers > 1 << 14 {
        return Err(depth.refuse(format!("{layers} layers, expected at most 16384")));
    }
    let slots = match reader.get("attn_layer_idx")? {
        Some(found) => pattern::indices(&found, layers)?,
        None => pattern::full_at(layers, |_| false),
    };
    let positions = simple(reader, &slots, &layer)?;
    let attention = match (
        reader.maybe_size("attn_cfg.num_heads")?,
        reader.maybe_size("attn_cfg.head_dim")?,
    ) {
        (Some(heads), Some(size)) => Some(Attention {
            heads,
            size,
            stream: width,
        }),
        _ => None,
    };
    Ok(Layers {
        positions,
        attention,
    })
}
