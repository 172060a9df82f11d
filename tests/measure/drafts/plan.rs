//! The plan of a measurement: pairs of a passage and a skill, the rules, and the episodes. The same for the same seed.

use std::path::Path;

use palimpsest_memory::{model, semantic::wording::rule_sentence};
use palimpsest_text::{
    Language, count,
    random::SplitMix64,
    style::{self, Feature},
};

use crate::prose;

/// The books of the data set.
const BOOKS: [(Language, &[&str]); 2] = [
    (Language::Zh, &["zh-luxun-呐喊", "zh-luxun-彷徨", "zh-luxun-故事新编"]),
    (Language::En, &["en-austen-persuasion", "en-chesterton-brown"]),
];
/// The skills of the program that write.
pub const SKILLS: [&str; 5] = ["continue", "polish", "rewrite", "expand", "condense"];
/// Maximum words or Han characters of a passage that is worked on: of a longer one, a draft of a small model takes
/// minutes.
const MAX_PASSAGE_WORDS: u32 = 150;
/// Number of episodes of a book with memory.
const EPISODES: usize = 12;
/// The features of the rules with their direction in the first set of rules; the second set has the opposite ones.
/// What a model does by habit follows one of the sets and not the other.
const RULES: [(Feature, i32); 3] =
    [(Feature::SentenceLength, -1), (Feature::DialogueShare, 1), (Feature::Adjectives, -1)];

/// A measurable rule.
pub struct Rule {
    pub feature: Feature,
    /// +1 for more of the feature, -1 for less.
    pub direction: i32,
    pub sentence: String,
}

/// A set of rules, and texts that keep them.
pub struct Memory {
    pub rules: Vec<Rule>,
    /// The text before and the text that the writer took, of each episode.
    pub episodes: Vec<(String, String)>,
}

/// A passage and a skill.
pub struct Pair {
    pub skill: &'static str,
    pub before: String,
    /// Empty for a continuation.
    pub selection: String,
    /// The index of the set of rules.
    pub set: usize,
    pub seed: u32,
}

impl Pair {
    /// The length that the prompt asks for, in words or Han characters.
    pub fn asked_words(&self, language: Language) -> u32 {
        let scene = palimpsest_memory::guess_scene(&self.before, Some(&self.selection));
        palimpsest_memory::asked_words(in_memory(language), self.skill, &self.selection, scene, None)
    }
}

/// Whether a draft has between half and double of the length that was asked for.
pub fn is_of_asked_length(words: u32, asked: u32) -> bool {
    words * 2 >= asked && words <= asked * 2
}

/// Everything for one language.
pub struct Plan {
    pub language: Language,
    pub pairs: Vec<Pair>,
    pub memories: Vec<Memory>,
    /// The values of each rule's feature in all passages of the books, by the position of the rule in a set.
    references: Vec<Vec<f64>>,
}

impl Plan {
    /// Reads the books of a language, and draws at most `runs` pairs.
    pub fn read(data: &Path, language: Language, runs: usize, seed: u64) -> Result<Self, String> {
        let (mut earlier, mut later) = (Vec::new(), Vec::new());
        for name in BOOKS.iter().filter(|(of, _)| *of == language).flat_map(|(_, names)| *names) {
            let passages = prose::read(&data.join("text").join(format!("{name}.txt.gz")), language)?;
            let half = passages.len() / 2;
            for (at, two) in passages.windows(2).enumerate().filter(|(_, two)| two.iter().all(|one| is_prose(one))) {
                let two = (as_paragraphs(&two[0]), as_paragraphs(&two[1]));
                if at + 1 < half {
                    earlier.push(two);
                } else if at >= half && count::words(&two.1) <= MAX_PASSAGE_WORDS {
                    later.push(two);
                }
            }
        }
        if earlier.len() < EPISODES || later.is_empty() {
            return Err("the folder text has too few passages".into());
        }
        let references = RULES
            .iter()
            .map(|(feature, _)| {
                let both = earlier.iter().chain(&later);
                both.map(|(_, passage)| feature_value(passage, language, *feature)).collect()
            })
            .collect();
        let memories = [1, -1].map(|sign| memory_of(&earlier, language, sign)).into();
        let mut random = SplitMix64::new(seed);
        random.shuffle(&mut later);
        let pairs = later.into_iter().take(runs).enumerate().map(|(n, (before, passage))| {
            let skill = SKILLS[n % SKILLS.len()];
            let (before, selection) = match skill {
                "continue" => (format!("{before}\n\n{passage}"), String::new()),
                _ => (format!("{before}\n\n"), passage),
            };
            let set = n / SKILLS.len() % 2;
            Pair { skill, before, selection, set, seed: (random.next_u64() >> 33) as u32 }
        });
        Ok(Self { language, pairs: pairs.collect(), memories, references })
    }

