//! Reproducible random numbers, seeded by a number and a text.

use palimpsest_text::random::SplitMix64;

pub(super) struct Chance(SplitMix64);

impl Chance {
    /// Begins from the seed of the generation and what it is about, so that the same seed further on in a chapter
    /// does not bring the same sentences.
    pub(super) fn new(seed: u64, about: &[&str]) -> Self {
        Self(SplitMix64::new(about.iter().fold(seed, |hash, text| mix(hash, text))))
    }

    /// Begins anew for one thing out of many. What it draws does not depend on the others, so taking some of them
    /// away leaves the luck of the rest as it was.
    pub(super) fn apart(draw: u64, thing: &str) -> Self {
        Self(SplitMix64::new(mix(draw, thing)))
    }

    /// A number from the whole range.
    pub(super) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`; 0 when there is nothing to choose from.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// True `times` out of `of`.
    pub(super) fn one(&mut self, times: usize, of: usize) -> bool {
        self.below(of) < times
    }
}

/// FNV-1a: spreads short texts well enough, and needs no dependency.
fn mix(seed: u64, text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let hash =
        text.bytes().chain([0]).fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    seed.rotate_left(7) ^ hash
}
