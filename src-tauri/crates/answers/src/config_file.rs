//! The text of a `config.toml`: the values that it sets, and everything in it that is not taken.
//!
//! ```text
//! a syntax error                                   nothing is taken: half a file may have half a value
//! an unknown key of a known section                 a problem
//! a value of a wrong type or out of range          a problem
//! an `api_key` that is not empty, anywhere         a problem: keys are in the keychain
//! a key of the original without effect here        ignored, and named
//! another section, or a key outside of sections    ignored, and named
//! ```
//!
//! A problem concerns its key alone. The text of a value is in no problem, and a key that does not look like one is
//! not repeated: it may be a secret that was pasted into the wrong place.

use std::collections::BTreeMap;

use palimpsest_text::secrets::contains_secret;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    config::Config,
    settings::{Setting, SettingError, SettingValue},
};

/// Maximum bytes of a file.
pub const MAX_FILE_BYTES: u64 = 64 * 1024;
/// Maximum bytes of a name that is repeated.
const MAX_NAME_BYTES: usize = 64;
/// Maximum depth of the tables that are searched for keys of services.
const MAX_DEPTH: usize = 32;

/// The sections whose keys are read.
const SECTIONS: &[&str] = &["memory", "prompt_inject", "gatekeeper", "candidate_extract", "events_out", "control"];

/// Keys of the original that have no effect here.
const WITHOUT_EFFECT: &[&str] = &[
    "memory.provider",
    "memory.base_url",
    "memory.timeout_ms",
    "memory.db_path",
    "memory.embedding",
    "memory.sync",
    "memory.local",
    "memory.remote",
    "memory.sync_strategy",
    "prompt_inject.placement",
    "gatekeeper.provider",
    "gatekeeper.digest_head_chars",
    "gatekeeper.digest_tail_chars",
    "candidate_extract.max_answer_chars",
    "candidate_extract.context_lines",
    "candidate_extract.tool_steps_max",
    "candidate_extract.tool_step_args_keys_max",
    "candidate_extract.tool_step_value_max_chars",
    "events_out.path",
    "events_out.channel_capacity",
    "events_out.drop_when_full",
    "control.fail_mode",
    "control.decision_timeout_ms",
    "control.line_tap_channel_capacity",
    "control.control_channel_capacity",
    "control.control_writer_error_capacity",
    "control.tick_interval_ms",
];

/// Names of settings in the documents of the original, each with the name of its setting here.
const ALIASES: &[(&str, &str)] = &[("candidate_extract.min_confidence", "candidate_extract.confidence")];

/// The reason why a key is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemKind {
    /// The text is no TOML.
    Syntax,
    /// The section has no such key.
    UnknownKey,
    /// The value is of another type.
    WrongType,
    /// The value is out of the range of the setting.
    OutOfRange,
    /// A key of a service; it belongs into the keychain.
    ServiceKey,
}

/// A part of the text that is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Section and key; `None` for the whole text, and for a name that is not repeated.
    pub key: Option<String>,
    /// Line, from 1.
    pub line: u32,
    /// The reason.
    pub kind: ProblemKind,
}

/// The values of a file, and what is not taken of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConfigFile {
    /// Each value with the name of its setting; all are of the type and in the range of it.
    pub values: BTreeMap<&'static str, SettingValue>,
    /// The problems, in the order of their lines.
    pub problems: Vec<Problem>,
    /// Names of sections, and of keys as `SECTION.KEY`, that have no effect, sorted.
    pub ignored: Vec<String>,
}

