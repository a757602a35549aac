//! Claims about pointer recursions: a machine that looks up registers at known positions, said to compute k-hop.
//!
//! Positions are counted from 1, and 0 means that there is no such position. After the first search every position has registers from
//! expressions over its own position and the results of that search; each layer looks at one position and sets registers simultaneously.

use crate::evidence::shape::{Place, Rejection};
use crate::file::expr::{
    self, Constant, ExprError, FieldLookup, Kind, Limits, Loop, Mode, Names, Program, Value,
};
use crate::game::structure::Code;
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// Most points of a claim.
pub const MAX_POINTS: u64 = 1 << 10;

/// Most positions of an input.
pub const MAX_LENGTH: usize = 64;

/// Most symbols.
pub const MAX_SYMBOLS: u64 = 64;

/// Most layers at one point.
const MAX_LAYERS: u64 = 1 << 10;

/// Names that the expressions of `start` know: own position; find^1; find^1 read strictly (earlier positions only); the last earlier
/// position of the own symbol.
pub const START: [&str; 4] = ["self", "find1", "strict1", "last"];

/// A claim: this machine computes hop with `hops` hops at every position of every input up to this length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recursion {
    /// Text of `for`; one of its variables is k.
    pub range: String,
    /// Alphabet.
    pub symbols: u64,
    /// Longest input.
    pub length: usize,
    /// How many hops, over the variables of `for`.
    pub hops: String,
    /// Registers after the first search.
    pub start: BTreeMap<String, String>,
    /// Text of the `for` of the layers.
    pub layers: String,
    /// The register that is looked at.
    pub look: String,
    /// What the registers become.
    pub set: BTreeMap<String, String>,
    /// The register whose position has the answer.
    pub output: String,
}

/// What is wrong with a machine: the key, an offset in its text, a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MachineError {
    /// `start/acc`.
    pub key: String,
    /// Byte offset in the text of the key.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

fn failed(key: impl Into<String>, error: &ExprError) -> MachineError {
    MachineError {
        key: key.into(),
        offset: error.at.start,
        message: error.message.clone(),
    }
}

fn wrong(key: impl Into<String>, message: impl Into<String>) -> MachineError {
    MachineError {
        key: key.into(),
        offset: 0,
        message: message.into(),
    }
}

/// The variables of a point.
pub type Point = Vec<(String, BigInt)>;

/// Names of one expression: constants of the point, and the variables of a position.
#[derive(Debug)]
struct Known<'a> {
    constants: BTreeMap<String, BigInt>,
    names: &'a [String],
    there: bool,
}

impl Names for Known<'_> {
    fn constant(&self, name: &str) -> Option<Constant> {
        self.constants.get(name).cloned().map(Constant::Integer)
    }

    fn field(&self, player: Option<&str>, name: &str) -> FieldLookup {
        let place = self.names.iter().position(|known| known == name);
        let offset = match player {
            None => 0,
            Some("there") if self.there => self.names.len(),
            Some(_) => return FieldLookup::Unknown,
        };
        place.map_or(FieldLookup::Unknown, |place| FieldLookup::Found {
            variable: offset + place,
            shape: expr::Shape::Integer,
        })
    }

    fn known(&self) -> Vec<String> {
        self.constants.keys().chain(self.names).cloned().collect()
    }
}

/// A register's next value: almost always a copy.
#[derive(Clone, Debug)]
enum Step {
    Copy(usize),
    Run(Program),
}

impl Step {
    fn compile(text: &str, names: &Known<'_>, limits: Limits) -> Result<Self, ExprError> {
        let program = expr::compile(&expr::parse(text)?, names, Mode::Task, limits)?
            .require(Kind::Integer, "a register")?;
        Ok(program
            .variable()
            .map_or_else(|| Self::Run(program), Self::Copy))
    }

    fn value(&self, variables: &[i64], limits: Limits) -> Result<i64, String> {
        match self {
            Self::Copy(place) => variables
                .get(*place)
                .copied()
                .ok_or_else(|| "no such register".to_owned()),
            Self::Run(program) => {
                let values: Vec<Value> = variables
                    .iter()
                    .map(|value| Value::Integer((*value).into()))
                    .collect();
                let found = program
                    .integer(&values, limits)
                    .map_err(|error| error.message)?;
                found
                    .to_i64()
                    .ok_or_else(|| "a register outside -2^63..2^63".to_owned())
            }
        }
    }
}

