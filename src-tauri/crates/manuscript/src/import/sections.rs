//! The sections of an imported manuscript, and the chapters that are made of them.

use std::collections::HashSet;
use std::ops::Range;

use palimpsest_text::excerpt;

use super::proposals::is_notice;
use super::{Heading, MAX_CHAPTERS, MAX_TITLE_CHARS, Manuscript, NewChapter, Unreadable, headings};
use crate::chapter_files;
use crate::disk::MAX_CHAPTER_BYTES;

/// At least this many lines of a kind begin chapters in a text without recognized headings.
const MIN_ALIKE: usize = 2;
/// At least this many centred lines begin chapters, beside recognized headings too.
const MIN_CENTRED: usize = 5;
/// The most characters of the title of a section that begins with an ornament or a paragraph.
pub(super) const MAX_OPENING_CHARS: usize = 24;

/// The beginning of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionKind {
    /// The start of the file.
    Start,
    /// A heading: marked as one, or 第一章, Chapter 1, Prologue.
    Heading,
    /// A number alone in a line.
    Numeral,
    /// A line of capitals.
    Capitals,
    /// A centred line.
    Centred,
    /// A short line between blank lines.
    ShortLine,
    /// Signs that separate scenes.
    Ornament,
    /// A paragraph that the writer chose.
    Paragraph,
    /// The line that ends the text, before a licence.
    Licence,
}

/// The use of a section in an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionUse {
    /// It begins a chapter.
    Chapter,
    /// It continues the chapter before it, with its heading as text.
    Continue,
    /// It is left out.
    Omit,
}

/// A stretch of a manuscript from one heading, or line that may be one, to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The title of the chapter that would begin here; one line with a visible character.
    pub title: String,
    /// The kind of its first line.
    pub kind: SectionKind,
    /// Its use without a choice of the writer.
    pub usage: SectionUse,
    /// Start of its heading, in bytes.
    pub(super) from: usize,
    /// End of its heading.
    pub(super) body: usize,
    pub(super) to: usize,
}

/// The writer's choice for a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionChoice {
    /// The use of the section.
    pub usage: SectionUse,
    /// Another title of the chapter that begins here.
    pub title: Option<String>,
}

/// The choices do not fit the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MisfitChoices {
    /// There is not one choice for each section.
    #[error("not one choice for each section")]
    OtherNumber,
    /// No section begins a chapter, or one continues a chapter before any begins.
    #[error("a section continues no chapter")]
    NoChapter,
    /// A title is empty or longer than 200 characters.
    #[error("a title is empty or too long")]
    Title,
    /// A section is split at a position where no paragraph begins, or at too many.
    #[error("no paragraph begins at a split")]
    Split,
    /// A chapter would be too large.
    #[error("a chapter would be too large")]
    TooLarge,
}

/// The contents of an imported file.
#[derive(Clone, PartialEq, Eq)]
pub struct Imported {
    /// The title of the book, if the file has one above its chapters.
    pub title: Option<String>,
    /// In order; at least one.
    pub sections: Vec<Section>,
    /// The name of the encoding of a text file.
    pub encoding: Option<&'static str>,
    /// Number of undecodable positions of a text file; each is a `�` in the text.
    pub unreadable: u32,
    /// Number of omitted footnotes and endnotes.
    pub notes: u32,
    /// Number of omitted pictures.
    pub pictures: u32,
    /// Number of line ends inside wrapped paragraphs, joined or not.
    pub wrapped_lines: u32,
    /// BLAKE3 of the file's bytes in hexadecimal.
    pub content_hash: String,
    pub(super) text: String,
}

impl std::fmt::Debug for Imported {
    // The text is private: not even a failed assertion shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Imported").field("sections", &self.sections.len()).finish_non_exhaustive()
    }
}

impl Imported {
    /// The text of a section, without its heading.
    #[must_use]
    pub fn text_of(&self, section: &Section) -> &str {
        between(&self.text, section.body, section.to)
    }

