//! English names: runs of capitals, and the evidence of their surroundings.

mod book;
mod chapter;
mod entities;
mod habits;
mod kind;
mod merge;
mod places;
mod runs;
mod table;
mod text;
mod weights;

pub use book::EnBook;
use table::{NameForm, Parts, Tables};
use weights::PARTS;

/// Evidence for one form, summed over its occurrences.
#[derive(Debug, Clone, Default)]
struct Evidence {
    count: u32,
    /// Occurrences that do not begin a sentence.
    inside: u32,
    /// Points for a person and for a place, in [`PARTS`].
    person: u32,
    place: u32,
    /// Occurrences after an article.
    article: u32,
    /// Occurrences beside a verb of speech or with `who` or `himself`.
    speech: u32,
    /// Pronouns and titles in small letters near it that refer to a man, and to a woman.
    man: u32,
    woman: u32,
    /// Chapter and byte offset of the first occurrence.
    first: (u32, u32),
    /// The numbers of forms that stand beside this one in a list of names.
    beside: Vec<u32>,
}

/// The numbers of some chapters, as bits.
#[derive(Debug, Clone, Default)]
struct ChapterSet(Vec<u64>);

impl ChapterSet {
    fn insert(&mut self, chapter: u32) {
        let block = chapter as usize / 64;
        if self.0.len() <= block {
            self.0.resize(block + 1, 0);
        }
        self.0[block] |= 1 << (chapter % 64);
    }

    fn extend(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(block, other)| *block |= other);
    }

    fn is_disjoint(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(block, other)| block & other == 0)
    }
}

/// A form that is a name, with its evidence.
#[derive(Debug)]
struct NamedForm<'b> {
    /// Number of the form.
    number: u32,
    form: &'b NameForm,
    evidence: Evidence,
    /// Chapters with the form.
    chapters: ChapterSet,
    /// The ways in which the text writes it, with their counts.
    surfaces: Vec<(&'b str, u32)>,
}
