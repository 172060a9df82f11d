//! Reproducible random numbers.

use palimpsest_text::random::SplitMix64;

/// A stream of random numbers, the same for the same seed.
#[derive(Clone)]
pub struct Dice(SplitMix64);

impl Dice {
    /// The stream of a seed and of a number within it, such as a writer's number or a purpose.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut mixed = SplitMix64::new(seed ^ stream.wrapping_mul(0xD134_2543_DE82_EF95));
        mixed.next_u64();
        Self(SplitMix64::new(mixed.next_u64()))
    }

    pub fn roll(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform random number, 0..1.
    pub fn share(&mut self) -> f32 {
        (self.roll() >> 40) as f32 / (1 << 24) as f32
    }

    /// A uniform random number, 0..count; `count` is above 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.roll() % count as u64) as usize
    }

    pub fn heads(&mut self, chance: f32) -> bool {
        self.share() < chance
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        if of.is_empty() { None } else { of.get(self.below(of.len())) }
    }

    /// Standard Gumbel: the argmax of utilities with this noise is a logit choice.
    pub fn gumbel(&mut self) -> f32 {
        -(-self.share().max(1e-6).ln()).ln()
    }

    /// Shuffles in place (Fisher–Yates).
    pub fn shuffle<T>(&mut self, of: &mut [T]) {
        for at in (1..of.len()).rev() {
            of.swap(at, self.below(at + 1));
        }
    }
}
