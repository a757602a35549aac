//! Operators for refuted formulas and for inputs without an answer.

use crate::Random;
use crate::draft::Open;
use crate::naive::{Rebuilt, full};
use crate::operators::{Codes, Operator, change_digit, change_players, change_spec};
use foolproof::evidence::gzip;
use foolproof::game::structure::Code::{
    Accepted, Arithmetic, Coverage, Domain, Encoding, File, ProofEnd, ProofStep, Symmetry,
};
use serde_json::json;
use std::io::{Read as _, Write as _};

const FORMULA: &str = "formula.cnf";
const PROOF: &str = "proof.lrat.gz";

/// The formula is unique, so is every number about it; the steps of the proof are changed in ways that no proof survives.
pub(crate) const NO_PROTOCOL: &[Operator] = &[
    ("clause-dropped", |open, random| {
        lines(open, random, |lines, at, _| drop(lines.remove(at)))
    }),
    ("clause-twice", |open, random| {
        lines(open, random, |lines, at, _| {
            lines.insert(at, lines[at].clone());
        })
    }),
    ("literal-flipped", |open, random| {
        lines(open, random, |lines, at, _| {
            lines[at] = match lines[at].strip_prefix('-') {
                Some(rest) => rest.to_owned(),
                None => format!("-{}", lines[at]),
            };
        })
    }),
    ("variable-renumbered", |open, random| {
        lines(open, random, |lines, at, random| {
            lines[at] = format!("{} {}", 1 + random.below(99), lines[at]);
        })
    }),
    ("clauses-swapped", |open, random| {
        let before = open.files.get(FORMULA)?.clone();
        let codes = lines(open, random, |lines, at, random| {
            let other = 1 + random.below(lines.len() - 1);
            lines.swap(at, other);
        });
        codes.filter(|_| open.files.get(FORMULA) != Some(&before))
    }),
    ("number-off", |open, random| {
        let key = *random.one(&["vars", "clauses"])?;
        let body = open.body("no_protocol")?;
        let old: u64 = body[key].as_str()?.parse().ok()?;
        body[key] = json!((old + 1 + random.next() % 9).to_string());
        Some(&[Arithmetic])
    }),
    ("input-dropped", |open, random| {
        let inputs = open.body("no_protocol")?["inputs"].as_array_mut()?;
        inputs.remove(random.below(inputs.len()));
        Some(&[Arithmetic, Encoding])
    }),
    ("inputs-swapped", |open, random| {
        let inputs = open.body("no_protocol")?["inputs"].as_array_mut()?;
        let at = 1 + random.below(inputs.len() - 1);
        inputs.swap(at - 1, at);
        Some(&[Coverage])
    }),
    ("digit-out-of-range", |open, random| {
        let inputs = open.body("no_protocol")?["inputs"].as_array_mut()?;
        let at = random.below(inputs.len());
        change_digit(&mut inputs[at], random, true)?;
        Some(&[Domain])
    }),
    ("player-dropped", |open, random| {
        let inputs = open.body("no_protocol")?["inputs"].as_array_mut()?;
        let at = random.below(inputs.len());
        change_players(&mut inputs[at], random)?;
        Some(&[Domain])
    }),
    ("encoding-renamed", |open, random| {
        let names = ["table-v0", "table-v3", "pairwise-v1", "colouring-v1", ""];
        open.body("no_protocol")?["encoding"] = json!(*random.one(&names)?);
        Some(&[Encoding])
    }),
    ("symmetry-renamed", |open, random| {
        let names = ["symbol-order-v0", "clique-fixing-v1", "table-v1", ""];
        open.body("no_protocol")?["symmetry"] = json!([*random.one(&names)?]);
        Some(&[Symmetry])
    }),
    ("spec-resealed", |open, random| {
        change_spec(open, random)?;
        let setting = Rebuilt::of(&open.json)?.setting?;
        open.redigest()?;
        // Kept only if the game has another formula, or none, by what the search writes.
        let body = open.json["evidence"][0]["no_protocol"].clone();
        let inputs: Option<Vec<_>> = body["inputs"]
            .as_array()?
            .iter()
            .map(|input| full(&setting.game, input))
            .collect();
        let encoding = foolproof::game::encode::Encoding::named(body["encoding"].as_str()?)?;
        let symmetry = body["symmetry"].as_array()?.len() == 1;
        let formula = encoding
            .formula(&setting.game, &*setting.task, &inputs?, symmetry)
            .ok()?;
        (formula.cnf.to_bytes() != open.files[FORMULA]).then_some(())?;
        Some(&[Arithmetic, Encoding, Symmetry])
    }),
    ("file-dropped", |open, random| {
        open.files.remove(*random.one(&[FORMULA, PROOF])?);
        open.relist_files();
        Some(&[File])
    }),
    ("hint-negated", |open, random| {
        steps(open, random, &[ProofStep], |words, random| {
            let first = words.iter().position(|word| word == "0")? + 1;
            let at = first + random.below(words.len() - 1 - first);
            words[at] = format!("-{}", words[at]);
            Some(())
        })
    }),
    ("hint-dropped", |open, random| {
        // The last one is the conflict.
        steps(open, random, &[ProofStep], |words, _| {
            words.remove(words.len() - 2);
            Some(())
        })
    }),
    ("hint-appended", |open, random| {
        steps(open, random, &[ProofStep], |words, random| {
            words.insert(words.len() - 1, (1 + random.below(9)).to_string());
            Some(())
        })
    }),
    ("id-changed", |open, random| {
        steps(open, random, &[ProofStep], |words, random| {
            words[0] = format!("{}{}", 1 + random.below(9), words[0]);
            Some(())
        })
    }),
    ("step-dropped", |open, random| {
        proof(open, |lines| {
            let additions: Vec<usize> = additions(lines);
            lines.remove(*random.one(&additions)?);
            Some(&[ProofStep, ProofEnd])
        })
    }),
    ("unknown-deleted", |open, random| {
        proof(open, |lines| {
            let at = random.below(lines.len());
            lines.insert(at, "1 d 987654321 0".to_owned());
            Some(&[ProofStep])
        })
    }),
    ("proof-truncated", |open, random| {
        proof(open, |lines| {
            lines.truncate(random.below(lines.len()));
            Some(&[ProofEnd])
        })
    }),
    ("text-after-the-end", |open, random| {
        proof(open, |lines| {
            let more = ["1 d 1 0", "", "c", "9 0 1 0"];
            lines.push((*random.one(&more)?).to_owned());
            Some(&[ProofEnd])
        })
    }),
];

