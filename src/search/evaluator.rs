//! A fast evaluator: views are numbered, and every message function is asked once per sight.
//!
//! What a player knows is a *view*: its input and what it has stored. Views get numbers, by player and by how much is stored;
//! a symbol is then a table look-up by the numbers of the views in sight, and storing it a look-up by (view, symbol). The
//! tables are filled when an entry is first needed, by the naive message function. A symbol that depends on two inputs is so
//! computed once for each pair of them, however many full inputs there are; going through the full inputs in order, only the
//! slots that depend on what changed are looked at again. The naive evaluator polices all of it (see the tests).

use crate::game::run::{combination, say};
use crate::game::{
    Answer, Game, IllegalRun, Inputs, PlayerId, Protocol, Rule, SlotId, Symbol, View,
};
use num_traits::ToPrimitive;

/// Largest flat table; larger ones are hashed.
const FLAT: u64 = 1 << 20;
/// Entries of hashed tables after which all tables are emptied, so that memory is bounded.
const FULL: usize = 1 << 22;
/// An entry that was not asked for yet.
const UNKNOWN: u64 = u64::MAX;

/// A view of a player after it has stored a number of open slots.
#[derive(Clone, Copy, Debug)]
struct Register(usize);

/// One open slot, compiled.
#[derive(Clone, Debug)]
struct Step {
    id: SlotId,
    /// Registers of the views in sight, sender first.
    sight: Vec<Register>,
    /// What is stored before and after.
    before: Register,
    after: Register,
    read: Option<ReadStep>,
    /// The last player, in order, that the symbol or what is stored depends on.
    depth: usize,
}

/// A read slot: the input of the candidate that a selection names.
#[derive(Clone, Debug)]
struct ReadStep {
    selection: SlotId,
    rank: usize,
    candidates: Vec<PlayerId>,
    reads: usize,
}

/// What a register stands for.
#[derive(Clone, Debug)]
struct Place {
    player: PlayerId,
    /// The slot stored last, and the register before it; `None` for the input alone.
    last: Option<(SlotId, Register)>,
    /// Upper bound of the numbers of its views.
    bound: u64,
}

/// The schedule of a game, compiled for one evaluator or many.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    game: &'a Game,
    places: Vec<Place>,
    steps: Vec<Step>,
    /// For each player: the steps to look at again when its input has changed.
    changed: Vec<Vec<usize>>,
    last: Register,
}

impl<'a> Program<'a> {
    /// Compiles a game; `None` when slots share one function, or a domain has no index.
    ///
    /// # Cost
    /// The open slots, times the players.
    pub fn new(game: &'a Game) -> Option<Self> {
        if !game.shared().is_empty() {
            return None;
        }
        let mut places = Vec::new();
        let mut depth = Vec::new();
        for (number, player) in game.players().iter().enumerate() {
            places.push(Place {
                player: PlayerId(number),
                last: None,
                bound: player.domain.index_size()?,
            });
            depth.push(number);
        }
        let mut now: Vec<Register> = (0..places.len()).map(Register).collect();
        let mut steps: Vec<Step> = Vec::new();
        for round in 0..game.rounds() {
            let start = now.clone();
            for id in game.round(round).filter(|id| game.is_open(*id)) {
                let slot = game.slot(id);
                let sight: Vec<Register> = slot.seen().map(|player| start[player.0]).collect();
                let read = match &slot.rule {
                    Rule::Read { by, rank } => Some(ReadStep {
                        selection: *by,
                        rank: *rank,
                        candidates: game.candidates(slot.to).collect(),
                        reads: game.reads_of(*by).count(),
                    }),
                    Rule::Chosen(_) | Rule::Forward => None,
                };
                let before = now[slot.to.0];
                let mut deep = depth[before.0].max(
                    sight
                        .iter()
                        .map(|register| depth[register.0])
                        .max()
                        .unwrap_or(0),
                );
                if read.is_some() {
                    deep = game.players().len() - 1;
                }
                let size = game.alphabet(id).size().to_u64().unwrap_or(u64::MAX);
                let after = Register(places.len());
                places.push(Place {
                    player: slot.to,
                    last: Some((id, before)),
                    bound: places[before.0].bound.saturating_mul(size),
                });
                depth.push(deep);
                now[slot.to.0] = after;
                steps.push(Step {
                    id,
                    sight,
                    before,
                    after,
                    read,
                    depth: deep,
                });
            }
        }
        let changed = (0..game.players().len())
            .map(|player| {
                let again = |place: &usize| steps[*place].depth >= player;
                (0..steps.len()).filter(again).collect()
            })
            .collect();
        Some(Self {
            game,
            last: now[game.output().0],
            places,
            steps,
            changed,
        })
    }
}

