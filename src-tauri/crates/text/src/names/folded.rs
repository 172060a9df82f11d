//! Text folded for the comparison of names: letters in one form, and the gaps between them.

use std::ops::Range;

use unicode_normalization::char::canonical_combining_class;

use crate::{
    fold::{fold, fold_plain},
    language::is_han,
    unseen::is_unseen,
};

/// The most characters other than white space between two parts of a name.
const MAX_GAP_CHARS: u32 = 8;
/// Character references that come with text from the web.
const ENTITIES: &[(&str, Gap)] = &[
    ("&nbsp;", Gap::SPACE),
    ("&#160;", Gap::SPACE),
    ("&apos;", Gap::JOINT),
    ("&#39;", Gap::JOINT),
    ("&#x27;", Gap::JOINT),
    ("&rsquo;", Gap::JOINT),
    ("&lsquo;", Gap::JOINT),
    ("&#8217;", Gap::JOINT),
    ("&middot;", Gap::MIDDLE),
    ("&shy;", Gap::NONE),
    ("&zwj;", Gap::NONE),
    ("&zwnj;", Gap::NONE),
];

/// The set of kinds of characters between two letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Gap(u8);

impl Gap {
    pub(super) const NONE: Self = Self(0);
    /// White space, line ends included.
    pub(super) const SPACE: Self = Self(1);
    /// Marks of Markdown: emphasis, code, escapes, quoted lines.
    const MARKUP: Self = Self(2);
    /// Hyphens, underscores and apostrophes.
    const JOINT: Self = Self(4);
    /// Middle dots.
    const MIDDLE: Self = Self(8);
    /// Full stops.
    const STOP: Self = Self(16);
    /// Too long to be inside a name.
    const BREAK: Self = Self(32);

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn is_within(self, allowed: Self) -> bool {
        self.0 & !allowed.0 == 0
    }
}

/// The kind of a folded character; it decides where words end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitKind {
    /// Of a script that puts spaces between words.
    Word,
    /// Of a script without spaces between words.
    Unspaced,
    /// No letter or digit.
    Sign,
}

/// A folded character.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) c: char,
    /// Byte range of its source: a character with its combining marks.
    from: usize,
    to: usize,
    /// Whether it is the first folded character of its source.
    opens: bool,
    /// Whether it is the last folded character of its source.
    closes: bool,
    /// The gap before it.
    pub(super) gap: Gap,
    pub(super) kind: UnitKind,
}

#[derive(Debug, Clone)]
pub(super) struct FoldedText {
    /// The folded characters, without the gaps.
    pub(super) text: String,
    pub(super) units: Vec<Unit>,
}

/// A character of a script that writes words without spaces between them.
fn is_unspaced(c: char) -> bool {
    is_han(c)
        || matches!(u32::from(c),
            0x0E00..=0x0FFF | 0x1000..=0x109F | 0x1100..=0x11FF | 0x1780..=0x17FF | 0x3041..=0x318F | 0x31A0..=0x31FF
            | 0xA960..=0xA97F | 0xAC00..=0xD7FF)
}

/// A character of a script that puts spaces between words: there a name ends where its word does.
pub(super) fn is_word(c: char) -> bool {
    !is_unspaced(c) && c.is_alphanumeric()
}

/// The kind of gap that a character makes between letters; `None` for one that belongs to a name as a letter does.
fn gap_kind(c: char) -> Option<Gap> {
    match c {
        '\u{2800}' => Some(Gap::SPACE),
        c if c.is_whitespace() => Some(Gap::SPACE),
        '*' | '~' | '`' | '\\' => Some(Gap::MARKUP),
        '-'
        | '_'
        | '\''
        | '\u{2010}'..='\u{2013}'
        | '−'
        | '﹣'
        | '－'
        | '＿'
        | '’'
        | '‘'
        | '‛'
        | '′'
        | '‵'
        | '´'
        | '＇'
        | 'ʼ'
        | 'ʻ'
        | 'ʽ'
        | 'ʾ'
        | 'ʿ'
        | 'ʹ'
        | 'ˈ'
        | 'ꞌ'
        | '՚' => Some(Gap::JOINT),
        '·' | '•' | '・' | '･' | '‧' | '∙' | '⋅' | '\u{387}' | '．' | '﹒' | '⸱' => Some(Gap::MIDDLE),
        '.' | '․' => Some(Gap::STOP),
        _ => None,
    }
}

/// Marks over and under letters that are decoration and part of no letter: lines, strokes, enclosing shapes.
fn is_decoration(c: char) -> bool {
    matches!(c, '\u{305}' | '\u{332}' | '\u{333}' | '\u{334}'..='\u{338}' | '\u{33F}' | '\u{20D2}'..='\u{20EF}')
}

