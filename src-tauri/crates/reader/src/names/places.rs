//! Where the chapters of a book have forms, for the longest of any set of them.
//!
//! A form is looked for once in a chapter. Which of the places are mentions depends on the other forms that are wanted:
//! of overlapping ones the first counts, and of those that begin together the longest, as
//! [`Matcher`](crate::mentions::Matcher) has it.

use std::{cmp::Reverse, sync::Arc};

/// A place of a form in a chapter.
#[derive(Debug, Clone, Copy)]
pub(super) struct FormAt {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Start in UTF-16 code units, and length.
    pub(super) unit: u32,
    pub(super) units: u32,
    pub(super) form: u32,
    /// The characters before and behind it that may be parts of a name.
    pub(super) beside: [Option<char>; 2],
}

/// The forms that were looked for in a chapter, and where it has them.
#[derive(Debug, Default)]
pub(super) struct Sought {
    /// The number of forms that were looked for.
    count: usize,
    /// In order; of forms that begin together the longest first.
    found: Vec<FormAt>,
    /// The forms that it has.
    forms: FormSet,
    /// The mentions of the sets of forms that were wanted last in the whole chapter, the latest last.
    mentions: Vec<(Arc<FormSet>, Arc<ChapterMentions>)>,
}

/// Maximum number of sets of forms whose mentions in a chapter are kept: one request wants as many.
const MAX_KEPT: usize = 6;

impl Sought {
    /// Looks for those of the first `count` forms of a book that were not looked for. `find` adds the places of one.
    pub(super) fn seek(&mut self, count: usize, mut find: impl FnMut(usize, &mut Vec<FormAt>)) {
        let known = self.found.len();
        for number in self.count..count {
            let before = self.found.len();
            find(number, &mut self.found);
            if self.found.len() > before {
                self.forms.insert(number);
            }
        }
        self.count = self.count.max(count);
        if self.found.len() > known {
            self.found.sort_unstable_by_key(|at| (at.start, Reverse(at.end), at.form));
        }
    }

    /// The mentions of a set of forms that end at or before the byte `end`.
    pub(super) fn mentions_until(&self, set: &FormSet, end: usize) -> ChapterMentions {
        ChapterMentions::new(&self.found, set, self.count, end)
    }

    /// The mentions of a set of forms in the whole chapter: those of the last time if the chapter has none of the forms
    /// in which the sets differ.
    pub(super) fn mentions_in_whole(&mut self, set: &Arc<FormSet>) -> Arc<ChapterMentions> {
        let is_same = |(known, _): &(Arc<FormSet>, Arc<ChapterMentions>)| known.is_same_among(set, &self.forms);
        let known = self.mentions.iter().rposition(is_same).map(|at| self.mentions.remove(at).1);
        let mentions = known.unwrap_or_else(|| Arc::new(self.mentions_until(set, usize::MAX)));
        if self.mentions.len() >= MAX_KEPT {
            self.mentions.remove(0);
        }
        self.mentions.push((Arc::clone(set), Arc::clone(&mentions)));
        mentions
    }

    /// Bytes in memory, about.
    pub(super) fn size(&self) -> usize {
        let mentions = self.mentions.iter().map(|(_, mentions)| mentions.size()).sum::<usize>();
        self.found.len() * size_of::<FormAt>() + mentions
    }
}

pub(super) fn as_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// UTF-16 code units of a text, counted in blocks.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// Code units before each block of [`UNIT_BLOCK`] bytes.
    blocks: Vec<u32>,
}

const UNIT_BLOCK: usize = 64;

impl Units {
    pub(super) fn new(text: &str) -> Self {
        let mut blocks = vec![0];
        for block in text.as_bytes().chunks(UNIT_BLOCK) {
            blocks.push(blocks.last().copied().unwrap_or(0) + units_of(block));
        }
        Self { blocks }
    }

    /// The code units before a byte of the same text.
    pub(super) fn units_before(&self, text: &str, byte: usize) -> u32 {
        let block = byte / UNIT_BLOCK;
        self.blocks[block] + units_of(&text.as_bytes()[block * UNIT_BLOCK..byte])
    }

    /// Bytes in memory.
    pub(super) fn size(&self) -> usize {
        self.blocks.len() * 4
    }
}

