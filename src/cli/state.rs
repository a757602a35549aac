//! `state`: what crosses a token boundary in this model, and what follows?

use crate::cli::args::StateArgs;
use crate::cli::{Failure, Output, shipped};
use crate::exact::Number;
use crate::file::{FileError, Source};
use crate::models::account::{
    ALPHABETS, Account, Derived, Largest, Precision, Row, States, Theorem, largest,
};
use crate::models::config::json::Node;
use crate::models::config::{self, Letter, Model, Refusal};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use serde_json::{Map, Value as Json, json};

/// Whom the lengths are about.
const WHOLE: &str = "whole model";
const PART: &str = "recurrent part only";
const PART_WHY: &str = "with full attention the key/value cache also crosses the boundary, so this bounds the recurrent path, not the model";
const SCOPE: &str = "worst case, exact answers, representational";

/// A configuration by path, or by the name of a shipped one.
pub(super) fn open(name: &str) -> Result<(Source, Node), FileError> {
    let source = shipped::model(name)?;
    let node = parse(&source)?;
    Ok((source, node))
}

/// The JSON of a configuration file.
pub(super) fn parse(source: &Source) -> Result<Node, FileError> {
    Node::parse(&source.text).map_err(|error| source.error_at(error.at, error.to_string()))
}

/// A refusal at its place in the file.
pub(super) fn refused(source: &Source, refusal: &Refusal) -> FileError {
    source.error_at(refusal.at, refusal.to_string())
}

/// Reads a configuration.
pub(super) fn model(
    name: &str,
    class_defaults: bool,
    tokens: Option<u64>,
) -> Result<Model, FileError> {
    let (source, node) = open(name)?;
    config::read(&node, class_defaults, tokens).map_err(|refusal| refused(&source, &refusal))
}

pub(super) fn run(args: &StateArgs) -> Result<Output, Failure> {
    let model = model(&args.config, args.class_defaults, args.tokens)?;
    let account = Account::of(&model);
    let precision = Precision::of(&model, args.recurrent_bits, args.other_bits);
    let mut alphabets = ALPHABETS.to_vec();
    alphabets.extend(&args.alphabet);
    alphabets.sort_unstable();
    alphabets.dedup();
    let bounded = account.bounded_bits(&precision);
    let states = if args.finite {
        let product = account.finite_states(&precision).map_err(|bits| {
            Failure::Usage(format!(
                "finite: {bits} bits are no floating-point format, expected 16, 32 or 64"
            ))
        })?;
        States::Product(product)
    } else {
        States::Bits(bounded.clone())
    };
    let found = largest(&states, &alphabets)?;
    let theorem = Theorem::of(&account, model.layers.attention.as_ref(), &precision);
    let derived = Derived::of(&account, model.layers.attention.as_ref(), &precision);
    let report = Report {
        model: &model,
        account: &account,
        precision: &precision,
        states: &states,
        largest: &found,
        theorem: theorem.as_ref(),
        derived: derived.as_ref(),
    };
    Ok(Output::new(report.text(), report.json()))
}

/// Bits are numbers in JSON; beyond 2^64 a string.
fn bits(number: &BigUint) -> Json {
    number
        .to_u64()
        .map_or_else(|| number.to_string().into(), Json::from)
}

struct Report<'a> {
    model: &'a Model,
    account: &'a Account,
    precision: &'a Precision,
    states: &'a States,
    largest: &'a Largest,
    theorem: Option<&'a Theorem>,
    derived: Option<&'a Derived>,
}

