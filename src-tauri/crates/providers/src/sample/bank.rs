//! The bank of sentences, by kind.
//!
//! A line is one sentence. `~` before it restricts it to passages by the water, `|` to rain. Slots: `{p}` is the main
//! person of the passage, `{o}` the other person, `{n}` a named thing. English adds the forms it needs:
//! `{P}` `{O}` begin a sentence, `{me}` `{my}` belong to `{p}`, `{n}` comes without its article.

use std::sync::LazyLock;

use palimpsest_text::Language;

use super::{bank_en, bank_zh};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum SentenceKind {
    Action,
    Description,
    Monologue,
    Narration,
    /// A spoken question, without quotation marks.
    Question,
    /// Something answered.
    Reply,
    /// A spoken remark that answers no question.
    Remark,
}

/// The surroundings that a sentence needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Surroundings {
    Anywhere,
    Water,
    Rain,
}

/// One sentence with its slots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) kind: SentenceKind,
    pub(super) surroundings: Surroundings,
    pub(super) text: &'static str,
}

static ZH: LazyLock<Vec<Line>> = LazyLock::new(|| parse_lines(&bank_zh::BANK));
static EN: LazyLock<Vec<Line>> = LazyLock::new(|| parse_lines(&bank_en::BANK));

/// All sentences of a language.
pub(super) fn lines(language: Language) -> &'static [Line] {
    match language {
        Language::Zh => &ZH,
        Language::En => &EN,
    }
}

fn parse_lines(bank: &[(SentenceKind, &'static str)]) -> Vec<Line> {
    bank.iter()
        .flat_map(|&(kind, block)| block.lines().map(move |line| (kind, line.trim())))
        .filter(|(_, line)| !line.is_empty())
        .map(|(kind, line)| match (line.strip_prefix('~'), line.strip_prefix('|')) {
            (Some(text), _) => Line { kind, surroundings: Surroundings::Water, text },
            (_, Some(text)) => Line { kind, surroundings: Surroundings::Rain, text },
            _ => Line { kind, surroundings: Surroundings::Anywhere, text: line },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use palimpsest_text::{count, sentences};

    use super::*;

    const KINDS: [SentenceKind; 7] = [
        SentenceKind::Action,
        SentenceKind::Description,
        SentenceKind::Monologue,
        SentenceKind::Narration,
        SentenceKind::Question,
        SentenceKind::Reply,
        SentenceKind::Remark,
    ];

    #[test]
    fn both_languages_have_plenty_of_every_kind_and_length() {
        for (language, short, long) in [(Language::Zh, 12, 26), (Language::En, 9, 20)] {
            let lines = lines(language);
            assert!(lines.len() >= 100, "{language:?}: {}", lines.len());
            for kind in KINDS {
                let of: Vec<_> =
                    lines.iter().filter(|l| l.kind == kind && l.surroundings == Surroundings::Anywhere).collect();
                assert!(of.len() >= 9, "{language:?} {kind:?}: {}", of.len());
                let shorter = of.iter().filter(|l| count::words(l.text) <= short).count();
                assert!(shorter >= 4, "{language:?} {kind:?}: {shorter} short");
                let longer = of.iter().filter(|l| count::words(l.text) >= long).count();
                assert!(longer >= 1, "{language:?} {kind:?}: {longer} long");
            }
        }
    }

    #[test]
    fn every_line_is_one_distinct_sentence_without_quotes() {
        for language in [Language::Zh, Language::En] {
            let mut seen = HashSet::new();
            for line in lines(language) {
                assert!(seen.insert(line.text), "twice: {}", line.text);
                assert_eq!(sentences::split(line.text).len(), 1, "{}", line.text);
                assert!(line.text.ends_with(['。', '？', '！', '.', '?', '!']), "{}", line.text);
                assert!(!line.text.contains(['“', '”', '"']), "{}", line.text);
            }
        }
    }

    #[test]
    fn narration_names_no_person_but_by_its_slots() {
        let spoken = [SentenceKind::Question, SentenceKind::Reply, SentenceKind::Remark];
        for line in lines(Language::Zh).iter().filter(|l| !spoken.contains(&l.kind)) {
            assert!(!line.text.contains(['我', '你', '他', '她']), "{}", line.text);
        }
        let pronouns = ["i", "me", "my", "he", "him", "his", "she", "her", "hers", "you", "your", "we", "us", "our"];
        for line in lines(Language::En).iter().filter(|l| !spoken.contains(&l.kind)) {
            let bare = line.text.replace("{me}", "").replace("{my}", "").to_lowercase();
            let named = bare.split(|c: char| !c.is_ascii_alphabetic()).any(|w| pronouns.contains(&w));
            assert!(!named, "{}", line.text);
        }
    }

    #[test]
    fn some_sentences_exclaim_so_that_the_rule_has_something_to_do() {
        for (language, mark) in [(Language::Zh, '！'), (Language::En, '!')] {
            let exclaimed = lines(language).iter().filter(|l| l.text.contains(mark)).count();
            assert!((6..20).contains(&exclaimed), "{language:?}: {exclaimed}");
        }
    }
}
