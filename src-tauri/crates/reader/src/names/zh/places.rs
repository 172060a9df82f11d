//! Where the chapters of a book have forms, for the longest of any set of them.
//!
//! A form is looked for once in a chapter, by the positions of its rarest character. Which of the places are mentions
//! depends on the other forms that are wanted: of overlapping ones the first counts, and of those that begin together
//! the longest, as [`Matcher`](crate::mentions::Matcher) has it.

use std::cmp::Reverse;

use palimpsest_text::is_han;
use rustc_hash::FxHashMap;

use super::classes::Class;

/// The forms that were looked for in a book, by number.
#[derive(Debug, Default)]
pub(super) struct FormTable {
    forms: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, usize>,
}

impl FormTable {
    /// The number of a form; `None` for one without Han characters, which is not looked for.
    fn number_of(&mut self, text: &str) -> Option<usize> {
        if let Some(&known) = self.numbers.get(text) {
            return Some(known);
        }
        if !text.contains(is_han) {
            return None;
        }
        let new = self.forms.len();
        self.forms.push(text.into());
        self.numbers.insert(text.into(), new);
        Some(new)
    }

    /// Bytes in memory, about.
    pub(super) fn size(&self) -> usize {
        self.forms.len() * 120
    }
}

/// A place of a form in a chapter.
#[derive(Debug, Clone, Copy)]
struct FormAt {
    start: u32,
    /// Start in UTF-16 code units.
    unit: u32,
    form: u32,
    /// The characters before and behind it that may be parts of a name.
    before: Option<char>,
    after: Option<char>,
}

/// The characters of a chapter, and the places of the forms that were looked for in it.
#[derive(Debug)]
pub(super) struct Places {
    /// The different characters in order, each with the index of the end of its bytes in `starts`.
    chars: Vec<(char, u32)>,
    /// The bytes at which characters start, by character.
    starts: Vec<u32>,
    /// UTF-16 code units before each block of [`UNIT_BLOCK`] bytes.
    units: Vec<u32>,
    /// The number of forms that were looked for.
    sought: usize,
    /// In order; of forms that begin together the longest first.
    found: Vec<FormAt>,
}

const UNIT_BLOCK: usize = 64;

impl Places {
    pub(super) fn new(text: &str) -> Self {
        let mut all: Vec<(char, u32)> =
            text.char_indices().filter(|(_, c)| is_han(*c)).map(|(at, c)| (c, as_u32(at))).collect();
        all.sort_unstable();
        let mut chars: Vec<(char, u32)> = Vec::new();
        for (at, (c, _)) in all.iter().enumerate() {
            match chars.last_mut().filter(|(last, _)| last == c) {
                Some((_, end)) => *end = as_u32(at + 1),
                None => chars.push((*c, as_u32(at + 1))),
            }
        }
        let mut units = vec![0];
        for block in text.as_bytes().chunks(UNIT_BLOCK) {
            units.push(units.last().copied().unwrap_or(0) + units_of(block));
        }
        let starts = all.into_iter().map(|(_, start)| start).collect();
        Self { chars, starts, units, sought: 0, found: Vec::new() }
    }

    fn starts_of(&self, c: char) -> &[u32] {
        let Ok(at) = self.chars.binary_search_by_key(&c, |(c, _)| *c) else { return &[] };
        let from = at.checked_sub(1).map_or(0, |before| self.chars[before].1);
        &self.starts[from as usize..self.chars[at].1 as usize]
    }

    fn unit_at(&self, text: &str, byte: usize) -> u32 {
        let block = byte / UNIT_BLOCK;
        self.units[block] + units_of(&text.as_bytes()[block * UNIT_BLOCK..byte])
    }

