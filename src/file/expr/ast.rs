//! Syntax trees of expressions.
//!
//! Chains of one precedence level are flat, so a long sum is not a deep tree; real nesting is
//! limited by the parser. Walking (and dropping) a tree recursively is therefore safe.

use std::collections::BTreeSet;
use std::fmt;

use num_bigint::BigInt;

use super::error::Span;

/// An expression and its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// All bytes of the expression, enclosing parentheses included.
    pub at: Span,
    /// What it is.
    pub node: Node,
}

/// The forms of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// `if a then b else c`.
    If(Box<Conditional>),
    /// `let x = a in b`.
    Let(Box<Binding>),
    /// `a or b or ..`, at least two.
    Or(Vec<Tree>),
    /// `a and b and ..`, at least two.
    And(Vec<Tree>),
    /// `not a`.
    Not(Box<Tree>),
    /// `a < b` and its kin.
    Compare(Box<Compared>),
    /// `a + b - c ..`: the first, then at least one more.
    Sum(Box<Tree>, Vec<Operand<SumSign>>),
    /// `a * b div c ..`: the first, then at least one more.
    Product(Box<Tree>, Vec<Operand<ProductSign>>),
    /// `-a`.
    Negate(Box<Tree>),
    /// `a ^ b`.
    Power(Box<Raised>),
    /// `a[b]`; more than one index is a type error, found by the checker.
    Index(Box<Tree>, Vec<Place>),
    /// Decimal digits.
    Integer(BigInt),
    /// `true` or `false`.
    Truth(bool),
    /// A name, possibly with braces.
    Name(Braced),
    /// `A.f`.
    Member(Box<Member>),
    /// `'soft 1->0 @1'`, without the quotes.
    Slot(Braced),
    /// `[a, b, ..]`.
    List(Vec<Tree>),
    /// `f(a, ..)`.
    Call(Box<Call>),
    /// `sum(i in a..b, .. if c: e)`.
    Fold(Box<Fold>),
}

/// A field with its player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Label of the player.
    pub label: Braced,
    /// The field.
    pub field: Braced,
}

/// Parts of `if condition then then else otherwise`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conditional {
    /// The truth value that decides.
    pub condition: Tree,
    /// Value if true.
    pub then: Tree,
    /// Value if false.
    pub otherwise: Tree,
}

/// Parts of `let name = value in body`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The new name.
    pub name: Bound,
    /// What it stands for.
    pub value: Tree,
    /// Where it may be used.
    pub body: Tree,
}

/// A name that an expression or loop introduces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The name.
    pub name: String,
    /// Where it is introduced.
    pub at: Span,
}

/// Parts of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Left side.
    pub left: Tree,
    /// The sign.
    pub relation: Relation,
    /// Place of the sign.
    pub sign_at: Span,
    /// Right side.
    pub right: Tree,
}

/// One further term or factor of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand<S> {
    /// The sign before it.
    pub sign: S,
    /// Place of the sign.
    pub sign_at: Span,
    /// The operand.
    pub tree: Tree,
}

/// Parts of `base ^ exponent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raised {
    /// The base.
    pub base: Tree,
    /// Place of `^`.
    pub sign_at: Span,
    /// The exponent.
    pub exponent: Tree,
}

/// One index of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Place of `[`.
    pub bracket_at: Span,
    /// The index.
    pub tree: Tree,
}

/// A function call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Which function.
    pub function: Function,
    /// Place of its name.
    pub name_at: Span,
    /// The arguments.
    pub arguments: Vec<Tree>,
}

/// A fold over ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// Which fold.
    pub kind: FoldKind,
    /// Place of its name.
    pub name_at: Span,
    /// The bound variables with their ranges, outermost first.
    pub binds: Vec<Bind>,
    /// The condition after `if`.
    pub filter: Option<Tree>,
    /// The expression folded.
    pub body: Tree,
}

/// `name in from..to`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bind {
    /// The variable.
    pub name: Bound,
    /// First value.
    pub from: Tree,
    /// The end.
    pub to: Tree,
    /// Whether the end is excluded (`..<`).
    pub open: bool,
}

/// Text with constant expressions in braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Braced {
    /// The whole, without quotes.
    pub at: Span,
    /// Its pieces in order.
    pub pieces: Vec<Piece>,
}

/// A piece of a [`Braced`] text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// The expression of a brace.
    Brace(Tree),
}

/// The sign before a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SumSign {
    /// `+`.
    Plus,
    /// `-`.
    Minus,
}

/// The sign before a factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProductSign {
    /// `*`.
    Times,
    /// `div`.
    Div,
    /// `mod`.
    Mod,
    /// `/`, inequality claims only.
    Over,
}

/// A comparison sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `=`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
}

/// A function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// Ceiling of the binary logarithm.
    Bits,
    /// Binomial coefficient.
    Binomial,
    /// Factorial.
    Factorial,
    /// Absolute value.
    Abs,
    /// Least entry or argument.
    Min,
    /// Greatest entry or argument.
    Max,
    /// Sum of a table.
    Sum,
    /// Length of a table.
    Len,
    /// Symbol of a slot, or a default.
    Get,
    /// Whether a slot is in sight.
    Has,
    /// Table of the symbols received.
    Received,
    /// Binary logarithm, inequality claims only.
    Log2,
}

