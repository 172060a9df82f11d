//! The content of a lorebook entry as facts, and facts as content.
//!
//! A line `attribute: value` is a fact with that attribute; all other text is notes, cut at the ends of sentences.

use palimpsest_text::sentences;

use super::{
    LoreFact, note_attribute,
    page_words::{CERTAINTIES, is_word, word},
};
use crate::{
    model::{Certainty, Language},
    validate::{ATTRIBUTE_CHARS, VALUE_CHARS},
};

/// Maximum number of words of an attribute: a longer beginning of a line is a sentence.
const MAX_ATTRIBUTE_WORDS: usize = 5;
/// Maximum number of characters of an attribute before a colon.
const MAX_ATTRIBUTE_CHARS: usize = 30;
/// Characters that no attribute has, because they are parts of a sentence.
const OF_SENTENCES: [char; 16] =
    ['.', '!', '?', ',', ';', '"', '“', '”', '。', '！', '？', '，', '；', '「', '」', '…'];

/// The facts that a content has.
pub(super) fn facts_of(content: &str, language: Language) -> Vec<LoreFact> {
    let mut facts = Vec::new();
    let mut notes = String::new();
    for line in content.lines() {
        let line = without_marks(line);
        match attribute_and_value(line) {
            Some((attribute, value)) => {
                push_notes(&mut facts, &mut notes, language);
                let (value, certainty) = without_certainty(value);
                let fact = |value| LoreFact { certainty, ..LoreFact::new(attribute, value) };
                facts.extend(values(value).into_iter().map(fact));
            }
            None if line.is_empty() => push_notes(&mut facts, &mut notes, language),
            None => {
                if !notes.is_empty() && language == Language::En {
                    notes.push(' ');
                }
                notes.push_str(line);
            }
        }
    }
    push_notes(&mut facts, &mut notes, language);
    facts
}

fn push_notes(facts: &mut Vec<LoreFact>, notes: &mut String, language: Language) {
    let notes = std::mem::take(notes);
    let (notes, certainty) = without_certainty(&notes);
    let fact = |value| LoreFact { certainty, ..LoreFact::new(note_attribute(language), value) };
    facts.extend(values(notes).into_iter().map(fact));
}

/// A text without the words in brackets at its end that say how certain it is.
fn without_certainty(text: &str) -> (&str, Certainty) {
    let bracketed = text.trim_end().strip_suffix([')', '）']);
    let found = bracketed.and_then(|inner| {
        let at = inner.rfind(['(', '（'])?;
        let words = inner[at..].trim_start_matches(['(', '（']);
        let (certainty, _) = CERTAINTIES.iter().find(|(_, word)| is_word(*word, words))?;
        Some((inner[..at].trim_end(), *certainty))
    });
    found.unwrap_or((text, Certainty::Told))
}

/// A line without the marks of a list and of emphasis around it.
fn without_marks(line: &str) -> &str {
    let line = line.trim();
    let line = ["- ", "* ", "+ ", "• ", "· "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
    line.trim_start_matches('#').trim()
}

fn attribute_and_value(line: &str) -> Option<(&str, &str)> {
    let (before, mark) = line.char_indices().find(|(_, c)| [':', '：'].contains(c))?;
    let attribute = line[..before].trim_matches(['*', '_', ' ']);
    // Emphasis may end behind the colon.
    let value = line[before + mark.len_utf8()..].trim_start_matches("**");
    if mark == ':' && !value.starts_with(' ') {
        return None;
    }
    let value = value.trim();
    let chars = attribute.chars().count();
    let is_attribute = (1..=MAX_ATTRIBUTE_CHARS).contains(&chars)
        && attribute.split_whitespace().count() <= MAX_ATTRIBUTE_WORDS
        && attribute.chars().any(char::is_alphabetic)
        && !attribute.contains(OF_SENTENCES);
    (is_attribute && !value.is_empty()).then_some((attribute, value))
}

/// A text in one line, cut into values at the ends of sentences where it is too long for one.
pub(super) fn values(text: &str) -> Vec<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return Vec::new();
    }
    let mut values = Vec::new();
    let (mut start, mut end) = (0, 0);
    for sentence in sentences::split(&text) {
        let next = end + text[end..].find(sentence).unwrap_or(0) + sentence.len();
        if text[start..next].trim().chars().count() > VALUE_CHARS {
            push_value(&mut values, &text[start..end]);
            start = end;
        }
        end = next;
    }
    push_value(&mut values, &text[start..]);
    values
}

