//! Episodic memory: recording what happened, and recalling it.

pub mod decay;
pub mod recall;
pub mod record;
