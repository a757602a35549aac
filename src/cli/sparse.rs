//! `sparse`: is this block summary large enough?

use crate::bounds::need::{Sparse, largest_sparse_length};
use crate::cli::args::SparseArgs;
use crate::cli::need::power;
use crate::cli::{Context, Failure, Output, state, write_svg};
use crate::exact::{Number, Relation, count, relation};
use crate::models::config::json::Value;
use crate::models::config::{Reader, Refusal};
use crate::report::picture::grid;
use crate::report::svg::Picture;
use crate::report::table::Table;
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use serde_json::{Value as Json, json};

/// What makes an exclusion void; part of every answer.
const VOID: &str = "void if: the current block or a window is read in full (add its bits, or take the query outside), compressed values or \
overlapping blocks are kept (add their bits), there are several layers, or some layers are full: never a claim on a whole model";

/// What an exclusion is about.
const SCOPE: &str = "single layer, a summary of its own block only, selection and output by summaries and the blocks read";

/// Steps of the displayed enclosures of ratios.
const STEPS: u32 = 1000;

/// One length and one block size.
struct Cell {
    n: BigUint,
    block: BigUint,
    game: Sparse,
    /// Summaries needed; 1 if every block is read.
    states: BigUint,
    bits: u64,
    /// Bits of one summary, if given.
    given: Option<BigUint>,
}

impl Cell {
    fn verdict(&self) -> Option<&'static str> {
        let given = self.given.as_ref()?;
        Some(if self.game.read >= self.game.blocks {
            "not-applicable"
        } else if BigUint::from(self.bits) > *given {
            "excluded"
        } else {
            "not-excluded"
        })
    }
}

/// Block size, blocks read, and bits of a summary: options, or a file.
struct Setting {
    blocks: Vec<BigUint>,
    read: BigUint,
    bits: Option<BigUint>,
    summary: Option<String>,
}

pub(super) fn run(args: &SparseArgs, context: &Context) -> Result<Output, Failure> {
    let setting = setting(args)?;
    if args.n.is_empty() {
        return lengths(args, &setting);
    }
    let cell = |n: &BigUint, block: &BigUint| cell(args, &setting, n, block);
    if let ([n], [block]) = (args.n.as_slice(), setting.blocks.as_slice()) {
        if args.svg.is_some() {
            return Err(Failure::Usage(
                "--svg: a picture needs several lengths or block sizes".to_owned(),
            ));
        }
        return one(args, context, &setting, &cell(n, block)?);
    }
    let mut cells = Vec::new();
    for n in &args.n {
        for block in &setting.blocks {
            cells.push(if block > n {
                Err((n.clone(), block.clone()))
            } else {
                Ok(cell(n, block)?)
            });
        }
    }
    write_svg(args.svg.as_deref(), || {
        map(&args.n, &setting.blocks, &cells)
    })?;
    Ok(region(&args.n, &setting.blocks, &cells))
}

fn setting(args: &SparseArgs) -> Result<Setting, Failure> {
    let mut found = base(args)?;
    if let Some(heads) = &args.heads {
        if heads.is_zero() {
            return Err(Failure::Usage("heads: 0 is below 1".to_owned()));
        }
        found.read *= heads;
    }
    Ok(found)
}

/// Block size and blocks read of one head.
fn base(args: &SparseArgs) -> Result<Setting, Failure> {
    let Some(name) = &args.config else {
        let missing = |field: &str| {
            Failure::Usage(format!(
                "{field}: missing, expected --{field} or --config FILE"
            ))
        };
        if args.block.is_empty() {
            return Err(missing("block"));
        }
        let read = args.read.clone().ok_or_else(|| missing("read"))?;
        return Ok(Setting {
            blocks: args.block.clone(),
            read,
            bits: args.bits.clone(),
            summary: None,
        });
    };
    let found = config(name)?;
    if !args.block.is_empty() && args.block != found.blocks {
        return Err(Failure::Usage(format!(
            "block: given, but {name} has {}",
            found.blocks[0]
        )));
    }
    if args.read.as_ref().is_some_and(|read| *read != found.read) {
        return Err(Failure::Usage(format!(
            "read: given, but {name} has {}",
            found.read
        )));
    }
    Ok(found)
}

