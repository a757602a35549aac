//! Counting claims about papers: parameters, thresholds, and closed forms; and the census of a reader's states.

pub mod census;
pub mod derive;
pub mod need;
pub mod params;
