//! What the names of an expression mean: supplied by the caller.

use std::collections::BTreeMap;
use std::fmt;

use num_bigint::BigInt;

/// The value of a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constant {
    /// An integer.
    Integer(BigInt),
    /// A truth value (results of a decomposition).
    Truth(bool),
    /// A constant table.
    Table(Vec<BigInt>),
}

/// Form of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// An integer.
    Integer,
    /// A table of this many integers.
    Table(usize),
}

/// What a field name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldLookup {
    /// The variable of this index.
    Found {
        /// Index into the variables of an evaluation.
        variable: usize,
        /// Its form.
        shape: Shape,
    },
    /// Several players in sight have this field.
    Ambiguous {
        /// Their labels, in player order.
        players: Vec<String>,
    },
    /// A field that exists but is not in sight.
    NotInSight {
        /// Label of its owner (`A`, or `A and D`).
        owner: String,
        /// ``the sight of `soft B->C @1` is B and C``.
        sight: String,
    },
    /// The qualifying label is no player.
    UnknownPlayer {
        /// All labels, in player order.
        players: Vec<String>,
    },
    /// Not usable here; the whole message.
    Refused(String),
    /// No such field.
    Unknown,
}

/// What a slot name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlotLookup {
    /// The symbol in the variable of this index.
    Symbol {
        /// Index into the variables of an evaluation.
        variable: usize,
    },
    /// A symbol that is always the same (a slot of one symbol).
    Always(BigInt),
    /// Not usable here; the whole message.
    Error(String),
}

/// Meaning of the names of one expression.
///
/// Pattern and loop variables and `size` are constants. Every method but [`Names::constant`]
/// has a default that knows nothing.
pub trait Names: fmt::Debug {
    /// The constant of this name.
    fn constant(&self, name: &str) -> Option<Constant>;

    /// The field of this name, of the given player or of the only one in sight that has it.
    fn field(&self, player: Option<&str>, name: &str) -> FieldLookup {
        let _ = (player, name);
        FieldLookup::Unknown
    }

    /// Index of an abstract number (inequality claims only).
    fn quantity(&self, name: &str) -> Option<usize> {
        let _ = name;
        None
    }

    /// The symbol of a slot (strategies only).
    fn slot(&self, slot: &str) -> SlotLookup {
        SlotLookup::Error(format!("`{slot}`: symbols are in sight only in a strategy"))
    }

    /// Variable of the slot, if it exists with at least two symbols and is in sight.
    ///
    /// # Errors
    /// A text that is not a slot name.
    fn has(&self, slot: &str) -> Result<Option<usize>, String> {
        let _ = slot;
        Ok(None)
    }

    /// Variables of the symbols stored in the view of a player, by default the sender.
    ///
    /// # Errors
    /// A player that does not exist or is not in sight.
    fn received(&self, player: Option<&str>) -> Result<Vec<usize>, String> {
        let _ = player;
        Ok(Vec::new())
    }

    /// Names to offer for a misspelt one.
    fn known(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Only constants.
impl Names for BTreeMap<String, Constant> {
    fn constant(&self, name: &str) -> Option<Constant> {
        self.get(name).cloned()
    }

    fn known(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }
}

/// Names extended by loop or pattern variables.
#[derive(Debug, Clone)]
pub struct WithVariables<'n> {
    /// The names around.
    pub outer: &'n dyn Names,
    /// The variables; they come before the names around.
    pub variables: BTreeMap<String, BigInt>,
}

impl Names for WithVariables<'_> {
    fn constant(&self, name: &str) -> Option<Constant> {
        let variable = self.variables.get(name).cloned().map(Constant::Integer);
        variable.or_else(|| self.outer.constant(name))
    }

    fn field(&self, player: Option<&str>, name: &str) -> FieldLookup {
        self.outer.field(player, name)
    }

    fn quantity(&self, name: &str) -> Option<usize> {
        self.outer.quantity(name)
    }

    fn slot(&self, slot: &str) -> SlotLookup {
        self.outer.slot(slot)
    }

    fn has(&self, slot: &str) -> Result<Option<usize>, String> {
        self.outer.has(slot)
    }

    fn received(&self, player: Option<&str>) -> Result<Vec<usize>, String> {
        self.outer.received(player)
    }

    fn known(&self) -> Vec<String> {
        let mut known = self.outer.known();
        known.extend(self.variables.keys().cloned());
        known
    }
}
