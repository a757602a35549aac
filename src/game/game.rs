//! Players, rounds and slots: a communication game as plain, checked data.
//!
//! A *round* is a list of slots computed simultaneously from the views at its start. A *slot* is one place in the schedule
//! where one symbol goes from one player to another. What a symbol may depend on follows from the schedule alone: the view of
//! the sender, and of the consulted players, at the start of the round (see [`crate::game::view::Sight`]).

use crate::exact::{Alphabet, Domain, DomainError, choose, product};
use itertools::Itertools;
use num_bigint::BigUint;
use std::collections::BTreeSet;
use std::fmt;

/// Most slots that a game holds unrolled.
pub const MAX_SLOTS: usize = 1 << 20;

/// A player's position in [`Game::players`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerId(pub usize);

/// A slot's 0-based place in the whole schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotId(pub usize);

/// A player's name as the paper writes it: `2`, `0`, `-1`, `Alice`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub String);

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Owner of one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// The name.
    pub label: Label,
    /// The finite set its input is drawn from.
    pub domain: Domain,
}

/// The ledger line that pays for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// Answer of a full-attention layer.
    Soft,
    /// Recurrent state that crosses a token boundary.
    Linear,
    /// Summary of a block.
    Summary,
    /// Which blocks are read.
    Selection,
    /// A block that is read.
    Read,
    /// Costs nothing (chain of thought).
    Free,
}

impl Channel {
    /// Every channel, in ledger order.
    pub const ALL: [Self; 6] = [
        Self::Soft,
        Self::Linear,
        Self::Summary,
        Self::Selection,
        Self::Read,
        Self::Free,
    ];

    /// The word in the ledger and in evidence: `linear`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Soft => "soft",
            Self::Linear => "linear",
            Self::Summary => "summary",
            Self::Selection => "selection",
            Self::Read => "read",
            Self::Free => "free",
        }
    }

    /// The word in slot names: `lin`.
    pub fn kind(self) -> &'static str {
        if self == Self::Linear {
            "lin"
        } else {
            self.word()
        }
    }

    /// The channel whose slot names begin with `kind`.
    pub fn from_kind(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.kind() == kind)
    }
}

/// How the symbol of a slot comes about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The protocol chooses it.
    Chosen(Alphabet),
    /// It is the sender's whole view at the start of the round.
    Forward,
    /// It is the input of the candidate that slot `by` selected at place `rank`.
    Read {
        /// The earlier selection slot.
        by: SlotId,
        /// Place in the selected tuple, from 0.
        rank: usize,
    },
}

/// One symbol from one player to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Sender.
    pub from: PlayerId,
    /// Receiver, the only player that stores the symbol.
    pub to: PlayerId,
    /// Players whose views the sender may look at for this symbol, and then forgets.
    pub consults: Vec<PlayerId>,
    /// Who pays.
    pub channel: Channel,
    /// Where the symbol comes from.
    pub rule: Rule,
    /// The numbers after `@` in its name; the first is the epoch in a hybrid game.
    pub at: Vec<u64>,
}

impl Slot {
    /// The views a chosen symbol depends on: sender first, then the consulted players.
    pub fn seen(&self) -> impl Iterator<Item = PlayerId> + '_ {
        std::iter::once(self.from).chain(self.consults.iter().copied())
    }
}

/// Slots computed simultaneously.
pub type Round = Vec<Slot>;

/// A communication game: who holds what, who says what to whom when, and who answers.
///
/// ```
/// use foolproof::game::family::one_way;
/// use foolproof::exact::{Alphabet, Domain, Form};
/// let game = one_way::game(
///     Alphabet::new(3u32.into())?,
///     Domain::single("f", Form::Table { len: 2, values: 2 })?,
///     Domain::single("x", Form::Number(2))?,
/// )?;
/// assert_eq!(game.slots().len(), 1);
/// assert_eq!(game.inputs_size()?, 8u32.into());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    players: Vec<Player>,
    slots: Vec<Slot>,
    /// For each round the index after its last slot.
    round_ends: Vec<usize>,
    output: PlayerId,
    shared: Vec<SlotId>,
    /// Alphabet of every slot, derived ones included.
    alphabets: Vec<Alphabet>,
    /// Round of every slot.
    rounds_of: Vec<usize>,
    names: Vec<String>,
}

