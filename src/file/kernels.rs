//! Kernels in files: a table `[kernel]` with factors, and the keys of claims about kernels.

use super::reader::{Fields, count, list, mismatch, truth};
use super::tree::Tree;
use super::{FileError, Source};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// Reads the file that a key names.
pub type Open<'a> = dyn Fn(&str) -> Result<(Source, Tree), FileError> + 'a;

/// Keys of the table `[kernel]`.
pub const KERNEL: [&str; 5] = ["bits", "tokens", "phi_q", "phi_k", "scale"];

/// A rational as it stands in a file: an integer, or `"p/q"`; brought to lowest terms.
///
/// # Errors
/// Anything else, with its place.
pub fn rational(source: &Source, tree: &Tree) -> Result<BigRational, FileError> {
    if let Some(number) = tree.value.integer() {
        return Ok(BigRational::from_integer(number.clone()));
    }
    let wrong = || {
        mismatch(
            source,
            tree,
            &tree.value,
            "an integer or a rational like \"3/4\"",
        )
    };
    let written = tree.value.text().ok_or_else(wrong)?;
    let (numer, denom) = written.split_once('/').unwrap_or((written, "1"));
    let parsed: Option<(BigInt, BigInt)> = numer.trim().parse().ok().zip(denom.trim().parse().ok());
    match parsed {
        Some((numer, denom)) if !denom.is_zero() && !denom.is_negative() => {
            Ok(BigRational::new(numer, denom))
        }
        _ => Err(source.error_in(
            &tree.at,
            format!("found `{written}`, expected a rational like `3/4`"),
        )),
    }
}

fn shown(value: &BigRational) -> Json {
    json!(value.to_string())
}

fn rows(source: &Source, tree: &Tree, scale: &BigRational) -> Result<Json, FileError> {
    let row = |row: &Tree| -> Result<Json, FileError> {
        list(source, row)?
            .iter()
            .map(|entry| Ok(shown(&(rational(source, entry)? / scale))))
            .collect()
    };
    list(source, tree)?.iter().map(row).collect()
}

/// A mask: a decimal integer, or a word of binary digits such as `0b1100`, or hexadecimal `0xc`.
///
/// # Errors
/// Anything else, with its place.
pub fn mask(source: &Source, tree: &Tree) -> Result<u64, FileError> {
    let parsed = match (tree.value.integer(), tree.value.text()) {
        (Some(number), _) => u64::try_from(number).ok(),
        (None, Some(word)) => parse_mask(word),
        (None, None) => None,
    };
    parsed.ok_or_else(|| {
        mismatch(
            source,
            tree,
            &tree.value,
            "a token: a number, or a word like 0b1100 or 0x0c",
        )
    })
}

/// A mask from text.
#[must_use]
pub fn parse_mask(word: &str) -> Option<u64> {
    match word.split_at_checked(2) {
        Some(("0b", digits)) => u64::from_str_radix(digits, 2).ok(),
        Some(("0x", digits)) => u64::from_str_radix(digits, 16).ok(),
        _ => word.parse().ok(),
    }
}

fn masks(source: &Source, tree: &Tree) -> Result<Vec<u64>, FileError> {
    let mut found = list(source, tree)?
        .iter()
        .map(|item| mask(source, item))
        .collect::<Result<Vec<_>, _>>()?;
    found.sort_unstable();
    if let Some([twice, _]) = found.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(source.error_in(&tree.at, format!("token {twice} is twice in the list")));
    }
    Ok(found)
}

fn strings<T: ToString>(list: &[T]) -> Json {
    list.iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .into()
}

/// `bits` or `tokens` of a table, as evidence writes them.
///
/// # Errors
/// Neither, both, or values that are no tokens.
pub fn set(
    source: &Source,
    fields: &Fields<'_>,
) -> Result<(&'static str, Json, Vec<u64>), FileError> {
    let none: BTreeMap<String, crate::file::expr::Constant> = BTreeMap::new();
    match (fields.get("bits"), fields.get("tokens")) {
        (Some(tree), None) => {
            let bits = count(source, tree, &none, "`bits`")?;
            let small: u32 = u32::try_from(&bits)
                .ok()
                .filter(|bits| *bits <= crate::rank::token::MAX_CUBE_BITS)
                .ok_or_else(|| {
                    source
                        .error_in(
                            &tree.at,
                            format!(
                                "{bits} bits, expected at most {}",
                                crate::rank::token::MAX_CUBE_BITS
                            ),
                        )
                        .about_size()
                })?;
            Ok(("bits", json!(bits.to_string()), (0..1 << small).collect()))
        }
        (None, Some(tree)) => {
            let tokens = masks(source, tree)?;
            Ok(("tokens", strings(&tokens), tokens))
        }
        (Some(_), Some(tree)) => Err(source.error_at(
            tree.at.start,
            "both `bits` and `tokens`, expected one of them",
        )),
        (None, None) => Err(source.error_at(
            fields.at.start,
            format!("{} has no `bits` and no `tokens`", fields.name),
        )),
    }
}

