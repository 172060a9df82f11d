//! Knowledge in English sentences.

use super::{Content, Statement, Step};
use crate::{
    en::{Word, Words, is_unreal, narration},
    sentences::Sentence,
};

/// Verbs of learning, as phrases. They say that it was not known before.
const LEARNS: [&str; 77] = [
    "learned",
    "learnt",
    "learn",
    "found out",
    "find out",
    "discovered",
    "discover",
    "realised",
    "realized",
    "realise",
    "realize",
    "came to know",
    "come to know",
    "came to learn",
    "come to learn",
    "came to understand",
    "come to understand",
    "got wind of",
    "became aware",
    "become aware",
    "was enlightened",
    "made out",
    "worked out",
    "guessed",
    "perceived",
    "got to know",
    "was let into the secret",
    "had it from",
    "got to hear",
    "came upon the fact",
    "was made aware",
    "was apprised",
    "hit upon",
    "stumbled upon the fact",
    "understood at last",
    "knew at last",
    "at last knew",
    "at last understood",
    "at last heard",
    "ascertained",
    "gathered",
    "astonished to learn",
    "astonished to find",
    "astonished to discover",
    "astonished to hear",
    "surprised to learn",
    "surprised to find",
    "surprised to discover",
    "surprised to hear",
    "amazed to learn",
    "amazed to find",
    "amazed to discover",
    "amazed to hear",
    "shocked to learn",
    "shocked to find",
    "shocked to discover",
    "shocked to hear",
    "startled to learn",
    "startled to find",
    "startled to discover",
    "startled to hear",
    "horrified to learn",
    "horrified to find",
    "horrified to discover",
    "horrified to hear",
    "dismayed to learn",
    "dismayed to find",
    "dismayed to discover",
    "dismayed to hear",
    "stunned to learn",
    "stunned to find",
    "stunned to discover",
    "stunned to hear",
    "delighted to learn",
    "delighted to find",
    "delighted to discover",
    "delighted to hear",
];
/// Verbs that say so only with a word of [`FIRST_TIME`].
const HEARS: [&str; 17] = [
    "heard",
    "hear",
    "was told",
    "told",
    "understood",
    "understand",
    "knew",
    "know",
    "saw",
    "see",
    "was informed",
    "were told",
    "informed of",
    "informed",
    "been told",
    "was shown",
    "grasped",
];
/// Words that say that it was not known before.
const FIRST_TIME: [&str; 21] = [
    "not until",
    "only now",
    "only then",
    "until now",
    "until then",
    "till now",
    "till then",
    "for the first time",
    "at last",
    "at length",
    "first learned",
    "first heard",
    "first knew",
    "finally",
    "never before",
    "until that",
    "till that",
    "until this",
    "before that",
    "not before",
    "not till",
];
/// Verbs of knowing and saying, as phrases.
const KNOWS: [&str; 67] = [
    "knew",
    "knows",
    "known",
    "knowing",
    "was aware",
    "aware",
    "well aware",
    "told",
    "tells",
    "explained",
    "mentioned",
    "spoke of",
    "revealed",
    "remarked",
    "confided",
    "let slip",
    "disclosed",
    "remembered",
    "recalled",
    "recollected",
    "had not forgotten",
    "admitted",
    "confessed",
    "announced",
    "informed",
    "related",
    "described",
    "made no secret of",
    "let out",
    "understood",
    "betrayed",
    "blurted out",
    "whispered",
    "stated",
    "declared",
    "repeated",
    "said",
    "wrote",
    "reminded",
    "pointed out",
    "boasted",
    "hinted",
    "had always known",
    "showed",
    "have told",
    "pointed",
    "assured",
    "proved",
    "made it plain",
    "made it clear",
    "made known",
    "had heard",
    "had learned",
    "had learnt",
    "had guessed",
    "had discovered",
    "had found out",
    "had been told",
    "warned",
    "acknowledged",
    "divulged",
    "bore in mind",
    "was in the secret",
    "was perfectly aware",
    "spoke openly",
    "kept it secret",
    "let fall",
];
/// Words by which somebody does not know.
const DENIES: [&str; 18] = [
    "not", "never", "nothing", "no", "hardly", "scarcely", "without", "neither", "nor", "ignorant", "unaware",
    "wondered", "wonder", "asked", "didn't", "hadn't", "nobody", "little",
];
/// Words of not knowing. With a word that bounds the time they say that it is learned at the bound.
const IGNORES: [&str; 24] = [
    "no idea",
    "no notion",
    "no inkling",
    "known nothing",
    "knew nothing",
    "not known",
    "not know",
    "never known",
    "never heard",
    "never suspected",
    "unaware",
    "ignorant",
    "in the dark",
    "never been told",
    "no suspicion",
    "no knowledge",
    "least idea",
    "faintest idea",
    "remotest idea",
    "slightest idea",
    "not suspected",
    "not an inkling",
    "not dreamed",
    "nothing of",
];
/// Words that introduce what is known.
const OPENS: [&str; 14] = [
    "that",
    "who",
    "whom",
    "whose",
    "what",
    "where",
    "why",
    "when",
    "how",
    "which",
    "whether",
    "of",
    "about",
    "everything",
];
/// Words of questions, which are a part of what is known.
const QUESTIONS: [&str; 10] = ["who", "whom", "whose", "what", "where", "why", "when", "how", "which", "whether"];
/// Words of grammar, and those that say when something was learned.
const GRAMMAR: [&str; 91] = [
    "a",
    "about",
    "all",
    "also",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "been",
    "being",
    "but",
    "by",
    "came",
    "could",
    "did",
    "do",
    "does",
    "ever",
    "every",
    "everybody",
    "everyone",
    "everything",
    "first",
    "for",
    "from",
    "had",
    "has",
    "have",
    "he",
    "her",
    "hers",
    "him",
    "his",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "last",
    "length",
    "me",
    "more",
    "my",
    "now",
    "of",
    "on",
    "only",
    "or",
    "our",
    "out",
    "over",
    "perfectly",
    "plainly",
    "quite",
    "really",
    "she",
    "so",
    "some",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "time",
    "to",
    "too",
    "truth",
    "until",
    "up",
    "us",
    "very",
    "was",
    "we",
    "well",
    "were",
    "with",
    "would",
    "you",
    "your",
    "only",
    "anything",
    "something",
];