/// The sign that [`crate::control::neutralize`] may have replaced by `c`, so that neutralizing creates no new name.
fn original_sign(c: char) -> char {
    match c {
        '‹' => '<',
        '›' => '>',
        '⟦' => '[',
        '⟧' => ']',
        '◃' => '◁',
        '⟨' => '(',
        c => c,
    }
}

impl FoldedText {
    pub(super) fn new(text: &str) -> Self {
        let mut builder = FoldedTextBuilder {
            folded: Self { text: String::with_capacity(text.len()), units: Vec::with_capacity(text.len() / 2) },
            segment: Vec::new(),
            range: 0..0,
            gap: Gap::NONE,
            signs: 0,
            lines: 0,
        };
        let mut skip = 0;
        for (at, c) in text.char_indices() {
            if at < skip {
                continue;
            }
            let rest = text.get(at..).unwrap_or_default();
            if c == '&'
                && let Some((name, gap)) = ENTITIES.iter().find(|(name, _)| rest.starts_with(name))
            {
                skip = at + name.len();
                if *gap != Gap::NONE {
                    builder.add_gap(*gap, c);
                }
            } else if is_unseen(c) || (is_decoration(c) && !builder.segment.is_empty()) {
                // Skipped.
            } else if let Some(gap) = gap_kind(c) {
                builder.add_gap(gap, c);
            } else if c == '>' && builder.lines > 0 && builder.segment.is_empty() {
                // The sign of a quoted line.
                builder.add_gap(Gap::MARKUP, c);
            } else {
                builder.add_letter(at..at + c.len_utf8(), c);
            }
        }
        builder.end_segment();
        builder.folded
    }

    /// The number of folded characters.
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// The bytes of the text that these units were folded from.
    pub(super) fn source(&self, units: Range<usize>) -> Option<Range<usize>> {
        let (first, last) = (self.units.get(units.start)?, self.units.get(units.end.checked_sub(1)?)?);
        Some(first.from..last.to)
    }

    /// For each byte of the folded text, and for its end, the index of the unit that it belongs to.
    pub(super) fn unit_by_byte(&self) -> Vec<u32> {
        let mut unit_by_byte = Vec::with_capacity(self.text.len() + 1);
        for (number, c) in (0_u32..).zip(self.text.chars()) {
            unit_by_byte.extend(std::iter::repeat_n(number, c.len_utf8()));
        }
        unit_by_byte.push(u32::try_from(self.units.len()).unwrap_or(u32::MAX));
        unit_by_byte
    }

    /// For each unit, and for the end, the number of units up to it with a gap that a name of one part cannot contain.
    pub(super) fn breaks(&self) -> Vec<u32> {
        let mut breaks = Vec::with_capacity(self.units.len() + 1);
        let mut count = 0;
        for unit in &self.units {
            count += u32::from(!unit.gap.is_within(Gap::MARKUP));
            breaks.push(count);
        }
        breaks.push(count);
        breaks
    }

    /// Whether it is one word of a script with words: only markup may be inside an occurrence of it.
    pub(super) fn is_one_word(&self) -> bool {
        self.units.iter().all(|unit| unit.kind == UnitKind::Word)
            && self.units.iter().skip(1).all(|unit| unit.gap == Gap::NONE)
    }

    /// Whether these units are whole characters and, in scripts with words, whole words. With `plural`, an `s` may
    /// follow.
    pub(super) fn is_whole(&self, units: &Range<usize>, plural: bool) -> bool {
        let (Some(first), Some(last)) = (self.units.get(units.start), self.units.get(units.end.saturating_sub(1)))
        else {
            return false;
        };
        if !first.opens || !last.closes {
            return false;
        }
        let continues =
            |at: usize| self.units.get(at).is_some_and(|next| next.gap == Gap::NONE && next.kind == UnitKind::Word);
        let begins = first.kind != UnitKind::Word
            || first.gap != Gap::NONE
            || units.start == 0
            || self.units.get(units.start - 1).is_some_and(|before| before.kind != UnitKind::Word);
        let is_plural = || plural && self.is_s(units.end) && !continues(units.end + 1);
        begins && (last.kind != UnitKind::Word || !continues(units.end) || is_plural())
    }

    fn is_s(&self, at: usize) -> bool {
        self.units.get(at).is_some_and(|unit| unit.c == 's' && unit.gap == Gap::NONE && unit.opens && unit.closes)
    }

