//! Model types of flash-linear-attention: the model's own layer everywhere, attention where `attn` says so.

use super::reader::{Found, Reader, Refusal};
use super::{Attention, Layers, Letter, Position};
use crate::models::layer::{Conv, Fenwick, Layer, conv, levels, most_matrices};
use num_bigint::BigUint;
use num_traits::Zero;

const BASE: [(&str, &str); 2] = [("num_hidden_layers", "24"), ("hidden_size", "2048")];
pub(super) const DEFAULTS_GLA: &[(&str, &str)] = &[
    BASE[0],
    BASE[1],
    ("num_heads", "4"),
    ("expand_k", "0.5"),
    ("expand_v", "1"),
    ("use_short_conv", "false"),
    ("conv_size", "4"),
];
pub(super) const DEFAULTS_RETNET: &[(&str, &str)] = &[
    BASE[0],
    BASE[1],
    ("num_heads", "8"),
    ("expand_k", "1"),
    ("expand_v", "2"),
    ("use_short_conv", "false"),
    ("conv_size", "4"),
];
pub(super) const DEFAULTS_LINEAR: &[(&str, &str)] = &[
    BASE[0],
    BASE[1],
    ("num_heads", "4"),
    ("expand_k", "1"),
    ("expand_v", "1"),
    ("norm_feature_map", "false"),
    ("feature_map", "\"elementwise_product\""),
];
pub(super) const DEFAULTS_DELTA: &[(&str, &str)] = &[
    BASE[0],
    BASE[1],
    ("num_heads", "16"),
    ("expand_k", "1"),
    ("expand_v", "1"),
    ("use_short_conv", "true"),
    ("conv_size", "4"),
];
pub(super) const DEFAULTS_GATED: &[(&str, &str)] = &[
    ("num_hidden_layers", "21"),
    BASE[1],
    ("num_heads", "6"),
    ("head_dim", "256"),
    ("expand_v", "2"),
    ("use_short_conv", "true"),
    ("conv_size", "4"),
];
pub(super) const DEFAULTS_KDA: &[(&str, &str)] = &[
    BASE[0],
    BASE[1],
    ("num_heads", "16"),
    ("head_dim", "128"),
    ("expand_v", "1"),
    ("use_short_conv", "true"),
    ("conv_size", "4"),
];
pub(super) const DEFAULTS_HGRN: &[(&str, &str)] = &[
    BASE[0],
    BASE[1],
    ("expand_ratio", "1"),
    ("use_short_conv", "false"),
    ("conv_size", "4"),
];
pub(super) const DEFAULTS_HGRN2: &[(&str, &str)] = &[
    BASE[0],
    BASE[1],
    ("expand_ratio", "128"),
    ("use_short_conv", "false"),
    ("conv_size", "4"),
];
pub(super) const DEFAULTS_GSA: &[(&str, &str)] = &[
    BASE[0],
    BASE[1],
    ("num_heads", "4"),
    ("num_slots", "64"),
    ("expand_k", "1"),
    ("expand_v", "1"),
    ("use_short_conv", "false"),
    ("conv_size", "4"),
];
pub(super) const DEFAULTS_ABC: &[(&str, &str)] = &[
    BASE[0],
    BASE[1],
    ("num_heads", "4"),
    ("num_slots", "64"),
    ("expand_k", "0.5"),
    ("expand_v", "1"),
    ("use_short_conv", "false"),
    ("conv_size", "4"),
];
pub(super) const DEFAULTS_MESA: &[(&str, &str)] = &[
    BASE[0],
    BASE[1],
    ("num_heads", "16"),
    ("head_dim", "128"),
    ("use_short_conv", "true"),
    ("conv_size", "4"),
];

/// The attention layers of `attn`: an object, or a list of them.
fn attention_layers(
    reader: &Reader<'_>,
    layers: u64,
) -> Result<Vec<(u64, Option<Layer>, Attention)>, Refusal> {
    let Some(found) = reader.get("attn")? else {
        return Ok(Vec::new());
    };
    let objects = found.items().unwrap_or_else(|_| vec![found.clone()]);
    let mut all: Vec<(u64, Option<Layer>, Attention)> = Vec::new();
    for object in objects {
        let member = |key: &str| -> Option<Found> {
            let node = object.node.get(key)?;
            (node.value != super::json::Value::Null).then(|| Found {
                path: format!("{}.{key}", object.path),
                node: node.clone(),
            })
        };
        let need = |key: &str| {
            member(key).ok_or_else(|| object.refuse(format!("no `{key}`; it decides the layout")))
        };
        let hidden = reader.size("hidden_size")?;
        let heads = need("num_heads")?.size()?;
        let size = match member("head_dim") {
            Some(size) => size.size()?,
            None => reader.divide("hidden_size", &hidden, &heads)?,
        };
        let window = match member("window_size") {
            None => None,
            Some(window) => Some(Layer::Window {
                window: window.size()?,
                heads: need("num_kv_heads")?.size()?,
                size: size.clone(),
            }),
        };
        for index in need("layers")?.positions(0, layers)? {
            if all.iter().any(|(other, _, _)| *other == index) {
                return Err(object.refuse(format!("layer {index} is in two attention objects")));
            }
            let attention = Attention {
                heads: heads.clone(),
                size: size.clone(),
                stream: hidden.clone(),
            };
            all.push((index, window.clone(), attention));
        }
    }
    Ok(all)
}

