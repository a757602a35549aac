//! What is shown of a piece of evidence: one drawing per kind, from what the verifier rebuilt and accepted.
//!
//! Every figure has its data as JSON beside the drawing, so a number on the page can be compared with the number in the data.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "every kind but the ones a drawing is for"
)]

use crate::bounds::derive::{Ledger as Found, check_choice};
use crate::evidence::derive::StoredBound;
use crate::evidence::item::{Derived, Evidence, Raw};
use crate::evidence::matrix::{DepthClaim, MatrixClaim, read_fooling_set, read_minors, read_tree};
use crate::evidence::shape::Place;
use crate::evidence::statement::Statement;
use crate::evidence::{Checked, Verdict};
use crate::exact::Digits;
use crate::file::Setting;
use crate::file::matrix::of_setting;
use crate::file::setting::read_inputs;
use crate::game::flow::{Flow, Relay};
use crate::game::ledger::Ledger;
use crate::game::structure::classes::OneWay;
use crate::game::{Accepted, Game, Inputs, PlayerId, Protocol, Run, SlotId, run, run_until};
use crate::matrix::Matrix;
use crate::report::picture::rectangles::{self, Groups};
use crate::report::picture::{chain, ledger, matrix, schedule, sequence};
use crate::report::svg::Picture;
use crate::report::table::Table;
use crate::report::words;
use maud::{Markup, html};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use serde_json::{Value as Json, json};

/// Most arrows of a run that is drawn.
const MAX_STEPS: usize = 40;
/// Most rows of a table.
const MAX_ROWS: usize = 40;

/// A drawing with its data.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What it shows, in a sentence.
    pub caption: String,
    /// The data of the drawing.
    pub data: Json,
    /// The drawing.
    pub body: Markup,
    /// The pictures in it, for files of their own.
    pub pictures: Vec<Picture>,
}

impl Figure {
    /// A figure of one picture.
    pub fn of(picture: Picture, data: Json) -> Self {
        Self {
            caption: picture.title().to_owned(),
            data,
            body: html! { div.scroll tabindex="0" role="region" aria-label=(picture.title()) { (picture.inline()) } },
            pictures: vec![picture],
        }
    }

    /// A figure that is a table.
    pub fn of_table(table: &Table) -> Self {
        Self {
            caption: table.caption.clone(),
            data: json!({"head": table.head, "rows": table.rows}),
            body: table.html(),
            pictures: Vec::new(),
        }
    }
}

/// The pictures of some figures as one; `None` when they have none.
pub fn one_picture(title: &str, figures: &[Figure]) -> Option<Picture> {
    let all: Vec<Picture> = figures
        .iter()
        .flat_map(|figure| figure.pictures.clone())
        .collect();
    match all.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        _ => Some(Picture::stacked(title, &all)),
    }
}

/// Draws the evidence object of a number.
type Draw = fn(&Checked, usize) -> Vec<Figure>;

/// One drawing for each kind of evidence.
pub const DRAWN: &[(&str, Draw)] = &[
    ("cut", leak_or_cuts),
    ("relay", leak_or_cuts),
    ("cuts", leak_or_cuts),
    ("protocol", protocol),
    ("family", family),
    ("classes", classes),
    ("colouring", inputs_listed),
    ("counterexample", wrong),
    ("pair", wrong),
    ("conflict", wrong),
    ("enumeration", enumeration),
    ("comparison", comparison),
    ("decomposition", decomposition),
    ("derive_bound", bound),
    ("derive_exhausted", in_words),
    ("derive_exponent", exponent),
    ("no_answer", in_words),
    ("derive_uniform", in_words),
    ("derive_game", in_words),
    ("no_protocol", inputs_listed),
    ("ledger", model_state),
    ("kernel", in_words),
    ("farkas", farkas),
    ("code", in_words),
    ("dual", dual),
    ("softmax", in_words),
    ("tree", tree),
    ("fooling_set", fooling_set),
    ("minor", minor),
    ("exhausted", in_words),
    ("round_exhausted", in_words),
    ("depth_histogram", histogram),
    ("all_instances", in_words),
    ("failing_instance", in_words),
    ("signs", in_words),
    ("shared_words", in_words),
    ("split_colouring", in_words),
];

/// All figures of a claim.
pub fn figures(checked: &Checked) -> Vec<Figure> {
    let evidence = &checked.content().evidence;
    if evidence.len() > 1 && evidence.iter().all(|raw| raw.kind() == "comparison") {
        return comparisons(checked);
    }
    let draw = |(number, raw): (usize, &Raw)| {
        DRAWN
            .iter()
            .find(|(kind, _)| *kind == raw.kind())
            .map_or_else(Vec::new, |(_, draw)| draw(checked, number))
    };
    evidence.iter().enumerate().flat_map(draw).collect()
}

