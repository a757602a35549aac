//! From text to syntax tree.
//!
//! One function per level of precedence over a stream of tokens. Chains are loops; every real
//! nesting passes through [`Parser::nested`], which limits the depth.

use num_bigint::BigInt;
use winnow::stream::{Stream, TokenSlice};

use super::ast::{
    Bind, Binding, Bound, Call, Compared, Conditional, Fold, FoldKind, Function, Member, Node,
    Operand, Place, ProductSign, Raised, Relation, SumSign, Tree, function_names,
};
use super::braces;
use super::error::{ExprError, Span};
use super::suggest::did_you_mean;
use super::token::{Kind, Token, complaint, tokens};

/// Nesting of parentheses, brackets, calls, prefixes and exponents.
pub const MAX_LEVELS: usize = 64;

/// Longest decimal literal: more digits certainly pass the limit on bits.
const MAX_DIGITS: usize = 5_050_446;

type Parsed<T> = Result<T, ExprError>;

/// Reads an expression.
///
/// # Errors
/// The first place where the text is not an expression, or nested deeper than [`MAX_LEVELS`].
pub fn parse(text: &str) -> Result<Tree, ExprError> {
    parse_at(text, 0)
}

/// Reads an expression whose first byte has position `base` in the text around it.
pub(super) fn parse_at(text: &str, base: usize) -> Parsed<Tree> {
    let tokens = tokens(text, base);
    let mut parser = Parser::new(&tokens, text, base);
    let tree = parser.expression()?;
    parser.finish()?;
    Ok(tree)
}

/// Reads the ranges of a loop: `j in 0..L, i in -1..<j`.
pub(super) fn parse_binds(text: &str) -> Parsed<Vec<Bind>> {
    let tokens = tokens(text, 0);
    let mut parser = Parser::new(&tokens, text, 0);
    let binds = parser.binds()?;
    parser.finish()?;
    Ok(binds)
}

/// The tokens of an expression joined by one space; a slot or a name with braces is one token.
///
/// # Errors
/// As [`parse`].
pub fn canonical(text: &str) -> Result<String, ExprError> {
    parse(text)?;
    let tokens = tokens(text, 0);
    let words: Vec<&str> = tokens
        .iter()
        .filter(|token| token.kind != Kind::End)
        .map(|token| token.text)
        .collect();
    Ok(words.join(" "))
}

#[derive(Debug)]
struct Parser<'t> {
    text: &'t str,
    /// Position of the first byte of the text.
    base: usize,
    rest: TokenSlice<'t, Token<'t>>,
    end: Token<'t>,
    levels: usize,
}

