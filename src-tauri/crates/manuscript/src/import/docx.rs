//! Reads a Word document: the paragraphs of its main part with headings, italics and bold.

mod styles;

use std::io::{Cursor, Read};

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;
use zip::result::ZipError;

use super::proposals::{self, Line};
use super::{Heading, MAX_TITLE_CHARS, Manuscript, SectionKind, Unreadable, plain};
use crate::emphasis::{self, Run};
use styles::{ParagraphKind, Styles};

/// The most that one part of the document may unpack to, in bytes. A million words of prose are about 40 MB of XML.
const MAX_PART_BYTES: u64 = 128 * 1024 * 1024;
/// The most parts of a document: usually a dozen, and a few for each picture.
const MAX_PARTS: usize = 20_000;
/// The most nested elements; Word stays below thirty, except for tables in tables.
const MAX_DEPTH: usize = 500;

pub(super) fn parse_package(bytes: &[u8]) -> Result<Manuscript, Unreadable> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| Unreadable::Damaged)?;
    if archive.len() > MAX_PARTS {
        return Err(Unreadable::TooLarge);
    }
    let relations = read_part(&mut archive, "_rels/.rels")?.unwrap_or_default();
    let main = relationship_target(&relations, "/officeDocument")?.unwrap_or_else(|| "word/document.xml".to_owned());
    let main = main.trim_start_matches('/');
    let document = read_part(&mut archive, main)?.ok_or(Unreadable::UnknownFormat)?;
    let (folder, file) = main.rsplit_once('/').unwrap_or(("", main));
    let sibling = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let relations = read_part(&mut archive, &sibling(&format!("_rels/{file}.rels")))?.unwrap_or_default();
    let state = match relationship_target(&relations, "/styles")? {
        Some(absolute) if absolute.starts_with('/') => absolute.trim_start_matches('/').to_owned(),
        Some(name) => sibling(&name),
        None => sibling("styles.xml"),
    };
    let styles = styles::parse(&read_part(&mut archive, &state)?.unwrap_or_default())?;
    let mut parser = DocumentParser::new(&styles);
    parser.parse(&document)?;
    Ok(parser.finish())
}