/// A published setting; every field is required.
fn config(name: &str) -> Result<Setting, Failure> {
    const KEYS: [&str; 6] = ["summary", "block", "read", "kv_heads", "head_dim", "bits"];
    let (source, node) = state::open(name)?;
    let Value::Object(members) = &node.value else {
        return Err(source
            .error_at(
                node.at,
                format!(
                    "found {}, expected an object with {}",
                    node.shown(),
                    KEYS.join(", ")
                ),
            )
            .into());
    };
    let odd = members
        .iter()
        .find(|(key, _)| !KEYS.contains(&key.as_str()) && key != "source" && key != "note");
    if let Some((key, node)) = odd {
        let message = crate::file::reader::unknown("key", key, &KEYS);
        return Err(source.error_at(node.at, message).into());
    }
    let reader = Reader::new(&node, &[], false, None);
    let refused = |refusal: Refusal| Failure::from(state::refused(&source, &refusal));
    let number = |key: &str| reader.size(key).map_err(refused);
    let summary = reader.need(&["summary"]).map_err(refused)?;
    let word = summary.text().map_err(refused)?.to_owned();
    let vectors = match word.as_str() {
        "mean-key" => 1_u32,
        "mean-key-value" | "min-max-key" => 2,
        other => {
            let message =
                format!("found `{other}`, expected mean-key, mean-key-value or min-max-key");
            return Err(refused(summary.refuse(message)));
        }
    };
    let bits = number("kv_heads")? * number("head_dim")? * number("bits")? * vectors;
    Ok(Setting {
        blocks: vec![number("block")?],
        read: number("read")?,
        bits: Some(bits),
        summary: Some(word),
    })
}

/// The lengths that a setting excludes, without a length to look at.
fn lengths(args: &SparseArgs, setting: &Setting) -> Result<Output, Failure> {
    if args.domain.is_some() || args.position_dependent || args.no_repeats || args.map.is_some() {
        return Err(Failure::Usage(
            "n: missing; --config alone is about one shared map and as many values as tokens"
                .to_owned(),
        ));
    }
    let ([block], Some(given)) = (setting.blocks.as_slice(), &setting.bits) else {
        return Err(Failure::Usage("n: missing".to_owned()));
    };
    let mut lines = vec![format!(
        "blocks of {block}, {} read, {given} bits a summary; 2-Sum with as many values as tokens",
        setting.read
    )];
    let mut json = json!({
        "block": block.to_string(),
        "read": setting.read.to_string(),
        "summary_bits": given.to_string(),
        "summary": setting.summary,
        "scope": SCOPE,
        "void_if": VOID,
    });
    thresholds(block, &setting.read, given, &mut json, &mut lines)?;
    lines.push(format!("  scope: {SCOPE}"));
    lines.push(format!("  {VOID}"));
    Ok(Output::new(lines.join("\n"), json))
}

fn cell(
    args: &SparseArgs,
    setting: &Setting,
    n: &BigUint,
    block: &BigUint,
) -> Result<Cell, Failure> {
    if n.is_zero() {
        return Err(Failure::Usage("n: 0 is below 1".to_owned()));
    }
    if block.is_zero() {
        return Err(Failure::Usage("block: 0 is below 1".to_owned()));
    }
    let blocks = n / block;
    if blocks.is_zero() {
        return Err(Failure::Usage(format!(
            "block: {block} is above n = {n}: there is no full block"
        )));
    }
    if args.position_dependent && blocks.clone() * block != *n {
        return Err(Failure::Usage(format!(
            "block: {block} does not divide n = {n}, as --position-dependent needs"
        )));
    }
    let game = Sparse {
        block: block.clone(),
        domain: args.domain.clone().unwrap_or_else(|| n.clone()),
        blocks,
        read: setting.read.clone(),
    };
    let states = if args.position_dependent {
        game.position_dependent()?
    } else if args.no_repeats {
        game.no_repeats()?
    } else {
        game.shared_map()?
    };
    let bits = count::bits(&states);
    Ok(Cell {
        n: n.clone(),
        block: block.clone(),
        game,
        states,
        bits,
        given: setting.bits.clone(),
    })
}

