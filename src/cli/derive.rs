//! `derive`: the strongest bound the proof scheme gives, or whether given integers prove one.

use crate::audit::{Finding, audit};
use crate::bounds::derive::closed::exponent_for_all_c;
use crate::bounds::derive::exhaust::{Region, least};
use crate::bounds::derive::exponent::Cut;
use crate::bounds::derive::{
    Answer, Class, Cost, Layout, Ledger, Mode, Opening, Params, Refused, Row, Senders, Start, Way,
    check_opened,
};
use crate::bounds::params::hybrid_v1::Parameters;
use crate::cli::args::DeriveArgs;
use crate::cli::solve::max_proof;
use crate::cli::{Exit, Failure, Output, shipped, write_svg};
use crate::evidence::claim::Case;
use crate::evidence::derive::{
    Derivation, Question, cost_json, inverse, layout_json, params_json, parse_ratio, ratio_text,
    rows_json,
};
use crate::evidence::{Scope, Statement};
use crate::file::reader::{Fields, count, list};
use crate::file::setting::parse_file;
use crate::file::{Source, Tree};
use crate::report::figure::bars_of;
use crate::report::picture;
use crate::report::table::Table;
use crate::search;
use crate::search::derive::Point;
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Most evaluations of `--minimal`.
const BUDGET: u64 = 1 << 34;

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        Self::Usage(refused.to_string())
    }
}

/// What was asked, resolved.
struct Asked {
    layout: Layout,
    mode: String,
    max_n: Option<BigUint>,
    opening: Opening,
}

impl Asked {
    /// The statement that the ledger closes at these integers.
    fn proved(&self, cost: &Cost, params: &Params) -> Derivation {
        Derivation {
            layout: self.layout.clone(),
            opening: self.opening,
            question: Question::Proved {
                cost: cost.clone(),
                params: params.clone(),
            },
        }
    }
}

fn number(text: &str, option: &str) -> Result<BigUint, Failure> {
    crate::cli::args::count(text)
        .ok_or_else(|| Failure::Usage(format!("{option} {text}: expected an integer, at least 0")))
}

pub(super) fn run(args: &DeriveArgs) -> Result<Output, Failure> {
    let passes = std::iter::once(&args.before)
        .chain(&args.linear)
        .map(|text| number(text, "--linear"))
        .collect::<Result<Vec<_>, _>>()?;
    let layout = Layout::new(args.steps, passes)?;
    let max_n = args
        .max_n
        .as_deref()
        .map(|text| number(text, "--max-n"))
        .transpose()?;
    let asked = Asked {
        layout,
        mode: args.mode.clone(),
        max_n,
        opening: if args.product_start {
            Opening::Product
        } else {
            Opening::Plain
        },
    };
    if args.exponent {
        return exponent(&asked, args);
    }
    if args.largest {
        return largest(&asked, args);
    }
    let cost = cost(args)?.ok_or_else(|| {
        Failure::Usage("needs --c (and --d), or --soft-bits and --carry-bits".to_owned())
    })?;
    match asked.layout.class() {
        Class::Possible(way)
            if asked.layout.start().is_none()
                || (args.params.is_none() && asked.max_n.is_none()) =>
        {
            return Ok(possible(&asked, &cost, way));
        }
        Class::Possible(_) | Class::Impossible(_) => {}
    }
    if !asked.opening.fits(&asked.layout, &cost) {
        return Err(Failure::Usage(
            "--product-start needs separate senders, L at least 3, fewer full layers than L, and a_0 = a_1 = 0"
                .to_owned(),
        ));
    }
    match &args.params {
        Some(path) => one_point(&asked, &cost, &read_params(path)?, args),
        None => best(&asked, &cost, args),
    }
}

fn words(args: &DeriveArgs) -> Result<(Senders, Mode), Failure> {
    let senders = Senders::from_word(&args.senders)
        .ok_or_else(|| Failure::Usage("--senders: separate or merged".to_owned()))?;
    let mode = Mode::from_word(&args.mode).ok_or_else(|| {
        Failure::Usage("--mode: refined or coarse (others with --exponent)".to_owned())
    })?;
    Ok((senders, mode))
}

