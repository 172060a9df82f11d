//! The story in a prompt: cards of entities, and passages of the book.

use super::{Counts, labels, render};
use crate::{
    model::{Certainty, Language, LayerName, Reference, ReferenceKind},
    story::{CardFact, StoryCard},
};

/// Maximum tokens of a card.
const MAX_CARD_TOKENS: u32 = 60;
/// Maximum characters of an excerpt of a passage.
const MAX_EXCERPT_CHARS: usize = 200;

/// A passage of the book before the position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BookPassage {
    pub passage_id: String,
    /// Number of its chapter in the book, from 1.
    pub chapter: u32,
    pub text: String,
    /// 0..1.
    pub score: f64,
    pub matched_by: Vec<String>,
}

/// A card as it goes into a prompt: one line of at most [`MAX_CARD_TOKENS`]. A fact that does not fit is left out
/// whole, and a shorter one after it may still fit.
pub(super) fn card_reference(language: Language, counts: &Counts, card: &StoryCard) -> Reference {
    let mut line = format!("- {}", render::card_words(&card.name));
    let fits = |line: &str| counts.count_tokens(line) <= MAX_CARD_TOKENS;
    if !fits(&line) {
        let room = MAX_CARD_TOKENS as usize;
        line = palimpsest_text::tokens::truncate_end(&line, room).trim_end().to_owned();
    }
    let aliases: Vec<String> = card.aliases.iter().map(|alias| render::card_words(alias)).collect();
    // The most frequent names first: the longest list that leaves half of the card to the facts.
    for count in (1..=aliases.len()).rev() {
        let named = match language {
            Language::Zh => format!("{line}（又叫 {}）", aliases[..count].join("、")),
            Language::En => format!("{line} (also {})", aliases[..count].join(", ")),
        };
        if counts.count_tokens(&named) <= MAX_CARD_TOKENS / 2 {
            line = named;
            break;
        }
    }
    let (colon, comma) = (labels::pick(language, "：", ": "), labels::pick(language, "；", "; "));
    let last_seen = card.last_seen.map(|seen| match language {
        Language::Zh => format!("上次出现在第 {} 章", seen.chapter),
        Language::En => format!("last seen in ch. {}", seen.chapter),
    });
    let facts = card.facts.iter().map(|fact| fact_words(language, fact)).chain(last_seen);
    let mut is_first = true;
    for fact in facts {
        let longer = format!("{line}{}{fact}", if is_first { colon } else { comma });
        if fits(&longer) {
            line = longer;
            is_first = false;
        }
    }
    Reference {
        reference_id: format!("entity:{}", card.entity_id),
        kind: ReferenceKind::Entity,
        id: card.entity_id.to_string(),
        version: card.version,
        layer: LayerName::Settings,
        text: line,
        score: None,
        matched_by: vec![card.matched_by.wire_name().into()],
    }
}

fn fact_words(language: Language, fact: &CardFact) -> String {
    let (attribute, value) = (render::card_words(&fact.attribute), render::card_words(&fact.value));
    let certainty = match (fact.certainty, language) {
        (Certainty::Told, _) => "",
        (Certainty::Said, Language::Zh) => "（据说）",
        (Certainty::Said, Language::En) => " (said)",
        (Certainty::Believed, Language::Zh) => "（有人这么以为）",
        (Certainty::Believed, Language::En) => " (believed)",
        (Certainty::Planned, Language::Zh) => "（打算）",
        (Certainty::Planned, Language::En) => " (planned)",
    };
    let secret = match (fact.is_known_here, language) {
        (true, _) => "",
        (false, Language::Zh) => "（只有读者知道）",
        (false, Language::En) => " (reader only)",
    };
    format!("{attribute} {value}{certainty}{secret}")
}

/// A passage as it goes into a prompt.
pub(super) fn passage_reference(language: Language, passage: BookPassage) -> Reference {
    let words = render::fenced_line(&palimpsest_text::excerpt(&passage.text, MAX_EXCERPT_CHARS));
    let text = match language {
        Language::Zh => format!("- 第 {} 章：“{words}”", passage.chapter),
        Language::En => format!("- Ch. {}: “{words}”", passage.chapter),
    };
    Reference {
        reference_id: format!("passage:{}", passage.passage_id),
        kind: ReferenceKind::Passage,
        id: passage.passage_id,
        version: 1,
        layer: LayerName::Retrieved,
        text,
        score: Some(passage.score),
        matched_by: passage.matched_by,
    }
}

#[cfg(test)]
mod tests;
