//! Characters that act after the text tells their death.
//!
//! A death counts where the narration asserts it of a named character. An act counts where the narration has the
//! character as the subject of a verb of action, in its present time: a dream, a memory, a picture, a habit of the past
//! and the words of a speech are no acts.

mod en;
mod plain;
mod zh;

use std::ops::Range;

use palimpsest_text::Language;
use rustc_hash::FxHashMap;

use crate::{
    Book, Clash, FoundBy, Kind,
    facts::death_facts,
    sentences::{Sentence, Sentences, is_character},
};

/// Paragraphs between a death and an act: the scene of a death may be told twice.
const MIN_PARAGRAPHS: usize = 3;

/// A statement about one character.
struct Statement {
    entity: usize,
    /// Bytes of the sentence.
    range: Range<usize>,
}

/// A death: its place, and the words that differ.
struct Death {
    chapter: usize,
    paragraph: usize,
    start: usize,
    place: crate::Place,
    value: String,
    found_by: FoundBy,
    is_used: bool,
}

/// For each death the first act after it.
pub(crate) fn death_clashes(book: &Book<'_>, sentences: &Sentences<'_>) -> Vec<Clash> {
    let mut deaths: FxHashMap<usize, Death> = death_facts(book, sentences).into_iter().fold(
        FxHashMap::default(),
        |mut deaths, (entity, place, paragraph, value)| {
            let death = Death {
                chapter: place.chapter,
                paragraph,
                start: place.range.start,
                place,
                value,
                found_by: FoundBy::Facts,
                is_used: false,
            };
            deaths.entry(entity).or_insert(death);
            deaths
        },
    );
    let mut found = Vec::new();
    for (number, sentence) in sentences.all.iter().enumerate() {
        if sentence.mentions.is_empty() {
            continue;
        }
        let (died, acts) = match book.language {
            Language::En => en::deaths_and_acts(sentence, &deaths, context(&sentences.all, number)),
            Language::Zh => zh::deaths_and_acts(sentence, &deaths, context(&sentences.all, number)),
        };
        for act in acts {
            let Some(death) = deaths.get_mut(&act.entity) else { continue };
            let is_later = (sentence.chapter, sentence.start) > (death.chapter, death.start);
            let is_apart = sentence.chapter > death.chapter || sentence.paragraph >= death.paragraph + MIN_PARAGRAPHS;
            if death.is_used || !is_later || !is_apart {
                continue;
            }
            death.is_used = true;
            found.push(Clash {
                kind: Kind::DeadActs,
                found_by: death.found_by,
                entity: Some(act.entity),
                values: vec![death.value.clone(), sentence.text[act.range.clone()].to_owned()],
                places: [death.place.clone(), sentence.place(Some(act.range))],
            });
        }
        let is_told = |entity: usize| died.iter().any(|one: &Statement| one.entity == entity);
        let plain = plain::plain_death(book.language, sentence).filter(|one| !is_told(one.entity));
        let died = died.into_iter().chain(plain).collect::<Vec<_>>();
        for statement in died {
            if !is_character(book, statement.entity) {
                continue;
            }
            deaths.entry(statement.entity).or_insert_with(|| Death {
                chapter: sentence.chapter,
                paragraph: sentence.paragraph,
                start: sentence.start,
                value: sentence.text[statement.range.clone()].to_owned(),
                place: sentence.place(Some(statement.range)),
                found_by: FoundBy::Computed,
                is_used: false,
            });
        }
    }
    found
}

/// The sentences of the same paragraph before a sentence, and the last one of the paragraph before.
fn context<'s, 'b>(all: &'s [Sentence<'b>], number: usize) -> &'s [Sentence<'b>] {
    let sentence = &all[number];
    let mut first = number;
    while first > 0 && all[first - 1].is_beside(sentence) && number - first < 8 {
        first -= 1;
    }
    if first > 0 && all[first - 1].chapter == sentence.chapter {
        first -= 1;
    }
    &all[first..number]
}

#[cfg(test)]
mod tests;
