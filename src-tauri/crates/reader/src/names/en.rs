//! English names: runs of capitals, and the evidence of their surroundings.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{
    counts::{CaseCounts, lower, lower_into},
    lexicon_en::{List, Word as Listed, look_up},
};
use crate::words::{Gap, Parsed, Word};

/// Most words of one name.
const MAX_WORDS: usize = 8;
/// Maximum number of words between a name and a pronoun that may refer to it.
const MAX_PRONOUN_DISTANCE: usize = 9;

/// Evidence for one form, summed over its occurrences. The weights are guesses that were checked on the development
/// data; only their order of magnitude matters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evidence {
    pub(crate) count: u32,
    /// Occurrences that do not begin a sentence.
    pub(crate) inside: u32,
    pub(crate) person: f32,
    pub(crate) place: f32,
    /// Occurrences after an article.
    pub(crate) article: u32,
    /// Occurrences beside a verb of speech or with `who` or `himself`.
    pub(crate) speech: u32,
    /// Pronouns and titles in small letters near it that refer to a man, and to a woman.
    pub(crate) man: u32,
    pub(crate) woman: u32,
    /// Chapters with the form, in order.
    pub(crate) chapters: Vec<u32>,
    /// Chapter and byte offset of the first occurrence.
    pub(crate) first: (u32, usize),
    /// The ways in which the text writes the form, with their counts.
    pub(crate) surfaces: BTreeMap<String, u32>,
    /// Forms that stand beside this one in a list of names.
    pub(crate) beside: Vec<String>,
}

/// Forms of a book by their words: in title case, without full stops, one space between two words.
pub(crate) type Forms = FxHashMap<String, Evidence>;

/// The range of words of a run: `from..to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Adds the forms of a chapter.
pub(crate) fn collect(parsed: &Parsed<'_>, chapter: u32, counts: &CaseCounts, forms: &mut Forms) {
    let headings = headings(parsed);
    let runs = runs(parsed, counts, &headings);
    let mut keys: Vec<String> = Vec::with_capacity(runs.len());
    for (number, run) in runs.iter().enumerate() {
        let key = key(&parsed.words[run.from..run.to], counts);
        let evidence = forms.entry(key.clone()).or_default();
        if evidence.count == 0 {
            evidence.first = (chapter, parsed.words[run.from].start);
        }
        evidence.count += 1;
        evidence.inside += u32::from(!parsed.words[run.from].begins);
        if evidence.chapters.last() != Some(&chapter) {
            evidence.chapters.push(chapter);
        }
        *evidence.surfaces.entry(surface(parsed, *run)).or_default() += 1;
        weigh(parsed, *run, evidence);
        if let Some(before) = number.checked_sub(1)
            && is_listed_with(parsed, runs[before], *run)
            && evidence.beside.len() < 8
        {
            let other: &String = &keys[before];
            if !evidence.beside.contains(other) {
                evidence.beside.push(other.clone());
            }
        }
        keys.push(key);
    }
}

/// Paragraphs in which (almost) each word has a capital: headings, which say nothing of names.
fn headings(parsed: &Parsed<'_>) -> Vec<bool> {
    let mut words = vec![(0_u32, 0_u32, 0_u32); parsed.paragraphs.len()];
    for word in &parsed.words {
        let (all, capital, shouted) = &mut words[word.paragraph];
        *all += 1;
        *capital += u32::from(word.is_capital());
        *shouted += u32::from(word.is_all_capitals());
    }
    let is_heading = |(at, &(all, capital, shouted)): (usize, &(u32, u32, u32))| {
        let text = parsed.text[parsed.paragraphs[at].clone()].trim_end_matches(['_', '*', ' ']);
        let is_sentence = text.ends_with(['.', '!', '?', '"', '”', '\'', '’', ',', '…', ';', ':', '—', '-']);
        all > 0 && (shouted * 2 > all || (!is_sentence && all <= 12 && capital * 2 > all))
    };
    words.iter().enumerate().map(is_heading).collect()
}

/// The runs of a text that may be names, in order.
pub(crate) fn runs(parsed: &Parsed<'_>, counts: &CaseCounts, headings: &[bool]) -> Vec<Run> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < parsed.words.len() {
        let word = &parsed.words[at];
        if !word.is_capital() || headings.get(word.paragraph) == Some(&true) {
            at += 1;
            continue;
        }
        let to = end_of_run(parsed, at);
        split(parsed, Run { from: at, to }, counts, &mut found);
        at = to;
    }
    found
}

fn listed(word: &Word<'_>, key: &mut String) -> Listed {
    lower_into(key, word.text);
    look_up(key)
}

