//! What the styles of a Word document mean, whatever language and program named them.

use std::collections::HashMap;

use super::{Step, Unreadable, attribute, is_on, walk};

/// How many styles may rest on each other; a circle is none.
const MAX_BASES: usize = 20;

/// What a paragraph of a style is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    /// From 1, the highest, to 9.
    Heading(u8),
    /// The title of the whole.
    Title,
    Quote,
    /// A line of a table of contents, which the program made.
    Contents,
}

/// The styles, by their ids.
#[derive(Default)]
pub(super) struct Styles(HashMap<String, Style>);

#[derive(Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    outline: Option<u8>,
    bold: Option<bool>,
    italic: Option<bool>,
}

impl Styles {
    /// What a paragraph of this style is.
    pub(super) fn kind(&self, id: &str) -> Kind {
        let mut kind = None;
        for style in self.line(id) {
            kind = kind.or_else(|| kind_of(&style.name)).or(match style.outline {
                Some(level) if level < 9 => Some(Kind::Heading(level + 1)),
                // Said outright to be none.
                Some(_) => Some(Kind::Plain),
                None => None,
            });
        }
        // A document that lost its styles still has their ids.
        kind.or_else(|| kind_of(id)).unwrap_or(Kind::Plain)
    }

    /// Whether a stretch of this style is bold, and whether it is italic.
    pub(super) fn emphasis(&self, id: &str) -> (bool, bool) {
        let bold = self.line(id).find_map(|style| style.bold).unwrap_or(false);
        let italic = self.line(id).find_map(|style| style.italic).unwrap_or(false);
        (bold, italic)
    }

    /// The style and those it rests on.
    fn line<'a>(&'a self, id: &str) -> impl Iterator<Item = &'a Style> {
        let first = self.0.get(id);
        std::iter::successors(first, |style| self.0.get(style.based_on.as_deref()?)).take(MAX_BASES)
    }
}

/// What a name says: of Word's own styles, in the languages of those who write to us and their neighbours.
fn kind_of(name: &str) -> Option<Kind> {
    const HEADINGS: &[&str] = &[
        "heading",
        "标题",
        "標題",
        "見出し",
        "제목",
        "überschrift",
        "titre",
        "título",
        "titolo",
        "заголовок",
        "kop",
        "rubrik",
        "overskrift",
        "otsikko",
        "nagłówek",
        "nadpis",
    ];
    const TITLES: &[&str] = &["title", "标题", "標題", "表題", "titel", "titre", "título", "titolo", "название"];
    const QUOTES: &[&str] = &["quote", "intensequote", "blocktext", "引用", "明显引用", "zitat", "citation", "cita"];
    let name: String = name.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    if name.starts_with("toc") && name.chars().nth(3).is_none_or(|c| c.is_ascii_digit() || c == 'h')
        || name.starts_with("目录")
        || name.starts_with("contents")
    {
        return Some(Kind::Contents);
    }
    let level = HEADINGS.iter().find_map(|word| name.strip_prefix(word)?.parse::<u8>().ok());
    if let Some(level) = level.filter(|level| (1..=9).contains(level)) {
        return Some(Kind::Heading(level));
    }
    if TITLES.contains(&name.as_str()) {
        return Some(Kind::Title);
    }
    QUOTES.contains(&name.as_str()).then_some(Kind::Quote)
}

pub(super) fn read(xml: &str) -> Result<Styles, Unreadable> {
    let mut styles = Styles::default();
    let mut open: Option<(String, Style)> = None;
    walk(xml, |step| {
        match step {
            Step::Open("style", element) => {
                open = attribute(element, "styleId").map(|id| (id, Style::default()));
            }
            // How tables look in their corners.
            Step::Open("tblStylePr", _) => return false,
            Step::Open(name, element) => {
                let Some((_, style)) = &mut open else { return true };
                match name {
                    "name" => style.name = attribute(element, "val").unwrap_or_default(),
                    "basedOn" => style.based_on = attribute(element, "val"),
                    "outlineLvl" => style.outline = attribute(element, "val").and_then(|level| level.parse().ok()),
                    "b" => style.bold = Some(is_on(element)),
                    "i" => style.italic = Some(is_on(element)),
                    _ => {}
                }
            }
            Step::Close("style") => {
                if let Some((id, style)) = open.take() {
                    styles.0.insert(id, style);
                }
            }
            _ => {}
        }
        true
    })?;
    Ok(styles)
}
