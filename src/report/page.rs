//! The page: one file of HTML with the verdicts, the evidence and the pictures. It needs no network and no script; with a
//! script it filters and steps.

use crate::evidence::statement::Kind;
use crate::evidence::{Checked, Scope, Verdict};
use crate::report::figure::{Figure, figures};
use crate::report::{overview, svg, words};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

const CSS: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const SOURCES: &str = include_str!("../../docs/sources.toml");

/// Evidence of at most so many bytes is shown in full.
const MAX_EVIDENCE: usize = 80;

/// A claim as its file states it, and what became of it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its id, with the point for claims with `for`.
    pub id: String,
    /// Source key, then the place.
    pub source: String,
    /// The statement in words.
    pub statement: String,
    /// The scope.
    pub scope: Scope,
    /// The kind.
    pub kind: &'static Kind,
    /// What the author expects.
    pub expected: Verdict,
    /// The claim this one is an inverted copy of.
    pub control_of: Option<String>,
    /// How the claim is named on the command line.
    pub named: String,
    /// The evidence file, as named on the command line.
    pub evidence: String,
    /// The verifier's token, or why there is none.
    pub checked: Result<Checked, String>,
}

impl Entry {
    /// The verdict that the evidence carries.
    pub fn verdict(&self) -> Verdict {
        self.checked
            .as_ref()
            .map_or(Verdict::Undecided, Checked::verdict)
    }

    /// True when the verdict is the expected one.
    pub fn agrees(&self) -> bool {
        self.verdict() == self.expected
    }

    /// What was found, in a line.
    pub fn detail(&self) -> String {
        self.checked
            .as_ref()
            .map_or_else(Clone::clone, words::detail)
    }

    fn paper(&self) -> &str {
        self.source.split(',').next().unwrap_or("").trim()
    }

    fn json(&self, figures: &[Figure]) -> Json {
        let figures: Vec<Json> = figures
            .iter()
            .map(|figure| json!({"caption": figure.caption, "data": figure.data}))
            .collect();
        json!({
            "id": self.id,
            "source": self.source,
            "kind": self.kind.name,
            "meaning": self.kind.meaning,
            "statement": self.statement,
            "scope": self.scope.to_json(),
            "verdict": self.verdict().word(),
            "expected": self.expected.word(),
            "agrees": self.agrees(),
            "control_of": self.control_of,
            "detail": self.detail(),
            "figures": figures,
        })
    }
}

/// The page and its data.
#[derive(Debug)]
pub struct Page {
    /// The file.
    pub html: String,
    /// What it shows.
    pub json: Json,
}

/// Writes the page.
///
/// # Cost
/// One drawing per piece of evidence; nothing is verified here.
pub fn page(entries: &[Entry]) -> Page {
    let drawn: Vec<Vec<Figure>> = entries
        .iter()
        .map(|entry| entry.checked.as_ref().map_or_else(|_| Vec::new(), figures))
        .collect();
    let tokens: Vec<&Checked> = entries
        .iter()
        .filter_map(|entry| entry.checked.as_ref().ok())
        .collect();
    let plots = overview::figures(&tokens);
    let counts = Counts::of(entries);
    let claims: Vec<Json> = entries
        .iter()
        .zip(&drawn)
        .map(|(entry, figures)| entry.json(figures))
        .collect();
    let overview: Vec<Json> = plots
        .iter()
        .map(|figure| json!({"caption": figure.caption, "data": figure.data}))
        .collect();
    let markup = document(entries, &drawn, &plots, &counts);
    Page {
        html: markup.into_string(),
        json: json!({"summary": counts.json(), "claims": claims, "overview": overview}),
    }
}

struct Counts {
    claims: usize,
    agree: usize,
    controls: usize,
    caught: usize,
    by_verdict: Vec<(Verdict, usize)>,
    trust: Vec<String>,
}

impl Counts {
    fn of(entries: &[Entry]) -> Self {
        let claims: Vec<&Entry> = entries
            .iter()
            .filter(|entry| entry.control_of.is_none())
            .collect();
        let controls: Vec<&Entry> = entries
            .iter()
            .filter(|entry| entry.control_of.is_some())
            .collect();
        let verdicts = [Verdict::Established, Verdict::Refuted, Verdict::Undecided];
        let count = |verdict: Verdict| {
            entries
                .iter()
                .filter(|entry| entry.verdict() == verdict)
                .count()
        };
        let mut trust: Vec<String> = entries
            .iter()
            .filter_map(|entry| entry.checked.as_ref().ok())
            .flat_map(|checked| checked.trust().iter().cloned())
            .collect();
        trust.sort();
        trust.dedup();
        Self {
            agree: claims.iter().filter(|entry| entry.agrees()).count(),
            claims: claims.len(),
            caught: controls.iter().filter(|entry| !entry.agrees()).count(),
            controls: controls.len(),
            by_verdict: verdicts.map(|verdict| (verdict, count(verdict))).to_vec(),
            trust,
        }
    }

