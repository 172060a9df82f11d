//! Where the chapters of a book have forms, for the longest of any set of them.
//!
//! A form is looked for once in a chapter, by the positions of its rarest character. Which of the places are mentions
//! depends on the other forms that are wanted: of overlapping ones the first counts, and of those that begin together
//! the longest, as [`Matcher`](crate::mentions::Matcher) has it.

use std::{cmp::Reverse, sync::Arc};

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
    beside: [Option<char>; 2],
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
    /// The forms that it has.
    forms: FormSet,
    /// The mentions of the sets of forms that were wanted last in the whole chapter, the latest last.
    mentions: Vec<(Arc<FormSet>, Arc<ChapterMentions>)>,
}

/// Maximum number of sets of forms whose mentions in a chapter are kept: one request wants as many.
const MAX_KEPT: usize = 6;
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
        let (found, forms, mentions) = (Vec::new(), FormSet::default(), Vec::new());
        Self { chars, starts, units, sought: 0, found, forms, mentions }
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
                    beside: [
                        text[..start].chars().next_back().filter(may_be_part),
                        text[start + form.len()..].chars().next().filter(may_be_part),
                    ],
                })
                .collect();
            if !new.is_empty() {
                self.forms.insert(number);
                self.found.extend(new);
            }
        }
        self.sought = table.forms.len();
        if self.found.len() > known {
            self.found.sort_unstable_by_key(|at| (at.start, Reverse(table.forms[at.form as usize].len())));
        }
    }

    /// The mentions of a set of forms in the whole chapter: those of the last time if the chapter has none of the forms
    /// in which the sets differ.
    fn mentions_of(&mut self, set: &Arc<FormSet>, table: &FormTable) -> Arc<ChapterMentions> {
        let is_same = |(known, _): &(Arc<FormSet>, Arc<ChapterMentions>)| known.is_same_among(set, &self.forms);
        let known = self.mentions.iter().rposition(is_same).map(|at| self.mentions.remove(at).1);
        let mentions = known.unwrap_or_else(|| Arc::new(ChapterMentions::new(&self.found, set, table, usize::MAX)));
        if self.mentions.len() >= MAX_KEPT {
            self.mentions.remove(0);
        }
        self.mentions.push((Arc::clone(set), Arc::clone(&mentions)));
        mentions
    }

    pub(super) fn size(&self) -> usize {
        let text = self.chars.len() * 8 + self.starts.len() * 4 + self.units.len() * 4;
        let mentions = self.mentions.iter().map(|(_, mentions)| mentions.size()).sum::<usize>();
        text + self.found.len() * size_of::<FormAt>() + mentions
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

/// A set of forms by number, as bits.
#[derive(Debug, Default)]
struct FormSet(Vec<u64>);

impl FormSet {
    fn insert(&mut self, number: usize) {
        if self.0.len() <= number / 64 {
            self.0.resize(number / 64 + 1, 0);
        }
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn block(&self, number: usize) -> u64 {
        self.0.get(number).copied().unwrap_or(0)
    }

    fn has_number(&self, number: u32) -> bool {
        self.block(number as usize / 64) >> (number % 64) & 1 == 1
    }

    /// Whether two sets have the same ones of some forms.
    fn is_same_among(&self, other: &Self, forms: &Self) -> bool {
        (0..).zip(&forms.0).all(|(number, forms)| (self.block(number) ^ other.block(number)) & forms == 0)
    }
}

/// The mentions of a set of forms in a chapter.
#[derive(Debug)]
pub(super) struct ChapterMentions {
    /// In order.
    all: Vec<FormAt>,
    /// By form, in the order of the first mentions.
    forms: Vec<FormCount>,
}

/// The mentions of a form.
#[derive(Debug, Clone, Copy)]
pub(super) struct FormCount {
    form: u32,
    pub(super) count: u32,
    /// Byte of the first one.
    pub(super) first: u32,
    /// The characters before and behind it that may be parts of a name.
    pub(super) beside: [Neighbour; 2],
}

/// The character that most mentions of a form may have on a side, by the votes of each for its own (Boyer and Moore,
/// "MJRTY", 1991): one that more than half of them have is the likely one, however the mentions are grouped.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Neighbour {
    pub(super) likely: Option<char>,
    /// Votes for the character over those against it: at least `2c - n` if `c` of `n` mentions have it.
    pub(super) votes: u32,
}

impl Neighbour {
    pub(super) fn merge(&mut self, other: Self) {
        if self.likely == other.likely {
            self.votes += other.votes;
        } else if self.votes >= other.votes {
            self.votes -= other.votes;
        } else {
            *self = Self { likely: other.likely, votes: other.votes - self.votes };
        }
    }
}

impl ChapterMentions {
    /// The mentions of a set of forms among `found`, of those that end at or before the byte `end`.
    fn new(found: &[FormAt], set: &FormSet, table: &FormTable, end: usize) -> Self {
        let mut all: Vec<FormAt> = Vec::new();
        let mut forms: Vec<FormCount> = Vec::new();
        // By form: its number in `forms`, from 1; 0 for one that was not met.
        let mut index: Vec<u32> = vec![0; table.forms.len()];
        let mut last = 0;
        for at in found {
            let start = at.start as usize;
            if start < last || !set.has_number(at.form) {
                continue;
            }
            let own_end = start + table.forms[at.form as usize].len();
            if own_end > end {
                continue;
            }
            last = own_end;
            let [before, after] = at.beside;
            let at = FormAt { beside: [before, after.filter(|_| last < end)], ..*at };
            let beside = at.beside.map(|likely| Neighbour { likely, votes: 1 });
            let number = &mut index[at.form as usize];
            match number.checked_sub(1).map(|known| &mut forms[known as usize]) {
                Some(known) => {
                    known.count += 1;
                    known.beside.iter_mut().zip(beside).for_each(|(side, one)| side.merge(one));
                }
                None => {
                    forms.push(FormCount { form: at.form, count: 1, first: at.start, beside });
                    *number = as_u32(forms.len());
                }
            }
            all.push(at);
        }
        Self { all, forms }
    }

    fn size(&self) -> usize {
        self.all.len() * size_of::<FormAt>() + self.forms.len() * size_of::<FormCount>()
    }
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

/// The mentions of wanted forms in the chapters of a search.
pub(super) struct Mentions {
    /// By form: its index in the list of the wanted ones.
    wanted: Vec<u32>,
    chapters: Vec<Arc<ChapterMentions>>,
}

impl Search<'_> {
    /// The mentions of these forms. A form that is listed twice is the first.
    pub(super) fn mentions_of<'f>(&mut self, forms: impl Iterator<Item = &'f str>) -> Mentions {
        let numbers: Vec<Option<usize>> = forms.map(|form| self.table.number_of(form)).collect();
        let mut wanted: Vec<u32> = vec![u32::MAX; self.table.forms.len()];
        let mut set = FormSet::default();
        for (at, number) in numbers.into_iter().enumerate() {
            if let Some(number) = number.filter(|number| wanted[*number] == u32::MAX) {
                wanted[number] = as_u32(at);
                set.insert(number);
            }
        }
        let (set, table) = (Arc::new(set), &*self.table);
        let of = |SearchedChapter { text, places, end }: &mut SearchedChapter<'_>| {
            places.seek(text, table);
            match *end < text.len() {
                true => Arc::new(ChapterMentions::new(&places.found, &set, table, *end)),
                false => places.mentions_of(&set, table),
            }
        };
        Mentions { wanted, chapters: self.chapters.iter_mut().map(of).collect() }
    }
}

