//! Knowledge in English sentences.

mod words;

use palimpsest_reader::mentions::Mention;

use words::{DENIES, FIRST_TIME, GRAMMAR, HEARS, IGNORES, KNOWS, LEARNS, OPENS, QUESTIONS};

use super::{Content, Statement, Step};
use crate::{
    en::{MODALS, Words, is_unreal, narration, speaker},
    sentences::Sentence,
};

/// Most words of speech that state one matter.
const MAX_SAID: usize = 16;

/// The knowledge and the learning of the first character that the narration of a sentence names, and the matter that it
/// says.
pub(super) fn knowledge_in(sentence: &Sentence<'_>) -> Vec<Statement> {
    let mut found = narrated_knowledge(sentence);
    found.extend(spoken(sentence));
    found
}

/// The statements of the narration.
fn narrated_knowledge(sentence: &Sentence<'_>) -> Vec<Statement> {
    let words = narration(sentence);
    let is_far = words.has_phrase(&["far from knowing", "as far as ever from"]);
    if is_unreal(&words) || is_far || sentence.text.trim_end().ends_with('?') {
        return Vec::new();
    }
    let mut mentions = sentence.narrated_mentions();
    let Some(mention) = mentions.next() else { return Vec::new() };
    let next = mentions.find(|other| other.entity != mention.entity).map_or(usize::MAX, |other| other.range.start);
    let (first, after) = (words.word_at(mention.range.start), words.word_at(mention.range.end));
    let Some(name) = after.checked_sub(1).and_then(|at| words.all.get(at)) else { return Vec::new() };
    let before = first.checked_sub(1).map_or("", |at| words.lower(at));
    // The name is the subject: nothing makes it an object or an owner.
    if let Some(statement) = learns_as_object(sentence, &words, mention.entity, first, after)
        .or_else(|| knows_as_object(sentence, &words, mention.entity, first, after))
    {
        return vec![statement];
    }
    // `Tobias's letter informed Mara, for the first time, who`
    let informed = sentence.mentions.iter().filter(|one| one.entity != mention.entity).find_map(|one| {
        let (first, after) = (words.word_at(one.range.start), words.word_at(one.range.end));
        let is_narrated = !sentence.is_spoken(one.range.start);
        learns_as_object(sentence, &words, one.entity, first, after).filter(|_| is_narrated)
    });
    if let Some(statement) = informed {
        return vec![statement];
    }
    let is_object = matches!(
        before,
        "of" | "to" | "from" | "by" | "with" | "told" | "asked" | "than" | "for" | "nor" | "neither" | "or"
    );
    // `Had Mara known, she would`
    let is_inverted = matches!(before, "had" | "should" | "were") && (first == 1 || words.ends_before(first - 1));
    if name.is_possessive || is_object || is_inverted {
        return Vec::new();
    }
    let next = words.word_at(next);
    let names = names_in(sentence, &words, mention.entity);
    statement(&words, &names, after, next)
        .map(|(step, from, to, content)| {
            let range = words.all[first].start..words.all[to - 1].end;
            debug_assert!(from <= to, "the verb is before its complement");
            Statement { entity: mention.entity, step, range, content }
        })
        .into_iter()
        .collect()
}

/// The matter that a character learns without being the subject: `it dawned on Mara that`, `a letter at last told
/// Mara who`.
fn learns_as_object(
    sentence: &Sentence<'_>,
    words: &Words<'_>,
    entity: usize,
    first: usize,
    after: usize,
) -> Option<Statement> {
    let before = |back: usize| first.checked_sub(back).map_or("", |at| words.lower(at));
    let is_told = matches!(before(1), "told" | "informed" | "showed" | "taught" | "revealed");
    let dawns = matches!(before(1), "to" | "on" | "upon")
        && matches!(before(2), "clear" | "plain" | "dawned" | "revealed" | "broke" | "known" | "evident");
    // `It was a soldier who told Mara`, `told Mara, who had had no idea`
    let is_cleft = words.is_at(0, "it was") && matches!(before(2), "who" | "that");
    let is_new = words.has_phrase(&FIRST_TIME) || words.has(&["now", "only"]) || is_cleft || words.has_phrase(&IGNORES);
    // `It came as a surprise to Mara that`
    let surprises = before(1) == "to"
        && matches!(before(2), "surprise" | "shock" | "revelation" | "blow" | "surprised")
        && before(3) != "no";
    let arrives = matches!(before(1), "reached" | "reaches")
        && (0..first).any(|at| matches!(words.lower(at), "word" | "news" | "tidings" | "intelligence" | "report"));
    let is_denied = (0..first).any(|at| DENIES.contains(&words.lower(at)) || words.lower(at) == "already");
    let is_learned = dawns || arrives || surprises || is_told && is_new;
    if is_denied && !words.has_phrase(&["not until", "not before", "not till"]) || !is_learned {
        return None;
    }
    let names = names_in(sentence, words, entity);
    let (content, to) = complement(words, &names, after)?;
    let range = words.all[first - 1].start..words.all[to - 1].end;
    (range.end <= sentence.text.len()).then_some(Statement { entity, step: Step::Learns, range, content })
}

