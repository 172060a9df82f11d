//! The paragraphs of a text, whose lines may be wrapped.
//!
//! Prose is written in two ways: a line for each paragraph, or paragraphs separated by empty lines (or by indentation)
//! with lines wrapped at some width. A text is wrapped if its lines often end inside a sentence: the next line then
//! begins with a small letter, or the last Chinese characters fill the line. Within a wrapped text a line end is a
//! space (nothing between Chinese characters), except:
//!
//! - after two spaces or a backslash (Markdown's hard break), and in verse, where it ends a line of the paragraph;
//! - beside a heading, a rule, a table, code, or the start of an item of a list, and before an indented first line,
//!   where it ends the paragraph.
//!
//! Law: a text and the same text wrapped at any width from [`MIN_WRAP_COLUMNS`] on have the same paragraphs, if at
//! least [`MIN_RUN_ON_LINES`] of its lines end inside a sentence.

mod lines;

use std::borrow::Cow;
use std::ops::Range;

use lines::{Line, is_closing_mark, is_shared_mark, is_wide, lines};

/// Narrower lines are taken for verse or for a list. A Chinese character has two columns.
pub const MIN_WRAP_COLUMNS: usize = 24;
/// The least lines of a wrapped text that run on in the next line.
pub const MIN_RUN_ON_LINES: usize = 2;
/// The least usual width of wrapped lines: they are narrower than the wrap by up to a word.
const MIN_USUAL_COLUMNS: usize = MIN_WRAP_COLUMNS * 2 / 3;
/// The least share of line ends inside paragraphs that run on, as a divisor: a quarter.
const RUN_ON_DIVISOR: usize = 4;
/// Number of line ends for which one usual width is computed: a file may contain texts of several widths.
const WIDTH_GROUP: usize = 32;

/// A line end inside a paragraph of a wrapped text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoftBreak {
    /// Bytes from the end of the words of one line to the start of the words of the next.
    pub range: Range<usize>,
    /// The text in its place.
    pub replacement: &'static str,
}

/// A Markdown hard break.
const HARD_BREAK: &str = "  \n";

/// The line ends of `text` that do not separate paragraphs, in order. None if its lines are not wrapped.
#[must_use]
pub fn soft_breaks(text: &str) -> Vec<SoftBreak> {
    let lines = lines(text);
    let breaks = classify(text, &lines);
    let mut found = Vec::new();
    for (at, class) in breaks.into_iter().enumerate() {
        let (above, below) = (&lines[at], &lines[at + 1]);
        let replacement = match class {
            Break::Paragraph | Break::MarkedLine => continue,
            Break::Line => HARD_BREAK,
            Break::Nothing => "",
            Break::Space => " ",
        };
        found.push(SoftBreak { range: above.end..below.start, replacement });
    }
    found
}

/// The text with each wrapped paragraph in one line. Verse in a wrapped text gets Markdown's hard breaks.
#[must_use]
pub fn unwrapped(text: &str) -> Cow<'_, str> {
    replace_breaks(text, &soft_breaks(text))
}

/// The text with its soft breaks replaced.
#[must_use]
pub fn replace_breaks<'t>(text: &'t str, breaks: &[SoftBreak]) -> Cow<'t, str> {
    if breaks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for SoftBreak { range, replacement } in breaks {
        out.push_str(&text[at..range.start]);
        out.push_str(replacement);
        at = range.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// The paragraphs of `text` as ranges of bytes, without white space around them. A heading is a paragraph.
#[must_use]
pub fn ranges(text: &str) -> Vec<Range<usize>> {
    let lines = lines(text);
    let breaks = classify(text, &lines);
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut continues = false;
    for (at, line) in lines.iter().enumerate() {
        if !line.is_blank() {
            match found.last_mut() {
                Some(last) if continues => last.end = line.end,
                _ => found.push(line.start..line.end),
            }
        }
        continues = breaks.get(at).is_some_and(|class| *class != Break::Paragraph);
    }
    found
}

/// The meaning of a line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Break {
    /// It separates two paragraphs.
    Paragraph,
    /// A hard break, marked as in Markdown.
    MarkedLine,
    /// A line of verse ends.
    Line,
    /// A wrapped line, joined without a space.
    Nothing,
    /// A wrapped line, joined by a space.
    Space,
}

