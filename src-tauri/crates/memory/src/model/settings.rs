//! The writer's settings for the whole program. In the database, because settings must survive a crash too.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::ProjectId;

/// Chinese or English, or as in the operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Type)]
pub enum InterfaceLanguage {
    /// As the system's.
    #[default]
    #[serde(rename = "system")]
    System,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    ZhCn,
    /// English.
    #[serde(rename = "en")]
    En,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    /// As the system's.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// All settings, each with its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Applies to the window, not to prompts.
    pub interface_language: InterfaceLanguage,
    /// Light or dark.
    pub theme: Theme,
    /// UUID of the project that was open last.
    pub last_project_id: Option<ProjectId>,
    /// Number of entries that a recall of the journal returns where it does not say, 1..50. Default 5.
    pub journal_top_k: u32,
    /// Maximum number of rounds in which a question recalls what has to be known for it, 1..3. Default 3.
    pub journal_cognition_rounds: u32,
    /// Whether readable copies of the knowledge of books are written into the data folder. Default false.
    pub readable_copies: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            interface_language: InterfaceLanguage::default(),
            theme: Theme::default(),
            last_project_id: None,
            journal_top_k: 5,
            journal_cognition_rounds: 3,
            readable_copies: false,
        }
    }
}

/// The settings to change; missing fields stay as they are.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SettingsPatch {
    /// Applies to the window, not to prompts.
    #[specta(optional)]
    pub interface_language: Option<InterfaceLanguage>,
    /// Light or dark.
    #[specta(optional)]
    pub theme: Option<Theme>,
    /// UUID of the project that was open last.
    #[specta(optional)]
    pub last_project_id: Option<ProjectId>,
    /// Number of entries that a recall of the journal returns where it does not say, 1..50.
    #[specta(optional)]
    pub journal_top_k: Option<u32>,
    /// Maximum number of rounds in which a question recalls what has to be known for it, 1..3.
    #[specta(optional)]
    pub journal_cognition_rounds: Option<u32>,
    /// Whether readable copies are written. Switching them off removes them.
    #[specta(optional)]
    pub readable_copies: Option<bool>,
}
