//! Who speaks, where the text says so: a verb of speech beside a name that is known.
//!
//! Nothing is guessed from the turns of a dialogue. Speech without a verb and a name has a speaker only if it goes on
//! from speech that has them, or if its verb has a pronoun and its paragraph begins with the only name that the
//! narrator has in it. [`SpeechEvidence`] says which, so that a caller can ask for verbs alone.

mod zh;

use std::ops::Range;

use crate::{
    mentions::{Matcher, Mention},
    names::{
        DetectedEntity, EntityKind,
        lexicon_en::{List, look_up},
        lower_into,
    },
    words::{Gap, Parsed},
};

pub use zh::speakers_zh;

/// Speech with a speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speech {
    /// Bytes of the text between the quotation marks.
    pub range: Range<usize>,
    /// Index of the entity that speaks.
    pub speaker: usize,
    /// Bytes of the name in the text that says so.
    pub name: Range<usize>,
    /// How the text says so.
    pub how: SpeechEvidence,
}

/// How a text says who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpeechEvidence {
    /// A verb of speech beside the name.
    Verb,
    /// The speech goes on from, or to, speech that has a verb and a name: in its paragraph behind the narrator's words,
    /// or in the next paragraph where no mark closes it.
    SameSpeech,
    /// A verb of speech beside a pronoun, in a paragraph that begins with the name and whose narrator names no other
    /// person.
    Pronoun,
}

/// Most words between the name and the end of a sentence that introduces speech.
const MAX_INTRODUCTION: usize = 14;

/// Most words of a sentence before speech that are read.
const MAX_SENTENCE: usize = 60;

/// The speech of an English chapter whose speaker the text names, in order.
#[must_use]
pub fn speakers(text: &str, entities: &[DetectedEntity]) -> Vec<Speech> {
    let matcher = Matcher::new(entities);
    let parsed = Parsed::new(text);
    let mentions: Vec<Mention> = matcher
        .find_parsed(&parsed)
        .into_iter()
        .filter(|mention| entities.get(mention.entity).is_some_and(|entity| entity.kind == EntityKind::Character))
        .collect();
    Finder { parsed: &parsed, mentions: &mentions }.find()
}

struct Finder<'a, 't> {
    parsed: &'a Parsed<'t>,
    mentions: &'a [Mention],
}

impl Finder<'_, '_> {
    fn find(&self) -> Vec<Speech> {
        let speech = &self.parsed.speech;
        let mut named: Vec<Option<usize>> = Vec::with_capacity(speech.len());
        for (number, range) in speech.iter().enumerate() {
            let paragraph = self.paragraph_of(range.start);
            let from = number.checked_sub(1).map_or(0, |before| speech[before].end).max(self.introduction(&paragraph));
            let to = speech.get(number + 1).map_or(usize::MAX, |next| next.start).min(paragraph.end);
            named.push(self.after(range, to).or_else(|| self.before(range, from)));
        }
        let mut found = Vec::new();
        let mut first = 0;
        while first < speech.len() {
            let last = (first + 1..speech.len()).find(|&next| !self.is_continued(&speech[next - 1], &speech[next]));
            let last = last.unwrap_or(speech.len());
            let group = &named[first..last];
            let mut speakers = group.iter().flatten().map(|&mention| self.mentions[mention].entity);
            let only = speakers.next().filter(|one| speakers.all(|other| other == *one));
            let mention_of_group = group.iter().flatten().next().copied();
            let is_open = group.iter().all(Option::is_none);
            let antecedent = if is_open { self.antecedent(&speech[first..last]) } else { None };
            for (range, mention) in speech[first..last].iter().zip(group) {
                let by_verb = mention.map(|mention| (mention, SpeechEvidence::Verb));
                let by_group = only.and(mention_of_group).map(|mention| (mention, SpeechEvidence::SameSpeech));
                let by_pronoun = antecedent.map(|mention| (mention, SpeechEvidence::Pronoun));
                if let Some((mention, how)) = by_verb.or(by_group).or(by_pronoun) {
                    let Mention { range: name, entity } = self.mentions[mention].clone();
                    found.push(Speech { range: range.clone(), speaker: entity, name, how });
                }
            }
            first = last;
        }
        found
    }

    /// Whether two neighbouring speeches are one: in one paragraph with a narrator's words between them, or in two
    /// paragraphs of which the first has no mark at its end and the second begins with one.
    fn is_continued(&self, speech: &Range<usize>, next: &Range<usize>) -> bool {
        let (paragraph, following) = (self.paragraph_of(speech.start), self.paragraph_of(next.start));
        if paragraph == following {
            return self.parsed.text[speech.end..next.start].contains(char::is_alphabetic);
        }
        speech.end == paragraph.end
            && self.parsed.text[paragraph.end..following.start].trim().is_empty()
            && !self.parsed.text[following.start..next.start].contains(char::is_alphanumeric)
    }

