//! `rank`: what can a nonnegative kernel do?

use crate::audit::rank::settle;
use crate::audit::{Decision, Finding};
use crate::cli::args::RankArgs;
use crate::cli::audit::write_evidence;
use crate::cli::check::stop_flag;
use crate::cli::{Context, Exit, Failure, Output, shipped};
use crate::evidence::Verdict;
use crate::evidence::rank::Ranking;
use crate::evidence::shape::Place;
use crate::file::kernels::{factors, parse_mask};
use crate::file::reader::Fields;
use crate::file::setting::parse_file;
use crate::rank::code::{capacity, gaps, with_complements};
use crate::rank::gap::Accuracy;
use crate::rank::suite::{sizes, suite};
use crate::rank::token::Tokens;
use crate::rank::transcript::Transcript;
use crate::rank::{Bound, Method, SCOPE};
use crate::search::kernel::{Effort, code};
use num_rational::BigRational;
use num_traits::Signed;
use serde_json::{Value as Json, json};
use std::sync::atomic::Ordering;

/// Tokens up to which `--search` looks for a kernel.
const MAX_SEARCHED: usize = 64;

pub(super) fn run(args: &RankArgs, context: &Context) -> Result<Output, Failure> {
    if let Some(text) = &args.transcript {
        return transcript(text);
    }
    if !args.code.is_empty() || args.generate.is_some() {
        return codes(args);
    }
    let body = question(args)?;
    let ranking = Ranking::read(&Place {
        at: String::new(),
        json: &body,
    })
    .map_err(|rejection| {
        Failure::Usage(format!(
            "{}: found {}, expected {}",
            option_of(&rejection.at),
            rejection.found,
            rejection.expected
        ))
    })?;
    let effort = Effort {
        tokens: if args.search {
            MAX_SEARCHED
        } else {
            Effort::default().tokens
        },
        starts: args.starts,
        rounds: args.rounds,
        ..Effort::default()
    };
    let stop = stop_flag(context.limit_seconds);
    let finding = settle(
        "RANK",
        ranking.clone(),
        effort,
        &|| stop.load(Ordering::Relaxed),
        &context.options(),
    );
    match finding {
        Finding::Contradiction(reason) => Err(Failure::Contradiction(reason)),
        Finding::Undecided(reason) => Ok(Output::new(
            format!("undecided: {reason}\n  {SCOPE}"),
            json!({"verdict": "undecided", "reason": reason, "scope": SCOPE}),
        )
        .exit(Exit::NotAnswered)),
        Finding::Decided(decision) => {
            if let Some(folder) = &args.proof {
                write_evidence(folder, "RANK", &decision)?;
            }
            decided(&ranking, &decision, args)
        }
    }
}

fn option_of(at: &str) -> String {
    let key = at.trim_start_matches('/').split('/').next().unwrap_or("");
    format!("--{key}")
}

fn ratio(text: &str, option: &str) -> Result<BigRational, Failure> {
    text.parse()
        .map_err(|_| Failure::Usage(format!("{option} {text}: expected a rational like 1/2")))
}

