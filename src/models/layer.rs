//! What one layer carries across a token boundary, by formula.
//!
//! Counted are recurrent tensors (a separate normaliser included), the last K-1 inputs of a convolution of width K, token-shift
//! vectors, and the cache of a sliding window. Gates, decays and step sizes are functions of the current token and are not carried.

use num_bigint::BigUint;
use num_traits::{One, Zero};

/// What a part of the state is; it decides the default precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A recurrent tensor.
    Recurrent,
    /// Inputs of a short convolution.
    Conv,
    /// The previous token, for a token shift.
    TokenShift,
    /// Keys and values of a sliding window.
    Window,
}

impl Role {
    /// Every role, in the order of results.
    pub const ALL: [Self; 4] = [Self::Recurrent, Self::Conv, Self::TokenShift, Self::Window];

    /// The word in results.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Recurrent => "recurrent",
            Self::Conv => "conv",
            Self::TokenShift => "token_shift",
            Self::Window => "window",
        }
    }
}

/// A part of the state of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub role: Role,
    /// Distinct numbers.
    pub scalars: BigUint,
    /// Numbers that the reference implementation allocates.
    pub stored: BigUint,
}

/// A short convolution of width K over so many channels in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conv {
    /// K, at least 1.
    pub kernel: BigUint,
    /// Sum of the widths that pass through it.
    pub width: BigUint,
}

impl Conv {
    /// K-1 columns cross a boundary; implementations allocate K.
    fn part(&self) -> Part {
        Part {
            role: Role::Conv,
            scalars: (&self.kernel - 1_u32) * &self.width,
            stored: &self.kernel * &self.width,
        }
    }
}

/// How many matrices a log-linear state has at the boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fenwick {
    /// Matrices that cross: popcount(t).
    pub matrices: u64,
    /// Matrices allocated.
    pub levels: u64,
}

/// A layer with bounded state.
///
/// # Source
/// Derived from the public implementations (transformers 5.24, fla 0.6), which were read; `MLstm` is reconstructed and was not compared with one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Matrices dk x dv: linear attention, Lightning, RetNet, GLA, the delta rules, RWKV-6, MesaNet's second tensor apart.
    Matrix {
        /// Distinct matrices (one per head, or per key/value group where the copies in a group are equal).
        heads: BigUint,
        /// Matrices stored.
        stored: BigUint,
        /// dk.
        key: BigUint,
        /// dv.
        value: BigUint,
        /// A normaliser of dk numbers a head.
        normaliser: bool,
        /// Convolutions.
        conv: Option<Conv>,
        /// Token-shift vectors: numbers in all.
        shift: BigUint,
        /// A log-linear state has several matrices a head.
        fenwick: Option<Fenwick>,
    },
    /// A vector, or several: RG-LRU, HGRN, Mamba as d_inner times d_state.
    Vector {
        /// Numbers in the recurrent tensor.
        size: BigUint,
        /// Convolutions.
        conv: Option<Conv>,
        /// Columns allocated equal K-1 here.
        stored_exact: bool,
        /// Token-shift vectors: numbers in all.
        shift: BigUint,
        /// Log-linear Mamba-2.
        fenwick: Option<Fenwick>,
    },
    /// GSA and ABC: m slots of a key and a value.
    Slots {
        /// Distinct heads.
        heads: BigUint,
        /// Heads stored.
        stored: BigUint,
        /// m.
        slots: BigUint,
        /// dk.
        key: BigUint,
        /// dv.
        value: BigUint,
        /// Convolutions.
        conv: Option<Conv>,
    },
    /// MesaNet: H(dk dk + dk dv).
    Mesa {
        /// H.
        heads: BigUint,
        /// dk.
        key: BigUint,
        /// dv.
        value: BigUint,
        /// Convolutions.
        conv: Option<Conv>,
    },
    /// Mamba-3: no convolution; angles, keys and values of the last step.
    Mamba3 {
        /// d_inner = nheads headdim.
        inner: BigUint,
        /// d_state.
        state: BigUint,
        /// nheads.
        heads: BigUint,
        /// num_rope_angles.
        angles: BigUint,
        /// mimo_rank; 1 without.
        rank: BigUint,
    },
    /// Based: H(D dv + D), D the expanded feature size.
    Based {
        /// H_kv.
        heads: BigUint,
        /// D.
        features: BigUint,
        /// dv.
        value: BigUint,
    },
    /// mLSTM: H(dk dv + dk + 1).
    MLstm {
        /// H.
        heads: BigUint,
        /// dk.
        key: BigUint,
        /// dv.
        value: BigUint,
    },
    /// A convolution and nothing else.
    ShortConv(Conv),
    /// Sliding-window attention: 2 (W-1) H_kv d.
    Window {
        /// W, at least 1.
        window: BigUint,
        /// H_kv.
        heads: BigUint,
        /// d.
        size: BigUint,
    },
}

