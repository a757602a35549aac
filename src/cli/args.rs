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
  foolproof params hybrid-v1 --steps 2 --c 2        the paper's inequalities, each decided
  foolproof need eva --n 64                         states that any one-way reader must keep

Exit codes: 0 answered, 1 answered but not as expected, 2 bad usage or input, 3 not answered (limit), 4 internal contradiction."
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,

    /// text for people, json for programs, md or latex where a table makes sense
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
    /// A table in Markdown.
    Md,
    /// A table in LaTeX.
    Latex,
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

/// A decimal number, or a power such as 10^30.
fn natural(text: &str) -> Result<BigUint, String> {
    let expected = || format!("found `{text}`, expected a number like 1000 or 10^30");
    let Some((base, exponent)) = text.split_once('^') else {
        return text.parse().map_err(|_| expected());
    };
    let base: BigUint = base.parse().map_err(|_| expected())?;
    let exponent: u32 = exponent.parse().map_err(|_| expected())?;
    if base.bits() * u64::from(exponent) > 1 << 20 {
        return Err(format!("{text} has more than 2^20 bits"));
    }
    Ok(base.pow(exponent))
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
    #[cfg(feature = "search")]
    Report(ReportArgs),
    Run(RunArgs),
    #[cfg(feature = "search")]
    Check(CheckArgs),
    #[cfg(feature = "search")]
    Decompose(DecomposeArgs),
    #[cfg(feature = "search")]
    Rank(RankArgs),
    #[cfg(feature = "search")]
    Recursion(RecursionArgs),
    #[cfg(feature = "search")]
    Derive(DeriveArgs),
    #[cfg(feature = "search")]
    Solve(SolveArgs),
    #[cfg(feature = "search")]
    Frontier(FrontierArgs),
    #[cfg(feature = "search")]
    Merge(MergeArgs),
    #[cfg(feature = "search")]
    Matrix(MatrixArgs),
    Flow(FlowArgs),
    Word(WordArgs),
    Params(ParamsArgs),
    Need(NeedArgs),
    Cycles(CyclesArgs),
    Sparse(SparseArgs),
    State(StateArgs),
    #[cfg(feature = "search")]
    Fool(FoolArgs),
    #[cfg(feature = "search")]
    Horizon(HorizonArgs),
    #[cfg(feature = "search")]
    Gen(GenArgs),
    #[cfg(feature = "search")]
    CheckTask(CheckTaskArgs),
    Census(CensusArgs),
    Verify(VerifyArgs),
    List(ListArgs),
    Show(ShowArgs),
    New(NewArgs),
    Schema(SchemaArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Command {
    pub(super) fn name(&self) -> &'static str {
        match self {
            #[cfg(feature = "search")]
            Self::Audit(_) => "audit",
            #[cfg(feature = "search")]
            Self::Report(_) => "report",
            Self::Run(_) => "run",
            #[cfg(feature = "search")]
            Self::Check(_) => "check",
            #[cfg(feature = "search")]
            Self::Decompose(_) => "decompose",
            #[cfg(feature = "search")]
            Self::Rank(_) => "rank",
            #[cfg(feature = "search")]
            Self::Recursion(_) => "recursion",
            #[cfg(feature = "search")]
            Self::Derive(_) => "derive",
            #[cfg(feature = "search")]
            Self::Solve(_) => "solve",
            #[cfg(feature = "search")]
            Self::Frontier(_) => "frontier",
            #[cfg(feature = "search")]
            Self::Merge(_) => "merge",
            #[cfg(feature = "search")]
            Self::Matrix(_) => "matrix",
            Self::Flow(_) => "flow",
            Self::Word(_) => "word",
            Self::Params(_) => "params",
            Self::Need(_) => "need",
            Self::Cycles(_) => "cycles",
            Self::Sparse(_) => "sparse",
            Self::State(_) => "state",
            #[cfg(feature = "search")]
            Self::Fool(_) => "fool",
            #[cfg(feature = "search")]
            Self::Horizon(_) => "horizon",
            #[cfg(feature = "search")]
            Self::Gen(_) => "gen",
            #[cfg(feature = "search")]
            Self::CheckTask(_) => "check-task",
            Self::Census(_) => "census",
            Self::Verify(_) => "verify",
            Self::List(_) => "list",
            Self::Show(_) => "show",
            Self::New(_) => "new",
            Self::Schema(_) => "schema",
            Self::Completions(_) => "completions",
            Self::Man(_) => "man",
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

/// One page with the verdicts, the pictures and the ledgers
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof report --out report.html
  foolproof report BASE-A1 CUTS-A1 --out leak.html
  foolproof audit my-claims/ && foolproof report my-claims/ --out mine.html

The page is one file: no network, no server, readable without a script. It shows what the verifier accepts at that moment:
the committed evidence of shipped claims, and the evidence that `audit` wrote beside claim files (or --evidence DIR).")]
pub(super) struct ReportArgs {
    /// Claim ids, claim files, folders; every shipped claim without arguments
    #[arg(value_name = "ID|PATH")]
    pub(super) claims: Vec<String>,
    /// Only claims whose source begins with this key
    #[arg(long, value_name = "KEY")]
    pub(super) paper: Option<String>,
    /// Read the evidence from this folder
    #[arg(long, value_name = "DIR")]
    pub(super) evidence: Option<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub(super) out: PathBuf,
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
    /// Write a picture (SVG)
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
}

/// Is this protocol right on every input?
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof check toy-frf --protocol relay
  foolproof check hybrid-ff --protocol lookup --coq pair.v      then: coqc pair.v

Views are numbered and each message is computed once per sight, so games of 10^9 inputs take minutes. Without an answer
function the question is whether some answer function works.")]
pub(super) struct CheckArgs {
    /// Game file, or the name of a shipped game
    #[arg(value_name = "GAME")]
    pub(super) game: String,
    /// Strategy file, or the name of a shipped strategy
    #[arg(long, value_name = "P")]
    pub(super) protocol: String,
    /// Write an indistinguishable pair as a Coq file
    #[arg(long, value_name = "FILE")]
    pub(super) coq: Option<PathBuf>,
    /// Write a picture (SVG)
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
}

/// Which large sets of upper tables can the lower players not tell apart, step by step?
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof decompose decompose-2 --protocol lookup
  foolproof decompose decompose-3 --protocol lookup --tie greatest
  foolproof decompose toy-frf --protocol lookup --sizes 1,2      names the slot through which z_1 leaks
  foolproof decompose decompose-2-long --protocol lookup         thousands of addresses, by the rules of the strategy

Base step, rectangles, classes slot by slot beside one-shot classes, final count, pair: each size exact, next to what the
paper allows at c = 1. The evidence is verified by naive runs, or by the written rules of the strategy; the last lines say which.")]
pub(super) struct DecomposeArgs {
    /// Game file, or the name of a shipped game
    #[arg(value_name = "GAME")]
    pub(super) game: String,
    /// Strategy file, or the name of a shipped strategy
    #[arg(long, value_name = "P")]
    pub(super) protocol: String,
    /// Go on with the largest class of the joint transcript of each level
    #[arg(long)]
    pub(super) one_shot: bool,
    /// Sizes x_0,..,x_(L-1) of the sets Z_0, .., Z_(L-1) (default 2 each)
    #[arg(long, value_name = "X,..", value_delimiter = ',')]
    pub(super) sizes: Vec<u64>,
    /// Which of several largest classes is taken, by its key
    #[arg(long, value_enum, value_name = "TIE", default_value_t = TieArg::Least)]
    pub(super) tie: TieArg,
    /// Bit sets of all upper tables, or the rules of the strategy
    #[arg(long, value_enum, value_name = "M", default_value_t = DecomposeMethod::Auto)]
    pub(super) method: DecomposeMethod,
    /// Write a picture (SVG)
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
    /// Write the evidence to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) proof: Option<PathBuf>,
    /// Write the pair as a Coq file
    #[arg(long, value_name = "FILE")]
    pub(super) coq: Option<PathBuf>,
}

/// A tie rule.
#[cfg(feature = "search")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TieArg {
    /// The lexicographically least key.
    Least,
    /// The greatest.
    Greatest,
}

/// How a decomposition is found.
#[cfg(feature = "search")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DecomposeMethod {
    /// By listing, when the upper tables are few enough.
    Auto,
    /// Every upper table, in bit sets.
    Enumerate,
    /// Subcubes and affine spaces.
    Symbolic,
}

/// What is the shortest prompt on which the proof scheme shows that L-step composition is impossible?
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof derive --steps 2 --soft-bits 12 --carry-bits 12 --linear 0,0 --minimal
  foolproof derive --steps 3 --c 2 --linear 1,1
  foolproof derive --steps 4 --linear 0,1,1,1 --exponent
  foolproof derive --steps 2 --linear 0,1 --max-n 100000 --largest

--linear lists a_1,..,a_r: the recurrent layers after each of the r full layers.")]
#[expect(clippy::struct_excessive_bools, reason = "one per flag")]
pub(super) struct DeriveArgs {
    /// Composition steps L
    #[arg(long, value_name = "L")]
    pub(super) steps: usize,
    /// c = H d p of the network: s = 2c, carries of c(d+1) bits
    #[arg(long, value_name = "C")]
    pub(super) c: Option<String>,
    /// Dimension d of a head; divides c (default c, the largest carry)
    #[arg(long, value_name = "D")]
    pub(super) d: Option<String>,
    /// Bits of one digest
    #[arg(long, value_name = "S")]
    pub(super) soft_bits: Option<String>,
    /// Bits of one carry
    #[arg(long, value_name = "C")]
    pub(super) carry_bits: Option<String>,
    /// Recurrent layers after each full layer: a_1,..,a_r
    #[arg(long, value_name = "A", value_delimiter = ',', required = true)]
    pub(super) linear: Vec<String>,
    /// Recurrent layers before the first full layer
    #[arg(long, value_name = "A0", default_value = "0")]
    pub(super) before: String,
    /// separate or merged digests
    #[arg(long, value_name = "WORD", default_value = "separate")]
    pub(super) senders: String,
    /// refined or coarse cuts; with --exponent also coarse-full-w, refined-i-major
    #[arg(long, value_name = "WORD", default_value = "refined")]
    pub(super) mode: String,
    /// Only prompts of at most N tokens
    #[arg(long, value_name = "N")]
    pub(super) max_n: Option<String>,
    /// With --max-n: the largest c (or s, with --carry-bits) that is excluded
    #[arg(long)]
    pub(super) largest: bool,
    /// Check these integers: JSON, or TOML with a table [scheme]
    #[arg(long, value_name = "FILE")]
    pub(super) params: Option<PathBuf>,
    /// Use Lemma 7: after one layer the kept set is a product (separate senders, r < L, a_0 = a_1 = 0, L at least 3)
    #[arg(long)]
    pub(super) product_start: bool,
    /// Also exhaust everything shorter (L = 2)
    #[arg(long)]
    pub(super) minimal: bool,
    /// The exponent of n in c, for all large c
    #[arg(long)]
    pub(super) exponent: bool,
    /// Carries of c^K bits, a rational in [1, 2]; with --exponent
    #[arg(long, value_name = "K", default_value = "2")]
    pub(super) kappa: String,
    /// Write the evidence to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) proof: Option<PathBuf>,
    /// Write a picture (SVG)
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
    /// Write no evidence of more bytes (default 2^30)
    #[arg(long, value_name = "BYTES")]
    pub(super) max_proof: Option<String>,
}

/// What can a nonnegative kernel do on the least inner product of three tokens?
#[cfg(feature = "search")]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each one is a flag of the command"
)]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof rank --bits 4 --rank 1                   a bound from a code, or a kernel, or undecided
  foolproof rank --bits 5 --rank 3 --search          also search a kernel on more than 16 tokens
  foolproof rank --bits 4 --kernel min-ip-4          the best readout of a given kernel
  foolproof rank --bits 2 --kernel uniform --query 3 inputs and weights that refute it
  foolproof rank --gap 8                             the best ratio that one row forces
  foolproof rank --bits 9 --code 7,56,448            rank bounds of a code (words and their complements)
  foolproof rank --bits 24 --generate 11,6           the best code found of that weight and gap
  foolproof rank --bits 9 --code 7,56,448 --suite    the inputs they rest on, one JSON line each
  foolproof rank --bits 24 --softmax 9/10            is softmax with this beta right?
  foolproof rank --transcript 3,2                    bits that cross from one token to q queries

