//! Values, canonical texts, braces and loops.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::super::*;
use super::{error_in, integer, truth, value};

#[test]
fn precedence() {
    assert_eq!(integer("-2^2"), -4);
    assert_eq!(integer("2^3^2"), 512);
    assert_eq!(integer("10 - 3 - 2"), 5);
    assert_eq!(integer("2 + 3 * 4"), 14);
    assert_eq!(integer("7 div 2 * 2 + 7 mod 2"), 7);
    assert_eq!(integer("-7 div 2"), -4);
    assert_eq!(integer("-7 mod 2"), 1);
    assert_eq!(integer("2^-(0)"), 1);
    assert_eq!(integer("-f[0]^2"), -4);
    assert!(truth("not x = 2 and x = 1 or 1 div 0 = 1"));
    assert_eq!(integer("if x = 1 then 1 else 2 + 5"), 1);
    assert_eq!(integer("let a = 5 in let b = a + x in a * b"), 30);
}

#[test]
fn functions_and_folds() {
    assert_eq!(integer("bits(8) + bits(9)"), 7);
    assert_eq!(integer("binomial(5, 2) + factorial(4) + abs(-3)"), 37);
    assert_eq!(
        integer("min(3, x, 2) + max(f) + min(f) + len(f) + sum(f)"),
        9
    );
    assert_eq!(integer("sum(i in 0..2: f[i] * i)"), 2);
    assert_eq!(
        integer("sum(i in 0..2, j in 0..<i if f[j] > 0: 10*i + j)"),
        30
    );
    assert_eq!(integer("count(i in 0..2: f[i] = 1)"), 1);
    assert!(truth("any(i in 0..2: f[i] = 1) and all(i in 1..0: false)"));
    assert!(truth("table(i in 0..<3: (i + 2) mod 3) = f"));
    assert!(truth("[1, 2] != [1, 2, 3] and [x] = [1]"));
    assert!(truth("(x = 1) = true"));
    assert_eq!(integer("sum(i in 1..0: 1) + m[0]"), 4);
    assert_eq!(integer("table(i in 0..1, j in 0..2: 10*i + j)[4]"), 11);
    assert_eq!(
        integer("let t = table(i in 0..2: f[i] + x) in t[0] * t[1]"),
        3
    );
    assert_eq!(
        value("2^100").unwrap(),
        Value::Integer(Int::from(BigInt::from(1) << 100_u32))
    );
    assert_eq!(integer("2^100 div 2^99"), 2);
}

#[test]
fn slots_and_braces() {
    assert_eq!(integer("'soft A->B @1' + m{c-2} + {c}"), 11);
    assert_eq!(integer("'soft A->B @{c-2}' + 'lin A->B @2'"), 5);
    assert_eq!(
        integer("get('soft A->B @1', 7) + get('soft A->B @9', 7)"),
        12
    );
    assert!(truth("has('soft A->B @1') and not has('soft A->B @2')"));
    assert_eq!(
        integer("len(received()) + sum(received(-1)) + len(received(A))"),
        6
    );
    assert_eq!(integer("A.x"), 1);
    assert_eq!(
        error_in("has(x)", Mode::Strategy).1,
        "`has` expects a slot in single quotes"
    );
    let names = BTreeMap::from([("j".to_owned(), Constant::Integer(2.into()))]);
    assert_eq!(
        substitute("soft {j-1}->{-1} @{j*j}", &names).unwrap(),
        "soft 1->-1 @4"
    );
    assert_eq!(substitute("z{k}", &names).unwrap_err().at, Span::new(2, 3));
}

#[test]
fn constant_conditions() {
    assert_eq!(integer("if c = 3 then 1 else nowhere"), 1);
    assert_eq!(
        integer("if has('soft A->B @7') then 'soft A->B @7' else 4"),
        4
    );
    assert_eq!(integer("sum(i in 0..1: if c = 3 then i else nowhere)"), 1);
    assert_eq!(integer("let k = 2 in if k = 2 then k else nowhere"), 2);
    assert_eq!(integer("if len(received(A)) = 0 then 1 else nowhere"), 1);
    assert_eq!(
        error_in("if c div 0 = 1 then 1 else 2", Mode::Task),
        (6, "divisor 0, expected at least 1".to_owned())
    );
    assert_eq!(
        error_in("if x = 1 then 1 else nowhere", Mode::Task).1,
        "unknown name `nowhere`"
    );
    // A constant that fails where it is never reached is no error.
    assert_eq!(integer("if x = 1 then 1 else 1 div 0"), 1);
    assert_eq!(integer("if false and 1 div 0 = 1 then 1 else 2"), 2);
    assert_eq!(integer("sum(i in 1..0: 1 div 0)"), 0);
}

