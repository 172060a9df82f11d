//! The bilingual dictionary: one file in, the concepts of a query in the other language out.
//!
//! The file is CC-CEDICT, a Chinese-English dictionary (MDBG, CC BY-SA 4.0), which set-up fetches. Only what can be
//! looked for is loaded: headwords of Han characters, and glosses of one or two words. An index that holds both
//! languages then finds a text by a query in the other one.
//!
//! After loading nothing here does I/O, and equal queries have equal concepts. No query is stored.

mod cedict;
mod files;
mod function_words;
mod gloss;
mod query;
mod table;

use std::fmt;

pub use files::LoadError;
use table::Table;

/// The most concepts of one query. Of a longer query the last ones are returned.
pub const MAX_CONCEPTS: usize = 40;

/// The most characters of a Chinese word that is looked up.
pub const MAX_WORD_CHARS: usize = 6;

/// The most glosses of a Chinese word.
pub const MAX_GLOSSES: usize = 6;

/// The most Chinese words of an English one that have at least two characters. A word that is written differently in
/// simplified and traditional characters counts once and has an alternative in each.
pub const MAX_WORDS: usize = 10;

/// The most Chinese words of an English one that have one character, counted in the same way.
pub const MAX_CHARACTERS: usize = 6;

/// One thing that a query names, in the other language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concept {
    /// The translations, at least one. Each is a list of index terms that a text has to contain all of, as
    /// `palimpsest_text::terms::index_terms` makes them: English stems, or the pairs of characters of a Chinese word,
    /// or its only character.
    pub alternatives: Vec<Vec<String>>,
}

/// The loaded dictionary. It is immutable, so that any number of threads can share it.
pub struct Dictionary(Table);

impl Dictionary {
    /// The name of the file that [`Dictionary::load`] looks for: CC-CEDICT in its own format, compressed by gzip.
    pub const FILE: &'static str = "cedict_1_0_ts_utf-8_mdbg.txt.gz";

    /// Builds a dictionary from a text in the format of CC-CEDICT. Lines in another form are skipped.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self(Table::build(cedict::entries(text)))
    }

    /// Whether nothing can be looked up.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The concepts of `query` in the other language, in the order of the query and each once: at most
    /// [`MAX_CONCEPTS`].
    ///
    /// A Han run is split into the longest known words, from its end. Its concepts have English alternatives;
    /// particles, pronouns and very common characters have none. Elsewhere two adjacent words, or else one, are looked
    /// up as a whole gloss. Their concepts have Chinese alternatives, the most specific first.
    #[must_use]
    pub fn concepts(&self, query: &str) -> Vec<Concept> {
        query::concepts(&self.0, query)
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dictionary").finish_non_exhaustive()
    }
}