fn one(
    args: &SparseArgs,
    context: &Context,
    setting: &Setting,
    cell: &Cell,
) -> Result<Output, Failure> {
    let Cell {
        n,
        block,
        game,
        states,
        bits,
        ..
    } = cell;
    let kind = if args.position_dependent {
        "maps that may depend on the position [derived]"
    } else if args.no_repeats {
        "one shared map, no value twice in a block [derived]"
    } else {
        "one shared map [paper, made exact]"
    };
    let shown = if states.bits() <= 256 {
        states.to_string()
    } else {
        Number::from(states.clone()).approx()
    };
    let mut lines = vec![format!(
        "{} blocks of {block} from {} values, {} read: {shown} summaries needed, {bits} bits; {kind}",
        game.blocks, game.domain, game.read
    )];
    let mut json = json!({
        "n": n.to_string(),
        "block": block.to_string(),
        "blocks": game.blocks.to_string(),
        "read": game.read.to_string(),
        "domain": game.domain.to_string(),
        "needed_states": states.to_string(),
        "needed_bits": bits,
        "verdict": cell.verdict(),
        "pair": null,
        "map": if args.position_dependent { "position-dependent" } else { "shared" },
        "scope": SCOPE,
        "void_if": VOID,
    });
    ratios(args, cell, &mut json, &mut lines)?;
    if let (Some(verdict), Some(given)) = (cell.verdict(), &setting.bits) {
        lines.push(match verdict {
            "excluded" => format!("excluded: single layer, summary of its own block only, selection by summaries only ({bits} bits needed, {given} given)"),
            "not-excluded" => format!("not excluded by counting ({bits} bits needed, {given} given)"),
            _ => format!(
                "not applicable: every full block is read (n < B*(k+1) = {}; n <= B*k is full attention)",
                block * (&game.read + 1_u32)
            ),
        });
        lines.push(format!("  {VOID}"));
        json["summary_bits"] = given.to_string().into();
        json["summary"] = setting.summary.clone().into();
        if !args.position_dependent && !args.no_repeats && args.domain.is_none() {
            thresholds(block, &game.read, given, &mut json, &mut lines)?;
        }
    }
    if let Some(map) = &args.map {
        fooled(cell, map, &mut json, &mut lines)?;
    }
    #[cfg(feature = "search")]
    if args.exhaustive {
        exhaust(args, context, cell, &mut json, &mut lines)?;
    }
    #[cfg(not(feature = "search"))]
    let _ = context;
    Ok(Output::new(lines.join("\n"), json))
}

/// From which length on so many bits are excluded, with as many values as tokens.
fn thresholds(
    block: &BigUint,
    read: &BigUint,
    given: &BigUint,
    json: &mut Json,
    lines: &mut Vec<String>,
) -> Result<(), Failure> {
    let (Some(small_block), Some(small_bits)) = (block.to_u64(), given.to_u64()) else {
        return Ok(());
    };
    let largest = largest_sparse_length(small_block, small_bits)?;
    let from = block * (read + 1_u32);
    lines.push(match &largest {
        Some(n) => format!(
            "  counting excludes n above {n}; more blocks than are read from n = {from}; excluded from n = {}",
            (n + 1_u32).max(from.clone())
        ),
        None => "  counting: never below 2^64".to_owned(),
    });
    json["largest_n_counting"] = largest
        .as_ref()
        .map_or_else(|| ">=2^64".into(), |n| n.to_string().into());
    json["applies_from"] = from.to_string().into();
    json["excluded_from"] = largest.map(|n| (n + 1_u32).max(from).to_string()).into();
    Ok(())
}