/// The end of the run of capitals that begins at `from`.
fn end_of_run(parsed: &Parsed<'_>, from: usize) -> usize {
    let words = &parsed.words;
    let mut key = String::new();
    let mut to = from + 1;
    while to < words.len() && to - from < MAX_WORDS {
        let (last, next) = (&words[to - 1], &words[to]);
        if next.sentence != last.sentence || next.paragraph != last.paragraph {
            break;
        }
        let joined = match next.gap {
            Gap::Space => true,
            Gap::Stop => is_abbreviation(last, &mut key),
            _ => false,
        };
        if !joined {
            break;
        }
        if last.is_possessive() {
            // `Pilgrim's Pond` is one name, `Anne's London` is two.
            let is_place = next.is_capital() && listed(next, &mut key).is(List::PlaceNoun);
            if !is_place || next.begins {
                break;
            }
            to += 1;
            continue;
        }
        if next.is_capital() {
            if is_word_of_speaker(next) {
                break;
            }
            to += 1;
            continue;
        }
        // Particles in small letters, before another capital.
        let after = words.get(to + 1).filter(|after| after.gap == Gap::Space && after.sentence == next.sentence);
        if after.is_some_and(Word::is_capital) && next.gap == Gap::Space && !next.is_possessive() {
            let is_particle = listed(next, &mut key).is(List::Particle);
            let before = listed(last, &mut key);
            let opens_of = (before.is_title() && !before.is(List::Abbreviation))
                || (before.is(List::PlaceNoun) || before.is(List::GroupNoun)) && !last.begins;
            if is_particle || (next.text == "of" && opens_of) {
                to += 2;
                continue;
            }
        }
        break;
    }
    // A name does not end with the words that follow it in capitals by accident, such as `I`.
    to
}

/// Whether a word is `I` or a contraction with it.
fn is_word_of_speaker(word: &Word<'_>) -> bool {
    word.text == "I" || word.text.starts_with("I'") || word.text.starts_with("I’")
}

/// Whether a full stop after the word belongs to it: a title or an initial.
fn is_abbreviation(word: &Word<'_>, key: &mut String) -> bool {
    let mut letters = word.text.chars();
    let is_initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none() && word.text != "I";
    is_initial || listed(word, key).is(List::Abbreviation)
}

/// Cuts what is no part of a name off the start of a run, and the run where a title opens another name.
fn split(parsed: &Parsed<'_>, run: Run, counts: &CaseCounts, found: &mut Vec<Run>) {
    let words = &parsed.words;
    let mut key = String::new();
    let mut from = run.from;
    while from < run.to && is_no_part(parsed, from, run, counts, &mut key) {
        from += 1;
    }
    let mut to = run.to;
    while to > from {
        let last = &words[to - 1];
        let is_name_part = last.is_capital()
            && !is_word_of_speaker(last)
            && !(to - from > 1 && is_small_word(last, counts, &mut key) && listed(last, &mut key).is(List::Common));
        if is_name_part {
            break;
        }
        to -= 1;
    }
    // `Yes Captain Wentworth`, `Sir Walter Lady Russell`: a title after a name opens another one.
    for at in from + 1..to {
        let here = listed(&words[at], &mut key);
        let before = listed(&words[at - 1], &mut key);
        let opens = here.is_title() && here.is(List::Abbreviation) && !before.is_title() && words[at - 1].is_capital();
        if opens && at + 1 < to {
            push(parsed, Run { from, to: at }, found);
            push(parsed, Run { from: at, to }, found);
            return;
        }
    }
    push(parsed, Run { from, to }, found);
}

fn push(parsed: &Parsed<'_>, run: Run, found: &mut Vec<Run>) {
    let mut key = String::new();
    let words = &parsed.words[run.from..run.to];
    let is_title_alone = words.iter().all(|word| {
        let listed = listed(word, &mut key);
        listed.is_title() || listed.is(List::NoName) && words.len() > 1
    });
    if !words.is_empty() && !is_title_alone && words.iter().any(|word| word.text.len() > 1) {
        found.push(run);
    }
}

/// Whether the word at `at` only has a capital because of its position, or is no part of a name anyway.
fn is_no_part(parsed: &Parsed<'_>, at: usize, run: Run, counts: &CaseCounts, key: &mut String) -> bool {
    let word = &parsed.words[at];
    if is_word_of_speaker(word) {
        return true;
    }
    let listed = listed(word, key);
    let is_last = at + 1 == run.to;
    if listed.is(List::NoName) && (is_last || !listed.is_title()) {
        // `Irish said`: a nickname, or Death as a person.
        return !(is_last && run.to - run.from == 1 && is_speaking(parsed, at));
    }
    let is_address = matches!(key.as_str(), "grace" | "honour" | "honor" | "worship" | "reverence");
    if is_address && parsed.before(at).is_some_and(|before| matches!(before.text, "your" | "his" | "her" | "Your")) {
        return true;
    }
    if is_last && run.from == at && is_month(parsed, at, key) {
        return true;
    }
    let count = counts.get(key);
    if listed.is_title() && !is_last {
        // A title opens the name; but `Miss` and `General` may also be words of the sentence.
        return false;
    }
    if word.begins {
        if listed.is(List::Common) {
            // `Brown` and `Grace` may be names all the same.
            return !(count.inside > 0 && count.inside >= count.small / 4 && (listed.is_given() || is_last));
        }
        return count.small > 0 && count.inside <= count.small;
    }
    listed.is(List::Common) && count.small > 2 * count.inside && !is_last
        || is_last && run.to - run.from == 1 && listed.is(List::Common) && count.small > 4 * count.inside
}

