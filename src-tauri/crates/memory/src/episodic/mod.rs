//! Episodic memory: recording what happened, recalling it, and letting it grow old.

pub mod compress;
pub mod decay;
pub mod evict;
pub mod limits;
pub mod recall;
pub mod record;
pub mod style;
pub mod wording;
