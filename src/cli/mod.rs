//! The command line: one file per subcommand, one place that prints and sets the exit code.

mod args;
#[cfg(feature = "search")]
mod audit;
mod census;
#[cfg(feature = "search")]
mod check;
mod completions;
#[cfg(feature = "search")]
mod coq;
mod cycles;
#[cfg(feature = "search")]
mod decompose;
#[cfg(feature = "search")]
mod derive;
mod flow;
#[cfg(feature = "search")]
mod fool;
#[cfg(feature = "search")]
mod frontier;
#[cfg(feature = "search")]
mod r#gen;
#[cfg(feature = "search")]
mod horizon;
mod list;
#[cfg(feature = "search")]
mod matrix;
#[cfg(feature = "search")]
mod merge;
mod need;
mod new;
mod params;
#[cfg(feature = "search")]
mod rank;
#[cfg(feature = "search")]
mod recursion;
#[cfg(feature = "search")]
mod report;
mod run;
mod schema;
mod shipped;
mod show;
#[cfg(feature = "search")]
mod solve;
mod sparse;
mod state;
mod verify;
mod word;

use crate::file::constants::Overrides;
use crate::file::expr::Limits;
use crate::file::{Fault, FileError};
use crate::report::svg::Picture;
use crate::report::table::Table;
use args::{Cli, Command, Format};
use clap::Parser;
use num_bigint::BigUint;
use serde_json::{Map, Value as Json, json};
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// Answered, and as expected.
    Answered = 0,
    /// Answered, not as expected.
    Unexpected = 1,
    /// Bad usage or bad input.
    BadInput = 2,
    /// Not answered: a limit, or interrupted.
    NotAnswered = 3,
    /// A contradiction inside this program.
    Contradiction = 4,
}

/// The result of a command, in every format it can be printed in.
struct Output {
    text: String,
    json: Map<String, Json>,
    markdown: Option<String>,
    /// Lines that are the result in every format.
    raw: Option<String>,
    /// The same as a table, for `--format md` and `latex`.
    table: Option<Table>,
    exit: Exit,
}

impl Output {
    fn new(text: impl Into<String>, json: Json) -> Self {
        let json = match json {
            Json::Object(map) => map,
            other @ (Json::Null
            | Json::Bool(_)
            | Json::Number(_)
            | Json::String(_)
            | Json::Array(_)) => [("result".to_owned(), other)].into_iter().collect(),
        };
        Self {
            text: text.into(),
            json,
            markdown: None,
            raw: None,
            table: None,
            exit: Exit::Answered,
        }
    }

    fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    fn table(mut self, table: Table) -> Self {
        self.table = Some(table);
        self
    }
}

/// Why a command gives no result.
enum Failure {
    File(FileError),
    /// Bad usage or input without a position.
    Usage(String),
    /// A size over a limit.
    TooLarge(String),
    /// A bug.
    Contradiction(String),
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// What all commands share.
struct Context {
    overrides: Overrides,
    limits: Limits,
    /// `--max-inputs`, when given.
    max_inputs: Option<BigUint>,
    #[cfg_attr(
        not(feature = "search"),
        expect(dead_code, reason = "only searches run long")
    )]
    limit_seconds: Option<u64>,
}

impl Context {
    /// The size limit: 2^32 inputs unless `--max-inputs` says otherwise.
    fn max_inputs(&self) -> BigUint {
        self.max_inputs
            .clone()
            .unwrap_or_else(|| BigUint::from(1u64 << 32))
    }

    /// The limit of the verifier: 2^22 inputs unless `--max-inputs` says otherwise.
    fn options(&self) -> crate::evidence::verify::Options {
        let mut options = crate::evidence::verify::Options {
            limits: self.limits,
            ..Default::default()
        };
        if let Some(limit) = &self.max_inputs {
            options.max_inputs.clone_from(limit);
        }
        options
    }
}

/// What is said without arguments: the three most useful commands.
#[cfg(feature = "search")]
const FIRST: &str = "foolproof: exact communication games behind lower-bound proofs about attention models

  foolproof audit                what is the verdict on each shipped claim, and on what evidence?
  foolproof new claim LEMMA-1    a claim of your own: a commented file, ready for `foolproof audit LEMMA-1.toml`
  foolproof report               one page with all verdicts, pictures and ledgers

`foolproof --help` lists every command; each has an example that works.";

/// The same for the build without the search half.
#[cfg(not(feature = "search"))]
const FIRST: &str =
    "foolproof: exact communication games behind lower-bound proofs about attention models

  foolproof verify witnesses/    check the evidence again, without any search code
  foolproof list                 what is shipped?
  foolproof flow GAME --of A --view B    what can influence what, for every protocol?

`foolproof --help` lists every command; this build has no search.";

/// Nothing was asked, so nothing is answered.
fn greet() -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{FIRST}");
    ExitCode::from(Exit::BadInput as u8)
}

/// Parses the command line, runs the command, prints its result once, and gives the exit code.
pub fn main() -> ExitCode {
    if std::env::args_os().len() == 1 {
        return greet();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors, and go to stdout.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() {
                Exit::BadInput as u8
            } else {
                0
            });
        }
    };
    let exit = match execute(&cli) {
        Ok(output) => print(&cli, output),
        Err(failure) => fail(&failure),
    };
    ExitCode::from(exit as u8)
}