/// A machine at one point, compiled.
#[derive(Clone, Debug)]
pub struct Machine {
    registers: usize,
    start: Vec<Step>,
    layers: Vec<Vec<Step>>,
    look: usize,
    output: usize,
    hops: u64,
    limits: Limits,
}

/// `find^1` of every position of an input; entry 0 is 0. `strict` leaves out the position itself.
#[must_use]
pub fn find(input: &[u64], strict: bool) -> Vec<usize> {
    let find_one = |i: usize| {
        let last = if strict { i - 1 } else { i };
        (2..=last)
            .rev()
            .find(|j| input[j - 2] == input[i - 1])
            .unwrap_or(0)
    };
    std::iter::once(0)
        .chain((1..=input.len()).map(find_one))
        .collect()
}

/// `hop_k` at every position: a symbol, or `symbols` for none.
#[must_use]
pub fn hops(input: &[u64], symbols: u64, k: u64) -> Vec<u64> {
    let next = find(input, false);
    (1..=input.len())
        .map(|i| {
            let mut at = i;
            for _ in 0..k {
                // A fixed point, or no position: further hops stay.
                if next[at] == at {
                    break;
                }
                at = next[at];
            }
            at.checked_sub(1).map_or(symbols, |place| input[place])
        })
        .collect()
}

impl Machine {
    /// What the machine says at every position.
    ///
    /// # Errors
    /// A register that is looked at, or read, and is no position.
    /// # Cost
    /// Positions times layers times registers.
    pub fn outputs(&self, input: &[u64], symbols: u64) -> Result<Vec<u64>, String> {
        let n = input.len();
        let (find1, strict1) = (find(input, false), find(input, true));
        let last = |i: usize| {
            (1..i)
                .rev()
                .find(|j| input[j - 1] == input[i - 1])
                .unwrap_or(0)
        };
        let position = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
        let mut state = vec![vec![0; self.registers]];
        for i in 1..=n {
            let known = [i, find1[i], strict1[i], last(i)].map(position);
            state.push(
                self.start
                    .iter()
                    .map(|step| step.value(&known, self.limits))
                    .collect::<Result<_, _>>()?,
            );
        }
        let place = |value: i64| {
            usize::try_from(value)
                .ok()
                .filter(|place| *place <= n)
                .ok_or_else(|| format!("{value} is no position of {n}"))
        };
        let mut variables = vec![0; 2 * self.registers];
        for layer in &self.layers {
            let mut after = vec![state[0].clone()];
            for own in &state[1..] {
                variables[..self.registers].copy_from_slice(own);
                variables[self.registers..].copy_from_slice(&state[place(own[self.look])?]);
                after.push(
                    layer
                        .iter()
                        .map(|step| step.value(&variables, self.limits))
                        .collect::<Result<_, _>>()?,
                );
            }
            state = after;
        }
        state[1..]
            .iter()
            .map(|own| {
                Ok(place(own[self.output])?
                    .checked_sub(1)
                    .map_or(symbols, |place| input[place]))
            })
            .collect()
    }

    /// Hops that it should compute.
    #[must_use]
    pub fn hops(&self) -> u64 {
        self.hops
    }

    /// Layers, the two of the first search not counted.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.layers.len()
    }
}

/// The next input of one length in lexicographic order; false after the last.
pub fn advance(input: &mut [u64], symbols: u64) -> bool {
    for digit in input.iter_mut().rev() {
        if *digit + 1 < symbols {
            *digit += 1;
            return true;
        }
        *digit = 0;
    }
    false
}

/// An input on which the machine says something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The point.
    pub point: Point,
    /// The input.
    pub input: Vec<u64>,
    /// The position, from 1.
    pub position: usize,
    /// What the machine says there.
    pub machine: u64,
    /// What is right.
    pub right: u64,
    /// Hops that were asked for.
    pub hops: u64,
}

