//! Random expressions: two evaluators agree, texts survive a round trip, nothing panics.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::*;
use super::Sample;
use super::reference::{Plain, Reference, plain};

/// A small generator of pseudo-random choices.
#[derive(Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let sides = u64::try_from(sides).unwrap();
        usize::try_from((self.0 >> 11) % sides).unwrap()
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

/// Writes well-typed expressions over the names of `Sample`.
#[derive(Debug)]
struct Author {
    dice: Dice,
    integers: Vec<String>,
    fresh: usize,
}

impl Author {
    fn new(seed: u64) -> Self {
        Self {
            dice: Dice::new(seed),
            integers: Vec::new(),
            fresh: 0,
        }
    }

    fn integer(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let d = depth - 1;
        match self.dice.roll(22) {
            0 | 1 => self.leaf(),
            2..=4 => {
                let sign = self.dice.pick(&["+", "-", " - ", "+\n"]);
                format!("{}{sign}{}", self.integer(d), self.integer(d))
            }
            5..=7 => {
                let sign = self.dice.pick(&["*", " div ", " mod "]);
                format!("({}){sign}{}", self.integer(d), self.integer(d))
            }
            8 => format!("-({})", self.integer(d)),
            9 => format!("({})^({} mod 9)", self.integer(d), self.integer(d)),
            10 | 11 => format!("{}[{}]", self.table(d).0, self.integer(d)),
            12 => format!(
                "(if {} then {} else {})",
                self.truth(d),
                self.integer(d),
                self.integer(d)
            ),
            13 => self.bound(d, Self::integer),
            14 => {
                let name = self.dice.pick(&["bits", "abs", "factorial"]);
                format!("{name}(({}) mod 40)", self.integer(d))
            }
            15 => format!("binomial({}, {})", self.integer(d), self.integer(d)),
            16 => {
                let name = self.dice.pick(&["min", "max"]);
                format!("{name}({}, {})", self.integer(d), self.integer(d))
            }
            17 => {
                let name = self.dice.pick(&["sum", "min", "max", "len"]);
                format!("{name}({})", self.table(d).0)
            }
            18 | 19 => {
                let name = self.dice.pick(&["sum", "min", "max"]);
                self.fold(name, d, Self::integer)
            }
            20 => self.fold("count", d, Self::truth),
            _ => {
                let slot = self.dice.pick(&["'soft A->B @1'", "'soft A->B @3'"]);
                format!("get({slot}, {})", self.integer(d))
            }
        }
    }

    fn leaf(&mut self) -> String {
        if !self.integers.is_empty() && self.dice.roll(2) == 0 {
            let index = self.dice.roll(self.integers.len());
            return self.integers[index].clone();
        }
        let large = "9223372036854775807";
        self.dice
            .pick(&[
                "0",
                "1",
                "2",
                "3",
                "x",
                "x",
                "c",
                "m1",
                "A.x",
                "f[x]",
                "m[1]",
                "'soft A->B @1'",
                "'lin A->B @2'",
                large,
            ])
            .to_owned()
    }

    fn truth(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self
                .dice
                .pick(&["true", "false", "yes", "x = 1", "has('soft A->B @1')"])
                .to_owned();
        }
        let d = depth - 1;
        match self.dice.roll(9) {
            0..=2 => {
                let sign = self.dice.pick(&["=", "!=", "<", " <= ", ">", ">="]);
                format!("{}{sign}{}", self.integer(d), self.integer(d))
            }
            3 => format!("({}) and ({})", self.truth(d), self.truth(d)),
            4 => format!("({}) or not ({})", self.truth(d), self.truth(d)),
            5 => self.fold("any", d, Self::truth),
            6 => self.fold("all", d, Self::truth),
            7 => format!("({}) = ({})", self.truth(d), self.truth(d)),
            _ => format!("{} != {}", self.table(d).0, self.table(d).0),
        }
    }

    /// A table and its length.
    fn table(&mut self, depth: usize) -> (String, usize) {
        if depth == 0 {
            return ("f".to_owned(), 3);
        }
        let d = depth - 1;
        match self.dice.roll(7) {
            0 => ("m".to_owned(), 2),
            1 => {
                let length = 1 + self.dice.roll(3);
                let entries: Vec<String> = (0..length).map(|_| self.integer(d)).collect();
                (format!("[{}]", entries.join(", ")), length)
            }
            2 => {
                let name = self.name();
                self.integers.push(name.clone());
                let body = self.integer(d);
                self.integers.pop();
                (format!("table({name} in 0..<4: {body})"), 4)
            }
            3 => (
                format!(
                    "(if {} then f else [{}, 1, 2])",
                    self.truth(d),
                    self.integer(d)
                ),
                3,
            ),
            4 => ("received()".to_owned(), 1),
            5 => ("received(A)".to_owned(), 0),
            _ => ("f".to_owned(), 3),
        }
    }

    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("v{}", self.fresh)
    }

    fn bound(&mut self, depth: usize, body: fn(&mut Self, usize) -> String) -> String {
        let name = self.name();
        let value = self.integer(depth);
        self.integers.push(name.clone());
        let body = body(self, depth);
        self.integers.pop();
        format!("(let {name} = {value} in {body})")
    }

    fn fold(&mut self, name: &str, depth: usize, body: fn(&mut Self, usize) -> String) -> String {
        let count = 1 + self.dice.roll(2);
        let mut binds = Vec::new();
        for _ in 0..count {
            let variable = self.name();
            let from = self.dice.pick(&["0", "1", "-1"]);
            let dots = self.dice.pick(&["..", "..<", " .. "]);
            let to = format!("({}) mod 4", self.integer(depth.min(1)));
            self.integers.push(variable.clone());
            binds.push(format!("{variable} in {from}{dots}{to}"));
        }
        let filter = if self.dice.roll(3) == 0 {
            format!(" if {}", self.truth(depth.min(1)))
        } else {
            String::new()
        };
        let body = body(self, depth);
        self.integers.truncate(self.integers.len() - count);
        format!("{name}({}{filter}: {body})", binds.join(", "))
    }
}