/// The summary says all there is.
fn in_words(_: &Checked, _: usize) -> Vec<Figure> {
    Vec::new()
}

fn setting(checked: &Checked) -> Option<&Setting> {
    checked.content().setting.as_ref()
}

/// A leak, a cut or all minimal cuts, on the schedule; with a leak also the two runs of the relay.
fn leak_or_cuts(checked: &Checked, number: usize) -> Vec<Figure> {
    let content = checked.content();
    let (Some(setting), Some(evidence)) = (setting(checked), content.resolved(number)) else {
        return Vec::new();
    };
    let (of, view, after, pinned) = match &content.statement {
        Statement::Independent {
            of,
            view,
            after,
            pinned,
        } => (*of, *view, *after, pinned.as_slice()),
        Statement::Cuts {
            of, view, after, ..
        } => (*of, *view, *after, &[] as &[SlotId]),
        _ => return Vec::new(),
    };
    let game = &*setting.game;
    let flow = Flow {
        game,
        of,
        view,
        after,
    };
    let (from, to) = (&game.player(of).label, &game.player(view).label);
    let mut marks = schedule::Marks {
        flow: &flow,
        pinned,
        leak: None,
        cuts: &[],
    };
    let figure = |title: &str, marks: &schedule::Marks<'_>| {
        Figure::of(schedule::picture(title, marks), marks.json())
    };
    match &evidence {
        Evidence::Relay { path, left, right } => {
            marks.leak = Some(path);
            let title = format!("The input of {from} reaches the view of {to}");
            let mut all = vec![figure(&title, &marks)];
            let relay = Relay::new(setting.game.clone(), of, path.clone());
            all.extend(runs(
                "The relay protocol on two inputs that differ for one player",
                setting,
                &relay,
                &[left.clone(), right.clone()],
                Some(after),
            ));
            all
        }
        Evidence::Cuts(cuts) => {
            marks.cuts = cuts;
            let title = format!(
                "All {} from the input of {from} to the view of {to}",
                words::plural(cuts.len(), "minimal cut")
            );
            vec![figure(&title, &marks)]
        }
        _ => vec![figure(
            &format!(
                "No path from the input of {from} to the view of {to} avoids what is constant"
            ),
            &marks,
        )],
    }
}

/// A protocol that solves the game, on the last input; its rectangles when it is one-way.
fn protocol(checked: &Checked, number: usize) -> Vec<Figure> {
    let (Some(setting), Some(Evidence::Protocol(tables))) =
        (setting(checked), checked.content().resolved(number))
    else {
        return Vec::new();
    };
    // A count stands on its own game, with as many symbols as there are states.
    let Ok(played) = tables.protocol(&setting.game) else {
        return Vec::new();
    };
    plays(setting, &played)
}

/// A protocol that was replayed on all inputs.
fn enumeration(checked: &Checked, _: usize) -> Vec<Figure> {
    let content = checked.content();
    match (&content.setting, &content.strategy) {
        (Some(setting), Some(strategy)) => plays(setting, &*strategy.protocol),
        _ => Vec::new(),
    }
}

/// A protocol at work: its rectangles, or a run on the last input.
pub fn plays(setting: &Setting, protocol: &dyn Protocol) -> Vec<Figure> {
    if let Some(rectangles) = rectangles(setting, protocol) {
        return vec![rectangles];
    }
    let last = Inputs(
        setting
            .game
            .players()
            .iter()
            .map(|player| last_element(&player.domain))
            .collect(),
    );
    runs(
        "A run of the protocol, on one of the inputs",
        setting,
        protocol,
        &[last],
        None,
    )
}

/// The last element of a small domain, else the first.
fn last_element(domain: &crate::exact::Domain) -> Digits {
    let mut element = domain.first();
    if domain.index_size().is_some_and(|size| size <= 1 << 12) {
        let mut next = element.clone();
        while domain.advance(&mut next) {
            element.clone_from(&next);
        }
    }
    element
}

