//! `fool`: find two inputs this model cannot tell apart. And the command behind `--exec`.

use crate::cli::args::{ExecArgs, FoolArgs, FoolVerdict, ModelTask, TaskArgs};
use crate::cli::{Context, Exit, Failure, Output, replace_file, shipped, state};
use crate::evidence::digest;
use crate::evidence::exact::{Exact, Subject};
use crate::evidence::external::{Command, External, Side};
use crate::evidence::verify::external::Repeated;
use crate::evidence::verify::{Outcome as Checked, verify_bytes, verify_repeated};
use crate::file::FileError;
use crate::models::process::{Patience, Process};
use crate::models::spec::SpecModel;
use crate::models::task::{Encoding, Task};
use crate::models::wire::{Ask, Broken, Oracle, Reply};
use crate::search::fool::{Found, Limits, Outcome, Stats, fool};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Self {
        Self::Usage(broken.to_string())
    }
}

/// A command line, taken apart without a shell.
pub(super) fn words(exec: &str) -> Result<Vec<String>, Failure> {
    let words = shlex::split(exec)
        .ok_or_else(|| Failure::Usage(format!("exec: quotes do not match in `{exec}`")))?;
    if words.is_empty() {
        return Err(Failure::Usage("exec: an empty command".to_owned()));
    }
    Ok(words)
}

/// The command with the digests of its executable and of the files named.
pub(super) fn command(words: Vec<String>, depends: &[PathBuf]) -> Result<Command, Failure> {
    let program = &words[0];
    let path = find(program)
        .ok_or_else(|| Failure::Usage(format!("exec: no command `{program}` here or in PATH")))?;
    let read = |path: &Path| -> Result<String, Failure> {
        let bytes = fs::read(path)
            .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
        Ok(digest::of_bytes(&bytes))
    };
    let depends = depends
        .iter()
        .map(|path| Ok((path.display().to_string(), read(path)?)))
        .collect::<Result<BTreeMap<_, _>, Failure>>()?;
    Ok(Command {
        executable: read(&path)?,
        words,
        depends,
    })
}

fn find(program: &str) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return path.is_file().then(|| path.to_owned());
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

pub(super) fn patience(args: &ExecArgs) -> Patience {
    Patience {
        reply: Duration::from_secs(args.reply_seconds),
        grace: Duration::from_secs(args.grace),
    }
}

/// The task of the command line.
pub(super) fn task(args: &TaskArgs) -> Result<Task, Failure> {
    let need = |name: &str, value: Option<u64>| {
        value.ok_or_else(|| Failure::Usage(format!("{name}: missing, expected --{name}")))
    };
    let n = || need("n", args.n);
    let task = match args.task {
        ModelTask::Eva => Task::Eva { n: n()? },
        ModelTask::PerCom => Task::PerCom { n: n()? },
        ModelTask::TwoSum => Task::TwoSum {
            n: n()?,
            modulus: need("domain", args.domain)?,
        },
        ModelTask::Copy => Task::Copy {
            n: n()?,
            alphabet: need("alphabet", args.alphabet)?,
        },
        ModelTask::Index => Task::Index { n: n()? },
        ModelTask::Mqar => Task::Mqar {
            vocabulary: need("vocabulary", args.vocabulary)?,
            pairs: need("pairs", args.pairs)?,
        },
        ModelTask::Membership => Task::Membership {
            tokens: n()?,
            values: need("domain", args.domain)?,
        },
        ModelTask::Khop => Task::KHop {
            n: n()?,
            k: need("k", args.k)?,
            alphabet: need("alphabet", args.alphabet)?,
        },
    };
    task.validate().map_err(Failure::Usage)?;
    Ok(task)
}

/// The table from symbols to tokens: the default, or a file.
pub(super) fn encoding(task: &Task, path: Option<&PathBuf>) -> Result<Encoding, Failure> {
    let Some(path) = path else {
        return Ok(Encoding::default_for(task));
    };
    let source = shipped::read(path)?;
    let node = state::parse(&source)?;
    Encoding::read(task, &node)
        .map_err(|(at, message)| FileError::into(source.error_at(at, message)))
}

/// The model of `--spec`.
pub(super) fn spec(path: &Path) -> Result<SpecModel, Failure> {
    Ok(crate::file::models::read(&shipped::read_or_shipped(path)?)?.model)
}

