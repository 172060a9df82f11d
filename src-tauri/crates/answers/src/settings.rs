//! The settings of answers by name, `SECTION.KEY` as in `config.toml`: range, reading and writing of each.

use crate::config::Config;

/// Maximum number of texts of a list.
const MAX_TEXTS: usize = 100;
/// Maximum bytes of a text of a list.
const MAX_TEXT_BYTES: usize = 64;

/// A switch, a number or texts, as a file or a request gives them.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingValue {
    /// On or off.
    Switch(bool),
    /// A whole number.
    Whole(u64),
    /// A number, 0..=1.
    Share(f64),
    /// A list of texts.
    Texts(Vec<String>),
}

/// The permitted values of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SettingRange {
    /// On or off.
    Switch,
    /// A whole number, both limits included.
    Whole {
        /// The smallest.
        min: u64,
        /// The largest.
        max: u64,
    },
    /// A number, 0..=1.
    Share,
    /// 1..=100 texts of 1..=64 bytes each.
    Texts,
}

impl SettingRange {
    /// The smallest and the largest value; of a list, of its length; 0 and 1 for a switch.
    #[must_use]
    pub const fn limits(self) -> (f64, f64) {
        match self {
            Self::Whole { min, max } => (min as f64, max as f64),
            Self::Switch | Self::Share => (0.0, 1.0),
            Self::Texts => (1.0, MAX_TEXTS as f64),
        }
    }
}

/// The reason why a value is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingError {
    /// It is of another type.
    WrongType,
    /// It is out of the range of the setting.
    OutOfRange,
}

/// A field of [`Config`] that has a name and a range.
pub struct Setting {
    /// Section and key, such as `gatekeeper.max_inject`.
    pub name: &'static str,
    /// Its permitted values.
    pub range: SettingRange,
    read: fn(&Config) -> SettingValue,
    write: fn(&mut Config, &SettingValue),
}

impl Setting {
    /// The setting with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// Its value in a configuration.
    #[must_use]
    pub fn value(&self, config: &Config) -> SettingValue {
        (self.read)(config)
    }

    /// A value that the setting can have: the given one, or the same number as a share.
    ///
    /// # Errors
    /// For a value of another type or out of range.
    pub fn check(&self, value: SettingValue) -> Result<SettingValue, SettingError> {
        let value = match (self.range, value) {
            (SettingRange::Share, SettingValue::Whole(number)) => SettingValue::Share(number as f64),
            (_, value) => value,
        };
        let is_within = match (self.range, &value) {
            (SettingRange::Switch, SettingValue::Switch(_)) => true,
            (SettingRange::Whole { min, max }, SettingValue::Whole(number)) => (min..=max).contains(number),
            (SettingRange::Share, SettingValue::Share(number)) => (0.0..=1.0).contains(number),
            (SettingRange::Texts, SettingValue::Texts(texts)) => {
                (1..=MAX_TEXTS).contains(&texts.len())
                    && texts.iter().all(|text| (1..=MAX_TEXT_BYTES).contains(&text.len()))
            }
            _ => return Err(SettingError::WrongType),
        };
        if is_within { Ok(value) } else { Err(SettingError::OutOfRange) }
    }

    /// Sets the value in a configuration.
    ///
    /// # Errors
    /// As [`Setting::check`]; the configuration is as it was then.
    pub fn set(&self, config: &mut Config, value: SettingValue) -> Result<(), SettingError> {
        let value = self.check(value)?;
        (self.write)(config, &value);
        Ok(())
    }
}

/// Reads and writes one field. A checked value fits into it; one of another type leaves it as it is.
macro_rules! setting {
    ($name:literal, switch, $($field:ident).+) => {
        setting!(@of $name, SettingRange::Switch,
            |config| SettingValue::Switch(config.$($field).+),
            |config, value| if let SettingValue::Switch(value) = value { config.$($field).+ = *value })
    };
    ($name:literal, whole $min:literal..=$max:literal, $($field:ident).+) => {
        setting!(@of $name, SettingRange::Whole { min: $min, max: $max },
            |config| SettingValue::Whole(config.$($field).+ as u64),
            |config, value| if let SettingValue::Whole(value) = value
                && let Ok(value) = (*value).try_into() { config.$($field).+ = value })
    };
    ($name:literal, share, $($field:ident).+) => {
        setting!(@of $name, SettingRange::Share,
            |config| SettingValue::Share(config.$($field).+),
            |config, value| if let SettingValue::Share(value) = value { config.$($field).+ = *value })
    };
    ($name:literal, texts, $($field:ident).+) => {
        setting!(@of $name, SettingRange::Texts,
            |config| SettingValue::Texts(config.$($field).+.clone()),
            |config, value| if let SettingValue::Texts(value) = value { config.$($field).+.clone_from(value) })
    };
    (@of $name:literal, $range:expr, $read:expr, $write:expr) => {
        Setting { name: $name, range: $range, read: $read, write: $write }
    };
}