    /// Looks for the forms of the table that were not looked for.
    fn seek(&mut self, text: &str, table: &FormTable) {
        let known = self.found.len();
        for number in self.sought..table.forms.len() {
            let form = &*table.forms[number];
            let rarest = form.char_indices().filter(|(_, c)| is_han(*c)).min_by_key(|(_, c)| self.starts_of(*c).len());
            let Some((within, c)) = rarest else { continue };
            let places = self.starts_of(c).iter().filter_map(|start| (*start as usize).checked_sub(within));
            let is_here = |start: &usize| text.get(*start..).is_some_and(|rest| rest.starts_with(form));
            let new: Vec<FormAt> = places
                .filter(is_here)
                .map(|start| FormAt {
                    start: as_u32(start),
                    unit: self.unit_at(text, start),
                    form: as_u32(number),
                    before: text[..start].chars().next_back().filter(may_be_part),
                    after: text[start + form.len()..].chars().next().filter(may_be_part),
                })
                .collect();
            self.found.extend(new);
        }
        self.sought = table.forms.len();
        if self.found.len() > known {
            self.found.sort_unstable_by_key(|at| (at.start, Reverse(table.forms[at.form as usize].len())));
        }
    }

    pub(super) fn size(&self) -> usize {
        self.chars.len() * 8 + self.starts.len() * 4 + self.units.len() * 4 + self.found.len() * size_of::<FormAt>()
    }
}

fn as_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// UTF-16 code units of the characters that begin in these bytes of a text.
fn units_of(bytes: &[u8]) -> u32 {
    let units = bytes.iter().map(|byte| u32::from(byte & 0xC0 != 0x80) + u32::from(*byte >= 0xF0));
    units.sum()
}

/// Whether a character beside a name may be part of it.
fn may_be_part(c: &char) -> bool {
    is_han(*c) && !Class::of(*c).has(Class::NO_PART)
}

/// A mention of one of several wanted forms.
#[derive(Debug, Clone, Copy)]
pub(super) struct FormMention {
    /// Index of the form in the list of the wanted ones.
    pub(super) wanted: u32,
    /// Number of the chapter.
    pub(super) chapter: u32,
    /// Start in the chapter's text, in bytes and in UTF-16 code units.
    pub(super) start: u32,
    pub(super) unit: u32,
    /// The characters before and behind it that may be parts of a name.
    pub(super) beside: [Option<char>; 2],
}

/// A chapter in which forms are looked for.
pub(super) struct SearchedChapter<'b> {
    pub(super) text: &'b str,
    pub(super) places: &'b mut Places,
    /// The byte at which the chapter ends for this search.
    pub(super) end: usize,
}

/// The chapters of a book up to a position, in which forms are looked for.
pub(super) struct Search<'b> {
    pub(super) table: &'b mut FormTable,
    pub(super) chapters: Vec<SearchedChapter<'b>>,
}

impl Search<'_> {
    /// Visits the mentions of these forms in order. A form that is listed twice is the first.
    pub(super) fn visit_mentions<'f>(
        &mut self,
        forms: impl Iterator<Item = &'f str>,
        mut visit: impl FnMut(&FormMention),
    ) {
        let numbers: Vec<Option<usize>> = forms.map(|form| self.table.number_of(form)).collect();
        let mut wanted: Vec<Option<u32>> = vec![None; self.table.forms.len()];
        for (at, number) in numbers.into_iter().enumerate() {
            if let Some(number) = number {
                wanted[number].get_or_insert(as_u32(at));
            }
        }
        let lengths: Vec<usize> = self.table.forms.iter().map(|form| form.len()).collect();
        for (number, chapter) in self.chapters.iter_mut().enumerate() {
            chapter.places.seek(chapter.text, self.table);
            let mut end = 0;
            for at in &chapter.places.found {
                let start = at.start as usize;
                let Some(wanted) = wanted[at.form as usize].filter(|_| start >= end) else { continue };
                let own_end = start + lengths[at.form as usize];
                if own_end > chapter.end {
                    continue;
                }
                end = own_end;
                let after = at.after.filter(|_| end < chapter.end);
                let (start, unit) = (at.start, at.unit);
                visit(&FormMention { wanted, chapter: as_u32(number), start, unit, beside: [at.before, after] });
            }
        }
    }
}
