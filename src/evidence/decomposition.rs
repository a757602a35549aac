//! Claims about a decomposition: the statement, its results by name, and the evidence object.
#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the methods are not general enough over lifetimes"
)]

use crate::evidence::inequality::{Numbers, claimed};
use crate::evidence::shape::{Place, Rejection};
use crate::exact::{Digits, Number, compare, ratio};
use crate::file::expr::{self, Constant, ExprError, Holds, Limits, Names, Value};
use crate::game::structure::Code;
use crate::game::structure::decomposition::{
    Decomposition, Level, Mode, Question, Rectangle, Set, Tie,
};
use crate::game::{Game, Inputs};
use num_bigint::{BigInt, BigUint};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write as _;

/// What a claim says about a decomposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decomposed {
    /// The parameters.
    pub question: Question,
    /// Texts of the comparisons.
    pub holds: Vec<String>,
}

impl Decomposed {
    /// The body of the statement.
    pub fn to_json(&self) -> Json {
        json!({
            "holds": self.holds,
            "one_shot": self.question.one_shot,
            "tie": self.question.tie.word(),
            "x": texts(&self.question.x),
        })
    }

    /// Reads the body of the statement.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        body.object(&["holds", "one_shot", "tie", "x"], &[])?;
        let holds = list(&body.get("holds")?, |item| Ok(item.text()?.to_owned()))?;
        if holds.is_empty() {
            return Err(Rejection::new(
                body.get("holds")?.at,
                Code::Malformed,
                "an empty list",
                "at least one comparison",
            ));
        }
        Ok(Self {
            question: Question {
                x: list(&body.get("x")?, |item| item.small_count())?,
                tie: tie(&body.get("tie")?)?,
                one_shot: body.get("one_shot")?.truth()?,
            },
            holds,
        })
    }
}

fn tie(place: &Place<'_>) -> Result<Tie, Rejection> {
    let word = place.text()?;
    let found = Tie::ALL.into_iter().find(|(known, _)| *known == word);
    found
        .map(|(_, tie)| tie)
        .ok_or_else(|| Rejection::new(place.at.clone(), Code::Malformed, word, "least or greatest"))
}

