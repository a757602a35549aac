//! A picture as SVG: whole numbers of pixels, no script, no outside resource. One source for the page and for files.
//!
//! Colours are names. The page maps them to a light and a dark scheme; a file of its own has the light one and a white ground,
//! which is what a paper is printed on.

use maud::{Markup, PreEscaped, html};
use std::fmt::Write as _;

/// Pixels of a character of ordinary text, on the safe side.
const CHARACTER: usize = 7;

/// Colours by name: light, then dark. Text on every fill has a contrast of at least 4.5 in both schemes.
pub const COLOURS: [(&str, &str, &str); 17] = [
    ("ground", "#ffffff", "#12161c"),
    ("panel", "#f4f6f8", "#1b212a"),
    ("ink", "#1b1f24", "#e6e9ee"),
    ("dim", "#57606a", "#a3adb8"),
    ("rule", "#c9d0d8", "#3a434f"),
    ("link", "#0b5cad", "#7db8ff"),
    ("hot", "#b3261e", "#ff8a80"),
    ("good", "#1a6b3c", "#6fd196"),
    ("wait", "#7a5200", "#f0c060"),
    ("k0", "#cfe3f7", "#1f3a57"),
    ("k1", "#fbd9b5", "#59391a"),
    ("k2", "#cdebd3", "#1e4a30"),
    ("k3", "#f3d0e4", "#532643"),
    ("k4", "#fdf0b5", "#4d430f"),
    ("k5", "#d9d3f2", "#372f66"),
    ("k6", "#f7cfcb", "#5c2522"),
    ("k7", "#d5dade", "#39424c"),
];

/// How the shapes use the colours; the same text for page and file.
pub const STYLE: &str = "\
svg{font-family:system-ui,sans-serif;font-size:12px}\
svg text{fill:var(--ink)}svg .m{text-anchor:middle}svg .e{text-anchor:end}svg .b{font-weight:700}svg .h{paint-order:stroke;stroke:var(--ground);stroke-width:4px;stroke-linejoin:round}svg .dim{fill:var(--dim)}\
svg .rule{stroke:var(--rule);fill:none}svg .line{stroke:var(--ink);fill:none}svg .thin{stroke:var(--dim);fill:none}\
svg .hot{stroke:var(--hot);fill:none;stroke-width:3}svg text.hot,svg .hotfill{fill:var(--hot);stroke:none}svg .inkfill{fill:var(--ink)}svg .dimfill{fill:var(--dim)}\
svg .dash{stroke-dasharray:4 3}svg .frame{stroke:var(--ink);stroke-width:2;fill:none}svg .band{fill:var(--panel)}\
svg .good{fill:var(--good)}svg .s0{stroke:var(--link);fill:none;stroke-width:2}svg .s1{stroke:var(--hot);fill:none;stroke-width:2}\
svg .s2{stroke:var(--good);fill:none;stroke-width:2}svg .s3{stroke:var(--wait);fill:none;stroke-width:2}\
svg .k0{fill:var(--k0)}svg .k1{fill:var(--k1)}svg .k2{fill:var(--k2)}svg .k3{fill:var(--k3)}\
svg .k4{fill:var(--k4)}svg .k5{fill:var(--k5)}svg .k6{fill:var(--k6)}svg .k7{fill:var(--k7)}";

/// A finished picture.
#[derive(Clone, Debug)]
pub struct Picture {
    title: String,
    width: usize,
    height: usize,
    body: Markup,
}

impl Picture {
    /// A picture of this size; the title is read out in place of it.
    pub fn new(title: impl Into<String>, width: usize, height: usize, body: Markup) -> Self {
        Self {
            title: title.into(),
            width,
            height,
            body,
        }
    }

    /// What it shows, in words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Several pictures, one below the other, each under its own title.
    pub fn stacked(title: impl Into<String>, pictures: &[Self]) -> Self {
        let mut tops = Vec::new();
        let mut height = 0;
        for picture in pictures {
            tops.push(height);
            height += picture.height + 26;
        }
        let width = pictures
            .iter()
            .map(|picture| picture.width.max(room(picture.title.chars().count()) + 20))
            .max()
            .unwrap_or(0);
        let body = html! {
            @for (picture, top) in pictures.iter().zip(tops) {
                g transform={"translate(0," (top) ")"} {
                    (text(10, 16, "b", &picture.title))
                    g transform="translate(0,22)" { (picture.body) }
                }
            }
        };
        Self::new(title, width, height, body)
    }

    /// For the page, which has the colours.
    pub fn inline(&self) -> Markup {
        let (width, height) = (self.width, self.height);
        html! {
            svg width=(width) height=(height) viewBox={"0 0 " (width) " " (height)} role="img" {
                title { (self.title) }
                (self.body)
            }
        }
    }