/// The question as evidence states it.
fn question(args: &RankArgs) -> Result<Json, Failure> {
    let error = ratio(&args.error, "--error")?.to_string();
    if let Some(gap) = &args.gap {
        let accuracy = Accuracy {
            length: 3,
            error: ratio(&args.error, "--error")?,
            strict: !args.at_most,
        };
        if !accuracy.error.is_positive() {
            return Err(Failure::Usage(format!(
                "--error {error}: expected a positive number"
            )));
        }
        // What one row forces is a program; composition gives the same from gaps of 4 eps on.
        let program = crate::rank::ratio_program(*gap, *gap, &accuracy.error)
            .ok_or_else(|| Failure::Usage(format!("--gap {gap}: expected 1 to 64")))?;
        let solution = crate::search::simplex::solve(&program)
            .ok_or_else(|| Failure::Contradiction("the program was not solved".to_owned()))?;
        return Ok(
            json!({"gap": [gap.to_string()], "ratio": [solution.value.to_string()], "error": error}),
        );
    }
    if let Some(beta) = &args.softmax {
        let bits = args
            .bits
            .ok_or_else(|| Failure::Usage("--softmax needs --bits".to_owned()))?;
        return Ok(
            json!({"softmax": ratio(beta, "--softmax")?.to_string(), "bits": bits.to_string(), "length": args.length.to_string()}),
        );
    }
    let mut body = json!({
        "length": args.length.to_string(),
        "error": error,
        "strict": !args.at_most,
        "exists": true,
    });
    let tokens = match (&args.bits, args.tokens.as_slice()) {
        (Some(bits), []) => {
            body["bits"] = json!(bits.to_string());
            Tokens::cube(*bits).map_err(|error| Failure::Usage(format!("--bits: {error}")))?
        }
        (None, [_, ..]) => {
            let mut masks = masks(&args.tokens, "--tokens")?;
            masks.sort_unstable();
            body["tokens"] = texts(&masks);
            Tokens::listed(masks).map_err(|error| Failure::Usage(format!("--tokens: {error}")))?
        }
        _ => {
            return Err(Failure::Usage(
                "needs --bits M or --tokens LIST, not both".to_owned(),
            ));
        }
    };
    match (&args.kernel, args.rank) {
        (Some(name), None) => {
            body["kernel"] = if name == "uniform" {
                json!({"phi_k": [vec!["1"; tokens.len()]], "phi_q": vec![["1"]; tokens.len()]})
            } else {
                let source = shipped::open(name, &["kernels"])?;
                let tree = parse_file(&source)?;
                factors(&source, Fields::of(&source, "the file", &tree)?.need("kernel")?)?
            };
            let queries = if args.query.is_empty() { tokens.masks().to_vec() } else { masks(&args.query, "--query")? };
            body["queries"] = texts(&queries);
        }
        (None, Some(rank)) => body["rank"] = json!(rank.to_string()),
        _ => return Err(Failure::Usage("needs one of --rank R, --kernel FILE, --gap G, --code WORDS, --softmax BETA, --transcript Q,S".to_owned())),
    }
    Ok(body)
}

fn masks(list: &[String], option: &str) -> Result<Vec<u64>, Failure> {
    list.iter()
        .map(|word| {
            parse_mask(word).ok_or_else(|| {
                Failure::Usage(format!(
                    "{option} {word}: expected a mask like 12, 0b1100 or 0xc"
                ))
            })
        })
        .collect()
}

fn texts(list: &[u64]) -> Json {
    list.iter().map(u64::to_string).collect::<Vec<_>>().into()
}

