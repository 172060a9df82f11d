//! Chance that can be had again: SplitMix64 (Steele, Lea and Flood, 2014), seeded by number and text.

pub(super) struct Chance(u64);

impl Chance {
    /// Begins from the seed of the generation and what it is about, so that the same seed further on in a chapter
    /// does not bring the same sentences.
    pub(super) fn new(seed: u64, about: &[&str]) -> Self {
        Self(about.iter().fold(seed, |hash, text| mix(hash, text)))
    }

    /// Begins anew for one thing out of many. What it draws does not depend on the others, so taking some of them
    /// away leaves the luck of the rest as it was.
    pub(super) fn apart(draw: u64, thing: &str) -> Self {
        Self(mix(draw, thing))
    }

    /// A number from the whole range.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 when there is nothing to choose from.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX);
        // The bias of the remainder is far below what anybody could see with bounds this small.
        self.next().checked_rem(bound).and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
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
