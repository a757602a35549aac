//! Every message, to the letter.

use super::super::*;
use super::{error, error_in};

fn says(text: &str, column: usize, message: &str) {
    assert_eq!(error(text), (column, message.to_owned()), "{text}");
}

/// The names of `chain.toml`: `f` of A, `g` of B, `x` of C.
#[derive(Debug)]
struct Chain;

impl Names for Chain {
    fn constant(&self, name: &str) -> Option<Constant> {
        (name == "s").then(|| Constant::Integer(3.into()))
    }

    fn field(&self, player: Option<&str>, name: &str) -> FieldLookup {
        match (player, name) {
            (None | Some("A"), "f") => FieldLookup::Found {
                variable: 0,
                shape: Shape::Table(2),
            },
            (None | Some("B"), "g") => FieldLookup::Found {
                variable: 1,
                shape: Shape::Table(2),
            },
            (None | Some("C"), "x") => FieldLookup::Found {
                variable: 2,
                shape: Shape::Integer,
            },
            _ => FieldLookup::Unknown,
        }
    }

    fn known(&self) -> Vec<String> {
        ["s", "f", "g", "x"].map(str::to_owned).to_vec()
    }
}

/// Column in `value   = "..` of `chain.toml`, message, and variables of the first failing input.
fn chain(text: &str) -> (usize, String) {
    let table = |entries: [i64; 2]| Value::Table(entries.map(Int::from).to_vec());
    let run = || -> Result<(), ExprError> {
        let program = compile(&parse(text)?, &Chain, Mode::Task, Limits::default())?;
        let program = program.require(Kind::Integer, "`value`")?;
        for index in 0..32_i64 {
            let digit = |place: i64| (index >> place) & 1;
            let f = table([digit(4), digit(3)]);
            let variables = [
                f,
                table([digit(2), digit(1)]),
                Value::Integer(digit(0).into()),
            ];
            program.integer(&variables, Limits::default())?;
        }
        Ok(())
    };
    let error = run().unwrap_err();
    (error.at.start + 12, error.message)
}

#[test]
fn rows_of_section_6() {
    let row = |text: &str, column: usize, message: &str| {
        assert_eq!(chain(text), (column, message.to_owned()));
    };
    row("f[g[x]", 18, "found end of expression, expected `]`");
    row("f[g[y]]", 16, "unknown name `y`");
    row(
        "f[g[x]] = 1",
        12,
        "found a truth value, expected an integer (`value`)",
    );
    row("f[g[x]] == 1", 20, "found `==`, expected `=` for equality");
    row(
        "sum(i in 0..=1: f[i]) mod 2",
        22,
        "found `..=`, expected `..` (it includes its end) or `..<`",
    );
    row(
        "sum(x in 0..1: f[x])",
        16,
        "`x` already has a meaning here; choose another name",
    );
    row("f[g[x] + 1]", 13, "index 2, expected 0..<2");
    row("f[0] div x", 17, "divisor 0, expected at least 1");
    let constant = constant_integer("t", &Chain).unwrap_err();
    assert_eq!(
        (constant.at.start, constant.message.as_str()),
        (0, "unknown name `t`")
    );
    says("z", 1, "`z` is a field of A and C; write A.z or C.z");
    says(
        "f[hidden]",
        3,
        "`hidden` belongs to A; the sight of `soft B->C @1` is B and C",
    );
    says(
        "f['soft A->C @1']",
        3,
        "`soft A->C @1` is not in the sight of `soft B->C @1`",
    );
}

