//! `decomposition`: Inv on the stored sets by naive runs, then the whole chain rebuilt and compared.

use super::{Stop, Subject, at};
use crate::evidence::decomposition::{
    Decomposed, Results, Stored, StoredLevel, StoredSet, decomposition_json,
};
use crate::evidence::item::Raw;
use crate::evidence::scope::Verdict;
use crate::evidence::shape::Rejection;
use crate::evidence::statement::Statement;
use crate::exact::Digits;
use crate::game::structure::decomposition::{Decomposition, Frame, Mode, Replay, build, symbolic};
use crate::game::structure::{Code, Failure, Pair, within};
use crate::game::{Inputs, PlayerId};
use num_bigint::BigUint;
use serde_json::Value as Json;

pub(super) fn check(subject: &Subject<'_>, evidence: &[Raw]) -> Result<String, Stop> {
    subject.no_files()?;
    let expected = "one `decomposition`";
    let [raw @ Raw::Decomposition(stored)] = evidence else {
        let found: Vec<&str> = evidence.iter().map(Raw::kind).collect();
        return Err(subject.mismatch(0, &found.join(", "), expected));
    };
    let Statement::Decomposition(stated) = &subject.statement else {
        return Err(subject.mismatch(0, "another statement", "decomposition"));
    };
    let setting = subject.setting()?;
    let Some(strategy) = &subject.strategy else {
        return Err(subject.mismatch(0, "no strategy", "a strategy"));
    };
    let frame = Frame::new(&setting.game, &*setting.task, &*strategy.protocol)
        .filter(|_| setting.task_json.get("composition").is_some())
        .ok_or_else(|| subject.mismatch(0, "another game", "a hybrid game of composition"))?;
    let check = Check {
        frame: &frame,
        stated,
        stored,
        at: at(0, raw),
        limit: &subject.options.max_inputs,
    };
    check.parameters()?;
    check.sets()?;
    check.pair()?;
    let found = rebuild(&frame, stated, stored.mode, check.limit)
        .map_err(|failure| Stop::of_failure(&check.at, failure))?;
    let right = decomposition_json(&setting.game, &stated.question, &found, stored.mode);
    check.compare(&right)?;
    let failing = Results::of(&found)
        .first_false(&stated.holds, subject.options.limits)
        .map_err(|(number, error)| {
            Rejection::new(
                format!("/statement/decomposition/holds/{number}"),
                Code::Malformed,
                error.message,
                "a comparison of results",
            )
        })?;
    if failing.is_none() != (subject.verdict == Verdict::Established) {
        let found = failing.unwrap_or_else(|| "every comparison holds".to_owned());
        let expected = format!("what makes the claim {}", subject.verdict);
        return Err(Rejection::new(check.at, Code::Bound, found, expected).into());
    }
    Ok(summary(&found, stored.mode, failing))
}

/// The chain as evidence in this mode has it.
///
/// # Errors
/// Runs over the limit, illegal runs, or protocols without symbolic rules.
pub fn rebuild(
    frame: &Frame<'_>,
    stated: &Decomposed,
    mode: Mode,
    limit: &BigUint,
) -> Result<Decomposition, Failure> {
    match mode {
        Mode::Replay => build(frame, &stated.question, &Replay { limit }),
        Mode::Symbolic => symbolic::build(frame, &stated.question, limit),
    }
}

fn summary(found: &Decomposition, mode: Mode, failing: Option<String>) -> String {
    let sizes: Vec<String> = found
        .levels
        .iter()
        .map(|level| {
            format!(
                "R{} = {} of {}",
                level.level,
                short(&level.size()),
                short(&level.total)
            )
        })
        .collect();
    let count = &found.count;
    let fires = if count.fires {
        "fires"
    } else {
        "does not fire"
    };
    let pair = match &found.found {
        Some(found) if found.final_views => "pair found",
        Some(_) => "pair until epoch L only",
        None => "no pair",
    };
    let failing = failing.map_or_else(String::new, |failing| format!("; {failing}"));
    format!(
        "decomposition ({}): {}, count {fires} at {} of {} addresses, {pair}{failing}",
        mode.word(),
        sizes.join(", "),
        count.addresses,
        count.entries,
    )
}

/// A count, or its size when it is long.
fn short(number: &BigUint) -> String {
    if number.bits() <= 64 {
        number.to_string()
    } else {
        format!("a number of {} bits", number.bits())
    }
}

struct Check<'a> {
    frame: &'a Frame<'a>,
    stated: &'a Decomposed,
    stored: &'a Stored,
    at: String,
    limit: &'a BigUint,
}

