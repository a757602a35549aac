//! `horizon`: after how many tokens is the past forgotten, bit for bit?

use crate::cli::args::HorizonArgs;
use crate::cli::fool::{command, mention, patience, prove, spec, words};
use crate::cli::{Context, Exit, Failure, Output};
use crate::evidence::exact::{Exact, Forgotten, Subject};
use crate::models::process::Process;
use crate::models::spec::SpecModel;
use crate::models::wire::Oracle;
use crate::search::horizon::{Horizon, Question, horizon};
use serde_json::{Value as Json, json};

const SCOPE: &str = "this model, these two prefixes and this continuation";

pub(super) fn run(args: &HorizonArgs, context: &Context) -> Result<Output, Failure> {
    if let Some(path) = &args.spec {
        let mut model = spec(path)?;
        let (mut output, found) = answer(args, &mut model)?;
        if let Some(found) = found {
            let exact = certify(model, found)?;
            let written = prove(&exact, "HORIZON", args.proof.as_deref(), context)?;
            mention(&mut output, written.as_deref(), "");
        }
        return Ok(output);
    }
    if args.proof.is_some() {
        return Err(Failure::Usage(
            "proof: only for --spec; a horizon of a command is not kept as evidence".to_owned(),
        ));
    }
    let Some(exec) = &args.exec.exec else {
        return Err(Failure::Usage(
            "exec: missing, expected --exec CMD or --spec FILE".to_owned(),
        ));
    };
    let command = command(words(exec)?, &args.exec.depends)?;
    let mut model = Process::start(&command.words, patience(&args.exec))?;
    let (output, _) = answer(args, &mut model)?;
    model.bye();
    Ok(output)
}

/// The evidence of a horizon: the states one token earlier show that no fewer tokens do.
fn certify(model: SpecModel, found: Horizon) -> Result<Exact, Failure> {
    let earlier = |input: &Vec<u64>| {
        let rest = input.split_last().map_or(&[] as &[u64], |(_, rest)| rest);
        let state = model.state_of(rest).map_err(Failure::Contradiction)?;
        Ok::<String, Failure>(state.hex())
    };
    let before = match (found.tokens, &found.inputs) {
        (0, _) => None,
        (_, [left, right]) => Some([earlier(left)?, earlier(right)?]),
    };
    Ok(Exact {
        subject: Subject::Horizon(Forgotten {
            tokens: found.tokens,
            inputs: found.inputs,
            place: found.differs,
            state: found.state,
            before,
        }),
        model,
    })
}

fn answer(
    args: &HorizonArgs,
    model: &mut dyn Oracle,
) -> Result<(Output, Option<Horizon>), Failure> {
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
        None => (Output::new(
            format!(
                "undecided: the states still differ after {} tokens (the limit); scope: {SCOPE}",
                args.limit
            ),
            json!({"verdict": "undecided", "tokens": null, "pair": null, "limit": args.limit, "scope": SCOPE}),
        )
        .exit(Exit::NotAnswered), None),
        Some(found) => (forgotten(args, &found), Some(found)),
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
