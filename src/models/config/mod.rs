//! `config.json` of public models: one small reader per model type, and the registry of them.
//!
//! A field that decides the state and is missing is refused by name. Class defaults are used only when asked for, and listed: a class
//! default is not a checkpoint.

pub mod json;
pub mod pattern;
pub mod reader;

mod bamba;
mod fla;
mod jamba;
mod kimi;
mod lfm2;
mod mamba;
mod minimax;
mod nemotron;
mod qwen;
mod recurrent_gemma;
mod rwkv;
mod unbounded;
mod zamba2;

pub use json::Node;
pub use reader::{Reader, Refusal};

use super::layer::Layer;
use json::Value;
use num_bigint::BigUint;
use pattern::Slot;

/// What a layer is to the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// Full attention: an unbounded cache.
    Full,
    /// Recurrent, convolution or sliding window.
    Recurrent,
    /// Full attention and a recurrent layer in parallel.
    Parallel,
}

impl Letter {
    /// F, R or P.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Full => "F",
            Self::Recurrent => "R",
            Self::Parallel => "P",
        }
    }
}

/// A mixing position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Index among the layers of the file, from 0; two positions of one layer share it.
    pub index: u64,
    /// F, R or P.
    pub letter: Letter,
    /// The bounded state, unless it is plain full attention.
    pub layer: Option<Layer>,
}

/// The attention layers, for c = max(H d, stream) p.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attention {
    /// H.
    pub heads: BigUint,
    /// d; for MLA the sum of the two parts.
    pub size: BigUint,
    /// Width of the stream that the layer reads.
    pub stream: BigUint,
}

/// What a reader finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layers {
    /// Mixing positions, in order.
    pub positions: Vec<Position>,
    /// The attention layers, if there are any and the file says enough.
    pub attention: Option<Attention>,
}

/// A configuration, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The model type that decided.
    pub model_type: String,
    /// Positions and attention.
    pub layers: Layers,
    /// Context length, if the file has one.
    pub max_context: Option<u64>,
    /// Bits of recurrent numbers that the file states, with the field.
    pub recurrent_bits: Option<(String, u64)>,
    /// Class defaults that were used: path and value.
    pub filled: Vec<(String, String)>,
    /// Remarks.
    pub notes: Vec<String>,
}

/// A model type's reader.
struct Family {
    names: &'static [&'static str],
    defaults: &'static [(&'static str, &'static str)],
    read: fn(&Reader<'_>) -> Result<Layers, Refusal>,
}

/// Every model type.
static FAMILIES: &[Family] = &[
    Family {
        names: &["qwen3_next"],
        defaults: qwen::DEFAULTS_NEXT,
        read: qwen::qwen,
    },
    Family {
        names: &["qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"],
        defaults: &[],
        read: qwen::qwen,
    },
    Family {
        names: &["olmo_hybrid"],
        defaults: qwen::DEFAULTS_OLMO,
        read: qwen::olmo,
    },
    Family {
        names: &["kimi_linear"],
        defaults: kimi::DEFAULTS,
        read: kimi::read,
    },
    Family {
        names: &["jamba"],
        defaults: jamba::DEFAULTS,
        read: jamba::read,
    },
    Family {
        names: &["zamba2"],
        defaults: zamba2::DEFAULTS,
        read: zamba2::read,
    },
    Family {
        names: &["bamba"],
        defaults: bamba::DEFAULTS_BAMBA,
        read: bamba::bamba,
    },
    Family {
        names: &["granitemoehybrid"],
        defaults: bamba::DEFAULTS_GRANITE,
        read: bamba::granite,
    },
    Family {
        names: &["falcon_h1"],
        defaults: bamba::DEFAULTS_FALCON,
        read: bamba::falcon,
    },
    Family {
        names: &["nemotron_h"],
        defaults: nemotron::DEFAULTS,
        read: nemotron::read,
    },
    Family {
        names: &["minimax_text_01", "minimax"],
        defaults: minimax::DEFAULTS,
        read: minimax::read,
    },
    Family {
        names: &["lfm2", "lfm2_moe"],
        defaults: lfm2::DEFAULTS,
        read: lfm2::read,
    },
    Family {
        names: &["recurrent_gemma"],
        defaults: recurrent_gemma::DEFAULTS,
        read: recurrent_gemma::read,
    },
    Family {
        names: &["rwkv"],
        defaults: rwkv::DEFAULTS_4,
        read: rwkv::four,
    },
    Family {
        names: &["rwkv6"],
        defaults: rwkv::DEFAULTS_6,
        read: rwkv::six,
    },
    Family {
        names: &["rwkv7", "rwkv7_fla"],
        defaults: rwkv::DEFAULTS_7,
        read: rwkv::seven,
    },
    Family {
        names: &["mamba", "falcon_mamba", "samba"],
        defaults: mamba::DEFAULTS_1,
        read: mamba::one,
    },
    Family {
        names: &["mamba2"],
        defaults: mamba::DEFAULTS_2,
        read: mamba::two,
    },
    Family {
        names: &["log_linear_mamba2"],
        defaults: mamba::DEFAULTS_2,
        read: mamba::log_linear,
    },
    Family {
        names: &["gla"],
        defaults: fla::DEFAULTS_GLA,
        read: fla::gla,
    },
    Family {
        names: &["retnet"],
        defaults: fla::DEFAULTS_RETNET,
        read: fla::retnet,
    },
    Family {
        names: &["linear_attn"],
        defaults: fla::DEFAULTS_LINEAR,
        read: fla::linear,
    },
    Family {
        names: &["delta_net"],
        defaults: fla::DEFAULTS_DELTA,
        read: fla::delta,
    },
    Family {
        names: &["gated_deltanet", "gated_deltaproduct", "comba", "gdn2"],
        defaults: fla::DEFAULTS_GATED,
        read: fla::gated,
    },
    Family {
        names: &["kda"],
        defaults: fla::DEFAULTS_KDA,
        read: fla::gated,
    },
    Family {
        names: &["log_linear_gated_deltanet", "h_gated_deltanet"],
        defaults: fla::DEFAULTS_GATED,
        read: fla::log_linear,
    },
    Family {
        names: &["hgrn"],
        defaults: fla::DEFAULTS_HGRN,
        read: fla::hgrn,
    },
    Family {
        names: &["hgrn2"],
        defaults: fla::DEFAULTS_HGRN2,
        read: fla::hgrn2,
    },
    Family {
        names: &["gsa"],
        defaults: fla::DEFAULTS_GSA,
        read: fla::slots,
    },
    Family {
        names: &["abc"],
        defaults: fla::DEFAULTS_ABC,
        read: fla::slots,
    },
    Family {
        names: &["mesa_net"],
        defaults: fla::DEFAULTS_MESA,
        read: fla::mesa,
    },
    Family {
        names: &["nsa"],
        defaults: unbounded::DEFAULTS_NSA,
        read: unbounded::read,
    },
    Family {
        names: &["moba"],
        defaults: unbounded::DEFAULTS_MOBA,
        read: unbounded::read,
    },
];