/// Why a game cannot be built. Each variant names the offending item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// No players.
    #[error("`players` is empty, expected at least one")]
    NoPlayers,
    /// Two players with one name.
    #[error("two players are called `{0}`")]
    DuplicatePlayer(Label),
    /// A player that the game does not have.
    #[error("slot {slot}: player number {player} does not exist, the game has {players}")]
    UnknownPlayer {
        /// Index of the slot.
        slot: usize,
        /// The number given.
        player: usize,
        /// How many there are.
        players: usize,
    },
    /// The output player does not exist.
    #[error("output player number {0} does not exist")]
    UnknownOutput(usize),
    /// The same player consulted twice, or consulted by itself.
    #[error("`{slot}` consults {player} twice")]
    ConsultedTwice {
        /// Name of the slot.
        slot: String,
        /// The player.
        player: Label,
    },
    /// Consults on a slot whose symbol is not chosen.
    #[error("`{0}` is copied by the schedule, so it consults nobody")]
    CopyConsults(String),
    /// `Read.by` is not an earlier chosen slot of the same receiver.
    #[error("`{slot}` reads by slot {by}, expected an earlier chosen slot to {to}")]
    BadSelector {
        /// Name of the read slot.
        slot: String,
        /// Index given in `by`.
        by: usize,
        /// The reader.
        to: Label,
    },
    /// The selection alphabet is not C(q, k).
    #[error("`{selector}` has {found} symbols, expected C({q},{k}) = {expected}")]
    SelectorAlphabet {
        /// Name of the selection slot.
        selector: String,
        /// Its alphabet.
        found: BigUint,
        /// Candidates.
        q: usize,
        /// Reads that name the slot.
        k: usize,
        /// C(q, k).
        expected: BigUint,
    },
    /// More reads than candidates.
    #[error("`{selector}` is read {k} times but there are only {q} other players")]
    TooManyReads {
        /// Name of the selection slot.
        selector: String,
        /// Candidates.
        q: usize,
        /// Reads.
        k: usize,
    },
    /// A rank outside `0..k`, or used twice.
    #[error("`{slot}` has rank {rank}, expected each of 0..{k} once")]
    BadRank {
        /// Name of the read slot.
        slot: String,
        /// The rank.
        rank: usize,
        /// Number of reads that name the selection.
        k: usize,
    },
    /// A read slot whose sender is not its receiver.
    #[error("`{0}` is a read slot, expected the sender to be the reader")]
    ReadSender(String),
    /// Slots that must share one function have different shapes.
    #[error("`{0}` cannot share one function with the other summary slots")]
    NotShareable(String),
    /// More slots than are unrolled.
    #[error("{0} slots, at most 2^20 are unrolled")]
    TooManySlots(BigUint),
    /// A size that is too large to be written down.
    #[error("{what}: {error}")]
    Size {
        /// What was measured.
        what: String,
        /// The size error.
        error: DomainError,
    },
}

impl GameError {
    /// True when only a size is at fault, not the game.
    pub fn is_size(&self) -> bool {
        matches!(
            self,
            Self::TooManySlots(_)
                | Self::Size {
                    error: DomainError::TooLarge(_) | DomainError::TooWide(_),
                    ..
                }
        )
    }
}