impl Layer {
    /// Mamba: `d_inner d_state + (K-1) d_inner`.
    #[must_use]
    pub fn mamba(inner: &BigUint, state: &BigUint, kernel: &BigUint) -> Self {
        Self::vector(inner * state, Some(conv(kernel, inner.clone())))
    }

    /// Mamba-2: `d_inner d_state + (K-1)(d_inner + 2 n_groups d_state)`; the split into heads cancels.
    #[must_use]
    pub fn mamba2(inner: &BigUint, state: &BigUint, groups: &BigUint, kernel: &BigUint) -> Self {
        let width = inner + groups * state * 2_u32;
        Self::vector(inner * state, Some(conv(kernel, width)))
    }

    /// A recurrent vector with an optional convolution.
    #[must_use]
    pub fn vector(size: BigUint, conv: Option<Conv>) -> Self {
        Self::Vector {
            size,
            conv,
            stored_exact: false,
            shift: BigUint::zero(),
            fenwick: None,
        }
    }

    /// `H dk dv` with an optional convolution, nothing shared.
    #[must_use]
    pub fn matrix(heads: &BigUint, key: &BigUint, value: &BigUint, conv: Option<Conv>) -> Self {
        Self::Matrix {
            heads: heads.clone(),
            stored: heads.clone(),
            key: key.clone(),
            value: value.clone(),
            normaliser: false,
            conv,
            shift: BigUint::zero(),
            fenwick: None,
        }
    }

    /// Gated DeltaNet and its relatives: `H_v dk dv + (K-1)(2 H_k dk + H_v dv)`.
    #[must_use]
    pub fn gated_delta(
        key_heads: &BigUint,
        value_heads: &BigUint,
        key: &BigUint,
        value: &BigUint,
        kernel: Option<&BigUint>,
    ) -> Self {
        let width = key_heads * key * 2_u32 + value_heads * value;
        Self::matrix(
            value_heads,
            key,
            value,
            kernel.map(|kernel| conv(kernel, width)),
        )
    }