    /// The person with whose name a paragraph begins, if the speech in it has a tag with a pronoun and the narrator's
    /// words have no other name.
    fn antecedent(&self, group: &[Range<usize>]) -> Option<usize> {
        let words = &self.parsed.words;
        let paragraph = self.paragraph_of(group.first()?.start);
        let start = words.partition_point(|word| word.start < paragraph.start);
        let is_narrated = |&mention: &usize| !words[start].is_spoken && !self.is_possessive(mention);
        let mention = self.mention_at(start).filter(is_narrated)?;
        let is_spoken = |at: usize| {
            let word = words.partition_point(|word| word.start < at);
            words.get(word).is_some_and(|word| word.is_spoken)
        };
        let inside = self.mentions[mention..].iter().take_while(|other| other.range.start < paragraph.end);
        let mut others = inside.filter(|other| !is_spoken(other.range.start));
        if others.any(|other| other.entity != self.mentions[mention].entity) {
            return None;
        }
        let has_tag = group.iter().any(|speech| {
            let first = words.partition_point(|word| word.start < speech.end);
            let is_pronoun =
                |at: usize| words.get(at).is_some_and(|word| matches!(word.text, "he" | "she" | "He" | "She"));
            let is_near =
                words.get(first).is_some_and(|word| word.start < paragraph.end && word.start - speech.end < 6);
            is_near
                && (is_pronoun(first) && self.is_verb_of_speech(first + 1)
                    || self.is_verb_of_speech(first) && is_pronoun(first + 1))
        });
        has_tag.then_some(mention)
    }

    /// The start of the paragraph, or of the one before it where that ends with a colon.
    fn introduction(&self, paragraph: &Range<usize>) -> usize {
        let number = self.parsed.paragraphs.partition_point(|one| one.start < paragraph.start);
        let before = number.checked_sub(1).map(|before| &self.parsed.paragraphs[before]);
        match before {
            Some(before) if self.parsed.text[before.clone()].ends_with(':') => before.start,
            _ => paragraph.start,
        }
    }

    fn paragraph_of(&self, at: usize) -> Range<usize> {
        let after = self.parsed.paragraphs.partition_point(|paragraph| paragraph.start <= at);
        after.checked_sub(1).map_or(0..0, |number| self.parsed.paragraphs[number].clone())
    }

    /// The mention that begins at a word.
    fn mention_at(&self, word: usize) -> Option<usize> {
        let start = self.parsed.words.get(word)?.start;
        self.mentions.binary_search_by_key(&start, |mention| mention.range.start).ok()
    }

    /// The first word after a mention.
    fn word_after(&self, mention: usize) -> usize {
        let end = self.mentions[mention].range.end;
        self.parsed.words.partition_point(|word| word.start < end)
    }

    fn is(&self, word: usize, list: List) -> bool {
        let Some(word) = self.parsed.words.get(word) else { return false };
        let mut key = String::new();
        lower_into(&mut key, word.text);
        look_up(&key).is(list)
    }

    fn is_verb_of_speech(&self, word: usize) -> bool {
        let text = self.parsed.words.get(word).map_or("", |word| word.text);
        match text {
            // Verbs of speech only with what follows them.
            "went" | "goes" => self.parsed.words.get(word + 1).is_some_and(|next| next.text == "on"),
            "told" | "spoke" | "speaks" | "called" | "thought" | "pursued" | "ordered" | "laughed" => false,
            _ => text.starts_with(char::is_lowercase) && self.is(word, List::Speech),
        }
    }

    /// Whether a word is a past form, such as `fleered`, that is not in the list of verbs of speech.
    fn is_any_verb(&self, word: usize) -> bool {
        let text = self.parsed.words.get(word).map_or("", |word| word.text);
        text.starts_with(char::is_lowercase)
            && (text.len() > 4 && text.ends_with("ed")
                || self.is(word, List::Feeling)
                || self.is(word, List::Speech)
                || text == "was")
    }

    /// A tag after speech: `" said Anne`, `" Anne said`.
    fn after(&self, speech: &Range<usize>, limit: usize) -> Option<usize> {
        let words = &self.parsed.words;
        let first = words.partition_point(|word| word.start < speech.end);
        if words.get(first)?.start >= limit {
            return None;
        }
        let between = &self.parsed.text[speech.end..words[first].start];
        if between.chars().filter(|c| !c.is_whitespace()).count() > 2 {
            return None;
        }
        let within = |mention: usize| (self.mentions[mention].range.end <= limit).then_some(mention);
        if let Some(mention) = self.mention_at(first) {
            // `"Yes." Anne said nothing.` is no tag: a tag continues the sentence.
            let continues = !self.parsed.text[..speech.end].ends_with('.');
            let mut verb = self.word_after(mention);
            if self.is_adverb(verb) {
                verb += 1;
            }
            // After a comma nothing but a tag can follow: `," Anne was saying`.
            let is_verb =
                self.is_verb_of_speech(verb) || self.parsed.text[..speech.end].ends_with(',') && self.is_any_verb(verb);
            let is_tag = continues && self.is_joined(verb) && is_verb && !self.is_denied(verb);
            return within(mention).filter(|_| is_tag && !self.is_possessive(mention));
        }
        let mut at = first;
        if self.is_adverb(at) {
            at += 1;
        }
        if !self.is_verb_of_speech(at) && !self.is_any_verb(at) {
            return None;
        }
        at += 1;
        if words.get(at).is_some_and(|word| word.text == "on") {
            at += 1;
        }
        for _ in 0..2 {
            if self.mention_at(at).is_none() && self.is_before_name(at) {
                at += 1;
            }
        }
        let mention = self.mention_at(at).filter(|_| self.is_joined(at))?;
        within(mention).filter(|&mention| !self.is_possessive(mention))
    }

