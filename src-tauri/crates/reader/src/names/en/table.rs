//! The words and forms of an English book by number, with what depends on their letters alone.
//!
//! Numbers are given in the order of reading, and no decision depends on them.

use palimpsest_text::names::is_everyday;
use rustc_hash::FxHashMap;

use super::{
    super::{
        counts::lower_into,
        lexicon_en::{List, Word as Listed, look_up},
        places::as_u32,
    },
    entities::folded,
};

/// A different word of a book, letter case apart.
#[derive(Debug)]
pub(super) struct WordForm {
    /// In small letters, with straight apostrophes.
    pub(super) text: Box<str>,
    pub(super) listed: Listed,
}

/// A form that may be a name.
#[derive(Debug)]
pub(super) struct NameForm {
    /// In title case, without full stops, one space between two words.
    pub(super) text: Box<str>,
    /// As the names of the writer are compared with it.
    pub(super) folded: Box<str>,
    pub(super) parts: Parts,
    /// The numbers of `parts.words`.
    pub(super) words: Vec<u32>,
    /// The lists that contain the first and the last of them.
    pub(super) first: Listed,
    pub(super) last: Listed,
    /// The first of them is an everyday word.
    pub(super) is_everyday: bool,
    /// The numbers of the ways in which the text writes it.
    pub(super) surfaces: Vec<u32>,
}

/// The words and forms of a book.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) words: Vec<WordForm>,
    word_numbers: FxHashMap<Box<str>, u32>,
    pub(super) forms: Vec<NameForm>,
    form_numbers: FxHashMap<Box<str>, u32>,
    pub(super) surfaces: Vec<Box<str>>,
    surface_numbers: FxHashMap<(u32, Box<str>), u32>,
    /// The last word that was looked up, in small letters.
    key: String,
}

impl Tables {
    pub(super) fn word_number(&mut self, text: &str) -> u32 {
        let mut key = std::mem::take(&mut self.key);
        lower_into(&mut key, text);
        let number = self.number_of_lower(&key);
        self.key = key;
        number
    }

    /// The number of a word in small letters.
    fn number_of_lower(&mut self, lower: &str) -> u32 {
        if let Some(&known) = self.word_numbers.get(lower) {
            return known;
        }
        let new = as_u32(self.words.len());
        self.words.push(WordForm { text: lower.into(), listed: look_up(lower) });
        self.word_numbers.insert(lower.into(), new);
        new
    }

    /// The number of a form, whose words are separated by one space.
    pub(super) fn form_number(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.form_numbers.get(text) {
            return known;
        }
        let parts = Parts::new(text);
        let words: Vec<u32> = parts.words.iter().map(|word| self.number_of_lower(word)).collect();
        let listed =
            |number: Option<&u32>| number.map(|number| self.words[*number as usize].listed).unwrap_or_default();
        let (first, last) = (listed(words.first()), listed(words.last()));
        let is_everyday = parts.words.first().is_some_and(|word| is_everyday(word));
        let new = as_u32(self.forms.len());
        let folded = folded(text).into();
        self.forms.push(NameForm {
            text: text.into(),
            folded,
            parts,
            words,
            first,
            last,
            is_everyday,
            surfaces: Vec::new(),
        });
        self.form_numbers.insert(text.into(), new);
        new
    }

    /// The number of a way in which the text writes a form.
    pub(super) fn surface_number(&mut self, form: u32, text: &str) -> u32 {
        let new = as_u32(self.surfaces.len());
        let number = *self.surface_numbers.entry((form, text.into())).or_insert(new);
        if number == new {
            self.surfaces.push(text.into());
            self.forms[form as usize].surfaces.push(new);
        }
        number
    }

    /// Bytes in memory, about.
    pub(super) fn size(&self) -> usize {
        // A text is in the list and in the map; the maps are up to half empty.
        self.words.len() * (size_of::<WordForm>() + 80)
            + self.forms.len() * (size_of::<NameForm>() + 280)
            + self.surfaces.len() * 140
    }
}

/// The parts of a form: titles, then the words of the name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Parts {
    /// In small letters.
    pub(super) titles: Vec<String>,
    /// In small letters, without particles.
    pub(super) words: Vec<String>,
}

impl Parts {
    fn new(form: &str) -> Self {
        let mut parts = Self::default();
        for word in form.split(' ') {
            let mut small = String::new();
            lower_into(&mut small, word);
            let listed = look_up(&small);
            if parts.words.is_empty() && listed.is_title() {
                parts.titles.push(small);
            } else if !(small == "of" || listed.is(List::Particle) && !word.starts_with(char::is_uppercase)) {
                parts.words.push(small);
            }
        }
        if parts.words.is_empty() {
            parts.words.extend(parts.titles.pop());
        }
        parts
    }
}
