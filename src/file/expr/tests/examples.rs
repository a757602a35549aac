//! The four uses of the language, as the rest of the program writes them.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::super::*;
use super::Sample;

#[test]
fn a_constant_size() -> Result<(), ExprError> {
    let names = BTreeMap::from([("c".to_owned(), Constant::Integer(BigInt::from(3)))]);
    assert_eq!(constant_integer("2^(2*c)", &names)?, BigInt::from(64));
    Ok(())
}

#[test]
fn a_task_value_on_all_inputs() -> Result<(), ExprError> {
    let tree = parse("f[x] mod 2")?;
    let program = compile(&tree, &Sample, Mode::Task, Limits::default())?;
    let program = program.require(Kind::Integer, "`value`")?;
    let mut variables = super::sample_variables();
    let mut answers = Vec::new();
    for digit in 0..3_u64 {
        if let Some(variable) = variables.first_mut() {
            *variable = Value::Integer(Int::from(digit));
        }
        answers.push(program.integer(&variables, Limits::default())?.to_u64());
    }
    assert_eq!(answers, [Some(0), Some(0), Some(1)]);
    Ok(())
}

#[test]
fn a_symbol_of_a_strategy() -> Result<(), ExprError> {
    // A pattern `soft {j}->-1 @{e}` that matched with j = 2, e = 2.
    let variables = BTreeMap::from(
        [("j", 2), ("e", 2)].map(|(name, value)| (name.to_owned(), BigInt::from(value))),
    );
    let names = WithVariables {
        outer: &Sample,
        variables,
    };
    let tree = parse("(get('soft A->B @{e-1}', 0) + x) mod m{j-1}")?;
    let program = compile(&tree, &names, Mode::Strategy, Limits::default())?
        .require(Kind::Integer, "symbol")?;
    assert_eq!(
        program.integer(&super::sample_variables(), Limits::default())?,
        Int::small(0)
    );
    Ok(())
}

#[test]
fn points_of_a_loop() -> Result<(), ExprError> {
    let names: BTreeMap<String, Constant> = BTreeMap::new();
    let found = Loop::parse("j in 0..2, i in -1..<j")?;
    found.check_fresh(&names)?;
    let points = found.points(&names, 1_000)?;
    assert_eq!(points.count_all(), 6);
    let mut slots = Vec::new();
    for point in points {
        let names = WithVariables {
            outer: &names,
            variables: point.into_iter().collect(),
        };
        slots.push(substitute("soft {j}->{i} @1", &names)?);
    }
    assert_eq!(slots.first().map(String::as_str), Some("soft 0->-1 @1"));
    Ok(())
}

/// The sight of `soft 2->-1 @2` in the hybrid game, its pattern variables included; also the
/// registers of a recursion.
#[derive(Debug)]
struct Hybrid;

impl Names for Hybrid {
    fn constant(&self, name: &str) -> Option<Constant> {
        let value = match name {
            "j" | "e" | "m1" | "n" | "B" | "k" | "l" => 2,
            "size" => 3,
            _ => return None,
        };
        Some(Constant::Integer(BigInt::from(value)))
    }

    fn field(&self, player: Option<&str>, name: &str) -> FieldLookup {
        match (player, name) {
            (None, "z2" | "f") => FieldLookup::Found {
                variable: 0,
                shape: Shape::Table(4),
            },
            (None, "w1" | "avoid" | "answer" | "acc" | "find1" | "self")
            | (Some("there"), "acc") => FieldLookup::Found {
                variable: 1,
                shape: Shape::Integer,
            },
            _ => FieldLookup::Unknown,
        }
    }

    fn has(&self, slot: &str) -> Result<Option<usize>, String> {
        Ok((slot == "soft 0->-1 @1").then_some(2))
    }

    fn received(&self, _player: Option<&str>) -> Result<Vec<usize>, String> {
        Ok(vec![1, 2])
    }
}

#[test]
fn the_expressions_of_the_specification() {
    let texts = [
        "any(i in 0..<3: f[i] = 1 and i != avoid)",
        "f[answer] = 1 and answer != avoid",
        "z{j}[0] mod size",
        "z{j}[w{j-1}*m{j-1} + (if j = 2
           then get('lin 0->-1 @1.1', get('soft 0->-1 @{e-1}', 0))
           else get('soft {j-1}->-1 @{e-1}', 0)) mod m{j-1}] mod size",
        "sum(z{j}) mod size",
        "get('lin 0->-1 @1.1', avoid) mod size",
        "(if len(received()) = 0 then sum(a in 0..<len(z{j}): (a+1)*z{j}[a])
          else sum(received()) + sum(z{j})) mod size",
        "if (k div 2^(l-1)) mod 2 = 1 then there.acc else acc",
        "if k mod 2 = 1 then find1 else self",
    ];
    for text in texts {
        let program = compile(
            &parse(text).unwrap(),
            &Hybrid,
            Mode::Strategy,
            Limits::default(),
        )
        .unwrap();
        let table = Value::Table(vec![Int::ONE; 4]);
        let variables = [table, Value::Integer(Int::ONE), Value::Integer(Int::ZERO)];
        assert!(
            program.evaluate(&variables, Limits::default()).is_ok(),
            "{text}"
        );
    }
    let inequalities = [
        "B*log2(n) - B*log2(B) <= log2(sum(j in 1..B: binomial(n, j)))",
        "log2(sum(j in 1..B: binomial(n, j))) < 2*B*log2(n) - 2*B*log2(B)",
    ];
    // `j` is bound there, so it must not be a constant.
    let constant = |value: u32| Constant::Integer(BigInt::from(value));
    let names = BTreeMap::from([("n".to_owned(), constant(9)), ("B".to_owned(), constant(2))]);
    for text in inequalities {
        let holds = compile_holds(&parse(text).unwrap(), &names, Limits::default());
        assert!(matches!(holds, Ok(Holds::Comparison(_))), "{text}");
    }
}