/// Whether a word stands beside a verb of speech, without an article.
fn is_speaking(parsed: &Parsed<'_>, at: usize) -> bool {
    let mut key = String::new();
    let before = parsed.before(at).filter(|_| parsed.words[at].gap == Gap::Space);
    let after = parsed.after(at).filter(|word| word.gap == Gap::Space && !word.is_capital());
    let is_common = before.is_some_and(|word| {
        let word = listed(word, &mut key);
        word.is(List::Common) && !word.is(List::Speech)
    });
    let is_speech = |word: &Word<'_>| look_up(&lower(word)).is(List::Speech) && !word.is_capital();
    !is_common && (before.is_some_and(is_speech) || after.is_some_and(is_speech))
}

/// Whether a word that may be the name of a woman is a month here.
fn is_month(parsed: &Parsed<'_>, at: usize, key: &str) -> bool {
    const BEFORE: [&str; 10] = ["in", "of", "last", "next", "early", "late", "since", "until", "till", "by"];
    let is_number = |word: &Word<'_>| word.text.starts_with(|c: char| c.is_ascii_digit());
    let (before, after) = (parsed.before(at), parsed.after(at));
    matches!(key, "may" | "april" | "june" | "august")
        && (before.is_some_and(|word| is_number(word) || BEFORE.contains(&word.text)) || after.is_some_and(is_number))
}

/// Whether the book writes a word mostly in small letters.
fn is_small_word(word: &Word<'_>, counts: &CaseCounts, key: &mut String) -> bool {
    lower_into(key, word.text);
    let count = counts.get(key);
    count.small > count.inside
}