/// Inputs on which a protocol is wrong.
fn wrong(checked: &Checked, number: usize) -> Vec<Figure> {
    let content = checked.content();
    let (Some(setting), Some(strategy)) = (&content.setting, &content.strategy) else {
        return Vec::new();
    };
    let (title, inputs) = match content.resolved(number) {
        Some(Evidence::Pair(pair)) => (
            "Two inputs, one view, no common answer",
            vec![pair.left, pair.right],
        ),
        Some(Evidence::Counterexample(wrong)) => ("A wrong answer", vec![wrong.input]),
        Some(Evidence::Conflict(conflict)) => {
            ("Inputs with one view and no common answer", conflict.inputs)
        }
        _ => return Vec::new(),
    };
    runs(title, setting, &*strategy.protocol, &inputs, None)
}

/// Runs side by side, stepped together.
pub fn runs(
    title: &str,
    setting: &Setting,
    protocol: &dyn Protocol,
    inputs: &[Inputs],
    after: Option<usize>,
) -> Vec<Figure> {
    let game = &*setting.game;
    let play = |inputs: &Inputs| match after {
        Some(rounds) => run_until(game, protocol, inputs, rounds),
        None => run(game, protocol, inputs),
    };
    let Ok(played) = inputs.iter().map(play).collect::<Result<Vec<Run>, _>>() else {
        return Vec::new();
    };
    let steps = played
        .first()
        .map_or(0, |run| sequence::steps(game, run).count());
    if steps == 0 || steps > MAX_STEPS {
        return Vec::new();
    }
    let pictures: Vec<Picture> = played
        .iter()
        .zip(inputs)
        .map(|(run, inputs)| sequence::picture(&words::inputs(game, inputs), game, run))
        .collect();
    let outcomes: Vec<String> = played
        .iter()
        .zip(inputs)
        .map(|(run, inputs)| outcome(setting, run, inputs, after.is_some()))
        .collect();
    let data: Vec<Json> = played
        .iter()
        .zip(inputs)
        .zip(&outcomes)
        .map(|((run, inputs), outcome)| {
            json!({
                "input": words::inputs_value(game, inputs),
                "in_words": words::inputs(game, inputs),
                "transcript": sequence::transcript(game, run),
                "answer": run.answer.map(|answer| answer.0.to_string()),
                "outcome": outcome,
            })
        })
        .collect();
    let body = html! {
        div.steps data-steps=(steps) tabindex="0" role="group" aria-label={(title) ", " (steps) " steps; j next, k previous"} {
            div.runs {
                @for (((picture, run), inputs), outcome) in pictures.iter().zip(&played).zip(inputs).zip(&outcomes) {
                    div.run {
                        p.input { code { (words::inputs(game, inputs)) } }
                        div.scroll { (picture.inline()) }
                        (sequence::views(game, run))
                        p { (outcome) }
                    }
                }
            }
        }
    };
    let data = json!({"runs": data, "steps": steps.to_string(), "players": game.players().iter().map(|player| player.label.0.as_str()).collect::<Vec<_>>(), "rounds": game.rounds().to_string(), "ledger": words::ledger_json(&Ledger::of(game))});
    vec![Figure {
        caption: title.to_owned(),
        data,
        body,
        pictures,
    }]
}

/// How a run ended.
fn outcome(setting: &Setting, run: &Run, inputs: &Inputs, only_views: bool) -> String {
    if only_views {
        return String::new();
    }
    let accepted = setting.task.accepted(inputs).unwrap_or(Accepted::All);
    match run.answer {
        Some(answer) if accepted.contains(answer) => format!("Answer {}, accepted.", answer.0),
        Some(answer) => format!(
            "Answer {}, not accepted ({}).",
            answer.0,
            words::accepted(&accepted)
        ),
        None => format!(
            "The answer function is free ({}).",
            words::accepted(&accepted)
        ),
    }
}

/// The word of what is accepted, for a cell.
fn cell(setting: &Setting, inputs: &Inputs) -> String {
    match setting.task.accepted(inputs) {
        Ok(Accepted::All) => "any".to_owned(),
        Ok(Accepted::One(answer)) => answer.to_string(),
        Ok(Accepted::Only(list)) => {
            let list: Vec<String> = list.iter().map(ToString::to_string).collect();
            list.join(",")
        }
        Err(_) => "-".to_owned(),
    }
}

/// Digits of some players, as short as possible.
fn spelled(game: &Game, players: &[PlayerId], elements: &[Digits]) -> String {
    let parts: Vec<String> = players
        .iter()
        .zip(elements)
        .map(|(player, digits)| (game.player(*player), digits))
        .filter(|(player, _)| !player.domain.fields().is_empty())
        .map(|(player, digits)| words::fields(&player.domain, digits).join(" "))
        .collect();
    parts.join(" ")
}

/// What the players are called in the matrix.
fn labels(game: &Game, players: &[PlayerId]) -> String {
    let list: Vec<&str> = players
        .iter()
        .map(|player| game.player(*player).label.0.as_str())
        .collect();
    list.join(", ")
}