impl ConfigFile {
    /// Parses the text of a file. Any text has a result.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut file = Self::default();
        let line_at = |at: usize| line_of(text, at);
        let root = match DeTable::parse(text) {
            Ok(root) => root,
            Err(error) => {
                let line = line_at(error.span().map_or(text.len(), |span| span.start));
                file.problems.push(Problem { key: None, line, kind: ProblemKind::Syntax });
                return file;
            }
        };
        for (name, value) in root.get_ref() {
            let section = name.get_ref().as_ref();
            match value.get_ref() {
                DeValue::Table(table) if SECTIONS.contains(&section) => {
                    for (key, value) in table {
                        let name = format!("{section}.{}", key.get_ref());
                        file.take(&name, line_at(key.span().start), value);
                    }
                }
                _ if SECTIONS.contains(&section) => {
                    let line = line_at(name.span().start);
                    file.problems.push(Problem { key: shown(section), line, kind: ProblemKind::WrongType });
                }
                _ => file.ignored.extend(shown(section)),
            }
        }
        file.find_service_keys(root.get_ref(), "", 0, &line_at);
        file.problems.sort_by(|a, b| (a.line, a.kind, &a.key).cmp(&(b.line, b.kind, &b.key)));
        file.problems.dedup();
        file.ignored.sort();
        file.ignored.dedup();
        file
    }

    /// Sets the values of the file in a configuration.
    pub fn apply(&self, config: &mut Config) {
        for (name, value) in &self.values {
            // The values were checked when they were read.
            Setting::named(name).and_then(|setting| setting.set(config, value.clone()).ok());
        }
    }

    /// Takes a key of a known section, or notes why not.
    fn take(&mut self, name: &str, line: u32, value: &Spanned<DeValue<'_>>) {
        let canonical = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, setting)| setting);
        let mut refuse = |kind| self.problems.push(Problem { key: shown(name), line, kind });
        if name == "memory.api_key" {
            if !matches!(value.get_ref(), DeValue::String(_)) {
                refuse(ProblemKind::WrongType);
            }
            // `find_service_keys` refuses one that is not empty.
            return;
        }
        let Some(setting) = Setting::named(canonical) else {
            if WITHOUT_EFFECT.contains(&name) {
                self.ignored.push(name.to_owned());
            } else {
                refuse(ProblemKind::UnknownKey);
            }
            return;
        };
        match read_value(value.get_ref()).and_then(|value| setting.check(value)) {
            // The name of the setting takes precedence over that of the documents.
            Ok(value) if canonical == name => {
                self.values.insert(setting.name, value);
            }
            Ok(value) => {
                self.values.entry(setting.name).or_insert(value);
            }
            Err(SettingError::WrongType) => refuse(ProblemKind::WrongType),
            Err(SettingError::OutOfRange) => refuse(ProblemKind::OutOfRange),
        }
    }

    /// Notes each `api_key` that is not empty, in any table.
    fn find_service_keys(&mut self, table: &DeTable<'_>, path: &str, depth: usize, line_at: &dyn Fn(usize) -> u32) {
        for (key, value) in table {
            let name = if path.is_empty() { key.get_ref().to_string() } else { format!("{path}.{}", key.get_ref()) };
            match value.get_ref() {
                DeValue::String(text) if key.get_ref() == "api_key" && !text.trim().is_empty() => {
                    let line = line_at(key.span().start);
                    self.problems.push(Problem { key: shown(&name), line, kind: ProblemKind::ServiceKey });
                }
                DeValue::Table(inner) if depth < MAX_DEPTH => {
                    self.find_service_keys(inner, &name, depth + 1, line_at);
                }
                DeValue::Array(values) if depth < MAX_DEPTH => {
                    for inner in values.iter().filter_map(|value| value.get_ref().as_table()) {
                        self.find_service_keys(inner, &name, depth + 1, line_at);
                    }
                }
                _ => {}
            }
        }
    }
}

/// A value as a setting has it.
fn read_value(value: &DeValue<'_>) -> Result<SettingValue, SettingError> {
    match value {
        DeValue::Boolean(value) => Ok(SettingValue::Switch(*value)),
        DeValue::Integer(number) => {
            let number = i128::from_str_radix(number.as_str(), number.radix()).map_err(|_| SettingError::OutOfRange)?;
            u64::try_from(number).map(SettingValue::Whole).map_err(|_| SettingError::OutOfRange)
        }
        DeValue::Float(number) => {
            number.as_str().parse().map(SettingValue::Share).map_err(|_| SettingError::OutOfRange)
        }
        DeValue::Array(values) => {
            let texts = values.iter().map(|value| value.get_ref().as_str().map(ToOwned::to_owned));
            texts.collect::<Option<_>>().map(SettingValue::Texts).ok_or(SettingError::WrongType)
        }
        DeValue::String(_) | DeValue::Datetime(_) | DeValue::Table(_) => Err(SettingError::WrongType),
    }
}

