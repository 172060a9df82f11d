//! One score from all signals of a candidate, and the gates of the two purposes of a recall.
//!
//! A weighted sum and not a fusion of ranks: ranks lose how much better the first is than the second, and penalize
//! matches by meaning alone, such as a Chinese question about an English passage. The weights of words, neighbours and
//! meaning are the best of a grid on the even queries of the public retrieval sets (the highest mean over the sets of
//! each set's own metric); the odd queries were held out, and are reported separately (`npm run eval:retrieval`).

use crate::model::{Components, RecallGroup};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct QueryParts {
    /// The query has a text.
    pub text: bool,
    /// The query has a scene type.
    pub scene: bool,
    /// The query has a skill.
    pub skill: bool,
}

/// Weight of a cosine of 1, where a text with every query term once gets 1 for words.
const MEANING_WEIGHT: f64 = 1.0;
/// Weight of a matching scene type.
const SCENE_WEIGHT: f64 = 0.12;
/// Weight of a matching skill.
const SKILL_WEIGHT: f64 = 0.05;
/// Maximum share of the score that age subtracts: of equal matches the older ranks second, but stays in the result.
const MAX_AGE_DISCOUNT: f64 = 0.3;
/// The maximum sum: 1.9 for words (the saturation of BM25), 0.45 for neighbours, and the three weights above. A smaller
/// one would clip the best matches to one score, ranked by age alone.
const MAX_SUM: f64 = 3.52;

/// Minimum share of the query's words that counts as a match by words.
const MIN_WORD_SHARE: f64 = 0.06;
/// Minimum cosine that counts as a match by meaning: the 99th percentile of unrelated pairs is 0.26, the 5th of true
/// ones 0.19.
const MIN_COSINE: f64 = 0.20;
/// Minimum relevance of the group *found*.
const MIN_FOUND: f64 = 0.45;
/// Minimum deviations of the meaning from its usual value in the group *found*: a short query has low cosines to every
/// text, also to the one that is meant.
const MIN_FOUND_DEVIATIONS: f64 = 4.0;

/// How much of the query's text a candidate matches, by words and meaning: 0 to about 3. Scene, skill and age have no
/// part in it.
#[must_use]
pub(crate) fn relevance(parts: Components) -> f64 {
    parts.words + MEANING_WEIGHT * parts.meaning.unwrap_or(0.0).max(0.0)
}

/// The group of a search result. `usual`: the meaning of the book's texts, where vectors were searched.
#[must_use]
pub(crate) fn group(parts: Components, asked: QueryParts, usual: Option<Usual>) -> RecallGroup {
    let deviations = parts.meaning.zip(usual).map(|(cosine, usual)| usual.deviations(cosine));
    let stands_out = shares_meaning(parts) && deviations.is_some_and(|deviations| deviations >= MIN_FOUND_DEVIATIONS);
    if !asked.text || relevance(parts) >= MIN_FOUND || stands_out { RecallGroup::Found } else { RecallGroup::Perhaps }
}

/// The signals of texts of the book for a query, as far as they were measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct UsualSignals {
    /// Shares of the query's words, of a sample of the texts.
    pub words: Vec<f64>,
    /// Cosines; none while vectors are not searched.
    pub meaning: Vec<f64>,
}

/// The gate of a prompt: only candidates that stand out from the book are examples. Words and meaning are each compared
/// with the book by themselves, because their usual values depend on the length of the query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PromptGate {
    words: Usual,
    meaning: Usual,
    /// Minimum strength.
    level: f64,
}

/// The usual value of a signal in a book.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usual {
    median: f64,
    /// The standard deviation, estimated by the median absolute deviation.
    deviation: f64,
}

/// Minimum strength of an example.
const MIN_STRENGTH: f64 = 3.5;
/// Minimum strength of an example, as a share of the best.
const MIN_SHARE_OF_BEST: f64 = 0.5;
/// Weight of the deviation of meaning, beside 1 for that of words.
const STRENGTH_OF_MEANING: f64 = 1.0;
/// Minimum deviations: with smaller ones, chance would stand out in a book of uniform texts.
const MIN_WORD_DEVIATION: f64 = 0.02;
const MIN_MEANING_DEVIATION: f64 = 0.04;
/// Standard deviations of a normal distribution per median absolute deviation.
const DEVIATIONS_PER_MAD: f64 = 1.4826;

