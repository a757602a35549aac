//! Protocols given by expressions: what each slot may see, and its evaluation.

use crate::exact::Digits;
use crate::file::expr::{
    self, Constant, FieldLookup, Limits, Mode, Names, Program, SlotLookup, Value as Number,
};
use crate::file::slots::{Bindings, SlotName};
use crate::file::source::{FileError, Source};
use crate::file::strategies::{SharedProtocol, alphabet_size, compiled};
use crate::file::tasks::{push_fields, shape};
use crate::file::tree::Tree;
use crate::game::key::KeySpace;
use crate::game::run::forwarded_part;
use crate::game::{
    Answer, Game, OwnRule, PlayerId, Protocol, Rule, Sight, SlotId, SpeakError, Symbol, View,
};
use itertools::Itertools;
use num_traits::ToPrimitive;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One view in sight: of a player itself, or a copy forwarded to a player in sight.
#[derive(Clone, Debug)]
struct Visible {
    player: PlayerId,
    /// Slots with index below this are stored in it.
    end: usize,
    /// Which of the real views it is found in, and the chain of Forward slots that leads to it.
    root: usize,
    chain: Vec<SlotId>,
}

/// Everything one function sees, as a list of variables in a fixed order: for each visible view its fields, then its stored symbols.
#[derive(Clone, Debug)]
struct Scene {
    game: Arc<Game>,
    views: Vec<Visible>,
}

impl Scene {
    fn of_slot(game: &Arc<Game>, slot: SlotId) -> Self {
        let start = game.round_start(game.round_of(slot));
        Self::new(game, game.slot(slot).seen().collect(), start)
    }

    fn of_answer(game: &Arc<Game>) -> Self {
        Self::new(game, vec![game.output()], game.slots().len())
    }

    fn new(game: &Arc<Game>, players: Vec<PlayerId>, end: usize) -> Self {
        let mut views: Vec<Visible> = players
            .into_iter()
            .enumerate()
            .map(|(root, player)| Visible {
                player,
                end,
                root,
                chain: Vec::new(),
            })
            .collect();
        let mut next = 0;
        while next < views.len() {
            let view = views[next].clone();
            for id in game.stored(view.player, view.end) {
                let slot = game.slot(id);
                let known = views.iter().any(|known| {
                    known.player == slot.from && known.end >= game.round_start(game.round_of(id))
                });
                if matches!(slot.rule, Rule::Forward) && game.is_open(id) && !known {
                    let mut chain = view.chain.clone();
                    chain.push(id);
                    let end = game.round_start(game.round_of(id));
                    views.push(Visible {
                        player: slot.from,
                        end,
                        root: view.root,
                        chain,
                    });
                }
            }
            next += 1;
        }
        Self {
            game: game.clone(),
            views,
        }
    }

    fn symbols(&self, view: &Visible) -> Vec<SlotId> {
        self.game
            .stored(view.player, view.end)
            .filter(|id| self.game.is_open(*id))
            .collect()
    }

    /// Index of the first variable of each view.
    fn starts(&self) -> Vec<usize> {
        let mut next = 0;
        self.views
            .iter()
            .map(|view| {
                let start = next;
                next +=
                    self.game.player(view.player).domain.fields().len() + self.symbols(view).len();
                start
            })
            .collect()
    }

    fn variable_of(&self, slot: SlotId) -> Option<usize> {
        let starts = self.starts();
        self.views.iter().zip(starts).find_map(|(view, start)| {
            let place = self.symbols(view).iter().position(|id| *id == slot)?;
            Some(start + self.game.player(view.player).domain.fields().len() + place)
        })
    }

    /// The values of all variables.
    fn values(&self, real: &[&View]) -> Option<Vec<Number>> {
        let mut values = Vec::new();
        for view in &self.views {
            let (digits, symbols) = self.contents(view, real[view.root])?;
            push_fields(&self.game.player(view.player).domain, &digits, &mut values);
            values.extend(
                symbols
                    .into_iter()
                    .map(|symbol| Number::Integer(symbol.into())),
            );
        }
        Some(values)
    }

    /// Input and stored open symbols of a visible view, unpacked from the real one.
    fn contents(&self, view: &Visible, real: &View) -> Option<(Digits, Vec<u64>)> {
        let stored = self.symbols(view);
        let Some((first, rest)) = view.chain.split_first() else {
            let symbols = stored
                .iter()
                .map(|id| real.symbol(*id).map_or(0, |symbol| symbol.0))
                .collect();
            return Some((real.input.clone(), symbols));
        };
        let (mut symbol, mut at) = (real.symbol(*first)?, *first);
        for next in rest {
            symbol = Symbol(self.part(at, Some(*next), symbol)?);
            at = *next;
        }
        let digits = self
            .game
            .player(view.player)
            .domain
            .element(self.part(at, None, symbol)?)?;
        let symbols = stored
            .iter()
            .map(|id| self.part(at, Some(*id), symbol))
            .collect::<Option<_>>()?;
        Some((digits, symbols))
    }