impl Game {
    /// Checks and completes a game.
    ///
    /// # Errors
    /// A [`GameError`] that names the offending item.
    /// # Cost
    /// One pass over the slots, and the derived alphabets.
    pub fn new(
        players: Vec<Player>,
        rounds: Vec<Round>,
        output: PlayerId,
    ) -> Result<Self, GameError> {
        if players.is_empty() {
            return Err(GameError::NoPlayers);
        }
        if let Some(twice) = players.iter().map(|p| &p.label).duplicates().next() {
            return Err(GameError::DuplicatePlayer(twice.clone()));
        }
        if output.0 >= players.len() {
            return Err(GameError::UnknownOutput(output.0));
        }
        let count: usize = rounds.iter().map(Vec::len).sum();
        if count > MAX_SLOTS {
            return Err(GameError::TooManySlots(count.into()));
        }
        let round_ends = rounds
            .iter()
            .scan(0, |end, round| {
                *end += round.len();
                Some(*end)
            })
            .collect();
        let rounds_of = rounds
            .iter()
            .enumerate()
            .flat_map(|(number, round)| std::iter::repeat_n(number, round.len()))
            .collect();
        let slots: Vec<Slot> = rounds.into_iter().flatten().collect();
        for (index, slot) in slots.iter().enumerate() {
            let ids = slot.seen().chain([slot.to]);
            if let Some(player) = ids.into_iter().find(|id| id.0 >= players.len()) {
                return Err(GameError::UnknownPlayer {
                    slot: index,
                    player: player.0,
                    players: players.len(),
                });
            }
        }
        let names = slot_names(&players, &slots);
        let mut game = Self {
            players,
            slots,
            round_ends,
            output,
            shared: Vec::new(),
            alphabets: Vec::new(),
            rounds_of,
            names,
        };
        game.check_slots()?;
        game.derive_alphabets()?;
        Ok(game)
    }

    /// The same game in which `slots` must all use one message function (block-sparse attention with a shared map).
    ///
    /// # Errors
    /// [`GameError::NotShareable`] when the slots do not see and say the same kind of thing.
    pub fn with_shared(mut self, slots: Vec<SlotId>) -> Result<Self, GameError> {
        // All that the key of the function, and its value, are made of.
        let shape = |id: SlotId| {
            let start = self.round_start(self.round_of(id));
            let seen = self.slot(id).seen().map(|player| {
                let stored = self.stored(player, start).filter(|id| self.is_open(*id));
                let alphabets: Vec<&Alphabet> = stored.map(|id| self.alphabet(id)).collect();
                (&self.player(player).domain, alphabets)
            });
            (seen.collect::<Vec<_>>(), &self.slot(id).rule)
        };
        if let Some(first) = slots.first() {
            let expected = shape(*first);
            if let Some(odd) = slots.iter().find(|id| shape(**id) != expected) {
                return Err(GameError::NotShareable(self.name(*odd).to_owned()));
            }
        }
        self.shared = slots;
        Ok(self)
    }

    fn check_slots(&self) -> Result<(), GameError> {
        for (id, slot) in self.ids().zip(&self.slots) {
            let name = || self.name(id).to_owned();
            let twice = slot.consults.iter().duplicates().next();
            if let Some(player) = twice.or_else(|| slot.consults.iter().find(|c| **c == slot.from))
            {
                let player = self.players[player.0].label.clone();
                return Err(GameError::ConsultedTwice {
                    slot: name(),
                    player,
                });
            }
            match &slot.rule {
                Rule::Chosen(_) => {}
                Rule::Forward if slot.consults.is_empty() => {}
                Rule::Read { by, .. } if slot.consults.is_empty() => self.check_read(id, *by)?,
                Rule::Forward | Rule::Read { .. } => return Err(GameError::CopyConsults(name())),
            }
        }
        // Only now is every read known to name a slot that can select for it.
        self.chosen_slots()
            .try_for_each(|id| self.check_selection(id))
    }

    fn check_read(&self, id: SlotId, by: SlotId) -> Result<(), GameError> {
        let slot = self.slot(id);
        if slot.from != slot.to {
            return Err(GameError::ReadSender(self.name(id).to_owned()));
        }
        let selector = self.slots.get(by.0).filter(|selector| {
            matches!(selector.rule, Rule::Chosen(_))
                && selector.to == slot.to
                && self.round_of(by) < self.round_of(id)
        });
        match selector {
            Some(_) => Ok(()),
            None => Err(GameError::BadSelector {
                slot: self.name(id).to_owned(),
                by: by.0,
                to: self.players[slot.to.0].label.clone(),
            }),
        }
    }