impl Usual {
    fn new(values: &[f64], min_deviation: f64) -> Self {
        let median = median(values);
        let distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
        Self { median, deviation: (DEVIATIONS_PER_MAD * self::median(&distances)).max(min_deviation) }
    }

    /// The usual meaning, from the cosines of a query to texts.
    #[must_use]
    pub(crate) fn meaning(cosines: &[f64]) -> Self {
        Self::new(cosines, MIN_MEANING_DEVIATION)
    }

    /// By how many deviations a value is above the usual one.
    #[must_use]
    pub(crate) fn deviations(self, value: f64) -> f64 {
        (value - self.median) / self.deviation
    }
}

impl PromptGate {
    /// The gate for a query, from the usual signals of the book and the candidates.
    #[must_use]
    pub(crate) fn new(usual: &UsualSignals, candidates: impl Iterator<Item = Components>) -> Self {
        let mut gate = Self {
            words: Usual::new(&usual.words, MIN_WORD_DEVIATION),
            meaning: Usual::meaning(&usual.meaning),
            level: MIN_STRENGTH,
        };
        let best = candidates.map(|one| gate.strength(one)).fold(0.0, f64::max);
        gate.level = gate.level.max(MIN_SHARE_OF_BEST * best);
        gate
    }

    /// By how many deviations a text stands out from the book.
    #[must_use]
    pub(crate) fn strength(self, parts: Components) -> f64 {
        let words = self.words.deviations(parts.words);
        let Some(cosine) = parts.meaning else { return words };
        let weights = 1.0 + STRENGTH_OF_MEANING * STRENGTH_OF_MEANING;
        (words + STRENGTH_OF_MEANING * self.meaning.deviations(cosine)) / weights.sqrt()
    }

    /// Whether a candidate stands out.
    #[must_use]
    pub(crate) fn admits(self, parts: Components) -> bool {
        self.strength(parts) >= self.level
    }
}

/// The median; 0 of an empty list.
#[must_use]
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    let middle = values.len() / 2;
    if values.is_empty() {
        return 0.0;
    }
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Whether a text shares words or meaning with the query. The nearest of a search need not.
#[must_use]
pub(crate) fn shares_any(parts: Components) -> bool {
    shares_words(parts) || shares_meaning(parts)
}

fn shares_words(parts: Components) -> bool {
    parts.words >= MIN_WORD_SHARE
}

fn shares_meaning(parts: Components) -> bool {
    parts.meaning.is_some_and(|cosine| cosine >= MIN_COSINE)
}

/// The score, 0..1.
#[must_use]
pub(crate) fn score(parts: Components, asked: QueryParts) -> f64 {
    let mut sum = 0.0;
    let mut possible = MAX_SUM;
    if asked.text {
        sum += relevance(parts);
    }
    if asked.scene && parts.scene {
        sum += SCENE_WEIGHT;
    }
    if asked.skill && parts.skill {
        sum += SKILL_WEIGHT;
    }
    if !asked.text {
        // Only scene and skill can match; with neither, all score the same and the newest come first.
        possible = match (asked.scene, asked.skill) {
            (false, false) => return aged(1.0, parts.decay),
            (scene, skill) => f64::from(u8::from(scene)) * SCENE_WEIGHT + f64::from(u8::from(skill)) * SKILL_WEIGHT,
        };
    }
    aged((sum / possible).clamp(0.0, 1.0), parts.decay)
}

fn aged(relevance: f64, decay: f64) -> f64 {
    relevance * (1.0 - MAX_AGE_DISCOUNT + MAX_AGE_DISCOUNT * decay.clamp(0.0, 1.0))
}

