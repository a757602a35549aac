//! Evidence about a running model: two inputs with one output that cannot be right for both, or one input with a wrong output.
//!
//! `docs/design/004-models.md` is its page. The command is the semantics: nothing here says what the model computes.

use crate::evidence::shape::{Place, Rejection};
use crate::evidence::statement::plain_digest;
use crate::evidence::witness::Witness;
use crate::evidence::{Scope, Verdict};
use crate::game::structure::Code;
use crate::models::config::json::Node;
use crate::models::task::{Encoding, SIZES, Task};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// The key of `spec` that marks this evidence.
pub const MARK: &str = "external";

/// The command behind a model, with the digests of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Its words.
    pub words: Vec<String>,
    /// Digest of the executable file.
    pub executable: String,
    /// Digests of the files it depends on, by the name the user gave.
    pub depends: BTreeMap<String, String>,
}

/// One input with its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Symbols of the prefix.
    pub prefix: Vec<u64>,
    /// Tokens of the whole input.
    pub tokens: Vec<u64>,
    /// Tokens of the prefix.
    pub prefix_tokens: Vec<u64>,
    /// Output tokens.
    pub out: Vec<u64>,
    /// Output tokens that the task requires.
    pub required: Vec<u64>,
    /// State after the prefix, if the model tells it.
    pub state: Option<String>,
}

impl Side {
    /// The form in evidence.
    #[must_use]
    pub fn to_json(&self) -> Json {
        json!({
            "prefix": self.prefix,
            "tokens": self.tokens,
            "out": self.out,
            "required": self.required,
            "state": self.state,
        })
    }
}

/// The whole of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// The task.
    pub task: Task,
    /// Symbols to tokens.
    pub encoding: Encoding,
    /// The command.
    pub command: Command,
    /// What the model said about itself.
    pub hello: Json,
    /// Symbols of the suffix.
    pub suffix: Vec<u64>,
    /// One side with a wrong output, or two.
    pub sides: Vec<Side>,
}

impl External {
    /// A side, with everything that follows from the symbols.
    #[must_use]
    pub fn side(
        task: &Task,
        encoding: &Encoding,
        prefix: &[u64],
        suffix: &[u64],
        out: &[u64],
        state: Option<String>,
    ) -> Side {
        let prefix_tokens = encoding.tokens(&task.spell_prefix(prefix));
        let mut tokens = prefix_tokens.clone();
        tokens.extend(encoding.tokens(&task.spell_suffix(suffix)));
        Side {
            prefix: prefix.to_vec(),
            tokens,
            prefix_tokens,
            out: out.to_vec(),
            required: encoding.answer_tokens(&task.required(prefix, suffix)),
            state,
        }
    }

    /// The file, unsealed.
    #[must_use]
    pub fn witness(&self, claim: &str) -> Witness {
        let sides: Vec<Json> = self.sides.iter().map(Side::to_json).collect();
        let body = json!({
            "command": self.command.words,
            "executable": self.command.executable,
            "depends": self.command.depends,
            "hello": self.hello,
            "suffix": self.suffix,
            "sides": sides,
        });
        let spec =
            json!({MARK: {"task": self.task.to_json(), "encoding": self.encoding.to_json()}});
        let statement = json!({"wrong": {}});
        Witness {
            claim: claim.to_owned(),
            digest: plain_digest(&spec, &statement),
            statement,
            scope: Scope::ThisProtocol,
            verdict: Verdict::Established,
            spec,
            evidence: vec![json!({"external_pair": body})],
            files: BTreeMap::new(),
            trust: vec![format!("process:{}", bare(&self.command.executable))],
        }
    }