/// Tables of one thread, and the state of the full input it looks at.
pub struct Evaluator<'a> {
    program: &'a Program<'a>,
    protocol: &'a (dyn Protocol + Sync),
    memory: Memory,
    /// The number of the view in each register.
    now: Vec<u64>,
    /// The symbol of each slot.
    said: Vec<u64>,
    /// The digits of the full input.
    inputs: Inputs,
    /// Message functions called.
    pub messages: u64,
}

impl std::fmt::Debug for Evaluator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluator")
            .field("inputs", &self.inputs)
            .field("messages", &self.messages)
            .finish_non_exhaustive()
    }
}

/// Everything that may be thrown away and computed again.
#[derive(Debug)]
struct Memory {
    /// By step: symbols by sight.
    symbols: Vec<Table>,
    /// By step, for sights of more than two views: numbers of pairs.
    pairs: Vec<Table>,
    /// By step: numbers of views by (view before, symbol).
    stored: Vec<Table>,
    /// By register: what a number stands for.
    parents: Vec<Vec<(u64, u64)>>,
    next_pair: u64,
    hashed: usize,
}

impl Memory {
    fn new(program: &Program<'_>) -> Self {
        let bound = |register: &Register| program.places[register.0].bound;
        let symbols = program
            .steps
            .iter()
            .map(|step| match step.sight.as_slice() {
                [one] => Table::new(bound(one), 1),
                [one, two] => Table::new(bound(one), bound(two)),
                _ => Table::new(u64::MAX, u64::MAX),
            });
        let stored = program.steps.iter().map(|step| {
            let size = program.game.alphabet(step.id).size().to_u64();
            Table::new(bound(&step.before), size.unwrap_or(u64::MAX))
        });
        Self {
            symbols: symbols.collect(),
            stored: stored.collect(),
            pairs: program
                .steps
                .iter()
                .map(|_| Table::new(u64::MAX, u64::MAX))
                .collect(),
            parents: vec![Vec::new(); program.places.len()],
            next_pair: 0,
            hashed: 0,
        }
    }
}

impl<'a> Evaluator<'a> {
    /// An evaluator that stands nowhere yet: [`Evaluator::go_to`] comes first.
    pub fn new(program: &'a Program<'a>, protocol: &'a (dyn Protocol + Sync)) -> Self {
        Self {
            program,
            protocol,
            memory: Memory::new(program),
            now: vec![0; program.places.len()],
            said: vec![0; program.game.slots().len()],
            inputs: Inputs::first(program.game),
            messages: 0,
        }
    }

    /// The full input it stands on.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The number of the final view of the output player; a name only as long as this evaluator forgets nothing.
    pub fn view(&self) -> u64 {
        self.now[self.program.last.0]
    }

    /// The view in full: digits, then the symbols of all slots that it has stored, silent ones included.
    pub fn key(&self) -> Box<[u64]> {
        let view = self.spelled(self.program.last, self.view(), usize::MAX);
        let symbols = view.stored.iter().map(|(_, symbol)| symbol.0);
        view.input.iter().copied().chain(symbols).collect()
    }