    /// The chapters by the writer's choices, one for each section; without them, by the recognized headings.
    ///
    /// # Errors
    /// [`MisfitChoices`].
    pub fn chapters(&self, choices: Option<&[SectionChoice]>) -> Result<Vec<NewChapter>, MisfitChoices> {
        if choices.is_some_and(|choices| choices.len() != self.sections.len()) {
            return Err(MisfitChoices::OtherNumber);
        }
        // The stretches of the text that each chapter consists of.
        let mut planned: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
        for (at, section) in self.sections.iter().enumerate() {
            let choice = choices.and_then(|choices| choices.get(at));
            let wanted = choice.and_then(|choice| choice.title.as_deref()).unwrap_or(&section.title);
            match choice.map_or(section.usage, |choice| choice.usage) {
                SectionUse::Omit => {}
                SectionUse::Chapter => {
                    let title = chapter_files::single_line(wanted).ok_or(MisfitChoices::Title)?;
                    if title.chars().count() > MAX_TITLE_CHARS {
                        return Err(MisfitChoices::Title);
                    }
                    planned.push((title, vec![(section.body, section.to)]));
                }
                SectionUse::Continue => {
                    let (_, stretches) = planned.last_mut().ok_or(MisfitChoices::NoChapter)?;
                    match stretches.last_mut() {
                        Some((_, end)) if *end == section.from => *end = section.to,
                        _ => stretches.push((section.from, section.to)),
                    }
                }
            }
        }
        if planned.is_empty() {
            return Err(MisfitChoices::NoChapter);
        }
        let chapter = |(title, stretches): (String, Vec<(usize, usize)>)| {
            let texts = stretches.into_iter().map(|(from, to)| between(&self.text, from, to));
            let text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
            NewChapter { title, text }
        };
        let chapters: Vec<NewChapter> = planned.into_iter().map(chapter).collect();
        if chapters.iter().any(|chapter| chapter.text.len() > max_text_bytes()) {
            return Err(MisfitChoices::TooLarge);
        }
        Ok(chapters)
    }
}

/// The heading is added to the text of a chapter.
fn max_text_bytes() -> usize {
    usize::try_from(MAX_CHAPTER_BYTES).unwrap_or(usize::MAX) - 4 * MAX_TITLE_CHARS - 8
}

/// The title of a section from its first words: one line with a visible character.
pub(super) fn title_from(opening: &str) -> String {
    chapter_files::single_line(opening).unwrap_or_else(|| "*".to_owned())
}

/// A stretch without blank lines at its start and end.
pub(super) fn between(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default().trim_matches('\n').trim_end()
}

impl Manuscript {
    /// Splits at all headings. Those of the highest level begin chapters, and those of the next level if the highest
    /// are parts of the book. A single heading of its level, with only headings below it, is the title of the book.
    pub(super) fn split(self, stem: &str, content_hash: String) -> Result<Imported, Unreadable> {
        let Self { mut title, text, mut headings, encoding, unreadable, notes, pictures, wrapped_lines } = self;
        headings.retain(|heading| {
            heading.kind == SectionKind::Ornament
                || chapter_files::single_line(&heading.title).is_some()
                    && heading.title.chars().count() <= MAX_TITLE_CHARS
        });
        let mut start = 0;
        if title.is_none() && has_book_title(&text, &headings) {
            let book_title = headings.remove(0);
            start = book_title.to;
            title = chapter_files::single_line(&book_title.title);
        }
        let mut begins_chapter = chapter_starts(&text, &headings);
        // A line at the very start that begins no chapter is text of the first section.
        let is_first_text = begins_chapter.first() == Some(&false)
            && headings.first().is_some_and(|first| between(&text, start, first.from).trim().is_empty());
        if is_first_text {
            headings.remove(0);
            begins_chapter.remove(0);
        }

        let mut sections = Vec::new();
        let first = headings.first().map_or(text.len(), |heading| heading.from);
        if !between(&text, start, first).trim().is_empty() {
            // A title with only text below it is the title of that chapter.
            let title = if begins_chapter.contains(&true) { None } else { title.take() };
            let stem = chapter_files::single_line(stem).unwrap_or_else(|| "1".to_owned());
            let title = title.unwrap_or(stem).chars().take(MAX_TITLE_CHARS).collect();
            let usage = SectionUse::Chapter;
            sections.push(Section { title, kind: SectionKind::Start, usage, from: start, body: start, to: first });
        }
        for (at, heading) in headings.iter().enumerate() {
            let to = headings.get(at + 1).map_or(text.len(), |next| next.from);
            let opening = || title_from(&excerpt(between(&text, heading.to, to), MAX_OPENING_CHARS));
            let title = chapter_files::single_line(&heading.title).unwrap_or_else(opening);
            let usage = if begins_chapter.get(at) == Some(&true) { SectionUse::Chapter } else { SectionUse::Continue };
            sections.push(Section { title, kind: heading.kind, usage, from: heading.from, body: heading.to, to });
        }
        leave_out_publisher(&text, &mut sections);
        if sections.is_empty() {
            // A file with only a title.
            let title = title.take().ok_or(Unreadable::Empty)?;
            let (kind, usage, from) = (SectionKind::Start, SectionUse::Chapter, text.len());
            sections.push(Section { title, kind, usage, from, body: from, to: from });
        }
        let imported =
            Imported { title, sections, encoding, unreadable, notes, pictures, wrapped_lines, content_hash, text };
        let chapters = imported.sections.iter().filter(|section| section.usage == SectionUse::Chapter).count();
        if chapters > MAX_CHAPTERS {
            return Err(Unreadable::TooManyChapters);
        }
        match imported.chapters(None) {
            Err(MisfitChoices::TooLarge) => Err(Unreadable::TooLarge),
            _ => Ok(imported),
        }
    }
}