    /// Whether a text follows each rule of a set: more than half of the passages of the books have less of the rule's
    /// feature in its direction. Equal ones count one half, as in the estimate of influence.
    pub fn followed_rules(&self, text: &str, set: usize) -> Vec<bool> {
        let rules = self.memories[set].rules.iter().zip(&self.references);
        rules
            .map(|(rule, reference)| {
                let along = |value: f64| value * f64::from(rule.direction);
                let others: Vec<f64> = reference.iter().map(|value| along(*value)).collect();
                let value = along(feature_value(text, self.language, rule.feature));
                palimpsest_memory::provenance::compliance::percentile(value, &others).is_some_and(|place| place > 0.5)
            })
            .collect()
    }
}

fn feature_value(text: &str, language: Language, feature: Feature) -> f64 {
    f64::from(style::measure_as(text, language).get(feature))
}

/// The rules of a set, and the passages that keep them best.
fn memory_of(passages: &[(String, String)], language: Language, sign: i32) -> Memory {
    let words_in = in_memory(language);
    let rules: Vec<Rule> = RULES
        .iter()
        .map(|(feature, direction)| Rule {
            feature: *feature,
            direction: direction * sign,
            sentence: rule_sentence(words_in, *feature, direction * sign, None, None, None),
        })
        .collect();
    let spread = style::default_spread(language);
    let fit = |text: &str| -> f64 {
        let part = |rule: &Rule| {
            let deviations = feature_value(text, language, rule.feature) / f64::from(spread.get(rule.feature));
            deviations * f64::from(rule.direction)
        };
        rules.iter().map(part).sum()
    };
    let mut fits: Vec<(f64, usize)> = passages.iter().enumerate().map(|(at, (_, text))| (fit(text), at)).collect();
    fits.sort_by(|one, other| other.0.total_cmp(&one.0));
    Memory { rules, episodes: fits.iter().take(EPISODES).map(|(_, at)| passages[*at].clone()).collect() }
}

fn in_memory(language: Language) -> model::Language {
    match language {
        Language::Zh => model::Language::Zh,
        Language::En => model::Language::En,
    }
}

/// Whether a passage is prose, and no note of an editor.
fn is_prose(passage: &str) -> bool {
    !passage.contains(['〔', '[', '*', '#', '_'])
}

/// A passage with an empty line between its paragraphs, as in a manuscript.
fn as_paragraphs(passage: &str) -> String {
    passage.replace('\n', "\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_within_half_and_double_of_what_the_skill_asks_for() {
        let pair =
            |skill| Pair { skill, before: String::new(), selection: "one two three four".into(), set: 0, seed: 0 };
        let asked = |skill| pair(skill).asked_words(Language::En);
        assert_eq!(SKILLS.map(asked), [120, 4, 4, 8, 2]);
        assert_eq!(pair("continue").asked_words(Language::Zh), 150);
        for (words, should) in [(59, false), (60, true), (240, true), (241, false), (0, false)] {
            assert_eq!(is_of_asked_length(words, 120), should, "{words}");
        }
    }

    #[test]
    fn a_rule_is_followed_by_more_of_its_feature_than_half_of_the_passages_have() {
        let passages: Vec<(String, String)> = (1..=12)
            .map(|n| (String::new(), format!("{}rain fell. The door stood open.", "and the rain fell, ".repeat(n))))
            .collect();
        let reference = |feature: Feature| {
            passages.iter().map(|(_, text)| feature_value(text, Language::En, feature)).collect::<Vec<_>>()
        };
        let plan = Plan {
            language: Language::En,
            pairs: Vec::new(),
            memories: [1, -1].map(|sign| memory_of(&passages, Language::En, sign)).into(),
            references: RULES.iter().map(|(feature, _)| reference(*feature)).collect(),
        };
        let short = "Rain fell. He ran. The door stood open.";
        assert!(plan.followed_rules(short, 0)[0] && !plan.followed_rules(short, 1)[0]);
        // No passage has speech, and the draft has none: it follows neither more nor less.
        assert!(!plan.followed_rules(short, 0)[1] && !plan.followed_rules(short, 1)[1]);
        let spoken = "“Come in,” he said. “Come in.”";
        assert!(plan.followed_rules(spoken, 0)[1] && !plan.followed_rules(spoken, 1)[1]);
    }
}
