//! Tasks put to a running model: a prefix, then a suffix that asks; and the table from symbols to tokens.

use super::config::json::{Node, Value};
use serde_json::{Value as Json, json};

/// Most symbols of one input: a model is asked about short inputs many times.
const LONGEST: u64 = 1 << 16;
/// Most values of a symbol.
const WIDEST: u64 = 1 << 20;

/// A task with its sizes.
///
/// Symbols count from 0: the entry `0` of Eva is printed as value 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// A table of n entries from n values, then a position: its entry.
    Eva {
        /// n.
        n: u64,
    },
    /// A permutation, then another one: their composition, all n values.
    PerCom {
        /// n.
        n: u64,
    },
    /// n tokens below M: does an earlier one add up with the last to 0 modulo M?
    TwoSum {
        /// n.
        n: u64,
        /// M.
        modulus: u64,
    },
    /// n tokens, then a mark: all of them again.
    Copy {
        /// n.
        n: u64,
        /// V.
        alphabet: u64,
    },
    /// n bits, then a position: its bit.
    Index {
        /// n.
        n: u64,
    },
    /// k pairs of a key and a value, values distinct, then a key that occurred: its value.
    Mqar {
        /// V, half keys and half values.
        vocabulary: u64,
        /// k.
        pairs: u64,
    },
    /// t tokens from M values, then a value: did it occur?
    Membership {
        /// t.
        tokens: u64,
        /// M.
        values: u64,
    },
    /// A word of n symbols; at its last position, go back k times to the symbol after the latest earlier occurrence: the symbol there.
    KHop {
        /// n.
        n: u64,
        /// k.
        k: u64,
        /// Number of symbols.
        alphabet: u64,
    },
}

/// A class of symbols, each with a table of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// An entry, or an ordinary token.
    Value,
    /// A key of mqar.
    Key,
    /// A question.
    Query,
}