/// `bits / (B log2 x)` for x = n and x = n/B: exact where log2 x is rational, enclosed in thousandths otherwise.
fn ratios(
    args: &SparseArgs,
    cell: &Cell,
    json: &mut Json,
    lines: &mut Vec<String>,
) -> Result<(), Failure> {
    let of = |name: &str, denominator: &BigUint| -> Result<(Json, Option<String>), Failure> {
        if cell.n <= *denominator {
            return Ok((Json::Null, None));
        }
        let (exact, low) = ratio(cell.bits, &cell.block, &cell.n, denominator)?;
        let text = match &exact {
            Some(exact) => format!("{exact} of {name}"),
            None => format!(
                "between {low}/{STEPS} and {}/{STEPS} of {name}",
                &low + 1_u32
            ),
        };
        let json = json!({
            "exact": exact.as_ref().map(ToString::to_string),
            "at_least": format!("{low}/{STEPS}"),
            "below": format!("{}/{STEPS}", &low + 1_u32),
        });
        Ok((json, Some(text)))
    };
    let one = BigUint::one();
    let (over_n, first) = of("B log2 n", &one)?;
    let (over_q, second) = of("B log2(n/B)", &cell.block)?;
    json["ratios"] = json!({"b_log_n": over_n, "b_log_n_over_b": over_q});
    let texts: Vec<String> = [first, second].into_iter().flatten().collect();
    if !texts.is_empty() {
        lines.push(format!("  the bits are {}", texts.join(", ")));
    }
    let shared = !args.position_dependent && !args.no_repeats && args.domain.is_none();
    if shared && cell.game.read < cell.game.blocks && &cell.block * 2_u32 <= cell.n {
        let [(a, b), (c, d)] = crate::bounds::need::scale(&cell.block, &cell.n)?;
        let compared = |left: &Number, right: &Number| {
            relation(left, right).map_err(|error| Failure::TooLarge(error.to_string()))
        };
        let lower = compared(&a, &b)? != Relation::Greater;
        let upper = compared(&c, &d)? == Relation::Less;
        lines.push(format!("  B log2(n/B) <= log2 S: {lower}; log2 S < 2 B log2(n/B): {upper} (compared as integers)"));
        json["scale"] = json!({"at_least_b_log_n_over_b": lower, "below_twice": upper});
    }
    Ok(())
}

/// `bits / (B log2(n/denominator))` for n > denominator: the exact value if the quotient is a power of two, and the largest r with
/// `r/1000` at most the ratio.
fn ratio(
    bits: u64,
    block: &BigUint,
    n: &BigUint,
    denominator: &BigUint,
) -> Result<(Option<BigRational>, BigUint), Failure> {
    let quotient = BigRational::new(n.clone().into(), denominator.clone().into());
    let whole = quotient.numer().magnitude();
    let exact = (quotient.is_integer() && whole.count_ones() == 1)
        .then(|| BigRational::new(bits.into(), (block * (whole.bits() - 1)).into()));
    // r/1000 <= ratio iff (n/denominator)^(B r) <= 2^(1000 bits).
    let right = Number::from(power(&2_u32.into(), bits).powi(STEPS));
    let within = |r: &BigUint| {
        let exponent = block * r;
        let left = Number::from(power(n, exponent.clone()).div(&power(denominator, exponent)));
        relation(&left, &right)
            .map(|found| found != Relation::Greater)
            .map_err(|error| Failure::TooLarge(error.to_string()))
    };
    let mut step = BigUint::one();
    while within(&step)? {
        step <<= 1;
    }
    let mut low = BigUint::zero();
    while !step.is_zero() {
        if within(&(&low + &step))? {
            low += &step;
        }
        step >>= 1;
    }
    Ok((exact, low))
}

