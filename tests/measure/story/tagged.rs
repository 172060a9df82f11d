//! The chapters of a unit with the words of the bundled Chinese tagger.

use palimpsest_api::{bundled_tagger, tagged_words};
use palimpsest_reader::names::{TaggedChapter, TaggedWord};
use palimpsest_tagger::Tagger;

use crate::data::Unit;

/// The tagger; `None` where set-up could not fetch its files.
pub fn load_tagger() -> Option<Tagger> {
    let Some(folder) = bundled_tagger() else {
        eprintln!("Chinese is not measured: the files of the tagger are not installed");
        return None;
    };
    Tagger::load(&folder).inspect_err(|error| eprintln!("Chinese is not measured: {error}")).ok()
}

/// The words of each chapter of a unit.
pub fn words_of(tagger: &Tagger, unit: &Unit) -> Vec<Vec<TaggedWord>> {
    unit.chapters.iter().map(|chapter| tagged_words(tagger, &chapter.text)).collect()
}

/// The chapters of a unit with their words.
pub fn tagged_chapters<'w>(unit: &'w Unit, words: &'w [Vec<TaggedWord>]) -> Vec<TaggedChapter<'w>> {
    unit.chapters.iter().zip(words).map(|(chapter, words)| TaggedChapter { text: &chapter.text, words }).collect()
}