/// The factors of a table `[kernel]` for so many tokens, as evidence writes them.
///
/// # Errors
/// Missing or odd entries, with their place.
pub fn factors(source: &Source, tree: &Tree) -> Result<Json, FileError> {
    let fields = Fields::of(source, "[kernel]", tree)?;
    fields.allow(&KERNEL)?;
    let scale = match fields.get("scale") {
        None => BigRational::from_integer(1.into()),
        Some(tree) => rational(source, tree)?,
    };
    if !scale.is_positive() {
        let at = fields
            .get("scale")
            .map_or(fields.at.start, |tree| tree.at.start);
        return Err(source.error_at(at, "`scale` has to be positive"));
    }
    Ok(json!({
        "phi_k": rows(source, fields.need("phi_k")?, &scale)?,
        "phi_q": rows(source, fields.need("phi_q")?, &scale)?,
    }))
}

fn uniform(tokens: usize) -> Json {
    json!({"phi_k": [vec!["1"; tokens]], "phi_q": vec![["1"]; tokens]})
}

/// The body `{"rank": ..}` of a claim, with defaults written out. `open` reads the file that a key names.
///
/// # Errors
/// Keys that do not go together, and everything that is wrong with their values.
pub fn body(source: &Source, fields: &Fields<'_>, open: &Open<'_>) -> Result<Json, FileError> {
    let none: BTreeMap<String, crate::file::expr::Constant> = BTreeMap::new();
    let number = |key: &str| -> Result<Json, FileError> {
        Ok(json!(
            count(source, fields.need(key)?, &none, &format!("`{key}`"))?.to_string()
        ))
    };
    let ratio = |key: &str, default: &str| match fields.get(key) {
        None => Ok(json!(default)),
        Some(tree) => rational(source, tree).map(|value| shown(&value)),
    };
    let flag = |key: &str, default: bool| {
        fields
            .get(key)
            .map_or(Ok(default), |tree| truth(source, tree))
    };
    let questions: Vec<&str> = ["rank", "kernel", "gap", "softmax"]
        .into_iter()
        .filter(|key| fields.get(key).is_some())
        .collect();
    let [question] = questions.as_slice() else {
        let message = format!(
            "[claim.rank] has {} of rank, kernel, gap, softmax, expected one",
            questions.len()
        );
        return Err(source.error_at(fields.at.start, message));
    };
    let mut body = Map::new();
    let mut put = |key: &str, value: Json| {
        body.insert(key.to_owned(), value);
    };
    match *question {
        "gap" => {
            fields.allow(&["gap", "ratio", "error", "weight"])?;
            let numbers = |tree: &Tree| -> Result<Json, FileError> {
                list(source, tree)?
                    .iter()
                    .map(|item| Ok(json!(count(source, item, &none, "`gap`")?.to_string())))
                    .collect()
            };
            put("gap", numbers(fields.need("gap")?)?);
            let ratios: Result<Json, FileError> = list(source, fields.need("ratio")?)?
                .iter()
                .map(|item| rational(source, item).map(|value| shown(&value)))
                .collect();
            put("ratio", ratios?);
            put("error", ratio("error", "1/2")?);
            if fields.get("weight").is_some() {
                put("weight", number("weight")?);
            }
        }
        "softmax" => {
            fields.allow(&["softmax", "bits", "length"])?;
            put("softmax", ratio("softmax", "")?);
            put("bits", number("bits")?);
            put("length", number("length")?);
        }
        _ => {
            let (key, value, tokens) = set(source, fields)?;
            put(key, value);
            put("length", number("length")?);
            if fields.get("optimum").is_some() {
                fields.allow(&["bits", "tokens", "length", "kernel", "queries", "optimum"])?;
                put("optimum", ratio("optimum", "")?);
            } else {
                put("error", ratio("error", "1/2")?);
                put("strict", json!(flag("strict", true)?));
                put("exists", json!(flag("exists", true)?));
            }
            if *question == "rank" {
                fields.allow(&[
                    "bits", "tokens", "length", "rank", "error", "strict", "exists",
                ])?;
                put("rank", number("rank")?);
            } else {
                fields.allow(&[
                    "bits", "tokens", "length", "kernel", "queries", "error", "strict", "exists",
                    "optimum",
                ])?;
                let tree = fields.need("kernel")?;
                let kernel = match tree.value.text() {
                    Some("uniform") => uniform(tokens.len()),
                    Some(_) => {
                        let (file, top) = open("kernel")?;
                        factors(&file, Fields::of(&file, "the file", &top)?.need("kernel")?)?
                    }
                    None => factors(source, tree)?,
                };
                put("kernel", kernel);
                let queries = match fields.get("queries") {
                    None => tokens,
                    Some(tree) => masks(source, tree)?,
                };
                put("queries", strings(&queries));
            }
        }
    }
    Ok(Json::Object(body))
}
