//! Input domains in files: records of fields, or a size.

use crate::exact::{Domain, DomainError, Field, Form};
use crate::file::expr::{self, Names};
use crate::file::keys;
use crate::file::reader::{Fields, in_text, list, narrow, size, small_size};
use crate::file::source::{FileError, Source};
use crate::file::tree::{Tree, Value};

/// Reads a record `{ field = form, .. }`, or a size N for `{ value = N }`. Fields are ordered by name.
///
/// # Errors
/// Wrong forms, empty domains, more than 2^24 digits.
pub(super) fn domain(source: &Source, tree: &Tree, names: &dyn Names) -> Result<Domain, FileError> {
    let mut fields = Vec::new();
    if let Value::Table(entries) = &tree.value {
        for entry in entries {
            let wrong = |message: String| Err(source.error_in(&entry.key_at, message));
            let name = expr::substitute(&entry.key, names)
                .map_err(|error| in_text(source, &entry.key_at, &error))?;
            if !expr::is_name(&name) {
                return wrong(format!("found `{name}`, expected a name for a field"));
            }
            if names.constant(&name).is_some() {
                return wrong(format!(
                    "`{name}` already has a meaning here; choose another name"
                ));
            }
            if fields.iter().any(|field: &Field| field.name == name) {
                return wrong(format!("two fields are called `{name}`"));
            }
            fields.push(Field {
                name,
                form: form(source, &entry.tree, names)?,
            });
        }
    } else {
        fields.push(Field {
            name: "value".to_owned(),
            form: form(source, tree, names)?,
        });
    }
    fields.sort_by(|a, b| a.name.cmp(&b.name));
    Domain::new(fields).map_err(|error| {
        let at = source.error_in(&tree.at, error.to_string());
        if error == DomainError::Empty {
            at
        } else {
            at.about_size()
        }
    })
}

fn form(source: &Source, tree: &Tree, names: &dyn Names) -> Result<Form, FileError> {
    let Value::Table(_) = &tree.value else {
        return Ok(Form::Number(small_size(source, tree, names, "domain")?));
    };
    let fields = Fields::of(source, "a form", tree)?;
    let known = keys::FORMS;
    if let Some(odd) = fields
        .entries
        .iter()
        .find(|entry| !known.contains(&entry.key.as_str()))
    {
        let message = format!("found `{}`, expected one of {}", odd.key, known.join(", "));
        return Err(source.error_in(&odd.key_at, message));
    }
    let tag = fields.tag("form", &known)?;
    let value = &tag.tree;
    match tag.key.as_str() {
        "table" => {
            let [entries, values] = pair(source, value, "table = [entries, values]")?;
            // A table of no entries is legal: it has one value.
            let len = crate::file::reader::small_count(source, entries, names, "entries")?;
            Ok(Form::Table {
                len,
                values: small_size(source, values, names, "domain")?,
            })
        }
        "permutation" => Ok(Form::Permutation(small_size(
            source, value, names, "domain",
        )?)),
        _ => match &value.value {
            Value::List(_) => {
                let [n, k] = pair(source, value, "subset = [n, k]")?;
                let n = small_size(source, n, names, "domain")?;
                let wanted = crate::file::reader::count(source, k, names, "members")?;
                let k_small = narrow(source, k, &wanted, "members")?;
                if k_small > n {
                    return Err(source.error_in(
                        &k.at,
                        format!("domain 0: no {k_small} members among {n}, expected at least 1"),
                    ));
                }
                Ok(Form::SubsetOf { n, k: k_small })
            }
            _ => Ok(Form::Subset(crate::file::reader::narrow(
                source,
                value,
                &size(source, value, names, "domain")?,
                "domain",
            )?)),
        },
    }
}

/// A form as files write it: `2`, `{ table = [2, 2] }`.
pub fn spelled(form: &Form) -> String {
    match form {
        Form::Number(n) => n.to_string(),
        Form::Table { len, values } => format!("{{ table = [{len}, {values}] }}"),
        Form::Permutation(n) => format!("{{ permutation = {n} }}"),
        Form::Subset(n) => format!("{{ subset = {n} }}"),
        Form::SubsetOf { n, k } => format!("{{ subset = [{n}, {k}] }}"),
    }
}

/// A domain as files write it: `{ f = { table = [2, 2] } }`.
pub fn spelled_record(domain: &Domain) -> String {
    let fields: Vec<String> = domain
        .fields()
        .iter()
        .map(|field| format!("{} = {}", field.name, spelled(&field.form)))
        .collect();
    if fields.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{ {} }}", fields.join(", "))
    }
}

fn pair<'a>(source: &Source, tree: &'a Tree, shape: &str) -> Result<[&'a Tree; 2], FileError> {
    match list(source, tree)? {
        [first, second] => Ok([first, second]),
        other => Err(source.error_at(
            tree.at.start,
            format!("found {} entries, expected {shape}", other.len()),
        )),
    }
}
