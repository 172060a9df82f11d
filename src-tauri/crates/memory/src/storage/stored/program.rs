//! Stored structs of the program itself: settings, daily limits, and the counts in the audit logs.
//!
//! A missing field has its default.

use serde::{Deserialize, Serialize};

use super::InColumn;
use crate::model::{
    ClearedCounts, ConfigValue, DailyLimits, InterfaceLanguage, ProjectId, Settings, Theme, WordCounts,
};

stored! {
    /// `value` of `settings`, under the key `program`.
    SettingsV1 of Settings {
        #[serde(default)]
        interface_language in InterfaceLanguage,
        #[serde(default)]
        theme in Theme,
        #[serde(default)]
        last_project_id: Option<ProjectId>,
        #[serde(default = "top_k")]
        journal_top_k: u32,
        #[serde(default = "cognition_rounds")]
        journal_cognition_rounds: u32,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        readable_copies: bool,
    }
}

fn top_k() -> u32 {
    Settings::default().journal_top_k
}

fn cognition_rounds() -> u32 {
    Settings::default().journal_cognition_rounds
}

/// `value` of `settings`, under a key that begins with `answers.`: plain JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum ConfigValueV1 {
    Switch(bool),
    Number(f64),
    Texts(Vec<String>),
}

impl InColumn for ConfigValue {
    type Stored = ConfigValueV1;

    fn into_stored(self) -> ConfigValueV1 {
        match self {
            Self::Switch(value) => ConfigValueV1::Switch(value),
            Self::Number(value) => ConfigValueV1::Number(value),
            Self::Texts(value) => ConfigValueV1::Texts(value),
        }
    }

    fn from_stored(stored: ConfigValueV1) -> Self {
        match stored {
            ConfigValueV1::Switch(value) => Self::Switch(value),
            ConfigValueV1::Number(value) => Self::Number(value),
            ConfigValueV1::Texts(value) => Self::Texts(value),
        }
    }
}

stored! {
    /// `value` of `settings`, under the key `dailyLimits`.
    DailyLimitsV1 of DailyLimits {
        #[serde(default)]
        requests_per_day: Option<u32>,
        #[serde(default)]
        tokens_per_day: Option<u32>,
    }
}

stored! {
    /// `counts` of `clearings`.
    ClearedCountsV1 of ClearedCounts {
        #[serde(default)]
        episodes: u32,
        #[serde(default)]
        vectors: u32,
        #[serde(default)]
        words: u32,
        #[serde(default)]
        traces: u32,
        #[serde(default)]
        origins: u32,
        #[serde(default)]
        journal: u32,
        #[serde(default)]
        answers: u32,
        #[serde(default)]
        rules: u32,
        #[serde(default)]
        rule_versions: u32,
        #[serde(default)]
        working_items: u32,
        #[serde(default)]
        backups: u32,
    }
}

stored! {
    /// `counts` of `erasures`.
    WordCountsV1 of WordCounts {
        #[serde(default)]
        traces: u32,
        #[serde(default)]
        notes: u32,
        #[serde(default)]
        remarks: u32,
        #[serde(default)]
        rule_versions: u32,
        #[serde(default)]
        tombstones: u32,
        #[serde(default)]
        run_changes: u32,
        #[serde(default)]
        backups: u32,
        #[serde(default)]
        set_aside: u32,
    }
}
