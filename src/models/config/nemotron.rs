//! Nemotron-H: a string of Mamba-2, attention, MLP and MoE positions.

use super::pattern::{self, Slot};
use super::reader::{Found, Reader, Refusal};
use super::{Layers, attention_if, simple};
use crate::models::layer::Layer;

pub(super) const DEFAULTS: &[(&str, &str)] = &[
    ("hidden_size", "4096"),
    ("num_attention_heads", "32"),
    ("head_dim", "128"),
    ("mamba_num_heads", "128"),
    ("mamba_head_dim", "64"),
    ("ssm_state_size", "128"),
    ("n_groups", "8"),
    ("conv_kernel", "4"),
];

/// `M` recurrent, `*` full attention, `-` MLP, `E` MoE.
fn string(found: &Found) -> Result<Vec<Slot>, Refusal> {
    let text = found.text()?;
    if text.chars().count() > 1 << 14 {
        return Err(found.refuse("more than 16384 layers"));
    }
    text.chars()
        .enumerate()
        .map(|(i, letter)| match letter {
            'M' => Ok(Slot::Recurrent),
            '*' => Ok(Slot::Full),
            '-' | 'E' => Ok(Slot::Nothing),
            other => Err(found.refuse(format!(
                "unknown letter `{}` at place {i} of the pattern; expected M, *, - or E",
                other.escape_debug()
            ))),
        })
        .collect()
}

pub(super) fn read(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    // Extra prediction layers (mtp_hybrid_override_pattern) are not part of the stack.
    let by_string = match reader.get("hybrid_override_pattern")? {
        None => None,
        Some(found) => {
            let slots = string(&found)?;
            pattern::check_length(reader, &found, slots.len())?;
            Some(slots)
        }
    };
    let by_list = pattern::list(reader, &[])?;
    if let (Some(string), Some(list)) = (&by_string, &by_list)
        && string != list
    {
        return Err(super::at_list(
            reader,
            "other layers than hybrid_override_pattern has",
        ));
    }
    let slots = by_string.or(by_list).ok_or_else(|| {
        reader.missing(&[
            "hybrid_override_pattern",
            "layer_types",
            "layers_block_type",
        ])
    })?;
    // heads * head_dim need not be expand * hidden_size.
    let inner = reader.size("mamba_num_heads")? * reader.size("mamba_head_dim")?;
    let layer = Layer::mamba2(
        &inner,
        &reader.size("ssm_state_size")?,
        &reader.need(&["n_groups", "mamba_n_groups"])?.size()?,
        &reader.need(&["conv_kernel", "mamba_d_conv"])?.size()?,
    );
    let positions = simple(reader, &slots, &layer)?;
    let attention = attention_if(reader, &positions)?;
    Ok(Layers {
        positions,
        attention,
    })
}
