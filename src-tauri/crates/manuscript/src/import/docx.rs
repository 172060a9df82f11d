//! Chapters out of a Word document: the paragraphs of its main part, with what is a heading, italic or bold.

mod styles;

use std::io::{Cursor, Read};

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;
use zip::result::ZipError;

use super::{Heading, LONGEST_TITLE, Manuscript, Unreadable, plain};
use crate::emphasis::{self, Run};
use styles::{Kind, Styles};

/// The most that one part of the document may unpack to, in bytes. A million words of prose are about 40 MB of XML.
const MAX_PART_BYTES: u64 = 128 * 1024 * 1024;
/// A document has a dozen parts, and a few for each picture.
const MAX_PARTS: usize = 20_000;
/// How deep elements may lie in each other; Word's own stay below thirty, but for tables in tables.
const MAX_DEPTH: usize = 500;

pub(super) fn read(bytes: &[u8]) -> Result<Manuscript, Unreadable> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| Unreadable::Damaged)?;
    if archive.len() > MAX_PARTS {
        return Err(Unreadable::TooLarge);
    }
    let relations = part(&mut archive, "_rels/.rels")?.unwrap_or_default();
    let main = target(&relations, "/officeDocument")?.unwrap_or_else(|| "word/document.xml".to_owned());
    let main = main.trim_start_matches('/');
    let document = part(&mut archive, main)?.ok_or(Unreadable::UnknownFormat)?;
    let (folder, file) = main.rsplit_once('/').unwrap_or(("", main));
    let beside = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let relations = part(&mut archive, &beside(&format!("_rels/{file}.rels")))?.unwrap_or_default();
    let place = match target(&relations, "/styles")? {
        Some(absolute) if absolute.starts_with('/') => absolute.trim_start_matches('/').to_owned(),
        Some(name) => beside(&name),
        None => beside("styles.xml"),
    };
    let styles = styles::read(&part(&mut archive, &place)?.unwrap_or_default())?;
    let mut reading = Reading::new(&styles);
    reading.document(&document)?;
    Ok(reading.finish())
}

