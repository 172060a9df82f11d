//! The bundled Chinese tagger: the location of its files, and the words it finds in passages.

use std::path::{Path, PathBuf};

use palimpsest_reader::names::{TaggedWord, WordKind};
use palimpsest_tagger::{Tag, Tagger};

/// The folder of the tagger's files: the one named by `PALIMPSEST_TAGGER`, else next to the program, else in the
/// repository that it was built in. `None` when it is in none of them.
#[must_use]
pub fn bundled_tagger() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("PALIMPSEST_TAGGER") {
        return Some(named.into());
    }
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).map(|folder| folder.join("tagger"));
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../resources/tagger");
    let there = |folder: &PathBuf| Tagger::FILES.iter().all(|file| folder.join(file.name).is_file());
    [beside, Some(repository)].into_iter().flatten().find(there)
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