/// All settings, in the order of the sections.
pub static SETTINGS: &[Setting] = &[
    setting!("memory.enabled", switch, memory.enabled),
    setting!("memory.search_limit", whole 1..=50, memory.search_limit),
    setting!("memory.min_score", share, memory.min_score),
    setting!("prompt_inject.max_items", whole 0..=10, prompt_inject.max_items),
    setting!("prompt_inject.max_answer_chars", whole 1..=100_000, prompt_inject.max_answer_chars),
    setting!("prompt_inject.include_meta_line", switch, prompt_inject.include_meta_line),
    setting!("gatekeeper.max_inject", whole 0..=10, gatekeeper.max_inject),
    setting!("gatekeeper.min_level_inject", whole 0..=3, gatekeeper.min_level_inject),
    setting!("gatekeeper.min_level_fallback", whole 0..=3, gatekeeper.min_level_fallback),
    setting!("gatekeeper.min_trust_show", share, gatekeeper.min_trust_show),
    setting!(
        "gatekeeper.block_if_consecutive_fail_ge",
        whole 0..=1_000,
        gatekeeper.block_if_consecutive_fail_ge
    ),
    setting!("gatekeeper.skip_if_top1_score_ge", share, gatekeeper.skip_if_top1_score_ge),
    setting!("gatekeeper.exclude_stale_by_default", switch, gatekeeper.exclude_stale_by_default),
    setting!("gatekeeper.active_statuses", texts, gatekeeper.active_statuses),
    setting!("gatekeeper.min_score_inject", share, gatekeeper.min_score_inject),
    setting!("gatekeeper.probation_slots", whole 0..=1, gatekeeper.probation_slots),
    setting!("gatekeeper.probation_min_score", share, gatekeeper.probation_min_score),
    setting!("candidate_extract.max_candidates", whole 0..=10, candidate_extract.max_candidates),
    setting!("candidate_extract.min_answer_chars", whole 1..=100_000, candidate_extract.min_answer_chars),
    setting!("candidate_extract.min_cited_answer_chars", whole 1..=100_000, candidate_extract.min_cited_answer_chars),
    setting!("candidate_extract.max_answer_bytes", whole 1..=1_000_000, candidate_extract.max_answer_bytes),
    setting!("candidate_extract.confidence", share, candidate_extract.min_confidence),
    setting!("candidate_extract.redact", switch, candidate_extract.redact),
    setting!("candidate_extract.strict_secret_block", switch, candidate_extract.strict_secret_block),
    setting!("control.abort_grace_ms", whole 0..=60_000, control.abort_grace_ms),
    setting!("control.max_first_line_ms", whole 1_000..=600_000, control.max_first_line_ms),
    setting!("control.max_silence_ms", whole 1_000..=3_600_000, control.max_silence_ms),
    setting!("control.max_tool_silence_ms", whole 1_000..=3_600_000, control.max_tool_silence_ms),
    setting!("control.max_run_ms", whole 1_000..=86_400_000, control.max_run_ms),
    setting!("control.max_after_result_ms", whole 0..=60_000, control.max_after_result_ms),
    setting!("control.max_concurrent_runs", whole 1..=8, control.max_concurrent_runs),
    setting!("events_out.enabled", switch, events_out.enabled),
    setting!("events_out.max_file_bytes", whole 65_536..=1_073_741_824, events_out.max_file_bytes),
    setting!("events_out.max_files", whole 1..=100, events_out.max_files),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_has_a_name_of_its_own_and_reads_what_was_set() {
        for (number, setting) in SETTINGS.iter().enumerate() {
            assert!(std::ptr::eq(Setting::named(setting.name).unwrap(), setting), "{} is twice", setting.name);
            let mut config = Config::default();
            let other = match setting.value(&config) {
                SettingValue::Switch(value) => SettingValue::Switch(!value),
                SettingValue::Whole(value) => {
                    let max = setting.range.limits().1 as u64;
                    SettingValue::Whole(if value == max { value - 1 } else { max })
                }
                SettingValue::Share(_) => SettingValue::Share(0.125),
                SettingValue::Texts(_) => SettingValue::Texts(vec!["other".to_owned()]),
            };
            setting.set(&mut config, other.clone()).unwrap();
            assert_eq!(setting.value(&config), other, "{}", setting.name);
            // No other setting has changed.
            let default = Config::default();
            let changed = SETTINGS.iter().enumerate().filter(|(_, one)| one.value(&config) != one.value(&default));
            assert_eq!(changed.map(|(at, _)| at).collect::<Vec<_>>(), [number]);
        }
    }

    #[test]
    fn a_value_of_another_type_or_out_of_range_changes_nothing() {
        let mut config = Config::default();
        let trust = Setting::named("gatekeeper.min_trust_show").unwrap();
        for number in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
            assert_eq!(trust.set(&mut config, SettingValue::Share(number)), Err(SettingError::OutOfRange));
        }
        assert_eq!(trust.set(&mut config, SettingValue::Switch(true)), Err(SettingError::WrongType));
        assert_eq!(trust.set(&mut config, SettingValue::Whole(2)), Err(SettingError::OutOfRange));
        assert_eq!(config, Config::default());
        trust.set(&mut config, SettingValue::Whole(1)).unwrap();
        assert!((config.gatekeeper.min_trust_show - 1.0).abs() < f64::EPSILON);
        let statuses = Setting::named("gatekeeper.active_statuses").unwrap();
        for texts in [vec![], vec![String::new()], vec!["x".repeat(65)], vec!["x".to_owned(); 101]] {
            assert_eq!(statuses.set(&mut config, SettingValue::Texts(texts)), Err(SettingError::OutOfRange));
        }
    }
}
