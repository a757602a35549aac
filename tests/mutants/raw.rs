//! Raw mutants: changed bytes, nothing adapted. The seal covers everything that is not checked earlier, so all are wrong.

use crate::base::Base;
use crate::draft::Draft;
use crate::{Mutant, Random};

type Change = fn(&mut Vec<u8>, &mut Random);

const CHANGES: [(&str, Change); 6] = [
    ("raw-change", |bytes, random| {
        let at = random.below(bytes.len());
        bytes[at] = byte(random);
    }),
    ("raw-delete", |bytes, random| {
        bytes.remove(random.below(bytes.len()));
    }),
    ("raw-insert", |bytes, random| {
        let at = random.below(bytes.len() + 1);
        bytes.insert(at, byte(random));
    }),
    ("raw-swap", |bytes, random| {
        let (one, other) = (random.below(bytes.len()), random.below(bytes.len()));
        bytes.swap(one, other);
    }),
    ("raw-truncate", |bytes, random| {
        bytes.truncate(random.below(bytes.len()));
    }),
    ("raw-repeat", |bytes, random| {
        let at = random.below(bytes.len());
        let tail = bytes[at..].to_vec();
        bytes.extend(tail);
    }),
];

/// Half of the time a byte that JSON is made of.
fn byte(random: &mut Random) -> u8 {
    let likely = b"0123456789\"{}[],:-abcdef";
    if random.below(2) == 0 {
        likely[random.below(likely.len())]
    } else {
        random.next().to_le_bytes()[0]
    }
}

pub(crate) fn mutant(base: &Base, random: &mut Random) -> Option<Mutant> {
    let mut draft = Draft {
        name: format!("{}.json", base.claim),
        bytes: base.bytes.clone(),
        files: base.files.clone(),
    };
    let (operator, change) = CHANGES[random.below(CHANGES.len())];
    let operator = match random.below(8) {
        0 => {
            draft
                .files
                .insert("notes.txt".to_owned(), vec![byte(random); random.below(5)]);
            "raw-file-added"
        }
        1 if !draft.files.is_empty() => {
            draft.files.clear();
            "raw-file-dropped"
        }
        2 | 3 if !draft.files.is_empty() => {
            change(draft.files.values_mut().next()?, random);
            operator
        }
        _ => {
            change(&mut draft.bytes, random);
            operator
        }
    };
    let unchanged = draft.bytes == base.bytes && draft.files == base.files;
    // `"format":12` and the like say "newer", which is another answer than "wrong".
    let newer = String::from_utf8_lossy(&draft.bytes);
    let newer = newer
        .split("\"format\":")
        .nth(1)
        .is_some_and(|rest| !rest.starts_with("1,"));
    (!unchanged && !newer).then(|| Mutant {
        claim: base.claim.clone(),
        operator,
        draft,
        codes: None,
    })
}
