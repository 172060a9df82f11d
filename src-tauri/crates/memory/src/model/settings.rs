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
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Applies to the window, not to prompts.
    pub interface_language: InterfaceLanguage,
    /// Light or dark.
    pub theme: Theme,
    /// UUID of the project that was open last.
    pub last_project_id: Option<ProjectId>,
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
}
