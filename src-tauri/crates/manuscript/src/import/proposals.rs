//! Lines that may be headings of chapters: the writer decides.

use palimpsest_text::paragraphs::SoftBreak;

use super::{Heading, SectionKind};
use crate::chapter_files::is_han_numeral;
use crate::import::headings::{is_number_word, is_roman};

/// The most columns of a short line and of a line of capitals; a Chinese character has two.
const MAX_TITLE_COLUMNS: usize = 48;
/// The least columns of indentation of a centred line.
const MIN_CENTRED_INDENT: usize = 12;
/// At least one in this many paragraphs being a short line, short lines are the way the text is written.
const SHORT_LINE_DIVISOR: usize = 4;
/// The most proposals of a file; of more, none is shown.
const MAX_PROPOSALS: usize = 2000;
/// The level of a proposal: below all headings.
const PROPOSAL_LEVEL: u8 = 9;

/// A line of the source, with the bytes of its words in the text of the manuscript.
pub(super) struct Line<'t> {
    pub(super) from: usize,
    pub(super) to: usize,
    /// With its indentation.
    pub(super) raw: &'t str,
}

/// Number of wrapped lines, without the lines of verse.
pub(super) fn count_wrapped(breaks: &[SoftBreak]) -> u32 {
    let wrapped = breaks.iter().filter(|soft| !soft.replacement.contains('\n')).count();
    u32::try_from(wrapped).unwrap_or(u32::MAX)
}

/// Adds to the recognized headings the lines that stand alone between blank lines and may be headings.
pub(super) fn add(lines: &[Line<'_>], headings: &mut Vec<Heading>) {
    let is_blank = |at: Option<usize>| at.and_then(|at| lines.get(at)).is_none_or(|line| line.raw.trim().is_empty());
    let known: std::collections::HashSet<usize> = headings.iter().map(|heading| heading.from).collect();
    let mut found: Vec<Heading> = Vec::new();
    let mut paragraphs = 0;
    // Whether only blank lines follow the last proposal.
    let mut is_adjacent = false;
    for (at, line) in lines.iter().enumerate() {
        let words = line.raw.trim();
        if words.is_empty() {
            continue;
        }
        paragraphs += usize::from(is_blank(at.checked_sub(1)));
        let is_alone = is_blank(at.checked_sub(1)) && is_blank(Some(at + 1)) && !known.contains(&line.from);
        let kind = if is_alone { kind_of(line.raw) } else { None };
        let Some(kind) = kind else {
            is_adjacent = false;
            continue;
        };
        let title = if kind == SectionKind::Ornament { String::new() } else { words.to_owned() };
        match found.last_mut() {
            // A number and the title below it are one heading.
            Some(last) if is_adjacent && last.kind == SectionKind::Numeral && is_title_line(kind) => {
                last.to = line.to;
                last.title = format!("{} {title}", last.title);
                is_adjacent = false;
            }
            _ => {
                found.push(Heading { from: line.from, to: line.to, level: PROPOSAL_LEVEL, title, kind });
                is_adjacent = true;
            }
        }
    }
    let short = found.iter().filter(|heading| heading.kind == SectionKind::ShortLine).count();
    if short * SHORT_LINE_DIVISOR > paragraphs {
        found.retain(|heading| heading.kind != SectionKind::ShortLine);
    }
    if found.len() <= MAX_PROPOSALS {
        headings.extend(found);
        headings.sort_by_key(|heading| heading.from);
    }
}

/// Whether a line of this kind may be the title below a number.
fn is_title_line(kind: SectionKind) -> bool {
    matches!(kind, SectionKind::Centred | SectionKind::Capitals | SectionKind::ShortLine)
}

/// The kind of a line that may be a heading.
fn kind_of(raw: &str) -> Option<SectionKind> {
    let words = raw.trim();
    let columns = |text: &str| text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum::<usize>();
    if is_end_of_publication(words) {
        return Some(SectionKind::Licence);
    }
    if is_ornament(words) {
        return Some(SectionKind::Ornament);
    }
    if columns(words) > MAX_TITLE_COLUMNS || words.starts_with(['#', '>', '|', '`', '<', '+']) {
        return None;
    }
    if is_numeral(words) {
        return Some(SectionKind::Numeral);
    }
    if words.starts_with(['“', '‘', '"', '\'', '「', '『', '-', '—', '*']) || words.ends_with(is_sentence_end) {
        return None;
    }
    if words.contains('。') || is_date(words) {
        return None;
    }
    let letters = || words.chars().filter(|c| c.is_alphabetic());
    if letters().count() >= 2 && letters().all(|c| c.is_uppercase() && !is_wide(c)) {
        return Some(SectionKind::Capitals);
    }
    if columns(raw.get(..raw.len() - raw.trim_start().len()).unwrap_or_default()) >= MIN_CENTRED_INDENT {
        return Some(SectionKind::Centred);
    }
    let is_title = !words.contains(|c: char| is_sentence_end(c) || matches!(c, '“' | '”' | '"'))
        && columns(words) <= MAX_TITLE_COLUMNS * 2 / 3
        && !words.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit());
    is_title.then_some(SectionKind::ShortLine)
}