    /// The state, part by part; parts of no numbers are left out.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let part = |role, scalars: BigUint, stored: BigUint| Part {
            role,
            scalars,
            stored,
        };
        let same = |role, scalars: BigUint| part(role, scalars.clone(), scalars);
        let times = |fenwick: &Option<Fenwick>, distinct: &BigUint, stored: &BigUint| match fenwick
        {
            None => part(Role::Recurrent, distinct.clone(), stored.clone()),
            Some(levels) => part(
                Role::Recurrent,
                distinct * levels.matrices,
                stored * levels.levels,
            ),
        };
        let mut parts = Vec::new();
        match self {
            Self::Matrix {
                heads,
                stored,
                key,
                value,
                normaliser,
                conv,
                shift,
                fenwick,
            } => {
                let each = key * value
                    + if *normaliser {
                        key.clone()
                    } else {
                        BigUint::zero()
                    };
                parts.push(times(fenwick, &(heads * &each), &(stored * &each)));
                parts.extend(conv.as_ref().map(Conv::part));
                parts.push(same(Role::TokenShift, shift.clone()));
            }
            Self::Vector {
                size,
                conv,
                stored_exact,
                shift,
                fenwick,
            } => {
                parts.push(times(fenwick, size, size));
                parts.extend(conv.as_ref().map(Conv::part).map(|mut part| {
                    if *stored_exact {
                        part.stored.clone_from(&part.scalars);
                    }
                    part
                }));
                parts.push(same(Role::TokenShift, shift.clone()));
            }
            Self::Slots {
                heads,
                stored,
                slots,
                key,
                value,
                conv,
            } => {
                let each = slots * (key + value);
                parts.push(part(Role::Recurrent, heads * &each, stored * &each));
                parts.extend(conv.as_ref().map(Conv::part));
            }
            Self::Mesa {
                heads,
                key,
                value,
                conv,
            } => {
                parts.push(same(Role::Recurrent, heads * (key * key + key * value)));
                parts.extend(conv.as_ref().map(Conv::part));
            }
            Self::Mamba3 {
                inner,
                state,
                heads,
                angles,
                rank,
            } => parts.push(same(
                Role::Recurrent,
                inner * state + heads * angles + rank * heads * state + inner,
            )),
            Self::Based {
                heads,
                features,
                value,
            } => parts.push(same(Role::Recurrent, heads * (features * value + features))),
            Self::MLstm { heads, key, value } => {
                parts.push(same(Role::Recurrent, heads * (key * value + key + 1_u32)));
            }
            Self::ShortConv(conv) => parts.push(conv.part()),
            Self::Window {
                window,
                heads,
                size,
            } => parts.push(part(
                Role::Window,
                (window - 1_u32) * heads * size * 2_u32,
                window * heads * size * 2_u32,
            )),
        }
        parts.retain(|part| !part.stored.is_zero());
        parts
    }

    /// True for a window: bounded, but attention.
    #[must_use]
    pub fn is_window(&self) -> bool {
        matches!(self, Self::Window { .. })
    }

    /// The same layer with head size d (dk = dv = d, so many heads as before), or with d numbers of state a channel; and what d is.
    /// `None` where one number does not set the size.
    #[must_use]
    pub fn resized(&self, d: &BigUint) -> Option<(Self, &'static str)> {
        match self {
            Self::Matrix { .. } => {
                let mut layer = self.clone();
                if let Self::Matrix {
                    key, value, conv, ..
                } = &mut layer
                {
                    key.clone_from(d);
                    value.clone_from(d);
                    *conv = None;
                }
                Some((
                    layer,
                    "head size (dk = dv = d, the same heads, convolutions left out)",
                ))
            }
            Self::Mesa { heads, .. } => Some((
                Self::Mesa {
                    heads: heads.clone(),
                    key: d.clone(),
                    value: d.clone(),
                    conv: None,
                },
                "head size (dk = dv = d, the same heads, convolutions left out)",
            )),
            Self::MLstm { heads, .. } => Some((
                Self::MLstm {
                    heads: heads.clone(),
                    key: d.clone(),
                    value: d.clone(),
                },
                "head size (dk = dv = d, the same heads)",
            )),
            Self::Vector { .. } => Some((
                Self::vector(d.clone(), None),
                "numbers in the recurrent vector, convolutions left out",
            )),
            Self::ShortConv(conv) => Some((
                Self::ShortConv(Conv {
                    kernel: conv.kernel.clone(),
                    width: d.clone(),
                }),
                "width of the convolution",
            )),
            Self::Slots { .. } | Self::Mamba3 { .. } | Self::Based { .. } | Self::Window { .. } => {
                None
            }
        }
    }
}

/// A convolution of width K over so many channels.
#[must_use]
pub fn conv(kernel: &BigUint, width: BigUint) -> Conv {
    Conv {
        kernel: kernel.clone(),
        width,
    }
}

/// The most matrices that a log-linear state has at any boundary up to n tokens: `floor(log2 (n + 1))`, since popcount(t) is largest at
/// `2^k - 1`.
#[must_use]
pub fn most_matrices(n: u64) -> u64 {
    u64::from((u128::from(n) + 1).ilog2())
}

/// The matrices that implementations allocate for up to n tokens: `ceil(log2 n) + 1`.
#[must_use]
pub fn levels(n: u64) -> u64 {
    let ceil = if n <= 1 {
        0
    } else {
        u64::from((n - 1).ilog2()) + 1
    };
    ceil + 1
}

/// One, for defaults.
#[must_use]
pub fn one() -> BigUint {
    BigUint::one()
}
