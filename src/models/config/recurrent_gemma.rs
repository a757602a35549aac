//! RecurrentGemma: RG-LRU layers and sliding windows; no full attention.

use super::pattern::Slot;
use super::reader::{Reader, Refusal};
use super::{Layers, place, window};
use crate::models::layer::{Layer, conv};
use num_traits::Zero;

pub(super) const DEFAULTS: &[(&str, &str)] = &[
    ("num_hidden_layers", "26"),
    ("hidden_size", "2560"),
    ("num_attention_heads", "10"),
    ("num_key_value_heads", "10"),
    ("attention_window_size", "2048"),
    ("conv1d_width", "4"),
    ("block_types", r#"["recurrent", "recurrent", "attention"]"#),
];

pub(super) fn read(reader: &Reader<'_>) -> Result<Layers, Refusal> {
    let found = reader.need(&["block_types"])?;
    let cycle = found
        .items()?
        .iter()
        .map(|item| match item.text()? {
            "recurrent" => Ok(Slot::Recurrent),
            "attention" => Ok(Slot::Window),
            other => Err(item.refuse(format!(
                "unknown layer type `{other}`; expected recurrent or attention"
            ))),
        })
        .collect::<Result<Vec<_>, _>>()?;
    if cycle.is_empty() {
        return Err(found.refuse("an empty list, expected recurrent and attention"));
    }
    // A cycle, repeated and cut.
    let layers = usize::try_from(reader.layers()?).unwrap_or(usize::MAX);
    let slots: Vec<Slot> = cycle.iter().copied().cycle().take(layers).collect();
    let width = match reader.maybe_size("lru_width")? {
        Some(width) => width,
        None => reader.size("hidden_size")?,
    };
    let layer = Layer::Vector {
        size: width.clone(),
        conv: Some(conv(&reader.size("conv1d_width")?, width)),
        stored_exact: true,
        shift: Zero::zero(),
        fenwick: None,
    };
    let window = if slots.contains(&Slot::Window) {
        Some(window(reader, "attention_window_size")?)
    } else {
        None
    };
    let positions = place(&slots, &layer, window.as_ref(), |_| None)
        .map_err(|message| found.refuse(format!("found {message}")))?;
    Ok(Layers {
        positions,
        attention: None,
    })
}
