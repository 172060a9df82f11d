//! The meaning of the styles of a Word document, for style names in several languages and programs.

use std::collections::HashMap;

use super::{Unreadable, XmlEvent, attribute, is_on, visit_xml};

/// The most styles in a chain of base styles; also ends cycles.
const MAX_BASE_STYLES: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParagraphKind {
    Plain,
    /// From 1, the highest, to 9.
    Heading(u8),
    /// The title of the book.
    Title,
    Quote,
    /// A line of a generated table of contents.
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
    /// The kind of a paragraph of this style.
    pub(super) fn kind(&self, id: &str) -> ParagraphKind {
        let mut kind = None;
        for style in self.with_bases(id) {
            kind = kind.or_else(|| kind_from_name(&style.name)).or(match style.outline {
                Some(level) if level < 9 => Some(ParagraphKind::Heading(level + 1)),
                // Explicitly no heading.
                Some(_) => Some(ParagraphKind::Plain),
                None => None,
            });
        }
        // A document that lost its styles still has their ids.
        kind.or_else(|| kind_from_name(id)).unwrap_or(ParagraphKind::Plain)
    }

    /// Whether text of this style is bold, and whether it is italic.
    pub(super) fn emphasis(&self, id: &str) -> (bool, bool) {
        let bold = self.with_bases(id).find_map(|style| style.bold).unwrap_or(false);
        let italic = self.with_bases(id).find_map(|style| style.italic).unwrap_or(false);
        (bold, italic)
    }

    /// The style and its base styles.
    fn with_bases<'a>(&'a self, id: &str) -> impl Iterator<Item = &'a Style> {
        let first = self.0.get(id);
        std::iter::successors(first, |style| self.0.get(style.based_on.as_deref()?)).take(MAX_BASE_STYLES)
    }
}

/// The kind of one of Word's own styles by its name, in several languages.
fn kind_from_name(name: &str) -> Option<ParagraphKind> {
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
        return Some(ParagraphKind::Contents);
    }
    let level = HEADINGS.iter().find_map(|word| name.strip_prefix(word)?.parse::<u8>().ok());
    if let Some(level) = level.filter(|level| (1..=9).contains(level)) {
        return Some(ParagraphKind::Heading(level));
    }
    if TITLES.contains(&name.as_str()) {
        return Some(ParagraphKind::Title);
    }
    QUOTES.contains(&name.as_str()).then_some(ParagraphKind::Quote)
}

pub(super) fn parse(xml: &str) -> Result<Styles, Unreadable> {
    let mut styles = Styles::default();
    let mut open: Option<(String, Style)> = None;
    visit_xml(xml, |event| {
        match event {
            XmlEvent::Open("style", element) => {
                open = attribute(element, "styleId").map(|id| (id, Style::default()));
            }
            // Conditional formats of tables.
            XmlEvent::Open("tblStylePr", _) => return false,
            XmlEvent::Open(name, element) => {
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
            XmlEvent::Close("style") => {
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