    /// Reads and checks everything that needs no run of the model.
    ///
    /// # Errors
    /// The codes of the evidence page: `malformed` and `unknown-key` for the shape, `domain` for inputs that are none of the task,
    /// `alphabet` for tokens that do not spell them, `accepted` and `common-answer` for outputs that prove nothing, `view-differs` for
    /// outputs that differ.
    pub fn read(witness: &Witness) -> Result<Self, Rejection> {
        let spec = Place {
            at: "/spec".to_owned(),
            json: &witness.spec,
        };
        spec.object(&[MARK], &[])?;
        let external = spec.get(MARK)?;
        external.object(&["encoding", "task"], &[])?;
        let task = task_of(&external.get("task")?)?;
        let encoding = encoding_of(&external.get("encoding")?, &task)?;
        let statement = Place {
            at: "/statement".to_owned(),
            json: &witness.statement,
        };
        let (_, body) = statement.tagged(&["wrong"])?;
        body.object(&[], &[])?;
        let items = Place {
            at: "/evidence".to_owned(),
            json: &Json::Array(witness.evidence.clone()),
        };
        let list = items.json.as_array().map_or(0, Vec::len);
        if list != 1 {
            return Err(Rejection::new(
                "/evidence/1",
                Code::KindMismatch,
                format!("{list} objects"),
                "one external_pair",
            ));
        }
        let item = Place {
            at: "/evidence/0".to_owned(),
            json: &witness.evidence[0],
        };
        let (_, body) = item.tagged(&["external_pair"])?;
        body.object(
            &[
                "command",
                "depends",
                "executable",
                "hello",
                "sides",
                "suffix",
            ],
            &[],
        )?;
        let command = Command {
            words: body
                .get("command")?
                .list()?
                .iter()
                .map(|word| word.text().map(str::to_owned))
                .collect::<Result<_, _>>()?,
            executable: body.get("executable")?.text()?.to_owned(),
            depends: {
                let place = body.get("depends")?;
                place
                    .map()?
                    .keys()
                    .map(|name| Ok((name.clone(), place.get(name)?.text()?.to_owned())))
                    .collect::<Result<_, Rejection>>()?
            },
        };
        let hello = body.get("hello")?;
        hello.object(
            &["deterministic", "max_tokens", "name", "state", "v", "vocab"],
            &[],
        )?;
        let (suffix, sides) = sides_of(&body, &task, &encoding)?;
        proves(&format!("{}/sides", body.at), &sides)?;
        Ok(Self {
            task,
            encoding,
            command,
            hello: hello.json.clone(),
            suffix,
            sides,
        })
    }

    /// The trust entry of this evidence.
    #[must_use]
    pub fn trust(&self) -> Vec<String> {
        vec![format!("process:{}", bare(&self.command.executable))]
    }

    /// In a few words.
    #[must_use]
    pub fn summary(&self) -> String {
        Self::summary_of("external_pair", &self.sides)
    }

    /// In a few words, for evidence of another name.
    #[must_use]
    pub fn summary_of(name: &str, sides: &[Side]) -> String {
        match sides {
            [left, right] => format!(
                "{name}: one output {:?} where {:?} and {:?} are required",
                left.out, left.required, right.required
            ),
            [side] => format!(
                "{name}: output {:?} where {:?} is required",
                side.out, side.required
            ),
            _ => name.to_owned(),
        }
    }
}

/// The outputs show that the model is wrong.
pub(super) fn proves(at: &str, sides: &[Side]) -> Result<(), Rejection> {
    let at = |rest: &str| format!("{at}{rest}");
    match sides {
        [side] if side.out == side.required => Err(Rejection::new(
            at("/0/out"),
            Code::Accepted,
            format!("{:?}", side.out),
            "an output that is not the required one",
        )),
        [left, right] if left.out != right.out => Err(Rejection::new(
            at("/1/out"),
            Code::ViewDiffers,
            format!("{:?}", right.out),
            format!("{:?}, as the other output", left.out),
        )),
        [left, right] if left.required == right.required => Err(Rejection::new(
            at("/1/required"),
            Code::CommonAnswer,
            format!("{:?}", right.required),
            "another requirement than the first input has",
        )),
        [_] | [_, _] => Ok(()),
        other => Err(Rejection::new(
            at(""),
            Code::Malformed,
            format!("{} inputs", other.len()),
            "one or two",
        )),
    }
}

