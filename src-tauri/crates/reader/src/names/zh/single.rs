//! Names that occur once: those that are names by their form and by the characters beside them.

use std::ops::Range;

use palimpsest_text::is_han;
use rustc_hash::FxHashMap;

use super::{
    EntityKind, WordKind,
    evidence::{Found, WordAt},
    forms::{Kinds, has_title, is_form, is_rank, is_surname, surname_of},
    lexicon::{
        ACTS, ADVERBS, AMBIGUOUS_SURNAMES, BEFORE_NAMES, BEFORE_PERSONS, BEHIND_NAMES, FUNCTION_ENDINGS, INTRODUCTIONS,
        LINKS, LOCAL_ENDINGS, NO_PART, PLACE_ENDINGS, RULERS, SPEECH,
    },
    ordinary::is_ordinary,
};

/// Most characters of a name with a title, and of one without.
const MAX_CHARS: usize = 5;
const MAX_UNTITLED_CHARS: usize = 4;
/// Last characters of ranks and of words for relatives.
const TITLE_ENDINGS: &str = "弟兄长";

/// A word that is read as a person's name and that its chapter has once.
#[derive(Debug)]
pub(super) struct Single {
    /// Number of the word.
    id: u32,
    /// No letter stands before it.
    is_start: bool,
    /// It is a person's by its form and by the characters beside it.
    is_persons_name: bool,
}

/// The range of a word, and the kind of the word before it as [`Place`] has it.
pub(super) type PlaceKey = (Range<u32>, Option<WordKind>);

/// Whether a word begins after no letter, and whether it is a person's name where it stands.
pub(super) type KnownSingles = FxHashMap<PlaceKey, (bool, bool)>;

/// The words of a chapter that are read as a person's name and that it has once, in order. `known` are those of other
/// times.
pub(super) fn singles(
    text: &str,
    words: &[WordAt],
    is_once: impl Fn(u32) -> bool,
    known: &mut KnownSingles,
) -> Vec<Single> {
    let persons = words.iter().enumerate().filter(|(_, word)| word.kind == WordKind::Person && is_once(word.id));
    let single = |(at, word): (usize, &WordAt)| {
        let place = Place::new(text, words, at);
        let of_place = || (place.is_start(), place.is_persons_name(&text[word.range()]));
        let (is_start, is_persons_name) = *known.entry(place_key(text, words, at)).or_insert_with(of_place);
        Single { id: word.id, is_start, is_persons_name }
    };
    persons.map(single).collect()
}

pub(super) fn place_key(text: &str, words: &[WordAt], at: usize) -> PlaceKey {
    (words[at].start..words[at].end, kind_before(text, words, at))
}

/// The kind of the word before, if it is one of several characters, so that it is no part of a name.
fn kind_before(text: &str, words: &[WordAt], at: usize) -> Option<WordKind> {
    let last = at.checked_sub(1).map(|at| &words[at]).filter(|word| word.end == words[at].start);
    last.filter(|word| text[word.range()].chars().nth(1).is_some()).map(|word| word.kind)
}

/// Adds the names of persons that occur once, without the verb that the tagger takes for their last character.
pub(super) fn add_single(found: &Found<'_>, kinds: &mut Kinds) {
    for single in found.readings.iter().flat_map(|reading| &reading.singles) {
        let (word, evidence) = found.word(single.id);
        if evidence.count() != 1 {
            continue;
        }
        let text = &*word.text;
        let verbless = word.verbless.map(|verbless| (&text[..verbless.bytes], verbless.is_name));
        if let Some((name, is_name)) = verbless.filter(|(name, _)| !found.has(name)) {
            if is_name && single.is_start {
                kinds.entry(name.to_owned()).or_insert(EntityKind::Character);
            }
        } else if evidence.noun == 0
            && (single.is_persons_name && !begins_with_name(text, found) || is_with_known(text, kinds))
        {
            kinds.entry(text.to_owned()).or_insert(EntityKind::Character);
        }
    }
}

/// The text around a word.
struct Place<'t> {
    before: &'t str,
    rest: &'t str,
    /// The word before, if it is one of several characters, so that it is no part of a name.
    last: Option<WordKind>,
}

impl<'t> Place<'t> {
    fn new(text: &'t str, words: &[WordAt], at: usize) -> Self {
        let range = words[at].range();
        let last = kind_before(text, words, at);
        Self { before: &text[..range.start], rest: &text[range.end..], last }
    }

    fn is_start(&self) -> bool {
        self.before.chars().next_back().is_none_or(|c| !c.is_alphanumeric())
    }

    /// Whether the name does not begin before the word.
    fn is_free_before(&self) -> bool {
        let is_no_name = |c: char| NO_PART.contains(c) || BEFORE_PERSONS.contains(c) || BEFORE_NAMES.contains(c);
        self.is_start() || self.last.is_some() || self.before.ends_with(is_no_name)
    }

    /// Whether the name does not go on behind the word.
    fn is_free_behind(&self) -> bool {
        let next = self.rest.chars().next().filter(|c| c.is_alphanumeric());
        next.is_none_or(|c| NO_PART.contains(c) && c != '之' || BEHIND_NAMES.contains(c) || LINKS.contains(c))
            || self.is_acting()
    }

    /// Whether a verb follows.
    fn is_acting(&self) -> bool {
        let mut next = self.rest.chars();
        let is_verb = next.next().is_some_and(is_han) && next.next().is_some_and(|c| "了着过".contains(c));
        is_verb || ACTS.iter().any(|act| self.rest.starts_with(act))
    }

