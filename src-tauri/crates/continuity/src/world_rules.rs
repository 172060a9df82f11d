//! Sentences that may break a rule of the world by the writer's word: they have most words of the rule, and one of the
//! two denies what the other one tells.
//!
//! *No one may enter the tower after dusk* and *Mara entered the tower at dusk* are a pair, *Nobody entered the tower* is
//! none. Whether a sentence breaks the rule is judged by a model.

use palimpsest_text::Language;

use crate::{
    Book, Fact, Kind,
    en::{Words, names_unreal, narration},
    facts::quote_place,
    knowledge::{Content, content_of},
    pairs::{Pair, pair_of},
    sentences::{Sentence, Sentences},
    zh::{is_hypothetical, is_unreal, masked},
};

/// Least share of the words of a rule that a sentence has.
const MIN_SHARE: f64 = 0.6;
/// Least number of words that a rule and a sentence have in common: words in English, pairs of characters in Chinese.
const MIN_WORDS: (usize, usize) = (2, 3);
/// Most pairs of a rule.
const MAX_OF_RULE: usize = 4;
/// Most rules that are looked at.
const MAX_RULES: usize = 200;
const DENIALS: [&str; 20] = [
    "no",
    "not",
    "never",
    "none",
    "nobody",
    "nothing",
    "nowhere",
    "neither",
    "nor",
    "cannot",
    "without",
    "forbidden",
    "forbids",
    "forbid",
    "refused",
    "impossible",
    "unable",
    "only",
    "failed",
    "lest",
];
const DENIALS_ZH: [&str; 16] =
    ["不", "没", "无", "未", "莫", "勿", "禁", "绝", "别", "非", "休想", "只有", "只能", "忌", "严禁", "拒"];

/// Words by which a rule says for whom it holds, and that it does.
const ALLOWS: [&str; 22] = [
    "all",
    "always",
    "any",
    "anybody",
    "anyone",
    "are",
    "be",
    "can",
    "each",
    "ever",
    "every",
    "everybody",
    "everyone",
    "has",
    "have",
    "is",
    "may",
    "must",
    "one",
    "shall",
    "should",
    "will",
];
/// Longer words stand before their parts.
const ALLOWS_ZH: [&str; 24] = [
    "不可以",
    "不允许",
    "谁也",
    "谁都",
    "任何人",
    "所有人",
    "人人",
    "不许",
    "不准",
    "不能",
    "不得",
    "不会",
    "不可",
    "必须",
    "无法",
    "永远",
    "从来",
    "只有",
    "只能",
    "可以",
    "允许",
    "一律",
    "都",
    "会",
];

/// A rule with its words.
struct Rule {
    entity: usize,
    contents: [Content; 2],
    denies: bool,
}

/// The pairs of a rule of the world and a sentence.
pub(crate) fn rule_pairs(book: &Book<'_>, sentences: &Sentences<'_>) -> Vec<Pair> {
    let rule = |fact: &Fact| {
        let place = quote_place(book, fact)?;
        let quote = &book.chapters[place.chapter][place.range.clone()];
        let contents = [matter(book.language, &fact.value), matter(book.language, quote)];
        let denies = denies(book.language, &fact.value) || denies(book.language, quote);
        Some((Rule { entity: fact.entity, contents, denies }, place))
    };
    let rules: Vec<_> = book.rules.iter().filter(|fact| fact.is_asserted).filter_map(rule).take(MAX_RULES).collect();
    if rules.is_empty() {
        return Vec::new();
    }
    let min = if book.language == Language::En { MIN_WORDS.0 } else { MIN_WORDS.1 };
    let mut found: Vec<Vec<Pair>> = rules.iter().map(|_| Vec::new()).collect();
    for sentence in &sentences.all {
        let Some((content, is_denied)) = narrated_content(book.language, sentence) else { continue };
        for ((rule, place), pairs) in rules.iter().zip(&mut found) {
            let other = sentence.place(None);
            let is_near = rule.contents.iter().any(|words| content.covers(words, MIN_SHARE, min));
            if !is_near || is_denied == rule.denies || place.overlaps(&other) || pairs.len() == MAX_OF_RULE {
                continue;
            }
            let named = (Kind::WorldRule, rule.entity, breach(book.language));
            let pair = pair_of(book, named, [(place.clone(), String::new()), (other, String::new())]);
            pairs.push(Pair { values: Vec::new(), ..pair });
        }
    }
    found.into_iter().flatten().collect()
}

/// What a model is asked about a pair. The writer's wording of the rule is not part of it: a comparison sends the two
/// sentences of the book and the name of the rule.
fn breach(language: Language) -> &'static str {
    match language {
        Language::En => "does one sentence break the rule that the other one states",
        Language::Zh => "一句说的规矩，另一句有没有违反",
    }
}

/// The words of a rule without those by which it allows and denies.
fn matter(language: Language, text: &str) -> Content {
    let kept: String = match language {
        Language::En => {
            let words = Words::new(text);
            let is_kept = |word: &&str| !DENIALS.contains(word) && !ALLOWS.contains(word) && !word.ends_with("n't");
            words.all.iter().map(|word| word.lower.as_str()).filter(is_kept).collect::<Vec<_>>().join(" ")
        }
        Language::Zh => ALLOWS_ZH.iter().chain(&DENIALS_ZH).fold(text.to_owned(), |text, word| text.replace(word, " ")),
    };
    content_of(language, &kept)
}

/// The words of the narration of a sentence, and whether it denies them; `None` for one that tells nothing.
fn narrated_content(language: Language, sentence: &Sentence<'_>) -> Option<(Content, bool)> {
    if sentence.text.trim_end().ends_with(['?', '？']) {
        return None;
    }
    match language {
        Language::En => {
            let words = narration(sentence);
            let is_told = !names_unreal(&words) && !words.has(&["if", "unless", "whether", "would", "might"]);
            let text: Vec<&str> = words.all.iter().map(|word| &sentence.text[word.start..word.end]).collect();
            let text = text.join(" ");
            is_told.then(|| (content_of(language, &text), denies(language, &text)))
        }
        Language::Zh => {
            let text = masked(sentence);
            let is_told = !is_unreal(&text) && !is_hypothetical(&text);
            is_told.then(|| (content_of(language, &text), denies(language, &text)))
        }
    }
}

fn denies(language: Language, text: &str) -> bool {
    match language {
        Language::En => {
            let words = Words::new(text);
            words.has(&DENIALS) || words.all.iter().any(|word| word.lower.ends_with("n't"))
        }
        Language::Zh => DENIALS_ZH.iter().any(|word| text.contains(word)),
    }
}

#[cfg(test)]
mod tests;