/// A part of the package as text; `None` when it has none of this name.
fn part(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Result<Option<String>, Unreadable> {
    let entry = match archive.by_name(name) {
        Ok(entry) => entry,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => return Err(Unreadable::Encrypted),
        Err(_) => return Err(Unreadable::Damaged),
    };
    // What the entry says of its own size is not believed.
    let mut bytes = Vec::new();
    entry.take(MAX_PART_BYTES + 1).read_to_end(&mut bytes).map_err(|_| Unreadable::Damaged)?;
    if bytes.len() as u64 > MAX_PART_BYTES {
        return Err(Unreadable::TooLarge);
    }
    let encoding = encoding_rs::Encoding::for_bom(&bytes).map_or(encoding_rs::UTF_8, |(encoding, _)| encoding);
    let (text, _, failed) = encoding.decode(&bytes);
    if failed { Err(Unreadable::Damaged) } else { Ok(Some(text.into_owned())) }
}

/// The target of the first relation whose type ends like this.
fn target(relations: &str, kind: &str) -> Result<Option<String>, Unreadable> {
    let mut found = None;
    walk(relations, |step| {
        if let Step::Open("Relationship", element) = step
            && found.is_none()
            && attribute(element, "Type").is_some_and(|is| is.ends_with(kind))
        {
            found = attribute(element, "Target");
        }
        true
    })?;
    Ok(found)
}

/// What is met in a part, by local names.
enum Step<'a> {
    Open(&'a str, &'a BytesStart<'a>),
    Close(&'a str),
    Words(&'a str),
}

/// Goes through a part. What the visitor does not want to enter, by answering `false` to its opening, is passed over with
/// all that it holds, and not closed.
fn walk(xml: &str, mut visit: impl FnMut(Step<'_>) -> bool) -> Result<(), Unreadable> {
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
                if skipped > 0 || !visit(Step::Open(element.local_name().into_inner(), &element)) {
                    skipped += 1;
                }
            }
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                if skipped > 0 {
                    skipped -= 1;
                } else {
                    visit(Step::Close(element.local_name().into_inner()));
                }
            }
            Event::Text(text) if skipped == 0 => {
                visit(Step::Words(&text));
            }
            Event::CData(text) if skipped == 0 => {
                visit(Step::Words(&text));
            }
            Event::GeneralRef(entity) if skipped == 0 => {
                let own = entity.resolve_char_ref().map_err(|_| Unreadable::Damaged)?;
                let mut buffer = [0; 4];
                let words = match own {
                    Some(c) => &*c.encode_utf8(&mut buffer),
                    None => resolve_predefined_entity(&entity).ok_or(Unreadable::Damaged)?,
                };
                visit(Step::Words(words));
            }
            // Word writes none; one can make a small file a large text.
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

/// Whether a property that may be switched off is on.
fn is_on(element: &BytesStart<'_>) -> bool {
    !matches!(attribute(element, "val").as_deref(), Some("0" | "false" | "off" | "none"))
}

#[derive(Default)]
struct Paragraph {
    style: Option<String>,
    outline: Option<u8>,
    runs: Vec<Run>,
}

/// Where the reader stands in a paragraph.
#[derive(Default)]
struct Place {
    /// In the properties of the paragraph.
    properties: bool,
    run: bool,
    run_properties: bool,
    text: bool,
    style: Option<String>,
    bold: Option<bool>,
    italic: Option<bool>,
}

struct Reading<'a> {
    styles: &'a Styles,
    /// Paragraphs that are open: text boxes stand inside of one.
    open: Vec<(Paragraph, Place)>,
    body: bool,
    done: Manuscript,
    /// The paragraphs as lines, for documents whose headings are only written like such.
    lines: Vec<(usize, String)>,
}

impl<'a> Reading<'a> {
    fn new(styles: &'a Styles) -> Self {
        Self { styles, open: Vec::new(), body: false, done: Manuscript::default(), lines: Vec::new() }
    }

    fn document(&mut self, xml: &str) -> Result<(), Unreadable> {
        walk(xml, |step| match step {
            Step::Open(name, element) => self.enter(name, element),
            Step::Close(name) => {
                self.leave(name);
                true
            }
            Step::Words(words) => {
                if let Some((_, place)) = self.open.last()
                    && place.text
                {
                    self.say(words);
                }
                true
            }
        })?;
        // A spreadsheet is a package, too.
        if self.body { Ok(()) } else { Err(Unreadable::UnknownFormat) }
    }

    /// Whether what is in the element counts.
    fn enter(&mut self, name: &str, element: &BytesStart<'_>) -> bool {
        match name {
            "body" => self.body = true,
            "p" => self.open.push(<_>::default()),
            // What was there before a change that is only proposed; a second form of what stands beside it; how it is read aloud.
            "del" | "moveFrom" | "pPrChange" | "rPrChange" | "Fallback" | "rt" | "sectPr" => return false,
            "footnoteReference" | "endnoteReference" => self.done.notes = self.done.notes.saturating_add(1),
            "blip" | "imagedata" => self.done.pictures = self.done.pictures.saturating_add(1),
            _ => {}
        }
        let Some((paragraph, place)) = self.open.last_mut() else { return true };
        match name {
            "pPr" if !place.run => place.properties = true,
            "pStyle" if place.properties => paragraph.style = attribute(element, "val"),
            "outlineLvl" if place.properties => {
                paragraph.outline = attribute(element, "val").and_then(|level| level.parse().ok());
            }
            "r" if !place.properties => *place = Place { run: true, ..Place::default() },
            "rPr" if place.run => place.run_properties = true,
            "rStyle" if place.run_properties => place.style = attribute(element, "val"),
            "b" if place.run_properties => place.bold = Some(is_on(element)),
            "i" if place.run_properties => place.italic = Some(is_on(element)),
            "t" if place.run => place.text = true,
            "br" if place.run => {
                // Pages and columns end where the paper does.
                if matches!(attribute(element, "type").as_deref(), None | Some("textWrapping")) {
                    self.say("\n");
                }
            }
            "cr" if place.run => self.say("\n"),
            "tab" | "ptab" if place.run && !place.run_properties => self.say("\t"),
            "noBreakHyphen" if place.run => self.say("\u{2011}"),
            _ => {}
        }
        true
    }

    fn leave(&mut self, name: &str) {
        if name == "p" {
            if let Some((paragraph, _)) = self.open.pop() {
                self.put(paragraph);
            }
            return;
        }
        let Some((_, place)) = self.open.last_mut() else { return };
        match name {
            "pPr" => place.properties = false,
            "rPr" => place.run_properties = false,
            "t" => place.text = false,
            "r" => place.run = false,
            _ => {}
        }
    }

    fn say(&mut self, words: &str) {
        let Some((paragraph, place)) = self.open.last_mut() else { return };
        let of_style = place.style.as_deref().map(|style| self.styles.emphasis(style)).unwrap_or_default();
        let bold = place.bold.unwrap_or(of_style.0);
        let italic = place.italic.unwrap_or(of_style.1);
        let words: String = words.chars().filter(|c| !matches!(c, '\r' | '\u{feff}')).collect();
        match paragraph.runs.last_mut() {
            Some(last) if (last.bold, last.italic) == (bold, italic) => last.text.push_str(&words),
            _ => paragraph.runs.push(Run { text: words, bold, italic }),
        }
    }

    fn put(&mut self, paragraph: Paragraph) {
        let Paragraph { style, outline, runs } = paragraph;
        let plain: String = runs.iter().map(|run| run.text.as_str()).collect();
        let plain = plain.trim();
        if plain.is_empty() {
            return;
        }
        let kind = style.as_deref().map_or(Kind::Plain, |style| self.styles.kind(style));
        // Set on the paragraph itself it outranks the style; ten levels, of which the last is no heading.
        let kind = match outline {
            Some(level) if level < 9 => Kind::Heading(level + 1),
            Some(_) if matches!(kind, Kind::Heading(_)) => Kind::Plain,
            _ => kind,
        };
        let done = &mut self.done;
        match kind {
            Kind::Contents => return,
            Kind::Title if done.title.is_none() && done.text.is_empty() && plain.chars().count() <= LONGEST_TITLE => {
                done.title = crate::names::one_line(plain);
                return;
            }
            _ => {}
        }
        if !done.text.is_empty() {
            done.text.push_str("\n\n");
        }
        let from = done.text.len();
        match kind {
            Kind::Heading(level) if plain.chars().count() <= LONGEST_TITLE => {
                let title = crate::names::one_line(plain).unwrap_or_default();
                done.text.push_str(&"#".repeat(usize::from(level.min(6))));
                done.text.push(' ');
                done.text.push_str(&title);
                done.headings.push(Heading { from, to: done.text.len(), level, title });
            }
            _ => {
                let quote = if kind == Kind::Quote { "> " } else { "" };
                let words = emphasis::write(&runs);
                let lines: Vec<String> = words
                    .trim()
                    .split('\n')
                    .map(|line| format!("{quote}{}", line.trim_start_matches(['\t', ' ', '　'])))
                    .collect();
                done.text.push_str(&lines.join("\n"));
                self.lines.push((from, plain.to_owned()));
            }
        }
    }

    /// What was read. Where no paragraph is styled as a heading, those that are written like one are.
    fn finish(self) -> Manuscript {
        let Self { mut done, lines, .. } = self;
        if done.headings.is_empty() {
            // Paragraphs have air around them.
            let spaced: Vec<&str> = lines.iter().flat_map(|(_, line)| [line.as_str(), ""]).collect();
            let levels = plain::levels(&spaced, false);
            for ((from, line), level) in lines.iter().zip(levels.into_iter().step_by(2)) {
                if let Some(level) = level {
                    let to = done
                        .text
                        .get(*from..)
                        .and_then(|rest| rest.find('\n'))
                        .map_or(done.text.len(), |end| from + end);
                    done.headings.push(Heading { from: *from, to, level: level as u8, title: line.clone() });
                }
            }
        }
        done
    }
}