    fn json(&self) -> Json {
        let verdicts: serde_json::Map<String, Json> = self
            .by_verdict
            .iter()
            .map(|(verdict, count)| (verdict.word().to_owned(), json!(count.to_string())))
            .collect();
        json!({
            "claims": self.claims.to_string(),
            "agree": self.agree.to_string(),
            "disagree": (self.claims - self.agree).to_string(),
            "controls": self.controls.to_string(),
            "caught": self.caught.to_string(),
            "verdicts": verdicts,
            "trust": self.trust,
        })
    }
}

fn document(entries: &[Entry], drawn: &[Vec<Figure>], plots: &[Figure], counts: &Counts) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "foolproof: verdicts with evidence" }
                link rel="icon" href="data:,";
                style { (PreEscaped(svg::variables())) (PreEscaped(svg::STYLE)) (PreEscaped(CSS)) }
            }
            body {
                a.skip href="#verdicts" { "Skip to the verdicts" }
                header {
                    h1 { "foolproof: verdicts with evidence" }
                    (summary(counts))
                    (meaning())
                }
                main {
                    @if !plots.is_empty() {
                        section #overview {
                            h2 { "Overview" }
                            @for plot in plots { (figure(plot)) }
                        }
                    }
                    section #verdicts {
                        h2 { "Verdicts" }
                        (filters(entries))
                        (verdicts(entries))
                    }
                    section #claims {
                        h2 { "Claims" }
                        p.note { "One section per claim. Keys: " kbd { "j" } " next and " kbd { "k" } " previous step of the run in sight, " kbd { "/" } " search." }
                        @for (entry, figures) in entries.iter().zip(drawn) { (claim(entry, figures)) }
                    }
                    (sources(entries))
                }
                footer {
                    p { "Written by " code { (crate::evidence::witness::TOOL) } ". This page shows only what the verifier accepted when it was written; it is no evidence itself. The evidence files are." }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

fn summary(counts: &Counts) -> Markup {
    html! {
        ul.summary {
            li { b { (counts.claims) } @if counts.claims == 1 { " claim, " } @else { " claims, " } b { (counts.agree) } " as expected" }
            @if counts.controls > 0 {
                li { b { (counts.caught) } " of " b { (counts.controls) } @if counts.controls == 1 { " control" } @else { " controls" } " caught" }
            }
            @for (verdict, count) in &counts.by_verdict {
                @if *count > 0 { li { (badge(*verdict)) " " b { (count) } } }
            }
            li { "to trust: " @if counts.trust.is_empty() { "nothing" } @else { (counts.trust.join(", ")) } }
        }
    }
}

fn meaning() -> Markup {
    html! {
        details.meaning {
            summary { "What a verdict means, and what it does not" }
            p { (badge(Verdict::Established)) " The statement holds, for the quantifier that its scope names, and the evidence shows it. "
                (badge(Verdict::Refuted)) " The evidence shows it false there. "
                (badge(Verdict::Undecided)) " Neither; never a guess, and never \"none exists\"." }
            p { "A verdict about one protocol says nothing about others; one about a game says nothing about larger games; one about a range, nothing outside it. Statements about networks rest on the reduction of the source to games, which is not proved here. A control is a claim with a wrong expectation, kept to show that a wrong one is caught." }
        }
    }
}

fn badge(verdict: Verdict) -> Markup {
    // The sign before the word comes from the style sheet.
    html! { span class={"badge " (verdict.word())} { (verdict.word()) } }
}

/// The distinct values of a filter, sorted.
fn choices(entries: &[Entry], of: fn(&Entry) -> String) -> Vec<String> {
    let mut all: Vec<String> = entries.iter().map(of).collect();
    all.sort();
    all.dedup();
    all
}

/// The filters: a name, its label, and what it looks at.
type Filter = (&'static str, &'static str, fn(&Entry) -> String);

const FILTERS: [Filter; 4] = [
    ("paper", "Source", |entry| entry.paper().to_owned()),
    ("scope", "Scope", |entry| {
        entry.scope.word().replace('-', " ")
    }),
    ("verdict", "Verdict", |entry| {
        entry.verdict().word().to_owned()
    }),
    ("kind", "Kind", |entry| entry.kind.name.to_owned()),
];

fn filters(entries: &[Entry]) -> Markup {
    html! {
        form.filters #filters hidden {
            @for (name, label, of) in FILTERS {
                label { (label) " "
                    select name=(name) {
                        option value="" { "all" }
                        @for choice in choices(entries, of) { option value=(choice) { (choice) } }
                    }
                }
            }
            label { "Search " input type="search" name="text" placeholder="id or words"; }
            output #shown aria-live="polite" {}
        }
    }
}