#[test]
fn syntax() {
    says("", 1, "found end of expression, expected an expression");
    says(
        "1 +  ",
        4,
        "found end of expression, expected an expression",
    );
    says("1 2", 3, "found `2`, expected end of expression");
    says("(1", 3, "found end of expression, expected `)`");
    says("x && x", 3, "found `&&`, expected `and`");
    says("!yes", 1, "found `!`, expected `not`");
    says("x % 2", 3, "found `%`, expected `mod`");
    says("1 < x < 3", 7, "found `<`; join two comparisons by `and`");
    says("1.5", 1, "found a float, expected an integer");
    says(
        "1.z",
        1,
        "players with integer labels cannot be qualified; give their fields distinct names",
    );
    says("let sum = 1 in 2", 5, "found `sum`, expected a new name");
    says(
        "if x = 1 then 2",
        16,
        "found end of expression, expected `else`",
    );
    says("sum + 1", 5, "found `+`, expected `(`");
    says(
        "any(f)",
        5,
        "found `f`, expected a variable with its range, as in `i in 0..1`",
    );
    says("len(i in 0..1: i)", 1, "`len` cannot run over a range");
    says("sum(i in 3: i)", 11, "found `:`, expected `..` or `..<`");
    says("bit(3)", 1, "unknown function `bit`; did you mean `bits`?");
    says(
        "x $ 2",
        3,
        "found `$`, which has no meaning in an expression",
    );
    says("'soft A", 1, "found no closing `'` of this slot");
    says("z{1", 2, "found no closing `}` of this brace");
    says("z{{1}}", 2, "braces do not nest");
    says("z{1}}", 5, "found `}` without an opening `{`");
    says("z{}", 3, "found end of expression, expected an expression");
    says(
        "'soft {1+}->0'",
        10,
        "found end of expression, expected an expression",
    );
}

#[test]
fn types_and_names() {
    says(
        "x + yes",
        5,
        "found a truth value, expected an integer (`+`)",
    );
    says(
        "f + 1",
        1,
        "found a table of length 3, expected an integer (`+`)",
    );
    says("x[0]", 1, "found an integer, expected a table (indexed)");
    says(
        "f[0][1]",
        1,
        "found an integer, expected a table (indexed): entries of tables are integers",
    );
    says(
        "if x then 1 else 2",
        4,
        "found an integer, expected a truth value (`if`)",
    );
    says(
        "if x = 1 then 1 else yes",
        22,
        "found a truth value, expected an integer (`else`)",
    );
    says(
        "if x = 1 then f else [1]",
        22,
        "found a table of length 1, expected a table of length 3 (`else`)",
    );
    says(
        "count(i in 0..1: f[i])",
        18,
        "found an integer, expected a truth value (`count`)",
    );
    says(
        "if f < f then 1 else 2",
        4,
        "found a table of length 3, expected an integer (`<`)",
    );
    says(
        "if yes = 1 then 1 else 2",
        10,
        "found an integer, expected a truth value (`=`)",
    );
    says("binomial(3)", 1, "`binomial` takes 2 arguments, found 1");
    says("sum(1, 2)", 1, "`sum` takes 1 argument, found 2");
    says("min(x)", 5, "found an integer, expected a table (`min`)");
    says(
        "hiden + 1",
        1,
        "unknown name `hiden`; did you mean `hidden`?",
    );
    says("A.q", 1, "unknown name `A.q`");
    says("D.x", 1, "unknown player `D`; players are A, C");
    says(
        "table(i in 0..x: i)[0]",
        12,
        "the range of `table` must be constant",
    );
    says(
        "table(i in 0..2 if i = 1: i)[0]",
        20,
        "`table` takes no `if`: its length must be known",
    );
    says(
        "let i = x in sum(i in 0..1: i)",
        18,
        "`i` already has a meaning here; choose another name",
    );
    says(
        "let c = 1 in 2",
        5,
        "`c` already has a meaning here; choose another name",
    );
    says(
        "sum(i in 0..1: m{i})",
        18,
        "`i` is bound in this expression; braces take constants, loop and pattern variables",
    );
    says(
        "m{x}",
        3,
        "`x` is an input; braces take constants, loop and pattern variables",
    );
    says(
        "x / 2",
        3,
        "found `/`, expected `div`; exact division is for inequality claims",
    );
    says(
        "log2(x)",
        1,
        "found `log2`, expected `bits`; `log2` is for inequality claims",
    );
    says("get('soft A->B @1', 0)", 1, "`get` is only for strategies");
    says("m{0-1}", 1, "`m-1` is not a name");
    let strategy = error_in("received(B)", Mode::Strategy);
    assert_eq!(
        strategy,
        (10, "unknown player `B`; players are A, -1".to_owned())
    );
}

