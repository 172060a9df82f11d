//! Division of a prompt's token budget among its layers.

/// Default budget of a prompt, in tokens.
pub const DEFAULT_BUDGET: u32 = 6_000;
/// Minimum budget in tokens: with less there is no space for instructions and a passage.
pub const MIN_BUDGET: u32 = 1_000;
/// Maximum budget in tokens: no model that writers use reads more.
pub(crate) const MAX_BUDGET: u32 = 200_000;

/// The fixed instructions take about 150 tokens in either language; they are never cut.
const RULES: u32 = 250;
const SETTINGS_SHARE: f64 = 0.20;
/// Share of the cards of the story, beside that of the rules in the same layer.
const STORY_SHARE: f64 = 0.12;
const RETRIEVED_SHARE: f64 = 0.25;
/// Maximum share of the episodes in their layer, where passages of the book share it.
const PAST_SHARE: f64 = 0.60;
/// Maximum share of the passages of the book in the same layer.
const BOOK_SHARE: f64 = 0.60;
/// Share of the immediate layer.
pub(super) const WORKING_SHARE: f64 = 0.20;
/// Share of the text before the caret: it matters more than the text after it.
const BEFORE_SHARE: f64 = 0.75;
/// Tokens for tags, line breaks, and tokens that join differently where parts meet.
pub(super) const SEAMS: u32 = 48;

/// The budget of each layer, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    /// The fixed instructions.
    pub rules: u32,
    /// Semantic rules.
    pub settings: u32,
    /// Cards of the story, in the same layer.
    pub story: u32,
    /// Episodes and passages of the book.
    pub retrieved: u32,
    /// The rest. What the others do not use is added to it.
    pub immediate: u32,
}

/// A share of `total`, rounded down.
pub(super) fn portion(total: u32, share: f64) -> u32 {
    (f64::from(total) * share).floor() as u32
}

/// The shares of a budget between [`MIN_BUDGET`] and [`MAX_BUDGET`].
pub(super) fn shares(total: u32) -> Shares {
    let settings = portion(total, SETTINGS_SHARE);
    let story = portion(total, STORY_SHARE);
    let retrieved = portion(total, RETRIEVED_SHARE);
    let immediate = total.saturating_sub(RULES + settings + story + retrieved);
    Shares { rules: RULES, settings, story, retrieved, immediate }
}

/// The share of episodes in the layer of retrieved memories.
pub(super) fn past_share(retrieved: u32, has_passages: bool) -> u32 {
    if has_passages { portion(retrieved, PAST_SHARE) } else { retrieved }
}

/// The maximum share of passages in the layer of retrieved memories.
pub(super) fn book_share(retrieved: u32) -> u32 {
    portion(retrieved, BOOK_SHARE)
}

/// Tokens before and after the caret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Around {
    /// Of the text before.
    pub before: u32,
    /// Of the text after.
    pub after: u32,
}

/// Divides `room` between the text before and after: one side may use the tokens that the other does not need.
pub(super) fn around(room: u32, before: u32, after: u32) -> Around {
    let wanted = portion(room, BEFORE_SHARE);
    let after_taken = after.min((room - wanted).max(room.saturating_sub(before)));
    Around { before: before.min(room - after_taken), after: after_taken }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_layers_together_never_exceed_the_whole(total in MIN_BUDGET..=MAX_BUDGET) {
            let s = shares(total);
            prop_assert!(s.rules + s.settings + s.story + s.retrieved + s.immediate <= total);
            prop_assert!(s.immediate > 0);
        }

        #[test]
        fn around_the_caret_nothing_is_wasted_while_text_is_cut(room in 0u32..9_000, before in 0u32..20_000, after in 0u32..20_000) {
            let a = around(room, before, after);
            prop_assert!(a.before + a.after <= room);
            prop_assert!(a.before <= before && a.after <= after);
            prop_assert_eq!(a.before + a.after, room.min(before + after));
        }
    }
}