    /// Whether the gaps between these units are allowed between the letters of `name`.
    pub(super) fn gaps_match(&self, units: &Range<usize>, name: &Self, text: &str) -> bool {
        let text_units = self.units.get(units.clone()).unwrap_or_default();
        name.units.iter().zip(text_units).enumerate().skip(1).all(|(n, (name_unit, text_unit))| {
            let is_unspaced = name_unit.kind == UnitKind::Unspaced
                || name.units.get(n - 1).is_some_and(|before| before.kind == UnitKind::Unspaced);
            match (name_unit.gap, text_unit.gap) {
                (Gap::NONE, Gap::NONE) => true,
                (Gap::NONE, gap) if is_unspaced => gap.is_within(Gap::SPACE.with(Gap::MARKUP).with(Gap::MIDDLE)),
                (Gap::NONE, gap) => gap.is_within(Gap::MARKUP),
                (_, Gap::NONE) => {
                    is_unspaced
                        || name.len() >= MIN_JOINED_LETTERS
                        || self.begins_camel_case_part(units.start + n, text)
                }
                (name_gap, gap) => {
                    let ends_a_sentence = gap.has(Gap::STOP) && gap.has(Gap::SPACE) && !name_gap.has(Gap::STOP);
                    !gap.has(Gap::BREAK) && !ends_a_sentence
                }
            }
        })
    }

    /// Whether a capital letter begins a part at this unit, as in `AnnaKarenina`.
    fn begins_camel_case_part(&self, at: usize, text: &str) -> bool {
        let char_at = |at: usize| self.units.get(at).and_then(|unit| text.get(unit.from..)?.chars().next());
        let is = |at: Option<usize>, test: fn(char) -> bool| at.and_then(char_at).is_some_and(test);
        is(Some(at), char::is_uppercase)
            && (is(at.checked_sub(1), char::is_lowercase) || is(Some(at + 1), char::is_lowercase))
    }
}

/// With at least this many letters, a name of several parts is also found written as one word; a shorter one may be
/// an ordinary word (`Li Ke`, `like`).
const MIN_JOINED_LETTERS: usize = 8;

/// Builds a [`FoldedText`] character by character.
struct FoldedTextBuilder {
    folded: FoldedText,
    /// The folded characters of the current character, each with its combining class; marks may still be added.
    segment: Vec<(u8, char)>,
    range: Range<usize>,
    gap: Gap,
    /// Characters other than white space in the gap.
    signs: u32,
    /// Line ends in the gap.
    lines: u32,
}

impl FoldedTextBuilder {
    fn add_gap(&mut self, kind: Gap, c: char) {
        self.end_segment();
        self.gap = self.gap.with(kind);
        if kind != Gap::SPACE {
            self.signs += 1;
        }
        if c == '\n' {
            self.lines += 1;
        }
        // Signs around an empty line separate two paragraphs.
        if self.signs > MAX_GAP_CHARS || (self.lines > 1 && self.signs > 0) {
            self.gap = self.gap.with(Gap::BREAK);
        }
    }

    fn add_letter(&mut self, range: Range<usize>, c: char) {
        if let Some(folded) = fold_plain(c) {
            self.end_segment();
            self.range = range;
            self.segment.push((0, folded));
            return;
        }
        let mut parts = Vec::with_capacity(4);
        fold(original_sign(c), |part| parts.push((canonical_combining_class(part), part)));
        let is_mark = parts.first().is_some_and(|(class, _)| *class != 0);
        if is_mark && !self.segment.is_empty() {
            self.range.end = range.end;
        } else {
            self.end_segment();
            self.range = range;
        }
        self.segment.extend(parts);
    }

    fn end_segment(&mut self) {
        let Some((_, first)) = self.segment.first() else { return };
        let kind = match *first {
            c if is_unspaced(c) => UnitKind::Unspaced,
            c if c.is_alphanumeric() => UnitKind::Word,
            _ => UnitKind::Sign,
        };
        // Marks in canonical order; letters stay where they are.
        for marks in self.segment.split_mut(|(class, _)| *class == 0) {
            marks.sort_by_key(|(class, _)| *class);
        }
        let last = self.segment.len() - 1;
        for (n, (_, c)) in self.segment.drain(..).enumerate() {
            self.folded.text.push(c);
            self.folded.units.push(Unit {
                c,
                from: self.range.start,
                to: self.range.end,
                opens: n == 0,
                closes: n == last,
                gap: if n == 0 { self.gap } else { Gap::NONE },
                kind,
            });
        }
        self.gap = Gap::NONE;
        (self.signs, self.lines) = (0, 0);
    }
}