impl Report<'_> {
    fn applies_to(&self) -> &'static str {
        if self.account.whole_model() {
            WHOLE
        } else {
            PART
        }
    }

    /// Every length with its key.
    fn lengths(&self) -> impl Iterator<Item = (String, &BigUint)> {
        let tasks = self
            .largest
            .tasks
            .iter()
            .map(|(key, n)| ((*key).to_owned(), n));
        let copy = self
            .largest
            .copy
            .iter()
            .map(|(v, n)| (format!("copy.{v}"), n));
        tasks.chain(copy)
    }

    /// Keys whose length is below the context length.
    fn below_context(&self) -> Vec<String> {
        let Some(context) = self.model.max_context else {
            return Vec::new();
        };
        let context = BigUint::from(context);
        self.lengths()
            .filter(|(_, n)| **n < context)
            .map(|(key, _)| key)
            .collect()
    }

    fn json(&self) -> Json {
        let (account, precision) = (self.account, self.precision);
        let mut tasks: Map<String, Json> = self
            .largest
            .tasks
            .iter()
            .map(|(key, n)| ((*key).to_owned(), n.to_string().into()))
            .collect();
        let copy: Map<String, Json> = self
            .largest
            .copy
            .iter()
            .map(|(v, n)| (v.to_string(), n.to_string().into()))
            .collect();
        tasks.insert("copy".to_owned(), copy.into());
        let defaults: Map<String, Json> = self
            .model
            .filled
            .iter()
            .map(|(path, value)| (path.clone(), value.clone().into()))
            .collect();
        let layers: Vec<Json> = account
            .rows
            .iter()
            .map(|row| layer_json(row, precision))
            .collect();
        let variant = |width: u64| {
            let uniform = Precision::uniform(width);
            json!({
                "recurrent_state_bits": bits(&account.recurrent_bits(&uniform)),
                "bounded_state_bits": bits(&account.bounded_bits(&uniform)),
            })
        };
        let states = match self.states {
            States::Bits(bits) => format!("2^{bits}"),
            States::Product(product) => Number::from(product.clone()).to_string(),
        };
        let mut json = json!({
            "model_type": self.model.model_type,
            "layers": layers,
            "layout": {
                "word": account.word.to_string(),
                "letters": account.rows.iter().map(|row| row.letter.word()).collect::<String>(),
                "signature": account.signature,
                "full_layers": account.full_layers(),
                "full_attention_layers": account.indices(|row| row.letter != Letter::Recurrent),
                "recurrent_layers": account.indices(|row| row.letter != Letter::Full && !row.window),
                "sliding_window_layers": account.indices(|row| row.window),
                "parallel": account.parallel(),
            },
            "scalars": account.recurrent_scalars().to_string(),
            "stored_scalars": account.stored_scalars().to_string(),
            "recurrent_state_bits": bits(&account.recurrent_bits(precision)),
            "recurrent_tensor_bits": bits(&account.matrix_bits(precision)),
            "window_scalars": account.window_scalars().to_string(),
            "window_bits": bits(&(account.bounded_bits(precision) - account.recurrent_bits(precision))),
            "bounded_state_bits": bits(&account.bounded_bits(precision)),
            "all_16_bit": variant(16),
            "all_32_bit": variant(32),
            "precision": {
                "recurrent": precision.recurrent,
                "recurrent_source": precision.recurrent_source,
                "other": precision.other,
                "other_source": precision.other_source,
            },
            "unbounded": !account.whole_model(),
            "states": states,
            "largest_n": tasks,
            "applies_to": self.applies_to(),
            "max_context": self.model.max_context.map(|n| n.to_string()),
            "below_max_context": self.below_context(),
            "class_defaults": defaults,
            "notes": self.model.notes,
            "scope": SCOPE,
        });
        json["hybrid_theorem"] = self.theorem.map_or(Json::Null, theorem_json);
        json["derive"] = self.derived.map_or(Json::Null, derived_json);
        json
    }

    fn text(&self) -> String {
        let (account, precision) = (self.account, self.precision);
        let mut lines = vec![format!(
            "{}: {} mixing positions, {} full attention, {} recurrent, {} sliding window",
            self.model.model_type,
            account.rows.len(),
            account.full_layers(),
            account
                .indices(|row| row.letter != Letter::Full && !row.window)
                .len(),
            account.indices(|row| row.window).len(),
        )];
        let after: Vec<String> = account.signature[1..]
            .iter()
            .map(ToString::to_string)
            .collect();
        let signature = if after.is_empty() {
            format!("({})", account.signature[0])
        } else {
            format!("({}; {})", account.signature[0], after.join(","))
        };
        let parallel = if account.parallel() {
            ", parallel positions read as F R"
        } else {
            ""
        };
        lines.push(format!(
            "  layout {}, signature {signature}{parallel}",
            account.word
        ));
        lines.extend(grouped(&account.rows).iter().map(|(count, row)| {
            format!(
                "  {count} x {} {}",
                row.letter.word(),
                describe(row, precision)
            )
        }));
        lines.push(format!(
            "  recurrent layers: {} numbers, {} stored, {} bits; with windows {} bits",
            account.recurrent_scalars(),
            account.stored_scalars(),
            account.recurrent_bits(precision),
            account.bounded_bits(precision),
        ));
        lines.push(format!(
            "  precision: recurrent {} bits ({}), other {} bits ({}); all 16 bits: {}, all 32: {}",
            precision.recurrent,
            precision.recurrent_source,
            precision.other,
            precision.other_source,
            account.bounded_bits(&Precision::uniform(16)),
            account.bounded_bits(&Precision::uniform(32)),
        ));
        if let States::Product(product) = self.states {
            lines.push(format!(
                "  finite values only: {} states",
                Number::from(product.clone())
            ));
        }
        let below = self.below_context();
        lines.push(format!(
            "largest n not excluded by counting ({}):",
            self.applies_to()
        ));
        for (key, n) in self.lengths() {
            let context = match self.model.max_context {
                Some(context) if below.contains(&key) => {
                    format!("   below the context length {context}")
                }
                Some(context) => format!("   context length {context}"),
                None => String::new(),
            };
            lines.push(format!("  {key:<16} {n}{context}"));
        }
        if !account.whole_model() {
            lines.push(format!("  {PART_WHY}"));
        }
        lines.push(match self.theorem {
            None => "hybrid theorem: not used, no full-attention layer (counting is about the whole model)".to_owned(),
            Some(theorem) => theorem_text(theorem),
        });
        if let Some(derived) = self.derived {
            lines.push(format!(
                "derived bound: {}-step composition is impossible on prompts of {} tokens or more [derived: Theorem 2 of docs/derive.md; \
                 s = {} bits a digest, carries of {} bits; assumes p-bit partial sums at the boundaries]",
                derived.steps,
                long(&derived.tokens),
                derived.soft_bits,
                derived.carry_bits,
            ));
        }
        for (path, value) in &self.model.filled {
            lines.push(format!(
                "class default used: {path} = {value} (not a checkpoint's)"
            ));
        }
        lines.extend(self.model.notes.iter().map(|note| format!("note: {note}")));
        lines.push(format!("scope: this configuration; {SCOPE}"));
        lines.join("\n")
    }
}

