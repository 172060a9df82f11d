//! Generated Chinese prose with the statistics that matter to an index: words of two characters with Zipf frequencies,
//! as in real text, and scenes.

use std::time::{SystemTime, UNIX_EPOCH};

use palimpsest_api::model::Time;
use palimpsest_text::random::SplitMix64;
use serde_json::{Value, json};

const WORDS: usize = 8_000;
const SCENES: [&str; 4] = ["dialogue", "action", "description", "narration"];
/// Characters of the text before an episode, and of the text written.
const INPUT: usize = 160;
const WRITTEN: usize = 120;

/// Generates episodes and queries, the same for the same seed.
#[derive(Clone)]
pub struct Corpus {
    words: Vec<String>,
    random: SplitMix64,
    /// Seconds back from now over which episodes are spread.
    spread: u64,
    now: u64,
}

impl Corpus {
    pub fn new(seed: u64, spread: u64) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let mut corpus = Self { words: Vec::new(), random: SplitMix64::new(seed), spread, now };
        let characters: Vec<char> = ('\u{4e00}'..'\u{9fa5}').step_by(11).collect();
        for _ in 0..WORDS {
            let (a, b) = (corpus.below(characters.len()), corpus.below(characters.len()));
            corpus.words.push([characters[a], characters[b]].iter().collect());
        }
        corpus
    }

    /// The creation time of this corpus, in milliseconds since 1970.
    pub fn now_millis(&self) -> i64 {
        i64::try_from(self.now * 1_000).unwrap_or(i64::MAX)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    /// A word; the probability of rank r is proportional to 1/r.
    pub fn word(&mut self) -> String {
        let share = (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = (WORDS as f64).powf(share) as usize - 1;
        self.words[rank.min(WORDS - 1)].clone()
    }

    /// Generated prose of this many characters.
    pub fn prose(&mut self, characters: usize) -> String {
        let mut text = String::new();
        for n in 0..characters / 2 {
            text.push_str(&self.word());
            if n % 9 == 8 {
                text.push('。');
            }
        }
        text
    }

    /// An episode in which the first of three candidates was taken.
    pub fn draft(&mut self, project: &str) -> Value {
        let candidates: Vec<String> = (0..3).map(|_| self.prose(WRITTEN)).collect();
        let input = self.prose(INPUT);
        let scene = SCENES[self.below(SCENES.len())];
        let at = self.now - 60 - self.random.next_u64() % self.spread;
        let occurred_at = Time::from_millis(i64::try_from(at * 1_000).unwrap_or(0));
        json!({ "projectId": project, "chapterId": "chapter", "skillUsed": "continue", "sceneType": scene,
            "inputContext": input, "candidates": candidates, "selectedIndex": 0, "finalText": candidates[0],
            "occurredAt": occurred_at })
    }

    /// A query of this many characters, for one scene.
    pub fn query(&mut self, project: &str, characters: usize) -> Value {
        let text = self.prose(characters);
        let scene = SCENES[self.below(SCENES.len())];
        json!({ "projectId": project, "queryText": text, "sceneType": scene, "skillUsed": "continue" })
    }

    /// A query without a matching active episode: without a scene, and in words that occur in no text.
    pub fn stray(&mut self, project: &str, characters: usize) -> Value {
        let text: String = (0..characters)
            .map(|_| char::from_u32(0x3400 + self.below(4_000) as u32))
            .map(|c| c.unwrap_or('㐀'))
            .collect();
        json!({ "projectId": project, "queryText": text })
    }
}
