//! The evidence of the words around an occurrence of a name. The weights are guesses that were checked on the
//! development data; only their order of magnitude matters.

use super::{super::lexicon_en::List, runs::Run, text::Reader};
use crate::words::Gap;

/// Maximum number of words between a name and a pronoun that may refer to it.
const MAX_PRONOUN_DISTANCE: usize = 9;

/// Parts of one point of evidence: sums of whole numbers do not depend on the order.
pub(super) const PARTS: u16 = 20;

/// The evidence of one occurrence of a form.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weight {
    /// Points for a person and for a place, in [`PARTS`].
    pub(super) person: u16,
    pub(super) place: u16,
    /// After an article.
    pub(super) article: bool,
    /// Verbs of speech, `who` or `himself` beside it.
    pub(super) speech: u8,
    /// Pronouns and titles in small letters near it that refer to a man, and to a woman.
    pub(super) man: u8,
    pub(super) woman: u8,
    /// It does not begin a sentence.
    pub(super) inside: bool,
    /// It opens speech like an address: it is one if the book has the form inside a sentence before.
    pub(super) opens_speech: bool,
}

impl Weight {
    /// Points for a person of somebody who is spoken to.
    pub(super) const ADDRESSED: u16 = 3 * PARTS / 2;

    /// The evidence around one occurrence.
    pub(super) fn around(reader: Reader<'_>, run: &Run) -> Self {
        let mut weight = Self { inside: !reader.words[run.start].begins, ..Self::default() };
        if let Some(before) = reader.word_before(run.start).filter(|_| reader.words[run.start].gap == Gap::Space) {
            weight.add_before(reader, run, before);
        }
        weight.add_behind(reader, run);
        weight.add_address(reader, run);
        weight.add_pronoun(reader, run);
        weight
    }

    fn add_person(&mut self, twentieths: u16) {
        self.person += twentieths;
    }

    fn add_speech(&mut self) {
        self.person += 5 * PARTS / 2;
        self.speech += 1;
    }

    fn add_before(&mut self, reader: Reader<'_>, run: &Run, at: usize) {
        let (listed, before) = (reader.listed(at), &reader.words[at]);
        let is_possessive = reader.words[run.end - 1].has_possessive();
        match reader.lower(at) {
            "the" | "a" | "an" => self.article = true,
            _ if before.is_capital && !before.begins => {}
            _ if listed.is(List::Speech) => self.add_speech(),
            _ if listed.is_title() || listed.is(List::Epithet) => {
                self.add_person(30);
                self.man += u8::from(listed.is(List::TitleOfMan));
                self.woman += u8::from(listed.is(List::TitleOfWoman));
            }
            _ if listed.is(List::Inside) && !is_possessive => self.place += 32,
            _ if listed.is(List::Towards) && !is_possessive => self.place += 10,
            "of" if !is_possessive => self.place += 6,
            _ if listed.is(List::With) => self.add_person(8),
            _ => {}
        }
    }

    fn add_behind(&mut self, reader: Reader<'_>, run: &Run) {
        let last = run.end - 1;
        let next = reader.next(last);
        if reader.words[last].has_possessive() {
            let is_owned = next.is_some_and(|next| reader.listed(next).is(List::Own));
            self.add_person(if is_owned { 40 } else { 8 });
            return;
        }
        // `Anne quickly said`.
        let is_adverb = |at: usize| {
            let word = reader.str(at);
            word.ends_with("ly") || matches!(word, "then" | "now" | "also" | "never" | "only")
        };
        let verb = next.and_then(|next| if is_adverb(next) { reader.next(run.end) } else { Some(next) });
        if let Some(verb) = verb.filter(|verb| !reader.words[*verb].is_capital) {
            let (listed, word) = (reader.listed(verb), reader.str(verb));
            if listed.is(List::Speech) {
                self.add_speech();
            } else if listed.is(List::Feeling) {
                self.add_person(30);
            } else if matches!(word, "himself" | "herself" | "who" | "whom" | "whose") {
                self.add_speech();
            } else if word.len() > 4 && word.ends_with("ed") {
                self.add_person(16);
            } else if listed.is(List::Verb) {
                self.add_person(5);
            }
        } else if let Some(after) = reader.word_after(last).filter(|after| reader.words[*after].gap == Gap::Comma) {
            match reader.str(after) {
                "who" | "whom" | "whose" => self.add_person(50),
                "where" => self.place += 40,
                _ => {}
            }
        }
    }

    /// Somebody is spoken to: between a comma and a mark, or at the start of speech.
    fn add_address(&mut self, reader: Reader<'_>, run: &Run) {
        let first = &reader.words[run.start];
        let after = reader.char_after(run.end - 1);
        let ends = matches!(after, Some(',' | '.' | '!' | '?' | ';' | '"' | '”' | '’' | '—' | '-'));
        if !first.is_spoken || !ends {
            return;
        }
        if first.gap == Gap::Comma && after != Some(',') {
            self.add_person(Self::ADDRESSED);
        } else {
            // A word that only opens speech may be an interjection.
            self.opens_speech = first.begins && matches!(after, Some(',' | '!'));
        }
    }

    /// The first pronoun after the run in its sentence, unless another capital comes before it.
    fn add_pronoun(&mut self, reader: Reader<'_>, run: &Run) {
        // A pronoun rarely refers to a name that follows a preposition of place.
        let weight = if self.place > 0 { 5 } else { 10 };
        let sentence = reader.words[run.start].sentence;
        for (word, at) in reader.words[run.end..].iter().zip(run.end..).take(MAX_PRONOUN_DISTANCE) {
            if word.sentence != sentence || word.is_capital {
                return;
            }
            match reader.str(at) {
                "he" | "him" | "his" | "himself" => {
                    self.man += 1;
                    self.add_person(weight);
                    return;
                }
                "she" | "her" | "hers" | "herself" => {
                    self.woman += 1;
                    self.add_person(weight);
                    return;
                }
                "it" | "its" => return,
                _ => {}
            }
        }
    }
}