impl Check<'_> {
    fn wrong(
        &self,
        at: &str,
        code: Code,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Rejection {
        Rejection::new(format!("{}{at}", self.at), code, found, expected)
    }

    /// The parameters are those of the statement, and there is one level for each step.
    fn parameters(&self) -> Result<(), Rejection> {
        let question = &self.stated.question;
        let (stored, steps) = (self.stored, self.frame.steps());
        if question.x.len() != steps || question.x.contains(&0) {
            return Err(Rejection::new(
                "/statement/decomposition/x",
                Code::Malformed,
                format!("{:?}", question.x),
                format!("{steps} sizes of at least 1"),
            ));
        }
        if stored.x != question.x {
            let expected = format!("{:?}", question.x);
            return Err(self.wrong("/x", Code::Coverage, format!("{:?}", stored.x), expected));
        }
        if stored.tie != question.tie {
            let (found, expected) = (stored.tie.word(), question.tie.word());
            return Err(self.wrong("/tie", Code::Coverage, found, expected));
        }
        let levels: Vec<u64> = stored.levels.iter().map(|level| level.level).collect();
        let expected: Vec<u64> = (2..=steps as u64).collect();
        if levels != expected {
            return Err(self.wrong(
                "/levels",
                Code::Coverage,
                format!("{levels:?}"),
                format!("{expected:?}"),
            ));
        }
        Ok(())
    }

    /// Every set lies in its domain, and Inv holds on R x Z: by the definition, run by run.
    fn sets(&self) -> Result<(), Stop> {
        let mut z: Vec<Vec<Digits>> = Vec::new();
        for (number, level) in self.stored.levels.iter().enumerate() {
            let at = format!("/levels/{number}");
            self.chosen(level, &at, &mut z)?;
            let symbolic = level.r == StoredSet::Symbolic;
            if symbolic != (self.stored.mode == Mode::Symbolic) {
                let found = if symbolic {
                    "a symbolic set"
                } else {
                    "a listed set"
                };
                let expected = format!("what mode {} has", self.stored.mode.word());
                return Err(self
                    .wrong(&format!("{at}/r"), Code::Coverage, found, expected)
                    .into());
            }
            if !symbolic {
                self.invariant(level, &at, &z)?;
            }
        }
        Ok(())
    }

    fn chosen(
        &self,
        level: &StoredLevel,
        at: &str,
        z: &mut Vec<Vec<Digits>>,
    ) -> Result<(), Rejection> {
        let labels: Vec<String> = if level.level == 2 {
            vec!["0".to_owned(), "1".to_owned()]
        } else {
            vec![(level.level - 1).to_string()]
        };
        if !level.z.iter().map(|(label, _)| label).eq(&labels) {
            let found: Vec<&String> = level.z.iter().map(|(label, _)| label).collect();
            let at = format!("{at}/z");
            return Err(self.wrong(&at, Code::Coverage, format!("{found:?}"), labels.join(", ")));
        }
        for (label, members) in &level.z {
            let domain = &self.frame.game.player(self.frame.player(z.len())).domain;
            for (place, digits) in members.iter().enumerate() {
                if !domain.contains(digits) {
                    let at = format!("{at}/z/{label}/{place}");
                    let expected = format!("an input of {label}");
                    return Err(self.wrong(&at, Code::Domain, format!("{digits:?}"), expected));
                }
            }
            if members.is_empty() {
                let at = format!("{at}/z/{label}");
                return Err(self.wrong(&at, Code::Coverage, "nothing", "at least one element"));
            }
            z.push(members.clone());
        }
        Ok(())
    }

    fn invariant(&self, level: &StoredLevel, at: &str, z: &[Vec<Digits>]) -> Result<(), Stop> {
        let l = usize::try_from(level.level).unwrap_or(usize::MAX);
        let slots = self.frame.crossing(l);
        let elements = level.r.elements();
        let size = self.frame.upper_size(l).unwrap_or_default();
        if let Some(index) = elements.iter().find(|index| BigUint::from(**index) >= size) {
            let at = format!("{at}/r");
            let expected = format!("an index below {size}");
            return Err(self
                .wrong(&at, Code::Domain, index.to_string(), expected)
                .into());
        }
        if let StoredSet::Bits(bytes) = &level.r
            && BigUint::from(bytes.len()) != (&size + 7u8) / 8u8
        {
            let at = format!("{at}/r/bits");
            let found = format!("{} bytes", bytes.len());
            return Err(self
                .wrong(&at, Code::Domain, found, format!("{size} bits"))
                .into());
        }
        let fixed: Vec<usize> = level.fixed.iter().map(|(slot, _)| *slot).collect();
        let expected: Vec<usize> = slots.iter().map(|slot| slot.0).collect();
        if fixed != expected {
            let at = format!("{at}/fixed");
            return Err(self
                .wrong(
                    &at,
                    Code::Coverage,
                    format!("slots {fixed:?}"),
                    format!("{expected:?}"),
                )
                .into());
        }
        let runs = self.frame.lower_size(z) * elements.len();
        within("runs on R x Z", Ok(runs), self.limit)
            .map_err(|size| Stop::NotChecked(size.to_string()))?;
        let lower = self.frame.lower(z);
        if let Some(place) = level
            .fixed
            .iter()
            .position(|(_, key)| key.len() != lower.len())
        {
            let at = format!("{at}/fixed/{place}/key");
            let found = format!("{} symbols", level.fixed[place].1.len());
            return Err(self
                .wrong(&at, Code::Coverage, found, lower.len().to_string())
                .into());
        }
        let rounds = self.frame.rounds(l);
        for index in elements {
            let upper = self.frame.tuple(l, index);
            for (column, tail) in lower.iter().enumerate() {
                let run = self
                    .frame
                    .run(&upper, tail, rounds)
                    .map_err(|violation| Rejection::of_violation(&self.at, violation))?;
                for (place, (slot, key)) in level.fixed.iter().enumerate() {
                    let said = run.transcript[*slot].1.0;
                    if said != key[column] {
                        let at = format!("{at}/fixed/{place}/key/{column}");
                        let found = format!("{said} on tuple {index}");
                        return Err(self
                            .wrong(&at, Code::NotConstant, found, key[column].to_string())
                            .into());
                    }
                }
            }
        }
        Ok(())
    }

    /// A pair that is said to have equal final views is an indistinguishable pair.
    fn pair(&self) -> Result<(), Rejection> {
        let pair = &self.stored.json["pair"];
        if pair["final"] != Json::Bool(true) {
            return Ok(());
        }
        let side = |key: &str| -> Result<Inputs, Rejection> {
            let digits = |label: &str| -> Option<Digits> {
                let list = pair[key].get(label)?.as_array()?;
                list.iter().map(Json::as_u64).collect()
            };
            let players = (0..self.frame.game.players().len()).map(PlayerId);
            let elements = players
                .map(|id| digits(&self.frame.game.player(id).label.0))
                .collect::<Option<Vec<_>>>();
            elements.map(Inputs).ok_or_else(|| {
                let at = format!("/pair/{key}");
                self.wrong(
                    &at,
                    Code::Domain,
                    pair[key].to_string(),
                    "one input per player",
                )
            })
        };
        let pair = Pair {
            left: side("left")?,
            right: side("right")?,
        };
        pair.holds(self.frame.game, self.frame.task, self.frame.protocol)
            .map(|_| ())
            .map_err(|violation| Rejection::of_violation(&format!("{}/pair", self.at), violation))
    }

    /// Every stored value is the recomputed one; the first difference in order of keys says what is wrong.
    fn compare(&self, right: &Json) -> Result<(), Rejection> {
        match difference("", &self.stored.json, right) {
            None => Ok(()),
            Some((at, found, expected)) => Err(self.wrong(&at, code_at(&at), found, expected)),
        }
    }
}

