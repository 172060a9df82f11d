//! Finding episodes: by words, by meaning, by scene and skill, fused with decay into one explained score.

pub(crate) mod background;
pub(crate) mod encoders;
pub(crate) mod frequencies;
pub(crate) mod fuse;
pub(crate) mod helper_pool;
pub(crate) mod lexical;
pub(crate) mod meaning;
pub(crate) mod names;
pub(crate) mod resident;
mod residents;
pub(crate) mod text_search;
mod vector_index;
mod vocabularies;
pub(crate) mod vocabulary;
pub(crate) mod word_index;

#[cfg(test)]
mod tests;
