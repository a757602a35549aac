//! `params`: do the paper's own inequalities hold at these values?

use crate::bounds::params::hybrid_v1::{self, Check, Mark, Parameters};
use crate::cli::args::ParamsArgs;
use crate::cli::{Failure, Output};
use crate::exact::Number;
use crate::report::table::Table;
use crate::report::words::plural;
use num_bigint::BigUint;
use num_traits::One;
use serde_json::{Map, Value as Json, json};

/// Most steps: the exponents have 3L bits and the rows about L terms.
const MAX_STEPS: u32 = 64;

/// One inequality, decided or not.
struct Row {
    check: Check,
    /// `None` if the sides cannot be compared; then the reason.
    holds: Result<bool, String>,
}

impl Row {
    fn word(&self) -> &'static str {
        match self.holds {
            Ok(true) => "holds",
            Ok(false) => "FAILS",
            Err(_) => "undecided",
        }
    }

    fn verdict(&self) -> &'static str {
        match self.holds {
            Ok(true) => "established",
            Ok(false) => "refuted",
            Err(_) => "undecided",
        }
    }

    fn json(&self) -> Json {
        let check = &self.check;
        json!({
            "id": check.id,
            "holds": self.holds.as_ref().ok(),
            "verdict": self.verdict(),
            "left": check.left.to_string(),
            "relation": check.wanted.as_str(),
            "right": check.right.to_string(),
            "left_approx": check.left.approx(),
            "right_approx": check.right.approx(),
            "statement": check.statement,
            "mark": check.mark.as_str(),
            "slack": check.quotient().map(|quotient| quotient.to_string()),
            "slack_approx": check.slack(),
            "reason": self.holds.as_ref().err(),
        })
    }
}

pub(super) fn run(args: &ParamsArgs) -> Result<Output, Failure> {
    if args.paper != "hybrid-v1" {
        return Err(Failure::Usage(format!(
            "KEY: unknown paper `{}`, expected hybrid-v1",
            args.paper
        )));
    }
    if args.a1 > BigUint::one() {
        return Err(Failure::Usage(format!(
            "a1: found {}, expected 0 or 1",
            args.a1
        )));
    }
    if args.steps > MAX_STEPS {
        return Err(Failure::TooLarge(format!(
            "steps: {} is above {MAX_STEPS}",
            args.steps
        )));
    }
    let d = args.d.clone().unwrap_or_else(|| args.c.clone());
    let point = Parameters::new(args.steps, args.c.clone(), d.clone(), args.a1.clone())
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let quantities: Vec<(String, Number)> = hybrid_v1::names(args.steps)
        .into_iter()
        .map(|name| point.quantity(&name).map(|value| (name, value)))
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let rows: Vec<Row> = point
        .checks()
        .map_err(|error| Failure::TooLarge(error.to_string()))?
        .into_iter()
        .map(|check| Row {
            holds: check.holds().map_err(|error| error.to_string()),
            check,
        })
        .collect();
    Ok(Output::new(
        text(args, &d, &quantities, &rows),
        json(args, &d, &quantities, &rows),
    )
    .table(table(&rows)))
}

/// Long products are shown by their size.
fn shown(number: &Number) -> String {
    let full = number.to_string();
    if full.len() <= 48 {
        full
    } else {
        number.approx()
    }
}

/// The row that the theorem rests on, and the trivial ones that are printed beside it.
const CLAIMED: [(&str, &str); 4] = [
    ("final", "claimed: the proof ends in a contradiction"),
    (
        "capacity",
        "trivial, networks: one token of c bits can name all answers (if not, every network fails at once)",
    ),
    (
        "capacity-game",
        "trivial, the game: the messages received can name all answers",
    ),
    (
        "capacity-theorem",
        "trivial at n = c^T: one token of c bits can name n answers (if not, Theorem 1.1 has no content)",
    ),
];