fn execute(cli: &Cli) -> Result<Output, Failure> {
    let context = cli.context().map_err(Failure::Usage)?;
    #[cfg(feature = "search")]
    if let Some(threads) = cli.threads {
        // A second call in one process keeps the first pool; the result does not depend on it.
        let _ = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global();
    }
    match &cli.command {
        Command::Run(args) => run::run(args, &context),
        Command::Flow(args) => flow::run(args, &context),
        Command::Word(args) => word::run(args),
        Command::Params(args) => params::run(args),
        Command::Need(args) => need::run(args, &context),
        Command::Cycles(args) => cycles::run(args),
        Command::Sparse(args) => sparse::run(args, &context),
        Command::State(args) => state::run(args),
        #[cfg(feature = "search")]
        Command::Fool(args) => fool::run(args, &context),
        #[cfg(feature = "search")]
        Command::Horizon(args) => horizon::run(args, &context),
        #[cfg(feature = "search")]
        Command::Gen(args) => r#gen::generate(args),
        #[cfg(feature = "search")]
        Command::CheckTask(args) => r#gen::check(args),
        Command::Census(args) => census::run(args, &context),
        Command::Show(args) => show::run(args, &context),
        Command::New(args) => new::run(args),
        Command::List(args) => list::run(args),
        Command::Schema(args) => Ok(schema::run(args)),
        Command::Completions(args) => Ok(completions::completions(args)),
        Command::Man(args) => completions::man(args),
        Command::Verify(args) => verify::run(args, &context),
        #[cfg(feature = "search")]
        Command::Check(args) => check::run(args, &context),
        #[cfg(feature = "search")]
        Command::Decompose(args) => decompose::run(args, &context),
        #[cfg(feature = "search")]
        Command::Rank(args) => rank::run(args, &context),
        #[cfg(feature = "search")]
        Command::Recursion(args) => recursion::run(args, &context),
        #[cfg(feature = "search")]
        Command::Derive(args) => derive::run(args),
        #[cfg(feature = "search")]
        Command::Audit(args) => audit::run(args, &context),
        #[cfg(feature = "search")]
        Command::Report(args) => report::run(args, &context),
        #[cfg(feature = "search")]
        Command::Solve(args) => solve::run(args, &context),
        #[cfg(feature = "search")]
        Command::Frontier(args) => frontier::run(args, &context),
        #[cfg(feature = "search")]
        Command::Merge(args) => merge::run(args, &context),
        #[cfg(feature = "search")]
        Command::Matrix(args) => matrix::run(args, &context),
    }
}

fn print(cli: &Cli, output: Output) -> Exit {
    let text = match cli.format {
        _ if output.raw.is_some() => output.raw.unwrap_or_default(),
        Format::Text => output.text,
        Format::Md | Format::Latex => match tabular(cli.format, &output) {
            Some(table) => table,
            None => {
                return fail(&Failure::Usage(format!(
                    "`{}` has no table here; --format text or json",
                    cli.command.name()
                )));
            }
        },
        Format::Json => {
            let mut json = output.json;
            json.insert("foolproof".to_owned(), json!(env!("CARGO_PKG_VERSION")));
            json.insert("command".to_owned(), json!(cli.command.name()));
            Json::Object(json).to_string()
        }
    };
    let mut stdout = std::io::stdout().lock();
    // A closed pipe is the reader's choice, not an error of ours.
    let _ = writeln!(stdout, "{}", text.trim_end_matches('\n'));
    output.exit
}

/// A remark on stderr.
#[cfg(feature = "cadical")]
fn warn(message: &str) {
    let _ = writeln!(std::io::stderr(), "warning: {message}");
}

/// The table of a result.
fn tabular(format: Format, output: &Output) -> Option<String> {
    match (format, &output.table) {
        (Format::Latex, table) => table.as_ref().map(Table::latex),
        (_, Some(table)) => Some(table.markdown()),
        (_, None) => output.markdown.clone(),
    }
}

/// Writes beside, then renames: never a partial file.
fn replace_file(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    fs::write(&temporary, content)
        .and_then(|()| fs::rename(&temporary, path))
        .map_err(|error| {
            // It may not even exist; the first error is the one to report.
            let _ = fs::remove_file(&temporary);
            Failure::Usage(format!("{}: {error}", path.display()))
        })
}

/// Writes a picture, if one was asked for.
fn write_svg(
    path: Option<&Path>,
    picture: impl FnOnce() -> Result<Picture, Failure>,
) -> Result<(), Failure> {
    path.map_or(Ok(()), |path| {
        replace_file(path, picture()?.file().as_bytes())
    })
}

fn fail(failure: &Failure) -> Exit {
    let (message, exit) = match failure {
        Failure::File(error) => {
            let excerpt = error.excerpt().filter(|_| std::io::stderr().is_terminal());
            let exit = match error.fault {
                Fault::Input => Exit::BadInput,
                Fault::Size => Exit::NotAnswered,
            };
            (
                excerpt.map_or_else(
                    || error.to_string(),
                    |excerpt| format!("{error}\n{excerpt}"),
                ),
                exit,
            )
        }
        Failure::Usage(message) => (message.clone(), Exit::BadInput),
        Failure::TooLarge(message) => (message.clone(), Exit::NotAnswered),
        Failure::Contradiction(message) => (
            format!("internal contradiction (a bug of foolproof, please report it): {message}"),
            Exit::Contradiction,
        ),
    };
    let _ = writeln!(std::io::stderr(), "{message}");
    exit
}
