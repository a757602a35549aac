//! `census`: how many inputs reach each state of a fixed-update reader?

use crate::bounds::census::{Additive, Census, CensusError, Rule};
use crate::cli::args::CensusArgs;
use crate::cli::{Context, Failure, Output, shipped};
use crate::file::constants::{Constants, Overrides};
use crate::file::reader::{Fields, integer, list, small_count};
use crate::file::{FileError, Source, Tree};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use serde_json::{Value as Json, json};
use std::path::Path;

/// Most states times values of one step of an additive reader.
const ADDITIVE_LIMIT: u64 = 1 << 26;

enum Reader {
    Update(Rule),
    Additive(Additive),
}

impl From<CensusError> for Failure {
    fn from(error: CensusError) -> Self {
        match error {
            CensusError::Field { .. } => Self::Usage(error.to_string()),
            CensusError::TooLarge { .. } => Self::TooLarge(error.to_string()),
        }
    }
}

pub(super) fn run(args: &CensusArgs, context: &Context) -> Result<Output, Failure> {
    let reader = match (&args.spec, args.n, args.states) {
        (Some(path), _, _) => read(path)?,
        (None, Some(n), Some(states)) => {
            Reader::Update(rule(n, args.values.unwrap_or(n), states, &args.update)?)
        }
        (None, _, _) => {
            return Err(Failure::Usage(
                "n, states, update: all three, or --spec FILE".to_owned(),
            ));
        }
    };
    let limit = context
        .max_inputs
        .clone()
        .unwrap_or_else(|| BigUint::from(1_u64 << 32));
    match reader {
        Reader::Update(rule) => update(&rule, args.enumerate, &limit),
        Reader::Additive(_) if args.enumerate => Err(Failure::Usage(
            "--enumerate: for [update] only; an additive reader is counted by its states"
                .to_owned(),
        )),
        Reader::Additive(reader) => additive(&reader),
    }
}

fn rule(n: u64, values: u64, states: u64, update: &[BigInt]) -> Result<Rule, Failure> {
    let update: &[BigInt; 4] = update.try_into().map_err(|_| {
        Failure::Usage(format!(
            "update: {} numbers, expected four: A,B,C,D",
            update.len()
        ))
    })?;
    Ok(Rule::new(n, values, states, update)?)
}

fn update(rule: &Rule, enumerate: bool, limit: &BigUint) -> Result<Output, Failure> {
    let census = rule.transfer()?;
    if enumerate && rule.enumerate(limit)? != census {
        return Err(Failure::Contradiction(
            "enumeration and counting differ".to_owned(),
        ));
    }
    let pair = rule.first_pair();
    let lists = |input: &[u64]| {
        input
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let pair_text = pair.as_ref().map(|(left, right)| {
        format!(
            "({}) and ({}), both in state {}",
            lists(left),
            lists(right),
            rule.state_of(right)
        )
    });
    let pair_json = pair
        .as_ref()
        .map(|(left, right)| json!({"left": left, "right": right, "state": [rule.state_of(right).to_string()]}));
    let how = if enumerate {
        "by transfer over (position, state), and again by visiting every input"
    } else {
        "by transfer over (position, state)"
    };
    Ok(answer(
        &census,
        &rule.inputs(),
        pair_text.as_deref(),
        pair_json.as_ref(),
        how,
        enumerate,
    ))
}

fn additive(reader: &Additive) -> Result<Output, Failure> {
    let census = Census::from(reader.transfer(ADDITIVE_LIMIT)?);
    let pair = reader.first_pair();
    let pair_text = pair
        .as_ref()
        .map(|(left, right, state)| format!("{left:?} and {right:?}, both in state {state:?}"));
    let pair_json = pair.as_ref().map(|(left, right, state)| {
        let state: Vec<String> = state.iter().map(ToString::to_string).collect();
        json!({"left": left, "right": right, "state": state})
    });
    Ok(answer(
        &census,
        &reader.inputs(),
        pair_text.as_deref(),
        pair_json.as_ref(),
        "by transfer over (entry, sum)",
        false,
    ))
}

fn answer(
    census: &Census,
    inputs: &BigUint,
    pair: Option<&str>,
    pair_json: Option<&Json>,
    how: &str,
    enumerated: bool,
) -> Output {
    let (largest, smallest, pairs) = (
        census.largest(),
        census.smallest(),
        census.colliding_pairs(),
    );
    let text = format!(
        "{inputs} inputs reach {} states; largest class {largest}, smallest {smallest}; {pairs} colliding pairs\n  \
         first collision in lexicographic order: {}\n  computed {how}; scope: this reader",
        census.classes(),
        pair.unwrap_or("none")
    );
    Output::new(
        text,
        json!({
            "inputs": inputs.to_string(),
            "classes": census.classes().to_string(),
            "largest": largest.to_string(),
            "smallest": smallest.to_string(),
            "colliding_pairs": pairs.to_string(),
            "pair": pair_json,
            "enumerated": enumerated,
        }),
    )
}

fn read(path: &Path) -> Result<Reader, Failure> {
    let source = shipped::read(path)?;
    let tree = Tree::parse(&source)?;
    let top = Fields::of(&source, "the file", &tree)?;
    let entry = top.tag("reader", &["update", "additive"])?;
    let fields = Fields::of(&source, &entry.key, &entry.tree)?;
    let names = Constants::read(&source, &Tree::from_json(&json!({})), &Overrides::new())?;
    if entry.key == "additive" {
        return Ok(Reader::Additive(additive_of(&source, &fields, &names)?));
    }
    fields.allow(&["n", "states", "update", "values"])?;
    let number = |key: &str| small_count(&source, fields.need(key)?, &names, &format!("`{key}`"));
    let n = number("n")?;
    let values = if fields.get("values").is_some() {
        number("values")?
    } else {
        n
    };
    let update = integers(&source, fields.need("update")?, &names)?;
    Ok(Reader::Update(rule(n, values, number("states")?, &update)?))
}

fn integers(source: &Source, tree: &Tree, names: &Constants) -> Result<Vec<BigInt>, FileError> {
    list(source, tree)?
        .iter()
        .map(|item| integer(source, item, names))
        .collect()
}

fn small(source: &Source, tree: &Tree, names: &Constants) -> Result<Vec<i64>, FileError> {
    let place = || source.error_in(&tree.at, "a number outside -2^63..2^63");
    integers(source, tree, names)?
        .iter()
        .map(|number| number.to_i64().ok_or_else(place))
        .collect()
}

fn additive_of(
    source: &Source,
    fields: &Fields<'_>,
    names: &Constants,
) -> Result<Additive, FileError> {
    fields.allow(&["keys", "values"])?;
    let keys = list(source, fields.need("keys")?)?
        .iter()
        .map(|key| small(source, key, names))
        .collect::<Result<Vec<_>, _>>()?;
    let values_tree = fields.need("values")?;
    match small(source, values_tree, names)?.as_slice() {
        [least, most] => Ok(Additive {
            keys,
            least: *least,
            most: *most,
        }),
        other => Err(source.error_in(
            &values_tree.at,
            format!("{} numbers, expected [least, most]", other.len()),
        )),
    }
}