/// The line of a byte offset, from 1.
fn line_of(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    u32::try_from(before.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(u32::MAX).saturating_add(1)
}

/// A name that may be repeated: short, of letters, digits, `_`, `-` and `.`, and no secret.
fn shown(name: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_shown = name.len() <= MAX_NAME_BYTES && name.bytes().all(is_plain) && !name.split('.').any(contains_secret);
    is_shown.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<(Option<String>, u32, ProblemKind)> {
        ConfigFile::parse(text).problems.into_iter().map(|one| (one.key, one.line, one.kind)).collect()
    }

    #[test]
    fn the_file_of_the_original_is_taken_unchanged_and_what_has_no_effect_is_named() {
        let file = ConfigFile::parse(include_str!("../tests/fixtures/memex-config.toml"));
        assert_eq!(file.problems, []);
        let mut config = Config::default();
        file.apply(&mut config);
        let mut expected = Config::default();
        expected.gatekeeper.max_inject = 10;
        expected.prompt_inject.max_answer_chars = 1_000;
        expected.candidate_extract.max_candidates = 10;
        expected.candidate_extract.min_answer_chars = 100;
        expected.control.abort_grace_ms = 5_000;
        expected.events_out.enabled = true;
        assert_eq!(config, expected);
        assert!(
            ["policy", "tui", "gatekeeper.provider", "events_out.path"]
                .iter()
                .all(|name| { file.ignored.iter().any(|ignored| ignored == name) })
        );
        assert!(!file.ignored.iter().any(|name| name.contains("api_key")));
    }

    #[test]
    fn each_mistake_is_named_with_its_line_and_the_other_values_are_taken() {
        let text = "[gatekeeper]\nmax_inject = 11\nmax_injct = 2\nmin_trust_show = \"much\"\nmin_level_inject = 1\n\
                    probation_slots = -1\nmin_score_inject = nan\nactive_statuses = [1]\n[memory]\napi_key = \"abc\"\n";
        let key = |name: &str| Some(format!("gatekeeper.{name}"));
        let found = problems(text);
        assert_eq!(
            found,
            [
                (key("max_inject"), 2, ProblemKind::OutOfRange),
                (key("max_injct"), 3, ProblemKind::UnknownKey),
                (key("min_trust_show"), 4, ProblemKind::WrongType),
                (key("probation_slots"), 6, ProblemKind::OutOfRange),
                (key("min_score_inject"), 7, ProblemKind::OutOfRange),
                (key("active_statuses"), 8, ProblemKind::WrongType),
                (Some("memory.api_key".to_owned()), 10, ProblemKind::ServiceKey),
            ]
        );
        let values = ConfigFile::parse(text).values;
        assert_eq!(values, BTreeMap::from([("gatekeeper.min_level_inject", SettingValue::Whole(1))]));
    }

    #[test]
    fn of_a_half_written_file_nothing_is_taken() {
        for text in ["[gatekeeper]\nmax_inject = 1\n[mem", "[gatekeeper]\nmax_inject = ", "a = 1\na = 2", "\u{0}"] {
            let file = ConfigFile::parse(text);
            assert!(file.values.is_empty(), "{text:?}");
            assert_eq!(file.problems[0].kind, ProblemKind::Syntax, "{text:?}");
        }
        assert_eq!(problems("[gatekeeper]\nmax_inject = 1\n[mem")[0].1, 3);
    }

    #[test]
    fn a_secret_in_the_place_of_a_name_is_not_repeated() {
        let secret = format!("sk-{}", "a1B2".repeat(12));
        let found = ConfigFile::parse(&format!("{secret} = 1\n[memory]\n{secret} = 2\n\"two words\" = 3\n"));
        assert_eq!(found.problems.iter().map(|one| (&one.key, one.line)).collect::<Vec<_>>(), [(&None, 3), (&None, 4)]);
        assert!(!format!("{found:?}").contains("sk-"));
    }

    #[test]
    fn the_key_of_a_service_is_refused_in_any_table() {
        let found =
            problems("[memory]\napi_key = \" \"\n[memory.embedding.openai]\napi_key = \"x\"\n[[other]]\napi_key = 'y'");
        let name = |name: &str| Some(name.to_owned());
        assert_eq!(
            found,
            [
                (name("memory.embedding.openai.api_key"), 4, ProblemKind::ServiceKey),
                (name("other.api_key"), 6, ProblemKind::ServiceKey),
            ]
        );
    }

    #[test]
    fn the_name_of_the_documents_sets_the_same_as_that_of_the_original_which_goes_first() {
        let confidence = |text: &str| ConfigFile::parse(text).values["candidate_extract.confidence"].clone();
        assert_eq!(confidence("[candidate_extract]\nmin_confidence = 0.3"), SettingValue::Share(0.3));
        let both = "[candidate_extract]\nmin_confidence = 0.3\nconfidence = 0.6";
        assert_eq!(confidence(both), SettingValue::Share(0.6));
    }
}