#[test]
fn values() {
    says("2^(0-x)", 2, "exponent -1, expected at least 0");
    says("bits(x - 1)", 1, "`bits` of 0, expected at least 1");
    says(
        "factorial(0-x)",
        1,
        "`factorial` of -1, expected at least 0",
    );
    says(
        "binomial(0-x, 1)",
        1,
        "`binomial` of -1, expected at least 0",
    );
    says("min(i in 1..0: i)", 1, "`min` of nothing");
    says("max(i in 0..2 if f[i] = 7: i)", 1, "`max` of nothing");
    says(
        "2^(2^24) + x",
        2,
        "needs about 16777217 bits, more than the limit of 16777216",
    );
    says(
        "2^(2^(2^(2^(2^2))))",
        2,
        "needs about 16777217 bits, more than the limit of 16777216"
            .replace("16777217", &nested())
            .as_str(),
    );
    says(
        "sum(i in 1..2000000: i)",
        1,
        "more than 1000000 steps for one evaluation (`--max-steps`)",
    );
    says(
        "sum(i in 1..10^30: x)",
        1,
        "more than 1000000 steps for one evaluation (`--max-steps`)",
    );
    says(
        "f[10^30]",
        2,
        "index 1000000000000000000000000000000, expected 0..<3",
    );
    says("f[2^3000]", 2, "index of 3001 bits, expected 0..<3");
}

/// 2^65536 + 1, the number of bits of 2^(2^65536).
fn nested() -> String {
    (num_bigint::BigInt::from(1) << 65_536_u32)
        .checked_add(&1.into())
        .unwrap()
        .to_string()
}

#[test]
fn depth_is_limited() {
    let message = "nested more than 64 levels deep".to_owned();
    for text in [
        "(",
        "-",
        "not ",
        "1^",
        "f[",
        "bits(",
        "[",
        "if ",
        "let a = ",
        "sum(i in ",
    ]
    .map(|text| text.repeat(100_000))
    {
        assert_eq!(error(&text).1, message, "{}", &text[..8]);
    }
    let most = format!("{}1{}", "(".repeat(63), ")".repeat(63));
    assert_eq!(super::integer(&most), 1);
    assert_eq!(super::integer(&format!("{}x", "-".repeat(62))), 1);
}

#[test]
fn chains_are_not_nested() {
    let long = 100_000;
    assert_eq!(
        super::integer(&format!("x{}", " + x".repeat(long))),
        100_001
    );
    assert_eq!(super::integer(&format!("x{}", " * x".repeat(long))), 1);
    assert!(super::truth(&format!("yes{}", " and x = 1".repeat(long))));
    assert!(!super::truth(&format!("x = 0{}", " or x = 0".repeat(long))));
    assert_eq!(
        super::integer(&format!("len([x{}])", ", x".repeat(long))),
        100_001
    );
    let binds: Vec<String> = (0..2000).map(|index| format!("v{index} in 0..0")).collect();
    assert_eq!(super::integer(&format!("sum({}: x)", binds.join(", "))), 1);
    assert!(
        error(&format!("x{}", "[0]".repeat(long)))
            .1
            .starts_with("found an integer, expected a table")
    );
}

#[test]
fn the_deepest_expressions_fit_the_stack() {
    // Each wraps the text before it; most levels count twice.
    let shapes: [(&str, &str, usize); 8] = [
        ("(1 + 2 * [", "][0] ^ 1 - 1)", 31),
        ("if x = 7 then 1 else ", "", 62),
        ("sum(v# in 0..0 if yes: ", ")", 62),
        ("let v# = x in ", "", 62),
        ("max(", ", 1)", 62),
        (
            "(if false or not (1 = 0 or true and 1 = 1 + 2 * -f[0] ^ ",
            ") then x else x)",
            10,
        ),
        ("f[x - ", "]", 62),
        ("sum(w# in 0..", ": x)", 31),
    ];
    for (before, after, levels) in shapes {
        let open: String = (0..levels)
            .map(|level| before.replace('#', &level.to_string()))
            .collect();
        let text = format!("{open}x{}", after.repeat(levels));
        let tree = parse(&text).unwrap();
        let program = compile(&tree, &super::Sample, Mode::Inequality, Limits::default());
        let program = program.unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let _ = (
            program.cost(),
            program.evaluate(&super::sample_variables(), Limits::default()),
        );
        let inequality = parse(&format!("{text} < N1"));
        let _ = inequality.map(|tree| compile_holds(&tree, &super::Sample, Limits::default()));
    }
}
