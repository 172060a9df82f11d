//! Computes the feature values of a parsed text from its hits.

use std::collections::HashMap;

use super::cues::{Cue, Hit};
use super::feature::Feature;
use super::parsed::ParsedText;
use super::{Features, en, zh};
use crate::language::{Language, detect};
use crate::paragraphs::unwrapped;

/// Measures `text` in the language most of it is written in. Takes a fraction of a millisecond a paragraph.
#[must_use]
pub fn measure(text: &str) -> Features {
    measure_as(text, detect(text))
}

/// Measures `text` by the cues of `language`. Wrapped lines are joined first. Empty text is neutral: zero, but for the
/// two values that a single sentence does not have either ([`Feature::SentenceVariation`],
/// [`Feature::LexicalVariety`]).
#[must_use]
pub fn measure_as(text: &str, language: Language) -> Features {
    let text = &*unwrapped(text);
    let parsed = ParsedText::new(text);
    let lower = match language {
        Language::Zh => Vec::new(),
        Language::En => en::lower_words(&parsed),
    };
    let hits = match language {
        Language::Zh => zh::find_hits(&parsed),
        Language::En => en::find_hits(&parsed, &lower),
    };
    let tokens: Vec<&str> = match language {
        Language::Zh => parsed.words.iter().map(|word| word.text).collect(),
        Language::En => lower.iter().map(String::as_str).collect(),
    };
    let usual = UsualValues::for_language(language);
    let counts = CueCounts::new(&parsed, &hits);
    let marks = PunctuationCounts::new(text);
    let units = tokens.len() as f32;
    let sentences = parsed.sentences.len().max(1) as f32;
    let rate = |count: usize| if units > 0.0 { count as f32 * 100.0 / units } else { 0.0 };
    let cue = |cue: Cue| rate(counts.0[cue as usize]);
    let lengths: Vec<f32> = parsed.sentences.iter().map(|sentence| sentence.len() as f32).collect();
    let share = |count: usize| count as f32 / sentences;
    let at_most = |most: f32| share(lengths.iter().filter(|length| **length <= most).count());
    let at_least = |least: f32| share(lengths.iter().filter(|length| **length >= least).count());
    let spoken = parsed.words.iter().filter(|word| word.spoken).count();

    let quantity = |feature: Feature| match feature {
        Feature::Length => units,
        Feature::ShortSentences => at_most(usual.short),
        Feature::LongSentences => at_least(usual.long),
        Feature::ActionVerbs => cue(Cue::Action),
        Feature::TimeShifts => cue(Cue::TimeShift),
        Feature::SentenceLength => units / sentences,
        Feature::SentenceVariation => sentence_variation(&lengths, usual.variation),
        Feature::Exclamations => share(marks.exclamations),
        Feature::Questions => share(marks.questions),
        Feature::Ellipses => rate(marks.ellipses),
        Feature::Dashes => rate(marks.dashes),
        Feature::Commas => rate(marks.commas),
        Feature::Semicolons => rate(marks.semicolons),
        Feature::Adverbs => cue(Cue::Adverb),
        Feature::Adjectives => cue(Cue::Adjective),
        Feature::Hedges => cue(Cue::Hedge),
        Feature::Similes => cue(Cue::Simile),
        Feature::Sight => cue(Cue::Sight),
        Feature::Sound => cue(Cue::Sound),
        Feature::BodySense => cue(Cue::Body),
        Feature::ConjunctionOpenings => share(conjunction_openings(&parsed, &hits)),
        Feature::RepeatedOpenings => share(repeated_openings(&parsed, &hits, &tokens, language)),
        Feature::Negation => cue(Cue::Negation),
        Feature::PastTense => cue(Cue::Past).sqrt() - cue(Cue::Present).sqrt(),
        Feature::ParagraphLength => parsed.sentences.len() as f32 / parsed.paragraphs.max(1) as f32,
        Feature::ParagraphDensity => rate(parsed.paragraphs.saturating_sub(1)),
        Feature::DialogueShare => spoken as f32 / units.max(1.0),
        Feature::DialogueTurns => rate(parsed.turns),
        Feature::SpeechTags => cue(Cue::Speech),
        Feature::FirstPerson => cue(Cue::First),
        Feature::SecondPerson => cue(Cue::Second),
        Feature::ThirdPerson => cue(Cue::Third),
        Feature::Emotion => cue(Cue::Emotion),
        Feature::Thought => cue(Cue::Thought),
        Feature::LexicalVariety => lexical_variety(&tokens, usual.types),
        Feature::WordLength => match language {
            Language::Zh => cue(Cue::Four),
            Language::En => count_letters(&tokens) / units.max(1.0),
        },
        Feature::AbstractNouns => cue(Cue::Abstract),
        Feature::Archaic => cue(Cue::Archaic),
        Feature::Colloquial => cue(Cue::Colloquial),
        Feature::Intensifiers => cue(Cue::Intensifier),
        Feature::Cliches => cue(Cue::Cliche),
        Feature::NamesAndNumbers => cue(Cue::Name),
    };
    Features::new(Feature::ALL.map(|feature| feature.scale(language).apply(quantity(feature))))
}

