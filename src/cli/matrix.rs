//! `matrix`: exact deterministic communication complexity.

use crate::audit::matrix::{depths_by_rounds, one_way, settle};
use crate::audit::{Decision, Finding};
use crate::cli::args::MatrixArgs;
use crate::cli::audit::write_evidence;
use crate::cli::check::stop_flag;
use crate::cli::solve::claim_id;
use crate::cli::{Context, Exit, Failure, Output, shipped, write_svg};
use crate::evidence::matrix::tree_json;
use crate::file::matrix as file;
use crate::file::setting;
use crate::matrix::small::{Depths, MAX_CELLS};
use crate::matrix::variant::simultaneous;
use crate::matrix::{Matrix, Named, Node, Party, Tree, bits};
use crate::report::picture::rectangles::{self, Groups};
use crate::search::matrix::{Found, Lower, depth};
use crate::search::rectangles::{Kind, Least, least};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Most nodes of a tree that the text shows.
const SHOWN: usize = 64;

pub(super) fn run(args: &MatrixArgs, context: &Context) -> Result<Output, Failure> {
    if let Some(size) = &args.all {
        return histogram(size);
    }
    let (matrix, name) = read(args, context)?;
    let stop = stop_flag(context.limit_seconds);
    let found = depth(&matrix, &stop);
    found.tree.check(&matrix).map_err(|flaw| {
        Failure::Contradiction(format!("the tree that was found does not decide: {flaw}"))
    })?;
    let decision = if found.exact() {
        match settle(&matrix, &name, &found, &context.options()) {
            Finding::Decided(decision) => Some(decision),
            Finding::Undecided(_) => None,
            Finding::Contradiction(reason) => return Err(Failure::Contradiction(reason)),
        }
    } else {
        None
    };
    if let (Some(folder), Some(decision)) = (&args.proof, &decision) {
        write_evidence(folder, &name, decision)?;
    }
    write_svg(args.svg.as_deref(), || {
        let groups = Groups::leaves(&matrix, &found.tree).ok_or_else(|| {
            Failure::TooLarge(format!(
                "--svg: more than {} rows or columns",
                rectangles::MAX_SIDE
            ))
        })?;
        let title = format!("{name}: the leaves of a tree of depth {}", found.upper);
        Ok(rectangles::picture(&title, &groups))
    })?;
    let covers = if args.covers {
        cover_numbers(&matrix, &stop)?
    } else {
        None
    };
    let rounds = if args.rounds {
        depths_by_rounds(&matrix, found.upper)
    } else {
        None
    };
    let result = Answer {
        args,
        matrix: &matrix,
        found: &found,
        decision: decision.as_deref(),
        covers,
        rounds,
        written: args.proof.as_ref().map(|_| format!("{name}.json")),
    };
    let exit = match (&decision, args.expect) {
        (None, _) => Exit::NotAnswered,
        (Some(_), Some(expected)) if expected != found.upper => Exit::Unexpected,
        (Some(_), _) => Exit::Answered,
    };
    Ok(result.output().exit(exit))
}

/// The matrix, and the claim id of its evidence.
fn read(args: &MatrixArgs, context: &Context) -> Result<(Matrix, String), Failure> {
    let name = args.file.as_deref().unwrap_or_default();
    let function = Named::of_name(name).filter(|_| !Path::new(name).is_file());
    match (function, args.size) {
        (Some(function), Some(size)) => {
            let matrix = function.matrix(size).ok_or_else(|| {
                Failure::Usage(format!(
                    "size: found {size}, expected 1 to {}",
                    Named::MAX_SIZE
                ))
            })?;
            Ok((matrix, format!("{}-{size}", name.to_ascii_uppercase())))
        }
        (Some(_), None) => Err(Failure::Usage(format!("{name}: expected --size N"))),
        (None, Some(_)) => Err(Failure::Usage(format!(
            "size: `{name}` is no named function; expected one of {}",
            Named::ALL.map(|(name, _)| name).join(", ")
        ))),
        (None, None) => Ok((of_file(name, context)?, claim_id(name))),
    }
}

fn of_file(name: &str, context: &Context) -> Result<Matrix, Failure> {
    let path = Path::new(name);
    if path.is_file() {
        let source = shipped::read(path)?;
        if !file::is_toml(&source) {
            return Ok(file::read(&source)?);
        }
        let tree = setting::parse_file(&source)?;
        if tree.get("matrix").is_some() {
            return Ok(file::read(&source)?);
        }
        let setting = shipped::resolve(&source, &tree, true, context)?;
        return Ok(file::of_setting(&setting, &context.max_inputs())?);
    }
    let setting = shipped::game(name, true, context)?;
    Ok(file::of_setting(&setting, &context.max_inputs())?)
}

