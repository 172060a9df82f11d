//! Cues in English: words and phrases of the lists, suffixes, and rules for the few words that mean two things.

use std::sync::LazyLock;

use super::cues::{Cue, Cues, Hit, Vocabulary};
use super::lexicon_en::LISTS;
use super::reading::Reading;

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::new(&LISTS));

/// The words of `reading` in small letters, with straight apostrophes.
pub(super) fn lower(reading: &Reading<'_>) -> Vec<String> {
    reading
        .words
        .iter()
        .map(|word| {
            if word.text.is_ascii() {
                word.text.to_ascii_lowercase()
            } else {
                word.text.replace('’', "'").to_lowercase()
            }
        })
        .collect()
}

/// What is found at each word of `reading`; `words` are its words in small letters.
pub(super) fn hits(reading: &Reading<'_>, words: &[String]) -> Vec<Hit> {
    let mut hits = vec![Hit::default(); words.len()];
    let mut opens = vec![false; words.len()];
    for sentence in &reading.sentences {
        opens[sentence.start] = true;
    }
    // What a phrase is a sign of, its words are not once more.
    let (mut covered, mut until) = (Cues::NONE, 0);
    let mut at = 0;
    while at < words.len() {
        let mut taken = 1;
        if at >= until {
            covered = Cues::NONE;
        }
        let mut cues = Cues::NONE;
        match VOCABULARY.phrase(&words[at..]).filter(|(length, _)| together(reading, at, *length)) {
            // A phrase that stands for nothing hides the words in it.
            Some((length, Cues::NONE)) => taken = length,
            Some((length, phrase)) if !names_a_thing(&words[at..], at.checked_sub(1).map(|b| words[b].as_str())) => {
                cues = phrase.and(word_cues(reading, words, at)).minus(covered);
                (covered, until) = (covered.and(phrase), until.max(at + length));
            }
            _ => cues = word_cues(reading, words, at).minus(covered),
        }
        if is_name(reading, at, opens[at]) {
            cues = cues.with(Cue::Name);
        }
        hits[at] = Hit { cues, words: taken };
        at += taken;
    }
    hits
}

/// Whether no mark stands inside a phrase.
fn together(reading: &Reading<'_>, at: usize, length: usize) -> bool {
    (at..at + length - 1).all(|word| !reading.clause_ends(word))
}

/// `what kind of man`, `a sort of tree` name a thing; `she kind of knew` hedges.
fn names_a_thing(words: &[String], before: Option<&str>) -> bool {
    let kind = matches!(words.first().map(String::as_str), Some("kind" | "sort"));
    kind && matches!(
        before,
        Some("what" | "this" | "that" | "a" | "some" | "any" | "the" | "every" | "another" | "each" | "same" | "no")
    )
}

fn word_cues(reading: &Reading<'_>, words: &[String], at: usize) -> Cues {
    let word = words[at].as_str();
    let before = at.checked_sub(1).map_or("", |b| words[b].as_str());
    let mut cues = VOCABULARY.word(word);
    if let Some((host, tail)) = word.split_once('\'') {
        cues = cues.and(contraction(host, tail));
    }
    let raw = reading.words[at].text;
    match word {
        "like" if !is_simile(words, at, before) => cues = cues.without(Cue::Simile),
        "as" if !as_x_as(words, at) => cues = cues.without(Cue::Simile),
        "us" if raw == "US" => cues = cues.without(Cue::First),
        "may" if raw.starts_with('M') && !before.is_empty() => cues = cues.without(Cue::Hedge),
        // `so dark`, `too late`, `pretty sure`; not `so he left`, `me too`, `a pretty girl`.
        "so" | "too" if !words.get(at + 1).is_some_and(|next| describes(next)) => {
            cues = cues.without(Cue::Intensifier);
        }
        "pretty" if matches!(before, "a" | "the" | "her" | "his" | "so" | "very" | "and") => {
            cues = cues.without(Cue::Intensifier);
        }
        _ => {}
    }
    cues.and(suffix(word, raw, cues))
}

fn describes(word: &str) -> bool {
    let known = VOCABULARY.word(word);
    matches!(word, "much" | "many" | "little" | "few" | "long" | "far" | "late" | "early" | "often" | "well")
        || known.has(Cue::Adjective)
        || suffix(word, word, known).has(Cue::Adjective)
        || suffix(word, word, known).has(Cue::Adverb)
}

