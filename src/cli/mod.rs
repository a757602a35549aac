//! The command line: one file per subcommand, one place that prints and sets the exit code.

mod args;
#[cfg(feature = "search")]
mod audit;
mod census;
#[cfg(feature = "search")]
mod check;
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
mod need;
mod new;
mod params;
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
use args::{Cli, Command, Format};
use clap::Parser;
use num_bigint::BigUint;
use serde_json::{Map, Value as Json, json};
use std::io::{IsTerminal, Write};
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
            exit: Exit::Answered,
        }
    }

    fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
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

/// Parses the command line, runs the command, prints its result once, and gives the exit code.
pub fn main() -> ExitCode {
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
        Err(failure) => report(&failure),
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
        Command::Sparse(args) => sparse::run(args, &context),
        Command::State(args) => state::run(args),
        #[cfg(feature = "search")]
        Command::Fool(args) => fool::run(args, &context),
        #[cfg(feature = "search")]
        Command::Horizon(args) => horizon::run(args),
        #[cfg(feature = "search")]
        Command::Gen(args) => r#gen::generate(args),
        #[cfg(feature = "search")]
        Command::CheckTask(args) => r#gen::check(args),
        Command::Census(args) => census::run(args, &context),
        Command::Show(args) => show::run(args, &context),
        Command::New(args) => new::run(args),
        Command::List(args) => list::run(args),
        Command::Schema(args) => Ok(schema::run(args)),
        Command::Verify(args) => verify::run(args, &context),
        #[cfg(feature = "search")]
        Command::Check(args) => check::run(args, &context),
        #[cfg(feature = "search")]
        Command::Derive(args) => derive::run(args),
        #[cfg(feature = "search")]
        Command::Audit(args) => audit::run(args, &context),
        #[cfg(feature = "search")]
        Command::Solve(args) => solve::run(args, &context),
        #[cfg(feature = "search")]
        Command::Frontier(args) => frontier::run(args, &context),
    }
}

fn print(cli: &Cli, output: Output) -> Exit {
    let text = match cli.format {
        _ if output.raw.is_some() => output.raw.unwrap_or_default(),
        Format::Text => output.text,
        Format::Md => match output.markdown {
            Some(markdown) => markdown,
            None => {
                return report(&Failure::Usage(format!(
                    "`{}` has no table; --format text or json",
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

fn report(failure: &Failure) -> Exit {
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