/// The model's own layer at every position that is not in `attn`.
pub(super) fn with_attention(
    reader: &Reader<'_>,
    own: impl Fn(u64) -> Result<Layer, Refusal>,
) -> Result<Layers, Refusal> {
    let layers = reader.layers()?;
    let attn = attention_layers(reader, layers)?;
    let mut positions = Vec::new();
    let mut attention = None;
    for index in 0..layers {
        let (letter, layer) = match attn.iter().find(|(other, _, _)| *other == index) {
            Some((_, Some(window), _)) => (Letter::Recurrent, Some(window.clone())),
            Some((_, None, found)) => {
                attention.get_or_insert_with(|| found.clone());
                (Letter::Full, None)
            }
            None => (Letter::Recurrent, Some(own(index)?)),
        };
        positions.push(Position {
            index,
            letter,
            layer,
        });
    }
    Ok(Layers {
        positions,
        attention,
    })
}

/// A short convolution over `width` channels, if the file has one.
fn short_conv(reader: &Reader<'_>, width: BigUint) -> Result<Option<Conv>, Refusal> {
    if reader.truth(&["use_short_conv"])? {
        Ok(Some(conv(&reader.size("conv_size")?, width)))
    } else {
        Ok(None)
    }
}

/// H, H_kv, dk and dv of the models with expand_k and expand_v (gsa and abc have misspelt them at times).
struct Shape {
    heads: BigUint,
    groups: BigUint,
    key: BigUint,
    value: BigUint,
}

impl Shape {
    fn read(reader: &Reader<'_>) -> Result<Self, Refusal> {
        let (hidden, heads) = (reader.size("hidden_size")?, reader.size("num_heads")?);
        let groups = match reader.maybe_size("num_kv_heads")? {
            Some(groups) => {
                reader.divide("num_kv_heads", &heads, &groups)?;
                groups
            }
            None => heads.clone(),
        };
        let size =
            |names: &[&str]| reader.divide("num_heads", &reader.times(names, &hidden)?, &heads);
        Ok(Self {
            key: size(&["expand_k", "exapnd_k"])?,
            value: size(&["expand_v", "exapnd_v"])?,
            heads,
            groups,
        })
    }

    /// Queries of all heads, keys and values of the groups.
    fn conv_width(&self) -> BigUint {
        &self.heads * &self.key + &self.groups * (&self.key + &self.value)
    }
}

/// `H_kv dk dv` distinct, `H dk dv` stored.
pub(super) fn gla(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let heads = Shape::read(reader)?;
    let mut layer = Layer::matrix(
        &heads.groups,
        &heads.key,
        &heads.value,
        short_conv(reader, heads.conv_width())?,
    );
    if let Layer::Matrix { stored, .. } = &mut layer {
        *stored = heads.heads;
    }
    with_attention(reader, |_| Ok(layer.clone()))
}

/// `H dk dv`: the heads of a group have different decays.
pub(super) fn retnet(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let heads = Shape::read(reader)?;
    let layer = Layer::matrix(
        &heads.heads,
        &heads.key,
        &heads.value,
        short_conv(reader, heads.conv_width())?,
    );
    with_attention(reader, |_| Ok(layer.clone()))
}

/// `H dk dv`, and `H dk` more with a normaliser; key/value groups share their copies.
pub(super) fn linear(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let heads = Shape::read(reader)?;
    let map = reader.need(&["feature_map"])?;
    let key = match map.text()? {
        "elementwise_product" | "relu" | "elu" | "identity" | "t2r" => heads.key,
        // Two halves of opposite sign.
        "hedgehog" => heads.key * 2_u32,
        other => {
            return Err(map.refuse(format!(
                "feature map `{other}`; its size is known for elementwise_product, relu, elu, identity, t2r, hedgehog"
            )));
        }
    };
    let mut layer = Layer::matrix(&heads.groups, &key, &heads.value, None);
    if let Layer::Matrix {
        stored, normaliser, ..
    } = &mut layer
    {
        *stored = heads.heads;
        *normaliser = reader.truth(&["norm_feature_map", "do_feature_map_norm"])?;
    }
    with_attention(reader, |_| Ok(layer.clone()))
}

/// `H dk dv + (K-1)(2 H dk + H dv)`.
pub(super) fn delta(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let heads = Shape::read(reader)?;
    let width = &heads.heads * (&heads.key * 2_u32 + &heads.value);
    let layer = Layer::matrix(
        &heads.heads,
        &heads.key,
        &heads.value,
        short_conv(reader, width)?,
    );
    with_attention(reader, |_| Ok(layer.clone()))
}