/// Rows of one message are rectangles: the matrix of a one-way protocol.
fn rectangles(setting: &Setting, protocol: &dyn Protocol) -> Option<Figure> {
    let game = &*setting.game;
    let roles = OneWay::of(game)?;
    let side = |player: PlayerId| -> Option<Vec<Digits>> {
        let domain = &game.player(player).domain;
        let size = domain
            .index_size()
            .filter(|size| *size <= matrix::MAX_SIDE as u64)?;
        let mut all = vec![domain.first()];
        while (all.len() as u64) < size {
            let mut next = all.last()?.clone();
            domain.advance(&mut next);
            all.push(next);
        }
        Some(all)
    };
    let (speaker, listener) = (side(roles.speaker)?, side(roles.listener)?);
    let said = |x: &Digits| {
        let inputs = roles.inputs(x, listener.first()?);
        Some(run(game, protocol, &inputs).ok()?.transcript.first()?.1)
    };
    let mut rows = speaker
        .iter()
        .map(|x| Some((said(x)?, x)))
        .collect::<Option<Vec<_>>>()?;
    rows.sort();
    let rows: Vec<matrix::Row> = rows
        .into_iter()
        .map(|(symbol, x)| matrix::Row {
            label: spelled(game, &[roles.speaker], std::slice::from_ref(x)),
            group: format!("says {}", symbol.0),
            cells: listener
                .iter()
                .map(|y| cell(setting, &roles.inputs(x, y)))
                .collect(),
        })
        .collect();
    let columns = listener
        .iter()
        .map(|y| spelled(game, &[roles.listener], std::slice::from_ref(y)))
        .collect::<Vec<_>>();
    let matrix = matrix::Matrix {
        row_name: labels(game, &[roles.speaker]),
        column_name: labels(game, &[roles.listener]),
        of: (rows.len(), columns.len()),
        columns,
        rows,
    };
    Some(Figure::of(
        matrix::picture(
            "The matrix of the game; rows of one message form a rectangle",
            &matrix,
        ),
        matrix.json(),
    ))
}

/// Inputs of the speaker that need symbols of their own.
fn classes(checked: &Checked, number: usize) -> Vec<Figure> {
    let (Some(setting), Some(Evidence::Classes(classes))) =
        (setting(checked), checked.content().resolved(number))
    else {
        return Vec::new();
    };
    let Some(roles) = OneWay::of(&setting.game) else {
        return Vec::new();
    };
    let title = format!(
        "{}, no two alike",
        words::plural(classes.members.len(), "row")
    );
    let full = |x: &Digits, y: &Digits| roles.inputs(x, y);
    vec![answers(
        &title,
        setting,
        &[roles.speaker],
        &[roles.listener],
        &split(&classes.members),
        &split(&classes.tests),
        &|x, y| full(&x[0], &y[0]),
    )]
}

fn split(list: &[Digits]) -> Vec<Vec<Digits>> {
    list.iter().map(|digits| vec![digits.clone()]).collect()
}

/// A family of inputs that are more than the messages can tell apart.
fn family(checked: &Checked, number: usize) -> Vec<Figure> {
    let (Some(setting), Some(Evidence::Family(family))) =
        (setting(checked), checked.content().resolved(number))
    else {
        return Vec::new();
    };
    let game = &*setting.game;
    let others = family.others(game);
    let title = format!(
        "{}, pairwise told apart, against a bound of {}",
        words::plural(family.members.len(), "member"),
        family.bound
    );
    let full = |x: &[Digits], y: &[Digits]| {
        let mut inputs = Inputs::first(game);
        for (player, digits) in family.side.iter().zip(x).chain(others.iter().zip(y)) {
            inputs.0[player.0].clone_from(digits);
        }
        inputs
    };
    vec![answers(
        &title,
        setting,
        &family.side,
        &others,
        &family.members,
        &family.tests,
        &full,
    )]
}