/// Adds a text as a value; one sentence that is longer than a value as several.
fn push_value(values: &mut Vec<String>, text: &str) {
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.char_indices().nth(VALUE_CHARS).map_or(rest.len(), |(end, _)| end);
        values.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
}

/// The content of some facts: each in a line, notes as paragraphs.
pub(super) fn content_of(facts: &[LoreFact], language: Language) -> String {
    let mut content = String::new();
    let mut was_note = false;
    for fact in facts {
        let is_note = fact.attribute == note_attribute(language);
        if !content.is_empty() {
            // Notes in neighbouring lines are read as one.
            content.push_str(if is_note && was_note { "\n\n" } else { "\n" });
        }
        if !is_note {
            content.push_str(&fact.attribute);
            content.push_str(if language == Language::Zh { "：" } else { ": " });
        }
        content.push_str(&fact.value);
        // Other programs have no certainty: without the words a model would read a belief as the truth.
        if let Some((_, words)) = CERTAINTIES.iter().find(|(one, _)| *one == fact.certainty && *one != Certainty::Told)
        {
            let (before, after) = if language == Language::Zh { ("（", "）") } else { (" (", ")") };
            content.extend([before, word(*words, language), after]);
        }
        was_note = is_note;
    }
    content
}

/// Whether an attribute has a length that a fact may have.
pub(super) fn is_attribute_length(attribute: &str) -> bool {
    (1..=ATTRIBUTE_CHARS).contains(&attribute.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(content: &str, language: Language) -> Vec<(String, String)> {
        facts_of(content, language).into_iter().map(|fact| (fact.attribute, fact.value)).collect()
    }

    fn pair(attribute: &str, value: &str) -> (String, String) {
        (attribute.to_owned(), value.to_owned())
    }

    #[test]
    fn lines_with_an_attribute_are_facts_and_other_text_is_notes() {
        let content = "**Age:** twenty-four\n- Eyes: grey, nearly white\nShe came from the north.\nAt 12:30 she left.\n\n\
            See: https://example.org\n“Go,” she said: and went.";
        let wanted = [
            pair("Age", "twenty-four"),
            pair("Eyes", "grey, nearly white"),
            pair("note", "She came from the north. At 12:30 she left."),
            pair("See", "https://example.org"),
            pair("note", "“Go,” she said: and went."),
        ];
        assert_eq!(pairs(content, Language::En), wanted);
        let wanted = [pair("年龄", "二十四"), pair("设定", "她从北边来。没有人认得她。")];
        assert_eq!(pairs("年龄：二十四\n她从北边来。\n没有人认得她。", Language::Zh), wanted);
    }

    #[test]
    fn a_long_content_is_cut_at_sentences_and_loses_no_word() {
        let sentence = "The tide came in before the boats were out. ";
        let facts = facts_of(&sentence.repeat(40), Language::En);
        assert!(facts.len() > 1);
        assert!(facts.iter().all(|fact| fact.value.chars().count() <= VALUE_CHARS && fact.value.ends_with('.')));
        let words: usize = facts.iter().map(|fact| fact.value.split_whitespace().count()).sum();
        assert_eq!(words, sentence.repeat(40).split_whitespace().count());
        let unbroken = "潮".repeat(VALUE_CHARS * 2 + 7);
        let kept: usize = values(&unbroken).iter().map(|value| value.chars().count()).sum();
        assert_eq!(kept, VALUE_CHARS * 2 + 7);
    }
    #[test]
    fn facts_are_read_back_from_their_content() {
        for language in [Language::Zh, Language::En] {
            let note = note_attribute(language);
            let facts = [(note, "She came early."), (note, "Not for long."), ("eyes", "grey"), (note, "A last one.")];
            let mut facts = facts.map(|(attribute, value)| LoreFact::new(attribute, value));
            facts[1].certainty = Certainty::Planned;
            facts[2].certainty = Certainty::Believed;
            assert_eq!(facts_of(&content_of(&facts, language), language), facts);
        }
    }
}