fn gated_layer(reader: &Reader<'_>) -> Result<Layer, Refusal> {
    let (heads, key) = (reader.size("num_heads")?, reader.size("head_dim")?);
    let value = reader.times(&["expand_v"], &key)?;
    let value_heads = match reader.maybe_size("num_v_heads")? {
        Some(value_heads) => {
            reader.divide("num_v_heads", &value_heads, &heads)?;
            value_heads
        }
        None => heads.clone(),
    };
    let kernel = short_conv(reader, BigUint::zero())?.map(|conv| conv.kernel);
    Ok(Layer::gated_delta(
        &heads,
        &value_heads,
        &key,
        &value,
        kernel.as_ref(),
    ))
}

/// `H_v dk dv + (K-1)(2 H_k dk + H_v dv)`.
pub(super) fn gated(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let layer = gated_layer(reader)?;
    with_attention(reader, |_| Ok(layer.clone()))
}

/// How many matrices cross: popcount of `--tokens`, else the most up to the context length.
pub(super) fn fenwick(reader: &Reader<'_>) -> Result<Fenwick, Refusal> {
    let longest = match super::max_context(reader)? {
        Some(longest) => Some(longest),
        None => reader.tokens,
    };
    let Some(longest) = longest else {
        return Err(Refusal {
            path: "max_position_embeddings".to_owned(),
            at: reader.root.at,
            message: "missing: a log-linear state depends on the tokens read; give --tokens T"
                .to_owned(),
        });
    };
    let most = most_matrices(longest);
    let matrices = if let Some(tokens) = reader.tokens {
        reader.note(format!(
            "log-linear: popcount({tokens}) = {} matrices cross after {tokens} tokens; at most {most} at any boundary up to {longest}",
            tokens.count_ones()
        ));
        u64::from(tokens.count_ones())
    } else {
        reader.note(format!(
            "log-linear: counted with {most} matrices, the most at any boundary up to {longest} tokens; --tokens T gives popcount(T)"
        ));
        most
    };
    Ok(Fenwick {
        matrices,
        levels: levels(longest),
    })
}

pub(super) fn log_linear(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let levels = fenwick(reader)?;
    let mut layer = gated_layer(reader)?;
    if let Layer::Matrix { fenwick, .. } = &mut layer {
        *fenwick = Some(levels);
    }
    with_attention(reader, |_| Ok(layer.clone()))
}

/// `h expand_ratio`, and two convolutions.
pub(super) fn hgrn(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let width = reader.times(&["expand_ratio"], &reader.size("hidden_size")?)?;
    let conv = short_conv(reader, &width * 2_u32)?;
    let layer = Layer::vector(width, conv);
    with_attention(reader, |_| Ok(layer.clone()))
}

/// `h expand_ratio + (K-1)(2 H expand_ratio + h)`.
pub(super) fn hgrn2(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let hidden = reader.size("hidden_size")?;
    let by_heads = reader
        .maybe_size("num_heads")?
        .map(|heads| {
            reader
                .divide("num_heads", &hidden, &heads)
                .map(|size| (heads, size))
        })
        .transpose()?;
    let (heads, ratio) = match (reader.maybe_size("expand_ratio")?, by_heads) {
        (Some(ratio), None) => (reader.divide("expand_ratio", &hidden, &ratio)?, ratio),
        (None, Some(found)) => found,
        (Some(ratio), Some((heads, other))) => {
            reader.agree("expand_ratio", &ratio, &other, "hidden_size / num_heads")?;
            (heads, ratio)
        }
        (None, None) => {
            let ratio = reader.need(&["expand_ratio", "num_heads"])?.size()?;
            (reader.divide("expand_ratio", &hidden, &ratio)?, ratio)
        }
    };
    let width = &heads * &ratio * 2_u32 + &hidden;
    let layer = Layer::matrix(
        &heads,
        &ratio,
        &(&hidden / &heads),
        short_conv(reader, width)?,
    );
    with_attention(reader, |_| Ok(layer.clone()))
}

/// `H_kv m (dk + dv)`.
pub(super) fn slots(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let heads = Shape::read(reader)?;
    let layer = Layer::Slots {
        conv: short_conv(reader, heads.conv_width())?,
        slots: reader.size("num_slots")?,
        heads: heads.groups,
        stored: heads.heads,
        key: heads.key,
        value: heads.value,
    };
    with_attention(reader, |_| Ok(layer.clone()))
}

/// `H(dk dk + dk dv) + (K-1) 2 H dk`.
pub(super) fn mesa(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let (heads, size) = (reader.size("num_heads")?, reader.size("head_dim")?);
    let width = &heads * &size * 2_u32;
    let layer = Layer::Mesa {
        conv: short_conv(reader, width)?,
        key: size.clone(),
        value: size,
        heads,
    };
    with_attention(reader, |_| Ok(layer.clone()))
}