/// The answers on members against tests.
fn answers(
    title: &str,
    setting: &Setting,
    row_players: &[PlayerId],
    column_players: &[PlayerId],
    members: &[Vec<Digits>],
    tests: &[Vec<Digits>],
    full: &dyn Fn(&[Digits], &[Digits]) -> Inputs,
) -> Figure {
    let game = &*setting.game;
    let rows = members
        .iter()
        .take(matrix::MAX_SIDE)
        .map(|x| matrix::Row {
            label: spelled(game, row_players, x),
            group: String::new(),
            cells: tests
                .iter()
                .take(matrix::MAX_SIDE)
                .map(|y| cell(setting, &full(x, y)))
                .collect(),
        })
        .collect();
    let matrix = matrix::Matrix {
        row_name: labels(game, row_players),
        column_name: labels(game, column_players),
        columns: tests
            .iter()
            .take(matrix::MAX_SIDE)
            .map(|y| spelled(game, column_players, y))
            .collect(),
        rows,
        of: (members.len(), tests.len()),
    };
    let title = if matrix.cut_off() {
        format!(
            "{title}; the first {} of {} rows and {} of {} columns",
            matrix.rows.len(),
            members.len(),
            matrix.columns.len(),
            tests.len()
        )
    } else {
        title.to_owned()
    };
    Figure::of(matrix::picture(&title, &matrix), matrix.json())
}

/// A list of inputs: a clique of conflicts, or the inputs of a refuted formula.
fn inputs_listed(checked: &Checked, number: usize) -> Vec<Figure> {
    let (Some(setting), Some(evidence)) = (setting(checked), checked.content().resolved(number))
    else {
        return Vec::new();
    };
    let game = &*setting.game;
    let (caption, all): (String, Vec<Vec<String>>) = match &evidence {
        Evidence::Colouring(clique) => (
            format!(
                "{}, pairwise in conflict, against {}",
                words::plural(clique.members.len(), "input"),
                words::plural(clique.symbols.to_usize().unwrap_or(usize::MAX), "symbol")
            ),
            clique
                .members
                .iter()
                .map(|digits| vec![digits_text(digits)])
                .collect(),
        ),
        Evidence::NoProtocol(core) => (
            format!(
                "{} that no protocol answers together; {} clauses refuted",
                words::plural(core.inputs.len(), "input"),
                core.clauses
            ),
            core.inputs
                .iter()
                .map(|inputs| vec![words::inputs(game, inputs), cell(setting, inputs)])
                .collect(),
        ),
        _ => return Vec::new(),
    };
    let head: &[&str] = if matches!(evidence, Evidence::NoProtocol(_)) {
        &["input", "accepted"]
    } else {
        &["input"]
    };
    let shown = all.len().min(MAX_ROWS);
    let caption = if shown < all.len() {
        format!("{caption}; the first {shown} of {}", all.len())
    } else {
        caption
    };
    let mut table = Table::new(caption, head);
    table.rows = all.into_iter().take(shown).collect();
    vec![Figure::of_table(&table)]
}

fn digits_text(digits: &Digits) -> String {
    let list: Vec<String> = digits.iter().map(ToString::to_string).collect();
    list.join(" ")
}

/// A side of a comparison in words: `2^1520`, `2^784 * 5^112`.
pub fn side(json: &Json) -> String {
    if let Some(text) = json.as_str() {
        return text.to_owned();
    }
    let list = |json: &Json, separator: &str| {
        let items: Vec<String> = json.as_array().into_iter().flatten().map(side).collect();
        items.join(separator)
    };
    let text = |json: &Json| json.as_str().unwrap_or("").to_owned();
    if let Some(factors) = json["pow"].as_array() {
        let factors: Vec<String> = factors
            .iter()
            .map(|pair| match text(&pair[1]).as_str() {
                "1" => text(&pair[0]),
                exponent => format!("{}^{exponent}", text(&pair[0])),
            })
            .collect();
        return factors.join(" * ");
    }
    if !json["sum"].is_null() {
        return list(&json["sum"], " + ");
    }
    format!(
        "({})^({})",
        side(&json["tower"]["base"]),
        side(&json["tower"]["exponent"])
    )
}

/// All digits, or the ends of a long number.
fn shortened(text: &str) -> String {
    let digits = text.chars().count();
    if digits <= 80 {
        return text.to_owned();
    }
    let head: String = text.chars().take(30).collect();
    let tail: String = text.chars().skip(digits - 30).collect();
    format!("{head}..{tail} ({digits} characters)")
}

fn comparison_row(body: &Json) -> [String; 3] {
    [
        shortened(&side(&body["left"])),
        body["relation"].as_str().unwrap_or("").to_owned(),
        shortened(&side(&body["right"])),
    ]
}

fn comparison(checked: &Checked, number: usize) -> Vec<Figure> {
    let Some(Raw::Comparison(body)) = checked.content().evidence.get(number) else {
        return Vec::new();
    };
    let mut table = Table::new("The two numbers, compared exactly", &["left", "", "right"]);
    table.row(comparison_row(body));
    vec![Figure::of_table(&table)]
}

