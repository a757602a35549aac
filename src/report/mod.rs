//! Text for people, from the same data as the JSON.

pub mod coq;
pub mod schema;
pub mod sequence;
pub mod svg;
pub mod words;
