//! What a model carries across a token boundary, in numbers and bits, and what counting and the theorems say about it.

use super::config::{Attention, Letter, Model};
use super::layer::{Layer, Part, Role};
use crate::bounds::derive::closed::theorem_two;
use crate::bounds::derive::{Class, Layout};
use crate::bounds::need::{Need, NeedError, finite_length};
use crate::exact::Factors;
use crate::exact::interval::floor_log2_scaled;
use crate::game::family::layout::{self, Word};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

/// Bits of a number of attention layers, in c = max(H d, stream) p.
const P: u32 = 16;
/// Largest exponent `4L + 2` for which the theorem's length is written out.
const WRITTEN: u64 = 4096;

/// Bits per number, and where they come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Precision {
    /// Of recurrent tensors.
    pub recurrent: u64,
    /// Of convolution inputs, token shifts and windows.
    pub other: u64,
    /// Why the first.
    pub recurrent_source: String,
    /// Why the second.
    pub other_source: String,
}

impl Precision {
    /// An option wins over the file, the file over the default (32 and 16).
    #[must_use]
    pub fn of(model: &Model, recurrent: Option<u64>, other: Option<u64>) -> Self {
        let (recurrent, recurrent_source) = match (recurrent, &model.recurrent_bits) {
            (Some(bits), _) => (bits, "option".to_owned()),
            (None, Some((path, bits))) => (*bits, format!("{path} of the file")),
            (None, None) => (32, "default: kernels keep final states in fp32".to_owned()),
        };
        let (other, other_source) = match other {
            Some(bits) => (bits, "option".to_owned()),
            None => (16, "default".to_owned()),
        };
        Self {
            recurrent,
            other,
            recurrent_source,
            other_source,
        }
    }

    /// The same bits for everything.
    #[must_use]
    pub fn uniform(bits: u64) -> Self {
        Self {
            recurrent: bits,
            other: bits,
            recurrent_source: "variant".to_owned(),
            other_source: "variant".to_owned(),
        }
    }

    /// Bits of a part's numbers.
    #[must_use]
    pub fn bits(&self, role: Role) -> u64 {
        if role == Role::Recurrent {
            self.recurrent
        } else {
            self.other
        }
    }
}

/// One mixing position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Index of the layer in the file, from 0.
    pub index: u64,
    /// F, R or P.
    pub letter: Letter,
    /// Bounded state, part by part.
    pub parts: Vec<Part>,
    /// True for a sliding window.
    pub window: bool,
}

impl Row {
    /// Distinct numbers.
    #[must_use]
    pub fn scalars(&self) -> BigUint {
        self.parts.iter().map(|part| &part.scalars).sum()
    }

    /// Numbers allocated.
    #[must_use]
    pub fn stored(&self) -> BigUint {
        self.parts.iter().map(|part| &part.stored).sum()
    }

    /// Bits of the distinct numbers.
    #[must_use]
    pub fn bits(&self, precision: &Precision) -> BigUint {
        self.parts
            .iter()
            .map(|part| &part.scalars * precision.bits(part.role))
            .sum()
    }
}

/// The account of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Mixing positions, in order.
    pub rows: Vec<Row>,
    /// The layout word over F and R; a parallel position counts as F R.
    pub word: Word,
    /// `a_0 .. a_r`.
    pub signature: Vec<u64>,
}