pub(super) fn run(args: &FoolArgs, context: &Context) -> Result<Output, Failure> {
    let task = task(&args.task)?;
    let encoding = encoding(&task, args.task.encoding.as_ref())?;
    let limits = Limits {
        budget: args.budget,
        seed: args.seed,
        deadline: context
            .limit_seconds
            .map(|seconds| Instant::now() + Duration::from_secs(seconds)),
    };
    let mut stats = Stats::default();
    let report = Report {
        task: &task,
        encoding: &encoding,
        expect: args.expect,
    };
    if let Some(path) = &args.spec {
        let mut model = spec(path)?;
        fits(&model, &task, &encoding)?;
        let outcome = fool(&mut model, &task, &encoding, &limits, &mut stats)?;
        let mut output = match &outcome {
            Outcome::Found(found) => {
                let exact = certify_exact(&model, &report, found)?;
                let claim = format!("FOOL-{}", task.name().to_uppercase());
                let written = prove(&exact, &claim, args.proof.as_deref(), context)?;
                let Subject::Pair { sides, .. } = &exact.subject else {
                    return Err(Failure::Contradiction(
                        "evidence of another kind".to_owned(),
                    ));
                };
                let mut output = report.fooled(found, &stats, Some(sides));
                mention(&mut output, written.as_deref(), "");
                output
            }
            Outcome::Correct => report.plain("correct", &stats),
            Outcome::Nothing => report.plain("none-found", &stats),
        };
        if let Some(relation) = model.relation() {
            let list: Vec<String> = relation.iter().map(ToString::to_string).collect();
            let _ = write!(
                output.text,
                "\nadditive state: changing the values by ({}), or a multiple, leaves it unchanged at any precision",
                list.join(", ")
            );
            output.json.insert("relation".to_owned(), json!(list));
        }
        return Ok(output);
    }
    let Some(exec) = &args.exec.exec else {
        return Err(Failure::Usage(
            "exec: missing, expected --exec CMD or --spec FILE".to_owned(),
        ));
    };
    let command = command(words(exec)?, &args.exec.depends)?;
    let patience = patience(&args.exec);
    let mut model = Process::start(&command.words, patience)?;
    fits(&model, &task, &encoding)?;
    if !model.hello().deterministic {
        return Err(Failure::Usage(
            "model: it says it is not deterministic, so nothing it answers is evidence".to_owned(),
        ));
    }
    let outcome = fool(&mut model, &task, &encoding, &limits, &mut stats)?;
    let output = match &outcome {
        Outcome::Nothing => report.plain("none-found", &stats),
        Outcome::Correct => report.plain("correct", &stats),
        Outcome::Found(found) => {
            let external = certify(&mut model, &command, patience, &report, found)?;
            let claim = format!("FOOL-{}", task.name().to_uppercase());
            let bytes = external.witness(&claim).to_bytes();
            check(&claim, &bytes, &command, patience, context)?;
            let written = write(&claim, &bytes, args.proof.as_deref())?;
            let mut output = report.fooled(found, &stats, Some(&external.sides));
            mention(
                &mut output,
                written.as_deref(),
                &format!(" --exec '{exec}'"),
            );
            output
        }
    };
    model.bye();
    Ok(output)
}

/// Writes evidence to a folder, if there is one; returns the name of the file.
fn write(claim: &str, bytes: &[u8], folder: Option<&Path>) -> Result<Option<String>, Failure> {
    let Some(folder) = folder else {
        return Ok(None);
    };
    let name = format!("{claim}.json");
    fs::create_dir_all(folder)
        .map_err(|error| Failure::Usage(format!("{}: {error}", folder.display())))?;
    replace_file(&folder.join(&name), bytes)?;
    Ok(Some(name))
}

/// Names the file that was written.
pub(super) fn mention(output: &mut Output, written: Option<&str>, more: &str) {
    if let Some(name) = written {
        let _ = write!(
            output.text,
            "\nevidence {name}; replay: foolproof verify DIR/{name}{more}"
        );
    }
    output.json.insert("witness".to_owned(), json!(written));
}

/// Checks our own evidence about a model of a file, and writes it.
pub(super) fn prove(
    exact: &Exact,
    claim: &str,
    folder: Option<&Path>,
    context: &Context,
) -> Result<Option<String>, Failure> {
    let bytes = exact.witness(claim).to_bytes();
    let name = format!("{claim}.json");
    match verify_bytes(&name, &bytes, &BTreeMap::new(), &context.options()) {
        // More work than a verifier does is no reason to keep the answer back.
        Checked::Accepted(_) | Checked::NotChecked(_) => write(claim, &bytes, folder),
        Checked::Rejected(rejection) => Err(Failure::Contradiction(rejection.to_string())),
    }
}

