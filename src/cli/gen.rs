//! `gen` and `check-task`: task instances as lines of JSON, and whether such lines contradict each other.

use crate::cli::args::{CheckTaskArgs, GenArgs};
use crate::cli::fool::{encoding, task};
use crate::cli::{Exit, Failure, Output, shipped};
use crate::models::config::json::Node;
use crate::models::task::{Encoding, Task};
use crate::models::wire;
use crate::search::fool::Random;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Most tokens that one call writes.
const MOST: u128 = 1 << 28;

/// The lines are the result in every format.
pub(super) fn generate(args: &GenArgs) -> Result<Output, Failure> {
    let task = task(&args.task)?;
    let encoding = encoding(&task, args.task.encoding.as_ref())?;
    let size = task.prefix_len() as u128 * 2 * u128::from(args.count);
    if size > MOST {
        return Err(Failure::TooLarge(format!(
            "count: about {size} tokens, at most {MOST} are written"
        )));
    }
    let suffixes = task.suffixes().unwrap_or(u64::MAX);
    let mut random = Random::new(args.seed);
    let mut text = String::new();
    for _ in 0..args.count {
        let prefix = random.prefix(&task);
        let suffix = task.suffix(random.below(suffixes));
        let _ = writeln!(text, "{}", instance(&task, &encoding, &prefix, &suffix));
    }
    let mut output = Output::new(text.clone(), json!({}));
    output.raw = Some(text);
    Ok(output)
}

fn instance(task: &Task, encoding: &Encoding, prefix: &[u64], suffix: &[u64]) -> String {
    let mut tokens = encoding.tokens(&task.spell_prefix(prefix));
    tokens.extend(encoding.tokens(&task.spell_suffix(suffix)));
    let target = encoding.answer_tokens(&task.required(prefix, suffix));
    let list = |tokens: &[u64]| {
        let texts: Vec<String> = tokens.iter().map(u64::to_string).collect();
        texts.join(",")
    };
    format!(
        "{{\"tokens\":[{}],\"target\":[{}]}}",
        list(&tokens),
        list(&target)
    )
}

/// The instances of a file; with `--mqar` also the pairs inside each.
pub(super) fn check(args: &CheckTaskArgs) -> Result<Output, Failure> {
    let source = shipped::read(&args.file)?;
    let mut seen: BTreeMap<Vec<u64>, (usize, Vec<u64>)> = BTreeMap::new();
    let mut found = Vec::new();
    let (mut lines, mut at) = (0_usize, 0);
    for (number, line) in source.text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        if line.trim().is_empty() {
            continue;
        }
        lines += 1;
        let wrong = |offset: usize, message: String| source.error_at(start + offset, message);
        let node = Node::parse(line).map_err(|error| wrong(error.at, error.to_string()))?;
        let list = |key: &str| {
            let missing = || wrong(node.at, format!("no `{key}`, expected a list of tokens"));
            let member = node.get(key).ok_or_else(missing)?;
            wire::tokens(member).ok_or_else(|| {
                wrong(
                    member.at,
                    format!("`{key}` is {}, expected a list of tokens", member.shown()),
                )
            })
        };
        let (tokens, target) = (list("tokens")?, list("target")?);
        if args.mqar
            && let Some((key, first, second)) = rebound(&tokens)
        {
            found.push((
                number + 1,
                number + 1,
                format!(
                    "line {}: key {key} is bound to {first} and to {second}",
                    number + 1
                ),
            ));
        }
        match seen.get(&tokens) {
            Some((earlier, other)) if *other != target => found.push((
                *earlier,
                number + 1,
                format!(
                    "lines {earlier} and {}: the same tokens, targets {other:?} and {target:?}",
                    number + 1
                ),
            )),
            Some(_) => {}
            None => {
                seen.insert(tokens, (number + 1, target));
            }
        }
    }
    let json: Vec<_> = found
        .iter()
        .map(|(first, second, message)| json!({"lines": [first, second], "message": message}))
        .collect();
    let verdict = if found.is_empty() {
        "consistent"
    } else {
        "contradictory"
    };
    let mut text: Vec<String> = found.into_iter().map(|(_, _, message)| message).collect();
    text.push(format!("{verdict}: {lines} instances"));
    Ok(Output::new(
        text.join("\n"),
        json!({"verdict": verdict, "instances": lines.to_string(), "contradictions": json}),
    )
    .exit(if verdict == "consistent" {
        Exit::Answered
    } else {
        Exit::Unexpected
    }))
}

/// A key of `k v k v .. q` that stands before two different values.
fn rebound(tokens: &[u64]) -> Option<(u64, u64, u64)> {
    let mut bound: BTreeMap<u64, u64> = BTreeMap::new();
    tokens.chunks_exact(2).find_map(|pair| {
        let [key, value] = *pair else { return None };
        match bound.insert(key, value) {
            Some(other) if other != value => Some((key, other, value)),
            _ => None,
        }
    })
}