impl Account {
    /// The account of a model that was read.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let rows: Vec<Row> = model
            .layers
            .positions
            .iter()
            .map(|position| Row {
                index: position.index,
                letter: position.letter,
                parts: position.layer.as_ref().map_or_else(Vec::new, Layer::parts),
                window: position.layer.as_ref().is_some_and(Layer::is_window),
            })
            .collect();
        let mut letters = Vec::new();
        let mut signature = vec![0];
        for row in &rows {
            if row.letter != Letter::Recurrent {
                letters.push((layout::Letter::F, BigUint::one()));
                signature.push(0);
            }
            if row.letter != Letter::Full {
                letters.push((layout::Letter::R, BigUint::one()));
                if let Some(last) = signature.last_mut() {
                    *last += 1;
                }
            }
        }
        Self {
            rows,
            word: Word::from_runs(letters),
            signature,
        }
    }

    /// r: full-attention positions, parallel ones included.
    #[must_use]
    pub fn full_layers(&self) -> u64 {
        self.signature.len() as u64 - 1
    }

    /// True when some position is parallel.
    #[must_use]
    pub fn parallel(&self) -> bool {
        self.rows.iter().any(|row| row.letter == Letter::Parallel)
    }

    /// True when nothing that crosses a boundary is unbounded.
    #[must_use]
    pub fn whole_model(&self) -> bool {
        self.full_layers() == 0
    }

    /// Layers of one kind, by index.
    #[must_use]
    pub fn indices(&self, keep: impl Fn(&Row) -> bool) -> Vec<u64> {
        self.rows
            .iter()
            .filter(|row| keep(row))
            .map(|row| row.index)
            .collect()
    }

    fn recurrent(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.window)
    }

    /// Distinct numbers of recurrent layers, windows apart.
    #[must_use]
    pub fn recurrent_scalars(&self) -> BigUint {
        self.recurrent().map(Row::scalars).sum()
    }

    /// Numbers that the reference implementation allocates for them.
    #[must_use]
    pub fn stored_scalars(&self) -> BigUint {
        self.recurrent().map(Row::stored).sum()
    }

    /// Bits of recurrent layers, windows apart.
    #[must_use]
    pub fn recurrent_bits(&self, precision: &Precision) -> BigUint {
        self.recurrent().map(|row| row.bits(precision)).sum()
    }

    /// Bits of the recurrent tensors alone.
    #[must_use]
    pub fn matrix_bits(&self, precision: &Precision) -> BigUint {
        self.recurrent()
            .flat_map(|row| &row.parts)
            .filter(|part| part.role == Role::Recurrent)
            .map(|part| &part.scalars * precision.recurrent)
            .sum()
    }

    /// Distinct numbers in windows.
    #[must_use]
    pub fn window_scalars(&self) -> BigUint {
        self.rows
            .iter()
            .filter(|row| row.window)
            .map(Row::scalars)
            .sum()
    }

    /// Bits of everything bounded.
    #[must_use]
    pub fn bounded_bits(&self, precision: &Precision) -> BigUint {
        self.rows.iter().map(|row| row.bits(precision)).sum()
    }

    /// Bits of the layer with the most.
    #[must_use]
    pub fn largest_layer_bits(&self, precision: &Precision) -> BigUint {
        self.rows
            .iter()
            .map(|row| row.bits(precision))
            .max()
            .unwrap_or_default()
    }

    /// The states if only finite values count: 2 * 255 * 2^23 patterns of fp32, 2 * 255 * 2^7 of bf16, 2 * 2047 * 2^52 of fp64.
    ///
    /// # Errors
    /// A number of bits that is no such format, told.
    pub fn finite_states(&self, precision: &Precision) -> Result<Factors, u64> {
        let patterns = |bits: u64| match bits {
            64 => Ok(Factors::word(2).powi(53).mul(&Factors::word(2047))),
            32 => Ok(Factors::word(2).powi(24).mul(&Factors::word(255))),
            16 => Ok(Factors::word(2).powi(8).mul(&Factors::word(255))),
            other => Err(other),
        };
        let mut totals = [BigUint::zero(), BigUint::zero()];
        for part in self.rows.iter().flat_map(|row| &row.parts) {
            totals[usize::from(part.role != Role::Recurrent)] += &part.scalars;
        }
        let [recurrent, other] = totals;
        Ok(patterns(precision.recurrent)?
            .powi(recurrent)
            .mul(&patterns(precision.other)?.powi(other)))
    }
}

/// The keys of `largest_n` other than `copy`, and their counts.
pub const KEYS: [(&str, Need); 5] = [
    ("eva", Need::Eva),
    ("percom", Need::PerCom),
    ("two_sum_n2", Need::TwoSumSquare),
    ("two_sum_n2_all", Need::TwoSumSquareAll),
    ("two_sum_n", Need::TwoSum),
];

/// The alphabets of `copy`: bits, and two vocabularies in use.
pub const ALPHABETS: [u64; 3] = [2, 32000, 151_936];

/// The largest n per task that a number of states does not exclude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Largest {
    /// By key.
    pub tasks: Vec<(&'static str, BigUint)>,
    /// By alphabet.
    pub copy: Vec<(u64, BigUint)>,
}

/// States to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum States {
    /// `2^bits`
    Bits(BigUint),
    /// A product of powers.
    Product(Factors),
}

