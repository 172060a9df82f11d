//! Sentences that may break a rule of the world by the writer's word: they have most words of the rule, and one of the
//! two denies what the other one tells.
//!
//! *No one may enter the tower after dusk* and *Mara entered the tower at dusk* are a pair; *Mara never entered the
//! tower at dusk* keeps the rule. Whether a sentence breaks it is judged by a model.

use palimpsest_text::Language;

use crate::{
    Book, Fact, Kind,
    en::{Words, names_unreal, narration},
    facts::quote_place,
    knowledge::{Content, matter_of},
    pairs::{Pair, pair_of},
    sentences::{Sentence, Sentences},
    zh::{ends_clause, is_hypothetical, is_unreal, masked},
};

/// Least share of the words of a rule that a sentence has; in Chinese of the pairs of characters.
const MIN_SHARE: (f64, f64) = (0.6, 0.5);
/// Least number of words that a rule and a sentence have in common.
const MIN_WORDS: usize = 2;
/// Most pairs of a rule.
const MAX_OF_RULE: usize = 4;
/// Most rules that are looked at.
const MAX_RULES: usize = 200;
const DENIALS: [&str; 19] = [
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
/// Past forms that have another stem than the present.
const PAST: [(&str, &str); 38] = [
    ("ate", "eat"),
    ("began", "begin"),
    ("bore", "bear"),
    ("bought", "buy"),
    ("broke", "break"),
    ("brought", "bring"),
    ("came", "come"),
    ("caught", "catch"),
    ("chose", "choose"),
    ("drank", "drink"),
    ("drove", "drive"),
    ("fell", "fall"),
    ("felt", "feel"),
    ("flew", "fly"),
    ("forgot", "forget"),
    ("found", "find"),
    ("froze", "freeze"),
    ("gave", "give"),
    ("grew", "grow"),
    ("held", "hold"),
    ("kept", "keep"),
    ("knew", "know"),
    ("left", "leave"),
    ("lost", "lose"),
    ("rang", "ring"),
    ("rode", "ride"),
    ("rose", "rise"),
    ("sang", "sing"),
    ("saw", "see"),
    ("slept", "sleep"),
    ("spoke", "speak"),
    ("stood", "stand"),
    ("swam", "swim"),
    ("swore", "swear"),
    ("took", "take"),
    ("went", "go"),
    ("woke", "wake"),
    ("wore", "wear"),
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
    let min_share = if book.language == Language::En { MIN_SHARE.0 } else { MIN_SHARE.1 };
    let mut found: Vec<Vec<Pair>> = rules.iter().map(|_| Vec::new()).collect();
    for sentence in &sentences.all {
        let clauses = narrated_clauses(book.language, sentence);
        let content: Content = clauses.iter().flat_map(|(content, _)| content.words()).collect();
        for ((rule, place), pairs) in rules.iter().zip(&mut found) {
            let other = sentence.place(None);
            let is_near = rule.contents.iter().any(|words| content.covers(words, min_share, MIN_WORDS));
            // A denial in a clause about something else denies nothing of the rule.
            let is_denied = clauses
                .iter()
                .any(|(words, denies)| *denies && rule.contents.iter().any(|content| words.covers(content, 0.0, 1)));
            if !is_near || is_denied == rule.denies || place.overlaps(&other) || pairs.len() == MAX_OF_RULE {
                continue;
            }
            let named = (Kind::WorldRule, rule.entity, rule_and_event(book.language));
            let pair = pair_of(book, named, [(place.clone(), String::new()), (other, String::new())]);
            pairs.push(Pair { values: Vec::new(), ..pair });
        }
    }
    found.into_iter().flatten().collect()
}

/// The words of a prompt that say what is compared. The writer's wording of the rule is not among them: a comparison
/// sends the two sentences of the book and the name of the rule.
fn rule_and_event(language: Language) -> &'static str {
    match language {
        Language::En => "a rule of the world, and what happens",
        Language::Zh => "世界的规矩，和发生的事",
    }
}

/// The words of a rule without those by which it allows and denies.
fn matter(language: Language, text: &str) -> Content {
    let kept: String = match language {
        Language::En => {
            let words = Words::new(text);
            let is_kept = |word: &&str| !DENIALS.contains(word) && !ALLOWS.contains(word) && !word.ends_with("n't");
            let present = |word| PAST.iter().find(|(past, _)| *past == word).map_or(word, |(_, present)| *present);
            let kept = words.all.iter().map(|word| word.lower.as_str()).filter(is_kept);
            kept.map(present).collect::<Vec<_>>().join(" ")
        }
        // A pair of characters does not reach over a word that is left out.
        Language::Zh => {
            ALLOWS_ZH.iter().chain(&DENIALS_ZH).fold(text.to_owned(), |text, word| text.replace(word, "，"))
        }
    };
    kept.split(ends_clause).flat_map(|part| matter_of(language, part).words().collect::<Vec<_>>()).collect()
}

/// A clause of the narration: its words, and whether it denies them.
type Clause = (Content, bool);

/// The clauses of the narration of a sentence; none of one that tells nothing.
fn narrated_clauses(language: Language, sentence: &Sentence<'_>) -> Vec<Clause> {
    if sentence.text.trim_end().ends_with(['?', '？']) {
        return Vec::new();
    }
    let text = masked(sentence);
    let is_told = match language {
        Language::En => {
            let words = narration(sentence);
            !names_unreal(&words) && !words.has(&["if", "unless", "whether", "would", "might"])
        }
        Language::Zh => !is_unreal(&text) && !is_hypothetical(&text),
    };
    if !is_told {
        return Vec::new();
    }
    let clauses = text.split(ends_clause).filter(|clause| !clause.trim().is_empty());
    clauses.map(|clause| (matter(language, clause), denies(language, clause))).collect()
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