/// In decimal, or as a power of two when it is long.
fn long(number: &BigUint) -> String {
    if number.bits() <= 64 {
        number.to_string()
    } else {
        format!("2^{} (~, rounded up)", number.bits())
    }
}

fn theorem_json(theorem: &Theorem) -> Json {
    let integer = |n: &BigInt| n.to_string();
    json!({
        "source": "hybrid-v1",
        "steps": theorem.steps,
        "shape": theorem.shape,
        "identity_prefix": theorem.identity,
        "c": theorem.c.as_ref().map(ToString::to_string),
        "exponent_log2": theorem.exponent,
        "min_log2_n": theorem.min_log2_n.as_ref().map(|(n, _)| integer(n)),
        "min_log2_n_exact": theorem.min_log2_n.as_ref().map(|(_, exact)| exact),
        "a_log2": theorem.run_log2,
        "max_run": theorem.max_run,
        "max_run_holds": theorem.run_holds,
        "bits_per_recurrent_layer": bits(&theorem.layer_bits),
        "bits_per_layer_at_most_2c2": theorem.layer_holds,
        "verdict": "vacuous at any real length",
    })
}

fn theorem_text(theorem: &Theorem) -> String {
    let c = theorem
        .c
        .as_ref()
        .map_or_else(|| "c".to_owned(), ToString::to_string);
    let value = match &theorem.min_log2_n {
        Some((n, true)) => format!(" = {n}"),
        Some((n, false)) => format!(" (floor {n})"),
        None => String::new(),
    };
    let yes = |holds: Option<bool>| match holds {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not known",
    };
    format!(
        "hybrid theorem (hybrid-v1): L = {} ({}), c = {c}; binds only if log2 n >= 2^{} * log2 c{value}: vacuous at any real length\n  \
         longest run {} <= 2^{}: {}; bits of a recurrent layer {} <= 2c^2: {}",
        theorem.steps,
        theorem.shape,
        theorem.exponent,
        theorem.max_run,
        theorem.run_log2,
        yes(Some(theorem.run_holds)),
        theorem.layer_bits,
        yes(theorem.layer_holds),
    )
}

fn derived_json(derived: &Derived) -> Json {
    json!({
        "source": "derived: Theorem 2 of docs/derive.md, refined cuts, separate digests",
        "steps": derived.steps,
        "tokens": if derived.tokens.bits() <= 4096 { Json::from(derived.tokens.to_string()) } else { Json::Null },
        "log2_tokens_ceil": crate::exact::count::bits(&derived.tokens),
        "soft_bits": bits(&derived.soft_bits),
        "carry_bits": bits(&derived.carry_bits),
    })
}

fn layer_json(row: &Row, precision: &Precision) -> Json {
    let parts: Map<String, Json> = row
        .parts
        .iter()
        .map(|part| {
            let body = json!({
                "scalars": part.scalars.to_string(),
                "stored_scalars": part.stored.to_string(),
                "bits_per_scalar": precision.bits(part.role),
            });
            (part.role.word().to_owned(), body)
        })
        .collect();
    json!({
        "index": row.index,
        "letter": row.letter.word(),
        "unbounded": row.letter != Letter::Recurrent,
        "parts": parts,
        "scalars": row.scalars().to_string(),
        "stored_scalars": row.stored().to_string(),
        "bits": bits(&row.bits(precision)),
    })
}

/// Rows that differ in more than their index, with how many there are of each, in order of appearance.
fn grouped(rows: &[Row]) -> Vec<(usize, &Row)> {
    let mut groups: Vec<(usize, &Row)> = Vec::new();
    for row in rows {
        let same = |other: &Row| other.letter == row.letter && other.parts == row.parts;
        match groups.iter_mut().find(|(_, other)| same(other)) {
            Some((count, _)) => *count += 1,
            None => groups.push((1, row)),
        }
    }
    groups
}

fn describe(row: &Row, precision: &Precision) -> String {
    if row.letter == Letter::Full {
        return "unbounded key/value cache".to_owned();
    }
    let parts: Vec<String> = row
        .parts
        .iter()
        .map(|part| {
            let stored = if part.stored == part.scalars {
                String::new()
            } else {
                format!(" ({} stored)", part.stored)
            };
            format!(
                "{} {}{stored} x {} bits",
                part.role.word(),
                part.scalars,
                precision.bits(part.role)
            )
        })
        .collect();
    let beside = if row.letter == Letter::Parallel {
        ", beside an unbounded key/value cache"
    } else {
        ""
    };
    format!(
        "{}: {} numbers, {} bits{beside}",
        parts.join(", "),
        row.scalars(),
        row.bits(precision)
    )
}
