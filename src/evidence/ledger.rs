//! The edge-by-edge ledger of a hybrid game in JSON: evidence that the game is unsolvable (`docs/design/002-derive-evidence.md`).

use crate::bounds::derive::LastEpoch;
use crate::bounds::derive::edges::{Edges, Epoch, Ledger, MAX_BITS, Point, Step};
use crate::evidence::shape::{Place, Rejection};
use crate::file::constants::Overrides;
use crate::file::setting::{self, Setting};
use crate::file::tasks::NamedTask;
use crate::file::{Source, Tree};
use crate::game::family::hybrid::{self, Hybrid};
use crate::game::structure::Code;
use num_bigint::BigUint;
use num_traits::{One, Pow, ToPrimitive};
use serde_json::{Value as Json, json};

/// The alphabets of a game as the ledger wants them; `None` unless it is a hybrid game with its own task, composition.
///
/// # Domain
/// `None` also when the carries of an epoch have more than 200,000 bits.
pub fn edges_of(setting: &Setting) -> Option<Edges> {
    let source = Source::new("spec", "");
    let file = Tree::from_json(&setting.spec);
    let hybrid = setting::hybrid(&source, &file, &Overrides::new()).ok()??;
    let task = NamedTask::Composition {
        steps: hybrid.steps,
        start: hybrid.start,
        ranges: hybrid.ranges.clone(),
        queries: hybrid.queries.clone(),
    };
    if task.to_json() != setting.task_json {
        return None;
    }
    edges(&hybrid)
}

fn edges(game: &Hybrid) -> Option<Edges> {
    let silent = || Epoch {
        soft: std::collections::BTreeMap::new(),
        carries: Vec::new(),
    };
    let mut epochs = Vec::new();
    // a game without passes before the first soft round has no epoch 0 in its list
    if game.epochs.first().is_none_or(|first| first.soft.is_some()) {
        epochs.push(silent());
    }
    for epoch in &game.epochs {
        epochs.push(one_epoch(epoch, game.steps)?);
    }
    Some(Edges {
        start: game.start,
        ranges: game.ranges.clone(),
        queries: game.queries.clone(),
        epochs,
    })
}

fn one_epoch(epoch: &hybrid::Epoch, steps: u64) -> Option<Epoch> {
    let soft = epoch.soft.iter().flatten();
    let top = i64::try_from(steps).ok()?;
    let carry = |j: i64| {
        epoch
            .passes
            .iter()
            .try_fold(BigUint::one(), |product, passes| {
                let Some(size) = passes.edges.get(&(j, j - 1)).filter(|size| size.is_open()) else {
                    return Some(product);
                };
                let count = passes.count.to_u64()?;
                let bits = size.size().bits().checked_mul(count)?;
                (bits <= MAX_BITS).then(|| product * Pow::pow(size.size(), count))
            })
    };
    Some(Epoch {
        soft: soft
            .filter(|(_, size)| size.is_open())
            .map(|(edge, size)| (*edge, size.size().clone()))
            .collect(),
        carries: (0..=top).map(carry).collect::<Option<_>>()?,
    })
}

fn texts<T: ToString>(list: &[T]) -> Json {
    list.iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .into()
}

fn step_json(step: &Step) -> Json {
    let rows: Vec<Json> = step
        .rows
        .iter()
        .map(|row| json!({"name": row.name, "strings": row.count.to_string()}))
        .collect();
    json!({
        "E": step.place.epoch.to_string(),
        "after": step.after.to_string(),
        "base": step.place.base,
        "before": step.before.to_string(),
        "l": step.place.l.to_string(),
        "rows": rows,
        "strict": step.strict,
        "t": step.t.to_string(),
        "v": step.v.to_string(),
    })
}

/// The body of `{"derive_game": ..}`.
pub fn game_json(point: &Point, ledger: &Ledger) -> Json {
    json!({
        "final": {
            "range": ledger.range.to_string(),
            "strings": ledger.strings.to_string(),
            "t": ledger.t.to_string(),
        },
        "lists": texts(&point.lists),
        "q": ledger.option.number(),
        "steps": ledger.steps.iter().map(step_json).collect::<Vec<_>>(),
        "theta": texts(&ledger.theta()),
        "used": texts(&point.used),
    })
}

/// What a stored ledger states: everything else in it is recomputed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    /// Used queries and sizes of lists.
    pub point: Point,
    /// Coverages.
    pub theta: Vec<u64>,
    /// The rule of the last epoch.
    pub option: LastEpoch,
}

impl StoredGame {
    /// Reads the body of `{"derive_game": ..}`.
    ///
    /// # Errors
    /// `malformed`, `unknown-key`.
    pub fn read(body: &Place<'_>) -> Result<Self, Rejection> {
        body.object(&["final", "lists", "q", "steps", "theta", "used"], &[])?;
        let last = body.get("final")?;
        last.object(&["range", "strings", "t"], &[])?;
        for key in ["range", "strings", "t"] {
            last.get(key)?.count()?;
        }
        body.get("steps")?.list()?.iter().try_for_each(step_shape)?;
        // a number too large for a machine word is out of every range
        let small = |key: &str| -> Result<Vec<u64>, Rejection> {
            let list = body.get(key)?.list()?;
            list.iter()
                .map(|place| Ok(place.count()?.to_u64().unwrap_or(u64::MAX)))
                .collect()
        };
        let q = body.get("q")?;
        let option = q.json.as_i64().and_then(LastEpoch::from_number);
        let option = option.ok_or_else(|| {
            Rejection::new(
                q.at.clone(),
                Code::Malformed,
                q.json.to_string(),
                "-1 or more",
            )
        })?;
        Ok(Self {
            point: Point {
                used: small("used")?,
                lists: small("lists")?,
            },
            theta: small("theta")?,
            option,
        })
    }
}

fn step_shape(step: &Place<'_>) -> Result<(), Rejection> {
    step.object(
        &[
            "E", "after", "base", "before", "l", "rows", "strict", "t", "v",
        ],
        &[],
    )?;
    for key in ["E", "after", "before", "l", "t", "v"] {
        step.get(key)?.count()?;
    }
    step.get("base")?.truth()?;
    step.get("strict")?.truth()?;
    step.get("rows")?.list()?.iter().try_for_each(|row| {
        row.object(&["name", "strings"], &[])?;
        row.get("strings")?.count()?;
        row.get("name")?.text().map(|_| ())
    })
}