impl<'t> Parser<'t> {
    fn new(tokens: &'t [Token<'t>], text: &'t str, base: usize) -> Self {
        let nothing = Token {
            kind: Kind::End,
            text: "",
            at: Span::new(base, base),
        };
        let end = tokens.last().copied().unwrap_or(nothing);
        Self {
            text,
            base,
            rest: TokenSlice::new(tokens),
            end,
            levels: 0,
        }
    }

    fn peek(&self) -> Token<'t> {
        self.rest.first().copied().unwrap_or(self.end)
    }

    fn peek_second(&self) -> Token<'t> {
        self.rest.get(1).copied().unwrap_or(self.end)
    }

    fn next(&mut self) -> Token<'t> {
        self.rest.next_token().copied().unwrap_or(self.end)
    }

    /// Takes the keyword or sign `text` if it is next.
    fn accept(&mut self, text: &str) -> Option<Span> {
        self.peek().is(text).then(|| self.next().at)
    }

    fn expect(&mut self, text: &str) -> Parsed<Span> {
        self.accept(text)
            .ok_or_else(|| self.found(&format!("`{text}`")))
    }

    fn finish(&self) -> Parsed<()> {
        if self.peek().kind == Kind::End {
            Ok(())
        } else {
            Err(self.found("end of expression"))
        }
    }

    /// The error that something else was expected here.
    fn found(&self, expected: &str) -> ExprError {
        let token = self.peek();
        let message = match token.kind {
            Kind::Wrong => complaint(
                &token,
                self.text
                    .get(token.at.start - self.base..)
                    .unwrap_or_default(),
            ),
            Kind::End => format!("found end of expression, expected {expected}"),
            Kind::Slot => format!("found {}, expected {expected}", token.text),
            Kind::Integer | Kind::Word | Kind::Keyword | Kind::Sign => {
                format!("found `{}`, expected {expected}", token.text)
            }
        };
        ExprError::new(token.at, message)
    }

    /// Parses with `inner` one level deeper.
    fn nested<T>(&mut self, inner: fn(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.levels == MAX_LEVELS {
            return Err(ExprError::new(
                self.peek().at,
                format!("nested more than {MAX_LEVELS} levels deep"),
            ));
        }
        self.levels += 1;
        let value = inner(self)?;
        self.levels -= 1;
        Ok(value)
    }

    fn expression(&mut self) -> Parsed<Tree> {
        self.nested(Self::full)
    }

    fn full(&mut self) -> Parsed<Tree> {
        if let Some(at) = self.accept("if") {
            return self.conditional(at);
        }
        if let Some(at) = self.accept("let") {
            return self.binding(at);
        }
        self.disjunction()
    }

    fn conditional(&mut self, start: Span) -> Parsed<Tree> {
        let condition = self.expression()?;
        self.expect("then")?;
        let then = self.expression()?;
        self.expect("else")?;
        let otherwise = self.expression()?;
        let at = start.to(otherwise.at);
        Ok(Tree {
            at,
            node: Node::If(Box::new(Conditional {
                condition,
                then,
                otherwise,
            })),
        })
    }

    fn binding(&mut self, start: Span) -> Parsed<Tree> {
        let name = self.bound()?;
        self.expect("=")?;
        let value = self.expression()?;
        self.expect("in")?;
        let body = self.expression()?;
        let at = start.to(body.at);
        Ok(Tree {
            at,
            node: Node::Let(Box::new(Binding { name, value, body })),
        })
    }

    /// A new name: no keyword, no function, no braces.
    fn bound(&mut self) -> Parsed<Bound> {
        let token = self.peek();
        if token.kind != Kind::Word || token.text.contains('{') || is_function(token.text) {
            return Err(self.found("a new name"));
        }
        let token = self.next();
        Ok(Bound {
            name: token.text.to_owned(),
            at: token.at,
        })
    }

    fn disjunction(&mut self) -> Parsed<Tree> {
        self.joined("or", Self::conjunction, Node::Or)
    }

    fn conjunction(&mut self) -> Parsed<Tree> {
        self.joined("and", Self::negation, Node::And)
    }

    fn joined(
        &mut self,
        word: &str,
        part: fn(&mut Self) -> Parsed<Tree>,
        join: fn(Vec<Tree>) -> Node,
    ) -> Parsed<Tree> {
        let first = part(self)?;
        if !self.peek().is(word) {
            return Ok(first);
        }
        let mut at = first.at;
        let mut parts = vec![first];
        while self.accept(word).is_some() {
            let next = part(self)?;
            at = at.to(next.at);
            parts.push(next);
        }
        Ok(Tree {
            at,
            node: join(parts),
        })
    }

    fn negation(&mut self) -> Parsed<Tree> {
        let Some(start) = self.accept("not") else {
            return self.comparison();
        };
        let inner = self.nested(Self::negation)?;
        Ok(Tree {
            at: start.to(inner.at),
            node: Node::Not(Box::new(inner)),
        })
    }

    fn comparison(&mut self) -> Parsed<Tree> {
        let left = self.sum()?;
        let Some(found) = relation(&self.peek()) else {
            return Ok(left);
        };
        let sign_at = self.next().at;
        let right = self.sum()?;
        if relation(&self.peek()).is_some() {
            let message = format!(
                "found `{}`; join two comparisons by `and`",
                self.peek().text
            );
            return Err(ExprError::new(self.peek().at, message));
        }
        let at = left.at.to(right.at);
        Ok(Tree {
            at,
            node: Node::Compare(Box::new(Compared {
                left,
                relation: found,
                sign_at,
                right,
            })),
        })
    }

    fn sum(&mut self) -> Parsed<Tree> {
        self.chain(Self::product, sum_sign, Node::Sum)
    }

    fn product(&mut self) -> Parsed<Tree> {
        self.chain(Self::unary, product_sign, Node::Product)
    }

    fn chain<S>(
        &mut self,
        part: fn(&mut Self) -> Parsed<Tree>,
        sign: fn(&Token<'_>) -> Option<S>,
        join: fn(Box<Tree>, Vec<Operand<S>>) -> Node,
    ) -> Parsed<Tree> {
        let first = part(self)?;
        let mut at = first.at;
        let mut rest = Vec::new();
        while let Some(sign) = sign(&self.peek()) {
            let sign_at = self.next().at;
            let tree = part(self)?;
            at = at.to(tree.at);
            rest.push(Operand {
                sign,
                sign_at,
                tree,
            });
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(Tree {
            at,
            node: join(Box::new(first), rest),
        })
    }

    fn unary(&mut self) -> Parsed<Tree> {
        let Some(start) = self.accept("-") else {
            return self.power();
        };
        let inner = self.nested(Self::unary)?;
        Ok(Tree {
            at: start.to(inner.at),
            node: Node::Negate(Box::new(inner)),
        })
    }

    fn power(&mut self) -> Parsed<Tree> {
        let base = self.postfix()?;
        let Some(sign_at) = self.accept("^") else {
            return Ok(base);
        };
        let exponent = self.nested(Self::unary)?;
        let at = base.at.to(exponent.at);
        Ok(Tree {
            at,
            node: Node::Power(Box::new(Raised {
                base,
                sign_at,
                exponent,
            })),
        })
    }

    fn postfix(&mut self) -> Parsed<Tree> {
        let table = self.atom()?;
        let mut at = table.at;
        let mut places = Vec::new();
        while let Some(bracket_at) = self.accept("[") {
            let tree = self.expression()?;
            at = at.to(self.expect("]")?);
            places.push(Place { bracket_at, tree });
        }
        if places.is_empty() {
            return Ok(table);
        }
        Ok(Tree {
            at,
            node: Node::Index(Box::new(table), places),
        })
    }

    fn atom(&mut self) -> Parsed<Tree> {
        match self.peek().kind {
            Kind::Integer => self.integer(),
            Kind::Word => self.word(),
            Kind::Slot => self.slot(),
            Kind::Keyword | Kind::Sign | Kind::Wrong | Kind::End => self.enclosed(),
        }
    }

    fn enclosed(&mut self) -> Parsed<Tree> {
        if let Some(at) = self.accept("true") {
            return Ok(Tree {
                at,
                node: Node::Truth(true),
            });
        }
        if let Some(at) = self.accept("false") {
            return Ok(Tree {
                at,
                node: Node::Truth(false),
            });
        }
        if let Some(start) = self.accept("(") {
            let inner = self.expression()?;
            let end = self.expect(")")?;
            return Ok(Tree {
                at: start.to(end),
                node: inner.node,
            });
        }
        if let Some(start) = self.accept("[") {
            let (entries, end) = self.list("]")?;
            return Ok(Tree {
                at: start.to(end),
                node: Node::List(entries),
            });
        }
        Err(self.found("an expression"))
    }

    /// Expressions separated by commas up to `close`, at least one.
    fn list(&mut self, close: &str) -> Parsed<(Vec<Tree>, Span)> {
        let mut entries = vec![self.expression()?];
        while self.accept(",").is_some() {
            entries.push(self.expression()?);
        }
        let end = self
            .accept(close)
            .ok_or_else(|| self.found(&format!("`{close}`")))?;
        Ok((entries, end))
    }

    fn integer(&mut self) -> Parsed<Tree> {
        let token = self.next();
        if self.peek().is(".") {
            let is_float = self.peek_second().kind == Kind::Integer;
            let message = if is_float {
                "found a float, expected an integer"
            } else {
                "players with integer labels cannot be qualified; give their fields distinct names"
            };
            return Err(ExprError::new(token.at, message));
        }
        if token.text.len() > MAX_DIGITS {
            return Err(ExprError::new(
                token.at,
                format!("integer of {} digits is too long", token.text.len()),
            ));
        }
        let value: BigInt = token
            .text
            .parse()
            .map_err(|_| ExprError::new(token.at, "expected an integer"))?;
        Ok(Tree {
            at: token.at,
            node: Node::Integer(value),
        })
    }

    fn slot(&mut self) -> Parsed<Tree> {
        let token = self.next();
        let inner = token.text.get(1..token.text.len() - 1).unwrap_or_default();
        let name = braces::parse(inner, token.at.start + 1)?;
        Ok(Tree {
            at: token.at,
            node: Node::Slot(name),
        })
    }

    /// A name, a member, a call or a fold.
    fn word(&mut self) -> Parsed<Tree> {
        let token = self.next();
        if self.peek().is("(") {
            return self.call_or_fold(&token);
        }
        if is_function(token.text) {
            return Err(self.found("`(`"));
        }
        self.name(&token)
    }

    fn name(&mut self, token: &Token<'t>) -> Parsed<Tree> {
        let name = braces::parse(token.text, token.at.start)?;
        if self.accept(".").is_none() {
            return Ok(Tree {
                at: token.at,
                node: Node::Name(name),
            });
        }
        if self.peek().kind != Kind::Word {
            return Err(self.found("the name of a field"));
        }
        let at = self.next();
        let field = braces::parse(at.text, at.at.start)?;
        Ok(Tree {
            at: token.at.to(at.at),
            node: Node::Member(Box::new(Member { label: name, field })),
        })
    }

    fn call_or_fold(&mut self, name: &Token<'t>) -> Parsed<Tree> {
        self.expect("(")?;
        let is_fold = self.peek().kind == Kind::Word && self.peek_second().is("in");
        match (Function::named(name.text), FoldKind::named(name.text)) {
            (_, Some(kind)) if is_fold => self.fold(kind, name),
            (Some(function), _) if !is_fold => self.call(function, name),
            (Some(_), _) => {
                let message = format!("`{}` cannot run over a range", name.text);
                Err(ExprError::new(name.at, message))
            }
            (None, Some(_)) => Err(self.found("a variable with its range, as in `i in 0..1`")),
            (None, None) => {
                let hint = did_you_mean(name.text, function_names());
                Err(ExprError::new(
                    name.at,
                    format!("unknown function `{}`{hint}", name.text),
                ))
            }
        }
    }

    fn call(&mut self, function: Function, name: &Token<'t>) -> Parsed<Tree> {
        let (arguments, end) = if let Some(end) = self.accept(")") {
            (Vec::new(), end)
        } else {
            self.list(")")?
        };
        let call = Call {
            function,
            name_at: name.at,
            arguments,
        };
        Ok(Tree {
            at: name.at.to(end),
            node: Node::Call(Box::new(call)),
        })
    }

    fn fold(&mut self, kind: FoldKind, name: &Token<'t>) -> Parsed<Tree> {
        let binds = self.binds()?;
        let filter = if self.accept("if").is_some() {
            Some(self.expression()?)
        } else {
            None
        };
        self.expect(":")?;
        let body = self.expression()?;
        let end = self.expect(")")?;
        let fold = Fold {
            kind,
            name_at: name.at,
            binds,
            filter,
            body,
        };
        Ok(Tree {
            at: name.at.to(end),
            node: Node::Fold(Box::new(fold)),
        })
    }

    fn binds(&mut self) -> Parsed<Vec<Bind>> {
        let mut binds = vec![self.bind()?];
        while self.accept(",").is_some() {
            binds.push(self.bind()?);
        }
        Ok(binds)
    }

    fn bind(&mut self) -> Parsed<Bind> {
        let name = self.bound()?;
        self.expect("in")?;
        let from = self.nested(Self::sum)?;
        let open = self.accept("..<").is_some();
        if !open && self.accept("..").is_none() {
            return Err(self.found("`..` or `..<`"));
        }
        let to = self.nested(Self::sum)?;
        Ok(Bind {
            name,
            from,
            to,
            open,
        })
    }
}

fn is_function(text: &str) -> bool {
    Function::named(text).is_some() || FoldKind::named(text).is_some()
}

/// Whether `text` may name a field or a constant.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let mut tokens = tokens(text, 0).into_iter();
    tokens.next().is_some_and(|token| {
        token.kind == Kind::Word && token.text == text && !text.contains('{') && !is_function(text)
    })
}

/// Whether `text` may name a player: an integer, or a letter followed by letters, digits, `_`.
#[must_use]
pub fn is_label(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_integer || (text.starts_with(|c: char| c.is_ascii_alphabetic()) && is_name(text))
}

fn relation(token: &Token<'_>) -> Option<Relation> {
    let all = [
        Relation::Equal,
        Relation::NotEqual,
        Relation::Less,
        Relation::AtMost,
        Relation::Greater,
        Relation::AtLeast,
    ];
    all.into_iter().find(|relation| token.is(relation.text()))
}

fn sum_sign(token: &Token<'_>) -> Option<SumSign> {
    if token.is("+") {
        Some(SumSign::Plus)
    } else if token.is("-") {
        Some(SumSign::Minus)
    } else {
        None
    }
}

fn product_sign(token: &Token<'_>) -> Option<ProductSign> {
    let all = [
        ProductSign::Times,
        ProductSign::Div,
        ProductSign::Mod,
        ProductSign::Over,
    ];
    all.into_iter().find(|sign| token.is(sign.text()))
}