/// The tree without positions.
fn shape(tree: &Tree) -> String {
    let full = format!("{tree:?}");
    let mut parts = full.split("Span {");
    let mut shape = parts.next().unwrap().to_owned();
    for part in parts {
        shape.push_str(part.split_once('}').unwrap().1);
    }
    shape
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn evaluators_agree(
        seed: u64,
        depth in 1_usize..5,
        x in -3_i64..7,
        f in prop::array::uniform3(-2_i64..4),
        symbol in 0_i64..3,
        bits in prop_oneof![Just(70_u64), Just(200), Just(5_000)],
    ) {
        let text = Author::new(seed).integer(depth);
        let limits = Limits { bits, ..Limits::default() };
        let tree = parse(&text).unwrap();
        let variables = [
            Value::Integer(x.into()),
            Value::Table(f.map(Int::from).to_vec()),
            Value::Integer(symbol.into()),
        ];
        // A constant condition may fail when it is compiled, even where it is never reached.
        let program = match compile(&tree, &Sample, Mode::Strategy, limits) {
            Ok(program) => program,
            Err(_) if text.contains("if ") => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(format!("{text}: {error}"))),
        };
        let mut reference = Reference {
            variables: variables.iter().map(plain).collect(),
            bound: BTreeMap::new(),
            bits,
        };
        let wanted = reference.value(&tree);
        let steps = Limits { steps: 100_000_000, ..limits };
        let found = program.evaluate(&variables, steps).map(|value| plain(&value));
        prop_assert_eq!(&found, &wanted, "{}", text);
        if let (Some(cost), Ok(_)) = (program.cost(), &found) {
            // The bound holds: with exactly so many steps it still succeeds.
            let few = Limits { steps: cost.try_into().unwrap(), ..limits };
            prop_assert!(program.evaluate(&variables, few).is_ok(), "{}", text);
        }
        if let Ok(Plain::Integer(value)) = found {
            prop_assert_eq!(program.integer(&variables, steps).unwrap().to_big(), value);
        }
    }

    #[test]
    fn canonical_text_is_the_same_tree(seed: u64, depth in 0_usize..5) {
        let text = Author::new(seed).integer(depth);
        let canonical = canonical(&text).unwrap();
        prop_assert_eq!(shape(&parse(&text).unwrap()), shape(&parse(&canonical).unwrap()));
        prop_assert_eq!(super::super::canonical(&canonical).unwrap(), canonical);
    }
}

const WORDS: [&str; 72] = [
    "if",
    "then",
    "else",
    "let",
    "in",
    "or",
    "and",
    "not",
    "div",
    "mod",
    "true",
    "false",
    "bits",
    "binomial",
    "factorial",
    "abs",
    "min",
    "max",
    "sum",
    "len",
    "get",
    "has",
    "received",
    "log2",
    "any",
    "all",
    "count",
    "table",
    "x",
    "f",
    "m",
    "c",
    "yes",
    "z",
    "A",
    "i",
    "j",
    "m{c-2}",
    "{c}",
    "z{",
    "}",
    "'soft A->B @1'",
    "'soft {c}'",
    "'",
    "0",
    "1",
    "2",
    "9223372036854775808",
    "..",
    "..<",
    "..=",
    ".",
    ",",
    ":",
    "(",
    ")",
    "[",
    "]",
    "+",
    "-",
    "*",
    "/",
    "^",
    "=",
    "!=",
    "<",
    ">=",
    "==",
    "i in 0..2",
    "N1",
    " ",
    "é",
];

#[test]
fn no_text_panics() {
    let mut dice = Dice::new(0x9e37_79b9_7f4a_7c15);
    for round in 0..100_000 {
        let length = dice.roll(24);
        let mut data = Vec::new();
        for _ in 0..length {
            if round % 2 == 0 {
                data.push(u8::try_from(dice.roll(256)).unwrap());
            } else {
                data.extend_from_slice(dice.pick(&WORDS).as_bytes());
                data.push(b' ');
            }
        }
        fuzz(&data);
    }
}

#[test]
fn no_damaged_expression_panics() {
    let mut dice = Dice::new(77);
    for seed in 1..3_000_u64 {
        let mut data = Author::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .integer(3)
            .into_bytes();
        data.truncate(200);
        for _ in 0..dice.roll(3) {
            let place = dice.roll(data.len());
            data[place] = WORDS[dice.roll(WORDS.len())].as_bytes()[0];
        }
        fuzz(&data);
    }
}