    /// The answer on the final view.
    ///
    /// # Errors
    /// As the answer function.
    pub fn answer(&self) -> Result<Option<Answer>, IllegalRun> {
        let view = self.spelled(self.program.last, self.view(), usize::MAX);
        let answer = self.protocol.answer(&view);
        answer.map_err(|error| IllegalRun::Speak { slot: None, error })
    }

    /// Jumps to a full input. Forgets its tables when they are too large; true if it did.
    ///
    /// # Errors
    /// As a naive run.
    pub fn go_to(&mut self, inputs: Inputs) -> Result<bool, IllegalRun> {
        let forgets = self.memory.hashed > FULL;
        if forgets {
            self.memory = Memory::new(self.program);
        }
        for (number, digits) in inputs.0.iter().enumerate() {
            let domain = &self.program.game.player(PlayerId(number)).domain;
            self.now[number] = domain.index(digits).unwrap_or(UNKNOWN);
        }
        self.inputs = inputs;
        self.again(0)?;
        Ok(forgets)
    }

    /// Steps to the next full input; `None` after the last.
    ///
    /// # Errors
    /// As a naive run.
    pub fn advance(&mut self) -> Result<bool, IllegalRun> {
        let game = self.program.game;
        for number in (0..game.players().len()).rev() {
            let domain = &game.player(PlayerId(number)).domain;
            if domain.advance(&mut self.inputs.0[number]) {
                self.now[number] += 1;
                self.again(number)?;
                return Ok(true);
            }
            self.now[number] = 0;
        }
        Ok(false)
    }

    /// Looks again at what depends on a player or on those after it.
    fn again(&mut self, player: usize) -> Result<(), IllegalRun> {
        let program = self.program;
        for place in &program.changed[player] {
            let step = &program.steps[*place];
            let symbol = match &step.read {
                None => self.symbol(*place, step)?,
                Some(read) => self.read(read),
            };
            self.said[step.id.0] = symbol;
            let before = self.now[step.before.0];
            let stored = &mut self.memory.stored[*place];
            let mut view = stored.get(before, symbol);
            if view == UNKNOWN {
                let parents = &mut self.memory.parents[step.after.0];
                view = parents.len() as u64;
                parents.push((before, symbol));
                self.memory.hashed += stored.set(before, symbol, view);
            }
            self.now[step.after.0] = view;
        }
        Ok(())
    }

    fn symbol(&mut self, place: usize, step: &Step) -> Result<u64, IllegalRun> {
        let (one, two) = match step.sight.as_slice() {
            [] => (0, 0),
            [one] => (self.now[one.0], 0),
            [one, rest @ .., two] => {
                // Three or more views: all but the last get one number together.
                let mut first = self.now[one.0];
                for next in rest {
                    first = self.pair(place, first, self.now[next.0]);
                }
                (first, self.now[two.0])
            }
        };
        let known = self.memory.symbols[place].get(one, two);
        if known != UNKNOWN {
            return Ok(known);
        }
        self.messages += 1;
        let game = self.program.game;
        let end = game.round_start(game.round_of(step.id));
        let mut views: Vec<View> = (0..game.players().len())
            .map(|player| View {
                player: PlayerId(player),
                input: Vec::new(),
                stored: Vec::new(),
            })
            .collect();
        for register in &step.sight {
            let view = self.spelled(*register, self.now[register.0], end);
            let player = view.player.0;
            views[player] = view;
        }
        let symbol = say(game, self.protocol, &views, step.id)?.0;
        self.memory.hashed += self.memory.symbols[place].set(one, two, symbol);
        Ok(symbol)
    }

    fn pair(&mut self, place: usize, one: u64, two: u64) -> u64 {
        let known = self.memory.pairs[place].get(one, two);
        if known != UNKNOWN {
            return known;
        }
        let number = self.memory.next_pair;
        self.memory.next_pair += 1;
        self.memory.hashed += self.memory.pairs[place].set(one, two, number);
        number
    }

    fn read(&self, read: &ReadStep) -> u64 {
        let places = combination(
            read.candidates.len(),
            read.reads,
            self.said[read.selection.0],
        );
        self.now[read.candidates[places[read.rank]].0]
    }