/// The native files of mamba_ssm have no model type.
static NATIVE: Family = Family {
    names: &["mamba_ssm"],
    defaults: mamba::DEFAULTS_NATIVE,
    read: mamba::native,
};

/// Every model type with a reader.
pub fn model_types() -> impl Iterator<Item = &'static str> {
    FAMILIES
        .iter()
        .flat_map(|family| family.names.iter().copied())
        .chain(["mamba_ssm"])
}

fn named(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.names.contains(&name))
}

/// The family of a file, and the model type that says so: that of the language model inside, if it is known.
fn family(root: &Node) -> Result<(&'static Family, String), Refusal> {
    let type_of = |node: &Node| match node.get("model_type").map(|node| &node.value) {
        Some(Value::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let inner = root.get("text_config").and_then(type_of);
    let top = type_of(root);
    for name in [&inner, &top].into_iter().flatten() {
        if let Some(family) = named(name) {
            return Ok((family, name.clone()));
        }
    }
    let native = ["d_model", "n_layer"]
        .iter()
        .all(|key| root.get(key).is_some());
    if top.is_none() && native {
        return Ok((&NATIVE, "mamba_ssm".to_owned()));
    }
    let known: Vec<&str> = model_types().collect();
    let at = root.get("model_type").map_or(root.at, |node| node.at);
    let message = match top.or(inner) {
        Some(name) => format!(
            "unknown model type `{}`; expected one of {}",
            name.chars().take(60).collect::<String>(),
            known.join(", ")
        ),
        None => format!("missing, expected one of {}", known.join(", ")),
    };
    Err(Refusal {
        path: "model_type".to_owned(),
        at,
        message,
    })
}

/// Reads a configuration.
///
/// # Errors
/// [`Refusal`] with the path of the field: unknown types and words, missing fields, numbers that do not fit together.
/// # Cost
/// Linear in the file; at most 2^14 layers.
pub fn read(root: &Node, class_defaults: bool, tokens: Option<u64>) -> Result<Model, Refusal> {
    if !matches!(root.value, Value::Object(_)) {
        return Err(Refusal {
            path: "the file".to_owned(),
            at: root.at,
            message: format!("found {}, expected an object", root.shown()),
        });
    }
    let (family, model_type) = family(root)?;
    let reader = Reader::new(root, family.defaults, class_defaults, tokens);
    let layers = (family.read)(&reader)?;
    let max_context = max_context(&reader)?;
    let recurrent_bits = dtype(&reader)?;
    Ok(Model {
        model_type,
        layers,
        max_context,
        recurrent_bits,
        filled: reader.filled(),
        notes: reader.notes(),
    })
}

fn max_context(reader: &Reader<'_>) -> Result<Option<u64>, Refusal> {
    for name in ["max_position_embeddings", "context_length"] {
        if let Some(found) = reader.get(name)? {
            return found.count(1).map(Some);
        }
    }
    Ok(None)
}

/// The precision of recurrent tensors, where the file states it.
fn dtype(reader: &Reader<'_>) -> Result<Option<(String, u64)>, Refusal> {
    for name in ["mamba_ssm_dtype", "mamba_ssm_cache_dtype"] {
        let Some(found) = reader.get(name)? else {
            continue;
        };
        let word = found.text()?;
        let bits = match word.strip_prefix("torch.").unwrap_or(word) {
            "float64" => 64,
            "float32" => 32,
            "bfloat16" | "float16" => 16,
            "auto" => continue,
            other => {
                return Err(found.refuse(format!(
                    "unknown number type `{other}`, expected float64, float32, bfloat16, float16 or auto"
                )));
            }
        };
        return Ok(Some((found.path, bits)));
    }
    Ok(None)
}

/// Positions from slots: one recurrent layer for all, windows, `hybrid` as this family has it.
fn place(
    slots: &[Slot],
    recurrent: &Layer,
    window: Option<&Layer>,
    hybrid: impl Fn(u64) -> Option<Vec<Position>>,
) -> Result<Vec<Position>, String> {
    let mut positions = Vec::new();
    for (index, slot) in (0_u64..).zip(slots) {
        let one = |letter, layer| Position {
            index,
            letter,
            layer,
        };
        match slot {
            Slot::Full => positions.push(one(Letter::Full, None)),
            Slot::Recurrent => positions.push(one(Letter::Recurrent, Some(recurrent.clone()))),
            Slot::Window => {
                let layer =
                    window.ok_or("sliding_attention, which this model type does not have")?;
                positions.push(one(Letter::Recurrent, Some(layer.clone())));
            }
            Slot::Hybrid => {
                positions
                    .extend(hybrid(index).ok_or("hybrid, which this model type does not have")?);
            }
            Slot::Nothing => {}
        }
    }
    if positions.is_empty() {
        return Err("no layer that mixes tokens".to_owned());
    }
    Ok(positions)
}

/// [`place`] without hybrid positions, as a refusal at the layer list; windows by `sliding_window`.
fn simple(
    reader: &Reader<'_>,
    slots: &[Slot],
    recurrent: &Layer,
) -> Result<Vec<Position>, Refusal> {
    let window = if slots.contains(&Slot::Window) {
        Some(window(reader, "sliding_window")?)
    } else {
        None
    };
    place(slots, recurrent, window.as_ref(), |_| None).map_err(|message| at_list(reader, &message))
}

/// A refusal about the layer list.
fn at_list(reader: &Reader<'_>, found: &str) -> Refusal {
    let name = [
        "layer_types",
        "layers_block_type",
        "hybrid_override_pattern",
    ]
    .into_iter()
    .find_map(|name| reader.get(name).ok().flatten());
    Refusal {
        path: name
            .as_ref()
            .map_or_else(|| "layer_types".to_owned(), |found| found.path.clone()),
        at: name.map_or(reader.root.at, |found| found.node.at),
        message: format!("found {found}"),
    }
}

/// A sliding window of `key` tokens over the file's key/value heads.
fn window(reader: &Reader<'_>, key: &str) -> Result<Layer, Refusal> {
    Ok(Layer::Window {
        window: reader.size(key)?,
        // Absent means all heads in the classes, which is wrong for published multi-query checkpoints.
        heads: reader.size("num_key_value_heads")?,
        size: head_size(reader)?,
    })
}

/// `head_dim`, or the width by the heads.
fn head_size(reader: &Reader<'_>) -> Result<BigUint, Refusal> {
    for name in ["head_dim", "attention_head_dim"] {
        if let Some(size) = reader.maybe_size(name)? {
            return Ok(size);
        }
    }
    let (hidden, heads) = (
        reader.size("hidden_size")?,
        reader.size("num_attention_heads")?,
    );
    reader.divide("num_attention_heads", &hidden, &heads)
}

/// Heads of the full-attention layers; `None` when the file does not say, which changes no state.
fn attention(reader: &Reader<'_>) -> Result<Option<Attention>, Refusal> {
    let heads = reader.get_or_default("num_attention_heads")?;
    let hidden = reader.get_or_default("hidden_size")?;
    let (Some(heads), Some(hidden)) = (heads, hidden) else {
        reader.note(
            "num_attention_heads or hidden_size is missing: c of the hybrid theorem is not known",
        );
        return Ok(None);
    };
    Ok(Some(Attention {
        heads: heads.size()?,
        size: head_size(reader)?,
        stream: hidden.size()?,
    }))
}

/// [`attention`] when there is a full layer.
fn attention_if(reader: &Reader<'_>, positions: &[Position]) -> Result<Option<Attention>, Refusal> {
    if positions
        .iter()
        .any(|position| position.letter != Letter::Recurrent)
    {
        attention(reader)
    } else {
        Ok(None)
    }
}