Tokens are masks: 12, 0b1100 or 0xc. The reference is docs/rank.md.")]
pub(super) struct RankArgs {
    /// All tokens of M bits
    #[arg(long, value_name = "M")]
    pub(super) bits: Option<u32>,
    /// Some tokens only
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) tokens: Vec<String>,
    /// Tokens of an input
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(super) length: usize,
    /// Error that has to be kept below
    #[arg(long, value_name = "E", default_value = "1/2")]
    pub(super) error: String,
    /// The error may be reached
    #[arg(long)]
    pub(super) at_most: bool,
    /// Is there a kernel of this rank?
    #[arg(long, value_name = "R")]
    pub(super) rank: Option<usize>,
    /// Search on up to 64 tokens
    #[arg(long, requires = "rank")]
    pub(super) search: bool,
    /// Starts of a search
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(super) starts: u64,
    /// Rounds of a start
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub(super) rounds: usize,
    /// A file with a table [kernel], a shipped kernel, or `uniform`
    #[arg(long, value_name = "FILE")]
    pub(super) kernel: Option<String>,
    /// Only these queries of the kernel
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "kernel")]
    pub(super) query: Vec<String>,
    /// The best ratio that one row forces at this gap
    #[arg(long, value_name = "G", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) gap: Option<u32>,
    /// Words of a code
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    pub(super) code: Vec<String>,
    /// Find words of this weight with this gap
    #[arg(
        long,
        value_name = "WEIGHT,GAP",
        value_delimiter = ',',
        conflicts_with = "code"
    )]
    pub(super) generate: Option<Vec<u32>>,
    /// Print the inputs of the code, one JSON line each
    #[arg(long)]
    pub(super) suite: bool,
    /// Only inputs with the query last
    #[arg(long, requires = "suite")]
    pub(super) query_only: bool,
    /// Softmax with score -BETA <x,z> and the plain readout
    #[arg(long, value_name = "BETA")]
    pub(super) softmax: Option<String>,
    /// q queries, blocks of s
    #[arg(long, value_name = "Q,S")]
    pub(super) transcript: Option<String>,
    /// Write the evidence to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) proof: Option<PathBuf>,
}

