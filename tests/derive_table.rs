//! The comparison table `docs/derive-table.md` and its picture. `cargo test --release --test derive_table -- --ignored` writes both again;
//! the other test re-checks every row that is committed.
#![allow(
    clippy::unwrap_used,
    clippy::format_push_string,
    reason = "a test may fail"
)]
#![cfg(feature = "search")]

use foolproof::bounds::derive::{Answer, Cost, Layout, Mode, Opening, Params, Senders, check};
use foolproof::bounds::params::hybrid_v1::Parameters;
use foolproof::exact::interval::floor_log2_scaled;
use foolproof::search::derive::search;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::path::PathBuf;

/// (L, a) of the tables: the paper's layouts with one recurrent layer after each full layer but the first.
const LAYOUTS: [(usize, &[u64], u32); 3] = [
    (2, &[0, 0, 1], 10),
    (3, &[0, 1, 1], 8),
    (3, &[0, 0, 1, 1], 8),
];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(name)
}

fn layout(steps: usize, passes: &[u64]) -> Layout {
    Layout::new(steps, passes.iter().map(|a| BigUint::from(*a)).collect()).unwrap()
}

fn cost(c: u64, mode: Mode) -> Cost {
    Cost::of_network(&c.into(), &c.into(), Senders::Separate, mode).unwrap()
}

/// `log2 x` in sixteenths, rounded down.
fn sixteenths(x: &BigUint) -> u64 {
    floor_log2_scaled(x, 4).to_u64().unwrap()
}

fn decimal(sixteenths: u64) -> String {
    format!("{}.{}", sixteenths / 16, sixteenths % 16 * 10 / 16)
}

/// The largest n for which prefetching solves every shape with N_{L-1} <= n: some factor is at most n^(1/L).
fn prefetched(steps: usize, s: u64) -> u64 {
    let solves = |n: u64| {
        let root = BigUint::from(n)
            .nth_root(u32::try_from(steps).unwrap())
            .to_u64()
            .unwrap();
        root * u64::from(64 - (n - 1).leading_zeros()) <= s
    };
    (2..1 << 20).take_while(|n| solves(*n)).last().unwrap_or(1)
}

/// `log2 n` of the paper's instance, in sixteenths.
fn paper(steps: usize, c: u64) -> u64 {
    let point = Parameters::new(
        u32::try_from(steps).unwrap(),
        c.into(),
        c.into(),
        BigUint::default(),
    )
    .unwrap();
    let range = point.range(u32::try_from(steps - 1).unwrap()).unwrap();
    range.canonical().floor_log2().to_u64().unwrap() * 16
}

fn listed(params: &Params) -> String {
    let all = |list: &[BigUint]| {
        list.iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(",")
    };
    format!(
        "{}; {}; {}; {}",
        params.m,
        all(&params.n),
        all(&params.np),
        all(&params.x)
    )
}

fn number(text: &str) -> BigUint {
    text.trim().parse().unwrap()
}

