//! A table, once: for the page, as Markdown, and as LaTeX.

use maud::{Markup, html};

/// Rows of cells under a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// As many cells a row as there are columns.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub fn new(caption: impl Into<String>, head: &[&str]) -> Self {
        Self {
            caption: caption.into(),
            head: head.iter().map(|name| (*name).to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// As GitHub and pandoc read it.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |", cells.join(" | "))
        };
        let mut lines = vec![
            line(&self.head),
            format!("|{}", "---|".repeat(self.head.len())),
        ];
        lines.extend(self.rows.iter().map(|row| line(row)));
        lines.join("\n")
    }

    /// A `tabular` that needs no package.
    pub fn latex(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| tex(cell)).collect();
            format!("{} \\\\", cells.join(" & "))
        };
        let mut lines = vec![
            format!("% {}", self.caption),
            format!("\\begin{{tabular}}{{{}}}", "l".repeat(self.head.len())),
            "\\hline".to_owned(),
            line(&self.head),
            "\\hline".to_owned(),
        ];
        lines.extend(self.rows.iter().map(|row| line(row)));
        lines.extend(["\\hline".to_owned(), "\\end{tabular}".to_owned()]);
        lines.join("\n")
    }

    /// For the page.
    pub fn html(&self) -> Markup {
        html! {
            div.scroll tabindex="0" role="region" aria-label=(self.caption) {
                table {
                    caption { (self.caption) }
                    thead { tr { @for name in &self.head { th scope="col" { (name) } } } }
                    tbody { @for row in &self.rows { tr { @for cell in row { td { (cell) } } } } }
                }
            }
        }
    }
}

/// Text with LaTeX's special characters spelled.
fn tex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_spelled_in_every_form() {
        let mut table = Table::new("c", &["a_1", "b"]);
        table.row(["2^5 < 10%".to_owned(), "x | <y>".to_owned()]);
        assert_eq!(
            table.markdown(),
            "| a_1 | b |\n|---|---|\n| 2^5 < 10% | x \\| <y> |"
        );
        assert_eq!(
            table.latex(),
            "% c\n\\begin{tabular}{ll}\n\\hline\na\\_1 & b \\\\\n\\hline\n2\\textasciicircum{}5 \\textless{} 10\\% & x \\textbar{} \\textless{}y\\textgreater{} \\\\\n\\hline\n\\end{tabular}"
        );
        assert!(table.html().into_string().contains("x | &lt;y&gt;"));
    }
}