/// Does this pointer recursion compute k-hop, and if not, what does it compute?
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof recursion hop-1

FILE is a claim file with a table [claim.recursion]; the reference is docs/khop.md.")]
pub(super) struct RecursionArgs {
    /// Claim file, or the name of a shipped claim
    #[arg(value_name = "FILE")]
    pub(super) file: String,
    /// Longest input (default: that of the file)
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=64))]
    pub(super) length: Option<usize>,
}

/// Does any protocol solve the task?
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof solve toy-frf
  foolproof solve hybrid-ff --expect unsolvable --proof evidence/
  foolproof solve toy-frf --save found.toml && foolproof check toy-frf --protocol found.toml
  foolproof solve hybrid-ff --cubes 16 --checkpoint run.jsonl --limit-seconds 600
  foolproof solve --resume run.jsonl --proof evidence/

Evidence is verified before anything is said: a protocol by replay on all inputs, `unsolvable` by a counting bound, by all
protocols of a tiny game, or by a few inputs with a formula and its proof. --limit-seconds S ends with `undecided` (exit 3).

--cubes cuts the formula and keeps each finished cube in a checkpoint (CLAIM.cubes.jsonl unless --checkpoint names one, with the
proofs in a folder beside it). Whatever ends the run, --resume goes on with it and needs nothing else. Shards may run
on several machines: --shard 0/3, 1/3, 2/3, each with a checkpoint of its own, then `foolproof merge`.")]
pub(super) struct SolveArgs {
    /// Game file, or the name of a shipped game; not needed with --resume
    #[arg(value_name = "GAME", required_unless_present = "resume")]
    pub(super) game: Option<String>,
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
    /// Write a picture (SVG)
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
    /// Cut the formula into at least so many cubes, and keep a checkpoint
    #[arg(long, value_name = "N", conflicts_with = "resume", value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub(super) cubes: Option<u64>,
    /// Split a cube that takes more conflicts
    #[arg(long, value_name = "CONFLICTS", requires = "cubes", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) split_after: u32,
    /// Only the cubes with this number modulo N
    #[arg(long, value_name = "i/N", requires = "cubes")]
    pub(super) shard: Option<String>,
    /// The checkpoint to begin
    #[arg(long, value_name = "FILE", requires = "cubes")]
    pub(super) checkpoint: Option<PathBuf>,
    /// The checkpoint to go on with
    #[arg(long, value_name = "FILE")]
    pub(super) resume: Option<PathBuf>,
}