/// The code of a wrong value, by its place.
fn code_at(at: &str) -> Code {
    let parts: Vec<&str> = at.split('/').collect();
    match (parts.get(1).copied(), parts.get(3).copied()) {
        (Some("count"), _) => Code::Bound,
        (Some("pattern"), _)
        | (Some("levels"), Some("sizes" | "classes" | "joint" | "loss" | "rectangle")) => {
            Code::Size
        }
        (Some("levels"), Some("reach" | "wanted")) => Code::Reach,
        (Some("levels"), Some("allowed")) => Code::Arithmetic,
        (Some("levels"), Some("fixed")) => Code::NotConstant,
        _ => Code::Coverage,
    }
}

/// The first place, keys in order, where two values differ; lists of different lengths differ as a whole.
fn difference(at: &str, found: &Json, expected: &Json) -> Option<(String, String, String)> {
    match (found, expected) {
        (Json::Object(a), Json::Object(b)) if a.keys().eq(b.keys()) => a
            .iter()
            .zip(b.values())
            .find_map(|((key, x), y)| difference(&format!("{at}/{key}"), x, y)),
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(place, (x, y))| difference(&format!("{at}/{place}"), x, y)),
        _ => (found != expected).then(|| (at.to_owned(), found.to_string(), expected.to_string())),
    }
}
