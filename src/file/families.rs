//! `[family.X]`: the shipped families of games.

use crate::exact::{Alphabet, Domain, Field, Form};
use crate::file::constants::Constants;
use crate::file::domains::domain;
use crate::file::keys;
use crate::file::reader::{Fields, list, mismatch, size, small_count, small_size, text, truth};
use crate::file::source::{FileError, Source};
use crate::file::tasks::NamedTask;
use crate::file::tree::{Entry, Tree, Value};
use crate::game::family::hybrid::{Edges, Epoch, Hybrid, Passes};
use crate::game::family::layout::{Letter, Word};
use crate::game::family::pointer_chasing::PointerChasing;
use crate::game::family::sparse::Sparse;
use crate::game::family::{chain_of_thought, one_way, streaming};
use crate::game::{Game, GameError};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};

/// A family with its parameters. This is the only place where families are told apart.
#[derive(Clone, Debug)]
pub enum Family {
    /// The hybrid game.
    Hybrid(Hybrid),
    /// One message.
    OneWay {
        /// Alphabet.
        symbols: Alphabet,
        /// Domains of Alice and Bob.
        parties: [Domain; 2],
    },
    /// One message, then forwarded views.
    ChainOfThought {
        /// Alphabet.
        symbols: Alphabet,
        /// Domains of Alice and Bob.
        parties: [Domain; 2],
        /// Fresh players.
        steps: u64,
    },
    /// A chain of readers.
    Streaming {
        /// Alphabet.
        symbols: Alphabet,
        /// Domains in prompt order.
        inputs: Vec<Domain>,
        /// Passes.
        layers: u64,
    },
    /// Block-sparse attention.
    Sparse(Sparse),
    /// Pointer chasing.
    PointerChasing(PointerChasing),
}

impl Family {
    /// Reads the one entry of `[family]`. `task` is the named task of the file, which gives some families their domains.
    ///
    /// # Errors
    /// Unknown keys, missing keys, wrong sizes, each with its position.
    pub fn read(
        source: &Source,
        entry: &Entry,
        constants: &Constants,
        task: Option<&NamedTask>,
    ) -> Result<Self, FileError> {
        let name = format!("[family.{}]", entry.key);
        let fields = Fields::of(source, &name, &entry.tree)?;
        fields.allow_keys(keys::of(&keys::FAMILIES, &entry.key))?;
        let reader = Reader { fields, constants };
        match entry.key.as_str() {
            "hybrid" => reader.hybrid().map(Self::Hybrid),
            "one_way" => Ok(Self::OneWay {
                symbols: reader.symbols()?,
                parties: reader.parties(task)?,
            }),
            "cot" => {
                let steps = reader.optional_size("steps")?.unwrap_or(1);
                Ok(Self::ChainOfThought {
                    symbols: reader.symbols()?,
                    parties: reader.parties(task)?,
                    steps,
                })
            }
            "streaming" => {
                let layers = reader.optional_size("layers")?.unwrap_or(1);
                Ok(Self::Streaming {
                    symbols: reader.symbols()?,
                    inputs: reader.prompt(task)?,
                    layers,
                })
            }
            "sparse" => reader.sparse().map(Self::Sparse),
            _ => reader.pointer_chasing().map(Self::PointerChasing),
        }
    }

    /// The game, unrolled.
    ///
    /// # Errors
    /// As [`Game::new`].
    pub fn game(&self) -> Result<Game, GameError> {
        match self {
            Self::Hybrid(hybrid) => hybrid.game(),
            Self::OneWay {
                symbols,
                parties: [alice, bob],
            } => one_way::game(symbols.clone(), alice.clone(), bob.clone()),
            Self::ChainOfThought {
                symbols,
                parties: [alice, bob],
                steps,
            } => chain_of_thought::game(symbols.clone(), alice.clone(), bob.clone(), *steps),
            Self::Streaming {
                symbols,
                inputs,
                layers,
            } => streaming::game(symbols, inputs.clone(), *layers),
            Self::Sparse(sparse) => sparse.game(),
            Self::PointerChasing(pointer) => pointer.game(),
        }
    }