    /// The view with this number, with the silent slots below slot index `end` that it has stored, too.
    fn spelled(&self, register: Register, number: u64, end: usize) -> View {
        let game = self.program.game;
        let mut heard: Vec<(SlotId, Symbol)> = Vec::new();
        let (mut register, mut number) = (register, number);
        let mut place = &self.program.places[register.0];
        while let Some((slot, before)) = place.last {
            let parents = &self.memory.parents[register.0];
            let (view, symbol) = usize::try_from(number)
                .ok()
                .and_then(|at| parents.get(at))
                .copied()
                .unwrap_or((0, 0));
            heard.push((slot, Symbol(symbol)));
            (register, number) = (before, view);
            place = &self.program.places[register.0];
        }
        let player = place.player;
        let input = game.player(player).domain.element(number);
        let stored = game
            .stored(player, end.min(game.slots().len()))
            .map(|id| {
                let symbol = heard.iter().find(|(slot, _)| *slot == id);
                (id, symbol.map_or(Symbol(0), |(_, symbol)| *symbol))
            })
            .collect();
        View {
            player,
            input: input.unwrap_or_default(),
            stored,
        }
    }
}

/// A table from pairs of numbers to a number: flat when the bounds are small, else hashed with open addressing. The order of
/// what is in it never shows.
#[derive(Debug)]
enum Table {
    Flat {
        width: u64,
        entries: Vec<u64>,
    },
    Hashed {
        keys: Vec<(u64, u64)>,
        entries: Vec<u64>,
        used: usize,
    },
}

impl Table {
    fn new(rows: u64, width: u64) -> Self {
        match rows.checked_mul(width).filter(|size| *size <= FLAT) {
            Some(_) => Self::Flat {
                width,
                entries: Vec::new(),
            },
            None => Self::Hashed {
                keys: Vec::new(),
                entries: Vec::new(),
                used: 0,
            },
        }
    }

    fn get(&self, one: u64, two: u64) -> u64 {
        match self {
            Self::Flat { width, entries } => usize::try_from(one * width + two)
                .ok()
                .and_then(|at| entries.get(at))
                .copied()
                .unwrap_or(UNKNOWN),
            Self::Hashed { keys, entries, .. } => {
                if keys.is_empty() {
                    return UNKNOWN;
                }
                entries[slot_of(keys, entries, one, two)]
            }
        }
    }

    /// Sets a new entry; returns by how many hashed entries memory has grown.
    fn set(&mut self, one: u64, two: u64, value: u64) -> usize {
        match self {
            Self::Flat { width, entries } => {
                let at = usize::try_from(one * *width + two).unwrap_or(0);
                if entries.len() <= at {
                    entries.resize(at + 1, UNKNOWN);
                }
                entries[at] = value;
                0
            }
            Self::Hashed {
                keys,
                entries,
                used,
            } => {
                if 2 * (*used + 1) > keys.len() {
                    let size = (2 * keys.len()).max(64);
                    let (old_keys, old) = (
                        std::mem::replace(keys, vec![(0, 0); size]),
                        std::mem::replace(entries, vec![UNKNOWN; size]),
                    );
                    for (key, value) in old_keys.into_iter().zip(old) {
                        if value != UNKNOWN {
                            let at = slot_of(keys, entries, key.0, key.1);
                            keys[at] = key;
                            entries[at] = value;
                        }
                    }
                }
                let at = slot_of(keys, entries, one, two);
                keys[at] = (one, two);
                entries[at] = value;
                *used += 1;
                1
            }
        }
    }
}

/// Where a key stands, or the free place for it; the table is never full.
fn slot_of(keys: &[(u64, u64)], entries: &[u64], one: u64, two: u64) -> usize {
    let mixed = (one ^ two.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mask = keys.len() - 1;
    let mut at = usize::try_from(mixed >> 20).unwrap_or(0) & mask;
    while entries[at] != UNKNOWN && keys[at] != (one, two) {
        at = (at + 1) & mask;
    }
    at
}