/// The task, with exactly its sizes.
pub(super) fn task_of(place: &Place<'_>) -> Result<Task, Rejection> {
    let names: Vec<&str> = SIZES.iter().map(|(name, _)| *name).collect();
    let (tag, sizes) = place.tagged(&names)?;
    let keys = SIZES.iter().find(|(name, _)| *name == tag);
    for key in sizes
        .object(keys.map_or(&[], |(_, keys)| *keys), &[])?
        .keys()
    {
        sizes.get(key)?.count()?;
    }
    Task::from_json(place.json)
        .map_err(|wrong| Rejection::new(&place.at, Code::Malformed, wrong, "a task"))
}

/// The tables of tokens, as numbers.
pub(super) fn encoding_of(place: &Place<'_>, task: &Task) -> Result<Encoding, Rejection> {
    for key in place
        .object(&["answers", "keys", "queries", "values"], &[])?
        .keys()
    {
        numbers(&place.get(key)?)?;
    }
    Encoding::read(task, &Node::from_spec(place.json))
        .map_err(|(_, wrong)| Rejection::new(&place.at, Code::Malformed, wrong, "tables of tokens"))
}

/// Suffix and sides of a body.
pub(super) fn sides_of(
    body: &Place<'_>,
    task: &Task,
    encoding: &Encoding,
) -> Result<(Vec<u64>, Vec<Side>), Rejection> {
    let suffix_place = body.get("suffix")?;
    let suffix = numbers(&suffix_place)?;
    if !task.allows_suffix(&suffix) {
        return Err(Rejection::new(
            suffix_place.at,
            Code::Domain,
            format!("{suffix:?}"),
            "a suffix of the task",
        ));
    }
    let mut sides = Vec::new();
    for place in body.get("sides")?.list()? {
        sides.push(read_side(&place, task, encoding, &suffix)?);
    }
    Ok((suffix, sides))
}

/// Lists of numbers.
pub(super) fn tokens_of(place: &Place<'_>) -> Result<Vec<Vec<u64>>, Rejection> {
    place.list()?.iter().map(numbers).collect()
}

/// The digits of a digest.
fn bare(digest: &str) -> &str {
    digest.strip_prefix("sha256:").unwrap_or(digest)
}

/// A list of numbers.
pub(super) fn numbers(place: &Place<'_>) -> Result<Vec<u64>, Rejection> {
    place
        .list()?
        .iter()
        .map(|item| item.index().map(|n| n as u64))
        .collect()
}

fn read_side(
    place: &Place<'_>,
    task: &Task,
    encoding: &Encoding,
    suffix: &[u64],
) -> Result<Side, Rejection> {
    place.object(&["out", "prefix", "required", "state", "tokens"], &[])?;
    let prefix_place = place.get("prefix")?;
    let prefix = numbers(&prefix_place)?;
    if prefix.len() != task.prefix_len() || !task.allows(&prefix) {
        return Err(Rejection::new(
            prefix_place.at,
            Code::Domain,
            format!("{prefix:?}"),
            "a prefix of the task",
        ));
    }
    let state_place = place.get("state")?;
    let state = if state_place.json.is_null() {
        None
    } else {
        Some(state_place.text()?.to_owned())
    };
    let out = numbers(&place.get("out")?)?;
    let right = External::side(task, encoding, &prefix, suffix, &out, state);
    let tokens = place.get("tokens")?;
    if numbers(&tokens)? != right.tokens {
        return Err(Rejection::new(
            tokens.at,
            Code::Alphabet,
            tokens.json.to_string(),
            format!("{:?}", right.tokens),
        ));
    }
    let required = place.get("required")?;
    if numbers(&required)? != right.required {
        return Err(Rejection::new(
            required.at,
            Code::Arithmetic,
            required.json.to_string(),
            format!("{:?}", right.required),
        ));
    }
    Ok(right)
}
