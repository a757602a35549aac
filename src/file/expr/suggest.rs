//! Near misses in names.

/// The known name closest to `found`, if it is one or two edits away and the edits are fewer
/// than half of its letters (otherwise `x` would be offered for every `y`).
///
/// # Cost
/// The product of the two lengths, per known name.
#[must_use]
pub fn suggest<'k>(found: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let near = |name: &'k str| {
        let edits = distance(found, name);
        let is_near = edits <= 2 && 2 * edits < found.chars().count().max(name.chars().count());
        is_near.then_some((edits, name))
    };
    known
        .into_iter()
        .filter_map(near)
        .min()
        .map(|(_, name)| name)
}

/// `; did you mean `x`?`, or nothing.
#[must_use]
pub fn did_you_mean<'k>(found: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    suggest(found, known).map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Number of insertions, deletions and substitutions between two texts; 3 stands for more.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    if left.chars().count().abs_diff(right.len()) > 2 {
        return 3;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (number, letter) in left.chars().enumerate() {
        let mut next = vec![number + 1];
        for (column, other) in right.iter().enumerate() {
            let replaced = row
                .get(column)
                .map_or(3, |edits| edits + usize::from(letter != *other));
            let removed = row.get(column + 1).map_or(3, |edits| edits + 1);
            let added = next.last().map_or(3, |edits| edits + 1);
            next.push(replaced.min(removed).min(added));
        }
        row = next;
    }
    row.last().map_or(3, |edits| (*edits).min(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_near_names_only() {
        assert_eq!(suggest("valeu", ["answers", "value"]), Some("value"));
        assert_eq!(
            suggest("unsolveable", ["solvable", "unsolvable"]),
            Some("unsolvable")
        );
        assert_eq!(suggest("anwser", ["answer", "value"]), Some("answer"));
        assert_eq!(suggest("y", ["x"]), None);
        assert_eq!(suggest("t", ["s"]), None);
        assert_eq!(suggest("ab", ["ac"]), None);
    }
}