    fn check_selection(&self, id: SlotId) -> Result<(), GameError> {
        let reads: Vec<(SlotId, usize)> = self.reads_of(id).collect();
        let Rule::Chosen(alphabet) = &self.slot(id).rule else {
            return Ok(());
        };
        let (q, k) = (self.players.len() - 1, reads.len());
        if k == 0 {
            return Ok(());
        }
        if k > q {
            return Err(GameError::TooManyReads {
                selector: self.name(id).to_owned(),
                q,
                k,
            });
        }
        let ranks: BTreeSet<usize> = reads.iter().map(|(_, rank)| *rank).collect();
        if ranks.len() < k || ranks.last() != Some(&(k - 1)) {
            let (slot, rank) = reads
                .iter()
                .enumerate()
                .find(|(place, (_, rank))| {
                    *rank >= k || reads[..*place].iter().any(|(_, earlier)| earlier == rank)
                })
                .map_or((id, 0), |(_, found)| *found);
            return Err(GameError::BadRank {
                slot: self.name(slot).to_owned(),
                rank,
                k,
            });
        }
        let expected = choose(q as u64, k as u64);
        if *alphabet.size() != expected {
            return Err(GameError::SelectorAlphabet {
                selector: self.name(id).to_owned(),
                found: alphabet.size().clone(),
                q,
                k,
                expected,
            });
        }
        Ok(())
    }

    fn derive_alphabets(&mut self) -> Result<(), GameError> {
        for id in 0..self.slots.len() {
            let slot = &self.slots[id];
            let alphabet = match &slot.rule {
                Rule::Chosen(alphabet) => alphabet.clone(),
                Rule::Forward => {
                    let start = self.round_start(self.rounds_of[id]);
                    let own = self.domain_size(slot.from)?;
                    let stored = self.stored(slot.from, start);
                    let sizes: Vec<&BigUint> = std::iter::once(&own)
                        .chain(stored.map(|stored| self.alphabets[stored.0].size()))
                        .collect();
                    let size = product(&sizes).map_err(|error| GameError::Size {
                        what: format!("the alphabet of `{}`", self.names[id]),
                        error,
                    })?;
                    Alphabet::new(size).unwrap_or_else(|_| Alphabet::silent())
                }
                Rule::Read { .. } => {
                    let sizes: Result<Vec<BigUint>, GameError> = self
                        .candidates(slot.to)
                        .map(|candidate| self.domain_size(candidate))
                        .collect();
                    let largest = sizes?
                        .into_iter()
                        .max()
                        .unwrap_or_else(|| BigUint::from(1u8));
                    Alphabet::new(largest).unwrap_or_else(|_| Alphabet::silent())
                }
            };
            self.alphabets.push(alphabet);
        }
        Ok(())
    }

    /// The players, in order.
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// A player.
    pub fn player(&self, id: PlayerId) -> &Player {
        &self.players[id.0]
    }

    /// The player with this label.
    pub fn find_player(&self, label: &str) -> Option<PlayerId> {
        self.players
            .iter()
            .position(|player| player.label.0 == label)
            .map(PlayerId)
    }

    /// The player whose final view answers.
    pub fn output(&self) -> PlayerId {
        self.output
    }

    /// All slots in schedule order.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// A slot.
    pub fn slot(&self, id: SlotId) -> &Slot {
        &self.slots[id.0]
    }