#[test]
fn canonical_text() {
    let text = "f[ g[x]+1 ]\n  mod z{ j }-'soft {j-1}->0 @1'..";
    assert_eq!(
        canonical(&text[..text.len() - 2]).unwrap(),
        "f [ g [ x ] + 1 ] mod z{ j } - 'soft {j-1}->0 @1'"
    );
    assert_eq!(canonical("A.f[0]").unwrap(), "A . f [ 0 ]");
    assert_eq!(
        canonical("sum(i in 0..<n:i)").unwrap(),
        "sum ( i in 0 ..< n : i )"
    );
    assert!(canonical("1 +").is_err());
}

#[test]
fn names_and_labels() {
    assert!(
        is_name("_a1")
            && is_name("answer")
            && !is_name("in")
            && !is_name("sum")
            && !is_name("1a")
            && !is_name("")
    );
    assert!(
        is_label("-12")
            && is_label("P1")
            && !is_label("_a")
            && !is_label("-")
            && !is_label("P 1")
            && !is_label("P{1}")
    );
    let tree = parse("if b = 1 then m{j} + c[d] else 2").unwrap();
    assert_eq!(
        tree.names().into_iter().collect::<Vec<_>>(),
        ["b", "c", "d", "j"]
    );
}

#[test]
fn loops() {
    let names = BTreeMap::from([("L".to_owned(), Constant::Integer(2.into()))]);
    let points = |text: &str, most: u64| -> Result<Vec<String>, String> {
        let found = Loop::parse(text).map_err(|error| error.message)?;
        let points = found.points(&names, most).map_err(|error| error.message)?;
        let count = points.count_all();
        let all: Vec<String> = points
            .map(|point| {
                point
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        assert_eq!(u64::try_from(all.len()), Ok(count));
        Ok(all)
    };
    assert_eq!(points("j in 1..L", 9).unwrap(), ["j=1", "j=2"]);
    assert_eq!(
        points("j in 0..L, i in -1..<j", 9).unwrap(),
        [
            "j=0 i=-1", "j=1 i=-1", "j=1 i=0", "j=2 i=-1", "j=2 i=0", "j=2 i=1"
        ]
    );
    assert!(points("j in 1..0", 9).unwrap().is_empty());
    assert!(
        points("j in 0..3, i in 0..<j, k in i..<j", 99)
            .unwrap()
            .len()
            == 10
    );
    assert_eq!(
        points("j in 1..10^30", 9).unwrap_err(),
        "at least 1000000000000000000000000000000 points, expected at most 9"
    );
    assert_eq!(
        points("j in 1..3, j in 1..2", 9).unwrap_err(),
        "`j` already has a meaning here; choose another name"
    );
    assert_eq!(
        points("j in 0..2, i in 0..6 div j", 99).unwrap_err(),
        "divisor 0, expected at least 1"
    );
    assert_eq!(
        points("j in 0..=L", 9).unwrap_err(),
        "found `..=`, expected `..` (it includes its end) or `..<`"
    );
    let taken = Loop::parse("L in 0..1")
        .unwrap()
        .check_fresh(&names)
        .unwrap_err();
    assert_eq!(
        taken.message,
        "`L` already has a meaning here; choose another name"
    );
    assert_eq!(
        points("n in 2..64, B in 1..n div 2", 1024).unwrap().len(),
        1024
    );
    assert!(points("n in 2..64, B in 1..n div 2", 1023).is_err());
}

#[test]
fn static_cost_bounds_the_steps() {
    let cost = |text: &str| {
        let program = compile(
            &parse(text).unwrap(),
            &super::Sample,
            Mode::Task,
            Limits::default(),
        )
        .unwrap();
        program.cost().map(|cost| cost.to_string())
    };
    assert_eq!(cost("f[x]").as_deref(), Some("3"));
    assert_eq!(cost("2^10").as_deref(), Some("1"));
    assert_eq!(cost("sum(i in 1..10: f[i])").as_deref(), Some("33"));
    assert_eq!(
        cost("sum(i in 1..10, j in 0..<i: x)").as_deref(),
        Some("123")
    );
    assert_eq!(cost("sum(i in 0..x: x)"), None);
    assert_eq!(cost("sum(i in 0..x mod 5: x)").as_deref(), Some("10"));
}
