//! The chapters of a unit with the words of the bundled Chinese tagger.

use std::path::Path;

use palimpsest_reader::names::{TaggedChapter, TaggedWord, WordKind};
use palimpsest_tagger::{Tag, Tagger, Word};

use crate::data::Unit;

/// The folder of the tagger's files.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../src-tauri/resources/tagger");

/// The tagger; `None` where set-up could not fetch its files.
pub fn load_tagger() -> Option<Tagger> {
    Tagger::load(Path::new(FOLDER)).inspect_err(|error| eprintln!("Chinese is not measured: {error}")).ok()
}

/// The words of each chapter of a unit.
pub fn words_of(tagger: &Tagger, unit: &Unit) -> Vec<Vec<TaggedWord>> {
    unit.chapters.iter().map(|chapter| words_in(tagger, &chapter.text)).collect()
}

/// The words of a text.
pub fn words_in(tagger: &Tagger, text: &str) -> Vec<TaggedWord> {
    let word = |word: Word| TaggedWord { range: word.range, kind: kind_of(word.tag) };
    tagger.tag_text(text).into_iter().map(word).collect()
}

/// The chapters of a unit with their words.
pub fn tagged_chapters<'w>(unit: &'w Unit, words: &'w [Vec<TaggedWord>]) -> Vec<TaggedChapter<'w>> {
    unit.chapters.iter().zip(words).map(|(chapter, words)| TaggedChapter { text: &chapter.text, words }).collect()
}

fn kind_of(tag: Tag) -> WordKind {
    match tag {
        Tag::Person => WordKind::Person,
        Tag::Location => WordKind::Place,
        Tag::Organization => WordKind::Organisation,
        Tag::ProperNoun | Tag::Title => WordKind::Thing,
        Tag::Time => WordKind::Time,
        _ => WordKind::Other,
    }
}
