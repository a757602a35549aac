//! `completions` and `man`: written from the same registry of arguments that parses the command line.

use crate::cli::args::{Cli, CompletionsArgs, ManArgs};
use crate::cli::{Failure, Output, replace_file};
use crate::report::words::plural;
use clap::CommandFactory;
use serde_json::json;
use std::fs;

pub(super) fn completions(args: &CompletionsArgs) -> Output {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "foolproof", &mut bytes);
    let script = String::from_utf8_lossy(&bytes).into_owned();
    let json = json!({"shell": args.shell.to_string(), "script": script});
    Output::new(script, json)
}

pub(super) fn man(args: &ManArgs) -> Result<Output, Failure> {
    let failed = |error: std::io::Error| Failure::Usage(format!("{}: {error}", args.dir.display()));
    fs::create_dir_all(&args.dir).map_err(failed)?;
    let mut command = Cli::command();
    command.build();
    let mut pages = vec![("foolproof.1".to_owned(), command.clone())];
    let visible = command
        .get_subcommands()
        .filter(|sub| sub.get_name() != "help");
    pages.extend(visible.map(|sub| {
        let name = format!("foolproof-{}", sub.get_name());
        let page = format!("{name}.1");
        (page, sub.clone().name(name.clone()).bin_name(name))
    }));
    let mut names = Vec::new();
    for (name, command) in pages {
        let mut bytes = Vec::new();
        clap_mangen::Man::new(command)
            .render(&mut bytes)
            .map_err(failed)?;
        replace_file(&args.dir.join(&name), &bytes)?;
        names.push(name);
    }
    let text = format!(
        "wrote {} to {}",
        plural(names.len(), "page"),
        args.dir.display()
    );
    Ok(Output::new(text, json!({"pages": names})))
}