    /// A file of its own, with light colours, a white ground, and the title as a caption.
    pub fn file(&self) -> String {
        let width = self.width.max(self.title.chars().count() * CHARACTER + 20);
        let height = self.height + 24;
        let body = html! {
            svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) viewBox={"0 0 " (width) " " (height)} role="img" {
                title { (self.title) }
                style { (PreEscaped(light())) }
                rect class="ground" width=(width) height=(height) {}
                text x="10" y="17" { (self.title) }
                g transform="translate(0,24)" { (self.body) }
            }
        };
        body.into_string() + "\n"
    }
}

/// The style with light colours written in, for readers of SVG that know no variables.
fn light() -> String {
    let mut style = format!("{STYLE}svg .ground{{fill:var(--ground)}}");
    for (name, colour, _) in COLOURS {
        style = style.replace(&format!("var(--{name})"), colour);
    }
    style.replace("svg{", "text{").replace("svg ", "")
}

/// The variables of both schemes, for the page.
pub fn variables() -> String {
    let list = |dark: bool| -> String {
        COLOURS
            .iter()
            .fold(String::new(), |mut all, (name, light, night)| {
                // Writing to a string cannot fail.
                let _ = write!(all, "--{name}:{};", if dark { night } else { light });
                all
            })
    };
    format!(
        ":root{{color-scheme:light dark;{}}}@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}",
        list(false),
        list(true)
    )
}

/// Room for so many characters.
pub fn room(characters: usize) -> usize {
    characters * CHARACTER
}

/// A line of text; `class` has `m` for centred, `e` for flush right.
pub fn text(x: usize, y: usize, class: &str, content: &str) -> Markup {
    html! { text x=(x) y=(y) class=[(!class.is_empty()).then_some(class)] { (content) } }
}

/// Short texts beside each other, each centred on its place: one element when each is one character.
pub fn letters(places: &[usize], y: usize, texts: &[&str]) -> Markup {
    if !texts.is_empty() && texts.iter().all(|text| text.len() == 1) {
        let xs: Vec<String> = places.iter().map(ToString::to_string).collect();
        return html! { text.m x=(xs.join(" ")) y=(y) { (texts.concat()) } };
    }
    html! { @for (x, letters) in places.iter().zip(texts) { (text(*x, y, "m", letters)) } }
}

/// A straight line.
pub fn line(from: (usize, usize), to: (usize, usize), class: &str) -> Markup {
    html! { path class=(class) d={"M" (from.0) " " (from.1) "L" (to.0) " " (to.1)} {} }
}

/// A rectangle.
pub fn rect(at: (usize, usize), size: (usize, usize), class: &str) -> Markup {
    html! { rect class=(class) x=(at.0) y=(at.1) width=(size.0) height=(size.1) {} }
}

/// A horizontal arrow; `class` colours its line, the tip is filled with `tip`.
pub fn arrow(from: usize, to: usize, y: usize, class: &str, tip: &str) -> Markup {
    let (base, end) = if from < to {
        (to.saturating_sub(10), to.saturating_sub(4))
    } else {
        (to + 10, to + 4)
    };
    html! {
        path class=(class) d={"M" (from) " " (y) "H" (base)} {}
        path class=(tip) d={"M" (end) " " (y) "L" (base) " " (y - 4) "V" (y + 4) "Z"} {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_no_variables_and_escapes_its_title() {
        let picture = Picture::new("a < b", 40, 30, rect((1, 2), (3, 4), "k0"));
        let file = picture.file();
        assert!(file.starts_with("<svg ") && file.ends_with("</svg>\n"));
        assert!(file.contains("a &lt; b") && !file.contains("var(") && !file.contains("svg ."));
    }

    #[test]
    fn every_colour_that_the_style_names_exists() {
        for part in STYLE.split("var(--").skip(1) {
            let name = part.split(')').next().unwrap();
            assert!(COLOURS.iter().any(|colour| colour.0 == name), "{name}");
        }
    }

    /// Relative luminance of sRGB in millionths, gamma 2 in place of 2.4: on the dark side for light text, good enough to guard.
    fn luminance(colour: &str) -> u64 {
        let channel = |from: usize| u64::from_str_radix(&colour[from..from + 2], 16).unwrap();
        let part = |value: u64| value * value * 1_000_000 / (255 * 255);
        (2126 * part(channel(1)) + 7152 * part(channel(3)) + 722 * part(channel(5))) / 10_000
    }

    #[test]
    fn text_has_contrast_on_every_fill() {
        let of = |name: &str, dark: bool| {
            let (_, light, night) = COLOURS.iter().find(|colour| colour.0 == name).unwrap();
            luminance(if dark { night } else { light })
        };
        let check = |text: &str, fill: &str, dark: bool| {
            let (a, b) = (of(text, dark), of(fill, dark));
            let (high, low) = (a.max(b) + 50_000, a.min(b) + 50_000);
            assert!(
                2 * high >= 9 * low,
                "{text} on {fill}, dark {dark}: {high}/{low}"
            );
        };
        for dark in [false, true] {
            for fill in ["ground", "panel"] {
                for text in ["ink", "dim", "link", "hot", "good", "wait"] {
                    check(text, fill, dark);
                }
            }
            for k in 0..8 {
                check("ink", &format!("k{k}"), dark);
            }
        }
    }
}