/// The matter that a character knows without being the subject: `it was no secret to Mara that`.
fn knows_as_object(
    sentence: &Sentence<'_>,
    words: &Words<'_>,
    entity: usize,
    first: usize,
    after: usize,
) -> Option<Statement> {
    let start = first.checked_sub(3)?;
    let is_known = words.is_at(start, "no secret to")
        || words.is_at(start, "no news to")
        || words.is_at(start, "no mystery to")
        || words.is_at(start, "well known to")
        || words.is_at(start, "no surprise to");
    let is_now = words.has(&["now", "longer", "then", "if", "would"]);
    let names = names_in(sentence, words, entity);
    let (content, to) = complement(words, &names, after).filter(|_| is_known && !is_now)?;
    let range = words.all[start].start..words.all[to - 1].end;
    (range.end <= sentence.text.len()).then_some(Statement { entity, step: Step::Knows, range, content })
}

/// The step, the numbers of the first word of the verb and of the word after the complement, and the content.
fn statement(words: &Words<'_>, names: &[Name], after: usize, next: usize) -> Option<(Step, usize, usize, Content)> {
    let is_first_time = words.has_phrase(&FIRST_TIME);
    let has_bound =
        words.has(&["until", "till", "yet"]) || words.has_phrase(&["before that", "before this", "up to", "so far"]);
    // The verb is near the name, before any other name: adverbs, and a clause between commas, may stand between.
    let limit = (after + 9).min(words.all.len()).min(next);
    for at in after..limit {
        let found = |list: &[&str]| {
            list.iter().filter(|phrase| words.is_at(at, phrase)).map(|phrase| phrase.split(' ').count()).max()
        };
        let is_denied = (after.saturating_sub(4)..at).any(|place| DENIES.contains(&words.lower(place)));
        let is_denied = is_denied && !words.has_phrase(&["not until", "not before", "not till", "never before"]);
        let is_supposed = (after..at).any(|place| {
            let word = words.lower(place);
            let is_able = words.is_at(place, "could have told") || words.is_at(place, "might have told");
            !is_able
                && matches!(
                    word,
                    // `could have told them` says that it was known.
                    "would"
                        | "should"
                        | "could"
                        | "might"
                        | "may"
                        | "will"
                        | "must"
                        | "if"
                        | "to"
                        | "wished"
                        | "longed"
                )
        });
        if is_supposed {
            return None;
        }
        let learnt = found(&LEARNS).filter(|_| !is_denied).or_else(|| {
            // `never before had Mara known`, `only then was Mara told`, `until then Mara had not known`
            let hears = found(&HEARS).or_else(|| found(&KNOWS).filter(|_| is_denied)).filter(|_| is_first_time);
            // `Mara had had no idea until that day`
            hears.or_else(|| found(&IGNORES).filter(|_| has_bound || is_first_time))
        });
        let (step, length) = match (learnt, found(&KNOWS)) {
            (Some(length), _) => (Step::Learns, length),
            (None, Some(length)) if !is_denied && !is_first_time => (Step::Knows, length),
            _ => continue,
        };
        if let Some((content, to)) = complement(words, names, at + length) {
            return Some((step, at, to, content));
        }
    }
    None
}

/// A name in a sentence.
struct Name {
    /// The numbers of its words.
    words: std::ops::Range<usize>,
    /// The part of a content that it adds; `None` for the character that knows.
    token: Option<String>,
}

/// The names of the narration of a sentence. Its content has them by their entities: `Mara` and `Mrs. Venn` are one.
fn names_in(sentence: &Sentence<'_>, words: &Words<'_>, knower: usize) -> Vec<Name> {
    let narrated = sentence.narrated_mentions();
    let name = |one: &Mention| Name {
        words: words.word_at(one.range.start)..words.word_at(one.range.end),
        token: (one.entity != knower).then(|| Content::entity(one.entity)),
    };
    narrated.map(name).collect()
}

