//! After how many tokens two different pasts leave one state, bit for bit.

use crate::models::wire::{Ask, Broken, Oracle, Reply};
use crate::search::fool::Random;

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Tokens of the two prefixes.
    pub prefix: usize,
    /// Most tokens after them.
    pub limit: usize,
    /// Tokens to draw from.
    pub tokens: Vec<u64>,
    /// Of every random choice.
    pub seed: u64,
}

/// A horizon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Horizon {
    /// T.
    pub tokens: usize,
    /// The two inputs, T tokens after their prefixes.
    pub inputs: [Vec<u64>; 2],
    /// Their common state, as hex.
    pub state: String,
    /// The last place at which the inputs differ.
    pub differs: usize,
}

/// The least T with equal states, if it is at most the limit.
///
/// # Errors
/// [`Broken`]: the model ended, or does not tell its state.
/// # Cost
/// Twice `log2 limit` states of each input, by doubling and halving: equal states stay equal, since the update is a function.
pub fn horizon(oracle: &mut dyn Oracle, question: &Question) -> Result<Option<Horizon>, Broken> {
    let mut random = Random::new(question.seed);
    let mut draw = |count: usize| -> Vec<u64> {
        (0..count)
            .map(|_| {
                let place = random.below(question.tokens.len() as u64);
                usize::try_from(place)
                    .ok()
                    .and_then(|place| question.tokens.get(place))
                    .copied()
                    .unwrap_or(0)
            })
            .collect()
    };
    let left = draw(question.prefix);
    let mut right = draw(question.prefix);
    if left == right
        && let Some(other) = question.tokens.iter().find(|token| **token != left[0])
    {
        right[0] = *other;
    }
    let suffix = draw(question.limit);
    let input = |prefix: &[u64], t: usize| -> Vec<u64> {
        prefix.iter().chain(&suffix[..t]).copied().collect()
    };
    let mut states = |t: usize| -> Result<[String; 2], Broken> {
        let asks = [Ask::Prefix(input(&left, t)), Ask::Prefix(input(&right, t))];
        match oracle.ask(&asks)?.as_slice() {
            [Reply::State(a), Reply::State(b)] => Ok([a.clone(), b.clone()]),
            [Reply::Refused(why), _] | [_, Reply::Refused(why)] => Err(Broken(format!(
                "the model refuses a prefix of {} tokens: {why}",
                t + question.prefix
            ))),
            _ => Err(Broken("the model does not tell its state".to_owned())),
        }
    };
    let mut equal = |t: usize| states(t).map(|[a, b]| a == b);
    if !equal(question.limit)? {
        return Ok(None);
    }
    // Different at low (or low = -1), equal at high.
    let (mut low, mut high) = (0, question.limit);
    if equal(0)? {
        high = 0;
    } else {
        let mut step = 1;
        while step < high {
            if equal(step)? {
                high = step;
                break;
            }
            low = step;
            step *= 2;
        }
        while low + 1 < high {
            let middle = low.midpoint(high);
            if equal(middle)? {
                high = middle;
            } else {
                low = middle;
            }
        }
    }
    let [state, _] = states(high)?;
    let differs = left
        .iter()
        .zip(&right)
        .rposition(|(a, b)| a != b)
        .unwrap_or(0);
    Ok(Some(Horizon {
        tokens: high,
        inputs: [input(&left, high), input(&right, high)],
        state,
        differs,
    }))
}