fn decided(ranking: &Ranking, decision: &Decision, args: &RankArgs) -> Result<Output, Failure> {
    let file: Json = serde_json::from_slice(&decision.bytes)
        .map_err(|error| Failure::Contradiction(error.to_string()))?;
    let evidence = &file["evidence"][0];
    let feasible = decision.checked.verdict() == Verdict::Established;
    let word = if feasible { "feasible" } else { "infeasible" };
    let mut json = json!({
        "verdict": word,
        "detail": decision.checked.summary(),
        "kernel": evidence.get("kernel"),
        "failing_inputs": evidence["farkas"].get("inputs"),
        "bound": evidence.get("code"),
        "scope": SCOPE,
        "certificate": args.proof.as_ref().map(|_| "RANK.json"),
    });
    let mut lines = vec![format!("{word}: {}", decision.checked.summary())];
    if let Some(inputs) = evidence["farkas"]["inputs"].as_array() {
        lines.push("  input (query first)       upper  lower".to_owned());
        for input in inputs {
            let list = |key: &str| input[key].as_str().unwrap_or("").to_owned();
            let tokens: Vec<&str> = input["tokens"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Json::as_str)
                .collect();
            lines.push(format!(
                "  {:<25} {:>5}  {:>5}",
                tokens.join(" "),
                list("upper"),
                list("lower")
            ));
        }
    }
    if let Ranking::Ratio {
        gaps,
        ratios,
        error,
        ..
    } = ranking
    {
        let accuracy = Accuracy {
            length: 3,
            error: error.clone(),
            strict: !args.at_most,
        };
        lines = vec![format!(
            "one row forces alpha(x,y)/alpha(x,z) down to {}, and no further (primal and dual of {} rows)",
            ratios[0],
            file["evidence"][0]["dual"]["weights"]
                .as_object()
                .map_or(0, serde_json::Map::len)
        )];
        let parts = accuracy.amplification(gaps[0]);
        if let Some((value, parts)) = &parts {
            let parts: Vec<String> = parts.iter().map(u32::to_string).collect();
            lines.push(format!(
                "  by composition {} of the gap {}: {value}",
                parts.join(" + "),
                gaps[0]
            ));
        }
        let factor = |value: Option<BigRational>| {
            value.map_or("no factor".to_owned(), |value| value.to_string())
        };
        let longer = Accuracy {
            length: args.length.max(3),
            ..accuracy.clone()
        };
        lines.push(format!(
            "  one step at length {}: {}; to the query itself: {}",
            longer.length,
            factor(longer.step(gaps[0])),
            factor(longer.step_to_self(gaps[0]))
        ));
        lines.push("  causal last query with position-dependent maps: the same for alpha_1 + alpha_2, of rank at most 2r, so rank bounds are halved".to_owned());
        json["verdict"] = Json::Null;
        json["ratio"] = json!(ratios[0].to_string());
        json["parts"] = json!(parts.map(|found| found.1));
        json["step"] = json!(longer.step(gaps[0]).map(|value| value.to_string()));
        json["step_to_self"] = json!(longer.step_to_self(gaps[0]).map(|value| value.to_string()));
    }
    lines.push(format!("  {SCOPE}"));
    Ok(Output::new(lines.join("\n"), json))
}

/// Rank bounds of a code, or the inputs they rest on.
fn codes(args: &RankArgs) -> Result<Output, Failure> {
    let bits = args
        .bits
        .ok_or_else(|| Failure::Usage("--code and --generate need --bits".to_owned()))?;
    if bits == 0 || bits > 63 {
        return Err(Failure::Usage(format!("--bits {bits}: expected 1 to 63")));
    }
    let words = match args.generate.as_deref() {
        Some([weight, gap]) => code(bits, *weight, *gap),
        Some(_) => return Err(Failure::Usage("--generate: expected WEIGHT,GAP".to_owned())),
        None => args
            .code
            .iter()
            .map(|word| {
                parse_mask(word)
                    .or_else(|| u64::from_str_radix(word, 16).ok())
                    .filter(|mask| mask >> bits == 0)
                    .ok_or_else(|| {
                        Failure::Usage(format!(
                            "--code {word}: expected words of {bits} bits: 12, 0b1100 or 0xc"
                        ))
                    })
            })
            .collect::<Result<_, _>>()?,
    };
    let pairs = with_complements(bits, &words);
    if args.suite {
        return Ok(listed(&pairs, args.query_only));
    }
    let accuracy = Accuracy {
        length: args.length,
        error: ratio(&args.error, "--error")?,
        strict: !args.at_most,
    };
    if !accuracy.error.is_positive() {
        return Err(Failure::Usage(format!(
            "--error {}: expected a positive number",
            args.error
        )));
    }
    let mut present: Vec<u64> = pairs.iter().flatten().copied().collect();
    present.sort_unstable();
    present.dedup();
    let tokens = Tokens::listed(present).map_err(|error| Failure::Usage(error.to_string()))?;
    let gaps = gaps(&pairs);
    let least = gaps
        .iter()
        .enumerate()
        .flat_map(|(i, row)| {
            row.iter()
                .enumerate()
                .filter(move |(j, _)| *j != i)
                .map(|(_, gap)| *gap)
        })
        .min();
    let bounds: Vec<(Method, Result<Bound, String>)> = [Method::Dominance, Method::Trace]
        .into_iter()
        .map(|method| {
            (
                method,
                Bound::of(method, pairs.clone(), &tokens, &accuracy)
                    .map_err(|weak| weak.to_string()),
            )
        })
        .collect();
    let rank = bounds
        .iter()
        .filter_map(|(_, bound)| bound.as_ref().ok())
        .map(|bound| bound.rank)
        .max()
        .unwrap_or(1);
    let mut lines = vec![format!(
        "{} words of {bits} bits, least gap {}: rank at least {rank}",
        words.len(),
        least.map_or("none".to_owned(), |gap| gap.to_string())
    )];
    for (method, bound) in &bounds {
        lines.push(match bound {
            Ok(bound) => format!(
                "  {:<10} rank at least {} ({} on {} unordered inputs)",
                method.word(),
                bound.rank,
                bound.value,
                bound.inputs(&accuracy)
            ),
            Err(weak) => format!("  {:<10} {weak}", method.word()),
        });
    }
    if let (Some(gap), true) = (
        least
            .and_then(|gap| u64::try_from(gap).ok())
            .filter(|gap| *gap > 0),
        words.len() > 1,
    ) {
        lines.push(format!(
            "  {} words with this gap need at least {} bits",
            words.len(),
            capacity(words.len() as u64, gap)
        ));
    }
    lines.push(format!(
        "  causal last query with position-dependent maps: rank at least {}",
        rank.div_ceil(2)
    ));
    let shown: Vec<String> = words.iter().map(|word| format!("0x{word:x}")).collect();
    lines.push(format!("  words {}", shown.join(" ")));
    lines.push(format!("  {SCOPE}"));
    let json = json!({
        "words": shown,
        "gaps": gaps,
        "rank_at_least": rank,
        "rank_at_least_causal": rank.div_ceil(2),
        "bounds": bounds.iter().map(|(method, bound)| json!({
            "method": method.word(),
            "rank": bound.as_ref().ok().map(|bound| bound.rank),
            "value": bound.as_ref().ok().map(|bound| bound.value.to_string()),
            "inputs": bound.as_ref().ok().map(|bound| bound.inputs(&accuracy).to_string()),
            "reason": bound.as_ref().err(),
        })).collect::<Vec<_>>(),
        "scope": SCOPE,
    });
    Ok(Output::new(lines.join("\n"), json))
}

