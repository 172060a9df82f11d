//! The settings of answers: names as in the sections of the original's `config.toml`, defaults, ranges.
//!
//! Nothing here reads a file. [`crate::settings`] has the settings by name with their ranges, [`crate::config_file`]
//! parses the text of a file. Where the documents of the system and its code differ, the default is that of
//! the code, and a comment gives the other. A key that the original does not have is marked *ours*.

use crate::settings::SETTINGS;

/// All settings of answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Config {
    /// `[memory]`.
    pub memory: MemoryConfig,
    /// `[prompt_inject]`.
    pub prompt_inject: PromptInjectConfig,
    /// `[gatekeeper]`.
    pub gatekeeper: GatekeeperConfig,
    /// `[candidate_extract]`.
    pub candidate_extract: CandidateExtractConfig,
    /// `[control]`.
    pub control: ControlConfig,
    /// `[events_out]`.
    pub events_out: EventsOutConfig,
}

/// `[memory]`: the search for answers.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryConfig {
    /// Answers are searched, injected and kept. Default: true.
    pub enabled: bool,
    /// Maximum matches of a search, 1..=50. Default: 6.
    pub search_limit: usize,
    /// Minimum relevance of a match, 0..=1. Default: .20.
    pub min_score: f64,
}

/// `[prompt_inject]`: the form of answers in a prompt. The original's `placement` has no effect there, nor here.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptInjectConfig {
    /// Maximum answers in a prompt, 0..=10; the smaller of it and `max_inject` counts. Default: 10, so that
    /// `max_inject` alone decides (the original has 3 for both).
    pub max_items: usize,
    /// Maximum characters of an injected answer, 1..=100,000; the rest is cut off at a sentence. Default: 900.
    pub max_answer_chars: usize,
    /// Level, trust and freshness of each answer are in the prompt. Default: true.
    pub include_meta_line: bool,
}

/// `[gatekeeper]`: which answers are injected, and when a new one is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct GatekeeperConfig {
    /// Maximum answers that are injected, the one on probation included, 0..=10. Default: 3.
    pub max_inject: usize,
    /// Minimum validation level of a strong answer, 0..=3. Default: 2.
    pub min_level_inject: u8,
    /// Minimum validation level of the one answer that is injected where none is strong, 0..=3. Default: 1.
    pub min_level_fallback: u8,
    /// Minimum trust of an injected answer, 0..=1, compared in thousandths. Default: .40.
    pub min_trust_show: f64,
    /// Number of consecutive failures that blocks an answer, 0..=1,000; a partial result is half a failure; 0 blocks
    /// none. Default: 3.
    pub block_if_consecutive_fail_ge: u32,
    /// Sameness from which a question counts as answered already, 0..=1. Default: .85 (the lifecycle document: .90).
    pub skip_if_top1_score_ge: f64,
    /// Answers with a freshness below .001 are left out. Default: true.
    pub exclude_stale_by_default: bool,
    /// Statuses that are injected, compared exactly; 1..=100, each of 1..=64 bytes. Default: `active`, `verified`.
    pub active_statuses: Vec<String>,
    /// Minimum relevance of an injected answer, 0..=1. *Ours.* Default: .50.
    pub min_score_inject: f64,
    /// Number of answers on probation in a run, 0..=1. *Ours.* Default: 1.
    pub probation_slots: usize,
    /// Minimum relevance of an answer on probation, 0..=1. *Ours.* Default: .60.
    pub probation_min_score: f64,
}

/// `[candidate_extract]`: which answers of runs are kept as candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateExtractConfig {
    /// Maximum candidates of a run, 0..=10; 0 keeps none, and more than 1 has the effect of 1: a run has one answer.
    /// Default: 1 (a file of the original has 10).
    pub max_candidates: usize,
    /// Minimum characters of an answer, 1..=100,000. Default: 200.
    pub min_answer_chars: usize,
    /// Minimum characters of an answer with a verified citation, 1..=100,000. *Ours.* Default: 20.
    pub min_cited_answer_chars: usize,
    /// Maximum bytes of an answer, 1..=1,000,000; a longer one is not kept. *Ours.* Default: 100,000.
    pub max_answer_bytes: usize,
    /// Minimum confidence, 0..=1. The original's `confidence`, the documents' `min_confidence`. Default: .45.
    pub min_confidence: f64,
    /// Secrets are redacted where they do not prevent a candidate. Default: true.
    pub redact: bool,
    /// A secret in the question or in the answer prevents a candidate. Default: true (an example of the lifecycle
    /// document has false).
    pub strict_secret_block: bool,
}