impl Class {
    /// Every class with its key in files.
    pub const ALL: [(&'static str, Self); 3] = [
        ("values", Self::Value),
        ("keys", Self::Key),
        ("queries", Self::Query),
    ];
}

/// The tasks and their sizes, as in evidence.
pub const SIZES: [(&str, &[&str]); 8] = [
    ("eva", &["n"]),
    ("percom", &["n"]),
    ("two-sum", &["modulus", "n"]),
    ("copy", &["alphabet", "n"]),
    ("index", &["n"]),
    ("mqar", &["pairs", "vocabulary"]),
    ("membership", &["tokens", "values"]),
    ("khop", &["alphabet", "k", "n"]),
];

impl Task {
    /// Refuses sizes without a meaning.
    ///
    /// # Errors
    /// Which one, and why.
    pub fn validate(&self) -> Result<(), String> {
        let within = |name: &str, value: u64, least: u64, most: u64| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                Err(format!("{name}: {value}, expected {least} to {most}"))
            }
        };
        match self {
            Self::Eva { n } | Self::PerCom { n } | Self::Index { n } => within("n", *n, 1, LONGEST),
            Self::TwoSum { n, modulus } => {
                within("n", *n, 2, LONGEST)?;
                within("domain", *modulus, 1, WIDEST)
            }
            Self::Copy { n, alphabet } => {
                within("n", *n, 1, LONGEST)?;
                within("alphabet", *alphabet, 1, WIDEST)
            }
            Self::Mqar { vocabulary, pairs } => {
                within("vocabulary", *vocabulary, 2, WIDEST)?;
                if vocabulary % 2 == 1 {
                    return Err(format!("vocabulary: {vocabulary} is odd"));
                }
                within("pairs", *pairs, 1, (vocabulary / 2).min(LONGEST))
            }
            Self::Membership { tokens, values } => {
                within("n", *tokens, 1, LONGEST)?;
                within("domain", *values, 1, WIDEST)
            }
            Self::KHop { n, k, alphabet } => {
                within("n", *n, 2, LONGEST)?;
                within("k", *k, 1, LONGEST)?;
                within("alphabet", *alphabet, 1, WIDEST)
            }
        }
    }

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Eva { .. } => "eva",
            Self::PerCom { .. } => "percom",
            Self::TwoSum { .. } => "two-sum",
            Self::Copy { .. } => "copy",
            Self::Index { .. } => "index",
            Self::Mqar { .. } => "mqar",
            Self::Membership { .. } => "membership",
            Self::KHop { .. } => "khop",
        }
    }

    fn fields(&self) -> Vec<(&'static str, u64)> {
        match self {
            Self::Eva { n } | Self::PerCom { n } | Self::Index { n } => vec![("n", *n)],
            Self::TwoSum { n, modulus } => vec![("modulus", *modulus), ("n", *n)],
            Self::Copy { n, alphabet } => vec![("alphabet", *alphabet), ("n", *n)],
            Self::Mqar { vocabulary, pairs } => {
                vec![("pairs", *pairs), ("vocabulary", *vocabulary)]
            }
            Self::Membership { tokens, values } => vec![("tokens", *tokens), ("values", *values)],
            Self::KHop { n, k, alphabet } => vec![("alphabet", *alphabet), ("k", *k), ("n", *n)],
        }
    }

    /// `{name: {field: "size"}}`.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let fields: serde_json::Map<String, Json> = self
            .fields()
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value.to_string().into()))
            .collect();
        json!({ self.name(): fields })
    }

    /// Reads that back.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn from_json(json: &Json) -> Result<Self, String> {
        let (name, fields) = json
            .as_object()
            .filter(|map| map.len() == 1)
            .and_then(|map| map.iter().next())
            .ok_or("expected one task")?;
        let size = |key: &str| {
            fields
                .get(key)
                .and_then(Json::as_str)
                .and_then(|text| text.parse::<u64>().ok())
                .ok_or_else(|| format!("no size `{key}`"))
        };
        let task = match name.as_str() {
            "eva" => Self::Eva { n: size("n")? },
            "percom" => Self::PerCom { n: size("n")? },
            "two-sum" => Self::TwoSum {
                n: size("n")?,
                modulus: size("modulus")?,
            },
            "copy" => Self::Copy {
                n: size("n")?,
                alphabet: size("alphabet")?,
            },
            "index" => Self::Index { n: size("n")? },
            "mqar" => Self::Mqar {
                vocabulary: size("vocabulary")?,
                pairs: size("pairs")?,
            },
            "membership" => Self::Membership {
                tokens: size("tokens")?,
                values: size("values")?,
            },
            "khop" => Self::KHop {
                n: size("n")?,
                k: size("k")?,
                alphabet: size("alphabet")?,
            },
            other => return Err(format!("unknown task `{other}`")),
        };
        if task.to_json() != *json {
            return Err("sizes that are not written canonically, or too many of them".to_owned());
        }
        task.validate()?;
        Ok(task)
    }

    /// Symbols before the suffix.
    #[must_use]
    pub fn prefix_len(&self) -> usize {
        let length = match self {
            Self::Eva { n } | Self::PerCom { n } | Self::Index { n } | Self::Copy { n, .. } => *n,
            // The last token asks.
            Self::TwoSum { n, .. } | Self::KHop { n, .. } => n - 1,
            Self::Mqar { pairs, .. } => *pairs,
            Self::Membership { tokens, .. } => *tokens,
        };
        usize::try_from(length).unwrap_or(usize::MAX)
    }

    /// Values of a prefix symbol.
    #[must_use]
    pub fn width(&self) -> u64 {
        match self {
            Self::Eva { n } | Self::PerCom { n } => *n,
            Self::TwoSum { modulus, .. } => *modulus,
            Self::Copy { alphabet, .. } | Self::KHop { alphabet, .. } => *alphabet,
            Self::Index { .. } => 2,
            Self::Mqar { vocabulary, .. } => vocabulary / 2,
            Self::Membership { values, .. } => *values,
        }
    }

    /// True when prefix symbols are distinct.
    #[must_use]
    pub fn distinct(&self) -> bool {
        matches!(self, Self::PerCom { .. } | Self::Mqar { .. })
    }

    /// How many suffixes there are; `None` over 2^64.
    #[must_use]
    pub fn suffixes(&self) -> Option<u64> {
        match self {
            Self::Eva { n } | Self::Index { n } => Some(*n),
            Self::PerCom { n } => (1..=*n).try_fold(1_u64, u64::checked_mul),
            Self::TwoSum { modulus, .. } => Some(*modulus),
            Self::Copy { .. } => Some(1),
            Self::Mqar { pairs, .. } => Some(*pairs),
            Self::Membership { values, .. } => Some(*values),
            Self::KHop { alphabet, .. } => Some(*alphabet),
        }
    }

    /// The `index`-th suffix, in lexicographic order.
    #[must_use]
    pub fn suffix(&self, index: u64) -> Vec<u64> {
        match self {
            Self::PerCom { n } => nth_permutation(*n, index),
            Self::Eva { .. }
            | Self::TwoSum { .. }
            | Self::Copy { .. }
            | Self::Index { .. }
            | Self::Mqar { .. }
            | Self::Membership { .. }
            | Self::KHop { .. } => vec![index],
        }
    }

    /// The answer symbols that this input requires.
    ///
    /// # Domain
    /// A full prefix and a suffix of the task.
    #[must_use]
    pub fn required(&self, prefix: &[u64], suffix: &[u64]) -> Vec<u64> {
        let at = |place: u64| {
            usize::try_from(place)
                .ok()
                .and_then(|place| prefix.get(place))
                .copied()
                .unwrap_or(0)
        };
        let asked = suffix.first().copied().unwrap_or(0);
        match self {
            Self::Eva { .. } | Self::Index { .. } | Self::Mqar { .. } => vec![at(asked)],
            Self::PerCom { .. } => prefix
                .iter()
                .map(|value| {
                    usize::try_from(*value)
                        .ok()
                        .and_then(|place| suffix.get(place))
                        .copied()
                        .unwrap_or(0)
                })
                .collect(),
            Self::TwoSum { modulus, .. } => {
                vec![u64::from(
                    prefix.iter().any(|value| (value + asked) % modulus == 0),
                )]
            }
            Self::Copy { .. } => prefix.to_vec(),
            Self::Membership { .. } => vec![u64::from(prefix.contains(&asked))],
            Self::KHop { k, alphabet, .. } => {
                let mut word = prefix.to_vec();
                word.push(asked);
                vec![hop(&word, *k).unwrap_or(*alphabet)]
            }
        }
    }

    /// How many answer symbols there are.
    #[must_use]
    pub fn answers(&self) -> u64 {
        match self {
            Self::Eva { .. } | Self::PerCom { .. } | Self::Copy { .. } | Self::Mqar { .. } => {
                self.width()
            }
            Self::Index { .. } | Self::TwoSum { .. } | Self::Membership { .. } => 2,
            // The last one: nowhere.
            Self::KHop { alphabet, .. } => alphabet + 1,
        }
    }

    /// Sizes of the three tables: values, keys, queries.
    #[must_use]
    pub fn classes(&self) -> [u64; 3] {
        match self {
            Self::Eva { n } => [*n, 0, *n],
            Self::PerCom { n } => [*n, 0, 0],
            Self::TwoSum { modulus, .. } => [*modulus, 0, 0],
            Self::Copy { alphabet, .. } => [*alphabet, 0, 1],
            Self::Index { n } => [2, 0, *n],
            Self::Mqar { vocabulary, .. } => [vocabulary / 2, vocabulary / 2, 0],
            Self::Membership { values, .. } => [*values, 0, *values],
            Self::KHop { alphabet, .. } => [*alphabet, 0, 0],
        }
    }

    /// The symbols of a prefix, in order.
    #[must_use]
    pub fn spell_prefix(&self, prefix: &[u64]) -> Vec<(Class, u64)> {
        let keyed = matches!(self, Self::Mqar { .. });
        (0_u64..)
            .zip(prefix)
            .flat_map(|(place, value)| {
                let key = keyed.then_some((Class::Key, place));
                key.into_iter().chain([(Class::Value, *value)])
            })
            .collect()
    }

    /// The symbols of a suffix, in order.
    #[must_use]
    pub fn spell_suffix(&self, suffix: &[u64]) -> Vec<(Class, u64)> {
        let class = match self {
            Self::Eva { .. } | Self::Copy { .. } | Self::Index { .. } | Self::Membership { .. } => {
                Class::Query
            }
            Self::PerCom { .. } | Self::TwoSum { .. } | Self::KHop { .. } => Class::Value,
            Self::Mqar { .. } => Class::Key,
        };
        suffix.iter().map(|symbol| (class, *symbol)).collect()
    }

    /// True when the symbols may stand in a prefix.
    #[must_use]
    pub fn allows(&self, prefix: &[u64]) -> bool {
        prefix.iter().all(|symbol| *symbol < self.width())
            && (!self.distinct()
                || prefix
                    .iter()
                    .enumerate()
                    .all(|(i, symbol)| !prefix[..i].contains(symbol)))
    }

    /// True when this is a suffix of the task.
    #[must_use]
    pub fn allows_suffix(&self, suffix: &[u64]) -> bool {
        match self {
            Self::PerCom { n } => {
                suffix.len() as u64 == *n
                    && suffix.iter().all(|symbol| symbol < n)
                    && self.allows(suffix)
            }
            Self::Eva { .. }
            | Self::TwoSum { .. }
            | Self::Copy { .. }
            | Self::Index { .. }
            | Self::Mqar { .. }
            | Self::Membership { .. }
            | Self::KHop { .. } => {
                matches!(suffix, [symbol] if self.suffixes().is_some_and(|count| *symbol < count))
            }
        }
    }
}

