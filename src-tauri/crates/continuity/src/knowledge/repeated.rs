//! Knowledge that a book tells twice in the same words: `Mara could have told them who opened the safe`, and later
//! `Only by accident did it come to Mara's ears who opened the safe`.
//!
//! The rules of a language read the verb of a statement. Here the clause that both sentences share says that they are
//! about one matter, so that less has to be read of the rest: whether it says that the only character it names knows
//! the matter, or learns it. It is enough to read one of the two, if nothing in the other one denies, supposes or asks:
//! who learns a matter did not tell it before, and who knows it has no news of it.

mod en;
mod zh;

use palimpsest_text::Language;

use en::{MIN_WORDS, clause_start, english_parts, english_signs};
use zh::{MIN_CHARS, chinese_parts, chinese_signs, is_question, is_whole_question, verb_length};

use super::Step;
use crate::{
    Book,
    sentences::{Sentence, is_character},
};

/// The signs of a sentence that a character knows or learns a matter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Signs {
    /// It says that the character knows it, or tells it to somebody.
    knows: bool,
    /// It says that the character learns it.
    learns: bool,
    /// It says that something is so from then on.
    is_new: bool,
    /// It says that something is news, a surprise, or was not known before.
    is_news: bool,
    /// It says that something is not known.
    is_ignorant: bool,
    /// It supposes, wonders or asks.
    is_doubtful: bool,
    /// It says that something has long been so.
    is_old: bool,
}

impl Signs {
    fn with(self, verbs: Verbs) -> Self {
        match verbs {
            Verbs::Step(Step::Knows) => Self { knows: true, ..self },
            Verbs::Step(Step::Learns) => Self { learns: true, ..self },
            Verbs::Ignorance => Self { is_ignorant: true, ..self },
            Verbs::Doubt => Self { is_doubtful: true, ..self },
            Verbs::Nothing => self,
        }
    }

    /// Whether the character may know the matter: nothing says that it does not, or only from then on.
    fn may_know(self) -> bool {
        let is_later = self.learns || !self.knows && (self.is_news || self.is_new);
        !self.is_ignorant && !self.is_doubtful && (self.is_old || !is_later)
    }

    fn tells_news(self) -> bool {
        !self.is_doubtful && (self.is_news || self.is_ignorant)
    }

    /// Whether it says that a character learns what it knew before, by a sentence with these signs. `is_asked` says
    /// that the matter is a question, such as `who had opened the safe`; another matter may be any words that a book
    /// repeats. `has_news` says that a sentence beside it tells of news.
    fn learns_after(self, before: Self, is_asked: bool, has_news: bool) -> bool {
        if !before.may_know() {
            return false;
        }
        if !is_asked {
            return before.knows && self.learns;
        }
        let is_unread = !self.is_doubtful && (before.knows || !self.knows || self.is_news);
        self.learns || is_unread && (self.tells_news() || has_news || before.knows && self.is_new)
    }
}

/// The verbs of a sentence.
enum Verbs {
    /// The character knows something, or learns it.
    Step(Step),
    /// Something is not known.
    Ignorance,
    /// Somebody supposes, wonders or asks.
    Doubt,
    /// None of these.
    Nothing,
}

/// A piece of a sentence between marks and names, in words or in Han characters.
struct Part {
    items: Vec<String>,
    /// Of each item: the number of the word in the narration, or the byte of the character.
    places: Vec<usize>,
}

/// A sentence about one character that may say that it knows or learns something.
pub(super) struct Telling {
    pub(super) entity: usize,
    /// Number of the sentence.
    pub(super) sentence: usize,
    /// Whether the sentence names the character, and not only one beside it.
    is_named: bool,
    /// The sentences beside it in its paragraph that name no one else.
    beside: Vec<usize>,
    parts: Vec<Part>,
}

