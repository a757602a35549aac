//! `horizon`: after how many tokens is the past forgotten, bit for bit?

use crate::cli::args::HorizonArgs;
use crate::cli::fool::{command, patience, spec, words};
use crate::cli::{Exit, Failure, Output};
use crate::models::process::Process;
use crate::models::wire::Oracle;
use crate::search::horizon::{Horizon, Question, horizon};
use serde_json::{Value as Json, json};

const SCOPE: &str = "this model, these two prefixes and this continuation";

pub(super) fn run(args: &HorizonArgs) -> Result<Output, Failure> {
    if let Some(path) = &args.spec {
        let mut model = spec(path)?;
        return answer(args, &mut model);
    }
    let Some(exec) = &args.exec.exec else {
        return Err(Failure::Usage(
            "exec: missing, expected --exec CMD or --spec FILE".to_owned(),
        ));
    };
    let command = command(words(exec)?, &args.exec.depends)?;
    let mut model = Process::start(&command.words, patience(&args.exec))?;
    let output = answer(args, &mut model)?;
    model.bye();
    Ok(output)
}

fn answer(args: &HorizonArgs, model: &mut dyn Oracle) -> Result<Output, Failure> {
    if !model.hello().state {
        return Err(Failure::Usage(
            "model: it does not tell its state, so no horizon can be seen".to_owned(),
        ));
    }
    let vocab = model.hello().vocab;
    let tokens: Vec<u64> = match args.tokens {
        Some(tokens) if tokens <= vocab => (0..tokens).collect(),
        Some(tokens) => {
            return Err(Failure::Usage(format!(
                "tokens: {tokens}, but the vocabulary of the model is {vocab}"
            )));
        }
        None => (0..vocab.min(1 << 16)).collect(),
    };
    if tokens.len() < 2 {
        return Err(Failure::Usage(
            "tokens: two different ones are needed".to_owned(),
        ));
    }
    let question = Question {
        prefix: args.prefix,
        limit: args.limit,
        tokens,
        seed: args.seed,
    };
    let found = horizon(model, &question)?;
    // Again, for models that are not what they say.
    if horizon(model, &question)? != found {
        return Err(Failure::Usage(
            "model: not deterministic, no horizon".to_owned(),
        ));
    }
    Ok(match found {
        None => Output::new(
            format!(
                "undecided: the states still differ after {} tokens (the limit); scope: {SCOPE}",
                args.limit
            ),
            json!({"verdict": "undecided", "tokens": null, "pair": null, "limit": args.limit, "scope": SCOPE}),
        )
        .exit(Exit::NotAnswered),
        Some(found) => forgotten(args, &found),
    })
}

fn forgotten(args: &HorizonArgs, found: &Horizon) -> Output {
    let [left, right] = &found.inputs;
    let place = found.differs;
    let shown: String = found.state.chars().take(64).collect();
    let dots = if found.state.len() > 64 { ".." } else { "" };
    let text = format!(
        "forgotten after {} tokens: the states are equal bit for bit ({shown}{dots}), and different after {}\n  \
         broken retrieval: what was the token at place {place}? It is {} in one input and {} in the other, {} tokens ago; \
         no later token can tell them apart\n  prefixes of {} random tokens, seed {}; scope: {SCOPE}",
        found.tokens,
        if found.tokens == 0 {
            "none".to_owned()
        } else {
            (found.tokens - 1).to_string()
        },
        left[place],
        right[place],
        left.len() - 1 - place,
        args.prefix,
        args.seed,
    );
    let pair: Json = json!({"left": left, "right": right});
    Output::new(
        text,
        json!({
            "verdict": "forgotten",
            "tokens": found.tokens,
            "pair": pair,
            "state": found.state,
            "query": {"place": place, "answers": [left[place], right[place]], "distance": left.len() - 1 - place},
            "seed": args.seed,
            "scope": SCOPE,
        }),
    )
}