/// Leaves out a publisher's notice before the first chapter and everything from its licence on.
fn leave_out_publisher(text: &str, sections: &mut [Section]) {
    let is_chapter = |section: &Section| section.usage == SectionUse::Chapter && section.kind != SectionKind::Start;
    let first = sections.iter().position(is_chapter).unwrap_or(0);
    let front = sections.get(..first).unwrap_or_default();
    if front.iter().any(|section| is_notice(text.get(section.from..section.to).unwrap_or_default())) {
        sections.iter_mut().take(first).for_each(|section| section.usage = SectionUse::Omit);
    }
    let licence = sections.iter().position(|section| section.kind == SectionKind::Licence).unwrap_or(sections.len());
    if licence > first {
        sections.iter_mut().skip(licence).for_each(|section| section.usage = SectionUse::Omit);
    }
}

/// For each heading whether it begins a chapter.
fn chapter_starts(text: &str, headings: &[Heading]) -> Vec<bool> {
    let marked: Vec<&Heading> = headings.iter().filter(|heading| heading.kind == SectionKind::Heading).collect();
    let levels = chapter_levels(&marked);
    let chapters = marked.iter().filter(|heading| levels.contains(&heading.level)).count();
    let has_text_below = |at: usize| {
        let (from, to) = (headings.get(at).map_or(0, |heading| heading.to), headings.get(at + 1).map(|next| next.from));
        !between(text, from, to.unwrap_or(text.len())).trim().is_empty()
    };
    // A run of headings with only blank lines between them – a title, an author, a number – is one heading.
    let runs: Vec<Range<usize>> = {
        let ends: Vec<usize> = (0..headings.len()).filter(|&at| has_text_below(at)).map(|at| at + 1).collect();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts.zip(ends.iter().copied()).map(|(from, to)| from..to).collect()
    };
    let of_kind = |run: &Range<usize>, kind: SectionKind| {
        run.clone().find(|&at| headings.get(at).is_some_and(|heading| heading.kind == kind))
    };
    let alike = |kind: SectionKind| runs.iter().filter(|run| of_kind(run, kind).is_some()).count();
    let titles: Vec<&str> = (headings.iter())
        .filter(|heading| heading.kind == SectionKind::Numeral)
        .map(|heading| heading.title.as_str())
        .collect();
    // Numbers that begin again count the parts of each story.
    let is_counted_once = titles.iter().collect::<HashSet<_>>().len() == titles.len();
    let (numerals, centred) = (alike(SectionKind::Numeral), alike(SectionKind::Centred));
    let kind = if chapters >= MIN_ALIKE {
        (centred >= MIN_CENTRED).then_some(SectionKind::Centred)
    } else if numerals >= MIN_ALIKE && is_counted_once && numerals >= centred {
        Some(SectionKind::Numeral)
    } else {
        let titles = [SectionKind::Centred, SectionKind::Capitals, SectionKind::Numeral];
        titles.into_iter().find(|&kind| alike(kind) >= MIN_ALIKE)
    };
    let mut starts: Vec<bool> = (headings.iter())
        .map(|heading| heading.kind == SectionKind::Heading && levels.contains(&heading.level))
        .collect();
    for run in runs {
        let is_marked = starts.get(run.clone()).is_some_and(|starts| starts.contains(&true));
        if let (false, Some(at)) = (is_marked, kind.and_then(|kind| of_kind(&run, kind)))
            && let Some(start) = starts.get_mut(at)
        {
            *start = true;
        }
    }
    starts
}

/// Whether the first heading is the title of the book.
fn has_book_title(text: &str, headings: &[Heading]) -> bool {
    let marked: Vec<&Heading> = headings.iter().filter(|heading| heading.kind == SectionKind::Heading).collect();
    let [first, second, _, ..] = marked.as_slice() else { return false };
    let blank = |from: usize, to: usize| text.get(from..to).is_some_and(|between| between.trim().is_empty());
    marked.iter().skip(1).all(|heading| heading.level > first.level)
        && marked.iter().filter(|heading| heading.level == second.level).count() >= 2
        && blank(0, first.from)
        && blank(first.to, second.from)
        && !headings::is_part_title(&first.title)
}

/// The levels of the headings that begin a chapter.
fn chapter_levels(headings: &[&Heading]) -> Vec<u8> {
    let Some(highest) = headings.iter().map(|heading| heading.level).min() else { return Vec::new() };
    let next = headings.iter().map(|heading| heading.level).filter(|&level| level > highest).min();
    let (parts, others): (Vec<&Heading>, Vec<&Heading>) = (headings.iter())
        .filter(|heading| heading.level == highest)
        .partition(|heading| headings::is_part_title(&heading.title));
    match next {
        Some(next) if parts.len() > others.len() => vec![highest, next],
        _ => vec![highest],
    }
}
