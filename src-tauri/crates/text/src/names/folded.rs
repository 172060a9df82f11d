//! Text as names are compared in it: letters in one form, and what stands between them.

use std::ops::Range;

use unicode_normalization::char::canonical_combining_class;

use crate::{fold::fold, language::is_han, unseen::is_unseen};

/// The most characters other than white space that may stand between two parts of a name.
const LONGEST_GAP: u32 = 8;
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

/// What stands between two letters: which kinds of characters, in whatever order.
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
    /// Too much to be inside a name.
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

/// What a folded character is, for telling where words end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Of a script that puts spaces between words.
    Word,
    /// Of a script that does not.
    Unspaced,
    /// A sign.
    Sign,
}

/// A folded character.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) c: char,
    /// What it was folded from, in bytes: a character with its combining marks.
    from: usize,
    to: usize,
    /// It is the first that this was folded to.
    opens: bool,
    /// It is the last.
    closes: bool,
    /// What stands before it.
    pub(super) gap: Gap,
    pub(super) kind: Kind,
}

/// A folded text.
#[derive(Debug, Clone)]
pub(super) struct Folded {
    /// The folded characters, without what stands between them.
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
    c.is_alphanumeric() && !is_unspaced(c)
}

/// What a character between letters is; `None` for one that belongs to a name as a letter does.
fn gap_of(c: char) -> Option<Gap> {
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

/// What [`crate::control::neutralized`] may have put in place of a sign, as that sign: no name comes about by it.
fn sign(c: char) -> char {
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

impl Folded {
    pub(super) fn of(text: &str) -> Self {
        let mut making = Making {
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
                    making.between(*gap, c);
                }
            } else if is_unseen(c) || (is_decoration(c) && !making.segment.is_empty()) {
                // As if it were not there.
            } else if let Some(gap) = gap_of(c) {
                making.between(gap, c);
            } else if c == '>' && making.lines > 0 && making.segment.is_empty() {
                // The sign of a quoted line.
                making.between(Gap::MARKUP, c);
            } else {
                making.letter(at..at + c.len_utf8(), c);
            }
        }
        making.end_segment();
        making.folded
    }

    /// How many folded characters there are.
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// The bytes of the text that these units were folded from.
    pub(super) fn source(&self, units: Range<usize>) -> Option<Range<usize>> {
        let (first, last) = (self.units.get(units.start)?, self.units.get(units.end.checked_sub(1)?)?);
        Some(first.from..last.to)
    }

    /// For each byte of the folded text, the unit that it belongs to; and one more for its end.
    pub(super) fn places(&self) -> Vec<u32> {
        let mut places = Vec::with_capacity(self.text.len() + 1);
        for (number, c) in (0_u32..).zip(self.text.chars()) {
            places.extend(std::iter::repeat_n(number, c.len_utf8()));
        }
        places.push(u32::try_from(self.units.len()).unwrap_or(u32::MAX));
        places
    }

    /// For each unit, before how many up to it something stands that no name without parts has inside it; and one more at
    /// the end.
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

    /// Whether it is one word of a script with words: nothing but marks may stand inside it.
    pub(super) fn is_one_word(&self) -> bool {
        self.units.iter().all(|unit| unit.kind == Kind::Word)
            && self.units.iter().skip(1).all(|unit| unit.gap == Gap::NONE)
    }

    /// Whether these units are whole characters, and whole words where they are words. An `s` may follow with `plural`.
    pub(super) fn is_whole(&self, units: &Range<usize>, plural: bool) -> bool {
        let (Some(first), Some(last)) = (self.units.get(units.start), self.units.get(units.end.saturating_sub(1)))
        else {
            return false;
        };
        if !first.opens || !last.closes {
            return false;
        }
        let goes_on =
            |at: usize| self.units.get(at).is_some_and(|next| next.gap == Gap::NONE && next.kind == Kind::Word);
        let begins = first.kind != Kind::Word
            || first.gap != Gap::NONE
            || units.start == 0
            || self.units.get(units.start - 1).is_some_and(|before| before.kind != Kind::Word);
        let is_plural = || plural && self.is_s(units.end) && !goes_on(units.end + 1);
        begins && (last.kind != Kind::Word || !goes_on(units.end) || is_plural())
    }

    fn is_s(&self, at: usize) -> bool {
        self.units.get(at).is_some_and(|unit| unit.c == 's' && unit.gap == Gap::NONE && unit.opens && unit.closes)
    }

    /// Whether what stands between these units is what may stand between the letters of a name.
    pub(super) fn fits(&self, units: &Range<usize>, name: &Self, text: &str) -> bool {
        let here = self.units.get(units.clone()).unwrap_or_default();
        name.units.iter().zip(here).enumerate().skip(1).all(|(n, (of_name, here))| {
            let is_unspaced = of_name.kind == Kind::Unspaced
                || name.units.get(n - 1).is_some_and(|before| before.kind == Kind::Unspaced);
            match (of_name.gap, here.gap) {
                (Gap::NONE, Gap::NONE) => true,
                (Gap::NONE, gap) if is_unspaced => gap.is_within(Gap::SPACE.with(Gap::MARKUP).with(Gap::MIDDLE)),
                (Gap::NONE, gap) => gap.is_within(Gap::MARKUP),
                (_, Gap::NONE) => is_unspaced || name.len() >= JOINED || self.is_hump(units.start + n, text),
                (of_name, gap) => {
                    let ends_a_sentence = gap.has(Gap::STOP) && gap.has(Gap::SPACE) && !of_name.has(Gap::STOP);
                    !gap.has(Gap::BREAK) && !ends_a_sentence
                }
            }
        })
    }

    /// Whether a capital letter begins a part here, as in `AnnaKarenina`.
    fn is_hump(&self, at: usize, text: &str) -> bool {
        let char_at = |at: usize| self.units.get(at).and_then(|unit| text.get(unit.from..)?.chars().next());
        let is = |at: Option<usize>, test: fn(char) -> bool| at.and_then(char_at).is_some_and(test);
        is(Some(at), char::is_uppercase)
            && (is(at.checked_sub(1), char::is_lowercase) || is(Some(at + 1), char::is_lowercase))
    }
}

/// From so many letters on, a name of several parts is found written as one word; a shorter one may be a word
/// (`Li Ke`, `like`).
const JOINED: usize = 8;

/// A folded text that is being made.
struct Making {
    folded: Folded,
    /// The folded characters of the character that may have marks to come, each with its combining class.
    segment: Vec<(u8, char)>,
    range: Range<usize>,
    gap: Gap,
    /// Characters other than white space in the gap.
    signs: u32,
    /// Line ends in the gap.
    lines: u32,
}

impl Making {
    fn between(&mut self, kind: Gap, c: char) {
        self.end_segment();
        self.gap = self.gap.with(kind);
        if kind != Gap::SPACE {
            self.signs += 1;
        }
        if c == '\n' {
            self.lines += 1;
        }
        // Signs around an empty line part two paragraphs.
        if self.signs > LONGEST_GAP || (self.lines > 1 && self.signs > 0) {
            self.gap = self.gap.with(Gap::BREAK);
        }
    }

    fn letter(&mut self, range: Range<usize>, c: char) {
        if c.is_ascii() {
            self.end_segment();
            self.range = range;
            self.segment.push((0, c.to_ascii_lowercase()));
            return;
        }
        let mut parts = Vec::with_capacity(4);
        fold(sign(c), |part| parts.push((canonical_combining_class(part), part)));
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
            c if is_unspaced(c) => Kind::Unspaced,
            c if c.is_alphanumeric() => Kind::Word,
            _ => Kind::Sign,
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