/// What was found, with the states that the model had.
fn certify_exact(model: &SpecModel, report: &Report<'_>, found: &Found) -> Result<Exact, Failure> {
    let side = |side: &crate::search::fool::Side| {
        let mut full = External::side(
            report.task,
            report.encoding,
            &side.prefix,
            &found.suffix,
            &side.out,
            None,
        );
        let state = model
            .state_of(&full.prefix_tokens)
            .map_err(Failure::Contradiction)?;
        full.state = Some(state.hex());
        Ok::<Side, Failure>(full)
    };
    Ok(Exact {
        model: model.clone(),
        subject: Subject::Pair {
            task: report.task.clone(),
            encoding: report.encoding.clone(),
            suffix: found.suffix.clone(),
            sides: found.sides.iter().map(side).collect::<Result<_, _>>()?,
        },
    })
}

/// The encoding must fit the vocabulary, the inputs the longest length.
fn fits(model: &dyn Oracle, task: &Task, encoding: &Encoding) -> Result<(), Failure> {
    let hello = model.hello();
    if encoding.largest() >= hello.vocab {
        return Err(Failure::Usage(format!(
            "model: its vocabulary is {}, but the encoding uses token {}; a vocabulary of {} would do, or another --encoding",
            hello.vocab,
            encoding.largest(),
            encoding.largest() + 1
        )));
    }
    let prefix = vec![0; task.prefix_len()];
    let longest = task.spell_prefix(&prefix).len() + task.spell_suffix(&task.suffix(0)).len();
    match hello.max_tokens {
        Some(most) if (longest as u64) > most => Err(Failure::Usage(format!(
            "model: it takes at most {most} tokens, but inputs of this task have {longest}"
        ))),
        _ => Ok(()),
    }
}

/// Asks everything of the evidence twice, not adjacently, here and in a second process.
fn certify(
    model: &mut Process,
    command: &Command,
    patience: Patience,
    report: &Report<'_>,
    found: &Found,
) -> Result<External, Failure> {
    let (task, encoding) = (report.task, report.encoding);
    let mut sides = Vec::new();
    for side in &found.sides {
        sides.push(External::side(
            task,
            encoding,
            &side.prefix,
            &found.suffix,
            &side.out,
            None,
        ));
    }
    let with_state = model.hello().state;
    let once: Vec<Ask> = sides
        .iter()
        .flat_map(|side| {
            let state = with_state.then(|| Ask::Prefix(side.prefix_tokens.clone()));
            [Ask::Run(side.tokens.clone())].into_iter().chain(state)
        })
        .collect();
    let twice: Vec<Ask> = once.iter().chain(&once).cloned().collect();
    let mut second = Process::start(&command.words, patience)?;
    let here = model.ask(&twice)?;
    let there = second.ask(&twice)?;
    second.bye();
    let half = once.len();
    for (place, reply) in here.iter().chain(&there).enumerate() {
        let first = &here[place % half];
        if reply != first {
            return Err(Failure::Usage(format!(
                "model: not deterministic, no certificate: `{}` gave {first:?}, then {reply:?}",
                once[place % half].line(1)
            )));
        }
    }
    let mut replies = here.into_iter();
    for (side, found) in sides.iter_mut().zip(&found.sides) {
        match replies.next() {
            Some(Reply::Out(out)) if out == found.out => {}
            other => {
                return Err(Failure::Usage(format!(
                    "model: not deterministic, no certificate: it answered {:?} in the search, then {other:?}",
                    found.out
                )));
            }
        }
        if with_state && let Some(Reply::State(state)) = replies.next() {
            side.state = Some(state);
        }
    }
    Ok(External {
        task: task.clone(),
        encoding: encoding.clone(),
        command: command.clone(),
        hello: model.hello().to_json(),
        suffix: found.suffix.clone(),
        sides,
    })
}

/// Our own certificate must pass its replay.
fn check(
    claim: &str,
    bytes: &[u8],
    command: &Command,
    patience: Patience,
    context: &Context,
) -> Result<(), Failure> {
    let mut oracle = Process::start(&command.words, patience)?;
    let mut repeated = Repeated {
        command: command.clone(),
        oracle: &mut oracle,
    };
    let outcome = verify_repeated(
        &format!("{claim}.json"),
        bytes,
        &BTreeMap::new(),
        &context.options(),
        Some(&mut repeated),
    );
    oracle.bye();
    match outcome {
        Checked::Accepted(_) => Ok(()),
        Checked::Rejected(rejection) => Err(Failure::Contradiction(rejection.to_string())),
        Checked::NotChecked(reason) => Err(Failure::Contradiction(reason)),
    }
}

