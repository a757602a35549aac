//! RWKV-4, RWKV-6 and RWKV-7: a recurrent state, and two token shifts (attention and feed-forward).

use super::fla::with_attention;
use super::reader::{Reader, Refusal};
use super::{Layers, Letter, Position};
use crate::models::layer::Layer;
use num_bigint::BigUint;

pub(super) const DEFAULTS_4: &[(&str, &str)] =
    &[("num_hidden_layers", "32"), ("hidden_size", "4096")];
pub(super) const DEFAULTS_6: &[(&str, &str)] = &[
    ("num_hidden_layers", "24"),
    ("hidden_size", "2048"),
    ("num_heads", "4"),
    ("expand_k", "0.5"),
    ("expand_v", "1.0"),
];
pub(super) const DEFAULTS_7: &[(&str, &str)] = &[
    ("num_hidden_layers", "24"),
    ("hidden_size", "2048"),
    ("head_dim", "64"),
];

/// Numerator, denominator and maximum: `3 h_att + 2 h`.
pub(super) fn four(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let hidden = reader.size("hidden_size")?;
    let inner = match reader.maybe_size("attention_hidden_size")? {
        Some(inner) => inner,
        None => hidden.clone(),
    };
    let layer = Layer::Vector {
        size: inner * 3_u32,
        conv: None,
        stored_exact: false,
        shift: hidden * 2_u32,
        fenwick: None,
    };
    let positions = (0..reader.layers()?)
        .map(|index| Position {
            index,
            letter: Letter::Recurrent,
            layer: Some(layer.clone()),
        })
        .collect();
    Ok(Layers {
        positions,
        attention: None,
    })
}

fn shifted(heads: &BigUint, key: &BigUint, value: &BigUint, hidden: &BigUint) -> Layer {
    let mut layer = Layer::matrix(heads, key, value, None);
    if let Layer::Matrix { shift, .. } = &mut layer {
        *shift = hidden * 2_u32;
    }
    layer
}

/// `H dk dv + 2 h`.
pub(super) fn six(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let (hidden, heads) = (reader.size("hidden_size")?, reader.size("num_heads")?);
    let key = reader.divide("num_heads", &reader.times(&["expand_k"], &hidden)?, &heads)?;
    let value = reader.divide("num_heads", &reader.times(&["expand_v"], &hidden)?, &heads)?;
    with_attention(reader, |_| Ok(shifted(&heads, &key, &value, &hidden)))
}

/// `head_dim value_dim + 2 h`.
pub(super) fn seven(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let hidden = reader.size("hidden_size")?;
    let by_heads = reader
        .maybe_size("num_heads")?
        .map(|heads| reader.divide("num_heads", &hidden, &heads))
        .transpose()?;
    let size = match (reader.maybe_size("head_dim")?, by_heads) {
        (Some(size), Some(other)) => {
            reader.agree("head_dim", &size, &other, "hidden_size / num_heads")?;
            size
        }
        (Some(size), None) | (None, Some(size)) => size,
        (None, None) => reader.need(&["head_dim", "num_heads"])?.size()?,
    };
    let heads = reader.divide("head_dim", &hidden, &size)?;
    let layers = reader.layers()?;
    let check = |found: &super::reader::Found| -> Result<BigUint, Refusal> {
        let width = found.size()?;
        if &width % &hidden != BigUint::ZERO {
            return Err(found.refuse(format!(
                "{width}, expected a multiple of hidden_size {hidden}"
            )));
        }
        Ok(width)
    };
    let found = reader.get("value_dim")?;
    let widths: Vec<BigUint> = match &found {
        None => vec![hidden.clone(); usize::try_from(layers).unwrap_or(0)],
        Some(found) => match found.items() {
            Ok(items) => {
                if items.len() as u64 != layers {
                    return Err(found.refuse(format!(
                        "{} widths, but num_hidden_layers is {layers}",
                        items.len()
                    )));
                }
                items.iter().map(check).collect::<Result<_, _>>()?
            }
            Err(_) => vec![check(found)?; usize::try_from(layers).unwrap_or(0)],
        },
    };
    with_attention(reader, |index| {
        let width = usize::try_from(index)
            .ok()
            .and_then(|i| widths.get(i))
            .unwrap_or(&hidden);
        // Widths are multiples of hidden_size, so of the heads.
        Ok(shifted(&heads, &size, &(width / &heads), &hidden))
    })
}