/// Usual values of a language, for bounds and for texts too short to have a value of their own.
struct UsualValues {
    /// The most units of a short sentence.
    short: f32,
    /// The least units of a long sentence.
    long: f32,
    /// Coefficient of variation of sentence lengths.
    variation: f32,
    /// Decrease of [`usual_type_share`] per unit.
    types: f32,
}

impl UsualValues {
    /// The last two values are means over the prose that [`default_spread`](super::default_spread()) was measured on.
    const fn for_language(language: Language) -> Self {
        match language {
            Language::Zh => Self { short: 8.0, long: 40.0, variation: 0.6, types: 0.0041 },
            Language::En => Self { short: 6.0, long: 25.0, variation: 0.5, types: 0.0048 },
        }
    }
}

fn sentence_variation(lengths: &[f32], usual: f32) -> f32 {
    let n = lengths.len() as f32;
    if n < 2.0 {
        return usual;
    }
    let mean = lengths.iter().sum::<f32>() / n;
    let variance = lengths.iter().map(|length| (length - mean).powi(2)).sum::<f32>() / (n - 1.0);
    let corrected = variance.sqrt() / mean.max(1.0) * (1.0 + 0.25 / n);
    ((n - 1.0) * corrected + usual) / n
}

/// Tokens in a window of [`lexical_variety`].
const WINDOW_TOKENS: usize = 50;

/// The usual share of different tokens in a text of `n`, from a fit to prose.
fn usual_type_share(n: usize, growth: f32) -> f32 {
    1.0 / (1.0 + growth * n as f32)
}

fn lexical_variety(tokens: &[&str], growth: f32) -> f32 {
    let mut numbers: HashMap<&str, usize> = HashMap::with_capacity(tokens.len());
    let numbered: Vec<usize> = tokens
        .iter()
        .map(|token| {
            let next = numbers.len();
            *numbers.entry(token).or_insert(next)
        })
        .collect();
    let n = tokens.len();
    if n < WINDOW_TOKENS {
        let above = if n == 0 { 0.0 } else { numbers.len() as f32 / n as f32 - usual_type_share(n, growth) };
        return usual_type_share(WINDOW_TOKENS, growth) + above * n as f32 / WINDOW_TOKENS as f32;
    }
    let mut inside = vec![0_u32; numbers.len()];
    let mut different = 0_usize;
    let mut sum = 0_usize;
    for (at, &token) in numbered.iter().enumerate() {
        different += usize::from(inside[token] == 0);
        inside[token] += 1;
        if at >= WINDOW_TOKENS {
            let leaving = numbered[at - WINDOW_TOKENS];
            inside[leaving] -= 1;
            different -= usize::from(inside[leaving] == 0);
        }
        if at + 1 >= WINDOW_TOKENS {
            sum += different;
        }
    }
    sum as f32 / (n + 1 - WINDOW_TOKENS) as f32 / WINDOW_TOKENS as f32
}

fn count_letters(tokens: &[&str]) -> f32 {
    tokens.iter().map(|token| token.chars().filter(|c| c.is_alphanumeric()).count()).sum::<usize>() as f32
}

fn conjunction_openings(parsed: &ParsedText<'_>, hits: &[Hit]) -> usize {
    parsed.sentences.iter().filter(|sentence| hits[sentence.start].cues.has(Cue::Conjunction)).count()
}

fn repeated_openings(parsed: &ParsedText<'_>, hits: &[Hit], tokens: &[&str], language: Language) -> usize {
    let opening = |sentence: &std::ops::Range<usize>| match language {
        Language::En => [tokens[sentence.start], ""],
        // A word that is not in the dictionary is assumed to have two characters.
        Language::Zh if hits[sentence.start].words == 1 || sentence.len() == 1 => [tokens[sentence.start], ""],
        Language::Zh => [tokens[sentence.start], tokens[sentence.start + 1]],
    };
    parsed.sentences.windows(2).filter(|pair| opening(&pair[0]) == opening(&pair[1])).count()
}

