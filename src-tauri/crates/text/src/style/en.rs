//! Cues in English: words and phrases of the lists, suffixes, and rules for the few words that mean two things.

use std::sync::LazyLock;

use super::cues::{Cue, Cues, Hit, Vocabulary};
use super::lexicon_en::LISTS;
use super::parsed::ParsedText;

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::new(&LISTS));

/// The words of `parsed` in small letters, with straight apostrophes.
pub(super) fn lower_words(parsed: &ParsedText<'_>) -> Vec<String> {
    parsed
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

/// The hit at each word; `words` are the words in small letters.
pub(super) fn find_hits(parsed: &ParsedText<'_>, words: &[String]) -> Vec<Hit> {
    let mut hits = vec![Hit::default(); words.len()];
    let mut opens = vec![false; words.len()];
    for sentence in &parsed.sentences {
        opens[sentence.start] = true;
    }
    // A cue of a phrase is not counted again for the words inside it.
    let (mut covered, mut until) = (Cues::NONE, 0);
    let mut at = 0;
    while at < words.len() {
        let mut taken = 1;
        if at >= until {
            covered = Cues::NONE;
        }
        let mut cues = Cues::NONE;
        match VOCABULARY.phrase(&words[at..]).filter(|(length, _)| is_unbroken(parsed, at, *length)) {
            // A phrase without cues hides the words in it.
            Some((length, Cues::NONE)) => taken = length,
            Some((length, phrase)) if !is_kind_of_noun(&words[at..], at.checked_sub(1).map(|b| words[b].as_str())) => {
                cues = phrase.union(word_cues(parsed, words, at)).difference(covered);
                (covered, until) = (covered.union(phrase), until.max(at + length));
            }
            _ => cues = word_cues(parsed, words, at).difference(covered),
        }
        if is_name(parsed, at, opens[at]) {
            cues = cues.with(Cue::Name);
        }
        hits[at] = Hit { cues, words: taken };
        at += taken;
    }
    hits
}

/// Whether no punctuation is inside a phrase.
fn is_unbroken(parsed: &ParsedText<'_>, at: usize, length: usize) -> bool {
    (at..at + length - 1).all(|word| !parsed.clause_ends(word))
}

/// `what kind of man`, `a sort of tree` name a thing; `she kind of knew` hedges.
fn is_kind_of_noun(words: &[String], before: Option<&str>) -> bool {
    let kind = matches!(words.first().map(String::as_str), Some("kind" | "sort"));
    kind && matches!(
        before,
        Some("what" | "this" | "that" | "a" | "some" | "any" | "the" | "every" | "another" | "each" | "same" | "no")
    )
}

fn word_cues(parsed: &ParsedText<'_>, words: &[String], at: usize) -> Cues {
    let word = words[at].as_str();
    let before = at.checked_sub(1).map_or("", |b| words[b].as_str());
    let mut cues = VOCABULARY.word(word);
    if let Some((host, tail)) = word.split_once('\'') {
        cues = cues.union(contraction_cues(host, tail));
    }
    let raw = parsed.words[at].text;
    match word {
        "like" if !is_simile(words, at, before) => cues = cues.without(Cue::Simile),
        "as" if !is_as_x_as(words, at) => cues = cues.without(Cue::Simile),
        "us" if raw == "US" => cues = cues.without(Cue::First),
        "may" if raw.starts_with('M') && !before.is_empty() => cues = cues.without(Cue::Hedge),
        // `so dark`, `too late`, `pretty sure`; not `so he left`, `me too`, `a pretty girl`.
        "so" | "too" if !words.get(at + 1).is_some_and(|next| is_descriptive(next)) => {
            cues = cues.without(Cue::Intensifier);
        }
        "pretty" if matches!(before, "a" | "the" | "her" | "his" | "so" | "very" | "and") => {
            cues = cues.without(Cue::Intensifier);
        }
        _ => {}
    }
    cues.union(suffix_cues(word, raw, cues))
}

fn is_descriptive(word: &str) -> bool {
    let cues = VOCABULARY.word(word);
    matches!(word, "much" | "many" | "little" | "few" | "long" | "far" | "late" | "early" | "often" | "well")
        || cues.has(Cue::Adjective)
        || suffix_cues(word, word, cues).has(Cue::Adjective)
        || suffix_cues(word, word, cues).has(Cue::Adverb)
}

/// Cues of a contraction: `n't`, `I'm`, `she'll`, `it's` are colloquial and may hold a pronoun; `Zhou's` is neither.
fn contraction_cues(host: &str, tail: &str) -> Cues {
    let person = VOCABULARY.word(host).intersection(Cues::single(Cue::First).with(Cue::Second).with(Cue::Third));
    let short = match tail {
        "t" if host.ends_with('n') => Cues::single(Cue::Colloquial).with(Cue::Negation),
        "m" | "re" | "ve" | "ll" | "d" => Cues::single(Cue::Colloquial),
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
            Cues::single(Cue::Colloquial)
        }
        _ => Cues::NONE,
    };
    let tense = match (host, tail) {
        (_, "m" | "re") => Cues::single(Cue::Present),
        ("didn" | "wasn" | "weren" | "hadn", "t") => Cues::single(Cue::Past),
        ("isn" | "aren" | "doesn" | "don" | "hasn" | "haven", "t") => Cues::single(Cue::Present),
        _ => Cues::NONE,
    };
    person.union(short).union(tense)
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
    let cues = VOCABULARY.word(before).union(suffix_cues(before, before, Cues::NONE));
    let acts = cues.has(Cue::Past) || cues.has(Cue::Present) || cues.has(Cue::Action) || before.ends_with("ing");
    acts && !wishes && !refers
}

/// `as white as snow`; not `as soon as`, `as much as`.
fn is_as_x_as(words: &[String], at: usize) -> bool {
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
fn suffix_cues(word: &str, raw: &str, known: Cues) -> Cues {
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

/// Whether a word is a number or has a capital that no rule demands: not the first word of a sentence or of speech, and
/// not the pronoun.
fn is_name(parsed: &ParsedText<'_>, at: usize, opens: bool) -> bool {
    let raw = parsed.words[at].text;
    if raw.starts_with(|c: char| c.is_ascii_digit()) {
        return true;
    }
    let quoted = parsed.before(at).is_some_and(|c| matches!(c, '“' | '‘' | '"' | '\'' | '「' | '『'));
    let pronoun = raw == "I" || raw.starts_with("I'") || raw.starts_with("I’");
    raw.starts_with(char::is_uppercase) && !opens && !quoted && !pronoun
}