/// The knowledge and the learning of the first character that the narration of a sentence names.
pub(super) fn knowledge_in(sentence: &Sentence<'_>) -> Vec<Statement> {
    let words = narration(sentence);
    if is_unreal(&words) || sentence.text.trim_end().ends_with('?') {
        return Vec::new();
    }
    let mut mentions = sentence.mentions.iter().filter(|one| !sentence.is_spoken(one.range.start));
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
    if name.is_possessive || is_object {
        return Vec::new();
    }
    let next = words.word_at(next);
    let inside = |word: &Word<'_>| sentence.mentions.iter().any(|one| one.range.contains(&word.start));
    let names: Vec<usize> = (0..words.all.len()).filter(|&at| inside(&words.all[at])).collect();
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
    let is_new = words.has_phrase(&FIRST_TIME) || words.has(&["now", "only"]);
    let is_denied = (0..first).any(|at| DENIES.contains(&words.lower(at)) || words.lower(at) == "already");
    if is_denied && !words.has_phrase(&["not until", "not before", "not till"]) || !(dawns || is_told && is_new) {
        return None;
    }
    let names: Vec<usize> = (first..after).collect();
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
    let names: Vec<usize> = (first..after).collect();
    let (content, to) = complement(words, &names, after).filter(|_| is_known && !is_now)?;
    let range = words.all[start].start..words.all[to - 1].end;
    (range.end <= sentence.text.len()).then_some(Statement { entity, step: Step::Knows, range, content })
}

/// The step, the numbers of the first word of the verb and of the word after the complement, and the content.
fn statement(words: &Words<'_>, names: &[usize], after: usize, next: usize) -> Option<(Step, usize, usize, Content)> {
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

/// The content of the words behind a verb, from a word that introduces it to the end of its clause, and the number of
/// the word after it.
fn complement(words: &Words<'_>, names: &[usize], verb_end: usize) -> Option<(Content, usize)> {
    let opens = |at: &usize| {
        let is_time = matches!(words.joined(at + 1), "first" | "last" | "moment" | "day" | "evening" | "hour");
        OPENS.contains(&words.lower(*at)) && !is_time
    };
    let from = (verb_end..(verb_end + 12).min(words.all.len())).find(opens)?;
    let mut content = Content::default();
    let mut at = from;
    while at < words.all.len() {
        let is_end = at > from && !words.all[at].marks.is_empty() && content.0.len() >= 2;
        if is_end {
            break;
        }
        if !names.contains(&at) {
            add(&mut content, words.lower(at));
        }
        at += 1;
    }
    Some((content, at))
}

/// The content of a text.
pub(super) fn content_of(text: &str) -> Content {
    let mut content = Content::default();
    Words::new(text).all.iter().for_each(|word| add(&mut content, &word.lower));
    content
}

fn add(content: &mut Content, word: &str) {
    if QUESTIONS.contains(&word) || !GRAMMAR.contains(&word) {
        content.0.insert(stem(word));
    }
}

/// A word without its ending, roughly: the same for most forms of a regular word.
fn stem(word: &str) -> String {
    let stem = ["ing", "ied", "ies", "ed", "es", "s", "en", "t"].iter().find_map(|end| word.strip_suffix(end));
    let stem = stem.filter(|stem| stem.chars().count() >= 3).unwrap_or(word);
    stem.trim_end_matches('e').to_owned()
}