fn is_wide(c: char) -> bool {
    u32::from(c) >= 0x2E80
}

/// Marks that end a sentence or a clause, and no title.
fn is_sentence_end(c: char) -> bool {
    matches!(c, '。' | '，' | '、' | '；' | '：' | '！' | '？' | '…' | '.' | ',' | ';' | ':' | '!' | '?' | '～')
}

/// Whether a line has only signs that separate scenes.
fn is_ornament(words: &str) -> bool {
    const SIGNS: &[char] = &[
        '*', '＊', '-', '—', '–', '_', '=', '~', '～', '·', '•', '◇', '◆', '☆', '★', '※', '⁂', '○', '●', '□', '■', '#',
        '＃',
    ];
    let signs = words.chars().filter(|c| !c.is_whitespace()).count();
    let is_single = words.chars().all(|c| matches!(c, '⁂' | '※' | '◇' | '◆' | '☆' | '★' | '*' | '＊' | '#'));
    words.chars().all(|c| c.is_whitespace() || SIGNS.contains(&c)) && (signs >= 3 || is_single)
}

/// Whether a line has only a number: 三, （三）, 3., III, Three.
fn is_numeral(words: &str) -> bool {
    let is_frame = |c: char| {
        matches!(c, '（' | '）' | '(' | ')' | '[' | ']' | '【' | '】' | '、' | '.' | '．' | '。' | '-' | '—' | '§')
            || c.is_whitespace()
    };
    let bare = words.trim_matches(is_frame);
    let length = bare.chars().count();
    let is_han = length <= 5 && bare.chars().all(is_han_numeral);
    let is_digits = length <= 3 && bare.chars().all(|c| c.is_numeric() && !is_han_numeral(c));
    length > 0 && (is_han || is_digits || is_roman(bare) || is_number_word(bare))
}

/// Whether a line is a date, such as stands below a story: 一九二四年二月一六日.
fn is_date(words: &str) -> bool {
    let is_part = |c: char| is_han_numeral(c) || c.is_numeric() || matches!(c, '年' | '月' | '日' | '○' | '夜');
    words.contains('年') && words.chars().filter(|&c| is_part(c)).count() * 4 > words.chars().count() * 3
}

/// Whether a line is the end of the text and the start of a publisher's notes.
fn is_end_of_publication(words: &str) -> bool {
    let lower = words.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    bare.starts_with("end of") && bare.contains("project gutenberg")
}

/// Whether a text before the first chapter is a publisher's notice.
pub(super) fn is_notice(text: &str) -> bool {
    text.to_lowercase().contains("project gutenberg")
}