fn text(args: &ParamsArgs, d: &BigUint, quantities: &[(String, Number)], rows: &[Row]) -> String {
    let mut lines = vec![
        format!(
            "{} at L = {}, c = {}, d = {d}, a1 = {}; scope: this parameter point",
            args.paper, args.steps, args.c, args.a1
        ),
        String::new(),
        "quantities [paper]".to_owned(),
    ];
    for (name, value) in quantities {
        lines.push(format!(
            "  {name:<11} {:<48}  {}",
            shown(value),
            value.approx()
        ));
    }
    lines.push(String::new());
    lines.push("inequalities".to_owned());
    let width = rows.iter().map(|row| row.check.id.len()).max().unwrap_or(0);
    for row in rows {
        let Check {
            id,
            statement,
            mark,
            ..
        } = &row.check;
        let slack = row
            .check
            .slack()
            .map_or(String::new(), |slack| format!(", slack {slack}"));
        lines.push(format!(
            "  {id:<width$}  {:<9}  [{}] {statement}",
            row.word(),
            mark.as_str()
        ));
        lines.push(format!(
            "  {:<width$}  {:<9}  {} against {}{slack}",
            "",
            "",
            shown(&row.check.left),
            shown(&row.check.right)
        ));
        if let Err(reason) = &row.holds {
            lines.push(format!("  {:<width$}  {:<9}  {reason}", "", ""));
        }
    }
    lines.push(String::new());
    lines.push("the claimed bound beside the trivial one".to_owned());
    for (id, meaning) in CLAIMED {
        if let Some(row) = rows.iter().find(|row| row.check.id == id) {
            lines.push(format!(
                "  {:<9}  {meaning}: {}",
                row.word(),
                row.check.statement
            ));
        }
    }
    let reconstructed = rows
        .iter()
        .filter(|row| row.check.mark == Mark::Reconstructed)
        .count();
    let failing: Vec<&str> = rows
        .iter()
        .filter(|row| row.holds == Ok(false))
        .map(|row| row.check.id.as_str())
        .collect();
    lines.push(String::new());
    lines.push(format!(
        "{}, {} reconstructed; failing: {}",
        plural(rows.len(), "inequality").replace("inequalitys", "inequalities"),
        reconstructed,
        if failing.is_empty() {
            "none".to_owned()
        } else {
            failing.join(", ")
        }
    ));
    lines.join("\n")
}

fn json(args: &ParamsArgs, d: &BigUint, quantities: &[(String, Number)], rows: &[Row]) -> Json {
    let quantities: Map<String, Json> = quantities
        .iter()
        .map(|(name, value)| {
            // Short integers also in decimal.
            let decimal = value
                .to_integer()
                .ok()
                .filter(|value| value.bits() <= 4096)
                .map(|value| value.to_string());
            (
                name.clone(),
                json!({"value": value.to_string(), "approx": value.approx(), "decimal": decimal}),
            )
        })
        .collect();
    let trivial: Map<String, Json> = CLAIMED
        .iter()
        .filter_map(|(id, _)| {
            let row = rows.iter().find(|row| row.check.id == *id)?;
            Some(((*id).to_owned(), json!(row.holds.as_ref().ok())))
        })
        .collect();
    json!({
        "paper": args.paper,
        "steps": args.steps,
        "c": args.c.to_string(),
        "d": d.to_string(),
        "a1": args.a1.to_string(),
        "scope": "this-parameter-point",
        "quantities": quantities,
        "checks": rows.iter().map(Row::json).collect::<Vec<_>>(),
        "claimed_and_trivial": trivial,
    })
}

fn table(rows: &[Row]) -> Table {
    let head = ["id", "from", "inequality", "verdict", "slack"];
    let mut table = Table::new("The inequalities at this point", &head);
    for row in rows {
        table.row([
            row.check.id.clone(),
            row.check.mark.as_str().to_owned(),
            format!("`{}`", row.check.statement),
            row.verdict().to_owned(),
            row.check.slack().unwrap_or_default(),
        ]);
    }
    table
}