    fn part(&self, forward: SlotId, inner: Option<SlotId>, symbol: Symbol) -> Option<u64> {
        let end = self.game.round_start(self.game.round_of(forward));
        forwarded_part(&self.game, self.game.slot(forward).from, end, inner, symbol)
    }
}

/// Names of one function: fields and symbols in its sight.
#[derive(Debug)]
struct SceneNames<'a> {
    scene: &'a Scene,
    outer: &'a dyn Names,
    bindings: &'a Bindings,
    /// The slot whose function this is; `None` for the answer.
    slot: Option<SlotId>,
}

impl SceneNames<'_> {
    fn game(&self) -> &Game {
        &self.scene.game
    }

    fn subject(&self) -> String {
        self.slot.map_or("the answer".to_owned(), |slot| {
            format!("`{}`", self.game().name(slot))
        })
    }

    fn sight(&self) -> String {
        let players = self.scene.views.iter().map(|view| view.player).unique();
        let labels: Vec<&str> = players
            .map(|id| self.game().player(id).label.0.as_str())
            .collect();
        format!("the sight of {} is {}", self.subject(), joined(&labels))
    }

    fn find(&self, text: &str) -> Result<SlotId, String> {
        if let Some(slot) = self.game().find_slot(text) {
            return Ok(slot);
        }
        match SlotName::parse(text) {
            Some(_) => Err(format!("this game has no slot `{text}`")),
            None => Err(format!(
                "found `{text}`, expected a slot like `soft A->B @1`"
            )),
        }
    }

    fn end(&self) -> usize {
        self.slot.map_or(self.game().slots().len(), |slot| {
            self.game().round_start(self.game().round_of(slot))
        })
    }
}