/// Partitions and covers, checked.
fn cover_numbers(matrix: &Matrix, stop: &AtomicBool) -> Result<Option<[Vec<Least>; 2]>, Failure> {
    let both = [Kind::Partition, Kind::Cover].map(|kind| least(matrix, kind, stop));
    let [Some(partition), Some(cover)] = both else {
        return Ok(None);
    };
    for (list, disjoint) in [(&partition, true), (&cover, false)] {
        let all = list.iter().flat_map(|least| least.rectangles.0.clone());
        crate::matrix::Cover(all.collect())
            .check(matrix, disjoint)
            .map_err(|flaw| Failure::Contradiction(flaw.to_string()))?;
    }
    Ok(Some([partition, cover]))
}

struct Answer<'a> {
    args: &'a MatrixArgs,
    matrix: &'a Matrix,
    found: &'a Found,
    decision: Option<&'a Decision>,
    /// Partition and cover, with `--covers` and when there are few entries.
    covers: Option<[Vec<Least>; 2]>,
    rounds: Option<Vec<Option<u8>>>,
    written: Option<String>,
}

/// A lower bound as reports have it.
struct Below {
    kind: &'static str,
    leaves: Option<usize>,
    bits: u32,
    exact: bool,
}

impl Answer<'_> {
    fn lower_bounds(&self) -> Vec<Below> {
        let leaves = |kind, leaves| Below {
            kind,
            leaves: Some(leaves),
            bits: bits(leaves),
            exact: false,
        };
        let mut list = vec![
            leaves("lower: rank", self.found.by_rank.leaves()),
            leaves("lower: fooling set", self.found.by_fooling.leaves()),
        ];
        if let Some([partition, _]) = &self.covers {
            let least = partition.iter().map(|least| least.lower).sum();
            list.push(leaves("lower: partition", least));
        }
        if matches!(self.found.proof, Lower::Exhausted(_)) {
            list.push(Below {
                kind: "lower: exhausted",
                leaves: None,
                bits: self.found.lower,
                exact: false,
            });
        }
        for below in &mut list {
            below.exact = self.decision.is_some() && below.bits == self.found.upper;
        }
        list
    }

    fn output(&self) -> Output {
        let (matrix, found) = (self.matrix, self.found);
        let verdict = if self.decision.is_some() {
            format!("D = {}", found.upper)
        } else {
            format!("undecided: {} <= D <= {}", found.lower, found.upper)
        };
        let reduced = matrix.reduced();
        let mut lines = vec![
            verdict,
            format!(
                "  {} rows and {} columns, {} and {} different; {} values",
                matrix.rows(),
                matrix.columns(),
                reduced.rows.len(),
                reduced.columns.len(),
                matrix.values().len()
            ),
        ];
        let below = self.lower_bounds();
        for bound in &below {
            let leaves = bound
                .leaves
                .map_or(String::new(), |leaves| format!(" ({leaves} leaves)"));
            let exact = if bound.exact { ", exact" } else { "" };
            lines.push(format!(
                "  {}: {} bits{leaves}{exact}",
                bound.kind, bound.bits
            ));
        }
        lines.push(format!(
            "  upper: protocol: {} bits ({} nodes)",
            found.upper,
            found.tree.nodes.len()
        ));
        let [alice, bob] = one_way(matrix).map(|(_, bits)| bits);
        lines.push(format!(
            "  one message: {alice} bits from Alice, {bob} from Bob; both at once to a referee: {} (exact: different rows and columns)",
            simultaneous(matrix)
        ));
        self.round_lines(&mut lines);
        self.cover_lines(&mut lines);
        if found.tree.nodes.len() <= SHOWN {
            lines.push("tree".to_owned());
            show(&found.tree, 0, "  ", &mut lines);
        }
        if let Some(decision) = self.decision {
            lines.push(format!(
                "evidence: {}; to trust: nothing",
                decision.checked.summary()
            ));
        }
        if let Some(name) = self.written.as_ref().filter(|_| self.decision.is_some()) {
            lines.push(format!("written: {name}"));
        }
        lines.push("scope: this matrix; both parties know the entry in the end".to_owned());
        Output::new(lines.join("\n"), self.json(&below, [alice, bob]))
    }

    fn round_lines(&self, lines: &mut Vec<String>) {
        if !self.args.rounds {
            return;
        }
        match &self.rounds {
            None => lines.push("  rounds: not exhausted, too many rows and columns".to_owned()),
            Some(list) => {
                for (rounds, depth) in (1..).zip(list) {
                    let depth = depth.map_or("never".to_owned(), |depth| format!("{depth} bits"));
                    lines.push(format!(
                        "  at most {rounds} rounds: {depth} (exact: exhausted)"
                    ));
                }
            }
        }
    }

    fn cover_lines(&self, lines: &mut Vec<String>) {
        match &self.covers {
            None if self.args.covers => {
                lines.push("  partition and cover: too many entries".to_owned());
            }
            None => {}
            Some(both) => {
                for (name, list) in ["partition", "cover"].into_iter().zip(both) {
                    let mut line = format!("  {name} by rectangles of one value:");
                    for (value, least) in self.matrix.values().iter().zip(list) {
                        // Writing to a string cannot fail.
                        let _ = write!(line, " value {value}: {}", number(least));
                    }
                    lines.push(line);
                }
            }
        }
    }

    fn json(&self, below: &[Below], [alice, bob]: [u32; 2]) -> Json {
        let (matrix, found) = (self.matrix, self.found);
        let lower: Vec<Json> = below
            .iter()
            .map(|bound| {
                let leaves = bound.leaves.map(|leaves| leaves.to_string());
                json!({"kind": bound.kind, "bits": bound.bits, "leaves": leaves, "exact": bound.exact})
            })
            .collect();
        let mut json = json!({
            "verdict": if self.decision.is_some() { "exact" } else { "undecided" },
            "depth": self.decision.map(|_| found.upper),
            "lower": found.lower,
            "upper": found.upper,
            "rows": matrix.rows().to_string(),
            "columns": matrix.columns().to_string(),
            "tree": tree_json(&found.tree),
            "lower_bounds": lower,
            "one_way": {"alice": alice, "bob": bob},
            "simultaneous": simultaneous(matrix),
            "certificate": self.written.as_ref().filter(|_| self.decision.is_some()),
            "summary": self.decision.map(|decision| decision.checked.summary()),
            "scope": "this-parameter-point",
            "stats": {
                "rectangles": found.stats.rectangles.to_string(),
                "parts": found.stats.parts.to_string(),
            },
        });
        if self.args.rounds {
            let list = self.rounds.as_ref().map(|list| {
                (1..)
                    .zip(list)
                    .map(|(rounds, depth): (u32, _)| json!({"rounds": rounds, "depth": depth}))
                    .collect::<Vec<_>>()
            });
            json["rounds"] = json!(list);
        }
        if self.args.covers {
            for (number, name) in ["partition", "cover"].into_iter().enumerate() {
                let both = self.covers.as_ref();
                json[name] = json!(both.map(|both| self.cover_json(&both[number])));
            }
        }
        json
    }

    fn cover_json(&self, list: &[Least]) -> Json {
        let one = |(value, least): (&u64, &Least)| {
            json!({
                "value": value.to_string(),
                "lower": least.lower.to_string(),
                "rectangles": least.rectangles.0.iter().map(|r| json!([r.rows, r.columns])).collect::<Vec<_>>(),
                "exact": least.exact(),
            })
        };
        json!(
            self.matrix
                .values()
                .iter()
                .zip(list)
                .map(one)
                .collect::<Vec<_>>()
        )
    }
}