/// k hops from the last position: each goes to the place after the latest earlier occurrence of the symbol there.
///
/// # Source
/// Derived from the definition of the k-hop induction task: `find(i)` is the largest j <= i with `word[j - 1] = word[i]`, j >= 1.
fn hop(word: &[u64], k: u64) -> Option<u64> {
    let mut at = word.len().checked_sub(1)?;
    for _ in 0..k {
        let symbol = word.get(at)?;
        at = word[..at].iter().rposition(|other| other == symbol)? + 1;
    }
    word.get(at).copied()
}

/// The permutation of 0..n with this rank in lexicographic order.
fn nth_permutation(n: u64, index: u64) -> Vec<u64> {
    let mut left: Vec<u64> = (0..n).collect();
    let mut blocks: Vec<u64> = vec![1];
    for i in 1..n {
        let last = blocks.last().copied().unwrap_or(1);
        blocks.push(last.saturating_mul(i));
    }
    let mut rest = index;
    let mut out = Vec::new();
    while let Some(block) = blocks.pop() {
        let place = usize::try_from(rest / block)
            .unwrap_or(0)
            .min(left.len() - 1);
        rest %= block;
        out.push(left.remove(place));
    }
    out
}

/// The tokens of every symbol, and the tokens of every answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// Values, keys, queries.
    classes: [Vec<u64>; 3],
    /// Answers.
    answers: Vec<u64>,
}