    /// Whether the words beside it are those of a person rather than a thing.
    fn is_persons(&self) -> bool {
        let next = self.rest.chars().next();
        self.is_introduced()
            || self.before.ends_with(|c| BEFORE_PERSONS.contains(c))
            || next.is_some_and(|c| SPEECH.contains(c) || ADVERBS.contains(c) || LINKS.contains(c))
            || self.is_acting()
    }

    /// Whether the word is one of several that are listed.
    fn is_in_list(&self) -> bool {
        let is_joined = |c: char| "、和与".contains(c);
        self.before.ends_with(is_joined) || self.rest.starts_with(is_joined)
    }

    /// Whether the word before says that a name follows.
    fn is_introduced(&self) -> bool {
        INTRODUCTIONS.iter().any(|end| self.before.ends_with(end))
    }

    /// Whether a word that the tagger reads as a person is one: with a title, with 老 or 阿, introduced, or with a
    /// surname and no ordinary word.
    fn is_persons_name(&self, text: &str) -> bool {
        let chars = text.chars().count();
        if !is_form(text) || chars > MAX_CHARS || is_ordinary(text) || !self.is_free_before() {
            return false;
        }
        let is_titled = has_title(text) && (!text.ends_with(RULERS) || chars > 2 && is_whole(text));
        if is_titled && !text.starts_with(is_beside_name) {
            return self.is_free_behind();
        }
        if !is_whole(text) || chars > MAX_UNTITLED_CHARS || self.last == Some(WordKind::Person) {
            return false;
        }
        let rest = text.strip_prefix(['老', '小']).filter(|rest| is_surname(rest) || is_rank(rest));
        let is_familiar = text.starts_with('阿') || rest.is_some();
        is_familiar && chars == 2 && self.is_free_behind()
            || self.is_introduced() && chars < 4 && self.is_free_behind()
            || surname_of(text).is_some_and(|surname| self.is_full_name(surname, &text[surname.len()..]))
    }

    /// Whether a surname and what follows it are a name.
    fn is_full_name(&self, surname: &str, given: &str) -> bool {
        let is_word = AMBIGUOUS_SURNAMES.contains(surname);
        let mut chars = given.chars();
        match (chars.next(), chars.next(), chars.next()) {
            (Some(c), None, _) => {
                let is_likely = self.is_persons() || self.is_in_list();
                is_likely && self.is_free_behind() && !is_word && !"氏儿子".contains(c) && !LOCAL_ENDINGS.contains(c)
            }
            (Some(c), Some(last), None) => {
                let is_ordinary = is_ordinary(given) || is_ordinary(&format!("{surname}{c}"));
                let is_titled = TITLE_ENDINGS.contains(last) && self.is_free_behind();
                (!is_word || self.is_persons()) && (!is_ordinary || is_titled || self.is_acting())
            }
            _ => false,
        }
    }
}

/// Whether a text has no character that stands beside names.
fn is_whole(text: &str) -> bool {
    text.chars().all(|c| !NO_PART.contains(c))
        && !text.ends_with(FUNCTION_ENDINGS)
        && !text.ends_with(PLACE_ENDINGS)
        && !text.ends_with(|c| BEHIND_NAMES.contains(c))
        && !text.starts_with(is_beside_name)
}

/// Whether a character stands before names.
fn is_beside_name(c: char) -> bool {
    NO_PART.contains(c) || BEFORE_NAMES.contains(c)
}

/// A word without a verb or an adverb at its end: 孔子 of 孔子曰.
#[derive(Debug, Clone, Copy)]
pub(super) struct Verbless {
    /// Bytes of the rest.
    bytes: usize,
    /// The rest is a full name by its characters.
    is_name: bool,
}

impl Verbless {
    pub(super) fn of(text: &str) -> Option<Self> {
        let last = text.chars().next_back().filter(|c| BEHIND_NAMES.contains(*c))?;
        let name = &text[..text.len() - last.len_utf8()];
        let is_fit = name.chars().count() > 1 && !is_ordinary(name);
        is_fit.then(|| Self { bytes: name.len(), is_name: surname_of(name).is_some() && is_whole(name) })
    }
}

/// Whether a word without a title begins with another word that is a name: 董卓易 is 董卓 with the verb behind it.
fn begins_with_name(text: &str, found: &Found<'_>) -> bool {
    let is_name = |end: usize| found.get(&text[..end]).is_some_and(|word| word.kinds[0] * 2 > word.count());
    !has_title(text) && text.char_indices().skip(2).any(|(end, _)| is_name(end))
}

/// Whether a text is the name of a known person with 氏: 女娲氏.
fn is_with_known(text: &str, kinds: &Kinds) -> bool {
    let name = text.strip_suffix('氏').filter(|name| name.chars().count() > 1);
    name.is_some_and(|name| kinds.get(name) == Some(&EntityKind::Character))
}

/// Whether a word with a title behind it is certainly a person: a surname or a full name, with a title of several
/// characters.
pub(super) fn is_certain_with_title(text: &str, words: &[WordAt], at: usize, title: &str) -> bool {
    let name = &text[words[at].range()];
    let is_full = surname_of(name).is_some_and(|surname| (1..3).contains(&name[surname.len()..].chars().count()));
    let is_name = is_surname(name) || is_full && !is_ordinary(name);
    title.chars().count() > 1 && is_name && is_whole(name) && Place::new(text, words, at).is_free_before()
}