    /// The hybrid parameters, for callers that must not unroll them.
    pub fn as_hybrid(&self) -> Option<&Hybrid> {
        if let Self::Hybrid(hybrid) = self {
            Some(hybrid)
        } else {
            None
        }
    }

    /// True when tokens arrive one player each.
    pub fn is_streaming(&self) -> bool {
        matches!(self, Self::Streaming { .. })
    }

    /// True when a named task gives this family its inputs.
    pub fn takes(&self, task: &NamedTask) -> bool {
        match self {
            Self::OneWay { .. } | Self::ChainOfThought { .. } => task.parties().is_some(),
            Self::Streaming { .. } => task.prompt().is_some(),
            Self::Hybrid(_) | Self::Sparse(_) | Self::PointerChasing(_) => false,
        }
    }

    /// The constants it defines, for expressions in the same file.
    pub fn constants(&self) -> Vec<(String, BigInt)> {
        let named = |pairs: &[(&str, u64)]| {
            pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).into()))
                .collect()
        };
        match self {
            Self::Hybrid(hybrid) => {
                let mut all: Vec<(String, BigInt)> =
                    named(&[("L", hybrid.steps), ("D0", hybrid.start)]);
                all.extend(
                    hybrid
                        .ranges
                        .iter()
                        .zip(1..)
                        .map(|(m, l): (&u64, u64)| (format!("m{l}"), (*m).into())),
                );
                all.extend(
                    hybrid
                        .queries
                        .iter()
                        .zip(1..)
                        .map(|(n, l): (&u64, u64)| (format!("n{l}"), (*n).into())),
                );
                all
            }
            Self::Sparse(sparse) => named(&[
                ("n", sparse.blocks * sparse.block),
                ("B", sparse.block),
                ("k", sparse.read),
                ("M", sparse.values),
                ("q", sparse.blocks),
            ]),
            Self::PointerChasing(pointer) => named(&[
                ("k", pointer.players),
                ("q", pointer.points),
                ("R", pointer.rounds),
                ("s", pointer.bits),
            ]),
            Self::OneWay { .. } | Self::ChainOfThought { .. } | Self::Streaming { .. } => {
                Vec::new()
            }
        }
    }

    /// The task the family fixes, if it fixes one.
    pub fn task(&self) -> Option<NamedTask> {
        match self {
            Self::Hybrid(hybrid) => Some(NamedTask::Composition {
                steps: hybrid.steps,
                start: hybrid.start,
                ranges: hybrid.ranges.clone(),
                queries: hybrid.queries.clone(),
            }),
            Self::Sparse(sparse) => Some(NamedTask::BlockMembership {
                n: sparse.blocks * sparse.block,
                block: sparse.block,
                values: sparse.values,
            }),
            Self::PointerChasing(pointer) => Some(NamedTask::Pointer {
                players: pointer.players,
                points: pointer.points,
            }),
            Self::OneWay { .. } | Self::ChainOfThought { .. } | Self::Streaming { .. } => None,
        }
    }
}

struct Reader<'a> {
    fields: Fields<'a>,
    constants: &'a Constants,
}

