//! Where the chapters of an English book have forms: word by word, whatever white space and full stops are between
//! two words.

use palimpsest_text::is_han;
use rustc_hash::FxHashMap;

use super::{
    super::places::{FormAt, Sought, Units, as_u32},
    table::Tables,
    text::WordAt,
};
use crate::words::{Gap, Parsed};

/// The forms that were looked for in a book, by number.
#[derive(Debug, Default)]
pub(super) struct FormTable {
    forms: Vec<SoughtForm>,
    /// By text. Two texts with the same words are one form.
    numbers: FxHashMap<Box<str>, Option<usize>>,
    by_words: FxHashMap<Box<str>, usize>,
}

#[derive(Debug)]
enum SoughtForm {
    /// The words as they are written, with straight apostrophes, and the number of each.
    Latin(Vec<(Box<str>, u32)>),
    /// With Han characters: found anywhere.
    Han(Box<str>),
}

impl FormTable {
    /// The number of a form; `None` for one without letters.
    pub(super) fn number_of(&mut self, text: &str, tables: &mut Tables) -> Option<usize> {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let number = self.new_number(text, tables);
        self.numbers.insert(text.into(), number);
        number
    }

    fn new_number(&mut self, text: &str, tables: &mut Tables) -> Option<usize> {
        let (form, key) = if text.contains(is_han) {
            (SoughtForm::Han(text.into()), text.to_owned())
        } else {
            let parsed = Parsed::new(text);
            let words: Vec<(Box<str>, u32)> = parsed
                .words
                .iter()
                .map(|word| (word.text.replace('’', "'").into(), tables.word_number(word.text)))
                .collect();
            let key = words.iter().map(|(word, _)| &**word).collect::<Vec<_>>().join(" ");
            (SoughtForm::Latin(words), key)
        };
        if key.is_empty() {
            return None;
        }
        let new = self.forms.len();
        let number = *self.by_words.entry(key.into()).or_insert(new);
        if number == new {
            self.forms.push(form);
        }
        Some(number)
    }

    pub(super) fn len(&self) -> usize {
        self.forms.len()
    }

    /// Bytes in memory, about.
    pub(super) fn size(&self) -> usize {
        self.forms.len() * 300
    }
}

/// The words of a chapter by number, and the places of the forms that were looked for in it.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Words by number with their places, in order.
    words: Vec<(u32, u32)>,
    units: Units,
    pub(super) sought: Sought,
}

impl Places {
    pub(super) fn new(text: &str, words: &[WordAt]) -> Self {
        let mut by_number: Vec<(u32, u32)> = words.iter().zip(0..).map(|(word, at)| (word.id, at)).collect();
        by_number.sort_unstable();
        Self { words: by_number, units: Units::new(text), sought: Sought::default() }
    }

    fn places_of(&self, id: u32) -> &[(u32, u32)] {
        let from = self.words.partition_point(|(other, _)| *other < id);
        let rest = &self.words[from..];
        &rest[..rest.partition_point(|(other, _)| *other == id)]
    }

    /// Looks for the forms of the table that were not looked for, by the places of the rarest word of each.
    pub(super) fn look_for(&mut self, text: &str, words: &[WordAt], table: &FormTable) {
        let mut sought = std::mem::take(&mut self.sought);
        sought.seek(table.forms.len(), |number, found| match &table.forms[number] {
            SoughtForm::Han(form) => {
                found.extend(
                    text.match_indices(&**form).map(|(start, _)| self.place_at(text, number, start, form.len())),
                );
            }
            SoughtForm::Latin(form) => {
                let rarest = form.iter().enumerate().min_by_key(|(_, (_, id))| self.places_of(*id).len());
                let Some((within, (_, id))) = rarest else { return };
                for &(_, at) in self.places_of(*id) {
                    let Some(first) = (at as usize).checked_sub(within) else { continue };
                    if has_form(text, &words[first..], form) {
                        let (start, end) = (words[first].start as usize, words[first + form.len() - 1].end as usize);
                        found.push(self.place_at(text, number, start, end - start));
                    }
                }
            }
        });
        self.sought = sought;
    }

    fn place_at(&self, text: &str, form: usize, start: usize, bytes: usize) -> FormAt {
        let end = start + bytes;
        let unit = self.units.units_before(text, start);
        let units = self.units.units_before(text, end) - unit;
        FormAt { start: as_u32(start), end: as_u32(end), unit, units, form: as_u32(form), beside: [None, None] }
    }

    /// Bytes in memory, about.
    pub(super) fn size(&self) -> usize {
        self.words.len() * 8 + self.units.size() + self.sought.size()
    }
}

/// Whether words begin with those of a form.
fn has_form(text: &str, words: &[WordAt], form: &[(Box<str>, u32)]) -> bool {
    let is_same = |(number, (wanted, word)): (usize, (&(Box<str>, u32), &WordAt))| {
        let is_joined = number == 0 || matches!(word.gap, Gap::Space | Gap::Stop);
        word.id == wanted.1 && is_joined && is_written(&text[word.start as usize..word.end as usize], &wanted.0)
    };
    words.len() >= form.len() && form.iter().zip(words).enumerate().all(is_same)
}

/// Whether a word is written like another one, which has straight apostrophes.
fn is_written(word: &str, wanted: &str) -> bool {
    word == wanted || word.contains('’') && word.replace('’', "'") == wanted
}