/// The signals that found it, by descending weight; for the nearest of a search that matches by none, the stronger of
/// words and meaning.
#[must_use]
pub(crate) fn matched_by(parts: Components, asked: QueryParts) -> Vec<String> {
    let reasons = [
        (asked.text && shares_words(parts), "words"),
        (asked.text && shares_meaning(parts), "meaning"),
        (asked.scene && parts.scene, "scene"),
        (asked.skill && parts.skill, "skill"),
    ];
    let mut named: Vec<String> = reasons.iter().filter(|(holds, _)| *holds).map(|(_, name)| (*name).into()).collect();
    if named.is_empty() {
        let by_meaning = parts.meaning.unwrap_or(0.0);
        let nearest = match (parts.words, by_meaning) {
            (words, meaning) if asked.text && words > 0.0 && words >= meaning => "words",
            (_, meaning) if asked.text && meaning > 0.0 => "meaning",
            _ => "recent",
        };
        named.push(nearest.into());
    }
    named
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_same_words_in_a_fresher_episode_come_first() {
        let asked = QueryParts { text: true, ..QueryParts::default() };
        let fresh = Components { words: 0.8, decay: 1.0, ..Components::default() };
        assert!(score(fresh, asked) > score(Components { decay: 0.3, ..fresh }, asked));
    }

    #[test]
    fn a_search_separates_what_matches_from_the_nearest_and_says_by_what() {
        let asked = QueryParts { text: true, ..QueryParts::default() };
        let other_language = Components { meaning: Some(0.5), decay: 0.1, ..Components::default() };
        let usual = Some(Usual::meaning(&[0.1, 0.15, 0.2]));
        assert_eq!(group(other_language, asked, usual), RecallGroup::Found);
        assert_eq!(matched_by(other_language, asked), ["meaning"]);
        let distant = Components { words: 0.03, meaning: Some(0.1), decay: 1.0, ..Components::default() };
        assert_eq!(group(distant, asked, usual), RecallGroup::Perhaps);
        assert_eq!(matched_by(distant, asked), ["meaning"], "the stronger of the two");
        let short = Components { meaning: Some(0.3), ..Components::default() };
        assert_eq!(group(short, asked, usual), RecallGroup::Perhaps);
        assert_eq!(
            group(short, asked, Some(Usual::meaning(&[0.0, 0.04, 0.08]))),
            RecallGroup::Found,
            "far above the others"
        );
        assert_eq!(group(Components::default(), QueryParts::default(), usual), RecallGroup::Found, "the newest");
        assert_eq!(matched_by(Components::default(), QueryParts::default()), ["recent"]);
    }

    #[test]
    fn an_episode_that_is_as_near_as_the_whole_book_is_no_example() {
        let near = |meaning| Components { words: 0.1, meaning: Some(meaning), ..Components::default() };
        let meaning = (0..40).map(|n| 0.4 + 0.002 * f64::from(n)).collect();
        let book = UsualSignals { words: vec![0.1; 40], meaning };
        let gate = |best| PromptGate::new(&book, [near(best)].into_iter());
        assert!(!gate(0.4).admits(near(0.4)));
        assert!(gate(0.8).admits(near(0.8)));
    }

    #[test]
    fn a_weak_match_is_no_example_in_an_unrelated_book_or_beside_a_strong_one() {
        let by_words = |words| Components { words, ..Components::default() };
        let book = UsualSignals { words: vec![0.0; 40], meaning: Vec::new() };
        let gate = |best| PromptGate::new(&book, [by_words(best)].into_iter());
        assert!(!gate(0.05).admits(by_words(0.05)));
        assert!(gate(0.5).admits(by_words(0.5)));
        assert!(!gate(1.5).admits(by_words(0.2)));
    }

    #[test]
    fn a_scene_alone_has_the_full_score_of_a_query_for_scenes() {
        let fight = Components { scene: true, decay: 1.0, ..Components::default() };
        assert!((score(fight, QueryParts { scene: true, ..QueryParts::default() }) - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn a_score_is_a_share_and_never_falls_when_more_matches(
            words in 0.0..=2.0_f64, more in 0.0..=2.0_f64, meaning in -1.0..=1.0_f64, closer in -1.0..=1.0_f64,
            scene: bool, skill: bool, decay in 0.0..=1.0_f64, a: bool, b: bool, c: bool,
        ) {
            let asked = QueryParts { text: a, scene: b, skill: c };
            let low = Components {
                words: words.min(more), meaning: Some(meaning.min(closer)), scene, skill, decay,
            };
            let high = Components { words: words.max(more), meaning: Some(meaning.max(closer)), ..low };
            let there = Components { scene: true, ..low };
            prop_assert!((0.0..=1.0).contains(&score(low, asked)));
            prop_assert!(score(high, asked) >= score(low, asked));
            prop_assert!(score(there, asked) >= score(low, asked));
        }
    }
}