fn number(least: &Least) -> String {
    let upper = least.rectangles.0.len();
    if least.exact() {
        format!("{upper} (exact)")
    } else {
        format!("between {} and {upper}", least.lower)
    }
}

/// The subtree at a node, indented.
fn show(tree: &Tree, node: usize, indent: &str, lines: &mut Vec<String>) {
    match &tree.nodes[node] {
        Node::Leaf(value) => lines.push(format!("{indent}{value}")),
        Node::Bit {
            speaker,
            ones,
            next,
        } => {
            let (who, what) = match speaker {
                Party::Alice => ("Alice", "rows"),
                Party::Bob => ("Bob", "columns"),
            };
            let list: Vec<String> = ones.iter().map(ToString::to_string).collect();
            lines.push(format!("{indent}{who} says 1 on {what} {}", list.join(" ")));
            for (bit, next) in next.iter().enumerate() {
                lines.push(format!("{indent}  {bit}:"));
                show(tree, *next, &format!("{indent}    "), lines);
            }
        }
    }
}

fn histogram(size: &str) -> Result<Output, Failure> {
    let wrong = || Failure::Usage(format!("all: found `{size}`, expected a size like 3x4"));
    let (rows, columns) = size.split_once('x').ok_or_else(wrong)?;
    let (rows, columns) = (
        rows.parse::<usize>().map_err(|_| wrong())?,
        columns.parse::<usize>().map_err(|_| wrong())?,
    );
    if rows == 0 || columns == 0 {
        return Err(wrong());
    }
    let depths = Depths::new(rows, columns).ok_or_else(|| {
        Failure::TooLarge(format!(
            "all: 2^({rows} * {columns}) matrices; at most 2^{MAX_CELLS} are enumerated"
        ))
    })?;
    let counts = depths.histogram(rows, columns);
    let total = 1_u64 << (rows * columns);
    let mut text = format!("all {total} 0/1 matrices of {rows} rows and {columns} columns");
    let mut markdown = "| D | matrices |\n|---|---|\n".to_owned();
    for (depth, count) in counts.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  D = {depth}: {count}");
        let _ = writeln!(markdown, "| {depth} | {count} |");
    }
    text += "\nscope: every matrix of this size; by the definition, sizes from the smallest up";
    let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
    let json = json!({"matrices": total.to_string(), "histogram": counts, "scope": "this-range"});
    let mut output = Output::new(text, json);
    output.markdown = Some(markdown);
    Ok(output)
}