impl<'a> Reader<'a> {
    fn source(&self) -> &'a Source {
        self.fields.source
    }

    fn size(&self, key: &str) -> Result<u64, FileError> {
        small_size(
            self.source(),
            self.fields.need(key)?,
            self.constants,
            &format!("`{key}`"),
        )
    }

    fn optional_size(&self, key: &str) -> Result<Option<u64>, FileError> {
        let read = |tree| small_size(self.source(), tree, self.constants, &format!("`{key}`"));
        self.fields.get(key).map(read).transpose()
    }

    fn alphabet(&self, tree: &Tree, what: &str) -> Result<Alphabet, FileError> {
        let size = size(self.source(), tree, self.constants, what)?;
        Alphabet::new(size).map_err(|error| self.source().error_in(&tree.at, error.to_string()))
    }

    fn symbols(&self) -> Result<Alphabet, FileError> {
        self.alphabet(self.fields.need("symbols")?, "alphabet")
    }

    fn parties(&self, task: Option<&NamedTask>) -> Result<[Domain; 2], FileError> {
        let given = task.and_then(NamedTask::parties);
        let sides = ["alice", "bob"];
        if let Some(domains) = given {
            if let Some(entry) = self
                .fields
                .entries
                .iter()
                .find(|entry| sides.contains(&entry.key.as_str()))
            {
                let message = format!("the task gives both inputs; `{}` is not written", entry.key);
                return Err(self.source().error_in(&entry.key_at, message));
            }
            return domains.map_err(|error| {
                self.source()
                    .error_at(self.fields.at.start, error.to_string())
                    .about_size()
            });
        }
        let read = |key| domain(self.source(), self.fields.need(key)?, self.constants);
        Ok([read("alice")?, read("bob")?])
    }

    fn prompt(&self, task: Option<&NamedTask>) -> Result<Vec<Domain>, FileError> {
        let given = task.and_then(NamedTask::prompt);
        match (self.fields.get("inputs"), given) {
            (Some(tree), Some(_)) => Err(self.source().error_at(
                tree.at.start,
                "the task gives the inputs; `inputs` is not written",
            )),
            (None, Some(domains)) => domains.map_err(|error| {
                self.source()
                    .error_at(self.fields.at.start, error.to_string())
                    .about_size()
            }),
            (_, None) => {
                let tree = self.fields.need("inputs")?;
                let items = list(self.source(), tree)?;
                if items.is_empty() {
                    return Err(self
                        .source()
                        .error_at(tree.at.start, "no inputs, expected at least one player"));
                }
                items
                    .iter()
                    .map(|item| domain(self.source(), item, self.constants))
                    .collect()
            }
        }
    }

    fn sizes(&self, key: &str, expected: usize, what: &str) -> Result<Vec<u64>, FileError> {
        let tree = self.fields.need(key)?;
        let items = list(self.source(), tree)?;
        if items.len() != expected {
            let message = format!(
                "`{key}` has {} entries, expected {expected} ({what})",
                items.len()
            );
            return Err(self.source().error_at(tree.at.start, message));
        }
        let entry = |tree| {
            small_size(
                self.source(),
                tree,
                self.constants,
                &format!("entry of `{key}`"),
            )
        };
        items.iter().map(entry).collect()
    }

    fn hybrid(&self) -> Result<Hybrid, FileError> {
        let steps = self.size("steps")?;
        let count = steps.to_usize().filter(|count| *count <= 1 << 12);
        let Some(count) = count else {
            let tree = self.fields.need("steps")?;
            return Err(self
                .source()
                .error_in(
                    &tree.at,
                    format!("{steps} steps, at most 4096 are supported"),
                )
                .about_size());
        };
        let hybrid = Hybrid {
            steps,
            start: self.size("start")?,
            ranges: self.sizes("ranges", count, "m_1..m_L")?,
            queries: self.sizes("queries", count - 1, "n_1..n_(L-1)")?,
            epochs: Vec::new(),
        };
        let epochs = match (self.fields.get("layout"), self.fields.get("epoch")) {
            (Some(_), Some(epoch)) => {
                return Err(self.source().error_at(
                    epoch.at.start,
                    "both `layout` and `epoch`, expected one of them",
                ));
            }
            (Some(layout), None) => self.layout(&hybrid, layout)?,
            (None, Some(epochs)) => self.epochs(&hybrid, epochs)?,
            (None, None) => {
                let message = format!("{} has no `layout` and no `epoch`", self.fields.name);
                return Err(self.source().error_at(self.fields.at.start, message));
            }
        };
        Ok(Hybrid { epochs, ..hybrid })
    }

    fn layout(&self, hybrid: &Hybrid, tree: &Tree) -> Result<Vec<Epoch>, FileError> {
        let source = self.source();
        let word = Word::parse(text(source, tree)?).map_err(|error| {
            source.error_at(source.offset(&tree.at, error.at), error.to_string())
        })?;
        let has = |letter| word.runs().iter().any(|(other, _)| *other == letter);
        let per_token = self
            .fields
            .get("soft_per_token")
            .map(|tree| truth(source, tree))
            .transpose()?
            .unwrap_or(false);
        let soft = match self.fields.get("soft") {
            None if has(Letter::F) => return self.fields.need("soft").map(|_| Vec::new()),
            None => Edges::new(),
            Some(tree) => self.uniform(hybrid, tree, per_token, true)?,
        };
        let linear = match self.fields.get("linear") {
            None if has(Letter::R) => return self.fields.need("linear").map(|_| Vec::new()),
            None => Edges::new(),
            Some(tree) => self.uniform(hybrid, tree, false, false)?,
        };
        Hybrid::epochs_of(&word, &soft, &linear)
            .map_err(|error| source.error_in(&tree.at, error.to_string()).about_size())
    }

    /// A size for every edge, or an edge table.
    fn uniform(
        &self,
        hybrid: &Hybrid,
        tree: &Tree,
        per_token: bool,
        soft: bool,
    ) -> Result<Edges, FileError> {
        if let Value::Table(_) = tree.value {
            if per_token {
                return Err(self.source().error_at(
                    tree.at.start,
                    "`soft_per_token` raises a size, not an edge table",
                ));
            }
            return self.edges(hybrid, tree, soft);
        }
        let what = if soft {
            "alphabet of `soft`"
        } else {
            "alphabet of `linear`"
        };
        let base = self.alphabet(tree, what)?;
        let top = i64::try_from(hybrid.steps).unwrap_or(i64::MAX);
        let mut edges = Edges::new();
        for from in 0..=top {
            for to in if soft { -1..from } else { from - 1..from } {
                let alphabet = if per_token {
                    self.raised(tree, &base, &hybrid.tokens(to))?
                } else {
                    base.clone()
                };
                edges.insert((from, to), alphabet);
            }
        }
        Ok(edges)
    }

    fn raised(
        &self,
        tree: &Tree,
        base: &Alphabet,
        tokens: &BigUint,
    ) -> Result<Alphabet, FileError> {
        let bits = tokens * (base.size() - 1u8).bits();
        let exponent = tokens
            .to_u32()
            .filter(|_| bits <= BigUint::from(1u32 << 24));
        let size = match exponent {
            _ if !base.is_open() => BigUint::one(),
            Some(exponent) => base.size().pow(exponent),
            None => {
                let message = format!(
                    "an alphabet of {}^{tokens} symbols needs about {bits} bits, at most 2^24 are supported",
                    base.size()
                );
                return Err(self.source().error_in(&tree.at, message).about_size());
            }
        };
        Alphabet::new(size).map_err(|error| self.source().error_in(&tree.at, error.to_string()))
    }

    fn edges(&self, hybrid: &Hybrid, tree: &Tree, soft: bool) -> Result<Edges, FileError> {
        let Value::Table(entries) = &tree.value else {
            return Err(mismatch(
                self.source(),
                tree,
                &tree.value,
                "an edge table like { \"1>0\" = 2 }",
            ));
        };
        let top = i64::try_from(hybrid.steps).unwrap_or(i64::MAX);
        let mut edges = Edges::new();
        for entry in entries {
            let wrong = |expected: String| {
                self.source().error_in(
                    &entry.key_at,
                    format!("found edge `{}`, expected {expected}", entry.key),
                )
            };
            let parsed = entry.key.split_once('>').and_then(|(from, to)| {
                let label = |text: &str| {
                    text.parse::<i64>()
                        .ok()
                        .filter(|label| label.to_string() == text)
                };
                Some((label(from)?, label(to)?))
            });
            let Some((from, to)) = parsed else {
                return Err(wrong("j>i, as in \"1>0\"".to_owned()));
            };
            if !(0..=top).contains(&from) || !(-1..=top).contains(&to) {
                return Err(wrong(format!("players {top}..-1")));
            }
            if from <= to {
                return Err(wrong("a sender above its receiver (j > i)".to_owned()));
            }
            if !soft && to != from - 1 {
                return Err(wrong("j>j-1: a pass goes one player down".to_owned()));
            }
            edges.insert(
                (from, to),
                self.alphabet(&entry.tree, &format!("alphabet of `{}`", entry.key))?,
            );
        }
        Ok(edges)
    }

    fn epochs(&self, hybrid: &Hybrid, tree: &Tree) -> Result<Vec<Epoch>, FileError> {
        for key in ["soft", "linear", "soft_per_token"] {
            if let Some(entry) = self.fields.entries.iter().find(|entry| entry.key == key) {
                return Err(self.source().error_in(
                    &entry.key_at,
                    format!("`{key}` stands beside `layout`, or inside each epoch"),
                ));
            }
        }
        let mut epochs = Vec::new();
        let mut number = 0;
        for item in list(self.source(), tree)? {
            let fields = Fields::of(self.source(), "[[family.hybrid.epoch]]", item)?;
            fields.allow_keys(&keys::EPOCH)?;
            let soft_tree = fields.need("soft")?;
            let soft = self.edges(hybrid, soft_tree, true)?;
            let first_without_soft = epochs.is_empty()
                && matches!(&soft_tree.value, Value::Table(entries) if entries.is_empty());
            let passes = match fields.get("linear") {
                None => Vec::new(),
                Some(tree) => list(self.source(), tree)?
                    .iter()
                    .map(|pass| {
                        Ok(Passes {
                            count: BigUint::one(),
                            edges: self.edges(hybrid, pass, false)?,
                        })
                    })
                    .collect::<Result<_, FileError>>()?,
            };
            if !first_without_soft {
                number += 1;
            }
            epochs.push(Epoch {
                number,
                soft: (!first_without_soft).then_some(soft),
                passes,
            });
        }
        Ok(epochs)
    }

    fn sparse(&self) -> Result<Sparse, FileError> {
        let (n, block) = (self.size("n")?, self.size("block")?);
        if n % block != 0 {
            let tree = self.fields.need("block")?;
            return Err(self
                .source()
                .error_in(&tree.at, format!("`block` {block} does not divide `n` {n}")));
        }
        let read_tree = self.fields.need("read")?;
        let read = small_count(self.source(), read_tree, self.constants, "`read`")?;
        let blocks = n / block;
        if read > blocks {
            return Err(self.source().error_in(
                &read_tree.at,
                format!("`read` {read}, expected at most the {blocks} blocks"),
            ));
        }
        let shared_map = self
            .fields
            .get("shared_map")
            .map(|tree| truth(self.source(), tree))
            .transpose()?;
        Ok(Sparse {
            blocks,
            block,
            values: self.optional_size("values")?.unwrap_or(n),
            read,
            heads: self.optional_size("heads")?.unwrap_or(1),
            symbols: self.symbols()?,
            shared_map: shared_map.unwrap_or(true),
        })
    }

    fn pointer_chasing(&self) -> Result<PointerChasing, FileError> {
        let at = |key: &str, message: String| {
            Ok::<_, FileError>(self.source().error_in(&self.fields.need(key)?.at, message))
        };
        let (players, points, rounds) = (
            self.size("players")?,
            self.size("points")?,
            self.size("rounds")?,
        );
        if players < 2 {
            return Err(at(
                "players",
                format!("`players` {players}, expected at least 2"),
            )?);
        }
        if points % 2 != 0 {
            return Err(at(
                "points",
                format!("`points` {points}, expected an even number"),
            )?);
        }
        let bits_tree = self.fields.need("bits")?;
        let bits = small_count(self.source(), bits_tree, self.constants, "`bits`")?;
        if bits > 1 << 24 {
            return Err(
                at("bits", format!("`bits` {bits}, at most 2^24 are supported"))?.about_size(),
            );
        }
        Ok(PointerChasing {
            players,
            points,
            rounds,
            bits,
        })
    }
}

/// A domain of one table field, for tasks that give domains.
pub(super) fn table_domain(
    name: &str,
    len: u64,
    values: u64,
) -> Result<Domain, crate::exact::DomainError> {
    Domain::new(vec![Field {
        name: name.to_owned(),
        form: Form::Table { len, values },
    }])
}
