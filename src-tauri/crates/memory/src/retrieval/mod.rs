//! Finding episodes: by words, by meaning, by scene and skill, fused with decay into one explained score.

pub mod encoders;
pub mod fuse;
pub mod helper_pool;
pub mod lexical;
pub mod meaning;
pub mod names;
pub mod resident;
