//! The bundled Chinese tagger: the location of its files, and the words it finds in passages.

use std::path::PathBuf;

use palimpsest_reader::names::{TaggedWord, WordKind};
use palimpsest_tagger::{Tag, Tagger};

use crate::bundled::bundled_folder;

/// The folder of the tagger's files: the one named by `PALIMPSEST_TAGGER`, else next to the program,
/// else in the installed package, else in the repository that it was built in. `None` when it is in none of them.
#[must_use]
pub fn bundled_tagger() -> Option<PathBuf> {
    bundled_folder("PALIMPSEST_TAGGER", "tagger", |folder| {
        Tagger::FILES.iter().all(|file| folder.join(file.name).is_file())
    })
}

/// The words of a text, with the kinds that names are found by.
#[must_use]
pub fn tagged_words(tagger: &Tagger, text: &str) -> Vec<TaggedWord> {
    let word = |word: palimpsest_tagger::Word| TaggedWord { range: word.range, kind: kind_of(word.tag) };
    tagger.tag_text(text).into_iter().map(word).collect()
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
