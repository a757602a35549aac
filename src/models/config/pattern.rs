//! The spellings of a layer pattern.

use super::reader::{Found, Reader, Refusal};

/// What stands at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Full attention.
    Full,
    /// The family's recurrent layer.
    Recurrent,
    /// Sliding-window attention.
    Window,
    /// `hybrid`: what that is depends on the family.
    Hybrid,
    /// A feed-forward position: nothing is mixed.
    Nothing,
}

/// The words of a list, for messages.
const WORDS: &str = "full_attention, attention, linear_attention, mamba, conv, recurrent, sliding_attention, hybrid, mlp, moe";

fn word(found: &Found) -> Result<Slot, Refusal> {
    Ok(match found.text()? {
        "full_attention" | "attention" => Slot::Full,
        "linear_attention" | "mamba" | "conv" | "recurrent" => Slot::Recurrent,
        "sliding_attention" => Slot::Window,
        "hybrid" => Slot::Hybrid,
        "mlp" | "moe" => Slot::Nothing,
        other => {
            return Err(found.refuse(format!(
                "unknown layer type `{other}`; expected one of {WORDS}"
            )));
        }
    })
}

/// `layer_types` or `layers_block_type`; both must agree when both are there. `extra` are the words of older files.
///
/// # Errors
/// Unknown words, lists that disagree, a length that is not `num_hidden_layers`.
pub fn list(reader: &Reader<'_>, extra: &[(&str, Slot)]) -> Result<Option<Vec<Slot>>, Refusal> {
    let read = |found: &Found| {
        found
            .items()?
            .iter()
            .map(|item| {
                let text = item.text()?;
                match extra.iter().find(|(name, _)| *name == text) {
                    Some((_, slot)) => Ok(*slot),
                    None => word(item),
                }
            })
            .collect::<Result<Vec<_>, _>>()
    };
    let first = reader.get("layer_types")?;
    let second = reader.get("layers_block_type")?;
    let found = match (first, second) {
        (None, None) => match reader.get_or_default("layers_block_type")? {
            None => return Ok(None),
            Some(found) => found,
        },
        (Some(found), None) | (None, Some(found)) => found,
        (Some(first), Some(second)) => {
            if read(&first)? != read(&second)? {
                return Err(second.refuse(format!(
                    "disagrees with {}, expected the same layers",
                    first.path
                )));
            }
            first
        }
    };
    let slots = read(&found)?;
    check_length(reader, &found, slots.len())?;
    Ok(Some(slots))
}

/// A list must be as long as `num_hidden_layers`, if that is given.
///
/// # Errors
/// When it is not.
pub fn check_length(reader: &Reader<'_>, found: &Found, length: usize) -> Result<(), Refusal> {
    let stated = reader
        .get("num_hidden_layers")?
        .map(|layers| layers.count(1))
        .transpose()?;
    match stated {
        Some(layers) if layers != length as u64 => Err(found.refuse(format!(
            "{length} layers, but num_hidden_layers is {layers}"
        ))),
        _ if length == 0 => Err(found.refuse("no layers")),
        _ => Ok(()),
    }
}

/// F at these positions, R elsewhere.
#[must_use]
pub fn full_at(layers: u64, full: impl Fn(u64) -> bool) -> Vec<Slot> {
    (0..layers)
        .map(|i| if full(i) { Slot::Full } else { Slot::Recurrent })
        .collect()
}

/// A 0-based list of the F positions; all others are R.
///
/// # Errors
/// As [`Found::positions`].
pub fn indices(found: &Found, layers: u64) -> Result<Vec<Slot>, Refusal> {
    let full = found.positions(0, layers)?;
    Ok(full_at(layers, |i| full.contains(&i)))
}

/// Says that a second spelling was read past.
pub fn overridden(reader: &Reader<'_>, used: &str, other: &str, same: bool) {
    if !same {
        reader.note(format!("{other} disagrees with {used}; {used} is used"));
    }
}