fn comparisons(checked: &Checked) -> Vec<Figure> {
    let all = &checked.content().evidence;
    let shown = all.len().min(MAX_ROWS);
    let caption = if shown < all.len() {
        format!(
            "The numbers, compared exactly; the first {shown} of {}",
            words::plural(all.len(), "comparison")
        )
    } else {
        "The numbers, compared exactly".to_owned()
    };
    let mut table = Table::new(caption, &["left", "", "right"]);
    for raw in all.iter().take(shown) {
        if let Raw::Comparison(body) = raw {
            table.row(comparison_row(body));
        }
    }
    vec![Figure::of_table(&table)]
}

/// A decomposition: the chain of R and Z, and the two inputs it ends in.
fn decomposition(checked: &Checked, number: usize) -> Vec<Figure> {
    let content = checked.content();
    let (Some(setting), Some(Evidence::Decomposition(body))) =
        (&content.setting, content.resolved(number))
    else {
        return Vec::new();
    };
    let mut all: Vec<Figure> = chain(&setting.game, &body).into_iter().collect();
    let pair = ["left", "right"].map(|side| read_inputs(&setting.game, &body["pair"][side]).ok());
    if let ([Some(left), Some(right)], Some(strategy)) = (pair, &content.strategy) {
        let title = "The two inputs at the end of the chain";
        all.extend(runs(
            title,
            setting,
            &*strategy.protocol,
            &[left, right],
            None,
        ));
    }
    all
}

/// The chain of a decomposition in evidence.
pub fn chain(game: &Game, body: &Json) -> Option<Figure> {
    let levels = body["levels"]
        .as_array()?
        .iter()
        .map(|level| chain_level(game, level));
    let levels = levels.collect::<Option<Vec<_>>>()?;
    let title =
        "The set R of upper tables, slot by slot; the red line is the paper's allowance at c = 1";
    let data: Vec<Json> = levels.iter().map(chain::Level::json).collect();
    Some(Figure::of(
        chain::picture(title, &levels),
        json!({"levels": data, "c": "1"}),
    ))
}

fn chain_level(game: &Game, level: &Json) -> Option<chain::Level> {
    let text = |json: &Json| json.as_str().map(str::to_owned);
    let sizes = level["sizes"].as_array()?;
    let slots = level["fixed"].as_array()?;
    let name = |place: usize| match place.checked_sub(1) {
        None => Some("start".to_owned()),
        Some(before) if slots.len() + 1 == sizes.len() => {
            let slot = slots[before]["slot"].as_u64()?.to_usize()?;
            Some(game.name(SlotId(slot)).to_owned())
        }
        Some(_) => Some("joint transcript".to_owned()),
    };
    let rows = sizes
        .iter()
        .enumerate()
        .map(|(place, size)| Some((name(place)?, size.as_str()?.parse().ok()?)));
    let sets: Vec<String> = level["z"]
        .as_object()?
        .iter()
        .map(|(label, members)| format!("|Z_{label}| = {}", members.as_array().map_or(0, Vec::len)))
        .collect();
    Some(chain::Level {
        name: format!("Level {}, {}", level["level"], sets.join(", ")),
        rows: rows.collect::<Option<_>>()?,
        loss: text(&level["loss"])?,
        allowed: level["allowed"]["pow"][0][1].as_str()?.parse().ok()?,
        reach: [text(&level["reach"])?, text(&level["wanted"])?],
    })
}

/// The body of a piece of evidence, as it stands in the file.
fn body(checked: &Checked, number: usize) -> Option<&Json> {
    let item = checked.content().witness.evidence.get(number)?;
    item.as_object()?.values().next()
}

/// The state of a model in bits, layer by layer.
fn model_state(checked: &Checked, number: usize) -> Vec<Figure> {
    let statement = &checked.content().witness.statement["model"];
    body(checked, number)
        .and_then(|body| state_bars(body, statement))
        .map_or_else(Vec::new, |bars| {
            let data = json!({"bars": bars.iter().map(ledger::Bar::json).collect::<Vec<_>>()});
            let title = "Bits that cross a token boundary, by kind of layer";
            vec![Figure::of(ledger::picture(title, &bars), data)]
        })
}

