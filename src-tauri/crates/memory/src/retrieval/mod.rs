//! Finding episodes: words, scene, skill and decay, fused into one explained score.

pub mod fuse;
pub mod lexical;