/// `A`, `A and B`, `A, B and C`.
fn joined(labels: &[&str]) -> String {
    match labels {
        [] => "nobody".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

impl Names for SceneNames<'_> {
    fn constant(&self, name: &str) -> Option<Constant> {
        if let Some(value) = self.bindings.get(name) {
            return Some(Constant::Integer(value.clone()));
        }
        match (name, self.slot) {
            ("size", Some(slot)) => {
                Some(Constant::Integer(alphabet_size(self.game(), slot).into()))
            }
            _ => self.outer.constant(name),
        }
    }

    fn field(&self, player: Option<&str>, name: &str) -> FieldLookup {
        let game = self.game();
        if player.is_some_and(|label| game.find_player(label).is_none()) {
            return FieldLookup::UnknownPlayer {
                players: game
                    .players()
                    .iter()
                    .map(|player| player.label.0.clone())
                    .collect(),
            };
        }
        let wanted = |id: PlayerId| player.is_none_or(|label| game.player(id).label.0 == label);
        let has = |id: PlayerId| {
            game.player(id)
                .domain
                .fields()
                .iter()
                .position(|field| field.name == name)
        };
        let mut seen: Vec<PlayerId> = Vec::new();
        let mut found = None;
        for (view, start) in self.scene.views.iter().zip(self.scene.starts()) {
            if let (true, false, Some(place)) = (
                wanted(view.player),
                seen.contains(&view.player),
                has(view.player),
            ) {
                seen.push(view.player);
                let field = &game.player(view.player).domain.fields()[place];
                found = Some(FieldLookup::Found {
                    variable: start + place,
                    shape: shape(&field.form),
                });
            }
        }
        let labels = |ids: &[PlayerId]| {
            ids.iter()
                .map(|id| game.player(*id).label.0.clone())
                .collect::<Vec<_>>()
        };
        match (seen.len(), found) {
            (1, Some(found)) => found,
            (0, _) => {
                let owners: Vec<PlayerId> = (0..game.players().len())
                    .map(PlayerId)
                    .filter(|id| wanted(*id) && has(*id).is_some())
                    .collect();
                if owners.is_empty() {
                    FieldLookup::Unknown
                } else {
                    let owners = labels(&owners);
                    let owners: Vec<&str> = owners.iter().map(String::as_str).collect();
                    FieldLookup::NotInSight {
                        owner: joined(&owners),
                        sight: self.sight(),
                    }
                }
            }
            (_, _) => FieldLookup::Ambiguous {
                players: labels(&seen),
            },
        }
    }

    fn slot(&self, text: &str) -> SlotLookup {
        let slot = match self.find(text) {
            Ok(slot) => slot,
            Err(message) => return SlotLookup::Error(message),
        };
        if let Some(variable) = self.scene.variable_of(slot) {
            return SlotLookup::Symbol { variable };
        }
        let game = self.game();
        let to = game.slot(slot).to;
        let visible = self
            .scene
            .views
            .iter()
            .any(|view| view.player == to && slot.0 < view.end);
        if visible {
            // In sight, but with one symbol only.
            return SlotLookup::Always(0.into());
        }
        let reason = if slot.0 >= self.end() {
            "it is computed in the same round or later".to_owned()
        } else {
            format!("it is stored by {}", game.player(to).label)
        };
        SlotLookup::Error(format!(
            "`{text}` is not in the sight of {}: {reason}",
            self.subject()
        ))
    }

    fn has(&self, text: &str) -> Result<Option<usize>, String> {
        if SlotName::parse(text.split('#').next().unwrap_or(text)).is_none() {
            return Err(format!(
                "found `{text}`, expected a slot like `soft A->B @1`"
            ));
        }
        Ok(self
            .game()
            .find_slot(text)
            .and_then(|slot| self.scene.variable_of(slot)))
    }

    fn received(&self, player: Option<&str>) -> Result<Vec<usize>, String> {
        let game = self.game();
        let place = match player {
            None => Some(0),
            Some(label) => {
                let id = game
                    .find_player(label)
                    .ok_or_else(|| super::strategies::unknown_player(game, label))?;
                self.scene.views.iter().position(|view| view.player == id)
            }
        };
        let Some(place) = place else {
            return Err(format!(
                "{} is not in sight; {}",
                player.unwrap_or_default(),
                self.sight()
            ));
        };
        let view = &self.scene.views[place];
        let first = self.scene.starts()[place] + game.player(view.player).domain.fields().len();
        Ok((first..first + self.scene.symbols(view).len()).collect())
    }

    fn known(&self) -> Vec<String> {
        let mut known = self.outer.known();
        known.extend(self.bindings.keys().cloned());
        for view in &self.scene.views {
            known.extend(
                self.game()
                    .player(view.player)
                    .domain
                    .fields()
                    .iter()
                    .map(|field| field.name.clone()),
            );
        }
        known
    }
}

/// A compiled function of what is in a scene.
#[derive(Debug)]
struct Function {
    scene: Scene,
    program: Program,
    source: Source,
    at: Range<usize>,
}

impl Function {
    fn read(
        source: &Source,
        tree: &Tree,
        scene: Scene,
        outer: &dyn Names,
        bindings: &Bindings,
        slot: Option<SlotId>,
        limits: Limits,
    ) -> Result<Self, FileError> {
        let names = SceneNames {
            scene: &scene,
            outer,
            bindings,
            slot,
        };
        let program = compiled(source, tree, &names, Mode::Strategy, limits)?;
        Ok(Self {
            program,
            source: source.clone(),
            at: tree.at.clone(),
            scene,
        })
    }

    /// The value, if it is below `limit`; otherwise an error that says what `subject` said.
    fn value(
        &self,
        views: &[&View],
        limits: Limits,
        says: impl Fn(String) -> String,
    ) -> Result<u64, SpeakError> {
        let place = |decoded: usize| {
            let start = self.source.offset(&self.at, decoded);
            Some(start..start)
        };
        let variables = self.scene.values(views).ok_or_else(|| SpeakError {
            message: "a forwarded view has no index".to_owned(),
            at: place(0),
        })?;
        let value =
            self.program
                .integer(&variables, limits)
                .map_err(|error: expr::ExprError| SpeakError {
                    at: place(error.at.start),
                    message: error.message,
                })?;
        let value: num_bigint::BigInt = value.into();
        value.to_u64().ok_or_else(|| SpeakError {
            message: says(value.to_string()),
            at: place(self.program.at().start),
        })
    }

    fn outside(&self, message: String) -> SpeakError {
        let start = self.source.offset(&self.at, self.program.at().start);
        SpeakError {
            message,
            at: Some(start..start),
        }
    }
}

/// Most keys of a slot whose symbols are remembered.
const REMEMBERED: u64 = 1 << 20;

/// The symbols of a function by key, each computed when it is first asked for: an expression is evaluated once per
/// sight, however many inputs lead to it.
#[derive(Debug)]
struct Memory {
    keys: KeySpace,
    /// 0 for "not asked yet", else the symbol plus 1.
    symbols: Vec<AtomicU64>,
}

impl Memory {
    /// Memory for the keys of a slot, unless they are too many.
    fn of(game: &Game, keys: KeySpace) -> Option<Self> {
        let count = keys
            .size(game)
            .ok()?
            .to_u64()
            .filter(|count| *count <= REMEMBERED)?;
        Some(Self {
            keys,
            symbols: (0..count).map(|_| AtomicU64::new(0)).collect(),
        })
    }

    fn place(&self, index: Option<u64>) -> Option<&AtomicU64> {
        self.symbols.get(index?.to_usize()?)
    }
}

/// A protocol with one expression per open chosen slot; the answer function is free.
#[derive(Debug)]
pub(super) struct ExpressionProtocol {
    game: Arc<Game>,
    say: Vec<Option<(Function, Option<Memory>)>>,
    limits: Limits,
}

impl ExpressionProtocol {
    pub(super) fn new(game: Arc<Game>, limits: Limits) -> Self {
        let say = game.ids().map(|_| None).collect();
        Self { game, say, limits }
    }

    /// Gives a slot its expression.
    pub(super) fn say(
        &mut self,
        source: &Source,
        slot: SlotId,
        tree: &Tree,
        outer: &dyn Names,
        bindings: &Bindings,
    ) -> Result<(), FileError> {
        let scene = Scene::of_slot(&self.game, slot);
        let function = Function::read(
            source,
            tree,
            scene,
            outer,
            bindings,
            Some(slot),
            self.limits,
        )?;
        let memory = Memory::of(&self.game, KeySpace::of_slot(&self.game, slot));
        self.say[slot.0] = Some((function, memory));
        Ok(())
    }
}

impl Protocol for ExpressionProtocol {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        let Some((function, memory)) = &self.say[slot.0] else {
            return Ok(Symbol(0));
        };
        let place = memory
            .as_ref()
            .and_then(|memory| memory.place(memory.keys.index(&self.game, sight)));
        if let Some(known) = place.and_then(|place| place.load(Ordering::Relaxed).checked_sub(1)) {
            return Ok(Symbol(known));
        }
        let size = self.game.alphabet(slot);
        let says = |value: String| {
            format!(
                "`{}` says {value}, expected 0..<{}",
                self.game.name(slot),
                size.size()
            )
        };
        let views: Vec<&View> = sight.views().collect();
        let value = function.value(&views, self.limits, says)?;
        if !size.contains(value) {
            return Err(function.outside(says(value.to_string())));
        }
        if let (Some(place), Some(stored)) = (place, value.checked_add(1)) {
            place.store(stored, Ordering::Relaxed);
        }
        Ok(Symbol(value))
    }

    fn answer(&self, _view: &View) -> Result<Option<Answer>, SpeakError> {
        Ok(None)
    }
}