impl Encoding {
    /// The default: values from token 1 on, then keys, then queries; an answer that is a value has its token, a bit is 0 or 1.
    ///
    /// # Cost
    /// Linear in the number of symbols.
    #[must_use]
    pub fn default_for(task: &Task) -> Self {
        let mut next = 1;
        let mut take = |count: u64| {
            let tokens: Vec<u64> = (next..next + count).collect();
            next += count;
            tokens
        };
        let [values, keys, queries] = task.classes();
        let classes = if matches!(task, Task::Mqar { .. }) {
            // Keys first, as in the recall data of the literature.
            let keys = take(keys);
            [take(values), keys, take(queries)]
        } else {
            [take(values), take(keys), take(queries)]
        };
        let answers = match task {
            Task::Index { .. } | Task::TwoSum { .. } | Task::Membership { .. } => vec![0, 1],
            Task::KHop { .. } => classes[0].iter().copied().chain([0]).collect(),
            Task::Eva { .. } | Task::PerCom { .. } | Task::Copy { .. } | Task::Mqar { .. } => {
                classes[0].clone()
            }
        };
        Self { classes, answers }
    }

    /// The default with the tables of an object put in: `values`, `keys`, `queries`, `answers`, each a list of tokens.
    ///
    /// # Errors
    /// Byte offset and message: unknown keys, lists of another length, tokens twice in one list.
    pub fn read(task: &Task, node: &Node) -> Result<Self, (usize, String)> {
        let mut encoding = Self::default_for(task);
        let Value::Object(members) = &node.value else {
            return Err((
                node.at,
                format!("found {}, expected an object of lists", node.shown()),
            ));
        };
        for (key, node) in members {
            let list = match key.as_str() {
                "values" => &mut encoding.classes[0],
                "keys" => &mut encoding.classes[1],
                "queries" => &mut encoding.classes[2],
                "answers" => &mut encoding.answers,
                other => {
                    return Err((
                        node.at,
                        format!("unknown key `{other}`; expected values, keys, queries or answers"),
                    ));
                }
            };
            let tokens = super::wire::tokens(node).ok_or_else(|| {
                (
                    node.at,
                    format!("found {}, expected a list of tokens", node.shown()),
                )
            })?;
            if tokens.len() != list.len() {
                let message = format!("{key}: {} tokens, expected {}", tokens.len(), list.len());
                return Err((node.at, message));
            }
            let mut sorted = tokens.clone();
            sorted.sort_unstable();
            let twice = sorted.windows(2).find_map(|pair| match pair {
                [first, second] if first == second => Some(*first),
                _ => None,
            });
            if let Some(token) = twice {
                return Err((node.at, format!("{key}: token {token} occurs twice")));
            }
            *list = tokens;
        }
        Ok(encoding)
    }