/// Join the checkpoints of shards, and say what they come to
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof merge shard-0.jsonl shard-1.jsonl --proof evidence/

Nothing is solved: cubes that are missing are counted (exit 3). The result is that of `solve` on one machine, byte for byte.")]
pub(super) struct MergeArgs {
    /// The checkpoints
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Write the evidence to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) proof: Option<PathBuf>,
    /// Exit 1 unless this is the verdict
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub(super) expect: Option<Expected>,
}

/// Where exactly is the boundary between solvable and unsolvable?
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof frontier hybrid-frf --over soft,linear --max 3,3 --svg frontier.svg

An axis is a number of the family table (soft, linear, symbols, ..) or a constant of `let` that sets alphabets; it takes
the values 1 to its maximum. More symbols never lose a protocol, so a point that follows from another is not searched.")]
pub(super) struct FrontierArgs {
    /// Game file, or the name of a shipped game; not needed with --resume
    #[arg(value_name = "GAME", required_unless_present = "resume")]
    pub(super) game: Option<String>,
    /// The axes
    #[arg(
        long,
        value_name = "NAME,..",
        value_delimiter = ',',
        required_unless_present = "resume"
    )]
    pub(super) over: Vec<String>,
    /// The largest value on each axis
    #[arg(
        long,
        value_name = "MAX,..",
        value_delimiter = ',',
        required_unless_present = "resume"
    )]
    pub(super) max: Vec<String>,
    /// Write the evidence of each searched point to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) proof: Option<PathBuf>,
    /// Write a picture (two axes)
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
    /// Keep each settled point in this new file
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(super) checkpoint: Option<PathBuf>,
    /// Go on with a checkpoint, which has game and axes inside
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "over", "max"])]
    pub(super) resume: Option<PathBuf>,
}

/// One cycle or two: how much must machines read, and how many rounds do they need?
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof cycles --vertices 6 --memory 2
  foolproof cycles --vertices 6 --held 2
  foolproof cycles --vertices 6 --directed

MPC machines forget: after a round they hold what they received in it. What is said depends on the size of a word, on
whether routes may depend on the data, and on whether laying out the input counts as a round; each is an option.")]
pub(super) struct CyclesArgs {
    /// Vertices: an even number up to 8
    #[arg(long, value_name = "N")]
    pub(super) vertices: usize,
    /// Words are successors; without it, edges without direction
    #[arg(long)]
    pub(super) directed: bool,
    /// Alice holds so many edges, Bob the others; Alice speaks once
    #[arg(long, value_name = "H")]
    pub(super) held: Option<usize>,
    /// Words that a machine sends and receives in a round
    #[arg(long, value_name = "S")]
    pub(super) memory: Option<u64>,
    /// Bits of a word
    #[arg(long, value_name = "P", default_value_t = 6)]
    pub(super) word_bits: u64,
    /// Destinations may depend on the data
    #[arg(long)]
    pub(super) data_dependent: bool,
    /// Laying out the input counts as a round
    #[arg(long)]
    pub(super) placement_counts: bool,
}

/// How many bits must two parties exchange to know an entry of a matrix?
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof matrix EQ --size 3
  foolproof matrix rows.txt --proof evidence/
  foolproof matrix disj-upper.toml --rounds
  foolproof matrix --all 3x3

