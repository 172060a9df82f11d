//! English names: runs of capitals, and the evidence of their surroundings.

mod book;
mod chapter;
mod habits;
mod places;
mod runs;
mod table;
mod text;
mod weights;

pub use book::EnBook;
pub(super) use table::{NameForm, Parts, Tables};
pub(super) use weights::PARTS;

/// Evidence for one form, summed over its occurrences.
#[derive(Debug, Clone, Default)]
pub(super) struct Evidence {
    pub(super) count: u32,
    /// Occurrences that do not begin a sentence.
    pub(super) inside: u32,
    /// Points for a person and for a place, in [`PARTS`].
    pub(super) person: u32,
    pub(super) place: u32,
    /// Occurrences after an article.
    pub(super) article: u32,
    /// Occurrences beside a verb of speech or with `who` or `himself`.
    pub(super) speech: u32,
    /// Pronouns and titles in small letters near it that refer to a man, and to a woman.
    pub(super) man: u32,
    pub(super) woman: u32,
    /// Chapter and byte offset of the first occurrence.
    pub(super) first: (u32, u32),
    /// The numbers of forms that stand beside this one in a list of names.
    pub(super) beside: Vec<u32>,
}

/// The numbers of some chapters, as bits.
#[derive(Debug, Clone, Default)]
pub(super) struct ChapterSet(Vec<u64>);

impl ChapterSet {
    pub(super) fn insert(&mut self, chapter: u32) {
        let block = chapter as usize / 64;
        if self.0.len() <= block {
            self.0.resize(block + 1, 0);
        }
        self.0[block] |= 1 << (chapter % 64);
    }

    pub(super) fn extend(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(block, other)| *block |= other);
    }

    pub(super) fn is_disjoint(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(block, other)| block & other == 0)
    }
}

/// A form that is a name, with its evidence.
#[derive(Debug)]
pub(super) struct NamedForm<'b> {
    /// Number of the form.
    pub(super) number: u32,
    pub(super) form: &'b NameForm,
    pub(super) evidence: Evidence,
    /// Chapters with the form.
    pub(super) chapters: ChapterSet,
    /// The ways in which the text writes it, with their counts.
    pub(super) surfaces: Vec<(&'b str, u32)>,
}