impl Telling {
    /// The tellings of a book, in its order.
    pub(super) fn all(book: &Book<'_>, all: &[Sentence<'_>]) -> Vec<Self> {
        (0..all.len()).filter_map(|number| Self::of(book, all, number)).collect()
    }

    /// The telling of a sentence that names one character alone, or that names no one and stands beside one that does.
    fn of(book: &Book<'_>, all: &[Sentence<'_>], number: usize) -> Option<Self> {
        let sentence = &all[number];
        let asks = |sentence: &Sentence<'_>| sentence.text.trim_end().ends_with(['?', '？']);
        if asks(sentence) {
            return None;
        }
        let beside = [number.checked_sub(1), Some(number + 1)].into_iter().flatten();
        let mut beside: Vec<usize> =
            beside.filter(|other| all.get(*other).is_some_and(|other| other.is_beside(sentence))).collect();
        let own = sentence.narrated_mentions().next().map(|mention| mention.entity);
        let named =
            || beside.iter().find_map(|other| all[*other].narrated_mentions().next()).map(|mention| mention.entity);
        let entity = own.or_else(named).filter(|entity| is_character(book, *entity))?;
        let names_other = |sentence: &Sentence<'_>| sentence.narrated_mentions().any(|other| other.entity != entity);
        if names_other(sentence) || own.is_none() && beside.iter().any(|other| names_other(&all[*other])) {
            return None;
        }
        beside.retain(|other| !names_other(&all[*other]) && !asks(&all[*other]));
        let parts = match book.language {
            Language::En => english_parts(sentence)?,
            Language::Zh => chinese_parts(sentence)?,
        };
        (!parts.is_empty()).then(|| Self { entity, sentence: number, is_named: own.is_some(), beside, parts })
    }

    /// Whether a later sentence says that the character learns the matter of this one, which it knows here.
    pub(super) fn is_known_before(&self, later: &Self, language: Language, all: &[Sentence<'_>]) -> bool {
        // A refrain contradicts nothing.
        let is_refrain = all[self.sentence].text == all[later.sentence].text;
        let mut pairs = self.parts.iter().flat_map(|one| later.parts.iter().map(move |other| (one, other)));
        !is_refrain
            && pairs.any(|(one, other)| {
                let Some((from, at, length)) = common_clause(&one.items, &other.items, language) else { return false };
                let matter = &one.items[from..from + length];
                let is_asked = match language {
                    Language::En => matter[0] != "that",
                    Language::Zh => is_question(&matter.concat()),
                };
                let are_named = self.is_named && later.is_named;
                if !is_asked && !are_named {
                    return false;
                }
                let before = signs(language, &all[self.sentence], &one.places[from..from + length]);
                let after = signs(language, &all[later.sentence], &other.places[at..at + length]);
                let has_news = later.beside.iter().any(|number| signs(language, &all[*number], &[]).tells_news());
                after.learns_after(before, is_asked, has_news)
            })
    }

    /// Its shortest runs that two sentences must share: each word with its neighbours, by which others are looked up.
    pub(super) fn runs(&self, language: Language) -> impl Iterator<Item = String> {
        let least = if language == Language::En { MIN_WORDS } else { MIN_CHARS };
        self.parts.iter().flat_map(move |part| part.items.windows(least).map(|run| run.join(" ")))
    }
}

/// The signs of a sentence. `matter` are the places of its items that are the matter.
fn signs(language: Language, sentence: &Sentence<'_>, matter: &[usize]) -> Signs {
    match language {
        Language::En => english_signs(sentence, matter),
        Language::Zh => chinese_signs(sentence, matter),
    }
}

/// Whether a sentence has speech that asks nothing, beside the narrated name of the character who may say it.
fn is_statement(sentence: &Sentence<'_>) -> bool {
    let asks = sentence.speech.iter().any(|range| sentence.text[range.clone()].contains(['?', '？']));
    !sentence.speech.is_empty() && !asks && sentence.narrated_mentions().next().is_some()
}

/// The longest clause that two parts share: its first item in each, and its length.
fn common_clause(one: &[String], other: &[String], language: Language) -> Option<(usize, usize, usize)> {
    let least = if language == Language::En { MIN_WORDS } else { MIN_CHARS };
    let clauses = runs(one, other, least).filter_map(|Run { first, second, length, is_whole }| {
        let run = &one[first..first + length];
        let skipped = match language {
            Language::En => clause_start(run).filter(|_| is_whole)?,
            Language::Zh => Some(verb_length(run)).filter(|skipped| is_whole || is_whole_question(&run[*skipped..]))?,
        };
        (length >= skipped + least).then_some((first + skipped, second + skipped, length - skipped))
    });
    clauses.max_by_key(|(.., length)| *length)
}

/// A run of items that two sequences share.
struct Run {
    /// Its first item in the one sequence, and in the other.
    first: usize,
    second: usize,
    length: usize,
    /// Whether it goes on to the end of one of them: what lies under a tree is not what lies under a stone.
    is_whole: bool,
}

/// The longest runs that two sequences share, of at least so many items.
fn runs<'a>(one: &'a [String], other: &'a [String], least: usize) -> impl Iterator<Item = Run> + 'a {
    let length = move |first: usize, second: usize| {
        one[first..].iter().zip(&other[second..]).take_while(|(one, other)| one == other).count()
    };
    let starts = (0..one.len()).flat_map(move |first| (0..other.len()).map(move |second| (first, second)));
    let is_start =
        move |&(first, second): &(usize, usize)| first == 0 || second == 0 || one[first - 1] != other[second - 1];
    starts.filter(is_start).filter_map(move |(first, second)| {
        let length = length(first, second);
        let is_whole = first + length == one.len() || second + length == other.len();
        (length >= least).then_some(Run { first, second, length, is_whole })
    })
}

/// Parts of items, each with its place, whether a part ends before it, and whether it is in none.
fn parts_of(all: impl Iterator<Item = (usize, String, bool, bool)>) -> Vec<Part> {
    let new = || Part { items: Vec::new(), places: Vec::new() };
    let mut parts = vec![new()];
    for (place, item, is_cut, is_left_out) in all {
        if is_cut {
            parts.push(new());
        }
        if let Some(part) = parts.last_mut().filter(|_| !is_left_out) {
            part.items.push(item);
            part.places.push(place);
        }
    }
    parts.retain(|part| !part.items.is_empty());
    parts
}
