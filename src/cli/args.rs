//! What the user may type.

use crate::cli::Context;
use crate::file::constants::Overrides;
use crate::file::expr::Limits;
use clap::{Args, Parser, Subcommand, ValueEnum};
use num_bigint::{BigInt, BigUint};
use std::path::PathBuf;

/// Exact communication games behind lower-bound proofs about attention models.
#[derive(Debug, Parser)]
#[command(
    name = "foolproof",
    version,
    arg_required_else_help = true,
    after_help = "Examples:
  foolproof audit                                   verdicts on the shipped claims, with evidence
  foolproof run toy-frf --protocol relay --input '{\"2\":[0,1],\"1\":[1]}'
  foolproof flow toy-frf --of 1 --view=-1 --epoch 1 --pin 'soft 1->-1' --cuts
  foolproof word FRF --steps 2

Exit codes: 0 answered, 1 answered but not as expected, 2 bad usage or input, 3 not answered (limit), 4 internal contradiction."
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,

    /// text for people, json for programs, md where a table makes sense
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,

    /// Threads of a search; never changes a result
    #[arg(long, global = true, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub(super) threads: Option<usize>,

    /// Refuse to enumerate more than this many inputs (default 2^32; for evidence 2^22)
    #[arg(long, global = true, value_name = "N")]
    max_inputs: Option<String>,

    /// Stop after S seconds with what was covered
    #[arg(long, global = true, value_name = "S")]
    limit_seconds: Option<u64>,

    /// Override a constant of the game file
    #[arg(long = "let", global = true, value_name = "NAME=VALUE")]
    lets: Vec<String>,

    /// Most steps of one evaluation of an expression
    #[arg(long, global = true, value_name = "N", default_value_t = 1_000_000)]
    max_steps: u64,
}

/// Output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Text,
    /// One object.
    Json,
    /// A table.
    Md,
}

impl Cli {
    pub(super) fn context(&self) -> Result<Context, String> {
        let mut overrides = Overrides::new();
        for text in &self.lets {
            let parsed = text.split_once('=').and_then(|(name, value)| {
                let value: BigInt = value.trim().parse().ok()?;
                Some((name.trim().to_owned(), value))
            });
            let (name, value) = parsed.ok_or_else(|| {
                format!("--let {text}: expected NAME=VALUE with an integer value")
            })?;
            if overrides.insert(name.clone(), value).is_some() {
                return Err(format!("--let {name} is given twice"));
            }
        }
        let max_inputs = match &self.max_inputs {
            None => None,
            Some(text) => Some(count(text).ok_or_else(|| {
                format!("--max-inputs {text}: expected a number like 1000 or 2^32")
            })?),
        };
        let limits = Limits {
            steps: self.max_steps,
            ..Limits::default()
        };
        Ok(Context {
            overrides,
            limits,
            max_inputs,
            limit_seconds: self.limit_seconds,
        })
    }
}

/// A decimal number, or 2^k.
pub(super) fn count(text: &str) -> Option<BigUint> {
    if let Some(exponent) = text.strip_prefix("2^") {
        let exponent: u32 = exponent
            .parse()
            .ok()
            .filter(|exponent| *exponent <= 1 << 16)?;
        return Some(BigUint::from(1u8) << exponent);
    }
    text.parse().ok()
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    #[cfg(feature = "search")]
    Audit(AuditArgs),
    Run(RunArgs),
    #[cfg(feature = "search")]
    Check(CheckArgs),
    #[cfg(feature = "search")]
    Solve(SolveArgs),
    #[cfg(feature = "search")]
    Frontier(FrontierArgs),
    Flow(FlowArgs),
    Word(WordArgs),
    Verify(VerifyArgs),
    List(ListArgs),
    Show(ShowArgs),
    New(NewArgs),
}