fn list<T>(
    place: &Place<'_>,
    read: impl Fn(&Place<'_>) -> Result<T, Rejection>,
) -> Result<Vec<T>, Rejection> {
    place.list()?.iter().map(read).collect()
}

fn texts<T: ToString>(numbers: &[T]) -> Vec<String> {
    numbers.iter().map(ToString::to_string).collect()
}

/// The results of a decomposition, by the names that `holds` uses.
#[derive(Debug)]
pub struct Results {
    integers: Vec<(String, BigInt)>,
    truths: Vec<(String, bool)>,
    rationals: Vec<(String, Number)>,
}

impl Results {
    /// The results: `R2`, .., `loss2`, .., `reach1`, .., `t`, `N`, `fires`, `pair`, `leak`.
    pub fn of(found: &Decomposition) -> Self {
        let mut results = Self {
            integers: Vec::new(),
            truths: Vec::new(),
            rationals: Vec::new(),
        };
        for level in &found.levels {
            let l = level.level;
            results.integer(format!("R{l}"), level.size());
            results.integer(format!("reach{}", l - 1), level.reach.into());
            let loss = ratio::ratio(level.total.clone().into(), level.size());
            let loss = loss.map_or_else(|| Number::from(0u64), Number::from);
            results.rationals.push((format!("loss{l}"), loss));
        }
        results.integer("t".to_owned(), found.count.addresses.clone());
        results.integer("N".to_owned(), found.count.entries.clone());
        let pair = found.found.as_ref().is_some_and(|found| found.final_views);
        for (name, truth) in [
            ("fires", found.count.fires),
            ("pair", pair),
            ("leak", !found.leak.is_empty()),
        ] {
            results.truths.push((name.to_owned(), truth));
        }
        results
    }

    /// Names without values, to read a claim before anything is built.
    pub fn names(steps: usize) -> Self {
        let one = || BigInt::from(1u8);
        let levels = 2..=steps;
        Self {
            integers: levels
                .clone()
                .flat_map(|l| [format!("R{l}"), format!("reach{}", l - 1)])
                .chain(["t".to_owned(), "N".to_owned()])
                .map(|name| (name, one()))
                .collect(),
            truths: ["fires", "pair", "leak"]
                .map(|name| (name.to_owned(), false))
                .to_vec(),
            rationals: levels
                .map(|l| (format!("loss{l}"), Number::from(1u64)))
                .collect(),
        }
    }

    fn integer(&mut self, name: String, value: BigUint) {
        self.integers.push((name, value.into()));
    }

    /// Whether one entry of `holds` is true, and both sides of it when it is a comparison.
    ///
    /// # Errors
    /// A text that is no comparison over these names, or sides that cannot be compared.
    pub fn decide(&self, text: &str, limits: Limits) -> Result<(bool, String), ExprError> {
        let tree = expr::parse(text)?;
        let at = tree.at;
        match expr::compile_holds(&tree, self, limits)? {
            Holds::Truth(program) => {
                let value = program.evaluate(&[], limits)?;
                Ok((value == Value::Truth(true), text.to_owned()))
            }
            Holds::Comparison(comparison) => {
                let values: Vec<Number> = self
                    .rationals
                    .iter()
                    .map(|(_, number)| number.clone())
                    .collect();
                let mut numbers = Numbers::plain(&values);
                let (left, relation, right) = expr::evaluate_comparison(&comparison, &mut numbers)?;
                let compared = compare(&left, &right)
                    .map_err(|error| ExprError::new(at, error.to_string()))?;
                let sides = format!("{} {relation} {}", left.approx(), right.approx());
                Ok((claimed(relation, compared.relation), sides))
            }
        }
    }

    /// Checks that a text is a comparison over these names, whatever their values.
    ///
    /// # Errors
    /// As [`Results::decide`].
    pub fn check(&self, text: &str, limits: Limits) -> Result<(), ExprError> {
        expr::compile_holds(&expr::parse(text)?, self, limits).map(|_| ())
    }

    /// The first entry of `holds` that is false, with its sides; `None` when all hold.
    ///
    /// # Errors
    /// As [`Results::decide`], with the number of the entry.
    pub fn first_false(
        &self,
        holds: &[String],
        limits: Limits,
    ) -> Result<Option<String>, (usize, ExprError)> {
        for (number, text) in holds.iter().enumerate() {
            let (holds, sides) = self.decide(text, limits).map_err(|error| (number, error))?;
            if !holds {
                return Ok(Some(format!("`{text}` fails: {sides}")));
            }
        }
        Ok(None)
    }
}

impl Names for Results {
    fn constant(&self, name: &str) -> Option<Constant> {
        let integer = self.integers.iter().find(|(known, _)| known == name);
        let truth = self.truths.iter().find(|(known, _)| known == name);
        integer
            .map(|(_, value)| Constant::Integer(value.clone()))
            .or_else(|| truth.map(|(_, value)| Constant::Truth(*value)))
    }

    fn quantity(&self, name: &str) -> Option<usize> {
        self.rationals.iter().position(|(known, _)| known == name)
    }

    fn known(&self) -> Vec<String> {
        let integers = self.integers.iter().map(|(name, _)| name);
        let truths = self.truths.iter().map(|(name, _)| name);
        let rationals = self.rationals.iter().map(|(name, _)| name);
        integers.chain(truths).chain(rationals).cloned().collect()
    }
}

/// Most elements of R that are listed one by one in evidence.
const LISTED: u64 = 1 << 10;

/// The evidence object.
pub fn decomposition_json(
    game: &Game,
    question: &Question,
    found: &Decomposition,
    mode: Mode,
) -> Json {
    let pattern = &found.pattern;
    let count = &found.count;
    let pair = found.found.as_ref().map_or(Json::Null, |found| {
        json!({
            "final": found.final_views,
            "left": inputs_json(game, &found.pair.left),
            "right": inputs_json(game, &found.pair.right),
        })
    });
    json!({
        "mode": mode.word(),
        "tie": question.tie.word(),
        "x": texts(&question.x),
        "pattern": {"classes": pattern.classes.to_string(), "size": pattern.size.to_string()},
        "levels": found.levels.iter().map(level_json).collect::<Vec<_>>(),
        "leak": found.leak.iter().map(|slot| slot.0).collect::<Vec<_>>(),
        "count": {
            "addresses": count.addresses.to_string(),
            "entries": count.entries.to_string(),
            "fires": count.fires,
            "values": count.values.to_string(),
        },
        "pair": pair,
    })
}

fn inputs_json(game: &Game, inputs: &Inputs) -> Json {
    let labels = game.players().iter().map(|player| player.label.0.clone());
    Json::Object(
        labels
            .zip(inputs.0.iter().map(|digits| json!(digits)))
            .collect(),
    )
}

fn level_json(level: &Level) -> Json {
    let split = &level.split;
    let z: Map<String, Json> = level
        .chosen
        .iter()
        .map(|(label, members)| (label.to_string(), json!(members)))
        .collect();
    let fixed: Vec<Json> = split
        .pinned
        .iter()
        .map(|pinned| json!({"key": texts(&pinned.key), "slot": pinned.slot.0}))
        .collect();
    let mut json = json!({
        "level": level.level,
        "z": z,
        "fixed": fixed,
        "sizes": texts(&split.sizes),
        "classes": texts(&split.classes),
        "joint": {"classes": split.joint.classes.to_string(), "largest": split.joint.largest.to_string()},
        "r": set_json(&split.kept),
        "loss": loss(level),
        "allowed": {"pow": [["2", level.allowed.to_string()]]},
        "reach": level.reach.to_string(),
        "wanted": wanted(level),
    });
    if let (Some(rectangle), Some(map)) = (&level.rectangle, json.as_object_mut()) {
        map.insert("rectangle".to_owned(), rectangle_json(rectangle));
    }
    json
}

fn rectangle_json(rectangle: &Rectangle) -> Json {
    json!({
        "exhaustive": rectangle.exhaustive,
        "left": rectangle.left.to_string(),
        "right": rectangle.right.to_string(),
    })
}

/// The exact loss of a level, in lowest terms.
pub fn loss(level: &Level) -> String {
    quotient(&level.total, level.size())
}

/// The reach that the paper asks for, in lowest terms.
pub fn wanted(level: &Level) -> String {
    quotient(&level.wanted.0, level.wanted.1.clone())
}

/// `p/q` in lowest terms, integers without `/1`.
pub fn quotient(numerator: &BigUint, denominator: BigUint) -> String {
    ratio::ratio(numerator.clone().into(), denominator)
        .map_or_else(String::new, |quotient| quotient.to_string())
}

fn set_json(set: &Set) -> Json {
    match set {
        Set::Bits(bits) if bits.count() <= LISTED => {
            json!({"list": bits.iter().map(|index| index.to_string()).collect::<Vec<_>>()})
        }
        Set::Bits(bits) => {
            let mut hex = String::new();
            let bytes = bits.words().iter().flat_map(|word| word.to_le_bytes());
            let length = usize::try_from(bits.size().div_ceil(8)).unwrap_or(usize::MAX);
            for byte in bytes.take(length) {
                let _ = write!(hex, "{byte:02x}");
            }
            json!({"bits": hex})
        }
        Set::Product(places) => {
            let rows: Vec<Json> = places
                .iter()
                .map(|(place, values)| json!([place.to_string(), texts(values)]))
                .collect();
            json!({"product": rows})
        }
        Set::Affine { modulus, equations } => {
            let rows: Vec<Json> = equations
                .iter()
                .map(|equation| {
                    let terms: Vec<[String; 2]> = equation
                        .terms
                        .iter()
                        .map(|(place, coefficient)| [place.to_string(), coefficient.to_string()])
                        .collect();
                    json!({"terms": terms, "value": equation.value.to_string()})
                })
                .collect();
            json!({"affine": {"equations": rows, "modulus": modulus.to_string()}})
        }
    }
}

/// A set as stored: elements where it is listed, else only its JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredSet {
    /// Indices, increasing.
    List(Vec<u64>),
    /// A bit set.
    Bits(Vec<u8>),
    /// A symbolic set; compared as a whole.
    Symbolic,
}

