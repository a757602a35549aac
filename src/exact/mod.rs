//! Exact numbers: alphabets, domains, counts, power products. Nothing here knows what a game is.

pub mod alphabet;
pub mod domain;

pub use alphabet::{Alphabet, EmptyAlphabet};
pub use domain::{Digits, Domain, DomainError, Field, Form, choose, product};