/// UTF-16 code units of the characters that begin in these bytes of a text.
fn units_of(bytes: &[u8]) -> u32 {
    let units = bytes.iter().map(|byte| u32::from(byte & 0xC0 != 0x80) + u32::from(*byte >= 0xF0));
    units.sum()
}

/// A set of forms by number, as bits.
#[derive(Debug, Default)]
pub(super) struct FormSet(Vec<u64>);

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
    /// The first and the last one.
    pub(super) first: FormAt,
    pub(super) last: FormAt,
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
    /// The mentions of a set of forms among `found`, of those that end at or before the byte `end`. `count` is the
    /// number of forms of the book.
    fn new(found: &[FormAt], set: &FormSet, count: usize, end: usize) -> Self {
        let mut all: Vec<FormAt> = Vec::new();
        let mut forms: Vec<FormCount> = Vec::new();
        // By form: its number in `forms`, from 1; 0 for one that was not met.
        let mut index: Vec<u32> = vec![0; count];
        let mut last = 0;
        for at in found {
            if (at.start as usize) < last || !set.has_number(at.form) || at.end as usize > end {
                continue;
            }
            last = at.end as usize;
            let [before, after] = at.beside;
            let at = FormAt { beside: [before, after.filter(|_| last < end)], ..*at };
            let beside = at.beside.map(|likely| Neighbour { likely, votes: 1 });
            let number = &mut index[at.form as usize];
            match number.checked_sub(1).map(|known| &mut forms[known as usize]) {
                Some(known) => {
                    known.count += 1;
                    known.last = at;
                    known.beside.iter_mut().zip(beside).for_each(|(side, one)| side.merge(one));
                }
                None => {
                    forms.push(FormCount { form: at.form, count: 1, first: at, last: at, beside });
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

/// A set of wanted forms, with the index of each in the list of the wanted ones.
#[derive(Debug)]
pub(super) struct Wanted {
    set: Arc<FormSet>,
    /// By form; `u32::MAX` for one that is not wanted.
    index: Vec<u32>,
}

impl Wanted {
    /// The forms with these numbers, of `count` in the book. One that is listed twice is the first.
    pub(super) fn new(numbers: &[Option<usize>], count: usize) -> Self {
        let mut index: Vec<u32> = vec![u32::MAX; count];
        let mut set = FormSet::default();
        for (at, number) in numbers.iter().enumerate() {
            if let Some(number) = number.filter(|number| index[*number] == u32::MAX) {
                index[number] = as_u32(at);
                set.insert(number);
            }
        }
        Self { set: Arc::new(set), index }
    }

    pub(super) fn set(&self) -> &Arc<FormSet> {
        &self.set
    }
}

/// The mentions of wanted forms in the chapters of a search.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// By form: its index in the list of the wanted ones.
    wanted: Vec<u32>,
    chapters: Vec<Arc<ChapterMentions>>,
}

impl Mentions {
    /// The mentions in these chapters.
    pub(super) fn new(wanted: Wanted, chapters: Vec<Arc<ChapterMentions>>) -> Self {
        Self { wanted: wanted.index, chapters }
    }

    /// Visits the mentions of some forms in the order of the chapters, each with the index of its form in the list of
    /// the wanted ones. `is_wanted` is by this index.
    pub(super) fn visit_of(&self, is_wanted: &[bool], mut visit: impl FnMut(usize, &FormAt)) {
        for (number, chapter) in self.chapters.iter().enumerate() {
            if chapter.forms.iter().any(|count| is_wanted[self.wanted[count.form as usize] as usize]) {
                let wanted = self.places_in(number).filter(|(wanted, _)| is_wanted[*wanted]);
                wanted.for_each(|(wanted, at)| visit(wanted, at));
            }
        }
    }

    /// The mentions in a chapter, in order, each with the index of its form in the list of the wanted ones.
    pub(super) fn places_in(&self, chapter: usize) -> impl Iterator<Item = (usize, &FormAt)> {
        let all = self.chapters.get(chapter).map(|chapter| chapter.all.as_slice()).unwrap_or_default();
        all.iter().map(|at| (self.wanted[at.form as usize] as usize, at))
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
