//! The style of a passage in numbers, from which a writer's preferences are learned.
//!
//! No model and no dictionary beyond the lists of cues here. Everything but [`Feature::Length`] is a mean, a share or a
//! rate, so that a longer text is not a different style. Values are on the scale of [`Feature::scale`], on which a
//! difference divided by the standard deviation is meaningful; [`Scale::undo`] gives the quantity for display.
//!
//! Two texts are compared in one language: measure both with [`measure_as`] if one of them may be too short for
//! detection.

mod cues;
mod en;
mod feature;
mod lexicon_en;
mod lexicon_zh;
mod measure;
mod parsed;
pub mod profile;
mod spread;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_en;
#[cfg(test)]
mod tests_zh;
mod zh;

pub use feature::{Category, Feature, Scale};
pub use measure::{measure, measure_as};
pub use spread::default_spread;

/// Version of the definitions. Numbers measured under different versions are not compared.
pub const VERSION: u32 = 2;

/// One value a feature, in the order of [`Feature::ALL`]. Every value is finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features([f32; Feature::COUNT]);

impl Features {
    /// The value of `feature`, on its scale.
    #[must_use]
    pub fn get(&self, feature: Feature) -> f32 {
        self.0[feature.index()]
    }

    /// All values, in the order of [`Feature::ALL`].
    #[must_use]
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// Features from [`Feature::COUNT`] finite values in order; `None` for anything else.
    #[must_use]
    pub fn from_slice(values: &[f32]) -> Option<Self> {
        let values: [f32; Feature::COUNT] = values.try_into().ok()?;
        values.iter().all(|value| value.is_finite()).then_some(Self(values))
    }

    const fn new(values: [f32; Feature::COUNT]) -> Self {
        Self(values)
    }
}