struct Report<'a> {
    task: &'a Task,
    encoding: &'a Encoding,
    expect: Option<FoolVerdict>,
}

impl Report<'_> {
    fn exit(&self, verdict: &str) -> Exit {
        let met = self
            .expect
            .is_none_or(|expected| expected.word() == verdict);
        match verdict {
            _ if !met => Exit::Unexpected,
            "none-found" if self.expect.is_none() => Exit::NotAnswered,
            _ => Exit::Answered,
        }
    }

    fn plain(&self, verdict: &str, stats: &Stats) -> Output {
        let what = if verdict == "correct" {
            format!(
                "every input was run and accepted ({} answers)",
                stats.answers
            )
        } else {
            format!(
                "nothing found with {} requests ({} refused); none found is not none there",
                stats.asked, stats.refused
            )
        };
        let mut text = format!(
            "{verdict}: {what}; stages {}\n  tokens of the symbols: {}",
            stats.stages.join(", "),
            self.encoding.shown()
        );
        if let Some(why) = &stats.states_off {
            let _ = write!(text, "\n{why}");
        }
        Output::new(
            text,
            json!({
                "verdict": verdict,
                "task": self.task.to_json(),
                "pair": null,
                "outputs": null,
                "witness": null,
                "encoding": self.encoding.to_json(),
                "stats": stats_json(stats),
                "scope": "this model, this task, these sizes",
            }),
        )
        .exit(self.exit(verdict))
    }

    fn fooled(&self, found: &Found, stats: &Stats, certified: Option<&[Side]>) -> Output {
        let sides: Vec<_> = found
            .sides
            .iter()
            .map(|side| {
                let full = External::side(
                    self.task,
                    self.encoding,
                    &side.prefix,
                    &found.suffix,
                    &side.out,
                    None,
                );
                (side, full)
            })
            .collect();
        let inputs: Vec<Json> = sides
            .iter()
            .map(|(_, full)| {
                json!({"prefix": full.prefix, "suffix": found.suffix, "tokens": full.tokens, "required": full.required})
            })
            .collect();
        let outputs: Vec<&Vec<u64>> = sides.iter().map(|(side, _)| &side.out).collect();
        let mut lines = vec![match sides.as_slice() {
            [_, _] => format!(
                "fooled: one output for two inputs that need different ones ({})",
                found.stage
            ),
            _ => format!("fooled: a wrong answer ({})", found.stage),
        }];
        for (place, (side, full)) in sides.iter().enumerate() {
            let state = certified
                .and_then(|sides| sides[place].state.as_ref())
                .map_or(String::new(), |state| {
                    let shown: String = state.chars().take(64).collect();
                    let dots = if state.len() > 64 { ".." } else { "" };
                    format!(", state {shown}{dots}")
                });
            lines.push(format!(
                "  tokens {:?}: answer {:?}, required {:?}{state}",
                full.tokens, side.out, full.required
            ));
        }
        lines.push(format!(
            "  {} requests, {} states at one length at most; stages {}",
            stats.asked,
            stats.states,
            stats.stages.join(", ")
        ));
        if let Some(why) = &stats.states_off {
            lines.push(format!("  {why}"));
        }
        lines.push(format!(
            "  tokens of the symbols: {}",
            self.encoding.shown()
        ));
        lines.push("scope: this model on these inputs; worst case, exact answers".to_owned());
        let pair = if inputs.len() == 2 {
            json!({"left": inputs[0], "right": inputs[1]})
        } else {
            Json::Null
        };
        Output::new(
            lines.join("\n"),
            json!({
                "verdict": "fooled",
                "task": self.task.to_json(),
                "pair": pair,
                "counterexample": if inputs.len() == 1 { inputs[0].clone() } else { Json::Null },
                "outputs": outputs,
                "witness": null,
                "encoding": self.encoding.to_json(),
                "stats": stats_json(stats),
                "scope": "this model, these inputs",
            }),
        )
        .exit(self.exit("fooled"))
    }
}

fn stats_json(stats: &Stats) -> Json {
    json!({
        "requests": stats.asked.to_string(),
        "refused": stats.refused.to_string(),
        "states": stats.states.to_string(),
        "answers": stats.answers.to_string(),
        "stages": stats.stages,
        "states_off": stats.states_off,
    })
}