/// A table over lengths and block sizes.
fn region(
    lengths: &[BigUint],
    blocks: &[BigUint],
    cells: &[Result<Cell, (BigUint, BigUint)>],
) -> Output {
    let entry = |cell: &Result<Cell, (BigUint, BigUint)>| match cell {
        Err(_) => "-".to_owned(),
        Ok(cell) => match cell.verdict() {
            None => cell.bits.to_string(),
            Some("excluded") => format!("{} excluded", cell.bits),
            Some("not-applicable") => "all read".to_owned(),
            Some(_) => format!("{} fits", cell.bits),
        },
    };
    let head: Vec<String> = blocks.iter().map(|block| format!("B = {block}")).collect();
    let rows: Vec<(String, Vec<String>)> = lengths
        .iter()
        .zip(cells.chunks(blocks.len()))
        .map(|(n, row)| (n.to_string(), row.iter().map(entry).collect()))
        .collect();
    let width = rows
        .iter()
        .flat_map(|(_, row)| row)
        .chain(&head)
        .map(String::len)
        .max()
        .unwrap_or(0);
    let first = rows.iter().map(|(n, _)| n.len()).max().unwrap_or(0).max(1);
    let padded = |list: &[String]| {
        list.iter()
            .map(|cell| format!("{cell:>width$}"))
            .collect::<Vec<_>>()
            .join("  ")
    };
    let mut lines = vec![format!("{:>first$}  {}", "n", padded(&head))];
    lines.extend(
        rows.iter()
            .map(|(n, row)| format!("{n:>first$}  {}", padded(row))),
    );
    lines.push("needed bits of one summary; scope: each pair (n, B), single layer, selection by summaries only".to_owned());
    let names: Vec<&str> = std::iter::once("n")
        .chain(head.iter().map(String::as_str))
        .collect();
    let mut table = Table::new("Bits that a summary of one block needs", &names);
    for (n, row) in &rows {
        table.row(std::iter::once(n.clone()).chain(row.iter().cloned()));
    }
    let grid: Vec<Json> = cells
        .iter()
        .map(|cell| match cell {
            Err((n, block)) => {
                json!({"n": n.to_string(), "block": block.to_string(), "needed_states": null, "needed_bits": null, "verdict": null})
            }
            Ok(cell) => json!({
                "n": cell.n.to_string(),
                "block": cell.block.to_string(),
                "needed_states": if cell.states.bits() <= 4096 { Json::from(cell.states.to_string()) } else { Json::Null },
                "needed_bits": cell.bits,
                "verdict": cell.verdict(),
            }),
        })
        .collect();
    Output::new(lines.join("\n"), json!({"grid": grid, "void_if": VOID})).table(table)
}

/// What the count supports at a pair (n, B): B log2 n, half of it, or less.
fn support(cell: &Cell) -> Result<&'static str, Failure> {
    let reaches = |share: u32| {
        // share * bits >= B log2 n iff n^B <= 2^(share bits).
        let left = Number::from(power(&cell.n, cell.block.clone()));
        let right = Number::from(power(&2_u32.into(), cell.bits).powi(share));
        relation(&left, &right)
            .map(|found| found != Relation::Greater)
            .map_err(|error| Failure::TooLarge(error.to_string()))
    };
    Ok(if reaches(1)? {
        "k2"
    } else if reaches(2)? {
        "k4"
    } else {
        "k6"
    })
}

/// The map of a region: needed bits, coloured by the verdict, or by what the count supports.
fn map(
    lengths: &[BigUint],
    blocks: &[BigUint],
    cells: &[Result<Cell, (BigUint, BigUint)>],
) -> Result<Picture, Failure> {
    let given = cells.iter().flatten().any(|cell| cell.given.is_some());
    let draw = |cell: &Result<Cell, (BigUint, BigUint)>| {
        let (letter, colour) = match cell {
            Err(_) => ("-".to_owned(), "k7"),
            Ok(cell) => {
                let colour = match cell.verdict() {
                    Some("excluded") => "k6",
                    Some("not-applicable") => "k7",
                    Some(_) => "k2",
                    None => support(cell)?,
                };
                (cell.bits.to_string(), colour)
            }
        };
        Ok(grid::Cell {
            letter,
            colour,
            corner: false,
        })
    };
    let column = |n: usize| {
        let row = cells[n * blocks.len()..(n + 1) * blocks.len()].iter();
        row.map(draw).collect::<Result<Vec<_>, Failure>>()
    };
    let names = |list: &[BigUint]| list.iter().map(ToString::to_string).collect();
    let title = if given {
        "Bits a summary needs: red excluded, green fits, grey every block is read"
    } else {
        "Bits a summary needs: green at least B log2 n, yellow at least half of it, red less"
    };
    Ok(grid::picture(
        title,
        &grid::Grid {
            x_name: "n",
            y_name: "B",
            x_labels: names(lengths),
            y_labels: names(blocks),
            columns: (0..lengths.len()).map(column).collect::<Result<_, _>>()?,
        },
    ))
}