/// The message sizes, if they are given in full.
fn cost(args: &DeriveArgs) -> Result<Option<Cost>, Failure> {
    let (senders, mode) = words(args)?;
    let given = |text: &Option<String>, name: &str| {
        text.as_deref().map(|text| number(text, name)).transpose()
    };
    let (c, d) = (given(&args.c, "--c")?, given(&args.d, "--d")?);
    let (soft, carry) = (
        given(&args.soft_bits, "--soft-bits")?,
        given(&args.carry_bits, "--carry-bits")?,
    );
    match (c, soft, carry) {
        (Some(c), None, None) => {
            let d = d.unwrap_or_else(|| c.clone());
            Ok(Some(Cost::of_network(&c, &d, senders, mode)?))
        }
        (None, Some(soft), Some(carry)) if d.is_none() => {
            if soft.is_zero() {
                return Err(Failure::Usage(
                    "--soft-bits 0: expected at least 1".to_owned(),
                ));
            }
            Ok(Some(Cost {
                soft,
                carry,
                senders,
                mode,
            }))
        }
        (None, _, _) if d.is_none() => Ok(None),
        _ => Err(Failure::Usage(
            "either --c (and --d), or --soft-bits and --carry-bits".to_owned(),
        )),
    }
}

/// `{"m": "937", "n": ["4"], "np": ["4"], "x": ["63","9"]}`, or a TOML file with the table `[scheme]`.
fn read_params(path: &Path) -> Result<Params, Failure> {
    let source = shipped::read(path)?;
    let names: BTreeMap<String, crate::file::expr::Constant> = BTreeMap::new();
    let tree = if source.text.trim_start().starts_with('{') {
        let json: Json = serde_json::from_str(&source.text)
            .map_err(|error| Failure::Usage(format!("{}: {error}", source.name)))?;
        Tree::from_json(&json)
    } else {
        let file = parse_file(&source)?;
        let entry = file
            .get("scheme")
            .ok_or_else(|| Failure::Usage(format!("{}: no table [scheme]", source.name)))?;
        entry.tree.clone()
    };
    let fields = Fields::of(&source, "[scheme]", &tree)?;
    fields.allow(&["m", "n", "np", "x"])?;
    let one = |source: &Source, key: &str, tree: &Tree| count(source, tree, &names, key);
    let all = |key: &str| -> Result<Vec<BigUint>, Failure> {
        Ok(list(&source, fields.need(key)?)?
            .iter()
            .map(|item| one(&source, key, item))
            .collect::<Result<_, _>>()?)
    };
    Ok(Params {
        m: one(&source, "m", fields.need("m")?)?,
        n: all("n")?,
        np: all("np")?,
        x: all("x")?,
    })
}