pub(crate) const NO_ANSWER: &[Operator] = &[
    ("digit-out-of-range", |open, random| {
        change_digit(&mut open.body("no_answer")?["input"], random, true)?;
        Some(&[Domain])
    }),
    ("player-dropped", |open, random| {
        change_players(&mut open.body("no_answer")?["input"], random)?;
        Some(&[Domain])
    }),
    ("digit-changed", |open, random| {
        change_digit(&mut open.body("no_answer")?["input"], random, false)?;
        answered(open)
    }),
];

/// Kept only if some answer is accepted on the input.
fn answered(open: &mut Open) -> Option<Codes> {
    let setting = Rebuilt::of(&open.json)?.setting?;
    let input = full(
        &setting.game,
        &open.json["evidence"][0]["no_answer"]["input"],
    )?;
    let right = setting.task.accepted(&input).ok()?;
    (!right.is_empty()).then_some(&[Accepted])
}

/// A change of the lines of the formula after the header.
fn lines(
    open: &mut Open,
    random: &mut Random,
    change: impl FnOnce(&mut Vec<String>, usize, &mut Random),
) -> Option<Codes> {
    let text = String::from_utf8(open.files.get(FORMULA)?.clone()).ok()?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = 1 + random.below(lines.len() - 1);
    change(&mut lines, at, random);
    open.files
        .insert(FORMULA.to_owned(), (lines.join("\n") + "\n").into_bytes());
    open.relist_files();
    Some(&[Encoding, Symmetry])
}

/// A change of the lines of the proof.
fn proof(open: &mut Open, change: impl FnOnce(&mut Vec<String>) -> Option<Codes>) -> Option<Codes> {
    let mut text = String::new();
    gzip::content(open.files.get(PROOF)?)
        .read_to_string(&mut text)
        .ok()?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let codes = change(&mut lines)?;
    let text: String = lines.into_iter().map(|line| line + "\n").collect();
    let mut packed = gzip::writer(Vec::new());
    packed.write_all(text.as_bytes()).ok()?;
    open.files.insert(PROOF.to_owned(), packed.finish().ok()?);
    open.relist_files();
    Some(codes)
}

fn additions(lines: &[String]) -> Vec<usize> {
    let addition = |at: &usize| !lines[*at].contains('d');
    (0..lines.len()).filter(addition).collect()
}

/// A change of the words of one addition.
fn steps(
    open: &mut Open,
    random: &mut Random,
    codes: Codes,
    change: impl FnOnce(&mut Vec<String>, &mut Random) -> Option<()>,
) -> Option<Codes> {
    proof(open, |lines| {
        let at = *random.one(&additions(lines))?;
        let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
        change(&mut words, random)?;
        lines[at] = words.join(" ");
        Some(codes)
    })
}