impl Mentions {
    /// Visits the mentions of some forms in the order of the chapters. `is_wanted` is by index in the list of the
    /// wanted ones.
    pub(super) fn visit_of(&self, is_wanted: &[bool], mut visit: impl FnMut(&FormMention)) {
        for (chapter, mentions) in (0..).zip(&self.chapters) {
            let index = |form: u32| self.wanted[form as usize];
            if !mentions.forms.iter().any(|count| is_wanted[index(count.form) as usize]) {
                continue;
            }
            for &FormAt { start, unit, form, beside } in &mentions.all {
                let wanted = index(form);
                if is_wanted[wanted as usize] {
                    visit(&FormMention { wanted, chapter, start, unit, beside });
                }
            }
        }
    }

    /// Visits the mentions in order.
    pub(super) fn visit(&self, mut visit: impl FnMut(&FormMention)) {
        for (chapter, mentions) in (0..).zip(&self.chapters) {
            for &FormAt { start, unit, form, beside } in &mentions.all {
                visit(&FormMention { wanted: self.wanted[form as usize], chapter, start, unit, beside });
            }
        }
    }

    /// Visits the forms of each chapter in the order of the chapters, with the index of each in the list of the wanted
    /// ones, and the number of the chapter.
    pub(super) fn visit_counts(&self, mut visit: impl FnMut(usize, usize, &FormCount)) {
        for (chapter, mentions) in self.chapters.iter().enumerate() {
            for count in &mentions.forms {
                visit(self.wanted[count.form as usize] as usize, chapter, count);
            }
        }
    }
}