impl StoredSet {
    /// The elements, when they are listed.
    pub fn elements(&self) -> Vec<u64> {
        match self {
            Self::List(list) => list.clone(),
            Self::Bits(bytes) => (0u64..)
                .zip(bytes)
                .flat_map(|(place, byte)| {
                    (0..8u64)
                        .filter(move |bit| byte >> bit & 1 == 1)
                        .map(move |bit| place * 8 + bit)
                })
                .collect(),
            Self::Symbolic => Vec::new(),
        }
    }
}

/// A level as stored: what is checked by itself; its numbers are compared with recomputed ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLevel {
    /// l.
    pub level: u64,
    /// Z_j by label.
    pub z: Vec<(String, Vec<Digits>)>,
    /// Slots with their keys.
    pub fixed: Vec<(usize, Vec<u64>)>,
    /// R.
    pub r: StoredSet,
}

/// Evidence for a decomposition as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// How it is checked.
    pub mode: Mode,
    /// Sizes.
    pub x: Vec<u64>,
    /// Tie rule.
    pub tie: Tie,
    /// Levels.
    pub levels: Vec<StoredLevel>,
    /// All of it.
    pub json: Json,
}

impl Stored {
    /// Reads the body of the evidence object: shape only.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`, `unknown-kind`.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        body.object(
            &[
                "count", "leak", "levels", "mode", "pair", "pattern", "tie", "x",
            ],
            &[],
        )?;
        let count = body.get("count")?;
        count.object(&["addresses", "entries", "fires", "values"], &[])?;
        for key in ["addresses", "entries", "values"] {
            count.get(key)?.count()?;
        }
        count.get("fires")?.truth()?;
        list(&body.get("leak")?, |item| item.index())?;
        counts(&body.get("pattern")?, &["classes", "size"])?;
        let pair = body.get("pair")?;
        if !pair.json.is_null() {
            pair.object(&["final", "left", "right"], &[])?;
            pair.get("final")?.truth()?;
        }
        let place = body.get("mode")?;
        let mode = Mode::ALL.into_iter().find(|(word, _)| place.json == *word);
        let (_, mode) = mode.ok_or_else(|| {
            Rejection::new(
                place.at.clone(),
                Code::Malformed,
                place.json.to_string(),
                "replay or symbolic",
            )
        })?;
        Ok(Self {
            mode,
            x: list(&body.get("x")?, |item| item.small_count())?,
            tie: tie(&body.get("tie")?)?,
            levels: list(&body.get("levels")?, level_shape)?,
            json: body.json.clone(),
        })
    }
}

