//! Splits the sections of an imported manuscript at paragraphs that the writer chooses.

use std::collections::HashSet;

use palimpsest_text::{excerpt, paragraphs};

use super::sections::{MAX_OPENING_CHARS, title_from};
use super::{Imported, MAX_CHAPTERS, MisfitChoices, Section, SectionKind, SectionUse};

/// A paragraph at which a section can be split.
#[derive(Clone, PartialEq, Eq)]
pub struct SplitPoint {
    /// Start of the paragraph in the text that was read, in bytes.
    pub at: usize,
    /// Its words, from the first one.
    pub text: String,
}

impl std::fmt::Debug for SplitPoint {
    // The text is private: not even a failed assertion shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SplitPoint").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Imported {
    /// The paragraphs of a section that contain `words`, without its first one, in order: at most `count`, from the
    /// position `from` in the text that was read on. Each has at most `max_chars` characters of its text. Empty for a
    /// section that does not exist.
    #[must_use]
    pub fn split_points(
        &self,
        section: usize,
        from: usize,
        words: &str,
        count: usize,
        max_chars: usize,
    ) -> Vec<SplitPoint> {
        let Some(section) = self.sections.get(section) else { return Vec::new() };
        let words = words.to_lowercase();
        let inside = |range: &std::ops::Range<usize>| range.start >= section.body && range.end <= section.to;
        paragraphs::ranges(&self.text)
            .into_iter()
            .filter(inside)
            .skip(1)
            .filter(|range| range.start >= from)
            .filter_map(|range| Some((range.start, self.text.get(range)?)))
            .filter(|(_, text)| words.is_empty() || text.to_lowercase().contains(&words))
            .take(count)
            .map(|(at, text)| SplitPoint { at, text: excerpt(text, max_chars) })
            .collect()
    }

    /// Splits sections at these positions: each new section begins a chapter, whose title are its first words.
    ///
    /// # Errors
    /// [`MisfitChoices::Split`] if a position is not one of [`Self::split_points`], or there are too many.
    pub fn split_at(&mut self, splits: &[usize]) -> Result<(), MisfitChoices> {
        if splits.is_empty() {
            return Ok(());
        }
        if splits.len() > MAX_CHAPTERS {
            return Err(MisfitChoices::Split);
        }
        let starts: HashSet<usize> = paragraphs::ranges(&self.text).into_iter().map(|range| range.start).collect();
        for &at in splits {
            let holds = |section: &Section| section.body < at && at < section.to;
            let index = self.sections.iter().position(holds).filter(|_| starts.contains(&at));
            let (index, section) =
                index.and_then(|index| Some((index, self.sections.get_mut(index)?))).ok_or(MisfitChoices::Split)?;
            let to = std::mem::replace(&mut section.to, at);
            let title = title_from(&excerpt(super::sections::between(&self.text, at, to), MAX_OPENING_CHARS));
            let (kind, usage) = (SectionKind::Paragraph, SectionUse::Chapter);
            self.sections.insert(index + 1, Section { title, kind, usage, from: at, body: at, to });
        }
        Ok(())
    }
}