FILE is a text (one row a line, one digit an entry, or entries separated by blanks), TOML with `[matrix]` and `rows`, a
game file of two players, or a function: EQ, GT, DISJ, IP of two strings of N bits, IND of a string and a place in it.
The depth counts the bits of both; in the end both know the entry. Each lower bound says how it was found; the tree and
one lower bound are verified before the depth is printed.")]
pub(super) struct MatrixArgs {
    /// Text, TOML or game file, or EQ, GT, DISJ, IP, IND with --size
    #[arg(value_name = "FILE", required_unless_present = "all")]
    pub(super) file: Option<String>,
    /// Bits of each string of a named function
    #[arg(long, value_name = "N")]
    pub(super) size: Option<u32>,
    /// The least depth for each number of rounds
    #[arg(long)]
    pub(super) rounds: bool,
    /// Least partitions and covers by rectangles of one value
    #[arg(long)]
    pub(super) covers: bool,
    /// How many 0/1 matrices of R rows and C columns have which depth
    #[arg(long, value_name = "RxC", conflicts_with_all = ["file", "size", "rounds", "covers"])]
    pub(super) all: Option<String>,
    /// Exit 1 unless this is the depth
    #[arg(long, value_name = "DEPTH")]
    pub(super) expect: Option<u32>,
    /// Write a picture (SVG) of the tree's rectangles
    #[arg(long, value_name = "FILE", conflicts_with = "all")]
    pub(super) svg: Option<PathBuf>,
    /// Write the evidence to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) proof: Option<PathBuf>,
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
    /// All of them but `exhaustive`, in this order; `ledger` last.
    Auto,
    /// Protocols that are known to work.
    Closed,
    /// Counting bounds.
    Count,
    /// The SAT solver.
    Sat,
    /// Every protocol, for tiny games.
    Exhaustive,
    /// The proof scheme's ledger, for hybrid games of any size; says unsolvable or nothing.
    Ledger,
}

/// Can the input of one player reach the view of another, for any protocol?
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof flow toy-frf --of 1 --view=-1 --epoch 1 --pin 'soft 1->-1'
  foolproof flow toy-frf --of 1 --view=-1 --epoch 1 --cuts --svg cuts.svg

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
    /// Write a picture (SVG)
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
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

/// Do the paper's own inequalities hold at these values?
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof params hybrid-v1 --steps 2 --c 2
  foolproof params hybrid-v1 --steps 8 --c 10^30 --format json

Every inequality is decided exactly; decimals are display only and marked ~.")]
pub(super) struct ParamsArgs {
    /// Key of the paper: hybrid-v1
    #[arg(value_name = "KEY")]
    pub(super) paper: String,
    /// Composition steps L, at least 2
    #[arg(long, value_name = "L")]
    pub(super) steps: u32,
    /// Bits of one token, c = H d p
    #[arg(long, value_name = "C", value_parser = natural)]
    pub(super) c: BigUint,
    /// Head size, a divisor of c (default c)
    #[arg(long, value_name = "D", value_parser = natural)]
    pub(super) d: Option<BigUint>,
    /// Recurrent layers after the first full one; the paper's proof has 0
    #[arg(long, value_name = "0|1", default_value = "0", value_parser = natural)]
    pub(super) a1: BigUint,
}

/// Tasks of `need`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum NeedTask {
    /// A table f, then a query x: f(x).
    Eva,
    /// A permutation, then a second one: their composition.
    #[value(name = "percom", alias = "per-com")]
    PerCom,
    /// Tokens: is there an earlier one with sum 0 mod M?
    #[value(alias = "two_sum", alias = "2sum", alias = "2-sum")]
    TwoSum,
    /// Copy n tokens.
    Copy,
    /// Index n bits.
    Index,
    /// Recall values by key.
    Mqar,
    /// Has a value occurred?
    Membership,
    /// Balanced brackets of bounded depth.
    Dyck,
    /// k-hop induction, by brute force only.
    #[value(alias = "k-hop", alias = "k_hop")]
    Khop,
    /// One matrix of a log-linear state, at the largest power of two up to n.
    #[value(alias = "log_linear", alias = "loglinear")]
    LogLinear,
}

/// How many states must any one-way reader keep?
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof need eva --n 64 --layers 1 --heads 1 --bits-per-scalar 16
  foolproof need two-sum --n 8 --domain n^2
  foolproof need percom --n 4 --cut 2 --brute
  foolproof need eva --bits 51118080           the largest n that so many bits do not exclude
  foolproof need copy --n 4096 --alphabet 32000 --for lfm2-1.2b
  foolproof need mqar --vocabulary 8192 --pairs 256
  foolproof need khop --k 2 --symbols 2 --prefix 8 --suffix 1

