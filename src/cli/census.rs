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
    #[cfg(feature = "search")]
    Model(Box<crate::file::models::ModelFile>),
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
        #[cfg(feature = "search")]
        Reader::Model(_) if args.enumerate => Err(Failure::Usage(
            "--enumerate: for [update] only; a model is counted by its states".to_owned(),
        )),
        #[cfg(feature = "search")]
        Reader::Model(file) => model(&file),
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

/// Most states of a model at one position.
#[cfg(feature = "search")]
const STATES: usize = 1 << 20;

/// The reachable states of an exact model.
#[cfg(feature = "search")]
fn model(file: &crate::file::models::ModelFile) -> Result<Output, Failure> {
    use crate::search::reach::{first_pair, inputs, reach};
    let Some((length, tokens)) = &file.inputs else {
        return Err(Failure::Usage(
            "spec: the model file has no [inputs], expected length and tokens".to_owned(),
        ));
    };
    let found = reach(&file.model, *length, tokens, STATES).map_err(Failure::TooLarge)?;
    let pair = first_pair(&file.model, *length, tokens).map_err(Failure::Usage)?;
    let all = inputs(*length, tokens);
    let text = pair
        .as_ref()
        .map_or("none".to_owned(), |(left, right, state)| {
            format!("{left:?} and {right:?}, both in state {}", state.shown())
        });
    Ok(Output::new(
        format!(
            "{all} inputs reach {} states; largest class {}, smallest {}; {} colliding pairs\n  \
             first collision in lexicographic order: {text}\n  computed by transfer over (position, state); scope: this model",
            found.classes.len(),
            found.largest(),
            found.smallest(),
            found.colliding_pairs(),
        ),
        json!({
            "inputs": all.to_string(),
            "classes": found.classes.len().to_string(),
            "largest": found.largest().to_string(),
            "smallest": found.smallest().to_string(),
            "colliding_pairs": found.colliding_pairs().to_string(),
            "pair": pair.map(|(left, right, state)| json!({"left": left, "right": right, "state": [state.shown()]})),
            "enumerated": false,
        }),
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
    #[cfg(feature = "search")]
    let source = shipped::read_or_shipped(path)?;
    #[cfg(not(feature = "search"))]
    let source = shipped::read(path)?;
    let tree = Tree::parse(&source)?;
    #[cfg(feature = "search")]
    if tree.get("model").is_some() {
        return Ok(Reader::Model(Box::new(crate::file::models::read(&source)?)));
    }
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
