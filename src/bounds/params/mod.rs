//! Proof-scale parameters, one file per paper version.

pub mod hybrid_v1;
