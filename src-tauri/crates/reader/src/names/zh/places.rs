//! Where the chapters of a Chinese book have forms.

use std::sync::Arc;

use palimpsest_text::is_han;
use rustc_hash::FxHashMap;

use super::{
    super::places::{FormAt, Mentions, Sought, Units, Wanted, as_u32},
    classes::Class,
};

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

/// The characters of a chapter, and the places of the forms that were looked for in it.
#[derive(Debug)]
pub(super) struct Places {
    /// The different characters in order, each with the index of the end of its bytes in `starts`.
    chars: Vec<(char, u32)>,
    /// The bytes at which characters start, by character.
    starts: Vec<u32>,
    units: Units,
    sought: Sought,
}

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
        let starts = all.into_iter().map(|(_, start)| start).collect();
        Self { chars, starts, units: Units::new(text), sought: Sought::default() }
    }

    fn starts_of(&self, c: char) -> &[u32] {
        let Ok(at) = self.chars.binary_search_by_key(&c, |(c, _)| *c) else { return &[] };
        let from = at.checked_sub(1).map_or(0, |before| self.chars[before].1);
        &self.starts[from as usize..self.chars[at].1 as usize]
    }

    /// Looks for the forms of the table that were not looked for, by the positions of the rarest character of each.
    fn seek(&mut self, text: &str, table: &FormTable) {
        let mut sought = std::mem::take(&mut self.sought);
        sought.seek(table.forms.len(), |number, found| {
            let form = &*table.forms[number];
            let rarest = form.char_indices().filter(|(_, c)| is_han(*c)).min_by_key(|(_, c)| self.starts_of(*c).len());
            let Some((within, c)) = rarest else { return };
            let places = self.starts_of(c).iter().filter_map(|start| (*start as usize).checked_sub(within));
            let units = as_u32(form.encode_utf16().count());
            let is_here = |start: &usize| text.get(*start..).is_some_and(|rest| rest.starts_with(form));
            found.extend(places.filter(is_here).map(|start| FormAt {
                start: as_u32(start),
                end: as_u32(start + form.len()),
                unit: self.units.units_before(text, start),
                units,
                form: as_u32(number),
                beside: [
                    text[..start].chars().next_back().filter(may_be_part),
                    text[start + form.len()..].chars().next().filter(may_be_part),
                ],
            }));
        });
        self.sought = sought;
    }

    pub(super) fn size(&self) -> usize {
        let text = self.chars.len() * 8 + self.starts.len() * 4 + self.units.size();
        text + self.sought.size()
    }
}

/// Whether a character beside a name may be part of it.
fn may_be_part(c: &char) -> bool {
    is_han(*c) && !Class::of(*c).has(Class::NO_PART)
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
    /// The mentions of these forms. A form that is listed twice is the first.
    pub(super) fn mentions_of<'f>(&mut self, forms: impl Iterator<Item = &'f str>) -> Mentions {
        let numbers: Vec<Option<usize>> = forms.map(|form| self.table.number_of(form)).collect();
        let wanted = Wanted::new(&numbers, self.table.forms.len());
        let table = &*self.table;
        let of = |SearchedChapter { text, places, end }: &mut SearchedChapter<'_>| {
            places.seek(text, table);
            match *end < text.len() {
                true => Arc::new(places.sought.mentions_until(wanted.set(), *end)),
                false => places.sought.mentions_in_whole(wanted.set()),
            }
        };
        let chapters = self.chapters.iter_mut().map(of).collect();
        Mentions::new(wanted, chapters)
    }
}
