//! 100,000 mutated configurations and protocol lines, seeded: no panic, no hang, bounded memory.

use foolproof::models::account::Account;
use foolproof::models::config::{self, Node};
use foolproof::models::wire::{Hello, reply};
use std::time::Instant;

/// The sequence of the searches, again.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

const BITS: [&str; 20] = [
    "null",
    "true",
    "-1",
    "0",
    "1e400",
    "1e-400",
    "4294967297",
    "0.5",
    "[]",
    "{}",
    "\"",
    "\\u",
    "Infinity",
    "[[[[[[[[",
    "99999999999999999999",
    "\"mamba\"",
    "hybrid",
    ",",
    ":",
    "\u{e9}",
];

fn mutated(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] = b"\"{}[],:0-19eE.x"[random.below(15)],
            1 => drop(bytes.drain(at..(at + 1 + random.below(20)).min(bytes.len()))),
            2 => drop(bytes.splice(at..at, BITS[random.below(BITS.len())].bytes())),
            3 => {
                // A number for another one.
                let end = bytes[at..]
                    .iter()
                    .position(|b| !b.is_ascii_digit())
                    .map_or(bytes.len(), |n| at + n);
                drop(bytes.splice(at..end, BITS[random.below(BITS.len())].bytes()));
            }
            _ => bytes.truncate(at.max(1)),
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn a_hundred_thousand_mutants() {
    let folder = format!("{}/protocols/models", env!("CARGO_MANIFEST_DIR"));
    let mut configs: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    configs.sort();
    let lines = [
        r#"{"v":1,"vocab":12,"state":"hex","deterministic":true,"max_tokens":8,"batch":4,"name":"m"}"#,
        r#"{"id":1,"state":"11000d00"}"#,
        r#"{"id":3,"out":[1,2,3]}"#,
        r#"{"id":2,"error":"text"}"#,
    ];
    let mut random = Random(2026);
    let begin = Instant::now();
    let (mut read, mut refused) = (0_u32, 0_u32);
    for round in 0..100_000 {
        if round % 2 == 0 {
            let text = mutated(&configs[random.below(configs.len())], &mut random);
            let Ok(node) = Node::parse(&text) else {
                refused += 1;
                continue;
            };
            match config::read(&node, random.below(2) == 0, None) {
                Ok(model) => {
                    read += 1;
                    assert!(Account::of(&model).rows.len() <= 1 << 15);
                }
                Err(refusal) => {
                    refused += 1;
                    assert!(refusal.message.len() < 2000 && !refusal.path.is_empty());
                }
            }
        } else {
            let line = mutated(lines[random.below(lines.len())], &mut random);
            let results = [Hello::read(&line).map(|_| ()), reply(&line).map(|_| ())];
            for result in results {
                match result {
                    Ok(()) => read += 1,
                    Err(message) => {
                        refused += 1;
                        assert!(message.len() < 2000);
                    }
                }
            }
        }
    }
    println!("{read} read, {refused} refused, {:?}", begin.elapsed());
    assert!(read > 1000 && refused > 1000);
    assert!(begin.elapsed().as_secs() < 120);
}
