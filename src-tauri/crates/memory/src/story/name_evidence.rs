//! The evidence of names in a book, for either language.

use std::sync::Arc;

use palimpsest_reader::{
    drift::{self, Drift},
    names::{
        ChapterKey, DetectedEntity, EnBook, EntityMentions, KnownEntity, Names, TaggedChapter, TaggedWord, ZhBook,
    },
};

use super::ChapterText;
use crate::model::Language;

/// The text of a book up to a position.
pub(crate) struct BookText<'a> {
    /// In order; the last one ends at the position.
    pub chapters: &'a [Arc<ChapterText>],
    /// The evidence of these chapters, which it has as a whole.
    pub evidence: &'a mut NameEvidence,
    /// Of each chapter.
    pub keys: &'a [ChapterKey],
    /// Whether the position is before the end of the last chapter, which then has its words.
    pub is_cut: bool,
}

impl<'a> BookText<'a> {
    /// The last chapter up to the position, if the position is before its end.
    fn cut(&self) -> Option<&'a Arc<ChapterText>> {
        self.chapters.last().filter(|_| self.is_cut)
    }

    fn chapter_texts(&self) -> Vec<&str> {
        self.chapters.iter().map(|chapter| &*chapter.text).collect()
    }

    /// The names in the text. `known` are the writer's.
    pub(super) fn detect(&mut self, known: &[KnownEntity]) -> Names {
        let cut = self.cut();
        match self.evidence {
            NameEvidence::En(book) => book.detect(self.keys, cut.map(|cut| &cut.text), known),
            NameEvidence::Zh(book) => book.detect(self.keys, cut.map(|cut| cut.tagged()), known),
        }
    }

    /// The mentions of entities in the text.
    pub(super) fn mentions(&mut self, entities: &[DetectedEntity]) -> EntityMentions {
        let cut = self.cut();
        match self.evidence {
            NameEvidence::En(book) => book.mentions(self.keys, cut.map(|cut| &cut.text), entities),
            NameEvidence::Zh(book) => book.mentions(self.keys, cut.map(|cut| cut.text.len()), entities),
        }
    }

    /// The likely misspellings of the names of entities.
    pub(super) fn drifts(&self, entities: &[DetectedEntity]) -> Vec<Drift> {
        let NameEvidence::Zh(book) = &*self.evidence else { return drift::detect_en(&self.chapter_texts(), entities) };
        let mut words: Vec<Vec<TaggedWord>> = self.keys.iter().map(|key| book.words(*key)).collect();
        if let (Some(words), Some(cut)) = (words.last_mut(), self.cut()) {
            *words = cut.tagged().words.to_vec();
        }
        let texts = self.chapter_texts();
        let chapters: Vec<TaggedChapter<'_>> =
            texts.iter().zip(&words).map(|(text, words)| TaggedChapter { text, words }).collect();
        drift::detect_zh(&chapters, entities)
    }
}

/// The evidence of names in the chapters of a book.
pub(crate) enum NameEvidence {
    En(EnBook),
    Zh(ZhBook),
}

impl NameEvidence {
    pub(crate) fn new(language: Language) -> Self {
        match language {
            Language::En => Self::En(EnBook::default()),
            Language::Zh => Self::Zh(ZhBook::default()),
        }
    }

    /// Reads a chapter, unless it has been read. `words` are those of a Chinese one.
    pub(crate) fn read_chapter(&mut self, key: ChapterKey, text: &Arc<str>, words: &[TaggedWord]) {
        match self {
            Self::En(book) => book.read_chapter(key, text),
            Self::Zh(book) => book.read_chapter(key, text, words),
        }
    }

    pub(crate) fn forget_chapter(&mut self, key: ChapterKey) {
        match self {
            Self::En(book) => book.forget_chapter(key),
            Self::Zh(book) => book.forget_chapter(key),
        }
    }

    /// Forgets the readings of other positions than the last, which can be made again.
    pub(crate) fn shrink(&mut self) {
        if let Self::Zh(book) = self {
            book.shrink();
        }
    }

    /// The words of a chapter that has been read; none of an English one.
    pub(crate) fn words(&self, key: ChapterKey) -> Vec<TaggedWord> {
        match self {
            Self::En(_) => Vec::new(),
            Self::Zh(book) => book.words(key),
        }
    }

    /// Bytes in memory, about.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::En(book) => book.size(),
            Self::Zh(book) => book.size(),
        }
    }
}
