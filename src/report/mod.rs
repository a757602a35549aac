//! Text for people, from the same data as the JSON.

pub mod schema;
pub mod sequence;
pub mod words;