/// The largest n per task with at most so many states.
///
/// # Errors
/// [`NeedError`]: an alphabet below 2, or a comparison out of reach.
/// # Cost
/// About 40 enclosures per task.
pub fn largest(states: &States, alphabets: &[u64]) -> Result<Largest, NeedError> {
    let of = |need: &Need| match states {
        States::Bits(bits) => need.largest_length(bits),
        States::Product(product) => finite_length(need, product),
    };
    Ok(Largest {
        tasks: KEYS
            .iter()
            .map(|(key, need)| Ok((*key, of(need)?)))
            .collect::<Result<_, NeedError>>()?,
        copy: alphabets
            .iter()
            .map(|v| Ok((*v, of(&Need::Copy((*v).into()))?)))
            .collect::<Result<_, NeedError>>()?,
    })
}

/// What the main theorem of `hybrid-v1` asks of a model.
///
/// # Source
/// `hybrid-v1`: the main theorem with L - 1 full layers, and its strengthened form for layouts that begin F F. Derived: a parallel
/// position as F R with twice the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theorem {
    /// Composition steps.
    pub steps: u64,
    /// Why so many.
    pub shape: &'static str,
    /// An identity full layer is put in front.
    pub identity: bool,
    /// `max(H d, stream) p`; `None` when the file does not say.
    pub c: Option<BigUint>,
    /// `4L + 2`.
    pub exponent: u64,
    /// `floor(2^(4L+2) log2 c)`, when c is known and that is not too long; and whether it is exact.
    pub min_log2_n: Option<(BigInt, bool)>,
    /// `3 L^2`.
    pub run_log2: u64,
    /// `max a_i`.
    pub max_run: u64,
    /// `max a_i <= 2^(3L^2)`.
    pub run_holds: bool,
    /// Bits of the largest recurrent layer.
    pub layer_bits: BigUint,
    /// That is at most `2 c^2`.
    pub layer_holds: Option<bool>,
}

/// c, if the file says enough.
fn width(attention: Option<&Attention>, parallel: bool) -> Option<BigUint> {
    let attention = attention?;
    let stream = &attention.stream * if parallel { 2_u32 } else { 1 };
    Some((&attention.heads * &attention.size).max(stream) * P)
}

impl Theorem {
    /// The theorem's demands; `None` without a full layer: then counting bounds the whole model.
    #[must_use]
    pub fn of(
        account: &Account,
        attention: Option<&Attention>,
        precision: &Precision,
    ) -> Option<Self> {
        let r = account.full_layers();
        let after = |i: usize| account.signature.get(i).copied().unwrap_or(0);
        let (steps, shape) = match (r, after(0), after(1)) {
            (0, _, _) => return None,
            (_, 0, 0) => (r, "begins F F: the strengthened form, L full layers"),
            (_, 0, _) => (r + 1, "L - 1 full layers"),
            _ => (
                r + 2,
                "a recurrent layer comes first: one identity full layer in front, then L - 1 full layers",
            ),
        };
        let c = width(attention, account.parallel());
        let exponent = 4 * steps + 2;
        let min_log2_n = c.as_ref().filter(|_| exponent <= WRITTEN).map(|c| {
            let k = u32::try_from(exponent).unwrap_or(u32::MAX);
            (floor_log2_scaled(c, k), c.count_ones() == 1)
        });
        let max_run = account.signature.iter().copied().max().unwrap_or(0);
        let run_log2 = 3 * steps * steps;
        let layer_bits = account.largest_layer_bits(precision);
        let layer_holds = c.as_ref().map(|c| layer_bits <= c * c * 2_u32);
        Some(Self {
            steps,
            shape,
            identity: after(0) > 0,
            c,
            exponent,
            min_log2_n,
            run_log2,
            max_run,
            run_holds: run_log2 >= 64 || max_run <= 1 << run_log2,
            layer_bits,
            layer_holds,
        })
    }
}

/// What the proof scheme gives with its integers kept free: a prompt on which composition is impossible.
///
/// # Source
/// Derived: Theorem 2 of `docs/derive.md`, refined cuts, separate digests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// Composition steps.
    pub steps: u64,
    /// s = 2c.
    pub soft_bits: BigUint,
    /// C: the bits of the largest recurrent layer.
    pub carry_bits: BigUint,
    /// Tokens of the prompt.
    pub tokens: BigUint,
}