impl Command {
    pub(super) fn name(&self) -> &'static str {
        match self {
            #[cfg(feature = "search")]
            Self::Audit(_) => "audit",
            Self::Run(_) => "run",
            #[cfg(feature = "search")]
            Self::Check(_) => "check",
            #[cfg(feature = "search")]
            Self::Solve(_) => "solve",
            #[cfg(feature = "search")]
            Self::Frontier(_) => "frontier",
            Self::Flow(_) => "flow",
            Self::Word(_) => "word",
            Self::Verify(_) => "verify",
            Self::List(_) => "list",
            Self::Show(_) => "show",
            Self::New(_) => "new",
        }
    }
}

/// What is the verdict on each claim? Without arguments: on every shipped claim
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof audit
  foolproof audit BASE-A1 --format json
  foolproof audit my-claims/ --write evidence/
  foolproof audit --invert BASE-A0        must exit 1: the expectation is exchanged

Evidence of claim files given by path is written beside them, or to --write DIR. Exit 1 when a verdict differs from the
claim file, or a control agrees.")]
pub(super) struct AuditArgs {
    /// Claim ids, claim files, folders
    #[arg(value_name = "ID|PATH")]
    pub(super) claims: Vec<String>,
    /// Only claims whose source begins with this key
    #[arg(long, value_name = "KEY")]
    pub(super) paper: Option<String>,
    /// Write the evidence files to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) write: Option<PathBuf>,
    /// Run this claim with established and refuted exchanged
    #[arg(long, value_name = "ID")]
    pub(super) invert: Option<String>,
}

/// What is said, symbol by symbol, on this input?
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof run toy-frf --protocol relay --input '{\"2\":{\"z2\":[0,1]},\"1\":{\"z1\":[1]}}'")]
pub(super) struct RunArgs {
    /// Game file, or the name of a shipped game
    #[arg(value_name = "GAME")]
    pub(super) game: String,
    /// Strategy file, or the name of a shipped strategy
    #[arg(long, value_name = "P")]
    pub(super) protocol: String,
    /// Full input as JSON, by player label; players with one element may be left out
    #[arg(long, value_name = "JSON")]
    pub(super) input: String,
}

/// Is this protocol right on every input?
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof check toy-frf --protocol relay")]
pub(super) struct CheckArgs {
    /// Game file, or the name of a shipped game
    #[arg(value_name = "GAME")]
    pub(super) game: String,
    /// Strategy file, or the name of a shipped strategy
    #[arg(long, value_name = "P")]
    pub(super) protocol: String,
}

/// Does any protocol solve the task?
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof solve toy-frf
  foolproof solve hybrid-ff --expect unsolvable --proof evidence/
  foolproof solve toy-frf --save found.toml && foolproof check toy-frf --protocol found.toml

Evidence is verified before anything is said: a protocol by replay on all inputs, `unsolvable` by a counting bound, or by
a few inputs with a formula and its proof. --limit-seconds S ends with `undecided` (exit 3).")]
pub(super) struct SolveArgs {
    /// Game file, or the name of a shipped game
    #[arg(value_name = "GAME")]
    pub(super) game: String,
    /// Exit 1 unless this is the verdict
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub(super) expect: Option<Expected>,
    /// How to search; `auto` tries known protocols, counting, the solver
    #[arg(long, value_enum, value_name = "M", default_value_t = MethodArg::Auto)]
    pub(super) method: MethodArg,
    /// Write the evidence to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) proof: Option<PathBuf>,
    /// Give up on a proof of more bytes (default 2^30)
    #[arg(long, value_name = "BYTES")]
    pub(super) max_proof: Option<String>,
    /// Write the protocol found as a strategy file
    #[arg(long, value_name = "FILE")]
    pub(super) save: Option<PathBuf>,
}

/// Where exactly is the boundary between solvable and unsolvable?
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof frontier hybrid-frf --over soft,linear --max 3,3 --svg frontier.svg