/// The content of the words behind a verb, from a word that introduces it to the end of its clause, and the number of
/// the word after it.
fn complement(words: &Words<'_>, names: &[Name], verb_end: usize) -> Option<(Content, usize)> {
    let opens = |at: &usize| {
        let is_time = matches!(words.joined(at + 1), "first" | "last" | "moment" | "day" | "evening" | "hour");
        OPENS.contains(&words.lower(*at)) && !is_time && !words.is_at(*at, "of course")
    };
    let opened = || (verb_end..(verb_end + 12).min(words.all.len())).find(opens);
    let from = bare_clause(words, names, verb_end).or_else(opened)?;
    let mut content = Content::default();
    let mut at = from;
    while at < words.all.len() {
        let is_end = at > from && !words.all[at].marks.is_empty() && content.weight() >= 2;
        if is_end {
            break;
        }
        match names.iter().find(|name| name.words.contains(&at)) {
            Some(name) => content.0.extend(name.token.clone()),
            None => add(&mut content, words.lower(at)),
        }
        at += 1;
    }
    Some((content, at))
}

/// The first word of a clause that stands behind a verb without `that`: `knew the key was under the stone`.
fn bare_clause(words: &Words<'_>, names: &[Name], verb_end: usize) -> Option<usize> {
    let is_name = |at: usize| names.iter().any(|name| name.words.contains(&at));
    // `told Tobias the key was`
    let is_telling = matches!(words.lower(verb_end.checked_sub(1)?), "told" | "tell" | "informed" | "warned");
    let mut from = verb_end;
    if is_telling {
        while is_name(from) || matches!(words.joined(from), "him" | "her" | "them" | "me" | "us") {
            from += 1;
        }
    }
    let starts = is_name(from) && !words.ends_before(from)
        || matches!(
            words.joined(from),
            "the"
                | "a"
                | "an"
                | "his"
                | "her"
                | "their"
                | "my"
                | "our"
                | "he"
                | "she"
                | "it"
                | "they"
                | "there"
                | "this"
        );
    let is_finite = |word: &str| {
        matches!(word, "was" | "were" | "is" | "are" | "had" | "has" | "would" | "could" | "did" | "lay" | "stood")
            || word.ends_with("ed") && word.len() > 4
    };
    let until = (from + 7).min(words.all.len());
    let verb = (from + 1..until).take_while(|&at| !OPENS.contains(&words.lower(at)) && words.all[at].marks.is_empty());
    (starts && verb.into_iter().any(|at| is_finite(words.lower(at)))).then_some(from)
}

/// The matter of what a character says in the words of a sentence: `“The ship is lost,” said Mara`.
fn spoken(sentence: &Sentence<'_>) -> Option<Statement> {
    let entity = speaker(sentence)?;
    let words = Words::new(sentence.text);
    let is_said = |at: &usize| sentence.is_spoken(words.all[*at].start);
    let said: Vec<usize> = (0..words.all.len()).filter(is_said).collect();
    let (first, last) = (*said.first()?, *said.last()?);
    let is_asserted = !said.iter().any(|&at| {
        let word = words.lower(at);
        DENIES.contains(&word)
            || MODALS.contains(&word)
            || matches!(word, "think" | "believe" | "suppose" | "perhaps" | "maybe" | "heard" | "say" | "hope" | "fear")
    });
    let is_question = sentence.speech.iter().any(|range| sentence.text[range.clone()].contains('?'));
    if !is_asserted || is_question || said.len() > MAX_SAID {
        return None;
    }
    let mut content = Content::default();
    for at in said {
        let start = words.all[at].start;
        match sentence.mentions.iter().find(|one| one.range.contains(&start)) {
            Some(mention) if mention.entity == entity => {}
            Some(mention) => drop(content.0.insert(Content::entity(mention.entity))),
            None => add(&mut content, words.lower(at)),
        }
    }
    let range = words.all[first].start..words.all[last].end;
    Some(Statement { entity, step: Step::Knows, range, content })
}

/// The content of a text.
pub(super) fn content_of(text: &str) -> Content {
    let mut content = Content::default();
    Words::new(text).all.iter().for_each(|word| add(&mut content, &word.lower));
    content
}

/// Whether a word is one of grammar, or asks.
pub(super) fn is_grammar(word: &str) -> bool {
    QUESTIONS.contains(&word) || GRAMMAR.contains(&word)
}

fn add(content: &mut Content, word: &str) {
    if QUESTIONS.contains(&word) || !GRAMMAR.contains(&word) {
        content.0.insert(stem(word));
    }
}

/// A word without its ending, roughly: the same for most forms of a regular word.
fn stem(word: &str) -> String {
    let stem = ["ing", "ied", "ies", "ed", "es", "s", "en", "t"].iter().find_map(|end| word.strip_suffix(end));
    let is_double = word.ends_with("ss");
    let stem = stem.filter(|stem| stem.chars().count() >= 3 && !is_double).unwrap_or(word);
    stem.trim_end_matches('e').to_owned()
}