/// The meaning of the end of each line but the last.
fn classify(text: &str, lines: &[Line<'_>]) -> Vec<Break> {
    let mut breaks = vec![Break::Paragraph; lines.len().saturating_sub(1)];
    let mut candidates = Vec::new();
    for (at, pair) in lines.windows(2).enumerate() {
        let (above, below) = (&pair[0], &pair[1]);
        let is_inside = !above.is_blank()
            && !below.is_blank()
            && !above.is_structural
            && !below.is_structural
            && !below.is_item
            && above.quotes == below.quotes;
        match (is_inside, above.is_hard) {
            (true, true) => breaks[at] = Break::MarkedLine,
            (true, false) => candidates.push(at),
            (false, _) => {}
        }
    }
    if candidates.is_empty() {
        return breaks;
    }
    let widths = usual_widths(lines, &candidates);
    let pairs: Vec<Pair<'_>> = (candidates.iter().zip(&widths))
        .map(|(&at, &usual)| Pair { above: &lines[at], below: &lines[at + 1], usual })
        .collect();
    let indented = indented_starts(&candidates, &pairs);
    let inside: Vec<usize> = (0..pairs.len()).filter(|&n| !indented[n]).collect();
    let run_on = inside.iter().filter(|&&n| pairs[n].runs_on()).count();
    if run_on < MIN_RUN_ON_LINES || run_on * RUN_ON_DIVISOR < inside.len() {
        return breaks;
    }
    let is_spaced = has_spaces_between_scripts(text);
    for group in inside.chunk_by(|&a, &b| candidates[a] + 1 == candidates[b]) {
        let is_verse = is_verse(&pairs, group);
        for &n in group {
            breaks[candidates[n]] = if is_verse { Break::Line } else { pairs[n].class(is_spaced) };
        }
    }
    breaks
}

/// For each candidate the width that three of four lines around it do not exceed.
fn usual_widths(lines: &[Line<'_>], candidates: &[usize]) -> Vec<usize> {
    let mut usual = Vec::with_capacity(candidates.len());
    for from in (0..candidates.len()).step_by(WIDTH_GROUP) {
        let near = from.saturating_sub(WIDTH_GROUP)..(from + 2 * WIDTH_GROUP).min(candidates.len());
        let mut widths: Vec<usize> = candidates[near].iter().map(|&at| lines[at].width).collect();
        widths.sort_unstable();
        let quartile = widths[(widths.len() * 3).div_ceil(4).saturating_sub(1)];
        usual.resize((from + WIDTH_GROUP).min(candidates.len()), quartile);
    }
    usual
}

/// Whether the second line of each pair is the indented first line of a paragraph.
fn indented_starts(candidates: &[usize], pairs: &[Pair<'_>]) -> Vec<bool> {
    let mut starts = vec![false; pairs.len()];
    let numbers: Vec<usize> = (0..pairs.len()).collect();
    for group in numbers.chunk_by(|&a, &b| candidates[a] + 1 == candidates[b]) {
        let first = pairs[group[0]].above.indent;
        let least = group.iter().map(|&n| pairs[n].below.indent).fold(first, usize::min);
        for &n in group {
            let Pair { above, below, .. } = &pairs[n];
            starts[n] = below.indent > least + 1
                && !below.continues_item
                && (below.indent > above.indent + 1 || above.is_finished() || !pairs[n].is_nearly_full());
        }
    }
    starts
}

/// Whether neighbouring lines are verse: each begins with a capital and leaves room for the next word.
fn is_verse(pairs: &[Pair<'_>], group: &[usize]) -> bool {
    let is_short =
        |n: &usize| pairs[*n].above.width * 5 < pairs[*n].usual * 3 && pairs[*n].below.width * 5 < pairs[*n].usual * 3;
    group.iter().all(|&n| !pairs[n].is_full() && pairs[n].begins_with_capital())
        && group.iter().any(|&n| !pairs[n].above.is_finished())
        && (group.len() > 1 || group.iter().all(is_short))
}

/// Two neighbouring lines that may belong to one paragraph.
struct Pair<'l> {
    above: &'l Line<'l>,
    below: &'l Line<'l>,
    /// The usual width of wrapped lines around them.
    usual: usize,
}

impl Pair<'_> {
    /// Whether the line above has no room for the first word of the line below.
    fn is_full(&self) -> bool {
        self.above.width + self.gap() + self.below.first_word_width() > self.usual
    }

    fn gap(&self) -> usize {
        usize::from(!self.is_wide())
    }

    /// Whether one of the scripts at the line end has no spaces between words.
    fn is_wide(&self) -> bool {
        let (above, below) = self.scripts();
        above || below
    }

    /// Whether the script before and after the line end has no spaces between words.
    fn scripts(&self) -> (bool, bool) {
        let decides = |c: &char| !is_shared_mark(*c) && !c.is_whitespace();
        let above = self.above.words.chars().rev().find(decides).is_some_and(is_wide);
        let below = self.below.words.chars().find(decides).is_some_and(is_wide);
        (above, below)
    }

    /// Whether a sentence certainly continues in the line below.
    fn runs_on(&self) -> bool {
        let Some(first) = self.below.words.chars().next() else { return false };
        if self.usual < MIN_USUAL_COLUMNS {
            return false;
        }
        if self.is_wide() {
            let ends_in_word = self.above.words.ends_with(|c: char| is_wide(c) && c.is_alphanumeric());
            return self.is_nearly_full() && (is_closing_mark(first) || ends_in_word && first.is_alphanumeric());
        }
        !self.above.is_finished() && first.is_lowercase()
    }

    /// Whether the line above is as long as wrapped Chinese lines are: they are filled to the last character.
    fn is_nearly_full(&self) -> bool {
        (self.above.width + self.gap() + self.below.first_word_width()) * 4 > self.usual * 3
    }

    fn begins_with_capital(&self) -> bool {
        let first = self.below.words.chars().find(|c| c.is_alphanumeric());
        first.is_some_and(char::is_uppercase)
    }

    /// The meaning of the line end in a wrapped text.
    fn class(&self, is_spaced: bool) -> Break {
        let is_overlong = |line: &Line<'_>| line.width > self.usual + self.usual / 2 + 8;
        if self.above.is_finished() && (is_overlong(self.above) || is_overlong(self.below)) {
            return Break::Paragraph;
        }
        match self.scripts() {
            (true, _) | (_, true) if !self.is_nearly_full() => {
                if self.above.is_finished() {
                    Break::Paragraph
                } else {
                    Break::Line
                }
            }
            (true, true) => Break::Nothing,
            (false, false) => {
                if ends_with_joiner(self.above.words) || begins_with_dash(self.below.words) {
                    Break::Nothing
                } else {
                    Break::Space
                }
            }
            _ if is_spaced && self.joins_words() => Break::Space,
            _ => Break::Nothing,
        }
    }

    /// Whether a letter or digit is on both sides of the line end.
    fn joins_words(&self) -> bool {
        self.above.words.ends_with(char::is_alphanumeric) && self.below.words.starts_with(char::is_alphanumeric)
    }
}

/// Whether a line ends with a hyphen inside a word, or with a dash that follows a word without a space.
fn ends_with_joiner(words: &str) -> bool {
    let rest = words.trim_end_matches(['-', '‐', '—', '–', '\u{ad}']);
    rest.len() < words.len() && rest.ends_with(|c: char| !c.is_whitespace())
}

/// Whether a line begins with a dash that precedes a word without a space.
fn begins_with_dash(words: &str) -> bool {
    let rest = words.trim_start_matches("--").trim_start_matches('—');
    rest.len() < words.len() && rest.starts_with(char::is_alphanumeric)
}

/// Whether the text usually has a space between Chinese characters and words of other scripts in one line.
fn has_spaces_between_scripts(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() && !is_wide(c);
    let (mut spaced, mut direct) = (0_usize, 0_usize);
    let (mut before, mut last) = (' ', ' ');
    for c in text.chars() {
        let (wide, word) = (crate::is_han(c), is_word(c));
        if (wide && is_word(last)) || (word && crate::is_han(last)) {
            direct += 1;
        } else if last == ' ' && ((wide && is_word(before)) || (word && crate::is_han(before))) {
            spaced += 1;
        }
        (before, last) = (last, c);
    }
    spaced > direct
}

#[cfg(test)]
mod tests;
