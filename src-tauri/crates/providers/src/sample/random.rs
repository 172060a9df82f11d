//! Reproducible random numbers, seeded by a number and a text.

use palimpsest_text::random::SplitMix64;

pub(super) struct SeededRandom(SplitMix64);

impl SeededRandom {
    /// Seeded by the seed of the generation and its texts, so that the same seed at another place of a chapter gives
    /// other sentences.
    pub(super) fn new(seed: u64, about: &[&str]) -> Self {
        Self(SplitMix64::new(about.iter().fold(seed, |hash, text| mix(hash, text))))
    }

    /// Seeded for one item out of many. Its numbers do not depend on the other items, so removing some of them does not
    /// change the numbers of the rest.
    pub(super) fn for_item(draw: u64, thing: &str) -> Self {
        Self(SplitMix64::new(mix(draw, thing)))
    }

    /// A number from the whole range.
    pub(super) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// True with probability `times / of`.
    pub(super) fn happens(&mut self, times: usize, of: usize) -> bool {
        self.below(of) < times
    }
}

/// Mixes a text into a seed with FNV-1a, which suffices for short texts and needs no dependency.
fn mix(seed: u64, text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let hash =
        text.bytes().chain([0]).fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    seed.rotate_left(7) ^ hash
}
