//! What people look at, from the same data as the JSON: text, tables, pictures, and one page with all of it.

pub mod coq;
pub mod figure;
pub mod formats;
pub mod overview;
pub mod page;
pub mod picture;
pub mod schema;
pub mod sequence;
pub mod svg;
pub mod table;
pub mod words;