impl Recursion {
    /// Reads the body of `{"recursion": ..}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`; `domain` for sizes out of range.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        body.object(
            &[
                "for", "hops", "layer", "length", "output", "start", "symbols",
            ],
            &[],
        )?;
        let layer = body.get("layer")?;
        layer.object(&["for", "look", "set"], &[])?;
        let text = |place: &Place<'_>, key: &str| place.get(key)?.text().map(str::to_owned);
        let texts = |place: Place<'_>| {
            place
                .map()?
                .keys()
                .map(|name| Ok((name.clone(), text(&place, name)?)))
                .collect::<Result<BTreeMap<_, _>, Rejection>>()
        };
        let size = |key: &str, most: u64| {
            let place = body.get(key)?;
            let value = place.small_count()?;
            if value == 0 || value > most {
                return Err(Rejection::new(
                    place.at,
                    Code::Domain,
                    value.to_string(),
                    format!("1 to {most}"),
                ));
            }
            Ok(value)
        };
        Ok(Self {
            range: text(body, "for")?,
            symbols: size("symbols", MAX_SYMBOLS)?,
            length: size("length", MAX_LENGTH as u64)?
                .to_usize()
                .unwrap_or(MAX_LENGTH),
            hops: text(body, "hops")?,
            start: texts(body.get("start")?)?,
            layers: text(&layer, "for")?,
            look: text(&layer, "look")?,
            set: texts(layer.get("set")?)?,
            output: text(body, "output")?,
        })
    }

    /// The body of `{"recursion": ..}`.
    pub fn to_json(&self) -> Json {
        json!({
            "for": self.range,
            "hops": self.hops,
            "layer": {"for": self.layers, "look": self.look, "set": self.set},
            "length": self.length.to_string(),
            "output": self.output,
            "start": self.start,
            "symbols": self.symbols.to_string(),
        })
    }

    /// The points, in loop order.
    ///
    /// # Errors
    /// A range that is not constant, too long, or without k.
    pub fn points(&self) -> Result<Vec<Point>, MachineError> {
        let parsed = Loop::parse(&self.range).map_err(|error| failed("for", &error))?;
        if !parsed
            .variables()
            .iter()
            .any(|variable| variable.name == "k")
        {
            return Err(wrong(
                "for",
                "no variable `k`: the machine is said to compute hop_k",
            ));
        }
        let none: BTreeMap<String, Constant> = BTreeMap::new();
        let points = parsed
            .points(&none, MAX_POINTS)
            .map_err(|error| failed("for", &error))?;
        Ok(points.collect())
    }

    /// The machine at a point.
    ///
    /// # Errors
    /// Expressions that do not compile, registers that do not exist.
    pub fn machine(&self, point: &Point, limits: Limits) -> Result<Machine, MachineError> {
        let constants: BTreeMap<String, BigInt> = point.iter().cloned().collect();
        let registers: Vec<String> = self.start.keys().cloned().collect();
        let register = |key: &str, name: &str| {
            let known: Vec<&str> = registers.iter().map(String::as_str).collect();
            registers
                .iter()
                .position(|known| known == name)
                .ok_or_else(|| {
                    wrong(
                        key,
                        format!(
                            "unknown register `{name}`; expected one of {}",
                            known.join(", ")
                        ),
                    )
                })
        };
        if let Some(name) = registers
            .iter()
            .find(|name| constants.contains_key(*name) || !expr::is_name(name) || *name == "there")
        {
            return Err(wrong(
                format!("start/{name}"),
                format!("`{name}` cannot be the name of a register here"),
            ));
        }
        for name in self.set.keys() {
            register(&format!("set/{name}"), name)?;
        }
        let plain = |constants: &BTreeMap<String, BigInt>| -> BTreeMap<String, Constant> {
            constants
                .iter()
                .map(|(name, value)| (name.clone(), Constant::Integer(value.clone())))
                .collect()
        };
        let searched: Vec<String> = START.iter().map(|name| (*name).to_owned()).collect();
        let names = Known {
            constants: constants.clone(),
            names: &searched,
            there: false,
        };
        let start = self
            .start
            .iter()
            .map(|(name, text)| {
                Step::compile(text, &names, limits)
                    .map_err(|error| failed(format!("start/{name}"), &error))
            })
            .collect::<Result<_, _>>()?;
        let hops = expr::constant_integer(&self.hops, &plain(&constants))
            .map_err(|error| failed("hops", &error))?;
        let hops = hops
            .to_u64()
            .ok_or_else(|| wrong("hops", format!("{hops} hops, expected at least 0")))?;
        let each = Loop::parse(&self.layers).map_err(|error| failed("layer/for", &error))?;
        let outer = plain(&constants);
        each.check_fresh(&outer)
            .map_err(|error| failed("layer/for", &error))?;
        let mut layers = Vec::new();
        for inner in each
            .points(&outer, MAX_LAYERS)
            .map_err(|error| failed("layer/for", &error))?
        {
            let mut constants = constants.clone();
            constants.extend(inner);
            let names = Known {
                constants,
                names: &registers,
                there: true,
            };
            let steps =
                registers
                    .iter()
                    .enumerate()
                    .map(|(place, name)| match self.set.get(name) {
                        None => Ok(Step::Copy(place)),
                        Some(text) => Step::compile(text, &names, limits)
                            .map_err(|error| failed(format!("set/{name}"), &error)),
                    });
            layers.push(steps.collect::<Result<_, _>>()?);
        }
        Ok(Machine {
            look: register("look", &self.look)?,
            output: register("output", &self.output)?,
            registers: registers.len(),
            start,
            layers,
            hops,
            limits,
        })
    }

    /// All inputs of lengths 1 up to `length`.
    #[must_use]
    pub fn inputs(&self) -> BigUint {
        (1..=self.length)
            .map(|n| BigUint::from(self.symbols).pow(u32::try_from(n).unwrap_or(u32::MAX)))
            .sum()
    }

    /// The shortest, then first input on which the machine of a point departs; `said` gets what it says on every input before.
    ///
    /// # Errors
    /// What does not compile or has no value.
    /// # Cost
    /// Inputs times positions times layers.
    pub fn departure(
        &self,
        point: &Point,
        limits: Limits,
        said: &mut dyn FnMut(&[u64]),
    ) -> Result<Option<Departure>, MachineError> {
        let machine = self.machine(point, limits)?;
        let mut failure = None;
        self.each_input(&mut |input| {
            let outputs = machine
                .outputs(input, self.symbols)
                .map_err(|message| wrong("look", message))?;
            let right = hops(input, self.symbols, machine.hops());
            said(&outputs);
            if let Some(place) = (0..input.len()).find(|place| outputs[*place] != right[*place]) {
                failure = Some(Departure {
                    point: point.clone(),
                    input: input.to_vec(),
                    position: place + 1,
                    machine: outputs[place],
                    right: right[place],
                    hops: machine.hops(),
                });
            }
            Ok(failure.is_none())
        })?;
        Ok(failure)
    }

    /// Calls back on every input, shorter ones first, then lexicographically, until it says false.
    ///
    /// # Errors
    /// Those of the callback.
    pub fn each_input(
        &self,
        look: &mut dyn FnMut(&[u64]) -> Result<bool, MachineError>,
    ) -> Result<(), MachineError> {
        for n in 1..=self.length {
            let mut input = vec![0; n];
            loop {
                if !look(&input)? {
                    return Ok(());
                }
                if !advance(&mut input, self.symbols) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The least j <= 2 hops + 2 such that the machine computes hop_j on every input; `None` if there is none.
    ///
    /// # Errors
    /// What has no value.
    pub fn instead(&self, machine: &Machine) -> Result<Option<u64>, MachineError> {
        let mut candidates: Vec<u64> =
            (0..=machine.hops().saturating_mul(2).saturating_add(2)).collect();
        self.each_input(&mut |input| {
            let said = machine
                .outputs(input, self.symbols)
                .map_err(|message| wrong("look", message))?;
            candidates.retain(|j| hops(input, self.symbols, *j) == said);
            Ok(!candidates.is_empty())
        })?;
        Ok(candidates.first().copied())
    }
}

impl Departure {
    /// The evidence object.
    pub fn to_json(&self) -> Json {
        let mut input: Map<String, Json> = self
            .point
            .iter()
            .map(|(name, value)| (name.clone(), json!([value.to_u64().unwrap_or(0)])))
            .collect();
        input.insert("position".to_owned(), json!([self.position]));
        input.insert("input".to_owned(), json!(self.input));
        json!({"counterexample": {"answer": self.machine.to_string(), "input": input}})
    }

    /// `k = 2, X = 0 1 0, position 3: the machine says 1, hop_2 is none`.
    pub fn shown(&self, symbols: u64) -> String {
        let point: Vec<String> = self
            .point
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let input: Vec<String> = self.input.iter().map(u64::to_string).collect();
        let word = |answer: u64| {
            if answer == symbols {
                "none".to_owned()
            } else {
                answer.to_string()
            }
        };
        format!(
            "{}, X = {}, position {}: the machine says {}, hop_{} is {}",
            point.join(", "),
            input.join(" "),
            self.position,
            word(self.machine),
            self.hops,
            word(self.right)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_of_the_worked_example() {
        let input: Vec<u64> = "baebcabebdea"
            .bytes()
            .map(|c| u64::from(c - b'a'))
            .collect();
        assert_eq!(hops(&input, 5, 1)[11], 1);
        assert_eq!(hops(&input, 5, 2)[11], 2);
        assert_eq!(hops(&[0, 0], 2, 1), [2, 0]);
        assert_eq!(hops(&[0, 1, 0], 2, 0), [0, 1, 0]);
        assert_eq!(find(&[0, 0, 0], false), [0, 0, 2, 3]);
        assert_eq!(find(&[0, 0, 0], true), [0, 0, 0, 2]);
    }

    fn printed(symbols: u64, length: usize, range: &str) -> Recursion {
        let map = |list: &[(&str, &str)]| {
            list.iter()
                .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
                .collect()
        };
        Recursion {
            range: range.to_owned(),
            symbols,
            length,
            hops: "k".to_owned(),
            start: map(&[
                ("dbl", "find1"),
                ("acc", "if k mod 2 = 1 then find1 else self"),
            ]),
            layers: "l in 2..bits(k+1)".to_owned(),
            look: "dbl".to_owned(),
            set: map(&[
                ("dbl", "there.dbl"),
                (
                    "acc",
                    "if (k div 2^(l-1)) mod 2 = 1 then there.acc else acc",
                ),
            ]),
            output: "acc".to_owned(),
        }
    }

    /// The first departure over all points.
    fn first(claim: &Recursion) -> Result<Option<Departure>, MachineError> {
        for point in claim.points()? {
            let found = claim.departure(&point, Limits::default(), &mut |_| ())?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    #[test]
    fn the_printed_recursion_does_half_the_hops() {
        let found = first(&printed(2, 4, "k in 1..4")).unwrap().unwrap();
        assert_eq!(
            (found.input.as_slice(), found.position),
            ([0, 1, 0].as_slice(), 3)
        );
        assert_eq!((found.machine, found.right), (1, 2));
        let claim = printed(3, 5, "k in 1..8");
        for point in claim.points().unwrap() {
            let machine = claim.machine(&point, Limits::default()).unwrap();
            let k = machine.hops();
            assert_eq!(
                claim.instead(&machine).unwrap(),
                Some(k.div_ceil(2)),
                "k = {k}"
            );
        }
        let halved = Recursion {
            hops: "(k+1) div 2".to_owned(),
            ..claim
        };
        assert_eq!(first(&halved).unwrap(), None);
    }

    #[test]
    fn mistakes_have_a_place() {
        let of = |claim: Recursion| first(&claim).unwrap_err();
        assert_eq!(of(printed(2, 2, "j in 1..2")).key, "for");
        let look = Recursion {
            look: "dbk".to_owned(),
            ..printed(2, 2, "k in 1..2")
        };
        assert_eq!(of(look).key, "look");
        let mut odd = printed(2, 2, "k in 1..2");
        odd.start.insert("acc".to_owned(), "find2".to_owned());
        assert_eq!(of(odd).key, "start/acc");
        let mut far = printed(2, 2, "k in 2..2");
        far.start.insert("dbl".to_owned(), "self + 1".to_owned());
        assert!(of(far).message.contains("no position"));
    }
}