impl Derived {
    /// The bound, where it exists: at least one full layer, c known, 2 to 64 steps.
    #[must_use]
    pub fn of(
        account: &Account,
        attention: Option<&Attention>,
        precision: &Precision,
    ) -> Option<Self> {
        let c = width(attention, account.parallel())?;
        let passes: Vec<BigUint> = account
            .signature
            .iter()
            .map(|a| BigUint::from(*a))
            .collect();
        let full = usize::try_from(account.full_layers()).ok()?;
        let (soft_bits, carry_bits) = (c * 2_u32, account.largest_layer_bits(precision));
        // r steps where that is impossible already, else r + 1.
        [full, full + 1].into_iter().find_map(|steps| {
            let layout = Layout::new(steps, passes.clone()).ok()?;
            if !matches!(layout.class(), Class::Impossible(_)) {
                return None;
            }
            let params = theorem_two(&layout, &soft_bits, &carry_bits).ok()?;
            let (mut range, mut tokens) = (params.m.clone(), &params.m + 2_u32);
            for factor in &params.n {
                range *= factor;
                tokens += &range;
            }
            Some(Self {
                steps: steps as u64,
                soft_bits: soft_bits.clone(),
                carry_bits: carry_bits.clone(),
                tokens,
            })
        })
    }
}

/// The numeric keys of `state` that a claim may name; `largest_n.copy.V` for any alphabet V besides.
pub const NUMBERS: [&str; 20] = [
    "scalars",
    "stored_scalars",
    "recurrent_state_bits",
    "recurrent_tensor_bits",
    "window_scalars",
    "window_bits",
    "bounded_state_bits",
    "all_16_bit.recurrent_state_bits",
    "all_16_bit.bounded_state_bits",
    "all_32_bit.recurrent_state_bits",
    "all_32_bit.bounded_state_bits",
    "layout.full_layers",
    "hybrid_theorem.steps",
    "hybrid_theorem.exponent_log2",
    "hybrid_theorem.max_run",
    "largest_n.eva",
    "largest_n.percom",
    "largest_n.two_sum_n2",
    "largest_n.two_sum_n2_all",
    "largest_n.two_sum_n",
];

/// The alphabet of `largest_n.copy.V`.
#[must_use]
pub fn copy_alphabet(key: &str) -> Option<u64> {
    let digits = key.strip_prefix("largest_n.copy.")?;
    let alphabet = digits.parse().ok().filter(|v| (2..=1 << 32).contains(v))?;
    (u64::to_string(&alphabet) == digits).then_some(alphabet)
}

/// True for keys that [`number`] knows.
#[must_use]
pub fn is_number(key: &str) -> bool {
    NUMBERS.contains(&key) || copy_alphabet(key).is_some()
}

/// The number under a key of `state`; `None` where there is none, as for the theorem of a model without full attention.
///
/// # Errors
/// [`NeedError`] of [`largest`].
pub fn number(
    model: &Model,
    account: &Account,
    precision: &Precision,
    key: &str,
) -> Result<Option<BigUint>, NeedError> {
    let bounded = account.bounded_bits(precision);
    if let Some(alphabet) = copy_alphabet(key) {
        return Need::Copy(alphabet.into())
            .largest_length(&bounded)
            .map(Some);
    }
    if let Some(task) = key.strip_prefix("largest_n.") {
        return KEYS
            .iter()
            .find(|(name, _)| *name == task)
            .map(|(_, need)| need.largest_length(&bounded))
            .transpose();
    }
    let theorem = || Theorem::of(account, model.layers.attention.as_ref(), precision);
    let uniform = Precision::uniform;
    Ok(match key {
        "scalars" => Some(account.recurrent_scalars()),
        "stored_scalars" => Some(account.stored_scalars()),
        "recurrent_state_bits" => Some(account.recurrent_bits(precision)),
        "recurrent_tensor_bits" => Some(account.matrix_bits(precision)),
        "window_scalars" => Some(account.window_scalars()),
        "window_bits" => Some(&bounded - account.recurrent_bits(precision)),
        "bounded_state_bits" => Some(bounded),
        "all_16_bit.recurrent_state_bits" => Some(account.recurrent_bits(&uniform(16))),
        "all_16_bit.bounded_state_bits" => Some(account.bounded_bits(&uniform(16))),
        "all_32_bit.recurrent_state_bits" => Some(account.recurrent_bits(&uniform(32))),
        "all_32_bit.bounded_state_bits" => Some(account.bounded_bits(&uniform(32))),
        "layout.full_layers" => Some(account.full_layers().into()),
        "hybrid_theorem.steps" => theorem().map(|theorem| theorem.steps.into()),
        "hybrid_theorem.exponent_log2" => theorem().map(|theorem| theorem.exponent.into()),
        "hybrid_theorem.max_run" => theorem().map(|theorem| theorem.max_run.into()),
        _ => None,
    })
}
