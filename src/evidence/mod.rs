//! Claims, verdicts, the files that carry evidence, and the verifier.
//!
//! The two files to read to know what an accepted file means: [`witness`] (what is in it) and [`verify`] (what is re-checked).

pub mod canonical;
pub mod claim;
pub mod decomposition;
pub mod derive;
pub mod digest;
pub mod exact;
pub mod external;
pub mod gzip;
pub mod inequality;
pub mod item;
pub mod ledger;
pub mod matrix;
pub mod model;
pub mod ranges;
pub mod rank;
pub mod recursion;
pub mod reduction;
pub mod scope;
pub mod shape;
pub mod statement;
pub mod verify;
pub mod witness;

pub use claim::Claim;
pub use item::Evidence;
pub use scope::{Scope, Verdict};
pub use shape::Rejection;
pub use statement::Statement;
pub use verify::{Checked, Outcome};
pub use witness::Witness;