/// One bar per kind of layer; none unless they add up to what the evidence says.
fn state_bars(body: &Json, statement: &Json) -> Option<Vec<ledger::Bar>> {
    let number = |json: &Json| json.as_str()?.parse::<BigUint>().ok();
    let (recurrent, other) = (
        number(&statement["recurrent_bits"])?,
        number(&statement["other_bits"])?,
    );
    let mut bars = Vec::new();
    let mut sum = BigUint::default();
    for row in body["rows"].as_array()? {
        let count = number(&row["count"])?;
        let part = |name: &str, width: &BigUint| {
            let bits = number(&row[name])? * width * &count;
            Some((name.replace('_', " "), bits))
        };
        let parts = vec![
            part("recurrent", &recurrent)?,
            part("conv", &other)?,
            part("token_shift", &other)?,
            part("window", &other)?,
        ];
        sum += parts.iter().map(|part| &part.1).sum::<BigUint>();
        bars.push(ledger::Bar {
            name: format!("{count} x {}", row["letter"].as_str()?),
            parts,
            allowed: None,
        });
    }
    (number(&body["bounded_state_bits"])? == sum).then_some(bars)
}

/// Inputs that no readout serves, with their weights.
fn farkas(checked: &Checked, number: usize) -> Vec<Figure> {
    let Some(inputs) = body(checked, number).and_then(|body| body["inputs"].as_array()) else {
        return Vec::new();
    };
    let mut table = Table::new(
        "Inputs with weights: the weighted conditions contradict each other",
        &["tokens", "lower", "upper"],
    );
    for input in inputs {
        let tokens = input["tokens"].as_array().into_iter().flatten();
        let tokens: Vec<&str> = tokens.filter_map(Json::as_str).collect();
        let text = |key: &str| input[key].as_str().unwrap_or("").to_owned();
        table.row([tokens.join(" "), text("lower"), text("upper")]);
    }
    table.rows.truncate(MAX_ROWS);
    vec![Figure::of_table(&table)]
}

/// The weights of a dual solution.
fn dual(checked: &Checked, number: usize) -> Vec<Figure> {
    let Some(body) = body(checked, number) else {
        return Vec::new();
    };
    let Some(weights) = body["weights"].as_object() else {
        return Vec::new();
    };
    let gap = body["gap"].as_str().unwrap_or("");
    let mut table = Table::new(
        format!("Dual weights at gap {gap}"),
        &["condition", "weight"],
    );
    for (name, weight) in weights.iter().take(MAX_ROWS) {
        table.row([name.clone(), weight.as_str().unwrap_or("").to_owned()]);
    }
    vec![Figure::of_table(&table)]
}

/// The matrix that a claim is about: given, or that of its game.
fn matrix_of(checked: &Checked) -> Option<Matrix> {
    let Statement::Matrix(claim) = &checked.content().statement else {
        return None;
    };
    match &**claim {
        MatrixClaim::Depth(DepthClaim {
            matrix: Some(matrix),
            ..
        }) => Some(matrix.clone()),
        MatrixClaim::Depth(_) => {
            let limit = (rectangles::MAX_SIDE * rectangles::MAX_SIDE).into();
            of_setting(setting(checked)?, &limit).ok()
        }
        MatrixClaim::Histogram { .. } => None,
    }
}

/// The body of a piece of evidence about a matrix.
fn about_matrix(checked: &Checked, number: usize) -> Option<Place<'_>> {
    match checked.content().evidence.get(number)? {
        Raw::Matrix(_, json) => Some(Place {
            at: String::new(),
            json,
        }),
        _ => None,
    }
}

/// A figure of groups of cells.
fn grouped(title: &str, groups: Option<Groups<'_>>) -> Vec<Figure> {
    groups.map_or_else(Vec::new, |groups| {
        vec![Figure::of(
            rectangles::picture(title, &groups),
            groups.json(),
        )]
    })
}

/// The leaves of a protocol tree.
fn tree(checked: &Checked, number: usize) -> Vec<Figure> {
    let (Some(matrix), Some(body)) = (matrix_of(checked), about_matrix(checked, number)) else {
        return Vec::new();
    };
    let Ok(tree) = read_tree(&body) else {
        return Vec::new();
    };
    grouped(
        "The rectangles of the tree: each leaf is one, and has one value",
        Groups::leaves(&matrix, &tree),
    )
}

/// Cells no two of which share a rectangle of one value.
fn fooling_set(checked: &Checked, number: usize) -> Vec<Figure> {
    let (Some(matrix), Some(body)) = (matrix_of(checked), about_matrix(checked, number)) else {
        return Vec::new();
    };
    let Ok(sets) = read_fooling_set(&body) else {
        return Vec::new();
    };
    let cells: Vec<(usize, usize)> = sets.0.concat();
    grouped(
        "Fooling sets: no two of these cells share a rectangle of one value",
        Groups::cells(&matrix, &cells),
    )
}