/// The first pair of blocks that a given map confuses, as two inputs.
fn fooled(
    cell: &Cell,
    map: &[u64],
    json: &mut Json,
    lines: &mut Vec<String>,
) -> Result<(), Failure> {
    let small = |field: &str, number: &BigUint| {
        number
            .to_u64()
            .filter(|x| *x <= 1 << 16)
            .ok_or_else(|| Failure::TooLarge(format!("{field}: {number} is too large for a map")))
    };
    let (values, block) = (
        small("domain", &cell.game.domain)?,
        small("block", &cell.block)?,
    );
    let (blocks, read) = (
        small("blocks", &cell.game.blocks)?,
        small("read", &cell.game.read)?,
    );
    let found = crate::bounds::need::fooled(values, block, map)?;
    let Some(found) = found.filter(|_| read < blocks) else {
        lines.push("this map is not fooled: blocks with one summary have the same values, or every block is read".to_owned());
        return Ok(());
    };
    // Every block lacks the value; then the last one, which is not read when the first k are, has it.
    let left: Vec<&[u64]> = (0..blocks).map(|_| found.without.as_slice()).collect();
    let mut right = left.clone();
    if let Some(last) = right.last_mut() {
        *last = &found.with;
    }
    let query = (values - found.value % values) % values;
    lines.push(format!(
        "fooled: blocks {:?} and {:?} share summary {}; value {} (2-Sum query token {query}): {left:?} lacks it, {right:?} has it, and \
         the block that differs is not among the first {read}; for another selection put it elsewhere",
        found.without, found.with, found.summary, found.value
    ));
    json["pair"] = json!({
        "summary": found.summary.to_string(),
        "value": found.value,
        "query_token": query,
        "left": {"blocks": left, "answer": false},
        "right": {"blocks": right, "answer": true},
        "read": (0..read).collect::<Vec<_>>(),
    });
    Ok(())
}

#[cfg(feature = "search")]
impl From<crate::search::sparse_maps::Refused> for Failure {
    fn from(error: crate::search::sparse_maps::Refused) -> Self {
        use crate::search::sparse_maps::Refused;
        match error {
            Refused::Field { .. } => Self::Usage(error.to_string()),
            Refused::TooMany { .. } => Self::TooLarge(error.to_string()),
        }
    }
}

/// All maps, one after the other.
#[cfg(feature = "search")]
fn exhaust(
    args: &SparseArgs,
    context: &Context,
    cell: &Cell,
    json: &mut Json,
    lines: &mut Vec<String>,
) -> Result<(), Failure> {
    use crate::cli::args::SpaceKind;
    use crate::search::sparse_maps::{Space, SparseMaps};
    let small = |field: &str, number: &BigUint| {
        number.to_u32().ok_or_else(|| {
            Failure::TooLarge(format!("{field}: {number} is too large to try all maps"))
        })
    };
    let game = SparseMaps {
        values: small("domain", &cell.game.domain)?,
        block: small("block", &cell.block)?,
        blocks: small("blocks", &cell.game.blocks)?,
        read: small("read", &cell.game.read)?,
        space: match args.space {
            SpaceKind::Tuples => Space::Tuples,
            SpaceKind::Multisets => Space::Multisets,
            SpaceKind::Sets => Space::Sets,
        },
    };
    let limit = context.max_inputs();
    let found = if args.position_dependent {
        game.per_position(&limit)?
    } else {
        game.shared(args.prune, &limit)?
    };
    let solving: serde_json::Map<String, Json> = found
        .solving
        .iter()
        .map(|(summaries, maps)| (summaries.to_string(), maps.to_string().into()))
        .collect();
    let list: Vec<String> = found
        .solving
        .iter()
        .map(|(summaries, maps)| format!("{summaries}: {maps}"))
        .collect();
    lines.push(format!(
        "all {} maps on {} blocks tried ({} looked at): at least {} summaries; solving maps by summaries: {}",
        found.maps,
        found.space,
        found.visited,
        found.minimum().map_or_else(|| "-".to_owned(), |least| least.to_string()),
        list.join(", ")
    ));
    json["exhaustive"] = json!({
        "maps": found.maps.to_string(),
        "blocks": found.space.to_string(),
        "visited": found.visited.to_string(),
        "minimum": found.minimum().map(|least| least.to_string()),
        "solving": solving,
    });
    if !args.no_repeats && found.minimum().map(BigUint::from).as_ref() != Some(&cell.states) {
        return Err(Failure::Contradiction(format!(
            "closed form {}, all maps {:?}",
            cell.states,
            found.minimum()
        )));
    }
    Ok(())
}