/// A fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldKind {
    /// Sum of integers.
    Sum,
    /// Least integer.
    Min,
    /// Greatest integer.
    Max,
    /// Disjunction.
    Any,
    /// Conjunction.
    All,
    /// Number of true values.
    Count,
    /// Table of integers.
    Table,
}

impl ProductSign {
    /// The sign as written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Times => "*",
            Self::Div => "div",
            Self::Mod => "mod",
            Self::Over => "/",
        }
    }
}

impl Relation {
    /// The sign as written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }

    /// Whether two values in this order stand in the relation.
    #[must_use]
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.text())
    }
}

const FUNCTIONS: [(&str, Function); 12] = [
    ("bits", Function::Bits),
    ("binomial", Function::Binomial),
    ("factorial", Function::Factorial),
    ("abs", Function::Abs),
    ("min", Function::Min),
    ("max", Function::Max),
    ("sum", Function::Sum),
    ("len", Function::Len),
    ("get", Function::Get),
    ("has", Function::Has),
    ("received", Function::Received),
    ("log2", Function::Log2),
];

const FOLDS: [(&str, FoldKind); 7] = [
    ("sum", FoldKind::Sum),
    ("min", FoldKind::Min),
    ("max", FoldKind::Max),
    ("any", FoldKind::Any),
    ("all", FoldKind::All),
    ("count", FoldKind::Count),
    ("table", FoldKind::Table),
];

impl Function {
    /// The function of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        FUNCTIONS
            .iter()
            .find(|(text, _)| *text == name)
            .map(|(_, function)| *function)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        FUNCTIONS
            .iter()
            .find(|(_, function)| *function == self)
            .map_or("", |(text, _)| text)
    }
}

impl FoldKind {
    /// The fold of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        FOLDS
            .iter()
            .find(|(text, _)| *text == name)
            .map(|(_, kind)| *kind)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        FOLDS
            .iter()
            .find(|(_, kind)| *kind == self)
            .map_or("", |(text, _)| text)
    }
}

/// All names of functions and folds, for suggestions.
pub(super) fn function_names() -> impl Iterator<Item = &'static str> {
    let folds = FOLDS
        .iter()
        .map(|(text, _)| *text)
        .filter(|text| Function::named(text).is_none());
    FUNCTIONS.iter().map(|(text, _)| *text).chain(folds)
}

impl Braced {
    /// The text, if it has no braces.
    #[must_use]
    pub fn plain(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }
}

impl Tree {
    /// The expressions directly inside this one, those in braces included.
    #[must_use]
    pub fn children(&self) -> Vec<&Tree> {
        match &self.node {
            Node::If(parts) => vec![&parts.condition, &parts.then, &parts.otherwise],
            Node::Let(parts) => vec![&parts.value, &parts.body],
            Node::Or(list) | Node::And(list) | Node::List(list) => list.iter().collect(),
            Node::Not(inner) | Node::Negate(inner) => vec![inner],
            Node::Compare(parts) => vec![&parts.left, &parts.right],
            Node::Sum(first, rest) => chain(first, rest.iter().map(|operand| &operand.tree)),
            Node::Product(first, rest) => chain(first, rest.iter().map(|operand| &operand.tree)),
            Node::Power(parts) => vec![&parts.base, &parts.exponent],
            Node::Index(table, places) => chain(table, places.iter().map(|place| &place.tree)),
            Node::Integer(_) | Node::Truth(_) => Vec::new(),
            Node::Name(braced) | Node::Slot(braced) => braced.trees().collect(),
            Node::Member(member) => member.label.trees().chain(member.field.trees()).collect(),
            Node::Call(call) => call.arguments.iter().collect(),
            Node::Fold(fold) => fold_children(fold),
        }
    }

    /// The plain names that occur, bound ones included, for the order in which constants are
    /// resolved; names with braces are not listed, those inside braces are.
    #[must_use]
    pub fn names(&self) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        self.collect_names(&mut found);
        found
    }

    fn collect_names<'t>(&'t self, found: &mut BTreeSet<&'t str>) {
        if let Node::Name(braced) = &self.node {
            found.extend(braced.plain());
        }
        for child in self.children() {
            child.collect_names(found);
        }
    }
}

impl Braced {
    fn trees(&self) -> impl Iterator<Item = &Tree> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Brace(tree) => Some(tree),
        })
    }
}

fn chain<'t>(first: &'t Tree, rest: impl Iterator<Item = &'t Tree>) -> Vec<&'t Tree> {
    std::iter::once(first).chain(rest).collect()
}

fn fold_children(fold: &Fold) -> Vec<&Tree> {
    let ranges = fold.binds.iter().flat_map(|bind| [&bind.from, &bind.to]);
    ranges.chain(&fold.filter).chain([&fold.body]).collect()
}