/// The `answer` expression of a strategy.
#[derive(Debug)]
pub(super) struct AnswerExpression {
    function: Function,
    answers: u64,
    limits: Limits,
}

impl AnswerExpression {
    pub(super) fn read(
        source: &Source,
        tree: &Tree,
        game: &Arc<Game>,
        outer: &dyn Names,
        answers: u64,
        limits: Limits,
    ) -> Result<Self, FileError> {
        let scene = Scene::of_answer(game);
        let function = Function::read(source, tree, scene, outer, &Bindings::new(), None, limits)?;
        Ok(Self {
            function,
            answers,
            limits,
        })
    }
}

/// A protocol with an answer function of its own.
pub(super) struct WithAnswer {
    pub(super) inner: SharedProtocol,
    pub(super) answer: AnswerExpression,
}

impl Protocol for WithAnswer {
    fn message(&self, slot: SlotId, sight: &Sight<'_>) -> Result<Symbol, SpeakError> {
        self.inner.message(slot, sight)
    }

    fn answer(&self, view: &View) -> Result<Option<Answer>, SpeakError> {
        let AnswerExpression {
            function,
            answers,
            limits,
        } = &self.answer;
        let says = |value: String| format!("answer {value}, expected 0..<{answers}");
        let value = function.value(&[view], *limits, says)?;
        if value < *answers {
            Ok(Some(Answer(value)))
        } else {
            Err(function.outside(says(value.to_string())))
        }
    }

    fn own_rule(&self, slot: SlotId, sight: &Sight<'_>) -> Option<OwnRule> {
        self.inner.own_rule(slot, sight)
    }
}