/// `n't`, `I'm`, `she'll`, `it's`: colloquial, and a person; `Zhou's` is neither.
fn contraction(host: &str, tail: &str) -> Cues {
    let person = VOCABULARY.word(host).only(Cues::of(Cue::First).with(Cue::Second).with(Cue::Third));
    let short = match tail {
        "t" if host.ends_with('n') => Cues::of(Cue::Colloquial).with(Cue::Negation),
        "m" | "re" | "ve" | "ll" | "d" => Cues::of(Cue::Colloquial),
        "s" if matches!(
            host,
            "it" | "he"
                | "she"
                | "that"
                | "what"
                | "there"
                | "here"
                | "who"
                | "where"
                | "how"
                | "let"
                | "this"
                | "everything"
        ) =>
        {
            Cues::of(Cue::Colloquial)
        }
        _ => Cues::NONE,
    };
    let tense = match (host, tail) {
        (_, "m" | "re") => Cues::of(Cue::Present),
        ("didn" | "wasn" | "weren" | "hadn", "t") => Cues::of(Cue::Past),
        ("isn" | "aren" | "doesn" | "don" | "hasn" | "haven", "t") => Cues::of(Cue::Present),
        _ => Cues::NONE,
    };
    person.and(short).and(tense)
}

/// `moved like water`, `quick like a bird`; not `I like tea`, `would like to`, `felt like crying`, `cities like Rome`.
fn is_simile(words: &[String], at: usize, before: &str) -> bool {
    let next = words.get(at + 1).map_or("", String::as_str);
    if matches!(next, "a" | "an" | "some" | "one") {
        // `I like a walk`, `did you like a drink`.
        return !matches!(before, "i" | "you" | "we" | "they" | "would" | "to" | "not" | "really" | "people" | "who")
            && !before.ends_with("n't")
            && !before.ends_with("'d");
    }
    let wishes =
        matches!(before, "would" | "did" | "does" | "do" | "didn't" | "doesn't" | "don't" | "is" | "are" | "has");
    let refers = next.is_empty()
        || next.ends_with("ing")
        || matches!(next, "this" | "that" | "to" | "it" | "me" | "him" | "them" | "us" | "these" | "those" | "what")
        || matches!(next, "i" | "you" | "he" | "she" | "we" | "they" | "there" | "if");
    let known = VOCABULARY.word(before).and(suffix(before, before, Cues::NONE));
    let acts = known.has(Cue::Past) || known.has(Cue::Present) || known.has(Cue::Action) || before.ends_with("ing");
    acts && !wishes && !refers
}

/// `as white as snow`; not `as soon as`, `as much as`.
fn as_x_as(words: &[String], at: usize) -> bool {
    let word = |ahead: usize| words.get(at + ahead).map_or("", String::as_str);
    let measure = matches!(
        word(1),
        "soon"
            | "well"
            | "long"
            | "far"
            | "much"
            | "many"
            | "early"
            | "late"
            | "little"
            | "few"
            | "good"
            | "often"
            | "same"
    );
    let noun = !matches!(
        word(3),
        "" | "i"
            | "he"
            | "she"
            | "it"
            | "they"
            | "we"
            | "you"
            | "possible"
            | "ever"
            | "usual"
            | "before"
            | "was"
            | "could"
            | "that"
            | "this"
            | "him"
            | "her"
            | "me"
    );
    word(2) == "as" && !measure && noun
}

/// Adverbs, adjectives, abstract nouns and past forms by their endings.
fn suffix(word: &str, raw: &str, known: Cues) -> Cues {
    let length = word.len();
    if !word.is_ascii() || length < 4 || word.contains('\'') {
        return Cues::NONE;
    }
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| word.ends_with(suffix));
    let mut cues = Cues::NONE;
    if length > 4 && word.ends_with("ly") && !known.has(Cue::NotManner) {
        cues = cues.with(Cue::Adverb);
    }
    let adjective = ["ful", "less", "ous", "ive", "able", "ible", "ical", "ish", "ial", "ual", "esque", "some"];
    if length > 5 && ends(&adjective) && !known.has(Cue::NotAdjective) && raw.starts_with(|c: char| c.is_lowercase()) {
        cues = cues.with(Cue::Adjective);
    }
    let noun = [
        "tion", "tions", "sion", "sions", "ness", "nesses", "ment", "ments", "ity", "ities", "ance", "ence", "ship",
        "hood", "dom", "ism", "tude",
    ];
    if length > 5 && ends(&noun) && !known.has(Cue::NotAbstract) {
        cues = cues.with(Cue::Abstract);
    }
    if word.ends_with("ed") && !known.has(Cue::NotPast) {
        cues = cues.with(Cue::Past);
    }
    cues
}

/// A capital inside a sentence, or a number. The first word of a sentence or of speech has its capital by rule, as has
/// the pronoun.
fn is_name(reading: &Reading<'_>, at: usize, opens: bool) -> bool {
    let raw = reading.words[at].text;
    if raw.starts_with(|c: char| c.is_ascii_digit()) {
        return true;
    }
    let quoted = reading.before(at).is_some_and(|c| matches!(c, '“' | '‘' | '"' | '\'' | '「' | '『'));
    let pronoun = raw == "I" || raw.starts_with("I'") || raw.starts_with("I’");
    raw.starts_with(char::is_uppercase) && !opens && !quoted && !pronoun
}