/// The words of a run in title case: `MR. DARCY` and `Mr Darcy` are one form.
fn key(words: &[Word<'_>], counts: &CaseCounts) -> String {
    let mut key = String::new();
    let mut small = String::new();
    for (number, word) in words.iter().enumerate() {
        if number > 0 {
            key.push(' ');
        }
        let is_numeral = word.text.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
        if word.is_all_capitals() && !is_numeral {
            lower_into(&mut small, word.text);
            let is_acronym = counts.get(&small).capital() == 0 && word.text.len() <= 3;
            let mut letters = small.chars();
            match letters.next() {
                Some(first) if !is_acronym => key.extend(first.to_uppercase().chain(letters)),
                _ => key.push_str(word.text),
            }
        } else if number + 1 < words.len() && word.is_possessive() {
            key.extend(word.text.chars().map(straight));
            key.push_str("'s");
        } else {
            key.extend(word.text.chars().map(straight));
        }
    }
    key
}

fn straight(c: char) -> char {
    if c == '’' { '\'' } else { c }
}

/// The run as the text writes it, with single spaces and without the possessive ending.
fn surface(parsed: &Parsed<'_>, run: Run) -> String {
    let range = parsed.words[run.from].start..parsed.words[run.to - 1].range().end;
    palimpsest_text::single_spaced(&parsed.text[range])
}

/// Whether two runs are items of one list of names: `Anne and Henry`, `Anne, Henry`.
fn is_listed_with(parsed: &Parsed<'_>, first: Run, second: Run) -> bool {
    let words = &parsed.words;
    let (last, next) = (&words[first.to - 1], &words[second.from]);
    if last.sentence != next.sentence || last.is_possessive() {
        return false;
    }
    match second.from - first.to {
        1 => {
            let between = &words[first.to];
            matches!(between.text, "and" | "or" | "nor") && between.gap == Gap::Space && next.gap == Gap::Space
        }
        0 => next.gap == Gap::Comma && !next.is_spoken,
        _ => false,
    }
}

/// Adds the evidence around one occurrence.
fn weigh(parsed: &Parsed<'_>, run: Run, evidence: &mut Evidence) {
    let words = &parsed.words;
    let mut key = String::new();
    let last = run.to - 1;
    let next = parsed.after(last).filter(|word| word.gap == Gap::Space);
    let before = parsed.before(run.from).filter(|_| words[run.from].gap == Gap::Space);
    let place_before = evidence.place;
    if let Some(before) = before {
        weigh_before(parsed, run, before, evidence);
    }
    if words[last].is_possessive() {
        let owned = next.is_some_and(|next| listed(next, &mut key).is(List::Own));
        evidence.person += if owned { 2.0 } else { 0.4 };
    } else {
        let mut verb = next;
        // `Anne quickly said`.
        if let Some(adverb) = verb
            && (adverb.text.ends_with("ly") || matches!(adverb.text, "then" | "now" | "also" | "never" | "only"))
        {
            verb = parsed.after(run.to).filter(|word| word.gap == Gap::Space);
        }
        if let Some(verb) = verb.filter(|verb| !verb.is_capital()) {
            let listed = listed(verb, &mut key);
            if listed.is(List::Speech) {
                evidence.person += 2.5;
                evidence.speech += 1;
            } else if listed.is(List::Feeling) {
                evidence.person += 1.5;
            } else if matches!(verb.text, "himself" | "herself" | "who" | "whom" | "whose") {
                evidence.person += 2.5;
                evidence.speech += 1;
            } else if verb.text.len() > 4 && verb.text.ends_with("ed") {
                evidence.person += 0.8;
            } else if listed.is(List::Verb) {
                evidence.person += 0.25;
            }
        } else if let Some(after) = parsed.after(last).filter(|word| word.gap == Gap::Comma) {
            match after.text {
                "who" | "whom" | "whose" => evidence.person += 2.5,
                "where" => evidence.place += 2.0,
                _ => {}
            }
        }
    }
    if is_address(parsed, run, evidence.inside > 0) {
        evidence.person += 1.5;
    }
    // A pronoun rarely refers to a name that follows a preposition of place.
    let weight = if evidence.place > place_before { 0.25 } else { 0.5 };
    weigh_pronouns(parsed, run, weight, evidence);
}

fn weigh_before(parsed: &Parsed<'_>, run: Run, before: &Word<'_>, evidence: &mut Evidence) {
    let mut key = String::new();
    let listed = listed(before, &mut key);
    let is_possessive = parsed.words[run.to - 1].is_possessive();
    match key.as_str() {
        "the" | "a" | "an" => evidence.article += 1,
        _ if before.is_capital() && !before.begins => {}
        _ if listed.is(List::Speech) => {
            evidence.person += 2.5;
            evidence.speech += 1;
        }
        _ if listed.is_title() || listed.is(List::Epithet) => {
            evidence.person += 1.5;
            evidence.man += u32::from(listed.is(List::TitleOfMan));
            evidence.woman += u32::from(listed.is(List::TitleOfWoman));
        }
        _ if listed.is(List::Inside) && !is_possessive => evidence.place += 1.6,
        _ if listed.is(List::Towards) && !is_possessive => evidence.place += 0.5,
        "of" if !is_possessive => evidence.place += 0.3,
        _ if listed.is(List::With) => evidence.person += 0.4,
        _ => {}
    }
}

/// Whether the run is spoken to: between a comma and a mark, or at the start of speech.
fn is_address(parsed: &Parsed<'_>, run: Run, has_stood_inside: bool) -> bool {
    let first = &parsed.words[run.from];
    let after = parsed.char_after(run.to - 1);
    let ends = matches!(after, Some(',' | '.' | '!' | '?' | ';' | '"' | '”' | '’' | '—' | '-'));
    let is_after_comma = first.gap == Gap::Comma;
    let opens = first.begins && matches!(after, Some(',' | '!'));
    // A word that only opens speech may be an interjection.
    first.is_spoken && ends && (is_after_comma && after != Some(',') || opens && has_stood_inside)
}

/// The first pronoun after the run in its sentence, unless another capital comes before it.
fn weigh_pronouns(parsed: &Parsed<'_>, run: Run, weight: f32, evidence: &mut Evidence) {
    let sentence = parsed.words[run.from].sentence;
    for word in parsed.words[run.to..].iter().take(MAX_PRONOUN_DISTANCE) {
        if word.sentence != sentence || word.is_capital() {
            return;
        }
        match word.text {
            "he" | "him" | "his" | "himself" => {
                evidence.man += 1;
                evidence.person += weight;
                return;
            }
            "she" | "her" | "hers" | "herself" => {
                evidence.woman += 1;
                evidence.person += weight;
                return;
            }
            "it" | "its" => return,
            _ => {}
        }
    }
}

/// The parts of a form: titles, then the words of the name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Parts {
    /// In small letters.
    pub(crate) titles: Vec<String>,
    /// In small letters, without particles.
    pub(crate) words: Vec<String>,
}

impl Parts {
    pub(crate) fn new(form: &str) -> Self {
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