#[test]
fn every_committed_row_closes() {
    let text = std::fs::read_to_string(path("derive-table.md")).unwrap();
    let (mut section, mut rows) = (None, 0);
    for line in text.lines() {
        if let Some(number) = line
            .strip_prefix("## ")
            .and_then(|title| title.split('.').next()?.parse::<usize>().ok())
        {
            section = Some(LAYOUTS[number - 1]);
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let (Some((steps, passes, _)), [_, c, mode, n, trivial, .., params, _]) =
            (section, cells.as_slice())
        else {
            continue;
        };
        let (Ok(c), Some(mode)) = (c.parse::<u64>(), Mode::from_word(mode)) else {
            continue;
        };
        let parts: Vec<Vec<BigUint>> = params
            .split(';')
            .map(|part| part.split(',').map(number).collect())
            .collect();
        let params = Params {
            m: parts[0][0].clone(),
            n: parts[1].clone(),
            np: parts[2].clone(),
            x: parts[3].clone(),
        };
        let ledger = check(&layout(steps, passes), &cost(c, mode), &params).unwrap();
        assert_eq!(ledger.answer(), Answer::Proved, "{line}");
        assert_eq!(
            (
                ledger.length.to_string().as_str(),
                if ledger.trivial { "yes" } else { "no" }
            ),
            (*n, *trivial),
            "{line}"
        );
        rows += 1;
    }
    assert!(rows > 20, "only {rows} rows");
}

/// One panel of the picture: `log2 n` from 0 to `most` in sixteenths, between two heights.
struct Panel {
    top: u64,
    bottom: u64,
    most: u64,
}

impl Panel {
    fn y(&self, sixteenths: u64) -> u64 {
        self.bottom - sixteenths * (self.bottom - self.top) / self.most
    }

    fn x(e: u32) -> u64 {
        70 + u64::from(e) * 40
    }

    /// Axes with a line for every `step` bits.
    fn axes(&self, step: u64, last: u32) -> String {
        let mut text = String::new();
        let right = Self::x(last);
        for bits in (0..=self.most / 16).step_by(usize::try_from(step).unwrap()) {
            let y = self.y(bits * 16);
            text += &format!(
                "<line x1=\"70\" y1=\"{y}\" x2=\"{right}\" y2=\"{y}\" stroke=\"#dddddd\"/>\n<text x=\"60\" y=\"{}\" text-anchor=\"end\">2^{bits}</text>\n",
                y + 4
            );
        }
        for e in 0..=last {
            let y = self.bottom + 18;
            text += &format!(
                "<text x=\"{}\" y=\"{y}\" text-anchor=\"middle\">2^{e}</text>\n",
                Self::x(e)
            );
        }
        text
    }

    /// A curve as far as it stays in the panel; its name at a height of the legend.
    fn curve(
        &self,
        points: &[(u32, u64)],
        colour: &str,
        dash: &str,
        name: &str,
        legend: u64,
    ) -> String {
        let list: Vec<String> = points
            .iter()
            .filter(|(_, y)| *y <= self.most)
            .map(|(e, y)| format!("{},{}", Self::x(*e), self.y(*y)))
            .collect();
        format!(
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\" points=\"{}\"/>\n<text x=\"490\" y=\"{legend}\" fill=\"{colour}\">{name}</text>\n",
            list.join(" ")
        )
    }
}

#[test]
#[ignore = "writes the table and the picture again"]
fn write() {
    let mut text = "# The paper, re-optimised, refined: shortest prompts that are out of reach\n\nGenerated by `cargo test --release --test derive_table -- --ignored`; every row is re-checked exactly by the test suite. s = 2c, C = c(c+1), separate\nsenders. *Coarse* is the paper's own game (cuts at the table boundaries), *refined* cuts inside the tables (`derive.md` 1.2). *Trivial*: 2^s < N_{L-1}, one digest\ncannot name all answers; such rows say nothing about depth. n is the best found, minimality not claimed. *Paper*: log2 of the paper's own\nlength at c, rounded down. *Prefetch*: up to this n a known protocol solves every shape, so no proof can go below it (r = L only).\n\n![n against c](derive-table.svg)\n".to_owned();
    let mut svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"700\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"760\" height=\"700\" fill=\"white\"/>\n<text x=\"20\" y=\"20\">Two steps, layout F F R: shortest prompt n out of reach, against c; both logarithmic, in two scales</text>\n".to_owned();
    let (all, near) = (
        Panel {
            top: 40,
            bottom: 260,
            most: 1600 * 16,
        },
        Panel {
            top: 320,
            bottom: 660,
            most: 56 * 16,
        },
    );
    svg += &all.axes(200, LAYOUTS[0].2);
    svg += &near.axes(4, LAYOUTS[0].2);
    svg += "<text x=\"270\" y=\"696\" text-anchor=\"middle\">c</text>\n";
    for (number, (steps, passes, last)) in LAYOUTS.into_iter().enumerate() {
        let layout = layout(steps, passes);
        text += &format!(
            "\n## {}. L = {steps}, a = ({})\n\n",
            number + 1,
            passes
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        );
        text += "| c | mode | n | trivial | ~log2 n | log2 n of the paper | prefetch up to | m; n; n'; x |\n|---|---|---|---|---|---|---|---|\n";
        let mut curves: [Vec<(u32, u64)>; 2] = [Vec::new(), Vec::new()];
        let (mut of_paper, mut capacity, mut known) = (Vec::new(), Vec::new(), Vec::new());
        for e in 0..=last {
            let c = 1_u64 << e;
            for (mode, curve) in [Mode::Coarse, Mode::Refined].into_iter().zip(&mut curves) {
                let begin = std::time::Instant::now();
                let found = search(&layout, &cost(c, mode), Opening::Plain);
                eprintln!("L={steps} {passes:?} c={c} {mode:?}: {:?}", begin.elapsed());
                let Some(point) = found.least else { continue };
                let ledger = &point.ledger;
                let prefetch = if layout.full_layers() == steps {
                    prefetched(steps, 2 * c).to_string()
                } else {
                    "-".to_owned()
                };
                text += &format!(
                    "| {c} | {} | {} | {} | {} | {} | {prefetch} | {} |\n",
                    mode.word(),
                    ledger.length,
                    if ledger.trivial { "yes" } else { "no" },
                    decimal(sixteenths(&ledger.length)),
                    paper(steps, c) / 16,
                    listed(&point.params),
                );
                curve.push((e, sixteenths(&ledger.length)));
            }
            of_paper.push((e, paper(steps, c)));
            capacity.push((e, 32 * c));
            known.push((e, sixteenths(&BigUint::from(prefetched(steps, 2 * c)))));
        }
        if number == 0 {
            svg += &all.curve(&of_paper, "#888888", "", "the paper's own length", 60);
            svg += &all.curve(&curves[0], "#cc6600", "", "coarse", 240);
            svg += &all.curve(&curves[1], "#0055aa", "", "refined", 256);
            svg += &near.curve(
                &curves[0],
                "#cc6600",
                "",
                "coarse: the paper's game, best found",
                380,
            );
            svg += &near.curve(&curves[1], "#0055aa", "", "refined cuts, best found", 410);
            svg += &near.curve(
                &capacity,
                "#aa0000",
                "4 4",
                "2^s = 2^(2c): above it n is trivial;",
                500,
            );
            svg +=
                "<text x=\"490\" y=\"516\" fill=\"#aa0000\">leaves the picture at c = 22</text>\n";
            svg += &near.curve(
                &known,
                "#007744",
                "2 3",
                "up to here a known protocol solves it",
                600,
            );
        }
    }
    svg += "</svg>\n";
    std::fs::write(path("derive-table.md"), text).unwrap();
    std::fs::write(path("derive-table.svg"), svg).unwrap();
}