fn counts(place: &Place<'_>, keys: &[&str]) -> Result<(), Rejection> {
    place.object(keys, &[])?;
    keys.iter()
        .try_for_each(|key| place.get(key)?.count().map(|_| ()))
}

fn level_shape(place: &Place<'_>) -> Result<StoredLevel, Rejection> {
    place.object(
        &[
            "allowed", "classes", "fixed", "joint", "level", "loss", "r", "reach", "sizes",
            "wanted", "z",
        ],
        &["rectangle"],
    )?;
    let allowed = place.get("allowed")?;
    allowed.object(&["pow"], &[])?;
    list(&allowed.get("pow")?, |pair| {
        list(pair, |item| Ok(item.text()?.to_owned()))
    })?;
    for key in ["classes", "sizes"] {
        list(&place.get(key)?, |item| item.count())?;
    }
    counts(&place.get("joint")?, &["classes", "largest"])?;
    for key in ["loss", "wanted"] {
        place.get(key)?.text()?;
    }
    place.get("reach")?.count()?;
    if let Some(rectangle) = place.maybe("rectangle") {
        rectangle.object(&["exhaustive", "left", "right"], &[])?;
        rectangle.get("exhaustive")?.truth()?;
        for key in ["left", "right"] {
            rectangle.get(key)?.count()?;
        }
    }
    let fixed = list(&place.get("fixed")?, |entry| {
        entry.object(&["key", "slot"], &[])?;
        Ok((
            entry.get("slot")?.index()?,
            list(&entry.get("key")?, |item| item.small_count())?,
        ))
    })?;
    let sets = place.get("z")?;
    let z = sets
        .map()?
        .keys()
        .map(|label| {
            let members = list(&sets.get(label)?, |item| list(item, |item| item.number()))?;
            Ok((label.clone(), members))
        })
        .collect::<Result<_, Rejection>>()?;
    Ok(StoredLevel {
        level: place.get("level")?.number()?,
        z,
        fixed,
        r: set_shape(&place.get("r")?)?,
    })
}

fn set_shape(place: &Place<'_>) -> Result<StoredSet, Rejection> {
    let wrong = |place: &Place<'_>, expected: &str| {
        Rejection::new(
            place.at.clone(),
            Code::Malformed,
            place.json.to_string(),
            expected,
        )
    };
    let (tag, body) = place.tagged(&["affine", "bits", "list", "product"])?;
    match tag {
        "list" => {
            let elements = list(&body, |item| item.small_count())?;
            if elements.windows(2).all(|pair| pair[0] < pair[1]) {
                Ok(StoredSet::List(elements))
            } else {
                Err(wrong(&body, "an increasing list"))
            }
        }
        "bits" => {
            let digit = |byte: u8| match byte {
                b'0'..=b'9' => Some(byte - b'0'),
                b'a'..=b'f' => Some(byte - b'a' + 10),
                _ => None,
            };
            let bytes = body
                .text()?
                .as_bytes()
                .chunks(2)
                .map(|pair| match pair {
                    [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
                    _ => None,
                })
                .collect::<Option<Vec<u8>>>();
            bytes
                .map(StoredSet::Bits)
                .ok_or_else(|| wrong(&body, "pairs of digits 0..9, a..f"))
        }
        "product" => {
            list(&body, |row| match row.list()?.as_slice() {
                [at, values] => {
                    at.count()?;
                    list(values, |item| item.count()).map(|_| ())
                }
                _ => Err(wrong(row, "[place, values]")),
            })?;
            Ok(StoredSet::Symbolic)
        }
        _ => {
            body.object(&["equations", "modulus"], &[])?;
            body.get("modulus")?.count()?;
            list(&body.get("equations")?, |row| {
                row.object(&["terms", "value"], &[])?;
                row.get("value")?.count()?;
                list(&row.get("terms")?, |term| list(term, |item| item.count())).map(|_| ())
            })?;
            Ok(StoredSet::Symbolic)
        }
    }
}