    /// An introduction before speech: `Anne said, "`, `and then added--"`.
    fn before(&self, speech: &Range<usize>, from: usize) -> Option<usize> {
        let words = &self.parsed.words;
        let end = words.partition_point(|word| word.start < speech.start);
        let last = end.checked_sub(1).filter(|&last| words[last].start >= from)?;
        let between =
            self.parsed.text[words[last].end..speech.start].trim_end_matches(['"', '“', '‘', '\'', ' ', '\n']);
        if !between.ends_with([',', ':', '-', '—']) {
            return None;
        }
        let sentence = words[last].sentence;
        let start = words.partition_point(|word| word.start < from || word.sentence < sentence);
        let start = start.max(end.saturating_sub(MAX_SENTENCE));
        let verb = (start..end).rev().take(MAX_INTRODUCTION).find(|&word| self.is_verb_of_speech(word))?;
        if self.is_denied(verb) {
            return None;
        }
        // `said Anne, "`
        if let Some(mention) = self.mention_at(verb + 1).filter(|_| self.is_joined(verb + 1))
            && self.word_after(mention) >= end
            && !self.is_possessive(mention)
            && !self.has_subject_before(verb, start)
        {
            return Some(mention);
        }
        // Words after the verb, such as an adverb, belong to it only as far as no other person is named.
        if (verb + 1..end).any(|word| self.mention_at(word).is_some()) && !self.is_address_after(verb, end) {
            return None;
        }
        let first = (start..verb).find(|&word| self.mention_at(word).is_some())?;
        let mention = self.mention_at(first)?;
        let after = self.word_after(mention);
        let between = after..verb;
        let is_near = between.len() <= 1 && between.clone().all(|word| self.is_adverb(word));
        // The subject of the sentence, with other verbs between: `Mr Shepherd laughed, and then added--`.
        let is_subject = first == start
            && between.clone().all(|word| self.mention_at(word).is_none() && !self.is_other_subject(word))
            && matches!(words[verb - 1].text, "and" | "then" | "but")
                | matches!(words[verb.saturating_sub(2)].text, "and");
        let is_joined = self.is_joined(after) || words.get(after).is_some_and(|word| word.gap == Gap::Comma);
        ((is_near || is_subject) && is_joined && !self.is_possessive(mention)).then_some(mention)
    }

    /// Whether the words after a verb of speech begin with `to`: `said to Anne,`.
    fn is_address_after(&self, verb: usize, end: usize) -> bool {
        verb + 1 < end && self.parsed.words[verb + 1].text == "to"
    }

    fn has_subject_before(&self, verb: usize, start: usize) -> bool {
        (start..verb).any(|word| self.is_other_subject(word))
    }

    fn is_other_subject(&self, word: usize) -> bool {
        matches!(
            self.parsed.words[word].text,
            "he" | "she" | "they" | "I" | "we" | "who" | "He" | "She" | "They" | "We" | "you"
        )
    }

    fn is_adverb(&self, word: usize) -> bool {
        let text = self.parsed.words.get(word).map_or("", |word| word.text);
        text.len() > 4 && text.ends_with("ly")
            || matches!(text, "then" | "now" | "again" | "also" | "only" | "once" | "had" | "here" | "at")
    }

    /// A word that may stand between a verb and the name: `said poor old Anne`.
    fn is_before_name(&self, word: usize) -> bool {
        self.is(word, List::Epithet) || self.parsed.words.get(word).is_some_and(|word| word.text == "the")
    }

    fn is_denied(&self, verb: usize) -> bool {
        let next = self.parsed.words.get(verb + 1).map_or("", |word| word.text);
        matches!(next, "nothing" | "no" | "so" | "little" | "not")
    }

    fn is_joined(&self, word: usize) -> bool {
        self.parsed.words.get(word).is_some_and(|word| matches!(word.gap, Gap::Space | Gap::Stop))
    }

    fn is_possessive(&self, mention: usize) -> bool {
        let before = self.word_after(mention).checked_sub(1);
        before.is_some_and(|word| self.parsed.words[word].is_possessive())
    }
}
