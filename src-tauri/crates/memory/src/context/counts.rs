//! Cached token counts of lines: the same rules go into every prompt, and counting five hundred of them takes longer
//! than all other work on them.

use std::collections::HashMap;

use crate::{
    lock::{Mutex, MutexGuard},
    working::tokens_of,
};

/// Maximum number of cached lines: the rules of two projects, and the episodes of about a hundred prompts. One
/// megabyte.
const MAX_LINES: usize = 16_384;

/// Cached counts by hash: no text is stored.
#[derive(Debug, Default)]
pub(crate) struct Counts(Mutex<HashMap<[u8; 32], u32>>);

impl Counts {
    /// The tokens of `line`, counted only on a cache miss.
    pub(crate) fn count_tokens(&self, line: &str) -> u32 {
        let key = *blake3::hash(line.as_bytes()).as_bytes();
        if let Some(tokens) = self.lock().get(&key) {
            return *tokens;
        }
        let tokens = tokens_of(line);
        let mut known = self.lock();
        if known.len() >= MAX_LINES {
            // Rare, and cheaper than tracking the last use of each line.
            known.clear();
        }
        known.insert(key, tokens);
        tokens
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<[u8; 32], u32>> {
        self.0.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remembered_count_is_the_count() {
        let counts = Counts::default();
        for n in 0..MAX_LINES + 10 {
            let line = format!("- 动作场景：偏好短句 {n} short sentences");
            assert_eq!(counts.count_tokens(&line), tokens_of(&line));
            assert_eq!(counts.count_tokens(&line), tokens_of(&line), "the second time");
        }
        assert!(counts.lock().len() <= MAX_LINES);
    }
}
