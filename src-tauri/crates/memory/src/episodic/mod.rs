//! Episodic memory: recording, recall, decay, compression and eviction of episodes.

pub mod compress;
pub mod decay;
pub mod evict;
pub(crate) mod length;
pub mod limits;
pub mod recall;
pub mod record;
pub mod style;
pub mod wording;