Worst case, exact answers, representational: nothing about training.")]
pub(super) struct NeedArgs {
    /// The task
    #[arg(value_enum, value_name = "TASK")]
    pub(super) task: NeedTask,
    /// Length
    #[arg(long, value_name = "N", value_parser = natural)]
    pub(super) n: Option<BigUint>,
    /// Number of values M: a number, n, or n^2
    #[arg(long, value_name = "M")]
    pub(super) domain: Option<String>,
    /// Tokens before the cut (default: the hardest cut)
    #[arg(long, value_name = "T", value_parser = natural)]
    pub(super) cut: Option<BigUint>,
    /// Count distinct rows by brute force too, where the size allows
    #[arg(long)]
    pub(super) brute: bool,
    /// The largest length that so many bits do not exclude
    #[arg(long, value_name = "BITS", value_parser = natural)]
    pub(super) bits: Option<BigUint>,
    /// 2-Sum: a token may be its own partner (j <= i)
    #[arg(long)]
    pub(super) reflexive: bool,
    /// PerCom: only the last output is asked for
    #[arg(long)]
    pub(super) last: bool,
    /// Symbols of copy and khop
    #[arg(long, visible_alias = "symbols", value_name = "V", value_parser = natural)]
    pub(super) alphabet: Option<BigUint>,
    /// Vocabulary of mqar, even: half keys, half values
    #[arg(long, visible_alias = "vocab", value_name = "V", value_parser = natural)]
    pub(super) vocabulary: Option<BigUint>,
    /// Pairs of mqar
    #[arg(long, value_name = "K", value_parser = natural)]
    pub(super) pairs: Option<BigUint>,
    /// Kinds of brackets of dyck
    #[arg(long, visible_alias = "types", value_name = "K", value_parser = natural)]
    pub(super) kinds: Option<BigUint>,
    /// Depth of dyck
    #[arg(long, value_name = "H", value_parser = natural)]
    pub(super) depth: Option<BigUint>,
    /// Hops of khop
    #[arg(long, value_name = "K", value_parser = natural)]
    pub(super) k: Option<BigUint>,
    /// Prefix length of khop
    #[arg(long, value_name = "P", value_parser = natural)]
    pub(super) prefix: Option<BigUint>,
    /// Suffix length of khop
    #[arg(long, value_name = "S", value_parser = natural)]
    pub(super) suffix: Option<BigUint>,
    /// Layers of a linear-attention model, for the smallest head size
    #[arg(long, value_name = "L", value_parser = natural)]
    pub(super) layers: Option<BigUint>,
    /// Heads of a layer
    #[arg(long, value_name = "H", value_parser = natural)]
    pub(super) heads: Option<BigUint>,
    /// Bits of a number
    #[arg(long, value_name = "P", value_parser = natural)]
    pub(super) bits_per_scalar: Option<BigUint>,
    /// Compare with the bounded state of this configuration: a config.json, or the name of a shipped one
    #[arg(long = "for", value_name = "CONFIG", conflicts_with_all = ["bits", "layers", "heads"])]
    pub(super) config: Option<String>,
}

/// Is this block summary large enough?
#[allow(
    clippy::struct_excessive_bools,
    reason = "each one is a flag of the command"
)]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof sparse --n 1024 --block 64 --read 4 --bits 256
  foolproof sparse --n 64,256,1024 --block 1,4,16,64 --read 2 --bits 64 --format md
  foolproof sparse --n 4 --block 2 --read 1 --domain 3 --exhaustive
  foolproof sparse --n 4 --block 2 --read 1 --domain 2 --map 0,1,1,1
  foolproof sparse --config moba --n 32768,131072

A list of lengths or block sizes gives a table. A map has one symbol per block, blocks in lexicographic order.")]
pub(super) struct SparseArgs {
    /// Length, or a list of lengths; not needed with --config, which gives the lengths that are excluded
    #[arg(long, value_name = "N", value_parser = natural, value_delimiter = ',', required_unless_present = "config")]
    pub(super) n: Vec<BigUint>,
    /// Block size, or a list of sizes
    #[arg(long, value_name = "B", value_parser = natural, value_delimiter = ',')]
    pub(super) block: Vec<BigUint>,
    /// Blocks read per query
    #[arg(long, value_name = "K", value_parser = natural)]
    pub(super) read: Option<BigUint>,
    /// Number of values (default: the length)
    #[arg(long, value_name = "M", value_parser = natural)]
    pub(super) domain: Option<BigUint>,
    /// Bits of one summary
    #[arg(long, value_name = "S", value_parser = natural)]
    pub(super) bits: Option<BigUint>,
    /// The summary may depend on the position of the block
    #[arg(long)]
    pub(super) position_dependent: bool,
    /// No value occurs twice in a block
    #[arg(long, conflicts_with = "position_dependent")]
    pub(super) no_repeats: bool,
    /// A published setting, as JSON: a file, or the name of a shipped one (moba, nsa, quest, dsa)
    #[arg(long, value_name = "FILE", conflicts_with = "bits")]
    pub(super) config: Option<String>,
    /// Heads that may choose different blocks: so many times K blocks are read
    #[arg(long, value_name = "H", value_parser = natural)]
    pub(super) heads: Option<BigUint>,
    /// A summary map to be fooled: one symbol per block
    #[arg(long, value_name = "SYMBOLS", value_delimiter = ',')]
    pub(super) map: Option<Vec<u64>>,
    /// Try all summary maps: the proof that the count is tight
    #[cfg(feature = "search")]
    #[arg(long)]
    pub(super) exhaustive: bool,
    /// What a block is, for --exhaustive
    #[cfg(feature = "search")]
    #[arg(long, value_enum, default_value_t = SpaceKind::Tuples)]
    pub(super) space: SpaceKind,
    /// Leave out maps whose beginnings already fail
    #[cfg(feature = "search")]
    #[arg(long)]
    pub(super) prune: bool,
    /// Write a picture (SVG)
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
}

/// What a block is.
#[cfg(feature = "search")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SpaceKind {
    /// Values in order, repeats allowed.
    Tuples,
    /// Values without order, repeats allowed.
    Multisets,
    /// Sets of at most B values.
    Sets,
}

