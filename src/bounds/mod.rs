//! Counting claims about papers: parameters, thresholds, and closed forms.

pub mod need;
pub mod params;