fn exponent(asked: &Asked, args: &DeriveArgs) -> Result<Output, Failure> {
    let usage = |message: String| Failure::Usage(message);
    let cut = Cut::from_word(&asked.mode).ok_or_else(|| {
        usage("--mode: refined, coarse, coarse-full-w or refined-i-major".to_owned())
    })?;
    let kappa = parse_ratio(&args.kappa).ok_or_else(|| {
        usage(format!(
            "--kappa {}: expected a rational in lowest terms",
            args.kappa
        ))
    })?;
    if let Class::Possible(way) = asked.layout.class() {
        let text = format!(
            "possible by the {} protocol: no exponent\n  {}",
            way.word(),
            layout_text(&asked.layout)
        );
        return Ok(Output::new(
            text,
            json!({"verdict": "possible", "protocol": way.word(), "exponent": null, "layout": layout_json(&asked.layout)}),
        ));
    }
    let question = Derivation::program(&asked.layout, cut, &kappa)?;
    let found = search::exponent::all_options(&question)
        .ok_or_else(|| Failure::Contradiction("the exponent program was not solved".to_owned()))?;
    let (Some((q, best)), Some(generic)) = (found.best(), found.generic()) else {
        return Err(Failure::Contradiction(
            "no option of the last epoch".to_owned(),
        ));
    };
    let value = inverse(&best.value).ok_or_else(|| Failure::Contradiction("value 0".to_owned()))?;
    let statement = Derivation {
        layout: asked.layout.clone(),
        opening: Opening::Plain,
        question: Question::Exponent {
            cut,
            kappa: kappa.clone(),
            exponent: value.clone(),
        },
    };
    let certificate = prove(&statement, args, "DERIVE")?;
    let closed = question.closed_form();
    let mut lines = vec![format!(
        "the scheme excludes c <= n^({} - o(1)); n = c^{} at best, optimal: primal and dual agree exactly",
        ratio_text(&value),
        ratio_text(&best.value)
    )];
    lines.push(format!(
        "  {}; cuts {}; carries of c^{} bits; constant numbers of recurrent layers",
        layout_text(&asked.layout),
        cut.word(),
        ratio_text(&kappa)
    ));
    lines.push(format!(
        "  last epoch: q = {q}; with the generic one n = c^{}",
        ratio_text(generic)
    ));
    if let Some(closed) = &closed {
        lines.push(format!(
            "  closed form at L = {} (generic last epoch): {}",
            question.steps,
            ratio_text(closed)
        ));
    }
    lines.push("  the paper's theorem for this game: c <= n^(2^-(4L+2))".to_owned());
    let power = (cut == Cut::Refined)
        .then(|| exponent_for_all_c(&asked.layout).ok())
        .flatten();
    if let Some(power) = power {
        lines.push(format!(
            "  for every c >= 2, not only large ones, with s = 2c and C = c(c+1): some n <= c^{power} (closed form)"
        ));
    }
    let json = json!({
        "exponent": ratio_text(&value), "exponent_generic": inverse(generic).as_ref().map(ratio_text),
        "value": ratio_text(&best.value), "value_generic": ratio_text(generic), "q": q,
        "closed_form": closed.as_ref().map(ratio_text), "mode": cut.word(), "kappa": ratio_text(&kappa),
        "layout": layout_json(&asked.layout), "certificate": certificate,
        "for_every_c": power.map(|power| power.to_string()),
    });
    Ok(Output::new(lines.join("\n"), json))
}

fn layout_text(layout: &Layout) -> String {
    let mut word = String::new();
    let mut part = |letter: &str, number: &BigUint| {
        if number.is_one() {
            word.push_str(letter);
        } else if !number.is_zero() {
            word.extend([" ", letter, "^", number.to_string().as_str(), " "]);
        }
    };
    part("R", &layout.pass(0));
    for e in 1..=layout.full_layers() {
        part("F", &BigUint::one());
        part("R", &layout.pass(e));
    }
    format!("layout {}, L = {}", word.trim(), layout.steps())
}

fn cost_text(cost: &Cost) -> String {
    format!(
        "s = {} bits per digest, C = {} bits per carry, {} senders, {} cuts",
        cost.soft,
        cost.carry,
        cost.senders.word(),
        cost.mode.word()
    )
}

fn possible(asked: &Asked, cost: &Cost, way: Way) -> Output {
    let needs = match way {
        Way::Full => "s >= ceil(log2 N_{L-1})",
        Way::Relay => {
            "s >= ceil(log2 N_{L-1}) and C >= ceil(log2 m), the carry from z_0 after the first full layer"
        }
        Way::PrePass => {
            "s >= ceil(log2 N_{L-1}) and C >= ceil(log2 m), the carry of z_0 before the first full layer"
        }
    };
    let answers = BigUint::one() << cost.soft.to_u64().unwrap_or(64).min(64);
    let text = format!(
        "possible by the {} protocol\n  {}\n  it needs {needs}\n  at these sizes: up to N_{{L-1}} = {}{answers} answers{}",
        way.word(),
        layout_text(&asked.layout),
        if cost.soft > BigUint::from(64_u32) {
            "at least "
        } else {
            ""
        },
        if way == Way::Full {
            String::new()
        } else {
            format!(", m up to 2^{}", cost.carry)
        },
    );
    Output::new(
        text,
        json!({
            "verdict": "possible", "protocol": way.word(), "needs": needs, "n": null, "parameters": null,
            "layout": layout_json(&asked.layout), "cost": cost_json(cost), "trivial": null, "ledger": [],
            "exponent": null, "certificate": null, "nontrivial": null,
        }),
    )
}