/// What crosses a token boundary in this model, and what follows?
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof state jamba-v0.1
  foolproof state config.json --recurrent-bits 16
  foolproof state config.json --class-defaults --format json

A field that decides the state and is missing is an error; --class-defaults fills it from the public implementation's configuration
class and lists it. A class default need not be the checkpoint's value.")]
pub(super) struct StateArgs {
    /// A config.json, or the name of a shipped configuration
    #[arg(value_name = "CONFIG")]
    pub(super) config: String,
    /// Bits of a number in a recurrent tensor (default: what the file states, else 32)
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(super) recurrent_bits: Option<u64>,
    /// Bits of convolution inputs, token shifts and windows (default 16)
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(super) other_bits: Option<u64>,
    /// Fill missing fields from the configuration class, and list them
    #[arg(long)]
    pub(super) class_defaults: bool,
    /// Tokens before the boundary, for log-linear states
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) tokens: Option<u64>,
    /// Count finite values only
    #[arg(long)]
    pub(super) finite: bool,
    /// A further alphabet size for copy
    #[arg(long, value_name = "V", value_parser = clap::value_parser!(u64).range(2..))]
    pub(super) alphabet: Vec<u64>,
}

/// A task that a model is asked to do.
#[cfg(feature = "search")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ModelTask {
    /// A table of n entries, then a position.
    Eva,
    /// Two permutations: their composition.
    #[value(name = "percom", alias = "per-com")]
    PerCom,
    /// Does an earlier token add up with the last to 0 mod M?
    #[value(alias = "two_sum", alias = "2sum", alias = "2-sum")]
    TwoSum,
    /// n tokens, then a mark: all of them again.
    Copy,
    /// n bits, then a position.
    Index,
    /// Pairs of keys and values, then a key.
    Mqar,
    /// Has a value occurred?
    Membership,
    /// k-hop induction at the last position.
    #[value(alias = "k-hop", alias = "k_hop")]
    Khop,
}

/// A task with its sizes and its table of tokens.
#[cfg(feature = "search")]
#[derive(Args, Debug)]
pub(super) struct TaskArgs {
    /// The task
    #[arg(long, value_enum, value_name = "T")]
    pub(super) task: ModelTask,
    /// Length
    #[arg(long, value_name = "N")]
    pub(super) n: Option<u64>,
    /// Number of values of two-sum and membership
    #[arg(long, value_name = "M")]
    pub(super) domain: Option<u64>,
    /// Symbols of copy and khop
    #[arg(long, visible_alias = "symbols", value_name = "V")]
    pub(super) alphabet: Option<u64>,
    /// Vocabulary of mqar, even: half keys, half values
    #[arg(long, visible_alias = "vocab", value_name = "V")]
    pub(super) vocabulary: Option<u64>,
    /// Pairs of mqar
    #[arg(long, value_name = "K")]
    pub(super) pairs: Option<u64>,
    /// Hops of khop
    #[arg(long, value_name = "K")]
    pub(super) k: Option<u64>,
    /// Tables from symbols to tokens, as JSON: values, keys, queries, answers, each a list
    #[arg(long, value_name = "FILE")]
    pub(super) encoding: Option<PathBuf>,
}

/// A model that runs as a process.
#[cfg(feature = "search")]
#[derive(Args, Debug)]
pub(super) struct ExecArgs {
    /// Command of the model; started without a shell
    #[arg(long, value_name = "CMD")]
    pub(super) exec: Option<String>,
    /// A file the model depends on: its digest goes into the evidence
    #[arg(long, value_name = "FILE")]
    pub(super) depends: Vec<PathBuf>,
    /// Seconds to wait for one reply
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub(super) reply_seconds: u64,
    /// Seconds to wait for the end of the model
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=86400))]
    pub(super) grace: u64,
}

/// Find two inputs this model cannot tell apart, or one it answers wrong
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof fool --spec eva-additive --task eva --n 6 --proof evidence/
  foolproof fool --exec 'python3 examples/numpy_recurrent.py' --task eva --n 6 --proof evidence/
  foolproof verify evidence/FOOL-EVA.json --exec 'python3 examples/numpy_recurrent.py'

The model reads one JSON object a line and writes one a line; examples/foolproof_client.py does that part. Evidence is about outputs:
two inputs, their outputs, and what the task requires. `none-found` (exit 3) says nothing about what was not asked.")]
pub(super) struct FoolArgs {
    #[command(flatten)]
    pub(super) exec: ExecArgs,
    /// An exact model instead of a command: a file, or the name of a shipped one
    #[arg(long, value_name = "FILE", conflicts_with = "exec")]
    pub(super) spec: Option<PathBuf>,
    #[command(flatten)]
    pub(super) task: TaskArgs,
    /// Most requests to the model
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(super) budget: u64,
    /// Of every random choice
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(super) seed: u64,
    /// Exit 1 unless this is the verdict
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub(super) expect: Option<FoolVerdict>,
    /// Write the evidence to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) proof: Option<PathBuf>,
}

