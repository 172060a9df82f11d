//! The words and pairs of words of a Chinese book by number, with what depends on their characters alone.
//!
//! Numbers are given in the order of reading, and no decision depends on them.

use palimpsest_text::is_han;
use rustc_hash::FxHashMap;

use super::{
    classes::Class,
    forms::{
        GivenName, familiar_character, full_name_of, has_title, is_form, is_ranked, is_structured, is_titled,
        is_with_family,
    },
    lexicon::ADJECTIVES,
    ordinary::is_ordinary,
    single::Verbless,
};

/// The number of a pair that is none.
pub(super) const NO_PAIR: u32 = u32::MAX;
/// Most characters of two words that are read as one.
const MAX_JOINED_CHARS: u8 = 4;

/// A different word of a book.
#[derive(Debug)]
pub(super) struct WordForm {
    pub(super) text: Box<str>,
    pub(super) chars: usize,
    pub(super) is_ordinary: bool,
    pub(super) is_form: bool,
    /// A surname with the word for a house.
    pub(super) is_family: bool,
    /// A surname or a rank with a title, and no ordinary word.
    pub(super) is_titled_name: bool,
    pub(super) is_structured: bool,
    pub(super) has_title: bool,
    /// Bytes of the surname, if it is one with a given name of two characters.
    pub(super) surname: Option<usize>,
    pub(super) familiar: Option<char>,
    /// Of a word of three characters: its end that may be a given name.
    pub(super) given: Option<GivenName>,
    /// Without a verb or an adverb at its end.
    pub(super) verbless: Option<Verbless>,
}

impl WordForm {
    fn new(text: &str) -> Self {
        let (chars, is_ordinary) = (text.chars().count(), is_ordinary(text));
        Self {
            text: text.into(),
            chars,
            is_ordinary,
            is_form: is_form(text),
            is_family: is_with_family(text),
            is_titled_name: is_titled(text) && !is_ordinary || is_ranked(text),
            is_structured: is_structured(text),
            has_title: has_title(text),
            surname: full_name_of(text),
            familiar: familiar_character(text),
            given: (chars == 3).then(|| GivenName::in_full_name(text)).flatten(),
            verbless: Verbless::of(text),
        }
    }
}

/// The part of a word form that pairs depend on: few bytes, since it is read for each two neighbours.
#[derive(Debug, Clone, Copy)]
struct PairFit {
    /// The number of its characters if it may be part of a name; 0 also for one with too many.
    part: u8,
    is_adjective: bool,
    is_ordinary: bool,
}

impl PairFit {
    fn new(form: &WordForm) -> Self {
        let is_part = form.text.chars().all(|c| is_han(c) && !Class::of(c).has(Class::NO_PART));
        let chars = u8::try_from(form.chars).ok().filter(|chars| is_part && *chars < MAX_JOINED_CHARS);
        let is_adjective = ADJECTIVES.contains(&*form.text);
        Self { part: chars.unwrap_or(0), is_adjective, is_ordinary: form.is_ordinary }
    }
}

/// The words and pairs of words of a book.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) words: Vec<WordForm>,
    /// By word: what [`Tables::pair`] asks of it.
    fits: Vec<PairFit>,
    word_numbers: FxHashMap<Box<str>, u32>,
    pub(super) pairs: Vec<(u32, u32)>,
    /// By pair: the number of its two words as one, once it was needed.
    joined: FxHashMap<u32, u32>,
    pair_numbers: FxHashMap<(u32, u32), u32>,
}

fn as_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Tables {
    pub(super) fn word_number(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.word_numbers.get(text) {
            return known;
        }
        let new = as_u32(self.words.len());
        let form = WordForm::new(text);
        self.fits.push(PairFit::new(&form));
        self.words.push(form);
        self.word_numbers.insert(text.into(), new);
        new
    }

    /// The number of the two words of a pair as one, which have this text.
    pub(super) fn joined_word(&mut self, pair: u32, text: &str) -> u32 {
        if let Some(&known) = self.joined.get(&pair) {
            return known;
        }
        let id = self.word_number(text);
        self.joined.insert(pair, id);
        id
    }

    pub(super) fn known_word(&self, text: &str) -> Option<u32> {
        self.word_numbers.get(text).copied()
    }

    /// The number of two words that may be parts of one name, or [`NO_PAIR`].
    pub(super) fn pair(&mut self, first: u32, second: u32) -> u32 {
        let (one, other) = (self.fits[first as usize], self.fits[second as usize]);
        let is_fit = one.part > 0 && other.part > 0 && one.part + other.part <= MAX_JOINED_CHARS;
        let is_described = one.is_adjective && other.is_ordinary;
        if !is_fit || is_described {
            return NO_PAIR;
        }
        let new = as_u32(self.pairs.len());
        let known = *self.pair_numbers.entry((first, second)).or_insert(new);
        if known == new {
            self.pairs.push((first, second));
        }
        known
    }

    /// Whether the first word of a pair has one character.
    pub(super) fn begins_with_character(&self, first: u32) -> bool {
        self.fits[first as usize].part == 1
    }

    /// Bytes in memory, about.
    pub(super) fn size(&self) -> usize {
        // A word is in the list and in the map; the maps are up to half empty.
        self.words.len() * (size_of::<WordForm>() + 80) + self.pairs.len() * 32
    }
}
