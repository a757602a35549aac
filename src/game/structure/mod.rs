//! Definitions of mathematical structures on games, each with its check.