/// A verdict of `fool`.
#[cfg(feature = "search")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FoolVerdict {
    /// Evidence was found.
    Fooled,
    /// Every input was run and accepted.
    Correct,
    /// The budget was used up.
    NoneFound,
}

#[cfg(feature = "search")]
impl FoolVerdict {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Fooled => "fooled",
            Self::Correct => "correct",
            Self::NoneFound => "none-found",
        }
    }
}

/// After how many tokens is the past forgotten, bit for bit?
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof horizon --spec gated-f32 --proof evidence/
  foolproof horizon --exec 'python3 examples/numpy_recurrent.py' --limit 1000

Two random prefixes, one random continuation: the least number of its tokens after which the two states are equal in every bit. No such
number up to the limit: undecided, exit 3.")]
pub(super) struct HorizonArgs {
    #[command(flatten)]
    pub(super) exec: ExecArgs,
    /// An exact model instead of a command: a file, or the name of a shipped one
    #[arg(long, value_name = "FILE", conflicts_with = "exec")]
    pub(super) spec: Option<PathBuf>,
    /// Tokens of each prefix
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1 << 20))]
    pub(super) prefix: usize,
    /// Most tokens of the continuation
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1 << 24))]
    pub(super) limit: usize,
    /// Draw from the first V tokens only
    #[arg(long, value_name = "V")]
    pub(super) tokens: Option<u64>,
    /// Of every random choice
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(super) seed: u64,
    /// Write the evidence to this folder; only for --spec
    #[arg(long, value_name = "DIR")]
    pub(super) proof: Option<PathBuf>,
}

/// Write task instances, one JSON object a line
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof gen --task mqar --vocabulary 8192 --pairs 64 --count 1000 --seed 1 > train.jsonl
  foolproof check-task train.jsonl --mqar")]
pub(super) struct GenArgs {
    #[command(flatten)]
    pub(super) task: TaskArgs,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) count: u64,
    /// Of every random choice
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(super) seed: u64,
}

/// Do instances of a task contradict each other?
#[cfg(feature = "search")]
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof check-task train.jsonl --mqar

Exit 1 when two lines have equal tokens and different targets, or, with --mqar, when a key is bound to two values.")]
pub(super) struct CheckTaskArgs {
    /// A file with one object {\"tokens\": [..], \"target\": [..]} a line
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Lines are pairs of key and value, then a key
    #[arg(long)]
    pub(super) mqar: bool,
}

/// How many inputs reach each state of a fixed-update reader?
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  foolproof census --n 8 --states 256 --update 31,17,1,1
  foolproof census --n 7 --states 256 --update 31,17,1,1 --enumerate
  foolproof census --spec reader.toml

State 0 at the start; entry v at position k, both from 0, gives (A s + B v + C k + D) mod S. A spec file has a table [update] with
n, states, update and values (default n), or a table [additive] with keys (a list of integer vectors) and values = [least, most]:
the state is the sum of the values times their keys; or a model, [model.X], with [inputs].")]
pub(super) struct CensusArgs {
    /// Entries, each one of n values
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "spec",
        conflicts_with = "spec"
    )]
    pub(super) n: Option<u64>,
    /// States S
    #[arg(
        long,
        value_name = "S",
        required_unless_present = "spec",
        conflicts_with = "spec"
    )]
    pub(super) states: Option<u64>,
    /// The four numbers of the update rule
    #[arg(
        long,
        value_name = "A,B,C,D",
        value_delimiter = ',',
        allow_hyphen_values = true,
        required_unless_present = "spec",
        conflicts_with = "spec"
    )]
    pub(super) update: Vec<BigInt>,
    /// Values of an entry (default n)
    #[arg(long, value_name = "V")]
    pub(super) values: Option<u64>,
    /// Also visit every input, as a cross-check
    #[arg(long)]
    pub(super) enumerate: bool,
    /// A file with the reader
    #[arg(long, value_name = "FILE")]
    pub(super) spec: Option<PathBuf>,
}

/// Re-check evidence from disk, without any search code
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof verify witnesses/

A folder is read recursively; a folder `mutants` only when it is named itself. Evidence about a running model is replayed only when
its command is given again, with --exec.")]
pub(super) struct VerifyArgs {
    /// Evidence files or folders
    #[arg(value_name = "PATH", required = true)]
    pub(super) paths: Vec<PathBuf>,
    #[cfg(feature = "search")]
    #[command(flatten)]
    pub(super) exec: ExecArgs,
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

/// Print the JSON Schema of a file format, for editors that check TOML while it is written
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof schema game > game.json")]
pub(super) struct SchemaArgs {
    /// game, strategy or claim
    #[arg(value_enum, value_name = "KIND")]
    pub(super) kind: SchemaKind,
}

/// What has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SchemaKind {
    /// A game file.
    Game,
    /// A strategy file.
    Strategy,
    /// A claim file.
    Claim,
}

/// Print the completions of a shell
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof completions bash > foolproof.bash")]
pub(super) struct CompletionsArgs {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_enum, value_name = "SHELL")]
    pub(super) shell: clap_complete::Shell,
}

/// Write the manual pages to a folder
#[derive(Args, Debug)]
#[command(after_help = "Example:
  foolproof man man/ && man man/foolproof.1")]
pub(super) struct ManArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    pub(super) dir: PathBuf,
}
