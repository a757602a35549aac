//! Exact numbers: alphabets, domains, integers, rationals, power products, towers, and how they compare.
//!
//! Nothing here rounds, and nothing knows what a game is. A number that would be too large to write down is either kept as a
//! product of powers or refused with its size, before anything is allocated.

pub mod alphabet;
pub mod compare;
pub mod count;
pub mod domain;
pub mod interval;
pub mod linear;
pub mod number;
pub mod power;
pub mod prime;
pub mod ratio;
pub mod stirling;

pub use alphabet::{Alphabet, EmptyAlphabet};
pub use compare::{CompareError, Comparison, Relation, Written, compare, relation};
pub use domain::{Digits, Domain, DomainError, Field, Form, choose, product};
pub use interval::Enclosure;
pub use number::{BIT_LIMIT, Number, NumberError, Tower};
pub use power::{ExpandError, Factors, PowerProduct};