    /// The indices of all slots, in schedule order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = SlotId> + ExactSizeIterator + use<> {
        (0..self.slots.len()).map(SlotId)
    }

    /// Number of rounds.
    pub fn rounds(&self) -> usize {
        self.round_ends.len()
    }

    /// The slots of a round.
    pub fn round(&self, number: usize) -> impl Iterator<Item = SlotId> + use<> {
        (self.round_start(number)..self.round_ends[number]).map(SlotId)
    }

    /// Index of the first slot of a round; the number of slots when `number` is the number of rounds.
    pub fn round_start(&self, number: usize) -> usize {
        number
            .checked_sub(1)
            .map_or(0, |before| self.round_ends[before])
    }

    /// The round a slot belongs to, from 0.
    pub fn round_of(&self, id: SlotId) -> usize {
        self.rounds_of[id.0]
    }

    /// Slots that must use one message function; empty unless the family says so.
    pub fn shared(&self) -> &[SlotId] {
        &self.shared
    }

    /// The alphabet of a slot, derived for copies.
    pub fn alphabet(&self, id: SlotId) -> &Alphabet {
        &self.alphabets[id.0]
    }

    /// True when the slot has at least two symbols.
    pub fn is_open(&self, id: SlotId) -> bool {
        self.alphabet(id).is_open()
    }

    /// The slots with at least two symbols, in schedule order.
    pub fn open_slots(&self) -> impl Iterator<Item = SlotId> + '_ {
        self.ids().filter(|id| self.is_open(*id))
    }

    /// The chosen slots, in schedule order.
    pub fn chosen_slots(&self) -> impl Iterator<Item = SlotId> + '_ {
        self.ids()
            .filter(|id| matches!(self.slot(*id).rule, Rule::Chosen(_)))
    }

    /// Slots with index below `end` whose symbol is stored in the view of `player`, silent ones included.
    pub fn stored(&self, player: PlayerId, end: usize) -> impl Iterator<Item = SlotId> + '_ {
        self.slots[..end]
            .iter()
            .enumerate()
            .filter(move |(_, slot)| slot.to == player)
            .map(|(id, _)| SlotId(id))
    }

    /// The name of a slot: `lin 0->-1 @1.2`, with `#k` from the second slot of that name on.
    pub fn name(&self, id: SlotId) -> &str {
        &self.names[id.0]
    }

    /// The slot with this name.
    pub fn find_slot(&self, name: &str) -> Option<SlotId> {
        self.names
            .iter()
            .position(|known| known == name)
            .map(SlotId)
    }

    /// The players a reader may read from, in player order.
    pub fn candidates(&self, reader: PlayerId) -> impl Iterator<Item = PlayerId> + use<> {
        (0..self.players.len())
            .map(PlayerId)
            .filter(move |id| *id != reader)
    }

    /// The read slots that name the selection slot `by`, with their ranks.
    pub fn reads_of(&self, by: SlotId) -> impl Iterator<Item = (SlotId, usize)> + '_ {
        self.ids().filter_map(move |id| match self.slot(id).rule {
            Rule::Read { by: named, rank } if named == by => Some((id, rank)),
            Rule::Read { .. } | Rule::Chosen(_) | Rule::Forward => None,
        })
    }

    fn domain_size(&self, player: PlayerId) -> Result<BigUint, GameError> {
        let player = self.player(player);
        player.domain.size().map_err(|error| GameError::Size {
            what: format!("the domain of {}", player.label),
            error,
        })
    }

    /// Exact number of full inputs.
    ///
    /// # Errors
    /// [`GameError::Size`] when it has more than 2^24 bits.
    pub fn inputs_size(&self) -> Result<BigUint, GameError> {
        let sizes: Vec<BigUint> = (0..self.players.len())
            .map(|id| self.domain_size(PlayerId(id)))
            .collect::<Result<_, _>>()?;
        product(&sizes.iter().collect::<Vec<_>>()).map_err(|error| GameError::Size {
            what: "the number of full inputs".to_owned(),
            error,
        })
    }
}

/// Names as files and output have them; equal names are told apart by `#2`, `#3`, in schedule order.
fn slot_names(players: &[Player], slots: &[Slot]) -> Vec<String> {
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    slots
        .iter()
        .map(|slot| {
            let (from, to) = (&players[slot.from.0].label, &players[slot.to.0].label);
            let name = format!(
                "{} {from}->{to} @{}",
                slot.channel.kind(),
                slot.at.iter().join(".")
            );
            let times = seen
                .entry(name.clone())
                .and_modify(|times| *times += 1)
                .or_insert(1);
            if *times == 1 {
                name
            } else {
                format!("{name}#{times}")
            }
        })
        .collect()
}
