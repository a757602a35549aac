//! `[let]`: named constants, in any order, with overrides.

use crate::file::expr::{self, Constant, Names};
use crate::file::reader::{in_text, list, mismatch, unknown};
use crate::file::source::{FileError, Source};
use crate::file::tree::{Entry, Tree, Value};
use num_bigint::BigInt;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

/// A constant replaced from outside: `--let s=3`, or `let` and `for` of a claim.
pub type Overrides = BTreeMap<String, BigInt>;

/// The constants of a file, and those its family defines.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    /// From `[let]`, resolved.
    own: BTreeMap<String, Constant>,
    /// From the family: L, D0, m1, ..
    given: BTreeMap<String, BigInt>,
}

impl Constants {
    /// Reads `[let]` and applies the overrides.
    ///
    /// # Errors
    /// A cycle, a wrong name, an override of a constant that does not exist or is a table.
    pub fn read(source: &Source, file: &Tree, overrides: &Overrides) -> Result<Self, FileError> {
        let entries: &[Entry] = match file.get("let").map(|entry| &entry.tree) {
            None => &[],
            Some(Tree {
                value: Value::Table(entries),
                ..
            }) => entries,
            Some(tree) => return Err(mismatch(source, tree, &tree.value, "a table ([let])")),
        };
        let names: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
        for name in overrides.keys() {
            match entries.iter().find(|entry| entry.key == *name) {
                None => {
                    return Err(FileError::unplaced(format!(
                        "{}: {}",
                        source.name,
                        no_constant(name, &names)
                    )));
                }
                Some(entry) if matches!(entry.tree.value, Value::List(_)) => {
                    return Err(source.error_in(
                        &entry.key_at,
                        format!("`{name}` is a table, only integers are replaced"),
                    ));
                }
                Some(_) => {}
            }
        }
        let mut resolver = Resolver {
            source,
            entries,
            overrides,
            done: BTreeMap::new(),
            open: Vec::new(),
        };
        for entry in entries {
            resolver.resolve(entry)?;
        }
        Ok(Self {
            own: resolver.done,
            given: BTreeMap::new(),
        })
    }

    /// Adds constants that a family defines.
    ///
    /// # Errors
    /// A name that `[let]` has already given another meaning, at its place there.
    pub fn give(
        &mut self,
        source: &Source,
        file: &Tree,
        given: impl IntoIterator<Item = (String, BigInt)>,
    ) -> Result<(), FileError> {
        for (name, value) in given {
            if let (true, Some(table)) = (self.own.contains_key(&name), file.get("let")) {
                let entry = table.tree.get(&name);
                let at = entry.map_or(&table.key_at, |entry| &entry.key_at);
                return Err(source.error_in(
                    at,
                    format!("`{name}` is a constant of the family; choose another name"),
                ));
            }
            self.given.insert(name, value);
        }
        Ok(())
    }

    /// The resolved constants of `[let]`, for the digest.
    pub fn to_json(&self) -> Json {
        let value = |constant: &Constant| match constant {
            Constant::Integer(number) => Json::String(number.to_string()),
            Constant::Truth(truth) => Json::Bool(*truth),
            Constant::Table(numbers) => numbers.iter().map(ToString::to_string).collect(),
        };
        Json::Object(
            self.own
                .iter()
                .map(|(name, constant)| (name.clone(), value(constant)))
                .collect(),
        )
    }
}

impl Names for Constants {
    fn constant(&self, name: &str) -> Option<Constant> {
        let given = || self.given.get(name).cloned().map(Constant::Integer);
        self.own.get(name).cloned().or_else(given)
    }

    fn known(&self) -> Vec<String> {
        self.own.keys().chain(self.given.keys()).cloned().collect()
    }
}

/// The `let` table of a file with its overrides written in, as evidence embeds it; `None` without the table.
pub fn overridden(file: &Tree, overrides: &Overrides) -> Option<Json> {
    let Json::Object(mut table) = file.get("let")?.tree.to_json() else {
        return Some(Json::Object(Map::new()));
    };
    for (name, value) in overrides {
        table.insert(name.clone(), Json::String(value.to_string()));
    }
    Some(Json::Object(table))
}

fn no_constant(name: &str, names: &[&str]) -> String {
    if names.is_empty() {
        format!("there is no constant `{name}` in [let]")
    } else {
        unknown("constant", name, names)
    }
}

struct Resolver<'a> {
    source: &'a Source,
    entries: &'a [Entry],
    overrides: &'a Overrides,
    done: BTreeMap<String, Constant>,
    /// Names being resolved, outermost first: a repeat is a cycle.
    open: Vec<&'a str>,
}

impl<'a> Resolver<'a> {
    fn resolve(&mut self, entry: &'a Entry) -> Result<(), FileError> {
        let name = entry.key.as_str();
        if self.done.contains_key(name) {
            return Ok(());
        }
        if !expr::is_name(name) {
            return Err(self.source.error_in(
                &entry.key_at,
                format!("found `{name}`, expected a name for a constant"),
            ));
        }
        if let Some(start) = self.open.iter().position(|open| *open == name) {
            let cycle = self.open[start..].join("` -> `");
            return Err(self.source.error_in(
                &entry.key_at,
                format!("constants in a cycle: `{cycle}` -> `{name}`"),
            ));
        }
        if let Some(value) = self.overrides.get(name) {
            self.done
                .insert(name.to_owned(), Constant::Integer(value.clone()));
            return Ok(());
        }
        self.open.push(name);
        let constant = match &entry.tree.value {
            Value::List(_) => {
                let items = list(self.source, &entry.tree)?;
                Constant::Table(
                    items
                        .iter()
                        .map(|item| self.integer(item))
                        .collect::<Result<_, _>>()?,
                )
            }
            _ => Constant::Integer(self.integer(&entry.tree)?),
        };
        self.open.pop();
        self.done.insert(name.to_owned(), constant);
        Ok(())
    }

    fn integer(&mut self, tree: &'a Tree) -> Result<BigInt, FileError> {
        match &tree.value {
            Value::Integer(number) => Ok(number.clone()),
            Value::Text(text) => {
                let error = |error| in_text(self.source, &tree.at, &error);
                let parsed = expr::parse(text).map_err(error)?;
                for used in parsed.names() {
                    if let Some(entry) = self.entries.iter().find(|entry| entry.key == used) {
                        self.resolve(entry)?;
                    }
                }
                let error = |error| in_text(self.source, &tree.at, &error);
                expr::constant_of_tree(&parsed, &self.done).map_err(error)
            }
            other => Err(mismatch(
                self.source,
                tree,
                other,
                "an integer or an expression in quotes",
            )),
        }
    }
}