    /// The largest token used in inputs.
    #[must_use]
    pub fn largest(&self) -> u64 {
        self.classes.iter().flatten().copied().max().unwrap_or(0)
    }

    /// The tokens of symbols.
    #[must_use]
    pub fn tokens(&self, symbols: &[(Class, u64)]) -> Vec<u64> {
        symbols
            .iter()
            .map(|(class, symbol)| {
                let table = match class {
                    Class::Value => &self.classes[0],
                    Class::Key => &self.classes[1],
                    Class::Query => &self.classes[2],
                };
                usize::try_from(*symbol)
                    .ok()
                    .and_then(|place| table.get(place))
                    .copied()
                    .unwrap_or(0)
            })
            .collect()
    }

    /// The tokens of required answers.
    #[must_use]
    pub fn answer_tokens(&self, answers: &[u64]) -> Vec<u64> {
        answers
            .iter()
            .map(|answer| {
                usize::try_from(*answer)
                    .ok()
                    .and_then(|place| self.answers.get(place))
                    .copied()
                    .unwrap_or(0)
            })
            .collect()
    }

    /// The tables for people: runs of tokens as `first-last`, long tables cut.
    #[must_use]
    pub fn shown(&self) -> String {
        let [values, keys, queries] = &self.classes;
        let tables = [
            ("values", values),
            ("keys", keys),
            ("queries", queries),
            ("answers", &self.answers),
        ];
        let shown: Vec<String> = tables
            .iter()
            .filter(|(_, tokens)| !tokens.is_empty())
            .map(|(name, tokens)| format!("{name} {}", runs(tokens)))
            .collect();
        shown.join(", ")
    }