An axis is a number of the family table (soft, linear, symbols, ..) or a constant of `let` that sets alphabets; it takes
the values 1 to its maximum. More symbols never lose a protocol, so a point that follows from another is not searched.")]
pub(super) struct FrontierArgs {
    /// Game file, or the name of a shipped game
    #[arg(value_name = "GAME")]
    pub(super) game: String,
    /// The axes
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', required = true)]
    pub(super) over: Vec<String>,
    /// The largest value on each axis
    #[arg(long, value_name = "MAX,..", value_delimiter = ',', required = true)]
    pub(super) max: Vec<String>,
    /// Write the evidence of each searched point to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) proof: Option<PathBuf>,
    /// Write a picture (two axes)
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
}

/// A verdict of `solve`.
#[cfg(feature = "search")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Expected {
    /// Some protocol exists.
    Solvable,
    /// None does.
    Unsolvable,
}

/// A search.
#[cfg(feature = "search")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodArg {
    /// All of them but `exhaustive`, in this order.
    Auto,
    /// Protocols that are known to work.
    Closed,
    /// Counting bounds.
    Count,
    /// The SAT solver.
    Sat,
    /// Every protocol, for tiny games.
    Exhaustive,
}

/// Can the input of one player reach the view of another, for any protocol?
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof flow toy-frf --of 1 --view=-1 --epoch 1 --pin 'soft 1->-1'
  foolproof flow toy-frf --of 1 --view=-1 --epoch 1 --cuts

Negative labels need an equals sign: --view=-1.")]
pub(super) struct FlowArgs {
    /// Game file, or the name of a shipped game
    #[arg(value_name = "GAME")]
    pub(super) game: String,
    /// Whose input
    #[arg(long, value_name = "PLAYER", allow_hyphen_values = true)]
    pub(super) of: String,
    /// Whose view
    #[arg(long, value_name = "PLAYER", allow_hyphen_values = true)]
    pub(super) view: String,
    /// Look at the view after the last round with a slot @E (default: the end)
    #[arg(long, value_name = "E")]
    pub(super) epoch: Option<u64>,
    /// Slots held constant: names or patterns such as 'lin * @1.*'
    #[arg(long, value_name = "SLOT")]
    pub(super) pin: Vec<String>,
    /// List all inclusion-minimal sets of slots that make the view independent
    #[arg(long)]
    pub(super) cuts: bool,
}

/// Is this layout of full (F) and recurrent (R) layers solvable at polylogarithmic budgets, and how?
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof word 'F R^281474976710656 F' --steps 2")]
pub(super) struct WordArgs {
    /// Letters F and R, with counts such as R^12; blanks are ignored
    #[arg(value_name = "WORD")]
    pub(super) word: String,
    /// Composition steps L
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) steps: u64,
}

/// Re-check evidence from disk, without any search code
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof verify witnesses/

A folder is read recursively; a folder `mutants` only when it is named itself.")]
pub(super) struct VerifyArgs {
    /// Evidence files or folders
    #[arg(value_name = "PATH", required = true)]
    pub(super) paths: Vec<PathBuf>,
}

/// What is shipped?
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof list claims")]
pub(super) struct ListArgs {
    /// One kind only
    #[arg(value_enum, value_name = "KIND")]
    pub(super) kind: Option<ListKind>,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ListKind {
    /// Game files.
    Games,
    /// Tasks a file may name.
    Tasks,
    /// Claims.
    Claims,
    /// Strategies.
    Protocols,
}

/// What did this file resolve to?
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof show toy-frf")]
pub(super) struct ShowArgs {
    /// Game file, or a file with a game and a strategy
    #[arg(value_name = "FILE")]
    pub(super) file: String,
    /// Also resolve this strategy for the game
    #[arg(long, value_name = "P")]
    pub(super) protocol: Option<String>,
}

/// Write a commented starting file that runs
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof new game mine && foolproof show mine.toml")]
pub(super) struct NewArgs {
    /// game or claim
    #[arg(value_enum, value_name = "KIND")]
    pub(super) kind: NewKind,
    /// Name of the file, without .toml
    #[arg(value_name = "NAME")]
    pub(super) name: String,
}

/// What can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum NewKind {
    /// A game file.
    Game,
    /// A claim file.
    Claim,
}
