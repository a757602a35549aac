//! Counting claims about papers: parameters, thresholds, and closed forms.

pub mod derive;
pub mod need;
pub mod params;