    /// The tables, as they are printed and kept in evidence.
    #[must_use]
    pub fn to_json(&self) -> Json {
        json!({
            "values": self.classes[0],
            "keys": self.classes[1],
            "queries": self.classes[2],
            "answers": self.answers,
        })
    }
}

/// `1-6 9`, at most eight runs.
fn runs(tokens: &[u64]) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for token in tokens {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*token) => *last = *token,
            _ => runs.push((*token, *token)),
        }
    }
    let mut shown: Vec<String> = runs
        .iter()
        .take(8)
        .map(|(first, last)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            }
        })
        .collect();
    if runs.len() > 8 {
        shown.push("..".to_owned());
    }
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_for_people() {
        let eva = Encoding::default_for(&Task::Eva { n: 6 });
        let [values, _, queries] = &eva.classes;
        let ends = |list: &[u64]| format!("{}-{}", list[0], list[5]);
        let right = format!(
            "values {}, queries {}, answers {}",
            ends(values),
            ends(queries),
            ends(&eva.answers)
        );
        assert_eq!(eva.shown(), right);
        assert_eq!(runs(&[5, 3, 4, 9]), "5 3-4 9");
        assert_eq!(
            runs(&[9, 7, 5, 3, 1, 12, 14, 16, 18]),
            "9 7 5 3 1 12 14 16 .."
        );
    }

    #[test]
    fn required_answers() {
        let eva = Task::Eva { n: 3 };
        assert_eq!(eva.required(&[2, 0, 1], &[0]), [2]);
        let two = Task::TwoSum { n: 3, modulus: 5 };
        assert_eq!(two.required(&[1, 3], &[2]), [1]);
        assert_eq!(two.required(&[1, 3], &[0]), [0]);
        let percom = Task::PerCom { n: 3 };
        assert_eq!(percom.required(&[1, 2, 0], &[2, 0, 1]), [0, 1, 2]);
        assert_eq!(percom.suffixes(), Some(6));
        let all: Vec<Vec<u64>> = (0..6).map(|i| percom.suffix(i)).collect();
        assert_eq!(all[0], [0, 1, 2]);
        assert_eq!(all[3], [1, 2, 0]);
        assert_eq!(all[5], [2, 1, 0]);
        // hop_1 of 0 1 0: the latest earlier 0 is at place 0, after it stands 1.
        assert_eq!(hop(&[0, 1, 0], 1), Some(1));
        assert_eq!(hop(&[0, 1, 0], 2), None);
        assert_eq!(hop(&[0, 1, 2], 1), None);
    }

    #[test]
    fn the_encoding_of_the_protocol_page() {
        let eva = Task::Eva { n: 6 };
        let encoding = Encoding::default_for(&eva);
        let mut tokens = encoding.tokens(&eva.spell_prefix(&[0, 0, 0, 0, 0, 3]));
        tokens.extend(encoding.tokens(&eva.spell_suffix(&[3])));
        assert_eq!(tokens, [1, 1, 1, 1, 1, 4, 10]);
        assert_eq!(encoding.largest(), 12);
        let mqar = Task::Mqar {
            vocabulary: 8,
            pairs: 2,
        };
        let encoding = Encoding::default_for(&mqar);
        assert_eq!(encoding.tokens(&mqar.spell_prefix(&[3, 0])), [1, 8, 2, 5]);
    }

    #[test]
    fn json_round_trips_and_refuses() {
        for task in [
            Task::Eva { n: 6 },
            Task::Mqar {
                vocabulary: 8,
                pairs: 2,
            },
            Task::KHop {
                n: 5,
                k: 2,
                alphabet: 3,
            },
        ] {
            assert_eq!(Task::from_json(&task.to_json()), Ok(task));
        }
        assert!(Task::from_json(&json!({"eva": {"n": "0"}})).is_err());
        assert!(Task::from_json(&json!({"eva": {"n": "06"}})).is_err());
        assert!(Task::from_json(&json!({"eva": {"n": "6", "m": "1"}})).is_err());
    }
}