/// One JSON line per input.
fn listed(pairs: &[Vec<u64>], query_only: bool) -> Output {
    let inputs = suite(pairs, query_only);
    let rows: Vec<Json> = inputs
        .iter()
        .map(|input| json!({"tokens": input.tokens, "query": input.query, "target": input.target}))
        .collect();
    let (ordered, unordered) = sizes(pairs.len());
    let text: Vec<String> = rows.iter().map(ToString::to_string).collect();
    Output::new(
        text.join("\n"),
        json!({"inputs": rows, "count": inputs.len().to_string(), "ordered_if_all_differ": ordered.to_string(), "unordered_if_all_differ": unordered.to_string()}),
    )
}

fn transcript(text: &str) -> Result<Output, Failure> {
    let expected = || {
        Failure::Usage(format!(
            "--transcript {text}: expected Q,S with s(q+1) at most 64"
        ))
    };
    let (q, s) = text.split_once(',').ok_or_else(expected)?;
    let (q, s) = (
        q.trim().parse().map_err(|_| expected())?,
        s.trim().parse().map_err(|_| expected())?,
    );
    let found = Transcript::new(q, s).ok_or_else(expected)?;
    let counted = found.enumerate();
    if counted.is_some_and(|count| found.answers != count.into()) {
        return Err(Failure::Contradiction(
            "the candidates give another number of answers".to_owned(),
        ));
    }
    let how = if counted.is_some() {
        "every candidate gone through"
    } else {
        "by the formula"
    };
    let text = format!(
        "{} answer vectors: at least {} bits cross from one token to {q} queries ({} bits a token, {} tokens; {how})",
        found.answers,
        found.least_bits,
        found.bits,
        q + 1
    );
    let json = json!({"answers": found.answers.to_string(), "bits": found.least_bits, "token_bits": found.bits, "enumerated": counted.is_some()});
    Ok(Output::new(text, json))
}