/// `[control]`: the limits of a run of a program. A run under way goes on with those it began with; requests to a
/// text model have limits of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlConfig {
    /// Milliseconds between the request to stop and the forced end, 0..=60,000. Default: 2,000.
    pub abort_grace_ms: u64,
    /// Maximum milliseconds until the first line, 1,000..=600,000. *Ours.* Default: 30,000.
    pub max_first_line_ms: u64,
    /// Maximum milliseconds of silence, 1,000..=3,600,000. *Ours.* Default: 180,000.
    pub max_silence_ms: u64,
    /// Maximum milliseconds of silence while a tool runs, 1,000..=3,600,000. *Ours.* Default: 600,000.
    pub max_tool_silence_ms: u64,
    /// Maximum milliseconds of a run, 1,000..=86,400,000. *Ours.* Default: 900,000.
    pub max_run_ms: u64,
    /// Maximum milliseconds between a result and the end of the program, 0..=60,000. *Ours.* Default: 5,000.
    pub max_after_result_ms: u64,
    /// Maximum programs at once, 1..=8. *Ours.* Default: 2.
    pub max_concurrent_runs: usize,
}

/// `[events_out]`: the audit.
#[derive(Debug, Clone, PartialEq)]
pub struct EventsOutConfig {
    /// The audit is written. Default: false.
    pub enabled: bool,
    /// Maximum bytes of one file of the audit, 65,536..=1,073,741,824. *Ours.* Default: 8 MiB.
    pub max_file_bytes: u64,
    /// Maximum number of files of the audit, 1..=100. *Ours.* Default: 5.
    pub max_files: usize,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self { enabled: true, search_limit: 6, min_score: 0.20 }
    }
}

impl Default for PromptInjectConfig {
    fn default() -> Self {
        Self { max_items: 10, max_answer_chars: 900, include_meta_line: true }
    }
}

impl Default for GatekeeperConfig {
    fn default() -> Self {
        Self {
            max_inject: 3,
            min_level_inject: 2,
            min_level_fallback: 1,
            min_trust_show: 0.40,
            block_if_consecutive_fail_ge: 3,
            skip_if_top1_score_ge: 0.85,
            exclude_stale_by_default: true,
            active_statuses: vec!["active".to_owned(), "verified".to_owned()],
            min_score_inject: 0.50,
            probation_slots: 1,
            probation_min_score: 0.60,
        }
    }
}

impl Default for CandidateExtractConfig {
    fn default() -> Self {
        Self {
            max_candidates: 1,
            min_answer_chars: 200,
            min_cited_answer_chars: 20,
            max_answer_bytes: 100_000,
            min_confidence: 0.45,
            redact: true,
            strict_secret_block: true,
        }
    }
}

impl Default for ControlConfig {
    fn default() -> Self {
        Self {
            abort_grace_ms: 2_000,
            max_first_line_ms: 30_000,
            max_silence_ms: 180_000,
            max_tool_silence_ms: 600_000,
            max_run_ms: 900_000,
            max_after_result_ms: 5_000,
            max_concurrent_runs: 2,
        }
    }
}

impl ControlConfig {
    /// The value of a field; `None` for its default, so that a host can have other limits of its own.
    pub fn changed<T: PartialEq>(&self, field: fn(&Self) -> T) -> Option<T> {
        let value = field(self);
        (value != field(&Self::default())).then_some(value)
    }
}

impl Default for EventsOutConfig {
    fn default() -> Self {
        Self { enabled: false, max_file_bytes: 8 << 20, max_files: 5 }
    }
}

/// A setting out of its range.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigError {
    /// Section and key, such as `gatekeeper.max_inject`.
    pub field: &'static str,
    /// Smallest permitted value; of a list, its minimum length.
    pub min: f64,
    /// Largest permitted value; of a list, its maximum length.
    pub max: f64,
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} must be {} to {}", self.field, self.min, self.max)
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// The number of answers that a prompt may have: the smaller of `max_inject` and `max_items`.
    #[must_use]
    pub fn max_injected(&self) -> usize {
        self.gatekeeper.max_inject.min(self.prompt_inject.max_items)
    }

    /// The number of answers of another memory that a prompt may have, the one on probation included: half of
    /// [`Self::max_injected`], rounded down.
    #[must_use]
    pub fn max_remote(&self) -> usize {
        self.max_injected() / 2
    }

    /// Checks that every value is in its range. The first that is not, in the order of [`SETTINGS`], is the error; a
    /// number that is not finite is out of every range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        SETTINGS.iter().try_for_each(|setting| match setting.check(setting.value(self)) {
            Ok(_) => Ok(()),
            Err(_) => {
                let (min, max) = setting.range.limits();
                Err(ConfigError { field: setting.name, min, max })
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_in_their_ranges() {
        assert_eq!(Config::default().validate(), Ok(()));
        assert_eq!(Config::default().max_injected(), 3);
    }

    #[test]
    fn a_value_out_of_its_range_is_named() {
        let mut config = Config::default();
        config.gatekeeper.min_trust_show = f64::NAN;
        let error = config.validate().unwrap_err();
        assert_eq!(error.to_string(), "gatekeeper.min_trust_show must be 0 to 1");
        config.gatekeeper.min_trust_show = 1.0;
        config.gatekeeper.active_statuses.clear();
        assert_eq!(config.validate().unwrap_err().field, "gatekeeper.active_statuses");
    }

    #[test]
    fn the_smaller_of_two_limits_of_injected_answers_counts() {
        let mut config = Config::default();
        config.prompt_inject.max_items = 2;
        assert_eq!(config.max_injected(), 2);
    }
}