/// Rows and columns that are hard already.
fn minor(checked: &Checked, number: usize) -> Vec<Figure> {
    let (Some(matrix), Some(body)) = (matrix_of(checked), about_matrix(checked, number)) else {
        return Vec::new();
    };
    let Ok(minors) = read_minors(&body) else {
        return Vec::new();
    };
    let list: Vec<(Vec<usize>, Vec<usize>)> = minors
        .0
        .iter()
        .map(|minor| (minor.rows.clone(), minor.columns.clone()))
        .collect();
    grouped(
        "Minors: these rows and columns alone give the rank",
        Groups::rectangles(&matrix, &list),
    )
}

/// How many matrices have each depth.
fn histogram(checked: &Checked, _: usize) -> Vec<Figure> {
    let Statement::Matrix(claim) = &checked.content().statement else {
        return Vec::new();
    };
    let MatrixClaim::Histogram {
        rows,
        columns,
        counts,
    } = &**claim
    else {
        return Vec::new();
    };
    // The counts of the statement are what was recounted only where it is established.
    if checked.verdict() != Verdict::Established {
        return Vec::new();
    }
    let mut table = Table::new(
        format!("All {rows}x{columns} matrices by depth"),
        &["depth", "matrices"],
    );
    for (depth, count) in counts.iter().enumerate() {
        table.row([depth.to_string(), count.to_string()]);
    }
    vec![Figure::of_table(&table)]
}

/// A ledger of the proof scheme: what each step adds to the deficit, and the room at the end.
fn bound(checked: &Checked, number: usize) -> Vec<Figure> {
    let Some(Raw::Derived(Derived::Bound, body)) = checked.content().evidence.get(number) else {
        return Vec::new();
    };
    bars(body).map_or_else(Vec::new, |bars| {
        let title = "Deficit in bits, step by step, and the room that the last range leaves";
        let data = json!({"bars": bars.iter().map(ledger::Bar::json).collect::<Vec<_>>()});
        vec![Figure::of(ledger::picture(title, &bars), data)]
    })
}

/// The bars of a stored ledger, every number of it recomputed.
pub fn bars(body: &Json) -> Option<Vec<ledger::Bar>> {
    let stored = StoredBound::read(&Place {
        at: String::new(),
        json: body,
    })
    .ok()?;
    let found = check_choice(&stored.layout, &stored.cost, &stored.params, &stored.choice).ok()?;
    bars_of(&found)
}

/// The bars of a ledger.
pub fn bars_of(found: &Found) -> Option<Vec<ledger::Bar>> {
    let mut bars: Vec<ledger::Bar> = found
        .steps
        .iter()
        .map(|step| ledger::Bar {
            name: format!("step {}", step.place.l),
            parts: step
                .rows
                .iter()
                .map(|row| (row.name.clone(), row.bits.clone()))
                .collect(),
            allowed: None,
        })
        .collect();
    let last = found.ranges.last()?;
    let words = format!("room {} = floor({} log2 {last})", found.room.floor, found.t);
    bars.push(ledger::Bar {
        name: "final".to_owned(),
        parts: vec![("deficit".to_owned(), found.deficit.clone())],
        allowed: Some((words, found.room.floor.clone())),
    });
    Some(bars)
}

/// The vectors of the exponent program.
fn exponent(checked: &Checked, number: usize) -> Vec<Figure> {
    let Some(Raw::Derived(Derived::Exponent, body)) = checked.content().evidence.get(number) else {
        return Vec::new();
    };
    let mut table = Table::new(
        "The vector that attains the exponent",
        &["variable", "value"],
    );
    for (name, value) in body["primal"]["x"].as_object().into_iter().flatten() {
        table.row([name.clone(), value.as_str().unwrap_or("").to_owned()]);
    }
    if table.rows.is_empty() {
        Vec::new()
    } else {
        vec![Figure::of_table(&table)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::item::KINDS;

    #[test]
    fn every_kind_of_evidence_has_a_drawing() {
        let drawn: Vec<&str> = DRAWN.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(drawn, KINDS);
    }

    #[test]
    fn sides_are_spelled() {
        assert_eq!(side(&json!({"pow": [["2", "3"], ["5", "1"]]})), "2^3 * 5");
        assert_eq!(
            side(
                &json!({"sum": ["1", {"tower": {"base": "2", "exponent": {"pow": [["3", "4"]]}}}]})
            ),
            "1 + (2)^(3^4)"
        );
        assert_eq!(
            shortened(&"7".repeat(81)),
            format!("{0}..{0} (81 characters)", "7".repeat(30))
        );
    }
}