/// A part of the package as text; `None` if it has none of this name.
fn read_part(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Result<Option<String>, Unreadable> {
    let entry = match archive.by_name(name) {
        Ok(entry) => entry,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => return Err(Unreadable::Encrypted),
        Err(_) => return Err(Unreadable::Damaged),
    };
    // The size stated in the entry is not trusted.
    let mut bytes = Vec::new();
    entry.take(MAX_PART_BYTES + 1).read_to_end(&mut bytes).map_err(|_| Unreadable::Damaged)?;
    if bytes.len() as u64 > MAX_PART_BYTES {
        return Err(Unreadable::TooLarge);
    }
    let encoding = encoding_rs::Encoding::for_bom(&bytes).map_or(encoding_rs::UTF_8, |(encoding, _)| encoding);
    let (text, _, failed) = encoding.decode(&bytes);
    if failed { Err(Unreadable::Damaged) } else { Ok(Some(text.into_owned())) }
}

/// The target of the first relationship whose type ends with `kind`.
fn relationship_target(relations: &str, kind: &str) -> Result<Option<String>, Unreadable> {
    let mut found = None;
    visit_xml(relations, |event| {
        if let XmlEvent::Open("Relationship", element) = event
            && found.is_none()
            && attribute(element, "Type").is_some_and(|is| is.ends_with(kind))
        {
            found = attribute(element, "Target");
        }
        true
    })?;
    Ok(found)
}

/// An XML event of a part, with local names.
enum XmlEvent<'a> {
    Open(&'a str, &'a BytesStart<'a>),
    Close(&'a str),
    Words(&'a str),
}

/// Visits a part. An element for whose opening the visitor returns `false` is skipped with its contents, without a
/// closing event.
fn visit_xml(xml: &str, mut visit: impl FnMut(XmlEvent<'_>) -> bool) -> Result<(), Unreadable> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().expand_empty_elements = true;
    let (mut depth, mut skipped) = (0usize, 0usize);
    loop {
        match reader.read_event().map_err(|_| Unreadable::Damaged)? {
            Event::Start(element) => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(Unreadable::Damaged);
                }
                if skipped > 0 || !visit(XmlEvent::Open(element.local_name().into_inner(), &element)) {
                    skipped += 1;
                }
            }
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                if skipped > 0 {
                    skipped -= 1;
                } else {
                    visit(XmlEvent::Close(element.local_name().into_inner()));
                }
            }
            Event::Text(text) if skipped == 0 => {
                visit(XmlEvent::Words(&text));
            }
            Event::CData(text) if skipped == 0 => {
                visit(XmlEvent::Words(&text));
            }
            Event::GeneralRef(entity) if skipped == 0 => {
                let own = entity.resolve_char_ref().map_err(|_| Unreadable::Damaged)?;
                let mut buffer = [0; 4];
                let words = match own {
                    Some(c) => &*c.encode_utf8(&mut buffer),
                    None => resolve_predefined_entity(&entity).ok_or(Unreadable::Damaged)?,
                };
                visit(XmlEvent::Words(words));
            }
            // Word writes no DTD, and entities can make a small file a large text.
            Event::DocType(_) => return Err(Unreadable::Damaged),
            Event::Eof if depth == 0 => return Ok(()),
            Event::Eof => return Err(Unreadable::Damaged),
            _ => {}
        }
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.attributes().flatten().find(|attribute| attribute.key.local_name().into_inner() == name)?;
    quick_xml::escape::unescape(&found.value).ok().map(std::borrow::Cow::into_owned)
}

/// Whether an on/off property is on.
fn is_on(element: &BytesStart<'_>) -> bool {
    !matches!(attribute(element, "val").as_deref(), Some("0" | "false" | "off" | "none"))
}

#[derive(Default)]
struct Paragraph {
    style: Option<String>,
    outline: Option<u8>,
    runs: Vec<Run>,
}

/// State of the parser inside a paragraph.
#[derive(Default)]
struct RunState {
    /// In the properties of the paragraph.
    properties: bool,
    run: bool,
    run_properties: bool,
    text: bool,
    style: Option<String>,
    bold: Option<bool>,
    italic: Option<bool>,
}

struct DocumentParser<'a> {
    styles: &'a Styles,
    /// Open paragraphs: text boxes are nested in one.
    open: Vec<(Paragraph, RunState)>,
    has_body: bool,
    manuscript: Manuscript,
    /// The paragraphs as lines, for documents with headings without styles.
    lines: Vec<(usize, String)>,
}

impl<'a> DocumentParser<'a> {
    fn new(styles: &'a Styles) -> Self {
        Self { styles, open: Vec::new(), has_body: false, manuscript: Manuscript::default(), lines: Vec::new() }
    }

    fn parse(&mut self, xml: &str) -> Result<(), Unreadable> {
        visit_xml(xml, |event| match event {
            XmlEvent::Open(name, element) => self.open_element(name, element),
            XmlEvent::Close(name) => {
                self.close_element(name);
                true
            }
            XmlEvent::Words(words) => {
                if let Some((_, state)) = self.open.last()
                    && state.text
                {
                    self.push_text(words);
                }
                true
            }
        })?;
        // A spreadsheet is a package too.
        if self.has_body { Ok(()) } else { Err(Unreadable::UnknownFormat) }
    }

    /// Handles the opening of an element. Returns whether its contents are read.
    fn open_element(&mut self, name: &str, element: &BytesStart<'_>) -> bool {
        match name {
            "body" => self.has_body = true,
            "p" => self.open.push(<_>::default()),
            // Deleted text of tracked changes; alternatives of other content; pronunciation.
            "del" | "moveFrom" | "pPrChange" | "rPrChange" | "Fallback" | "rt" | "sectPr" => return false,
            "footnoteReference" | "endnoteReference" => self.manuscript.notes = self.manuscript.notes.saturating_add(1),
            "blip" | "imagedata" => self.manuscript.pictures = self.manuscript.pictures.saturating_add(1),
            _ => {}
        }
        let Some((paragraph, state)) = self.open.last_mut() else { return true };
        match name {
            "pPr" if !state.run => state.properties = true,
            "pStyle" if state.properties => paragraph.style = attribute(element, "val"),
            "outlineLvl" if state.properties => {
                paragraph.outline = attribute(element, "val").and_then(|level| level.parse().ok());
            }
            "r" if !state.properties => *state = RunState { run: true, ..RunState::default() },
            "rPr" if state.run => state.run_properties = true,
            "rStyle" if state.run_properties => state.style = attribute(element, "val"),
            "b" if state.run_properties => state.bold = Some(is_on(element)),
            "i" if state.run_properties => state.italic = Some(is_on(element)),
            "t" if state.run => state.text = true,
            "br" if state.run => {
                // Breaks of pages and columns are layout.
                if matches!(attribute(element, "type").as_deref(), None | Some("textWrapping")) {
                    self.push_text("\n");
                }
            }
            "cr" if state.run => self.push_text("\n"),
            "tab" | "ptab" if state.run && !state.run_properties => self.push_text("\t"),
            "noBreakHyphen" if state.run => self.push_text("\u{2011}"),
            _ => {}
        }
        true
    }

    fn close_element(&mut self, name: &str) {
        if name == "p" {
            if let Some((paragraph, _)) = self.open.pop() {
                self.finish_paragraph(paragraph);
            }
            return;
        }
        let Some((_, state)) = self.open.last_mut() else { return };
        match name {
            "pPr" => state.properties = false,
            "rPr" => state.run_properties = false,
            "t" => state.text = false,
            "r" => state.run = false,
            _ => {}
        }
    }

    fn push_text(&mut self, words: &str) {
        let Some((paragraph, state)) = self.open.last_mut() else { return };
        let of_style = state.style.as_deref().map(|style| self.styles.emphasis(style)).unwrap_or_default();
        let bold = state.bold.unwrap_or(of_style.0);
        let italic = state.italic.unwrap_or(of_style.1);
        let words: String = words.chars().filter(|c| !matches!(c, '\r' | '\u{feff}')).collect();
        match paragraph.runs.last_mut() {
            Some(last) if (last.bold, last.italic) == (bold, italic) => last.text.push_str(&words),
            _ => paragraph.runs.push(Run { text: words, bold, italic }),
        }
    }

    fn finish_paragraph(&mut self, paragraph: Paragraph) {
        let Paragraph { style, outline, runs } = paragraph;
        let plain: String = runs.iter().map(|run| run.text.as_str()).collect();
        let plain = plain.trim();
        if plain.is_empty() {
            return;
        }
        let kind = style.as_deref().map_or(ParagraphKind::Plain, |style| self.styles.kind(style));
        // A level of the paragraph itself overrides the style; of the ten levels the last is no heading.
        let kind = match outline {
            Some(level) if level < 9 => ParagraphKind::Heading(level + 1),
            Some(_) if matches!(kind, ParagraphKind::Heading(_)) => ParagraphKind::Plain,
            _ => kind,
        };
        let manuscript = &mut self.manuscript;
        match kind {
            ParagraphKind::Contents => return,
            ParagraphKind::Title
                if manuscript.title.is_none()
                    && manuscript.text.is_empty()
                    && plain.chars().count() <= MAX_TITLE_CHARS =>
            {
                manuscript.title = crate::chapter_files::single_line(plain);
                return;
            }
            _ => {}
        }
        if !manuscript.text.is_empty() {
            manuscript.text.push_str("\n\n");
        }
        let from = manuscript.text.len();
        match kind {
            ParagraphKind::Heading(level) if plain.chars().count() <= MAX_TITLE_CHARS => {
                let title = crate::chapter_files::single_line(plain).unwrap_or_default();
                manuscript.text.push_str(&"#".repeat(usize::from(level.min(6))));
                manuscript.text.push(' ');
                manuscript.text.push_str(&title);
                let kind = SectionKind::Heading;
                manuscript.headings.push(Heading { from, to: manuscript.text.len(), level, title, kind });
            }
            _ => {
                let quote = if kind == ParagraphKind::Quote { "> " } else { "" };
                let words = emphasis::to_markdown(&runs);
                let lines: Vec<String> = words
                    .trim()
                    .split('\n')
                    .map(|line| format!("{quote}{}", line.trim_start_matches(['\t', ' ', '　'])))
                    .collect();
                manuscript.text.push_str(&lines.join("\n"));
                self.lines.push((from, plain.to_owned()));
            }
        }
    }

    /// The manuscript. If no paragraph has a heading style, headings are recognized by their text.
    fn finish(self) -> Manuscript {
        let Self { mut manuscript, lines, .. } = self;
        if manuscript.headings.is_empty() {
            // Paragraphs are separated by blank lines.
            let spaced: Vec<&str> = lines.iter().flat_map(|(_, line)| [line.as_str(), ""]).collect();
            let levels = plain::heading_levels(&spaced, false);
            for ((from, line), level) in lines.iter().zip(levels.into_iter().step_by(2)) {
                if let Some(level) = level {
                    let to = manuscript
                        .text
                        .get(*from..)
                        .and_then(|rest| rest.find('\n'))
                        .map_or(manuscript.text.len(), |end| from + end);
                    let (level, title, kind) = (level as u8, line.clone(), SectionKind::Heading);
                    manuscript.headings.push(Heading { from: *from, to, level, title, kind });
                }
            }
            let end = |from: usize| {
                let rest = manuscript.text.get(from..).unwrap_or_default();
                from + rest.find('\n').unwrap_or(rest.len())
            };
            let spaced = lines.iter().flat_map(|(from, line)| {
                let (from, to) = (*from, end(*from));
                [Line { from, to, raw: line }, Line { from: to, to, raw: "" }]
            });
            proposals::add(&spaced.collect::<Vec<_>>(), &mut manuscript.headings);
        }
        manuscript
    }
}