fn verdicts(entries: &[Entry]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Verdict table" {
            table.verdicts {
                caption { "Every claim with its verdict. The scope says for which quantifier it speaks." }
                thead { tr { th scope="col" { "Claim" } th scope="col" { "Verdict" } th scope="col" { "Scope" } th scope="col" { "Evidence" } th scope="col" { "Source" } } }
                tbody {
                    @for entry in entries {
                        tr data-paper=(entry.paper()) data-scope=(entry.scope.word().replace('-', " ")) data-verdict=(entry.verdict().word()) data-kind=(entry.kind.name) data-claim=(entry.id) {
                            th scope="row" { a href={"#" (entry.id)} { (entry.id) } }
                            td { (badge(entry.verdict())) (remark(entry)) }
                            td { (entry.scope) }
                            td.pre { (entry.detail()) }
                            td { (entry.source) }
                        }
                    }
                }
            }
        }
    }
}

/// What is said when the verdict is not as expected.
fn remark(entry: &Entry) -> Markup {
    html! {
        @match (&entry.control_of, entry.agrees()) {
            (Some(of), false) => { " " small { "control of " (of) ": caught" } },
            (Some(of), true) => { " " strong.bad { "control of " (of) " agrees" } },
            (None, true) => {},
            (None, false) => { " " strong.bad { "expected " (entry.expected.word()) } },
        }
    }
}

fn claim(entry: &Entry, figures: &[Figure]) -> Markup {
    html! {
        article id=(entry.id) {
            h3 { a href={"#" (entry.id)} { (entry.id) } " " (badge(entry.verdict())) (remark(entry)) }
            p.statement { (entry.statement) }
            dl.facts {
                dt { "Scope" } dd { (entry.scope) }
                dt { "Kind" } dd { (entry.kind.name) ": " (entry.kind.meaning) }
                dt { "Source" } dd { (entry.source) }
                dt { "Evidence" } dd.pre { (entry.detail()) }
                @if let Ok(checked) = &entry.checked {
                    dt { "To trust" } dd { @if checked.trust().is_empty() { "nothing" } @else { (checked.trust().join(", ")) } }
                }
            }
            @for drawing in figures { (figure(drawing)) }
            @if let Ok(checked) = &entry.checked { (recheck(entry, checked)) }
        }
    }
}

fn figure(figure: &Figure) -> Markup {
    html! {
        figure { figcaption { (figure.caption) } (figure.body) }
    }
}

fn recheck(entry: &Entry, checked: &Checked) -> Markup {
    let witness = &checked.content().witness;
    let evidence = serde_json::to_string(&witness.evidence).unwrap_or_default();
    html! {
        details {
            summary { "Check it again" }
            pre { "foolproof verify " (entry.evidence) "\npython3 witnesses/check.py " (entry.evidence) "\nfoolproof audit " (entry.named) }
            @if evidence.len() <= MAX_EVIDENCE {
                p { "The evidence:" }
                pre.data { (evidence) }
            } @else {
                p { "The evidence has " (evidence.len()) " characters: see the file." }
            }
        }
    }
}

/// Where a source stands in the list of sources; unknown ones come first, as they are the reader's own.
pub fn place(source: &str) -> usize {
    let key = source.split(',').next().unwrap_or("").trim();
    SOURCES.find(&format!("[{key}]")).map_or(0, |at| at + 1)
}

/// The sources that the claims name.
fn sources(entries: &[Entry]) -> Markup {
    let known: BTreeMap<String, toml::Table> = toml::from_str(SOURCES).unwrap_or_default();
    let cited = choices(entries, |entry| entry.paper().to_owned());
    html! {
        section #sources {
            h2 { "Sources" }
            dl {
                @for key in &cited {
                    dt { code { (key) } }
                    dd { @match known.get(key).and_then(|table| table.get("citation")?.as_str()) { Some(text) => (text), None => "named by the claim only" } }
                }
            }
        }
    }
}
