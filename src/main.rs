//! The command `foolproof`.

use std::process::ExitCode;

fn main() -> ExitCode {
    foolproof::cli::main()
}