/// Writes the evidence to `--proof DIR` and gives its file name; none if it has more than `--max-proof` bytes.
fn prove(statement: &Derivation, args: &DeriveArgs, id: &str) -> Result<Option<String>, Failure> {
    let Some(folder) = &args.proof else {
        return Ok(None);
    };
    let case = Case {
        id: id.to_owned(),
        scope: Scope::ThisParameterPoint,
        statement: Statement::Derive(Box::new(statement.clone())),
        setting: None,
        strategy: None,
        spec: json!({}),
    };
    let decision = match audit(&case, &crate::evidence::verify::Options::default()) {
        Finding::Decided(decision) => decision,
        Finding::Undecided(reason) => return Err(Failure::TooLarge(reason)),
        Finding::Contradiction(reason) => return Err(Failure::Contradiction(reason)),
    };
    if decision.bytes.len() as u64 > max_proof(args.max_proof.as_ref())? {
        return Ok(None);
    }
    let failed = |error: std::io::Error| Failure::Usage(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    let (temporary, name) = (folder.join(format!("{id}.tmp")), format!("{id}.json"));
    fs::write(&temporary, &decision.bytes)
        .and_then(|()| fs::rename(&temporary, folder.join(&name)))
        .map_err(failed)?;
    Ok(Some(name))
}

/// The picture of a ledger, if one was asked for.
fn draw(asked: &Asked, args: &DeriveArgs, ledger: &Ledger) -> Result<(), Failure> {
    write_svg(args.svg.as_deref(), || {
        let title = format!(
            "{}: {} tokens, deficit in bits and the room at the end",
            layout_text(&asked.layout),
            ledger.length
        );
        let bars = bars_of(ledger)
            .ok_or_else(|| Failure::Contradiction("a ledger without ranges".to_owned()))?;
        Ok(picture::ledger::picture(&title, &bars))
    })
}

/// Every row of a ledger.
fn rows_table(ledger: &Ledger) -> Table {
    let mut table = Table::new("Ledger of the proof scheme", &["step", "row", "bits"]);
    for step in &ledger.steps {
        let rows = step.rows.iter();
        for row in rows {
            table.row([
                step.place.l.to_string(),
                row.name.clone(),
                row.bits.to_string(),
            ]);
        }
        table.row([
            step.place.l.to_string(),
            "deficit".to_owned(),
            step.next.to_string(),
        ]);
    }
    table.row([
        "final".to_owned(),
        "room".to_owned(),
        ledger.room.floor.to_string(),
    ]);
    table
}

fn one_point(
    asked: &Asked,
    cost: &Cost,
    params: &Params,
    args: &DeriveArgs,
) -> Result<Output, Failure> {
    let ledger = check_opened(&asked.layout, cost, params, asked.opening)?;
    let certificate = prove(&asked.proved(cost, params), args, "DERIVE")?;
    draw(asked, args, &ledger)?;
    let mut lines = vec![headline(asked, cost, &ledger)];
    lines.extend(details(asked, cost, params, &ledger));
    let json = point_json(asked, cost, params, &ledger, certificate.as_deref());
    let exit = if ledger.answer() == Answer::Undecided {
        Exit::NotAnswered
    } else {
        Exit::Answered
    };
    Ok(Output::new(lines.join("\n"), json)
        .exit(exit)
        .table(rows_table(&ledger)))
}

fn best(asked: &Asked, cost: &Cost, args: &DeriveArgs) -> Result<Output, Failure> {
    let mut found = search::derive::search(&asked.layout, cost, asked.opening);
    let mut note = "best found, minimality not claimed".to_owned();
    let mut minimal = Json::Null;
    if args.minimal {
        let (text, json) = exhaustion(asked, cost, &mut found)?;
        (note, minimal) = (text, json);
    }
    let fits = |point: &Point| {
        asked
            .max_n
            .as_ref()
            .is_none_or(|max| point.ledger.length <= *max)
    };
    let nontrivial = found.nontrivial.clone().filter(fits);
    let Some(point) = found.least.filter(fits) else {
        let text = format!(
            "undecided: no point found with n at most {}\n  {}\n  {}",
            asked.max_n.clone().unwrap_or_default(),
            layout_text(&asked.layout),
            cost_text(cost)
        );
        let json = json!({
            "verdict": "undecided", "n": null, "parameters": null, "layout": layout_json(&asked.layout), "cost": cost_json(cost),
            "trivial": null, "ledger": [], "exponent": exponent_of(asked), "certificate": null, "nontrivial": null, "minimal": minimal,
        });
        return Ok(Output::new(text, json).exit(Exit::NotAnswered));
    };
    let certificate = prove(&asked.proved(cost, &point.params), args, "DERIVE")?;
    let other = match &nontrivial {
        None => None,
        Some(other) => {
            let file = if point.ledger.trivial {
                prove(
                    &asked.proved(cost, &other.params),
                    args,
                    "DERIVE-NONTRIVIAL",
                )?
            } else {
                certificate.clone()
            };
            let n = other.ledger.length.to_string();
            Some(json!({"n": n, "parameters": params_json(&other.params), "certificate": file}))
        }
    };
    draw(asked, args, &point.ledger)?;
    let mut lines = vec![headline(asked, cost, &point.ledger)];
    lines.extend(details(asked, cost, &point.params, &point.ledger));
    lines.push(format!("  {note}"));
    match &nontrivial {
        Some(other) if point.ledger.trivial => {
            lines.push(format!(
                "non-trivial: {}",
                headline(asked, cost, &other.ledger)
            ));
            lines.extend(details(asked, cost, &other.params, &other.ledger));
        }
        Some(_) => {}
        None => lines.push(
            "no non-trivial point found (2^s >= N_{L-1}): nothing here separates depths".to_owned(),
        ),
    }
    let mut json = point_json(
        asked,
        cost,
        &point.params,
        &point.ledger,
        certificate.as_deref(),
    );
    json["nontrivial"] = other.unwrap_or(Json::Null);
    json["minimal"] = minimal;
    Ok(Output::new(lines.join("\n"), json).table(rows_table(&point.ledger)))
}

/// `--minimal`: exhausts the boxes below what was found, and keeps what is better.
fn exhaustion(
    asked: &Asked,
    cost: &Cost,
    found: &mut search::derive::Found,
) -> Result<(String, Json), Failure> {
    let mut notes = Vec::new();
    let mut json = json!({"least": null, "nontrivial": null});
    for nontrivial in [false, true] {
        let record = if nontrivial {
            &mut found.nontrivial
        } else {
            &mut found.least
        };
        // a non-trivial point has n <= 2 + 2 N, and N <= 2^s
        let limit = if nontrivial {
            cost.soft
                .to_u64()
                .filter(|s| *s < 60)
                .map(|s| (2_u64 << s) + 3)
        } else {
            None
        };
        let below = record
            .as_ref()
            .and_then(|point| point.ledger.length.to_u64())
            .or(limit);
        let (key, what) = if nontrivial {
            ("nontrivial", "least non-trivial")
        } else {
            ("least", "least")
        };
        let region = below.map(|below| Region { below, nontrivial });
        let outcome = region.map(|region| least(&asked.layout, cost, region, BUDGET));
        match outcome {
            Some(Ok(least)) => {
                if let Some((_, params)) = least.best {
                    let ledger = check_opened(&asked.layout, cost, &params, asked.opening)?;
                    *record = Some(Point { params, ledger });
                }
                let n = record.as_ref().map(|point| point.ledger.length.to_string());
                notes.push(match &n {
                    Some(n) => format!("{what} n of the scheme, certified by exhaustion: {n}"),
                    None => format!("{what}: none exists, certified by exhaustion"),
                });
                json[key] = json!({"n": n, "certified": true, "evaluations": least.evaluations.to_string()});
            }
            Some(Err(stop)) => {
                let best = record.as_ref().map(|point| point.ledger.length.to_string());
                let bracket = region.and_then(|region| excluded(asked, cost, region));
                let note = match (&best, bracket) {
                    (Some(best), Some(least)) => format!("; it is in [{least}, {best}]"),
                    _ => String::new(),
                };
                notes.push(format!("{what}: not certified, {stop}{note}"));
                let least = bracket.map(|least| least.to_string());
                json[key] = json!({"n": best, "certified": false, "not_excluded": least});
            }
            None => notes.push(format!("{what}: not certified, no box")),
        }
    }
    Ok((notes.join("; "), json))
}

/// The longest box, of halves, that is exhausted and empty: nothing below this length is proved by the scheme.
fn excluded(asked: &Asked, cost: &Cost, region: Region) -> Option<u64> {
    let halves = (1..20).map(|half| region.below >> half);
    halves.filter(|below| *below > 3).find(|below| {
        let region = Region {
            below: *below,
            ..region
        };
        least(&asked.layout, cost, region, BUDGET >> 6).is_ok_and(|least| least.best.is_none())
    })
}

fn exponent_of(asked: &Asked) -> Option<String> {
    let cut = Cut::from_word(&asked.mode)?;
    let two = BigRational::from_integer(2.into());
    let question = Derivation::program(&asked.layout, cut, &two).ok()?;
    let found = search::exponent::all_options(&question)?;
    inverse(&found.best()?.1.value).as_ref().map(ratio_text)
}

fn headline(asked: &Asked, cost: &Cost, ledger: &Ledger) -> String {
    let verb = match ledger.answer() {
        Answer::Proved => "out of reach",
        Answer::NotProved => "not decided by these integers (this says nothing about networks)",
        Answer::Undecided => "not decided: a comparison met the precision cap",
    };
    format!(
        "{}: {}-step composition on n = {} tokens (~{}) is {verb} for every network of\n  {}\n  {}; {}",
        ledger.answer().word(),
        asked.layout.steps(),
        ledger.length,
        approximate(&ledger.length),
        layout_text(&asked.layout),
        cost_text(cost),
        cost.mode.assumption(),
    )
}

/// `2^x` with x to one decimal, for display.
fn approximate(x: &BigUint) -> String {
    let tenths = (crate::exact::interval::floor_log2_scaled(&x.clone().max(BigUint::one()), 16)
        * 10_u32)
        >> 16_u32;
    let (whole, tenth) = (&tenths / 10_u32, &tenths % 10_u32);
    format!("2^{whole}.{tenth}")
}

fn joined(list: &[BigUint]) -> String {
    list.iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The rows of D_1.
fn first_rows(asked: &Asked, bits: &BigUint) -> Vec<Row> {
    let name = match asked.layout.start() {
        Some(Start::Long) => "popular digests to w, epoch 1",
        Some(Start::Window) => "digests to w and carries, epoch 1",
        Some(Start::Short) | None => "carries, epoch 0",
    };
    vec![Row {
        name: name.to_owned(),
        bits: bits.clone(),
    }]
}

fn largest_row(rows: &[Row]) -> Option<&Row> {
    rows.iter().max_by(|a, b| a.bits.cmp(&b.bits))
}

fn share(bits: &BigUint, whole: &BigUint) -> String {
    if whole.is_zero() {
        String::new()
    } else {
        format!("~{} %", bits * 100_u32 / whole)
    }
}

fn details(asked: &Asked, cost: &Cost, params: &Params, ledger: &Ledger) -> Vec<String> {
    let mut lines = vec![format!(
        "  m = {}; n = {}; n' = {}; x = {}",
        params.m,
        joined(&params.n),
        joined(&params.np),
        joined(&params.x)
    )];
    if ledger.opening == Opening::Product {
        lines.push("  product start: the set kept by step 1 is a product (Lemma 7)".to_owned());
    }
    for step in &ledger.steps {
        let l = step.place.l;
        let relation = if step.rectangle.strict {
            " (strictly)"
        } else {
            ""
        };
        lines.push(format!(
            "  coverage {l}: D_{l} = {}, Theta_{l} = {} of at most {} ({}); costs {}, {}",
            step.deficit,
            step.theta,
            step.question().most(),
            step.method.word(),
            step.rectangle.cost,
            step.question()
                .allowed(&step.k())
                .map_or("nothing asked".to_owned(), |bits| format!(
                    "{bits} bits allowed{relation}"
                )),
        ));
        lines.push(format!("  D_{}:", l + 1));
        lines.extend(step.rows.iter().map(|row| {
            format!(
                "    {:<28} {:>24}  {}",
                row.name,
                row.bits.to_string(),
                share(&row.bits, &step.next)
            )
        }));
        if let Some(row) = largest_row(&step.rows) {
            lines.push(format!("    largest: {}", row.name));
        }
    }
    let sign = if ledger.answer() == Answer::Proved {
        "<"
    } else {
        ">="
    };
    lines.push(format!(
        "  final: D_{} = {} {sign} {} log2 {} = {}.. bits; last epoch: q = {}",
        asked.layout.steps(),
        ledger.deficit,
        ledger.t,
        ledger.ranges.last().cloned().unwrap_or_default(),
        ledger.room.floor,
        ledger.option.number()
    ));
    lines.push(if ledger.trivial {
        "  trivial: 2^s < N_{L-1}, one digest cannot name all answers, so this may have nothing to do with depth".to_owned()
    } else {
        format!("  not trivial: 2^s >= N_{{L-1}}, so {} full layers with the same s solve it: a depth separation in the game", asked.layout.steps() + 1)
    });
    lines.push(format!(
        "  known protocols: {}",
        protocols(asked, params, ledger)
    ));
    lines.push(format!(
        "  the paper's own parameters: {}",
        paper(asked, cost)
    ));
    if let Some(exponent) = exponent_of(asked) {
        lines.push(format!(
            "  exponent of this layout and mode: c <= n^({exponent} - o(1))"
        ));
    }
    lines
}

fn bits(x: &BigUint) -> BigUint {
    BigUint::from(crate::exact::count::bits(x))
}

/// From which sizes on the same task is solvable with the same layout.
fn protocols(asked: &Asked, params: &Params, ledger: &Ledger) -> String {
    let answers = ledger.ranges.last().map_or_else(BigUint::zero, bits);
    match asked.layout.start() {
        Some(Start::Long) => {
            let fetch =
                (1..asked.layout.steps()).map(|l| &params.n[l - 1] * bits(&ledger.ranges[l]));
            let column = &params.m * bits(&ledger.ranges[1]);
            let least = fetch.chain([column]).min().unwrap_or_default().max(answers);
            format!("prefetching solves these m, n from s = {least} bits on")
        }
        Some(Start::Window) => format!(
            "the relay solves these m, n from s = {answers} and C = {} bits on",
            bits(&params.m)
        ),
        Some(Start::Short) if asked.layout.steps() == 2 => {
            let table = &ledger.ranges[1] * bits(&ledger.ranges[1]);
            format!(
                "recurrent layers that carry all of z_2 solve it from C sum a = {table} bits on"
            )
        }
        Some(Start::Short) | None => format!(
            "{} full layers need s = {answers} bits",
            asked.layout.steps() + 1
        ),
    }
}

/// The length of the paper's own instance at the least c with 2c >= s.
fn paper(asked: &Asked, cost: &Cost) -> String {
    let c = (&cost.soft + 1_u32) >> 1_u32;
    let steps = u32::try_from(asked.layout.steps()).unwrap_or(u32::MAX);
    match Parameters::new(steps, c.clone(), c.clone(), BigUint::zero()) {
        Ok(point) if steps <= 8 && cost.carry <= &c * (&c + 1_u32) => {
            let log = point
                .range(steps - 1)
                .map(|range| range.canonical().floor_log2());
            log.map_or("none".to_owned(), |log| {
                format!("n above 2^{log} (c = d = {c})")
            })
        }
        Ok(_) | Err(_) => "none at these sizes".to_owned(),
    }
}

fn point_json(
    asked: &Asked,
    cost: &Cost,
    params: &Params,
    ledger: &Ledger,
    certificate: Option<&str>,
) -> Json {
    let mut rows = Vec::new();
    let mut parts = ledger
        .steps
        .first()
        .map_or_else(Vec::new, |step| first_rows(asked, &step.deficit));
    for step in &ledger.steps {
        rows.push(json!({
            "step": format!("coverage {}", step.place.l),
            "cost_bits": step.rectangle.cost.to_string(),
            "allowed_bits": step.question().allowed(&step.k()).map(|bits| bits.to_string()),
            "holds": true,
            "method": step.method.word(),
            "parts": rows_json(&parts),
        }));
        parts.clone_from(&step.rows);
    }
    rows.push(json!({
        "step": "final",
        "cost_bits": ledger.deficit.to_string(),
        "allowed_bits": ledger.room.floor.to_string(),
        "holds": ledger.answer() == Answer::Proved,
        "method": "certified-log",
        "parts": rows_json(&parts),
    }));
    let own = json!({"n": ledger.length.to_string(), "parameters": params_json(params), "certificate": certificate});
    json!({
        "verdict": ledger.answer().word(), "n": ledger.length.to_string(), "parameters": params_json(params),
        "layout": layout_json(&asked.layout), "cost": cost_json(cost), "trivial": ledger.trivial, "ledger": rows,
        "q": ledger.option.number(), "exponent": exponent_of(asked), "certificate": certificate,
        "product_start": ledger.opening == Opening::Product,
        "nontrivial": if ledger.trivial || ledger.answer() != Answer::Proved { Json::Null } else { own },
    })
}

/// `--largest`: the largest c, or s, for which some n at most `--max-n` is proved. Raising either never helps a proof.
fn largest(asked: &Asked, args: &DeriveArgs) -> Result<Output, Failure> {
    let Some(max) = &asked.max_n else {
        return Err(Failure::Usage("--largest needs --max-n".to_owned()));
    };
    if args.c.is_some() || args.soft_bits.is_some() {
        return Err(Failure::Usage(
            "--largest finds c or s: leave out --c and --soft-bits".to_owned(),
        ));
    }
    let (senders, mode) = words(args)?;
    let carry = args
        .carry_bits
        .as_deref()
        .map(|text| number(text, "--carry-bits"))
        .transpose()?;
    if let (Class::Possible(way), true) = (asked.layout.class(), asked.layout.start().is_none()) {
        return Ok(possible(
            asked,
            &Cost {
                soft: BigUint::one(),
                carry: BigUint::zero(),
                senders,
                mode,
            },
            way,
        ));
    }
    let key = if carry.is_some() {
        "largest_s"
    } else {
        "largest_c"
    };
    let cost = |value: u64| match &carry {
        Some(carry) => Ok(Cost {
            soft: value.into(),
            carry: carry.clone(),
            senders,
            mode,
        }),
        None => Cost::of_network(&value.into(), &value.into(), senders, mode),
    };
    let proved = |value: u64| -> Result<Option<Point>, Failure> {
        let found = search::derive::search(&asked.layout, &cost(value)?, asked.opening);
        Ok(found.least.filter(|point| point.ledger.length <= *max))
    };
    let mut best: Option<(u64, Point)> = None;
    let (mut low, mut high) = (0_u64, 1_u64);
    while let Some(point) = proved(high)? {
        best = Some((high, point));
        low = high;
        high = high
            .checked_mul(2)
            .filter(|high| *high < 1 << 40)
            .ok_or_else(|| Failure::TooLarge("no end below 2^40".to_owned()))?;
    }
    while low + 1 < high {
        let middle = low.midpoint(high);
        match proved(middle)? {
            Some(point) => (best, low) = (Some((middle, point)), middle),
            None => high = middle,
        }
    }
    let Some((value, point)) = best else {
        let json = json!({"verdict": "undecided", key: null, "n": null, "layout": layout_json(&asked.layout)});
        return Ok(Output::new(
            format!("undecided: no point found with n at most {max}, not even at 1"),
            json,
        )
        .exit(Exit::NotAnswered));
    };
    let cost = cost(value)?;
    let letter = if carry.is_some() { "s" } else { "c" };
    let mut lines = vec![format!(
        "{letter} = {value} is the largest found for which some n at most {max} is proved"
    )];
    lines.push(headline(asked, &cost, &point.ledger));
    lines.extend(details(asked, &cost, &point.params, &point.ledger));
    let mut json = point_json(asked, &cost, &point.params, &point.ledger, None);
    json[key] = json!(value.to_string());
    Ok(Output::new(lines.join("\n"), json))
}
