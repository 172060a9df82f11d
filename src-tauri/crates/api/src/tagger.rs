//! The bundled Chinese tagger: the location of its files, and the words it finds in passages.

use std::path::{Path, PathBuf};

use palimpsest_reader::names::{TaggedWord, WordKind};
use palimpsest_tagger::{Tag, Tagger};

use crate::{bundled::bundled_folder, error::OrLog};

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

/// The names of persons and places in each of these texts; empty where the tagger cannot be loaded.
pub(crate) fn names_in(folder: Option<&Path>, texts: &[&str]) -> Vec<Vec<String>> {
    if texts.is_empty() {
        return Vec::new();
    }
    let loaded = folder.map(Tagger::load).transpose().or_log("load the tagger").flatten();
    let Some(tagger) = loaded else { return Vec::new() };
    let is_name = |word: &TaggedWord| matches!(word.kind, WordKind::Person | WordKind::Place);
    let names = |text: &&str| {
        tagged_words(&tagger, text).into_iter().filter(is_name).map(|word| text[word.range].to_owned()).collect()
    };
    texts.iter().map(names).collect()
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