/// The number of hits of each cue.
struct CueCounts([usize; Cue::COUNT]);

impl CueCounts {
    /// The most words between a verb of speech and the speech: `he said quietly,` / `老周低声说：`.
    const MAX_TAG_DISTANCE: usize = 5;

    fn new(parsed: &ParsedText<'_>, hits: &[Hit]) -> Self {
        let mut counts = [0; Cue::COUNT];
        let mut compared = false;
        for (at, hit) in hits.iter().enumerate() {
            for (cue, count) in Cue::ALL.iter().zip(&mut counts) {
                if hit.cues.has(*cue) {
                    *count += match cue {
                        Cue::Simile => usize::from(!std::mem::replace(&mut compared, true)),
                        Cue::Speech => usize::from(Self::is_near_speech(parsed, at, hit.words.max(1))),
                        _ => 1,
                    };
                }
            }
            if parsed.clause_ends(at) {
                compared = false;
            }
        }
        Self(counts)
    }

    fn is_near_speech(parsed: &ParsedText<'_>, at: usize, words: usize) -> bool {
        let this = parsed.words[at];
        let near =
            at.saturating_sub(Self::MAX_TAG_DISTANCE)..(at + words + Self::MAX_TAG_DISTANCE).min(parsed.words.len());
        !this.spoken && parsed.words[near].iter().any(|word| word.spoken && word.paragraph == this.paragraph)
    }
}

/// Punctuation by kind; a run of one kind counts once.
#[derive(Default)]
struct PunctuationCounts {
    exclamations: usize,
    questions: usize,
    ellipses: usize,
    dashes: usize,
    commas: usize,
    semicolons: usize,
}

impl PunctuationCounts {
    fn new(text: &str) -> Self {
        let mut marks = Self::default();
        let mut chars = text.chars().peekable();
        let mut before = ' ';
        while let Some(c) = chars.next() {
            let mut run = 1;
            while matches!(c, '!' | '！' | '?' | '？' | '.' | '。' | '…' | '—' | '―' | '-' | '－')
                && chars.peek() == Some(&c)
            {
                chars.next();
                run += 1;
            }
            let next = chars.peek().copied().unwrap_or(' ');
            let in_number = before.is_ascii_digit() && next.is_ascii_digit();
            match c {
                '!' | '！' => marks.exclamations += 1,
                '?' | '？' => marks.questions += 1,
                '…' => marks.ellipses += 1,
                // Two dots are a slip.
                '.' | '。' if run > 2 => marks.ellipses += 1,
                '—' | '―' => marks.dashes += 1,
                '-' | '－' if run > 1 || (before == ' ' && next == ' ') => marks.dashes += 1,
                '–' if !in_number => marks.dashes += 1,
                ',' | '，' | '、' if !in_number => marks.commas += 1,
                ';' | '；' | ':' | '：' if !in_number => marks.semicolons += 1,
                _ => {}
            }
            before = c;
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variety_is_the_mean_over_all_windows() {
        let same = vec!["a"; 80];
        assert!((lexical_variety(&same, 0.01) - 0.02).abs() < 1e-6);
        let names: Vec<String> = (0..80).map(|n| n.to_string()).collect();
        let different: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!((lexical_variety(&different, 0.01) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_hyphen_line_or_a_number_is_no_mark() {
        let marks = PunctuationCounts::new("At 3:15 well-known, 1,000 - no -- two — and – 3–4 ... it?! Oh!!! 1. a");
        assert_eq!((marks.exclamations, marks.questions, marks.ellipses), (2, 1, 1));
        assert_eq!((marks.dashes, marks.commas, marks.semicolons), (4, 1, 0));
    }

    #[test]
    fn two_dots_are_no_ellipsis_but_three_and_the_character_are() {
        for (text, ellipses) in [
            ("He waited.. and left..", 0),
            ("He waited... and left.....", 2),
            ("他等着。。走了。。", 0),
            ("他等着。。。走了……", 2),
            ("He waited… and left.", 1),
        ] {
            assert_eq!(PunctuationCounts::new(text).ellipses, ellipses, "{text}");
        }
    }
}
