//! Inequalities over an arithmetic that records what it is asked.

use num_bigint::BigInt;

use super::super::*;
use super::Sample;

/// Numbers as the text of the operations that made them.
#[derive(Debug)]
struct Recorder;

type Recorded = Result<String, String>;

impl Arithmetic for Recorder {
    type Number = String;

    fn literal(&mut self, value: BigInt) -> Recorded {
        if value.bits() > 64 {
            Ok(format!("<{} bits>", value.bits()))
        } else {
            Ok(value.to_string())
        }
    }

    fn quantity(&mut self, index: usize) -> Recorded {
        Ok(format!("q{index}"))
    }

    fn add(&mut self, left: String, right: String) -> Recorded {
        Ok(format!("({left} + {right})"))
    }

    fn subtract(&mut self, left: String, right: String) -> Recorded {
        Ok(format!("({left} - {right})"))
    }

    fn multiply(&mut self, left: String, right: String) -> Recorded {
        Ok(format!("({left} * {right})"))
    }

    fn divide(&mut self, left: String, right: String) -> Recorded {
        if right == "0" {
            Err("divisor 0".to_owned())
        } else {
            Ok(format!("({left} / {right})"))
        }
    }

    fn power(&mut self, base: String, exponent: String) -> Recorded {
        Ok(format!("({base} ^ {exponent})"))
    }

    fn negate(&mut self, number: String) -> Recorded {
        Ok(format!("-{number}"))
    }

    fn log2(&mut self, number: String) -> Recorded {
        Ok(format!("log2 {number}"))
    }

    fn function(&mut self, function: NumberFunction, arguments: Vec<String>) -> Recorded {
        Ok(format!("{function:?}({})", arguments.join(", ")))
    }

    fn integer(&mut self, number: &String) -> Result<BigInt, String> {
        if number == "q0" {
            return Ok(BigInt::from(12));
        }
        number
            .parse()
            .map_err(|_| format!("`{number}` is no integer"))
    }
}

fn sides(text: &str) -> Result<String, ExprError> {
    match compile_holds(&parse(text)?, &Sample, Limits::default())? {
        Holds::Comparison(comparison) => {
            let (left, relation, right) = evaluate_comparison(&comparison, &mut Recorder)?;
            Ok(format!("{left} {relation} {right}"))
        }
        Holds::Truth(program) => program
            .truth(&[], Limits::default())
            .map(|value| value.to_string()),
    }
}

fn says(text: &str, wanted: &str) {
    assert_eq!(sides(text).as_deref(), Ok(wanted), "{text}");
}

#[test]
fn large_products_are_not_expanded() {
    says("2^(2*10^6) < N1", "(2 ^ 2000000) < q0");
    says("2^(2^100) < 3", "(2 ^ (2 ^ 100)) < 3");
    says(
        "2^40 * 2^40 < N1^2",
        "(1099511627776 * 1099511627776) < (q0 ^ 2)",
    );
    says("c * 2^10 < 5", "3072 < 5");
    says("2^100 + 1 < 5", "<101 bits> < 5");
    says("-2^100 < 5", "-(2 ^ 100) < 5");
    // The operand of `div` is written out first, which this arithmetic cannot.
    assert_eq!(
        sides("2^100 * 3 div 2 < 5").unwrap_err().at,
        Span::new(10, 13)
    );
}

#[test]
fn logarithms_and_quotients() {
    says(
        "c*log2(5) - log2(c) <= log2(sum(j in 1..2: binomial(5, j)))",
        "((3 * log2 5) - log2 3) <= log2 15",
    );
    says("1/2 + N1 < 3", "((1 / 2) + q0) < 3");
    says(
        "sum(i in 1..3: 1/i) < 2",
        "(((1 / 1) + (1 / 2)) + (1 / 3)) < 2",
    );
    says(
        "max(N1, 2) < min(m) + abs(N1 - 3)",
        "Max(q0, 2) < (2 + Abs((q0 - 3)))",
    );
    says("bits(N1) + N1 mod 5 < N1 div 5", "(4 + 2) < 2");
    says("sum(i in 1..N1 div 6: i) < 2", "(1 + 2) < 2");
    says("(if N1 = 12 then N1 else 2) < 2", "q0 < 2");
    says("(if c = 3 then N1 else nowhere) < 2", "q0 < 2");
    says("(let a = N1 in a * a) < 2", "(q0 * q0) < 2");
    says(
        "(let a = 2^100 in a * bits(a)) < 2",
        "((2 ^ 100) * 100) < 2",
    );
    says(
        "sum(i in 1..2: let k = i + 1 in k / N1) < 2",
        "((2 / q0) + (3 / q0)) < 2",
    );
    says("bits(factorial(17)) >= 17*(bits(17) - 2)", "49 >= 51");
    assert_eq!(
        sides("1 / 0 < 2").unwrap_err(),
        ExprError::new(Span::new(2, 3), "divisor 0")
    );
}

#[test]
fn other_truth_values() {
    says("yes", "true");
    says("[1, 2] = m", "false");
    says("1 < 2 and yes", "true");
    let error = |text: &str| sides(text).unwrap_err().message;
    assert_eq!(
        error("c"),
        "found an integer, expected a truth value (`holds`)"
    );
    assert_eq!(
        error("bits(1/2) < 1"),
        "found `/` where an integer is needed, expected `div`"
    );
    assert_eq!(
        error("bits(log2(4)) < 1"),
        "found `log2` where an integer is needed, expected `bits`"
    );
    assert_eq!(
        error("1 < yes"),
        "found a truth value, expected an integer (`<`)"
    );
    assert_eq!(
        error("(let a = N1/2 in bits(a)) < 1"),
        "`a` is no plain integer and cannot be used here"
    );
    assert_eq!(
        error("N1 < 5 and yes"),
        "an abstract number stands only in a comparison of its own"
    );
    assert_eq!(error("log2(1, 2) < 1"), "`log2` takes 1 argument, found 2");
}

/// Sums of binomials take the step from C(n, k-1) to C(n, k); other orders do not.
#[test]
fn binomials_in_any_order_agree() {
    let names = std::collections::BTreeMap::new();
    let value = |text: &str| crate::file::expr::constant_integer(text, &names).unwrap();
    assert_eq!(value("sum(j in 0..300: binomial(300, j))"), value("2^300"));
    assert_eq!(
        value("sum(j in 0..300: binomial(300, 300 - j))"),
        value("2^300")
    );
    assert_eq!(
        value("sum(j in 100..104: binomial(300, j) + binomial(301, j))"),
        value(
            "binomial(300, 100) + binomial(301, 100) + binomial(300, 101) + binomial(301, 101) + binomial(300, 102) + binomial(301, 102) + binomial(300, 103) + binomial(301, 103) + binomial(300, 104) + binomial(301, 104)"
        ),
    );
    assert_eq!(
        value("binomial(300, 299) + binomial(300, 300) + binomial(300, 301)"),
        value("301")
    );
}
